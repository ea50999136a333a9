//! The computer players of the games' original programs, as their documents describe them.
//!
//! They stand beside the search and share nothing with it: their strength, their blind spots and their
//! ties are part of what they are. Each judges positions by the evaluation of its seed and draws its turn
//! from a set of equally good ones.

pub(crate) mod gekitai;
pub(crate) mod glaisher;
pub(crate) mod jeson_mor;
pub(crate) mod six_making;

use rules::random::Random;
use rules::{Game, Player};

/// All that one player does before the other plays.
pub type Turn<G> = Vec<<G as Game>::Move>;

/// What menus show of a seed's player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// The name in commands and formats: `level-1`.
    pub id: &'static str,
    /// The name people use: `Level 1`.
    pub name: &'static str,
    /// How it plays, in a sentence.
    pub about: &'static str,
    /// Whether it draws from all legal turns.
    pub random: bool,
}

/// A player of a game's seed.
pub struct SeedPlayer<G: Game> {
    /// Its name and manner.
    pub about: About,
    /// The turns it draws from, in the game's order; none when the game is over.
    pub turns: fn(&G) -> Vec<Turn<G>>,
}

impl<G: Game> SeedPlayer<G> {
    /// A player that weighs its turns.
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

/// What a game's original program brings along.
pub struct Seed<G: Game> {
    /// The players, in the order of the program's menu.
    pub players: &'static [SeedPlayer<G>],
    /// The program's evaluation, from player 1's and from player 2's own view.
    pub value: fn(&G) -> [f64; 2],
}

impl<G: Game> Seed<G> {
    /// The turn that a player makes; none when the game is over or has no such player.
    pub fn choose(&self, pos: &G, id: &str, random: &mut Random) -> Option<Turn<G>> {
        let player = self.players.iter().find(|player| player.about.id == id)?;
        random.pick(&(player.turns)(pos)).cloned()
    }

    /// The set of turns that each player who does not play at random draws from; empty when the game is
    /// over.
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
    append_turns(pos, &mut Vec::new(), &mut turns);
    turns
}

fn append_turns<G: Game>(pos: &G, begun: &mut Turn<G>, out: &mut Vec<Turn<G>>) {
    for m in pos.moves() {
        let next = pos.after(m);
        begun.push(m);
        if next.turn() == pos.turn() && next.outcome().is_none() {
            append_turns(&next, begun, out);
        } else {
            out.push(begun.clone());
        }
        begun.pop();
    }
}

/// The moves of highest worth as turns of one move, in the game's order.
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

/// A value that is positive for player 1, from both players' views.
fn both_views(value: f64) -> [f64; 2] {
    // Not negated: that would turn an even position's zero into a negative one.
    [value, 0.0 - value]
}

/// A value that is positive for player 1, from one player's view.
fn view(value: f64, player: Player) -> f64 {
    both_views(value)[player.index()]
}
