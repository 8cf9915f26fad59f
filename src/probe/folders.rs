//! Folders of tables.

use super::{Options, TableEntry, Tablebase};
use crate::rules::RuleSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A folder of tables could not be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read the folder of tables {}: {error}", named(folder))]
#[non_exhaustive]
pub struct FolderError {
    /// The folder.
    pub folder: PathBuf,
    /// What the system says about it.
    #[source]
    pub error: io::Error,
}

/// A folder in a message. An empty name is shown too.
fn named(folder: &Path) -> String {
    match folder.display().to_string() {
        empty if empty.is_empty() => "\"\"".to_owned(),
        folder => folder,
    }
}

impl Options {
    /// Opens the tables of all these folders as one, the first folder first: see
    /// [`Tablebase::add_directory`].
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn open<P: AsRef<Path>>(
        self,
        folders: impl IntoIterator<Item = P>,
    ) -> Result<Tablebase, FolderError> {
        let mut tables = self.empty();
        for folder in folders {
            tables.add_directory(folder)?;
        }
        Ok(tables)
    }
}

impl Tablebase {
    /// Opens the tables for `rules` in one folder. For several folders, and other options, begin with
    /// [`Tablebase::options`]. This is quick: to use tables that have come or changed since, open the folder again.
    ///
    /// ```
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::RuleSet;
    /// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
    /// assert!(tables.wdl(&"a1WW b2BB w".parse()?).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn open(folder: impl AsRef<Path>, rules: RuleSet) -> Result<Tablebase, FolderError> {
        Tablebase::options(rules).open([folder])
    }

    /// Adds the tables that a folder holds now; folders within it are not looked into. No table is opened, unless
    /// another folder holds it too. Then one with distances is used rather than one without. Of
    /// several such tables, the one that covers the most columns is used, or the first of these.
    ///
    /// Returns how many tables the folder holds for the rule set of this tablebase, whether they are
    /// used or not. The cache of decoded blocks is emptied. Values that are loaded stay, except those of
    /// a table that gives way to one of the new folder.
    ///
    /// # Errors
    /// If the folder cannot be read. The tablebase is then as it was before.
    pub fn add_directory(&mut self, folder: impl AsRef<Path>) -> Result<usize, FolderError> {
        let folder = folder.as_ref();
        let files = fs::read_dir(folder).and_then(|entries| {
            let table = |entry: fs::DirEntry| TableEntry::in_files(entry.path(), self.access());
            entries.filter_map(|entry| entry.map(table).transpose()).collect::<io::Result<Vec<_>>>()
        });
        let found = files.map_err(|error| FolderError { folder: folder.to_owned(), error })?;
        let count = found.iter().filter(|table| table.rules() == self.rules()).count();
        let mut folders = self.0.folders.clone();
        folders.push(folder.to_owned());
        self.add(found, folders);
        Ok(count)
    }
}
