//! `man`: writes the manual pages.

use crate::failure::{Failure, Status};
use clap_mangen::roff::{Inline, Roff, bold, roman};
use std::path::{Path, PathBuf};
use std::{fs, io, iter};

/// Write the manual pages of the program, its commands and documents
///
/// `man lasca-tb` finds them in a folder such as ~/.local/share/man/man1. The documents are the pages
/// lasca-tb-commands, lasca-tb-protocol, lasca-tb-server and lasca-tb-studies.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  lasca-tb man --out ~/.local/share/man/man1
  man lasca-tb-probe
  man lasca-tb-protocol")]
pub struct Args {
    /// The folder to write to; it is made if it is missing, and existing pages are replaced
    #[arg(short, long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    out: PathBuf,
}

/// The documents that are manual pages, with the names of these.
const DOCUMENTS: [(&str, &str); 4] = [
    ("lasca-tb-commands", include_str!(concat!(env!("LASCA_TB_DOCUMENTS"), "/COMMANDS.md"))),
    ("lasca-tb-protocol", include_str!(concat!(env!("LASCA_TB_DOCUMENTS"), "/PROTOCOL.md"))),
    ("lasca-tb-server", include_str!(concat!(env!("LASCA_TB_DOCUMENTS"), "/SERVER.md"))),
    ("lasca-tb-studies", include_str!(concat!(env!("LASCA_TB_DOCUMENTS"), "/STUDY_FORMAT.md"))),
];

/// Writes the pages about the command line of this program.
pub fn run(args: &Args, program: clap::Command) -> Result<Status, Failure> {
    write(&args.out, program).map_err(|error| {
        Failure::system(format!("cannot write to {}: {error}", args.out.display()))
    })?;
    Ok(Status::Affirmative)
}

fn write(folder: &Path, program: clap::Command) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    clap_mangen::generate_to(program, folder)?;
    DOCUMENTS.iter().try_for_each(|(name, document)| {
        fs::write(folder.join(format!("{name}.1")), page(name, document))
    })
}

/// The manual page of a document. It reads as much of Markdown as the documents have.
fn page(name: &str, document: &str) -> String {
    let mut page = Roff::new();
    page.control("TH", [name, "1"]);
    for (place, part) in document.split("```").enumerate() {
        if place % 2 == 0 {
            add_text(&mut page, name, part);
            continue;
        }
        page.control("PP\n.nf", []);
        // The first line has the language.
        for line in part.lines().skip(1) {
            page.text([roman(line)]);
        }
        page.control("fi", []);
    }
    page.render()
}

/// Adds text without code to the page of this name.
fn add_text(page: &mut Roff, name: &str, text: &str) {
    for line in joined_lines(text) {
        let (mark, text) = line.split_once(' ').unwrap_or(("", &line));
        match mark {
            "#" => {
                let name = [roman(format!("{name} - {text}"))];
                page.control("SH", ["NAME"]).text(name).control("SH", ["DESCRIPTION"])
            }
            "##" => page.control("SH", [text]),
            "###" | "####" => page.control("SS", [text]),
            "*" => page.control("IP", ["\\(bu", "2"]).text(inlines(text)),
            // The line below the heads of a table.
            "|" if text.starts_with("---") => &mut *page,
            "|" => {
                let (first, others) =
                    text.trim_end_matches(" |").split_once(" | ").unwrap_or((text, ""));
                let others = others.replace(" | ", "; ");
                page.control("TP", []).text(inlines(first)).text(inlines(&others))
            }
            number if is_number(number) => page.control("IP", [number, "4"]).text(inlines(text)),
            _ if line.is_empty() => &mut *page,
            _ => page.control("PP", []).text(inlines(&line)),
        };
    }
}

/// Whether this is the number of an item of a list.
fn is_number(mark: &str) -> bool {
    mark.strip_suffix('.').is_some_and(|number| number.parse::<u32>().is_ok())
}

/// The lines of a text, with each paragraph on one line.
fn joined_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let mark = line.split(' ').next().unwrap_or_default();
        let begins = line.is_empty()
            || matches!(mark, "*" | "|")
            || mark.starts_with('#')
            || is_number(mark);
        match lines.last_mut().filter(|before| !begins && !before.is_empty()) {
            Some(before) => *before += &format!(" {}", line.trim_start()),
            None => lines.push(line.to_owned()),
        }
    }
    lines
}

/// Code and bold words are bold, and only the words of links are left.
fn inlines(text: &str) -> Vec<Inline> {
    let mut all = Vec::new();
    let mut is_bold = false;
    for (place, part) in text.split('`').enumerate() {
        if place % 2 == 1 {
            all.push(bold(part));
            continue;
        }
        for (place, part) in without_links(part).split("**").enumerate() {
            is_bold ^= place > 0;
            all.push(if is_bold { bold(part) } else { roman(part) });
        }
    }
    all
}

fn without_links(text: &str) -> String {
    let mut parts = text.split("](");
    let first = parts.next().unwrap_or_default();
    let others = parts.map(|part| part.split_once(')').map_or(part, |(_, after)| after));
    iter::once(first).chain(others).collect::<String>().replace('[', "")
}
