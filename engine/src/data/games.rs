//! Games of the engine against itself, position by position.

use super::column::{Column, Lists, Table};
use crate::arena::openings::Openings;
use crate::control::{Limits, Stop};
use crate::registry::Entry;
use crate::session::Session;
use crate::thinker::Thinker;
use rules::{Outcome, Player};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};

/// How games are played. The same settings give the same games, whatever the number of threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Play {
    /// How many games.
    pub games: usize,
    /// How many random turns each game begins with.
    pub opening: usize,
    /// How many positions the engine looks at for each turn.
    pub nodes: u64,
    /// How many of the best turns of each position are kept.
    pub lines: usize,
    /// The seed of the openings.
    pub seed: u64,
    /// A game of this many turns is abandoned.
    pub max_turns: usize,
    /// How many games are played at once.
    pub threads: usize,
}

struct Row {
    position: String,
    turn: Player,
    played: String,
    score: i32,
    win_in: i32,
    lines: Vec<(String, i32)>,
}

struct Game {
    rows: Vec<Row>,
    outcome: Option<Outcome>,
    /// As an index into [`super::REASONS`].
    reason: i8,
}

/// Plays games and gives a row for each position; `None` if it was stopped.
pub(super) fn play(
    entry: &'static Entry,
    start: &dyn Session,
    wanted: &Play,
    stop: &Stop,
    tell: &mut dyn FnMut(usize),
) -> Result<Option<Table>, String> {
    let Some(mut openings) = Openings::new(start, wanted.opening, wanted.seed) else {
        return Err(format!("hardly any game lasts {} turns of opening", wanted.opening));
    };
    let begun = (0..wanted.games).map(|number| (number, openings.game(number)));
    let todo = Mutex::new(begun.collect::<Vec<_>>().into_iter());
    let (sender, done) = channel();
    let mut games: Vec<Option<Game>> = (0..wanted.games).map(|_| None).collect();
    std::thread::scope(|scope| {
        for _ in 0..wanted.threads.max(1) {
            let (sender, todo) = (sender.clone(), &todo);
            scope.spawn(move || {
                let mut thinker = (entry.thinker)(16);
                let next = || todo.lock().unwrap_or_else(PoisonError::into_inner).next();
                while let Some((number, game)) = next() {
                    thinker.forget();
                    let game = play_one(thinker.as_mut(), game, wanted, stop);
                    if stop.is_stopped() || sender.send((number, game)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (count, (number, game)) in done.into_iter().enumerate() {
            games[number] = Some(game);
            tell(count + 1);
        }
    });
    Ok(games.into_iter().collect::<Option<Vec<_>>>().map(|games| table(entry, &games)))
}

fn play_one(
    thinker: &mut dyn Thinker,
    mut game: Box<dyn Session>,
    wanted: &Play,
    stop: &Stop,
) -> Game {
    let limits = Limits { lines: wanted.lines.max(1), ..Limits::nodes(wanted.nodes) };
    let mut rows = Vec::new();
    while game.result().is_none() && game.turns_played() < wanted.max_turns {
        let found = thinker.think(game.as_ref(), &limits, stop, &mut |_| {});
        let Some(found) = found.filter(|_| !stop.is_stopped()) else { break };
        let lines =
            found.lines.iter().filter_map(|line| Some((line.turns.first()?.clone(), line.score)));
        let lines: Vec<_> = lines.collect();
        let (Some(best), Some((played, score))) = (found.lines.first(), lines.first().cloned())
        else {
            break;
        };
        rows.push(Row {
            position: game.text(),
            turn: game.turn(),
            played: played.clone(),
            score,
            win_in: best.win_in.unwrap_or(0),
            lines,
        });
        if game.play(&played).is_err() {
            break;
        }
    }
    let reason = match (game.outcome(), game.result()) {
        (Some(Outcome::Win(_)), _) => 1,
        (Some(Outcome::Draw), _) => 2,
        (None, Some(_)) => 3,
        (None, None) => 4,
    };
    Game { rows, outcome: game.result(), reason }
}

fn table(entry: &Entry, games: &[Game]) -> Table {
    let rows = || games.iter().flat_map(|game| game.rows.iter().map(move |row| (game, row)));
    let text = |of: &dyn Fn(&Row) -> String| Column::Text(rows().map(|(_, row)| of(row)).collect());
    let number = |of: &dyn Fn(&Row) -> i32| Column::I32(rows().map(|(_, row)| of(row)).collect());
    let result = |(game, row): (&Game, &Row)| match game.outcome.and_then(Outcome::winner) {
        Some(winner) => {
            if winner == row.turn {
                1
            } else {
                -1
            }
        }
        None => 0,
    };
    let lines = || rows().flat_map(|(_, row)| row.lines.iter());
    let mut from = vec![0];
    for (_, row) in rows() {
        from.push(from.last().copied().unwrap_or(0) + row.lines.len() as i64);
    }
    let game = games.iter().zip(0..).flat_map(|(game, number)| vec![number; game.rows.len()]);
    let ply = games.iter().flat_map(|game| 0..game.rows.len() as i32);
    let columns = vec![
        ("game", Column::I32(game.collect())),
        ("ply", Column::I32(ply.collect())),
        ("position", text(&|row| row.position.clone())),
        ("turn", Column::I8(rows().map(|(_, row)| row.turn.number() as i8).collect())),
        ("played", text(&|row| row.played.clone())),
        ("score", number(&|row| row.score)),
        ("win_in", number(&|row| row.win_in)),
        ("result", Column::I8(rows().map(result).collect())),
        ("reason", Column::I8(rows().map(|(game, _)| game.reason).collect())),
    ];
    let lists = vec![
        ("policy_turn", Column::Text(lines().map(|(turn, _)| turn.clone()).collect())),
        ("policy_score", Column::I32(lines().map(|(_, score)| *score).collect())),
        ("policy", Column::F32(rows().flat_map(|(_, row)| shares(entry, &row.lines)).collect())),
    ];
    let lists = Lists { name: "policy_from", from, columns: lists };
    Table { kind: "games", columns, lists: Some(lists) }
}

/// How likely each turn is to be the best, from the winning odds that the evaluation bar shows. A node limit may leave
/// the last lines searched less deeply than the first; no turn counts more than one that the engine prefers.
fn shares(entry: &Entry, lines: &[(String, i32)]) -> Vec<f32> {
    let mut least = i32::MAX;
    let odds = lines.iter().map(|(_, score)| {
        least = least.min(*score);
        let chance = (entry.bar)(least).clamp(1e-6, 1.0 - 1e-6);
        chance / (1.0 - chance)
    });
    let odds: Vec<f64> = odds.collect();
    let sum: f64 = odds.iter().sum();
    odds.into_iter().map(|each| (each / sum) as f32).collect()
}
