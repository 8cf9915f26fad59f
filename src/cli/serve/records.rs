//! What the server notes about requests: the counts, and a line of the log for each.

use super::log::Log;
use super::metrics::{Held, Metrics};
use hyper::{Method, Request, StatusCode};
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How much of a path and query the log shows, in bytes.
const LOGGED: usize = 400;

/// The counts and the log.
#[derive(Debug)]
pub struct Records {
    /// The counts that `/metrics` shows.
    pub metrics: Metrics,
    log: OnceLock<Log>,
}

impl Records {
    /// All counts at zero, and no log.
    pub fn new() -> Records {
        Records { metrics: Metrics::new(), log: OnceLock::new() }
    }

    /// Logs there from now on.
    pub fn log_to(&self, log: Log) {
        let _ = self.log.set(log);
    }

    /// Logs a line.
    pub fn log(&self, line: impl std::fmt::Display) {
        if self.log.get().is_some_and(|log| !log.line(line)) {
            self.metrics.dropped_lines.add();
        }
    }
}

/// A request that is being answered. It is counted and logged when this value is dropped, even if the
/// client has not waited for the answer.
#[derive(Debug)]
pub struct RequestRecord {
    records: Arc<Records>,
    _under_way: Held,
    began: Instant,
    client: SocketAddr,
    method: Method,
    target: String,
    route: &'static str,
    /// The status of the answer, and the length of its body as sent.
    pub answered: Option<(StatusCode, u64)>,
}

impl RequestRecord {
    /// A request that has just come. The route is one of few names.
    pub fn new<B>(
        records: &Arc<Records>,
        request: &Request<B>,
        route: &'static str,
        client: SocketAddr,
    ) -> RequestRecord {
        let target = request.uri().path_and_query().map_or("", |target| target.as_str());
        RequestRecord {
            records: records.clone(),
            _under_way: records.metrics.under_way.hold(),
            began: Instant::now(),
            client,
            method: request.method().clone(),
            target: logged(target),
            route,
            answered: None,
        }
    }
}

impl Drop for RequestRecord {
    fn drop(&mut self) {
        let RequestRecord { records, client, method, target, route, answered, .. } = self;
        let time = self.began.elapsed();
        records.metrics.request(route, answered.map(|(status, _)| status.as_u16()), time);
        let time = milliseconds(time);
        match answered {
            Some((status, bytes)) => records
                .log(format_args!("{client} {method} {target} {} {time} {bytes}", status.as_u16())),
            None => records.log(format_args!("{client} {method} {target} gone {time} 0")),
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
}
