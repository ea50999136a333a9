//! Review of a whole game: what each position was worth, and which turns were mistakes.

use crate::budget::Budget;
use crate::desk::Desk;
use crate::think::{Search, bar, search_on};
use crate::why::{Mistake, Why};
use engine::score::{WIN, earlier, win_after, win_in};
use engine::solve::follow::{self, Truth};
use engine::{Entry, Limits, Session, Stop};
use rules::Player;
use serde::Serialize;
use std::time::Duration;
use table::Refusal;

/// The search time for each position if the request sets no limit.
pub const TIME: Duration = Duration::from_millis(300);

/// Scores beyond this count as won: losing part of such a lead is no mistake.
const CLEARLY_WON: i32 = 1_000;

/// The smallest loss that counts as each kind of mistake, in hundredths of a piece.
const MISTAKES: [(i32, &str); 3] = [(300, "blunder"), (120, "mistake"), (50, "inaccuracy")];

/// A position's value, and what the turn leading to it lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Judged {
    /// The number of turns played before this position.
    pub ply: usize,
    /// The number of turns in the game.
    pub of: usize,
    /// The score from player 1's point of view.
    pub score: i32,
    /// The winner's turns until a proven win; negative if player 2 wins.
    pub win_in: Option<i32>,
    /// Player 1's share of the evaluation bar, in thousandths.
    pub bar: u16,
    /// The best line instead of the turn played.
    pub best: Vec<String>,
    /// What the turn lost, in hundredths of a piece; null at the start.
    pub loss: Option<i32>,
    /// The name for a loss of this size.
    pub mistake: Option<&'static str>,
    /// The certificate that proves the score, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<&'static str>,
    /// Why it was a mistake, if that can be said in a sentence.
    pub why: Option<Why>,
}

/// A review in progress. It runs from the last position to the first, so that later findings are known when a turn is
/// judged. Other work may use the engine between two steps.
pub struct Reviewing {
    /// The game at the position to be judged next; none when the review is complete.
    session: Option<Box<dyn Session>>,
    turns: Vec<String>,
    ply: usize,
    limits: Limits,
    /// The value of the position after it.
    after: Option<Worth>,
    /// Whether the review has started, which clears the transposition table.
    begun: bool,
}

impl Search {
    /// Opens a game for review, so that errors are reported before anything is searched; the effort applies to each
    /// position.
    pub fn review(&self, budget: &Budget) -> Result<Reviewing, Refusal> {
        let budget = Budget { time_ms: budget.review_ms, ..*budget };
        let limits = self.effort.limits(&budget, TIME)?;
        let session = self.given.open_for_engine(&budget, true)?;
        let turns = session.history();
        // Proven values are compared only with proven values, and estimates with estimates: a proven position next to
        // an estimated one would look like a blunder.
        let limits = Limits { unaided: true, lines: 1, ..limits };
        Ok(Reviewing {
            ply: turns.len(),
            turns,
            session: Some(session),
            limits,
            after: None,
            begun: false,
        })
    }
}

impl Reviewing {
    /// Reviews backwards until the next result is ready; none when the review is complete or was stopped.
    pub fn step(&mut self, desk: &mut Desk, stop: &Stop) -> Option<Judged> {
        loop {
            let Some(session) = self.session.as_deref_mut() else {
                let first = self.after.take()?;
                return Some(first.judged(0, self.turns.len(), None));
            };
            if !std::mem::replace(&mut self.begun, true) {
                desk.thinker(engine::find(session.info().id)?).forget();
            }
            let mut worth = Worth::of(desk, session, &self.limits, stop)?;
            if stop.is_stopped() {
                return None;
            }
            let ply = self.ply;
            let played = self.turns.get(ply).zip(self.after.as_ref());
            let told = played.map(|(turn, after)| {
                worth.learn(turn, after.score);
                let mut told = after.judged(ply + 1, self.turns.len(), Some(&worth));
                let mistake = Mistake {
                    before: session,
                    played: turn,
                    better: &worth.best,
                    answer: &after.best,
                    proved: worth.winner().and(after.winner()),
                };
                told.why = told.mistake.and_then(|_| mistake.why());
                told
            });
            if ply == 0 {
                self.session = None;
            } else {
                session.undo_turn();
                self.ply -= 1;
            }
            self.after = Some(worth);
            if told.is_some() {
                return told;
            }
        }
    }
}

/// The value of a position.
struct Worth {
    entry: &'static Entry,
    /// The estimate of the search, from player 1's point of view.
    score: i32,
    /// What certificates prove.
    truth: Option<Truth>,
    mover: Player,
    best: Vec<String>,
}

impl Worth {
    fn of(desk: &mut Desk, session: &dyn Session, limits: &Limits, stop: &Stop) -> Option<Worth> {
        let (entry, mover) = (engine::find(session.info().id)?, session.turn());
        if let Some(outcome) = session.result() {
            let score =
                outcome.winner().map_or(0, |winner| if winner == Player::One { WIN } else { -WIN });
            let truth = Some(Truth { winner: outcome.winner(), left: 0, by: "" });
            return Some(Worth { entry, score, truth, mover, best: Vec::new() });
        }
        let said = follow::said(session, false).unwrap_or_default();
        let found = search_on(desk, session, limits, stop, &mut |_| {})?;
        let line = found.lines.into_iter().next()?;
        let score = if mover == Player::One { line.score } else { -line.score };
        let best = said.turn.map_or(line.turns, |(turn, _)| vec![turn]);
        Some(Worth { entry, score, truth: said.truth, mover, best })
    }

    /// What certificates or the search prove, as a score from player 1's point of view.
    fn proven(&self) -> Option<i32> {
        let Some(truth) = self.truth else { return win_in(self.score).map(|_| self.score) };
        let Some(winner) = truth.winner else { return Some(0) };
        let left = truth.left as i32;
        let turns = if winner == self.mover { (2 * left - 1).max(0) } else { 2 * left };
        Some(if winner == Player::One { win_after(turns) } else { -win_after(turns) })
    }

    /// The proven winner; nobody if it is a proven draw.
    fn winner(&self) -> Option<Option<Player>> {
        let one_wins = |score: i32| if score > 0 { Player::One } else { Player::Two };
        self.proven().map(|score| win_in(score).map(|_| one_wins(score)))
    }

    fn judged(&self, ply: usize, of: usize, before: Option<&Worth>) -> Judged {
        let loss = before.map(|before| before.loss_to(self));
        let mistake = loss
            .and_then(|loss| MISTAKES.iter().find(|(least, _)| loss >= *least))
            .map(|(_, name)| *name);
        let best = before.map(|before| before.best.clone()).unwrap_or_default();
        let score = self.proven().unwrap_or(self.score);
        let proof = self.truth.map(|truth| truth.by).filter(|by| !by.is_empty());
        let (win_in, bar) = (win_in(score), bar(self.entry, score));
        Judged { ply, of, score, win_in, bar, best, loss, mistake, proof, why: None }
    }

    /// If the turn played turned out better than the best line found, it becomes the best line; but no estimate
    /// outweighs a proof.
    fn learn(&mut self, turn: &str, after: i32) {
        let sign = if self.mover == Player::One { 1 } else { -1 };
        let after = earlier(after, 1);
        if self.truth.is_some() && win_in(after).is_none() {
            return;
        }
        if sign * after > sign * self.score {
            self.score = after;
            self.best = vec![turn.to_owned()];
        }
    }

    /// What the player to move lost with a turn leading to this position.
    fn loss_to(&self, after: &Worth) -> i32 {
        match (self.proven(), after.proven()) {
            (Some(before), Some(after)) => lost(self.mover, before, after),
            _ => lost(self.mover, self.score, after.score),
        }
    }
}

/// What a player lost with a turn that changed the value from `before` to `after`, both from player 1's point of view.
fn lost(mover: Player, before: i32, after: i32) -> i32 {
    let sign = if mover == Player::One { 1 } else { -1 };
    let worth = |score: i32| (sign * score).clamp(-CLEARLY_WON, CLEARLY_WON);
    (worth(before) - worth(after)).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Effort, Given};

    #[test]
    fn a_loss_is_what_the_mover_gave_away() {
        assert_eq!(lost(Player::One, 100, -50), 150);
        assert_eq!(lost(Player::Two, 100, -50), 0);
        assert_eq!(lost(Player::Two, -100, 250), 350);
        assert_eq!(lost(Player::One, WIN - 3, 1_200), 0, "still clearly won");
        assert_eq!(lost(Player::One, WIN - 3, 0), CLEARLY_WON);
    }

    fn worth(mover: Player, score: i32) -> Worth {
        Worth { entry: &engine::GAMES[0], score, truth: None, mover, best: Vec::new() }
    }

    #[test]
    fn where_proofs_know_both_positions_estimates_do_not_matter() {
        let proven = |score, winner| {
            let truth = Some(Truth { winner, left: 4, by: "" });
            Worth { truth, ..worth(Player::One, score) }
        };
        let (won, lost) = (Some(Player::One), Some(Player::Two));
        assert_eq!(proven(10, won).loss_to(&proven(-5, lost)), 2 * CLEARLY_WON);
        assert_eq!(proven(900, won).loss_to(&proven(-900, won)), 0);
        assert_eq!(proven(0, None).loss_to(&proven(0, lost)), CLEARLY_WON);
        assert_eq!(
            proven(40, won).loss_to(&worth(Player::Two, 30)),
            10,
            "one of them says nothing"
        );
        assert_eq!(proven(40, won).loss_to(&worth(Player::Two, -WIN + 4)), 2 * CLEARLY_WON);
    }

    #[test]
    fn what_came_out_later_is_known_before() {
        let mut worth = Worth { best: vec!["e5".into()], ..worth(Player::Two, -17) };
        worth.learn("c5", 12);
        assert_eq!((worth.score, worth.best[0].as_str()), (-17, "e5"));
        worth.learn("c5", -(WIN - 11));
        assert_eq!((worth.score, worth.best[0].as_str()), (-(WIN - 12), "c5"));
    }

    #[test]
    fn mistakes_are_named_by_their_size() {
        let before = Worth { best: vec!["c4".into()], ..worth(Player::One, 0) };
        let named = |score| worth(Player::Two, score).judged(1, 9, Some(&before)).mistake;
        assert_eq!(named(-40), None);
        assert_eq!(named(-60), Some("inaccuracy"));
        assert_eq!(named(-150), Some("mistake"));
        assert_eq!(named(-WIN + 1), Some("blunder"));
    }

    fn reviewed(turns: &[&str]) -> Vec<Judged> {
        let turns = turns.iter().map(|turn| (*turn).to_owned()).collect();
        let given = Given { turns: Some(turns), ..Given::start_of("gekitai") };
        let effort = Effort { nodes: Some(50.into()), ..Effort::default() };
        let mut review = Search { given, effort }.review(&Budget::OWN).unwrap();
        let mut desk = Desk::new(1);
        let mut told: Vec<_> =
            std::iter::from_fn(|| review.step(&mut desk, &Stop::default())).collect();
        told.reverse();
        told
    }

    #[test]
    fn a_turn_that_throws_a_proven_win_away_is_a_blunder() {
        let told = reviewed(&["f6"]);
        assert!(told[0].win_in.is_some_and(|turns| turns > 0), "{told:?}");
        assert!(told[1].win_in.is_some_and(|turns| turns < 0), "{told:?}");
        assert_eq!((told[1].mistake, told[1].proof), (Some("blunder"), Some("gekitai-a1.proof")));
        let why = told[1].why.as_ref().unwrap();
        assert_eq!(why.text, "After f6 O wins by force; this is proved.");
        assert_eq!(reviewed(&[&told[1].best[0]])[1].mistake, None);
    }

    #[test]
    fn every_position_is_told_once_from_the_last_to_the_first() {
        for entry in engine::GAMES {
            let mut session = (entry.start)(&Default::default()).unwrap();
            for _ in 0..3 {
                let turn = session.turns()[0].clone();
                session.play(&turn).unwrap();
            }
            let given = Given { turns: Some(session.history()), ..Given::start_of(entry.info.id) };
            let effort = Effort { nodes: Some(50.into()), ..Effort::default() };
            let mut review = Search { given, effort }.review(&Budget::OWN).unwrap();
            let mut desk = Desk::new(1);
            let steps = std::iter::from_fn(|| review.step(&mut desk, &Stop::default()));
            let plies: Vec<_> = steps.map(|judged| judged.ply).collect();
            assert_eq!(plies, [3, 2, 1, 0], "{}", entry.info.id);
        }
    }
}
