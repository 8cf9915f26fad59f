//! The walk through all values of a table.

use super::stacking::Stackings;
use super::top::Top;
use super::{Analysis, Cost, Stacking, Tally, Valued, Wanted, Zugzwang, Zugzwangs};
use crate::Value;
use crate::index::SliceIndex;
use crate::rules::{ByColor, Color, OfficerPosition, Placement, Position, SymmetrySet};
use crate::table::{SliceInfo, SliceReader, Table, TableError};
use crate::values::SliceValues;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

/// How many positions of a side are looked at in one go: several orbits of values.
const POSITIONS_A_CHUNK: usize = 1 << 18;

pub(super) fn walk<D: AsRef<[u8]> + Sync>(
    table: &Table<D>,
    wanted: Wanted,
) -> Result<Analysis, TableError> {
    table.check_whole()?;
    let mut by_stacking: BTreeMap<Stacking, ByColor<Tally>> = BTreeMap::new();
    let mut finds = Finds::new(wanted);
    let mut reader = SliceReader::new(table);
    while let Some(columns) = reader.read_next()? {
        reader.check()?;
        let slice = Slice::new(table, columns, reader.slices(), wanted)?;
        let (tallies, found) = slice.walk();
        finds.merge(found);
        for (side, tallies) in slice.sides.iter().zip(tallies) {
            for (stacking, tally) in side.stackings.list.iter().zip(tallies) {
                by_stacking.entry(stacking.clone()).or_default()[side.mover] += tally;
                if slice.is_balanced() {
                    // What is stored for White holds for Black, colours exchanged.
                    let exchanged = stacking.clone().swap_colors();
                    by_stacking.entry(exchanged).or_default()[!side.mover] += tally;
                }
            }
        }
    }
    let longest = finds.longest.into_items().map(|(Reverse(plies), columns, side, number)| {
        let position = position_of(table, side, columns, number)?;
        Ok(Valued { position, value: Value::Win(plies) })
    });
    let zugzwangs = |found: ZugzwangFinds| {
        let listed = found.listed.into_items().map(|(columns, _, _, number, to_move)| {
            Ok(Zugzwang { position: position_of(table, 0, columns, number)?, to_move })
        });
        let listed = listed.collect::<Result<_, TableError>>()?;
        Ok::<_, TableError>(Zugzwangs { boards: found.boards, distinct: found.distinct, listed })
    };
    let mut analysis = Analysis {
        material: table.material(),
        by_stacking,
        longest: longest.collect::<Result<_, TableError>>()?,
        full_point: None,
        half_point: None,
    };
    if wanted.zugzwangs.is_some() {
        let [full_point, half_point] = finds.zugzwangs;
        analysis.full_point = Some(zugzwangs(full_point)?);
        analysis.half_point = Some(zugzwangs(half_point)?);
    }
    Ok(analysis)
}

/// The position with this number, the `side`-th stored side being to move.
fn position_of<D: AsRef<[u8]>>(
    table: &Table<D>,
    side: usize,
    columns: usize,
    number: u64,
) -> Result<Position, TableError> {
    let slice = table.slice(side, columns).ok_or(TableError::MissingSlice { side, columns })?;
    let mover = table.material().stored_sides()[side];
    match slice.index().position(number).to_position(mover) {
        Some(position) => Ok(position),
        None => unreachable!("a position has room for the counters of every material"),
    }
}

/// The deepest first, then by columns, stored side and number.
type DeepKey = (Reverse<u16>, usize, usize, u64);

/// The fewest columns first, then the shorter and the longer distance, then by number among the
/// positions with White to move; with the value for each side to move.
type ZugzwangKey = (usize, Reverse<u16>, Reverse<u16>, u64, ByColor<Value>);

/// What was found so far.
#[derive(Clone, Debug)]
struct Finds {
    longest: Top<DeepKey>,
    /// By [`Cost`].
    zugzwangs: [ZugzwangFinds; 2],
}

#[derive(Clone, Debug)]
struct ZugzwangFinds {
    boards: u64,
    distinct: u64,
    listed: Top<ZugzwangKey>,
}

impl Finds {
    fn new(wanted: Wanted) -> Finds {
        let listed = || Top::new(wanted.zugzwangs.unwrap_or(0));
        let zugzwangs = || ZugzwangFinds { boards: 0, distinct: 0, listed: listed() };
        Finds { longest: Top::new(wanted.longest), zugzwangs: [zugzwangs(), zugzwangs()] }
    }

    fn merge(&mut self, other: Finds) {
        other.longest.into_items().for_each(|deep| self.longest.show(deep));
        for (all, more) in self.zugzwangs.iter_mut().zip(other.zugzwangs) {
            all.boards += more.boards;
            all.distinct += more.distinct;
            more.listed.into_items().for_each(|zugzwang| all.listed.show(zugzwang));
        }
    }
}

/// A stored side to move of a slice.
struct Side<'a> {
    mover: Color,
    slice: &'a SliceInfo,
    values: &'a SliceValues,
    stackings: Stackings,
}

/// All positions with so many columns.
struct Slice<'a> {
    wanted: Wanted,
    /// White to move, then Black unless colours are exchanged instead.
    sides: Vec<Side<'a>>,
    /// For each offset in an orbit of the first side, that of the same board with the other side to
    /// move, in the same orbit of the last side.
    partners: Vec<u32>,
}

/// For each stored side and stacking, the counts.
type Tallies = Vec<Vec<Tally>>;

impl<'a> Slice<'a> {
    fn new<D: AsRef<[u8]>>(
        table: &'a Table<D>,
        columns: usize,
        slices: &'a [Vec<SliceValues>],
        wanted: Wanted,
    ) -> Result<Self, TableError> {
        let side = |(side, &mover): (usize, &Color)| {
            let slice =
                table.slice(side, columns).ok_or(TableError::MissingSlice { side, columns })?;
            let stackings = Stackings::new(slice.index(), mover);
            Ok(Side { mover, slice, values: &slices[side][columns - 2], stackings })
        };
        let sides: Vec<Side> = table
            .material()
            .stored_sides()
            .iter()
            .enumerate()
            .map(side)
            .collect::<Result<_, _>>()?;
        let mut slice = Slice { wanted, sides, partners: Vec::new() };
        slice.partners = partners(slice.first().slice.index(), slice.last().slice.index());
        Ok(slice)
    }

    fn first(&self) -> &Side<'a> {
        &self.sides[0]
    }

    fn last(&self) -> &Side<'a> {
        &self.sides[self.sides.len() - 1]
    }

    fn is_balanced(&self) -> bool {
        self.sides.len() == 1
    }

    fn index(&self) -> &SliceIndex {
        self.first().slice.index()
    }

    fn walk(&self) -> (Tallies, Finds) {
        let orbits = self.index().orbits();
        let orbits_a_chunk = (POSITIONS_A_CHUNK / self.index().rows()).max(1);
        let empty = || {
            let none = |side: &Side| vec![Tally::default(); side.stackings.list.len()];
            (self.sides.iter().map(none).collect::<Tallies>(), Finds::new(self.wanted))
        };
        (0..orbits.div_ceil(orbits_a_chunk))
            .into_par_iter()
            .map(|chunk| {
                let first = chunk * orbits_a_chunk;
                let (mut tallies, mut finds) = empty();
                self.walk_orbits(
                    first..(first + orbits_a_chunk).min(orbits),
                    &mut tallies,
                    &mut finds,
                );
                (tallies, finds)
            })
            .reduce(empty, |(mut tallies, mut finds), (more, found)| {
                for (all, more) in tallies.iter_mut().flatten().zip(more.into_iter().flatten()) {
                    *all += more;
                }
                finds.merge(found);
                (tallies, finds)
            })
    }

    fn walk_orbits(&self, orbits: Range<usize>, tallies: &mut Tallies, finds: &mut Finds) {
        let rows = self.index().rows();
        let numbers = (orbits.start * rows) as u64..(orbits.end * rows) as u64;
        let values: Vec<Vec<Value>> = self
            .sides
            .iter()
            .map(|side| numbers.clone().map(|number| side.values.value(number)).collect())
            .collect();
        for orbit in orbits.clone() {
            let within = (orbit - orbits.start) * rows;
            let of_orbit = |side: usize| &values[side][within..within + rows];
            let stabilizer = self.index().sets().stabilizer(orbit);
            for (side, tallies) in tallies.iter_mut().enumerate() {
                self.count(side, orbit, of_orbit(side), stabilizer, tallies, &mut finds.longest);
            }
            if self.wanted.zugzwangs.is_some() {
                let both = [of_orbit(0), of_orbit(self.sides.len() - 1)];
                self.find_zugzwangs(orbit, both, stabilizer, &mut finds.zugzwangs);
            }
        }
    }

    /// Counts the positions of a orbit, and shows its wins.
    fn count(
        &self,
        side: usize,
        orbit: usize,
        values: &[Value],
        stabilizer: SymmetrySet,
        tallies: &mut [Tally],
        longest: &mut Top<DeepKey>,
    ) {
        let number = side;
        let side = &self.sides[side];
        let index = side.slice.index();
        let images = index.sets().orbit_len(orbit) as u64;
        let first = (orbit * index.rows()) as u64;
        for (offset, (&value, &stacking)) in
            values.iter().zip(&side.stackings.of_offset).enumerate()
        {
            tallies[stacking as usize].count(value.wdl(), images);
            if self.wanted.longest == 0 {
                continue;
            }
            let Value::Win(plies) = value else { continue };
            let at = first + offset as u64;
            let key = (Reverse(plies), index.columns(), number, at);
            if longest.would_keep(&key)
                && is_first(index, orbit, offset, &index.position(at), stabilizer)
            {
                longest.show(key);
            }
        }
    }

    fn find_zugzwangs(
        &self,
        orbit: usize,
        values: [&[Value]; 2],
        stabilizer: SymmetrySet,
        finds: &mut [ZugzwangFinds; 2],
    ) {
        let index = self.index();
        let occupied = index.sets().representative(orbit);
        let images = index.sets().orbit_len(orbit) as u64;
        let first = (orbit * index.rows()) as u64;
        for split in index.splits() {
            for mask in split.owner_masks() {
                let placement = Placement::with_owners(occupied, mask);
                if placement.must_capture() || placement.for_other_side().must_capture() {
                    continue;
                }
                let start = split.mask_start(mask);
                for offset in start..start + split.mask_rows {
                    let partner = self.partners[offset] as usize;
                    let to_move = ByColor { white: values[0][offset], black: values[1][partner] };
                    let Some((cost, shorter, longer)) = cost_of(to_move) else { continue };
                    let finds = &mut finds[cost as usize];
                    finds.boards += images;
                    // With the colours exchanged, the board is met again under its partner's offset.
                    if self.is_balanced() && partner < offset {
                        continue;
                    }
                    let at = first + offset as u64;
                    if stabilizer.len() > 1 {
                        let position = index.position(at);
                        let alike = |position| is_first(index, orbit, offset, position, stabilizer);
                        let exchanged = self.is_balanced().then(|| position.for_other_side());
                        if !alike(&position) || !exchanged.as_ref().is_none_or(alike) {
                            continue;
                        }
                    }
                    finds.distinct += 1;
                    let (shorter, longer) = (Reverse(shorter), Reverse(longer));
                    finds.listed.show((index.columns(), shorter, longer, at, to_move));
                }
            }
        }
    }
}

/// For each offset in an orbit of `index`, the offset of the same board with the other side to move
/// in the same orbit of `other`, whose mover has the other side's counters.
fn partners(index: &SliceIndex, other: &SliceIndex) -> Vec<u32> {
    let columns = index.columns();
    let mut partners = Vec::with_capacity(index.rows());
    for split in index.splits() {
        let partner = other.split(columns - split.mover_columns);
        for mask in split.owner_masks() {
            let start = partner.mask_start(!mask & ((1 << columns) - 1));
            for stacking in 0..split.mask_rows {
                let (mover, other) = (stacking / split.mover_rows, stacking % split.mover_rows);
                partners.push((start + other * partner.mover_rows + mover) as u32);
            }
        }
    }
    partners
}

/// Whether no symmetry of its occupied squares gives a position a lower number than `offset` in its
/// orbit.
fn is_first(
    index: &SliceIndex,
    orbit: usize,
    offset: usize,
    position: &OfficerPosition,
    stabilizer: SymmetrySet,
) -> bool {
    let representative = index.sets().representative(orbit);
    stabilizer.into_iter().all(|g| index.row(position, g, representative) >= offset)
}

/// What it costs to be the side to move, with the shorter and the longer distance (0 for a draw);
/// `None` if it costs nothing.
fn cost_of(to_move: ByColor<Value>) -> Option<(Cost, u16, u16)> {
    let ByColor { white, black } = to_move;
    match (white, black) {
        (Value::Loss(white), Value::Loss(black)) => {
            Some((Cost::FullPoint, white.min(black), white.max(black)))
        }
        (Value::Loss(plies), Value::Draw) | (Value::Draw, Value::Loss(plies)) => {
            Some((Cost::HalfPoint, plies, 0))
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
        for (offset, &partner) in partners(&index, &other).iter().enumerate() {
            for orbit in [0, 77] {
                let board = index.position((orbit * index.rows() + offset) as u64);
                let number = (orbit * other.rows()) as u64 + u64::from(partner);
                assert_eq!(other.position(number), board.for_other_side());
            }
        }
    }
}
