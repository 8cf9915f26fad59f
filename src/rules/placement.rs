//! Who commands which squares, when every counter is an officer.

use super::mobility::{NEIGHBOURS, square_of, stepped};
use super::{Continuation, Direction, Square, SquareSet};

/// The squares that each side commands, seen by the side to move, when all counters are officers.
///
/// The placement alone decides whether the side to move must capture, and what its quiet moves are.
/// The counters below the commanders do not matter. Where a square may be jumped only once, the
/// placement also decides which chains of jumps there are: a chain never lands on a square that it has
/// emptied, because the ranks of jumped squares and landing squares differ in parity.
///
/// ```
/// use lasca_tablebase::rules::{Placement, Square, SquareSet};
/// let square = |name| Square::from_name(name).unwrap();
/// let placement = Placement {
///     mover: SquareSet::EMPTY.with(square("a1")),
///     other: SquareSet::EMPTY.with(square("b2")),
/// };
/// assert!(placement.must_capture());
/// assert!(!placement.for_other_side().must_capture());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The squares that the side to move commands.
    pub mover: SquareSet,
    /// The squares that the other side commands.
    pub other: SquareSet,
}

/// A quiet move of an officer column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Where it starts.
    pub from: Square,
    /// Where it ends. This square is empty before.
    pub to: Square,
}

/// A whole capture by an officer column, in which no square is jumped twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chain {
    /// Where it starts.
    pub from: Square,
    /// Where it ends; this may be where it started.
    pub to: Square,
    /// The squares that are jumped.
    pub jumped: SquareSet,
}

/// For each square, its neighbours.
const STEPS: [u32; Square::COUNT] = {
    let mut steps = [0; Square::COUNT];
    let mut i = 0;
    while i < Square::COUNT {
        let [a, b, c, d] = NEIGHBOURS[i];
        steps[i] = a.0 | b.0 | c.0 | d.0;
        i += 1;
    }
    steps
};

/// For each direction, in the order of [`super::Direction::ALL`], the squares of `from` whose
/// neighbour in that direction is in `to`.
#[inline]
pub const fn steps_between(from: SquareSet, to: SquareSet) -> [SquareSet; 4] {
    let mut steps = [SquareSet::EMPTY; 4];
    let mut i = 0;
    while i < 4 {
        // Directions are listed so that the opposite of the i-th is the (3 − i)-th.
        let before = stepped(to.bits(), Direction::ALL[3 - i]);
        steps[i] = SquareSet::from_bits(from.bits() & before);
        i += 1;
    }
    steps
}

/// The jumps that the board allows from `square`: the square that is jumped, and where the jump lands.
pub(crate) fn jumps(square: Square) -> impl Iterator<Item = (Square, Square)> {
    let jumps = NEIGHBOURS[square.index()].iter().filter(|jump| jump.1 != 0);
    jumps.map(|&(over, to)| (square_of(over), square_of(to)))
}

impl Placement {
    /// The placement on these squares in which the mover commands the columns of the owner mask `mask`.
    /// Bit 0 of the mask is the column on the lowest square.
    pub(crate) fn with_owners(occupied: SquareSet, mask: u32) -> Placement {
        let owned = |(column, square)| (mask >> column & 1 != 0).then_some(square);
        let mover: SquareSet = occupied.into_iter().enumerate().filter_map(owned).collect();
        Placement { mover, other: SquareSet::from_bits(occupied.bits() & !mover.bits()) }
    }

    /// The squares that hold a column.
    pub const fn occupied(self) -> SquareSet {
        SquareSet::from_bits(self.mover.bits() | self.other.bits())
    }

    /// The squares that are empty.
    pub const fn empty(self) -> SquareSet {
        SquareSet::from_bits(!self.occupied().bits())
    }

    /// The same board seen by the other side, as if it were to move.
    #[must_use]
    pub const fn for_other_side(self) -> Placement {
        Placement { mover: self.other, other: self.mover }
    }

    /// Whether the side to move has a capture, and so must capture.
    #[inline]
    pub const fn must_capture(self) -> bool {
        let between = SquareSet::between(self.mover, self.empty());
        between.bits() & self.other.bits() != 0
    }

    /// The quiet moves of the side to move. They are legal only if it has no capture.
    pub fn steps(self) -> impl Iterator<Item = Step> {
        let empty = self.empty().bits();
        self.mover.into_iter().flat_map(move |from| {
            SquareSet::from_bits(STEPS[from.index()] & empty)
                .into_iter()
                .map(move |to| Step { from, to })
        })
    }

    /// How many [`Placement::steps`] there are.
    pub(crate) fn step_count(self) -> usize {
        let empty = self.empty().bits();
        let steps = |from: Square| (STEPS[from.index()] & empty).count_ones() as usize;
        self.mover.into_iter().map(steps).sum()
    }
}

/// Calls `visit` for each capture by which the other side may have come to a placement without
/// emptying a square. Two captures that pass their squares in another order count separately, even if their
/// [`Chain`] is the same. Only chains of at most `longest` jumps that end on one of the squares `ends`
/// are visited.
///
/// A jumped column that the other side commands now has changed its owner. The counters below the
/// commanders decide whether a chain was possible: the column that captured must hold at least as
/// many prisoners as it jumped columns, and a column that changed its owner must hold none.
///
/// # Panics
/// If squares may be jumped again ([`Continuation::Unlimited`]).
pub fn chains_back(
    placement: Placement,
    continuation: Continuation,
    longest: usize,
    ends: SquareSet,
    mut visit: impl FnMut(Chain),
) {
    assert!(continuation != Continuation::Unlimited, "chains depend on the stacks");
    let empty = placement.empty().bits();
    for to in ends {
        let could_go_on =
            |&&(over, to): &&(u32, u32)| over & placement.mover.bits() != 0 && to & empty != 0;
        let open =
            NEIGHBOURS[to.index()].iter().filter(could_go_on).fold(0, |all, jump| all | jump.0);
        let must_jump = if continuation == Continuation::SingleJump { 0 } else { open };
        if must_jump.count_ones() as usize <= longest {
            // Backwards, a chain is one from where it ends to where it starts.
            let search = PossibleChains::new(placement.occupied(), to, continuation, longest);
            search.go_on(to, 0, &mut |Chain { to: from, jumped, .. }, _| {
                if must_jump & !jumped.bits() == 0 {
                    visit(Chain { from, to, jumped });
                }
            });
        }
    }
}

/// Calls `visit` for each single jump that some owners of the occupied squares allow: the square that
/// it starts from, and the square that is jumped.
pub(crate) fn possible_jumps(occupied: SquareSet, mut visit: impl FnMut(Square, Square)) {
    let empty = SquareSet::from_bits(!occupied.bits() & ((1 << Square::COUNT) - 1));
    let ahead = steps_between(occupied, empty);
    let behind = steps_between(occupied, occupied);
    for (i, back) in Direction::ALL.into_iter().enumerate() {
        // Directions are listed so that the opposite of the i-th is the (3 − i)-th.
        for over in SquareSet::from_bits(behind[i].bits() & ahead[3 - i].bits()) {
            if let Some(from) = over.step(back) {
                visit(from, over);
            }
        }
    }
}

/// Calls `visit` for each capture that some owners of the occupied squares allow. Two captures that pass
/// their squares in another order count separately, even if their [`Chain`] is the same.
/// The second argument is a set of squares: the chain ends where it does because the mover commands
/// all of them. Chains of more than `longest` jumps are left out.
///
/// So a chain is one of a placement exactly if the mover commands the square where it starts and those of
/// the second argument, and the other side commands the squares that are jumped.
///
/// # Panics
/// If squares may be jumped again ([`Continuation::Unlimited`]).
pub fn possible_chains(
    occupied: SquareSet,
    continuation: Continuation,
    longest: usize,
    mut visit: impl FnMut(Chain, SquareSet),
) {
    assert!(continuation != Continuation::Unlimited, "chains depend on the stacks");
    for from in occupied {
        let search = PossibleChains::new(occupied, from, continuation, longest);
        search.go_on(from, 0, &mut visit);
    }
}

/// A search for the chains that start on `from` and that some owners allow.
struct PossibleChains {
    from: Square,
    /// Without the column that captures.
    occupied: u32,
    longest: usize,
    single: bool,
}

impl PossibleChains {
    fn new(
        occupied: SquareSet,
        from: Square,
        continuation: Continuation,
        longest: usize,
    ) -> PossibleChains {
        let single = continuation == Continuation::SingleJump;
        PossibleChains { from, occupied: occupied.without(from).bits(), longest, single }
    }

    fn go_on(&self, at: Square, jumped: u32, visit: &mut impl FnMut(Chain, SquareSet)) {
        let next = |&&(over, to): &&(u32, u32)| {
            over & self.occupied & !jumped != 0 && to & !self.occupied != 0
        };
        if jumped != 0 {
            let spared = match self.single {
                true => 0,
                false => {
                    NEIGHBOURS[at.index()].iter().filter(next).fold(0, |all, jump| all | jump.0)
                }
            };
            let chain = Chain { from: self.from, to: at, jumped: SquareSet::from_bits(jumped) };
            visit(chain, SquareSet::from_bits(spared));
            if self.single {
                return;
            }
        }
        if jumped.count_ones() as usize == self.longest {
            return;
        }
        for &(over, to) in NEIGHBOURS[at.index()].iter().filter(next) {
            self.go_on(square_of(to), jumped | over, visit);
        }
    }
}
