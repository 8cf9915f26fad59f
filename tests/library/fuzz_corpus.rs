//! What the fuzz targets do, on the inputs that are kept: `fuzz/README.md` tells how to look for more.

#[path = "../../fuzz/targets/bodies.rs"]
mod bodies;
use crate::ROOT;
use crate::common::tables::{Files, field, slice_at};
use lasca_tablebase::notation::parse_move;
use lasca_tablebase::rules::{Position, RuleSet};
use lasca_tablebase::table::{FileKind, Table};
use std::fs;
use std::path::Path;

/// Runs a target on its kept inputs, and returns them with their names.
fn run(target: &str, body: fn(&[u8])) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(ROOT).join("fuzz/corpus").join(target);
    let kept: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap())
        })
        .collect();
    assert!(!kept.is_empty());
    for (name, input) in &kept {
        // Shown if the test fails: the input that it failed on is the last.
        println!("{target}/{name}");
        body(input);
    }
    kept
}

/// Whether an input's name says that it is to be refused. What else a run of the fuzzer found, and
/// was kept under some name, must only not panic.
fn is_wrong(name: &str) -> Option<bool> {
    match name.split('-').next() {
        Some("list" | "rows" | "quiet" | "capture" | "marks") => Some(false),
        Some("wrong" | "not" | "empty") => Some(true),
        _ => None,
    }
}

#[test]
fn any_text_is_read_as_a_position_or_refused() {
    for (name, input) in run("position_text", bodies::position_text) {
        let text = String::from_utf8_lossy(&input);
        let refused = text.parse::<Position>().is_err();
        assert!(is_wrong(&name).is_none_or(|wrong| wrong == refused), "{name}");
    }
}

#[test]
fn any_text_is_read_as_a_legal_move_or_refused() {
    for (name, input) in run("move_text", bodies::move_text) {
        let text = String::from_utf8_lossy(&input);
        let (position, text) = text.split_once('\n').unwrap();
        let position: Position = position.parse().unwrap();
        let rules = if name.contains("rejump") { RuleSet::Rejump } else { RuleSet::Lasca };
        let refused = parse_move(text, &position, rules).is_err();
        assert!(is_wrong(&name).is_none_or(|wrong| wrong == refused), "{name}");
    }
}

/// The two files of a table as one input: see `bodies::two_files`.
fn pair(wdl: &[u8], dtw: &[u8]) -> Vec<u8> {
    [&(wdl.len() as u32).to_le_bytes()[..], wdl, dtw].concat()
}

#[test]
fn any_bytes_are_opened_as_a_table_or_refused() {
    let files = Files::shipped("1-1");
    let whole = pair(&files.wdl, &files.dtw);
    for (name, input) in run("table_bytes", bodies::table_bytes) {
        let (wdl, dtw) = bodies::two_files(&input);
        let opened = Table::open(wdl.to_vec(), dtw.map(|dtw| dtw.to_vec().into()));
        match name.split('-').next() {
            // They are made from the table that ships, and must be made anew when that changes.
            Some("whole") => {
                assert!(input == whole, "{name} is not the table that ships");
                opened.unwrap().check_bytes().unwrap();
            }
            Some("wdl") => {
                assert!(wdl == files.wdl, "{name} is not the table that ships");
                assert!(!opened.unwrap().has_dtw());
            }
            // These get behind the checksums.
            Some("sealed") => opened.unwrap().check_bytes().unwrap(),
            Some("flipped") => {
                assert!(opened.and_then(|table| table.check_bytes()).is_err(), "{name}");
            }
            Some("cut" | "byte" | "empty" | "exchanged") => assert!(opened.is_err(), "{name}"),
            _ => {}
        }
    }
    for name in ["2-1", "2-2"] {
        let files = Files::shipped(name);
        bodies::table_bytes(&pair(&files.wdl, &files.dtw));
    }
}

/// Makes the inputs of `fuzz/corpus/table_bytes` from the table that ships:
/// `cargo test --test library fuzz_corpus -- --ignored`.
#[test]
#[ignore = "writes into the source"]
fn make_the_inputs_of_table_bytes() {
    let folder = Path::new(ROOT).join("fuzz/corpus/table_bytes");
    let whole = Files::shipped("1-1");
    let write = |name: &str, wdl: &[u8], dtw: &[u8]| {
        fs::write(folder.join(name), pair(wdl, dtw)).unwrap();
    };
    let flipped = |name: &str, kind: FileKind, at: usize| {
        let mut files = whole.clone();
        files.of_mut(kind)[at] ^= 1;
        write(name, &files.wdl, &files.dtw);
    };
    let (wdl, dtw) = (&whole.wdl[..], &whole.dtw[..]);
    fs::write(folder.join("empty"), b"").unwrap();
    write("whole", wdl, dtw);
    write("wdl-alone", wdl, &[]);
    write("exchanged-files", dtw, wdl);
    write("byte-added", wdl, &[dtw, b"x"].concat());
    write("cut-by-a-byte", wdl, &dtw[..dtw.len() - 1]);
    write("cut-in-the-header", &wdl[..40], dtw);
    write("cut-after-the-header", &wdl[..field::HEADER_LEN], dtw);
    write("cut-in-the-middle", wdl, &dtw[..dtw.len() / 2]);
    flipped("flipped-first-byte", FileKind::Wdl, 0);
    flipped("flipped-version", FileKind::Wdl, field::VERSION);
    flipped("flipped-material", FileKind::Wdl, field::WHITE);
    flipped("flipped-length", FileKind::Dtw, field::FILE_LEN);
    flipped("flipped-directory", FileKind::Dtw, slice_at(dtw, 0));
    flipped("flipped-last-byte", FileKind::Dtw, dtw.len() - 1);
    flipped("flipped-wdl", FileKind::Wdl, field::HEADER_LEN);
    flipped("flipped-dtw", FileKind::Dtw, field::HEADER_LEN);
    // A fuzzer seldom finds checksums, so some inputs have them right and values wrong.
    for (name, kind, back) in [
        ("sealed-values", FileKind::Wdl, None),
        ("sealed-distances", FileKind::Dtw, None),
        ("sealed-codes", FileKind::Dtw, Some(12)),
    ] {
        let mut files = whole.clone();
        let file = files.of_mut(kind);
        let at = back.map_or(field::HEADER_LEN, |back| slice_at(file, 0) - back);
        file[at] ^= 0x10;
        files.seal();
        write(name, &files.wdl, &files.dtw);
    }
}
