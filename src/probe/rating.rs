//! Answers from tables that may have no distances.

use super::{ProbeError, Tablebase};
use crate::Rating;
use crate::rules::{Move, Position};
use std::cmp::Reverse;

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
