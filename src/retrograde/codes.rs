//! What the bytes of a slice mean while it is solved.

/// What the bytes of an unfinished slice mean.
///
/// ```text
/// 0 … late − 1            decided: DTW, even for a loss, odd for a win; a DTW above the ply
///                         reached is the best win found so far, or a loss that is certain
/// late                    decided at ply `late` or later, listed apart
/// late + 1                between two instructions: the last open move has been refuted
/// late + 2 … 254          undecided; (byte − late − 1) moves are not yet refuted
/// 255                     undecided, and cannot be lost
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Codes {
    late: u8,
}

impl Codes {
    /// Undecided, and cannot be lost.
    pub const UNLOSABLE: u8 = 255;
    /// The most moves that can be open. There are 36 pairs of neighbouring squares, so no more quiet
    /// moves than that; a capture that stays in its slice needs a counter to spare for each square it
    /// jumps. A position with more is an error, and no slice is finished wrongly.
    pub const MAX_OPEN: u8 = 62;
    /// The greatest first late ply that leaves room for the counts of open moves.
    pub const MAX_LATE: u16 = (Self::UNLOSABLE - 2 - Self::MAX_OPEN) as u16;

    /// Codes in which plies from `first_late` on are listed apart, or from the nearest ply on that is possible.
    pub fn new(first_late: u16) -> Codes {
        Codes { late: first_late.clamp(1, Self::MAX_LATE) as u8 }
    }

    #[inline]
    pub fn late(self) -> u8 {
        self.late
    }

    #[inline]
    pub fn is_late(self, ply: u16) -> bool {
        ply >= u16::from(self.late)
    }

    /// Between two instructions: the last open move has been refuted.
    #[inline]
    pub fn all_refuted(self) -> u8 {
        self.late + 1
    }

    /// The byte of an undecided position with this many open moves, if that are not too many.
    #[inline]
    pub fn open(self, moves: usize) -> Option<u8> {
        let fits = moves <= usize::from(Self::MAX_OPEN);
        fits.then(|| self.all_refuted() + moves as u8)
    }
}
