//! `find`: searches tables for positions that authors look for, and prints them as studies.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::json::{RatedStep, line_end};
use crate::make::{FOR_ONE, ToBeMade};
use crate::memory::ValuesMemory;
use crate::output::Output;
use crate::parsers;
use crate::progress::Bars;
use crate::text;
use lasca_analysis::find::{Defence, Filter, Find, positions};
use lasca_analysis::statistics::Pieces;
use lasca_tablebase::index::{Extent, Material};
use lasca_tablebase::notation::MoveNumber;
use lasca_tablebase::probe::{RatedMove, Standing, Tablebase};
use lasca_tablebase::rules::{ByColor, Position};
use lasca_tablebase::{Outcome, Reason, Value, Wdl};
use serde::Serialize;
use std::ops::RangeInclusive;

/// Find positions for studies and puzzles
///
/// Searches all positions of a table. Each position that is found is printed as a study, with its value
/// and a line of best play. `lasca-tb study -` reads and checks this. Of positions that differ only by a
/// symmetry, only one is listed. If both sides have the same number of counters, exchanging the colours is
/// a symmetry too. A position is left out if it arises in the line of one before it, or if its own line reaches such a
/// position in its first half; with --only-moves, within the N turns.
///
/// A choice is a turn with one right move and at least one other legal move. The mark ! stands at every
/// choice in the line. The positions are sorted by the number of choices within the N turns of
/// --only-moves, the most first, then by plies, the most first, and then by columns, the fewest first.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  lasca-tb find 3-3 --only-moves 6
  lasca-tb find 4-3 --value draw --only-moves 4 --defence every --quiet-only
  lasca-tb find 3-2 4-2 --plies 21..31 --columns ..4 --limit 3
  lasca-tb find 3-3 --only-moves 6 | lasca-tb study -
  lasca-tb find 3-3 --only-moves 6 | lasca-tb study - --html booklet.html")]
pub struct Args {
    /// The materials: white counters, a hyphen, black counters
    #[arg(value_name = "MATERIAL", required = true)]
    materials: Vec<Material>,

    /// The result for the side to move [default: win and draw]
    #[arg(long, ignore_case = true, value_name = "RESULT",
        value_parser = parsers::one_of([Wdl::Win, Wdl::Draw, Wdl::Loss], Wdl::name))]
    value: Option<Wdl>,

    /// How many plies the game lasts: 20, 15..25, 15.. or ..25
    ///
    /// The range includes both ends. Draws have no plies, so they are left out.
    #[arg(long, value_name = "RANGE", value_parser = |text: &str| parsers::range(text, &(0..=u16::MAX)))]
    plies: Option<RangeInclusive<u16>>,

    /// The solver has exactly one right move at each of its next N turns
    ///
    /// A right move keeps the result: a win stays a win, and a draw stays a draw. The solver is the side
    /// that wins, or in a drawn position the side to move. In a lost position, that is the side that is not
    /// to move. This includes positions with only one legal move.
    #[arg(long, value_name = "N", value_parser = parsers::number::<usize>(1..=Filter::MOST_TURNS as u64))]
    only_moves: Option<usize>,

    /// The opponent's replies that --only-moves looks at [default: best]
    ///
    /// The best replies hold out longest, or keep the draw. With `every`, all legal replies are looked at. If
    /// one of them loses a drawn game, exactly one move must win after it.
    #[arg(long, ignore_case = true, value_name = "REPLIES", requires = "only_moves",
        value_parser = parsers::one_of([Defence::Best, Defence::Every], defence))]
    defence: Option<Defence>,

    /// Leave out positions in which the side to move must capture
    #[arg(long)]
    quiet_only: bool,

    /// How many columns are on the board: 4, 3..5, 3.. or ..5
    #[arg(short, long, value_name = "RANGE",
        value_parser = |text: &str| parsers::range(text, &(0..=Material::MAX_COUNTERS)))]
    columns: Option<RangeInclusive<usize>>,

    /// How many columns each side commands, White's first, such as 2v3
    #[arg(long, value_name = "PIECES", value_parser = pieces)]
    pieces: Option<Pieces>,

    /// The most positions to list, up to 10,000
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10,
        value_parser = parsers::number::<usize>(1..=parsers::MOST_LISTED))]
    limit: usize,

    #[command(flatten)]
    make: ToBeMade,

    #[command(flatten)]
    memory: ValuesMemory,
}

fn defence(replies: Defence) -> &'static str {
    match replies {
        Defence::Best => "best",
        Defence::Every => "every",
    }
}

fn pieces(text: &str) -> Result<Pieces, String> {
    let number = |text: &str| text.parse().ok().filter(|&number: &usize| number > 0);
    let sides = text.split_once('v');
    let sides = sides.and_then(|(white, black)| number(white).zip(number(black)));
    sides.map(|(white, black)| Pieces(ByColor { white, black })).ok_or_else(|| {
        format!("expected pieces such as 2v3 (White's columns, v, Black's columns), found {text:?}")
    })
}

impl Args {
    /// The most striking of all positions of these materials.
    fn found(&self, tables: &Tablebase, materials: &[Material]) -> Result<Vec<Find>, Failure> {
        let filter = Filter {
            result: self.value,
            plies: self.plies.clone(),
            only_moves: self.only_moves.unwrap_or(0),
            defence: self.defence.unwrap_or(Defence::Best),
            quiet: self.quiet_only,
            columns: self.columns.clone().unwrap_or(2..=usize::MAX),
            pieces: self.pieces,
            limit: self.limit,
            ..Filter::default()
        };
        let mut searched = 0;
        for &material in materials {
            let table = tables.table(material)?;
            check_columns(&filter, material, table.extent())?;
            let columns =
                table.extent().columns().filter(|columns| columns <= filter.columns.end());
            searched += columns.map(|columns| table.positions_of(columns)).sum::<u64>();
        }
        let mut found: Vec<Find> = Vec::new();
        let bars = Bars::of_values(searched)?;
        for &material in materials {
            let table = tables.table(material)?;
            let a_position = if filter.only_moves > 0 { Filter::BYTES_A_POSITION } else { 0 };
            let keep = self.memory.keep("searching", table, a_position * table.positions())?;
            let filter = Filter { keep, ..filter.clone() };
            found.extend(positions(tables, material, &filter, &bars)?);
        }
        drop(bars);
        found.sort_by_key(Find::order);
        found.truncate(filter.limit);
        Ok(found)
    }
}

/// Checks that a table has positions with the columns and pieces that are looked for.
fn check_columns(filter: &Filter, material: Material, extent: Extent) -> Result<(), Failure> {
    let most = *extent.columns().end();
    let wanted = (*filter.columns.start()).max(2)..=most.min(*filter.columns.end());
    let fits = filter.pieces.is_none_or(|pieces| {
        let ByColor { white, black } = pieces.0;
        wanted.contains(&pieces.total()) && white <= material.white() && black <= material.black()
    });
    if fits && !wanted.is_empty() {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "the table of {material} has positions of 2 to {most} columns, but none of those that --columns and \
         --pieces ask for"
    )))
}

pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    let tables = global.folders.open(global.rules())?;
    let materials = parsers::each_once(args.materials.iter().copied());
    let maker = args.make.maker(FOR_ONE, global);
    materials.iter().try_for_each(|&material| maker.make_whole(&tables, material))?;
    let found = args.found(&tables, &materials)?;
    if found.is_empty() {
        let names: Vec<String> = materials.iter().map(Material::to_string).collect();
        let why = format!("no such position in {}", names.join(", "));
        let failure = Failure::negative(Reason::NotCovered, why);
        let hint = args.value.is_none().then_some("--value loss looks for lost positions");
        return Err(hint.into_iter().fold(failure, Failure::with_hint));
    }
    let mut out = Output::new();
    let turns = args.only_moves;
    for (number, find) in found.iter().enumerate() {
        if number > 0 && !global.json {
            out.line("")?;
        }
        out.result(global.json, || Found::new(find, turns.is_some()), || study(find, turns))?;
    }
    Ok(Status::Affirmative)
}

fn material_of(find: &Find) -> String {
    let ByColor { white, black } = find.position.counters();
    format!("{white}-{black}")
}

/// `turns` says in how many turns the choices were counted, if the turns are told.
fn title(find: &Find, turns: Option<usize>) -> String {
    let (side, value) = (find.position.side_to_move(), find.value.into());
    let (verb, distance) = (text::verb(value, 1), text::in_plies(value));
    let mut title = format!("{}: {side} {verb}{distance}", material_of(find));
    if let Some(counted) = turns {
        let shown = (0..find.solution.moves.len()).filter(|&plies| find.is_turn(plies)).count();
        let is_repeated = find.solution.end == Some(Outcome::Draw);
        let moves = match find.only_moves {
            // Play goes on in the same circle for all turns that were counted.
            turns if is_repeated && turns >= shown => "only moves until play repeats".to_owned(),
            1 => "1 only move".to_owned(),
            turns => format!("{turns} only moves"),
        };
        let among = match find.choices {
            0 => String::new(),
            1 if find.only_moves == 1 => ", among several".to_owned(),
            all if all == find.only_moves => ", each among several".to_owned(),
            some if counted < find.only_moves => format!(", at least {some} of them among several"),
            some => format!(", {some} of them among several"),
        };
        title.push_str(&format!(", {moves}{among}"));
    }
    title
}

/// A position with its line, as a study that can be checked.
fn study(find: &Find, turns: Option<usize>) -> Vec<String> {
    let (side, verb) = (find.position.side_to_move(), text::verb(find.value.into(), 1));
    let position = find.position.to_string();
    let board = position.rsplit_once(' ').map_or(position.as_str(), |(board, _)| board);
    let mut lines = vec![format!("# {}", title(find, turns))];
    lines.extend(text::wrapped(0, &format!("{board}, {side} to move {verb}")));
    let moves: Vec<String> = find.marked_moves().collect();
    if !moves.is_empty() {
        let end = find.solution.end.unwrap_or(Outcome::Draw).symbol();
        lines.extend(text::moves_in_width(0, "", MoveNumber::first(side), &moves, end));
    }
    lines
}

/// A position that was found: `find --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Find"))]
pub struct Found {
    /// The material of the position.
    material: String,
    /// The position in list form.
    position: Position,
    #[serde(flatten)]
    value: Value,
    /// The best line known: to the end of the game, to the first position that repeats, or to where nothing is known any
    /// more.
    line: Vec<RatedStep>,
    /// How that line ends: who wins, or `repetition`, which is a draw; `null` if nothing is known of the position after it.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = crate::json::line_ends())))]
    line_end: Option<&'static str>,
    /// For how many turns the solver has only moves; in a draw counted up to those asked for. Only with `--only-moves`.
    #[serde(skip_serializing_if = "Option::is_none")]
    only_moves: Option<usize>,
    /// How many choices the line has within the turns that `--only-moves` asks for: turns with one right move and at least
    /// one other legal move. Only with `--only-moves`.
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<usize>,
}

impl Found {
    fn new(find: &Find, with_turns: bool) -> Found {
        let step = |(rated, &standing): (&RatedMove<Value>, &Standing)| {
            let RatedMove { played, after, value } = rated;
            let step = RatedStep::new(played, after, Some((*value).into()));
            RatedStep { standing: Some(Some(standing)), ..step }
        };
        Found {
            material: material_of(find),
            position: find.position,
            value: find.value,
            line: find.solution.moves.iter().zip(&find.standings).map(step).collect(),
            line_end: find.solution.end.map(line_end),
            only_moves: with_turns.then_some(find.only_moves),
            choices: with_turns.then_some(find.choices),
        }
    }
}
