//! What `stats` finds in the values, and the page that `report` writes.

use crate::ROOT;
use crate::run::{copies, has_keys, path, run};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Standard output of a run that must end with this status and without a panic, or what it says.
#[track_caller]
fn ends(args: &[&str], status: i32) -> String {
    let ran = run(args).exits(status);
    if status == 0 { ran.stdout } else { ran.stderr }
}

#[track_caller]
fn stats(args: &[&str]) -> Value {
    run(&[&["stats", "--json"], args].concat()).exits(0).json().remove(0)
}

fn sum(list: &Value, side: &str, key: &str) -> u64 {
    let entries = list.as_array().unwrap().iter();
    entries.map(|entry| entry[side][key].as_u64().unwrap()).sum()
}

#[test]
fn what_is_not_asked_for_is_not_there() {
    has_keys(&stats(&["2-1"]), "black columns material rules white");
}

#[test]
fn pieces_and_stackings_add_up_to_each_side() {
    for material in ["2-2", "3-2", "2-3"] {
        let stats = stats(&[material, "--by", "pieces,stackings"]);
        for list in ["pieces", "stackings"] {
            for side in ["white", "black"] {
                for key in ["win", "draw", "loss"] {
                    assert_eq!(sum(&stats[list], side, key), stats[side][key], "{material} {list}");
                }
            }
        }
    }
}

#[test]
fn colours_exchanged_the_counts_are_those_of_the_other_side() {
    let args = ["--by", "pieces", "--zugzwang", "3", "--longest", "3"];
    let (one, other) =
        (stats(&[&["3-2"], &args[..]].concat()), stats(&[&["2-3"], &args[..]].concat()));
    let of_pieces = |stats: &Value, name: &str, side: &str| {
        let mut pieces = stats["pieces"].as_array().unwrap().iter();
        pieces.find(|pieces| pieces["pieces"] == name).unwrap()[side].clone()
    };
    assert_eq!(of_pieces(&one, "2v1", "white"), of_pieces(&other, "1v2", "black"));
    for kind in ["full_point", "half_point"] {
        assert_eq!(one["zugzwangs"][kind]["boards"], other["zugzwangs"][kind]["boards"]);
    }
    assert_eq!(one["longest"][0]["dtw"], other["longest"][0]["dtw"]);
}

#[test]
fn what_is_listed_has_the_value_that_a_probe_gives() {
    for material in ["2-2", "3-2", "2-3"] {
        let stats = stats(&[material, "--longest", "5", "--zugzwang", "5"]);
        let probed = |position: &str| -> Value {
            run(&["probe", position, "--brief", "--json"]).exits(0).json().remove(0)
        };
        let longest = stats["longest"].as_array().unwrap();
        assert_eq!(longest.len(), 5);
        for deep in longest {
            assert_eq!(&probed(deep["position"].as_str().unwrap()), deep);
        }
        let most = ["white", "black"].map(|side| stats[side]["max_win"].as_u64());
        assert_eq!(longest[0]["dtw"].as_u64(), most.into_iter().max().unwrap());
        for kind in ["full_point", "half_point"] {
            for zugzwang in stats["zugzwangs"][kind]["listed"].as_array().unwrap() {
                let position = zugzwang["position"].as_str().unwrap();
                let board = position.strip_suffix(" w").unwrap();
                for (side, letter) in [("white", "w"), ("black", "b")] {
                    let value = probed(&format!("{board} {letter}"));
                    assert_eq!(value["wdl"], zugzwang[side]["wdl"]);
                    assert_eq!(value["dtw"], zugzwang[side]["dtw"]);
                }
            }
        }
    }
}

#[test]
fn without_a_number_five_zugzwangs_of_each_kind_are_listed() {
    let text = ends(&["stats", "3-2", "--zugzwang"], 0);
    assert_eq!(text.matches("loss in").count(), 5 * 2 + 5);
}

#[test]
fn numbers_that_make_no_sense_are_refused() {
    for args in [
        &["stats", "2-1", "--longest", "0"][..],
        &["stats", "2-1", "--longest", "10001"],
        &["stats", "2-1", "--by", "colours"],
        &["report", "--out", "", "2-1"],
        &["report", "--out", "x.html", "0-1"],
    ] {
        ends(args, 2);
    }
}

/// What is open and not closed, in the order of opening; checks that each tag closes the last one.
fn check_nesting(html: &str) {
    const VOID: [&str; 8] = ["meta", "br", "rect", "line", "ellipse", "!DOCTYPE", "link", "img"];
    let mut open: Vec<&str> = Vec::new();
    let style = html.find("<style>").unwrap()..html.find("</style>").unwrap();
    for (at, _) in html.match_indices('<') {
        if style.contains(&at) && at > style.start {
            continue;
        }
        let tag = &html[at + 1..at + html[at..].find('>').unwrap()];
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "near {}", &html[at.saturating_sub(80)..at + 20]);
        } else if !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn a_report_is_one_sound_page_that_needs_nothing_from_outside() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("report.html");
    let tables = copies(&["lasca-1-1", "lasca-2-1", "lasca-3-1", "lasca-2-2"]);
    let report = ["report", "--out", out.to_str().unwrap(), "--tables", path(&tables)];
    assert_eq!(ends(&report, 0), "");
    let html = fs::read_to_string(&out).unwrap();
    check_nesting(&html);
    // A name, which nothing is loaded from.
    let without_name = html.replace(" xmlns=\"http://www.w3.org/2000/svg\"", "");
    for outside in ["<script", "http:", "https:", "url(", "@import", "<link", "<img", "src="] {
        assert!(!without_name.contains(outside), "{outside}");
    }
    for material in ["1-1", "2-1", "3-1", "2-2"] {
        assert!(html.contains(&format!("<h2 id=\"m{material}\">")), "{material}");
    }
    assert_eq!(html.matches("<svg").count(), html.matches("role=\"img\" aria-label=").count());
    assert_eq!(html.matches("<svg").count(), html.matches("</title>").count() - 1);
    assert_eq!(html.matches("<table>").count(), html.matches("<caption>").count());
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing else is left in the folder");

    // The same again, byte for byte, and a material on its own.
    ends(&report, 0);
    assert_eq!(fs::read_to_string(&out).unwrap(), html);
    ends(&[&report[..], &["1-2", "1-2"]].concat(), 0);
    let html = fs::read_to_string(&out).unwrap();
    assert_eq!(html.matches("<h2").count(), 1);
    assert!(html.contains("<h2 id=\"m1-2\">1-2</h2>"));
}

#[test]
fn a_report_that_cannot_be_made_leaves_what_was_there() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("report.html");
    fs::write(&out, "before").unwrap();
    let name = out.to_str().unwrap();
    let said = ends(&["report", "--out", name, "6-6"], 1);
    assert!(said.contains("lasca-tb generate 6-6"), "{said}");
    ends(&["report", "--out", name, "--rules", "rejump"], 1);
    ends(&["report", "--out", name, "--tables", path(&folder)], 1);
    assert_eq!(fs::read_to_string(&out).unwrap(), "before");

    ends(&["report", "--out", path(&folder), "2-1"], 2);
    let nowhere = folder.path().join("nowhere/report.html");
    ends(&["report", "--out", nowhere.to_str().unwrap(), "2-1"], 2);
    assert!(!Path::new(&nowhere).exists());
}

#[test]
fn a_damaged_table_is_named() {
    for damaged in ["lasca-2-1.ltbw", "lasca-2-1.ltbd"] {
        let folder = TempDir::new().unwrap();
        for name in ["lasca-2-1.ltbw", "lasca-2-1.ltbd"] {
            let mut table = fs::read(Path::new(ROOT).join("tables").join(name)).unwrap();
            // The first bytes after the header are values: opening does not read them.
            table[100] ^= u8::from(name == damaged);
            fs::write(folder.path().join(name), table).unwrap();
        }
        let tables = ["--tables", path(&folder)];
        let out = folder.path().join("report.html");
        let report = ["report", "--out", out.to_str().unwrap(), "2-1"];
        for args in [&["stats", "2-1", "--longest", "1"][..], &report] {
            let said = ends(&[args, &tables].concat(), 1);
            assert!(said.contains(damaged) && said.contains("page 0"), "{said}");
        }
        assert!(!out.exists());
    }
}
