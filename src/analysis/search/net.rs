//! A small net that tells how hard the questions about a position look.
//!
//! Its weights were learned from what searches found out later (`tools/learn`). It has 2,720 inputs
//! of which a position has some thirty-five, 64 hidden units, and an output for each question. It
//! counts in whole numbers, so that every machine searches the same positions.
//!
//! ```text
//! for each input, and one that every position has: 64 weights of a byte, to the hidden units
//! for each output: 64 weights from the hidden units, and those of the worth, of the logarithm of
//!     the number of moves, and of one; each has two bytes, the lower one first
//! ```

use super::key::{ALL, COLORS, Child};
use super::numbers::{Attacker, UNIT};
use lasca_tablebase::internals::{Mobility, Ways};

/// How many hidden units there are.
pub(super) const HIDDEN: usize = 64;
/// The first inputs are those of a column. All name its square and its commander; then two runs of
/// one colour, or whether it can move, can capture, and can be captured.
const KINDS: usize = 25 * 4;
pub(super) const CONTACTS: usize = KINDS * 4 * 4;
pub(super) const NUMBERS: usize = CONTACTS + KINDS * 8;
/// How many inputs there are, with the one that every position has.
pub(super) const INPUTS: usize = NUMBERS + GROUPS * GROUP + 1;
/// How many inputs tell a number, of which one is on.
const GROUP: usize = 16;
/// For each side two groups tell its mobility, and eight what else is counted.
const GROUPS: usize = 2 * (2 + 8);
/// The weights of an output.
const OUTPUT: usize = HIDDEN + 3;
/// The most inputs that are on: of 22 columns and of numbers, and the one that every position has.
const MOST: usize = 2 * 22 + 2 * (1 + 8) + 1;
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
pub(super) struct Net(&'static [u8; LENGTH]);

static WEIGHTS: Aligned = Aligned(*include_bytes!("net.bin"));

/// Weights of which each row is a line of the processor's cache.
#[repr(align(64))]
struct Aligned([u8; LENGTH]);

impl Net {
    /// The net that was learned under the rules `lasca`. It guides well under the other rules too.
    pub(super) const LEARNED: Net = Net(&WEIGHTS.0);

    /// The net with these weights, if they are as many as a net has.
    #[cfg(feature = "learn")]
    pub(super) fn from_bytes(bytes: &'static [u8]) -> Option<Net> {
        bytes.try_into().ok().map(Net)
    }

    /// The outputs for a position: how hard it is to prove that the side to move wins, and that the
    /// other side does. Both are the binary logarithm of a number, less that of [`EVEN`]. `own` are the
    /// ways of the side to move.
    pub(super) fn outputs(self, child: &Child, own: &Ways) -> [i32; 2] {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") {
            // SAFETY: the processor has just been asked for these instructions.
            return unsafe { self.outputs_with_avx2(child, own) };
        }
        self.outputs_with_any(child, own)
    }

    /// The same with instructions of newer processors, which saves some 5 % of a search.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi2")]
    fn outputs_with_avx2(self, child: &Child, own: &Ways) -> [i32; 2] {
        self.outputs_with_any(child, own)
    }

    #[inline(always)]
    fn outputs_with_any(self, child: &Child, own: &Ways) -> [i32; 2] {
        // They are listed first, so that the sums can stay in the processor's registers.
        let rows = self.0.as_chunks::<HIDDEN>().0;
        // A power of two is enough for them: then no place has to be checked.
        let (mut on, mut count) = ([0u16; MOST.next_power_of_two()], 0);
        let worth = inputs(child, own, |input| {
            on[count % on.len()] = input as u16;
            count += 1;
        });
        let mut sums = rows[INPUTS - 1].map(|weight| i16::from(weight as i8));
        // Each column has two inputs, and so has each number: one for either side.
        for &[one, other] in on[..count.min(on.len())].as_chunks::<2>().0 {
            let pair = rows[usize::from(one)].iter().zip(&rows[usize::from(other)]);
            for (sum, (&one, &other)) in sums.iter_mut().zip(pair) {
                *sum += i16::from(one as i8) + i16::from(other as i8);
            }
        }
        let dense = [worth, log2(own.mobility.count()), 1 << LOG_FRACTION];
        Attacker::BOTH.map(|attacker| {
            let weights = self.output(attacker);
            let (from_hidden, from_dense) = weights.split_at(HIDDEN);
            let mut sum = 0;
            for (&value, &weight) in sums.iter().zip(from_hidden) {
                sum += i32::from(value.max(0)) * i32::from(i16::from_le_bytes(weight));
            }
            for (&value, &weight) in dense.iter().zip(from_dense) {
                sum += value * i32::from(i16::from_le_bytes(weight));
            }
            sum
        })
    }

    /// The weights of an output, each of two bytes.
    fn output(self, attacker: Attacker) -> &'static [[u8; 2]] {
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

/// The input of the group of the moves that is on.
fn input(mobility: Mobility) -> usize {
    let kind = matches!(mobility, Mobility::Captures(_)) as usize;
    kind * GROUP + (mobility.count() as usize).min(GROUP - 1)
}

/// The binary logarithm of a number of moves, from 1 on, with straight lines between powers of two.
pub(super) const fn log2(moves: u32) -> i32 {
    let whole = moves.ilog2();
    ((whole << LOG_FRACTION) + ((moves << LOG_FRACTION >> whole) - (1 << LOG_FRACTION))) as i32
}

/// Names the inputs of a position that are on. Returns what the columns of the side to move are
/// worth more than those of the other side: what counts is how many there are, how many captures
/// each survives, and officers; then how far soldiers are. `own` are the ways of the side to move.
#[inline(always)]
pub(super) fn inputs(child: &Child, own: &Ways, mut take: impl FnMut(usize)) -> i32 {
    let Child { key, squares } = *child;
    let other = &squares.ways_of_other();
    let mobile = own.mobile | other.mobile;
    let capturing = own.capturing | other.capturing;
    let captured = own.captured | other.captured;
    let (mut counters, mut lasts, mut rest) = (key.counters, key.lasts(), key.places & ALL);
    // Four bytes: of each side the counters on top of its columns, and what is under them.
    let mut sums = 0u32;
    let mut worth = 0;
    while rest != 0 {
        let square = rest.trailing_zeros();
        rest &= rest - 1;
        let height = lasts.trailing_zeros() + 1;
        let side = counters & 1;
        let others = counters ^ side.wrapping_neg();
        let top = ((others & COLORS).trailing_zeros() / 2).min(height);
        let below = ((!others >> (2 * top) & COLORS).trailing_zeros() / 2).min(height - top);
        let kind = (square * 4 + (counters & 3) as u32) as usize;
        take(kind * 16 + (top.min(4) * 4 - 4 + below.min(3)) as usize);
        let is_in = |set: u32| (set >> square & 1) as usize;
        let ways = is_in(mobile) + 2 * is_in(capturing) + 4 * is_in(captured);
        take(CONTACTS + kind * 8 + ways);
        worth += COMMANDERS[kind];
        sums += (top | (height - top) << 8) << (16 * side);
        counters >>= 2 * height;
        lasts >>= height;
    }
    take(NUMBERS + input(own.mobility));
    take(NUMBERS + 2 * GROUP + input(other.mobility));
    let [own_top, own_under, other_top, other_under] = sums.to_le_bytes().map(u32::from);
    let numbers = |set: u32, ways: &Ways, top: u32, under: u32| {
        let sets = [set, set & ways.mobile, set & squares.officers, ways.capturing, ways.captured];
        let [all, mobile, officers, capturing, captured] = sets.map(u32::count_ones);
        [all, mobile, officers, capturing, captured, ways.safe, top, under]
    };
    let numbers = [
        numbers(squares.own, own, own_top, own_under),
        numbers(squares.other, other, other_top, other_under),
    ];
    worth += 40 * (own_top as i32 - other_top as i32);
    for (i, &number) in numbers.as_flattened().iter().enumerate() {
        take(NUMBERS + (4 + i) * GROUP + (number as usize).min(GROUP - 1));
    }
    worth
}

/// What commanders of each kind are worth to the side to move, on each square, and their columns.
const COMMANDERS: [i32; KINDS] = {
    let mut worth = [0; KINDS];
    let mut kind = 0;
    while kind < KINDS {
        let row = 2 * (kind as i32 / 4) / 7;
        worth[kind] = [40 + 5 * row, -70 + 5 * row, 80, -80][kind % 4];
        kind += 1;
    }
    worth
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::key::{Key, Squares};
    use lasca_common::numbers::Numbers;
    use lasca_tablebase::rules::{Position, RuleSet};

    fn child(position: &Position) -> Child {
        Child::from(&Key::of(position).position())
    }

    #[test]
    fn worth_is_the_opposite_from_the_other_side() {
        let worth = |text: String| {
            let child = child(&text.parse().unwrap());
            inputs(&child, &child.squares.ways(), |_| {})
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
    fn all_inputs_of_random_positions_are_those_of_the_net_and_of_the_key() {
        let on = |child: &Child| {
            let mut on = Vec::new();
            inputs(child, &child.squares.ways(), |input| on.push(input));
            on
        };
        let mut random = Numbers(6);
        for _ in 0..2000 {
            let counters = 2 + random.below(Position::MAX_COUNTERS - 1);
            for (_, after) in
                random.position(counters, 14, b"wbWB").successors(RuleSet::Lasca).unwrap()
            {
                let child = Child::from(&after);
                let (first, numbers): (Vec<_>, Vec<_>) =
                    on(&child).into_iter().partition(|&input| input < NUMBERS);
                let columns = child.squares.occupied().count_ones() as usize;
                assert_eq!((first.len(), numbers.len()), (2 * columns, GROUPS - 2));
                assert!(numbers.iter().all(|&input| input < INPUTS - 1));
                assert_eq!(child.squares, Squares::of(&child.key.position()));
            }
        }
    }
}
