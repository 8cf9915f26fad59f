//! `lasca-tb serve` as whoever runs it sees it: its metrics and its log, what clients may not do to it, and how it begins
//! and ends.

use crate::START;
use crate::common::wait::wait_until;
#[cfg(target_os = "linux")]
use crate::run::process_by;
use crate::run::{Folder, run};
use crate::server::{Client, Server, target};
use std::thread;
use std::time::{Duration, Instant};

/// What takes long to answer, for a table.
const LONG: &str = "/explain?position=a1W+c1W+g1W+e3B+a7B+w";

// what is told about it

#[test]
fn metrics_count_what_is_going_on() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    client.get("/probe?position=a1W+b2B+w");
    let text = client.get("/metrics").text();
    for line in [
        "# TYPE lasca_tb_requests_under_way gauge",
        "lasca_tb_requests_under_way 1",
        "lasca_tb_connections 1",
        "lasca_tb_searches 0",
    ] {
        assert!(text.lines().any(|found| found == line), "expected {line} in\n{text}");
    }
}

#[cfg(unix)]
#[test]
fn every_request_is_a_line_of_the_log() {
    let server = Server::start(&[]);
    let long = format!("/{}", "x".repeat(3000));
    for target in ["/probe?position=a1W+b2B+w", "/nothing?a%0Ab", "/nothing?\u{9b}é", &long] {
        server.get(target);
    }
    let log = server.stop();
    let lines = log.lines().map(|line| line.split_once("] ").unwrap());
    let lines = lines.map(|(time, rest)| (time, rest.split(' ').collect()));
    let requests: Vec<(&str, Vec<&str>)> =
        lines.filter(|(_, of): &(_, Vec<_>)| of[1] == "GET").collect();
    assert_eq!(requests.len(), 4, "{log}");
    let (time, first) = &requests[0];
    let [client, _, target, status, took] = first[..] else { panic!("{log}") };
    assert!(time.len() == 30 && time.starts_with('[') && time.ends_with(" GMT"), "{time}");
    assert!(client.starts_with("127.0.0.1:"), "{client}");
    assert_eq!((target, status), ("/probe?position=a1W+b2B+w", "200"));
    assert!(took.strip_suffix("ms").unwrap().parse::<f64>().is_ok(), "{took}");
    let targets: Vec<&str> = requests.iter().map(|(_, of)| of[2]).collect();
    assert_eq!((targets[1], requests[1].1[3]), ("/nothing?a%0Ab", "404"));
    assert_eq!(targets[2], "/nothing?%C2%9B%C3%A9");
    assert!(targets[3].len() < 500, "a long path is cut");
    assert!(log.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n')), "{log:?}");
}

#[cfg(unix)]
#[test]
fn the_log_names_the_client_for_which_a_proxy_on_this_machine_asks() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    let headers = "Host: localhost\r\nSec-Fetch-Site: cross-site\r\nX-Forwarded-For: ";
    for named in ["10.1.1.1, 203.0.113.7", "2001:db8::7", "nobody"] {
        let headers = format!("{headers}{named}\r\n");
        assert_eq!(client.get_with("/probe?position=a1W+b2B+w", &headers).status, 403);
    }
    let log = server.stop();
    let requests = log.lines().filter(|line| line.contains(" 403 "));
    let named: Vec<&str> = requests.map(|line| line.split(' ').nth(6).unwrap()).collect();
    assert_eq!(named[..2], ["203.0.113.7", "2001:db8::7"], "{log}");
    assert!(named[2].starts_with("127.0.0.1:"), "{log}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_log_that_cannot_be_written_keeps_nobody_from_an_answer() {
    let server = Server::start_as(process_by("exec \"$0\" \"$@\" 2> /dev/full", ""), &[]);
    assert_eq!(server.ask("/probe", "a1W b2B w").json()["dtw"], 1);
    server.stop();
}

// limits

/// Sends the beginning of a body.
fn begin_body(client: &mut Client) {
    client.send("POST /probe HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\na1W");
}

#[test]
fn a_client_that_is_slow_is_cut_off_and_holds_nobody() {
    let server = Server::start(&["--patience", "1", "--threads", "1"]);
    let begun = Instant::now();
    let mut slow: Vec<Client> = (0..20).map(|_| server.connect()).collect();
    for (i, client) in slow.iter_mut().enumerate() {
        client.send(&"GET /probe?position=a1W+b2B+w HTTP/1.1\r\nX: "[..i * 2]);
    }
    assert_eq!(server.ask("/probe", "a1W b2B w").json()["dtw"], 1);
    let mut slow_body = server.connect();
    begin_body(&mut slow_body);
    slow_body.answer(true).refuses(408, "did not come in time");
    assert!(slow.iter_mut().all(Client::is_closed));
    assert!(begun.elapsed() >= Duration::from_secs(1));

    let server = Server::start(&["--connections", "4", "--patience", "1"]);
    let mut slow: Vec<Client> = (0..4).map(|_| server.connect()).collect();
    slow.iter_mut().for_each(begin_body);
    assert_eq!(server.ask("/probe", "a1W b2B w").json()["dtw"], 1);
}

#[test]
fn a_connection_that_asks_for_nothing_is_closed_and_another_has_its_place() {
    let server = Server::start(&["--connections", "4", "--patience", "1"]);
    let clients = || (0..4).map(|_| server.connect()).collect::<Vec<Client>>();
    let mut idle = clients();
    for client in &mut idle {
        assert_eq!(client.get("/healthz").status, 200);
    }
    // Each of these waits for the place of one that was there before.
    for client in &mut clients() {
        assert_eq!(client.get(&target("/probe", "a1W b2B w")).json()["dtw"], 1);
    }
    assert!(idle.iter_mut().all(Client::is_closed));
}

#[test]
fn many_at_once_wait_for_a_thread_and_are_answered() {
    let server = Server::start(&["--threads", "1"]);
    thread::scope(|scope| {
        for _ in 0..8 {
            let mut client = server.connect();
            scope.spawn(move || assert_eq!(client.get(LONG).json()["dtw"], 41));
        }
    });
}

// beginning and end

#[test]
fn it_starts_without_a_folder_of_tables_unless_one_is_named() {
    let folder = Folder::empty();
    let start = |args: &[&str]| {
        let mut command = crate::run::process("");
        crate::run::with_home(command.current_dir(folder.name()), &folder);
        Server::start_as(command, args)
    };
    for args in [&[][..], &["--tables", folder.name()]] {
        let server = start(args);
        assert_eq!(server.ask("/probe", "a1WWW b2BBB w").json()["dtw"], 5);
        assert_eq!(server.ask("/solve", "a1w b2b w").json()["wdl"], "win");
        server.ask("/probe", "a1WWWW b2BBB w").refuses(404, "table of 4-3");
        let log = server.stop();
        assert!(!log.contains("no tables") && !log.contains("hint"), "{log}");
    }
    let server = start(&["--rules", "bignor"]);
    assert_eq!(server.ask("/moves", START).json()["moves"].as_array().unwrap().len(), 6);
    server.ask("/probe", "a1W b2B w").refuses(404, "table of 1-1");
    let log = server.stop();
    assert_eq!(log.matches("there are no tables for bignor rules in ").count(), 1);
    assert!(!log.contains("start the server again"), "{log}");
    run(format!("serve --addr 127.0.0.1:0 --tables {}", folder.file("none"))).exits(1).says("none");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_when_what_is_under_way_is_answered() {
    use std::io::Write;
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
        // Who has asked for nothing does not keep it, however patient it is.
        let server = Server::start(&["--patience", "600"]);
        let _silent = server.connect();
        let mut idle = server.connect();
        idle.get("/healthz");
        let begun = Instant::now();
        // The server is ended where the test fails, and the clients end with it.
        let server = thread::scope(move |scope| {
            let ask = |mut client: Client| {
                let mut answered = 0;
                // Nothing is sent in part: an answer is whole, or does not begin.
                let request = format!("GET {LONG} HTTP/1.1\r\nHost: localhost\r\n\r\n");
                while client.stream.get_mut().write_all(request.as_bytes()).is_ok() {
                    let Some(answer) = client.try_answer(true) else { break };
                    assert_eq!(answer.json()["dtw"], 41);
                    answered += 1;
                }
                answered
            };
            // All are connected before the signal comes.
            let clients: Vec<_> = (0..4)
                .map(|_| {
                    let client = server.connect();
                    scope.spawn(move || ask(client))
                })
                .collect();
            wait_until("several requests are under way", || {
                server.metric("lasca_tb_requests_under_way") >= Some(2.0)
            });
            server.signal(signal);
            let answered: u32 = clients.into_iter().map(|client| client.join().unwrap()).sum();
            assert!(answered > 0);
            server
        });
        assert!(idle.is_closed());
        let log = server.ended();
        assert!(begun.elapsed() < Duration::from_secs(300), "it waits for no client that is idle");
        assert!(log.contains(" - stopped\n"), "{log}");
    }
}

#[test]
fn a_table_that_cannot_be_opened_is_told_at_the_start() {
    let folder = Folder::with(&["2-1"]);
    folder.write("lasca-2-1.ltbw", "damaged");
    let server = Server::start(&["--no-included", "--tables", folder.name()]);
    let told = "requests get status 500, as a table cannot be opened: ";
    wait_until("it is told", || server.logged(told) > 0);
    assert_eq!(server.ask("/probe", "a1WW b2B w").status, 500);
}

#[cfg(unix)]
#[test]
fn an_answer_that_is_read_slowly_survives_a_stop() {
    use std::io::BufRead;
    let server = Server::start(&["--patience", "600"]);
    let lines = "a1W c1W g1W e3B a7B w\n".repeat(50);
    let whole = server.connect().post("/probe?line=1", "", &lines).text();
    assert!(whole.len() > 150_000, "{} bytes", whole.len());
    let mut slow = server.connect();
    slow.take(4096);
    slow.send_post("/probe?line=1", "", &lines);
    // It has begun, and cannot end before it is read on.
    slow.stream.fill_buf().unwrap();
    server.signal(libc::SIGTERM);
    wait_until("it says that it stops", || server.logged("- stopping: ") > 0);
    slow.take(1 << 20);
    assert_eq!(slow.answer(true).text(), whole);
    assert!(slow.is_closed());
    let log = server.ended();
    assert!(log.contains(" - stopped\n"), "{log}");
}
