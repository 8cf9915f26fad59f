//! The rule sets as data. They differ in how long a capture goes on. Whatever makes moves, takes them back or searches
//! captures asks for that by the methods of [`RuleSet`]; all other modules pass a rule set on, or name it.

use super::SquareSet;
use std::fmt;
use std::str::FromStr;

/// A rule set. Rule sets differ in how long a capture goes on, and in nothing else.
///
/// ```
/// use lasca_tablebase::rules::RuleSet;
/// assert_eq!(RuleSet::default(), RuleSet::Lasca);
/// assert!(!"bignor".parse::<RuleSet>().unwrap().goes_on());
/// assert!(RuleSet::Rejump.jumps_again());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RuleSet {
    /// Lasker's rules of 1911: a square is jumped at most once in a move.
    #[default]
    Lasca = 0,
    /// Bignor Ludus: a capture is a single jump.
    Bignor = 1,
    /// A square may be jumped again, as Ludii and one popular site play. A move still ends, because each
    /// jump captures a counter.
    Rejump = 2,
}

impl RuleSet {
    /// The three rule sets, in the order of their [`RuleSet::id`].
    pub const ALL: [RuleSet; 3] = [RuleSet::Lasca, RuleSet::Bignor, RuleSet::Rejump];

    /// Whether a capture goes on after a jump, as long as the column can jump.
    pub const fn goes_on(self) -> bool {
        !matches!(self, RuleSet::Bignor)
    }

    /// Whether a capture may jump a square again. Then how far it goes depends on the stacks; otherwise it depends
    /// only on who commands which squares.
    pub const fn jumps_again(self) -> bool {
        matches!(self, RuleSet::Rejump)
    }

    /// Which of these `squares` a capture may jump, as far as it matters that it has jumped the squares `jumped`
    /// in the same move.
    #[inline]
    pub(super) fn may_jump(self, squares: SquareSet, jumped: SquareSet) -> SquareSet {
        match self {
            _ if jumped.is_empty() => squares,
            RuleSet::Lasca => squares - jumped,
            RuleSet::Bignor => SquareSet::EMPTY,
            RuleSet::Rejump => squares,
        }
    }

    /// The name used on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            RuleSet::Lasca => "lasca",
            RuleSet::Bignor => "bignor",
            RuleSet::Rejump => "rejump",
        }
    }

    /// The number that stands for the rule set in files.
    pub const fn id(self) -> u8 {
        self as u8
    }

    /// The rule set with this [`RuleSet::id`].
    pub const fn from_id(id: u8) -> Option<RuleSet> {
        if (id as usize) < Self::ALL.len() { Some(Self::ALL[id as usize]) } else { None }
    }
}

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no rule set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a rule set (lasca, bignor or rejump), found {0:?}")]
pub struct ParseRuleSetError(String);

impl FromStr for RuleSet {
    type Err = ParseRuleSetError;
    fn from_str(text: &str) -> Result<RuleSet, ParseRuleSetError> {
        RuleSet::ALL
            .into_iter()
            .find(|rules| rules.name() == text)
            .ok_or_else(|| ParseRuleSetError(text.to_owned()))
    }
}
