//! The answer to `/make`: makes the table that answers a position, and then answers from it.

use super::app::{Answered, App, JSON_LINES, position};
use super::log;
use super::pool::Cancel;
use super::query::{self, POSITION};
use super::refusal::Refusal;
use crate::json;
use crate::threads::lock;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::IntoResponse;
use futures_util::stream::{self, StreamExt};
use lasca_analysis::answer::Question;
use lasca_tablebase::Progress;
use lasca_tablebase::generate::GenerateError;
use lasca_tablebase::index::Material;
use serde::Serialize;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// The time between two lines that tell how far the work is.
const PACE: Duration = Duration::from_millis(250);

/// The share of solving in the time that solving and writing take together.
const SOLVING: f64 = 5.0 / 6.0;

/// How far making a table is: `/make`, before the last line.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Making {
    /// The share of the work that is done, from 0 to 1.
    done: f64,
}

/// Answers `/make`.
pub async fn make(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Answered {
    let [text] = query::read(query, ["position"], Some(POSITION))?;
    let text = text.unwrap_or_default();
    let (send, mut lines) = unbounded_channel();
    let (of_work, asked, to_client) = (app.clone(), text.clone(), send.clone());
    let work = move |cancel: &Cancel| of_work.make(&asked, cancel, &to_client);
    let busy = || Refusal::busy("too many requests are waiting for tables that are made");
    let work = app.making.begin(work).ok_or_else(busy).map_err(|refusal| refusal.about(&text))?;
    tokio::spawn(async move {
        tokio::select! {
            ended = work => {
                let last = ended.unwrap_or_else(|refusal| {
                    refusal.log_cause();
                    refusal.about(&text).line() + "\n"
                });
                let _ = send.send(last);
            }
            // The client has gone, so the work ends.
            () = send.closed() => {}
        }
    });
    let lines = stream::poll_fn(move |context| lines.poll_recv(context));
    Ok(([JSON_LINES], Body::from_stream(lines.map(Ok::<_, Infallible>))).into_response())
}

impl App {
    /// Makes the table that answers a position, unless it is there. Returns the line of the answer.
    fn make(
        &self,
        text: &str,
        cancel: &Cancel,
        lines: &UnboundedSender<String>,
    ) -> Result<String, Refusal> {
        let position = position(self.rules, text)?;
        let tables = self.tables.get();
        if let Some(plan) = self.maker.plan_for(&tables, &position) {
            let told = Mutex::new(Told::default());
            let all = plan.positions as f64;
            let follower = Follower { cancel, lines, all, stopping: &self.searches.stopping, told };
            match self.maker.make_quietly(&tables, &plan, &follower) {
                Ok(made) => log::line(format_args!("- {made}")),
                Err(GenerateError::Stopped { .. }) => {
                    return Err(Refusal::busy("the server is stopping"));
                }
                Err(error) => {
                    let cause = Some(format!("the table could not be made: {error}"));
                    return Err(Refusal { cause, ..Refusal::without_memory() });
                }
            }
        }
        let question = Question { moves: true, ..Question::new(self.rules) };
        Ok(json::to_line(&self.of_tables(text, &question, false)?) + "\n")
    }
}

/// Follows the work for a client.
struct Follower<'a> {
    cancel: &'a Cancel,
    lines: &'a UnboundedSender<String>,
    /// How many positions the table has.
    all: f64,
    /// Whether the server stops.
    stopping: &'a AtomicBool,
    told: Mutex<Told>,
}

/// What was told, and what is done, in positions.
#[derive(Default)]
struct Told {
    last: Option<Instant>,
    /// The slices that are finished, and the positions of the one in work.
    slices: Vec<(usize, u64)>,
    in_work: (usize, u64),
}

impl Follower<'_> {
    /// Tells that this much is done, in positions, if it is time.
    fn tell(&self, told: &mut Told, done: f64) {
        if told.last.is_none_or(|last| last.elapsed() >= PACE) {
            told.last = Some(Instant::now());
            let done = (1000.0 * done / self.all).round() / 1000.0;
            let _ = self.lines.send(json::to_line(&Making { done }) + "\n");
        }
    }
}

/// How many positions these slices have.
fn positions(slices: &[(usize, u64)]) -> f64 {
    slices.iter().map(|slice| slice.1).sum::<u64>() as f64
}

impl Progress for Follower<'_> {
    fn slice_started(&self, _: Material, columns: usize, positions: u64) {
        let told = &mut *lock(&self.told);
        told.in_work = (columns, positions);
        let done = SOLVING * self::positions(&told.slices);
        self.tell(told, done);
    }

    fn ply_done(&self, _: u16, settled: u64) {
        let told = &mut *lock(&self.told);
        let done = SOLVING * (positions(&told.slices) + settled as f64);
        self.tell(told, done);
    }

    fn slice_finished(&self) {
        let told = &mut *lock(&self.told);
        told.slices.push(told.in_work);
    }

    fn slice_writing(&self, _: Material, columns: usize) {
        let told = &mut *lock(&self.told);
        let before = told.slices.iter().take_while(|slice| slice.0 < columns).copied();
        let written = positions(&before.collect::<Vec<_>>());
        let done = SOLVING * self.all + (1.0 - SOLVING) * written;
        self.tell(told, done);
    }

    fn should_stop(&self) -> bool {
        self.cancel.should_stop() || self.stopping.load(Ordering::Relaxed)
    }
}
