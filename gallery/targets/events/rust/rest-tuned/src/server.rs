//! HTTP connections.

use std::time::Duration;

use axum::Router;
use events_core::settings::Limits;
use events_tuned::connections::Protocol;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::Watcher;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};

/// Bounds the head of a request, and what a connection reads at once. hyper's 408 KiB for each of many connections would
/// be more memory than the budget of unfinished requests.
const BUFFER_BYTES: usize = 64 << 10;
/// Over HTTP/2, a client that does not answer a ping within this time is disconnected.
const PING_TIMEOUT: Duration = Duration::from_secs(20);

/// HTTP/1.1, or HTTP/2 where a client selects it over TLS.
///
/// Replaces `axum::serve`, which has no timeout for request heads.
#[derive(Clone)]
pub struct Http {
    service: TowerToHyperService<Router>,
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
}

impl Http {
    pub fn new(router: Router, limits: Limits) -> Self {
        let mut http1 = http1::Builder::new();
        http1.timer(TokioTimer::new()).header_read_timeout(limits.read_header).max_buf_size(BUFFER_BYTES);
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        http2
            .timer(TokioTimer::new())
            .max_concurrent_streams(limits.streams)
            .keep_alive_interval(limits.idle)
            .keep_alive_timeout(PING_TIMEOUT);
        Self { service: TowerToHyperService::new(router), http1, http2 }
    }
}

impl Protocol for Http {
    async fn serve<S>(self, stream: S, http2: bool, watcher: Watcher) -> Result<(), hyper::Error>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let stream = TokioIo::new(stream);
        if http2 {
            watcher.watch(self.http2.serve_connection(stream, self.service)).await
        } else {
            watcher.watch(self.http1.serve_connection(stream, self.service)).await
        }
    }
}

#[cfg(test)]
mod tests;
