//! Whether runs of takes come to an end.
//!
//! A take under which no column vanishes leads to a position of as many columns. So a run of takes
//! could come back to a position that it has passed, and a position whose value is to be found by
//! following takes would have none. Whether that happens is found by crossing off: a position in which
//! the side to move must take is **open** as long as one of its takes leads to an open position of as
//! many columns. If all are crossed off in the end, every run of takes ends.
//!
//! Most takes lead to a position in which the other side need not take, or lose a column; whether one
//! does is the same for all stackings of a kind, and those that do are never looked at one by one.

use super::columns::{Arrangement, squares_of, subsets};
use super::side::{Stacks, of_class, written_out_splits};
use crate::index::{Material, SliceIndex, columns_on};
use crate::rules::{Chain, Color, Continuation, OfficerPosition, Placement, RuleSet, SquareSet};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Whether every run of takes among the positions of so many columns, with takes of both sides in
/// turn, comes to a position in which nothing must be taken or that has fewer columns.
///
/// Runs on the threads of the current rayon pool. Takes a bit of memory for each position.
pub fn capture_runs_end(material: Material, rules: RuleSet, columns: usize) -> bool {
    let mut sides: Vec<Side> = Vec::new();
    for &color in material.stored_sides() {
        sides.push(Side::new(material, rules, color, columns));
    }
    let open: Vec<Bits> = sides.iter().map(|side| Bits::new(side.index.positions())).collect();
    let look = |first_time: bool| -> bool {
        let mut crossed_off = false;
        for (at, side) in sides.iter().enumerate() {
            // Where one side to move is stored, positions are crossed off while others are looked at:
            // one that is seen as open too late is looked at again.
            crossed_off |= side.cross_off(&open[at], &open[(at + 1) % sides.len()], first_time);
        }
        crossed_off
    };
    look(true);
    while look(false) {}
    open.iter().all(Bits::is_empty)
}

/// A bit for each position of a slice.
struct Bits(Vec<AtomicU64>);

impl Bits {
    fn new(positions: u64) -> Bits {
        Bits((0..positions.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    fn get(&self, number: u64) -> bool {
        self.0[(number / 64) as usize].load(Ordering::Relaxed) >> (number % 64) & 1 != 0
    }

    fn set(&self, number: u64) {
        self.0[(number / 64) as usize].fetch_or(1 << (number % 64), Ordering::Relaxed);
    }

    fn clear(&self, number: u64) {
        self.0[(number / 64) as usize].fetch_and(!(1 << (number % 64)), Ordering::Relaxed);
    }

    fn any(&self, first: u64, len: u64) -> bool {
        let words = (first / 64) as usize..((first + len).div_ceil(64)) as usize;
        self.0[words].iter().any(|word| word.load(Ordering::Relaxed) != 0)
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|word| word.load(Ordering::Relaxed) == 0)
    }
}

/// One side to move.
struct Side {
    rules: RuleSet,
    index: SliceIndex,
    reply: SliceIndex,
    stacks: Vec<Stacks>,
}

impl Side {
    fn new(material: Material, rules: RuleSet, color: Color, columns: usize) -> Side {
        let index = material.slice(color, columns);
        let reply = index.for_other_side();
        let stacks = written_out_splits(&index, &reply);
        Side { rules, index, reply, stacks }
    }

    /// Looks at all orbits, or at those that have open positions. The first time, opens the positions
    /// that have a take to a position in which the other side must take; later, crosses off those
    /// whose takes lead to no open position. Says whether any was crossed off.
    fn cross_off(&self, open: &Bits, replies: &Bits, first_time: bool) -> bool {
        let rows = self.index.rows() as u64;
        (0..self.index.orbits())
            .into_par_iter()
            .filter(|&orbit| first_time || open.any(orbit as u64 * rows, rows))
            .map(|orbit| {
                let mut still_open = vec![false; rows as usize];
                self.look_at_orbit(orbit, &mut still_open, |target| {
                    first_time || replies.get(target)
                });
                let mut crossed_off = false;
                for (number, still_open) in (orbit as u64 * rows..).zip(still_open) {
                    if first_time {
                        if still_open {
                            open.set(number);
                        }
                    } else if !still_open && open.get(number) {
                        open.clear(number);
                        crossed_off = true;
                    }
                }
                crossed_off
            })
            .reduce(|| false, |a, b| a || b)
    }

    /// Marks the positions of an orbit that have a take to a position of as many columns in which the
    /// other side must take and that is open.
    fn look_at_orbit(
        &self,
        orbit: usize,
        marked: &mut [bool],
        mut is_open: impl FnMut(u64) -> bool,
    ) {
        let occupied = self.index.sets().representative(orbit);
        for stacks in &self.stacks {
            let split = &stacks.split;
            if split.mover_spare + split.other_spare == 0 {
                // Every column that is jumped is a single counter.
                continue;
            }
            for (ordinal, &mask) in stacks.masks.iter().enumerate() {
                let mover = squares_of(mask, occupied);
                let other = SquareSet::from_bits(occupied.bits() ^ mover.bits());
                let placement = Placement { mover, other };
                if !placement.must_capture() {
                    continue;
                }
                let first = split.start + ordinal * split.mask_rows;
                let marked = &mut marked[first..first + split.mask_rows];
                if self.rules.continuation() == Continuation::Unlimited {
                    let first = (orbit * self.index.rows() + first) as u64;
                    for (number, marked) in (first..).zip(marked) {
                        *marked = self.look_at_position(number, &mut is_open);
                    }
                } else {
                    placement.chains(self.rules.continuation(), |chain| {
                        self.look_at_chain(chain, stacks, mask, occupied, marked, &mut is_open);
                    });
                }
            }
        }
    }

    fn look_at_position(&self, number: u64, is_open: &mut impl FnMut(u64) -> bool) -> bool {
        let mut marked = false;
        let position: OfficerPosition = self.index.position(number);
        position.captures(self.rules, |after| {
            let stays = after.placement().occupied().len() == self.index.columns()
                && !after.placement().mover.is_empty()
                && after.placement().must_capture();
            marked |= stays && self.reply.number(after).is_some_and(&mut *is_open);
        });
        marked
    }

    /// As the chains of [`super::side`], for takes under which no column vanishes.
    fn look_at_chain(
        &self,
        chain: Chain,
        stacks: &Stacks,
        mask: u32,
        occupied: SquareSet,
        marked: &mut [bool],
        is_open: &mut impl FnMut(u64) -> bool,
    ) {
        let Stacks { split, mover, other, .. } = stacks;
        let columns = self.index.columns();
        let others = mask ^ ((1u32 << columns) - 1);
        let from = occupied.ordinal_of(chain.from);
        let jumped = columns_on(chain.jumped, occupied);
        // The columns that change hands.
        for changed in subsets(jumped) {
            let stay = jumped ^ changed;
            let left = others ^ changed;
            if left == 0
                || stay.count_ones() as usize > split.other_spare
                || changed.count_ones() as usize > split.mover_spare
            {
                continue;
            }
            let replying = squares_of(left, occupied);
            let moved = occupied.without(chain.from).with(chain.to);
            let taking = SquareSet::from_bits(moved.bits() ^ replying.bits());
            if !(Placement { mover: replying, other: taking }).must_capture() {
                continue;
            }
            let (target, after) =
                Arrangement::after(occupied, from, chain.to, 0, self.reply.sets());
            let to = self.reply.split(left.count_ones() as usize);
            let start = target * self.reply.rows() + to.mask_start(after.image_of_mask(left));
            let row = to.other_stackings.count();
            let taken = jumped.count_ones() as u8;
            let after_others: Vec<(usize, usize)> = of_class(other, jumped, changed)
                .map(|(ordinal, stacking)| {
                    let mut spare = after.image_of_spare(&stacking.spare, 0, stay);
                    spare[after.image(from)] += taken;
                    (ordinal, to.mover_stackings.ordinal(&spare[..columns]) * row)
                })
                .collect();
            for (ordinal, stacking) in of_class(mover, changed, 0) {
                let spare = after.image_of_spare(&stacking.spare, 0, changed);
                let mover_ordinal = to.other_stackings.ordinal(&spare[..columns]);
                for &(other_ordinal, at) in &after_others {
                    let marked = &mut marked[ordinal * other.len() + other_ordinal];
                    *marked = *marked || is_open((start + at + mover_ordinal) as u64);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Follows all runs of takes from every position, and says whether they end.
    fn all_runs_end(material: Material, rules: RuleSet, columns: usize) -> bool {
        fn follow(
            position: &OfficerPosition,
            rules: RuleSet,
            on_the_way: &mut Vec<OfficerPosition>,
            done: &mut HashSet<OfficerPosition>,
        ) -> bool {
            if on_the_way.contains(position) {
                return false;
            }
            if !done.insert(*position) {
                return true;
            }
            on_the_way.push(*position);
            let (mut ends, len) = (true, position.placement().occupied().len());
            position.captures(rules, |after| {
                let stays = after.placement().occupied().len() == len;
                if stays && !after.placement().mover.is_empty() {
                    ends = ends && follow(after, rules, on_the_way, done);
                }
            });
            on_the_way.pop();
            ends
        }
        material.stored_sides().iter().all(|&color| {
            let side = Side::new(material, rules, color, columns);
            let mut done = HashSet::new();
            (0..side.index.positions()).all(|number| {
                follow(&side.index.position(number), rules, &mut Vec::new(), &mut done)
            })
        })
    }

    #[test]
    fn crossing_off_finds_what_following_every_run_finds() {
        for rules in RuleSet::ALL {
            for total in 2..=5 {
                for material in Material::with_total(total) {
                    for columns in material.columns().filter(|&columns| columns <= 4) {
                        let expected = all_runs_end(material, rules, columns);
                        let found = capture_runs_end(material, rules, columns);
                        assert_eq!(found, expected, "{rules} {material} {columns}");
                    }
                }
            }
        }
    }

    /// No material that a test can go through has takes without end, so the two halves of the search
    /// are tested apart: which positions lead to which, and what is crossed off.
    #[test]
    fn the_positions_that_are_open_at_first_are_those_with_a_take_to_a_capture() {
        for rules in RuleSet::ALL {
            let mut any = 0;
            for (text, columns) in [("2-2", 3), ("3-2", 3), ("3-2", 4), ("3-3", 2), ("4-2", 3)] {
                let material: Material = text.parse().unwrap();
                for &color in material.stored_sides() {
                    let side = Side::new(material, rules, color, columns);
                    let (open, replies) = (bits_of(&side.index), bits_of(&side.reply));
                    side.cross_off(&open, &replies, true);
                    for number in 0..side.index.positions() {
                        let expected = !captures_after(&side, number).is_empty();
                        any += u64::from(expected);
                        assert_eq!(open.get(number), expected, "{rules} {text} {number}");
                    }
                }
            }
            assert!(any > 1000, "{rules}");
        }
    }

    #[test]
    fn a_position_stays_open_as_long_as_one_that_it_leads_to_does() {
        for rules in RuleSet::ALL {
            let side = Side::new("3-2".parse().unwrap(), rules, Color::White, 3);
            let (open, replies) = (bits_of(&side.index), bits_of(&side.reply));
            side.cross_off(&open, &replies, true);
            let before: Vec<u64> =
                (0..side.index.positions()).filter(|&number| open.get(number)).collect();
            // As if some of the replies were never crossed off.
            let stays = |number: u64| number.is_multiple_of(3);
            (0..side.reply.positions()).filter(|&n| stays(n)).for_each(|n| replies.set(n));
            let crossed_off = side.cross_off(&open, &replies, false);
            let mut left = 0;
            for &number in &before {
                let expected = captures_after(&side, number).into_iter().any(stays);
                left += usize::from(expected);
                assert_eq!(open.get(number), expected, "{rules} {number}");
            }
            assert!(left > 0 && left < before.len() && crossed_off, "{rules}");
        }
    }

    fn bits_of(index: &SliceIndex) -> Bits {
        Bits::new(index.positions())
    }

    /// The captures of as many columns that takes lead to.
    fn captures_after(side: &Side, number: u64) -> Vec<u64> {
        let mut captures = Vec::new();
        let position = side.index.position(number);
        if !position.placement().must_capture() {
            return captures;
        }
        position.captures(side.rules, |after| {
            let placement = after.placement();
            let stays = placement.occupied().len() == side.index.columns();
            if stays && !placement.mover.is_empty() && placement.must_capture() {
                captures.push(side.reply.number(after).unwrap());
            }
        });
        captures
    }
}
