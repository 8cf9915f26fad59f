//! `lasca-tb solve`.

use crate::run::{path, run, run_with_input, tables};
use serde_json::{Value, json};
use tempfile::TempDir;

/// An ending of fourteen counters that Lasker published in 1911. White wins.
const LASKER: &str = "a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w";

fn solved(args: &[&str], status: i32) -> Value {
    let empty = TempDir::new().unwrap();
    let args = [&["solve", "--json", "--tables", path(&empty)], args].concat();
    run(&args).exits(status).json().remove(0)
}

#[test]
fn an_ending_with_soldiers_is_solved_without_any_table() {
    let answer = solved(&[LASKER, "--exact", "--moves"], 0);
    assert_eq!(answer["position"], LASKER);
    assert_eq!((&answer["wdl"], &answer["excluded"]), (&json!("win"), &json!(["black"])));
    assert_eq!((&answer["dtw"], &answer["at_most"]), (&json!(25), &json!(25)));
    assert_eq!(answer["line"].as_array().unwrap().len(), 25);
    assert_eq!(answer["line"][0]["move"], "c1-b2");
    let moves = answer["moves"].as_array().unwrap();
    let worth: Vec<(&Value, &Value)> = moves.iter().map(|m| (&m["move"], &m["wdl"])).collect();
    let expected = [(json!("c1-b2"), json!("win")), (json!("c1-d2"), json!("loss"))];
    assert_eq!(worth, expected.each_ref().map(|(played, wdl)| (played, wdl)));
    assert_eq!(moves[1]["excluded"], json!(["white"]));
    assert!(answer["positions"].as_u64() > Some(0) && answer["seconds"].as_f64() > Some(0.0));
    let answer = solved(&[LASKER, "--exact"], 0);
    assert_eq!((&answer["dtw"], &answer["at_most"]), (&json!(25), &json!(25)));
    let page = run(&["solve", LASKER, "--exact", "--threads", "1"]).exits(0);
    page.prints("White wins in 25 plies.").prints("Best line known:");
}

#[test]
fn at_a_limit_it_says_what_is_proved_and_no_more() {
    let answer = solved(&["start-of-nothing"], 2);
    assert!(answer["error"].as_str().unwrap().contains("expected"), "{answer}");
    let start = "b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w";
    for limit in [["--seconds", "0"], ["--memory", "4M"]] {
        let answer = solved(&[&[start], &limit[..]].concat(), 1);
        assert_eq!((&answer["wdl"], &answer["dtw"]), (&Value::Null, &Value::Null), "{limit:?}");
        assert_eq!((&answer["at_most"], &answer["line"]), (&Value::Null, &json!([])), "{limit:?}");
    }
    run(&["solve", start, "--seconds", "0"]).exits(1).prints("Open");
    run(&["solve", "a1W b2B w", "--memory", "1"]).exits(2).says("--memory");
    for wrong in
        [["--seconds", "-1"], ["--seconds", "soon"], ["--seconds", "nan"], ["--memory", "x"]]
    {
        run(&[&["solve", "a1W b2B w"], &wrong[..]].concat()).exits(2);
    }
    run(&["solve", "a1W b2B w", "--brief", "--moves"]).exits(2);
    run(&["solve", "a1W b2B w", "--brief", "--json"]).exits(2);
    run(&["solve"]).exits(2);
}

#[test]
fn positions_on_standard_input_are_answered_line_by_line() {
    let tables = tables();
    let input = "a1W b2B w\nc3W c5W e3B e5B b\na1Wb w\na5w b6b c7b w\n";
    for stdin in ["-", "--stdin"] {
        let args = ["solve", stdin, "--brief", "--exact", "--tables", path(&tables)];
        let ran = run_with_input(&args, input).exits(0);
        assert_eq!(ran.stdout, "win 1\ndraw\nwin 0\nloss 0\n");
    }
    let args = ["solve", "-", "--json", "--rules", "bignor"];
    let ran = run_with_input(&args, "a1W b2BB w\n").exits(0);
    assert_eq!(ran.json()[0]["line"][0]["move"], "a1-b2B-c3WB");
}
