//! What the user can do next: hints that the program adds to the errors of the library.

use crate::folders::Folders;
use lasca_tablebase::index::Material;
use lasca_tablebase::rules::{Position, RuleSet};
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

/// The command that makes the tables of these materials.
pub fn generate(materials: impl IntoIterator<Item = impl Display>, rules: RuleSet) -> String {
    let mut command = "lasca-tb generate".to_owned();
    for material in materials {
        command.push_str(&format!(" {material}"));
    }
    if rules != RuleSet::default() {
        command.push_str(&format!(" --rules {rules}"));
    }
    command
}

/// What answers a question that the tables do not: the command that searches the position. `folders`
/// are those to be used, if there are any.
pub fn solve(position: &Position, rules: RuleSet, folders: Option<&Folders>) -> String {
    let mut command = format!("lasca-tb solve \"{position}\"");
    for folder in folders.map(Folders::named).unwrap_or_default() {
        command.push_str(&format!(" --tables {}", quoted(&folder)));
    }
    if rules != RuleSet::default() {
        command.push_str(&format!(" --rules {rules}"));
    }
    let here = folders.map_or("", |_| " (or add --seconds 10 to this command)");
    format!("a search can answer: {command}{here}")
}

/// A word of a command as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:,@%=".contains(c);
    if word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The command that this run was started with, whole.
pub fn this_command() -> String {
    let words: Vec<String> =
        std::env::args_os().map(|word| quoted(&word.to_string_lossy())).collect();
    words.join(" ")
}

/// There are no tables in these folders: of a rule set, or of any.
pub fn no_tables(folders: &[PathBuf], rules: Option<RuleSet>) -> String {
    if let Some(older) = older_tables(folders, rules) {
        return older;
    }
    let of_rules = rules.map(|rules| format!(" for {rules} rules")).unwrap_or_default();
    let paths: Vec<String> = folders.iter().map(|path| path.display().to_string()).collect();
    format!("there are no tables{of_rules} in {}; lasca-tb generate makes them", paths.join(", "))
}

/// The name of a file of a table in the first format version ends with this, after a full stop.
const OLDER: &str = "ltb";

/// In these folders there are tables of an older format version, which this program does not read; and
/// the commands that make them again.
fn older_tables(folders: &[PathBuf], rules: Option<RuleSet>) -> Option<String> {
    let files = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let tables = files.filter_map(|file| {
        let name = file.file_name();
        let (of, material) = Path::new(&name).file_stem()?.to_str()?.split_once('-')?;
        let is_older = Path::new(&name).extension().is_some_and(|ending| ending == OLDER);
        let (of, material): (RuleSet, Material) = (of.parse().ok()?, material.parse().ok()?);
        (is_older && rules.is_none_or(|rules| rules == of)).then_some((of, material, file.path()))
    });
    let mut tables: Vec<(RuleSet, Material, PathBuf)> = tables.collect();
    tables.sort_by_key(|(of, material, _)| (*of, material.total(), material.black()));
    let (_, _, first) = tables.first()?;
    let of_rules = RuleSet::ALL.iter().map(|&rules| {
        (rules, tables.iter().filter(move |table| table.0 == rules).map(|table| table.1))
    });
    let commands: Vec<String> = of_rules
        .filter(|(_, materials)| materials.clone().next().is_some())
        .map(|(rules, materials)| generate(materials, rules).to_string())
        .collect();
    let others = match tables.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "{}{others}: tables of an older format version, which this program does not read; make them \
         again with: {}",
        first.display(),
        commands.join(" && ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_quoted_words_as_they_were() {
        assert_eq!(quoted("a/b-c.d"), "a/b-c.d");
        assert_eq!(quoted("my tables"), "'my tables'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
