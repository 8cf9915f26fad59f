//! `lasca-tb solve`.

use crate::run::{copies, path, run, run_with_input, tables};
use serde_json::{Value, json};
use std::fs;
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
    assert_eq!(answer["line_end"], "white wins");
    let moves = answer["moves"].as_array().unwrap();
    let worth: Vec<(&Value, &Value)> = moves.iter().map(|m| (&m["move"], &m["wdl"])).collect();
    let expected = [(json!("c1-b2"), json!("win")), (json!("c1-d2"), json!("loss"))];
    assert_eq!(worth, expected.each_ref().map(|(played, wdl)| (played, wdl)));
    assert_eq!(moves[1]["excluded"], json!(["white"]));
    assert!(answer["positions"].as_u64() > Some(0) && answer["seconds"].as_f64() > Some(0.0));
    let answer = solved(&[LASKER, "--exact"], 0);
    assert_eq!((&answer["dtw"], &answer["at_most"]), (&json!(25), &json!(25)));
    let page = run(&["solve", LASKER, "--exact", "--threads", "1"]).exits(0);
    page.prints("White wins in 25 plies.").prints("Best line:\n  1.     c1-b2");
}

#[test]
fn what_a_table_or_the_exact_distance_tells_is_no_bound() {
    let tables = tables();
    let folder = ["--tables", path(&tables)];
    let ask =
        |command: &str, args: &[&str]| run(&[&[command], args, &folder[..]].concat()).exits(0);
    // Wins, draws and losses are among the moves of the first. In the last one the game is over.
    for position in ["c3WW e3BW b6B w", "e3BW b4WW b6B b", "a1W g1W a7B g7B w", "a1W b2B c3B w"] {
        let probed = ask("probe", &[position, "--json"]).json().remove(0);
        for exact in [&[][..], &["--exact"]] {
            let args = [&[position, "--json", "--moves"], exact].concat();
            let solved = ask("solve", &args).json().remove(0);
            assert_eq!((&solved["wdl"], &solved["dtw"]), (&probed["wdl"], &probed["dtw"]));
            assert_eq!(solved["at_most"], solved["dtw"]);
            let moves = |of: &Value, distance: &str| {
                let moves = of["moves"].as_array().unwrap().iter();
                let mut moves: Vec<String> =
                    moves.map(|m| format!("{} {} {}", m["move"], m["wdl"], m[distance])).collect();
                moves.sort();
                moves
            };
            assert_eq!(moves(&solved, "at_most"), moves(&probed, "dtw"), "{position}");
        }
    }
    let page = ask("solve", &["c3WW e3BW b6B w", "--moves"]).prints("White wins in 19 plies.");
    page.prints("c3-b4  win in 19 ").prints("c3-d4  loss in 10 ");
    let brief = ["c3WW e3BW b6B w", "--brief"];
    assert_eq!(ask("solve", &brief).stdout, "win\n");
    // Without distances, a table only tells who wins.
    let results = copies(&["lasca-3-2"]);
    fs::remove_file(results.path().join("lasca-3-2.ltbd")).unwrap();
    let bare = ["solve", "c3WW e3BW b6B w", "--json", "--tables", path(&results)];
    let bare = run(&bare).exits(0).json().remove(0);
    assert_eq!((&bare["wdl"], &bare["dtw"]), (&json!("win"), &Value::Null));
    // If a search has found the distance, the best move has it: each that wins so soon, and the only one
    // that loses so late.
    let lost = "c1w e1wb d2Bb d4b d6BBW f6B e7b w";
    for (position, exact, bound) in [
        (LASKER, "c1-b2  win in 25 ", "c1-d2  loss in at most "),
        (lost, "-d6BW-c7WbBbB  loss in 14\n", "loss in at most "),
    ] {
        let empty = TempDir::new().unwrap();
        let args = ["solve", position, "--exact", "--moves", "--threads", "1"];
        run(&[&args[..], &["--tables", path(&empty)]].concat())
            .exits(0)
            .prints(exact)
            .prints(bound);
    }
}

#[test]
fn a_line_that_stops_at_a_table_without_distances_has_no_end() {
    let tables = copies(&["lasca-2-2"]);
    let solve = || {
        let args = ["solve", "a3W a5w g7BB w", "--json", "--tables", path(&tables)];
        let answer = run(&args).exits(0).json().remove(0);
        assert_eq!(answer["wdl"], "draw");
        answer["line_end"].clone()
    };
    assert_eq!(solve(), "repetition");
    fs::remove_file(tables.path().join("lasca-2-2.ltbd")).unwrap();
    assert_eq!(solve(), Value::Null);
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

#[cfg(target_os = "linux")]
#[test]
fn a_search_whose_memory_is_full_names_what_limited_it() {
    use crate::BINARY;
    use crate::run::Ran;
    use std::process::Command;
    let limited = |option: &str| {
        let shell = format!("ulimit -v 100000 && exec \"$0\" solve start {option}");
        let output = Command::new("bash").args(["-c", &shell, BINARY]).output().unwrap();
        Ran::of(&["solve"], &output).exits(1)
    };
    let ran = limited("").prints("The memory was full; only ").prints("free within ulimit -v");
    assert!(!ran.stdout.contains("--memory"), "{}", ran.stdout);
    limited("--memory 8M").prints("The memory was full; --memory allows more.");
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
    let args = ["solve", "-", "--brief", "--tables", path(&tables)];
    let ran = run_with_input(&args, "a1W b2B w\nnonsense\n").exits(2);
    assert!(ran.stdout.starts_with("win\nerror: at character 1: expected"), "{}", ran.stdout);
    let over = solved(&["a1W b2B c3B w", "--exact", "--moves"], 0);
    assert_eq!(
        (&over["dtw"], &over["at_most"], &over["moves"]),
        (&json!(0), &json!(0), &json!([]))
    );
    let args = ["solve", "-", "--json", "--rules", "bignor"];
    let ran = run_with_input(&args, "a1W b2BB w\n").exits(0);
    assert_eq!(ran.json()[0]["line"][0]["move"], "a1-b2B-c3WB");
}

#[test]
fn probe_and_line_search_what_the_tables_do_not_cover() {
    let tables = tables();
    let seconds = ["--seconds", "60", "--tables", path(&tables)];
    let ask = |args: &[&str]| run(&[args, &seconds[..]].concat());
    // The tables answer what they cover, as without the option.
    for args in [&["probe", "b2B d2W a7W w", "--line"][..], &["explain", "b2B d2W a7W w"]] {
        let plain = run(&[args, &["--tables", path(&tables)]].concat()).exits(0);
        assert_eq!(ask(args).exits(0).stdout, plain.stdout);
    }
    let position = "c5w e5W d2b w";
    let answer = ask(&["probe", position, "--line", "--json"]).exits(0).json().remove(0);
    assert_eq!(answer["position"], "d2b c5w e5W w");
    assert_eq!((&answer["wdl"], &answer["dtw"]), (&json!("win"), &json!(5)));
    assert_eq!((&answer["at_most"], &answer["excluded"]), (&json!(5), &json!(["black"])));
    assert_eq!(answer["line"].as_array().unwrap().len(), 5);
    assert_eq!(answer["line_end"], "white wins");
    assert_eq!(answer["moves"].as_array().unwrap().len(), 6);
    assert_eq!(answer["moves"][0]["move"], answer["line"][0]["move"]);
    assert_eq!(answer["moves"][0]["dtw"], 5);
    let page = ask(&["probe", position]).exits(0).prints("White wins in 5 plies.");
    page.prints("e5-d4  win in 5 ").prints("c5-b6  win in at most 9 ");
    assert_eq!(ask(&["probe", position, "--brief"]).exits(0).stdout, "win 5\n");
    let brief = ask(&["probe", position, "--brief", "--json"]).exits(0).json().remove(0);
    assert_eq!((&brief["dtw"], brief.get("moves")), (&json!(5), None));

    let answer = ask(&["explain", position, "--json"]).exits(0).json().remove(0);
    let moves = answer["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 6);
    for (i, step) in moves.iter().enumerate() {
        let plies = step["at_most"].as_u64().unwrap();
        assert_eq!(step["line"].as_array().unwrap().len() as u64, plies - 1, "{step}");
        // No move wins sooner than the position, so the first is the best, if that is known exactly.
        let standing = if i == 0 { "best" } else { "one of several" };
        assert_eq!(
            (&step["line_end"], &step["standing"]),
            (&json!("white wins"), &json!(standing))
        );
    }
    let page = ask(&["explain", position]).exits(0);
    page.prints("White wins in 5 plies.").prints("1... d2-c1 2. d4-c3 c1-b2 3. c3-b2-a1WB 1-0");
    let drawn = ask(&["explain", "c3w c5W e3B e5b b"]).exits(0);
    drawn.prints("Drawn: neither side can force a win.").prints("White holds");

    // Only what is proved is told.
    let start = "b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w";
    for command in ["probe", "explain"] {
        let ran = run(&[command, start, "--seconds", "0.1", "--json"]).exits(1);
        let answer = ran.json().remove(0);
        assert_eq!((&answer["wdl"], &answer["excluded"]), (&Value::Null, &json!([])));
        assert_eq!(answer["moves"].as_array().unwrap().len(), 6);
        run(&[command, start, "--seconds", "soon"]).exits(2);
    }
    assert_eq!(run(&["probe", start, "--seconds", "0", "--brief"]).exits(1).stdout, "open\n");
    let input = "a1w b2B w\nnonsense\nb2B d2W a7W w\n";
    let args = ["probe", "-", "--brief", "--seconds", "9", "--tables", path(&tables)];
    let ran = run_with_input(&args, input).exits(2);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!((lines[0], lines[2]), ("win 1", "win 5"));
    assert!(lines[1].starts_with("error: "), "{lines:?}");
    // Damage is told, and not searched around.
    let damaged = TempDir::new().unwrap();
    std::fs::write(damaged.path().join("lasca-2-1.ltbw"), "damaged").unwrap();
    let args = ["probe", "b2B d2W a7W w", "--seconds", "9", "--tables", path(&damaged)];
    run(&args).exits(1).says("this is not a table");
}
