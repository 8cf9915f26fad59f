//! Errors in the text of a study.

use super::MAX_NESTING;
use crate::notation::ParsePositionError;
use std::fmt;

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub character: usize,
}

impl Location {
    /// The beginning of a text.
    pub const START: Location = Location { line: 1, character: 1 };

    /// The place that many characters further on in the line.
    #[must_use]
    pub const fn right(self, characters: usize) -> Location {
        Location { line: self.line, character: self.character + characters }
    }
}

impl fmt::Display for Location {
    /// Prints `line 3, column 5`, as editors do, or `3:5` in the alternate form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Location { line, character } = self;
        if f.alternate() {
            write!(f, "{line}:{character}")
        } else {
            write!(f, "line {line}, column {character}")
        }
    }
}

/// What is wrong with the text of a study, and where.
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
    /// Where the problem is.
    pub location: Location,
    /// What the problem is.
    pub problem: StudyProblem,
}

/// What is wrong with the text of a study. `found` is the text at that place; `None` means that the text
/// ends there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StudyProblem {
    /// There is no position where a study should begin.
    NoPosition {
        /// The text at that place.
        found: Option<String>,
    },
    /// The text where a position should stand is not a position.
    Position(ParsePositionError),
    /// A side or a word such as `can` is not followed by `wins`, `draws` or `loses`.
    NoVerdict {
        /// The text at that place.
        found: Option<String>,
    },
    /// A text among the moves is neither a move nor anything else that can stand there.
    NoMove {
        /// The text at that place.
        found: String,
    },
    /// A variation has no moves.
    NoMoveInVariation {
        /// The text at that place.
        found: Option<String>,
    },
    /// A move number is not followed by a move.
    NoMoveAfterNumber {
        /// The text at that place.
        found: Option<String>,
    },
    /// A mark, a result or a variation has no move before it.
    NothingBefore {
        /// The text at that place.
        found: String,
    },
    /// The characters `!` and `?` do not form a mark, or the move has a mark already.
    Mark {
        /// The text that was found.
        found: String,
    },
    /// The move number is wrong.
    Number {
        /// The numbers that would be right.
        expected: String,
        /// The number that was found.
        found: String,
    },
    /// A variation is not closed.
    Unclosed {
        /// The bracket that would close it.
        expected: char,
        /// The bracket that opens it.
        opened: char,
        /// Where it opens.
        at: Location,
        /// The text at that place.
        found: Option<String>,
    },
    /// A comment is not closed. The place is where it opens.
    UnclosedComment,
    /// Variations are nested too deeply.
    TooDeep,
}

impl fmt::Display for ParseStudyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.problem)
    }
}

impl fmt::Display for StudyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use StudyProblem::*;
        match self {
            NoPosition { found } => write!(
                f,
                "expected a study, which begins with a position such as a1WWW b2BBB w, found {}",
                FoundText(found)
            ),
            Position(error) => write!(f, "{error:#}"),
            NoVerdict { found } => {
                write!(f, "expected wins, draws or loses, found {}", FoundText(found))
            }
            NoMove { found } => write!(
                f,
                "expected a move, a result such as 1-0, a variation in parentheses or a comment in \
                 braces, found {found:?}"
            ),
            NoMoveInVariation { found } => {
                write!(f, "expected a move in the variation, found {}", FoundText(found))
            }
            NoMoveAfterNumber { found } => {
                write!(f, "expected a move after its number, found {}", FoundText(found))
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
                    FoundText(found)
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

/// A text for a message, or the end of the text.
struct FoundText<'a>(&'a Option<String>);

impl fmt::Display for FoundText<'_> {
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
