//! Loading a table: filling in what it stores, and then what follows from that.
//!
//! Slices are filled with the number of columns rising, all sides to move of one number together. What
//! is done for each number of columns is what [`SliceReader`](super::super::SliceReader) does.

use super::cells::Cells;
use super::codes::{Code, DtwCode, WdlCode};
use super::follow::{Following, Moves, Workspace};
use super::{Loaded, LoadedDtw, LoadedSlice, LoadedWdl, Threads};
use crate::reserve::reserve_exact;
use crate::rules::{Placement, Position};
use crate::table::{Half, OrbitOrder, SliceInfo, Table, TableError};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Batch size: about how many positions a thread works out before it takes the next batch.
const BATCH_POSITIONS: usize = 1 << 15;

impl LoadedWdl {
    /// Loads the results of a table. Every page of its WDL file is checked, and those of a
    /// mapped file again at the end.
    ///
    /// # Errors
    /// If something is damaged or missing, or there is not enough memory;
    /// [`TableError::EndlessCaptures`] if the table says falsely that captures come to an end.
    pub fn load(table: &Table, threads: Threads) -> Result<LoadedWdl, TableError> {
        table.check_unread(false)?;
        let mut loading = Loading::new(table, threads, None);
        for columns in table.extent().columns() {
            loading.begin(columns)?;
            loading.decode([0, 1], |info, half, chunk, visit| {
                table.each_stored_wdl(info, half, chunk, |place, row, wdl| {
                    visit(place, row, WdlCode::of_wdl(wdl));
                })
            })?;
            if !loading.is_full() {
                loading.follow_captures(&loading.following(), &[0, 1])?;
            }
        }
        table.check_mapped(false)?;
        Ok(loading.loaded)
    }
}

impl LoadedDtw {
    /// Loads the values of a table with their distances. Every page of both files is checked, and those
    /// of mapped files again at the end.
    ///
    /// # Errors
    /// As [`LoadedWdl::load`]; [`TableError::NoDtw`] if the table has no DTW file;
    /// [`TableError::Contradiction`] if a result does not follow from the values of the successors.
    pub fn load(table: &Table, wdl: &LoadedWdl, threads: Threads) -> Result<LoadedDtw, TableError> {
        table.check_unread(true)?;
        let mut loading = Loading::new(table, threads, Some(wdl));
        for columns in table.extent().columns() {
            loading.begin(columns)?;
            let info =
                table.slice(0, columns).ok_or(TableError::MissingSlice { side: 0, columns })?;
            let halves = table.dtw_halves(info)?;
            let (with, without): (Vec<Half>, Vec<Half>) =
                (0..2).partition(|half| halves >> half & 1 != 0);
            loading.decode(with.iter().copied(), |info, half, chunk, visit| {
                table.each_stored_distance(info, half, chunk, |place, row, distance| {
                    visit(place, row, DtwCode::of(distance));
                })
            })?;
            let following = loading.following();
            if !loading.is_full() {
                loading.follow_captures(&following, &with)?;
            }
            loading.follow_steps(&following, &without)?;
            loading.follow_captures(&following, &without)?;
        }
        table.check_mapped(true)?;
        Ok(loading.loaded)
    }
}

/// A table that is being loaded.
struct Loading<'a, C> {
    table: &'a Table,
    threads: Threads,
    loaded: Loaded<C>,
    /// The results, if they are loaded already.
    results: Option<&'a LoadedWdl>,
}

/// What a thread needs to work out the values of orbits.
struct Buffers {
    work: Workspace,
    /// For each side and row, the code.
    codes: Vec<Vec<u8>>,
    /// For each row, the code of its result.
    results: Vec<u8>,
}

impl<'a, C: Code> Loading<'a, C> {
    fn new(table: &'a Table, threads: Threads, results: Option<&'a LoadedWdl>) -> Loading<'a, C> {
        let slices = table.material().stored_sides().iter().map(|_| Vec::new()).collect();
        let loaded = Loaded { white: table.material().white(), slices };
        Loading { table, threads, loaded, results }
    }

    /// Makes room for the slices of the next number of columns.
    fn begin(&mut self, columns: usize) -> Result<(), TableError> {
        for (side, slices) in self.loaded.slices.iter_mut().enumerate() {
            let info = self.table.slice(side, columns);
            let index = info.ok_or(TableError::MissingSlice { side, columns })?.index().clone();
            index.sets().tabulate_if_small();
            slices.push(LoadedSlice { cells: Cells::new(&index)?, index });
        }
        Ok(())
    }

    /// The slices that were begun last: each one's side to move, what the table says of it, and its
    /// values.
    fn current(&self) -> impl Iterator<Item = (usize, &'a SliceInfo, &LoadedSlice<C>)> {
        self.loaded.slices.iter().enumerate().filter_map(|(side, slices)| {
            let slice = slices.last()?;
            Some((side, self.table.slice(side, slice.index.columns())?, slice))
        })
    }

    /// Whether the slices that were begun last have a stored value for each position.
    fn is_full(&self) -> bool {
        self.current().all(|(_, info, _)| info.is_full())
    }

    /// Fills in what is stored of some halves. `chunk` calls its last argument with the place, the row
    /// and the code of each stored value of a chunk.
    fn decode(
        &self,
        halves: impl IntoIterator<Item = Half> + Clone,
        chunk: impl Fn(
            &SliceInfo,
            Half,
            usize,
            &mut dyn FnMut(usize, usize, u8),
        ) -> Result<(), TableError>
        + Sync,
    ) -> Result<(), TableError> {
        let mut tasks = Vec::new();
        for (_, info, slice) in self.current() {
            let order = OrbitOrder::of(slice.index.sets());
            for half in halves.clone() {
                tasks.extend((0..order.chunks(half)).map(|chunk| (info, slice, half, chunk)));
            }
        }
        self.threads.each(tasks.len(), Vec::new, |number, codes: &mut Vec<u8>| {
            let (info, slice, half, number) = tasks[number];
            let orbits = OrbitOrder::of(slice.index.sets()).chunk(half, number);
            let rows = slice.index.rows();
            codes.clear();
            reserve_exact(codes, rows * orbits.len()).map_err(|_| TableError::Memory)?;
            codes.resize(rows * orbits.len(), C::UNKNOWN);
            chunk(info, half, number, &mut |place, row, code| codes[place * rows + row] = code)?;
            for (&orbit, codes) in orbits.iter().zip(codes.chunks(rows)) {
                slice.cells.orbit(orbit as usize).write(codes);
            }
            Ok(())
        })
    }

    /// Works out the quiet positions of some halves.
    fn follow_steps(&self, following: &Following<C>, halves: &[Half]) -> Result<(), TableError> {
        self.work_out(following, &self.orbits(halves), Moves::Quiet).map(|_| ())
    }

    /// Works out the capture positions of some halves, turn by turn.
    fn follow_captures(&self, following: &Following<C>, halves: &[Half]) -> Result<(), TableError> {
        let mut left = self.orbits(halves);
        while !left.is_empty() {
            let (set, still) = self.work_out(following, &left, Moves::Captures)?;
            left = still;
            if set == 0 {
                return self.check_known(&left);
            }
        }
        Ok(())
    }

    fn orbits(&self, halves: &[Half]) -> Vec<u32> {
        let Some((_, _, slice)) = self.current().next() else { return Vec::new() };
        let order = OrbitOrder::of(slice.index.sets());
        halves.iter().flat_map(|&half| order.orbits(half)).copied().collect()
    }

    /// What follows the moves from the slices that were begun last.
    fn following(&self) -> Following<'_, C> {
        let sides = self.current().map(|(side, _, slice)| {
            // Where only White to move is stored, the replies are White's too, colours exchanged.
            let replies = &self.loaded.slices[(side + 1) % self.loaded.slices.len()];
            let replies = replies.iter().map(|slice| (&slice.index, &slice.cells)).collect();
            (&slice.index, replies)
        });
        Following::new(self.table.rules(), sides.collect())
    }

    /// Works out the values of some orbits, as far as they follow from known values. Returns how many
    /// values were set, and the orbits in which some are left.
    fn work_out(
        &self,
        following: &Following<C>,
        orbits: &[u32],
        moves: Moves,
    ) -> Result<(usize, Vec<u32>), TableError> {
        let rows = self.current().map(|(_, _, slice)| slice.index.rows()).sum::<usize>();
        let batch = (BATCH_POSITIONS / rows).max(1);
        let left: Vec<AtomicBool> = orbits.iter().map(|_| AtomicBool::new(false)).collect();
        let set = AtomicUsize::new(0);
        let buffers = || Buffers {
            work: following.workspace(),
            codes: vec![Vec::new(); self.loaded.slices.len()],
            results: Vec::new(),
        };
        self.threads.each(orbits.len().div_ceil(batch), buffers, |number, buffers| {
            let first = number * batch;
            let mut more = 0;
            for (&orbit, left) in orbits.iter().zip(&left).skip(first).take(batch) {
                let (found, some_left) =
                    self.work_out_orbit(following, orbit as usize, moves, buffers)?;
                more += found;
                left.store(some_left, Ordering::Relaxed);
            }
            set.fetch_add(more, Ordering::Relaxed);
            Ok(())
        })?;
        let still = orbits.iter().zip(left).filter(|(_, left)| left.load(Ordering::Relaxed));
        Ok((set.into_inner(), still.map(|(&orbit, _)| orbit).collect()))
    }

    /// Works out the values of an orbit. Returns how many were set, and whether some are left.
    fn work_out_orbit(
        &self,
        following: &Following<C>,
        orbit: usize,
        moves: Moves,
        buffers: &mut Buffers,
    ) -> Result<(usize, bool), TableError> {
        let Buffers { work, codes, results } = buffers;
        let mut any = false;
        for (side, _, slice) in self.current() {
            let (index, codes) = (&slice.index, &mut codes[side]);
            let occupied = index.sets().representative(orbit);
            slice.cells.orbit(orbit).read(codes, index.rows());
            for split in index.splits() {
                let rows = (split.start..).step_by(split.mask_rows);
                for (mask, first) in split.owner_masks().zip(rows) {
                    let rows = first..first + split.mask_rows;
                    // Once the quiet positions have their values, those without are capture positions.
                    let is_quiet = || !Placement::with_owners(occupied, mask).must_capture();
                    let wanted = codes[rows.clone()].contains(&C::UNKNOWN)
                        && (moves == Moves::Captures || is_quiet());
                    work.want(side, mask, wanted);
                    work.best[side][rows].fill(if wanted { C::LOST } else { C::UNKNOWN });
                    any |= wanted;
                }
            }
        }
        if !any {
            return Ok((0, false));
        }
        following.follow(orbit, moves, work);
        let (mut set, mut left) = (0, false);
        for (side, _, slice) in self.current() {
            let (codes, best) = (&mut codes[side], &work.best[side]);
            for (code, &best) in codes.iter_mut().zip(best) {
                let was_unknown = *code == C::UNKNOWN;
                *code = if was_unknown { best } else { *code };
                set += usize::from(was_unknown & (best != C::UNKNOWN));
                left |= *code == C::UNKNOWN;
            }
            if let Some(loaded) = self.results {
                let of_slice = &loaded.slices[side][slice.index.columns() - 2].cells;
                of_slice.orbit(orbit).read(results, slice.index.rows());
                let contradicts = |(code, result): (&u8, &u8)| {
                    *code != C::UNKNOWN && C::wdl(*code) != WdlCode::wdl(*result)
                };
                if let Some(row) = codes.iter().zip(&*results).position(contradicts) {
                    let position = self.shown(side, slice, orbit, row);
                    return Err(TableError::Contradiction { position });
                }
            }
            slice.cells.orbit(orbit).write(codes);
        }
        Ok((set, left))
    }

    /// Checks that all values of these orbits are known.
    fn check_known(&self, orbits: &[u32]) -> Result<(), TableError> {
        for &orbit in orbits {
            for (side, _, slice) in self.current() {
                let codes = slice.cells.orbit(orbit as usize);
                let unknown = |&row: &usize| codes.get(row) == C::UNKNOWN;
                if let Some(row) = (0..slice.index.rows()).find(unknown) {
                    let position = self.shown(side, slice, orbit as usize, row);
                    return Err(TableError::EndlessCaptures { position });
                }
            }
        }
        Ok(())
    }

    /// A position for an error.
    #[cold]
    fn shown(
        &self,
        side: usize,
        slice: &LoadedSlice<C>,
        orbit: usize,
        row: usize,
    ) -> Box<Position> {
        let number = orbit as u64 * slice.index.rows() as u64 + row as u64;
        let color = self.table.material().stored_sides()[side];
        match slice.index.position(number).to_position(color) {
            Some(position) => Box::new(position),
            None => unreachable!("a position has room for the counters of every material"),
        }
    }
}
