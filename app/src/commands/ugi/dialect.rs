//! The two engine protocols, as far as both sides of a conversation need them.

/// The protocol that another program speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The Universal Game Interface: every game, turns in our own notation.
    Ugi,
    /// The Universal Chess Interface: games that chess programs know, moves as `c1a2`.
    Uci,
}

impl Dialect {
    /// The first word of a conversation.
    pub fn hello(self) -> &'static str {
        match self {
            Dialect::Ugi => "ugi",
            Dialect::Uci => "uci",
        }
    }

    /// The last word of a greeting.
    pub fn welcome(self) -> &'static str {
        match self {
            Dialect::Ugi => "ugiok",
            Dialect::Uci => "uciok",
        }
    }

    pub fn new_game(self) -> &'static str {
        match self {
            Dialect::Ugi => "uginewgame",
            Dialect::Uci => "ucinewgame",
        }
    }

    /// A turn as the other side writes it.
    pub fn turn(self, text: &str) -> String {
        match self {
            Dialect::Ugi => text.to_owned(),
            Dialect::Uci => text.replace('-', ""),
        }
    }
}
