//! Lookup in certificates that come with the program.
//!
//! Tests check them. Their lines are sorted and every position is its canonical image, so the text itself is
//! searched, without building a table.

use flate2::bufread::GzDecoder;
use rules::{Player, Symmetric};
use std::io::Read;

/// A certificate as the program wrote it.
#[derive(Debug)]
pub struct Shipped {
    /// The claim's position.
    pub position: &'static str,
    /// What is claimed about it.
    pub claim: &'static str,
    /// What to try in positions that are not stored: the suffix of the moves' text, and the number of moves.
    pub tries: Option<(&'static str, u32)>,
    /// The lines of stored positions.
    pub stored: Vec<&'static str>,
}

impl Shipped {
    /// Parses a file that stays in memory for good.
    pub(crate) fn read(packed: &[u8]) -> Option<Shipped> {
        let mut text = String::new();
        GzDecoder::new(packed).read_to_string(&mut text).ok()?;
        let text: &'static str = text.leak();
        let mut lines = text.lines().filter(|line| !line.starts_with('='));
        let mut field = |name| lines.find_map(|line| line.strip_prefix(name));
        let (position, claim) = (field("position ")?, field("claim ")?);
        let tries = lines.next()?.strip_prefix("try ").and_then(|words| {
            let (ending, rest) = words.split_once(" within ")?;
            Some((ending, rest.strip_suffix(" moves")?.parse().ok()?))
        });
        if tries.is_some() {
            lines.next();
        }
        Some(Shipped {
            position,
            claim,
            tries,
            stored: lines.filter(|line| *line != "end").collect(),
        })
    }

    /// The winner, if the claim is a win.
    pub fn winner(&self) -> Option<Player> {
        let (who, _) = self.claim.strip_prefix("player ")?.split_once(" wins")?;
        Some(if who == "1" { Player::One } else { Player::Two })
    }

    /// What follows a stored position on its line: move and rank, or an empty text.
    pub fn find(&self, position: &str) -> Option<&'static str> {
        let first = self.stored.partition_point(|line| *line < position);
        let rest = self.stored.get(first)?.strip_prefix(position)?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') }
    }

    /// The move stored for the canonical image of a position, given as text and number, and its rank.
    pub fn advice<G: Symmetric>(
        &self,
        pos: &G,
        canonical: &str,
        which: usize,
    ) -> Option<(G::Move, u32)> {
        let (m, rank) = self.find(canonical)?.split_once(' ')?;
        Some((pos.move_of_image(m.parse().ok()?, which)?, rank.parse().ok()?))
    }
}
