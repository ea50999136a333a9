//! Refusals as HTTP responses, and request bodies as typed values.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use std::time::Duration;
use table::{Kind, Refusal};

#[derive(Debug)]
pub struct Refused(pub Refusal);

/// The result of a handler.
pub type Answered<T> = Result<T, Refused>;

impl<R: Into<Refusal>> From<R> for Refused {
    fn from(refusal: R) -> Refused {
        Refused(refusal.into())
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let Refused(refusal) = self;
        let status = StatusCode::from_u16(refusal.status());
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(&refusal)).into_response();
        if let Kind::TooMany { retry_after } = refusal.kind {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(retry_after));
        }
        response
    }
}

/// The parts of the path that vary; refused if they are not UTF-8.
#[derive(Debug)]
pub struct Named<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Named<T> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Answered<Self> {
        let Path(named) = Path::from_request_parts(parts, state)
            .await
            .map_err(|error| Refusal::not_understood(format!("the path: {}", error.body_text())))?;
        Ok(Named(named))
    }
}

/// Deadline for a request body.
pub const SLOW: Duration = Duration::from_secs(10);

/// A request body read from JSON; a malformed one is refused with an explanation.
#[derive(Debug)]
pub struct Asked<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Asked<T> {
    type Rejection = Refused;

    async fn from_request(request: Request, state: &S) -> Answered<Self> {
        let body = tokio::time::timeout(SLOW, Bytes::from_request(request, state)).await;
        let late = |_| Refusal::new(Kind::TooSlow, "the body did not arrive within 10 s");
        let bytes = body.map_err(late)?.map_err(|error| match error.status() {
            StatusCode::PAYLOAD_TOO_LARGE => {
                Refusal::new(Kind::TooLarge, "the body is larger than 64 KiB")
            }
            _ => Refusal::not_understood("the body is incomplete"),
        })?;
        Ok(Asked(requests::read::json(&bytes)?))
    }
}
