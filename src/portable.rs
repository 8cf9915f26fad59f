//! What the standard library lacks on some targets, and in tests of threads.

/// A clock. Browsers have one that the standard library does not know.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(crate) use std::time::Instant;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) use web_time::Instant;

/// 64 bits that threads share. Some processors of 32 bits have no instructions for them.
#[cfg(not(target_has_atomic = "64"))]
pub(crate) use portable_atomic::AtomicU64;
#[cfg(target_has_atomic = "64")]
pub(crate) use std::sync::atomic::AtomicU64;

/// Numbers that threads share in the parts whose tests try all orders in which the threads may see changes to
/// them.
pub(crate) mod shared {
    #[cfg(not(all(test, loom)))]
    pub(crate) use super::AtomicU64;
    #[cfg(all(test, loom))]
    pub(crate) use loom::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};
    #[cfg(not(all(test, loom)))]
    pub(crate) use std::sync::atomic::{AtomicU8, AtomicU32};
}
