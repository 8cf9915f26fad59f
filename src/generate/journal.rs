//! The journal of a generation: which slices of a material are solved and on disk.

use crate::durable::NewFile;
use crate::index::Material;
use crate::retrograde::WORK_VERSION;
use crate::rules::RuleSet;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

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

    /// The journal at `path`, or an empty one if there is none of this version and for this work.
    pub fn read(path: &Path, material: Material, rules: RuleSet) -> Journal {
        let fresh = Journal::new(material, rules);
        let read = fs::read(path).ok().and_then(|bytes| {
            let limited = bincode::config::standard().with_limit::<{ 1 << 16 }>();
            bincode::decode_from_slice::<Journal, _>(&bytes, limited).ok()
        });
        match read {
            Some((journal, _)) if (Journal { slices: Vec::new(), ..journal.clone() }) == fresh => {
                journal
            }
            _ => fresh,
        }
    }

    /// Puts the journal in place of the one at `path`, durably.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let bytes =
            bincode::encode_to_vec(self, bincode::config::standard()).map_err(io::Error::other)?;
        let mut file = NewFile::create_as(path, &path.with_extension("tmp"))?;
        file.write_all(&bytes)?;
        file.put_in_place()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_of_another_version_or_work_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let material: Material = "3-2".parse().unwrap();
        let empty = Journal::new(material, RuleSet::Lasca);
        assert_eq!(Journal::read(&path, material, RuleSet::Lasca), empty);
        let slices = vec![FinishedSlice { columns: 2, bytes: 900 }];
        let journal = Journal { slices, ..empty.clone() };
        journal.write(&path).unwrap();
        assert_eq!(Journal::read(&path, material, RuleSet::Lasca), journal);
        assert_eq!(Journal::read(&path, material, RuleSet::Rejump).slices, []);
        Journal { version: WORK_VERSION + 1, ..journal }.write(&path).unwrap();
        assert_eq!(Journal::read(&path, material, RuleSet::Lasca), empty);
    }
}
