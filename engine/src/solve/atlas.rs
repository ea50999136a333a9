//! The atlas: the positions of a game whose values are worth a certificate each.

use super::question::Method;
use rules::{Notation, Player, Symmetric};
use std::collections::HashSet;

/// A position of the atlas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The name of its files.
    pub name: String,
    /// The position, in one line.
    pub position: String,
    /// The search that is likely to settle it.
    pub method: Method,
    /// The player whose win is likely.
    pub player: Option<Player>,
}

/// The positions after each move with the move, one of those that are images of each other.
pub(crate) fn after_each_move<G: Symmetric + Notation>(pos: &G) -> Vec<(G::Move, G)> {
    let mut seen = HashSet::new();
    let next = pos.moves().into_iter().map(|m| (m, pos.after(m)));
    next.filter(|(_, next)| seen.insert(next.canonical().0)).collect()
}
