//! Answering from the tables, or by search, for the commands that do so.

use crate::answer::{Known, Style};
use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::hints;
use crate::interrupt;
use crate::make::{FOR_ONE, ToBeMade, price, with_price};
use crate::memory::search_memory;
use crate::parsers;
use crate::positions::{Asked, Positions, Source};
use crate::progress::SearchProgress;
use crate::threads;
use crate::watch::Watch;
use lasca_analysis::answer::{Answer, Question, SearchLimits};
use lasca_tablebase::Reason;
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{ByColor, Color, Column, OfficerPosition, Position};
use std::time::Duration;

/// The option of the commands that search where the tables have no answer.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct BySearch {
    /// If the tables have no answer, search each position for this many seconds
    ///
    /// This also answers positions with soldiers, or with more counters than the tables have. The answer
    /// says what is proved. Positions are answered one after another. `lasca-tb solve` has more options.
    #[arg(short, long, value_name = "S", value_parser = parsers::seconds)]
    seconds: Option<Duration>,

    #[command(flatten)]
    make: ToBeMade,
}

/// The tables in the folders of a run, as they are now: tables may be made while lines are answered.
pub struct FolderTables<'a> {
    global: &'a Global,
    watch: Watch,
    tables: Result<Tablebase, Failure>,
}

impl<'a> FolderTables<'a> {
    /// Opens the tables to answer positions from.
    pub fn open(global: &'a Global) -> FolderTables<'a> {
        let watch = Watch::new(&global.folders);
        FolderTables { global, watch, tables: global.folders.open(global.rules()) }
    }

    /// The tables.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn get(&self) -> Result<&Tablebase, Failure> {
        self.tables.as_ref().map_err(Failure::clone)
    }
}

impl Source for FolderTables<'_> {
    fn look_again(&mut self, at_once: bool) -> bool {
        let open = |_: &_| self.global.folders.open(self.global.rules());
        let renewed = self.watch.renew(at_once, self.tables.as_ref().ok(), open);
        let Some(Ok(tables)) = renewed else { return false };
        self.tables = Ok(tables);
        true
    }
}

impl BySearch {
    /// Answers positions from the tables, or by search if that is asked for. `wanted` is what `command` is
    /// to find out.
    pub fn answer(
        self,
        positions: &Positions,
        command: &'static str,
        global: &Global,
        wanted: Question,
        style: Style,
    ) -> Result<Status, Failure> {
        let asked = Asked { command, global, options: &["id", "make"] };
        let tables = FolderTables::open(global);
        let maker = self.make.maker(default_for(positions), global);
        let Some(seconds) = self.seconds else {
            // Without tables, the answer to each position says why.
            return positions.answer_with(asked, true, tables, |tables, position, options| {
                if let Ok(tables) = &tables.tables {
                    maker.make_for(tables, position, options.make);
                }
                let answer = of_tables(&tables.tables, position, &wanted)?;
                Known::shown(answer, style, options)
            });
        };
        tables.get()?;
        interrupt::watch_for_ctrl_c()?;
        let memory = search_memory(None);
        let asked = Asked { options: &["id", "seconds", "make"], ..asked };
        positions.answer_with(asked, false, tables, |tables, position, options| {
            let tables = tables.get()?;
            let question = Question { tables: tables.into(), ..wanted };
            let time = Some(options.seconds.unwrap_or(seconds));
            let threads = threads::count();
            let limits = SearchLimits { time, threads, memory, ..SearchLimits::default() };
            let found = interrupt::stoppable(options.number, || {
                maker.search_and_make(tables, position, limits, options.make, |limits| {
                    match question.of_tables(position) {
                        Err(error) if error.is_not_covered() => {
                            question.by_search(position, limits, &SearchProgress::new())
                        }
                        answer => answer,
                    }
                })
            });
            Known::shown(found?, style, options)
        })
    }
}

/// How long making a table may take if nothing is said: programs that send lines do not expect to wait.
pub fn default_for(positions: &Positions) -> Duration {
    if positions.are_lines() { Duration::ZERO } else { FOR_ONE }
}

/// Asks the tables about a position. Where they have no answer, the error names the command that
/// searches the position.
fn of_tables(
    tables: &Result<Tablebase, Failure>,
    position: &Position,
    wanted: &Question,
) -> Result<Answer, Failure> {
    let hint = |has_tables| hints::solve(position, wanted.tables.rules(), has_tables);
    match tables {
        Ok(tables) => {
            let question = Question { tables: tables.into(), ..*wanted };
            question.of_tables(position).map_err(|error| {
                if !error.is_not_covered() {
                    return error.into();
                }
                let command = match error.reason() {
                    Reason::NoDistances => hint(true).word("--exact"),
                    _ => hint(true),
                };
                let mut failure = counted(error, position);
                failure.failed.make = price(tables, position);
                let by_search =
                    "--seconds 10 lets this command search where the tables have no answer";
                failure.with_hint(command).with_hint(by_search)
            })
        }
        // What the rules alone tell needs no tables, nor does a search, and no table has an answer for soldiers.
        Err(failure) if failure.status == Status::Negative => {
            if let Ok(answer) = wanted.of_tables(position) {
                return Ok(answer);
            }
            Err(match OfficerPosition::try_from(position) {
                Ok(_) => failure.clone(),
                Err(error) => ProbeError::NotOfficers(error).into(),
            }
            .with_hint(hint(false)))
        }
        Err(failure) => Err(failure.clone()),
    }
}

/// The tables have no answer about a position. If a table is missing and there are prisoners, this says what the
/// material counts.
fn counted(error: ProbeError, position: &Position) -> Failure {
    let has_prisoners = |column: Column| Color::ALL.iter().all(|&color| column.count(color) > 0);
    let is_explained = matches!(error, ProbeError::MissingTable { .. })
        && position.columns().any(|(_, column)| has_prisoners(column));
    let failure = with_price(error);
    if !is_explained {
        return failure;
    }
    let ByColor { white, black } = position.counters();
    failure.reworded(|why| {
        format!(
            "{why} (a prisoner counts by its own colour: there are {white} white counters and {black} \
             black ones)"
        )
    })
}
