//! Which service a call is for.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use events_core::error::Error;
use events_core::limits::{BULK_BYTES, EVENT_BYTES};
use events_core::process::Desk;
use events_core::token::Token;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use hyper::body::Incoming;
use hyper::service::Service;
use tonic::body::Body;
use tonic::codegen::Service as _;
use tonic::codegen::http::header::AUTHORIZATION;
use tonic::codegen::http::{HeaderValue, Request, Response};
use tonic::service::Routes;
use tonic_health::pb::health_server::HealthServer;

use crate::api::Api;
use crate::health::HealthApi;
use crate::proto::DESCRIPTORS;
use crate::proto::event_service_server::{EventService, EventServiceServer};
use crate::status;
use crate::unary;

const EVENT_SERVICE: &str = "/com.example.grpc.EventService/";
const HEALTH_METHOD: &str = "/com.example.grpc.EventService/HealthCheck";
const HEALTH_SERVICE: &str = "/grpc.health.v1.Health/";
const EVENT_METHOD: &str = "ProcessEvent";
const BATCH_METHOD: &str = "ProcessEventBatch";

/// All services of the port. Made anew for each connection, which costs a few counters.
#[derive(Clone)]
pub struct Services {
    api: Arc<Api>,
    events: EventServiceServer<Api>,
    others: Routes,
    token: Option<Token>,
}

impl Services {
    pub fn new(desk: &Desk) -> io::Result<Self> {
        let Desk { writer, token, shutdown } = desk;
        let api = Arc::new(Api::new(Arc::clone(writer), shutdown.clone()));
        let health = HealthServer::new(HealthApi::new(Arc::clone(writer), shutdown.clone()));
        let reflection = tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
            .build_v1()
            .map_err(io::Error::other)?;
        Ok(Self {
            events: EventServiceServer::from_arc(Arc::clone(&api)).max_decoding_message_size(EVENT_BYTES),
            api,
            others: Routes::new(health).add_service(reflection).prepare(),
            token: token.clone(),
        })
    }
}

impl Services {
    /// Lets calls through that carry the token, and everybody ask about health.
    fn authorize<B>(&self, request: &Request<B>) -> Result<(), Error> {
        let Some(token) = &self.token else {
            return Ok(());
        };
        let path = request.uri().path();
        if path == HEALTH_METHOD || path.starts_with(HEALTH_SERVICE) {
            return Ok(());
        }
        let mut values = request.headers().get_all(AUTHORIZATION).iter();
        let only = values.next().filter(|_| values.next().is_none());
        token.check(only.map(HeaderValue::as_bytes))
    }
}

impl Service<Request<Incoming>> for Services {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        if let Err(error) = self.authorize(&request) {
            return ready(Ok(status::from(&error).into_http())).boxed();
        }
        let api = Arc::clone(&self.api);
        match request.uri().path().strip_prefix(EVENT_SERVICE) {
            Some(EVENT_METHOD) => async move {
                Ok(unary::answer(request, EVENT_BYTES, async |event| api.process_event(event).await).await)
            }
            .boxed(),
            Some(BATCH_METHOD) => async move {
                Ok(unary::answer(request, BULK_BYTES, async |batch| api.process_event_batch(batch).await).await)
            }
            .boxed(),
            Some(_) => self.events.clone().call(request).boxed(),
            None => self.others.clone().call(request).boxed(),
        }
    }
}
