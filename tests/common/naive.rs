//! A slow, naive solver: what the fast one is compared with.
//!
//! It lists every position of a material one by one and looks forward only, ply by ply, until a
//! ply settles nothing more. All that it takes from the crate are [`Position`] and its
//! [`Position::successors`]: no un-moves, no symmetry, no index, no slices.

use lasca_tablebase::rules::{Color, Column, Position, RuleSet, Square};

/// What best play leads to, for the side to move, with the plies until the loser cannot move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// The side to move wins in so many plies.
    Win(u32),
    /// Neither side can force a win.
    Draw,
    /// The side to move loses in so many plies.
    Loss(u32),
}

/// A position with what the solver found out about it.
#[derive(Clone, Copy, Debug)]
pub struct Solved {
    /// The position.
    pub position: Position,
    /// Its value for the side to move.
    pub value: Value,
    /// Whether the side to move must take.
    pub must_capture: bool,
}

/// The values of all positions of one material, officers only, in which both sides command a
/// column, for both sides to move.
pub struct Solution {
    white: usize,
    black: usize,
    /// In ascending order; the other lists go with it.
    keys: Vec<Key>,
    values: Vec<Value>,
    must_capture: Vec<bool>,
}

/// Solves all positions with `white` white officers and `black` black ones. Five in all take
/// seconds.
///
/// # Panics
/// If there are more than [`MAX_COLUMNS`] in all.
pub fn solve(white: usize, black: usize, rules: RuleSet) -> Solution {
    solve_bounded(white, black, white + black, rules)
}

/// The same for the positions of at most so many columns alone. No move leads out of them.
///
/// # Panics
/// If the columns are more than [`MAX_COLUMNS`].
pub fn solve_bounded(white: usize, black: usize, max_columns: usize, rules: RuleSet) -> Solution {
    assert!(max_columns <= MAX_COLUMNS, "{max_columns} columns are more than a key can hold");
    let mut keys = Vec::new();
    for side in Color::ALL {
        let columns = [Column::EMPTY; Square::COUNT];
        list_positions(columns, 0, (white, black), max_columns, side, &mut keys);
    }
    keys.sort_unstable();
    assert!(keys.is_sorted_by(|a, b| a < b), "a position was listed twice");

    let graph = Graph::of_moves(&keys, rules);
    Solution { white, black, values: graph.values(), keys, must_capture: graph.must_capture }
}

impl Solution {
    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// All positions.
    pub fn iter(&self) -> impl Iterator<Item = Solved> + '_ {
        (0..self.len()).map(|index| Solved {
            position: position_of(self.keys[index]),
            value: self.values[index],
            must_capture: self.must_capture[index],
        })
    }

    /// The value of a position of this material; `None` for another material, or a position that
    /// play with officers only does not reach. Where one side commands no column the game is over:
    /// a loss in 0 plies if that is the side to move, a win in 0 if it is the other.
    pub fn get(&self, position: &Position) -> Option<Value> {
        let counters = position.counters();
        if (counters.white, counters.black) != (self.white, self.black) {
            return None;
        }
        let key = key_of(position)?;
        let side = position.side_to_move();
        if position.commanded_by(side).is_empty() {
            Some(Value::Loss(0))
        } else if position.commanded_by(!side).is_empty() {
            Some(Value::Win(0))
        } else {
            Some(self.values[index_of(&self.keys, key)])
        }
    }
}

/// A position in 128 bits, from the lowest: a bit for the side to move, then [`COLUMN_BITS`] for
/// each column: 5 for its square, 1 for its owner, 5 for the owner's counters, 5 for the prisoners.
type Key = u128;

const COLUMN_BITS: u32 = 16;
/// Seven columns of 16 bits and the side to move are all that a key can hold.
const MAX_COLUMNS: usize = 7;

/// `None` if a soldier is on the board, or a column mixes the colours in a way that play with
/// officers only does not reach.
fn key_of(position: &Position) -> Option<Key> {
    let mut key = 0;
    for (square, column) in position.columns() {
        let (own, prisoners) = column.own_and_prisoners()?;
        if column.has_soldier() {
            return None;
        }
        let owner = usize::from(column.owner() == Some(Color::Black));
        let bits = square.index() | owner << 5 | own << 6 | prisoners << 11;
        key = key << COLUMN_BITS | bits as Key;
    }
    Some(key << 1 | Key::from(position.side_to_move() == Color::Black))
}

fn position_of(key: Key) -> Position {
    let side_to_move = if key & 1 == 0 { Color::White } else { Color::Black };
    let mut columns = [Column::EMPTY; Square::COUNT];
    let mut rest = key >> 1;
    while rest != 0 {
        let owner = if rest >> 5 & 1 == 0 { Color::White } else { Color::Black };
        let (own, prisoners) = (rest >> 6 & 0x1f, rest >> 11 & 0x1f);
        columns[(rest & 0x1f) as usize] =
            Column::officers(owner, own as usize, prisoners as usize).expect("own is not 0");
        rest >>= COLUMN_BITS;
    }
    Position::new(columns, side_to_move).expect("a key has a column")
}

fn index_of(keys: &[Key], key: Key) -> usize {
    keys.binary_search(&key).unwrap_or_else(|_| panic!("{} is not in the list", position_of(key)))
}

/// Adds the positions that have these columns before the square with index `next`, and put the
/// `left` white and black counters on the squares from there on, in all ways that take at most
/// `columns_left` columns.
fn list_positions(
    columns: [Column; Square::COUNT],
    next: usize,
    left: (usize, usize),
    columns_left: usize,
    side: Color,
    keys: &mut Vec<Key>,
) {
    if left == (0, 0) {
        let Ok(position) = Position::new(columns, side) else { return };
        if position.both_command() {
            keys.push(key_of(&position).expect("officers over prisoners"));
        }
        return;
    }
    if next == Square::COUNT || columns_left == 0 {
        return;
    }
    for white in 0..=left.0 {
        for black in 0..=left.1 {
            // What is left for the last column must all be in it.
            if columns_left == 1 && (white, black) != (0, 0) && (white, black) != left {
                continue;
            }
            for column in officer_columns(white, black) {
                let mut columns = columns;
                columns[next] = column;
                let left = (left.0 - white, left.1 - black);
                let columns_left = columns_left - usize::from(!column.is_empty());
                list_positions(columns, next + 1, left, columns_left, side, keys);
            }
        }
    }
}

/// The columns of so many white and black officers, each side's together: the one on top owns the
/// column.
fn officer_columns(white: usize, black: usize) -> Vec<Column> {
    match (white, black) {
        (0, 0) => vec![Column::EMPTY],
        _ => [
            Column::officers(Color::White, white, black),
            Column::officers(Color::Black, black, white),
        ]
        .into_iter()
        .flatten()
        .collect(),
    }
}

/// The moves of all positions, which are known by their place in the list of keys.
struct Graph {
    /// Where the successors of each position start in `successors`, and where the last ones end.
    starts: Vec<usize>,
    successors: Vec<u32>,
    must_capture: Vec<bool>,
}

/// In place of a successor in which the side to move commands no column: it has lost.
const OVER: u32 = u32::MAX;

impl Graph {
    fn of_moves(keys: &[Key], rules: RuleSet) -> Graph {
        let mut graph = Graph { starts: vec![0], successors: Vec::new(), must_capture: Vec::new() };
        for &key in keys {
            let successors = position_of(key).successors(rules);
            graph.must_capture.push(successors.iter().any(|(played, _)| played.is_capture()));
            for (_, after) in successors {
                graph.successors.push(if after.both_command() {
                    let key = key_of(&after).expect("play keeps officers over prisoners");
                    u32::try_from(index_of(keys, key)).expect("fewer than 2^32 positions")
                } else {
                    assert!(after.commanded_by(after.side_to_move()).is_empty());
                    OVER
                });
            }
            graph.starts.push(graph.successors.len());
        }
        graph
    }

    /// Goes through all positions at ply 0, 1, 2, … and settles those that are won or lost in just
    /// so many plies, until a ply after the first settles none: then no later one can. What is left
    /// is a draw.
    fn values(&self) -> Vec<Value> {
        let mut values = vec![None; self.must_capture.len()];
        for ply in 0.. {
            let mut settled = false;
            for index in 0..values.len() {
                if values[index].is_none() {
                    values[index] = self.value_at(ply, index, &values);
                    settled |= values[index].is_some();
                }
            }
            if ply > 0 && !settled {
                break;
            }
        }
        values.into_iter().map(|value| value.unwrap_or(Value::Draw)).collect()
    }

    /// The value of a position if it is won or lost in exactly `ply` plies, given all values of
    /// fewer plies; values of `ply` plies itself, settled a moment ago, make no difference.
    fn value_at(&self, ply: u32, index: usize, values: &[Option<Value>]) -> Option<Value> {
        let successors = &self.successors[self.starts[index]..self.starts[index + 1]];
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
