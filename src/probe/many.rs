//! Many positions at once: while one is answered, the memory for those after it is on its way.

use super::line::decided;
use super::{ProbeError, Tablebase};
use crate::capture_search::{Address, KnownValues, LoadedTable};
use crate::rules::OfficerPosition;
use crate::threads::Threads;
use crate::{Value, Wdl};
use std::num::NonZero;

/// How many positions are answered together. Their bytes are fetched at once.
const AT_ONCE: usize = 32;

/// How many positions a thread answers before it takes new work.
const A_THREAD: usize = 1 << 12;

impl Tablebase {
    /// Win, draw or loss of each of many positions, as [`Tablebase::try_officers_wdl`] gives it: `None` if no table
    /// covers the position. At most so many threads work at once, by default one for each processor. If the tables are
    /// [loaded](Tablebase::load) and do not fit into the processor's cache, this takes about half the time of single
    /// probes.
    ///
    /// ```
    /// use lasca_tablebase::Wdl;
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::{OfficerPosition, Position, RuleSet};
    /// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
    /// let mut positions = Vec::new();
    /// for text in ["a1WW b2BB w", "a1WWWW g7BBBB w", "b2B d2W a7W w"] {
    ///     positions.push(OfficerPosition::try_from(&text.parse::<Position>()?)?);
    /// }
    /// let found = tables.many_wdls(&positions, None)?;
    /// assert_eq!(found, [Some(Wdl::Win), None, Some(Wdl::Win)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Tablebase::try_officers_wdl`].
    pub fn many_wdls(
        &self,
        positions: &[OfficerPosition],
        threads: Option<NonZero<usize>>,
    ) -> Result<Vec<Option<Wdl>>, ProbeError> {
        let fetch = |loaded: &LoadedTable, at| loaded.fetch_wdl(at);
        let known = |loaded: &LoadedTable, at| loaded.wdl(at).ok().flatten();
        self.many(positions, threads, fetch, known, |position| self.try_officers_wdl(position))
    }

    /// The value of each of many positions, as [`Tablebase::many_wdls`] gives its win, draw or loss.
    ///
    /// # Errors
    /// As [`Tablebase::try_officers_value`].
    pub fn many_values(
        &self,
        positions: &[OfficerPosition],
        threads: Option<NonZero<usize>>,
    ) -> Result<Vec<Option<Value>>, ProbeError> {
        let fetch = |loaded: &LoadedTable, at| loaded.fetch_value(at);
        let known = |loaded: &LoadedTable, at| loaded.value(at).ok().flatten();
        self.many(positions, threads, fetch, known, |position| self.try_officers_value(position))
    }

    fn many<T: Copy + Send>(
        &self,
        positions: &[OfficerPosition],
        threads: Option<NonZero<usize>>,
        fetch: impl Fn(&LoadedTable, Address) + Sync,
        known: impl Fn(&LoadedTable, Address) -> Option<T> + Sync,
        answer: impl Fn(&OfficerPosition) -> Result<Option<T>, ProbeError> + Sync,
    ) -> Result<Vec<Option<T>>, ProbeError> {
        let parts: Vec<&[OfficerPosition]> = positions.chunks(A_THREAD).collect();
        let threads = Threads::new(threads).at_most(parts.len());
        let answers = threads.map(parts.len(), Vec::new, |number, places| {
            let mut answers = Vec::with_capacity(parts[number].len());
            for positions in parts[number].chunks(AT_ONCE) {
                places.clear();
                places.extend(positions.iter().map(|position| {
                    let (loaded, at) = self.place(position)?;
                    fetch(loaded, at);
                    Some((loaded, at))
                }));
                for (position, place) in positions.iter().zip(&*places) {
                    let found = place.and_then(|(loaded, at)| known(loaded, at));
                    answers.push(if found.is_some() { found } else { answer(position)? });
                }
            }
            Ok::<_, ProbeError>(answers)
        });
        Ok(answers?.concat())
    }

    /// Where the value of a position is in memory; `None` if it is not, or the game is over.
    fn place(&self, position: &OfficerPosition) -> Option<(&LoadedTable, Address)> {
        if decided(position.placement()).is_some() {
            return None;
        }
        let place = self.table_of(position)?;
        let loaded = place.entry.loaded().get()?;
        Some((loaded, loaded.address(position, place.side).ok()?))
    }
}
