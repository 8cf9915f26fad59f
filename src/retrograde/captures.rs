//! Looking ahead over the takes of all stackings of a placement at once.
//!
//! Unless squares may be jumped again, the placement decides the chains ([`Placement::chains`]);
//! a stacking decides only what is left on the squares jumped. A jumped column that is one bare
//! counter **vanishes**; one that is a single counter over prisoners **changes hands**; any other
//! stays. So for each chain and each set of columns that vanish, one folding of the occupied set
//! and one permutation of the columns serve all stackings, and the ordinal of each colour's stacking
//! is looked up once for each ordinal.

use super::columns::NewPlaces;
use super::kernel::{Below, Outlook, Score, Stacking, Stacks};
use crate::Value;
use crate::index::{LaidOrdinals, OccupiedSets, SliceIndex, columns_on};
use crate::rules::{Chain, Placement, RuleSet, Square, SquareSet};
use crate::values::Window;
use std::io;

/// Memory for looking at takes, used again from placement to placement.
#[derive(Default)]
pub struct Takes {
    chains: Vec<Chain>,
    mover_ordinals: Vec<u32>,
    other_ordinals: Vec<u32>,
    /// For each single jump that empties the square jumped, what does not depend on the owners, and
    /// so is the same for all placements of an orbit; with the turn in which it was worked out.
    single_jumps: Vec<(u32, Folded)>,
    turn: u32,
    /// What is still to be looked up. All of an orbit's values are looked up in one go, so that the
    /// processor can wait for many of them at once.
    lookups: Vec<Lookup>,
    window: Window,
}

/// A take into a slice below.
#[derive(Clone, Copy)]
struct Lookup {
    /// The position's place in its orbit.
    at: u32,
    /// The number of columns of the slice, and of the position that is reached.
    columns: u32,
    number: u64,
}

/// The ordinal stands for a stacking that this chain and set of vanishing columns do not fit.
const NONE: u32 = u32::MAX;
/// The ordinal cannot be looked up for one colour alone, because columns change hands.
const HANDS_CHANGE: u32 = u32::MAX - 1;

impl Takes {
    /// Call before the first placement of an orbit.
    pub fn begin_orbit(&mut self) {
        self.single_jumps.resize(Square::COUNT * Square::COUNT, (0, Folded::default()));
        self.turn += 1;
        self.lookups.clear();
    }

    /// Looks up what takes into slices below lead to. Call after the last placement of an orbit.
    pub fn look_up(&mut self, below: &Below, outlooks: &mut [Outlook]) -> io::Result<()> {
        if below.in_scratch() {
            // Each window of a file is read just once.
            self.lookups.sort_unstable_by_key(|lookup| (lookup.columns, lookup.number));
        }
        let mut columns = 0;
        for lookup in &self.lookups {
            if lookup.columns != columns {
                self.window.clear();
                columns = lookup.columns;
            }
            let slice = below.slice(columns as usize);
            outlooks[lookup.at as usize].add(slice.score(lookup.number, &mut self.window)?);
        }
        Ok(())
    }

    /// Notes that the position `at` has a take to a position of a slice below.
    pub fn look_up_later(&mut self, at: usize, columns: usize, number: u64) {
        self.lookups.push(Lookup { at: at as u32, columns: columns as u32, number });
    }

    /// Adds what the takes of each stacking lead to to its outlook, now or when
    /// [`Takes::look_up`] is called. The positions with this placement start at `first` of a
    /// orbit's `outlooks`; `others` are the columns of the side that is taken from.
    #[allow(clippy::too_many_arguments)]
    pub fn look(
        &mut self,
        rules: RuleSet,
        below: &Below,
        placement: Placement,
        others: u32,
        stacks: &Stacks,
        first: usize,
        outlooks: &mut [Outlook],
    ) {
        let occupied = placement.occupied();
        self.chains.clear();
        placement.chains(rules.continuation(), |chain| self.chains.push(chain));
        for i in 0..self.chains.len() {
            let chain = self.chains[i];
            let jumped = columns_on(chain.jumped, occupied);
            // Stackings in which no jumped column vanishes stay in the slice.
            count_in_slice(jumped, others, stacks, &mut outlooks[first..]);
            let mut vanishing = jumped;
            while vanishing != 0 {
                self.look_below(
                    below, placement, others, chain, jumped, vanishing, stacks, first, outlooks,
                );
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
        others: u32,
        chain: Chain,
        jumped: u32,
        vanishing: u32,
        stacks: &Stacks,
        first: usize,
        outlooks: &mut [Outlook],
    ) {
        // Each column that stays has a counter to spare.
        if (jumped ^ vanishing).count_ones() as usize > stacks.spare {
            return;
        }
        let fits = |stacking: &&Stacking| stacking.bare & vanishing == vanishing;
        if stacks.mover.iter().find(fits).is_none() || stacks.other.iter().find(fits).is_none() {
            return;
        }
        let occupied = placement.occupied();
        let folded = if jumped == vanishing && chain.jumped.len() == 1 {
            let jump = chain.from.index() * Square::COUNT + chain.to.index();
            let (turn, folded) = &mut self.single_jumps[jump];
            if *turn != self.turn {
                (*turn, *folded) = (self.turn, Folded::new(occupied, chain, chain.jumped));
            }
            *folded
        } else {
            let vanish = |square: &Square| vanishing >> occupied.ordinal_of(*square) & 1 != 0;
            Folded::new(occupied, chain, chain.jumped.into_iter().filter(vanish).collect())
        };
        let Some(landing) = Landing::new(below, folded, others, chain, jumped, vanishing) else {
            // The last column of the other side vanishes; the others, if any, change hands.
            let both = stacks.mover.iter().flat_map(|m| stacks.other.iter().map(move |o| (m, o)));
            for ((mover, other), outlook) in both.zip(&mut outlooks[first..]) {
                if mover.bare & other.bare & jumped == vanishing {
                    outlook.add(Score::of_reply(Value::Loss(0)));
                }
            }
            return;
        };
        let staying = jumped & !vanishing;
        self.mover_ordinals.clear();
        self.mover_ordinals.extend(stacks.mover.iter().map(|stacking| {
            if !fits(&stacking) { NONE } else { landing.mover_ordinal(stacking, 0) }
        }));
        self.other_ordinals.clear();
        self.other_ordinals.extend(stacks.other.iter().map(|stacking| {
            if !fits(&stacking) {
                NONE
            } else if stacking.bare & staying != 0 {
                HANDS_CHANGE
            } else {
                landing.other_ordinal(stacking)
            }
        }));
        let columns = stacks.other.len();
        for (m, &mover_ordinal) in self.mover_ordinals.iter().enumerate() {
            if mover_ordinal == NONE {
                continue;
            }
            for (o, &other_ordinal) in self.other_ordinals.iter().enumerate() {
                let (mover, other) = (&stacks.mover[m], &stacks.other[o]);
                if other_ordinal == NONE || mover.bare & other.bare & staying != 0 {
                    continue;
                }
                let at = first + m * columns + o;
                let number = if other_ordinal == HANDS_CHANGE {
                    landing.number_after_change(mover, other)
                } else {
                    Some(landing.number(mover_ordinal, other_ordinal))
                };
                match number {
                    Some(number) => {
                        let columns = landing.folded.left as u32;
                        self.lookups.push(Lookup { at: at as u32, columns, number });
                    }
                    None => outlooks[at].add(Score::of_reply(Value::Loss(0))),
                }
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
                    outlook.add(Score::of_reply(Value::Loss(0)));
                } else {
                    outlook.add_in_slice();
                }
            }
        }
    }
}

/// The set of occupied squares that a chain leads to when certain columns vanish, folded.
#[derive(Clone, Copy, Default)]
struct Folded {
    orbit: usize,
    /// How many columns are left.
    left: usize,
    places: NewPlaces,
    /// The new place of the column that takes.
    taker: usize,
}

impl Folded {
    /// `vanished` are the squares of the columns that vanish.
    fn new(occupied: SquareSet, chain: Chain, vanished: SquareSet) -> Folded {
        let left = occupied.len() - vanished.len();
        let Some(sets) = OccupiedSets::of(left) else {
            unreachable!("the column that takes is left")
        };
        let stay = SquareSet::from_bits(occupied.bits() ^ vanished.bits());
        let (orbit, symmetries) = sets.fold(stay.without(chain.from).with(chain.to));
        let Some(symmetry) = symmetries.into_iter().next() else {
            unreachable!("some symmetry maps a set onto its representative")
        };
        let representative = sets.representative(orbit);
        let places = NewPlaces::new(occupied, chain.from, chain.to, symmetry, representative);
        let taker = places.of(occupied.ordinal_of(chain.from));
        Folded { orbit, left, places, taker }
    }
}

/// Where a chain of a placement leads when certain columns vanish.
struct Landing<'a> {
    index: &'a SliceIndex,
    ordinals: &'static LaidOrdinals,
    folded: Folded,
    /// The number of the first position of the orbit.
    orbit_start: u64,
    /// The other side's columns that are left if none changes hands, as a mask of old places.
    other_columns: u32,
    /// How many counters are taken.
    taken: usize,
    /// The ordinal of the stacking in which the counters taken lie on the column that took them, and
    /// nothing else is laid down.
    taken_ordinal: usize,
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
        folded: Folded,
        others: u32,
        chain: Chain,
        jumped: u32,
        vanishing: u32,
    ) -> Option<Landing<'a>> {
        let other_columns = others & !vanishing;
        if other_columns == 0 {
            return None;
        }
        let below = below.slice(folded.left);
        let split = below.index.split(other_columns.count_ones() as usize);
        let taken = chain.jumped.len();
        let lay = |ordinal, laid| below.ordinals.with_one_more(laid, ordinal, folded.taker);
        let mut landing = Landing {
            index: &below.index,
            ordinals: below.ordinals,
            folded,
            orbit_start: (folded.orbit * below.index.rows()) as u64,
            other_columns,
            taken,
            taken_ordinal: (0..taken).fold(0, lay),
            staying: jumped & !vanishing,
            mask_start: 0,
            row: split.mover_rows as u64,
        };
        landing.mask_start = split.mask_start(folded.places.mask(other_columns)) as u64;
        Some(landing)
    }

    /// Lays a stacking's counters down in their new places, but for one on each of the columns
    /// `lifted`, and returns the ordinal; `laid` counters lie there already, with this ordinal.
    #[inline]
    fn lay(
        &self,
        stacking: &Stacking,
        mut lifted: u32,
        mut laid: usize,
        mut ordinal: usize,
    ) -> u32 {
        for &column in stacking.counters() {
            if lifted >> column & 1 != 0 {
                lifted ^= 1 << column;
                continue;
            }
            let place = self.folded.places.of(usize::from(column));
            ordinal = self.ordinals.with_one_more(laid, ordinal, place);
            laid += 1;
        }
        ordinal as u32
    }

    /// The ordinal of the taker's colour's stacking afterwards. Of each column that has `changed` hands,
    /// a prisoner has become the commander.
    #[inline]
    fn mover_ordinal(&self, stacking: &Stacking, changed: u32) -> u32 {
        self.lay(stacking, changed, 0, 0)
    }

    /// The ordinal of the other colour's stacking afterwards: the taker holds those it took as
    /// prisoners, and on a column that was jumped the next counter has become the commander.
    #[inline]
    fn other_ordinal(&self, stacking: &Stacking) -> u32 {
        self.lay(stacking, self.staying, self.taken, self.taken_ordinal)
    }

    #[inline]
    fn number(&self, mover_ordinal: u32, other_ordinal: u32) -> u64 {
        let offset =
            self.mask_start + u64::from(other_ordinal) * self.row + u64::from(mover_ordinal);
        self.orbit_start + offset
    }

    /// The number where some columns change hands: those that stay and hold one counter of the other
    /// side's over prisoners. `None` if that leaves the other side without a column.
    fn number_after_change(&self, mover: &Stacking, other: &Stacking) -> Option<u64> {
        let changed = self.staying & other.bare;
        let other_columns = self.other_columns & !changed;
        if other_columns == 0 {
            return None;
        }
        let mask = self.folded.places.mask(other_columns);
        let split = self.index.split(other_columns.count_ones() as usize);
        let offset = split.mask_start(mask)
            + self.other_ordinal(other) as usize * split.mover_rows
            + self.mover_ordinal(mover, changed) as usize;
        Some(self.orbit_start + offset as u64)
    }
}
