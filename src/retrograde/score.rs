//! How good moves are whose results are known, as numbers that are quick to compare.

use crate::Value;

/// What a move is worth to the side that makes it: the smaller, the better, so that the score of the
/// best move is the minimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MoveScore(u32);

impl Default for MoveScore {
    fn default() -> MoveScore {
        MoveScore::NONE
    }
}

impl MoveScore {
    /// The move leads to a draw.
    pub const DRAW: MoveScore = MoveScore(1 << 16);
    /// There is no move whose result is known.
    pub const NONE: MoveScore = MoveScore(u32::MAX);
    const LOSS_IN_NONE: u32 = 1 << 18;

    /// The score of a move to a position that has this value for the side to move there.
    pub fn of_reply(reply: Value) -> MoveScore {
        match reply {
            Value::Loss(plies) => MoveScore(u32::from(plies) + 1),
            Value::Draw => MoveScore::DRAW,
            Value::Win(plies) => MoveScore(MoveScore::LOSS_IN_NONE - u32::from(plies) - 1),
        }
    }

    /// The value that the move has for the side that makes it; `None` for [`MoveScore::NONE`].
    pub fn value(self) -> Option<Value> {
        match self {
            MoveScore::NONE => None,
            MoveScore::DRAW => Some(Value::Draw),
            MoveScore(plies) if self < MoveScore::DRAW => Some(Value::Win(plies as u16)),
            MoveScore(score) => Some(Value::Loss((MoveScore::LOSS_IN_NONE - score) as u16)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::Distance;

    #[test]
    fn scores_order_moves_as_their_values_do_and_give_them_back() {
        let dtws = (0..=300).chain(Distance::MAX_DTW - 300..=Distance::MAX_DTW);
        let mut replies: Vec<Value> = dtws.map(|dtw| Value::from_dtw(Some(dtw))).collect();
        replies.push(Value::Draw);
        replies.sort_unstable();
        let scores: Vec<MoveScore> = replies.iter().map(|&r| MoveScore::of_reply(r)).collect();
        assert!(scores.is_sorted_by(|a, b| a < b));
        for (reply, score) in replies.into_iter().zip(scores) {
            assert_eq!(score.value(), Some(reply.before_move()));
            assert!(score < MoveScore::NONE);
        }
        assert_eq!(MoveScore::NONE.value(), None);
    }
}
