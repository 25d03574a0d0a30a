//! Accepts connections, serves each in its own task, and closes them on shutdown.

use std::time::Duration;

use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use events_core::shutdown::Shutdown;

/// Pause after a failed accept: usually the process is out of file descriptors and must wait for free ones.
const PAUSE: Duration = Duration::from_millis(50);
/// A client that takes longer for the TLS handshake is disconnected.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Serves one connection over any byte stream.
pub trait Protocol: Clone + Send + 'static {
    /// Serves a connection to its end. `http2` is true when the client selected HTTP/2 by ALPN.
    fn serve<S>(
        self,
        stream: S,
        http2: bool,
        watcher: Watcher,
    ) -> impl Future<Output = Result<(), hyper::Error>> + Send
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static;
}

/// Serves connections until the shutdown signal, then completes the requests in flight.
pub async fn serve(listener: TcpListener, tls: Option<TlsAcceptor>, protocol: impl Protocol, mut shutdown: Shutdown) {
    let connections = GracefulShutdown::new();
    loop {
        let stream = tokio::select! {
            stream = accept(&listener) => stream,
            () = shutdown.requested() => break,
        };
        let (protocol, watcher) = (protocol.clone(), connections.watcher());
        match &tls {
            None => tokio::spawn(serve_connection(protocol, stream, false, watcher)),
            Some(tls) => tokio::spawn(serve_tls_connection(protocol, tls.clone(), stream, shutdown.clone(), watcher)),
        };
    }
    drop(listener);
    connections.shutdown().await;
}

async fn serve_connection<S>(protocol: impl Protocol, stream: S, http2: bool, watcher: Watcher)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    if let Err(error) = protocol.serve(stream, http2, watcher).await {
        tracing::debug!(%error, "connection ended");
    }
}

async fn serve_tls_connection(
    protocol: impl Protocol,
    tls: TlsAcceptor,
    stream: TcpStream,
    mut shutdown: Shutdown,
    watcher: Watcher,
) {
    // Before the handshake ends there is no request to answer.
    let stream = tokio::select! {
        stream = handshake(&tls, stream) => stream,
        () = shutdown.requested() => None,
    };
    if let Some(stream) = stream {
        let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        serve_connection(protocol, stream, http2, watcher).await;
    }
}

async fn handshake(tls: &TlsAcceptor, stream: TcpStream) -> Option<TlsStream<TcpStream>> {
    match timeout(HANDSHAKE_TIMEOUT, tls.accept(stream)).await {
        Ok(Ok(stream)) => return Some(stream),
        Ok(Err(error)) => tracing::debug!(%error, "TLS handshake failed"),
        Err(_) => tracing::debug!("TLS handshake timed out"),
    }
    None
}

/// The next connection, however many fail.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Replies are small and complete: Nagle's algorithm would only delay them.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "connection without TCP_NODELAY");
                }
                return stream;
            }
            Err(error) => {
                tracing::warn!(%error, "accept failed");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}
