use actix_web::web::{Data, Json, JsonConfig, Path, PathConfig, Query, QueryConfig, ServiceConfig};
use actix_web::{HttpResponse, delete, get, patch, post, web};
use garde::Validate;

use crate::order::{Change, Listing, NewOrder, OrderWithLines, Page};
use crate::problem::Problem;
use crate::store::Store;

type Reply = Result<HttpResponse, Problem>;

const MAX_BODY_BYTES: usize = 64 << 10;

pub fn configure(app: &mut ServiceConfig) {
    let json = JsonConfig::default().limit(MAX_BODY_BYTES);
    app.app_data(json.error_handler(|error, _| Problem::Invalid(error.to_string()).into()))
        .app_data(QueryConfig::default().error_handler(|error, _| Problem::Invalid(error.to_string()).into()))
        // A text that is no id names nothing, as an id that is not stored.
        .app_data(PathConfig::default().error_handler(|_, _| Problem::NotFound.into()))
        .service(create)
        .service(list)
        .service(read)
        .service(update)
        .service(remove)
        .service(summarise)
        .service(health)
        .default_service(web::to(async || Reply::Err(Problem::NotFound)));
}

#[post("/orders")]
async fn create(store: Data<Store>, Json(wanted): Json<NewOrder>) -> Reply {
    wanted.validate()?;
    let order = store.create(&wanted).await?;
    let location = ("Location", format!("/orders/{}", order.id));
    Ok(HttpResponse::Created().insert_header(location).json(OrderWithLines { order, lines: wanted.lines }))
}

#[get("/orders/{id}")]
async fn read(store: Data<Store>, id: Path<i64>) -> Reply {
    Ok(HttpResponse::Ok().json(store.get(*id).await?))
}

#[patch("/orders/{id}")]
async fn update(store: Data<Store>, id: Path<i64>, wanted: Json<Change>) -> Reply {
    Ok(HttpResponse::Ok().json(store.update(*id, &wanted).await?))
}

#[delete("/orders/{id}")]
async fn remove(store: Data<Store>, id: Path<i64>) -> Reply {
    store.remove(*id).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[get("/orders")]
async fn list(store: Data<Store>, wanted: Query<Listing>) -> Reply {
    wanted.validate()?;
    let items = store.list(&wanted).await?;
    let full = i64::try_from(items.len()) == Ok(wanted.limit);
    let next_after = items.last().filter(|_| full).map(|order| order.id);
    Ok(HttpResponse::Ok().json(Page { items, next_after }))
}

#[get("/customers/{id}/summary")]
async fn summarise(store: Data<Store>, id: Path<i64>) -> Reply {
    Ok(HttpResponse::Ok().json(store.summarise(*id).await?))
}

#[get("/healthz")]
async fn health(store: Data<Store>) -> Reply {
    store.ping().await?;
    Ok(HttpResponse::Ok().finish())
}
