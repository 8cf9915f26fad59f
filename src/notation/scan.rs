//! Reading squares, and saying where in a text something stands.

use crate::rules::Square;

/// The 1-based place of the character at byte `offset`, counted in characters.
pub(super) fn place(text: &str, offset: usize) -> usize {
    text.char_indices().take_while(|&(start, _)| start < offset).count() + 1
}

/// The length in bytes of what stands in a square's place at the head of `text`: a letter and
/// digits, or digits alone. 0 if nothing there looks like a square.
pub(super) fn square_len(text: &str) -> usize {
    let letter = text.chars().next().filter(|first| first.is_alphabetic());
    let letter_len = letter.map_or(0, char::len_utf8);
    let digits = text[letter_len..].bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 { 0 } else { letter_len + digits }
}

/// The square of this name (`a1` to `g7`) or number (`1` to `25`).
pub(super) fn square(name: &str) -> Option<Square> {
    Square::from_name(name).or_else(|| {
        let number: usize = name.parse().ok()?;
        Square::from_index(number.checked_sub(1)?)
    })
}

/// The pieces of `text` between separators, each with the byte at which it starts.
pub(super) fn pieces(
    text: &str,
    is_separator: impl Fn(char) -> bool,
) -> impl Iterator<Item = (usize, &str)> {
    // A piece lies inside `text`, so the difference of their addresses is its offset.
    text.split(is_separator).map(move |piece| (piece.as_ptr().addr() - text.as_ptr().addr(), piece))
}

/// The beginning of `text`, short enough for an error message.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_from_one() {
        assert_eq!(place("äb", 0), 1);
        assert_eq!(place("äb", 2), 2);
        assert_eq!(place("äb", 3), 3);
    }

    #[test]
    fn pieces_know_their_offsets() {
        let found: Vec<_> = pieces("a,,bc,", |c| c == ',').collect();
        assert_eq!(found, [(0, "a"), (2, ""), (3, "bc"), (6, "")]);
    }

    #[test]
    fn squares_are_names_or_numbers() {
        for square in Square::all() {
            assert_eq!(super::square(&square.to_string()), Some(square));
            assert_eq!(super::square(&square.number().to_string()), Some(square));
        }
        for wrong in ["a2", "h1", "a8", "0", "26", "", "99999999999999999999999", "a01"] {
            assert_eq!(super::square(wrong), None, "{wrong}");
        }
    }
}
