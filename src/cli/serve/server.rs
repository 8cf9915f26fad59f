//! Accepts connections, holds clients to their limits, and stops in good order.
//!
//! One thread talks to all clients. Other threads look positions up. So a client holds only a connection,
//! not a thread, and slow clients cost little.

use super::Address;
use super::app::App;
use super::client::Client;
use super::{log, routes};
use crate::failure::{Failure, Status};
use crate::interrupt;
use crate::output::Output;
use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use std::fmt::Display;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::time::{sleep, timeout};

/// How long to wait after a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(250);

/// Longer than any server runs: threads that wait for work never end.
const KEEP_ALIVE: Duration = Duration::from_secs(1 << 32);

/// The most bytes of the head of a request. Browsers send all cookies of `localhost`, whichever port they are of.
const LONGEST_HEAD: usize = 128 << 10;

/// Serves until it is told to stop, and then finishes the requests under way.
pub fn serve(addr: &Address, app: App) -> Result<Status, Failure> {
    let failed = |error| Failure::system(format!("cannot start the server: {error}"));
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(app.threads())
        // A thread that ends may be the last one that the system gives.
        .thread_keep_alive(KEEP_ALIVE)
        .build()
        .map_err(failed)?;
    let app = Arc::new(app);
    let status = runtime.block_on(async {
        let listener = bind(addr).await.map_err(|error| cannot_listen(addr, &error))?;
        let signals = signals()?;
        let at = listener.local_addr().map_err(failed)?;
        Output::new().lines([format!("http://{at}/")])?;
        Ok(listen(app, listener, signals).await)
    });
    // Nobody waits for the work that is left, so neither does this.
    runtime.shutdown_background();
    status
}

/// Listens at the first address where it can. If another program listens there, clients would take it for this one.
async fn bind(addr: &Address) -> io::Result<TcpListener> {
    let mut last = Err(io::ErrorKind::AddrNotAvailable.into());
    for &found in &addr.found {
        last = TcpListener::bind(found).await;
        match &last {
            Err(error) if error.kind() != io::ErrorKind::AddrInUse => {}
            _ => break,
        }
    }
    last
}

/// Why the server cannot listen at this address.
fn cannot_listen(addr: &Address, error: &io::Error) -> Failure {
    let text = &addr.text;
    let failed = |why: &dyn Display| Failure::system(format!("cannot listen at {text}: {why}"));
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            let host = text.rsplit_once(':').map_or(&**text, |(host, _)| host);
            failed(&"another program already does")
                .with_hint("--addr chooses another address")
                .with_hint(format!("--addr {host}:0 chooses any free port"))
        }
        io::ErrorKind::PermissionDenied => {
            failed(error).with_hint("ports below 1024 may need an administrator")
        }
        _ => failed(error),
    }
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
            if has_come {
                // The server hangs if nobody reads its log, and takes no signal then.
                std::thread::sleep(PAUSE);
                std::process::exit(1);
            }
        }
        has_come = true;
    })?;
    Ok(signals)
}

/// Serves clients until a signal comes, and then finishes the requests under way.
async fn listen(
    app: Arc<App>,
    listener: TcpListener,
    mut signals: UnboundedReceiver<i32>,
) -> Status {
    let router = routes::router(app.clone());
    let connections = GracefulShutdown::new();
    tokio::select! {
        () = accept(&app, &router, listener, &connections) => {}
        _ = signals.recv() => {}
    }
    log::line(format_args!("- stopping: {} connections open", connections.count()));
    app.stopping.store(true, Ordering::Relaxed);
    // A request with its body takes no longer. Whoever reads an answer more slowly is cut off.
    let longest = app.limits.time_limit + 2 * app.limits.patience;
    let is_whole = tokio::select! {
        Some(_) = signals.recv() => false,
        ended = timeout(longest, connections.shutdown()) => ended.is_ok(),
    };
    let but = if is_whole { "" } else { ", not all requests were answered" };
    log::line(format_args!("- stopped{but}"));
    if is_whole { Status::Affirmative } else { Status::Negative }
}

/// Talks to all clients. Those for which there is no place wait.
async fn accept(
    app: &Arc<App>,
    router: &Router,
    listener: TcpListener,
    connections: &GracefulShutdown,
) {
    loop {
        match listener.accept().await {
            Ok((stream, addr)) => {
                // Places are never closed.
                let place = app.places.clone().acquire_owned().await;
                let (app, router, watcher) = (app.clone(), router.clone(), connections.watcher());
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
}

/// Answers one request of a client after another, until it leaves, sends too slowly, or the server stops. A client
/// that leaves while it waits for an answer drops the work for it.
async fn talk(app: &App, router: Router, stream: TcpStream, addr: SocketAddr, watcher: Watcher) {
    // Each answer is written in one piece, so there is nothing to wait for.
    let _ = stream.set_nodelay(true);
    let router = TowerToHyperService::new(router);
    let service = service_fn(|mut request: hyper::Request<Incoming>| {
        let client = Client::of(addr, request.headers());
        request.extensions_mut().insert(client);
        router.call(request)
    });
    let talk = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(app.limits.patience)
        .max_buf_size(LONGEST_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    // Browsers keep connections open for later use, and are late then.
    if let Err(error) = watcher.watch(talk).await
        && !error.is_timeout()
    {
        log::line(format_args!("{addr} closed: {error}"));
    }
}
