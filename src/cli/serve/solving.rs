//! The answer to `/solve`: what is asked for, and the search that finds it out.

use super::app::{Answered, App, JSON_LINES, all_moves, position};
use super::client::Client;
use super::pool::{self, Cancel};
use super::query::{self, POSITION};
use super::refusal::{JSON, Refusal};
use super::turns::{Full, Turn, Who};
use crate::json;
use crate::parsers;
use axum::body::Body;
use axum::extract::{Extension, RawQuery, State};
use axum::response::IntoResponse;
use futures_util::stream::{self, StreamExt};
use hyper::{Method, StatusCode};
use lasca_tablebase::answer::json::Searching;
use lasca_tablebase::answer::{Answer, Question, SearchLimits, Stage};
use lasca_tablebase::rules::Position;
use lasca_tablebase::search::{Limits, Stop};
use lasca_tablebase::{Progress, SearchStatus};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

/// How long each search may take before it waits for its turn.
const SLICE: Duration = Duration::from_millis(200);

/// The time between two lines about the progress of a search.
const PACE: Duration = Duration::from_millis(250);

/// How long the moves are looked at before their worth so far is told for the first time.
const FIRST_LOOK: Duration = Duration::from_millis(500);

/// Answers `/solve`.
pub async fn solve(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    method: Method,
    RawQuery(query): RawQuery,
) -> Answered {
    let [text, seconds, moves, exact, progress] =
        query::read(query, ["position", "seconds", "moves", "exact", "progress"], Some(POSITION))?;
    let text = text.unwrap_or_default();
    let wanted = || {
        let task = Task {
            app: app.clone(),
            position: position(&text)?,
            time: time(seconds, app.limits.search_seconds)?,
            moves: query::flag("moves", moves)?,
            exact: query::flag("exact", exact)?,
        };
        if app.limits.searches == 0 {
            return Err(Refusal::new(StatusCode::NOT_FOUND, "this server does not search"));
        }
        Ok((task, query::flag("progress", progress)?))
    };
    let about = |refusal: Refusal| refusal.about(&text);
    let (task, progress) = wanted().map_err(about)?;
    if method == Method::HEAD {
        // The length of the answer is not known, so this has none either.
        let unknown = Body::from_stream(stream::empty::<Result<String, Infallible>>());
        return Ok(([if progress { JSON_LINES } else { JSON }], unknown).into_response());
    }
    let who = Who::from(client.ip());
    let task = Arc::new(task);
    let (line, is_over) = begin(task.clone(), who).await.map_err(about)?;
    let kind = if progress { JSON_LINES } else { JSON };
    if is_over {
        return Ok(([kind], line).into_response());
    }
    let full = |full| about(busy("too many searches are waiting for their turn", full));
    let turn = app.searches.places.enter(who, task.time).map_err(full)?;
    if !progress {
        let line = go_on(task, turn, line, None).await.map_err(about)?;
        return Ok(([kind], line).into_response());
    }
    let (send, mut lines) = unbounded_channel();
    let search = go_on(task, turn, line, Some(send.clone()));
    tokio::spawn(async move {
        tokio::select! {
            ended = search => {
                let last = ended.unwrap_or_else(|refusal| {
                    refusal.log_cause();
                    refusal.about(&text).line() + "\n"
                });
                let _ = send.send(last);
            }
            // The client has gone, so the search ends.
            () = send.closed() => {}
        }
    });
    let lines = stream::poll_fn(move |context| lines.poll_recv(context));
    Ok(([kind], Body::from_stream(lines.map(Ok::<_, Infallible>))).into_response())
}

fn busy(error: &str, Full(seconds): Full) -> Refusal {
    Refusal { wait: seconds, ..Refusal::busy(error) }
}

/// Searches for a short time. Returns the answer, and whether a longer search would find no more.
async fn begin(task: Arc<Task>, who: Who) -> Result<(String, bool), Refusal> {
    let searches = &task.app.searches;
    // If the server stops, the search ends at once.
    let full = |full| busy("too many searches begin at once", full);
    let turn = searches.slices.enter(who, SLICE).map_err(full)?.await.ok();
    let stopping = searches.stopping.clone();
    let search = move |cancel: &Cancel| {
        let answer = task.run(cancel, None, Some(SLICE))?;
        let is_over = answer.effort.is_none_or(|effort| effort.stop != Stop::Cancelled);
        Ok((line_of(&answer), is_over))
    };
    pool::run(search, turn, stopping).await
}

/// Searches for as long as it may take when it is its turn. If the server stops before, `so_far` is the
/// answer.
async fn go_on(
    task: Arc<Task>,
    turn: oneshot::Receiver<Turn>,
    so_far: String,
    lines: Option<UnboundedSender<String>>,
) -> Result<String, Refusal> {
    let Ok(turn) = turn.await else { return Ok(so_far) };
    let stopping = task.app.searches.stopping.clone();
    let search = move |cancel: &Cancel| Ok(line_of(&task.run(cancel, lines.as_ref(), None)?));
    pool::run(search, turn, stopping).await
}

/// Reads the time limit.
fn time(seconds: Option<String>, longest: Duration) -> Result<Duration, Refusal> {
    let read = |text: &str| {
        let time = parsers::seconds(text).ok().filter(|&time| time <= longest);
        let longest = longest.as_secs();
        time.ok_or_else(|| format!("expected a number from 0 to {longest}, found {text:?}"))
    };
    Ok(query::option("seconds", seconds, read)?.unwrap_or(longest))
}

/// A search that a request has asked for.
struct Task {
    app: Arc<App>,
    position: Position,
    time: Duration,
    moves: bool,
    exact: bool,
}

impl Task {
    /// Searches on this thread. With a `slice`, the search is stopped when it has taken as long. That is no limit
    /// of time, which a search divides among its stages: what is found within the slice is what a search
    /// without it finds.
    fn run(
        &self,
        cancel: &Cancel,
        lines: Option<&UnboundedSender<String>>,
        slice: Option<Duration>,
    ) -> Result<Answer, Refusal> {
        let rules = self.app.rules;
        if self.moves {
            all_moves(rules, &self.position)?;
        }
        let begun = Instant::now();
        let slice_ends = slice.filter(|&slice| slice < self.time).map(|slice| begun + slice);
        let told = Mutex::new(Told { stage: Stage::Position, positions: 0, at: begun });
        let follower = Follower { cancel, lines, slice_ends, begun, told };
        self.app.tables.answer(|tables| {
            let time = Some(self.time.saturating_sub(begun.elapsed()));
            let limits = Limits { time, threads: 1 };
            let limits = SearchLimits { limits, memory: self.app.search_memory };
            let question = Question {
                exact: self.exact,
                moves: self.moves,
                line: true,
                ..Question::new(tables)
            };
            let mut search = question.search(&self.position, limits)?;
            let mut look = None;
            follower.goes_on(Stage::Position, None);
            while !search.go_on(look, &follower)? {
                if cancel.is_unwanted() {
                    return Err(Refusal::busy("nobody waits for this answer any more"));
                }
                let tells = search.stage() == Stage::Moves && lines.is_some();
                let found = tells.then(|| search.answer(&follower)).transpose()?;
                follower.goes_on(search.stage(), found.as_ref());
                // Each look at the moves is twice as long as the one before.
                look = tells.then(|| look.map_or(FIRST_LOOK, |look| 2 * look));
            }
            Ok(search.answer(&follower)?)
        })
    }
}

fn json_of(answer: &Answer) -> json::Answer {
    json::Answer::new(answer, Position::to_string)
}

fn line_of(answer: &Answer) -> String {
    json::to_line(&json_of(answer)) + "\n"
}

/// Follows a search for a client.
struct Follower<'a> {
    cancel: &'a Cancel,
    /// Where the lines go, if the client wants any.
    lines: Option<&'a UnboundedSender<String>>,
    /// When the search is stopped, if it is.
    slice_ends: Option<Instant>,
    begun: Instant,
    told: Mutex<Told>,
}

/// What the last line was about, and when it was told.
struct Told {
    stage: Stage,
    positions: u64,
    at: Instant,
}

impl Follower<'_> {
    /// Tells that the search is at this stage, and what is found so far.
    fn goes_on(&self, stage: Stage, so_far: Option<&Answer>) {
        let mut told = self.told();
        told.stage = stage;
        self.tell(&mut told, so_far);
    }

    fn tell(&self, told: &mut Told, so_far: Option<&Answer>) {
        let Some(lines) = self.lines else { return };
        told.at = Instant::now();
        let time = self.begun.elapsed();
        let line = Searching::new(told.stage, told.positions, time, so_far.map(json_of));
        let _ = lines.send(json::to_line(&line) + "\n");
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Follower<'_> {
    fn searching(&self, status: &SearchStatus) {
        let mut told = self.told();
        told.positions = status.positions;
        if told.at.elapsed() >= PACE {
            self.tell(&mut told, None);
        }
    }

    fn should_stop(&self) -> bool {
        self.cancel.should_stop() || self.slice_ends.is_some_and(|ends| Instant::now() >= ends)
    }
}
