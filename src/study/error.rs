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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{location}: {problem}")]
pub struct ParseStudyError {
    /// Where the problem is.
    pub location: Location,
    /// What the problem is.
    pub problem: StudyProblem,
}

/// What is wrong with the text of a study. `found` is the text at that place; `None` means that the text
/// ends there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StudyProblem {
    /// There is no position where a study should begin.
    #[error(
        "expected a study, which begins with a position such as a1WWW b2BBB w, found {}",
        text(found)
    )]
    NoPosition {
        /// The text at that place.
        found: Option<String>,
    },
    /// The text where a position should stand is not a position.
    #[error("{0:#}")]
    Position(#[source] ParsePositionError),
    /// A side or a word such as `can` is not followed by `wins`, `draws` or `loses`.
    #[error("expected wins, draws or loses, found {}", text(found))]
    NoVerdict {
        /// The text at that place.
        found: Option<String>,
    },
    /// A text among the moves is neither a move nor anything else that can stand there.
    #[error(
        "expected a move, a result such as 1-0, a variation in parentheses or a comment in braces, \
         found {found:?}"
    )]
    NoMove {
        /// The text at that place.
        found: String,
    },
    /// A variation has no moves.
    #[error("expected a move in the variation, found {}", text(found))]
    NoMoveInVariation {
        /// The text at that place.
        found: Option<String>,
    },
    /// A move number is not followed by a move.
    #[error("expected a move after its number, found {}", text(found))]
    NoMoveAfterNumber {
        /// The text at that place.
        found: Option<String>,
    },
    /// A mark, a result or a variation has no move before it.
    #[error("expected a move before this, found {found:?} without one")]
    NothingBefore {
        /// The text at that place.
        found: String,
    },
    /// The characters `!` and `?` do not form a mark, or the move has a mark already.
    #[error("expected one mark (! ? !! ?? !? ?!) at a move, found {found:?}")]
    Mark {
        /// The text that was found.
        found: String,
    },
    /// The move number is wrong.
    #[error("expected the number {expected}, found {found}")]
    Number {
        /// The numbers that would be right.
        expected: String,
        /// The number that was found.
        found: String,
    },
    /// A variation is not closed.
    #[error("expected '{expected}' for the '{opened}' at {at}, found {}", text(found))]
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
    #[error("expected '}}' for this '{{', found the end of the text")]
    UnclosedComment,
    /// Variations are nested too deeply.
    #[error("expected at most {MAX_NESTING} variations within each other, found another")]
    TooDeep,
}

/// A text in a message, or the end of the text.
fn text(found: &Option<String>) -> String {
    found.as_ref().map_or_else(|| "the end of the text".to_owned(), |text| format!("{text:?}"))
}
