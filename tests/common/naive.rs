//! A slow, naive solver: what the fast ones are compared with.
//!
//! It lists positions one by one and looks forward only, ply by ply, until a ply settles nothing more.
//! All that it takes from the crate are [`Position`], its [`Position::successors`] and the type
//! [`Value`]: no un-moves, no symmetry, no index, no slices.

use lasca_tablebase::Value;
use lasca_tablebase::rules::{Color, Column, Counter, CounterKind, Position, RuleSet, Square};
use std::collections::BTreeMap;

/// A position with what the solver found out about it.
#[derive(Clone, Copy, Debug)]
pub struct Solved {
    /// The position.
    pub position: Position,
    /// Its value for the side to move.
    pub value: Value,
    /// Whether the side to move must capture.
    pub must_capture: bool,
}

/// The values of some positions in which both sides command a column, and of all that play leads to
/// from them.
pub struct Solution {
    keys: Vec<Key>,
    /// The place of each key in the list. The other lists go with it. A tree, as positions that follow
    /// each other in it lead to such as follow each other.
    numbers: BTreeMap<Key, u32>,
    values: Vec<Value>,
    must_capture: Vec<bool>,
}

impl Solution {
    /// Solves all positions with `white` white officers and `black` black ones in at most so many
    /// columns, for both sides to move. No move leads out of them. Five officers take seconds.
    pub fn of_material(white: usize, black: usize, columns: usize, rules: RuleSet) -> Solution {
        let mut keys = Vec::new();
        let mut board = [Column::EMPTY; Square::COUNT];
        list_positions(&mut board, 0, (white, black), columns, &mut keys);
        keys.sort_unstable();
        let listed = keys.len();
        let solution = Solution::of(keys, rules, usize::MAX).expect("there is no limit");
        assert_eq!(solution.len(), listed, "play stays within the material");
        solution
    }

    /// Solves a position and all that play leads to, soldiers too; `None` if they are more than `most`.
    pub fn of_play_from(start: &Position, rules: RuleSet, most: usize) -> Option<Solution> {
        Solution::of(vec![key_of(start)], rules, most)
    }

    fn of(mut keys: Vec<Key>, rules: RuleSet, most: usize) -> Option<Solution> {
        let mut numbers: BTreeMap<Key, u32> = keys.iter().copied().zip(0..).collect();
        assert_eq!(numbers.len(), keys.len(), "a position was listed twice");
        let mut graph = Graph { starts: vec![0], successors: Vec::new() };
        let mut must_capture = Vec::new();
        while must_capture.len() < keys.len() {
            let successors = position_of(keys[must_capture.len()]).successors(rules).unwrap();
            must_capture.push(successors.iter().any(|(played, _)| played.is_capture()));
            for (_, after) in successors {
                graph.successors.push(if after.both_command() {
                    let key = key_of(&after);
                    *numbers.entry(key).or_insert_with(|| {
                        keys.push(key);
                        keys.len() as u32 - 1
                    })
                } else {
                    assert!(after.commanded_by(after.side_to_move()).is_empty());
                    OVER
                });
            }
            graph.starts.push(graph.successors.len());
            if keys.len() > most {
                return None;
            }
        }
        Some(Solution { keys, numbers, values: graph.values(), must_capture })
    }

    /// How many positions there are.
    #[allow(clippy::len_without_is_empty, reason = "there is always one")]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// One of the positions. The first is the one that play begins with.
    pub fn position(&self, number: usize) -> Position {
        position_of(self.keys[number])
    }

    /// All positions.
    pub fn iter(&self) -> impl Iterator<Item = Solved> + '_ {
        (0..self.len()).map(|number| self.solved(number))
    }

    fn solved(&self, number: usize) -> Solved {
        let (value, must_capture) = (self.values[number], self.must_capture[number]);
        Solved { position: self.position(number), value, must_capture }
    }

    /// What is known of a position; `None` if it is not one of those that were solved.
    pub fn look_up(&self, position: &Position) -> Option<Solved> {
        self.numbers.get(&key_of(position)).map(|&number| self.solved(number as usize))
    }

    /// The value of a position; `None` if it is not one of those that were solved. Where one side
    /// commands no column the game is over: a loss in 0 plies if that is the side to move, a win in 0 if
    /// it is the other.
    pub fn get(&self, position: &Position) -> Option<Value> {
        let side = position.side_to_move();
        if position.commanded_by(side).is_empty() {
            Some(Value::Loss(0))
        } else if position.commanded_by(!side).is_empty() {
            Some(Value::Win(0))
        } else {
            self.numbers.get(&key_of(position)).map(|&number| self.values[number as usize])
        }
    }
}

/// A position in 92 bits, from the lowest: [`COUNTER_BITS`] for each counter, one for the side to move,
/// and 25 for the squares that are occupied. The counters come column by column, from the top down.
pub type Key = u128;

/// Whether a counter is black, whether it is an officer, whether it is the lowest of its column.
const COUNTER_BITS: usize = 3;
const SIDE_AT: usize = COUNTER_BITS * Position::MAX_COUNTERS;
const SQUARES_AT: usize = SIDE_AT + 1;

/// A number for a position, which no other has.
pub fn key_of(position: &Position) -> Key {
    let mut key = Key::from(position.side_to_move() == Color::Black) << SIDE_AT;
    let mut at = 0;
    for (square, column) in position.columns() {
        key |= 1 << (SQUARES_AT + square.index());
        for counter in column.counters() {
            let black = Key::from(counter.color == Color::Black);
            let officer = Key::from(counter.kind == CounterKind::Officer);
            key |= (black | officer << 1) << at;
            at += COUNTER_BITS;
        }
        key |= 1 << (at - 1);
    }
    key
}

fn position_of(key: Key) -> Position {
    let side_to_move = if key >> SIDE_AT & 1 == 0 { Color::White } else { Color::Black };
    let mut rest = key;
    let columns = std::array::from_fn(|square| {
        let mut is_more = key >> (SQUARES_AT + square) & 1 != 0;
        let counters = std::iter::from_fn(|| {
            is_more.then(|| {
                let color = if rest & 1 == 0 { Color::White } else { Color::Black };
                let kind = if rest & 2 == 0 { CounterKind::Soldier } else { CounterKind::Officer };
                is_more = rest & 4 == 0;
                rest >>= COUNTER_BITS;
                Counter { color, kind }
            })
        });
        Column::from_counters(counters).expect("a column of a position")
    });
    Position::new(columns, side_to_move).expect("a key has a column")
}

/// Adds the positions that have these columns before the square with index `next`, and put the
/// `left` white and black officers on the squares from there on, in all ways that take at most
/// `columns_left` columns, if both sides command one.
fn list_positions(
    columns: &mut [Column; Square::COUNT],
    next: usize,
    left: (usize, usize),
    columns_left: usize,
    keys: &mut Vec<Key>,
) {
    if left == (0, 0) {
        let sides = Color::ALL.map(|side| Position::new(*columns, side).expect("few counters"));
        keys.extend(sides.iter().filter(|position| position.both_command()).map(key_of));
        return;
    }
    for (white, black) in (0..=left.0).flat_map(|white| (0..=left.1).map(move |b| (white, b))) {
        // What is left for the last column must all be in it.
        if columns_left == 0 || columns_left == 1 && (white, black) != left {
            continue;
        }
        // The one on top owns the column, and each side's officers are together.
        for column in [
            Column::officers(Color::White, white, black),
            Column::officers(Color::Black, black, white),
        ]
        .into_iter()
        .flatten()
        {
            let left = (left.0 - white, left.1 - black);
            for square in next..Square::COUNT {
                columns[square] = column;
                list_positions(columns, square + 1, left, columns_left - 1, keys);
                columns[square] = Column::EMPTY;
            }
        }
    }
}

/// The moves of all positions, which are known by their place in the list of keys.
struct Graph {
    /// Where the successors of each position start in `successors`, and where the last ones end.
    starts: Vec<usize>,
    successors: Vec<u32>,
}

/// In place of a successor in which the side to move commands no column: it has lost.
const OVER: u32 = u32::MAX;

impl Graph {
    /// Goes through all positions at ply 0, 1, 2, … and settles those that are won or lost in just
    /// so many plies, until a ply after the first settles none: then no later one can. What is left
    /// is a draw.
    fn values(&self) -> Vec<Value> {
        let mut values = vec![None; self.starts.len() - 1];
        let mut open: Vec<usize> = (0..values.len()).collect();
        for ply in 0.. {
            let before = open.len();
            open.retain(|&number| {
                values[number] = self.value_at(ply, number, &values);
                values[number].is_none()
            });
            if ply > 0 && open.len() == before {
                break;
            }
        }
        values.into_iter().map(|value| value.unwrap_or(Value::Draw)).collect()
    }

    /// The value of a position if it is won or lost in exactly `ply` plies, given all values of
    /// fewer plies; values of `ply` plies itself, settled a moment ago, make no difference.
    fn value_at(&self, ply: u16, number: usize, values: &[Option<Value>]) -> Option<Value> {
        let successors = &self.successors[self.starts[number]..self.starts[number + 1]];
        let mut longest_win = None;
        let mut all_won = true;
        for &successor in successors {
            let value = match successor {
                OVER => Some(Value::Loss(0)),
                _ => values[successor as usize],
            };
            match value {
                Some(Value::Loss(plies)) if plies + 1 == ply => return Some(Value::Win(ply)),
                Some(Value::Win(plies)) => longest_win = longest_win.max(Some(plies)),
                _ => all_won = false,
            }
        }
        // Without any successor `longest_win` is none, and the position is lost in 0 plies.
        let lost_in = longest_win.map_or(0, |plies| plies + 1);
        (all_won && lost_in == ply).then_some(Value::Loss(ply))
    }
}
