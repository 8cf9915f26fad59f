//! A run on several ranks: all of them solve each slice together, and write the table together.
//!
//! Rank 0 looks for the table, holds the lock and removes the work folder. Every rank keeps its share of
//! the slices in memory, and saves it to the work folder as well, which all ranks must see.

use super::error::{GenerateError, io_error, no_memory};
use super::run::Work;
use super::{Generated, Generator, RanksPlan, SlicePlan};
use crate::Progress;
use crate::durable;
use crate::forward::capture_sequences_end;
use crate::index::{Material, SliceIndex};
use crate::ranks::{Failure, OtherRankFailed, Ranks, Wishes, agree_on, exchange_wishes, share};
use crate::retrograde::{Checkpoints, SolveError, Solver};
use crate::table::TableWriter;
use crate::values::SliceShare;
use std::fs::{self, File};
use std::io;
use std::sync::Mutex;
use std::time::Instant;

impl Generator {
    /// Generates a table as [`Generator::generate`] does, together with other ranks. All of them must
    /// call this with the same arguments, and see the same folder. Each uses the threads of its current
    /// rayon pool, and [memory](Generator::memory_limit) for its share of the values; there are no
    /// scratch files. The table has the same bytes whatever the number of ranks is, and work that was
    /// stopped goes on with any number of them.
    ///
    /// Rank 0 gets what was done, and the others nothing.
    ///
    /// # Errors
    /// As [`Generator::generate`]. If one rank fails, all do: the others get
    /// [`GenerateError::OnRank`]. If one rank shall stop and none fails, all of them get
    /// [`GenerateError::Stopped`].
    pub fn generate_on_ranks(
        &self,
        material: Material,
        ranks: &dyn Ranks,
        progress: &dyn Progress,
    ) -> Result<Option<Generated>, GenerateError> {
        let work = agree_on(ranks, Work::new(self, material).map_err(failure_of));
        let work = work.map_err(|failure| error_of(failure, material))?;
        let done = OnRanks { work: &work, ranks, progress }.generate();
        done.map_err(|error| error.with_kept(work.is_begun_on_ranks()))
    }
}

/// For each stored side to move, the shares of its slices.
type Shares = Vec<Vec<SliceShare>>;

/// The work on one material, as one of the ranks sees it.
struct OnRanks<'a> {
    work: &'a Work<'a>,
    ranks: &'a dyn Ranks,
    progress: &'a dyn Progress,
}

impl OnRanks<'_> {
    fn generate(&self) -> Result<Option<Generated>, GenerateError> {
        let (work, started) = (self.work, Instant::now());
        // 1. Is it there already?
        if let Some(there) = self.there(started, || work.clean_up_if_unused())? {
            return Ok(there);
        }
        // 2. Is there enough memory, and can every rank write to the folder?
        let plan = RanksPlan::new(work.extent, self.ranks.count());
        self.agree(match work.generator.limit() {
            Some(limit) if plan.memory() > limit => {
                Err(GenerateError::Memory { material: work.material, needed: plan.memory(), limit })
            }
            _ => Ok(()),
        })?;
        let lock = self.lock()?;
        // Another run may have finished it while this one waited.
        if let Some(there) = self.there(started, || work.clean_up())? {
            return Ok(there);
        }
        self.agree(self.try_folder())?;
        // 3. Solve all slices, and write the table.
        self.progress.material_started(work.material, plan.positions());
        let begun = Instant::now();
        let (shares, solved) = self.solve(&plan)?;
        let solving = begun.elapsed();
        self.write(&plan, &shares)?;
        let made = self.on_first(|| {
            let table = work.written()?;
            work.clean_up();
            let solved = Some((solved, solving));
            Ok(work.report(work.target.clone(), &table, solved, started))
        });
        drop(lock);
        made
    }

    /// Agrees with all ranks whether a step has succeeded.
    fn agree<T>(&self, result: Result<T, GenerateError>) -> Result<T, GenerateError> {
        agree_on(self.ranks, result.map_err(failure_of)).map_err(|failure| self.error_of(failure))
    }

    fn error_of(&self, failure: Failure<GenerateError>) -> GenerateError {
        error_of(failure, self.work.material)
    }

    /// Waits until rank 0 holds the lock. The others get nothing. All of them stop if that is asked for on
    /// any rank.
    fn lock(&self) -> Result<Option<File>, GenerateError> {
        if self.ranks.rank() > 0 {
            while self.wait_for_lock(false, Ok(None))?.1.has_more {}
            return Ok(None);
        }
        let waiting = Waiting { ranks: self, failed: Mutex::default() };
        let lock = self.work.lock(&waiting).map(Some);
        match waiting.failed.into_inner().unwrap_or_else(|error| error.into_inner()) {
            Some(error) => Err(error),
            None => Ok(self.wait_for_lock(false, lock)?.0),
        }
    }

    /// One step of waiting: rank 0 says whether it waits on, and every rank whether to stop.
    fn wait_for_lock(
        &self,
        has_more: bool,
        lock: Result<Option<File>, GenerateError>,
    ) -> Result<(Option<File>, Wishes), GenerateError> {
        let wants_stop = self.progress.should_stop();
        let wishes = Wishes { has_more, wants_stop, ..Wishes::default() };
        let mine = lock.map(|lock| (lock, vec![Vec::new(); self.ranks.count()]));
        let mine = mine.map_err(failure_of);
        let exchanged = exchange_wishes(self.ranks, wishes, mine, &mut || false);
        let (lock, _, all) = exchanged.map_err(|failure| self.error_of(failure))?;
        Ok((lock, all))
    }

    /// Does something on rank 0 alone, which gets the result.
    fn on_first<T>(
        &self,
        work: impl FnOnce() -> Result<T, GenerateError>,
    ) -> Result<Option<T>, GenerateError> {
        self.agree(match self.ranks.rank() {
            0 => work().map(Some),
            _ => Ok(None),
        })
    }

    /// Whether rank 0 says so, on every rank.
    fn first_says(&self, says: impl FnOnce() -> bool) -> Result<bool, GenerateError> {
        let is_first = self.ranks.rank() == 0;
        share(self.ranks, Ok(is_first.then(says))).map_err(GenerateError::Exchange)
    }

    /// What to return if the table is there. Then rank 0 cleans up.
    fn there(
        &self,
        started: Instant,
        clean_up: impl FnOnce(),
    ) -> Result<Option<Option<Generated>>, GenerateError> {
        let there = self.on_first(|| {
            let Some((path, table)) = self.work.finished()? else { return Ok(None) };
            clean_up();
            Ok(Some(self.work.report(path, &table, None, started)))
        })?;
        let there = there.flatten();
        let is_there = self.first_says(|| there.is_some())?;
        Ok(is_there.then_some(there))
    }

    /// Fails at once where this rank could not save its share later.
    fn try_folder(&self) -> Result<(), GenerateError> {
        let path = self.work.folder.join(format!("rank-{}", self.ranks.rank()));
        durable::create_folder(&self.work.folder)
            .and_then(|()| fs::write(&path, b"a rank can write here"))
            .and_then(|()| fs::remove_file(&path))
            .map_err(io_error("writing", &path))
    }

    /// Solves the share of this rank of all slices, or reads what was solved before. The other result
    /// is how many positions all ranks have solved now.
    fn solve(&self, plan: &RanksPlan) -> Result<(Shares, u64), GenerateError> {
        let Work { material, rules, .. } = *self.work;
        let mut shares: Shares = material.stored_sides().iter().map(|_| Vec::new()).collect();
        for &SlicePlan { columns, .. } in &plan.slices {
            let path = self.work.ranks_path(columns);
            let checkpoints = Checkpoints { path, interval: self.work.generator.interval() };
            let solver =
                Solver::new(material, rules).resources(plan.resources(columns, checkpoints));
            let solved = solver.solve_share(columns, &shares, self.ranks, self.progress);
            let solved = solved.map_err(|error| match error {
                SolveError::Stopped => GenerateError::Stopped { material, kept: false },
                SolveError::Exchange(error) => GenerateError::Exchange(error),
                SolveError::OnRank(rank) => GenerateError::OnRank(rank),
                error => GenerateError::Solve { material, columns, error, kept: false },
            })?;
            shares.iter_mut().zip(solved).for_each(|(side, share)| side.push(share));
        }
        Ok((shares, plan.positions()))
    }

    /// Writes the table.
    fn write(&self, plan: &RanksPlan, shares: &Shares) -> Result<(), GenerateError> {
        let Work { material, extent, rules, .. } = *self.work;
        let parts = self.work.parts();
        let folders = (self.work.generator.folder(), &*self.work.folder);
        let failed = |error: io::Error| match error.get_ref().and_then(|e| e.downcast_ref()) {
            Some(&OtherRankFailed(rank)) => GenerateError::OnRank(rank),
            None if error.kind() == io::ErrorKind::Interrupted => {
                GenerateError::Stopped { material, kept: false }
            }
            None => io_error("writing", &self.work.target)(error),
        };
        let note = parts.path.clone();
        let is_noted = self.ranks.rank() == 0 && note.exists();
        let writer = TableWriter::begin(self.ranks, folders, (extent, rules), Some(parts));
        let mut writer = writer
            .map_err(failed)?
            .chunks_at_once(plan.chunks_at_once)
            .sample_bytes(plan.sample_bytes);
        if is_noted && !writer.has_resumed() {
            let why = "it does not fit the files that are being written";
            self.progress.work_ignored(&note, why);
        }
        let sides = material.stored_sides();
        for (at, columns) in extent.columns().enumerate() {
            if writer.pass_over(sides.len()) {
                continue;
            }
            self.progress.slice_writing(material, columns);
            // It needs a bit for each position of the slice, so one rank does it for all.
            let captures_end = self.on_first(|| {
                capture_sequences_end(material, rules, columns)
                    .map_err(|refused| no_memory(material, columns, refused))
            })?;
            let captures_end = self.first_says(|| captures_end == Some(true))?;
            let of_columns: Vec<(SliceIndex, &SliceShare)> = sides
                .iter()
                .zip(shares)
                .map(|(&side, shares)| (material.slice(side, columns), &shares[at]))
                .collect();
            writer.add_shares(&of_columns, captures_end, self.progress).map_err(failed)?;
        }
        writer.finish().map_err(failed)
    }
}

/// What rank 0 looks at while it waits for the lock: whether any rank shall stop.
struct Waiting<'a, 'b> {
    ranks: &'a OnRanks<'b>,
    /// Why the ranks could not tell each other.
    failed: Mutex<Option<GenerateError>>,
}

impl Progress for Waiting<'_, '_> {
    fn waiting_for_other_run(&self, material: Material) {
        self.ranks.progress.waiting_for_other_run(material);
    }

    fn should_stop(&self) -> bool {
        match self.ranks.wait_for_lock(true, Ok(None)) {
            Ok((_, all)) => all.wants_stop,
            Err(error) => {
                *self.failed.lock().unwrap_or_else(|error| error.into_inner()) = Some(error);
                true
            }
        }
    }
}

/// What other ranks learn of an error.
fn failure_of(error: GenerateError) -> Failure<GenerateError> {
    match error {
        GenerateError::Stopped { .. } => Failure::Stopped,
        error => Failure::Own(error),
    }
}

/// The error of a rank whose work on a material has failed.
fn error_of(failure: Failure<GenerateError>, material: Material) -> GenerateError {
    match failure {
        Failure::Own(error) => error,
        Failure::OnRank(rank) => GenerateError::OnRank(rank),
        Failure::Stopped => GenerateError::Stopped { material, kept: false },
        Failure::Exchange(error) => GenerateError::Exchange(error),
    }
}
