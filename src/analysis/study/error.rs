//! Errors in the text of a study.

use lasca_tablebase::notation::TextError;
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
/// use lasca_analysis::study::parse;
/// let error = parse("a1WWW b2BBB, White to move\n1. a1-b2-c3 (1. a1-c3").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 2, column 22: expected ')' for the '(' at line 2, column 13, found the end of the text"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{location}: {problem}")]
#[non_exhaustive]
pub struct ParseStudyError {
    /// Where the problem is.
    pub location: Location,
    /// What was expected at that place, and what was found.
    pub problem: String,
}

impl ParseStudyError {
    pub(super) fn new(
        location: Location,
        expected: impl fmt::Display,
        found: impl fmt::Display,
    ) -> ParseStudyError {
        ParseStudyError { location, problem: format!("expected {expected}, found {found}") }
    }

    /// What is wrong with the text of a move that begins there.
    pub(super) fn in_move(begin: Location, error: TextError) -> ParseStudyError {
        let location = begin.right(error.at.unwrap_or(1) - 1);
        ParseStudyError { location, problem: error.problem }
    }
}
