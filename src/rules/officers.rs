//! Positions in which every counter is an officer, stored as counts.

use super::placement::jumps;
use super::{Color, Column, Move, Placement, Position, RuleSet, Square, SquareSet};
use std::convert::Infallible;
use std::ops::ControlFlow;

/// A position with officers only, in which each column is counters of its owner on top of prisoners.
///
/// Play never leaves these positions, because a jump removes a counter from the top of one column and
/// adds it to the bottom of another. Tables hold exactly these positions.
///
/// The position is seen by the side to move, the *mover*, and does not say which colour that is. For
/// each square it holds how many counters of the mover and how many of the other side stand there, and
/// [`OfficerPosition::placement`] says who commands it.
///
/// ```
/// use lasca_tablebase::rules::{OfficerPosition, Position};
/// let position: Position = "a1WWB c3B b".parse().unwrap();
/// let officers = OfficerPosition::try_from(&position).unwrap();
/// assert_eq!(officers.mover_counters().iter().sum::<u8>(), 2);
/// assert_eq!(officers.to_position(position.side_to_move()), Some(position));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OfficerPosition {
    placement: Placement,
    mover: [u8; Square::COUNT],
    other: [u8; Square::COUNT],
}

/// Why a [`Position`] is not an [`OfficerPosition`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotOfficers {
    /// A soldier is in the column on this square.
    #[error("expected officers only, found a soldier on {0}")]
    Soldier(Square),
    /// The column on this square mixes the colours in a way that no game with officers only reaches.
    #[error(
        "expected columns with the owner's counters on top of the other side's, found {0}{1}, which no \
         play with officers only reaches"
    )]
    Unreachable(Square, Column),
}

impl TryFrom<&Position> for OfficerPosition {
    type Error = NotOfficers;

    fn try_from(position: &Position) -> Result<OfficerPosition, NotOfficers> {
        let mut officers = OfficerPosition {
            placement: position.placement(),
            mover: [0; Square::COUNT],
            other: [0; Square::COUNT],
        };
        for (square, column) in position.columns() {
            if column.has_soldier() {
                return Err(NotOfficers::Soldier(square));
            }
            let (own, prisoners) =
                column.own_and_prisoners().ok_or(NotOfficers::Unreachable(square, column))?;
            let is_mover = officers.placement.mover.contains(square);
            let (mover, other) = if is_mover { (own, prisoners) } else { (prisoners, own) };
            officers.mover[square.index()] = mover as u8;
            officers.other[square.index()] = other as u8;
        }
        Ok(officers)
    }
}

impl OfficerPosition {
    /// The position with these counts of the mover's and the other side's counters. `None` unless each
    /// commanded square holds a counter of the side that commands it, no square is commanded by both
    /// sides, no other square holds a counter, and there are at most [`Position::MAX_COUNTERS`].
    ///
    /// ```
    /// use lasca_tablebase::rules::{OfficerPosition, Placement, Square, SquareSet};
    /// let a1 = Square::from_name("a1").unwrap();
    /// let placement = Placement { mover: SquareSet::EMPTY.with(a1), other: SquareSet::EMPTY };
    /// let of_one_column = |own, prisoners| {
    ///     let (mut mover, mut other) = ([0; Square::COUNT], [0; Square::COUNT]);
    ///     (mover[0], other[0]) = (own, prisoners);
    ///     OfficerPosition::new(placement, mover, other)
    /// };
    /// assert!(of_one_column(2, 20).is_some());
    /// assert!(of_one_column(2, 21).is_none() && of_one_column(255, 255).is_none());
    /// ```
    pub fn new(
        placement: Placement,
        mover: [u8; Square::COUNT],
        other: [u8; Square::COUNT],
    ) -> Option<OfficerPosition> {
        let sound = Square::all().all(|square| {
            let i = square.index();
            match (placement.mover.contains(square), placement.other.contains(square)) {
                (true, true) => false,
                (true, false) => mover[i] > 0,
                (false, true) => other[i] > 0,
                (false, false) => mover[i] == 0 && other[i] == 0,
            }
        });
        let fits = sum(&mover) + sum(&other) <= Position::MAX_COUNTERS;
        (sound && fits).then_some(OfficerPosition { placement, mover, other })
    }

    /// The position with these counts, for which [`OfficerPosition::new`] must not return `None`.
    #[inline]
    pub(crate) fn from_sound_parts(
        placement: Placement,
        mover: [u8; Square::COUNT],
        other: [u8; Square::COUNT],
    ) -> OfficerPosition {
        let position = OfficerPosition { placement, mover, other };
        debug_assert_eq!(OfficerPosition::new(placement, mover, other), Some(position));
        position
    }

    /// Who commands which squares.
    pub fn placement(&self) -> Placement {
        self.placement
    }

    /// How many counters of the side to move stand on each square.
    pub fn mover_counters(&self) -> &[u8; Square::COUNT] {
        &self.mover
    }

    /// How many counters of the side not to move stand on each square.
    pub fn other_counters(&self) -> &[u8; Square::COUNT] {
        &self.other
    }

    /// How many counters the side to move has, and how many the other side has.
    ///
    /// ```
    /// use lasca_tablebase::rules::{OfficerPosition, Position};
    /// let position: Position = "a1WWB c3B b".parse().unwrap();
    /// assert_eq!(OfficerPosition::try_from(&position).unwrap().mover_and_other(), (2, 2));
    /// ```
    #[inline]
    pub fn mover_and_other(&self) -> (usize, usize) {
        (sum(&self.mover), sum(&self.other))
    }

    /// The position as columns, with `side_to_move` to move. `None` if there are no counters.
    pub fn to_position(&self, side_to_move: Color) -> Option<Position> {
        let mut columns = [Column::EMPTY; Square::COUNT];
        for square in self.placement.occupied() {
            let i = square.index();
            let (mover, other) = (usize::from(self.mover[i]), usize::from(self.other[i]));
            columns[i] = if self.placement.mover.contains(square) {
                Column::officers(side_to_move, mover, other)?
            } else {
                Column::officers(!side_to_move, other, mover)?
            };
        }
        Position::new(columns, side_to_move).ok()
    }

    /// As `to_position`, for a position of a material, which never has too many counters.
    #[doc(hidden)]
    pub fn in_colors(&self, side_to_move: Color) -> Position {
        match self.to_position(side_to_move) {
            Some(position) => position,
            None => unreachable!("a position has room for the counters of every material"),
        }
    }

    /// The same board with the other side to move.
    #[must_use]
    pub fn for_other_side(&self) -> OfficerPosition {
        OfficerPosition {
            placement: self.placement.for_other_side(),
            mover: self.other,
            other: self.mover,
        }
    }

    /// The position after a quiet move, seen by the other side, which is then to move.
    ///
    /// # Panics
    /// If the mover does not command `step.from` (debug builds).
    #[must_use]
    pub fn after_step(&self, step: super::Step) -> OfficerPosition {
        debug_assert!(self.placement.mover.contains(step.from));
        let mut after = *self;
        after.lift(step.from);
        after.put_down(step.to, self.mover[step.from.index()], self.other[step.from.index()]);
        after.for_other_side()
    }

    /// Calls `visit` with each legal move and the position that it leads to, seen by the other side, until
    /// `visit` breaks off; then returns what it broke off with. These are the moves of
    /// [`Position::try_for_each_move`], in another order. It allocates nothing.
    ///
    /// ```
    /// use lasca_tablebase::rules::{OfficerPosition, Position, RuleSet};
    /// use std::ops::ControlFlow;
    /// let position: Position = "a1WWB c3B f6B w".parse().unwrap();
    /// let officers = OfficerPosition::try_from(&position).unwrap();
    /// let mut moves = Vec::new();
    /// let _: ControlFlow<()> = officers.try_for_each_move(RuleSet::Lasca, |played, after| {
    ///     moves.push((*played, after.to_position(!position.side_to_move()).unwrap()));
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(moves, position.successors(RuleSet::Lasca).unwrap());
    /// assert_eq!(moves[0].1.to_string(), "b2WWB c3B f6B b");
    /// ```
    pub fn try_for_each_move<B>(
        &self,
        rules: RuleSet,
        mut visit: impl FnMut(&Move, &OfficerPosition) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.placement.other.is_empty() {
            return ControlFlow::Continue(());
        }
        if self.placement.must_capture() {
            return self.try_for_each_capture(rules, visit);
        }
        self.placement.steps().try_for_each(|step| {
            visit(&Move::starting(step.from).step(step.to), &self.after_step(step))
        })
    }

    /// Calls `visit` with the position after each capture, seen by the other side, which is then to
    /// move. Captures that pass their squares in another order count separately.
    pub fn captures(&self, rules: RuleSet, mut visit: impl FnMut(&OfficerPosition)) {
        let _: ControlFlow<Infallible> = self.try_for_each_capture(rules, |_, after| {
            visit(after);
            ControlFlow::Continue(())
        });
    }

    fn try_for_each_capture<B>(
        &self,
        rules: RuleSet,
        mut visit: impl FnMut(&Move, &OfficerPosition) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        for from in self.placement.mover {
            let mut board = *self;
            board.lift(from);
            let carried = (self.mover[from.index()], self.other[from.index()]);
            let played = Move::starting(from);
            board.go_on(rules, from, carried, SquareSet::EMPTY, played, &mut visit)?;
        }
        ControlFlow::Continue(())
    }

    /// Tries each jump from `at`, where the column is lifted off the board, and follows each chain to its
    /// end. The column holds the mover's and the other side's counters that `carried` says. `played`
    /// has led to `at`.
    fn go_on<B>(
        &self,
        rules: RuleSet,
        at: Square,
        carried: (u8, u8),
        jumped: SquareSet,
        played: Move,
        visit: &mut impl FnMut(&Move, &OfficerPosition) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut went_on = false;
        let targets = rules.may_jump(self.placement.other, jumped);
        for (over, to) in jumps(at, targets, self.placement.empty()) {
            went_on = true;
            let mut board = *self;
            board.lose_commander(over);
            let carried = (carried.0, carried.1 + 1);
            let played = played.jump(at, over);
            board.go_on(rules, to, carried, jumped.with(over), played, visit)?;
        }
        if !went_on && !jumped.is_empty() {
            let mut after = *self;
            after.put_down(at, carried.0, carried.1);
            visit(&played, &after.for_other_side())?;
        }
        ControlFlow::Continue(())
    }

    fn lift(&mut self, square: Square) {
        self.placement.mover = self.placement.mover.without(square);
        self.mover[square.index()] = 0;
        self.other[square.index()] = 0;
    }

    fn put_down(&mut self, square: Square, mover: u8, other: u8) {
        self.placement.mover = self.placement.mover.with(square);
        self.mover[square.index()] = mover;
        self.other[square.index()] = other;
    }

    /// Removes the top counter of the other side's column on `square`, which is jumped.
    fn lose_commander(&mut self, square: Square) {
        let i = square.index();
        self.other[i] -= 1;
        if self.other[i] == 0 {
            self.placement.other = self.placement.other.without(square);
            if self.mover[i] > 0 {
                self.placement.mover = self.placement.mover.with(square);
            }
        }
    }
}

/// The sum of all counts. It adds eight of them at a time.
#[inline]
fn sum(counts: &[u8; Square::COUNT]) -> usize {
    const ODD: u64 = 0x00FF_00FF_00FF_00FF;
    let (eights, rest) = counts.as_chunks::<8>();
    // Four sums of 16 bits each: at most six times 255.
    let sums = eights.iter().fold(0, |sums, &eight| {
        let eight = u64::from_le_bytes(eight);
        sums + (eight & ODD) + (eight >> 8 & ODD)
    });
    let all = sums.wrapping_mul(0x0001_0001_0001_0001) >> 48;
    all as usize + rest.iter().map(|&count| usize::from(count)).sum::<usize>()
}

/// Calls `visit` with each position from which a capture of the other side leads to
/// `after`. It is seen by that side. This is the exact inverse of [`OfficerPosition::captures`]: it visits a
/// position once for each capture that leads to `after`. With `keep_columns`, it visits only positions
/// with as many columns as `after`.
///
/// To undo a capture, the column goes back along its chain. At each jump its lowest prisoner returns
/// to the top of the column on the jumped square. This is possible if that square is empty now, if
/// the prisoner's side commands it, or if its column holds none of the prisoner's colour. And where
/// the chain ended, the rules must not have required another jump.
pub fn uncaptures(
    after: &OfficerPosition,
    rules: RuleSet,
    keep_columns: bool,
    mut visit: impl FnMut(&OfficerPosition),
) {
    // Seen by the side that captured.
    let capturer = after.for_other_side();
    for end in capturer.placement.mover {
        let carried = (capturer.mover[end.index()], capturer.other[end.index()]);
        if carried.1 == 0 {
            continue;
        }
        let open = jumps(end, capturer.placement.other, capturer.placement.empty());
        let open = open.map(|(over, _)| over).collect();
        if rules.jumps_again() && open != SquareSet::EMPTY {
            continue;
        }
        let mut board = capturer;
        board.lift(end);
        let search = Uncapture { rules, keep_columns, open };
        search.go_back(&board, end, carried, SquareSet::EMPTY, &mut visit);
    }
}

/// A search for the captures that end on one square. `open` are the squares that could still be jumped
/// from there.
struct Uncapture {
    rules: RuleSet,
    keep_columns: bool,
    open: SquareSet,
}

impl Uncapture {
    fn go_back(
        &self,
        board: &OfficerPosition,
        at: Square,
        carried: (u8, u8),
        jumped: SquareSet,
        visit: &mut impl FnMut(&OfficerPosition),
    ) {
        let empty = board.placement.empty();
        let targets = if self.keep_columns { !empty } else { SquareSet::FULL };
        for (over, from) in jumps(at, self.rules.may_jump(targets, jumped), empty) {
            let i = over.index();
            if board.placement.mover.contains(over) && board.other[i] > 0 {
                continue;
            }
            let mut before = *board;
            before.other[i] += 1;
            before.placement.mover = before.placement.mover.without(over);
            before.placement.other = before.placement.other.with(over);
            let carried = (carried.0, carried.1 - 1);
            let jumped = jumped.with(over);
            if self.rules.may_jump(self.open, jumped).is_empty() {
                let mut start = before;
                start.put_down(from, carried.0, carried.1);
                visit(&start);
            }
            if carried.1 > 0 {
                self.go_back(&before, from, carried, jumped, visit);
            }
        }
    }
}
