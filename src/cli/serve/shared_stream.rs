//! A connection that can be watched while hyper reads and writes it.
//!
//! A client that has left, and one that has closed only its half because it sends nothing more, look the
//! same to the system until something is sent to them: who has left then says so. So a client that waits
//! for an answer, and has closed its half, is sent interim answers, which HTTP/1.1 allows at any time.

use hyper::Version;
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

/// The longest time between two interim answers.
const LONGEST_LOOK: Duration = Duration::from_secs(4);

/// The interim answer that every client knows.
const INTERIM: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// A stream with several owners.
#[derive(Clone, Debug)]
pub struct SharedStream(Arc<Mutex<Shared>>);

#[derive(Debug)]
struct Shared {
    stream: TcpStream,
    /// Whether the system has not yet taken all of an answer.
    is_writing: bool,
}

impl Shared {
    /// Notes how much of so many bytes was written.
    fn note(&mut self, length: usize, written: &Poll<io::Result<usize>>) {
        self.is_writing = !matches!(written, Poll::Ready(Ok(written)) if *written == length);
    }
}

impl SharedStream {
    /// Shares a stream.
    pub fn new(stream: TcpStream) -> SharedStream {
        SharedStream(Arc::new(Mutex::new(Shared { stream, is_writing: false })))
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the client, whose request has this version, does not wait for the answer any more. No
    /// answer may be written meanwhile. What takes less time than [`LOOK`] is not disturbed.
    ///
    /// To clients of HTTP/1.0, nothing can be sent before the answer. If one of them closes its half, only
    /// a reset tells that it has left.
    pub async fn left(&self, version: Version) {
        let mut pause = LOOK;
        loop {
            sleep(pause).await;
            let shared = self.shared();
            let ready = pin!(shared.stream.ready(Interest::READABLE | Interest::WRITABLE));
            let ready = match ready.poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(Ok(ready)) => ready,
                Poll::Ready(Err(_)) => return,
                Poll::Pending => continue,
            };
            if ready.is_write_closed() {
                return;
            }
            // While an earlier answer is being written, that tells whether the client is there.
            let can_ask = version == Version::HTTP_11 && !shared.is_writing;
            if !ready.is_read_closed() || !can_ask {
                continue;
            }
            match shared.stream.try_write(INTERIM) {
                Ok(written) if written < INTERIM.len() => return,
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => return,
                _ => pause = LONGEST_LOOK.min(pause * 2),
            }
        }
    }
}

impl AsyncRead for SharedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.shared().stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for SharedStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut shared = self.shared();
        let written = Pin::new(&mut shared.stream).poll_write(context, bytes);
        shared.note(bytes.len(), &written);
        written
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut shared = self.shared();
        let written = Pin::new(&mut shared.stream).poll_write_vectored(context, slices);
        shared.note(slices.iter().map(|slice| slice.len()).sum(), &written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.shared().stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.shared().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.shared().stream).poll_shutdown(context)
    }
}
