//! Positions as text: the list form and the row form.

use super::scan::{
    character_number, excerpt, no_square, offset_of, parse_square, square_len, with_spaces,
};
use super::{MAX_TEXT_LEN, TextError};
use crate::Reason;
use crate::rules::{Color, Column, Counter, Position, PositionError, Square};
use std::fmt;
use std::str::FromStr;

/// How many ranks and how many files the board has.
const SIDE: usize = 7;

impl fmt::Display for Position {
    /// Prints the list form: the columns in the order of their squares, then `w` or `b`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (square, column) in self.columns() {
            write!(f, "{square}{column} ")?;
        }
        write!(f, "{}", self.side_to_move().letter())
    }
}

/// A position in [row form](super#positions).
///
/// ```
/// use lasca_tablebase::notation::row_form;
/// use lasca_tablebase::rules::Position;
/// assert_eq!(
///     row_form(&Position::start()),
///     "b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w"
/// );
/// let position: Position = "d6BBB c3W b".parse().unwrap();
/// assert_eq!(row_form(&position), "/,BBB,///,W,,// b");
/// ```
pub fn row_form(position: &Position) -> String {
    let ranks: Vec<String> = (1..=SIDE)
        .rev()
        .map(|rank| {
            let columns: Vec<String> =
                squares_of_rank(rank).map(|square| position.column(square).to_string()).collect();
            if columns.iter().all(String::is_empty) { String::new() } else { columns.join(",") }
        })
        .collect();
    format!("{} {}", ranks.join("/"), position.side_to_move().letter())
}

/// The squares of a rank, 1 to 7, from left to right.
fn squares_of_rank(rank: usize) -> impl Iterator<Item = Square> {
    Square::all().filter(move |square| square.rank() as usize + 1 == rank)
}

impl FromStr for Position {
    type Err = TextError;

    /// Reads a position in one of its [forms](super#positions). The side to move may be a letter or words
    /// (`White`, `white to move`). A final period is ignored.
    ///
    /// # Errors
    /// If the text is not a position.
    ///
    /// ```
    /// use lasca_tablebase::rules::Position;
    /// let position: Position = "a1WWW, b2BBB, White to move.".parse().unwrap();
    /// assert_eq!("/////BBB,,/WWW,,, w".parse(), Ok(position));
    /// assert_eq!("A1WWW B2BBB W".parse(), Ok(position));
    /// assert_eq!("1WWW 5BBB w".parse(), Ok(position));
    /// assert_eq!("start".parse(), Ok(Position::start()));
    /// ```
    fn from_str(text: &str) -> Result<Position, TextError> {
        if text.len() > MAX_TEXT_LEN {
            let message = "expected a position of at most";
            let message = format!("{message} {MAX_TEXT_LEN} bytes, found {}", text.len());
            return Err(not_a_position(message));
        }
        let text = &*with_spaces(text);
        let trimmed = text.trim_end();
        let trimmed = trimmed.strip_suffix('.').unwrap_or(trimmed);
        if trimmed.trim().is_empty() {
            let message = "expected a position such as \"a1WWW b2BBB w\", found an empty text";
            return Err(not_a_position(message));
        }
        if is_start(trimmed.trim()) {
            return Ok(Position::start());
        }
        let mut board = Board::default();
        let (read, side) = if trimmed.contains('/') {
            let (ranks, side) = split_side(without_counts(trimmed), char::is_whitespace);
            (board.read_ranks(ranks), side)
        } else {
            let (list, side) = split_side(trimmed, is_list_separator);
            (board.read_list(list), side)
        };
        // An error in the columns comes before an error in the side to move.
        let side = read.and(side);
        let side = side
            .map_err(|(part, problem)| not_a_position(problem).at(character_number(text, part)))?;
        board.into_position(side)
    }
}

/// The error of a text as a whole.
fn not_a_position(problem: impl Into<String>) -> TextError {
    TextError::new(Reason::NotAPosition, problem)
}

/// A part of a text that cannot be read, and what is wrong at its beginning.
type Refused<'a> = (&'a str, String);

/// Whether the text is the word for the starting position.
pub fn is_start(text: &str) -> bool {
    text.eq_ignore_ascii_case("start")
}

fn is_list_separator(c: char) -> bool {
    c == ',' || c.is_whitespace()
}

/// Splits off the side to move, which is the last word, not counting `to move`. A last word that looks
/// like a part of the board stays with the board.
fn split_side(text: &str, is_separator: fn(char) -> bool) -> (&str, Result<Color, Refused<'_>>) {
    let words: Vec<&str> = text.split(is_separator).filter(|word| !word.is_empty()).collect();
    let error = |part, found: &str| {
        let message = format!("expected the side to move (w or b, White or Black), found {found}");
        Err((part, message))
    };
    const END: &str = "the end of the position";
    let words = match &words[..] {
        [rest @ .., to, last]
            if to.eq_ignore_ascii_case("to") && last.eq_ignore_ascii_case("move") =>
        {
            rest
        }
        all => all,
    };
    let Some(&word) = words.last() else {
        return (&text[..0], error(text, END));
    };
    let start = offset_of(word, text);
    let of_the_board = word.contains(['/', ',']) || square_len(word) > 0;
    let side = match side_of(word) {
        Some(side) => Ok(side),
        None if of_the_board => {
            let (board, rest) = text.split_at(start + word.len());
            return (board, error(rest, END));
        }
        None => error(word, &format!("{:?}", excerpt(word))),
    };
    (&text[..start], side)
}

/// The side that this word names.
fn side_of(word: &str) -> Option<Color> {
    let is = |expected: &str| word.eq_ignore_ascii_case(expected);
    match () {
        () if is("w") || is("white") => Some(Color::White),
        () if is("b") || is("black") => Some(Color::Black),
        () => None,
    }
}

/// A position in row form without the numbers that may follow its side to move. Some programs count moves there.
fn without_counts(text: &str) -> &str {
    const MOST: usize = 2;
    let mut rest = text;
    for _ in 0..MOST {
        let Some((before, word)) = rest.rsplit_once(char::is_whitespace) else { break };
        if word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        rest = before.trim_end();
    }
    let last = rest.rsplit(|c: char| c.is_whitespace() || c == ',').next();
    if last.and_then(side_of).is_some() { rest } else { text }
}

/// The columns read so far, and how many counters were read. These may be more than a position holds.
#[derive(Default)]
struct Board {
    columns: [Column; Square::COUNT],
    counters: usize,
}

impl Board {
    /// Reads `a1WWW b2BBB`.
    fn read_list<'a>(&mut self, list: &'a str) -> Result<(), Refused<'a>> {
        for word in list.split(is_list_separator).filter(|word| !word.is_empty()) {
            let (name, counters) = word.split_at(square_len(word));
            let name = if name.is_empty() { word } else { name };
            let Some(square) = parse_square(name) else {
                return Err((word, no_square(format_args!("{:?}", excerpt(name)))));
            };
            if !self.columns[square.index()].is_empty() {
                let message = format!("expected each square once, found {square} again");
                return Err((word, message));
            }
            if counters.is_empty() {
                let message =
                    format!("expected counters (w, b, W or B) after {square}, found none");
                return Err((counters, message));
            }
            self.read_column(counters, square)?;
        }
        Ok(())
    }

    /// Reads `,,,/BBB,,/…`, rank 7 first.
    fn read_ranks<'a>(&mut self, ranks: &'a str) -> Result<(), Refused<'a>> {
        let found: Vec<&str> = ranks.split('/').collect();
        if found.len() != SIDE {
            let end = &ranks[ranks.trim_end().len()..];
            let message = format!("expected 7 ranks with '/' between them, found {}", found.len());
            return Err((found.get(SIDE).unwrap_or(&end), message));
        }
        (1..=SIDE).rev().zip(found).try_for_each(|(rank, text)| self.read_rank(text, rank))
    }

    fn read_rank<'a>(&mut self, text: &'a str, rank: usize) -> Result<(), Refused<'a>> {
        let mut fields: Vec<&str> = text.split(',').collect();
        let squares: Vec<Square> = squares_of_rank(rank).collect();
        let is_empty = fields.iter().all(|field| field.trim().is_empty());
        if is_empty && matches!(fields.len(), 1 | 3 | 4) {
            return Ok(());
        }
        // There may be a comma between the board and the side to move.
        let last_is_empty = fields.last().is_some_and(|field| field.trim().is_empty());
        if rank == 1 && fields.len() == squares.len() + 1 && last_is_empty {
            fields.pop();
        }
        if fields.len() != squares.len() {
            let message = format!(
                "expected {} squares with ',' between them in rank {rank}, found {}",
                squares.len(),
                fields.len()
            );
            return Err((text.trim_start(), message));
        }
        squares
            .into_iter()
            .zip(fields)
            .try_for_each(|(square, field)| self.read_column(field.trim(), square))
    }

    /// Reads the counters of a column. Without any, the square stays empty.
    fn read_column<'a>(&mut self, counters: &'a str, square: Square) -> Result<(), Refused<'a>> {
        let mut read = Vec::new();
        for (offset, letter) in counters.char_indices() {
            let Some(counter) = Counter::from_letter(letter) else {
                let message = format!(
                    "expected a counter (w or b for a soldier, W or B for an officer), found \
                     {letter:?}"
                );
                return Err((&counters[offset..], message));
            };
            read.push(counter);
        }
        self.counters += read.len();
        // A column that is too high is reported by the count of all counters.
        self.columns[square.index()] =
            Column::from_counters(read.into_iter().take(Column::MAX_HEIGHT)).unwrap_or_default();
        Ok(())
    }

    fn into_position(self, side: Color) -> Result<Position, TextError> {
        if self.counters > Position::MAX_COUNTERS {
            let error = PositionError::TooManyCounters { found: self.counters };
            return Err(not_a_position(error.to_string()));
        }
        Position::new(self.columns, side).map_err(|error| not_a_position(error.to_string()))
    }
}
