//! A position of any game as one value, and what Python asks of it.

use crate::actions::{Numbered, observation_len};
use crate::batch::{Games, Many};
use engine::session::Match;
use engine::solve::certificate::Certificate;
use engine::solve::retrograde::{Graph, is_win, solve, turns};
use engine::{Session, Stop};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList};
use rules::notation::{no_term, to_json};
use rules::perft::{perft, perft_turns};
use rules::record::{Record, turn_moves};
use rules::{Info, Outcome, Player};
use serde_json::{Map, Value};

macro_rules! any {
    ($($name:ident: $game:ty,)*) => {
        /// A position of any game, without a pointer in between.
        #[allow(non_camel_case_types, missing_docs)]
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Any {
            $($name($game),)*
        }

        $(impl From<$game> for Any {
            fn from(pos: $game) -> Any {
                Any::$name(pos)
            }
        })*

        impl Any {
            /// The position with its type erased.
            #[inline]
            pub fn board(&self) -> &dyn Board {
                match self {
                    $(Any::$name(pos) => pos,)*
                }
            }

            /// The present position of a match.
            pub fn of(session: &dyn Session) -> Option<Any> {
                $(if let Some(game) = session.as_any().downcast_ref::<Match<$game>>() {
                    return Some(Any::$name(game.position().clone()));
                })*
                None
            }

            /// The positions of a record, from its start to its end, turn by turn.
            pub fn replay(record: &Record) -> Result<Vec<Any>, String> {
                let id = record.game().map_err(|error| error.to_string())?;
                $(if <$game as rules::Game>::INFO.id.eq_ignore_ascii_case(id) {
                    return replay::<$game>(record);
                })*
                requests::game(id).map_err(|refusal| refusal.message)?;
                Err(format!("`{id}` is not a game of this module"))
            }

            /// What a certificate of this game stores: positions with the winner's move and its rank.
            pub fn stored(id: &str, text: &str) -> Result<Vec<(Any, String, u32)>, String> {
                $(if <$game as rules::Game>::INFO.id == id {
                    return stored::<$game>(text);
                })*
                Err(format!("`{id}` is not a game of this module"))
            }
        }
    };
}

rules::every_game!(any);

/// A position by itself, as Python sees it.
pub trait Board: Send + Sync {
    /// What menus say about the game.
    fn info(&self) -> &'static Info;
    /// All options, the usual ones too.
    fn options(&self) -> Map<String, Value>;
    /// The start of the game with the same options.
    fn start(&self) -> Result<Any, String>;
    /// Whose decision is next.
    fn turn(&self) -> Player;
    /// The result, if the game is over.
    fn outcome(&self) -> Option<Outcome>;
    /// A hash, equal for equal positions.
    fn key(&self) -> u64;
    /// Every legal move, in the game's order.
    fn moves(&self) -> Vec<String>;
    /// The position after a move or a whole turn, or the reason why there is none.
    fn play(&self, text: &str) -> Result<Any, String>;
    /// The texts of the moves that a turn consists of.
    fn steps(&self, text: &str) -> Vec<String>;
    /// The position in one line.
    fn text(&self) -> String;
    /// The position as JSON.
    fn json(&self) -> Value;
    /// The position as a Prolog term.
    fn term(&self) -> Result<String, String>;
    /// A match that begins here.
    fn session(&self) -> Box<dyn Session>;
    /// How many images there are; image 0 is the position itself.
    fn images(&self) -> usize;
    /// The position turned or mirrored.
    fn image(&self, which: usize) -> Any;
    /// The image that stands for all, and which one it is.
    fn canonical(&self) -> (Any, usize);
    /// The numbers of all legal moves, in ascending order, as a list of Python's numbers.
    fn actions<'py>(&self, py: Python<'py>, all: &[Py<PyInt>]) -> PyResult<Bound<'py, PyList>>;
    /// Whether each number is a legal move.
    fn mask(&self) -> Vec<bool>;
    /// The position after the move with a number.
    fn play_action(&self, number: usize) -> Result<Any, String>;
    /// How many numbers there are.
    fn action_count(&self) -> usize;
    /// The move with a number.
    fn action_text(&self, number: usize) -> Option<String>;
    /// The number of a move, legal here or not.
    fn action_number(&self, text: &str) -> Result<usize, String>;
    /// What each plane of an observation shows.
    fn planes(&self) -> &'static [&'static str];
    /// Planes, rows and columns of an observation.
    fn shape(&self) -> [usize; 3];
    /// The observation of a player.
    fn observation(&self, player: Player) -> Vec<f32>;
    /// For an image of the board, which place each place of a plane comes from, and which number each
    /// number comes from.
    fn symmetry(&self, which: usize) -> (Vec<usize>, Vec<usize>);
    /// The number of ways to play this many moves or turns; nothing if it was stopped.
    fn perft(&self, depth: u32, turns: bool, stop: &Stop) -> Option<u64>;
    /// Many games that begin here.
    fn many(&self, count: usize, seed: u64) -> Box<dyn Games>;
    /// Every position that can follow, up to symmetry, with its winner and in how many turns of both.
    fn solve_all(&self, most: usize, stop: &Stop) -> Result<Vec<Solved>, String>;
}

/// A position with its exact result: who wins, and after how many turns of both players.
pub type Solved = (Any, Option<(Player, u32)>);

impl<G: Numbered> Board for G
where
    Any: From<G>,
{
    fn info(&self) -> &'static Info {
        G::INFO
    }

    fn options(&self) -> Map<String, Value> {
        match serde_json::to_value(G::options(self)) {
            Ok(Value::Object(options)) => options,
            _ => Map::new(),
        }
    }

    fn start(&self) -> Result<Any, String> {
        G::new(&G::options(self)).map(Any::from).map_err(|error| error.to_string())
    }

    fn turn(&self) -> Player {
        G::turn(self)
    }

    fn outcome(&self) -> Option<Outcome> {
        G::outcome(self)
    }

    fn key(&self) -> u64 {
        G::key(self)
    }

    fn moves(&self) -> Vec<String> {
        G::moves(self).iter().map(G::Move::to_string).collect()
    }

    fn play(&self, text: &str) -> Result<Any, String> {
        let mut pos = self.clone();
        turn_moves(self, text)?.into_iter().for_each(|m| pos.play_unchecked(m));
        Ok(pos.into())
    }

    fn steps(&self, text: &str) -> Vec<String> {
        G::steps(text).into_iter().map(str::to_owned).collect()
    }

    fn text(&self) -> String {
        G::text(self)
    }

    fn json(&self) -> Value {
        to_json(self)
    }

    fn term(&self) -> Result<String, String> {
        G::term(self).map(|term| term.to_string()).ok_or_else(|| no_term(G::INFO))
    }

    fn session(&self) -> Box<dyn Session> {
        Box::new(Match::new(self.clone()))
    }

    fn images(&self) -> usize {
        G::IMAGES
    }

    fn image(&self, which: usize) -> Any {
        G::image(self, which).into()
    }

    fn canonical(&self) -> (Any, usize) {
        let (pos, which) = G::canonical(self);
        (pos.into(), which)
    }

    fn actions<'py>(&self, py: Python<'py>, all: &[Py<PyInt>]) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, G::moves(self).into_iter().map(|m| all[self.number(m)].bind(py)))
    }

    fn mask(&self) -> Vec<bool> {
        let mut mask = vec![false; self.action_count()];
        G::moves(self).into_iter().for_each(|m| mask[self.number(m)] = true);
        mask
    }

    fn play_action(&self, number: usize) -> Result<Any, String> {
        let Some(m) = self.numbering().moves.get(number) else {
            return Err(no_action(number as i64, self.action_count()));
        };
        let mut pos = self.clone();
        G::play(&mut pos, *m).map_err(|error| error.to_string())?;
        Ok(pos.into())
    }

    fn action_count(&self) -> usize {
        self.numbering().moves.len()
    }

    fn action_text(&self, number: usize) -> Option<String> {
        self.numbering().moves.get(number).map(G::Move::to_string)
    }

    fn action_number(&self, text: &str) -> Result<usize, String> {
        let m: G::Move = text.parse().map_err(|error: rules::ParseMoveError| error.to_string())?;
        let found = self.numbering().moves.iter().position(|own| *own == m);
        found.ok_or_else(|| format!("`{m}` has no number: the board has no room for it"))
    }

    fn planes(&self) -> &'static [&'static str] {
        G::PLANES
    }

    fn shape(&self) -> [usize; 3] {
        let [rows, columns] = self.grid();
        [G::PLANES.len(), rows, columns]
    }

    fn observation(&self, player: Player) -> Vec<f32> {
        let mut out = vec![0.0; observation_len(self)];
        self.observe(player, &mut out);
        out
    }

    fn symmetry(&self, which: usize) -> (Vec<usize>, Vec<usize>) {
        let image = |m: &G::Move| self.number(self.image_of(*m, which));
        (
            invert(&self.places(which)),
            invert(&self.numbering().moves.iter().map(image).collect::<Vec<_>>()),
        )
    }

    fn perft(&self, depth: u32, turns: bool, stop: &Stop) -> Option<u64> {
        walk(self, depth, turns, stop)
    }

    fn many(&self, count: usize, seed: u64) -> Box<dyn Games> {
        Box::new(Many::new(self.clone(), count, seed))
    }

    fn solve_all(&self, most: usize, stop: &Stop) -> Result<Vec<Solved>, String> {
        if self.outcome().is_some() {
            return Err("the game is over".into());
        }
        let Some(graph) = Graph::new(self, u32::MAX, most) else {
            return Err(format!("more than {most} positions can follow: too many for this memory"));
        };
        let values = solve(&graph, &mut |_| !stop.is_stopped());
        let values = values.ok_or("it was stopped before the end")?;
        let result = |(pos, state): (&G, usize)| {
            let value = values[state];
            let winner = if is_win(value) { pos.turn() } else { pos.turn().other() };
            (pos.clone().into(), turns(value).map(|turns| (winner, turns)))
        };
        Ok(graph.positions().map(result).collect())
    }
}

/// Says which numbers there are.
pub fn no_action(number: i64, count: usize) -> String {
    format!("actions are 0 to {}, got {number}", count - 1)
}

/// The permutation that undoes another.
fn invert(to: &[usize]) -> Vec<usize> {
    let mut from = vec![0; to.len()];
    to.iter().enumerate().for_each(|(i, to)| from[*to] = i);
    from
}

/// Looks at the switch as long as what is left is worth it.
fn walk<G: Numbered>(pos: &G, depth: u32, turns: bool, stop: &Stop) -> Option<u64> {
    if depth <= 2 {
        return Some(if turns { perft_turns(pos, depth) } else { perft(pos, depth) });
    }
    let mut count = 0;
    for m in pos.moves() {
        if stop.is_stopped() {
            return None;
        }
        let next = pos.after(m);
        let left = depth - u32::from(!turns || next.turn() != pos.turn());
        count += walk(&next, left, turns, stop)?;
    }
    Some(count)
}

fn replay<G: Numbered>(record: &Record) -> Result<Vec<Any>, String>
where
    Any: From<G>,
{
    let replay = record.replay::<G>().map_err(|error| error.to_string())?;
    let mut pos = replay.start;
    let mut positions = vec![Any::from(pos.clone())];
    for turn in replay.turns {
        turn.into_iter().for_each(|m| pos.play_unchecked(m));
        positions.push(pos.clone().into());
    }
    Ok(positions)
}

fn stored<G: Numbered>(text: &str) -> Result<Vec<(Any, String, u32)>, String>
where
    Any: From<G>,
{
    let certificate = Certificate::<G>::read(text).map_err(|fault| fault.to_string())?;
    let mut stored: Vec<_> = certificate.stored.into_iter().collect();
    stored.sort_by_key(|(_, stored)| stored.line);
    let told = stored.into_iter().map(|(pos, own)| (pos.into(), own.m.to_string(), own.rank));
    Ok(told.collect())
}
