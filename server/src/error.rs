//! Refusals: whatever is not done is answered in JSON, with a reason.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fmt::Display;
use std::time::Duration;

/// What kind of refusal it is. Only this module knows which status of HTTP that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The request is not what was expected.
    NotUnderstood,
    /// A seat's token is missing, or plays no seat.
    NoToken,
    /// Not allowed, whoever asks.
    Forbidden,
    /// There is no such thing.
    Missing,
    /// There is, but it cannot be asked for in this way.
    WrongMethod,
    /// Not in the present state of the game.
    Conflict,
    /// Understood, but against the rules.
    AgainstTheRules,
    /// Understood, but beyond what a stranger may ask for.
    TooMuch,
    /// More bytes than are read.
    TooLarge,
    /// It did not arrive in time.
    TooSlow,
    /// More than one sender may ask for.
    TooMany {
        /// After how many seconds another try may succeed.
        retry_after: u64,
    },
    /// Not now: the server stops, or the store failed.
    Unavailable,
    /// An error inside.
    Broken,
}

impl Kind {
    fn status(self) -> StatusCode {
        match self {
            Kind::NotUnderstood => StatusCode::BAD_REQUEST,
            Kind::NoToken => StatusCode::UNAUTHORIZED,
            Kind::Forbidden => StatusCode::FORBIDDEN,
            Kind::Missing => StatusCode::NOT_FOUND,
            Kind::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
            Kind::Conflict => StatusCode::CONFLICT,
            Kind::AgainstTheRules | Kind::TooMuch => StatusCode::UNPROCESSABLE_ENTITY,
            Kind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Kind::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Kind::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
            Kind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Kind::Broken => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The kind as programs read it.
    fn name(self) -> &'static str {
        match self {
            Kind::NotUnderstood => "not-understood",
            Kind::NoToken => "no-token",
            Kind::Forbidden => "forbidden",
            Kind::Missing => "not-there",
            Kind::WrongMethod => "wrong-method",
            Kind::Conflict => "conflict",
            Kind::AgainstTheRules => "against-the-rules",
            Kind::TooMuch => "too-much",
            Kind::TooLarge => "too-large",
            Kind::TooSlow => "too-slow",
            Kind::TooMany { .. } => "too-many",
            Kind::Unavailable => "unavailable",
            Kind::Broken => "broken",
        }
    }
}

/// Why a request is not granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What kind of refusal it is.
    pub kind: Kind,
    /// What was read, and what was expected or what to do.
    pub error: String,
    /// The field at fault, if it is one.
    pub field: Option<String>,
}

impl Refusal {
    /// A refusal with a reason.
    pub fn new(kind: Kind, error: impl Display) -> Refusal {
        Refusal { kind, error: error.to_string(), field: None }
    }

    /// It was not understood.
    pub fn bad(error: impl Display) -> Refusal {
        Refusal::new(Kind::NotUnderstood, error)
    }

    /// A token is missing or wrong.
    pub fn no_token(error: impl Display) -> Refusal {
        Refusal::new(Kind::NoToken, error)
    }

    /// It is not allowed, whoever asks.
    pub fn forbidden(error: impl Display) -> Refusal {
        Refusal::new(Kind::Forbidden, error)
    }

    /// There is no such thing.
    pub fn missing(error: impl Display) -> Refusal {
        Refusal::new(Kind::Missing, error)
    }

    /// It cannot be done in this state of the game.
    pub fn conflict(error: impl Display) -> Refusal {
        Refusal::new(Kind::Conflict, error)
    }

    /// It was understood, but is against the rules.
    pub fn against(error: impl Display) -> Refusal {
        Refusal::new(Kind::AgainstTheRules, error)
    }

    /// The sender asks for too much; another try may succeed after some seconds.
    pub fn too_many(error: impl Display, retry_after: u64) -> Refusal {
        Refusal::new(Kind::TooMany { retry_after }, error)
    }

    /// It cannot be done now.
    pub fn unavailable(error: impl Display) -> Refusal {
        Refusal::new(Kind::Unavailable, error)
    }

    /// Something went wrong that nobody asked for.
    pub fn broken(error: impl Display) -> Refusal {
        Refusal::new(Kind::Broken, error)
    }

    /// Names the field at fault.
    #[must_use]
    pub fn at(self, field: impl Display) -> Refusal {
        Refusal { field: Some(field.to_string()), ..self }
    }

    /// The status that says this in HTTP; sockets tell it, too.
    pub fn status(&self) -> u16 {
        self.kind.status().as_u16()
    }

    /// The refusal as JSON.
    pub fn json(&self) -> Value {
        let mut value = json!({ "error": self.error });
        if let Some(field) = &self.field {
            value["field"] = field.as_str().into();
        }
        value["kind"] = self.kind.name().into();
        value
    }
}

impl From<requests::Refusal> for Refusal {
    fn from(refusal: requests::Refusal) -> Refusal {
        let kind = match refusal.kind {
            requests::Kind::NotUnderstood => Kind::NotUnderstood,
            requests::Kind::NotThere => Kind::Missing,
            requests::Kind::AgainstTheRules => Kind::AgainstTheRules,
            requests::Kind::TooMuch => Kind::TooMuch,
            requests::Kind::NotYet => Kind::Unavailable,
        };
        Refusal { field: refusal.field, ..Refusal::new(kind, refusal.message) }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = (self.kind.status(), Json(self.json())).into_response();
        if let Kind::TooMany { retry_after } = self.kind {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(retry_after));
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
        let late = |_| Refusal::new(Kind::TooSlow, "the body did not arrive within 10 s");
        let bytes = body.map_err(late)?.map_err(|error| match error.status() {
            StatusCode::PAYLOAD_TOO_LARGE => {
                Refusal::new(Kind::TooLarge, "the body is larger than 64 KiB")
            }
            _ => Refusal::bad("the body did not arrive whole"),
        })?;
        read(&bytes).map(Asked)
    }
}

/// Reads JSON, or says what is wrong with it and where.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refusal> {
    Ok(requests::read::json(bytes)?)
}
