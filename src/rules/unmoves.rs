//! Moves backwards: the positions from which a move leads to a position.

use super::moves::{directions, last_rank};
use super::{
    Column, Continuation, CounterKind, Direction, Move, Position, RuleSet, Square, SquareSet,
};

impl Position {
    /// All positions from which a legal move leads here, each with that move. This is the exact inverse
    /// of [`Position::successors`], including soldiers, promotions and captures of several jumps. A
    /// position appears once for each of its moves that leads here.
    ///
    /// ```
    /// use lasca_tablebase::rules::{Position, RuleSet};
    /// let position: Position = "b2B c3WB b".parse().unwrap();
    /// let before = position.predecessors(RuleSet::Lasca);
    /// assert!(before.iter().any(|(_, before)| before.to_string() == "a1W b2BB w"));
    /// for (played, before) in before {
    ///     assert_eq!(before.play(&played, RuleSet::Lasca).unwrap(), position);
    /// }
    /// ```
    pub fn predecessors(&self, rules: RuleSet) -> Vec<(Move, Position)> {
        let mut found = Vec::new();
        let mover = !self.side_to_move;
        for to in self.commanded_by(mover) {
            let landed = self.column(to);
            let promoted_here = to.rank() == last_rank(mover)
                && landed.commander().is_some_and(|counter| counter.kind == CounterKind::Officer);
            let mut before_landing = vec![landed];
            if promoted_here {
                let mut soldier = landed;
                soldier.set_commander_kind(CounterKind::Soldier);
                before_landing.push(soldier);
            }
            for column in before_landing {
                let mut board = self.with_side_to_move(mover);
                board.columns[to.index()] = Column::EMPTY;
                quiet_origins(&board, column, to, &mut found);
                let mut search =
                    UncaptureSearch { board, rules, path: vec![to], found: &mut found };
                search.go_back(to, column, SquareSet::EMPTY);
            }
        }
        // So far, each step is possible on its own. Whether the whole move is legal is checked forwards:
        // a quiet move needs a position without captures, and a chain must have gone on to its end.
        found.retain(|(played, before)| before.play(played, rules).as_ref() == Ok(self));
        found
    }
}

/// The squares from which `column`, lifted off `board`, can have moved quietly to `to`.
fn quiet_origins(board: &Position, column: Column, to: Square, found: &mut Vec<(Move, Position)>) {
    for direction in directions(column, board.side_to_move) {
        if let Some(from) = back(to, direction).filter(|&from| board.column(from).is_empty()) {
            let mut before = *board;
            before.columns[from.index()] = column;
            found.push((Move::from_squares_unchecked(vec![from, to]), before));
        }
    }
}

/// The square from which one step in `direction` leads to `square`.
fn back(square: Square, direction: Direction) -> Option<Square> {
    Square::from_file_rank(square.file() - direction.dx(), square.rank() - direction.dy())
}

/// A depth-first search for the captures that can have brought a column to its square. The column is
/// lifted off `board`. `path` lists the squares that it passed, the last one first.
struct UncaptureSearch<'a> {
    board: Position,
    rules: RuleSet,
    path: Vec<Square>,
    found: &'a mut Vec<(Move, Position)>,
}

impl UncaptureSearch<'_> {
    fn go_back(&mut self, at: Square, column: Column, jumped: SquareSet) {
        let jumps_undone = self.path.len() / 2;
        if jumps_undone > 0 {
            let mut before = self.board;
            before.columns[at.index()] = column;
            let squares = self.path.iter().rev().copied().collect();
            self.found.push((Move::from_squares_unchecked(squares), before));
        }
        let mover = self.board.side_to_move;
        let continuation = self.rules.continuation();
        if continuation == Continuation::SingleJump && jumps_undone == 1 {
            return;
        }
        let Some(prisoner) = column.bottom().filter(|counter| counter.color != mover) else {
            return;
        };
        for direction in directions(column, mover) {
            let Some(over) = back(at, direction) else { continue };
            let Some(from) = back(over, direction) else { continue };
            if !self.board.column(from).is_empty()
                || (continuation == Continuation::EachSquareOnce && jumped.contains(over))
            {
                continue;
            }
            let mut shorter = column;
            shorter.pop_bottom();
            self.board.columns[over.index()].push_top(prisoner);
            self.path.extend([over, from]);
            self.go_back(from, shorter, jumped.with(over));
            self.path.truncate(self.path.len() - 2);
            self.board.columns[over.index()].pop_top();
        }
    }
}
