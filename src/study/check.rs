//! Checking the claims of a study against tables.

use super::error::Location;
use super::{ClaimedOutcome, Mark, Outcome, Study, StudyMove, VariationStart};
use crate::notation::{MoveNumber, ParseMoveError, excerpt, move_text, parse_move};
use crate::probe::{Line, LineEnd, ProbeError, RatedMove, Standing, Tablebase};
use crate::rules::{Color, Position};
use crate::{Value, Wdl};

/// What checking a study found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StudyReport {
    /// How many moves could be played.
    pub moves: usize,
    /// How many moves could not be played, because a move before them is not legal.
    pub unplayed: usize,
    /// All claims, in the order of the text.
    pub claims: Vec<CheckedClaim>,
}

/// A claim, and what the tables say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckedClaim {
    /// Where the claim stands in the text.
    pub location: Location,
    /// The position that the claim is about. For a move it is the position before the move.
    pub position: Position,
    /// The number of the move to be made in that position. For a move it is its own number.
    pub number: MoveNumber,
    /// The claim.
    pub claim: Claim,
    /// What the tables say about it.
    pub finding: Finding,
}

/// A claim of a study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The verdict on the position at the start of the study.
    Verdict(Outcome),
    /// The result of a line.
    Result(Outcome),
    /// What the mark of a move says, or what it means that the move has none. Every move also claims to
    /// be legal.
    Move {
        /// The move as [`move_text`] prints it. If it is not legal, the text of the study, shortened.
        text: String,
        /// The mark of the move.
        mark: Option<Mark>,
    },
}

/// What the tables say about a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The claim is right.
    Confirmed(Confirmation),
    /// The claim is wrong.
    Refuted(Refutation),
    /// The tables do not cover the position, for this reason.
    NotInTables(ProbeError),
}

/// Why a claim is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirmation {
    /// The verdict or result is right. This is the value of the position.
    Value(Value),
    /// The move keeps the result.
    Sound {
        /// How the move compares with the other moves.
        standing: Standing,
        /// The value of the move for the side that makes it.
        value: Value,
        /// All moves, best first.
        moves: Vec<RatedMove>,
    },
    /// The move gives away a half point or a whole one.
    Mistake {
        /// The value of the position before the move.
        before: Value,
        /// The value of the move for the side that makes it.
        value: Value,
        /// The moves that keep the result, best first.
        better: Vec<RatedMove>,
    },
}

/// Why a claim is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refutation {
    /// The move is not legal, or it leads to other columns than those in the text.
    Illegal(ParseMoveError),
    /// The verdict or result is wrong.
    Value {
        /// The value of the position.
        value: Value,
        /// Best play from that position.
        line: Line,
    },
    /// The move gives away a half point or a whole one.
    Mistake {
        /// The value of the position before the move.
        before: Value,
        /// The value of the move for the side that makes it.
        value: Value,
        /// The moves that keep the result, best first.
        better: Vec<RatedMove>,
        /// Best play after the move, beginning with the best reply.
        line: Line,
    },
    /// The move is marked as good and keeps the result, but another move wins sooner or loses later.
    NotBest {
        /// The value of the move for the side that makes it.
        value: Value,
        /// The moves that win sooner or lose later, best first.
        better: Vec<RatedMove>,
        /// Best play instead of the move, beginning with the best move.
        line: Line,
    },
    /// The move is marked as a mistake, but it keeps the result.
    Sound {
        /// The value of the position before the move.
        before: Value,
        /// How the move compares with the other moves.
        standing: Standing,
        /// The value of the move for the side that makes it.
        value: Value,
        /// Best play after the move, beginning with the best reply.
        line: Line,
    },
}

/// Plays every move of a study under the rules of the tables and checks every claim. The
/// [module](crate::study#the-claims) describes what counts as a claim.
///
/// # Errors
/// If a table is damaged or cannot be read, or the tables contradict themselves. A missing table is no
/// error: the claims that need it are reported as [`Finding::NotInTables`].
///
/// ```
/// use lasca_tablebase::probe::{Standing, Tablebase};
/// use lasca_tablebase::rules::RuleSet;
/// use lasca_tablebase::study::{Confirmation, Finding, check, parse};
///
/// let studies = parse("c3W d4B c5B e5W w wins 1. c3-b4!")?;
/// let tables = Tablebase::open(&["tables"], RuleSet::Lasca)?;
/// let report = check(&studies[0], &tables)?;
/// let Finding::Confirmed(Confirmation::Sound { standing, .. }) = report.claims[1].finding else {
///     panic!("{report:?}");
/// };
/// assert_eq!(standing, Standing::Best);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(study: &Study, tables: &Tablebase) -> Result<StudyReport, ProbeError> {
    let mut checker = Checker { tables, report: StudyReport::default() };
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
    tables: &'a Tablebase,
    report: StudyReport,
}

impl Checker<'_> {
    fn check_line(&mut self, moves: &[StudyMove], start: Position) -> Result<(), ProbeError> {
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
    ) -> Result<Option<Position>, ProbeError> {
        let checked = |text: String, finding| {
            let &StudyMove { location, number, mark, .. } = written;
            let claim = Claim::Move { text, mark };
            CheckedClaim { location, position: *before, number, claim, finding }
        };
        let (played, after) = match parse_move(&written.text, before, self.tables.rules()) {
            Ok(legal) => legal,
            Err(error) => {
                let finding = Finding::Refuted(Refutation::Illegal(error));
                self.report.claims.push(checked(excerpt(&written.text), finding));
                return Ok(None);
            }
        };
        self.report.moves += 1;
        let Some(quality) = ClaimedQuality::by(written.mark) else { return Ok(Some(after)) };
        let finding = or_not_in_tables(self.tables.moves(before).and_then(|moves| {
            let Some(rated) = moves.iter().find(|rated| rated.played == played).cloned() else {
                return Err(ProbeError::Inconsistent { position: Box::new(*before) });
            };
            self.finding_of(before, &rated, moves, quality)
        }))?;
        self.report.claims.push(checked(move_text(&played, &after), finding));
        Ok(Some(after))
    }

    /// Whether a move is as good as claimed. `moves` are all moves of its position, best first.
    fn finding_of(
        &self,
        position: &Position,
        played: &RatedMove,
        moves: Vec<RatedMove>,
        quality: ClaimedQuality,
    ) -> Result<Finding, ProbeError> {
        let value = played.value;
        let before = moves.first().map_or(value, |best| best.value);
        let standing = Standing::among(value, moves.iter().map(|rated| rated.value));
        let keeps_result = |rated: &RatedMove| rated.value.wdl() == before.wdl();
        Ok(match (standing, quality) {
            (Standing::GivesAway, ClaimedQuality::Mistake) => {
                let better = moves.into_iter().filter(keeps_result).collect();
                Finding::Confirmed(Confirmation::Mistake { before, value, better })
            }
            (Standing::GivesAway, ClaimedQuality::Best | ClaimedQuality::Sound) => {
                let better = moves.into_iter().filter(keeps_result).collect();
                let line = self.tables.best_line(&played.after)?;
                Finding::Refuted(Refutation::Mistake { before, value, better, line })
            }
            (_, ClaimedQuality::Mistake) => {
                let line = self.tables.best_line(&played.after)?;
                Finding::Refuted(Refutation::Sound { before, standing, value, line })
            }
            (Standing::Keeps, ClaimedQuality::Best) if value < before => {
                let better = moves.into_iter().take_while(|rated| rated.value > value).collect();
                let line = self.tables.best_line(position)?;
                Finding::Refuted(Refutation::NotBest { value, better, line })
            }
            (_, ClaimedQuality::Best | ClaimedQuality::Sound) => {
                Finding::Confirmed(Confirmation::Sound { standing, value, moves })
            }
        })
    }

    /// Checks a verdict or a result of a position.
    fn check_outcome(
        &mut self,
        claimed: ClaimedOutcome,
        position: &Position,
        number: MoveNumber,
        claim: fn(Outcome) -> Claim,
    ) -> Result<(), ProbeError> {
        let finding = or_not_in_tables(self.value(position).and_then(|value| {
            if Outcome::of(value, position.side_to_move()) == claimed.outcome {
                return Ok(Finding::Confirmed(Confirmation::Value(value)));
            }
            // A game that is over has no line of best play, whether it is in the tables or not.
            let line = match value {
                Value::Win(0) | Value::Loss(0) => {
                    let winner = winner(value, position.side_to_move());
                    Line { moves: Vec::new(), end: LineEnd::GameOver { winner } }
                }
                _ => self.tables.best_line(position)?,
            };
            Ok(Finding::Refuted(Refutation::Value { value, line }))
        }))?;
        let (location, claim) = (claimed.location, claim(claimed.outcome));
        let position = *position;
        self.report.claims.push(CheckedClaim { location, position, number, claim, finding });
        Ok(())
    }

    /// The value of a position. If the game is over there, no table is needed.
    fn value(&self, position: &Position) -> Result<Value, ProbeError> {
        self.tables.value(position).or_else(|error| {
            let is_over = position.successors(self.tables.rules()).is_empty();
            if is_over { Ok(Value::Loss(0)) } else { Err(error) }
        })
    }
}

fn winner(value: Value, side_to_move: Color) -> Color {
    if value.wdl() == Wdl::Win { side_to_move } else { !side_to_move }
}

/// How many moves there are, including those of variations.
fn count(moves: &[StudyMove]) -> usize {
    let of_variations = |written: &StudyMove| -> usize {
        written.variations.iter().map(|variation| count(&variation.moves)).sum()
    };
    moves.iter().map(|written| 1 + of_variations(written)).sum()
}

/// A position that the tables do not cover is a finding. Everything else that goes wrong is an error.
fn or_not_in_tables(finding: Result<Finding, ProbeError>) -> Result<Finding, ProbeError> {
    match finding {
        Err(
            absent @ (ProbeError::NotOfficers(_)
            | ProbeError::Material(_)
            | ProbeError::MissingTable { .. }
            | ProbeError::OtherRules { .. }),
        ) => Ok(Finding::NotInTables(absent)),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;
    use crate::study::parse;

    fn checked(text: &str) -> StudyReport {
        let tables = Tablebase::open(&["tables"], RuleSet::Lasca).unwrap();
        check(&parse(text).unwrap()[0], &tables).unwrap()
    }

    /// `c`, `r` or `n` for each claim: confirmed, refuted or not in the tables.
    fn findings(text: &str) -> String {
        let letter = |claim: &CheckedClaim| match claim.finding {
            Finding::Confirmed(_) => 'c',
            Finding::Refuted(_) => 'r',
            Finding::NotInTables(_) => 'n',
        };
        checked(text).claims.iter().map(letter).collect()
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
        let Finding::Refuted(Refutation::NotBest { value, better, line }) =
            &report.claims[0].finding
        else {
            panic!("{report:?}");
        };
        assert_eq!(*value, Value::Loss(8));
        let values: Vec<Value> = better.iter().map(|rated| rated.value).collect();
        assert_eq!(values, [Value::Loss(12); 2]);
        assert_eq!((&line.moves[0], line.moves.len()), (&better[0], 12));
        assert_eq!(line.end, LineEnd::GameOver { winner: Color::White });
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
        let Finding::Refuted(Refutation::Value { value: Value::Loss(6), line }) = &result.finding
        else {
            panic!("{result:?}");
        };
        assert_eq!(line.moves.len(), 6);
    }

    #[test]
    fn a_move_that_is_not_legal_ends_its_line_and_the_variations_after_it() {
        let study = "a1WWW b2BBB w 1. a1-b2BBB-c3 (1. a1-b2-c3WWWB b2-c3-d4) (1... b2-c3) b2-c3 \
                     (b2-a1) 2. c3-d4 1-0";
        let report = checked(study);
        assert_eq!((report.moves, report.unplayed), (2, 4));
        let illegal = &report.claims[0];
        assert_eq!(illegal.location.to_string(), "line 1, column 18");
        let Finding::Refuted(Refutation::Illegal(error)) = &illegal.finding else {
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
