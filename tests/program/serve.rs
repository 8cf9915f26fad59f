//! `lasca-tb serve`: its answers are those of the command line, it says no in the right way, and no
//! client can hold it.

use crate::run::{Folder, csv, has, run};
use crate::server::{Client, Server, target};
use crate::{LASKER, START, TOO_MANY_MOVES};
use serde_json::{Value, json};
use std::fs;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Positions of up to five counters, in all kinds of forms.
fn positions() -> Vec<String> {
    let rows = csv("positions.csv").into_iter().step_by(25).map(|mut row| row.swap_remove(0));
    let others = [
        "a1W b2B w",
        "a1W b2B c3B w",
        "c3WB w",
        "  a1W   b2B, White to move ",
        "1W 5B w",
        "/////B,,/W,,, w",
    ];
    rows.chain(others.map(str::to_owned)).collect()
}

// answers

#[test]
fn answers_are_those_of_the_command_line() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    let asked = positions();
    for (path, more, line) in [
        ("/probe", "", "probe"),
        ("/probe", "&line=0", "probe"),
        ("/probe", "&line=1", "probe --line"),
        ("/explain", "", "explain"),
        ("/moves", "", "moves"),
    ] {
        let input = asked.join("\n");
        let printed = crate::run::run_with_input(format!("{line} --stdin"), input).json();
        for (position, printed) in asked.iter().zip(printed) {
            let answer = client.get(&format!("{}{more}", target(path, position)));
            assert_eq!((answer.status, answer.json()), (200, printed), "{position}");
        }
    }
}

#[test]
fn one_request_tells_all_that_is_known_without_a_search() {
    let folder = Folder::of_bignor(&["2-1", "2-2", "1-1"]);
    folder.remove("bignor-2-1.ltbd");
    let server = Server::start(&["--rules", "bignor", "--tables", folder.name()]);
    let mut client = server.connect();
    let [mut drawn, mut missing, mut bare] = [0, 0, 0];
    for position in positions().iter().map(String::as_str).chain(["a1w b2b w", START]) {
        let known = client.get(&target("/known", position));
        assert_eq!(known.status, 200, "{position}");
        let mut known = known.json();
        let mut ask = |path, more| client.get(&format!("{}{more}", target(path, position)));
        let best_play = ask("/probe", "&line=1");
        let expected = if best_play.status == 200 {
            let mut expected = best_play.json();
            if expected["wdl"] == "draw" {
                drawn += 1;
                let mut explained = ask("/explain", "").json();
                for key in ["moves", "best_move"] {
                    expected[key] = explained[key].take();
                }
            }
            expected
        } else if ask("/probe", "").status == 200 {
            bare += 1;
            ask("/probe", "").json()
        } else {
            missing += 1;
            let why = known.as_object_mut().unwrap().remove("missing").unwrap();
            let refused = ask("/probe", "").json();
            for key in ["error", "reason", "material", "columns"] {
                assert_eq!(why[key], refused[key], "{position}: {key}");
            }
            // The page has a button in place of this hint.
            assert!(refused["hint"].as_str().unwrap().ends_with("/solve finds out by search"));
            assert!(!why.to_string().contains("/solve"), "{why}");
            ask("/moves", "").json()
        };
        assert_eq!(known, expected, "{position}");
    }
    assert!(drawn > 0 && missing > 0 && bare > 0, "{drawn} {missing} {bare}");
    client.get("/known?position=x").refuses(400, "at character 1");
    client.get("/known").refuses(400, "found none");
    // Who wins is told without the distances, and what needs them names the file that is missing.
    let bare = client.get("/probe?position=a1WW+c3B+w").json();
    has(&bare, json!({"wdl": "win", "dtw": null}));
    assert_eq!(bare["moves"][0]["wdl"], "win");
    for needs in [
        "/explain?position=a1WW+c3B+w",
        "/probe?position=a1WW+c3B+w&line=1",
        "/endings?material=2-1",
    ] {
        client.get(needs).refuses(404, "bignor-2-1.ltbd: the file with the distances is missing");
    }
    assert_eq!(client.get("/tables").json()["tables"][1]["distances"], false);
    folder.damage("bignor-2-2.ltbw", 100..200);
    let damaged = Server::start(&["--rules", "bignor", "--tables", folder.name()]);
    damaged.ask("/known", "a1W g1W a7B g7B w").refuses(500, "bignor-2-2.ltbw: ");
}

#[test]
fn each_line_of_a_body_is_answered_with_a_line() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    let mut asked: Vec<String> = positions().into_iter().take(95).collect();
    // A line that has no answer says why, and ends nothing.
    asked.extend(["", "nonsense", "a1w c3B w", "a1WWWWWW c3BBBBBB w"].map(str::to_owned));
    for (query, more) in [("", ""), ("?line=1", "&line=1")] {
        let answer = client.post(&format!("/probe{query}"), "", &asked.join("\r\n"));
        let kind = answer.header("content-type");
        assert_eq!((answer.status, kind), (200, Some("application/x-ndjson")));
        let text = answer.text();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        assert_eq!(lines.clone().count(), asked.len());
        for (position, line) in asked.iter().zip(lines) {
            let alone = client.get(&format!("{}{more}", target("/probe", position)));
            assert_eq!(line, alone.json(), "{position}");
        }
    }
    assert_eq!(client.post("/probe", "", "").text(), "");
    let marked = client.post("/probe", "", "\u{feff}a1W b2B w\n\u{feff}a1W b2B w");
    assert_eq!(marked.text(), client.post("/probe", "", "a1W b2B w\na1W b2B w").text());
    let with_query = client.post("/probe?position=a1W+b2B+w", "", "");
    with_query.refuses(400, "expected line=, found position=");
    for body in ["\n".repeat(101), "a1W b2B w ".repeat(10_000)] {
        let mut client = server.connect();
        let long = client.post("/probe", "", &body);
        let refused = long.refuses(413, "expected at most 100 lines of 65536 bytes in all");
        assert_eq!(refused["reason"], "too_large");
        assert!(client.is_closed());
    }
    let cross = client.post("/probe", "Sec-Fetch-Site: cross-site\r\n", "a1W b2B w");
    cross.refuses(403, "the page of this server");
    client
        .send("POST /probe HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n");
    assert_eq!(client.answer(true).status, 400);
}

#[test]
fn the_rules_and_tables_are_those_of_the_server() {
    let tables = Folder::with(&["1-1"]);
    let server = Server::start(&["--rules", "rejump", "--tables", tables.name()]);
    let answer = server.ask("/moves", "a1W b2BB w").json();
    assert_eq!(answer["moves"][0]["move"], "a1-b2-c3-b2-a1WBB");
    server.ask("/probe", "a1W b2B w").refuses(404, "found one under lasca");
    assert_eq!(server.get("/tables").json()["rules"], "rejump");

    // They are listed as by the command line, without folders.
    let mut expected = run("list --json --tables tests/data").json();
    for table in &mut expected {
        let path = table["path"].as_str().map(PathBuf::from);
        let name = path.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned());
        table["path"] = json!(name);
    }
    let listed = Server::start(&["--tables", "tests/data"]).get("/tables").json();
    assert_eq!(listed, json!({"rules": "lasca", "tables": expected}));
}

#[test]
fn every_answer_has_the_headers_that_keep_a_browser_safe() {
    let server = Server::start(&[]);
    for path in ["/", "/page.js", "/probe", "/tables", "/nothing", "/metrics", "/healthz"] {
        let answer = server.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(!policy.contains("http") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("lasca-protocol"), Some("2"));
        assert_eq!(answer.header("lasca-rules"), Some("lasca"));
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    for (path, kind) in
        [("/", "text/html"), ("/page.js", "text/javascript"), ("/page.css", "text/css")]
    {
        let found = server.get(path);
        let found = found.header("content-type").unwrap();
        assert!(found.starts_with(kind), "{path}: {found}");
    }
    // A head is that of the whole answer.
    let mut client = server.connect();
    for path in ["/probe?position=a1W+b2B+w", "/", "/nothing"] {
        let (whole, head) = (client.get(path), client.head(path));
        assert_eq!(head.status, whole.status);
        for header in ["content-length", "content-type"] {
            assert_eq!(head.header(header), whole.header(header));
        }
    }
}

#[test]
fn a_picture_is_that_of_the_program() {
    let answer = Server::start(&[]).ask("/picture", LASKER);
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("image/svg+xml")));
    let drawn = run(format!("picture '{LASKER}' --palette wood")).exits(0).stdout;
    assert_eq!(answer.text(), drawn);
}

#[test]
fn a_browser_that_has_a_file_of_the_page_gets_no_copy() {
    let server = Server::start(&[]);
    for path in ["/", "/page.js", "/page.css"] {
        let whole = server.get(path);
        let tag = whole.header("etag").unwrap();
        for known in [tag, &format!("\"other\", W/{tag}")] {
            let headers = format!("Host: localhost\r\nIf-None-Match: {known}\r\n");
            let mut client = server.connect();
            client.send(format!("GET {path} HTTP/1.1\r\n{headers}\r\n"));
            let answer = client.answer(false);
            assert_eq!((answer.status, answer.header("etag")), (304, Some(tag)), "{known}");
            assert_eq!(client.get("/healthz").text(), "ok\n");
        }
        let headers = "Host: localhost\r\nIf-None-Match: \"other\"\r\n";
        assert_eq!(server.connect().get_with(path, headers).text(), whole.text());
    }
}

/// Requests without a body that take work, as the help lists them.
fn requests() -> Vec<String> {
    let help = run("serve --help").stdout;
    let (_, list) = help.split_once("Requests:\n").unwrap();
    let (list, _) = list.split_once("docs/PROTOCOL.md").unwrap();
    let requests = list.lines().filter_map(|line| line.strip_prefix("  "));
    let requests = requests.filter_map(|line| line.trim_start_matches("POST ").split(' ').next());
    let requests = requests.filter(|request| request.starts_with('/') && *request != "/studies");
    let takes_work = |request: &&str| !["/healthz", "/metrics"].contains(request);
    let requests = requests.filter(takes_work);
    let requests: Vec<String> = requests
        .map(|request| request.replace("...", "a1W+b2B+w").replace("a1WWW+b2BBB", "a1W+b2B"))
        .collect();
    assert_eq!(requests.len(), 11, "{requests:?}");
    requests
}

#[test]
fn pages_of_other_sites_start_no_work() {
    const CROSS: &str = "Sec-Fetch-Site: cross-site\r\n";
    const EVIL: &str = "Origin: https://evil.example\r\n";
    let (server, requests) = (Server::start(&[]), requests());
    let check = |headers: &str, is_allowed| {
        let headers = format!("Host: {}\r\n{headers}", server.addr);
        let asked = requests.iter().map(|path| {
            let mut client = server.connect();
            let method = if path.starts_with("/make") { "POST" } else { "GET" };
            client.send(format!("{method} {path} HTTP/1.1\r\n{headers}\r\n"));
            client.answer(true)
        });
        let posted = ["/probe", "/studies"].map(|path| {
            let mut client = server.connect();
            let request = "Content-Length: 9\r\n\r\na1W b2B w";
            client.send(format!("POST {path} HTTP/1.1\r\n{headers}{request}"));
            client.answer(true)
        });
        for answer in asked.chain(posted) {
            if is_allowed {
                assert_eq!(answer.status, 200, "{} {headers}", answer.text());
            } else {
                assert_eq!(answer.refuses(403, "the page of this server")["reason"], "forbidden");
            }
        }
        // The page may be linked to.
        for path in ["/", "/page.js", "/healthz"] {
            assert_eq!(server.connect().get_with(path, &headers).status, 200, "{path} {headers}");
        }
    };
    // Programs, the page itself, and addresses that people type.
    check("", true);
    check("Sec-Fetch-Site: same-origin\r\n", true);
    check("Sec-Fetch-Site: none\r\n", true);
    check(&format!("Origin: http://{}\r\n", server.addr), true);
    // Requests that need no answer (`mode: "no-cors"`) say no origin.
    let both = [CROSS, EVIL].concat();
    for headers in [CROSS, "Sec-Fetch-Site: same-site\r\n", EVIL, "Origin: null\r\n", &both] {
        check(headers, false);
    }
    assert_eq!(server.searches(), 0.0);
}

#[test]
fn a_server_of_this_machine_answers_under_no_other_name() {
    let check = |server: &Server, hosts: &str, is_known| {
        for host in hosts.split(' ') {
            for path in ["/", "/probe?position=a1W+b2B+w", "/healthz"] {
                let answer = server.connect().get_with(path, &format!("Host: {host}\r\n"));
                if is_known {
                    assert_eq!(answer.status, 200, "{host} {path}");
                } else {
                    answer.refuses(421, "expected localhost, 127.0.0.1, [::1]");
                }
            }
        }
    };
    let server = Server::start(&[]);
    check(&server, "localhost LOCALHOST:1911 localhost. localhost.:1911", true);
    check(&server, "127.0.0.1 127.0.0.1:80 [::1] [::1]:1911 [::ffff:127.0.0.1]", true);
    check(&server, "evil.example evil.example:1911 localhost.evil.example localhost.. ?", false);
    check(&server, "10.0.0.1 [::2] [::ffff:10.0.0.1]", false);
    check(&server, "", false);
    check(&server, "localhost\r\nHost:evil.example evil.example\r\nHost:localhost", false);
    // Behind a proxy that passes the name on.
    let behind = Server::start(&["--host", "tables.example"]);
    check(&behind, "tables.example:8443 tables.example.:8443 localhost", true);
    check(&behind, "evil.example", false);
    // Windows connects to no such address.
    if cfg!(unix) {
        let addr = ["--addr", "0.0.0.0:0"];
        let server = Server::start(&addr);
        check(&server, "localhost 127.0.0.1:80 10.0.0.1 [::2] [::ffff:10.0.0.1]:1911", true);
        for host in ["tables.example", "10.0.0.1.example", "?"] {
            let answer = server.connect().get_with("/", &format!("Host: {host}\r\n"));
            answer.refuses(421, "expected localhost, an IP address or a name of --host");
        }
        let names = ["--host", "tables.example", "--host", "Tables"];
        let server = Server::start(&[&addr[..], &names].concat());
        check(&server, "tables.example tables:1911 TABLES.EXAMPLE. 10.0.0.1 localhost", true);
        let refused = server.connect().get_with("/", "Host: evil.example\r\n");
        assert_eq!(refused.status, 421);
    }
}

#[cfg(unix)]
#[test]
fn where_others_reach_it_a_search_is_started_by_post_alone() {
    let server = Server::start(&["--addr", "0.0.0.0:0"]);
    let solve = "/solve?position=a1w+b2b+w";
    let refused = server.get(solve);
    refused.refuses(405, "expected POST, found GET");
    assert_eq!(refused.header("allow"), Some("POST"));
    assert_eq!(server.connect().head(solve).status, 405);
    assert_eq!(server.connect().post(solve, "", "").json()["wdl"], "win");
    // Of a POST request, browsers always say the origin.
    server.connect().post(solve, "Origin: http://evil.example\r\n", "").refuses(403, "found");
    server.connect().post(solve, "Origin: http://localhost\r\n", "").json();
    // On this machine, they say it of every request, and GET does as well.
    let local = Server::start(&[]);
    let by_post = local.connect().post(solve, "", "").json();
    assert_eq!(by_post["at_most"], local.get(solve).json()["at_most"]);
}

/// Counts the choices of an ending by the answers of `/explain`, with best play of both sides.
fn choices(client: &mut Client, ending: &Value, value: &str) -> u64 {
    let mut position = ending["position"].as_str().unwrap().to_owned();
    assert!(position.ends_with(" w"));
    let mut choices = 0;
    let mut is_first = true;
    while choices < ending["choices"].as_u64().unwrap() {
        let line = client.get(&target("/explain", &position)).json();
        assert_eq!(line["wdl"], value, "{ending}");
        if is_first {
            assert_eq!(line["dtw"], ending["dtw"]);
            let moves = line["moves"].as_array().unwrap();
            assert!(moves.len() > 1);
            assert!(moves.iter().all(|m| m["move"].as_str().unwrap().len() == 5), "{line}");
            is_first = false;
        }
        let best = &line["moves"][0];
        match best["standing"].as_str().unwrap() {
            "only move" => choices += 1,
            "only legal move" => {}
            other => panic!("{other}: {line}"),
        }
        let Some(reply) = best["line"].get(0) else { break };
        position = reply["position"].as_str().unwrap().to_owned();
    }
    choices
}

#[test]
fn endings_are_as_wanted_and_the_same_for_the_same_seed() {
    let server = Server::start(&["--time-limit", "3600"]);
    let mut client = server.connect();
    let text = |range: &RangeInclusive<u64>| format!("{}..{}", range.start(), range.end());
    for (material, value, wanted, plies) in [
        ("3-2", "win", 1..=2, Some(3..=9)),
        ("3-3", "win", 4..=20, Some(9..=200)),
        ("2-3", "draw", 1..=2, None),
        ("3-3", "draw", 3..=4, None),
    ] {
        let mut query =
            format!("/endings?material={material}&value={value}&seed=7&choices={}", text(&wanted));
        query.extend(plies.as_ref().map(|plies| format!("&plies={}", text(plies))));
        let answer = client.get(&query).json();
        assert_eq!(answer, client.get(&query).json());
        assert_ne!(answer, client.get(&query.replace("seed=7", "seed=8")).json());
        has(&answer, json!({"material": material, "seed": 7}));
        let endings = answer["endings"].as_array().unwrap();
        assert!((1..=4).contains(&endings.len()), "{answer}");
        for ending in endings {
            let count = ending["choices"].as_u64().unwrap();
            assert!(wanted.contains(&count), "{ending}");
            let dtw = ending["dtw"].as_u64();
            assert!(plies.as_ref().is_none_or(|plies| plies.contains(&dtw.unwrap())), "{ending}");
            assert_eq!(choices(&mut client, ending, value), count, "{ending}");
        }
    }
}

#[test]
fn endings_that_are_not_there_are_not_found() {
    let server = Server::start(&["--time-limit", "3600"]);
    let endings = |query: &str| server.get(&format!("/endings?material={query}")).json();
    // A small table is looked at as a whole.
    let answer = endings("1-1&choices=20");
    assert!((1..=600).contains(&answer["looked_at"].as_u64().unwrap()), "{answer}");
    let rest = json!({"material": "1-1", "value": "win", "seed": 0, "endings": []});
    has(&answer, rest);
    assert_eq!(answer["whole_table"], true);
    // All seeds find all of the few endings that it has.
    let [one, two] = [1, 2].map(|seed| {
        let answer = endings(&format!("2-1&plies=3..9&seed={seed}"));
        assert_eq!(answer["whole_table"], true);
        let mut endings = answer["endings"].as_array().unwrap().clone();
        endings.sort_by_key(|ending| ending["position"].to_string());
        endings
    });
    assert!((1..=3).contains(&one.len()) && one == two, "{one:?}");
    // JavaScript reads the seed of each answer as it was given.
    has(&endings("1-1&seed=9007199254740991"), json!({"seed": 9_007_199_254_740_991_u64}));
    let large = server.get("/endings?material=1-1&seed=9007199254740992");
    large.refuses(400, "seed=: expected a whole number below 2^53");
    // In a large table, some positions are looked at.
    has(&endings("3-3&choices=20"), json!({"looked_at": 50_000, "whole_table": false}));
    // A range needs one end only.
    for (short, long) in [("..3", "1..3"), ("3..", "3..20"), ("3", "3..3")] {
        let [short, long] = [short, long].map(|range| endings(&format!("3-2&choices={range}")));
        assert_eq!(short, long);
    }
}

// what has no answer

#[test]
fn a_server_that_does_not_search_says_so() {
    let off = Server::start(&["--searches", "0"]);
    let answer = off.ask("/probe", "a1w c3B w").json();
    assert!(!answer["hint"].to_string().contains("/solve"), "{answer}");
    off.ask("/solve", START).refuses(404, "does not search");
    assert_eq!(off.ask("/moves", START).json()["moves"].as_array().unwrap().len(), 6);
}

#[test]
fn a_search_without_memory_is_refused_and_may_be_asked_for_again() {
    let server = Server::start(&["--search-memory", "1"]);
    let refused = server.ask("/solve", START);
    assert_eq!(refused.header("retry-after"), Some("1"));
    let refused = refused.refuses(503, "not enough memory for a search now");
    assert_eq!(refused["reason"], "no_memory");
    assert!(server.stop().contains("and --search-memory sets the limit"));
}

#[test]
fn a_position_with_too_many_moves_is_refused_and_takes_no_memory() {
    let server = Server::start(&["--rules", "rejump", "--threads", "1"]);
    let peak = || {
        let status = fs::read_to_string(format!("/proc/{}/status", server.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    };
    server.ask("/moves", "a1W b2B w").json();
    let before = peak();
    let after = TOO_MANY_MOVES.replace(" w", " w moves c3-c3");
    for position in [TOO_MANY_MOVES, &after] {
        let refused =
            server.ask("/moves", position).refuses(400, "at most 4096 legal moves, found");
        assert_eq!(refused["reason"], "too_many_moves");
    }
    if cfg!(target_os = "linux") {
        let taken = peak().unwrap() - before.unwrap();
        assert!(taken < 8 << 10, "{taken} kB");
    }
}

#[test]
fn the_moves_of_studies_are_played() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    let text = "# One\r\nc3WW e3BW b6B, White to play and win {A} 1. 9–12! (9-13 {B} 0-1) b6-a7\n\
                (b6-c5 b4xd6 (b4-b6 1-0)) start 1. c3-d4";
    let answer = client.post("/studies", "", text).json();
    let [one, two] = &answer["studies"].as_array().unwrap()[..] else { panic!("{answer}") };
    has(one, json!({"line": 2, "title": "One", "verdict": "1-0"}));
    has(&one["errors"][0], json!({"line": 3, "column": 15}));
    has(two, json!({"line": 3, "errors": []}));
    let positions = one["positions"].as_array().unwrap();
    let moves: Vec<_> =
        positions.iter().map(|at| (at["move"].as_str(), at["parent"].as_u64())).collect();
    let expected = [
        (None, None),
        (Some("c3-b4"), Some(0)),
        (Some("b6-a7"), Some(1)),
        (Some("c3-d4"), Some(0)),
        (Some("b6-c5"), Some(1)),
        (Some("b4-c5-d6WWB"), Some(4)),
    ];
    assert_eq!(moves, expected);
    has(&positions[0], json!({"wdl": "win", "only": "c3-b4", "comments": ["A"]}));
    has(&positions[1], json!({"wdl": "loss", "mark": "!"}));
    has(&positions[3], json!({"comments": ["B"], "result": "0-1"}));
    // The answers are those about each position.
    for at in positions.iter().chain(two["positions"].as_array().unwrap()) {
        let path =
            format!("/known?position={}", at["position"].as_str().unwrap().replace(' ', "+"));
        let known = server.get(&path).json();
        assert_eq!((&known["position"], &known["wdl"]), (&at["position"], &at["wdl"]));
    }
    for (body, status, expected) in [
        ("", 400, "line 1, column 1: expected a study"),
        ("start 1. a3-b4 a7-b6 2. ©", 400, "line 1, column 25: expected a move"),
        (&*"x".repeat((4 << 20) + 1), 413, "at most 4194304 bytes, found more bytes"),
    ] {
        server.connect().post("/studies", "", body).refuses(status, expected);
    }
    // Other machines reach these.
    let long = "x".repeat((64 << 10) + 1);
    let server = Server::start(&["--host", "a.example"]);
    server.connect().post("/studies", "", &long).refuses(413, "at most 65536 bytes, found more");
    let server = Server::start(&["--addr", "0.0.0.0:0"]);
    for (body, expected) in [
        (&long, "at most 65536 bytes, found more bytes"),
        (&"start 1. c3-d4 b6-c5\n".repeat(3000), "found more; send fewer at once"),
    ] {
        server.connect().post("/studies", "", body).refuses(413, expected);
    }
    client.post("/studies?x=1", "", "start").refuses(400, "expected no parameter, found x=");
}

#[test]
fn what_is_no_request_for_it_is_refused() {
    let server = Server::start(&[]);
    let asked = |request: &str| {
        let mut client = server.connect();
        client.send(request);
        client.answer(true)
    };
    for (path, expected, allowed) in [
        ("/solve", "GET, HEAD or POST, found PUT", "GET,HEAD,POST"),
        ("/studies", "POST, found PUT", "POST"),
        ("/explain", "GET, HEAD, found PUT", "GET,HEAD"),
        ("/probe", "GET, HEAD or POST, found PUT", "GET,HEAD,POST"),
    ] {
        let answer = asked(&format!("PUT {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        answer.refuses(405, expected);
        assert_eq!(answer.header("allow"), Some(allowed));
    }
    let host = "Host: localhost\r\n";
    let headers = |count| (0..count).map(|i| format!("X-{i}: x\r\n")).collect::<String>();
    for (request, status) in [
        ("nonsense\r\n".to_owned(), 400),
        ("GET /healthz HTTP/1.0\r\n".to_owned(), 200),
        (format!("GET /?{} HTTP/1.1\r\n{host}", "a".repeat(20_000)), 200),
        (format!("GET /?{} HTTP/1.1\r\n{host}", "a".repeat(1 << 16)), 414),
        (format!("GET /healthz HTTP/1.1\r\n{host}{}", headers(99)), 200),
        (format!("GET /healthz HTTP/1.1\r\n{host}{}", headers(1000)), 431),
        (format!("GET /healthz HTTP/2.0\r\n{host}"), 400),
    ] {
        let answer = asked(&format!("{request}\r\n"));
        assert_eq!(answer.status, status, "{request}");
        assert!(status == 200 || answer.text().is_empty(), "{request}");
    }
    // HTTP/2 begins with these lines. The connection is closed without an answer.
    let mut client = server.connect();
    client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    assert!(client.try_answer(true).is_none());
    assert_eq!(server.get("/healthz").text(), "ok\n");
}

/// A server that may have this many files open, if the system allows no more either.
#[cfg(unix)]
fn with_few_files(limit: &str, args: &[&str]) -> Server {
    Server::start_as(crate::run::process_under(limit, ""), args)
}

#[cfg(unix)]
#[test]
fn idle_connections_lock_nobody_out_if_few_files_may_be_open() {
    let server =
        with_few_files("-n 64", &["--connections", "512", "--threads", "2", "--patience", "1"]);
    let _idle: Vec<Client> = (0..60).map(|_| server.connect()).collect();
    assert_eq!(server.ask("/probe", "a1W b2B w").json()["dtw"], 1);
    let log = server.stop();
    assert_eq!(log.matches("accepting a connection failed").count(), 0, "{log}");

    // The limit is raised as far as the system allows.
    let server = with_few_files("-S -n 64", &["--connections", "512"]);
    let idle: Vec<Client> = (0..200).map(|_| server.connect()).collect();
    assert_eq!(server.get("/healthz").text(), "ok\n");
    assert!(server.metric("lasca_tb_connections") >= Some(200.0));
    drop(idle);
}

#[test]
fn a_table_that_is_missing_is_made_for_who_asks() {
    let folder = Folder::with(&["1-1"]);
    let server = Server::start(&["--tables", folder.name()]);
    let mut client = server.connect();
    let position = "a1WB+c1W+b2WB+e5BW+w";
    // The refusal says what it takes.
    let refused = client.get(&format!("/probe?position={position}"));
    assert_eq!(refused.status, 404);
    let plan = &refused.json()["make"];
    assert_eq!((&plan["material"], &plan["columns"]), (&json!("4-3"), &json!(4)));
    assert!(plan["seconds"].as_f64() > Some(0.0) && plan["memory"].as_u64() > Some(1 << 20));
    let known = client.get(&format!("/known?position={position}")).json();
    assert_eq!(known["missing"]["make"]["columns"], 4);
    // Only a POST makes it.
    assert_eq!(client.get(&format!("/make?position={position}")).status, 405);
    client.send_post(&format!("/make?position={position}"), "", "");
    let lines = client.lines();
    let (last, parts) = lines.split_last().unwrap();
    assert!(parts.iter().all(|part| part["done"].as_f64().is_some_and(|done| done <= 1.0)));
    assert!(!parts.is_empty() && last["wdl"].is_string(), "{lines:?}");
    assert_eq!(*last, client.get(&format!("/probe?position={position}")).json());
    // Nothing is to be made for a position with soldiers, nor where nothing may be made.
    client.send_post("/make?position=start", "", "");
    assert_eq!(client.lines()[0]["reason"], "not_covered");
    // With a name, strangers ask through a proxy.
    for options in [["--make", "0"], ["--host", "a.example"]] {
        let other = Server::start(&[&["--tables", folder.name()], &options[..]].concat());
        let refused = other.connect().get(&format!("/probe?position={position}")).json();
        assert!(refused["reason"] == "not_covered" && refused.get("make").is_none(), "{refused}");
    }
    assert_eq!(folder.names().len(), 2, "nothing is kept where a folder is named");
}

#[test]
fn a_table_that_cannot_be_made_is_not_promised_for_later() {
    let server = Server::start(&["--rules", "rejump"]);
    let mut client = server.connect();
    client.send_post("/make?position=a1WWWWWWWWWW+c3WWWWWWWWWW+g7BB+w", "", "");
    let last = client.lines().pop().unwrap();
    assert_eq!(last["reason"], "not_covered", "{last}");
    assert!(
        last["error"].as_str().unwrap().contains("a position has more than 62 moves"),
        "{last}"
    );
    assert!(last.get("hint").is_none(), "{last}");
}
