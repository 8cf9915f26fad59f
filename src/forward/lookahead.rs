//! Looking ahead from the positions of one slice.
//!
//! [`Lookahead::expected`] is the plain way, position by position. [`Lookahead::grade_selected`] finds
//! the same for a whole orbit.
//! What a move does to the columns is the same whoever commands those that have no part in it. So each
//! move of the occupied set is looked at once for all owner masks that allow it. What it does to the
//! stackings is found once for all owner masks of a split.

use super::chain::{Fate, Landing, OrbitChain, Pairs};
use super::chains::{Passed, each_chain};
use super::grade::{self, Grade, GradeTable};
use super::replies::{Replies, ReplySlice};
use crate::Value;
use crate::index::owner_masks::find_with;
use crate::index::{
    Arrangement, Laid, ListedStacking, MaskMap, Material, OrbitColumns, SliceIndex, SliceLists,
    SplitLists, subsets,
};
use crate::rules::{Placement, RuleSet, Square, SquareSet};
use crate::values::{ByteCodes, SliceValues};
use std::convert::Infallible;
use std::ops::{ControlFlow, Range};

/// A slice, with the values that the moves of its positions lead to.
pub struct Lookahead<'a> {
    rules: RuleSet,
    /// The numbering of its positions.
    pub index: SliceIndex,
    values: &'a SliceValues,
    /// The grade for each code of the slice's own values.
    stored: GradeTable,
    replies: Replies<'a>,
    lists: SliceLists,
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
}

/// What a thread keeps from orbit to orbit.
#[derive(Default)]
pub struct Workspace {
    /// The grades of the last orbit, by row.
    pub grades: Vec<Grade>,
    /// The owner masks that are selected.
    wanted: Vec<u64>,
    /// The owner masks of the last orbit under which the mover need not capture.
    quiet: Vec<u64>,
    /// The quiet moves of the last orbit.
    steps: Vec<OrbitStep>,
    /// The captures of the last orbit.
    captures: Vec<OrbitCapture>,
    passed: Passed,
    /// The selected owner masks under which a move is there.
    movable: Vec<u64>,
    pairs: Pairs,
}

/// A quiet move of one column of an orbit.
#[derive(Clone, Copy)]
struct OrbitStep {
    column: usize,
    /// The orbit that it leads to, and where the columns are there.
    orbit: usize,
    arrangement: Arrangement,
}

/// A capture by a chain under which certain columns vanish.
#[derive(Clone, Copy)]
struct OrbitCapture {
    chain: OrbitChain,
    /// The columns that the mover commands because the chain starts there or could jump them otherwise.
    own: u32,
    /// The jumped columns that the other side must not keep, because the chain could jump them again.
    open: u32,
    /// The columns that vanish.
    gone: u32,
    /// Where it leads; `None` if only the column that captured is left.
    landing: Option<Landing>,
}

impl<'a> Lookahead<'a> {
    /// The slice of this many columns with the `side`-th [stored side](Material::stored_sides) to move.
    /// `slices[i][j]` holds the values of `j + 2` columns with the `i`-th one.
    pub fn new(
        material: Material,
        rules: RuleSet,
        slices: &'a [Vec<SliceValues>],
        side: usize,
        columns: usize,
    ) -> Lookahead<'a> {
        let color = material.stored_sides()[side];
        // Where only White to move is stored, the replies are White's too, colours exchanged.
        let replying = &slices[(side + 1) % slices.len()];
        let replies = (2..=columns)
            .zip(replying)
            .map(|(columns, values)| (material.slice(color, columns).for_other_side(), values));
        let (index, values) = (material.slice(color, columns), &slices[side][columns - 2]);
        let stored = grade::table(values, grade::of_position);
        let lists = SliceLists::new(&index);
        Lookahead { rules, index, values, stored, replies: Replies::new(replies), lists }
    }

    /// The stored values of the slice.
    pub fn values(&self) -> &'a SliceValues {
        self.values
    }

    /// The value that a position must have, given the values of its successors.
    pub fn expected(&self, number: u64) -> Value {
        let (position, mut best) = (self.index.position(number), Value::Loss(0));
        let _: ControlFlow<Infallible> = position.try_for_each_move(self.rules, |_, after| {
            best = best.max(self.replies.value(after).before_move());
            ControlFlow::Continue(())
        });
        best
    }

    /// Calls `visit` with the number, the stored value and the expected value of each selected position
    /// of `orbit` for which the two values differ.
    pub fn differences(
        &self,
        orbit: usize,
        selection: Selection,
        work: &mut Workspace,
        mut visit: impl FnMut(u64, Value, Value),
    ) {
        self.select(orbit, selection, work);
        self.grade_selected(orbit, work);
        let first = orbit as u64 * self.index.rows() as u64;
        let orbit_bytes = self.values.orbit(orbit, self.index.rows());
        self.each_selected(work, |_, range| {
            for (offset, &grade) in range.clone().zip(&work.grades[range]) {
                let code = orbit_bytes[offset];
                if grade == self.stored[usize::from(code)] && grade != grade::LATE {
                    continue;
                }
                let number = first + offset as u64;
                let stored = self.values.value(number);
                let expected = self.value(number, grade);
                if stored != expected {
                    visit(number, stored, expected);
                }
            }
        });
    }

    /// The value of a position with this grade, which [`Lookahead::grade_selected`] gave it. The values
    /// that its moves lead to must be known.
    pub fn value(&self, number: u64, grade: Grade) -> Value {
        grade::value(grade).unwrap_or_else(|| self.expected(number))
    }

    /// Selects positions of `orbit`.
    pub fn select(&self, orbit: usize, selection: Selection, work: &mut Workspace) {
        let occupied = self.index.sets().representative(orbit);
        let Workspace { wanted, quiet, .. } = work;
        self.lists.find_quiet(occupied, quiet);
        wanted.clear();
        wanted.extend(self.lists.masks.iter().zip(&*quiet).map(|(all, quiet)| match selection {
            Selection::All => *all,
            Selection::Quiet => *quiet,
            Selection::Captures => all & !quiet,
        }));
    }

    /// Selects of the positions that are selected those whose owner mask has a position of unknown
    /// value. `codes` are those of the orbit.
    pub fn select_unknown(&self, codes: &[u8], work: &mut Workspace) {
        let mut open = std::mem::take(&mut work.movable);
        open.clear();
        open.resize(work.wanted.len(), 0);
        self.each_selected(work, |mask, range| {
            if codes[range].contains(&ByteCodes::UNKNOWN) {
                open[mask as usize / 64] |= 1 << (mask % 64);
            }
        });
        work.movable = std::mem::replace(&mut work.wanted, open);
    }

    /// Calls `visit` with each selected owner mask and its rows, rising.
    pub fn each_selected(&self, work: &Workspace, mut visit: impl FnMut(u32, Range<usize>)) {
        for lists in &self.lists.splits {
            for mask in lists.masks_in(&work.wanted) {
                let start = self.lists.first_row(mask);
                visit(mask, start..start + lists.split.mask_rows);
            }
        }
    }

    /// Writes the grade of the best move of each selected position of `orbit`.
    pub fn grade_selected(&self, orbit: usize, work: &mut Workspace) {
        let mut grades = std::mem::take(&mut work.grades);
        grades.clear();
        grades.resize(self.index.rows(), grade::NO_MOVE);
        let occupied = self.index.sets().representative(orbit);
        // All moves are found before the first one is graded, so that the memory that they lead to is on
        // its way.
        work.steps.clear();
        work.captures.clear();
        if work.wanted.iter().zip(&work.quiet).any(|(wanted, quiet)| wanted & quiet != 0) {
            self.find_steps(occupied, work);
        }
        if work.wanted.iter().zip(&work.quiet).any(|(wanted, quiet)| wanted & !quiet != 0) {
            self.find_captures(occupied, work);
        }
        // Moves that the same owner masks allow mostly follow one another.
        let mut last = None;
        for i in 0..work.steps.len() {
            let column = work.steps[i].column;
            if last.replace(column) != Some(column) {
                work.find_steppers(column);
            }
            self.grade_step(i, work, &mut grades);
        }
        let mut last = None;
        for i in 0..work.captures.len() {
            let OrbitCapture { chain, own, .. } = work.captures[i];
            if last.replace((own, chain.jumped)) != Some((own, chain.jumped)) {
                work.find_movable(own, chain.jumped);
            }
            self.grade_capture(i, work, &mut grades);
        }
        work.grades = grades;
    }

    /// Finds the quiet moves of an orbit that some selected positions have.
    fn find_steps(&self, occupied: SquareSet, work: &mut Workspace) {
        let slice = self.replies.of(self.index.columns());
        let (columns, sets) = (OrbitColumns::of(occupied), slice.index.sets());
        let can_step = |&square: &Square| work.find_steppers(columns.on(square));
        let mover = occupied.into_iter().filter(can_step).collect();
        let steps = || (Placement { mover, other: occupied }).steps();
        steps().for_each(|step| {
            sets.prefetch(columns.squares_after(columns.on(step.from), step.to, 0))
        });
        for step in steps() {
            let column = columns.on(step.from);
            let (orbit, arrangement) = columns.after(column, step.to, 0, sets);
            slice.prefetch(orbit);
            work.steps.push(OrbitStep { column, orbit, arrangement });
        }
    }

    /// Grades a quiet move of an orbit, under the owner masks that were found last.
    fn grade_step(&self, step: usize, work: &mut Workspace, grades: &mut [Grade]) {
        let OrbitStep { orbit, arrangement, .. } = work.steps[step];
        let slice = self.replies.of(self.index.columns());
        let ordinals = self.index.laid_ordinals();
        let target = Target { slice, orbit, map: arrangement.mask_map() };
        for lists in &self.lists.splits {
            if !lists.has_any(&work.movable) {
                continue;
            }
            let after = |(ordinal, stacking): (usize, &ListedStacking)| {
                (ordinal, stacking.counts.ordinal_after(&arrangement, ordinals, 0, Laid::default()))
            };
            let movers = lists.mover.iter().enumerate().map(after);
            let others = lists.other.iter().enumerate().map(after);
            let split = slice.index.split(self.index.columns() - lists.split.mover_columns);
            work.pairs.list(lists, movers, others, split);
            self.grade_move(lists, 0, &target, work, grades);
        }
    }

    /// Finds the captures of an orbit that some selected positions have.
    fn find_captures(&self, occupied: SquareSet, work: &mut Workspace) {
        let columns = OrbitColumns::of(occupied);
        let mut passed = std::mem::take(&mut work.passed);
        each_chain(self.rules, &columns, &self.lists, &mut passed, |chain, own, open| {
            self.find_fates(chain, own, open, &columns, work);
        });
        work.passed = passed;
        for capture in &mut work.captures {
            let left = self.index.columns() - capture.gone.count_ones() as usize;
            // If one column is left, it is the one that captured.
            if left > 1 {
                let slice = self.replies.of(left);
                let landing = capture.chain.landing(capture.gone, &columns, &slice.index);
                slice.prefetch(landing.orbit);
                capture.landing = Some(landing);
            }
        }
    }

    /// Finds which columns can vanish under a chain, if some selected positions have it. `own` and `open` are
    /// the sets that come [with it](each_chain). Where it leads is found later.
    fn find_fates(
        &self,
        chain: OrbitChain,
        own: u32,
        open: u32,
        columns: &OrbitColumns,
        work: &mut Workspace,
    ) {
        if !work.find_movable(own, chain.jumped) {
            return;
        }
        let counters = self.index.mover_counters() + self.index.other_counters();
        let spare = counters - self.index.columns();
        let stay = |&stay: &u32| stay.count_ones() as usize <= spare;
        for gone in subsets(chain.jumped).filter(stay).map(|stay| chain.jumped ^ stay) {
            let left = self.index.columns() - gone.count_ones() as usize;
            if left > 1 {
                let squares = columns.squares_after(chain.capturer, chain.to, gone);
                self.replies.of(left).index.sets().prefetch(squares);
            }
            work.captures.push(OrbitCapture { chain, own, open, gone, landing: None });
        }
    }

    /// Grades a capture of an orbit, under the owner masks that were found last.
    fn grade_capture(&self, capture: usize, work: &mut Workspace, grades: &mut [Grade]) {
        let OrbitCapture { chain, open, gone, landing, .. } = work.captures[capture];
        let columns = self.index.columns();
        let destination = landing.as_ref().map(|landing| {
            let slice = self.replies.of(columns - gone.count_ones() as usize);
            let map = landing.arrangement.mask_map();
            (landing, Target { slice, orbit: landing.orbit, map })
        });
        for changed in subsets(chain.jumped ^ gone) {
            let fate = Fate { bare: gone | changed, gone };
            if open & !fate.bare != 0 {
                continue;
            }
            let lost = fate.bare.count_ones() as usize;
            for lists in &self.lists.splits {
                if !chain.has_stackings(fate, &lists.split) || !lists.has_any(&work.movable) {
                    continue;
                }
                let left = columns - lists.split.mover_columns - lost;
                match &destination {
                    Some((landing, target)) if left > 0 => {
                        let split = target.slice.index.split(left);
                        chain.pair(fate, lists, landing, split, &mut work.pairs);
                        self.grade_move(lists, fate.bare, target, work, grades);
                    }
                    _ => self.grade_win(&chain, fate, lists, work, grades),
                }
            }
        }
    }

    /// Grades a move under all owner masks of a split that allow it, in the stackings that were paired. The
    /// columns `lost` are no longer the other side's.
    fn grade_move(
        &self,
        lists: &SplitLists,
        lost: u32,
        target: &Target,
        work: &Workspace,
        grades: &mut [Grade],
    ) {
        let Target { slice, orbit, map } = target;
        let left = ((1u32 << self.index.columns()) - 1) ^ lost;
        let bytes = slice.orbit(*orbit);
        for mask in lists.masks_in(&work.movable) {
            let grades = &mut grades[self.lists.first_row(mask)..];
            let bytes = &bytes[slice.mask_start(map.image(left ^ mask))..];
            for pair in &work.pairs.all {
                let grade = slice.moves[usize::from(bytes[pair.after as usize])];
                let best = &mut grades[pair.before as usize];
                *best = grade.min(*best);
            }
        }
    }

    /// Grades a capture that removes the other side's last columns.
    fn grade_win(
        &self,
        chain: &OrbitChain,
        fate: Fate,
        lists: &SplitLists,
        work: &Workspace,
        grades: &mut [Grade],
    ) {
        for mask in lists.masks_in(&work.movable) {
            let start = self.lists.first_row(mask);
            for (mover, _) in chain.movers(fate, lists) {
                for (other, _) in chain.others(fate, lists) {
                    let best = &mut grades[start + mover * lists.split.mover_rows + other];
                    *best = grade::BEST.min(*best);
                }
            }
        }
    }
}

/// Where a move leads to, whatever the owner mask.
struct Target<'a> {
    slice: &'a ReplySlice<'a>,
    orbit: usize,
    /// Where the columns stand after the move.
    map: MaskMap,
}

impl Workspace {
    /// Finds the selected owner masks under which the mover commands the columns of `own` and the other
    /// side those of `others`. Returns whether there are any.
    #[inline]
    fn find_movable(&mut self, own: u32, others: u32) -> bool {
        find_with(&self.wanted, own, others, &mut self.movable)
    }

    /// Finds the selected owner masks under which a column has a quiet move. Returns whether there are any.
    #[inline]
    fn find_steppers(&mut self, column: usize) -> bool {
        self.find_movable(1 << column, 0);
        self.movable.iter_mut().zip(&self.quiet).for_each(|(movable, quiet)| *movable &= quiet);
        self.movable.iter().any(|&masks| masks != 0)
    }
}
