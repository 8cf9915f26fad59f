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
use std::error::Error as _;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::sync::{Notify, watch};
use tokio::task::yield_now;
use tokio::time::{Instant, Sleep, sleep};
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
    /// Notified when the connection that has been idle for the longest time must give way.
    pub give_way: Notify,
    /// How many requests are being answered.
    pub busy: AtomicUsize,
    /// Becomes true when the server stops.
    pub stopping: watch::Sender<bool>,
}

/// What a connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// It waits for a request.
    Idle,
    /// It waits for an answer. An interim answer may be sent to clients of HTTP/1.1.
    Waiting { can_ask: bool },
    /// It has the beginning of an answer.
    Sending,
}

/// A request that is being answered. Its connection is idle again when this is dropped.
#[derive(Debug)]
pub struct Underway {
    /// The address of the client.
    pub client: SocketAddr,
    /// Whether the client is sent away, because all connections are busy.
    pub is_sent_away: bool,
    phase: watch::Sender<Phase>,
    shared: Arc<Shared>,
}

impl Underway {
    /// Notes that the answer begins.
    pub fn begins_to_send(&self) {
        self.phase.send_replace(Phase::Sending);
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        self.shared.busy.fetch_sub(1, Ordering::Relaxed);
        self.phase.send_replace(Phase::Idle);
    }
}

/// Serves a connection until it ends. A client that is sent away gets one answer, which says why.
pub async fn serve(shared: Arc<Shared>, stream: TcpStream, client: SocketAddr, is_sent_away: bool) {
    let open = &shared.app.metrics.connections;
    open.inc();
    // Each answer is written in one piece, so there is nothing to wait for.
    let _ = stream.set_nodelay(true);
    let phase = watch::Sender::new(Phase::Idle);
    let patience = if is_sent_away { PARTING_TIME } else { shared.app.limits.patience };
    let router = TowerToHyperService::new(shared.router.clone());
    let service = service_fn(|mut request: hyper::Request<Incoming>| {
        shared.busy.fetch_add(1, Ordering::Relaxed);
        phase.send_replace(Phase::Waiting { can_ask: request.version() == Version::HTTP_11 });
        let (phase, shared) = (phase.clone(), shared.clone());
        let underway = Underway { client, is_sent_away, phase, shared };
        request.extensions_mut().insert(Arc::new(underway));
        router.call(request)
    });
    let stream = ClientStream {
        stream: TokioIo::new(stream),
        phase: phase.subscribe(),
        patience,
        alarm: None,
        look: None,
    };
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(patience)
            .max_buf_size(LONGEST_HEAD)
            .half_close(true)
            .serve_connection(stream, service)
    );
    let mut gives_way = pin!(gives_way(&shared, phase.subscribe()));
    let mut stopping = shared.stopping.subscribe();
    let mut is_told = false;
    let ended = loop {
        tokio::select! {
            biased;
            ended = connection.as_mut() => break ended.map_err(|error| why(&error)),
            () = gives_way.as_mut(), if !is_sent_away => {
                let detail = "another client needed its place".to_owned();
                let is_stopping = *shared.stopping.borrow();
                break if is_stopping { Ok(()) } else { Err(("displaced", detail)) };
            }
            _ = stopping.wait_for(|stopping| *stopping), if !is_told => {
                is_told = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    };
    open.dec();
    if let Err((why, detail)) = ended {
        shared.app.metrics.closed.with_label_values(&[why]).inc();
        // Browsers keep connections open for later use. They end by being slow, and need no line.
        if why != "slow" {
            info!("{client} closed, {why}: {detail}");
        }
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

/// Waits until the connection has to give way: it is idle, and another one needs its place, or the
/// server stops. Of several that are idle, the one that has been so for the longest time is the first.
async fn gives_way(shared: &Shared, mut phase: watch::Receiver<Phase>) {
    let mut stopping = shared.stopping.subscribe();
    loop {
        let _ = phase.wait_for(|phase| *phase == Phase::Idle).await;
        let is_wanted = async {
            sleep(CHANCE).await;
            tokio::select! {
                () = shared.give_way.notified() => {}
                _ = stopping.wait_for(|stopping| *stopping) => {}
            }
        };
        tokio::select! {
            _ = phase.wait_for(|phase| *phase != Phase::Idle) => continue,
            () = is_wanted => {}
        }
        // Whatever the system had received by now is read first. After two turns, it has been.
        for _ in 0..2 {
            yield_now().await;
        }
        if *phase.borrow() == Phase::Idle {
            return;
        }
        shared.give_way.notify_one();
    }
}

/// The stream of a client. Writes fail if the client reads nothing for too long, and flushing fails if
/// the client has left while it waits for an answer. Hyper itself watches how long a request takes.
struct ClientStream {
    stream: TokioIo<TcpStream>,
    phase: watch::Receiver<Phase>,
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
        let phase = *self.phase.borrow();
        match phase {
            Phase::Waiting { can_ask } => self.look(context, can_ask)?,
            Phase::Idle | Phase::Sending => self.look = None,
        }
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.watched(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.watched(context, shut)
    }
}
