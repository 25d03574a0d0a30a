//! A timeout for the first bytes of a connection, which hyper's HTTP/2 server does not offer.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// Length of the HTTP/2 connection preface.
const PREFACE_BYTES: usize = 24;

/// A stream that fails when the preface does not arrive in time. Later, pings detect dead clients.
pub struct PrefaceTimeout<S> {
    stream: S,
    missing: Option<Missing>,
}

struct Missing {
    bytes: usize,
    timeout: Pin<Box<Sleep>>,
}

impl<S> PrefaceTimeout<S> {
    pub fn new(stream: S, timeout: Duration) -> Self {
        let timeout = Box::pin(sleep(timeout));
        Self { stream, missing: Some(Missing { bytes: PREFACE_BYTES, timeout }) }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PrefaceTimeout<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(context, buffer);
        if let Some(missing) = &mut this.missing {
            missing.bytes = missing.bytes.saturating_sub(buffer.filled().len() - before);
            if missing.bytes == 0 {
                this.missing = None;
            } else if read.is_pending() && missing.timeout.as_mut().poll(context).is_ready() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PrefaceTimeout<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    const TIMEOUT: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn a_preface_that_does_not_arrive_in_time_ends_the_connection() {
        for sent in 0..PREFACE_BYTES {
            let (mut client, server) = duplex(64);
            client.write_all(&vec![b' '; sent]).await.expect("sent");
            let error = PrefaceTimeout::new(server, TIMEOUT).read_to_end(&mut Vec::new()).await.expect_err("too late");
            assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{sent}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn after_the_preface_a_client_may_be_silent() {
        let (mut client, server) = duplex(64);
        let mut prefaced = PrefaceTimeout::new(server, TIMEOUT);
        client.write_all(&[b' '; PREFACE_BYTES]).await.expect("sent");
        prefaced.read_exact(&mut [0; PREFACE_BYTES]).await.expect("the preface");
        sleep(TIMEOUT * 2).await;
        client.write_all(b"x").await.expect("sent");
        assert_eq!(prefaced.read_u8().await.ok(), Some(b'x'));
    }
}
