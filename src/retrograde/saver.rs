//! Saving a slice when it is time, and going on with what an earlier run has saved.

use super::SliceSolver;
use super::checkpoint::{Checkpoint, Identity, Reached};
use super::error::{Failure, SolveError, agree};
use super::pace::Pace;
use super::partitions::Partitions;
use super::resources::Checkpoints;
use super::state::State;
use crate::Progress;
use crate::clock::Instant;
use crate::index::SliceIndex;
use crate::processes::{Processes, StepFailure, tell_all};
use crate::values::{SliceShare, SliceValues};
use std::io;

/// Saves a slice when it is time, and reads what was saved.
pub struct Saver<'a> {
    processes: &'a dyn Processes,
    solver: &'a SliceSolver,
    /// The numbering for the first stored side to move.
    index: &'a SliceIndex,
    checkpoint: Checkpoint<'a>,
    pace: Pace,
}

impl<'a> Saver<'a> {
    /// The slice is begun now. The result is `None` if it is never saved.
    pub fn open(
        solver: &'a SliceSolver,
        index: &'a SliceIndex,
        processes: &'a dyn Processes,
        progress: &dyn Progress,
    ) -> Result<Option<Saver<'a>>, Failure> {
        let Some(Checkpoints { path, interval, begun }) = &solver.resources.checkpoints else {
            return Ok(None);
        };
        let identity = Identity::of(solver, index);
        let checkpoint = Checkpoint::open(processes, path, identity, index, progress)?;
        let pace = Pace::new(*interval, *begun);
        Ok(Some(Saver { processes, solver, index, checkpoint, pace }))
    }

    /// Whether it is time to save the state. Process 0 has the clock.
    pub fn is_due(&self) -> bool {
        self.processes.number() == 0 && self.pace.is_due()
    }

    /// Reads the slice if an earlier run has solved it. Its values are in memory or in files, as the
    /// resources say; `None` if there is no such slice that can be used.
    pub fn load_finished(
        &mut self,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<SliceShare>>, Failure> {
        let Some(note) = self.checkpoint.note.as_ref().filter(|note| note.is_finished) else {
            return Ok(None);
        };
        let (processes, codes) = (self.processes, self.solver.codes);
        let all = Partitions::of_orbits(self.index, note.orbit_shift);
        let own = all.of_process(processes.number(), processes.count());
        let in_files = self.solver.resources.solved_in_files;
        // They stay where they are, unless another number of processes has saved them.
        let in_place = in_files && note.processes as usize == processes.count();
        let folder = self.checkpoint.path.parent().filter(|_| in_files);
        let state = match in_place {
            true => Ok(State::without_bytes(codes, own)),
            false => State::new(codes, own, folder),
        };
        let mut state = agree(processes, state)?;
        if !self.checkpoint.load(&mut state, progress)? {
            return Ok(None);
        }
        if in_place {
            state.bytes = agree(processes, self.checkpoint.bytes_in_place(own))?;
        }
        Ok(Some(shares(all, processes, state.finish())))
    }

    /// How the slice is divided: as an earlier run has begun it, if its partitions are not too large.
    pub fn division(&mut self, progress: &dyn Progress) -> Result<Option<Partitions>, Failure> {
        let Some(note) = &self.checkpoint.note else { return Ok(None) };
        let division = Partitions::of_orbits(self.index, note.orbit_shift);
        let resources = &self.solver.resources;
        let planned = Partitions::new(self.index, resources.partition_bytes);
        if resources.scratch.is_some() && division.orbit_shift > planned.orbit_shift {
            self.checkpoint.forget("it was saved under another memory limit", progress)?;
            return Ok(None);
        }
        Ok(Some(division))
    }

    /// Goes on from what an earlier run has saved, if there is something that can be used.
    pub fn resume(
        &mut self,
        state: &mut State,
        progress: &dyn Progress,
    ) -> Result<Option<Reached>, Failure> {
        let reached = self.checkpoint.note.as_ref().map(|note| note.reached);
        if self.checkpoint.load(state, progress)? {
            return Ok(reached);
        }
        state.forget();
        Ok(None)
    }

    /// Saves the state, unless none is ever saved. If it cannot be saved, a later run loses time and
    /// nothing else, so the work goes on.
    pub fn save(&mut self, state: &State, reached: Reached, progress: &dyn Progress) {
        if !self.pace.is_ever_due() {
            return;
        }
        let begun = Instant::now();
        if let Err(error) = self.checkpoint.save(state, reached, false, progress) {
            progress.warned(&format!(
                "what is saved of the slice cannot be replaced: {error}; the work goes on"
            ));
        }
        self.pace.saved(begun);
    }

    /// Saves a slice that is solved. If its values are to stay in memory, and it took so little time that a
    /// later run may solve it again, it is not saved. Returns whether it is.
    pub fn save_finished(
        &mut self,
        state: &State,
        reached: Reached,
        progress: &dyn Progress,
    ) -> Result<bool, Failure> {
        let SliceSolver { material, resources, .. } = self.solver;
        let is_due = resources.solved_in_files || self.pace.is_due_at_end();
        let is_due = (self.processes.number() == 0).then_some(is_due);
        if !tell_all(self.processes, Ok(is_due)).map_err(StepFailure::Exchange)? {
            return Ok(false);
        }
        progress.slice_writing(*material, self.index.columns());
        let saved = self.checkpoint.save(state, reached, true, progress);
        // The others have learned that the first process with an error has one.
        let failed = |error: io::Error| {
            let why = format!("the solved slice could not be saved: {error}");
            SolveError::File(io::Error::new(error.kind(), why))
        };
        agree(self.processes, saved.map_err(failed))?;
        Ok(true)
    }
}

/// The shares of a process in the slices that are divided like this.
pub fn shares(
    division: Partitions,
    processes: &dyn Processes,
    values: Vec<SliceValues>,
) -> Vec<SliceShare> {
    let bounds = division.bounds(processes.count());
    let share = |values| SliceShare { bounds: bounds.clone(), process: processes.number(), values };
    values.into_iter().map(share).collect()
}
