//! The shipped strategy wins Gekitai against every reply, under both readings of a shared line.
//!
//! Nothing of the search is used: moves come from the book, or are found by trying what wins at once.

use engine::evaluate::Evaluate;
use engine::play::gekitai::Judge;
use rules::gekitai::{Both, Gekitai, Options, Place};
use rules::{Game, Outcome, Player};
use std::collections::HashMap;

/// In how many turns the first player wins here at the latest, whatever the second does.
fn walk(pos: &Gekitai, seen: &mut HashMap<u64, u32>) -> u32 {
    if let Some(rank) = seen.get(&pos.key()) {
        return *rank;
    }
    let wins = |m: &Place| pos.after(*m).outcome() == Some(Outcome::Win(Player::One));
    let rank = match Judge.book(pos) {
        None => {
            assert!(
                pos.moves().iter().any(wins),
                "neither a book move nor a win: {:?}",
                pos.setup()
            );
            1
        }
        Some((m, rank)) => {
            let next = pos.after(m);
            assert_eq!(next.outcome(), None, "the book leaves out what wins at once");
            for reply in next.moves() {
                let then = next.after(reply);
                if then.outcome() == Some(Outcome::Win(Player::One)) {
                    continue;
                }
                assert_eq!(then.outcome(), None, "{reply} answers {m} in {:?}", pos.setup());
                assert!(walk(&then, seen) < rank, "the rank does not fall after {m} {reply}");
            }
            rank
        }
    };
    seen.insert(pos.key(), rank);
    rank
}

#[test]
fn the_first_player_wins_against_every_reply() {
    for both in [Both::Draw, Both::Mover] {
        let start = Gekitai::new(&Options { both, ..Options::default() }).unwrap();
        let mut seen = HashMap::new();
        let turns = walk(&start, &mut seen);
        assert!(turns < 40 && seen.len() > 10_000, "{turns} turns, {} positions", seen.len());
    }
}
