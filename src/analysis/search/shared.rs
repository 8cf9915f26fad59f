//! Numbers that threads share in the parts whose tests try all orders in which the threads may see changes to them.

#[cfg(not(all(test, loom)))]
pub(super) use lasca_tablebase::internals::AtomicU64;
#[cfg(all(test, loom))]
pub(super) use loom::sync::atomic::{AtomicU32, AtomicU64};
#[cfg(not(all(test, loom)))]
pub(super) use std::sync::atomic::AtomicU32;
