//! A booklet of endings: a page of HTML with a board for each of them.

use super::{head, picture};
use lasca_tablebase::internals::{escaped, is_dash};
use lasca_tablebase::rules::Position;
use std::fmt::Write;

/// An ending of a booklet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The title, which may be empty.
    pub title: String,
    /// The position, which is drawn, and written under the board.
    pub position: Position,
    /// Paragraphs beside the board. Their line breaks are kept.
    pub text: Vec<String>,
    /// The solution, for the page of solutions at the end; empty if there is none.
    pub solution: String,
}

/// The booklet as HTML, under a title. In print, no page ends within an ending that fits on one, and no line within
/// a move that fits on one.
///
/// ```
/// use lasca_analysis::report::{Ending, booklet};
/// let ending = Ending {
///     title: "White wins".to_owned(),
///     position: "a1WWW b2BBB w".parse()?,
///     text: Vec::new(),
///     solution: "1. a1-b2BB-c3WWWB".to_owned(),
/// };
/// let html = booklet("Ten endings", Some("E. Lasker"), &[ending]);
/// assert!(html.contains("<h1>Ten endings</h1>\n<p>E. Lasker</p>"));
/// assert!(html.contains("<h2>Solutions</h2>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn booklet(title: &str, author: Option<&str>, endings: &[Ending]) -> String {
    let mut html = head(&escaped(title));
    if let Some(author) = author {
        let _ = writeln!(html, "<p>{}</p>", escaped(author));
    }
    let has_text = endings.iter().any(|ending| !ending.text.is_empty());
    let class = if has_text { "studies" } else { "boards" };
    let _ = write!(html, "</header>\n<main>\n<div class=\"{class}\">\n");
    for (number, ending) in (1..).zip(endings) {
        let Ending { title, position, text, .. } = ending;
        let _ = write!(
            html,
            "<figure>{}<figcaption><strong>{number}. {}</strong><br><code>{position}</code>",
            picture().svg(position),
            unbroken(title)
        );
        for paragraph in text {
            let _ = write!(html, "\n<p>{}</p>", unbroken(paragraph));
        }
        html.push_str("</figcaption></figure>\n");
    }
    html.push_str("</div>\n");
    if endings.iter().any(|ending| !ending.solution.is_empty()) {
        html.push_str("<section class=\"solutions\">\n<h2>Solutions</h2>\n");
        let solved = (1..).zip(endings).filter(|(_, ending)| !ending.solution.is_empty());
        for (number, ending) in solved {
            let solution = unbroken(&ending.solution);
            let _ = writeln!(html, "<p><strong>{number}.</strong> {solution}</p>");
        }
        html.push_str("</section>\n");
    }
    html.push_str("</main>\n</body>\n</html>\n");
    html
}

/// A text for a page whose lines do not break at the hyphens of moves and results.
fn unbroken(text: &str) -> String {
    let is_whole =
        |word: &str| word.contains(is_dash) && word.contains(|c: char| c.is_ascii_digit());
    let part = |part: &str| match is_whole(part) {
        true => {
            let word = part.trim_end();
            format!("<span>{}</span>{}", escaped(word), &part[word.len()..])
        }
        false => escaped(part),
    };
    // Each word with the blank or the line break after it. A no-break space is within a word.
    let ends = |c: char| c.is_whitespace() && c != '\u{a0}';
    text.split_inclusive(ends).map(part).collect()
}
