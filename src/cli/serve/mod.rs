//! `serve`: answers positions over HTTP, and serves a web page.
//!
//! Each module uses only those below it.
//!
//! ```text
//! server         accepts connections, holds clients to their limits, and stops in good order
//! routes         the paths, and the answers about positions and tables
//! solving        the answer to /solve
//! making         the answer to /make
//! endings        the answer to /endings
//! lines          answers that come line by line
//! metrics        the counts for Prometheus
//! record         what is noted about each request: counts and a line of the log
//! client         who asks
//! app            what answers have in common: tables, threads and limits
//! reach          who can reach the server, and which pages may ask
//! current        the tables, opened anew when their files change
//! query          the parameters of a request
//! work           work on other threads than the one that talks to clients
//! searches       the places of the searches
//! refusal        why a request has no answer
//! page           the files of the page
//! log            the log
//! ```

mod app;
mod client;
mod current;
mod endings;
mod lines;
mod log;
mod making;
mod metrics;
mod page;
mod query;
mod reach;
mod record;
mod refusal;
mod routes;
mod searches;
mod server;
mod solving;
mod work;

use crate::failure::{Failure, Status, no_tables};
use crate::global::Global;
use crate::memory::search_memory;
use crate::terminal::note_failure;
use crate::{allocator, threads};
use app::{App, Limits};
use current::CurrentTables;
use lasca_tablebase::probe::Options;
use reach::Reach;
use std::net::{SocketAddr, ToSocketAddrs};
#[cfg(feature = "schema")]
pub use {app::Untold, making::Making, routes::Tables};

/// Serve a web page, and answer programs over HTTP
///
/// The address of the page is printed. The page has a board on which positions can be set up and
/// played, with the value of each move. Programs send requests with the position in the query string;
/// each answer is a line of JSON.
///
/// For each request, the server writes a line to standard error: time, client, method, address,
/// status and milliseconds. If a proxy on this machine names the client, the line has that one. Ctrl-C,
/// SIGTERM or SIGHUP stops the server after the requests under way are answered. A second one stops it at
/// once.
///
/// Tables can be added, replaced and removed while the server runs: it looks into the folders at most once a
/// second, and opens the tables anew when files have changed and none was written to for a second. Tables are
/// read into memory, up to about a third of what is free. If not all fit, those with files of more than 256 MiB
/// are memory-mapped, or all if that is not enough, and the server says so. The files of such a table must not
/// be overwritten in place: rename new files to their names.
#[derive(Debug, clap::Args)]
#[command(after_long_help = routes::help() + "\
docs/PROTOCOL.md has all parameters and statuses, and docs/SERVER.md the limits.

Exit status:
  0  The server was stopped, and all requests under way were answered.
  1  The server was stopped, and some requests were cut off; or a folder that
     you named is missing.
  2  The server did not start: the usage is wrong, the address is in use, or a
     folder cannot be read.

Examples:
  lasca-tb serve
  lasca-tb serve --addr 0.0.0.0:80 --tables my-tables --threads 8
  curl 'http://127.0.0.1:1911/probe?position=a1WWW+b2BBB+w'")]
pub struct Args {
    /// The address and port to listen at; port 0 means any free port
    ///
    /// For a name such as localhost, the server listens at the first of its addresses where it can.
    /// Only programs on this machine can reach 127.0.0.1. (Lasca appeared in 1911.)
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:1911",
          value_parser = address)]
    addr: Address,

    #[command(flatten)]
    limits: Limits,

    /// A name of the server, such as tables.example, which requests may have in their Host header
    ///
    /// Requests may always name localhost, and the address of the server. Other names are refused: a web page
    /// can point its own domain at that address, and browsers then treat the server as part of its site. The
    /// option can be given several times.
    #[arg(long, value_name = "NAME", value_parser = reach::host)]
    host: Vec<String>,
}

/// Serves until it is told to stop.
pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    allocator::tune(None);
    let mut limits = args.limits.clone();
    let searches = limits.search_memory().saturating_mul(limits.searches as u64);
    let for_tables = memory_for_tables(searches);
    let current = CurrentTables::open(&global.folders, global.rules(), for_tables)?;
    let tables = current.get();
    if tables.most_counters() == 0 {
        let no_tables = no_tables(&global.folders.paths(), Some(tables.rules()));
        let failure = no_tables.with_hint("until then, only /moves and /solve can answer");
        note_failure(&failure);
    }
    // A connection is an open file, and tables need some too.
    let files = rlimit::increase_nofile_limit(u64::MAX).unwrap_or(u64::MAX);
    limits.connections = limits.connections.min(usize::try_from(files / 2).unwrap_or(usize::MAX));
    let addrs = args.addr.found.iter().map(SocketAddr::ip);
    let reach = Reach::new(addrs, args.host.clone());
    let app = App::new(current, limits, reach);
    threads::try_to_start(app.threads())?;
    server::serve(&args.addr, app)
}

/// How many bytes of tables may be read into memory, if searches use this much: a part of what they and the cache
/// leave.
fn memory_for_tables(searches: u64) -> u64 {
    let half = search_memory(None);
    let left = half.saturating_mul(2).saturating_sub(searches);
    let left = left.saturating_sub(Options::DEFAULT_CACHE);
    (left / 3 * 2).max(half / 4)
}

/// A host and a port.
#[derive(Clone, Debug)]
struct Address {
    /// As the user gives them.
    text: String,
    /// What they stand for. The server listens at the first address where it can.
    found: Vec<SocketAddr>,
}

/// Reads a host and a port.
fn address(text: &str) -> Result<Address, String> {
    let found = text.to_socket_addrs().map_err(|error| {
        format!("expected an address and a port such as 127.0.0.1:1911, found {text:?}: {error}")
    })?;
    let mut found: Vec<SocketAddr> = found.collect();
    // Programs look for `localhost` at 127.0.0.1 first.
    found.sort();
    Ok(Address { text: text.to_owned(), found })
}
