//! Going through all values of a table for the positions that are looked for.

use super::solution::Solution;
use super::turns::Turns;
use super::{Defence, Find, only_moves, solver_turns};
use crate::statistics::{Pieces, Place, Values, each_columns};
use lasca_tablebase::capture_search::KeepIn;
use lasca_tablebase::index::Material;
use lasca_tablebase::internals::{Done, LeastItems};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{ByColor, OfficerPosition};
use lasca_tablebase::table::TableError;
use lasca_tablebase::{Progress, Silent, Value, Wdl};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::{Mutex, PoisonError};

/// Batch size: how many positions a thread looks at before it takes new work.
const BATCH_POSITIONS: u64 = 1 << 16;

/// How many candidates are kept at first for each position that may be listed. Of those that belong to the
/// same study, only one is listed.
const CANDIDATES: usize = 64;

/// If that is not enough, at least so many are kept at a time.
const MORE_CANDIDATES: usize = 1 << 18;

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
    #[doc(hidden)]
    pub _more: (),
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
            _more: (),
        }
    }
}

impl Filter {
    /// The most turns of only moves that can be asked for.
    pub const MOST_TURNS: usize = u8::MAX as usize - 1;

    /// How many bytes in memory are needed beside the values of a table, for each of its positions, to look for only
    /// moves.
    pub const BYTES_A_POSITION: u64 = Turns::BYTES_A_POSITION;

    /// Whether positions of this value are looked for.
    pub(super) fn passes(&self, value: Value) -> bool {
        let result = match self.result {
            Some(result) => value.wdl() == result,
            None => value.wdl() != Wdl::Loss,
        };
        let plies = self.plies.as_ref();
        result
            && plies.is_none_or(|plies| value.dtw().is_some_and(|dtw| plies.contains(&dtw)))
            && solver_turns(value) >= self.only_moves
    }

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
/// [`Filter::only_moves`], there are [more bytes](Filter::BYTES_A_POSITION) in memory for each. Slices of more columns
/// than the filter asks for are not read. If `progress` [stops](Progress::should_stop) the work, the list is not
/// complete.
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
    let mut turns = Turns::new(filter.defence, material.stored_sides().len());
    let first = Mutex::new(LeastItems::new(filter.limit.saturating_mul(CANDIDATES)));
    let finder = Finder { filter, progress, last: None, first };
    let file = tables.file_of(material)?;
    let (keep, most) = (filter.keep, *filter.columns.end());
    let reader = each_columns(tables, material, keep, most, progress, |values, columns, done| {
        if filter.only_moves > 0 {
            let made = turns.make_room(values, columns);
            made.map_err(|_| file.error(TableError::Memory))?;
        }
        finder.look(values, &turns, columns, done)?;
        Ok(if progress.should_stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    finder.finds(&Values::of(&reader, material), &turns, tables)
}

/// What is listed so far.
#[derive(Default)]
struct Listed {
    finds: Vec<Find>,
    /// The positions of all solutions.
    shown: HashSet<Place>,
}

/// A search of one table, one number of columns after the other.
struct Finder<'a> {
    filter: &'a Filter,
    progress: &'a dyn Progress,
    /// The last candidate that was considered for the list. Those after it are looked for.
    last: Option<Key>,
    /// The first of them.
    first: Mutex<LeastItems<Key>>,
}

impl Finder<'_> {
    /// Looks at the positions with this many columns. This is half of the work on each.
    ///
    /// # Errors
    /// If the table contradicts itself.
    pub fn look(
        &self,
        values: &Values,
        turns: &Turns,
        columns: usize,
        done: &Done,
    ) -> Result<(), ProbeError> {
        if !self.filter.columns.contains(&columns) {
            return Ok(());
        }
        let positions = values.index(0, columns).positions();
        let batches = positions.div_ceil(BATCH_POSITIONS);
        (0..values.slices.len() as u64 * batches).into_par_iter().try_for_each(|batch| {
            let (side, first) = ((batch / batches) as usize, batch % batches * BATCH_POSITIONS);
            let numbers = first..(first + BATCH_POSITIONS).min(positions);
            done.add(numbers.end - numbers.start);
            let places = numbers.map(|number| Place { columns, side, number });
            self.offer(values, turns, places)
        })
    }

    /// The list, when all positions have been looked at.
    ///
    /// # Errors
    /// If the table contradicts itself, or is damaged.
    pub fn finds(
        mut self,
        values: &Values,
        turns: &Turns,
        tables: &Tablebase,
    ) -> Result<Vec<Find>, ProbeError> {
        let mut listed = Listed::default();
        let more = self.filter.limit.saturating_mul(CANDIDATES).max(MORE_CANDIDATES);
        while !self.progress.should_stop() {
            let first = self.first.get_mut().unwrap_or_else(PoisonError::into_inner);
            let is_full = first.bound().is_some();
            let first = std::mem::replace(first, LeastItems::new(more));
            let candidates: Vec<Key> = first.into_items().collect();
            self.list(values, &candidates, &mut listed)?;
            if !is_full || listed.finds.len() >= self.filter.limit {
                break;
            }
            self.last = candidates.last().copied();
            for columns in (2..).take(values.slices[0].len()) {
                self.look(values, turns, columns, &Done::new(&Silent))?;
            }
        }
        let found = listed.finds.into_iter().take_while(|_| !self.progress.should_stop());
        found.map(|find| self.count(find, tables)).collect()
    }

    /// Counts the turns of only moves.
    fn count(&self, mut find: Find, tables: &Tablebase) -> Result<Find, ProbeError> {
        let most = match (self.filter.only_moves, find.value) {
            (0, _) => 0,
            (turns, Value::Draw) => turns,
            (_, Value::Win(_) | Value::Loss(_)) => usize::MAX,
        };
        find.only_moves = only_moves(tables, &find.position, self.filter.defence, most)?;
        Ok(find)
    }

    /// Offers those of these places that pass the filter, until the work is stopped.
    fn offer(
        &self,
        values: &Values,
        turns: &Turns,
        places: impl Iterator<Item = Place>,
    ) -> Result<(), ProbeError> {
        let mut bound = match self.first.lock() {
            Ok(first) if !self.progress.should_stop() => first.bound().copied(),
            _ => return Ok(()),
        };
        let wanted = self.filter.turns();
        for place in places {
            let value = values.at(place);
            if !self.filter.passes(value) {
                continue;
            }
            let plies = Reverse(value.dtw().unwrap_or(0));
            // There are no more choices than turns.
            if bound.is_some_and(|bound| bound < (Reverse(wanted), plies, place)) {
                continue;
            }
            let position = values.position(place);
            if !self.is_wanted(values, place.side, &position)
                || wanted > 0 && !turns.suffice(values, place, &position, value, wanted)
                || values.first_place(place.side, &position) != Some(place)
            {
                continue;
            }
            let choices = match wanted {
                0 => 0,
                _ => Solution::of(values, place, wanted, false)?.choices,
            };
            let key = (Reverse(choices), plies, place);
            if self.last.is_none_or(|last| last < key)
                && let Ok(mut first) = self.first.lock()
            {
                first.offer(key);
                bound = first.bound().copied();
            }
        }
        Ok(())
    }

    /// Whether a position has the pieces that are looked for, and is quiet if it must be.
    fn is_wanted(&self, values: &Values, side: usize, position: &OfficerPosition) -> bool {
        let placement = position.placement();
        !(self.filter.quiet && placement.must_capture())
            && self.colors_exchanged(values, side, position).is_some()
    }

    /// Whether the colours of a position are exchanged for the list; `None` if it has other pieces than
    /// those that are looked for. Where only White to move is stored, it stands for Black to move too.
    fn colors_exchanged(
        &self,
        values: &Values,
        side: usize,
        position: &OfficerPosition,
    ) -> Option<bool> {
        let exchanged = values.exchanged;
        let Some(wanted) = self.filter.pieces else { return Some(exchanged) };
        let placement = position.placement();
        let color = values.stored_color(side);
        let columns = ByColor::from_fn(|of| match of == color {
            true => placement.mover.len(),
            false => placement.other.len(),
        });
        let stands_for = if values.stored_material.is_balanced() { 2 } else { 1 };
        let pieces =
            |&exchanged: &bool| Pieces(if exchanged { columns.swapped() } else { columns });
        let choice = [exchanged, !exchanged].into_iter().take(stands_for);
        choice.into_iter().find(|exchanged| pieces(exchanged) == wanted)
    }

    /// Lists the candidates that belong to no study before them.
    fn list(
        &self,
        values: &Values,
        candidates: &[Key],
        listed: &mut Listed,
    ) -> Result<(), ProbeError> {
        let turns = self.filter.turns();
        for &(Reverse(choices), _, place) in candidates {
            if listed.finds.len() == self.filter.limit || self.progress.should_stop() {
                break;
            }
            if listed.shown.contains(&place) {
                continue;
            }
            let value = values.at(place);
            let solution = Solution::of(values, place, turns, true)?;
            let places: Vec<Option<Place>> = solution.places(values).collect();
            let to_last_turn = match usize::from(turns) {
                0 => places.len().div_ceil(2),
                turns => 2 * turns - usize::from(value.wdl() != Wdl::Loss),
            };
            if places.iter().take(to_last_turn).flatten().any(|place| listed.shown.contains(place))
            {
                continue;
            }
            listed.shown.extend(places.into_iter().flatten());
            let position = values.position(place);
            let Some(exchanged) = self.colors_exchanged(values, place.side, &position) else {
                unreachable!("candidates have the pieces that are looked for")
            };
            let mut find = solution.into_find(values, place.side, exchanged, value);
            find.choices = choices.into();
            listed.finds.push(find);
        }
        Ok(())
    }
}
