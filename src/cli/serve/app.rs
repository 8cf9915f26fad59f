//! What answers to requests have in common: the tables, the threads that work, and the limits.

use super::current::CurrentTables;
use super::query;
use super::reach::Reach;
use super::refusal::{JSON, Refusal};
use super::searches::Searches;
use super::work::{self, Cancel};
use crate::json::{self, Failed, RatedStep};
use crate::make::Maker;
use crate::memory::search_memory;
use crate::{parsers, threads};
use axum::response::{IntoResponse, Response};
use clap::builder::TypedValueParser;
use hyper::StatusCode;
use hyper::header::{self, HeaderName};
use lasca_analysis::answer::Question;
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{Position, RuleSet};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// How long making a table may take by default at a server that only this machine asks.
const MAKE_FOR_ONE: Duration = Duration::from_secs(60);

/// The least memory that a search is given by default, in bytes.
const LEAST_SEARCH_MEMORY: u64 = 4 << 20;

/// The media type of lines of JSON, as a header.
pub const JSON_LINES: (HeaderName, &str) = (header::CONTENT_TYPE, "application/x-ndjson");

/// What answers to a request need.
#[derive(Debug)]
pub struct App {
    /// The tables.
    pub tables: Arc<CurrentTables>,
    /// The rule set.
    pub rules: RuleSet,
    /// The places of the connections.
    pub places: Arc<Semaphore>,
    /// How many requests are being answered.
    pub under_way: AtomicUsize,
    /// The threads that answer from the tables.
    workers: Arc<Semaphore>,
    /// Makes tables for clients.
    pub maker: Maker,
    /// The thread on which it does.
    pub making: Arc<Semaphore>,
    /// The place of the request that picks endings.
    pub endings: Semaphore,
    /// The places of the searches.
    pub searches: Arc<Searches>,
    /// Becomes true when the server stops. Then searches end, and no more tables are made.
    pub stopping: Arc<AtomicBool>,
    /// The limits.
    pub limits: Limits,
    /// How many bytes each search may use.
    pub search_memory: u64,
    /// Who can reach the server, and under which names.
    pub reach: Reach,
}

/// The limits that answers keep to, and the options that set them.
#[derive(Clone, Debug, clap::Args)]
pub struct Limits {
    /// The time limit for an answer in seconds, waiting included
    ///
    /// Searches have a limit of their own, --search-seconds. A table that is made takes as long as --make allows, once it
    /// is begun.
    #[arg(long, value_name = "SECONDS", default_value = "10",
          value_parser = parsers::number::<u64>(1..=3600).map(Duration::from_secs))]
    pub time_limit: Duration,

    /// The time limit for a client in seconds, to send a request or to begin the next one
    ///
    /// If a client takes longer, its connection is closed.
    #[arg(long, value_name = "SECONDS", default_value = "10",
          value_parser = parsers::number::<u64>(1..=3600).map(Duration::from_secs))]
    pub patience: Duration,

    /// How many connections may be open
    ///
    /// Further clients wait until another has left, or was idle for as long as --patience. Connections take at most
    /// half of the files that the system allows the server to open.
    #[arg(long, value_name = "N", default_value_t = 512,
          value_parser = parsers::number::<usize>(1..=100_000))]
    pub connections: usize,

    /// Make the table that answers for who asks with /make, if that takes at most so many seconds; 0 makes none
    /// [default: 60 if only this machine reaches the server, and --host is not given; otherwise 0]
    ///
    /// One table is made at a time, on all threads. It stays in memory, and if it took more than a second, it is kept as
    /// `probe --make` keeps it.
    #[arg(long, value_name = "SECONDS", value_parser = parsers::seconds)]
    pub make: Option<Duration>,

    /// How many searches may run at a time; 0 switches /solve off
    ///
    /// Each client has one at a time. Further searches get status 503, and can be asked for again. A search has a
    /// thread of its own, so positions are still looked up when all searches are busy.
    #[arg(long, value_name = "N", default_value_t = 2,
          value_parser = parsers::number::<usize>(0..=1024))]
    pub searches: usize,

    /// The time limit for a search in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60",
          value_parser = parsers::number::<u64>(1..=86_400).map(Duration::from_secs))]
    pub search_seconds: Duration,

    /// The memory limit for each search, such as 800M or 4G [default: an equal part of half of what
    /// is free when the server starts]
    #[arg(long, value_name = "SIZE", value_parser = parsers::size)]
    search_memory: Option<u64>,
}

impl Limits {
    /// How many bytes each search may use. What is free is asked only once: later, tables are loaded.
    pub fn search_memory(&mut self) -> u64 {
        let searches = self.searches.max(1) as u64;
        *self
            .search_memory
            .get_or_insert_with(|| (search_memory(None) / searches).max(LEAST_SEARCH_MEMORY))
    }
}

/// What is known of a position without a search.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Known {
    /// What the tables tell.
    Told(Box<json::Answer>),
    /// No table tells anything.
    Untold(Untold),
}

/// A position that no table covers: `/known`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Untold {
    /// The position in list form.
    position: String,
    /// All legal moves, in the order of their squares. Empty if the game is over.
    moves: Vec<RatedStep>,
    /// Why no table has an answer.
    missing: Failed,
}

/// An answer, or why there is none.
pub type Answered = Result<Response, Refusal>;

/// The moves of a position.
pub fn all_moves(rules: RuleSet, position: &Position) -> Result<json::Answer, Refusal> {
    Ok(json::Answer::of_moves(position, &position.successors(rules)?))
}

/// Reads a position with the moves after it.
pub fn position(rules: RuleSet, text: &str) -> Result<Position, Refusal> {
    position_in_game(rules, text).map(|(position, _)| position)
}

/// The same, with the positions before the moves.
pub fn position_in_game(rules: RuleSet, text: &str) -> Result<(Position, Vec<Position>), Refusal> {
    let position = parsers::position_after_moves(text, rules);
    position.map_err(|(reason, why)| query::wrong(why).because(reason))
}

impl App {
    /// Answers from these tables.
    pub fn new(tables: CurrentTables, mut limits: Limits, reach: Reach) -> App {
        let rules = tables.get().rules();
        let by_default = if reach.is_for_one { MAKE_FOR_ONE } else { Duration::ZERO };
        App {
            maker: tables.maker(limits.make.unwrap_or(by_default)),
            making: Arc::new(Semaphore::new(1)),
            endings: Semaphore::new(1),
            tables: Arc::new(tables),
            rules,
            places: Arc::new(Semaphore::new(limits.connections)),
            under_way: AtomicUsize::new(0),
            workers: Arc::new(Semaphore::new(threads::count())),
            searches: Arc::new(Searches::new(limits.searches)),
            stopping: Arc::default(),
            search_memory: limits.search_memory(),
            limits,
            reach,
        }
    }

    /// How many threads work at a time.
    pub fn threads(&self) -> usize {
        let making = 1;
        threads::count() + making + self.limits.searches
    }

    /// Answers with a line of JSON, which another thread finds out.
    pub async fn answer<T: Serialize>(
        &self,
        work: impl FnOnce(&Cancel) -> Result<T, Refusal> + Send + 'static,
    ) -> Answered {
        let line = |cancel: &Cancel| Ok(json::to_line(&work(cancel)?) + "\n");
        Ok(([JSON], self.within_time(line).await?).into_response())
    }

    /// The same for an answer about a position.
    pub async fn about_position<T: Serialize>(
        self: Arc<App>,
        text: String,
        work: impl FnOnce(&App, &str) -> Result<T, Refusal> + Send + 'static,
    ) -> Answered {
        let (app, of_work) = (self.clone(), text.clone());
        let answered = self.answer(move |_| work(&app, &of_work)).await;
        answered.map_err(|refusal| refusal.about(&text))
    }

    /// Does work on another thread as soon as one is free, if it does not take too long. Work that nobody waits for any
    /// more keeps its thread until it has ended, so there are never more.
    pub async fn within_time(
        &self,
        work: impl FnOnce(&Cancel) -> Result<String, Refusal> + Send + 'static,
    ) -> Result<String, Refusal> {
        let done = async {
            let thread = self.workers.clone().acquire_owned().await;
            work::run(work, thread, Arc::default()).await
        };
        let done = timeout(self.limits.time_limit, done).await;
        done.unwrap_or_else(|_| Err(Refusal::busy("the answer took too long")))
    }

    /// Asks the tables a question about a position.
    pub fn of_tables(&self, text: &str, question: &Question) -> Result<json::Answer, Refusal> {
        let (position, before) = position_in_game(self.rules, text)?;
        let tables = self.tables.get();
        let answered = Question { tables: (&tables).into(), ..*question }.of_tables(&position);
        let searches = self.limits.searches > 0;
        let answer = answered.map_err(|error| match self.refusal(&tables, &position, error) {
            refusal if searches && refusal.status == StatusCode::NOT_FOUND => {
                refusal.with_hint("/solve finds out by search")
            }
            refusal => refusal,
        })?;
        Ok(json::Answer::new(&answer.in_game(before)))
    }

    /// Why tables do not answer about a position, with the plan for one that would, if it may be made.
    fn refusal(&self, tables: &Tablebase, position: &Position, error: ProbeError) -> Refusal {
        let mut refusal = Refusal::from(error);
        if refusal.status == StatusCode::NOT_FOUND {
            refusal.failed.make = self.maker.price(tables, position);
        }
        refusal
    }

    /// All that is known of a position without a search: what the tables tell, as far as they go, or else its
    /// legal moves.
    pub fn known(&self, text: &str) -> Result<Known, Refusal> {
        let position = position(self.rules, text)?;
        let tables = self.tables.get();
        let refusal = match Question::of_board(&tables, &position) {
            Ok(answer) => return Ok(Known::Told(Box::new(json::Answer::new(&answer)))),
            Err(error) => self.refusal(&tables, &position, error),
        };
        if refusal.status != StatusCode::NOT_FOUND {
            return Err(refusal);
        }
        let json::Answer { position, moves, .. } = all_moves(self.rules, &position)?;
        let moves = moves.unwrap_or_default();
        Ok(Known::Untold(Untold { position, moves, missing: *refusal.failed }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folders::Folders;
    use lasca_tablebase::Progress;
    use std::sync::mpsc;
    use tokio::task;
    use tokio::time::advance;

    /// Answers of a server that makes no searches.
    fn app() -> App {
        let time = Duration::from_secs(10);
        let limits = Limits {
            time_limit: time,
            patience: time,
            connections: 1,
            searches: 0,
            make: None,
            search_seconds: time,
            search_memory: None,
        };
        let reach = Reach::new([[127, 0, 0, 1].into()].into_iter(), Vec::new());
        let tables = CurrentTables::open(&Folders::default(), RuleSet::Lasca, 0).unwrap();
        App::new(tables, limits, reach)
    }

    #[tokio::test(start_paused = true)]
    async fn work_that_is_late_is_cancelled_and_keeps_its_thread_until_it_ends() {
        let app = app();
        let (go, wait) = mpsc::channel::<()>();
        let (tell, told) = mpsc::channel();
        let work = move |cancel: &Cancel| {
            let _ = wait.recv();
            let _ = tell.send(cancel.should_stop());
            Ok(String::new())
        };
        let late = app.within_time(work);
        // When the work has begun, the clock of the test goes beyond the limit.
        let (late, ()) =
            tokio::join!(late, advance(app.limits.time_limit + Duration::from_millis(1)));
        let late = late.unwrap_err();
        assert_eq!(late.failed.error, "the answer took too long");
        assert_eq!(late.into_response().headers()["retry-after"], "1");
        assert_eq!(app.workers.available_permits(), threads::count() - 1);
        drop(go);
        while app.workers.available_permits() < threads::count() {
            task::yield_now().await;
        }
        assert_eq!(told.recv(), Ok(true));
    }
}
