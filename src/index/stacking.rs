//! Stackings: how the spare counters of one side lie on the columns.

use super::{Arrangement, binomial};
use std::sync::OnceLock;

/// All ways to lay `spare` counters of one side on `columns` columns: the weak compositions of `spare`
/// into `columns` parts, in lexicographic order. The one with all counters on the last column comes
/// first and has ordinal 0.
///
/// The ordinal of `x₀ … x₍ₖ₋₁₎` is the sum over `i < k − 1` of
/// `C(rᵢ + k−1−i, k−1−i) − C(rᵢ₊₁ + k−1−i, k−1−i)` where `rᵢ = xᵢ + … + x₍ₖ₋₁₎`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stackings {
    columns: usize,
    /// How many counters are laid: those of the side that are not commanders.
    pub spare: usize,
}

/// A stacking: how many spare counters lie on each column. Columns that do not exist hold 0.
pub type Spare = [u8; super::OccupiedSets::MAX_COLUMNS];

impl Stackings {
    /// The most stackings that a side has in any slice. Their ordinals are kept in 16 bits.
    pub(super) const MOST: u64 = 1 << 16;

    pub fn new(columns: usize, spare: usize) -> Stackings {
        assert!((1..=super::OccupiedSets::MAX_COLUMNS).contains(&columns));
        assert!(spare <= super::Material::MAX_COUNTERS);
        Stackings { columns, spare }
    }

    /// How many stackings there are: `C(spare + columns − 1, columns − 1)`.
    #[inline]
    pub fn count(self) -> usize {
        binomial(self.spare + self.columns - 1, self.columns - 1) as usize
    }

    /// The ordinal of a stacking, from 0. Its counters must add up to the number of spare counters.
    #[inline]
    pub fn ordinal(self, on_columns: &[u8]) -> usize {
        let mut backwards = Backwards::default();
        on_columns[..self.columns].iter().rev().for_each(|&spare| backwards.add(spare.into()));
        debug_assert_eq!(backwards.spare, self.spare);
        backwards.ordinal()
    }

    /// The stacking with this ordinal: the inverse of [`Stackings::ordinal`].
    pub fn nth(self, ordinal: usize) -> Spare {
        assert!(ordinal < self.count());
        let mut stacking = Spare::default();
        let (mut ordinal, mut left) = (ordinal as u64, self.spare);
        for (i, on_column) in stacking.iter_mut().enumerate().take(self.columns - 1) {
            let after = self.columns - 1 - i;
            let first =
                |x: usize| binomial(left + after, after) - binomial(left - x + after, after);
            let mut x = 0;
            while x < left && first(x + 1) <= ordinal {
                x += 1;
            }
            ordinal -= first(x);
            *on_column = x as u8;
            left -= x;
        }
        stacking[self.columns - 1] = left as u8;
        stacking
    }

    /// All stackings in the order of their ordinals.
    pub fn iter(self) -> impl Iterator<Item = Spare> {
        (0..self.count()).map(move |ordinal| self.nth(ordinal))
    }
}

/// Finds the ordinal of a stacking from its columns, the last one first, with one look-up for each.
///
/// With the `rᵢ` of [`Stackings`], the ordinal is `C(r₀ + k, k) − 1` less the sum over all `i` of
/// `C(rᵢ + k−1−i, k−i)`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Backwards {
    columns: usize,
    spare: usize,
    sum: u32,
}

impl Backwards {
    /// Adds the column before those added so far. It holds this many spare counters.
    #[inline]
    pub fn add(&mut self, spare: usize) {
        self.spare += spare;
        self.columns += 1;
        self.sum += BACKWARDS[self.columns][self.spare];
    }

    /// The ordinal of the stacking among all with as many columns and spare counters.
    #[inline]
    pub fn ordinal(self) -> usize {
        (BACKWARDS[self.columns][self.spare + 1] - 1 - self.sum) as usize
    }
}

/// `BACKWARDS[columns][spare]` is `C(spare + columns − 1, columns)`.
static BACKWARDS: [[u32; super::Material::MAX_COUNTERS + 2]; super::OccupiedSets::MAX_COLUMNS + 1] = {
    let mut terms = [[0; super::Material::MAX_COUNTERS + 2]; super::OccupiedSets::MAX_COLUMNS + 1];
    let mut columns = 1;
    while columns < terms.len() {
        let mut spare = 1;
        while spare < terms[columns].len() {
            terms[columns][spare] = binomial(spare + columns - 1, columns) as u32;
            spare += 1;
        }
        columns += 1;
    }
    terms
};

/// Finds the ordinal of a stacking by laying down its counters one after another, in any order, with one
/// look-up and no branch for each.
#[derive(Debug)]
pub(crate) struct LaidOrdinals {
    columns: usize,
    /// Where in `ordinals` the stackings of each number of spare counters start.
    starts: Vec<usize>,
    /// For each stacking and column, the ordinal of the stacking with one more counter there.
    ordinals: Vec<u16>,
}

impl LaidOrdinals {
    /// The ordinals of stackings on `columns` columns, from 1 to [`super::OccupiedSets::MAX_COLUMNS`], for
    /// slices of this many counters, both sides together.
    ///
    /// The lists are shared. There are short ones for up to twelve counters, because those for all
    /// counters of the game are many times as long.
    pub fn of(columns: usize, counters: usize) -> &'static LaidOrdinals {
        const FEW: usize = super::OccupiedSets::MAX_COLUMNS;
        type Lists = [OnceLock<LaidOrdinals>; FEW];
        static ORDINALS: [Lists; 2] = [const { [const { OnceLock::new() }; FEW] }; 2];
        let is_large = counters > FEW;
        let most = if is_large { super::Material::MAX_COUNTERS } else { FEW };
        let list = &ORDINALS[usize::from(is_large)][columns - 1];
        list.get_or_init(|| LaidOrdinals::new(columns, most))
    }

    fn new(columns: usize, most_counters: usize) -> LaidOrdinals {
        let mut ordinals = LaidOrdinals { columns, starts: Vec::new(), ordinals: Vec::new() };
        for spare in 0..most_counters - columns {
            let with_one_more = Stackings::new(columns, spare + 1);
            if with_one_more.count() as u64 > Stackings::MOST {
                break;
            }
            ordinals.starts.push(ordinals.ordinals.len());
            for stacking in Stackings::new(columns, spare).iter() {
                ordinals.ordinals.extend((0..columns).map(|column| {
                    let mut more = stacking;
                    more[column] += 1;
                    with_one_more.ordinal(&more[..columns]) as u16
                }));
            }
        }
        ordinals
    }
}

/// A stacking whose counters are being laid down, in any order.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Laid {
    counters: usize,
    ordinal: usize,
}

impl Laid {
    /// With one more counter on `column`. There must be a slice of so many counters that has the stacking.
    #[inline]
    #[must_use]
    pub fn with(self, column: usize, of: &LaidOrdinals) -> Laid {
        debug_assert!(column < of.columns);
        let place = of.starts[self.counters] + self.ordinal * of.columns + column;
        Laid { counters: self.counters + 1, ordinal: of.ordinals[place].into() }
    }
}

/// A number of counters for each column, in five bits each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ColumnCounts(u64);

impl ColumnCounts {
    pub const NONE: ColumnCounts = ColumnCounts(0);

    /// The number for a column.
    #[inline]
    fn of(self, column: usize) -> usize {
        (self.0 >> (5 * column) & 31) as usize
    }

    /// So many more on a column.
    #[inline]
    #[must_use]
    pub fn more(self, column: usize, counters: usize) -> ColumnCounts {
        ColumnCounts(self.0 + ((counters as u64) << (5 * column)))
    }

    /// What is left without these; `None` if some of them are not there.
    #[inline]
    pub fn without(self, gone: ColumnCounts) -> Option<ColumnCounts> {
        // A bit for the least counter of each column. A column that has too few borrows from the next.
        const LEAST: u64 = 0x0084_2108_4210_8421;
        let rest = self.0.checked_sub(gone.0)?;
        ((rest ^ self.0 ^ gone.0) & LEAST == 0).then_some(ColumnCounts(rest))
    }

    /// The column of each counter, rising.
    #[inline]
    fn each_column(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let column = rest.trailing_zeros() / 5;
            (rest != 0).then(|| {
                rest -= 1 << (5 * column);
                column as usize
            })
        })
    }

    /// The ordinal of the stacking with these counters when its columns stand where `arrangement` says, each
    /// of the columns in `less` has one less, and the counters of `on_top` are added.
    #[inline]
    pub fn ordinal_after(
        self,
        arrangement: &Arrangement,
        ordinals: &LaidOrdinals,
        mut less: u32,
        on_top: Laid,
    ) -> usize {
        let mut laid = on_top;
        for column in self.each_column() {
            if less >> column & 1 != 0 {
                less ^= 1 << column;
                continue;
            }
            laid = laid.with(arrangement.image(column), ordinals);
        }
        laid.ordinal
    }

    /// The number for all columns together.
    #[inline]
    pub fn sum(self) -> usize {
        // As 32 is 1 more than 31, a number and its digits' sum leave the same rest. A side has fewer
        // counters than 31.
        (self.0 % 31) as usize
    }
}

/// A stacking, listed so that code can walk over its counters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListedStacking {
    /// How many counters lie on each column.
    pub counts: ColumnCounts,
    /// The columns that hold any counter, as a mask.
    pub laden: u32,
}

impl ListedStacking {
    /// All stackings of a kind on this many columns, by ordinal.
    pub fn all(stackings: Stackings) -> impl Iterator<Item = ListedStacking> {
        stackings.iter().map(|spare| {
            let counts = spare.iter().enumerate();
            ListedStacking::new(counts.fold(ColumnCounts::NONE, |counts, (column, &count)| {
                counts.more(column, count.into())
            }))
        })
    }

    #[inline]
    fn new(counts: ColumnCounts) -> ListedStacking {
        let laden = (0..super::OccupiedSets::MAX_COLUMNS)
            .fold(0, |laden, column| laden | u32::from(counts.of(column) > 0) << column);
        ListedStacking { counts, laden }
    }

    pub fn spare(&self) -> Spare {
        std::array::from_fn(|column| self.counts.of(column) as u8)
    }

    /// What is left without these counters; `None` if some of them are not there.
    #[inline]
    pub fn without(&self, gone: ColumnCounts) -> Option<ListedStacking> {
        match gone {
            ColumnCounts::NONE => Some(*self),
            gone => self.counts.without(gone).map(ListedStacking::new),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_laid_one_after_another_give_the_ordinal() {
        for (columns, counters) in (1..=12).map(|k| (k, 12)).chain((1..=4).map(|k| (k, 22))) {
            let ordinals = LaidOrdinals::of(columns, counters);
            for spare in 0..=counters - columns {
                for (ordinal, stacking) in Stackings::new(columns, spare).iter().enumerate() {
                    let each =
                        |column: usize| std::iter::repeat_n(column, usize::from(stacking[column]));
                    let up = (0..columns).flat_map(each);
                    let down = (0..columns).rev().flat_map(each);
                    let lay = |laid: Laid, column| laid.with(column, ordinals);
                    let [up, down] = [
                        up.fold(Laid::default(), lay).ordinal,
                        down.fold(Laid::default(), lay).ordinal,
                    ];
                    assert_eq!((up, down), (ordinal, ordinal));
                }
            }
        }
    }

    #[test]
    fn counters_are_taken_away_where_they_are_and_nowhere_else() {
        let counts = |on_columns: &[usize]| {
            let counted = on_columns.iter().enumerate();
            counted.fold(ColumnCounts::NONE, |counts, (column, &more)| counts.more(column, more))
        };
        let stacking = ListedStacking::new(counts(&[0, 3, 20, 0, 1]));
        for gone in [[0, 0, 0, 0, 0], [0, 3, 0, 0, 0], [0, 1, 20, 0, 1]] {
            let rest = stacking.without(counts(&gone)).unwrap();
            let expected =
                std::array::from_fn(|i| stacking.spare()[i] - *gone.get(i).unwrap_or(&0) as u8);
            assert_eq!(rest.spare(), expected);
            assert!((0..12).all(|i| (rest.laden >> i & 1 != 0) == (expected[i] > 0)));
        }
        for missing in [[1, 0, 0, 0, 0], [0, 4, 0, 0, 0], [0, 0, 21, 0, 0], [0, 0, 0, 0, 2]] {
            assert!(stacking.without(counts(&missing)).is_none(), "{missing:?}");
        }
    }
}
