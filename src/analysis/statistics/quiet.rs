//! Runs of plies without a capture in best play.
//!
//! A line of best play passes from each position to one that is a ply nearer to the end. So the runs of a
//! position follow from those after its best moves: ply by ply, for one number of columns after the other.

use super::values::{Place, Values, each_columns};
use lasca_tablebase::capture_search::KeepIn;
use lasca_tablebase::index::Material;
use lasca_tablebase::internals::{Distance, Done, Portion, filled, push};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::Position;
use lasca_tablebase::{Progress, Value};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, TryReserveError};
use std::convert::Infallible;
use std::ops::ControlFlow;

/// Batch size: how many positions a thread looks at before it takes new work.
const BATCH_POSITIONS: u64 = 1 << 16;

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
    pub const BYTES_A_POSITION: u64 = (size_of::<Runs>() + size_of::<(u64, Runs)>()) as u64;

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
        let runs = vec![Vec::new(); material.stored_sides().len()];
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Runs {
    /// Of those that begin at once.
    first: u16,
    /// Of all.
    longest: u16,
}

impl Runs {
    /// The runs of a position, if these are those after its best moves.
    fn before(self, is_capture: bool) -> Runs {
        let first = if is_capture { 0 } else { self.first + 1 };
        Runs { first, longest: self.longest.max(first) }
    }

    /// The longer ones of both.
    fn or(self, other: Runs) -> Runs {
        Runs { first: self.first.max(other.first), longest: self.longest.max(other.longest) }
    }
}

/// The runs that are known so far, and what was found among them.
struct AllRuns {
    /// For each stored side to move and number of columns, by number.
    runs: Vec<Vec<Vec<Runs>>>,
    found: QuietRuns,
}

impl AllRuns {
    /// Adds the slices of the next number of columns.
    fn add(&mut self, values: &Values, columns: usize, done: &Done) -> Result<(), TryReserveError> {
        let sides = 0..self.runs.len();
        let mut most = 0;
        for side in sides.clone() {
            let slice = values.slice(side, columns);
            let longest =
                (0..slice.len()).into_par_iter().filter_map(|n| slice.value(n).dtw()).max();
            most = most.max(longest.unwrap_or(0));
            self.runs[side].push(filled(slice.len() as usize, Runs::default())?);
        }
        for ply in 1..=most {
            // Those of the other side to move are a ply nearer to the end, so they are known.
            let known = sides.clone().map(|side| self.at(values, side, columns, ply));
            let known = known.collect::<Result<Vec<_>, _>>()?;
            for (side, known) in known.into_iter().enumerate() {
                done.add(known.iter().map(Vec::len).sum::<usize>() as u64, Portion::Half);
                for (number, runs) in known.into_iter().flatten() {
                    self.runs[side][columns - 2][number as usize] = runs;
                }
            }
        }
        for side in sides {
            self.count(values, side, columns);
        }
        Ok(())
    }

    /// The runs of the positions of a slice that are so many plies from the end, by number, batch by batch.
    fn at(
        &self,
        values: &Values,
        side: usize,
        columns: usize,
        ply: u16,
    ) -> Result<Vec<Vec<(u64, Runs)>>, TryReserveError> {
        let slice = values.slice(side, columns);
        let Some(code) = Distance::new(Some(ply)).map(|distance| slice.byte_codes().byte(distance))
        else {
            return Ok(Vec::new());
        };
        let of_batch = |batch: u64| {
            let (mut known, first) = (Vec::new(), batch * BATCH_POSITIONS);
            let codes = slice.codes(first, BATCH_POSITIONS.min(slice.len() - first) as usize);
            let with_code = (first..).zip(codes).filter(|(_, found)| **found == code);
            for (number, _) in with_code {
                // Late plies share a code.
                if slice.value(number).dtw() != Some(ply) {
                    continue;
                }
                let runs = self.of(values, Place { columns, side, number });
                push(&mut known, (number, runs))?;
            }
            Ok(known)
        };
        (0..slice.len().div_ceil(BATCH_POSITIONS)).into_par_iter().map(of_batch).collect()
    }

    /// The runs of a position, from those after its best moves.
    fn of(&self, values: &Values, place: Place) -> Runs {
        let value = values.at(place);
        let position = values.position(place);
        let (mut runs, next) = (Runs::default(), values.next_side(place.side));
        let _: ControlFlow<Infallible> = position.try_for_each_move(values.rules, |_, after| {
            if values.value(next, after).before_move() == value {
                let after = values.place(next, after).map(|place| self.known(place));
                runs = runs.or(after.unwrap_or_default());
            }
            ControlFlow::Continue(())
        });
        runs.before(position.placement().must_capture())
    }

    fn known(&self, place: Place) -> Runs {
        self.runs[place.side][place.columns - 2][place.number as usize]
    }

    /// Counts the won positions of a slice by their longest runs.
    fn count(&mut self, values: &Values, side: usize, columns: usize) {
        let (slice, index) = (values.slice(side, columns), values.index(side, columns));
        // Colours exchanged, what is stored for White holds for Black.
        let sides = if self.runs.len() == 1 { 2 } else { 1 };
        let (mut won, mut longest) = (Vec::new(), None);
        for (number, runs) in (0..).zip(&self.runs[side][columns - 2]) {
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
