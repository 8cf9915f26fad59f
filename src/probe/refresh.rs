//! Noticing that the files of a tablebase have changed.

use super::files::{State, TableFiles};
use super::{FolderError, ProbeError, TableEntry, Tablebase};
use crate::rules::RuleSet;
use std::path::{Path, PathBuf};

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
        let (mut changed, mut gone, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        let mut same = true;
        for entry in &mut found {
            let old = self.tables().iter().find(|old| old.is_same_table(entry));
            let now = Now::of(old, entry, self.rules());
            match old {
                Some(old) if now.keeps_old => *entry = old.clone(),
                _ => {
                    same = false;
                    // Tables in memory are never new.
                    let path = |entry: &TableEntry| entry.path().map(Path::to_owned);
                    gone.extend(old.filter(|_| entry.files().is_none()).and_then(path));
                    changed.extend(path(entry).filter(|_| now.is_news));
                }
            }
            errors.extend(now.error);
        }
        for old in self.tables() {
            if let Some(path) = old.path()
                && !found.iter().any(|entry| entry.is_same_table(old))
            {
                same = false;
                gone.push(path.to_owned());
            }
        }
        let tables = (!same).then(|| self.with(self.0.sources.clone(), found));
        Ok(Refreshed { tables, changed, gone, errors })
    }
}

/// What becomes of a table when its folder is looked at again.
struct Now {
    /// Whether the table stays as it was.
    keeps_old: bool,
    /// Whether other values may be answered from now on.
    is_news: bool,
    /// What is wrong with the files that stand there now.
    error: Option<ProbeError>,
}

impl Now {
    const UNCHANGED: Now = Now { keeps_old: true, is_news: false, error: None };

    /// What becomes of the table `old`, if there was one, now that `new` stands there.
    fn of(old: Option<&TableEntry>, new: &TableEntry, rules: RuleSet) -> Now {
        match (old, old.and_then(TableEntry::files), new.files()) {
            (_, Some(old), Some(new)) => Now::of_files(old, new),
            // The table in memory was used before, or there is no better one in files any more.
            (_, old, None) => Now { keeps_old: old.is_none(), is_news: false, error: None },
            (Some(_), None, Some(new)) => {
                let error = new.sound_table().err();
                Now { keeps_old: error.is_some(), is_news: error.is_none(), error }
            }
            (None, _, Some(new)) => {
                let error = if new.rules == rules { new.table().err() } else { None };
                Now { keeps_old: false, is_news: true, error }
            }
        }
    }

    fn of_files(old: &TableFiles, new: &TableFiles) -> Now {
        let is_elsewhere = old.path != new.path;
        if !is_elsewhere && !old.may_be_outdated() {
            return Now::UNCHANGED;
        }
        match old.state() {
            // Only sound files take the place of open ones.
            State::Whole(_) => {
                let error = old.refusal(new);
                let keeps_old = error.is_some();
                let is_news = !keeps_old && (is_elsewhere || old.has_changed());
                Now { keeps_old, is_news, error }
            }
            State::WdlAlone(_) | State::Failed | State::Closed => {
                let (error, before) = (new.table().err(), old.table().err());
                if error.is_some() && error == before && !old.has_changed() {
                    return Now::UNCHANGED;
                }
                // What is open of the old files is worth more than nothing.
                let keeps_old = error.is_some()
                    && old.state().table().is_some()
                    && new.state().table().is_none();
                Now { keeps_old, is_news: !keeps_old, error }
            }
        }
    }
}
