//! The services on one port.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body as AxumBody;
use events_core::limits::{BULK_BYTES, EVENT_BYTES};
use events_core::shutdown::Shutdown;
use events_core::writer::Writer;
use tokio::net::TcpListener;
use tonic::body::Body;
use tonic::codegen::http::Request;
use tonic::service::Routes;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic_health::pb::health_server::HealthServer;
use tower::ServiceExt;

use crate::api::Api;
use crate::health::HealthApi;
use crate::proto::DESCRIPTORS;
use crate::proto::event_service_server::EventServiceServer;
use crate::status::reply_to_refused_size;

/// Calls at once on one connection. Clients that share a connection between many users need more than hyper's 200.
const CALLS_PER_CONNECTION: u32 = 4_096;
/// A client that does not answer a ping for this long is gone.
const PING_TIMEOUT: Duration = Duration::from_secs(20);
const PING_PERIOD: Duration = Duration::from_mins(1);

/// Serves until `shutdown`, then answers what was accepted.
pub async fn serve(listener: TcpListener, writer: Arc<Writer>, mut shutdown: Shutdown) -> io::Result<()> {
    let routes = routes(writer, &shutdown)?;
    Server::builder()
        .max_concurrent_streams(CALLS_PER_CONNECTION)
        .http2_keepalive_interval(Some(PING_PERIOD))
        .http2_keepalive_timeout(Some(PING_TIMEOUT))
        .add_routes(routes)
        .serve_with_incoming_shutdown(TcpIncoming::from(listener).with_nodelay(Some(true)), async move {
            shutdown.requested().await;
        })
        .await
        .map_err(io::Error::other)
}

fn routes(writer: Arc<Writer>, shutdown: &Shutdown) -> io::Result<Routes> {
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .build_v1()
        .map_err(io::Error::other)?;
    let health = HealthServer::new(HealthApi::new(Arc::clone(&writer), shutdown.clone()));
    let api = Arc::new(Api::new(writer, shutdown.clone()));
    Ok(Routes::from(events(&api)).add_service(health).add_service(reflection).prepare())
}

/// `EventService` twice, for tonic knows one limit of size for a service and the contract one for each method.
fn events(api: &Arc<Api>) -> Router {
    let limited = |limit| {
        EventServiceServer::from_arc(Arc::clone(api))
            .max_decoding_message_size(limit)
            .map_request(|request: Request<AxumBody>| request.map(Body::new))
            .map_response(move |reply| reply_to_refused_size(reply, limit))
    };
    Routes::default()
        .into_axum_router()
        .route_service("/com.example.grpc.EventService/ProcessEventBatch", limited(BULK_BYTES))
        .route_service("/com.example.grpc.EventService/{*method}", limited(EVENT_BYTES))
}
