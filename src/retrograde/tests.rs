//! The fast paths against their plain descriptions, and the solver against its own settings.

use super::below::Below;
use super::captures::{CapturePlacement, CaptureResults, CaptureSearch};
use super::checkpoint::{self, Identity, Reached};
use super::side::SideToMove;
use super::unsteps::QuietMoves;
use super::updates::SendUpdates;
use super::{Resources, SolveError, Solver};
use crate::index::{Material, SliceIndex};
use crate::rules::{Placement, RuleSet};
use crate::values::bytes::Bytes;
use crate::values::{Distance, SliceValues};
use crate::{Progress, Silent, Value};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
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
        let side = SideToMove::new(rules, material.slice(side, columns), Below::new(below));
        let mut search = CaptureSearch::default();
        // In the largest slices a part of the orbits will do.
        for orbit in (0..side.index.orbits()).step_by(if columns > 5 { 29 } else { 1 }) {
            let [at_once, each] = [true, false].map(|at_once| {
                let mut results = vec![CaptureResults::default(); side.index.rows()];
                let occupied = side.index.sets().representative(orbit);
                search.begin_orbit();
                for (split, stackings) in side.index.splits().iter().zip(side.split_stackings()) {
                    for mask in split.owner_masks() {
                        let at = CapturePlacement {
                            placement: Placement::with_owners(occupied, mask),
                            others: mask ^ ((1 << columns) - 1),
                            stackings,
                            first_row: split.mask_start(mask),
                        };
                        if at_once {
                            search.look(rules.continuation(), &side.below, &at, &mut results);
                        } else {
                            side.look_at_each(&at, &mut results, &mut search);
                        }
                    }
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
    for rules in RuleSet::ALL {
        for (mover, other) in [(2, 2), (3, 3), (5, 4)] {
            for columns in 2..=(mover + other).min(6) {
                let index = SliceIndex::new(mover, other, columns).unwrap();
                let sets = index.sets();
                let quiet_moves = QuietMoves::new(&index);
                let side = SideToMove::new(rules, index, Below::new(std::iter::empty()));
                // All orbits with symmetries of their own, and a part of the others.
                let some = sets.orbits().div_ceil(40);
                let orbits = (0..sets.orbits())
                    .filter(|&orbit| orbit % some == 0 || sets.stabilizer(orbit).len() > 1)
                    .take(100);
                for orbit in orbits {
                    let rows: Vec<u32> = (0..side.index.rows() as u32).step_by(3).collect();
                    let [at_once, each] = [Some(&quiet_moves), None].map(|quiet_moves| {
                        let mut sent = Sent::default();
                        side.expand_orbit(quiet_moves, orbit, &rows, &mut sent);
                        sent.0.sort_unstable();
                        sent.0
                    });
                    assert!(at_once == each, "orbit {orbit} of {columns} columns under {rules}");
                }
            }
        }
    }
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
                quiet_moves,
                partition_bytes,
                waiting_bytes,
                checkpoint: None,
            };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let solver = solver.clone().resources(resources.clone());
            let solved = pool.install(|| solver.solve(&Silent).unwrap());
            assert!(values(&solved) == plain, "{rules} {resources:?}");
        }
    }
}

/// Keeps the checkpoint that lies at `from` after so many plies of the largest slice.
struct Keep {
    from: PathBuf,
    to: PathBuf,
    ply: u16,
}

impl Progress for Keep {
    fn ply_done(&self, ply: u16, _settled: u64) {
        // The checkpoint of the ply before lies there now.
        if ply == self.ply && self.from.exists() {
            fs::copy(&self.from, &self.to).unwrap();
        }
    }
}

#[test]
fn a_slice_goes_on_from_any_checkpoint_and_passes_over_what_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let (path, kept) = (folder.path().join("checkpoint"), folder.path().join("kept"));
    for (scratch, first_late) in [(None, 190), (Some(folder.path().to_owned()), 6)] {
        let solver = Solver::new(material("2-2"), RuleSet::Lasca).first_late_ply(first_late);
        let plain = values(&solver.solve(&Silent).unwrap());
        let solver = solver.resources(Resources {
            scratch,
            checkpoint: Some((path.clone(), Duration::ZERO)),
            ..Resources::default()
        });
        for ply in [1, 4, 9, 20] {
            let keep = Keep { from: path.clone(), to: kept.clone(), ply };
            assert!(values(&solver.solve(&keep).unwrap()) == plain);
            fs::rename(&kept, &path).unwrap();
            let at_ply = fs::read(&path).unwrap();
            assert!(values(&solver.solve(&Silent).unwrap()) == plain, "gone on after ply {ply}");
            for damage in [0, 9, 40, at_ply.len() / 2, at_ply.len() - 1] {
                let mut damaged = at_ply.clone();
                damaged[damage] ^= 0x10;
                fs::write(&path, &damaged).unwrap();
                assert!(values(&solver.solve(&Silent).unwrap()) == plain);
                fs::write(&path, &at_ply[..damage]).unwrap();
                assert!(values(&solver.solve(&Silent).unwrap()) == plain);
            }
        }
    }
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
    let checkpoint = Some((path, Duration::ZERO));
    let solver = solver.resources(Resources { checkpoint, ..Resources::default() });
    let failures = CountFailures::default();
    assert!(values(&solver.solve(&failures).unwrap()) == plain);
    assert!(*failures.0.lock().unwrap() > 0);
    let left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["checkpoint"]);
}

#[test]
fn a_checkpoint_of_another_version_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let identity = Identity {
        version: super::WORK_VERSION,
        rules: 0,
        counters: (2, 1),
        columns: 2,
        first_late: 190,
        orbit_shift: 3,
    };
    let reached = Reached { ply: 3, settled: 5 };
    let bytes = || [Bytes::Memory(vec![7; 100])];
    checkpoint::save(&path, &identity, reached, &[], &bytes()).unwrap();
    let load = |identity: &Identity| {
        checkpoint::load(&path, identity, &mut Vec::new(), &mut bytes()).unwrap()
    };
    assert_eq!(load(&identity), Some(reached));
    assert_eq!(load(&Identity { version: super::WORK_VERSION + 1, ..identity }), None);
}
