//! Damaged tables: thousands of mutants of tables that ship, the same in every run.
//!
//! Whatever was done to the bytes, a table is refused, or answers right, or says which file and which
//! page of it is damaged: never a wrong answer. And where the checksums were made right again, so that
//! what is written is believed, answers may be wrong, but come in finite time and without a panic.

use crate::common::numbers::Numbers;
use crate::common::tables::{Files, field, material, put, slice_at, solve, u64_at};
use lasca_analysis::find::{Filter, Practice, positions as find_positions};
use lasca_tablebase::capture_search::KeepIn;
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{OfficerPosition, RuleSet};
use lasca_tablebase::table::{FileKind, SliceInfo, Table, TableError};
use lasca_tablebase::verify::check_contents;
use lasca_tablebase::{Silent, Value};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// How many mutants of each kind are made of each table.
const MUTANTS: usize = 800;

/// How many values of each slice are known; a mutant is asked for some of them.
const KNOWN: u64 = 64;

/// How many values of each slice a mutant is asked for.
const ASKED: usize = 4;

/// Every so many mutants, one is read as a whole.
const READ: usize = 16;

/// More endings than there are.
const EVERYTHING: usize = usize::MAX;

/// Damages the bytes of a file.
type Damage = fn(&mut Numbers, &mut Vec<u8>);

fn flip_bits(numbers: &mut Numbers, bytes: &mut [u8]) {
    for _ in 0..*numbers.choose(&[1, 1, 1, 2, 3, 8, 100]) {
        let at = numbers.below(bytes.len());
        bytes[at] ^= 1 << numbers.below(8);
    }
}

fn overwrite_bytes(numbers: &mut Numbers, bytes: &mut [u8]) {
    let range = numbers.range(bytes.len(), 40);
    let same = *numbers.choose(&[Some(0), Some(0xFF), None]);
    for byte in &mut bytes[range] {
        *byte = same.unwrap_or_else(|| numbers.below(256) as u8);
    }
}

fn exchange_or_copy_ranges(numbers: &mut Numbers, bytes: &mut [u8]) {
    let len = *numbers.choose(&[1, 2, 4, 8, 16, 24, 64, 96, 200]);
    let [a, b] = [(); 2].map(|()| numbers.below(bytes.len() - len));
    if numbers.below(2) == 0 {
        bytes.copy_within(a..a + len, b);
    } else {
        (0..len).for_each(|i| bytes.swap(a + i, b + i));
    }
}

fn cut(numbers: &mut Numbers, bytes: &mut Vec<u8>) {
    let longest = *numbers.choose(&[1, 8, 1 << 20]);
    let range = numbers.range(bytes.len(), longest);
    match numbers.below(4) {
        0 => drop(bytes.drain(range)),
        1 => bytes[range.start..].fill(0),
        _ => bytes.truncate(range.start),
    }
}

fn add_bytes(numbers: &mut Numbers, bytes: &mut Vec<u8>) {
    let added: Vec<u8> = (0..=numbers.below(40)).map(|_| numbers.below(256) as u8).collect();
    let within = numbers.below(bytes.len());
    let at = *numbers.choose(&[bytes.len(), within]);
    bytes.splice(at..at, added);
}

#[test]
fn a_damaged_table_never_gives_a_wrong_value() {
    let kinds: [(&str, Damage); 5] = [
        ("flips", |numbers, bytes| flip_bits(numbers, bytes)),
        ("overwritten bytes", |numbers, bytes| overwrite_bytes(numbers, bytes)),
        ("a cut", cut),
        ("added bytes", add_bytes),
        ("exchanged or copied ranges", |numbers, bytes| exchange_or_copy_ranges(numbers, bytes)),
    ];
    for (what, damage) in kinds {
        let mut opened = 0;
        for name in ["2-1", "2-2"] {
            let sound = Sound::read(name);
            let mut numbers = Numbers(0);
            for mutant in 0..MUTANTS {
                let kind = FileKind::ALL[mutant % 2];
                let mut files = sound.files.clone();
                damage(&mut numbers, files.of_mut(kind));
                let _named = Named(format!("{what}, mutant {mutant} of the {kind} file of {name}"));
                let read = mutant % READ < 2;
                opened += usize::from(sound.answers_alike(&files, kind, read, &mut numbers));
            }
        }
        println!("{what}: {opened} mutants were opened");
    }
}

#[test]
fn a_table_cut_anywhere_is_refused_and_every_flipped_bit_is_found_when_bytes_are_checked() {
    let files = Files::shipped("2-1");
    for kind in FileKind::ALL {
        for at in 0..files.of(kind).len() {
            let [mut cut, mut flipped] = [files.clone(), files.clone()];
            cut.of_mut(kind).truncate(at);
            flipped.of_mut(kind)[at] ^= 1 << (at % 8);
            let refused = cut.open().unwrap_err();
            let found = flipped.open().and_then(|table| table.check_bytes()).unwrap_err();
            assert_eq!((refused.kind(), found.kind()), (kind, kind), "{at}: {refused}, {found}");
        }
    }
}

#[test]
fn no_bit_of_a_block_can_be_another_one_in_a_table_that_is_right() {
    let files = Files::shipped("2-1");
    for kind in FileKind::ALL {
        let file = files.of(kind);
        let slices = u32::from_le_bytes(file[field::SLICES..][..4].try_into().unwrap());
        for slice in 0..slices as usize {
            let [start, len] = [field::slice::BLOCKS_AT, field::slice::BLOCKS_LEN]
                .map(|at| u64_at(file, slice_at(file, slice) + at) as usize);
            for at in start..start + len {
                // Where a block is filled up, this is a bit behind its last cell.
                let mut changed = files.clone();
                changed.of_mut(kind)[at] ^= 1;
                changed.seal();
                let found = check_contents(&changed.table(), KeepIn::Memory, 1, &Silent);
                assert!(!found.is_right(), "byte {at} of the {kind} file");
            }
        }
    }
}

#[test]
fn damage_in_one_page_leaves_the_rest_usable() {
    // Large enough for several pages.
    let sound = Sound::read("4-2");
    let mut numbers = Numbers(0);
    let (mut damaged_pages, mut in_shared_slices) = (HashSet::new(), 0);
    for mutant in 0..60 {
        let kind = FileKind::ALL[usize::from(mutant % 4 != 0)];
        let mut files = sound.files.clone();
        let bytes = files.of_mut(kind);
        let at = numbers.below(bytes.len());
        bytes[at] ^= 1 << numbers.below(8);
        let _named = Named(format!("byte {at} of the {kind} file of 4-2"));
        // What opening reads is checked then, and belongs to no page.
        let Ok(table) = files.open() else { continue };
        let damage = table.check_bytes().unwrap_err();
        assert_eq!(page_of(&damage), Some(at / field::PAGE_LEN), "{damage}");
        for (slice, known) in table.slices().iter().zip(&sound.answers) {
            let mut wrong = 0;
            for known in known {
                let [of_value, of_wdl] = right_or_errors(&table, known);
                wrong += usize::from(of_value.is_some());
                // Damaged distances do no harm to those who do not ask for them.
                assert!(kind == FileKind::Wdl || of_wdl.is_none(), "{known:?}");
                let mut errors = [of_value, of_wdl].into_iter().flatten();
                assert!(errors.all(|error| error == damage), "{known:?}");
            }
            in_shared_slices += usize::from(wrong > 0 && wrong < known.len());
            assert_eq!(slice.columns(), known[0].0.placement().occupied().len());
        }
        damaged_pages.insert((kind, at / field::PAGE_LEN));
    }
    assert!(damaged_pages.len() > 2, "{damaged_pages:?}");
    assert!(in_shared_slices > 0);
}

#[test]
fn a_table_whose_checksums_were_made_right_again_neither_panics_nor_hangs() {
    let rejump = (material("3-1"), RuleSet::Rejump);
    let whole = Files::written(rejump, &solve(rejump.0, rejump.1), |_| false);
    let named = ["1-1", "2-1", "2-2", "3-1"].map(|name| (name, Files::shipped(name)));
    let mut numbers = Numbers(1);
    let (mut opened, mut answered) = (0, 0);
    for (name, files) in named.into_iter().chain([("a whole 3-1", whole)]) {
        for mutant in 0..MUTANTS {
            let named = Named(format!("mutant {mutant} of {name}"));
            let mut files = files.clone();
            let kind = *numbers.choose(&FileKind::ALL);
            let bytes = files.of_mut(kind);
            match numbers.below(6) {
                0 => exchange_or_copy_ranges(&mut numbers, bytes),
                1 => overwrite_bytes(&mut numbers, bytes),
                2 | 3 => tamper_with_directory(&mut numbers, bytes),
                4 => tamper_with_both(&mut numbers, &mut files),
                _ => flip_bits(&mut numbers, bytes),
            }
            files.seal();
            let started = Instant::now();
            if let Ok(table) = files.open() {
                opened += 1;
                answered += use_all(&table, mutant % READ == 0);
            }
            let took = started.elapsed();
            assert!(took < Duration::from_secs(30), "{}: {took:?}", named.0);
        }
    }
    println!("{opened} mutants were opened, {answered} answers came");
    assert!(opened > MUTANTS && answered > MUTANTS);
}

#[test]
fn whoever_looks_for_lines_in_a_table_that_contradicts_itself_is_told_so() {
    let sound = Files::shipped("2-2");
    let of = material("2-2");
    let end = u64_at(&sound.dtw, field::DIRECTORY_AT) as usize;
    let mut found = [0; 2];
    for part in 1..40 {
        let mut files = sound.clone();
        let at = field::HEADER_LEN + (end - field::HEADER_LEN) * part / 40;
        files.dtw[at] ^= 0x20;
        files.seal();
        let _named = Named(format!("byte {at} of the distances of 2-2"));
        let mut tables = Tablebase::options(RuleSet::Lasca).empty();
        if tables.add_table(files.wdl, Some(files.dtw.into())).is_err() {
            continue;
        }
        let filter = Filter { limit: EVERYTHING, ..Filter::default() };
        let practice = Practice { limit: EVERYTHING, ..Practice::default() };
        let results = [
            find_positions(&tables, of, &filter, &Silent).err(),
            practice.pick(&tables, of, 0, &Silent).err(),
        ];
        for (found, error) in found.iter_mut().zip(results) {
            *found += usize::from(matches!(error, Some(ProbeError::Inconsistent { .. })));
        }
    }
    assert!(found.iter().all(|&found| found > 1), "{found:?}");
}

/// Puts a number that means something into a field of the directory.
fn tamper_with_directory(numbers: &mut Numbers, bytes: &mut [u8]) {
    let slices = bytes[field::SLICES] as usize;
    let at = slice_at(bytes, numbers.below(slices)) + numbers.below(field::slice::LEN);
    let len = bytes.len() as u64;
    let of = [0, 1, 2, 3, 255, 256, len - 1, len, len + 1, 1 << 31, 1 << 32, 1 << 63, u64::MAX];
    let number = *numbers.choose(&of);
    match *numbers.choose(&[1, 4, 8]) {
        1 => bytes[at] = number as u8,
        4 => bytes[at / 4 * 4..][..4].copy_from_slice(&(number as u32).to_le_bytes()),
        _ => put(bytes, (at / 8 * 8).min(bytes.len() - 8), number),
    }
}

/// Changes a field of the directories of both files alike, so that they still belong together.
fn tamper_with_both(numbers: &mut Numbers, files: &mut Files) {
    let slice = numbers.below(usize::from(files.wdl[field::SLICES]));
    let (at, mask) = *numbers.choose(&[
        (field::slice::FULL, 1),
        (field::slice::SIDE, 1),
        (field::slice::SIDE + 1, 1),
        (field::slice::CAPTURE, 3),
    ]);
    for kind in FileKind::ALL {
        let file = files.of_mut(kind);
        let entry = slice_at(file, slice);
        file[entry + at] ^= mask;
        if at == field::slice::FULL && kind == FileKind::Dtw && numbers.below(2) == 0 {
            file[entry + field::slice::HALVES] = 3;
        }
    }
}

/// Asks for some values of each slice, and for all, whatever they are; returns how many came.
fn use_all(table: &Table, whole: bool) -> usize {
    let mut answered = 0;
    let _ = (table.check_bytes(), table.check_whole());
    for slice in table.slices() {
        let last = slice.index().positions() - 1;
        for part in 0..24 {
            let position = slice.index().position(last * part / 23);
            answered += usize::from(table.wdl(&position).is_ok());
            match table.value(&position) {
                Ok(value) => {
                    answered += 1;
                    assert!(value.dtw() != Some(u16::MAX));
                }
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
    if whole {
        answered += usize::from(check_contents(table, KeepIn::Memory, 3, &Silent).is_right());
    }
    answered
}

/// Tells which mutant a test was at when it failed or the library panicked.
struct Named(String);

impl Drop for Named {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("at {}", self.0);
        }
    }
}

/// Asks for the value of a position and then for its result, and expects that they are right, or errors,
/// which are returned.
fn right_or_errors(
    table: &Table,
    (position, value): &(OfficerPosition, Value),
) -> [Option<TableError>; 2] {
    let (found, wdl) = (table.value(position), table.wdl(position));
    assert!(found.as_ref().ok().is_none_or(|found| found == value), "{position:?}");
    assert!(wdl.as_ref().ok().is_none_or(|wdl| *wdl == value.wdl()), "{position:?}");
    [found.err(), wdl.err()]
}

/// The page that an error names.
fn page_of(error: &TableError) -> Option<usize> {
    let message = error.to_string();
    let page = message.strip_suffix(" is damaged: its bytes do not match their checksum")?;
    page.strip_prefix("page ")?.parse().ok()
}

/// A table whose bytes are intact, and some of its values.
struct Sound {
    files: Files,
    /// For each slice, positions with their values.
    answers: Vec<Vec<(OfficerPosition, Value)>>,
}

impl Sound {
    fn read(name: &str) -> Sound {
        let files = Files::shipped(name);
        let table = files.table();
        table.check_bytes().unwrap();
        let known = |slice: &SliceInfo| {
            let last = slice.index().positions() - 1;
            let positions = (0..KNOWN).map(|i| slice.index().position(last * i / (KNOWN - 1)));
            positions.map(|p| (p, table.value(&p).unwrap())).collect()
        };
        let answers = table.slices().iter().map(known).collect();
        drop(table);
        Sound { files, answers }
    }

    /// Opens a mutant of one of the files, and expects right answers or errors that tell where the
    /// damage is. Returns whether it could be opened.
    fn answers_alike(
        &self,
        files: &Files,
        kind: FileKind,
        read: bool,
        numbers: &mut Numbers,
    ) -> bool {
        let sound = *files == self.files;
        let table = match files.open() {
            Ok(table) => table,
            Err(error) => {
                // A WDL file can be whole and of another generation than the DTW file.
                assert!(!sound && !error.to_string().is_empty());
                assert!(error.kind() == kind || error == TableError::Mismatched, "{error}");
                return false;
            }
        };
        let intact = table.check_bytes();
        // Every byte is covered by a checksum.
        assert_eq!(intact.is_ok(), sound);
        let tells = |error: &TableError| {
            assert!(!sound && error.kind() == kind, "{error}");
            assert!(page_of(error).is_some(), "{error}");
        };
        assert_eq!(table.slices().len(), self.answers.len());
        for known in &self.answers {
            for _ in 0..ASKED {
                let errors = right_or_errors(&table, numbers.choose(known));
                errors.iter().flatten().for_each(tells);
            }
        }
        match read.then(|| table.read()) {
            Some(Ok(slices)) => {
                for (slice, known) in table.slices().iter().zip(&self.answers) {
                    let values = &slices[slice.side()][slice.columns() - 2];
                    for (position, value) in known {
                        let number = slice.index().number(position).unwrap();
                        assert_eq!(values.value(number), *value, "{position:?}");
                    }
                }
            }
            Some(Err(error)) => tells(&error),
            None => {}
        }
        true
    }
}
