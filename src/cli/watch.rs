//! Noticing that files of tables have come, changed or gone while the program runs.

use crate::failure::Failure;
use crate::folders::Folders;
use lasca_tablebase::probe::{TableEntry, Tablebase};
use lasca_tablebase::table::FileKind;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// The time between two looks at the folders, at least. A file that was written to since then may still be copied.
const PACE: Duration = Duration::from_secs(1);

/// Looks into the folders of tables now and then.
#[derive(Debug)]
pub struct Watch {
    folders: Folders,
    /// What was there before the tables were opened.
    opened: Listing,
    /// When to look again.
    next: Instant,
}

/// The folders that can be read, and the files of tables in them.
type Listing = BTreeSet<(PathBuf, Option<Stamp>)>;

/// What tells a file from another one, or from itself after a change.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    /// Device, inode, and when the inode was changed.
    #[cfg(unix)]
    inode: (u64, u64, i64, i64),
}

impl Stamp {
    /// The stamp of the file at a path; `None` if there is none, or if the system does not tell.
    fn at(path: &Path) -> Option<Stamp> {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;
        let found = fs::metadata(path).ok()?;
        Some(Stamp {
            len: found.len(),
            modified: found.modified().ok(),
            #[cfg(unix)]
            inode: (found.dev(), found.ino(), found.ctime(), found.ctime_nsec()),
        })
    }

    /// Whether the file was written to just now.
    fn is_fresh(&self) -> bool {
        let age = self.modified.and_then(|modified| modified.elapsed().ok());
        age.is_some_and(|age| age < PACE)
    }
}

/// What is in the folders now.
fn listing(folders: &Folders) -> Listing {
    let mut found = Listing::new();
    for folder in folders.paths() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            let is_of = |kind: FileKind| path.extension() == Some(kind.extension().as_ref());
            if FileKind::ALL.into_iter().any(is_of) {
                let stamp = Stamp::at(&path);
                found.insert((path, stamp));
            }
        }
        found.insert((folder, None));
    }
    found
}

impl Watch {
    /// Begins before tables are opened.
    pub fn new(folders: &Folders) -> Watch {
        let (folders, opened) = (folders.clone(), listing(folders));
        Watch { folders, opened, next: Instant::now() + PACE }
    }

    /// Looks into the folders, and opens the tables anew if files have come, changed or gone since they were opened.
    /// `open` is told which folders and files these are. Tables whose files have not changed, or that cannot be opened as
    /// they are now, are those of `before`.
    ///
    /// If the last look was less than a second ago, or one of the files was written to since then, this finds
    /// nothing, unless it is to look `at_once`.
    ///
    /// # Errors
    /// If `open` fails. The next look finds the same.
    pub fn renew(
        &mut self,
        at_once: bool,
        before: Option<&Tablebase>,
        open: impl FnOnce(&BTreeSet<PathBuf>) -> Result<Tablebase, Failure>,
    ) -> Option<Result<Tablebase, Failure>> {
        if !at_once && Instant::now() < self.next {
            return None;
        }
        let found = listing(&self.folders);
        self.next = Instant::now() + PACE;
        let is_fresh =
            |(_, stamp): &(_, Option<Stamp>)| stamp.as_ref().is_some_and(Stamp::is_fresh);
        let waits = || !at_once && found.difference(&self.opened).any(is_fresh);
        if found == self.opened || waits() {
            return None;
        }
        let changed = found.symmetric_difference(&self.opened).map(|(path, _)| path.clone());
        let changed: BTreeSet<PathBuf> = changed.collect();
        self.opened = found;
        let opened = open(&changed).map(|mut tables| {
            let is_as_before = |entry: &TableEntry| {
                let mut paths = FileKind::ALL.into_iter().filter_map(|kind| entry.path_of(kind));
                paths.all(|path| !changed.contains(&path))
            };
            if let Some(before) = before {
                tables.take_over(before, |entry| is_as_before(entry) || entry.table().is_err());
            }
            tables
        });
        Some(opened.inspect_err(|_| self.opened.clear()))
    }
}
