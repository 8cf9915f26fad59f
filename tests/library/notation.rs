//! Positions and moves as text: what is read, what is refused and with what words, round trips.

use crate::arbitrary::{TRIALS, any_position, for_each, letters};
use crate::common::numbers::Numbers;
use crate::common::position as read;
use lasca_tablebase::Reason;
use lasca_tablebase::notation::{
    MAX_TEXT_LEN, TextError, board_text, move_text, parse_move, row_form,
};
use lasca_tablebase::rules::{Color, Column, Position, RuleSet, Square};

fn position_error(text: &str) -> TextError {
    match text.parse::<Position>() {
        Ok(position) => panic!("{text:?} was read as {position}"),
        Err(error) => error,
    }
}

fn move_error(text: &str, position: &str, rules: RuleSet) -> TextError {
    match parse_move(text, &read(position), rules) {
        Ok((played, _)) => panic!("{text:?} in {position} was read as {played}"),
        Err(error) => error,
    }
}

// Texts of data/notation.txt

/// The message of an error, whose reason must fit it.
fn message(error: TextError, usual: Reason) -> String {
    let said = error.to_string();
    let is_over = said.contains("the game is over");
    assert_eq!(error.reason(), if is_over { Reason::GameOver } else { usual }, "{error:?}");
    said
}

/// `data/notation.txt` says what its lines mean.
#[test]
fn each_listed_text_is_read_as_it_says_or_refused_with_these_words() {
    let lines = include_str!("../data/notation.txt").lines();
    let mut head = ("", "", "");
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let Some(rest) = line.strip_prefix("  \"") else {
            let (what, expected) = line.split_once(' ').unwrap_or((line, ""));
            head = match (what, expected.split_once(" in ")) {
                ("position", None) => (what, expected, ""),
                ("move", Some((expected, before))) => (what, expected, before),
                _ => panic!("expected a position, a move in a position or a text, found {line}"),
            };
            continue;
        };
        let (what, expected, before) = head;
        let (text, refusal) = match rest.split_once("\" => ") {
            Some((text, refusal)) => (text, Some(refusal)),
            None => (rest.strip_suffix('"').expect(line), None),
        };
        assert_eq!(refusal.is_some(), expected == "refused", "{line}\nbelow {head:?}");
        let text = text.replace("\\n", "\n").replace("\\t", "\t");
        let (before, rules) = before.split_once(" under ").unwrap_or((before, "lasca"));
        let found = match what {
            "position" => text
                .parse()
                .map(|position: Position| position.to_string())
                .map_err(|error| message(error, Reason::NotAPosition)),
            _ => parse_move(&text, &read(before), rules.parse().unwrap())
                .map(|(played, after)| move_text(&played, &after))
                .map_err(|error| message(error, Reason::NotAMove)),
        };
        let expected = refusal.map_or(Ok(expected), Err);
        assert_eq!(found.as_deref().map_err(String::as_str), expected, "{line}\nbelow {head:?}");
    }
    assert_ne!(head, ("", "", ""), "texts are listed");
    assert_eq!(read("start"), Position::start());
}

// Other texts

#[test]
fn texts_that_are_too_long_are_refused_unread_and_messages_stay_short() {
    let text = format!("a1W b2B w{}", " ".repeat(MAX_TEXT_LEN));
    let message = "expected a position of at most 4096 bytes, found 4105";
    assert_eq!(position_error(&text).to_string(), message);
    let long = "c3-d4".to_owned() + &"!".repeat(MAX_TEXT_LEN);
    let error = move_error(&long, "c3W e7B w", RuleSet::Lasca);
    assert_eq!(error.to_string(), "expected a move of at most 4096 bytes, found 4101");
    let text = format!("a1W {} w", "q".repeat(4000));
    assert!(position_error(&text).to_string().len() < 200);
    let text = format!("c3-d4{}", "W".repeat(4000));
    assert!(move_error(&text, "c3W e7B w", RuleSet::Lasca).to_string().len() < 200);
}

#[test]
fn a_long_list_of_legal_moves_is_cut() {
    const MANY: &str = "b2W f2W d4W b6W f6W g1B w";
    let legal = read(MANY).moves(RuleSet::Lasca).unwrap();
    let listed = move_error("a1-c3", MANY, RuleSet::Lasca).to_string();
    assert!(legal.len() > 12);
    assert_eq!(listed.matches('-').count(), 12 + 1, "{listed}");
    assert!(listed.contains(&format!(", … {} in all)", legal.len())), "{listed}");
}

// The board as a drawing

#[test]
fn the_drawing_makes_room_for_the_highest_column() {
    let expected = "\
7 .         .         .         .
6      .         .         .
5 .         .         .         .
4      .         .         .
3 WWWWBBBB  W5B4      .         .
2      .         .         .
1 .         .         .         bbb
  a    b    c    d    e    f    g
Black to move";
    let position = read("a3WWWWBBBB c3WWWWWBBBB g1bbb b");
    assert_eq!(board_text(&position), expected);
}

// Round trips

#[test]
fn a_position_is_read_back_from_either_form_and_in_either_case() {
    let make = |numbers: &mut Numbers| (any_position(numbers), numbers.any(), numbers.below(4));
    for_each(TRIALS, make, |&(position, upper, side)| {
        assert_eq!(position.to_string().parse(), Ok(position));
        let name_of = |square: Square| match upper >> square.index() & 1 {
            1 => square.to_string().to_uppercase(),
            _ => square.to_string(),
        };
        let list = |of: &dyn Fn(Square) -> String| -> String {
            position
                .columns()
                .map(|(square, column)| of(square) + &column.to_string() + " ")
                .collect()
        };
        let rows = row_form(&position);
        assert_eq!(rows.parse(), Ok(position));
        let mover = position.side_to_move();
        let (letter, name) = (mover.letter().to_string(), mover.name());
        let side =
            [letter.to_uppercase(), letter, name.to_uppercase(), name.to_owned()][side].clone();
        let numbered = list(&|square| square.number().to_string());
        let rows = rows[..rows.len() - 1].to_owned();
        for board in [list(&name_of), numbered, rows] {
            assert_eq!((board + &side).parse(), Ok(position));
        }
    });
}

#[test]
fn a_move_is_read_as_printed_by_its_squares_in_either_case_and_by_its_landings() {
    for_each(TRIALS, any_position, |&before| {
        for rules in RuleSet::ALL {
            for (played, after) in before.successors(rules).unwrap() {
                let expected = Ok((played, after));
                let (printed, squares) = (move_text(&played, &after), played.to_string());
                let stops: Vec<String> = std::iter::once(played.from())
                    .chain(played.landings())
                    .map(|square| square.number().to_string())
                    .collect();
                for text in [printed, squares.to_uppercase(), squares, stops.join("x")] {
                    assert_eq!(parse_move(&text, &before, rules), expected.clone());
                }
            }
        }
    });
}

#[test]
fn start_and_end_name_a_move_or_list_all_that_they_fit() {
    for_each(TRIALS, any_position, |&before| {
        for rules in RuleSet::ALL {
            let successors = before.successors(rules).unwrap();
            for (played, after) in &successors {
                let text = format!("{}-{}", played.from(), played.to());
                let alike = successors
                    .iter()
                    .filter(|(other, _)| (other.from(), other.to()) == (played.from(), played.to()))
                    .map(|(other, after)| move_text(other, after))
                    .collect::<Vec<_>>();
                match parse_move(&text, &before, rules) {
                    Ok(read) if alike.len() == 1 => assert_eq!(read, (*played, *after)),
                    // The two squares are all landings of one of the moves.
                    Ok((read, _)) => assert_eq!(read.landings().count(), 1),
                    Err(error) => {
                        let (count, first) = (alike.len(), alike[..alike.len().min(12)].join(", "));
                        let words = format!("found {text:?}, which fits {count}: {first}");
                        assert!(count > 1 && error.problem.contains(&words), "{error}");
                    }
                }
            }
        }
    });
}

#[test]
fn a_drawing_fits_80_columns_and_shows_every_column() {
    for_each(TRIALS, any_position, |&position| {
        let text = board_text(&position);
        for line in text.lines() {
            assert!(line.chars().count() <= 80 && line == line.trim_end(), "{}", text);
        }
        for (_, column) in position.columns() {
            assert!(text.contains(&column.to_string()));
        }
    });
    // The highest columns, too.
    for letters in ["W".repeat(22), "wBbW".repeat(5), "WWWbB".repeat(4)] {
        for square in Square::all() {
            let column: Column = letters.parse().unwrap();
            let text = board_text(&crate::arbitrary::position([(square, column)], Color::White));
            assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        }
    }
}

#[test]
fn no_text_makes_the_readers_panic() {
    const SOME: &str = "abcdefgh0123456789wbWBx/, .!?ä-";
    let make = |numbers: &mut Numbers| (letters(numbers, SOME, 0..=40), any_position(numbers));
    for_each(TRIALS, make, |(text, before)| {
        let _ = text.parse::<Position>();
        let _ = parse_move(text, before, RuleSet::Lasca);
    });
}
