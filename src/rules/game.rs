//! Games: a first position, and the moves from there.

use super::{IllegalMove, Move, Position, RuleSet};

/// A game: its first position, and the moves that were played. In the package `lasca-analysis`, `review_moves` says which
/// of them were mistakes.
///
/// ```
/// use lasca_tablebase::notation::parse_move;
/// use lasca_tablebase::rules::{Game, RuleSet};
/// use lasca_tablebase::Outcome;
/// let mut game = Game::new("a1W g7B w".parse()?, RuleSet::Lasca);
/// for text in ["a1-b2", "g7-f6", "b2-a1", "f6-g7"].repeat(2) {
///     assert_eq!(game.outcome(), None);
///     let (played, _) = parse_move(text, game.position(), game.rules())?;
///     game.play(&played)?;
/// }
/// assert_eq!((game.moves().len(), game.occurrences()), (8, 3));
/// assert_eq!(game.outcome(), Some(Outcome::Draw));
/// assert_eq!(game.take_back().unwrap().to_string(), "f6-g7");
/// assert_eq!(game.outcome(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    rules: RuleSet,
    moves: Vec<Move>,
    /// The first one, and that after each move.
    positions: Vec<Position>,
}

impl Game {
    /// How often a position must occur for a [draw by repetition](Game::outcome).
    pub const OCCURRENCES_OF_DRAW: usize = 3;

    /// A game in which no move has been played.
    pub fn new(first: Position, rules: RuleSet) -> Game {
        Game { rules, moves: Vec::new(), positions: vec![first] }
    }

    /// The rules.
    pub fn rules(&self) -> RuleSet {
        self.rules
    }

    /// The position now, after all moves.
    pub fn position(&self) -> &Position {
        &self.positions[self.moves.len()]
    }

    /// All positions, from the first to that of now. There is one more than there are moves.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// The moves that were played.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Plays a move. A game that is drawn by repetition can go on.
    ///
    /// # Errors
    /// If the move is not legal.
    pub fn play(&mut self, played: &Move) -> Result<(), IllegalMove> {
        self.positions.push(self.position().play(played, self.rules)?);
        self.moves.push(*played);
        Ok(())
    }

    /// Takes the last move back; `None` if there is none.
    pub fn take_back(&mut self) -> Option<Move> {
        let taken = self.moves.pop()?;
        self.positions.pop();
        Some(taken)
    }

    /// How often the position of now has occurred, this time included.
    pub fn occurrences(&self) -> usize {
        self.positions.iter().filter(|&position| position == self.position()).count()
    }
}
