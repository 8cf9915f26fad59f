//! Accepts connections, holds clients to their limits, and stops in good order.
//!
//! One thread talks to all clients. Other threads look positions up. So a client holds only a connection,
//! not a thread, and slow clients cost little. If too many connections are open, an idle one gives way.

use super::app::App;
use super::connection::{CHANCE, Connection, Shared};
use super::descriptors::PARTING_CONNECTIONS;
use super::{log, routes};
use crate::failure::{Failure, Status};
use crate::interrupt;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
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
    let end_log = log::start(app.metrics.dropped_lines.clone()).map_err(failed)?;
    let app = Arc::new(app);
    let server = Shared {
        router: routes::router(app.clone()),
        app,
        idle: Mutex::default(),
        stopping: watch::Sender::new(false),
    };
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
    let mut stdout = io::stdout();
    match writeln!(stdout, "http://{addr}/").and_then(|()| stdout.flush()) {
        // Whoever closed standard output does not need the address.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::Wrong(format!("cannot write standard output: {error}"))),
        Ok(()) => Ok(()),
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
        let parting = Arc::new(Semaphore::new(PARTING_CONNECTIONS));
        loop {
            let accepted = tokio::select! {
                Some(_) = signals.recv() => break,
                accepted = listener.accept() => accepted,
            };
            let (stream, client) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    info!("- accepting a connection failed: {error}");
                    // Most likely the process or the system has too many open files.
                    tokio::join!(self.end_idle(), sleep(PAUSE));
                    continue;
                }
            };
            let place = self.place(&places).await;
            let is_sent_away = place.is_none();
            if is_sent_away {
                self.app.metrics.closed.with_label_values(&["refused"]).inc();
            }
            // If too many are being sent away already, this one is not told why.
            if let Some(place) = place.or_else(|| parting.clone().try_acquire_owned().ok()) {
                let connection = Connection::new(self.clone(), client, is_sent_away);
                tokio::spawn(async move {
                    connection.serve(stream).await;
                    drop(place);
                });
            }
        }
        drop(listener);
        let open = limits.connections - places.available_permits();
        info!("- stopping: {open} connections open");
        self.stopping.send_replace(true);
        self.app.searches.stop();
        // This is the longest that a request with its body and the reading of its answer may take.
        let longest = limits.time_limit + 2 * limits.patience + 2 * CHANCE;
        let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
        let ended = timeout(longest, self.while_ending(places.acquire_many(all)));
        let is_whole = tokio::select! {
            Some(_) = signals.recv() => false,
            ended = ended => ended.is_ok(),
        };
        info!("- stopped{}", if is_whole { "" } else { ", not all requests were answered" });
        if is_whole { Status::Affirmative } else { Status::Negative }
    }

    /// A place for a new connection. If none is free, the one that has been idle for the longest time
    /// gives way; `None` if all are busy.
    async fn place(&self, places: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
        if let Ok(place) = places.clone().try_acquire_owned() {
            return Some(place);
        }
        if self.has_no_idle() {
            return None;
        }
        let place = self.while_ending(places.clone().acquire_owned());
        timeout(2 * CHANCE, place).await.ok()?.ok()
    }
}
