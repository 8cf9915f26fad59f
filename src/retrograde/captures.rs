//! Looking ahead over the captures of all positions of an orbit at once.
//!
//! Unless squares may be jumped again, the occupied set decides which chains are possible
//! ([`possible_chains`]), and the owners of the columns decide which of them are there; a stacking
//! decides only what is left on the squares jumped. A jumped column that is one bare counter
//! **vanishes**; one that is a single counter over prisoners **changes hands**; any other stays. So for
//! each chain and each set of columns that vanish, one folding of the occupied set and one
//! arrangement of the columns serve all positions. What becomes of the stackings is the same for all
//! owner masks of a split.

use super::below::{Below, BelowSlice};
use super::side::SideToMove;
use crate::Value;
use crate::index::owner_masks::find_with;
use crate::index::{Arrangement, Laid, ListedStacking, MaskMap, OrbitColumns, SplitLists, subsets};
use crate::rules::{Square, SquareSet, possible_chains};
use crate::values::Window;
use std::io;

/// What is known of a position from its captures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaptureResults {
    best_below: Option<Value>,
    /// How many captures lead to positions of the slice being solved.
    pub in_slice: u32,
}

impl CaptureResults {
    /// Adds a capture that leads to a slice below, or ends the game, and is worth this to the side that makes it.
    #[inline]
    pub fn add_below(&mut self, value: Value) {
        self.best_below = self.best_below.max(Some(value));
    }

    /// The value of the best capture whose result is known; `None` if there is no such capture.
    pub fn best_below(self) -> Option<Value> {
        self.best_below
    }
}

/// One chain, with the jumped columns that vanish. Columns are given as masks.
#[derive(Clone, Copy)]
struct ChainCase {
    /// The column that captures.
    capturer: usize,
    to: Square,
    /// The columns that are jumped.
    jumped: u32,
    /// The columns that vanish, some of those jumped.
    vanishing: u32,
}

/// Memory for looking at captures, used again from orbit to orbit.
#[derive(Default)]
pub struct CaptureWorkspace {
    chain_pairs: ChainPairs,
    /// What is still to be looked up. All values for an orbit are looked up in one go, so that the
    /// processor can wait for many of them at once.
    lookups: Vec<Lookup>,
    window: Window,
    /// The owner masks under which the chain is possible that is looked at.
    fitting: Vec<u64>,
}

/// What a chain does to the stackings of a split in which certain columns vanish. A pair is a
/// stacking of the mover and one of the other side, by its place among the rows of an owner mask.
#[derive(Default)]
struct ChainPairs {
    /// The pairs in which the capture takes the other side's last column, or changes its owner.
    wins: Vec<u32>,
    /// The other pairs. If no column vanishes, they are only counted.
    pairs: Vec<PairAfter>,
    /// The mover's stackings that fit: ordinal, and ordinal after the capture if no column changes hands.
    movers: Vec<(u32, u32)>,
}

/// What a capture does to a pair of stackings.
#[derive(Clone, Copy)]
struct PairAfter {
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

impl CaptureWorkspace {
    /// Looks up what captures into slices below lead to, and forgets them. Call it after all else has been done
    /// for an orbit.
    pub fn look_up(&mut self, below: &Below, results: &mut [CaptureResults]) -> io::Result<()> {
        if below.in_files() {
            // Each window of a file is read just once.
            self.lookups.sort_unstable_by_key(|lookup| (lookup.columns, lookup.number));
        }
        for lookups in self.lookups.chunk_by(|a, b| a.columns == b.columns) {
            self.window.clear();
            let slice = below.slice(lookups[0].columns as usize);
            for lookup in lookups {
                let value = slice.value_of_move(lookup.number, &mut self.window)?;
                results[lookup.row as usize].add_below(value);
            }
        }
        self.lookups.clear();
        Ok(())
    }

    /// Leaves to [`CaptureWorkspace::look_up`] what this process holds. `ask` gets what it does not: the row of
    /// the position that captures, and the number of columns and the number of the position that is reached.
    pub fn keep_own(&mut self, below: &Below, mut ask: impl FnMut(usize, usize, u64)) {
        self.lookups.retain_mut(|lookup| {
            let Lookup { row, columns, number } = *lookup;
            let own = below.slice(columns as usize).place_of(number);
            match own {
                Some(place) => lookup.number = place,
                None => ask(row as usize, columns as usize, number),
            }
            own.is_some()
        });
    }

    /// Notes that the position of a row has a capture to a position of a slice below.
    pub fn look_up_later(&mut self, row: usize, columns: usize, number: u64) {
        self.lookups.push(Lookup { row: row as u32, columns: columns as u32, number });
    }

    /// For each position of an orbit, adds what its captures lead to to the results, now or when
    /// [`CaptureWorkspace::look_up`] is called. Squares must not be jumped again.
    pub fn look(&mut self, side: &SideToMove, occupied: SquareSet, results: &mut [CaptureResults]) {
        let columns = OrbitColumns::of(occupied);
        let most_others = occupied.len() - side.index.splits()[0].mover_columns;
        // Each column that stays has a counter to spare.
        let spare = side.index.mover_counters() + side.index.other_counters() - occupied.len();
        possible_chains(occupied, side.rules, most_others, |chain, spared| {
            let (jumped, own) =
                (columns.on_all(chain.jumped), columns.on_all(spared.with(chain.from)));
            let any_fits = find_with(&side.lists.masks, own, jumped, &mut self.fitting);
            if !any_fits {
                return;
            }
            let (capturer, to) = (columns.on(chain.from), chain.to);
            let can_stay = |staying: &u32| staying.count_ones() as usize <= spare;
            for staying in subsets(jumped).filter(can_stay) {
                let case = ChainCase { capturer, to, jumped, vanishing: jumped ^ staying };
                self.look_at_case(side, &columns, case, results);
            }
        });
    }

    /// Looks at the positions in which, of the jumped columns, exactly those of this case vanish.
    fn look_at_case(
        &mut self,
        side: &SideToMove,
        columns: &OrbitColumns,
        case: ChainCase,
        results: &mut [CaptureResults],
    ) {
        let left = side.index.columns() - case.vanishing.count_ones() as usize;
        // Where fewer columns are left, what that leads to is in a slice below, if anything is left to
        // play with.
        let destination = (case.vanishing != 0 && left > 1)
            .then(|| ChainEnd::new(columns, case, side.below.slice(left)));
        let Self { chain_pairs, lookups, fitting, .. } = self;
        for lists in side.lists.splits.iter().filter(|lists| lists.has_any(fitting)) {
            let other_columns = side.index.columns() - lists.split.mover_columns;
            chain_pairs.list(lists, case, other_columns, destination.as_ref());
            for mask in lists.masks_in(fitting) {
                let first_row = side.lists.first_row(mask);
                for &pair in &chain_pairs.wins {
                    let result = &mut results[first_row + pair as usize];
                    result.add_below(Value::Win(1));
                }
                let Some(ChainEnd { below, orbit, map, .. }) = &destination else {
                    for after in &chain_pairs.pairs {
                        results[first_row + after.pair as usize].in_slice += 1;
                    }
                    continue;
                };
                let (mut lost, mut start) = (u32::MAX, 0);
                lookups.extend(chain_pairs.pairs.iter().map(|after| {
                    if after.lost != lost {
                        lost = after.lost;
                        let others = map.image((mask ^ side.all_columns) & !lost);
                        start = below.orbit_start(*orbit) + below.mask_start(others);
                    }
                    let number = start + u64::from(after.row);
                    below.prefetch(number);
                    let row = first_row as u32 + after.pair;
                    Lookup { row, columns: left as u32, number }
                }));
            }
        }
    }
}

impl ChainPairs {
    /// Finds what becomes of the stackings of a split in which exactly the columns of the case vanish,
    /// and the other side commands `other_columns` columns.
    fn list(
        &mut self,
        lists: &SplitLists,
        case: ChainCase,
        other_columns: usize,
        destination: Option<&ChainEnd>,
    ) {
        let (vanishing, staying) = (case.vanishing, case.jumped & !case.vanishing);
        let ChainPairs { wins, pairs, movers } = self;
        wins.clear();
        pairs.clear();
        movers.clear();
        let fits = |stacking: &ListedStacking| stacking.laden & vanishing == 0;
        let ends = |lost: u32| lost.count_ones() as usize == other_columns;
        let of_movers = lists.mover.iter().zip(0..).filter(|(mover, _)| fits(mover));
        movers.extend(
            of_movers.map(|(mover, m)| (m, destination.map_or(0, |to| to.mover_ordinal(mover, 0)))),
        );
        if movers.is_empty() {
            return;
        }
        for (other, o) in lists.other.iter().zip(0..).filter(|(other, _)| fits(other)) {
            let changed = staying & !other.laden;
            let lost = vanishing | changed;
            // Of the columns that stay, none is without a counter to spare.
            let fits_both = |m: u32| changed & !lists.mover[m as usize].laden == 0;
            let mut of_pairs = movers.iter().filter(|m| fits_both(m.0)).peekable();
            if of_pairs.peek().is_none() {
                continue;
            }
            // What the other colour's stacking adds to the row after the capture.
            let after = match destination {
                Some(to) if !ends(lost) => {
                    let split = to.below.index.split(other_columns - lost.count_ones() as usize);
                    Some((to, to.other_ordinal(other, staying) * split.mover_rows as u32))
                }
                _ => None,
            };
            for &(m, mover_ordinal) in of_pairs {
                let pair = m * lists.other.len() as u32 + o;
                if ends(lost) {
                    wins.push(pair);
                    continue;
                }
                let row = match after {
                    None => 0,
                    Some((_, start)) if changed == 0 => start + mover_ordinal,
                    Some((to, start)) => {
                        start + to.mover_ordinal(&lists.mover[m as usize], changed)
                    }
                };
                pairs.push(PairAfter { pair, lost, row });
            }
        }
    }
}

/// Where a chain leads when certain columns vanish.
struct ChainEnd<'a> {
    below: &'a BelowSlice<'a>,
    orbit: usize,
    arrangement: Arrangement,
    map: MaskMap,
    /// The captured counters, on the column that captured them.
    captured: Laid,
}

impl<'a> ChainEnd<'a> {
    fn new(columns: &OrbitColumns, case: ChainCase, below: &'a BelowSlice<'a>) -> ChainEnd<'a> {
        let ChainCase { capturer, to, jumped, vanishing } = case;
        let (orbit, arrangement) = columns.after(capturer, to, vanishing, below.index.sets());
        let at = arrangement.image(capturer);
        let captured = (0..jumped.count_ones())
            .fold(Laid::default(), |captured, _| captured.with(at, below.ordinals));
        ChainEnd { below, orbit, arrangement, map: arrangement.mask_map(), captured }
    }

    /// The ordinal of the capturing colour's stacking afterwards. Of each column that has `changed`
    /// hands, a prisoner has become the commander.
    #[inline]
    fn mover_ordinal(&self, stacking: &ListedStacking, changed: u32) -> u32 {
        let ChainEnd { arrangement, below, .. } = self;
        stacking.counts.ordinal_after(arrangement, below.ordinals, changed, Laid::default()) as u32
    }

    /// The ordinal of the other colour's stacking afterwards: the capturing column holds the
    /// captured counters as prisoners, and on a column that was jumped and stays the next counter has
    /// become the commander.
    #[inline]
    fn other_ordinal(&self, stacking: &ListedStacking, staying: u32) -> u32 {
        let ChainEnd { arrangement, below, captured, .. } = self;
        stacking.counts.ordinal_after(arrangement, below.ordinals, staying, *captured) as u32
    }
}
