//! What a terminal shows beside plain results: notes, progress and colours.

use crate::failure::{Failure, say};
use clap::ColorChoice;
use clap::builder::styling::{AnsiColor, Style};
use indicatif::{MultiProgress, ProgressDrawTarget};
use lasca_tablebase::Wdl;
use std::fmt::Display;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

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

/// Chooses when colours are used, from now on. By default, the output must be a terminal, and the
/// environment may say otherwise: `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE`.
pub fn use_colors(choice: ColorChoice) {
    match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// What the colour of a text means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Won, confirmed or right, in green.
    Good,
    /// Drawn or open, in yellow.
    Even,
    /// Lost, refuted or wrong, in red.
    Bad,
}

impl From<Wdl> for Tone {
    fn from(wdl: Wdl) -> Tone {
        match wdl {
            Wdl::Win => Tone::Good,
            Wdl::Draw => Tone::Even,
            Wdl::Loss => Tone::Bad,
        }
    }
}

/// The text in the colour of its tone, if standard output shows colours.
pub fn painted(tone: Tone, text: &str) -> String {
    static COLORED: OnceLock<bool> = OnceLock::new();
    let is_colored = || {
        // On Windows, this also makes the terminal read colours.
        let stdout = anstream::AutoStream::auto(io::stdout());
        stdout.current_choice() != anstream::ColorChoice::Never
    };
    if !*COLORED.get_or_init(is_colored) {
        return text.to_owned();
    }
    let style = Style::new().fg_color(Some(match tone {
        Tone::Good => AnsiColor::Green.into(),
        Tone::Even => AnsiColor::Yellow.into(),
        Tone::Bad => AnsiColor::Red.into(),
    }));
    format!("{style}{text}{style:#}")
}
