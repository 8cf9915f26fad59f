//! Positions and moves as text.
//!
//! Squares are named by letter and digit, `a1` to `g7`; Lasker's numbers 1 (`a1`) to 25 (`g7`) are
//! read as well. Counters are `w`, `b` (soldiers) and `W`, `B` (officers); a column is its counters
//! from the top down. The case of a counter says what it is. Everything else may be written in upper or
//! lower case: `A1WWW B2BBB W` is read, and printed as `a1WWW b2BBB w`.
//!
//! # Positions
//!
//! | form | example |
//! | --- | --- |
//! | list form | `a1WWW b2BBB w` or `a1WWW b2BBB, White to move` |
//! | row form | `b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w` |
//! | the starting position | `start` |
//!
//! One or two numbers may follow a position in row form, as some programs count moves there.
//!
//! All are read with `text.parse::<Position>()`. A [`Position`] prints in list form; [`row_form`] gives
//! the other one. The row form has a part for each rank, from rank 7 down to rank 1, with a `/`
//! between them. A part has the columns of its rank from left to right with a `,` between them: four
//! squares on ranks 7, 5, 3 and 1, three on the others. An empty square is written as nothing, and so
//! is an empty rank.
//!
//! # Moves
//!
//! | form | example |
//! | --- | --- |
//! | quiet move | `c3-d4` |
//! | capture, with the columns that it leaves | `a1-b2BB-c3WWWB` |
//! | capture, with every square | `a1-b2-c3` |
//! | capture, with landing squares only | `b2xd4xb6` |
//! | abbreviation: the start, the end, and any squares between them | `b2xb6` |
//! | squares by number | `13-17`, `1-5-9`, `1x9` |
//!
//! [`parse_move`] reads all of them. [`move_text`] prints the first two. [`board_text`] draws a position
//! for a terminal, and [`Picture`] draws it as SVG.
//!
//! [`Position`]: crate::rules::Position

mod board;
mod error;
pub(crate) mod moves;
mod number;
pub(crate) mod picture;
pub(crate) mod position;
pub(crate) mod scan;

pub use board::board_text;
pub use error::TextError;
pub use moves::{move_text, parse_move};
pub use number::{MoveNumber, numbered};
pub use picture::{Palette, ParsePaletteError, Picture};
pub use position::row_form;
pub use scan::{without_mark, words};

/// The greatest length, in bytes, of a text that is read as a position or a move. Every position and every move that
/// this module prints as text is shorter; a picture is longer.
pub const MAX_TEXT_LEN: usize = 4096;
