//! The value of one position, by a search of a few plies down to stored values.

use crate::index::Material;
use crate::rules::{OfficerPosition, Position, RuleSet};
use crate::table::{BlockCache, Cell, NoCache, Table, TableError};
use crate::values::Distance;
use crate::{Value, Wdl};

/// How many moves the search follows from a position. Only a file that says falsely that captures
/// come to an end can need more.
const MAX_DEPTH: usize = 64;

/// How many positions the search visits for one answer at most: some seconds of work. It is far more
/// than any sound table needs, and stops the search in a file that says falsely that captures come to
/// an end.
const MAX_VISITED: u32 = 1 << 24;

impl Table {
    /// Win, draw or loss of a position for the side to move. Both sides must command a column, and
    /// the counters must be those of the material, whichever side has more.
    ///
    /// ```
    /// use lasca_tablebase::Wdl;
    /// use lasca_tablebase::rules::{OfficerPosition, Position};
    /// use lasca_tablebase::table::Table;
    /// let table = Table::open_file("tables/lasca-2-2.ltbw".as_ref())?;
    /// let position: Position = "a1WW b2BB w".parse()?;
    /// assert_eq!(table.wdl(&OfficerPosition::try_from(&position)?)?, Wdl::Win);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a part of the file that is needed is damaged; [`TableError::BeyondColumns`] if the
    /// position has more columns than a bounded table covers; [`TableError::MissingSlice`] if it is not
    /// of this table for another reason; [`TableError::EndlessCaptures`] or
    /// [`TableError::TooManyPositions`] if the table says falsely that captures come to an end.
    pub fn wdl(&self, position: &OfficerPosition) -> Result<Wdl, TableError> {
        wdl(&InFiles { table: self, cache: &NoCache }, position)
    }

    /// The value of a position for the side to move; see [`Table::wdl`]. Decoded blocks are looked
    /// up in `cache`.
    ///
    /// # Errors
    /// As [`Table::wdl`]; [`TableError::NoDtw`] if the table has no DTW file;
    /// [`TableError::Contradiction`] if the stored result of a position does not follow from the
    /// values of its successors.
    pub fn value(
        &self,
        position: &OfficerPosition,
        cache: &impl BlockCache,
    ) -> Result<Value, TableError> {
        if !self.has_dtw() {
            return Err(TableError::NoDtw);
        }
        value(&InFiles { table: self, cache }, position)
    }
}

/// The known values of a table, down to which a search goes.
pub(super) trait KnownValues {
    /// The place of a position's values.
    type Place: Copy;

    fn material(&self) -> Material;

    fn rules(&self) -> RuleSet;

    /// The place of a position, which must be of the table.
    fn place(&self, position: &OfficerPosition) -> Result<Self::Place, TableError>;

    /// The result in a place; `None` if it is not known. That of a quiet position must be known.
    fn wdl(&self, place: Self::Place) -> Result<Option<Wdl>, TableError>;

    /// The value in a place; `None` if it is not known.
    fn value(&self, place: Self::Place) -> Result<Option<Value>, TableError>;

    /// Notes a result that was not known.
    fn remember_wdl(&self, _: Self::Place, _: Wdl) {}

    /// Notes a value that was not known.
    fn remember_value(&self, _: Self::Place, _: Value) {}
}

/// The values that are stored in the files of a table.
struct InFiles<'a, C> {
    table: &'a Table,
    cache: &'a C,
}

impl<'a, C: BlockCache> KnownValues for InFiles<'a, C> {
    /// Capture positions may have no cell.
    type Place = Option<Cell<'a>>;

    fn material(&self) -> Material {
        self.table.material()
    }

    fn rules(&self) -> RuleSet {
        self.table.rules()
    }

    #[inline]
    fn place(&self, position: &OfficerPosition) -> Result<Option<Cell<'a>>, TableError> {
        self.table.cell(position)
    }

    #[inline]
    fn wdl(&self, cell: Option<Cell<'a>>) -> Result<Option<Wdl>, TableError> {
        cell.map(|cell| self.table.stored_wdl(cell)).transpose()
    }

    #[inline]
    fn value(&self, cell: Option<Cell<'a>>) -> Result<Option<Value>, TableError> {
        cell.map_or(Ok(None), |cell| self.table.stored_value(cell, self.cache))
    }
}

/// Win, draw or loss of a position.
#[inline]
pub(super) fn wdl(known: &impl KnownValues, position: &OfficerPosition) -> Result<Wdl, TableError> {
    Search::new(known, position).wdl(position, MAX_DEPTH)
}

/// The value of a position.
#[inline]
pub(super) fn value(
    known: &impl KnownValues,
    position: &OfficerPosition,
) -> Result<Value, TableError> {
    Search::new(known, position).value(position, None, MAX_DEPTH)
}

/// A search for the value of one position.
struct Search<'a, K> {
    known: &'a K,
    /// The position that was asked about.
    asked: &'a OfficerPosition,
    /// How many positions may still be visited.
    left: u32,
}

impl<'a, K: KnownValues> Search<'a, K> {
    fn new(known: &'a K, asked: &'a OfficerPosition) -> Search<'a, K> {
        Search { known, asked, left: MAX_VISITED }
    }

    /// Counts a visit.
    #[inline]
    fn visit(&mut self) -> Result<(), TableError> {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(TableError::TooManyPositions { position: self.shown(self.asked) }),
        }
    }

    /// The result of a position, following `depth` moves at most.
    fn wdl(&mut self, position: &OfficerPosition, depth: usize) -> Result<Wdl, TableError> {
        self.visit()?;
        let place = self.known.place(position)?;
        if let Some(wdl) = self.known.wdl(place)? {
            return Ok(wdl);
        }
        debug_assert!(
            position.placement().must_capture(),
            "the result of a quiet position is stored"
        );
        let mut best = Ok(Wdl::Loss);
        position.captures(self.known.rules(), |after| {
            if let Ok(wdl) = best
                && wdl != Wdl::Win
            {
                best = self.wdl_after(after, depth).map(|after| wdl.max(-after));
            }
        });
        best.inspect(|&wdl| self.known.remember_wdl(place, wdl))
    }

    /// The result after a move, for the side that is then to move.
    fn wdl_after(&mut self, after: &OfficerPosition, depth: usize) -> Result<Wdl, TableError> {
        if after.placement().mover.is_empty() {
            return Ok(Wdl::Loss);
        }
        let depth = self.deeper(depth, after)?;
        self.wdl(after, depth)
    }

    /// The value of a position, following `depth` moves at most. `wdl` is its result, if that is
    /// known already.
    fn value(
        &mut self,
        position: &OfficerPosition,
        wdl: Option<Wdl>,
        depth: usize,
    ) -> Result<Value, TableError> {
        self.visit()?;
        let place = self.known.place(position)?;
        if let Some(value) = self.known.value(place)? {
            return Ok(value);
        }
        let wdl = wdl.map_or_else(|| self.wdl(position, depth), Ok)?;
        let value = match wdl {
            Wdl::Draw => Value::Draw,
            Wdl::Win | Wdl::Loss => self.best_value(position, wdl, depth)?,
        };
        self.known.remember_value(place, value);
        Ok(value)
    }

    /// The value of a position that is won or lost: that of the move that leads to this result and wins
    /// soonest or loses latest.
    fn best_value(
        &mut self,
        position: &OfficerPosition,
        wdl: Wdl,
        depth: usize,
    ) -> Result<Value, TableError> {
        let rules = self.known.rules();
        let mut best: Result<Option<Value>, TableError> = Ok(None);
        let mut look = |after: &OfficerPosition| {
            if let Ok(found) = best {
                best = self.value_after(after, wdl, depth).map(|value| found.max(value));
            }
        };
        let is_quiet = !position.placement().must_capture();
        if is_quiet {
            for step in position.placement().steps() {
                look(&position.after_step(step));
            }
        } else {
            position.captures(rules, look);
        }
        match best? {
            Some(value) => Ok(value),
            None if wdl == Wdl::Loss && is_quiet => Ok(Value::Loss(0)),
            None => Err(TableError::Contradiction { position: self.shown(position) }),
        }
    }

    /// What a move is worth, counted from the position before it, if its result is `wanted`.
    fn value_after(
        &mut self,
        after: &OfficerPosition,
        wanted: Wdl,
        depth: usize,
    ) -> Result<Option<Value>, TableError> {
        // Where the position is lost, all moves lose.
        if wanted == Wdl::Win && self.wdl_after(after, depth)? != Wdl::Loss {
            return Ok(None);
        }
        let value = if after.placement().mover.is_empty() {
            Value::Loss(0)
        } else {
            let depth = self.deeper(depth, after)?;
            self.value(after, Some(-wanted), depth)?
        };
        let value = value.before_move();
        if value.wdl() != wanted || value.dtw() > Some(Distance::MAX_DTW) {
            return Err(TableError::Contradiction { position: self.shown(after) });
        }
        Ok(Some(value))
    }

    /// The depth that is left after one more move, to the position `after`.
    #[inline]
    fn deeper(&self, depth: usize, after: &OfficerPosition) -> Result<usize, TableError> {
        depth
            .checked_sub(1)
            .ok_or_else(|| TableError::EndlessCaptures { position: self.shown(after) })
    }

    /// A position for an error.
    #[cold]
    fn shown(&self, position: &OfficerPosition) -> Box<Position> {
        let material = self.known.material();
        let color = material.stored_sides()[material.stored_side_of(position)];
        Box::new(position.in_colors(color))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many positions the search visits for the value of a position.
    fn visited(files: &InFiles<NoCache>, position: &OfficerPosition) -> u32 {
        let mut search = Search::new(files, position);
        search.value(position, None, MAX_DEPTH).unwrap();
        MAX_VISITED - search.left
    }

    #[test]
    fn a_search_that_visits_too_many_positions_stops_with_an_error_that_names_the_position() {
        let table = Table::open_file("tables/lasca-2-2.ltbw".as_ref()).unwrap();
        let files = InFiles { table: &table, cache: &NoCache };
        let index = table.slice(0, 3).unwrap().index();
        let positions = (0..index.positions()).map(|number| index.position(number));
        let most = positions.max_by_key(|position| visited(&files, position)).unwrap();
        let needed = visited(&files, &most);
        assert!(needed > 4 && needed < MAX_VISITED / 1000, "{needed}");
        for left in 0..needed {
            let mut search = Search { left, ..Search::new(&files, &most) };
            let error = search.value(&most, None, MAX_DEPTH).unwrap_err();
            let position = Box::new(most.to_position(crate::rules::Color::White).unwrap());
            assert_eq!(error, TableError::TooManyPositions { position });
        }
        let mut search = Search { left: needed, ..Search::new(&files, &most) };
        assert!(search.value(&most, None, MAX_DEPTH).is_ok());
    }

    #[test]
    fn a_search_that_goes_too_deep_stops_with_an_error_that_names_the_position() {
        let table = Table::open_file("tables/lasca-2-2.ltbw".as_ref()).unwrap();
        let files = InFiles { table: &table, cache: &NoCache };
        let index = table.slice(0, 3).unwrap().index();
        let mut stopped = 0;
        for number in 0..index.positions() {
            let position = index.position(number);
            let capture = position.placement().must_capture();
            match Search::new(&files, &position).wdl(&position, 0) {
                Ok(_) => {}
                Err(TableError::EndlessCaptures { position: named }) => {
                    assert!(capture);
                    let named = OfficerPosition::try_from(&*named).unwrap();
                    let mut successor = false;
                    position.captures(table.rules(), |after| successor |= *after == named);
                    assert!(successor, "{position:?}");
                    stopped += 1;
                }
                Err(error) => panic!("{error}"),
            }
        }
        assert!(stopped > 100);
    }
}
