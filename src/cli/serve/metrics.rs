//! The counts that Prometheus reads.

use super::pool::Pool;
use prometheus::{
    HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, Registry, TextEncoder,
    core::Collector,
};
use std::time::{SystemTime, UNIX_EPOCH};

/// The upper bounds of the buckets of times, in seconds.
const BUCKETS: [f64; 14] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0];

/// Why the server closes connections.
const CLOSED: [&str; 6] = ["malformed", "too_long", "slow", "displaced", "refused", "broken"];

/// The counts since the server started.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    /// Requests by route and status. The status is `gone` if the client did not wait for the answer.
    pub requests: IntCounterVec,
    /// Times of requests by route.
    pub times: HistogramVec,
    /// Requests that are being answered.
    pub under_way: IntGauge,
    /// Connections that are open.
    pub connections: IntGauge,
    /// Connections that the server closed, by reason.
    pub closed: IntCounterVec,
    /// Lines of the log that were dropped.
    pub dropped_lines: IntCounter,
    tables: IntGauge,
    workers_busy: IntGauge,
    workers_wanted: IntGauge,
    searches: IntGauge,
}

impl Metrics {
    /// All counts at zero.
    ///
    /// # Errors
    /// None, as all names are good ones and differ.
    pub fn new(rules: &str) -> prometheus::Result<Metrics> {
        let registry = Registry::new_custom(Some("lasca_tb".to_owned()), None)?;
        let gauge = |name, help| registered(&registry, IntGauge::new(name, help)?);
        let counts = |name, help, labels: &[&str]| {
            registered(&registry, IntCounterVec::new(Opts::new(name, help), labels)?)
        };
        let info = Opts::new("info", "The version of the server and its rule set.")
            .const_label("version", env!("CARGO_PKG_VERSION"))
            .const_label("rules", rules);
        registered(&registry, IntGauge::with_opts(info)?)?.set(1);
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        gauge("start_time_seconds", "When the server started, in seconds since 1970.")?
            .set(started.as_secs() as i64);
        let times = HistogramOpts::new(
            "request_seconds",
            "Seconds from a request to its answer, by route.",
        )
        .buckets(BUCKETS.to_vec());
        let closed = "Connections that the server closed, by reason.";
        let closed = counts("connections_closed_total", closed, &["why"])?;
        // From the beginning, each count is there.
        for why in CLOSED {
            closed.with_label_values(&[why]);
        }
        let dropped = "Lines of the log that were dropped because nobody read them in time.";
        let requests =
            "Requests by route and status. The status is gone if the client did not wait.";
        let wanted = "How many requests wait for a worker thread.";
        Ok(Metrics {
            requests: counts("requests_total", requests, &["route", "status"])?,
            times: registered(&registry, HistogramVec::new(times, &["route"])?)?,
            under_way: gauge("requests_under_way", "How many requests are being answered.")?,
            connections: gauge("connections", "How many connections are open.")?,
            closed,
            dropped_lines: registered(
                &registry,
                IntCounter::new("log_lines_dropped_total", dropped)?,
            )?,
            tables: gauge("tables", "How many tables of the rule set there are.")?,
            workers_busy: gauge("workers_busy", "How many worker threads are busy.")?,
            workers_wanted: gauge("workers_wanted", wanted)?,
            searches: gauge("searches", "How many searches run.")?,
            registry,
        })
    }

    /// All counts in the text format of Prometheus.
    pub fn text(&self, tables: usize, workers: [&Pool; 2], searches: &Pool) -> String {
        let of_workers =
            |count: fn(&Pool) -> usize| workers.into_iter().map(count).sum::<usize>() as i64;
        self.tables.set(tables as i64);
        self.workers_busy.set(of_workers(Pool::working));
        self.workers_wanted.set(of_workers(Pool::waiting));
        self.searches.set(searches.working() as i64);
        TextEncoder::new().encode_to_string(&self.registry.gather()).unwrap_or_default()
    }
}

/// Shows a count among the others.
fn registered<C: Collector + Clone + 'static>(
    registry: &Registry,
    count: C,
) -> prometheus::Result<C> {
    registry.register(Box::new(count.clone()))?;
    Ok(count)
}
