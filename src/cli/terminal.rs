//! What a terminal shows beside plain results: notes and progress.

use crate::failure::{Failure, say};
use indicatif::{MultiProgress, ProgressDrawTarget};
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on, no notes and no progress are shown.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// As [`say`], for messages about what is not an error.
pub fn note(message: &dyn Display) {
    if QUIET.load(Ordering::Relaxed) {
        return;
    }
    let drawn = DRAWN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match drawn {
        Some(bars) => bars.suspend(|| say(message)),
        None => say(message),
    }
}

/// The bars that were drawn last. What is said while they stand is said above them.
static DRAWN: Mutex<Option<MultiProgress>> = Mutex::new(None);

/// Says what follows above these bars.
pub fn note_above(bars: &MultiProgress) {
    *DRAWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(bars.clone());
}

/// As [`note`], with hints.
pub fn note_failure(failure: &Failure) {
    if !QUIET.load(Ordering::Relaxed) {
        failure.say();
    }
}

/// Where progress is drawn: on standard error, which shows it if it is a terminal.
pub fn progress_target() -> ProgressDrawTarget {
    if QUIET.load(Ordering::Relaxed) {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    }
}
