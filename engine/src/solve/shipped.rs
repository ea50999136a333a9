//! Lookup in certificates that come with the program.
//!
//! Tests check them. Their lines are sorted and every position is its canonical image, so the text itself is
//! searched, without building a table.

use flate2::bufread::GzDecoder;
use rules::{Player, Symmetric};
use std::io::{BufRead, BufReader};

/// A certificate as the program wrote it.
#[derive(Debug)]
pub struct Shipped {
    /// The claim's position.
    pub position: String,
    /// What is claimed about it.
    pub claim: String,
    /// What to try in positions that are not stored: the suffix of the moves' text, and the number of moves.
    pub tries: Option<(String, u32)>,
    /// The number of stored positions.
    pub count: usize,
    /// Their lines. Several certificates are held at once: offsets of the lines would take half as much again.
    stored: String,
}

impl Shipped {
    /// Parses a file.
    pub(crate) fn read(packed: &[u8]) -> Option<Shipped> {
        let lines = BufReader::new(GzDecoder::new(packed)).lines().map_while(Result::ok);
        let mut lines = lines.filter(|line| !line.starts_with('='));
        let mut field = |name| lines.find_map(|line| Some(line.strip_prefix(name)?.to_owned()));
        let (position, claim) = (field("position ")?, field("claim ")?);
        let mut line = lines.next()?;
        let tries = line.strip_prefix("try ").and_then(|words| {
            let (ending, rest) = words.split_once(" within ")?;
            Some((ending.to_owned(), rest.strip_suffix(" moves")?.parse().ok()?))
        });
        if tries.is_some() {
            line = lines.next()?;
        }
        let count = line.strip_prefix("stored ")?.parse().ok()?;
        // A gzip file ends with the size of what it unpacks to.
        let size = u32::from_le_bytes(*packed.last_chunk()?);
        let mut stored = String::with_capacity(size as usize);
        for line in lines.filter(|line| line != "end") {
            stored.push_str(&line);
            stored.push('\n');
        }
        stored.shrink_to_fit();
        Some(Shipped { position, claim, tries, count, stored })
    }

    /// The lines of stored positions, in order.
    pub fn stored(&self) -> impl Iterator<Item = &str> {
        self.stored.lines()
    }

    /// The winner, if the claim is a win.
    pub fn winner(&self) -> Option<Player> {
        let (who, _) = self.claim.strip_prefix("player ")?.split_once(" wins")?;
        Some(if who == "1" { Player::One } else { Player::Two })
    }

    /// What follows a stored position on its line: move and rank, or an empty text.
    pub fn find(&self, position: &str) -> Option<&str> {
        let (mut low, mut high) = (0, self.stored.len());
        while low < high {
            let before = self.stored.get(low..low.midpoint(high))?;
            let start = before.rfind('\n').map_or(low, |at| low + at + 1);
            let (line, _) = self.stored.get(start..)?.split_once('\n')?;
            if line < position {
                low = start + line.len() + 1;
            } else {
                high = start;
            }
        }
        let (line, _) = self.stored.get(low..)?.split_once('\n')?;
        let rest = line.strip_prefix(position)?;
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
