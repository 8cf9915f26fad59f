//! Looking forward from the positions of one slice and side to move.
//!
//! [`Side::expected`] is the plain way, position by position. [`Side::grade_orbit`] does the same
//! for an orbit at a time: which moves there are is worked out once for each placement of
//! commanders, and for each move the stackings before it and after it are paired by ordinal, without
//! any position being made.

use super::columns::{Arrangement, MaskMap, StackingMaps, squares_of, subsets};
use super::grade::{self, Grade, GradeTable};
use super::replies::Replies;
use crate::Value;
use crate::index::{SliceIndex, Spare, Split, Stackings, columns_on};
use crate::rules::{Chain, Continuation, Placement, RuleSet, SquareSet};
use crate::values::SliceValues;
use std::ops::Range;

/// One side to move of the slice being checked.
pub struct Side<'a> {
    rules: RuleSet,
    pub index: SliceIndex,
    values: &'a SliceValues,
    /// The grades that the stored codes amount to.
    stored: GradeTable,
    replies: Replies<'a>,
    splits: Vec<Stacks>,
}

/// A split's owner masks and stackings, written out.
pub struct Stacks {
    pub split: Split,
    pub masks: Vec<u32>,
    pub mover: Vec<Stacking>,
    pub other: Vec<Stacking>,
    /// Where quiet moves lead.
    reply: Split,
}

/// The spare counters of one side on each column.
pub struct Stacking {
    pub spare: Spare,
    /// The columns that hold any, as a mask.
    on: u32,
}

/// Which placements are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placements {
    /// All of them.
    All,
    /// Those in which the side to move need not take.
    Quiet,
    /// Those in which it must.
    Captures,
    /// None of them.
    None,
}

impl Placements {
    fn include(self, takes: bool) -> bool {
        match self {
            Placements::All => true,
            Placements::Quiet => !takes,
            Placements::Captures => takes,
            Placements::None => false,
        }
    }
}

/// What a thread keeps from orbit to orbit.
pub struct Workspace<'a> {
    /// The grades of the orbit last looked at, by offset.
    pub grades: Vec<Grade>,
    steps: Vec<OrbitStep<'a>>,
    maps: StackingMaps,
    /// Which of the other side's stackings become which by a take: the ordinal before, and what the
    /// ordinal after adds to the offset.
    pairs: Vec<(usize, usize)>,
}

/// A quiet move of one column of an orbit, if it is the mover's and nothing must be taken.
struct OrbitStep<'a> {
    column: usize,
    masks: MaskMap,
    /// Where the maps of its permutation start.
    maps: usize,
    target: &'a [u8],
}

fn written_out(stackings: Stackings) -> Vec<Stacking> {
    let with_mask = |spare: Spare| Stacking {
        spare,
        on: spare.iter().enumerate().fold(0, |on, (i, &n)| on | u32::from(n > 0) << i),
    };
    stackings.iter().map(with_mask).collect()
}

/// The splits of `index`, written out; `reply` numbers the positions that quiet moves lead to.
pub fn written_out_splits(index: &SliceIndex, reply: &SliceIndex) -> Vec<Stacks> {
    let stacks = |&split: &Split| Stacks {
        split,
        masks: split.owner_masks().collect(),
        mover: written_out(split.mover_stackings),
        other: written_out(split.other_stackings),
        reply: *reply.split(index.columns() - split.mover_columns),
    };
    index.splits().iter().map(stacks).collect()
}

impl<'a> Side<'a> {
    /// The positions that `index` numbers, with their stored values and those of the positions
    /// that their moves lead to.
    pub fn new(
        rules: RuleSet,
        index: SliceIndex,
        values: &'a SliceValues,
        replies: Replies<'a>,
    ) -> Side<'a> {
        let splits = written_out_splits(&index, &replies.of(index.columns()).index);
        let stored = grade::table(values, grade::of_position);
        Side { rules, index, values, stored, replies, splits }
    }

    /// The workspace of a thread.
    pub fn workspace(&self) -> Workspace<'a> {
        let spare = |stacks: &Stacks| stacks.split.mover_spare.max(stacks.split.other_spare);
        let max_spare = self.splits.iter().map(spare).max().unwrap_or(0);
        Workspace {
            grades: Vec::new(),
            steps: Vec::new(),
            maps: StackingMaps::new(self.index.columns(), max_spare),
            pairs: Vec::new(),
        }
    }

    /// The value that a position must have by the stored values of the positions that its moves
    /// lead to.
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

    /// Calls `visit` with the number, the stored value and the expected one of each position of
    /// `orbit` with a wanted placement for which they differ.
    pub fn differences(
        &self,
        orbit: usize,
        wanted: Placements,
        work: &mut Workspace<'a>,
        mut visit: impl FnMut(u64, Value, Value),
    ) {
        self.grade_orbit(orbit, wanted, work);
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
        if wanted == Placements::All {
            compare(0..codes.len());
        } else {
            self.masks(orbit, wanted).for_each(|(start, len)| compare(start..start + len));
        }
    }

    /// The value of a position whose grade was found by [`Side::grade_orbit`]; `None` if values are
    /// missing.
    pub fn value(&self, number: u64, grade: Grade) -> Option<Value> {
        match grade {
            grade::UNKNOWN => None,
            grade => Some(grade::value(grade).unwrap_or_else(|| self.expected(number))),
        }
    }

    /// The owner masks of these placements in an orbit, each with the offset of its first position and
    /// how many there are.
    pub fn masks(
        &self,
        orbit: usize,
        wanted: Placements,
    ) -> impl Iterator<Item = (usize, usize)> + '_ {
        let occupied = self.index.sets().representative(orbit);
        self.splits.iter().flat_map(move |stacks| {
            let split = &stacks.split;
            stacks.masks.iter().enumerate().filter_map(move |(ordinal, &mask)| {
                let takes = Placement::with_owners(occupied, mask).must_capture();
                wanted.include(takes).then_some(())?;
                Some((split.start + ordinal * split.mask_rows, split.mask_rows))
            })
        })
    }

    /// Writes the grade of the best move of each position of `orbit` that has a wanted placement.
    pub fn grade_orbit(&self, orbit: usize, wanted: Placements, work: &mut Workspace<'a>) {
        let occupied = self.index.sets().representative(orbit);
        let all = (1u32 << self.index.columns()) - 1;
        self.find_steps(occupied, work);
        work.grades.clear();
        work.grades.resize(self.index.rows(), grade::NO_MOVE);
        let Workspace { grades, steps, maps, pairs } = work;
        for stacks in &self.splits {
            let split = &stacks.split;
            let grades = &mut grades[split.start..split.start + split.len()];
            for (ordinal, (&mask, grades)) in
                stacks.masks.iter().zip(grades.chunks_exact_mut(split.mask_rows)).enumerate()
            {
                let mover = squares_of(mask, occupied);
                let other = SquareSet::from_bits(occupied.bits() ^ mover.bits());
                let placement = Placement { mover, other };
                let takes = placement.must_capture();
                if !wanted.include(takes) {
                    continue;
                }
                if !takes {
                    for step in steps.iter().filter(|step| mask >> step.column & 1 != 0) {
                        self.grade_step(step, stacks, mask ^ all, maps, grades);
                    }
                } else if self.rules.continuation() == Continuation::Unlimited {
                    // How far a take goes depends on the stacks.
                    let first = orbit * self.index.rows() + split.start;
                    let first = first + ordinal * split.mask_rows;
                    for (number, grade) in (first as u64..).zip(grades) {
                        self.index.position(number).captures(self.rules, |after| {
                            *grade = (*grade).min(self.replies.grade_of_move_to(after));
                        });
                    }
                } else {
                    placement.chains(self.rules.continuation(), |chain| {
                        self.grade_chain(chain, stacks, mask, occupied, pairs, grades);
                    });
                }
            }
        }
    }

    /// Works out the quiet moves of all columns of an orbit.
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

    fn grade_step(
        &self,
        step: &OrbitStep,
        stacks: &Stacks,
        others: u32,
        maps: &StackingMaps,
        grades: &mut [Grade],
    ) {
        let Stacks { split, reply, .. } = stacks;
        let slice = self.replies.of(self.index.columns());
        let start = slice.mask_start(step.masks.image(others));
        let codes = &step.target[start..start + grades.len()];
        // The side that moved is then the other side.
        let row = reply.other_stackings.count();
        let movers = maps.ordinals(step.maps, split.mover_spare);
        let others = maps.ordinals(step.maps, split.other_spare);
        for (grades, &mover) in grades.chunks_exact_mut(others.len()).zip(movers) {
            for (grade, &other) in grades.iter_mut().zip(others) {
                let code = codes[usize::from(other) * row + usize::from(mover)];
                *grade = (*grade).min(slice.grades[usize::from(code)]);
            }
        }
    }

    /// Grades a take in all stackings of a placement.
    ///
    /// What becomes of a column that is jumped depends on what is under its commander: nothing, and
    /// it is gone; only prisoners, and it changes hands; else it stays the other side's. So the
    /// stackings fall into classes: by the jumped columns on which the other side has no spare
    /// counter, and by those of them on which the mover has none either. In a class the take leads
    /// to one placement, and what it does to the one side's spare counters does not depend on the
    /// other's.
    fn grade_chain(
        &self,
        chain: Chain,
        stacks: &Stacks,
        mask: u32,
        occupied: SquareSet,
        pairs: &mut Vec<(usize, usize)>,
        grades: &mut [Grade],
    ) {
        let Stacks { split, mover, other, .. } = stacks;
        let others = mask ^ ((1u32 << self.index.columns()) - 1);
        let from = occupied.ordinal_of(chain.from);
        let jumped = columns_on(chain.jumped, occupied);
        for bare in subsets(jumped) {
            let stay = jumped ^ bare;
            if stay.count_ones() as usize > split.other_spare {
                continue;
            }
            for gone in subsets(bare) {
                let changed = bare ^ gone;
                if changed.count_ones() as usize > split.mover_spare {
                    continue;
                }
                let movers = of_class(mover, bare, gone);
                let others_before = of_class(other, jumped, bare);
                if others == bare {
                    // The other side's last columns have been taken.
                    let wins = grade::of_move_to(Value::Loss(0));
                    for (ordinal, _) in movers {
                        for (other_ordinal, _) in others_before.clone() {
                            grades[ordinal * other.len() + other_ordinal] = wins;
                        }
                    }
                    continue;
                }

                let columns = self.index.columns() - gone.count_ones() as usize;
                let reply = self.replies.of(columns);
                let (target, after) =
                    Arrangement::after(occupied, from, chain.to, gone, reply.index.sets());
                // The side that moved is then the other side.
                let left = others ^ bare;
                let to = reply.index.split(left.count_ones() as usize);
                let start = reply.mask_start(after.image_of_mask(left));
                let codes = &reply.orbit(target)[start..start + to.mask_rows];
                let row = to.other_stackings.count();
                let taken = jumped.count_ones() as u8;

                pairs.clear();
                for (ordinal, stacking) in others_before {
                    let mut spare = after.image_of_spare(&stacking.spare, gone, stay);
                    spare[after.image(from)] += taken;
                    pairs.push((ordinal, to.mover_stackings.ordinal(&spare[..columns]) * row));
                }
                for (ordinal, stacking) in movers {
                    let spare = after.image_of_spare(&stacking.spare, gone, changed);
                    let mover = to.other_stackings.ordinal(&spare[..columns]);
                    let grades = &mut grades[ordinal * other.len()..][..other.len()];
                    for &(other, start) in &*pairs {
                        let grade = &mut grades[other];
                        *grade = (*grade).min(reply.grades[usize::from(codes[start + mover])]);
                    }
                }
            }
        }
    }
}

/// The stackings, with their ordinals, that have no spare counter on just the columns `without` among
/// `columns`.
pub fn of_class(
    stackings: &[Stacking],
    columns: u32,
    without: u32,
) -> impl Iterator<Item = (usize, &Stacking)> + Clone {
    stackings.iter().enumerate().filter(move |(_, stacking)| columns & !stacking.on == without)
}
