//! What the user can do next: hints that the program adds to the errors of the library.

use lasca_tablebase::rules::RuleSet;
use std::fmt::Display;
use std::path::PathBuf;

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

/// There are no tables in these folders: of a rule set, or of any.
pub fn no_tables(folders: &[PathBuf], rules: Option<RuleSet>) -> String {
    let of_rules = rules.map(|rules| format!(" for {rules} rules")).unwrap_or_default();
    let paths: Vec<String> = folders.iter().map(|path| path.display().to_string()).collect();
    format!("there are no tables{of_rules} in {}; lasca-tb generate makes them", paths.join(", "))
}
