//! Serves the services until shutdown, over TLS if configured.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use events_core::error::BoxError;
use events_core::intake::ChargedMessages;
use events_core::process;
use events_core::settings::TlsFiles;
use http_body_util::BodyExt;
use tonic::body::Body;
use tonic::codegen::http::Request;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Identity, Server, ServerTlsConfig};
use tonic_health::ServingStatus;
use tonic_reflection::server::Builder;
use tower::filter::FilterLayer;
use tower::util::{MapRequestLayer, MapResponseLayer};

use crate::authorization::Authorization;
use crate::proto::DESCRIPTORS;
use crate::service::Events;
use crate::size_limits::SizeLimits;
use crate::{health, status};

/// What the REST targets allow for a request's head.
const HEADER_LIST_BYTES: u32 = 16 << 10;
/// A client that does not answer a ping within this time is disconnected.
const PING_TIMEOUT: Duration = Duration::from_secs(20);

/// Serves calls until the shutdown signal, then completes those in flight.
pub async fn serve(server: process::Server) -> Result<(), BoxError> {
    let process::Server { listener, tls, writer, token, limits, mut shutdown } = server;
    let (reporter, health) = tonic_health::server::health_reporter();
    health::set(&reporter, ServingStatus::Serving).await;
    let reporting = tokio::spawn(health::report(reporter, Arc::clone(&writer), shutdown.clone()));

    let mut builder = Server::builder()
        // For the answer too: tonic has no timeout of a message.
        .timeout(limits.read)
        .max_concurrent_streams(limits.streams)
        .http2_max_header_list_size(HEADER_LIST_BYTES)
        .http2_keepalive_interval(Some(limits.idle))
        .http2_keepalive_timeout(Some(PING_TIMEOUT));
    if let Some(tls) = &tls {
        builder = builder.tls_config(tls_config(&tls.files)?)?;
    }
    let intake = writer.intake().clone();
    let events = SizeLimits::new(Events::new(writer, shutdown.clone()));
    let authorization = Authorization(token);
    builder
        .layer(MapResponseLayer::new(status::replace_in))
        .layer(FilterLayer::new(move |call| authorization.check(call)))
        .layer(MapRequestLayer::new(move |call: Request<Body>| {
            call.map(|body| Body::new(ChargedMessages::new(body, intake.charge()).map_err(status::from_body)))
        }))
        .add_service(events)
        .add_service(health)
        .add_service(reflection().build_v1()?)
        // Many clients know v1alpha only.
        .add_service(reflection().build_v1alpha()?)
        .serve_with_incoming_shutdown(TcpIncoming::from(listener).with_nodelay(Some(true)), async move {
            shutdown.requested().await;
        })
        .await?;
    reporting.await?;
    Ok(())
}

fn tls_config(files: &TlsFiles) -> Result<ServerTlsConfig, BoxError> {
    let identity = Identity::from_pem(fs::read(&files.certificates)?, fs::read(&files.key)?);
    Ok(ServerTlsConfig::new().identity(identity))
}

fn reflection() -> Builder<'static> {
    Builder::configure()
        .register_encoded_file_descriptor_set(DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
}
