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
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::sync::{Notify, watch};
use tokio::task::{JoinSet, yield_now};
use tokio::time::{Instant, sleep, timeout};

/// The longest head of a request, in bytes; each connection has a buffer of this size at most.
const LONGEST_HEAD: usize = 16 << 10;

/// How long each connection has to send its request before another may take its place. It begins
/// when the server turns to the connection, and not before.
const FAIR_CHANCE: Duration = Duration::from_millis(100);

/// As [`FAIR_CHANCE`], for a connection that has sent nothing yet: its request may be on its way,
/// while one that sends slowly, or has had an answer, is likelier to keep the server waiting.
const FIRST_CHANCE: Duration = Duration::from_millis(300);

/// How often it is looked whether a connection has had its chance.
const LOOK: Duration = Duration::from_millis(10);

/// How long a connection that has sent no whole request may go on when the server stops.
const LAST_CALL: Duration = Duration::from_millis(500);

/// What is sent to a client for whom there is no place.
const NO_PLACE: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
    Retry-After: 1\r\n\
    Connection: close\r\n\
    Content-Type: application/json\r\n\
    Content-Length: 66\r\n\
    Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n\
    X-Content-Type-Options: nosniff\r\n\
    X-Frame-Options: DENY\r\n\
    Referrer-Policy: no-referrer\r\n\
    Cache-Control: no-cache\r\n\
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
                Asked::NoneYet => {
                    let _ = timeout(LOOK, places.given_back.notified()).await;
                }
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
    /// Told when a place is free.
    given_back: Notify,
}

#[derive(Debug, Default)]
struct Open {
    places: HashMap<u64, Taken>,
    next: u64,
}

/// A place in use.
#[derive(Debug)]
struct Taken {
    state: State,
    /// Tells the connection to give way.
    give_way: Arc<Notify>,
    /// Whether it was told so, and has neither gone nor asked for something.
    is_told: bool,
}

/// What a connection waits for.
#[derive(Clone, Copy, Debug)]
enum State {
    /// That the server turns to it.
    New,
    /// Its client, which has sent nothing so far.
    Silent(Instant),
    /// Its client, which has sent something and no whole request, or has had an answer.
    Idle(Instant),
    /// An answer.
    Busy,
}

impl State {
    /// When it has had its chance, so that another may take its place; `None` if none may.
    fn chance_ends(self) -> Option<Instant> {
        match self {
            State::New | State::Busy => None,
            State::Silent(since) => Some(since + FIRST_CHANCE),
            State::Idle(since) => Some(since + FAIR_CHANCE),
        }
    }
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
        Places { limit, open: Mutex::default(), given_back: Notify::new() }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place; if there is none, the connection that has had its chance for the longest time is told
    /// to give way.
    fn take(self: &Arc<Places>, client: SocketAddr) -> Asked {
        let mut open = self.open();
        if open.places.len() >= self.limit {
            if open.places.values().all(|taken| matches!(taken.state, State::Busy)) {
                return Asked::AllBusy;
            }
            // One at a time: its place will be here, or is needed by itself after all.
            if open.places.values().all(|taken| !taken.is_told) {
                let ends = |taken: &mut Taken| taken.state.chance_ends();
                let waiting = open.places.iter_mut();
                let waiting = waiting.filter_map(|(&id, taken)| Some((ends(taken)?, id, taken)));
                if let Some((ends, _, taken)) = waiting.min_by_key(|&(ends, id, _)| (ends, id))
                    && ends <= Instant::now()
                {
                    taken.is_told = true;
                    taken.give_way.notify_one();
                }
            }
            return Asked::NoneYet;
        }
        let id = open.next;
        open.next += 1;
        let give_way = Arc::new(Notify::new());
        let taken = Taken { state: State::New, give_way: give_way.clone(), is_told: false };
        open.places.insert(id, taken);
        let has_asked = AtomicBool::new(false);
        Asked::Given(Place { places: self.clone(), id, client, give_way, has_asked })
    }
}

impl Place {
    fn is(&self, state: State) {
        if let Some(taken) = self.places.open().places.get_mut(&self.id) {
            taken.state = state;
        }
    }

    /// The server has turned to the connection: its time runs.
    fn is_attended(&self) {
        self.is(State::Silent(Instant::now()));
    }

    /// Notes that something has come, be it a part of a request.
    fn has_received(&self) {
        if let Some(taken) = self.places.open().places.get_mut(&self.id)
            && let State::Silent(since) = taken.state
        {
            taken.state = State::Idle(since);
        }
    }

    /// Waits until the connection is to give way. What had come by then is read first: a client that
    /// has asked for something by then is answered, however late the server is.
    async fn gives_way(&self) {
        loop {
            self.give_way.notified().await;
            // What the system has is seen when all that was ready has had its turn.
            for _ in 0..2 {
                yield_now().await;
            }
            let mut open = self.places.open();
            match open.places.get_mut(&self.id) {
                Some(taken) if matches!(taken.state, State::Busy) || !taken.is_told => {
                    taken.is_told = false;
                }
                _ => break,
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.open().places.remove(&self.id);
        self.places.given_back.notify_one();
    }
}

/// A place while its client is answered.
struct Busy<'a>(&'a Place);

impl<'a> Busy<'a> {
    fn new(place: &'a Place) -> Busy<'a> {
        place.has_asked.store(true, Ordering::Relaxed);
        place.is(State::Busy);
        Busy(place)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        // If it was told to give way before it asked, it need not any more.
        if let Some(taken) = self.0.places.open().places.get_mut(&self.0.id) {
            taken.state = State::Idle(Instant::now());
            taken.is_told = false;
        }
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
        place.is_attended();
        // Answers are written at once; there is nothing to wait for.
        let _ = stream.set_nodelay(true);
        let service = service_fn(async |request| {
            let _busy = Busy::new(place);
            Ok::<_, Infallible>(answers.answer(&request, place.client).await)
        });
        let stream = TokioIo::new(Patient::new(stream, limits.patience, || place.has_received()));
        let mut connection = pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(limits.patience)
                .max_buf_size(LONGEST_HEAD)
                .serve_connection(stream, service)
        );
        let ended = tokio::select! {
            biased;
            ended = connection.as_mut() => Some(ended),
            () = place.gives_way() => None,
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
    use tokio::time::advance;

    #[test]
    fn what_is_sent_to_those_without_a_place_is_as_long_as_it_says() {
        let text = String::from_utf8(NO_PLACE.to_vec()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{}", body.len());
    }

    /// A place, which there must be.
    fn given(places: &Arc<Places>) -> Place {
        match places.take(SocketAddr::from(([127, 0, 0, 1], 1))) {
            Asked::Given(place) => place,
            other => panic!("expected a place, found {other:?}"),
        }
    }

    /// Asks for a place, which there must not be; whether these are told to give way.
    fn told(places: &Arc<Places>, among: &[&Place]) -> Vec<bool> {
        let asked = places.take(SocketAddr::from(([127, 0, 0, 1], 1)));
        assert!(matches!(asked, Asked::NoneYet), "{asked:?}");
        among.iter().map(|place| places.open().places[&place.id].is_told).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn the_connection_that_was_idle_for_the_longest_time_gives_way() {
        let places = Arc::new(Places::new(2));
        let [first, second] = [(); 2].map(|()| given(&places));
        first.is_attended();
        let busy = Busy::new(&first);
        advance(FAIR_CHANCE).await;
        assert_eq!(told(&places, &[&second]), [false], "the server has not turned to it");
        second.is_attended();
        second.has_received();
        assert_eq!(told(&places, &[&second]), [false], "it has not had its chance");
        advance(FAIR_CHANCE).await;
        assert_eq!(told(&places, &[&first, &second]), [false, true]);
        drop(second);
        let third = given(&places);
        let third_busy = Busy::new(&third);
        assert!(matches!(places.take(third.client), Asked::AllBusy));
        drop((busy, third_busy));
        drop((first, third));
        assert!(places.open().places.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_has_sent_something_gives_way_before_a_silent_one() {
        let places = Arc::new(Places::new(2));
        let [silent, slow] = [(); 2].map(|()| given(&places));
        silent.is_attended();
        slow.is_attended();
        slow.has_received();
        advance(FAIR_CHANCE).await;
        assert_eq!(told(&places, &[&silent, &slow]), [false, true]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_asks_in_the_last_moment_keeps_its_place() {
        let places = Arc::new(Places::new(1));
        let place = given(&places);
        place.is_attended();
        place.has_received();
        advance(FAIR_CHANCE).await;
        assert_eq!(told(&places, &[&place]), [true]);
        let busy = Busy::new(&place);
        assert!(timeout(FAIR_CHANCE, place.gives_way()).await.is_err());
        drop(busy);
        advance(FAIR_CHANCE).await;
        assert_eq!(told(&places, &[&place]), [true]);
        assert!(timeout(FAIR_CHANCE, place.gives_way()).await.is_ok());
    }
}
