//! All values of a table, by position.
//!
//! [`each_columns`] reads a table for its callers: `walk` and `find::filter`. After each number of columns it calls
//! their work with the [`Values`] so far. They give the value at a [`Place`], the values after the moves, and the
//! position in the colours of the material that was asked for.
//!
//! No move adds columns, so work on `k` columns may use the values of all positions of up to `k` columns.
//! `walk` looks at each board alone, with either side to move, and so does `find`, which follows the moves of those
//! positions that may be listed.

use lasca_tablebase::capture_search::{KeepIn, SliceReader};
use lasca_tablebase::index::{Material, SliceIndex};
use lasca_tablebase::internals::{Done, SliceValues};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{Color, MOST_MOVES, OfficerPosition, Position, RuleSet, TooManyMoves};
use lasca_tablebase::{Progress, Value};
use std::ops::ControlFlow;

/// The values of a table, with the positions found in them.
pub(crate) struct Values<'a> {
    /// The material of the table.
    pub stored_material: Material,
    /// Whether the table is that of the asked material with the colours exchanged.
    pub exchanged: bool,
    pub rules: RuleSet,
    /// For each stored side to move, its slices from two columns on.
    pub slices: &'a [Vec<SliceValues>],
    /// The numbering of each slice.
    indexes: Vec<Vec<SliceIndex>>,
}

/// Where a table has the value of a position. Its order is that of columns, sides and numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    pub columns: usize,
    /// Which of the stored sides is to move.
    pub side: usize,
    /// The number within the slice.
    pub number: u64,
}

/// Reads the table that covers a material, one number of columns after the other, up to `most_columns`.
/// After each it calls `work` with the values so far, that number, and what is done: reading was the first half of
/// the work on each position. It ends early if `work` breaks off. Returns what [`Values::of`] needs for all of them.
///
/// # Errors
/// If the table is missing or damaged, or there is not enough memory.
pub(crate) fn each_columns<'t>(
    tables: &'t Tablebase,
    material: Material,
    keep: KeepIn,
    most_columns: usize,
    progress: &dyn Progress,
    mut work: impl FnMut(&Values, usize, &Done) -> Result<ControlFlow<()>, ProbeError>,
) -> Result<SliceReader<'t>, ProbeError> {
    let file = tables.file_of(material)?;
    let table = file.table()?;
    let failed = |error| file.error(error);
    table.check_whole().map_err(failed)?;
    let mut reader = SliceReader::new(table).keep_in(keep);
    for columns in table.extent().columns().take_while(|&columns| columns <= most_columns) {
        progress.slice_started(table.material(), columns, table.positions_of(columns));
        let done = Done::new(progress);
        reader.read_next_telling(&done).map_err(failed)?;
        reader.check().map_err(failed)?;
        let flow = work(&Values::of(&reader, material), columns, &done)?;
        progress.slice_finished();
        if flow.is_break() {
            break;
        }
    }
    Ok(reader)
}

impl<'a> Values<'a> {
    /// What has been read of the table that covers a material.
    pub fn of(reader: &'a SliceReader, material: Material) -> Values<'a> {
        let (table, slices) = (reader.table(), reader.slices());
        let stored = table.material();
        let indexes = stored.stored_sides().iter().zip(slices).map(|(&side, slices)| {
            (2..).take(slices.len()).map(|columns| stored.slice(side, columns)).collect()
        });
        let (rules, indexes) = (table.rules(), indexes.collect());
        let exchanged = stored != material;
        Values { stored_material: stored, exchanged, rules, slices, indexes }
    }

    /// The stored side that is to move after the stored side number `side` has moved. Where only White to
    /// move is stored, that is White too, colours exchanged.
    pub fn next_side(&self, side: usize) -> usize {
        (side + 1) % self.slices.len()
    }

    /// The colour of the side to move in the table.
    pub fn stored_color(&self, side: usize) -> Color {
        self.stored_material.stored_sides()[side]
    }

    /// The colour of the side to move in the material that was asked for.
    pub fn color(&self, side: usize) -> Color {
        if self.exchanged { !self.stored_color(side) } else { self.stored_color(side) }
    }

    pub fn index(&self, side: usize, columns: usize) -> &SliceIndex {
        &self.indexes[side][columns - 2]
    }

    pub fn slice(&self, side: usize, columns: usize) -> &'a SliceValues {
        &self.slices[side][columns - 2]
    }

    pub fn position(&self, place: Place) -> OfficerPosition {
        self.index(place.side, place.columns).position(place.number)
    }

    /// The position with its colours in the material that was asked for.
    pub fn in_colors(&self, place: Place) -> Position {
        let position = self.position(place).in_colors(self.stored_color(place.side));
        if self.exchanged { position.swap_colors() } else { position }
    }

    /// The value of the position at this place, for the side to move.
    pub fn at(&self, place: Place) -> Value {
        self.slice(place.side, place.columns).value(place.number)
    }

    /// Where the value of a position is; `None` if the side to move commands no column.
    pub fn place(&self, side: usize, position: &OfficerPosition) -> Option<Place> {
        if position.placement().mover.is_empty() {
            return None;
        }
        let columns = position.placement().occupied().len();
        let number = self.index(side, columns).number(position);
        Some(Place { columns, side, number: number? })
    }

    /// The place that stands for a position and all its images under the symmetries of the board; `None`
    /// if the side to move commands no column. A position has several numbers if a symmetry maps its
    /// occupied squares onto themselves.
    pub fn first_place(&self, side: usize, position: &OfficerPosition) -> Option<Place> {
        let place = self.place(side, position)?;
        let index = self.index(side, place.columns);
        let orbit = (place.number / index.rows() as u64) as usize;
        let (_, to_representative) = index.sets().fold(position.placement().occupied());
        let rows = to_representative.iter().map(|g| index.row_and_mask(position, g).0);
        let row = rows.min()?;
        Some(Place { number: (orbit * index.rows() + row) as u64, ..place })
    }

    /// The value of a position for the side to move. The other side commands a column, or the side to move
    /// commands none.
    pub fn value(&self, side: usize, position: &OfficerPosition) -> Value {
        match self.place(side, position) {
            Some(place) => self.at(place),
            None => Value::Loss(0),
        }
    }

    /// The positions after each move, with what the move is worth to the side that makes it.
    ///
    /// # Errors
    /// If there are [too many](MOST_MOVES).
    pub fn moves(
        &self,
        side: usize,
        position: &OfficerPosition,
    ) -> Result<Vec<(OfficerPosition, Value)>, TooManyMoves> {
        let (mut moves, next) = (Vec::new(), self.next_side(side));
        let listed = position.try_for_each_move(self.rules, |_, after| {
            if moves.len() == MOST_MOVES {
                return ControlFlow::Break(());
            }
            moves.push((*after, self.value(next, after).before_move()));
            ControlFlow::Continue(())
        });
        match listed {
            ControlFlow::Continue(()) => Ok(moves),
            ControlFlow::Break(()) => {
                let position = Box::new(position.in_colors(self.color(side)));
                Err(TooManyMoves { position })
            }
        }
    }
}
