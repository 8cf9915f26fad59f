//! The solver: all slices of a material, in the order of their columns.

use super::checkpoint::Reached;
use super::codes::Codes;
use super::error::{Failure, SolveError, agree};
use super::messages::Report;
use super::partitions::Partitions;
use super::resources::Resources;
use super::saver::{Saver, shares};
use super::slice_work::SliceWork;
use crate::index::Material;
use crate::processes::{Alone, Processes, StepFailure, Wishes, agree_on, exchange_wishes};
use crate::rules::RuleSet;
use crate::values::{Distance, SliceShare, SliceValues};
use crate::{Progress, Silent};
use std::io;

/// Solves the slices of one material.
#[derive(Clone, Debug)]
pub struct SliceSolver {
    pub(super) material: Material,
    pub(super) rules: RuleSet,
    /// What the bytes of an unfinished slice mean.
    pub(super) codes: Codes,
    pub(super) resources: Resources,
    last_ply: u16,
}

impl SliceSolver {
    /// A solver of `material` under `rules`.
    pub fn new(material: Material, rules: RuleSet) -> SliceSolver {
        let (codes, resources) = (Codes::new(Codes::MAX_LATE), Resources::default());
        SliceSolver { material, rules, codes, resources, last_ply: Distance::MAX_DTW }
    }

    /// Lists positions decided at ply `first_late` or later apart from the bytes, so that tests reach that
    /// path with short endgames. The values do not depend on it.
    #[cfg(test)]
    pub(crate) fn first_late_ply(self, first_late: u16) -> SliceSolver {
        SliceSolver { codes: Codes::new(first_late), ..self }
    }

    /// Uses these resources.
    pub(crate) fn resources(self, resources: Resources) -> SliceSolver {
        SliceSolver { resources, ..self }
    }

    /// Gives up where a position is decided after `last_ply`, so that tests reach that error.
    #[cfg(test)]
    pub(super) fn last_ply(self, last_ply: u16) -> SliceSolver {
        SliceSolver { last_ply, ..self }
    }

    /// Solves the share of this process of the slice of this many `columns`, for each stored side to move.
    /// `below[i]` holds, for the `i`-th stored side to move, the shares of this process of the slices of 2,
    /// 3, … columns. All processes do this together, with the same settings.
    ///
    /// It runs on the threads of the current rayon pool.
    ///
    /// # Errors
    /// If a file of values fails, if `progress` [stops](Progress::should_stop) the work, or if a limit of
    /// the solver is met; no known endgame meets one.
    ///
    /// # Panics
    /// If `columns` is not a number of columns of the material, or a slice below is missing.
    pub(crate) fn solve_share(
        &self,
        columns: usize,
        below: &[Vec<SliceShare>],
        processes: &dyn Processes,
        progress: &dyn Progress,
    ) -> Result<SolvedSlice, Failure> {
        let SliceSolver { material, ref resources, .. } = *self;
        let sides = material.stored_sides();
        let index = material.slice(sides[0], columns);
        let positions = sides.len() as u64 * index.positions();
        // 1. Look for what an earlier run has left. If that has solved the slice, its values are read.
        let mut saver = Saver::open(self, &index, processes, progress)?;
        let mut division = None;
        if let Some(saver) = &mut saver {
            if let Some(shares) = saver.load_finished(progress)? {
                progress.slice_resumed(material, columns, positions);
                return Ok(SolvedSlice { shares, is_new: false });
            }
            division = saver.division(progress)?;
        }
        // 2. Divide the slice into partitions, and work out its un-moves, unless the work is to stop.
        let division =
            division.unwrap_or_else(|| Partitions::new(&index, resources.partition_bytes));
        let own = division.of_process(processes.number(), processes.count());
        let work = match progress.should_stop() {
            true => Err(StepFailure::Stopped),
            false => SliceWork::new(self, columns, own, below, processes).map_err(StepFailure::Own),
        };
        let mut work = agree_on(processes, work)?;
        progress.slice_started(material, columns, positions);
        let mut run = SliceRun { progress, saver, done: Ok(()) };
        // 3. Go on from a checkpoint, or write the starting state of every position.
        let resumed = match &mut run.saver {
            Some(saver) => saver.resume(&mut work.state, progress)?,
            None => None,
        };
        if resumed.is_none() {
            run.start(&mut work)?;
        }
        let mut reached = resumed.unwrap_or_default();
        // 4. Ply by ply, every position decided at this ply updates those that lead to it.
        let mut is_solved = false;
        while !is_solved && reached.ply <= self.last_ply {
            is_solved = run.expand_and_update(&mut work, &mut reached)?;
        }
        let mut done = run.take_done();
        if !is_solved && work.state.next_ply(reached.ply).is_some() {
            done = done.and(Err(SolveError::TooManyPlies));
        }
        agree(processes, done)?;
        // 5. What is left undecided is drawn.
        let is_saved = match &mut run.saver {
            Some(saver) => saver.save_finished(&work.state, reached, progress)?,
            None => false,
        };
        progress.slice_finished();
        let shares = match &mut run.saver {
            Some(saver) if is_saved && resources.solved_in_files => {
                drop(work);
                saver.load_finished(progress)?.ok_or_else(|| {
                    let why = "the slice that has just been saved is damaged";
                    Failure::Own(io::Error::new(io::ErrorKind::InvalidData, why).into())
                })?
            }
            _ => shares(division, processes, work.state.finish()),
        };
        Ok(SolvedSlice { shares, is_new: true })
    }

    /// Solves all slices of the material: for each stored side to move, those of 2, 3, … columns.
    ///
    /// # Errors
    /// If there is not enough memory, or if a limit of the solver is met.
    pub fn solve(&self) -> Result<Vec<Vec<SliceValues>>, SolveError> {
        let mut solved: Vec<Vec<SliceShare>> =
            self.material.stored_sides().iter().map(|_| Vec::new()).collect();
        for columns in self.material.columns() {
            let slice = self.solve_share(columns, &solved, &Alone, &Silent);
            let slice = slice.map_err(|failure| match failure {
                StepFailure::Own(error) => error,
                _ => unreachable!("a process alone that nobody stops fails by itself"),
            })?;
            solved.iter_mut().zip(slice.shares).for_each(|(side, slice)| side.push(slice));
        }
        let values = |side: Vec<SliceShare>| side.into_iter().map(|share| share.values).collect();
        Ok(solved.into_iter().map(values).collect())
    }
}

/// What one process has of a solved slice.
pub(crate) struct SolvedSlice {
    /// For each stored side to move, its share of the values.
    pub shares: Vec<SliceShare>,
    /// Whether it was solved now, not read from what an earlier run has saved.
    pub is_new: bool,
}

/// A run of some processes that solve a slice, as one of them sees it.
struct SliceRun<'a> {
    progress: &'a dyn Progress,
    /// `None` if the slice is never saved.
    saver: Option<Saver<'a>>,
    /// Whether this process has done its part of the plies. The others learn of a failure with the next
    /// message.
    done: Result<(), SolveError>,
}

impl SliceRun<'_> {
    fn take_done(&mut self) -> Result<(), SolveError> {
        std::mem::replace(&mut self.done, Ok(()))
    }

    /// Writes the starting state of every position.
    fn start(&mut self, work: &mut SliceWork) -> Result<(), Failure> {
        let mut starting = work.begin_start();
        loop {
            let all = work.go_on_with_start(&mut starting, self.wishes())?;
            if !all.has_more {
                return self.pause_if_wanted(work, Reached::default(), all);
            }
        }
    }

    /// Expands all positions of this process decided at the ply reached, and makes all updates that any
    /// process sends to this one. Then the next ply is reached at which any process has something to do, or
    /// the slice is solved. Returns whether it is.
    fn expand_and_update(
        &mut self,
        work: &mut SliceWork,
        reached: &mut Reached,
    ) -> Result<bool, Failure> {
        let ply = reached.ply;
        // Expanding reads partitions only, and making updates sends nothing. The two take turns, so
        // that no more updates wait than there is room for.
        let begun = self.take_done().and_then(|()| work.begin_ply(ply));
        self.done = begun.and_then(|()| work.expand_some(ply));
        loop {
            let own = self.take_done().map(|()| ((), work.messages(ply)));
            let (own, processes) = (own.map_err(StepFailure::Own), work.processes);
            let wishes = self.wishes();
            let mut turn = || {
                self.done = work.make_updates(ply).and_then(|()| work.expand_some(ply));
                false
            };
            let ((), received, all) = exchange_wishes(processes, wishes, own, &mut turn)?;
            let report = Report::of_all(&received);
            self.done = self.take_done().and_then(|()| work.make_updates_of(ply, received));
            reached.expanded += report.expanded;
            if report.next_ply == Some(ply) {
                continue;
            }
            self.progress.ply_done(ply, reached.expanded);
            reached.ply = report.next_ply.unwrap_or(ply + 1);
            let is_solved = report.next_ply.is_none();
            if !is_solved {
                self.pause_if_wanted(work, *reached, all)?;
            }
            return Ok(is_solved);
        }
    }

    /// What this process wants beside more messages: to save the state, or to stop.
    fn wishes(&self) -> Wishes {
        Wishes {
            has_more: false,
            wants_save: self.saver.as_ref().is_some_and(Saver::is_due),
            wants_stop: self.progress.should_stop(),
        }
    }

    /// The end of a ply, or of the start, where no update waits. If processes want it, saves the state and stops
    /// there.
    fn pause_if_wanted(
        &mut self,
        work: &SliceWork,
        reached: Reached,
        wanted: Wishes,
    ) -> Result<(), Failure> {
        if !wanted.wants_save && !wanted.wants_stop {
            return Ok(());
        }
        agree(work.processes, self.take_done())?;
        if let Some(saver) = &mut self.saver {
            saver.save(&work.state, reached, self.progress);
        }
        if wanted.wants_stop { Err(StepFailure::Stopped) } else { Ok(()) }
    }
}
