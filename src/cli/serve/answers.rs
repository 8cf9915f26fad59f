//! The answer to each request.

use super::body::AnswerBody;
use super::current::CurrentTables;
use super::endings;
use super::limits::{ENDINGS_QUEUE, ENDINGS_WORKERS, Limits, MOST_MOVES, SearchLimits};
use super::origins::Origins;
use super::page::{self, Asset};
use super::query;
use super::records::{Records, RequestRecord};
use super::refusal::{Refusal, file_name};
use super::searches::Searches;
use super::solving::Wanted;
use super::workers::{Waiting, WorkError, Workers};
use crate::{json, list, moves, parsers};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode, Version};
use lasca_tablebase::answer::Question;
use lasca_tablebase::probe::{Load, ProbeError, Tablebase};
use lasca_tablebase::rules::Position;
use serde::Serialize;
use std::net::SocketAddr;
use std::sync::Arc;

/// The longest path and query, in bytes. No position needs as many.
const LONGEST_TARGET: usize = 4096;

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
const JSON_LINES: &str = "application/x-ndjson";
const TEXT: &str = "text/plain; charset=utf-8";
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Answers requests from the tables, on the threads that look positions up, and by searches.
#[derive(Debug)]
pub struct Answers {
    tables: Arc<CurrentTables>,
    workers: Workers,
    /// The threads that pick endings.
    endings: Workers,
    /// Which web pages may ask, and under which names.
    pub origins: Origins,
    search_limits: SearchLimits,
    /// The searches that run.
    pub searches: Searches,
    /// The counts that `/metrics` shows, and the log.
    pub records: Arc<Records>,
}

/// Where a request can go.
#[derive(Clone, Copy, Debug)]
enum Route {
    Page(Asset),
    Probe,
    Line,
    Solve,
    Moves,
    Endings,
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
            "/solve" => Route::Solve,
            "/moves" => Route::Moves,
            "/endings" => Route::Endings,
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
            Route::Solve => "/solve",
            Route::Moves => "/moves",
            Route::Endings => "/endings",
            Route::Tables => "/tables",
            Route::Health => "/healthz",
            Route::Metrics => "/metrics",
        }
    }

    /// Whether the answer takes work.
    fn is_work(self) -> bool {
        !matches!(self, Route::Page(_) | Route::Health | Route::Metrics)
    }
}

impl Answers {
    /// Answers from these tables, with as many threads as the limits allow. They may take
    /// `for_tables` bytes of memory, also when they change.
    pub fn new(
        tables: Tablebase,
        for_tables: u64,
        limits: Limits,
        preload: Option<Load>,
        origins: Origins,
    ) -> Answers {
        let records = Arc::new(Records::new());
        Answers {
            tables: Arc::new(CurrentTables::new(tables, for_tables, preload, records.clone())),
            workers: Workers::new(limits.workers, limits.queue, limits.answer),
            endings: Workers::new(ENDINGS_WORKERS, ENDINGS_QUEUE, limits.answer),
            origins,
            search_limits: limits.search,
            searches: Searches::new(limits.search.places),
            records,
        }
    }

    /// Answers a request, counts it and logs it.
    pub async fn answer<B: hyper::body::Body>(
        &self,
        request: &Request<B>,
        client: SocketAddr,
    ) -> Response<AnswerBody> {
        let route = Route::of(request.uri().path()).map_or("other", Route::path);
        let record = RequestRecord::new(&self.records, request, route, client);
        let mut answer = match self.answer_or_refuse(request, client).await {
            Ok(answer) => answer,
            Err(refusal) => {
                log_cause(&self.records, client, &refusal);
                refused(&refusal)
            }
        };
        for (name, value) in HEADERS {
            answer.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        if let Some(allowed) = &self.origins.allowed {
            let origin = allowed.header.clone();
            answer.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        }
        let is_head = *request.method() == Method::HEAD;
        let status = answer.status();
        answer.body_mut().record(record, status, is_head);
        answer
    }

    async fn answer_or_refuse<B: hyper::body::Body>(
        &self,
        request: &Request<B>,
        client: SocketAddr,
    ) -> Result<Response<AnswerBody>, Refusal> {
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
                    "expected /, /probe, /line, /solve, /moves, /endings, /tables, /healthz or \
                     /metrics, found {path}"
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
        let hosts = request.headers().get_all(header::HOST).iter().count();
        if hosts > 1 || (hosts == 0 && request.version() == Version::HTTP_11) {
            let expected = match request.version() {
                Version::HTTP_11 => "expected one Host header, as HTTP/1.1 requires",
                _ => "expected at most one Host header",
            };
            let found = if hosts == 0 { "none".to_owned() } else { hosts.to_string() };
            return Err(Refusal::new(
                StatusCode::BAD_REQUEST,
                format!("{expected}, found {found}"),
            ));
        }
        self.origins.check_host(request.headers())?;
        if route.is_work() {
            self.origins.check_page(request.headers())?;
        }
        let query = request.uri().query().unwrap_or("");
        let rules = self.tables.get().rules();
        match route {
            Route::Page(asset) => Ok(response(StatusCode::OK, asset.kind, whole(asset.text))),
            Route::Health => Ok(response(StatusCode::OK, TEXT, whole("ok\n"))),
            Route::Metrics => {
                let tables = self.tables.get();
                let tables = tables.tables().iter().filter(|file| file.rules() == rules).count();
                let metrics = &self.records.metrics;
                let workers = [&self.workers, &self.endings];
                let text = metrics.text(rules.name(), tables, &workers, &self.searches);
                Ok(response(StatusCode::OK, METRICS, whole(text)))
            }
            Route::Tables => {
                let tables = self.tables.clone();
                let list = move || tables.answer(|tables| Ok(json_of(&listed(tables))));
                self.workers.work(list).await.map_err(Refusal::from).flatten()
            }
            Route::Endings => {
                let wanted = endings::Wanted::read(query)?;
                let tables = self.tables.clone();
                let waiting = Waiting::default();
                let is_over = waiting.is_over.clone();
                let find =
                    move || tables.answer(|tables| Ok(json_of(&wanted.answer(tables, &is_over)?)));
                self.endings.work(find).await.map_err(Refusal::from).flatten()
            }
            Route::Moves => {
                let answer = move |_: &Tablebase, position: &Position| {
                    moves::short_answer(rules, position, MOST_MOVES)
                        .ok_or_else(Refusal::too_many_moves)
                };
                self.about_position(query, answer).await
            }
            Route::Probe => {
                let question = Question { moves: true, ..Question::new(rules, None) };
                self.about_position(query, of_tables(question)).await
            }
            Route::Line => {
                let question = Question { proofs: true, ..Question::new(rules, None) };
                self.about_position(query, of_tables(question)).await
            }
            Route::Solve => {
                let wanted = Wanted::read(query, self.search_limits.time)?;
                let (tables, searches, limits) = (&self.tables, &self.searches, self.search_limits);
                if *request.method() == Method::HEAD {
                    // The length of the answer is not known, so this has none either.
                    wanted.check(limits)?;
                    let kind = if wanted.progress { JSON_LINES } else { JSON };
                    Ok(response(StatusCode::OK, kind, whole("")))
                } else if wanted.progress {
                    let records = self.records.clone();
                    let failed = move |refusal: &Refusal| log_cause(&records, client, refusal);
                    let lines = wanted.lines(tables, searches, limits, failed)?;
                    Ok(response(StatusCode::OK, JSON_LINES, AnswerBody::Lines(lines)))
                } else {
                    let line = wanted.answer(tables, searches, limits).await?;
                    Ok(response(StatusCode::OK, JSON, whole(line + "\n")))
                }
            }
        }
    }

    /// Reads the position of a query, and answers it on a worker thread.
    async fn about_position<A: Serialize, E>(
        &self,
        query: &str,
        answer: impl Fn(&Tablebase, &Position) -> Result<A, E> + Send + 'static,
    ) -> Result<Response<AnswerBody>, Refusal>
    where
        Refusal: From<E>,
    {
        let [text] = query::read(query, ["position"])?;
        let text = query::position(text)?;
        let position = parsers::position(&text)
            .map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, error).about(&text))?;
        let tables = self.tables.clone();
        let answered = self.workers.work(move || {
            tables.answer(|tables| {
                answer(tables, &position).map(|answer| json_of(&answer)).map_err(Refusal::from)
            })
        });
        let answered = answered.await.map_err(<Refusal as From<WorkError>>::from);
        answered.flatten().map_err(|refusal| refusal.about(&text))
    }
}

/// Asks the tables a question about a position.
fn of_tables(
    question: Question<'_>,
) -> impl Fn(&Tablebase, &Position) -> Result<json::Answer, ProbeError> {
    move |tables, position| {
        let question = Question { tables: Some(tables), ..question };
        let answer = question.of_tables(position)?;
        Ok(json::Answer::new(&answer, Position::to_string))
    }
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

fn json_of(answer: &impl Serialize) -> Response<AnswerBody> {
    response(StatusCode::OK, JSON, whole(json::to_line(answer) + "\n"))
}

/// Logs what the client is not told about a refusal.
fn log_cause(records: &Records, client: SocketAddr, refusal: &Refusal) {
    if let Some(cause) = &refusal.cause {
        records.log(format_args!("{client} {cause}"));
    }
}

fn refused(refusal: &Refusal) -> Response<AnswerBody> {
    let mut answer = response(refusal.status, JSON, whole(refusal.line() + "\n"));
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

fn whole(text: impl Into<Bytes>) -> AnswerBody {
    AnswerBody::Whole(Full::new(text.into()))
}

fn response(status: StatusCode, kind: &'static str, body: AnswerBody) -> Response<AnswerBody> {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::{BodyExt, Empty};
    use lasca_tablebase::rules::RuleSet;
    use std::net::{IpAddr, Ipv4Addr};
    use std::sync::mpsc;
    use std::time::Duration;
    use tokio::task;

    /// Answers without tables, on one thread for which no request may wait.
    fn answers() -> Answers {
        let time = Duration::from_secs(3600);
        let search = SearchLimits { places: 0, time, memory: 0 };
        let limits =
            Limits { workers: 1, queue: 0, answer: time, patience: time, connections: 1, search };
        let origins = Origins::new(IpAddr::V4(Ipv4Addr::LOCALHOST), None);
        Answers::new(Tablebase::new(RuleSet::Lasca), 0, limits, None, origins)
    }

    #[tokio::test]
    async fn positions_are_answered_when_no_more_requests_for_endings_may_wait() {
        let answers = Arc::new(answers());
        let (gates, waits): (Vec<_>, Vec<_>) =
            (0..ENDINGS_WORKERS + ENDINGS_QUEUE).map(|_| mpsc::channel::<()>()).unzip();
        for wait in waits {
            let answers = answers.clone();
            task::spawn(async move { answers.endings.work(move || wait.recv().is_err()).await });
        }
        while (answers.endings.working(), answers.endings.waiting())
            != (ENDINGS_WORKERS, ENDINGS_QUEUE)
        {
            task::yield_now().await;
        }
        let ask = async |target: &str| {
            let request = Request::builder().uri(target).header(header::HOST, "localhost");
            let request = request.body(Empty::<Bytes>::new()).unwrap();
            answers.answer(&request, SocketAddr::from(([127, 0, 0, 1], 1))).await
        };
        assert_eq!(ask("/endings?material=3-2").await.status(), 503);
        assert_eq!(ask("/moves?position=start").await.status(), 200);
        let metrics = ask("/metrics").await.into_body().collect().await.unwrap().to_bytes();
        let metrics = str::from_utf8(&metrics).unwrap();
        for line in ["lasca_tb_workers_busy 1", "lasca_tb_workers_wanted 4"] {
            assert!(metrics.lines().any(|found| found == line), "expected {line} in\n{metrics}");
        }
        drop(gates);
    }
}
