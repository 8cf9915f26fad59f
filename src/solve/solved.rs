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

    /// Whether the slice is of the form that [`SolvedSlice::codes`] relies on: every run but the
    /// last holds the same whole number of blocks of `block_len` positions, all runs share one
    /// late code, and what is listed as late is late.
    pub(crate) fn is_in_order(&self, block_len: u64) -> bool {
        let whole = |len: u64| len % block_len == 0;
        self.run_len > 0
            && self.runs.iter().enumerate().all(|(i, run)| {
                let (len, last) = (run.bytes.len() as u64, i + 1 == self.runs.len());
                (len == self.run_len || last && len <= self.run_len)
                    && whole(len)
                    && run.late_code == self.late_code()
                    && run
                        .late
                        .iter()
                        .all(|&(_, dtw)| (u16::from(run.late_code)..u16::MAX).contains(&dtw))
            })
    }

    /// The code of late positions: bytes below it are a DTW, bytes above it draws.
    pub(crate) fn late_code(&self) -> u8 {
        self.runs.first().map_or(0, |run| run.late_code)
    }

    /// The codes of the `len` positions from number `first` on, which must lie in one run.
    #[inline]
    pub(crate) fn codes(&self, first: u64, len: usize) -> &[u8] {
        let start = (first % self.run_len) as usize;
        &self.runs[(first / self.run_len) as usize].bytes[start..start + len]
    }

    /// Overwrites a value, so that tests see whether this is noticed.
    #[cfg(test)]
    pub(crate) fn corrupt(&mut self, number: u64, value: Value) {
        let run = &mut self.runs[(number / self.run_len) as usize];
        let at = (number % self.run_len) as usize;
        run.late.retain(|&(late, _)| late as usize != at);
        run.bytes[at] = match value.dtw() {
            None => run.late_code + 1,
            Some(dtw) if dtw < u16::from(run.late_code) => dtw as u8,
            Some(dtw) => {
                run.late.push((at as u32, dtw));
                run.late.sort_unstable();
                run.late_code
            }
        };
    }
}
