//! The positions to answer: one on the command line, or one per line on standard input.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::json::{self, Greeting};
use crate::output::Output;
use crate::terminal::note;
use crate::{interrupt, parsers, text, threads};
use clap::ArgGroup;
use lasca_tablebase::Reason;
use lasca_tablebase::notation::without_mark;
use lasca_tablebase::rules::{Position, RuleSet};
use rayon::prelude::*;
use std::io::{self, BufRead, BufReader};
use std::iter;
use std::sync::mpsc;
use std::time::Duration;

/// How many lines a thread answers at least before another takes some: it takes time to divide them.
const LINES_A_TASK: usize = 32;

/// How many bytes of input are read ahead, and so are answered at a time.
const READ_AHEAD: usize = 1 << 18;

/// How many lines are read ahead at most.
const LINES_AHEAD: usize = 1000;

/// The options that say which positions to answer.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(group(ArgGroup::new("positions").required(true).multiple(true)))]
pub struct Positions {
    /// The position, in list form or row form; or -, which means --stdin
    ///
    /// start is the starting position.
    /// Moves may follow: start moves c3-d4.
    /// Quotes are not needed.
    #[arg(value_name = "POSITION", group = "positions")]
    position: Vec<String>,

    /// Read one position per line from standard input, and answer each with one line of JSON
    ///
    /// If a line has no answer, its answer says why; this includes empty lines. docs/PROTOCOL.md is the guide for
    /// programs that use this: it has the options of a line, other lines, and the exit status.
    #[arg(long, group = "positions")]
    stdin: bool,
}

/// The one position of a command.
#[derive(Debug, clap::Args)]
pub struct OnePosition {
    /// The position, in list form or row form; start is the starting position; quotes are not needed
    #[arg(value_name = "POSITION", required = true)]
    position: Vec<String>,
}

impl OnePosition {
    /// Reads the position.
    pub fn read(&self) -> Result<Position, Failure> {
        let position = parsers::position(&self.position.join(" "));
        position.map_err(|why| Failure::wrong(Reason::NotAPosition, why))
    }
}

/// An answer as it is printed, without a newline at the end, and the exit status that goes with it; or why there is
/// none.
pub type Answered = Result<(Status, String), Failure>;

/// What answers come from.
pub trait Source: Sync {
    /// Looks again for it, if the last look was long ago or it is to look `at_once`. Returns whether there is
    /// anything new.
    fn look_again(&mut self, at_once: bool) -> bool;
}

/// The rules alone never change.
impl Source for RuleSet {
    fn look_again(&mut self, _: bool) -> bool {
        false
    }
}

/// How a command answers.
pub struct Asked<'a> {
    /// The command.
    pub command: &'static str,
    /// The options of all commands. Answers to lines are always JSON.
    pub global: &'a Global,
    /// The names of the options that a line may have.
    pub options: &'static [&'static str],
}

/// The options of a line, which overrule those of the command, and what else it says.
#[derive(Clone, Debug, Default)]
pub struct LineOptions {
    /// The answer is JSON.
    json: bool,
    /// `id=7`: the number that JSON repeats.
    id: Option<u64>,
    /// The number of the line, by which its search is [stopped](interrupt::stop_before).
    pub number: u64,
    /// `seconds=10`: how long to search.
    pub seconds: Option<Duration>,
    /// `make=10`: how long making a table may take.
    pub make: Option<Duration>,
    /// `exact=1`: find the exact distance.
    pub exact: Option<bool>,
    /// `moves=1`: find out what each move is worth.
    pub moves: Option<bool>,
    /// The positions before the moves of the line.
    pub before: Vec<Position>,
}

impl LineOptions {
    /// The text of an answer, in the one form or the other.
    pub fn shown(
        &self,
        as_json: impl FnOnce() -> json::Answer,
        as_page: impl FnOnce() -> String,
    ) -> String {
        match self.json {
            true => json::to_line(&json::Answer { id: self.id, ..as_json() }),
            false => as_page(),
        }
    }
}

impl Positions {
    /// Whether the positions are lines of standard input.
    pub fn are_lines(&self) -> bool {
        matches!(self.of_command_line(), Ok(None))
    }

    /// The text of the position on the command line; `None` if the positions are lines of standard
    /// input.
    fn of_command_line(&self) -> Result<Option<String>, Failure> {
        let is_dash = |word: &String| word == "-";
        if self.position.is_empty() || matches!(self.position.as_slice(), [word] if is_dash(word)) {
            return Ok(None);
        }
        let text = self.position.join(" ");
        if self.stdin || self.position.iter().any(is_dash) {
            let option = if self.stdin { "--stdin " } else { "" };
            return Err(Failure::usage(format!(
                "expected one position, or - alone for standard input, found \"{option}{text}\""
            )));
        }
        Ok(Some(text))
    }

    /// Answers the position, or each line of standard input. Lines that arrive together are answered
    /// together `in_parallel`.
    pub fn answer_with<S: Source>(
        &self,
        asked: Asked<'_>,
        in_parallel: bool,
        source: S,
        answer: impl Fn(&S, &Position, &LineOptions) -> Answered + Sync,
    ) -> Result<Status, Failure> {
        let mut answerer = Answerer { asked, source, answer };
        match self.of_command_line()? {
            None => answerer.answer_lines(in_parallel),
            Some(text) => answerer.answer_one(&text),
        }
    }
}

struct Answerer<'a, S, F> {
    asked: Asked<'a>,
    source: S,
    answer: F,
}

impl<S: Source, F: Fn(&S, &Position, &LineOptions) -> Answered + Sync> Answerer<'_, S, F> {
    fn answer(&self, text: &str, options: LineOptions) -> Answered {
        let (position, before) = parsers::position_after_moves(text, self.asked.global.rules())
            .map_err(|(reason, why)| Failure::wrong(reason, why))?;
        (self.answer)(&self.source, &position, &LineOptions { before, ..options })
    }

    /// Answers the position of the command line.
    fn answer_one(&self, text: &str) -> Result<Status, Failure> {
        let json = self.asked.global.json;
        let (status, answer) =
            match self.answer(text, LineOptions { json, ..LineOptions::default() }) {
                Err(failure) if json => unanswered(None, text, &failure),
                answered => answered?,
            };
        Output::new().lines([answer])?;
        Ok(status)
    }

    /// Answers every line of standard input with one line. Answers to lines that arrive together are
    /// passed on before it waits for more.
    fn answer_lines(&mut self, in_parallel: bool) -> Result<Status, Failure> {
        let mut out = Output::new();
        let input: Box<dyn Iterator<Item = _>> = if in_parallel {
            threads::start()?;
            Box::new(asked(true))
        } else {
            Box::new(asked_ahead()?)
        };
        let (mut status, mut all, mut unanswered) = (Status::Affirmative, 0u64, 0u64);
        for lines in input {
            let lines = lines?;
            // A search takes longer than a look.
            self.source.look_again(!in_parallel);
            let mut answers = self.answer_all(&lines);
            let is_lacking = |answer: &AnsweredLine| matches!(answer, Err((Status::Negative, _)));
            if answers.iter().any(is_lacking) && self.source.look_again(true) {
                answers = self.answer_all(&lines);
            }
            for answer in &answers {
                all += 1;
                unanswered += u64::from(answer.is_err());
                let (Ok((of_line, line)) | Err((of_line, line))) = answer;
                status = status.max(*of_line);
                out.line(line)?;
            }
            out.flush()?;
            if out.is_closed {
                return Ok(status);
            }
        }
        if unanswered > 0 {
            let verb = if unanswered == 1 { "has" } else { "have" };
            let (unanswered, all) = (text::grouped(unanswered), text::grouped(all));
            note(&format!("{unanswered} of {all} lines {verb} no answer"));
        }
        Ok(status)
    }

    /// Answers lines that have arrived together.
    fn answer_all(&self, lines: &[Numbered]) -> Vec<AnsweredLine> {
        match lines {
            [(number, line)] => vec![self.answer_line(*number, line)],
            lines => {
                let lines = lines.par_iter().with_min_len(LINES_A_TASK);
                lines.map(|(number, line)| self.answer_line(*number, line)).collect()
            }
        }
    }

    /// Answers a line of input with a line.
    fn answer_line(&self, number: u64, line: &str) -> AnsweredLine {
        let (options, is_read, given) = self.read_options(number, line);
        let id = options.id;
        let answered = match is_read {
            Err(why) => Err(Failure::usage(why)),
            Ok(()) if given.trim() == "protocol" => {
                let rules = self.asked.global.rules();
                let greeting = Greeting::new(id, self.asked.command, rules);
                Ok((Status::Affirmative, json::to_line(&greeting)))
            }
            Ok(()) => self.answer(given, options),
        };
        answered.map_err(|failure| unanswered(id, given, &failure))
    }

    /// Takes a line apart: its options, what is wrong with the first that cannot be read, and the position.
    fn read_options<'a>(
        &self,
        number: u64,
        line: &'a str,
    ) -> (LineOptions, Result<(), String>, &'a str) {
        let mut options = LineOptions { json: true, number, ..LineOptions::default() };
        let (mut is_read, mut rest) = (Ok(()), line);
        loop {
            let (word, after) = rest.trim_start().split_once(' ').unwrap_or((rest.trim(), ""));
            // No position has this sign.
            let Some((name, value)) = word.split_once('=') else { return (options, is_read, rest) };
            let read = self.read_option(name, value, &mut options);
            is_read = is_read.and(read.map_err(|why| format!("{name}=: {why}")));
            rest = after;
        }
    }

    fn read_option(&self, name: &str, value: &str, to: &mut LineOptions) -> Result<(), String> {
        match name {
            _ if !self.asked.options.contains(&name) => {
                return Err(format!("the options of a line are {}", self.asked.options.join(", ")));
            }
            "id" => {
                to.id = value.parse().ok();
                let max = u64::MAX;
                let wrong = || format!("expected a whole number from 0 to {max}, found {value:?}");
                to.id.ok_or_else(wrong)?;
            }
            "seconds" => to.seconds = Some(parsers::seconds(value)?),
            "make" => to.make = Some(parsers::seconds(value)?),
            "exact" => to.exact = Some(parsers::yes(value)?),
            _ => to.moves = Some(parsers::yes(value)?),
        }
        Ok(())
    }
}

/// The exit status and a line of JSON that says why there is no answer to the question of this number about this text.
fn unanswered(id: Option<u64>, position: &str, failure: &Failure) -> (Status, String) {
    let line = json::to_line(&json::Unanswered { id, position, failed: &failure.failed });
    (failure.status, line)
}

/// The exit status and the line that answers a line of input; or those that say why there is no answer.
type AnsweredLine = Result<(Status, String), (Status, String)>;

/// A line of input with its number, counted from 1.
type Numbered = (u64, String);

/// What the lines of standard input ask: all that have arrived `together`, or each for itself.
fn asked(together: bool) -> impl Iterator<Item = Result<Vec<Numbered>, Failure>> + Send {
    let mut input = BufReader::with_capacity(READ_AHEAD, io::stdin());
    let (mut number, mut is_over) = (1, false);
    let mut next = move || {
        let mut asked = Vec::new();
        while !is_over {
            let Some(line) = next_line(&mut input)? else { return Ok(asked) };
            match line.trim() {
                "stop" => interrupt::stop_before(number),
                "quit" => is_over = true,
                _ => {
                    asked.push((number, line));
                    number += 1;
                }
            }
            let is_more_here = together && input.buffer().contains(&b'\n');
            if !asked.is_empty() && !is_more_here {
                return Ok(asked);
            }
        }
        Ok(asked)
    };
    iter::from_fn(move || next().map(|asked| (!asked.is_empty()).then_some(asked)).transpose())
}

/// The same, each for itself, from a thread that reads on while a line is answered, so that it can be
/// stopped.
fn asked_ahead() -> Result<impl Iterator<Item = Result<Vec<Numbered>, Failure>>, Failure> {
    let (send, receive) = mpsc::sync_channel(LINES_AHEAD);
    let read = move || {
        // Whoever does not wait for more has gone.
        let _ = asked(false).try_for_each(|asked| send.send(asked));
    };
    threads::spawn("input", read).map_err(|error| threads::refused(1, &error))?;
    Ok(receive.into_iter())
}

/// The next line without its newline and without a byte order mark; `None` after the last line. Bytes that are
/// no text become U+FFFD.
fn next_line(input: &mut impl BufRead) -> Result<Option<String>, Failure> {
    let failed = |error| Failure::system(format!("cannot read standard input: {error}"));
    let mut bytes = Vec::new();
    if input.read_until(b'\n', &mut bytes).map_err(failed)? == 0 {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&bytes);
    let line = text.strip_suffix('\n').unwrap_or(&text);
    let line = line.strip_suffix('\r').unwrap_or(line);
    Ok(Some(without_mark(line).to_owned()))
}
