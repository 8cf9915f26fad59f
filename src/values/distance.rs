//! The distance of one position, in two bytes.

use crate::Value;

/// The distance to the win of one position: a code of two bytes, which is 0 for a draw, and otherwise the
/// DTW plus 1.
///
/// This is the only place that adds and subtracts that 1. As a draw needs a code too, the longest
/// distance is [`Distance::MAX_DTW`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Distance(u16);

impl Distance {
    /// A draw, which has no distance.
    pub const DRAW: Distance = Distance(0);
    /// The longest distance in plies.
    pub const MAX_DTW: u16 = u16::MAX - 1;

    /// This many plies to the win, or `None` for a draw. The result is `None` if there are more than
    /// [`Distance::MAX_DTW`] plies.
    #[inline]
    pub const fn new(dtw: Option<u16>) -> Option<Distance> {
        match dtw {
            None => Some(Distance::DRAW),
            Some(u16::MAX) => None,
            Some(dtw) => Some(Distance(dtw + 1)),
        }
    }

    /// The plies to the win; `None` for a draw.
    #[inline]
    pub const fn dtw(self) -> Option<u16> {
        self.0.checked_sub(1)
    }

    /// The value for the side to move.
    #[inline]
    pub const fn value(self) -> Value {
        Value::from_dtw(self.dtw())
    }

    /// Win, draw or loss, as the [number](crate::Wdl::from_code) that stands for it.
    #[inline]
    pub(crate) const fn wdl_code(self) -> u8 {
        self.value().wdl() as u8
    }

    /// The distance with this code. Every code is one of a distance.
    #[inline]
    pub(crate) const fn from_code(code: u16) -> Distance {
        Distance(code)
    }

    /// The code of two bytes.
    #[inline]
    pub(crate) const fn code(self) -> u16 {
        self.0
    }
}
