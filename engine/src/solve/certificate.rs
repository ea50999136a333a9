//! A certificate is a self-contained proof: the game, the claim, and a move and a rank for each stored
//! position.
//!
//! `docs/certificates.md` describes the format. A certificate is text, perhaps compressed; every block
//! of lines ends with its checksum, so that damage can be located.

use super::closed::Closed;
use super::file::{self, Head, TITLES};
pub use super::file::{Fault, MOST_BYTES, MOST_STORED, compress, crc, decompress, game_of};
use rules::game::shorten;
use rules::{Notation, Player, Symmetric};
use std::collections::HashMap;

/// What a certificate claims about its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// A player wins within a number of their own moves.
    Wins {
        /// Who wins.
        player: Player,
        /// The most moves it takes.
        within: u32,
    },
    /// This player cannot force a win.
    NoWin(Player),
    /// Neither player can force a win.
    Nobody,
}

/// The moves that the winner tries in a position that is neither stored nor won at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Try {
    /// The suffix of such a move's text.
    pub ending: String,
    /// Within how many moves of the winner a try must win.
    pub within: u32,
}

/// A stored position's move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored<M> {
    /// The winner's move.
    pub m: M,
    /// Upper bound of the win distance, in moves of the winner.
    pub rank: u32,
    /// Its line in the file.
    pub line: usize,
}

/// A claim and what proves it.
#[derive(Clone, Debug)]
pub struct Certificate<G: Symmetric> {
    /// The position that is won.
    pub start: G,
    /// Who wins it.
    pub winner: Player,
    /// The most moves of the winner that it takes.
    pub within: u32,
    /// What to try in positions that are not stored.
    pub tries: Option<Try>,
    /// The winner's move in each position that is not won at sight, up to symmetry.
    pub stored: HashMap<G, Stored<G::Move>>,
}

impl<G: Symmetric + Notation> Certificate<G> {
    /// The certificate as text, the stored positions sorted.
    pub fn write(&self) -> String {
        let mut head = vec![
            TITLES[0].to_owned(),
            format!("game {}", G::INFO.id),
            format!("position {}", self.start.text()),
            format!("claim player {} wins within {} moves", self.winner, self.within),
        ];
        if let Some(Try { ending, within }) = &self.tries {
            head.push(format!("try {ending} within {within} moves"));
        }
        head.push(format!("stored {}", self.stored.len()));
        let line = |(pos, stored): (&G, &Stored<G::Move>)| {
            format!("{} {} {}", pos.text(), stored.m, stored.rank)
        };
        file::sealed(&head, self.stored.iter().map(line).collect())
    }

    /// Parses a certificate of a win without checking its claim.
    pub fn read(text: &str) -> Result<Self, Fault> {
        match Proof::read(text)? {
            Proof::Win(certificate) => Ok(certificate),
            Proof::Closed(_) => Err(Fault::new(4, "expected the claim that a player wins")),
        }
    }

    fn from_lines(head: Head<'_>, start: G, lines: &[file::Line<'_>]) -> Result<Self, Fault> {
        let (line, Claim::Wins { player, within }) = head.claim else {
            return Err(Fault::new(head.claim.0, "expected the claim that a player wins"));
        };
        if within == 0 && start.outcome().is_none() {
            return Err(Fault::new(line, "a game that is not over takes at least one move to win"));
        }
        let tries = head.tries.map(|(ending, within)| Try { ending, within });
        let stored = HashMap::new();
        let mut certificate = Certificate { start, winner: player, within, tries, stored };
        for &(line, text) in lines {
            certificate.take(line, text).map_err(|message| Fault::new(line, message))?;
        }
        Ok(certificate)
    }

    /// Parses a stored position: its text, the player to move, the move and the rank.
    fn take(&mut self, line: usize, text: &str) -> Result<(), String> {
        let parts = text
            .rsplit_once(' ')
            .and_then(|(rest, rank)| rest.rsplit_once(' ').map(|(pos, m)| (pos, m, rank)));
        let Some((pos, m, rank)) = parts else {
            return Err(format!("`{}` is not a position with a move and a rank", shorten(text)));
        };
        let pos: G = file::position(pos)?;
        let m = file::written_move::<G>(m)?;
        let rank = file::moves(rank, file::MOST_MOVES)?;
        if rank == 0 {
            return Err("a rank is 1 or more: the stored move counts".into());
        }
        if pos.options() != self.start.options() {
            return Err("its options are not those of the claim".into());
        }
        if pos.turn() != self.winner || pos.outcome().is_some() {
            return Err("it is not the winner's turn there".into());
        }
        if !pos.is_legal(m) {
            return Err(format!("`{m}` is not legal: {}", pos.objection(m)));
        }
        let (canonical, which) = pos.canonical();
        let stored = Stored { m: pos.image_of(m, which), rank, line };
        match self.stored.insert(canonical, stored) {
            None => Ok(()),
            Some(first) => Err(twice(first.line)),
        }
    }

    /// The move stored for a position or one of its images, and its rank.
    pub fn advice(&self, pos: &G) -> Option<(G::Move, u32)> {
        let (canonical, which) = pos.canonical();
        let stored = self.stored.get(&canonical)?;
        Some((pos.move_of_image(stored.m, which)?, stored.rank))
    }
}

/// The error for a position that is stored twice, itself or as an image.
pub(super) fn twice(line: usize) -> String {
    format!("the position or an image of it is already in line {line}")
}

/// A certificate of either kind.
#[derive(Clone, Debug)]
pub enum Proof<G: Symmetric> {
    /// A player wins.
    Win(Certificate<G>),
    /// One player, or neither, cannot force a win.
    Closed(Closed<G>),
}

impl<G: Symmetric + Notation> Proof<G> {
    /// Parses a certificate without checking its claim.
    pub fn read(text: &str) -> Result<Self, Fault> {
        let blocks = file::unseal(text)?;
        let Some((first, rest)) = blocks.split_first() else {
            return Err(Fault::new(1, "there is no head"));
        };
        let head = Head::read(first)?;
        head.expect_game(G::INFO.id)?;
        let at = |message| Fault::new(head.position.0, message);
        let start: G = file::position(head.position.1).map_err(at)?;
        let lines = rest.concat();
        if lines.len() != head.stored.1 {
            let (said, found) = (head.stored.1, lines.len());
            let message = format!("{said} stored positions are announced, {found} follow");
            return Err(Fault::new(head.stored.0, message));
        }
        Ok(match head.claim.1 {
            Claim::Wins { .. } => Proof::Win(Certificate::from_lines(head, start, &lines)?),
            _ => Proof::Closed(Closed::from_lines(&head, start, &lines)?),
        })
    }
}
