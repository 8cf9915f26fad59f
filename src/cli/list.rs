//! `list`: lists the tables.

use crate::failure::{Failure, Status, hint_lines, no_tables};
use crate::folders::open_each;
use crate::global::Global;
use crate::json::{Fault, TableHead};
use crate::output::Output;
use crate::terminal::note_failure;
use crate::text::{self, cells};
use lasca_tablebase::Reason;
use lasca_tablebase::probe::{TableEntry, Tablebase};
use lasca_tablebase::table::Table;
use serde::Serialize;

/// List the tables in the folders, and those inside the program
///
/// Tables of all rule sets are listed, unless --rules names one. A table that is in several places, with as many
/// bytes, is listed once: where the first folder has it. Only the headers of the files are read; verify checks the
/// rest. Positions that differ only by a symmetry of the board are stored once,
/// and counted once here; `lasca-tb stats` counts each of them. The exit status is 1 if a table is damaged
/// or cannot be read.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
If there are no tables, a message says so, and the exit status is 0.

Example:
  lasca-tb list --tables my-tables")]
pub struct Args {}

pub fn run(global: &Global) -> Result<Status, Failure> {
    let folders = global.folders.readable();
    let mut opened = open_each(&folders, global.rules())?;
    opened.push(global.folders.included(Tablebase::options(global.rules())));
    let rules = global.rules;
    let wanted = |file: &&TableEntry| rules.is_none_or(|rules| rules == file.rules());
    let mut listed: Vec<Listed> = Vec::new();
    for file in opened.iter().flat_map(|tables| tables.tables().into_iter().filter(wanted)) {
        // Each table is closed before the next one is opened.
        let entry = entry(&file.closed());
        if !listed.iter().any(|other| other.is_like(&entry)) {
            listed.push(entry);
        }
    }
    // Those inside the program come first, as the server lists them.
    listed.sort_by_key(|entry| entry.path.is_some());

    let mut out = Output::new();
    if global.json {
        listed.iter().try_for_each(|entry| out.json(entry))?;
    } else if !listed.is_empty() {
        out.lines(lines(&listed))?;
    }
    if listed.is_empty() {
        note_failure(&no_tables(&global.folders.paths(), rules));
    }
    let failed = listed.iter().any(|entry| entry.failed.is_some());
    Ok(if failed { Status::Negative } else { Status::Affirmative })
}

/// A table in a folder: `list --json`. A server gives only the names of its files, without their folders.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Listed {
    #[serde(flatten)]
    head: TableHead,
    /// The path of the table's `.ltbw` file; `null` if the table is inside the program.
    pub path: Option<String>,
    /// The length of its `.ltbw` and `.ltbd` files together, in bytes; `null` if the first cannot be read.
    bytes: Option<u64>,
    /// How many positions are stored. Positions that differ only by a symmetry count once. `null` if there is an `error`.
    positions: Option<u64>,
    /// The greatest distance in plies; `null` if all positions are drawn, there is an `error`, or its `.ltbd` file is
    /// missing.
    max_dtw: Option<u16>,
    /// Whether the table has distances: its `.ltbd` file is there, and there is no `error`.
    distances: bool,
    #[serde(flatten)]
    pub failed: Option<Fault>,
}

impl Listed {
    /// Whether both are the same table, as far as can be seen without reading it.
    fn is_like(&self, other: &Listed) -> bool {
        let of = |Listed { head, bytes, .. }: &Listed| {
            (head.material, head.rules, head.max_columns, *bytes)
        };
        let are_sound = self.failed.is_none() && other.failed.is_none();
        are_sound && of(self) == of(other) && self.distances == other.distances
    }
}

/// The entry for a table.
pub fn entry(file: &TableEntry) -> Listed {
    let opened = file.table();
    let table = opened.as_ref().ok();
    let longest = |table: &&Table| table.slices().iter().filter_map(|s| s.stats().max_dtw()).max();
    Listed {
        head: TableHead {
            material: file.material(),
            rules: file.rules(),
            max_columns: table.and_then(|table| table.extent().max_columns()),
        },
        path: file.path().map(|path| path.display().to_string()),
        bytes: file.bytes(),
        positions: table.map(|table| table.positions()),
        max_dtw: table.and_then(longest),
        distances: table.is_some_and(|table| table.has_dtw()),
        failed: opened.as_ref().err().map(|error| (*Failure::from(error.clone()).failed).into()),
    }
}

fn lines(listed: &[Listed]) -> Vec<String> {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let mut rows = vec![cells(["table", "columns", "rules", "stored", "plies", "size", "file"])];
    for entry in listed {
        rows.push(vec![
            entry.head.material.to_string(),
            text::bound(entry.head.max_columns),
            entry.head.rules.to_string(),
            or_dash(entry.positions.map(text::grouped)),
            or_dash(entry.max_dtw.map(|plies| plies.to_string())),
            or_dash(entry.bytes.map(text::bytes)),
            entry.path.as_deref().map_or("inside the program".to_owned(), text::printable),
        ]);
    }
    let mut lines = text::table(0, "lllrrrl", &rows);
    for entry in listed {
        let Some(Fault { error, reason, hint }) = &entry.failed else { continue };
        let what = if *reason == Reason::Damaged { "damaged" } else { "cannot be read" };
        lines.extend(text::wrapped(0, &text::printable(&format!("{what}: {error}"))));
        lines.extend(hint_lines(hint));
    }
    lines
}
