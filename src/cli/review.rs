//! `review`: finds out who is winning at each ply of a game, and marks its moves.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::interrupt;
use crate::json::line_end;
use crate::make::{FOR_ONE, ToBeMade};
use crate::memory::{MemoryLimit, search_failure};
use crate::output::Output;
use crate::parsers;
use crate::progress::SearchProgress;
use crate::studies::{Booklet, read_all, tell_unchecked};
use crate::text::{self, glued, printable};
use crate::threads;
use lasca_analysis::answer::SearchLimits;
use lasca_analysis::booklet::{Ending, Part};
use lasca_analysis::study::{Mark, Review, ReviewError, ReviewedPly, Study, parse, review};
use lasca_tablebase::notation::numbered;
use lasca_tablebase::probe::RatedMove;
use lasca_tablebase::rules::{Color, Position};
use lasca_tablebase::{Progress, Value, Wdl};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

/// Find out who is winning at each ply of a game, and mark its moves
///
/// The game is looked at from its last position backwards, by the tables and by search. What is proved
/// of a position helps with those before it. The game is printed as a study: with ? at moves that give
/// a win or a draw away, and the better move with its line; and with ! at moves that are the only ones of
/// several to keep the result. A comment says from where on the result is known. Each game is the main line of a
/// study; its marks, results, variations and comments are ignored. Several games are named by file and
/// line. Ctrl-C ends the review, and what is known so far is printed.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
A game is a position, or the word start, and the moves, with numbers or without:
  start 1. c3-d4 e5-d4-c3 2. b2-c3-d4 b6-a5
  c3W e5W c5B e3B b  e3-d4 c3-d2 d4-e5-f6

`lasca-tb study` can check what is printed.

Exit status:
  0  All games are reviewed, as far as the time allows.
  1  Ctrl-C stopped the review, or a table is damaged.
  2  A file cannot be read, a move is not legal, or memory is not enough. The
     other games are reviewed all the same.

Examples:
  lasca-tb review my.game
  lasca-tb review --seconds 20 --total 600 my.game > my.study
  lasca-tb review *.game --html slips.html")]
pub struct Args {
    /// Files with games; - is standard input
    #[arg(value_name = "GAME", required = true, value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,

    /// The time for searches, in seconds per position; 0 means that nothing is searched
    #[arg(short, long, value_name = "S", value_parser = parsers::seconds, default_value = "5")]
    seconds: Duration,

    /// The time for the searches of each game, in seconds [default: none]
    #[arg(long, value_name = "S", value_parser = parsers::seconds)]
    total: Option<Duration>,

    #[command(flatten)]
    make: ToBeMade,

    #[command(flatten)]
    booklet: Booklet,

    #[command(flatten)]
    memory: MemoryLimit,
}

pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    args.booklet.check()?;
    let rules = global.rules();
    let searches = !args.seconds.is_zero();
    let (time, threads, memory) = (Some(args.seconds), threads::count(), args.memory.bytes());
    let search = SearchLimits { time, threads, memory, ..SearchLimits::default() };
    let tables = global.folders.open(rules)?;
    let maker = args.make.maker(FOR_ONE, global);
    interrupt::watch_for_ctrl_c()?;
    let (mut out, mut status) = (Output::new(), Status::Affirmative);
    let games = read_all(&args.files, &mut out, &mut status, global.json)?;
    let mut is_first = true;
    let mut endings = Vec::new();
    for (file, game) in &games {
        let place = printable(&format!("{file}, line {}", game.location.line));
        let search = searches.then_some(search);
        let (found, is_stopped) = interrupt::stoppable(0, || {
            maker.make_for_all(&tables, &game.positions(rules), search);
            let bar = SearchProgress::of_review(place.clone());
            let found = review(game, &tables, search, args.total, &bar);
            (found, bar.should_stop())
        });
        let mut review = match found {
            Ok(review) => review,
            Err(error) => {
                let (line, why) = match &error {
                    ReviewError::Search(error) => (Some(game.location.line), search_failure(error)),
                    // It says at which line.
                    error => (None, Failure::wrong(error.reason(), error.to_string())),
                };
                status = status.max(why.status);
                tell_unchecked(&mut out, file, line, why, global.json)?;
                continue;
            }
        };
        if is_stopped {
            status = status.max(Status::Negative);
        }
        let is_one_of_several = args.files.len() > 1 || games.len() > 1;
        // It would end a comment.
        let place = is_one_of_several.then(|| place.replace('}', ")"));
        if review.title.is_none() {
            review.title.clone_from(&place);
        }
        match global.json {
            _ if args.booklet.is_wanted() => endings.extend(endings_of(&review, place)),
            true => json_lines(file, game, &review).try_for_each(|line| out.json(&line))?,
            false => {
                let gap = if is_first { "" } else { "\n" };
                let text = review.to_string();
                let mut lines: Vec<String> = text.trim_end().lines().map(printable).collect();
                if let Some(place) = place.filter(|place| review.title.as_ref() != Some(place)) {
                    lines.splice(1..1, text::wrapped(0, &format!("{{{place}}}")));
                }
                out.lines([format!("{gap}{}", lines.join("\n"))])?;
            }
        }
        is_first = false;
    }
    drop(out);
    args.booklet.save(&endings)?;
    Ok(status)
}

/// A game for a booklet, and then the positions in which a result was given away, with what was better.
fn endings_of(review: &Review, place: Option<String>) -> Vec<Ending> {
    let mut untitled = review.clone();
    let title = untitled.title.take().unwrap_or_else(|| "The game".to_owned());
    let place = place.filter(|place| *place != title).map(|place| format!(" ({place})"));
    let title = title + &place.unwrap_or_default();
    let text = untitled.to_string();
    let Ok(mut studies) = parse(&text) else {
        unreachable!("a review is printed as a study: {text}")
    };
    let mut game = Ending::of_study(&studies.remove(0), review.rules);
    game.title = title;
    let slip = |ply: &ReviewedPly| {
        let played = ply.played.as_ref().filter(|played| played.mark == Some(Mark::Bad))?;
        let lost = if ply.value.worst().wdl() == Wdl::Win { "win" } else { "draw" };
        let better = numbered(ply.number, played.better.moves.iter().map(RatedMove::to_string));
        let slip = glued(&numbered(ply.number, [played.rated.to_string()]));
        let mut ending = Ending::new(format!("A slip: {slip}? gives a {lost} away"), ply.position);
        if !better.is_empty() {
            ending.text.push(Part::Text(format!("Better: {}", glued(&better))));
        }
        Some(ending)
    };
    std::iter::once(game).chain(review.plies.iter().filter_map(slip)).collect()
}

/// A position of a game and the move that was played: `review --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ReviewedPly"))]
pub struct Ply<'a> {
    /// The file, or `standard input`.
    file: &'a str,
    /// The line of the file that has the first position of the game, from 1.
    line: usize,
    /// How many plies were played before.
    ply: usize,
    /// The number of the move to be made, such as `3.` or `3...`.
    number: String,
    /// The position in list form.
    position: Position,
    /// Who wins, for the side to move; `null` if that is not known.
    wdl: Option<Wdl>,
    /// The exact distance, in plies, if it is known; `null` otherwise.
    dtw: Option<u16>,
    /// The sides that are proved unable to win.
    excluded: Vec<Color>,
    /// Whether the results of this position and of all later ones are known.
    known_to_end: bool,
    /// The move that was played; `null` in the last position.
    #[serde(rename = "move")]
    played: Option<String>,
    /// `?` if the move gave a win or a draw away, `!` if it was the only one of several that kept the result; `null`
    /// otherwise, and if it is not known whether it kept the result.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = [Mark::Good, Mark::Bad].map(Mark::symbol))))]
    mark: Option<&'static str>,
    /// After `?`, the best line known, which begins with a better move. Empty if none is known, and without that mark.
    better: Vec<String>,
    /// How that line ends: who wins, or `repetition`, which is a draw; `null` if it is cut short or there is none.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = crate::json::line_ends())))]
    line_end: Option<&'static str>,
}

/// A line for each position of a game.
fn json_lines<'a>(
    file: &'a str,
    game: &'a Study,
    review: &'a Review,
) -> impl Iterator<Item = Ply<'a>> {
    let known_from = review.known_from().unwrap_or(review.plies.len());
    review.plies.iter().enumerate().map(move |(number, ply)| {
        let excluded = ply.value.excluded(ply.position.side_to_move());
        let played = ply.played.as_ref();
        let better = played.map(|played| &played.better);
        let moves = better.iter().flat_map(|line| &line.moves);
        Ply {
            file,
            line: game.location.line,
            ply: number,
            number: ply.number.to_string(),
            position: ply.position,
            wdl: ply.value.wdl(),
            dtw: ply.value.exact().and_then(Value::dtw),
            excluded: Color::ALL.into_iter().filter(|&color| excluded[color]).collect(),
            known_to_end: number >= known_from,
            played: played.map(|played| played.rated.to_string()),
            mark: played.and_then(|played| played.mark).map(Mark::symbol),
            better: moves.map(RatedMove::to_string).collect(),
            line_end: better.and_then(|line| line.end).map(line_end),
        }
    })
}
