//! A run: every slice of a material is solved, written and noted, and then the table is written.

use super::Plan;
use super::journal::{FinishedSlice, Journal};
use super::work_file;
use crate::Progress;
use crate::durable;
use crate::forward::capture_sequences_end;
use crate::index::{Material, SliceIndex};
use crate::retrograde::{SolveError, Solver};
use crate::rules::RuleSet;
use crate::table::{FileKind, OpenError, Table, TableWriter, file_name};
use crate::values::SliceValues;
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Why a table could not be generated.
///
/// A table that was there before is unchanged, with one exception: its two files are replaced one
/// after the other, and if the second cannot be replaced, they do not belong together any more. Such
/// a table is refused when it is opened, and the next run generates it again.
#[derive(Debug)]
pub enum GenerateError {
    /// A file or folder could not be made, written or read.
    Io {
        /// What was being done.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
    /// The program would need more memory than it may use.
    Memory {
        /// The material.
        material: Material,
        /// The least number of bytes that would do.
        needed: u64,
        /// How many bytes it may use.
        limit: u64,
    },
    /// A slice could not be solved.
    Solve {
        /// The material.
        material: Material,
        /// The number of columns of the slice.
        columns: usize,
        /// What went wrong.
        error: SolveError,
    },
    /// The table cannot be read after it has been written, or a table of another format version stands
    /// in its place.
    Work {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: OpenError,
    },
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GenerateError::Io { doing, path, error } => {
                write!(f, "{doing} {}: {error}", path.display())
            }
            GenerateError::Memory { material, needed, limit } => write!(
                f,
                "{material} needs at least {} KiB of memory, and only {} KiB may be used",
                needed.div_ceil(1 << 10),
                limit >> 10
            ),
            GenerateError::Solve { material, columns, error } => {
                write!(f, "solving {material} with {columns} columns: {error}")
            }
            GenerateError::Work { path, error } => {
                write!(f, "reading {}: {error}", path.display())
            }
        }
    }
}

impl std::error::Error for GenerateError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            GenerateError::Io { error, .. } => Some(error),
            GenerateError::Memory { .. } => None,
            GenerateError::Solve { error, .. } => Some(error),
            GenerateError::Work { error, .. } => Some(error),
        }
    }
}

/// What a run did for one material.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The material.
    pub material: Material,
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
}

/// Generates tables into a folder, on the threads of the current rayon pool.
#[derive(Clone, Debug)]
pub struct Generator {
    folder: PathBuf,
    rules: RuleSet,
    memory_limit: Option<u64>,
}

impl Generator {
    /// A generator of tables under `rules` into `folder`, which is made if it does not exist.
    pub fn new(folder: impl Into<PathBuf>, rules: RuleSet) -> Generator {
        Generator { folder: folder.into(), rules, memory_limit: None }
    }

    /// Uses at most this many bytes of memory. Where that is not enough to keep all values in memory,
    /// scratch files are made beside the tables: see [`Plan::within`].
    #[must_use]
    pub fn memory_limit(self, bytes: u64) -> Generator {
        Generator { memory_limit: Some(bytes), ..self }
    }

    /// Generates the table that holds `material`, or the one with the colours exchanged, unless a
    /// sound one is there already. A table that is there and cannot be read is made again.
    ///
    /// # Errors
    /// If there is not enough memory, or files cannot be written. What was finished before stays, and
    /// the next run goes on from there.
    pub fn generate(
        &self,
        material: Material,
        progress: &dyn Progress,
    ) -> Result<Generated, GenerateError> {
        let started = Instant::now();
        let work = Work::new(self, material.normalized());
        if let Some(table) = work.finished()? {
            // A run that was stopped after its last step may have left its work files.
            if work.folder.exists()
                && let Ok(_lock) = work.lock(progress)
            {
                work.clean_up();
            }
            return Ok(work.report(&table, None, started));
        }
        let plan = match self.memory_limit {
            None => Plan::new(work.material),
            Some(limit) => Plan::within(work.material, limit).map_err(|needed| {
                GenerateError::Memory { material: work.material, needed, limit }
            })?,
        };
        let lock = work.lock(progress)?;
        if let Some(table) = work.finished()? {
            // Another run finished it while this one waited.
            work.clean_up();
            return Ok(work.report(&table, None, started));
        }
        progress.material_started(work.material, plan.positions());
        let (solved, slices) = work.solve_slices(&plan, progress)?;
        let table = work.write_table(&plan, &slices, progress)?;
        work.clean_up();
        drop(lock);
        Ok(work.report(&table, Some(solved), started))
    }
}

/// For each stored side to move, its slices.
type Slices = Vec<Vec<SliceValues>>;

/// How many positions were solved, and how long that took.
type Solved = (u64, Duration);

/// The work on one material.
struct Work {
    material: Material,
    rules: RuleSet,
    target: PathBuf,
    folder: PathBuf,
    tables: PathBuf,
}

impl Work {
    fn new(generator: &Generator, material: Material) -> Work {
        let rules = generator.rules;
        Work {
            material,
            rules,
            target: generator.folder.join(file_name(material, rules, FileKind::Wdl)),
            folder: generator.folder.join(".work").join(format!("{rules}-{material}")),
            tables: generator.folder.clone(),
        }
    }

    /// The finished table, if it is there and sound. A table of another format version is an error:
    /// it may be sound, and must not be replaced.
    fn finished(&self) -> Result<Option<Table>, GenerateError> {
        let table = match Table::open_file(&self.target) {
            Ok(table) => table,
            Err(OpenError::Table(error)) if error.is_of_version() => {
                let path = self.target.with_extension(error.kind().extension());
                return Err(GenerateError::Work { path, error: OpenError::Table(error) });
            }
            Err(_) => return Ok(None),
        };
        let expected = table.material() == self.material && table.rules() == self.rules;
        let sound = expected
            && table.has_dtw()
            && table.check_whole().is_ok()
            && table.check_bytes().is_ok();
        Ok(sound.then_some(table))
    }

    /// Locks the work folder, waiting for another run that holds it.
    fn lock(&self, progress: &dyn Progress) -> Result<File, GenerateError> {
        // Runs that come to their end remove the folders meanwhile; how often is their number.
        let mut removed = 0;
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
                    progress.waiting_for_other_run(self.material);
                    lock.lock().map_err(io_error("locking", &path))?;
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

    /// Solves all slices, or reads them where an earlier run solved them.
    fn solve_slices(
        &self,
        plan: &Plan,
        progress: &dyn Progress,
    ) -> Result<(Solved, Slices), GenerateError> {
        let journal_path = self.folder.join("journal");
        let mut journal = Journal::read(&journal_path, self.material, self.rules);
        let resources = plan.resources(&self.folder);
        let scratch = resources.scratch.clone();
        let solver = Solver::new(self.material, self.rules).resources(resources);
        let mut slices: Slices = self.material.stored_sides().iter().map(|_| Vec::new()).collect();
        let (mut positions, mut solving) = (0, Duration::ZERO);
        for planned in &plan.slices {
            let columns = planned.columns;
            let noted = journal.slices.iter().find(|s| usize::from(s.columns) == columns);
            let scratch = scratch.as_deref();
            let resumed = noted.and_then(|noted| self.read_slice(columns, noted.bytes, scratch));
            let solved = match resumed {
                Some(solved) => {
                    progress.slice_resumed(self.material, columns, planned.positions);
                    solved
                }
                None => {
                    let started = Instant::now();
                    let solved =
                        solver.solve_slice(columns, &slices, progress).map_err(|error| {
                            GenerateError::Solve { material: self.material, columns, error }
                        })?;
                    solving += started.elapsed();
                    positions += planned.positions;
                    progress.slice_writing(self.material, columns);
                    let path = self.slice_path(columns);
                    let bytes =
                        work_file::write(&path, &solved).map_err(io_error("writing", &path))?;
                    journal.slices.retain(|slice| usize::from(slice.columns) != columns);
                    journal.slices.push(FinishedSlice { columns: columns as u8, bytes });
                    journal.write(&journal_path).map_err(io_error("writing", &journal_path))?;
                    solved
                }
            };
            for (side, slice) in slices.iter_mut().zip(solved) {
                side.push(slice);
            }
        }
        Ok(((positions, solving), slices))
    }

    /// The values of a slice that an earlier run wrote, if they are all there and sound.
    fn read_slice(
        &self,
        columns: usize,
        bytes: u64,
        scratch: Option<&Path>,
    ) -> Option<Vec<SliceValues>> {
        let path = self.slice_path(columns);
        if fs::metadata(&path).ok()?.len() != bytes {
            return None;
        }
        let sides = self.material.stored_sides().iter();
        let lens: Vec<u64> =
            sides.map(|&side| self.material.slice(side, columns).positions()).collect();
        work_file::read(&path, &lens, scratch).ok()
    }

    /// Writes the table.
    fn write_table(
        &self,
        plan: &Plan,
        slices: &Slices,
        progress: &dyn Progress,
    ) -> Result<Table, GenerateError> {
        let writer = TableWriter::create(&self.tables, &self.folder, self.material, self.rules);
        let mut writer =
            writer.map_err(io_error("writing", &self.folder))?.chunks_at_once(plan.chunks_at_once);
        for (at, columns) in self.material.columns().enumerate() {
            progress.slice_writing(self.material, columns);
            let sides = self.material.stored_sides().iter().zip(slices);
            let of_columns: Vec<(SliceIndex, &SliceValues)> = sides
                .map(|(&side, slices)| (self.material.slice(side, columns), &slices[at]))
                .collect();
            let captures_end = capture_sequences_end(self.material, self.rules, columns);
            writer.add(&of_columns, captures_end).map_err(io_error("writing", &self.target))?;
        }
        writer.finish().map_err(io_error("writing", &self.target))?;
        let damaged = |error| GenerateError::Work { path: self.target.clone(), error };
        let table = Table::open_file(&self.target).map_err(damaged)?;
        table.check_whole().map_err(|error| damaged(OpenError::Table(error)))?;
        Ok(table)
    }

    /// Removes the work folder, and the folder of all work if nothing else is in it. What cannot be
    /// removed does no harm: the next run of this material removes it.
    fn clean_up(&self) {
        let _ = fs::remove_dir_all(&self.folder);
        let _ = fs::remove_dir(self.tables.join(".work"));
    }

    fn report(&self, table: &Table, solved: Option<Solved>, started: Instant) -> Generated {
        let (positions, solving) = solved.unwrap_or_default();
        Generated {
            material: self.material,
            path: self.target.clone(),
            was_there: solved.is_none(),
            positions: table.positions(),
            bytes: table.bytes(),
            max_dtw: table.slices().iter().filter_map(|s| s.stats().max_dtw()).max(),
            solved: positions,
            solving,
            total: started.elapsed(),
        }
    }
}

fn io_error(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> GenerateError {
    let path = path.to_owned();
    move |error| GenerateError::Io { doing, path, error }
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
