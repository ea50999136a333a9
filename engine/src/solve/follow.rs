//! Looks positions up in a shipped certificate, so that people can play against it.
//!
//! A position that the certificate covers is stored, or tries win it; tries are not stored and must be
//! searched again. The win distance is the smaller of the two, so it falls with every move of the winner: the
//! stored move leads below its rank, and a try leads to positions that tries win sooner.

use super::shipped::Shipped;
use crate::play::Play;
use crate::session::{Match, Session};
use rules::{Outcome, Player};

/// What a certificate says about a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Upper bound of the win distance, in moves of the winner.
    pub left: Option<u32>,
    /// The turn for the certificate's side, and why it is the right one.
    pub turn: Option<(String, By)>,
    /// With the loser to move: each turn with the win distance after it.
    pub moves: Vec<(String, Option<u32>)>,
}

/// Why a turn wins (or holds).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// It ends the game.
    AtOnce,
    /// It is stored, or leads into a stored set.
    Stored,
    /// Tries win.
    Tried,
}

/// What the certificate says about the position of a match; `None` if finding out takes more than `most`
/// nodes.
pub fn follow(game: &dyn Session, proof: &Shipped, most: u32) -> Option<Said> {
    let distance = crate::find(game.info().id)?.distance;
    let mut follower =
        Follower { proof, distance, known: vec![(0, Tried::default()); MEMORY], left: most };
    let said = follower.say(game.boxed_clone().as_mut());
    (follower.left > 0).then_some(said)
}

/// The win distance with the winner to move, and the move unless it wins at once.
pub(crate) type Distance = fn(&dyn Session, &mut Follower) -> Option<(u32, Option<(String, By)>)>;

/// The part that depends on the game's type. It is compiled once for each game with certificates and adds to
/// the size of the WebAssembly program, so everything else works on type-erased matches.
pub(crate) fn distance<G: Play>(
    game: &dyn Session,
    follower: &mut Follower,
) -> Option<(u32, Option<(String, By)>)> {
    if !G::HAS_PROOFS {
        return None;
    }
    follower.distance(game.as_any().downcast_ref::<Match<G>>()?.position())
}

/// Entries of the cache, which is indexed by the lower bits of the key.
const MEMORY: usize = 1 << 15;

/// Searches for the winner's tries.
pub(crate) struct Follower<'a> {
    proof: &'a Shipped,
    distance: Distance,
    /// Cache of what tries have shown, for positions with the winner to move.
    known: Vec<(u64, Tried)>,
    /// Nodes left; once there are none, results are not valid.
    left: u32,
}

/// The largest number of moves in which tries do not win, and the smallest in which they do, if known.
#[derive(Clone, Copy, Debug, Default)]
struct Tried {
    fails: u32,
    wins: Option<u32>,
}

impl Follower<'_> {
    fn say(&mut self, game: &mut dyn Session) -> Said {
        let Some(winner) = self.proof.winner() else {
            let lost = Outcome::Win(game.turn().other());
            let turn = first(game, |next| match next.outcome() {
                Some(outcome) => outcome != lost,
                None => self.proof.find(&next.canonical().0).is_some(),
            });
            return Said { turn: turn.map(|turn| (turn, By::Stored)), ..Said::default() };
        };
        let is_won = |game: &dyn Session| game.outcome() == Some(Outcome::Win(winner));
        if game.outcome().is_some() {
            return Said { left: is_won(game).then_some(0), ..Said::default() };
        }
        if game.turn() == winner {
            let Some((left, turn)) = (self.distance)(game, self) else { return Said::default() };
            let at_once = || first(game, is_won).map(|turn| (turn, By::AtOnce));
            return Said { left: Some(left), turn: turn.or_else(at_once), moves: Vec::new() };
        }
        let mut moves = Vec::new();
        for turn in game.turns() {
            if game.play(&turn).is_err() {
                continue;
            }
            let left = match game.outcome() {
                Some(_) => is_won(game).then_some(0),
                None => (self.distance)(game, self).map(|(left, _)| left),
            };
            game.undo_turn();
            moves.push((turn, left));
        }
        let left = moves.iter().try_fold(0, |most, (_, left)| Some(most.max((*left)?)));
        Said { left, turn: None, moves }
    }

    /// The win distance with the winner to move, and the move unless it wins at once.
    fn distance<G: Play>(&mut self, pos: &G) -> Option<(u32, Option<(String, By)>)> {
        if pos.wins_at_once() {
            return Some((1, None));
        }
        let stored = self.proof.advice(pos);
        let (_, most) = self.proof.tries.unwrap_or_default();
        let most = stored.map_or(most, |(_, rank)| most.min(rank.saturating_sub(1)));
        for within in 2..=most {
            if self.wins_by_tries(pos, within) {
                let m = self.winning_try(pos, within)?;
                return Some((within, Some((m.to_string(), By::Tried))));
            }
        }
        stored.map(|(m, rank)| (rank, Some((m.to_string(), By::Stored))))
    }

    /// Whether tries win within this many moves; the winner is to move and cannot win at once.
    fn wins_by_tries<G: Play>(&mut self, pos: &G, within: u32) -> bool {
        let key = pos.key();
        let place = key as usize % MEMORY;
        let found = self.known.get(place).filter(|(own, _)| *own == key);
        let mut known = found.map_or_else(Tried::default, |(_, tried)| *tried);
        if within <= known.fails.max(1) || self.left == 0 {
            return false;
        }
        if known.wins.is_some_and(|wins| wins <= within) {
            return true;
        }
        let wins = self.winning_try(pos, within).is_some();
        if wins {
            known.wins = Some(within);
        } else {
            known.fails = within;
        }
        if let Some(own) = self.known.get_mut(place) {
            *own = (key, known);
        }
        wins
    }

    fn winning_try<G: Play>(&mut self, pos: &G, within: u32) -> Option<G::Move> {
        let (ending, _) = self.proof.tries?;
        let tries = pos.moves().into_iter().filter(|m| m.to_string().ends_with(ending));
        let mut wins = |m: &G::Move| self.every_reply_loses(&pos.after(*m), pos.turn(), within - 1);
        tries.into_iter().find(|m| wins(m))
    }

    fn every_reply_loses<G: Play>(&mut self, pos: &G, winner: Player, within: u32) -> bool {
        if pos.outcome().is_some() || pos.turn() == winner {
            return pos.outcome() == Some(Outcome::Win(winner));
        }
        let mut replies = Vec::new();
        pos.append_saving_moves(&mut replies);
        self.left = self.left.saturating_sub(1 + replies.len() as u32);
        replies.into_iter().all(|reply| {
            let next = pos.after(reply);
            next.outcome().is_none() && self.wins_by_tries(&next, within)
        })
    }
}

/// The first turn whose position satisfies a predicate.
fn first(game: &mut dyn Session, mut is_so: impl FnMut(&dyn Session) -> bool) -> Option<String> {
    game.turns().into_iter().find(|turn| {
        let played = game.play(turn).is_ok();
        let so = played && is_so(game);
        if played {
            game.undo_turn();
        }
        so
    })
}
