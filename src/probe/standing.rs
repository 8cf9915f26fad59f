//! How a move stands among the other moves of its position.

use super::{Line, ProbeError, RatedMove, Tablebase};
use crate::rules::Position;
use crate::{Value, Wdl};
use std::fmt;

/// How a move stands among all moves of its position. The result is win, draw or loss; distances
/// tell only `Best` from `Keeps`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// There is no other legal move.
    OnlyLegal,
    /// Each other move gives something away.
    Only,
    /// Others keep the result too, but none is better, plies counted: no other wins sooner or loses
    /// later. No move is best where several draw.
    Best,
    /// The result stays, as it does after others, one of which draws as well, wins sooner or loses
    /// later.
    Keeps,
    /// The result is worse than that of the best move.
    GivesAway,
}

impl Standing {
    /// How a move of this value stands among all moves of its position, itself included.
    ///
    /// ```
    /// use lasca_tablebase::Value::{Draw, Loss, Win};
    /// use lasca_tablebase::probe::Standing;
    /// assert_eq!(Standing::among(Win(7), [Win(7), Draw]), Standing::Only);
    /// assert_eq!(Standing::among(Win(7), [Win(7), Win(9)]), Standing::Best);
    /// assert_eq!(Standing::among(Win(9), [Win(7), Win(9)]), Standing::Keeps);
    /// assert_eq!(Standing::among(Draw, [Draw, Draw, Loss(8)]), Standing::Keeps);
    /// assert_eq!(Standing::among(Draw, [Draw, Win(5)]), Standing::GivesAway);
    /// assert_eq!(Standing::among(Loss(4), [Loss(4)]), Standing::OnlyLegal);
    /// ```
    pub fn among(value: Value, all: impl IntoIterator<Item = Value>) -> Standing {
        let (mut legal, mut as_good, mut best) = (0, 0, value);
        for other in all {
            legal += 1;
            as_good += u32::from(other.wdl() >= value.wdl());
            best = best.max(other);
        }
        match () {
            () if best.wdl() > value.wdl() => Standing::GivesAway,
            () if legal <= 1 => Standing::OnlyLegal,
            () if as_good <= 1 => Standing::Only,
            () if best == value && value != Value::Draw => Standing::Best,
            () => Standing::Keeps,
        }
    }

    /// Whether no other legal move keeps the result.
    pub const fn is_only(self) -> bool {
        matches!(self, Standing::OnlyLegal | Standing::Only)
    }

    /// `only legal move`, `only move`, `best`, `one of several`, `gives away`.
    pub const fn name(self) -> &'static str {
        match self {
            Standing::OnlyLegal => "only legal move",
            Standing::Only => "only move",
            Standing::Best => "best",
            Standing::Keeps => "one of several",
            Standing::GivesAway => "gives away",
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A legal move with what speaks for its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The move and its value.
    pub rated: RatedMove,
    /// How it stands among the others.
    pub standing: Standing,
    /// Best play after the move: to the end of the game, or to the first repetition.
    pub line: Line,
    /// How many legal moves the other side has then.
    pub replies: usize,
    /// After a move that draws: those replies that hold the draw. None after other moves.
    pub holding: Vec<RatedMove>,
}

impl Tablebase {
    /// All legal moves, best first, each with its standing, best play after it, and the replies
    /// that hold if it draws. None if the game is over.
    ///
    /// # Errors
    /// As [`Tablebase::best_line`].
    ///
    /// ```
    /// use lasca_tablebase::probe::{Standing, Tablebase};
    /// use lasca_tablebase::rules::RuleSet;
    /// let tables = Tablebase::open(&["tables"], RuleSet::Lasca)?;
    /// let moves = tables.alternatives(&"d2W d4W f2B f4B b".parse()?)?;
    /// assert_eq!(moves[0].rated.played.to_string(), "f2-g3");
    /// assert_eq!(moves[0].standing, Standing::Only);
    /// assert_eq!((moves[0].holding.len(), moves[0].replies), (2, 8));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn alternatives(&self, position: &Position) -> Result<Vec<Alternative>, ProbeError> {
        let moves = self.moves(position)?;
        let values: Vec<Value> = moves.iter().map(|rated| rated.value).collect();
        let alternative = |rated: RatedMove| {
            let mut holding = self.moves(&rated.after)?;
            let replies = holding.len();
            let drawn = rated.value == Value::Draw;
            holding.retain(|reply| drawn && reply.value.wdl() == Wdl::Draw);
            Ok(Alternative {
                standing: Standing::among(rated.value, values.iter().copied()),
                line: self.best_line(&rated.after)?,
                replies,
                holding,
                rated,
            })
        };
        moves.into_iter().map(alternative).collect()
    }
}
