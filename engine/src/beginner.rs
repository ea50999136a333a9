//! The reference player for levels: somebody who has just learned the rules.

use crate::evaluate::Evaluate;
use crate::play::{Play, whole_turns};
use crate::score::win_after;
use rules::Outcome;
use rules::random::Random;

/// The turn of a beginner, who takes an immediate win, prevents the opponent's if possible, and otherwise
/// plays at random.
pub(crate) fn turn<G: Play>(judge: &G::Judge, pos: &G, random: &mut Random) -> Vec<G::Move> {
    let turns = whole_turns(pos);
    let won = |end: &G| end.outcome() == Some(Outcome::Win(pos.turn()));
    let kept = |wanted: &dyn Fn(&G) -> bool| -> Vec<usize> {
        (0..turns.len()).filter(|i| wanted(&turns[*i].1)).collect()
    };
    let safe = |end: &G| end.outcome().is_none() && !wins_at_once(judge, end);
    let mut choice = kept(&won);
    if choice.is_empty() {
        choice = kept(&safe);
    }
    if choice.is_empty() {
        choice = (0..turns.len()).collect();
    }
    random.pick(&choice).map_or(Vec::new(), |i| turns[*i].0.clone())
}

/// Whether the player to move wins with this turn.
fn wins_at_once<G: Play>(judge: &G::Judge, pos: &G) -> bool {
    let wins = |m: &G::Move| pos.after(*m).outcome() == Some(Outcome::Win(pos.turn()));
    judge.known(pos) == Some(win_after(1)) || pos.moves().iter().any(wins)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Notation;
    use rules::gekitai::Gekitai;

    /// The turns that a beginner plays in a hundred tries.
    fn turns(text: &str) -> Vec<String> {
        let pos = Gekitai::from_text(text, &Default::default()).unwrap();
        let play = |seed| turn(&Default::default(), &pos, &mut Random::new(seed))[0].to_string();
        let mut turns: Vec<_> = (0..100).map(play).collect();
        turns.sort();
        turns.dedup();
        turns
    }

    #[test]
    fn a_beginner_wins_or_stops_a_win_and_else_plays_anything() {
        assert!(turns("6/6/6/6/6/6 1").len() > 20);
        assert_eq!(turns("6/1xx3/6/3oo1/6/6 1"), ["a2", "d2"], "both make three in a row");
        let answers = turns("6/1xx3/6/6/6/5o 2");
        assert!(answers.contains(&"b1".into()), "pushes one of the two away: {answers:?}");
        assert!(!answers.contains(&"f1".into()), "leaves three in a row to be made: {answers:?}");
    }
}
