//! Progress bars on standard error. They are hidden if that is not a terminal.

use crate::failure::say;
use crate::terminal::{note, progress_target};
use crate::text::{grouped, rate};
use crate::{allocator, interrupt, processes, threads};
use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use lasca_tablebase::index::Material;
use lasca_tablebase::rules::Color;
use lasca_tablebase::{Progress, SearchStatus};
use std::fmt::Write;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// How often bars are drawn again while nothing is done.
const TICK: Duration = Duration::from_millis(250);

/// Two bars: one for all the work, with its rate and the time left, and one for the current slice.
pub struct Bars {
    both: MultiProgress,
    whole: ProgressBar,
    slice: ProgressBar,
    /// How many positions the finished slices have.
    finished: AtomicU64,
    /// Whether it was said that the state of a slice cannot be saved.
    has_warned: AtomicBool,
    /// Whether slices are told in notes: launchers pass on lines, and show no bars.
    notes_slices: bool,
}

impl Bars {
    /// Bars for work on this many positions.
    pub fn new(positions: u64) -> Bars {
        let both = MultiProgress::with_draw_target(progress_target());
        let whole = both.add(ProgressBar::new(positions));
        let slice = both.add(ProgressBar::new(0));
        whole.set_style(style(
            "[{bar:16}] {percent:>3} % of {human_len} positions, {rate}{time_left}",
        ));
        slice.set_style(style("[{bar:16}] {prefix}: {msg}"));
        // So that the times are right. It panics where the system starts no more threads.
        let trial = || threads::spawn("trial", || ()).is_ok_and(|trial| trial.join().is_ok());
        if !both.is_hidden() && trial() {
            whole.enable_steady_tick(TICK);
        }
        let (finished, has_warned) = (AtomicU64::new(0), AtomicBool::new(false));
        let notes_slices = processes::are_launched() && both.is_hidden();
        Bars { both, whole, slice, finished, has_warned, notes_slices }
    }

    /// Hides the bars while `print` runs.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.both.suspend(print)
    }

    fn start(&self, material: Material, columns: usize, positions: u64) {
        self.slice.set_prefix(format!("{material}, {columns} columns"));
        self.slice.set_message("");
        self.slice.set_length(positions);
        self.slice.set_position(0);
    }

    fn note_slice(&self, material: Material, columns: usize, done: &str) {
        if self.notes_slices {
            note(&format!("{material}, {columns} columns: {done}"));
        }
    }

    /// Shows how many positions of the slice are done.
    fn done(&self, positions: u64) {
        self.slice.set_position(positions);
        self.whole.set_position(self.finished.load(Ordering::Relaxed) + positions);
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        self.slice.finish_and_clear();
        self.whole.finish_and_clear();
    }
}

impl Progress for Bars {
    fn slice_resumed(&self, material: Material, columns: usize, positions: u64) {
        self.start(material, columns, positions);
        self.slice.set_message("done by an earlier run");
        self.note_slice(material, columns, "done by an earlier run");
        self.slice_finished();
        // Work of an earlier run tells nothing about the speed of this one.
        self.whole.reset_eta();
    }

    fn slice_started(&self, material: Material, columns: usize, positions: u64) {
        self.start(material, columns, positions);
        self.note_slice(material, columns, "solving");
    }

    fn ply_done(&self, ply: u16, settled: u64) {
        let of = grouped(self.slice.length().unwrap_or(0));
        let settled_text = grouped(settled);
        self.slice.set_message(format!("ply {ply}, {settled_text} of {of} settled"));
        self.done(settled);
    }

    fn positions_checked(&self, done: u64) {
        let of = grouped(self.slice.length().unwrap_or(0));
        self.slice.set_message(format!("{} of {of} done", grouped(done)));
        self.done(done);
    }

    fn slice_finished(&self) {
        let positions = self.slice.length().unwrap_or(0);
        self.done(positions);
        self.finished.fetch_add(positions, Ordering::Relaxed);
    }

    fn slice_writing(&self, material: Material, columns: usize) {
        self.slice.set_prefix(format!("{material}, {columns} columns"));
        self.slice.set_message("writing");
        // Solving has left many small pieces, and writing takes large ones.
        allocator::return_small_pieces();
        self.note_slice(material, columns, "writing");
    }

    fn work_ignored(&self, path: &Path, why: &str) {
        self.both.suspend(|| {
            note(&format!("{} is not used: {why}; this part is solved again", path.display()));
        });
    }

    fn checkpoint_failed(&self, path: &Path, error: &io::Error) {
        if self.has_warned.swap(true, Ordering::Relaxed) {
            return;
        }
        self.both.suspend(|| {
            say(&format!(
                "warning: the state of the slice cannot be saved: {}: {error}; the work goes on",
                path.display()
            ));
        });
    }

    fn should_stop(&self) -> bool {
        interrupt::has_come()
    }

    fn waiting_for_other_run(&self, material: Material) {
        self.both.suspend(|| {
            note(&format!("{material}: another run is working on it; waiting for that run"));
        });
    }
}

/// A bar for so many of these things, of which more may be added. Its message says what is at work.
pub fn counter(things: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), progress_target());
    bar.set_style(style(&format!(
        "[{{bar:16}}] {{human_pos}} of {{human_len}} {things}: {{wide_msg}}"
    )));
    bar
}

/// A line for work of unknown length, which shows how many of these things are done and how many
/// a second, and then its message.
pub fn spinner(things: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, progress_target());
    bar.set_style(style(&format!("{{spinner}} {{human_pos}} {things}, {{rate}}; {{msg}}")));
    bar
}

/// A line on standard error that shows how far a search is. It is hidden if that is no terminal.
pub struct SearchProgress(ProgressBar);

impl SearchProgress {
    /// Shows the line.
    pub fn new() -> SearchProgress {
        SearchProgress(spinner("positions"))
    }
}

impl Progress for SearchProgress {
    fn searching(&self, status: &SearchStatus) {
        let open = Color::ALL.into_iter().filter(|&color| status.numbers[color].is_some());
        let open: Vec<String> = open.map(|color| color.to_string()).collect();
        self.0.set_position(status.positions);
        self.0.set_message(match open.is_empty() {
            true => String::new(),
            false => format!("it is open whether {} can win", open.join(" or ")),
        });
    }

    fn should_stop(&self) -> bool {
        interrupt::CANCELLED.load(Ordering::Relaxed)
    }
}

impl Drop for SearchProgress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
        .with_key("rate", |state: &ProgressState, to: &mut dyn Write| {
            let _ = to.write_str(&rate(state.per_sec()));
        })
        .with_key("time_left", |state: &ProgressState, to: &mut dyn Write| {
            // The first work tells little about the time, and writing comes after the last.
            if (0.01..1.0).contains(&state.fraction()) && state.per_sec() > 0.0 {
                let _ = write!(to, ", {:#} left", HumanDuration(state.eta()));
            }
        })
}
