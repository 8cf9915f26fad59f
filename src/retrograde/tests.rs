//! The fast paths against their plain descriptions, and the solver against its own settings.

use super::below::Below;
use super::captures::{CaptureResults, CaptureWorkspace};
use super::checkpoint::forged;
use super::error::Failure;
use super::pace::Interval;
use super::partitions::Partitions;
use super::side::{Row, SideToMove};
use super::slice_work::SliceWork;
use super::state::{Agenda, due_bytes};
use super::transitions::{UnMoves, arrangements_of};
use super::uncaptures::chains_bytes;
use super::updates::SendUpdates;
use super::{Checkpoints, Resources, SliceSolver, SolveError};
use crate::index::{Material, SliceIndex};
use crate::processes::{Alone, StepFailure, Wishes};
use crate::rules::{OfficerPosition, RuleSet, uncaptures};
use crate::testing::{Recorder, material, solve};
use crate::values::{SliceShare, SliceValues};
use crate::{Progress, Silent};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn looking_at_all_stackings_at_once_sees_what_looking_at_each_sees() {
    for rules in [RuleSet::Lasca, RuleSet::Bignor] {
        for material in ["2-2", "3-1", "3-2", "4-1", "3-3"].map(material) {
            let solved = solve(material, rules);
            for columns in material.columns() {
                look_both_ways(rules, material, &solved, columns);
            }
        }
    }
}

fn look_both_ways(rules: RuleSet, material: Material, solved: &[Vec<SliceValues>], columns: usize) {
    let stored = material.stored_sides();
    for (i, &side) in stored.iter().enumerate() {
        let below = (2..columns)
            .zip(&solved[(i + 1) % stored.len()])
            .map(|(columns, slice)| (material.slice(!side, columns), 0, slice));
        let side = SideToMove::new(rules, material.slice(side, columns), Below::new(below));
        let mut search = CaptureWorkspace::default();
        // In the largest slices a part of the orbits will do.
        for orbit in (0..side.index.orbits()).step_by(if columns > 5 { 29 } else { 1 }) {
            let [at_once, each] = [true, false].map(|at_once| {
                let mut results = vec![CaptureResults::default(); side.index.rows()];
                let occupied = side.index.sets().representative(orbit);
                if at_once {
                    search.look(&side, occupied, &mut results);
                } else {
                    let mut capturing = Vec::new();
                    side.lists.find_quiet(occupied, &mut capturing);
                    side.lists.complement(&mut capturing);
                    side.look_at_each(occupied, &capturing, &mut results, &mut search);
                }
                search.look_up(&side.below, &mut results).unwrap();
                results
            });
            assert!(at_once == each, "orbit {orbit} of {columns} columns under {rules}");
        }
    }
}

/// Updates as they are sent.
#[derive(Default)]
struct Sent(Vec<(u32, u32)>);

impl SendUpdates for Sent {
    fn send(&mut self, orbit: u32, first: u32, rows: impl ExactSizeIterator<Item = u32>) {
        self.0.extend(rows.map(|row| (orbit, first + row)));
    }
}

/// The updates that follow from the positions at some rows of an orbit, found for each position by
/// itself: the plain way.
fn updates_of_each(side: &SideToMove, orbit: usize, rows: &[u32]) -> Vec<(u32, u32)> {
    let mut sent = Sent::default();
    let kept = side.index.sets().stabilizer(orbit).transversal();
    for &row in rows {
        let number = (orbit * side.index.rows()) as u64 + u64::from(row);
        let position: OfficerPosition = side.index.position(number);
        for step in position.placement().for_other_side().steps() {
            // A quiet move backwards is one of the other side, after which it is to move again.
            let before = position.for_other_side().after_step(step).for_other_side();
            if !before.placement().must_capture() {
                side.send_to(kept, &before, &mut sent);
            }
        }
        uncaptures(&position, side.rules, true, |before| side.send_to(kept, before, &mut sent));
    }
    sent.0.sort_unstable();
    sent.0
}

#[test]
fn updates_for_a_group_at_once_are_those_for_each_position() {
    for rules in RuleSet::ALL {
        for (mover, other) in [(2, 2), (3, 3), (5, 4)] {
            for columns in 2..=(mover + other).min(6) {
                let index = SliceIndex::new(mover, other, columns).unwrap();
                let sets = index.sets();
                let un_moves = UnMoves::new(&index.for_other_side(), rules);
                let below = Below::new(std::iter::empty());
                let side = SideToMove::new(rules, index, below);
                // All orbits with symmetries of their own, and a part of the others.
                let some = sets.orbits().div_ceil(40);
                let orbits = (0..sets.orbits())
                    .filter(|&orbit| orbit % some == 0 || sets.stabilizer(orbit).len() > 1)
                    .take(100);
                for orbit in orbits {
                    let rows: Vec<u32> = (0..side.index.rows() as u32).step_by(3).collect();
                    let mut at_once = Sent::default();
                    let each_row: Vec<Row> = rows.iter().map(|&row| side.row(row)).collect();
                    side.expand_orbit(&un_moves, orbit, &each_row, &mut at_once);
                    at_once.0.sort_unstable();
                    let each = updates_of_each(&side, orbit, &rows);
                    assert!(at_once.0 == each, "orbit {orbit} of {columns} columns under {rules}");
                }
            }
        }
    }
}

#[test]
fn transitions_have_as_many_arrangements_and_chains_as_is_said_before_they_are_worked_out() {
    for (columns, spare) in (2..=9).flat_map(|columns| [(columns, 0), (columns, 1), (columns, 4)]) {
        let counters = columns - 1 + spare;
        let (index, rules) = (SliceIndex::new(counters, 1, columns).unwrap(), RuleSet::Lasca);
        let (arrangements, found) = UnMoves::sizes(&index, rules);
        assert_eq!(arrangements, arrangements_of(columns));
        let said = chains_bytes(columns, spare);
        // With few columns, many sets have symmetries of their own; all their chains together take less than a MB.
        let is_near = said.abs_diff(found) <= found / 50 + if spare > 1 { found / 5 } else { 0 };
        assert!(is_near || columns < 6, "{columns} {spare}: {found}, {said}");
    }
}

#[test]
fn values_do_not_depend_on_late_plies_resources_or_threads() {
    let folder = tempfile::tempdir().unwrap();
    for (rules, text) in RuleSet::ALL.into_iter().flat_map(|rules| [(rules, "2-2"), (rules, "3-2")])
    {
        let solver = SliceSolver::new(material(text), rules);
        let plain = solver.solve().unwrap();
        for (first_late, partition_bytes, waiting_bytes, threads, scratch) in [
            (190, 1, 1, 3, false),
            (1, 1 << 12, 1 << 12, 1, false),
            (2, 1 << 22, 1 << 30, 4, true),
            (5, 1, 1 << 12, 2, false),
            (12, 1 << 13, 1 << 16, 2, true),
            (190, 1 << 22, 1 << 16, 4, true),
        ] {
            let scratch = scratch.then(|| folder.path().to_owned());
            let resources =
                Resources { scratch, partition_bytes, waiting_bytes, ..Resources::default() };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let solver = solver.clone().first_late_ply(first_late).resources(resources.clone());
            let solved = pool.install(|| solver.solve().unwrap());
            assert!(solved == plain, "{text} under {rules}, late from {first_late}: {resources:?}");
        }
    }
}

#[test]
fn no_more_updates_wait_than_there_is_room_for_even_of_one_partition() {
    let room = 1 << 12;
    let solver = SliceSolver::new(material("3-2"), RuleSet::Lasca);
    let solved = solver.solve().unwrap();
    let (sides, columns) = (solver.material.stored_sides(), 4);
    let mut below = vec![Vec::new(), Vec::new()];
    for columns in 2..columns {
        let shares = solve_one(&solver, columns, &below, &Silent).unwrap();
        below.iter_mut().zip(shares).for_each(|(side, share)| side.push(share));
    }
    let resources = Resources { waiting_bytes: room, ..Resources::default() };
    let solver = solver.resources(resources);
    let index = solver.material.slice(sides[0], columns);
    let partitions = Partitions::new(&index, index.positions() as usize);
    let stretch = partitions.positions() / 64;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (values, most) = pool.install(|| {
        let mut work = SliceWork::new(&solver, columns, partitions, &below, &Alone).unwrap();
        write_start(&mut work);
        let (mut most, mut next) = (0, Some(0));
        while let Some(ply) = next {
            work.begin_ply(ply).unwrap();
            while work.has_more_to_expand() {
                work.expand_some(ply).unwrap();
                let outbox = &work.expanders[0].outbox;
                let batches = (0..partitions.count()).flat_map(|i| outbox.batches(i));
                let waiting = batches.map(size_of_val).sum();
                most = usize::max(most, waiting);
                work.make_updates(ply).unwrap();
            }
            next = work.state.next_ply(ply + 1);
        }
        (work.state.finish(), most)
    });
    // The updates of the last stretch may come on top.
    assert!((room / 2..room + 16 * stretch).contains(&most), "{most}, {stretch}");
    for (side, values) in values.iter().enumerate() {
        assert!(*values == solved[side][columns - 2]);
    }
}

/// Writes the starting state of all positions.
fn write_start(work: &mut SliceWork) {
    let mut starting = work.begin_start();
    let mut go_on = || {
        let all = work.go_on_with_start(&mut starting, Wishes::default());
        all.unwrap().has_more
    };
    while go_on() {}
}

#[test]
fn updates_that_fall_due_later_take_no_more_than_is_planned() {
    for rules in RuleSet::ALL {
        for material in ["3-3", "4-2"].map(material) {
            let solver = SliceSolver::new(material, rules);
            let sides = material.stored_sides();
            let mut below: Vec<Vec<SliceShare>> = sides.iter().map(|_| Vec::new()).collect();
            let mut most = 0.0;
            for columns in material.columns() {
                let index = material.slice(sides[0], columns);
                let partitions = Partitions::new(&index, 1 << 16);
                let work = SliceWork::new(&solver, columns, partitions, &below, &Alone);
                let mut work = work.unwrap();
                write_start(&mut work);
                let due: usize = work.state.agendas.iter().map(Agenda::due_bytes).sum();
                let positions = sides.len() as u64 * index.positions();
                drop(work);
                // Slices of few columns are small, and no more than a hundredth of them falls due.
                let planned = due_bytes(material, columns, positions).max(positions / 100);
                assert!(due as u64 <= planned, "{material} {columns} {rules}: {due} of {planned}");
                most = f64::max(most, due as f64 / positions as f64);
                let shares = solve_one(&solver, columns, &below, &Silent).unwrap();
                below.iter_mut().zip(shares).for_each(|(side, share)| side.push(share));
            }
            assert!(most > 0.01, "{material} under {rules}: {most}");
        }
    }
}

/// Resources of small partitions, with checkpoints at `path`.
fn small(path: &Path, interval: Interval) -> Resources {
    let checkpoints = Some(Checkpoints { path: path.to_owned(), interval, begun: Instant::now() });
    let (partition_bytes, waiting_bytes) = (1 << 12, 1 << 14);
    Resources { partition_bytes, waiting_bytes, checkpoints, ..Resources::default() }
}

/// Solves the slice of this many columns alone.
fn solve_one(
    solver: &SliceSolver,
    columns: usize,
    below: &[Vec<SliceShare>],
    progress: &dyn Progress,
) -> Result<Vec<SliceShare>, Failure> {
    solver.solve_share(columns, below, &Alone, progress).map(|solved| solved.shares)
}

#[test]
fn a_checkpoint_that_is_damaged_or_of_something_else_is_named_and_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let part = folder.path().join("checkpoint-part-1-0");
    let solver = SliceSolver::new(material("2-2"), RuleSet::Lasca);
    let plain = solver.solve().unwrap();
    let below = vec![solve_one(&solver, 2, &[Vec::new()], &Silent).unwrap()];
    let solver = solver.resources(small(&path, Interval::Adapted));
    let len = SliceIndex::new(2, 2, 3).unwrap().positions() as usize;
    for stop in [1, 8, 20] {
        let stopped = solve_one(&solver, 3, &below, &Recorder::stopping_at(stop));
        assert!(matches!(stopped, Err(StepFailure::Stopped)));
        let (note, saved) = (fs::read(&path).unwrap(), fs::read(&part).unwrap());
        let goes_on = |note: &[u8], saved: &[u8], solver: &SliceSolver| {
            fs::write(&path, note).unwrap();
            fs::write(&part, saved).unwrap();
            let progress = Recorder::default();
            let solved = solve_one(solver, 3, &below, &progress).unwrap().remove(0);
            assert!(solved.values == plain[0][1]);
            let ignored = progress.warned();
            assert!(ignored.iter().all(|why| why.contains("; it is now called checkpoint.aside-")));
            ignored
        };
        assert!(goes_on(&note, &saved, &solver).is_empty());
        for at in (0..saved.len()).step_by(saved.len() / 40) {
            let mut damaged = saved.clone();
            damaged[at] ^= 0x10;
            let why = goes_on(&note, &damaged, &solver).remove(0);
            assert!(why.contains(if at < 4 { "version" } else { "damaged" }), "{at}: {why}");
            let why = goes_on(&note, &saved[..at], &solver).remove(0);
            assert!(why.contains("checkpoint is not used: a part of it is damaged"), "{at}: {why}");
        }
        // A part begins with 8 bytes and its head; the bytes of all positions follow, then the length of
        // the first agenda, and 8 bytes after that the agenda itself, with the lengths of its lists.
        let first = 8 + u32::from_le_bytes(saved[4..8].try_into().unwrap()) as usize + len;
        for at in first..first + 40 {
            let mut damaged = saved.clone();
            damaged[at..at + 8].fill(0xfd);
            let why = goes_on(&note, &damaged, &solver).remove(0);
            assert!(why.contains("checkpoint is not used: a part of it is damaged"), "{at}: {why}");
        }
        for at in 0..note.len() {
            let mut damaged = note.clone();
            damaged[at] ^= 0x10;
            let why = goes_on(&damaged, &saved, &solver).remove(0);
            assert!(why.contains("checkpoint is not used: it is damaged"), "{at}: {why}");
        }
        let forged = forged(&note, &saved);
        let whys: Vec<String> =
            forged.map(|(note, saved)| goes_on(&note, &saved, &solver).remove(0)).collect();
        assert!(whys.iter().all(|why| why.contains("checkpoint is not used: it is ")), "{whys:?}");
        let of_others = whys
            .iter()
            .filter(|why| why.contains("checkpoint is not used: it is of another table"));
        assert_eq!(of_others.count(), 3, "{whys:?}");
        // Other partitions would do, but not smaller ones where memory is scarce.
        let other = Resources { partition_bytes: 1, ..small(&path, Interval::Adapted) };
        assert!(goes_on(&note, &saved, &solver.clone().resources(other.clone())).is_empty());
        let other = Resources { scratch: Some(folder.path().to_owned()), ..other };
        let why = goes_on(&note, &saved, &solver.clone().resources(other)).remove(0);
        assert!(why.contains("memory limit"), "{why}");
    }
}

#[test]
fn a_state_that_cannot_be_saved_is_reported_and_a_solved_slice_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    // No file can take the place of a folder.
    fs::create_dir(path.with_extension("tmp")).unwrap();
    let solver = SliceSolver::new(material("2-1"), RuleSet::Lasca);
    let solver = solver.resources(small(&path, Interval::Every(Duration::ZERO)));
    let progress = Recorder::default();
    let solved = solve_one(&solver, 2, &[Vec::new(), Vec::new()], &progress);
    let Err(StepFailure::Own(SolveError::File(error))) = solved else { panic!("{solved:?}") };
    assert!(error.to_string().starts_with("the solved slice could not be saved: "), "{error}");
    let warned = progress.warned();
    let is_of_state = |text: &String| text.contains("saved of the slice cannot be replaced");
    assert!(!warned.is_empty() && warned.iter().all(is_of_state), "{warned:?}");
    assert!(!path.exists());
}
