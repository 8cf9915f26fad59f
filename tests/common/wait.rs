//! Waiting for what other programs and threads do, but not for ever.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long anything may take before the test gives up, on a machine that is busy.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until something is so.
///
/// # Panics
/// If that takes longer than [`PATIENCE`].
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "waited {PATIENCE:?} for this: {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Sets a flag when it is dropped, also when a test fails. A scope waits for its threads before the test ends, so
/// threads that work until something is done must also end then.
pub struct SetAtEnd<'a>(pub &'a AtomicBool);

impl Drop for SetAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}
