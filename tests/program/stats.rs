//! `lasca-tb stats`: the counts that every table keeps.

use crate::run::{csv, path, run, tables};
use serde_json::json;

#[test]
fn stats_agree_with_the_brute_force_solver() {
    let tables = tables();
    for row in csv("totals.csv") {
        let [rules, material, side] = [0, 1, 2].map(|i| row[i].as_str());
        let args = ["stats", material, "--json", "--rules", rules, "--tables", path(&tables)];
        let stats = run(&args).exits(0).json().remove(0);
        assert_eq!((&stats["material"], &stats["rules"]), (&json!(material), &json!(rules)));
        let counts = &stats[side];
        let keys = ["win", "draw", "loss", "max_win", "max_loss", "capture"];
        assert_eq!(row[3..], keys.map(|key| counts[key].to_string()), "{rules} {material} {side}");
        let histogram = counts["histogram"].as_array().unwrap();
        let decided: u64 = histogram.iter().map(|entry| entry[1].as_u64().unwrap()).sum();
        assert_eq!(decided, counts["win"].as_u64().unwrap() + counts["loss"].as_u64().unwrap());
    }
}

#[test]
fn stats_by_columns_count_both_sides_to_move() {
    let tables = tables();
    let args = ["stats", "2-2", "--json", "--tables", path(&tables)];
    let stats = run(&args).exits(0).json().remove(0);
    assert_eq!(stats["columns"][0], json!({"columns": 2, "win": 2352, "draw": 0, "loss": 2448}));
    assert_eq!(stats["white"], stats["black"]);
    for material in ["2-2", "2-3"] {
        let args = ["stats", material, "--json", "--tables", path(&tables)];
        let stats = run(&args).exits(0).json().remove(0);
        for key in ["win", "draw", "loss"] {
            let by_columns = stats["columns"].as_array().unwrap().iter();
            let sum: u64 = by_columns.map(|columns| columns[key].as_u64().unwrap()).sum();
            let sides = ["white", "black"].map(|side| stats[side][key].as_u64().unwrap());
            assert_eq!(sum, sides[0] + sides[1]);
        }
    }
}

#[test]
fn the_number_of_zugzwangs_may_be_left_out_before_the_material() {
    let tables = tables();
    let stats = |args: &[&str]| {
        let args = [&["stats", "--tables", path(&tables)], args].concat();
        run(&args).exits(0).stdout
    };
    let expected = stats(&["2-1", "--zugzwang"]);
    assert_eq!(stats(&["--zugzwang", "2-1"]), expected);
    assert_eq!(stats(&["--zugzwang=5", "2-1"]), expected);
    assert_eq!(stats(&["--zugzwang", "5", "2-1"]), expected);
    for (args, found) in [
        (&["2-1", "--zugzwang", "3-1"][..], "found 2-1 and 3-1"),
        (&["--zugzwang", "5"], "found none"),
        (&["2-1", "--zugzwang", "many"], "found \"many\""),
    ] {
        run(&[&["stats"], args].concat()).exits(2).says(found);
    }
}

#[test]
fn runs_without_a_take_are_counted_for_every_won_position() {
    let tables = tables();
    let folder = ["--tables", path(&tables)];
    for material in ["3-2", "2-3", "2-2"] {
        let args = [&["stats", material, "--without-takes"][..], &folder].concat();
        let stats = run(&[&args[..], &["--json"]].concat()).exits(0).json().remove(0);
        let runs = &stats["without_takes"];
        let won = runs["won"].as_array().unwrap();
        let positions: u64 = won.iter().map(|run| run[1].as_u64().unwrap()).sum();
        let wins = ["white", "black"].map(|side| stats[side]["win"].as_u64().unwrap());
        assert_eq!(positions, wins[0] + wins[1]);
        let longest = &runs["longest"];
        assert_eq!(longest["plies"], won.last().unwrap()[0]);
        let position = longest["position"].as_str().unwrap();
        let probed = [&["probe", position, "--brief", "--json"][..], &folder].concat();
        let probed = run(&probed).exits(0).json().remove(0);
        assert_eq!((&probed["wdl"], &probed["dtw"]), (&longest["wdl"], &longest["dtw"]));
        let said = format!("The longest run is {} plies: {position}, win in ", longest["plies"]);
        run(&args).exits(0).prints("\n  0 plies  ").prints(&said);
        // Best play from there has a long run.
        let page = run(&[&["explain", position][..], &folder].concat()).exits(0).stdout;
        let words = page.split_whitespace().collect::<Vec<&str>>().join(" ");
        assert!(words.contains(" plies in a row without a capture)"), "{page}");
    }
}

#[test]
fn stats_of_a_table_that_is_not_here_say_how_to_make_it() {
    let tables = tables();
    run(&["stats", "3-4", "--tables", path(&tables)]).exits(1).says("lasca-tb generate 4-3");
    run(&["stats", "0-4", "--tables", path(&tables)]).exits(2).says("at least one counter");
    run(&["stats", "--tables", path(&tables)]).exits(2);
}
