//! The ways in which the columns of an occupied set can move, whoever owns them.

use crate::rules::{Continuation, Placement, Square, SquareSet, jumps};

/// A quiet move or a whole capture, as far as the occupied squares decide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// Where the column starts, and where it ends.
    pub from: Square,
    pub to: Square,
    /// The squares that are jumped.
    pub jumped: SquareSet,
    /// How often each square is jumped, five bits for each that is, the lowest square lowest.
    times: u64,
    /// The squares that could be jumped next. The other side must not command any of them when the
    /// move ends, because the capture would go on.
    pub open: SquareSet,
}

impl Path {
    /// How often the `n`-th jumped square is jumped.
    #[inline]
    pub fn times(&self, n: usize) -> usize {
        (self.times >> (5 * n) & 31) as usize
    }
}

/// Calls `visit` with every quiet move.
pub fn steps(occupied: SquareSet, mut visit: impl FnMut(&Path)) {
    for step in (Placement { mover: occupied, other: SquareSet::EMPTY }).steps() {
        let (jumped, open) = (SquareSet::EMPTY, SquareSet::EMPTY);
        visit(&Path { from: step.from, to: step.to, jumped, times: 0, open });
    }
}

/// Finds captures.
#[derive(Debug)]
pub struct Captures {
    continuation: Continuation,
    /// The most jumps of a capture.
    longest: usize,
    /// The most jumps of a capture over squares that it has jumped before.
    most_again: usize,
    found: Vec<Path>,
}

impl Captures {
    /// Captures under a rule set, of at most `longest` jumps. Each jump over a square after the first
    /// one removes a counter that was under the commander, so at most `most_again` of them are made:
    /// as many as the other side has spare counters.
    pub fn new(continuation: Continuation, longest: usize, most_again: usize) -> Captures {
        Captures { continuation, longest: longest.min(31), most_again, found: Vec::new() }
    }

    /// All captures, those that lead to the same position once. The list may be given back to be used
    /// again.
    pub fn of(&mut self, occupied: SquareSet) -> Vec<Path> {
        for from in occupied {
            let others = occupied.without(from);
            self.go_on(others, from, from, &mut [0; Square::COUNT], (0, 0));
        }
        std::mem::take(&mut self.found)
    }

    /// Takes a list back that is no longer needed.
    pub fn give_back(&mut self, mut list: Vec<Path>) {
        list.clear();
        self.found = list;
    }

    /// Goes on from `at` after so many jumps, and so many of them over squares jumped before.
    fn go_on(
        &mut self,
        others: SquareSet,
        from: Square,
        at: Square,
        times: &mut [u8; Square::COUNT],
        (length, again): (usize, usize),
    ) {
        let mut open = SquareSet::EMPTY;
        for (over, to) in jumps(at) {
            if others.contains(over) && !others.contains(to) {
                let is_again = times[over.index()] > 0;
                if !(is_again && self.continuation == Continuation::EachSquareOnce) {
                    open.insert(over);
                }
            }
        }
        let single = self.continuation == Continuation::SingleJump;
        if length > 0 {
            let open = if single { SquareSet::EMPTY } else { open };
            let path = Path { from, to: at, jumped: SquareSet::EMPTY, times: 0, open };
            if !self.note(path, times) {
                return;
            }
        }
        if length == self.longest || (single && length > 0) {
            return;
        }
        for (over, to) in
            jumps(at).filter(|(over, to)| open.contains(*over) && !others.contains(*to))
        {
            let again = again + usize::from(times[over.index()] > 0);
            if again <= self.most_again {
                times[over.index()] += 1;
                self.go_on(others, from, to, times, (length + 1, again));
                times[over.index()] -= 1;
            }
        }
    }

    /// Adds a path with these jumps, and returns true, unless it was found before in another order. Then
    /// all that follow it were found as well.
    fn note(&mut self, mut path: Path, times: &[u8; Square::COUNT]) -> bool {
        for (square, &times) in Square::all().zip(times).filter(|(_, times)| **times > 0) {
            path.times |= u64::from(times) << (5 * path.jumped.len());
            path.jumped.insert(square);
        }
        let is_new = !self.found.contains(&path);
        if is_new {
            self.found.push(path);
        }
        is_new
    }
}
