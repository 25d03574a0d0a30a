//! HTTP/2 with a client.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use events_core::clients::Protocol;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::Watcher;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::preface::Prefaced;
use crate::services::Services;

/// Calls at once on one connection. Clients that share a connection between many users need more than hyper's 200.
const CALLS_PER_CONNECTION: u32 = 4_096;
/// A client that does not answer a ping for this long is gone.
const PING_TIMEOUT: Duration = Duration::from_secs(20);
const PING_PERIOD: Duration = Duration::from_mins(1);

/// HTTP/2 that carries the services.
///
/// Not tonic's own server: its layers around each request cost a sixth of the processor time of a call.
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
            // No client of gRPC looks at it.
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
        watcher.watch(http2.serve_connection(TokioIo::new(Prefaced::new(stream)), service)).await
    }
}
