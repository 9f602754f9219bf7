//! The checks of every request before a handler sees it: its body comes in time and is not large,
//! and no page of another site sent it.

use crate::error::Error;
use crate::http::api::Refused;
use axum::Json;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::time::Duration;

/// The most bytes of a request's body.
const BODY_BYTES_MAX: usize = 256 << 10;
/// The longest time in which a client may send a request's body.
const BODY_MAX: Duration = Duration::from_secs(20);

/// Passes a request on once its body is there. A client that sends its body slowly would otherwise
/// hold a connection for as long as it likes.
pub(super) async fn with_whole_body(request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    match whole(body, BODY_MAX).await {
        Ok(bytes) => next.run(Request::from_parts(head, Body::from(bytes))).await,
        Err((status, error)) => {
            // The rest of the body would be taken for another request.
            let close = [(header::CONNECTION, "close")];
            (status, close, Json(Refused { error, ended: None })).into_response()
        }
    }
}

async fn whole(body: Body, limit: Duration) -> Result<Bytes, (StatusCode, String)> {
    match tokio::time::timeout(limit, to_bytes(body, BODY_BYTES_MAX)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err((
            StatusCode::PAYLOAD_TOO_LARGE,
            format!(
                "the request's body is broken, or larger than {} KiB, which is the most",
                BODY_BYTES_MAX >> 10
            ),
        )),
        Err(_) => Err((
            StatusCode::REQUEST_TIMEOUT,
            format!("the request's body has not come within {} s; send it again", limit.as_secs()),
        )),
    }
}

/// Refuses requests of pages that are not the pool's own. A browser sends them without its user's
/// knowledge, and a pool without an identity would obey.
pub(super) async fn of_own_page(request: Request, next: Next) -> Response {
    if is_of_another_site(request.headers()) {
        let error = "a web page of another site sent this request; open the pool's own page";
        return Error::Forbidden(error.into()).into_response();
    }
    next.run(request).await
}

/// Returns whether a browser says that another site's page sent the request. Other programs say
/// nothing about it.
fn is_of_another_site(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("none"));
    let place = |origin: &str| origin.split_once("://").map_or("", |(_, place)| place).to_owned();
    match text("origin") {
        Some(origin) => text("host").is_none_or(|host| place(origin) != host),
        None => text("sec-fetch-site").is_some_and(|site| {
            !["same-origin", "none"].contains(&site) && text("sec-fetch-mode") != Some("navigate")
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    fn is_foreign(headers: &[(&'static str, &'static str)]) -> bool {
        let header = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        is_of_another_site(&headers.iter().map(header).collect())
    }

    #[test]
    fn only_pages_of_other_sites_are_refused() {
        let host = ("host", "pool:7653");
        assert!(!is_foreign(&[]) && !is_foreign(&[host]));
        assert!(!is_foreign(&[host, ("origin", "http://pool:7653")]));
        assert!(!is_foreign(&[host, ("sec-fetch-site", "same-origin")]));
        let followed = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")];
        assert!(!is_foreign(&followed), "a link to the pool's page");
        for origin in ["http://evil.example", "http://pool", "null", "", "https://pool:76530"] {
            assert!(is_foreign(&[host, ("origin", origin)]), "{origin}");
        }
        assert!(is_foreign(&[host, ("sec-fetch-site", "cross-site")]));
        assert!(is_foreign(&[("origin", "http://pool:7653")]), "without a host");
    }

    #[test]
    fn a_body_that_does_not_end_or_is_too_large_is_refused() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let refusal = async |body: Body, limit_ms: u64| {
                whole(body, Duration::from_millis(limit_ms)).await.map_err(|(status, _)| status)
            };
            assert_eq!(refusal(Body::from("{}"), 60_000).await.unwrap(), "{}");
            let large = Body::from(vec![0; BODY_BYTES_MAX + 1]);
            assert_eq!(refusal(large, 60_000).await, Err(StatusCode::PAYLOAD_TOO_LARGE));
            let (_open, parts) = tokio::sync::mpsc::channel::<Result<Bytes, std::io::Error>>(1);
            let endless = Body::from_stream(tokio_stream::wrappers::ReceiverStream::new(parts));
            assert_eq!(refusal(endless, 20).await, Err(StatusCode::REQUEST_TIMEOUT));
        });
    }
}
