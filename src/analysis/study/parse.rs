//! Reading the text of studies.

use super::error::{Location, ParseStudyError};
use super::scan::{Scanner, Token, TokenKind};
use super::{ClaimedOutcome, MAX_NESTING, Mark, Study, StudyMove, Variation, VariationStart};
use lasca_tablebase::Outcome;
use lasca_tablebase::internals::{
    check_form, excerpt, is_dash, is_mark, is_separator, is_start, split_column, square_len,
};
use lasca_tablebase::notation::{MoveNumber, TextError};
use lasca_tablebase::rules::{Color, Counter, Position};

/// Reads all studies of a text, of which there must be at least one.
///
/// No move is played here: [`check()`](super::check()) finds out whether the moves are legal.
///
/// # Errors
/// If the text is not as `docs/STUDY_FORMAT.md` describes studies.
///
/// ```
/// use lasca_tablebase::Outcome;
/// use lasca_analysis::study::{Mark, parse};
/// let studies = parse("# Two columns\na1W c3B w draws 1. a1-b2? c3-b2-a1 0-1 b2B d2W a7W w")?;
/// assert_eq!(studies.len(), 2);
/// assert_eq!(studies[0].title.as_deref(), Some("Two columns"));
/// assert_eq!(studies[0].verdict.map(|claimed| claimed.outcome), Some(Outcome::Draw));
/// assert_eq!(studies[0].moves[0].mark, Some(Mark::Bad));
/// assert_eq!(studies[0].moves[1].number.to_string(), "1...");
/// # Ok::<(), lasca_analysis::study::ParseStudyError>(())
/// ```
pub fn parse(text: &str) -> Result<Vec<Study>, ParseStudyError> {
    if text.trim().is_empty() {
        return Err(ParseStudyError::new(Location::START, STUDY, "an empty text"));
    }
    let mut parser = Parser::new(text)?;
    let mut studies = vec![parser.study()?];
    while parser.token.kind != TokenKind::End {
        studies.push(parser.study()?);
    }
    Ok(studies)
}

const STUDY: &str = "a study, which begins with a position such as a1WWW b2BBB w";
/// What is expected in several places.
const ITEM: &str =
    "a move, a result such as 1-0, a variation in parentheses or a comment in braces";
const MOVE_BEFORE: &str = "a move before this";
const ONE_MARK: &str = "one mark (! ? !! ?? !? ?!) at a move";

type Parsed<T> = Result<T, ParseStudyError>;

/// The parser: the current token and the text after it.
struct Parser<'a> {
    scanner: Scanner<'a>,
    token: Token<'a>,
    /// The comments that were passed, and belong to nothing yet.
    comments: Vec<String>,
}

/// A line of moves that is being read.
struct UnfinishedLine {
    /// The number of the next move.
    next: MoveNumber,
    /// Whether that number is certain. Before the first move, the text may still say another.
    number_is_known: bool,
    moves: Vec<StudyMove>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parsed<Parser<'a>> {
        let token = Token { location: Location::START, kind: TokenKind::End };
        let mut parser = Parser { scanner: Scanner::new(text), token, comments: Vec::new() };
        parser.advance()?;
        Ok(parser)
    }

    /// Goes to the next token.
    fn advance(&mut self) -> Parsed<()> {
        self.token = self.scanner.next(&mut self.comments)?;
        Ok(())
    }

    /// The current token, if it is a word.
    fn word(&self) -> Option<&'a str> {
        match self.token.kind {
            TokenKind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Skips the first `bytes` of the current word, and goes to the next token if no more is left of it.
    fn advance_within(&mut self, bytes: usize) -> Parsed<()> {
        let TokenKind::Word(word) = self.token.kind else { return self.advance() };
        if bytes >= word.len() {
            return self.advance();
        }
        let (passed, rest) = word.split_at(bytes);
        let location = self.token.location.right(passed.chars().count());
        self.token = Token { location, kind: TokenKind::Word(rest) };
        Ok(())
    }

    /// The error for the current token, where something else was expected.
    fn unexpected<T>(&self, expected: &str) -> Parsed<T> {
        Err(ParseStudyError::new(self.token.location, expected, self.token.found()))
    }

    fn study(&mut self) -> Parsed<Study> {
        let mut title = None;
        if let TokenKind::Title(text) = self.token.kind {
            title = Some(text.trim().to_owned()).filter(|title| !title.is_empty());
            self.advance()?;
        }
        let (introduction, location) = (self.comments.len(), self.token.location);
        let position = self.position()?;
        let verdict = self.verdict(position.side_to_move())?;
        let comments = std::mem::take(&mut self.comments);
        let mut line = UnfinishedLine {
            next: MoveNumber::first(position.side_to_move()),
            number_is_known: false,
            moves: Vec::new(),
        };
        self.moves(&mut line, 0)?;
        let moves = line.moves;
        Ok(Study { title, location, position, verdict, comments, introduction, moves })
    }

    /// Reads a position, up to the word that says who is to move.
    fn position(&mut self) -> Parsed<Position> {
        let mut words = PositionWords::default();
        while let Some(word) = self.word() {
            if is_move(word) || outcome(trimmed(word)).is_some() || is_number(word) {
                break;
            }
            words.push(self.token.location, word);
            self.advance()?;
            if words.are_whole() {
                break;
            }
        }
        if words.text.is_empty() {
            return self.unexpected(STUDY);
        }
        let text = if is_start(trimmed(&words.text)) { trimmed(&words.text) } else { &words.text };
        text.parse().map_err(|error: TextError| ParseStudyError {
            location: words.location_of(error.at.unwrap_or(1)),
            problem: error.problem,
        })
    }

    /// Reads `to move`, and the verdict if there is one.
    fn verdict(&mut self, side_to_move: Color) -> Parsed<Option<ClaimedOutcome>> {
        let mut location = self.token.location;
        let (mut side, mut unfinished) = (None, false);
        while let Some(word) = self.word() {
            let lower = trimmed(word).to_ascii_lowercase();
            let subject = side.unwrap_or(side_to_move);
            let outcome = match lower.as_str() {
                "win" | "wins" | "won" => Some(Outcome::Win(subject)),
                "draw" | "draws" | "drawn" => Some(Outcome::Draw),
                "lose" | "loses" | "lost" => Some(Outcome::Win(!subject)),
                symbol => outcome(symbol),
            };
            if let Some(outcome) = outcome {
                self.advance()?;
                let plies = self.plies(outcome)?;
                return Ok(Some(ClaimedOutcome { location, outcome, plies }));
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
            if !unfinished {
                location = self.token.location;
            }
        }
        if unfinished {
            return self.unexpected("wins, draws or loses");
        }
        Ok(None)
    }

    /// Reads `in 12`, `in 12 plies` or `in 1 ply` after an outcome that has a length.
    fn plies(&mut self, outcome: Outcome) -> Parsed<Option<u16>> {
        let is = |word: &str, expected: &str| trimmed(word).eq_ignore_ascii_case(expected);
        if !self.word().is_some_and(|word| is(word, "in")) {
            return Ok(None);
        }
        if outcome == Outcome::Draw {
            return self.unexpected("no length, as a draw has none");
        }
        self.advance()?;
        let Some(plies) = self.word().and_then(|word| trimmed(word).parse().ok()) else {
            return self.unexpected(&format!("a number of plies from 0 to {}", u16::MAX));
        };
        self.advance()?;
        match self.word() {
            Some(word) if is(word, "plies") || is(word, "ply") => self.advance()?,
            Some(word) if is(word, "moves") || is(word, "move") => {
                return self.unexpected("the length in plies, which are moves by one side");
            }
            _ => {}
        }
        Ok(Some(plies))
    }

    /// Reads moves and everything between them, up to the next study, the end or a closing bracket.
    fn moves(&mut self, line: &mut UnfinishedLine, depth: usize) -> Parsed<()> {
        loop {
            if let Some(last) = line.moves.last_mut() {
                last.comments.append(&mut self.comments);
            }
            match self.token.kind {
                TokenKind::End | TokenKind::Title(_) => return Ok(()),
                TokenKind::Close(_) if depth > 0 => return Ok(()),
                TokenKind::Close(_) => return self.unexpected(ITEM),
                TokenKind::Open(bracket) => self.variation(line, bracket, depth)?,
                TokenKind::Word(word) => {
                    // `1/2` looks like a position in row form, but is a result.
                    if is_piece(word) && outcome(trimmed(word)).is_none() {
                        return Ok(());
                    }
                    self.line_item(line, word)?;
                }
            }
        }
    }

    /// Reads a number, a move, a mark or a result.
    fn line_item(&mut self, line: &mut UnfinishedLine, word: &str) -> Parsed<()> {
        let location = self.token.location;
        if let Some(outcome) = outcome(trimmed(word)) {
            if line.moves.is_empty() {
                return self.unexpected(MOVE_BEFORE);
            }
            self.advance()?;
            let plies = self.plies(outcome)?;
            let result = ClaimedOutcome { location, outcome, plies };
            line.moves.last_mut().into_iter().for_each(|last| last.results.push(result));
            return Ok(());
        }
        if is_number(word) {
            let (next, is_known) = (line.next, line.number_is_known);
            let fits = |found: MoveNumber| match is_known {
                true => found == next,
                false => found.side == next.side && found.number > 0,
            };
            let expected = |side| match side == next.side {
                true => next.to_string(),
                false => format!("{next}, as {} is to move", next.side),
            };
            (line.next, line.number_is_known) = (self.number(fits, expected)?, true);
            return self.move_after_number();
        }
        if word.chars().all(|c| matches!(c, '*' | '#')) && !line.moves.is_empty() {
            return self.advance();
        }
        if word.starts_with(['!', '?']) {
            return match (line.moves.last_mut(), Mark::from_symbol(trimmed(word))) {
                (None, _) => self.unexpected(MOVE_BEFORE),
                (Some(last), Some(mark)) if last.mark.is_none() => {
                    last.mark = Some(mark);
                    self.advance()
                }
                _ => self.unexpected(ONE_MARK),
            };
        }
        if !is_move(word) {
            return self.unexpected(ITEM);
        }
        let mut written = self.written_move(line.next, word)?;
        (line.next, line.number_is_known) = (line.next.next(), true);
        self.advance()?;
        if let Some(result) = written.results.last_mut() {
            result.plies = self.plies(result.outcome)?;
        }
        line.moves.push(written);
        Ok(())
    }

    /// Reads a word as a move with its mark and its result.
    fn written_move(&self, number: MoveNumber, word: &str) -> Parsed<StudyMove> {
        let location = self.token.location;
        let mut rest = trimmed(word);
        let mut results = Vec::new();
        // A result that directly follows the move is a sign, of one character or two.
        let mut ends = rest.char_indices().rev().take(2).map(|(start, _)| rest.split_at(start));
        if let Some((before, outcome)) =
            ends.find_map(|(before, sign)| Some((before, outcome(sign)?)))
        {
            let location = location.right(before.chars().count());
            results.push(ClaimedOutcome { location, outcome, plies: None });
            rest = before;
        }
        let text = rest.trim_end_matches(is_mark);
        let symbol = &rest[text.len()..];
        // `*` and `#` mean nothing.
        let symbol = &*symbol.replace(['*', '#'], "");
        let mark = Mark::from_symbol(symbol);
        if mark.is_none() && !symbol.is_empty() {
            let location = location.right(text.chars().count());
            let symbol = Token { location, kind: TokenKind::Word(symbol) };
            return Err(ParseStudyError::new(location, ONE_MARK, symbol.found()));
        }
        check_form(text).map_err(|error| ParseStudyError::in_move(location, error))?;
        let text = text.to_owned();
        Ok(StudyMove {
            location,
            number,
            text,
            mark,
            results,
            comments: Vec::new(),
            variations: Vec::new(),
        })
    }

    /// Reads a number with its dots, which must fit.
    fn number(
        &mut self,
        fits: impl Fn(MoveNumber) -> bool,
        expected: impl Fn(Color) -> String,
    ) -> Parsed<MoveNumber> {
        let location = self.token.location;
        let word = self.word().unwrap_or_default();
        let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let written = &word[..digits];
        let is_bare = digits == word.len();
        self.advance_within(digits)?;
        if is_bare && let TokenKind::Close(bracket) = self.token.kind {
            let expected = format!("the number {}", expected(Color::White));
            return Err(ParseStudyError::new(location, expected, format!("{written}{bracket}")));
        }
        let mut dots = 0;
        while let Some(word) = self.word().filter(|word| word.starts_with(['.', '…'])) {
            let rest = word.trim_start_matches(['.', '…']);
            let passed = &word[..word.len() - rest.len()];
            dots += passed.chars().map(|c| if c == '…' { 3 } else { 1 }).sum::<usize>();
            self.advance_within(passed.len())?;
        }
        let side = if dots < 2 { Color::White } else { Color::Black };
        let found = written.parse().ok().map(|number| MoveNumber { number, side });
        found.filter(|&found| fits(found)).ok_or_else(|| {
            let found = format!("{}{}", excerpt(written), if dots < 2 { "." } else { "..." });
            ParseStudyError::new(location, format!("the number {}", expected(side)), found)
        })
    }

    fn move_after_number(&self) -> Parsed<()> {
        match self.word() {
            Some(word) if is_move(word) && outcome(trimmed(word)).is_none() => Ok(()),
            _ => self.unexpected("a move after its number"),
        }
    }

    /// Reads a variation from its opening bracket to its closing one.
    fn variation(&mut self, line: &mut UnfinishedLine, bracket: char, depth: usize) -> Parsed<()> {
        let opened = self.token.location;
        let Some(last) = line.moves.last_mut() else {
            return self.unexpected(MOVE_BEFORE);
        };
        if depth >= MAX_NESTING {
            let expected = format!("at most {MAX_NESTING} variations within each other");
            return Err(ParseStudyError::new(opened, expected, "another"));
        }
        self.advance()?;
        let leads_in = |word: &str| {
            let word = word.trim_end_matches([',', ':']);
            ["or", "not", "nor"].iter().any(|lead| word.eq_ignore_ascii_case(lead))
        };
        let mut lead_in = Vec::new();
        while let Some(word) = self.word().filter(|word| leads_in(word)) {
            lead_in.push(trimmed(word));
            self.advance()?;
        }
        let lead_in = lead_in.join(" ");
        let comments_before = last.comments.len();
        let (instead, after) = (last.number, last.number.next());
        let mut first = instead;
        if self.word().is_some_and(|w| is_number(w) && outcome(trimmed(w)).is_none()) {
            let fits = |found| [instead, after].contains(&found);
            first = self.number(fits, |_| format!("{instead} or {after}"))?;
            self.move_after_number()?;
        }
        let mut inner = UnfinishedLine { next: first, number_is_known: true, moves: Vec::new() };
        self.moves(&mut inner, depth + 1)?;
        if inner.moves.is_empty() {
            return self.unexpected("a move in the variation");
        }
        let expected = if bracket == '(' { ')' } else { ']' };
        if self.token.kind != TokenKind::Close(expected) {
            return self.unexpected(&format!("'{expected}' for the '{bracket}' at {opened}"));
        }
        let start = if first == instead { VariationStart::Instead } else { VariationStart::After };
        let moves = inner.moves;
        last.variations.push(Variation { start, comments_before, lead_in, moves });
        self.advance()
    }
}

/// The words of a position, joined by spaces, with the place of each in the text of the study.
#[derive(Default)]
struct PositionWords {
    text: String,
    /// For each word, the number of its first character in `text`, from 1, and its place in the study.
    starts: Vec<(usize, Location)>,
    characters: usize,
}

impl PositionWords {
    fn push(&mut self, location: Location, word: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
            self.characters += 1;
        }
        self.starts.push((self.characters + 1, location));
        self.text.push_str(word);
        self.characters += word.chars().count();
    }

    /// Whether the last word names the side to move, or ends with that, or stands for a whole position.
    fn are_whole(&self) -> bool {
        let (before, word) = self.text.rsplit_once(' ').unwrap_or(("", &self.text));
        let word_trimmed = trimmed(word);
        let last = match word.contains('/') {
            true => word_trimmed,
            false => word_trimmed.rsplit(',').next().unwrap_or(word_trimmed),
        };
        // In row form, an upper-case letter may also be an officer between commas.
        let is_list = after_square(&self.text).len() < self.text.len();
        let after_rows =
            before.rsplit(' ').next().is_some_and(|rows| rows.contains('/')) && !word.contains(',');
        match last {
            "w" | "b" => true,
            "W" | "B" => is_list || after_rows,
            _ if is_start(last) => before.is_empty(),
            _ => ["white", "black"].iter().any(|side| last.eq_ignore_ascii_case(side)),
        }
    }

    /// The place in the study of a character of `text`, by its number from 1.
    fn location_of(&self, number: usize) -> Location {
        let start = self.starts.iter().rev().find(|&&(first, _)| first <= number);
        start.map_or(Location::START, |&(first, location)| location.right(number - first))
    }
}

/// The word without the punctuation that may follow it.
fn trimmed(word: &str) -> &str {
    word.trim_end_matches([',', '.', ':'])
}

/// The result that this symbol stands for.
fn outcome(symbol: &str) -> Option<Outcome> {
    let mut plain = String::new();
    for c in symbol.chars().filter(|c| !c.is_whitespace()) {
        let c = if is_dash(c) { '-' } else { c };
        if c != '-' || !plain.ends_with('-') {
            plain.push(c);
        }
    }
    match &*plain {
        "1-0" | "+-" => Some(Outcome::Win(Color::White)),
        "0-1" | "-+" => Some(Outcome::Win(Color::Black)),
        "1/2" | "1/2-1/2" | "½" | "½-½" | "=" => Some(Outcome::Draw),
        _ => None,
    }
}

/// Whether the word looks like a move: a square, perhaps with a column, and a separator; or two squares with letters.
fn is_move(word: &str) -> bool {
    let is_lettered = |word: &str| word.starts_with(|c: char| c.is_ascii_alphabetic());
    let after = after_square(word);
    let (column, next) = split_column(after);
    let is_square =
        column.is_empty() && is_lettered(word) && is_lettered(next) && after_square(next) != next;
    after.len() < word.len() && (trimmed(next).trim_start().starts_with(is_separator) || is_square)
}

/// The rest of the word after the square with which it begins; the whole word if it begins otherwise.
fn after_square(word: &str) -> &str {
    &word[square_len(word)..]
}

/// Whether the word begins with a move number: digits, then a dot or nothing.
fn is_number(word: &str) -> bool {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < word.len() && (rest.is_empty() || rest.starts_with(['.', '…']))
}

/// Whether the word can only belong to a position: it is in row form, or a square with its column, or
/// the word for the starting position.
fn is_piece(word: &str) -> bool {
    // `+/-` and the like are opinions.
    let is_opinion = word.starts_with(|c| is_dash(c) || matches!(c, '+' | '=' | '∓' | '±'));
    if word.contains('/') && !is_opinion || is_start(trimmed(word)) {
        return true;
    }
    let first = word.split(',').next().unwrap_or(word);
    let counters = after_square(first);
    counters.len() < first.len()
        && !counters.is_empty()
        && counters.chars().all(|c| Counter::from_letter(c).is_some())
}
