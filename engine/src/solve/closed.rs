//! Closed sets prove that a player cannot force a win.
//!
//! A set holds positions with that player, the attacker, to move. Whatever the attacker plays there, the
//! defender has a reply that leads back into the set, or that ends the game without a win for the attacker.
//! So the attacker never wins, however long the game lasts and whatever repeats. Neither ranks nor replies
//! are stored: the checker finds a reply itself.

use super::certificate::{Claim, twice};
use super::check::{Allowance, Checked};
use super::file::{self, Fault, Head, TITLES};
use rules::{Notation, Outcome, Player, Symmetric};
use std::collections::HashMap;

/// Closed sets against one player or both.
#[derive(Clone, Debug)]
pub struct Closed<G: Symmetric> {
    /// The position that is not won.
    pub start: G,
    /// Who cannot force a win: one player, or both.
    pub against: Vec<Player>,
    /// The positions, up to symmetry, with their line in the file. Those with player 1 to move are the set
    /// against player 1, the others the set against player 2.
    pub stored: HashMap<G, usize>,
}

impl<G: Symmetric + Notation> Closed<G> {
    /// The claim that the sets prove.
    pub fn claim(&self) -> Claim {
        match self.against[..] {
            [player] => Claim::NoWin(player),
            _ => Claim::Nobody,
        }
    }

    /// The certificate as text, the stored positions sorted.
    pub fn write(&self) -> String {
        let claim = match self.claim() {
            Claim::NoWin(player) => format!("claim player {player} does not win"),
            _ => "claim nobody wins".to_owned(),
        };
        let head = [
            TITLES[1].to_owned(),
            format!("game {}", G::INFO.id),
            format!("position {}", self.start.text()),
            claim,
            format!("stored {}", self.stored.len()),
        ];
        file::sealed(&head, self.stored.keys().map(G::text).collect())
    }

    pub(super) fn from_lines(
        head: &Head<'_>,
        start: G,
        lines: &[file::Line<'_>],
    ) -> Result<Self, Fault> {
        let against = match &head.claim.1 {
            Claim::NoWin(player) => vec![*player],
            _ => Player::BOTH.to_vec(),
        };
        let mut closed = Closed { start, against, stored: HashMap::new() };
        for &(line, text) in lines {
            closed.take(line, text).map_err(|message| Fault::new(line, message))?;
        }
        Ok(closed)
    }

    fn take(&mut self, line: usize, text: &str) -> Result<(), String> {
        let pos: G = file::position(text)?;
        if pos.options() != self.start.options() {
            return Err("its options are not those of the claim".into());
        }
        if pos.outcome().is_some() {
            return Err("the game is over there".into());
        }
        if !self.against.contains(&pos.turn()) {
            return Err(format!(
                "player {} is to move there, and the claim is not about that player",
                pos.turn()
            ));
        }
        match self.stored.insert(pos.canonical().0, line) {
            None => Ok(()),
            Some(first) => Err(twice(first)),
        }
    }

    fn holds(&self, pos: &G) -> bool {
        self.stored.contains_key(&pos.canonical().0)
    }

    /// Accepts the sets only if they are closed and each covers the start. Calls `news` with the number of
    /// stored positions checked so far.
    pub fn verify(&self, news: &mut dyn FnMut(usize)) -> Result<Checked, Fault> {
        let mut seen = Checked::default();
        let mut allowance = Allowance::new(self.stored.len());
        for attacker in &self.against {
            let covered = self.covered(&self.start, *attacker, &mut seen);
            covered.map_err(|gap| Fault::new(4, gap))?;
        }
        let mut all: Vec<_> = self.stored.iter().collect();
        all.sort_unstable_by_key(|(_, line)| **line);
        for (i, (pos, line)) in all.into_iter().enumerate() {
            let before = seen.positions;
            let attacked = self.attacked(pos, pos.turn(), &mut seen);
            attacked.map_err(|gap| Fault::new(*line, gap))?;
            allowance.spend(seen.positions - before);
            if allowance.is_spent() {
                return Err(Fault::new(*line, allowance.refusal()));
            }
            seen.stored += 1;
            if i % 64 == 0 {
                news(i);
            }
        }
        Ok(seen)
    }

    /// Checks the start: it must be over and not won, in the set, or have a reply that leads into it.
    fn covered(&self, pos: &G, attacker: Player, seen: &mut Checked) -> Result<(), String> {
        match pos.outcome() {
            Some(outcome) if outcome != Outcome::Win(attacker) => Ok(()),
            Some(_) => Err(format!("player {attacker} has won: `{}`", pos.text())),
            None if pos.turn() == attacker && self.holds(pos) => Ok(()),
            None if pos.turn() == attacker => Err(format!("it is not stored: `{}`", pos.text())),
            None if self.answered(pos, attacker, seen) => Ok(()),
            None => Err(format!("there is no reply in `{}`", pos.text())),
        }
    }

    /// Checks that every turn of the attacker has a reply.
    fn attacked(&self, pos: &G, attacker: Player, seen: &mut Checked) -> Result<(), String> {
        for m in pos.moves() {
            let next = pos.after(m);
            seen.positions += 1;
            match next.outcome() {
                Some(outcome) if outcome == Outcome::Win(attacker) => {
                    return Err(format!("player {attacker} wins with {m}: `{}`", next.text()));
                }
                Some(_) => {}
                None if next.turn() == attacker => self.attacked(&next, attacker, seen)?,
                None => {
                    seen.replies += 1;
                    if !self.answered(&next, attacker, seen) {
                        return Err(format!("there is no reply to {m}: `{}`", next.text()));
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether the defender, to move, has a turn that leads into the set or ends the game without a win for
    /// the attacker.
    fn answered(&self, pos: &G, attacker: Player, seen: &mut Checked) -> bool {
        pos.moves().into_iter().any(|m| self.answers(&pos.after(m), attacker, seen))
    }

    /// Whether the defender's move has led there.
    fn answers(&self, next: &G, attacker: Player, seen: &mut Checked) -> bool {
        seen.positions += 1;
        match next.outcome() {
            Some(outcome) => outcome != Outcome::Win(attacker),
            None if next.turn() == attacker => self.holds(next),
            None => self.answered(next, attacker, seen),
        }
    }

    /// A turn of the defender that stays in the sets.
    pub fn reply(&self, pos: &G) -> Option<G::Move> {
        let attacker = pos.turn().other();
        self.against.contains(&attacker).then_some(())?;
        let mut seen = Checked::default();
        pos.moves().into_iter().find(|m| self.answers(&pos.after(*m), attacker, &mut seen))
    }
}
