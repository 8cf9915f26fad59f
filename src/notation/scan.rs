//! Finding and reading the parts of a text, and where they stand in it.

use crate::rules::Square;

/// The number, from 1, of the character at byte `offset`.
pub(super) fn character_number(text: &str, offset: usize) -> usize {
    text.char_indices().take_while(|&(start, _)| start < offset).count() + 1
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

/// The parts of `text` between separators, each with the number of its first byte.
pub(super) fn parts(
    text: &str,
    is_separator: impl Fn(char) -> bool,
) -> impl Iterator<Item = (usize, &str)> {
    // A part lies inside `text`, so the difference of their addresses is its offset.
    text.split(is_separator).map(move |part| (part.as_ptr().addr() - text.as_ptr().addr(), part))
}

/// The beginning of `text`, short enough for an error message.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
