//! A position drawn with letters, for terminals.

use crate::rules::{Column, Counter, Position, Square};
use std::fmt::Write;

/// The highest column that is written counter by counter.
const WRITTEN_OUT: usize = 8;
/// The greatest length of a shortened column, in characters.
const LONGEST: usize = 10;

/// The board drawn as text: rank 7 on top, the ranks' numbers at the left, the files' letters below, and
/// a last line that says who is to move. No line is longer than 80 characters, none ends in a space,
/// and the last one ends without a line feed.
///
/// A `.` is an empty square; squares that are not played on are blank. A column starts above its
/// file's letter and is written from the top down. A column of more than eight counters is shortened:
/// each run of equal counters is a letter and a length, so `WWWWWBBBB` is `W5B4`. If that is still
/// longer than ten characters, the number of counters in the lowest runs follows a `+`, as in
/// `W3bwB2w+11`.
///
/// ```
/// use lasca_tablebase::notation::board_text;
/// use lasca_tablebase::rules::Position;
/// let position: Position = "a1WWW b2BBB f4wB e7B w".parse().unwrap();
/// let expected = "\
/// 7 .   .   B   .
/// 6   .   .   .
/// 5 .   .   .   .
/// 4   .   .   wB
/// 3 .   .   .   .
/// 2   BBB .   .
/// 1 WWW .   .   .
///   a b c d e f g
/// White to move";
/// assert_eq!(board_text(&position), expected);
/// ```
pub fn board_text(position: &Position) -> String {
    let cell = |square| match position.column(square) {
        column if column.is_empty() => ".".to_owned(),
        column => column_text(column),
    };
    let widest = Square::all().map(|square| cell(square).len()).max().unwrap_or(1);
    // Neighbours on a rank are two files apart, and there is a space between them.
    let file_width = (widest / 2 + 1).max(2);

    let mut text = String::new();
    for rank in (0..7).rev() {
        let mut line = format!("{} ", rank + 1);
        for square in Square::all().filter(|square| square.rank() == rank) {
            let start = 2 + square.file() as usize * file_width;
            let _ = write!(line, "{:gap$}{}", "", cell(square), gap = start - line.len());
        }
        text.push_str(&line);
        text.push('\n');
    }
    let mut files = String::from(" ");
    for file in 'a'..='g' {
        let gap = if file == 'a' { 1 } else { file_width - 1 };
        let _ = write!(files, "{:gap$}{file}", "");
    }
    let _ = write!(text, "{files}\n{} to move", position.side_to_move());
    text
}

/// A column in at most [`LONGEST`] characters.
fn column_text(column: Column) -> String {
    if column.height() <= WRITTEN_OUT {
        return column.to_string();
    }
    let counters: Vec<Counter> = column.counters().collect();
    let runs: Vec<&[Counter]> = counters.chunk_by(|one, next| one == next).collect();
    (0..=runs.len())
        .rev()
        .map(|shown| runs_text(&runs, shown))
        .find(|text| text.len() <= LONGEST)
        .unwrap_or_default()
}

/// The first `shown` runs, followed by how many counters are below them.
fn runs_text(runs: &[&[Counter]], shown: usize) -> String {
    let mut text = String::new();
    for run in &runs[..shown] {
        text.push(run[0].letter());
        if run.len() > 1 {
            let _ = write!(text, "{}", run.len());
        }
    }
    let below: usize = runs[shown..].iter().map(|run| run.len()).sum();
    if below > 0 {
        let _ = write!(text, "+{below}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn high_columns_are_shortened_to_runs() {
        let text = |letters: &str| column_text(letters.parse().unwrap());
        assert_eq!(text("WWWWWBBB"), "WWWWWBBB");
        assert_eq!(text("WWWWWBBBB"), "W5B4");
        assert_eq!(text("WbWbWbWbWb"), "WbWbWbWbWb");
        assert_eq!(text("WbWbWbWbWbW"), "WbWbWbWb+3");
        assert_eq!(text(&format!("WWWbwBB{}", "wb".repeat(6))), "W3bwB2w+11");
        assert_eq!(text(&"W".repeat(22)), "W22");
    }
}
