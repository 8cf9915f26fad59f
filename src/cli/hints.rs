//! What the user can do next: hints that the program adds to the errors of the library.
//!
//! Every command that a message suggests is a [`CommandLine`]. It carries the options that were given
//! to this run and matter to the command, so that copying it works, unless the name of a folder has signs that a shell
//! replaces or that a terminal does not show as they are.

use etcetera::base_strategy::{BaseStrategy, choose_native_strategy};
use lasca_tablebase::index::{Extent, Material};
use lasca_tablebase::internals::header_extent;
use lasca_tablebase::probe::ProbeError;
use lasca_tablebase::rules::{Position, RuleSet};
use lasca_tablebase::table::{FileKind, TableError};
use std::ffi::OsStr;
use std::fmt::{self, Display};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::OnceLock;

/// The options of this run that the commands in its messages repeat.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The folders of tables that the option or the environment variable names.
    pub folders: Vec<PathBuf>,
    /// The rule set.
    pub rules: RuleSet,
}

/// The folder of tables in the user's folder for data. On Windows, this is the one that stays on the machine; the other
/// one is copied over the network at each log-on. A user without a home has none.
pub fn data_folder() -> Option<PathBuf> {
    let user = choose_native_strategy().ok()?;
    let data = if cfg!(windows) { user.cache_dir() } else { user.data_dir() };
    Some(data.join("lasca-tb"))
}

/// The folders of tables that are used if nothing names one: `tables` if it is here, and [the one for the user's
/// data](data_folder). There is at least one, and new tables are written to the first.
pub fn default_folders() -> Vec<PathBuf> {
    let here = PathBuf::from("tables");
    let data = data_folder();
    let is_used = here.is_dir() || data.is_none();
    is_used.then_some(here).into_iter().chain(data).collect()
}

static GIVEN: OnceLock<Given> = OnceLock::new();

/// Remembers the options of this run. Call this once, before the command starts.
pub fn remember(given: Given) {
    // There is no second call, and it would change nothing.
    let _ = GIVEN.set(given);
}

fn given() -> Given {
    GIVEN.get().cloned().unwrap_or_default()
}

/// A command of this program that a message suggests, as one types it in a shell.
#[derive(Clone, Debug)]
pub struct CommandLine(String);

impl CommandLine {
    /// The command of this name, without arguments.
    pub fn new(name: &str) -> CommandLine {
        CommandLine(format!("lasca-tb {name}"))
    }

    /// The same with one more argument.
    pub fn word(self, word: impl Display) -> CommandLine {
        CommandLine(format!("{} {}", self.0, quoted(word.to_string())))
    }

    /// The same with the option `--rules`, unless these are the default rules.
    pub fn rules(self, rules: RuleSet) -> CommandLine {
        if rules == RuleSet::default() { self } else { self.word("--rules").word(rules) }
    }

    /// The same with the folders of tables that were given to this run, by the option or the variable.
    pub fn tables(self) -> CommandLine {
        given().folders.iter().fold(self, |command, folder| command.in_folder(folder))
    }

    /// The same for this folder of tables alone.
    pub fn in_folder(self, folder: &Path) -> CommandLine {
        self.word("--tables").word(folder.display())
    }
}

impl Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A word of a command, in double quotes unless it is a plain one.
pub fn quoted(word: impl AsRef<OsStr>) -> String {
    let word = word.as_ref().to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || c == MAIN_SEPARATOR || "/._-+:=".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into_owned(),
        false => format!("\"{word}\""),
    }
}

/// The command that makes this table.
pub fn generate_one(extent: Extent, rules: RuleSet) -> CommandLine {
    let command = CommandLine::new("generate").word(extent.material());
    match extent.max_columns() {
        Some(columns) => command.word("--columns").word(columns).rules(rules),
        None => command.rules(rules),
    }
}

/// The least column bound that is suggested where there must be one.
const COLUMNS: usize = 3;

/// What a table of this material is to cover, so that it answers about positions with this many columns:
/// everything, unless the material needs a column bound. `None` if no table has this many columns.
pub fn extent_for(material: Material, columns: Option<usize>) -> Option<Extent> {
    let bounded = |_| Extent::bounded(material, columns.unwrap_or(0).max(COLUMNS));
    Extent::whole(material).or_else(bounded).ok()
}

/// The table that would answer about a position, if this error says that there is none. `None` if it
/// does not say that, or if no table can hold the position.
pub fn missing_table(error: &ProbeError) -> Option<(Extent, RuleSet)> {
    match *error {
        ProbeError::MissingTable { material, rules, columns, .. }
        | ProbeError::OtherRules { material, asked: rules, columns, .. } => {
            extent_for(material, columns).map(|extent| (extent, rules))
        }
        ProbeError::Table {
            material,
            rules,
            error: TableError::BeyondColumns { columns, .. },
            ..
        } => Extent::bounded(material, columns).ok().map(|extent| (extent, rules)),
        _ => None,
    }
}

/// The command that makes tables in a few seconds, for a folder that has none.
pub fn generate_some() -> CommandLine {
    CommandLine::new("generate").word("--up-to").word(8).rules(given().rules)
}

/// The command that checks the table of this material under the rules of this run.
pub fn verify(material: Material) -> CommandLine {
    CommandLine::new("verify").word(material.normalized()).rules(given().rules).tables()
}

/// The command that searches the position for ten seconds, which answers where the tables do not. It uses the tables
/// if `has_tables` says that they can be opened.
pub fn solve(position: &Position, rules: RuleSet, has_tables: bool) -> CommandLine {
    let is_start = *position == Position::start();
    let text = if is_start { "start".to_owned() } else { position.to_string() };
    let command = CommandLine::new("solve").word(text).rules(rules);
    let command = if has_tables { command.tables() } else { command };
    command.word("--seconds").word(10)
}

/// What makes a table anew that a run would leave alone, because its bytes are intact or of another format version.
pub fn replace(path: &Path) -> String {
    format!("remove {}, and then make the table again with: {}", quoted(path), generate_file(path))
}

/// The command that writes the table of this file, with the positions that its header names.
pub fn generate_file(path: &Path) -> CommandLine {
    let command = match named_table(path) {
        Some((extent, rules)) => generate_one(extent, rules),
        // Folders have no files of other names that count as tables.
        None => CommandLine::new("generate"),
    };
    command.in_folder(path.parent().unwrap_or(Path::new("")))
}

/// The table that the name of a file stands for, with as many columns as its header says.
fn named_table(path: &Path) -> Option<(Extent, RuleSet)> {
    let (rules, material) = path.file_stem()?.to_str()?.split_once('-')?;
    let material: Material = material.parse().ok()?;
    let extent = header_extent(&path.with_extension(FileKind::Wdl.extension()));
    let extent = extent.filter(|extent| extent.material() == material);
    Some((extent.or_else(|| extent_for(material, None))?, rules.parse().ok()?))
}
