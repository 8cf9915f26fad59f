//! What the unit tests of several modules share, with each other and with the tests in `tests`.

#[path = "../tests/common/files.rs"]
mod files;
#[allow(dead_code, reason = "the tests in `tests` use all of it")]
#[path = "../tests/common/numbers.rs"]
mod numbers;
#[allow(dead_code, reason = "the tests in `tests` use all of it")]
#[path = "../tests/common/tables.rs"]
mod tables;

use crate::Progress;
use crate::index::Material;
use crate::notation::parse_move;
use crate::rules::{Color, Column, Counter, Position, RuleSet, Square};
pub use files::files;
pub use numbers::Numbers;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
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

impl Numbers {
    /// A position of `counters` counters on at most `squares` squares, soldiers and officers mixed.
    pub fn position(&mut self, counters: usize, squares: usize) -> Position {
        let places: Vec<usize> = (0..squares).map(|_| self.below(Square::COUNT)).collect();
        let mut boards = vec![Vec::new(); Square::COUNT];
        for _ in 0..counters {
            let letter = ['w', 'b', 'W', 'B'][self.below(4)];
            let place = places[self.below(squares)];
            boards[place].push(Counter::from_letter(letter).expect("one of the four letters"));
        }
        let columns = boards.iter().map(|counters| {
            Column::from_counters(counters.iter().copied()).expect("at most 22 counters")
        });
        let mut board = [Column::EMPTY; Square::COUNT];
        board.iter_mut().zip(columns).for_each(|(place, column)| *place = column);
        let side = Color::ALL[self.below(2)];
        Position::new(board, side).expect("1 to 22 counters")
    }
}

/// Wants the work to stop at some time, and notes what it reports.
pub struct Recorder {
    /// How often the work may ask and go on.
    questions: usize,
    /// How many slices it may finish and go on.
    slices: usize,
    asked: AtomicUsize,
    finished: AtomicUsize,
    resumed: AtomicUsize,
    ignored: Mutex<Vec<String>>,
}

impl Recorder {
    /// It never wants the work to stop.
    pub fn new() -> Recorder {
        Recorder::stopping_at(usize::MAX)
    }

    /// It wants the work to stop when it has been asked this many times.
    pub fn stopping_at(questions: usize) -> Recorder {
        Recorder {
            questions,
            slices: usize::MAX,
            asked: 0.into(),
            finished: 0.into(),
            resumed: 0.into(),
            ignored: Mutex::default(),
        }
    }

    /// It wants the work to stop when this many slices are finished.
    pub fn stopping_after(slices: usize) -> Recorder {
        Recorder { slices, ..Recorder::new() }
    }

    /// How often it was asked.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    /// How many slices the work took from an earlier run.
    pub fn resumed(&self) -> usize {
        self.resumed.load(Ordering::Relaxed)
    }

    /// The names of the files that were ignored, and why.
    pub fn ignored(&self) -> Vec<String> {
        self.ignored.lock().unwrap().clone()
    }
}

impl Progress for Recorder {
    fn slice_resumed(&self, _: Material, _: usize, _: u64) {
        self.resumed.fetch_add(1, Ordering::Relaxed);
    }

    fn slice_finished(&self) {
        self.finished.fetch_add(1, Ordering::Relaxed);
    }

    fn work_ignored(&self, path: &Path, why: &str) {
        let name = path.file_name().unwrap().to_string_lossy();
        self.ignored.lock().unwrap().push(format!("{name}: {why}"));
    }

    fn should_stop(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.questions
            || self.finished.load(Ordering::Relaxed) >= self.slices
    }
}
