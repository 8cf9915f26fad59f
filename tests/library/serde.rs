//! Positions, moves and values as JSON.

use crate::common::tables::shipped_tables;
use lasca_tablebase::index::Material;
use lasca_tablebase::probe::Standing;
use lasca_tablebase::rules::{
    ByColor, Color, Column, Counter, CounterKind, Move, Position, RuleSet, Square,
};
use lasca_tablebase::{Outcome, Value, ValueRange, Wdl};
use serde::Serialize;
use serde_json::json;

#[track_caller]
fn is_written(value: impl Serialize, json: &str) {
    assert_eq!(serde_json::to_string(&value).unwrap(), json);
}

#[test]
fn what_has_a_text_is_written_as_that_text() {
    is_written("a1WWW b2BBB, White to move".parse::<Position>().unwrap(), r#""a1WWW b2BBB w""#);
    is_written("a1-b2-c3".parse::<Move>().unwrap(), r#""a1-b2-c3""#);
    is_written("d4".parse::<Square>().unwrap(), r#""d4""#);
    is_written("WbB".parse::<Column>().unwrap(), r#""WbB""#);
    is_written(Column::EMPTY, r#""""#);
    is_written(Counter::from_letter('w'), r#""w""#);
    is_written("4-3".parse::<Material>().unwrap(), r#""4-3""#);
    is_written(RuleSet::Bignor, r#""bignor""#);
    is_written((Color::Black, CounterKind::Soldier), r#"["black","soldier"]"#);
    is_written((Wdl::Loss, Standing::Only), r#"["loss","only move"]"#);
}

#[test]
fn values_have_a_result_and_a_distance() {
    is_written(Value::Win(5), r#"{"wdl":"win","dtw":5}"#);
    is_written(Value::Draw, r#"{"wdl":"draw","dtw":null}"#);
    is_written(ValueRange::from(Value::Loss(4)), r#"{"wdl":"loss","dtw":4}"#);
    is_written(ValueRange::from(Wdl::Loss), r#"{"wdl":"loss","dtw":null}"#);
    is_written(
        ValueRange::new(Value::Draw, Value::Win(2)),
        r#"{"worst":{"wdl":"draw","dtw":null},"best":{"wdl":"win","dtw":2}}"#,
    );
    is_written(ByColor { white: 4, black: 3 }, r#"{"white":4,"black":3}"#);
    is_written([Outcome::Draw, Outcome::Win(Color::White)], r#"["draw",{"win":"white"}]"#);
}

#[test]
fn lines_have_moves_with_their_values() {
    let line = shipped_tables().best_line(&"a1WWW b2BBB w".parse().unwrap()).unwrap();
    let json = serde_json::to_value(&line).unwrap();
    let first = json!({"move": "a1-b2-c3", "position": "b2BB c3WWWB b", "wdl": "win", "dtw": 5});
    assert_eq!(json["moves"][0], first);
    assert_eq!(json["moves"].as_array().unwrap().len(), 5);
    assert_eq!((&json["end"], &json["is_best"]), (&json!({"win": "white"}), &json!(true)));
}
