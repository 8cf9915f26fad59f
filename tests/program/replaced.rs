//! Tables that come, go and are replaced while a server runs. `changed_files` of the library tests what becomes of answers
//! while a file is overwritten.

use crate::ROOT;
use crate::common::tables::{Files, material, positions_in};
use crate::common::wait::wait_until;
use crate::run::{Folder, copy, has};
use crate::server::Server;
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::{Color, OfficerPosition, RuleSet};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// A table that is not inside the program.
const TABLE: &str = "3-2";

/// Positions of all parts of the tables of a folder, with who wins and in how many plies.
fn questions(folder: &Path) -> Vec<(String, &'static str, Option<u16>)> {
    let tables = Tablebase::open(folder, RuleSet::Bignor).unwrap();
    let extent = tables.table(material(TABLE)).unwrap().extent();
    let question = |(side, officers): (Color, OfficerPosition)| {
        let position = officers.to_position(side).unwrap();
        let value = tables.value(&position).unwrap();
        (position.to_string(), value.wdl().name(), value.dtw())
    };
    positions_in(extent, 6).map(question).collect()
}

/// Asks the server until its log has this line one more time than `before`.
fn asks_until_logged(server: &Server, question: &str, line: &str, before: usize) {
    wait_until(line, || {
        server.ask("/probe", question);
        server.logged(line) > before
    });
}

#[test]
fn a_server_goes_on_with_new_files_and_keeps_an_open_table_if_the_new_one_cannot_be_opened() {
    const OPENED: &str =
        "tables opened anew, as these have changed: bignor-3-2.ltbd, bignor-3-2.ltbw";
    let folder = Folder::of_bignor(&[TABLE]);
    let (questions, of) = (questions(&folder), material(TABLE));
    let right = Files::read(&folder, of, RuleSet::Bignor);
    let no_table = Files { wdl: b"something else".to_vec(), dtw: b"something else".to_vec() };
    let server = Server::start(&["--rules", "bignor", "--tables", folder.name()]);
    for (opened, files) in [&no_table, &right].into_iter().enumerate() {
        server.ask("/probe", &questions[0].0);
        files.put(&folder, of, RuleSet::Bignor);
        asks_until_logged(&server, &questions[0].0, OPENED, opened);
        for (position, wdl, dtw) in &questions {
            let answer = server.ask("/probe", position).json();
            has(&answer, json!({"wdl": wdl, "dtw": dtw}));
        }
    }
    let log = server.stop();
    let told = "the table that was there before answers, as a table cannot be opened: ";
    assert_eq!([told, "status 500"].map(|told| log.matches(told).count()), [1, 0], "{log}");
}

#[test]
fn a_server_finds_tables_that_come_and_go_and_those_inside_the_program_stay() {
    let folder = Folder::empty();
    let server = Server::start(&["--tables", folder.name()]);
    let [inside, other] = ["b2B d2W a7W w", "a1WWWWWWWWWWW c3BBBBBBBBBBB w"];
    let asks_until = |status: u16, listed: usize| {
        wait_until(&format!("{status}"), || server.ask("/probe", other).status == status);
        assert_eq!(server.ask("/probe", inside).json()["dtw"], 5);
        let tables = server.get("/tables").json()["tables"].take();
        assert_eq!(tables.as_array().unwrap().len(), listed);
    };
    asks_until(404, 9);
    copy(&Path::new(ROOT).join("tests/data"), "lasca-11-11", &folder, "lasca-11-11");
    asks_until(200, 10);
    assert_eq!(server.ask("/solve", other).json()["positions"], 1);
    ["lasca-11-11.ltbd", "lasca-11-11.ltbw"].iter().for_each(|name| folder.remove(name));
    asks_until(404, 9);
    let line = "tables opened anew, as these have changed: lasca-11-11.ltbd, lasca-11-11.ltbw";
    assert_eq!(server.stop().matches(line).count(), 2);
}

#[test]
fn a_server_waits_until_a_new_file_is_no_longer_written_to() {
    let line = "tables opened anew, as these have changed: bignor-5-4.ltbw";
    'trial: loop {
        let folder = Folder::of_bignor(&[TABLE]);
        let server = Server::start(&["--rules", "bignor", "--tables", folder.name()]);
        let ask = || server.ask("/probe", "b2B d2W a7W w");
        let begun = Instant::now();
        let mut bytes = Vec::new();
        while begun.elapsed() < Duration::from_secs(2) {
            let written = Instant::now();
            bytes.push(0);
            fs::write(folder.join("bignor-5-4.ltbw"), &bytes).unwrap();
            ask();
            if written.elapsed() > Duration::from_millis(900) {
                // On so busy a machine the server may rightly have taken the file for complete.
                continue 'trial;
            }
            thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(server.logged(line), 0);
        wait_until(line, || ask().status == 404 && server.logged(line) == 1);
        let log = server.stop();
        assert_eq!([line, "bignor-5-4.ltbw: "].map(|line| log.matches(line).count()), [1, 1]);
        break;
    }
}
