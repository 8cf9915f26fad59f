//! A connection that can be watched while hyper reads and writes it.
//!
//! Hyper notices that a client has gone as long as it has nothing left to read. If the client has sent
//! its next request already, hyper looks at the connection again only after its answer, which a search
//! may keep waiting for a long time.

use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::sleep;

/// How often a connection is looked at while its client waits.
const LOOK: Duration = Duration::from_millis(250);

/// A stream with several owners.
#[derive(Clone, Debug)]
pub struct SharedStream(Arc<Mutex<TcpStream>>);

impl SharedStream {
    /// Shares a stream.
    pub fn new(stream: TcpStream) -> SharedStream {
        SharedStream(Arc::new(Mutex::new(stream)))
    }

    fn stream(&self) -> MutexGuard<'_, TcpStream> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the other side has closed the stream, or its half of it. What takes less time than
    /// [`LOOK`] is not disturbed.
    pub async fn closed(&self) {
        loop {
            sleep(LOOK).await;
            if self.is_closed() {
                return;
            }
        }
    }

    fn is_closed(&self) -> bool {
        let stream = self.stream();
        let ready = pin!(stream.ready(Interest::READABLE));
        match ready.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Ok(ready)) => ready.is_read_closed(),
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        }
    }
}

impl AsyncRead for SharedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream()).poll_read(context, buffer)
    }
}

impl AsyncWrite for SharedStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.stream()).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.stream()).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream().is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream()).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream()).poll_shutdown(context)
    }
}
