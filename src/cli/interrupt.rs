//! Ctrl-C and SIGTERM while tables are made: the work stops where it can go on later, and the last line
//! says how.
//!
//! A program that ends with a status above 128 was ended by the signal of that number less 128, as
//! shells say it.

use crate::failure::{Failure, say};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::thread;
use std::time::Duration;

/// After this time without an end, the user is told that it is coming.
const SOON: Duration = Duration::from_secs(1);

/// How long the work may take to stop after that.
const PATIENCE: Duration = Duration::from_secs(20);

/// The signal that has come; 0 if none has.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// Whether the user wants the work to stop.
pub fn has_come() -> bool {
    SIGNAL.load(Ordering::Relaxed) != 0
}

/// Ends the program after a signal.
#[derive(Clone)]
pub struct Ending(Arc<End>);

struct End {
    is_taken: AtomicBool,
    last_words: Box<dyn Fn() -> String + Send + Sync>,
}

impl Ending {
    /// Watches for signals. From then on, [`has_come`] says whether there was one. If the work does not
    /// [end](Ending::end) soon after, or there is another signal, the program is ended all the same,
    /// with these last words.
    ///
    /// Call this before any other thread is started, and once.
    ///
    /// # Errors
    /// If the system does not allow it.
    pub fn watch(
        last_words: impl Fn() -> String + Send + Sync + 'static,
    ) -> Result<Ending, Failure> {
        let (is_taken, last_words) = (AtomicBool::new(false), Box::new(last_words));
        let ending = Ending(Arc::new(End { is_taken, last_words }));
        let of_watcher = ending.clone();
        signals::watch(move |signal| of_watcher.signalled(signal))
            .map_err(|error| Failure::Wrong(format!("cannot watch for Ctrl-C: {error}")))?;
        Ok(ending)
    }

    fn signalled(&self, signal: i32) {
        if SIGNAL.swap(signal, Ordering::Relaxed) != 0 {
            self.end();
        }
        let ending = self.clone();
        let waiting = thread::Builder::new().spawn(move || {
            thread::sleep(SOON);
            say(&"stopping where the work can go on later; once more ends it at once");
            thread::sleep(PATIENCE);
            ending.end();
        });
        if waiting.is_err() {
            self.end();
        }
    }

    /// Says the last words and ends the program, with a status that names the signal.
    pub fn end(&self) -> ! {
        if self.0.is_taken.swap(true, Ordering::Relaxed) {
            // Another thread is ending the program.
            loop {
                thread::sleep(PATIENCE);
            }
        }
        say(&(self.0.last_words)());
        std::process::exit(128 + SIGNAL.load(Ordering::Relaxed));
    }
}

#[cfg(unix)]
mod signals {
    use std::io;
    use std::mem::MaybeUninit;
    use std::ptr;
    use std::thread;

    /// Calls `then` with each signal, in a thread of its own.
    pub fn watch(then: impl Fn(i32) + Send + 'static) -> io::Result<()> {
        let mut set = MaybeUninit::uninit();
        // SAFETY: it makes the set that the pointer is to, and cannot fail.
        unsafe { libc::sigemptyset(set.as_mut_ptr()) };
        // SAFETY: the set has just been made.
        let mut set = unsafe { set.assume_init() };
        for signal in [libc::SIGINT, libc::SIGTERM] {
            if !is_ignored(signal) {
                // SAFETY: the pointer is to a set, and the signal exists.
                unsafe { libc::sigaddset(&raw mut set, signal) };
            }
        }
        // SAFETY: the pointer is to a set; the mask of before is not asked for.
        match unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, ptr::null_mut()) } {
            0 => {}
            error => return Err(io::Error::from_raw_os_error(error)),
        }
        // Threads inherit the mask, so that signals wait for this one.
        thread::Builder::new().name("signals".to_owned()).spawn(move || {
            loop {
                let mut signal = 0;
                // SAFETY: the pointers are to a set and to a number.
                match unsafe { libc::sigwait(&raw const set, &raw mut signal) } {
                    0 => then(signal),
                    _ => return,
                }
            }
        })?;
        Ok(())
    }

    /// Whether whoever started the program has made it ignore the signal, as `nohup` and shells do for
    /// programs in the background.
    fn is_ignored(signal: i32) -> bool {
        let mut action = MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: without a new action, the old one is written to the pointer and nothing changes.
        let asked = unsafe { libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) };
        // SAFETY: it was written, since the call succeeded.
        asked == 0 && unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN
    }
}

#[cfg(not(unix))]
mod signals {
    use std::io;

    /// The number of Ctrl-C where signals have numbers.
    const CTRL_C: i32 = 2;

    /// Calls `then` for each Ctrl-C, in a thread of its own.
    pub fn watch(then: impl Fn(i32) + Send + 'static) -> io::Result<()> {
        ctrlc::set_handler(move || then(CTRL_C)).map_err(io::Error::other)
    }
}
