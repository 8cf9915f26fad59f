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
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::Poll;
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
pub fn serve(addrs: &[SocketAddr], app: App) -> Result<Status, Failure> {
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
        let listeners = listeners(addrs).await?;
        let signals = signals()?;
        announce(&listeners).map_err(failed)??;
        Ok(Arc::new(server).listen(listeners, signals).await)
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

/// Prints the addresses of the server.
fn announce(listeners: &[TcpListener]) -> io::Result<Result<(), Failure>> {
    let line = |listener: &TcpListener| Ok(format!("http://{}/", listener.local_addr()?));
    let lines = listeners.iter().map(line).collect::<io::Result<Vec<String>>>()?;
    Ok(Output::new().lines(lines))
}

/// The next client of any of these.
async fn accept(listeners: &[TcpListener]) -> io::Result<(TcpStream, SocketAddr)> {
    poll_fn(|context| {
        let mut accepted = listeners.iter().map(|listener| listener.poll_accept(context));
        accepted.find(Poll::is_ready).unwrap_or(Poll::Pending)
    })
    .await
}

/// The signals that stop the server, as they come.
fn signals() -> Result<UnboundedReceiver<i32>, Failure> {
    let (sender, signals) = mpsc::unbounded_channel();
    let mut has_come = false;
    interrupt::watch(&interrupt::STOPPING, move |signal| {
        // Nobody asks twice by closing a terminal: the shell and the system may both say it.
        if !(has_come && interrupt::TERMINAL_CLOSED == Some(signal)) {
            // The server may be gone when another comes.
            let _ = sender.send(signal);
        }
        has_come = true;
    })?;
    Ok(signals)
}

impl Shared {
    async fn listen(
        self: Arc<Shared>,
        listeners: Vec<TcpListener>,
        mut signals: UnboundedReceiver<i32>,
    ) -> Status {
        let limits = &self.app.limits;
        let places = Arc::new(Semaphore::new(limits.connections));
        loop {
            let (stream, client, place) = tokio::select! {
                Some(_) = signals.recv() => break,
                next = self.next(&listeners, &places) => next,
            };
            let connection = Connection::new(self.clone(), client);
            tokio::spawn(async move {
                connection.serve(stream).await;
                drop(place);
            });
        }
        drop(listeners);
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
        listeners: &[TcpListener],
        places: &Arc<Semaphore>,
    ) -> (TcpStream, SocketAddr, OwnedSemaphorePermit) {
        loop {
            match accept(listeners).await {
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
            let (_, found) = accept(&listeners).await.unwrap();
            assert_eq!(found, client.local_addr().unwrap());
        }
        assert!(of(&[[192, 0, 2, 1]]).await.is_err());
    }
}
