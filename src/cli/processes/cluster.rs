//! What a run of several processes would take on other machines: options of `generate --dry-run`.

use crate::failure::Failure;
use crate::output::Output;
use crate::parsers;
use crate::text;
use lasca_tablebase::generate::{Estimate, Machine, Plan};
use lasca_tablebase::rules::RuleSet;
use std::num::NonZeroU64;
use std::time::Duration;

/// How many processes there are, and what they run on.
#[derive(Debug, clap::Args)]
pub struct Cluster {
    /// With --dry-run: plan for so many processes, with --threads in each
    ///
    /// The memory is then that of each process. A second table says how much each of them sends, and how
    /// long the run may take; --json leaves it out. This needs no mpirun.
    #[arg(long, value_name = "N", requires = "dry_run", value_parser = parsers::number::<usize>(1..=1 << 20))]
    pub processes: Option<usize>,

    /// With --processes: how many positions a thread solves and writes in a second
    ///
    /// A single thread reached five million with eight counters. Threads that share a memory bus do less.
    #[arg(long, value_name = "N", requires = "processes", default_value_t = 2_000_000,
        value_parser = parsers::number::<u64>(1..=u64::MAX))]
    speed: u64,

    /// With --processes: how many bytes a process can send in a second, such as 1G
    #[arg(long, value_name = "SIZE", requires = "processes", default_value = "1G",
        value_parser = parse_positive_size)]
    bandwidth: NonZeroU64,

    /// With --processes: how many bytes all of them can write to the folder in a second
    #[arg(long, value_name = "SIZE", requires = "processes", default_value = "1G",
        value_parser = parse_positive_size)]
    disk: NonZeroU64,

    /// With --processes: how long a message takes at least, in microseconds
    #[arg(long, value_name = "MICROSECONDS", requires = "processes", default_value_t = 20,
        value_parser = parsers::number::<u32>(0..=u32::MAX.into()))]
    latency: u32,
}

impl Cluster {
    /// What the processes run on.
    pub fn machine(&self) -> Machine {
        Machine {
            speed: self.speed as f64,
            bandwidth: self.bandwidth.get() as f64,
            disk: self.disk.get() as f64,
            latency: Duration::from_micros(self.latency.into()),
        }
    }

    /// Prints how much is sent, and how long a run may take.
    pub fn print_estimates<'a>(
        &self,
        plans: impl Iterator<Item = &'a Plan>,
        rules: RuleSet,
    ) -> Result<(), Failure> {
        let heads = [
            "material",
            "sent by each",
            "work",
            "proof",
            "sending",
            "waiting",
            "writing",
            "in all",
        ];
        let mut rows = vec![text::cells(heads)];
        for plan in plans {
            let estimate = plan.estimate(self.machine(), rules);
            let Estimate { work, proving, sending, waiting, saving } = estimate;
            let mut row = vec![plan.extent.material().to_string(), text::bytes(plan.sent())];
            let times = [work, proving, sending, waiting, saving, estimate.total()];
            row.extend(times.map(|time| format!("{:.0} s", time.as_secs_f64())));
            rows.push(row);
        }
        Output::new().lines([vec![String::new()], text::table(0, "lrrrrrrr", &rows)].concat())
    }
}

/// Reads a number of bytes above 0.
fn parse_positive_size(text: &str) -> Result<NonZeroU64, String> {
    NonZeroU64::new(parsers::size(text)?).ok_or_else(|| "expected more than 0 bytes".to_owned())
}
