//! Checks of request headers.

use axum::http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use events_core::error::Error;

/// Refuses media types and content codings other than uncompressed JSON.
pub fn check(headers: &HeaderMap) -> Result<(), Error> {
    if !headers.get(CONTENT_TYPE).is_some_and(|value| is_json(value.as_bytes())) {
        return Err(Error::unsupported_media("content-type: must be application/json"));
    }
    if !headers.get_all(CONTENT_ENCODING).iter().all(|value| value.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Err(Error::unsupported_media("content-encoding: must be identity"));
    }
    Ok(())
}

/// The credentials, if a request has exactly one value.
pub fn authorization(headers: &HeaderMap) -> Option<&[u8]> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    values.next().filter(|_| values.next().is_none()).map(HeaderValue::as_bytes)
}

/// Parameters do not matter: `application/json; charset=utf-8` is JSON, too.
fn is_json(value: &[u8]) -> bool {
    let media_type = value.split(|byte| *byte == b';').next().unwrap_or_default();
    media_type.trim_ascii().eq_ignore_ascii_case(b"application/json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_pairs(pairs: &[(&'static str, &'static str)]) -> Result<(), String> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().expect("the cases are header values"));
        }
        check(&headers).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn media_types() {
        for json in
            ["application/json", "APPLICATION/Json", "application/json;charset=utf-8", " application/json ; a=b"]
        {
            assert_eq!(check_pairs(&[("content-type", json)]), Ok(()), "{json}");
        }
        let refused = Err("content-type: must be application/json".to_owned());
        assert_eq!(check_pairs(&[]), refused);
        for other in ["", ";", "text/plain", "application/jsonx", "application/json, text/plain", "application/x-json"]
        {
            assert_eq!(check_pairs(&[("content-type", other), ("content-encoding", "gzip")]), refused, "{other}");
        }
    }

    #[test]
    fn content_codings() {
        let json = ("content-type", "application/json");
        assert_eq!(check_pairs(&[json, ("content-encoding", "Identity")]), Ok(()));
        for other in ["gzip", "identity, gzip", ""] {
            let refused = Err("content-encoding: must be identity".to_owned());
            assert_eq!(check_pairs(&[json, ("content-encoding", other)]), refused, "{other}");
        }
    }
}
