//! Progress bars on standard error. They are hidden if that is not a terminal.

use crate::failure::{Failure, say};
use crate::terminal::{BARS, above_bars, note};
use crate::text::{duration, grouped, rate};
use crate::threads::{self, lock};
use crate::{allocator, interrupt, processes};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use lasca_tablebase::index::Material;
use lasca_tablebase::rules::Color;
use lasca_tablebase::{Progress, SearchStatus};
use std::collections::HashSet;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How often bars are drawn again while nothing is done.
const TICK: Duration = Duration::from_millis(250);

/// The share of solving in the time that solving and writing take together.
const SOLVING: f64 = 5.0 / 6.0;

/// The least share of the work that tells how fast it goes on.
const LEAST: f64 = 0.01;

/// A bar for all the work, with its rate and the time left, and one for the current slice.
pub struct Bars {
    whole: ProgressBar,
    slice: ProgressBar,
    /// The share of the work on a position that is done when its slice is finished.
    solving: f64,
    done: Mutex<Done>,
    /// What earlier runs had done when the time of `whole` began, in positions.
    before: Arc<AtomicU64>,
    /// The warnings that were said. Each is said once.
    said: Mutex<HashSet<String>>,
    /// Whether slices are told in notes: launchers pass on lines, and show no bars.
    notes_slices: bool,
}

/// What is done, in positions. One that is solved and not written counts as a part of a position.
#[derive(Default)]
struct Done {
    /// All that is finished.
    finished: f64,
    /// The positions of all materials up to the one in work.
    up_to_material: u64,
    /// The columns and positions of the slices of this material that are finished.
    slices: Vec<(usize, u64)>,
    /// The columns of the slice in work, and whether there was news of it.
    columns: usize,
    has_news: bool,
    /// Whether an earlier run has begun it.
    is_resumed: bool,
}

impl Bars {
    /// Bars for work on so many values of tables, for which it starts threads.
    pub fn of_values(positions: u64) -> Result<Bars, Failure> {
        threads::start()?;
        Ok(Bars::with_share(positions, 1.0, true))
    }

    /// Bars for making tables of this many positions: they are written when all are solved.
    pub fn of_tables(positions: u64) -> Bars {
        Bars::with_share(positions, SOLVING, true)
    }

    /// The same for a table that answers a question, which are hidden if that does not take long.
    pub fn of_question(positions: u64, takes_long: bool) -> Bars {
        Bars::with_share(positions, SOLVING, takes_long)
    }

    fn with_share(positions: u64, solving: f64, are_shown: bool) -> Bars {
        let [whole, slice] = [positions, 0].map(|len| match are_shown {
            true => BARS.add(ProgressBar::new(len)),
            false => ProgressBar::hidden(),
        });
        let before = Arc::new(AtomicU64::new(0));
        let known = before.clone();
        let speed = move |state: &ProgressState, to: &mut dyn Write| {
            let done = state.pos().saturating_sub(known.load(Ordering::Relaxed));
            let rest = positions.saturating_sub(state.pos());
            if let Some((per_second, left)) = outlook(done as f64, state.elapsed(), rest as f64) {
                let _ = write!(to, ", {}, {} left", rate(per_second), duration(left));
            }
        };
        let template = "[{bar:16}] {percent:>3} % of {human_len} positions{speed}";
        whole.set_style(style(template).with_key("speed", speed));
        slice.set_style(style("[{bar:16}] {prefix}: {msg}"));
        // So that the times are right. It panics where the system starts no more threads.
        let trial = || threads::spawn("trial", || ()).is_ok_and(|trial| trial.join().is_ok());
        if !whole.is_hidden() && trial() {
            whole.enable_steady_tick(TICK);
        }
        let notes_slices = processes::are_launched() && whole.is_hidden();
        let (done, said) = (Mutex::default(), Mutex::default());
        Bars { whole, slice, solving, done, before, said, notes_slices }
    }

    fn start(&self, material: Material, columns: usize, positions: u64, what: &'static str) {
        self.tell(material, columns, what);
        self.slice.set_length(positions);
        self.slice.set_position(0);
        let mut done = lock(&self.done);
        (done.columns, done.has_news, done.is_resumed) = (columns, false, false);
    }

    /// Tells what is done with a slice.
    fn tell(&self, material: Material, columns: usize, what: &'static str) {
        let slice = format!("{material}, {columns} columns");
        if self.notes_slices {
            note(&format!("{slice}: {what}"));
        }
        self.slice.set_prefix(slice);
        self.slice.set_message(what);
    }

    /// Shows that this many positions of the slice are done.
    fn go_on(&self, positions: u64, message: String, by_earlier_run: bool) {
        self.slice.set_message(message);
        self.slice.set_position(positions);
        self.show(lock(&self.done).finished + self.work_on(positions), by_earlier_run);
    }

    /// How much work it is to solve this many positions.
    fn work_on(&self, positions: u64) -> f64 {
        self.solving * positions as f64
    }

    /// Shows that so much is done. If `by_earlier_run`, it tells nothing about the speed.
    fn show(&self, so_far: f64, by_earlier_run: bool) {
        self.whole.set_position(so_far.round() as u64);
        if by_earlier_run {
            self.before.store(so_far.round() as u64, Ordering::Relaxed);
            self.whole.reset_elapsed();
        }
    }
}

/// How many positions are done in a second, and how long the `rest` takes, after so many `done` in this time. `None`
/// if these are too few to tell.
fn outlook(done: f64, time: Duration, rest: f64) -> Option<(f64, Duration)> {
    let per_second = done / time.as_secs_f64();
    let left = Duration::try_from_secs_f64(rest / per_second).ok()?;
    (done >= LEAST * (done + rest)).then_some((per_second, left))
}

impl Progress for Bars {
    fn material_started(&self, _material: Material, positions: u64) {
        let mut done = lock(&self.done);
        done.finished = done.up_to_material as f64;
        done.up_to_material += positions;
        done.slices.clear();
        self.show(done.finished, false);
    }

    fn slice_resumed(&self, material: Material, columns: usize, positions: u64) {
        self.start(material, columns, positions, "done by an earlier run");
        lock(&self.done).is_resumed = true;
        self.slice_finished();
    }

    fn slice_started(&self, material: Material, columns: usize, positions: u64) {
        self.start(material, columns, positions, "solving");
        // The bar shows no word, as the slice may be one that is checked.
        self.slice.set_message("");
    }

    fn ply_done(&self, ply: u16, settled: u64) {
        let mut done = lock(&self.done);
        // Where the first plies are missing, an earlier run has begun the slice.
        let is_resumed = !std::mem::replace(&mut done.has_news, true) && ply > 1;
        done.is_resumed |= is_resumed;
        drop(done);
        let of = grouped(self.slice.length().unwrap_or(0));
        let message = format!("ply {ply}, {} of {of} settled", grouped(settled));
        self.go_on(settled, message, is_resumed);
    }

    fn positions_checked(&self, checked: u64) {
        let of = grouped(self.slice.length().unwrap_or(0));
        self.go_on(checked, format!("{} of {of} done", grouped(checked)), false);
    }

    fn slice_finished(&self) {
        let positions = self.slice.length().unwrap_or(0);
        self.slice.set_position(positions);
        let mut done = lock(&self.done);
        done.finished += self.work_on(positions);
        let (columns, finished) = (done.columns, done.finished);
        done.slices.push((columns, positions));
        // How much of a resumed slice this run has done is not known, because drawn positions are never settled.
        self.show(finished, done.is_resumed);
    }

    fn slice_writing(&self, material: Material, columns: usize) {
        self.tell(material, columns, "writing");
        // Solving has left many small pieces, and writing takes large ones.
        allocator::return_small_pieces();
        let done = lock(&self.done);
        // Slices in work are saved. Those that are finished are written to the table, in their order.
        let Some(at) = done.slices.iter().position(|slice| slice.0 == columns) else { return };
        let written = |slices: &[(usize, u64)]| {
            let positions: u64 = slices.iter().map(|slice| slice.1).sum();
            (1.0 - self.solving) * positions as f64
        };
        self.show(done.finished + written(&done.slices[..at]), false);
    }

    fn warned(&self, text: &str) {
        if lock(&self.said).insert(text.to_owned()) {
            above_bars(|| say(&format_args!("warning: {text}")));
        }
    }

    fn noted(&self, text: &str) {
        note(&text);
    }

    fn should_stop(&self) -> bool {
        interrupt::has_come() || interrupt::is_stopped()
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        self.slice.finish_and_clear();
        self.whole.finish_and_clear();
    }
}

/// A bar that counts these things. Its length is how many there are, and its message says what is at work.
pub fn counter(things: &str) -> ProgressBar {
    let bar = BARS.add(ProgressBar::new(0));
    bar.set_style(style(&format!(
        "[{{bar:16}}] {{human_pos}} of {{human_len}} {things}: {{wide_msg}}"
    )));
    bar
}

/// A line on standard error that shows how far a search is, or the review of a game. It is hidden if that is no
/// terminal.
pub struct SearchProgress {
    line: ProgressBar,
    /// The game that is reviewed, if it is one. Its line tells no more of a search for a position.
    game: Option<String>,
}

impl SearchProgress {
    /// Shows the line of a search.
    pub fn new() -> SearchProgress {
        let line = BARS.add(ProgressBar::no_length());
        let rate = |state: &ProgressState, to: &mut dyn Write| {
            let _ = to.write_str(&rate(state.per_sec()));
        };
        let style = style("{spinner} {human_pos} positions, {rate}; {msg}");
        line.set_style(style.with_key("rate", rate));
        SearchProgress { line, game: None }
    }

    /// Shows the line of the review of a game.
    pub fn of_review(game: String) -> SearchProgress {
        SearchProgress { line: counter("plies"), game: Some(game) }
    }
}

impl Progress for SearchProgress {
    fn searching(&self, status: &SearchStatus) {
        if self.game.is_some() {
            return;
        }
        let open = Color::ALL.into_iter().filter(|&color| status.numbers[color].is_some());
        let open: Vec<String> = open.map(|color| color.to_string()).collect();
        self.line.set_position(status.positions);
        self.line.set_message(match open.is_empty() {
            true => String::new(),
            false => format!("it is open whether {} can win", open.join(" or ")),
        });
    }

    fn reviewing(&self, ply: usize, positions: usize) {
        self.line.set_length(positions as u64);
        self.line.set_position((positions - 1 - ply) as u64);
        let game = self.game.as_deref().unwrap_or_default();
        self.line.set_message(format!("{game}, at ply {ply}"));
    }

    fn should_stop(&self) -> bool {
        interrupt::is_stopped()
    }
}

impl Drop for SearchProgress {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_from_what_is_done_so_far() {
        let time = Duration::from_secs(10);
        assert_eq!(outlook(5.0, time, 995.0), None);
        assert_eq!(outlook(200.0, time, 800.0), Some((20.0, Duration::from_secs(40))));
        assert_eq!(outlook(0.0, Duration::ZERO, 0.0), None);
    }
}
