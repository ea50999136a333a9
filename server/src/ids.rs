//! Game ids and seat tokens.

use rules::game::shorten;
use sha2::{Digest, Sha256};
use table::Refusal;

const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

pub const ID_LENGTH: usize = 8;

/// 22 characters out of 62 give 130 bits.
pub const TOKEN_LENGTH: usize = 22;

/// The SHA-256 hash of a token, which is all that is stored of it.
pub type Hash = [u8; 32];

/// A source of random bytes; a simulation provides its own.
pub trait Chance: Send + Sync {
    /// Fills the buffer; returns whether that worked.
    fn fill(&self, bytes: &mut [u8]) -> bool;

    /// An unpredictable seed for players that choose at random.
    fn seed(&self) -> u64 {
        let mut bytes = [0; 8];
        self.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }
}

/// The system's generator.
#[derive(Debug)]
pub struct System;

impl Chance for System {
    fn fill(&self, bytes: &mut [u8]) -> bool {
        getrandom::fill(bytes).is_ok()
    }
}

pub fn new_id(chance: &dyn Chance) -> Result<String, Refusal> {
    letters(chance, ID_LENGTH)
}

pub fn new_token(chance: &dyn Chance) -> Result<String, Refusal> {
    letters(chance, TOKEN_LENGTH)
}

pub fn hash(token: &str) -> Hash {
    Sha256::digest(token.as_bytes()).into()
}

/// Refuses malformed ids before the store is asked.
pub fn check_id(id: &str) -> Result<(), Refusal> {
    if id.len() == ID_LENGTH && id.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Ok(());
    }
    Err(no_such_game(id))
}

pub fn no_such_game(id: &str) -> Refusal {
    Refusal::not_there(format!("there is no game `{}`", shorten(id)))
}

/// Uniformly random characters.
fn letters(chance: &dyn Chance, count: usize) -> Result<String, Refusal> {
    let mut text = String::with_capacity(count);
    while text.len() < count {
        let mut bytes = [0; 32];
        if !chance.fill(&mut bytes) {
            return Err(Refusal::unavailable("the system's random number generator failed"));
        }
        // Six bits have 64 values; the two that are not alphanumeric are rejected.
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
            let (id, token) = (new_id(&System).unwrap(), new_token(&System).unwrap());
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
