//! The computer players of the games' original programs, as their documents describe them.
//!
//! They share nothing with the search: their strength, blind spots and ties must be preserved. Each uses the evaluation
//! of its original program and chooses at random among the best turns.

pub(crate) mod gekitai;
pub(crate) mod glaisher;
pub(crate) mod jeson_mor;
pub(crate) mod six_making;

use rules::random::Random;
use rules::{ByPlayer, Game, Player};

/// The moves of one turn.
pub type Turn<G> = Vec<<G as Game>::Move>;

/// A seed player as menus show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// The name in commands and formats: `level-1`.
    pub id: &'static str,
    /// The name people use: `Level 1`.
    pub name: &'static str,
    /// How it plays, in a sentence.
    pub about: &'static str,
    /// Whether it plays any legal turn at random.
    pub random: bool,
}

/// A seed player: a computer player of a game's original program.
pub struct SeedPlayer<G: Game> {
    /// Its name and description.
    pub about: About,
    /// The turns it chooses from, in the game's order; none when the game is over.
    pub turns: fn(&G) -> Vec<Turn<G>>,
}

impl<G: Game> SeedPlayer<G> {
    /// A player that evaluates its turns.
    const fn new(
        id: &'static str,
        name: &'static str,
        about: &'static str,
        turns: fn(&G) -> Vec<Turn<G>>,
    ) -> Self {
        SeedPlayer { about: About { id, name, about, random: false }, turns }
    }

    /// A player that takes any legal turn.
    const fn random(id: &'static str, name: &'static str) -> Self {
        let about = "plays any legal turn, all with the same chance";
        SeedPlayer { about: About { id, name, about, random: true }, turns: all_turns }
    }
}

/// The players and the evaluation of a game's original program.
pub struct Seed<G: Game> {
    /// The players, in the order of the program's menu.
    pub players: &'static [SeedPlayer<G>],
    /// The program's evaluation, from each player's point of view.
    pub value: fn(&G) -> ByPlayer<f64>,
}

impl<G: Game> Seed<G> {
    /// The turn of a player; `None` if the game is over or has no such player.
    pub fn choose(&self, pos: &G, id: &str, random: &mut Random) -> Option<Turn<G>> {
        let player = self.players.iter().find(|player| player.about.id == id)?;
        random.pick(&(player.turns)(pos)).cloned()
    }

    /// The turns that each player who does not play at random chooses from; empty when the game is over.
    pub fn best_turns(&self, pos: &G) -> Vec<(&'static str, Vec<Turn<G>>)> {
        if pos.outcome().is_some() {
            return Vec::new();
        }
        let weighing = self.players.iter().filter(|player| !player.about.random);
        weighing.map(|player| (player.about.id, (player.turns)(pos))).collect()
    }
}

/// Every legal turn, in the game's order.
fn all_turns<G: Game>(pos: &G) -> Vec<Turn<G>> {
    let mut turns = Vec::new();
    pos.each_turn(|moves, _| turns.push(moves.to_vec()));
    turns
}

/// The moves of highest value as turns of one move, in the game's order.
fn best_moves<G: Game>(pos: &G, mut worth: impl FnMut(&G) -> f64) -> Vec<Turn<G>> {
    let mut highest = f64::NEG_INFINITY;
    let mut best = Vec::new();
    for m in pos.moves() {
        let worth = worth(&pos.after(m));
        if worth > highest {
            highest = worth;
            best.clear();
        }
        if worth == highest {
            best.push(vec![m]);
        }
    }
    best
}

/// A value that is positive for player 1, from both points of view.
fn both_views(value: f64) -> ByPlayer<f64> {
    // Subtracted, because negating zero would give -0.
    ByPlayer::new(value, 0.0 - value)
}

/// A value that is positive for player 1, from one player's point of view.
fn view(value: f64, player: Player) -> f64 {
    both_views(value)[player]
}
