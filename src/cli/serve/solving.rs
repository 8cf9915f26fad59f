//! The answer to `/solve`: what is asked for, and the search that finds it out.

use super::app::{Answered, App, JSON_LINES, position_in_game};
use super::client::Client;
use super::lines::{Teller, line_by_line};
use super::query::{self, POSITION};
use super::refusal::{JSON, Refusal};
use super::work::{self, Cancel};
use crate::json;
use crate::parsers;
use axum::body::Body;
use axum::extract::{Extension, RawQuery, State};
use axum::response::IntoResponse;
use futures_util::stream;
use hyper::{Method, StatusCode};
use lasca_analysis::answer::json::Searching;
use lasca_analysis::answer::{Question, SearchLimits, Stage};
use lasca_tablebase::rules::Position;
use lasca_tablebase::{Progress, SearchStatus};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

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
        let (position, before) = position_in_game(app.rules, &text)?;
        let task = Task {
            app: app.clone(),
            position,
            before,
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
    let kind = if progress { JSON_LINES } else { JSON };
    if method == Method::HEAD {
        // The length of the answer is not known, so this has none either.
        let unknown = Body::from_stream(stream::empty::<Result<String, Infallible>>());
        return Ok(([kind], unknown).into_response());
    }
    let place = app.searches.enter(client.ip()).await.map_err(about)?;
    // If this is dropped, because the client has gone, or if the server stops, the search ends.
    let search = |teller: Option<Teller>| {
        work::run(move |cancel| task.run(cancel, teller.as_ref()), place, app.stopping.clone())
    };
    if progress {
        return Ok(line_by_line(text, |teller| search(Some(teller))));
    }
    Ok(([kind], search(None).await.map_err(about)?).into_response())
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
}

impl Task {
    /// Searches on this thread. Returns the line of the answer.
    fn run(&self, cancel: &Cancel, teller: Option<&Teller>) -> Result<String, Refusal> {
        if self.moves {
            self.position.moves(self.app.rules)?;
        }
        let memory = self.app.search_memory;
        let limits = SearchLimits { time: Some(self.time), memory, ..SearchLimits::default() };
        let question = Question {
            exact: self.exact,
            moves: self.moves,
            line: true,
            ..Question::new(self.app.tables.get())
        };
        let (begun, mut search) = (Instant::now(), question.search(&self.position, limits)?);
        while let Some(stage) = search.stage() {
            let follower = Follower { cancel, teller, begun, stage };
            if let Some(teller) = teller {
                teller.tell_at_once(&follower.line(search.positions()));
            }
            search.go_on(None, &follower)?;
        }
        if cancel.is_unwanted() {
            return Err(Refusal::busy("nobody waits for this answer any more"));
        }
        let answer = search.answer(cancel)?.in_game(self.before.clone());
        Ok(json::to_line(&json::Answer::new(&answer)) + "\n")
    }
}

/// Follows a stage of a search for a client.
struct Follower<'a> {
    cancel: &'a Cancel,
    /// Tells the client how far the search is, if it wants to know.
    teller: Option<&'a Teller>,
    /// When the search has begun.
    begun: Instant,
    stage: Stage,
}

impl Follower<'_> {
    fn line(&self, positions: u64) -> Searching {
        Searching::new(self.stage, positions, self.begun.elapsed())
    }
}

impl Progress for Follower<'_> {
    fn searching(&self, status: &SearchStatus) {
        if let Some(teller) = self.teller {
            teller.tell(&self.line(status.positions));
        }
    }

    fn should_stop(&self) -> bool {
        self.cancel.should_stop()
    }
}
