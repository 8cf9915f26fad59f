//! Reading a table: values of single positions from the two files.

use super::cells::{self, DRAW, DtwReader, LOSS, Wdl3};
use super::file::TableFile;
use super::format::MAX_DTW;
use super::order::{Half, SetOrder, half_of};
use super::quiet::{self, WORDS};
use super::{Kind, Part, SliceStats, TableError};
#[cfg(feature = "generate")]
use crate::forward::Placements;
use crate::index::{Material, SliceIndex};
use crate::rules::{OfficerPosition, RuleSet, SquareSet};
use crate::{Value, Wdl};
use std::sync::Arc;

/// A table over bytes of any kind: memory maps, `Vec<u8>`s, slices.
///
/// It holds the WDL of every position in which the side to move need not take, and the DTW of about
/// half of those. The rest follows by the rules in a few steps, and the methods here give it as if it
/// were stored.
///
/// [`Table::open`] reads and checks the headers, the directories and the lists of checksums;
/// everything else is checked when it is first read.
#[derive(Debug)]
pub struct Table<D> {
    pub(super) wdl: TableFile<D>,
    pub(super) dtw: Option<TableFile<D>>,
    slices: Vec<SliceInfo>,
    /// The place of each slice, by stored side and number of columns.
    places: [[Option<u8>; Material::MAX_COUNTERS + 1]; 2],
}

/// What a table says of one of its slices: the positions of one stored side to move and number of
/// columns.
#[derive(Clone, Debug)]
pub struct SliceInfo {
    side: usize,
    index: SliceIndex,
    stats: SliceStats,
    /// Whether all placements have cells.
    full: bool,
    /// The slice's places in the directories.
    wdl: usize,
    dtw: Option<usize>,
}

/// Names a block of values within a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockId {
    slice: u32,
    row: u32,
    chunk: u32,
    half: Half,
}

impl BlockId {
    pub(super) fn new(slice: usize, row: usize, half: Half, chunk: usize) -> BlockId {
        BlockId { slice: slice as u32, row: row as u32, chunk: chunk as u32, half }
    }

    #[inline]
    pub(super) fn row(self) -> usize {
        self.row as usize
    }

    #[inline]
    pub(super) fn half(self) -> Half {
        self.half
    }

    #[inline]
    pub(super) fn chunk(self) -> usize {
        self.chunk as usize
    }

    /// For errors: the block in the slice of this number in a file's directory.
    pub(super) fn part(self, slice: usize) -> Part {
        let (row, half, chunk) = (self.row as usize, self.half, self.chunk as usize);
        Part::Block { slice, row, half, chunk }
    }
}

/// The values of a block, decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedBlock {
    /// For each cell: 0 for a draw, else the DTW plus 1.
    codes: Vec<u16>,
}

impl DecodedBlock {
    /// The bytes of memory that it takes.
    pub fn bytes(&self) -> u64 {
        size_of::<DecodedBlock>() as u64 + 2 * self.codes.len() as u64
    }
}

/// Where decoded blocks are kept for the next time.
pub trait BlockCache {
    /// The block if it is kept, else what `decode` makes, which may be kept.
    ///
    /// # Errors
    /// Those of `decode`.
    fn block(
        &self,
        id: BlockId,
        decode: &mut dyn FnMut() -> Result<DecodedBlock, TableError>,
    ) -> Result<Arc<DecodedBlock>, TableError>;
}

/// Keeps nothing: every block is decoded anew.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCache;

impl BlockCache for NoCache {
    fn block(
        &self,
        _: BlockId,
        decode: &mut dyn FnMut() -> Result<DecodedBlock, TableError>,
    ) -> Result<Arc<DecodedBlock>, TableError> {
        decode().map(Arc::new)
    }
}

/// Where a position's cell is.
#[derive(Clone, Copy)]
struct Cell<'a> {
    slice: &'a SliceInfo,
    number: usize,
    row: usize,
    half: Half,
    chunk: usize,
    place: usize,
}

impl Cell<'_> {
    fn block(&self) -> BlockId {
        BlockId::new(self.number, self.row, self.half, self.chunk)
    }
}

impl SliceInfo {
    /// The stored side to move: its place among [`Material::stored_sides`].
    pub fn side(&self) -> usize {
        self.side
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.index.columns()
    }

    /// The numbering of the slice's positions.
    pub fn index(&self) -> &SliceIndex {
        &self.index
    }

    /// Counts over the slice's positions, unfolded. Without a DTW file the histogram is empty.
    pub fn stats(&self) -> &SliceStats {
        &self.stats
    }

    /// Whether positions in which the side to move must take hold values of their own, because takes
    /// may lead back to where they began. If not, every run of takes was proved to end when the table
    /// was made.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// The sets of a chunk that have a cell under an owner mask.
    pub(super) fn cells(&self, half: Half, chunk: usize, mask: u32) -> [u64; WORDS] {
        if self.full {
            return quiet::first(SetOrder::of(self.index.sets()).chunk(half, chunk).len());
        }
        *quiet::chunk_of(self.index.sets(), half, chunk).of_mask(mask)
    }
}

impl<D: AsRef<[u8]>> Table<D> {
    /// Reads a table from the bytes of its WDL file and, if distances are wanted, its DTW file.
    ///
    /// # Errors
    /// If the bytes are not sound files of this format version, or do not belong together. Whatever is
    /// wrong with the DTW file comes as [`TableError::InDtw`].
    pub fn open(wdl: D, dtw: Option<D>) -> Result<Table<D>, TableError> {
        let wdl = TableFile::open(wdl, Kind::Wdl)?;
        let dtw = dtw.map(|dtw| TableFile::open(dtw, Kind::Dtw)).transpose();
        let dtw = dtw.map_err(TableError::in_dtw)?;
        let strangers = || TableError::Strangers.in_dtw();
        let identity = |file: &TableFile<D>| (file.header.material, file.header.rules);
        if let Some(dtw) = &dtw
            && (dtw.header.belongs_to != wdl.header.checksum
                || identity(dtw) != identity(&wdl)
                || dtw.slices.len() != wdl.slices.len())
        {
            return Err(strangers());
        }
        let mut slices = Vec::with_capacity(wdl.slices.len());
        for (number, slice) in wdl.slices.iter().enumerate() {
            let (side, index) = (usize::from(slice.entry.side), slice.index.clone());
            let mut info = SliceInfo {
                side,
                index,
                stats: slice.stats.clone(),
                full: slice.entry.full,
                wdl: number,
                dtw: None,
            };
            if let Some(dtw) = &dtw {
                let found = dtw.slice(side, info.columns()).ok_or_else(strangers)?;
                let counts = |s: &SliceStats| (s.win, s.draw, s.loss, s.capture);
                if counts(&found.stats) != counts(&info.stats) || found.entry.full != info.full {
                    return Err(strangers());
                }
                info.stats = found.stats.clone();
                info.dtw = Some(found.number());
            }
            slices.push(info);
        }
        // A quiet move leads to the other half of the other side to move: both must keep the same one.
        for slice in &slices {
            let halves = |s: &SliceInfo| match (&dtw, s.dtw) {
                (Some(dtw), Some(number)) => dtw.slices[number].entry.halves,
                _ => 3,
            };
            let alike = |other: &SliceInfo| {
                other.columns() != slice.columns()
                    || (halves(other) == halves(slice) && other.full == slice.full)
            };
            if !slices.iter().all(alike) {
                return Err(strangers());
            }
        }
        let mut places = [[None; Material::MAX_COUNTERS + 1]; 2];
        for (place, slice) in slices.iter().enumerate() {
            places[slice.side][slice.columns()] = Some(place as u8);
        }
        Ok(Table { wdl, dtw, slices, places })
    }

    /// Checks that every slice of the material is there.
    ///
    /// # Errors
    /// [`TableError::MissingSlice`].
    pub fn check_whole(&self) -> Result<(), TableError> {
        for side in 0..self.material().stored_sides().len() {
            for columns in self.material().columns() {
                if self.slice(side, columns).is_none() {
                    return Err(TableError::MissingSlice { side, columns });
                }
            }
        }
        Ok(())
    }

    /// The material, White's counters first.
    pub fn material(&self) -> Material {
        self.wdl.header.material
    }

    /// The rule set that the values are for.
    pub fn rules(&self) -> RuleSet {
        self.wdl.header.rules
    }

    /// Whether distances are there as well, and not WDLs alone.
    pub fn has_dtw(&self) -> bool {
        self.dtw.is_some()
    }

    /// The length of a file in bytes; 0 if it is not there.
    pub fn bytes_of(&self, kind: Kind) -> u64 {
        match kind {
            Kind::Wdl => self.wdl.header.file_len,
            Kind::Dtw => self.dtw.as_ref().map_or(0, |dtw| dtw.header.file_len),
        }
    }

    /// The length of both files in bytes.
    pub fn bytes(&self) -> u64 {
        Kind::ALL.into_iter().map(|kind| self.bytes_of(kind)).sum()
    }

    /// How many positions the table gives the values of, folded by the symmetries of the board.
    pub fn positions(&self) -> u64 {
        self.slices.iter().map(|slice| slice.index.positions()).sum()
    }

    /// All slices in the order of the directory.
    pub fn slices(&self) -> &[SliceInfo] {
        &self.slices
    }

    /// The slice of the `side`-th stored side to move and this number of columns.
    pub fn slice(&self, side: usize, columns: usize) -> Option<&SliceInfo> {
        let place = (*self.places.get(side)?.get(columns)?)?;
        Some(&self.slices[usize::from(place)])
    }

    /// Win, draw or loss of a position for the side to move. Both sides must command a column, and
    /// the counters be those of the material, whichever side has more.
    ///
    /// # Errors
    /// If a part that it is read from is damaged; [`TableError::MissingSlice`] if the position is
    /// not of this table.
    pub fn wdl(&self, position: &OfficerPosition) -> Result<Wdl, TableError> {
        self.wdl_within(position, MAX_CAPTURE_RUN)
    }

    fn wdl_within(&self, position: &OfficerPosition, takes: usize) -> Result<Wdl, TableError> {
        let (cell, found) = self.cell(position)?;
        if found {
            return self.stored_wdl(cell).map(of_wdl3);
        }
        let mut best = Ok(Wdl::Loss);
        position.captures(self.rules(), |after| {
            if let Ok(wdl) = best
                && wdl != Wdl::Win
            {
                best = self.wdl_after(after, takes).map(|after| wdl.max(-after));
            }
        });
        best
    }

    /// The WDL after a move, for the side that is then to move.
    fn wdl_after(&self, after: &OfficerPosition, takes: usize) -> Result<Wdl, TableError> {
        if after.placement().mover.is_empty() {
            return Ok(Wdl::Loss);
        }
        let Some(takes) = takes.checked_sub(1) else {
            let columns = after.placement().occupied().len();
            return Err(TableError::EndlessCaptures { columns });
        };
        self.wdl_within(after, takes)
    }

    /// The value of a position for the side to move; see [`Table::wdl`]. Decoded blocks are taken
    /// from `cache`.
    ///
    /// # Errors
    /// As [`Table::wdl`]; [`TableError::NoDtw`] if the table has no DTW file.
    pub fn value(
        &self,
        position: &OfficerPosition,
        cache: &impl BlockCache,
    ) -> Result<Value, TableError> {
        self.value_within(position, None, cache, MAX_CAPTURE_RUN)
    }

    /// `known` is the position's WDL, if it is known.
    fn value_within(
        &self,
        position: &OfficerPosition,
        known: Option<Wdl>,
        cache: &impl BlockCache,
        takes: usize,
    ) -> Result<Value, TableError> {
        let dtw = self.dtw.as_ref().ok_or(TableError::NoDtw)?;
        let (cell, found) = self.cell(position)?;
        if found {
            let slice = &dtw.slices[cell.slice.dtw.ok_or(TableError::NoDtw)?];
            if slice.entry.has(cell.half) {
                let mut decode = || self.decode_block(cell.block());
                let block = cache.block(cell.block(), &mut decode)?;
                let code = block.codes.get(cell.place).ok_or_else(|| cell.content())?;
                return Ok(Value::from_dtw(code.checked_sub(1)));
            }
        }
        let wdl = match known {
            Some(wdl) => wdl,
            None if found => of_wdl3(self.stored_wdl(cell)?),
            None => self.wdl_within(position, takes)?,
        };
        if wdl == Wdl::Draw {
            return Ok(Value::Draw);
        }
        // Of the moves that lead to the result, the one that wins soonest or loses latest.
        let mut best: Result<Option<Value>, TableError> = Ok(None);
        let mut look = |after: &OfficerPosition| {
            if let Ok(found) = best {
                best = self.value_after(after, wdl, cache, takes).map(|value| found.max(value));
            }
        };
        if found {
            for step in position.placement().steps() {
                look(&position.after_step(step));
            }
        } else {
            position.captures(self.rules(), look);
        }
        match best? {
            Some(value) => Ok(value),
            None if wdl == Wdl::Loss && found => Ok(Value::Loss(0)),
            None => Err(TableError::Contradiction { columns: cell.slice.columns() }),
        }
    }

    /// What a move is worth, counted from the position before it, if its result is `wanted`.
    fn value_after(
        &self,
        after: &OfficerPosition,
        wanted: Wdl,
        cache: &impl BlockCache,
        takes: usize,
    ) -> Result<Option<Value>, TableError> {
        // Where the position is lost, all moves lose.
        if wanted == Wdl::Win && self.wdl_after(after, takes)? != Wdl::Loss {
            return Ok(None);
        }
        let value = if after.placement().mover.is_empty() {
            Value::Loss(0)
        } else {
            let columns = after.placement().occupied().len();
            let takes = takes.checked_sub(1).ok_or(TableError::EndlessCaptures { columns })?;
            self.value_within(after, Some(-wanted), cache, takes)?
        };
        let value = value.before_move();
        if value.wdl() != wanted || value.dtw() > Some(MAX_DTW) {
            let columns = after.placement().occupied().len();
            return Err(TableError::Contradiction { columns });
        }
        Ok(Some(value))
    }

    /// The place of a slice among [`Table::slices`].
    pub(super) fn slice_number(&self, slice: &SliceInfo) -> usize {
        slice.wdl
    }

    /// The halves of a slice that have DTWs, a bit for each.
    pub(super) fn dtw_halves(&self, slice: &SliceInfo) -> Result<u8, TableError> {
        let file = self.dtw.as_ref().ok_or(TableError::NoDtw)?;
        let number = slice.dtw.ok_or(TableError::NoDtw)?;
        Ok(file.slices[number].entry.halves)
    }

    /// The placements on a set of squares for which distances are stored.
    #[cfg(feature = "generate")]
    pub(crate) fn stored_placements(&self, columns: usize, set: SquareSet) -> Placements {
        let Some(slice) = self.slice(0, columns) else { return Placements::None };
        if slice.full {
            return Placements::All;
        }
        let halves = self.dtw_halves(slice).unwrap_or(0);
        if halves >> half_of(set) & 1 != 0 { Placements::Quiet } else { Placements::None }
    }

    /// The cell of a position, and whether there is one.
    #[inline]
    fn cell(&self, position: &OfficerPosition) -> Result<(Cell<'_>, bool), TableError> {
        let placement = position.placement();
        let columns = placement.occupied().len();
        let missing = |side| TableError::MissingSlice { side, columns };
        let (mover, other) = position.mover_and_other();
        let side = usize::from(mover != self.material().white());
        let place = self.places[side].get(columns).copied().flatten();
        let number = usize::from(place.ok_or(missing(side))?);
        let slice = &self.slices[number];
        let mut cell = Cell { slice, number, row: 0, half: 0, chunk: 0, place: 0 };
        if other != slice.index.other_counters() {
            return Err(missing(side));
        }
        if !slice.full && placement.must_capture() {
            return Ok((cell, false));
        }
        let (block, row, mask) = slice.index.locate(position).ok_or(missing(side))?;
        let set = SetOrder::of(slice.index.sets()).place(block);
        let (chunk, place) = set.in_chunks();
        let place = if slice.full {
            place
        } else {
            quiet::rank(quiet::chunk_of(slice.index.sets(), set.half, chunk).of_mask(mask), place).1
        };
        (cell.row, cell.half, cell.chunk, cell.place) = (row, set.half, chunk, place);
        Ok((cell, true))
    }

    #[inline]
    fn stored_wdl(&self, cell: Cell) -> Result<Wdl3, TableError> {
        let slice = &self.wdl.slices[cell.slice.wdl];
        let block = self.wdl.block(slice, cell.block())?;
        cells::wdl_at(block.bytes, block.usual, block.codes, cell.place)
            .ok_or_else(|| cell.content())
    }

    /// Calls `visit` with the WDL and the length of each run of a block, as [`cells::wdl_runs`] does.
    pub(super) fn visit_wdls(
        &self,
        id: BlockId,
        visit: impl FnMut(Wdl3, usize) -> bool,
    ) -> Result<(), TableError> {
        let info = &self.slices[id.slice as usize];
        let block = self.wdl.block(&self.wdl.slices[info.wdl], id)?;
        cells::wdl_runs(block.bytes, block.usual, block.codes, visit).ok_or_else(|| content(id))
    }

    /// All values of a block. Its half must have DTWs.
    pub(super) fn decode_block(&self, id: BlockId) -> Result<DecodedBlock, TableError> {
        let info = &self.slices[id.slice as usize];
        let mask = mask_of_row(&info.index, id.row as usize);
        let cells = info.cells(id.half, id.chunk as usize, mask);
        let mut codes = Vec::with_capacity(quiet::count(&cells));
        self.decode_into(id, quiet::count(&cells), |code| codes.push(code))?;
        Ok(DecodedBlock { codes })
    }

    /// Calls `visit` with the code of each cell of a block that has so many: 0 for a draw, else the
    /// DTW plus 1.
    pub(super) fn decode_into(
        &self,
        id: BlockId,
        cells: usize,
        mut visit: impl FnMut(u16),
    ) -> Result<(), TableError> {
        let content = || content(id).in_dtw();
        let file = self.dtw.as_ref().ok_or(TableError::NoDtw)?;
        let info = &self.slices[id.slice as usize];
        let slice = &file.slices[info.dtw.ok_or(TableError::NoDtw)?];
        let block = file.block(slice, id).map_err(TableError::in_dtw)?;
        let mut dtws = DtwReader::new(block.bytes, block.usual, block.codes);
        let (mut left, mut sound) = (cells, true);
        self.visit_wdls(id, |wdl, length| {
            for _ in 0..length.min(left) {
                let code = match wdl {
                    DRAW => Some(0),
                    // Even DTWs are losses, odd ones wins.
                    wdl => dtws.take(wdl).and_then(|half| {
                        half.checked_mul(2)?.checked_add(1 + u16::from(wdl != LOSS))
                    }),
                };
                match code {
                    Some(code) => visit(code),
                    None => {
                        sound = false;
                        return false;
                    }
                }
            }
            left -= length.min(left);
            left > 0
        })?;
        if sound && !dtws.is_overrun() { Ok(()) } else { Err(content()) }
    }
}

/// How many moves are followed from a position to stored values at the most. So many are only met in a file
/// that says, against the rules, that runs of takes end.
const MAX_CAPTURE_RUN: usize = 64;

impl<D: AsRef<[u8]> + Sync> Table<D> {
    /// Checks the bytes of both files against their checksums, whether they were read before or not.
    ///
    /// # Errors
    /// The first damaged page, the WDL file before the DTW file.
    pub fn check_bytes(&self) -> Result<(), TableError> {
        self.wdl.check_bytes()?;
        match &self.dtw {
            Some(dtw) => dtw.check_bytes().map_err(TableError::in_dtw),
            None => Ok(()),
        }
    }
}

impl Cell<'_> {
    fn content(&self) -> TableError {
        content(self.block())
    }
}

fn content(id: BlockId) -> TableError {
    TableError::Content(id.part(id.slice as usize))
}

pub(super) fn of_wdl3(wdl: Wdl3) -> Wdl {
    match wdl {
        LOSS => Wdl::Loss,
        DRAW => Wdl::Draw,
        _ => Wdl::Win,
    }
}

/// The owner mask of the positions at an offset of every block.
pub(super) fn mask_of_row(index: &SliceIndex, row: usize) -> u32 {
    let position = index.position(row as u64);
    let placement = position.placement();
    let is_mover = |(column, square)| u32::from(placement.mover.contains(square)) << column;
    let occupied: SquareSet = placement.occupied();
    occupied.into_iter().enumerate().map(is_mover).sum()
}
