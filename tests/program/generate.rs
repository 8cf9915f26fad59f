//! `lasca-tb generate`: what it makes, what it leaves alone, and what it refuses.

use crate::common::files::files;
use crate::common::tables::{Files, field};
use crate::run::{Folder, copy, has, run};
use lasca_tablebase::table::FileKind;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

#[test]
fn generate_makes_tables_and_leaves_those_that_are_there() {
    let folder = Folder::empty();
    let first = folder.run("generate 1-2 2-2 2-1 --json").exits(0).quietly().json();
    let materials: Vec<&Value> = first.iter().map(|line| &line["material"]).collect();
    assert_eq!(materials, ["2-1", "2-2"]);
    for line in &first {
        has(line, json!({"already_there": false, "solved_positions": line["positions"]}));
        let path = Path::new(line["path"].as_str().unwrap());
        assert_eq!(path.extension().unwrap(), FileKind::Wdl.extension());
        let len =
            |kind: FileKind| fs::metadata(path.with_extension(kind.extension())).unwrap().len();
        assert_eq!(line["bytes"], len(FileKind::Wdl) + len(FileKind::Dtw));
    }
    has(&first[0], json!({"positions": 2332, "max_dtw": 14}));
    for line in folder.run("generate 1-2 2-2 2-1 --json").exits(0).json() {
        has(&line, json!({"solved_positions": 0}));
        assert_eq!(line["already_there"], true);
    }
    assert_eq!(folder.names().len(), 4);
    let ran = folder.run("generate --up-to 3 --threads 1").exits(0).quietly();
    let ran = ran.prints("1-1: 100 positions, up to 10 plies, ");
    assert_eq!(ran.stdout.lines().count(), 2);
}

/// The materials that a run tells of, in the order of its lines.
fn told(stdout: &str) -> Vec<&str> {
    stdout.lines().map(|line| line.split(':').next().unwrap()).collect()
}

#[test]
fn what_cannot_be_made_ends_a_run_and_the_next_goes_on_there() {
    let folder = Folder::with(&[]);
    fs::create_dir(folder.join(".work")).unwrap();
    folder.write(".work/lasca-3-2", "a file in the place of a folder");
    let line = "generate 4-1 2-1 3-2 2-2";
    let ran = folder.run(line).exits(2).says("lasca-3-2");
    assert_eq!(told(&ran.stdout), ["4-1", "2-1"]);
    folder.remove(".work/lasca-3-2");
    let ran = folder.run(line).exits(0).quietly();
    assert_eq!(told(&ran.stdout), ["4-1", "2-1", "3-2", "2-2"]);
    assert_eq!(files(&folder), files(&Folder::with(&["4-1", "2-1", "3-2", "2-2"])));
    assert!(!folder.join(".work").exists());
}

#[test]
fn a_dry_run_plans_and_writes_nothing() {
    let folder = Folder::empty();
    let line = format!("generate --up-to 6 --dry-run --tables {}", folder.file("tables"));
    run(&line).exits(0).prints("to do").prints("3-3");
    let planned = run(format!("{line} --json")).exits(0).json();
    assert_eq!(planned.len(), 9);
    for line in &planned {
        let slices = line["slices"].as_array().unwrap();
        let sum: u64 = slices.iter().map(|slice| slice["positions"].as_u64().unwrap()).sum();
        assert_eq!(line["positions"], sum);
    }
    assert!(folder.names().is_empty());
}

#[test]
fn a_dry_run_tells_how_long_a_run_takes() {
    let folder = Folder::with(&["2-2"]);
    let planned = folder.run("generate 2-2 4-2 --columns 3 --dry-run --json").exits(0).json();
    assert_eq!(planned[0]["seconds"], Value::Null, "it is there");
    let short = planned[1]["seconds"].as_f64().unwrap();
    let planned = folder.run("generate 3-2 4-2 --dry-run --json").exits(0).json();
    let [long, longest] = [0, 1].map(|at: usize| planned[at]["seconds"].as_f64().unwrap());
    assert!(
        0.0 < short && short < 10.0 && 0.0 < long && 2.0 * long < longest && longest < 1e3,
        "{planned:?}"
    );
    let ends_in_time = |materials: &str| {
        let ran = folder.run(format!("generate {materials} --dry-run")).exits(0);
        let to_do = ran.stdout.lines().find(|line| line.starts_with("to do")).unwrap();
        to_do.ends_with('s')
    };
    assert_eq!(["3-2 4-2", "2-2"].map(ends_in_time), [true, false]);
}

#[test]
fn tables_in_any_folder_are_there_and_new_ones_go_to_the_first() {
    let (first, second) = (Folder::with(&["1-1"]), Folder::with(&["2-1"]));
    let folders = format!("-t {} -t {}", first.name(), second.name());
    let generate = |args: &str| run(format!("generate --up-to 3 {args} {folders}")).exits(0);
    let planned = generate("--dry-run --json").json();
    assert!(planned.iter().all(|line| line["already_there"] == true), "{planned:?}");
    generate("--dry-run").prints("is there");
    generate("").prints("already there");
    let made = generate("--json").json();
    assert!(made[1]["path"].as_str().unwrap().starts_with(second.name()), "{made:?}");
    // The folder that is not written to need not even exist, and the table there counts only if it is
    // sound.
    second.damage("lasca-2-1.ltbd", field::HEADER_LEN..field::HEADER_LEN + 9);
    let made = run(format!("generate 2-1 --json {folders} -t /nowhere")).exits(0).answer();
    assert_eq!(made["already_there"], false);
    assert!(made["path"].as_str().unwrap().starts_with(first.name()), "{made:?}");
    assert!(first.read("lasca-2-1.ltbd") == Files::shipped("2-1").dtw);
    assert_eq!(second.names().len(), 2);
}

#[test]
fn a_sound_table_under_the_name_of_another_is_not_overwritten() {
    let folder = Folder::with(&["2-1"]);
    copy(&folder, "lasca-2-1", &folder, "lasca-3-1");
    for dry_run in ["", "--dry-run"] {
        folder
            .run(format!("generate 2-2 3-1 {dry_run}"))
            .exits(1)
            .says("lasca-3-1.ltbw: expected the table of 3-1 under lasca rules or a smaller one")
            .says("found a sound file of 2-1")
            .says("no work was started");
    }
    assert!(folder.read("lasca-3-1.ltbw") == folder.read("lasca-2-1.ltbw"));
    assert!(folder.read("lasca-3-1.ltbd") == folder.read("lasca-2-1.ltbd"));
    // Nor is it if only one of its files was renamed.
    folder.remove("lasca-3-1.ltbd");
    folder.run("generate 3-1").exits(1).says("sound file of 2-1");
    // A damaged one is of no use to anybody.
    folder.damage("lasca-3-1.ltbw", field::HEADER_LEN..field::HEADER_LEN + 9);
    folder.run("generate 3-1").exits(0);
    assert!(folder.read("lasca-3-1.ltbw") == Files::shipped("3-1").wdl);
}

#[test]
fn generate_makes_a_damaged_table_again() {
    let folder = Folder::with(&["2-1"]);
    for kind in FileKind::ALL {
        let name = format!("lasca-2-1.{}", kind.extension());
        let damages: [&dyn Fn(); 3] = [
            &|| folder.cut(&name, folder.read(&name).len() / 2),
            // The first bytes after the header are of values: opening does not read them.
            &|| folder.damage(&name, field::HEADER_LEN..field::HEADER_LEN + 9),
            &|| folder.remove(&name),
        ];
        for damage in damages {
            damage();
            assert_eq!(folder.run("generate 2-1 --json").answer()["already_there"], false);
            let [wdl, dtw] = ["lasca-2-1.ltbw", "lasca-2-1.ltbd"].map(|name| folder.read(name));
            assert!(Files { wdl, dtw } == Files::shipped("2-1"));
        }
    }
}
