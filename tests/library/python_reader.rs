//! `tools/read_table.py`, which was written from `docs/FORMAT.md` alone: it finds the value that the
//! library finds, for every position of some tables under each rule set, and refuses damage.
//!
//! It needs a Python with zstd and xxhash; `common::python` says what happens where there is none.

use crate::ROOT;
use crate::common::checker::run_python;
use crate::common::python::{not_checked, script};
use crate::common::tables::generated;
use crate::naive_solver::totals_rows;
use lasca_tablebase::Value;
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::{Color, Position, RuleSet};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::sync::OnceLock;

/// The Python that can run the reader: it needs zstd and xxhash.
fn python() -> Option<&'static str> {
    static HAS_PACKAGES: OnceLock<bool> = OnceLock::new();
    let python = crate::common::python::python()?;
    let has_packages = HAS_PACKAGES.get_or_init(|| {
        let (printed, status) = read(&[&shipped("1-1")]);
        let lacks_some = printed.contains("this Python has no ");
        assert!(lacks_some || status == 0, "{printed}");
        !lacks_some
    });
    if !has_packages {
        not_checked(&format!("{python} has no zstd or no xxhash, which tools/read_table.py needs"));
    }
    has_packages.then_some(python)
}

fn shipped(material: &str) -> String {
    format!("{ROOT}/tables/lasca-{material}.ltbw")
}

/// What the reader prints, and its exit status.
fn read(args: &[&str]) -> (String, i32) {
    run_python(&[&["tools/read_table.py"], args].concat(), b"").expect("there is a Python")
}

/// Every position of a side of the material has the value that the library finds.
fn compare_side(python: &str, folder: &Path, tables: &Tablebase, material: &str, side: usize) {
    let rules = tables.rules();
    let table = folder.join(format!("{rules}-{material}.ltbw"));
    let of_library = tables.table(material.parse().unwrap()).unwrap();
    let mut found = [0; 3];
    for columns in of_library.extent().columns() {
        let (side, columns) = (side.to_string(), columns.to_string());
        let args = ["tools/read_table.py", table.to_str().unwrap(), "--all", &side, &columns];
        let mut child = script(python, &args).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while lines.read_line(&mut line).unwrap() > 0 {
            let (text, value) = line.trim_end().split_once(": ").expect(&line);
            let position: Position = text.parse().unwrap();
            let (result, expected) = match tables.value(&position).unwrap() {
                Value::Win(plies) => (0, format!("win {plies}")),
                Value::Draw => (1, "draw".to_owned()),
                Value::Loss(plies) => (2, format!("loss {plies}")),
            };
            assert_eq!(value, expected, "{text} in {}", table.display());
            found[result] += 1;
            line.clear();
        }
        // Its own last word: what it printed is what the directory of the table counts.
        assert!(child.wait().unwrap().success(), "{args:?}");
    }
    let color = Color::ALL[side];
    let sum = |counts: [u64; 3]| counts.iter().sum::<u64>();
    let slices = of_library.slices().iter().filter(|slice| slice.side() == side);
    let there_are = slices.map(|slice| slice.stats().positions()).sum::<u64>();
    assert_eq!(sum(found), there_are, "{rules} {material}, {color} to move");
    let of = (rules, of_library.material(), color);
    for row in totals_rows().iter().filter(|row| (row.rules, row.material, row.side) == of) {
        assert_eq!(found, [row.totals.win, row.totals.draw, row.totals.loss], "{row:?}");
    }
}

fn compare(python: &str, folder: &Path, rules: RuleSet, materials: &[&str]) {
    let tables = &Tablebase::open(folder, rules).unwrap();
    std::thread::scope(|scope| {
        for side in [0, 1] {
            scope.spawn(move || {
                for material in materials {
                    let (white, black) = material.split_once('-').unwrap();
                    if side == 0 || white != black {
                        compare_side(python, folder, tables, material, side);
                    }
                }
            });
        }
    });
}

/// Compares all values of some tables that ship, and checks the bytes of these and of larger ones.
fn read_shipped(materials: &[&str], larger: &[&str]) {
    let Some(python) = python() else { return };
    let folder = Path::new(ROOT).join("tables");
    compare(python, &folder, RuleSet::Lasca, materials);
    for material in [materials, larger].concat() {
        let (printed, status) = read(&[&shipped(material), "--check"]);
        assert!(printed.starts_with("in order: ") && status == 0, "{material}: {printed}");
    }
}

#[test]
fn every_value_and_byte_of_small_shipped_tables_is_that_of_the_library() {
    read_shipped(&["1-1", "2-1", "2-2", "3-1"], &[]);
}

#[test]
#[ignore = "slow: reads files of several pages in Python"]
fn every_value_of_larger_shipped_tables_is_that_of_the_library_and_all_bytes_are_in_order() {
    read_shipped(&["3-2", "4-1"], &["3-3", "4-2", "5-1"]);
}

#[test]
fn every_value_of_the_kept_bounded_table_is_that_of_the_library() {
    let Some(python) = python() else { return };
    let folder = Path::new(ROOT).join("tests/data");
    compare(python, &folder, RuleSet::Lasca, &["11-11"]);
    let table = folder.join("lasca-11-11.ltbw");
    let table = table.to_str().unwrap();
    let (printed, status) = read(&[table, "--check"]);
    assert!(printed.starts_with("in order: ") && status == 0, "{printed}");
    let beyond = "a1WWWWWWWWWWW c1BBBBBB e1BBBBB w";
    let (printed, status) = read(&[table, beyond]);
    assert!(printed.contains("is not in a table of 11-11 with at most 2 columns"), "{printed}");
    assert_eq!(status, 1, "{printed}");
}

#[test]
fn every_value_under_the_other_rules_is_that_of_the_library() {
    let Some(python) = python() else { return };
    for (rules, materials) in [(RuleSet::Bignor, ["2-1"]), (RuleSet::Rejump, ["2-2"])] {
        let folder = generated(&materials, rules);
        compare(python, folder.path(), rules, &materials);
    }
}

#[test]
fn positions_are_answered() {
    let Some(_) = python() else { return };
    let table = &shipped("3-2");
    // The example of the document; with colours exchanged; with a side that commands no column.
    let answered = ["a1WB a5BW b6W w: win 3", "a1BW a5WB b6B b: win 3", "b2WWWBB b: loss 0"];
    let mut args = vec![table.as_str()];
    args.extend(answered.map(|line| line.split_once(": ").unwrap().0));
    assert_eq!(read(&args), (answered.join("\n") + "\n", 0));
    let upper_case = ["A1WB a5BW B6W W", "a1BW A5WB b6B BLACK", "B2WWWBB b"];
    let asked = [&[table.as_str()][..], &upper_case].concat();
    assert_eq!(read(&asked), (answered.join("\n") + "\n", 0));
    args.push("--wdl");
    let without_plies = answered.map(|line| line.rsplit_once(' ').unwrap().0).join("\n");
    assert_eq!(read(&args), (without_plies + "\n", 0));

    for (position, status, why) in [
        ("a1W b2B w", 1, "a position of 1-1 is not in a table of 3-2"),
        ("a1WBW c1WB w", 2, "not officers of its owner over officers of the other side"),
        ("a1Ww c1WBB w", 2, "not officers of its owner over officers of the other side"),
        ("a2W b2B w", 2, "'a2' is no square"),
        ("a1W b2B", 2, "the side to move is w or b"),
        ("start", 2, "the starting position has soldiers"),
    ] {
        let (printed, found) = read(&[table, position]);
        assert!(printed.contains(why), "{printed}");
        assert_eq!(found, status, "{printed}");
    }
}

#[test]
fn damage_is_refused() {
    let Some(_) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let wdl = folder.path().join("lasca-2-1.ltbw");
    let path = wdl.to_str().unwrap();
    let whole = std::fs::read(shipped("2-1")).unwrap();
    let directory = usize::try_from(u64::from_le_bytes(whole[32..40].try_into().unwrap())).unwrap();
    let damaged = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        bytes
    };
    for (bytes, why) in [
        (damaged(0), "this is not a table"),
        (damaged(8), "version 3 is not 2"),
        (damaged(12), "the header does not match its checksum"),
        (damaged(88), "page 0 does not match its checksum"),
        (damaged(directory - 1), "page 0 does not match its checksum"),
        (damaged(directory), "the directory does not match its checksum"),
        (damaged(whole.len() - 1), "the page list does not match its checksum"),
        (whole[..whole.len() - 1].to_vec(), "the file has"),
        (whole[..87].to_vec(), "the file ends in its header"),
        (Vec::new(), "this is not a table"),
    ] {
        std::fs::write(&wdl, bytes).unwrap();
        let (printed, status) = read(&[path, "--check"]);
        assert!(printed.contains(why), "expected {why:?}, found {printed}");
        assert_eq!(status, 1, "{printed}");
    }

    std::fs::write(&wdl, &whole).unwrap();
    assert!(read(&[path, "--check"]).0.starts_with("in order: "));
    std::fs::copy(shipped("2-2").replace("ltbw", "ltbd"), wdl.with_extension("ltbd")).unwrap();
    let (printed, status) = read(&[path, "--check"]);
    assert!(printed.contains("does not belong to") && status == 1, "{printed}");
}
