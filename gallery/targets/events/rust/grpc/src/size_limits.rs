//! The size limit of each method: tonic's is one for all methods of a service.

use std::sync::Arc;
use std::task::{Context, Poll};

use events_core::limits::{BULK_BYTES, EVENT_BYTES};
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::codegen::http::Request;
use tonic::server::NamedService;

use crate::proto::event_service_server::EventServiceServer;
use crate::service::Events;

const PROCESS_EVENT_BATCH: &str = "/com.example.grpc.EventService/ProcessEventBatch";

type Server = EventServiceServer<Events>;

/// The service with the limit of an event, and the same service with the limit of a bulk.
#[derive(Clone)]
pub struct SizeLimits {
    events: Server,
    bulk: Server,
}

impl SizeLimits {
    pub fn new(events: Events) -> Self {
        let events = Arc::new(events);
        Self {
            events: Server::from_arc(Arc::clone(&events)).max_decoding_message_size(EVENT_BYTES),
            bulk: Server::from_arc(events).max_decoding_message_size(BULK_BYTES),
        }
    }
}

impl NamedService for SizeLimits {
    const NAME: &'static str = Server::NAME;
}

impl Service<Request<Body>> for SizeLimits {
    type Response = <Server as Service<Request<Body>>>::Response;
    type Error = <Server as Service<Request<Body>>>::Error;
    type Future = <Server as Service<Request<Body>>>::Future;

    /// The generated service is always ready.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Request<Body>) -> Self::Future {
        let server = if call.uri().path() == PROCESS_EVENT_BATCH { &mut self.bulk } else { &mut self.events };
        server.call(call)
    }
}
