//! Files of studies, and booklets, for the commands that read the ones or write the others.

use crate::failure::{Failure, Status};
use crate::json::Fault;
use crate::output::{Output, check_file, is_standard, save_as};
use crate::terminal::above_bars;
use crate::text;
use lasca_analysis::booklet::{Ending, booklet};
use lasca_analysis::study::{ParseStudyError, Study, parse};
use lasca_tablebase::Reason;
use serde::Serialize;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Reads all studies of these files, each with the name of its file. A file that cannot be read is told.
///
/// # Errors
/// If standard input is named twice.
pub fn read_all(
    files: &[PathBuf],
    out: &mut Output,
    status: &mut Status,
    json: bool,
) -> Result<Vec<(String, Study)>, Failure> {
    if files.iter().filter(|path| is_standard(path)).count() > 1 {
        let why = "expected - once, as standard input can be read only once, found it again";
        return Err(Failure::usage(why));
    }
    let mut all = Vec::new();
    for path in files {
        let file =
            if is_standard(path) { "standard input".into() } else { path.display().to_string() };
        match read(path) {
            Ok(studies) => all.extend(studies.into_iter().map(|study| (file.clone(), study))),
            Err(why) => {
                *status = Status::Wrong;
                tell_unchecked(out, &file, None, why, json)?;
            }
        }
    }
    Ok(all)
}

/// A study that cannot be checked, because a table is damaged or memory is not enough, or a file that cannot be read as
/// studies; or a game with an illegal move: `study --json`, `review --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unchecked<'a> {
    /// The file, or `standard input`.
    file: &'a str,
    /// The line of the file that has the position, from 1; the key is absent if the file cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(flatten)]
    fault: Fault,
}

/// Tells why a file is not read, or why the study at this line of it is not checked.
pub fn tell_unchecked(
    out: &mut Output,
    file: &str,
    line: Option<usize>,
    failure: Failure,
    json: bool,
) -> Result<(), Failure> {
    if json {
        return out.json(&Unchecked { file, line, fault: (*failure.failed).into() });
    }
    let place = line.map(|line| format!(", line {line}")).unwrap_or_default();
    let failure = failure.reworded(|why| format!("{file}{place}: {why}"));
    above_bars(|| failure.say());
    Ok(())
}

/// The longest file of studies, in bytes: many times as long as all endings that are known.
const MAX_BYTES: u64 = 16 << 20;

/// Reads the studies of a file, or says why that cannot be done.
fn read(path: &Path) -> Result<Vec<Study>, Failure> {
    let mut bytes = Vec::new();
    match is_standard(path) {
        true => io::stdin().take(MAX_BYTES + 1).read_to_end(&mut bytes),
        false => File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)),
    }
    .map_err(|error| Failure::system(error.to_string()))?;
    if bytes.len() as u64 > MAX_BYTES {
        let most = text::bytes(MAX_BYTES);
        let why = format!("expected at most {most}, found more; divide it into several files");
        return Err(Failure::wrong(Reason::NotAStudy, why));
    }
    let no_study = |why: String| Failure::wrong(Reason::NotAStudy, why);
    let text = String::from_utf8(bytes).map_err(|error| {
        let (before, after) = error.as_bytes().split_at(error.utf8_error().valid_up_to());
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let byte = after.first().copied().unwrap_or_default();
        no_study(format!("line {line}: expected text in UTF-8, found the byte {byte:02x}"))
    })?;
    parse(&text).map_err(|error: ParseStudyError| no_study(error.to_string()))
}

/// The options for a booklet.
#[derive(Clone, Debug, clap::Args)]
pub struct Booklet {
    /// Instead of text, write a booklet: an HTML page with boards; - is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "json", value_hint = clap::ValueHint::FilePath)]
    html: Option<PathBuf>,

    /// The title of the booklet
    #[arg(long, value_name = "TEXT", requires = "html", default_value = "Lasca endings")]
    title: String,

    /// The author of the booklet, who is named under its title
    #[arg(long, value_name = "NAME", requires = "html")]
    author: Option<String>,
}

impl Booklet {
    /// Whether a booklet is wanted.
    pub fn is_wanted(&self) -> bool {
        self.html.is_some()
    }

    /// Checks that the booklet can be written, if one is wanted. Call this before the work for it.
    pub fn check(&self) -> Result<(), Failure> {
        self.html.as_deref().map_or(Ok(()), check_file)
    }

    /// Writes the booklet, if one is wanted. Without an ending, an old one stays.
    pub fn save(&self, endings: &[Ending]) -> Result<(), Failure> {
        let Some(path) = self.html.as_ref().filter(|_| !endings.is_empty()) else { return Ok(()) };
        let author = self.author.as_deref().filter(|author| !author.is_empty());
        save_as(path, &booklet(&self.title, author, endings))
    }
}
