//! `explain`: shows for each move of a position the line that proves its value.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::json::{self, Greeting, LineEnd};
use crate::probe::verdict;
use crate::question::{Answer, Question};
use crate::search::{BySearch, Found, Searcher, Wanted, ask, line_end, line_moves};
use crate::searching::SearchMemory;
use crate::terminal::painted;
use crate::text;
use lasca_tablebase::Wdl;
use lasca_tablebase::notation::{MoveNumber, board_text, move_text};
use lasca_tablebase::probe::{Alternative, ProbeError, RatedMove, Standing, Tablebase};
use lasca_tablebase::rules::Position;
use lasca_tablebase::search::{LineMove, MoveRating, SearchError, Solver};

/// The indent of the text about a move.
const ABOUT: usize = 7;

/// Show the value of each move of a position, and the line that proves it
///
/// For a move that wins or loses, the line is best play to the end: the winner takes the shortest
/// way and the loser the longest. For a move that draws, the replies that hold the draw are listed.
/// A move is marked if it is the only one that keeps the result.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  lasca-tb explain \"c3W d4B c5B e5W w\"
  lasca-tb explain \"d2W d4W f2B f4B b\" --json
  lasca-tb explain \"a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w\" --seconds 10")]
pub struct Args {
    #[command(flatten)]
    question: Question,

    #[command(flatten)]
    by_search: BySearch,
}

/// Prints the answers.
pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    let rules = global.rules();
    // The name of the command in version 1 of the protocol.
    let greeting = Greeting::new("line", rules);
    let of_tables = |tables: &Tablebase, position: &Position| {
        answer(tables, position, |position| args.question.text(position))
    };
    if let Some(seconds) = args.by_search.seconds() {
        let tables = global.folders.open_if_any(rules)?;
        let searcher =
            Searcher::new(rules, tables.as_ref(), Some(seconds), SearchMemory::of_free())?;
        return args.question.answer_with(greeting, global.json, |position| {
            searcher.tables_or_search(
                |tables| of_tables(tables, position),
                || Searched::new(&searcher, position, &args.question),
            )
        });
    }
    // Without tables, the answer to each position says why.
    let tables = global.folders.open(rules);
    args.question.answer_with(greeting, global.json, |position| {
        ask(&tables, rules, position, |tables| of_tables(tables, position))
    })
}

/// The moves of a position with the lines that prove their values. `text` writes the positions.
pub fn answer(
    tables: &Tablebase,
    position: &Position,
    text: impl Fn(&Position) -> String,
) -> Result<json::Alternatives, ProbeError> {
    let rated = |rated: &RatedMove| json::RatedMove {
        played: text_of(rated),
        position: text(&rated.after),
        value: rated.value.into(),
    };
    let alternative = |alternative: Alternative| json::Alternative {
        rated: rated(&alternative.rated),
        standing: alternative.standing,
        line: alternative.line.moves.iter().map(rated).collect(),
        line_end: alternative.line.end.into(),
        replies: alternative.replies,
        holding: (alternative.rated.value.wdl() == Wdl::Draw)
            .then(|| alternative.holding.iter().map(text_of).collect()),
    };
    Ok(json::Alternatives {
        position: text(position),
        value: tables.value(position)?.into(),
        moves: tables.alternatives(position)?.into_iter().map(alternative).collect(),
    })
}

fn text_of(rated: &RatedMove) -> String {
    move_text(&rated.played, &rated.after)
}

impl Answer for json::Alternatives {
    fn as_page(&self, position: &Position) -> String {
        let mut lines = vec![board_text(position), String::new()];
        let verdict = verdict(position, self.value, self.moves.is_empty());
        lines.push(painted(self.value.wdl.into(), &verdict));
        if self.value.wdl == Wdl::Draw {
            lines.extend(text::wrapped(0, &self.holding(position)));
        }
        let first = MoveNumber::first(position.side_to_move());
        for alternative in &self.moves {
            lines.push(String::new());
            let head = format!("  {first} ");
            lines.extend(text::hanging(&head, 2, &alternative.text()));
            lines.extend(alternative.about(first.next()));
        }
        lines.join("\n")
    }

    fn as_line(&self) -> String {
        let moves: Vec<String> = self.moves.iter().map(json::Alternative::text).collect();
        let values = format!("{}: {}", self.position, self.value);
        if moves.is_empty() { values } else { format!("{values}; {}", moves.join("; ")) }
    }
}

impl json::Alternatives {
    /// A sentence about the moves that hold a drawn position.
    fn holding(&self, position: &Position) -> String {
        let drawn = |alternative: &&json::Alternative| alternative.rated.value.wdl == Wdl::Draw;
        let moves: Vec<&str> =
            self.moves.iter().filter(drawn).map(|a| a.rated.played.as_str()).collect();
        holds(&position.side_to_move().to_string(), "", &moves, self.moves.len())
    }
}

impl json::Alternative {
    /// `f2-g3, draw, only move`.
    fn text(&self) -> String {
        valued(&self.rated.played, &self.rated.value.to_string(), Some(self.standing))
    }

    /// What proves the value: the line after the move, or the replies that hold the draw.
    fn about(&self, reply: MoveNumber) -> Vec<String> {
        match &self.holding {
            Some(holding) => about_draw(reply, holding, self.replies),
            None => {
                let line = self.line.iter().map(|rated| rated.played.clone()).collect();
                about_line(reply, line, self.line_end.symbol())
            }
        }
    }
}

/// `f2-g3, draw, only move`.
fn valued(played: &str, value: &str, standing: Option<Standing>) -> String {
    match standing {
        Some(only @ (Standing::OnlyLegal | Standing::Only)) => format!("{played}: {value}, {only}"),
        _ => format!("{played}: {value}"),
    }
}

/// The replies that hold the draw.
fn about_draw(reply: MoveNumber, holding: &[String], replies: usize) -> Vec<String> {
    let moves: Vec<&str> = holding.iter().map(String::as_str).collect();
    let holds = holds(&reply.side.to_string(), &format!("{reply}\u{a0}"), &moves, replies);
    text::hanging(&" ".repeat(ABOUT), ABOUT, &holds)
}

/// The line after a move, and how it ends.
fn about_line(reply: MoveNumber, line: Vec<String>, end: &str) -> Vec<String> {
    if line.is_empty() {
        return vec![format!("{:ABOUT$}{end}", "")];
    }
    text::moves_in_width(ABOUT, "", reply, &line, end)
}

/// A sentence about the moves with which a side holds the draw.
fn holds(side: &str, number: &str, moves: &[&str], legal: usize) -> String {
    let listed = moves.join(", ");
    match moves.len() {
        1 if legal == 1 => format!("{side} holds: {number}{listed} is its only legal move."),
        1 => format!("{side} holds only by {number}{listed} (1 of {legal})."),
        n if n == legal => format!("{side} holds by each move: {number}{listed} ({n})."),
        n => format!("{side} holds by {number}{listed} ({n} of {legal})."),
    }
}

/// The answer of a search.
struct Searched {
    found: Found,
    moves: Vec<SearchedMove>,
    text: String,
    /// Writes positions as the user asked for.
    write: Question,
}

/// A move, and what the search has proved after it.
struct SearchedMove {
    rated: MoveRating,
    standing: Option<Standing>,
    line: Vec<LineMove>,
    line_end: Option<LineEnd>,
    /// How many replies there are.
    replies: usize,
    /// What is proved of the replies, if the move draws.
    drawn: Option<Vec<MoveRating>>,
}

impl Searched {
    fn new(
        searcher: &Searcher<'_>,
        position: &Position,
        write: &Question,
    ) -> Result<Searched, Failure> {
        let wanted = Wanted { exact: true, moves: true };
        let after = |solver: &mut Solver<'_>, found: &Found| {
            let moves = found.moves.iter().flatten();
            moves.map(|rated| SearchedMove::new(solver, found, rated)).collect()
        };
        let (found, moves) = searcher.search(position, wanted, after)?;
        Ok(Searched { found, moves, text: write.text(position), write: write.clone() })
    }
}

impl SearchedMove {
    fn new(
        solver: &mut Solver<'_>,
        found: &Found,
        rated: &MoveRating,
    ) -> Result<SearchedMove, SearchError> {
        let line = match rated.wdl {
            Some(_) => solver.line_from(&rated.after)?,
            None => Vec::new(),
        };
        let drawn = match rated.wdl {
            Some(Wdl::Draw) => Some(solver.proved_moves(&rated.after)?),
            _ => None,
        };
        Ok(SearchedMove {
            rated: rated.clone(),
            standing: standing(found, rated),
            line_end: line_end(&rated.after, &line, solver.rules()),
            line,
            replies: rated.after.successors(solver.rules()).len(),
            drawn,
        })
    }

    /// The replies that are proved to hold the draw after a drawing move.
    fn holding(&self) -> Option<Vec<String>> {
        let holds = |reply: &&MoveRating| reply.wdl == Some(Wdl::Draw);
        let text = |reply: &MoveRating| move_text(&reply.played, &reply.after);
        Some(self.drawn.as_ref()?.iter().filter(holds).map(text).collect())
    }

    /// `f2-g3: draw, only move`.
    fn text(&self, found: &Found) -> String {
        let played = move_text(&self.rated.played, &self.rated.after);
        valued(&played, &found.worth(&self.rated), self.standing)
    }

    fn about(&self, reply: MoveNumber) -> Vec<String> {
        let Some(holding) = self.holding().filter(|holding| !holding.is_empty()) else {
            let line = self.line.iter().map(|step| move_text(&step.played, &step.after)).collect();
            let is_open = self.rated.wdl.is_none();
            let about = || about_line(reply, line, self.line_end.map_or("…", LineEnd::symbol));
            return if is_open { Vec::new() } else { about() };
        };
        let replies = self.drawn.iter().flatten();
        let open = replies.filter(|reply| reply.wdl.is_none()).count();
        if open == 0 {
            return about_draw(reply, &holding, self.replies);
        }
        let holds = format!(
            "{} holds by {reply}\u{a0}{}. Open replies: {open} of {}.",
            reply.side,
            holding.join(", "),
            self.replies
        );
        text::hanging(&" ".repeat(ABOUT), ABOUT, &holds)
    }
}

/// How a move compares with the others, as far as that is proved.
fn standing(found: &Found, rated: &MoveRating) -> Option<Standing> {
    let moves = found.moves.as_deref().unwrap_or_default();
    let (best, wdl) = (found.wdl?, rated.wdl?);
    let is_as_good = |other: &&MoveRating| other.wdl == Some(wdl);
    match () {
        () if wdl < best => Some(Standing::GivesAway),
        () if moves.len() == 1 => Some(Standing::OnlyLegal),
        () if moves.iter().filter(is_as_good).count() > 1 => Some(Standing::Keeps),
        () if moves.iter().all(|other| other.wdl.is_some()) => Some(Standing::Only),
        () => None,
    }
}

impl serde::Serialize for Searched {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Searched { found, moves, text, write } = self;
        let alternative = |step: &SearchedMove| json::SearchedAlternative {
            rated: found.proved_move(&step.rated, write),
            standing: step.standing,
            line: line_moves(&step.line, write),
            line_end: step.line_end,
            replies: step.replies,
            holding: step.holding(),
        };
        let searched = json::SearchedAlternatives {
            position: text.clone(),
            value: found.proved(),
            moves: moves.iter().map(alternative).collect(),
            positions: found.positions,
            seconds: found.seconds.as_secs_f64(),
        };
        searched.serialize(serializer)
    }
}

impl Answer for Searched {
    fn status(&self) -> Status {
        self.found.status()
    }

    fn as_page(&self, position: &Position) -> String {
        let mut lines = self.found.heading(position);
        let first = MoveNumber::first(position.side_to_move());
        for step in &self.moves {
            lines.push(String::new());
            lines.extend(text::hanging(&format!("  {first} "), 2, &step.text(&self.found)));
            lines.extend(step.about(first.next()));
        }
        lines.extend(self.found.effort());
        lines.join("\n")
    }

    fn as_line(&self) -> String {
        let text = |step: &SearchedMove| step.text(&self.found);
        let moves: Vec<String> = self.moves.iter().map(text).collect();
        let value = format!("{}: {}", self.text, self.found.value());
        if moves.is_empty() { value } else { format!("{value}; {}", moves.join("; ")) }
    }
}
