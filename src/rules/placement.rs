//! Who commands which squares, when every counter is an officer.

use super::mobility::{NEIGHBOURS, square_of, steps};
use super::{RuleSet, Square, SquareSet};

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

/// The jumps from `from` over a square of `others` to one of `empty`: the square that is jumped, and where the jump
/// lands.
pub(crate) fn jumps(
    from: Square,
    others: SquareSet,
    empty: SquareSet,
) -> impl Iterator<Item = (Square, Square)> {
    let (others, empty) = (others.bits(), empty.bits());
    let jumps = NEIGHBOURS[from.index()].iter();
    let jumps = jumps.filter(move |(over, to)| over & others != 0 && to & empty != 0);
    jumps.map(|&(over, to)| (square_of(over), square_of(to)))
}

impl Placement {
    /// The placement on these squares in which the mover commands the columns of the owner mask `mask`.
    /// Bit 0 of the mask is the column on the lowest square.
    #[doc(hidden)]
    pub fn with_owners(occupied: SquareSet, mask: u32) -> Placement {
        let owned = |(column, square)| (mask >> column & 1 != 0).then_some(square);
        let mover: SquareSet = occupied.into_iter().enumerate().filter_map(owned).collect();
        Placement { mover, other: occupied - mover }
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
        let [starts, _] = SquareSet::jump_starts(self.other, [self.empty(), SquareSet::EMPTY]);
        starts.bits() & self.mover.bits() != 0
    }

    /// The quiet moves of the side to move. They are legal only if it has no capture.
    pub fn steps(self) -> impl Iterator<Item = Step> {
        let empty = self.empty();
        self.mover.into_iter().flat_map(move |from| {
            let [a, b, c, d] = NEIGHBOURS[from.index()].map(|(to, _)| to);
            let to = SquareSet::from_bits(a | b | c | d) & empty;
            to.into_iter().map(move |to| Step { from, to })
        })
    }

    /// How many [`Placement::steps`] there are.
    pub(crate) fn step_count(self) -> usize {
        let mover = self.mover.bits();
        steps(mover, mover, self.empty().bits()) as usize
    }
}

/// Un-captures: calls `visit` for each capture of the side that is not to move that may have led here, with
/// all jumped squares still occupied and some owners of the occupied squares. Two captures that pass their
/// squares in another order count separately, even if their [`Chain`] is the same. The second argument is a
/// set of squares: if the side to move commands any of them, the chain had to go on. Chains of more than
/// `longest` jumps are left out.
///
/// A jumped column that the other side commands now has changed its owner. The counters below the
/// commanders decide whether a chain was possible: the column that captured must hold at least as
/// many prisoners as it jumped columns, and a column that changed its owner must hold none.
///
/// # Panics
/// If [squares may be jumped again](RuleSet::jumps_again).
pub fn possible_chains_back(
    occupied: SquareSet,
    rules: RuleSet,
    longest: usize,
    mut visit: impl FnMut(Chain, SquareSet),
) {
    // Backwards, a chain is one from where it ends to where it starts.
    possible_chains(occupied, rules, longest, |Chain { from: to, to: from, jumped }, _| {
        let open = jumps(to, rules.may_jump(occupied, jumped), !occupied);
        visit(Chain { from, to, jumped }, open.map(|(over, _)| over).collect());
    });
}

/// The single jumps that some owners of the occupied squares allow: the square that each starts from, and the
/// square that is jumped.
pub(crate) fn possible_jumps(occupied: SquareSet) -> impl Iterator<Item = (Square, Square)> {
    jump_starts(occupied).into_iter().flat_map(move |from| {
        let jumps = jumps(from, occupied, !occupied);
        jumps.map(move |(over, _)| (from, over))
    })
}

/// The occupied squares from which some owners allow a jump.
#[inline]
pub(crate) fn jump_starts(occupied: SquareSet) -> SquareSet {
    let [starts, _] = SquareSet::jump_starts(occupied, [!occupied, SquareSet::EMPTY]);
    starts & occupied
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
/// If [squares may be jumped again](RuleSet::jumps_again).
pub fn possible_chains(
    occupied: SquareSet,
    rules: RuleSet,
    longest: usize,
    mut visit: impl FnMut(Chain, SquareSet),
) {
    assert!(!rules.jumps_again(), "chains depend on the stacks");
    for from in jump_starts(occupied) {
        let occupied = occupied.without(from).bits();
        let is_single = !rules.goes_on();
        let longest = if is_single { longest.min(1) } else { longest };
        PossibleChains { from, occupied, longest, is_single }.go_on(from, 0, &mut visit);
    }
}

/// A search for the chains that start on `from` and that some owners allow.
struct PossibleChains {
    from: Square,
    /// Without the column that captures.
    occupied: u32,
    longest: usize,
    /// Whether no chain has to go on after a jump.
    is_single: bool,
}

impl PossibleChains {
    fn go_on(&self, at: Square, jumped: u32, visit: &mut impl FnMut(Chain, SquareSet)) {
        let (over_any, empty) = (self.occupied & !jumped, !self.occupied);
        let is_possible = |&(over, to): &(u32, u32)| over & over_any != 0 && to & empty != 0;
        // Of the four neighbours, those that can be jumped.
        let jumps =
            NEIGHBOURS[at.index()].map(|jump| if is_possible(&jump) { jump } else { (0, 0) });
        if jumped != 0 {
            let next = jumps.iter().fold(0, |all, jump| all | jump.0);
            let spared = SquareSet::from_bits(if self.is_single { 0 } else { next });
            visit(Chain { from: self.from, to: at, jumped: SquareSet::from_bits(jumped) }, spared);
        }
        if jumped.count_ones() as usize == self.longest {
            return;
        }
        for (over, to) in jumps.into_iter().filter(|jump| jump.0 != 0) {
            self.go_on(square_of(to), jumped | over, visit);
        }
    }
}
