//! Reviews of games: who is winning at each ply, and which moves gave that away.

use super::judge::{Judge, Precision};
use super::{Mark, ParseStudyError, Study};
use crate::answer::SearchLimits;
use lasca_tablebase::notation::{MoveNumber, numbered};
use lasca_tablebase::probe::{Line, ProbeError, RatedMove, Tablebase};
use lasca_tablebase::rules::{Move, Position, RuleSet};
use lasca_tablebase::{Outcome, Progress, Reason, Value, ValueRange, Wdl};
use std::time::Duration;
use std::{fmt, mem};

/// Finds out who is winning at each ply of a game, from the last position backwards, and marks its moves. The
/// game is the main line of the study; the marks, results and variations of its author count for nothing.
///
/// The tables answer for what they cover, and the rest is searched if `search` allows it: each position
/// within its limits, and all of them within `total`. One search serves all of them, so what is proved
/// of a position helps with those before it. What is not found out is left open.
///
/// The [text](Review#impl-Display-for-Review) of a review is a study, which [`check()`](super::check())
/// confirms.
///
/// # Errors
/// If a move is not legal, a table is damaged or cannot be read, the memory is too little to begin with, or a position
/// has [too many](lasca_tablebase::rules::MOST_MOVES) moves.
///
/// ```
/// use lasca_analysis::answer::SearchLimits;
/// use lasca_tablebase::rules::RuleSet;
/// use lasca_analysis::study::{parse, review};
/// use lasca_tablebase::{Silent, Wdl};
/// use std::time::Duration;
///
/// let game = parse("c3W e5W c5B e3B b  e3-d4 c3-d2 d4-e5-f6BW")?;
/// let time = Some(Duration::from_secs(60));
/// let search = SearchLimits { time, ..SearchLimits::default() };
/// let review = review(&game[0], RuleSet::Lasca, Some(search), None, &Silent)?;
/// assert_eq!(review.plies[0].value.wdl(), Some(Wdl::Loss));
/// assert_eq!(review.known_from(), Some(0));
/// let text = review.to_string();
/// assert!(text.contains("1... e3-d4 2. c3-d2? 0-1\n  (2. c3-b4 d4-e5-f6BW"), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn review(
    study: &Study,
    tables: impl Into<Tablebase>,
    search: Option<SearchLimits>,
    total: Option<Duration>,
    progress: &dyn Progress,
) -> Result<Review, ReviewError> {
    let tables = tables.into();
    let rules = tables.rules();
    let mut plies = play(study, rules)?;
    let mut judge = Judge::of_game(tables, search, total, progress);
    for number in (0..plies.len()).rev() {
        progress.reviewing(number, plies.len());
        judge.begin_claim();
        let position = plies[number].position;
        plies[number].value = judge.judge(&position, Precision::Result, 1)?.range;
        let Some(after) = plies.get(number + 1).map(|next| next.value.before_move()) else {
            continue;
        };
        let ply = &mut plies[number];
        let at_least = ValueRange::new(after.worst(), Value::Win(0)).unwrap_or(ValueRange::UNKNOWN);
        ply.value = ply.value.and(at_least);
        let (value, position) = (ply.value, ply.position);
        if let Some(played) = &mut ply.played {
            played.rated.value = after;
            judge_move(&mut judge, &position, value, played)?;
        }
    }
    Ok(Review { title: study.title.clone(), rules, plies })
}

/// The positions of a game, of which nothing is known yet, and its moves.
fn play(study: &Study, rules: RuleSet) -> Result<Vec<ReviewedPly>, ReviewError> {
    let value = ValueRange::UNKNOWN;
    let number = MoveNumber::first(study.position.side_to_move());
    let number = study.moves.first().map_or(number, |written| written.number);
    let mut plies = vec![ReviewedPly { position: study.position, number, value, played: None }];
    for written in &study.moves {
        let last = plies.len() - 1;
        let before = &plies[last].position;
        before.moves(rules).map_err(ProbeError::from)?;
        let (played, after) = written.play(before, rules).map_err(ReviewError::Move)?;
        let rated = RatedMove { played, after, value };
        plies[last].played = Some(ReviewedMove { rated, mark: None, better: Line::default() });
        let number = plies[last].number.next();
        plies.push(ReviewedPly { position: after, number, value, played: None });
    }
    Ok(plies)
}

/// What is known of a game at each ply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Review {
    /// The title of the study, if there is one.
    pub title: Option<String>,
    /// The rules that it was reviewed under.
    pub rules: RuleSet,
    /// All positions of the game, at least one, from the first to the last.
    pub plies: Vec<ReviewedPly>,
}

/// A position of a game, and what is known of it and of the move that was played.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReviewedPly {
    /// The position.
    pub position: Position,
    /// The number of the move to be made.
    pub number: MoveNumber,
    /// What the position is worth to its side to move, as far as it is known.
    pub value: ValueRange,
    /// The move that was played; `None` in the last position.
    pub played: Option<ReviewedMove>,
}

/// A move of a game, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReviewedMove {
    /// The move, with its value for the side that makes it.
    pub rated: RatedMove,
    /// [`Mark::Bad`] if it gave a win or a draw away, and [`Mark::Good`] if it was the only one of several moves that
    /// kept the result. `None` too if it is not known whether it kept the result.
    pub mark: Option<Mark>,
    /// After a mistake, the best line known from the position before it, which begins with a better move.
    /// Empty if none is known, and after other moves.
    pub better: Line,
}

/// Why a game could not be reviewed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReviewError {
    /// A move is not legal. This says where it stands, what was expected, and what was found.
    #[error("{0}")]
    Move(ParseStudyError),
    /// A table could not be read, the memory is too little, or a position has too many moves.
    #[error(transparent)]
    Search(#[from] ProbeError),
}

impl ReviewError {
    /// The reason, in a word for programs.
    pub fn reason(&self) -> Reason {
        match self {
            ReviewError::Move(_) => Reason::NotAMove,
            ReviewError::Search(error) => error.reason(),
        }
    }
}

/// Marks a move, and looks for a better line if it was a mistake. It has what is left of the time of the
/// position, whose value this is.
fn judge_move(
    judge: &mut Judge<'_>,
    position: &Position,
    value: ValueRange,
    played: &mut ReviewedMove,
) -> Result<(), ProbeError> {
    let of_move = played.rated.value;
    if value.worst().wdl() > of_move.best().wdl() {
        played.mark = Some(Mark::Bad);
        played.better = judge.line(position)?;
    } else if of_move.worst().wdl() >= value.best().wdl()
        && value.best().wdl() > Wdl::Loss
        && is_only(judge, position, of_move, &played.rated.played)?
    {
        played.mark = Some(Mark::Good);
    }
    Ok(())
}

/// Whether a move that keeps a win or a draw is known to be the only one of several that does.
fn is_only(
    judge: &mut Judge<'_>,
    position: &Position,
    of_move: ValueRange,
    played: &Move,
) -> Result<bool, ProbeError> {
    let mut others = position.successors(judge.rules())?;
    others.retain(|(other, _)| other != played);
    let count = others.len();
    for shares in SHARES {
        let mut open = 0;
        for (done, (_, after)) in others.iter().enumerate() {
            let left = (count - done) * shares;
            let other = judge.judge(after, Precision::Result, left)?.range.before_move();
            if other.worst().wdl() >= of_move.worst().wdl() {
                return Ok(false);
            }
            open += usize::from(other.best().wdl() >= of_move.worst().wdl());
        }
        if open == 0 {
            return Ok(count > 0);
        }
    }
    Ok(false)
}

/// The other moves share 1/64 of the time that the position has left at the first look, and 1/8 at the second.
/// The first look is short because there are often several good moves. Most time is left for results.
const SHARES: [usize; 2] = [64, 8];

/// The most moves of a better line that are shown.
const SHOWN: usize = 12;

/// The most characters of a line of text.
const WIDTH: usize = 80;

impl Review {
    /// The first ply from which on all results are known; `None` if that of the last position is not.
    pub fn known_from(&self) -> Option<usize> {
        let known = self.plies.iter().rev().take_while(|ply| ply.value.wdl().is_some());
        self.plies.len().checked_sub(known.count()).filter(|&ply| ply < self.plies.len())
    }

    /// From where on all results are known, in words.
    fn summary(&self) -> String {
        let where_from = match self.known_from() {
            Some(0) => "known at every ply".to_owned(),
            Some(ply) => {
                // As "8" or "8...", without the point after White's number.
                let number = self.plies[ply].number.to_string();
                let number =
                    number.strip_suffix('.').filter(|n| !n.ends_with('.')).unwrap_or(&number);
                format!("known from {number} to the end")
            }
            None if self.plies.iter().all(|ply| ply.value.wdl().is_none()) => {
                "not known at any ply".to_owned()
            }
            None => "not known at the end".to_owned(),
        };
        format!("The result is {where_from}.")
    }
}

impl fmt::Display for Review {
    /// Writes the game as a study. Its title is one line, and all other lines have at most 80 characters, unless a move
    /// is longer. A result stands where one becomes known, where it changes, and at the end. A better line stands after
    /// a mistake, as a variation of at most twelve moves on lines of its own.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(title) = &self.title {
            writeln!(f, "# {title}")?;
        }
        let first = &self.plies[0];
        let verb = match first.value.wdl() {
            Some(Wdl::Win) => " wins",
            Some(Wdl::Draw) => " draws",
            Some(Wdl::Loss) => " loses",
            None => "",
        };
        let text = first.position.to_string();
        let board = match first.position == Position::start() {
            true => "start",
            false => text.rsplit_once(' ').map_or(text.as_str(), |(board, _)| board),
        };
        let side = first.position.side_to_move();
        write_wrapped(f, "", &format!("{{{}}}", self.summary()))?;
        write_wrapped(f, "", &format!("{board}, {side} to move{verb}"))?;
        let mut words = Vec::new();
        let mut known = first.outcome();
        for (ply, next) in self.plies.iter().zip(&self.plies[1..]) {
            let Some(played) = &ply.played else { continue };
            let mark = played.mark.map_or("", Mark::symbol);
            words.push(ply.number.before(&played.rated.to_string(), words.is_empty()) + mark);
            let outcome = next.outcome();
            if outcome != known || next.played.is_none() {
                words.extend(outcome.map(|outcome| outcome.symbol().to_owned()));
            }
            known = outcome;
            if let Some(variation) = ply.variation() {
                write_wrapped(f, "", &mem::take(&mut words).join(" "))?;
                write_wrapped(f, "  ", &variation)?;
            }
        }
        write_wrapped(f, "", &words.join(" "))
    }
}

impl ReviewedPly {
    fn outcome(&self) -> Option<Outcome> {
        Some(Outcome::of(self.value.wdl()?, self.position.side_to_move()))
    }

    /// The better line, with its result; `None` if there is none.
    fn variation(&self) -> Option<String> {
        let better = self.played.iter().flat_map(|played| &played.better.moves).take(SHOWN);
        let line = numbered(self.number, better.map(RatedMove::to_string));
        let result = self.outcome().map(|outcome| format!(" {}", outcome.symbol()));
        (!line.is_empty()).then(|| format!("({line}{})", result.unwrap_or_default()))
    }
}

/// Writes the words of a text in indented lines. A number stays on the line of its move.
fn write_wrapped(f: &mut fmt::Formatter<'_>, indent: &str, text: &str) -> fmt::Result {
    let mut line = String::new();
    let mut words = text.split(' ').filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        let digits = word.trim_end_matches('.').trim_start_matches('(');
        let is_number = word.ends_with('.') && digits.bytes().all(|byte| byte.is_ascii_digit());
        let rest = if is_number { words.next() } else { None };
        let word = rest.map_or(word.to_owned(), |rest| format!("{word} {rest}"));
        if !line.is_empty() && line.len() + 1 + word.len() > WIDTH {
            writeln!(f, "{line}")?;
            line.clear();
        }
        line.push_str(if line.is_empty() { indent } else { " " });
        line.push_str(&word);
    }
    if line.is_empty() { Ok(()) } else { writeln!(f, "{line}") }
}
