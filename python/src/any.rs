//! A position of any game as one value, and what Python asks of it.

use crate::actions::Numbered;
use crate::batch::{Games, Many, Reason, Terms, reason};
use crate::mcts::{Forest, Trees};
use engine::data::every;
use engine::session::Match;
use engine::solve::certificate::Certificate;
use engine::{Session, Stop};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList};
use rules::perft::{perft, perft_turns};
use rules::record::{Record, turn_moves};
use rules::{Game, Info, Notation, Outcome, ParseMoveError, Player, Symmetric};
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
        }

        impl TryFrom<Any> for $game {
            type Error = Any;

            fn try_from(any: Any) -> Result<$game, Any> {
                #[allow(unreachable_patterns)]
                match any {
                    Any::$name(pos) => Ok(pos),
                    other => Err(other),
                }
            }
        })*

        impl Any {
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

        dispatch!(($) $($name: $game,)*);
    };
}

/// Makes `with!(any, pos => …)`, which does the same with a position of any game, and `with!(any, pos: G => …)`, which
/// also names its type.
macro_rules! dispatch {
    (($d:tt) $($name:ident: $game:ty,)*) => {
        macro_rules! with {
            ($d any:expr, $d pos:ident => $d body:expr) => {
                match $d any { $(Any::$name($d pos) => $d body,)* }
            };
            ($d any:expr, $d pos:ident: $d type:ident => $d body:expr) => {
                match $d any { $(Any::$name($d pos) => { type $d type = $game; $d body })* }
            };
        }
    };
}

rules::every_game!(any);

/// A position with its exact result: who wins, and after how many turns of both players.
pub type Solved = (Any, Option<(Player, u32)>);

/// A position by itself, as Python sees it. What a match knows as well is asked of `session`.
// Positions of another game need not be `Copy`.
#[allow(clippy::clone_on_copy)]
impl Any {
    /// The game's description for menus.
    pub fn info(&self) -> &'static Info {
        with!(self, _pos: G => G::INFO)
    }

    /// All options, defaults included.
    pub fn options(&self) -> Map<String, Value> {
        match with!(self, pos => serde_json::to_value(pos.options())) {
            Ok(Value::Object(options)) => options,
            _ => Map::new(),
        }
    }

    /// The start of the game with the same options.
    pub fn start(&self) -> Result<Any, String> {
        with!(self, pos: G => G::new(&pos.options()).map(Any::from))
            .map_err(|error| error.to_string())
    }

    /// Whose decision is next.
    pub fn turn(&self) -> Player {
        with!(self, pos => pos.turn())
    }

    /// The result, if the game is over.
    pub fn outcome(&self) -> Option<Outcome> {
        with!(self, pos => pos.outcome())
    }

    /// A hash, equal for equal positions.
    pub fn key(&self) -> u64 {
        with!(self, pos => pos.key())
    }

    /// The position in one line.
    pub fn text(&self) -> String {
        with!(self, pos => pos.text())
    }

    /// Every legal move, in the game's order.
    pub fn moves(&self) -> Vec<String> {
        with!(self, pos => pos.moves().iter().map(ToString::to_string).collect())
    }

    /// The texts of the moves that a turn consists of.
    pub fn steps(&self, text: &str) -> Vec<String> {
        with!(self, _pos: G => G::steps(text)).into_iter().map(str::to_owned).collect()
    }

    /// The position after a move or a whole turn, or the reason why there is none.
    pub fn play(&self, text: &str) -> Result<Any, String> {
        with!(self, pos => {
            let mut next = pos.clone();
            turn_moves(pos, text)?.into_iter().for_each(|m| next.play_unchecked(m));
            Ok(next.into())
        })
    }

    /// A match that begins here.
    pub fn session(&self) -> Box<dyn Session> {
        with!(self, pos => Box::new(Match::new(pos.clone())))
    }

    /// How many images there are; image 0 is the position itself.
    pub fn images(&self) -> usize {
        with!(self, _pos: G => G::IMAGES)
    }

    /// The position turned or mirrored.
    pub fn image(&self, which: usize) -> Result<Any, String> {
        self.check_image(which)?;
        Ok(with!(self, pos => pos.image(which).into()))
    }

    /// The image that stands for all, and which one it is.
    pub fn canonical(&self) -> (Any, usize) {
        with!(self, pos => {
            let (image, which) = pos.canonical();
            (image.into(), which)
        })
    }

    /// The numbers of all legal moves, in ascending order, as a list of Python's numbers.
    pub fn actions<'py>(&self, py: Python<'py>, all: &[Py<PyInt>]) -> PyResult<Bound<'py, PyList>> {
        with!(self, pos => {
            PyList::new(py, pos.moves().into_iter().map(|m| all[pos.number(m)].bind(py)))
        })
    }

    /// Whether each number is a legal move.
    pub fn mask(&self) -> Vec<bool> {
        let mut mask = vec![false; self.action_count()];
        with!(self, pos => pos.moves().into_iter().for_each(|m| mask[pos.number(m)] = true));
        mask
    }

    /// The position after the move with a number.
    pub fn play_action(&self, number: i64) -> Result<Any, String> {
        with!(self, pos => {
            let mut next = pos.clone();
            next.play(numbered(pos, number)?).map_err(|error| error.to_string())?;
            Ok(next.into())
        })
    }

    /// The numbers of the moves that a text consists of: one move, or a whole turn.
    pub fn numbers(&self, text: &str) -> Result<Vec<i64>, String> {
        with!(self, pos => {
            let moves = turn_moves(pos, text)?;
            Ok(moves.into_iter().map(|m| pos.number(m) as i64).collect())
        })
    }

    /// Why a game ends here, if it does.
    pub fn reason(&self, before: usize, count: u32, terms: Terms) -> Option<Reason> {
        with!(self, pos => reason(pos, before, count, terms))
    }

    /// Whether no position from before a move can occur after it.
    pub fn settles(&self, number: i64) -> bool {
        with!(self, pos => numbered(pos, number).is_ok_and(|m| pos.settles(m)))
    }

    /// How many numbers there are.
    pub fn action_count(&self) -> usize {
        with!(self, pos => pos.numbering().len())
    }

    /// The move with a number.
    pub fn action_text(&self, number: i64) -> Result<String, String> {
        with!(self, pos => numbered(pos, number).map(|m| m.to_string()))
    }

    /// The number of a move, legal here or not.
    pub fn action_number(&self, text: &str) -> Result<usize, String> {
        with!(self, pos => number_of(pos, text))
    }

    /// What each plane of an observation shows.
    pub fn planes(&self) -> &'static [&'static str] {
        with!(self, _pos: G => G::PLANES)
    }

    /// Planes, rows and columns of an observation.
    pub fn shape(&self) -> [usize; 3] {
        let [rows, columns] = with!(self, pos => pos.grid());
        [self.planes().len(), rows, columns]
    }

    /// The observation of a player.
    pub fn observation(&self, player: Player) -> Vec<f32> {
        let mut out = vec![0.0; self.shape().iter().product()];
        with!(self, pos => pos.observe(player, &mut out));
        out
    }

    /// For an image of the board, which place each place of a plane comes from, and which number each
    /// number comes from.
    pub fn symmetry(&self, which: usize) -> Result<(Vec<usize>, Vec<usize>), String> {
        self.check_image(which)?;
        Ok(with!(self, pos => {
            let all = pos.numbering().iter();
            let images: Vec<_> = all.map(|m| pos.number(pos.image_of(*m, which))).collect();
            (invert(&pos.places(which)), invert(&images))
        }))
    }

    fn check_image(&self, which: usize) -> Result<(), String> {
        let images = self.images();
        let refused = || format!("images are 0 to {}, got {which}", images - 1);
        (which < images).then_some(()).ok_or_else(refused)
    }

    /// The number of ways to play this many moves or turns; `None` if it was stopped.
    pub fn perft(&self, depth: u32, turns: bool, stop: &Stop) -> Option<u64> {
        with!(self, pos => walk(pos, depth, turns, stop))
    }

    /// Many games that begin here, if there is memory for them.
    pub fn many(&self, count: usize, seed: u64, terms: Terms) -> Option<Box<dyn Games>> {
        with!(self, pos => Some(Box::new(Many::new(pos.clone(), count, seed, terms)?)))
    }

    /// Trees for the games of a batch.
    pub fn forest(&self, seed: u64, terms: Terms) -> Box<dyn Forest> {
        with!(self, _pos: G => Box::new(Trees::<G>::new(seed, terms)))
    }

    /// Every reachable position, up to symmetry, with its winner and the number of turns of both until the win.
    pub fn solve_all(&self, most: usize, stop: &Stop) -> Result<Vec<Solved>, String> {
        with!(self, pos => {
            let all = every(pos, most, stop)?;
            Ok(all.into_iter().map(|(pos, result)| (pos.into(), result)).collect())
        })
    }
}

/// The move with a number.
fn numbered<G: Numbered>(pos: &G, number: i64) -> Result<G::Move, String> {
    let all = pos.numbering();
    let found = usize::try_from(number).ok().and_then(|number| all.get(number));
    found.copied().ok_or_else(|| no_action(number, all.len()))
}

fn number_of<G: Numbered>(pos: &G, text: &str) -> Result<usize, String> {
    let m: G::Move = text.parse().map_err(|error: ParseMoveError| error.to_string())?;
    let found = pos.numbering().iter().position(|own| *own == m);
    found.ok_or_else(|| format!("`{m}` has no number: the board has no room for it"))
}

/// The error for a number that is not an action.
pub fn no_action(number: i64, count: usize) -> String {
    format!("actions are 0 to {}, got {number}", count - 1)
}

/// The permutation that undoes another.
fn invert(to: &[usize]) -> Vec<usize> {
    let mut from = vec![0; to.len()];
    to.iter().enumerate().for_each(|(i, to)| from[*to] = i);
    from
}

/// Checks the stop flag while the remaining depth is worth it.
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
