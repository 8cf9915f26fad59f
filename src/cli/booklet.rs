//! Booklets, for the commands that write them.

use crate::failure::Failure;
use crate::output::{check_file, save_as};
use lasca_tablebase::report::{Ending, booklet};
use std::path::PathBuf;

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
