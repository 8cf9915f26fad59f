//! Looking ahead over the takes of all stackings of a placement at once.
//!
//! Unless squares may be jumped again, the placement decides the chains ([`Placement::chains`]);
//! a stacking decides only what is left on the squares jumped. A jumped column that is one bare
//! counter **vanishes**; one that is a single counter over prisoners **changes hands**; any other
//! stays. So for each chain and each set of columns that vanish, one folding of the occupied set
//! and one permutation of the columns serve all stackings, and the rank of each colour's stacking
//! is looked up once for each rank.

use super::kernel::{Below, Outlook, Stacking, Stacks, columns_of};
use crate::Value;
use crate::index::{OccupiedSets, SliceIndex, Spare};
use crate::rules::{Chain, Placement, RuleSet, SquareSet};

/// Memory for looking at takes, used again from placement to placement.
#[derive(Default)]
pub struct Takes {
    chains: Vec<Chain>,
    mover_ranks: Vec<u32>,
    other_ranks: Vec<u32>,
}

/// The rank stands for a stacking that this chain and set of vanishing columns do not fit.
const NONE: u32 = u32::MAX;
/// The rank cannot be looked up for one colour alone, because columns change hands.
const HANDS_CHANGE: u32 = u32::MAX - 1;

impl Takes {
    /// Adds what the takes of each stacking lead to to its outlook.
    pub fn look(
        &mut self,
        rules: RuleSet,
        below: &Below,
        placement: Placement,
        stacks: &Stacks,
        outlooks: &mut [Outlook],
    ) {
        let occupied = placement.occupied().bits();
        self.chains.clear();
        placement.chains(rules.continuation(), |chain| self.chains.push(chain));
        for i in 0..self.chains.len() {
            let chain = self.chains[i];
            let jumped = columns_of(chain.jumped.bits(), occupied);
            // Stackings in which no jumped column vanishes stay in the slice.
            let others = columns_of(placement.other.bits(), occupied);
            count_in_slice(jumped, others, stacks, outlooks);
            let mut vanishing = jumped;
            while vanishing != 0 {
                self.look_below(below, placement, chain, jumped, vanishing, stacks, outlooks);
                vanishing = (vanishing - 1) & jumped;
            }
        }
    }

    /// Looks at the stackings in which, of the columns `jumped`, just those in `vanishing` vanish.
    #[allow(clippy::too_many_arguments)]
    fn look_below(
        &mut self,
        below: &Below,
        placement: Placement,
        chain: Chain,
        jumped: u32,
        vanishing: u32,
        stacks: &Stacks,
        outlooks: &mut [Outlook],
    ) {
        let fits = |stacking: &&Stacking| stacking.bare & vanishing == vanishing;
        if stacks.mover.iter().find(fits).is_none() || stacks.other.iter().find(fits).is_none() {
            return;
        }
        let Some(landing) = Landing::new(below, placement, chain, jumped, vanishing) else {
            // The last column of the other side vanishes; the others, if any, change hands.
            let both = stacks.mover.iter().flat_map(|m| stacks.other.iter().map(move |o| (m, o)));
            for ((mover, other), outlook) in both.zip(outlooks) {
                if mover.bare & other.bare & jumped == vanishing {
                    outlook.add(Value::Loss(0));
                }
            }
            return;
        };
        let staying = jumped & !vanishing;
        self.mover_ranks.clear();
        self.mover_ranks.extend(stacks.mover.iter().map(|stacking| {
            if !fits(&stacking) { NONE } else { landing.mover_rank(&stacking.spare) }
        }));
        self.other_ranks.clear();
        self.other_ranks.extend(stacks.other.iter().map(|stacking| {
            if !fits(&stacking) {
                NONE
            } else if stacking.bare & staying != 0 {
                HANDS_CHANGE
            } else {
                landing.other_rank(&stacking.spare)
            }
        }));
        let columns = stacks.other.len();
        for (m, &mover_rank) in self.mover_ranks.iter().enumerate() {
            if mover_rank == NONE {
                continue;
            }
            for (o, &other_rank) in self.other_ranks.iter().enumerate() {
                let (mover, other) = (&stacks.mover[m], &stacks.other[o]);
                if other_rank == NONE || mover.bare & other.bare & staying != 0 {
                    continue;
                }
                outlooks[m * columns + o].add(if other_rank == HANDS_CHANGE {
                    landing.value_after_change(mover, other)
                } else {
                    landing.value(mover_rank, other_rank)
                });
            }
        }
    }
}

/// Looks at the stackings in which no jumped column vanishes; `others` are the columns of the side
/// that is taken from.
fn count_in_slice(jumped: u32, others: u32, stacks: &Stacks, outlooks: &mut [Outlook]) {
    for (mover, row) in stacks.mover.iter().zip(outlooks.chunks_exact_mut(stacks.other.len())) {
        let vanishing = mover.bare & jumped;
        for (other, outlook) in stacks.other.iter().zip(row) {
            if other.bare & vanishing == 0 {
                if others & !(other.bare & jumped) == 0 {
                    // All columns of the other side have changed hands.
                    outlook.add(Value::Loss(0));
                } else {
                    outlook.add_in_slice();
                }
            }
        }
    }
}

/// Where a chain leads when certain columns vanish.
struct Landing<'a> {
    index: &'a SliceIndex,
    values: &'a super::SolvedSlice,
    /// The number of the first position of the block.
    block_start: u64,
    /// The columns that are left, each with its new place, in the order of the old.
    places: [(u8, u8); OccupiedSets::MAX_COLUMNS],
    left: usize,
    /// The other side's columns that are left if none changes hands, as a mask of old places.
    other_columns: u32,
    /// The column that takes, as an old place, and how many counters it takes.
    taker: usize,
    taken: u8,
    /// The columns jumped that stay, as a mask of old places.
    staying: u32,
    /// The offset of the positions of this owner mask, and how many share another-side stacking.
    mask_start: u64,
    row: u64,
}

impl<'a> Landing<'a> {
    /// `None` if no column of the other side is left.
    fn new(
        below: &'a Below,
        placement: Placement,
        chain: Chain,
        jumped: u32,
        vanishing: u32,
    ) -> Option<Landing<'a>> {
        let occupied = placement.occupied();
        let other_columns = columns_of(placement.other.bits(), occupied.bits()) & !vanishing;
        if other_columns == 0 {
            return None;
        }
        let taker = (occupied.bits() & ((1 << chain.from.index()) - 1)).count_ones() as usize;
        // The squares of the columns that are left, after the take.
        let mut squares = SquareSet::EMPTY;
        for (column, square) in occupied.into_iter().enumerate() {
            if column != taker && vanishing >> column & 1 == 0 {
                squares.insert(square);
            }
        }
        squares.insert(chain.to);
        let (index, values) = below.slice(squares.len());
        let (block, symmetries) = index.sets().fold(squares);
        let symmetry = symmetries.into_iter().next()?;
        let representative = index.sets().representative(block).bits();

        let mut places = [(0, 0); OccupiedSets::MAX_COLUMNS];
        let (mut left, mut new_mask) = (0, 0);
        for (column, square) in occupied.into_iter().enumerate() {
            if vanishing >> column & 1 != 0 {
                continue;
            }
            let stands = if column == taker { chain.to } else { square };
            let image = symmetry.apply(stands);
            let place = (representative & ((1 << image.index()) - 1)).count_ones();
            places[left] = (column as u8, place as u8);
            left += 1;
            new_mask |= (other_columns >> column & 1) << place;
        }
        let section = index.section(other_columns.count_ones() as usize);
        Some(Landing {
            index,
            values,
            block_start: (block * index.block_len()) as u64,
            places,
            left,
            other_columns,
            taker,
            taken: chain.jumped.len() as u8,
            staying: jumped & !vanishing,
            mask_start: section.mask_start(new_mask) as u64,
            row: section.row as u64,
        })
    }

    fn moved(&self, mut spare_on: impl FnMut(usize) -> u8) -> Spare {
        let mut moved = Spare::default();
        for &(column, place) in &self.places[..self.left] {
            moved[usize::from(place)] = spare_on(usize::from(column));
        }
        moved
    }

    /// The rank of the taker's colour's stacking afterwards, if no column changes hands.
    fn mover_rank(&self, spare: &Spare) -> u32 {
        let section = self.index.section(self.other_columns.count_ones() as usize);
        let moved = self.moved(|column| spare[column]);
        section.other_stackings.rank(&moved[..self.left]) as u32
    }

    /// The rank of the other colour's stacking afterwards, if no column changes hands.
    fn other_rank(&self, spare: &Spare) -> u32 {
        let section = self.index.section(self.other_columns.count_ones() as usize);
        let moved = self.moved(|column| self.other_spare(spare, column));
        section.mover_stackings.rank(&moved[..self.left]) as u32
    }

    /// The other colour's spare counters on a column afterwards: the taker holds those it took as
    /// prisoners, and on a column that was jumped the next counter has become the commander.
    fn other_spare(&self, spare: &Spare, column: usize) -> u8 {
        if column == self.taker {
            spare[column] + self.taken
        } else {
            spare[column].saturating_sub((self.staying >> column & 1) as u8)
        }
    }

    #[inline]
    fn value(&self, mover_rank: u32, other_rank: u32) -> Value {
        let offset = self.mask_start + u64::from(other_rank) * self.row + u64::from(mover_rank);
        self.values.value(self.block_start + offset)
    }

    /// The value where some columns change hands: those that stay and hold one counter of the other
    /// side's over prisoners.
    fn value_after_change(&self, mover: &Stacking, other: &Stacking) -> Value {
        let changed = self.staying & other.bare;
        let other_columns = self.other_columns & !changed;
        if other_columns == 0 {
            return Value::Loss(0);
        }
        let mut mask = 0;
        for &(column, place) in &self.places[..self.left] {
            mask |= (other_columns >> column & 1) << place;
        }
        // A prisoner becomes the commander of each column that changes hands.
        let freed = |column: usize| mover.spare[column] - (changed >> column & 1) as u8;
        let mover = self.moved(freed);
        let other = self.moved(|column| self.other_spare(&other.spare, column));
        let section = self.index.section(other_columns.count_ones() as usize);
        let offset = section.mask_start(mask)
            + section.mover_stackings.rank(&other[..self.left]) * section.row
            + section.other_stackings.rank(&mover[..self.left]);
        self.values.value(self.block_start + offset as u64)
    }
}
