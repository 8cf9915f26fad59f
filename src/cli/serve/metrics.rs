//! The counts that Prometheus reads.

use super::log;
use prometheus::{
    HistogramVec, IntCounterVec, IntGauge, Registry, TextEncoder,
    register_histogram_vec_with_registry, register_int_counter_vec_with_registry,
    register_int_gauge_with_registry,
};

/// The upper bounds of the buckets of times, in seconds.
const BUCKETS: [f64; 14] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0];

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
    searches: IntGauge,
    lost_lines: IntGauge,
}

impl Metrics {
    /// All counts at zero.
    ///
    /// # Errors
    /// None, as all names are good ones and differ.
    pub fn new() -> prometheus::Result<Metrics> {
        let registry = Registry::new_custom(Some("lasca_tb".to_owned()), None)?;
        let gauge = |name, help| register_int_gauge_with_registry!(name, help, registry);
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
            searches: gauge("searches", "How many searches run.")?,
            lost_lines: gauge("lost_log_lines", "How many lines of the log are lost.")?,
            registry,
        })
    }

    /// All counts in the text format of Prometheus. So many searches run.
    pub fn text(&self, searches: usize) -> String {
        self.searches.set(searches as i64);
        self.lost_lines.set(log::lost() as i64);
        TextEncoder::new().encode_to_string(&self.registry.gather()).unwrap_or_default()
    }
}
