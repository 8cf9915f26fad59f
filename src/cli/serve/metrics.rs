//! The counts that Prometheus reads, in its
//! [text format](https://prometheus.io/docs/instrumenting/exposition_formats/).

use std::fmt::{self, Display, Formatter};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How much there is now of what the server works on.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Requests that are being answered.
    pub under_way: Gauge,
    /// Connections that are open.
    pub connections: Gauge,
}

/// How many of something there are now.
#[derive(Debug, Default)]
pub struct Gauge(AtomicUsize);

impl Gauge {
    /// There is one more.
    pub fn inc(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// There is one less.
    pub fn dec(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Display for Gauge {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.load(Ordering::Relaxed).fmt(f)
    }
}

impl Metrics {
    /// All counts in the text format of Prometheus. So many searches run.
    pub fn text(&self, searches: usize) -> String {
        let gauges: [(&str, &str, &dyn Display); 3] = [
            ("requests_under_way", "How many requests are being answered.", &self.under_way),
            ("connections", "How many connections are open.", &self.connections),
            ("searches", "How many searches run.", &searches),
        ];
        let told = gauges.map(|(name, help, value)| {
            let name = format!("lasca_tb_{name}");
            format!("# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}\n")
        });
        told.concat()
    }
}
