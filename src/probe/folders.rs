//! Folders of tables.

use super::files::TableFiles;
use super::tablebase::{Folder, merge};
use super::{Options, TableEntry, Tablebase};
use crate::rules::RuleSet;
use crate::table::Access;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

/// Adds what a folder holds. Of the same table in several folders, [the preferred
/// one](TableEntry::is_preferred_to) is kept, or the first of several such tables. Returns how many
/// tables for `rules` the folder holds.
fn list(
    folder: &Folder,
    access: Access,
    rules: RuleSet,
    tables: &mut Vec<TableEntry>,
) -> Result<usize, FolderError> {
    let files = fs::read_dir(&folder.path).and_then(|entries| {
        let files = |entry: fs::DirEntry| TableFiles::from_path(entry.path(), access);
        entries.filter_map(|entry| entry.map(files).transpose()).collect::<io::Result<Vec<_>>>()
    });
    let found = match files {
        Ok(found) => found,
        Err(_) if folder.may_be_missing => return Ok(0),
        Err(error) => return Err(FolderError { folder: folder.path.clone(), error }),
    };
    let count = found.iter().filter(|files| files.rules == rules).count();
    found.into_iter().for_each(|files| merge(tables, TableEntry::in_files(files)));
    Ok(count)
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
    /// [`Tablebase::options`].
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

    /// Adds the tables of a folder; folders within it are not looked into. No table is opened, unless
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
        self.add(Folder { path: folder.as_ref().to_owned(), may_be_missing: false })
    }

    /// As [`Tablebase::add_directory`], for a folder that need not be there. As long as it cannot be read, it
    /// holds no tables. [`Tablebase::refreshed`] looks for it again.
    pub fn add_directory_if_there(&mut self, folder: impl AsRef<Path>) -> usize {
        self.add(Folder { path: folder.as_ref().to_owned(), may_be_missing: true }).unwrap_or(0)
    }

    fn add(&mut self, folder: Folder) -> Result<usize, FolderError> {
        let (mut sources, mut tables) = (self.0.sources.clone(), self.tables().to_vec());
        let count = list(&folder, self.access(), self.rules(), &mut tables)?;
        sources.folders.push(folder);
        *self = self.with(sources, tables);
        Ok(count)
    }

    /// The tables that are in memory, and what the folders hold now.
    pub(super) fn list_again(&self) -> Result<Vec<TableEntry>, FolderError> {
        let mut tables = Vec::new();
        self.0.sources.in_memory.iter().for_each(|entry| merge(&mut tables, entry.clone()));
        for folder in &self.0.sources.folders {
            list(folder, self.access(), self.rules(), &mut tables)?;
        }
        Ok(tables)
    }

    /// A tablebase of the same tables that reads their files in another way. They are opened anew when they
    /// are needed, and no values of them are loaded. Only a table whose files changed since it was opened
    /// stays as it is, until [`Tablebase::refreshed`] finds its new files sound.
    ///
    /// ```
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::RuleSet;
    /// use lasca_tablebase::table::Access;
    /// let tables = Tablebase::open("tables", RuleSet::Lasca)?.with_access(Access::Mapped);
    /// assert_eq!(tables.table("2-1".parse()?)?.private_bytes(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_access(&self, access: Access) -> Tablebase {
        let in_that_way = |entry: &TableEntry| match entry.files() {
            Some(files) if !files.has_changed() => TableEntry::in_files(files.closed(access)),
            _ => entry.clone(),
        };
        let tables = self.tables().iter().map(in_that_way).collect();
        let (options, loading) = (self.0.options.access(access), Arc::clone(&self.0.loading));
        Tablebase::of_tables(options, self.0.sources.clone(), tables, loading)
    }
}
