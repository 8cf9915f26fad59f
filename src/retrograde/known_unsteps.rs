//! Which quiet un-moves each placement of a slice has, worked out once.
//!
//! Positions that share a placement share their quiet un-moves, and are decided at many different plies. Where
//! each placement has enough stackings, it pays to keep its quiet un-moves in memory.

use super::unsteps::{QuietMoves, QuietUnsteps};
use crate::index::{OrbitColumns, SliceIndex, Split};
use crate::reserve::reserve_exact;
use rayon::prelude::*;

/// For each orbit and owner mask, the quiet steps that lead back to positions in which the side that moved
/// had no capture: a bit for each step of the orbit, in the order of their slots.
pub struct KnownUnsteps {
    words: Vec<u32>,
    masks: usize,
    /// For each owner mask, its place among all.
    places: Vec<u16>,
}

impl KnownUnsteps {
    /// An orbit with more steps than this is not covered.
    const MAX_STEPS: usize = u32::BITS as usize;
    /// How many stackings each owner mask must have on average.
    const LEAST_STACKINGS: usize = 6;

    /// How many bytes the un-moves of a slice take; 0 if it is not worth while to keep them.
    pub fn bytes(index: &SliceIndex) -> u64 {
        let masks: usize = index.splits().iter().map(|split| split.masks).sum();
        let is_worth_while = index.rows() >= KnownUnsteps::LEAST_STACKINGS * masks;
        if is_worth_while { (index.orbits() * masks * size_of::<u32>()) as u64 } else { 0 }
    }

    /// The un-moves of all placements of a slice; `None` if it is not worth while to keep them, or there is
    /// not enough memory.
    pub fn new(index: &SliceIndex) -> Option<KnownUnsteps> {
        let len = KnownUnsteps::bytes(index) as usize / size_of::<u32>();
        if len == 0 {
            return None;
        }
        let mut words = Vec::new();
        reserve_exact(&mut words, len).ok()?;
        words.resize(len, 0);
        let masks: Vec<u32> = index.splits().iter().flat_map(Split::owner_masks).collect();
        let mut places = vec![0; 1 << index.columns()];
        masks.iter().zip(0..).for_each(|(&mask, place)| places[mask as usize] = place);
        words.par_chunks_mut(len / index.orbits()).enumerate().for_each(|(orbit, words)| {
            let columns = OrbitColumns::of(index.sets().representative(orbit));
            let steps = QuietMoves::steps(index.sets(), orbit);
            if steps.len() > KnownUnsteps::MAX_STEPS {
                return;
            }
            for (word, &mask) in words.iter_mut().zip(&masks) {
                let unsteps = QuietUnsteps::new(columns.placement(mask));
                *word = unsteps.iter().fold(0, |word, step| word | 1 << steps.before(step));
            }
        });
        Some(KnownUnsteps { words, masks: masks.len(), places })
    }

    /// The place of an owner mask.
    #[inline]
    pub fn place(&self, mask: u32) -> usize {
        usize::from(self.places[mask as usize])
    }

    /// The un-moves of an orbit that has so many `steps`: for each owner mask the slots, as bits. `None`
    /// if the orbit is not covered.
    #[inline]
    pub fn of(&self, orbit: usize, steps: usize) -> Option<&[u32]> {
        let words = || &self.words[orbit * self.masks..(orbit + 1) * self.masks];
        (steps <= KnownUnsteps::MAX_STEPS).then(words)
    }
}
