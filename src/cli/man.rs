//! `man`: writes the manual pages.

use crate::args;
use crate::failure::{Failure, Status};
use crate::output::is_standard;
use clap::Command;
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Write the manual pages: one for the program and one for each command
///
/// `man lasca-tb` finds them in a folder such as ~/.local/share/man/man1.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  lasca-tb man --out ~/.local/share/man/man1
  man lasca-tb-probe")]
pub struct Args {
    /// The folder to write to; it is made if it is missing, and existing pages are replaced
    #[arg(short, long, value_name = "DIR", value_parser = PathBufValueParser::new().try_map(folder),
        value_hint = clap::ValueHint::DirPath)]
    out: PathBuf,
}

fn folder(path: PathBuf) -> Result<PathBuf, &'static str> {
    match path {
        path if is_standard(&path) => Err("expected a folder, found standard output"),
        path if path.is_file() => Err("expected a folder, found a file"),
        path => Ok(path),
    }
}

/// Writes the pages.
pub fn run(args: &Args) -> Result<Status, Failure> {
    let failed = |path: &Path, error: io::Error| {
        Failure::Wrong(format!("cannot write {}: {error}", path.display()))
    };
    fs::create_dir_all(&args.out).map_err(|error| failed(&args.out, error))?;
    // The name of a page is the name of its command, and there are none of `lasca-tb help`.
    let mut program = args::command().disable_help_subcommand(true);
    program.build();
    for command in std::iter::once(&program).chain(program.get_subcommands()) {
        let (name, text) = page(command);
        let path = args.out.join(name);
        fs::write(&path, text).map_err(|error| failed(&path, error))?;
    }
    Ok(Status::Affirmative)
}

/// The name of the file with the page of a command, and its text.
fn page(command: &Command) -> (String, Vec<u8>) {
    let source = format!("{} {}", args::PROGRAM, env!("CARGO_PKG_VERSION"));
    // The usage of the help is shorter than what the crate makes of the options.
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").to_owned();
    let mut page = command.clone().override_usage(usage).subcommand_help_heading("COMMANDS");
    for alias in command.get_visible_aliases() {
        let about = page.get_long_about().map(ToString::to_string).unwrap_or_default();
        let program = args::PROGRAM;
        page = page.long_about(format!("{about}\n\nThe command is also called {program} {alias}."));
    }
    let man = Man::new(page).source(source).manual("Lasca endgame tablebases");
    let mut text = Vec::new();
    match render(command, &man, &mut text) {
        Ok(()) => (man.get_filename(), text),
        Err(error) => unreachable!("a vector takes all bytes: {error}"),
    }
}

fn render(command: &Command, man: &Man, text: &mut Vec<u8>) -> io::Result<()> {
    man.render_title(text)?;
    man.render_name_section(text)?;
    man.render_synopsis_section(text)?;
    man.render_description_section(text)?;
    man.render_options_section(text)?;
    if command.has_subcommands() {
        man.render_subcommands_section(text)?;
    }
    // The crate would fill the lines of the text after the options, and so break its lists.
    let after = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    sections(&after).to_writer(text)
}

/// The text after the options as sections. A line that ends with a colon is a heading if indented
/// lines follow it.
fn sections(text: &str) -> Roff {
    let mut roff = Roff::new();
    for block in text.split("\n\n") {
        let is_indented = |line: &&str| line.starts_with("  ");
        let lines: Vec<&str> = block.lines().collect();
        let heading = lines.iter().take_while(|line| !is_indented(line)).count();
        let (above, below) = lines.split_at(heading);
        match above {
            [] => {
                roff.control("PP", []);
            }
            [title] if !below.is_empty() && title.split(' ').count() <= 2 => {
                roff.control("SH", [title.trim_end_matches(':').to_uppercase().as_str()]);
            }
            sentence => {
                roff.control("PP", []);
                roff.text([roman(sentence.join(" "))]);
            }
        }
        match entries(below) {
            Some(entries) => entries.into_iter().for_each(|(term, meaning)| {
                roff.control("TP", []);
                roff.text([bold(term)]);
                roff.text([roman(meaning)]);
            }),
            None => {
                roff.control("EX", []);
                below.iter().for_each(|line| {
                    roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
                });
                roff.control("EE", []);
            }
        }
    }
    roff
}

/// Indented lines as a list of terms with their meanings; `None` if they are no such list.
///
/// A meaning stands two or more spaces after its term, and goes on in lines that are indented more.
fn entries(lines: &[&str]) -> Option<Vec<(String, String)>> {
    let mut entries: Vec<(String, String)> = Vec::new();
    for line in lines {
        let line = line.strip_prefix("  ")?;
        match (line.strip_prefix("  "), entries.last_mut()) {
            (Some(more), Some((_, meaning))) => {
                if !meaning.is_empty() {
                    meaning.push(' ');
                }
                meaning.push_str(more.trim());
            }
            (Some(_), None) => return None,
            (None, _) => {
                let (term, meaning) = line.split_once("  ").unwrap_or((line, ""));
                entries.push((term.to_owned(), meaning.trim().to_owned()));
            }
        }
    }
    entries.iter().all(|(_, meaning)| !meaning.is_empty()).then_some(entries)
}
