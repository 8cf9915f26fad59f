//! `lasca-tb moves` and `lasca-tb perft`.

#[cfg(target_os = "linux")]
use crate::run::{OnTerminal, signal};
use crate::run::{has, run, run_with_input};
use serde_json::json;

#[test]
fn moves_need_no_table_and_take_any_counters() {
    let moves = |position: &str, rules: &str| {
        run(format!("moves '{position}' --json --rules {rules}")).exits(0).answer()
    };
    assert_eq!(
        moves("a1W b2BB w", "lasca"),
        json!({"position": "a1W b2BB w", "moves": [{"move": "a1-b2B-c3WB", "position": "b2B c3WB b"}]})
    );
    assert_eq!(moves("a1W b2BB w", "rejump")["moves"][0]["position"], "a1WBB b");
    for (position, count) in
        [("c3W d4BBB d6BB b6BB b4BB w", 2), ("a1WBw c5b w", 1), ("a1W w", 0), ("start", 6)]
    {
        assert_eq!(moves(position, "lasca")["moves"].as_array().unwrap().len(), count);
    }
    run("moves a1w c3b w").exits(0).prints("1 move:\n  a1-b2  b2w c3b b\n");
}

#[test]
fn positions_are_written_in_row_form_where_that_is_asked_for() {
    let (asked, after) = ("/////BBB,,/WWW,,, w", "////,WWWB,,/BB,,/ b");
    for command in ["moves", "probe --line"] {
        let line = format!("{command} --row-form --json 'A1WWW b2BBB W'");
        let answer = run(line).exits(0).answer();
        assert_eq!(answer["position"], asked);
        has(&answer["moves"][0], json!({"position": after, "move": "a1-b2BB-c3WWWB"}));
        assert!(answer.get("line").is_none_or(|line| line[0]["position"] == after), "{answer}");
    }
    let ran = run(format!("moves '{asked}' --row-form")).exits(0);
    ran.prints("1 move:\n  a1-b2BB-c3WWWB  ////,WWWB,,/BB,,/ b\n");
    let ran = run_with_input("probe --stdin --row-form", "a1WWW b2BBB w\n").exits(0);
    ran.prints("/////BBB,,/WWW,,, w: win in 5");
}

#[cfg(target_os = "linux")]
#[test]
fn a_count_without_end_stops_at_ctrl_c() {
    let mut running = OnTerminal::start("perft start 100");
    running.shows(" % of the work");
    signal(&running.child, "INT");
    let ended = running.ended().exits(1);
    let said = ended.says("lasca-tb: stopped after ").says(" sequences, about 0.00 % of the work");
    assert_eq!(said.stdout, "");
}
