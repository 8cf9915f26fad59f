//! `serve`: answers positions over HTTP, and serves a page on which people look them up.
//!
//! Each module uses only those below it.
//!
//! ```text
//! server         accepts connections, holds clients to their limits, and stops in good order
//! answers        the answer to each request
//! solving        the answer to /solve: what is asked for, and the search that finds it out
//! body           the body of an answer, whole or line by line
//! endings        the answer to /endings
//! query          the parameters of a request
//! origins        which web pages may ask, and under which names
//! refusal        why a request has no answer
//! slots          the slots for connections, and which connection gives way when all are taken
//! records        what is noted about requests: counts and log
//! metrics        the counts for Prometheus
//! searches       the places for searches
//! current        the tables, opened anew when their files change
//! workers        the threads that look positions up, and the queue of requests that wait
//! page           the files of the page
//! log            the access log
//! shared_stream  a connection that can be watched while hyper reads and writes it
//! write_timeout  a stream with a time limit for each write
//! limits         the limits that the server keeps to
//! ```

mod answers;
mod body;
mod current;
mod descriptors;
pub mod endings;
mod limits;
mod log;
mod metrics;
mod origins;
mod page;
mod query;
mod records;
mod refusal;
mod searches;
mod server;
mod shared_stream;
mod slots;
mod solving;
mod workers;
mod write_timeout;

use crate::failure::{Failure, Status, say};
use crate::folders::preload;
use crate::global::Global;
use crate::memory::SearchMemory;
use crate::parsers;
use crate::terminal::note;
use crate::{allocator, hints, text, threads};
use answers::Answers;
use lasca_tablebase::probe::{Load, Options};
use limits::{Limits, SearchLimits};
use origins::{AllowedOrigin, Origins};
use std::net::{SocketAddr, ToSocketAddrs};
use std::num::NonZero;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// How many requests may wait for each worker thread by default.
const QUEUE_PER_WORKER: usize = 64;

/// The least memory that a search may be given, in bytes.
const LEAST_SEARCH_MEMORY: u64 = 4 << 20;

/// Answer over HTTP, and serve a page on which people look positions up
///
/// The address of the page is printed. The page has a board on which positions can be set up and
/// played, with the value of each move. Programs send GET requests with the position in the query
/// string; each answer is a line of JSON.
///
/// For each request, the server writes a line to standard error: time, client, method, address,
/// status, milliseconds and bytes. Ctrl-C or SIGTERM stops the server after the requests under way
/// are answered. A second one stops it at once.
///
/// Tables can be added, replaced and removed while the server runs. When a request comes, the server
/// looks at the files, at most once a second, or after an error, and logs what has changed. An open
/// table stays in use until its new files are there: each of their bytes is checked first, so half of a
/// copy does no harm. The parts of tables that are needed are read into memory and stay there. About a
/// third of the free memory is for that. If not all tables fit, those with files of more than 256 MiB
/// are memory-mapped instead, or all if that is not enough, and the server says so. The files of such
/// a table must not be overwritten in place: rename new files to their names.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Requests:
  /probe?position=a1WWW+b2BBB+w  The answer of probe --json.
  /line?position=...             The answer of explain --json.
  /solve?position=...            The answer of solve --json. Needs no tables.
    &seconds=10                  The time limit; the most is the default.
    &moves=1 &exact=1            As the options --moves and --exact.
    &progress=1                  Lines of JSON tell how far the search is, and
                                 what is found so far. The last is the answer.
  /moves?position=...            The answer of moves --json. Needs no tables.
  /endings?material=3-2          Endings to practise, picked at random: White is to
                                 move and has one right move.
    &value=win                   White wins, or holds a draw: value=draw.
    &choices=3..4                How many only moves in a row White must find.
    &plies=5..15                 The distances of wins.
    &seed=123                    The same seed picks the same endings.
  /tables                        {\"rules\": ..., \"tables\": [as list --json]}
  /healthz                       The word ok, while the server works.
  /metrics                       Counts and times for Prometheus.

If there is no answer, the response is {\"position\": ..., \"error\": ...}, without
the position if the request has none. Its status is one of these:
  400  The position cannot be read, there is another parameter, or there are
       too many moves to list.
  403  The request comes from a web page of another site.
  404  The position is not in the tables, its table is missing, or the path is
       unknown.
  405  The method is not GET or HEAD.
  413  The request has a body.
  414  The path and the query together are longer than 4096 bytes.
  421  The Host header does not name this machine, at an address that only
       this machine can reach.
  431  The head of the request is too long, or has more than 100 header lines.
  500  The table is damaged, is being replaced, or cannot be read.
  503  The server is too busy, all places for searches are taken, or the answer
       took too long. Ask again after the number of seconds in the Retry-After
       header.

Exit status:
  0  The server was stopped, and all requests under way were answered.
  1  The server was stopped, and some requests were cut off; or the folder of
     tables is missing.
  2  The server did not start: the usage is wrong, the address is in use, or a
     folder cannot be read.

Examples:
  lasca-tb serve
  lasca-tb serve --addr 0.0.0.0:80 --tables my-tables --workers 8
  curl 'http://127.0.0.1:1911/probe?position=a1WWW+b2BBB+w'")]
pub struct Args {
    /// The address and port to listen at; port 0 means any free port
    ///
    /// Only programs on this machine can reach 127.0.0.1. At an address that is not loopback, and without
    /// https, browsers do not say which site a request comes from; then only a proxy or --searches 0 keeps
    /// other pages from starting searches. The address is printed on standard output. (Lasca appeared in
    /// 1911.)
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:1911",
          value_parser = address)]
    addr: SocketAddr,

    /// The number of threads that look positions up [default: one per processor]
    #[arg(long, value_name = "N", value_parser = parsers::number::<u16>(1..=1024))]
    workers: Option<u16>,

    /// How many requests may wait for a thread before more are refused [default: 64 per thread]
    #[arg(long, value_name = "N", value_parser = parsers::number::<u16>(0..=u16::MAX.into()))]
    queue: Option<u16>,

    /// The time limit for an answer in seconds, waiting included
    ///
    /// Searches have a limit of their own, --search-seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10,
          value_parser = parsers::number::<u64>(1..=3600))]
    time_limit: u64,

    /// The time limit for a client in seconds: to send a request, to start the next one, or to read
    /// an answer
    ///
    /// If a client takes longer, its connection is closed.
    #[arg(long, value_name = "SECONDS", default_value_t = 10,
          value_parser = parsers::number::<u64>(1..=3600))]
    patience: u64,

    /// How many connections may be open
    ///
    /// A further connection replaces the one that has been idle for the longest time. Each connection
    /// is an open file, and so are both files of each table. If the system does not allow as many, the
    /// server takes fewer connections, and says so when it starts.
    #[arg(long, value_name = "N", default_value_t = 512,
          value_parser = parsers::number::<u32>(1..=100_000))]
    connections: u32,

    /// How many searches may run at a time; 0 switches /solve off
    ///
    /// A search has a thread of its own, so positions are still looked up when all searches are busy.
    #[arg(long, value_name = "N", default_value_t = 2,
          value_parser = parsers::number::<u16>(0..=1024))]
    searches: u16,

    /// The time limit for a search in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60,
          value_parser = parsers::number::<u64>(1..=86_400))]
    search_seconds: u64,

    /// The memory limit for each search, such as 800M or 4G [default: an equal part of half of what
    /// is free when the server starts]
    #[arg(long, value_name = "SIZE", value_parser = search_memory)]
    search_memory: Option<u64>,

    /// Decode tables into memory, up to this size in all, such as 800M or 4G
    ///
    /// Values are then only looked up, so answers come faster. They stay the same. A position takes ten
    /// bits, up to the symmetries of the board: all tables of up to eight counters take 473 MB. Those
    /// with the fewest positions come first; a table that does not fit is answered from its files as
    /// before. The server begins to answer when everything is decoded. A new table, and one whose files
    /// are replaced, is answered from its files until it is decoded too, if it fits.
    #[arg(long, value_name = "SIZE", value_parser = parsers::size)]
    preload: Option<u64>,

    /// Let web pages of this origin use the server: `https://example.org`, or `*` for all
    ///
    /// Requests of pages of other origins are refused. At an address such as 127.0.0.1, which only
    /// programs on this machine can reach, a request must name this machine in its Host header, or the
    /// host of this origin. With `*`, no Host header is refused.
    #[arg(long, value_name = "ORIGIN", value_parser = AllowedOrigin::read)]
    allow_origin: Option<AllowedOrigin>,
}

/// Serves until it is told to stop.
pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    allocator::tune(None);
    let search_memory = args.search_memory.unwrap_or_else(|| {
        let part = SearchMemory::of_free().bytes() / u64::from(args.searches.max(1));
        part.max(LEAST_SEARCH_MEMORY)
    });
    let searches = search_memory.saturating_mul(args.searches.into());
    let for_tables = memory_for_tables(searches.saturating_add(args.preload.unwrap_or(0)));
    let tables = current::fitted(global.folders.open(global.rules())?, for_tables);
    descriptors::raise(args.connections as usize, tables.tables().len());
    // All tables are opened now, so that damage is reported at once and no request has to wait.
    let of_rules = || tables.tables().iter().filter(|file| file.rules() == tables.rules());
    for error in of_rules().filter_map(|file| file.table().err()) {
        say(&format!("{}; requests for its positions get status 500", Failure::from(error)));
    }
    if of_rules().next().is_none() {
        let no_tables = hints::no_tables(&global.folders.paths(), Some(tables.rules()));
        note(&format!("{no_tables}; until then, only /moves and /solve can answer"));
    }
    if let Some(mapped) = current::mapped(of_rules()) {
        note(&mapped);
    }
    let load = args.preload.map(|limit| Load::default().with_dtw(true).with_limit(limit));
    if let Some(load) = &load {
        preload(&tables, load).iter().for_each(|line| note(line));
    }
    let workers = match args.workers {
        Some(workers) => usize::from(workers),
        None => thread::available_parallelism().map_or(1, NonZero::get),
    };
    let (connections, fewer) =
        descriptors::fitting(args.connections as usize, tables.tables().len())
            .map_err(Failure::Wrong)?;
    if let Some(fewer) = fewer {
        note(&fewer);
    }
    let limits = Limits {
        workers,
        queue: args.queue.map_or(QUEUE_PER_WORKER * workers, usize::from),
        answer: Duration::from_secs(args.time_limit),
        patience: Duration::from_secs(args.patience),
        connections,
        search: SearchLimits {
            places: usize::from(args.searches),
            time: Duration::from_secs(args.search_seconds),
            memory: search_memory,
        },
    };
    threads::try_to_start(limits.threads() + usize::from(load.is_some()))?;
    let origins = Origins::new(args.addr.ip(), args.allow_origin.clone());
    let answers = Answers::new(tables, for_tables, limits, load, origins);
    server::serve(args.addr, Arc::new(answers), limits)
}

/// How many bytes of tables may be read into memory, if searches and decoded tables use this much: a
/// part of what they and the cache leave.
fn memory_for_tables(used: u64) -> u64 {
    let half = SearchMemory::of_free().bytes();
    let left = half.saturating_mul(2).saturating_sub(used);
    let left = left.saturating_sub(Options::default().cache);
    (left / 3 * 2).max(half / 4)
}

/// Reads the memory limit of a search.
fn search_memory(text: &str) -> Result<u64, String> {
    match parsers::size(text)? {
        size if size < LEAST_SEARCH_MEMORY => {
            Err(format!("expected at least {}, found {text:?}", text::bytes(LEAST_SEARCH_MEMORY)))
        }
        size => Ok(size),
    }
}

/// Reads a host and a port.
fn address(text: &str) -> Result<SocketAddr, String> {
    let expected = "expected an address and a port such as 127.0.0.1:1911";
    let mut found = text.to_socket_addrs().map_err(|error| match text.rsplit_once(':') {
        None => format!("{expected}, found no port"),
        Some((_, port)) if port.parse::<u16>().is_err() => {
            format!("{expected}, found {port:?} for a port")
        }
        Some((host, _)) => format!("{expected}; {host:?} has no address: {error}"),
    })?;
    found.next().ok_or_else(|| format!("{expected}, found a name without an address"))
}
