//! The lines that programs exchange with this one: what is written is what `docs/output.schema.json`
//! says, and what `docs/PROTOCOL.md` shows.

use crate::common::python::{python, script};
use crate::run::{copies, has_keys, path, run_with_input};
use crate::schemas::OUTPUT;
use crate::{BINARY, ROOT};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap()
}

/// The answers to lines of input, which are as the schema says.
fn answers(args: &[&str], lines: &str) -> Vec<Value> {
    run_with_input(&[args, &["--stdin", "--json"]].concat(), lines).json()
}

/// Positions won, drawn, lost and over, and lines that have no answer.
fn lines() -> String {
    let csv = read("tests/data/positions.csv");
    let positions = csv.lines().skip(1).step_by(10).map(|row| row.split(',').next().unwrap());
    let others =
        ["a1W b2B c3B w", "c3WB w", "protocol", "", "a1w c3B w", "a1WWWW c3BBB w", "26W w"];
    positions.chain(others).map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_options_say_which_keys_an_answer_has() {
    let lines = lines();
    // In the folder of the source, there may be tables for other rules too.
    let tables =
        copies(&["1-1", "2-1", "2-2", "3-1", "3-2", "4-1"].map(|of| format!("lasca-{of}")));
    let by_search = ["--rules", "bignor", "--seconds", "0.01"];
    let searched = "at_most excluded positions seconds";
    for (args, expected, of_moves) in [
        (&["probe"][..], "wdl dtw moves", "wdl dtw"),
        (&["probe", "--line"], "wdl dtw moves line line_end", "wdl dtw"),
        (&["probe", "--row-form"], "wdl dtw moves", "wdl dtw"),
        (&["probe", "--brief"], "wdl dtw", ""),
        (&["explain"], "wdl dtw moves", "wdl dtw standing line line_end replies holding"),
        (&["moves"], "moves", ""),
        (&["solve", "--seconds", "0.01"], "wdl dtw line line_end", ""),
        (
            &["solve", "--moves", "--exact", "--seconds", "0.01"],
            "wdl dtw moves line line_end",
            "wdl dtw",
        ),
        (&["probe", "--rules", "bignor"], "wdl dtw moves", "wdl dtw"),
        (&[&["probe"][..], &by_search].concat(), "wdl dtw moves", "wdl dtw"),
        (
            &[&["probe", "--line"][..], &by_search].concat(),
            "wdl dtw moves line line_end",
            "wdl dtw",
        ),
        (&[&["probe", "--brief"][..], &by_search].concat(), "wdl dtw", ""),
        (
            &[&["explain"][..], &by_search].concat(),
            "wdl dtw moves",
            "wdl dtw standing line line_end replies holding",
        ),
    ] {
        let answers = answers(&[args, &["--tables", path(&tables)]].concat(), &lines);
        assert_eq!(answers.len(), lines.lines().count());
        let (mut greetings, mut errors, mut others) = (0, 0, 0);
        for answer in &answers {
            if answer.get("error").is_some() {
                errors += 1;
            } else if answer.get("protocol").is_some() {
                greetings += 1;
            } else {
                // A game that is over needs no search, except of the command that only searches.
                let is_searched = answer.get("seconds").is_some();
                let may_be = args[0] == "solve" || args.contains(&"--seconds");
                let must_be = args[0] == "solve" || (may_be && answer["dtw"] != 0);
                assert!(if is_searched { may_be } else { !must_be }, "{answer}");
                let proved = if is_searched { searched } else { "" };
                let all = format!("position {expected} {proved}");
                has_keys(answer, &all);
                for rated in answer["moves"].as_array().into_iter().flatten() {
                    let proved = if is_searched { "at_most excluded" } else { "" };
                    let all = format!("move position {of_moves} {proved}");
                    has_keys(rated, &all);
                }
                others += 1;
            }
        }
        let has_tables = !args.contains(&"bignor") || args.contains(&"--seconds");
        assert_eq!(greetings, 1);
        assert!(errors >= 2 && (others > 100 || !has_tables), "{args:?}: {errors} {others}");
    }
}

#[cfg(feature = "server")]
#[test]
fn every_answer_of_the_server_is_as_the_schema_says() {
    use std::io::{BufRead, BufReader, Read};
    let mut server = Command::new(BINARY)
        .args(["serve", "--addr", "127.0.0.1:0", "--tables", "tables"])
        .current_dir(ROOT)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let addr = line.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let lines = |target: &str| -> Vec<Value> {
        let mut stream = std::net::TcpStream::connect(&addr).unwrap();
        let request = format!("GET {target} HTTP/1.0\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        body.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let mut found: Vec<(&str, Value)> = [
        ("probe", "/probe?position=c3WW+e3BW+b6B+w"),
        ("explain", "/line?position=c3WW+e3BW+b6B+w"),
        ("moves", "/moves?position=c3WW+e3BW+b6B+w"),
        ("tables", "/tables"),
        ("endings", "/endings?material=3-3&choices=3..&seed=1"),
        ("endings", "/endings?material=2-3&value=draw"),
        ("endings", "/endings?material=1-1&choices=..20"),
        ("refused", "/endings?material=9"),
        ("solve", "/solve?position=a1w+b2b+w&moves=1&exact=1"),
        ("probe", "/probe?position=a1WWWWWW+b2BBBBBB+w"),
        ("explain", "/line?position=x"),
        ("refused", "/probe"),
        ("refused", "/nothing"),
    ]
    .map(|(definition, target)| (definition, lines(target).remove(0)))
    .into();
    let mut progress = lines("/solve?position=a1B+g5bBB+g7WwB+w&moves=1&exact=1&progress=1");
    found.push(("solve", progress.pop().unwrap()));
    assert!(progress.iter().any(|line| line.get("so_far").is_some()), "{progress:?}");
    found.extend(progress.into_iter().map(|line| ("progress", line)));
    server.kill().unwrap();
    server.wait().unwrap();
    found.iter().for_each(|(definition, answer)| OUTPUT.accepts(definition, answer));
}

#[test]
fn the_schema_refuses_what_is_wrong() {
    let right = &answers(&["explain"], "b2B d2W a7W w\n")[0];
    OUTPUT.accepts("Answer", right);
    let wrong = |change: &dyn Fn(&mut Value), why: &str| {
        let mut changed = right.clone();
        change(&mut changed);
        let found = OUTPUT.check("Answer", &changed).unwrap_err();
        assert!(found.contains(why), "expected {why:?} in {found}");
    };
    wrong(&|v| v["wdl"] = json!("won"), "won");
    wrong(&|v| v["wdl"] = json!("draw"), "null");
    wrong(&|v| v["dtw"] = json!(-1), "minimum");
    wrong(&|v| v["dtw"] = json!(2.5), "integer");
    wrong(&|v| v["moves"][1]["standing"] = json!("good"), "good");
    wrong(&|v| v["moves"][0]["line"][0]["move"] = json!("a1"), "minLength 5");
    wrong(&|v| v["moves"][0]["line"][0]["new"] = json!(1), "no key new");
    wrong(&|v| _ = v.as_object_mut().unwrap().remove("position"), "required");
    let half = json!({"position": "c3WB w", "wdl": "win", "dtw": 0, "moves": [], "line": []});
    assert!(OUTPUT.check("Answer", &half).unwrap_err().contains("line_end"));
}

#[test]
fn who_answers_is_told_when_it_is_asked() {
    for (command, rules) in
        [("probe", "lasca"), ("explain", "bignor"), ("moves", "rejump"), ("solve", "lasca")]
    {
        let greeting = json!({
            "protocol": 2,
            "program": "lasca-tb",
            "version": env!("CARGO_PKG_VERSION"),
            "command": command,
            "rules": rules,
        });
        let found = answers(&[command, "--rules", rules], "  protocol \r\nprotocols\n");
        assert_eq!(found[0], greeting);
        assert!(found[1]["error"].is_string());
    }
}

#[test]
fn a_line_has_its_number_and_its_options() {
    let solved = answers(
        &["solve", "--seconds", "60"],
        "id=7 seconds=0 start\nid=18446744073709551615 exact=1 moves=1 a1W b2B w\na1W b2B w\n\
         id=x a1W b2B w\nid=3 seconds=soon a1W b2B w\nid=4 depth=3 start\nid=5\nid=6 x=1 y\n",
    );
    let ids: Vec<Option<u64>> = solved.iter().map(|answer| answer["id"].as_u64()).collect();
    assert_eq!(ids, [Some(7), Some(u64::MAX), None, None, Some(3), Some(4), Some(5), Some(6)]);
    assert_eq!((&solved[0]["wdl"], &solved[1]["wdl"]), (&Value::Null, &json!("win")));
    assert_eq!((&solved[1]["dtw"], solved[1]["moves"].as_array().unwrap().len()), (&json!(1), 1));
    assert_eq!(solved[2].get("moves"), None);
    for (answer, why) in solved[3..].iter().zip([
        "id=: expected a number, found \"x\"",
        "seconds=: expected a number of seconds such as 10 or 0.5, found \"soon\"",
        "depth=: the options of a line are id, seconds, exact, moves",
        "expected a position such as a1WWW b2BBB w, found nothing",
        "x=: the options of a line are id, seconds, exact, moves",
    ]) {
        assert_eq!(answer["error"], why);
    }
    let text = |args: &[&str]| run_with_input(&[args, &["-"]].concat(), "id=3 a1W b2B w\nid=4 x\n");
    text(&["probe"]).prints("id=3 a1W b2B w: win in 1, ").prints("\nid=4 x: no answer: ");
    text(&["probe", "--brief"]).prints("id=3 win 1\nid=4 error: at character 1: ");
    text(&["moves"]).prints("id=3 a1W b2B w: a1-b2-c3WB\n");
    let searched = answers(&["probe", "--seconds", "9"], "seconds=0 start\nmoves=1 start\n");
    assert_eq!(searched[0]["wdl"], Value::Null);
    assert!(searched[1]["error"].as_str().unwrap().ends_with("a line are id, seconds"));
    assert!(answers(&["probe"], "seconds=1 start\n")[0]["error"].is_string());
}

/// Without a limit of time, these searches would go on until the memory is full.
#[test]
fn stop_ends_the_searches_of_the_lines_before_it() {
    let lines = "stop\nid=1 start\nid=2 start\nstop\nid=3 a1W b2B w\nstop\n";
    let args = ["solve", "--stdin", "--json", "--memory", "3G"];
    let found = run_with_input(&args, lines).exits(1).json();
    let known: Vec<(&Value, &Value)> = found.iter().map(|a| (&a["id"], &a["wdl"])).collect();
    let [one, two, three] = [1, 2, 3].map(Value::from);
    assert_eq!(known[..2], [(&one, &Value::Null), (&two, &Value::Null)]);
    // It may have been answered before it was stopped.
    assert_eq!((known.len(), known[2].0), (3, &three));
    // Where nothing is searched, there is nothing to stop.
    assert_eq!(answers(&["probe"], "stop\na1W b2B w\nstop\n").len(), 1);
}

/// `tools/session` waits for each answer before it asks on; `docs/PROTOCOL.md` shows what it says.
#[test]
fn the_session_in_the_documentation_is_as_it_is() {
    let Some(python) = python() else { return };
    let args = ["tools/session", "--program", BINARY, "c1W b2B b6W w"];
    let output = script(python, &args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    let text = read("docs/PROTOCOL.md");
    let (_, shown) = text.split_once("```text\n> protocol\n").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    assert_eq!(format!("> protocol\n{shown}"), said);
}

/// Whether a line is as shown, where `…` stands for anything.
fn is_as_shown(line: &str, shown: &str) -> bool {
    let mut rest = line;
    let has_part = |(i, part): (usize, &str)| match rest.find(part) {
        Some(at) if i > 0 || at == 0 => {
            rest = &rest[at + part.len()..];
            true
        }
        _ => false,
    };
    shown.split('…').enumerate().all(has_part) && (rest.is_empty() || shown.ends_with('…'))
}

#[test]
fn the_lines_in_the_documentation_are_as_they_are() {
    let out = tempfile::tempdir().unwrap();
    let text = read("docs/PROTOCOL.md");
    let mut commands = 0;
    for example in text.split("\n$ lasca-tb ").skip(1) {
        let (example, _) = example.split_once("\n```").unwrap_or((example, ""));
        let (command, lines) = example.split_once('\n').unwrap();
        // What stands in quotes is one word.
        let mut words: Vec<String> = Vec::new();
        for (i, part) in command.split('"').enumerate() {
            match i % 2 {
                0 => words.extend(part.split_whitespace().map(str::to_owned)),
                _ => words.push(part.to_owned()),
            }
        }
        let folder = format!("{}{}", out.path().display(), std::path::MAIN_SEPARATOR);
        for word in words.iter_mut().filter(|word| *word == "proof.txt") {
            word.insert_str(0, &folder);
        }
        let output = Command::new(BINARY)
            .args(&words)
            .current_dir(ROOT)
            .env_remove("LASCA_TABLES")
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap().replace(&folder, "");
        for (i, shown) in lines.lines().enumerate() {
            let found = said.lines().nth(i).unwrap_or_default();
            assert!(is_as_shown(found, shown), "{command}\nexpected {shown}\nfound {found}");
        }
        commands += 1;
    }
    assert_eq!(commands, 12);
}

#[cfg(unix)]
#[test]
fn a_session_without_its_program_says_so_in_a_line() {
    let Some(python) = python() else { return };
    for (program, why) in [
        ("no/such/program", "cannot start no/such/program: No such file"),
        ("/bin/true", "the program has ended: exit status 0"),
        ("/bin/echo", "expected a line of JSON, found another one"),
    ] {
        let output = script(python, &["tools/session", "--program", program]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{said}");
        assert!(said.starts_with(&format!("tools/session: {why}")), "{said}");
    }
}
