//! Finding and reading the parts of a text, and where they stand in it.

use crate::rules::Square;
use std::borrow::Cow;
use std::fmt::Display;

/// The number of the byte of `text` at which `part` begins, which lies in it.
pub(super) fn offset_of(part: &str, text: &str) -> usize {
    part.as_ptr().addr() - text.as_ptr().addr()
}

/// The number, from 1, of the character of `text` at which `part` begins, which lies in it.
pub(super) fn character_number(text: &str, part: &str) -> usize {
    text[..offset_of(part, text)].chars().count() + 1
}

/// The length, in bytes, of the letter and digits, or the digits alone, with which `text` begins. 0 if
/// nothing there looks like a square.
pub fn square_len(text: &str) -> usize {
    let letter = text.chars().next().filter(|first| first.is_alphabetic());
    let letter_len = letter.map_or(0, char::len_utf8);
    let digits = text[letter_len..].bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 { 0 } else { letter_len + digits }
}

/// The square of this name (`a1` to `g7`, the letter in either case) or number (`1` to `25`).
pub(super) fn parse_square(name: &str) -> Option<Square> {
    Square::from_name(&name.to_ascii_lowercase()).or_else(|| {
        let number: usize = name.parse().ok()?;
        Square::from_index(number.checked_sub(1)?)
    })
}

/// Whether this is a hyphen or a dash, which all mean the same between squares and in results: `-`, `–`, `—`
/// and the other dashes of Unicode, its minus sign, its soft hyphen, and the small and full-width forms.
pub fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{ad}' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}')
}

/// Whether nothing is seen of this: a blank, the end of a line, or a character without width.
pub fn is_blank(c: char) -> bool {
    c.is_whitespace() || has_no_width(c)
}

fn has_no_width(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// A text with a space for each character without width.
pub(super) fn with_spaces(text: &str) -> Cow<'_, str> {
    match text.contains(has_no_width) {
        true => text.replace(has_no_width, " ").into(),
        false => text.into(),
    }
}

/// Whether this may stand between the squares of a move.
pub fn is_separator(c: char) -> bool {
    is_dash(c) || matches!(c, 'x' | 'X' | '×' | '✕' | '✖' | ':')
}

/// Whether this may stand at the end of a move: a mark of a commentator, or `*` or `#`, which mean nothing.
pub fn is_mark(c: char) -> bool {
    matches!(c, '!' | '?' | '*' | '#')
}

/// The words of a line of moves. Blanks part them, but for those beside a dash or an `x` that stands between two squares
/// or between the numbers of a result.
///
/// ```
/// use lasca_tablebase::notation::words;
/// assert!(words("1. c3 - d4 e5 x c3  1 – 0").eq(["1.", "c3 - d4", "e5 x c3", "1 – 0"]));
/// assert!(words("1.c3 - d4 e5-d4 - c3").eq(["1.c3 - d4", "e5-d4 - c3"]));
/// ```
pub fn words(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(is_blank);
        let (word, after) = rest.split_at(word_len(rest, is_blank));
        rest = after;
        Some(word).filter(|word| !word.is_empty())
    })
}

/// The length of the word with which a text begins, in bytes, as [`words`] has it. A word also ends where `ends` says.
pub fn word_len(text: &str, ends: impl Fn(char) -> bool) -> usize {
    let plain = |text: &str| text.find(&ends).unwrap_or(text.len());
    let is_blank = |c: char| is_blank(c) && !matches!(c, '\n' | '\r');
    // A number of a result, a square with its column, or several squares with signs between them.
    let is_operand = |word: &str| {
        let is_plain =
            |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '½' | '/'));
        let is_square =
            |part: &str| parse_square(&part[..square_len(part)]).is_some() && is_plain(part);
        let mut parts = word.split(is_separator).filter(|part| !part.is_empty());
        let has_number = word.contains(|c: char| c.is_ascii_digit() || c == '½');
        has_number && (is_plain(word) || parts.all(is_square))
    };
    let mut len = plain(text);
    // The number of a move may stand before its first square, without a blank.
    let first = text[..len].rsplit(['.', '…']).next().unwrap_or_default();
    if !is_operand(first.trim_end_matches(is_dash)) {
        return len;
    }
    loop {
        let (word, rest) = text.split_at(len);
        let after = rest.trim_start_matches(is_blank);
        // A run of dashes, or another sign between blanks.
        let undashed = after.trim_start_matches(is_dash);
        let uncrossed = after.strip_prefix(is_separator);
        let uncrossed =
            uncrossed.filter(|next| after.len() < rest.len() && next.starts_with(is_blank));
        let next = if undashed.len() < after.len() { undashed } else { uncrossed.unwrap_or(after) };
        let is_joined = word.ends_with(is_dash) || next.len() < after.len();
        let next = next.trim_start_matches(is_blank);
        let found = &next[..plain(next)];
        let operand =
            found.trim_end_matches(|c| is_mark(c) || is_dash(c) || matches!(c, ',' | ':'));
        if !is_joined || next.len() == rest.len() || !is_operand(operand) {
            return len;
        }
        len = text.len() - next.len() + found.len();
        if operand.len() < found.trim_end_matches(is_dash).len() {
            return len;
        }
    }
}

/// A line of a text without the byte order mark with which it may begin. Some programs begin a file with one,
/// and where such files were joined, it stands at the beginning of any line.
///
/// ```
/// use lasca_tablebase::notation::without_mark;
/// assert_eq!(without_mark("\u{feff}a1W c3B w"), "a1W c3B w");
/// ```
pub fn without_mark(line: &str) -> &str {
    line.trim_start_matches('\u{feff}')
}

/// The problem that something else was found in place of a square.
pub(super) fn no_square(found: impl Display) -> String {
    format!("expected one of the 25 squares (a1, c1 … g7, or 1 to 25), found {found}")
}

/// The beginning of `text`, short enough for an error message.
pub fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
