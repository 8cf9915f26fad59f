//! Moves as text.

use super::scan::{
    character_number, excerpt, is_dash, is_mark, is_separator, no_square, parse_square, square_len,
    with_spaces,
};
use super::{MAX_TEXT_LEN, TextError};
use crate::Reason;
use crate::rules::{Column, Counter, Move, Position, RuleSet, Square};
use std::fmt::Write;

/// A move as text. `after` is the position that it leads to.
///
/// A quiet move is its two squares, `c3-d4`. A capture is every square that it passes. After each jumped
/// square stands the column that remains there, if any; after the last square stands the column that
/// moved.
///
/// ```
/// use lasca_tablebase::notation::move_text;
/// use lasca_tablebase::rules::{Position, RuleSet};
/// let before: Position = "c3BW c5BW d4WWBB b".parse().unwrap();
/// let (played, after) = &before.successors(RuleSet::Lasca).unwrap()[0];
/// assert_eq!(move_text(played, after), "c3-d4WBB-e5BWW");
/// ```
pub fn move_text(played: &Move, after: &Position) -> String {
    text_of(played, after, false)
}

/// A move as [`move_text`] has it, or with the numbers of the squares.
fn text_of(played: &Move, after: &Position, by_number: bool) -> String {
    let mut text = String::new();
    let squares = played.squares();
    let last = squares.len() - 1;
    for (i, square) in squares.enumerate() {
        let separator = if i > 0 { "-" } else { "" };
        let _ = write!(text, "{separator}{}", name_of(square, by_number));
        let is_jumped = i % 2 == 1;
        if played.is_capture() && (is_jumped || i == last) {
            let _ = write!(text, "{}", after.column(square));
        }
    }
    text
}

/// The name of a square, or its number.
fn name_of(square: Square, by_number: bool) -> String {
    if by_number { (square.index() + 1).to_string() } else { square.to_string() }
}

/// Reads a move of `position`, and returns it with the position that it leads to.
///
/// A capture may be written with all its squares, with its start and its landing squares, or with its
/// start, its end and any squares between them, in order. The last is an abbreviation. A text that has
/// all squares or all landing squares of a legal move means that move, even if it abbreviates another
/// one. `-`, other dashes, `--` and `x` mean the same, and so do a square's name and its number. Between squares that
/// are named by letters, nothing need stand. Marks such as `!` and `?!` at the end are ignored, and so are `*`, which
/// some write after a promotion, and `#`.
///
/// Any square may be followed by a column. It must be the column that stands there after the move, or
/// at the moment when the move passes: just after the jump, or as the moving column lands. Where the
/// text has no column, none is checked.
///
/// # Errors
/// If the text is not a move, or means no legal move or several; if the game is over; or if the position has more
/// moves than are [listed](crate::rules::MOST_MOVES).
///
/// ```
/// use lasca_tablebase::notation::parse_move;
/// use lasca_tablebase::rules::{Position, RuleSet};
///
/// let position: Position = "b2W c3B c5BB w".parse().unwrap();
/// let read = |text| parse_move(text, &position, RuleSet::Lasca);
/// let (played, after) = read("b2-c3-d4-c5B-b6WBB").unwrap();
/// assert_eq!(after.to_string(), "c5B b6WBB b");
/// for text in ["b2-c3-d4-c5-b6", "b2xd4xb6", "b2d4b6*", "b2 -- b6!?", "5-19", "b2-c3-d4WB-c5-b6"] {
///     assert_eq!(read(text).unwrap().0, played);
/// }
/// assert_eq!(
///     read("b2xd4").unwrap_err().to_string(),
///     "expected the whole capture (b2-c3-d4-c5B-b6WBB), found \"b2xd4\""
/// );
/// ```
pub fn parse_move(
    text: &str,
    position: &Position,
    rules: RuleSet,
) -> Result<(Move, Position), TextError> {
    let text = &*with_spaces(text);
    let named = read_squares(text)?;
    let legal = position.successors(rules);
    let legal = legal.map_err(|error| TextError::new(Reason::TooManyMoves, error.to_string()))?;
    if legal.is_empty() {
        return Err(TextError::game_over(position.side_to_move()));
    }
    // Those that are named as a whole come first.
    let Some(best) = legal.iter().filter_map(|(played, _)| abbreviates(&named, played)).min()
    else {
        return Err(no_such_move(text, &named, &legal));
    };
    let candidates: Vec<_> = legal
        .into_iter()
        .filter(|(played, _)| abbreviates(&named, played) == Some(best))
        .map(|(played, after)| Candidate::new(position, played, after))
        .collect();
    let printed = |c: &Candidate| text_of(&c.played, &c.after, are_numbers(&named));
    let fitting: Vec<_> = candidates.iter().filter(|candidate| candidate.fits(&named)).collect();
    match (&fitting[..], &candidates[..]) {
        (&[fits], _) => Ok((fits.played, fits.after)),
        (&[], [only]) => Err(only.wrong_column(text, &named)),
        (&[], all) => Err(not_one_of(COLUMNS, all.iter().map(printed), text)),
        (several, _) => {
            let fitting = list(several.iter().copied().map(printed));
            let found = excerpt(text.trim());
            let fits = format!("which fits {}: {fitting}", several.len());
            Err(not_a_move(format!("expected one move, found {found:?}, {fits}")))
        }
    }
}

/// What is expected of a text whose squares fit moves, but whose columns do not.
const COLUMNS: &str = "the columns that arise";

/// Checks that a text has the form of a move, whether or not a position has it.
pub fn check_form(text: &str) -> Result<(), TextError> {
    read_squares(&with_spaces(text)).map(drop)
}

/// A square named in a text.
struct NamedSquare<'a> {
    /// The number of its first character in the text, from 1.
    at: usize,
    square: Square,
    is_number: bool,
    /// The column written after it; empty if there is none.
    column: &'a str,
}

/// Reads the squares of a move, each with or without a column, with separators between them.
fn read_squares(text: &str) -> Result<Vec<NamedSquare<'_>>, TextError> {
    if text.len() > MAX_TEXT_LEN {
        let message =
            format!("expected a move of at most {MAX_TEXT_LEN} bytes, found {}", text.len());
        return Err(not_a_move(message));
    }
    let end = text.trim_end_matches(|c: char| c.is_whitespace() || is_mark(c)).len();
    let body = &text[..end];
    if body.trim().is_empty() {
        let message = "expected a move such as \"c3-d4\", found an empty text";
        return Err(not_a_move(message));
    }
    let mut named = Vec::new();
    let mut rest = body.trim_start();
    loop {
        let name = &rest[..square_len(rest)];
        let Some(square) = parse_square(name) else {
            let word = if name.is_empty() { first_word(rest) } else { name };
            let found = match word {
                "" => "the end of the move".to_owned(),
                word => format!("{:?}", excerpt(word)),
            };
            return Err(not_a_move(no_square(found)).at(character_number(text, rest)));
        };
        let (column, after) = split_column(&rest[name.len()..]);
        let is_number = name.starts_with(|c: char| c.is_ascii_digit());
        named.push(NamedSquare { at: character_number(text, rest), square, is_number, column });
        let is_lettered = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic());
        let next = &after[..square_len(after)];
        let are_lettered = is_lettered(name) && is_lettered(next);
        if column.is_empty() && are_lettered && parse_square(next).is_some() {
            rest = after;
            continue;
        }
        let after = after.trim_start();
        match after.chars().next() {
            None => break,
            Some(c) if is_dash(c) => rest = after.trim_start_matches(is_dash).trim_start(),
            Some(c) if is_separator(c) => rest = after[c.len_utf8()..].trim_start(),
            Some(found) => {
                let message =
                    format!("expected a counter (w, b, W or B), '-' or 'x', found {found:?}");
                return Err(not_a_move(message).at(character_number(text, after)));
            }
        }
    }
    match &named[..] {
        [NamedSquare { square, .. }] => {
            let message = "expected at least two squares, such as \"c3-d4\", found";
            Err(not_a_move(format!("{message} {square} alone")))
        }
        _ => Ok(named),
    }
}

/// Whether all squares are named by their numbers. Then messages answer in numbers.
fn are_numbers(named: &[NamedSquare]) -> bool {
    named.iter().all(|named| named.is_number)
}

/// Splits a text after the column with which it begins. In `c3b4`, the `b` names a file and is no counter.
pub fn split_column(text: &str) -> (&str, &str) {
    let rest = text.trim_start_matches(|c| Counter::from_letter(c).is_some());
    let column = text.len() - rest.len();
    let is_file = column > 0 && rest.starts_with(|c: char| c.is_ascii_digit());
    text.split_at(column - usize::from(is_file))
}

/// The text up to the next separator; if it begins with one, that separator.
fn first_word(text: &str) -> &str {
    let ends = |c: char| is_separator(c) || c.is_whitespace();
    match text.find(ends) {
        Some(0) => text.split_inclusive(ends).next().unwrap_or(text),
        Some(end) => &text[..end],
        None => text,
    }
}

/// Whether the squares abbreviate a move: they are neither all that it passes nor all on which it lands. `None` if they do
/// not fit it. Columns do not count here.
fn abbreviates(named: &[NamedSquare], played: &Move) -> Option<bool> {
    let names = || named.iter().map(|named| named.square);
    let is_whole = names().eq(played.squares()) || names().eq(start_and_landings(played));
    match_squares(named, played, |_, _| true).map(|_| !is_whole)
}

/// The start and the landing squares of a move.
fn start_and_landings(played: &Move) -> impl Iterator<Item = Square> + use<> {
    std::iter::once(played.from()).chain(played.landings())
}

/// Matches the squares of a text with those of a move, and returns the index of each in the move. The
/// first and the last square of both are matched, and the others in order between them. `allowed` may
/// forbid a match. `None` if there is no way.
fn match_squares(
    named: &[NamedSquare],
    played: &Move,
    allowed: impl Fn(&NamedSquare, usize) -> bool,
) -> Option<Vec<usize>> {
    let squares: Vec<Square> = played.squares().collect();
    let last = squares.len() - 1;
    let pairs = |named: &NamedSquare, i: usize| named.square == squares[i] && allowed(named, i);
    let [first_named, middle @ .., last_named] = named else { return None };
    if !pairs(first_named, 0) || !pairs(last_named, last) {
        return None;
    }
    let mut indices = vec![0];
    let mut free = 1;
    for name in middle {
        // The earliest possible square leaves most room for those that follow.
        let i = (free..last).find(|&i| pairs(name, i))?;
        indices.push(i);
        free = i + 1;
    }
    indices.push(last);
    Some(indices)
}

/// A legal move whose squares fit the text.
struct Candidate {
    played: Move,
    after: Position,
    /// For each square of the move, the column that stands there at the moment when the move passes.
    passing: Vec<Column>,
}

impl Candidate {
    fn new(before: &Position, played: Move, after: Position) -> Candidate {
        let mut carried = before.column(played.from());
        let mut passing = vec![carried];
        let mut board: Vec<Column> = Square::all().map(|square| before.column(square)).collect();
        for over in played.jumped() {
            let jumped = &mut board[over.index()];
            (carried, *jumped) = carried.jumping(*jumped);
            passing.extend([*jumped, carried]);
        }
        // On the last square stands the column as it is after the move, promoted if it was.
        passing.truncate(played.squares().len() - 1);
        passing.push(after.column(played.to()));
        Candidate { played, after, passing }
    }

    fn column_fits(&self, named: &NamedSquare, i: usize) -> bool {
        let is = |column: Column| column.to_string() == named.column;
        named.column.is_empty() || is(self.after.column(named.square)) || is(self.passing[i])
    }

    fn fits(&self, named: &[NamedSquare]) -> bool {
        match_squares(named, &self.played, |named, i| self.column_fits(named, i)).is_some()
    }

    /// The error for a text whose squares fit the move but whose columns do not.
    fn wrong_column(&self, text: &str, named: &[NamedSquare]) -> TextError {
        let indices = match_squares(named, &self.played, |_, _| true).unwrap_or_default();
        let wrong = named.iter().zip(indices).find(|&(named, i)| !self.column_fits(named, i));
        let Some((named, i)) = wrong else {
            let fitting = text_of(&self.played, &self.after, are_numbers(named));
            return not_one_of(COLUMNS, [fitting], text);
        };
        let is_jumped = self.played.is_capture() && i % 2 == 1;
        let arises = if is_jumped { self.after.column(named.square) } else { self.passing[i] };
        let (square, written) = (name_of(named.square, named.is_number), excerpt(named.column));
        let arises = match arises.is_empty() {
            true => " bare, as it is left empty".to_owned(),
            false => format!("{arises}, the column that arises"),
        };
        let message = format!("expected {square}{arises}, found {square}{written}");
        not_a_move(message).at(named.at)
    }
}

/// The error for squares that fit no legal move.
fn no_such_move(text: &str, named: &[NamedSquare], legal: &[(Move, Position)]) -> TextError {
    fn begins(named: &[NamedSquare], mut squares: impl Iterator<Item = Square>) -> bool {
        named.iter().all(|named| squares.next() == Some(named.square)) && squares.next().is_some()
    }
    let printed = |(played, after): &(Move, Position)| text_of(played, after, are_numbers(named));
    let continued: Vec<String> = legal
        .iter()
        .filter(|(played, _)| {
            begins(named, played.squares()) || begins(named, start_and_landings(played))
        })
        .map(printed)
        .collect();
    match continued.is_empty() {
        true => not_one_of("a legal move", legal.iter().map(printed), text),
        false => not_one_of("the whole capture", continued, text),
    }
}

/// The error for a text that means none of these moves: it has not `what` was expected.
fn not_one_of(what: &str, moves: impl IntoIterator<Item = String>, text: &str) -> TextError {
    let (moves, found) = (list(moves), excerpt(text.trim()));
    not_a_move(format!("expected {what} ({moves}), found {found:?}"))
}

/// The error of a text as a whole.
fn not_a_move(problem: impl Into<String>) -> TextError {
    TextError::new(Reason::NotAMove, problem)
}

/// Moves for a message: the first few, followed by how many there are if these are not all.
fn list(moves: impl IntoIterator<Item = String>) -> String {
    const SHOWN: usize = 12;
    let moves: Vec<String> = moves.into_iter().collect();
    let shown = moves[..moves.len().min(SHOWN)].join(", ");
    match moves.len() {
        all if all > SHOWN => format!("{shown}, … {all} in all"),
        _ => shown,
    }
}
