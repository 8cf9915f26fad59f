//! `lasca-tb serve`: its answers are those of the command line, it says no in the right way, and no
//! client can hold it.

use crate::run::{copies, path};
use crate::server::{Answer, Client, PATIENCE, Server, printed, program, target};
use crate::{BINARY, ROOT};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Positions of up to five counters, in all kinds of forms.
fn positions() -> Vec<String> {
    let path = Path::new(ROOT).join("tests/data/positions.csv");
    let text = fs::read_to_string(path).unwrap();
    let rows = text.lines().skip(1).step_by(25).map(|row| row.split(',').next().unwrap());
    let others = [
        "a1W b2B w",
        "a1W b2B c3B w",
        "c3WB w",
        "  a1W   b2B, White to move ",
        "1W 5B w",
        "/////B,,/W,,, w",
    ];
    rows.chain(others).map(str::to_owned).collect()
}

// answers

#[test]
fn answers_are_those_of_the_command_line() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    for position in positions() {
        for (path, command) in [("/probe", "probe"), ("/line", "line"), ("/moves", "moves")] {
            let answer = client.get(&target(path, &position));
            assert_eq!(answer.status, 200, "{position}");
            assert_eq!(answer.json(), printed(&[command, &position, "--json"])[0], "{position}");
        }
    }
}

#[test]
fn a_probe_has_the_best_line_if_it_is_asked_for() {
    let server = Server::start(&[]);
    for position in ["a1WWW b2BBB w", "d2W d4W f2B f4B b"] {
        let answer = server.get(&format!("{}&line=1", target("/probe", position))).json();
        assert_eq!(answer, printed(&["probe", position, "--line", "--json"])[0]);
        let plain = server.get(&format!("{}&line=0", target("/probe", position))).json();
        assert_eq!(plain.get("line"), None);
    }
}

/// A request to answer lines.
fn post(target: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {target} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    )
}

#[test]
fn each_line_of_a_body_is_answered_with_a_line() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    let mut asked: Vec<String> = positions().into_iter().take(95).collect();
    // A line that has no answer says why, and ends nothing.
    asked.extend(["", "nonsense", "a1w c3B w", "a1WWWWWW c3BBBBBB w"].map(str::to_owned));
    for (query, more) in [("", ""), ("?line=1", "&line=1")] {
        client.send(post(&format!("/probe{query}"), "", &asked.join("\r\n")));
        let answer = client.answer(true);
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, Some("application/x-ndjson"))
        );
        let lines: Vec<Value> =
            answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), asked.len());
        for (position, line) in asked.iter().zip(&lines) {
            let alone = client.get(&format!("{}{more}", target("/probe", position)));
            assert_eq!(*line, alone.json(), "{position}");
        }
    }
    client.send(post("/probe", "", ""));
    assert_eq!(client.answer(true).text(), "");
    client.send(post("/probe?position=a1W+b2B+w", "", ""));
    client.answer(true).refuses(400, "expected line=, found position=");
    for body in ["\n".repeat(101), "a1W b2B w ".repeat(10_000)] {
        let mut client = server.connect();
        client.send(post("/probe", "", &body));
        client.answer(true).refuses(413, "expected at most 100 lines of 65536 bytes in all");
        assert!(client.is_closed());
    }
    client.send(post("/probe", "Sec-Fetch-Site: cross-site\r\n", "a1W b2B w"));
    client.answer(true).refuses(403, "--allow-origin");
    client
        .send("POST /probe HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n");
    assert_eq!(client.answer(true).status, 400);
}

#[test]
fn the_rules_are_those_that_are_asked_for() {
    let tables = copies(&["lasca-1-1"]);
    let server = Server::start(&["--rules", "rejump", "--tables", path(&tables)]);
    let answer = server.ask("/moves", "a1W b2BB w").json();
    assert_eq!(answer["moves"][0]["move"], "a1-b2-c3-b2-a1WBB");
    server.ask("/probe", "a1W b2B w").refuses(404, "found one under lasca");
    assert_eq!(server.get("/tables").json()["rules"], "rejump");
    assert_eq!(server.metric("lasca_tb_tables"), Some(0.0));
}

#[test]
fn tables_are_listed_as_by_the_command_line_without_folders() {
    let server = Server::start(&[]);
    let answer = server.get("/tables").json();
    let mut expected = printed(&["list", "--json"]);
    for table in &mut expected {
        let path = PathBuf::from(table["path"].as_str().unwrap());
        table["path"] = json!(path.file_name().unwrap().to_str().unwrap());
    }
    assert!(expected.len() >= 6);
    assert_eq!(answer, json!({"rules": "lasca", "tables": expected}));
}

#[test]
fn a_head_is_that_of_the_whole_answer() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    for path in ["/probe?position=a1W+b2B+w", "/", "/nothing"] {
        let whole = client.get(path);
        client.send(format!("HEAD {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        let head = client.answer(false);
        assert_eq!(head.status, whole.status);
        for header in ["content-length", "content-type"] {
            assert_eq!(head.header(header), whole.header(header));
        }
    }
}

#[test]
fn requests_may_follow_each_other_before_they_are_answered() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    let asked: Vec<String> = positions().into_iter().take(20).collect();
    let requests = asked.iter().map(|position| {
        format!("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", target("/probe", position))
    });
    client.send(requests.collect::<String>());
    for position in asked {
        assert_eq!(client.answer(true).json()["position"], *position);
    }
}

#[test]
fn the_page_has_all_it_needs_and_asks_nobody_else() {
    let server = Server::start(&[]);
    for (path, kind) in [
        ("/", "text/html"),
        ("/?position=a1W+b2B+w", "text/html"),
        ("/page.css", "text/css"),
        ("/page.js", "text/javascript"),
        ("/board.js", "text/javascript"),
        ("/edits.js", "text/javascript"),
        ("/endings.js", "text/javascript"),
        ("/game.js", "text/javascript"),
        ("/lists.js", "text/javascript"),
        ("/position.js", "text/javascript"),
        ("/practice.js", "text/javascript"),
        ("/search.js", "text/javascript"),
        ("/words.js", "text/javascript"),
        ("/icon.svg", "image/svg+xml"),
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.header("content-type").unwrap().starts_with(kind), "{path}");
        let text = answer.text().replace("http://www.w3.org/2000/svg", "");
        assert!(!text.contains("//www.") && !text.contains("http"), "{path}");
        assert!(text.len() > 200, "{path}");
    }
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
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    let server = Server::start(&["--allow-origin", "https://example.org"]);
    let answer = server.get("/probe?position=a1W+b2B+w");
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://example.org"));
}

/// The paths of answers that take work.
const WORK: [&str; 6] = [
    "/probe?position=a1W+b2B+w",
    "/line?position=a1W+b2B+w",
    "/solve?position=a1W+b2B+w",
    "/moves?position=a1W+b2B+w",
    "/endings?material=2-1",
    "/tables",
];

/// A header line with the origin of a server.
fn origin_of(server: &Server) -> String {
    format!("Origin: http://{}\r\n", server.addr)
}

#[test]
fn pages_of_other_sites_start_no_work_unless_their_origin_is_allowed() {
    const CROSS: &str = "Sec-Fetch-Site: cross-site\r\n";
    const GOOD: &str = "Origin: https://good.example\r\n";
    const EVIL: &str = "Origin: https://evil.example\r\n";
    let cross = |origin| [CROSS, origin].concat();
    let check = |server: &Server, headers: &str, is_allowed| {
        let headers = format!("Host: {}\r\n{headers}", server.addr);
        for path in WORK {
            let answer = server.connect().get_with(path, &headers);
            if is_allowed {
                assert_eq!(answer.status, 200, "{path} {headers}");
            } else {
                answer.refuses(403, "--allow-origin");
            }
        }
        // The page may be linked to.
        for path in ["/", "/page.js", "/healthz"] {
            assert_eq!(server.connect().get_with(path, &headers).status, 200, "{path} {headers}");
        }
    };
    let (closed, open, to_all) = (
        Server::start(&[]),
        Server::start(&["--allow-origin", "https://good.example"]),
        Server::start(&["--allow-origin", "*"]),
    );
    for server in [&closed, &open, &to_all] {
        // Programs, the page itself, and addresses that people type.
        check(server, "", true);
        check(server, "Sec-Fetch-Site: same-origin\r\n", true);
        check(server, "Sec-Fetch-Site: none\r\n", true);
        check(server, &origin_of(server), true);
    }
    // Requests that need no answer (`mode: "no-cors"`) say no origin.
    for headers in [CROSS, "Sec-Fetch-Site: same-site\r\n", EVIL, "Origin: null\r\n", &cross(EVIL)]
    {
        check(&closed, headers, false);
        check(&open, headers, false);
        check(&to_all, headers, true);
    }
    check(&closed, &cross(GOOD), false);
    check(&open, &cross(GOOD), true);
    check(&open, GOOD, true);
    assert_eq!(closed.metric("lasca_tb_searches"), Some(0.0));
}

#[test]
fn a_server_of_this_machine_answers_under_no_other_name() {
    let check = |server: &Server, host: &str, is_known| {
        for path in ["/", "/probe?position=a1W+b2B+w", "/healthz"] {
            let answer = server.connect().get_with(path, &format!("Host: {host}\r\n"));
            if is_known {
                assert_eq!(answer.status, 200, "{host} {path}");
            } else {
                answer.refuses(421, "expected localhost, 127.0.0.1, [::1]");
            }
        }
    };
    let server = Server::start(&[]);
    for host in [
        "localhost",
        "LOCALHOST:1911",
        "localhost.",
        "localhost.:1911",
        "127.0.0.1",
        "127.0.0.1:80",
        "[::1]",
        "[::1]:1911",
        "[::ffff:127.0.0.1]",
    ] {
        check(&server, host, true);
    }
    for host in [
        "",
        "evil.example",
        "evil.example:1911",
        "localhost.evil.example",
        "localhost..",
        "10.0.0.1",
        "[::2]",
        "[::ffff:10.0.0.1]",
        "?",
    ] {
        check(&server, host, false);
    }
    // Behind a proxy that passes the name on, its origin is allowed.
    let behind = Server::start(&["--allow-origin", "https://tables.example:8443"]);
    check(&behind, "tables.example:8443", true);
    check(&behind, "tables.example.:8443", true);
    check(&behind, "localhost", true);
    check(&behind, "evil.example", false);
    check(&Server::start(&["--allow-origin", "*"]), "evil.example", true);
    // Others may reach this one under any name. (Windows connects to no such address.)
    if cfg!(unix) {
        check(&Server::start_at("0.0.0.0:0", &[]), "tables.example", true);
    }
}

#[test]
fn a_client_that_closes_its_half_gets_its_answers() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    let paths = [&WORK[..], &["/", "/nothing"]].concat();
    for path in &paths {
        client.send(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    }
    client.close_half();
    for path in paths {
        let status = if path == "/nothing" { 404 } else { 200 };
        assert_eq!(client.answer(true).status, status, "{path}");
    }
    assert!(client.is_closed());
    let mut old = server.connect();
    old.send("GET /probe?position=a1W+b2B+w HTTP/1.0\r\n\r\n");
    old.close_half();
    assert_eq!(old.answer(true).json()["dtw"], 1);
}

/// Each position is checked by the answers of `/line`, with best play of both sides.
#[test]
fn endings_are_as_wanted_and_the_same_for_the_same_seed() {
    let server = Server::start(&["--time-limit", "3600"]);
    let mut client = server.connect();
    for (material, value, wanted, plies) in [
        ("3-2", "win", 1..=2, Some(3..=9)),
        ("3-3", "win", 4..=20, Some(9..=200)),
        ("2-3", "draw", 1..=2, None),
        ("3-3", "draw", 3..=4, None),
    ] {
        let range = |r: &std::ops::RangeInclusive<u64>| format!("{}..{}", r.start(), r.end());
        let mut query = format!("/endings?material={material}&value={value}&seed=7&choices=");
        query += &range(&wanted);
        query.extend(plies.as_ref().map(|plies| format!("&plies={}", range(plies))));
        let answer = client.get(&query).json();
        assert_eq!(answer, client.get(&query).json());
        assert_ne!(answer, client.get(&query.replace("seed=7", "seed=8")).json());
        assert_eq!((&answer["material"], &answer["seed"]), (&json!(material), &json!(7)));
        let endings = answer["endings"].as_array().unwrap();
        assert!((1..=4).contains(&endings.len()), "{answer}");
        for ending in endings {
            let mut position = ending["position"].as_str().unwrap().to_owned();
            assert!(position.ends_with(" w"));
            let count = ending["choices"].as_u64().unwrap();
            assert!(wanted.contains(&count), "{ending}");
            let mut choices = 0;
            while choices < count {
                let line = client.get(&target("/line", &position)).json();
                assert_eq!(line["wdl"], value, "{ending}");
                if choices == 0 {
                    assert_eq!(line["dtw"], ending["dtw"]);
                    assert!(
                        plies.as_ref().is_none_or(|p| p.contains(&line["dtw"].as_u64().unwrap()))
                    );
                    let moves = line["moves"].as_array().unwrap();
                    assert!(moves.len() > 1);
                    assert!(moves.iter().all(|m| m["move"].as_str().unwrap().len() == 5), "{line}");
                }
                let best = &line["moves"][0];
                match best["standing"].as_str().unwrap() {
                    "only move" => choices += 1,
                    "only legal move" => {}
                    other => panic!("{other}: {line}"),
                }
                position = match best["line"].get(0) {
                    Some(reply) => reply["position"].as_str().unwrap().to_owned(),
                    None => break,
                };
            }
            assert_eq!(choices, count, "{ending}");
        }
    }
}

#[test]
fn endings_that_are_not_there_are_not_found() {
    let server = Server::start(&["--time-limit", "3600"]);
    // A small table is looked at as a whole.
    let answer = server.get("/endings?material=1-1&choices=20").json();
    let positions = answer["looked_at"].as_u64().unwrap();
    assert!((1..=600).contains(&positions), "{answer}");
    let expected = json!(
        {"material": "1-1", "value": "win", "seed": 0, "looked_at": positions, "whole_table": true,
        "endings": []}
    );
    assert_eq!(answer, expected);
    // All seeds find all of the few endings that it has.
    let few = |seed| {
        let answer = server.get(&format!("/endings?material=2-1&plies=3..9&seed={seed}")).json();
        let mut endings = answer["endings"].as_array().unwrap().clone();
        endings.sort_by_key(|ending| ending["position"].to_string());
        (answer["whole_table"].as_bool().unwrap(), endings)
    };
    assert!(few(1).0 && (1..=3).contains(&few(1).1.len()), "{:?}", few(1));
    assert_eq!(few(1), few(2));
    // In a large table, some positions are looked at.
    let answer = server.get("/endings?material=3-3&choices=20").json();
    assert_eq!((&answer["looked_at"], &answer["whole_table"]), (&json!(50_000), &json!(false)));
    // A range needs one end only.
    let endings = |choices| server.get(&format!("/endings?material=3-2&choices={choices}")).json();
    assert_eq!(endings("..3"), endings("1..3"));
    assert_eq!(endings("3.."), endings("3..20"));
    assert_eq!(endings("3"), endings("3..3"));
    server.get("/endings?material=6-6").refuses(404, "table of 6-6 under lasca rules is not here");
    for (query, found) in [
        ("", "found none"),
        ("?material=9", "9"),
        ("?material=0-3", "0"),
        ("?material=3-2&value=loss", "found \"loss\""),
        ("?material=3-2&choices=0", "found \"0\""),
        ("?material=3-2&choices=4..3", "found \"4..3\""),
        ("?material=3-2&choices=21", "from 1 to 20"),
        ("?material=3-2&choices=..", "found \"..\""),
        ("?material=3-2&choices=", "found \"\""),
        ("?material=3-2&choices=..0", "found \"..0\""),
        ("?material=3-2&plies=x", "found \"x\""),
        ("?material=3-2&value=draw&plies=3", "value=win only"),
        ("?material=3-2&seed=-1", "found \"-1\""),
        ("?material=3-2&seed=1&seed=2", "found two"),
        ("?position=a1W+b2B+w", "found position="),
    ] {
        server.get(&format!("/endings{query}")).refuses(400, found);
    }
    let (_folder, server) = without_distances();
    server.get("/endings?material=2-1").refuses(404, "no distance is known");
}

// what has no answer

#[test]
fn what_is_no_position_is_400_with_the_parsers_message() {
    let server = Server::start(&[]);
    for position in ["", " ", "a1W b2B", "a1W b2B x", "26W b2B w", "a1X b2B w", "a1W a1B w", "😀"]
    {
        let expected = &printed(&["probe", position, "--json"])[0]["error"];
        for path in ["/probe", "/line", "/moves"] {
            let answer = server.ask(path, position);
            assert_eq!(answer.status, 400);
            assert_eq!(answer.json(), json!({"position": position, "error": expected}));
        }
    }
    server.get("/probe?position=a1W+%ff+w").refuses(400, "expected");
    for (query, found) in [
        ("", "found none"),
        ("?", "found none"),
        ("?pos=a1W+b2B+w", "found pos="),
        ("?position=a1W+b2B+w&position=a1W+b2B+w", "found two"),
        ("?position=a1W+b2B+w&moves=1", "expected position=, line=, found moves="),
        ("?position=a1W+b2B+w&line=yes", "expected line=1 or line=0, found \"yes\""),
        (
            "?line=1",
            "expected position= such as position=a1WWW+b2BBB+w (of position=, line=), found none",
        ),
    ] {
        server.get(&format!("/probe{query}")).refuses(400, found);
    }
}

#[test]
fn what_the_tables_do_not_have_is_404() {
    let server = Server::start(&[]);
    for (position, why) in [
        ("a1w c3B w", "soldier on a1"),
        ("a1WBW c3B w", "a1WBW"),
        ("a1WWWWWW c3BBBBBB w", "table of 6-6 under lasca rules is not here"),
        ("a1WWWWWWWW c3BBBBB w", "table of 8-5 under lasca rules is not here"),
    ] {
        for path in ["/probe", "/line"] {
            let json = server.ask(path, position).refuses(404, why);
            assert_eq!(json["position"], position);
            assert_eq!(json.as_object().unwrap().len(), 2);
        }
    }
    // A search can answer, if there is one.
    server.ask("/probe", "a1w c3B w").refuses(404, "soldier on a1; /solve finds out by search");
    let answer = Server::start(&["--searches", "0"]).ask("/probe", "a1w c3B w").json();
    assert!(!answer["error"].as_str().unwrap().contains("/solve"), "{answer}");
    let start = "b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w";
    assert_eq!(server.ask("/moves", start).json()["moves"].as_array().unwrap().len(), 6);
    server.get("/nothing").refuses(404, "found /nothing");
    server.get("/../etc/passwd").refuses(404, "expected /");
}

/// A server whose only table has no distances.
fn without_distances() -> (TempDir, Server) {
    let folder = copies(&["lasca-2-1"]);
    fs::remove_file(folder.path().join("lasca-2-1.ltbd")).unwrap();
    let server = Server::start(&["--tables", path(&folder)]);
    (folder, server)
}

#[test]
fn who_wins_is_told_without_the_distances() {
    let (_folder, server) = without_distances();
    let answer = server.ask("/probe", "a1WW c3B w").json();
    assert_eq!((&answer["wdl"], &answer["dtw"]), (&json!("win"), &Value::Null));
    assert_eq!(answer["moves"][0]["wdl"], "win");
    for target in ["/line?position=a1WW+c3B+w", "/probe?position=a1WW+c3B+w&line=1"] {
        let expected = "lasca-2-1.ltbd is not here, so no distance is known";
        server.get(target).refuses(404, expected);
    }
    assert_eq!(server.get("/tables").json()["tables"][0]["distances"], false);
}

#[test]
fn moves_without_measure_are_not_listed() {
    let server = Server::start(&["--rules", "rejump"]);
    let many = "c3W b2BBBBB d2BBBBB b4BBBBB d4BBBBBB w";
    server.ask("/moves", many).refuses(400, "too many moves");
    // The command line lists them.
    let answer = &printed(&["moves", many, "--json", "--rules", "rejump"])[0];
    assert!(answer["moves"].as_array().unwrap().len() > 100);
}

#[cfg(target_os = "linux")]
#[test]
fn moves_that_are_too_many_to_list_take_no_memory() {
    let server = Server::start(&["--rules", "rejump", "--workers", "1"]);
    let peak = || {
        let status = fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() << 10
    };
    server.ask("/moves", "a1W b2B w").json();
    let before = peak();
    let many = "c3W b2BBBBB d2BBBBB b4BBBBB d4BBBBBB w";
    server.ask("/moves", many).refuses(400, "too many moves");
    let taken = peak() - before;
    assert!(taken < 8 << 20, "{taken} bytes");
}

#[test]
fn a_damaged_table_is_500_and_the_others_answer() {
    let folder = copies(&["lasca-1-1", "lasca-2-1", "lasca-2-2"]);
    // One is cut off, which is seen when it is opened; in one, bytes of values are wrong.
    let [cut, flipped] = ["lasca-1-1.ltbw", "lasca-2-1.ltbd"].map(|name| folder.path().join(name));
    let bytes = fs::read(&cut).unwrap();
    fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let mut bytes = fs::read(&flipped).unwrap();
    bytes[100..140].fill(0x5a);
    fs::write(&flipped, bytes).unwrap();

    let server = Server::start(&["--tables", path(&folder)]);
    server.ask("/probe", "a1W g7B w").refuses(500, "lasca-1-1.ltbw is damaged");
    let damaged = positions().into_iter().map(|position| server.ask("/probe", &position));
    let damaged: Vec<Answer> = damaged.filter(|answer| answer.status == 500).collect();
    assert!(!damaged.is_empty());
    for answer in damaged {
        let json = answer.refuses(500, "is damaged");
        assert!(!json.to_string().contains(path(&folder)), "{json}");
    }
    assert_eq!(server.ask("/probe", "a1W g1W a7B g7B w").json()["wdl"], "draw");
    let listed = server.get("/tables");
    assert!(!listed.text().contains(path(&folder)));
    assert_eq!(listed.json()["tables"][0]["error"], "lasca-1-1.ltbw is damaged");
    drop(server);

    // The beginning of a DTW file is checked as well when the table is opened.
    let head = folder.path().join("lasca-2-2.ltbd");
    let mut bytes = fs::read(&head).unwrap();
    bytes[..40].fill(0x5a);
    fs::write(&head, bytes).unwrap();
    let server = Server::start(&["--tables", path(&folder)]);
    let listed = server.get("/tables");
    assert!(!listed.text().contains(path(&folder)), "{}", listed.text());
    assert_eq!(listed.json()["tables"][2]["error"], "lasca-2-2.ltbd is damaged");
}

#[test]
fn what_is_no_request_for_it_is_refused() {
    let server = Server::start(&[]);
    let refused = |request: &str, has_body| {
        let mut client = server.connect();
        client.send(request);
        client.answer(has_body)
    };
    for (path, expected, allowed) in [
        ("/line", "GET, HEAD, found PUT", "GET,HEAD"),
        ("/probe", "GET, HEAD or POST, found PUT", "GET,HEAD,POST"),
    ] {
        let request = format!("PUT {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let answer = refused(&request, true);
        answer.refuses(405, expected);
        assert_eq!(answer.header("allow"), Some(allowed));
    }
    refused("GET /probe HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n", true)
        .refuses(413, "without a body");
    let long = "a1W+".repeat(2000);
    server.get(&format!("/probe?position={long}")).refuses(414, "at most 4096 bytes");
    assert_eq!(refused("nonsense\r\n\r\n", true).status, 400);
    refused("GET /healthz HTTP/1.1\r\n\r\n", true).refuses(400, "one Host header");
    for (version, expected) in [
        ("1.0", "expected at most one Host header, found 2"),
        ("1.1", "expected one Host header, as HTTP/1.1 requires, found 2"),
    ] {
        let hosts = "Host: localhost\r\nHost: localhost\r\n";
        refused(&format!("GET /healthz HTTP/{version}\r\n{hosts}\r\n"), true)
            .refuses(400, expected);
    }
    assert_eq!(refused("GET /healthz HTTP/1.0\r\n\r\n", true).text(), "ok\n");
    let long = "x".repeat(20_000);
    assert_eq!(refused(&format!("GET / HTTP/1.1\r\nX: {long}\r\n\r\n"), true).status, 431);
    for (lines, status) in [(99, 200), (100, 431)] {
        let lines: String = (0..lines).map(|i| format!("X-{i}: x\r\n")).collect();
        let request = format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n");
        assert_eq!(refused(&request, true).status, status);
    }
    // HTTP/2 begins with these lines. The connection is closed without an answer.
    let mut client = server.connect();
    client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    assert!(client.try_answer(true).is_none());
    assert_eq!(refused("GET /healthz HTTP/2.0\r\nHost: localhost\r\n\r\n", true).status, 400);
    assert_eq!(server.get("/healthz").text(), "ok\n");
}

/// A server that may have this many files open, if the system allows no more either.
#[cfg(unix)]
fn with_few_files(limit: &str, args: &[&str]) -> Server {
    let shell = format!("ulimit {limit} && exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &shell, BINARY]).current_dir(ROOT).env_remove("LASCA_TABLES");
    Server::start_as(command, args)
}

#[cfg(unix)]
#[test]
fn idle_connections_lock_nobody_out_if_few_files_may_be_open() {
    let server = with_few_files("-n 64", &["--connections", "512", "--workers", "2"]);
    let mut idle: Vec<Client> = (0..100).map(|_| server.connect()).collect();
    assert_eq!(server.ask("/probe", "a1W b2B w").json()["dtw"], 1);
    for client in idle.iter_mut().rev().take(4) {
        assert_eq!(client.get(&target("/probe", "a1W b2B w")).json()["dtw"], 1);
    }
    let (status, log) = server.stop();
    assert_eq!(status, Some(0), "{log}");
    let said = log.lines().next().unwrap();
    assert!(said.starts_with("lasca-tb: connections are limited to "), "{log}");
    assert!(said.contains(" instead of 512: the system allows 64 open files"), "{log}");
    assert_eq!(log.matches("connections are limited").count(), 1, "{log}");
    assert_eq!(log.matches("accepting a connection failed").count(), 0, "{log}");
}

#[cfg(unix)]
#[test]
fn the_limit_of_open_files_is_raised_as_far_as_the_system_allows() {
    let server = with_few_files("-S -n 64", &["--connections", "512"]);
    let idle: Vec<Client> = (0..200).map(|_| server.connect()).collect();
    assert_eq!(server.get("/healthz").text(), "ok\n");
    assert!(server.metric("lasca_tb_connections") >= Some(200.0));
    drop(idle);
    let (_, log) = server.stop();
    assert!(!log.contains("connections are limited"), "{log}");
}

// what is told about it

#[test]
fn metrics_count_what_was_asked() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    for position in ["a1W b2B w", "b2W f6B w", "nonsense", "a1WWWWWW c3BBBBBB w"] {
        client.get(&target("/probe", position));
    }
    client.get("/no%20such%20path");
    let text = client.get("/metrics").text();
    // Every line is a comment or a name with its labels and a number; each name has its type.
    let mut types = Vec::new();
    for line in text.lines() {
        if let Some(kind) = line.strip_prefix("# TYPE ") {
            types.push(kind.split(' ').next().unwrap());
        } else if !line.starts_with("# HELP ") {
            let (name, value) = line.rsplit_once(' ').unwrap();
            assert!(value.parse::<f64>().is_ok(), "{line}");
            let name = name.split('{').next().unwrap();
            let name = ["_bucket", "_sum", "_count"]
                .iter()
                .find_map(|end| name.strip_suffix(end).filter(|name| types.contains(name)))
                .unwrap_or(name);
            assert!(types.contains(&name), "{line}");
        }
    }
    for line in [
        concat!(r#"lasca_tb_info{rules="lasca",version=""#, env!("CARGO_PKG_VERSION"), r#""} 1"#),
        r#"lasca_tb_connections_closed_total{why="slow"} 0"#,
        r#"lasca_tb_requests_total{route="/probe",status="200"} 2"#,
        r#"lasca_tb_requests_total{route="/probe",status="400"} 1"#,
        r#"lasca_tb_requests_total{route="/probe",status="404"} 1"#,
        r#"lasca_tb_requests_total{route="other",status="404"} 1"#,
        r#"lasca_tb_request_seconds_bucket{route="/probe",le="+Inf"} 4"#,
        r#"lasca_tb_request_seconds_count{route="/probe"} 4"#,
        "lasca_tb_requests_under_way 1",
        "lasca_tb_connections 1",
        "lasca_tb_workers_busy 0",
    ] {
        assert!(text.lines().any(|found| found == line), "expected {line} in\n{text}");
    }
}

#[cfg(unix)]
#[test]
fn every_request_is_a_line_of_the_log() {
    let server = Server::start(&[]);
    server.get("/probe?position=a1W+b2B+w");
    server.get("/nothing?a%0Ab");
    server.get("/nothing?\u{9b}é");
    server.get(&format!("/{}", "x".repeat(3000)));
    let (status, log) = server.stop();
    assert_eq!(status, Some(0), "{log}");
    let lines: Vec<Vec<&str>> = log.lines().map(|line| line.split(' ').collect()).collect();
    let requests: Vec<&Vec<&str>> = lines.iter().filter(|line| line[2] == "GET").collect();
    assert_eq!(requests.len(), 4, "{log}");
    let [time, client, _, target, status, took] = requests[0][..] else { panic!("{log}") };
    assert!(time.len() == 27 && time.ends_with('Z') && time.starts_with("20"), "{time}");
    assert!(client.starts_with("127.0.0.1:"), "{client}");
    assert_eq!((target, status), ("/probe?position=a1W+b2B+w", "200"));
    assert!(took.strip_suffix("ms").unwrap().parse::<f64>().is_ok(), "{took}");
    assert_eq!((requests[1][3], requests[1][4]), ("/nothing?a%0Ab", "404"));
    assert_eq!(requests[2][3], "/nothing?%C2%9B%C3%A9");
    assert!(requests[3][3].len() < 500, "a long path is cut");
    assert!(log.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n')), "{log:?}");
}

// limits

#[test]
fn a_client_that_is_slow_is_cut_off_and_holds_nobody() {
    let server = Server::start(&["--patience", "1", "--workers", "1"]);
    let begun = Instant::now();
    let mut slow: Vec<Client> = (0..20).map(|_| server.connect()).collect();
    for (i, client) in slow.iter_mut().enumerate() {
        client.send(&"GET /probe?position=a1W+b2B+w HTTP/1.1\r\nX: "[..i * 2]);
    }
    assert_eq!(server.ask("/probe", "a1W b2B w").json()["dtw"], 1);
    let mut slow_body = server.connect();
    slow_body.send("POST /probe HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\na1W");
    slow_body.answer(true).refuses(408, "did not come in time");
    for client in &mut slow {
        assert!(client.is_closed());
    }
    assert!(begun.elapsed() >= Duration::from_secs(1));
    assert!(server.metric(r#"lasca_tb_connections_closed_total{why="slow"}"#) >= Some(1.0));
}

#[test]
fn a_connection_that_asks_for_nothing_gives_way_to_one_that_does() {
    let server = Server::start(&["--connections", "4"]);
    let mut idle: Vec<Client> = (0..4).map(|_| server.connect()).collect();
    for client in &mut idle {
        assert_eq!(client.get("/healthz").status, 200);
    }
    // Each of these closes one that was there before.
    let mut others: Vec<Client> = (0..4).map(|_| server.connect()).collect();
    for client in &mut others {
        assert_eq!(client.get(&target("/probe", "a1W b2B w")).json()["dtw"], 1);
    }
    assert!(idle.iter_mut().all(Client::is_closed));
}

#[test]
fn what_is_too_much_is_sent_away_and_may_come_again() {
    let server = Server::start(&["--workers", "1", "--queue", "0"]);
    let (send, found) = mpsc::channel();
    let end = Instant::now() + PATIENCE;
    let seen = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..8 {
            let (send, seen, mut client) = (send.clone(), &seen, server.connect());
            scope.spawn(move || {
                loop {
                    let answer = client.get(&target("/line", "a1W c1W g1W e3B a7B w"));
                    seen.fetch_or(answer.status == 503, Ordering::Relaxed);
                    send.send(answer).unwrap();
                    if seen.load(Ordering::Relaxed) || Instant::now() > end {
                        break;
                    }
                }
            });
        }
    });
    drop(send);
    let (mut answered, mut sent_away) = (0, 0);
    for answer in found {
        if answer.status == 503 {
            answer.refuses(503, "too many requests");
            assert_eq!(answer.header("retry-after"), Some("1"));
            sent_away += 1;
        } else {
            assert_eq!(answer.json()["dtw"], 41);
            answered += 1;
        }
    }
    assert!(sent_away > 0 && answered > 0, "{sent_away} {answered}");
    assert_eq!(server.ask("/line", "a1W c1W g1W e3B a7B w").json()["dtw"], 41);
}

// beginning and end

#[cfg(unix)]
#[test]
fn a_signal_ends_it_when_what_is_under_way_is_answered() {
    for signal in ["-TERM", "-INT"] {
        // Who has asked for nothing does not keep it, however patient it is.
        let server = Server::start(&["--patience", "600"]);
        let _silent = server.connect();
        let mut idle = server.connect();
        idle.get("/healthz");
        let begun = Instant::now();
        thread::scope(|scope| {
            let clients: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let mut client = server.connect();
                        let mut answered = 0;
                        loop {
                            // Nothing is sent in part: an answer is whole, or does not begin.
                            let request =
                                "GET /line?position=a1W+c1W+g1W+e3B+a7B+w HTTP/1.1\r\nHost: localhost\r\n\r\n";
                            if client.stream.get_mut().write_all(request.as_bytes()).is_err() {
                                break answered;
                            }
                            let Some(answer) = client.try_answer(true) else { break answered };
                            assert_eq!(answer.json()["dtw"], 41);
                            answered += 1;
                        }
                    })
                })
                .collect();
            while server.metric("lasca_tb_requests_under_way") < Some(2.0) {}
            server.signal(signal);
            let answered: u32 = clients.into_iter().map(|client| client.join().unwrap()).sum();
            assert!(answered > 0);
        });
        assert!(idle.is_closed());
        let (status, log) = server.ended();
        assert_eq!(status, Some(0), "{log}");
        assert!(begun.elapsed() < Duration::from_secs(300), "it waits for no client that is idle");
        assert!(log.contains(" - stopped\n"), "{log}");
    }
}

/// Expects that the server does not start: its exit status, and what it says.
#[track_caller]
fn does_not_start(args: &[&str], status: i32, says: &str) {
    let output = program(&[&["serve"], args].concat()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(status), "{stderr}");
    assert!(stderr.contains(says), "{stderr}");
    assert!(output.stdout.is_empty());
}

#[test]
fn it_says_why_it_does_not_start() {
    let server = Server::start(&[]);
    let taken = ["--addr", &server.addr];
    does_not_start(&taken, 2, "another program already does");
    does_not_start(&taken, 2, "--addr 127.0.0.1:0");
    does_not_start(&["--tables", "/nowhere"], 1, "/nowhere");
    for addr in ["x", "1911", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:99999"] {
        does_not_start(&["--addr", addr], 2, "an address and a port such as 127.0.0.1:1911");
    }
    does_not_start(&["--allow-origin", "example.org"], 2, "https://example.org");
    for option in ["--workers", "--time-limit", "--patience", "--connections"] {
        does_not_start(&[option, "0"], 2, option);
    }
    for (option, value, expected) in [
        ("--search-seconds", "0", "from 1 to 86400"),
        ("--search-memory", "1", "at least 4.0 MiB"),
        ("--search-memory", "much", "a size such as"),
        ("--searches", "-1", "from 0 to 1024"),
    ] {
        does_not_start(&[&format!("{option}={value}")], 2, expected);
    }
}
