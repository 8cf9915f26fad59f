//! Studies as boards get them, in one of the formats of serde: every position, and the move that leads to it.
//!
//! `docs/PROTOCOL.md` explains the keys, and `docs/output.schema.json` describes each of them.

use super::{ClaimedOutcome, Mark, ParseStudyError, Study, StudyMove};
use crate::answer::Question;
use lasca_tablebase::notation::move_text;
use lasca_tablebase::probe::{ProbeError, Standing, Tablebase};
use lasca_tablebase::rules::{Move, Position};
use lasca_tablebase::{Progress, Wdl};
use rustc_hash::FxHashMap;
use serde::Serialize;

/// Studies whose moves were played: `/studies`.
///
/// ```
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use lasca_tablebase::Silent;
/// use lasca_tablebase::probe::Tablebase;
/// use lasca_tablebase::rules::RuleSet;
/// use lasca_analysis::study::{json, parse};
/// let studies = parse("d2W f2B d4W f4B b 1... f2-g3! {This holds.}")?;
/// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
/// let played = json::Studies::new(&studies, &tables, &Silent)?;
/// let line = serde_json::to_string(&played.unwrap())?;
/// assert!(line.contains(r#"{"position":"d2W g3B d4W f4B w","move":"f2-g3","parent":0,"mark":"!","#), "{line}");
/// assert!(line.ends_with(r#""comments":["This holds."],"wdl":"draw"}],"errors":[]}]}"#), "{line}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Studies {
    /// The studies of the text, in order.
    studies: Vec<Played>,
}

/// A study whose moves were played.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PlayedStudy"))]
struct Played {
    /// The line of the text on which the position of the study begins.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    line: usize,
    /// The title; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// What the author claims about the position, as a result such as `1-0`, or with a length in plies, such as `1-0 in
    /// 12`; absent if there is no claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("pattern" = CLAIMED)))]
    verdict: Option<String>,
    /// The number of the first move; absent if it is 1, or if there is no move.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 2)))]
    number: Option<u32>,
    /// The position of the study, and then those after its moves, each once. The moves of a line stand before those of its
    /// variations.
    positions: Vec<Reached>,
    /// The moves that are not legal. Each ends its line, and the variations after it are left out.
    errors: Vec<Wrong>,
    /// The place of the position after a move, by the place of the one before.
    #[serde(skip)]
    places: FxHashMap<(usize, Move), usize>,
}

/// A position of a study.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "StudyPosition"))]
struct Reached {
    /// The position in list form.
    position: String,
    /// The move that leads to it; absent at the first position.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    played: Option<String>,
    /// The place in `positions`, from 0, of the position before the move; absent at the first position.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<usize>,
    /// The mark of the move; absent if there is none.
    ///
    /// It is the first one. A variation that repeats the move may add what it has not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = Mark::ALL.map(Mark::symbol))))]
    mark: Option<&'static str>,
    /// The last result that stands after the move, such as `1-0` or `1-0 in 12`; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("pattern" = CLAIMED)))]
    result: Option<String>,
    /// The comments that stand after the move, or after the position; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    comments: Vec<String>,
    /// The result for the side to move; absent if no table tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    wdl: Option<Wdl>,
    /// The one of several moves that keeps the result; absent if there are more, or no table tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    only: Option<String>,
}

/// A move of a study that is not legal.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "StudyError"))]
struct Wrong {
    /// The line of the text, from 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    line: usize,
    /// The character in the line, from 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    column: usize,
    /// What was expected there, and what was found.
    error: String,
}

/// What [`ClaimedOutcome`] writes.
#[cfg(feature = "schema")]
const CLAIMED: &str = "^(1-0|0-1|1/2)( in [0-9]+)?$";

impl Studies {
    /// Plays the moves of studies, and looks up what their positions are worth; `None` if `progress`
    /// [stops](Progress::should_stop) the work. A line ends with an error where its move cannot be played.
    ///
    /// # Errors
    /// If a table is damaged or cannot be read. What no table covers has no value.
    pub fn new(
        studies: &[Study],
        tables: impl Into<Tablebase>,
        progress: &dyn Progress,
    ) -> Result<Option<Studies>, ProbeError> {
        let tables = tables.into();
        let played = studies.iter().map(|study| Played::new(study, &tables, progress));
        let played = played.collect::<Result<Option<_>, _>>()?;
        Ok(played.map(|studies| Studies { studies }))
    }
}

impl Played {
    /// Plays the moves of a study; `None` if the work is stopped.
    fn new(
        study: &Study,
        tables: &Tablebase,
        progress: &dyn Progress,
    ) -> Result<Option<Played>, ProbeError> {
        let first =
            Reached { comments: study.comments.clone(), ..Reached::new(&study.position, tables)? };
        let mut played = Played {
            line: study.location.line,
            title: study.title.clone(),
            verdict: study.verdict.as_ref().map(ClaimedOutcome::to_string),
            number: study
                .moves
                .first()
                .map(|first| first.number.number)
                .filter(|&number| number > 1),
            positions: vec![first],
            errors: Vec::new(),
            places: FxHashMap::default(),
        };
        played.play(&study.moves, (0, study.position), tables, progress)?;
        Ok((!progress.should_stop()).then_some(played))
    }

    /// Plays a line from a position at this place, and then its variations, until the work is stopped.
    fn play(
        &mut self,
        moves: &[StudyMove],
        start: (usize, Position),
        tables: &Tablebase,
        progress: &dyn Progress,
    ) -> Result<(), ProbeError> {
        let mut reached = vec![start];
        for written in moves {
            if progress.should_stop() {
                return Ok(());
            }
            let (parent, before) = reached[reached.len() - 1];
            let (played, after) = match written.play(&before, tables.rules()) {
                Ok(played) => played,
                Err(ParseStudyError { location, problem: error }) => {
                    let (line, column) = (location.line, location.character);
                    self.errors.push(Wrong { line, column, error });
                    break;
                }
            };
            let place = *self.places.entry((parent, played)).or_insert(self.positions.len());
            reached.push((place, after));
            if place == self.positions.len() {
                let played = Some(move_text(&played, &after));
                let next = Reached::new(&after, tables)?;
                self.positions.push(Reached { played, parent: Some(parent), ..next });
            }
            // A variation may repeat a move, and say more about it.
            let at = &mut self.positions[place];
            at.mark = at.mark.or(written.mark.map(Mark::symbol));
            at.result = at.result.take().or(written.results.last().map(ClaimedOutcome::to_string));
            at.comments.extend_from_slice(&written.comments);
        }
        for (at, written) in moves.iter().enumerate() {
            for variation in &written.variations {
                if let Some(&from) = reached.get(variation.start.of(at, at + 1)) {
                    self.play(&variation.moves, from, tables, progress)?;
                }
            }
        }
        Ok(())
    }
}

impl Reached {
    /// A position with its value.
    fn new(position: &Position, tables: &Tablebase) -> Result<Reached, ProbeError> {
        let question = Question { moves: true, ..Question::new(tables) };
        let answer = match question.of_tables(position) {
            Err(error) if error.is_not_covered() => None,
            answer => Some(answer?),
        };
        let moves = answer.iter().flat_map(|answer| answer.moves.iter().flatten());
        let values: Vec<_> = moves.clone().map(|rated| rated.value).collect();
        let is_only = !values.is_empty() && Standing::of(&values, 0) == Some(Standing::Only);
        Ok(Reached {
            position: position.to_string(),
            wdl: answer.as_ref().and_then(|answer| answer.value.wdl()),
            only: moves.take(usize::from(is_only)).map(ToString::to_string).next(),
            ..Reached::default()
        })
    }
}
