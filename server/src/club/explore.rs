//! The opening explorer: which turns were played in a position in public games, up to symmetry, and how the games
//! ended.

use super::archive::{self, name_of};
use super::records;
use crate::games::hall::Hall;
use crate::http::limits;
use crate::store::records::Range;
use engine::Session;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use table::Refusal;

/// How many games are searched for a position, newest first.
const MOST: usize = 1_000;

/// How many of them are listed.
const NAMED: usize = 10;

/// Wins of player 1, draws, wins of player 2.
type Score = [u32; 3];

fn add(score: &mut Score, winner: Option<char>) {
    let place = match winner {
        Some('1') => 0,
        Some('2') => 2,
        _ => 1,
    };
    score[place] += 1;
}

/// The turns that were played in a position, most frequent first.
pub async fn explore(
    hall: &Arc<Hall>,
    by: IpAddr,
    session: Box<dyn Session>,
) -> Result<Value, Refusal> {
    let named = move || (name_of(session.as_ref()), session);
    let (position, session) = hall.replays.run(by, named).await?;
    let start = format!("p/{position}");
    let found = records(hall)?.range(Range::from_the_end(&start), MOST).await?;
    hall.limits.charge(by, limits::of_events(found.len()));
    let mut all = Score::default();
    let mut next: BTreeMap<String, Score> = BTreeMap::new();
    for own in &found {
        let mut letters = own.value.chars();
        let winner = letters.next();
        add(&mut all, winner);
        let after = letters.as_str();
        if !after.is_empty() {
            add(next.entry(after.to_owned()).or_default(), winner);
        }
    }
    let turns = hall.replays.run(by, move || turns(session.as_ref(), next)).await?;
    let moments: Vec<_> =
        found.iter().take(NAMED).map(|own| own.key[start.len()..].to_owned()).collect();
    let mut entries = archive::at(hall, &moments).await?;
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.at));
    let games = archive::told(hall, &entries).await?;
    Ok(json!({
        "games": found.len(), "more": found.len() == MOST, "score": all, "turns": turns, "last": games,
    }))
}

/// The turns that lead to these positions; one of each set of symmetric turns.
fn turns(session: &dyn Session, mut next: BTreeMap<String, Score>) -> Vec<Value> {
    let mut found = Vec::new();
    if next.is_empty() {
        return Vec::new();
    }
    for turn in session.turns() {
        let mut after = session.boxed_clone();
        if after.play(&turn).is_err() {
            continue;
        }
        if let Some(score) = next.remove(&name_of(after.as_ref())) {
            found.push((score.iter().sum::<u32>(), turn, score));
        }
        if next.is_empty() {
            break;
        }
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let told = |(games, turn, score)| json!({ "turn": turn, "games": games, "score": score });
    found.into_iter().map(told).collect()
}
