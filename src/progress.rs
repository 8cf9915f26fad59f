//! How the library reports the progress of long work, and is asked to stop it.

use crate::index::Material;
use crate::rules::ByColor;
use std::io;
use std::path::Path;
use std::sync::Mutex;

/// Receives reports on the progress of a generation, a verification, an analysis, a search or a review. All methods
/// do nothing by default. They may be called from any thread, but never from two threads at once, except
/// for [`Progress::should_stop`].
pub trait Progress: Sync {
    /// Work on a material begins. Its table will store this many positions.
    fn material_started(&self, _material: Material, _positions: u64) {}

    /// An earlier run has finished the slice, and its work file is used.
    fn slice_resumed(&self, _material: Material, _columns: usize, _positions: u64) {}

    /// Work on a slice begins.
    fn slice_started(&self, _material: Material, _columns: usize, _positions: u64) {}

    /// A file that an earlier run left under this path is not used, for the reason that `why` names
    /// as a clause. If it was there, `why` also says under which name it is kept. The work that it stood
    /// for is done again.
    fn work_ignored(&self, _path: &Path, _why: &str) {}

    /// The state of the slice could not be saved under this path. Work goes on, but a later run that
    /// resumes the slice would lose more time.
    fn checkpoint_failed(&self, _path: &Path, _error: &io::Error) {}

    /// All positions of the slice that are decided in `ply` plies have been found. `settled` is the
    /// number of positions found so far, for all plies. A ply at which nothing is to do is left out.
    fn ply_done(&self, _ply: u16, _settled: u64) {}

    /// `done` positions of the slice have been checked or counted so far.
    fn positions_checked(&self, _done: u64) {}

    /// Work on the slice is done.
    fn slice_finished(&self) {}

    /// The slice is solved, and writing its values begins: to the table, or where unfinished work is saved.
    fn slice_writing(&self, _material: Material, _columns: usize) {}

    /// Another run is working on the material, and this one waits for it.
    fn waiting_for_other_run(&self, _material: Material) {}

    /// Some more positions have been searched. It is called often, but not during a pass over all that a
    /// search knows, and always from the thread that called the search.
    fn searching(&self, _status: &SearchStatus) {}

    /// A review looks next at the position after so many plies of a game that has so many positions.
    fn reviewing(&self, _ply: usize, _positions: usize) {}

    /// Whether a generation, a search or a review shall stop. It is asked again and again, from any thread, also from
    /// several at once. A generation ends at the next point from which a later run can go on, and a search
    /// soon. Other work goes on to its end.
    fn should_stop(&self) -> bool {
        false
    }
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchStatus {
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

/// Ignores all reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}

/// How many positions with the same number of columns are done, by all threads and for both sides to move
/// together.
pub(crate) struct Done<'a> {
    progress: &'a dyn Progress,
    /// In how many parts the work on each position is done.
    parts: u64,
    /// The positions of all parts.
    positions: Mutex<u64>,
}

impl<'a> Done<'a> {
    /// Starts at 0. Each position is worked on `parts` times.
    pub fn new(progress: &'a dyn Progress, parts: u64) -> Done<'a> {
        Done { progress, parts, positions: Mutex::new(0) }
    }

    /// Reports that one part of the work is done for so many more positions.
    pub fn add(&self, positions: u64) {
        if let Ok(mut done) = self.positions.lock() {
            *done += positions;
            self.progress.positions_checked(*done / self.parts);
        }
    }
}
