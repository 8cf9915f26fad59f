//! The command line's contract: what goes where, the keys of the JSON lines, the exit statuses, and
//! one clear message for bad input of every kind.

#![cfg(feature = "cli")]

mod common;

use assert_cmd::Command;
use common::tables::{
    Files, Slices, field, first_histogram, index_of, material, put, slice_at, solve, u64_at,
    write_table,
};
use lasca_tablebase::rules::{Position, RuleSet, Square};
use lasca_tablebase::table::{Kind, file_name};
use lasca_tablebase::values::SliceValues;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::{Arc, Mutex, Weak, mpsc};
use std::time::Duration;
use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_lasca-tb");

/// A run that has ended.
struct Ran {
    args: String,
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn of(args: &[&str], output: &Output) -> Ran {
        Ran {
            args: args.join(" "),
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout.clone()).unwrap(),
            stderr: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    /// Expects this exit status, one message exactly if it is not 0, and no panic.
    #[track_caller]
    fn exits(self, status: i32) -> Ran {
        let Ran { args, stdout, stderr, .. } = &self;
        assert_eq!(self.status, Some(status), "{args}\n{stdout}\n{stderr}");
        assert!(!stderr.contains("panicked"), "{args}\n{stderr}");
        if status == 2 {
            assert!(stderr.starts_with("lasca-tb: "), "{args}\n{stderr}");
            assert_eq!(stderr.matches("lasca-tb: ").count(), 1, "{args}\n{stderr}");
        }
        self
    }

    #[track_caller]
    fn says(self, part: &str) -> Ran {
        assert!(self.stderr.contains(part), "{}: expected {part:?} in\n{}", self.args, self.stderr);
        self
    }

    #[track_caller]
    fn prints(self, part: &str) -> Ran {
        assert!(self.stdout.contains(part), "{}: expected {part:?} in\n{}", self.args, self.stdout);
        self
    }

    /// The lines of standard output as JSON.
    #[track_caller]
    fn json(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.args(args).env_remove("LASCA_TABLES").timeout(Duration::from_secs(120));
    command
}

fn run(args: &[&str]) -> Ran {
    Ran::of(args, &command(args).output().unwrap())
}

fn run_with_input(args: &[&str], input: impl Into<Vec<u8>>) -> Ran {
    Ran::of(args, &command(args).write_stdin(input).output().unwrap())
}

/// A folder with the tables of up to 5 counters and 3-3 under `lasca` rules, and 2-2 under the
/// others, made once for all tests that run at the same time.
fn tables() -> Arc<TempDir> {
    static SHARED: Mutex<Weak<TempDir>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(tables) = shared.upgrade() {
        return tables;
    }
    let tables = Arc::new(TempDir::new().unwrap());
    let folder = path(&tables);
    run(&["generate", "--up-to", "5", "--tables", folder]).exits(0);
    run(&["generate", "3-3", "--tables", folder]).exits(0);
    for rules in ["bignor", "rejump"] {
        run(&["generate", "2-2", "--rules", rules, "--tables", folder]).exits(0);
    }
    *shared = Arc::downgrade(&tables);
    tables
}

fn path(folder: &TempDir) -> &str {
    folder.path().to_str().unwrap()
}

/// A folder of its own with copies of both files of these tables of [`tables`].
fn copies(names: &[&str]) -> TempDir {
    let (from, to) = (tables(), TempDir::new().unwrap());
    for name in names {
        copy(from.path(), name, to.path(), name);
    }
    to
}

/// Copies both files of a table, maybe under another name.
fn copy(from: &Path, name: &str, to: &Path, new_name: &str) {
    for ending in Kind::ALL.map(Kind::extension) {
        let (from, to) = (from.join(name), to.join(new_name));
        fs::copy(from.with_extension(ending), to.with_extension(ending)).unwrap();
    }
}

/// Writes the values of 2-1 under `rejump` rules into a table that says it is of `lasca` rules: its
/// bytes are intact, and its values wrong.
fn write_wrong_table(folder: &Path) {
    let solved = solve(material("2-1"), RuleSet::Rejump);
    write_table(folder, (material("2-1"), RuleSet::Lasca), &solved, |_| true);
}

fn keys(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

fn has_keys(object: &Value, expected: &[&str]) {
    let (mut found, mut expected) = (keys(object), expected.to_vec());
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

// generate

#[test]
fn generate_makes_tables_and_leaves_those_that_are_there() {
    let folder = TempDir::new().unwrap();
    let args = ["generate", "1-2", "2-2", "2-1", "--tables", path(&folder), "--json"];
    let first = run(&args).exits(0).json();
    let materials: Vec<&Value> = first.iter().map(|line| &line["material"]).collect();
    assert_eq!(materials, ["2-1", "2-2"]);
    for line in &first {
        has_keys(
            line,
            &[
                "material",
                "rules",
                "path",
                "positions",
                "bytes",
                "max_dtw",
                "already_there",
                "solved_positions",
                "solving_seconds",
                "total_seconds",
                "solving_positions_per_second",
                "positions_per_second",
                "planned_memory",
                "peak_memory",
            ],
        );
        assert_eq!(line["already_there"], false);
        assert_eq!(line["solved_positions"], line["positions"]);
        let path = Path::new(line["path"].as_str().unwrap());
        assert_eq!(path.extension().unwrap(), Kind::Wdl.extension());
        let len = |kind: Kind| fs::metadata(path.with_extension(kind.extension())).unwrap().len();
        assert_eq!(line["bytes"], len(Kind::Wdl) + len(Kind::Dtw));
    }
    assert_eq!((&first[0]["positions"], &first[0]["max_dtw"]), (&json!(2332), &json!(14)));

    let again = run(&args).exits(0).json();
    assert!(again.iter().all(|line| line["already_there"] == true));
    assert!(again.iter().all(|line| line["positions_per_second"].is_null()));
    assert!(again.iter().all(|line| line["solved_positions"] == 0));
    let names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
}

#[test]
fn generate_says_a_line_a_material() {
    let folder = TempDir::new().unwrap();
    let ran = run(&["generate", "--up-to", "3", "--threads", "1", "--tables", path(&folder)]);
    let ran = ran.exits(0).prints("1-1: 100 positions, up to 10 plies, ");
    assert_eq!(ran.stdout.lines().count(), 2);
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_dry_run_plans_and_writes_nothing() {
    let folder = TempDir::new().unwrap();
    let below = folder.path().join("tables");
    let args = ["generate", "--up-to", "6", "--dry-run", "--tables", below.to_str().unwrap()];
    run(&args).exits(0).prints("to do").prints("3-3");
    let planned = run(&[args.as_slice(), &["--json"]].concat()).exits(0).json();
    assert_eq!(planned.len(), 9);
    for line in &planned {
        let expected = [
            "material",
            "rules",
            "already_there",
            "positions",
            "memory",
            "memory_limit",
            "in_memory",
            "slices",
        ];
        has_keys(line, &expected);
        let slices = line["slices"].as_array().unwrap();
        slices.iter().for_each(|slice| has_keys(slice, &["columns", "positions", "memory"]));
        let sum: u64 = slices.iter().map(|slice| slice["positions"].as_u64().unwrap()).sum();
        assert_eq!(line["positions"], sum);
    }
    assert!(!below.exists());
}

#[test]
fn a_material_that_needs_too_much_memory_is_refused_before_anything_is_begun() {
    let folder = TempDir::new().unwrap();
    let below = folder.path().join("tables");
    let folder = ["--tables", below.to_str().unwrap()];
    let ran = |args: &[&str]| run(&[args, &folder].concat());
    ran(&["generate", "1-1", "4-4", "--memory", "6M"])
        .exits(2)
        .says("4-4 needs at least ")
        .says("--memory allows 6.0 MiB");
    assert!(!below.exists());
    ran(&["generate", "6-6", "--memory", "1G", "--dry-run"])
        .exits(0)
        .prints("too large")
        .says("without --dry-run, this is refused");
    let planned = ran(&["generate", "6-6", "--dry-run", "--json"]).exits(0).json().remove(0);
    if planned["memory_limit"]
        .as_u64()
        .is_some_and(|limit| planned["memory"].as_u64() > Some(limit))
    {
        ran(&["generate", "1-1", "6-6"]).exits(2).says("6-6 needs ").says("this machine has ");
        assert!(!below.exists());
    }
}

#[test]
fn generate_refuses_what_is_no_material() {
    for (material, message) in [
        ("4", "expected a material such as 4-3"),
        ("4-", "expected a material such as 4-3"),
        ("a-b", "expected a material such as 4-3"),
        ("4-3-2", "expected a material such as 4-3"),
        ("0-0", "at least one counter on each side"),
        ("3-0", "at least one counter on each side"),
        ("9-4", "at most 12 counters"),
        ("99999999999999999999-1", "expected a material such as 4-3"),
    ] {
        run(&["generate", "1-1", material, "--tables", "/nowhere"]).exits(2).says(message);
    }
    run(&["generate"]).exits(2).says("MATERIAL");
    run(&["generate", "2-1", "--up-to", "3"]).exits(2).says("--up-to");
    for up_to in ["0", "1", "13", "x", "-3"] {
        run(&["generate", "--up-to", up_to]).exits(2);
    }
    for size in ["", "x", "1X", "1.2.3", "99999999999999999999G"] {
        run(&["generate", "1-1", "--memory", size]).exits(2).says("memory");
    }
    run(&["generate", "1-1", "--threads", "100000"]).exits(2);
    run(&["generate", "1-1", "--threads", "60000", "--tables", "/nowhere"])
        .exits(2)
        .says("expected at most ")
        .says("found 60000");
    run(&["generate", "1-1", "--rules", "chess"]).exits(2).says("rejump");
}

#[test]
fn generate_says_which_folder_cannot_be_written() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let below = file.join("tables");
    run(&["generate", "1-1", "--tables", below.to_str().unwrap()]).exits(2).says("file/tables");
    run(&["generate", "1-1", "--tables", file.to_str().unwrap()]).exits(2).says("file");
}

/// A limit on the size of files stands in for a full disk: both make a write fail half-way.
#[cfg(unix)]
#[test]
fn a_write_that_fails_half_way_leaves_no_table_and_the_next_run_goes_on() {
    let folder = TempDir::new().unwrap();
    let script = r#"trap "" XFSZ; ulimit -f 8; exec "$0" generate 3-2 --tables "$1""#;
    let args = ["-c", script, BINARY, path(&folder)];
    let output = Command::new("sh").args(args).output().unwrap();
    Ran::of(&args, &output).exits(2).says("writing").says("finished work is kept");
    run(&["list", "--tables", path(&folder)]).exits(0).says("no tables");
    let made = run(&["generate", "3-2", "--tables", path(&folder), "--json"]).exits(0).json();
    assert!(made[0]["solved_positions"].as_u64() < made[0]["positions"].as_u64());
    run(&["verify", "3-2", "--tables", path(&folder)]).exits(0);
}

#[test]
fn generate_makes_a_damaged_table_again() {
    for kind in Kind::ALL {
        let folder = copies(&["lasca-2-1"]);
        let (of, rules) = (material("2-1"), RuleSet::Lasca);
        let file = folder.path().join(file_name(of, rules, kind));
        let whole = Files::read(folder.path(), of, rules);
        let bytes = whole.of(kind);
        let mut flipped = bytes.clone();
        // The first byte after the header is of a value: opening does not read it.
        flipped[field::HEADER_LEN] ^= 1;
        for damaged in [Some(&bytes[..bytes.len() / 2]), Some(&flipped), None] {
            match damaged {
                Some(bytes) => fs::write(&file, bytes).unwrap(),
                None => fs::remove_file(&file).unwrap(),
            }
            let args = ["generate", "2-1", "--tables", path(&folder), "--json"];
            let made = run(&args).exits(0).json();
            assert_eq!(made[0]["already_there"], false);
            assert!(Files::read(folder.path(), of, rules) == whole);
        }
    }
}

// probe

#[test]
fn probe_answers_as_the_contract_says() {
    let tables = tables();
    let ran = run(&["probe", "a1WWW b2BBB w", "--json", "--tables", path(&tables)]).exits(0);
    assert_eq!(
        ran.stdout,
        concat!(
            r#"{"position":"a1WWW b2BBB w","wdl":"win","dtw":5,"moves":["#,
            r#"{"move":"a1-b2BB-c3WWWB","position":"b2BB c3WWWB b","wdl":"win","dtw":5}]}"#,
            "\n"
        )
    );
    let ran = run(&[
        "probe",
        "a1WWW",
        "d4BBB,",
        "White",
        "to",
        "move",
        "--json",
        "--tables",
        path(&tables),
    ]);
    assert_eq!(ran.exits(0).json()[0]["dtw"], 21);
    let ran = run(&["probe", "/////BBB,,/WWW,,, w", "--json", "--tables", path(&tables)]);
    assert_eq!(ran.exits(0).json()[0]["position"], "a1WWW b2BBB w");
}

#[test]
fn the_moves_of_a_probe_come_best_first_and_the_first_has_the_value_of_the_position() {
    let tables = tables();
    let probe = |position| {
        let ran = run(&["probe", position, "--json", "--tables", path(&tables)]).exits(0);
        ran.json().remove(0)
    };
    let win = probe("b2B d2W a7W w");
    let distances: Vec<u64> =
        win["moves"].as_array().unwrap().iter().map(|m| m["dtw"].as_u64().unwrap()).collect();
    assert_eq!(distances, [5, 9, 11, 13, 13]);
    let draw = probe("a1W g1W a7B g7B w");
    assert_eq!((&draw["wdl"], &draw["dtw"]), (&json!("draw"), &Value::Null));
    assert_eq!(draw["moves"][0]["wdl"], "draw");
    let over = probe("a1W b2B c3B w");
    assert_eq!(over, json!({"position": "a1W b2B c3B w", "wdl": "loss", "dtw": 0, "moves": []}));
    let over = probe("c3WB w");
    assert_eq!(over, json!({"position": "c3WB w", "wdl": "win", "dtw": 0, "moves": []}));
}

#[test]
fn a_line_goes_to_the_end_of_the_game_or_to_a_repetition() {
    let tables = tables();
    let probe = |position, rules| {
        let args =
            ["probe", position, "--line", "--json", "--rules", rules, "--tables", path(&tables)];
        run(&args).exits(0).json().remove(0)
    };
    let win = probe("a1WWW b2BBB w", "lasca");
    has_keys(&win, &["position", "wdl", "dtw", "moves", "line", "line_end"]);
    let line = win["line"].as_array().unwrap();
    let distances: Vec<u64> = line.iter().map(|m| m["dtw"].as_u64().unwrap()).collect();
    assert_eq!(distances, [5, 4, 3, 2, 1]);
    line.iter().for_each(|played| has_keys(played, &["move", "position", "wdl", "dtw"]));
    assert_eq!((&line[1]["wdl"], &win["line_end"]), (&json!("loss"), &json!("white wins")));
    assert_eq!(probe("a1W b2B c3B w", "lasca")["line_end"], "black wins");
    assert_eq!(probe("a1W g1W a7B g7B w", "lasca")["line_end"], "repetition");
    assert_eq!(probe("a1W g1W a7B g7B w", "bignor")["line_end"], "white wins");
}

#[test]
fn probe_draws_the_board_for_people() {
    let tables = tables();
    run(&["probe", "a1WWW b2BBB w", "--line", "--tables", path(&tables)])
        .exits(0)
        .prints("2   BBB .   .\n1 WWW .   .   .\n")
        .prints("White wins in 5 plies.")
        .prints("  a1-b2BB-c3WWWB  win in 5  b2BB c3WWWB b\n")
        .prints("Best line:\n  1.  a1-b2BB-c3WWWB")
        .prints("White has won.\n");
    let says = |position, verdict| {
        run(&["probe", position, "--tables", path(&tables)]).exits(0).prints(verdict);
    };
    says("a1W b2B c3B w", "White has lost: it cannot move.");
    says("a1WB w", "White has won: Black commands no column.");
    says("a1WB b", "Black has lost: it commands no column.");
    says("a1W g1W a7B g7B w", "Drawn.");
    says("a1W c3B w", "White loses in 2 plies.");
}

#[test]
fn a_position_that_is_none_is_refused_with_where_and_why() {
    let tables = tables();
    for (text, message) in [
        ("", "expected a position"),
        (" ", "expected a position"),
        ("a1W b2B", "side to move"),
        ("a1W b2B x", "side to move"),
        ("26W b2B w", "26"),
        ("0W b2B w", "25 squares"),
        ("h8W b2B w", "h8"),
        ("a2W b2B w", "a2"),
        ("a1W a1B w", "a1"),
        ("a1X b2B w", "X"),
        ("a1 b2B w", ""),
        ("w", ""),
        ("a1W b2B w w", ""),
        ("//// w", ""),
        (",,,,,/,,/,,,/,,/,,,/,,/,,W, w", ""),
        ("\u{1F600}", ""),
    ] {
        for command in ["probe", "moves"] {
            let args = [command, text];
            let folder = ["--tables", path(&tables)];
            let args = if command == "probe" { [args, folder].concat() } else { args.to_vec() };
            let ran = run(&args).exits(2).says(message);
            assert_eq!(ran.stdout, "", "{command} {text}");
            let ran = run(&[args.as_slice(), &["--json"]].concat()).exits(2).says(message);
            has_keys(&ran.json()[0], &["position", "error"]);
            assert_eq!(ran.json()[0]["position"], text);
        }
    }
}

#[test]
fn a_position_that_the_tables_do_not_cover_has_no_answer() {
    let tables = tables();
    for (text, message) in [
        ("a1w c3B w", "soldier on a1"),
        ("a1WBW c3B w", "a1WBW"),
        ("a1WWWW c3BBB w", "generate 4-3"),
        ("a1WWW c3BBBB w", "generate 4-3"),
        ("a1WWWWWWWW c3BBBBB w", "at most 12"),
    ] {
        let ran = run(&["probe", text, "--json", "--tables", path(&tables)]).exits(1).says(message);
        assert_eq!(ran.json()[0]["position"], text);
        assert!(ran.json()[0]["error"].as_str().unwrap().contains(message));
    }
    let bignor = ["--rules", "bignor", "--tables", path(&tables)];
    run(&[&["probe", "a1W c3B w"], &bignor[..]].concat()).exits(1).says("under bignor rules");
}

#[test]
fn every_line_of_input_is_answered_by_one_line() {
    let tables = tables();
    let input =
        b"a1W b2B w\r\n\na1w c3B w\n26W b2B w\n\xff\xfe\nb2W c3B w, x\n  c3WB w  \na1WWWW c3BBB w";
    let args = ["probe", "--stdin", "--json", "--tables", path(&tables)];
    let ran = run_with_input(&args, input.as_slice()).exits(2).says("6 of 8 lines");
    let answers = ran.json();
    let answered: Vec<bool> = answers.iter().map(|line| line["error"].is_null()).collect();
    assert_eq!(answered, [true, false, false, false, false, false, true, false]);
    assert_eq!(answers[1]["position"], "");
    assert_eq!(answers[2]["position"], "a1w c3B w");
    assert_eq!(answers[4]["position"], "\u{fffd}\u{fffd}");

    let ran = run_with_input(&["probe", "--stdin", "--tables", path(&tables)], input.as_slice());
    let ran = ran.exits(2).prints("a1W b2B w: win in 1, a1-b2-c3WB\n");
    assert_eq!(ran.stdout.lines().count(), 8);
    let ran = run_with_input(&["moves", "--stdin"], input.as_slice()).exits(2);
    let ran = ran.prints("a1W b2B w: a1-b2-c3WB\n").prints("c3WB w: no move\n");
    assert_eq!(ran.stdout.lines().count(), 8);
}

#[test]
fn the_exit_status_of_many_lines_is_that_of_the_worst() {
    let tables = tables();
    let status = |input: &str, expected| {
        run_with_input(&["probe", "--stdin", "--tables", path(&tables)], input).exits(expected);
    };
    status("", 0);
    status("a1W b2B w\n", 0);
    status("a1W b2B w\na1w c3B w\n", 1);
    status("x\na1w c3B w\n", 2);
}

#[test]
fn an_endless_line_is_answered_once() {
    let tables = tables();
    let long = ["a".repeat(1 << 20).as_str(), "\na1W b2B w\n"].concat();
    let args = ["probe", "--stdin", "--json", "--tables", path(&tables)];
    let answers = run_with_input(&args, long).exits(2).json();
    assert_eq!(answers.len(), 2);
    assert!(answers[0]["position"].as_str().unwrap().len() < 100);
    assert!(answers[0]["error"].as_str().unwrap().contains("65536 bytes"));
    assert_eq!(answers[1]["dtw"], 1);
    let words: Vec<&str> = ["probe"].into_iter().chain(vec!["a1W"; 2000]).collect();
    run(&words).exits(2);
}

/// Sends parts of lines to `probe --stdin` and waits for an answer after each, which must contain what is
/// said; the command must end with this status.
fn waits_for_each_answer(form: &str, parts: &[(&str, &str)], status: i32) {
    let tables = tables();
    let mut child = std::process::Command::new(BINARY)
        .args(["probe", "--stdin", form, "--tables", path(&tables)])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (send, answers) = mpsc::channel();
    std::thread::spawn(move || stdout.lines().try_for_each(|line| send.send(line.unwrap())));
    for (part, expected) in parts {
        stdin.write_all(part.as_bytes()).unwrap();
        let answer = answers.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(answer.contains(expected), "{answer}");
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(status));
}

#[test]
fn a_program_that_waits_for_each_answer_gets_it() {
    // The second time a line and a half: the first is answered though more is to come.
    let parts = ["a1W b2B w\n", "a1W b2B w\na1W", " b2B w\n"].map(|part| (part, "\"dtw\":1"));
    waits_for_each_answer("--json", &parts, 0);
}

#[test]
fn probing_agrees_with_the_brute_force_solver() {
    let tables = tables();
    let expected: Vec<Vec<String>> = csv("positions.csv");
    let input: String = expected.iter().map(|row| format!("{}\n", row[0])).collect();
    let args = ["probe", "--stdin", "--json", "--tables", path(&tables)];
    let answers = run_with_input(&args, input).exits(0).json();
    assert_eq!(answers.len(), expected.len());
    for (row, answer) in expected.iter().zip(&answers) {
        let dtw = answer["dtw"].as_u64().map_or(String::new(), |dtw| dtw.to_string());
        let found = [&answer["position"], &answer["wdl"]].map(|v| v.as_str().unwrap());
        assert_eq!(*row, [found[0], found[1], &dtw]);
    }
}

/// The rows of a file of test data below its header.
fn csv(name: &str) -> Vec<Vec<String>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    let text = fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(|row| row.split(',').map(str::to_owned).collect()).collect()
}

// stats

#[test]
fn stats_agree_with_the_brute_force_solver() {
    let tables = tables();
    for row in csv("totals.csv") {
        let [rules, material, side] = [0, 1, 2].map(|i| row[i].as_str());
        let args = ["stats", material, "--json", "--rules", rules, "--tables", path(&tables)];
        let stats = run(&args).exits(0).json().remove(0);
        has_keys(&stats, &["material", "rules", "white", "black", "columns"]);
        assert_eq!((&stats["material"], &stats["rules"]), (&json!(material), &json!(rules)));
        let counts = &stats[side];
        has_keys(counts, &["win", "draw", "loss", "max_win", "max_loss", "capture", "histogram"]);
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
fn stats_of_a_table_that_is_not_here_say_how_to_make_it() {
    let tables = tables();
    run(&["stats", "3-4", "--tables", path(&tables)]).exits(1).says("lasca-tb generate 4-3");
    run(&["stats", "0-4", "--tables", path(&tables)]).exits(2).says("at least one counter");
    run(&["stats", "--tables", path(&tables)]).exits(2);
}

// list and verify

#[test]
fn list_shows_each_table() {
    let tables = tables();
    let listed = run(&["list", "--json", "--tables", path(&tables)]).exits(0).json();
    assert_eq!(listed.len(), 9);
    for line in &listed {
        has_keys(
            line,
            &["material", "rules", "path", "bytes", "positions", "max_dtw", "distances"],
        );
    }
    assert_eq!(listed[0]["material"], "1-1");
    run(&["list", "--tables", path(&tables)]).exits(0).prints("301,260");
    let args = ["list", "--json", "--rules", "bignor", "--tables", path(&tables)];
    assert_eq!(run(&args).exits(0).json().len(), 1);
    let empty = TempDir::new().unwrap();
    assert_eq!(run(&["list", "--tables", path(&empty)]).exits(0).says("no tables").stdout, "");
}

#[test]
fn verify_checks_the_bytes_and_the_values() {
    let tables = tables();
    let verified = run(&["verify", "--json", "--tables", path(&tables)]).exits(0).json();
    assert_eq!(verified.len(), 9);
    for line in &verified {
        has_keys(
            line,
            &[
                "material",
                "rules",
                "path",
                "positions",
                "bytes_intact",
                "values_right",
                "differences",
                "first_differences",
                "statistics_right",
                "wrong_statistics",
                "error",
                "seconds",
            ],
        );
        assert_eq!((&line["bytes_intact"], &line["values_right"]), (&json!(true), &json!(true)));
        assert_eq!(line["differences"], 0);
        assert_eq!(
            (&line["statistics_right"], &line["wrong_statistics"]),
            (&json!(true), &json!([]))
        );
    }
    run(&["verify", "2-1", "--tables", path(&tables)])
        .exits(0)
        .prints("2-1 under lasca rules: bytes intact; values right, all 2,332\n");
    let args = ["verify", "2-1", "1-2", "--bytes-only", "--json", "--tables", path(&tables)];
    let verified = run(&args).exits(0).json();
    assert_eq!(verified.len(), 1);
    assert_eq!(verified[0]["values_right"], Value::Null);
}

#[test]
fn verify_finds_wrong_values_in_intact_bytes() {
    let folder = TempDir::new().unwrap();
    write_wrong_table(folder.path());
    run(&["verify", "--bytes-only", "--tables", path(&folder)]).exits(0).prints("bytes intact");
    run(&["verify", "--limit", "2", "--tables", path(&folder)])
        .exits(1)
        .prints("bytes intact; VALUES WRONG")
        .prints(": stored ")
        .prints(" more\n");
    let verified = run(&["verify", "--json", "--tables", path(&folder)]).exits(1).json().remove(0);
    assert_eq!(
        (&verified["bytes_intact"], &verified["values_right"]),
        (&json!(true), &json!(false))
    );
    assert!(verified["differences"].as_u64().unwrap() > 0);
    let first = verified["first_differences"].as_array().unwrap();
    assert!(!first.is_empty() && first.len() <= 10);
    has_keys(&first[0], &["position", "stored", "expected"]);
    has_keys(&first[0]["stored"], &["wdl", "dtw"]);
}

/// The values of 2-2, one of them another one.
struct Changed {
    slices: Slices,
    side: usize,
    columns: usize,
    /// The position of the changed value.
    position: Position,
    right: Option<u16>,
}

impl Changed {
    /// Changes the value of the first quiet position of a half for which `change` has another one.
    fn new(half: i32, change: impl Fn(Option<u16>) -> Option<Option<u16>>) -> Changed {
        let of = material("2-2");
        let mut slices = solve(of, RuleSet::Lasca);
        let slices_of = [(0, 4), (0, 3), (0, 2)];
        let (side, columns, number, wrong) = slices_of
            .into_iter()
            .find_map(|(side, columns)| {
                let (index, slice) = (index_of(of, side, columns), &slices[side][columns - 2]);
                (0..index.positions()).find_map(|number| {
                    let placement = index.position(number).placement();
                    let rows: i32 = placement.occupied().into_iter().map(Square::rank).sum();
                    let fits = rows % 2 == half && !placement.must_capture();
                    let wrong = change(slice.distance(number))?;
                    fits.then_some((side, columns, number, wrong))
                })
            })
            .unwrap();
        let slice = &slices[side][columns - 2];
        let right = slice.distance(number);
        let with_wrong = |n| if n == number { wrong } else { slice.distance(n) };
        let changed = SliceValues::from_distances((0..slice.len()).map(with_wrong));
        slices[side][columns - 2] = changed;
        let officers = index_of(of, side, columns).position(number);
        let position = officers.to_position(of.stored_sides()[side]).unwrap();
        Changed { slices, side, columns, position, right }
    }

    /// Writes the table, and says whether the half of the changed value keeps its DTWs.
    fn write(&self, folder: &Path, half: i32) -> bool {
        let table = (material("2-2"), RuleSet::Lasca);
        write_table(folder, table, &self.slices, |_| true);
        let files = Files::read(folder, table.0, table.1);
        let opened = files.table();
        let is_it = |s: &lasca_tablebase::table::SliceInfo| {
            (s.side(), s.columns()) == (self.side, self.columns)
        };
        let slice = opened.slices().iter().position(is_it).unwrap();
        files.dtw[slice_at(&files.dtw, slice) + field::slice::HALVES] >> half & 1 != 0
    }
}

fn rating(dtw: Option<u16>) -> Value {
    match dtw {
        None => json!({"wdl": "draw", "dtw": null}),
        Some(dtw) if dtw % 2 == 0 => json!({"wdl": "loss", "dtw": dtw}),
        Some(dtw) => json!({"wdl": "win", "dtw": dtw}),
    }
}

#[test]
fn verify_tells_a_wrong_distance_in_full() {
    let mut kept = 0;
    for half in 0..2 {
        for win in [0, 1] {
            // The result is right, and takes two plies longer than it should.
            let changed = Changed::new(half, |dtw| {
                dtw.filter(|dtw| dtw % 2 == win && *dtw > 1).map(|dtw| Some(dtw + 2))
            });
            let folder = TempDir::new().unwrap();
            if !changed.write(folder.path(), half) {
                // This half's distances are not stored.
                continue;
            }
            kept += 1;
            let tables = ["--tables", path(&folder)];
            run(&[&["verify", "--bytes-only"], &tables[..]].concat()).exits(0);
            let args = [&["verify", "--json", "--limit", "3000"], &tables[..]].concat();
            let verified = run(&args).exits(1).json().remove(0);
            assert_eq!(verified["bytes_intact"], true);
            assert_eq!(verified["values_right"], false);
            assert_eq!(verified["error"], Value::Null);
            let listed = verified["first_differences"].as_array().unwrap();
            assert_eq!(listed.len() as u64, verified["differences"].as_u64().unwrap());
            let position = changed.position.to_string();
            let wrong = changed.right.map(|dtw| dtw + 2);
            let expected = json!({
                "position": position,
                "stored": rating(wrong),
                "expected": rating(changed.right),
            });
            assert!(listed.contains(&expected), "{expected} in {listed:?}");
            let result = if win == 1 { "win" } else { "loss" };
            let line = format!(
                "  {position}: stored {result} in {}, expected {result} in {}",
                wrong.unwrap(),
                changed.right.unwrap()
            );
            let args = [&["verify", "--limit", "3000"], &tables[..]].concat();
            run(&args).exits(1).prints("bytes intact; VALUES WRONG").prints(&line);
        }
    }
    assert!(kept >= 1);
}

#[test]
fn verify_tells_a_wrong_result_in_full_where_no_distance_is_stored() {
    let mut not_kept = 0;
    type Change = fn(Option<u16>) -> Option<Option<u16>>;
    let changes: [Change; 3] = [
        |dtw| dtw.filter(|dtw| dtw % 2 == 1).map(|_| None),
        |dtw| dtw.is_none().then_some(Some(4)),
        |dtw| dtw.filter(|dtw| dtw % 2 == 0).map(|dtw| Some(dtw + 1)),
    ];
    for half in 0..2 {
        for change in changes {
            let changed = Changed::new(half, change);
            let folder = TempDir::new().unwrap();
            if changed.write(folder.path(), half) {
                continue;
            }
            not_kept += 1;
            let wrong = change(changed.right).unwrap();
            let tables = ["--tables", path(&folder)];
            run(&[&["verify", "--bytes-only"], &tables[..]].concat()).exits(0);
            let args = [&["verify", "--json"], &tables[..]].concat();
            let verified = run(&args).exits(1).json().remove(0);
            assert_eq!(verified["bytes_intact"], true);
            assert_eq!(verified["values_right"], false);
            assert_eq!(verified["differences"], 1);
            let expected = json!([{
                "position": changed.position.to_string(),
                "stored": {"wdl": rating(wrong)["wdl"], "dtw": null},
                "expected": rating(changed.right),
            }]);
            assert_eq!(verified["first_differences"], expected);
            // What was counted when it was written was this wrong value.
            assert_eq!(verified["statistics_right"], false);
            run(&[&["verify"], &tables[..]].concat())
                .exits(1)
                .prints("bytes intact; VALUES WRONG, 1 of 16,264; STATISTICS WRONG")
                .prints(&format!("  {}: stored ", changed.position));
        }
    }
    assert!(not_kept >= 1);
}

#[test]
fn verify_tells_damaged_bytes_from_wrong_values_and_names_the_file() {
    for kind in Kind::ALL {
        let folder = copies(&["lasca-2-1"]);
        let name = file_name(material("2-1"), RuleSet::Lasca, kind);
        let file = folder.path().join(&name);
        let whole = fs::read(&file).unwrap();
        let mut damaged = whole.clone();
        damaged[field::HEADER_LEN + 5] ^= 0x20;
        for (bytes, part) in
            [(&damaged[..], "page 0 is damaged"), (&whole[..whole.len() - 3], "cut short")]
        {
            fs::write(&file, bytes).unwrap();
            let tables = ["--tables", path(&folder)];
            let args = [&["verify", "--json"], &tables[..]].concat();
            let verified = run(&args).exits(1).json().remove(0);
            assert_eq!(verified["bytes_intact"], false);
            assert_eq!(verified["values_right"], Value::Null);
            assert_eq!(verified["statistics_right"], Value::Null);
            assert_eq!(verified["differences"], Value::Null);
            let error = verified["error"].as_str().unwrap();
            assert!(error.contains(&name) && error.contains(part), "{error}");
            let ran = run(&[&["verify"], &tables[..]].concat()).exits(1);
            let ran = ran.prints("DAMAGED").prints(&format!("{name}: ")).prints(part);
            assert_eq!(ran.stdout.matches(path(&folder)).count(), 1, "{}", ran.stdout);
            assert!(!ran.stdout.contains("values"), "{}", ran.stdout);
        }
    }
}

#[test]
fn verify_finds_wrong_statistics_in_intact_bytes() {
    let folder = copies(&["lasca-2-1"]);
    let of = material("2-1");
    let whole = Files::read(folder.path(), of, RuleSet::Lasca);
    // As many captures as there are not; and what is won in so many plies is won in others.
    let mut more_captures = whole.clone();
    for kind in Kind::ALL {
        let file = more_captures.of_mut(kind);
        let entry = slice_at(file, 0);
        put(file, entry + field::slice::CAPTURE, 7);
    }
    let mut other_plies = whole.clone();
    let last = first_histogram(&whole.dtw).end - field::HISTOGRAM_ENTRY_LEN;
    put(&mut other_plies.dtw, last, u64_at(&whole.dtw, last) + 2);
    for (mut files, count) in [(more_captures, "capture"), (other_plies, "plies to the end")] {
        files.seal();
        files.put(folder.path(), of, RuleSet::Lasca);
        run(&["stats", "2-1", "--tables", path(&folder)]).exits(0);
        run(&["verify", "--tables", path(&folder)])
            .exits(1)
            .prints("bytes intact; values right, all 2,332; STATISTICS WRONG\n  white, 2 columns, ")
            .prints(&format!("{count}: stored "));
        let verified = run(&["verify", "--json", "--tables", path(&folder)]).exits(1).json();
        assert_eq!(verified[0]["statistics_right"], false);
        assert_eq!(verified[0]["values_right"], true);
        let wrong = &verified[0]["wrong_statistics"][0];
        has_keys(wrong, &["side", "columns", "count", "stored", "counted"]);
        assert!(wrong["count"].as_str().unwrap().ends_with(count));
    }
}

#[test]
fn statistics_that_cannot_be_are_refused_when_a_table_is_opened() {
    let folder = copies(&["lasca-2-1"]);
    let of = material("2-1");
    let whole = Files::read(folder.path(), of, RuleSet::Lasca);
    let (wdl, dtw) = (slice_at(&whole.wdl, 0), slice_at(&whole.dtw, 0));
    let histogram = first_histogram(&whole.dtw);
    let (first, last) = (histogram.start, histogram.end - field::HISTOGRAM_ENTRY_LEN);
    let huge = u64::MAX;
    use field::slice::{CAPTURE, DRAW, WIN};
    let (of_wdl, of_dtw) = (|at| u64_at(&whole.wdl, at), |at| u64_at(&whole.dtw, at));
    // Where a number is put, and which.
    type Changes<'a> = &'a [(usize, u64)];
    let cases: [(Kind, &str, Changes); 10] = [
        (Kind::Wdl, "win + draw + loss", &[(wdl + WIN, huge), (wdl + DRAW, huge)]),
        (Kind::Wdl, "win + draw + loss", &[(wdl + DRAW, of_wdl(wdl + DRAW) + 1)]),
        (Kind::Dtw, "win + draw + loss", &[(dtw + DRAW, of_dtw(dtw + DRAW) + 1)]),
        (Kind::Dtw, "plies should come to", &[(first + 8, of_dtw(first + 8) + 1)]),
        (Kind::Dtw, "plies should come to", &[(first + 8, huge)]),
        (Kind::Wdl, "capture", &[(wdl + CAPTURE, huge)]),
        (Kind::Dtw, "plies", &[(last, 65_535)]),
        (Kind::Dtw, "plies", &[(last, 1 << 40)]),
        (Kind::Dtw, "plies", &[(last, of_dtw(first))]),
        (Kind::Dtw, "positions", &[(first + 8, 0)]),
    ];
    for (kind, named, changes) in cases {
        let mut files = whole.clone();
        changes.iter().for_each(|&(at, to)| put(files.of_mut(kind), at, to));
        files.seal();
        files.put(folder.path(), of, RuleSet::Lasca);
        for command in ["stats", "verify"] {
            let ran = run(&[command, "2-1", "--tables", path(&folder)]).exits(1);
            let said = ran.stdout + &ran.stderr;
            assert!(said.contains(named), "{command}: {named}: {said}");
            assert!(said.contains(kind.extension()), "{command}: {named}: {said}");
        }
    }
}

#[test]
fn verify_fails_for_a_table_that_is_not_here() {
    let tables = tables();
    let ran = run(&["verify", "5-5", "2-1", "--tables", path(&tables)]).exits(1);
    ran.prints("5-5 under lasca rules: MISSING").prints("2-1 under lasca rules: bytes intact");
    let empty = TempDir::new().unwrap();
    run(&["verify", "--tables", path(&empty)]).exits(1).says("no tables");
    run(&["verify", "0-1", "--tables", path(&empty)]).exits(2);
}

#[test]
fn a_damaged_table_is_found_by_all_that_read_it() {
    let (of, rules) = (material("3-2"), RuleSet::Lasca);
    let both = Files::read(tables().path(), of, rules);
    for kind in Kind::ALL {
        let name = file_name(of, rules, kind);
        let whole = both.of(kind);
        let flipped = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            bytes
        };
        let damages = [
            ("empty", Vec::new()),
            ("cut short", whole[..whole.len() - 1].to_vec()),
            ("cut to the header", whole[..40].to_vec()),
            ("longer", [whole.as_slice(), b"x"].concat()),
            ("its first byte flipped", flipped(0)),
            ("its header flipped", flipped(9)),
            ("its directory flipped", flipped(slice_at(whole, 1))),
            ("its list of pages flipped", flipped(whole.len() - 1)),
            ("text", b"a1WWW b2BBB w\n".to_vec()),
        ];
        let folder = copies(&["lasca-2-1", "lasca-3-2"]);
        for (damage, bytes) in damages {
            fs::write(folder.path().join(&name), bytes).unwrap();
            let ran = |args: &[&str]| run(&[args, &["--tables", path(&folder)]].concat());
            let listed = ran(&["list", "--json"]).exits(1).json();
            assert_eq!(listed.len(), 2, "{damage}");
            assert_eq!(listed[1]["positions"], Value::Null, "{damage}");
            assert!(listed[1]["error"].is_string(), "{damage}");
            ran(&["list"]).exits(1).prints("damaged: ");
            ran(&["stats", "3-2"]).exits(1).says(&name);
            ran(&["probe", "a1WWW b2BB w"]).exits(1).says(&name);
            ran(&["verify", "3-2"]).exits(1).prints("DAMAGED");
            let verified = ran(&["verify", "--json"]).exits(1).json();
            assert_eq!(
                (&verified[0]["values_right"], &verified[1]["bytes_intact"]),
                (&json!(true), &json!(false))
            );
            // The other table still answers.
            ran(&["probe", "a1WW c3B w"]).exits(0);
        }
    }
}

#[test]
fn a_flipped_bit_anywhere_is_found_by_verify() {
    for kind in Kind::ALL {
        let folder = copies(&["lasca-2-1"]);
        let file = folder.path().join(file_name(material("2-1"), RuleSet::Lasca, kind));
        let whole = fs::read(&file).unwrap();
        let args = ["verify", "--bytes-only", "--tables", path(&folder)];
        for at in (0..whole.len()).step_by(61) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            fs::write(&file, bytes).unwrap();
            run(&args).exits(1).prints("DAMAGED");
        }
    }
}

#[test]
fn a_table_under_another_ones_name_is_found() {
    let folder = TempDir::new().unwrap();
    let from = tables();
    copy(from.path(), "lasca-3-1", folder.path(), "lasca-2-2");
    copy(from.path(), "bignor-2-2", folder.path(), "rejump-2-2");
    run(&["list", "--tables", path(&folder)]).exits(1);
    run(&["probe", "a1WW c3BB w", "--tables", path(&folder)])
        .exits(1)
        .says("lasca-2-2.ltbw: expected the table of 2-2 under lasca rules, found that of 3-1")
        .says("to lasca-3-1.ltbw, or remove");
    run(&["probe", "a1WW c3BB w", "--rules", "rejump", "--tables", path(&folder)]).exits(1).says(
        "rejump-2-2.ltbw: expected the table of 2-2 under rejump rules, found that of 2-2 und",
    );
    run(&["verify", "--tables", path(&folder)]).exits(1);
}

#[test]
fn files_of_two_tables_under_one_name_are_found() {
    let folder = copies(&["lasca-2-1"]);
    let from = tables();
    let to = folder.path().join("lasca-2-1.ltbd");
    fs::copy(from.path().join("lasca-3-1.ltbd"), to).unwrap();
    let ran = |args: &[&str]| run(&[args, &["--tables", path(&folder)]].concat());
    ran(&["probe", "a1WW c3B w"])
        .exits(1)
        .says("lasca-2-1.ltbd: the DTW file was not made with the WDL file beside it");
    ran(&["list"]).exits(1);
    ran(&["verify"]).exits(1).prints("lasca-2-1.ltbd: the DTW file was not made");
}

#[test]
fn a_table_without_its_dtw_file_is_told_from_a_whole_one() {
    let folder = copies(&["lasca-1-1", "lasca-2-1"]);
    fs::remove_file(folder.path().join("lasca-2-1.ltbd")).unwrap();
    let ran = |args: &[&str]| run(&[args, &["--tables", path(&folder)]].concat());
    let listed = ran(&["list", "--json"]).exits(0).json();
    assert_eq!((&listed[1]["positions"], &listed[1]["max_dtw"]), (&json!(2332), &Value::Null));
    assert_eq!((&listed[0]["distances"], &listed[1]["distances"]), (&json!(true), &json!(false)));
    // Who wins is known without it.
    ran(&["probe", "a1WW c3B w"]).exits(0).prints("White wins; the distance is not known");
    assert_eq!(ran(&["probe", "a1WW c3B w", "--brief"]).exits(0).stdout, "win\n");
    assert_eq!(ran(&["probe", "a1WW c3B b", "--brief"]).exits(0).stdout, "loss\n");
    let answer = &ran(&["probe", "a1WW c3B w", "--json"]).exits(0).json()[0];
    let whole = &run(&["probe", "a1WW c3B w", "--json"]).exits(0).json()[0];
    assert_eq!((&answer["wdl"], &answer["dtw"]), (&whole["wdl"], &Value::Null));
    let wdls = |answer: &Value| -> Vec<Value> {
        answer["moves"].as_array().unwrap().iter().map(|m| m["wdl"].clone()).collect()
    };
    assert_eq!(wdls(answer), wdls(whole));
    ran(&["probe", "a1WW c3B w", "--line"]).exits(1).says("lasca-2-1.ltbd is missing");
    ran(&["probe", "a1W c3B w"]).exits(0);
    ran(&["verify", "--bytes-only"]).exits(0);
    ran(&["verify", "2-1"])
        .exits(1)
        .prints("bytes intact; VALUES NOT CHECKED\n")
        .prints("lasca-2-1.ltbw: there is no DTW file");
    assert_eq!(ran(&["verify", "2-1", "--json"]).exits(1).json()[0]["values_right"], Value::Null);
    // A DTW file alone is no table.
    fs::remove_file(folder.path().join("lasca-1-1.ltbw")).unwrap();
    assert_eq!(ran(&["list", "--json"]).exits(0).json().len(), 1);
}

#[test]
fn a_table_of_the_first_format_version_is_named_as_older() {
    let old = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/format-1");
    run(&["probe", "a1WW c3B w", "--tables", old])
        .exits(1)
        .says("lasca-2-1.ltb is of an older format version")
        .says("lasca-tb generate 2-1");
    run(&["verify", "2-1", "--tables", old]).exits(1).prints("MISSING").prints("older");
    run(&["stats", "2-1", "--tables", old]).exits(1).says("older format version");
}

#[cfg(unix)]
#[test]
fn a_pipe_or_folder_with_the_name_of_a_table_is_an_error() {
    let folder = copies(&["lasca-1-1", "lasca-3-2"]);
    let pipe = folder.path().join("lasca-2-1.ltbw");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    fs::create_dir(folder.path().join("lasca-2-2.ltbw")).unwrap();
    let dtw = folder.path().join("lasca-3-2.ltbd");
    fs::remove_file(&dtw).unwrap();
    fs::create_dir(&dtw).unwrap();
    // Links to a table are as good as the table.
    let shipped = tables();
    for name in ["lasca-3-1.ltbw", "lasca-3-1.ltbd"] {
        std::os::unix::fs::symlink(shipped.path().join(name), folder.path().join(name)).unwrap();
    }
    let tables = ["--tables", path(&folder)];
    let listed = run(&[&["list", "--json"], &tables[..]].concat()).exits(1).json();
    let errors: Vec<bool> = listed.iter().map(|line| line["error"].is_string()).collect();
    assert_eq!(errors, [false, true, false, true, true]);
    let ran = |args: &[&str]| run(&[args, &tables[..]].concat());
    ran(&["probe", "a1WW c3B w"]).exits(1).says("expected a regular file, found a pipe");
    ran(&["probe", "a1WW c3BB w"]).exits(1).says("expected a regular file, found a folder");
    ran(&["probe", "a1WWW c3BB w"]).exits(1).says("lasca-3-2.ltbd: expected a regular file");
    ran(&["probe", "a1WWW c3B w"]).exits(0);
    ran(&["verify"]).exits(1).prints("lasca-2-1.ltbw: expected a regular file");
}

// The folders of tables

#[test]
fn the_folder_is_the_option_else_the_variable_else_tables() {
    let tables = tables();
    let elsewhere = copies(&["lasca-1-1"]);
    let empty = TempDir::new().unwrap();
    let list = |args: &[&str], variable: Option<&str>, at: &Path| {
        let mut command = command(&[&["list", "--json"], args].concat());
        command.current_dir(at);
        variable.map(|folder| command.env("LASCA_TABLES", folder));
        Ran::of(args, &command.output().unwrap())
    };
    let count = |ran: Ran| ran.exits(0).json().len();
    assert_eq!(count(list(&[], Some(path(&elsewhere)), empty.path())), 1);
    assert_eq!(count(list(&["--tables", path(&tables)], Some(path(&elsewhere)), empty.path())), 9);
    list(&[], None, empty.path()).exits(1).says("folder of tables tables").says("--tables");
    list(&[], Some(""), empty.path()).exits(1).says("folder of tables tables");
    fs::create_dir(empty.path().join("tables")).unwrap();
    assert_eq!(count(list(&[], None, empty.path())), 0);
}

#[test]
fn tables_may_be_spread_over_folders() {
    let (one, other) = (copies(&["lasca-1-1"]), copies(&["lasca-2-1"]));
    let list = std::env::join_paths([one.path(), other.path()]).unwrap();
    let list = list.to_str().unwrap();
    let input = "a1W c3B w\na1WW c3B w\n";
    for folders in [&["--tables", list][..], &["--tables", path(&one), "--tables", path(&other)]] {
        run_with_input(&[&["probe", "--stdin"], folders].concat(), input).exits(0);
        run(&[&["verify"], folders].concat()).exits(0);
    }
    run(&["probe", "a1WW c3B w", "--tables", path(&one)]).exits(1);
    run(&["probe", "a1WW c3B w", "--tables", ""]).exits(2).says("expected a folder");
    run(&["probe", "a1WW c3B w", "--tables", ":"]).exits(2).says("expected a folder");
}

#[test]
fn without_the_folder_of_tables_each_position_is_answered_with_why() {
    let missing = ["--tables", "no/such/folder"];
    let ran = |args: &[&str]| run(&[args, &missing].concat());
    ran(&["probe", "a1W c3B w"]).exits(1).says("no/such/folder");
    ran(&["probe", "a1W c3B"]).exits(2).says("side to move");
    for command in [&["stats", "2-1"][..], &["list"], &["verify"], &["verify", "2-1"]] {
        ran(command).exits(1).says("no/such/folder");
    }
    let input = "a1W c3B w\na1W\na1W c5B b\n";
    let args = [&["probe", "--stdin", "--json"][..], &missing].concat();
    let answers = run_with_input(&args, input).exits(2).says("3 of 3 lines").json();
    assert_eq!(answers.len(), 3);
    for line in [0, 2] {
        assert!(answers[line]["error"].as_str().unwrap().contains("no/such/folder"));
    }
    // A folder that is there and none is another matter.
    let file = TempDir::new().unwrap();
    let file = file.path().join("file");
    fs::write(&file, "").unwrap();
    run(&["probe", "a1W c3B w", "--tables", file.to_str().unwrap()]).exits(2).says("file");
}

// moves and perft

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

// The whole

#[test]
fn text_for_people_keeps_to_80_columns() {
    let tables = tables();
    let folder = ["--tables", path(&tables)];
    let deep = tables.path().join("a".repeat(70)).join("b".repeat(70));
    fs::create_dir_all(&deep).unwrap();
    copy(tables.path(), "lasca-2-1", &deep, "lasca-2-1");
    let deep = deep.to_str().unwrap();
    let crowded = "a1W c1WB e1W g1W b2W d2BBB f4B a7B c7BW w";
    for args in [
        [&["stats", "3-3"][..], &folder].concat(),
        [&["stats", "2-3"][..], &folder].concat(),
        [&["probe", "c3W d4WB e5BB w", "--line"][..], &folder].concat(),
        [&["generate", "--up-to", "12", "--dry-run"][..], &folder].concat(),
        [&["verify", "3-3"][..], &folder].concat(),
        [&["list"][..], &folder].concat(),
        vec!["list", "--tables", deep],
        vec!["moves", crowded],
        vec!["moves", "b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w"],
        vec!["--help"],
        vec!["-h"],
        vec!["help", "generate"],
        vec!["help", "probe"],
        vec!["help", "certify"],
        vec!["help", "verify"],
        vec!["help", "stats"],
        vec!["help", "list"],
        vec!["help", "moves"],
        vec!["help", "perft"],
    ] {
        let ran = run(&args).exits(0);
        let wide = ran.stdout.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{}", ran.args);
        if ran.args.starts_with("help") {
            assert!(ran.stdout.contains("\nExample"), "{}", ran.args);
        }
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let tables = tables();
    let input = "a1W b2B w\n".repeat(20_000);
    for args in [
        &["probe", "--stdin", "--tables", path(&tables)][..],
        &["stats", "3-2", "--tables", path(&tables)],
        &["--help"],
    ] {
        let mut child = std::process::Command::new(BINARY)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        // It may end before it has read everything.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let ran = Ran::of(args, &output).exits(0);
        assert_eq!(ran.stderr, "", "{}", ran.args);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let tables = tables();
    for args in [&["list", "--tables", path(&tables)][..], &["--help"]] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = std::process::Command::new(BINARY).args(args).stdout(full).output().unwrap();
        Ran::of(args, &output).exits(2).says("cannot write standard output");
    }
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_text_are_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let bad = OsStr::from_bytes(b"a1W\xff b2B w");
    for args in [
        [OsStr::new("probe"), bad],
        [OsStr::new("moves"), bad],
        [OsStr::new("stats"), bad],
        [OsStr::new("generate"), bad],
        [OsStr::new("--rules"), bad],
        [bad, bad],
    ] {
        let output = Command::new(BINARY).args(args).output().unwrap();
        Ran::of(&[], &output).exits(2);
    }
    // A folder may have any name.
    let folder = TempDir::new().unwrap();
    let odd = folder.path().join(OsStr::from_bytes(b"tables\xff"));
    let output =
        Command::new(BINARY).args(["generate", "1-1", "--json", "--tables"]).arg(&odd).output();
    assert_eq!(Ran::of(&[], &output.unwrap()).exits(0).json().len(), 1);
    let output = Command::new(BINARY).args(["list", "--tables"]).arg(&odd).output();
    Ran::of(&[], &output.unwrap()).exits(0);
}

#[test]
fn wrong_usage_is_refused() {
    for args in [
        &["frobnicate"][..],
        &["--frobnicate"],
        &["probe"],
        &["probe", "--stdin", "a1W b2B w"],
        &["verify", "--limit", "x"],
        &["stats", "2-1", "3-1"],
        &["generate", "--dry-run"],
    ] {
        run(args).exits(2);
    }
    assert_eq!(run(&[]).status, Some(2));
    run(&["--version"]).exits(0).prints(env!("CARGO_PKG_VERSION"));
}

// probe --brief

#[test]
fn a_brief_answer_is_the_value_alone() {
    let tables = tables();
    let brief = |position| {
        let args = ["probe", "--brief", position, "--tables", path(&tables)];
        let json = run(&[args.as_slice(), &["--json"]].concat()).exits(0);
        (run(&args).exits(0).stdout, json.stdout)
    };
    for (position, text, wdl, dtw) in [
        ("a1WWW b2BBB w", "win 5", "win", "5"),
        ("a1W g1W a7B g7B w", "draw", "draw", "null"),
        ("a1W c3B w", "loss 2", "loss", "2"),
        ("a1W b2B c3B w", "loss 0", "loss", "0"),
        ("c3WB w", "win 0", "win", "0"),
    ] {
        let json = format!("{{\"position\":\"{position}\",\"wdl\":\"{wdl}\",\"dtw\":{dtw}}}\n");
        assert_eq!(brief(position), (format!("{text}\n"), json));
    }
    let args = ["probe", "--brief", "--row-form", "--json", "a1WWW b2BBB w"];
    let ran = run(&[args.as_slice(), &["--tables", path(&tables)]].concat()).exits(0);
    assert_eq!(ran.json()[0]["position"], "/////BBB,,/WWW,,, w");
    for position in ["a1W", "a1W b2B w"] {
        run(&["probe", "--brief", "--line", position]).exits(2).says("--line");
    }
}

#[test]
fn a_brief_answer_to_what_has_none_begins_with_error() {
    let tables = tables();
    let input = b"a1W b2B w\n\na1w c3B w\n26W b2B w\n\xff\na1WWWW c3BBB w\n  c3WB b";
    let args = ["probe", "--stdin", "--brief", "--tables", path(&tables)];
    let ran = run_with_input(&args, input.as_slice()).exits(2).says("5 of 7 lines");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[6]), (7, "win 1", "loss 0"));
    assert!(lines[1..6].iter().all(|line| line.starts_with("error: ")), "{lines:?}");
    assert_eq!(lines[2], "error: not in the tables: expected officers only, found a soldier on a1");

    let args = [args.as_slice(), &["--json"]].concat();
    let answers = run_with_input(&args, input.as_slice()).exits(2).json();
    for (answer, line) in answers.iter().zip(&lines) {
        match line.strip_prefix("error: ") {
            Some(error) => {
                has_keys(answer, &["position", "error"]);
                assert_eq!(answer["error"], error);
            }
            None => has_keys(answer, &["position", "wdl", "dtw"]),
        }
    }
    let status = |input: &str, expected| {
        run_with_input(&args, input).exits(expected);
    };
    status("a1W b2B w\n", 0);
    status("a1w c3B w\na1W b2B w\n", 1);

    let ran = run(&["probe", "--brief", "a1w c3B w", "--tables", path(&tables)]).exits(1);
    assert_eq!(ran.says("soldier on a1").stdout, "");
}

#[test]
fn brief_answers_are_those_of_the_brute_force_solver() {
    let tables = tables();
    let expected = csv("positions.csv");
    let input: String = expected.iter().map(|row| format!("{}\n", row[0])).collect();
    let args = ["probe", "--stdin", "--brief", "--tables", path(&tables)];
    let answers = run_with_input(&args, input).exits(0).stdout;
    assert_eq!(answers.lines().count(), expected.len());
    for (row, answer) in expected.iter().zip(answers.lines()) {
        assert_eq!(answer, format!("{} {}", row[1], row[2]).trim_end(), "{}", row[0]);
    }
}

#[test]
fn an_engine_that_waits_for_each_brief_answer_gets_it() {
    let parts = [("a1W b2B w\n", "win 1"), ("a1W\n", "error: "), ("a1W b2B w\na1W", "win 1")];
    waits_for_each_answer("--brief", &parts, 2);
}
