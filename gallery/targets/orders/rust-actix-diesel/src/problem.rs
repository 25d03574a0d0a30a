use actix_web::http::StatusCode;
use actix_web::{HttpResponse, ResponseError};
use diesel_async::pooled_connection::bb8::RunError;
use serde_json::json;

/// Everything that a request can fail with; replies show it as RFC 9457 says.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    #[error("{0}")]
    Invalid(String),
    #[error("not found")]
    NotFound,
    #[error("the order has another version")]
    Conflict,
    #[error("the order could not be processed")]
    Statement(#[from] diesel::result::Error),
    #[error("the order could not be processed")]
    Connection(#[from] RunError),
}

impl From<garde::Report> for Problem {
    fn from(report: garde::Report) -> Self {
        Self::Invalid(report.to_string())
    }
}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::Invalid(_) => StatusCode::BAD_REQUEST,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Conflict => StatusCode::CONFLICT,
            Self::Statement(_) | Self::Connection(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn error_response(&self) -> HttpResponse {
        match self {
            Self::Statement(error) => tracing::error!(%error, "request failed"),
            Self::Connection(error) => tracing::error!(%error, "request failed"),
            _ => {}
        }
        let status = self.status_code();
        HttpResponse::build(status).insert_header(("Content-Type", "application/problem+json")).json(json!({
            "type": "about:blank",
            "title": status.canonical_reason(),
            "status": status.as_u16(),
            "detail": self.to_string(),
        }))
    }
}
