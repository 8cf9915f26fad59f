//! Orbits: sets of occupied squares, up to the symmetries of the board.

use super::binomial::{SMALL, binomial, next_subset, small_subset_ordinal, subset_ordinal};
use crate::prefetch::prefetch;
use crate::rules::{Square, SquareSet, Symmetry, SymmetrySet};
use std::sync::OnceLock;

/// All sets of `k` occupied squares, up to the eight symmetries of the board.
///
/// A set and its images under the symmetries make an **orbit**. The one with the smallest bits is the
/// orbit's **representative**, and orbits are numbered in the order of their representatives. To *fold*
/// a set is to find its orbit.
///
/// The list of representatives is made when it is first needed. It has four bytes for each orbit, and
/// there are about an eighth as many orbits as sets: 0.5 MB for eight columns, 2.6 MB for twelve. To
/// fold a set, its eight images are made and the smallest is looked up by binary search. A program
/// that folds a great many sets can have the answers listed first ([`OccupiedSets::tabulate`]), in four
/// bytes for each set: 4.3 MB for eight columns, 7.3 MB for two to eight together.
#[derive(Debug)]
pub struct OccupiedSets {
    columns: usize,
    orbits: usize,
    /// In the order of their bits.
    representatives: OnceLock<Vec<u32>>,
    /// For each set, by its ordinal: the orbit in the upper 24 bits, and in the lower 8 bits the
    /// symmetries that map the set onto the orbit's representative.
    folded: OnceLock<Vec<u32>>,
}

impl OccupiedSets {
    /// The most columns for which sets can be folded.
    pub const MAX_COLUMNS: usize = 12;

    /// The sets of `columns` squares, which all callers share; `None` for 0 or more than
    /// [`OccupiedSets::MAX_COLUMNS`].
    pub fn of(columns: usize) -> Option<&'static OccupiedSets> {
        static SETS: [OnceLock<OccupiedSets>; OccupiedSets::MAX_COLUMNS] =
            [const { OnceLock::new() }; OccupiedSets::MAX_COLUMNS];
        let cell = SETS.get(columns.checked_sub(1)?)?;
        Some(cell.get_or_init(|| OccupiedSets::new(columns)))
    }

    fn new(columns: usize) -> OccupiedSets {
        let orbits = OccupiedSets::orbits_of(columns) as usize;
        let (representatives, folded) = (OnceLock::new(), OnceLock::new());
        OccupiedSets { columns, orbits, representatives, folded }
    }

    #[inline]
    fn representatives(&self) -> &[u32] {
        self.representatives.get_or_init(|| {
            let mut representatives = Vec::with_capacity(self.orbits);
            representatives.extend(sets_of(self.columns).filter(is_least).map(SquareSet::bits));
            representatives
        })
    }

    /// Folds every set once, so that [`OccupiedSets::fold`] only has to look up the answer. Does nothing if
    /// the system refuses the memory.
    #[inline]
    pub fn tabulate(&self) {
        if self.folded.get().is_none() {
            self.fold_all();
        }
    }

    /// As [`OccupiedSets::tabulate`], if the table is small: up to eight columns.
    #[inline]
    pub(crate) fn tabulate_if_small(&self) {
        const SMALL: usize = 8;
        if self.columns <= SMALL {
            self.tabulate();
        }
    }

    #[cold]
    fn fold_all(&self) {
        let sets = binomial(Square::COUNT, self.columns) as usize;
        let (mut folded, mut representatives) = (Vec::new(), Vec::new());
        if folded.try_reserve_exact(sets).is_err()
            || representatives.try_reserve_exact(self.orbits).is_err()
        {
            return;
        }
        self.folded.get_or_init(|| {
            folded.resize(sets, 0);
            // Sets come in the order of their bits, so the first of an orbit is its representative.
            for (ordinal, set) in sets_of(self.columns).enumerate() {
                if folded[ordinal] != 0 {
                    continue;
                }
                let orbit = (representatives.len() as u32) << 8;
                representatives.push(set.bits());
                for g in Symmetry::all() {
                    let image = set_ordinal(g.apply_set(set)) as usize;
                    folded[image] |= orbit | 1 << g.inverse().index();
                }
            }
            // Another thread may have listed the same ones.
            let _ = self.representatives.set(representatives);
            folded
        });
    }

    fn orbit_of(&self, representative: SquareSet) -> usize {
        match self.representatives().binary_search(&representative.bits()) {
            Ok(orbit) => orbit,
            Err(_) => unreachable!("the least image of a set is its representative"),
        }
    }

    /// How many squares the sets have.
    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn orbits(&self) -> usize {
        self.orbits
    }

    pub fn representative(&self, orbit: usize) -> SquareSet {
        SquareSet::from_bits(self.representatives()[orbit])
    }

    /// The orbit of a set, and all symmetries that map the set onto the orbit's representative.
    #[inline]
    pub fn fold(&self, set: SquareSet) -> (usize, SymmetrySet) {
        assert_eq!(set.len(), self.columns);
        match self.folded.get() {
            Some(folded) => {
                let folded = folded[set_ordinal(set) as usize];
                ((folded >> 8) as usize, SymmetrySet::from_bits(folded as u8))
            }
            None => {
                let (least, symmetries) = least_image(set);
                (self.orbit_of(least), symmetries)
            }
        }
    }

    /// Tells the processor that a set will be folded soon.
    #[inline]
    pub fn prefetch(&self, set: SquareSet) {
        if let Some(folded) = self.folded.get() {
            prefetch(&folded[set_ordinal(set) as usize]);
        }
    }

    /// The symmetries that map the orbit's representative onto itself.
    pub fn stabilizer(&self, orbit: usize) -> SymmetrySet {
        SymmetrySet::stabilizer(self.representative(orbit))
    }

    /// How many sets fold onto this orbit.
    pub fn orbit_len(&self, orbit: usize) -> usize {
        Symmetry::COUNT / self.stabilizer(orbit).len()
    }

    /// How many orbits there are for `columns` columns, without listing them.
    pub fn orbits_of(columns: usize) -> u64 {
        OccupiedSets::orbits_by_parity(columns).iter().sum()
    }

    /// How many of the orbits for `columns` columns have ranks that add up to an even number, and how many have
    /// ranks that add up to an odd one.
    pub(crate) const fn orbits_by_parity(columns: usize) -> [u64; 2] {
        ORBITS[columns]
    }

    /// How many bytes of memory the sets of `columns` squares need, tabulated.
    pub fn memory_of(columns: usize) -> u64 {
        4 * (OccupiedSets::orbits_of(columns) + binomial(Square::COUNT, columns))
    }
}

/// For each number of columns, how many orbits have ranks that add up to an even number, and how many have ranks that
/// add up to an odd one. By Burnside's lemma this is the average, over the eight symmetries, of how many such sets a
/// symmetry leaves as they are. No symmetry changes whether the sum of the ranks is even.
const ORBITS: [[u64; 2]; Square::COUNT + 1] = {
    let mut orbits = [[0; 2]; Square::COUNT + 1];
    let mut g = 0;
    while let Some(symmetry) = Symmetry::from_index(g) {
        // The symmetry moves the squares in cycles, and leaves a set as it is when the set is a union of cycles. The
        // numbers of unions grow by one cycle at a time.
        let mut unions = [[0; 2]; Square::COUNT + 1];
        unions[0][0] = 1;
        let mut seen = SquareSet::EMPTY;
        let mut start = 0;
        while let Some(mut square) = Square::from_index(start) {
            let (mut len, mut odd) = (0, 0);
            while !seen.contains(square) {
                seen = seen.with(square);
                len += 1;
                odd ^= square.rank() as usize % 2;
                square = symmetry.apply(square);
            }
            // Without a cycle that begins here, the numbers stay.
            let mut size = Square::COUNT;
            while len > 0 && size >= len {
                unions[size][0] += unions[size - len][odd];
                unions[size][1] += unions[size - len][1 - odd];
                size -= 1;
            }
            start += 1;
        }
        let mut size = 0;
        while size <= Square::COUNT {
            orbits[size][0] += unions[size][0];
            orbits[size][1] += unions[size][1];
            size += 1;
        }
        g += 1;
    }
    let mut size = 0;
    while size <= Square::COUNT {
        orbits[size] =
            [orbits[size][0] / Symmetry::COUNT as u64, orbits[size][1] / Symmetry::COUNT as u64];
        size += 1;
    }
    orbits
};

/// All sets of `columns` squares, in the order of their bits.
fn sets_of(columns: usize) -> impl Iterator<Item = SquareSet> {
    let first: u32 = (1 << columns) - 1;
    std::iter::successors(Some(first), |&bits| Some(next_subset(bits)))
        .take(binomial(Square::COUNT, columns) as usize)
        .map(SquareSet::from_bits)
}

/// Whether no image of a set has smaller bits. Most sets have one among the first that are looked at.
#[inline]
fn is_least(set: &SquareSet) -> bool {
    Symmetry::all().skip(1).all(|g| g.apply_set(*set).bits() >= set.bits())
}

/// The image of a set that has the smallest bits, and the symmetries that map the set onto it.
#[inline]
fn least_image(set: SquareSet) -> (SquareSet, SymmetrySet) {
    // First the least image, then the symmetries that lead to it, without branches.
    let mut images = [0; Symmetry::COUNT];
    let mut least = u32::MAX;
    for (g, image) in Symmetry::all().zip(&mut images) {
        *image = g.apply_set(set).bits();
        least = least.min(*image);
    }
    let symmetries =
        (0..).zip(images).fold(0, |all, (g, image)| all | u8::from(image == least) << g);
    (SquareSet::from_bits(least), SymmetrySet::from_bits(symmetries))
}

/// The ordinal of a set of squares among all sets with the same number of squares: [`subset_ordinal`],
/// looked up in two parts of 13 and 12 squares.
#[inline]
fn set_ordinal(set: SquareSet) -> u32 {
    /// How much the high squares add, for each number of low squares in the set.
    static HIGH_ORDINALS: OnceLock<Vec<[u32; 1 << (Square::COUNT as u32 - SMALL)]>> =
        OnceLock::new();
    let high_ordinals = HIGH_ORDINALS.get_or_init(|| {
        (0..=SMALL)
            .map(|low| {
                std::array::from_fn(|high| {
                    let fill = (1 << low) - 1;
                    (subset_ordinal((high as u32) << SMALL | fill) - subset_ordinal(fill)) as u32
                })
            })
            .collect()
    });
    let low = set.bits() & ((1 << SMALL) - 1);
    small_subset_ordinal(low)
        + high_ordinals[low.count_ones() as usize][(set.bits() >> SMALL) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sets_of_all_orbits_add_up_to_all_sets_whether_they_are_tabulated_or_not() {
        for columns in 1..=6 {
            let sets = OccupiedSets::of(columns).unwrap();
            let total: usize = (0..sets.orbits()).map(|orbit| sets.orbit_len(orbit)).sum();
            assert_eq!(total as u64, binomial(25, columns));
            let listed = OccupiedSets::new(columns);
            assert_eq!(sets.orbits(), listed.representatives().len());
            let tabulated = OccupiedSets::new(columns);
            tabulated.tabulate();
            assert_eq!(tabulated.representatives(), listed.representatives());
        }
    }

    #[test]
    fn folding_maps_onto_the_representative_and_no_other_symmetry_does() {
        let sets = OccupiedSets::of(4).unwrap();
        let folded: Vec<_> = sets_of(4).map(|set| sets.fold(set)).collect();
        sets.tabulate();
        for (set, folded) in sets_of(4).zip(folded) {
            assert_eq!(sets.fold(set), folded, "tabulated as worked out");
            let (orbit, symmetries) = folded;
            for g in Symmetry::all() {
                let onto = g.apply_set(set) == sets.representative(orbit);
                assert_eq!(onto, symmetries.iter().any(|of_set| of_set == g));
            }
        }
    }
}
