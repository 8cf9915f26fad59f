//! What a search may use, and what it tells while it is at work.

use crate::rules::ByColor;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What a call of the search may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// The longest time from the call on; `None` for as long as it takes.
    pub time: Option<Duration>,
    /// How many threads search, at least 1; more than 8 count as 8.
    pub threads: usize,
    /// The search stops soon after this becomes true.
    pub cancelled: Option<&'a AtomicBool>,
}

impl Default for Limits<'_> {
    /// One thread, for as long as it takes.
    fn default() -> Self {
        Limits { time: None, threads: 1, cancelled: None }
    }
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// How many positions have been met.
    pub positions: u64,
    /// How many of them have been expanded: their moves were looked at.
    pub expanded: u64,
    /// The bytes that the search holds.
    pub bytes: u64,
    /// For each side whose question "can it win?" is open: how hard it looks to prove that it can,
    /// and how hard that it cannot, from 1 to 60,000. Smaller is closer.
    pub numbers: ByColor<Option<(u16, u16)>>,
}

/// Told what a search is doing.
pub trait Watch {
    /// Some more positions have been searched. It is called several times a second or more often,
    /// from the thread that called the search.
    fn searching(&self, _status: &Status) {}
}

/// Is told, and says nothing.
impl Watch for crate::Silent {}
