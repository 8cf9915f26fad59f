//! The counts that Prometheus reads.

use super::pool::Pool;
use prometheus::{
    HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, Registry, TextEncoder,
    register_histogram_vec_with_registry, register_int_counter_vec_with_registry,
    register_int_counter_with_registry, register_int_gauge_with_registry,
};
use std::time::{SystemTime, UNIX_EPOCH};

/// The upper bounds of the buckets of times, in seconds.
const BUCKETS: [f64; 14] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0];

/// Why the server closes connections.
const CLOSED: [&str; 5] = ["malformed", "too_long", "slow", "displaced", "broken"];

/// The counts since the server started.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    /// Requests by route and status. The status is `gone` if the client did not wait for the beginning of
    /// the answer.
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
        let gauge = |name, help| register_int_gauge_with_registry!(name, help, registry);
        let info = Opts::new("info", "The version of the server and its rule set.")
            .const_label("version", env!("CARGO_PKG_VERSION"))
            .const_label("rules", rules);
        register_int_gauge_with_registry!(info, registry)?.set(1);
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        gauge("start_time_seconds", "When the server started, in seconds since 1970.")?
            .set(started.as_secs() as i64);
        let closed = register_int_counter_vec_with_registry!(
            "connections_closed_total",
            "Connections that the server closed, by reason.",
            &["why"],
            registry
        )?;
        // From the beginning, each count is there.
        for why in CLOSED {
            closed.with_label_values(&[why]);
        }
        Ok(Metrics {
            requests: register_int_counter_vec_with_registry!(
                "requests_total",
                "Requests by route and status. The status is gone if the client did not wait for the \
                 beginning of the answer.",
                &["route", "status"],
                registry
            )?,
            times: register_histogram_vec_with_registry!(
                "request_seconds",
                "Seconds from a request to its answer, by route.",
                &["route"],
                BUCKETS.to_vec(),
                registry
            )?,
            under_way: gauge("requests_under_way", "How many requests are being answered.")?,
            connections: gauge("connections", "How many connections are open.")?,
            closed,
            dropped_lines: register_int_counter_with_registry!(
                "log_lines_dropped_total",
                "Lines of the log that were dropped because nobody read them in time.",
                registry
            )?,
            tables: gauge("tables", "How many tables of the rule set there are.")?,
            workers_busy: gauge("workers_busy", "How many worker threads are busy.")?,
            workers_wanted: gauge("workers_wanted", "How many requests wait for a worker thread.")?,
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
