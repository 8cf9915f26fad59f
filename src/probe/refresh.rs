//! Noticing that the files of a tablebase have changed.

use super::{FolderError, ProbeError, Tablebase};
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
    /// before, or in which damage was found. If it was open, all bytes of its new files are checked
    /// first. If they are not sound, perhaps because they are still being copied, the table stays in
    /// use as it was. New tables under the rules of `self` are opened.
    ///
    /// What was [loaded](Tablebase::load) of a table stays loaded as long as the table is shared. Nothing
    /// is loaded of a table that is opened anew: load it then, best after `self` is dropped, so that
    /// its old values are no longer in memory.
    ///
    /// `self` answers as before. A program that runs for a long time calls this now and then, or after
    /// [`ProbeError::Damaged`]. It takes little more time than asking the system for the length and
    /// the times of each file, and reading the headers of tables that several folders hold. But if an
    /// open table was replaced, its new files are read once in full.
    ///
    /// ```
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::RuleSet;
    /// let mut tables = Tablebase::open("tables", RuleSet::Lasca)?;
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
        let (mut changed, mut errors) = (Vec::new(), Vec::new());
        let mut same = true;
        for file in &mut found {
            let Some(old) = self.tables().iter().find(|old| old.is_same_table(file)) else {
                if file.rules() == self.rules() {
                    errors.extend(file.table().err());
                }
                changed.push(file.path().to_owned());
                continue;
            };
            let is_elsewhere = old.path() != file.path();
            if !is_elsewhere && !old.may_be_outdated() {
                *file = old.clone();
                continue;
            }
            let keeps_old = if old.is_whole() {
                let refusal = old.refusal(file);
                let keeps_old = refusal.is_some();
                errors.extend(refusal);
                if !keeps_old && (old.has_changed() || is_elsewhere) {
                    changed.push(file.path().to_owned());
                }
                keeps_old
            } else {
                let had_failed = old.has_failed();
                match (file.table().err(), old.table().err()) {
                    (Some(error), Some(before)) if error == before && !old.has_changed() => true,
                    (error, before) => {
                        let keeps_old = error.is_some()
                            && old.open_table().is_some()
                            && file.wdl_table().is_err();
                        if !keeps_old && (had_failed || before.is_some() || is_elsewhere) {
                            changed.push(file.path().to_owned());
                        }
                        errors.extend(error);
                        keeps_old
                    }
                }
            };
            same &= keeps_old;
            if keeps_old {
                *file = old.clone();
            }
        }
        let gone =
            self.tables().iter().filter(|old| !found.iter().any(|file| old.is_same_table(file)));
        let gone: Vec<PathBuf> = gone.map(|old| old.path().to_owned()).collect();
        same &= changed.is_empty() && gone.is_empty();
        let tables = (!same).then(|| self.with_tables(found));
        Ok(Refreshed { tables, changed, gone, errors })
    }
}
