//! The services over a real connection, with a fake database.

mod calls;
mod framing;
mod standard_services;
mod streams;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use events_core::shutdown::{Shutdown, Trigger};
use events_core::testing::CountingStorage;
use events_core::token::Token;
use events_tuned::connections;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tonic::transport::Channel;

use crate::TARGET;
use crate::server::Http2;
use crate::services::Services;

/// The client's generated code.
mod client {
    #![allow(missing_docs, clippy::pedantic, reason = "generated code")]
    include!(concat!(env!("OUT_DIR"), "/client/com.example.grpc.rs"));
}

use client::event_service_client::EventServiceClient;
use client::{EntityUpdate, EventBody, EventHeader, EventRequest, EventResponse};

/// A server on a free port.
struct Server {
    address: SocketAddr,
    storage: Arc<CountingStorage>,
    trigger: Trigger,
    serving: JoinHandle<()>,
}

impl Server {
    async fn start() -> Self {
        Self::start_with(None).await
    }

    async fn start_with(token: Option<Token>) -> Self {
        let storage = Arc::new(CountingStorage::default());
        let writer = storage.writer(&TARGET, &[]);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let (trigger, shutdown) = Shutdown::new();
        let services = Services::new(writer, token, shutdown.clone()).expect("the descriptors are valid");
        let serving = tokio::spawn(connections::serve(listener, None, Http2::new(services, TARGET.limits), shutdown));
        Self { address, storage, trigger, serving }
    }

    async fn channel(&self) -> Channel {
        let endpoint = Channel::from_shared(format!("http://{}", self.address)).expect("a URI");
        endpoint.connect().await.expect("listening")
    }

    async fn client(&self) -> EventServiceClient<Channel> {
        EventServiceClient::new(self.channel().await)
    }

    fn rows(&self) -> usize {
        self.storage.rows()
    }

    fn disconnect(&self) {
        self.storage.set_unavailable(true);
    }
}

fn event(id: &str) -> EventRequest {
    let header = EventHeader {
        uuid: "7b0f1c9e-3a54-4b7e-9d5c-0a1b2c3d4e5f".to_owned(),
        event_name: "CarCreated".to_owned(),
        ..EventHeader::default()
    };
    let entity =
        EntityUpdate { entity_type: "Car".to_owned(), entity_id: id.to_owned(), updated_attributes: HashMap::new() };
    EventRequest { event_header: Some(header), event_body: Some(EventBody { entities: vec![entity] }) }
}

/// An event whose message has so many bytes.
fn event_of_size(bytes: usize) -> EventRequest {
    use prost::Message;
    let mut event = event("1");
    let name = |length: usize| "x".repeat(length);
    if let Some(header) = &mut event.event_header {
        header.event_name = name(bytes / 2);
    }
    let more = bytes - event.encoded_len();
    if let Some(header) = &mut event.event_header {
        header.event_name.push_str(&name(more));
    }
    assert_eq!(event.encoded_len(), bytes);
    event
}

fn processed() -> EventResponse {
    EventResponse { success: true, message: "Event processed successfully".to_owned() }
}

fn failed(message: &str) -> EventResponse {
    EventResponse { success: false, message: message.to_owned() }
}
