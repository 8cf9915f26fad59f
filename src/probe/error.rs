//! Why a position has no answer.

use crate::index::{Material, MaterialError};
use crate::rules::{NotOfficers, RuleSet};
use crate::table::{Kind, TableError, file_name};
use std::fmt;
use std::io;
use std::path::PathBuf;

/// A folder of tables that could not be read.
#[derive(Debug)]
pub struct FolderError {
    /// The folder.
    pub folder: PathBuf,
    /// What went wrong.
    pub error: io::Error,
}

impl fmt::Display for FolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "reading the folder of tables {}: {}", self.folder.display(), self.error)
    }
}

impl std::error::Error for FolderError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Why a position has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbeError {
    /// The tables hold officers only, each column its owner's counters over the other side's.
    NotOfficers(NotOfficers),
    /// No table can cover so many counters.
    Material(MaterialError),
    /// The table for this material is not in any of the folders.
    MissingTable {
        /// The material of the table, White's counters the more.
        material: Material,
        /// The rule set that was asked for.
        rules: RuleSet,
        /// The folders that were looked through.
        folders: Vec<PathBuf>,
        /// A table of the first format version, which this program does not read, if one is there.
        older: Option<PathBuf>,
    },
    /// There is a table for this material, but under other rules.
    OtherRules {
        /// The material of the table.
        material: Material,
        /// The rule set that was asked for.
        asked: RuleSet,
        /// The rule sets for which there is a table.
        found: Vec<RuleSet>,
    },
    /// A file holds another table than its name says.
    WrongTable {
        /// The file.
        path: PathBuf,
        /// The table that its name says.
        expected: (Material, RuleSet),
        /// The table that it holds.
        found: (Material, RuleSet),
    },
    /// The table is there, and is damaged.
    Damaged {
        /// The table's file.
        path: PathBuf,
        /// What is wrong with it.
        error: TableError,
    },
    /// The table is there, and could not be opened.
    Unreadable {
        /// The table's file.
        path: PathBuf,
        /// What the system says.
        error: String,
    },
    /// The table is there with its WDL file alone, and a distance was asked for.
    MissingDtw {
        /// The DTW file that is not there.
        path: PathBuf,
    },
    /// The tables contradict themselves: no move of a position has the value that the position has.
    /// `verify` tells more.
    Inconsistent {
        /// The position, in list form.
        position: String,
    },
}

impl fmt::Display for ProbeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProbeError::NotOfficers(error) => write!(f, "not in the tables: {error}"),
            ProbeError::Material(error) => write!(f, "not in the tables: {error}"),
            ProbeError::MissingTable { material, rules, folders, older } => {
                write!(f, "the table of {material} under {rules} rules is missing from")?;
                for (i, folder) in folders.iter().enumerate() {
                    write!(f, "{} {}", if i > 0 { "," } else { "" }, folder.display())?;
                }
                write!(f, "; make it with: lasca-tb generate {material}")?;
                if *rules != RuleSet::default() {
                    write!(f, " --rules {rules}")?;
                }
                if let Some(path) = older {
                    write!(f, " ({} is of an older format version)", path.display())?;
                }
                Ok(())
            }
            ProbeError::OtherRules { material, asked, found } => {
                let found: Vec<&str> = found.iter().map(|rules| rules.name()).collect();
                write!(
                    f,
                    "expected a table of {material} under {asked} rules, found one under {}",
                    found.join(" and ")
                )
            }
            ProbeError::WrongTable { path, expected, found } => write!(
                f,
                "{}: expected the table of {} under {} rules, found that of {} under {} rules; \
                 rename the file to {}, or remove it",
                path.display(),
                expected.0,
                expected.1,
                found.0,
                found.1,
                file_name(found.0, found.1, Kind::Wdl)
            ),
            ProbeError::Damaged { path, error } => write!(f, "{}: {error}", path.display()),
            ProbeError::Unreadable { path, error } => write!(f, "{}: {error}", path.display()),
            ProbeError::MissingDtw { path } => write!(
                f,
                "{} is missing: win, draw or loss is known without it, distances and best moves are not",
                path.display()
            ),
            ProbeError::Inconsistent { position } => {
                write!(f, "the tables contradict themselves at {position}")
            }
        }
    }
}

impl std::error::Error for ProbeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ProbeError::NotOfficers(error) => Some(error),
            ProbeError::Material(error) => Some(error),
            ProbeError::Damaged { error, .. } => Some(error),
            _ => None,
        }
    }
}
