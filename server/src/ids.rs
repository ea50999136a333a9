//! Names of games and secrets of seats.

use crate::error::Refusal;
use rules::game::shorten;
use sha2::{Digest, Sha256};

const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The length of a game's id.
pub const ID_LENGTH: usize = 8;

/// The length of a token: 22 letters of 62 are 130 bits.
pub const TOKEN_LENGTH: usize = 22;

/// What is kept of a token.
pub type Hash = [u8; 32];

/// A new id for a game.
pub fn new_id() -> Result<String, Refusal> {
    letters(ID_LENGTH)
}

/// A new secret for a seat.
pub fn new_token() -> Result<String, Refusal> {
    letters(TOKEN_LENGTH)
}

/// What the store keeps of a token.
pub fn hash(token: &str) -> Hash {
    Sha256::digest(token.as_bytes()).into()
}

/// A number that nobody can foresee, for players that draw their turns.
pub fn seed() -> u64 {
    getrandom::u64().unwrap_or_default()
}

/// Refuses what cannot be the id of a game before the store is asked.
pub fn check_id(id: &str) -> Result<(), Refusal> {
    if id.len() == ID_LENGTH && id.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Ok(());
    }
    Err(no_such_game(id))
}

/// The refusal for an id that no game has.
pub fn no_such_game(id: &str) -> Refusal {
    Refusal::missing(format!("there is no game `{}`", shorten(id)))
}

/// Letters from the system's generator, all with the same chance.
fn letters(count: usize) -> Result<String, Refusal> {
    let mut text = String::with_capacity(count);
    while text.len() < count {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)
            .map_err(|_| Refusal::unavailable("the system gives no random numbers"))?;
        // Six bits have 64 values: the two that are no letter are thrown away.
        let fresh = bytes.iter().filter_map(|byte| LETTERS.get(usize::from(byte & 63)));
        text.extend(fresh.map(|letter| char::from(*letter)).take(count - text.len()));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_tokens_are_letters_and_digits_and_never_the_same() {
        let mut seen = std::collections::HashSet::new();
        for _ in 0..1_000 {
            let (id, token) = (new_id().unwrap(), new_token().unwrap());
            assert!(check_id(&id).is_ok());
            assert_eq!(token.len(), 22);
            assert!(token.bytes().all(|b| b.is_ascii_alphanumeric()));
            assert!(seen.insert(id) && seen.insert(token));
        }
    }

    #[test]
    fn what_is_no_id_is_refused() {
        for id in ["", "short", "ninechars", "äöüß", "../../..", "a b c d "] {
            assert!(check_id(id).is_err(), "{id}");
        }
    }
}
