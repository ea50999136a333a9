//! Why something was refused: one type for the referee, requests and all transports.

use serde::Serialize;
use serde::ser::SerializeMap;
use std::fmt::Display;

/// The kind of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It cannot be parsed.
    NotUnderstood,
    /// A seat's token is missing or does not play any seat.
    NoToken,
    /// Not allowed.
    Forbidden,
    /// There is no such thing.
    NotThere,
    /// It exists, but does not support this method.
    WrongMethod,
    /// Not possible in the current state of the game.
    Conflict,
    /// It can be parsed, but violates the rules of the game or of the API.
    AgainstTheRules,
    /// It asks for more than is allowed here.
    TooMuch,
    /// The request body is too large.
    TooLarge,
    /// The request body did not arrive in time.
    TooSlow,
    /// The sender has exceeded a rate limit.
    TooMany {
        /// After how many seconds a retry may succeed.
        retry_after: u64,
    },
    /// Temporarily: the server is stopping, or the store failed.
    Unavailable,
    /// The engine needs data files first; only the WebAssembly build returns this.
    NotYet,
    /// An internal error.
    Broken,
}

impl Kind {
    /// The kind as the API names it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::NotUnderstood => "not-understood",
            Kind::NoToken => "no-token",
            Kind::Forbidden => "forbidden",
            Kind::NotThere => "not-there",
            Kind::WrongMethod => "wrong-method",
            Kind::Conflict => "conflict",
            Kind::AgainstTheRules => "against-the-rules",
            Kind::TooMuch => "too-much",
            Kind::TooLarge => "too-large",
            Kind::TooSlow => "too-slow",
            Kind::TooMany { .. } => "too-many",
            Kind::Unavailable => "unavailable",
            Kind::NotYet => "not-yet",
            Kind::Broken => "broken",
        }
    }

    /// The HTTP status. It is also sent over sockets, so that clients can treat both alike.
    pub fn status(self) -> u16 {
        match self {
            Kind::NotUnderstood => 400,
            Kind::NoToken => 401,
            Kind::Forbidden => 403,
            Kind::NotThere => 404,
            Kind::WrongMethod => 405,
            Kind::TooSlow => 408,
            Kind::Conflict => 409,
            Kind::TooLarge => 413,
            Kind::AgainstTheRules | Kind::TooMuch => 422,
            Kind::TooMany { .. } => 429,
            Kind::Broken => 500,
            Kind::Unavailable | Kind::NotYet => 503,
        }
    }
}

/// A refusal: what was read, what was expected, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The kind, for programs.
    pub kind: Kind,
    /// One line for people.
    pub message: String,
    /// The field at fault, if there is one: `moves[1]`, `position.board`.
    pub field: Option<String>,
    /// The data files that the engine needs, with [`Kind::NotYet`].
    pub needs: Vec<&'static str>,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident => $kind:ident,)*) => {
        $($(#[$doc])*
        pub fn $name(message: impl Display) -> Refusal {
            Refusal::new(Kind::$kind, message)
        })*
    };
}

impl Refusal {
    /// A refusal that does not concern any particular field.
    pub fn new(kind: Kind, message: impl Display) -> Refusal {
        Refusal { kind, message: message.to_string(), field: None, needs: Vec::new() }
    }

    kinds! {
        /// It cannot be parsed.
        not_understood => NotUnderstood,
        /// A token is missing or wrong.
        no_token => NoToken,
        /// Not allowed.
        forbidden => Forbidden,
        /// There is no such thing.
        not_there => NotThere,
        /// Not possible in the current state of the game.
        conflict => Conflict,
        /// It can be parsed, but violates the rules.
        against => AgainstTheRules,
        /// It asks for more than is allowed here.
        too_much => TooMuch,
        /// Temporarily unavailable.
        unavailable => Unavailable,
        /// An internal error.
        broken => Broken,
    }

    /// The sender has exceeded a rate limit.
    pub fn too_many(message: impl Display, retry_after: u64) -> Refusal {
        Refusal::new(Kind::TooMany { retry_after }, message)
    }

    /// The engine needs data files first.
    pub fn needs(parts: Vec<&'static str>) -> Refusal {
        let message = format!("the engine has not been handed {} yet", parts.join(", "));
        Refusal { needs: parts, ..Refusal::new(Kind::NotYet, message) }
    }

    /// Names the field at fault.
    #[must_use]
    pub fn at(self, field: impl Display) -> Refusal {
        Refusal { field: Some(field.to_string()), ..self }
    }

    /// Prefixes the field at fault with an outer one.
    #[must_use]
    pub fn within(self, outer: &str) -> Refusal {
        let field =
            self.field.as_ref().map_or_else(|| outer.into(), |own| format!("{outer}.{own}"));
        self.at(field)
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.kind.status()
    }
}

impl Serialize for Refusal {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("error", &self.message)?;
        if let Some(field) = &self.field {
            map.serialize_entry("field", field)?;
        }
        map.serialize_entry("kind", self.kind.name())?;
        if !self.needs.is_empty() {
            map.serialize_entry("needs", &self.needs)?;
        }
        map.end()
    }
}
