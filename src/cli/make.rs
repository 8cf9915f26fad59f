//! Making the tables that answers need, for the commands that do so.

use crate::failure::Failure;
use crate::folders::Folders;
use crate::global::Global;
use crate::hints::data_folder;
use crate::memory;
use crate::progress::Bars;
use crate::terminal::note;
use crate::threads::lock;
use crate::{hints, parsers, text, threads};
use lasca_analysis::answer::json::ToMake;
use lasca_analysis::answer::{SearchLimits, Searched, plan_for, plan_for_all, search_and_make};
use lasca_tablebase::generate::{
    GenerateError, Generator, MakeLimits, MakePlan, Plan, Speed, Workers,
};
use lasca_tablebase::index::{Extent, Material};
use lasca_tablebase::probe::{ProbeError, TableEntry, Tablebase};
use lasca_tablebase::rules::{OfficerPosition, Position, RuleSet};
use lasca_tablebase::{Progress, Silent};
use std::num::NonZero;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The option of commands that make tables which answer.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct ToBeMade {
    /// Make the table that is missing, if that takes at most so many seconds; 0 makes none [default: 10, with --stdin 0]
    ///
    /// A position of officers needs those of the same material with at most as many columns. The table is made in
    /// memory. If it took more than a second, it is also kept in the folder for your data, unless --tables or
    /// LASCA_TABLES names a folder. For a position with soldiers, which only a search solves, the table of its material
    /// is made if the search has taken as long as that, and if it takes at most a quarter of the search's time.
    #[arg(long, value_name = "S", value_parser = parsers::seconds)]
    make: Option<Duration>,
}

impl ToBeMade {
    /// What makes the tables of a command. Without the option, that may take so long.
    pub fn maker(self, by_default: Duration, global: &Global) -> Maker {
        Maker::new(self.make.unwrap_or(by_default), &global.folders, global.rules())
    }
}

/// How long making a table may take for one position of the command line.
pub const FOR_ONE: Duration = Duration::from_secs(10);

/// Makes tables.
#[derive(Debug)]
pub struct Maker {
    /// How long making one may take by plan.
    time: Duration,
    /// What keeps those that took long.
    keeps: Option<Generator>,
}

/// A table that took longer is kept.
const LONG: Duration = Duration::from_secs(1);

/// What making a table may take, if that is `time`.
pub fn limits(time: Duration) -> MakeLimits {
    let threads = NonZero::new(threads::count()).unwrap_or(NonZero::<usize>::MIN);
    let memory = memory::search_memory(None);
    MakeLimits { time, memory, threads, ..MakeLimits::default() }
}

/// What was worked out before for tables of these rules: programs may ask about many positions that no table has.
type Known<K, V> = Mutex<Vec<((K, RuleSet), V)>>;

/// What is known of `key`, which is worked out the first time.
fn once<K: PartialEq, V: Clone>(
    known: &Known<K, V>,
    key: (K, RuleSet),
    work_out: impl FnOnce() -> V,
) -> V {
    let before = lock(known).iter().find(|(of, _)| *of == key).map(|(_, value)| value.clone());
    before.unwrap_or_else(|| {
        let value = work_out();
        lock(known).push((key, value.clone()));
        value
    })
}

/// What it takes to make the table that a position of officers needs, if no table has it.
pub fn price(tables: &Tablebase, position: &Position) -> Option<ToMake> {
    static PRICES: Known<(Material, usize), Option<ToMake>> = Mutex::new(Vec::new());
    let key = (Material::of(position).ok()?, position.columns().count());
    OfficerPosition::try_from(position).ok()?;
    once(&PRICES, (key, tables.rules()), || {
        tables.plan_for(position, &limits(Duration::ZERO)).as_ref().map(ToMake::from)
    })
}

/// An error of the tables, with what `generate` takes for the table that is missing.
pub fn with_price(error: ProbeError) -> Failure {
    static PRICES: Known<Extent, Option<String>> = Mutex::new(Vec::new());
    let missing = hints::missing_table(&error);
    let price = missing.and_then(|(extent, rules)| {
        once(&PRICES, (extent, rules), || price_of_generating(extent, rules))
    });
    price.into_iter().fold(error.into(), Failure::with_hint)
}

/// So much free memory is enough to find out how fast this machine is.
const ROOM_FOR_TRIAL: u64 = 64 << 20;

/// What `generate` takes for a table, in a sentence; `None` if there is not enough memory to find out.
fn price_of_generating(extent: Extent, rules: RuleSet) -> Option<String> {
    if memory::allowed(None).is_some_and(|free| free.bytes <= ROOM_FOR_TRIAL) {
        return None;
    }
    let plan = Plan::new(extent, Workers { processes: 1, threads: threads::count() });
    let time = text::duration(plan.time(Speed::of_one_thread(rules)?));
    let memory = text::bytes_or_more(plan.memory());
    Some(format!("that takes about {time} and {memory} of memory"))
}

impl Maker {
    /// What makes tables that take so long at most. Those that took long are kept, unless the user names folders.
    pub fn new(time: Duration, folders: &Folders, rules: RuleSet) -> Maker {
        let folder = data_folder().filter(|_| folders.named().is_empty());
        Maker { time, keeps: folder.map(|folder| Generator::new(folder, rules)) }
    }

    /// What it takes to make the table that answers a position of officers, if it may be made.
    #[cfg(feature = "server")]
    pub fn price(&self, tables: &Tablebase, position: &Position) -> Option<ToMake> {
        price(tables, position).filter(|price| price.seconds <= self.time.as_secs_f64())
    }

    /// The plan for the table that answers a position of officers, if it may be made.
    #[cfg(feature = "server")]
    pub fn plan_for(&self, tables: &Tablebase, position: &Position) -> Option<MakePlan> {
        plan_for(tables, position, &limits(self.time), None)
    }

    /// Makes the table that answers a position. A line of input may say how long that may take. If it cannot be made,
    /// this says so, and the question is answered as without it.
    pub fn make_for(&self, tables: &Tablebase, position: &Position, by_line: Option<Duration>) {
        if let Some(plan) = self.plan(tables, position, None, by_line) {
            self.make(tables, &plan);
        }
    }

    /// The same for a position that `ask` searches: see [`search_and_make`].
    pub fn search_and_make<T: Searched>(
        &self,
        tables: &Tablebase,
        position: &Position,
        search: SearchLimits,
        by_line: Option<Duration>,
        ask: impl FnMut(SearchLimits) -> T,
    ) -> T {
        let plan = self.plan(tables, position, Some(search), by_line);
        search_and_make(position, plan, search, ask, |plan| self.make(tables, plan))
    }

    fn plan(
        &self,
        tables: &Tablebase,
        position: &Position,
        search: Option<SearchLimits>,
        by_line: Option<Duration>,
    ) -> Option<MakePlan> {
        let time = by_line.unwrap_or(self.time);
        if time.is_zero() { None } else { plan_for(tables, position, &limits(time), search) }
    }

    /// Makes the table of all positions of a material if there is none of it with distances.
    ///
    /// # Errors
    /// If there is no table of the material then.
    pub fn make_whole(&self, tables: &Tablebase, material: Material) -> Result<(), Failure> {
        let limits = limits(self.time);
        if !self.time.is_zero()
            && tables.extent_with_distances(material).is_err()
            && let Some(plan) = tables.plan_of(material, material.total(), &limits)
            && plan.fits(&limits)
        {
            self.make(tables, &plan);
        }
        tables.table(material).map(drop).map_err(with_price)
    }

    /// Makes a table for several positions: that of the one with the most columns which may be made.
    pub fn make_for_all(
        &self,
        tables: &Tablebase,
        positions: &[Position],
        search: Option<SearchLimits>,
    ) {
        if !self.time.is_zero()
            && let Some(plan) = plan_for_all(tables, positions, &limits(self.time), search)
        {
            self.make(tables, &plan);
        }
    }

    /// Makes a table, and says so.
    fn make(&self, tables: &Tablebase, plan: &MakePlan) {
        let bars = Bars::of_question(plan.positions, plan.time >= LONG);
        let made = self.make_quietly(tables, plan, &bars);
        drop(bars);
        match made {
            Ok(made) => note(&format!("{made}; --make 0 makes none")),
            Err(GenerateError::Stopped { .. }) => {}
            Err(error) => note(&format!("the table could not be made: {error}")),
        }
    }

    /// Makes a table. Returns what to say of it.
    ///
    /// # Errors
    /// If there is not enough memory, or the work is stopped.
    pub fn make_quietly(
        &self,
        tables: &Tablebase,
        plan: &MakePlan,
        progress: &dyn Progress,
    ) -> Result<String, GenerateError> {
        let begun = Instant::now();
        let made = tables.make(plan, progress)?;
        let took = begun.elapsed();
        let kept = match &self.keeps {
            Some(folder) if took >= LONG => keep(folder, made),
            _ => String::new(),
        };
        Ok(format!("made the table of {} in {}{kept}", plan.extent, text::duration(took)))
    }
}

/// Keeps a table, and says where it is, or why not.
fn keep(folder: &Generator, made: &TableEntry) -> String {
    let kept = match made.table() {
        Ok(table) => folder.keep(table, &Silent),
        // It was just made.
        Err(_) => Ok(None),
    };
    match kept {
        Ok(Some(path)) => format!(", kept as {}", path.display()),
        Ok(None) => String::new(),
        Err(error) => format!(", and it could not be kept: {error}"),
    }
}
