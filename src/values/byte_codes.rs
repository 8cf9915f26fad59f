//! What the one byte means that a slice keeps for each position.

use super::Distance;

/// How the bytes of a slice are to be read: a byte below the late code is a DTW, the late code says
/// that the DTW is listed apart, and any greater byte is a draw. One of the greater bytes may say that
/// the value is not known yet.
#[derive(Clone, Copy, Debug)]
pub struct ByteCodes {
    late: u8,
    unknown: Option<u8>,
}

/// What one byte means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    Dtw(u8),
    /// A DTW that is listed apart.
    Late,
    Draw,
    Unknown,
}

impl ByteCodes {
    /// The codes of slices that do not come from the solver.
    pub(crate) const PLAIN: ByteCodes = ByteCodes { late: 253, unknown: Some(ByteCodes::UNKNOWN) };
    /// The byte for values that are not known yet, in [`ByteCodes::PLAIN`].
    pub(crate) const UNKNOWN: u8 = 255;

    /// The codes of a finished slice in which this byte is the late code.
    pub(super) fn with_late(late: u8) -> ByteCodes {
        debug_assert!(late < u8::MAX, "a draw needs a greater byte");
        ByteCodes { late, unknown: None }
    }

    pub(crate) fn meaning(self, byte: u8) -> Meaning {
        if byte < self.late {
            Meaning::Dtw(byte)
        } else if byte == self.late {
            Meaning::Late
        } else if Some(byte) == self.unknown {
            Meaning::Unknown
        } else {
            Meaning::Draw
        }
    }

    /// The distance that a byte stands for, or `None` if it is listed apart. The value must be
    /// known.
    #[inline]
    pub(crate) fn distance(self, byte: u8) -> Option<Distance> {
        if byte < self.late {
            Distance::new(Some(byte.into()))
        } else {
            (byte > self.late).then_some(Distance::DRAW)
        }
    }

    /// The byte for a distance; it is [`ByteCodes::late`] if the distance must be listed apart.
    #[doc(hidden)]
    #[inline]
    pub fn byte(self, distance: Distance) -> u8 {
        match distance.dtw() {
            None => self.draw(),
            Some(dtw) if dtw < u16::from(self.late) => dtw as u8,
            Some(_) => self.late,
        }
    }

    #[inline]
    pub(crate) const fn late(self) -> u8 {
        self.late
    }

    /// The least byte that stands for a draw.
    #[inline]
    pub(crate) const fn draw(self) -> u8 {
        self.late + 1
    }
}
