//! The search, compared with a solver that shares nothing with it: all positions that play can
//! reach are listed and then solved backwards.

use lasca_tablebase::rules::{Color, Column, Counter, Position, RuleSet, Square, Symmetry};
use lasca_tablebase::search::{Limits, Solver, Status, Stop, Strategy, Watch};
use lasca_tablebase::{Silent, Value, Wdl};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const MEMORY: u64 = 1 << 28;

// The naive solver

/// All positions that can be reached from one, with their values for the side to move.
pub struct Naive {
    numbers: HashMap<Position, usize>,
    pub positions: Vec<Position>,
    values: Vec<Value>,
}

impl Naive {
    /// Nothing if there are more than `most`.
    pub fn solve(start: Position, rules: RuleSet, most: usize) -> Option<Naive> {
        let mut numbers = HashMap::from([(start, 0)]);
        let mut positions = vec![start];
        let mut successors: Vec<Vec<usize>> = Vec::new();
        while successors.len() < positions.len() {
            let mut reached = Vec::new();
            for (_, after) in positions[successors.len()].successors(rules) {
                let next = positions.len();
                let number = *numbers.entry(after).or_insert(next);
                if number == next {
                    positions.push(after);
                }
                reached.push(number);
            }
            successors.push(reached);
            if positions.len() > most {
                return None;
            }
        }
        let mut values = vec![Value::Draw; positions.len()];
        let mut open: Vec<usize> = (0..positions.len()).collect();
        for (number, position) in positions.iter().enumerate() {
            if position.commanded_by(!position.side_to_move()).is_empty() {
                values[number] = Value::Win(0);
            } else if successors[number].is_empty() {
                values[number] = Value::Loss(0);
            }
        }
        open.retain(|&number| values[number] == Value::Draw);
        for ply in 1.. {
            let settled: Vec<(usize, Value)> = open
                .iter()
                .filter_map(|&number| {
                    let best = successors[number].iter().map(|&s| values[s].before_move()).max()?;
                    (best.dtw() == Some(ply)).then_some((number, best))
                })
                .collect();
            // Values of the same ply do not depend on each other. A ply may be skipped at first,
            // since a win in 0 plies is no loss in 1 before the other moves are settled.
            if settled.is_empty() && ply > 2 {
                break;
            }
            for (number, value) in settled {
                values[number] = value;
            }
            open.retain(|&number| values[number] == Value::Draw);
        }
        Some(Naive { numbers, positions, values })
    }

    pub fn value(&self, position: &Position) -> Value {
        self.values[self.numbers[position]]
    }

    /// Whether a side can force a win.
    fn wins(&self, position: &Position, side: Color) -> bool {
        match self.value(position).wdl() {
            Wdl::Win => position.side_to_move() == side,
            Wdl::Draw => false,
            Wdl::Loss => position.side_to_move() != side,
        }
    }
}

// Random positions

pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    /// A position of so many counters; `letters` says how often each kind comes.
    fn position(&mut self, counters: usize, letters: &[u8]) -> Position {
        let columns = 2 + self.below(counters - 1);
        let squares: Vec<usize> = (0..columns).map(|_| self.below(Square::COUNT)).collect();
        let mut board = vec![Vec::new(); Square::COUNT];
        for i in 0..counters {
            let letter = letters[self.below(letters.len())] as char;
            let square = squares[if i < columns { i } else { self.below(columns) }];
            board[square].push(Counter::from_letter(letter).unwrap());
        }
        let columns: Vec<Column> =
            board.into_iter().map(|column| Column::from_counters(column).unwrap()).collect();
        let side = Color::ALL[self.below(2)];
        Position::new(columns.try_into().unwrap(), side).unwrap()
    }
}

/// Positions of few counters, officers and soldiers, with all that can be reached from them.
pub fn graphs(seed: u64, count: usize, most: usize) -> impl Iterator<Item = (RuleSet, Naive)> {
    let mut random = Random(seed);
    let tried = std::iter::repeat_with(move || {
        let rules = RuleSet::ALL[random.below(3)];
        let counters = 2 + random.below(5);
        let letters: &[u8] = if random.below(3) == 0 { b"wbWB" } else { b"wwwbbbWB" };
        (rules, random.position(counters, letters))
    });
    tried
        .filter(|(_, position)| position.both_command())
        .filter_map(move |(rules, position)| Some((rules, Naive::solve(position, rules, most)?)))
        .filter(|(_, naive)| naive.positions.len() > 30)
        .take(count)
}

fn solved(position: &Position, rules: RuleSet, threads: usize) -> Solver<'static> {
    let mut solver = Solver::new(position, rules, None, MEMORY).unwrap();
    let limits = Limits { threads, ..Limits::default() };
    assert_eq!(solver.run(&limits, &Silent), Ok(Stop::Solved), "{position}");
    solver
}

/// Checks that what is proved of a position is true.
fn check_claims(solver: &Solver<'_>, position: &Position, naive: &Naive) {
    let excluded = solver.excluded();
    for side in Color::ALL {
        assert!(!(excluded[side] && naive.wins(position, side)), "{position}: {side} can win");
    }
    if let Some(wdl) = solver.wdl() {
        assert_eq!(wdl, naive.value(position).wdl(), "{position}");
    }
}

#[test]
fn results_equal_those_of_the_naive_solver() {
    let mut values = [0; 3];
    for (rules, naive) in graphs(0x1001, 150, 20_000) {
        let mut random = Random(naive.positions.len() as u64 | 1);
        for i in 0..8 {
            let number = if i == 0 { 0 } else { random.below(naive.positions.len()) };
            let position = naive.positions[number];
            let value = naive.value(&position);
            values[value.wdl() as usize] += 1;
            let mut solver = solved(&position, rules, 1);
            assert_eq!(solver.wdl(), Some(value.wdl()), "{position} under {rules}");
            check_claims(&solver, &position, &naive);
            let at_most = solver.at_most().unwrap().unwrap();
            assert_eq!(at_most.wdl(), value.wdl());
            assert!(at_most.dtw() >= value.dtw(), "{position} under {rules}: {at_most}, {value}");
        }
    }
    assert!(values.iter().all(|&count| count > 50), "{values:?}");
}

#[test]
fn exact_distances_equal_those_of_the_naive_solver() {
    for (rules, naive) in graphs(0x2002, 120, 10_000) {
        let position = naive.positions[0];
        let mut solver = solved(&position, rules, 1);
        let (stop, bounds) = solver.exact(&Limits::default(), &Silent).unwrap();
        assert_eq!(stop, Stop::Solved);
        let exact = bounds.map(|bounds| bounds.exact().unwrap());
        assert_eq!(exact, naive.value(&position).dtw(), "{position} under {rules}");
    }
}

#[test]
fn each_move_is_rated_as_the_naive_solver_says() {
    for (rules, naive) in graphs(0x3003, 60, 10_000) {
        let position = naive.positions[0];
        let mut solver = Solver::new(&position, rules, None, MEMORY).unwrap();
        let (stop, ratings) = solver.rate_moves(&Limits::default(), &Silent).unwrap();
        assert_eq!(stop, Stop::Solved);
        // The moves settle the position.
        assert_eq!(solver.wdl(), Some(naive.value(&position).wdl()), "{position}");
        check_claims(&solver, &position, &naive);
        assert_eq!(ratings.len(), position.moves(rules).len());
        for rating in ratings {
            let value = naive.value(&rating.after).before_move();
            assert_eq!(rating.wdl, Some(value.wdl()), "{position}, {}", rating.played);
            assert!(rating.at_most.unwrap().dtw() >= value.dtw());
        }
    }
}

#[test]
fn two_threads_give_the_same_results() {
    for (rules, naive) in graphs(0x4004, 60, 20_000) {
        let position = naive.positions[0];
        let solver = solved(&position, rules, 2);
        assert_eq!(solver.wdl(), Some(naive.value(&position).wdl()), "{position} under {rules}");
    }
}

/// In small graphs most lines come back to where they were.
#[test]
#[ignore = "asks thousands of questions"]
fn thousands_of_questions_where_play_repeats_are_answered_right() {
    let (mut asked, mut draws) = (0, 0);
    for (rules, naive) in graphs(0x6006, 400, 3_000) {
        let mut random = Random(naive.positions.len() as u64 | 1);
        for threads in [1, 2].repeat(10) {
            let position = naive.positions[random.below(naive.positions.len())];
            let value = naive.value(&position);
            let mut solver = solved(&position, rules, threads);
            assert_eq!(solver.wdl(), Some(value.wdl()), "{position} under {rules}");
            check_claims(&solver, &position, &naive);
            let (stop, bounds) = solver.exact(&Limits::default(), &Silent).unwrap();
            assert_eq!(stop, Stop::Solved);
            let exact = bounds.map(|bounds| bounds.exact().unwrap());
            assert_eq!(exact, value.dtw(), "{position} under {rules}");
            asked += 1;
            draws += usize::from(value == Value::Draw);
        }
    }
    println!("{asked} questions, {draws} of them drawn");
}

/// Cancels a search after so many reports.
struct Impatient<'a> {
    left: Cell<u32>,
    cancelled: &'a AtomicBool,
}

impl Watch for Impatient<'_> {
    fn searching(&self, _: &Status) {
        let left = self.left.get().saturating_sub(1);
        self.left.set(left);
        self.cancelled.store(left == 0, Ordering::Relaxed);
    }
}

#[test]
fn what_an_interrupted_search_has_proved_is_true() {
    let mut open = 0;
    for (rules, naive) in graphs(0x5005, 60, 20_000) {
        let position = naive.positions[0];
        let mut solver = Solver::new(&position, rules, None, MEMORY).unwrap();
        loop {
            let cancelled = AtomicBool::new(false);
            let watch = Impatient { left: Cell::new(1), cancelled: &cancelled };
            let limits = Limits { cancelled: Some(&cancelled), ..Limits::default() };
            let stop = solver.run(&limits, &watch).unwrap();
            check_claims(&solver, &position, &naive);
            if stop == Stop::Solved {
                break;
            }
            assert_eq!(stop, Stop::Cancelled);
            open += 1;
        }
        assert_eq!(solver.wdl(), Some(naive.value(&position).wdl()));
    }
    assert!(open > 20, "only {open} searches were interrupted");
}

// Proofs

/// The images of a position that a strategy takes for one have one text: it and its mirror image, or
/// all eight if there are only officers.
fn folded(position: &Position) -> String {
    let symmetries = Symmetry::all().filter(|symmetry| {
        !position.has_soldier() || matches!(*symmetry, Symmetry::IDENTITY | Symmetry::FLIP_FILES)
    });
    symmetries.map(|symmetry| position.transformed(symmetry).to_string()).min().unwrap()
}

/// Checks a strategy without knowing how it was found.
fn check_strategy(start: &Position, rules: RuleSet, strategy: &Strategy, wins: bool) {
    let side = strategy.side;
    assert!(strategy.leaves.is_empty(), "no table is in use");
    let known: HashMap<String, Option<u16>> =
        strategy.steps.iter().map(|step| (folded(&step.position), step.plies)).collect();
    assert_eq!(known.len(), strategy.steps.len());
    let check_replies = |position: &Position, plies: Option<u16>| {
        for (_, reply) in position.successors(rules) {
            let left = known.get(&folded(&reply)).unwrap_or_else(|| panic!("{reply} is missing"));
            assert_eq!(left.is_some(), wins);
            assert!(left.is_none_or(|left| plies.is_none_or(|plies| left < plies)));
        }
    };
    for step in &strategy.steps {
        assert_eq!(step.position.side_to_move(), side);
        assert_eq!(step.plies.is_some(), wins);
        let after = step.position.play(&step.played, rules).unwrap();
        check_replies(&after, step.plies.map(|plies| plies - 1));
    }
    if start.side_to_move() == side {
        assert!(known.contains_key(&folded(start)) || !start.both_command());
    } else {
        check_replies(start, None);
    }
}

#[test]
fn strategies_are_proofs() {
    let (mut wins, mut draws) = (0, 0);
    for (rules, naive) in graphs(0x6006, 120, 20_000) {
        let position = naive.positions[0];
        let mut solver = solved(&position, rules, 1);
        for side in Color::ALL {
            let strategy = solver.strategy(side, 1_000_000).unwrap();
            let loses = solver.winner() == Some(!side);
            assert_eq!(strategy.is_none(), loses, "{position} under {rules}");
            let Some(strategy) = strategy else { continue };
            let is_win = solver.winner() == Some(side);
            if is_win {
                wins += 1
            } else {
                draws += 1
            }
            check_strategy(&position, rules, &strategy, is_win);
            if is_win && position.side_to_move() == side {
                let at_most = solver.at_most().unwrap().and_then(Value::dtw);
                assert_eq!(strategy.steps.first().map(|step| step.plies), Some(at_most));
            }
        }
    }
    assert!(wins > 20 && draws > 10, "{wins} wins, {draws} draws");
}

#[test]
fn the_line_of_a_win_ends_where_the_loser_cannot_move() {
    for (rules, naive) in graphs(0x7007, 60, 20_000) {
        let position = naive.positions[0];
        let mut solver = solved(&position, rules, 1);
        let line = solver.line().unwrap();
        let mut at = position;
        for next in &line {
            at = at.play(&next.played, rules).unwrap();
            assert_eq!(at, next.after);
        }
        if let Some(winner) = solver.winner() {
            let plies = solver.at_most().unwrap().unwrap().dtw().unwrap();
            assert_eq!(line.len(), usize::from(plies), "{position}");
            assert!(at.successors(rules).is_empty() && at.side_to_move() != winner);
        } else {
            assert!(!line.is_empty());
        }
    }
}

// Known results

/// The rows of `soldiers.csv`: positions, their values, and the distances of those that are not drawn.
fn golden() -> impl Iterator<Item = (Position, [&'static str; 2])> {
    let golden = include_str!("../data/soldiers.csv");
    assert_eq!(golden.lines().next(), Some("position,wdl,dtw"));
    golden.lines().skip(1).map(|line| match line.split(',').collect::<Vec<_>>()[..] {
        [text, wdl, dtw] => (text.parse().unwrap(), [wdl, dtw]),
        _ => panic!("{line}"),
    })
}

#[test]
fn positions_with_soldiers_have_their_golden_values() {
    for (position, [wdl, dtw]) in golden() {
        let mut solver = solved(&position, RuleSet::Lasca, 1);
        assert_eq!(solver.wdl().unwrap().name(), wdl, "{position}");
        let at_most = solver.at_most().unwrap().and_then(Value::dtw).map_or(0, i32::from);
        assert!(dtw.is_empty() || at_most >= dtw.parse().unwrap(), "{position}");
    }
}

/// Exact distances take most of the time, so only every fourth position is looked at: every eighth from
/// `first` on.
fn check_golden_distances(first: usize) {
    for (position, [_, dtw]) in golden().skip(first).step_by(8) {
        let mut solver = solved(&position, RuleSet::Lasca, 1);
        let (_, bounds) = solver.exact(&Limits::default(), &Silent).unwrap();
        let found = bounds.map(|bounds| bounds.exact().unwrap().to_string());
        assert_eq!(found.unwrap_or_default(), dtw, "{position}");
    }
}

#[test]
fn positions_with_soldiers_have_their_golden_distances() {
    check_golden_distances(0);
}

#[test]
fn more_positions_with_soldiers_have_their_golden_distances() {
    check_golden_distances(4);
}

#[test]
fn laskers_ending_is_won_and_takes_little_memory() {
    let position: Position = "a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w".parse().unwrap();
    let mut solver = Solver::new(&position, RuleSet::Lasca, None, 50_000_000).unwrap();
    assert_eq!(solver.run(&Limits::default(), &Silent), Ok(Stop::Solved));
    assert_eq!(solver.winner(), Some(Color::White));
    let proof = solver.strategy(Color::White, 1_000_000).unwrap().unwrap();
    check_strategy(&position, RuleSet::Lasca, &proof, true);
    assert!(solver.status().bytes <= 50_000_000);
}

#[test]
fn a_game_that_is_over_is_solved_at_once() {
    for (text, wdl) in [("a1WB w", Wdl::Win), ("a1WB b", Wdl::Loss), ("a1W b2B c3B w", Wdl::Loss)] {
        let mut solver = solved(&text.parse().unwrap(), RuleSet::Lasca, 1);
        assert_eq!(solver.wdl(), Some(wdl), "{text}");
        assert_eq!(solver.at_most().unwrap().unwrap().dtw(), Some(0), "{text}");
        assert!(solver.line().unwrap().is_empty());
        assert!(solver.rate_moves(&Limits::default(), &Silent).unwrap().1.is_empty());
    }
}

// Limits

#[test]
fn a_search_keeps_to_its_memory() {
    for memory in [4 << 20, 12 << 20, 33_333_333] {
        let mut solver = Solver::new(&Position::start(), RuleSet::Lasca, None, memory).unwrap();
        assert_eq!(solver.run(&Limits::default(), &Silent), Ok(Stop::Memory));
        let status = solver.status();
        assert!(status.bytes <= memory, "{} bytes", status.bytes);
        assert!(status.positions * 100 > memory, "{} positions", status.positions);
        assert_eq!(solver.wdl(), None);
        // What is done afterwards fits in too.
        let (_, ratings) = solver.rate_moves(&Limits::default(), &Silent).unwrap();
        assert_eq!(ratings.len(), 6);
        assert!(solver.status().bytes <= memory);
    }
    assert!(Solver::new(&Position::start(), RuleSet::Lasca, None, 1000).is_err());
}

#[test]
fn a_search_stops_when_its_time_is_over() {
    let mut solver = Solver::new(&Position::start(), RuleSet::Lasca, None, MEMORY).unwrap();
    let limits = Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() };
    assert_eq!(solver.run(&limits, &Silent), Ok(Stop::Time));
}

#[test]
fn a_position_with_thousands_of_captures_finds_room() {
    // Its captures end in more than 20,000 positions.
    let position = "b2bbbbb d2bBbBb c3W b4BBBBB d4BbBbB w".parse().unwrap();
    let mut solver = Solver::new(&position, RuleSet::Rejump, None, MEMORY).unwrap();
    let limits = Limits { time: Some(Duration::from_secs(5)), ..Limits::default() };
    let stop = solver.run(&limits, &Silent).unwrap();
    assert!(matches!(stop, Stop::Solved | Stop::Time), "{stop:?}");
    assert!(solver.status().positions > 20_000);
}
