//! What happens to open tables when their files change: the promises of `table::Access`.

use crate::common::tables::{Files, field, material, shipped, u64_at};
use lasca_tablebase::Value;
use lasca_tablebase::probe::{Options, ProbeError, Tablebase};
use lasca_tablebase::rules::{Position, RuleSet};
use lasca_tablebase::table::{Access, FileKind, NoCache, file_name};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A table of several pages.
const TABLE: &str = "4-2";

fn name(kind: FileKind) -> String {
    file_name(material(TABLE), RuleSet::Lasca, kind)
}

/// A folder that holds a copy of one table.
fn copied() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for kind in FileKind::ALL {
        fs::copy(shipped().join(name(kind)), folder.path().join(name(kind))).unwrap();
    }
    folder
}

/// Some positions of every slice, with their values.
fn answers() -> Vec<(Position, Value)> {
    let files = Files::shipped(TABLE);
    let table = files.table();
    let mut answers = Vec::new();
    for slice in table.slices() {
        let positions = slice.index().positions();
        let color = table.material().stored_sides()[slice.side()];
        for number in (0..positions).step_by((positions / 50) as usize) {
            let officers = slice.index().position(number);
            let position = officers.to_position(color).unwrap();
            answers.push((position, table.value(&officers, &NoCache).unwrap()));
        }
    }
    answers
}

fn open(folder: &TempDir, access: Access) -> Tablebase {
    let options = Options::default().with_access(access);
    Tablebase::open_with(&[folder.path()], RuleSet::Lasca, options).unwrap()
}

fn write_to(path: &Path) -> fs::File {
    fs::File::options().write(true).open(path).unwrap()
}

#[test]
fn a_table_in_memory_does_not_mind_what_happens_to_its_files() {
    let changes: [fn(&Path); 4] = [
        |path| write_to(path).set_len(0).unwrap(),
        |path| write_to(path).set_len(100).unwrap(),
        |path| fs::write(path, vec![0xAA; 1 << 16]).unwrap(),
        |path| fs::remove_file(path).unwrap(),
    ];
    let answers = answers();
    for change in changes {
        let folder = copied();
        let tables = open(&folder, Access::InMemory);
        // It is opened when it is first needed.
        tables.value(&answers[0].0).unwrap();
        FileKind::ALL.iter().for_each(|&kind| change(&folder.path().join(name(kind))));
        for (position, value) in &answers {
            assert_eq!(tables.value(position).unwrap(), *value, "{position}");
            assert_eq!(tables.wdl(position).unwrap(), value.wdl(), "{position}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_mapped_table_does_not_mind_that_its_files_are_replaced_or_removed() {
    let replace = |path: &Path| {
        let other = path.with_extension("new");
        fs::write(&other, b"something else").unwrap();
        fs::rename(&other, path).unwrap();
    };
    let remove = |path: &Path| fs::remove_file(path).unwrap();
    let answers = answers();
    for change in [&replace as &dyn Fn(&Path), &remove] {
        let folder = copied();
        let tables = open(&folder, Access::Mapped);
        tables.value(&answers[0].0).unwrap();
        FileKind::ALL.iter().for_each(|&kind| change(&folder.path().join(name(kind))));
        for (position, value) in &answers {
            assert_eq!(tables.value(position).unwrap(), *value, "{position}");
        }
    }
}

#[test]
fn a_file_cut_short_before_it_is_needed_is_an_error() {
    for access in [Access::Mapped, Access::InMemory] {
        for kind in FileKind::ALL {
            let folder = copied();
            let tables = open(&folder, access);
            let path = folder.path().join(name(kind));
            write_to(&path).set_len(fs::metadata(&path).unwrap().len() / 2).unwrap();
            for (position, _) in answers() {
                match tables.value(&position) {
                    Err(ProbeError::Damaged { path: named, .. }) => assert_eq!(named, path),
                    other => panic!("{position}: {other:?}"),
                }
            }
        }
    }
}

/// Overwrites the bytes of a file from `at` to the directory.
fn overwrite(path: &PathBuf, at: usize) {
    use std::io::{Seek, SeekFrom, Write};
    let end = u64_at(&fs::read(path).unwrap(), field::DIRECTORY_AT) as usize;
    let mut file = write_to(path);
    file.seek(SeekFrom::Start(at as u64)).unwrap();
    file.write_all(&vec![0x55; end - at]).unwrap();
}

/// Bytes that are written over while a file is mapped are seen; those of pages that were not read
/// before are refused by their checksum.
#[test]
fn bytes_changed_in_a_mapped_file_before_their_page_is_read_never_become_a_wrong_answer() {
    let answers = answers();
    for (kind, at) in [(FileKind::Wdl, field::HEADER_LEN), (FileKind::Dtw, field::PAGE_LEN)] {
        let folder = copied();
        let tables = open(&folder, Access::Mapped);
        // Opening reads what stands before and behind the pages.
        tables.table(material(TABLE)).unwrap();
        let path = folder.path().join(name(kind));
        overwrite(&path, at);
        let (mut right, mut refused) = (0, 0);
        for (position, value) in &answers {
            match tables.value(position) {
                Ok(found) => {
                    assert_eq!(found, *value, "{position}");
                    right += 1;
                }
                Err(ProbeError::Damaged { path: named, error }) => {
                    assert_eq!((named, error.kind()), (path.clone(), kind));
                    refused += 1;
                }
                Err(error) => panic!("{position}: {error}"),
            }
            // Who wins is known without the distances.
            if kind == FileKind::Dtw {
                assert_eq!(tables.wdl(position).unwrap(), value.wdl(), "{position}");
            }
        }
        assert!(refused > 0);
        assert!(right > 0 || kind == FileKind::Wdl, "{right} {refused}");
    }
}
