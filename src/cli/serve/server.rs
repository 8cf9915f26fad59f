//! Accepts connections and holds clients to their limits.
//!
//! One thread talks to all clients. Other threads, the [`super::workers`], look positions up. So a
//! client holds only a connection, not a thread, and slow clients cost little. Each client has a time
//! limit for sending a request and for receiving the answer. If too many connections are open, those
//! that have not sent a request give way.

use super::answers::Answers;
use super::descriptors;
use super::limits::Limits;
use super::log::{Log, Repeated};
use super::metrics::Closed;
use super::shared_stream::SharedStream;
use super::slots::{Admission, Busy, Slot, Slots};
use super::write_timeout::WriteTimeout;
use crate::failure::{Failure, Status};
use crate::interrupt;
use hyper::header::HeaderValue;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::error::Error as _;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// The longest head of a request, in bytes. The buffer of a connection grows to this size at most.
const LONGEST_HEAD: usize = 16 << 10;

/// While all slots are taken, the server checks this often whether a connection must give way.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// When the server stops, a connection without a whole request may stay open for this long.
const LAST_CALL: Duration = Duration::from_millis(500);

/// How long the server listens to a client that it sends away, so that the client can read why.
const PARTING_TIME: Duration = Duration::from_secs(1);

/// As [`PARTING_TIME`], in bytes.
const PARTING_BYTES: u64 = 64 << 10;

/// Serves until it is told to stop, and then finishes the requests under way.
pub fn serve(addr: SocketAddr, answers: Arc<Answers>, limits: Limits) -> Result<Status, Failure> {
    let failed = |error| Failure::Wrong(format!("cannot start the server: {error}"));
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(limits.threads())
        .build()
        .map_err(failed)?;
    let (log, log_end) = Log::start().map_err(failed)?;
    answers.records.log_to(log);
    let status = runtime.block_on(async {
        let listener =
            TcpListener::bind(addr).await.map_err(|error| cannot_listen(addr, &error))?;
        let signals = signals()?;
        announce(listener.local_addr().map_err(failed)?)?;
        Ok(listen(listener, signals, answers, limits).await)
    });
    // Nobody waits for the work that is left, so neither does this.
    runtime.shutdown_background();
    log_end.wait();
    status
}

fn cannot_listen(addr: SocketAddr, error: &io::Error) -> Failure {
    Failure::Wrong(match error.kind() {
        io::ErrorKind::AddrInUse => format!(
            "cannot listen at {addr}: another program already does; choose another address with \
             --addr, or any free port with --addr {}",
            SocketAddr::new(addr.ip(), 0)
        ),
        io::ErrorKind::PermissionDenied => {
            format!("cannot listen at {addr}: {error}; ports below 1024 may need an administrator")
        }
        _ => format!("cannot listen at {addr}: {error}"),
    })
}

/// Prints the address of the server.
fn announce(addr: SocketAddr) -> Result<(), Failure> {
    let mut stdout = io::stdout();
    match writeln!(stdout, "http://{addr}/").and_then(|()| stdout.flush()) {
        // Whoever closed standard output does not need the address.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::Wrong(format!("cannot write standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}

async fn listen(
    listener: TcpListener,
    mut signals: UnboundedReceiver<i32>,
    answers: Arc<Answers>,
    limits: Limits,
) -> Status {
    let (closing, is_closing) = watch::channel(false);
    let slots = Arc::new(Slots::new(limits.connections));
    let parting = Arc::new(Semaphore::new(descriptors::PARTING_CONNECTIONS));
    let all_busy = all_busy(answers.origins.allowed.as_ref().map(|allowed| &allowed.header));
    let mut tasks = JoinSet::new();
    let mut failures = Repeated::default();
    loop {
        let accepted = tokio::select! {
            Some(_) = signals.recv() => break,
            accepted = listener.accept() => accepted,
            Some(_) = tasks.join_next() => continue,
        };
        let (stream, client) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                if let Some(times) = failures.note(Instant::now()) {
                    answers.records.log(format_args!(
                        "- accepting a connection failed, {times} times so far: {error}"
                    ));
                }
                // Most likely the process or the system has too many open files. Connections that end
                // free some.
                slots.make_room();
                let _ = timeout(failures.pause(), slots.freed.notified()).await;
                continue;
            }
        };
        failures.are_over();
        let slot = loop {
            match slots.admit(client) {
                Admission::Admitted(slot) => break Some(slot),
                Admission::Wait => {
                    let _ = timeout(CHECK_INTERVAL, slots.freed.notified()).await;
                }
                Admission::AllBusy => break None,
            }
        };
        match slot {
            Some(slot) => {
                let slot = Arc::new(slot);
                let connection = Connection { answers: answers.clone(), limits, slot };
                tasks.spawn(connection.run(stream, is_closing.clone()));
            }
            None => {
                answers.records.metrics.close(Closed::Refused);
                answers.records.log(format_args!("{client} refused: all connections are busy"));
                let _ = stream.try_write(&all_busy);
                // If too many are parting already, this one may miss the answer.
                if let Ok(place) = parting.clone().try_acquire_owned() {
                    tasks.spawn(async move {
                        let _place = place;
                        let _ = timeout(PARTING_TIME, part(stream)).await;
                    });
                }
            }
        }
    }
    drop(listener);
    answers.records.log(format_args!("- stopping: {} connections open", tasks.len()));
    let _ = closing.send(true);
    answers.searches.stop();
    // This is the longest that a request and the reading of its answer may take.
    let longest = limits.answer + limits.patience + LAST_CALL;
    let ended = async { while tasks.join_next().await.is_some() {} };
    let is_whole = tokio::select! {
        Some(_) = signals.recv() => false,
        ended = timeout(longest, ended) => ended.is_ok(),
    };
    answers.records.log(format_args!(
        "- stopped{}",
        if is_whole { "" } else { ", not all requests were answered" }
    ));
    if is_whole { Status::Affirmative } else { Status::Negative }
}

/// The answer for a client when all connections are busy.
fn all_busy(allowed_origin: Option<&HeaderValue>) -> Vec<u8> {
    let body = "{\"error\":\"too many connections are open already; try again soon\"}\n";
    let head = format!(
        "HTTP/1.1 503 Service Unavailable\r\n\
         Retry-After: 1\r\n\
         Connection: close\r\n\
         Content-Type: application/json\r\n\
         Content-Length: {}\r\n\
         Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n\
         X-Content-Type-Options: nosniff\r\n\
         X-Frame-Options: DENY\r\n\
         Referrer-Policy: no-referrer\r\n\
         Cache-Control: no-cache\r\n",
        body.len()
    );
    let mut answer = head.into_bytes();
    if let Some(origin) = allowed_origin {
        let name = b"Access-Control-Allow-Origin: ";
        answer.extend([name, origin.as_bytes(), b"\r\n"].concat());
    }
    answer.extend([b"\r\n", body.as_bytes()].concat());
    answer
}

/// Ends a connection whose client has an answer without being heard. If bytes that came were not read,
/// the system would reset the connection, and the client might lose the answer.
async fn part(mut stream: TcpStream) {
    if stream.shutdown().await.is_ok() {
        let _ = tokio::io::copy(&mut stream.take(PARTING_BYTES), &mut tokio::io::sink()).await;
    }
}

/// The signals that stop the server, as they come.
fn signals() -> Result<UnboundedReceiver<i32>, Failure> {
    let (sender, signals) = mpsc::unbounded_channel();
    interrupt::watch(&interrupt::STOPPING, move |signal| {
        // The server may be gone when another comes.
        let _ = sender.send(signal);
    })?;
    Ok(signals)
}

/// One connection.
struct Connection {
    answers: Arc<Answers>,
    limits: Limits,
    slot: Arc<Slot>,
}

impl Connection {
    async fn run(self, stream: TcpStream, mut closing: watch::Receiver<bool>) {
        let Connection { answers, limits, slot } = &self;
        let _counted = answers.records.metrics.connections.hold();
        slot.attend();
        // Each answer is written in one piece, so there is nothing to wait for.
        let _ = stream.set_nodelay(true);
        let stream = SharedStream::new(stream);
        let service = service_fn(async |request| {
            let busy = Busy::new(slot);
            let mut answer = tokio::select! {
                biased;
                answer = answers.answer(&request, slot.client) => answer,
                () = stream.left(request.version()) => {
                    return Err(io::Error::from(io::ErrorKind::BrokenPipe));
                }
            };
            answer.body_mut().keep_busy(busy);
            Ok(answer)
        });
        let stream = WriteTimeout::new(stream.clone(), limits.patience, || slot.note_received());
        let stream = TokioIo::new(stream);
        let mut connection = pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(limits.patience)
                .max_buf_size(LONGEST_HEAD)
                .half_close(true)
                .serve_connection(stream, service)
        );
        let ended = tokio::select! {
            biased;
            ended = connection.as_mut() => Some(ended),
            () = slot.wait_to_give_way() => None,
            () = told_to_close(&mut closing) => {
                connection.as_mut().graceful_shutdown();
                tokio::select! {
                    ended = connection.as_mut() => Some(ended),
                    () = self.sends_nothing() => Some(Ok(())),
                }
            }
        };
        match ended {
            Some(Ok(())) => {}
            Some(Err(error)) => self.ended_badly(&error),
            None => self.closed(Closed::Displaced, "another client needed its slot"),
        }
    }

    /// Returns when the last call is over, if the client has not sent a request by then. Otherwise
    /// it never returns, because hyper closes a used connection once it is idle.
    async fn sends_nothing(&self) {
        sleep(LAST_CALL).await;
        if self.slot.has_sent_request() {
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
        self.answers.records.metrics.close(why);
        if why == Closed::Slow {
            // Browsers keep connections open for later use. They end like this, and need no line.
            return;
        }
        let client = self.slot.client;
        self.answers.records.log(format_args!("{client} closed, {}: {detail}", why.name()));
    }
}

/// Waits until the server stops.
async fn told_to_close(closing: &mut watch::Receiver<bool>) {
    let _ = closing.wait_for(|closing| *closing).await;
}
