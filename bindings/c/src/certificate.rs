//! Checks certificates. `docs/CERTIFICATE.md` describes their text, and says why it proves something.

use crate::failure::Failure;
use crate::lasca_tb_position;
use crate::lasca_tb_status::{LASCA_TB_NO_MEMORY, LASCA_TB_NOT_PROVED};
use lasca_tablebase::rules::{Color, Move, Position, RuleSet, Square, Symmetry};
use lasca_tablebase::{Value, ValueRange};
use std::collections::HashMap;
use std::fmt::Display;
use std::ops::ControlFlow;
use std::str;

/// What a certificate proves.
pub(crate) struct Proved {
    pub(crate) rules: RuleSet,
    pub(crate) position: Position,
    /// For the side to move.
    pub(crate) value: ValueRange,
}

/// Checks a certificate, and tells what it proves.
///
/// # Errors
/// If it is none, or proves nothing; or if there is too little memory.
pub(crate) fn check(text: &str) -> Result<Proved, Failure> {
    let mut lines = Lines { rest: text.lines(), line: "", number: 0 };
    let version = lines.field("lasca-certificate")?;
    if !["1", "2"].contains(&version) {
        return Err(lines.wrong("version 1 or 2"));
    }
    let rules = lines.field("rules")?;
    let rules: RuleSet = rules.parse().map_err(|error| lines.wrong(error))?;
    let position = lines.field("position")?;
    let position: Position = position.parse().map_err(|error| lines.wrong(error))?;
    let verdict = lines.field("verdict")?;
    let won = match verdict.split_once(" wins in ") {
        _ if verdict == "draw" => None,
        Some((side, plies)) => Some((lines.side(side)?, lines.plies(plies)?)),
        None => return Err(lines.wrong("draw, or who wins in how many plies")),
    };
    let proof = Proof { rules, has_soldiers: version == "2", wins: won.is_some(), position };
    match won {
        Some((winner, plies)) => proof.check_strategy(&mut lines, winner, plies)?,
        None => {
            for side in Color::ALL {
                proof.check_strategy(&mut lines, side, 0)?;
            }
        }
    }
    if lines.next()? != "end" || lines.rest.next().is_some() {
        return Err(lines.wrong("end, and nothing after it"));
    }
    let value = match won {
        None => Value::Draw.into(),
        Some((winner, plies)) if winner == position.side_to_move() => {
            range(Value::Win(plies), Value::Win(0))
        }
        Some((_, plies)) => range(Value::Loss(0), Value::Loss(plies)),
    };
    Ok(Proved { rules, position, value })
}

fn range(worst: Value, best: Value) -> ValueRange {
    ValueRange::new(worst, best).unwrap_or(ValueRange::UNKNOWN)
}

/// The lines of a certificate that are still to be read.
#[derive(Clone)]
struct Lines<'a> {
    rest: str::Lines<'a>,
    /// The line that was read last, and its number.
    line: &'a str,
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Result<&'a str, Failure> {
        self.number += 1;
        self.line = self.rest.next().unwrap_or("");
        match self.line {
            "" => Err(self.wrong("another line")),
            line => Ok(line),
        }
    }

    /// What is wrong with the line that was read last.
    fn wrong(&self, expected: impl Display) -> Failure {
        let Lines { line, number, .. } = self;
        let message = format!("line {number}: expected {expected}, found {line:?}");
        Failure::new(LASCA_TB_NOT_PROVED, message)
    }

    /// What stands after the first word of the next line, which must be this.
    fn field(&mut self, name: &str) -> Result<&'a str, Failure> {
        let found = self.next()?.split_once(' ').filter(|(word, _)| *word == name);
        found.map(|(_, rest)| rest).ok_or_else(|| self.wrong(name))
    }

    fn side(&self, name: &str) -> Result<Color, Failure> {
        let found = Color::ALL.into_iter().find(|side| side.name() == name);
        found.ok_or_else(|| self.wrong("white or black"))
    }

    fn plies(&self, text: &str) -> Result<u16, Failure> {
        text.parse().map_err(|_| self.wrong("a number of plies"))
    }

    /// The next line, if it is one of a strategy.
    fn step(&mut self, proof: &Proof) -> Result<Step, Failure> {
        let line = self.next()?;
        let (position, rest) = line.split_once(": ").ok_or_else(|| self.wrong("a position"))?;
        let position: Position = position.parse().map_err(|error| self.wrong(error))?;
        let (played, plies) = match rest.split_once(' ') {
            Some((played, plies)) if proof.wins => (played, self.plies(plies)?),
            None if !proof.wins => (rest, 0),
            _ => return Err(self.wrong("a move, and plies only if the strategy wins")),
        };
        let squares: Option<Vec<Square>> = played.split('-').map(Square::from_name).collect();
        let played = squares.and_then(|squares| Move::from_squares(&squares));
        let played = played.ok_or_else(|| self.wrong("the squares of a move"))?;
        Ok(Step { position, played, plies })
    }
}

/// A line of a strategy.
struct Step {
    position: Position,
    played: Move,
    /// The most plies that are left until the win; 0 in a strategy that draws.
    plies: u16,
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

/// The plies of the positions of a strategy. Of positions that are images of each other, it holds one.
type Plies = HashMap<lasca_tb_position, u16>;

impl Proof {
    /// Checks the strategy that comes next. It must be that of this side, and win in so many plies.
    fn check_strategy(&self, lines: &mut Lines, side: Color, most: u16) -> Result<(), Failure> {
        let header = lines.field("strategy")?;
        let count = header.strip_prefix(side.name()).and_then(|rest| rest.strip_prefix(' '));
        let count: usize = count
            .and_then(|count| count.parse().ok())
            .ok_or_else(|| lines.wrong(format!("how many lines the strategy of {side} has")))?;
        let mut again = lines.clone();
        let mut plies = Plies::new();
        for _ in 0..count {
            let step = lines.step(self)?;
            plies.try_reserve(1).map_err(Failure::of(LASCA_TB_NO_MEMORY))?;
            if plies.insert(representative(&step.position), step.plies).is_some() {
                return Err(lines.wrong("a position that is no image of an earlier one"));
            }
        }
        self.check_start(&again, &plies, side, most)?;
        for _ in 0..count {
            let step = again.step(self)?;
            self.check_step(&again, &plies, side, &step)?;
        }
        Ok(())
    }

    /// Checks that the strategy answers from the position on that the certificate is about.
    fn check_start(
        &self,
        lines: &Lines,
        plies: &Plies,
        side: Color,
        most: u16,
    ) -> Result<(), Failure> {
        let position = &self.position;
        if position.has_soldier() && !self.has_soldiers {
            return Err(lines.wrong("officers alone in version 1"));
        }
        if position.is_over() {
            let to_move = position.side_to_move();
            let has_won = position.commanded_by(!to_move).is_empty() == (side == to_move);
            return match self.wins && has_won && plies.is_empty() {
                true => Ok(()),
                false => Err(lines.wrong("the result of a game that is over, and no moves")),
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
        step: &Step,
    ) -> Result<(), Failure> {
        if step.position.side_to_move() != side {
            return Err(lines.wrong(format!("a position with {side} to move")));
        }
        if step.position.has_soldier() && !self.has_soldiers {
            return Err(lines.wrong("officers alone in version 1"));
        }
        if self.wins && step.plies == 0 {
            return Err(lines.wrong("at least one ply"));
        }
        let played = step.position.play(&step.played, self.rules);
        let after = played.map_err(|_| lines.wrong("a legal move"))?;
        self.check_replies(lines, plies, &after, step.plies.checked_sub(2))
    }

    /// Checks that each reply leads to a position of the strategy, with at most so many plies if it wins;
    /// `None` allows no reply then.
    fn check_replies(
        &self,
        lines: &Lines,
        plies: &Plies,
        position: &Position,
        most: Option<u16>,
    ) -> Result<(), Failure> {
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

/// One of the images of a position: the same for all of them.
fn representative(position: &Position) -> lasca_tb_position {
    let has_soldier = position.has_soldier();
    let symmetries = Symmetry::all().filter(|&symmetry| {
        !has_soldier || [Symmetry::IDENTITY, Symmetry::FLIP_FILES].contains(&symmetry)
    });
    let images = symmetries.map(|symmetry| (&position.transformed(symmetry)).into());
    images.min().unwrap_or(position.into())
}
