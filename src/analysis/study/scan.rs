//! Splits the text of studies into words, brackets and titles, and collects its comments.

use super::error::{Location, ParseStudyError};
use lasca_tablebase::internals::{excerpt, is_blank, word_len};
use lasca_tablebase::notation::without_mark;

/// A word, a bracket or a title, with its place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub location: Location,
    pub kind: TokenKind<'a>,
}

/// What a [`Token`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind<'a> {
    /// A line that begins with `#`; the text after it.
    Title(&'a str),
    /// `(` or `[`.
    Open(char),
    /// `)` or `]`.
    Close(char),
    /// Characters without a blank between them, unless it stands beside a dash between squares or numbers.
    Word(&'a str),
    /// The end of the text.
    End,
}

impl Token<'_> {
    /// The token in a message: its text, shortened, or that the text ends there.
    pub fn found(&self) -> String {
        let text = match self.kind {
            TokenKind::Title(title) => &format!("#{title}"),
            TokenKind::Open(bracket) | TokenKind::Close(bracket) => &bracket.to_string(),
            TokenKind::Word(word) => word,
            TokenKind::End => return "the end of the text".to_owned(),
        };
        format!("{:?}", excerpt(text))
    }
}

/// What asks for a board in a booklet. It counts as a comment where it does not stand in one.
pub(crate) const BOARD: &str = "[#]";

/// Reads tokens and counts lines and characters on the way.
pub(super) struct Scanner<'a> {
    rest: &'a str,
    location: Location,
    at_line_start: bool,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Scanner<'a> {
        Scanner { rest: text, location: Location::START, at_line_start: true }
    }

    /// Skips the first `bytes` of the rest of the text, and returns them.
    fn advance(&mut self, bytes: usize) -> &'a str {
        let (passed, rest) = self.rest.split_at(bytes);
        for c in passed.chars() {
            if c == '\n' {
                self.location = Location { line: self.location.line + 1, character: 1 };
                self.at_line_start = true;
            } else {
                self.location.character += 1;
                self.at_line_start &= is_blank(c);
            }
        }
        self.rest = rest;
        passed
    }

    /// Skips blanks and the marks at the beginning of lines, which count as no characters.
    fn skip_blanks(&mut self) {
        loop {
            if self.at_line_start {
                self.rest = without_mark(self.rest);
            }
            match self.rest.len() - self.rest.trim_start_matches(is_blank).len() {
                0 => return,
                blank => self.advance(blank),
            };
        }
    }

    fn line_length(&self) -> usize {
        self.rest.find('\n').unwrap_or(self.rest.len())
    }

    /// The next token. After the last one it is always the end. Comments before it are added to `comments`: what
    /// stands in braces, or from `;` to the end of the line, and each [`BOARD`].
    pub fn next(&mut self, comments: &mut Vec<String>) -> Result<Token<'a>, ParseStudyError> {
        loop {
            self.skip_blanks();
            let (location, at_line_start) = (self.location, self.at_line_start);
            let kind = match self.rest.chars().next() {
                None => TokenKind::End,
                Some('#') if at_line_start => {
                    TokenKind::Title(&self.advance(self.line_length())[1..])
                }
                Some(';') => {
                    comments.push(self.advance(self.line_length())[1..].trim().to_owned());
                    continue;
                }
                Some('{') => {
                    let Some(end) = self.rest.find('}') else {
                        let found = Token { location, kind: TokenKind::End }.found();
                        return Err(ParseStudyError::new(location, "'}' for this '{'", found));
                    };
                    comments.push(self.advance(end + 1)[1..end].trim().to_owned());
                    continue;
                }
                Some('[') if self.rest.starts_with(BOARD) => {
                    comments.push(self.advance(BOARD.len()).to_owned());
                    continue;
                }
                Some(c @ ('(' | '[')) => {
                    self.advance(1);
                    TokenKind::Open(c)
                }
                Some(c @ (')' | ']')) => {
                    self.advance(1);
                    TokenKind::Close(c)
                }
                Some(_) => {
                    let ends = |c: char| is_blank(c) || "()[]{;".contains(c);
                    TokenKind::Word(self.advance(word_len(self.rest, ends)))
                }
            };
            return Ok(Token { location, kind });
        }
    }
}
