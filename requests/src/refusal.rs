//! Why a request is not granted.

use serde::Serialize;
use std::fmt::Display;

/// What kind of refusal it is; each transport has its own words for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The request cannot be read.
    NotUnderstood,
    /// It can be read, but the rules of the game or of the language forbid it.
    AgainstTheRules,
    /// It asks for more than is allowed here.
    TooMuch,
    /// What it asks for does not exist.
    NotThere,
    /// The engine must first be handed what it knows by heart; only a program for a page ever says so.
    NotYet,
}

/// A refusal: what was read, what was expected, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// One line for people.
    #[serde(rename = "error")]
    pub message: String,
    /// The field at fault, where it is one: `moves[1]`, `position.board`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// For programs that treat kinds differently.
    pub kind: Kind,
    /// The parts that the engine must be handed, with [`Kind::NotYet`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<&'static str>,
}

impl Refusal {
    /// A refusal that is about no field in particular.
    pub fn new(kind: Kind, message: impl Display) -> Refusal {
        Refusal { message: message.to_string(), field: None, kind, needs: Vec::new() }
    }

    /// The request cannot be read.
    pub fn not_understood(message: impl Display) -> Refusal {
        Refusal::new(Kind::NotUnderstood, message)
    }

    /// The request is understood, but nothing of the kind can be.
    pub fn against(message: impl Display) -> Refusal {
        Refusal::new(Kind::AgainstTheRules, message)
    }

    /// The request goes beyond what is allowed here.
    pub fn too_much(message: impl Display) -> Refusal {
        Refusal::new(Kind::TooMuch, message)
    }

    /// There is no such thing.
    pub fn not_there(message: impl Display) -> Refusal {
        Refusal::new(Kind::NotThere, message)
    }

    /// The engine lacks parts of what it knows by heart.
    pub fn needs(parts: Vec<&'static str>) -> Refusal {
        let message = format!("the engine has not been handed {} yet", parts.join(", "));
        Refusal { needs: parts, ..Refusal::new(Kind::NotYet, message) }
    }

    /// Names the field at fault.
    #[must_use]
    pub fn at(self, field: impl Display) -> Refusal {
        Refusal { field: Some(field.to_string()), ..self }
    }

    /// Puts an outer field before the one at fault.
    #[must_use]
    pub fn within(self, outer: &str) -> Refusal {
        let field =
            self.field.as_ref().map_or_else(|| outer.into(), |own| format!("{outer}.{own}"));
        self.at(field)
    }
}
