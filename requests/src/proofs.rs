//! What is known for certain: the results of each game, and certificates to play against.

use crate::budget::Budget;
use crate::given::{Given, game};
use crate::refusal::Refusal;
use engine::solve::shipped::Shipped;
use engine::{Session, parts};
use rules::{Outcome, Player};
use serde_json::{Value, json};

/// How many turns are played out to find a win, or that there is none. Where the certificates lead, 150,000 were
/// the most in 300 games; knights crowded around a centre, as only a stranger sets them up, would take millions.
const MOST_TRIES: u32 = 300_000;

/// What is known of a game, from the list that comes with the program.
pub fn results(id: &str) -> Result<Value, Refusal> {
    let id = game(id)?.info.id;
    let list = parts::results().map_err(|part| Refusal::needs(vec![part]))?;
    let mut all: Value = serde_json::from_slice(list).unwrap_or_default();
    Ok(json!({ "game": id, "results": all[id].take() }))
}

/// What the certificate about this game on this board says of a position: the turn of whoever it plays for, and
/// in how many moves the game is won at most, now or after each turn of the other.
pub fn follow(given: &Given, budget: &Budget) -> Result<Value, Refusal> {
    let mut session = given.open(budget)?;
    let proof = parts::certificate(session.as_ref()).map_err(|part| match part {
        Some(part) => Refusal::needs(vec![part]),
        None => Refusal::not_there("no certificate about this board comes with the program"),
    })?;
    let mut walk =
        Walk { proof, winner: proof.winner(), session: session.as_mut(), tries: MOST_TRIES };
    let (mut left, mut best, mut moves) = (None, None, Vec::new());
    if walk.session.outcome().is_some() {
        left = walk.is_won().then_some(0);
    } else if walk.winner.is_none() {
        best = walk.kept().map(|turn| (turn, "stored"));
    } else if walk.winner == Some(walk.session.turn()) {
        if let Some((within, turn, by)) = walk.win() {
            (left, best) = (Some(within), Some((turn, by)));
        }
    } else {
        let after: Vec<_> = walk.replies().collect();
        left = after.iter().try_fold(0, |most, (_, left)| Some(most.max((*left)?)));
        moves = after.iter().map(|(turn, left)| json!({ "turn": turn, "left": left })).collect();
    }
    if walk.tries == 0 {
        return Err(Refusal::too_much(format!(
            "the certificate does not lead here, and {MOST_TRIES} tries did not show who wins; \
             search instead"
        )));
    }
    let (turn, by) = best.unzip();
    Ok(json!({
        "position": proof.position, "claim": proof.claim, "stored": proof.stored.len(),
        "left": left, "turn": turn, "by": by, "moves": moves,
    }))
}

/// A match that goes on as a certificate says.
struct Walk<'a> {
    proof: &'static Shipped,
    winner: Option<Player>,
    session: &'a mut dyn Session,
    /// How many turns may still be played; when none may, nothing that was seen counts.
    tries: u32,
}

impl Walk<'_> {
    fn is_won(&self) -> bool {
        self.winner.is_some_and(|winner| self.session.outcome() == Some(Outcome::Win(winner)))
    }

    /// What is so after a turn, which is taken back.
    fn after<T>(&mut self, turn: &str, look: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.tries = self.tries.saturating_sub(1);
        if self.tries == 0 {
            return None;
        }
        self.session.play(turn).ok()?;
        let seen = look(self);
        self.session.undo_turn();
        Some(seen)
    }

    /// The first turn after which something is so.
    fn first(&mut self, ending: &str, mut is_so: impl FnMut(&mut Self) -> bool) -> Option<String> {
        let turns = self.session.turns().into_iter().filter(|turn| turn.ends_with(ending));
        turns.into_iter().find(|turn| self.after(turn, &mut is_so) == Some(true))
    }

    /// How the winner, who is to move, wins: in how many moves at most, with which turn, and what says so.
    fn win(&mut self) -> Option<(u32, String, &'static str)> {
        if let Some(turn) = self.first("", |next| next.is_won()) {
            return Some((1, turn, "at once"));
        }
        let (text, which) = self.session.canonical();
        if let Some((m, rank)) = self.proof.find(&text).and_then(|rest| rest.split_once(' ')) {
            let turn = self.session.move_of_image(m, which)?;
            return Some((rank.parse().ok()?, turn, "stored"));
        }
        let (_, most) = self.proof.tries?;
        (2..=most).find_map(|within| Some((within, self.tried(within)?, "tried")))
    }

    /// The try that wins in this many moves.
    fn tried(&mut self, within: u32) -> Option<String> {
        let (ending, _) = self.proof.tries.filter(|_| within > 1)?;
        self.first(ending, |next| next.is_won() || next.loses(within - 1))
    }

    /// Whether after every turn the winner wins in this many moves by tries.
    fn loses(&mut self, within: u32) -> bool {
        let wins = |next: &mut Self| {
            let over = next.session.outcome().is_some();
            next.is_won()
                || !over && next.first("", |end| end.is_won()).is_some()
                || !over && next.tried(within).is_some()
        };
        self.session.outcome().is_none() && self.first("", |next| !wins(next)).is_none()
    }

    /// The turns of the loser, and in how many moves the winner wins after each.
    fn replies(&mut self) -> impl Iterator<Item = (String, Option<u32>)> {
        self.session.turns().into_iter().map(|turn| {
            let left = self.after(&turn, |next| match next.session.outcome() {
                Some(_) => next.is_won().then_some(0),
                None => next.win().map(|(within, ..)| within),
            });
            (turn, left.flatten())
        })
    }

    /// A turn after which the other cannot win: into the set again, or to an end that is none of the other's wins.
    fn kept(&mut self) -> Option<String> {
        let lost = Outcome::Win(self.session.turn().other());
        self.first("", |next| match next.session.outcome() {
            Some(outcome) => outcome != lost,
            None => next.proof.find(&next.session.canonical().0).is_some(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
    use engine::GAMES;
    use rules::random::Random;
    use std::collections::HashMap;

    fn all() -> Vec<(&'static str, Value)> {
        let of = |id: &'static str| match results(id).unwrap()["results"].take() {
            Value::Array(results) => results.into_iter().map(move |result| (id, result)),
            other => panic!("{id}: {other}"),
        };
        GAMES.iter().flat_map(|entry| of(entry.info.id)).collect()
    }

    fn given(id: &str, result: &Value, turns: &[String]) -> Given {
        let position = Some(result["position"].clone());
        Given { position, turns: Some(turns.to_vec()), ..Given::start_of(id) }
    }

    fn said(id: &str, result: &Value, turns: &[String]) -> Value {
        follow(&given(id, result, turns), &Budget::OWN).unwrap()
    }

    #[test]
    fn a_position_that_no_certificate_reaches_is_not_called_won() {
        let far = |game: &str, position: &str| Given {
            position: Some(position.into()),
            ..Given::start_of(game)
        };
        let beside = follow(&far("gekitai", "6/6/6/6/6/o5;both=draw 2"), &Budget::OWN).unwrap();
        assert_eq!((&beside["left"], &beside["turn"]), (&Value::Null, &Value::Null), "{beside}");
        let other = follow(&far("gekitai", "6/6/6/6/6/6 1"), &Budget::OWN).unwrap();
        assert_eq!((&other["left"], &other["turn"]), (&Value::Null, &Value::Null), "{other}");
        for game in ["glaisher", "six-making", "jeson-mor"] {
            let refused = follow(&Given::start_of(game), &Budget::OWN).unwrap_err();
            assert_eq!(refused.kind, Kind::NotThere, "{game}");
        }
    }

    #[test]
    fn a_position_that_takes_too_many_tries_is_refused() {
        let crowded = "3n3/2n1NN1/1n3n1/N1n4/1N3N1/2Nnn1N/7 1";
        let given = Given { position: Some(crowded.into()), ..Given::start_of("jeson-mor") };
        let refused = follow(&given, &Budget::OWN).unwrap_err();
        assert_eq!(refused.kind, Kind::TooMuch, "{refused:?}");
    }

    #[test]
    fn every_result_can_be_found_again_as_it_is_printed_in_the_document() {
        let document = include_str!("../../docs/results.md").replace('\n', " ");
        for (id, result) in all() {
            let command = result["command"].as_str().unwrap();
            assert!(document.contains(command), "{id}: `{command}` is not in docs/results.md");
            let session = given(id, &result, &[]).open(&Budget::OWN).unwrap();
            assert_eq!(session.text(), result["position"].as_str().unwrap());
            let Some(file) = result["certificate"]["file"].as_str() else { continue };
            assert!(parts::parts().any(|part| part.name == file), "{file}");
            let proof = said(id, &result, &[]);
            assert_eq!(proof["position"], result["position"], "{file}");
            let claim = match (&result["winner"], &result["within"]) {
                (Value::String(draw), _) if draw == "draw" => "nobody wins".to_owned(),
                (winner, within) => format!("player {winner} wins within {within} moves"),
            };
            assert_eq!(proof["claim"], claim.as_str(), "{file}");
        }
    }

    #[test]
    fn first_turns_that_are_images_of_each_other_have_the_same_value() {
        for (id, result) in all() {
            let mut values = HashMap::new();
            let turns = given(id, &result, &[]).open(&Budget::OWN).unwrap().turns();
            let first = result["first"].as_array().unwrap();
            assert!(first.is_empty() || first.len() == turns.len(), "{id} {}", result["title"]);
            for one in first {
                let turn = one["turn"].as_str().unwrap().to_owned();
                let session = given(id, &result, &[turn]).open(&Budget::OWN).unwrap();
                let value = [one["winner"].clone(), one["within"].clone()];
                let before = values.entry(session.canonical().0).or_insert(value.clone());
                assert_eq!(*before, value, "{id}: {one}");
            }
        }
    }

    /// Plays random turns against a certificate.
    fn play_against(id: &str, result: &Value, random: &mut Random) {
        let winner = result["winner"].as_u64().unwrap();
        let (mut turns, mut left) = (Vec::new(), result["within"].as_u64().unwrap() + 1);
        loop {
            let session = given(id, result, &turns).open(&Budget::OWN).unwrap();
            let proof = said(id, result, &turns);
            let now = proof["left"].as_u64().unwrap_or_else(|| panic!("{turns:?}: {proof}"));
            if session.outcome().is_some() {
                let won = session.outcome().and_then(|outcome| outcome.winner());
                assert_eq!((now, won.map(|won| u64::from(won.number()))), (0, Some(winner)));
                return;
            }
            let own = u64::from(session.turn().number()) == winner;
            assert!(now < left || !own, "{turns:?}: {now} after {left}");
            let turn = match proof["turn"].as_str() {
                Some(turn) if own => turn.to_owned(),
                _ => random.pick(&session.turns()).unwrap().clone(),
            };
            if own {
                left = now;
            } else {
                let moves = proof["moves"].as_array().unwrap();
                assert_eq!(moves.len(), session.turns().len());
                assert!(moves.iter().any(|one| one["left"].as_u64() == Some(now)), "{proof}");
                assert!(now < left, "{turns:?}: {now} after {left}");
            }
            turns.push(turn);
        }
    }

    #[test]
    fn whoever_plays_against_a_certificate_loses_in_time_and_the_win_comes_nearer_with_every_turn()
    {
        let mut random = Random::new(17);
        for (id, result) in all() {
            if result["certificate"]["file"].is_null() || result["within"].is_null() {
                continue;
            }
            // Every reply of the larger board is tried out, and there are many.
            let games = if result["title"] == "7×7" { 1 } else { 6 };
            (0..games).for_each(|_| play_against(id, &result, &mut random));
        }
    }

    #[test]
    fn whoever_plays_against_a_closed_set_does_not_win() {
        let mut random = Random::new(4);
        let (id, result) = all()
            .into_iter()
            .find(|(_, r)| r["winner"] == "draw" && !r["certificate"]["file"].is_null())
            .unwrap();
        for side in Player::BOTH {
            let mut session = given(id, &result, &[]).open(&Budget::OWN).unwrap();
            for _ in 0..60 {
                if let Some(outcome) = session.outcome() {
                    assert_ne!(outcome, Outcome::Win(side));
                    break;
                }
                let turn = if session.turn() == side {
                    random.pick(&session.turns()).unwrap().clone()
                } else {
                    let here =
                        Given { position: Some(session.text().into()), ..Given::start_of(id) };
                    follow(&here, &Budget::OWN).unwrap()["turn"].as_str().unwrap().to_owned()
                };
                session.play(&turn).unwrap();
            }
        }
    }
}
