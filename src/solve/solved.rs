//! The values of a finished slice.

use crate::Value;

/// All values of one solved slice, by number, one byte a position.
#[derive(Clone, Debug, Default)]
pub struct SolvedSlice {
    /// Runs that follow one another.
    runs: Vec<Run>,
    /// Positions in each run but perhaps the last.
    run_len: u64,
}

/// A run of consecutive positions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    /// A position's DTW if below `late_code`, that it is late, or a draw.
    pub bytes: Vec<u8>,
    /// The positions marked late, rising, with their DTW.
    pub late: Vec<(u32, u16)>,
    /// The code that marks late positions; greater codes are draws.
    pub late_code: u8,
}

impl Run {
    /// The run with these distances, `None` for a draw.
    pub fn from_distances(distances: impl Iterator<Item = Option<u16>>) -> Run {
        const LATE: u8 = 254;
        const DRAW: u8 = 255;
        let mut run = Run { late_code: LATE, ..Run::default() };
        for (at, distance) in distances.enumerate() {
            run.bytes.push(match distance {
                None => DRAW,
                Some(dtw) if dtw < u16::from(LATE) => dtw as u8,
                Some(dtw) => {
                    run.late.push((at as u32, dtw));
                    LATE
                }
            });
        }
        run
    }

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
    /// The slice made of runs of `run_len` positions; the last may be shorter.
    pub(crate) fn from_runs(run_len: u64, runs: Vec<Run>) -> SolvedSlice {
        SolvedSlice { runs, run_len }
    }

    /// The distances to the win of the positions with these numbers in turn, `None` for draws.
    ///
    /// # Panics
    /// If there are no such numbers.
    pub fn distances(&self, numbers: std::ops::Range<u64>) -> impl Iterator<Item = Option<u16>> {
        let mut run = (numbers.start / self.run_len) as usize;
        let mut at = (numbers.start % self.run_len) as usize;
        numbers.map(move |_| {
            if at == self.runs[run].bytes.len() {
                (run, at) = (run + 1, 0);
            }
            at += 1;
            self.runs[run].dtw(at - 1)
        })
    }

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
