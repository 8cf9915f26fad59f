//! Saving a slice when it is time, and going on with what an earlier run has saved.

use super::checkpoint::{Checkpoint, Destination, Identity, Reached};
use super::error::{SolveError, agree};
use super::pace::Pace;
use super::partitions::Partitions;
use super::resources::{Checkpoints, SolverSettings};
use super::slice_work::{SliceWork, finished, fresh_agendas};
use super::state::Agenda;
use crate::Progress;
use crate::index::SliceIndex;
use crate::processes::{Processes, tell_all};
use crate::values::bytes::{Bytes, FileBytes};
use crate::values::{SliceShare, SliceValues};
use std::time::Instant;

/// Saves a slice when it is time, and reads what was saved.
pub struct Saver<'a> {
    processes: &'a dyn Processes,
    settings: &'a SolverSettings,
    /// The numbering for the first stored side to move, of as many as there are.
    index: &'a SliceIndex,
    sides: usize,
    checkpoint: Checkpoint<'a>,
    pace: Pace,
}

impl<'a> Saver<'a> {
    /// The slice is begun now. The result is `None` if it is never saved.
    ///
    /// # Errors
    /// As [`Checkpoint::open`].
    pub fn open(
        settings: &'a SolverSettings,
        index: &'a SliceIndex,
        processes: &'a dyn Processes,
        progress: &dyn Progress,
    ) -> Result<Option<Saver<'a>>, SolveError> {
        let Some(Checkpoints { path, interval, begun }) = &settings.resources.checkpoints else {
            return Ok(None);
        };
        let identity = Identity::of(settings, index);
        let checkpoint = Checkpoint::open(processes, path, identity, index, progress)?;
        let (sides, pace) = (settings.material.stored_sides().len(), Pace::new(*interval, *begun));
        Ok(Some(Saver { processes, settings, index, sides, checkpoint, pace }))
    }

    /// When the state is to be saved. Process 0 has the clock.
    pub fn pace(&self) -> Option<Pace> {
        (self.processes.number() == 0).then_some(self.pace)
    }

    /// Reads the slice if an earlier run has solved it. Its values are in memory or in files, as the
    /// settings say; `None` if there is no such slice that can be used.
    ///
    /// # Errors
    /// If it cannot be read on some process, or set aside if it is damaged.
    pub fn load_finished(
        &mut self,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<SliceShare>>, SolveError> {
        let Some(note) = self.checkpoint.note.as_ref().filter(|note| note.is_finished) else {
            return Ok(None);
        };
        let (processes, codes, sides) = (self.processes, self.settings.codes(), self.sides);
        let all = Partitions::of_orbits(self.index, note.orbit_shift);
        let own = all.of_process(processes.number(), processes.count());
        let in_files = self.settings.resources.solved_in_files;
        // They stay where they are, unless another number of processes has saved them.
        let in_place = in_files && note.processes as usize == processes.count();
        let place = |_| match self.checkpoint.path.parent() {
            Some(folder) if in_files => {
                Ok(Bytes::File(FileBytes::scratch(folder, own.own_positions())?))
            }
            _ => Bytes::in_memory(own.own_positions()).map_err(|_| SolveError::Memory),
        };
        let places = 0..if in_place { 0 } else { sides };
        let bytes = places.map(place).collect::<Result<Vec<Bytes>, SolveError>>();
        let made = bytes.and_then(|bytes| Ok((bytes, fresh_agendas(codes, own, sides)?)));
        let (mut bytes, mut agendas) = agree(processes, made)?;
        let into = (!in_place).then_some(&mut *bytes);
        if !self.checkpoint.load(Destination::new(own, sides, &mut agendas, into), progress)? {
            return Ok(None);
        }
        if in_place {
            bytes = agree(processes, self.checkpoint.bytes_in_place(own, sides))?;
        }
        let values = finished(codes.late(), own, agendas, bytes);
        Ok(Some(shares(all, processes, agree(processes, values)?)))
    }

    /// How the slice is divided: as an earlier run has begun it, if its partitions are not too large.
    ///
    /// # Errors
    /// If they are, and what it has saved cannot be set aside.
    pub fn division(&mut self, progress: &dyn Progress) -> Result<Option<Partitions>, SolveError> {
        let Some(note) = &self.checkpoint.note else { return Ok(None) };
        let division = Partitions::of_orbits(self.index, note.orbit_shift);
        let SolverSettings { resources, .. } = self.settings;
        let planned = Partitions::new(self.index, resources.partition_bytes);
        if resources.scratch.is_some() && division.orbit_shift > planned.orbit_shift {
            self.checkpoint.forget("it was saved under another memory limit", progress)?;
            return Ok(None);
        }
        Ok(Some(division))
    }

    /// Goes on from what an earlier run has saved, if there is something that can be used.
    ///
    /// # Errors
    /// If it cannot be read on some process, or set aside if it is damaged.
    pub fn resume(
        &mut self,
        work: &mut SliceWork,
        progress: &dyn Progress,
    ) -> Result<Reached, SolveError> {
        let reached = self.checkpoint.note.as_ref().map(|note| note.reached).unwrap_or_default();
        let (agendas, bytes) = (&mut work.agendas, &mut work.bytes);
        let into = Destination::new(work.partitions, self.sides, agendas, Some(bytes));
        if self.checkpoint.load(into, progress)? {
            return Ok(reached);
        }
        agree(self.processes, work.forget())?;
        Ok(Reached::default())
    }

    /// Saves the state, unless none is ever saved. If it cannot be saved, a later run loses time and
    /// nothing else, so the work goes on.
    pub fn save(&mut self, work: &SliceWork, reached: Reached, progress: &dyn Progress) {
        if !self.pace.is_ever_due() {
            return;
        }
        let begun = Instant::now();
        if let Err(error) = self.checkpoint.save(&work.state(), reached, false) {
            progress.checkpoint_failed(self.checkpoint.path, &error);
        }
        self.pace.saved(begun);
    }

    /// Saves a slice that is solved. If its values are to stay in memory, and it took so little time that a
    /// later run may solve it again, it is not saved. Returns whether it is.
    ///
    /// # Errors
    /// If it cannot be saved on some process.
    pub fn save_finished(
        &mut self,
        work: &mut SliceWork,
        reached: Reached,
        progress: &dyn Progress,
    ) -> Result<bool, SolveError> {
        let SolverSettings { material, resources, .. } = self.settings;
        let is_due = resources.solved_in_files || self.pace.is_due_at_end();
        let is_due = (self.processes.number() == 0).then_some(is_due);
        if !tell_all(self.processes, Ok(is_due)).map_err(SolveError::Exchange)? {
            return Ok(false);
        }
        progress.slice_writing(*material, self.index.columns());
        work.agendas.iter_mut().for_each(Agenda::end);
        let saved = self.checkpoint.save(&work.state(), reached, true);
        // The others have learned that the first process with an error has one.
        agree(self.processes, saved.map_err(SolveError::Save))?;
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
