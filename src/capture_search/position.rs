//! The value of one position, by a search of a few plies down to stored values.

use crate::index::Material;
use crate::rules::{OfficerPosition, Position, RuleSet};
use crate::table::{BlockCache, Cell, NoCache, Table, TableError};
use crate::values::Distance;
use crate::{Value, Wdl};

/// How many moves the search follows from a position at most, so that the stack of a thread has room for
/// them. The longest line of captures that is known to end has 46. This also stops the search where captures lead back
/// to a position, in a file that says falsely that they come to an end.
const MAX_DEPTH: usize = 1 << 8;

/// How many positions the search visits for one answer at most: some seconds of work. It is far more
/// than any sound table needs, and stops the search in a file that says falsely that captures come to an end.
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
    /// [`TableError::BeyondColumns`] if the position has more columns than a bounded table covers;
    /// [`TableError::Damaged`] if it is not of this table for another reason, if a part of the file that is
    /// needed is damaged, if the table says falsely that captures come to an end, or if it lacks the result
    /// of a quiet position.
    pub fn wdl(&self, position: &OfficerPosition) -> Result<Wdl, TableError> {
        self.wdl_of(position, self.side_of(position)?)
    }

    /// The value of a position for the side to move; see [`Table::wdl`]. Nothing that is decoded is kept:
    /// a [`Tablebase`](crate::probe::Tablebase) is faster.
    ///
    /// # Errors
    /// As [`Table::wdl`]; [`TableError::NoDtw`] if the table has no DTW file;
    /// [`TableError::Damaged`] if the stored result of a position does not follow from the
    /// values of its successors.
    pub fn value(&self, position: &OfficerPosition) -> Result<Value, TableError> {
        value_with(self, position, self.side_of(position)?, &NoCache)
    }

    /// Win, draw or loss of a position of which the stored side to move is known.
    #[inline]
    pub(crate) fn wdl_of(
        &self,
        position: &OfficerPosition,
        side: usize,
    ) -> Result<Wdl, TableError> {
        wdl(&InFiles { table: self, cache: &NoCache }, position, side)
    }
}

/// The value of a position of which the stored side to move is known. Decoded blocks are looked up in
/// `cache`.
#[inline]
pub fn value_with(
    table: &Table,
    position: &OfficerPosition,
    side: usize,
    cache: &impl BlockCache,
) -> Result<Value, TableError> {
    if !table.has_dtw() {
        return Err(TableError::NoDtw);
    }
    value(&InFiles { table, cache }, position, side)
}

/// The known values of a table, down to which a search goes.
pub(crate) trait KnownValues {
    /// The address of a position's values.
    type Address: Copy;

    fn material(&self) -> Material;

    fn rules(&self) -> RuleSet;

    /// The address of a position, whose counters must be those of the table. `side` is the stored side to
    /// move.
    fn address(&self, position: &OfficerPosition, side: usize)
    -> Result<Self::Address, TableError>;

    /// The result at an address; `None` if it is not known. That of a quiet position must be known.
    fn wdl(&self, address: Self::Address) -> Result<Option<Wdl>, TableError>;

    /// The value at an address; `None` if it is not known.
    fn value(&self, address: Self::Address) -> Result<Option<Value>, TableError>;

    /// Notes a result that was not known.
    fn remember_wdl(&self, _: Self::Address, _: Wdl) {}

    /// Notes a value that was not known.
    fn remember_value(&self, _: Self::Address, _: Value) {}
}

/// The values that are stored in the files of a table.
struct InFiles<'a, C> {
    table: &'a Table,
    cache: &'a C,
}

impl<'a, C: BlockCache> KnownValues for InFiles<'a, C> {
    /// Capture positions may have no cell.
    type Address = Option<Cell<'a>>;

    fn material(&self) -> Material {
        self.table.material()
    }

    fn rules(&self) -> RuleSet {
        self.table.rules()
    }

    #[inline]
    fn address(
        &self,
        position: &OfficerPosition,
        side: usize,
    ) -> Result<Option<Cell<'a>>, TableError> {
        self.table.cell(position, side)
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

/// Win, draw or loss of a position of which the stored side to move is known.
#[inline]
pub(super) fn wdl(
    known: &impl KnownValues,
    position: &OfficerPosition,
    side: usize,
) -> Result<Wdl, TableError> {
    CaptureSearch::new(known, position).wdl(Reached::new(position, side, known.material()))
}

/// The value of such a position.
#[inline]
pub(super) fn value(
    known: &impl KnownValues,
    position: &OfficerPosition,
    side: usize,
) -> Result<Value, TableError> {
    CaptureSearch::new(known, position).value(Reached::new(position, side, known.material()), None)
}

/// A position that the search has come to.
#[derive(Clone, Copy)]
struct Reached<'a> {
    position: &'a OfficerPosition,
    /// The stored side to move, and that after one more move. No move takes a counter from the board, so
    /// they take turns.
    sides: [usize; 2],
    /// How many moves it is from the position that was asked about.
    depth: usize,
}

impl<'a> Reached<'a> {
    fn new(position: &'a OfficerPosition, side: usize, material: Material) -> Reached<'a> {
        let sides = [side, material.stored_sides().len() - 1 - side];
        Reached { position, sides, depth: 0 }
    }

    fn then<'b>(self, position: &'b OfficerPosition) -> Reached<'b> {
        let [side, next] = self.sides;
        Reached { position, sides: [next, side], depth: self.depth + 1 }
    }
}

/// A search for the value of one position.
struct CaptureSearch<'a, K> {
    known: &'a K,
    /// The position that was asked about.
    asked: &'a OfficerPosition,
    /// How many positions may still be visited.
    left: u32,
}

impl<'a, K: KnownValues> CaptureSearch<'a, K> {
    fn new(known: &'a K, asked: &'a OfficerPosition) -> CaptureSearch<'a, K> {
        CaptureSearch { known, asked, left: MAX_VISITED }
    }

    /// Counts a visit. Fails after too many of them, or where the line to the position is too long.
    #[inline]
    fn visit(&mut self, at: Reached<'_>) -> Result<(), TableError> {
        if self.left == 0 || at.depth > MAX_DEPTH {
            return Err(self.too_many_positions());
        }
        self.left -= 1;
        Ok(())
    }

    /// The result of a position.
    fn wdl(&mut self, at: Reached<'_>) -> Result<Wdl, TableError> {
        self.visit(at)?;
        let position = at.position;
        let address = self.known.address(position, at.sides[0])?;
        if let Some(wdl) = self.known.wdl(address)? {
            return Ok(wdl);
        }
        if !position.placement().must_capture() {
            return Err(self.no_result(position));
        }
        let mut best = Ok(Wdl::Loss);
        position.captures(self.known.rules(), |after| {
            if let Ok(wdl) = best
                && wdl != Wdl::Win
            {
                best = self.wdl_after(at, after).map(|after| wdl.max(-after));
            }
        });
        best.inspect(|&wdl| self.known.remember_wdl(address, wdl))
    }

    /// The result after a move, for the side that is then to move.
    fn wdl_after(&mut self, at: Reached<'_>, after: &OfficerPosition) -> Result<Wdl, TableError> {
        if after.placement().mover.is_empty() {
            return Ok(Wdl::Loss);
        }
        self.wdl(at.then(after))
    }

    /// The value of a position. `wdl` is its result, if that is known already.
    fn value(&mut self, at: Reached<'_>, wdl: Option<Wdl>) -> Result<Value, TableError> {
        self.visit(at)?;
        let address = self.known.address(at.position, at.sides[0])?;
        if let Some(value) = self.known.value(address)? {
            return Ok(value);
        }
        let wdl = wdl.map_or_else(|| self.wdl(at), Ok)?;
        let value = match wdl {
            Wdl::Draw => Value::Draw,
            Wdl::Win | Wdl::Loss => self.best_value(at, wdl)?,
        };
        self.known.remember_value(address, value);
        Ok(value)
    }

    /// The value of a position, which is won or lost. It follows from the best move with this result: the one that wins
    /// soonest or loses latest.
    fn best_value(&mut self, at: Reached<'_>, wdl: Wdl) -> Result<Value, TableError> {
        let (position, rules) = (at.position, self.known.rules());
        let mut best: Result<Option<Value>, TableError> = Ok(None);
        let mut look = |after: &OfficerPosition| {
            if let Ok(found) = best {
                best = self.value_after(at, after, wdl).map(|value| found.max(value));
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
            None => Err(contradiction(&self.shown(position))),
        }
    }

    /// What a move is worth, counted from the position before it, if its result is `wanted`.
    fn value_after(
        &mut self,
        at: Reached<'_>,
        after: &OfficerPosition,
        wanted: Wdl,
    ) -> Result<Option<Value>, TableError> {
        // Where the position is lost, all moves lose.
        if wanted == Wdl::Win && self.wdl_after(at, after)? != Wdl::Loss {
            return Ok(None);
        }
        let value = if after.placement().mover.is_empty() {
            Value::Loss(0)
        } else {
            self.value(at.then(after), Some(-wanted))?
        };
        let value = value.before_move();
        if value.wdl() != wanted || value.dtw() > Some(Distance::MAX_DTW) {
            return Err(contradiction(&self.shown(after)));
        }
        Ok(Some(value))
    }

    /// The value does not follow from the stored values within a reasonable number of other positions, as in a
    /// table that says falsely that all sequences of captures end.
    #[cold]
    fn too_many_positions(&self) -> TableError {
        let position = self.shown(self.asked);
        TableError::damaged(format!(
            "the value of {position} depends on more positions than are looked at for one answer"
        ))
    }

    #[cold]
    fn no_result(&self, position: &OfficerPosition) -> TableError {
        let position = self.shown(position);
        TableError::damaged(format!(
            "no result is stored for {position}, in which no capture is possible"
        ))
    }

    /// A position for an error.
    #[cold]
    fn shown(&self, position: &OfficerPosition) -> Position {
        let side = Material::stored_side(position.mover_and_other());
        position.in_colors(self.known.material().stored_sides()[side])
    }
}

/// The stored WDL of a position does not follow from the values of its successors, so the position has no
/// distance.
#[cold]
pub(super) fn contradiction(position: &Position) -> TableError {
    TableError::damaged(format!(
        "the result that is stored for {position} does not follow from the values of its successors"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Color;
    use crate::testing::endless_captures;
    use std::cell::RefCell;

    /// A position of as many counters of both sides, in which a search begins.
    fn asked(position: &OfficerPosition) -> Reached<'_> {
        Reached::new(position, 0, "2-2".parse().unwrap())
    }

    /// How many positions the search visits for the value of a position.
    fn visited(files: &InFiles<NoCache>, position: &OfficerPosition) -> u32 {
        let mut search = CaptureSearch::new(files, position);
        search.value(asked(position), None).unwrap();
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
            let mut search = CaptureSearch { left, ..CaptureSearch::new(&files, &most) };
            let error = search.value(asked(&most), None).unwrap_err();
            assert_eq!(error, search.too_many_positions());
            let position = most.to_position(Color::White).unwrap().to_string();
            assert!(error.to_string().contains(&position), "{error}");
        }
        let mut search = CaptureSearch { left: needed, ..CaptureSearch::new(&files, &most) };
        assert!(search.value(asked(&most), None).is_ok());
    }

    /// The positions of a circle of captures. Only the values of `known` and of positions beside the circle
    /// are known.
    struct Circle {
        passed: Vec<OfficerPosition>,
        known: Option<usize>,
        /// Whether the results of the circle are known, though not its distances.
        has_results: bool,
        /// Where on the stack the search was whenever it asked for an address.
        stack: RefCell<Vec<usize>>,
    }

    impl Circle {
        fn new(passed: &[OfficerPosition], known: Option<usize>) -> Circle {
            Circle { passed: passed.to_vec(), known, has_results: false, stack: RefCell::default() }
        }
    }

    fn circle() -> Vec<OfficerPosition> {
        let (rules, passed) = endless_captures().swap_remove(0);
        assert_eq!(rules, RuleSet::Lasca);
        passed[1..].iter().map(|position| position.try_into().unwrap()).collect()
    }

    impl KnownValues for Circle {
        type Address = Option<usize>;

        fn material(&self) -> Material {
            "11-11".parse().unwrap()
        }

        fn rules(&self) -> RuleSet {
            RuleSet::Lasca
        }

        fn address(
            &self,
            position: &OfficerPosition,
            _: usize,
        ) -> Result<Option<usize>, TableError> {
            let here = 0u8;
            self.stack.borrow_mut().push((&raw const here).addr());
            Ok(self.passed.iter().position(|passed| passed == position))
        }

        fn wdl(&self, address: Option<usize>) -> Result<Option<Wdl>, TableError> {
            let of_circle = |at: usize| if at.is_multiple_of(2) { Wdl::Win } else { Wdl::Loss };
            let known = address.filter(|_| self.has_results).map(of_circle);
            Ok(known.or(self.value(address)?.map(Value::wdl)))
        }

        fn value(&self, address: Option<usize>) -> Result<Option<Value>, TableError> {
            // Moves that leave the circle lose.
            Ok((address.is_none() || address == self.known).then_some(Value::Win(1)))
        }
    }

    #[test]
    fn captures_that_lead_back_stop_the_search_before_the_stack_of_a_thread_is_full() {
        let passed = circle();
        let length = passed.len();
        for (at, position) in passed.iter().enumerate() {
            for has_results in [false, true] {
                let known = Circle { has_results, ..Circle::new(&passed, None) };
                let error = CaptureSearch::new(&known, position).too_many_positions();
                assert_eq!(wdl(&known, position, 0).is_ok(), has_results);
                assert_eq!(value(&known, position, 0), Err(error));
                let stack = known.stack.borrow();
                let used = stack.iter().max().unwrap() - stack.iter().min().unwrap();
                assert!(used < 1 << 19, "{used} bytes");
            }
            // As long as they do not lead back, it follows them all.
            let known = Circle::new(&passed, Some((at + length - 1) % length));
            assert_eq!(wdl(&known, position, 0), Ok(Wdl::Loss));
            assert_eq!(value(&known, position, 0).map(Value::wdl), Ok(Wdl::Loss));
        }
    }

    #[test]
    fn a_quiet_position_without_a_result_is_an_error() {
        let quiet: Position = "a1WWWWWWWWWWW g7BBBBBBBBBBB w".parse().unwrap();
        let quiet = OfficerPosition::try_from(&quiet).unwrap();
        let known = Circle::new(&[quiet], None);
        let error = wdl(&known, &quiet, 0).unwrap_err();
        let position = quiet.in_colors(Color::White);
        assert!(
            error.to_string().contains(&format!("no result is stored for {position}")),
            "{error}"
        );
        assert_eq!(value(&known, &quiet, 0), Err(error));
    }
}
