//! The arguments.

use lasca_tablebase::index::Material;
use lasca_tablebase::rules::RuleSet;
use std::num::NonZeroU64;
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
    #[arg(value_name = "MATERIAL", required_unless_present = "up_to")]
    pub materials: Vec<Material>,

    /// Make the tables of all materials with 2 to N counters, the smallest first
    #[arg(long, value_name = "N", conflicts_with = "materials",
        value_parser = clap::value_parser!(u8).range(2..=Material::MAX_COUNTERS as i64))]
    pub up_to: Option<u8>,

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
    /// K, M, G and T are powers of 1024; KB, MB, GB and TB are powers of 1000. Without the option, memory
    /// is not looked at.
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
    #[arg(long, value_name = "N", requires = "dry_run", default_value = "2000000",
        value_parser = parse_speed)]
    pub speed: f64,

    /// With --dry-run: how many bytes a rank can send in a second, such as 1G
    #[arg(long, value_name = "SIZE", requires = "dry_run", default_value = "1G",
        value_parser = parse_positive_size)]
    pub bandwidth: NonZeroU64,

    /// With --dry-run: how many bytes all ranks together can write to the folder in a second
    #[arg(long, value_name = "SIZE", requires = "dry_run", default_value = "1G",
        value_parser = parse_positive_size)]
    pub disk: NonZeroU64,

    /// With --dry-run: how long a message takes at least, in microseconds
    #[arg(long, value_name = "MICROSECONDS", requires = "dry_run", default_value = "20",
        value_parser = parse_microseconds)]
    pub latency: Duration,
}

impl Generate {
    /// The materials whose tables are to be made.
    pub fn materials(&self) -> Vec<Material> {
        let all = (2..=self.up_to.map_or(0, usize::from)).flat_map(Material::with_total);
        self.materials.iter().copied().chain(all).collect()
    }
}

/// Reads a number of bytes, such as `800M`, as `lasca-tb` does.
fn parse_size(text: &str) -> Result<u64, String> {
    let expected =
        || format!("expected a size such as 8M, 12G, 1GiB or a number of bytes, found {text:?}");
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim_start().to_ascii_lowercase();
    let (prefix, base) = match unit.strip_suffix('b') {
        None => (unit.as_str(), 1024u64),
        Some(rest) => match rest.strip_suffix('i') {
            Some(prefix) => (prefix, 1024),
            None => (rest, 1000),
        },
    };
    let power = match prefix {
        "" if unit != "ib" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return Err(expected()),
    };
    let factor = base.pow(power);
    let too_large = || format!("expected a size below 16 EiB, found {text:?}");
    if number.contains('.') {
        let number: f64 = number.parse().map_err(|_| expected())?;
        let size = number * factor as f64;
        return if size < u64::MAX as f64 { Ok(size as u64) } else { Err(too_large()) };
    }
    if number.is_empty() {
        return Err(expected());
    }
    number.parse().ok().and_then(|number: u64| number.checked_mul(factor)).ok_or_else(too_large)
}

/// Reads a number of bytes above 0.
fn parse_positive_size(text: &str) -> Result<NonZeroU64, String> {
    NonZeroU64::new(parse_size(text)?).ok_or_else(|| "expected more than 0 bytes".to_owned())
}

/// Reads how many positions a thread does in a second.
fn parse_speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed: &f64| speed.is_finite() && *speed > 0.0);
    speed.ok_or_else(|| format!("expected a number above 0, found {text:?}"))
}

fn parse_microseconds(text: &str) -> Result<Duration, String> {
    let expected = || format!("expected microseconds, found {text:?}");
    let microseconds: f64 = text.parse().map_err(|_| expected())?;
    Duration::try_from_secs_f64(microseconds * 1e-6).map_err(|_| expected())
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
        assert_eq!(parse_size("1.5g"), Ok(3 << 29));
        assert_eq!(parse_size("1GB"), Ok(1_000_000_000));
        for wrong in ["", "G", "99999999999T", "3X", "-1"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_a_dry_run_reckons_with_is_above_zero_and_finite() {
        assert_eq!(parse_microseconds("0.5"), Ok(Duration::from_nanos(500)));
        assert_eq!(parse_speed("5e5"), Ok(5e5));
        for wrong in ["inf", "1e30", "-1", "NaN", ""] {
            assert!(parse_microseconds(wrong).is_err(), "{wrong}");
        }
        for wrong in ["inf", "0", "-1", "NaN", ""] {
            assert!(parse_speed(wrong).is_err(), "{wrong}");
        }
        assert!(parse_positive_size("0").is_err());
    }
}
