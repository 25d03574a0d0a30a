//! Serves the services until shutdown.

use std::sync::Arc;
use std::time::Duration;

use tonic::body::Body;
use tonic::codec::CompressionEncoding::Gzip;
use tonic::codegen::http::{HeaderName, Request};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic_health::pb::health_server::HealthServer;
use tonic_reflection::server::Builder;
use tower::filter::FilterLayer;
use tower::util::{MapRequestLayer, MapResponseLayer};
use tower_http::request_id::PropagateRequestIdLayer;
use users_core::error::LARGEST_MESSAGE;
use users_core::process::{self, BoxError};

use crate::charged::Charged;
use crate::deadline::Deadlines;
use crate::methods::Users;
use crate::proto::DESCRIPTORS;
use crate::proto::user_service_server::UserServiceServer;
use crate::{health, status};

/// What the REST API allows for a request's head.
const HEADER_LIST_BYTES: u32 = 16 << 10;
/// A connection that does not answer the ping for so long ends.
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(3);
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Serves calls until the shutdown signal, then completes those in flight.
pub async fn serve(server: process::Server) -> Result<(), BoxError> {
    let process::Server { listener, service, keepalive, limits, reply_gzip, mut shutdown } = server;
    let mut users = UserServiceServer::new(Users(Arc::clone(&service)))
        .max_decoding_message_size(LARGEST_MESSAGE)
        .accept_compressed(Gzip);
    if reply_gzip {
        users = users.send_compressed(Gzip);
    }
    let health = health::State { service: Arc::clone(&service), shutdown: shutdown.clone() };
    let charging = Arc::clone(&service);
    let deadlines = Deadlines(service);
    Server::builder()
        // For the answer too: tonic has no timeout of a message.
        .timeout(limits.read)
        .max_concurrent_streams(limits.streams)
        .http2_max_header_list_size(HEADER_LIST_BYTES)
        .http2_keepalive_interval(keepalive.then_some(limits.idle))
        .http2_keepalive_timeout(keepalive.then_some(KEEPALIVE_TIMEOUT))
        .layer(PropagateRequestIdLayer::new(REQUEST_ID))
        .layer(MapResponseLayer::new(status::replace_in))
        .layer(FilterLayer::new(move |call| deadlines.set(call)))
        .layer(MapRequestLayer::new(move |call: Request<Body>| {
            call.map(|body| Body::new(Charged::new(body, charging.charge())))
        }))
        .add_service(users)
        .add_service(HealthServer::new(health))
        .add_service(reflection().build_v1()?)
        // Many clients know v1alpha only.
        .add_service(reflection().build_v1alpha()?)
        .serve_with_incoming_shutdown(TcpIncoming::from(listener).with_nodelay(Some(true)), async move {
            shutdown.requested().await;
        })
        .await?;
    Ok(())
}

fn reflection() -> Builder<'static> {
    Builder::configure()
        .register_encoded_file_descriptor_set(DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
}
