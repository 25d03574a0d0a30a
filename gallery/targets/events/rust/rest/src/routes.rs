//! Routes and handlers.

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use events_core::bulk;
use events_core::limits::{BULK_BYTES, EVENT_BYTES};
use events_core::token::Token;
use events_core::writer::Writer;
use serde_json::value::RawValue;

use crate::error::ApiError;
use crate::event::{self, EventRequest};
use crate::json::JsonBody;
use crate::middleware::{HEALTH, require_token};
use crate::object::Object;
use crate::reply::{BulkReply, HealthReply, Reply};

/// The routes of the API, behind the token if one is set.
pub fn router(writer: Arc<Writer>, token: Option<Token>) -> Router {
    let events = post(process_event).layer(DefaultBodyLimit::max(EVENT_BYTES));
    let bulk = post(process_bulk).layer(DefaultBodyLimit::max(BULK_BYTES));
    let routes = Router::new()
        .route("/api/v1/events", events)
        .route("/api/v1/events/bulk", bulk)
        .route(HEALTH, get(health))
        .fallback(async || Reply::failure(StatusCode::NOT_FOUND, "path: not found"))
        .method_not_allowed_fallback(async || Reply::failure(StatusCode::METHOD_NOT_ALLOWED, "method: not allowed"))
        .with_state(writer);
    match token {
        Some(token) => routes.layer(middleware::from_fn_with_state(token, require_token)),
        None => routes,
    }
}

async fn process_event(
    State(writer): State<Arc<Writer>>,
    JsonBody(Object(event)): JsonBody<Object<EventRequest>>,
) -> Result<Json<Reply>, ApiError> {
    writer.store(event.try_into()?).await?;
    Ok(Json(Reply::success()))
}

async fn process_bulk(
    State(writer): State<Arc<Writer>>,
    JsonBody(elements): JsonBody<Vec<Box<RawValue>>>,
) -> Result<Json<BulkReply>, ApiError> {
    bulk::check_count(elements.len())?;
    let events = elements.iter().map(|element| event::from_element(element)).collect();
    // A large bulk waits without the memory of its body.
    drop(elements);
    let report = writer.store_bulk(events).await?;
    Ok(Json(report.into()))
}

async fn health(State(writer): State<Arc<Writer>>) -> (StatusCode, Json<HealthReply>) {
    HealthReply::new(writer.is_healthy().await)
}

#[cfg(test)]
mod tests;
