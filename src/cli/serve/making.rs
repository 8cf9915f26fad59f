//! The answer to `/make`: makes the table that answers a position, and then answers from it.

use super::app::{Answered, App, line_by_line, position};
use super::log;
use super::pool::{self, Cancel};
use super::query::{self, POSITION};
use super::refusal::Refusal;
use crate::json;
use crate::threads::lock;
use axum::extract::{RawQuery, State};
use lasca_analysis::answer::Question;
use lasca_tablebase::Progress;
use lasca_tablebase::generate::{GenerateError, MakeProgress};
use serde::Serialize;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::timeout;

/// The time between two lines that tell how far the work is.
const PACE: Duration = Duration::from_millis(250);

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
    let (send, lines) = unbounded_channel();
    let (of_work, asked, to_client) = (app.clone(), text.clone(), send.clone());
    let work = move |cancel: &Cancel| of_work.make(&asked, cancel, &to_client);
    let busy = || Refusal::busy("other tables are made first").about(&text);
    let thread = timeout(app.limits.time_limit, app.making.enter()).await.map_err(|_| busy())?;
    Ok(line_by_line(pool::run(work, thread, Arc::default()), text, send, lines))
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
            let last = Mutex::new(None::<Instant>);
            let tell = |done: f64| {
                let mut last = lock(&last);
                if last.is_none_or(|last| last.elapsed() >= PACE) {
                    *last = Some(Instant::now());
                    let done = (1000.0 * done).round() / 1000.0;
                    let _ = lines.send(json::to_line(&Making { done }) + "\n");
                }
            };
            let stopping = &self.searches.stopping;
            let should_stop = || cancel.should_stop() || stopping.load(Ordering::Relaxed);
            let follower = MakeProgress::new(&tell, &should_stop);
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
        Ok(json::to_line(&self.of_tables(text, &question)?) + "\n")
    }
}
