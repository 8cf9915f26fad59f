//! `serve`: answers positions over HTTP, and serves a page on which people look them up.
//!
//! Each module uses only those below it.
//!
//! ```text
//! server         accepts connections, holds clients to their limits, and stops in good order
//! routes         the paths, and the answers about positions and tables
//! solving        the answer to /solve
//! endings        the answer to /endings
//! record         what is noted about each request: counts and a line of the log
//! client         who asks
//! app            what answers have in common: tables, threads and limits
//! origins        which web pages may ask, and under which names
//! current        the tables, opened anew when their files change
//! query          the parameters of a request
//! metrics        the counts for Prometheus
//! pool           threads for one kind of work
//! turns          places for searches, which clients take in turns
//! refusal        why a request has no answer
//! page           the files of the page
//! writer         writes answers, which clients must read in time
//! log            the log
//! ```

mod app;
mod client;
mod current;
mod endings;
mod log;
mod metrics;
mod origins;
mod page;
mod pool;
mod query;
mod record;
mod refusal;
mod routes;
mod server;
mod solving;
mod turns;
mod writer;

use crate::failure::{Failure, Status, no_tables, say};
use crate::global::Global;
use crate::memory::{PreloadMemory, SearchMemory};
use crate::parsers;
use crate::terminal::note;
use crate::{allocator, threads};
use app::{App, Limits};
use lasca_tablebase::probe::{Options, TableEntry, Tablebase};
use origins::{AllowedOrigin, Origins};
use std::fmt::Display;
use std::net::{SocketAddr, ToSocketAddrs};

/// Answer over HTTP, and serve a page on which people look positions up
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
/// Tables can be added, replaced and removed while the server runs. An open table stays in use until its
/// new files are whole. Tables are read into memory, up to about a third of what is free. If not all fit,
/// those with files of more than 256 MiB are memory-mapped, or all if that is not enough, and the server
/// says so. The files of such a table must not be overwritten in place: rename new files to their names.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Requests:
  /probe?position=a1WWW+b2BBB+w  As probe --json; with &line=1, as --line. POST
                                 asks about many positions, one on each line.
  /explain?position=...          As explain --json.
  POST /solve?position=...       As solve --json. Needs no tables.
  /moves?position=...            As moves --json. Needs no tables.
  /known?position=...            All that is known without a search.
  /endings?material=3-2          Endings to practise, picked at random.
  POST /studies                  Plays the moves of the studies in the body.
  /tables                        The tables, as list --json.
  /version                       The versions of the protocol and the program.
  /healthz                       The word ok, while the server works.
  /metrics                       Counts and times for Prometheus.
lasca-tb help protocol has all parameters and statuses, and lasca-tb help server
the limits.

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
    /// For a name such as localhost, the server listens at all of its addresses.
    /// Only programs on this machine can reach 127.0.0.1. (Lasca appeared in 1911.)
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:1911",
          value_parser = addresses)]
    addr: Addresses,

    #[command(flatten)]
    limits: Limits,

    /// Decode tables into memory, up to this size in all, such as 800M or 4G
    ///
    /// Most values are then only looked up, so answers come faster. They stay the same. A position takes ten
    /// bits, up to the symmetries of the board: all tables of up to eight counters take 473 MB. Those
    /// with the fewest positions come first; a table that does not fit is answered from its files as
    /// before. Of the memory that is free, the searches and the rest of the server keep their part. The
    /// server begins to answer when everything is decoded. A new table, and one whose files are replaced, is
    /// answered from its files.
    #[arg(long, value_name = "SIZE", value_parser = parsers::size)]
    preload: Option<u64>,

    /// A name of the server, such as tables.example, which requests may have in their Host header
    ///
    /// Requests may always name localhost, and the address of the server. Other names are refused: a web page
    /// can point its own domain at that address, and browsers then treat the server as part of its site. The
    /// option can be given several times.
    #[arg(long, value_name = "NAME", value_parser = origins::host)]
    host: Vec<String>,

    /// Let web pages of this origin use the server: `https://example.org`, or `*` for all
    ///
    /// Requests of pages of other origins are refused. The host of the origin is right in a Host header
    /// too, as one of --host. With `*`, no Host header is refused.
    #[arg(long, value_name = "ORIGIN", value_parser = AllowedOrigin::read)]
    allow_origin: Option<AllowedOrigin>,
}

/// How many files may be open beside connections and tables; some are for tables that come later.
const OTHER_FILES: usize = 24;

/// How many tables are kept open as files: those of other rules and those in memory are not.
fn in_files(tables: &Tablebase) -> usize {
    let is_open = |file: &&TableEntry| file.rules() == tables.rules() && file.path().is_some();
    tables.tables().iter().filter(is_open).count()
}

/// How many of these connections the system allows beside this many tables. It is asked to allow as many
/// open files as it can; a connection is one, and a table is two.
fn allowed_connections(wanted: usize, tables: usize) -> usize {
    // Who cannot be asked sets no limit that is known.
    let files = rlimit::increase_nofile_limit(u64::MAX).unwrap_or(u64::MAX);
    let others = 2 * tables + OTHER_FILES;
    wanted.min(usize::try_from(files).unwrap_or(usize::MAX).saturating_sub(others)).max(1)
}

/// Serves until it is told to stop.
pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    allocator::tune(None);
    let mut limits = args.limits.clone();
    let searches = limits.search_memory().saturating_mul(limits.most_searches() as u64);
    let preloaded = args.preload.map(|by_user| {
        PreloadMemory::new(by_user, searches.saturating_add(memory_for_tables(u64::MAX)))
    });
    let decoded = preloaded.map_or(0, |memory| memory.bytes);
    let for_tables = memory_for_tables(searches.saturating_add(decoded));
    let tables = global.folders.open(global.rules())?;
    let tables = current::fitted(tables, for_tables);
    let wanted = limits.connections;
    // All tables are opened now, so that damage is reported at once and no request has to wait.
    let of_rules = || tables.tables().iter().filter(|file| file.rules() == tables.rules());
    limits.connections = allowed_connections(wanted, in_files(&tables));
    for error in of_rules().filter_map(|file| file.table().err()) {
        let failure = Failure::from(error);
        let failure = failure.reworded(|why| format!("requests get status 500: {why}"));
        say(&failure);
    }
    if of_rules().next().is_none() {
        let no_tables = no_tables(&global.folders.paths()?, Some(tables.rules()));
        let failure = no_tables.with_hint("until then, only /moves and /solve can answer");
        note(&failure);
    }
    if let Some(mapped) = current::mapped(&tables) {
        note(&mapped);
    }
    if let Some(memory) = preloaded {
        memory.preload(&tables).iter().for_each(|line| note(line));
    }
    if limits.connections < wanted {
        let allowed = limits.connections;
        note(&format!(
            "connections are limited to {allowed} instead of {wanted}: the system allows few open files; \
             ulimit -n sets the limit"
        ));
    }
    let addrs = args.addr.0.iter().map(SocketAddr::ip);
    let origins = Origins::new(addrs, args.host.clone(), args.allow_origin.clone());
    let app = App::new(tables, for_tables, limits, origins);
    threads::try_to_start(app.threads())?;
    server::serve(&args.addr.0, app)
}

/// How many bytes of tables may be read into memory, if searches and decoded tables use this much: a
/// part of what they and the cache leave.
fn memory_for_tables(used: u64) -> u64 {
    let half = SearchMemory::of_free().bytes();
    let left = half.saturating_mul(2).saturating_sub(used);
    let left = left.saturating_sub(Options::DEFAULT_CACHE);
    (left / 3 * 2).max(half / 4)
}

/// The addresses of a host, with a port.
#[derive(Clone, Debug)]
struct Addresses(Vec<SocketAddr>);

/// Reads a host and a port.
fn addresses(text: &str) -> Result<Addresses, String> {
    let why = |error: &dyn Display| {
        format!("expected an address and a port such as 127.0.0.1:1911, found {text:?}: {error}")
    };
    let mut found: Vec<SocketAddr> = text.to_socket_addrs().map_err(|error| why(&error))?.collect();
    found.sort();
    found.dedup();
    if found.is_empty() { Err(why(&"this name has no address")) } else { Ok(Addresses(found)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lasca_tablebase::rules::RuleSet;

    #[test]
    fn tables_of_other_rules_and_inside_the_program_are_no_open_files() {
        let included = |rules| {
            #[cfg_attr(not(feature = "included"), expect(unused_mut, reason = "nothing is added"))]
            let mut tables = Tablebase::options(rules).empty();
            #[cfg(feature = "included")]
            tables.add_included();
            tables
        };
        let in_folder = |rules| {
            let mut tables = included(rules);
            tables.add_directory("../../tables").unwrap();
            tables
        };
        assert!(in_files(&Tablebase::open("../../tables", RuleSet::Lasca).unwrap()) >= 9);
        assert_eq!(in_files(&in_folder(RuleSet::Bignor)), 0);
        assert_eq!(in_files(&included(RuleSet::Lasca)), 0);
    }
}
