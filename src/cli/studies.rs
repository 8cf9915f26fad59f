//! Reading files of studies, for the commands that do so.

use crate::failure::{Failure, say};
use crate::json::joined;
use crate::output::{Output, is_standard};
use crate::standard::Patient;
use lasca_tablebase::Reason;
use lasca_tablebase::study::{ParseStudyError, Study, parse};
use serde_json::json;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// # Errors
/// If standard input is named twice.
pub fn check_names(files: &[PathBuf]) -> Result<(), Failure> {
    if files.iter().filter(|path| is_standard(path)).count() > 1 {
        let why = "expected - once, as standard input can be read only once, found it again";
        return Err(Failure::usage(why));
    }
    Ok(())
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
        let line = line.map_or(json!({}), |line| json!({ "line": line }));
        return out.json(&joined(joined(json!({ "file": file }), line), &failure.failed));
    }
    let place = line.map(|line| format!(", line {line}")).unwrap_or_default();
    let failure = failure.reworded(|why| format!("{file}{place}: {why}"));
    say(&failure);
    Ok(())
}

/// What a file is called: its path, or `standard input`.
pub fn name_of(path: &Path) -> String {
    if is_standard(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// Reads the studies of a file and their text, or says why that cannot be done.
pub fn read(path: &Path) -> Result<(String, Vec<Study>), Failure> {
    let mut bytes = Vec::new();
    match is_standard(path) {
        true => Patient::input(io::stdin()).read_to_end(&mut bytes).map(drop),
        false => fs::read(path).map(|all| bytes = all),
    }
    .map_err(|error| Failure::system(error.to_string()))?;
    let no_study = |why: String| Failure::wrong(Reason::NotAStudy, why);
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        no_study(format!("line {line}: expected text in UTF-8, found another byte"))
    })?;
    let studies = parse(&text).map_err(|error: ParseStudyError| no_study(error.to_string()))?;
    Ok((text, studies))
}
