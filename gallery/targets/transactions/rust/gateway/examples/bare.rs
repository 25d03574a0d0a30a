//! The framework's own minimal server, `GET /` → `OK`, to compare the gateway's health check with:
//! `SERVER_PORT=8099 cargo run --release --package transaction-gateway --example bare`.

use actix_web::{App, HttpServer, web};

async fn ok() -> &'static str {
    "OK"
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let port = std::env::var("SERVER_PORT").map_or(8099, |port| port.parse().expect("SERVER_PORT is a port"));
    let server = HttpServer::new(|| App::new().route("/", web::get().to(ok)));
    server.bind(("127.0.0.1", port))?.run().await
}
