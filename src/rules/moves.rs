//! Moves of the whole game: generating and playing them.

use super::{
    Color, Column, Continuation, CounterKind, Direction, Position, RuleSet, Square, SquareSet,
};
use std::fmt;

/// A move: the squares it passes.
///
/// A quiet move has two squares: where it starts and where it ends. A capture has three squares or
/// more: where it starts, and then for each jump the square that is jumped and the square where the jump
/// lands. A move prints as its squares, `c3-d4` or `a1-b2-c3`.
///
/// ```
/// use lasca_tablebase::rules::{Move, Square};
/// let squares = ["a1", "b2", "c3"].map(|name| Square::from_name(name).unwrap());
/// let capture = Move::from_squares(&squares).unwrap();
/// assert!(capture.is_capture());
/// assert_eq!(capture.jumped().collect::<Vec<_>>(), [squares[1]]);
/// assert_eq!(capture.to_string(), "a1-b2-c3");
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move {
    squares: Vec<Square>,
}

impl Move {
    /// The move along these squares. `None` unless each step goes one square diagonally and each jump
    /// goes straight on. No position is looked at, so the move need not be legal anywhere.
    pub fn from_squares(squares: &[Square]) -> Option<Move> {
        let is_step = |from: Square, to: Square| {
            Direction::ALL.into_iter().find(|&direction| from.step(direction) == Some(to))
        };
        let well_formed = match squares {
            &[from, to] => is_step(from, to).is_some(),
            [_, rest @ ..] if rest.len() >= 2 && rest.len() % 2 == 0 => {
                squares.windows(3).step_by(2).all(|jump| {
                    is_step(jump[0], jump[1]).is_some_and(|d| jump[1].step(d) == Some(jump[2]))
                })
            }
            _ => false,
        };
        well_formed.then(|| Move { squares: squares.to_vec() })
    }

    /// All squares of the move, in order.
    pub fn squares(&self) -> &[Square] {
        &self.squares
    }

    /// Where the moving column starts.
    pub fn from(&self) -> Square {
        self.squares[0]
    }

    /// Where the moving column ends.
    pub fn to(&self) -> Square {
        self.squares[self.squares.len() - 1]
    }

    /// Whether the move is a capture.
    pub fn is_capture(&self) -> bool {
        self.squares.len() > 2
    }

    /// The squares that are jumped, in order. A quiet move jumps none.
    pub fn jumped(&self) -> impl Iterator<Item = Square> + '_ {
        self.squares.iter().skip(1).step_by(2).copied().filter(|_| self.is_capture())
    }

    /// The squares where the column lands, in order. The last is where the move ends.
    pub fn landings(&self) -> impl Iterator<Item = Square> + '_ {
        let stride = if self.is_capture() { 2 } else { 1 };
        self.squares.iter().skip(stride).step_by(stride).copied()
    }

    pub(super) fn from_squares_unchecked(squares: Vec<Square>) -> Move {
        debug_assert!(Move::from_squares(&squares).is_some());
        Move { squares }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, square) in self.squares.iter().enumerate() {
            if i > 0 {
                f.write_str("-")?;
            }
            write!(f, "{square}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A move that the position does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{attempted} is not a legal move in {position}")]
pub struct IllegalMove {
    /// The move.
    pub attempted: Move,
    /// The position.
    pub position: Box<Position>,
}

impl Position {
    /// All legal moves with the positions that they lead to, sorted by their squares. There are none
    /// when the game is over: the side to move is blocked, or one side commands no column.
    ///
    /// The rules are Lasker's of 1911, with the variants that [`RuleSet`] lists.
    ///
    /// ```
    /// use lasca_tablebase::rules::{Position, RuleSet};
    /// let position: Position = "a1W b2BB w".parse().unwrap();
    /// let (capture, after) = &position.successors(RuleSet::Lasca)[0];
    /// assert_eq!((capture.to_string(), after.to_string()), ("a1-b2-c3".into(), "b2B c3WB b".into()));
    /// assert_eq!(position.successors(RuleSet::Rejump)[0].0.to_string(), "a1-b2-c3-b2-a1");
    /// ```
    pub fn successors(&self, rules: RuleSet) -> Vec<(Move, Position)> {
        self.find_successors(rules, usize::MAX)
    }

    /// As [`Position::successors`]; `None` if there are more than `most`, which takes no longer than
    /// finding that many. Under [`RuleSet::Rejump`], some positions have tens of thousands.
    ///
    /// ```
    /// use lasca_tablebase::rules::{Position, RuleSet};
    /// let position: Position = "a1W g7B w".parse().unwrap();
    /// assert_eq!(position.successors_up_to(RuleSet::Lasca, 1).unwrap().len(), 1);
    /// assert_eq!(position.successors_up_to(RuleSet::Lasca, 0), None);
    /// ```
    pub fn successors_up_to(&self, rules: RuleSet, most: usize) -> Option<Vec<(Move, Position)>> {
        Some(self.find_successors(rules, most)).filter(|found| found.len() <= most)
    }

    /// All legal moves, sorted. If there are more than `most`, some of them: `most` and few more.
    fn find_successors(&self, rules: RuleSet, most: usize) -> Vec<(Move, Position)> {
        if !self.both_command() {
            return Vec::new();
        }
        let mut captures =
            CaptureSearch { board: *self, rules, path: Vec::new(), most, found: Vec::new() };
        let own = self.commanded_by(self.side_to_move);
        for from in own {
            captures.search_from(from);
        }
        let mut found = captures.found;
        if found.is_empty() {
            self.quiet_moves(own, &mut found);
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found
    }

    fn quiet_moves(&self, own: SquareSet, found: &mut Vec<(Move, Position)>) {
        for from in own {
            for direction in directions(self.column(from), self.side_to_move) {
                if let Some(to) = from.step(direction).filter(|&to| self.column(to).is_empty()) {
                    let mut after = self.with_side_to_move(!self.side_to_move);
                    let mut column = self.column(from);
                    if to.rank() == last_rank(self.side_to_move) {
                        column.set_commander_kind(CounterKind::Officer);
                    }
                    after.columns[from.index()] = Column::EMPTY;
                    after.columns[to.index()] = column;
                    found.push((Move::from_squares_unchecked(vec![from, to]), after));
                }
            }
        }
    }

    /// All legal moves, as in [`Position::successors`].
    pub fn moves(&self, rules: RuleSet) -> Vec<Move> {
        self.successors(rules).into_iter().map(|(played, _)| played).collect()
    }

    /// The position after a legal move.
    ///
    /// # Errors
    /// If the move is not legal here under these rules.
    ///
    /// ```
    /// use lasca_tablebase::rules::{Position, RuleSet};
    /// let position: Position = "c3W e5B w".parse().unwrap();
    /// let legal = position.moves(RuleSet::Lasca);
    /// let after = position.play(&legal[0], RuleSet::Lasca).unwrap();
    /// assert_eq!(after.to_string(), "b2W e5B b");
    /// assert!(after.play(&legal[0], RuleSet::Lasca).is_err());
    /// ```
    pub fn play(&self, played: &Move, rules: RuleSet) -> Result<Position, IllegalMove> {
        self.successors(rules)
            .into_iter()
            .find(|(legal, _)| legal == played)
            .map(|(_, after)| after)
            .ok_or_else(|| IllegalMove { attempted: played.clone(), position: Box::new(*self) })
    }
}

/// The rank on which a soldier of this colour is promoted.
pub(super) const fn last_rank(color: Color) -> i32 {
    match color {
        Color::White => 6,
        Color::Black => 0,
    }
}

/// The directions in which a column moves and captures: all four if an officer commands it, and the two
/// forward ones if a soldier does.
pub(super) fn directions(column: Column, color: Color) -> impl Iterator<Item = Direction> {
    let forward = match color {
        Color::White => 1,
        Color::Black => -1,
    };
    let officer = column.commander().is_some_and(|counter| counter.kind == CounterKind::Officer);
    Direction::ALL.into_iter().filter(move |direction| officer || direction.dy() == forward)
}

/// A depth-first search for the captures of one column, which is lifted off `board` during the search.
struct CaptureSearch {
    board: Position,
    rules: RuleSet,
    path: Vec<Square>,
    /// The search ends when it has found more than these.
    most: usize,
    found: Vec<(Move, Position)>,
}

impl CaptureSearch {
    fn search_from(&mut self, from: Square) {
        let column = std::mem::take(&mut self.board.columns[from.index()]);
        self.path.push(from);
        self.go_on(from, column, SquareSet::EMPTY);
        self.path.pop();
        self.board.columns[from.index()] = column;
    }

    /// Tries each jump of `column` from `at`, and follows each chain of jumps to its end.
    fn go_on(&mut self, at: Square, column: Column, jumped: SquareSet) {
        if self.found.len() > self.most {
            return;
        }
        let (jumps_made, mover) = (self.path.len() / 2, self.board.side_to_move);
        let may_jump = match self.rules.continuation() {
            Continuation::SingleJump => jumps_made == 0,
            Continuation::EachSquareOnce | Continuation::Unlimited => true,
        };
        let just_promoted = jumps_made > 0
            && at.rank() == last_rank(mover)
            && column.commander().is_some_and(|counter| counter.kind == CounterKind::Soldier);
        let mut went_on = false;
        if may_jump && !just_promoted {
            for direction in directions(column, mover) {
                let Some(over) = at.step(direction) else { continue };
                let Some(to) = over.step(direction) else { continue };
                let once = self.rules.continuation() == Continuation::EachSquareOnce;
                if self.board.column(over).owner() != Some(!mover)
                    || !self.board.column(to).is_empty()
                    || (once && jumped.contains(over))
                {
                    continue;
                }
                went_on = true;
                let Some(captured) = self.board.columns[over.index()].pop_top() else { continue };
                let mut taller = column;
                taller.push_bottom(captured);
                self.path.extend([over, to]);
                self.go_on(to, taller, jumped.with(over));
                self.path.truncate(self.path.len() - 2);
                self.board.columns[over.index()].push_top(captured);
            }
        }
        if !went_on && jumps_made > 0 {
            let mut after = self.board.with_side_to_move(!mover);
            let mut landed = column;
            if just_promoted {
                landed.set_commander_kind(CounterKind::Officer);
            }
            after.columns[at.index()] = landed;
            self.found.push((Move::from_squares_unchecked(self.path.clone()), after));
        }
    }
}
