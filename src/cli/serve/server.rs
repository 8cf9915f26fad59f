//! Accepts connections, holds clients to their limits, and stops in good order.
//!
//! One thread talks to all clients. Other threads look positions up. So a client holds only a connection,
//! not a thread, and slow clients cost little.

use super::app::App;
use super::client::Client;
use super::writer::Writer;
use super::{log, routes};
use crate::failure::{Failure, Status};
use crate::interrupt;
use crate::output::Output;
use axum::Router;
use futures_util::FutureExt;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use std::cell::Cell;
use std::error::Error as _;
use std::fmt::Display;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, Interest, SimplexStream, WriteHalf, join, simplex};
use tokio::net::tcp::OwnedReadHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::time::{sleep, timeout};

/// How long to wait after a connection could not be accepted, and between two looks whether a client has left.
const PAUSE: Duration = Duration::from_millis(250);

/// The longest head of a request, in bytes. The buffer of a connection grows to this size at most.
const LONGEST_HEAD: usize = 16 << 10;

/// Serves until it is told to stop, and then finishes the requests under way.
pub fn serve(addrs: &[SocketAddr], app: App) -> Result<Status, Failure> {
    let failed = |error| Failure::system(format!("cannot start the server: {error}"));
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(app.threads())
        .build()
        .map_err(failed)?;
    let end_log = log::start().map_err(failed)?;
    let app = Arc::new(app);
    let status = runtime.block_on(async {
        let listeners = listeners(addrs).await?;
        let signals = signals()?;
        announce(&listeners).map_err(failed)??;
        Ok(listen(app, listeners, signals).await)
    });
    // Nobody waits for the work that is left, so neither does this.
    runtime.shutdown_background();
    end_log();
    status
}

/// Listens at all of these addresses. This machine may lack some addresses of a name, such as that of IPv6,
/// but not all of them.
async fn listeners(addrs: &[SocketAddr]) -> Result<Vec<TcpListener>, Failure> {
    let mut listeners: Vec<TcpListener> = Vec::new();
    let mut missing = None;
    for &(mut addr) in addrs {
        if let (0, Some(first)) = (addr.port(), listeners.first()) {
            // Any free port, but the same one at all addresses.
            addr.set_port(first.local_addr().map_or(0, |addr| addr.port()));
        }
        match TcpListener::bind(addr).await {
            Ok(listener) => listeners.push(listener),
            Err(error) => match error.kind() {
                io::ErrorKind::AddrInUse | io::ErrorKind::PermissionDenied => {
                    return Err(cannot_listen(addr, &error));
                }
                _ => missing = Some(cannot_listen(addr, &error)),
            },
        }
    }
    match missing {
        Some(missing) if listeners.is_empty() => Err(missing),
        _ => Ok(listeners),
    }
}

fn cannot_listen(addr: SocketAddr, error: &io::Error) -> Failure {
    let failed = |why: &dyn Display| Failure::system(format!("cannot listen at {addr}: {why}"));
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            let any = SocketAddr::new(addr.ip(), 0);
            failed(&"another program already does")
                .with_hint("--addr chooses another address")
                .with_hint(format!("--addr {any} chooses any free port"))
        }
        io::ErrorKind::PermissionDenied => {
            failed(error).with_hint("ports below 1024 may need an administrator")
        }
        _ => failed(error),
    }
}

/// Prints the addresses of the server.
fn announce(listeners: &[TcpListener]) -> io::Result<Result<(), Failure>> {
    let line = |listener: &TcpListener| Ok(format!("http://{}/", listener.local_addr()?));
    let lines = listeners.iter().map(line).collect::<io::Result<Vec<String>>>()?;
    Ok(Output::new().lines(lines))
}

/// The next client of any of these, which have turns: the one with this number is asked first.
async fn accept(
    listeners: &[TcpListener],
    turn: &Cell<usize>,
) -> io::Result<(TcpStream, SocketAddr)> {
    poll_fn(|context| {
        let first = turn.get();
        let order = (0..listeners.len()).map(|i| (first + i) % listeners.len());
        let mut accepted = order.map(|i| (i, listeners[i].poll_accept(context)));
        let Some((i, accepted)) = accepted.find(|(_, accepted)| accepted.is_ready()) else {
            return Poll::Pending;
        };
        turn.set(i + 1);
        accepted
    })
    .await
}

/// The signals that stop the server, as they come.
fn signals() -> Result<UnboundedReceiver<i32>, Failure> {
    let (sender, signals) = mpsc::unbounded_channel();
    let mut has_come = false;
    interrupt::watch(&interrupt::STOPPING, move |signal| {
        // Nobody asks twice by closing a terminal: the shell and the system may both say it.
        if !(has_come && signal == interrupt::TERMINAL_CLOSED) {
            // The server may be gone when another comes.
            let _ = sender.send(signal);
        }
        has_come = true;
    })?;
    Ok(signals)
}

/// Serves clients until a signal comes, and then finishes the requests under way.
async fn listen(
    app: Arc<App>,
    listeners: Vec<TcpListener>,
    mut signals: UnboundedReceiver<i32>,
) -> Status {
    let router = routes::router(app.clone());
    let places = Arc::new(Semaphore::new(app.limits.connections));
    let connections = GracefulShutdown::new();
    let turn = Cell::new(0);
    let next = async || {
        // Places are never closed. Further clients wait until the system has one of them accepted.
        let place = places.clone().acquire_owned().await;
        (place, accept(&listeners, &turn).await)
    };
    loop {
        let (place, accepted) = tokio::select! {
            Some(_) = signals.recv() => break,
            next = next() => next,
        };
        match accepted {
            Ok((stream, addr)) => {
                let (app, router) = (app.clone(), router.clone());
                let watcher = connections.watcher();
                tokio::spawn(async move {
                    talk(&app, router, stream, addr, watcher).await;
                    drop(place);
                });
            }
            Err(error) => {
                log::line(format_args!("- accepting a connection failed: {error}"));
                // Most likely the process or the system has too many open files.
                sleep(PAUSE).await;
            }
        }
    }
    drop(listeners);
    log::line(format_args!("- stopping: {} connections open", connections.count()));
    app.searches.stop();
    // This is the longest that a request with its body and the reading of its answer may take.
    let longest = app.limits.time_limit + 2 * app.limits.patience;
    let is_whole = tokio::select! {
        Some(_) = signals.recv() => false,
        ended = timeout(longest, connections.shutdown()) => ended.is_ok(),
    };
    let but = if is_whole { "" } else { ", not all requests were answered" };
    log::line(format_args!("- stopped{but}"));
    if is_whole { Status::Affirmative } else { Status::Negative }
}

/// Answers one request of a client after another, until it leaves, is too slow, or the server stops. A client
/// that leaves while it waits for an answer drops the work for it.
async fn talk(app: &App, router: Router, stream: TcpStream, addr: SocketAddr, watcher: Watcher) {
    let patience = app.limits.patience;
    // Each answer is written in one piece, so there is nothing to wait for.
    let _ = stream.set_nodelay(true);
    let (mut sent, answers) = stream.into_split();
    let answers = Writer::new(answers, patience);
    // While hyper has a further request in its buffer, it reads no more, and would not see that the client
    // leaves. So what the client sends is read here, and some of it may wait.
    let (requests, mut waiting) = simplex(LONGEST_HEAD);
    let router = TowerToHyperService::new(router);
    let service = service_fn(|mut request: hyper::Request<Incoming>| {
        let client = Client::of(addr, request.headers());
        request.extensions_mut().insert(client);
        router.call(request)
    });
    let talk = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(LONGEST_HEAD)
        .serve_connection(TokioIo::new(join(requests, answers)), service);
    app.metrics.connections.inc();
    let ended = tokio::select! {
        // What has come is passed on first, so that requests are answered in the order in which they come.
        biased;
        _ = pass_on(&mut sent, &mut waiting) => Ok(()),
        ended = watcher.watch(talk) => ended,
    };
    app.metrics.connections.dec();
    match ended {
        Err(error) if !is_late(&error) => log::line(format_args!("{addr} closed: {error}")),
        _ => {}
    }
}

/// Passes on what a client sends, until it leaves.
async fn pass_on(
    sent: &mut OwnedReadHalf,
    waiting: &mut WriteHalf<SimplexStream>,
) -> io::Result<()> {
    let mut buffer = vec![0; LONGEST_HEAD / 4];
    loop {
        let read = sent.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        let mut written = pin!(waiting.write_all(&buffer[..read]));
        loop {
            tokio::select! {
                done = &mut written => break done?,
                // No more may wait, so nothing is read, and whether there is an end is asked now and then.
                () = sleep(PAUSE) => if has_left(sent) { return Ok(()) },
            }
        }
    }
}

/// Whether a client sends no more, even if not all that it has sent is read.
fn has_left(sent: &OwnedReadHalf) -> bool {
    let ready = sent.ready(Interest::READABLE).now_or_never();
    ready.is_some_and(|ready| ready.is_ok_and(|ready| ready.is_read_closed()))
}

/// Whether a connection has ended because its client did not send or read in time: browsers keep
/// connections open for later use.
fn is_late(error: &hyper::Error) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
    error.is_timeout() || cause.is_some_and(|cause| cause.kind() == io::ErrorKind::TimedOut)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_listens_at_all_addresses_that_the_machine_has_at_the_same_port() {
        let of = async |addrs: &[[u8; 4]]| {
            let addrs: Vec<SocketAddr> = addrs.iter().map(|&ip| (ip, 0).into()).collect();
            listeners(&addrs).await
        };
        // The second is an address for examples.
        let listeners = of(&[[127, 0, 0, 1], [192, 0, 2, 1], [127, 0, 0, 2]]).await.unwrap();
        let port = listeners[0].local_addr().unwrap().port();
        for ip in [[127, 0, 0, 2], [127, 0, 0, 1]] {
            let client = TcpStream::connect((std::net::Ipv4Addr::from(ip), port)).await.unwrap();
            let (_, found) = accept(&listeners, &Cell::new(0)).await.unwrap();
            assert_eq!(found, client.local_addr().unwrap());
        }
        assert!(of(&[[192, 0, 2, 1]]).await.is_err());
    }

    #[tokio::test]
    async fn clients_of_each_address_are_accepted_in_turns() {
        let addrs = [[127, 0, 0, 1], [127, 0, 0, 2]].map(|ip| (ip, 0).into());
        let listeners = listeners(&addrs).await.unwrap();
        let mut clients = Vec::new();
        for listener in &listeners {
            for _ in 0..3 {
                clients.push(TcpStream::connect(listener.local_addr().unwrap()).await.unwrap());
            }
        }
        let (mut order, turn) = (Vec::new(), Cell::new(0));
        for _ in 0..clients.len() {
            let (stream, _) = accept(&listeners, &turn).await.unwrap();
            order.push(stream.local_addr().unwrap().ip());
        }
        assert!(order.windows(2).all(|pair| pair[0] != pair[1]), "{order:?}");
    }
}
