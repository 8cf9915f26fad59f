//! Moves backwards: the positions from which a move leads to a position.

use lasca_tablebase::rules::{
    Color, Column, Continuation, Counter, CounterKind, Direction, Move, Position, RuleSet, Square,
};

/// The counters on each square, from the top down.
type Board = Vec<Vec<Counter>>;

/// All positions from which a legal move leads to this one, each with that move: the exact inverse of
/// [`Position::successors`], with soldiers, promotions and captures of several jumps. A position appears
/// once for each of its moves that leads there.
pub fn predecessors(after: &Position, rules: RuleSet) -> Vec<(Move, Position)> {
    let mover = !after.side_to_move();
    let board: Board =
        Square::all().map(|square| after.column(square).counters().collect()).collect();
    let mut search = Unmaking { mover, rules, board, path: Vec::new(), found: Vec::new() };
    for to in after.commanded_by(mover) {
        let landed = std::mem::take(&mut search.board[to.index()]);
        let mut before_landing = vec![landed.clone()];
        if to.rank() == last_rank(mover) && landed[0].kind == CounterKind::Officer {
            let mut soldier = landed.clone();
            soldier[0].kind = CounterKind::Soldier;
            before_landing.push(soldier);
        }
        for column in before_landing {
            search.path = vec![to];
            search.undo_step(to, &column);
            search.undo_jumps(to, column, &[]);
        }
        search.board[to.index()] = landed;
    }
    // So far, each step is possible on its own. Whether the whole move is legal is checked forwards: a
    // quiet move needs a position without captures, and a chain must have gone on to its end.
    search.found.retain(|(played, before)| before.play(played, rules).as_ref() == Ok(after));
    search.found
}

fn last_rank(color: Color) -> i32 {
    if color == Color::White { 6 } else { 0 }
}

/// A search for the moves that can have brought a column to its square. The column is lifted off `board`.
struct Unmaking {
    mover: Color,
    rules: RuleSet,
    board: Board,
    /// The squares that the column passed, the last one first.
    path: Vec<Square>,
    found: Vec<(Move, Position)>,
}

impl Unmaking {
    fn undo_step(&mut self, to: Square, column: &[Counter]) {
        for direction in self.directions(column) {
            if let Some(from) = back(to, direction).filter(|from| self.is_empty(*from)) {
                self.path.push(from);
                self.note(from, column);
                self.path.pop();
            }
        }
    }

    fn undo_jumps(&mut self, at: Square, column: Vec<Counter>, jumped: &[Square]) {
        if !jumped.is_empty() {
            self.note(at, &column);
        }
        let continuation = self.rules.continuation();
        if continuation == Continuation::SingleJump && jumped.len() == 1 {
            return;
        }
        let Some((&prisoner, shorter)) =
            column.split_last().filter(|(bottom, _)| bottom.color != self.mover)
        else {
            return;
        };
        for direction in self.directions(&column) {
            let Some(over) = back(at, direction) else { continue };
            let Some(from) = back(over, direction).filter(|from| self.is_empty(*from)) else {
                continue;
            };
            if continuation == Continuation::EachSquareOnce && jumped.contains(&over) {
                continue;
            }
            self.board[over.index()].insert(0, prisoner);
            self.path.extend([over, from]);
            self.undo_jumps(from, shorter.to_vec(), &[jumped, &[over]].concat());
            self.path.truncate(self.path.len() - 2);
            self.board[over.index()].remove(0);
        }
    }

    /// Notes the move along the path from `from`, and the position before it.
    fn note(&mut self, from: Square, column: &[Counter]) {
        let squares: Vec<Square> = self.path.iter().rev().copied().collect();
        let played = Move::from_squares(&squares).expect("steps and jumps go straight");
        let mut columns = [Column::EMPTY; Square::COUNT];
        for (place, counters) in columns.iter_mut().zip(&self.board) {
            *place = Column::from_counters(counters.iter().copied()).expect("few counters");
        }
        columns[from.index()] = Column::from_counters(column.iter().copied()).expect("few");
        self.found.push((played, Position::new(columns, self.mover).expect("as many counters")));
    }

    fn is_empty(&self, square: Square) -> bool {
        self.board[square.index()].is_empty()
    }

    /// The directions in which a column of the mover can have come.
    fn directions(&self, column: &[Counter]) -> Vec<Direction> {
        let forward = if self.mover == Color::White { 1 } else { -1 };
        let officer = column[0].kind == CounterKind::Officer;
        let all = Direction::ALL.into_iter();
        all.filter(|direction| officer || direction.dy() == forward).collect()
    }
}

/// The square from which one step in `direction` leads to `square`.
fn back(square: Square, direction: Direction) -> Option<Square> {
    Square::from_file_rank(square.file() - direction.dx(), square.rank() - direction.dy())
}
