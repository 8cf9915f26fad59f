//! The answer to `/solve`: what is asked for, and the search that finds it out.

use super::app::{Answered, App, JSON_LINES, line_by_line, position_in_game};
use super::client::Client;
use super::pool::{self, Cancel};
use super::query::{self, POSITION};
use super::refusal::{JSON, Refusal};
use super::searches::{Place, Taken};
use crate::json;
use crate::parsers;
use axum::body::Body;
use axum::extract::{Extension, RawQuery, State};
use axum::response::IntoResponse;
use futures_util::stream;
use hyper::{Method, StatusCode};
use lasca_analysis::answer::json::Searching;
use lasca_analysis::answer::{Answer, Question, Search, SearchLimits, Stage};
use lasca_tablebase::probe::ProbeError;
use lasca_tablebase::rules::Position;
use lasca_tablebase::{Progress, Reason, SearchStatus};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// How long it may take at least to put an answer together when the time of its search is over. It may be a quarter
/// of that time.
const LEAST_GRACE: Duration = Duration::from_secs(1);

/// The time between two lines that tell how far a search is.
const PACE: Duration = Duration::from_millis(250);

/// Answers `/solve`.
pub async fn solve(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    method: Method,
    RawQuery(query): RawQuery,
) -> Answered {
    let [text, seconds, moves, exact, progress, keep] = query::read(
        query,
        ["position", "seconds", "moves", "exact", "progress", "keep"],
        Some(POSITION),
    )?;
    let text = text.unwrap_or_default();
    let wanted = || {
        let (position, before) = position_in_game(app.rules, &text)?;
        let task = Task {
            app: app.clone(),
            position,
            before,
            time: time(seconds, app.limits.search_seconds)?,
            moves: query::flag("moves", moves)?,
            exact: query::flag("exact", exact)?,
            keep: query::flag("keep", keep)?,
        };
        if app.limits.searches == 0 {
            return Err(Refusal::new(StatusCode::NOT_FOUND, "this server does not search"));
        }
        Ok((task, query::flag("progress", progress)?))
    };
    let about = |refusal: Refusal| refusal.about(&text);
    let (task, progress) = wanted().map_err(about)?;
    let kind = if progress { JSON_LINES } else { JSON };
    if method == Method::HEAD {
        // The length of the answer is not known, so this has none either.
        let unknown = Body::from_stream(stream::empty::<Result<String, Infallible>>());
        return Ok(([kind], unknown).into_response());
    }
    // The answer may take longer than the search.
    let longest = task.time + LEAST_GRACE.max(task.time / 4);
    let place = app.searches.enter(client.ip(), longest).await;
    let place = place.map_err(|taken| about(busy(&taken, app.limits.searches)))?;
    if !progress {
        let line = task.search_at(place, None).await.map_err(about)?;
        return Ok(([kind], line).into_response());
    }
    let (send, lines) = unbounded_channel();
    let search = task.search_at(place, Some(send.clone()));
    Ok(line_by_line(search, text, send, lines))
}

/// The refusal of a search for which there is no place. At most so many run at a time.
fn busy(taken: &Taken, most: usize) -> Refusal {
    let error = match taken.by_client {
        true => "expected one search of a client at a time, found another one".to_owned(),
        false => {
            format!("expected at most {most} searches at a time, found as many of other clients")
        }
    };
    let refusal =
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, error).because(Reason::SearchesBusy);
    let wait = taken.wait;
    Refusal { wait, ..refusal }.with_hint(format!("there is a place in {wait} seconds, or sooner"))
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
    /// The positions that came before in the game.
    before: Vec<Position>,
    time: Duration,
    moves: bool,
    exact: bool,
    /// Whether to go on with what the last search of the client has found, and to keep what this one finds.
    keep: bool,
}

impl Task {
    /// Searches on another thread. If this is dropped, because the client has gone, or if the server stops, the search
    /// ends.
    async fn search_at(
        self,
        place: Place,
        lines: Option<UnboundedSender<String>>,
    ) -> Result<String, Refusal> {
        let stopping = self.app.searches.stopping.clone();
        pool::run(move |cancel| self.run(cancel, lines.as_ref(), place), (), stopping).await
    }

    /// Searches on this thread. Returns the line of the answer.
    fn run(
        &self,
        cancel: &Cancel,
        lines: Option<&UnboundedSender<String>>,
        mut place: Place,
    ) -> Result<String, Refusal> {
        // Its memory is free before this search takes some.
        place.left_out = None;
        if self.moves {
            self.position.moves(self.app.rules)?;
        }
        let mut search = self.search(place.kept.take().filter(|_| self.keep))?;
        let line = self.follow(&mut search, cancel, lines);
        place.kept = self.keep.then_some(search);
        line
    }

    /// Searches, and tells how far the search is.
    fn follow(
        &self,
        search: &mut Search,
        cancel: &Cancel,
        lines: Option<&UnboundedSender<String>>,
    ) -> Result<String, Refusal> {
        let (stage, positions) = (search.stage(), search.positions());
        let told = Mutex::new(LastTold { stage, positions, at: Instant::now() });
        let follower = Follower { cancel, lines, begun: Instant::now(), told };
        follower.tell(&mut follower.told(), None);
        loop {
            // What is found of the moves is told meanwhile.
            let part = (lines.is_some() && self.moves).then_some(PACE);
            let is_over = search.go_on(part, &follower)?;
            if cancel.is_unwanted() {
                return Err(Refusal::busy("nobody waits for this answer any more"));
            }
            if is_over {
                return self.line_of(search.answer(&follower)?);
            }
            let found = match lines {
                Some(_) => search.found_so_far(&follower)?,
                None => None,
            };
            follower.goes_on(search.stage(), found.as_ref());
        }
    }

    /// Begins the search, or goes on with an earlier one.
    fn search(&self, earlier: Option<Search>) -> Result<Search, ProbeError> {
        let memory = self.app.search_memory;
        let limits = SearchLimits { time: Some(self.time), memory, ..SearchLimits::default() };
        let question = Question {
            exact: self.exact,
            moves: self.moves,
            line: true,
            ..Question::new(self.app.tables.get())
        };
        question.search_after(earlier, &self.position, limits)
    }

    fn line_of(&self, answer: Answer) -> Result<String, Refusal> {
        let answer = answer.in_game(self.before.clone());
        Ok(json::to_line(&json_of(&answer)) + "\n")
    }
}

fn json_of(answer: &Answer) -> json::Answer {
    json::Answer::new(answer)
}

/// Follows a search for a client.
struct Follower<'a> {
    cancel: &'a Cancel,
    /// Where the lines go, if the client wants any.
    lines: Option<&'a UnboundedSender<String>>,
    begun: Instant,
    told: Mutex<LastTold>,
}

/// What the last line was about, and when it was told.
struct LastTold {
    stage: Stage,
    positions: u64,
    at: Instant,
}

impl Follower<'_> {
    /// Tells that the search is at another stage, or what is found so far.
    fn goes_on(&self, stage: Stage, so_far: Option<&Answer>) {
        let mut told = self.told();
        let is_new = std::mem::replace(&mut told.stage, stage) != stage;
        if is_new || so_far.is_some() {
            self.tell(&mut told, so_far);
        }
    }

    fn tell(&self, told: &mut LastTold, so_far: Option<&Answer>) {
        let Some(lines) = self.lines else { return };
        told.at = Instant::now();
        let time = self.begun.elapsed();
        let line = Searching::new(told.stage, told.positions, time, so_far.map(json_of));
        let _ = lines.send(json::to_line(&line) + "\n");
    }

    fn told(&self) -> MutexGuard<'_, LastTold> {
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
        self.cancel.should_stop()
    }
}
