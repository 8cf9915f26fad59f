//! Tables that several processes write together.

use super::{NewTable, Spread, TableWriter};
use crate::index::{Extent, Material, SliceIndex};
use crate::processes::tests::on_processes;
use crate::processes::{OtherProcessFailed, Processes};
use crate::retrograde::SliceSolver;
use crate::rules::RuleSet;
use crate::testing::{Files, Recorder, Slices, material, solve, whole};
use crate::values::bytes::Bytes;
use crate::values::{SliceShare, SliceValues};
use crate::{Progress, Silent};
use std::fs;
use std::io;
use std::path::Path;

/// The values of a material under a rule set.
struct Solved {
    extent: Extent,
    rules: RuleSet,
    slices: Slices,
}

impl Solved {
    fn new(material: Material, rules: RuleSet) -> Solved {
        let slices = solve(material, rules);
        Solved { extent: whole(material), rules, slices }
    }

    /// The table of these values in a folder.
    fn in_folder<'a>(&self, folder: &'a Path) -> NewTable<'a> {
        NewTable { folder, temporary: folder, extent: self.extent, rules: self.rules }
    }

    /// The bytes of its files.
    fn files(&self, folder: &Path) -> Files {
        Files::read(folder, self.extent.material(), self.rules)
    }

    /// For each stored side, the slice with this many columns.
    fn of_columns(&self, columns: usize) -> impl Iterator<Item = (SliceIndex, &SliceValues)> {
        let material = self.extent.material();
        let sides = material.stored_sides().iter().zip(&self.slices);
        sides.map(move |(&side, of)| (material.slice(side, columns), &of[columns - 2]))
    }

    /// The bytes of the files that one writer makes.
    fn written_alone(&self, captures_end: bool) -> Files {
        Files::written((self.extent.material(), self.rules), &self.slices, |_| captures_end)
    }

    /// Writes all slices with a writer of one of the processes, up to the end.
    fn write(
        &self,
        mut writer: TableWriter,
        processes: &dyn Processes,
        captures_end: bool,
        progress: &dyn Progress,
    ) -> io::Result<()> {
        for columns in self.extent.columns() {
            let slices = self.of_columns(columns);
            let shares: Vec<_> =
                slices.map(|(index, values)| (share(&index, values, processes), index)).collect();
            let slices = shares.iter().map(|(share, index)| Spread::of_share(index.clone(), share));
            writer.add(slices.collect(), captures_end, progress)?;
        }
        writer.finish()
    }
}

/// The share of a process. The shares of two processes are alike; of three and more, the first one is
/// empty.
fn share(index: &SliceIndex, values: &SliceValues, processes: &dyn Processes) -> SliceShare {
    let (count, orbits) = (processes.count(), index.orbits());
    let first = usize::from(count > 2);
    let bound = |process: usize| process.saturating_sub(first) * orbits / (count - first);
    let bounds: Vec<usize> = (0..=count).map(bound).collect();
    let number = |process: usize| (bounds[process] * index.rows()) as u64;
    let held = number(processes.number())..number(processes.number() + 1);
    let bytes = values.codes(held.start, (held.end - held.start) as usize).to_vec();
    let late = values.late().iter().filter(|(number, _)| held.contains(number));
    let late = late.map(|&(number, distance)| (number - held.start, distance)).collect();
    let late_code = values.byte_codes().late();
    let values = SliceValues::new(Bytes::Memory(bytes), late_code, late);
    SliceShare { bounds, process: processes.number(), values }
}

/// Compares the files of these numbers of processes with those of one writer.
fn compare(solved: &Solved, captures_end: bool, counts: &[usize], is_frugal: bool) {
    let expected = solved.written_alone(captures_end);
    for &count in counts {
        let folder = tempfile::tempdir().unwrap();
        let written = on_processes(count, |processes| {
            // Only process 0 has to have a folder.
            let path = if processes.number() == 0 { folder.path() } else { Path::new("/nowhere") };
            let mut writer = TableWriter::create(processes, solved.in_folder(path))?;
            if is_frugal {
                writer = writer.sample_bytes(2000 + 500 * processes.number() as u64);
            } else {
                writer = writer.chunks_at_once(processes.number());
            }
            solved.write(writer, processes, captures_end, &Silent)
        });
        written.into_iter().for_each(|written| written.unwrap());
        let (material, rules) = (solved.extent.material(), solved.rules);
        let same = solved.files(folder.path()) == expected;
        assert!(same, "{material} under {rules} on {count} processes, frugal: {is_frugal}");
    }
}

#[test]
fn processes_with_shares_of_any_length_write_the_same_bytes_in_any_memory() {
    for (text, rules, captures_end) in [
        ("2-2", RuleSet::Lasca, true),
        ("3-1", RuleSet::Bignor, true),
        ("3-2", RuleSet::Rejump, false),
    ] {
        let solved = Solved::new(material(text), rules);
        for is_frugal in [false, true] {
            compare(&solved, captures_end, &[1, 2, 3, 7], is_frugal);
        }
    }
}

#[test]
fn distances_that_are_listed_apart_come_from_every_process() {
    let (material, rules) = (material("3-2"), RuleSet::Lasca);
    let plain = Solved::new(material, rules);
    for first_late in [1, 6] {
        let solver = SliceSolver::new(material, rules).first_late_ply(first_late);
        let solved = Solved { slices: solver.solve().unwrap(), ..plain };
        assert!(solved.slices.iter().flatten().all(|slice| !slice.late().is_empty()));
        assert!(solved.written_alone(true) == plain.written_alone(true));
        compare(&solved, true, &[2, 7], false);
        compare(&solved, true, &[3], true);
    }
}

#[test]
fn all_processes_stop_when_one_of_them_shall() {
    let solved = Solved::new(material("3-2"), RuleSet::Lasca);
    let expected = solved.written_alone(true);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for stops in 0.. {
        let count = [3, 1, 7, 2, 4][stops % 5];
        let written = on_processes(count, |processes| {
            let is_stopped = processes.number() == stops % count;
            let asked = if is_stopped { 7 * stops } else { usize::MAX };
            let writer = TableWriter::create(processes, solved.in_folder(path))?;
            solved.write(writer, processes, true, &Recorder::stopping_at(asked))
        });
        if written.iter().all(Result::is_ok) {
            assert!(stops > 5, "{stops} stops");
            break;
        }
        for of_process in written {
            assert_eq!(of_process.unwrap_err().kind(), io::ErrorKind::Interrupted);
        }
        assert!(fs::read_dir(path).unwrap().next().is_none(), "nothing is left");
    }
    assert!(solved.files(path) == expected);
}

/// Writes on three processes what cannot be written, and checks that every process gets an error at the
/// same step. Returns the one of process 0.
fn failed(solved: &Solved, table: NewTable) -> io::Error {
    let failed = on_processes(3, |processes| {
        let writer = TableWriter::create(processes, table);
        let written = writer.and_then(|writer| solved.write(writer, processes, true, &Silent));
        // All processes have come so far with the same number of exchanges, or this hangs or fails.
        assert_eq!(processes.sum(&[1, 10]).unwrap(), [3, 30]);
        written.unwrap_err()
    });
    let mut failed = failed.into_iter();
    let first = failed.next().unwrap();
    for error in failed {
        assert!(error.get_ref().is_some_and(|error| error.is::<OtherProcessFailed>()), "{error}");
    }
    first
}

#[test]
fn what_process_0_cannot_write_is_an_error_on_all_processes() {
    let solved = Solved::new(material("3-1"), RuleSet::Lasca);
    let folder = tempfile::tempdir().unwrap();
    let (table, nowhere) = (solved.in_folder(folder.path()), folder.path().join("nowhere"));
    // The files cannot be made, or not be put in their places.
    for table in [NewTable { temporary: &nowhere, ..table }, NewTable { folder: &nowhere, ..table }]
    {
        assert_eq!(failed(&solved, table).kind(), io::ErrorKind::NotFound);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_on_all_processes() {
    use super::{FileKind, file_name};
    for material in ["2-1", "3-2"] {
        let solved = Solved::new(crate::testing::material(material), RuleSet::Lasca);
        for kind in FileKind::ALL {
            let folder = tempfile::tempdir().unwrap();
            let name = format!("{}.tmp", file_name(solved.extent.material(), solved.rules, kind));
            std::os::unix::fs::symlink("/dev/full", folder.path().join(name)).unwrap();
            let error = failed(&solved, solved.in_folder(folder.path()));
            assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{material}");
        }
    }
}
