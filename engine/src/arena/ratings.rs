//! Ratings of many players from matches between some of them, and the fixed opponents that come with every game.

use super::players::Local;
use super::stats::Wdl;
use super::tally::Tally;
use super::{Arena, Contestant, Plan, Player};
use crate::control::{Limits, Stop};
use crate::levels::LEVELS;
use crate::registry::Entry;
use crate::session::Session;
use crate::who::Who;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Elo points for each factor of e in the odds.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;
/// Iterations of the fit, which converges long before that.
const ROUNDS: usize = 2_000;

/// The result of a match between two of several players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pairing {
    /// The number of the first player.
    pub one: usize,
    /// The number of the second.
    pub two: usize,
    /// The games of the first.
    pub games: Wdl,
}

/// A rating with the half width of its 95 % interval, both in Elo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// How much stronger than the first player.
    pub elo: f64,
    /// Plus or minus.
    pub error: f64,
}

/// Fits ratings to matches (Bradley and Terry, by minorisation and maximisation; a draw is half a win). Each match
/// counts one more draw, so that a player who wins every game gets a rating, too. The first player is rated 0.
pub fn fit(players: usize, matches: &[Pairing]) -> Vec<Rating> {
    let points = |pairing: &Pairing| {
        let Wdl { wins, draws, losses } = pairing.games;
        let halves = draws as f64 + 1.0;
        (wins as f64 + halves / 2.0, losses as f64 + halves / 2.0)
    };
    let mut strength = vec![1.0_f64; players];
    for _ in 0..ROUNDS {
        let (mut won, mut weight) = (vec![0.0; players], vec![0.0; players]);
        for pairing in matches {
            let (one, two) = points(pairing);
            let shared = (one + two) / (strength[pairing.one] + strength[pairing.two]);
            won[pairing.one] += one;
            won[pairing.two] += two;
            weight[pairing.one] += shared;
            weight[pairing.two] += shared;
        }
        for (i, own) in strength.iter_mut().enumerate().filter(|(i, _)| weight[*i] > 0.0) {
            *own = won[i] / weight[i];
        }
        let first = strength[0];
        strength.iter_mut().for_each(|own| *own /= first);
    }
    // The Fisher information about all ratings but the first, which is fixed.
    let mut information = vec![vec![0.0; players]; players];
    for pairing in matches {
        let Pairing { one, two, .. } = *pairing;
        let (won, lost) = points(pairing);
        let chance = strength[one] / (strength[one] + strength[two]);
        let told = (won + lost) * chance * (1.0 - chance);
        for (i, j, sign) in [(one, one, 1.0), (two, two, 1.0), (one, two, -1.0), (two, one, -1.0)] {
            information[i][j] += sign * told;
        }
    }
    let known: Vec<Vec<f64>> =
        information.into_iter().skip(1).map(|row| row[1..].to_vec()).collect();
    let variances = std::iter::once(0.0).chain(diagonal_of_inverse(known));
    let rating = |(own, variance): (f64, f64)| Rating {
        elo: SCALE * own.ln(),
        error: 1.96 * SCALE * variance.sqrt(),
    };
    strength.into_iter().zip(variances).map(rating).collect()
}

/// The diagonal of the inverse of a symmetric matrix, by elimination; infinite where nothing is known.
fn diagonal_of_inverse(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let count = rows.len();
    for (i, row) in rows.iter_mut().enumerate() {
        row.extend((0..count).map(|j| f64::from(u8::from(i == j))));
    }
    for i in 0..count {
        let pivot = rows[i][i];
        if pivot <= 1e-12 {
            continue;
        }
        rows[i].iter_mut().for_each(|value| *value /= pivot);
        let own = rows[i].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(j, _)| *j != i) {
            let factor = row[i];
            row.iter_mut().zip(&own).for_each(|(value, own)| *value -= factor * own);
        }
    }
    let variance = |(i, row): (usize, &Vec<f64>)| match row[i] > 0.5 {
        true => row[count + i],
        false => f64::INFINITY,
    };
    rows.iter().enumerate().map(variance).collect()
}

/// The opponents that play the same on every machine: random, beginner, levels 1 to 9, and the seed players.
pub fn pinned(start: &dyn Session) -> Vec<Who> {
    let levels = LEVELS.iter().filter(|level| !level.is_limited_by_time());
    let seeds = start.seed_players().into_iter().map(|about| about.id.to_owned());
    [Who::Random, Who::Beginner]
        .into_iter()
        .chain(levels.map(|level| Who::Level { level: level.number }))
        .chain(seeds.map(|player| Who::Seed { player }))
        .collect()
}

/// Who plays whom: each player meets the next two in the list, and a seed player also every third of the others.
pub fn pairings(players: &[Who]) -> Vec<(usize, usize)> {
    let ladder = players.iter().filter(|who| !matches!(who, Who::Seed { .. })).count();
    let near = (0..ladder).flat_map(|i| (i + 1..ladder.min(i + 3)).map(move |j| (i, j)));
    let seeds = (ladder..players.len()).flat_map(|j| (0..ladder).step_by(3).map(move |i| (i, j)));
    near.chain(seeds).collect()
}

/// Plays a match between two players of the program; `None` if it was stopped.
pub fn play(
    (entry, start): (&'static Entry, &dyn Session),
    players: [&Who; 2],
    plan: Plan,
    stop: &Stop,
    tell: &mut dyn FnMut(),
) -> Result<Option<Wdl>, String> {
    let contestants = players.map(|who| {
        let own = who.clone();
        let make = move || {
            Ok(Box::new(Local::new(own.clone(), Limits::default(), entry, 16)) as Box<dyn Player>)
        };
        Contestant { name: who.to_string(), make: Box::new(make) }
    });
    let games = plan.games as u64;
    let arena = Arena::new(start.boxed_clone(), contestants, plan)?;
    let mut tally = Tally::default();
    arena.run(&BTreeSet::new(), &mut |played| {
        tally.add(&played);
        tell();
        if stop.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let total = tally.total();
    Ok((total.games() == games).then_some(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairing(one: usize, two: usize, wins: u64, draws: u64, losses: u64) -> Pairing {
        Pairing { one, two, games: Wdl { wins, draws, losses } }
    }

    #[test]
    fn ten_to_one_is_four_hundred_elo() {
        let found = fit(2, &[pairing(0, 1, 1_000, 0, 10_000)]);
        assert_eq!(found[0].elo, 0.0);
        assert!((found[1].elo - 400.0).abs() < 1.0, "{found:?}");
        // 11,001 games at 1 in 11: 1.96 · 173.7 / √(11,001 · 10 / 121).
        assert!((found[1].error - 11.3).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn ratings_add_up_along_a_chain() {
        let all = [pairing(0, 1, 100, 0, 300), pairing(1, 2, 100, 0, 300)];
        let found = fit(3, &all);
        assert!((found[2].elo - 2.0 * found[1].elo).abs() < 1.0, "{found:?}");
        assert!((found[1].elo - 190.0).abs() < 3.0, "{found:?}");
    }

    #[test]
    fn errors_add_up_along_a_chain_and_the_first_has_none() {
        let all = [pairing(0, 1, 100, 0, 300), pairing(1, 2, 100, 0, 300)];
        let found = fit(4, &all);
        assert_eq!(found[0].error, 0.0);
        let both = (2.0 * found[1].error.powi(2)).sqrt();
        assert!((found[2].error - both).abs() < 0.1, "{found:?}");
        // A second way to know the difference makes it smaller.
        let more = fit(3, &[all[0], all[1], pairing(0, 2, 40, 0, 360)]);
        assert!(more[2].error < 0.9 * found[2].error, "{more:?}");
        assert_eq!(found[3].error, f64::INFINITY, "a player without games");
    }

    #[test]
    fn a_player_who_wins_every_game_has_a_rating() {
        let found = fit(2, &[pairing(0, 1, 0, 0, 20)]);
        assert!(found[1].elo > 400.0 && found[1].elo < 1_000.0, "{found:?}");
    }

    #[test]
    fn draws_make_equals() {
        let found = fit(2, &[pairing(0, 1, 5, 40, 5)]);
        assert!(found[1].elo.abs() < 1.0);
    }

    #[test]
    fn everybody_is_connected_to_the_first() {
        for entry in crate::GAMES {
            let start = (entry.start)(&Default::default()).unwrap();
            let players = pinned(start.as_ref());
            assert!(players.len() >= 11);
            let mut known = BTreeSet::from([0]);
            for _ in 0..players.len() {
                for (one, two) in pairings(&players) {
                    if known.contains(&one) || known.contains(&two) {
                        known.extend([one, two]);
                    }
                }
            }
            assert_eq!(known.len(), players.len(), "{}", entry.info.id);
        }
    }
}
