//! The list of games, and the ways into them.

use crate::bench;
use crate::brain::Brain;
#[cfg(not(target_family = "wasm"))]
use crate::control::Stop;
use crate::play::Play;
#[cfg(not(target_family = "wasm"))]
use crate::puzzles::{Collect, Puzzle, collect, rate};
use crate::score::{Score, bar};
use crate::session::{Match, Session};
#[cfg(not(target_family = "wasm"))]
use crate::solve::certificate::Fault;
#[cfg(not(target_family = "wasm"))]
use crate::solve::complete::{Complete, complete_match};
use crate::solve::follow::{Distance, distance};
#[cfg(not(target_family = "wasm"))]
use crate::solve::question::{Progress, Settings};
#[cfg(not(target_family = "wasm"))]
use crate::solve::report::{Proven, Report, solve_match, verify_text};
use crate::thinker::Thinker;
use rules::notation::{agree, from_json, options_from_json};
use rules::prolog::Term;
use rules::record::{Record, RecordError};
use rules::{Info, SetupError};
use serde_json::{Map, Value};
#[cfg(not(target_family = "wasm"))]
use std::path::Path;

type Options = Map<String, Value>;
#[cfg(not(target_family = "wasm"))]
type Solve =
    fn(&dyn Session, &Settings, &Stop, &mut dyn FnMut(&Progress)) -> Result<Report, String>;
#[cfg(not(target_family = "wasm"))]
type Completion = fn(
    &dyn Session,
    usize,
    Option<&Path>,
    &Stop,
    &mut dyn FnMut(String),
) -> Result<Complete, String>;
#[cfg(not(target_family = "wasm"))]
type Puzzles =
    fn(&Options, &Collect, &Stop, &mut dyn FnMut(u64, usize)) -> Result<Vec<Puzzle>, SetupError>;
#[cfg(not(target_family = "wasm"))]
type Rate = fn(Vec<Puzzle>, &mut dyn FnMut(usize)) -> Result<Vec<Puzzle>, String>;
#[cfg(not(target_family = "wasm"))]
type Verify = fn(&str, &mut dyn FnMut(usize, usize)) -> Result<Proven, Fault>;
type Opened<E> = Result<Box<dyn Session>, E>;

/// A game as commands and menus reach it. A page solves nothing and collects no puzzles: what does would double
/// the size of its program.
pub struct Entry {
    /// Name, options and rules page.
    pub info: &'static Info,
    /// The start of a match.
    pub start: fn(&Options) -> Opened<SetupError>,
    /// A match that begins with a position in JSON.
    pub from_json: fn(&Value, &Options) -> Opened<SetupError>,
    /// A match that begins with a position in one line.
    pub from_text: fn(&str, &Options) -> Opened<SetupError>,
    /// A match that begins with a position as a Prolog term.
    pub from_term: fn(&str, &Options) -> Opened<SetupError>,
    /// The match that a record tells.
    pub from_record: fn(&Record) -> Opened<RecordError>,
    /// An engine with a table of this many mebibytes.
    pub thinker: fn(usize) -> Box<dyn Thinker>,
    /// Solves the position of a match as far as the settings allow.
    #[cfg(not(target_family = "wasm"))]
    pub solve: Solve,
    /// Solves every position that can follow.
    #[cfg(not(target_family = "wasm"))]
    pub complete: Completion,
    /// Collects new puzzles; reports after each game how many games and puzzles there are.
    #[cfg(not(target_family = "wasm"))]
    pub puzzles: Puzzles,
    /// Rates puzzles again, by the engine as it is now; reports how many are done.
    #[cfg(not(target_family = "wasm"))]
    pub rate: Rate,
    /// Reads and checks a certificate; reports how many of how many positions are checked.
    #[cfg(not(target_family = "wasm"))]
    pub verify: Verify,
    /// How far the winner of a certificate that comes with the program is from the win.
    pub(crate) distance: Distance,
    /// How much of an evaluation bar belongs to whom a score is worth that much, from 0 to 1.
    pub bar: fn(Score) -> f64,
    /// Searches fixed positions to a fixed depth.
    pub bench: fn() -> bench::Count,
    /// How many bytes a position takes.
    pub position_bytes: usize,
}

macro_rules! entries {
    ($($name:ident: $game:ty,)*) => { &[$(entry::<$game>()),*] };
}

/// Every game, in the order menus show them: the list of `rules`.
pub static GAMES: &[Entry] = rules::every_game!(entries);

/// The game with this name, in any case.
pub fn find(id: &str) -> Option<&'static Entry> {
    GAMES.iter().find(|entry| entry.info.id.eq_ignore_ascii_case(id.trim()))
}

const fn entry<G: Play>() -> Entry {
    Entry {
        info: G::INFO,
        start: |options| open(G::new(&options_from_json(options)?)),
        from_json: |value, options| open(from_json::<G>(value, options)),
        from_text: |text, options| {
            open(
                G::from_text(text, &options_from_json(options)?)
                    .and_then(|pos| agree(pos, options)),
            )
        },
        from_term: |text, options| {
            let term = Term::parse(text)?;
            open(
                G::from_term(&term, &options_from_json(options)?)
                    .and_then(|pos| agree(pos, options)),
            )
        },
        from_record: |record| Ok(Box::new(Match::<G>::from_record(record)?)),
        thinker: |mebibytes| Box::new(Brain::<G>::new(mebibytes)),
        #[cfg(not(target_family = "wasm"))]
        solve: solve_match::<G>,
        #[cfg(not(target_family = "wasm"))]
        complete: complete_match::<G>,
        #[cfg(not(target_family = "wasm"))]
        puzzles: |options, wanted, stop, report| {
            collect::<G>(&options_from_json(options)?, wanted, stop, report)
        },
        #[cfg(not(target_family = "wasm"))]
        rate: rate::<G>,
        #[cfg(not(target_family = "wasm"))]
        verify: verify_text::<G>,
        distance: distance::<G>,
        bar: |score| bar(score, G::LOG_ODDS),
        bench: bench::run::<G>,
        position_bytes: size_of::<G>(),
    }
}

fn open<G: Play>(pos: Result<G, SetupError>) -> Opened<SetupError> {
    Ok(Box::new(Match::new(pos?)))
}
