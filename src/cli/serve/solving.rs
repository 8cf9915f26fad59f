//! The answer to `/solve`: what is asked for, and the search that finds it out.

use super::body::Lines;
use super::current::CurrentTables;
use super::limits::{self, MOST_MOVES};
use super::query;
use super::refusal::Refusal;
use super::searches::{Cancel, Running, Searches};
use super::workers::WorkError;
use crate::{json, moves, parsers};
use hyper::StatusCode;
use hyper::body::Bytes;
use lasca_tablebase::answer::{Answer, Follow, Part, Question, SearchLimits};
use lasca_tablebase::rules::Position;
use lasca_tablebase::search::{Limits, Status, Watch};
use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// The time between two lines about the progress of a search.
const PACE: Duration = Duration::from_millis(250);

/// How long the moves are looked at before their worth so far is told for the first time.
const FIRST_LOOK: Duration = Duration::from_millis(500);

/// What a request wants to know.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    text: String,
    time: Duration,
    moves: bool,
    exact: bool,
    /// Whether lines about the progress are sent before the answer.
    pub progress: bool,
}

impl Wanted {
    /// Reads a query. The search may take `longest`.
    pub fn read(query: &str, longest: Duration) -> Result<Wanted, Refusal> {
        let [text, seconds, moves, exact, progress] =
            query::read(query, ["position", "seconds", "moves", "exact", "progress"])?;
        let text = query::position(text)?;
        let wrong = |error: String| Refusal::new(StatusCode::BAD_REQUEST, error).about(&text);
        let time = seconds.map_or(Ok(longest), |seconds| {
            let time = seconds.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
            time.filter(|&time| time <= longest).ok_or_else(|| {
                let longest = longest.as_secs();
                wrong(format!(
                    "expected seconds= and a number from 0 to {longest}, found {seconds:?}"
                ))
            })
        })?;
        let flag = |name: &str, value: Option<String>| match value.as_deref() {
            None | Some("0") => Ok(false),
            Some("1") => Ok(true),
            Some(other) => Err(wrong(format!("expected {name}=1 or {name}=0, found {other:?}"))),
        };
        let (moves, exact) = (flag("moves", moves)?, flag("exact", exact)?);
        let progress = flag("progress", progress)?;
        Ok(Wanted { text, time, moves, exact, progress })
    }

    /// Begins the search on a thread of its own, and answers when it has ended.
    pub async fn answer(
        self,
        tables: &Arc<CurrentTables>,
        searches: &Searches,
        limits: limits::SearchLimits,
    ) -> Result<String, Refusal> {
        let text = self.text.clone();
        let search = self.begin(tables, searches, limits, |task, cancel| task.run(cancel, None));
        let answered = search?.await.map_err(|_| Refusal::from(WorkError::Panicked));
        answered.flatten().map_err(|refusal| refusal.about(&text))
    }

    /// Begins the search on a thread of its own, and answers with lines while it runs. `failed` is
    /// told why the last of them is no answer.
    pub fn lines(
        self,
        tables: &Arc<CurrentTables>,
        searches: &Searches,
        limits: limits::SearchLimits,
        failed: impl FnOnce(&Refusal) + Send + 'static,
    ) -> Result<Lines, Refusal> {
        let text = self.text.clone();
        let (send, receive) = unbounded_channel();
        let search = self.begin(tables, searches, limits, move |task, cancel| {
            let (status, last) = match task.run(cancel, Some(&send)) {
                Ok(answer) => (StatusCode::OK, answer),
                Err(refusal) => {
                    failed(&refusal);
                    (refusal.status, refusal.about(&task.wanted.text).line())
                }
            };
            // If nobody receives it, nobody waits for it.
            let _ = send.send((last + "\n").into());
            status
        })?;
        Ok(Lines::new(text, receive, search))
    }

    /// Checks whether a search can begin, without beginning one.
    pub fn check(&self, limits: limits::SearchLimits) -> Result<(), Refusal> {
        match limits.places {
            0 => Err(no_searches().about(&self.text)),
            _ => self.position().map(|_| ()),
        }
    }

    fn position(&self) -> Result<Position, Refusal> {
        parsers::position(&self.text)
            .map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, error).about(&self.text))
    }

    fn begin<T: Send + 'static>(
        self,
        tables: &Arc<CurrentTables>,
        searches: &Searches,
        limits: limits::SearchLimits,
        run: impl FnOnce(&Task, &Cancel) -> T + Send + 'static,
    ) -> Result<Running<T>, Refusal> {
        let position = self.position()?;
        let text = self.text.clone();
        let (tables, memory) = (tables.clone(), limits.memory);
        let task = Task { wanted: self, position, tables, memory };
        searches.begin(move |cancel| run(&task, cancel)).ok_or_else(|| {
            let refusal = match limits.places {
                0 => no_searches(),
                _ => Refusal::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "all places for searches are taken; try again soon",
                ),
            };
            refusal.about(&text)
        })
    }
}

/// The server has no places for searches.
fn no_searches() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "this server does not search")
}

/// A search that a request has asked for.
struct Task {
    wanted: Wanted,
    position: Position,
    tables: Arc<CurrentTables>,
    memory: u64,
}

impl Task {
    /// Searches on this thread, and returns the answer as a line.
    fn run(
        &self,
        cancel: &Cancel,
        lines: Option<&UnboundedSender<Bytes>>,
    ) -> Result<String, Refusal> {
        let rules = self.tables.get().rules();
        if self.wanted.moves {
            moves::short_answer(rules, &self.position, MOST_MOVES)
                .ok_or_else(Refusal::too_many_moves)?;
        }
        let begun = Instant::now();
        let (part, positions, told) = (Cell::new(Part::Position), Cell::new(0), Cell::new(begun));
        let follower = Follower { cancel, lines, begun, part, positions, told };
        let answer = self.tables.answer(|tables| {
            let time = Some(self.wanted.time.saturating_sub(begun.elapsed()));
            let limits = Limits { time, threads: 1, cancelled: Some(&cancel.cancelled) };
            let search = SearchLimits { limits, memory: self.memory };
            let question = Question {
                exact: self.wanted.exact,
                moves: self.wanted.moves,
                line: true,
                ..Question::new(rules, Some(tables))
            };
            Ok(question.by_search(&self.position, search, &follower)?)
        })?;
        Ok(json::to_line(&json_of(&answer)))
    }
}

fn json_of(answer: &Answer) -> json::Answer {
    json::Answer::new(answer, Position::to_string)
}

/// Follows a search for a client.
struct Follower<'a> {
    cancel: &'a Cancel,
    /// Where the lines go, if the client wants any.
    lines: Option<&'a UnboundedSender<Bytes>>,
    begun: Instant,
    part: Cell<Part>,
    positions: Cell<u64>,
    told: Cell<Instant>,
}

impl Follower<'_> {
    fn tell(&self, so_far: Option<&Answer>) {
        let Some(lines) = self.lines else { return };
        self.told.set(Instant::now());
        let line = json::to_line(&json::Progress {
            searching: match self.part.get() {
                Part::Position => "position",
                Part::Distance => "distance",
                Part::Moves => "moves",
            },
            positions: self.positions.get(),
            seconds: self.begun.elapsed().as_secs_f64(),
            so_far: so_far.map(json_of),
        });
        let _ = lines.send((line + "\n").into());
    }
}

impl Watch for Follower<'_> {
    fn searching(&self, status: &Status) {
        self.cancel.check();
        self.positions.set(status.positions);
        if self.told.get().elapsed() >= PACE {
            self.tell(None);
        }
    }
}

impl Follow for Follower<'_> {
    fn begins(&self, part: Part) {
        self.part.set(part);
        self.tell(None);
    }

    fn first_look(&self) -> Option<Duration> {
        self.lines.map(|_| FIRST_LOOK)
    }

    fn found(&self, found: &Answer) {
        self.tell(Some(found));
    }

    fn is_gone(&self) -> bool {
        self.cancel.is_unwanted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_says_what_is_wanted() {
        let read = |query: &str| Wanted::read(query, Duration::from_secs(60));
        let wanted = read("position=a1w+b2B+w").unwrap();
        assert_eq!((wanted.text.as_str(), wanted.time), ("a1w b2B w", Duration::from_secs(60)));
        assert!(!wanted.moves && !wanted.exact && !wanted.progress);
        let wanted = read("progress=1&moves=1&exact=0&seconds=0.5&position=").unwrap();
        assert_eq!((wanted.text.as_str(), wanted.time), ("", Duration::from_millis(500)));
        assert!(wanted.moves && !wanted.exact && wanted.progress);
        assert_eq!(read("position=x&seconds=0").unwrap().time, Duration::ZERO);
        for seconds in ["", "-1", "60.1", "1e300", "1e999", "inf", "NaN", "ten", "0x1", "+ 5"] {
            let query = form_urlencoded::Serializer::new(String::new())
                .extend_pairs([("position", "x"), ("seconds", seconds)])
                .finish();
            let refusal = read(&query).unwrap_err();
            assert!(refusal.error.starts_with("expected seconds= and a number from 0 to 60"));
            assert_eq!(refusal.status, StatusCode::BAD_REQUEST);
        }
        for (query, found) in [
            ("position=x&moves=yes", "found \"yes\""),
            ("position=x&moves", "found \"\""),
            ("position=x&rules=rejump", "found rules="),
            ("position=x&exact=1&exact=1", "found two"),
            ("moves=1", "found none"),
        ] {
            let refusal = read(query).unwrap_err();
            assert!(refusal.error.ends_with(found), "{}", refusal.error);
        }
    }
}
