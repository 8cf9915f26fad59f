//! A run: every slice of a material is solved, and then the table is written.
//!
//! All processes solve each slice together, and write the table together. A process that works alone does
//! the same. Process 0 looks for the table, holds the lock and removes the work folder. Every process keeps
//! its share of the slices, and saves it to the work folder, which all processes must see.

use super::Interval;
use super::error::{GenerateError, io_error};
use super::existing;
use super::generated::Generated;
use super::plan::{Plan, Workers};
use super::slices::{self, Failure, Shares, Solved};
use super::work::Work;
use crate::Progress;
use crate::clock::Instant;
use crate::durable::NewFile;
use crate::index::{Extent, Material};
use crate::processes::{Alone, OtherProcessFailed, Processes, StepFailure, agree_on, tell_all};
use crate::retrograde::{Checkpoints, saved_positions};
use crate::rules::RuleSet;
use crate::table::{FileKind, NewTable, Table, TableWriter};
use crate::threads::with_threads;
use std::fs;
use std::io::{self, Write};
use std::num::NonZero;
use std::path::PathBuf;

/// Generates tables into a folder, on the threads of the current rayon pool: see
/// [`with_threads`](crate::with_threads).
#[derive(Clone, Debug)]
pub struct Generator {
    /// The folder that tables are written to.
    folder: PathBuf,
    /// Other folders in which tables may be.
    others: Vec<PathBuf>,
    rules: RuleSet,
    /// The column bound of tables; `None` if all tables are whole.
    max_columns: Option<usize>,
    /// How many bytes of memory may be used; `None` for as many as make it faster.
    memory_limit: Option<u64>,
    /// How often the state of the slice in work is saved.
    interval: Interval,
}

impl Generator {
    /// A generator of tables under `rules` into `folder`, which is made if it does not exist.
    pub fn new(folder: impl Into<PathBuf>, rules: RuleSet) -> Generator {
        Generator {
            folder: folder.into(),
            others: Vec::new(),
            rules,
            max_columns: None,
            memory_limit: None,
            interval: Interval::default(),
        }
    }

    /// Looks for tables in these folders too, after the one that tables are written to. Nothing is
    /// written here.
    #[must_use]
    pub fn other_folders(self, others: Vec<PathBuf>) -> Generator {
        Generator { others, ..self }
    }

    /// Makes [bounded tables](crate::index::Extent), of the positions with at most so many columns. Materials that have
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

    /// Uses at most this many bytes of memory. Where that is not enough to keep all values in memory, or for
    /// all threads, files beside the tables hold them, or fewer threads work: see [`Plan::within`].
    #[must_use]
    pub fn memory_limit(self, bytes: u64) -> Generator {
        Generator { memory_limit: Some(bytes), ..self }
    }

    /// Saves the state of the slice in work this often. The bytes of a table do not depend on it.
    #[must_use]
    pub fn checkpoints(self, interval: Interval) -> Generator {
        Generator { interval, ..self }
    }

    /// Where the table that holds `material` is, or the one with the colours exchanged: the path of its
    /// WDL file. `None` if it has to be made: no folder has it, or what stands there is not a whole and
    /// sound table with distances and with all positions that are wanted; or the folder that is written to has a
    /// damaged one, which questions would meet first.
    ///
    /// ```
    /// use lasca_tablebase::generate::Generator;
    /// use lasca_tablebase::rules::RuleSet;
    /// let generator = Generator::new("new-tables", RuleSet::Lasca);
    /// assert_eq!(generator.existing("2-3".parse()?)?, None);
    /// let generator = generator.other_folders(vec!["tables".into()]);
    /// assert_eq!(generator.existing("2-3".parse()?)?, Some("tables/lasca-3-2.ltbw".into()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// * [`GenerateError::Extent`] if there is no table with this column bound.
    /// * [`GenerateError::OtherTable`] if a sound file that must not be overwritten stands in its place.
    /// * [`GenerateError::Work`] if a file of it is there and cannot be read, or a table of another
    ///   format version stands in its place.
    pub fn existing(&self, material: Material) -> Result<Option<PathBuf>, GenerateError> {
        Ok(self.work_on(material)?.finished()?.map(|(path, _)| path))
    }

    /// How many positions of the table of `material` that this generator would make earlier runs have solved and saved.
    /// The next run goes on from there.
    ///
    /// # Errors
    /// If there is no table with this column bound.
    ///
    /// ```
    /// use lasca_tablebase::generate::Generator;
    /// use lasca_tablebase::rules::RuleSet;
    /// let generator = Generator::new("new-tables", RuleSet::Lasca);
    /// assert_eq!(generator.saved_positions("4-3".parse()?)?, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn saved_positions(&self, material: Material) -> Result<u64, GenerateError> {
        let work = self.work_on(material)?;
        let sides = work.material.stored_sides();
        let saved = |columns| {
            let all = sides.len() as u64 * work.material.slice(sides[0], columns).positions();
            saved_positions(&work.slice_path(columns), all)
        };
        Ok(work.extent.columns().filter_map(saved).sum())
    }

    pub(super) fn work_on(&self, material: Material) -> Result<Work<'_>, GenerateError> {
        let extent = Extent::new(material.normalized(), self.max_columns);
        let extent = extent.map_err(GenerateError::Extent)?;
        Ok(Work::new(&self.folder, &self.others, extent, self.rules))
    }

    /// Generates the table that holds `material`, or the one with the colours exchanged, unless a
    /// sound one is [there](Generator::existing) already. A damaged one is made again.
    ///
    /// # Errors
    /// As [`Generator::existing`]; and if another run works on the material, there is not enough memory, files
    /// cannot be written, or `progress` stops the work. The next run goes on from what this one has saved.
    pub fn generate(
        &self,
        material: Material,
        progress: &dyn Progress,
    ) -> Result<Generated, GenerateError> {
        match self.generate_together(material, &Alone, progress)? {
            Some(made) => Ok(made),
            None => unreachable!("process 0 gets what was done"),
        }
    }

    /// Generates a table as [`Generator::generate`] does, together with other processes. All of them must
    /// call this with the same arguments, and see the same folder. Each uses the threads of its current
    /// rayon pool, and [memory](Generator::memory_limit) for its share of the values; there are no
    /// scratch files. The table has the same bytes whatever the number of processes is, and work that was
    /// stopped goes on with any number of them, one process that works alone included.
    ///
    /// Process 0 gets what was done, and the others nothing.
    ///
    /// # Errors
    /// As [`Generator::generate`]. If one process fails, all do: the others get
    /// [`GenerateError::OnProcess`]. If one process shall stop and none fails, all of them get
    /// [`GenerateError::Stopped`].
    pub fn generate_together(
        &self,
        material: Material,
        processes: &dyn Processes,
        progress: &dyn Progress,
    ) -> Result<Option<Generated>, GenerateError> {
        let work = agree_on(processes, self.work_on(material).map_err(StepFailure::Own));
        let work = work.map_err(|failure| error_of(failure, material))?;
        let made = Run { generator: self, work: &work, processes, progress }.generate();
        made.map_err(|failure| error_of(failure, work.material))
    }
}

impl Generator {
    /// Writes a table that was made in memory, as [`Tablebase::make`](crate::probe::Tablebase::make) does, to the
    /// folder: the files that [`Generator::generate`] would write. Returns the path of its WDL file, or that of one
    /// that is there already and holds as much; `None` if the table is not in memory.
    ///
    /// ```
    /// use lasca_tablebase::Silent;
    /// use lasca_tablebase::generate::{Generator, MakeLimits};
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::RuleSet;
    /// # let folder = tempfile::tempdir()?;
    /// let made = Tablebase::options(RuleSet::Lasca).empty();
    /// let plan = made.plan_of("3-2".parse()?, 4, &MakeLimits::default()).unwrap();
    /// let table = made.make(&plan, &Silent)?.table()?;
    /// let path = Generator::new(folder.path(), RuleSet::Lasca).keep(table, &Silent)?;
    /// assert_eq!(path, Some(folder.path().join("lasca-3-2.ltbw")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If another run works on the material, the files cannot be written, or one that must not be overwritten stands in
    /// their place. What was there before stays then.
    pub fn keep(
        &self,
        table: &Table,
        progress: &dyn Progress,
    ) -> Result<Option<PathBuf>, GenerateError> {
        let work = Work::new(&self.folder, &self.others, table.extent(), table.rules());
        let lock = work.lock(progress)?;
        let kept = match work.finished()? {
            Some((path, _)) => path,
            None => {
                let mut files = Vec::new();
                for kind in FileKind::ALL {
                    let Some(bytes) = table.bytes_in_memory(kind) else { return Ok(None) };
                    let path = work.target.with_extension(kind.extension());
                    let temporary = work.folder.join(kind.extension());
                    let write = || {
                        let mut file = NewFile::create_as(&path, &temporary)?;
                        file.write_all(bytes)?;
                        file.sync().map(|()| file)
                    };
                    files.push((write().map_err(io_error("writing", &path))?, path));
                }
                // As in a run, the WDL file comes last.
                for (file, path) in files.into_iter().rev() {
                    file.put_in_place().map_err(io_error("writing", &path))?;
                }
                work.target.clone()
            }
        };
        work.clean_up();
        drop(lock);
        Ok(Some(kept))
    }
}

/// The work on one material, as one of the processes sees it.
struct Run<'a> {
    generator: &'a Generator,
    work: &'a Work<'a>,
    processes: &'a dyn Processes,
    progress: &'a dyn Progress,
}

impl Run<'_> {
    fn generate(&self) -> Result<Option<Generated>, Failure> {
        let (work, started) = (self.work, Instant::now());
        // 1. Is it there already?
        if let Some(there) = self.there(started)? {
            if self.processes.number() == 0 {
                work.clean_up_if_unused();
            }
            return Ok(there);
        }
        // 2. Is there enough memory? Then as many threads work as it allows.
        let plan = self.agree(self.plan())?;
        match NonZero::new(plan.workers.threads) {
            Some(fewer) if fewer.get() < rayon::current_num_threads() => {
                with_threads(fewer, || self.generate_by(&plan, started))
            }
            _ => self.generate_by(&plan, started),
        }
    }

    /// Generates the table by this plan, unless another run does so meanwhile.
    fn generate_by(&self, plan: &Plan, started: Instant) -> Result<Option<Generated>, Failure> {
        let work = self.work;
        // 3. Does no other run work on it? It may have finished the table meanwhile.
        let lock = self.on_first(|| Ok(work.lock(self.progress)?))?;
        if let Some(there) = self.there(started)? {
            // Process 0 holds the lock.
            if lock.is_some() {
                work.clean_up();
            }
            return Ok(there);
        }
        // The process that holds the lock has written to the folder. Can all others?
        if self.processes.count() > 1 {
            self.agree(self.try_folder())?;
        }
        // 4. Solve all slices, and write the table.
        self.progress.material_started(work.material, plan.positions());
        let Solved { shares, positions: solved, time: solving } = self.solve(plan)?;
        // A file that was being copied when the work began may be a larger table by now.
        self.agree(existing::check_may_be_written(&work.target, work.extent, work.rules))?;
        self.write(plan, &shares)?;
        // Some systems do not remove files that are open.
        drop(shares);
        let made = self.on_first(|| {
            let table = work.written()?;
            work.clean_up();
            let made = work.report(work.target.clone(), &table, started);
            Ok(Generated { was_there: false, solved, solving, ..made })
        });
        drop(lock);
        made
    }

    /// How the table is made, in the memory that this process may use.
    fn plan(&self) -> Result<Plan, GenerateError> {
        let Work { material, extent, .. } = *self.work;
        let workers = Workers::of_pool(self.processes.count());
        let plan = match self.generator.memory_limit {
            None => Plan::new(extent, workers),
            Some(limit) => Plan::within(extent, workers, limit)
                .map_err(|needed| GenerateError::Memory { material, needed, limit })?,
        };
        plan.make_sure_of_memory()?;
        Ok(plan)
    }

    /// Agrees with all processes whether a step has succeeded.
    fn agree<T>(&self, result: Result<T, impl Into<Failure>>) -> Result<T, Failure> {
        agree_on(self.processes, result.map_err(Into::into))
    }

    /// Does something on process 0 alone, which gets the result.
    fn on_first<T>(&self, work: impl FnOnce() -> Result<T, Failure>) -> Result<Option<T>, Failure> {
        self.agree(match self.processes.number() {
            0 => work().map(Some),
            _ => Ok(None),
        })
    }

    /// What to return if the table is there.
    fn there(&self, started: Instant) -> Result<Option<Option<Generated>>, Failure> {
        let report = || {
            let found = self.work.finished()?;
            Ok(found.map(|(path, table)| self.work.report(path, &table, started)))
        };
        let there = self.on_first(report)?.flatten();
        let said = (self.processes.number() == 0).then_some(there.is_some());
        let is_there = tell_all(self.processes, Ok(said)).map_err(StepFailure::Exchange)?;
        Ok(is_there.then_some(there))
    }

    /// Fails at once where this process could not save its share later.
    fn try_folder(&self) -> Result<(), GenerateError> {
        let path = self.work.folder.join(format!("process-{}", self.processes.number()));
        fs::create_dir_all(&self.work.folder)
            .and_then(|()| {
                let mut trial = NewFile::create_as(&path, &path)?;
                trial.write_all(b"a process can write here")?;
                trial.flush()
            })
            .map_err(io_error("writing", &path))
    }

    /// Solves the share of this process of all slices, or reads what was solved before.
    fn solve(&self, plan: &Plan) -> Result<Solved, Failure> {
        let (interval, begun) = (self.generator.interval, Instant::now());
        let Work { rules, ref folder, .. } = *self.work;
        slices::solve(plan, rules, folder, self.processes, self.progress, |columns| {
            Some(Checkpoints { path: self.work.slice_path(columns), interval, begun })
        })
    }

    /// Writes the table.
    fn write(&self, plan: &Plan, shares: &Shares) -> Result<(), Failure> {
        let Work { extent, rules, ref folder, .. } = *self.work;
        let (temporary, folder) = (&**folder, &*self.generator.folder);
        let failed = |error: io::Error| match error.downcast() {
            Ok(OtherProcessFailed(process)) => StepFailure::OnProcess(process),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => StepFailure::Stopped,
            Err(error) => StepFailure::Own(io_error("writing", &self.work.target)(error)),
        };
        let table = NewTable { folder, temporary, extent, rules };
        TableWriter::create(self.processes, table)
            .and_then(|writer| slices::add(writer, plan, rules, shares, self.progress))
            .and_then(TableWriter::finish)
            .map_err(failed)
    }
}

/// The error of a process whose work on a material has failed.
pub(super) fn error_of(failure: Failure, material: Material) -> GenerateError {
    match failure {
        StepFailure::Own(error) => error,
        StepFailure::OnProcess(process) => GenerateError::OnProcess(process),
        StepFailure::Stopped => GenerateError::Stopped { material },
        StepFailure::Exchange(error) => GenerateError::Exchange(error),
    }
}
