//! HTTP/2 connections.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use events_tuned::connections::Protocol;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::Watcher;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::preface_timeout::PrefaceTimeout;
use crate::services::Services;

/// Concurrent calls per connection. Clients that share a connection between many users need more than hyper's 200.
const CALLS_PER_CONNECTION: u32 = 4_096;
/// A client that does not answer a ping within this time is disconnected.
const PING_TIMEOUT: Duration = Duration::from_secs(20);
const PING_PERIOD: Duration = Duration::from_mins(1);

/// Serves the services over HTTP/2.
///
/// Replaces tonic's own server, whose layers cost a sixth of the CPU time of a call.
#[derive(Clone)]
pub struct Http2 {
    services: Arc<Services>,
    http2: http2::Builder<TokioExecutor>,
}

impl Http2 {
    pub fn new(services: Services) -> Self {
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        http2
            .timer(TokioTimer::new())
            // gRPC clients ignore it.
            .auto_date_header(false)
            .max_concurrent_streams(CALLS_PER_CONNECTION)
            .keep_alive_interval(PING_PERIOD)
            .keep_alive_timeout(PING_TIMEOUT);
        Self { services: Arc::new(services), http2 }
    }
}

impl Protocol for Http2 {
    async fn serve<S>(self, stream: S, _http2: bool, watcher: Watcher) -> Result<(), hyper::Error>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let Self { services, http2 } = self;
        let service = service_fn(move |call| {
            let services = Arc::clone(&services);
            async move { Ok::<_, Infallible>(services.answer(call).await) }
        });
        watcher.watch(http2.serve_connection(TokioIo::new(PrefaceTimeout::new(stream)), service)).await
    }
}
