//! Runs of plies without a capture in best play.
//!
//! A line of best play passes from each position to one that is a ply nearer to the end. So the runs of a
//! position follow from those after its best moves. This is done for one number of columns after the other:
//!
//! 1. The best moves of all positions are found, orbit by orbit. If a move loses columns, the runs after it are known
//!    already. The other moves are listed by the plies of their positions.
//! 2. The lists are gone through, the fewest plies first.

use super::values::{Place, Values, each_columns};
use lasca_tablebase::capture_search::KeepIn;
use lasca_tablebase::index::Material;
use lasca_tablebase::internals::{BestMove, Done, Lookahead, Portion, Selection, Workspace};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::Position;
use lasca_tablebase::{Progress, Value};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, TryReserveError};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

/// Batch size: how many positions a thread looks at before it takes new work.
const BATCH_POSITIONS: usize = 1 << 16;

/// A position that the side to move wins, with a long run of plies without a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuietRun {
    /// The length of the run, in plies.
    pub plies: u16,
    /// The position, from which the run comes up sooner or later.
    pub position: Position,
    /// Its value for the side to move.
    pub value: Value,
}

/// For each position that the side to move wins, the longest run of plies without a capture that a line of
/// best play from it has.
///
/// In best play, every move of the winner leads to the soonest win, and every move of the loser to the
/// latest loss. Where several moves do so, each of them is looked at, and the longest run counts. So
/// these numbers say how long best play goes on without a capture. They do not say who wins if such a run is
/// a draw: the winner may have a slower way that captures more often, and the loser may avoid captures for
/// longer by moves that lose sooner.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuietRuns {
    /// The material, White's counters first.
    pub material: Material,
    /// How many positions that the side to move wins have a longest run of this many plies, both sides to
    /// move together. Images under a symmetry are counted separately.
    pub won: BTreeMap<u16, u64>,
    /// A position with the longest run of all, one with the fewest columns; `None` if no position is won.
    pub longest: Option<QuietRun>,
}

impl QuietRuns {
    /// How many bytes are needed beside the values of a table, for each of its positions.
    pub const BYTES_A_POSITION: u64 = size_of::<KnownRuns>() as u64;
    /// About how many more, for each of those with one number of columns: the best moves of these are listed at a time,
    /// nearly two for each where there are many counters (`stats --without-captures` of 11-11 to three columns).
    pub const BYTES_A_LISTED_POSITION: u64 = 2 * size_of::<Move>() as u64;

    /// Goes through best play from all positions of the table that covers a material, on the threads of the
    /// current rayon pool. The result does not depend on the number of threads. If it is the table with the
    /// colours exchanged, the colours of the position are exchanged back.
    ///
    /// ```
    /// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
    /// use lasca_tablebase::Silent;
    /// use lasca_analysis::statistics::QuietRuns;
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::capture_search::KeepIn;
    /// use lasca_tablebase::rules::RuleSet;
    /// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
    /// let runs = QuietRuns::in_tables(&tables, "2-1".parse()?, KeepIn::Memory, &Silent)?;
    /// let longest = runs.longest.unwrap();
    /// assert_eq!(runs.longer_than(longest.plies - 1), runs.won[&longest.plies]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the table is missing or damaged, or there is not enough memory.
    pub fn in_tables(
        tables: &Tablebase,
        material: Material,
        keep: KeepIn,
        progress: &dyn Progress,
    ) -> Result<QuietRuns, ProbeError> {
        let found = QuietRuns { material, won: BTreeMap::new(), longest: None };
        let runs = material.stored_sides().iter().map(|_| Vec::new()).collect();
        let mut all = AllRuns { runs, found };
        let most = *material.columns().end();
        each_columns(tables, material, keep, most, progress, |values, columns, done| {
            all.add(values, columns, done)?;
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(all.found)
    }

    /// How many positions that the side to move wins have a longest run of more than this many plies.
    pub fn longer_than(&self, plies: u16) -> u64 {
        self.won.range(plies..).filter(|(length, _)| **length > plies).map(|(_, count)| count).sum()
    }
}

/// The longest runs of the lines of best play from a position, in plies.
#[derive(Clone, Copy)]
struct Runs {
    /// Of those that begin at once.
    first: u16,
    /// Of all.
    longest: u16,
}

impl Runs {
    /// The runs of a position by a move after which these are the runs.
    fn before(self, is_capture: bool) -> Runs {
        let first = if is_capture { 0 } else { self.first + 1 };
        Runs { first, longest: self.longest.max(first) }
    }
}

/// The longest runs of a position by the best moves that have been added. One thread adds, and others look later.
#[derive(Default)]
struct KnownRuns {
    first: AtomicU16,
    longest: AtomicU16,
}

impl KnownRuns {
    fn get(&self) -> Runs {
        Runs { first: self.first.load(Relaxed), longest: self.longest.load(Relaxed) }
    }

    fn add(&self, by_move: Runs) {
        let Runs { first, longest } = self.get();
        self.first.store(first.max(by_move.first), Relaxed);
        self.longest.store(longest.max(by_move.longest), Relaxed);
    }
}

/// A best move that leaves as many columns.
struct Move {
    /// The number of the position, counted from the first one of its batch.
    from: u32,
    /// The number of the position after it.
    after: u64,
    is_capture: bool,
}

/// Moves by the plies of their positions.
type MovesByPlies = Vec<Vec<Move>>;

/// Lists a move of a position that is won or lost in so many plies.
fn list(moves: &mut MovesByPlies, plies: Option<u16>, new: Move) {
    let plies = usize::from(plies.unwrap_or(0));
    while moves.len() <= plies {
        moves.push(Vec::new());
    }
    moves[plies].push(new);
}

/// The runs that are known so far, and what was found among them.
struct AllRuns {
    /// For each stored side to move and number of columns, by number.
    runs: Vec<Vec<Vec<KnownRuns>>>,
    found: QuietRuns,
}

impl AllRuns {
    /// Adds the slices of the next number of columns.
    fn add(&mut self, values: &Values, columns: usize, done: &Done) -> Result<(), TryReserveError> {
        let sides = 0..self.runs.len();
        for (side, runs) in self.runs.iter_mut().enumerate() {
            let (mut of_slice, positions) =
                (Vec::new(), values.slice(side, columns).len() as usize);
            of_slice.try_reserve_exact(positions)?;
            of_slice.resize_with(positions, KnownRuns::default);
            runs.push(of_slice);
        }
        // An orbit is in one batch.
        let rows = values.index(0, columns).rows();
        let batch_positions = (BATCH_POSITIONS / rows).max(1) * rows;
        let best_moves = |side| self.best_moves(values, side, columns, batch_positions, done);
        let listed = sides.clone().map(best_moves);
        let listed: Vec<Vec<MovesByPlies>> = listed.collect();
        let plies = listed.iter().flatten().map(Vec::len).max().unwrap_or(0);
        for ply in 0..plies {
            // The positions after the moves are a ply nearer to the end, so their runs are known.
            for (side, batches) in listed.iter().enumerate() {
                let runs = self.runs[side][columns - 2].par_chunks(batch_positions);
                let next = &self.runs[values.next_side(side)][columns - 2];
                runs.zip(batches).for_each(|(runs, batch)| {
                    for &Move { from, after, is_capture } in batch.get(ply).into_iter().flatten() {
                        runs[from as usize].add(next[after as usize].get().before(is_capture));
                    }
                });
            }
        }
        drop(listed);
        for side in sides {
            self.count(values, side, columns);
        }
        Ok(())
    }

    /// The best moves of the positions of a slice that leave as many columns, batch by batch. Those that leave fewer
    /// are added to the runs at once.
    fn best_moves(
        &self,
        values: &Values,
        side: usize,
        columns: usize,
        batch_positions: usize,
        done: &Done,
    ) -> Vec<MovesByPlies> {
        let Values { stored_material, rules, slices, .. } = *values;
        let looking = Lookahead::new(stored_material, rules, slices, side, columns);
        let (slice, next) = (values.slice(side, columns), &self.runs[values.next_side(side)]);
        let of_batch = |work: &mut Workspace, (batch, runs): (usize, &[KnownRuns])| {
            let (first, rows) = (batch * batch_positions, looking.index.rows());
            let mut listed = MovesByPlies::new();
            for orbit in first / rows..(first + runs.len()) / rows {
                looking.select(orbit, Selection::All, work);
                looking.each_best_move(orbit, work, |BestMove { number, is_capture, after }| {
                    let from = number as usize - first;
                    match after {
                        // The game is over.
                        None => {}
                        Some((left, after)) if left < columns => {
                            runs[from].add(next[left - 2][after as usize].get().before(is_capture));
                        }
                        Some((_, after)) => {
                            let new = Move { from: from as u32, after, is_capture };
                            list(&mut listed, slice.value(number).dtw(), new);
                        }
                    }
                });
            }
            // The lists of all batches wait for each other.
            listed.iter_mut().for_each(Vec::shrink_to_fit);
            done.add(runs.len() as u64, Portion::Half);
            listed
        };
        let batches = self.runs[side][columns - 2].par_chunks(batch_positions).enumerate();
        batches.map_init(Workspace::default, of_batch).collect()
    }

    /// Counts the won positions of a slice by their longest runs.
    fn count(&mut self, values: &Values, side: usize, columns: usize) {
        let (slice, index) = (values.slice(side, columns), values.index(side, columns));
        // Colours exchanged, what is stored for White holds for Black.
        let sides = if self.runs.len() == 1 { 2 } else { 1 };
        let (mut won, mut longest) = (Vec::new(), None);
        for (number, runs) in (0..).zip(&self.runs[side][columns - 2]) {
            let runs = runs.get();
            if matches!(slice.value(number), Value::Win(_)) {
                let orbit = (number / index.rows() as u64) as usize;
                let images = index.sets().orbit_len(orbit) as u64;
                let length = usize::from(runs.longest);
                won.resize(won.len().max(length + 1), 0);
                won[length] += sides * images;
                longest = longest.max(Some((runs.longest, Reverse(number))));
            }
        }
        for (length, won) in (0..).zip(won).filter(|(_, won)| *won > 0) {
            *self.found.won.entry(length).or_default() += won;
        }
        let Some((plies, Reverse(number))) = longest else { return };
        if self.found.longest.is_none_or(|longest| longest.plies < plies) {
            let position = values.in_colors(Place { columns, side, number });
            self.found.longest = Some(QuietRun { plies, position, value: slice.value(number) });
        }
    }
}
