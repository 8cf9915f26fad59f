//! Small tables that say what becomes of owner masks and stackings.

use super::columns::Arrangement;
use super::mask_map::{MaskMap, SmallMaskMap};
use super::{Laid, ListedStacking, SliceIndex, Stackings, binomial};

/// Small tables that apply each of a list of arrangements under which no column is gone: to owner masks,
/// four columns at a time, and to the ordinals of stackings, for each number of spare counters.
#[derive(Debug)]
pub struct ArrangementMaps {
    /// The maps of owner masks to the new order, by the numbers of the arrangements.
    pub masks: Masks,
    /// For each arrangement the new ordinals: those of stackings of 0 spare counters, then of 1, and so on. That of a
    /// stacking is at its ordinal in the old order plus [`ArrangementMaps::first`] of the arrangement's number and
    /// [`ArrangementMaps::start`] of how many counters it has.
    pub stackings: Vec<u16>,
    /// Where the ordinals for each number of spare counters start.
    starts: Vec<usize>,
    /// How many ordinals there are for each arrangement.
    ordinals_each: usize,
}

/// Maps of owner masks to the new order. They are stored as small as the number of columns
/// allows, because tens of thousands of arrangements are in use at once.
#[derive(Debug)]
pub enum Masks {
    /// Up to eight columns.
    Low(Vec<SmallMaskMap>),
    /// Up to twelve columns.
    High(Vec<MaskMap>),
}

impl ArrangementMaps {
    /// The tables of arrangements of the columns of a slice, for both sides.
    pub fn new(arrangements: &[Arrangement], index: &SliceIndex) -> ArrangementMaps {
        let (columns, laid_ordinals) = (index.columns(), index.laid_ordinals());
        let (mut starts, mut lists) = (vec![0], Vec::new());
        for spare in 0..=index.most_spare() {
            lists.extend(ListedStacking::all(Stackings::new(columns, spare)));
            starts.push(lists.len());
        }
        let maps = arrangements.iter().map(Arrangement::mask_map);
        let masks = match columns {
            0..=8 => Masks::Low(maps.map(|map| map.small()).collect()),
            _ => Masks::High(maps.collect()),
        };
        let mut stackings = Vec::with_capacity(arrangements.len() * lists.len());
        for arrangement in arrangements {
            stackings.extend(lists.iter().map(|stacking| {
                stacking.counts.ordinal_after(arrangement, laid_ordinals, 0, Laid::default()) as u16
            }));
        }
        ArrangementMaps { masks, stackings, starts, ordinals_each: lists.len() }
    }

    /// About how many bytes the tables of this many arrangements of a slice take.
    pub fn memory_of(index: &SliceIndex, arrangements: u64) -> u64 {
        // Each takes two bytes for each stacking of up to as many counters as one side can have to spare,
        // beside itself and its owner masks.
        let columns = index.columns();
        let stackings = binomial(columns + index.most_spare(), columns);
        let masks = if columns <= 8 { 32 } else { 96 };
        arrangements * (16 + masks + 2 * stackings)
    }

    /// Where the stackings of an arrangement begin in [`ArrangementMaps::stackings`].
    #[inline]
    pub fn first(&self, number: usize) -> usize {
        number * self.ordinals_each
    }

    /// Where the stackings of `spare` counters begin among those of an arrangement.
    #[inline]
    pub fn start(&self, spare: usize) -> usize {
        self.starts[spare]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::OrbitColumns;
    use crate::rules::Placement;

    #[test]
    fn owner_masks_and_stackings_are_mapped_column_by_column() {
        for (mover, other, columns) in [(4, 2, 3), (3, 3, 5), (6, 4, 9)] {
            let index = SliceIndex::new(mover, other, columns).unwrap();
            let sets = index.sets();
            let orbit = sets.orbits() / 2;
            let occupied = sets.representative(orbit);
            let steps = Placement { mover: occupied, other: Default::default() }.steps();
            let list: Vec<Arrangement> = steps
                .map(|step| {
                    let of_orbit = OrbitColumns::of(occupied);
                    of_orbit.after(of_orbit.on(step.from), step.to, 0, sets).1
                })
                .collect();
            let maps = ArrangementMaps::new(&list, &index);
            for (number, arrangement) in list.iter().enumerate() {
                for mask in 0..1 << columns {
                    let image = match &maps.masks {
                        Masks::Low(masks) => masks[number].image(mask),
                        Masks::High(masks) => masks[number].image(mask),
                    };
                    assert_eq!(image, arrangement.image_of_mask(mask));
                }
                for split in index.splits() {
                    for stackings in [split.mover_stackings, split.other_stackings] {
                        let start = maps.first(number) + maps.start(stackings.spare);
                        let found = &maps.stackings[start..][..stackings.count()];
                        let found = found.iter().map(|&ordinal| usize::from(ordinal));
                        assert!(found.eq(stackings.iter().map(|stacking| {
                            let mut moved = vec![0; columns];
                            for column in 0..columns {
                                moved[arrangement.image(column)] = stacking[column];
                            }
                            stackings.ordinal(&moved)
                        })));
                    }
                }
            }
        }
    }
}
