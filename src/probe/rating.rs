//! Answers from tables that may have no distances.

use super::{ProbeError, Tablebase};
use crate::rules::{Move, Position};
#[cfg(feature = "serde")]
use crate::value::Parts;
use crate::{Value, Wdl};
use std::cmp::Reverse;
use std::fmt;

/// The result of a position for the side to move, and its distance if that is known. The table's
/// WDL file gives the result; only its DTW file, which may be missing, has the distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Parts"))]
pub struct Rating {
    /// Win, draw or loss.
    pub wdl: Wdl,
    /// Plies to the end of the game; `None` for a draw, or if the distance is not known.
    pub dtw: Option<u16>,
}

impl From<Value> for Rating {
    fn from(value: Value) -> Rating {
        Rating { wdl: value.wdl(), dtw: value.dtw() }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Parts> for Rating {
    type Error = String;

    fn try_from(parts: Parts) -> Result<Rating, String> {
        match parts.dtw {
            None => Ok(Rating { wdl: parts.wdl, dtw: None }),
            Some(_) => Value::try_from(parts).map(Rating::from),
        }
    }
}

impl fmt::Display for Rating {
    /// Writes `win in 5`, `draw`, or `loss` if the distance is not known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dtw {
            Some(plies) => write!(f, "{} in {plies}", self.wdl.name()),
            None => f.write_str(self.wdl.name()),
        }
    }
}

/// A legal move with its result, and with its distance if that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MoveRating {
    /// The move.
    pub played: Move,
    /// The position after the move.
    pub after: Position,
    /// The result for the side that makes the move. The distance counts from the position before
    /// the move.
    pub rating: Rating,
}

impl Tablebase {
    /// The result of a position for the side to move, and its distance if the table has its DTW
    /// file.
    ///
    /// ```
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::RuleSet;
    /// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
    /// assert_eq!(tables.rating(&"b2B d2W a7W w".parse()?)?.to_string(), "win in 5");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Tablebase::value`], except that a missing DTW file is no error.
    pub fn rating(&self, position: &Position) -> Result<Rating, ProbeError> {
        match self.value(position) {
            Err(ProbeError::MissingDtw { .. }) => {
                Ok(Rating { wdl: self.wdl(position)?, dtw: None })
            }
            value => Ok(value?.into()),
        }
    }

    /// All legal moves, best first, as [`Tablebase::moves`] gives them. If the table has no DTW file,
    /// they are ordered by result alone. A move that ends the game then comes first among the moves
    /// with the same result, since its distance is known all the same.
    ///
    /// # Errors
    /// As [`Tablebase::rating`].
    pub fn move_ratings(&self, position: &Position) -> Result<Vec<MoveRating>, ProbeError> {
        match self.moves(position) {
            Err(ProbeError::MissingDtw { .. }) => {}
            moves => {
                let rated = moves?.into_iter().map(|rated| MoveRating {
                    played: rated.played,
                    after: rated.after,
                    rating: rated.value.into(),
                });
                return Ok(rated.collect());
            }
        }
        let mut moves = Vec::new();
        for (played, after) in position.successors(self.rules()) {
            let rating = match self.value(&after) {
                Err(ProbeError::MissingDtw { .. }) => Rating { wdl: -self.wdl(&after)?, dtw: None },
                value => value?.before_move().into(),
            };
            moves.push(MoveRating { played, after, rating });
        }
        moves.sort_by_key(|rated| (Reverse(rated.rating.wdl), rated.rating.dtw.is_none()));
        Ok(moves)
    }
}
