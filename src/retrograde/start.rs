//! The starting state of an orbit: what is known of its positions before the first ply.

use super::captures::{CapturePlacement, CaptureResults, CaptureSearch};
use super::columns::{ColumnBits, placement_of, unfold};
use super::error::SolveError;
use super::score::MoveScore;
use super::side::SideToMove;
use super::state::{Codes, Partition};
use crate::Value;
use crate::rules::Continuation;
use std::ops::Range;

/// Memory that is used again from orbit to orbit.
#[derive(Default)]
pub struct StartWorkspace {
    /// For each position of the orbit, what its captures lead to.
    results: Vec<CaptureResults>,
    search: CaptureSearch,
    /// The rows of the orbit's capture positions.
    captures: Vec<Range<usize>>,
}

impl SideToMove<'_> {
    /// Writes the starting state of `orbit`, whose first position is at `start` in `partition`: how
    /// many moves each position has, and what is known already from slices below.
    ///
    /// # Errors
    /// If a position has too many moves, or a scratch file cannot be read.
    pub fn start_orbit(
        &self,
        orbit: usize,
        partition: &mut Partition,
        start: usize,
        workspace: &mut StartWorkspace,
    ) -> Result<(), SolveError> {
        let occupied = self.index.sets().representative(orbit);
        let squares = ColumnBits::squares(occupied);
        let all = (1u32 << self.index.columns()) - 1;
        let codes = partition.agenda.codes();
        let StartWorkspace { results, search, captures } = workspace;
        results.clear();
        results.resize(self.index.rows(), CaptureResults::default());
        captures.clear();
        search.begin_orbit();
        for (split, stackings) in self.index.splits().iter().zip(self.split_stackings()) {
            for (ordinal, mask) in split.owner_masks().enumerate() {
                let first_row = split.start + ordinal * split.mask_rows;
                let rows = first_row..first_row + split.mask_rows;
                let placement = placement_of(&squares, mask, occupied);
                if placement.must_capture() {
                    captures.push(rows);
                    let others = mask ^ all;
                    let at = CapturePlacement { placement, others, stackings, first_row };
                    match self.rules.continuation() {
                        Continuation::Unlimited => self.look_at_each(&at, results, search),
                        limited => search.look(limited, &self.below, &at, results),
                    }
                    continue;
                }
                match placement.step_count() {
                    0 => rows.for_each(|row| partition.decide_at(start + row, 0)),
                    moves => partition.bytes[start + rows.start..start + rows.end]
                        .fill(codes.open(moves).ok_or(SolveError::TooManyMoves)?),
                }
            }
        }
        search.look_up(&self.below, results)?;
        for row in captures.iter().cloned().flatten() {
            partition.start_capture(start + row, results[row])?;
        }
        Ok(())
    }

    /// Looks at the captures of each stacking by itself. This is the plain way, and the only one
    /// where the stacks decide how far a chain goes. Values of slices below are left to
    /// [`CaptureSearch::look_up`].
    pub fn look_at_each(
        &self,
        at: &CapturePlacement,
        results: &mut [CaptureResults],
        search: &mut CaptureSearch,
    ) {
        let columns = self.index.columns();
        let mask = at.others ^ ((1 << columns) - 1);
        for ((mover, other), row) in at.stackings.pairs().zip(at.first_row..) {
            let position = unfold(at.placement, mask, &mover.spare, &other.spare);
            position.captures(self.rules, |after| {
                let left = after.placement().occupied().len();
                if after.placement().mover.is_empty() {
                    // The other side's last column has been captured.
                    results[row].add_below(MoveScore::of_reply(Value::Loss(0)));
                } else if left == columns {
                    results[row].add_in_slice();
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

impl Partition<'_> {
    /// Writes the starting state of the capture position at `at`.
    fn start_capture(&mut self, at: usize, results: CaptureResults) -> Result<(), SolveError> {
        let codes = self.agenda.codes();
        let open = |moves| codes.open(moves).ok_or(SolveError::TooManyMoves);
        let in_slice = usize::from(results.in_slice());
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
                self.bytes[at] = open(in_slice + 1)?;
                self.update_later(ply - 1, at);
            }
            None => self.bytes[at] = open(in_slice)?,
        }
        Ok(())
    }
}
