//! Solved games: the results of each game, and certificates to play against.

use crate::budget::Budget;
use crate::given::{Given, game};
use engine::parts;
use engine::solve::atlas::Atlas;
use engine::solve::follow::{self, By, MOST_POSITIONS, Truth};
use serde_json::{Value, json};
use table::Refusal;

/// The solved positions of a game, from the list shipped with the program; none of a game that is not in it.
pub fn results(id: &str) -> Result<Value, Refusal> {
    let id = game(id)?.info.id;
    let mut all = read(parts::results())?;
    let known = all.get_mut(id).map_or_else(|| json!([]), Value::take);
    Ok(json!({ "game": id, "results": known }))
}

/// The atlas of a game, from the index shipped with the program, by the names of the rows.
pub fn atlas(id: &str) -> Result<Value, Refusal> {
    let id = game(id)?.info.id;
    let Value::Object(mut rows) = read(parts::atlas())? else { return Ok(Value::Null) };
    rows.retain(|_, row| row["game"] == id);
    Ok(json!({ "game": id, "atlas": rows }))
}

fn read(list: Result<&[u8], &'static str>) -> Result<Value, Refusal> {
    let list = list.map_err(|part| Refusal::needs(vec![part]))?;
    Ok(serde_json::from_slice(list).unwrap_or_default())
}

/// Looks a position up in the certificates for this game and board, and in the atlas: who wins and within how many
/// moves, now and after each turn, and the turn that preserves the win or the draw.
pub fn follow(given: &Given, budget: &Budget) -> Result<Value, Refusal> {
    let session = given.open(budget)?;
    let proofs = parts::certificates(session.as_ref()).map_err(Refusal::needs)?;
    let atlas = Atlas::about(session.as_ref()).map_err(Refusal::needs)?;
    if proofs.is_empty() && atlas.is_none() {
        return Err(Refusal::not_there("there is no certificate for this board"));
    }
    let said = follow::follow_with(session.as_ref(), &proofs, atlas, true, MOST_POSITIONS);
    let by = said.truth.map(|truth| truth.by);
    let named = proofs.iter().find(|named| Some(named.name) == by);
    // If nothing is known about the position, report which certificate there is for the start.
    let named = named.or_else(|| proofs.first().filter(|_| by.is_none()));
    let (turn, way) = said.turn.unzip();
    let way = way.map(|by| match by {
        By::AtOnce => "at once",
        By::Stored => "stored",
        By::Tried => "tried",
    });
    let moves = said.moves.into_iter().map(
        |(turn, truth)| json!({ "turn": turn, "left": moves_left(truth), "winner": winner(truth) }),
    );
    Ok(json!({
        "certificate": named.map(|named| named.name).or(by),
        "position": named.map(|named| &named.proof.position),
        "claim": named.map(|named| &named.proof.claim),
        "stored": named.map(|named| named.proof.count),
        "left": moves_left(said.truth), "winner": winner(said.truth), "turn": turn, "by": way,
        "no_win": said.no_win.iter().map(|player| player.number()).collect::<Vec<_>>(),
        "moves": moves.collect::<Value>(),
    }))
}

/// Within how many moves the winner wins; null if nobody is known to.
fn moves_left(truth: Option<Truth>) -> Option<u32> {
    truth.filter(|truth| truth.winner.is_some()).map(|truth| truth.left)
}

/// Who wins: 1, 2, `draw` if nobody can force a win, null if that is not known.
fn winner(truth: Option<Truth>) -> Value {
    let of = |truth: Truth| truth.winner.map_or(json!("draw"), |winner| json!(winner.number()));
    truth.map_or(Value::Null, of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
    use engine::GAMES;
    use rules::gekitai::Gekitai;
    use rules::jeson_mor::JesonMor;
    use rules::random::Random;
    use rules::{Notation, Outcome, Player, Symmetric};
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
        let beside = follow(&far("gekitai", "o4o/6/6/6/6/o4o;both=draw 1"), &Budget::OWN).unwrap();
        assert_eq!((&beside["left"], &beside["turn"]), (&Value::Null, &Value::Null), "{beside}");
        let usual = follow(&far("gekitai", "6/6/6/6/6/6 1"), &Budget::OWN).unwrap();
        assert_eq!((&usual["left"], &usual["winner"]), (&json!(19), &json!(1)), "{usual}");
        for game in ["glaisher", "six-making", "jeson-mor"] {
            let refused = follow(&Given::start_of(game), &Budget::OWN).unwrap_err();
            assert_eq!(refused.kind, Kind::NotThere, "{game}");
        }
    }

    #[test]
    fn where_the_atlas_has_a_win_in_fewer_moves_it_is_told_with_its_source() {
        let position = Some("6/6/6/6/6/6;markers=6 1".into());
        let told = follow(&Given { position, ..Given::start_of("gekitai") }, &Budget::OWN).unwrap();
        let said = [&told["certificate"], &told["left"], &told["winner"], &told["claim"]];
        assert_eq!(said, [&json!("gekitai-6x6-6-mover"), &json!(16), &json!(1), &Value::Null]);
        // The turn comes from a certificate that was at hand.
        assert!(told["turn"].is_string() && told["by"] == "stored", "{told}");
    }

    #[test]
    fn knights_crowded_around_a_centre_are_answered() {
        let crowded = "3n3/2n1NN1/1n3n1/N1n4/1N3N1/2Nnn1N/7 1";
        let given = Given { position: Some(crowded.into()), ..Given::start_of("jeson-mor") };
        let proof = follow(&given, &Budget::OWN).unwrap();
        let of = |turn: &str| {
            let moves = proof["moves"].as_array().unwrap();
            let one = moves.iter().find(|one| one["turn"] == turn).unwrap();
            [one["winner"].clone(), one["left"].clone()]
        };
        assert_eq!(of("b3-a1"), [json!(2), json!(5)], "{proof}");
        assert_eq!(of("a4-b2"), [Value::Null, Value::Null], "{proof}");
        assert_eq!(proof["left"], Value::Null);
    }

    #[test]
    fn every_result_can_be_found_again_as_it_is_printed_in_the_document() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/results.md");
        let document = std::fs::read_to_string(file).unwrap().replace('\n', " ");
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

    /// A rotated or reflected position.
    fn image(id: &str, position: &str, which: usize) -> String {
        fn of<G: Symmetric + Notation>(position: &str, which: usize) -> String {
            let pos = G::from_text(position, &G::Options::default()).unwrap();
            pos.image(which % G::IMAGES).text()
        }
        match id {
            "gekitai" => of::<Gekitai>(position, which),
            "jeson-mor" => of::<JesonMor>(position, which),
            other => panic!("no certificate for {other}"),
        }
    }

    /// Plays against a certificate, mixing the longest resistance with random turns. The certificate must always have
    /// an answer, the win must come closer with every turn, and the bound announced for a turn must hold after it.
    fn play_against(id: &str, result: &Value, random: &mut Random) {
        let winner = result["winner"].as_u64().unwrap();
        let (mut turns, mut left) = (Vec::new(), result["within"].as_u64().unwrap() + 1);
        let mut told = None;
        loop {
            let session = given(id, result, &turns).open(&Budget::OWN).unwrap();
            let proof = said(id, result, &turns);
            let now = proof["left"].as_u64().unwrap_or_else(|| panic!("{turns:?}: {proof}"));
            assert!(told.is_none_or(|told| told == now), "{turns:?}: {now} after {told:?}");
            if session.outcome().is_some() {
                let won = session.outcome().and_then(|outcome| outcome.winner());
                assert_eq!((now, won.map(|won| u64::from(won.number()))), (0, Some(winner)));
                return;
            }
            assert!(now < left, "{turns:?}: {now} after {left}");
            if u64::from(session.turn().number()) == winner {
                (left, told) = (now, None);
                let turn = proof["turn"].as_str().unwrap_or_else(|| panic!("{turns:?}: {proof}"));
                turns.push(turn.to_owned());
                continue;
            }
            let moves = proof["moves"].as_array().unwrap();
            assert_eq!(moves.len(), session.turns().len());
            assert!(moves.iter().all(|one| one["left"].as_u64().is_some()), "{turns:?}: {proof}");
            let longest: Vec<_> = moves.iter().filter(|one| one["left"] == proof["left"]).collect();
            let all: Vec<_> = moves.iter().collect();
            let from = if random.below(3) == 0 { all } else { longest };
            let reply = random.pick(&from).unwrap();
            told = reply["left"].as_u64();
            turns.push(reply["turn"].as_str().unwrap().to_owned());
        }
    }

    #[test]
    fn whoever_plays_against_a_certificate_loses_in_time_and_the_win_comes_nearer_with_every_turn()
    {
        let mut random = Random::new(17);
        for (id, mut result) in all() {
            if result["certificate"]["file"].is_null() || result["within"].is_null() {
                continue;
            }
            let start = result["position"].as_str().unwrap().to_owned();
            for game in 0..48 {
                result["position"] = image(id, &start, game).into();
                play_against(id, &result, &mut random);
            }
        }
    }

    #[test]
    fn a_position_that_only_many_tries_win_is_answered() {
        let position = "1nn4/2n1n2/1n3n1/7/1n2NN1/2NNN2/4N2 1";
        for which in 0..8 {
            let position = image("jeson-mor", position, which).into();
            let given = Given { position: Some(position), ..Given::start_of("jeson-mor") };
            let proof = follow(&given, &Budget::OWN).unwrap();
            assert!(proof["left"].as_u64().is_some_and(|left| left <= 10), "{proof}");
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
