//! Going through all values of a table, slice by slice.

use super::columns::ColumnShapesByRow;
use super::least::LeastItems;
use super::{
    Analysis, AnalysisOptions, ColumnShapes, Tally, ValuedPosition, Zugzwang, ZugzwangKind,
    Zugzwangs,
};
use crate::index::SliceIndex;
use crate::resolve::SliceReader;
use crate::rules::{ByColor, Color, OfficerPosition, Placement, Position, SymmetrySet};
use crate::table::{Table, TableError};
use crate::values::SliceValues;
use crate::{Progress, Value};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;

/// Batch size: roughly how many positions of one side a thread looks at before it takes new work.
const BATCH_POSITIONS: usize = 1 << 18;

pub(super) fn walk(
    table: &Table,
    options: AnalysisOptions,
    progress: &dyn Progress,
) -> Result<Analysis, TableError> {
    table.check_whole()?;
    let mut by_column_shapes: BTreeMap<ColumnShapes, ByColor<Tally>> = BTreeMap::new();
    let mut all_found = FoundPositions::new(options);
    let mut reader = SliceReader::new(table).keep_in(options.keep);
    while let Some(columns) = reader.read_next()? {
        reader.check()?;
        let slice = ColumnsWalk::new(table, columns, reader.slices(), options);
        progress.slice_started(table.material(), columns, slice.positions());
        let (tallies, found) = slice.walk(progress);
        progress.slice_finished();
        all_found.merge(found);
        for (side, tallies) in slice.sides.iter().zip(tallies) {
            for (shapes, tally) in side.shapes.list.iter().zip(tallies) {
                by_column_shapes.entry(shapes.clone()).or_default()[side.mover] += tally;
                if slice.is_balanced() {
                    // What is stored for White holds for Black when the colours are exchanged.
                    let exchanged = shapes.clone().swap_colors();
                    by_column_shapes.entry(exchanged).or_default()[!side.mover] += tally;
                }
            }
        }
    }
    let longest = all_found.longest.into_items().map(|(Reverse(plies), columns, side, number)| {
        let position = position_of(table, side, columns, number);
        ValuedPosition { position, value: Value::Win(plies) }
    });
    let zugzwangs = |found: FoundZugzwangs| {
        let listed = found.listed.into_items().map(|(columns, _, _, number, to_move)| Zugzwang {
            position: position_of(table, 0, columns, number),
            to_move,
        });
        Zugzwangs { boards: found.boards, distinct: found.distinct, listed: listed.collect() }
    };
    let mut analysis = Analysis {
        material: table.material(),
        by_column_shapes,
        longest: longest.collect(),
        full_point: None,
        half_point: None,
    };
    if options.zugzwangs.is_some() {
        let [full_point, half_point] = all_found.zugzwangs;
        analysis.full_point = Some(zugzwangs(full_point));
        analysis.half_point = Some(zugzwangs(half_point));
    }
    Ok(analysis)
}

/// The position with this number in the slice of the stored side number `side`.
fn position_of(table: &Table, side: usize, columns: usize, number: u64) -> Position {
    let (material, mover) = (table.material(), table.material().stored_sides()[side]);
    match material.slice(mover, columns).position(number).to_position(mover) {
        Some(position) => position,
        None => unreachable!("a position has room for the counters of every material"),
    }
}

/// A win as it is sorted: by plies, the most first, then by columns, stored side and number.
type WinKey = (Reverse<u16>, usize, usize, u64);

/// A zugzwang as it is sorted: by columns, by the shorter and then the longer distance, the greatest
/// first, then by number with White to move. Last stands the value for each side to move.
type ZugzwangKey = (usize, Reverse<u16>, Reverse<u16>, u64, ByColor<Value>);

/// The positions to list that were found so far.
#[derive(Clone, Debug)]
struct FoundPositions {
    longest: LeastItems<WinKey>,
    /// In the order of [`ZugzwangKind`].
    zugzwangs: [FoundZugzwangs; 2],
}

#[derive(Clone, Debug)]
struct FoundZugzwangs {
    boards: u64,
    distinct: u64,
    listed: LeastItems<ZugzwangKey>,
}

impl FoundPositions {
    fn new(options: AnalysisOptions) -> FoundPositions {
        let listed = || LeastItems::new(options.zugzwangs.unwrap_or(0));
        let zugzwangs = || FoundZugzwangs { boards: 0, distinct: 0, listed: listed() };
        FoundPositions {
            longest: LeastItems::new(options.longest),
            zugzwangs: [zugzwangs(), zugzwangs()],
        }
    }

    fn merge(&mut self, other: FoundPositions) {
        other.longest.into_items().for_each(|deep| self.longest.offer(deep));
        for (all, more) in self.zugzwangs.iter_mut().zip(other.zugzwangs) {
            all.boards += more.boards;
            all.distinct += more.distinct;
            more.listed.into_items().for_each(|zugzwang| all.listed.offer(zugzwang));
        }
    }
}

/// The slice of one stored side to move, with its values.
struct ValuedSlice<'a> {
    mover: Color,
    index: SliceIndex,
    values: &'a SliceValues,
    shapes: ColumnShapesByRow,
}

/// The slices of one number of columns, one for each stored side to move.
struct ColumnsWalk<'a> {
    options: AnalysisOptions,
    /// White to move; then Black, unless the colours are exchanged instead.
    sides: Vec<ValuedSlice<'a>>,
    /// For each row of the first slice, the row of the last one that stands for the same board with
    /// the other side to move. The orbit is the same.
    partners: Vec<u32>,
}

/// The counts for each stored side and, within it, for the shapes of the columns.
type Tallies = Vec<Vec<Tally>>;

impl<'a> ColumnsWalk<'a> {
    fn new(
        table: &Table,
        columns: usize,
        slices: &'a [Vec<SliceValues>],
        options: AnalysisOptions,
    ) -> ColumnsWalk<'a> {
        let side = |(&mover, slices): (&Color, &'a Vec<SliceValues>)| {
            let index = table.material().slice(mover, columns);
            let shapes = ColumnShapesByRow::new(&index, mover);
            ValuedSlice { mover, index, values: &slices[columns - 2], shapes }
        };
        let stored = table.material().stored_sides().iter();
        let sides: Vec<ValuedSlice> = stored.zip(slices).map(side).collect();
        let mut slice = ColumnsWalk { options, sides, partners: Vec::new() };
        slice.partners = partners(&slice.first().index, &slice.last().index);
        slice
    }

    fn first(&self) -> &ValuedSlice<'a> {
        &self.sides[0]
    }

    fn last(&self) -> &ValuedSlice<'a> {
        &self.sides[self.sides.len() - 1]
    }

    fn is_balanced(&self) -> bool {
        self.sides.len() == 1
    }

    fn index(&self) -> &SliceIndex {
        &self.first().index
    }

    /// How many positions the slices have.
    fn positions(&self) -> u64 {
        self.sides.iter().map(|side| side.index.positions()).sum()
    }

    fn walk(&self, progress: &dyn Progress) -> (Tallies, FoundPositions) {
        let orbits = self.index().orbits();
        let batch_orbits = (BATCH_POSITIONS / self.index().rows()).max(1);
        let done = Mutex::new(0);
        let empty = || {
            let none = |side: &ValuedSlice| vec![Tally::default(); side.shapes.list.len()];
            (self.sides.iter().map(none).collect::<Tallies>(), FoundPositions::new(self.options))
        };
        (0..orbits.div_ceil(batch_orbits))
            .into_par_iter()
            .map(|batch| {
                let first = batch * batch_orbits;
                let batch = first..(first + batch_orbits).min(orbits);
                let positions = (batch.len() * self.index().rows() * self.sides.len()) as u64;
                let (mut tallies, mut found) = empty();
                self.walk_orbits(batch, &mut tallies, &mut found);
                if let Ok(mut done) = done.lock() {
                    *done += positions;
                    progress.positions_checked(*done);
                }
                (tallies, found)
            })
            .reduce(empty, |(mut tallies, mut found), (more, more_found)| {
                for (all, more) in tallies.iter_mut().flatten().zip(more.into_iter().flatten()) {
                    *all += more;
                }
                found.merge(more_found);
                (tallies, found)
            })
    }

    fn walk_orbits(&self, orbits: Range<usize>, tallies: &mut Tallies, found: &mut FoundPositions) {
        let rows = self.index().rows();
        let numbers = (orbits.start * rows) as u64..(orbits.end * rows) as u64;
        let values: Vec<Vec<Value>> = self
            .sides
            .iter()
            .map(|side| numbers.clone().map(|number| side.values.value(number)).collect())
            .collect();
        for number in orbits.clone() {
            let within = (number - orbits.start) * rows;
            let of_orbit = |side: usize| &values[side][within..within + rows];
            let sets = self.index().sets();
            let orbit = Orbit {
                number,
                stabilizer: sets.stabilizer(number),
                images: sets.orbit_len(number) as u64,
            };
            for (side, tallies) in tallies.iter_mut().enumerate() {
                self.count(side, &orbit, of_orbit(side), tallies, &mut found.longest);
            }
            if self.options.zugzwangs.is_some() {
                let both = [of_orbit(0), of_orbit(self.sides.len() - 1)];
                self.find_zugzwangs(&orbit, both, &mut found.zugzwangs);
            }
        }
    }

    /// Counts the positions of an orbit, and offers its wins to the list of the longest.
    fn count(
        &self,
        side: usize,
        orbit: &Orbit,
        values: &[Value],
        tallies: &mut [Tally],
        longest: &mut LeastItems<WinKey>,
    ) {
        let slice = &self.sides[side];
        let index = &slice.index;
        let first = (orbit.number * index.rows()) as u64;
        for (row, (&value, &shapes)) in values.iter().zip(&slice.shapes.of_row).enumerate() {
            tallies[shapes as usize].count(value.wdl(), orbit.images);
            if self.options.longest == 0 {
                continue;
            }
            let Value::Win(plies) = value else { continue };
            let number = first + row as u64;
            let key = (Reverse(plies), index.columns(), side, number);
            if longest.would_keep(&key) && orbit.is_first(index, row, &index.position(number)) {
                longest.offer(key);
            }
        }
    }

    /// Counts and lists the zugzwangs of an orbit.
    fn find_zugzwangs(
        &self,
        orbit: &Orbit,
        values: [&[Value]; 2],
        found: &mut [FoundZugzwangs; 2],
    ) {
        let index = self.index();
        let occupied = index.sets().representative(orbit.number);
        for split in index.splits() {
            for mask in split.owner_masks() {
                let placement = Placement::with_owners(occupied, mask);
                if placement.must_capture() || placement.for_other_side().must_capture() {
                    continue;
                }
                let start = split.mask_start(mask);
                for row in start..start + split.mask_rows {
                    let partner = self.partners[row] as usize;
                    let to_move = ByColor { white: values[0][row], black: values[1][partner] };
                    let Some((kind, shorter, longer)) = zugzwang_of(to_move) else { continue };
                    let found = &mut found[kind as usize];
                    found.boards += orbit.images;
                    if self.counts_as_distinct(orbit, row, partner) {
                        found.distinct += 1;
                        let number = (orbit.number * index.rows() + row) as u64;
                        let (shorter, longer) = (Reverse(shorter), Reverse(longer));
                        found.listed.offer((index.columns(), shorter, longer, number, to_move));
                    }
                }
            }
        }
    }

    /// Whether the board of a row is the one that stands for all boards that are like it.
    fn counts_as_distinct(&self, orbit: &Orbit, row: usize, partner: usize) -> bool {
        // With the colours exchanged, the board is met again in its partner's row.
        if self.is_balanced() && partner < row {
            return false;
        }
        if orbit.stabilizer.len() == 1 {
            return true;
        }
        let index = self.index();
        let position = index.position((orbit.number * index.rows() + row) as u64);
        orbit.is_first(index, row, &position)
            && (!self.is_balanced() || orbit.is_first(index, row, &position.for_other_side()))
    }
}

/// An orbit with what is needed of it again and again.
struct Orbit {
    number: usize,
    /// The symmetries that map the occupied squares onto themselves.
    stabilizer: SymmetrySet,
    /// How many sets of squares the orbit stands for.
    images: u64,
}

impl Orbit {
    /// Whether `row` is the lowest of the rows that a position has in this orbit. It has several if a
    /// symmetry maps its occupied squares onto themselves.
    fn is_first(&self, index: &SliceIndex, row: usize, position: &OfficerPosition) -> bool {
        let representative = index.sets().representative(self.number);
        self.stabilizer.into_iter().all(|g| index.row(position, g, representative) >= row)
    }
}

/// For each row of `index`, the row of the same board with the other side to move. `other` is the slice of
/// that side, and the orbit stays the same.
fn partners(index: &SliceIndex, other: &SliceIndex) -> Vec<u32> {
    let columns = index.columns();
    let mut partners = Vec::with_capacity(index.rows());
    for split in index.splits() {
        let partner = other.split(columns - split.mover_columns);
        for mask in split.owner_masks() {
            let start = partner.mask_start(!mask & ((1 << columns) - 1));
            for pair in 0..split.mask_rows {
                let (mover, other) = (pair / split.mover_rows, pair % split.mover_rows);
                partners.push((start + other * partner.mover_rows + mover) as u32);
            }
        }
    }
    partners
}

/// The kind of a zugzwang, with the shorter and the longer distance to its end (0 for a draw); `None` if
/// it costs nothing to be the side to move.
fn zugzwang_of(to_move: ByColor<Value>) -> Option<(ZugzwangKind, u16, u16)> {
    let ByColor { white, black } = to_move;
    match (white, black) {
        (Value::Loss(white), Value::Loss(black)) => {
            Some((ZugzwangKind::FullPoint, white.min(black), white.max(black)))
        }
        (Value::Loss(plies), Value::Draw) | (Value::Draw, Value::Loss(plies)) => {
            Some((ZugzwangKind::HalfPoint, plies, 0))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partners_are_the_same_boards_with_the_other_side_to_move() {
        let index = SliceIndex::new(3, 2, 4).unwrap();
        let other = index.for_other_side();
        for (row, &partner) in partners(&index, &other).iter().enumerate() {
            for orbit in [0, 77] {
                let board = index.position((orbit * index.rows() + row) as u64);
                let number = (orbit * other.rows()) as u64 + u64::from(partner);
                assert_eq!(other.position(number), board.for_other_side());
            }
        }
    }
}
