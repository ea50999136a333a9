//! The atlas: the positions of a game whose values are worth a certificate each, and what is known of them.

use super::follow::Truth;
#[cfg(not(target_family = "wasm"))]
use super::question::Method;
use crate::parts;
use crate::session::Session;
use rules::Player;
#[cfg(not(target_family = "wasm"))]
use rules::{Notation, Symmetric};
use serde_json::{Map, Value};
#[cfg(not(target_family = "wasm"))]
use std::collections::HashSet;
use std::sync::OnceLock;

/// A position of the atlas.
#[cfg(not(target_family = "wasm"))]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The name of its files.
    pub name: String,
    /// The board and its options, for people.
    pub title: String,
    /// The moves from the start of that board.
    pub moves: Vec<String>,
    /// The position, in one line.
    pub position: String,
    /// The same position with other options, under which a win here is a win too.
    pub also: Option<String>,
    /// The search that is likely to settle it.
    pub method: Method,
    /// The player whose win is likely.
    pub player: Option<Player>,
}

#[cfg(not(target_family = "wasm"))]
impl Row {
    /// The row of a board, for proof-number search.
    pub(crate) fn board(name: String, title: String, pos: &impl Notation) -> Row {
        let position = pos.text();
        let (method, player) = (Method::Proof, Some(Player::One));
        Row { name, title, moves: Vec::new(), position, also: None, method, player }
    }

    /// The row of the position after a move.
    pub(crate) fn after<G: Notation>(&self, m: G::Move, next: &G, player: Option<Player>) -> Row {
        let mut row = self.clone();
        row.name += &format!("-{m}");
        row.moves.push(m.to_string());
        Row { position: next.text(), also: None, player, ..row }
    }
}

/// The positions after each move with the move, one of those that are images of each other.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn after_each_move<G: Symmetric + Notation>(pos: &G) -> Vec<(G::Move, G)> {
    let mut seen = HashSet::new();
    let next = pos.moves().into_iter().map(|m| (m, pos.after(m)));
    next.filter(|(_, next)| seen.insert(next.canonical().0)).collect()
}

/// The values of the atlas, by game and canonical position, and the boards that have any: few enough for a list.
#[derive(Debug, Default)]
struct Index {
    values: Vec<(&'static str, String, Truth)>,
    boards: Vec<(&'static str, Map<String, Value>)>,
}

impl Index {
    /// Reads the index that comes with the program, as `quadrille atlas` wrote it.
    fn read(bytes: &[u8]) -> Index {
        let mut index = Index::default();
        let Ok(Value::Object(rows)) = serde_json::from_slice(bytes) else { return index };
        for (name, row) in rows {
            let winner = match &row["winner"] {
                Value::Null => continue,
                Value::String(_) => None,
                number if *number == 1 => Some(Player::One),
                _ => Some(Player::Two),
            };
            let left = row["within"].as_u64().unwrap_or(0) as u32;
            // Leaked once for each name: the index lives as long as the program.
            let truth = Truth { winner, left, by: name.leak() };
            let game = row["game"].as_str().unwrap_or_default();
            for position in [&row["position"], &row["also"]].into_iter().filter_map(Value::as_str) {
                index.add(game, position, truth);
            }
        }
        index
    }

    fn add(&mut self, game: &str, position: &str, truth: Truth) {
        let Some(entry) = crate::find(game) else { return };
        let Ok(session) = (entry.from_text)(position, &Map::new()) else { return };
        let (id, board) = (entry.info.id, (entry.info.id, session.options()));
        if !self.boards.contains(&board) {
            self.boards.push(board);
        }
        let canonical = session.canonical().0;
        match self.values.iter_mut().find(|known| (known.0, &known.1) == (id, &canonical)) {
            None => self.values.push((id, canonical, truth)),
            Some((_, _, known)) if truth.winner == known.winner && truth.left < known.left => {
                *known = truth;
            }
            Some(_) => {}
        }
    }
}

/// What the atlas says about positions with certain options.
#[derive(Clone, Copy, Debug)]
pub struct Atlas(&'static Index);

impl Atlas {
    /// The values of the atlas, if it has any with the options of a match. The error names a missing part.
    pub fn about(session: &dyn Session) -> Result<Option<Atlas>, Vec<&'static str>> {
        static INDEX: OnceLock<Index> = OnceLock::new();
        if !parts::has_atlas(session) {
            return Ok(None);
        }
        let bytes = parts::atlas().map_err(|part| vec![part])?;
        let index = INDEX.get_or_init(|| Index::read(bytes));
        let board = (session.info().id, session.options());
        Ok(index.boards.contains(&board).then_some(Atlas(index)))
    }

    /// The value of a position. Its certificate may not come with the program.
    pub fn value(self, session: &dyn Session) -> Option<Truth> {
        let (id, canonical) = (session.info().id, session.canonical().0);
        let known = self.0.values.iter().find(|known| (known.0, &known.1) == (id, &canonical));
        known.map(|(_, _, truth)| *truth)
    }
}
