//! Tables that are overwritten, cut short or replaced while a program has them open.

use crate::ROOT;
use crate::common::tables::{self, Files, material};
use crate::common::wait::wait_until;
use crate::run::{Folder, copy};
use crate::server::Server;
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::{FileKind, file_name};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

/// A table of several pages.
const TABLE: &str = "4-2";

/// A folder with the table. No test changes it.
static FOLDER: LazyLock<Folder> = LazyLock::new(|| Folder::of_bignor(&[TABLE]));

/// Another folder with the table.
fn folder_of_table() -> Folder {
    let folder = Folder::empty();
    replace(&folder, &right_bytes());
    folder
}

/// The paths of the files of the table in a folder.
fn files_in(folder: &Path) -> [PathBuf; 2] {
    FileKind::ALL.map(|kind| folder.join(file_name(material(TABLE), RuleSet::Bignor, kind)))
}

/// The bytes of the table.
fn right_bytes() -> Files {
    Files::read(&FOLDER, material(TABLE), RuleSet::Bignor)
}

/// Bytes of no table.
fn other_bytes() -> Files {
    Files { wdl: b"something else".to_vec(), dtw: b"something else".to_vec() }
}

/// Positions of all parts of the table, with who wins and in how many plies.
fn questions() -> Vec<(String, &'static str, Option<u16>)> {
    let tables = Tablebase::open(&**FOLDER, RuleSet::Bignor).unwrap();
    let table = tables.table(material(TABLE)).unwrap();
    let mut questions = Vec::new();
    for slice in table.slices() {
        let color = table.material().stored_sides()[slice.side()];
        let positions = slice.index().positions();
        for number in (0..positions).step_by((positions / 12).max(1) as usize) {
            let position = slice.index().position(number).to_position(color).unwrap();
            let value = tables.value(&position).unwrap();
            questions.push((position.to_string(), value.wdl().name(), value.dtw()));
        }
    }
    questions
}

/// Checks an answer, which may be an error that names a file of the table or says that it is gone;
/// returns whether it is no error.
fn is_right((position, wdl, dtw): &(String, &str, Option<u16>), answer: &Value) -> bool {
    if let Some(error) = answer["error"].as_str() {
        assert!(error.contains("bignor-4-2") || error.contains("the table of 4-2"), "{error}");
        return false;
    }
    assert_eq!(answer["wdl"], *wdl, "{position}: {answer}");
    assert_eq!(answer["dtw"].as_u64(), dtw.map(u64::from), "{position}: {answer}");
    true
}

/// Writes over the files in place; calls `between` after each part.
fn copy_over(folder: &Path, files: &Files, between: impl Fn()) {
    for (path, kind) in files_in(folder).iter().zip(FileKind::ALL) {
        tables::copy_over(path, files.of(kind), &between);
    }
}

/// Puts other files in place of those that are there.
fn replace(folder: &Path, files: &Files) {
    files.put(folder, material(TABLE), RuleSet::Bignor);
}

/// Asks the server all questions until each of them has its answer.
fn answers_all(server: &Server, questions: &[(String, &'static str, Option<u16>)]) {
    let ask = |question: &(String, _, _)| server.ask("/probe", &question.0).json();
    for question in questions {
        wait_until(&question.0, || is_right(question, &ask(question)));
    }
}

/// Asks the server until its log has this line one more time than `before`.
fn asks_until_logged(server: &Server, question: &str, line: &str, before: usize) {
    wait_until(line, || {
        server.ask("/probe", question);
        server.logged(line) > before
    });
}

/// What the server logs when it uses new files.
const OPENED: &str = "tables opened anew, as these have changed: bignor-4-2.ltbd, bignor-4-2.ltbw";

#[test]
fn a_server_survives_what_happens_to_its_files_and_goes_on_with_the_new_ones() {
    let (questions, folder, right) = (questions(), folder_of_table(), right_bytes());
    let server = Server::start(&["--rules", "bignor", "--tables", folder.name()]);
    let ask = |question: &(String, _, _)| {
        is_right(question, &server.ask("/probe", &question.0).json());
    };
    for trial in 0..4 {
        let opened = server.logged(OPENED);
        match trial {
            0 => copy_over(&folder, &right, || ask(&questions[0])),
            1 => {
                for path in files_in(&folder) {
                    fs::File::options().write(true).open(path).unwrap().set_len(100).unwrap();
                }
            }
            2 => replace(&folder, &other_bytes()),
            _ => {
                let mut garbage = right.clone();
                FileKind::ALL.iter().for_each(|&kind| garbage.of_mut(kind).fill(0x55));
                copy_over(&folder, &garbage, || ask(&questions[0]));
            }
        }
        questions.iter().for_each(ask);
        copy_over(&folder, &right, || ask(&questions[0]));
        // Whatever the server has read of the old files, it uses the new ones now.
        asks_until_logged(&server, &questions[0].0, OPENED, opened);
        answers_all(&server, &questions);
    }
    server.stop();
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
        let folder = folder_of_table();
        let server = Server::start(&["--rules", "bignor", "--tables", folder.name()]);
        let ask = || server.ask("/probe", "b2B d2W a7W w");
        let begun = Instant::now();
        let mut bytes = Vec::new();
        while begun.elapsed() < Duration::from_secs(3) {
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

#[test]
fn an_open_table_stays_if_the_new_one_cannot_be_opened() {
    let (questions, folder) = (questions(), folder_of_table());
    let server = Server::start(&["--rules", "bignor", "--tables", folder.name()]);
    answers_all(&server, &questions);
    for opened in 0..2 {
        replace(&folder, &other_bytes());
        asks_until_logged(&server, &questions[0].0, OPENED, opened);
        for question in &questions {
            let answer = server.ask("/probe", &question.0).json();
            assert!(is_right(question, &answer), "{answer}");
        }
    }
    assert!(server.stop().contains("bignor-4-2.ltbw: "));
}
