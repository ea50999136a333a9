//! Refusals: whatever is not done is answered in JSON, with a reason.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use requests::Kind;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fmt::Display;
use std::time::Duration;

/// Why a request is not granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What kind of refusal it is.
    pub status: StatusCode,
    /// What was read, and what was expected or what to do.
    pub error: String,
    /// The field at fault, if it is one.
    pub field: Option<String>,
    /// After how many seconds another try may succeed.
    pub retry_after: Option<u64>,
}

impl Refusal {
    /// A refusal with a reason.
    pub fn new(status: StatusCode, error: impl Display) -> Refusal {
        Refusal { status, error: error.to_string(), field: None, retry_after: None }
    }

    /// 400: not understood.
    pub fn bad(error: impl Display) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, error)
    }

    /// 401: a token is missing or wrong.
    pub fn no_token(error: impl Display) -> Refusal {
        Refusal::new(StatusCode::UNAUTHORIZED, error)
    }

    /// 403: not allowed, whoever asks.
    pub fn forbidden(error: impl Display) -> Refusal {
        Refusal::new(StatusCode::FORBIDDEN, error)
    }

    /// 404: no such thing.
    pub fn missing(error: impl Display) -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, error)
    }

    /// 409: not in this state.
    pub fn conflict(error: impl Display) -> Refusal {
        Refusal::new(StatusCode::CONFLICT, error)
    }

    /// 422: understood, but against the rules.
    pub fn against(error: impl Display) -> Refusal {
        Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, error)
    }

    /// 429: too many.
    pub fn too_many(error: impl Display, retry_after: u64) -> Refusal {
        let retry_after = Some(retry_after);
        Refusal { retry_after, ..Refusal::new(StatusCode::TOO_MANY_REQUESTS, error) }
    }

    /// 500: a fault of ours.
    pub fn broken() -> Refusal {
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "an error inside; it has been logged")
    }

    /// 503: not now.
    pub fn unavailable(error: impl Display) -> Refusal {
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, error)
    }

    /// Names the field at fault.
    #[must_use]
    pub fn at(self, field: impl Display) -> Refusal {
        Refusal { field: Some(field.to_string()), ..self }
    }

    /// The refusal as JSON.
    pub fn json(&self) -> Value {
        let mut value = json!({ "error": self.error });
        if let Some(field) = &self.field {
            value["field"] = field.as_str().into();
        }
        value
    }
}

impl From<requests::Refusal> for Refusal {
    fn from(refusal: requests::Refusal) -> Refusal {
        let status = match refusal.kind {
            Kind::NotUnderstood => StatusCode::BAD_REQUEST,
            Kind::NotThere => StatusCode::NOT_FOUND,
            Kind::AgainstTheRules | Kind::TooMuch => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Refusal { field: refusal.field, ..Refusal::new(status, refusal.message) }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.json())).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// How long a body may take to arrive.
const SLOW: Duration = Duration::from_secs(10);

/// The body of a request as JSON, or the refusal that names what is wrong with it.
#[derive(Debug)]
pub struct Asked<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Asked<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        let body = tokio::time::timeout(SLOW, Bytes::from_request(request, state)).await;
        let body = body.map_err(|_| {
            Refusal::new(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time")
        })?;
        let bytes = body.map_err(|error| {
            let status = error.status();
            match status {
                StatusCode::PAYLOAD_TOO_LARGE => {
                    Refusal::new(status, "the body is larger than 64 KiB")
                }
                _ => Refusal::bad("the body did not arrive whole"),
            }
        })?;
        read(&bytes).map(Asked)
    }
}

/// Reads JSON, or says what is wrong with it and where.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refusal> {
    Ok(requests::read::json(bytes)?)
}
