//! Routes and handlers.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{get, post};
use events_core::error::Error;
use events_core::intake::Charge;
use events_core::limits;
use events_core::token::Token;
use events_core::writer::Writer;
use events_tuned::json;

use crate::reply::{self, ErrorResponse};
use crate::{body, headers};

const HEALTH: &str = "/api/v1/events/health";

/// The routes of the API, behind the token if one is set.
pub fn router(writer: Arc<Writer>, token: Option<Token>) -> Router {
    let routes = Router::new()
        .route("/api/v1/events", post(process_event))
        .route("/api/v1/events/bulk", post(process_bulk))
        .route(HEALTH, get(health))
        .fallback(async || reply::failure(StatusCode::NOT_FOUND, "path: not found"))
        .method_not_allowed_fallback(async || reply::failure(StatusCode::METHOD_NOT_ALLOWED, "method: not allowed"))
        .with_state(writer);
    match token {
        Some(token) => routes.layer(middleware::from_fn_with_state(token, authorize)),
        None => routes,
    }
}

/// Requires the token, except for health checks.
async fn authorize(State(token): State<Token>, request: Request, next: Next) -> Result<Response, ErrorResponse> {
    if request.uri().path() != HEALTH
        && let Err(refusal) = token.check(headers::authorization(request.headers()))
    {
        let (head, body) = request.into_parts();
        body::discard(&head.headers, body).await;
        return Err(refusal.into());
    }
    Ok(next.run(request).await)
}

async fn process_event(State(writer): State<Arc<Writer>>, request: Request) -> Result<Response, ErrorResponse> {
    let body = accept(request, limits::EVENT_BYTES, &mut writer.intake().charge()).await?;
    let event = json::decode_event(&body)?;
    drop(body);
    writer.store(event).await?;
    Ok(reply::stored())
}

async fn process_bulk(State(writer): State<Arc<Writer>>, request: Request) -> Result<Response, ErrorResponse> {
    let mut charge = writer.intake().charge();
    let body = accept(request, limits::BULK_BYTES, &mut charge).await?;
    let events = json::decode_bulk(&body)?;
    drop((body, charge));
    let report = writer.store_bulk(events).await?;
    Ok(reply::bulk(&report))
}

async fn health(State(writer): State<Arc<Writer>>) -> Response {
    reply::health(writer.is_healthy().await)
}

async fn accept(request: Request, limit: usize, charge: &mut Charge) -> Result<Bytes, Error> {
    let (head, body) = request.into_parts();
    headers::check(&head.headers)?;
    body::read(&head.headers, body, limit, charge).await
}

#[cfg(test)]
mod tests;
