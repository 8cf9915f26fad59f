//! The counts that Prometheus reads.

use super::searches::Searches;
use super::workers::Workers;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The upper bounds of the buckets of times, in seconds.
const BUCKETS: [f64; 14] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0];

/// The counts since the server started.
#[derive(Debug)]
pub struct Metrics {
    started: SystemTime,
    /// Requests by route and status. The status is `None` if the client did not wait for the answer.
    requests: Mutex<BTreeMap<(&'static str, Option<u16>), u64>>,
    /// Times of requests by route.
    times: Mutex<BTreeMap<&'static str, Times>>,
    /// Requests that are being answered.
    pub under_way: Gauge,
    /// Connections that are open.
    pub connections: Gauge,
    /// Connections that the server closed, by reason.
    pub closed: [Count; Closed::ALL.len()],
    /// Lines of the log that were dropped.
    pub dropped_lines: Count,
}

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

/// A number that grows and falls.
#[derive(Debug, Default)]
pub struct Gauge(Arc<AtomicI64>);

/// One more in a gauge, until this is dropped.
#[derive(Debug)]
pub struct Held(Arc<AtomicI64>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Why the server closed a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    /// The client sent something that is not a request.
    Malformed,
    /// The head of the request is too long.
    TooLong,
    /// The client took too long to send a request, or to read the answer.
    Slow,
    /// The connection was idle, and a new one needed its slot.
    Displaced,
    /// All connections were busy when it came.
    Refused,
    /// The connection broke.
    Broken,
}

impl Closed {
    /// All reasons.
    pub const ALL: [Closed; 6] = [
        Closed::Malformed,
        Closed::TooLong,
        Closed::Slow,
        Closed::Displaced,
        Closed::Refused,
        Closed::Broken,
    ];

    /// The reason as one word.
    pub const fn name(self) -> &'static str {
        match self {
            Closed::Malformed => "malformed",
            Closed::TooLong => "too_long",
            Closed::Slow => "slow",
            Closed::Displaced => "displaced",
            Closed::Refused => "refused",
            Closed::Broken => "broken",
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Times {
    /// Each request counts in the first bucket that it fits. The sums are made for the output.
    buckets: [u64; BUCKETS.len()],
    count: u64,
    seconds: f64,
}

impl Count {
    /// Adds one.
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Gauge {
    /// Adds one for as long as the returned value lives.
    pub fn hold(&self) -> Held {
        self.0.fetch_add(1, Ordering::Relaxed);
        Held(self.0.clone())
    }

    fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Metrics {
    /// All counts at zero.
    pub fn new() -> Metrics {
        Metrics {
            started: SystemTime::now(),
            requests: Mutex::default(),
            times: Mutex::default(),
            under_way: Gauge::default(),
            connections: Gauge::default(),
            closed: Default::default(),
            dropped_lines: Count::default(),
        }
    }

    /// Counts a request by its route, its status (`None` if the client was gone) and its time.
    pub fn request(&self, route: &'static str, status: Option<u16>, time: Duration) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((route, status)).or_default() += 1;
        drop(requests);
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let times = times.entry(route).or_default();
        let seconds = time.as_secs_f64();
        times.count += 1;
        times.seconds += seconds;
        if let Some(bucket) = BUCKETS.iter().position(|&bound| seconds <= bound) {
            times.buckets[bucket] += 1;
        }
    }

    /// Counts a connection that the server closed.
    pub fn close(&self, why: Closed) {
        self.closed[why as usize].add();
    }

    /// All counts in the text format of Prometheus.
    pub fn text(
        &self,
        rules: &str,
        tables: usize,
        workers: &[&Workers],
        searches: &Searches,
    ) -> String {
        let mut text = String::with_capacity(4096);
        let head = |text: &mut String, name: &str, kind: &str, help: &str| {
            let _ = writeln!(text, "# HELP lasca_tb_{name} {help}\n# TYPE lasca_tb_{name} {kind}");
        };
        let version = env!("CARGO_PKG_VERSION");
        head(&mut text, "info", "gauge", "The version of the server and its rule set.");
        let _ = writeln!(text, "lasca_tb_info{{version=\"{version}\",rules=\"{rules}\"}} 1");
        let started = self.started.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let of_workers = |count: fn(&Workers) -> usize| {
            workers.iter().map(|workers| count(workers)).sum::<usize>() as i64
        };
        let gauges = [
            (
                "start_time_seconds",
                "When the server started, in seconds since 1970.",
                started as i64,
            ),
            ("tables", "How many tables of the rule set there are.", tables as i64),
            ("requests_under_way", "How many requests are being answered.", self.under_way.get()),
            ("connections", "How many connections are open.", self.connections.get()),
            ("workers_busy", "How many worker threads are busy.", of_workers(Workers::working)),
            (
                "workers_wanted",
                "How many requests wait for a worker thread.",
                of_workers(Workers::waiting),
            ),
            ("searches", "How many searches run.", searches.taken() as i64),
        ];
        for (name, help, value) in gauges {
            head(&mut text, name, "gauge", help);
            let _ = writeln!(text, "lasca_tb_{name} {value}");
        }
        let name = "log_lines_dropped_total";
        head(
            &mut text,
            name,
            "counter",
            "Lines of the log that were dropped because nobody read them in time.",
        );
        let _ = writeln!(text, "lasca_tb_{name} {}", self.dropped_lines.get());
        let name = "connections_closed_total";
        head(&mut text, name, "counter", "Connections that the server closed, by reason.");
        for why in Closed::ALL {
            let count = self.closed[why as usize].get();
            let _ = writeln!(text, "lasca_tb_{name}{{why=\"{}\"}} {count}", why.name());
        }
        let name = "requests_total";
        head(
            &mut text,
            name,
            "counter",
            "Requests by route and status. The status is gone if the client did not wait.",
        );
        for (&(route, status), count) in
            self.requests.lock().unwrap_or_else(PoisonError::into_inner).iter()
        {
            let status = status.map_or("gone".to_owned(), |status| status.to_string());
            let labels = format!("route=\"{route}\",status=\"{status}\"");
            let _ = writeln!(text, "lasca_tb_{name}{{{labels}}} {count}");
        }
        let name = "request_seconds";
        head(&mut text, name, "histogram", "Seconds from a request to its answer, by route.");
        for (route, times) in self.times.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let mut sum = 0;
            for (bound, count) in BUCKETS.iter().zip(times.buckets) {
                sum += count;
                let labels = format!("route=\"{route}\",le=\"{bound}\"");
                let _ = writeln!(text, "lasca_tb_{name}_bucket{{{labels}}} {sum}");
            }
            let Times { count, seconds, .. } = times;
            let _ = writeln!(
                text,
                "lasca_tb_{name}_bucket{{route=\"{route}\",le=\"+Inf\"}} {count}\n\
                 lasca_tb_{name}_sum{{route=\"{route}\"}} {seconds}\n\
                 lasca_tb_{name}_count{{route=\"{route}\"}} {count}"
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    #[test]
    fn a_panic_leaves_gauges_as_they_were() {
        let gauge = Gauge::default();
        let held = gauge.hold();
        let other = Mutex::new(Some(gauge.hold()));
        let panicked = catch_unwind(|| {
            let _other = other.lock().unwrap().take();
            panic!("on purpose");
        });
        assert!(panicked.is_err());
        assert_eq!(gauge.get(), 1);
        drop(held);
        assert_eq!(gauge.get(), 0);
    }
}
