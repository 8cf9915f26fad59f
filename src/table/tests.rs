//! Tables that several processes write together.

use super::{FileKind, TableWriter, file_name};
use crate::index::{Extent, Material, SliceIndex};
use crate::processes::tests::on_processes;
use crate::processes::{OtherProcessFailed, Processes};
use crate::retrograde::Solver;
use crate::rules::RuleSet;
use crate::values::bytes::Bytes;
use crate::values::{SliceShare, SliceValues};
use crate::{Progress, Silent};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// The values of a material under a rule set.
struct Solved {
    table: (Extent, RuleSet),
    /// For each stored side to move, its slices from two columns on.
    slices: Vec<Vec<SliceValues>>,
}

impl Solved {
    fn new(material: Material, rules: RuleSet) -> Solved {
        let slices = Solver::new(material, rules).solve(&Silent).unwrap();
        Solved { table: (Extent::whole(material).unwrap(), rules), slices }
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

    /// Writes all slices with a writer of one of the processes, up to the end.
    fn write(
        &self,
        mut writer: TableWriter,
        processes: &dyn Processes,
        captures_end: bool,
        progress: &dyn Progress,
    ) -> io::Result<()> {
        for columns in self.table.0.columns() {
            let slices = self.of_columns(columns);
            let share = |(index, values)| share(index, values, processes);
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

/// The share of a process. The shares of two processes are alike; of three and more, the first one is empty.
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
    SliceShare::new(bounds, processes.number(), values)
}

/// Compares the files of these numbers of processes with those of one writer.
fn compare(solved: &Solved, captures_end: bool, counts: &[usize], is_frugal: bool) {
    let expected = solved.written_alone(captures_end);
    for &count in counts {
        let folder = tempfile::tempdir().unwrap();
        let written = on_processes(count, |processes| {
            // Only process 0 has to have a folder.
            let path = if processes.number() == 0 { folder.path() } else { Path::new("/nowhere") };
            let mut writer = TableWriter::begin(processes, (path, path), solved.table)?;
            if is_frugal {
                writer = writer.sample_bytes(2000 + 500 * processes.number() as u64);
            } else {
                writer = writer.chunks_at_once(1 + processes.number());
            }
            solved.write(writer, processes, captures_end, &Silent)
        });
        written.into_iter().for_each(|written| written.unwrap());
        let (material, rules) = (solved.table.0.material(), solved.table.1);
        let same = files(folder.path(), solved.table) == expected;
        assert!(same, "{material} under {rules} on {count} processes, frugal: {is_frugal}");
    }
}

#[test]
fn any_number_of_processes_writes_the_same_bytes() {
    for rules in RuleSet::ALL {
        for material in (2..=5).flat_map(Material::with_total) {
            let solved = Solved::new(material, rules);
            compare(&solved, rules != RuleSet::Rejump, &[1, 2, 3, 4, 7], false);
        }
    }
}

#[test]
fn processes_with_little_memory_write_the_same_bytes() {
    for material in ["3-1", "3-2"].map(|text| text.parse().unwrap()) {
        for (rules, captures_end) in [(RuleSet::Lasca, true), (RuleSet::Rejump, false)] {
            compare(&Solved::new(material, rules), captures_end, &[1, 2, 3, 7], true);
        }
    }
}

#[test]
fn distances_that_are_listed_apart_come_from_every_process() {
    let (material, rules) = ("3-2".parse().unwrap(), RuleSet::Lasca);
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

/// Wants the work to stop when it has been asked so many times.
struct StopsAfter(AtomicU32);

impl Progress for StopsAfter {
    fn should_stop(&self) -> bool {
        let less = |left: u32| left.checked_sub(1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err()
    }
}

#[test]
fn all_processes_stop_when_one_of_them_shall() {
    let solved = Solved::new("3-2".parse().unwrap(), RuleSet::Lasca);
    let expected = solved.written_alone(true);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for stops in 0.. {
        let count = [3, 1, 7, 2, 4][stops % 5];
        let written = on_processes(count, |processes| {
            let is_stopped = processes.number() == stops % count;
            let asked = if is_stopped { 7 * stops as u32 } else { u32::MAX };
            let writer = TableWriter::begin(processes, (path, path), solved.table)?;
            solved.write(writer, processes, true, &StopsAfter(AtomicU32::new(asked)))
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
    assert!(files(path, solved.table) == expected);
}

/// Writes on three processes what cannot be written, and checks that every process gets an error at the same
/// step. Returns the one of process 0.
fn failed(solved: &Solved, folders: (&Path, &Path)) -> io::Error {
    let failed = on_processes(3, |processes| {
        let writer = TableWriter::begin(processes, folders, solved.table);
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
    let solved = Solved::new("3-1".parse().unwrap(), RuleSet::Lasca);
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
fn a_full_disk_is_an_error_on_all_processes() {
    for material in ["2-1", "3-2"] {
        let solved = Solved::new(material.parse().unwrap(), RuleSet::Lasca);
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
