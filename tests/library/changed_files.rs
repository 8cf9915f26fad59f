//! What happens to open tables when their files change: the promises of `table::Access`.

use crate::common::tables::{
    Files, copies_of, field, generated, material, positions_in, put, replace, seal, u64_at,
};
use crate::common::wait::SetAtEnd;
use lasca_tablebase::capture_search::KeepIn;
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{Color, OfficerPosition, Position, RuleSet};
use lasca_tablebase::table::{Access, FileKind, Table, TableError, file_name};
use lasca_tablebase::verify::{ContentsReport, check_contents};
use lasca_tablebase::{Reason, Silent, Value};
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

/// A table of several pages.
const TABLE: &str = "4-2";

const EVERY_ACCESS: [Access; 3] = [Access::Automatic, Access::Private, Access::Mapped];

fn name(kind: FileKind) -> String {
    file_name(material(TABLE), RuleSet::Lasca, kind)
}

/// Some positions of every slice, with their values.
fn answers() -> Vec<(Position, Value)> {
    let table = Files::shipped(TABLE).table();
    let answer = |(side, officers): (Color, OfficerPosition)| {
        (officers.to_position(side).unwrap(), table.value(&officers).unwrap())
    };
    positions_in(table.extent(), 50).map(answer).collect()
}

fn path(folder: &TempDir, kind: FileKind) -> PathBuf {
    folder.path().join(name(kind))
}

/// The tables of the folder. Decoded blocks are not kept, so every answer reads its pages.
fn open(folder: &TempDir, access: Access) -> Tablebase {
    let options = Tablebase::options(RuleSet::Lasca).cache(0).access(access);
    options.open([folder.path()]).unwrap()
}

/// A copy of the table that is open, so that what stands before and behind its pages was read.
fn opened(access: Access) -> (TempDir, Tablebase) {
    let folder = copies_of(&[TABLE]);
    let tables = open(&folder, access);
    tables.table(material(TABLE)).unwrap();
    (folder, tables)
}

fn write_to(path: &Path) -> fs::File {
    fs::File::options().write(true).open(path).unwrap()
}

fn assert_right(tables: &Tablebase, answers: &[(Position, Value)]) {
    for (position, value) in answers {
        assert_eq!(tables.value(position).as_ref(), Ok(value), "{position}");
        assert_eq!(tables.wdl(position), Ok(value.wdl()), "{position}");
    }
}

/// Checks that no answer is wrong; returns how many there are, and the errors in place of the others, each of
/// which is about this file.
fn right_or_refused(
    tables: &Tablebase,
    answers: &[(Position, Value)],
    changed: &Path,
    kind: FileKind,
) -> (usize, usize) {
    let (mut right, mut refused) = (0, 0);
    for (position, value) in answers {
        match tables.value(position) {
            Ok(found) => {
                assert_eq!(found, *value, "{position}");
                right += 1;
            }
            Err(ProbeError::Table { origin, error, .. }) => {
                let found = (origin.path(), error.kind(), error.reason());
                assert_eq!(found, (Some(changed), kind, Reason::Damaged));
                refused += 1;
            }
            Err(error) => panic!("{error}"),
        }
        // Who wins is known without the distances.
        if kind == FileKind::Dtw {
            assert_eq!(tables.wdl(position), Ok(value.wdl()), "{position}");
        }
    }
    (right, refused)
}

#[test]
fn open_tables_stay_right_whatever_happens_to_their_files() {
    let changes: [fn(&Path); 5] = [
        |path| write_to(path).set_len(0).unwrap(),
        |path| write_to(path).set_len(100).unwrap(),
        |path| fs::write(path, vec![0xAA; 1 << 16]).unwrap(),
        |path| replace(path, b"something else"),
        |path| fs::remove_file(path).unwrap(),
    ];
    let answers = answers();
    for (number, change) in changes.into_iter().enumerate() {
        // Where the system allows that, a file may be replaced or removed, and then even be mapped or not
        // have been read yet.
        let is_harmless = cfg!(unix) && number >= 3;
        for &access in &EVERY_ACCESS[..if is_harmless { 3 } else { 2 }] {
            let (folder, tables) = opened(access);
            if !is_harmless {
                // This reads the files.
                assert_right(&tables, &answers);
            }
            FileKind::ALL.iter().for_each(|&kind| change(&path(&folder, kind)));
            assert_right(&tables, &answers);
            // What opens it now sees what is there now.
            let error = open(&folder, access).value(&answers[0].0).unwrap_err();
            let missing = matches!(error, ProbeError::MissingTable { .. });
            assert_eq!(missing, number == 4, "{error}");
        }
    }
}

/// Overwrites the bytes of a file from `at` to the directory.
fn overwrite(path: &Path, at: usize) {
    let end = u64_at(&fs::read(path).unwrap(), field::DIRECTORY_AT) as usize;
    let mut file = write_to(path);
    file.seek(SeekFrom::Start(at as u64)).unwrap();
    file.write_all(&vec![0x55; end - at]).unwrap();
}

/// Of a file that was not read before, nothing but an error comes: if it is too short, or by the checksums of its
/// pages, mapped or not.
#[test]
fn what_is_changed_before_it_is_read_never_becomes_a_wrong_answer() {
    let answers = answers();
    let refused = |access, kind, change: &dyn Fn(&Path)| {
        let (folder, tables) = opened(access);
        let path = path(&folder, kind);
        change(&path);
        right_or_refused(&tables, &answers, &path, kind)
    };
    for kind in FileKind::ALL {
        for len in [0, 100, 1 << 16, 100_000] {
            let cut = |path: &Path| write_to(path).set_len(len).unwrap();
            let (_, refused) = refused(Access::Private, kind, &cut);
            // The WDL file has fewer bytes than these two lengths.
            assert!(refused > 0 || (kind == FileKind::Wdl && len >= 1 << 16), "{kind:?} {len}");
        }
    }
    for access in EVERY_ACCESS {
        for (kind, at) in [(FileKind::Wdl, field::HEADER_LEN), (FileKind::Dtw, field::PAGE_LEN)] {
            let (right, refused) = refused(access, kind, &|path| overwrite(path, at));
            assert!(refused > 0 && (right > 0 || kind == FileKind::Wdl), "{right} {refused}");
        }
    }
}

#[test]
fn checking_the_bytes_reads_the_file_whatever_was_read_before() {
    for access in EVERY_ACCESS {
        let (folder, tables) = opened(access);
        let path = path(&folder, FileKind::Wdl);
        let right = fs::read(&path).unwrap();
        let table = tables.table(material(TABLE)).unwrap();
        for _ in 0..2 {
            overwrite(&path, field::HEADER_LEN);
            let error = table.check_bytes().unwrap_err().to_string();
            assert!(error.contains("page 0 is damaged"), "{error}");
            write_to(&path).write_all(&right).unwrap();
            assert_eq!(table.check_bytes(), Ok(()));
            assert_right(&tables, &answers());
        }
    }
}

/// Threads that need a file for the first time read it and check its pages at once.
#[test]
fn threads_that_need_the_same_pages_at_once_get_right_answers() {
    const THREADS: usize = 4;
    let answers = answers();
    for _ in 0..100 {
        let (_folder, tables) = opened(Access::Private);
        let begin = Barrier::new(THREADS);
        thread::scope(|scope| {
            for number in 0..THREADS {
                let (tables, begin, answers) = (&tables, &begin, &answers);
                scope.spawn(move || {
                    begin.wait();
                    // Two threads go the same way, and two begin elsewhere.
                    let (behind, before) = answers.split_at(number / 2 * answers.len() / 2);
                    assert_right(tables, &before[..before.len().min(40)]);
                    assert_right(tables, &behind[..behind.len().min(40)]);
                });
            }
        });
    }
}

/// A table is overwritten by a sound one with other values, and back, while a thread opens it and asks again
/// and again: every answer is right, or an error.
#[test]
fn no_wrong_value_comes_of_a_file_that_another_table_is_copied_over() {
    let (answers, folder) = (answers(), copies_of(&[TABLE]));
    let right = Files::shipped(TABLE);
    let rejump = RuleSet::Rejump;
    let other = Files::read(generated(&[TABLE], rejump).path(), material(TABLE), rejump);
    let (done, errors, rights) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    let ask = |tables: &Tablebase| {
        for (position, value) in &answers {
            let count = match (tables.value(position), tables.wdl(position)) {
                (Ok(found), Ok(wdl)) => {
                    assert_eq!((found, wdl), (*value, value.wdl()), "{position}");
                    &rights
                }
                (Err(error), _) | (_, Err(error)) => {
                    assert!(!error.to_string().is_empty());
                    &errors
                }
            };
            count.fetch_add(1, Ordering::Relaxed);
        }
    };
    thread::scope(|scope| {
        let again = || {
            while !done.load(Ordering::Acquire) {
                ask(&open(&folder, Access::Private));
            }
        };
        scope.spawn(again);
        let _end = SetAtEnd(&done);
        for number in 0..60 {
            for kind in FileKind::ALL {
                let files = if number % 2 == 0 { &other } else { &right };
                // Part by part, as `cp` does.
                let mut file = fs::File::create(path(&folder, kind)).unwrap();
                files.of(kind).chunks(1 << 14).for_each(|part| file.write_all(part).unwrap());
                thread::sleep(Duration::from_millis(5));
            }
        }
    });
    assert!(errors.into_inner() > 0 && rights.into_inner() > 0);
    assert_right(&open(&folder, Access::Private), &answers);
}

#[test]
fn a_table_that_could_not_be_opened_is_tried_again_when_its_files_change() {
    let answers = answers();
    for (kind, access) in FileKind::ALL.into_iter().flat_map(|kind| EVERY_ACCESS.map(|a| (kind, a)))
    {
        let folder = copies_of(&[TABLE]);
        let path = path(&folder, kind);
        let right = fs::read(&path).unwrap();
        let tables = open(&folder, access);
        for wrong in [&b"damaged"[..], &[], &right[..right.len() / 2], &right[..right.len() - 1]] {
            fs::write(&path, wrong).unwrap();
            let wdl = tables.wdl(&answers[0].0);
            assert!(wdl.is_ok() == (kind == FileKind::Dtw), "{wdl:?}");
            for _ in 0..2 {
                let error = tables.value(&answers[0].0).unwrap_err();
                assert!(
                    matches!(&error, ProbeError::Table { origin, .. } if origin.path() == Some(&path)
                        && error.reason() == Reason::Damaged),
                    "{error}"
                );
            }
        }
        fs::write(&path, &right).unwrap();
        assert_right(&tables, &answers);
    }
}

/// A header can name any length, and the file can have it without taking any space.
#[test]
fn a_directory_or_page_list_that_is_too_long_is_refused_before_it_is_read() {
    const LEN: u64 = 1 << 40;
    let header = Files::shipped("2-1").wdl[..field::HEADER_LEN].to_vec();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lasca-2-1.ltbw");
    let open = |directory_at: u64, directory_len: u64| {
        let mut header = header.clone();
        put(&mut header, field::FILE_LEN, LEN);
        put(&mut header, field::DIRECTORY_AT, directory_at);
        put(&mut header, field::DIRECTORY_LEN, directory_len);
        put(&mut header, field::DIRECTORY_CHECKSUM, xxh3_64(&[]));
        seal(&mut header, 0);
        fs::write(&path, &header).unwrap();
        write_to(&path).set_len(LEN).unwrap();
        match Table::open_with(&path, Access::Private) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("it was opened"),
        }
    };
    let error = open(100, LEN - 1000);
    assert!(error.contains("as its directory length,"), "{error}");
    let error = open(LEN - 1000, 500);
    assert!(error.contains("the directory is damaged"), "{error}");
    let error = open(LEN / 2, 0);
    assert!(error.contains("the page list lies outside the file"), "{error}");
}

#[test]
fn a_file_that_changes_during_a_check_tells_nothing_about_its_values() {
    for kind in FileKind::ALL {
        let folder = copies_of(&[TABLE]);
        let table = Table::open_with(&path(&folder, FileKind::Wdl), Access::Private).unwrap();
        write_to(&path(&folder, kind)).set_len(100).unwrap();
        let report = check_contents(&table, KeepIn::Memory, 1, &Silent);
        let ContentsReport::NotChecked(error) = report else { panic!("{report:?}") };
        assert!(matches!(error, TableError::Length { .. }), "{error}");
    }
}
