//! Moves as numbers and positions as planes, with meanings that never change.
//!
//! Each game numbers all moves that its board has room for, whether or not a position allows them, in the
//! order in which `moves` lists them. `docs/python.md` tells the numbers and the planes of each game.

mod gekitai;
mod glaisher;
mod jeson_mor;
mod six_making;

use engine::play::Play;
use rules::Player;

/// A game whose moves are numbers and whose positions are planes.
pub trait Numbered: Play {
    /// What each plane shows.
    const PLANES: &'static [&'static str];

    /// All moves with these options, by number.
    fn numbering(&self) -> &'static [Self::Move];

    /// The number of a move that the board has room for.
    fn number(&self, m: Self::Move) -> usize;

    /// Rows and columns of a plane.
    fn grid(&self) -> [usize; 2];

    /// Fills in the planes as a player sees them; they are all zero before.
    fn observe(&self, player: Player, out: &mut [f32]);

    /// Where each place of a plane goes in an image of the board.
    fn places(&self, which: usize) -> Vec<usize>;

    /// Whether no position from before this move can occur after it, however the game goes on.
    /// `false` is right for every move, but keeps more of the past than is needed.
    fn settles(&self, _m: Self::Move) -> bool {
        false
    }
}

/// How many numbers an observation has.
pub fn observation_len<G: Numbered>(pos: &G) -> usize {
    let [rows, columns] = pos.grid();
    G::PLANES.len() * rows * columns
}

/// The planes of an observation, one after the other.
struct Planes<'a> {
    planes: std::slice::ChunksExactMut<'a, f32>,
}

impl<'a> Planes<'a> {
    fn new<G: Numbered>(pos: &G, out: &'a mut [f32]) -> Planes<'a> {
        let [rows, columns] = pos.grid();
        Planes { planes: out.chunks_exact_mut(rows * columns) }
    }

    /// The next plane.
    fn next(&mut self) -> &'a mut [f32] {
        self.planes.next().unwrap_or_default()
    }

    /// Fills the next plane with one number.
    fn constant(&mut self, value: f32) {
        self.next().fill(value);
    }
}
