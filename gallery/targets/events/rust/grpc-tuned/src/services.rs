//! Routes calls to services.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use events_core::error::Error;
use events_core::intake::{Charge, ChargedMessages};
use events_core::limits::{BULK_BYTES, EVENT_BYTES};
use events_core::shutdown::Shutdown;
use events_core::token::Token;
use events_core::writer::Writer;
use hyper::body::Incoming;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Service as _;
use tonic::codegen::http::header::AUTHORIZATION;
use tonic::codegen::http::{HeaderValue, Request, Response};
use tonic::metadata::MetadataValue;
use tonic::service::Routes;
use tonic_health::pb::health_server::{Health, HealthServer};

use crate::api::Api;
use crate::health::HealthApi;
use crate::message_timeout::MessageTimeout;
use crate::proto::DESCRIPTORS;
use crate::proto::event_service_server::{EventService, EventServiceServer};
use crate::reply::Reply;
use crate::status;
use crate::unary;

const ENCODING_HEADER: &str = "grpc-encoding";
const ACCEPT_ENCODING_HEADER: &str = "grpc-accept-encoding";
const IDENTITY: &str = "identity";
const EVENT_SERVICE: &str = "/com.example.grpc.EventService/";
const PROCESS_EVENT: &str = "/com.example.grpc.EventService/ProcessEvent";
const PROCESS_EVENT_BATCH: &str = "/com.example.grpc.EventService/ProcessEventBatch";
const EVENT_HEALTH_CHECK: &str = "/com.example.grpc.EventService/HealthCheck";
const HEALTH_SERVICE: &str = "/grpc.health.v1.Health/";
const HEALTH_CHECK: &str = "/grpc.health.v1.Health/Check";

/// All services of the port.
pub struct Services {
    writer: Arc<Writer>,
    api: Arc<Api>,
    health: Arc<HealthApi>,
    events: EventServiceServer<Api>,
    others: Routes,
    token: Option<Token>,
}

impl Services {
    pub fn new(writer: Arc<Writer>, token: Option<Token>, shutdown: Shutdown) -> io::Result<Self> {
        let api = Arc::new(Api::new(Arc::clone(&writer), shutdown.clone()));
        let health = Arc::new(HealthApi::new(Arc::clone(&writer), shutdown));
        // Many clients know v1alpha only.
        let reflection_v1 = reflection().build_v1().map_err(io::Error::other)?;
        let reflection_v1alpha = reflection().build_v1alpha().map_err(io::Error::other)?;
        Ok(Self {
            writer,
            events: EventServiceServer::from_arc(Arc::clone(&api)).max_decoding_message_size(EVENT_BYTES),
            others: Routes::new(HealthServer::from_arc(Arc::clone(&health)))
                .add_service(reflection_v1)
                .add_service(reflection_v1alpha)
                .prepare(),
            api,
            health,
            token,
        })
    }

    /// Checks the token and refuses compressed calls.
    fn check<B>(&self, call: &Request<B>) -> Result<(), Status> {
        self.authorize(call).map_err(|error| status::from(&error))?;
        let mut codings = call.headers().get_all(ENCODING_HEADER).iter();
        if codings.all(|coding| coding == IDENTITY) { Ok(()) } else { Err(compressed()) }
    }

    /// Requires the token, except for health checks.
    fn authorize<B>(&self, call: &Request<B>) -> Result<(), Error> {
        let Some(token) = &self.token else {
            return Ok(());
        };
        let path = call.uri().path();
        if path == EVENT_HEALTH_CHECK || path.starts_with(HEALTH_SERVICE) {
            return Ok(());
        }
        let mut values = call.headers().get_all(AUTHORIZATION).iter();
        let only = values.next().filter(|_| values.next().is_none());
        token.check(only.map(HeaderValue::as_bytes))
    }
}

impl Services {
    /// The reply to a call.
    pub async fn answer(&self, call: Request<Incoming>) -> Response<Reply> {
        if let Err(refusal) = self.check(&call) {
            return Reply::status(refusal);
        }
        let Self { api, health, .. } = self;
        let charge = self.writer.intake().charge();
        match call.uri().path() {
            PROCESS_EVENT => {
                unary::answer(call, EVENT_BYTES, charge, async |event| api.process_event(event).await).await
            }
            PROCESS_EVENT_BATCH => {
                unary::answer(call, BULK_BYTES, charge, async |batch| api.process_event_batch(batch).await).await
            }
            EVENT_HEALTH_CHECK => {
                unary::answer(call, EVENT_BYTES, charge, async |request| api.health_check(request).await).await
            }
            HEALTH_CHECK => unary::answer(call, EVENT_BYTES, charge, async |request| health.check(request).await).await,
            path if path.starts_with(EVENT_SERVICE) => {
                tonic_reply(self.events.clone().call(call.map(|body| bounded(body, charge))).await)
            }
            _ => tonic_reply(self.others.clone().call(call.map(|body| bounded(body, charge))).await),
        }
    }
}

/// The body of a call that tonic reads.
fn bounded(body: Incoming, charge: Charge) -> MessageTimeout<ChargedMessages<Incoming>> {
    let time = charge.timeout();
    MessageTimeout::new(ChargedMessages::new(body, charge), time)
}

fn reflection() -> tonic_reflection::server::Builder<'static> {
    tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
}

fn tonic_reply(reply: Result<Response<Body>, Infallible>) -> Response<Reply> {
    reply.unwrap_or_else(|never| match never {}).map(Reply::Tonic)
}

/// The status of a compressed call, with the encoding that is accepted.
fn compressed() -> Status {
    let mut status = Status::unimplemented("grpc-encoding: must be identity");
    status.metadata_mut().insert(ACCEPT_ENCODING_HEADER, MetadataValue::from_static(IDENTITY));
    status
}
