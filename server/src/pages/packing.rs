//! Compresses responses with gzip, off the async threads.

use crate::games::hall::SERVER;
use crate::http::guard::Client;
use crate::http::refused::Refused;
use crate::work::replays::Replays;
use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;
use table::Refusal;

/// Anything smaller fits into one packet anyway.
const LEAST: u64 = 1_400;

/// Compresses bytes with gzip.
pub fn packed(bytes: &[u8], level: Compression) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), level);
    // Writing to a vector cannot fail.
    packer.write_all(bytes).and_then(|()| packer.finish()).unwrap_or_default()
}

/// Whether the client accepts gzip.
pub fn accepted(asked: &HeaderMap) -> bool {
    let lines = asked.get_all(header::ACCEPT_ENCODING).iter();
    let mut codings = lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(','));
    codings.any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse::<f32>().ok());
        name.trim().eq_ignore_ascii_case("gzip") && weight != Some(0.0)
    })
}

/// Marks a response as compressed.
pub fn mark(headers: &mut HeaderMap) {
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.remove(header::CONTENT_LENGTH);
}

/// Whether a response is complete text, long enough, and not compressed yet.
fn is_worth_it(response: &Response) -> bool {
    let headers = response.headers();
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let text = kind.is_some_and(|kind| kind.starts_with("text/") || kind == "application/json");
    let long = response.body().size_hint().exact().is_some_and(|length| length >= LEAST);
    text && long && !headers.contains_key(header::CONTENT_ENCODING)
}

/// Middleware that compresses long responses of any route, in the turn of the client's address.
pub async fn answers(State(replays): State<Replays>, request: Request, next: Next) -> Response {
    let accepted = accepted(request.headers());
    let client = request.extensions().get::<Client>().map_or(SERVER, |client| client.0);
    let response = next.run(request).await;
    if !is_worth_it(&response) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    head.headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if !accepted {
        return (head, body).into_response();
    }
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return Refused(Refusal::broken("the answer broke off")).into_response();
    };
    let plain = bytes.clone();
    // If the address has too much work queued, the response is sent as it is.
    match replays.run(client, move || packed(&plain, Compression::fast())).await {
        Ok(packed) => {
            mark(&mut head.headers);
            (head, Bytes::from(packed)).into_response()
        }
        Err(_) => (head, Body::from(bytes)).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_to_those_who_name_it_and_do_not_refuse_it() {
        let asked = |line: &'static str| {
            HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(line))])
        };
        for line in ["gzip", "br, gzip", "deflate;q=1, GZIP;q=0.5", "gzip; q=1"] {
            assert!(accepted(&asked(line)), "{line}");
        }
        for line in ["", "br", "gzip;q=0", "gzip; q=0.000", "xgzip"] {
            assert!(!accepted(&asked(line)), "{line}");
        }
        assert!(!accepted(&HeaderMap::new()));
    }
}
