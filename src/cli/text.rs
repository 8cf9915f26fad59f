//! Numbers, tables and lines of text, for people.

use indicatif::{BinaryBytes, HumanCount};
use lasca_tablebase::notation::{MoveNumber, numbered};
use lasca_tablebase::{ValueRange, Wdl};
use std::borrow::Cow;
use std::io::{self, IsTerminal};
use std::time::Duration;
use textwrap::{Options, WordSeparator, WordSplitter};

/// The width in characters that text for people keeps to where possible.
pub const WIDTH: usize = 80;

/// `12345678` as `12,345,678`.
pub fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

/// A number of bytes in the unit that suits it: `4.12 MiB`.
pub fn bytes(number: u64) -> String {
    BinaryBytes(number).to_string()
}

/// As [`bytes`], but rounded up: for memory that is needed.
pub fn bytes_or_more(number: u64) -> String {
    let unit = 1 << (number.max(1).ilog2() / 10 * 10);
    let hundredths = (100 * u128::from(number)).div_ceil(unit);
    bytes(u64::try_from(hundredths * unit / 100).unwrap_or(u64::MAX))
}

/// A rate per second: `11,234,567/s`.
pub fn rate(per_second: f64) -> String {
    format!("{}/s", grouped(per_second as u64))
}

/// A duration in one unit: `42 ms`, `0.3 s`, `12 s`, `40 min`, `3.3 h`, `5.1 d`.
pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    let (number, unit) = match seconds {
        ..0.0995 => (seconds * 1000.0, "ms"),
        ..600.0 => (seconds, "s"),
        ..5700.0 => (seconds / 60.0, "min"),
        ..345_600.0 => (seconds / 3600.0, "h"),
        _ => (seconds / 86_400.0, "d"),
    };
    let decimals = usize::from(number < 9.95);
    format!("{number:.decimals$} {unit}")
}

/// A share of a whole, which is not 0: `47.6 %`.
pub fn share(part: u64, whole: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole as f64)
}

/// Whether a terminal does not show this character, but does something: it ends a line, say, or turns around the
/// order of those that follow.
pub fn is_control(c: char) -> bool {
    let is_format = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || is_format
}

/// A text from arguments, files or folders, with [control characters](is_control) written as in `\u{1b}`, so that
/// it cannot control the terminal or look like a line of its own.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match is_control(character) {
            true => shown.extend(character.escape_unicode()),
            false => shown.push(character),
        }
    }
    shown
}

/// A column bound: `up to 3`, or `all`.
pub fn bound(max_columns: Option<usize>) -> String {
    max_columns.map_or("all".to_owned(), |columns| format!("up to {columns}"))
}

/// `1 ply`, `2 plies`.
pub fn plies(number: u16) -> String {
    format!("{number} {}", if number == 1 { "ply" } else { "plies" })
}

/// ` in 5`, or ` in at most 9`; empty for a draw, or if this is not known.
pub fn distance(value: ValueRange) -> String {
    match (value.at_most(), value.exact()) {
        (Some(plies), Some(_)) => format!(" in {plies}"),
        (Some(plies), None) => format!(" in at most {plies}"),
        (None, _) => String::new(),
    }
}

/// ` in 5 plies`, or ` in at most 9 plies`; empty for a draw, or if this is not known.
pub fn in_plies(value: ValueRange) -> String {
    match value.at_most() {
        Some(1) => distance(value) + " ply",
        Some(_) => distance(value) + " plies",
        None => String::new(),
    }
}

/// What this many moves or sides with this value do. If the result is not known, it is the worst possible.
pub fn verb(value: ValueRange, subjects: usize) -> &'static str {
    match (value.worst().wdl(), subjects) {
        (Wdl::Win, 1) => "wins",
        (Wdl::Draw, 1) => "draws",
        (Wdl::Loss, 1) => "loses",
        (Wdl::Win, _) => "win",
        (Wdl::Draw, _) => "draw",
        (Wdl::Loss, _) => "lose",
    }
}

/// Cells of a row.
pub fn cells<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).into()
}

/// The rows as lines with aligned columns, however wide they are.
fn aligned(indent: usize, align: &str, rows: &[Vec<String>]) -> Vec<String> {
    let width_of = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..align.len()).map(|column| width_of(column).unwrap_or(0)).collect();
    rows.iter()
        .map(|row| {
            let mut line = " ".repeat(indent);
            for ((cell, most), side) in row.iter().zip(&widths).zip(align.chars()) {
                let blanks = " ".repeat(most - cell.chars().count());
                match side {
                    'l' => line.extend([cell, &blanks, "  "]),
                    _ => line.extend([&blanks, cell, "  "]),
                }
            }
            line.truncate(line.trim_end().len());
            line
        })
        .collect()
}

/// Breaks text into lines of at most [`WIDTH`] characters, each indented by `indent`. Lines are broken
/// at blanks, and within a word only if it is longer than a line.
pub fn wrapped(indent: usize, text: &str) -> Vec<String> {
    let indent = " ".repeat(indent);
    let options = Options::new(WIDTH)
        .initial_indent(&indent)
        .subsequent_indent(&indent)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::wrap(text, options).into_iter().map(Cow::into_owned).collect()
}

/// As [`wrapped`], with a head at the start of the first line. The head must be ASCII and at least as
/// long as the indent. Lines are not broken at no-break spaces, which become blanks.
pub fn hanging(head: &str, indent: usize, text: &str) -> Vec<String> {
    let (before, within) = head.split_at(indent);
    let mut lines = wrapped(indent, &format!("{}{text}", within.replace(' ', NO_BREAK)));
    if let Some(first) = lines.first_mut() {
        first.replace_range(..indent, before);
    }
    lines.into_iter().map(|line| line.replace(NO_BREAK, " ")).collect()
}

/// A result of one line: wrapped on a terminal, and whole where it may be looked for by line. It may hold no-break
/// spaces, which become blanks.
pub fn result_line(text: &str) -> Vec<String> {
    match io::stdout().is_terminal() {
        true => hanging("", 0, text),
        false => vec![text.replace(NO_BREAK, " ")],
    }
}

/// A head, numbered moves and the result, wrapped. A number stays on the line of its move.
pub fn moves_in_width(
    indent: usize,
    head: &str,
    first: MoveNumber,
    moves: &[String],
    result: &str,
) -> Vec<String> {
    let moves = glued(&numbered(first, moves));
    hanging(&" ".repeat(indent), indent, &format!("{head}{moves} {result}"))
}

/// Joins numbers and their moves with no-break spaces.
pub fn glued(moves: &str) -> String {
    moves.replace(". ", &format!(".{NO_BREAK}"))
}

/// The no-break space.
const NO_BREAK: &str = "\u{a0}";

/// Writes rows as lines with aligned columns: `align` has a letter for each, `l` for text and `r` for
/// numbers. There are two blanks between the columns, and each line is indented by `indent`. If the rows are
/// wider than [`WIDTH`], the last cells are on lines of their own, as many as they need.
pub fn table(indent: usize, align: &str, rows: &[Vec<String>]) -> Vec<String> {
    let lines = aligned(indent, align, rows);
    if lines.iter().all(|line| line.chars().count() <= WIDTH) {
        return lines;
    }
    let parts = || rows.iter().filter_map(|row| row.split_last());
    let heads: Vec<Vec<String>> = parts().map(|(_, head)| head.to_vec()).collect();
    let with_tail = |(head, (tail, _)): (String, (&String, &[String]))| {
        let tail = if tail.is_empty() { Vec::new() } else { wrapped(indent + 4, tail) };
        std::iter::once(head).chain(tail)
    };
    aligned(indent, align, &heads).into_iter().zip(parts()).flat_map(with_tail).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        for (needed, more) in [
            (1023, "1023 B"),
            (5 << 19, "2.50 MiB"),
            ((57 << 20) + 1, "57.01 MiB"),
            ((1 << 30) - 1, "1.00 GiB"),
        ] {
            assert_eq!(bytes_or_more(needed), more);
        }
        assert_eq!(share(1, 3), "33.3 %");
        for (seconds, short) in [
            (0.0004, "0.4 ms"),
            (0.0994, "99 ms"),
            (0.0996, "0.1 s"),
            (95.0, "95 s"),
            (1210.0, "20 min"),
            (12_000.0, "3.3 h"),
            (86_399.0, "24 h"),
            (437_000.0, "5.1 d"),
        ] {
            assert_eq!(duration(Duration::from_secs_f64(seconds)), short);
        }
    }

    #[test]
    fn rows_that_are_too_wide_break_before_their_last_cell() {
        let lines = |long: usize| {
            let rows = [vec!["ab".to_owned(), "x".repeat(long)], vec!["c".into(), "y".into()]];
            table(2, "ll", &rows)
        };
        assert_eq!(lines(74).len(), 2);
        let x = |long: usize| format!("      {}", "x".repeat(long));
        assert_eq!(lines(75), ["  ab".into(), x(74), x(1), "  c".into(), x(1).replace('x', "y")]);
        let rows = [["ab", ""], ["c", &"x".repeat(75)]].map(cells);
        assert_eq!(table(2, "ll", &rows), ["  ab".into(), "  c".into(), x(74), x(1)]);
    }
}
