//! One connection: its requests are answered one after another, it gives way to others when it is idle,
//! and its client is watched.
//!
//! A client that has left, and one that has closed only its half because it sends nothing more, look the
//! same to the system until something is sent to them: who has left then says so. So a client that waits
//! for an answer, and has closed its half, is sent interim answers, which HTTP/1.1 allows at any time.

use super::app::App;
use axum::Router;
use hyper::Version;
use hyper::body::Incoming;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::collections::BTreeMap;
use std::error::Error as _;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::sync::{Notify, watch};
use tokio::task::yield_now;
use tokio::time::{Instant, Sleep, sleep, sleep_until};
use tracing::info;

/// The longest head of a request, in bytes. The buffer of a connection grows to this size at most.
const LONGEST_HEAD: usize = 16 << 10;

/// How long a connection may be idle before another may have its place. A request may be on its way.
pub const CHANCE: Duration = Duration::from_millis(200);

/// How long a client that is sent away may take to ask, so that it can read why.
const PARTING_TIME: Duration = Duration::from_secs(1);

/// How long a client waits before it is looked at for the first time.
const FIRST_LOOK: Duration = Duration::from_millis(250);

/// The longest time between two looks.
const LONGEST_PAUSE: Duration = Duration::from_secs(4);

/// The interim answer that every client knows.
const INTERIM: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// What all connections share.
#[derive(Debug)]
pub struct Shared {
    /// What answers requests.
    pub router: Router,
    /// The same, as the router sees it.
    pub app: Arc<App>,
    /// The connections that wait for a request, by the time since when and their address in memory. So the
    /// one that has been idle for the longest time is the first.
    pub idle: Mutex<BTreeMap<(Instant, usize), Arc<Connection>>>,
    /// Becomes true when the server stops.
    pub stopping: watch::Sender<bool>,
}

impl Shared {
    fn idle(&self) -> MutexGuard<'_, BTreeMap<(Instant, usize), Arc<Connection>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether all connections are busy.
    pub fn has_no_idle(&self) -> bool {
        self.idle().is_empty()
    }

    /// Waits for this, and ends idle connections until it has come.
    pub async fn while_ending<T>(&self, waiting: impl Future<Output = T>) -> T {
        let mut waiting = pin!(waiting);
        loop {
            tokio::select! {
                biased;
                done = waiting.as_mut() => return done,
                () = self.end_idle() => {}
            }
        }
    }

    /// Ends the connection that has been idle for the longest time, when that is long enough. A connection
    /// whose client has still to read what was written is not idle.
    pub async fn end_idle(&self) {
        let is_idle = |connection: &Connection| !connection.writes.load(Ordering::Relaxed);
        let first =
            || self.idle().iter().find(|(_, connection)| is_idle(connection)).map(|(at, _)| *at);
        let Some(at) = first() else { return sleep(CHANCE).await };
        sleep_until(at.0 + CHANCE).await;
        // Whatever the system had received by now is read first. After two turns, it has been.
        for _ in 0..2 {
            yield_now().await;
        }
        // One that has got a request meanwhile is not there any more.
        if first() == Some(at)
            && let Some(connection) = self.idle().remove(&at)
        {
            connection.end.notify_one();
        }
    }
}

/// What a connection is doing.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// It waits for a request, since then.
    Idle { since: Instant },
    /// It waits for an answer. An interim answer may be sent to clients of HTTP/1.1.
    Waiting { can_ask: bool },
    /// It has the beginning of an answer.
    Sending,
}

impl Phase {
    /// Idle from now on.
    fn idle() -> Phase {
        Phase::Idle { since: Instant::now() }
    }
}

/// A connection, for all who need to know what it is doing.
#[derive(Debug)]
pub struct Connection {
    shared: Arc<Shared>,
    /// The address of the client.
    pub client: SocketAddr,
    /// Whether the client is sent away, because all connections are busy.
    pub is_sent_away: bool,
    phase: Mutex<Phase>,
    /// Whether a write waits until the client reads.
    writes: AtomicBool,
    /// Notified when it must give way.
    end: Notify,
}

impl Connection {
    /// A connection that is idle from now on. A client that is sent away gets one answer, which says why.
    pub fn new(shared: Arc<Shared>, client: SocketAddr, is_sent_away: bool) -> Arc<Connection> {
        let (phase, writes, end) =
            (Mutex::new(Phase::Sending), AtomicBool::new(false), Notify::new());
        let new = Arc::new(Connection { shared, client, is_sent_away, phase, writes, end });
        new.does(Phase::idle());
        new
    }

    /// Serves the client until the connection ends.
    pub async fn serve(self: Arc<Connection>, stream: TcpStream) {
        let metrics = &self.shared.app.metrics;
        metrics.connections.inc();
        let ended = self.talk(stream).await;
        // So it is not among the idle ones.
        self.does(Phase::Sending);
        metrics.connections.dec();
        if let Err((why, detail)) = ended {
            metrics.closed.with_label_values(&[why]).inc();
            // Browsers keep connections open for later use. They end by being slow, and need no line.
            if why != "slow" {
                info!("{} closed, {why}: {detail}", self.client);
            }
        }
    }

    fn phase(&self) -> Phase {
        *self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what it does now, and returns what it did before. It is among the idle ones as long as it is
    /// idle; one that is sent away has no place that others could need.
    fn does(self: &Arc<Connection>, now: Phase) -> Phase {
        let mut phase = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        let number = Arc::as_ptr(self).addr();
        let mut idle = self.shared.idle();
        if let Phase::Idle { since } = *phase {
            idle.remove(&(since, number));
        }
        if let Phase::Idle { since } = now
            && !self.is_sent_away
        {
            idle.insert((since, number), self.clone());
        }
        std::mem::replace(&mut *phase, now)
    }

    /// Answers one request after another, until the client leaves or must give way. If the server ends the
    /// connection, returns why, as one word and as a text.
    async fn talk(self: &Arc<Connection>, stream: TcpStream) -> Result<(), (&'static str, String)> {
        let shared = &self.shared;
        // Each answer is written in one piece, so there is nothing to wait for.
        let _ = stream.set_nodelay(true);
        let patience = if self.is_sent_away { PARTING_TIME } else { shared.app.limits.patience };
        let router = TowerToHyperService::new(shared.router.clone());
        let service = service_fn(|mut request: hyper::Request<Incoming>| {
            self.does(Phase::Waiting { can_ask: request.version() == Version::HTTP_11 });
            request.extensions_mut().insert(Arc::new(Underway(self.clone())));
            router.call(request)
        });
        let stream = TokioIo::new(stream);
        let stream =
            ClientStream { stream, connection: self.clone(), patience, alarm: None, look: None };
        let mut talk = pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(patience)
                .max_buf_size(LONGEST_HEAD)
                .half_close(true)
                .serve_connection(stream, service)
        );
        let mut stopping = shared.stopping.subscribe();
        let mut is_told = false;
        loop {
            tokio::select! {
                biased;
                ended = talk.as_mut() => return ended.map_err(|error| why(&error)),
                () = self.end.notified() => match self.phase() {
                    Phase::Idle { .. } if *shared.stopping.borrow() => return Ok(()),
                    // It has got a request at the last moment, has answered it, and is idle anew.
                    Phase::Idle { since }
                        if shared.idle().contains_key(&(since, Arc::as_ptr(self).addr())) => {}
                    Phase::Idle { .. } => {
                        return Err(("displaced", "another client needed its place".to_owned()));
                    }
                    // A request has come at the last moment.
                    Phase::Waiting { .. } | Phase::Sending => {}
                },
                _ = stopping.wait_for(|stopping| *stopping), if !is_told => {
                    is_told = true;
                    talk.as_mut().graceful_shutdown();
                }
            }
        }
    }
}

/// A request that is being answered. Its connection is idle again when this is dropped.
#[derive(Debug)]
pub struct Underway(pub Arc<Connection>);

impl Underway {
    /// Notes that the answer begins.
    pub fn begins_to_send(&self) {
        self.0.does(Phase::Sending);
    }

    /// Waits for the body of the request. Until it has come, the connection is idle, and may give way as
    /// one that has asked nothing.
    pub async fn awaiting<T>(&self, body: impl Future<Output = T>) -> T {
        let before = self.0.does(Phase::idle());
        let body = body.await;
        self.0.does(before);
        body
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        self.0.does(Phase::idle());
    }
}

/// Why the server closed a connection, as one word and as a text.
fn why(error: &hyper::Error) -> (&'static str, String) {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
    let timed_out = cause.is_some_and(|cause| cause.kind() == io::ErrorKind::TimedOut);
    let why = match () {
        () if error.is_timeout() || timed_out => "slow",
        () if error.is_parse_too_large() => "too_long",
        () if error.is_parse() => "malformed",
        () => "broken",
    };
    (why, error.to_string())
}

/// The stream of a client. Writes fail if the client reads nothing for too long, and flushing fails if
/// the client has left while it waits for an answer. Hyper itself watches how long a request takes.
struct ClientStream {
    stream: TokioIo<TcpStream>,
    connection: Arc<Connection>,
    patience: Duration,
    /// The timer of a write that waits.
    alarm: Option<Pin<Box<Sleep>>>,
    /// When to look at the client that waits for the next time, and the pause after that.
    look: Option<(Pin<Box<Sleep>>, Duration)>,
}

impl ClientStream {
    /// Passes the result of a write on, or fails it if it has waited for too long.
    fn watched<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        self.connection.writes.store(written.is_pending(), Ordering::Relaxed);
        if written.is_ready() {
            self.alarm = None;
            return written;
        }
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep(self.patience)));
        alarm.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Looks at a client that waits, from time to time. To clients of HTTP/1.0, nothing can be sent before
    /// the answer. If one of them closes its half, only a reset tells that it has left.
    fn look(&mut self, context: &mut Context<'_>, can_ask: bool) -> io::Result<()> {
        let (timer, pause) =
            self.look.get_or_insert_with(|| (Box::pin(sleep(FIRST_LOOK)), FIRST_LOOK));
        while timer.as_mut().poll(context).is_ready() {
            let stream = self.stream.inner();
            let ready = pin!(stream.ready(Interest::READABLE | Interest::WRITABLE));
            if let Poll::Ready(ready) = ready.poll(&mut Context::from_waker(Waker::noop())) {
                let ready = ready?;
                if ready.is_write_closed() {
                    return Err(io::ErrorKind::BrokenPipe.into());
                }
                if ready.is_read_closed() && can_ask {
                    match stream.try_write(INTERIM) {
                        Ok(written) if written < INTERIM.len() => {
                            return Err(io::ErrorKind::WriteZero.into());
                        }
                        Err(error) if error.kind() != io::ErrorKind::WouldBlock => {
                            return Err(error);
                        }
                        _ => *pause = LONGEST_PAUSE.min(*pause * 2),
                    }
                }
            }
            timer.as_mut().reset(Instant::now() + *pause);
        }
        Ok(())
    }
}

impl Read for ClientStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl Write for ClientStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watched(context, written)
    }

    /// Hyper calls this whenever the connection has something to do, and has written all that it has.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.connection.phase() {
            Phase::Waiting { can_ask } => self.look(context, can_ask)?,
            Phase::Idle { .. } | Phase::Sending => self.look = None,
        }
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.watched(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.watched(context, shut)
    }
}

#[cfg(test)]
mod tests {
    use super::super::app::tests::app;
    use super::*;
    use tokio::time::timeout;

    #[tokio::test(start_paused = true)]
    async fn the_longest_idle_connection_gives_way_unless_a_place_becomes_free_by_itself() {
        let (idle, stopping) = (Mutex::default(), watch::Sender::new(false));
        let shared =
            Arc::new(Shared { router: Router::new(), app: Arc::new(app()), idle, stopping });
        let connections =
            [(); 3].map(|()| Connection::new(shared.clone(), ([127, 0, 0, 1], 1).into(), false));
        let has_to_end = async |number: usize| {
            timeout(10 * CHANCE, connections[number].end.notified()).await.is_ok()
        };
        shared.while_ending(sleep(CHANCE / 2)).await;
        assert!(!has_to_end(0).await);
        // The first is used meanwhile, and the client of the second has still to read.
        drop(Underway(connections[0].clone()));
        connections[1].writes.store(true, Ordering::Relaxed);
        shared.while_ending(has_to_end(2)).await;
        assert!(!has_to_end(0).await && !has_to_end(1).await);
    }
}
