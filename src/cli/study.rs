//! `study`: checks the claims of annotated endings.

mod words;

use crate::failure::{Failure, Status, hint_line, say};
use crate::global::Global;
use crate::hints;
use crate::json::line_end;
use crate::make::{FOR_ONE, ToBeMade};
use crate::memory::{MemoryLimit, search_failure};
use crate::output::Output;
use crate::parsers;
use crate::progress::counter;
use crate::studies::{Booklet, read_all, tell_unchecked};
use crate::text;
use lasca_analysis::answer::SearchLimits;
use lasca_analysis::booklet::{Ending, Part};
use lasca_analysis::study::{CheckedClaim, Claim, Finding, Mark, Study, StudyReport, Truth, check};
use lasca_tablebase::notation::{MoveNumber, numbered};
use lasca_tablebase::probe::{RatedMove, Standing};
use lasca_tablebase::rules::{Position, RuleSet};
use lasca_tablebase::{Outcome, Value, ValueRange, Wdl};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;
use words::{claim_text, claim_with_place, explanation};

/// The indent of the findings of a study.
const FINDING: usize = 2;

/// The indent of the lines that go on with a finding.
const MORE: usize = 9;

/// Check the moves and claims of annotated endings against the tables, or by search
///
/// Every move of every line is played, and verdicts, results and marks are checked. A move marked ?
/// or ?? must give a win or a draw away. A move marked ! or !! must be as good as any other. A move without
/// a mark must give nothing away. Moves marked !? or ?! are not checked. If the tables do not cover a
/// position, it is searched. Each claim is confirmed, or refuted by a line of best play, or open if
/// the search does not decide it in time. If a study cannot be checked, the others are checked all the same.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
A study is a position, the verdict on it, and moves:
  # A fork that fails
  c3W e5W c5B e3B, Black to move loses
  1... e3-d4  2. c3-b4! (2. c3-d2? d4-e5-f6BW 0-1)  d4-e5-f6BW
  3. b4-c5-d6WB f6-e7  4. d6-e5  1-0  {White has the opposition.}

Variations are in parentheses or brackets. Comments are in braces or follow a
semicolon. Results are 1-0 or +-, 0-1 or -+, and 1/2 or =. A length in plies
may follow a verdict or a result: loses in 12, 1-0 in 7. [#] asks for a board
in a booklet.

Examples:
  lasca-tb study tests/studies/*.study
  lasca-tb study --json - < my.study
  lasca-tb study tests/studies/*.study --html booklet.html")]
pub struct Args {
    /// Files with studies; - is standard input
    #[arg(value_name = "FILE", required = true, value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,

    /// The time for searches, in seconds per claim; 0 means that nothing is searched
    ///
    /// If a claim is refuted, the search for the line that shows it may take as long again.
    #[arg(short, long, value_name = "S", value_parser = parsers::seconds, default_value = "5")]
    seconds: Duration,

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
    // One thread, so that the same study gives the same report.
    let (time, threads, memory) = (Some(args.seconds), 1, args.memory.bytes());
    let search = SearchLimits { time, threads, memory, ..SearchLimits::default() };
    let tables = global.folders.open(rules)?;
    let maker = args.make.maker(FOR_ONE, global);
    let (mut out, mut status) = (Output::new(), Status::Affirmative);
    let studies = read_all(&args.files, &mut out, &mut status, global.json)?;
    let bar = counter("studies");
    bar.set_length(studies.len() as u64);
    let (mut reports, mut endings) = (Vec::new(), Vec::new());
    for (file, study) in &studies {
        let place = format!("{file}, line {}", study.location.line);
        bar.set_message(text::printable(&place));
        let search = searches.then_some(search);
        maker.make_for_all(&tables, &study.positions(rules), search);
        let report = check(study, &tables, search).map_err(|error| search_failure(&error));
        bar.inc(1);
        let report = match report {
            Ok(report) => report,
            Err(why) => {
                status = status.max(why.status);
                let line = Some(study.location.line);
                tell_unchecked(&mut out, file, line, why, global.json)?;
                continue;
            }
        };
        if args.booklet.is_wanted() {
            endings.push(ending(study, &report, rules));
        } else {
            let as_json = || Checked::new(file, study, &report, rules);
            let as_text = || page(file, study, &report);
            out.result(global.json, as_json, as_text)?;
        }
        reports.push(report);
    }
    bar.finish_and_clear();
    if all_claims(&reports).any(|claim| is_refuted(&claim.finding)) {
        status = status.max(Status::Negative);
        if args.booklet.is_wanted() || global.json {
            counted(&reports).iter().for_each(|claims| say(claims));
        }
    }
    if args.booklet.is_wanted() {
        drop(out);
        args.booklet.save(&endings)?;
    } else if !global.json && !reports.is_empty() {
        out.lines(totals(&reports, rules))?;
    }
    Ok(status)
}

/// A study and its findings, for a booklet.
fn ending(study: &Study, report: &StudyReport, rules: RuleSet) -> Ending {
    let finding = |checked| {
        let mut explanation = explanation(checked);
        if let Some((name, (first, moves), end)) = best_line(checked) {
            let (end, moves) = (end.map_or("\u{2026}", Outcome::symbol), numbered(first, moves));
            explanation.push_str(&format!(". {name}: {} {end}", text::glued(&moves)));
        }
        Part::Finding {
            claim: text::glued(&claim_with_place(checked)),
            is_refuted: is_refuted(&checked.finding),
            word: word(&checked.finding).to_owned(),
            explanation,
        }
    };
    let mut ending = Ending::of_study(study, rules);
    ending.text.extend(shown(report).into_iter().map(finding));
    ending.text.extend(not_shown(report).into_iter().map(Part::Note));
    ending
}

/// The claims that are shown one by one, the refuted ones first.
fn shown(report: &StudyReport) -> Vec<&CheckedClaim> {
    let claims = report.claims.iter();
    let mut shown: Vec<_> = claims.filter(|c| is_refuted(&c.finding) || !is_unmarked(c)).collect();
    shown.sort_by_key(|checked| !is_refuted(&checked.finding));
    shown
}

/// How many moves are not shown one by one, and why.
fn not_shown(report: &StudyReport) -> Vec<String> {
    let unmarked = || report.claims.iter().filter(|claim| is_unmarked(claim));
    let number = |finding| number_of(finding, unmarked());
    let counted = [
        (number("confirmed"), "without a mark", "gives", "give", "nothing away"),
        (number("open"), "without a mark", "is", "are", "open"),
        (number("not in the tables"), "without a mark", "is", "are", "not in the tables"),
        (report.unplayed, "after one that is not legal", "is", "are", "not played"),
    ];
    let line = |(number, moves, one, more, what)| match number {
        0 => None,
        1 => Some(format!("1 move {moves} {one} {what}")),
        number => Some(format!("{number} moves {moves} {more} {what}")),
    };
    counted.into_iter().filter_map(line).collect()
}

/// Whether this is a legal move without a mark: only those of them that are refuted are shown.
fn is_unmarked(checked: &CheckedClaim) -> bool {
    let is_illegal = matches!(checked.finding, Finding::Refuted { truth: Truth::Illegal(_), .. });
    matches!(checked.claim, Claim::Move { mark: None, .. }) && !is_illegal
}

/// How many of these claims have the finding with this [`word`].
fn number_of<'a>(finding: &str, claims: impl Iterator<Item = &'a CheckedClaim>) -> usize {
    claims.filter(|claim| word(&claim.finding) == finding).count()
}

/// The claims of all studies.
fn all_claims(reports: &[StudyReport]) -> impl Iterator<Item = &CheckedClaim> {
    reports.iter().flat_map(|report| &report.claims)
}

/// How many claims of all studies have each finding, in words; `None` if there are no claims.
fn counted(reports: &[StudyReport]) -> Option<String> {
    let counts = FINDINGS.map(|word| (number_of(word, all_claims(reports)), word));
    let found = counts.iter().filter(|(number, _)| *number > 0);
    let counted: Vec<String> = found.map(|(number, word)| format!("{number} {word}")).collect();
    (!counted.is_empty()).then(|| format!("Claims: {}", counted.join(", ")))
}

/// What is said of all studies together.
fn totals(reports: &[StudyReport], rules: RuleSet) -> Vec<String> {
    let studies = reports.len();
    let moves: usize = reports.iter().map(|report| report.moves).sum();
    let mut lines = vec![format!(
        "{studies} {} under {rules} rules, {moves} {} played",
        if studies == 1 { "study" } else { "studies" },
        if moves == 1 { "move" } else { "moves" },
    )];
    lines.extend(counted(reports));
    let unplayed: usize = reports.iter().map(|report| report.unplayed).sum();
    if unplayed > 0 {
        lines.push(format!("{unplayed} not played, after moves that are not legal"));
    }
    // The commands that make the tables that are missing or do not cover enough columns.
    let missing = all_claims(reports).filter_map(|checked| match &checked.finding {
        Finding::NotInTables(absent) | Finding::Open { absent, .. } => {
            let (wanted, rules) = hints::missing_table(absent)?;
            Some(hints::generate_one(wanted, rules).tables().to_string())
        }
        _ => None,
    });
    let missing: BTreeSet<String> = missing.collect();
    if !missing.is_empty() {
        // A command that is broken into lines cannot be copied.
        let commands: Vec<String> = missing.into_iter().collect();
        lines.push("Tables are missing.".to_owned());
        lines.push(hint_line(&commands.join(" && ")));
    }
    lines
}

/// A study and its findings as lines, with an empty line at the end.
fn page(file: &str, study: &Study, report: &StudyReport) -> Vec<String> {
    let title = study.title.as_deref().map(text::printable);
    let title = title.map(|title| format!(": {title}")).unwrap_or_default();
    let place = format!("{}, line {}", text::printable(file), study.location.line);
    let mut lines = text::wrapped(0, &format!("{place}{title}"));
    lines.extend(text::wrapped(FINDING, &study.position.to_string()));
    lines.extend(shown(report).into_iter().flat_map(finding));
    lines.extend(not_shown(report).iter().map(|line| format!("{:FINDING$}{line}", "")));
    lines.push(String::new());
    lines
}

/// The words for findings.
const FINDINGS: [&str; 4] = ["confirmed", "refuted", "open", "not in the tables"];

/// A finding in a word.
fn word(finding: &Finding) -> &'static str {
    match finding {
        Finding::Confirmed(_) => "confirmed",
        Finding::Refuted { .. } => "refuted",
        Finding::Open { .. } => "open",
        Finding::NotInTables(_) => "not in the tables",
    }
}

fn is_refuted(finding: &Finding) -> bool {
    matches!(finding, Finding::Refuted { .. })
}

/// A finding with its explanation, as lines.
fn finding(checked: &CheckedClaim) -> Vec<String> {
    let word = word(&checked.finding);
    let word = if is_refuted(&checked.finding) { word.to_uppercase() } else { word.to_owned() };
    let place = format!("{:#}", checked.location);
    let head = format!("{:FINDING$}{place:<6} {word:<9}  ", "");
    let claim = text::glued(&text::printable(&claim_with_place(checked)));
    let body = format!("{claim}: {}", explanation(checked));
    let mut lines = text::hanging(&head, MORE, &body);
    if let Some((name, line, end)) = best_line(checked) {
        lines.extend(text::moves_in_width(
            MORE,
            &format!("{name}: "),
            line.0,
            &line.1,
            end.map_or("…", Outcome::symbol),
        ));
    }
    lines
}

/// The moves of a line as text, with the number of the first one.
type NumberedMoves = (MoveNumber, Vec<String>);

/// The line that refutes a claim, with a heading.
fn best_line(checked: &CheckedClaim) -> Option<(&'static str, NumberedMoves, Option<Outcome>)> {
    let Finding::Refuted { truth, line } = &checked.finding else { return None };
    let (number, next) = (checked.number, checked.number.next());
    let (best, known, first) = match truth {
        Truth::Illegal(_) => return None,
        Truth::Value(_) => ("Best play", "Best line known", number),
        Truth::Sound { .. } => ("Best play", "Best line known", next),
        Truth::Mistake { .. } => ("Best reply", "Best reply known", next),
        Truth::NotBest { .. } => ("Better", "Better", number),
    };
    let name = if line.is_best { best } else { known };
    let texts: Vec<String> = line.moves.iter().map(RatedMove::to_string).collect();
    (!texts.is_empty()).then_some((name, (first, texts), line.end))
}

/// A study with its findings: `study --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Study"))]
pub struct Checked<'a> {
    /// The file, or `standard input`.
    file: &'a str,
    /// The line of the file that has the position, from 1.
    line: usize,
    /// The title; `null` if there is none.
    title: Option<&'a str>,
    /// The position in list form.
    position: Position,
    /// The rule set.
    rules: RuleSet,
    /// How many moves were played.
    moves: usize,
    /// How many moves were not played because they follow an illegal move.
    unplayed: usize,
    /// How many claims are confirmed.
    confirmed: usize,
    /// How many claims are refuted.
    refuted: usize,
    /// How many claims the search has not decided.
    open: usize,
    /// How many claims no table covers, if nothing is searched.
    not_in_tables: usize,
    /// All claims in the order of the text.
    claims: Vec<Found>,
}

/// A claim of a study with its finding.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CheckedClaim"))]
struct Found {
    /// The line of the file that has the claim, from 1.
    line: usize,
    /// The character in that line at which the claim starts, from 1.
    column: usize,
    /// What is claimed: who wins the position, how the line ends, or that a move can be played and is as good as its mark
    /// says.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["verdict", "result", "move"])))]
    kind: &'static str,
    /// `1-0`, `0-1` or `1/2`, or `1-0 in 12` if so many plies are claimed; or the move with its number and mark.
    claim: String,
    /// The mark of a move; `null` if there is none.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = Mark::ALL.map(Mark::symbol))))]
    mark: Option<&'static str>,
    /// The position that the claim is about; for a move, the position before it.
    position: Position,
    /// Whether the claim holds.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = FINDINGS)))]
    finding: &'static str,
    /// The reason, in words.
    explanation: String,
    /// Who wins, for the side to move, or for the side that makes the move; `null` if that is not known.
    wdl: Option<Wdl>,
    /// The exact distance that goes with it, in plies; `null` for a draw, or if it is not known.
    dtw: Option<u16>,
    /// The plies that a win or a loss takes at most; `null` for a draw, or if that is not known.
    at_most: Option<u16>,
    /// The plies that a win or a loss takes at least; `null` for a draw, or if it is not known who wins.
    at_least: Option<u16>,
    /// How a move compares with the others; `null` if the claim is not a move, or this is not known.
    standing: Option<Standing>,
    /// If the move gives something away, the moves that do not. If a move marked as good is not the best, the moves that
    /// win sooner or lose later.
    better: Vec<String>,
    /// The line of best play that refutes the claim. It starts from the position, or from the reply to a move that gives
    /// something away or is marked as if it did.
    best_line: Vec<String>,
    /// How that line ends: who wins, or `repetition`, which is a draw; `null` if there is none.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = crate::json::line_ends())))]
    line_end: Option<&'static str>,
}

impl<'a> Checked<'a> {
    fn new(file: &'a str, study: &'a Study, report: &StudyReport, rules: RuleSet) -> Checked<'a> {
        let number = |finding| number_of(finding, report.claims.iter());
        Checked {
            file,
            line: study.location.line,
            title: study.title.as_deref(),
            position: study.position,
            rules,
            moves: report.moves,
            unplayed: report.unplayed,
            confirmed: number("confirmed"),
            refuted: number("refuted"),
            open: number("open"),
            not_in_tables: number("not in the tables"),
            claims: report.claims.iter().map(Found::new).collect(),
        }
    }
}

impl Found {
    fn new(checked: &CheckedClaim) -> Found {
        let given_away = Some(Standing::GivesAway);
        let (value, standing, better): (_, _, &[RatedMove]) = match &checked.finding {
            Finding::Confirmed(truth) | Finding::Refuted { truth, .. } => match truth {
                Truth::Illegal(_) => (None, None, &[]),
                Truth::Value(value) => (Some(*value), None, &[]),
                Truth::Sound { standing, value, .. } => (Some(*value), *standing, &[]),
                Truth::Mistake { value, better, .. } => (Some(*value), given_away, better),
                Truth::NotBest { value, better } => (Some(*value), Some(Standing::Keeps), better),
            },
            Finding::Open { position, played, .. } => {
                (Some(played.unwrap_or(*position)), None, &[])
            }
            Finding::NotInTables(_) => (None, None, &[]),
        };
        let (kind, mark) = match checked.claim {
            Claim::Verdict(_) => ("verdict", None),
            Claim::Result { .. } => ("result", None),
            Claim::Move { mark, .. } => ("move", mark),
        };
        let (best_line, end) = match best_line(checked) {
            Some((_, (_, texts), end)) => (texts, end),
            None => (Vec::new(), None),
        };
        Found {
            line: checked.location.line,
            column: checked.location.character,
            kind,
            claim: claim_text(checked),
            mark: mark.map(Mark::symbol),
            position: checked.position,
            finding: word(&checked.finding),
            explanation: explanation(checked),
            wdl: value.and_then(ValueRange::wdl),
            dtw: value.and_then(ValueRange::exact).and_then(Value::dtw),
            at_most: value.and_then(ValueRange::at_most),
            at_least: value.and_then(ValueRange::shortest).and_then(Value::dtw),
            standing,
            better: better.iter().map(RatedMove::to_string).collect(),
            best_line,
            line_end: end.map(line_end),
        }
    }
}
