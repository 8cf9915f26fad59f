//! A small net that tells how hard the questions about a position look.
//!
//! Its weights were learned from what searches found out later (`tools/learn`). It has 1,696 inputs
//! of which a position has some twenty, 32 hidden units, and an output for each question. It counts
//! in whole numbers, so that every machine searches the same positions.
//!
//! ```text
//! for each input, and one that every position has: 32 weights of a byte, to the hidden units
//! for each output: 32 weights from the hidden units, and those of the worth, of the logarithm of
//!     the number of moves, and of one; each has two bytes, the lower one first
//! ```

use super::board::{ALL, COLORS};
use super::moves::{Child, Mobility};
use super::numbers::{Attacker, UNIT};

/// How many hidden units there are.
pub(super) const HIDDEN: usize = 32;
/// How many inputs there are, with the one that every position has.
pub(super) const INPUTS: usize = OWN_COLUMNS + 2 * GROUP + 1;
/// The first inputs are those of a column: its square, its commander, and two runs of one colour.
const OWN_MOVES: usize = 25 * 4 * 4 * 4;
const OTHER_MOVES: usize = OWN_MOVES + 2 * GROUP;
const OWN_COLUMNS: usize = OTHER_MOVES + 2 * GROUP;
/// So many inputs tell a number, of which one is on.
const GROUP: usize = 16;
/// The weights of an output.
const OUTPUT: usize = HIDDEN + 3;
/// The most inputs that are on: of 22 columns and four groups, and the one that every position has.
const MOST: usize = 22 + 4 + 1;
const LENGTH: usize = INPUTS * HIDDEN + 2 * 2 * OUTPUT;

/// The bits of an output that stand for parts of a whole number.
pub(super) const FRACTION: u32 = 16;
/// The same of logarithms of moves.
pub(super) const LOG_FRACTION: u32 = 8;
/// The least and the greatest output.
pub(super) const BOUNDS: (i32, i32) = (-7, 8);
/// The number for an output of zero.
pub(super) const EVEN: u32 = 16 * UNIT;

/// The weights, as they stand in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Net<'a>(&'a [u8; LENGTH]);

impl Net<'static> {
    /// The net that was learned under the rules `lasca`. It guides well under the other rules too.
    pub(super) const LEARNED: Net<'static> = Net(include_bytes!("net.bin"));
}

impl<'a> Net<'a> {
    /// The net with these weights, if they are as many as a net has.
    #[cfg(feature = "learn")]
    pub(super) fn from_bytes(bytes: &'a [u8]) -> Option<Net<'a>> {
        bytes.try_into().ok().map(Net)
    }

    /// The outputs for a position: how hard it is to prove that the side to move wins, and that the
    /// other side does. Both are the binary logarithm of a number, less that of [`EVEN`].
    pub(super) fn outputs(self, child: &Child, mobility: Mobility) -> [i32; 2] {
        // They are listed first, so that the sums can stay in the processor's registers.
        let (mut on, mut count) = ([INPUTS - 1; MOST], 1);
        let worth = inputs(child, mobility, |input| {
            if let Some(place) = on.get_mut(count) {
                *place = input;
                count += 1;
            }
        });
        let rows = self.0.as_chunks::<HIDDEN>().0;
        let mut sums = [0i16; HIDDEN];
        for &input in on.iter().take(count) {
            for (sum, &weight) in sums.iter_mut().zip(&rows[input]) {
                *sum += i16::from(weight as i8);
            }
        }
        let hidden = sums.map(|sum| sum.max(0));
        let dense = [worth, log2(mobility.count()), 1 << LOG_FRACTION];
        Attacker::BOTH.map(|attacker| {
            let weights = self.output(attacker);
            let (from_hidden, from_dense) = weights.split_at(HIDDEN);
            let mut sum = 0;
            for (&value, &weight) in hidden.iter().zip(from_hidden) {
                sum += i32::from(value) * i32::from(i16::from_le_bytes(weight));
            }
            for (&value, &weight) in dense.iter().zip(from_dense) {
                sum += value * i32::from(i16::from_le_bytes(weight));
            }
            sum
        })
    }

    /// The weights of an output, each of two bytes.
    fn output(self, attacker: Attacker) -> &'a [[u8; 2]] {
        let outputs = self.0[INPUTS * HIDDEN..].as_chunks::<2>().0;
        &outputs[OUTPUT * attacker as usize..][..OUTPUT]
    }

    /// The number of which an output is the logarithm.
    pub(super) const fn number(output: i32) -> u32 {
        // Between two powers of two a parabola is near enough.
        let one = 1 << FRACTION;
        let whole = output >> FRACTION;
        if whole < BOUNDS.0 {
            return 1;
        }
        if whole >= BOUNDS.1 {
            return EVEN << BOUNDS.1;
        }
        let part = (output & (one - 1)) as u32;
        let bend = (part * (one as u32 - part)) >> FRACTION;
        let power = one as u32 + part - bend * 11 / 32;
        (power * EVEN) >> (FRACTION as i32 - whole)
    }
}

impl Mobility {
    /// How many moves, or first jumps.
    pub(super) const fn count(self) -> u32 {
        match self {
            Mobility::None => 0,
            Mobility::Captures(count) | Mobility::Quiet(count) => count,
        }
    }

    /// The input of its group that is on.
    fn input(self) -> usize {
        let kind = matches!(self, Mobility::Captures(_)) as usize;
        kind * GROUP + (self.count() as usize).min(GROUP - 1)
    }
}

/// The binary logarithm of a number of moves, from 1 on, with straight lines between powers of two.
pub(super) const fn log2(moves: u32) -> i32 {
    let whole = moves.ilog2();
    ((whole << LOG_FRACTION) + ((moves << LOG_FRACTION >> whole) - (1 << LOG_FRACTION))) as i32
}

/// Names the inputs of a position that are on. Returns what the columns of the side to move are
/// worth more than those of the other side: what counts is how many there are, how many captures
/// each survives, and officers; then how far soldiers are.
pub(super) fn inputs(child: &Child, mobility: Mobility, mut take: impl FnMut(usize)) -> i32 {
    let key = child.key;
    let (mut counters, mut lasts, mut rest) = (key.counters, key.lasts(), key.places & ALL);
    let mut worth = 0;
    while rest != 0 {
        let square = rest.trailing_zeros();
        rest &= rest - 1;
        let height = lasts.trailing_zeros() + 1;
        let is_own = counters & 1 == 0;
        let others = if is_own { counters } else { !counters };
        let top = ((others & COLORS).trailing_zeros() / 2).min(height);
        let below = ((!others >> (2 * top) & COLORS).trailing_zeros() / 2).min(height - top);
        let commander = counters & 3;
        let column = (square * 4 + commander as u32) * 16 + (top.min(4) - 1) * 4 + below.min(3);
        take(column as usize);
        let row = 2 * square as i32 / 7;
        let forward = if is_own { row } else { 6 - row };
        let rank = if commander & 2 != 0 { 40 } else { 5 * forward };
        let value = 40 + 40 * top as i32 + rank;
        worth += if is_own { value } else { -value };
        counters >>= 2 * height;
        lasts >>= height;
    }
    let squares = child.squares;
    let columns = |set: u32| (set.count_ones() as usize).min(GROUP - 1);
    take(OWN_MOVES + mobility.input());
    take(OTHER_MOVES + squares.turned().mobility().input());
    take(OWN_COLUMNS + columns(squares.own));
    take(OWN_COLUMNS + GROUP + columns(squares.other));
    worth
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Position;
    use crate::search::board::{Board, Key};
    use crate::testing::Numbers;

    fn child(position: &Position) -> Child {
        let board = Board::unpack(Key::of(position));
        Child { key: board.key(), squares: board.squares }
    }

    #[test]
    fn worth_is_the_opposite_from_the_other_side() {
        let worth = |text: String| {
            let child = child(&text.parse().unwrap());
            inputs(&child, child.squares.mobility(), |_| {})
        };
        for text in ["a1Ww c3bW d4BBw e5w", "b2w f6b", "a1WWWW g7bbw"] {
            assert_eq!(worth(format!("{text} w")), -worth(format!("{text} b")), "{text}");
        }
        assert!(worth("a1WW g7B w".into()) > 0);
    }

    #[test]
    fn a_number_is_the_power_of_two_that_an_output_says() {
        for output in (BOUNDS.0 << FRACTION..BOUNDS.1 << FRACTION).step_by(999) {
            let power = f64::from(EVEN) * (f64::from(output) / f64::from(1 << FRACTION)).exp2();
            let number = f64::from(Net::number(output));
            assert!((number - power).abs() <= 1.0 + power / 200.0, "{output}: {number}, {power}");
        }
        assert_eq!(Net::number(i32::MIN), 1);
        assert_eq!(Net::number(i32::MAX), EVEN << 8);
    }

    #[test]
    fn no_position_is_too_much_for_the_sums() {
        for attacker in Attacker::BOTH {
            let weights = Net::LEARNED.output(attacker).iter();
            let weights = weights.map(|&weight| i64::from(i16::from_le_bytes(weight)).abs());
            let (hidden, dense): (Vec<_>, Vec<_>) = weights.enumerate().partition(|w| w.0 < HIDDEN);
            let sum = |weights: Vec<(usize, i64)>| weights.iter().map(|w| w.1).sum::<i64>();
            let most = sum(hidden) * 128 * MOST as i64 + sum(dense) * 4000;
            assert!(most < i64::from(i32::MAX), "{most}");
        }
    }

    #[test]
    fn all_inputs_of_random_positions_are_those_of_the_net() {
        let mut random = Numbers(6);
        for _ in 0..5000 {
            let counters = 2 + random.below(Position::MAX_COUNTERS - 1);
            let child = child(&random.position(counters, 14));
            let mut columns = 0;
            inputs(&child, child.squares.mobility(), |input| {
                assert!(input < INPUTS - 1);
                columns += usize::from(input < OWN_MOVES);
            });
            assert_eq!(columns, child.squares.occupied().count_ones() as usize);
        }
    }
}
