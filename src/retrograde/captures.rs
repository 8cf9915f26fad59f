//! Looking ahead over the captures of all positions of an orbit at once.
//!
//! Unless squares may be jumped again, the occupied set decides which chains are possible
//! ([`possible_chains`]), and the owners of the columns decide which of them are there; a stacking
//! decides only what is left on the squares jumped. A jumped column that is one bare counter
//! **vanishes**; one that is a single counter over prisoners **changes hands**; any other stays. So for
//! each chain and each set of columns that vanish, one folding of the occupied set and one
//! permutation of the columns serve all positions. What becomes of the stackings is the same for all
//! owner masks of a split.

use super::below::{Below, BelowSlice};
use super::columns::NewPlaces;
use super::score::MoveScore;
use super::side::SideToMove;
use super::stackings::{ListedStacking, SplitStackings};
use crate::Value;
use crate::index::{OccupiedSets, columns_on};
use crate::reserve::{push, reserve, reserve_exact};
use crate::rules::{Chain, Square, SquareSet, possible_chains};
use crate::values::Window;
use std::collections::TryReserveError;
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

/// One chain, with the jumped columns that vanish.
#[derive(Clone, Copy)]
struct ChainCase {
    chain: Chain,
    /// The columns that are jumped, as a mask.
    jumped: u32,
    /// The columns that vanish, some of those jumped, as a mask.
    vanishing: u32,
    /// The columns that the mover commands where the chain is possible, as a mask.
    own: u32,
}

impl ChainCase {
    /// The jumped columns that stay, as a mask.
    #[inline]
    fn staying(self) -> u32 {
        self.jumped & !self.vanishing
    }
}

/// Memory for looking at captures, used again from orbit to orbit.
#[derive(Default)]
pub struct CaptureSearch {
    outcomes: Outcomes,
    /// What is still to be looked up. All values for an orbit are looked up in one go, so that the
    /// processor can wait for many of them at once.
    lookups: Vec<Lookup>,
    window: Window,
}

/// What a chain does to the stackings of a split in which certain columns vanish. A pair is a
/// stacking of the mover and one of the other side, by its place among the rows of an owner mask.
#[derive(Default)]
struct Outcomes {
    /// The pairs in which the capture takes the other side's last column, or changes its owner.
    wins: Vec<u32>,
    /// The other pairs. If no column vanishes, they are only counted.
    pairs: Vec<Outcome>,
    /// The mover's stackings that fit: ordinal, and ordinal after the capture if no column changes hands.
    movers: Vec<(u32, u32)>,
}

/// What a capture does to a pair of stackings.
#[derive(Clone, Copy)]
struct Outcome {
    pair: u32,
    /// The columns that the other side loses, as a mask.
    lost: u32,
    /// The row after the capture, counted from the first row of the owner mask then.
    row: u32,
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

impl CaptureSearch {
    /// Begins an orbit.
    pub fn begin_orbit(&mut self) {
        self.lookups.clear();
    }

    /// Looks up what captures into slices below lead to. Call it after all else has been done for an
    /// orbit.
    ///
    /// # Errors
    /// If a scratch file cannot be read.
    pub fn look_up(&mut self, below: &Below, results: &mut [CaptureResults]) -> io::Result<()> {
        if below.in_files() {
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

    /// Leaves to [`CaptureSearch::look_up`] what this process owns. `own` gets the row of the position that
    /// captures, and the number of columns and the number of the position that is reached, and returns that
    /// number among those that this process owns, if it is one of them.
    ///
    /// # Errors
    /// The last one of `own`.
    pub fn keep_own(
        &mut self,
        mut own: impl FnMut(u32, usize, u64) -> Result<Option<u64>, TryReserveError>,
    ) -> Result<(), TryReserveError> {
        let mut noted = Ok(());
        self.lookups.retain_mut(|lookup| {
            let number = own(lookup.row, lookup.columns as usize, lookup.number);
            let number = number.unwrap_or_else(|refused| {
                noted = Err(refused);
                None
            });
            lookup.number = number.unwrap_or_default();
            number.is_some()
        });
        noted
    }

    /// Notes that the position of a row has a capture to a position of a slice below.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn look_up_later(
        &mut self,
        row: usize,
        columns: usize,
        number: u64,
    ) -> Result<(), TryReserveError> {
        push(&mut self.lookups, Lookup { row: row as u32, columns: columns as u32, number })
    }

    /// For each position of an orbit, adds what its captures lead to to the results, now or when
    /// [`CaptureSearch::look_up`] is called. Squares must not be jumped again.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn look(
        &mut self,
        side: &SideToMove,
        occupied: SquareSet,
        results: &mut [CaptureResults],
    ) -> Result<(), TryReserveError> {
        let mut looked = Ok(());
        let columns = side.index.columns();
        let most_others = columns - side.index.splits()[0].mover_columns;
        possible_chains(occupied, side.rules.continuation(), most_others, |chain, spared| {
            let jumped = columns_on(chain.jumped, occupied);
            let own = columns_on(spared.with(chain.from), occupied);
            let mut vanishing = jumped;
            while looked.is_ok() {
                let case = ChainCase { chain, jumped, vanishing, own };
                looked = self.look_at_case(side, occupied, case, results);
                if vanishing == 0 {
                    break;
                }
                vanishing = (vanishing - 1) & jumped;
            }
        });
        looked
    }

    /// Looks at the positions in which, of the jumped columns, exactly those of this case vanish.
    fn look_at_case(
        &mut self,
        side: &SideToMove,
        occupied: SquareSet,
        case: ChainCase,
        results: &mut [CaptureResults],
    ) -> Result<(), TryReserveError> {
        // Each column that stays has a counter to spare.
        if case.staying().count_ones() as usize > side.split_stackings()[0].spare {
            return Ok(());
        }
        let all = (1u32 << side.index.columns()) - 1;
        let mut masks = side.masks.fitting(case.own, case.jumped).peekable();
        if masks.peek().is_none() {
            return Ok(());
        }
        let left = occupied.len() - case.vanishing.count_ones() as usize;
        // Where fewer columns are left, what that leads to is in a slice below, if anything is left to
        // play with.
        let folded = (case.vanishing != 0).then(|| Folded::new(occupied, case));
        let below =
            if case.vanishing != 0 && left > 1 { Some(side.below.slice(left)) } else { None };
        let destination = folded.zip(below);
        let Self { outcomes, lookups, .. } = self;
        let mut split = None;
        for owners in masks {
            if split != Some(owners.split) {
                split = Some(owners.split);
                let stackings = &side.split_stackings()[owners.split as usize];
                let other_columns = (owners.mask ^ all).count_ones() as usize;
                outcomes.find(stackings, case, other_columns, destination.as_ref())?;
            }
            let first_row = owners.first_row as usize;
            for &pair in &outcomes.wins {
                let result = &mut results[first_row + pair as usize];
                result.add_below(MoveScore::of_reply(Value::Loss(0)));
            }
            let Some((folded, below)) = &destination else {
                for outcome in &outcomes.pairs {
                    results[first_row + outcome.pair as usize].add_in_slice();
                }
                continue;
            };
            let (mut lost, mut start) = (u32::MAX, 0);
            reserve(lookups, outcomes.pairs.len())?;
            for outcome in &outcomes.pairs {
                if outcome.lost != lost {
                    lost = outcome.lost;
                    let others = folded.places.mask((owners.mask ^ all) & !lost);
                    start = below.orbit_start(folded.orbit) + below.mask_start(others);
                }
                lookups.push(Lookup {
                    row: owners.first_row + outcome.pair,
                    columns: left as u32,
                    number: start + u64::from(outcome.row),
                });
            }
        }
        Ok(())
    }
}

impl Outcomes {
    /// Finds what becomes of the stackings of a split in which exactly the columns of the case vanish,
    /// and the other side commands `other_columns` columns.
    fn find(
        &mut self,
        stackings: &SplitStackings,
        case: ChainCase,
        other_columns: usize,
        destination: Option<&(Folded, &BelowSlice)>,
    ) -> Result<(), TryReserveError> {
        let ChainCase { jumped, vanishing, .. } = case;
        let staying = case.staying();
        let Outcomes { wins, pairs, movers } = self;
        wins.clear();
        pairs.clear();
        movers.clear();
        let fits = |stacking: &ListedStacking| stacking.bare & vanishing == vanishing;
        let ends = |lost: u32| lost.count_ones() as usize == other_columns;
        let lay = destination.map(|&(folded, below)| Laying::new(folded, below, case));
        let of_movers = stackings.mover.iter().zip(0..).filter(|(mover, _)| fits(mover));
        reserve_exact(movers, stackings.mover.len())?;
        movers.extend(
            of_movers
                .map(|(mover, m)| (m, lay.as_ref().map_or(0, |lay| lay.mover_ordinal(mover, 0)))),
        );
        if movers.is_empty() {
            return Ok(());
        }
        for (other, o) in stackings.other.iter().zip(0..).filter(|(other, _)| fits(other)) {
            let changed = staying & other.bare;
            let lost = vanishing | changed;
            let fits_both = |mover: &ListedStacking| mover.bare & other.bare & jumped == vanishing;
            let mut of_pairs =
                movers.iter().filter(|m| fits_both(&stackings.mover[m.0 as usize])).peekable();
            if of_pairs.peek().is_none() {
                continue;
            }
            // What the other colour's stacking adds to the row after the capture.
            let after = match &lay {
                Some(lay) if !ends(lost) => {
                    let split = lay.below.index.split(other_columns - lost.count_ones() as usize);
                    Some((lay, lay.other_ordinal(other) * split.mover_rows as u32))
                }
                _ => None,
            };
            reserve(wins, movers.len())?;
            reserve(pairs, movers.len())?;
            for &(m, mover_ordinal) in of_pairs {
                let pair = m * stackings.other.len() as u32 + o;
                if ends(lost) {
                    wins.push(pair);
                    continue;
                }
                let row = match after {
                    None => 0,
                    Some((_, start)) if changed == 0 => start + mover_ordinal,
                    Some((lay, start)) => {
                        start + lay.mover_ordinal(&stackings.mover[m as usize], changed)
                    }
                };
                pairs.push(Outcome { pair, lost, row });
            }
        }
        Ok(())
    }
}

/// The set of occupied squares that a chain leads to when certain columns vanish, folded.
#[derive(Clone, Copy)]
struct Folded {
    orbit: usize,
    places: NewPlaces,
    /// The new place of the column that captures.
    capturer: usize,
}

impl Folded {
    fn new(occupied: SquareSet, case: ChainCase) -> Folded {
        let ChainCase { chain, vanishing, .. } = case;
        let vanished = |(column, _): &(usize, Square)| vanishing >> column & 1 != 0;
        let vanished: SquareSet =
            occupied.into_iter().enumerate().filter(vanished).map(|(_, square)| square).collect();
        let stay = SquareSet::from_bits(occupied.bits() ^ vanished.bits());
        let Some(sets) = OccupiedSets::of(stay.len()) else {
            unreachable!("the column that captures is left")
        };
        let (orbit, symmetries) = sets.fold(stay.without(chain.from).with(chain.to));
        let Some(symmetry) = symmetries.into_iter().next() else {
            unreachable!("some symmetry maps a set onto its representative")
        };
        let representative = sets.representative(orbit);
        let places = NewPlaces::new(occupied, chain.from, chain.to, symmetry, representative);
        let capturer = places.of(occupied.ordinal_of(chain.from));
        Folded { orbit, places, capturer }
    }
}

/// Lays stackings down as they are after a capture that loses columns.
struct Laying<'a> {
    below: &'a BelowSlice<'a>,
    places: NewPlaces,
    /// How many counters are captured.
    captured: usize,
    /// The ordinal of the stacking in which the captured counters lie on the column that captured
    /// them, and nothing else is laid down.
    captured_ordinal: usize,
    /// The columns jumped that stay, as a mask of old places.
    staying: u32,
}

impl<'a> Laying<'a> {
    fn new(folded: Folded, below: &'a BelowSlice<'a>, case: ChainCase) -> Laying<'a> {
        let captured = case.chain.jumped.len();
        let lay = |ordinal, laid| below.ordinals.with_one_more(laid, ordinal, folded.capturer);
        Laying {
            below,
            places: folded.places,
            captured,
            captured_ordinal: (0..captured).fold(0, lay),
            staying: case.staying(),
        }
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
            let place = self.places.of(usize::from(column));
            ordinal = self.below.ordinals.with_one_more(laid, ordinal, place);
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
}
