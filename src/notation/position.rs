//! Positions as text: the list form and the row form.

use super::scan::{excerpt, pieces, place, square, square_len};
use super::{MAX_TEXT_LEN, ParsePositionError};
use crate::rules::{Color, Column, Counter, Position, PositionError, Square};
use std::fmt;
use std::str::FromStr;

/// How many rows and files the board has.
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

/// The row form of a position: row 7 first, `/` between rows, `,` between the squares of a row, an
/// empty row empty, and at the end the side to move.
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
    let rows: Vec<String> = (1..=SIDE)
        .rev()
        .map(|row| {
            let columns: Vec<String> =
                squares_of_row(row).map(|square| position.column(square).to_string()).collect();
            if columns.iter().all(String::is_empty) { String::new() } else { columns.join(",") }
        })
        .collect();
    format!("{} {}", rows.join("/"), position.side_to_move().letter())
}

/// The squares of row 1 to 7, from the left.
fn squares_of_row(row: usize) -> impl Iterator<Item = Square> {
    Square::all().filter(move |square| square.rank() as usize + 1 == row)
}

impl FromStr for Position {
    type Err = ParsePositionError;

    /// Reads the list form or, where a `/` stands, the row form. The side to move may be a letter
    /// or a word (`White`, `white to move`), and a final period is passed over.
    ///
    /// # Errors
    /// See [`ParsePositionError`].
    ///
    /// ```
    /// use lasca_tablebase::rules::Position;
    /// let position: Position = "a1WWW, b2BBB, White to move.".parse().unwrap();
    /// assert_eq!("/////BBB,,/WWW,,, w".parse(), Ok(position));
    /// ```
    fn from_str(text: &str) -> Result<Position, ParsePositionError> {
        if text.len() > MAX_TEXT_LEN {
            return Err(ParsePositionError::TooLong { found: text.len() });
        }
        let trimmed = text.trim_end();
        let trimmed = trimmed.strip_suffix('.').unwrap_or(trimmed);
        if trimmed.trim().is_empty() {
            return Err(ParsePositionError::NoText);
        }
        let mut board = Board::default();
        // What is wrong with the columns is told before what is wrong with the side to move.
        let side = if trimmed.contains('/') {
            let (rows, side) = split_side(text, trimmed, char::is_whitespace);
            board.read_rows(text, rows)?;
            side
        } else {
            let (list, side) = split_side(text, trimmed, is_list_separator);
            board.read_list(text, list)?;
            side
        }?;
        board.into_position(side)
    }
}

fn is_list_separator(c: char) -> bool {
    c == ',' || c.is_whitespace()
}

/// Splits off the side to move, which is the last word, or the last but `to move`. A last word
/// that looks like a piece of the board stays with the board.
fn split_side<'a>(
    text: &str,
    trimmed: &'a str,
    is_separator: fn(char) -> bool,
) -> (&'a str, Result<Color, ParsePositionError>) {
    let words: Vec<_> = pieces(trimmed, is_separator).filter(|word| !word.1.is_empty()).collect();
    let is = |word: &str, expected: &str| word.eq_ignore_ascii_case(expected);
    let words = match &words[..] {
        [rest @ .., (_, to), (_, last)] if is(to, "to") && is(last, "move") => rest,
        all => all,
    };
    let Some(&(start, word)) = words.last() else {
        let at = place(text, 0);
        return ("", Err(ParsePositionError::SideMissing { at }));
    };
    let of_the_board = word.contains(['/', ',']) || square_len(word) > 0;
    let side = match word {
        "w" => Ok(Color::White),
        "b" => Ok(Color::Black),
        _ if is(word, "white") => Ok(Color::White),
        _ if is(word, "black") => Ok(Color::Black),
        _ if of_the_board => {
            let end = start + word.len();
            let at = place(text, end);
            return (&trimmed[..end], Err(ParsePositionError::SideMissing { at }));
        }
        _ => Err(ParsePositionError::UnknownSide { at: place(text, start), found: excerpt(word) }),
    };
    (&trimmed[..start], side)
}

/// Columns as they are read, and how many counters were read, which may be more than fit.
#[derive(Default)]
struct Board {
    columns: [Column; Square::COUNT],
    counters: usize,
}

impl Board {
    /// Reads `a1WWW b2BBB`. `list` is the beginning of `text`, as in the functions below.
    fn read_list(&mut self, text: &str, list: &str) -> Result<(), ParsePositionError> {
        for (start, word) in pieces(list, is_list_separator).filter(|word| !word.1.is_empty()) {
            let name_len = square_len(word);
            let name = if name_len == 0 { word } else { &word[..name_len] };
            let Some(square) = square(name) else {
                let at = place(text, start);
                return Err(ParsePositionError::UnknownSquare { at, found: excerpt(name) });
            };
            if !self.columns[square.index()].is_empty() {
                let at = place(text, start);
                return Err(ParsePositionError::SquareTwice { at, square });
            }
            let counters = start + name_len;
            if counters == start + word.len() {
                let at = place(text, counters);
                return Err(ParsePositionError::NoCounters { at, square });
            }
            self.read_column(text, counters, &word[name_len..], square)?;
        }
        Ok(())
    }

    /// Reads `,,,/BBB,,/…`, row 7 first.
    fn read_rows(&mut self, text: &str, rows: &str) -> Result<(), ParsePositionError> {
        let found: Vec<_> = pieces(rows, |c| c == '/').collect();
        if found.len() != SIDE {
            let offset = found.get(SIDE).map_or(rows.trim_end().len(), |&(start, _)| start);
            let at = place(text, offset);
            return Err(ParsePositionError::RowCount { at, found: found.len() });
        }
        for (row, (start, row_text)) in (1..=SIDE).rev().zip(found) {
            self.read_row(text, start, row_text, row)?;
        }
        Ok(())
    }

    fn read_row(
        &mut self,
        text: &str,
        start: usize,
        row_text: &str,
        row: usize,
    ) -> Result<(), ParsePositionError> {
        let mut fields: Vec<_> = pieces(row_text, |c| c == ',').collect();
        let squares: Vec<Square> = squares_of_row(row).collect();
        let is_empty = fields.iter().all(|(_, field)| field.trim().is_empty());
        if is_empty && matches!(fields.len(), 1 | 3 | 4) {
            return Ok(());
        }
        // A comma may part the board from the side to move.
        let last_is_empty = fields.last().is_some_and(|(_, field)| field.trim().is_empty());
        if row == 1 && fields.len() == squares.len() + 1 && last_is_empty {
            fields.pop();
        }
        if fields.len() != squares.len() {
            let indent = row_text.len() - row_text.trim_start().len();
            return Err(ParsePositionError::SquareCount {
                at: place(text, start + indent),
                row,
                expected: squares.len(),
                found: fields.len(),
            });
        }
        for (square, (field_start, field)) in squares.into_iter().zip(fields) {
            let indent = field.len() - field.trim_start().len();
            self.read_column(text, start + field_start + indent, field.trim(), square)?;
        }
        Ok(())
    }

    /// Reads the counters that start at byte `start` of `text`; none at all leave the square empty.
    fn read_column(
        &mut self,
        text: &str,
        start: usize,
        counters: &str,
        square: Square,
    ) -> Result<(), ParsePositionError> {
        let mut read = Vec::new();
        for (offset, letter) in counters.char_indices() {
            let Some(counter) = Counter::from_letter(letter) else {
                let at = place(text, start + offset);
                return Err(ParsePositionError::UnknownCounter { at, found: letter });
            };
            read.push(counter);
        }
        self.counters += read.len();
        // A column too high for the board is told by the count of all counters.
        self.columns[square.index()] =
            Column::from_counters(read.into_iter().take(Column::MAX_HEIGHT)).unwrap_or_default();
        Ok(())
    }

    fn into_position(self, side: Color) -> Result<Position, ParsePositionError> {
        if self.counters > Position::MAX_COUNTERS {
            let error = PositionError::TooManyCounters { found: self.counters };
            return Err(ParsePositionError::Board(error));
        }
        Position::new(self.columns, side).map_err(ParsePositionError::Board)
    }
}
