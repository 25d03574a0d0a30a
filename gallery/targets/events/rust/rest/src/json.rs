//! Bodies as JSON.

use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, JsonRejection};
use axum::extract::{FromRequest, Request};
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use events_core::error::Error;
use serde::de::{DeserializeOwned, IgnoredAny};
use tokio::time::timeout;

use crate::error::ApiError;

/// How long a body may take to arrive.
const BODY_TIMEOUT: Duration = Duration::from_mins(1);

/// A body that axum's [`Json`] reads. Unlike its extractor, this one accepts no other media type than
/// `application/json` and no invalid UTF-8 in ignored fields.
pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        check_headers(request.headers())?;
        let body = timeout(BODY_TIMEOUT, Bytes::from_request(request, state)).await.map_err(|_| incomplete())?;
        let body = body.map_err(|rejection| body_error(&rejection))?;
        let text = str::from_utf8(&body).map_err(|_| Error::malformed("body: not valid UTF-8"))?;
        match Json::from_bytes(&body) {
            Ok(Json(value)) => Ok(Self(value)),
            Err(rejection) => Err(json_error(text, &rejection).into()),
        }
    }
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

fn body_error(rejection: &BytesRejection) -> Error {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Error::too_large("body: too large"),
        _ => incomplete(),
    }
}

fn incomplete() -> Error {
    Error::malformed("body: incomplete")
}

/// Deserialisation stops at the first error, which need not be the syntax error that has priority.
fn json_error(body: &str, rejection: &JsonRejection) -> Error {
    if serde_json::from_str::<IgnoredAny>(body).is_err() {
        return Error::malformed("body: not valid JSON");
    }
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(rejection);
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref() {
            return Error::invalid(path_and_reason(error, "body"));
        }
        source = error.source();
    }
    Error::invalid("body: not the expected JSON")
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
