//! Values as small numbers that are greater for values that the side to move prefers.

use crate::values::Distance;
use crate::{Value, Wdl};

/// A way to hold the value of each position in a few bits.
///
/// Of some moves, the best is then the one with the greatest [`Code::before_move`]. This holds even
/// if not all values are known: the greatest is [`Code::UNKNOWN`] then, unless the unknown values do
/// not matter.
pub trait Code: Send + Sync + 'static {
    /// The bits of a value: 2 or 8.
    const BITS: usize;
    /// Stands for a value that is not known yet.
    const UNKNOWN: u8;
    /// The value of a position that is lost at once: the least of all.
    const LOST: u8 = 0;

    /// For the code of a position, the code of a move that leads there.
    fn before_move(code: u8) -> u8;

    /// The code of a stored distance.
    fn of(distance: Distance) -> u8;

    /// Win, draw or loss; `None` if that is not known.
    fn wdl(code: u8) -> Option<Wdl>;
}

/// Win, draw or loss, in two bits.
#[derive(Debug)]
pub enum WdlCode {}

impl WdlCode {
    /// The code of a result.
    #[inline]
    pub fn of_wdl(wdl: Wdl) -> u8 {
        match wdl {
            Wdl::Loss => 0,
            Wdl::Draw => 1,
            Wdl::Win => 3,
        }
    }
}

impl Code for WdlCode {
    const BITS: usize = 2;
    const UNKNOWN: u8 = 2;

    #[inline]
    fn before_move(code: u8) -> u8 {
        // Two bits for each code, that of code 0 lowest: a win, a draw, unknown, a loss.
        0b00_10_01_11 >> (2 * code) & 0b11
    }

    #[inline]
    fn of(distance: Distance) -> u8 {
        WdlCode::of_wdl(distance.value().wdl())
    }

    #[inline]
    fn wdl(code: u8) -> Option<Wdl> {
        match code {
            0 => Some(Wdl::Loss),
            1 => Some(Wdl::Draw),
            3 => Some(Wdl::Win),
            _ => None,
        }
    }
}

/// A value with its distance, in eight bits. Losses in 252 plies or more have one code, and wins in
/// 253 plies or more have one.
///
/// | code | value |
/// | --- | --- |
/// | 0 to 125 | a loss in twice as many plies |
/// | 126 | a longer loss |
/// | 127 | a draw |
/// | 128 | a win in 253 plies or more |
/// | 129 to 254 | a win in 2 × (254 − code) + 1 plies |
/// | 255 | not known yet |
#[derive(Debug)]
pub enum DtwCode {}

const LONG_LOSS: u8 = 126;
const DRAW: u8 = 127;
const LONG_WIN: u8 = 128;
const WIN_IN_1: u8 = 254;

impl DtwCode {
    /// The value; `None` if it is not known, or if its distance is too long for the code.
    #[inline]
    pub fn value(code: u8) -> Option<Value> {
        match code {
            ..LONG_LOSS => Some(Value::Loss(2 * u16::from(code))),
            DRAW => Some(Value::Draw),
            LONG_LOSS | LONG_WIN | DtwCode::UNKNOWN => None,
            _ => Some(Value::Win(2 * u16::from(WIN_IN_1 - code) + 1)),
        }
    }
}

impl Code for DtwCode {
    const BITS: usize = 8;
    const UNKNOWN: u8 = 255;

    #[inline]
    fn before_move(code: u8) -> u8 {
        static BEFORE: [u8; 256] = {
            let mut before = [DtwCode::UNKNOWN; 256];
            let mut code = 0;
            while code < DtwCode::UNKNOWN as usize {
                before[code] = if code <= DRAW as usize {
                    WIN_IN_1 - code as u8
                } else if code == LONG_WIN as usize {
                    LONG_LOSS
                } else {
                    WIN_IN_1 + 1 - code as u8
                };
                code += 1;
            }
            before
        };
        BEFORE[usize::from(code)]
    }

    #[inline]
    fn of(distance: Distance) -> u8 {
        match distance.value() {
            Value::Loss(plies) => (plies / 2).min(LONG_LOSS.into()) as u8,
            Value::Draw => DRAW,
            Value::Win(plies) => WIN_IN_1 - (plies / 2).min(LONG_LOSS.into()) as u8,
        }
    }

    #[inline]
    fn wdl(code: u8) -> Option<Wdl> {
        match code {
            ..=LONG_LOSS => Some(Wdl::Loss),
            DRAW => Some(Wdl::Draw),
            DtwCode::UNKNOWN => None,
            _ => Some(Wdl::Win),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = Distance> {
        (0..300).map(Some).chain([None]).filter_map(Distance::new)
    }

    #[test]
    fn greater_codes_are_those_of_better_values() {
        for a in all() {
            for b in all() {
                let (codes, values) = ([a, b].map(DtwCode::of), [a, b].map(Distance::value));
                assert!(values[0] < values[1] || codes[0] >= codes[1], "{values:?}");
                let codes = [a, b].map(WdlCode::of);
                assert!(values[0] < values[1] || codes[0] >= codes[1], "{values:?}");
            }
        }
    }

    #[test]
    fn codes_tell_their_values_and_what_a_move_there_is_worth() {
        for distance in all() {
            let value = distance.value();
            let (dtw, wdl) = (DtwCode::of(distance), WdlCode::of(distance));
            assert_eq!(
                (DtwCode::wdl(dtw), WdlCode::wdl(wdl)),
                (Some(value.wdl()), Some(value.wdl()))
            );
            let fits = value.dtw() < Some(252);
            assert_eq!(DtwCode::value(dtw), fits.then_some(value));
            let before = Distance::new(value.before_move().dtw()).unwrap();
            assert_eq!(DtwCode::before_move(dtw), DtwCode::of(before));
            assert_eq!(WdlCode::before_move(wdl), WdlCode::of(before));
        }
        assert_eq!(DtwCode::before_move(DtwCode::UNKNOWN), DtwCode::UNKNOWN);
        assert_eq!(WdlCode::before_move(WdlCode::UNKNOWN), WdlCode::UNKNOWN);
        assert_eq!((DtwCode::wdl(255), WdlCode::wdl(2), DtwCode::value(255)), (None, None, None));
    }
}
