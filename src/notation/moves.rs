//! Moves as text.

use super::scan::{excerpt, place, square, square_len};
use super::{MAX_TEXT_LEN, ParseMoveError};
use crate::rules::{Column, Counter, Move, Position, RuleSet, Square};
use std::fmt::Write;

/// A move as it is printed. `after` is the position that it leads to.
///
/// A quiet move names its two squares, `c3-d4`. A take names every square that it passes, with the
/// columns that it leaves when it is over: on each square jumped what remains there, on the last
/// square the column that moved. A square that is left empty and the squares landed on meanwhile
/// stand bare.
///
/// ```
/// use lasca_tablebase::notation::move_text;
/// use lasca_tablebase::rules::{Position, RuleSet};
/// let before: Position = "c3BW c5BW d4WWBB b".parse().unwrap();
/// let (played, after) = &before.successors(RuleSet::Lasca)[0];
/// assert_eq!(move_text(played, after), "c3-d4WBB-e5BWW");
/// ```
pub fn move_text(played: &Move, after: &Position) -> String {
    let mut text = String::new();
    let squares = played.squares();
    for (i, &square) in squares.iter().enumerate() {
        let separator = if i > 0 { "-" } else { "" };
        let _ = write!(text, "{separator}{square}");
        let is_jumped = i % 2 == 1;
        let is_last = i + 1 == squares.len();
        if played.is_capture() && (is_jumped || is_last) {
            let _ = write!(text, "{}", after.column(square));
        }
    }
    text
}

/// Reads a move of `position`, and returns it with the position that it leads to.
///
/// A take may be written with all squares, with those landed on, or abbreviated to its start, its
/// end and any of the squares between, in order. A text that names all squares of a legal move
/// means that move, even if it is an abbreviation of another; so does one that names all landing
/// squares. `-` and `x` mean the same, and so do a square's name and its number. Marks such as `!`
/// and `?!` at the end are passed over.
///
/// A square may carry a column, anywhere. It must be the one that stands there when the move is
/// over, or when it passes: just after the jump, or as the moving column lands there. Where no
/// column is written, none is checked.
///
/// # Errors
/// See [`ParseMoveError`].
///
/// ```
/// use lasca_tablebase::notation::parse_move;
/// use lasca_tablebase::rules::{Position, RuleSet};
///
/// let position: Position = "b2W c3B c5BB w".parse().unwrap();
/// let read = |text| parse_move(text, &position, RuleSet::Lasca);
/// let (played, after) = read("b2-c3-d4-c5B-b6WBB").unwrap();
/// assert_eq!(after.to_string(), "c5B b6WBB b");
/// for text in ["b2-c3-d4-c5-b6", "b2xd4xb6", "b2-b6!?", "5-19", "b2-c3-d4WB-c5-b6"] {
///     assert_eq!(read(text).unwrap().0, played);
/// }
/// assert_eq!(
///     read("b2xd4").unwrap_err().to_string(),
///     "expected the whole take (b2-c3-d4-c5B-b6WBB), found \"b2xd4\""
/// );
/// ```
pub fn parse_move(
    text: &str,
    position: &Position,
    rules: RuleSet,
) -> Result<(Move, Position), ParseMoveError> {
    let named = scan(text)?;
    let legal = position.successors(rules);
    if legal.is_empty() {
        return Err(ParseMoveError::GameOver { side_to_move: position.side_to_move() });
    }
    let Some(best) = legal.iter().filter_map(|(played, _)| closeness(&named, played)).min() else {
        return Err(no_such_move(text, &named, &legal));
    };
    let candidates: Vec<_> = legal
        .into_iter()
        .filter(|(played, _)| closeness(&named, played) == Some(best))
        .map(|(played, after)| Candidate::new(position, played, after))
        .collect();
    let printed = |fitting: &[&Candidate]| {
        fitting.iter().map(|candidate| move_text(&candidate.played, &candidate.after)).collect()
    };
    let fitting: Vec<_> = candidates.iter().filter(|candidate| candidate.fits(&named)).collect();
    match (&fitting[..], &candidates[..]) {
        (&[fits], _) => Ok((fits.played.clone(), fits.after)),
        (&[], [only]) => Err(only.wrong_column(text, &named)),
        (&[], all) => Err(ParseMoveError::WrongColumns {
            found: excerpt(text.trim()),
            fitting: printed(&all.iter().collect::<Vec<_>>()),
        }),
        (several, _) => Err(ParseMoveError::Ambiguous {
            found: excerpt(text.trim()),
            fitting: printed(several),
        }),
    }
}

/// A square named in a text.
struct Named<'a> {
    /// The place of its first character.
    at: usize,
    square: Square,
    /// The column written after it; empty if there is none.
    column: &'a str,
}

/// Reads squares, each with or without a column, with separators between them.
fn scan(text: &str) -> Result<Vec<Named<'_>>, ParseMoveError> {
    if text.len() > MAX_TEXT_LEN {
        return Err(ParseMoveError::TooLong { found: text.len() });
    }
    let is_mark = |c: char| c.is_whitespace() || c == '!' || c == '?';
    let end = text.trim_end_matches(is_mark).len();
    let body = &text[..end];
    if body.trim().is_empty() {
        return Err(ParseMoveError::NoText);
    }
    let skip_space = |at: usize| at + (body[at..].len() - body[at..].trim_start().len());
    let mut named = Vec::new();
    let mut at = 0;
    loop {
        let start = skip_space(at);
        let rest = &body[start..];
        let name = &rest[..square_len(rest)];
        let Some(square) = square(name) else {
            let word = if name.is_empty() { first_word(rest) } else { name };
            let at = place(text, start);
            return Err(ParseMoveError::UnknownSquare { at, found: excerpt(word) });
        };
        let counters = &rest[name.len()..];
        let height = counters.chars().take_while(|&c| Counter::from_letter(c).is_some()).count();
        let column = &counters[..height];
        named.push(Named { at: place(text, start), square, column });
        at = skip_space(start + name.len() + height);
        match body[at..].chars().next() {
            None => break,
            Some(c) if is_separator(c) => at += c.len_utf8(),
            Some(found) => {
                return Err(ParseMoveError::Unexpected { at: place(text, at), found });
            }
        }
    }
    match &named[..] {
        [only] => Err(ParseMoveError::OneSquare { square: only.square }),
        _ => Ok(named),
    }
}

/// What stands in a square's place: the text up to the next separator, or that separator.
fn first_word(text: &str) -> &str {
    let ends = |c: char| is_separator(c) || c.is_whitespace();
    match text.find(ends) {
        Some(0) => text.split_inclusive(ends).next().unwrap_or(text),
        Some(end) => &text[..end],
        None => text,
    }
}

fn is_separator(c: char) -> bool {
    matches!(c, '-' | '–' | 'x' | 'X' | '×' | ':')
}

/// How closely a text names a move's squares; the closest comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Closeness {
    AllSquares,
    AllLandings,
    Abbreviated,
}

/// How the named squares fit a move's, columns aside; `None` if they do not.
fn closeness(named: &[Named], played: &Move) -> Option<Closeness> {
    let names = |squares: &[Square]| named.iter().map(|n| n.square).eq(squares.iter().copied());
    if names(played.squares()) {
        Some(Closeness::AllSquares)
    } else if names(&stops(played)) {
        Some(Closeness::AllLandings)
    } else if embed(named, played, |_, _| true).is_some() {
        Some(Closeness::Abbreviated)
    } else {
        None
    }
}

/// Where the moving column starts and lands.
fn stops(played: &Move) -> Vec<Square> {
    std::iter::once(played.from()).chain(played.landings()).collect()
}

/// For each square named, the index of the square of the move that it stands for: the first one
/// the move's first, the last one its last, the others in order between them. `allowed` may turn a
/// pairing down. `None` if there is no way.
fn embed(
    named: &[Named],
    played: &Move,
    allowed: impl Fn(&Named, usize) -> bool,
) -> Option<Vec<usize>> {
    let squares = played.squares();
    let last = squares.len() - 1;
    let pairs = |named: &Named, i: usize| named.square == squares[i] && allowed(named, i);
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
    /// What stands on each of the move's squares just as it is passed.
    passing: Vec<Column>,
}

impl Candidate {
    fn new(before: &Position, played: Move, after: Position) -> Candidate {
        let mut carried = before.column(played.from());
        let mut passing = vec![carried];
        let mut board: Vec<Column> = Square::all().map(|square| before.column(square)).collect();
        for over in played.jumped() {
            let jumped = &mut board[over.index()];
            if let Some(taken) = jumped.pop_top() {
                carried.push_bottom(taken);
            }
            passing.extend([*jumped, carried]);
        }
        // The last square shows the whole column, promoted if it was.
        passing.truncate(played.squares().len() - 1);
        passing.push(after.column(played.to()));
        Candidate { played, after, passing }
    }

    fn column_fits(&self, named: &Named, i: usize) -> bool {
        let is = |column: Column| column.to_string() == named.column;
        named.column.is_empty() || is(self.after.column(named.square)) || is(self.passing[i])
    }

    fn fits(&self, named: &[Named]) -> bool {
        embed(named, &self.played, |named, i| self.column_fits(named, i)).is_some()
    }

    /// The error for a text whose squares fit and whose columns do not.
    fn wrong_column(&self, text: &str, named: &[Named]) -> ParseMoveError {
        let indices = embed(named, &self.played, |_, _| true).unwrap_or_default();
        let wrong = named.iter().zip(indices).find(|&(named, i)| !self.column_fits(named, i));
        let Some((named, i)) = wrong else {
            return ParseMoveError::WrongColumns {
                found: excerpt(text.trim()),
                fitting: vec![move_text(&self.played, &self.after)],
            };
        };
        let is_jumped = self.played.is_capture() && i % 2 == 1;
        ParseMoveError::WrongColumn {
            at: named.at,
            square: named.square,
            written: excerpt(named.column),
            arises: if is_jumped { self.after.column(named.square) } else { self.passing[i] },
        }
    }
}

/// The error for squares that fit no legal move.
fn no_such_move(text: &str, named: &[Named], legal: &[(Move, Position)]) -> ParseMoveError {
    let begins = |squares: &[Square]| {
        squares.len() > named.len() && named.iter().zip(squares).all(|(n, &s)| n.square == s)
    };
    let printed = |(played, after): &(Move, Position)| move_text(played, after);
    let found = excerpt(text.trim());
    let continued: Vec<String> = legal
        .iter()
        .filter(|(played, _)| begins(played.squares()) || begins(&stops(played)))
        .map(printed)
        .collect();
    if continued.is_empty() {
        ParseMoveError::NotLegal { found, legal: legal.iter().map(printed).collect() }
    } else {
        ParseMoveError::Unfinished { found, legal: continued }
    }
}
