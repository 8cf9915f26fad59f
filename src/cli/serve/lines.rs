//! Answers that come line by line: first how far the work is, and the answer last.

use super::app::JSON_LINES;
use super::refusal::Refusal;
use crate::json;
use crate::threads::lock;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, StreamExt};
use serde::Serialize;
use std::convert::Infallible;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// The time between two lines that tell how far the work is.
const PACE: Duration = Duration::from_millis(250);

/// Tells a client how far the work for it is.
#[derive(Debug)]
pub struct Teller {
    send: UnboundedSender<String>,
    /// When the last line was sent.
    told: Mutex<Option<Instant>>,
}

impl Teller {
    /// Sends a line if none was sent a moment ago.
    pub fn tell(&self, line: &impl Serialize) {
        if lock(&self.told).is_none_or(|told| told.elapsed() >= PACE) {
            self.tell_at_once(line);
        }
    }

    /// Sends a line.
    pub fn tell_at_once(&self, line: &impl Serialize) {
        *lock(&self.told) = Some(Instant::now());
        let _ = self.send.send(json::to_line(line) + "\n");
    }
}

/// The answer to a request about this position: the lines that the work tells meanwhile, and at last the line that it
/// gives, or why there is none. The work ends if the client goes.
pub fn line_by_line<F>(position: String, work: impl FnOnce(Teller) -> F) -> Response
where
    F: Future<Output = Result<String, Refusal>> + Send + 'static,
{
    let (send, mut lines) = unbounded_channel();
    let work = work(Teller { send: send.clone(), told: Mutex::default() });
    tokio::spawn(async move {
        tokio::select! {
            ended = work => {
                let refused = |refusal: Refusal| refusal.about(&position).line() + "\n";
                let _ = send.send(ended.unwrap_or_else(refused));
            }
            () = send.closed() => {}
        }
    });
    let lines = stream::poll_fn(move |context| lines.poll_recv(context));
    ([JSON_LINES], Body::from_stream(lines.map(Ok::<_, Infallible>))).into_response()
}
