//! The access log: one line for each request, on standard error.

use std::fmt;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How many lines may wait for a slow reader of standard error. Further lines are dropped.
const WAITING_LINES: usize = 4096;

/// Writes lines from its own thread, so that no request waits for a slow reader of the log.
#[derive(Debug)]
pub struct Log {
    lines: SyncSender<String>,
}

/// Waits for the end of the log.
#[derive(Debug)]
pub struct LogEnd {
    written: Receiver<()>,
}

impl Log {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the system does not allow another thread.
    pub fn start() -> io::Result<(Log, LogEnd)> {
        let (lines, waiting) = sync_channel::<String>(WAITING_LINES);
        let (done, written) = sync_channel(1);
        thread::Builder::new().name("log".to_owned()).spawn(move || {
            let mut stderr = io::stderr();
            for line in waiting {
                // If standard error is closed, there is nobody to tell.
                let _ = stderr.write_all(line.as_bytes());
            }
            let _ = done.send(());
        })?;
        Ok((Log { lines }, LogEnd { written }))
    }

    /// Logs a line. Returns `false` if too many lines are waiting and this one was dropped.
    pub fn line(&self, line: impl fmt::Display) -> bool {
        self.lines.try_send(format!("{} {line}\n", Timestamp(SystemTime::now()))).is_ok()
    }
}

impl LogEnd {
    /// Waits until all lines are written, but no longer than a second. Drop the [`Log`] first.
    pub fn wait(&self) {
        let _ = self.written.recv_timeout(Duration::from_secs(1));
    }
}

/// An error that repeats: it is logged once a second at most, and the pauses between the attempts grow.
#[derive(Debug, Default)]
pub struct Repeated {
    times: u64,
    logged: Option<Instant>,
    /// How often it came since all was well.
    in_a_row: u32,
}

impl Repeated {
    /// Notes that the error came again. Returns how often it came in all if this is to be logged.
    pub fn note(&mut self, now: Instant) -> Option<u64> {
        self.times += 1;
        self.in_a_row = self.in_a_row.saturating_add(1);
        let is_due = self.logged.is_none_or(|logged| now - logged >= Duration::from_secs(1));
        is_due.then(|| {
            self.logged = Some(now);
            self.times
        })
    }

    /// How long to wait before the next attempt.
    pub fn pause(&self) -> Duration {
        const LONGEST: Duration = Duration::from_millis(250);
        Duration::from_millis(5 << self.in_a_row.min(8)).min(LONGEST)
    }

    /// Notes that all is well.
    pub fn are_over(&mut self) {
        self.in_a_row = 0;
    }
}

/// A time in the format of RFC 3339, in UTC with milliseconds: `2026-02-28T23:59:59.999Z`.
struct Timestamp(SystemTime);

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = self.0.duration_since(UNIX_EPOCH).unwrap_or_default();
        let seconds = since.as_secs();
        let (year, month, day) = date(seconds / 86_400);
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        let milliseconds = since.subsec_millis();
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z"
        )
    }
}

/// The year, month and day that is `days` days after 1 January 1970.
fn date(mut days: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    loop {
        let length = if is_leap(year) { 366 } else { 365 };
        if days < length {
            break;
        }
        days -= length;
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_repeats_is_logged_once_a_second_with_its_number() {
        let mut failures = Repeated::default();
        let start = Instant::now();
        let logged: Vec<u64> =
            (0..100).filter_map(|i| failures.note(start + Duration::from_millis(25 * i))).collect();
        assert_eq!(logged, [1, 41, 81]);
        assert_eq!(failures.pause(), Duration::from_millis(250));
        failures.are_over();
        failures.note(start);
        assert_eq!(failures.pause(), Duration::from_millis(10));
    }

    #[test]
    fn times_are_written_as_in_rfc_3339() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399, "2000-02-28T23:59:59.000Z"),
            (951_868_800, "2000-03-01T00:00:00.000Z"),
            (1_709_164_800, "2024-02-29T00:00:00.000Z"),
            (1_767_225_599, "2025-12-31T23:59:59.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(Timestamp(UNIX_EPOCH + Duration::from_secs(seconds)).to_string(), text);
        }
    }
}
