//! What is known of a position before it is expanded.

use super::board::{ALL, COLORS, Key, Squares};
use super::moves::{Child, Mobility};
use super::numbers::Numbers;
use crate::index::{Extent, Material};
use crate::probe::{ProbeError, Tablebase};
use crate::rules::{Position, RuleSet};
use crate::{Value, Wdl};

/// Answers about positions that need no expanding, and first numbers of the others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaves<'a> {
    pub(super) tables: Option<&'a Tablebase>,
    /// The most columns of a position that the tables cover.
    most_columns: usize,
}

impl<'a> Leaves<'a> {
    /// Takes those tables into use that can answer a position of the search. Counters never leave
    /// the board, so all its positions have the material of the first one.
    pub(super) fn new(
        position: &Position,
        rules: RuleSet,
        tables: Option<&'a Tablebase>,
    ) -> Leaves<'a> {
        let none = Leaves { tables: None, most_columns: 0 };
        let (Some(of_rules), Ok(material)) =
            (tables.filter(|tables| tables.rules() == rules), Material::of(position))
        else {
            return none;
        };
        match of_rules.extent(material) {
            Ok(extent) => Leaves { tables, most_columns: *extent.columns().end() },
            Err(ProbeError::MissingTable { .. } | ProbeError::OtherRules { .. }) => none,
            // The search ends with this error when it first needs the table.
            Err(_) => Leaves { tables, most_columns: Extent::MAX_COLUMNS },
        }
    }
}

impl<'a> Leaves<'a> {
    /// The tables, if they may cover a position.
    fn tables_for(self, key: Key, squares: Squares) -> Option<&'a Tablebase> {
        let columns = squares.occupied().count_ones() as usize;
        self.tables.filter(|_| columns <= self.most_columns && key.has_officers_only())
    }

    /// The numbers of both questions about a position that has just been met.
    ///
    /// # Errors
    /// If a table that covers it cannot be read.
    pub(super) fn first_numbers(self, child: &Child) -> Result<[Numbers; 2], ProbeError> {
        let moves = match child.squares.mobility() {
            Mobility::None if is_over_and_won(child.squares) => return Ok([Numbers::REACHED; 2]),
            Mobility::None => return Ok([Numbers::FAILED; 2]),
            Mobility::Captures(moves) | Mobility::Quiet(moves) => moves,
        };
        let covered = match self.tables_for(child.key, child.squares) {
            Some(tables) => known(tables.wdl(&child.key.position()))?,
            None => None,
        };
        Ok(match covered {
            Some(Wdl::Win) => [Numbers::REACHED; 2],
            Some(Wdl::Draw) => [Numbers::FAILED, Numbers::REACHED],
            Some(Wdl::Loss) => [Numbers::FAILED; 2],
            None => estimate(child, moves),
        })
    }

    /// The value of a position for the side to move, if it is over or a table covers it and has its
    /// distance.
    ///
    /// # Errors
    /// If the tables contradict each other.
    pub(super) fn value(self, key: Key, squares: Squares) -> Result<Option<Value>, ProbeError> {
        if squares.mobility() == Mobility::None {
            return Ok(Some(if is_over_and_won(squares) { Value::Win(0) } else { Value::Loss(0) }));
        }
        match self.tables_for(key, squares) {
            Some(tables) => match tables.value(&key.position()) {
                // Who wins was read from the WDL file. The distance is not to be had.
                Err(ProbeError::Damaged { .. } | ProbeError::Unreadable { .. }) => Ok(None),
                value => known(value),
            },
            None => Ok(None),
        }
    }
}

/// Whether the other side commands nothing, but the side to move does.
const fn is_over_and_won(squares: Squares) -> bool {
    squares.own != 0 && squares.other == 0
}

/// What a table says; nothing if none covers the position.
fn known<T>(answer: Result<T, ProbeError>) -> Result<Option<T>, ProbeError> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_not_covered() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The number of a question of which nothing speaks for either side.
const EVEN: f32 = 16.0;
/// The greatest first number.
const HARDEST: f32 = 4000.0;
/// The difference in worth that makes a win twice as hard.
const DOUBLES: f32 = 160.0;

/// The first numbers of both questions: how much better one side stands, and how many moves there
/// are to be refuted.
fn estimate(child: &Child, moves: u32) -> [Numbers; 2] {
    let ahead = worth(child.key) as f32 / DOUBLES;
    let number = |number: f32| number.clamp(1.0, HARDEST) as u32;
    let moves = moves as f32;
    [
        // The side to move wins, or does not.
        Numbers::open(number(EVEN * (-ahead).exp2()), number(EVEN * moves)),
        // The side to move holds, or loses.
        Numbers::open(number(EVEN), number(EVEN * moves * ahead.exp2())),
    ]
}

/// What the columns of the side to move are worth more than those of the other side. What counts is
/// how many there are, how many captures each survives, and officers; then how far soldiers are.
fn worth(key: Key) -> i32 {
    let (mut counters, mut lasts, mut rest) = (key.counters, key.lasts(), key.places & ALL);
    let mut sum = 0;
    while rest != 0 {
        let row = 2 * rest.trailing_zeros() as i32 / 7;
        rest &= rest - 1;
        let height = lasts.trailing_zeros() + 1;
        let is_own = counters & 1 == 0;
        let others = COLORS & if is_own { counters } else { !counters };
        let on_top = (others.trailing_zeros() / 2).min(height) as i32;
        let forward = if is_own { row } else { 6 - row };
        let rank = if counters & 2 != 0 { 40 } else { 5 * forward };
        let worth = 40 + 40 * on_top + rank;
        sum += if is_own { worth } else { -worth };
        counters >>= 2 * height;
        lasts >>= height;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worth_is_the_opposite_from_the_other_side() {
        for text in ["a1Ww c3bW d4BBw e5w", "b2w f6b", "a1WWWW g7bbw"] {
            let white = worth(Key::of(&format!("{text} w").parse().unwrap()));
            let black = worth(Key::of(&format!("{text} b").parse().unwrap()));
            assert_eq!(white, -black, "{text}");
        }
        assert!(worth(Key::of(&"a1WW g7B w".parse().unwrap())) > 0);
    }
}
