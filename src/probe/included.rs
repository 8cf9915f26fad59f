//! The tables that are a part of the program.

use super::{TableEntry, Tablebase};
use crate::rules::RuleSet;
use crate::table::Table;

/// The bytes of both files of a table in the folder `tables` of the source.
macro_rules! table {
    ($material:literal) => {
        (
            include_bytes!(concat!("../../tables/lasca-", $material, ".ltbw")),
            include_bytes!(concat!("../../tables/lasca-", $material, ".ltbd")),
        )
    };
}

/// These tables, each as the bytes of its two files.
static TABLES: [(&[u8], &[u8]); 9] = [
    table!("1-1"),
    table!("2-1"),
    table!("3-1"),
    table!("2-2"),
    table!("4-1"),
    table!("3-2"),
    table!("5-1"),
    table!("4-2"),
    table!("3-3"),
];

impl Tablebase {
    /// Adds the tables of up to six counters, which are a part of the program and take 630 KB there, as
    /// [`Tablebase::add_table`] does. They are made for the rules `lasca`: a tablebase for other rules stays as
    /// it is.
    ///
    /// This needs the feature `included`.
    ///
    /// ```
    /// use lasca_tablebase::Value;
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::RuleSet;
    /// let mut tables = Tablebase::options(RuleSet::Lasca).empty();
    /// tables.add_included();
    /// assert_eq!(tables.most_counters(), 6);
    /// assert_eq!(tables.value(&"b2B d2W a7W w".parse()?)?, Value::Win(5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add_included(&mut self) {
        if self.rules() != RuleSet::Lasca {
            return;
        }
        let open =
            |&(wdl, dtw): &(&'static [u8], &'static [u8])| match Table::open(wdl, Some(dtw.into()))
            {
                Ok(table) => TableEntry::in_memory(table),
                Err(error) => unreachable!("these tables are sound: {error}"),
            };
        self.add(TABLES.iter().map(open), self.0.folders.clone());
    }
}
