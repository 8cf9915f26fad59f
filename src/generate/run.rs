//! A run: every slice of a material is solved, written and noted, and then the table is written.

use super::error::{GenerateError, io_error, no_memory};
use super::journal::{FinishedSlice, Journal};
use super::{Plan, SlicePlan, Storage, place, work_file};
use crate::Progress;
use crate::durable::{self, Interval, Pace};
use crate::forward::capture_sequences_end;
use crate::index::{Extent, Material, SliceIndex};
use crate::retrograde::{Checkpoints, SolveError, Solver, WORK_VERSION};
use crate::rules::RuleSet;
use crate::table::{FileKind, OpenError, Parts, Table, TableWriter, file_name, is_preferred};
use crate::values::SliceValues;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// What a run did for one material.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The positions that the table covers. They may be more than were asked for, if the table was there
    /// already.
    pub extent: Extent,
    /// The table's WDL file.
    pub path: PathBuf,
    /// Whether the table was there already, so that nothing was done.
    pub was_there: bool,
    /// Positions stored.
    pub positions: u64,
    /// The length of both files in bytes.
    pub bytes: u64,
    /// The greatest DTW in plies; `None` if all positions are drawn.
    pub max_dtw: Option<u16>,
    /// Positions solved by this run, not read from the work files of an earlier one.
    pub solved: u64,
    /// The time spent on solving them.
    pub solving: Duration,
    /// The time of the whole run for this material, including the time spent waiting for the disk.
    pub total: Duration,
    /// Whether work on slices of more columns than were asked for is kept, which an earlier run began. A
    /// run that asks for them goes on from it.
    pub keeps_larger: bool,
}

/// Generates tables into a folder, on the threads of the current rayon pool.
#[derive(Clone, Debug)]
pub struct Generator {
    folder: PathBuf,
    others: Vec<PathBuf>,
    rules: RuleSet,
    max_columns: Option<usize>,
    memory_limit: Option<u64>,
    interval: Interval,
}

impl Generator {
    /// A generator of tables under `rules` into `folder`, which is made if it does not exist.
    pub fn new(folder: impl Into<PathBuf>, rules: RuleSet) -> Generator {
        let (folder, others) = (folder.into(), Vec::new());
        let interval = Interval::default();
        Generator { folder, others, rules, max_columns: None, memory_limit: None, interval }
    }

    /// Looks for tables in these folders too, after the one that tables are written to. Nothing is
    /// written here.
    #[must_use]
    pub fn other_folders(self, others: Vec<PathBuf>) -> Generator {
        Generator { others, ..self }
    }

    /// Makes [bounded tables](Extent), of the positions with at most so many columns. Materials that have
    /// no position with more columns get whole tables. Without a column bound, all tables are whole.
    ///
    /// ```
    /// use lasca_tablebase::Silent;
    /// use lasca_tablebase::generate::Generator;
    /// use lasca_tablebase::rules::RuleSet;
    /// # let folder = tempfile::tempdir()?;
    /// let generator = Generator::new(folder.path(), RuleSet::Lasca).max_columns(2);
    /// let generated = generator.generate("9-9".parse()?, &Silent)?;
    /// assert_eq!(generated.extent.max_columns(), Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn max_columns(self, columns: usize) -> Generator {
        Generator { max_columns: Some(columns), ..self }
    }

    /// Uses at most this many bytes of memory. Where that is not enough to keep all values in memory,
    /// files beside the tables hold them: see [`Plan::within`].
    #[must_use]
    pub fn memory_limit(self, bytes: u64) -> Generator {
        Generator { memory_limit: Some(bytes), ..self }
    }

    /// Saves the state of the slice in work this often. The bytes of a table do not depend on it.
    #[must_use]
    pub fn checkpoints(self, interval: Interval) -> Generator {
        Generator { interval, ..self }
    }

    /// The folder that tables are written to.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many bytes of memory may be used.
    pub(super) fn limit(&self) -> Option<u64> {
        self.memory_limit
    }

    /// How often the state of unfinished work is saved.
    pub(super) fn interval(&self) -> Interval {
        self.interval
    }

    /// Where the table that holds `material` is, or the one with the colours exchanged: the path of its
    /// WDL file. `None` if it has to be made: no folder has it, or what stands there is not a whole and
    /// sound table with distances and with all positions that are wanted. If several folders have a
    /// file of that name, this looks first at the one that [`Tablebase`](crate::probe::Tablebase)
    /// answers from. If that cannot serve and is not in the folder that is written to, this looks at
    /// the next one.
    ///
    /// ```
    /// use lasca_tablebase::generate::Generator;
    /// use lasca_tablebase::rules::RuleSet;
    /// let generator = Generator::new("new-tables", RuleSet::Lasca).other_folders(vec!["tables".into()]);
    /// assert_eq!(generator.find("2-3".parse()?)?, Some("tables/lasca-3-2.ltbw".into()));
    /// assert_eq!(generator.find("5-4".parse()?)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// * [`GenerateError::Extent`] if there is no table with this column bound.
    /// * [`GenerateError::OtherTable`] or [`GenerateError::LargerTable`] if a sound file that must not be
    ///   overwritten stands in its place.
    /// * [`GenerateError::Work`] if a file of it is there and cannot be read, or a table of another
    ///   format version stands in its place.
    pub fn find(&self, material: Material) -> Result<Option<PathBuf>, GenerateError> {
        Ok(Work::new(self, material)?.finished()?.map(|(path, _)| path))
    }

    /// Whether work on the table of `material` is kept, from which the next run goes on.
    pub fn is_begun(&self, material: Material) -> bool {
        Work::new(self, material).is_ok_and(|work| work.is_begun())
    }

    /// Generates the table that holds `material`, or the one with the colours exchanged, unless a
    /// sound one is [there](Generator::find) already. A damaged one is made again.
    ///
    /// # Errors
    /// As [`Generator::find`]; and if there is not enough memory, files cannot be written, or
    /// `progress` stops the work. The errors say whether work on the material is kept, from which the
    /// next run goes on.
    pub fn generate(
        &self,
        material: Material,
        progress: &dyn Progress,
    ) -> Result<Generated, GenerateError> {
        let work = Work::new(self, material)?;
        work.generate(progress).map_err(|error| error.with_kept(work.is_begun()))
    }
}

/// How often a run that waits for another one looks whether that has ended.
const POLL: Duration = Duration::from_millis(100);

/// For each stored side to move, its slices.
type Slices = Vec<Vec<SliceValues>>;

/// How far a run is.
struct State {
    /// Which slices are on disk.
    journal: Journal,
    /// The slices that are solved so far, in memory or on disk, as planned; `None` if all are on disk,
    /// and are read when they are needed.
    slices: Option<Slices>,
    /// When the slices that are not on disk are written there.
    pace: Pace,
    /// How many positions this run has solved, and how long that took.
    solved: Solved,
}

/// How many positions were solved, and how long that took.
type Solved = (u64, Duration);

/// The work on one material.
pub(super) struct Work<'a> {
    pub(super) material: Material,
    /// The positions that are wanted.
    pub(super) extent: Extent,
    pub(super) rules: RuleSet,
    pub(super) target: PathBuf,
    pub(super) folder: PathBuf,
    pub(super) generator: &'a Generator,
}

impl Work<'_> {
    pub(super) fn new(
        generator: &Generator,
        material: Material,
    ) -> Result<Work<'_>, GenerateError> {
        let (rules, material) = (generator.rules, material.normalized());
        let extent = Extent::new(material, generator.max_columns).map_err(GenerateError::Extent)?;
        Ok(Work {
            material,
            extent,
            rules,
            target: generator.folder.join(file_name(material, rules, FileKind::Wdl)),
            folder: generator.folder.join(".work").join(format!("{rules}-{material}")),
            generator,
        })
    }

    /// Makes the table, unless it is there.
    fn generate(&self, progress: &dyn Progress) -> Result<Generated, GenerateError> {
        let started = Instant::now();
        if let Some((path, table)) = self.finished()? {
            self.clean_up_if_unused();
            return Ok(self.report(path, &table, None, started));
        }
        let plan = match self.generator.memory_limit {
            None => Plan::new(self.extent),
            Some(limit) => Plan::within(self.extent, limit).map_err(|needed| {
                GenerateError::Memory { material: self.material, needed, limit }
            })?,
        };
        let lock = self.lock(progress)?;
        if let Some((path, table)) = self.finished()? {
            // Another run finished it while this one waited.
            self.clean_up();
            return Ok(self.report(path, &table, None, started));
        }
        progress.material_started(self.material, plan.positions());
        let (solved, table) = self.make(&plan, progress)?;
        self.clean_up();
        drop(lock);
        Ok(self.report(self.target.clone(), &table, Some(solved), started))
    }

    /// The finished table and its path, if it is there and sound.
    pub(super) fn finished(&self) -> Result<Option<(PathBuf, Table)>, GenerateError> {
        let name = file_name(self.material, self.rules, FileKind::Wdl);
        let others = self.generator.others.iter().map(|folder| folder.join(&name));
        let places = std::iter::once(self.target.clone()).chain(others);
        let mut places: Vec<PathBuf> = places.filter(|path| path.exists()).collect();
        let mut unreadable = None;
        while let Some(best) = (0..places.len()).reduce(|best, next| {
            if is_preferred(&places[next], &places[best]) { next } else { best }
        }) {
            let path = places.remove(best);
            match place::sound_table(&path, (self.extent, self.rules)) {
                Ok(Some(table)) => return Ok(Some((path, table))),
                Ok(None) => {}
                Err(error) => unreadable = unreadable.or(Some(error)),
            }
            // Questions would be answered from this one, and it can be made again.
            if path == self.target {
                break;
            }
        }
        if let Some(error) = unreadable {
            return Err(error);
        }
        place::check_may_be_written(&self.target, (self.extent, self.rules))?;
        Ok(None)
    }

    /// Whether anything is kept from which a run would go on.
    fn is_begun(&self) -> bool {
        let (journal, _) = Journal::read(&self.journal_path(), self.material, self.rules);
        let is_begun = |columns| self.checkpoint_path(columns).exists();
        !journal.slices.is_empty() || self.extent.columns().any(is_begun)
    }

    /// Locks the work folder, waiting for another run that holds it.
    pub(super) fn lock(&self, progress: &dyn Progress) -> Result<File, GenerateError> {
        // Runs that come to their end remove the folders meanwhile; how often is their number.
        let (mut removed, mut is_told) = (0, false);
        let path = self.folder.join("lock");
        loop {
            let made = durable::create_folder(&self.folder)
                .and_then(|()| File::options().create(true).append(true).open(&path));
            let lock = match made {
                // A folder that is removed while it is made shows as either.
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists
                    ) && removed < 1000 =>
                {
                    removed += 1;
                    continue;
                }
                made => made.map_err(io_error("making", &path))?,
            };
            match lock.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    if !std::mem::replace(&mut is_told, true) {
                        progress.waiting_for_other_run(self.material);
                    }
                    self.pause(progress)?;
                    thread::sleep(POLL);
                    continue;
                }
                Err(TryLockError::Error(error)) => return Err(io_error("locking", &path)(error)),
            }
            // The run that held the lock may have removed the folder; then the lock is on a file
            // that nobody else can see.
            if is_same_file(&lock, &path) {
                return Ok(lock);
            }
        }
    }

    fn slice_path(&self, columns: usize) -> PathBuf {
        self.folder.join(format!("columns-{columns}"))
    }

    /// The checkpoint of a slice. Each slice has its own: if a run is killed, slices below may have to
    /// be solved again, and the checkpoint stays meanwhile.
    fn checkpoint_path(&self, columns: usize) -> PathBuf {
        self.folder.join(format!("checkpoint-{columns}"))
    }

    /// What several ranks have saved of a slice.
    pub(super) fn ranks_path(&self, columns: usize) -> PathBuf {
        self.folder.join(format!("ranks-{columns}"))
    }

    /// Whether anything is kept from which several ranks would go on.
    pub(super) fn is_begun_on_ranks(&self) -> bool {
        self.extent.columns().any(|columns| self.ranks_path(columns).exists())
    }

    fn journal_path(&self) -> PathBuf {
        self.folder.join("journal")
    }

    fn note(&self, journal: &Journal) -> Result<(), GenerateError> {
        let path = self.journal_path();
        journal.write(&path).map_err(io_error("writing", &path))
    }

    /// Stops if that is wanted. Call it when all that is finished is on disk.
    fn pause(&self, progress: &dyn Progress) -> Result<(), GenerateError> {
        if !progress.should_stop() {
            return Ok(());
        }
        Err(GenerateError::Stopped { material: self.material, kept: false })
    }

    /// Makes the table, as far as an earlier run has not.
    fn make(&self, plan: &Plan, progress: &dyn Progress) -> Result<(Solved, Table), GenerateError> {
        let (journal, unfit) = Journal::read(&self.journal_path(), self.material, self.rules);
        if let Some(why) = unfit {
            progress.work_ignored(&self.journal_path(), why);
        }
        let interval = match self.generator.interval {
            // What is finished is kept in any case.
            Interval::Never => Interval::default(),
            interval => interval,
        };
        let (pace, solved) = (Pace::new(interval), Solved::default());
        let mut state = State { journal, slices: None, pace, solved };
        let made = self.make_table(plan, &mut state, progress);
        if made.is_err() {
            // What is solved is kept, if it can be. If not, the first error is the one to report.
            let _ = self.save_slices(&mut state);
        }
        Ok((state.solved, made?))
    }

    fn make_table(
        &self,
        plan: &Plan,
        state: &mut State,
        progress: &dyn Progress,
    ) -> Result<Table, GenerateError> {
        // Writing needs one slice after another, and none of those that are written already.
        let is_noted = |slice: &SlicePlan| state.journal.slice(slice.columns).is_some();
        if plan.slices.iter().all(is_noted) {
            for slice in &plan.slices {
                progress.slice_resumed(self.material, slice.columns, slice.positions);
            }
        } else {
            self.solve_slices(plan, state, progress)?;
        }
        loop {
            if let Some(table) = self.write_table(plan, state, progress)? {
                return Ok(table);
            }
            self.solve_slices(plan, state, progress)?;
        }
    }

    /// Solves all slices, or reads them where an earlier run solved them.
    fn solve_slices(
        &self,
        plan: &Plan,
        state: &mut State,
        progress: &dyn Progress,
    ) -> Result<(), GenerateError> {
        state.slices = Some(self.material.stored_sides().iter().map(|_| Vec::new()).collect());
        for planned in &plan.slices {
            let columns = planned.columns;
            let resumed = match state.journal.slice(columns) {
                Some(noted) => self.read_slice(columns, noted.bytes, plan),
                None => None,
            };
            let is_resumed = resumed.is_some();
            let solved = match resumed {
                Some(read) => {
                    progress.slice_resumed(self.material, columns, planned.positions);
                    read
                }
                None => {
                    if state.journal.slice(columns).is_some() {
                        progress.work_ignored(&self.slice_path(columns), "it is damaged");
                        state.journal.forget(columns);
                    }
                    self.pause(progress)?;
                    self.solve_slice(plan, planned, state, progress)?
                }
            };
            for (side, slice) in state.slices.iter_mut().flatten().zip(solved) {
                side.push(slice);
            }
            let leaves_memory = plan.storage != Storage::Memory;
            if !is_resumed && (leaves_memory || state.pace.is_due()) {
                progress.slice_writing(self.material, columns);
                self.save_slices(state)?;
            }
            if !is_resumed && leaves_memory {
                self.leave_on_disk(plan, columns, state)?;
            }
        }
        Ok(())
    }

    fn solve_slice(
        &self,
        plan: &Plan,
        &SlicePlan { columns, positions, .. }: &SlicePlan,
        state: &mut State,
        progress: &dyn Progress,
    ) -> Result<Vec<SliceValues>, GenerateError> {
        let (path, interval) = (self.checkpoint_path(columns), self.generator.interval);
        let resources = plan.resources(&self.folder, Checkpoints { path, interval });
        let solver = Solver::new(self.material, self.rules).resources(resources);
        let started = Instant::now();
        let below = state.slices.as_deref().unwrap_or_default();
        let solved = solver.solve_slice(columns, below, progress).map_err(|error| match error {
            SolveError::Stopped => GenerateError::Stopped { material: self.material, kept: false },
            error => GenerateError::Solve { material: self.material, columns, error, kept: false },
        })?;
        state.solved.0 += positions;
        state.solved.1 += started.elapsed();
        Ok(solved)
    }

    /// Writes the slices that are solved and not on disk.
    fn save_slices(&self, state: &mut State) -> Result<(), GenerateError> {
        let State { journal, slices: Some(slices), pace, .. } = state else { return Ok(()) };
        let begun = Instant::now();
        let solved = slices.iter().map(Vec::len).min().unwrap_or(0);
        for (at, columns) in self.extent.columns().enumerate().take(solved) {
            if journal.slice(columns).is_some() {
                continue;
            }
            let path = self.slice_path(columns);
            let of_columns: Vec<&SliceValues> = slices.iter().map(|slices| &slices[at]).collect();
            let bytes = work_file::write(&path, &of_columns).map_err(io_error("writing", &path))?;
            journal.put(FinishedSlice { columns: columns as u8, bytes, captures_end: None });
            self.note(journal)?;
            // It is of this slice, and of no more use. If it stays, it is passed over.
            let _ = fs::remove_file(self.checkpoint_path(columns));
        }
        pace.saved(begun);
        Ok(())
    }

    /// Replaces the values of the slice solved last by those in its work file.
    fn leave_on_disk(
        &self,
        plan: &Plan,
        columns: usize,
        state: &mut State,
    ) -> Result<(), GenerateError> {
        let bytes = state.journal.slice(columns).map_or(0, |noted| noted.bytes);
        let Some(read) = self.read_slice(columns, bytes, plan) else {
            let path = self.slice_path(columns);
            let error = io::Error::new(io::ErrorKind::InvalidData, "it has been changed");
            return Err(io_error("reading", &path)(error));
        };
        for (side, slice) in state.slices.iter_mut().flatten().zip(read) {
            side.pop();
            side.push(slice);
        }
        Ok(())
    }

    /// Whether all runs of captures in the slice end, found out now or by an earlier run.
    fn captures_end(&self, columns: usize, journal: &mut Journal) -> Result<bool, GenerateError> {
        let noted = journal.slice(columns).copied();
        if let Some(FinishedSlice { captures_end: Some(captures_end), .. }) = noted {
            return Ok(captures_end);
        }
        let material = self.material;
        let captures_end = capture_sequences_end(material, self.rules, columns)
            .map_err(|refused| no_memory(material, columns, refused))?;
        if let Some(noted) = noted {
            journal.put(FinishedSlice { captures_end: Some(captures_end), ..noted });
            self.note(journal)?;
        }
        Ok(captures_end)
    }

    /// The values of a slice that an earlier run wrote, if they are all there and sound.
    fn read_slice(&self, columns: usize, bytes: u64, plan: &Plan) -> Option<Vec<SliceValues>> {
        let path = self.slice_path(columns);
        if fs::metadata(&path).ok()?.len() != bytes {
            return None;
        }
        let sides = self.material.stored_sides().iter();
        let lens: Vec<u64> =
            sides.map(|&side| self.material.slice(side, columns).positions()).collect();
        work_file::read(&path, &lens, plan.storage == Storage::Memory).ok()
    }

    /// Writes the table. If no slices are in memory, reads those that are not written yet where an
    /// earlier run has solved them; if one of these is damaged, the result is `None`.
    fn write_table(
        &self,
        plan: &Plan,
        state: &mut State,
        progress: &dyn Progress,
    ) -> Result<Option<Table>, GenerateError> {
        let mut writer = self.table_writer(plan, progress)?;
        let sides = self.material.stored_sides();
        for (at, columns) in self.extent.columns().enumerate() {
            if writer.pass_over(sides.len()) {
                continue;
            }
            self.pause(progress)?;
            if state.pace.is_due() {
                self.save_slices(state)?;
            }
            progress.slice_writing(self.material, columns);
            let captures_end = self.captures_end(columns, &mut state.journal)?;
            let read;
            let values: Vec<&SliceValues> = match &state.slices {
                Some(slices) => slices.iter().map(|slices| &slices[at]).collect(),
                None => {
                    let bytes = state.journal.slice(columns).map_or(0, |noted| noted.bytes);
                    let Some(found) = self.read_slice(columns, bytes, plan) else {
                        return Ok(None);
                    };
                    read = found;
                    read.iter().collect()
                }
            };
            let of_columns: Vec<(SliceIndex, &SliceValues)> =
                sides.iter().map(|&side| self.material.slice(side, columns)).zip(values).collect();
            writer.add_until_stopped(&of_columns, captures_end, progress).map_err(|error| {
                match error.kind() {
                    io::ErrorKind::Interrupted => {
                        GenerateError::Stopped { material: self.material, kept: false }
                    }
                    _ => io_error("writing", &self.target)(error),
                }
            })?;
        }
        writer.finish().map_err(io_error("writing", &self.target))?;
        self.written().map(Some)
    }

    /// The table that has just been written.
    pub(super) fn written(&self) -> Result<Table, GenerateError> {
        let damaged = |error| GenerateError::Work { path: self.target.clone(), error };
        let table = Table::open_file(&self.target).map_err(damaged)?;
        table.check_whole().map_err(|error| damaged(OpenError::Table(error)))?;
        Ok(table)
    }

    /// Where it is noted how far the table is written.
    pub(super) fn parts(&self) -> Parts {
        let (white, black) = (self.material.white() as u8, self.material.black() as u8);
        let max_columns = self.extent.max_columns().unwrap_or(0) as u8;
        Parts {
            path: self.folder.join("written"),
            identity: (WORK_VERSION, white, black, max_columns, self.rules.id()),
            interval: self.generator.interval,
        }
    }

    /// A writer of the table, which goes on where an earlier run has stopped.
    fn table_writer(
        &self,
        plan: &Plan,
        progress: &dyn Progress,
    ) -> Result<TableWriter<'static>, GenerateError> {
        let parts = self.parts();
        let (table, path) = ((self.extent, self.rules), parts.path.clone());
        let is_noted = path.exists();
        let writer =
            TableWriter::create_or_resume(&self.generator.folder, &self.folder, table, parts)
                .map_err(io_error("writing", &self.folder))?;
        if is_noted && !writer.has_resumed() {
            progress.work_ignored(&path, "it does not fit the files that are being written");
        }
        Ok(writer.chunks_at_once(plan.chunks_at_once).sample_bytes(plan.sample_bytes))
    }

    /// Removes the work folder, and the folder of all work if nothing else is in it. What cannot be
    /// removed does no harm: the next run of this material removes it. Slices of more columns than this
    /// run wanted are the work of another run, which can still go on: then the folder stays.
    pub(super) fn clean_up(&self) {
        let _ = match self.holds_larger_slices() {
            true => fs::remove_file(self.folder.join("written")),
            false => fs::remove_dir_all(&self.folder),
        };
        let _ = fs::remove_dir(self.generator.folder.join(".work"));
    }

    /// Whether slices of more columns than are wanted are solved or begun.
    fn holds_larger_slices(&self) -> bool {
        let (journal, _) = Journal::read(&self.journal_path(), self.material, self.rules);
        let mut larger = self.material.columns().filter(|k| !self.extent.columns().contains(k));
        larger.any(|k| {
            journal.slice(k).is_some()
                || self.checkpoint_path(k).exists()
                || self.ranks_path(k).exists()
        })
    }

    /// Removes what a run that was stopped after its last step may have left. If another run works in
    /// the folder, that run removes it.
    pub(super) fn clean_up_if_unused(&self) {
        let path = self.folder.join("lock");
        // This makes no folder, and so does not disturb a run that removes one.
        if let Ok(lock) = File::options().create(self.folder.exists()).append(true).open(&path)
            && lock.try_lock().is_ok()
            && is_same_file(&lock, &path)
        {
            self.clean_up();
        }
        // Or only the folder of all work, if it was stopped while it cleaned up.
        let _ = fs::remove_dir(self.generator.folder.join(".work"));
    }

    pub(super) fn report(
        &self,
        path: PathBuf,
        table: &Table,
        solved: Option<Solved>,
        started: Instant,
    ) -> Generated {
        let (positions, solving) = solved.unwrap_or_default();
        Generated {
            extent: table.extent(),
            path,
            was_there: solved.is_none(),
            positions: table.positions(),
            bytes: table.bytes(),
            max_dtw: table.slices().iter().filter_map(|s| s.stats().max_dtw()).max(),
            solved: positions,
            solving,
            total: started.elapsed(),
            keeps_larger: self.holds_larger_slices(),
        }
    }
}

/// Whether an open file is the one that now stands at `path`.
#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// Whether an open file is the one that now stands at `path`: elsewhere than on Unix, a file that
/// is open cannot be removed.
#[cfg(not(unix))]
fn is_same_file(_file: &File, path: &Path) -> bool {
    path.exists()
}
