//! Bodies as protobuf's JSON mapping has them.

use std::sync::Arc;

use axum::Json;
use axum::body::HttpBody;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRef, FromRequest, Request};
use axum::http::StatusCode;
use bytes::BytesMut;
use serde::de::DeserializeOwned;
use tokio::time::timeout;
use users_core::error::{Error, LARGEST_MESSAGE};
use users_core::service::Service;

use crate::reply::Failure;

/// A message that axum's [`Json`] reads. Unlike its extractor, this one reads a body of any media type, as a gateway
/// does, takes no body for an empty message, and no array for an object.
pub struct Message<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Message<T>
where
    Arc<Service>: FromRef<S>,
{
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let service = Arc::<Service>::from_ref(state);
        // A body of unknown length counts as the largest.
        let length = request.body().size_hint().exact().and_then(|length| usize::try_from(length).ok());
        let _reserved = service.reserve(length.unwrap_or(LARGEST_MESSAGE).min(LARGEST_MESSAGE))?;
        // One buffer: axum's `Bytes` keeps each piece as it arrives, one of a byte with the memory of many.
        let body = timeout(service.read_timeout(), BytesMut::from_request(request, state)).await;
        let body = body.map_err(|_| Error::TooSlow)?;
        let body = body.map_err(|rejection| unreadable(&rejection))?;
        let text = str::from_utf8(&body).map_err(|_| malformed("body: not valid UTF-8"))?;
        let text = if text.is_empty() { "{}" } else { text };
        if !text.trim_ascii_start().starts_with('{') {
            return Err(malformed("body: not a JSON object"));
        }
        match Json::from_bytes(text.as_bytes()) {
            Ok(Json(message)) => Ok(Self(message)),
            Err(rejection) => Err(malformed(&format!("body: {}", rejection.body_text()))),
        }
    }
}

fn unreadable(rejection: &BytesRejection) -> Failure {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Error::TooLarge.into(),
        _ => malformed("body: incomplete"),
    }
}

fn malformed(reason: &str) -> Failure {
    Error::Malformed(reason.to_owned()).into()
}
