//! What is noted about each request: that it is under way, and a line of the log.

use super::app::App;
use super::client::Client;
use super::log;
use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::BodyExt;
use hyper::{Method, StatusCode};
use percent_encoding::{CONTROLS, percent_encode};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// How much of a path and query the log shows, in bytes.
const LOGGED: usize = 400;

/// A request that is being answered. It is logged when this value is dropped, even if the client has not waited for the
/// answer.
struct Record {
    app: Arc<App>,
    began: Instant,
    client: Client,
    method: Method,
    target: String,
    /// The status, when it is known.
    status: Option<StatusCode>,
}

/// Answers a request, and notes it when all is sent or the client has left.
pub async fn noted(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    request: Request,
    next: Next,
) -> Response {
    app.under_way.fetch_add(1, Ordering::Relaxed);
    let target = request.uri().path_and_query().map_or("", |target| target.as_str());
    let mut record = Record {
        app,
        began: Instant::now(),
        client,
        method: request.method().clone(),
        target: logged(target),
        status: None,
    };
    let answer = next.run(request).await;
    record.status = Some(answer.status());
    // The record is dropped with the body.
    answer.map(|body| {
        Body::new(body.map_err(move |error| {
            let _ = &record;
            error
        }))
    })
}

impl Drop for Record {
    fn drop(&mut self) {
        let Record { app, began, client, method, target, status } = self;
        let time = began.elapsed().as_secs_f64() * 1000.0;
        let status = status.as_ref().map_or("gone", StatusCode::as_str);
        app.under_way.fetch_sub(1, Ordering::Relaxed);
        log::line(format_args!("{client} {method} {target} {status} {time:.2}ms"));
    }
}

/// The beginning of a path and query, for the log. All but printable ASCII is escaped, so that no
/// client can control the terminal of someone who reads the log.
fn logged(target: &str) -> String {
    let shown = &target.as_bytes()[..target.len().min(LOGGED)];
    let rest = if shown.len() < target.len() { "..." } else { "" };
    format!("{}{rest}", percent_encode(shown, CONTROLS))
}
