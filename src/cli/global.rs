//! The options of all commands. They may stand before the name of the command or after it.

use crate::folders::Folders;
use crate::parsers;
use lasca_tablebase::rules::RuleSet;

/// The options of all commands. Of one that is given twice, the last counts, so that an alias can be overruled. All
/// folders count.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    #[command(flatten)]
    pub folders: Folders,

    /// The rule set
    ///
    /// The rule sets differ in how a capture goes on. In lasca, the default, a move may jump each
    /// square only once. In bignor, a capture is a single jump. In rejump, a move may jump a square
    /// again.
    #[arg(short, long, global = true, value_name = "RULES", overrides_with = "rules", ignore_case = true,
        value_parser = parsers::one_of(RuleSet::ALL, RuleSet::name))]
    pub rules: Option<RuleSet>,

    /// The number of threads; 0 means one per processor
    ///
    /// It is an upper limit: where memory is scarce, fewer threads make a table or search, and a search has 255 at
    /// most. Tables do not depend on it, nor does any proved result.
    #[arg(short = 'j', long, global = true, value_name = "N", overrides_with = "threads", default_value_t = 0,
        value_parser = parsers::number::<u16>(0..=1024))]
    pub threads: u16,

    /// Print JSON, one object per line, if the command has any; docs/PROTOCOL.md shows the keys
    #[arg(long, global = true, overrides_with = "json")]
    pub json: bool,

    /// Show no progress and no notes, only results and errors
    #[arg(short, long, global = true, overrides_with = "quiet")]
    pub quiet: bool,
}

impl Global {
    /// The rule set, which is the default one if none is given.
    pub fn rules(&self) -> RuleSet {
        self.rules.unwrap_or_default()
    }
}
