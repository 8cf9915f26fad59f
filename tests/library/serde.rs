//! Positions, moves and values as JSON.

use crate::common::tables::shipped_tables;
use lasca_analysis::answer::{Question, json};
use lasca_tablebase::index::Material;
use lasca_tablebase::probe::{Line, RatedMove};
use lasca_tablebase::rules::{ByColor, Color, Column, Counter, Move, Position, RuleSet, Square};
use lasca_tablebase::{Outcome, Silent, Value, ValueRange, Wdl};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// What a text of JSON says, after a check that it is also what is written.
fn round_trip<T: Serialize + DeserializeOwned>(json: &str) -> T {
    let read: T = serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"));
    assert_eq!(serde_json::to_string(&read).unwrap(), json);
    read
}

fn refusal<T: DeserializeOwned + Debug>(json: &str) -> String {
    let error = serde_json::from_str::<T>(json).unwrap_err().to_string();
    // Where it is in the JSON comes last.
    error.split(" at line ").next().unwrap().to_owned()
}

#[test]
fn what_has_a_text_is_written_as_that_text() {
    let position: Position = round_trip(r#""a1WWW b2BBB w""#);
    assert_eq!(Ok(position), "a1WWW b2BBB w".parse());
    assert_eq!(round_trip::<Move>(r#""a1-b2-c3""#).to_string(), "a1-b2-c3");
    assert_eq!(round_trip::<Square>(r#""d4""#).number(), 13);
    assert_eq!(round_trip::<Column>(r#""WbB""#).height(), 3);
    assert_eq!(round_trip::<Column>(r#""""#), Column::EMPTY);
    assert_eq!(round_trip::<Counter>(r#""w""#).letter(), 'w');
    assert_eq!(round_trip::<Material>(r#""4-3""#).total(), 7);
    assert_eq!(round_trip::<RuleSet>(r#""bignor""#), RuleSet::Bignor);
    assert_eq!(round_trip::<Color>(r#""black""#), Color::Black);
    assert_eq!(round_trip::<Wdl>(r#""loss""#), Wdl::Loss);
    // Other forms are read too.
    let start: Position = serde_json::from_str(r#""start""#).unwrap();
    assert_eq!(start, Position::start());
}

#[test]
fn values_have_a_result_and_a_distance() {
    assert_eq!(round_trip::<Value>(r#"{"wdl":"win","dtw":5}"#), Value::Win(5));
    assert_eq!(round_trip::<Value>(r#"{"wdl":"draw","dtw":null}"#), Value::Draw);
    assert_eq!(round_trip::<Value>(r#"{"wdl":"win","dtw":0}"#), Value::Win(0));
    assert_eq!(round_trip::<Value>(r#"{"wdl":"loss","dtw":0}"#), Value::Loss(0));
    let known: ValueRange = round_trip(r#"{"wdl":"loss","dtw":null}"#);
    assert_eq!(known, ValueRange::from(Wdl::Loss));
    assert_eq!(round_trip::<ValueRange>(r#"{"wdl":"draw","dtw":null}"#), Value::Draw);
    let known: ValueRange =
        round_trip(r#"{"worst":{"wdl":"draw","dtw":null},"best":{"wdl":"win","dtw":2}}"#);
    assert_eq!((known.worst(), known.best()), (Value::Draw, Value::Win(2)));
    for plies in 0..=u16::MAX {
        let value = Value::from_dtw(Some(plies));
        let json = serde_json::to_value(value).unwrap();
        assert_eq!(serde_json::from_value::<ValueRange>(json.clone()).unwrap(), value);
        assert_eq!(serde_json::from_value::<Value>(json).unwrap(), value);
    }
    let pair: ByColor<u8> = round_trip(r#"{"white":4,"black":3}"#);
    assert_eq!(pair, ByColor { white: 4, black: 3 });
}

#[test]
fn answers_from_tables_come_back_as_they_were() {
    let tables = shipped_tables();
    let line: Line = round_trip(concat!(
        r#"{"moves":[{"move":"a1-b2-c3","position":"b2B c3WB b","wdl":"win","dtw":3},"#,
        r#"{"move":"b2-a1","position":"a1B c3WB w","wdl":"loss","dtw":2}],"#,
        r#""end":{"win":"white"},"is_best":true}"#
    ));
    assert_eq!(line.moves[0].value, Value::Win(3));
    assert_eq!(round_trip::<Outcome>(r#""draw""#), Outcome::Draw);
    for text in ["d2W d4W f2B f4B b", "b2B d2W a7W w", "a1WWW b2BBB w"] {
        let position: Position = text.parse().unwrap();
        let moves = tables.moves(&position).unwrap();
        let json = serde_json::to_string(&moves).unwrap();
        assert_eq!(serde_json::from_str::<Vec<RatedMove<Value>>>(&json).unwrap(), moves, "{json}");
        let line = tables.best_line(&position).unwrap();
        let json = serde_json::to_string(&line).unwrap();
        assert_eq!(serde_json::from_str::<Line<Value>>(&json).unwrap(), line, "{json}");
    }
}

#[test]
fn moves_that_the_program_prints_are_read() {
    let question = Question { moves: true, line: true, ..Question::new(shipped_tables()) };
    for text in ["b2B d2W a7W w", "a1W b2BB w", "c3W e3W c5B w"] {
        let answer = question.answer(&text.parse().unwrap(), None, &Silent).unwrap();
        let printed = serde_json::to_value(json::Answer::new(&answer)).unwrap();
        let read =
            |key: &str| serde_json::from_value::<Vec<RatedMove>>(printed[key].clone()).unwrap();
        assert_eq!(Some(read("moves")), answer.moves, "{printed}");
        assert_eq!(read("line"), answer.line.unwrap().moves, "{printed}");
    }
    let open = r#"{"move":"a1-b2","position":"b2w g7b b","wdl":null,"dtw":null,"at_most":null,"excluded":[]}"#;
    assert_eq!(serde_json::from_str::<RatedMove>(open).unwrap().value, ValueRange::UNKNOWN);
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    assert_eq!(
        refusal::<Position>(r#""a1WWW a2BBB w""#),
        "at character 7: expected one of the 25 squares (a1, c1 … g7, or 1 to 25), found \"a2\""
    );
    assert_eq!(
        refusal::<Square>(r#""a2""#),
        "expected one of the 25 squares (a1, c1 … g7), found \"a2\""
    );
    for wrong in ["", "a1", "a1-c3", "a1-b2-c1", "a1b2", "a1-b2-c3-"] {
        let expected = format!("expected a move such as c3-d4 or a1-b2-c3, found {wrong:?}");
        assert_eq!(refusal::<Move>(&format!("{wrong:?}")), expected);
    }
    let endless = format!("\"a1{}\"", "-b2-c3-b2-a1".repeat(1000));
    assert!(refusal::<Move>(&endless).starts_with("expected a move such as "));
    for wrong in ["", "x", "ww"] {
        assert!(refusal::<Counter>(&format!("{wrong:?}")).starts_with("expected a counter"));
    }
    assert_eq!(refusal::<Column>(r#""WX""#), "expected counters (w, b, W or B), found 'X'");
    assert!(refusal::<Column>(&format!("{:?}", "W".repeat(23))).contains("at most 22"));
    assert!(refusal::<Material>(r#""0-3""#).starts_with("expected at least one counter"));
    assert!(refusal::<RuleSet>(r#""chess""#).starts_with("expected a rule set"));
    assert!(refusal::<Position>("5").starts_with("invalid type: integer `5`, expected a string"));
    for (wrong, reason) in [
        (r#"{"wdl":"draw","dtw":4}"#, "expected no dtw for a draw, found 4"),
        (r#"{"wdl":"win","dtw":4}"#, "expected an odd dtw, or 0, for a win, found 4"),
        (r#"{"wdl":"loss","dtw":5}"#, "expected an even dtw for a loss, found 5"),
    ] {
        assert_eq!(refusal::<Value>(wrong), reason);
        assert_eq!(refusal::<ValueRange>(wrong), reason);
    }
    let worse = r#"{"worst":{"wdl":"win","dtw":5},"best":{"wdl":"draw","dtw":null}}"#;
    let reason = "expected a worst value and one that is no worse";
    assert_eq!(refusal::<ValueRange>(worse), reason);
    let reason = r#"expected a value such as {"wdl":"win","dtw":5}"#;
    assert_eq!(refusal::<ValueRange>(r#""win""#), reason);
    let reason = "expected an odd dtw, or 0, for a win, found none";
    assert_eq!(refusal::<Value>(r#"{"wdl":"win"}"#), reason);
    assert!(refusal::<Value>(r#"{"wdl":"win","dtw":65536}"#).starts_with("invalid value"));
    let reason = r#"invalid type: string "win", expected a value such as {"wdl":"win","dtw":5}"#;
    assert_eq!(refusal::<Value>(r#""win""#), reason);
}
