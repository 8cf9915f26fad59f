//! What a terminal shows beside plain results: notes and progress.

use crate::failure::{Failure, say};
use indicatif::{MultiProgress, ProgressDrawTarget};
use std::fmt::Display;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

static QUIET: AtomicBool = AtomicBool::new(false);

/// All bars. They are on standard error, which shows them if it is a terminal. Others can be added.
pub static BARS: LazyLock<MultiProgress> = LazyLock::new(|| {
    MultiProgress::with_draw_target(match QUIET.load(Ordering::Relaxed) {
        true => ProgressDrawTarget::hidden(),
        false => ProgressDrawTarget::stderr(),
    })
});

/// From now on, no notes and no progress are shown. Call this before the first of them.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Shows what this writes above all bars. It must not draw a bar itself.
pub fn above_bars<T>(write: impl FnOnce() -> T) -> T {
    // `suspend` panics where the terminal has gone.
    match BARS.is_hidden() || BARS.clear().is_err() {
        true => write(),
        false => BARS.suspend(write),
    }
}

/// As [`say`], for messages about what is not an error.
pub fn note(message: &dyn Display) {
    if !QUIET.load(Ordering::Relaxed) {
        above_bars(|| say(message));
    }
}

/// As [`note`], with hints.
pub fn note_failure(failure: &Failure) {
    if !QUIET.load(Ordering::Relaxed) {
        above_bars(|| failure.say());
    }
}
