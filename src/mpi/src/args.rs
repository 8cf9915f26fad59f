//! The arguments.

use lasca_tablebase::index::Material;
use lasca_tablebase::rules::RuleSet;
use std::path::PathBuf;
use std::time::Duration;

/// Make Lasca endgame tables on several machines, over MPI
#[derive(Debug, clap::Parser)]
#[command(name = "lasca-tb-mpi", version)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    Generate(Generate),
}

/// Make tables
///
/// Start it with mpirun or srun, on as many processes as you like. All of them must see the folder
/// of tables under the same name. The tables have the same bytes as those of `lasca-tb generate`,
/// whatever the number of processes. The same command goes on where a run has ended, on the same or another
/// number of processes.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  mpirun -n 4 lasca-tb-mpi generate 4-4 --tables my-tables
  lasca-tb-mpi generate 6-5 --dry-run --ranks 16 --threads 64

Exit status:
  0    All tables are there.
  1    A file cannot be replaced, because it holds a table of another format
       version, or the intact table of another material or rule set.
  2    The usage is wrong, memory is not enough, or a file cannot be written.
  138, 140, 143
       The run was stopped by SIGUSR1, SIGUSR2 or SIGTERM.")]
pub struct Generate {
    /// Materials: white counters, a hyphen, black counters
    #[arg(value_name = "MATERIAL", required = true)]
    pub materials: Vec<Material>,

    /// Make bounded tables, of the positions with at most so many columns
    ///
    /// A material of more than twelve counters needs this.
    #[arg(long, value_name = "K")]
    pub columns: Option<usize>,

    /// The folder of tables
    #[arg(long, value_name = "DIR", env = "LASCA_TABLES", default_value = "tables")]
    pub tables: PathBuf,

    /// The rule set: lasca, bignor or rejump
    #[arg(long, value_name = "RULES", default_value = "lasca")]
    pub rules: RuleSet,

    /// The number of threads of each rank; 0 means one per processor that the rank may use
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,

    /// The memory limit of each rank, such as 800M or 12G
    ///
    /// K, M, G and T are powers of 1024. Without the option, memory is not looked at.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,

    /// Save the state of unfinished work after so many seconds [default: adapted]
    ///
    /// By default the state is saved after 5 seconds, and from then on so often that saving takes at
    /// most 3 percent of the time. With 0, nothing is saved.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub checkpoint: Option<Duration>,

    /// Only show how much memory each rank needs, how much is sent, and how long it may take
    ///
    /// This needs no mpirun.
    #[arg(long, requires = "ranks")]
    pub dry_run: bool,

    /// With --dry-run: the number of ranks
    #[arg(long, value_name = "N", requires = "dry_run",
        value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub ranks: Option<u32>,

    /// With --dry-run: how many positions a thread solves and writes in a second
    ///
    /// A single thread reached five million with eight counters. Threads that share a memory bus do less.
    #[arg(long, value_name = "N", requires = "dry_run", default_value_t = 2e6)]
    pub speed: f64,

    /// With --dry-run: how many bytes a rank can send in a second, such as 1G
    #[arg(long, value_name = "SIZE", requires = "dry_run", default_value = "1G",
        value_parser = parse_size)]
    pub bandwidth: u64,

    /// With --dry-run: how many bytes all ranks together can write to the folder in a second
    #[arg(long, value_name = "SIZE", requires = "dry_run", default_value = "1G",
        value_parser = parse_size)]
    pub disk: u64,

    /// With --dry-run: how long a message takes at least, in microseconds
    #[arg(long, value_name = "MICROSECONDS", requires = "dry_run", default_value_t = 20.0)]
    pub latency: f64,
}

/// Reads a number of bytes, such as `800M`.
fn parse_size(text: &str) -> Result<u64, String> {
    let expected = || format!("expected a size such as 800M or 12G, found {text:?}");
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let number: u64 = digits.parse().map_err(|_| expected())?;
    let shift = match text[digits.len()..].trim_end_matches("iB") {
        "" | "B" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(expected()),
    };
    number.checked_mul(1 << shift).ok_or_else(expected)
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("expected seconds, found {text:?}"))?;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("expected seconds, found {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn sizes_are_read_as_users_write_them() {
        assert_eq!(parse_size("12G"), Ok(12 << 30));
        assert_eq!(parse_size("800MiB"), Ok(800 << 20));
        assert_eq!(parse_size("7"), Ok(7));
        for wrong in ["", "G", "1.5G", "99999999999T", "3X", "-1"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
