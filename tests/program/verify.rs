//! `lasca-tb verify`: what is right, and how it tells what is wrong.

use crate::common::tables::{
    Files, Slices, field, first_histogram, index_of, material, put, slice_at, solve, u64_at,
    write_table,
};
use crate::run::{Ran, command, copies, path, run, tables, write_wrong_table};
use lasca_tablebase::internals::{Distance, SliceValues};
use lasca_tablebase::rules::{Position, RuleSet, Square};
use lasca_tablebase::table::{FileKind, file_name};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

#[test]
fn verify_checks_the_bytes_and_the_values() {
    let tables = tables();
    let verified = run(&["verify", "--json", "--tables", path(&tables)]).exits(0).json();
    assert_eq!(verified.len(), 9);
    for line in &verified {
        assert_eq!((&line["bytes_intact"], &line["values_right"]), (&json!(true), &json!(true)));
        assert_eq!(line["differences"], 0);
        assert_eq!(
            (&line["statistics_right"], &line["wrong_statistics"]),
            (&json!(true), &json!([]))
        );
    }
    run(&["verify", "2-1", "--tables", path(&tables)])
        .exits(0)
        .prints("2-1 under lasca rules: bytes intact; values right, all 2,332\n");
    let args = ["verify", "2-1", "1-2", "--bytes-only", "--json", "--tables", path(&tables)];
    let verified = run(&args).exits(0).json();
    assert_eq!(verified.len(), 1);
    assert_eq!(verified[0]["values_right"], Value::Null);
}

#[test]
fn verify_finds_wrong_values_in_intact_bytes() {
    let folder = TempDir::new().unwrap();
    write_wrong_table(folder.path());
    run(&["verify", "--bytes-only", "--tables", path(&folder)]).exits(0).prints("bytes intact");
    run(&["verify", "--limit", "2", "--tables", path(&folder)])
        .exits(1)
        .prints("bytes intact; VALUES WRONG")
        .prints(": stored ")
        .prints(" more\n");
    let verified = run(&["verify", "--json", "--tables", path(&folder)]).exits(1).json().remove(0);
    assert_eq!(
        (&verified["bytes_intact"], &verified["values_right"]),
        (&json!(true), &json!(false))
    );
    assert!(verified["differences"].as_u64().unwrap() > 0);
    let first = verified["first_differences"].as_array().unwrap();
    assert!(!first.is_empty() && first.len() <= 10);
}

/// The values of 2-2, one of them another one.
struct Changed {
    slices: Slices,
    side: usize,
    columns: usize,
    /// The position of the changed value.
    position: Position,
    right: Option<u16>,
}

impl Changed {
    /// Changes the value of the first quiet position of a half for which `change` has another one.
    fn new(half: i32, change: impl Fn(Option<u16>) -> Option<Option<u16>>) -> Changed {
        let of = material("2-2");
        let mut slices = solve(of, RuleSet::Lasca);
        let slices_of = [(0, 4), (0, 3), (0, 2)];
        let (side, columns, number, wrong) = slices_of
            .into_iter()
            .find_map(|(side, columns)| {
                let (index, slice) = (index_of(of, side, columns), &slices[side][columns - 2]);
                (0..index.positions()).find_map(|number| {
                    let placement = index.position(number).placement();
                    let rows: i32 = placement.occupied().into_iter().map(Square::rank).sum();
                    let fits = rows % 2 == half && !placement.must_capture();
                    let wrong = change(slice.distance(number).dtw())?;
                    fits.then_some((side, columns, number, wrong))
                })
            })
            .unwrap();
        let slice = &slices[side][columns - 2];
        let right = slice.distance(number).dtw();
        let wrong = Distance::new(wrong).unwrap();
        let with_wrong = |n| if n == number { wrong } else { slice.distance(n) };
        let changed = SliceValues::from_distances((0..slice.len()).map(with_wrong));
        slices[side][columns - 2] = changed;
        let officers = index_of(of, side, columns).position(number);
        let position = officers.to_position(of.stored_sides()[side]).unwrap();
        Changed { slices, side, columns, position, right }
    }

    /// Writes the table, and says whether the half of the changed value keeps its DTWs.
    fn write(&self, folder: &Path, half: i32) -> bool {
        let table = (material("2-2"), RuleSet::Lasca);
        write_table(folder, table, &self.slices, |_| true);
        let files = Files::read(folder, table.0, table.1);
        let opened = files.table();
        let is_it = |s: &lasca_tablebase::table::SliceInfo| {
            (s.side(), s.columns()) == (self.side, self.columns)
        };
        let slice = opened.slices().iter().position(is_it).unwrap();
        files.dtw[slice_at(&files.dtw, slice) + field::slice::HALVES] >> half & 1 != 0
    }
}

fn rating(dtw: Option<u16>) -> Value {
    match dtw {
        None => json!({"wdl": "draw", "dtw": null}),
        Some(dtw) if dtw % 2 == 0 => json!({"wdl": "loss", "dtw": dtw}),
        Some(dtw) => json!({"wdl": "win", "dtw": dtw}),
    }
}

#[test]
fn verify_tells_a_wrong_distance_in_full() {
    let mut kept = 0;
    for half in 0..2 {
        for win in [0, 1] {
            // The result is right, and takes two plies longer than it should.
            let changed = Changed::new(half, |dtw| {
                dtw.filter(|dtw| dtw % 2 == win && *dtw > 1).map(|dtw| Some(dtw + 2))
            });
            let folder = TempDir::new().unwrap();
            if !changed.write(folder.path(), half) {
                // This half's distances are not stored.
                continue;
            }
            kept += 1;
            let tables = ["--tables", path(&folder)];
            run(&[&["verify", "--bytes-only"], &tables[..]].concat()).exits(0);
            let args = [&["verify", "--json", "--limit", "3000"], &tables[..]].concat();
            let verified = run(&args).exits(1).json().remove(0);
            assert_eq!(verified["bytes_intact"], true);
            assert_eq!(verified["values_right"], false);
            assert_eq!(verified["error"], Value::Null);
            let listed = verified["first_differences"].as_array().unwrap();
            assert_eq!(listed.len() as u64, verified["differences"].as_u64().unwrap());
            let position = changed.position.to_string();
            let wrong = changed.right.map(|dtw| dtw + 2);
            let expected = json!({
                "position": position,
                "stored": rating(wrong),
                "expected": rating(changed.right),
            });
            assert!(listed.contains(&expected), "{expected} in {listed:?}");
            let result = if win == 1 { "win" } else { "loss" };
            let line = format!(
                "  {position}: stored {result} in {}, expected {result} in {}",
                wrong.unwrap(),
                changed.right.unwrap()
            );
            let args = [&["verify", "--limit", "3000"], &tables[..]].concat();
            run(&args).exits(1).prints("bytes intact; VALUES WRONG").prints(&line);
        }
    }
    assert!(kept >= 1);
}

#[test]
fn verify_tells_a_wrong_result_in_full_where_no_distance_is_stored() {
    let mut not_kept = 0;
    type Change = fn(Option<u16>) -> Option<Option<u16>>;
    let changes: [Change; 3] = [
        |dtw| dtw.filter(|dtw| dtw % 2 == 1).map(|_| None),
        |dtw| dtw.is_none().then_some(Some(4)),
        |dtw| dtw.filter(|dtw| dtw % 2 == 0).map(|dtw| Some(dtw + 1)),
    ];
    for half in 0..2 {
        for change in changes {
            let changed = Changed::new(half, change);
            let folder = TempDir::new().unwrap();
            if changed.write(folder.path(), half) {
                continue;
            }
            not_kept += 1;
            let wrong = change(changed.right).unwrap();
            let tables = ["--tables", path(&folder)];
            run(&[&["verify", "--bytes-only"], &tables[..]].concat()).exits(0);
            let args = [&["verify", "--json"], &tables[..]].concat();
            let verified = run(&args).exits(1).json().remove(0);
            assert_eq!(verified["bytes_intact"], true);
            assert_eq!(verified["values_right"], false);
            assert_eq!(verified["differences"], 1);
            let expected = json!([{
                "position": changed.position.to_string(),
                "stored": {"wdl": rating(wrong)["wdl"], "dtw": null},
                "expected": rating(changed.right),
            }]);
            assert_eq!(verified["first_differences"], expected);
            // What was counted when it was written was this wrong value.
            assert_eq!(verified["statistics_right"], false);
            run(&[&["verify"], &tables[..]].concat())
                .exits(1)
                .prints("bytes intact; VALUES WRONG, 1 of 16,264; STATISTICS WRONG")
                .prints(&format!("  {}: stored ", changed.position));
        }
    }
    assert!(not_kept >= 1);
}

#[test]
fn verify_tells_damaged_bytes_from_wrong_values_and_names_the_file() {
    for kind in FileKind::ALL {
        let folder = copies(&["lasca-2-1"]);
        let name = file_name(material("2-1"), RuleSet::Lasca, kind);
        let file = folder.path().join(&name);
        let whole = fs::read(&file).unwrap();
        let mut damaged = whole.clone();
        damaged[field::HEADER_LEN + 5] ^= 0x20;
        for (bytes, part) in
            [(&damaged[..], "page 0 is damaged"), (&whole[..whole.len() - 3], "cut short")]
        {
            fs::write(&file, bytes).unwrap();
            let tables = ["--tables", path(&folder)];
            let args = [&["verify", "--json"], &tables[..]].concat();
            let verified = run(&args).exits(1).json().remove(0);
            assert_eq!(verified["bytes_intact"], false);
            assert_eq!(verified["values_right"], Value::Null);
            assert_eq!(verified["statistics_right"], Value::Null);
            assert_eq!(verified["differences"], Value::Null);
            let error = verified["error"].as_str().unwrap();
            assert!(error.contains(&name) && error.contains(part), "{error}");
            let ran = run(&[&["verify"], &tables[..]].concat()).exits(1);
            let ran = ran.prints("DAMAGED").prints(&format!("{name}: ")).prints(part);
            let named = file.to_str().unwrap();
            assert_eq!(ran.stdout.matches(named).count(), 1, "{}", ran.stdout);
            assert!(!ran.stdout.contains("values"), "{}", ran.stdout);
        }
    }
}

#[test]
fn verify_calls_no_table_damaged_that_it_cannot_read() {
    let folder = copies(&["lasca-2-1"]);
    fs::create_dir(folder.path().join("lasca-1-1.ltbw")).unwrap();
    let tables = ["--tables", path(&folder)];
    let ran = run(&[&["verify"], &tables[..]].concat()).exits(1);
    let ran = ran.prints("1-1 under lasca rules: CANNOT BE READ\n").prints("found a folder");
    let ran = ran.prints("2-1 under lasca rules: bytes intact; values right");
    assert!(!ran.stdout.contains("DAMAGED") && !ran.stdout.contains("generate"), "{}", ran.stdout);
    let verified = run(&[&["verify", "--json"], &tables[..]].concat()).exits(1).json();
    assert_eq!(verified[0]["bytes_intact"], false);
    assert!(verified[0]["error"].as_str().unwrap().contains("lasca-1-1.ltbw"));
}

#[test]
fn verify_finds_wrong_statistics_in_intact_bytes() {
    let folder = copies(&["lasca-2-1"]);
    let of = material("2-1");
    let whole = Files::read(folder.path(), of, RuleSet::Lasca);
    // As many captures as there are not; and what is won in so many plies is won in others.
    let mut more_captures = whole.clone();
    for kind in FileKind::ALL {
        let file = more_captures.of_mut(kind);
        let entry = slice_at(file, 0);
        put(file, entry + field::slice::CAPTURE, 7);
    }
    let mut other_plies = whole.clone();
    let last = first_histogram(&whole.dtw).end - field::HISTOGRAM_ENTRY_LEN;
    put(&mut other_plies.dtw, last, u64_at(&whole.dtw, last) + 2);
    for (mut files, count) in [(more_captures, "capture"), (other_plies, "plies to the end")] {
        files.seal();
        files.put(folder.path(), of, RuleSet::Lasca);
        run(&["stats", "2-1", "--tables", path(&folder)]).exits(0);
        run(&["verify", "--tables", path(&folder)])
            .exits(1)
            .prints("bytes intact; values right, all 2,332; STATISTICS WRONG\n  white, 2 columns, ")
            .prints(&format!("{count}: stored "));
        let verified = run(&["verify", "--json", "--tables", path(&folder)]).exits(1).json();
        assert_eq!(verified[0]["statistics_right"], false);
        assert_eq!(verified[0]["values_right"], true);
        let wrong = &verified[0]["wrong_statistics"][0];
        assert!(wrong["count"].as_str().unwrap().ends_with(count));
    }
}

#[test]
fn statistics_that_cannot_be_are_refused_when_a_table_is_opened() {
    let folder = copies(&["lasca-2-1"]);
    let of = material("2-1");
    let whole = Files::read(folder.path(), of, RuleSet::Lasca);
    let (wdl, dtw) = (slice_at(&whole.wdl, 0), slice_at(&whole.dtw, 0));
    let histogram = first_histogram(&whole.dtw);
    let (first, last) = (histogram.start, histogram.end - field::HISTOGRAM_ENTRY_LEN);
    let huge = u64::MAX;
    use field::slice::{CAPTURE, DRAW, WIN};
    let (of_wdl, of_dtw) = (|at| u64_at(&whole.wdl, at), |at| u64_at(&whole.dtw, at));
    // Where a number is put, and which.
    type Changes<'a> = &'a [(usize, u64)];
    let cases: [(FileKind, &str, Changes); 10] = [
        (FileKind::Wdl, "win + draw + loss", &[(wdl + WIN, huge), (wdl + DRAW, huge)]),
        (FileKind::Wdl, "win + draw + loss", &[(wdl + DRAW, of_wdl(wdl + DRAW) + 1)]),
        (FileKind::Dtw, "win + draw + loss", &[(dtw + DRAW, of_dtw(dtw + DRAW) + 1)]),
        (FileKind::Dtw, "plies should be", &[(first + 8, of_dtw(first + 8) + 1)]),
        (FileKind::Dtw, "plies should be", &[(first + 8, huge)]),
        (FileKind::Wdl, "capture", &[(wdl + CAPTURE, huge)]),
        (FileKind::Dtw, "plies", &[(last, 65_535)]),
        (FileKind::Dtw, "plies", &[(last, 1 << 40)]),
        (FileKind::Dtw, "plies", &[(last, of_dtw(first))]),
        (FileKind::Dtw, "positions", &[(first + 8, 0)]),
    ];
    for (kind, named, changes) in cases {
        let mut files = whole.clone();
        changes.iter().for_each(|&(at, to)| put(files.of_mut(kind), at, to));
        files.seal();
        files.put(folder.path(), of, RuleSet::Lasca);
        for command in ["stats", "verify"] {
            let ran = run(&[command, "2-1", "--tables", path(&folder)]).exits(1);
            let said = ran.stdout + &ran.stderr;
            assert!(said.contains(named), "{command}: {named}: {said}");
            assert!(said.contains(kind.extension()), "{command}: {named}: {said}");
        }
    }
}

#[test]
fn verify_fails_for_a_table_that_is_not_here() {
    let tables = tables();
    let ran = run(&["verify", "5-5", "2-1", "--tables", path(&tables)]).exits(1);
    ran.prints("5-5 under lasca rules: MISSING").prints("2-1 under lasca rules: bytes intact");
    let empty = TempDir::new().unwrap();
    run(&["verify", "--tables", path(&empty)]).exits(1).says("no tables");
    run(&["verify", "0-1", "--tables", path(&empty)]).exits(2);
}

#[test]
fn values_in_temporary_files_are_checked_and_counted_as_those_in_memory() {
    let listed = run(&["list", "--json"]).exits(0).json();
    let table = listed.iter().find(|table| table["material"] == "4-2").unwrap();
    let positions = table["positions"].as_u64().unwrap();
    // What is needed with all values in memory, less one byte.
    let threads = std::thread::available_parallelism().unwrap().get() as u64;
    let work = ((16 << 20) + threads * (8 << 20) + positions / 2).min(256 << 20);
    let memory = (positions + work - 1).to_string();
    for args in [&["verify", "4-2"][..], &["stats", "4-2", "--longest", "3"]] {
        let in_files = [args, &["--memory", &memory]].concat();
        let run_in = |folder: &str| {
            Ran::of(&in_files, &command(&in_files).env("TMPDIR", folder).output().unwrap())
        };
        let folder = TempDir::new().unwrap();
        assert_eq!(run_in(path(&folder)).exits(0).stdout, run(args).exits(0).stdout);
        run_in("/no/folder").exits(2).says("/no/folder: a temporary file for values failed");
    }
}
