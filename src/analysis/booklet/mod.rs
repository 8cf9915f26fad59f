//! A booklet of endings: a page of HTML with a board for each of them. It has no scripts, and loads no other files.

use crate::study::{BOARD, ClaimedOutcome, Mark, Study, StudyMove};
use lasca_tablebase::Outcome;
use lasca_tablebase::internals::{escaped, is_blank, is_dash};
use lasca_tablebase::notation::{Palette, Picture};
use lasca_tablebase::rules::{Position, RuleSet};
use std::fmt::Write;
use std::mem;

/// An ending of a booklet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ending {
    /// The title, which may be empty. It may begin with a number, such as `7.`, which then is that of the ending.
    pub title: String,
    /// The position, which is drawn, and written under the board.
    pub position: Position,
    /// What stands beside the board.
    pub text: Vec<Part>,
}

/// A paragraph of a booklet, or a board.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// A text.
    Text(String),
    /// Moves with what is said about them.
    Line {
        /// 0 for the main line, 1 for a variation, 2 for a variation within that, and so on.
        depth: usize,
        /// The moves, and what stands between them.
        runs: Vec<Run>,
    },
    /// A board within the moves.
    Board(Position),
    /// What was found out about several claims together.
    Note(String),
    /// What was found out about a claim.
    Finding {
        /// The claim, with its place.
        claim: String,
        /// Whether it is wrong. Then the finding is marked.
        is_refuted: bool,
        /// The finding in a word, or a few.
        word: String,
        /// The reason.
        explanation: String,
    },
}

/// A piece of a line of moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Run {
    /// Moves with their numbers, marks and results.
    Moves(String),
    /// A comment.
    Comment(String),
}

impl Ending {
    /// An ending without a text.
    ///
    /// ```
    /// use lasca_analysis::booklet::{Ending, Part};
    /// let mut ending = Ending::new("A slip", "a1WWW b2BBB w".parse()?);
    /// ending.text.push(Part::Text("White wins.".to_owned()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(title: impl Into<String>, position: Position) -> Ending {
        Ending { title: title.into(), position, text: Vec::new() }
    }

    /// A study as an author would print it: the comments before the position, who is to move with the verdict, the other
    /// comments, the moves, and a board for each `[#]`. Moves that are not legal are printed too, without boards after
    /// them.
    pub fn of_study(study: &Study, rules: RuleSet) -> Ending {
        let mut ending = Ending::new(study.title.clone().unwrap_or_default(), study.position);
        let (introduction, comments) = study.comments.split_at(study.introduction);
        // The board that may be asked for here is there.
        let text = |comments: &[String]| {
            let text = comments.join(" ").replace(BOARD, "");
            Some(text.trim().to_owned()).filter(|text| !text.is_empty()).map(Part::Text)
        };
        ending.text.extend(text(introduction));
        ending.text.push(Part::Text(stipulation(study)));
        ending.text.extend(text(comments));
        push_line(&mut ending.text, 0, "", &study.moves, Some(study.position), rules);
        ending
    }
}

/// Who is to move, and what is claimed: `Black to move loses`.
fn stipulation(study: &Study) -> String {
    let side = study.position.side_to_move();
    let Some(ClaimedOutcome { outcome, plies, .. }) = study.verdict else {
        return format!("{side} to move.");
    };
    let verb = match outcome {
        Outcome::Draw => "draws",
        Outcome::Win(winner) if winner == side => "wins",
        Outcome::Win(_) => "loses",
    };
    let plies =
        plies.map(|plies| format!(" in {plies} {}", if plies == 1 { "ply" } else { "plies" }));
    format!("{side} to move {verb}{}.", plies.unwrap_or_default())
}

/// Adds the paragraphs of a line that starts in this position, if that is known, and of its variations.
fn push_line(
    parts: &mut Vec<Part>,
    depth: usize,
    lead_in: &str,
    moves: &[StudyMove],
    mut at: Option<Position>,
    rules: RuleSet,
) {
    let mut line = UnfinishedLine { depth, ..UnfinishedLine::default() };
    if !lead_in.is_empty() {
        line.runs.push(Run::Comment(lead_in.to_owned()));
    }
    for written in moves {
        let before = at;
        at = before.and_then(|before| Some(written.play(&before, rules).ok()?.1));
        line.push_move(written);
        let mut variations = written.variations.iter().peekable();
        for number in 0..=written.comments.len() {
            while let Some(variation) = variations.next_if(|v| v.comments_before <= number) {
                line.end(parts);
                let from = variation.start.of(before, at);
                push_line(parts, depth + 1, &variation.lead_in, &variation.moves, from, rules);
            }
            let Some(comment) = written.comments.get(number) else { continue };
            for (piece, text) in comment.split(BOARD).enumerate() {
                if let Some(at) = at.filter(|_| piece > 0) {
                    line.end(parts);
                    parts.push(Part::Board(at));
                }
                if !text.trim().is_empty() {
                    line.runs.push(Run::Comment(text.trim().to_owned()));
                }
            }
        }
    }
    line.end(parts);
}

/// A paragraph of moves that is not complete.
#[derive(Default)]
struct UnfinishedLine {
    depth: usize,
    runs: Vec<Run>,
}

impl UnfinishedLine {
    /// Adds a move, with its number if it does not directly follow another one.
    fn push_move(&mut self, written: &StudyMove) {
        // Blanks may stand about dashes.
        let text = written.text.replace(is_blank, "");
        let is_first = !matches!(self.runs.last(), Some(Run::Moves(_)));
        let mut text = written.number.before(&text, is_first).replace(' ', NO_BREAK);
        text.push_str(written.mark.map_or("", Mark::symbol));
        for claimed in &written.results {
            text.push(' ');
            text.push_str(&claimed.to_string().replace(' ', NO_BREAK));
        }
        match self.runs.last_mut() {
            Some(Run::Moves(moves)) => {
                moves.push(' ');
                moves.push_str(&text);
            }
            _ => self.runs.push(Run::Moves(text)),
        }
    }

    fn end(&mut self, parts: &mut Vec<Part>) {
        let runs = mem::take(&mut self.runs);
        if !runs.is_empty() {
            parts.push(Part::Line { depth: self.depth, runs });
        }
    }
}

/// How boards are drawn. The style sheet has other colours for print.
fn picture() -> Picture {
    Picture { palette: Palette::WOOD, ..Picture::default() }
}

/// The beginning of a page, up to its heading.
fn head(title: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{}</style>\n</head>\n<body>\n\
         <header>\n<h1>{title}</h1>\n",
        include_str!("style.css")
    )
}

/// The no-break space.
const NO_BREAK: &str = "\u{a0}";

/// The booklet as HTML, under a title. In print, no page ends within an ending that fits on one, and no line within a
/// move that fits on one.
///
/// ```
/// use lasca_analysis::booklet::{Ending, booklet};
/// use lasca_analysis::study::parse;
/// use lasca_tablebase::rules::RuleSet;
/// let studies = parse("# Leap-frog\na1WWW b2BBB w wins {[#] Watch.} 1. a1-b2-c3 {Nothing else is legal.}")?;
/// let ending = Ending::of_study(&studies[0], RuleSet::Lasca);
/// let html = booklet("Ten endings", Some("E. Lasker"), &[ending]);
/// assert!(html.contains("<h1>Ten endings</h1>\n<p>E. Lasker</p>"));
/// assert!(html.contains("<b><span>1.\u{a0}a1-b2-c3</span></b> Nothing else is legal.</p>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn booklet(title: &str, author: Option<&str>, endings: &[Ending]) -> String {
    let mut html = head(&escaped(title));
    if let Some(author) = author {
        let _ = writeln!(html, "<p>{}</p>", escaped(author));
    }
    html.push_str("</header>\n<main>\n");
    for (number, ending) in (1..).zip(endings) {
        let Ending { position, .. } = ending;
        let (number, title) = ending.heading(number);
        let _ = write!(
            html,
            "<section class=\"ending\">\n<figure>{}<figcaption><code>{position}</code></figcaption></figure>\n\
             <div>\n<h3>{}</h3>\n",
            picture().svg(position),
            unbroken(format!("{number} {title}").trim_end()),
        );
        ending.text.iter().for_each(|part| part.write(&mut html));
        html.push_str("</div>\n</section>\n");
    }
    html.push_str("</main>\n</body>\n</html>\n");
    html
}

impl Ending {
    /// The number of the ending, which is `number` if the title has none, and the rest of the title.
    fn heading(&self, number: usize) -> (String, &str) {
        let title = self.title.trim();
        let rest = title.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_number = rest.len() < title.len()
            && rest.starts_with(['.', ')', ':'])
            && rest[1..].chars().next().is_none_or(char::is_whitespace);
        match is_number {
            true => (title[..title.len() - rest.len() + 1].to_owned(), rest[1..].trim_start()),
            false => (format!("{number}."), title),
        }
    }
}

/// The deepest variation that is indented more than those around it.
const DEEPEST: usize = 4;

impl Part {
    fn write(&self, html: &mut String) {
        let _ = match self {
            Part::Text(text) => writeln!(html, "<p>{}</p>", unbroken(text)),
            Part::Note(text) => writeln!(html, "<p class=\"finding\">{}</p>", unbroken(text)),
            Part::Line { depth, runs } => {
                let class = match *depth {
                    0 => String::new(),
                    depth => format!(" class=\"variation v{}\"", depth.min(DEEPEST)),
                };
                let run = |run: &Run| match run {
                    Run::Moves(moves) if *depth == 0 => format!("<b>{}</b>", unbroken(moves)),
                    Run::Moves(text) | Run::Comment(text) => unbroken(text),
                };
                let runs: Vec<String> = runs.iter().map(run).collect();
                writeln!(html, "<p{class}>{}</p>", runs.join(" "))
            }
            Part::Board(position) => {
                writeln!(html, "<div class=\"diagram\">{}</div>", picture().svg(position))
            }
            Part::Finding { claim, is_refuted, word, explanation } => {
                let class = if *is_refuted { "finding refuted" } else { "finding" };
                let word = match is_refuted {
                    true => format!("<strong>{}</strong>", escaped(word)),
                    false => escaped(word),
                };
                let (claim, explanation) = (unbroken(claim), unbroken(explanation));
                writeln!(html, "<p class=\"{class}\">{claim}: {word}, {explanation}</p>")
            }
        };
    }
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
