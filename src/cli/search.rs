//! Searching a position, for the commands that do so, and what they say about the result.

use crate::failure::{Failure, Status};
use crate::hints;
use crate::json::{self, LineEnd};
use crate::parsers;
use crate::probe::why_over;
use crate::question::{Answer, Either, Question};
use crate::searching::{self, CANCELLED, SearchMemory, SearchProgress};
use crate::terminal::{Tone, painted};
use crate::text::{self, Align};
use crate::threads;
use lasca_tablebase::index::Material;
use lasca_tablebase::notation::{board_text, move_text};
use lasca_tablebase::probe::{self, ProbeError, Tablebase};
use lasca_tablebase::rules::{ByColor, Color, OfficerPosition, Position, RuleSet};
use lasca_tablebase::search::{
    Bounds, Limits, LineMove, MoveRating, SearchError, Solver, Stop, Watch,
};
use lasca_tablebase::{Value, Wdl};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The option of the commands that search where the tables have no answer.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct BySearch {
    /// If the tables have no answer, search each position for this many seconds
    ///
    /// So positions with soldiers, and with more counters than the tables have, are answered too. The
    /// answer says what is proved. If it is still open who wins, the exit status is 1. Positions are
    /// answered one after another. `lasca-tb solve` has more options.
    #[arg(short, long, value_name = "S", value_parser = parsers::seconds)]
    seconds: Option<Duration>,
}

impl BySearch {
    /// The seconds for each position, if it is to be searched.
    pub fn seconds(self) -> Option<Duration> {
        self.seconds
    }
}

/// The tone of a result, which is open if it is not known.
fn tone(wdl: Option<Wdl>) -> Tone {
    wdl.map_or(Tone::Even, Tone::from)
}

/// Asks the tables about a position. Where they have no answer, the error names the command that
/// searches the position.
pub fn ask<T>(
    tables: &Result<Tablebase, Failure>,
    rules: RuleSet,
    position: &Position,
    question: impl FnOnce(&Tablebase) -> Result<T, ProbeError>,
) -> Result<T, Failure> {
    let hint = |has_tables| hints::solve(position, rules, has_tables);
    match tables {
        Ok(tables) => question(tables).map_err(|error| match error.is_not_covered() {
            true => Failure::from(error).with_hint(&hint(true)),
            false => error.into(),
        }),
        // A search needs no tables, and no table has an answer for soldiers.
        Err(failure @ Failure::Negative(_)) => Err(match OfficerPosition::try_from(position) {
            Ok(_) => failure.clone(),
            Err(error) => ProbeError::NotOfficers(error).into(),
        }
        .with_hint(&hint(false))),
        Err(failure) => Err(failure.clone()),
    }
}

/// Searches positions one after another, with all threads of the pool.
pub struct Searcher<'a> {
    rules: RuleSet,
    tables: Option<&'a Tablebase>,
    seconds: Option<Duration>,
    memory: SearchMemory,
}

/// What to find out beyond who wins.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The exact distance.
    pub exact: bool,
    /// What each move is worth.
    pub moves: bool,
}

impl<'a> Searcher<'a> {
    /// Prepares searches with these limits for each position, and watches for Ctrl-C. Call this once.
    pub fn new(
        rules: RuleSet,
        tables: Option<&'a Tablebase>,
        seconds: Option<Duration>,
        memory: SearchMemory,
    ) -> Result<Searcher<'a>, Failure> {
        searching::watch_for_ctrl_c()?;
        Ok(Searcher { rules, tables, seconds, memory })
    }

    /// Asks the tables about a position, and searches it if they have no answer.
    pub fn tables_or_search<T, S>(
        &self,
        ask: impl FnOnce(&Tablebase) -> Result<T, ProbeError>,
        search: impl FnOnce() -> Result<S, Failure>,
    ) -> Result<Either<T, S>, Failure> {
        match self.tables.map(ask) {
            Some(Ok(answer)) => Ok(Either::Tables(answer)),
            Some(Err(error)) if !error.is_not_covered() => Err(error.into()),
            _ => search().map(Either::Search),
        }
    }

    /// The rule set.
    pub fn rules(&self) -> RuleSet {
        self.rules
    }

    /// Finds out about a position what the limits allow. `more` reads more from the proof.
    pub fn search<T>(
        &self,
        position: &Position,
        wanted: Wanted,
        more: impl FnOnce(&mut Solver<'_>, &Found) -> Result<T, SearchError>,
    ) -> Result<(Found, T), Failure> {
        if CANCELLED.load(Ordering::Relaxed) {
            // All answers so far have been passed on.
            std::process::exit(Status::Negative.code().into());
        }
        let search = Search {
            rules: self.rules,
            tables: self.tables,
            memory: self.memory.bytes(),
            threads: threads::count(),
            seconds: self.seconds,
            cancelled: &CANCELLED,
            wanted,
        };
        let begun = Instant::now();
        let found = searching::until_cancelled(|| {
            let (mut solver, mut found) = search.find(position, &SearchProgress::new())?;
            let more = more(&mut solver, &found)?;
            found.seconds = begun.elapsed();
            found.memory = Some(self.memory);
            Ok((found, more))
        });
        found.map_err(|error| searching::failed(&error, self.memory))
    }
}

/// A search of a position: what it may use, and what it is to find out.
pub struct Search<'a> {
    /// The rule set.
    pub rules: RuleSet,
    /// The tables that help, if there are any.
    pub tables: Option<&'a Tablebase>,
    /// The memory limit in bytes.
    pub memory: u64,
    /// The number of threads.
    pub threads: usize,
    /// The time limit.
    pub seconds: Option<Duration>,
    /// The search ends early when this becomes true.
    pub cancelled: &'a AtomicBool,
    /// What to find out.
    pub wanted: Wanted,
}

/// What a search is finding out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Who wins.
    Position,
    /// The exact distance.
    Distance,
    /// What each move is worth.
    Moves,
}

/// Follows a search.
pub trait Follow: Watch {
    /// The search goes on to another part.
    fn begins(&self, _part: Part) {}

    /// How long to look at the moves at first before the result so far is told; later it takes twice
    /// as long each time. `None` if it need not be told.
    fn first_look(&self) -> Option<Duration> {
        None
    }

    /// What is found so far. More may follow.
    fn found(&self, _found: &Found) {}

    /// Whether nobody waits for the result any more. Then it need not be worked out.
    fn is_gone(&self) -> bool {
        false
    }
}

impl Follow for SearchProgress {}

impl<'a> Search<'a> {
    /// Finds out about a position what the limits allow.
    ///
    /// # Errors
    /// If a table is damaged, or the memory is too little to begin with.
    pub fn find(
        &self,
        position: &Position,
        follow: &dyn Follow,
    ) -> Result<(Solver<'a>, Found), SearchError> {
        let begun = Instant::now();
        let wanted = self.wanted;
        let left = || self.seconds.map(|limit| limit.saturating_sub(begun.elapsed()));
        let limits = |time| Limits { time, threads: self.threads, cancelled: Some(self.cancelled) };
        // Tables that cannot tell distances would hide them.
        let has_distances = |tables: &&Tablebase| {
            Material::of(position).is_ok_and(|material| {
                let extent = tables.extent_with_distances(material);
                !matches!(extent, Err(ProbeError::MissingDtw { .. }))
            })
        };
        let tables = self.tables.filter(|tables| !wanted.exact || has_distances(tables));
        let mut solver = Solver::new(position, self.rules, tables, self.memory)?;
        follow.begins(Part::Position);
        let mut stop = solver.run(&limits(left()), follow)?;
        let is_decided = matches!(solver.wdl(), Some(Wdl::Win | Wdl::Loss));
        // Where nothing had to be searched, the game is over, or a table has the values.
        let is_known = solver.wdl().is_some() && solver.status().expanded == 0;
        let known = if is_known { or_out_of_memory(solver.at_most())?.flatten() } else { None };
        let mut exact = Exact { position: known.and_then(Value::dtw), moves: is_known };
        // If there is no room left for the exact distance, the bound that is proved stays.
        let narrow = |solver: &mut Solver<'_>, time, stop: &mut Stop| {
            follow.begins(Part::Distance);
            let narrowed = or_out_of_memory(solver.exact(&limits(time), follow))?;
            let (end, bounds) = narrowed.unwrap_or((Stop::Memory, None));
            *stop = end;
            Ok::<_, SearchError>(bounds.and_then(Bounds::exact))
        };
        if wanted.exact && is_decided && exact.position.is_none() && !follow.is_gone() {
            // The moves need time too; what they leave goes to the distance.
            let time = left().map(|left| if wanted.moves { left / 2 } else { left });
            exact.position = narrow(&mut solver, time, &mut stop)?;
        }
        let mut moves = None;
        if wanted.moves {
            follow.begins(Part::Moves);
            let mut look = follow.first_look();
            loop {
                if look.is_some() {
                    let moves = moves.clone();
                    follow.found(&self.found(&mut solver, begun, exact, moves, stop, follow)?);
                }
                if follow.is_gone() {
                    break;
                }
                let time = [look, left()].into_iter().flatten().min();
                let rated = or_out_of_memory(solver.rate_moves(&limits(time), follow))?;
                let Some((end, rated)) = rated else { break };
                stop = end;
                moves = Some(rated);
                let is_over = left().is_some_and(|left| left.is_zero());
                if look.is_none() || stop != Stop::Time || is_over {
                    break;
                }
                look = look.map(|look| look.saturating_mul(2));
            }
            if wanted.exact && is_decided && exact.position.is_none() && !follow.is_gone() {
                exact.position = narrow(&mut solver, left(), &mut stop)?;
            }
            if moves.is_some() && !follow.is_gone() {
                // What was found out since may shorten the proofs.
                moves = or_out_of_memory(solver.proved_moves(position))?.or(moves);
            }
        }
        let found = self.found(&mut solver, begun, exact, moves, stop, follow)?;
        Ok((solver, found))
    }

    /// What a search that began then has found.
    fn found(
        &self,
        solver: &mut Solver<'_>,
        begun: Instant,
        exact: Exact,
        moves: Option<Vec<MoveRating>>,
        stop: Stop,
        follow: &dyn Follow,
    ) -> Result<Found, SearchError> {
        let is_gone = follow.is_gone();
        // If memory fails here, it is still proved who wins.
        let at_most = if is_gone { None } else { or_out_of_memory(solver.at_most())?.flatten() };
        let line = if is_gone { None } else { or_out_of_memory(solver.line())? };
        Ok(Found {
            wdl: solver.wdl(),
            exact: exact.position,
            has_exact_moves: exact.moves,
            at_most: at_most.and_then(Value::dtw),
            excluded: solver.excluded(),
            line: line.unwrap_or_default(),
            moves,
            positions: solver.status().positions,
            seconds: begun.elapsed(),
            stop,
            memory: None,
            is_over: solver.position().successors(self.rules).is_empty(),
        })
    }
}

/// What is known exactly.
#[derive(Clone, Copy, Debug)]
struct Exact {
    /// The distance of the position.
    position: Option<u16>,
    /// Whether what is proved of the moves is exact.
    moves: bool,
}

/// A result that may be left out if memory is not enough for it.
fn or_out_of_memory<T>(result: Result<T, SearchError>) -> Result<Option<T>, SearchError> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(SearchError::Memory { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What a search has found out about a position.
pub struct Found {
    /// Win, draw or loss for the side to move, if that is proved.
    pub wdl: Option<Wdl>,
    /// The exact distance, if a table has it, or if it was asked for and found.
    pub exact: Option<u16>,
    /// Whether the distances of all moves are exact, because a table has them.
    pub has_exact_moves: bool,
    /// The plies that the proof needs at most.
    pub at_most: Option<u16>,
    /// The sides that are proved to be unable to win.
    pub excluded: ByColor<bool>,
    /// The best line known.
    pub line: Vec<LineMove>,
    /// What each move is worth, best first, if that was asked for.
    pub moves: Option<Vec<MoveRating>>,
    /// How many positions the search has met.
    pub positions: u64,
    /// How long it took.
    pub seconds: Duration,
    /// Why the search ended.
    pub stop: Stop,
    /// What limited its memory, if the answer is to say that.
    pub memory: Option<SearchMemory>,
    /// Whether there is no move.
    pub is_over: bool,
}

impl Found {
    /// 0 if it is proved who wins, or that nobody does; otherwise 1.
    pub fn status(&self) -> Status {
        if self.wdl.is_some() { Status::Affirmative } else { Status::Negative }
    }

    /// Who wins, or what is proved so far, in a sentence.
    pub fn verdict(&self, position: &Position) -> String {
        if self.is_over {
            return why_over(position);
        }
        let side = position.side_to_move();
        let winner = match self.wdl {
            Some(Wdl::Win) => side,
            Some(Wdl::Loss) => !side,
            Some(Wdl::Draw) => return "Drawn: neither side can force a win.".to_owned(),
            None => return self.proved_so_far(),
        };
        match (self.exact, self.at_most) {
            (Some(plies), _) => format!("{winner} wins in {}.", text::plies(plies)),
            (None, Some(plies)) => format!("{winner} wins in at most {}.", text::plies(plies)),
            (None, None) => format!("{winner} wins."),
        }
    }

    fn proved_so_far(&self) -> String {
        match Color::ALL.into_iter().find(|&color| self.excluded[color]) {
            Some(color) => format!("{color} cannot win. Whether {} can win is open.", !color),
            None => "Open: neither a win nor a draw is proved.".to_owned(),
        }
    }

    /// `win in 31`, `loss in at most 8`, `draw`, or what is proved so far in a sentence.
    pub fn value(&self) -> String {
        match (self.wdl, self.exact, self.at_most) {
            (Some(wdl), Some(plies), _) => format!("{} in {plies}", wdl.name()),
            (Some(wdl), None, Some(plies)) => format!("{} in at most {plies}", wdl.name()),
            (Some(wdl), None, None) => wdl.name().to_owned(),
            (None, ..) => self.proved_so_far(),
        }
    }

    /// `win`, `draw`, `loss` or `open`, `with_plies` if the exact distance is known.
    pub fn brief(&self, with_plies: bool) -> String {
        let Some(wdl) = self.wdl else { return "open".to_owned() };
        match self.exact.filter(|_| with_plies) {
            Some(plies) => format!("{} {plies}", wdl.name()),
            None => wdl.name().to_owned(),
        }
    }

    /// The board and who wins.
    pub fn heading(&self, position: &Position) -> Vec<String> {
        let verdict = painted(tone(self.wdl), &self.verdict(position));
        vec![board_text(position), String::new(), verdict]
    }

    /// A table of the moves with what they are worth.
    pub fn moves_table(&self, write: &Question) -> Vec<String> {
        let row = |rated: &MoveRating| {
            let worth = painted(tone(rated.wdl), &self.worth(rated));
            vec![move_text(&rated.played, &rated.after), worth, write.text(&rated.after)]
        };
        let rows: Vec<Vec<String>> = self.moves.iter().flatten().map(row).collect();
        if rows.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![String::new(), "Moves:".to_owned()];
        lines.extend(text::rows_in_width(2, &[Align::Left; 3], &rows));
        lines
    }

    /// The best line known, a move per row.
    pub fn line_table(&self) -> Vec<String> {
        if self.line.is_empty() {
            return Vec::new();
        }
        let row = |(i, step): (usize, &LineMove)| {
            vec![format!("{}.", i + 1), move_text(&step.played, &step.after)]
        };
        let rows: Vec<Vec<String>> = self.line.iter().enumerate().map(row).collect();
        let mut lines = vec![String::new(), "Best line known:".to_owned()];
        lines.extend(text::rows_in_width(2, &[Align::Right, Align::Left], &rows));
        lines
    }

    /// How much was searched.
    pub fn effort(&self) -> [String; 2] {
        let (positions, time) = (text::grouped(self.positions), text::duration(self.seconds));
        let why = match self.stop {
            Stop::Solved => "",
            Stop::Time => " The time was over.",
            Stop::Memory => match self.memory {
                Some(memory) => &format!(" The memory was full; {}.", memory.limit()),
                None => " The memory was full.",
            },
            Stop::Cancelled => " The search was stopped.",
        };
        [String::new(), format!("Positions met: {positions}, in {time}.{why}")]
    }

    /// What is proved of the position, as JSON has it.
    pub fn proved(&self) -> json::Proved {
        json::Proved {
            wdl: self.wdl.map(Wdl::name),
            dtw: self.exact,
            at_most: self.at_most,
            excluded: named(self.excluded),
        }
    }

    /// The exact distance of a move, if it is known. That of the position belongs to each move that
    /// wins within it, and to the only move that may hold out so long.
    fn exact_of(&self, rated: &MoveRating) -> Option<u16> {
        let plies = |rated: &MoveRating| rated.at_most.and_then(Value::dtw);
        let at_most = plies(rated)?;
        let is_shorter = |other: &MoveRating| plies(other).is_some_and(|plies| plies < at_most);
        let is_exact = self.has_exact_moves
            || (rated.wdl, Some(at_most)) == (self.wdl, self.exact)
                && match rated.wdl? {
                    Wdl::Win => true,
                    Wdl::Draw => false,
                    Wdl::Loss => (self.moves.iter().flatten())
                        .all(|other| other.after == rated.after || is_shorter(other)),
                };
        is_exact.then_some(at_most)
    }

    /// What a move is worth, as far as that is proved.
    pub fn worth(&self, rated: &MoveRating) -> String {
        let plies = rated.at_most.and_then(Value::dtw);
        match (rated.wdl, self.exact_of(rated), plies) {
            (Some(Wdl::Draw), ..) => "draw".to_owned(),
            (Some(wdl), Some(plies), _) => format!("{} in {plies}", wdl.name()),
            (Some(wdl), None, Some(plies)) => format!("{} in at most {plies}", wdl.name()),
            (Some(wdl), None, None) => wdl.name().to_owned(),
            (None, ..) => match Color::ALL.into_iter().find(|&color| rated.excluded[color]) {
                Some(color) => format!("open, {color} cannot win"),
                None => "open".to_owned(),
            },
        }
    }

    /// What is proved of a move, as JSON has it.
    pub fn proved_move(&self, rated: &MoveRating, write: &Question) -> json::ProvedMove {
        json::ProvedMove {
            played: move_text(&rated.played, &rated.after),
            position: write.text(&rated.after),
            value: json::Proved {
                wdl: rated.wdl.map(Wdl::name),
                dtw: self.exact_of(rated),
                at_most: rated.at_most.and_then(Value::dtw),
                excluded: named(rated.excluded),
            },
        }
    }
}

/// An answer of which only a line is printed: who wins.
pub struct Brief<A> {
    /// The whole answer, which is what JSON has.
    pub answer: A,
    /// The line.
    pub text: String,
}

impl<A: Answer> serde::Serialize for Brief<A> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.answer.serialize(serializer)
    }
}

impl<A: Answer> Answer for Brief<A> {
    const IN_PARALLEL: bool = A::IN_PARALLEL;

    fn status(&self) -> Status {
        self.answer.status()
    }

    fn as_page(&self, _: &Position) -> String {
        self.as_line()
    }

    fn as_line(&self) -> String {
        self.text.clone()
    }

    fn no_answer(_: &str, error: &str) -> String {
        format!("error: {error}")
    }
}

/// The moves of a line as JSON has them.
pub fn line_moves(line: &[LineMove], write: &Question) -> Vec<json::LegalMove> {
    let step = |step: &LineMove| json::LegalMove {
        played: move_text(&step.played, &step.after),
        position: write.text(&step.after),
    };
    line.iter().map(step).collect()
}

/// How a line ends that begins at `start`: `None` if it goes no further than what is known.
pub fn line_end(start: &Position, line: &[LineMove], rules: RuleSet) -> Option<LineEnd> {
    let positions: Vec<Position> =
        std::iter::once(*start).chain(line.iter().map(|step| step.after)).collect();
    probe::LineEnd::of(&positions, rules).map(LineEnd::from)
}

/// The names of the sides in a set.
pub fn named(sides: ByColor<bool>) -> Vec<&'static str> {
    Color::ALL.into_iter().filter(|&color| sides[color]).map(Color::name).collect()
}
