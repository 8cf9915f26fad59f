//! Signals. Ctrl-C ends the program as it ends others, except in searches, `generate` and `serve`. A search stops and
//! says what is proved. `generate` stops where it can go on later, and its last line says how; so it does after SIGTERM
//! and SIGHUP (the terminal is closed).
//!
//! On Windows, Ctrl-Break comes as Ctrl-C, and so does closing the window; but then the system ends the
//! program at once.
//!
//! Signals that are ignored when the program starts stay so, for every command.
//!
//! A program that ends with a status above 128 was ended by the signal of that number less 128, as
//! shells say it.

use crate::failure::{Failure, Status, say};
use crate::terminal::note;
#[cfg(unix)]
use crate::threads;
#[cfg(unix)]
use signal_hook::iterator::Signals;
use std::error::Error;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

/// The signal that has come; 0 if none has.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// Whether the user wants the work to stop.
pub fn has_come() -> bool {
    SIGNAL.load(Ordering::Relaxed) != 0
}

/// The signal that has come; 0 if none has.
pub fn signal() -> u8 {
    SIGNAL.load(Ordering::Relaxed) as u8
}

/// Watches for signals. From then on, [`has_come`] says whether there was one. A second signal ends the program at
/// once, unless it is one of the processes of a run: they agree to stop at the end of a ply, and take the time that they
/// need to save their state.
pub fn watch_for_end(with_others: bool) -> Result<(), Failure> {
    watch(&STOPPING, move |signal| {
        if with_others {
            return SIGNAL.store(signal, Ordering::Relaxed);
        }
        if has_come() && signal == TERMINAL_CLOSED {
            // Nobody asks twice by this: the shell and the system may both send it for one terminal.
            return;
        }
        if SIGNAL.swap(signal, Ordering::Relaxed) != 0 {
            say_how_to_go_on();
            std::process::exit(128 + signal);
        }
        note(
            &"stopping at the end of the ply, which takes seconds with up to ten counters; press Ctrl-C again \
              to stop now, back to what is saved, if anything",
        );
    })
}

/// Says what a run says last that has stopped after a signal.
pub fn say_how_to_go_on() {
    say(&"stopped; run the same command to continue");
}

/// The number of Ctrl-C, on any system.
pub const CTRL_C: i32 = 2;

/// The number of SIGHUP, which comes when the terminal is closed. Systems that are no Unix do not send it.
pub const TERMINAL_CLOSED: i32 = 1;

/// The number of SIGTERM, by which other programs ask this one to end. Systems that are no Unix do not send it.
const TERMINATE: i32 = 15;

/// The signals that ask for an end.
pub const STOPPING: [i32; 3] = [CTRL_C, TERMINATE, TERMINAL_CLOSED];

/// Questions with smaller numbers are stopped.
static STOPPED_BEFORE: AtomicU64 = AtomicU64::new(0);

/// In place of [`STOPPED_BEFORE`]: all questions are stopped, as no number is as large as this.
const ALL: u64 = u64::MAX;

/// The number of the question whose search is at work.
static AT_WORK: AtomicU64 = AtomicU64::new(NONE);

/// In place of [`AT_WORK`]: no search is at work, and so none [is stopped](is_stopped).
const NONE: u64 = u64::MAX;

/// Whether the question whose search is at work is stopped. The search must look at this.
pub fn is_stopped() -> bool {
    AT_WORK.load(Ordering::Relaxed) < STOPPED_BEFORE.load(Ordering::Relaxed)
}

/// Stops all questions with smaller numbers: their searches end at once, with what they have proved.
pub fn stop_before(number: u64) {
    STOPPED_BEFORE.fetch_max(number, Ordering::SeqCst);
}

/// Does the work of the search for the question of this number, which may be stopped before or meanwhile; a question
/// that only Ctrl-C can stop has any number but [`ALL`]. After Ctrl-C, this ends the program: all answers so far must
/// have been passed on.
pub fn stoppable<T>(number: u64, search: impl FnOnce() -> T) -> T {
    AT_WORK.store(number, Ordering::SeqCst);
    if STOPPED_BEFORE.load(Ordering::SeqCst) == ALL {
        std::process::exit(Status::Negative.code().into());
    }
    let found = search();
    AT_WORK.store(NONE, Ordering::SeqCst);
    found
}

/// Makes Ctrl-C stop all questions. If no search is at work, or at the second time, it ends the program.
/// Call this once, before the first search.
pub fn watch_for_ctrl_c() -> Result<(), Failure> {
    watch(&[CTRL_C], |_| {
        // A search that ends because of this still passes its answer on.
        let is_at_work = AT_WORK.load(Ordering::SeqCst) != NONE;
        let is_second = STOPPED_BEFORE.swap(ALL, Ordering::SeqCst) == ALL;
        if is_second || !is_at_work {
            std::process::exit(Status::Negative.code().into());
        }
    })
}

/// Calls `then` with each of these signals, in a thread of its own, except those that whoever started
/// the program has made it ignore, as `nohup` and shells do for programs in the background.
#[cfg(unix)]
pub fn watch(signals: &[i32], mut then: impl FnMut(i32) + Send + 'static) -> Result<(), Failure> {
    let watched = Signals::new(signals.iter().filter(|signal| !is_ignored(**signal)));
    let watched = watched.and_then(|mut signals| {
        threads::spawn("signals", move || signals.forever().for_each(&mut then))
    });
    watched.map(drop).map_err(|error| cannot_watch(&error))
}

/// Calls `then` with Ctrl-C, in a thread of its own, for all that asks for an end.
#[cfg(not(unix))]
pub fn watch(_signals: &[i32], mut then: impl FnMut(i32) + Send + 'static) -> Result<(), Failure> {
    ctrlc::set_handler(move || then(CTRL_C)).map_err(|error| cannot_watch(&error))
}

fn cannot_watch(error: &dyn Error) -> Failure {
    Failure::system(format!("cannot start watching for Ctrl-C: {error}"))
}

#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    // SAFETY: all fields may be zero.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: without a new action nothing changes, and the old one is written to what is borrowed.
    let asked = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut action) };
    asked == 0 && action.sa_sigaction == libc::SIG_IGN
}
