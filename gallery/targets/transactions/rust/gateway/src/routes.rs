//! The operations: each decodes its request, calls one service, and encodes the reply.

use std::pin::Pin;

use actix_web::error::{Error, ErrorInternalServerError, JsonPayloadError, PayloadError};
use actix_web::http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use actix_web::web::{self, Bytes, Data, JsonConfig, PayloadConfig, ServiceConfig};
use actix_web::{FromRequest, HttpRequest, HttpResponse, dev};
use bus::{Payload, PayloadType};
use messages::service;
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use crate::batching;
use crate::calling::Services;
use crate::errors::Problem;
use crate::transactions::{TransactionRequest, decided, refused};

const MAX_BODY: usize = 64 << 10;
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

#[derive(Debug, Deserialize)]
struct HelloRequest {
    name: String,
}

#[derive(Debug, Serialize)]
struct ServiceReply<'a> {
    result: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

/// Adds the operations to an application.
pub fn configure(config: &mut ServiceConfig) {
    config
        .app_data(JsonConfig::default().limit(MAX_BODY))
        .app_data(PayloadConfig::default().limit(MAX_BODY))
        .service(web::resource("/").get(health))
        .service(web::resource("/metrics").get(metrics))
        .service(web::resource("/api/status").get(status))
        .service(web::resource("/api/hello").post(hello))
        .service(web::resource("/api/echo").post(echo))
        .service(web::resource("/api/transaction").post(transaction));
}

async fn health() -> &'static str {
    "OK"
}

/// The gauges of all workers together.
async fn metrics(registry: Data<Registry>) -> actix_web::Result<HttpResponse> {
    let mut text = String::new();
    encode(&mut text, &registry).map_err(ErrorInternalServerError)?;
    Ok(HttpResponse::Ok().content_type(OPEN_METRICS).body(text))
}

async fn status(services: Data<Services>) -> HttpResponse {
    text_reply(services.call(service::STATUS, Payload::null()).await)
}

async fn hello(services: Data<Services>, InTime(body): InTime<web::Json<HelloRequest>>) -> HttpResponse {
    let called = async { services.call(service::HELLO, Payload::text(name_of(body)?)).await };
    text_reply(called.await)
}

async fn echo(services: Data<Services>, InTime(body): InTime<Bytes>) -> HttpResponse {
    let called = async { services.call(service::ECHO, Payload::text(text_of(body)?)).await };
    text_reply(called.await)
}

async fn transaction(services: Data<Services>, InTime(body): InTime<web::Json<TransactionRequest>>) -> HttpResponse {
    let request = match body {
        Ok(request) => request.into_inner(),
        Err(problem) => return refused("", &problem),
    };
    process(&services, &request).await.unwrap_or_else(|problem| refused(request.id(), &problem))
}

async fn process(services: &Data<Services>, request: &TransactionRequest) -> Result<HttpResponse, Problem> {
    request.check()?;
    let payload = request.payload()?;
    decided(&match services.batch_size() {
        1 => services.call(service::TRANSACTION, payload).await?,
        _ => batching::transaction(services, payload).await?,
    })
}

fn name_of(body: Result<web::Json<HelloRequest>, Problem>) -> Result<String, Problem> {
    let name = body?.into_inner().name;
    match name.chars().count() {
        1..=255 => Ok(name),
        _ => Err(Problem::Invalid("name: must have 1 to 255 characters".into())),
    }
}

fn text_of(body: Result<Bytes, Problem>) -> Result<String, Problem> {
    String::from_utf8(body?.into()).map_err(|_| Problem::Invalid("body: must be UTF-8".into()))
}

fn text_reply(called: Result<Payload, Problem>) -> HttpResponse {
    let text = called.and_then(|payload| match (payload.payload_type, String::from_utf8(payload.bytes)) {
        (PayloadType::Text, Ok(text)) => Ok(text),
        _ => Err(Problem::Call(bus::CallError::Protocol("the reply is no text".into()))),
    });
    match text {
        Ok(text) => HttpResponse::Ok().json(ServiceReply { result: &text, error: None }),
        Err(problem) => problem.reply().json(ServiceReply { result: "", error: Some(&problem.to_string()) }),
    }
}

/// A body, or the problem with it. The framework bounds the time of a request's head only.
struct InTime<T>(Result<T, Problem>);

impl<T: FromRequest + 'static> FromRequest for InTime<T> {
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut dev::Payload) -> Self::Future {
        let services = Data::<Services>::extract(request);
        let (bytes, body) = (announced(request), T::from_request(request, payload));
        Box::pin(async move {
            let services = services.await?;
            let _reserved = match services.reserve(bytes) {
                Ok(reserved) => reserved,
                Err(problem) => return Ok(Self(Err(problem))),
            };
            Ok(Self(match timeout(services.read_timeout(), body).await {
                Ok(body) => body.map_err(|error| problem_of(&error.into())),
                Err(_) => Err(Problem::TooSlow),
            }))
        })
    }
}

/// The bytes that a body may take; one without a length counts as the largest.
fn announced(request: &HttpRequest) -> usize {
    let length = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    let unknown = if request.headers().contains_key(TRANSFER_ENCODING) { MAX_BODY } else { 0 };
    length.unwrap_or(unknown).min(MAX_BODY)
}

/// The framework's error about a body.
fn problem_of(error: &Error) -> Problem {
    if let Some(json) = error.as_error::<JsonPayloadError>() {
        return match json {
            JsonPayloadError::ContentType => Problem::MediaType("application/json"),
            JsonPayloadError::Overflow { .. }
            | JsonPayloadError::OverflowKnownLength { .. }
            | JsonPayloadError::Payload(PayloadError::Overflow) => Problem::TooLarge(MAX_BODY),
            JsonPayloadError::Deserialize(reason) => Problem::Invalid(format!("body: {reason}")),
            other => Problem::Invalid(format!("body: {other}")),
        };
    }
    match error.as_error::<PayloadError>() {
        Some(PayloadError::Overflow) => Problem::TooLarge(MAX_BODY),
        _ => Problem::Invalid(format!("body: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::calling::Limits;
    use crate::settings::Settings;
    use actix_web::test::TestRequest;

    fn services(megabytes: &str) -> Data<Services> {
        let settings = Settings::from_environment(|name| match name {
            "BUS_DIR" => Some("sockets".into()),
            "INTAKE_MB" => Some(megabytes.into()),
            _ => None,
        });
        let settings = Arc::new(settings.unwrap());
        Data::new(Services::new(Arc::clone(&settings), Limits::of(&settings)))
    }

    #[tokio::test]
    async fn large_bodies_beyond_the_budget_are_503_and_small_ones_read() {
        let services = services("1");
        let status_of = async |name: &'static str, value: &'static str| {
            let request = TestRequest::default().app_data(services.clone()).insert_header((name, value));
            let InTime(body) =
                InTime::<Bytes>::from_request(&request.to_http_request(), &mut dev::Payload::None).await.unwrap();
            text_reply(text_of(body).map(Payload::text)).status().as_u16()
        };
        let taken: Vec<_> = (0..16).map(|_| services.reserve(MAX_BODY).unwrap()).collect();
        assert_eq!(status_of("content-length", "16385").await, 503);
        assert_eq!(status_of("transfer-encoding", "chunked").await, 503);
        assert_eq!(status_of("content-length", "16384").await, 200);
        drop(taken);
        assert_eq!(status_of("content-length", "16385").await, 200);
    }

    async fn read(mut payload: dev::Payload) -> HttpResponse {
        let request = TestRequest::default().app_data(services("64")).to_http_request();
        let InTime(body) = InTime::<Bytes>::from_request(&request, &mut payload).await.unwrap();
        text_reply(text_of(body).map(Payload::text))
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_arrive_is_408_and_one_that_breaks_off_400() {
        let late = read(dev::Payload::Stream { payload: Box::pin(tokio_stream::pending()) }).await;
        assert_eq!(late.status().as_u16(), 408);
        assert!(!late.head().keep_alive());
        let broken = tokio_stream::once(Err(PayloadError::Incomplete(None)));
        let broken = read(dev::Payload::Stream { payload: Box::pin(broken) }).await;
        assert_eq!(broken.status().as_u16(), 400);
    }
}
