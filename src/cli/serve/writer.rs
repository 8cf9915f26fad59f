//! Writes answers, which clients must read in time.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::AsyncWrite;
use tokio::time::{Sleep, sleep};

/// Writes to a client, which must take all that is written up to a flush within a time: an answer, or the part
/// of one that is found out so far.
#[derive(Debug)]
pub struct Writer<W> {
    inner: W,
    patience: Duration,
    /// Ends the time. It begins when the client does not take something at once.
    late: Option<Pin<Box<Sleep>>>,
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    /// The client has this much time for each answer.
    pub fn new(inner: W, patience: Duration) -> Writer<W> {
        Writer { inner, patience, late: None }
    }

    /// Writes something if the client is not too late.
    fn write<T>(
        &mut self,
        context: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut W>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let written = write(Pin::new(&mut self.inner), context);
        if written.is_pending() {
            let late = self.late.get_or_insert_with(|| Box::pin(sleep(self.patience)));
            ready!(late.as_mut().poll(context));
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        written
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for Writer<W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.write(context, |inner, context| inner.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.write(context, |inner, context| inner.poll_write_vectored(context, parts))
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.write(context, |inner, context| inner.poll_flush(context)))?;
        self.late = None;
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.write(context, |inner, context| inner.poll_shutdown(context))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time::Instant;

    const PATIENCE: Duration = Duration::from_secs(10);

    /// Writes answers to a client that reads a byte each second, and returns how the last one was taken, and
    /// after how long.
    async fn written(answers: &[usize]) -> (io::Result<()>, Duration) {
        let (mut client, server) = duplex(1);
        tokio::spawn(async move {
            while client.read_u8().await.is_ok() {
                sleep(Duration::from_secs(1)).await;
            }
        });
        let mut writer = Writer::new(server, PATIENCE);
        let (mut taken, begun) = (Ok(()), Instant::now());
        for &length in answers {
            let answer = vec![0; length];
            taken = async {
                writer.write_all(&answer).await?;
                writer.flush().await
            }
            .await;
        }
        (taken, begun.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_a_little_now_and_then_is_late_all_the_same() {
        let (taken, time) = written(&[100]).await;
        assert_eq!(taken.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(time.as_secs(), PATIENCE.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn each_answer_has_its_own_time() {
        let (taken, time) = written(&[8; 10]).await;
        assert!(taken.is_ok() && time > 5 * PATIENCE, "{taken:?} {time:?}");
    }
}
