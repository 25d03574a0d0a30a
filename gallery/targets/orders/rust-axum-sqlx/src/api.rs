use std::time::Duration;

use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use garde::Validate;
use tower_http::timeout::TimeoutLayer;

use crate::order::{Change, Listing, NewOrder, Order, OrderWithLines, Page, Summary};
use crate::problem::Problem;
use crate::store::Store;

type Id = Result<Path<i64>, PathRejection>;
type Body<T> = Result<Json<T>, JsonRejection>;

const MAX_BODY_BYTES: usize = 64 << 10;
/// From the head of a request to its reply, so that a body must arrive within it.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);

pub fn routes(store: Store) -> Router {
    Router::new()
        .route("/orders", post(create).get(list))
        .route("/orders/{id}", get(read).patch(update).delete(remove))
        .route("/customers/{id}/summary", get(summarise))
        .route("/healthz", get(health))
        .fallback(async || Problem::NotFound)
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, REQUEST_TIMEOUT))
        .with_state(store)
}

async fn create(State(store): State<Store>, wanted: Body<NewOrder>) -> Result<impl IntoResponse, Problem> {
    let Json(wanted) = wanted?;
    wanted.validate()?;
    let order = store.create(&wanted).await?;
    let location = [(header::LOCATION, format!("/orders/{}", order.id))];
    Ok((StatusCode::CREATED, location, Json(OrderWithLines { order, lines: wanted.lines })))
}

async fn read(State(store): State<Store>, id: Id) -> Result<Json<OrderWithLines>, Problem> {
    let Path(id) = id?;
    Ok(Json(store.get(id).await?))
}

async fn update(State(store): State<Store>, id: Id, wanted: Body<Change>) -> Result<Json<Order>, Problem> {
    let (Path(id), Json(wanted)) = (id?, wanted?);
    Ok(Json(store.update(id, &wanted).await?))
}

async fn remove(State(store): State<Store>, id: Id) -> Result<StatusCode, Problem> {
    let Path(id) = id?;
    store.remove(id).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn list(
    State(store): State<Store>,
    wanted: Result<Query<Listing>, QueryRejection>,
) -> Result<Json<Page>, Problem> {
    let Query(wanted) = wanted?;
    wanted.validate()?;
    let items = store.list(&wanted).await?;
    let full = i64::try_from(items.len()) == Ok(wanted.limit);
    let next_after = items.last().filter(|_| full).map(|order| order.id);
    Ok(Json(Page { items, next_after }))
}

async fn summarise(State(store): State<Store>, id: Id) -> Result<Json<Summary>, Problem> {
    let Path(id) = id?;
    Ok(Json(store.summarise(id).await?))
}

async fn health(State(store): State<Store>) -> Result<StatusCode, Problem> {
    store.ping().await?;
    Ok(StatusCode::OK)
}
