//! Proof numbers: how far a question about a position is from its answer.
//!
//! The question is "does the attacker win?", and each position has two of them: with the side to
//! move as the attacker, and with the other side. In both the side to move has a goal, to win or not
//! to lose. `phi` says how hard it still is to show that it reaches its goal, `delta` how hard that
//! it does not. So one formula serves both questions and both sides: the goal is reached if a move
//! leads to where the other side does not reach its own.

use lasca_tablebase::Wdl;

/// The two numbers of one question about one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) phi: u16,
    pub(super) delta: u16,
}

/// What each open move but one adds: so the numbers have fractions of it.
pub(super) const UNIT: u32 = 8;
/// A number of something that is impossible.
const INFINITE: u16 = u16::MAX;
/// The greatest number of what is open.
pub(super) const GREATEST: u16 = 60_000;

/// A move is followed until it looks worse than the second best by one part in so many: turning to
/// the other at once would cost more steps than it saves.
const PATIENCE: u32 = 16;

impl Numbers {
    /// The side to move reaches its goal.
    pub(super) const REACHED: Numbers = Numbers { phi: 0, delta: INFINITE };
    /// The side to move does not reach its goal.
    pub(super) const FAILED: Numbers = Numbers { phi: INFINITE, delta: 0 };

    /// The limits of a question as a whole. It ends when a win looks impossible. How hard a refutation
    /// looks is no reason to end: circles can make that as hard as one likes.
    pub(super) const fn widest(attacker: Attacker) -> Numbers {
        match attacker {
            Attacker::Mover => Numbers { phi: GREATEST, delta: INFINITE },
            Attacker::Other => Numbers { phi: INFINITE, delta: GREATEST },
        }
    }

    /// Numbers of an open question: both at least 1 and at most [`GREATEST`].
    pub(super) fn open(phi: u32, delta: u32) -> Numbers {
        let bounded = |number: u32| number.clamp(1, GREATEST.into()) as u16;
        Numbers { phi: bounded(phi), delta: bounded(delta) }
    }

    pub(super) const fn is_failed(self) -> bool {
        self.delta == 0
    }

    pub(super) const fn is_final(self) -> bool {
        self.phi == 0 || self.delta == 0
    }

    /// The numbers of a question whose attacker wins.
    pub(super) const fn won(attacker: Attacker) -> Numbers {
        match attacker {
            Attacker::Mover => Numbers::REACHED,
            Attacker::Other => Numbers::FAILED,
        }
    }

    /// The numbers of a question whose attacker does not win.
    pub(super) const fn lost(attacker: Attacker) -> Numbers {
        Numbers::won(attacker.next())
    }

    /// The numbers of both questions about a position that is worth this to the side to move.
    pub(super) const fn proved(wdl: Wdl) -> [Numbers; 2] {
        match wdl {
            Wdl::Win => [Numbers::REACHED; 2],
            Wdl::Draw => [Numbers::FAILED, Numbers::REACHED],
            Wdl::Loss => [Numbers::FAILED; 2],
        }
    }

    /// How hard it looks to prove that the attacker wins, and that he does not.
    pub(super) const fn of_win(self, attacker: Attacker) -> (u16, u16) {
        match attacker {
            Attacker::Mover => (self.phi, self.delta),
            Attacker::Other => (self.delta, self.phi),
        }
    }

    pub(super) const fn to_bits(self) -> u32 {
        self.phi as u32 | (self.delta as u32) << 16
    }

    pub(super) const fn from_bits(bits: u32) -> Numbers {
        Numbers { phi: bits as u16, delta: (bits >> 16) as u16 }
    }
}

/// Who attacks, as seen from the side to move. It indexes the two questions of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attacker {
    /// The side to move: its goal is to win.
    Mover,
    /// The other side: the goal of the side to move is not to lose.
    Other,
}

impl Attacker {
    pub(super) const BOTH: [Attacker; 2] = [Attacker::Mover, Attacker::Other];

    /// The same attacker one ply later.
    pub(super) const fn next(self) -> Attacker {
        match self {
            Attacker::Mover => Attacker::Other,
            Attacker::Other => Attacker::Mover,
        }
    }
}

/// The numbers of a position, worked out from those of the positions that its moves lead to.
///
/// `phi` is the least `delta` of a move: one move is enough. `delta` is the greatest `phi` and a
/// unit more for each other open move: all of them have to fail. A sum would count what two moves have
/// in common twice, and without end where play can return.
///
/// A move back to a position of the present line has no numbers of its own, because progress needs a way
/// out of the circle somewhere else. For the attacker it counts as about twice as hard as the position that
/// it returns to, and it is never followed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Summary {
    attacker: Attacker,
    reached: bool,
    open: u32,
    greatest: u32,
    best: Option<(usize, Numbers)>,
    least: u32,
    second: u32,
    circle: Option<u32>,
}

impl Summary {
    pub(super) const fn new(attacker: Attacker) -> Summary {
        Summary {
            attacker,
            reached: false,
            open: 0,
            greatest: 0,
            best: None,
            least: u32::MAX,
            second: u32::MAX,
            circle: None,
        }
    }

    /// Adds the move with this place in the list, which leads to a position with these numbers, on
    /// the present line or not. `burden` makes the choice of the move less likely.
    #[inline]
    pub(super) fn add(&mut self, place: usize, child: Numbers, on_line: bool, burden: u32) {
        if child.is_failed() {
            self.reached = true;
        }
        if child.is_final() {
            return;
        }
        self.open += 1;
        if on_line {
            let doubled = match self.attacker {
                Attacker::Mover => 2 * u32::from(child.delta) + 1,
                Attacker::Other => {
                    let doubled = 2 * u32::from(child.phi) + 1;
                    self.greatest = self.greatest.max(doubled);
                    doubled
                }
            };
            self.circle = Some(self.circle.map_or(doubled, |least| least.min(doubled)));
            return;
        }
        self.greatest = self.greatest.max(child.phi.into());
        let delta = u32::from(child.delta) + burden;
        if delta < self.least {
            self.second = self.least;
            self.least = delta;
            self.best = Some((place, child));
        } else {
            self.second = self.second.min(delta);
        }
    }

    /// The numbers of the position.
    pub(super) fn numbers(&self) -> Numbers {
        if self.reached {
            return Numbers::REACHED;
        }
        if self.open == 0 {
            return Numbers::FAILED;
        }
        let phi = match (self.attacker, self.best, self.circle) {
            (Attacker::Other, _, Some(_)) => UNIT,
            (_, Some((_, best)), _) => best.delta.into(),
            (_, None, circle) => circle.unwrap_or(UNIT),
        };
        Numbers::open(phi, self.greatest + UNIT * (self.open - 1))
    }

    /// The move to follow, by its place in the list, and the limits of the numbers of the position
    /// that it leads to, if the position itself has these limits.
    pub(super) fn choice(&self, limits: Numbers) -> Option<(usize, Numbers)> {
        let (place, best) = self.best?;
        let best = u32::from(best.phi);
        // What the other moves add to `delta`. It is taken off the limit, so the search turns back sooner.
        let others = self.greatest + UNIT * (self.open - 1) - best;
        let second = self.second.saturating_add(self.second / PATIENCE).saturating_add(UNIT);
        let bounded = |number: u32| u16::try_from(number).unwrap_or(INFINITE);
        let phi = match limits.delta {
            INFINITE => INFINITE,
            delta => bounded(u32::from(delta).saturating_sub(others).max(best + UNIT)),
        };
        Some((place, Numbers { phi, delta: bounded(second.min(limits.phi.into())) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(attacker: Attacker, moves: &[(Numbers, bool)]) -> Summary {
        let mut summary = Summary::new(attacker);
        for (place, &(numbers, on_line)) in moves.iter().enumerate() {
            summary.add(place, numbers, on_line, 0);
        }
        summary
    }

    #[test]
    fn a_circle_is_neither_followed_nor_final() {
        for attacker in Attacker::BOTH {
            let circle = summary(attacker, &[(Numbers::open(4, 6), true)]);
            assert!(!circle.numbers().is_final());
            assert!(circle.choice(Numbers::open(1000, 1000)).is_none());
        }
        let attacked = [(Numbers::open(4, 6), true), (Numbers::open(1, 1), false)];
        assert_eq!(summary(Attacker::Other, &attacked).numbers(), Numbers::open(UNIT, 9 + UNIT));
    }

    #[test]
    fn the_limits_of_a_move_are_beyond_its_numbers() {
        let moves = [(Numbers::open(3, 5), false), (Numbers::open(6, 4), false)];
        let summary = summary(Attacker::Mover, &moves);
        let (place, limits) = summary.choice(Numbers::open(100, 100)).unwrap();
        assert_eq!(place, 1);
        assert!(limits.phi > 6 && limits.delta > 5, "{limits:?}");
    }

    #[test]
    fn however_hard_a_refutation_looks_it_is_no_reason_to_end() {
        let limits = Numbers::widest(Attacker::Mover);
        let moves = [(Numbers::open(GREATEST.into(), 5), false), (Numbers::open(9, 7), false)];
        let attack = summary(Attacker::Mover, &moves);
        assert!(attack.numbers().delta < limits.delta);
        let (place, limits) = attack.choice(limits).unwrap();
        assert_eq!((place, limits.phi), (0, INFINITE));
        // The defender's moves are refuted as long as one of them can be.
        let moves = [(Numbers::open(7, GREATEST.into()), false); 2];
        let defence = summary(Attacker::Other, &moves);
        assert!(defence.numbers().phi < limits.phi);
        let (_, limits) = defence.choice(limits).unwrap();
        assert!(limits.delta > GREATEST);
    }
}
