//! Which positions the tables cover.

use super::{ProbeError, Tablebase};
use crate::index::{Extent, Material};
use crate::table::TableError;

impl Tablebase {
    /// The greatest number of counters, both sides together, of any table for the rule set of this
    /// tablebase; 0 if there is none. Positions of more counters are in no table. No file is opened, so a bounded
    /// table counts like any other, although it covers only positions of few columns: with one of 22 counters, this
    /// is 22. [`Tablebase::extent`] tells what a table covers.
    ///
    /// ```
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::{Position, RuleSet};
    /// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
    /// let counters = Position::start().counters();
    /// // The tables that come with the program have up to six counters.
    /// assert!((6..=counters.white + counters.black).contains(&tables.most_counters()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn most_counters(&self) -> usize {
        // They are sorted by the number of counters.
        self.of_own_rules().last().map_or(0, |file| file.material().total())
    }

    /// The positions of a material for which win, draw or loss is known: all, or those of at most so
    /// many columns. This opens the WDL file of the table.
    ///
    /// ```
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::RuleSet;
    /// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
    /// assert_eq!(tables.extent("3-2".parse()?)?.max_columns(), None);
    /// assert!(tables.extent("11-11".parse()?).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Tablebase::table`], except that the DTW file may be damaged or unreadable.
    pub fn extent(&self, material: Material) -> Result<Extent, ProbeError> {
        Ok(self.file_of(material)?.wdl_table()?.extent())
    }

    /// The positions of a material for which distances and best moves are known: all, or those of at
    /// most this many columns. This opens both files of the table.
    ///
    /// ```
    /// use lasca_tablebase::probe::{ProbeError, Tablebase};
    /// use lasca_tablebase::rules::RuleSet;
    /// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
    /// assert!(tables.extent_with_distances("3-2".parse()?).is_ok());
    /// match tables.extent_with_distances("11-11".parse()?) {
    ///     Ok(extent) => println!("all positions of up to {:?} columns", extent.max_columns()),
    ///     Err(ProbeError::MissingTable { .. }) => println!("the table has to be made first"),
    ///     Err(error) => return Err(error.into()),
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Tablebase::table`]; and [`TableError::NoDtw`] if there is no DTW file.
    pub fn extent_with_distances(&self, material: Material) -> Result<Extent, ProbeError> {
        let file = self.file_of(material)?;
        let table = file.table()?;
        if table.has_dtw() { Ok(table.extent()) } else { Err(file.error(TableError::NoDtw)) }
    }
}
