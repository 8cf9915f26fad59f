//! What the standard library lacks on some targets, and in tests of threads.

/// 64 bits that threads share. Some processors of 32 bits have no instructions for them.
#[cfg(not(target_has_atomic = "64"))]
pub use portable_atomic::AtomicU64;
#[cfg(target_has_atomic = "64")]
pub use std::sync::atomic::AtomicU64;

/// Numbers that threads share. Tests try all orders in which the threads may see changes to them.
#[cfg(all(test, loom))]
pub use loom::sync::atomic::AtomicU8;
#[cfg(not(all(test, loom)))]
pub use std::sync::atomic::AtomicU8;
