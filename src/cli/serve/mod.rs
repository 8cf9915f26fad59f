//! `serve`: answers positions over HTTP, and serves a page on which people look them up.
//!
//! Each module uses only those below it.
//!
//! ```text
//! server         accepts connections, holds clients to their limits, and stops in good order
//! answers        the answer to each request
//! slots          the slots for connections, and which connection gives way when all are taken
//! workers        the threads that look positions up, and the queue of requests that wait
//! page           the files of the page
//! metrics        the counts for Prometheus
//! log            the access log
//! write_timeout  a stream with a time limit for each write
//! limits         the limits that the server keeps to
//! ```

mod answers;
mod limits;
mod log;
mod metrics;
mod page;
mod server;
mod slots;
mod workers;
mod write_timeout;

use crate::failure::{Failure, Status, say};
use crate::folders::Folders;
use crate::hints;
use answers::Answers;
use hyper::header::HeaderValue;
use lasca_tablebase::rules::RuleSet;
use limits::Limits;
use std::net::{SocketAddr, ToSocketAddrs};
use std::num::NonZero;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// How many requests may wait for each worker thread by default.
const QUEUE_PER_WORKER: usize = 64;

/// Answer over HTTP, and serve a page to look positions up
///
/// The page is at the address that is printed: a board to set positions up and play on, with the
/// value of each move. Programs ask with GET, the position as in a query string, and are answered
/// with a line of JSON.
///
/// Tables are found when it starts; for those made later, start it again. A line a request goes to
/// standard error: time, client, method, address, status, milliseconds and bytes. Control-C or
/// SIGTERM stops it when everything under way is answered; a second one, at once.
#[derive(Debug, clap::Args)]
#[command(mut_arg("tables", |arg| arg.long_help("\
The folder of tables; else LASCA_TABLES, else `tables`

May be given several times, and may be a list of folders as in PATH: each table is taken from the \
first folder that has it.")))]
#[command(after_long_help = "\
Requests:
  /probe?position=a1WWW+b2BBB+w  as probe --json
  /line?position=...             as line --json
  /moves?position=...            as moves --json; needs no table
  /tables                        {\"rules\": ..., \"tables\": [as list --json]}
  /healthz                       ok, as long as it answers
  /metrics                       counts and times for Prometheus

Without an answer: {\"position\": ..., \"error\": ...}, or the error alone if it is
about no position. The status is then
  400            no position, another parameter, or more moves than are listed
  404            not in the tables, or the table is missing; or no such address
  405            another method than GET and HEAD
  413, 414, 431  a body; an address of more than 4096 bytes; too long a head
  500            the table is damaged, or cannot be read
  503            too much to do, or it took too long: ask again later, after
                 the seconds in Retry-After

Exit status:
  0  it was stopped, and everything under way was answered
  1  it was stopped, and something was cut off; or the folder of tables is
     missing
  2  it did not start: wrong usage, the address is in use, a folder that
     cannot be read

Examples:
  lasca-tb serve
  lasca-tb serve --addr 0.0.0.0:80 --tables my-tables --workers 8
  curl 'http://127.0.0.1:1911/probe?position=a1WWW+b2BBB+w'")]
pub struct Args {
    /// The address to listen at; port 0 for any free one
    ///
    /// Lasca appeared in 1911. Only this machine can reach 127.0.0.1. What is listened at is
    /// printed on standard output.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:1911",
          value_parser = address)]
    addr: SocketAddr,

    #[command(flatten)]
    folders: Folders,

    /// How many threads probe; one for each processor if it is not said
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: Option<u16>,

    /// How many requests may wait for a thread, before more are sent away; 64 a thread if it is not
    /// said
    #[arg(long, value_name = "N")]
    queue: Option<u16>,

    /// How many seconds an answer may take, waiting included
    #[arg(long, value_name = "SECONDS", default_value_t = 10,
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    time_limit: u64,

    /// How many seconds a client may take to send a request, to begin the next, or to take in an
    /// answer, before its connection is closed
    #[arg(long, value_name = "SECONDS", default_value_t = 10,
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    patience: u64,

    /// How many connections may be open; one more takes the place of the one that has asked for
    /// nothing for the longest time
    #[arg(long, value_name = "N", default_value_t = 512,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    connections: u32,

    /// Let the pages of this site ask (such as `https://example.org`), or of all (`*`)
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    allow_origin: Option<HeaderValue>,
}

/// Serves until it is told to stop.
pub fn run(args: &Args, rules: Option<RuleSet>) -> Result<Status, Failure> {
    let tables = args.folders.open(rules.unwrap_or_default())?;
    // All tables are opened now, so that damage is reported at once and no request has to wait.
    let of_rules = || tables.tables().iter().filter(|file| file.rules() == tables.rules());
    for error in of_rules().filter_map(|file| file.table().err()) {
        say(&format!("{}; its positions are answered with status 500", Failure::from(error)));
    }
    if of_rules().next().is_none() {
        let no_tables = hints::no_tables(&args.folders, Some(tables.rules()));
        say(&format!("{no_tables}; until then, only /moves can answer"));
    }
    let workers = match args.workers {
        Some(workers) => usize::from(workers),
        None => thread::available_parallelism().map_or(1, NonZero::get),
    };
    let limits = Limits {
        workers,
        queue: args.queue.map_or(QUEUE_PER_WORKER * workers, usize::from),
        answer: Duration::from_secs(args.time_limit),
        patience: Duration::from_secs(args.patience),
        connections: args.connections as usize,
    };
    let answers = Answers::new(Arc::new(tables), limits, args.allow_origin.clone());
    server::serve(args.addr, Arc::new(answers), limits)
}

/// The address of a host and a port.
fn address(text: &str) -> Result<SocketAddr, String> {
    let expected = "expected an address and a port such as 127.0.0.1:1911";
    let mut found = text.to_socket_addrs().map_err(|error| match text.rsplit_once(':') {
        None => format!("{expected}, found no port"),
        Some((_, port)) if port.parse::<u16>().is_err() => {
            format!("{expected}, found {port:?} for a port")
        }
        Some((host, _)) => format!("{expected}; {host:?} is no address: {error}"),
    })?;
    found.next().ok_or_else(|| format!("{expected}, found a name without an address"))
}

/// An origin as in the header of that name.
fn origin(text: &str) -> Result<HeaderValue, String> {
    let expected = |found: &str| {
        format!("expected an origin such as https://example.org, or *, found {found}")
    };
    if text != "*" {
        let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        match host {
            None => return Err(expected("no https:// or http:// at its beginning")),
            Some("") => return Err(expected("no host")),
            Some(host) if host.contains('/') => return Err(expected("a path")),
            Some(_) => {}
        }
    }
    HeaderValue::from_str(text).map_err(|_| expected("a character that no origin has"))
}
