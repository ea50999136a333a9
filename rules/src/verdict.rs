//! How a game ended, as records write it.

use crate::game::{Outcome, Player, shorten};
use std::fmt;
use std::str::FromStr;

/// The result of a game as it is written down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// `1-0` or `0-1`.
    Win(Player),
    /// `1/2-1/2`.
    Draw,
    /// `*`: the game is not over.
    #[default]
    Open,
}

/// A text that is not a result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a result, expected 1-0, 0-1, 1/2-1/2 or *")]
pub struct ParseVerdictError(String);

impl FromStr for Verdict {
    type Err = ParseVerdictError;

    fn from_str(text: &str) -> Result<Verdict, ParseVerdictError> {
        match text {
            "1-0" => Ok(Verdict::Win(Player::One)),
            "0-1" => Ok(Verdict::Win(Player::Two)),
            "1/2-1/2" => Ok(Verdict::Draw),
            "*" => Ok(Verdict::Open),
            other => Err(ParseVerdictError(shorten(other))),
        }
    }
}

impl Verdict {
    /// The outcome, unless the game is not over.
    pub const fn outcome(self) -> Option<Outcome> {
        match self {
            Verdict::Win(player) => Some(Outcome::Win(player)),
            Verdict::Draw => Some(Outcome::Draw),
            Verdict::Open => None,
        }
    }
}

impl From<Option<Outcome>> for Verdict {
    fn from(outcome: Option<Outcome>) -> Verdict {
        match outcome {
            None => Verdict::Open,
            Some(Outcome::Draw) => Verdict::Draw,
            Some(Outcome::Win(player)) => Verdict::Win(player),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Win(Player::One) => "1-0",
            Verdict::Win(Player::Two) => "0-1",
            Verdict::Draw => "1/2-1/2",
            Verdict::Open => "*",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_reads_back_and_anything_else_is_refused() {
        for verdict in
            [Verdict::Win(Player::One), Verdict::Win(Player::Two), Verdict::Draw, Verdict::Open]
        {
            assert_eq!(verdict.to_string().parse(), Ok(verdict));
            assert_eq!(Verdict::from(verdict.outcome()), verdict);
        }
        let refused = |text: &str| text.parse::<Verdict>().unwrap_err().to_string();
        assert_eq!(refused("2-0"), "`2-0` is not a result, expected 1-0, 0-1, 1/2-1/2 or *");
        assert!(refused(&"x".repeat(9_999)).len() < 200);
    }

    #[test]
    fn an_outcome_is_a_player_or_a_draw_in_every_format() {
        let outcomes = [
            None,
            Some(Outcome::Win(Player::One)),
            Some(Outcome::Win(Player::Two)),
            Some(Outcome::Draw),
        ];
        assert_eq!(serde_json::json!(outcomes).to_string(), r#"[null,1,2,"draw"]"#);
    }
}
