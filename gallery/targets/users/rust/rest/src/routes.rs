//! Routes and handlers.

use std::sync::Arc;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::{HeaderName, StatusCode};
use axum::routing::get;
use axum::{Json, Router};
use tower_http::compression::CompressionLayer;
use tower_http::request_id::PropagateRequestIdLayer;
use users_core::error::{Code, Error, LARGEST_MESSAGE};
use users_core::process::BoxError;
use users_core::service::Service;
use utoipa_swagger_ui::SwaggerUi;

use crate::deadline::Deadline;
use crate::json::Message;
use crate::message::{Change, Health, Id, List, ListParameters, NewUser, User};
use crate::reply::Failure;

/// Generated from the contract's proto file.
const OPENAPI: &str = include_str!("../../../../../contract/users/openapi.json");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The routes of the API and its description.
pub fn router(service: Arc<Service>, reply_gzip: bool) -> Result<Router, BoxError> {
    let docs = SwaggerUi::new("/docs").external_url_unchecked("/openapi.json", serde_json::from_str(OPENAPI)?);
    let routes = Router::new()
        .route("/v1/users", get(list).post(create))
        .route("/v1/users/{id}", get(read).put(update).delete(delete))
        .route("/healthz", get(health))
        .layer(DefaultBodyLimit::max(LARGEST_MESSAGE))
        .merge(docs)
        .fallback(async || Failure::new(StatusCode::NOT_FOUND, Code::NotFound))
        .method_not_allowed_fallback(async || Failure::new(StatusCode::METHOD_NOT_ALLOWED, Code::Unimplemented))
        .layer(PropagateRequestIdLayer::new(REQUEST_ID))
        .with_state(service);
    Ok(if reply_gzip { routes.layer(CompressionLayer::new()) } else { routes })
}

async fn create(
    State(service): State<Arc<Service>>,
    Deadline(deadline): Deadline,
    Message(user): Message<NewUser>,
) -> Result<Json<Id>, Failure> {
    let (name, email) = user.into_parts();
    let id = service.create(deadline, name, email).await?;
    Ok(Json(Id { id }))
}

async fn read(
    State(service): State<Arc<Service>>,
    Deadline(deadline): Deadline,
    id: Result<Path<i64>, PathRejection>,
) -> Result<Json<User>, Failure> {
    let user = service.get(deadline, number(id)?).await?;
    Ok(Json(user.into()))
}

async fn update(
    State(service): State<Arc<Service>>,
    Deadline(deadline): Deadline,
    id: Result<Path<i64>, PathRejection>,
    Message(change): Message<Change>,
) -> Result<Json<Id>, Failure> {
    let id = number(id)?;
    service.update(deadline, id, change.into()).await?;
    Ok(Json(Id { id }))
}

async fn delete(
    State(service): State<Arc<Service>>,
    Deadline(deadline): Deadline,
    id: Result<Path<i64>, PathRejection>,
) -> Result<Json<Id>, Failure> {
    let id = number(id)?;
    service.delete(deadline, id).await?;
    Ok(Json(Id { id }))
}

async fn list(
    State(service): State<Arc<Service>>,
    Deadline(deadline): Deadline,
    parameters: Result<Query<ListParameters>, QueryRejection>,
) -> Result<Json<List>, Failure> {
    let Query(ListParameters { query, page, limit }) =
        parameters.map_err(|rejection| Error::Malformed(rejection.body_text()))?;
    let page = service.list(deadline, &query, page, limit).await?;
    Ok(Json(page.into()))
}

async fn health(State(service): State<Arc<Service>>) -> Result<Json<Health>, Failure> {
    if service.is_healthy().await { Ok(Json(Health { status: "SERVING" })) } else { Err(Error::Unavailable.into()) }
}

fn number(id: Result<Path<i64>, PathRejection>) -> Result<i64, Failure> {
    match id {
        Ok(Path(id)) => Ok(id),
        Err(rejection) => Err(Error::Malformed(format!("id: {}", rejection.body_text())).into()),
    }
}

#[cfg(test)]
mod tests;
