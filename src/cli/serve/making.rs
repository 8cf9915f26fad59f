//! The answer to `/make`: makes the table that answers a position, and then answers from it.

use super::app::{Answered, App, position};
use super::lines::{Teller, line_by_line};
use super::log;
use super::query::{self, POSITION};
use super::refusal::Refusal;
use super::work::{self, Cancel};
use crate::json;
use axum::extract::{RawQuery, State};
use hyper::StatusCode;
use lasca_analysis::answer::Question;
use lasca_tablebase::generate::{GenerateError, MakeProgress};
use lasca_tablebase::{Progress, Reason};
use serde::Serialize;
use std::sync::Arc;
use tokio::time::timeout;

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
    let (of_work, asked, stopping) = (app.clone(), text.clone(), app.stopping.clone());
    let busy = || Refusal::busy("other tables are made first").about(&text);
    let thread = timeout(app.limits.time_limit, app.making.clone().acquire_owned())
        .await
        .map_err(|_| busy())?;
    Ok(line_by_line(text, |teller| {
        work::run(move |cancel| of_work.make(&asked, cancel, &teller), thread, stopping)
    }))
}

impl App {
    /// Makes the table that answers a position, unless it is there. Returns the line of the answer.
    fn make(&self, text: &str, cancel: &Cancel, teller: &Teller) -> Result<String, Refusal> {
        let position = position(self.rules, text)?;
        let tell = |done: f64| teller.tell(&Making { done: (1000.0 * done).round() / 1000.0 });
        let should_stop = || cancel.should_stop();
        let follower = MakeProgress::new(&tell, &should_stop);
        let made = self.tables.as_they_are(|tables| {
            let plan = self.maker.plan_for(tables, &position)?;
            Some(self.maker.make_quietly(tables, &plan, &follower))
        });
        match made {
            None => {}
            Some(Ok(made)) => log::line(format_args!("- {made}")),
            Some(Err(GenerateError::Stopped { .. })) => {
                return Err(Refusal::busy("the server is stopping"));
            }
            Some(Err(error)) => {
                log::line(format_args!("- the table could not be made: {error}"));
                if error.is_of_memory() {
                    let refusal = Refusal::busy("there is not enough memory to answer now");
                    return Err(refusal.because(Reason::NoMemory));
                }
                // It would meet the same another time.
                let why = format!("the table cannot be made: {error}");
                return Err(Refusal::new(StatusCode::NOT_FOUND, why).because(Reason::NotCovered));
            }
        }
        let question = Question { moves: true, ..Question::new(self.rules) };
        Ok(json::to_line(&self.of_tables(text, &question)?) + "\n")
    }
}
