//! Moves on a [`Board`]: which there are at a glance, and what each of them leads to.

use super::board::{ALL, Board, Key, Squares, Stack};
use crate::rules::{Continuation, RuleSet, Square};

/// All squares but those of the left edge, and of the right one: from there no step leads left, or
/// right.
const NOT_LEFT: u32 = ALL & !(1 | 1 << 7 | 1 << 14 | 1 << 21);
const NOT_RIGHT: u32 = ALL & !(1 << 3 | 1 << 10 | 1 << 17 | 1 << 24);
/// The last row of the side to move.
const LAST_ROW: u32 = 0b1111 << 21;

const fn up_left(set: u32) -> u32 {
    (set & NOT_LEFT) << 3 & ALL
}

const fn up_right(set: u32) -> u32 {
    (set & NOT_RIGHT) << 4 & ALL
}

const fn down_left(set: u32) -> u32 {
    (set & NOT_LEFT) >> 4
}

const fn down_right(set: u32) -> u32 {
    (set & NOT_RIGHT) >> 3
}

/// For each square the neighbours in the four directions, forward ones first, as sets of one square
/// or none; with each the square behind it, where a jump lands.
const STEPS: [[(u32, u32); 4]; Square::COUNT] = {
    let mut steps = [[(0, 0); 4]; Square::COUNT];
    let mut i = 0;
    while i < Square::COUNT {
        let bit = 1 << i;
        steps[i] = [
            (up_left(bit), up_left(up_left(bit))),
            (up_right(bit), up_right(up_right(bit))),
            (down_left(bit), down_left(down_left(bit))),
            (down_right(bit), down_right(down_right(bit))),
        ];
        i += 1;
    }
    steps
};

/// How many of the directions, forward ones first, a commander moves in.
const fn reach(officer: bool) -> usize {
    if officer { 4 } else { 2 }
}

/// What can be said of the moves of the side to move without making any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mobility {
    /// There is no move: the game is over.
    None,
    /// A capture must be made; so many first jumps can be chosen from.
    Captures(u32),
    /// There are so many quiet moves.
    Quiet(u32),
}

impl Squares {
    /// How many moves there are. If the other side commands nothing there is none.
    #[inline]
    pub(super) fn mobility(self) -> Mobility {
        if self.other == 0 { Mobility::None } else { self.ways()[0].mobility }
    }

    /// What each side, that which is to move first, can do if it is to move.
    #[inline(always)]
    pub(super) fn ways(self) -> [Ways; 2] {
        let Squares { own, other, officers } = self;
        let [own, other] = [[own, own & officers], [other & officers, other]];
        [self.ways_of(own, other), self.ways_of(other, own)]
    }

    /// What a side can do. The columns of either side are those that move up the board, and down.
    #[inline(always)]
    fn ways_of(self, [up, down]: [u32; 2], [others_up, others_down]: [u32; 2]) -> Ways {
        let (empty, others) = (self.empty(), others_up | others_down);
        let steps_to = |squares: u32| {
            let ways = (up_left(up), up_right(up), down_left(down), down_right(down));
            let count = |way: u32| (way & squares).count_ones();
            count(ways.0) + count(ways.1) + count(ways.2) + count(ways.3)
        };
        let (a, b, c, d) = (down_right(empty), down_left(empty), up_right(empty), up_left(empty));
        let (e, f) = (up_left(up) & others & a, up_right(up) & others & b);
        let (g, h) = (down_left(down) & others & c, down_right(down) & others & d);
        let attacked = down_right(others_down) & d
            | down_left(others_down) & c
            | up_right(others_up) & b
            | up_left(others_up) & a;
        let captures = e.count_ones() + f.count_ones() + g.count_ones() + h.count_ones();
        Ways {
            mobility: match (captures, steps_to(empty)) {
                (0, 0) => Mobility::None,
                (0, steps) => Mobility::Quiet(steps),
                _ => Mobility::Captures(captures),
            },
            safe: steps_to(empty & !attacked),
            mobile: up & (a | b) | down & (c | d),
            capturing: down_right(e) | down_left(f) | up_right(g) | up_left(h),
            captured: e | f | g | h,
        }
    }
}

/// What a side can do if it is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ways {
    pub(super) mobility: Mobility,
    /// How many steps there are to squares where no column of the other side can capture.
    pub(super) safe: u32,
    /// The columns beside a square to go to.
    pub(super) mobile: u32,
    /// The columns that can capture, and those of the other side that can be captured.
    pub(super) capturing: u32,
    pub(super) captured: u32,
}

/// A position that a move leads to, as the side that is then to move sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Child {
    pub(super) key: Key,
    pub(super) squares: Squares,
}

impl Board {
    /// Appends what each move leads to; moves that end in the same position, or in images of one,
    /// count apart. The board is as before when it returns.
    pub(super) fn children(&mut self, rules: RuleSet, found: &mut Vec<Child>) {
        match self.squares.mobility() {
            Mobility::None => {}
            Mobility::Quiet(_) => self.quiet_moves(found),
            Mobility::Captures(_) => self.captures(rules.continuation(), found),
        }
    }

    fn quiet_moves(&mut self, found: &mut Vec<Child>) {
        let before = self.squares;
        let empty = before.empty();
        let mut movers = before.own;
        while movers != 0 {
            let from = movers.trailing_zeros() as usize;
            let bit = movers & movers.wrapping_neg();
            movers ^= bit;
            let stack = std::mem::replace(&mut self.stacks[from], Stack::EMPTY);
            for &(to, _) in &STEPS[from][..reach(stack.is_officer())] {
                if to & empty == 0 {
                    continue;
                }
                let landed = if to & LAST_ROW != 0 { stack.promoted() } else { stack };
                self.squares = Squares {
                    own: before.own ^ bit ^ to,
                    other: before.other,
                    officers: before.officers & !bit | (to * u32::from(landed.is_officer())),
                };
                let to = to.trailing_zeros() as usize;
                self.stacks[to] = landed;
                self.record(found);
                self.stacks[to] = Stack::EMPTY;
            }
            self.stacks[from] = stack;
        }
        self.squares = before;
    }

    fn captures(&mut self, continuation: Continuation, found: &mut Vec<Child>) {
        let before = self.squares;
        let mut movers = before.own;
        while movers != 0 {
            let from = movers.trailing_zeros() as usize;
            movers &= movers - 1;
            let stack = self.stacks[from];
            self.set(from, Stack::EMPTY);
            self.jump_on(from, stack, 0, continuation, found);
            self.stacks[from] = stack;
            self.squares = before;
        }
    }

    /// Follows each jump of `stack`, which is lifted off the board, from the square `at` to the ends
    /// of its chains. It is as deep as there are jumps in a chain, at most as many as counters.
    fn jump_on(
        &mut self,
        at: usize,
        stack: Stack,
        jumped: u32,
        continuation: Continuation,
        found: &mut Vec<Child>,
    ) {
        let begun = jumped != 0;
        let promotes = begun && !stack.is_officer() && 1 << at & LAST_ROW != 0;
        let may_go_on = match continuation {
            Continuation::SingleJump => !begun,
            Continuation::EachSquareOnce | Continuation::Unlimited => !promotes,
        };
        let mut went_on = false;
        if may_go_on {
            let before = self.squares;
            let spared = if continuation == Continuation::EachSquareOnce { jumped } else { 0 };
            let targets = before.other & !spared;
            let empty = before.empty();
            for &(over, to) in &STEPS[at][..reach(stack.is_officer())] {
                if over & targets == 0 || to & empty == 0 {
                    continue;
                }
                went_on = true;
                let square = over.trailing_zeros() as usize;
                let whole = self.stacks[square];
                let mut rest = whole;
                let taller = stack.with_bottom(rest.pop_top());
                self.set(square, rest);
                let landing = to.trailing_zeros() as usize;
                self.jump_on(landing, taller, jumped | over, continuation, found);
                self.stacks[square] = whole;
                self.squares = before;
            }
        }
        if begun && !went_on {
            let before = self.squares;
            self.set(at, if promotes { stack.promoted() } else { stack });
            self.record(found);
            self.stacks[at] = Stack::EMPTY;
            self.squares = before;
        }
    }

    #[inline]
    fn record(&self, found: &mut Vec<Child>) {
        found.push(Child { key: self.key_after(), squares: self.squares.turned() });
    }
}

#[cfg(test)]
mod tests {
    use super::super::board::turn;
    use super::*;
    use crate::rules::{Color, Position, SquareSet, Symmetry};
    use crate::testing::Numbers;

    fn children(position: &Position, rules: RuleSet) -> Vec<Child> {
        let (mut board, mut found) = (Board::of(position), Vec::new());
        let before = board.clone();
        board.children(rules, &mut found);
        assert_eq!(board, before, "{position}");
        found
    }

    fn check(position: &Position, rules: RuleSet) {
        let found = children(position, rules);
        for child in &found {
            assert_eq!(Board::unpack(child.key).key(), child.key);
            let Squares { own, other, officers } = Board::unpack(child.key).squares;
            let is_like = |symmetry: Symmetry| {
                let image = |set| symmetry.apply_set(SquareSet::from_bits(set)).bits();
                let [own, other, officers] = [own, other, officers].map(image);
                Squares { own, other, officers } == child.squares
            };
            let images = if child.key.has_officers_only() { Symmetry::COUNT } else { 2 };
            assert!(Symmetry::all().take(images).any(is_like), "{position}");
        }
        let mut found: Vec<Key> = found.into_iter().map(|child| child.key).collect();
        let mut expected: Vec<Key> =
            position.successors(rules).iter().map(|(_, after)| Key::of(after)).collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{position} under {rules}");
        let squares = Board::of(position).squares;
        let mobility = squares.mobility();
        let count = match mobility {
            Mobility::None => 0..=0,
            Mobility::Quiet(count) => count as usize..=count as usize,
            Mobility::Captures(first) => 1.max(first as usize)..=usize::MAX,
        };
        assert!(count.contains(&found.len()), "{position} under {rules}");
        let mut begun = [0; 2];
        for (played, _) in position.successors(rules) {
            for (set, square) in begun.iter_mut().zip(played.squares()) {
                *set |= 1u32 << square.index();
            }
        }
        if position.side_to_move() == Color::Black {
            begun = begun.map(turn);
        }
        let [ways, _] = squares.ways();
        let [_, turned] = squares.turned().ways();
        let [mobile, capturing, captured] =
            [turned.mobile, turned.capturing, turned.captured].map(turn);
        assert_eq!(ways, Ways { mobile, capturing, captured, ..turned }, "{position}");
        match mobility {
            Mobility::Captures(_) => assert_eq!([capturing, captured], begun, "{position}"),
            Mobility::Quiet(_) => assert_eq!([mobile, captured], [begun[0], 0], "{position}"),
            Mobility::None => {}
        }
    }

    #[test]
    fn random_positions_have_the_children_that_the_rules_give_them() {
        let mut random = Numbers(2);
        for _ in 0..6000 {
            let counters = 1 + random.below(Position::MAX_COUNTERS);
            let squares = 1 + random.below(14);
            let position = random.position(counters, squares);
            check(&position, RuleSet::Lasca);
            check(&position, RuleSet::Bignor);
            // Where squares may be jumped again, chains multiply with the prisoners.
            if counters <= 14 {
                check(&position, RuleSet::Rejump);
            }
        }
    }

    #[test]
    fn random_games_have_the_children_that_the_rules_give_them() {
        for rules in RuleSet::ALL {
            let mut random = Numbers(3);
            for _ in 0..60 {
                let mut position = Position::start();
                for _ in 0..120 {
                    check(&position, rules);
                    let successors = position.successors(rules);
                    if successors.is_empty() {
                        break;
                    }
                    position = successors[random.below(successors.len())].1;
                }
            }
        }
    }

    fn perft(key: Key, rules: RuleSet, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let mut found = Vec::new();
        Board::unpack(key).children(rules, &mut found);
        found.iter().map(|child| perft(child.key, rules, depth - 1)).sum()
    }

    #[test]
    fn perft_counts_equal_the_golden_ones() {
        let golden = include_str!("../../tests/data/perft.csv");
        for line in golden.lines().skip(1) {
            let (rules, rest) = line.split_once(',').unwrap();
            let (rest, count) = rest.rsplit_once(',').unwrap();
            let (text, depth) = rest.rsplit_once(',').unwrap();
            let position: Position = text.trim_matches('"').parse().unwrap();
            let counted = perft(Key::of(&position), rules.parse().unwrap(), depth.parse().unwrap());
            assert_eq!(counted.to_string(), count, "{line}");
        }
    }
}
