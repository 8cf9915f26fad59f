//! The log, on standard error.

use crate::threads;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;
use tracing::info;

/// How many lines may wait for a slow reader of standard error. Further lines are lost, and counted.
const WAITING_LINES: usize = 4096;

static LOST: AtomicU64 = AtomicU64::new(0);

/// How many lines are lost.
pub fn lost() -> u64 {
    LOST.load(Ordering::Relaxed)
}

/// Hands lines to a thread of their own, so that no request waits for a slow reader of the log.
#[derive(Clone, Debug)]
pub struct Log(SyncSender<Vec<u8>>);

/// From now on, whatever is traced is a line of the log, with its time. What this returns waits until all
/// lines are written, but no longer than a second.
///
/// # Errors
/// If the system does not allow another thread.
pub fn start() -> io::Result<impl FnOnce()> {
    let (lines, waiting) = sync_channel::<Vec<u8>>(WAITING_LINES);
    let (done, written) = sync_channel(1);
    threads::spawn("log", move || {
        let mut told = 0;
        for line in waiting.iter().take_while(|line| !line.is_empty()) {
            // If standard error is closed, there is nobody to tell.
            let _ = io::stderr().write_all(&line);
            if lost() > told {
                // If this line is lost too, it is counted, and comes later.
                told = lost();
                info!("- lines of the log that are lost so far: {told}");
            }
        }
        let _ = done.send(());
    })?;
    let log = Log(lines);
    let writer = log.clone();
    let format = tracing_subscriber::fmt().with_level(false).with_target(false);
    // There is one server in a program.
    let _ = format.with_writer(move || writer.clone()).try_init();
    Ok(move || {
        let _ = log.0.try_send(Vec::new());
        let _ = written.recv_timeout(Duration::from_secs(1));
    })
}

impl Write for Log {
    /// Takes a whole line.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.0.try_send(line.to_vec()).is_err() {
            LOST.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_lost_and_counted_where_too_many_wait() {
        let (lines, waiting) = sync_channel(2);
        let mut log = Log(lines);
        let before = lost();
        for line in ["one", "two", "three", "four"] {
            assert_eq!(log.write(line.as_bytes()).unwrap(), line.len());
        }
        assert_eq!(lost() - before, 2);
        assert_eq!(waiting.try_iter().collect::<Vec<_>>(), [b"one", b"two"]);
    }
}
