//! The paths of the server, and the answers about positions and tables.

use super::app::{Answered, App, JSON_LINES, all_moves, position};
use super::query::{self, POSITION};
use super::reach::check_page;
use super::refusal::{JSON, Refusal, file_name, without_folders};
use super::work::Cancel;
use super::{endings, making, metrics, page, record, solving};
use crate::json::{self, Failed, Greeting, PROTOCOL};
use crate::list::{self, Listed};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{RawQuery, Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use http_body_util::LengthLimitError;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{HeaderMap, Method, StatusCode, Uri};
use lasca_analysis::answer::Question;
use lasca_analysis::study::json::Studies;
use lasca_analysis::study::{ParseStudyError, parse};
use lasca_tablebase::notation::{Palette, Picture, without_mark};
use lasca_tablebase::probe::{TableEntry, Tablebase};
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::json::Stats;
use lasca_tablebase::{Progress, Reason};
use serde::Serialize;
use std::sync::Arc;
use tokio::time::timeout;

/// The longest body of a request, in bytes.
const LONGEST_BODY: usize = 64 << 10;

/// The longest studies in bytes at a server that only this machine asks.
const LONGEST_STUDIES: usize = 4 << 20;

/// How many positions a request may ask about.
const MOST_POSITIONS: usize = 100;

/// How many times as long as studies the answer about them may be.
const STUDIES_GROW: usize = 16;

/// How long the answers to a request may be together, in bytes, but for the last. The server holds them
/// until the client reads them.
const LONGEST_ANSWERS: usize = 256 << 10;

/// The headers of every answer. The page may load files from this server only. Tomorrow another server may
/// answer at the same address, with other rules.
const HEADERS: [(HeaderName, &str); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-cache"),
];

/// The header of every answer that tells the version of the protocol.
const PROTOCOL_HEADER: HeaderName = HeaderName::from_static("lasca-protocol");

/// The header that tells the rule set of the answers.
const RULES_HEADER: HeaderName = HeaderName::from_static("lasca-rules");

/// What the server answers under a path. The files of the page have paths of their own.
struct Path {
    /// The request as the help shows it, without its method.
    shown: &'static str,
    help: &'static str,
    get: Option<Route>,
    /// Whether only the server's own machine may ask by GET.
    get_is_local: bool,
    post: Option<Route>,
    /// Whether the answer takes work. Then pages of other sites may not ask for it.
    works: bool,
}

/// What answers a request.
type Route = fn() -> MethodRouter<Arc<App>>;

/// The methods of what can only be read.
const READ: &str = "GET, HEAD";

/// All paths but those of the page. The router, the help, what is said of other paths, and tests follow this list.
const PATHS: [Path; 14] = [
    Path {
        post: Some(|| post(probe_all)),
        ..Path::read(
            "/probe?position=a1WWW+b2BBB+w",
            "As probe --json; with &line=1, as --line. POST asks about many positions, one on each line.",
            || get(probe),
        )
    },
    Path::read("/explain?position=...", "As explain --json.", || get(explain)),
    Path {
        get: Some(|| get(solving::solve)),
        get_is_local: true,
        ..Path::post("/solve?position=...", "As solve --json. Needs no tables.", || {
            post(solving::solve)
        })
    },
    Path::post(
        "/make?position=...",
        "Makes the table that answers, tells how far it is, and answers.",
        || post(making::make),
    ),
    Path::read("/moves?position=...", "As moves --json. Needs no tables.", || get(legal_moves)),
    Path::read("/known?position=...", "All that is known without a search.", || get(known)),
    Path::read(
        "/picture?position=...",
        "As picture, in the colours of the page. Needs no tables.",
        || get(picture),
    ),
    Path::read("/endings?material=3-2", "Endings to practise, picked at random.", || {
        get(endings::endings)
    }),
    Path::post("/studies", "Plays the moves of the studies in the body.", || post(studies)),
    Path::read("/stats?material=3-2", "As stats --json.", || get(stats)),
    Path::read("/tables", "The tables, as list --json.", || get(tables)),
    Path::read("/version", "The versions of the protocol and the program.", || get(version)),
    Path {
        works: false,
        ..Path::read("/healthz", "The word ok, while the server works.", || get("ok\n"))
    },
    Path {
        works: false,
        ..Path::read("/metrics", "What is going on, for Prometheus.", || get(counts))
    },
];

impl Path {
    /// What GET reads.
    const fn read(shown: &'static str, help: &'static str, get: Route) -> Path {
        Path { shown, help, get: Some(get), get_is_local: false, post: None, works: true }
    }

    /// What POST asks for.
    const fn post(shown: &'static str, help: &'static str, post: Route) -> Path {
        Path { get: None, post: Some(post), ..Path::read(shown, help, post) }
    }

    fn path(&self) -> &'static str {
        self.shown.split_once('?').map_or(self.shown, |(path, _)| path)
    }

    /// What answers GET where the server answers only its own machine, or also others.
    fn get(&self, is_local: bool) -> Option<Route> {
        self.get.filter(|_| is_local || !self.get_is_local)
    }

    fn methods(&self, is_local: bool) -> &'static str {
        match (self.get(is_local), self.post) {
            (Some(_), Some(_)) => "GET, HEAD or POST",
            (None, Some(_)) => "POST",
            (_, None) => READ,
        }
    }

    /// The request as the help shows it. POST is named where most servers answer nothing else.
    fn request(&self) -> String {
        let method = if self.get(false).is_none() { "POST " } else { "" };
        format!("{method}{}", self.shown)
    }

    fn route(&self, is_local: bool) -> MethodRouter<Arc<App>> {
        let routes = [self.get(is_local), self.post].into_iter().flatten();
        routes.fold(MethodRouter::new(), |all, route| all.merge(route()))
    }

    fn of(uri: &Uri) -> Option<&'static Path> {
        PATHS.iter().find(|path| path.path() == uri.path())
    }
}

/// What the help says of all paths.
pub fn help() -> String {
    const WIDTH: usize = 80;
    let longest = PATHS.iter().map(|path| path.request().len()).max().unwrap_or(0);
    let lines = PATHS.iter().map(|path| {
        let first = format!("  {:longest$}  ", path.request());
        let rest = " ".repeat(first.len());
        let options = textwrap::Options::new(WIDTH).initial_indent(&first).subsequent_indent(&rest);
        textwrap::fill(path.help, options) + "\n"
    });
    format!("Requests:\n{}", lines.collect::<String>())
}

/// The paths of the server.
pub fn router(app: Arc<App>) -> Router {
    let of = |works| {
        let paths = PATHS.iter().filter(move |path| path.works == works);
        paths.fold(Router::new(), |router, path| {
            router.route(path.path(), path.route(app.reach.is_local))
        })
    };
    let of_own = from_fn(of_own_page);
    let mut router = of(true).route_layer(of_own).merge(of(false));
    for asset in page::ASSETS {
        router =
            router.route(asset.path, get(async move |headers: HeaderMap| asset.answer(&headers)));
    }
    router
        .fallback(no_path)
        .method_not_allowed_fallback(other_method)
        .layer(from_fn_with_state(app.clone(), checked))
        .layer(from_fn_with_state(app.clone(), record::noted))
        .with_state(app)
}

/// Refuses requests under other names, and adds the headers of every answer.
async fn checked(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let mut answer = match app.reach.check_host(request.headers()) {
        Err(refusal) => refusal.into_response(),
        Ok(()) => next.run(request).await,
    };
    let headers = answer.headers_mut();
    headers.insert(PROTOCOL_HEADER, PROTOCOL.into());
    headers.insert(RULES_HEADER, HeaderValue::from_static(app.rules.name()));
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    answer
}

/// Refuses requests of pages of other origins.
async fn of_own_page(request: Request, next: Next) -> Response {
    match check_page(request.headers()) {
        Err(refusal) => refusal.into_response(),
        Ok(()) => next.run(request).await,
    }
}

async fn no_path(uri: Uri) -> Refusal {
    let paths = PATHS.each_ref().map(Path::path).join(", ");
    Refusal::new(StatusCode::NOT_FOUND, format!("expected one of /, {paths}, found {}", uri.path()))
}

async fn other_method(State(app): State<Arc<App>>, method: Method, uri: Uri) -> Refusal {
    // Those of the page have GET alone.
    let expected = Path::of(&uri).map_or(READ, |path| path.methods(app.reach.is_local));
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, format!("expected {expected}, found {method}"))
}

async fn counts(State(app): State<Arc<App>>) -> impl IntoResponse {
    let text = metrics::text(&app);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text)
}

async fn tables(State(app): State<Arc<App>>) -> Answered {
    let tables = app.tables.clone();
    app.answer(move |_| Ok(listed(&tables.get()))).await
}

async fn stats(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Answered {
    let [material] = query::read(query, ["material"], Some("3-2"))?;
    let material = query::material(&material.unwrap_or_default())?;
    let tables = app.tables.clone();
    app.answer(move |_| Ok(Stats::of(tables.get().table(material)?, material))).await
}

async fn legal_moves(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Answered {
    let [text] = query::read(query, ["position"], Some(POSITION))?;
    let answer = |app: &App, text: &str| all_moves(app.rules, &position(app.rules, text)?);
    app.about_position(text.unwrap_or_default(), answer).await
}

/// Who answers.
async fn version(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Answered {
    let [] = query::read(query, [], None)?;
    let searches = Some(app.limits.searches > 0);
    let greeting = Greeting { searches, ..Greeting::new(None, "serve", app.rules) };
    let line = json::to_line(&greeting) + "\n";
    Ok(([JSON], line).into_response())
}

async fn explain(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Answered {
    let [text] = query::read(query, ["position"], Some(POSITION))?;
    let question = Question { proofs: true, ..Question::new(app.rules) };
    let answer = move |app: &App, text: &str| app.of_tables(text, &question);
    app.about_position(text.unwrap_or_default(), answer).await
}

async fn known(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Answered {
    let [text] = query::read(query, ["position"], Some(POSITION))?;
    app.about_position(text.unwrap_or_default(), App::known).await
}

/// Draws a position in the colours of the page.
async fn picture(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Answered {
    let [text] = query::read(query, ["position"], Some(POSITION))?;
    let text = text.unwrap_or_default();
    let (rules, of_work) = (app.rules, text.clone());
    let draw = move |_: &Cancel| {
        let picture = Picture { palette: Palette::WOOD, ..Picture::default() };
        Ok(picture.svg(&position(rules, &of_work)?) + "\n")
    };
    let drawn = app.within_time(draw).await;
    let drawn = drawn.map_err(|refusal| refusal.about(&text))?;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], drawn).into_response())
}

async fn probe(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Answered {
    let [text, line] = query::read(query, ["position", "line"], Some(POSITION))?;
    let text = text.unwrap_or_default();
    let line = query::flag("line", line).map_err(|refusal| refusal.about(&text))?;
    let question = Question { moves: true, line, ..Question::new(app.rules) };
    app.about_position(text, move |app, text| app.of_tables(text, &question)).await
}

/// Answers each line of the body with a line.
async fn probe_all(State(app): State<Arc<App>>, RawQuery(query): RawQuery, body: Body) -> Answered {
    let [line] = query::read(query, ["line"], None)?;
    let line = query::flag("line", line)?;
    let expected =
        format!("expected at most {MOST_POSITIONS} lines of {LONGEST_BODY} bytes in all");
    let text = text_of(&app, body, LONGEST_BODY, &expected).await?;
    if text.lines().count() > MOST_POSITIONS {
        return Err(too_large(format!("{expected}, found more lines")));
    }
    let question = Question { moves: true, line, ..Question::new(app.rules) };
    let of_app = app.clone();
    let answers = move |cancel: &Cancel| {
        let answered = |text: &str| match of_app.of_tables(text, &question) {
            Ok(answer) => json::to_line(&answer) + "\n",
            Err(refusal) => refusal.about(text).line() + "\n",
        };
        let mut lines = String::new();
        let lines_of_body = text.lines().map(without_mark);
        for answer in lines_of_body.take_while(|_| !cancel.should_stop()).map(answered) {
            if lines.len() > LONGEST_ANSWERS {
                return Err(too_large(format!(
                    "expected positions with answers of at most {LONGEST_ANSWERS} bytes in all, found \
                     more; ask about fewer at once"
                )));
            }
            lines += &answer;
        }
        Ok(lines)
    };
    Ok(([JSON_LINES], app.within_time(answers).await?).into_response())
}

/// Plays the moves of the studies in the body.
async fn studies(State(app): State<Arc<App>>, RawQuery(query): RawQuery, body: Body) -> Answered {
    let [] = query::read(query, [], None)?;
    let most = if app.reach.is_for_one { LONGEST_STUDIES } else { LONGEST_BODY };
    let expected = format!("expected studies of at most {most} bytes");
    let text = text_of(&app, body, most, &expected).await?;
    let no_study = |why: ParseStudyError| query::wrong(why.to_string()).because(Reason::NotAStudy);
    let of_app = app.clone();
    let work = move |cancel: &Cancel| {
        let parsed = parse(&text).map_err(no_study)?;
        let played = Studies::new(&parsed, of_app.tables.get(), cancel)?;
        let stopped = || Refusal::busy("nobody waits for this answer any more");
        let line = json::to_line(&played.ok_or_else(stopped)?) + "\n";
        let longest = STUDIES_GROW * most;
        if line.len() > longest {
            return Err(too_large(format!(
                "expected studies with an answer of at most {longest} bytes, found more; send fewer at once"
            )));
        }
        Ok(line)
    };
    Ok(([JSON], app.within_time(work).await?).into_response())
}

fn too_large(error: String) -> Refusal {
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, error)
}

/// The text in the body of a request, of at most so many bytes. `expected` says how long it may be.
async fn text_of(app: &App, body: Body, most: usize, expected: &str) -> Result<String, Refusal> {
    let body = timeout(app.limits.patience, to_bytes(body, most));
    let body = body.await.map_err(|_| {
        let error = "expected the whole body, which did not come in time";
        Refusal::new(StatusCode::REQUEST_TIMEOUT, error)
    })?;
    let body = body.map_err(|error| match error.into_inner() {
        cause if cause.is::<LengthLimitError>() => {
            too_large(format!("{expected}, found more bytes"))
        }
        cause => query::wrong(format!("the body cannot be read: {cause}")),
    })?;
    Ok(String::from_utf8_lossy(&body).into_owned())
}

/// The tables of a server: `/tables`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tables {
    /// The rule set of its answers.
    rules: RuleSet,
    /// All tables, as `list --json` lists them, but their paths are only the names of the files.
    tables: Vec<Listed>,
}

/// The tables of all rule sets, with the names of the files but not their folders.
fn listed(tables: &Tablebase) -> Tables {
    let entry = |file: &TableEntry| {
        // Those that answer no questions do not stay open.
        let closed = (file.rules() != tables.rules()).then(|| file.closed());
        let file = closed.as_ref().unwrap_or(file);
        let mut entry = list::entry(file);
        entry.path = file.path().map(file_name);
        let failed = file.table().err().map(without_folders);
        entry.failed = failed.map(|error| Failed::from(&error).into());
        entry
    };
    Tables { rules: tables.rules(), tables: tables.tables().into_iter().map(entry).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_lists_all_requests_and_no_others() {
        let page = std::fs::read_to_string("../../docs/PROTOCOL.md").unwrap();
        let (_, table) = page.split_once("| request | answer |\n").unwrap();
        let (table, _) = table.split_once("\n\n").unwrap();
        let listed = table.lines().skip(1).map(|row| row.split('`').nth(1).unwrap());
        let listed = listed.filter(|request| *request != "/").map(|request| {
            let (method, path) = request.split_once(' ').unwrap_or(("GET", request));
            (path.split('?').next().unwrap(), method)
        });
        let requests = |path: &'static Path| {
            let (get, post) = (path.get(false).map(|_| "GET"), path.post.map(|_| "POST"));
            get.into_iter().chain(post).map(|method| (path.path(), method))
        };
        let (mut listed, mut paths) =
            (listed.collect::<Vec<_>>(), PATHS.iter().flat_map(requests).collect::<Vec<_>>());
        listed.sort();
        paths.sort();
        assert_eq!(listed, paths);
    }
}
