//! Listening, and what clients are held to.
//!
//! One thread talks to all clients; looking into tables is done on [`super::workers`]. A client
//! holds a connection, and no thread, so that slow ones cost little; each has so long to send a
//! request, and so long to take in the answer. If there are too many, those that have asked for
//! nothing give way.

use super::answers::Answers;
use super::log::Log;
use super::metrics::Closed;
use super::patience::Patient;
use crate::failure::{Failure, Status};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::collections::HashMap;
use std::convert::Infallible;
use std::error::Error as _;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// The longest head of a request, in bytes; each connection has a buffer of this size at most.
const LONGEST_HEAD: usize = 16 << 10;

/// How long each connection has to send its request before another may take its place.
const FAIR_CHANCE: Duration = Duration::from_millis(100);

/// How long a connection that has sent no whole request may go on when the server stops.
const LAST_CALL: Duration = Duration::from_millis(500);

/// What is sent to a client for whom there is no place.
const NO_PLACE: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
    Retry-After: 1\r\n\
    Connection: close\r\n\
    Content-Type: application/json\r\n\
    Content-Length: 66\r\n\
    \r\n\
    {\"error\":\"too many connections are open already; try again soon\"}\n";

/// How much there may be of what.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Threads that probe.
    pub workers: usize,
    /// Requests that wait for such a thread.
    pub queue: usize,
    /// The time for an answer.
    pub answer: Duration,
    /// The time for a client to send a request, or to take in an answer.
    pub patience: Duration,
    /// Open connections.
    pub connections: usize,
}

/// Serves until it is told to stop, and then ends what is under way.
pub fn serve(addr: SocketAddr, answers: Arc<Answers>, limits: Limits) -> Result<Status, Failure> {
    let failed = |error| Failure::Wrong(format!("starting the server: {error}"));
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(limits.workers)
        .build()
        .map_err(failed)?;
    let (log, log_end) = Log::start().map_err(failed)?;
    answers.log_to(log);
    let status = runtime.block_on(async {
        let listener =
            TcpListener::bind(addr).await.map_err(|error| cannot_listen(addr, &error))?;
        announce(listener.local_addr().map_err(failed)?)?;
        listen(listener, answers, limits).await.map_err(failed)
    });
    // Work that nobody waits for is not waited for.
    runtime.shutdown_background();
    log_end.wait();
    status
}

fn cannot_listen(addr: SocketAddr, error: &io::Error) -> Failure {
    Failure::Wrong(match error.kind() {
        io::ErrorKind::AddrInUse => format!(
            "listening at {addr}: another program listens there already; choose another address \
             with --addr, or a free port with --addr {}",
            SocketAddr::new(addr.ip(), 0)
        ),
        io::ErrorKind::PermissionDenied => {
            format!("listening at {addr}: {error}; ports below 1024 may need an administrator")
        }
        _ => format!("listening at {addr}: {error}"),
    })
}

/// Prints where the server is.
fn announce(addr: SocketAddr) -> Result<(), Failure> {
    let mut stdout = io::stdout();
    match writeln!(stdout, "http://{addr}/").and_then(|()| stdout.flush()) {
        // Who started it knows.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::Wrong(format!("writing standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}

async fn listen(
    listener: TcpListener,
    answers: Arc<Answers>,
    limits: Limits,
) -> io::Result<Status> {
    let mut stop = pin!(Stop::new()?.wait());
    let mut stop_again = pin!(Stop::new()?.wait_twice());
    let (closing, is_closing) = watch::channel(false);
    let places = Arc::new(Places::new(limits.connections));
    let mut tasks = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => accepted,
            Some(_) = tasks.join_next() => continue,
        };
        let (stream, client) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                answers.log(format_args!("- accepting a connection: {error}"));
                // Out of files, most likely: they come back as connections end.
                sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let place = loop {
            match places.take(client) {
                Asked::Given(place) => break Some(place),
                Asked::NoneYet => sleep(FAIR_CHANCE / 10).await,
                Asked::AllBusy => break None,
            }
        };
        match place {
            Some(place) => {
                let connection = Connection { answers: answers.clone(), limits, place };
                tasks.spawn(connection.run(stream, is_closing.clone()));
            }
            None => {
                answers.metrics.close(Closed::Refused);
                answers.log(format_args!("{client} refused: all connections are busy"));
                let _ = stream.try_write(NO_PLACE);
            }
        }
    }
    drop(listener);
    answers.log(format_args!("- stopping: {} connections open", tasks.len()));
    let _ = closing.send(true);
    // Every answer has its time limit, and so has every client that takes it in.
    let longest = limits.answer + limits.patience + LAST_CALL;
    let ended = async { while tasks.join_next().await.is_some() {} };
    let is_whole = tokio::select! {
        () = &mut stop_again => false,
        ended = timeout(longest, ended) => ended.is_ok(),
    };
    answers.log(format_args!("- stopped{}", if is_whole { "" } else { ", not all was answered" }));
    Ok(if is_whole { Status::Affirmative } else { Status::Negative })
}

/// The signals that stop the server.
struct Stop {
    #[cfg(unix)]
    signals: [tokio::signal::unix::Signal; 2],
}

impl Stop {
    fn new() -> io::Result<Stop> {
        Ok(Stop {
            #[cfg(unix)]
            signals: {
                use tokio::signal::unix::{SignalKind, signal};
                [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?]
            },
        })
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        let [interrupt, terminate] = &mut self.signals;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    async fn wait(mut self) {
        self.next().await;
    }

    async fn wait_twice(mut self) {
        self.next().await;
        self.next().await;
    }
}

/// The connections that are open, at most so many.
#[derive(Debug)]
struct Places {
    limit: usize,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    places: HashMap<u64, Taken>,
    next: u64,
}

/// A place in use.
#[derive(Debug)]
struct Taken {
    /// Since when its client has asked for nothing; `None` while it is answered.
    idle_since: Option<Instant>,
    /// Tells the connection to give way.
    give_way: Arc<Notify>,
}

/// A place that a connection has; given back when dropped.
#[derive(Debug)]
struct Place {
    places: Arc<Places>,
    id: u64,
    client: SocketAddr,
    give_way: Arc<Notify>,
    /// Whether a whole request has come.
    has_asked: AtomicBool,
}

/// What comes of asking for a place.
#[derive(Debug)]
enum Asked {
    Given(Place),
    /// There will be one soon.
    NoneYet,
    /// All connections are answered right now.
    AllBusy,
}

impl Places {
    fn new(limit: usize) -> Places {
        Places { limit, open: Mutex::default() }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place, if need be that of the connection that has been idle for the longest time, once it
    /// has had its chance.
    fn take(self: &Arc<Places>, client: SocketAddr) -> Asked {
        let mut open = self.open();
        if open.places.len() >= self.limit {
            let idle = open.places.iter().filter_map(|(&id, taken)| Some((taken.idle_since?, id)));
            match idle.min() {
                None => return Asked::AllBusy,
                Some((since, _)) if since.elapsed() < FAIR_CHANCE => return Asked::NoneYet,
                Some((_, id)) => {
                    if let Some(taken) = open.places.remove(&id) {
                        taken.give_way.notify_one();
                    }
                }
            }
        }
        let id = open.next;
        open.next += 1;
        let give_way = Arc::new(Notify::new());
        let taken = Taken { idle_since: Some(Instant::now()), give_way: give_way.clone() };
        open.places.insert(id, taken);
        let has_asked = AtomicBool::new(false);
        Asked::Given(Place { places: self.clone(), id, client, give_way, has_asked })
    }
}

impl Place {
    fn is_idle_since(&self, since: Option<Instant>) {
        if let Some(taken) = self.places.open().places.get_mut(&self.id) {
            taken.idle_since = since;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.open().places.remove(&self.id);
    }
}

/// A place while its client is answered.
struct Busy<'a>(&'a Place);

impl<'a> Busy<'a> {
    fn new(place: &'a Place) -> Busy<'a> {
        place.has_asked.store(true, Ordering::Relaxed);
        place.is_idle_since(None);
        Busy(place)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.is_idle_since(Some(Instant::now()));
    }
}

/// A connection, from beginning to end.
struct Connection {
    answers: Arc<Answers>,
    limits: Limits,
    place: Place,
}

impl Connection {
    async fn run(self, stream: TcpStream, mut closing: watch::Receiver<bool>) {
        let Connection { answers, limits, place } = &self;
        answers.metrics.connections.up();
        // Answers are written at once; there is nothing to wait for.
        let _ = stream.set_nodelay(true);
        let service = service_fn(async |request| {
            let _busy = Busy::new(place);
            Ok::<_, Infallible>(answers.answer(&request, place.client).await)
        });
        let stream = TokioIo::new(Patient::new(stream, limits.patience));
        let mut connection = pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(limits.patience)
                .max_buf_size(LONGEST_HEAD)
                .serve_connection(stream, service)
        );
        let ended = tokio::select! {
            ended = connection.as_mut() => Some(ended),
            () = place.give_way.notified() => None,
            () = told_to_close(&mut closing) => {
                connection.as_mut().graceful_shutdown();
                tokio::select! {
                    ended = connection.as_mut() => Some(ended),
                    () = self.asks_nothing() => Some(Ok(())),
                }
            }
        };
        match ended {
            Some(Ok(())) => {}
            Some(Err(error)) => self.ended_badly(&error),
            None => self.closed(Closed::Displaced, "another client needed its place"),
        }
        answers.metrics.connections.down();
    }

    /// Waits for as long as a client that has asked for nothing has left; for ever, if it does ask.
    /// (A connection that has been used is closed by hyper when it is idle.)
    async fn asks_nothing(&self) {
        sleep(LAST_CALL).await;
        if self.place.has_asked.load(Ordering::Relaxed) {
            std::future::pending().await
        }
    }

    fn ended_badly(&self, error: &hyper::Error) {
        let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
        let timed_out = cause.is_some_and(|cause| cause.kind() == io::ErrorKind::TimedOut);
        let why = match () {
            () if error.is_timeout() || timed_out => Closed::Slow,
            () if error.is_parse_too_large() => Closed::TooLong,
            () if error.is_parse() => Closed::Malformed,
            () => Closed::Broken,
        };
        self.closed(why, &error.to_string());
    }

    fn closed(&self, why: Closed, detail: &str) {
        self.answers.metrics.close(why);
        if why == Closed::Slow {
            // So end the connections that browsers keep for later.
            return;
        }
        let client = self.place.client;
        self.answers.log(format_args!("{client} closed, {}: {detail}", why.name()));
    }
}

/// Waits until the server stops.
async fn told_to_close(closing: &mut watch::Receiver<bool>) {
    let _ = closing.wait_for(|closing| *closing).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_to_those_without_a_place_is_as_long_as_it_says() {
        let text = String::from_utf8(NO_PLACE.to_vec()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.ends_with(&format!("Content-Length: {}", body.len())), "{}", body.len());
    }

    #[test]
    fn the_connection_that_was_idle_for_the_longest_time_gives_way() {
        let places = Arc::new(Places::new(2));
        let ask = || places.take(SocketAddr::from(([127, 0, 0, 1], 1)));
        let given = || match ask() {
            Asked::Given(place) => place,
            other => panic!("expected a place, found {other:?}"),
        };
        let (first, second) = (given(), given());
        let busy = Busy::new(&first);
        assert!(matches!(ask(), Asked::NoneYet), "the second has not had its chance");
        std::thread::sleep(FAIR_CHANCE);
        let third = given();
        assert!(!places.open().places.contains_key(&second.id));
        let third_busy = Busy::new(&third);
        assert!(matches!(ask(), Asked::AllBusy));
        drop((busy, third_busy));
        drop(first);
        let fourth = given();
        // It has given its place away already.
        drop(second);
        assert_eq!(places.open().places.len(), 2);
        drop((third, fourth));
        assert!(places.open().places.is_empty());
    }
}
