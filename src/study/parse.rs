//! Reading studies.

use super::error::{ParseStudyError, Place, StudyProblem};
use super::scan::{Kind, Scanner, Token};
use super::{MAX_NESTING, Mark, Outcome, Stated, Study, StudyMove, Variation, VariationStart};
use crate::notation::{MoveNumber, excerpt};
use crate::rules::{Color, Counter, Position};

/// Reads all studies of a text, at least one. The form is described in the
/// [module](crate::study#the-text).
///
/// Moves are not played: whether they are legal is for [`check()`](super::check()) to say.
///
/// # Errors
/// See [`StudyProblem`].
///
/// ```
/// use lasca_tablebase::study::{Mark, Outcome, parse};
/// let studies = parse("# Two columns\na1W c3B w draws 1. a1-b2? c3-b2-a1 0-1 b2B d2W a7W w")?;
/// assert_eq!(studies.len(), 2);
/// assert_eq!(studies[0].title.as_deref(), Some("Two columns"));
/// assert_eq!(studies[0].verdict.map(|stated| stated.outcome), Some(Outcome::Draw));
/// assert_eq!(studies[0].moves[0].mark, Some(Mark::Bad));
/// assert_eq!(studies[0].moves[1].number.to_string(), "1...");
/// # Ok::<(), lasca_tablebase::study::ParseStudyError>(())
/// ```
pub fn parse(text: &str) -> Result<Vec<Study>, ParseStudyError> {
    let mut parser = Parser::new(text)?;
    let mut studies = vec![parser.study()?];
    while parser.token.kind != Kind::End {
        studies.push(parser.study()?);
    }
    Ok(studies)
}

type Parsed<T> = Result<T, ParseStudyError>;

/// The token at hand, and what comes after it.
struct Parser<'a> {
    scanner: Scanner<'a>,
    token: Token<'a>,
}

/// Moves as they are being read.
struct LineInHand {
    /// The number of the next move.
    next: MoveNumber,
    /// Whether it is settled: a number or a move has been read.
    counted: bool,
    moves: Vec<StudyMove>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parsed<Parser<'a>> {
        let mut scanner = Scanner::new(text);
        let token = scanner.next()?;
        Ok(Parser { scanner, token })
    }

    fn advance(&mut self) -> Parsed<()> {
        self.token = self.scanner.next()?;
        Ok(())
    }

    /// The word at hand.
    fn word(&self) -> Option<&'a str> {
        match self.token.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Leaves the first `bytes` of the word at hand behind, and goes on if that is all of it.
    fn advance_within(&mut self, bytes: usize) -> Parsed<()> {
        let Kind::Word(word) = self.token.kind else { return self.advance() };
        if bytes >= word.len() {
            return self.advance();
        }
        let (passed, rest) = word.split_at(bytes);
        let place = self.token.place.right(passed.chars().count());
        self.token = Token { place, kind: Kind::Word(rest) };
        Ok(())
    }

    fn error<T>(&self, problem: StudyProblem) -> Parsed<T> {
        Err(ParseStudyError { place: self.token.place, problem })
    }

    fn study(&mut self) -> Parsed<Study> {
        let title = match self.token.kind {
            Kind::Title(title) => {
                self.advance()?;
                Some(title.trim().to_owned()).filter(|title| !title.is_empty())
            }
            _ => None,
        };
        let place = self.token.place;
        let position = self.position()?;
        let verdict = self.verdict(position.side_to_move())?;
        let mut line = LineInHand {
            next: MoveNumber::first(position.side_to_move()),
            counted: false,
            moves: Vec::new(),
        };
        self.moves(&mut line, 0)?;
        Ok(Study { title, place, position, verdict, moves: line.moves })
    }

    /// A position's words, up to the one that says who is to move.
    fn position(&mut self) -> Parsed<Position> {
        let mut words = Words::default();
        while let Some(word) = self.word() {
            if is_move(word) || Outcome::from_symbol(trimmed(word)).is_some() || is_number(word) {
                break;
            }
            words.push(self.token.place, word);
            self.advance()?;
            if ends_position(word) {
                break;
            }
        }
        if words.text.is_empty() {
            return self.error(StudyProblem::NoPosition { found: self.token.found() });
        }
        words.text.parse().map_err(|error: crate::notation::ParsePositionError| ParseStudyError {
            place: words.place_of(error.at().unwrap_or(1)),
            problem: StudyProblem::Position(error),
        })
    }

    /// `to move`, then who wins, if that is said.
    fn verdict(&mut self, side_to_move: Color) -> Parsed<Option<Stated>> {
        let place = self.token.place;
        let (mut side, mut unfinished) = (None, false);
        while let Some(word) = self.word() {
            let lower = trimmed(word).to_ascii_lowercase();
            let subject = side.unwrap_or(side_to_move);
            let outcome = match lower.as_str() {
                "win" | "wins" | "won" => Some(Outcome::Win(subject)),
                "draw" | "draws" | "drawn" => Some(Outcome::Draw),
                "lose" | "loses" | "lost" => Some(Outcome::Win(!subject)),
                symbol => Outcome::from_symbol(symbol),
            };
            if let Some(outcome) = outcome {
                self.advance()?;
                return Ok(Some(Stated { place, outcome }));
            }
            match lower.as_str() {
                "move" | "play" | "" => {}
                "to" | "and" | "can" | "is" => unfinished = lower != "to",
                "white" | "black" if side.is_none() => {
                    side = Some(if lower == "white" { Color::White } else { Color::Black });
                    unfinished = true;
                }
                _ => break,
            }
            self.advance()?;
        }
        if unfinished {
            return self.error(StudyProblem::NoVerdict { found: self.token.found() });
        }
        Ok(None)
    }

    /// Moves with all that stands between them, up to the next study, the end or a closing bracket.
    fn moves(&mut self, line: &mut LineInHand, depth: usize) -> Parsed<()> {
        loop {
            match self.token.kind {
                Kind::End | Kind::Title(_) => return Ok(()),
                Kind::Close(_) if depth > 0 => return Ok(()),
                Kind::Close(bracket) => {
                    return self.error(StudyProblem::NoMove { found: bracket.to_string() });
                }
                Kind::Open(bracket) => self.variation(line, bracket, depth)?,
                Kind::Word(word) => {
                    if is_piece(word) {
                        return Ok(());
                    }
                    self.of_line(line, word)?;
                }
            }
        }
    }

    /// A number, a move, a mark or a result.
    fn of_line(&mut self, line: &mut LineInHand, word: &str) -> Parsed<()> {
        let place = self.token.place;
        let nothing_before = || StudyProblem::NothingBefore { found: excerpt(word) };
        if let Some(outcome) = Outcome::from_symbol(trimmed(word)) {
            let Some(last) = line.moves.last_mut() else { return self.error(nothing_before()) };
            last.results.push(Stated { place, outcome });
            return self.advance();
        }
        if is_number(word) {
            let expected = if line.counted { vec![line.next] } else { Vec::new() };
            (line.next, line.counted) = (self.number(&expected, line.next.side)?, true);
            return self.move_after_number();
        }
        if word.starts_with(['!', '?']) {
            let mark = Mark::from_symbol(trimmed(word));
            let problem = StudyProblem::Mark { found: excerpt(word) };
            return match (line.moves.last_mut(), mark) {
                (None, _) => self.error(nothing_before()),
                (Some(last), Some(mark)) if last.mark.is_none() => {
                    last.mark = Some(mark);
                    self.advance()
                }
                _ => self.error(problem),
            };
        }
        if !is_move(word) {
            return self.error(StudyProblem::NoMove { found: excerpt(word) });
        }
        let written = self.written_move(line.next, word)?;
        (line.next, line.counted) = (line.next.next(), true);
        line.moves.push(written);
        self.advance()
    }

    /// The move that a word is, with its mark and its result.
    fn written_move(&self, number: MoveNumber, word: &str) -> Parsed<StudyMove> {
        let place = self.token.place;
        let mut rest = trimmed(word);
        let mut results = Vec::new();
        for symbol in ["+-", "-+", "="] {
            if let Some((before, outcome)) =
                rest.strip_suffix(symbol).zip(Outcome::from_symbol(symbol))
            {
                let place = place.right(before.chars().count());
                results.push(Stated { place, outcome });
                rest = before;
                break;
            }
        }
        let text = rest.trim_end_matches(['!', '?']);
        let symbol = &rest[text.len()..];
        let mark = Mark::from_symbol(symbol);
        if mark.is_none() && !symbol.is_empty() {
            return Err(ParseStudyError {
                place: place.right(text.chars().count()),
                problem: StudyProblem::Mark { found: excerpt(symbol) },
            });
        }
        let text = text.to_owned();
        Ok(StudyMove { place, number, text, mark, results, variations: Vec::new() })
    }

    /// The number at hand, with its dots. It must be one of those expected, or, if that is none, the
    /// number of any move of `side`.
    fn number(&mut self, expected: &[MoveNumber], side: Color) -> Parsed<MoveNumber> {
        let place = self.token.place;
        let word = self.word().unwrap_or_default();
        let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let written = &word[..digits];
        self.advance_within(digits)?;
        let mut dots = 0;
        while let Some(word) = self.word().filter(|word| word.starts_with(['.', '…'])) {
            let rest = word.trim_start_matches(['.', '…']);
            let passed = &word[..word.len() - rest.len()];
            dots += passed.chars().map(|c| if c == '…' { 3 } else { 1 }).sum::<usize>();
            self.advance_within(passed.len())?;
        }
        let of = |dots| if dots < 2 { Color::White } else { Color::Black };
        let found = written.parse().ok().map(|number| MoveNumber { number, side: of(dots) });
        let fits = |found: &MoveNumber| match expected {
            [] => found.side == side && found.number > 0,
            expected => expected.contains(found),
        };
        found.filter(fits).ok_or_else(|| {
            let expected: Vec<String> = match expected {
                [] => vec![MoveNumber::first(side).to_string()],
                expected => expected.iter().map(MoveNumber::to_string).collect(),
            };
            let problem = StudyProblem::Number {
                expected: expected.join(" or "),
                found: format!("{}{}", excerpt(written), if dots < 2 { "." } else { "..." }),
            };
            ParseStudyError { place, problem }
        })
    }

    fn move_after_number(&self) -> Parsed<()> {
        match self.word() {
            Some(word) if is_move(word) && Outcome::from_symbol(trimmed(word)).is_none() => Ok(()),
            _ => self.error(StudyProblem::NoMoveAfterNumber { found: self.token.found() }),
        }
    }

    /// A variation, from its opening bracket to its closing one.
    fn variation(&mut self, line: &mut LineInHand, bracket: char, depth: usize) -> Parsed<()> {
        let opened = self.token.place;
        let Some(last) = line.moves.last_mut() else {
            return self.error(StudyProblem::NothingBefore { found: bracket.to_string() });
        };
        if depth >= MAX_NESTING {
            return self.error(StudyProblem::TooDeep);
        }
        self.advance()?;
        let leads_in = |word: &str| {
            let word = word.trim_end_matches([',', ':']);
            ["or", "not", "nor"].iter().any(|lead| word.eq_ignore_ascii_case(lead))
        };
        while self.word().is_some_and(leads_in) {
            self.advance()?;
        }
        let (instead, after) = (last.number, last.number.next());
        let mut first = instead;
        if self.word().is_some_and(|w| is_number(w) && Outcome::from_symbol(trimmed(w)).is_none()) {
            first = self.number(&[instead, after], instead.side)?;
            self.move_after_number()?;
        }
        let mut inner = LineInHand { next: first, counted: true, moves: Vec::new() };
        self.moves(&mut inner, depth + 1)?;
        let found = self.token.found();
        if inner.moves.is_empty() {
            return self.error(StudyProblem::NoMoveInVariation { found });
        }
        let expected = if bracket == '(' { ')' } else { ']' };
        if self.token.kind != Kind::Close(expected) {
            let problem = StudyProblem::Unclosed { expected, opened: bracket, at: opened, found };
            return self.error(problem);
        }
        let start = if first == instead { VariationStart::Instead } else { VariationStart::After };
        last.variations.push(Variation { start, moves: inner.moves });
        self.advance()
    }
}

/// Words joined by blanks, each with the place where it stood.
#[derive(Default)]
struct Words {
    text: String,
    /// For each word, the number of its first character in `text`, from 1, and its place.
    starts: Vec<(usize, Place)>,
    characters: usize,
}

impl Words {
    fn push(&mut self, place: Place, word: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
            self.characters += 1;
        }
        self.starts.push((self.characters + 1, place));
        self.text.push_str(word);
        self.characters += word.chars().count();
    }

    /// Where the character of this number stood.
    fn place_of(&self, number: usize) -> Place {
        let start = self.starts.iter().rev().find(|&&(first, _)| first <= number);
        start.map_or(Place::START, |&(first, place)| place.right(number - first))
    }
}

/// The word without what punctuation may follow it.
fn trimmed(word: &str) -> &str {
    word.trim_end_matches([',', '.', ':'])
}

/// Whether the word is one that names the side to move, or ends with one.
fn ends_position(word: &str) -> bool {
    let word = trimmed(word);
    let last = if word.contains('/') { word } else { word.rsplit(',').next().unwrap_or(word) };
    matches!(last, "w" | "b")
        || ["white", "black"].iter().any(|side| last.eq_ignore_ascii_case(side))
}

/// Whether the word looks like a move: a square, perhaps with a column, and a separator.
fn is_move(word: &str) -> bool {
    let after_square = after_square(word);
    let separator = after_square.trim_start_matches(|c| Counter::from_letter(c).is_some());
    after_square.len() < word.len()
        && trimmed(separator).starts_with(['-', '–', 'x', 'X', '×', ':'])
}

/// What follows a square's name or number at the head of the word; all of it if there is none.
fn after_square(word: &str) -> &str {
    let name = word.strip_prefix(|c: char| c.is_ascii_alphabetic()).unwrap_or(word);
    let rest = name.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() < name.len() { rest } else { word }
}

/// Whether the word begins with a move's number: digits and then a dot or nothing.
fn is_number(word: &str) -> bool {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < word.len() && (rest.is_empty() || rest.starts_with(['.', '…']))
}

/// Whether the word can only be of a position: of the row form, or a square with its column.
fn is_piece(word: &str) -> bool {
    if word.contains('/') {
        return true;
    }
    let first = word.split(',').next().unwrap_or(word);
    let counters = after_square(first);
    counters.len() < first.len()
        && !counters.is_empty()
        && counters.chars().all(|c| Counter::from_letter(c).is_some())
}
