//! All values of a table in memory, so that to answer is to look up.

use super::reading::{SliceReader, Stored};
use crate::index::SliceIndex;
use crate::rules::OfficerPosition;
use crate::table::{SliceInfo, Table, TableError};
use crate::threads::Threads;
use crate::values::{Distance, Meaning, SliceValues, SliceWdls, Store};
use crate::{Value, Wdl};

/// Win, draw or loss of every position of a table, in two bits for each.
pub(crate) type LoadedWdl = Loaded<SliceWdls>;
/// The values of every position of a table with their distances, in a byte for each.
pub(crate) type LoadedDtw = Loaded<SliceValues>;

/// The values of every position of a table.
#[derive(Debug)]
pub(crate) struct Loaded<S> {
    white: usize,
    /// For each stored side to move, the slices from two columns on.
    slices: Vec<Vec<(SliceIndex, S)>>,
}

impl<S: Stored> Loaded<S> {
    /// How many bytes of memory the values of a table take: what their codes take, and the distances that
    /// are listed apart. How many of these there are at most, the table's statistics say.
    pub fn bytes_of(table: &Table) -> u64 {
        let of_slice = |info: &SliceInfo| {
            let (index, histogram) = (info.index(), &info.stats().histogram);
            let codes = index.orbits() as u64 * index.rows().div_ceil(S::IN_A_BYTE) as u64;
            let late =
                S::LATE.map_or(0, |late| histogram.range(u16::from(late)..).map(|(_, n)| n).sum());
            codes + late * size_of::<(u64, Distance)>() as u64
        };
        table.slices().iter().map(of_slice).sum()
    }

    /// Loads the values of a table, which must have DTWs if these values have. Every page of the files
    /// that are read is checked, and those of mapped files again at the end.
    ///
    /// # Errors
    /// If something is damaged or missing, or there is not enough memory;
    /// [`TableError::EndlessCaptures`] if the table says falsely that captures come to an end;
    /// [`TableError::Contradiction`] if a result does not follow from the values of the successors.
    pub fn load(table: &Table, threads: Threads) -> Result<Loaded<S>, TableError> {
        let needs_dtw = S::LATE.is_some();
        table.check_unread(needs_dtw)?;
        let slices = SliceReader::<S>::with_threads(table, threads).read_all()?;
        table.check_mapped(needs_dtw)?;
        let (material, columns) = (table.material(), table.extent().columns());
        let with_indexes = |(slices, &side): (Vec<S>, _)| {
            columns.clone().map(|columns| material.slice(side, columns)).zip(slices).collect()
        };
        let sides = slices.into_iter().zip(material.stored_sides());
        Ok(Loaded { white: material.white(), slices: sides.map(with_indexes).collect() })
    }

    /// The slice of a position of the material, the orbit and the row; `None` if it is not one.
    #[inline]
    fn locate(&self, position: &OfficerPosition) -> Option<(&S, usize, usize, usize)> {
        let side = usize::from(position.mover_and_other().0 != self.white);
        let columns = position.placement().occupied().len();
        let (index, values) = self.slices.get(side)?.get(columns.checked_sub(2)?)?;
        let (orbit, row, _) = index.locate(position)?;
        Some((values, orbit, row, index.rows()))
    }
}

impl LoadedWdl {
    /// The results of loaded values.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn of_values(values: &LoadedDtw) -> Result<LoadedWdl, TableError> {
        let of_slice = |(index, values): &(SliceIndex, SliceValues)| {
            let (orbits, rows) = (index.orbits(), index.rows());
            let mut wdls = SliceWdls::unknown(orbits, rows).map_err(|_| TableError::Memory)?;
            let codes: [u8; 256] = std::array::from_fn(|code| match values.meaning(code as u8) {
                Meaning::Dtw(dtw) => SliceWdls::code(Distance::short(dtw)),
                Meaning::Draw => SliceWdls::code(Distance::DRAW),
                Meaning::Late | Meaning::Unknown => SliceWdls::UNKNOWN,
            });
            let mut results = Vec::new();
            for orbit in 0..orbits {
                results.clear();
                let of_orbit = values.orbit(orbit, rows);
                results.extend(of_orbit.iter().map(|&code| codes[usize::from(code)]));
                if values.has_late() {
                    let first = orbit as u64 * rows as u64;
                    let late = results.iter_mut().zip(first..);
                    late.filter(|(code, _)| **code == SliceWdls::UNKNOWN).for_each(
                        |(code, number)| *code = SliceWdls::code(values.distance(number)),
                    );
                }
                wdls.write(orbit, &results);
            }
            Ok((index.clone(), wdls))
        };
        let of_side = |slices: &Vec<_>| slices.iter().map(of_slice).collect();
        let slices = values.slices.iter().map(of_side).collect::<Result<_, _>>()?;
        Ok(Loaded { white: values.white, slices })
    }

    /// Win, draw or loss of a position, as [`Table::wdl`](crate::table::Table::wdl) gives it; `None`
    /// if the position is not of this table.
    #[inline]
    pub fn wdl(&self, position: &OfficerPosition) -> Option<Wdl> {
        let (values, orbit, row, rows) = self.locate(position)?;
        Some(values.wdl(orbit, row, rows))
    }
}

impl LoadedDtw {
    /// The value of a position, as [`Table::value`](crate::table::Table::value) gives it; `None` if
    /// the position is not of this table.
    #[inline]
    pub fn value(&self, position: &OfficerPosition) -> Option<Value> {
        let (values, orbit, row, rows) = self.locate(position)?;
        Some(values.value_at(orbit, row, rows))
    }
}
