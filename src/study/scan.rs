//! Words, brackets and titles, with their places; comments are passed over.

use super::error::{ParseStudyError, Place, StudyProblem};

/// A piece of the text of studies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub place: Place,
    pub kind: Kind<'a>,
}

/// What a [`Token`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// A line that begins with `#`, without it.
    Title(&'a str),
    /// `(` or `[`.
    Open(char),
    /// `)` or `]`.
    Close(char),
    /// Characters without a blank between them.
    Word(&'a str),
    /// The end of the text.
    End,
}

impl Token<'_> {
    /// The text, shortened, for a message; `None` at the end.
    pub fn found(&self) -> Option<String> {
        match self.kind {
            Kind::Title(title) => Some(crate::notation::excerpt(&format!("#{title}"))),
            Kind::Open(bracket) | Kind::Close(bracket) => Some(bracket.to_string()),
            Kind::Word(word) => Some(crate::notation::excerpt(word)),
            Kind::End => None,
        }
    }
}

/// Reads tokens, counting lines and columns as it goes.
pub(super) struct Scanner<'a> {
    rest: &'a str,
    place: Place,
    at_line_start: bool,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Scanner<'a> {
        let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
        Scanner { rest, place: Place::START, at_line_start: true }
    }

    /// Passes over the first `bytes` of what is left, and returns them.
    fn advance(&mut self, bytes: usize) -> &'a str {
        let (passed, rest) = self.rest.split_at(bytes);
        for c in passed.chars() {
            if c == '\n' {
                self.place = Place { line: self.place.line + 1, column: 1 };
                self.at_line_start = true;
            } else {
                self.place.column += 1;
                self.at_line_start &= c.is_whitespace();
            }
        }
        self.rest = rest;
        passed
    }

    fn line_length(&self) -> usize {
        self.rest.find('\n').unwrap_or(self.rest.len())
    }

    /// The next token; the end again and again after the last one.
    pub fn next(&mut self) -> Result<Token<'a>, ParseStudyError> {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            self.advance(blank);
            let (place, at_line_start) = (self.place, self.at_line_start);
            let token = |kind| Ok(Token { place, kind });
            match self.rest.chars().next() {
                None => return token(Kind::End),
                Some('#') if at_line_start => {
                    let line = self.advance(self.line_length());
                    return token(Kind::Title(&line[1..]));
                }
                Some(';') => {
                    self.advance(self.line_length());
                }
                Some('{') => {
                    let Some(end) = self.rest.find('}') else {
                        return Err(ParseStudyError {
                            place,
                            problem: StudyProblem::UnclosedComment,
                        });
                    };
                    self.advance(end + 1);
                }
                Some(c @ ('(' | '[')) => {
                    self.advance(1);
                    return token(Kind::Open(c));
                }
                Some(c @ (')' | ']')) => {
                    self.advance(1);
                    return token(Kind::Close(c));
                }
                Some(_) => {
                    let ends = |c: char| c.is_whitespace() || "()[]{;".contains(c);
                    let end = self.rest.find(ends).unwrap_or(self.rest.len());
                    return token(Kind::Word(self.advance(end)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_know_their_places_and_comments_are_passed_over() {
        let mut scanner = Scanner::new("\u{feff}# Ä title \n{a\ncomment} a-b( ; more ) #\n  ]#x");
        let mut token = || {
            let token = scanner.next().unwrap();
            (token.place.line, token.place.column, token.kind)
        };
        assert_eq!(token(), (1, 1, Kind::Title(" Ä title ")));
        assert_eq!(token(), (3, 10, Kind::Word("a-b")));
        assert_eq!(token(), (3, 13, Kind::Open('(')));
        assert_eq!(token(), (4, 3, Kind::Close(']')));
        assert_eq!(token(), (4, 4, Kind::Word("#x")));
        assert_eq!(token(), (4, 6, Kind::End));
        assert_eq!(token(), (4, 6, Kind::End));
    }
}
