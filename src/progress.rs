//! How the library reports the progress of long work, and is asked to stop it.

use crate::index::Material;
use crate::portable::AtomicU64;
use crate::rules::ByColor;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

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

    /// All positions of the slice that are decided in `ply` plies have been found. `settled` is the
    /// number of positions found so far, for all plies. A ply at which nothing is to do is left out.
    fn ply_done(&self, _ply: u16, _settled: u64) {}

    /// How much of the work on the slice is done so far, in positions. To read the value of a position is half of
    /// the work on it; to check or count it is the other half. So two positions that have only been read count
    /// as one. The same number may be reported again, and the last one may be less than all positions.
    fn positions_checked(&self, _done: u64) {}

    /// Work on the slice is done.
    fn slice_finished(&self) {}

    /// The slice is solved, and writing its values begins: to the table, or where unfinished work is saved.
    fn slice_writing(&self, _material: Material, _columns: usize) {}

    /// A text for people: what an earlier run has saved cannot be used, the state of a slice cannot be saved, older
    /// parts stay, folders cannot be locked, or another run is waited for. The work goes on. The same text may come
    /// again.
    fn warned(&self, _text: &str) {}

    /// Some more positions have been searched. It is called often, but not during a pass over all that a
    /// search knows, and always from the thread that called the search.
    fn searching(&self, _status: &SearchStatus) {}

    /// A review looks next at the position after this many plies of a game that has this many positions.
    fn reviewing(&self, _ply: usize, _positions: usize) {}

    /// Whether a generation, a search, a review or finding positions shall stop. It is asked again and
    /// again, from any thread, also from several at once, and goes on saying so. A generation goes on to the end of a ply, from which a later
    /// run can go on. A search ends soon, and so does finding positions. Other work goes on to its end.
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
    /// For each side, if it is open whether it can win: how hard it looks to prove that it can, and to
    /// prove that it cannot, from 1 to 60,000. Smaller is closer.
    pub numbers: ByColor<Option<(u16, u16)>>,
}

/// Ignores all reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}

/// How much of the work on the positions with the same number of columns is done, by all threads and for both
/// sides to move together. Their values are read, and then something is found out about each.
pub struct Done<'a> {
    progress: &'a dyn Progress,
    quarters: AtomicU64,
    /// Held by the thread that reports. The others go on.
    reports: Mutex<()>,
}

/// A portion of the work on a position, in quarters. Reading its value is one half; what is done with it is the
/// other.
#[derive(Clone, Copy)]
pub enum Portion {
    /// One quarter.
    Quarter = 1,
    /// Two quarters.
    Half = 2,
}

impl<'a> Done<'a> {
    /// Nothing is done yet.
    pub fn new(progress: &'a dyn Progress) -> Done<'a> {
        Done { progress, quarters: 0.into(), reports: Mutex::new(()) }
    }

    /// Reports that this portion of the work is done for this many more positions, or leaves it to a thread that is
    /// reporting.
    pub fn add(&self, positions: u64, portion: Portion) {
        self.quarters.fetch_add(positions * portion as u64, Ordering::SeqCst);
        while let Ok(reports) = self.reports.try_lock() {
            let done = self.quarters.load(Ordering::SeqCst);
            self.progress.positions_checked(done / 4);
            drop(reports);
            // Whoever came meanwhile has left its report to this thread.
            if self.quarters.load(Ordering::SeqCst) == done {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::thread;

    /// Notes the last report. The first one waits until the work of the other threads is done.
    struct Slow {
        others_are_done: Barrier,
        reported: Mutex<Vec<u64>>,
    }

    impl Progress for Slow {
        fn positions_checked(&self, done: u64) {
            let is_first = {
                let mut reported = self.reported.try_lock().expect("one report at a time");
                reported.push(done);
                reported.len() == 1
            };
            if is_first {
                self.others_are_done.wait();
            }
        }
    }

    #[test]
    fn nobody_waits_for_a_thread_that_reports_and_the_last_report_tells_all() {
        let slow = Slow { others_are_done: Barrier::new(2), reported: Mutex::default() };
        let done = Done::new(&slow);
        thread::scope(|scope| {
            scope.spawn(|| done.add(1, Portion::Half));
            while slow.reported.lock().unwrap().is_empty() {
                thread::yield_now();
            }
            for _ in 0..100 {
                done.add(2, Portion::Quarter);
            }
            slow.others_are_done.wait();
        });
        assert_eq!(*slow.reported.lock().unwrap(), [0, 50]);
    }
}
