//! Accepting connections.

use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};

/// A pause after a failed accept: most often the process is out of file descriptors, and only time helps.
const PAUSE: Duration = Duration::from_millis(50);

/// The next connection, however many fail.
pub async fn accept(listener: &TcpListener) -> TcpStream {
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
