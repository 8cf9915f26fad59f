//! What the benches share.

#![allow(dead_code, reason = "no bench uses all of it")]

pub mod budget;

use criterion::Criterion;
use lasca_common::numbers::Numbers;
use lasca_tablebase::index::{Material, SliceIndex};
use lasca_tablebase::rules::OfficerPosition;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The tables that come with the source.
pub const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tables");

/// Short runs: the benches are there to compare versions, and the effects of interest are large.
pub fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args()
}

/// Whether the program was given this option.
pub fn has(name: &str) -> bool {
    std::env::args().any(|argument| argument == name)
}

/// The processor time of this thread so far, or the time on the clock where the system does not tell.
pub fn processor_time() -> Duration {
    // The system adds up when a thread gives way.
    std::thread::sleep(Duration::from_micros(10));
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split_whitespace().next()?.parse().ok());
    nanoseconds.map_or_else(since_start, Duration::from_nanos)
}

/// The time on the clock, of which only differences mean anything.
pub fn since_start() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// All slices of a material with White to move.
pub fn slices(material: Material) -> Vec<SliceIndex> {
    let of_columns = |k| SliceIndex::new(material.white(), material.black(), k).unwrap();
    material.columns().map(of_columns).collect()
}

/// Positions of a material with White to move, each as likely as any other.
pub fn positions(material: Material, count: usize) -> Vec<OfficerPosition> {
    positions_of(&slices(material), count)
}

/// Positions of these slices, each as likely as any other.
pub fn positions_of(slices: &[SliceIndex], count: usize) -> Vec<OfficerPosition> {
    let total: u64 = slices.iter().map(SliceIndex::positions).sum();
    let mut numbers = Numbers(0);
    let mut position = || {
        let mut number = numbers.any() % total;
        for slice in slices {
            if number < slice.positions() {
                return slice.position(number);
            }
            number -= slice.positions();
        }
        unreachable!("the slices hold all positions")
    };
    (0..count).map(|_| position()).collect()
}
