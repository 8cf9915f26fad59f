//! Accepts connections, holds clients to their limits, and stops in good order.
//!
//! One thread talks to all clients. Other threads look positions up. So a client holds only a connection,
//! not a thread, and slow clients cost little. If too many connections are open, an idle one gives way.

use super::app::App;
use super::connection::{CHANCE, Connection, Shared};
use super::{log, routes};
use crate::failure::{Failure, Status};
use crate::interrupt;
use crate::output::Output;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tracing::info;

/// How long to wait after a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(250);

/// Serves until it is told to stop, and then finishes the requests under way.
pub fn serve(addr: SocketAddr, app: App) -> Result<Status, Failure> {
    let failed = |error| Failure::Wrong(format!("cannot start the server: {error}"));
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(app.threads())
        .build()
        .map_err(failed)?;
    let end_log = log::start().map_err(failed)?;
    let app = Arc::new(app);
    let server = Shared { router: routes::router(app.clone()), app, wanted: Semaphore::new(0) };
    let status = runtime.block_on(async {
        let listener =
            TcpListener::bind(addr).await.map_err(|error| cannot_listen(addr, &error))?;
        let signals = signals()?;
        announce(listener.local_addr().map_err(failed)?)?;
        Ok(Arc::new(server).listen(listener, signals).await)
    });
    // Nobody waits for the work that is left, so neither does this.
    runtime.shutdown_background();
    end_log();
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
    match Output::new().lines([format!("http://{addr}/")]) {
        // Whoever closed standard output does not need the address.
        Err(Failure::ClosedPipe) => Ok(()),
        announced => announced,
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

impl Shared {
    async fn listen(
        self: Arc<Shared>,
        listener: TcpListener,
        mut signals: UnboundedReceiver<i32>,
    ) -> Status {
        let limits = &self.app.limits;
        let places = Arc::new(Semaphore::new(limits.connections));
        loop {
            let (stream, client, place) = tokio::select! {
                Some(_) = signals.recv() => break,
                next = self.next(&listener, &places) => next,
            };
            let connection = Connection::new(self.clone(), client);
            tokio::spawn(async move {
                connection.serve(stream).await;
                drop(place);
            });
        }
        drop(listener);
        let open = limits.connections - places.available_permits();
        info!("- stopping: {open} connections open");
        self.wanted.close();
        self.app.searches.stop();
        // This is the longest that a request with its body and the reading of its answer may take.
        let longest = limits.time_limit + 2 * limits.patience + 2 * CHANCE;
        let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
        let ended = timeout(longest, places.acquire_many(all));
        let is_whole = tokio::select! {
            Some(_) = signals.recv() => false,
            ended = ended => ended.is_ok(),
        };
        info!("- stopped{}", if is_whole { "" } else { ", not all requests were answered" });
        if is_whole { Status::Affirmative } else { Status::Negative }
    }

    /// The next client, and a place for it. If none is free, the client waits until the connection that has
    /// been idle for the longest time gives way, or another ends.
    async fn next(
        &self,
        listener: &TcpListener,
        places: &Arc<Semaphore>,
    ) -> (TcpStream, SocketAddr, OwnedSemaphorePermit) {
        loop {
            match listener.accept().await {
                Ok((stream, client)) => {
                    let place = match places.clone().try_acquire_owned() {
                        Ok(place) => Ok(place),
                        Err(_) => self.making_room(places.clone().acquire_owned()).await,
                    };
                    // Places are never closed.
                    if let Ok(place) = place {
                        return (stream, client, place);
                    }
                }
                Err(error) => {
                    info!("- accepting a connection failed: {error}");
                    // Most likely the process or the system has too many open files.
                    self.making_room(sleep(PAUSE)).await;
                }
            }
        }
    }
}
