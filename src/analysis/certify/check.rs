//! Checks certificates. `docs/CERTIFICATE.md` describes their text, and says why it proves something.

use super::strategy::{PackedMove, to_first_image};
use super::{Certificate, Strategy, StrategyMove};
use lasca_tablebase::rules::{Color, Move, Position, RuleSet, Square};
use lasca_tablebase::{Outcome, Value, ValueRange};
use std::collections::HashMap;
use std::fmt::Display;
use std::ops::ControlFlow;
use std::str;

/// Why a text is no certificate that proves what it says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// It is not written as a certificate is, or proves nothing.
    #[error("line {line}: expected {expected}, found {found:?}")]
    Rejected {
        /// The number of the first line that shows this.
        line: usize,
        /// What was expected of the line.
        expected: String,
        /// The line.
        found: String,
    },
}

impl Certificate {
    /// Reads the text of a certificate, and checks it: what this returns is proved. It needs no tables. Every move
    /// is made by the rules of this crate; `tools/check_certificate.py` shares nothing with it.
    ///
    /// A win or a loss is one in so many plies at most. The strategies have the order of the text.
    ///
    /// ```
    /// use lasca_analysis::certify::Certificate;
    /// use lasca_tablebase::rules::Color;
    /// let text = "lasca-certificate 1\n\
    ///     rules lasca\n\
    ///     position a1WWW b2BBB w\n\
    ///     verdict white wins in 5\n\
    ///     strategy white 3\n\
    ///     a1WWW b2BBB w: a1-b2-c3 5\n\
    ///     c3WWB d4BBW w: c3-d4-e5 3\n\
    ///     b2BWW c3WBB w: c3-b2-a1 1\n\
    ///     end\n";
    /// let certificate = Certificate::read_text(text)?;
    /// assert_eq!(certificate.value().to_string(), "win in at most 5");
    /// assert_eq!(certificate.strategies()[0].side(), Color::White);
    /// let error = Certificate::read_text(&text.replace("d4-e5 3", "d4-e5 4")).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "line 6: expected a line for c3WWB d4BBW w, to which a reply leads, with fewer plies, found \
    ///      \"a1WWW b2BBB w: a1-b2-c3 5\""
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If it is none, or proves nothing; or if there is too little memory.
    pub fn read_text(text: &str) -> Result<Certificate, CheckError> {
        let mut lines = Lines { rest: text.split_inclusive('\n'), line: "", number: 0 };
        let version = lines.field("lasca-certificate")?;
        if !["1", "2"].contains(&version) {
            return Err(lines.wrong("version 1 or 2"));
        }
        let rules = lines.field("rules")?;
        let rules: RuleSet = rules.parse().map_err(|error| lines.wrong(error))?;
        let position = lines.field("position")?;
        let position = lines.position(position)?;
        let verdict = lines.field("verdict")?;
        let won = match verdict.split_once(" wins in ") {
            _ if verdict == "draw" => None,
            Some((side, plies)) => Some((lines.side(side)?, lines.plies(plies)?)),
            None => return Err(lines.wrong("draw, or who wins in how many plies")),
        };
        let proof = Proof { rules, has_soldiers: version == "2", wins: won.is_some(), position };
        let mut strategies = Vec::new();
        match won {
            Some((winner, plies)) => strategies.push(proof.strategy(&mut lines, winner, plies)?),
            None => {
                for side in Color::ALL {
                    strategies.push(proof.strategy(&mut lines, side, 0)?);
                }
            }
        }
        if lines.next()? != "end" || lines.rest.next().is_some() {
            return Err(lines.wrong("end, and nothing after it"));
        }
        let value = match won {
            None => Value::Draw,
            Some((winner, plies)) if winner == position.side_to_move() => Value::Win(plies),
            Some((_, plies)) => Value::Loss(plies),
        };
        let outcome = Outcome::of(value.wdl(), position.side_to_move());
        let value = ValueRange::in_at_most(value);
        Ok(Certificate { rules, position, value, outcome, strategies })
    }
}

/// The lines of a certificate that are still to be read.
#[derive(Clone)]
struct Lines<'a> {
    rest: str::SplitInclusive<'a, char>,
    /// The line that was read last, and its number.
    line: &'a str,
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Result<&'a str, CheckError> {
        self.number += 1;
        self.line = self.rest.next().unwrap_or("");
        let whole = self.line.strip_suffix('\n').ok_or_else(|| self.wrong("a whole line"))?;
        self.line = whole;
        Ok(whole)
    }

    /// What is wrong with the line that was read last.
    fn wrong(&self, expected: impl Display) -> CheckError {
        let Lines { line, number, .. } = self;
        let (expected, found) = (expected.to_string(), (*line).to_owned());
        CheckError::Rejected { line: *number, expected, found }
    }

    /// What stands after the first word of the next line, which must be this.
    fn field(&mut self, name: &str) -> Result<&'a str, CheckError> {
        let found = self.next()?.split_once(' ').filter(|(word, _)| *word == name);
        found.map(|(_, rest)| rest).ok_or_else(|| self.wrong(name))
    }

    fn side(&self, name: &str) -> Result<Color, CheckError> {
        let found = Color::ALL.into_iter().find(|side| side.name() == name);
        found.ok_or_else(|| self.wrong("white or black"))
    }

    /// A position as it is printed, its columns in any order.
    fn position(&self, text: &str) -> Result<Position, CheckError> {
        let position: Position = text.parse().map_err(|error| self.wrong(error))?;
        let words = |text: &str| {
            let mut columns: Vec<String> = text.split(' ').map(str::to_owned).collect();
            let side = columns.pop();
            columns.sort();
            (columns, side)
        };
        match words(text) == words(&position.to_string()) {
            true => Ok(position),
            false => Err(self.wrong(format!("the position {position}"))),
        }
    }

    fn plies(&self, text: &str) -> Result<u16, CheckError> {
        text.parse().map_err(|_| self.wrong("a number of plies"))
    }

    /// The next line, if it is one of a strategy.
    fn step(&mut self, proof: &Proof) -> Result<StrategyMove, CheckError> {
        let line = self.next()?;
        let (position, rest) = line.split_once(": ").ok_or_else(|| self.wrong("a position"))?;
        let position = self.position(position)?;
        let (played, plies) = match rest.split_once(' ') {
            Some((played, plies)) if proof.wins => (played, Some(self.plies(plies)?)),
            None if !proof.wins => (rest, None),
            _ => return Err(self.wrong("a move, and plies only if the strategy wins")),
        };
        let squares: Option<Vec<Square>> = played.split('-').map(Square::from_name).collect();
        let played = squares.and_then(|squares| Move::from_squares(&squares));
        let played = played.ok_or_else(|| self.wrong("the squares of a move"))?;
        Ok(StrategyMove { position, played, plies })
    }
}

/// What is to be proved.
struct Proof {
    rules: RuleSet,
    /// Whether there may be soldiers.
    has_soldiers: bool,
    /// Whether strategies win. Otherwise they do not lose.
    wins: bool,
    position: Position,
}

/// The plies of the positions of a strategy, 0 if it draws. Of positions that are images of each other, it holds the
/// text of one.
type Plies = HashMap<String, u16>;

impl Proof {
    /// Reads and checks the strategy that comes next. It must be that of this side, and win in so many plies.
    fn strategy(&self, lines: &mut Lines, side: Color, most: u16) -> Result<Strategy, CheckError> {
        let header = lines.field("strategy")?;
        let count = header.strip_prefix(side.name()).and_then(|rest| rest.strip_prefix(' '));
        let count: usize = count
            .and_then(|count| count.parse().ok())
            .ok_or_else(|| lines.wrong(format!("how many lines the strategy of {side} has")))?;
        let mut again = lines.clone();
        let (mut moves, mut plies) = (Vec::new(), Plies::new());
        for _ in 0..count {
            let step = lines.step(self)?;
            if plies.insert(representative(&step.position), step.plies.unwrap_or(0)).is_some() {
                return Err(lines.wrong("a position that is no image of an earlier one"));
            }
            moves.push(PackedMove::new(step));
        }
        self.check_start(&again, &plies, side, most)?;
        for _ in 0..count {
            let step = again.step(self)?;
            self.check_step(&again, &plies, side, &step)?;
        }
        Ok(Strategy { side, moves })
    }

    /// Checks that the strategy answers from the position on that the certificate is about.
    fn check_start(
        &self,
        lines: &Lines,
        plies: &Plies,
        side: Color,
        most: u16,
    ) -> Result<(), CheckError> {
        let position = &self.position;
        if position.has_soldier() && !self.has_soldiers {
            return Err(lines.wrong("officers alone in version 1"));
        }
        if let Some(outcome) = position.outcome() {
            return match self.wins && outcome == Outcome::Win(side) {
                true => Ok(()),
                false => Err(lines.wrong("the result of a game that is over")),
            };
        }
        if position.side_to_move() != side {
            return self.check_replies(lines, plies, position, most.checked_sub(1));
        }
        match plies.get(&representative(position)) {
            Some(&needed) if needed <= most => Ok(()),
            _ => Err(lines.wrong(format!("a strategy with {position} in {most} plies at most"))),
        }
    }

    fn check_step(
        &self,
        lines: &Lines,
        plies: &Plies,
        side: Color,
        step: &StrategyMove,
    ) -> Result<(), CheckError> {
        if step.position.side_to_move() != side {
            return Err(lines.wrong(format!("a position with {side} to move")));
        }
        if step.position.has_soldier() && !self.has_soldiers {
            return Err(lines.wrong("officers alone in version 1"));
        }
        if step.plies == Some(0) {
            return Err(lines.wrong("at least one ply"));
        }
        let played = step.position.play(&step.played, self.rules);
        let after = played.map_err(|_| lines.wrong("a legal move"))?;
        self.check_replies(lines, plies, &after, step.plies.and_then(|plies| plies.checked_sub(2)))
    }

    /// Checks that each reply leads to a position of the strategy, with at most so many plies if it wins;
    /// `None` allows no reply then.
    fn check_replies(
        &self,
        lines: &Lines,
        plies: &Plies,
        position: &Position,
        most: Option<u16>,
    ) -> Result<(), CheckError> {
        let replied = position.try_for_each_move(self.rules, |_, after| {
            let needed = plies.get(&representative(after));
            match needed.is_some_and(|&needed| !self.wins || Some(needed) <= most) {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(*after),
            }
        });
        match replied {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(after) => {
                let plies = if self.wins { ", with fewer plies" } else { "" };
                Err(lines.wrong(format!("a line for {after}, to which a reply leads{plies}")))
            }
        }
    }
}

/// The text of one of the images of a position: the same for all of them.
fn representative(position: &Position) -> String {
    position.transformed(to_first_image(position)).to_string()
}
