//! Checking the claims of a study against tables, or by search.

use super::finding::{CheckedClaim, Claim, Finding, StudyReport, Truth};
use super::judge::{Judge, Judged, Precision};
use super::{ClaimedOutcome, Mark, Study, StudyMove};
use crate::answer::SearchLimits;
use lasca_tablebase::internals::excerpt;
use lasca_tablebase::notation::{MoveNumber, move_text, parse_move};
use lasca_tablebase::probe::{Line, ProbeError, RatedMove, Standing, Tablebase};
use lasca_tablebase::rules::{Color, Move, Position, TooManyMoves};
use lasca_tablebase::{Outcome, Reason, Value, ValueRange, Wdl};
use std::cmp::Reverse;

/// Plays every move of a study under the rules and checks every claim, by the tables if there are any.
///
/// With a `search`, positions that the tables do not cover are searched. A claim that the limits do not
/// allow to decide is reported as [`Finding::Open`], with what is proved. With one thread, and time
/// enough, the same study gives the same report. Without a search, a missing table, or one without
/// distances, is no error: the claims that need it are reported as [`Finding::NotInTables`].
///
/// # Errors
/// If a table is damaged or cannot be read, or the tables contradict themselves; if the memory of the
/// search is too little to begin with; or if a position has [too many](lasca_tablebase::rules::MOST_MOVES) moves.
///
/// ```
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use lasca_analysis::answer::SearchLimits;
/// use lasca_tablebase::probe::{Standing, Tablebase};
/// use lasca_tablebase::rules::RuleSet;
/// use lasca_analysis::study::{Finding, Truth, check, parse};
///
/// let studies = parse("c3W d4B c5B e5W w wins 1. c3-b4!")?;
/// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
/// let report = check(&studies[0], &tables, None)?;
/// let Finding::Confirmed(Truth::Sound { standing, .. }) = report.claims[1].finding else {
///     panic!("{report:?}");
/// };
/// assert_eq!(standing, Some(Standing::Best));
///
/// let studies = parse("a1B b2w b4wwb, White to move wins 1. b2-c3")?;
/// let search = SearchLimits { memory: 1 << 24, ..SearchLimits::default() };
/// let report = check(&studies[0], RuleSet::Lasca, Some(search))?;
/// assert!(report.claims.iter().all(|claim| !matches!(claim.finding, Finding::Open { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(
    study: &Study,
    tables: impl Into<Tablebase>,
    search: Option<SearchLimits>,
) -> Result<StudyReport, ProbeError> {
    let judge = Judge::new(tables.into(), search);
    let mut checker = Checker { judge, report: StudyReport::default() };
    if let Some(verdict) = study.verdict {
        let first = MoveNumber::first(study.position.side_to_move());
        let number = study.moves.first().map_or(first, |written| written.number);
        checker.check_outcome(verdict, &study.position, number, Claim::Verdict(verdict))?;
    }
    checker.check_line(&study.moves, Some(study.position))?;
    Ok(checker.report)
}

/// How good a move is claimed to be.
#[derive(Clone, Copy)]
enum ClaimedQuality {
    /// No other move is better.
    Best,
    /// The move keeps the result.
    Sound,
    /// The move gives away a half point or a whole one.
    Mistake,
}

impl ClaimedQuality {
    /// What a mark claims, or the lack of one; `None` if it claims nothing.
    fn by(mark: Option<Mark>) -> Option<ClaimedQuality> {
        match mark {
            Some(Mark::Good | Mark::Excellent) => Some(ClaimedQuality::Best),
            None => Some(ClaimedQuality::Sound),
            Some(Mark::Bad | Mark::Blunder) => Some(ClaimedQuality::Mistake),
            Some(Mark::Interesting | Mark::Dubious) => None,
        }
    }
}

struct Checker<'a> {
    judge: Judge<'a>,
    report: StudyReport,
}

impl Checker<'_> {
    /// Checks a line that starts in this position; without one, its moves are only counted.
    fn check_line(
        &mut self,
        moves: &[StudyMove],
        mut at: Option<Position>,
    ) -> Result<(), ProbeError> {
        for written in moves {
            let before = at;
            at = None;
            if let Some(before) = &before {
                if let Some((played, after)) = self.check_move(written, before)? {
                    at = Some(after);
                    for &claimed in &written.results {
                        let number = written.number;
                        let to = number.before(&move_text(&played, &after), true);
                        let claim = Claim::Result { claimed, after: to };
                        self.check_outcome(claimed, &after, number.next(), claim)?;
                    }
                }
            } else {
                self.report.unplayed += 1;
            }
            for variation in &written.variations {
                self.check_line(&variation.moves, variation.start.of(before, at))?;
            }
        }
        Ok(())
    }

    /// Plays a move and checks its mark; `None` if it is not legal.
    fn check_move(
        &mut self,
        written: &StudyMove,
        before: &Position,
    ) -> Result<Option<(Move, Position)>, ProbeError> {
        let checked = |text: String, finding| {
            let &StudyMove { location, number, mark, .. } = written;
            let claim = Claim::Move { text, mark };
            CheckedClaim { location, position: *before, number, claim, finding }
        };
        let (played, after) = match parse_move(&written.text, before, self.judge.rules()) {
            Ok(legal) => legal,
            // Then it is not known whether the move is legal.
            Err(error) if error.reason() == Reason::TooManyMoves => {
                return Err(TooManyMoves { position: Box::new(*before) }.into());
            }
            Err(error) => {
                let truth = Truth::Illegal(error);
                let finding = Finding::Refuted { truth, line: Line::default() };
                self.report.claims.push(checked(excerpt(&written.text), finding));
                return Ok(None);
            }
        };
        self.report.moves += 1;
        let Some(quality) = ClaimedQuality::by(written.mark) else {
            return Ok(Some((played, after)));
        };
        self.judge.begin_claim();
        // What the mark of a move says may rest on distances.
        let precision = match written.mark {
            Some(_) => Precision::Exact,
            None => Precision::Result,
        };
        let mut finding = self.finding_of(before, &played, quality, precision)?;
        if matches!(finding, Finding::Refuted { .. }) && precision < Precision::Exact {
            finding = self.finding_of(before, &played, quality, Precision::Exact)?;
        }
        self.report.claims.push(checked(move_text(&played, &after), finding));
        Ok(Some((played, after)))
    }

    /// Whether a move is as good as claimed.
    fn finding_of(
        &mut self,
        before: &Position,
        played: &Move,
        quality: ClaimedQuality,
        precision: Precision,
    ) -> Result<Finding, ProbeError> {
        let (Judged { range, absent }, moves) = self.compare(before, played, precision)?;
        let Some(number) = moves.iter().position(|judged| judged.played == *played) else {
            unreachable!("the move is legal")
        };
        let (value, after) = (moves[number].value, moves[number].after);
        let best_possible = moves.iter().map(|judged| judged.value.worst()).max();
        let keeping = |moves: Vec<RatedMove>| {
            let least = range.worst().wdl();
            moves.into_iter().filter(|judged| judged.value.worst().wdl() >= least).collect()
        };
        let outdoing = |moves: Vec<RatedMove>| {
            moves.into_iter().filter(|judged| judged.value.worst() > value.best()).collect()
        };
        let values: Vec<ValueRange> = moves.iter().map(|judged| judged.value).collect();
        let standing = Standing::of(&values, number);
        let is_mistake = range.worst().wdl() > value.best().wdl();
        let is_sound = value.worst().wdl() >= range.best().wdl();
        let is_outdone = best_possible > Some(value.best());
        let is_best = value.worst().wdl() == Wdl::Draw
            || moves
                .iter()
                .all(|judged| judged.played == *played || judged.value.best() <= value.worst());
        let mistake = |moves| Truth::Mistake { before: range, value, better: keeping(moves) };
        let sound = |moves| Truth::Sound { before: range, standing, value, moves };
        Ok(match quality {
            ClaimedQuality::Mistake if is_mistake => Finding::Confirmed(mistake(moves)),
            ClaimedQuality::Best | ClaimedQuality::Sound if is_mistake => {
                Finding::Refuted { truth: mistake(moves), line: self.judge.line(&after)? }
            }
            ClaimedQuality::Mistake if is_sound => {
                Finding::Refuted { truth: sound(moves), line: self.judge.line(&after)? }
            }
            ClaimedQuality::Best if is_sound && is_outdone => {
                let truth = Truth::NotBest { value, better: outdoing(moves) };
                Finding::Refuted { truth, line: self.judge.line(before)? }
            }
            ClaimedQuality::Sound if is_sound => Finding::Confirmed(sound(moves)),
            ClaimedQuality::Best if is_sound && is_best => Finding::Confirmed(sound(moves)),
            _ => self.undecided(absent, before, range, Some(value)),
        })
    }

    /// What a position and all its moves are worth, best first. The one that is `played` is looked at first.
    fn compare(
        &mut self,
        before: &Position,
        played: &Move,
        precision: Precision,
    ) -> Result<(Judged, Vec<RatedMove>), ProbeError> {
        let mut successors = before.successors(self.judge.rules())?;
        let mut left = successors.len() + 1;
        // The move itself has its turn first. The sort keeps the order of the others.
        successors.sort_by_key(|(other, _)| other != played);
        let Judged { mut range, mut absent } = self.judge.judge(before, Precision::Result, left)?;
        let mut moves = Vec::new();
        let mut of_moves: Option<ValueRange> = None;
        for (other, to) in successors {
            left -= 1;
            let judged = self.judge.judge(&to, precision, left)?;
            absent = absent.or(judged.absent);
            let of_move = judged.range.before_move();
            of_moves = Some(of_moves.map_or(of_move, |range| range.or(of_move)));
            moves.push(RatedMove { played: other, after: to, value: of_move });
        }
        if let Some(of_moves) = of_moves {
            range = of_moves.and(range);
        }
        // Best first; of equal moves, the first by its squares.
        moves.sort_by(|a, b| {
            let key = |judged: &RatedMove| Reverse((judged.value.worst(), judged.value.best()));
            key(a).cmp(&key(b)).then_with(|| a.played.cmp(&b.played))
        });
        Ok((Judged { range, absent }, moves))
    }

    /// Checks a verdict or a result of a position.
    fn check_outcome(
        &mut self,
        claimed: ClaimedOutcome,
        position: &Position,
        number: MoveNumber,
        claim: Claim,
    ) -> Result<(), ProbeError> {
        self.judge.begin_claim();
        let Judged { range, absent } = self.judge.judge(position, Precision::Exact, 1)?;
        let side = position.side_to_move();
        let is_result = range.wdl().map(|wdl| Outcome::of(wdl, side) == claimed.outcome);
        // Whether it lasts as long as is claimed; `None` if that is not known.
        let is_length = match claimed.value(side) {
            None => Some(true),
            Some(value) if range == value => Some(true),
            Some(value) if !(range.worst()..=range.best()).contains(&value) => Some(false),
            Some(_) => None,
        };
        let is_right = match (is_result, is_length) {
            (Some(result), Some(length)) => Some(result && length),
            (Some(false), _) | (_, Some(false)) => Some(false),
            (None, _) if !is_possible(claimed.outcome, range, side) => Some(false),
            _ => None,
        };
        // A line shows who wins, and how long it takes at most, but not that it takes as long.
        let is_shown = range.exact().is_some()
            || is_result == Some(false)
            || !is_possible(claimed.outcome, range, side)
            || range.at_most().is_some_and(|most| claimed.plies > Some(most));
        let finding = match is_right {
            Some(true) => Finding::Confirmed(Truth::Value(range)),
            Some(false) => {
                let line = if is_shown { self.judge.line(position)? } else { Line::default() };
                Finding::Refuted { truth: Truth::Value(range), line }
            }
            None => self.undecided(absent, position, range, None),
        };
        let (location, position) = (claimed.location, *position);
        self.report.claims.push(CheckedClaim { location, position, number, claim, finding });
        Ok(())
    }

    /// The finding for a claim that is neither confirmed nor refuted.
    fn undecided(
        &self,
        absent: Option<ProbeError>,
        position: &Position,
        range: ValueRange,
        played: Option<ValueRange>,
    ) -> Finding {
        // What the tables know they know exactly, so that a claim is open without a reason only if
        // they contradict themselves.
        let absent =
            absent.unwrap_or_else(|| ProbeError::Inconsistent { position: Box::new(*position) });
        match self.judge.search {
            Some(_) => Finding::Open { absent, position: range, played },
            None => Finding::NotInTables(absent),
        }
    }
}

impl ClaimedOutcome {
    /// The value that is claimed for the side to move; `None` if no length is claimed.
    fn value(self, side_to_move: Color) -> Option<Value> {
        let plies = self.plies?;
        Some(match self.outcome {
            Outcome::Draw => Value::Draw,
            Outcome::Win(winner) if winner == side_to_move => Value::Win(plies),
            Outcome::Win(_) => Value::Loss(plies),
        })
    }
}

/// Whether this outcome is not excluded.
fn is_possible(outcome: Outcome, range: ValueRange, side_to_move: Color) -> bool {
    match outcome {
        Outcome::Win(side) => !range.excluded(side_to_move)[side],
        Outcome::Draw => range.worst().wdl() <= Wdl::Draw && range.best().wdl() >= Wdl::Draw,
    }
}
