//! Stackings: how the spare counters of one colour lie on the columns.

use super::binomial;
use std::sync::OnceLock;

/// All ways to lay `spare` counters of one colour on `columns` columns: the weak compositions of
/// `spare` into `columns` parts, in lexicographic order from the last part up (the composition
/// with everything on the last column has rank 0).
///
/// The rank of `x₀ … x₍ₖ₋₁₎` is the sum over `i < k − 1` of
/// `C(rᵢ + k−1−i, k−1−i) − C(rᵢ₊₁ + k−1−i, k−1−i)` where `rᵢ = xᵢ + … + x₍ₖ₋₁₎`.
///
/// ```
/// use lasca_tablebase::index::Stackings;
/// let stackings = Stackings::new(3, 2);
/// assert_eq!(stackings.count(), 6);
/// assert_eq!(stackings.unrank(0)[..3], [0, 0, 2]);
/// assert_eq!(stackings.rank(&[1, 0, 1]), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stackings {
    columns: usize,
    spare: usize,
}

/// The spare counters on each column; columns that do not exist hold 0.
pub type Spare = [u8; super::OccupiedSets::MAX_COLUMNS];

impl Stackings {
    /// The ways to lay `spare` counters on `columns` columns.
    ///
    /// # Panics
    /// If `columns` is 0 or more than [`super::OccupiedSets::MAX_COLUMNS`], or there are more than
    /// [`super::Material::MAX_COUNTERS`] to spare.
    pub fn new(columns: usize, spare: usize) -> Stackings {
        assert!((1..=super::OccupiedSets::MAX_COLUMNS).contains(&columns));
        assert!(spare <= super::Material::MAX_COUNTERS);
        Stackings { columns, spare }
    }

    /// How many there are: `C(spare + columns − 1, columns − 1)`.
    #[inline]
    pub fn count(self) -> usize {
        binomial(self.spare + self.columns - 1, self.columns - 1) as usize
    }

    /// The rank of a stacking, from 0. The counters named must be as many as there are to spare.
    #[inline]
    pub fn rank(self, on_columns: &[u8]) -> usize {
        debug_assert_eq!(on_columns.iter().map(|&x| usize::from(x)).sum::<usize>(), self.spare);
        let (mut rank, mut left) = (0, self.spare);
        for (i, &x) in on_columns.iter().take(self.columns - 1).enumerate() {
            if left == 0 {
                break;
            }
            let after = self.columns - 1 - i;
            let rest = left - usize::from(x);
            rank += binomial(left + after, after) - binomial(rest + after, after);
            left = rest;
        }
        rank as usize
    }

    /// The stacking with this rank: the inverse of [`Stackings::rank`].
    ///
    /// # Panics
    /// If `rank` is not below [`Stackings::count`].
    pub fn unrank(self, rank: usize) -> Spare {
        assert!(rank < self.count());
        let mut stacking = Spare::default();
        let (mut rank, mut left) = (rank as u64, self.spare);
        for (i, on_column) in stacking.iter_mut().enumerate().take(self.columns - 1) {
            let after = self.columns - 1 - i;
            let first =
                |x: usize| binomial(left + after, after) - binomial(left - x + after, after);
            let mut x = 0;
            while x < left && first(x + 1) <= rank {
                x += 1;
            }
            rank -= first(x);
            *on_column = x as u8;
            left -= x;
        }
        stacking[self.columns - 1] = left as u8;
        stacking
    }

    /// All stackings in the order of their rank.
    pub fn iter(self) -> impl Iterator<Item = Spare> {
        (0..self.count()).map(move |rank| self.unrank(rank))
    }
}

/// The rank of a stacking, found by laying down its counters one after another, in any order: a
/// look-up for each, with nothing to guess for the processor.
#[derive(Debug)]
pub(crate) struct LaidRanks {
    columns: usize,
    /// Where the stackings of each number of spare counters start in `ranks`.
    starts: Vec<usize>,
    /// For each stacking and column, the rank with one more counter there.
    ranks: Vec<u16>,
}

impl LaidRanks {
    /// The ranks of stackings on `columns` columns; `None` for 0 or more than
    /// [`super::OccupiedSets::MAX_COLUMNS`].
    pub fn of(columns: usize) -> Option<&'static LaidRanks> {
        static RANKS: [OnceLock<LaidRanks>; super::OccupiedSets::MAX_COLUMNS] =
            [const { OnceLock::new() }; super::OccupiedSets::MAX_COLUMNS];
        let cell = RANKS.get(columns.checked_sub(1)?)?;
        Some(cell.get_or_init(|| LaidRanks::new(columns)))
    }

    fn new(columns: usize) -> LaidRanks {
        let mut ranks = LaidRanks { columns, starts: Vec::new(), ranks: Vec::new() };
        for spare in 0..super::Material::MAX_COUNTERS - columns {
            ranks.starts.push(ranks.ranks.len());
            let with_one_more = Stackings::new(columns, spare + 1);
            for stacking in Stackings::new(columns, spare).iter() {
                ranks.ranks.extend((0..columns).map(|column| {
                    let mut more = stacking;
                    more[column] += 1;
                    with_one_more.rank(&more[..columns]) as u16
                }));
            }
        }
        ranks
    }

    /// The rank with one more counter on `column` of a stacking of `spare` counters with this rank.
    /// The columns and the counters together must not be more than
    /// [`super::Material::MAX_COUNTERS`].
    #[inline]
    pub fn with_one_more(&self, spare: usize, rank: usize, column: usize) -> usize {
        debug_assert!(column < self.columns);
        usize::from(self.ranks[self.starts[spare] + rank * self.columns + column])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_laid_one_after_another_give_the_rank() {
        for columns in 1..=12 {
            let ranks = LaidRanks::of(columns).unwrap();
            for spare in 0..=12 - columns {
                for (rank, stacking) in Stackings::new(columns, spare).iter().enumerate() {
                    let each =
                        |column: usize| std::iter::repeat_n(column, usize::from(stacking[column]));
                    let up = (0..columns).flat_map(each).enumerate();
                    let down = (0..columns).rev().flat_map(each).enumerate();
                    let lay = |rank, (laid, column)| ranks.with_one_more(laid, rank, column);
                    assert_eq!((up.fold(0, lay), down.fold(0, lay)), (rank, rank));
                }
            }
        }
    }

    #[test]
    fn rank_and_unrank_are_inverse() {
        for columns in 1..=12 {
            for spare in 0..=12 - columns {
                let stackings = Stackings::new(columns, spare);
                for (rank, stacking) in stackings.iter().enumerate() {
                    assert_eq!(stackings.rank(&stacking[..columns]), rank);
                }
            }
        }
    }
}
