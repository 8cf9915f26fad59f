//! How long work reports what it is doing.

use crate::index::Material;
use std::io;
use std::path::Path;

/// Told what a generation or a check is doing. All methods have empty defaults; they may be called
/// from any thread, though never from two at once.
pub trait Progress: Sync {
    /// Work on a material begins: `positions` are to be stored.
    fn material_started(&self, _material: Material, _positions: u64) {}

    /// The slice was finished by an earlier run and is read from its work file.
    fn slice_resumed(&self, _material: Material, _columns: usize, _positions: u64) {}

    /// Work on a slice begins.
    fn slice_started(&self, _material: Material, _columns: usize, _positions: u64) {}

    /// The state of the slice could not be saved for a later run, under this name. The work goes on; a
    /// run that takes it up again would lose more time.
    fn checkpoint_failed(&self, _path: &Path, _error: &io::Error) {}

    /// All positions decided at `ply` have been found: `settled` of the slice so far.
    fn ply_done(&self, _ply: u16, _settled: u64) {}

    /// So many positions of the slice have been checked.
    fn positions_checked(&self, _done: u64) {}

    /// The work on the slice is done.
    fn slice_finished(&self) {}

    /// The slice is solved, and its values are being written.
    fn slice_writing(&self, _material: Material, _columns: usize) {}

    /// Another run is at work on the material; this one waits for it.
    fn waiting_for_other_run(&self, _material: Material) {}
}

/// Reports nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}
