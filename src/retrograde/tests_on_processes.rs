//! Solving over several processes, which are threads of the test.

use super::error::Failure;
use super::pace::Interval;
use super::{Checkpoints, Resources, SliceSolver, SolveError};
use crate::processes::tests::on_processes;
use crate::processes::{Processes, StepFailure};
use crate::rules::RuleSet;
use crate::testing::{Recorder, material, solve};
use crate::values::{SliceShare, SliceValues};
use crate::{Progress, Silent};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Small partitions and messages, so that small slices are spread too.
fn small() -> Resources {
    Resources { partition_bytes: 1 << 10, waiting_bytes: 1 << 14, ..Resources::default() }
}

/// Whether the shares of all processes, in their order, make up the slices.
fn assert_are_shares_of(shares: &[Vec<Vec<SliceShare>>], slices: &[Vec<SliceValues>], what: &str) {
    for (side, of_side) in slices.iter().enumerate() {
        for (at, slice) in of_side.iter().enumerate() {
            let values = shares.iter().flat_map(|shares| shares[side][at].values.distances());
            assert!(values.eq(slice.distances()), "{what}: side {side}, {} columns", at + 2);
        }
    }
}

/// Solves the share of a process of one slice of 3-2 after another. `resources` get a note for each slice.
fn try_to_solve(
    solver: &SliceSolver,
    folder: &Path,
    interval: Interval,
    resources: &Resources,
    processes: &dyn Processes,
    progress: &dyn Progress,
) -> Result<Vec<Vec<SliceShare>>, Failure> {
    let mut solved: Vec<Vec<SliceShare>> = (0..2).map(|_| Vec::new()).collect();
    for columns in material("3-2").columns() {
        let path = folder.join(format!("columns-{columns}"));
        let checkpoints = Some(Checkpoints { path, interval, begun: Instant::now() });
        let solver = solver.clone().resources(Resources { checkpoints, ..resources.clone() });
        let slice = solver.solve_share(columns, &solved, processes, progress)?;
        solved.iter_mut().zip(slice.shares).for_each(|(side, share)| side.push(share));
    }
    Ok(solved)
}

/// Tables of several materials are compared where tables are generated, with larger messages.
#[test]
fn processes_that_send_short_messages_find_the_values_that_one_process_finds() {
    for rules in RuleSet::ALL {
        let alone = solve(material("3-2"), rules);
        for (count, first_late) in [(3, 6), (7, 190)] {
            let folder = tempfile::tempdir().unwrap();
            let solver = SliceSolver::new(material("3-2"), rules).first_late_ply(first_late);
            let shares = on_processes(count, |processes| {
                let (folder, interval) = (folder.path(), Interval::Adapted);
                try_to_solve(&solver, folder, interval, &small(), processes, &Silent).unwrap()
            });
            assert_are_shares_of(&shares, &alone, &format!("{rules} on {count}"));
        }
    }
}

#[test]
fn a_solve_may_end_at_the_last_ply_and_not_after_it() {
    let alone = solve(material("3-2"), RuleSet::Lasca);
    for (count, first_late) in [(1, 190), (1, 5), (3, 190)] {
        let solve_up_to = |last_ply| {
            let folder = tempfile::tempdir().unwrap();
            let solver = SliceSolver::new(material("3-2"), RuleSet::Lasca);
            let solver = solver.first_late_ply(first_late).last_ply(last_ply);
            on_processes(count, |processes| {
                let (folder, interval) = (folder.path(), Interval::Never);
                try_to_solve(&solver, folder, interval, &small(), processes, &Silent)
            })
        };
        // The longest win or loss of 3-2 is one of 42 plies.
        let what = format!("{count} processes, late from ply {first_late}");
        let solved: Result<Vec<_>, Failure> = solve_up_to(42).into_iter().collect();
        assert_are_shares_of(&solved.expect(&what), &alone, &what);
        let failed: Vec<Failure> =
            solve_up_to(41).into_iter().map(|solved| solved.expect_err(&what)).collect();
        let says_why = |error: &_| matches!(error, StepFailure::Own(SolveError::TooManyPlies));
        assert!(failed.iter().any(says_why), "{what}: {failed:?}");
    }
}

#[test]
fn another_number_of_processes_goes_on_where_some_were_stopped() {
    let every = Interval::Every(Duration::from_millis(10));
    for (interval, first_late, changes_ways) in
        [(Interval::Adapted, 190, false), (every, 190, true), (Interval::Adapted, 6, true)]
    {
        let folder = tempfile::tempdir().unwrap();
        let solver = SliceSolver::new(material("3-2"), RuleSet::Lasca).first_late_ply(first_late);
        let alone = solver.solve().unwrap();
        // A run in memory, one with solved slices in files, and one with all values in files.
        let scratch = Some(folder.path().to_owned());
        let ways = [
            small(),
            Resources { solved_in_files: true, partition_bytes: 1 << 12, ..small() },
            Resources { solved_in_files: true, scratch, ..small() },
        ];
        let mut stops = 0;
        let shares = loop {
            let count = [3, 2, 7, 1, 4, 1][stops % 6];
            let way = &ways[if changes_ways { stops % 5 % 3 } else { 0 }];
            let runs = on_processes(count, |processes| {
                // One of the processes is asked to stop, now this one and now that one.
                let is_stopped = processes.number() == stops % count;
                let left = if is_stopped { 20 + 3 * stops } else { usize::MAX };
                let progress = Recorder::stopping_at(left);
                let folder = folder.path();
                let solved = try_to_solve(&solver, folder, interval, way, processes, &progress);
                let solved = match solved {
                    Ok(solved) => Some(solved),
                    Err(StepFailure::Stopped) => None,
                    Err(failure) => panic!("{failure:?}"),
                };
                let ignored = progress.warned();
                let is_fine = |why: &String| changes_ways && why.contains("memory limit");
                assert!(ignored.iter().all(is_fine), "{ignored:?}");
                solved
            });
            if let Some(shares) = runs.into_iter().collect::<Option<Vec<_>>>() {
                break shares;
            }
            stops += 1;
            assert!(stops < 500, "the work comes to no end");
        };
        assert!(stops > 3, "{stops} stops");
        assert_are_shares_of(&shares, &alone, "3-2");
    }
}

#[test]
fn parts_of_a_checkpoint_that_are_of_others_or_gone_are_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let solver = SliceSolver::new(material("3-2"), RuleSet::Lasca);
    let alone = solver.solve().unwrap();
    let every = Interval::Adapted;
    // Solved slices are saved at once.
    let resources = Resources { solved_in_files: true, ..small() };
    let run = |count: usize| {
        let runs = on_processes(count, |processes| {
            let progress = Recorder::default();
            let shares =
                try_to_solve(&solver, folder.path(), every, &resources, processes, &progress);
            (shares.unwrap(), progress.warned())
        });
        let (shares, ignored): (Vec<_>, Vec<_>) = runs.into_iter().unzip();
        assert_are_shares_of(&shares, &alone, "3-2");
        ignored.concat()
    };
    assert!(run(2).is_empty());
    let part = |process: usize| {
        let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let is_part = |path: &PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            name.starts_with("columns-4-part-") && name.ends_with(&format!("-{process}"))
        };
        names.into_iter().find(is_part).unwrap()
    };
    assert!(run(3).is_empty(), "solved slices are read");
    // Part of the same checkpoint, but of another process.
    fs::copy(part(1), part(0)).unwrap();
    assert!(!run(2).is_empty());
    fs::remove_file(part(0)).unwrap();
    assert!(!run(2).is_empty());
    fs::write(part(0), b"no part").unwrap();
    assert!(!run(2).is_empty());
    let note = folder.path().join("columns-4");
    fs::write(&note, b"no note").unwrap();
    assert!(!run(2).is_empty());
    // Parts without a note are those of no checkpoint.
    fs::remove_file(&note).unwrap();
    assert!(run(2).is_empty() && note.exists());
    assert!(run(3).is_empty(), "what was solved again is read");
}

#[test]
fn a_note_that_cannot_be_read_is_an_error_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("columns-2");
    // It can be opened, but not be read.
    fs::create_dir(&path).unwrap();
    let checkpoints =
        Checkpoints { path: path.clone(), interval: Interval::Adapted, begun: Instant::now() };
    let resources = Resources { checkpoints: Some(checkpoints), ..small() };
    let solver = SliceSolver::new(material("3-2"), RuleSet::Lasca).resources(resources);
    let errors = on_processes(3, |processes| {
        let below: Vec<Vec<SliceShare>> = (0..2).map(|_| Vec::new()).collect();
        solver.solve_share(2, &below, processes, &Silent).err().unwrap()
    });
    let is_own = matches!(errors[0], StepFailure::Own(SolveError::File(_)));
    assert!(is_own, "{:?}", errors[0]);
    assert!(errors[1..].iter().all(|error| matches!(error, StepFailure::OnProcess(0))));
    assert!(path.is_dir());
}
