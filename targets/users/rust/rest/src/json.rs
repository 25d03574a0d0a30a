//! Bodies as protobuf's JSON mapping has them.

use axum::Json;
use axum::extract::rejection::StringRejection;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use serde::de::DeserializeOwned;
use users_core::error::Error;

use crate::reply::Failure;

/// A message that axum's [`Json`] reads. Unlike its extractor, this one reads a body of any media type, as a gateway
/// does, takes no body for an empty message, and no array for an object.
pub struct Message<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Message<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let body = String::from_request(request, state).await.map_err(|rejection| unreadable(&rejection))?;
        let text = if body.is_empty() { "{}" } else { &body };
        if !text.trim_ascii_start().starts_with('{') {
            return Err(malformed("body: not a JSON object"));
        }
        match Json::from_bytes(text.as_bytes()) {
            Ok(Json(message)) => Ok(Self(message)),
            Err(rejection) => Err(malformed(&format!("body: {}", rejection.body_text()))),
        }
    }
}

fn unreadable(rejection: &StringRejection) -> Failure {
    match rejection {
        StringRejection::InvalidUtf8(_) => malformed("body: not valid UTF-8"),
        rejection if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => Error::TooLarge.into(),
        _ => malformed("body: cannot be read"),
    }
}

fn malformed(reason: &str) -> Failure {
    Error::Malformed(reason.to_owned()).into()
}
