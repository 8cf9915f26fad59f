//! Sets of owner masks, a bit for each mask, 64 of them in a word.
//!
//! Which columns stand where is the same for all owner masks of an orbit. So a condition on the owners of
//! some columns is worked out for 64 masks at once.

use crate::rules::{SquareSet, possible_jumps};

/// The set of these owner masks.
pub fn set_of(columns: usize, masks: impl IntoIterator<Item = u32>) -> Vec<u64> {
    let mut words = vec![0; (1usize << columns).div_ceil(64)];
    // Compiled from a plain loop, this is something that valgrind cannot always follow.
    masks.into_iter().for_each(|mask| words[mask as usize / 64] |= 1 << (mask % 64));
    words
}

/// For each of the first six columns, the owner masks of the first word in which the mover commands it.
const LOW: [u64; 6] = [
    0xAAAA_AAAA_AAAA_AAAA,
    0xCCCC_CCCC_CCCC_CCCC,
    0xF0F0_F0F0_F0F0_F0F0,
    0xFF00_FF00_FF00_FF00,
    0xFFFF_0000_FFFF_0000,
    0xFFFF_FFFF_0000_0000,
];

/// Of the 64 owner masks from `64 × word` on, those in which the mover commands `column`.
#[inline]
pub fn masks_owning(column: usize, word: usize) -> u64 {
    match LOW.get(column) {
        Some(&masks) => masks,
        None if word << 6 >> column & 1 != 0 => u64::MAX,
        None => 0,
    }
}

/// Puts into `found` those owner masks of a set in which the mover commands all columns of `own` and the other
/// side all columns of `others`. Returns whether there are any.
#[inline]
pub fn find_with(set: &[u64], own: u32, others: u32, found: &mut Vec<u64>) -> bool {
    let mut any = 0;
    found.clear();
    found.extend(set.iter().enumerate().map(|(word, set)| {
        let masks = set & masks_with(own, others, word);
        any |= masks;
        masks
    }));
    any != 0
}

/// Of the 64 owner masks from `64 × word` on, those in which the mover commands all columns of `own` and
/// the other side all columns of `others`.
#[inline]
fn masks_with(own: u32, others: u32, word: usize) -> u64 {
    let (mut masks, mut own, mut others) = (u64::MAX, own, others);
    while own != 0 {
        masks &= masks_owning(own.trailing_zeros() as usize, word);
        own &= own - 1;
    }
    while others != 0 {
        masks &= !masks_owning(others.trailing_zeros() as usize, word);
        others &= others - 1;
    }
    masks
}

/// Takes out of a set those owner masks under which the mover, on these squares, must capture.
pub fn retain_quiet(occupied: SquareSet, masks: &mut [u64]) {
    for (from, over) in possible_jumps(occupied) {
        let (own, jumped) = (occupied.ordinal_of(from), occupied.ordinal_of(over));
        for (word, masks) in masks.iter_mut().enumerate() {
            *masks &= !(masks_owning(own, word) & !masks_owning(jumped, word));
        }
    }
}

/// The numbers of the bits that are set in a word of a set, rising: its owner masks.
#[inline]
pub fn bits_in(word: usize, bits: u64) -> impl Iterator<Item = u32> {
    let mut rest = bits;
    std::iter::from_fn(move || {
        let number = 64 * word as u32 + rest.trailing_zeros();
        (rest != 0).then(|| {
            rest &= rest - 1;
            number
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_meet_the_conditions_that_they_are_asked_for() {
        for (own, others) in [(0, 0), (0b1, 0b10), (0b1001_0000, 0b10_0000), (0, 0b1_1000_0001)] {
            let mut found = Vec::new();
            for word in 0..8 {
                found.extend(bits_in(word, masks_with(own, others, word)));
            }
            let meets = |mask: &u32| mask & own == own && mask & others == 0;
            let expected: Vec<u32> = (0..1 << 9).filter(meets).collect();
            assert_eq!(found, expected);
            let words = set_of(9, expected.iter().copied());
            assert!((0..).zip(words).all(|(word, bits)| bits == masks_with(own, others, word)));
        }
        for column in 0..9 {
            let alone = |word| masks_owning(column, word) == masks_with(1 << column, 0, word);
            assert!((0..8).all(alone));
        }
    }
}
