//! `generate`: makes tables together with the other ranks, or shows what that takes.

use crate::args::Generate;
use crate::ranks::{MpiRanks, abort};
use lasca_tablebase::Progress;
use lasca_tablebase::generate::{
    GenerateError, Generated, Generator, Interval, Machine, RanksPlan,
};
use lasca_tablebase::index::{Extent, Material};
use lasca_tablebase::ranks::Ranks;
use signal_hook::consts::{SIGTERM, SIGUSR1, SIGUSR2};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Writes a message to standard error. If that fails, there is nobody to tell.
pub fn say(message: &str) {
    let _ = writeln!(io::stderr(), "lasca-tb-mpi: {message}");
}

/// Makes the tables, together with the other ranks.
pub fn run(args: &Generate) -> ExitCode {
    let ranks = MpiRanks::of_world();
    let lines =
        Lines { rank: ranks.rank(), signal: Arc::default(), has_told: AtomicBool::new(false) };
    for signal in SIGNALS {
        let watched =
            signal_hook::flag::register_usize(signal, Arc::clone(&lines.signal), signal as usize);
        if let Err(error) = watched {
            lines.say(&format!("signal {signal} is not watched: {error}"));
        }
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build();
    let pool = match pool {
        Ok(pool) => pool,
        Err(error) => {
            say(&format!("rank {}: cannot start threads: {error}", ranks.rank()));
            abort(2);
        }
    };
    let generator = generator(args);
    for material in args.materials() {
        let made = pool.install(|| generator.generate_on_ranks(material, &ranks, &lines));
        match made {
            Ok(Some(made)) => print(&line_of(&made, &ranks)),
            Ok(None) => {}
            Err(GenerateError::Stopped { kept, .. }) => {
                lines.say(match kept {
                    true => "stopped; what was saved stays, and the same command goes on",
                    false => "stopped",
                });
                return ExitCode::from(stopped_status(&ranks, &lines));
            }
            Err(error) => {
                // The ranks have agreed that one of them has failed. That one tells why.
                if !matches!(error, GenerateError::OnRank(_)) {
                    say(&format!("rank {}: {error}", ranks.rank()));
                }
                if matches!(error, GenerateError::Exchange(_)) {
                    abort(2);
                }
                return ExitCode::from(failed_status(&ranks, &error));
            }
        }
    }
    report_traffic(&ranks);
    ExitCode::SUCCESS
}

/// The signals after which the ranks save their state and stop.
const SIGNALS: [i32; 3] = [SIGUSR1, SIGUSR2, SIGTERM];

/// The exit status of a run that was stopped: that of the signal, whichever rank got it.
fn stopped_status(ranks: &dyn Ranks, lines: &Lines) -> u8 {
    let own = lines.signal.load(Ordering::Relaxed);
    let came = SIGNALS.map(|signal| u64::from(own == signal as usize));
    let Ok(came) = ranks.sum(&came) else { return 2 };
    let signal = SIGNALS.into_iter().zip(came).find(|(_, came)| *came > 0);
    signal.map_or(2, |(signal, _)| 128 + signal as u8)
}

/// The exit status of a run that has failed: that of the rank with the error.
fn failed_status(ranks: &dyn Ranks, error: &GenerateError) -> u8 {
    match ranks.sum(&[u64::from(error.is_negative())]) {
        Ok(negative) if negative != [0] => 1,
        _ => 2,
    }
}

/// Writes a line to standard output. If that fails, there is nobody to read it.
fn print(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

fn generator(args: &Generate) -> Generator {
    let generator = Generator::new(&args.tables, args.rules);
    let generator = match args.memory {
        Some(bytes) => generator.memory_limit(bytes),
        None => generator,
    };
    let generator = match args.columns {
        Some(columns) => generator.max_columns(columns),
        None => generator,
    };
    generator.checkpoints(match args.checkpoint {
        None => Interval::Adapted,
        Some(Duration::ZERO) => Interval::Never,
        Some(time) => Interval::Every(time),
    })
}

/// What is said of a table that is there.
fn line_of(made: &Generated, ranks: &dyn Ranks) -> String {
    let longest =
        made.max_dtw.map_or("all drawn".to_owned(), |plies| format!("up to {plies} plies"));
    let done = match made.was_there {
        true => "already there".to_owned(),
        false => format!(
            "{:.1} s on {} ranks (solving {:.1} s)",
            made.total.as_secs_f64(),
            ranks.count(),
            made.solving.as_secs_f64()
        ),
    };
    let (table, positions, bytes) = (made.extent, made.positions, made.bytes);
    format!("{table}: {positions} positions, {longest}, {bytes} bytes, {done}")
}

/// Tells how much the ranks have sent, and how long they have waited.
fn report_traffic(ranks: &MpiRanks) {
    let own = ranks.traffic();
    let numbers = [own.sent, own.exchanges, own.waited.as_micros() as u64];
    let longest = own.longest.as_micros() as u64;
    // Which rank waited longest, by all telling it in a place of their own.
    let mut places = vec![0; ranks.count()];
    places[ranks.rank()] = longest;
    let (Ok(sums), Ok(longest)) = (ranks.sum(&numbers), ranks.sum(&places)) else { return };
    if ranks.rank() == 0 {
        let (count, micro) = (ranks.count() as u64, 1e-6);
        say(&format!(
            "sent {} bytes in {} exchanges; a rank waited {:.2} s, at most {:.3} s at once",
            sums[0],
            sums[1] / count,
            (sums[2] / count) as f64 * micro,
            longest.into_iter().max().unwrap_or(0) as f64 * micro,
        ));
    }
}

/// Says on rank 0 what is going on, and notices signals on every rank.
struct Lines {
    rank: usize,
    /// The signal that has come; 0 if none has.
    signal: Arc<AtomicUsize>,
    /// Whether it has been said that the state cannot be saved.
    has_told: AtomicBool,
}

impl Lines {
    fn say(&self, message: &str) {
        if self.rank == 0 {
            say(message);
        }
    }
}

impl Progress for Lines {
    fn slice_resumed(&self, material: Material, columns: usize, positions: u64) {
        self.say(&format!(
            "{material}: {columns} columns were solved before ({positions} positions)"
        ));
    }

    fn slice_started(&self, material: Material, columns: usize, positions: u64) {
        self.say(&format!("{material}: solving {columns} columns ({positions} positions)"));
    }

    fn slice_writing(&self, material: Material, columns: usize) {
        self.say(&format!("{material}: writing {columns} columns"));
    }

    fn work_ignored(&self, path: &Path, why: &str) {
        self.say(&format!("{} is not used: {why}", path.display()));
    }

    fn checkpoint_failed(&self, path: &Path, error: &io::Error) {
        // It may fail again and again; that need not be said more than once.
        if !self.has_told.swap(true, Ordering::Relaxed) {
            let rank = self.rank;
            say(&format!(
                "rank {rank}: the state cannot be saved to {}: {error}; work goes on",
                path.display()
            ));
        }
    }

    fn waiting_for_other_run(&self, material: Material) {
        self.say(&format!("{material}: another run is working on it; waiting"));
    }

    fn should_stop(&self) -> bool {
        self.signal.load(Ordering::Relaxed) != 0
    }
}

/// Shows what a run would take.
pub fn dry_run(args: &Generate) -> ExitCode {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build();
    let pool = match pool {
        Ok(pool) => pool,
        Err(error) => {
            say(&format!("cannot start threads: {error}"));
            return ExitCode::from(2);
        }
    };
    let ranks = args.ranks.unwrap_or(1) as usize;
    let machine = Machine {
        speed: args.speed,
        bandwidth: args.bandwidth.get() as f64,
        disk: args.disk.get() as f64,
        latency: args.latency,
    };
    let gib = |bytes: u64| bytes as f64 / (1u64 << 30) as f64;
    for material in args.materials() {
        let extent = match Extent::new(material.normalized(), args.columns) {
            Ok(extent) => extent,
            Err(error) => {
                say(&error.to_string());
                return ExitCode::from(2);
            }
        };
        let plan = pool.install(|| RanksPlan::new(extent, ranks));
        let estimate = plan.estimate(machine);
        print(&format!(
            "{extent}: {} positions on {ranks} ranks of {} threads",
            plan.positions(),
            plan.threads
        ));
        let enough = match args.memory {
            None => "",
            Some(limit) if plan.memory() > limit => ", more than --memory",
            Some(_) => ", within --memory",
        };
        print(&format!("  memory of each rank   {:10.2} GiB{enough}", gib(plan.memory())));
        print(&format!("  sent by each rank     {:10.2} GiB", gib(plan.sent())));
        print(&format!("  room on disk, in all  {:10.2} GiB", gib(plan.disk())));
        for (what, time) in [
            ("work", estimate.work),
            ("send, during the work", estimate.sending),
            ("wait for messages", estimate.waiting),
            ("write to the folder", estimate.saving),
            ("finish, in all", estimate.total()),
        ] {
            print(&format!("  time to {what:<22}{:8.0} s", time.as_secs_f64()));
        }
    }
    ExitCode::SUCCESS
}
