//! Why a table could not be generated.

use crate::file_at::naming;
use crate::index::{Extent, ExtentError, Material};
use crate::retrograde::SolveError;
use crate::rules::RuleSet;
use crate::table::TableError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a table could not be generated.
///
/// A table that was there before is unchanged, with one exception: its two files are replaced one
/// after the other, and if the second cannot be replaced, they do not belong together any more. Such
/// a table is refused when it is opened, and the next run generates it again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A file or folder could not be made, written or read. The error names it.
    #[error("{0}")]
    Io(#[source] io::Error),
    /// Another run works on the material, or has just ended.
    #[error("another run is working on {material} in this folder, or has just ended")]
    Busy {
        /// The material.
        material: Material,
    },
    /// There is no table of the material with this column bound, or none without a bound.
    #[error("{0}")]
    Extent(#[source] ExtentError),
    /// The program would need more memory than it may use.
    #[error(
        "{material} needs at least {} KiB of memory, and only {} KiB may be used",
        needed.div_ceil(1 << 10), limit >> 10
    )]
    Memory {
        /// The material.
        material: Material,
        /// The least number of bytes that would do.
        needed: u64,
        /// How many bytes it may use.
        limit: u64,
    },
    /// A slice could not be solved.
    #[error("solving {material} with {columns} columns: {error}")]
    Solve {
        /// The material.
        material: Material,
        /// The number of columns of the slice.
        columns: usize,
        /// What went wrong.
        #[source]
        error: SolveError,
    },
    /// [`Progress::should_stop`](crate::Progress::should_stop) has asked for it.
    #[error("{material}: the work was stopped")]
    Stopped {
        /// The material.
        material: Material,
    },
    /// The processes that work together could not exchange data, and cannot go on.
    #[error("the processes cannot exchange data: {0}")]
    Exchange(#[source] io::Error),
    /// The process with this number has failed, and has an error that says why.
    #[error("process {0} has failed")]
    OnProcess(usize),
    /// Under the name of the table, or of its DTW file, stands a sound file of another material or rule set, or of
    /// more columns than are wanted. It is not overwritten.
    #[error(
        "{path}: expected the table of {} under {} rules or a smaller one, found a sound file of {} under {} rules, \
         which is not overwritten; rename or remove it",
        wanted.0, wanted.1, found.0, found.1
    )]
    OtherTable {
        /// The file.
        path: PathBuf,
        /// What is wanted.
        wanted: (Extent, RuleSet),
        /// What the file holds.
        found: (Extent, RuleSet),
    },
    /// A table cannot be read: the one that has just been written, or one that is there already and may
    /// be sound. Or a table of another format version stands in its place. Nothing is overwritten.
    #[error("reading {path}: {error}")]
    Work {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        error: TableError,
    },
}

impl GenerateError {
    /// Whether there is too little memory.
    pub fn is_of_memory(&self) -> bool {
        matches!(
            self,
            GenerateError::Memory { .. } | GenerateError::Solve { error: SolveError::Memory, .. }
        )
    }

    /// Whether this is a negative answer rather than a failure: what stands in the place of the table
    /// is sound, and not overwritten, or the solver has met a limit.
    pub fn is_negative(&self) -> bool {
        match self {
            GenerateError::OtherTable { .. } => true,
            GenerateError::Work { error, .. } => !error.is_unreadable(),
            GenerateError::Solve { error, .. } => {
                matches!(error, SolveError::TooManyMoves | SolveError::TooManyPlies)
            }
            _ => false,
        }
    }
}

/// Makes the error that something could not be done with a file or folder. If the error names a file already, that
/// one stays.
pub(super) fn io_error(
    doing: &'static str,
    path: &Path,
) -> impl FnOnce(io::Error) -> GenerateError {
    let name = naming(doing, path);
    move |error| GenerateError::Io(name(error))
}
