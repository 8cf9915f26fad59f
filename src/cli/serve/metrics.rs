//! The counts that Prometheus reads, in its
//! [text format](https://prometheus.io/docs/instrumenting/exposition_formats/).

use crate::threads::lock;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The upper bounds of the buckets of times, in seconds.
const BUCKETS: [f64; 14] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0];

/// The counts since the server started.
#[derive(Debug, Default)]
pub struct Metrics {
    routes: Mutex<BTreeMap<String, Route>>,
    /// Requests that are being answered.
    pub under_way: Gauge,
    /// Connections that are open.
    pub connections: Gauge,
}

/// The requests of one route that have been answered.
#[derive(Debug, Default)]
struct Route {
    /// How many ended with each status.
    statuses: BTreeMap<String, u64>,
    /// How many took no longer than each bound of [`BUCKETS`].
    within: [u64; BUCKETS.len()],
    /// How long all took together, in seconds.
    seconds: f64,
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
    /// Counts a request that took so many seconds. Its status is `gone` if the client did not wait for the
    /// beginning of the answer.
    pub fn answered(&self, route: &str, status: &str, seconds: f64) {
        let mut routes = lock(&self.routes);
        let route = routes.entry(route.to_owned()).or_default();
        *route.statuses.entry(status.to_owned()).or_default() += 1;
        for (within, bound) in route.within.iter_mut().zip(BUCKETS) {
            *within += u64::from(seconds <= bound);
        }
        route.seconds += seconds;
    }

    /// All counts in the text format of Prometheus. So many searches run.
    pub fn text(&self, searches: usize) -> String {
        let mut text = String::new();
        let mut metric = |name: &str, kind: &str, help: &str, samples: &str| {
            let name = format!("lasca_tb_{name}");
            text += &format!("# HELP {name} {help}\n# TYPE {name} {kind}\n");
            text.extend(samples.lines().map(|sample| format!("{name}{sample}\n")));
        };
        let (mut requests, mut times) = (String::new(), String::new());
        for (name, route) in &*lock(&self.routes) {
            for (status, count) in &route.statuses {
                requests += &format!("{{route=\"{name}\",status=\"{status}\"}} {count}\n");
            }
            for (bound, within) in BUCKETS.iter().zip(route.within) {
                times += &format!("_bucket{{route=\"{name}\",le=\"{bound}\"}} {within}\n");
            }
            let count: u64 = route.statuses.values().sum();
            times += &format!("_bucket{{route=\"{name}\",le=\"+Inf\"}} {count}\n");
            times += &format!("_sum{{route=\"{name}\"}} {}\n", route.seconds);
            times += &format!("_count{{route=\"{name}\"}} {count}\n");
        }
        metric(
            "requests_total",
            "counter",
            "Requests by route and status. The status is gone if the client did not wait for the beginning of \
             the answer.",
            &requests,
        );
        let help = "Seconds from a request to its answer, by route.";
        metric("request_seconds", "histogram", help, &times);
        for (name, help, value) in [
            (
                "requests_under_way",
                "How many requests are being answered.",
                &self.under_way as &dyn Display,
            ),
            ("connections", "How many connections are open.", &self.connections),
            ("searches", "How many searches run.", &searches),
        ] {
            metric(name, "gauge", help, &format!(" {value}\n"));
        }
        text
    }
}
