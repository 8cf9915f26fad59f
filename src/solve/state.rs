//! The state of a slice while it is solved: one byte a position.

use super::solved::Run;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codes {
    late: u8,
}

impl Codes {
    /// Undecided, and cannot be lost.
    pub const UNLOSABLE: u8 = 255;
    /// The most moves that can be open. No position of up to twelve counters comes near it:
    /// there are 36 pairs of neighbouring squares, and a chain that stays in its slice needs a
    /// counter to spare for each square it jumps.
    const MAX_OPEN: u8 = 62;
    /// The greatest first late ply that leaves room for the counts of open moves.
    pub const MAX_LATE: u16 = (Self::UNLOSABLE - 2 - Self::MAX_OPEN) as u16;

    /// Codes in which plies from `first_late` on are listed apart; `None` if `first_late` is above
    /// [`Codes::MAX_LATE`].
    pub fn new(first_late: u16) -> Option<Codes> {
        (first_late <= Self::MAX_LATE).then_some(Codes { late: first_late as u8 })
    }

    #[inline]
    pub fn late(self) -> u8 {
        self.late
    }

    #[inline]
    pub fn is_late(self, ply: u16) -> bool {
        ply >= u16::from(self.late)
    }

    #[inline]
    fn all_refuted(self) -> u8 {
        self.late + 1
    }

    /// The byte of an undecided position with this many open moves; `None` if there are too many.
    #[inline]
    pub fn open(self, moves: usize) -> Option<u8> {
        (moves <= usize::from(Self::MAX_OPEN)).then(|| self.all_refuted() + moves as u8)
    }
}

/// The positions of some consecutive blocks, which one thread works on at a time.
#[derive(Debug)]
pub struct Partition {
    /// One byte a position; see [`Codes`].
    pub bytes: Vec<u8>,
    codes: Codes,
    /// Which DTWs below [`Codes::late`] some byte may hold.
    present: [bool; 256],
    /// Positions decided at a late ply, with it, in the order of plies.
    late: Vec<(u16, u32)>,
    /// Updates from slices below that fall due at a later ply, with it.
    due: Vec<(u16, u32)>,
    due_done: usize,
}

impl Partition {
    /// `len` positions of which nothing is known yet.
    pub fn new(len: usize, codes: Codes) -> Partition {
        Partition {
            bytes: vec![Codes::UNLOSABLE; len],
            codes,
            present: [false; 256],
            late: Vec::new(),
            due: Vec::new(),
            due_done: 0,
        }
    }

    /// Sets a byte that holds a DTW from the start.
    pub fn decide_at(&mut self, at: usize, ply: u16) {
        debug_assert!(!self.codes.is_late(ply));
        self.bytes[at] = ply as u8;
        self.present[usize::from(ply)] = true;
    }

    /// Notes that a position of a slice below, reached by a move from `at`, is decided at `ply`.
    pub fn update_at(&mut self, ply: u16, at: usize) {
        self.due.push((ply, at as u32));
    }

    /// Orders the updates that fall due later. Call once, when all are noted.
    pub fn sort_due(&mut self) {
        self.due.sort_unstable();
    }

    /// The last ply at which the state of this partition already has something to do.
    pub fn last_ply(&self) -> Option<u16> {
        let decided = self.present.iter().rposition(|&present| present).map(|ply| ply as u16);
        let due = self.due.last().filter(|_| self.due_done < self.due.len());
        decided.max(due.map(|due| due.0)).max(self.late.last().map(|late| late.0))
    }

    /// Makes the updates from slices below that are due at `ply`. Returns how many positions they
    /// decided.
    pub fn make_due_updates(&mut self, ply: u16) -> u64 {
        let mut settled = 0;
        while let Some(&(due, at)) = self.due.get(self.due_done).filter(|due| due.0 == ply) {
            debug_assert_eq!(due, ply);
            self.due_done += 1;
            settled += u64::from(self.update(ply, at as usize));
        }
        settled
    }

    /// Makes the update that a position which a move leads to is decided at `ply`: lost for the
    /// side to move there if `ply` is even, so that the move wins; won if odd, so that the move is
    /// refuted. Returns whether this decides the position `at`.
    #[inline]
    pub fn update(&mut self, ply: u16, at: usize) -> bool {
        let codes = self.codes;
        let byte = &mut self.bytes[at];
        let decided = if ply % 2 == 0 {
            *byte > codes.late || u16::from(*byte) > ply + 1 && *byte != codes.late
        } else if *byte > codes.all_refuted() && *byte != Codes::UNLOSABLE {
            *byte -= 1;
            *byte == codes.all_refuted()
        } else {
            false
        };
        if decided {
            if codes.is_late(ply + 1) {
                *byte = codes.late;
                self.late.push((ply + 1, at as u32));
            } else {
                *byte = (ply + 1) as u8;
                self.present[usize::from(ply + 1)] = true;
            }
        }
        decided
    }

    /// Calls `visit` with the places, rising, of all positions decided at exactly `ply`.
    pub fn decided_at(&self, ply: u16, mut visit: impl FnMut(usize)) {
        if self.codes.is_late(ply) {
            let first = self.late.partition_point(|late| late.0 < ply);
            let mut places: Vec<u32> =
                self.late[first..].iter().take_while(|late| late.0 == ply).map(|l| l.1).collect();
            places.sort_unstable();
            places.into_iter().for_each(|at| visit(at as usize));
        } else if self.present[usize::from(ply)] {
            memchr::memchr_iter(ply as u8, &self.bytes).for_each(visit);
        }
    }

    /// The finished values.
    pub fn into_run(self) -> Run {
        let mut late: Vec<(u32, u16)> = self.late.into_iter().map(|(ply, at)| (at, ply)).collect();
        late.sort_unstable();
        Run { bytes: self.bytes, late, late_code: self.codes.late }
    }

    /// The bytes of memory taken beside one byte a position.
    pub fn extra_memory(&self) -> usize {
        self.late.capacity() * size_of::<(u16, u32)>()
            + self.due.capacity() * size_of::<(u16, u32)>()
    }
}
