//! The fast paths against their plain descriptions, and the solver against its own settings.

use super::below::Below;
use super::captures::{CaptureResults, CaptureSearch};
use super::checkpoint::{self, Found, Identity, Reached};
use super::partitions::Partitions;
use super::side::SideToMove;
use super::state::{Agenda, Codes};
use super::unsteps::QuietMoves;
use super::updates::SendUpdates;
use super::{Checkpoints, Resources, SolveError, Solver};
use crate::durable::Interval;
use crate::index::{Material, SliceIndex};
use crate::rules::{RuleSet, possible_jumps};
use crate::values::bytes::Bytes;
use crate::values::{Distance, SliceValues};
use crate::{Progress, Silent, Value};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

fn material(text: &str) -> Material {
    text.parse().unwrap()
}

fn values(solved: &[Vec<SliceValues>]) -> Vec<Vec<Vec<Value>>> {
    let all = |slice: &SliceValues| {
        let mut distances = vec![Distance::DRAW; slice.len() as usize];
        slice.read(0, &mut distances).unwrap();
        distances.into_iter().map(Distance::value).collect()
    };
    solved.iter().map(|side| side.iter().map(all).collect()).collect()
}

#[test]
fn looking_at_all_stackings_at_once_sees_what_looking_at_each_sees() {
    for rules in [RuleSet::Lasca, RuleSet::Bignor] {
        for material in ["2-2", "3-1", "3-2", "4-1", "3-3"].map(material) {
            let solved = Solver::new(material, rules).solve(&Silent).unwrap();
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
            .map(|(columns, slice)| (material.slice(!side, columns), slice));
        let side =
            SideToMove::new(rules, material.slice(side, columns), Below::new(below)).unwrap();
        let mut search = CaptureSearch::default();
        // In the largest slices a part of the orbits will do.
        for orbit in (0..side.index.orbits()).step_by(if columns > 5 { 29 } else { 1 }) {
            let [at_once, each] = [true, false].map(|at_once| {
                let mut results = vec![CaptureResults::default(); side.index.rows()];
                let occupied = side.index.sets().representative(orbit);
                search.begin_orbit();
                if at_once {
                    search.look(&side, occupied, &mut results).unwrap();
                } else {
                    let mut jumps = Vec::new();
                    possible_jumps(occupied, |from, over| {
                        let column = |square| occupied.ordinal_of(square) as u8;
                        jumps.push((column(from), column(over)));
                    });
                    side.look_at_each(occupied, &jumps, &mut results, &mut search).unwrap();
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
    fn send(&mut self, orbit: u32, rows: impl ExactSizeIterator<Item = u32>) {
        self.0.extend(rows.map(|row| (orbit, row)));
    }
}

#[test]
fn updates_for_a_group_at_once_are_those_for_each_position() {
    let mut any_known = false;
    for rules in RuleSet::ALL {
        for (mover, other) in [(2, 2), (3, 3), (5, 4)] {
            for columns in 2..=(mover + other).min(6) {
                let index = SliceIndex::new(mover, other, columns).unwrap();
                let sets = index.sets();
                let quiet_moves = QuietMoves::new(&index).unwrap();
                let below = || Below::new(std::iter::empty());
                let side = |index| SideToMove::new(rules, index, below()).unwrap();
                let knowing = side(index.clone()).knowing_unsteps();
                any_known |= knowing.known_unsteps.is_some();
                let side = side(index);
                // All orbits with symmetries of their own, and a part of the others.
                let some = sets.orbits().div_ceil(40);
                let orbits = (0..sets.orbits())
                    .filter(|&orbit| orbit % some == 0 || sets.stabilizer(orbit).len() > 1)
                    .take(100);
                for orbit in orbits {
                    let rows: Vec<u32> = (0..side.index.rows() as u32).step_by(3).collect();
                    let ways = [
                        (&side, Some(&quiet_moves)),
                        (&knowing, Some(&quiet_moves)),
                        (&side, None),
                    ];
                    let [at_once, known, each] = ways.map(|(side, quiet_moves)| {
                        let mut sent = Sent::default();
                        side.expand_orbit(quiet_moves, orbit, &rows, &mut sent);
                        sent.0.sort_unstable();
                        sent.0
                    });
                    assert!(at_once == each, "orbit {orbit} of {columns} columns under {rules}");
                    assert!(known == each, "orbit {orbit} of {columns} columns under {rules}");
                }
            }
        }
    }
    assert!(any_known);
}

#[test]
fn values_do_not_depend_on_which_plies_are_listed_apart() {
    for rules in RuleSet::ALL {
        for material in ["2-2", "3-2"].map(material) {
            let plain = values(&Solver::new(material, rules).solve(&Silent).unwrap());
            for first_late in [1, 2, 5, 12] {
                let solver = Solver::new(material, rules).first_late_ply(first_late);
                let late = values(&solver.solve(&Silent).unwrap());
                assert!(late == plain, "{material} under {rules}, late from {first_late}");
            }
        }
    }
}

#[test]
fn values_do_not_depend_on_resources_or_threads() {
    let folder = tempfile::tempdir().unwrap();
    for rules in RuleSet::ALL {
        let solver = Solver::new(material("3-2"), rules);
        let plain = values(&solver.solve(&Silent).unwrap());
        for (partition_bytes, waiting_bytes, threads, quiet_moves, scratch) in [
            (1, 1, 3, true, false),
            (1 << 12, 1 << 12, 1, false, false),
            (1 << 22, 1 << 30, 4, true, true),
            (1 << 13, 1 << 16, 2, false, true),
        ] {
            let scratch = scratch.then(|| folder.path().to_owned());
            let resources = Resources {
                scratch,
                known_unsteps: quiet_moves,
                quiet_moves,
                partition_bytes,
                waiting_bytes,
                checkpoints: None,
            };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let solver = solver.clone().resources(resources.clone());
            let solved = pool.install(|| solver.solve(&Silent).unwrap());
            assert!(values(&solved) == plain, "{rules} {resources:?}");
        }
    }
}

/// Stops a solve at the `left`-th time that it asks, and notes what it says.
#[derive(Default)]
struct StopAt {
    left: AtomicUsize,
    settled: AtomicU64,
    ignored: Mutex<Vec<String>>,
}

impl StopAt {
    fn new(left: usize) -> StopAt {
        StopAt { left: left.into(), ..StopAt::default() }
    }
}

impl Progress for StopAt {
    fn ply_done(&self, _ply: u16, settled: u64) {
        self.settled.store(settled, Ordering::Relaxed);
    }

    fn work_ignored(&self, _path: &Path, why: &str) {
        self.ignored.lock().unwrap().push(why.to_owned());
    }

    fn should_stop(&self) -> bool {
        let one_less = |left: usize| Some(left.saturating_sub(1));
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less) == Ok(0)
    }
}

/// Resources of small partitions, with checkpoints at `path`.
fn small(path: &Path, scratch: Option<PathBuf>, interval: Interval) -> Resources {
    let checkpoints = Some(Checkpoints { path: path.to_owned(), interval });
    let (partition_bytes, waiting_bytes) = (1 << 12, 1 << 14);
    Resources {
        scratch,
        partition_bytes,
        waiting_bytes,
        checkpoints,
        quiet_moves: true,
        known_unsteps: true,
    }
}

#[test]
fn a_slice_that_is_stopped_again_and_again_comes_to_the_same_end() {
    let folder = tempfile::tempdir().unwrap();
    for (scratch, first_late) in [(None, 190), (Some(folder.path().to_owned()), 6)] {
        let solver = Solver::new(material("3-2"), RuleSet::Lasca).first_late_ply(first_late);
        let plain = values(&solver.solve(&Silent).unwrap());
        let mut solved: Vec<Vec<SliceValues>> = vec![Vec::new(); 2];
        for columns in 2..=5 {
            // Each slice has a checkpoint of its own.
            let path = folder.path().join(format!("checkpoint-{columns}-{first_late}"));
            let resources = small(&path, scratch.clone(), Interval::Adapted);
            let solver = solver.clone().resources(resources);
            let (mut stops, mut settled) = (0, 0);
            let slices = loop {
                // Each run does a little more than the one before reached, wherever that was.
                let progress = StopAt::new(41 + stops % 5);
                match solver.solve_slice(columns, &solved, &progress) {
                    Ok(slices) => break slices,
                    Err(SolveError::Stopped) => {}
                    Err(error) => panic!("{error}"),
                }
                stops += 1;
                assert!(stops < 2000, "{columns} columns");
                assert!(progress.ignored.into_inner().unwrap().is_empty());
                // No run falls behind an earlier one.
                let now = progress.settled.into_inner();
                assert!(now == 0 || now >= settled, "{columns} columns: {now} after {settled}");
                settled = now.max(settled);
            };
            assert!(columns < 4 || stops > 2, "{stops} stops at {columns} columns");
            solved.iter_mut().zip(slices).for_each(|(side, slice)| side.push(slice));
        }
        assert!(values(&solved) == plain);
    }
}

#[test]
fn a_checkpoint_that_is_damaged_or_of_something_else_is_named_and_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let solver = Solver::new(material("2-2"), RuleSet::Lasca);
    let plain = values(&solver.solve(&Silent).unwrap());
    let solver = solver.resources(small(&path, None, Interval::Adapted));
    for stop in [3, 20, 60] {
        let below = vec![plain_slices(&solver, 2)];
        let _ = fs::remove_file(&path);
        let stopped = solver.solve_slice(3, &below, &StopAt::new(stop));
        assert!(matches!(stopped, Err(SolveError::Stopped)));
        let saved = fs::read(&path).unwrap();
        let goes_on = |bytes: &[u8], solver: &Solver| {
            fs::write(&path, bytes).unwrap();
            let progress = StopAt::new(usize::MAX);
            let slices = solver.solve_slice(3, &below, &progress).unwrap();
            assert!(values(&[slices])[0][0] == plain[0][1]);
            progress.ignored.into_inner().unwrap()
        };
        assert!(goes_on(&saved, &solver).is_empty());
        for at in (0..saved.len()).step_by(saved.len() / 40) {
            let mut damaged = saved.clone();
            damaged[at] ^= 0x10;
            let why = goes_on(&damaged, &solver).remove(0);
            assert!(why.contains(if at < 4 { "version" } else { "damaged" }), "{at}: {why}");
            assert_eq!(goes_on(&saved[..at], &solver), ["it is damaged"], "{at}");
        }
        // A checkpoint begins with 8 bytes and its head; the length of the first agenda follows, and
        // 24 bytes after that the agenda itself, with the lengths of its lists.
        let first = 8 + u32::from_le_bytes(saved[4..8].try_into().unwrap()) as usize;
        for at in first..first + 40 {
            let mut damaged = saved.clone();
            damaged[at..at + 8].fill(0xfd);
            assert_eq!(goes_on(&damaged, &solver), ["it is damaged"], "{at}");
        }
        let other = Resources { partition_bytes: 1, ..small(&path, None, Interval::Adapted) };
        let why = goes_on(&saved, &solver.clone().resources(other)).remove(0);
        assert!(why.contains("memory"), "{why}");
    }
}

/// The slice of two columns of a material with as many counters on both sides.
fn plain_slices(solver: &Solver, columns: usize) -> Vec<SliceValues> {
    solver.solve_slice(columns, &[Vec::new()], &Silent).unwrap()
}

#[test]
fn a_solve_may_end_at_the_last_ply_and_not_after_it() {
    for first_late in [190, 5] {
        let solver = Solver::new(material("3-2"), RuleSet::Lasca).first_late_ply(first_late);
        let plain = values(&solver.solve(&Silent).unwrap());
        // The longest win or loss of 3-2 is one of 42 plies.
        assert!(values(&solver.clone().last_ply(42).solve(&Silent).unwrap()) == plain);
        assert!(matches!(solver.last_ply(41).solve(&Silent), Err(SolveError::TooManyPlies)));
    }
}

/// Counts the checkpoints that could not be saved.
#[derive(Default)]
struct CountFailures(Mutex<usize>);

impl Progress for CountFailures {
    fn checkpoint_failed(&self, path: &Path, _error: &io::Error) {
        assert!(path.is_dir());
        *self.0.lock().unwrap() += 1;
    }
}

#[test]
fn a_checkpoint_that_cannot_be_saved_is_reported_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    // No file can take the place of a folder.
    fs::create_dir(&path).unwrap();
    let solver = Solver::new(material("2-1"), RuleSet::Lasca);
    let plain = values(&solver.solve(&Silent).unwrap());
    let solver = solver.resources(small(&path, None, Interval::Every(Duration::ZERO)));
    let failures = CountFailures::default();
    assert!(values(&solver.solve(&failures).unwrap()) == plain);
    assert!(*failures.0.lock().unwrap() > 0);
    let left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["checkpoint"]);
}

#[test]
fn a_checkpoint_of_another_slice_or_table_is_unfit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let index = SliceIndex::new(2, 1, 3).unwrap();
    let partitions = Partitions::new(&index, 1 << 20);
    let identity =
        Identity { rules: 0, counters: (2, 1), columns: 3, first_late: 190, orbit_shift: 3 };
    let reached = Reached { ply: 3, expanded: 1, settled: 5 };
    let len = index.positions() as usize;
    let state = || {
        let agendas = vec![Agenda::new(Codes::new(190).unwrap(), len).unwrap()];
        (agendas, [Bytes::Memory(vec![7; len])])
    };
    let (agendas, bytes) = state();
    checkpoint::save(&path, &identity, reached, partitions, (&agendas, &bytes)).unwrap();
    let load = |identity: &Identity| {
        let (mut agendas, mut bytes) = state();
        checkpoint::load(&path, identity, partitions, &mut agendas, &mut bytes).unwrap()
    };
    assert_eq!(load(&identity), Found::State(reached));
    let other = Found::Unfit("it is of another slice");
    assert_eq!(load(&Identity { columns: 2, ..identity.clone() }), other);
    assert_eq!(load(&Identity { rules: 1, ..identity.clone() }), other);
    assert_eq!(load(&Identity { counters: (2, 2), ..identity.clone() }), other);
    fs::remove_file(&path).unwrap();
    assert_eq!(load(&identity), Found::Nothing);
}
