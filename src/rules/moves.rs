//! Moves of the whole game: generating and playing them.

use super::mobility::{Mobility, NEIGHBOURS, Ways, square_of};
use super::{Color, Column, Direction, ParseSquaresError, Position};
use super::{RuleSet, Square, SquareSet};
use std::fmt;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::str::FromStr;

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
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(NonZero<u64>);

// From the highest bit down: five bits for the index of the first square; two bits for the direction of the step or of
// each jump, with 0 behind the last one; and in the lowest bits a one, and the number of jumps, 0 for a quiet move. So the
// order of the numbers is that of the squares, and an `Option` of a move takes no more room.
const FIRST_SQUARE: u32 = 59;
const FIRST_DIRECTION: u32 = 57;
const ONE: NonZero<u64> = NonZero::new(1 << 5).expect("it is a one");
const JUMPS: u64 = (1 << 5) - 1;

/// What a step adds to the index of a square, for each direction. They rise, as the order of moves depends on it.
const STEPS: [isize; 4] = [-4, -3, 3, 4];

const _: () = assert!(size_of::<Option<Move>>() == size_of::<u64>());
const _: () = assert!(FIRST_DIRECTION as usize >= Move::MAX_SQUARES + 6);

impl Move {
    /// The most squares of a move. Each jump captures one counter of the other side, and of the most
    /// counters that a position can hold, the side to move has one.
    pub const MAX_SQUARES: usize = 1 + 2 * (Position::MAX_COUNTERS - 1);

    /// The move along these squares. `None` unless each step goes one square diagonally and each jump
    /// goes straight on, and there are at most [`Move::MAX_SQUARES`]. No position is looked at, so the move
    /// need not be legal anywhere.
    pub fn from_squares(squares: &[Square]) -> Option<Move> {
        let is_step = |from: Square, to: Square| {
            Direction::ALL.into_iter().find(|&direction| from.step(direction) == Some(to))
        };
        let (&from, rest) = squares.split_first()?;
        if let &[to] = rest {
            return is_step(from, to).map(|_| Move::starting(from).step(to));
        }
        let (jumps, []) = rest.as_chunks() else { return None };
        if jumps.is_empty() || squares.len() > Self::MAX_SQUARES {
            return None;
        }
        let (mut played, mut at) = (Move::starting(from), from);
        for &[over, landing] in jumps {
            let direction = is_step(at, over)?;
            if over.step(direction) != Some(landing) {
                return None;
            }
            (played, at) = (played.jump(at, over), landing);
        }
        Some(played)
    }

    /// All squares of the move, in order.
    pub fn squares(&self) -> impl ExactSizeIterator<Item = Square> + Clone + use<> {
        let (played, mut at) = (*self, self.from());
        let steps = if self.is_capture() { 2 * self.jumps() } else { 1 };
        (0..steps + 1).map(move |i| {
            if i > 0 {
                at = at.offset(played.direction((i - 1) / 2));
            }
            at
        })
    }

    /// What the step, or the jump with this number, adds to the index of a square, once for each of its squares.
    #[inline]
    fn direction(self, jump: usize) -> isize {
        STEPS[(self.0.get() >> (FIRST_DIRECTION as usize - 2 * jump) & 0b11) as usize]
    }

    /// Where the moving column starts.
    #[inline]
    pub fn from(&self) -> Square {
        Square::FIRST.offset((self.0.get() >> FIRST_SQUARE) as isize)
    }

    /// Where the moving column ends.
    #[inline]
    pub fn to(&self) -> Square {
        match self.jumps() {
            0 => self.from().offset(self.direction(0)),
            jumps => (0..jumps).fold(self.from(), |at, jump| at.offset(2 * self.direction(jump))),
        }
    }

    /// Whether the move is a capture.
    #[inline]
    pub fn is_capture(&self) -> bool {
        self.jumps() > 0
    }

    /// How many columns are jumped.
    #[inline]
    fn jumps(&self) -> usize {
        (self.0.get() & JUMPS) as usize
    }

    /// The squares that are jumped, in order. A quiet move jumps none.
    pub fn jumped(&self) -> impl Iterator<Item = Square> + Clone + use<> {
        self.squares().skip(1).step_by(2).take(self.jumps())
    }

    /// The squares where the column lands, in order. The last is where the move ends.
    pub fn landings(&self) -> impl Iterator<Item = Square> + Clone + use<> {
        let stride = if self.is_capture() { 2 } else { 1 };
        self.squares().skip(stride).step_by(stride)
    }

    /// The beginning of a move from this square. A step or a jump is to follow.
    #[inline]
    pub(super) fn starting(from: Square) -> Move {
        Move(ONE | (from.index() as u64) << FIRST_SQUARE)
    }

    /// The quiet move to a neighbour of the square where this starts.
    #[inline]
    pub(super) fn step(self, to: Square) -> Move {
        Move(self.0 | direction(self.from(), to) << FIRST_DIRECTION)
    }

    /// The capture that goes on from `at`, where this ends, and jumps a neighbour.
    #[inline]
    pub(super) fn jump(self, at: Square, over: Square) -> Move {
        let place = FIRST_DIRECTION as usize - 2 * self.jumps();
        Move((self.0 | direction(at, over) << place).saturating_add(1))
    }
}

/// The place in [`STEPS`] of the direction to a neighbour.
#[inline]
fn direction(from: Square, to: Square) -> u64 {
    match to.index() as isize - from.index() as isize {
        -4 => 0,
        -3 => 1,
        3 => 2,
        _ => 3,
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.from())?;
        self.squares().skip(1).try_for_each(|square| write!(f, "-{square}"))
    }
}

impl FromStr for Move {
    type Err = ParseSquaresError;

    /// Reads what a move prints as: all its squares, with `-` between them. The columns of
    /// [`move_text`](crate::notation::move_text) may stand behind the squares, and nothing is made of them. The move need
    /// not be legal anywhere. [`parse_move`](crate::notation::parse_move) reads other forms too, as moves of a position.
    ///
    /// ```
    /// use lasca_tablebase::rules::Move;
    /// assert_eq!("a1-b2-c3".parse::<Move>().unwrap().jumped().count(), 1);
    /// assert_eq!("a1-b2B-c3WB".parse::<Move>(), "a1-b2-c3".parse());
    /// assert!("a1-c3".parse::<Move>().is_err());
    /// assert!("a1-b2W".parse::<Move>().is_err(), "only a capture leaves columns");
    /// ```
    fn from_str(text: &str) -> Result<Move, ParseSquaresError> {
        let last = text.matches('-').count();
        let square = |(place, part): (usize, &str)| {
            let (name, column) = part.split_at_checked(2)?;
            // A capture leaves columns where it jumps and where it ends.
            let may_stand = last > 1 && (place % 2 == 1 || place == last);
            let is_column = column.is_empty() || may_stand && column.parse::<Column>().is_ok();
            Square::from_name(name).filter(|_| is_column)
        };
        // More squares make no move.
        let parts = text.split('-').take(Move::MAX_SQUARES + 1).enumerate();
        let squares: Option<Vec<Square>> = parts.map(square).collect();
        squares.and_then(|squares| Move::from_squares(&squares)).ok_or(ParseSquaresError::Move)
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
#[non_exhaustive]
pub struct IllegalMove {
    /// The move.
    pub attempted: Move,
    /// The position.
    pub position: Box<Position>,
}

impl Position {
    /// Calls `visit` with each legal move and the position that it leads to, until `visit` breaks off; then
    /// returns what it broke off with. It makes the moves one after another on one board, so it allocates
    /// nothing, however many there are. The columns come in the order of their squares, and each column moves up the board first.
    /// There are no moves when the [game is over](Position::is_over).
    ///
    /// ```
    /// use lasca_tablebase::rules::{Position, RuleSet};
    /// use std::ops::ControlFlow;
    /// let position: Position = "c3W e3W d6B w".parse().unwrap();
    /// // The first move of the column on e3.
    /// let found = position.try_for_each_move(RuleSet::Lasca, |played, after| {
    ///     match played.from().to_string().as_str() {
    ///         "e3" => ControlFlow::Break((*played, *after)),
    ///         _ => ControlFlow::Continue(()),
    ///     }
    /// });
    /// let (played, after) = found.break_value().unwrap();
    /// assert_eq!((played.to_string(), after.to_string()), ("e3-d4".into(), "c3W d4W d6B b".into()));
    /// ```
    pub fn try_for_each_move<B>(
        &self,
        rules: RuleSet,
        visit: impl FnMut(&Move, &Position) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Some(Ways { mobility, mobile, capturing, .. }) = self.ways() else {
            return ControlFlow::Continue(());
        };
        let (movers, captures) = match mobility {
            Mobility::None => return ControlFlow::Continue(()),
            Mobility::Quiet(_) => (mobile, false),
            Mobility::Captures(_) => (capturing, true),
        };
        let mut generator = Generator { board: Board::new(self), visit };
        for from in SquareSet::from_bits(movers) {
            let column = generator.board.position.lift(from);
            let played = Move::starting(from);
            match captures {
                false => generator.step(played, from, column)?,
                true => generator.jump(played, from, column, SquareSet::EMPTY, rules)?,
            }
            generator.board.position.put(from, column);
        }
        ControlFlow::Continue(())
    }

    /// Whether the game is over: the side to move is blocked, or one side commands no column. No moves are
    /// made to find this out, and it is the same under all rules.
    ///
    /// ```
    /// use lasca_tablebase::rules::Position;
    /// let over = |text: &str| text.parse().map(|position: Position| position.is_over());
    /// assert_eq!((over("a1W g7B w"), over("a1W w")), (Ok(false), Ok(true)));
    /// assert_eq!(over("g7w a1B w"), Ok(true)); // The soldier is on its last row.
    /// ```
    pub fn is_over(&self) -> bool {
        self.ways().is_none_or(|ways| ways.mobility == Mobility::None)
    }

    /// Whether the side to move must capture, because it can. Then all its moves are captures.
    ///
    /// ```
    /// use lasca_tablebase::rules::Position;
    /// let must_capture = |text: &str| text.parse().map(|position: Position| position.must_capture());
    /// assert_eq!((must_capture("a1W b2B w"), must_capture("a1W g7B w")), (Ok(true), Ok(false)));
    /// ```
    pub fn must_capture(&self) -> bool {
        self.ways().is_some_and(|ways| matches!(ways.mobility, Mobility::Captures(_)))
    }

    /// The position after a move that is known to be legal, such as one of [`Position::moves`]. This is quicker than
    /// [`Position::play`].
    ///
    /// ```
    /// use lasca_tablebase::rules::{Position, RuleSet};
    /// for played in &Position::start().moves(RuleSet::Lasca)? {
    ///     let after = Position::start().play_unchecked(played);
    ///     assert_eq!(Position::start().play(played, RuleSet::Lasca), Ok(after));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// Builds with debug assertions may panic if the move is not legal. In others, the result means nothing then.
    #[must_use]
    pub fn play_unchecked(&self, played: &Move) -> Position {
        let (mut board, mut at) = (Board::new(self), played.from());
        let mut column = board.position.lift(at);
        if !played.is_capture() {
            at = at.offset(played.direction(0));
        }
        for jump in 0..played.jumps() {
            let direction = played.direction(jump);
            let over = at.offset(direction);
            (column, at) = (board.jump(over, column), over.offset(direction));
        }
        board.land(at, column);
        board.position
    }

    /// The position after a legal move. No other moves are looked at.
    ///
    /// # Errors
    /// If the move is not legal here under these rules.
    ///
    /// ```
    /// use lasca_tablebase::rules::{Position, RuleSet};
    /// let position: Position = "c3W e5B w".parse()?;
    /// let legal = position.moves(RuleSet::Lasca)?;
    /// let after = position.play(&legal[0], RuleSet::Lasca)?;
    /// assert_eq!(after.to_string(), "b2W e5B b");
    /// assert!(after.play(&legal[0], RuleSet::Lasca).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn play(&self, played: &Move, rules: RuleSet) -> Result<Position, IllegalMove> {
        self.after(played, rules)
            .ok_or_else(|| IllegalMove { attempted: *played, position: Box::new(*self) })
    }

    fn after(&self, played: &Move, rules: RuleSet) -> Option<Position> {
        let (mobility, mut at) = (self.ways()?.mobility, played.from());
        if !self.commanded_by(self.side_to_move()).contains(at) {
            return None;
        }
        let mut board = Board::new(self);
        let mut column = board.position.lift(at);
        match mobility {
            Mobility::Quiet(_) if !played.is_capture() => {
                at = board.steps(at, column).find(|&to| to == played.to())?;
            }
            Mobility::Captures(_) if played.is_capture() => {
                let mut jumped = SquareSet::EMPTY;
                for (over, landing) in played.jumped().zip(played.landings()) {
                    let mut jumps = board.jumps(at, column, jumped, rules);
                    jumps.find(|&jump| jump == (over, landing))?;
                    (column, at) = (board.jump(over, column), landing);
                    jumped.insert(over);
                }
                if board.jumps(at, column, jumped, rules).next().is_some() {
                    return None;
                }
            }
            _ => return None,
        }
        board.land(at, column);
        Some(board.position)
    }

    /// How many legal moves there are. Most are counted without being made.
    pub(super) fn count_moves(&self, rules: RuleSet) -> u64 {
        let Some(Ways { mobility, capturing, .. }) = self.ways() else { return 0 };
        match mobility {
            Mobility::None => 0,
            Mobility::Quiet(count) => count.into(),
            Mobility::Captures(count) if !rules.goes_on() => count.into(),
            Mobility::Captures(_) if rules.jumps_again() => {
                let mut count = 0;
                let _: ControlFlow<()> = self.try_for_each_move(rules, |_, _| {
                    count += 1;
                    ControlFlow::Continue(())
                });
                count
            }
            Mobility::Captures(_) => {
                let mut board = Board::new(self);
                let count = |from| {
                    let column = board.position.lift(from);
                    let count = board.count_chains(from, column, SquareSet::EMPTY);
                    board.position.put(from, column);
                    count
                };
                SquareSet::from_bits(capturing).into_iter().map(count).sum()
            }
        }
    }
}

/// The squares on which the soldiers of this colour are promoted.
const fn last_row(color: Color) -> SquareSet {
    SquareSet::from_bits(match color {
        Color::White => 0b1111 << 21,
        Color::Black => 0b1111,
    })
}

/// A board on which a move is made: the other side is to move already.
struct Board {
    position: Position,
    mover: Color,
}

impl Board {
    fn new(before: &Position) -> Board {
        let mover = before.side_to_move();
        Board { position: before.with_side_to_move(!mover), mover }
    }

    /// Puts down the column that has moved, and promotes it on its last row.
    fn land(&mut self, square: Square, column: Column) {
        let is_last = last_row(self.mover).contains(square);
        self.position.put(square, if is_last { column.promoted() } else { column });
    }

    /// The directions in which a column of the mover moves and captures: forward, or all if an officer
    /// commands it. For each, the neighbour of the square and the square behind it.
    fn neighbours(&self, at: Square, column: Column) -> &'static [(u32, u32)] {
        let all = &NEIGHBOURS[at.index()];
        match (column.is_under_officer(), self.mover) {
            (true, _) => all,
            (false, Color::White) => &all[..2],
            (false, Color::Black) => &all[2..],
        }
    }

    /// The squares to which a column, lifted off the board, can step.
    fn steps(&self, at: Square, column: Column) -> impl Iterator<Item = Square> + use<> {
        let empty = !self.position.occupied().bits();
        let neighbours = self.neighbours(at, column).iter();
        neighbours.filter(move |(to, _)| to & empty != 0).map(|&(to, _)| square_of(to))
    }

    /// The squares over which a column, lifted off the board, can jump and go on jumping, each with the
    /// square where it lands.
    fn jumps(
        &self,
        at: Square,
        column: Column,
        jumped: SquareSet,
        rules: RuleSet,
    ) -> impl Iterator<Item = (Square, Square)> + use<> {
        let others = self.position.commanded_by(!self.mover);
        let promotes = !column.is_under_officer() && last_row(self.mover).contains(at);
        let ends = promotes && !jumped.is_empty();
        let targets = if ends { 0 } else { rules.may_jump(others, jumped).bits() };
        let empty = !self.position.occupied().bits();
        let neighbours = self.neighbours(at, column).iter();
        neighbours
            .filter(move |(over, to)| over & targets != 0 && to & empty != 0)
            .map(|&(over, to)| (square_of(over), square_of(to)))
    }

    /// Takes the commander off a column that is jumped. Returns the jumping column with it.
    fn jump(&mut self, over: Square, column: Column) -> Column {
        let (captor, rest) = column.jumping(self.position.lift(over));
        self.position.put(over, rest);
        captor
    }

    /// How many ways there are to go on jumping, if no square may be jumped twice. What is left of the
    /// jumped columns does not matter: no jump lands there, as its rank differs by an odd number.
    fn count_chains(&self, at: Square, column: Column, jumped: SquareSet) -> u64 {
        let mut jumps = self.jumps(at, column, jumped, RuleSet::Lasca).peekable();
        if jumps.peek().is_none() {
            return 1;
        }
        jumps.map(|(over, to)| self.count_chains(to, column, jumped.with(over))).sum()
    }
}

/// Makes moves one after another on one board, and shows each to `visit`.
struct Generator<V> {
    board: Board,
    visit: V,
}

impl<B, V: FnMut(&Move, &Position) -> ControlFlow<B>> Generator<V> {
    /// Shows the quiet moves of a column that is lifted off the board, where `played` starts.
    fn step(&mut self, played: Move, from: Square, column: Column) -> ControlFlow<B> {
        let mut steps = self.board.steps(from, column);
        steps.try_for_each(|to| self.show(played.step(to), to, column))
    }

    /// Follows each jump of a column, lifted off the board, to the ends of its chains. It is as deep as
    /// there are jumps in a chain. `played` has led to `at`.
    fn jump(
        &mut self,
        played: Move,
        at: Square,
        column: Column,
        jumped: SquareSet,
        rules: RuleSet,
    ) -> ControlFlow<B> {
        let mut jumps = self.board.jumps(at, column, jumped, rules).peekable();
        if jumps.peek().is_none() {
            return self.show(played, at, column);
        }
        jumps.try_for_each(|(over, to)| {
            let whole = self.board.position.column(over);
            let captor = self.board.jump(over, column);
            self.jump(played.jump(at, over), to, captor, jumped.with(over), rules)?;
            self.board.position.lift(over);
            self.board.position.put(over, whole);
            ControlFlow::Continue(())
        })
    }

    /// Shows a move that is made but for putting down its column.
    fn show(&mut self, played: Move, to: Square, column: Column) -> ControlFlow<B> {
        self.board.land(to, column);
        (self.visit)(&played, &self.board.position)?;
        self.board.position.lift(to);
        ControlFlow::Continue(())
    }
}
