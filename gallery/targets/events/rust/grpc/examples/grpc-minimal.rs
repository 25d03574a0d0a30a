//! Shows the cost that the target adds to its framework: serves either tonic's minimal example, which binds, validates and
//! replies, or the target itself with a storage that discards rows. Neither uses a database, and the target's write mode
//! is per-request, because a queue is no part of a framework.
//!
//!     cargo run --release --example grpc-minimal -- example|target 127.0.0.1:9090

use std::sync::Arc;

use events_core::error::BoxError;
use events_core::process::Server;
use events_core::shutdown::Shutdown;
use events_core::testing::CountingStorage;
use producer_api_rust_grpc::proto::event_service_server::{EventService, EventServiceServer};
use producer_api_rust_grpc::proto::{
    EventBatchRequest, EventBatchResponse, EventRequest, EventResponse, HealthRequest, HealthResponse,
};
use producer_api_rust_grpc::{TARGET, from_message, serve};
use tokio::net::TcpListener;
use tokio_stream::Empty;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status, Streaming};

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [what, address] = arguments.as_slice() else { return Err(USAGE.into()) };
    let listener = TcpListener::bind(address).await?;
    match what.as_str() {
        "example" => {
            let service = EventServiceServer::new(Example);
            let incoming = TcpIncoming::from(listener);
            Ok(tonic::transport::Server::builder().add_service(service).serve_with_incoming(incoming).await?)
        }
        "target" => target(listener).await,
        _ => Err(USAGE.into()),
    }
}

const USAGE: &str = "usage: grpc-minimal example|target ADDRESS";

async fn target(listener: TcpListener) -> Result<(), BoxError> {
    let writer = Arc::new(CountingStorage::default()).writer(&TARGET, &[("WRITE_MODE", "per-request")]);
    let (_trigger, shutdown) = Shutdown::new();
    serve(Server { listener, tls: None, writer, token: None, limits: TARGET.limits, shutdown }).await
}

struct Example;

#[tonic::async_trait]
impl EventService for Example {
    /// Validates by garde and writes attributes as JSON, as which every storage of the contract takes them.
    async fn process_event(&self, request: Request<EventRequest>) -> Result<Response<EventResponse>, Status> {
        let event = from_message(request.into_inner());
        std::hint::black_box(event.map_err(|error| Status::invalid_argument(error.message()))?);
        Ok(Response::new(EventResponse::processed()))
    }

    async fn process_event_batch(&self, _: Request<EventBatchRequest>) -> Result<Response<EventBatchResponse>, Status> {
        Err(Status::unimplemented("not part of the example"))
    }

    type StreamEventsStream = Empty<Result<EventResponse, Status>>;

    async fn stream_events(
        &self,
        _: Request<Streaming<EventRequest>>,
    ) -> Result<Response<Self::StreamEventsStream>, Status> {
        Err(Status::unimplemented("not part of the example"))
    }

    async fn health_check(&self, _: Request<HealthRequest>) -> Result<Response<HealthResponse>, Status> {
        Err(Status::unimplemented("not part of the example"))
    }
}
