//! Tables that several ranks write together.

use super::{FileKind, TableWriter, file_name};
use crate::index::{Extent, Material, SliceIndex};
use crate::ranks::tests::on_ranks;
use crate::ranks::{OtherRankFailed, Ranks};
use crate::retrograde::Solver;
use crate::rules::RuleSet;
use crate::testing::{Recorder, material, solve};
use crate::values::bytes::Bytes;
use crate::values::{SliceShare, SliceValues};
use crate::{Progress, Silent};
use std::fs;
use std::io;
use std::path::Path;

/// The values of a material under a rule set.
struct Solved {
    table: (Extent, RuleSet),
    /// For each stored side to move, its slices from two columns on.
    slices: Vec<Vec<SliceValues>>,
}

impl Solved {
    fn new(material: Material, rules: RuleSet) -> Solved {
        Solved { table: (Extent::whole(material).unwrap(), rules), slices: solve(material, rules) }
    }

    /// For each stored side, the slice with so many columns.
    fn of_columns(&self, columns: usize) -> Vec<(SliceIndex, &SliceValues)> {
        let material = self.table.0.material();
        let sides = material.stored_sides().iter().zip(&self.slices);
        sides.map(|(&side, of)| (material.slice(side, columns), &of[columns - 2])).collect()
    }

    /// The bytes of the files that one writer makes.
    fn written_alone(&self, captures_end: bool) -> [Vec<u8>; 2] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let mut writer = TableWriter::create(path, path, self.table.0, self.table.1).unwrap();
        for columns in self.table.0.columns() {
            writer.add(&self.of_columns(columns), captures_end).unwrap();
        }
        writer.finish().unwrap();
        files(path, self.table)
    }

    /// Writes all slices with a writer of one of the ranks, up to the end.
    fn write(
        &self,
        mut writer: TableWriter,
        ranks: &dyn Ranks,
        captures_end: bool,
        progress: &dyn Progress,
    ) -> io::Result<()> {
        for columns in self.table.0.columns() {
            let slices = self.of_columns(columns);
            let share = |(index, values)| share(index, values, ranks);
            let shares: Vec<SliceShare> =
                slices.iter().map(|(index, values)| share((index, values))).collect();
            let shares: Vec<_> = slices.into_iter().map(|(index, _)| index).zip(&shares).collect();
            writer.add_shares(&shares, captures_end, progress)?;
        }
        writer.finish()
    }
}

fn files(folder: &Path, (extent, rules): (Extent, RuleSet)) -> [Vec<u8>; 2] {
    let name = |kind| file_name(extent.material(), rules, kind);
    FileKind::ALL.map(|kind| fs::read(folder.join(name(kind))).unwrap())
}

/// The share of a rank. The shares of two ranks are alike; of three and more, the first one is empty.
fn share(index: &SliceIndex, values: &SliceValues, ranks: &dyn Ranks) -> SliceShare {
    let (count, orbits) = (ranks.count(), index.orbits());
    let first = usize::from(count > 2);
    let bound = |rank: usize| rank.saturating_sub(first) * orbits / (count - first);
    let bounds: Vec<usize> = (0..=count).map(bound).collect();
    let number = |rank: usize| (bounds[rank] * index.rows()) as u64;
    let held = number(ranks.rank())..number(ranks.rank() + 1);
    let bytes = values.codes(held.start, (held.end - held.start) as usize).to_vec();
    let late = values.late().iter().filter(|(number, _)| held.contains(number));
    let late = late.map(|&(number, distance)| (number - held.start, distance)).collect();
    let late_code = values.byte_codes().late();
    let values = SliceValues::new(Bytes::Memory(bytes), late_code, late);
    SliceShare::new(bounds, ranks.rank(), values)
}

/// Compares the files of these numbers of ranks with those of one writer.
fn compare(solved: &Solved, captures_end: bool, counts: &[usize], is_frugal: bool) {
    let expected = solved.written_alone(captures_end);
    for &count in counts {
        let folder = tempfile::tempdir().unwrap();
        let written = on_ranks(count, |ranks| {
            // Only rank 0 has to have a folder.
            let path = if ranks.rank() == 0 { folder.path() } else { Path::new("/nowhere") };
            let mut writer = TableWriter::begin(ranks, (path, path), solved.table)?;
            if is_frugal {
                writer = writer.sample_bytes(2000 + 500 * ranks.rank() as u64);
            } else {
                writer = writer.chunks_at_once(ranks.rank());
            }
            solved.write(writer, ranks, captures_end, &Silent)
        });
        written.into_iter().for_each(|written| written.unwrap());
        let (material, rules) = (solved.table.0.material(), solved.table.1);
        let same = files(folder.path(), solved.table) == expected;
        assert!(same, "{material} under {rules} on {count} ranks, frugal: {is_frugal}");
    }
}

#[test]
fn ranks_with_shares_of_any_length_write_the_same_bytes_in_any_memory() {
    for (text, rules, captures_end) in [
        ("2-2", RuleSet::Lasca, true),
        ("3-2", RuleSet::Lasca, true),
        ("3-2", RuleSet::Bignor, true),
        ("3-2", RuleSet::Rejump, false),
    ] {
        let solved = Solved::new(material(text), rules);
        for is_frugal in [false, true] {
            compare(&solved, captures_end, &[1, 2, 3, 7], is_frugal);
        }
    }
}

#[test]
fn distances_that_are_listed_apart_come_from_every_rank() {
    let (material, rules) = (material("3-2"), RuleSet::Lasca);
    let plain = Solved::new(material, rules);
    for first_late in [1, 6] {
        let solver = Solver::new(material, rules).first_late_ply(first_late);
        let solved = Solved { slices: solver.solve(&Silent).unwrap(), ..plain };
        assert!(solved.slices.iter().flatten().all(SliceValues::has_late));
        assert!(solved.written_alone(true) == plain.written_alone(true));
        compare(&solved, true, &[2, 3, 7], false);
        compare(&solved, true, &[3], true);
    }
}

#[test]
fn all_ranks_stop_when_one_of_them_shall() {
    let solved = Solved::new(material("3-2"), RuleSet::Lasca);
    let expected = solved.written_alone(true);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for stops in 0.. {
        let count = [3, 1, 7, 2, 4][stops % 5];
        let written = on_ranks(count, |ranks| {
            let is_stopped = ranks.rank() == stops % count;
            let asked = if is_stopped { 7 * stops } else { usize::MAX };
            let writer = TableWriter::begin(ranks, (path, path), solved.table)?;
            solved.write(writer, ranks, true, &Recorder::stopping_at(asked))
        });
        if written.iter().all(Result::is_ok) {
            assert!(stops > 5, "{stops} stops");
            break;
        }
        for of_rank in written {
            assert_eq!(of_rank.unwrap_err().kind(), io::ErrorKind::Interrupted);
        }
        assert!(fs::read_dir(path).unwrap().next().is_none(), "nothing is left");
    }
    assert!(files(path, solved.table) == expected);
}

/// Writes on three ranks what cannot be written, and checks that every rank gets an error at the same
/// step. Returns the one of rank 0.
fn failed(solved: &Solved, folders: (&Path, &Path)) -> io::Error {
    let failed = on_ranks(3, |ranks| {
        let writer = TableWriter::begin(ranks, folders, solved.table);
        let written = writer.and_then(|writer| solved.write(writer, ranks, true, &Silent));
        // All ranks have come so far with the same number of exchanges, or this hangs or fails.
        assert_eq!(ranks.sum(&[1, 10]).unwrap(), [3, 30]);
        written.unwrap_err()
    });
    let mut failed = failed.into_iter();
    let first = failed.next().unwrap();
    for error in failed {
        assert!(error.get_ref().is_some_and(|error| error.is::<OtherRankFailed>()), "{error}");
    }
    first
}

#[test]
fn what_rank_0_cannot_write_is_an_error_on_all_ranks() {
    let solved = Solved::new(material("3-1"), RuleSet::Lasca);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let nowhere = path.join("nowhere");
    // The files cannot be made.
    assert_eq!(failed(&solved, (path, &nowhere)).kind(), io::ErrorKind::NotFound);
    // They cannot be put in their places.
    assert_eq!(failed(&solved, (&nowhere, path)).kind(), io::ErrorKind::NotFound);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_on_all_ranks() {
    for material in ["2-1", "3-2"] {
        let solved = Solved::new(crate::testing::material(material), RuleSet::Lasca);
        for kind in FileKind::ALL {
            let folder = tempfile::tempdir().unwrap();
            let name =
                format!("{}.tmp", file_name(solved.table.0.material(), solved.table.1, kind));
            std::os::unix::fs::symlink("/dev/full", folder.path().join(name)).unwrap();
            let error = failed(&solved, (folder.path(), folder.path()));
            assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{material}");
        }
    }
}
