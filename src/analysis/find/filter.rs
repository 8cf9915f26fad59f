//! Going through all values of a table for the positions that are looked for.

use super::solution::Solution;
use super::turns::Turns;
use super::{Defence, Find, only_moves, solver_turns};
use crate::statistics::{Pieces, Place, Values, each_columns};
use lasca_tablebase::capture_search::KeepIn;
use lasca_tablebase::index::Material;
use lasca_tablebase::internals::LeastItems;
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{ByColor, OfficerPosition};
use lasca_tablebase::{Progress, Value, Wdl};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::{ControlFlow, Range, RangeInclusive};
use std::sync::Mutex;

/// Batch size: how many positions a thread looks at before it takes new work.
const BATCH_POSITIONS: u64 = 1 << 16;

/// How many candidates are kept at first for each position that may be listed. Of those that belong to the
/// same study, only one is listed.
const CANDIDATES: usize = 64;

/// A position as it is sorted: by choices and plies, the most first, then by its place, which begins with
/// the columns.
type Key = (Reverse<u8>, Reverse<u16>, Place);

/// Which positions are looked for. The default is every position that the side to move wins or draws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The result for the side to move; `None` for wins and draws.
    pub result: Option<Wdl>,
    /// The plies in which the game is decided; `None` for any, and for draws too.
    pub plies: Option<RangeInclusive<u16>>,
    /// The least number of turns of only moves, up to [`Filter::MOST_TURNS`]; 0 if the moves need not be
    /// looked at.
    pub only_moves: usize,
    /// The defence against which there must be only moves.
    pub defence: Defence,
    /// Whether positions are left out in which the side to move must capture.
    pub quiet: bool,
    /// The numbers of columns.
    pub columns: RangeInclusive<usize>,
    /// How many columns each side commands; `None` for any.
    pub pieces: Option<Pieces>,
    /// How many positions are listed at most.
    pub limit: usize,
    /// Where the values of the table are kept meanwhile.
    pub keep: KeepIn,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter {
            result: None,
            plies: None,
            only_moves: 0,
            defence: Defence::Best,
            quiet: false,
            columns: 2..=usize::MAX,
            pieces: None,
            limit: 10,
            keep: KeepIn::Memory,
        }
    }
}

impl Filter {
    /// The most turns of only moves that can be asked for.
    pub const MOST_TURNS: usize = Turns::MOST as usize;

    /// The turns of only moves as a byte.
    pub(super) fn turns(&self) -> u8 {
        self.only_moves.min(Filter::MOST_TURNS) as u8
    }
}

/// Looks in the table of a material for the positions that a filter describes. The most striking come
/// first, as the [module](crate::find#the-list) says. The table may be bounded; then positions of more
/// columns are not found.
///
/// Runs on the threads of the current rayon pool, see [`with_threads`](lasca_tablebase::with_threads); the result does not depend
/// on how many there are. The values of the table take a byte for each position, in memory or in files; with
/// [`Filter::only_moves`], there is another byte in memory for each. Slices of more columns than the filter
/// asks for are not read. If `progress` [stops](Progress::should_stop) the work, the list is not complete.
///
/// # Errors
/// If the table or its distances are missing, something is damaged, the table contradicts itself, or there is
/// not enough memory.
pub fn positions(
    tables: &Tablebase,
    material: Material,
    filter: &Filter,
    progress: &dyn Progress,
) -> Result<Vec<Find>, ProbeError> {
    let count = |mut find: Find| {
        let most = match (filter.only_moves, find.value) {
            (0, _) => 0,
            (turns, Value::Draw) => turns,
            (_, Value::Win(_) | Value::Loss(_)) => usize::MAX,
        };
        find.only_moves = only_moves(tables, &find.position, filter.defence, most)?;
        Ok(find)
    };
    let found = search(tables, material, filter, progress)?.into_iter();
    found.take_while(|_| !progress.should_stop()).map(count).collect()
}

fn search(
    tables: &Tablebase,
    material: Material,
    filter: &Filter,
    progress: &dyn Progress,
) -> Result<Vec<Find>, ProbeError> {
    let mut turns = Turns::new(material.stored_sides().len());
    let (keep, most) = (filter.keep, *filter.columns.end());
    let reader = each_columns(tables, material, keep, most, progress, |values, columns, done| {
        if filter.only_moves > 0 {
            turns.add(values, columns, filter, done)?;
        }
        Ok(if progress.should_stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    let values = Values::of(&reader, material);
    let finder = Finder { values, turns, filter, progress };
    let candidates = filter.limit.saturating_mul(CANDIDATES);
    let (mut listed, mut last) = (Listed::default(), None);
    while !progress.should_stop() {
        let found = finder.best(candidates, last.as_ref())?;
        finder.list(&found, &mut listed)?;
        if found.len() < candidates || listed.finds.len() >= filter.limit {
            break;
        }
        last = found.last().copied();
    }
    Ok(listed.finds)
}

/// What is listed so far.
#[derive(Default)]
struct Listed {
    finds: Vec<Find>,
    /// The positions of all solutions.
    shown: HashSet<Place>,
}

struct Finder<'a> {
    values: Values<'a>,
    turns: Turns,
    filter: &'a Filter,
    progress: &'a dyn Progress,
}

impl Finder<'_> {
    /// The first positions that pass the filter and come after `last`, this many at most.
    fn best(&self, candidates: usize, last: Option<&Key>) -> Result<Vec<Key>, ProbeError> {
        let least = Mutex::new(LeastItems::new(candidates));
        for (side, slices) in self.values.slices.iter().enumerate() {
            let slices = (2..).zip(slices);
            for (columns, slice) in slices.filter(|slice| self.filter.columns.contains(&slice.0)) {
                let batches = slice.len().div_ceil(BATCH_POSITIONS);
                (0..batches).into_par_iter().try_for_each(|batch| {
                    let first = batch * BATCH_POSITIONS;
                    let numbers = first..(first + BATCH_POSITIONS).min(slice.len());
                    self.offer(side, columns, numbers, last, &least)
                })?;
            }
        }
        let least = least.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok(least.into_items().collect())
    }

    /// Offers the positions with these numbers that pass the filter and come after `last`, until the work is
    /// stopped.
    fn offer(
        &self,
        side: usize,
        columns: usize,
        numbers: Range<u64>,
        last: Option<&Key>,
        least: &Mutex<LeastItems<Key>>,
    ) -> Result<(), ProbeError> {
        let bound = match least.lock() {
            Ok(least) if !self.progress.should_stop() => least.bound().copied(),
            _ => return Ok(()),
        };
        let slice = self.values.slice(side, columns);
        for number in numbers {
            let place = Place { columns, side, number };
            let value = slice.value(number);
            if !self.passes(value) {
                continue;
            }
            let plies = Reverse(value.dtw().unwrap_or(0));
            // There are no more choices than turns.
            let turns = self.filter.turns();
            if bound.is_some_and(|bound| bound < (Reverse(turns), plies, place)) {
                continue;
            }
            if turns > 0 && !self.turns.suffice(&self.values, place, value, self.filter) {
                continue;
            }
            let position = self.values.position(place);
            if !self.is_wanted(side, &position)
                || self.values.first_place(side, &position) != Some(place)
            {
                continue;
            }
            let choices = match turns {
                0 => 0,
                _ => Solution::of(&self.values, place, turns)?.choices,
            };
            let key = (Reverse(choices), plies, place);
            if last.is_none_or(|last| *last < key)
                && let Ok(mut least) = least.lock()
            {
                least.offer(key);
            }
        }
        Ok(())
    }

    /// Whether positions of this value are looked for.
    fn passes(&self, value: Value) -> bool {
        let filter = self.filter;
        let result = match filter.result {
            Some(result) => value.wdl() == result,
            None => value.wdl() != Wdl::Loss,
        };
        let plies = filter.plies.as_ref();
        result
            && plies.is_none_or(|plies| value.dtw().is_some_and(|dtw| plies.contains(&dtw)))
            && solver_turns(value) >= filter.only_moves
    }

    /// Whether a position has the pieces that are looked for, and is quiet if it must be.
    fn is_wanted(&self, side: usize, position: &OfficerPosition) -> bool {
        let placement = position.placement();
        !(self.filter.quiet && placement.must_capture())
            && self.colors_exchanged(side, position).is_some()
    }

    /// Whether the colours of a position are exchanged for the list; `None` if it has other pieces than
    /// those that are looked for. Where only White to move is stored, it stands for Black to move too.
    fn colors_exchanged(&self, side: usize, position: &OfficerPosition) -> Option<bool> {
        let exchanged = self.values.exchanged;
        let Some(wanted) = self.filter.pieces else { return Some(exchanged) };
        let placement = position.placement();
        let color = self.values.stored_color(side);
        let columns = ByColor::from_fn(|of| match of == color {
            true => placement.mover.len(),
            false => placement.other.len(),
        });
        let stands_for = if self.values.stored_material.is_balanced() { 2 } else { 1 };
        let pieces =
            |&exchanged: &bool| Pieces(if exchanged { columns.swapped() } else { columns });
        let choice = [exchanged, !exchanged].into_iter().take(stands_for);
        choice.into_iter().find(|exchanged| pieces(exchanged) == wanted)
    }

    /// Lists the candidates that belong to no study before them.
    fn list(&self, candidates: &[Key], listed: &mut Listed) -> Result<(), ProbeError> {
        let turns = self.filter.turns();
        for &(Reverse(choices), _, place) in candidates {
            if listed.finds.len() == self.filter.limit || self.progress.should_stop() {
                break;
            }
            if listed.shown.contains(&place) {
                continue;
            }
            let value = self.values.at(place);
            let solution = Solution::of(&self.values, place, turns)?;
            let places: Vec<Option<Place>> = solution.places(&self.values).collect();
            let to_last_turn = match usize::from(turns) {
                0 => 1,
                turns => 2 * turns - usize::from(value.wdl() != Wdl::Loss),
            };
            if places.iter().take(to_last_turn).flatten().any(|place| listed.shown.contains(place))
            {
                continue;
            }
            listed.shown.extend(places.into_iter().flatten());
            let position = self.values.position(place);
            let Some(exchanged) = self.colors_exchanged(place.side, &position) else {
                unreachable!("candidates have the pieces that are looked for")
            };
            let mut find = solution.into_find(&self.values, place.side, exchanged, value);
            find.choices = choices.into();
            listed.finds.push(find);
        }
        Ok(())
    }
}
