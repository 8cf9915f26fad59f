//! Why a table could not be generated.

use crate::file_at::naming;
use crate::index::{Extent, ExtentError, Material};
use crate::retrograde::SolveError;
use crate::rules::RuleSet;
use crate::table::{FileKind, TableError, file_name};
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
    #[error("{error}")]
    Io {
        /// What went wrong.
        #[source]
        error: io::Error,
        /// Whether work on the material is kept, from which the next run goes on.
        kept: bool,
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
        /// Whether work on the material is kept, from which the next run goes on.
        kept: bool,
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
    /// Under the name of the table stands a sound one of another material or rule set. It is not
    /// overwritten.
    #[error(
        "{path}: expected the table of {} under {} rules, found a sound table of {} under {} rules, \
         which is not overwritten; rename its files to {}, or remove them",
        expected.0, expected.1, found.0, found.1,
        Path::new(&file_name(found.0, found.1, FileKind::Wdl)).with_extension("*").display()
    )]
    OtherTable {
        /// The file.
        path: PathBuf,
        /// The table that the name stands for.
        expected: (Material, RuleSet),
        /// The table that the file holds.
        found: (Material, RuleSet),
    },
    /// In the place of the table stands a sound file that covers more columns than are wanted, and the
    /// other file of its table is missing or damaged. It is not overwritten.
    #[error(
        "{path}: expected nothing larger than the table of {wanted}, found a sound file of {found}, \
         which is not overwritten; make the table of {found} again, or remove the file"
    )]
    LargerTable {
        /// The file.
        path: PathBuf,
        /// What is wanted.
        wanted: Extent,
        /// What the file covers.
        found: Extent,
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
            GenerateError::OtherTable { .. } | GenerateError::LargerTable { .. } => true,
            GenerateError::Work { error, .. } => !error.is_unreadable(),
            GenerateError::Solve { error, .. } => {
                matches!(error, SolveError::TooManyMoves | SolveError::TooManyPlies)
            }
            _ => false,
        }
    }

    /// The same error, saying whether work on the material is kept.
    pub(super) fn with_kept(mut self, is_kept: bool) -> GenerateError {
        if let GenerateError::Io { kept, .. } | GenerateError::Solve { kept, .. } = &mut self {
            *kept = is_kept;
        }
        self
    }
}

/// Makes the error that something could not be done with a file or folder. If the error names a file already, that
/// one stays.
pub(super) fn io_error(
    doing: &'static str,
    path: &Path,
) -> impl FnOnce(io::Error) -> GenerateError {
    let name = naming(doing, path);
    move |error| GenerateError::Io { error: name(error), kept: false }
}
