//! What was probably meant by a text that is not a position.
//!
//! The error says where the text is wrong. What is mistaken most often there is corrected, until the
//! text is a position. So every suggestion is one.

use crate::hints::{self, CommandLine};
use lasca_tablebase::index::Material;
use lasca_tablebase::notation::ParsePositionError;
use lasca_tablebase::rules::{Counter, Position, Square};
use lasca_tablebase::table::FileKind;
use std::ffi::OsStr;
use std::path::Path;

/// The most corrections of one text. A position of 22 columns may need one for each.
const CORRECTIONS: usize = 24;

/// If more positions could be meant, none is suggested.
const MOST: usize = 4;

/// The longest text that is corrected, in bytes.
const LONGEST: usize = 200;

/// The error with the positions that were probably meant.
pub fn with_positions(error: &ParsePositionError, text: &str) -> String {
    let meant: Vec<String> = positions(text).iter().map(|text| format!("{text:?}")).collect();
    match meant.as_slice() {
        [] => error.to_string(),
        meant => format!("{error}; did you mean {}?", meant.join(" or ")),
    }
}

/// What is wrong, and the command that was probably meant, if a command that wants a position gets a
/// material or a file.
pub fn instead_of_position(command: &str, text: &str) -> Option<String> {
    let of_material =
        |material: Material| CommandLine::new("stats").word(material).rules(hints::given_rules());
    let (found, meant) = match (text.parse::<Material>(), Path::new(text)) {
        (Ok(material), _) => ("the material", of_material(material).to_string()),
        (Err(_), path) if !path.is_file() => return None,
        (Err(error), path) => {
            let ending = path.extension().and_then(OsStr::to_str);
            let is_table = FileKind::ALL.iter().any(|kind| ending == Some(kind.extension()));
            let meant = match error.suggestion().filter(|_| is_table) {
                Some(material) => of_material(material).to_string(),
                None if ending == Some("study") => CommandLine::new("study").word(text).to_string(),
                None => format!(
                    "{} < {}",
                    CommandLine::new(command).word("--stdin"),
                    hints::quoted(text)
                ),
            };
            ("the file", meant)
        }
    };
    Some(format!("expected a position, found {found} {text}; did you mean {meant}?"))
}

/// The positions that were probably meant by a text that is none; none if that is not clear.
pub fn positions(text: &str) -> Vec<String> {
    let mut texts = vec![text.to_owned()];
    for _ in 0..CORRECTIONS {
        let mut corrected = Vec::new();
        let mut all_right = true;
        for text in texts {
            match text.parse::<Position>() {
                Ok(_) => corrected.push(text),
                Err(error) if text.len() <= LONGEST => {
                    all_right = false;
                    corrected.extend(corrections(&text, &error));
                }
                Err(_) => all_right = false,
            }
        }
        if corrected.len() > MOST {
            return Vec::new();
        }
        texts = corrected;
        if all_right {
            break;
        }
    }
    texts.retain(|text| text.parse::<Position>().is_ok());
    texts
}

/// The text with what is wrong at the place of the error corrected, in each way that is likely.
fn corrections(text: &str, error: &ParsePositionError) -> Vec<String> {
    use ParsePositionError::*;
    let Some(at) = error.at() else { return Vec::new() };
    let at = text.char_indices().nth(at - 1).map_or(text.len(), |(offset, _)| offset);
    let (before, after) = text.split_at(at);
    let word_len = after.find([' ', ',', '\t']).unwrap_or(after.len());
    let (word, rest) = after.split_at(word_len);
    match error {
        UnknownSquare { .. } => of_square(word)
            .into_iter()
            .map(|square| format!("{before}{square}{rest}"))
            .chain(start(text))
            .collect(),
        // The counters stand behind a space.
        NoCounters { .. } => {
            let joined = after.trim_start();
            let next = joined.split([' ', ',']).next().unwrap_or_default();
            let is_side = next == joined.trim_end() && matches!(next, "w" | "b");
            match next.chars().all(|c| Counter::from_letter(c).is_some()) && !is_side {
                true => vec![format!("{before}{joined}")],
                false => Vec::new(),
            }
        }
        UnknownCounter { found, .. } => {
            let rest = &after[found.len_utf8()..];
            of_counter(before, *found, rest).into_iter().collect()
        }
        SideMissing { .. } => {
            let columns = text.trim_end().trim_end_matches('.');
            vec![format!("{columns} w"), format!("{columns} b")]
        }
        UnknownSide { found, .. } => {
            let side = ["white", "black"].into_iter().find(|side| is_like(found, side));
            let side = side.map(|side| format!("{before}{side}{rest}"));
            side.or_else(|| start(text)).into_iter().collect()
        }
        RankCount { .. } | SquareCount { .. } => {
            Some(with_commas(text)).filter(|corrected| corrected != text).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// A text in row form, with commas for numbers of empty squares as chess players write them.
fn with_commas(text: &str) -> String {
    let is_end = |c: Option<char>| c.is_none_or(|c| "/, ".contains(c));
    let letters: Vec<char> = text.chars().collect();
    let comma = |(at, &letter): (usize, &char)| match letter {
        '1'..='4' if is_end(at.checked_sub(1).map(|at| letters[at])) => {
            match is_end(letters.get(at + 1).copied()) {
                true => ",".repeat(letter as usize - '1' as usize),
                false => letter.to_string(),
            }
        }
        letter => letter.to_string(),
    };
    letters.iter().enumerate().map(comma).collect()
}

/// Whether a word is this one with one or two typing errors.
fn is_like(word: &str, meant: &str) -> bool {
    word.chars().count() >= 3 && strsim::damerau_levenshtein(&word.to_lowercase(), meant) <= 2
}

/// The starting position, if the first word is like its name.
fn start(text: &str) -> Option<String> {
    let first = text.split_whitespace().next()?;
    (is_like(first, "start") && text.split_whitespace().count() <= 2).then(|| "start".to_owned())
}

/// What a column may mean that does not begin with a square.
fn of_square(word: &str) -> Vec<String> {
    // The counters stand before the square.
    if let Some((counters, square)) = word.split_at_checked(word.len().saturating_sub(2))
        && !counters.is_empty()
        && counters.chars().all(|c| Counter::from_letter(c).is_some())
        && Square::from_name(square).is_some()
    {
        return vec![format!("{square}{counters}")];
    }
    let mut letters = word.chars();
    let (Some(file), Some(rank)) = (letters.next(), letters.next()) else { return Vec::new() };
    let rest = letters.as_str();
    let file = latin(file).unwrap_or(file);
    let rank = if matches!(rank, 'l' | 'I' | '|') { '1' } else { rank };
    let named = |file: char, rank: char| {
        let name = format!("{}{rank}", file.to_ascii_lowercase());
        Square::from_name(&name).map(|square| format!("{square}{rest}"))
    };
    if let Some(column) = named(file, rank).filter(|column| column != word) {
        return vec![column];
    }
    if !rank.is_ascii_digit() || !file.is_ascii_alphabetic() || rest.starts_with(char::is_numeric) {
        return Vec::new();
    }
    // The squares beside one that is not played on.
    let beside = |letter: char, by: i8| char::from((letter as u8).wrapping_add_signed(by));
    let squares = [(-1, 0), (0, -1), (0, 1), (1, 0)];
    squares
        .into_iter()
        .filter_map(|(right, up)| named(beside(file, right), beside(rank, up)))
        .collect()
}

/// The text with a character corrected that is no counter and stands where one should be.
fn of_counter(before: &str, found: char, rest: &str) -> Option<String> {
    let last = before.chars().next_back();
    let next = rest.chars().next();
    let begins_column = |square: &str, rest: &str| {
        Square::from_name(&square.to_ascii_lowercase()).is_some()
            && rest.starts_with(|c| Counter::from_letter(c).is_some())
    };
    if let Some(letter) = latin(found) {
        return Some(format!("{before}{letter}{rest}"));
    }
    match found {
        ';' | '+' | '_' | '|' => return Some(format!("{before} {rest}")),
        ':' | '=' | '-' if last.is_some_and(|c| c.is_ascii_digit()) => {
            let mut counters = rest.split([' ', ',']).next()?.chars();
            let is_column = counters.all(|c| Counter::from_letter(c).is_some());
            return is_column.then(|| format!("{before}{rest}"));
        }
        'o' | 'O' if before.ends_with(['1', '2']) => return Some(format!("{before}0{rest}")),
        _ => {}
    }
    // The next column follows without a space.
    if let (true, Some(rank)) = (found.is_ascii_alphabetic(), next)
        && begins_column(&format!("{found}{rank}"), &rest[rank.len_utf8()..])
    {
        return Some(format!("{before} {found}{rest}"));
    }
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number: usize = format!("{found}{}", &rest[..digits]).parse().ok()?;
    let (rest, last) = (&rest[digits..], last?);
    let ends_in_counter = |text: &str| text.ends_with(|c| Counter::from_letter(c).is_some());
    if let Some(column) = before.strip_suffix(['b', 'B'])
        && ends_in_counter(column)
        && begins_column(&format!("b{number}"), rest)
    {
        return Some(format!("{column} {last}{number}{rest}"));
    }
    // A run of counters as the board of this program shortens it: W5 is WWWWW.
    let is_run = ends_in_counter(before) && (2..=Position::MAX_COUNTERS).contains(&number);
    is_run.then(|| format!("{before}{}{rest}", last.to_string().repeat(number - 1)))
}

/// The Latin letter that looks like one of another alphabet.
fn latin(letter: char) -> Option<char> {
    const LOOK_ALIKE: [(char, char); 10] = [
        ('а', 'a'),
        ('А', 'A'),
        ('с', 'c'),
        ('С', 'C'),
        ('е', 'e'),
        ('Е', 'E'),
        ('В', 'B'),
        ('Ｂ', 'B'),
        ('Ｗ', 'W'),
        ('Ԝ', 'W'),
    ];
    LOOK_ALIKE.into_iter().find(|&(other, _)| other == letter).map(|(_, latin)| latin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usual_mistake_brings_the_position_that_was_meant() {
        for (text, expected) in [
            ("a1WWW b2BBB whit", &["a1WWW b2BBB white"][..]),
            ("a1WWW b2BBB, Wihte to move.", &["a1WWW b2BBB, white to move."]),
            ("a1WWW b2BBB blak", &["a1WWW b2BBB black"]),
            ("a1WWW b2BBB", &["a1WWW b2BBB w", "a1WWW b2BBB b"]),
            ("a1WWW b2BBB.", &["a1WWW b2BBB w", "a1WWW b2BBB b"]),
            ("/////BBB,,/WWW,,,", &["/////BBB,,/WWW,,, w", "/////BBB,,/WWW,,, b"]),
            ("strat", &["start"]),
            ("Stat", &["start"]),
            ("start w", &["start"]),
            ("a2W b2B w", &["a1W b2B w", "a3W b2B w"]),
            ("a1W h1B w", &["a1W g1B w"]),
            ("a1W b8B w", &[]),
            ("a1W g8B w", &["a1W g7B w"]),
            ("alW b2B w", &["a1W b2B w"]),
            ("1OW b2B w", &["10W b2B w"]),
            ("a1 WWW b2 BBB w", &["a1WWW b2BBB w"]),
            ("a1 WWW b2 BBB", &["a1WWW b2BBB w", "a1WWW b2BBB b"]),
            ("a1 WWW b2 w", &[]),
            ("WWWa1 BBBb2 w", &["a1WWW b2BBB w"]),
            ("a1WWWb2BBB w", &["a1WWW b2BBB w"]),
            ("a1WWWc3BBB w", &["a1WWW c3BBB w"]),
            ("a1W5B4 b2B w", &["a1WWWWWBBBB b2B w"]),
            ("a1:WWW b2:BBB w", &["a1WWW b2BBB w"]),
            ("a1WWW;b2BBB;w", &["a1WWW b2BBB w"]),
            ("a1WWW+b2BBB+w", &["a1WWW b2BBB w"]),
            ("а1WWW b2ВBB w", &["a1WWW b2BBB w"]),
            ("4/3/4/3/4/BBB,2/WWW,3 w", &[",,,/,,/,,,/,,/,,,/BBB,,/WWW,,, w"]),
            ("a1B4W c1B w", &["a1BBBBW c1B w"]),
            ("a1O b2B w", &[]),
            ("a1-b2 w", &[]),
            ("a1X b2B w", &[]),
            ("a1W a1B w", &[]),
            ("", &[]),
            ("4-3", &[]),
            ("hello", &[]),
        ] {
            let found = positions(text);
            assert_eq!(found, expected, "{text}");
            for suggestion in found {
                suggestion.parse::<Position>().unwrap();
            }
        }
    }

    #[test]
    fn a_suggestion_is_a_position_whatever_was_given() {
        let start = "a1WWW c3wB b2BBb w";
        for (at, _) in start.char_indices() {
            for change in ["", " ", "x", "/", ",", "4", "12", "b", "а", "+", "ß", "w"] {
                let text = format!("{}{change}{}", &start[..at], &start[at + 1..]);
                for suggestion in positions(&text) {
                    assert!(suggestion.parse::<Position>().is_ok(), "{text}: {suggestion}");
                }
            }
        }
        positions(&"a2W ".repeat(1000));
        positions(&"/".repeat(1000));
    }
}
