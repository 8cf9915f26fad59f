//! What a text of a study says, and where it is wrong.

use lasca_analysis::study::{Mark, StudyMove, VariationStart, parse};
use lasca_tablebase::Outcome;
use lasca_tablebase::rules::{Color, Position};

const HEAD: &str = "a1WWW b2BBB w ";

fn moves(text: &str) -> Vec<StudyMove> {
    parse(&format!("{HEAD}{text}")).unwrap().remove(0).moves
}

/// The error for what follows a position, with its column number_is_known from there.
fn error(text: &str) -> (usize, String) {
    let error = parse(&format!("{HEAD}{text}")).unwrap_err();
    (error.location.character - HEAD.len(), error.problem.to_string())
}

#[test]
fn numbers_marks_and_results_are_read_however_they_are_spaced() {
    for text in [
        "1. a1-b2! c3-d4?! 2. e5-f6 1-0",
        "1.a1-b2! c3-d4?! 2.e5-f6 1-0",
        "1 . a1-b2 ! 1. . . c3-d4 ?! 2. e5-f6 1-0.",
        "a1-b2!, 1...c3-d4?!, e5-f6+-",
        "1. a1-b2! {a} ; b\n 1… c3-d4?! 2. e5-f6 +-",
    ] {
        let moves = moves(text);
        let texts: Vec<_> = moves.iter().map(|written| written.text.as_str()).collect();
        assert_eq!(texts, ["a1-b2", "c3-d4", "e5-f6"], "{text}");
        let marks: Vec<_> = moves.iter().map(|written| written.mark).collect();
        assert_eq!(marks, [Some(Mark::Good), Some(Mark::Dubious), None], "{text}");
        assert_eq!(moves[2].results[0].outcome, Outcome::Win(Color::White), "{text}");
        assert_eq!(moves[2].number.to_string(), "2.", "{text}");
    }
}

#[test]
fn results_of_every_form_follow_moves() {
    for draw in ["1/2", "1/2.", "1/2-1/2", "1/2–1/2", "½", "½-½", "½−½", "="] {
        let moves = moves(&format!("1. a1-b2 (1. a1-c1 {draw}) c3-d4\n{draw}"));
        assert_eq!(moves[1].results[0].outcome, Outcome::Draw, "{draw}");
        let inside = &moves[0].variations[0].moves[0];
        assert_eq!(inside.results[0].outcome, Outcome::Draw, "{draw}");
    }
    for (symbol, winner) in
        [("1–0", Color::White), ("0−1.", Color::Black), ("+−", Color::White), ("—+", Color::Black)]
    {
        let moves = moves(&format!("1. a1–b2 c3—d4 {symbol}"));
        assert_eq!(moves[1].results[0].outcome, Outcome::Win(winner), "{symbol}");
    }
    let attached = moves("a1-b2+– c3−d4!−+");
    let texts: Vec<_> = attached.iter().map(|written| written.text.as_str()).collect();
    assert_eq!(texts, ["a1-b2", "c3−d4"]);
    assert_eq!(attached[0].results[0].location.character, HEAD.len() + 6);
    assert_eq!(attached[1].results[0].outcome, Outcome::Win(Color::Black));
}

#[test]
fn comments_stay_with_what_they_follow() {
    let text = "# Title\n{one} a1W {two} c3B w draws ; three\n1. {four} a1-b2 {five}? 0-1 {six}
        ({seven} 1. a1-b2 {eight}) {nine} c3-d4 {ten}\nb2B d2W {eleven} a7W w";
    let studies = parse(text).unwrap();
    let [first, second] = &studies[..] else { panic!("{studies:?}") };
    assert_eq!(first.comments, ["one", "two", "three"]);
    assert_eq!(second.comments, ["eleven"]);
    // Those before the position introduce the study.
    assert_eq!((first.introduction, second.introduction), (1, 0));
    let [one, two] = &first.moves[..] else { panic!("{first:?}") };
    assert_eq!(one.comments, ["four", "five", "six", "nine"]);
    assert_eq!(one.variations[0].moves[0].comments, ["seven", "eight"]);
    assert_eq!(one.variations[0].comments_before, 3);
    assert_eq!(two.comments, ["ten"]);
}

#[test]
fn counting_starts_where_the_first_number_says() {
    assert_eq!(moves("17. a1-b2 c3-d4")[1].number.to_string(), "17...");
    assert_eq!(
        error("17. a1-b2 18... c3-d4"),
        (11, "expected the number 17..., found 18...".into())
    );
    let told = "expected the number 1..., as Black is to move, found 2.";
    assert_eq!(error("a1-b2 2. c3-d4"), (7, told.into()));
    let told = "expected the number 1., as White is to move, found 1...";
    assert_eq!(error("1... a1-b2"), (1, told.into()));
    assert_eq!(error("0. a1-b2").0, 1);
    assert_eq!(error("99999999999. a1-b2").0, 1);
    assert_eq!(moves("4294967295. a1-b2 c3-d4 e5-f6").len(), 3);
}

#[test]
fn characters_without_width_count_as_blanks() {
    let text = "\u{200b}a1WWW\u{200b} b2BBB w\u{2060} 1.\u{200b}a1-\u{200b}b2\u{feff}!\u{200d}";
    let studies = parse(text).unwrap();
    assert_eq!((studies[0].moves.len(), studies[0].moves[0].mark), (1, Some(Mark::Good)));
}

#[test]
fn variations_nest_and_may_be_introduced() {
    let moves =
        moves("1. a1-b2 (not 1. a1-c1? [or: 1... c3-d4 =] 1... e5-f6) (1... g1-g7) 1... c3-b2");
    assert_eq!(moves.len(), 2);
    let [instead, after] = &moves[0].variations[..] else { panic!("{moves:?}") };
    assert_eq!((instead.start, after.start), (VariationStart::Instead, VariationStart::After));
    assert_eq!((&*instead.lead_in, &*after.lead_in), ("not", ""));
    let inner = &instead.moves[0].variations[0];
    assert_eq!((inner.start, inner.moves.len()), (VariationStart::After, 1));
    assert_eq!(instead.moves.len(), 2);
}

#[test]
fn each_position_or_title_begins_a_study_in_upper_or_lower_case() {
    let text = "\u{feff}; two heads\n\u{feff}# Öne \na1W c3B, White to move. White wins: 1. a1-b2\n\
        \u{feff}1W 9B, Black to play and lose\n/////BBB,,/WWW,,, w\n#\na1W,c3B,w\n\
        A1W C3B W wins: 1. A1-B2\na1W,c3B,B\n/////BBB,,/WWW,,, W draws\n\
        ///// BBB, , /W, , , B, Black loses\nstart, White to move\n1. c3-d4\nSTART.";
    let start = Position::start().to_string();
    // The line, title, position, verdict and number of moves of each.
    let expected = [
        (3, "Öne", "a1W c3B w", "1-0", 1),
        (4, "", "a1W c3B b", "1-0", 0),
        (5, "", "a1WWW b2BBB w", "", 0),
        (7, "", "a1W c3B w", "", 0),
        (8, "", "a1W c3B w", "1-0", 1),
        (9, "", "a1W c3B b", "", 0),
        (10, "", "a1WWW b2BBB w", "1/2", 0),
        (11, "", "a1W g1B b2BBB b", "1-0", 0),
        (12, "", &start, "", 1),
        (14, "", &start, "", 0),
    ];
    let studies = parse(text).unwrap();
    assert_eq!(studies.len(), expected.len());
    for (study, expected) in studies.iter().zip(expected) {
        let title = study.title.as_deref().unwrap_or_default();
        let position = study.position.to_string();
        let verdict = study.verdict.map_or("", |verdict| verdict.outcome.symbol());
        let found = (study.location.line, title, &*position, verdict, study.moves.len());
        assert_eq!(found, expected);
    }
}

#[test]
fn a_bad_text_is_reported_with_its_place() {
    for (text, column, problem) in [
        ("wins 1. a1-b2 next c3-d4", 15, "found \"next\""),
        ("1. 1-0", 4, "expected a move after its number, found \"1-0\""),
        ("1.", 3, "expected a move after its number, found the end"),
        ("and 1. a1-b2", 5, "expected wins, draws or loses, found \"1.\""),
        ("White a1-b2", 7, "expected wins, draws or loses"),
        ("wins 1-0", 6, "expected a move before this"),
        ("!", 1, "expected a move before this"),
        ("(1. a1-b2)", 1, "expected a move before this"),
        ("a1-b2!!!", 6, "expected one mark"),
        ("a1-b2 1:0", 9, "expected one of the 25 squares (a1, c1 … g7, or 1 to 25), found \"0\""),
        ("a1-b2 1-0!", 9, "found \"0\""),
        ("a1-b2 1-0*", 9, "found \"0\""),
        ("a1-xb2", 4, "found \"x\""),
        ("1. c5xa7&", 9, "expected a counter (w, b, W or B), '-' or 'x', found '&'"),
        ("c5xa7$", 6, "found '$'"),
        ("c5xa7=W", 6, "found '='"),
        ("a1-b2 (1... c3-d9 =)", 16, "found \"d9\""),
        ("a1-b2! ?", 8, "expected one mark"),
        (
            "a1-b2 +/-",
            7,
            "expected a move, a result such as 1-0, a variation in parentheses or a comment in braces, found \"+/-\"",
        ),
        (
            "wins in 5 moves 1. a1-b2",
            11,
            "expected the length in plies, which are moves by one side",
        ),
        ("wins in five", 9, "expected a number of plies from 0 to 65535, found \"five\""),
        ("a1-b2 1-0 in 70000", 14, "expected a number of plies"),
        ("draws in 5", 7, "expected no length, as a draw has none, found \"in\""),
        ("1) a1-b2", 1, "expected the number 1., found 1)"),
        ("a1-b2 1) c3-d4", 7, "expected the number 1..., as Black is to move, found 1)"),
        ("a1-b2 ()", 8, "expected a move in the variation, found \")\""),
        ("a1-b2 (c3-d4]", 13, "expected ')' for the '(' at line 1, column 21, found \"]\""),
        ("a1-b2 (c3-d4 a1W c3B w", 14, "expected ')'"),
        ("a1-b2)", 6, "found \")\""),
        ("{open", 1, "expected '}'"),
        ("a1-b2 (3. c3-d4)", 8, "expected the number 1. or 1..., found 3."),
    ] {
        let (at, found) = error(text);
        assert!(at == column && found.contains(problem), "{text}: {at}: {found}");
    }
    let whole = |text: &str| parse(text).unwrap_err().to_string();
    assert!(whole("").starts_with("line 1, column 1: expected a study"));
    assert!(whole("# Title\n").starts_with("line 2, column 1: expected a study"));
    assert!(whole("1. a1-b2").contains("found \"1.\""));
    assert!(whole("\n\n  a1W x9B w").starts_with("line 3, column 7: expected one of the 25"));
    assert!(whole("a1W\n c3Bq w").starts_with("line 2, column 5: expected a counter"));
    assert!(whole("a1W c3B\n1. a1-b2").starts_with("line 1, column 8: expected the side"));
    // Places are counted in characters, and comments in lines.
    let after_comments = whole("# Ä\n{ä\nö} a1W c3B w a1-b2( ; more ) #\n {ü} ]#x");
    let expected = "line 4, column 6: expected a move in the variation, found \"]\"";
    assert_eq!(after_comments, expected);
    let deep = format!("{HEAD}a1-b2 {}", "(a1-b2 ".repeat(100));
    assert!(whole(&deep).contains("at most 64 variations"));
}
