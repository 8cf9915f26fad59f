//! Looking ahead from the positions of one slice.
//!
//! [`Lookahead::expected`] is the plain way, position by position. [`Lookahead::grade_orbit`] finds
//! the same for a whole orbit: it finds the moves of a placement of commanders once. For each move it
//! then pairs the stackings before and after it by their ordinals, without making any position.

use super::chain::{ChainInSplit, SplitLists};
use super::columns::{Arrangement, MaskMap, StackingMaps, placement_of};
use super::grade::{self, Grade, GradeTable};
use super::replies::Replies;
use crate::Value;
use crate::index::SliceIndex;
use crate::rules::{Continuation, Placement, RuleSet, SquareSet};
use crate::values::SliceValues;
use std::ops::Range;

/// A slice, with the values that the moves of its positions lead to.
pub struct Lookahead<'a> {
    rules: RuleSet,
    pub index: SliceIndex,
    values: &'a SliceValues,
    /// The grade for each code of the slice's own values.
    stored: GradeTable,
    replies: Replies<'a>,
    splits: Vec<SplitLists>,
}

/// Which positions of an orbit are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All of them.
    All,
    /// The quiet positions.
    Quiet,
    /// The capture positions.
    Captures,
    /// None of them.
    None,
}

impl Selection {
    fn includes(self, must_capture: bool) -> bool {
        match self {
            Selection::All => true,
            Selection::Quiet => !must_capture,
            Selection::Captures => must_capture,
            Selection::None => false,
        }
    }
}

/// What a thread keeps from orbit to orbit.
pub struct Workspace<'a> {
    /// The grades of the last orbit, by row.
    pub grades: Vec<Grade>,
    steps: Vec<OrbitStep<'a>>,
    maps: StackingMaps,
    /// For each of the other side's stackings in a class: its ordinal, and what it adds to the offset
    /// after a capture.
    others_after: Vec<(usize, usize)>,
}

/// A quiet move of one column of an orbit, for the owner masks under which the mover commands that
/// column and need not capture.
struct OrbitStep<'a> {
    column: usize,
    masks: MaskMap,
    /// Where the ordinals of its arrangement start in the maps.
    maps: usize,
    target: &'a [u8],
}

impl<'a> Lookahead<'a> {
    /// The positions that `index` numbers, with their stored values and those of the positions
    /// that their moves lead to.
    pub fn new(
        rules: RuleSet,
        index: SliceIndex,
        values: &'a SliceValues,
        replies: Replies<'a>,
    ) -> Lookahead<'a> {
        let splits = SplitLists::of(&index, &replies.of(index.columns()).index);
        let stored = grade::table(values, grade::of_position);
        Lookahead { rules, index, values, stored, replies, splits }
    }

    /// The workspace of a thread.
    pub fn workspace(&self) -> Workspace<'a> {
        let spare = |lists: &SplitLists| lists.split.mover_spare.max(lists.split.other_spare);
        let max_spare = self.splits.iter().map(spare).max().unwrap_or(0);
        Workspace {
            grades: Vec::new(),
            steps: Vec::new(),
            maps: StackingMaps::new(self.index.columns(), max_spare),
            others_after: Vec::new(),
        }
    }

    /// The value that a position must have, given the values of its successors.
    pub fn expected(&self, number: u64) -> Value {
        let position = self.index.position(number);
        let placement = position.placement();
        let mut best = None;
        if placement.must_capture() {
            position.captures(self.rules, |after| {
                best = best.max(Some(self.replies.value(after).before_move()));
            });
        } else {
            for step in placement.steps() {
                let after = position.after_step(step);
                best = best.max(Some(self.replies.value(&after).before_move()));
            }
        }
        best.unwrap_or(Value::Loss(0))
    }

    /// Calls `visit` with the number, the stored value and the expected value of each selected position
    /// of `orbit` for which the two values differ.
    pub fn differences(
        &self,
        orbit: usize,
        selection: Selection,
        work: &mut Workspace<'a>,
        mut visit: impl FnMut(u64, Value, Value),
    ) {
        self.grade_orbit(orbit, selection, work);
        let first = orbit as u64 * self.index.rows() as u64;
        let codes = self.values.codes(first, self.index.rows());
        let mut compare = |range: Range<usize>| {
            for (offset, (&code, &grade)) in
                range.clone().zip(codes[range.clone()].iter().zip(&work.grades[range]))
            {
                if grade == self.stored[usize::from(code)] && grade != grade::LATE {
                    continue;
                }
                let number = first + offset as u64;
                let stored = self.values.value(number);
                let expected = grade::value(grade).unwrap_or_else(|| self.expected(number));
                if stored != expected {
                    visit(number, stored, expected);
                }
            }
        };
        if selection == Selection::All {
            compare(0..codes.len());
        } else {
            self.selected_rows(orbit, selection).for_each(compare);
        }
    }

    /// The value of a position with this grade, which [`Lookahead::grade_orbit`] gave it; `None` if it
    /// depends on values that are not known yet.
    pub fn value(&self, number: u64, grade: Grade) -> Option<Value> {
        match grade {
            grade::UNKNOWN => None,
            grade => Some(grade::value(grade).unwrap_or_else(|| self.expected(number))),
        }
    }

    /// The rows of the selected positions of an orbit: a range for each owner mask.
    pub fn selected_rows(
        &self,
        orbit: usize,
        selection: Selection,
    ) -> impl Iterator<Item = Range<usize>> + '_ {
        let occupied = self.index.sets().representative(orbit);
        self.splits.iter().flat_map(move |lists| {
            let split = &lists.split;
            lists.masks.iter().enumerate().filter_map(move |(ordinal, &mask)| {
                let must_capture = placement_of(mask, occupied).must_capture();
                selection.includes(must_capture).then_some(())?;
                let start = split.start + ordinal * split.mask_rows;
                Some(start..start + split.mask_rows)
            })
        })
    }

    /// Writes the grade of the best move of each selected position of `orbit`.
    pub fn grade_orbit(&self, orbit: usize, selection: Selection, work: &mut Workspace<'a>) {
        let occupied = self.index.sets().representative(orbit);
        self.find_steps(occupied, work);
        work.grades.clear();
        work.grades.resize(self.index.rows(), grade::NO_MOVE);
        let Workspace { grades, steps, maps, others_after } = work;
        for lists in &self.splits {
            let split = &lists.split;
            let grades = &mut grades[split.start..split.start + split.len()];
            for (ordinal, (&mask, grades)) in
                lists.masks.iter().zip(grades.chunks_exact_mut(split.mask_rows)).enumerate()
            {
                let placement = placement_of(mask, occupied);
                let must_capture = placement.must_capture();
                if !selection.includes(must_capture) {
                    continue;
                }
                if !must_capture {
                    for step in steps.iter().filter(|step| mask >> step.column & 1 != 0) {
                        self.grade_step(step, lists, mask, maps, grades);
                    }
                } else if self.rules.continuation() == Continuation::Unlimited {
                    // How far a capture goes depends on the stacks.
                    let row = split.start + ordinal * split.mask_rows;
                    self.grade_one_by_one((orbit * self.index.rows() + row) as u64, grades);
                } else {
                    placement.chains(self.rules.continuation(), |chain| {
                        let chain = ChainInSplit::new(chain, lists, mask, occupied);
                        self.grade_chain(&chain, others_after, grades);
                    });
                }
            }
        }
    }

    /// Grades capture positions one by one, from number `first` on.
    fn grade_one_by_one(&self, first: u64, grades: &mut [Grade]) {
        for (number, grade) in (first..).zip(grades) {
            self.index.position(number).captures(self.rules, |after| {
                *grade = (*grade).min(self.replies.grade_of_move_to(after));
            });
        }
    }

    /// Finds the quiet moves of all columns of an orbit.
    fn find_steps(&self, occupied: SquareSet, work: &mut Workspace<'a>) {
        let reply = self.replies.of(self.index.columns());
        work.steps.clear();
        for step in (Placement { mover: occupied, other: SquareSet::EMPTY }).steps() {
            let column = occupied.ordinal_of(step.from);
            let (target, arrangement) =
                Arrangement::after(occupied, column, step.to, 0, reply.index.sets());
            work.steps.push(OrbitStep {
                column,
                masks: arrangement.mask_map(),
                maps: work.maps.of(&arrangement),
                target: reply.orbit(target),
            });
        }
    }

    /// Grades a quiet move in all stackings under an owner mask.
    fn grade_step(
        &self,
        step: &OrbitStep,
        lists: &SplitLists,
        mask: u32,
        maps: &StackingMaps,
        grades: &mut [Grade],
    ) {
        let SplitLists { split, reply, .. } = lists;
        let slice = self.replies.of(self.index.columns());
        let others = mask ^ ((1u32 << self.index.columns()) - 1);
        let start = slice.mask_start(step.masks.image(others));
        let codes = &step.target[start..start + grades.len()];
        // The side that moved is then the other side.
        let row = reply.mover_rows;
        let movers = maps.ordinals(step.maps, split.mover_spare);
        let others = maps.ordinals(step.maps, split.other_spare);
        for (grades, &mover) in grades.chunks_exact_mut(others.len()).zip(movers) {
            for (grade, &other) in grades.iter_mut().zip(others) {
                let code = codes[usize::from(other) * row + usize::from(mover)];
                *grade = (*grade).min(slice.grades[usize::from(code)]);
            }
        }
    }

    /// Grades a capture in all stackings under an owner mask.
    fn grade_chain(
        &self,
        chain: &ChainInSplit,
        others_after: &mut Vec<(usize, usize)>,
        grades: &mut [Grade],
    ) {
        let other_count = chain.lists.other_count();
        for class in chain.classes() {
            if chain.left(class) == 0 {
                // The capture removes the other side's last columns.
                let wins = grade::of_move_to(Value::Loss(0));
                for mover in chain.movers(class) {
                    for other in chain.others(class) {
                        grades[mover * other_count + other] = wins;
                    }
                }
                continue;
            }
            let reply = self.replies.of(self.index.columns() - class.lost_columns());
            let landing = chain.landing(class, &reply.index);
            let start = reply.mask_start(landing.owner_mask);
            let codes = &reply.orbit(landing.orbit)[start..start + landing.split.mask_rows];
            others_after.clear();
            others_after.extend(chain.others_after(class, &landing));
            for (mover, mover_after) in chain.movers_after(class, &landing) {
                let grades = &mut grades[mover * other_count..][..other_count];
                for &(other, other_after) in &*others_after {
                    let code = codes[other_after + mover_after];
                    let grade = &mut grades[other];
                    *grade = (*grade).min(reply.grades[usize::from(code)]);
                }
            }
        }
    }
}
