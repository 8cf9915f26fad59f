//! What happens to open tables when their files change: the promises of `table::Access`.

use lasca_tablebase::Value;
use lasca_tablebase::probe::{Options, ProbeError, Tablebase};
use lasca_tablebase::rules::{Color, Position, RuleSet};
use lasca_tablebase::table::{Access, Table};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const TABLE: &str = "lasca-2-2.ltb";

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tables").join(TABLE)
}

/// A folder that holds a copy of one table.
fn copied() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(TABLE);
    fs::copy(shipped(), &path).unwrap();
    (folder, path)
}

/// Some positions of every section, with their values.
fn answers() -> Vec<(Position, Value)> {
    let table = Table::open_file(&shipped()).unwrap();
    let mut answers = Vec::new();
    for section in table.sections() {
        let positions = section.index().positions();
        for number in (0..positions).step_by((positions / 50) as usize) {
            let position = section.index().position(number).to_position(Color::White).unwrap();
            answers.push((position, table.value(section, number).unwrap()));
        }
    }
    answers
}

fn open(folder: &TempDir, access: Access) -> Tablebase {
    let options = Options { access, ..Options::default() };
    Tablebase::open_with(&[folder.path()], RuleSet::Lasca, options).unwrap()
}

#[test]
fn a_table_in_memory_does_not_mind_what_happens_to_its_file() {
    let changes: [fn(&Path); 4] = [
        |path| fs::File::options().write(true).open(path).unwrap().set_len(0).unwrap(),
        |path| fs::File::options().write(true).open(path).unwrap().set_len(100).unwrap(),
        |path| fs::write(path, vec![0xAA; 1 << 16]).unwrap(),
        |path| fs::remove_file(path).unwrap(),
    ];
    let answers = answers();
    for change in changes {
        let (folder, path) = copied();
        let tables = open(&folder, Access::InMemory);
        // It is opened when it is first needed.
        tables.value(&answers[0].0).unwrap();
        change(&path);
        for (position, value) in &answers {
            assert_eq!(tables.value(position).unwrap(), *value, "{position}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_mapped_table_does_not_mind_that_its_file_is_replaced_or_removed() {
    let replace = |path: &Path| {
        let other = path.with_extension("new");
        fs::write(&other, b"something else").unwrap();
        fs::rename(&other, path).unwrap();
    };
    let remove = |path: &Path| fs::remove_file(path).unwrap();
    let answers = answers();
    for change in [&replace as &dyn Fn(&Path), &remove] {
        let (folder, path) = copied();
        let tables = open(&folder, Access::Mapped);
        tables.value(&answers[0].0).unwrap();
        change(&path);
        for (position, value) in &answers {
            assert_eq!(tables.value(position).unwrap(), *value, "{position}");
        }
    }
}

#[test]
fn a_file_cut_short_before_it_is_needed_is_an_error() {
    for access in [Access::Mapped, Access::InMemory] {
        let (folder, path) = copied();
        let tables = open(&folder, access);
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_len(fs::metadata(&path).unwrap().len() / 2).unwrap();
        for (position, _) in answers() {
            match tables.value(&position) {
                Err(ProbeError::Damaged { path: named, .. }) => assert_eq!(named, path),
                other => panic!("{position}: {other:?}"),
            }
        }
    }
}

/// Bytes written over while the file is mapped are seen, and refused by their checksum, unless they
/// were decoded before.
#[test]
fn bytes_changed_in_a_mapped_file_never_become_a_wrong_answer() {
    let answers = answers();
    let (folder, path) = copied();
    let tables = open(&folder, Access::Mapped);
    tables.value(&answers[0].0).unwrap();
    let len = fs::metadata(&path).unwrap().len();
    {
        use std::io::{Seek, SeekFrom, Write};
        let mut file = fs::File::options().write(true).open(&path).unwrap();
        file.seek(SeekFrom::Start(4096)).unwrap();
        file.write_all(&vec![0x55; (len - 4096) as usize]).unwrap();
    }
    let mut refused = 0;
    for (position, value) in &answers {
        match tables.value(position) {
            Ok(found) => assert_eq!(found, *value, "{position}"),
            Err(ProbeError::Damaged { .. }) => refused += 1,
            Err(error) => panic!("{position}: {error}"),
        }
    }
    assert!(refused > 0);
}
