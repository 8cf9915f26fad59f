//! The log, on standard error.

use crate::threads;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, SystemTime};

/// How many lines may wait for a slow reader of standard error. Further lines are lost, and counted.
const WAITING_LINES: usize = 4096;

/// Where lines wait for a thread of their own, so that no request waits for a slow reader of the log.
static LINES: OnceLock<SyncSender<String>> = OnceLock::new();

static LOST: AtomicU64 = AtomicU64::new(0);

/// How many lines are lost.
pub fn lost() -> u64 {
    LOST.load(Ordering::Relaxed)
}

/// Adds a line to the log, if it has been started.
pub fn line(text: impl Display) {
    if let Some(lines) = LINES.get() {
        send(lines, text);
    }
}

fn send(lines: &SyncSender<String>, text: impl Display) {
    let now = humantime::format_rfc3339_micros(SystemTime::now());
    if lines.try_send(format!("{now} {text}\n")).is_err() {
        LOST.fetch_add(1, Ordering::Relaxed);
    }
}

/// Starts the log. What this returns waits until all lines are written, but no longer than a second.
///
/// # Errors
/// If the system does not allow another thread.
pub fn start() -> io::Result<impl FnOnce()> {
    let (lines, waiting) = sync_channel::<String>(WAITING_LINES);
    let (done, written) = sync_channel(1);
    threads::spawn("log", move || {
        let mut told = 0;
        for text in waiting.iter().take_while(|text| !text.is_empty()) {
            if io::stderr().write_all(text.as_bytes()).is_err() {
                // There is nobody to tell, at least now.
                LOST.fetch_add(1, Ordering::Relaxed);
            } else if lost() > told {
                // If this line is lost too, it is counted, and comes later.
                told = lost();
                line(format_args!("- lines of the log that are lost so far: {told}"));
            }
        }
        let _ = done.send(());
    })?;
    // There is one server in a program.
    let lines = LINES.get_or_init(|| lines);
    Ok(move || {
        let _ = lines.try_send(String::new());
        let _ = written.recv_timeout(Duration::from_secs(1));
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_lost_and_counted_where_too_many_wait() {
        let (lines, waiting) = sync_channel(2);
        let before = lost();
        for text in ["one", "two", "three", "four"] {
            send(&lines, text);
        }
        assert_eq!(lost() - before, 2);
        let texts: Vec<String> = waiting.try_iter().collect();
        assert!(texts[0].ends_with("Z one\n") && texts[1].ends_with("Z two\n"), "{texts:?}");
    }
}
