//! What each target does with its bytes. `tests/library/fuzz_corpus.rs` runs the same on the kept corpus, so
//! this file uses the library's public interface alone.
//!
//! A panic is a finding, be it the library's or that of an assertion here.

#![allow(dead_code, reason = "each target is a program of its own and uses one of these")]

use lasca_tablebase::notation::{board_text, move_text as written, parse_move, row_form};
use lasca_tablebase::rules::{Position, RuleSet};
use lasca_tablebase::table::Table;

/// Under rules that let squares be jumped again, the moves of so many counters are still few.
const FEW_COUNTERS: usize = 14;

/// Tables of at most so many positions are also read as a whole.
const FEW_POSITIONS: u64 = 1 << 20;

/// Reads text as a position: what is one is printed, in list form and in row form, as text that is
/// read as the same.
pub fn position_text(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match text.parse::<Position>() {
        Ok(position) => {
            for printed in [position.to_string(), row_form(&position)] {
                assert_eq!(printed.parse(), Ok(position), "{text:?} printed as {printed:?}");
            }
            board_text(&position);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Reads the first line as a position and the rest as a move of it: what is one is legal, and is
/// printed as text that is read as the same.
pub fn move_text(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Some((position, text)) = text.split_once('\n') else { return };
    let Ok(position) = position.parse::<Position>() else { return };
    for rules in RuleSet::ALL {
        let counters = position.counters();
        if rules.jumps_again() && counters.white + counters.black > FEW_COUNTERS {
            continue;
        }
        match parse_move(text, &position, rules) {
            Ok(read) => {
                let legal = position.successors(rules).unwrap();
                assert!(legal.contains(&read), "{text:?} in {position} under {rules}");
                let printed = written(&read.0, &read.1);
                let again = parse_move(&printed, &position, rules);
                assert_eq!(again.as_ref(), Ok(&read), "{printed:?} in {position} under {rules}");
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// Splits bytes into the two files of a table: the WDL file, as long as its header says (`docs/FORMAT.md`), then the
/// DTW file. Where nothing is left for the DTW file, there is none.
pub fn two_files(data: &[u8]) -> (&[u8], Option<&[u8]>) {
    let Some(len) = data.get(24..).and_then(<[u8]>::first_chunk) else { return (data, None) };
    let len = u64::from_le_bytes(*len).min(data.len() as u64);
    let (wdl, dtw) = data.split_at(len as usize);
    (wdl, (!dtw.is_empty()).then_some(dtw))
}

/// Opens bytes as the files of a table and, if they are one, asks for values: the first and the last of
/// each slice and some between.
pub fn table_bytes(data: &[u8]) {
    let (wdl, dtw) = two_files(data);
    let table = match Table::open(wdl.to_vec(), dtw.map(|dtw| dtw.to_vec().into())) {
        Ok(table) => table,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    // Each may fail; none may panic.
    let _ = (table.check_bytes(), table.check_whole());
    for slice in table.slices() {
        let positions = slice.index().positions();
        for number in (0..4).map(|part| positions / 4 * part).chain([positions - 1]) {
            let position = slice.index().position(number);
            match (table.wdl(&position), table.value(&position)) {
                (_, Ok(value)) => assert!(table.has_dtw() && value.dtw() != Some(u16::MAX)),
                (Ok(_), Err(error)) | (Err(error), _) => assert!(!error.to_string().is_empty()),
            }
        }
    }
    if table.positions() <= FEW_POSITIONS {
        let _ = table.read();
    }
}
