//! The answer to each request.

use super::limits::Limits;
use super::log::Log;
use super::metrics::Metrics;
use super::page::{self, Asset};
use super::workers::{WorkError, Workers};
use crate::failure::Failure;
use crate::{hints, json, line, list, moves, probe, question};
use http_body_util::Full;
use hyper::body::{Body as _, Bytes};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode, Version};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::Position;
use serde::Serialize;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The longest path and query, in bytes. No position needs as many.
const LONGEST_TARGET: usize = 4096;

/// How much of a path and query the log shows, in bytes.
const LOGGED: usize = 400;

/// How long the text of all moves of a position may be, in bytes. Under the rules that allow a
/// square to be jumped again, the moves can take megabytes, and the server would have to hold them for
/// each client that does not read.
const MOST_MOVES: usize = 256 << 10;

const TOO_MANY_MOVES: &str =
    "there are too many moves to list here; the command lasca-tb moves lists them all";

/// How long a refused client should wait before it asks again, in seconds.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("1");

/// The page may load files from this server only.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";

/// The headers of every answer.
const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    // Tomorrow another server may answer at the same address, with other rules.
    (header::CACHE_CONTROL, "no-cache"),
];

const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A response whose body is complete before the first byte is sent.
pub type FullResponse = Response<Full<Bytes>>;

/// Answers requests from the tables, on the threads that look positions up.
#[derive(Debug)]
pub struct Answers {
    tables: Arc<Tablebase>,
    workers: Workers,
    allow_origin: Option<HeaderValue>,
    /// The counts that `/metrics` shows.
    pub metrics: Metrics,
    log: OnceLock<Log>,
}

/// Where a request can go.
#[derive(Clone, Copy, Debug)]
enum Route {
    Page(Asset),
    Probe,
    Line,
    Moves,
    Tables,
    Health,
    Metrics,
}

impl Route {
    /// The route of a path.
    fn of(path: &str) -> Option<Route> {
        Some(match path {
            "/probe" => Route::Probe,
            "/line" => Route::Line,
            "/moves" => Route::Moves,
            "/tables" => Route::Tables,
            "/healthz" => Route::Health,
            "/metrics" => Route::Metrics,
            _ => Route::Page(page::ASSETS.into_iter().find(|asset| asset.path == path)?),
        })
    }

    /// The path. Metrics use it as a label, which may have only a few values.
    fn path(self) -> &'static str {
        match self {
            Route::Page(asset) => asset.path,
            Route::Probe => "/probe",
            Route::Line => "/line",
            Route::Moves => "/moves",
            Route::Tables => "/tables",
            Route::Health => "/healthz",
            Route::Metrics => "/metrics",
        }
    }
}

/// Why a request is refused.
#[derive(Debug)]
struct Refusal {
    status: StatusCode,
    error: String,
    /// The position in the request, as it was given.
    position: Option<String>,
    /// What goes to the log but not to the client, who has no use for it.
    cause: Option<String>,
}

impl Refusal {
    fn new(status: StatusCode, error: impl Into<String>) -> Refusal {
        Refusal { status, error: error.into(), position: None, cause: None }
    }

    fn about(mut self, position: &str) -> Refusal {
        self.position = Some(position.to_owned());
        self
    }
}

impl From<WorkError> for Refusal {
    fn from(undone: WorkError) -> Refusal {
        match undone {
            WorkError::QueueFull => Refusal::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many requests are waiting for an answer; try again soon",
            ),
            WorkError::TimedOut => Refusal::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "the answer took too long; try again soon",
            ),
            WorkError::Panicked => Refusal::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "the server failed to answer because of a bug in it",
            ),
        }
    }
}

impl From<ProbeError> for Refusal {
    /// Tells the client the names of files, but not the folders that they are in.
    fn from(error: ProbeError) -> Refusal {
        let (status, text) = match &error {
            ProbeError::NotOfficers(_) | ProbeError::Material(_) => {
                (StatusCode::NOT_FOUND, error.to_string())
            }
            ProbeError::MissingTable { material, rules, .. } => {
                let command = hints::generate([material], *rules);
                let text = format!(
                    "the table of {material} under {rules} rules is not here; make it with: {command}"
                );
                (StatusCode::NOT_FOUND, text)
            }
            ProbeError::MissingDtw { path } => {
                let text = format!("{} is not here, so no distance is known", file_name(path));
                (StatusCode::NOT_FOUND, text)
            }
            ProbeError::OtherRules { .. } => (StatusCode::NOT_FOUND, error.to_string()),
            ProbeError::WrongTable { path, .. } => {
                let text = format!("{} holds another table than its name says", file_name(path));
                (StatusCode::INTERNAL_SERVER_ERROR, text)
            }
            ProbeError::Damaged { path, .. } => {
                let text = format!("{} is damaged", file_name(path));
                (StatusCode::INTERNAL_SERVER_ERROR, text)
            }
            ProbeError::Unreadable { path, .. } => {
                let text = format!("{} cannot be read", file_name(path));
                (StatusCode::INTERNAL_SERVER_ERROR, text)
            }
            _ => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
        };
        let mut refusal = Refusal::new(status, text);
        if status.is_server_error() {
            refusal.cause = Some(Failure::from(error).to_string());
        }
        refusal
    }
}

impl Answers {
    /// Answers from these tables, with as many threads as the limits allow.
    pub fn new(
        tables: Arc<Tablebase>,
        limits: Limits,
        allow_origin: Option<HeaderValue>,
    ) -> Answers {
        Answers {
            tables,
            workers: Workers::new(limits.workers, limits.queue, limits.answer),
            allow_origin,
            metrics: Metrics::new(),
            log: OnceLock::new(),
        }
    }

    /// Logs requests there from now on.
    pub fn log_to(&self, log: Log) {
        let _ = self.log.set(log);
    }

    /// Logs a line.
    pub fn log(&self, line: impl std::fmt::Display) {
        if self.log.get().is_some_and(|log| !log.line(line)) {
            self.metrics.dropped_lines.add();
        }
    }

    /// Answers a request, counts it and logs it.
    pub async fn answer<B: hyper::body::Body>(
        &self,
        request: &Request<B>,
        client: SocketAddr,
    ) -> FullResponse {
        let mut record = RequestRecord::new(self, request, client);
        let mut answer = match self.answer_or_refuse(request).await {
            Ok(answer) => answer,
            Err(refusal) => {
                if let Some(cause) = &refusal.cause {
                    self.log(format_args!("{client} {cause}"));
                }
                refused(&refusal)
            }
        };
        for (name, value) in HEADERS {
            answer.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        if let Some(origin) = &self.allow_origin {
            answer.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        }
        let is_head = *request.method() == Method::HEAD;
        let bytes = if is_head { 0 } else { answer.body().size_hint().lower() };
        record.answered = Some((answer.status(), bytes));
        answer
    }

    async fn answer_or_refuse<B: hyper::body::Body>(
        &self,
        request: &Request<B>,
    ) -> Result<FullResponse, Refusal> {
        let target = request.uri().path_and_query().map_or("", |target| target.as_str());
        if target.len() > LONGEST_TARGET {
            return Err(Refusal::new(
                StatusCode::URI_TOO_LONG,
                format!(
                    "expected a path and query of at most {LONGEST_TARGET} bytes, found {}",
                    target.len()
                ),
            ));
        }
        let path = request.uri().path();
        let Some(route) = Route::of(path) else {
            return Err(Refusal::new(
                StatusCode::NOT_FOUND,
                format!(
                    "expected /, /probe, /line, /moves, /tables, /healthz or /metrics, found {path}"
                ),
            ));
        };
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return Err(Refusal::new(
                StatusCode::METHOD_NOT_ALLOWED,
                format!("expected GET or HEAD, found {}", request.method()),
            ));
        }
        if !request.body().is_end_stream() {
            return Err(Refusal::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "expected a request without a body, found one with a body",
            ));
        }
        if request.version() == Version::HTTP_11 && !request.headers().contains_key(header::HOST) {
            return Err(Refusal::new(
                StatusCode::BAD_REQUEST,
                "expected a Host header, as HTTP/1.1 requires, found none",
            ));
        }
        let query = request.uri().query().unwrap_or("");
        let rules = self.tables.rules();
        match route {
            Route::Page(asset) => Ok(response(StatusCode::OK, asset.kind, asset.text)),
            Route::Health => Ok(response(StatusCode::OK, TEXT, "ok\n")),
            Route::Metrics => {
                let tables = self.tables.tables().iter();
                let tables = tables.filter(|file| file.rules() == rules).count();
                let text = self.metrics.text(rules.name(), tables, &self.workers);
                Ok(response(StatusCode::OK, METRICS, text))
            }
            Route::Tables => {
                let tables = self.tables.clone();
                let listed = self.workers.work(move || json_of(&listed(&tables))).await;
                Ok(listed.map_err(Refusal::from)?)
            }
            Route::Moves => {
                let answer = move |_: &Tablebase, position: &Position| {
                    moves::short_answer(rules, position, MOST_MOVES)
                        .ok_or_else(|| Refusal::new(StatusCode::BAD_REQUEST, TOO_MANY_MOVES))
                };
                self.about_position(query, answer).await
            }
            Route::Probe => {
                let answer = |tables: &Tablebase, position: &Position| {
                    probe::answer(tables, position, false, Position::to_string)
                };
                self.about_position(query, answer).await
            }
            Route::Line => {
                let answer = |tables: &Tablebase, position: &Position| {
                    line::answer(tables, position, Position::to_string)
                };
                self.about_position(query, answer).await
            }
        }
    }

    /// Reads the position of a query, and answers it on a worker thread.
    async fn about_position<A: Serialize, E>(
        &self,
        query: &str,
        answer: impl FnOnce(&Tablebase, &Position) -> Result<A, E> + Send + 'static,
    ) -> Result<FullResponse, Refusal>
    where
        Refusal: From<E>,
    {
        let text = position_of(query)?;
        let position = question::read(&text)
            .map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, error).about(&text))?;
        let tables = self.tables.clone();
        let answered = self.workers.work(move || {
            answer(&tables, &position).map(|answer| json_of(&answer)).map_err(Refusal::from)
        });
        let answered = answered.await.map_err(<Refusal as From<WorkError>>::from);
        answered.flatten().map_err(|refusal| refusal.about(&text))
    }
}

/// The text of the position in a query.
fn position_of(query: &str) -> Result<String, Refusal> {
    let wrong = |found: String| {
        let error = format!("expected ?position= and a position such as a1WWW+b2BBB+w, {found}");
        Refusal::new(StatusCode::BAD_REQUEST, error)
    };
    let mut position = None;
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "position" if position.is_none() => position = Some(value.into_owned()),
            "position" => return Err(wrong("found two".to_owned())),
            name => return Err(wrong(format!("found {name}="))),
        }
    }
    position.ok_or_else(|| wrong("found none".to_owned()))
}

/// The name of a file without its folders.
fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().display().to_string()
}

/// The tables of all rule sets, with the names of the files but not their folders.
fn listed(tables: &Tablebase) -> json::Tables {
    let entry = |file| {
        let mut entry = list::entry(file);
        entry.path = file_name(file.path());
        entry.error = file.table().err().map(|error| Refusal::from(error).error);
        entry
    };
    json::Tables {
        rules: tables.rules().name(),
        tables: tables.tables().iter().map(entry).collect(),
    }
}

fn json_of(answer: &impl Serialize) -> FullResponse {
    response(StatusCode::OK, JSON, json::to_line(answer) + "\n")
}

fn refused(refusal: &Refusal) -> FullResponse {
    let json = match &refusal.position {
        Some(position) => json::to_line(&json::Unanswered { position, error: &refusal.error }),
        None => json::to_line(&json::Refused { error: &refusal.error }),
    };
    let mut answer = response(refusal.status, JSON, json + "\n");
    let headers = answer.headers_mut();
    match refusal.status {
        StatusCode::SERVICE_UNAVAILABLE => {
            headers.insert(header::RETRY_AFTER, RETRY_AFTER);
        }
        StatusCode::METHOD_NOT_ALLOWED => {
            headers.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        }
        // The server does not read the body that the client has begun to send.
        StatusCode::PAYLOAD_TOO_LARGE => {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        _ => {}
    }
    answer
}

fn response(status: StatusCode, kind: &'static str, text: impl Into<Bytes>) -> FullResponse {
    let mut answer = Response::new(Full::new(text.into()));
    *answer.status_mut() = status;
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}

/// A request that is being answered. It is counted and logged when this value is dropped, even if the
/// client has not waited for the answer.
struct RequestRecord<'a> {
    answers: &'a Answers,
    began: Instant,
    client: SocketAddr,
    method: Method,
    target: String,
    route: &'static str,
    /// The status of the answer, and the length of its body as sent.
    answered: Option<(StatusCode, u64)>,
}

impl<'a> RequestRecord<'a> {
    fn new<B>(answers: &'a Answers, request: &Request<B>, client: SocketAddr) -> RequestRecord<'a> {
        answers.metrics.under_way.up();
        let target = request.uri().path_and_query().map_or("", |target| target.as_str());
        RequestRecord {
            answers,
            began: Instant::now(),
            client,
            method: request.method().clone(),
            target: logged(target),
            route: Route::of(request.uri().path()).map_or("other", Route::path),
            answered: None,
        }
    }
}

impl Drop for RequestRecord<'_> {
    fn drop(&mut self) {
        let RequestRecord { answers, client, method, target, route, answered, .. } = self;
        let time = self.began.elapsed();
        answers.metrics.under_way.down();
        answers.metrics.request(route, answered.map(|(status, _)| status.as_u16()), time);
        let time = milliseconds(time);
        match answered {
            Some((status, bytes)) => answers
                .log(format_args!("{client} {method} {target} {} {time} {bytes}", status.as_u16())),
            None => answers.log(format_args!("{client} {method} {target} gone {time} 0")),
        }
    }
}

/// The beginning of a path and query, for the log. All but printable ASCII is escaped, so that no
/// client can control the terminal of someone who reads the log.
fn logged(target: &str) -> String {
    let mut text = String::new();
    let mut bytes = target.bytes();
    for byte in bytes.by_ref().take(LOGGED) {
        match byte {
            b'!'..=b'~' => text.push(char::from(byte)),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    if bytes.len() > 0 {
        text.push_str("...");
    }
    text
}

/// `0.41ms`.
fn milliseconds(time: Duration) -> String {
    format!("{:.2}ms", time.as_secs_f64() * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_has_printable_ascii_only() {
        assert_eq!(logged("/probe?position=a1W+w"), "/probe?position=a1W+w");
        assert_eq!(logged("/\u{1b}[2J \u{9b}é"), "/%1B[2J%20%C2%9B%C3%A9");
        assert_eq!(logged(&"x".repeat(LOGGED)).len(), LOGGED);
        assert!(logged(&"x".repeat(LOGGED + 1)).ends_with("x..."));
    }

    #[test]
    fn a_query_has_one_position() {
        let read = |query| position_of(query).map_err(|refusal| refusal.error);
        assert_eq!(read("position=a1W+b2B%20w"), Ok("a1W b2B w".to_owned()));
        assert_eq!(read("position="), Ok(String::new()));
        for (query, found) in
            [("", "none"), ("pos=a1W", "pos="), ("position=a&position=b", "two"), ("&&", "none")]
        {
            let error = read(query).unwrap_err();
            assert!(error.ends_with(&format!("found {found}")), "{error}");
        }
    }
}
