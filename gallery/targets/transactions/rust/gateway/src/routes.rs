//! The operations: each decodes its request, calls one service, and encodes the reply.

use std::convert::Infallible;
use std::pin::Pin;
use std::time::Duration;

use actix_web::error::{ErrorInternalServerError, JsonPayloadError, PayloadError};
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
/// A body that takes longer to arrive is refused.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
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
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Infallible>>>>;

    fn from_request(request: &HttpRequest, payload: &mut dev::Payload) -> Self::Future {
        let body = timeout(BODY_TIMEOUT, T::from_request(request, payload));
        Box::pin(async {
            Ok(Self(match body.await {
                Ok(body) => body.map_err(|error| problem_of(&error.into())),
                Err(_) => Err(Problem::TooSlow),
            }))
        })
    }
}

/// The framework's error about a body.
fn problem_of(error: &actix_web::Error) -> Problem {
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
    use actix_web::test::TestRequest;

    async fn read(mut payload: dev::Payload) -> HttpResponse {
        let request = TestRequest::default().to_http_request();
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
