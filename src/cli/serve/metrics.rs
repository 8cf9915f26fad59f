//! The counts that Prometheus reads, in its
//! [text format](https://prometheus.io/docs/instrumenting/exposition_formats/).

use std::sync::atomic::{AtomicUsize, Ordering};

/// How much there is now of what the server works on.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Requests that are being answered.
    pub under_way: AtomicUsize,
    /// Connections that are open.
    pub connections: AtomicUsize,
}

impl Metrics {
    /// All counts in the text format of Prometheus. So many searches run.
    pub fn text(&self, searches: usize) -> String {
        let now = |gauge: &AtomicUsize| gauge.load(Ordering::Relaxed);
        let gauges = [
            ("requests_under_way", "How many requests are being answered.", now(&self.under_way)),
            ("connections", "How many connections are open.", now(&self.connections)),
            ("searches", "How many searches run.", searches),
        ];
        let told = gauges.map(|(name, help, value)| {
            let name = format!("lasca_tb_{name}");
            format!("# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}\n")
        });
        told.concat()
    }
}
