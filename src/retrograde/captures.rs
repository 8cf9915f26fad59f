//! Looking ahead over the captures of all stackings of a placement at once.
//!
//! Unless squares may be jumped again, the placement decides the chains ([`Placement::chains`]);
//! a stacking decides only what is left on the squares jumped. A jumped column that is one bare
//! counter **vanishes**; one that is a single counter over prisoners **changes hands**; any other
//! stays. So for each chain and each set of columns that vanish, one folding of the occupied set
//! and one permutation of the columns serve all stackings, and the new ordinal is worked out once
//! for each stacking of a colour, not for each pair.

use super::below::Below;
use super::columns::NewPlaces;
use super::score::MoveScore;
use super::stackings::{ListedStacking, SplitStackings};
use crate::Value;
use crate::index::{LaidOrdinals, OccupiedSets, SliceIndex, columns_on};
use crate::rules::{Chain, Continuation, Placement, Square, SquareSet};
use crate::values::Window;
use std::io;

/// What is known of a position from its captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaptureResults {
    best_below: MoveScore,
    in_slice: u16,
}

impl Default for CaptureResults {
    fn default() -> CaptureResults {
        CaptureResults { best_below: MoveScore::NONE, in_slice: 0 }
    }
}

impl CaptureResults {
    /// Adds a capture that leads to a slice below, or ends the game, with this score.
    #[inline]
    pub fn add_below(&mut self, score: MoveScore) {
        self.best_below = self.best_below.min(score);
    }

    /// Adds a capture that leads to a position of the slice being solved.
    #[inline]
    pub fn add_in_slice(&mut self) {
        self.in_slice += 1;
    }

    /// The value of the best capture whose result is known; `None` if there is no such capture.
    pub fn best_below(self) -> Option<Value> {
        self.best_below.value()
    }

    /// How many captures lead to positions of the slice being solved.
    pub fn in_slice(self) -> u16 {
        self.in_slice
    }
}

/// The positions of an orbit that share one placement, whose captures are looked at together.
pub struct CapturePlacement<'a> {
    /// The placement.
    pub placement: Placement,
    /// The columns of the side that is captured from, as a mask.
    pub others: u32,
    /// The stackings of the positions.
    pub stackings: &'a SplitStackings,
    /// The row of the first position in its orbit.
    pub first_row: usize,
}

/// One chain, with the jumped columns that vanish.
#[derive(Clone, Copy)]
struct ChainCase {
    chain: Chain,
    /// The columns that are jumped, as a mask.
    jumped: u32,
    /// The columns that vanish, some of those jumped, as a mask.
    vanishing: u32,
}

impl ChainCase {
    /// The jumped columns that stay, as a mask.
    #[inline]
    fn staying(self) -> u32 {
        self.jumped & !self.vanishing
    }
}

/// Memory for looking at captures, used again from placement to placement.
#[derive(Default)]
pub struct CaptureSearch {
    chains: Vec<Chain>,
    mover_ordinals: Vec<u32>,
    other_ordinals: Vec<u32>,
    /// For each single jump that empties the square jumped, what does not depend on the owners, and
    /// so is the same for all placements of an orbit; with the turn in which it was worked out.
    single_jumps: Vec<(u32, Folded)>,
    turn: u32,
    /// What is still to be looked up. All values for an orbit are looked up in one go, so that the
    /// processor can wait for many of them at once.
    lookups: Vec<Lookup>,
    window: Window,
}

/// A capture into a slice below.
#[derive(Clone, Copy)]
struct Lookup {
    /// The row of the position that captures.
    row: u32,
    /// The number of columns that are left.
    columns: u32,
    /// The number of the position that is reached.
    number: u64,
}

/// In place of an ordinal: the stacking does not fit this chain and set of vanishing columns.
const NONE: u32 = u32::MAX;
/// In place of an ordinal: it depends on both colours' stackings, because columns change hands.
const HANDS_CHANGE: u32 = u32::MAX - 1;

impl CaptureSearch {
    /// Begins an orbit. Call it before the first placement.
    pub fn begin_orbit(&mut self) {
        self.single_jumps.resize(Square::COUNT * Square::COUNT, (0, Folded::default()));
        self.turn += 1;
        self.lookups.clear();
    }

    /// Looks up what captures into slices below lead to. Call it after the last placement of an
    /// orbit.
    ///
    /// # Errors
    /// If a scratch file cannot be read.
    pub fn look_up(&mut self, below: &Below, results: &mut [CaptureResults]) -> io::Result<()> {
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
            results[lookup.row as usize].add_below(slice.score(lookup.number, &mut self.window)?);
        }
        Ok(())
    }

    /// Notes that the position of a row has a capture to a position of a slice below.
    pub fn look_up_later(&mut self, row: usize, columns: usize, number: u64) {
        self.lookups.push(Lookup { row: row as u32, columns: columns as u32, number });
    }

    /// For each stacking of a placement, adds what its captures lead to to the results of the orbit,
    /// now or when [`CaptureSearch::look_up`] is called.
    pub fn look(
        &mut self,
        continuation: Continuation,
        below: &Below,
        at: &CapturePlacement,
        results: &mut [CaptureResults],
    ) {
        let occupied = at.placement.occupied();
        self.chains.clear();
        at.placement.chains(continuation, |chain| self.chains.push(chain));
        for i in 0..self.chains.len() {
            let chain = self.chains[i];
            let jumped = columns_on(chain.jumped, occupied);
            // Stackings in which no jumped column vanishes stay in the slice.
            count_in_slice(jumped, at, &mut results[at.first_row..]);
            let mut vanishing = jumped;
            while vanishing != 0 {
                self.look_below(below, at, ChainCase { chain, jumped, vanishing }, results);
                vanishing = (vanishing - 1) & jumped;
            }
        }
    }

    /// Looks at the stackings in which, of the jumped columns, exactly those of this case vanish.
    fn look_below(
        &mut self,
        below: &Below,
        at: &CapturePlacement,
        case: ChainCase,
        results: &mut [CaptureResults],
    ) {
        let ChainCase { jumped, vanishing, .. } = case;
        let staying = case.staying();
        let SplitStackings { spare, mover: movers, other: others } = at.stackings;
        // Each column that stays has a counter to spare.
        if staying.count_ones() as usize > *spare {
            return;
        }
        let fits = |stacking: &&ListedStacking| stacking.bare & vanishing == vanishing;
        if movers.iter().find(fits).is_none() || others.iter().find(fits).is_none() {
            return;
        }
        let folded = self.fold(at.placement.occupied(), case);
        let Some(destination) = Destination::new(below, folded, at.others, case) else {
            // The last column of the other side vanishes; the others, if any, change hands.
            for ((mover, other), results) in at.stackings.pairs().zip(&mut results[at.first_row..])
            {
                if mover.bare & other.bare & jumped == vanishing {
                    results.add_below(MoveScore::of_reply(Value::Loss(0)));
                }
            }
            return;
        };
        self.mover_ordinals.clear();
        self.mover_ordinals.extend(movers.iter().map(|stacking| {
            if !fits(&stacking) { NONE } else { destination.mover_ordinal(stacking, 0) }
        }));
        self.other_ordinals.clear();
        self.other_ordinals.extend(others.iter().map(|stacking| {
            if !fits(&stacking) {
                NONE
            } else if stacking.bare & staying != 0 {
                HANDS_CHANGE
            } else {
                destination.other_ordinal(stacking)
            }
        }));
        for (m, &mover_ordinal) in self.mover_ordinals.iter().enumerate() {
            if mover_ordinal == NONE {
                continue;
            }
            for (o, &other_ordinal) in self.other_ordinals.iter().enumerate() {
                let (mover, other) = (&movers[m], &others[o]);
                if other_ordinal == NONE || mover.bare & other.bare & staying != 0 {
                    continue;
                }
                let row = at.first_row + m * others.len() + o;
                let number = if other_ordinal == HANDS_CHANGE {
                    destination.number_after_change(mover, other)
                } else {
                    Some(destination.number(mover_ordinal, other_ordinal))
                };
                match number {
                    Some(number) => {
                        let columns = destination.folded.left as u32;
                        self.lookups.push(Lookup { row: row as u32, columns, number });
                    }
                    None => results[row].add_below(MoveScore::of_reply(Value::Loss(0))),
                }
            }
        }
    }

    /// Folds the set of occupied squares that a case leads to.
    #[inline]
    fn fold(&mut self, occupied: SquareSet, case: ChainCase) -> Folded {
        let ChainCase { chain, jumped, vanishing } = case;
        if jumped == vanishing && chain.jumped.len() == 1 {
            let jump = chain.from.index() * Square::COUNT + chain.to.index();
            let (turn, folded) = &mut self.single_jumps[jump];
            if *turn != self.turn {
                (*turn, *folded) = (self.turn, Folded::new(occupied, chain, chain.jumped));
            }
            *folded
        } else {
            let vanish = |square: &Square| vanishing >> occupied.ordinal_of(*square) & 1 != 0;
            Folded::new(occupied, chain, chain.jumped.into_iter().filter(vanish).collect())
        }
    }
}

/// Counts the captures by one chain of the stackings in which no jumped column vanishes. The
/// results are those from the placement's first row on.
fn count_in_slice(jumped: u32, at: &CapturePlacement, results: &mut [CaptureResults]) {
    let of_mover = results.chunks_exact_mut(at.stackings.other.len());
    for (mover, results) in at.stackings.mover.iter().zip(of_mover) {
        let vanishing = mover.bare & jumped;
        for (other, results) in at.stackings.other.iter().zip(results) {
            if other.bare & vanishing == 0 {
                if at.others & !(other.bare & jumped) == 0 {
                    // All columns of the other side have changed hands.
                    results.add_below(MoveScore::of_reply(Value::Loss(0)));
                } else {
                    results.add_in_slice();
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
    /// The new place of the column that captures.
    capturer: usize,
}

impl Folded {
    /// `vanished` are the squares of the columns that vanish.
    fn new(occupied: SquareSet, chain: Chain, vanished: SquareSet) -> Folded {
        let left = occupied.len() - vanished.len();
        let Some(sets) = OccupiedSets::of(left) else {
            unreachable!("the column that captures is left")
        };
        let stay = SquareSet::from_bits(occupied.bits() ^ vanished.bits());
        let (orbit, symmetries) = sets.fold(stay.without(chain.from).with(chain.to));
        let Some(symmetry) = symmetries.into_iter().next() else {
            unreachable!("some symmetry maps a set onto its representative")
        };
        let representative = sets.representative(orbit);
        let places = NewPlaces::new(occupied, chain.from, chain.to, symmetry, representative);
        let capturer = places.of(occupied.ordinal_of(chain.from));
        Folded { orbit, left, places, capturer }
    }
}

/// Where a chain of a placement leads when certain columns vanish.
struct Destination<'a> {
    index: &'a SliceIndex,
    ordinals: &'static LaidOrdinals,
    folded: Folded,
    /// The number of the first position of the orbit.
    orbit_start: u64,
    /// The other side's columns that are left if none changes hands, as a mask of old places.
    other_columns: u32,
    /// How many counters are captured.
    captured: usize,
    /// The ordinal of the stacking in which the captured counters lie on the column that captured
    /// them, and nothing else is laid down.
    captured_ordinal: usize,
    /// The columns jumped that stay, as a mask of old places.
    staying: u32,
    /// The first row of this owner mask, and how many rows share the stacking of the side to move.
    mask_start: u64,
    stacking_rows: u64,
}

impl<'a> Destination<'a> {
    /// `None` if no column of the other side is left.
    fn new(
        below: &'a Below,
        folded: Folded,
        others: u32,
        case: ChainCase,
    ) -> Option<Destination<'a>> {
        let other_columns = others & !case.vanishing;
        if other_columns == 0 {
            return None;
        }
        let below = below.slice(folded.left);
        let split = below.index.split(other_columns.count_ones() as usize);
        let captured = case.chain.jumped.len();
        let lay = |ordinal, laid| below.ordinals.with_one_more(laid, ordinal, folded.capturer);
        Some(Destination {
            index: &below.index,
            ordinals: below.ordinals,
            folded,
            orbit_start: (folded.orbit * below.index.rows()) as u64,
            other_columns,
            captured,
            captured_ordinal: (0..captured).fold(0, lay),
            staying: case.staying(),
            mask_start: split.mask_start(folded.places.mask(other_columns)) as u64,
            stacking_rows: split.mover_rows as u64,
        })
    }

    /// Lays a stacking's counters down in their new places, but for one on each of the columns
    /// `lifted`, and returns the ordinal; `laid` counters lie there already, with this ordinal.
    #[inline]
    fn lay(
        &self,
        stacking: &ListedStacking,
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

    /// The ordinal of the capturing colour's stacking afterwards. Of each column that has `changed`
    /// hands, a prisoner has become the commander.
    #[inline]
    fn mover_ordinal(&self, stacking: &ListedStacking, changed: u32) -> u32 {
        self.lay(stacking, changed, 0, 0)
    }

    /// The ordinal of the other colour's stacking afterwards: the capturing column holds the
    /// captured counters as prisoners, and on a column that was jumped the next counter has become
    /// the commander.
    #[inline]
    fn other_ordinal(&self, stacking: &ListedStacking) -> u32 {
        self.lay(stacking, self.staying, self.captured, self.captured_ordinal)
    }

    #[inline]
    fn number(&self, mover_ordinal: u32, other_ordinal: u32) -> u64 {
        let row = self.mask_start
            + u64::from(other_ordinal) * self.stacking_rows
            + u64::from(mover_ordinal);
        self.orbit_start + row
    }

    /// The number where some columns change hands: those that stay and hold one counter of the other
    /// side over prisoners. `None` if that leaves the other side without a column.
    fn number_after_change(&self, mover: &ListedStacking, other: &ListedStacking) -> Option<u64> {
        let changed = self.staying & other.bare;
        let other_columns = self.other_columns & !changed;
        if other_columns == 0 {
            return None;
        }
        let mask = self.folded.places.mask(other_columns);
        let split = self.index.split(other_columns.count_ones() as usize);
        let row = split.mask_start(mask)
            + self.other_ordinal(other) as usize * split.mover_rows
            + self.mover_ordinal(mover, changed) as usize;
        Some(self.orbit_start + row as u64)
    }
}
