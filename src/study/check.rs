//! Checking the claims of a study against tables, or by search.

use super::finding::{CheckedClaim, Claim, Finding, StudyReport, Truth};
use super::judge::{Judge, Judged, Precision};
use super::{ClaimedOutcome, Mark, Study, StudyMove, VariationStart};
use crate::answer::SearchLimits;
use crate::notation::{MoveNumber, excerpt, move_text, parse_move};
use crate::probe::{Basis, Line, ProbeError, RatedMove, Standing};
use crate::rules::{Color, Move, Position};
use crate::search::SearchError;
use crate::{Outcome, ValueRange, Wdl};
use std::cmp::Reverse;

/// Plays every move of a study under the rules and checks every claim, by the tables if there are any. The [module](crate::study#the-claims) describes what counts as a claim.
///
/// With a `search`, positions that the tables do not cover are searched. A claim that the limits do not
/// allow to decide is reported as [`Finding::Open`], with what is proved. With one thread, and time
/// enough, the same study gives the same report. Without a search, a missing table, or one without
/// distances, is no error: the claims that need it are reported as [`Finding::NotInTables`].
///
/// # Errors
/// If a table is damaged or cannot be read, or the tables contradict themselves; or if the memory of the
/// search is too little to begin with.
///
/// ```
/// use lasca_tablebase::answer::SearchLimits;
/// use lasca_tablebase::probe::{Standing, Tablebase};
/// use lasca_tablebase::rules::RuleSet;
/// use lasca_tablebase::search::Limits;
/// use lasca_tablebase::study::{Finding, Truth, check, parse};
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
/// let search = SearchLimits { limits: Limits::default(), memory: 1 << 24 };
/// let report = check(&studies[0], RuleSet::Lasca, Some(search))?;
/// assert!(report.claims.iter().all(|claim| !matches!(claim.finding, Finding::Open { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(
    study: &Study,
    basis: impl Into<Basis>,
    search: Option<SearchLimits>,
) -> Result<StudyReport, SearchError> {
    let judge = Judge::new(basis.into(), search);
    let mut checker = Checker { judge, report: StudyReport::default() };
    if let Some(verdict) = study.verdict {
        let first = MoveNumber::first(study.position.side_to_move());
        let number = study.moves.first().map_or(first, |written| written.number);
        checker.check_outcome(verdict, &study.position, number, Claim::Verdict)?;
    }
    checker.check_line(&study.moves, study.position)?;
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
    fn check_line(&mut self, moves: &[StudyMove], start: Position) -> Result<(), SearchError> {
        let mut at = Some(start);
        for written in moves {
            let before = at;
            at = match before {
                Some(before) => self.check_move(written, &before)?,
                None => {
                    self.report.unplayed += 1;
                    None
                }
            };
            for &result in &written.results {
                if let Some(after) = &at {
                    self.check_outcome(result, after, written.number.next(), Claim::Result)?;
                }
            }
            for variation in &written.variations {
                let from = match variation.start {
                    VariationStart::Instead => before,
                    VariationStart::After => at,
                };
                match from {
                    Some(from) => self.check_line(&variation.moves, from)?,
                    None => self.report.unplayed += count(&variation.moves),
                }
            }
        }
        Ok(())
    }

    /// Plays a move and checks its mark; `None` if it is not legal.
    fn check_move(
        &mut self,
        written: &StudyMove,
        before: &Position,
    ) -> Result<Option<Position>, SearchError> {
        let checked = |text: String, finding| {
            let &StudyMove { location, number, mark, .. } = written;
            let claim = Claim::Move { text, mark };
            CheckedClaim { location, position: *before, number, claim, finding }
        };
        let (played, after) = match parse_move(&written.text, before, self.judge.rules()) {
            Ok(legal) => legal,
            Err(error) => {
                let truth = Truth::Illegal(error);
                let finding = Finding::Refuted { truth, line: Line::default() };
                self.report.claims.push(checked(excerpt(&written.text), finding));
                return Ok(None);
            }
        };
        self.report.moves += 1;
        let Some(quality) = ClaimedQuality::by(written.mark) else { return Ok(Some(after)) };
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
        Ok(Some(after))
    }

    /// Whether a move is as good as claimed.
    fn finding_of(
        &mut self,
        before: &Position,
        played: &Move,
        quality: ClaimedQuality,
        precision: Precision,
    ) -> Result<Finding, SearchError> {
        let compared = self.compare(before, played, precision)?;
        let Compared { range, absent, moves } = compared;
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

    /// What all moves of a position are worth. The one that is `played` is looked at first.
    fn compare(
        &mut self,
        before: &Position,
        played: &Move,
        precision: Precision,
    ) -> Result<Compared, SearchError> {
        let mut successors = before.successors(self.judge.rules());
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
        Ok(Compared { range, absent, moves })
    }

    /// Checks a verdict or a result of a position.
    fn check_outcome(
        &mut self,
        claimed: ClaimedOutcome,
        position: &Position,
        number: MoveNumber,
        claim: fn(Outcome) -> Claim,
    ) -> Result<(), SearchError> {
        self.judge.begin_claim();
        let Judged { range, absent } = self.judge.judge(position, Precision::Exact, 1)?;
        let side = position.side_to_move();
        let finding = match range.wdl() {
            Some(wdl) if Outcome::of(wdl, side) == claimed.outcome => {
                Finding::Confirmed(Truth::Value(range))
            }
            None if is_possible(claimed.outcome, range, side) => {
                self.undecided(absent, position, range, None)
            }
            _ => Finding::Refuted { truth: Truth::Value(range), line: self.judge.line(position)? },
        };
        let (location, claim) = (claimed.location, claim(claimed.outcome));
        let position = *position;
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
        match self.judge.searches() {
            true => Finding::Open { absent, position: range, played },
            false => Finding::NotInTables(absent),
        }
    }
}

/// The moves of a position.
struct Compared {
    /// What the position is worth to its side to move.
    range: ValueRange,
    /// Why the tables do not cover one of the positions, if they do not.
    absent: Option<ProbeError>,
    /// All moves, best first.
    moves: Vec<RatedMove>,
}

/// Whether this outcome is not excluded.
fn is_possible(outcome: Outcome, range: ValueRange, side_to_move: Color) -> bool {
    match outcome {
        Outcome::Win(side) => !range.excluded(side_to_move)[side],
        Outcome::Draw => range.worst().wdl() <= Wdl::Draw && range.best().wdl() >= Wdl::Draw,
    }
}

/// How many moves there are, including those of variations.
fn count(moves: &[StudyMove]) -> usize {
    let of_variations = |written: &StudyMove| -> usize {
        written.variations.iter().map(|variation| count(&variation.moves)).sum()
    };
    moves.iter().map(|written| 1 + of_variations(written)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use crate::probe::Tablebase;
    use crate::rules::RuleSet;
    use crate::search::Limits;
    use crate::study::parse;

    fn checked(text: &str) -> StudyReport {
        let tables = Tablebase::open("tables", RuleSet::Lasca).unwrap();
        check(&parse(text).unwrap()[0], &tables, None).unwrap()
    }

    /// `c`, `r` or `n` for each claim: confirmed, refuted or not in the tables.
    fn findings(text: &str) -> String {
        checked(text).claims.iter().map(letter).collect()
    }

    fn letter(claim: &CheckedClaim) -> char {
        match claim.finding {
            Finding::Confirmed(_) => 'c',
            Finding::Refuted { .. } => 'r',
            Finding::NotInTables(_) => 'n',
            Finding::Open { .. } => 'o',
        }
    }

    #[test]
    fn a_search_finds_the_same_as_the_tables() {
        let search = SearchLimits { limits: Limits::default(), memory: 1 << 26 };
        for (position, played) in [
            ("c3W d4B c5B e5W w", ["c3-b4", "c3-d2", "c3-b2", "e5-d6"]),
            ("c3W e3W c5B w", ["c3-b4", "c3-d4", "e3-f4", "c3-b2"]),
        ] {
            let mut text = format!("{position} wins 1. {}", played[0]);
            for played in played {
                for mark in ["", "!", "?"] {
                    text += &format!(" (1. {played}{mark} 1-0 0-1 1/2)");
                }
            }
            let study = &parse(&text).unwrap()[0];
            let searched = check(study, RuleSet::Lasca, Some(search)).unwrap();
            let tables = checked(&text);
            assert_eq!((searched.moves, searched.claims.len()), (13, 50));
            for (searched, tables) in searched.claims.iter().zip(&tables.claims) {
                assert_eq!(searched.claim, tables.claim, "{position}");
                let found = (letter(searched), letter(tables));
                assert!(found.0 == found.1 && "cr".contains(found.0), "{position}: {searched:?}");
                // Outcomes and marked moves have exact distances, and so have refutations.
                let is_rough = matches!(searched.claim, Claim::Move { mark: None, .. });
                if !is_rough || found.0 == 'r' {
                    let (searched, tables) = (&searched.finding, &tables.finding);
                    assert_eq!(value(searched), value(tables), "{position}");
                }
            }
        }
    }

    fn value(finding: &Finding) -> Option<ValueRange> {
        match finding {
            Finding::Confirmed(truth) | Finding::Refuted { truth, .. } => match truth {
                Truth::Illegal(_) => None,
                Truth::Value(value)
                | Truth::Sound { value, .. }
                | Truth::Mistake { value, .. }
                | Truth::NotBest { value, .. } => Some(*value),
            },
            _ => None,
        }
    }

    #[test]
    fn a_verdict_must_be_the_value_neither_better_nor_worse() {
        let fork = |claim: &str| findings(&format!("c3W e5W c5B e3B, Black to move {claim}"));
        for right in ["loses", "lost", "is lost", "White wins", "1-0", "+-", "white wins."] {
            assert_eq!(fork(right), "c", "{right}");
        }
        for wrong in ["wins", "can draw", "White loses", "0-1", "-+", "=", "1/2", "½"] {
            assert_eq!(fork(wrong), "r", "{wrong}");
        }
        assert_eq!(fork(""), "");
    }

    #[test]
    fn marks_are_confirmed_by_what_the_move_keeps_or_gives_away() {
        // White to move; c3-b4 and e5-d6 win in 7, c3-d2 loses.
        let marked = |played: &str| findings(&format!("c3W d4B c5B e5W w {played}"));
        for (right, wrong) in [("c3-b4", "c3-d2"), ("c3-b4!", "c3-d2!"), ("c3-b4!!", "c3-d2 !!")] {
            assert_eq!((marked(right), marked(wrong)), ("c".into(), "r".into()), "{right}");
        }
        for (right, wrong) in [("c3-d2?", "c3-b4?"), ("c3-d2??", "c3-b4 ??")] {
            assert_eq!((marked(right), marked(wrong)), ("c".into(), "r".into()), "{right}");
        }
        for nothing in ["c3-b4!?", "c3-b4?!", "c3-d2!?", "c3-d2?!"] {
            assert_eq!(marked(nothing), "", "{nothing}");
        }
    }

    #[test]
    fn a_move_marked_as_good_must_be_as_good_as_the_best_while_others_need_only_keep_the_result() {
        // White wins in 5 by e3-f2, in 15 by e3-d2; Black loses in 12 after e3-f2 and after c5-b6,
        // in 8 after any other move.
        let (wins, loses) = ("e3W g5W f4B g3B w", "c3W e5W c5B e3B b");
        for (position, best, worse) in [(wins, "e3-f2", "e3-d2"), (loses, "c5-b6", "e3-d4")] {
            let marked = |played: &str| findings(&format!("{position} {played}"));
            for mark in ["!", "!!"] {
                assert_eq!(marked(&format!("{best}{mark}")), "c", "{best}{mark}");
                assert_eq!(marked(&format!("{worse}{mark}")), "r", "{worse}{mark}");
            }
            assert_eq!(marked(worse), "c", "{worse}");
            for nothing in ["!?", "?!"] {
                assert_eq!(marked(&format!("{worse}{nothing}")), "", "{worse}{nothing}");
            }
        }
        // Four moves draw, and none of them is better than the others.
        for drawing in ["e3-f2", "e3-f4", "e5-f4", "e5-f6"] {
            assert_eq!(findings(&format!("c3W e3B c5W e5B b {drawing}!")), "c", "{drawing}");
        }
        // All that Black can do, and so the best.
        assert_eq!(findings("a1W b2BB w a1-b2-c3!"), "c");
    }

    #[test]
    fn a_move_that_is_not_the_best_is_refuted_by_the_better_ones_and_the_line_of_the_best() {
        let report = checked("c3W e5W c5B e3B b 1... e3-d4!");
        let Finding::Refuted { truth: Truth::NotBest { value, better }, line } =
            &report.claims[0].finding
        else {
            panic!("{report:?}");
        };
        assert_eq!(*value, Value::Loss(8));
        let values: Vec<ValueRange> = better.iter().map(|judged| judged.value).collect();
        assert_eq!(values, [Value::Loss(12); 2]);
        assert_eq!((&line.moves[0].played, line.moves.len()), (&better[0].played, 12));
        assert_eq!(line.end, Some(Outcome::Win(Color::White)));
    }

    #[test]
    fn variations_start_before_or_after_the_move_that_they_follow() {
        let study = "c3W e5W c5B e3B b 1... e3-d4 (1... e3-f2 2. e5-d6) (2. c3-b4 d4-e5-f6)
            [c5-b6] 2. e5-d6 0-1";
        let report = checked(study);
        assert_eq!(report.moves, 7);
        let result = report.claims.last().unwrap();
        assert_eq!(result.claim, Claim::Result(Outcome::Win(Color::Black)));
        assert_eq!(result.position.to_string(), "c3W d4B c5B d6W b");
        assert_eq!(result.number.to_string(), "2...");
        let Finding::Refuted { truth: Truth::Value(value), line } = &result.finding else {
            panic!("{result:?}");
        };
        assert_eq!((value.exact(), line.moves.len()), (Some(Value::Loss(6)), 6));
    }

    #[test]
    fn a_move_that_is_not_legal_ends_its_line_and_the_variations_after_it() {
        let study = "a1WWW b2BBB w 1. a1-b2BBB-c3 (1. a1-b2-c3WWWB b2-c3-d4) (1... b2-c3) b2-c3 \
                     (b2-a1) 2. c3-d4 1-0";
        let report = checked(study);
        assert_eq!((report.moves, report.unplayed), (2, 4));
        let illegal = &report.claims[0];
        assert_eq!(illegal.location.to_string(), "line 1, column 18");
        let Finding::Refuted { truth: Truth::Illegal(error), .. } = &illegal.finding else {
            panic!("{illegal:?}");
        };
        assert!(error.to_string().contains("expected b2BB, the column that arises"), "{error}");
    }

    #[test]
    fn a_position_without_a_table_is_reported_and_a_game_that_is_over_needs_none() {
        assert_eq!(findings("a1w c3b w draws 1. a1-b2? 0-1"), "nnn");
        assert_eq!(findings("a1WWWWWWW g7BBBBBBB w wins"), "n");
        assert_eq!(findings("a1WWWWWW g7BBBBBB w wins"), "n");
        // A white soldier that is blocked.
        assert_eq!(findings("a5w b6b c7b w loses"), "c");
        assert_eq!(findings("a5w b6b c7b w wins"), "r");
        assert_eq!(findings("a1Wb w wins"), "c");
    }
}
