//! The values of a finished slice.

use crate::Value;

/// All values of one solved slice, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SolvedSlice {
    /// Runs of equal length that follow one another.
    pub(super) runs: Vec<Run>,
    /// Positions in each run but perhaps the last.
    pub(super) run_len: u64,
}

/// A run of consecutive positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Run {
    /// A position's DTW if below [`Codes::late`], or that it is late, or a draw.
    pub bytes: Vec<u8>,
    /// The positions marked late, rising, with their DTW.
    pub late: Vec<(u32, u16)>,
    /// The code that marks late positions; greater codes are draws.
    pub late_code: u8,
}

impl Run {
    #[inline]
    fn dtw(&self, at: usize) -> Option<u16> {
        let byte = self.bytes[at];
        if byte < self.late_code {
            Some(u16::from(byte))
        } else if byte == self.late_code {
            let found = self.late.binary_search_by_key(&(at as u32), |&(at, _)| at);
            found.ok().map(|i| self.late[i].1)
        } else {
            None
        }
    }
}

impl SolvedSlice {
    /// How many positions there are.
    pub fn len(&self) -> u64 {
        self.runs.iter().map(|run| run.bytes.len() as u64).sum()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of the position with this number, for the side to move.
    ///
    /// # Panics
    /// If there is no such number.
    #[inline]
    pub fn value(&self, number: u64) -> Value {
        let run = &self.runs[(number / self.run_len) as usize];
        match run.dtw((number % self.run_len) as usize) {
            None => Value::Draw,
            Some(plies) if plies % 2 == 0 => Value::Loss(plies),
            Some(plies) => Value::Win(plies),
        }
    }
}
