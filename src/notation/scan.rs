//! Finding and reading the parts of a text, and where they stand in it.

use crate::rules::Square;

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
pub(super) fn square_len(text: &str) -> usize {
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
/// and the other dashes of Unicode, and its minus sign.
///
/// ```
/// assert!("-‐‑‒–—―−".chars().all(lasca_tablebase::notation::is_dash));
/// ```
pub fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

/// Whether this may stand between the squares of a move.
pub(crate) fn is_separator(c: char) -> bool {
    is_dash(c) || matches!(c, 'x' | 'X' | '×' | ':')
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

/// The beginning of `text`, short enough for an error message.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
