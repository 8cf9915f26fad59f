//! The journal of a generation: which slices of a material are solved and on disk.

use crate::durable::{from_checked_bytes, read_if_there, write_checked};
use crate::index::Material;
use crate::retrograde::WORK_VERSION;
use crate::rules::RuleSet;
use std::io;
use std::path::Path;

/// Versions before the second have no checksum.
const DAMAGED: &str = "it is damaged, or another version of the program wrote it";

/// What a work folder says of itself. If it has another [version](WORK_VERSION), the work is begun
/// anew.
#[derive(Clone, Debug, PartialEq, bincode::Encode, bincode::Decode)]
pub struct Journal {
    /// [`WORK_VERSION`]
    version: u32,
    rules: u8,
    white: u8,
    black: u8,
    /// The finished slices.
    pub slices: Vec<FinishedSlice>,
}

/// A slice whose values are on disk.
#[derive(Clone, Copy, Debug, PartialEq, bincode::Encode, bincode::Decode)]
pub struct FinishedSlice {
    /// The number of columns.
    pub columns: u8,
    /// The length of its file in bytes.
    pub bytes: u64,
}

impl Journal {
    /// The journal of work that has not begun.
    pub fn new(material: Material, rules: RuleSet) -> Journal {
        Journal {
            version: WORK_VERSION,
            rules: rules.id(),
            white: material.white() as u8,
            black: material.black() as u8,
            slices: Vec::new(),
        }
    }

    /// The journal at `path`, or an empty one if there is none of this version and for this work; and
    /// why what is there cannot be used.
    ///
    /// # Errors
    /// If it is there and cannot be read.
    pub fn read(
        path: &Path,
        material: Material,
        rules: RuleSet,
    ) -> io::Result<(Journal, Option<&'static str>)> {
        let fresh = Journal::new(material, rules);
        let Some(bytes) = read_if_there(path)? else { return Ok((fresh, None)) };
        let Some(read) = from_checked_bytes::<Journal>(&bytes) else {
            return Ok((fresh, Some(DAMAGED)));
        };
        if read.version != fresh.version {
            return Ok((fresh, Some("another version of the program wrote it")));
        }
        if (Journal { slices: Vec::new(), ..read.clone() }) != fresh {
            return Ok((fresh, Some("it is of another table")));
        }
        Ok((read, None))
    }

    /// What is noted of the slice with so many columns.
    pub fn slice(&self, columns: usize) -> Option<&FinishedSlice> {
        self.slices.iter().find(|slice| usize::from(slice.columns) == columns)
    }

    /// Forgets what was noted of the slice with so many columns.
    pub fn forget(&mut self, columns: usize) {
        self.slices.retain(|slice| usize::from(slice.columns) != columns);
    }

    /// Notes a slice in place of what was noted of it.
    pub fn put(&mut self, finished: FinishedSlice) {
        self.slices.retain(|slice| slice.columns != finished.columns);
        self.slices.push(finished);
    }

    /// Puts the journal in place of the one at `path`, durably.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        write_checked(path, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_journal_of_another_version_or_work_or_a_damaged_one_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let material: Material = "3-2".parse().unwrap();
        let empty = Journal::new(material, RuleSet::Lasca);
        let read = || Journal::read(&path, material, RuleSet::Lasca).unwrap();
        assert_eq!(read(), (empty.clone(), None));
        let slices = vec![FinishedSlice { columns: 2, bytes: 900 }];
        let journal = Journal { slices, ..empty.clone() };
        journal.write(&path).unwrap();
        assert_eq!(read(), (journal.clone(), None));
        let (other, why) = Journal::read(&path, material, RuleSet::Rejump).unwrap();
        assert_eq!((other.slices, why), (Vec::new(), Some("it is of another table")));
        let bytes = fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            fs::write(&path, &damaged).unwrap();
            assert_eq!(read(), (empty.clone(), Some(DAMAGED)));
            fs::write(&path, &bytes[..at]).unwrap();
            assert_eq!(read(), (empty.clone(), Some(DAMAGED)));
        }
        Journal { version: WORK_VERSION + 1, ..journal }.write(&path).unwrap();
        assert_eq!(read(), (empty, Some("another version of the program wrote it")));
    }
}
