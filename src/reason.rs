//! Why there is no answer, in a word for programs.

/// Why there is no answer, in a word for programs: the lines of JSON and the answers of the server have it as
/// `reason`, and the statuses of C have the same names. Texts for people may change, and these words do not.
///
/// ```
/// use lasca_tablebase::Reason;
/// use lasca_tablebase::probe::Tablebase;
/// use lasca_tablebase::rules::RuleSet;
///
/// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
/// let error = tables.value(&"a1w c3B w".parse()?).unwrap_err();
/// assert_eq!(error.reason(), Reason::NotCovered);
/// assert_eq!(Reason::NotCovered.name(), "not_covered");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// What was given is not a position.
    NotAPosition,
    /// The text is not a legal move of the position.
    NotAMove,
    /// The game is over, so there is no move.
    GameOver,
    /// What was given is not a study.
    NotAStudy,
    /// No table that is open covers the position. It may have a soldier, or its table may be missing or
    /// bounded. A search can answer.
    NotCovered,
    /// There is a table of the material, but only for other rules.
    OtherRules,
    /// A distance is needed, and the table has no file of distances.
    NoDistances,
    /// A file is damaged, or holds another table than its name says.
    Damaged,
    /// A folder or a file cannot be read.
    Unreadable,
    /// The tables contradict themselves.
    Inconsistent,
    /// There is too little memory.
    NoMemory,
    /// An argument, an option or a parameter is not one of the allowed values.
    BadArgument,
    /// The position has more moves than are listed.
    TooManyMoves,
    /// The request is too large, or its answer would be.
    TooLarge,
    /// The server does not answer whoever asks in this way.
    Forbidden,
    /// The server has no such path.
    UnknownPath,
    /// The server has too much to do now, and may answer the same request later; or another run works on the table.
    Busy,
    /// The server runs as many searches as it may now, in all or for this client. It may answer the same request later.
    SearchesBusy,
    /// There is a bug in the program.
    InternalError,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Reason; 19] = [
        Reason::NotAPosition,
        Reason::NotAMove,
        Reason::GameOver,
        Reason::NotAStudy,
        Reason::NotCovered,
        Reason::OtherRules,
        Reason::NoDistances,
        Reason::Damaged,
        Reason::Unreadable,
        Reason::Inconsistent,
        Reason::NoMemory,
        Reason::BadArgument,
        Reason::TooManyMoves,
        Reason::TooLarge,
        Reason::Forbidden,
        Reason::UnknownPath,
        Reason::Busy,
        Reason::SearchesBusy,
        Reason::InternalError,
    ];

    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            Reason::NotAPosition => "not_a_position",
            Reason::NotAMove => "not_a_move",
            Reason::GameOver => "game_over",
            Reason::NotAStudy => "not_a_study",
            Reason::NotCovered => "not_covered",
            Reason::OtherRules => "other_rules",
            Reason::NoDistances => "no_distances",
            Reason::Damaged => "damaged",
            Reason::Unreadable => "unreadable",
            Reason::Inconsistent => "inconsistent",
            Reason::NoMemory => "no_memory",
            Reason::BadArgument => "bad_argument",
            Reason::TooManyMoves => "too_many_moves",
            Reason::TooLarge => "too_large",
            Reason::Forbidden => "forbidden",
            Reason::UnknownPath => "unknown_path",
            Reason::Busy => "busy",
            Reason::SearchesBusy => "searches_busy",
            Reason::InternalError => "internal_error",
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Reason {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}
