//! Whether all sequences of captures end.
//!
//! A capture under which no column vanishes leads to a position of as many columns. So a sequence of
//! captures, the sides taking turns, can come back to a position that it has passed. The value of
//! such a position does not follow from the values after its captures.
//!
//! Whether there is such a sequence is found by crossing off. At first, all positions are **open**. One is
//! crossed off if none of its captures leads to an open capture position of as many columns. If all are crossed
//! off in the end, every sequence of captures ends.
//!
//! Most captures lead to a quiet position or lose a column. Whether one does is the same for all
//! stackings with the same [fate](super::chain) of the jumped columns, so these positions are not looked at
//! one by one.
//!
//! This takes long, so it was done once, and [`captures_end`](super::captures_end) tells what came out. Tests do it
//! again: a fast one for few counters, and slow ones for all that is listed, in which
//! `cargo test --release --lib -- --ignored --nocapture sequences` names each material.

use super::chain::{Fate, Landing, OrbitChain, Pairs};
use super::chains::{Passed, each_chain};
use super::{PROVED, captures_end};
use crate::index::owner_masks::find_with;
use crate::index::{Material, OrbitColumns, SliceIndex, SliceLists, subsets};
use crate::portable::AtomicU64;
use crate::rules::{Color, OfficerPosition, Placement, RuleSet};
use crate::testing::endless_captures;
use rayon::prelude::*;
use std::ops::RangeInclusive;
use std::sync::atomic::Ordering;

/// Whether every sequence of captures from positions of this many columns, the sides taking turns,
/// comes to a quiet position, loses a column or ends the game. This takes a bit of memory for each position.
fn capture_sequences_end(material: Material, rules: RuleSet, columns: usize) -> bool {
    let side = |&color: &Color| CrossingOff::new(material, rules, color, columns);
    let sides: Vec<CrossingOff> = material.stored_sides().iter().map(side).collect();
    let open: Vec<Bits> = sides.iter().map(|side| Bits::all(side.index.positions())).collect();
    let turn = || {
        let mut crossed_off = false;
        for (at, side) in sides.iter().enumerate() {
            // Where one side to move is stored, positions are crossed off while others are looked at.
            // Whoever then sees a position as open is looked at again in the next turn.
            let replies = &open[(at + 1) % sides.len()];
            crossed_off |= side.cross_off(&open[at], replies);
        }
        crossed_off
    };
    while turn() {}
    open.iter().all(Bits::is_empty)
}

/// A bit for each position of a slice.
struct Bits(Vec<AtomicU64>);

impl Bits {
    /// The bits of so many positions are set.
    fn all(positions: u64) -> Bits {
        let word = |word: u64| u64::MAX >> (64 * (word + 1)).saturating_sub(positions);
        Bits((0..positions.div_ceil(64)).map(|number| AtomicU64::new(word(number))).collect())
    }

    fn get(&self, number: u64) -> bool {
        self.0[(number / 64) as usize].load(Ordering::Relaxed) >> (number % 64) & 1 != 0
    }

    /// From the bit `first` on, clears those that are not kept. Returns whether any of them was set.
    fn keep(&self, mut first: u64, mut kept: &[bool]) -> bool {
        let mut any = false;
        while !kept.is_empty() {
            let bit = first % 64;
            let (of_word, rest) = kept.split_at(kept.len().min(64 - bit as usize));
            let gone =
                of_word.iter().rev().fold(0, |gone, kept| gone << 1 | u64::from(!kept)) << bit;
            any |= self.0[(first / 64) as usize].fetch_and(!gone, Ordering::Relaxed) & gone != 0;
            (first, kept) = (first - bit + 64, rest);
        }
        any
    }

    fn any(&self, first: u64, len: u64) -> bool {
        let words = (first / 64) as usize..((first + len).div_ceil(64)) as usize;
        self.0[words].iter().any(|word| word.load(Ordering::Relaxed) != 0)
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|word| word.load(Ordering::Relaxed) == 0)
    }
}

/// A slice whose positions are crossed off.
struct CrossingOff {
    rules: RuleSet,
    index: SliceIndex,
    reply: SliceIndex,
    lists: SliceLists,
}

impl CrossingOff {
    fn new(material: Material, rules: RuleSet, color: Color, columns: usize) -> CrossingOff {
        let index = material.slice(color, columns);
        let reply = index.for_other_side();
        let lists = SliceLists::new(&index);
        CrossingOff { rules, index, reply, lists }
    }

    /// Crosses off the open positions whose captures lead to no open capture position of as many columns.
    /// Returns whether any was crossed off.
    fn cross_off(&self, open: &Bits, replies: &Bits) -> bool {
        let rows = self.index.rows() as u64;
        let look = |orbit: usize| {
            if !open.any(orbit as u64 * rows, rows) {
                return false;
            }
            let mut still_open = vec![false; rows as usize];
            self.look_at_orbit(orbit, &mut still_open, |target| replies.get(target));
            open.keep(orbit as u64 * rows, &still_open)
        };
        let orbits = (0..self.index.orbits()).into_par_iter().map(look);
        orbits.reduce(|| false, |a, b| a || b)
    }

    /// Marks the positions of an orbit that have a capture to an open capture position of as many
    /// columns.
    fn look_at_orbit(
        &self,
        orbit: usize,
        marked: &mut [bool],
        mut is_open: impl FnMut(u64) -> bool,
    ) {
        let columns = OrbitColumns::of(self.index.sets().representative(orbit));
        let (mut passed, mut movable, mut pairs) =
            (Passed::default(), Vec::new(), Pairs::default());
        each_chain(self.rules, &columns, &self.lists, &mut passed, |chain, own, open| {
            if !find_with(&self.lists.masks, own, chain.jumped, &mut movable) {
                return;
            }
            let landing = chain.landing(0, &columns, &self.reply);
            let kept = subsets(chain.jumped).map(|bare| Fate { bare, gone: 0 });
            for fate in kept.filter(|fate| open & !fate.bare == 0) {
                self.look_at_chain(&chain, fate, &landing, &movable, &mut pairs, |row, target| {
                    marked[row] = marked[row] || is_open(target);
                });
            }
        });
    }

    /// Calls `visit` for each position of an orbit that comes by a chain, under one of the owner masks
    /// `movable` and with this fate of the jumped columns, to a capture position: its row, and the number
    /// of the position that it comes to. No column vanishes.
    fn look_at_chain(
        &self,
        chain: &OrbitChain,
        fate: Fate,
        landing: &Landing,
        movable: &[u64],
        pairs: &mut Pairs,
        mut visit: impl FnMut(usize, u64),
    ) {
        let all = (1 << self.index.columns()) - 1;
        let representative = self.reply.sets().representative(landing.orbit);
        for lists in &self.lists.splits {
            if !chain.has_stackings(fate, &lists.split) || !lists.has_any(movable) {
                continue;
            }
            let others = self.index.columns() - lists.split.mover_columns;
            let left = others - fate.bare.count_ones() as usize;
            if left == 0 {
                // The other side has lost.
                continue;
            }
            let split = self.reply.split(left);
            chain.pair(fate, lists, landing, split, pairs);
            for mask in lists.masks_in(movable) {
                let mask_after = landing.arrangement.image_of_mask(all ^ mask ^ fate.bare);
                if !Placement::with_owners(representative, mask_after).must_capture() {
                    continue;
                }
                let row = self.lists.first_row(mask);
                let target = landing.orbit * self.reply.rows() + split.mask_start(mask_after);
                for pair in &pairs.all {
                    visit(row + pair.before as usize, (target + pair.after as usize) as u64);
                }
            }
        }
    }
}

/// Searches all materials of `totals` counters, with at most so many columns, for a sequence of captures that does
/// not end.
fn prove(rules: RuleSet, totals: RangeInclusive<usize>, most_columns: usize) {
    for material in totals.flat_map(Material::with_total) {
        for columns in material.columns().filter(|&columns| columns <= most_columns) {
            let ends = capture_sequences_end(material, rules, columns);
            assert!(ends, "{rules} {material} {columns}");
            assert!(captures_end(material, columns, rules));
        }
        println!("{rules} {material}, up to {most_columns} columns: all sequences of captures end");
    }
}

#[test]
fn sequences_of_captures_with_few_counters_end_as_listed() {
    for rules in RuleSet::ALL {
        prove(rules, 2..=6, usize::MAX);
    }
}

/// The same for all the others that are listed for a rule set: one test each, as all together take long.
fn prove_the_rest(rules: RuleSet) {
    for (_, columns, counters) in PROVED.into_iter().filter(|&(listed, ..)| listed == rules) {
        prove(rules, 7..=counters, columns);
    }
}

#[test]
#[ignore = "slow: looks at all positions of the largest materials listed"]
fn all_sequences_of_captures_that_are_listed_end_under_lasca() {
    prove_the_rest(RuleSet::Lasca);
}

#[test]
#[ignore = "slow: looks at all positions of the largest materials listed"]
fn all_sequences_of_captures_that_are_listed_end_under_bignor() {
    prove_the_rest(RuleSet::Bignor);
}

#[test]
#[ignore = "slow: looks at all positions of the largest materials listed"]
fn all_sequences_of_captures_that_are_listed_end_under_rejump() {
    prove_the_rest(RuleSet::Rejump);
}

#[test]
fn captures_can_go_in_a_circle() {
    let circles = endless_captures();
    assert_eq!(circles.iter().map(|(_, passed)| passed.len()).collect::<Vec<_>>(), [37, 41]);
    for (rules, passed) in circles {
        assert_eq!(passed.first(), passed.last());
        let officers: Vec<OfficerPosition> =
            passed.iter().map(|position| position.try_into().unwrap()).collect();
        for (before, after) in officers.iter().zip(&officers[1..]) {
            let mut leads_there = false;
            before.captures(rules, |found| leads_there |= found == after);
            assert!(leads_there && after.placement().occupied().len() == 4, "{before:?}");
        }
        assert!(!captures_end(Material::of(&passed[0]).unwrap(), 4, rules));
    }
}

#[test]
#[ignore = "slow: crosses off materials with many counters"]
fn what_is_not_listed_for_four_columns_has_endless_captures() {
    for (rules, text) in [(RuleSet::Lasca, "8-7"), (RuleSet::Bignor, "6-5")] {
        let material: Material = text.parse().unwrap();
        assert!(!captures_end(material, 4, rules));
        assert!(!capture_sequences_end(material, rules, 4), "{rules} {text}");
    }
}

/// No material that a fast test can go through has endless captures, so the two halves of the search
/// are tested apart: which positions lead to which, and what is crossed off.
#[test]
fn the_positions_that_stay_open_at_first_are_those_with_a_capture_to_a_capture_position() {
    for rules in RuleSet::ALL {
        let mut any = 0;
        for (text, columns) in [("2-2", 3), ("3-2", 3), ("3-2", 4), ("3-3", 2), ("4-2", 3)] {
            let material: Material = text.parse().unwrap();
            for &color in material.stored_sides() {
                let side = CrossingOff::new(material, rules, color, columns);
                let (open, replies) = (bits_of(&side.index), bits_of(&side.reply));
                side.cross_off(&open, &replies);
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
        let side = CrossingOff::new("3-2".parse().unwrap(), rules, Color::White, 3);
        let (open, replies) = (bits_of(&side.index), bits_of(&side.reply));
        side.cross_off(&open, &replies);
        let before: Vec<u64> =
            (0..side.index.positions()).filter(|&number| open.get(number)).collect();
        // As if some of the replies were never crossed off.
        let stays = |number: u64| number.is_multiple_of(3);
        replies.keep(0, &Vec::from_iter((0..side.reply.positions()).map(stays)));
        let crossed_off = side.cross_off(&open, &replies);
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
    Bits::all(index.positions())
}

/// The capture positions of as many columns that captures lead to.
fn captures_after(side: &CrossingOff, number: u64) -> Vec<u64> {
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
