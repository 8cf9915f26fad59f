//! Readers of positions and of the values of options.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use lasca_tablebase::Reason;
use lasca_tablebase::index::Material;
use lasca_tablebase::notation::{TextError, parse_move, words};
use lasca_tablebase::rules::{Position, RuleSet};
use std::collections::HashSet;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

/// The most positions that can be listed.
pub const MOST_LISTED: u64 = 10_000;

/// The parser of an option that is a whole number in this range.
pub fn number<T: TryFrom<u64> + Clone + Send + Sync + 'static>(
    range: RangeInclusive<u64>,
) -> impl TypedValueParser<Value = T> {
    move |text: &str| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            format!("expected a whole number from {least} to {most}, found {text:?}")
        })
    }
}

/// The parser of an option that is the name of one of these.
pub fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.map(name)).try_map(move |found| {
        let is_meant = |one: &T| name(*one).eq_ignore_ascii_case(&found);
        all.into_iter().find(is_meant).ok_or("expected one of the names")
    })
}

/// Reads `3`, `3..5`, `3..` or `..5`. Both ends belong to the range, and neither is outside these
/// bounds.
pub fn range<T: FromStr + Copy + PartialOrd + Display>(
    text: &str,
    bounds: &RangeInclusive<T>,
) -> Result<RangeInclusive<T>, String> {
    let end = |text: &str, or: &T| if text.is_empty() { Some(*or) } else { text.parse().ok() };
    let ends = match text.split_once("..") {
        Some(("", "")) => None,
        Some((least, most)) => end(least, bounds.start()).zip(end(most, bounds.end())),
        None => text.parse().ok().map(|number| (number, number)),
    };
    match ends.filter(|(least, most)| bounds.contains(least) && bounds.contains(most)) {
        Some((least, most)) if least <= most => Ok(least..=most),
        Some(_) => Err(format!("expected the smaller number first, found {text:?}")),
        None => {
            let (least, most) = (bounds.start(), bounds.end());
            Err(format!(
                "expected a range such as 3, 3..5, 3.. or ..5, with numbers from {least} to {most}, \
                 found {text:?}"
            ))
        }
    }
}

/// The first of those materials that are the same if the colours are exchanged, in the order in which they come.
pub fn each_once(materials: impl IntoIterator<Item = Material>) -> Vec<Material> {
    let mut seen = HashSet::new();
    materials.into_iter().filter(|material| seen.insert(material.normalized())).collect()
}

/// A number of seconds, at least 0.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| format!("expected a number of seconds such as 10 or 0.5, found {text:?}"))
}

/// `1` for yes, `0` for no.
pub fn yes(text: &str) -> Result<bool, String> {
    match text {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(format!("expected 0 or 1, found {text:?}")),
    }
}

/// Reads a size: a number of bytes, or with a unit, such as `8M` or `1.5G`.
pub fn size(text: &str) -> Result<u64, String> {
    let is_of_unit = |c: char| !c.is_ascii_digit() && c != '.';
    let (number, unit) = text.split_at(text.find(is_of_unit).unwrap_or(text.len()));
    let power = ["", "K", "M", "G", "T"].iter().position(|name| unit.eq_ignore_ascii_case(name));
    let bytes = power
        .zip(number.parse().ok())
        .map(|(power, number): (usize, f64)| number * (1_u64 << (10 * power)) as f64);
    let bytes = bytes.filter(|bytes| (0.0..u64::MAX as f64).contains(bytes));
    bytes.map(|bytes| bytes as u64).ok_or_else(|| {
        format!("expected a size such as 8M, 1.5G or a number of bytes, found {text:?}")
    })
}

/// Reads a position, or says why the text is not one.
pub fn position(text: &str) -> Result<Position, String> {
    match text.trim() {
        "" => Err("expected a position such as a1WWW b2BBB w, found nothing".to_owned()),
        text => text.parse().map_err(|error: TextError| error.to_string()),
    }
}

/// Reads a position, and plays the moves that may follow it, as in `start moves c3-d4 d6xb4`. Returns the position after
/// them, and those that came before.
pub fn position_after_moves(
    text: &str,
    rules: RuleSet,
) -> Result<(Position, Vec<Position>), (Reason, String)> {
    let (first, moves) = match text.split_once(" moves") {
        Some((first, moves)) if !moves.starts_with(|next: char| !next.is_whitespace()) => {
            (first, moves)
        }
        _ => (text, ""),
    };
    let mut position = position(first).map_err(|why| (Reason::NotAPosition, why))?;
    // `*` and `#` may stand after a move, and mean nothing.
    let moves = words(moves).filter(|word| !word.trim_matches(['*', '#']).is_empty());
    let mut before = Vec::new();
    for (number, word) in (1..).zip(moves) {
        before.push(position);
        (_, position) = parse_move(word, &position, rules)
            .map_err(|error| (error.reason(), format!("move {number}: {}", error.problem)))?;
    }
    Ok((position, before))
}
