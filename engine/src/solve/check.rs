//! Checks a certificate by trying every reply to every stored position. Uses the rules only, nothing of the
//! search.

use super::certificate::{Certificate, Fault, Stored};
use rules::{Notation, Outcome, Symmetric};
use std::borrow::Cow;
use std::collections::HashMap;

/// Statistics of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// How many positions the certificate stores.
    pub stored: usize,
    /// How many replies the loser has to them.
    pub replies: u64,
    /// All positions visited, those of tries included.
    pub positions: u64,
}

/// The base step limit of a check. A step is about one move made.
pub const STEPS: u64 = 100_000_000;

/// Further steps for each stored position. Jeson Mor on 7×7 takes 67,000.
pub const STEPS_PER_STORED: u64 = 1_000_000;

/// The most steps of any check.
pub const MOST_STEPS: u64 = 100_000_000_000;

/// The steps that a check has left.
pub(super) struct Allowance {
    most: u64,
    left: u64,
}

impl Allowance {
    pub(super) fn new(stored: usize) -> Allowance {
        let most = STEPS.saturating_add(STEPS_PER_STORED.saturating_mul(stored as u64));
        let most = most.min(MOST_STEPS);
        Allowance { most, left: most }
    }

    pub(super) fn spend(&mut self, steps: u64) {
        self.left = self.left.saturating_sub(steps);
    }

    pub(super) fn is_spent(&self) -> bool {
        self.left == 0
    }

    pub(super) fn refusal(&self) -> String {
        format!("checking this takes more than {} steps", self.most)
    }
}

/// Accepts a certificate only if the winner has an answer to every reply and the rank falls with each. Calls
/// `news` with the number of stored positions checked so far.
pub fn verify<G: Symmetric + Notation>(
    certificate: &Certificate<G>,
    news: &mut dyn FnMut(usize),
) -> Result<Checked, Fault> {
    let mut checker = Checker {
        certificate,
        seen: Checked::default(),
        allowance: Allowance::new(certificate.stored.len()),
        moves: Vec::new(),
        tried: HashMap::new(),
    };
    let start = &certificate.start;
    checker.covered(start, certificate.within.saturating_add(1)).map_err(|gap| gap.at(start, 4))?;
    let mut all: Vec<_> = certificate.stored.iter().collect();
    all.sort_unstable_by_key(|(_, stored)| stored.line);
    for (i, (pos, stored)) in all.into_iter().enumerate() {
        let Stored { m, rank, line } = *stored;
        checker.covered(&pos.after(m), rank).map_err(|gap| gap.at(&pos.after(m), line))?;
        checker.seen.stored += 1;
        if i % 256 == 0 {
            news(i);
        }
    }
    Ok(checker.seen)
}

struct Checker<'a, G: Symmetric> {
    certificate: &'a Certificate<G>,
    seen: Checked,
    allowance: Allowance,
    /// Spare move lists.
    moves: Vec<Vec<G::Move>>,
    /// Cache: whether a move is one that the certificate tries.
    tried: HashMap<G::Move, bool>,
}

/// A reply without an answer.
struct Gap<G> {
    pos: G,
    why: Cow<'static, str>,
}

impl<G: Clone> Gap<G> {
    fn new(pos: &G, why: impl Into<Cow<'static, str>>) -> Gap<G> {
        Gap { pos: pos.clone(), why: why.into() }
    }
}

impl<G: Notation> Gap<G> {
    fn at(self, before: &G, line: usize) -> Fault {
        let reply = before.moves().into_iter().find(|m| before.after(*m) == self.pos);
        let reply = reply.map_or_else(String::new, |m| format!(" after the reply {m}"));
        Fault::new(line, format!("{}{reply}: `{}`", self.why, self.pos.text()))
    }
}

impl<G: Symmetric + Notation> Checker<'_, G> {
    fn is_won(&self, pos: &G) -> bool {
        pos.outcome() == Some(Outcome::Win(self.certificate.winner))
    }

    fn moves(&mut self, pos: &G) -> Vec<G::Move> {
        let mut moves = self.moves.pop().unwrap_or_default();
        moves.clear();
        pos.append_moves(&mut moves);
        self.allowance.spend(1 + moves.len() as u64);
        moves
    }

    /// The loser's moves after which the winner does not win at once.
    fn saving_moves(&mut self, pos: &G) -> Vec<G::Move> {
        let mut moves = self.moves(pos);
        // Each is followed by all of the winner's moves, which are about as many.
        self.allowance.spend((moves.len() as u64).pow(2));
        moves.clear();
        pos.append_saving_moves(&mut moves);
        moves
    }

    /// Checks that every reply of the loser leads to a position of lower rank, or to one that tries win in
    /// fewer moves than this rank.
    fn covered(&mut self, pos: &G, rank: u32) -> Result<(), Gap<G>> {
        self.seen.positions += 1;
        if pos.outcome().is_some() {
            let lost = || Gap::new(pos, "the winner does not win");
            return if self.is_won(pos) { Ok(()) } else { Err(lost()) };
        }
        if pos.turn() == self.certificate.winner {
            return self.answered(pos, rank);
        }
        let all = self.moves(pos);
        if self.allowance.is_spent() {
            return Err(self.too_much(pos));
        }
        self.seen.replies += all.len() as u64;
        // After all other replies the winner wins at once, in one move.
        let moves = if rank > 1 { self.saving_moves(pos) } else { all };
        for m in &moves {
            self.covered(&pos.after(*m), rank)?;
        }
        self.moves.push(moves);
        Ok(())
    }

    fn answered(&mut self, pos: &G, rank: u32) -> Result<(), Gap<G>> {
        if rank > 1 && pos.wins_at_once() {
            return Ok(());
        }
        let why = match self.certificate.stored.get(&pos.canonical().0) {
            Some(stored) if stored.rank < rank => return Ok(()),
            Some(_) => "the rank does not fall",
            None if self.wins_by_tries(pos, rank.saturating_sub(1)) => return Ok(()),
            None if self.allowance.is_spent() => return Err(self.too_much(pos)),
            None if pos.wins_at_once() => "the win at once is one move too many",
            None => "there is neither a stored move nor a win at once",
        };
        Err(Gap::new(pos, why))
    }

    fn too_much(&self, pos: &G) -> Gap<G> {
        Gap::new(pos, self.allowance.refusal())
    }

    /// Whether tries win within this many moves, the winner to move.
    fn wins_by_tries(&mut self, pos: &G, most: u32) -> bool {
        let Some(tries) = &self.certificate.tries else { return false };
        let most = most.min(tries.within);
        if most < 2 || self.allowance.is_spent() {
            return false;
        }
        let moves = self.moves(pos);
        let wins = moves.iter().any(|m| {
            self.is_tried(*m, &tries.ending) && self.every_reply_loses(&pos.after(*m), most - 1)
        });
        self.moves.push(moves);
        wins
    }

    /// Whether the certificate tries this move. Cached, because it takes the move's text.
    fn is_tried(&mut self, m: G::Move, ending: &str) -> bool {
        *self.tried.entry(m).or_insert_with(|| m.to_string().ends_with(ending))
    }

    fn every_reply_loses(&mut self, pos: &G, most: u32) -> bool {
        if pos.outcome().is_some() || pos.turn() == self.certificate.winner {
            return self.is_won(pos);
        }
        let replies = self.saving_moves(pos);
        let lose = replies.iter().all(|reply| {
            let next = pos.after(*reply);
            self.seen.positions += 1;
            next.outcome().is_none() && self.wins_by_tries(&next, most)
        });
        self.moves.push(replies);
        lose
    }
}
