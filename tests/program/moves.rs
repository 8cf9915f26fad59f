//! `lasca-tb moves` and `lasca-tb perft`.

#[cfg(target_os = "linux")]
use crate::run::{OnTerminal, signal};
use crate::run::{path, run, run_with_input, tables};
use lasca_tablebase::rules::Position;
use serde_json::json;

#[test]
fn moves_need_no_table_and_take_any_counters() {
    let moves = |position: &str, rules: &str| {
        run(&["moves", position, "--json", "--rules", rules]).exits(0).json().remove(0)
    };
    assert_eq!(
        moves("a1W b2BB w", "lasca"),
        json!({"position": "a1W b2BB w", "moves": [{"move": "a1-b2B-c3WB", "position": "b2B c3WB b"}]})
    );
    assert_eq!(moves("a1W b2BB w", "rejump")["moves"][0]["position"], "a1WBB b");
    let long = moves("c3W d4BBB d6BB b6BB b4BB w", "lasca");
    assert_eq!(long["moves"].as_array().unwrap().len(), 2);
    assert_eq!(moves("a1WBw c5b w", "lasca")["moves"].as_array().unwrap().len(), 1);
    assert_eq!(moves("a1W w", "lasca")["moves"], json!([]));
    run(&["moves", "a1w", "c3b", "w"]).exits(0).prints("1 move:\n  a1-b2  b2w c3b b\n");
    run(&["moves"]).exits(2);
    run(&["moves", "--stdin", "a1w c3b w"]).exits(2);
}

#[test]
fn positions_are_written_in_row_form_where_that_is_asked_for() {
    let tables = tables();
    let folder = ["--tables", path(&tables)];
    let (asked, after) = ("/////BBB,,/WWW,,, w", "////,WWWB,,/BB,,/ b");
    let args = ["a1WWW b2BBB w", "--row-form", "--json"];
    let moves = run(&[&["moves"], &args[..]].concat()).exits(0).json().remove(0);
    let probed = [&["probe", "--line"], &args[..], &folder].concat();
    let probed = run(&probed).exits(0).json().remove(0);
    for answer in [&moves, &probed] {
        assert_eq!(answer["position"], asked);
        assert_eq!(answer["moves"][0]["position"], after);
        assert_eq!(answer["moves"][0]["move"], "a1-b2BB-c3WWWB");
    }
    assert_eq!(probed["line"][0]["position"], after);
    let ran = run(&["moves", asked, "--row-form"]).exits(0);
    ran.prints("1 move:\n  a1-b2BB-c3WWWB  ////,WWWB,,/BB,,/ b\n");
    let args = [&["probe", "--stdin", "--row-form"][..], &folder].concat();
    run_with_input(&args, "a1WWW b2BBB w\n").exits(0).prints("/////BBB,,/WWW,,, w: win in 5");
}

#[test]
fn perft_prints_the_number_alone() {
    let start = "b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w";
    assert_eq!(run(&["perft", start, "4"]).exits(0).stdout, "54\n");
    assert_eq!(run(&["perft", "a1W", "c3B", "w", "0"]).exits(0).stdout, "1\n");
    let one = |rules| run(&["perft", "a1W b2BB w", "1", "--rules", rules]).exits(0).stdout;
    assert_eq!(one("bignor"), "1\n");
    for args in
        [&["a1W c3B w"][..], &["a1W", "c3B", "w"], &["a1W c3B w", "x"], &["a1W c3B w", "101"]]
    {
        let ran = run(&[&["perft"], args].concat()).exits(2);
        ran.says("expected a number of plies from 0 to 100 after the position, found");
    }
    for args in [&["a1W c3B w", "-1"][..], &["a1W c3B w", "99999999999"], &["a1W c3B", "3"]] {
        run(&[&["perft"], args].concat()).exits(2);
    }
}

#[test]
fn start_and_upper_case_stand_for_positions_in_every_command() {
    let start = Position::start().to_string();
    run(&["perft", "start", "4"]).exits(0).prints("54\n");
    let moves = run(&["moves", "start", "--json"]).exits(0).json().remove(0);
    assert_eq!(moves["position"], start.as_str());
    let solved = run(&["solve", "Start", "--seconds", "0", "--json"]).json().remove(0);
    assert_eq!(solved["position"], start.as_str());
    run(&["probe", "start"])
        .exits(1)
        .says("found a soldier on a1")
        .says("a search can answer: lasca-tb solve start");
    let answers =
        run_with_input(&["probe", "--stdin", "--brief"], "A1WWW b2BBB W\nB2BBB a1WWW white");
    assert_eq!(answers.exits(0).stdout, "win 5\n".repeat(2));
    run(&["probe", "A1WWW", "B2BBB", "W", "--row-form"]).exits(0).prints("a1-b2BB-c3WWWB");
}

#[cfg(target_os = "linux")]
#[test]
fn a_count_without_end_stops_at_ctrl_c() {
    let mut running = OnTerminal::start(&["perft", "start", "100"], libc::SIG_DFL);
    running.shows(" % of the work");
    signal(&running.child, "INT");
    let ended = running.ended().exits(1);
    let said = ended.says("lasca-tb: stopped after ").says(" sequences, about 0.00 % of the work");
    assert_eq!(said.stdout, "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_count_that_is_started_with_ctrl_c_ignored_goes_on() {
    let mut running = OnTerminal::start(&["perft", "start", "100"], libc::SIG_IGN);
    running.shows(" % of the work");
    // The second one would end it at once.
    signal(&running.child, "INT");
    signal(&running.child, "INT");
    for _ in 0..5 {
        running.shows(" % of the work");
    }
    signal(&running.child, "KILL");
    assert_eq!(running.ended().status, None);
}
