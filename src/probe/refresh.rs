//! Noticing that the files of a tablebase have changed.

use super::{FolderError, ProbeError, TableFile, Tablebase};
use std::path::PathBuf;

/// What has become of the files of a [`Tablebase`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Refreshed {
    /// The tables to use from now on; `None` if those from before are still right.
    pub tables: Option<Tablebase>,
    /// The WDL files of the tables that are new, or of which a file changed.
    pub changed: Vec<PathBuf>,
    /// The WDL files of the tables that are no longer there.
    pub gone: Vec<PathBuf>,
    /// What is wrong with files that are new or changed. A table that was open stays in use as it was.
    pub errors: Vec<ProbeError>,
}

impl Tablebase {
    /// Looks into the folders again. Tables whose files did not change stay open and are shared with
    /// `self`. A table whose files changed is opened anew, and so is one that could not be opened
    /// before. If it was open and its new files are not sound, perhaps because they are still being
    /// copied, it stays in use as it was. New tables under the rules of `self` are opened.
    ///
    /// `self` answers as before. A program that runs for a long time calls this now and then, or after
    /// [`ProbeError::Damaged`]. It takes little more time than asking the system for the length and
    /// the times of each file.
    ///
    /// ```
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::RuleSet;
    /// let mut tables = Tablebase::open(&["tables"], RuleSet::Lasca)?;
    /// if let Some(newer) = tables.refreshed()?.tables {
    ///     tables = newer;
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn refreshed(&self) -> Result<Refreshed, FolderError> {
        let mut found = self.list_again()?;
        let (mut changed, mut errors, mut same) = (Vec::new(), Vec::new(), true);
        for file in &mut found {
            let Some(old) = self.tables().iter().find(|old| is_same_table(old, file)) else {
                if file.rules() == self.rules() {
                    errors.extend(file.table().err());
                }
                changed.push(file.path().to_owned());
                continue;
            };
            if old.path() == file.path() && !old.may_be_outdated() {
                *file = old.clone();
                continue;
            }
            let keeps_old = match (file.table().err(), old.table().err()) {
                (Some(error), None) => {
                    errors.push(error);
                    true
                }
                (Some(error), Some(before)) if error == before => !old.has_changed(),
                (error, before) => {
                    if before.is_some() || old.has_changed() || old.path() != file.path() {
                        changed.push(file.path().to_owned());
                    }
                    errors.extend(error);
                    false
                }
            };
            same &= keeps_old;
            if keeps_old {
                *file = old.clone();
            }
        }
        let gone = self.tables().iter().filter(|old| !found.iter().any(|f| is_same_table(old, f)));
        let gone: Vec<PathBuf> = gone.map(|old| old.path().to_owned()).collect();
        same &= changed.is_empty() && gone.is_empty();
        let tables = (!same).then(|| self.with_tables(found));
        Ok(Refreshed { tables, changed, gone, errors })
    }
}

/// Whether two files are for the same material and rules.
fn is_same_table(a: &TableFile, b: &TableFile) -> bool {
    (a.material(), a.rules()) == (b.material(), b.rules())
}
