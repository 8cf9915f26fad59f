//! `solve`: finds out by search who wins any position, or that nobody does.

use crate::failure::{Failure, Status};
use crate::folders::Folders;
use crate::json::{self, Greeting};
use crate::probe::why_over;
use crate::question::{Answer, Question};
use crate::searching::{self, CANCELLED, MemoryLimit, SearchProgress, parse_seconds};
use crate::text::{self, Align};
use crate::threads::Threads;
use lasca_tablebase::notation::{board_text, move_text};
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::{ByColor, Color, Position, RuleSet};
use lasca_tablebase::search::{
    Bounds, Limits, LineMove, MoveRating, SearchError, Solver, Stop, Watch,
};
use lasca_tablebase::{Value, Wdl};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Find out by search who wins any position, with soldiers and up to 22 counters
///
/// The search proves that one side wins, or that neither side can win. It uses the tables for
/// positions that they cover, and it works without any table. A win comes with the number of plies
/// that the proof needs at most; --exact finds the distance itself. If a limit is reached, or if you
/// press Ctrl-C, the command says what is proved so far. With --stdin, positions are answered one after
/// another. At most eight threads are used.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Exit status:
  0  The position is solved, and its distance is found if --exact asks for it.
  1  The result or the distance is still open, or a table is damaged.
  2  The text is not a position, or memory is not enough.

Examples:
  lasca-tb solve \"a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w\" --exact
  lasca-tb solve --stdin --brief --seconds 10 < positions.txt")]
pub struct Args {
    #[command(flatten)]
    question: Question,

    #[command(flatten)]
    folders: Folders,

    /// Also find out what each move is worth
    #[arg(long)]
    moves: bool,

    /// Find the exact distance of a win or loss
    #[arg(long)]
    exact: bool,

    /// The time limit for each position, in seconds [default: none]
    #[arg(long, value_name = "S", value_parser = parse_seconds)]
    seconds: Option<Duration>,

    #[command(flatten)]
    memory: MemoryLimit,

    #[command(flatten)]
    threads: Threads,

    /// Print only win, draw, loss or open
    ///
    /// With --exact, the number of plies follows a win or a loss, such as `win 31`.
    #[arg(long, conflicts_with_all = ["moves", "json"])]
    brief: bool,

    /// Print one JSON object per position
    ///
    /// Keys: position, wdl (win, draw or loss, or null if the position is open), dtw (the exact
    /// distance in plies, or null), at_most (the plies that the proof of a win or loss needs, or
    /// null), excluded (the sides that are proved unable to win: white, black), line (the best line
    /// known: move, position), moves (only with --moves: move, position, wdl, at_most, excluded),
    /// positions (how many the search has met), seconds. If there is no answer: position, error.
    #[arg(long)]
    json: bool,
}

/// Prints what the search finds.
pub fn run(args: &Args, rules: Option<RuleSet>) -> Result<Status, Failure> {
    let rules = rules.unwrap_or_default();
    args.threads.start()?;
    let tables = args.folders.open_if_any(rules)?;
    searching::watch_for_ctrl_c()?;
    let search = Search {
        rules,
        tables: tables.as_ref(),
        memory: args.memory.bytes(),
        threads: rayon::current_num_threads(),
        seconds: args.seconds,
        cancelled: &CANCELLED,
        exact: args.exact,
        moves: args.moves,
        text: args.question.writer(),
    };
    args.question.answer_with(Greeting::new("solve", rules), args.json, |position| {
        if CANCELLED.load(Ordering::Relaxed) {
            // All answers so far have been passed on.
            std::process::exit(Status::Negative.code().into());
        }
        let solved = searching::until_cancelled(|| search.solve(position, &SearchProgress::new()));
        let solved = solved.map_err(|error| searching::failed(&error))?;
        Ok(Solved { is_brief: args.brief, ..solved })
    })
}

/// What to find out about positions, and what may be used for each.
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
    /// Whether to find the exact distance.
    pub exact: bool,
    /// Whether to find out what each move is worth.
    pub moves: bool,
    /// Writes positions.
    pub text: fn(&Position) -> String,
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
    fn found(&self, _solved: &Solved) {}

    /// Whether nobody waits for the result any more. Then it need not be worked out.
    fn is_gone(&self) -> bool {
        false
    }
}

impl Search<'_> {
    /// Solves a position as far as the limits allow.
    ///
    /// # Errors
    /// If a table is damaged, or the memory is too little to begin with.
    pub fn solve(&self, position: &Position, follow: &dyn Follow) -> Result<Solved, SearchError> {
        let begun = Instant::now();
        let left = || self.seconds.map(|limit| limit.saturating_sub(begun.elapsed()));
        let limits = |time| Limits { time, threads: self.threads, cancelled: Some(self.cancelled) };
        let mut solver = Solver::new(position, self.rules, self.tables, self.memory)?;
        follow.begins(Part::Position);
        solver.run(&limits(left()), follow)?;
        let proved = solver.at_most()?;
        let is_decided = matches!(proved, Some(Value::Win(_) | Value::Loss(_)));
        // If there is no room left for the exact distance, the bound that is proved stays.
        let mut bounds = None;
        if self.exact && is_decided {
            follow.begins(Part::Distance);
            let exact = or_out_of_memory(solver.exact(&limits(left()), follow))?;
            bounds = exact.and_then(|(_, bounds)| bounds);
        }
        let mut moves = None;
        if self.moves {
            follow.begins(Part::Moves);
            let mut look = follow.first_look();
            loop {
                if look.is_some() {
                    let moves = moves.clone();
                    let found = self.found(&mut solver, begun, proved, bounds, moves, follow)?;
                    follow.found(&found);
                }
                if follow.is_gone() {
                    break;
                }
                let time = [look, left()].into_iter().flatten().min();
                let rated = or_out_of_memory(solver.rate_moves(&limits(time), follow))?;
                let Some((stop, rated)) = rated else { break };
                moves = Some(rated);
                let is_over = left().is_some_and(|left| left.is_zero());
                if look.is_none() || stop != Stop::Time || is_over {
                    break;
                }
                look = look.map(|look| look.saturating_mul(2));
            }
        }
        self.found(&mut solver, begun, proved, bounds, moves, follow)
    }

    /// What a search that began then has found. `proved` was proved before anything else.
    fn found(
        &self,
        solver: &mut Solver<'_>,
        begun: Instant,
        proved: Option<Value>,
        bounds: Option<Bounds>,
        moves: Option<Vec<MoveRating>>,
        follow: &dyn Follow,
    ) -> Result<Solved, SearchError> {
        let is_gone = follow.is_gone();
        // What was found out since may shorten the proof.
        let is_newer = (bounds.is_some() || moves.is_some()) && !is_gone;
        let at_most = if is_newer { solver.at_most()? } else { proved };
        let position = solver.position();
        Ok(Solved {
            text: (self.text)(position),
            is_over: position.successors(self.rules).is_empty(),
            wdl: solver.wdl(),
            exact: bounds.and_then(|bounds| bounds.exact()),
            at_most: at_most.and_then(Value::dtw),
            excluded: solver.excluded(),
            line: if is_gone { Vec::new() } else { solver.line()? },
            moves,
            positions: solver.status().positions,
            seconds: begun.elapsed(),
            wants_exact: self.exact,
            is_brief: false,
            write: self.text,
        })
    }
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
pub struct Solved {
    text: String,
    wdl: Option<Wdl>,
    exact: Option<u16>,
    at_most: Option<u16>,
    excluded: ByColor<bool>,
    line: Vec<LineMove>,
    moves: Option<Vec<MoveRating>>,
    positions: u64,
    seconds: Duration,
    is_over: bool,
    wants_exact: bool,
    is_brief: bool,
    /// Writes positions.
    write: fn(&Position) -> String,
}

impl Solved {
    /// Who wins, or what is proved so far, in a sentence.
    fn verdict(&self, position: &Position) -> String {
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

    /// `win`, `draw`, `loss` or `open`, with the plies if the exact distance was asked for and found.
    fn brief(&self) -> String {
        let Some(wdl) = self.wdl else { return "open".to_owned() };
        match self.exact {
            Some(plies) => format!("{} {plies}", wdl.name()),
            None => wdl.name().to_owned(),
        }
    }
}

/// What a move is worth, as far as that is proved.
fn worth(rated: &MoveRating) -> String {
    match (rated.wdl, rated.at_most.and_then(Value::dtw)) {
        (Some(Wdl::Draw), _) => "draw".to_owned(),
        (Some(wdl), Some(plies)) => format!("{} in at most {plies}", wdl.name()),
        (Some(wdl), None) => wdl.name().to_owned(),
        (None, _) => match Color::ALL.into_iter().find(|&color| rated.excluded[color]) {
            Some(color) => format!("open, {color} cannot win"),
            None => "open".to_owned(),
        },
    }
}

/// The order of moves: wins first, quick wins before slow ones, then draws, open moves, and losses.
fn order(rated: &MoveRating) -> (u8, i32) {
    let plies = rated.at_most.and_then(Value::dtw).map_or(0, i32::from);
    match rated.wdl {
        Some(Wdl::Win) => (0, plies),
        Some(Wdl::Draw) => (1, 0),
        None => (2, 0),
        Some(Wdl::Loss) => (3, -plies),
    }
}

impl serde::Serialize for Solved {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let named = |excluded: ByColor<bool>| -> Vec<&'static str> {
            Color::ALL.into_iter().filter(|&c| excluded[c]).map(Color::name).collect()
        };
        let line = self.line.iter().map(|step| json::LegalMove {
            played: move_text(&step.played, &step.after),
            position: (self.write)(&step.after),
        });
        let moves = self.moves.as_ref().map(|moves| {
            let mut moves: Vec<&MoveRating> = moves.iter().collect();
            moves.sort_by_key(|rated| order(rated));
            let rated = moves.into_iter().map(|rated| json::SolvedMove {
                played: move_text(&rated.played, &rated.after),
                position: (self.write)(&rated.after),
                wdl: rated.wdl.map(Wdl::name),
                at_most: rated.at_most.and_then(Value::dtw),
                excluded: named(rated.excluded),
            });
            rated.collect()
        });
        let solved = json::Solved {
            position: &self.text,
            wdl: self.wdl.map(Wdl::name),
            dtw: self.exact,
            at_most: self.at_most,
            excluded: named(self.excluded),
            line: line.collect(),
            moves,
            positions: self.positions,
            seconds: self.seconds.as_secs_f64(),
        };
        solved.serialize(serializer)
    }
}

impl Answer for Solved {
    /// Each position is searched with all threads.
    const IN_PARALLEL: bool = false;

    fn status(&self) -> Status {
        let distance_is_open = self.wants_exact
            && self.exact.is_none()
            && matches!(self.wdl, Some(Wdl::Win | Wdl::Loss));
        match self.wdl {
            Some(_) if !distance_is_open => Status::Affirmative,
            _ => Status::Negative,
        }
    }

    fn as_page(&self, position: &Position) -> String {
        if self.is_brief {
            return self.as_line();
        }
        let mut lines = vec![board_text(position), String::new(), self.verdict(position)];
        if self.wants_exact && self.status() == Status::Negative && self.wdl.is_some() {
            lines.push("The exact distance is open.".to_owned());
        }
        if let Some(moves) = self.moves.as_ref().filter(|moves| !moves.is_empty()) {
            let mut moves: Vec<&MoveRating> = moves.iter().collect();
            moves.sort_by_key(|rated| order(rated));
            let row = |rated: &MoveRating| {
                vec![
                    move_text(&rated.played, &rated.after),
                    worth(rated),
                    (self.write)(&rated.after),
                ]
            };
            let rows: Vec<Vec<String>> = moves.into_iter().map(row).collect();
            lines.extend([String::new(), "Moves:".to_owned()]);
            lines.extend(text::rows_in_width(2, &[Align::Left; 3], &rows));
        }
        if !self.line.is_empty() {
            lines.extend([String::new(), "Best line known:".to_owned()]);
            let row = |(i, step): (usize, &LineMove)| {
                vec![format!("{}.", i + 1), move_text(&step.played, &step.after)]
            };
            let rows: Vec<Vec<String>> = self.line.iter().enumerate().map(row).collect();
            lines.extend(text::rows_in_width(2, &[Align::Right, Align::Left], &rows));
        }
        let (positions, time) = (text::grouped(self.positions), text::duration(self.seconds));
        lines.extend([String::new(), format!("Positions met: {positions}, in {time}.")]);
        lines.join("\n")
    }

    fn as_line(&self) -> String {
        if self.is_brief {
            return self.brief();
        }
        let value = match (self.wdl, self.exact, self.at_most) {
            (Some(wdl), Some(plies), _) => format!("{} in {plies}", wdl.name()),
            (Some(wdl), None, Some(plies)) => format!("{} in at most {plies}", wdl.name()),
            (Some(wdl), None, None) => wdl.name().to_owned(),
            (None, ..) => self.proved_so_far(),
        };
        let moves: Vec<String> =
            self.line.iter().map(|step| move_text(&step.played, &step.after)).collect();
        match moves.is_empty() {
            true => format!("{}: {value}", self.text),
            false => format!("{}: {value}, {}", self.text, moves.join(" ")),
        }
    }
}

impl Follow for SearchProgress {}
