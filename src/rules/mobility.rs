//! What can be said of the moves of a position without making any.

use super::{Color, Direction, Position, Square, SquareSet};

/// What the side to move can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mobility {
    /// There is no move: the game is over.
    None,
    /// A capture must be made; this many first jumps can be chosen from.
    Captures(u32),
    /// There are so many quiet moves.
    Quiet(u32),
}

impl Mobility {
    /// How many moves, or first jumps.
    #[inline]
    pub const fn count(self) -> u32 {
        match self {
            Mobility::None => 0,
            Mobility::Captures(count) | Mobility::Quiet(count) => count,
        }
    }
}

/// The columns of one side: those that move up the board, and those that move down. What an officer
/// commands does both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Movers {
    /// Those that move up the board.
    pub up: SquareSet,
    /// Those that move down.
    pub down: SquareSet,
}

impl Movers {
    /// The columns that a side commands. `officers` are those of both sides under an officer.
    #[inline(always)]
    pub const fn new(color: Color, commanded: SquareSet, officers: SquareSet) -> Movers {
        let of_officers = SquareSet::from_bits(commanded.bits() & officers.bits());
        match color {
            Color::White => Movers { up: commanded, down: of_officers },
            Color::Black => Movers { up: of_officers, down: commanded },
        }
    }
}

/// What a side can do if it is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ways {
    /// What the moves are.
    pub mobility: Mobility,
    /// How many steps there are to squares where no column of the other side can capture.
    pub safe: u32,
    /// The columns beside a square to go to.
    pub mobile: u32,
    /// The columns that can capture.
    pub capturing: u32,
    /// The columns of the other side that can be captured.
    pub captured: u32,
}

const ALL: u32 = SquareSet::FULL.bits();

const fn up_left(set: u32) -> u32 {
    stepped(set, Direction::NorthWest)
}

const fn up_right(set: u32) -> u32 {
    stepped(set, Direction::NorthEast)
}

const fn down_left(set: u32) -> u32 {
    stepped(set, Direction::SouthWest)
}

const fn down_right(set: u32) -> u32 {
    stepped(set, Direction::SouthEast)
}

/// The neighbours of some squares in a direction.
#[inline(always)]
pub const fn stepped(set: u32, direction: Direction) -> u32 {
    const NOT_LEFT: u32 = ALL & !(1 | 1 << 7 | 1 << 14 | 1 << 21);
    const NOT_RIGHT: u32 = ALL & !(1 << 3 | 1 << 10 | 1 << 17 | 1 << 24);
    match direction {
        Direction::NorthEast => (set & NOT_RIGHT) << 4 & ALL,
        Direction::NorthWest => (set & NOT_LEFT) << 3 & ALL,
        Direction::SouthEast => (set & NOT_RIGHT) >> 3,
        Direction::SouthWest => (set & NOT_LEFT) >> 4,
    }
}

/// For each square its neighbours, those up the board first, each as a set of one square or none; with
/// each the square behind it, where a jump lands.
pub(super) const NEIGHBOURS: [[(u32, u32); 4]; Square::COUNT] = {
    let mut neighbours = [[(0, 0); 4]; Square::COUNT];
    let mut i = 0;
    while i < Square::COUNT {
        let bit = 1 << i;
        neighbours[i] = [
            (up_left(bit), up_left(up_left(bit))),
            (up_right(bit), up_right(up_right(bit))),
            (down_left(bit), down_left(down_left(bit))),
            (down_right(bit), down_right(down_right(bit))),
        ];
        i += 1;
    }
    neighbours
};

/// The square of a set of one square.
pub(super) fn square_of(bit: u32) -> Square {
    match Square::from_index(bit.trailing_zeros() as usize) {
        Some(square) => square,
        None => unreachable!("a neighbour is on the board"),
    }
}

/// What a side can do, against the columns of the other.
#[inline(always)]
pub const fn ways(own: Movers, others: Movers) -> Ways {
    let [up, down] = [own.up.bits(), own.down.bits()];
    let [others_up, others_down] = [others.up.bits(), others.down.bits()];
    let others = others_up | others_down;
    let empty = ALL & !(up | down | others);
    let (a, b, c, d) = (down_right(empty), down_left(empty), up_right(empty), up_left(empty));
    let (e, f) = (up_left(up) & others & a, up_right(up) & others & b);
    let (g, h) = (down_left(down) & others & c, down_right(down) & others & d);
    let attacked = down_right(others_down) & d
        | down_left(others_down) & c
        | up_right(others_up) & b
        | up_left(others_up) & a;
    let captured = e | f | g | h;
    Ways {
        mobility: if captured != 0 {
            Mobility::Captures(count([e, f, g, h]))
        } else {
            match steps(up, down, empty) {
                0 => Mobility::None,
                steps => Mobility::Quiet(steps),
            }
        },
        safe: steps(up, down, empty & !attacked),
        mobile: up & (a | b) | down & (c | d),
        capturing: down_right(e) | down_left(f) | up_right(g) | up_left(h),
        captured,
    }
}

/// How many steps lead to some squares.
#[inline(always)]
pub(super) const fn steps(up: u32, down: u32, to: u32) -> u32 {
    count([up_left(up) & to, up_right(up) & to, down_left(down) & to, down_right(down) & to])
}

/// How many squares some sets have together. Counting two words takes half as long as counting
/// four halves.
#[inline(always)]
const fn count([a, b, c, d]: [u32; 4]) -> u32 {
    (a as u64 | (b as u64) << 32).count_ones() + (c as u64 | (d as u64) << 32).count_ones()
}

impl Position {
    /// What the side to move can do. If the other side commands nothing, that is nothing.
    #[inline(always)]
    pub(super) fn ways(&self) -> Option<Ways> {
        let side = self.side_to_move();
        if self.commanded_by(!side).is_empty() {
            return None;
        }
        let movers = |color| Movers::new(color, self.commanded_by(color), self.under_officers());
        Some(ways(movers(side), movers(!side)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;
    use crate::testing::Numbers;

    fn check(position: &Position, rules: RuleSet) {
        let moves = position.moves(rules).unwrap();
        let count = position.count_moves(rules);
        assert_eq!(count, moves.len() as u64, "{position} under {rules}");
        let Some(ways) = position.ways() else { return };
        let begun = |place: usize| -> SquareSet {
            moves.iter().map(|played| played.squares().nth(place).unwrap()).collect()
        };
        let begun = [0, 1].map(|place| begun(place).bits());
        match ways.mobility {
            Mobility::Captures(first) => {
                assert!((1..=count).contains(&first.into()), "{position} under {rules}");
                assert_eq!([ways.capturing, ways.captured], begun, "{position}");
            }
            Mobility::Quiet(steps) => {
                assert_eq!(u64::from(steps), count, "{position}");
                assert_eq!([ways.mobile, ways.captured], [begun[0], 0], "{position}");
            }
            Mobility::None => assert_eq!(count, 0, "{position}"),
        }
        let swapped = position.swap_colors().ways().map(|ways| (ways.mobility, ways.safe));
        assert_eq!(swapped, Some((ways.mobility, ways.safe)), "{position}");
    }

    #[test]
    fn what_is_seen_at_a_glance_is_true_of_the_moves_of_random_positions() {
        let mut random = Numbers(2);
        // Some squares are drawn twice. Of 40, nearly all 25 are there, as in the first positions of games.
        for most in [14, 40].repeat(6000) {
            let counters = 1 + random.below(Position::MAX_COUNTERS);
            let squares = 1 + random.below(most);
            let position = random.position(counters, squares, b"wbWB");
            check(&position, RuleSet::Lasca);
            check(&position, RuleSet::Bignor);
            // Where squares may be jumped again, chains multiply with the prisoners, of which there are few on many
            // squares.
            if counters <= 14 || squares > 20 {
                check(&position, RuleSet::Rejump);
            }
        }
    }
}
