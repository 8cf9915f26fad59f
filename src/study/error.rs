//! Why a text is no study.

use super::MAX_NESTING;
use crate::notation::ParsePositionError;
use std::fmt;

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
}

impl Place {
    /// The beginning of a text.
    pub const START: Place = Place { line: 1, column: 1 };

    /// So many characters further on in the line.
    #[must_use]
    pub const fn right(self, characters: usize) -> Place {
        Place { line: self.line, column: self.column + characters }
    }
}

impl fmt::Display for Place {
    /// `line 3, column 5`, or `3:5` in the alternate form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, column } = self;
        if f.alternate() {
            write!(f, "{line}:{column}")
        } else {
            write!(f, "line {line}, column {column}")
        }
    }
}

/// Why a text is no study, and where.
///
/// ```
/// use lasca_tablebase::study::parse;
/// let error = parse("a1WWW b2BBB, White to move\n1. a1-b2-c3 (1. a1-c3").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 2, column 22: expected ')' for the '(' at line 2, column 13, found the end of the text"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseStudyError {
    /// Where the trouble is.
    pub place: Place,
    /// What it is.
    pub problem: StudyProblem,
}

/// What is wrong with a text that should be studies. `found` is what stands at the place; `None` is
/// the end of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StudyProblem {
    /// No position where a study should begin.
    NoPosition {
        /// What stands there.
        found: Option<String>,
    },
    /// A text in a position's place that is none.
    Position(ParsePositionError),
    /// A side or such a word as `can` without `wins`, `draws` or `loses` after it.
    NoVerdict {
        /// What stands there.
        found: Option<String>,
    },
    /// What can stand between moves, and is none of that.
    NoMove {
        /// What stands there.
        found: String,
    },
    /// A variation without moves.
    NoMoveInVariation {
        /// What stands there.
        found: Option<String>,
    },
    /// A number, and no move after it.
    NoMoveAfterNumber {
        /// What stands there.
        found: Option<String>,
    },
    /// A mark, a result or a variation that has no move before it.
    NothingBefore {
        /// What stands there.
        found: String,
    },
    /// `!` and `?` in an order or number that no mark has, or a second mark.
    Mark {
        /// The text.
        found: String,
    },
    /// Not the number of the move.
    Number {
        /// The numbers that could stand there.
        expected: String,
        /// The number.
        found: String,
    },
    /// A variation is not closed.
    Unclosed {
        /// What closes it.
        expected: char,
        /// What opens it.
        opened: char,
        /// Where it is opened.
        at: Place,
        /// What stands there.
        found: Option<String>,
    },
    /// A comment is not closed; the place is where it is opened.
    UnclosedComment,
    /// Variations within variations, too deep.
    TooDeep,
}

impl fmt::Display for ParseStudyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

impl fmt::Display for StudyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use StudyProblem::*;
        match self {
            NoPosition { found } => write!(
                f,
                "expected a study, which begins with a position such as a1WWW b2BBB w, found {}",
                Found(found)
            ),
            Position(error) => write!(f, "{error:#}"),
            NoVerdict { found } => {
                write!(f, "expected wins, draws or loses, found {}", Found(found))
            }
            NoMove { found } => write!(
                f,
                "expected a move, a result such as 1-0, a variation in parentheses or a comment in \
                 braces, found {found:?}"
            ),
            NoMoveInVariation { found } => {
                write!(f, "expected a move in the variation, found {}", Found(found))
            }
            NoMoveAfterNumber { found } => {
                write!(f, "expected a move after its number, found {}", Found(found))
            }
            NothingBefore { found } => {
                write!(f, "expected a move before this, found {found:?} without one")
            }
            Mark { found } => {
                write!(f, "expected one mark (! ? !! ?? !? ?!) at a move, found {found:?}")
            }
            Number { expected, found } => {
                write!(f, "expected the number {expected}, found {found}")
            }
            Unclosed { expected, opened, at, found } => {
                write!(
                    f,
                    "expected '{expected}' for the '{opened}' at {at}, found {}",
                    Found(found)
                )
            }
            UnclosedComment => f.write_str("expected '}' for this '{', found the end of the text"),
            TooDeep => write!(
                f,
                "expected at most {MAX_NESTING} variations within each other, found another"
            ),
        }
    }
}

/// What stands somewhere, or that nothing does.
struct Found<'a>(&'a Option<String>);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(text) => write!(f, "{text:?}"),
            None => f.write_str("the end of the text"),
        }
    }
}

impl std::error::Error for ParseStudyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            StudyProblem::Position(error) => Some(error),
            _ => None,
        }
    }
}
