//! Bodies as JSON.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRef, FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::{Json, RequestExt};
use events_core::error::Error;
use events_core::intake::Charge;
use events_core::writer::Writer;
use futures_util::StreamExt;
use http_body_util::LengthLimitError;
use serde::de::{DeserializeOwned, IgnoredAny};
use tokio::time::timeout;

use crate::error::ApiError;

/// A body that axum's [`Json`] reads. Unlike its extractor, this one accepts no other media type than
/// `application/json` and no invalid UTF-8 in ignored fields.
pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T>
where
    Arc<Writer>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        check_headers(request.headers())?;
        let charge = Arc::<Writer>::from_ref(state).intake().charge();
        let time = charge.timeout();
        let body = collect(request.into_limited_body(), charge);
        let body = timeout(time, body).await.map_err(|_| Error::slow_body())??;
        let text = str::from_utf8(&body).map_err(|_| Error::malformed("body: not valid UTF-8"))?;
        match Json::from_bytes(&body) {
            Ok(Json(value)) => Ok(Self(value)),
            Err(rejection) => Err(json_error(text, &rejection).into()),
        }
    }
}

/// The whole body. axum's own extractors keep every piece as it arrives: one of a byte takes the memory of a buffer.
async fn collect(body: Body, mut charge: Charge) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let mut pieces = body.into_data_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|error| body_error(&error))?;
        charge.grow(bytes.len() + piece.len())?;
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

fn check_headers(headers: &HeaderMap) -> Result<(), Error> {
    if !headers.get(CONTENT_TYPE).is_some_and(|value| is_json(value.as_bytes())) {
        return Err(Error::unsupported_media("content-type: must be application/json"));
    }
    if !headers.get_all(CONTENT_ENCODING).iter().all(|value| value.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Err(Error::unsupported_media("content-encoding: must be identity"));
    }
    Ok(())
}

/// Parameters are ignored: `application/json; charset=utf-8` is JSON, too.
fn is_json(value: &[u8]) -> bool {
    let media_type = value.split(|byte| *byte == b';').next().unwrap_or_default();
    media_type.trim_ascii().eq_ignore_ascii_case(b"application/json")
}

fn body_error(error: &axum::Error) -> Error {
    match find_source::<LengthLimitError>(error) {
        Some(_) => Error::too_large("body: too large"),
        None => Error::incomplete_body(),
    }
}

/// Deserialisation stops at the first error, which need not be the syntax error that has priority.
fn json_error(body: &str, rejection: &JsonRejection) -> Error {
    if serde_json::from_str::<IgnoredAny>(body).is_err() {
        return Error::malformed("body: not valid JSON");
    }
    match find_source(rejection) {
        Some(error) => Error::invalid(path_and_reason(error, "body")),
        None => Error::invalid("body: not the expected JSON"),
    }
}

/// The error itself or the first of its sources that is an `E`.
fn find_source<'a, E: std::error::Error + 'static>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a E> {
    std::iter::successors(Some(error), |error| error.source()).find_map(|error| error.downcast_ref())
}

/// `<path>: <reason>`; the path of the whole is `root`.
pub fn path_and_reason(error: &serde_path_to_error::Error<serde_json::Error>, root: &str) -> String {
    match error.path().to_string().as_str() {
        "." => format!("{root}: {}", error.inner()),
        path => format!("{path}: {}", error.inner()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: &[(&'static str, &'static str)]) -> Result<(), String> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().expect("the cases are header values"));
        }
        check_headers(&headers).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn media_types() {
        for json in ["application/json", "APPLICATION/Json", " application/json ; charset=utf-8"] {
            assert_eq!(check(&[("content-type", json)]), Ok(()), "{json}");
        }
        let refused = Err("content-type: must be application/json".to_owned());
        assert_eq!(check(&[]), refused);
        for other in ["", "text/plain", "application/problem+json", "application/jsonx"] {
            assert_eq!(check(&[("content-type", other), ("content-encoding", "gzip")]), refused, "{other}");
        }
    }

    #[test]
    fn content_codings() {
        let json = ("content-type", "application/json");
        assert_eq!(check(&[json, ("content-encoding", "Identity")]), Ok(()));
        let refused = Err("content-encoding: must be identity".to_owned());
        assert_eq!(check(&[json, ("content-encoding", "gzip")]), refused);
    }
}
