//! One connection: its requests are answered one after another, it gives way to others when it is idle,
//! and its client is watched.
//!
//! A client that has left, and one that has closed only its half because it sends nothing more, look the
//! same to the system. So who closes its half gets the answers that do not take long.

use super::app::App;
use axum::Router;
use hyper::body::Incoming;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::error::Error as _;
use std::io;
use std::mem;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, SemaphorePermit, watch};
use tokio::task::yield_now;
use tokio::time::{Instant, Interval, Sleep, interval_at, sleep};
use tracing::info;

/// The longest head of a request, in bytes. The buffer of a connection grows to this size at most.
const LONGEST_HEAD: usize = 16 << 10;

/// How long a connection may be idle before another may have its place. A request may be on its way.
pub const CHANCE: Duration = Duration::from_millis(200);

/// The time between two looks at a client that waits for an answer.
const LOOK: Duration = Duration::from_secs(2);

/// What all connections share.
#[derive(Debug)]
pub struct Shared {
    /// What answers requests.
    pub router: Router,
    /// The same, as the router sees it.
    pub app: Arc<App>,
    /// Has a permit for each connection that is to give way. Idle connections wait for one, those that have
    /// been idle for the longest time first. When the server stops, this is closed, and all of them end.
    pub wanted: Semaphore,
}

impl Shared {
    /// Waits for this. Meanwhile the connection gives way that has been idle for the longest time.
    pub async fn making_room<T>(&self, waiting: impl Future<Output = T>) -> T {
        self.wanted.add_permits(1);
        let done = waiting.await;
        // If none has given way, none needs to any more.
        if let Ok(unused) = self.wanted.try_acquire() {
            unused.forget();
        }
        done
    }
}

/// What a connection is doing. It is idle if it does none of this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Doing {
    /// A request is being answered.
    answers: bool,
    /// A write waits until the client reads.
    writes: bool,
}

/// A connection, for all who need to know what it is doing.
#[derive(Debug)]
pub struct Connection {
    shared: Arc<Shared>,
    /// The address of the client.
    pub client: SocketAddr,
    doing: watch::Sender<Doing>,
}

impl Connection {
    /// A connection that is idle.
    pub fn new(shared: Arc<Shared>, client: SocketAddr) -> Arc<Connection> {
        Arc::new(Connection { shared, client, doing: watch::Sender::default() })
    }

    /// Serves the client until the connection ends.
    pub async fn serve(self: Arc<Connection>, stream: TcpStream) {
        let metrics = &self.shared.app.metrics;
        metrics.connections.inc();
        let ended = self.talk(stream).await;
        metrics.connections.dec();
        if let Err(why) = ended {
            info!("{} closed: {why}", self.client);
        }
    }

    /// Answers one request after another, until the client leaves or must give way. If the server ends the
    /// connection, returns why, unless the client was slow: browsers keep connections open for later use.
    async fn talk(self: &Arc<Connection>, stream: TcpStream) -> Result<(), String> {
        // Each answer is written in one piece, so there is nothing to wait for.
        let _ = stream.set_nodelay(true);
        let patience = self.shared.app.limits.patience;
        let router = TowerToHyperService::new(self.shared.router.clone());
        let service = service_fn(|mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(Arc::new(Underway::new(self.clone())));
            router.call(request)
        });
        let (stream, connection) = (TokioIo::new(stream), self.clone());
        let stream = ClientStream { stream, connection, patience, alarm: None, looks: None };
        let talk = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(patience)
            .max_buf_size(LONGEST_HEAD)
            .half_close(true)
            .serve_connection(stream, service);
        tokio::select! {
            biased;
            ended = talk => match ended {
                Err(error) if !is_of_slow_client(&error) => Err(error.to_string()),
                _ => Ok(()),
            },
            () = self.has_to_give_way() => match self.shared.wanted.is_closed() {
                true => Ok(()),
                false => Err("another client needed its place".to_owned()),
            },
        }
    }

    /// Waits until the connection has been idle for long enough and has to give way.
    async fn has_to_give_way(&self) {
        let mut doing = self.doing.subscribe();
        loop {
            let _ = doing.wait_for(|doing| *doing == Doing::default()).await;
            let wanted = async {
                sleep(CHANCE).await;
                let wanted = self.shared.wanted.acquire().await;
                // Whatever the system had received by now is read first. After two turns, it has been. If it
                // is a request, another connection has to give way.
                for _ in 0..2 {
                    yield_now().await;
                }
                wanted.map(SemaphorePermit::forget)
            };
            tokio::select! {
                biased;
                _ = doing.changed() => {}
                _ = wanted => return,
            }
        }
    }

    fn answers(&self, answers: bool) {
        self.doing.send_modify(|doing| doing.answers = answers);
    }
}

/// A request that is being answered. Its connection is idle again when this is dropped.
#[derive(Debug)]
pub struct Underway(Arc<Connection>);

impl Underway {
    fn new(connection: Arc<Connection>) -> Underway {
        connection.answers(true);
        Underway(connection)
    }

    /// The address of the client.
    pub fn client(&self) -> SocketAddr {
        self.0.client
    }

    /// Whether the client gets no further answers, because the server stops.
    pub fn is_last(&self) -> bool {
        self.0.shared.wanted.is_closed()
    }

    /// Waits for the body of the request. Until it has come, the connection is idle, and may give way as
    /// one that has asked nothing.
    pub async fn awaiting<T>(&self, body: impl Future<Output = T>) -> T {
        self.0.answers(false);
        let body = body.await;
        self.0.answers(true);
        body
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        self.0.answers(false);
    }
}

/// Whether a connection has ended because its client did not send or read in time.
fn is_of_slow_client(error: &hyper::Error) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
    error.is_timeout() || cause.is_some_and(|cause| cause.kind() == io::ErrorKind::TimedOut)
}

/// The stream of a client. Writes fail if the client reads nothing for too long, and flushing fails if
/// the client has left while it waits for an answer. Hyper itself watches how long a request takes.
struct ClientStream {
    stream: TokioIo<TcpStream>,
    connection: Arc<Connection>,
    patience: Duration,
    /// The timer of a write that waits.
    alarm: Option<Pin<Box<Sleep>>>,
    /// When to look at the client that waits.
    looks: Option<Interval>,
}

impl ClientStream {
    /// Passes the result of a write on, or fails it if it has waited for too long.
    fn watched<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let writes = written.is_pending();
        self.connection
            .doing
            .send_if_modified(|doing| mem::replace(&mut doing.writes, writes) != writes);
        if written.is_ready() {
            self.alarm = None;
            return written;
        }
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep(self.patience)));
        alarm.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Looks at a client that waits, from time to time.
    fn look(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let looks = self.looks.get_or_insert_with(|| interval_at(Instant::now() + LOOK, LOOK));
        while looks.poll_tick(context).is_ready() {
            let ready = pin!(self.stream.inner().ready(Interest::READABLE));
            if let Poll::Ready(ready) = ready.poll(&mut Context::from_waker(Waker::noop()))
                && ready?.is_read_closed()
            {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
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
        let answers = self.connection.doing.borrow().answers;
        match answers {
            true => self.look(context)?,
            false => self.looks = None,
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
        let (app, wanted) = (Arc::new(app()), Semaphore::new(0));
        let shared = Arc::new(Shared { router: Router::new(), app, wanted });
        let [used, writing, idle] =
            [(); 3].map(|()| Connection::new(shared.clone(), ([127, 0, 0, 1], 1).into()));
        let stays = async |connection: &Connection| {
            timeout(10 * CHANCE, connection.has_to_give_way()).await.is_err()
        };
        let all_stay = async || {
            let [used, writing, idle] =
                tokio::join!(stays(&used), stays(&writing), stays(&idle)).into();
            [used, writing, idle]
        };
        shared.making_room(sleep(CHANCE / 2)).await;
        assert_eq!(all_stay().await, [true; 3]);
        // The first is used meanwhile, and the client of the second has still to read.
        writing.doing.send_modify(|doing| doing.writes = true);
        let using = async {
            sleep(CHANCE / 2).await;
            drop(Underway::new(used.clone()));
        };
        let (stay, ()) = tokio::join!(shared.making_room(all_stay()), using);
        assert_eq!(stay, [true, true, false]);
    }
}
