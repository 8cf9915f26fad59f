//! `/solve` of `lasca-tb serve`: few searches at a time, within limits, and none for a client that is
//! gone.

use crate::common::wait::{PATIENCE, wait_until};
use crate::run::{has, run};
use crate::server::{Server, target};
use crate::{LASKER, START, TOO_MANY_MOVES};
use serde_json::{Value, json};
use std::io::BufRead;
use std::time::Instant;

fn solve(position: &str, more: &str) -> String {
    format!("{}{more}", target("/solve", position))
}

/// An answer without what differs from search to search.
fn result(mut answer: Value) -> Value {
    assert!(answer["seconds"].take().as_f64() >= Some(0.0), "{answer}");
    assert!(answer["positions"].take().is_u64(), "{answer}");
    answer
}

#[test]
fn answers_are_those_of_the_command_line() {
    let server = Server::start(&[]);
    for position in ["a1w b2b w", "a5w b6b c7b w", "a1B g5bBB g7WwB w", "c3WW e3BW b6B w", "a1Wb w"]
    {
        for (more, options) in [
            ("", ""),
            ("&moves=1&exact=0", "--moves"),
            ("&moves=1&exact=1&seconds=60", "--moves --exact"),
        ] {
            // The command line may take longer than a connection may be idle.
            let answer = server.connect().post(&solve(position, more), "", "");
            assert_eq!(answer.status, 200, "{position}");
            let line = format!("solve '{position}' --json --threads 1 --make 0 {options}");
            let printed = run(line).answer();
            assert_eq!(result(answer.json()), result(printed), "{position}");
        }
    }
}

#[test]
fn the_progress_comes_line_by_line_and_the_answer_last() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    client.ask(&solve(LASKER, "&moves=1&exact=1&progress=1"));
    let mut lines = client.lines();
    let last = result(lines.pop().unwrap());
    has(&last, json!({"wdl": "win", "dtw": 25}));
    let mut parts: Vec<&str> =
        lines.iter().map(|line| line["searching"].as_str().unwrap()).collect();
    parts.dedup();
    // Who wins may be found before the lines begin.
    assert!(parts.ends_with(&["distance", "moves"]), "{parts:?}");
    assert!(lines.is_sorted_by(|a, b| a["seconds"].as_f64() <= b["seconds"].as_f64()), "{lines:?}");
    // The connection goes on.
    client.ask(&solve(START, "&progress=1&seconds=0.6"));
    let lines = client.lines();
    assert!(lines.len() >= 2, "{lines:?}");
    assert_eq!(lines.last().unwrap()["wdl"], Value::Null);
}

#[test]
fn searches_end_at_the_limits_with_what_is_proved() {
    let server = Server::start(&["--search-seconds", "1", "--search-memory", "4M"]);
    let begun = Instant::now();
    for more in ["", "&seconds=0.1", "&moves=1&exact=1"] {
        has(&server.get(&solve(START, more)).json(), json!({"wdl": null, "line": []}));
    }
    assert!(begun.elapsed() < PATIENCE);
    let server = Server::start(&["--rules", "rejump"]);
    let refused = server.get(&solve(TOO_MANY_MOVES, "&moves=1")).refuses(400, "at most 4096 legal");
    assert_eq!(refused["reason"], "too_many_moves");
    let open = server.get(&solve(TOO_MANY_MOVES, "")).json();
    has(&open, json!({"wdl": null, "stop": "too_many_moves"}));
}

#[test]
fn who_leaves_ends_the_search_and_positions_are_looked_up_meanwhile() {
    let server = Server::start(&["--searches", "2", "--search-seconds", "3600", "--threads", "1"]);
    let [mut plain, mut lines] = [server.connect(), server.connect()];
    plain.ask_as(1, &solve(START, ""));
    lines.ask_as(2, &solve(START, "&moves=1&progress=1"));
    server.wait_for_searches(2.0);
    assert_eq!(server.ask("/probe", "a1W b2B w").json()["dtw"], 1);
    assert_eq!(server.ask("/moves", START).status, 200);
    drop(plain);
    server.wait_for_searches(1.0);
    assert_eq!(server.get(&solve(LASKER, "")).json()["wdl"], "win");
    drop(lines);
    server.wait_for_searches(0.0);
    for more in ["", "&progress=1"] {
        // Who has closed its half of the connection counts as one who has left.
        let mut half = server.connect();
        half.ask(&solve(START, more));
        server.wait_for_searches(1.0);
        half.close_half();
        server.wait_for_searches(0.0);
    }
    wait_until("both who waited for the beginning of an answer are in the log", || {
        server.logged(" gone ") == 2
    });
}

#[test]
fn each_client_has_one_search_at_a_time_and_others_wait_for_a_place() {
    let server = Server::start(&["--searches", "2", "--search-seconds", "3600"]);
    let ask = |who, more: &str| {
        let mut client = server.connect();
        client.ask_as(who, &solve(START, more));
        client
    };
    let refused = |who, more: &str, why: &str| {
        let answer = ask(who, more).answer(true);
        assert_eq!(answer.refuses(503, why)["reason"], "searches_busy");
        assert_eq!(answer.header("retry-after"), Some("1"));
    };
    let first = ask(1, "");
    server.wait_for_searches(1.0);
    refused(1, "&progress=1", "one search of a client at a time");
    // The second place is for other clients.
    let mut second = ask(2, "&seconds=20");
    server.wait_for_searches(2.0);
    refused(3, "", "at most 2 searches at a time");
    // Who leaves and asks for another search need not wait.
    drop(first);
    assert_eq!(ask(1, "&seconds=0.3").answer(true).json()["stop"], "time");
    second.close_half();
    assert!(second.is_closed());
    server.wait_for_searches(0.0);
}

#[test]
fn a_connection_that_waits_for_a_search_stays_open_and_the_next_client_waits() {
    let server = Server::start(&["--connections", "1", "--patience", "1"]);
    let mut client = server.connect();
    client.ask(&solve(START, "&progress=1&seconds=1.3"));
    // It has begun.
    client.stream.fill_buf().unwrap();
    assert_eq!(server.get("/healthz").status, 200);
    let last = client.lines().pop().unwrap();
    assert!(last["seconds"].as_f64() >= Some(1.2), "{last}");
}

#[test]
fn a_head_starts_no_search() {
    // A search would run for an hour.
    let server = Server::start(&["--search-seconds", "3600"]);
    let mut client = server.connect();
    for (more, kind) in [("", "application/json"), ("&moves=1&progress=1", "application/x-ndjson")]
    {
        let head = client.head(&solve(START, more));
        assert_eq!((head.status, head.header("content-type")), (200, Some(kind)));
        assert_eq!(head.header("content-length"), None);
    }
    for (target, status) in [
        (solve(START, "&exact=2"), 400),
        (solve("nonsense", ""), 400),
        ("/healthz".to_owned(), 200),
    ] {
        assert_eq!(client.head(&target).status, status);
    }
    assert_eq!(server.searches(), 0.0);
    let off = Server::start(&["--searches", "0"]);
    assert_eq!(off.connect().head(&solve(LASKER, "")).status, 404);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_searches_and_they_answer_with_what_is_proved() {
    let server = Server::start(&["--search-seconds", "3600"]);
    let [mut plain, mut lines] = [(); 2].map(|()| server.connect());
    plain.ask_as(1, &solve(START, ""));
    lines.ask_as(2, &solve(START, "&progress=1"));
    server.wait_for_searches(2.0);
    let begun = Instant::now();
    server.signal(libc::SIGTERM);
    assert_eq!(plain.answer(true).json()["wdl"], Value::Null);
    assert_eq!(lines.lines().pop().unwrap()["wdl"], Value::Null);
    let log = server.ended();
    assert!(begun.elapsed() < PATIENCE);
    let answered = log.lines().filter(|line| line.contains("/solve") && line.contains(" 200 "));
    assert_eq!(answered.count(), 2, "{log}");
}
