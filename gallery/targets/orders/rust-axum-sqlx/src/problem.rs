use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
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
    Database(#[from] sqlx::Error),
}

impl Problem {
    fn status(&self) -> StatusCode {
        match self {
            Self::Invalid(_) => StatusCode::BAD_REQUEST,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Conflict => StatusCode::CONFLICT,
            Self::Database(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

impl From<garde::Report> for Problem {
    fn from(report: garde::Report) -> Self {
        Self::Invalid(report.to_string())
    }
}

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Self {
        Self::Invalid(rejection.body_text())
    }
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Self {
        Self::Invalid(rejection.body_text())
    }
}

/// A text that is no id names nothing, as an id that is not stored.
impl From<PathRejection> for Problem {
    fn from(_: PathRejection) -> Self {
        Self::NotFound
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        if let Self::Database(error) = &self {
            tracing::error!(%error, "request failed");
        }
        let status = self.status();
        let body = json!({
            "type": "about:blank",
            "title": status.canonical_reason(),
            "status": status.as_u16(),
            "detail": self.to_string(),
        });
        (status, [(header::CONTENT_TYPE, "application/problem+json")], Json(body)).into_response()
    }
}
