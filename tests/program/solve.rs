//! `lasca-tb solve`, and the searches of `probe` and `explain`.

use crate::LASKER;
use crate::run::{Folder, has, run, run_with_input};
use lasca_tablebase::rules::Position;
use serde_json::json;

#[test]
fn an_ending_with_soldiers_is_solved_without_any_table() {
    let empty = Folder::empty();
    let solve = |args: &str| empty.run(format!("solve '{LASKER}' --exact {args}")).exits(0);
    let answer = solve("--moves --json").answer();
    has(
        &answer,
        json!({
            "position": LASKER, "wdl": "win", "excluded": ["black"], "dtw": 25, "at_most": 25,
            "line_end": "white wins",
        }),
    );
    assert_eq!(answer["line"].as_array().unwrap().len(), 25);
    assert_eq!(answer["line"][0]["move"], "c1-b2");
    let [won, lost] = answer["moves"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    has(won, json!({"move": "c1-b2", "wdl": "win"}));
    has(lost, json!({"move": "c1-d2", "wdl": "loss", "excluded": ["white"]}));
    assert!(answer["positions"].as_u64() > Some(0) && answer["seconds"].as_f64() > Some(0.0));
    has(&solve("--json").answer(), json!({"dtw": 25, "at_most": 25}));
    let page = solve("--threads 1");
    page.prints("White wins in 25 plies.").prints("Best line:\n  1.     c1-b2");
}

#[test]
fn what_a_table_or_the_exact_distance_tells_is_no_bound() {
    let page = run("solve 'c3WW e3BW b6B w' --moves").prints("White wins in 19 plies.");
    page.prints("c3-b4  win in 19 ").prints("c3-d4  loss in 10 ");
    assert_eq!(run("solve 'c3WW e3BW b6B w' --brief").exits(0).stdout, "win\n");
    // If a search has found the distance, the best move has it: each that wins so soon, and the only one
    // that loses so late.
    let empty = Folder::empty();
    let lost = "c1w e1wb d2Bb d4b d6BBW f6B e7b w";
    for (position, exact, bound) in [
        (LASKER, "c1-b2  win in 25 ", "c1-d2  loss in at most "),
        (lost, "-d6BW-c7WbBbB  loss in 14\n", "loss in at most "),
    ] {
        let ran = empty.run(format!("solve '{position}' --exact --moves --threads 1"));
        ran.exits(0).prints(exact).prints(bound);
    }
}

#[test]
fn without_distances_a_table_only_tells_who_wins_and_ends_the_line() {
    let folder = Folder::with(&["2-2", "3-2"]);
    let solve = |position| folder.run(format!("solve '{position}' --json")).exits(0).answer();
    has(&solve("a3W a5w g7BB w"), json!({"wdl": "draw", "line_end": "repetition"}));
    folder.remove("lasca-2-2.ltbd");
    folder.remove("lasca-3-2.ltbd");
    has(&solve("a3W a5w g7BB w"), json!({"wdl": "draw", "line_end": null}));
    has(&solve("c3WW e3BW b6B w"), json!({"wdl": "win", "dtw": null}));
}

#[test]
fn at_a_limit_it_says_what_is_proved_and_no_more() {
    for limit in ["--seconds 0", "--memory 4M"] {
        let answer = run(format!("solve start --json {limit}")).exits(1).answer();
        let start = Position::start().to_string();
        has(
            &answer,
            json!({"position": start, "wdl": null, "dtw": null, "at_most": null, "line": []}),
        );
    }
    for command in ["probe", "explain"] {
        let answer = run(format!("{command} Start --seconds 0.1 --json")).exits(1).answer();
        has(&answer, json!({"wdl": null, "excluded": []}));
        assert_eq!(answer["moves"].as_array().unwrap().len(), 6);
    }
    assert_eq!(run("probe start --seconds 0 --brief").exits(1).stdout, "open\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_search_whose_memory_is_full_names_what_limited_it() {
    use crate::run::Ran;
    let limited = |option: &str| {
        let shell = format!("ulimit -v 100000 && exec \"$0\" solve start {option}");
        let mut bash = std::process::Command::new("bash");
        Ran::of("solve", &bash.args(["-c", &shell, crate::BINARY]).output().unwrap()).exits(1)
    };
    let ran = limited("").prints("The memory was full; only ").prints("free within ulimit -v");
    ran.prints_none_of(&["--memory"]);
    limited("--memory 8M").prints("The memory was full; --memory allows more.");
}

#[test]
fn positions_on_standard_input_are_answered_line_by_line() {
    let input = "a1W b2B w\nc3W c5W e3B e5B b\na1Wb w\na5w b6b c7b w\n";
    let ran = run_with_input("solve - --brief --exact", input).exits(0);
    assert_eq!(ran.stdout, "win 1\ndraw\nwin 0\nloss 0\n");
    let ran = run_with_input("solve - --brief", "a1W b2B w\nnonsense\n").exits(2);
    assert!(ran.stdout.starts_with("win\nerror: at character 1: expected"), "{}", ran.stdout);
    let input = "a1w b2B w\nnonsense\nb2B d2W a7W w\n";
    let ran = run_with_input("probe - --brief --seconds 9", input).exits(2);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!((lines[0], lines[2]), ("win 1", "win 5"));
    assert!(lines[1].starts_with("error: "), "{lines:?}");
    let ran = run_with_input("solve - --json --rules bignor", "a1W b2BB w\n").exits(0);
    assert_eq!(ran.answer()["line"][0]["move"], "a1-b2B-c3WB");
}

#[test]
fn probe_and_explain_search_what_the_tables_do_not_cover() {
    // The tables answer what they cover, as without the option.
    for line in ["probe 'b2B d2W a7W w' --line", "explain 'b2B d2W a7W w'"] {
        let ran = run(format!("{line} --seconds 60")).exits(0);
        assert_eq!(ran.stdout, run(line).exits(0).stdout);
    }
    let ask = |command: &str, args: &str| {
        run(format!("{command} 'c5w e5W d2b w' --seconds 60 {args}")).exits(0)
    };
    let answer = ask("probe", "--line --json").answer();
    let expected = json!({
        "position": "d2b c5w e5W w", "wdl": "win", "dtw": 5, "at_most": 5, "excluded": ["black"],
        "line_end": "white wins",
    });
    has(&answer, expected);
    assert_eq!(answer["line"].as_array().unwrap().len(), 5);
    assert_eq!(answer["moves"].as_array().unwrap().len(), 6);
    has(&answer["moves"][0], json!({"move": answer["line"][0]["move"], "dtw": 5}));
    let page = ask("probe", "").prints("White wins in 5 plies.");
    page.prints("e5-d4  win in 5 ").prints("c5-b6  win in at most 9 ");
    assert_eq!(ask("probe", "--brief").stdout, "win 5\n");

    let answer = ask("explain", "--json").answer();
    let moves = answer["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 6);
    for (i, step) in moves.iter().enumerate() {
        let plies = step["at_most"].as_u64().unwrap();
        assert_eq!(step["line"].as_array().unwrap().len() as u64, plies - 1, "{step}");
        // No move wins sooner than the position, so the first is the best, if that is known exactly.
        let standing = if i == 0 { "best" } else { "one of several" };
        has(step, json!({"line_end": "white wins", "standing": standing}));
    }
    let page = ask("explain", "").prints("White wins in 5 plies.");
    page.prints("1... d2-c1 2. d4-c3 c1-b2 3. c3-b2-a1WB 1-0");
    let drawn = run("explain 'c3w c5W e3B e5b b' --seconds 60").exits(0);
    drawn.prints("Drawn: neither side can force a win.").prints("White holds");
    // Damage is told, and not searched around.
    let damaged = Folder::empty();
    damaged.write("lasca-2-1.ltbw", "damaged");
    damaged.run("probe 'b2B d2W a7W w' --seconds 9").exits(1).says("this is not a table");
}
