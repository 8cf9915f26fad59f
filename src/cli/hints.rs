//! What the user can do next: hints that the program adds to the errors of the library.

use crate::folders::Folders;
use lasca_tablebase::rules::RuleSet;
use std::fmt::Display;

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

/// There are no tables in the folders: of a rule set, or of any.
pub fn no_tables(folders: &Folders, rules: Option<RuleSet>) -> String {
    let of_rules = rules.map(|rules| format!(" for {rules} rules")).unwrap_or_default();
    let paths = folders.paths();
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    format!("there are no tables{of_rules} in {}; lasca-tb generate makes them", paths.join(", "))
}
