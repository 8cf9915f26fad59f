//! Positions and moves as text: what is read, what is refused and with what words, round trips.

use crate::arbitrary::positions;
use crate::common::position as read;
use lasca_tablebase::notation::{
    MAX_TEXT_LEN, MoveProblem, ParseMoveError, ParsePositionError, PositionProblem, board_text,
    move_text, parse_move, row_form,
};
use lasca_tablebase::rules::{Color, Column, Position, RuleSet, Square};
use proptest::prelude::*;

fn position_error(text: &str) -> ParsePositionError {
    match text.parse::<Position>() {
        Ok(position) => panic!("{text:?} was read as {position}"),
        Err(error) => error,
    }
}

/// The move in full, as `parse_move` understands `text`.
fn in_full(text: &str, position: &str, rules: RuleSet) -> String {
    match parse_move(text, &read(position), rules) {
        Ok((played, after)) => move_text(&played, &after),
        Err(error) => panic!("{text} in {position}: {error}"),
    }
}

fn move_error(text: &str, position: &str, rules: RuleSet) -> ParseMoveError {
    match parse_move(text, &read(position), rules) {
        Ok((played, _)) => panic!("{text:?} in {position} was read as {played}"),
        Err(error) => error,
    }
}

/// Asserts that each position is refused with these words.
fn assert_refused(cases: &[(&str, &str)]) {
    for (text, message) in cases {
        assert_eq!(position_error(text).to_string(), *message, "{text:?}");
    }
}

/// Asserts that each move in this position is refused with these words.
fn assert_no_moves(position: &str, cases: &[(&str, &str)]) {
    for (text, message) in cases {
        let error = move_error(text, position, RuleSet::Lasca);
        assert_eq!(error.to_string(), *message, "{text:?} in {position}");
    }
}

// Positions that are read

#[test]
fn the_list_form_is_read_in_all_its_spellings() {
    let position = read("a1WWW b2BBB w");
    for text in [
        "a1WWW b2BBB, White to move",
        "a1WWW b2BBB, white to move.",
        "a1WWW b2BBB WHITE TO MOVE",
        "a1WWW, b2BBB, w",
        "a1WWW,b2BBB,w",
        "  a1WWW\tb2BBB   w .\n",
        "b2BBB a1WWW White",
        "a1WWW b2BBB w to move",
        "1WWW 5BBB w",
        "1WWW b2BBB white.",
        "A1WWW b2BBB W",
        "a1WWW,B2BBB,W",
        "B2BBB A1WWW W to move.",
    ] {
        assert_eq!(read(text), position, "{text:?}");
    }
    for text in ["a1WWW b2BBB, Black to move", "a1WWW b2BBB B", "A1WWW,B2BBB,B to move"] {
        assert_eq!(read(text), position.with_side_to_move(Color::Black), "{text:?}");
    }
    // The case of a counter says what it is.
    assert_eq!(read("A1www B2BbB W").to_string(), "a1www b2BbB w");
}

#[test]
fn the_word_start_is_the_starting_position() {
    for text in ["start", "Start", "START", " start.\n"] {
        assert_eq!(read(text), Position::start(), "{text:?}");
    }
    for text in ["start w", "a1W start", "start start", "starts"] {
        position_error(text);
    }
}

#[test]
fn every_square_is_read_by_name_and_by_number() {
    for square in Square::all() {
        let named = read(&format!("{square}wB b"));
        assert_eq!(named.occupied().into_iter().collect::<Vec<_>>(), [square]);
        assert_eq!(read(&format!("{}wB b", square.number())), named);
    }
}

#[test]
fn columns_may_mix_colours_and_kinds() {
    let position = read("a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w");
    let c1 = Square::from_name("c1").unwrap();
    assert_eq!(position.column(c1).to_string(), "WwbBb");
    assert_eq!(position.to_string(), "a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w");
}

#[test]
fn the_row_form_is_read_in_all_its_spellings() {
    let start = "b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w";
    for side in [" w", " W", ", W", " White to move", ", White to move.", "\twhite"] {
        assert_eq!(read(&format!("{start}{side}")), Position::start(), "{side:?}");
    }
    let position = read("d6BBB a1W b");
    for text in [
        "/,BBB,/////W,,, b",
        ",,,/,BBB,/,,,/,,/,,,/,,/W,,, b",
        " , , , / ,BBB, / / / / / W, , , Black",
        "/,BBB,/,,/,,,/,,/,,,/W,,,, Black to move",
    ] {
        assert_eq!(read(text), position, "{text:?}");
    }
    assert_eq!(read("W,,,////// w"), read("a7W w"));
    assert_eq!(read("//////,,,W b"), read("g1W b"));
    assert_eq!(read("W,,,//////,,, w"), read("a7W w"));
}

// Positions that are refused

#[test]
fn squares_that_are_not_played_on_are_refused() {
    let message = |at: usize, found: &str| {
        format!(
            "at character {at}: expected one of the 25 squares (a1, c1 … g7, or 1 to 25), found \
             \"{found}\""
        )
    };
    for (text, at, found) in [
        ("a2W b2B w", 1, "a2"),
        ("a1W h1B w", 5, "h1"),
        ("a1W 26B w", 5, "26"),
        ("a1W 0B w", 5, "0"),
        ("a1W a8B w", 5, "a8"),
        ("a1W B1B w", 5, "B1"),
        ("a1W Ä1B w", 5, "Ä1"),
        ("WWW b2B w", 1, "WWW"),
        ("ä1W b2B w", 1, "ä1"),
        ("a1W w b2B w", 5, "w"),
        // What stands first is told first.
        ("a2W b2B", 1, "a2"),
    ] {
        assert_eq!(position_error(text).to_string(), message(at, found), "{text:?}");
        assert!(matches!(position_error(text).problem, PositionProblem::UnknownSquare { .. }));
    }
}

#[test]
fn columns_that_are_none_are_refused() {
    assert_refused(&[
        ("a1W c3B a1B w", "at character 9: expected each square once, found a1 again"),
        ("a1W 1B w", "at character 5: expected each square once, found a1 again"),
        ("a1 b2B w", "at character 3: expected counters (w, b, W or B) after a1, found none"),
    ]);
    for (text, at, found) in [
        ("a1WXB b2B w", 4, 'X'),
        ("a1Wx x", 4, 'x'),
        ("a1Wé w", 4, 'é'),
        ("W,,,//////,,q, w", 13, 'q'),
    ] {
        let counter = "a counter (w or b for a soldier, W or B for an officer)";
        let message = format!("at character {at}: expected {counter}, found {found:?}");
        assert_eq!(position_error(text).to_string(), message);
    }
}

#[test]
fn a_missing_or_unknown_side_to_move_is_told() {
    let missing = |at: usize| {
        format!(
            "at character {at}: expected the side to move (w or b, White or Black), found the end \
             of the position"
        )
    };
    for (text, at) in [
        ("a1W b2B", 8),
        ("a1W b2B.", 8),
        ("a1W b2B to move", 8),
        ("W,,,//////", 11),
        ("b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w", 45),
    ] {
        assert_eq!(position_error(text).to_string(), missing(at), "{text:?}");
    }
    for (text, at, found) in [
        ("a1W b2B x", 9, "x"),
        ("a1W b2B, Red to move", 10, "Red"),
        ("a1W b2B WB", 9, "WB"),
        ("W,,,////// nobody", 12, "nobody"),
    ] {
        let message = "expected the side to move (w or b, White or Black), found";
        let message = format!("at character {at}: {message} {found:?}");
        assert_eq!(position_error(text).to_string(), message, "{text:?}");
    }
}

#[test]
fn rows_that_do_not_fit_the_board_are_refused() {
    assert_refused(&[
        ("W,,,///// w", "at character 10: expected 7 ranks with '/' between them, found 6"),
        ("W,,,/////// w", "at character 12: expected 7 ranks with '/' between them, found 8"),
        ("W,,/////// w", "at character 11: expected 7 ranks with '/' between them, found 8"),
        (
            "W,,////// w",
            "at character 1: expected 4 squares with ',' between them in rank 7, found 3",
        ),
        (
            "/ W,,,///// w",
            "at character 3: expected 3 squares with ',' between them in rank 6, found 4",
        ),
        (
            "/W///// w",
            "at character 2: expected 3 squares with ',' between them in rank 6, found 1",
        ),
        (
            "//////W,W,W,W,W w",
            "at character 7: expected 4 squares with ',' between them in rank 1, found 5",
        ),
    ]);
}

#[test]
fn boards_that_are_empty_or_too_full_are_refused() {
    assert_refused(&[
        ("w", "expected at least one column on the board"),
        ("////// b", "expected at least one column on the board"),
        ("", "expected a position such as \"a1WWW b2BBB w\", found an empty text"),
        (" . ", "expected a position such as \"a1WWW b2BBB w\", found an empty text"),
    ]);
    let all = Position::MAX_COUNTERS;
    assert_eq!(read(&format!("a1{} w", "W".repeat(all))).counters()[Color::White], all);
    for text in [format!("a1{} w", "W".repeat(23)), format!("a1{} b2b w", "W".repeat(22))] {
        let message = "expected at most 22 counters on the board, found 23";
        assert_eq!(position_error(&text).to_string(), message);
    }
}

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

// Moves that are read

/// `b2` captures twice: `b2-c3-d4-c5B-b6WBB`.
const TWO_JUMPS: &str = "b2W c3B c5BB w";

#[test]
fn a_quiet_move_is_read() {
    let spellings = ["c3-d4", " c3 - d4 ", "9-13", "9x13", "c3–d4", "c3-d4W", "c3W-d4W", "c3-13"];
    let marked = ["!", "?", "!!", "??", "!?", "?!", " !"].map(|mark| format!("c3-d4{mark}"));
    for text in spellings.into_iter().chain(marked.iter().map(String::as_str)) {
        assert_eq!(in_full(text, "c3W e7B w", RuleSet::Lasca), "c3-d4", "{text:?}");
    }
}

#[test]
fn a_take_is_read_in_full_by_its_landings_and_abbreviated() {
    for text in [
        "b2-c3-d4-c5-b6",
        "b2-c3-d4-c5B-b6WBB",
        "b2-c3-d4WB-c5B-b6",
        "b2W-c3-d4-c5-b6",
        "b2xd4xb6",
        "b2xd4WBxb6WBB",
        "b2xb6",
        "b2-b6WBB",
        "b2-d4-b6",
        "b2-c5-b6",
        "5x13x19",
        "5-9-13-16-19",
        "5x19",
    ] {
        let full = in_full(text, TWO_JUMPS, RuleSet::Lasca);
        assert_eq!(full, "b2-c3-d4-c5B-b6WBB", "{text:?}");
    }
}

#[test]
fn intermediate_columns_are_read_as_they_were_at_that_moment() {
    // Lasker's own long capture.
    let position = "c3W f2B b6b d6b a1BwB d2BBw f4B w";
    let text = "c3-d2Bw-e1WB-f2-g3WBB-f4-e5WBBB-d6-c7WBBBb-b6-a5WBBBBbb";
    assert!(move_error(text, position, RuleSet::Lasca).to_string().contains("a5WBBBbb"));
    let text = text.replace("BBBBbb", "BBBbb");
    let bare = "c3-d2Bw-e1-f2-g3-f4-e5-d6-c7-b6-a5WBBBbb";
    assert_eq!(in_full(&text, position, RuleSet::Lasca), bare);
}

#[test]
fn a_square_jumped_twice_is_printed_as_it_ends_and_read_as_it_was_meanwhile() {
    let position = "a1W b2BBw w";
    let printed = "a1-b2w-c3-b2w-a1WBB";
    for text in [printed, "a1-b2Bw-c3-b2w-a1", "a1-b2-c3WB-b2-a1WBB", "a1-a1", "a1xc3xa1"] {
        assert_eq!(in_full(text, position, RuleSet::Rejump), printed, "{text}");
    }
    assert_eq!(
        move_error("a1-b2B-c3-b2-a1", position, RuleSet::Rejump).to_string(),
        "at character 4: expected b2w, the column that arises, found b2B"
    );
}

#[test]
fn a_promoted_column_is_written_as_it_ends() {
    assert_eq!(in_full("d6-c7", "d6wb a1B w", RuleSet::Lasca), "d6-c7");
    assert_eq!(in_full("c5-d6-e7", "c5w d6b a1B w", RuleSet::Lasca), "c5-d6-e7Wb");
    let message = "at character 7: expected e7Wb, the column that arises, found e7wb";
    assert_no_moves("c5w d6b a1B w", &[("c5-d6-e7wb", message)]);
}

// Abbreviations

const RING: &str = "c3W d4BB d6BB b6BB b4BB w";

#[test]
fn an_abbreviation_that_fits_several_moves_is_an_error_that_lists_them() {
    let [one_way, other_way] =
        ["c3-b4B-a5-b6B-c7-d6B-e5-d4B-c3WBBBB", "c3-d4B-e5-d6B-c7-b6B-a5-b4B-c3WBBBB"];
    for text in ["c3-c3", "c3xc3", "c3xc7xc3", "c3-c3WBBBB", "9-9", "c3xa5xc3", "c3-b4-c3"] {
        assert_eq!(
            move_error(text, RING, RuleSet::Lasca).problem,
            MoveProblem::Ambiguous {
                found: text.into(),
                fitting: vec![one_way.into(), other_way.into()]
            }
        );
    }
    assert_eq!(in_full("c3xa5xc7xc3", RING, RuleSet::Lasca), one_way);
    assert_eq!(in_full("c3xe5xc7xa5xc3", RING, RuleSet::Lasca), other_way);
    assert_eq!(
        move_error("c3-c3WB", RING, RuleSet::Lasca).to_string(),
        format!("expected the columns that arise ({one_way}, {other_way}), found \"c3-c3WB\"")
    );
}

#[test]
fn a_take_that_stops_too_early_is_told_how_it_goes_on() {
    for text in ["b2-c3-d4", "b2xd4", "b2-c3", "b2-c3-d4WB"] {
        let error = move_error(text, TWO_JUMPS, RuleSet::Lasca);
        let expected = format!("expected the whole capture (b2-c3-d4-c5B-b6WBB), found {text:?}");
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(in_full("b2xd4", TWO_JUMPS, RuleSet::Bignor), "b2-c3-d4WB");
}

#[test]
fn columns_choose_between_moves_that_an_abbreviation_fits() {
    let ring = "c3W d4B d6b b6B b4b w";
    let error = move_error("c3-c3", ring, RuleSet::Lasca);
    assert!(matches!(error.problem, MoveProblem::Ambiguous { .. }));
    let one_way = "c3-b4-a5-b6-c7-d6-e5-d4-c3WbBbB";
    for text in ["c3-c3WbBbB", "c3-a5Wb-c3", "c3-e5WbBb-c3"] {
        assert_eq!(in_full(text, ring, RuleSet::Lasca), one_way);
    }
    let other_way = "c3-d4-e5-d6-c7-b6-a5-b4-c3WBbBb";
    for text in ["c3-c3WBbBb", "c3-a5WBbB-c3", "c3-e5WB-c3"] {
        assert_eq!(in_full(text, ring, RuleSet::Lasca), other_way);
    }
}

// Moves that are refused

#[test]
fn wrong_columns_are_told_with_the_ones_that_arise() {
    let cases = [
        (
            "b2-c3-d4-c5B-b6WB",
            "at character 14: expected b6WBB, the column that arises, found b6WB",
        ),
        ("b2-c3-d4-c5BB-b6", "at character 10: expected c5B, the column that arises, found c5BB"),
        ("b2-c3B-d4-c5-b6", "at character 4: expected c3 bare, as it is left empty, found c3B"),
        ("b2-c3-d4W-c5-b6", "at character 7: expected d4WB, the column that arises, found d4W"),
        ("b2xd4xb6WbB", "at character 7: expected b6WBB, the column that arises, found b6WbB"),
        ("b2B-b6", "at character 1: expected b2W, the column that arises, found b2B"),
    ];
    assert_no_moves(TWO_JUMPS, &cases);
    for (text, _) in cases {
        let problem = move_error(text, TWO_JUMPS, RuleSet::Lasca).problem;
        assert!(matches!(problem, MoveProblem::ColumnDoesNotArise(_)), "{text}: {problem:?}");
    }
}

#[test]
fn an_illegal_move_is_told_with_the_legal_ones() {
    for (text, position, legal) in [
        ("c3-e5", "c3W e7B w", "c3-b2, c3-d2, c3-b4, c3-d4"),
        ("e7-d6", "c3W e7B w", "c3-b2, c3-d2, c3-b4, c3-d4"),
        ("a1-b2", "a1W c3W d4B w", "c3-d4-e5WB"),
        ("b6-d4", TWO_JUMPS, "b2-c3-d4-c5B-b6WBB"),
    ] {
        let message = format!("expected a legal move ({legal}), found {text:?}");
        assert_no_moves(position, &[(text, &message)]);
    }
}

#[test]
fn a_long_list_of_legal_moves_is_cut() {
    let error = move_error("a1-c3", "b2W f2W d4W b6W f6W g1B w", RuleSet::Lasca);
    let MoveProblem::NotLegal { legal, .. } = &error.problem else { panic!("{error}") };
    let listed = error.to_string();
    assert!(legal.len() > 12);
    assert_eq!(listed.matches('-').count(), 12 + 1, "{listed}");
    assert!(listed.contains(&format!(", … {} in all)", legal.len())), "{listed}");
}

#[test]
fn no_move_is_read_when_the_game_is_over() {
    let message = "expected no move: the game is over, White to move has none";
    assert_no_moves("a1W b2B c3B w", &[("a1-b2", message)]);
    let alone = move_error("a1-b2", "a1W b", RuleSet::Lasca);
    assert_eq!(alone, MoveProblem::GameOver { side_to_move: Color::Black }.into());
}

#[test]
fn texts_that_are_no_moves_are_refused() {
    let position = "c3W e7B w";
    let cases = [
        ("", "expected a move such as \"c3-d4\", found an empty text"),
        (" ?! ", "expected a move such as \"c3-d4\", found an empty text"),
        ("c3", "expected at least two squares, such as \"c3-d4\", found c3 alone"),
        ("c3 d4", "at character 4: expected a counter (w, b, W or B), '-' or 'x', found 'd'"),
        ("c3-d4WQ", "at character 7: expected a counter (w, b, W or B), '-' or 'x', found 'Q'"),
    ];
    assert_no_moves(position, &cases);
    for (text, at, found) in [
        ("c3-", 4, "the end of the move"),
        ("c3--d4", 4, "\"-\""),
        ("c3-d5", 4, "\"d5\""),
        ("c3-26", 4, "\"26\""),
        ("c3-home", 4, "\"home\""),
        ("é-d4", 1, "\"é\""),
    ] {
        let square = "one of the 25 squares (a1, c1 … g7, or 1 to 25)";
        let message = format!("at character {at}: expected {square}, found {found}");
        assert_no_moves(position, &[(text, &message)]);
    }
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_position_is_read_back_from_either_form_and_in_either_case(
        position in positions(),
        upper in any::<[bool; Square::COUNT]>(),
        side in 0..4usize,
    ) {
        prop_assert_eq!(position.to_string().parse(), Ok(position));
        let name_of = |square: Square| match upper[square.index()] {
            true => square.to_string().to_uppercase(),
            false => square.to_string(),
        };
        let list = |of: &dyn Fn(Square) -> String| -> String {
            position.columns().map(|(square, column)| of(square) + &column.to_string() + " ").collect()
        };
        let rows = row_form(&position);
        prop_assert_eq!(rows.parse(), Ok(position));
        let mover = position.side_to_move();
        let (letter, name) = (mover.letter().to_string(), mover.name());
        let side = [letter.to_uppercase(), letter, name.to_uppercase(), name.to_owned()][side].clone();
        let numbered = list(&|square| square.number().to_string());
        let rows = rows[..rows.len() - 1].to_owned();
        for board in [list(&name_of), numbered, rows] {
            prop_assert_eq!((board + &side).parse(), Ok(position));
        }
    }

    #[test]
    fn a_move_is_read_as_printed_by_its_squares_in_either_case_and_by_its_landings(
        before in positions()
    ) {
        for rules in RuleSet::ALL {
            for (played, after) in before.successors(rules) {
                let expected = Ok((played.clone(), after));
                let (printed, squares) = (move_text(&played, &after), played.to_string());
                let stops: Vec<String> = std::iter::once(played.from())
                    .chain(played.landings())
                    .map(|square| square.number().to_string())
                    .collect();
                for text in [printed, squares.to_uppercase(), squares, stops.join("x")] {
                    prop_assert_eq!(parse_move(&text, &before, rules), expected.clone());
                }
            }
        }
    }

    #[test]
    fn start_and_end_name_a_move_or_list_all_that_they_fit(before in positions()) {
        for rules in RuleSet::ALL {
            let successors = before.successors(rules);
            for (played, after) in &successors {
                let text = format!("{}-{}", played.from(), played.to());
                let alike = successors
                    .iter()
                    .filter(|(other, _)| (other.from(), other.to()) == (played.from(), played.to()))
                    .map(|(other, after)| move_text(other, after))
                    .collect::<Vec<_>>();
                match parse_move(&text, &before, rules) {
                    Ok(read) if alike.len() == 1 => prop_assert_eq!(read, (played.clone(), *after)),
                    // The two squares are all landings of one of the moves.
                    Ok((read, _)) => prop_assert_eq!(read.landings().count(), 1),
                    Err(ParseMoveError { problem: MoveProblem::Ambiguous { fitting, .. }, .. }) => {
                        prop_assert!(alike.len() > 1);
                        prop_assert_eq!(fitting, alike);
                    }
                    Err(error) => prop_assert!(false, "{}", error),
                }
            }
        }
    }

    #[test]
    fn a_drawing_fits_80_columns_and_shows_every_column(position in positions()) {
        let text = board_text(&position);
        for line in text.lines() {
            prop_assert!(line.chars().count() <= 80 && line == line.trim_end(), "{}", text);
        }
        for (_, column) in position.columns() {
            prop_assert!(text.contains(&column.to_string()));
        }
    }

    #[test]
    fn no_text_makes_the_readers_panic(
        text in "[a-h0-9wbWBx/, .!?ä-]{0,40}",
        before in positions()
    ) {
        let _ = text.parse::<Position>();
        let _ = parse_move(&text, &before, RuleSet::Lasca);
    }
}

#[test]
fn the_highest_columns_are_drawn_within_80_columns() {
    for letters in ["W".repeat(22), "wBbW".repeat(5), "WWWbB".repeat(4)] {
        for square in Square::all() {
            let column: Column = letters.parse().unwrap();
            let text = board_text(&crate::arbitrary::position([(square, column)], Color::White));
            assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        }
    }
}
