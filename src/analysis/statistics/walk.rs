//! Going through all values of a table, slice by slice.

use super::columns::ColumnShapesByRow;
use super::values::{Place, Values, each_columns};
use super::{Analysis, AnalysisOptions, ColumnShapes, Tally, ValuedPosition, Zugzwang, Zugzwangs};
use lasca_tablebase::index::{Material, SliceIndex};
use lasca_tablebase::internals::{Done, LeastItems, MaskRows};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{ByColor, Color, Placement};
use lasca_tablebase::{Progress, Value};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Batch size: roughly how many positions of one side a thread looks at before it takes new work.
const BATCH_POSITIONS: usize = 1 << 18;

impl Analysis {
    /// Goes through all values of the table that covers a material, on the threads of the current rayon
    /// pool. The result does not depend on the number of threads. Meanwhile, the values of the table take a
    /// byte for each position, in memory or in files. If it is the table with the colours exchanged, the
    /// colours of the analysis are exchanged back.
    ///
    /// # Errors
    /// If the table is missing or damaged, or there is not enough memory.
    pub fn in_tables(
        tables: &Tablebase,
        material: Material,
        options: AnalysisOptions,
        progress: &dyn Progress,
    ) -> Result<Analysis, ProbeError> {
        let (keep, most) = (options.keep, *material.columns().end());
        let mut by_column_shapes: BTreeMap<ColumnShapes, ByColor<Tally>> = BTreeMap::new();
        let mut found = FoundPositions::new(options);
        let add = |values: &Values, columns, done: &Done| {
            let walk = ColumnsWalk::new(values, columns, options);
            let (tallies, more) = walk.walk(done);
            found.merge(more);
            for (side, (shapes, tallies)) in walk.shapes.into_iter().zip(tallies).enumerate() {
                let mover = values.color(side);
                for (shapes, tally) in shapes.list.into_iter().zip(tallies) {
                    if material.is_balanced() {
                        // What is stored for White holds for Black when the colours are exchanged.
                        let exchanged = shapes.clone().swap_colors();
                        by_column_shapes.entry(exchanged).or_default()[!mover] += tally;
                    }
                    by_column_shapes.entry(shapes).or_default()[mover] += tally;
                }
            }
            Ok(ControlFlow::Continue(()))
        };
        let reader = each_columns(tables, material, keep, most, progress, add)?;
        let values = Values::of(&reader, material);
        let longest = found.longest.into_items().map(|(Reverse(plies), place)| ValuedPosition {
            position: values.in_colors(place),
            value: Value::Win(plies),
        });
        let zugzwangs = |found: FoundZugzwangs| {
            let listed =
                found.listed.into_items().map(|(columns, _, _, number, to_move)| Zugzwang {
                    position: values
                        .in_colors(Place { columns, side: 0, number })
                        .with_side_to_move(Color::White),
                    to_move,
                });
            Zugzwangs { boards: found.boards, distinct: found.distinct, listed: listed.collect() }
        };
        let [full_point, half_point] = found.zugzwangs.map(zugzwangs);
        let wanted = options.zugzwangs.is_some();
        Ok(Analysis {
            material,
            by_column_shapes,
            longest: longest.collect(),
            full_point: wanted.then_some(full_point),
            half_point: wanted.then_some(half_point),
        })
    }
}

/// A win as it is sorted: by plies, the most first, then by its place.
type WinKey = (Reverse<u16>, Place);

/// A zugzwang as it is sorted: by columns, by the shorter and then the longer distance, the greatest
/// first, then by the table's number of the position with White to move. Last stands the value for each
/// side to move.
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

/// The slices of one number of columns, one for each stored side to move.
struct ColumnsWalk<'a> {
    options: AnalysisOptions,
    values: &'a Values<'a>,
    columns: usize,
    /// The numbering of the first slice. All have as many orbits and rows.
    index: &'a SliceIndex,
    /// For each stored side to move, the column shapes of each row.
    shapes: Vec<ColumnShapesByRow>,
    /// For each row of the first slice, the row of the last one that stands for the same board with
    /// the other side to move. The orbit is the same.
    partners: Vec<u32>,
}

/// The counts for each stored side and, within it, for the shapes of the columns.
type Tallies = Vec<Vec<Tally>>;

impl<'a> ColumnsWalk<'a> {
    fn new(values: &'a Values<'a>, columns: usize, options: AnalysisOptions) -> ColumnsWalk<'a> {
        let sides = 0..values.slices.len();
        let index = values.index(0, columns);
        let partners = partners(index, values.index(sides.end - 1, columns));
        let shapes = sides
            .map(|side| ColumnShapesByRow::new(values.index(side, columns), values.color(side)))
            .collect();
        ColumnsWalk { options, values, columns, index, shapes, partners }
    }

    fn walk(&self, done: &Done) -> (Tallies, FoundPositions) {
        let orbits = self.index.orbits();
        let batch_orbits = (BATCH_POSITIONS / self.index.rows()).max(1);
        let empty = || {
            let none = |shapes: &ColumnShapesByRow| vec![Tally::default(); shapes.list.len()];
            (self.shapes.iter().map(none).collect::<Tallies>(), FoundPositions::new(self.options))
        };
        (0..orbits.div_ceil(batch_orbits))
            .into_par_iter()
            .map(|batch| {
                let first = batch * batch_orbits;
                let batch = first..(first + batch_orbits).min(orbits);
                let positions = (batch.len() * self.index.rows() * self.shapes.len()) as u64;
                let (mut tallies, mut found) = empty();
                for orbit in batch {
                    for (side, tallies) in tallies.iter_mut().enumerate() {
                        self.count(side, orbit, tallies, &mut found.longest);
                    }
                    if self.options.zugzwangs.is_some() {
                        self.find_zugzwangs(orbit, &mut found.zugzwangs);
                    }
                }
                done.add(positions);
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

    /// Where the value of a row of an orbit stands.
    fn place(&self, side: usize, orbit: usize, row: usize) -> Place {
        let number = (orbit * self.index.rows() + row) as u64;
        Place { columns: self.columns, side, number }
    }

    /// Counts the positions of an orbit, and offers its wins to the list of the longest.
    fn count(
        &self,
        side: usize,
        orbit: usize,
        tallies: &mut [Tally],
        longest: &mut LeastItems<WinKey>,
    ) {
        let slice = self.values.slice(side, self.columns);
        let images = self.index.sets().orbit_len(orbit) as u64;
        for (row, &shapes) in self.shapes[side].of_row.iter().enumerate() {
            let place = self.place(side, orbit, row);
            let value = slice.value(place.number);
            tallies[shapes as usize].count(value.wdl(), images);
            if self.options.longest == 0 {
                continue;
            }
            let Value::Win(plies) = value else { continue };
            let key = (Reverse(plies), place);
            if longest.would_keep(&key)
                && self.values.first_place(side, &self.values.position(place)) == Some(place)
            {
                longest.offer(key);
            }
        }
    }

    /// Counts and lists the zugzwangs of an orbit.
    fn find_zugzwangs(&self, orbit: usize, found: &mut [FoundZugzwangs; 2]) {
        let last = self.shapes.len() - 1;
        let occupied = self.index.sets().representative(orbit);
        let images = self.index.sets().orbit_len(orbit) as u64;
        for MaskRows { mask, rows } in self.index.mask_rows() {
            let placement = Placement::with_owners(occupied, mask);
            if placement.must_capture() || placement.for_other_side().must_capture() {
                continue;
            }
            for row in rows {
                let place = self.place(0, orbit, row);
                let partner = self.place(last, orbit, self.partners[row] as usize);
                let stored =
                    ByColor { white: self.values.at(place), black: self.values.at(partner) };
                let to_move = if self.values.exchanged { stored.swapped() } else { stored };
                let Some((kind, shorter, longer)) = zugzwang_of(to_move) else { continue };
                let found = &mut found[kind as usize];
                found.boards += images;
                if self.counts_as_distinct(place, partner) {
                    found.distinct += 1;
                    let (shorter, longer) = (Reverse(shorter), Reverse(longer));
                    found.listed.offer((self.columns, shorter, longer, place.number, to_move));
                }
            }
        }
    }

    /// Whether a board is the one that stands for all boards that are like it. `partner` is its place with
    /// the other side to move.
    fn counts_as_distinct(&self, place: Place, partner: Place) -> bool {
        let position = self.values.position(place);
        // With the colours exchanged, the board is met again in its partner's place.
        let first = self.values.first_place(place.side, &position);
        let exchanged = match self.shapes.len() {
            1 => self.values.first_place(partner.side, &position.for_other_side()),
            _ => None,
        };
        first == Some(place) && exchanged.is_none_or(|first| first >= place)
    }
}

/// For each row of `index`, the row of the same board with the other side to move. `other` is the slice of
/// that side, and the orbit stays the same.
fn partners(index: &SliceIndex, other: &SliceIndex) -> Vec<u32> {
    // In the first orbit, the number of a position is its row. The columns stay on their squares, because
    // that orbit's position is already the first of its images; so the row is the same in every orbit.
    let partner = |row| match other.number(&index.position(row).for_other_side()) {
        Some(row) => row as u32,
        None => unreachable!("the other slice has the same boards"),
    };
    (0..index.rows() as u64).map(partner).collect()
}

/// How much it costs to be the side to move.
enum ZugzwangKind {
    /// Whoever is to move loses.
    FullPoint,
    /// One side loses if it is to move; if the other side is to move, the game is drawn.
    HalfPoint,
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
