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
        let whole = |len: u64| len.is_multiple_of(block_len);
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
        if run.bytes[at] == run.late_code {
            run.late.retain(|&(late, _)| late as usize != at);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn slice() -> SolvedSlice {
        let run = |late| Run { bytes: vec![0, 1, 9, 8], late, late_code: 8 };
        SolvedSlice { runs: vec![run(vec![(3, 20)]), run(vec![(3, 8)])], run_len: 4 }
    }

    #[test]
    fn a_slice_is_in_order_only_in_runs_of_whole_blocks_with_late_plies_that_are_late() {
        let last_is_short = |slice: &mut SolvedSlice| slice.runs[1].bytes.truncate(2);
        let mut good = slice();
        assert!(good.is_in_order(2) && good.is_in_order(4));
        assert!(!good.is_in_order(3) && !good.is_in_order(8));
        last_is_short(&mut good);
        assert!(good.is_in_order(2) && !good.is_in_order(4));

        let spoil: [fn(&mut SolvedSlice); 5] = [
            |slice| slice.run_len = 0,
            |slice| slice.runs[0].bytes.truncate(2),
            |slice| slice.runs[1].late_code = 7,
            |slice| slice.runs[1].late[0].1 = 7,
            |slice| slice.runs[0].late[0].1 = u16::MAX,
        ];
        for spoil in spoil {
            let mut bad = slice();
            spoil(&mut bad);
            assert!(!bad.is_in_order(2), "{bad:?}");
        }
    }

    #[test]
    fn a_value_that_is_overwritten_is_read_back() {
        let mut slice = slice();
        let values = [Value::Win(21), Value::Draw, Value::Loss(2), Value::Loss(8), Value::Win(7)];
        for number in 0..slice.len() {
            let others: Vec<Value> = (0..slice.len()).map(|n| slice.value(n)).collect();
            for value in values {
                slice.corrupt(number, value);
                assert_eq!(slice.value(number), value);
                for (n, &other) in others.iter().enumerate().filter(|&(n, _)| n as u64 != number) {
                    assert_eq!(slice.value(n as u64), other);
                }
            }
        }
    }
}
