//! How a run reports what it is doing.

use crate::index::Material;

/// Told what a generation or a check is doing. All methods have empty defaults; they may be called from any
/// thread, though never from two at once.
pub trait Progress: Sync {
    /// Work on a slice begins.
    fn slice_started(&self, _material: Material, _columns: usize, _positions: u64) {}

    /// All positions that are decided within `ply` plies have been found: `settled` of the slice
    /// so far.
    fn ply_done(&self, _ply: u16, _settled: u64) {}

    /// A check has looked at `done` positions of the slice so far.
    fn positions_checked(&self, _done: u64) {}

    /// The slice is solved, or checked.
    fn slice_finished(&self) {}
}

/// Reports nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}
