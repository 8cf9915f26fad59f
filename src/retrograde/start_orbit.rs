//! The starting state of an orbit: what is known of its positions before the first ply.

use super::captures::{CaptureResults, CaptureWorkspace};
use super::codes::Codes;
use super::error::SolveError;
use super::side::{Row, SideToMove};
use super::state::Partition;
use crate::Value;
use crate::index::{OccupiedSets, SplitLists, position_of};
use crate::rules::{Placement, SquareSet};
use std::ops::Range;

/// Memory that is used again from orbit to orbit.
#[derive(Default)]
pub struct StartWorkspace {
    /// For each position of the orbit, what its captures lead to.
    pub results: Vec<CaptureResults>,
    /// The captures of the orbit.
    pub search: CaptureWorkspace,
    /// The owner masks under which a position of the orbit is a capture position.
    pub capturing: Vec<u64>,
    /// For each position of the orbit that waits for values of other processes, its place among all that wait.
    /// A process that works alone has no such list.
    pub places: Vec<Option<u32>>,
}

impl SideToMove<'_> {
    /// Begins to write the starting state of `orbit`, whose first position is at `start` in `partition`:
    /// how many moves each quiet position has. For capture positions, the results in the workspace then say
    /// what is known without values of slices below, and the search there says which values are needed.
    pub fn look_at_orbit(
        &self,
        orbit: usize,
        partition: &mut Partition,
        start: usize,
        workspace: &mut StartWorkspace,
    ) -> Result<(), SolveError> {
        let occupied = self.index.sets().representative(orbit);
        let codes = partition.agenda.codes();
        let StartWorkspace { results, search, capturing, .. } = workspace;
        results.clear();
        results.resize(self.index.rows(), CaptureResults::default());
        // Quiet positions, whose moves are counted for all stackings at once.
        self.lists.find_quiet(occupied, capturing);
        let steps = StepCounts::new(occupied);
        for lists in &self.lists.splits {
            for mask in lists.masks_in(capturing) {
                let rows = self.rows_of(mask, lists, start);
                match steps.of(mask) {
                    0 => rows.for_each(|at| partition.decide_at(at, 0)),
                    moves => {
                        let open = codes.open(moves).ok_or(SolveError::TooManyMoves)?;
                        partition.bytes[rows].fill(open);
                    }
                }
            }
        }
        self.lists.complement(capturing);
        // What captures lead to.
        match self.rules.jumps_again() {
            true => self.look_at_each(occupied, capturing, results, search),
            false => search.look(self, occupied, results),
        }
        Ok(())
    }

    /// Writes the starting state of the capture positions of an orbit that do not wait for values of other
    /// processes. The first position of the orbit is at `start` in `partition`, and the results in the
    /// workspace say what all captures lead to. Afterwards none waits, for the next orbit.
    pub fn start_captures(
        &self,
        partition: &mut Partition,
        start: usize,
        workspace: &mut StartWorkspace,
    ) -> Result<(), SolveError> {
        let StartWorkspace { results, capturing, places, .. } = workspace;
        for lists in &self.lists.splits {
            for mask in lists.masks_in(capturing) {
                for row in self.rows_of(mask, lists, 0) {
                    let place = places.get_mut(row).and_then(Option::take);
                    if place.is_none() {
                        partition.start_capture(start + row, results[row])?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The rows with an owner mask of a split, in an orbit whose first position is at `start`.
    fn rows_of(&self, mask: u32, lists: &SplitLists, start: usize) -> Range<usize> {
        let first = start + self.lists.first_row(mask);
        first..first + lists.split.mask_rows
    }

    /// Looks at the captures of each position of an orbit by itself. This is the plain way, and the only
    /// one where the stacks decide how far a chain goes. `capturing` are the owner masks of capture
    /// positions. Values of slices below are left to [`CaptureWorkspace::look_up`].
    pub fn look_at_each(
        &self,
        occupied: SquareSet,
        capturing: &[u64],
        results: &mut [CaptureResults],
        search: &mut CaptureWorkspace,
    ) {
        let columns = self.index.columns();
        for lists in &self.lists.splits {
            for (mask, row) in lists
                .masks_in(capturing)
                .flat_map(|mask| self.rows_of(mask, lists, 0).map(move |row| (mask, row)))
            {
                let Row { mover, other, .. } = self.row(row as u32);
                let mover = lists.mover[usize::from(mover)].spare();
                let other = lists.other[usize::from(other)].spare();
                let position = position_of(occupied, mask, &mover, &other);
                position.captures(self.rules, |after| {
                    let left = after.placement().occupied().len();
                    if after.placement().mover.is_empty() {
                        // The other side's last column has been captured.
                        results[row].add_below(Value::Win(1));
                    } else if left == columns {
                        let in_slice = &mut results[row].in_slice;
                        *in_slice = in_slice.saturating_add(1);
                    } else {
                        match self.below.slice(left).index.number(after) {
                            Some(number) => search.look_up_later(row, left, number),
                            None => unreachable!("no capture changes how many counters there are"),
                        }
                    }
                });
            }
        }
    }
}

/// How many quiet moves the mover has under each owner mask of an orbit: the sum over the columns that it
/// commands, looked up for four columns at a time.
struct StepCounts([[u8; 16]; 3]);

impl StepCounts {
    fn new(occupied: SquareSet) -> StepCounts {
        const { assert!(OccupiedSets::MAX_COLUMNS == 12) };
        let mut counts = [[0; 16]; 3];
        for (column, square) in occupied.into_iter().enumerate() {
            let mover = SquareSet::EMPTY.with(square);
            let other = occupied.without(square);
            let steps = Placement { mover, other }.step_count() as u8;
            // The sums with this column follow those without it.
            let (sums, half) = (&mut counts[column / 4], 1 << (column % 4));
            for without in 0..half {
                sums[half + without] = sums[without] + steps;
            }
        }
        StepCounts(counts)
    }

    #[inline]
    fn of(&self, mask: u32) -> usize {
        let of_four = |i: usize| usize::from(self.0[i][(mask >> (4 * i) & 15) as usize]);
        of_four(0) + of_four(1) + of_four(2)
    }
}

impl Partition<'_> {
    /// Writes the starting state of the capture position at `at`.
    #[inline]
    pub fn start_capture(&mut self, at: usize, results: CaptureResults) -> Result<(), SolveError> {
        let codes = self.agenda.codes();
        let in_slice = results.in_slice as usize;
        let open = |moves| codes.open(moves).ok_or(SolveError::TooManyMoves);
        match results.best_below() {
            Some(Value::Win(ply)) if codes.is_late(ply) => {
                self.bytes[at] = Codes::UNLOSABLE;
                self.update_later(ply - 1, at);
            }
            Some(Value::Win(ply)) => self.decide_at(at, ply),
            Some(Value::Draw) => self.bytes[at] = Codes::UNLOSABLE,
            Some(Value::Loss(ply)) if in_slice == 0 && !codes.is_late(ply) => {
                self.decide_at(at, ply);
            }
            Some(Value::Loss(ply)) => {
                // All captures into slices below count as one open move, which is refuted together
                // with the last of them.
                self.bytes[at] = open(in_slice.saturating_add(1))?;
                self.update_later(ply - 1, at);
            }
            None => self.bytes[at] = open(in_slice)?,
        }
        Ok(())
    }
}
