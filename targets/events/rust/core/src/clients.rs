//! Clients: let in, served each by a task of its own, and let go.

use std::time::Duration;

use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::shutdown::Shutdown;

/// A pause after a failed accept: most often the process is out of file descriptors, and only time helps.
const PAUSE: Duration = Duration::from_millis(50);
/// A client that takes longer for the handshake of TLS is let go.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Where clients come in.
pub struct Entrance {
    /// Where they connect.
    pub listener: TcpListener,
    /// What shakes hands with them, if they are to speak TLS.
    pub tls: Option<TlsAcceptor>,
}

/// Speaks with a client, whatever carries the bytes.
pub trait Protocol: Clone + Send + 'static {
    /// Serves a connection to its end. `http2` tells that the client has asked for HTTP/2 by ALPN.
    fn serve<S>(
        self,
        stream: S,
        http2: bool,
        watcher: Watcher,
    ) -> impl Future<Output = Result<(), hyper::Error>> + Send
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static;
}

/// Serves clients until `shutdown`, then answers what was accepted.
pub async fn serve(entrance: Entrance, protocol: impl Protocol, mut shutdown: Shutdown) {
    let connections = GracefulShutdown::new();
    loop {
        let stream = tokio::select! {
            stream = accept(&entrance.listener) => stream,
            () = shutdown.requested() => break,
        };
        let (protocol, watcher) = (protocol.clone(), connections.watcher());
        match &entrance.tls {
            None => tokio::spawn(converse(protocol, stream, false, watcher)),
            Some(tls) => tokio::spawn(converse_securely(protocol, tls.clone(), stream, shutdown.clone(), watcher)),
        };
    }
    drop(entrance);
    connections.shutdown().await;
}

async fn converse<S>(protocol: impl Protocol, stream: S, http2: bool, watcher: Watcher)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    if let Err(error) = protocol.serve(stream, http2, watcher).await {
        tracing::debug!(%error, "connection ended");
    }
}

async fn converse_securely(
    protocol: impl Protocol,
    tls: TlsAcceptor,
    stream: TcpStream,
    mut shutdown: Shutdown,
    watcher: Watcher,
) {
    // A client that has not yet said who it is has not sent anything that is to be answered.
    let stream = tokio::select! {
        stream = shake_hands(&tls, stream) => stream,
        () = shutdown.requested() => None,
    };
    if let Some(stream) = stream {
        let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        converse(protocol, stream, http2, watcher).await;
    }
}

async fn shake_hands(tls: &TlsAcceptor, stream: TcpStream) -> Option<TlsStream<TcpStream>> {
    match timeout(HANDSHAKE_TIMEOUT, tls.accept(stream)).await {
        Ok(Ok(stream)) => return Some(stream),
        Ok(Err(error)) => tracing::debug!(%error, "handshake failed"),
        Err(_) => tracing::debug!("handshake not finished in time"),
    }
    None
}

/// The next connection, however many fail.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Replies are small and whole: waiting for more to send only delays them.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "connection without TCP_NODELAY");
                }
                return stream;
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}
