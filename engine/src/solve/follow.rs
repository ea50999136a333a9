//! What the certificates of the program say about a position: who wins, within how many moves and how.
//!
//! A position that a certificate covers is stored, or tries win it; tries are not stored and must be searched
//! again. The win distance is the least over all certificates, so it falls with every move of the winner: the
//! stored move leads below its rank, and a try leads to positions that tries win sooner.

use super::Prove;
use super::atlas::Atlas;
use crate::parts::{self, Named};
use crate::play::Play;
use crate::session::{Match, Session};
use rules::{Outcome, Player};

/// How many positions of tries to search. Where tries win, fewer than 20,000 are enough (measured from 16,000 stored
/// positions of 7×7 Jeson Mor).
pub const MOST_POSITIONS: u32 = 300_000;

/// What certificates prove about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truth {
    /// Who wins; `None` if nobody can force a win.
    pub winner: Option<Player>,
    /// Upper bound of the win distance, in moves of the winner; 0 if nobody wins.
    pub left: u32,
    /// The name of the certificate.
    pub by: &'static str,
}

/// A truth, and the turns that show it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// What is proven, if anything.
    pub truth: Option<Truth>,
    /// The turn that keeps the win or the draw, and why; none for the loser.
    pub turn: Option<(String, By)>,
    /// Who cannot force a win, where closed sets show it.
    pub no_win: Vec<Player>,
    /// All turns with what is proven after each; left out if the player to move wins and nobody asked.
    pub moves: Vec<(String, Option<Truth>)>,
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

/// What the certificates of the program and the atlas say about the position of a match; with `all`, about every turn
/// too. The error names missing parts.
pub fn said(game: &dyn Session, all: bool) -> Result<Said, Vec<&'static str>> {
    let (proofs, atlas) = (parts::certificates(game)?, Atlas::about(game)?);
    let is_known = !proofs.is_empty() || atlas.is_some();
    Ok(if is_known {
        follow_with(game, &proofs, atlas, all, MOST_POSITIONS)
    } else {
        Said::default()
    })
}

/// What these certificates say about the position of a match. Tries that take more than `most` positions are given
/// up.
pub fn follow(game: &dyn Session, proofs: &[Named], all: bool, most: u32) -> Said {
    follow_with(game, proofs, None, all, most)
}

/// The same with the atlas, which may know a position that no certificate covers, or a win in fewer moves. As its
/// certificate is not at hand, the next turn may be told more moves again.
pub fn follow_with(
    game: &dyn Session,
    proofs: &[Named],
    atlas: Option<Atlas>,
    all: bool,
    most: u32,
) -> Said {
    let Some(entry) = crate::find(game.info().id) else { return Said::default() };
    let known = vec![(0, Tried::default()); MEMORY];
    let mut follower =
        Follower { proofs, atlas, distance: entry.distance, known, ending: "", most, left: most };
    let mut game = game.boxed_clone();
    let mut said = follower.say(game.as_mut());
    let is_won = said.truth.is_some_and(|truth| truth.winner.is_some());
    if game.outcome().is_none() && said.moves.is_empty() && (all || !is_won) {
        said.moves = each_turn(game.as_mut(), &mut |next| {
            let truth = follower.say(next).truth;
            Some(follower.or_atlas(truth, next))
        });
        if said.truth.is_none() {
            said.look_ahead(game.turn());
        }
    }
    said.truth = follower.or_atlas(said.truth, game.as_ref());
    said
}

impl Said {
    /// What follows from the positions after each turn.
    fn look_ahead(&mut self, mover: Player) {
        let known = self.moves.iter().filter_map(|(turn, truth)| Some((turn, (*truth)?)));
        let won = known.filter(|(_, truth)| truth.winner == Some(mover));
        if let Some((turn, truth)) = won.min_by_key(|(_, truth)| truth.left) {
            self.truth = Some(Truth { left: truth.left + 1, ..truth });
            self.turn = Some((turn.clone(), By::Stored));
            return;
        }
        let lost = |truth: &Truth| truth.winner == Some(mover.other());
        let all = self.moves.iter().map(|(_, truth)| truth.filter(lost));
        let all: Option<Vec<Truth>> = all.collect();
        self.truth = all.and_then(|all| all.into_iter().max_by_key(|truth| truth.left));
    }
}

/// The win distance with the player to move as the winner.
pub(crate) type Distance = fn(&dyn Session, &mut Follower) -> Option<Won>;

/// The part that depends on the game's type. It is compiled once for each game with certificates and adds to
/// the size of the WebAssembly program, so everything else works on type-erased matches.
pub(crate) fn distance<G: Play>(game: &dyn Session, follower: &mut Follower) -> Option<Won> {
    if !G::HAS_PROOFS {
        return None;
    }
    follower.distance(game.as_any().downcast_ref::<Match<G>>()?.position())
}

/// A position that the player to move wins.
pub(crate) struct Won {
    left: u32,
    by: &'static str,
    /// The move, unless it wins at once.
    turn: Option<(String, By)>,
}

/// Entries of the cache, which is indexed by the lower bits of the key.
const MEMORY: usize = 1 << 12;

/// Looks positions up.
pub(crate) struct Follower<'a> {
    proofs: &'a [Named],
    atlas: Option<Atlas>,
    distance: Distance,
    /// Cache of what tries have shown, for positions with the winner to move.
    known: Vec<(u64, Tried)>,
    /// The suffix of the moves that are tried: the cache is valid for no other.
    ending: &'static str,
    most: u32,
    /// Positions left for the tries of one position.
    left: u32,
}

/// The largest number of moves in which tries do not win, and the smallest in which they do, if known.
#[derive(Clone, Copy, Debug, Default)]
struct Tried {
    fails: u32,
    wins: Option<u32>,
}

impl Follower<'_> {
    /// What is known of a position: what certificates prove, or the atlas where it has a win in
    /// fewer moves or they say nothing.
    fn or_atlas(&self, proven: Option<Truth>, game: &dyn Session) -> Option<Truth> {
        let row = self.atlas.and_then(|atlas| atlas.value(game));
        let is_shorter =
            |truth: &Truth, row: &Truth| truth.winner == row.winner && row.left < truth.left;
        match (proven, row) {
            (Some(truth), Some(row)) if is_shorter(&truth, &row) => Some(row),
            (proven, row) => proven.or(row),
        }
    }

    fn say(&mut self, game: &mut dyn Session) -> Said {
        let Some(first) = self.proofs.first() else { return Said::default() };
        if let Some(outcome) = game.outcome() {
            let truth = Truth { winner: outcome.winner(), left: 0, by: first.name };
            return Said { truth: Some(truth), ..Said::default() };
        }
        let mover = game.turn();
        if let Some(Won { left, by, turn }) = (self.distance)(game, self) {
            let is_won = |next: &dyn Session| next.outcome() == Some(Outcome::Win(mover));
            let turn = turn.or_else(|| first_turn(game, is_won).map(|turn| (turn, By::AtOnce)));
            let truth = Truth { winner: Some(mover), left, by };
            return Said { truth: Some(truth), turn, ..Said::default() };
        }
        let moves = self.lost(game);
        if let Some(truth) = moves.iter().filter_map(|(_, truth)| *truth).max_by_key(|t| t.left) {
            return Said { truth: Some(truth), moves, ..Said::default() };
        }
        self.held(game)
    }

    /// Every turn with the other player's win after it; empty if one of them is not known to lose.
    fn lost(&mut self, game: &mut dyn Session) -> Vec<(String, Option<Truth>)> {
        let winner = game.turn().other();
        if !self.proofs.iter().any(|named| named.proof.winner() == Some(winner)) {
            return Vec::new();
        }
        each_turn(game, &mut |next| match next.outcome() {
            Some(outcome) if outcome == Outcome::Win(winner) => {
                let by = self.proofs.first()?.name;
                Some(Some(Truth { winner: Some(winner), left: 0, by }))
            }
            Some(_) => None,
            None => {
                let Won { left, by, .. } = (self.distance)(next, self)?;
                Some(self.or_atlas(Some(Truth { winner: Some(winner), left, by }), next))
            }
        })
    }

    /// What closed sets show: the player to move cannot force a win from a stored position, nor the other player after
    /// a turn into one.
    fn held(&mut self, game: &mut dyn Session) -> Said {
        let mover = game.turn();
        let sets = self.proofs.iter().filter(|named| named.proof.winner().is_none());
        let stored = |text: &str| sets.clone().find(|named| named.proof.find(text).is_some());
        let here = stored(&game.canonical().0);
        let turn = first_turn(game, |next| match next.outcome() {
            Some(outcome) => outcome != Outcome::Win(mover.other()),
            None => stored(&next.canonical().0).is_some(),
        });
        let turn = turn.filter(|_| sets.clone().next().is_some());
        let mut no_win = Vec::new();
        no_win.extend(here.map(|_| mover));
        no_win.extend(turn.as_ref().map(|_| mover.other()));
        let both = here.filter(|_| turn.is_some());
        let truth = both.map(|named| Truth { winner: None, left: 0, by: named.name });
        Said { truth, turn: turn.map(|turn| (turn, By::Stored)), no_win, moves: Vec::new() }
    }

    /// The win distance with the winner to move.
    fn distance<G: Play>(&mut self, pos: &G) -> Option<Won> {
        let winner = pos.turn();
        let of_winner = |named: &&Named| named.proof.winner() == Some(winner);
        let proofs: Vec<Named> = self.proofs.iter().filter(of_winner).copied().collect();
        let first = proofs.first()?;
        if pos.wins_at_once() {
            return Some(Won { left: 1, by: first.name, turn: None });
        }
        let mut best: Option<Won> = None;
        let images = [Some(pos.clone()), G::Judge::stricter(pos)].map(|pos| {
            let (canonical, which) = pos?.canonical();
            Some((canonical.text(), which))
        });
        for named in &proofs {
            for (text, which) in images.iter().flatten() {
                let Some((m, rank)) = named.proof.advice(pos, text, *which) else { continue };
                if best.as_ref().is_none_or(|won| rank < won.left) {
                    let turn = Some((m.to_string(), By::Stored));
                    best = Some(Won { left: rank, by: named.name, turn });
                }
            }
        }
        for named in &proofs {
            let shorter = best.as_ref().map_or(u32::MAX, |won| won.left.saturating_sub(1));
            best = self.tried(*named, pos, shorter).or(best);
        }
        best
    }

    /// A win by tries in at most this many moves.
    fn tried<G: Play>(&mut self, named: Named, pos: &G, shorter: u32) -> Option<Won> {
        let (ending, most) = named.proof.tries.as_ref()?;
        if !G::Judge::may_force(pos) {
            return None;
        }
        if self.ending != ending {
            self.ending = ending;
            self.known.fill((0, Tried::default()));
        }
        self.left = self.most;
        for within in 2..=shorter.min(*most) {
            if self.wins_by_tries(pos, within) {
                let m = self.winning_try(pos, within)?;
                let turn = Some((m.to_string(), By::Tried));
                return Some(Won { left: within, by: named.name, turn });
            }
        }
        None
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
        } else if self.left > 0 {
            known.fails = within;
        }
        if let Some(own) = self.known.get_mut(place) {
            *own = (key, known);
        }
        wins
    }

    fn winning_try<G: Play>(&mut self, pos: &G, within: u32) -> Option<G::Move> {
        let ending = self.ending;
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

/// Every turn with a value of the position after it; empty as soon as one has none.
fn each_turn<T>(
    game: &mut dyn Session,
    value: &mut dyn FnMut(&mut dyn Session) -> Option<T>,
) -> Vec<(String, T)> {
    let mut values = Vec::new();
    for turn in game.turns() {
        if game.play(&turn).is_err() {
            continue;
        }
        let found = value(game);
        game.undo_turn();
        let Some(found) = found else { return Vec::new() };
        values.push((turn, found));
    }
    values
}

/// The first turn whose position satisfies a predicate.
fn first_turn(
    game: &mut dyn Session,
    mut is_so: impl FnMut(&dyn Session) -> bool,
) -> Option<String> {
    game.turns().into_iter().find(|turn| {
        let played = game.play(turn).is_ok();
        let so = played && is_so(game);
        if played {
            game.undo_turn();
        }
        so
    })
}
