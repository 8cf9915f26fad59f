//! What the unit tests of several modules share, with each other and with the tests in `tests`.

#[path = "../tests/common/files.rs"]
mod files;
#[allow(dead_code, reason = "the tests in `tests` use all of it")]
#[path = "../tests/common/numbers.rs"]
mod numbers;
#[allow(dead_code, reason = "the tests in `tests` use all of it")]
#[path = "../tests/common/recorder.rs"]
mod recorder;
#[allow(dead_code, reason = "the tests in `tests` use all of it")]
#[path = "../tests/common/tables.rs"]
mod tables;

use crate::notation::parse_move;
use crate::rules::{Position, RuleSet};
pub use files::files;
pub use numbers::Numbers;
pub use recorder::Recorder;
pub use tables::{Files, Slices, material, materials_up_to, solve, whole};

/// The top folder of the source.
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Circles of captures under some rules: the last position is the first one again.
pub fn endless_captures() -> Vec<(RuleSet, Vec<Position>)> {
    let circle = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let rules = fields[0].parse().unwrap();
        let mut passed = vec![fields[1].parse().unwrap()];
        for played in fields[2].split(' ') {
            passed.push(parse_move(played, &passed[passed.len() - 1], rules).unwrap().1);
        }
        (rules, passed)
    };
    include_str!("../tests/data/endless_captures.csv").lines().skip(1).map(circle).collect()
}
