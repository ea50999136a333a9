//! The list of games, with the type-erased functions of each.

use crate::bench;
use crate::brain::Brain;
#[cfg(not(target_family = "wasm"))]
use crate::control::Stop;
#[cfg(not(target_family = "wasm"))]
use crate::data::every_match;
use crate::play::Play;
#[cfg(not(target_family = "wasm"))]
use crate::puzzles::{Collect, Puzzle, collect, rate};
use crate::score::{Score, bar};
use crate::session::{Match, Session};
#[cfg(not(target_family = "wasm"))]
use crate::solve::Exact;
#[cfg(not(target_family = "wasm"))]
use crate::solve::atlas::Row;
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
type Every = fn(&dyn Session, usize, &Stop) -> Result<Vec<Exact>, String>;
#[cfg(not(target_family = "wasm"))]
type Puzzles =
    fn(&Options, &Collect, &Stop, &mut dyn FnMut(u64, usize)) -> Result<Vec<Puzzle>, SetupError>;
#[cfg(not(target_family = "wasm"))]
type Rate = fn(Vec<Puzzle>, &mut dyn FnMut(usize)) -> Result<Vec<Puzzle>, String>;
#[cfg(not(target_family = "wasm"))]
type Verify = fn(&str, &mut dyn FnMut(usize, usize)) -> Result<Proven, Fault>;
type Opened<E> = Result<Box<dyn Session>, E>;

/// A game as commands and menus use it. The WebAssembly program leaves out solving and collecting puzzles,
/// which would double its size.
pub struct Entry {
    /// Name, options and rules page.
    pub info: &'static Info,
    /// The start of a match.
    pub start: fn(&Options) -> Opened<SetupError>,
    /// A match that starts from a position in JSON.
    pub from_json: fn(&Value, &Options) -> Opened<SetupError>,
    /// A match that starts from a position in one line of text.
    pub from_text: fn(&str, &Options) -> Opened<SetupError>,
    /// A match that starts from a position as a Prolog term.
    pub from_term: fn(&str, &Options) -> Opened<SetupError>,
    /// The match of a record.
    pub from_record: fn(&Record) -> Opened<RecordError>,
    /// An engine with tables of this many MiB.
    pub thinker: fn(usize) -> Box<dyn Thinker>,
    /// Solves the position of a match as far as the settings allow.
    #[cfg(not(target_family = "wasm"))]
    pub solve: Solve,
    /// Solves every reachable position.
    #[cfg(not(target_family = "wasm"))]
    pub complete: Completion,
    /// Every reachable position with its exact result; fails if there are more than this many.
    #[cfg(not(target_family = "wasm"))]
    pub every: Every,
    /// Collects new puzzles; reports the number of games and puzzles after each game.
    #[cfg(not(target_family = "wasm"))]
    pub puzzles: Puzzles,
    /// Rates puzzles again with the current engine; reports how many are done.
    #[cfg(not(target_family = "wasm"))]
    pub rate: Rate,
    /// The positions of the game's atlas.
    #[cfg(not(target_family = "wasm"))]
    pub atlas: fn() -> Vec<Row>,
    /// Reads and checks a certificate; reports the positions checked and the total.
    #[cfg(not(target_family = "wasm"))]
    pub verify: Verify,
    /// Looks a position up in a shipped certificate.
    pub(crate) distance: Distance,
    /// The share of the evaluation bar, 0 to 1, for a player with this score.
    pub bar: fn(Score) -> f64,
    /// How much stronger than `beginner` each level is, in Elo, as far as it was measured.
    pub level_elo: &'static [i32],
    /// Searches fixed positions to a fixed depth and counts nodes.
    pub bench: fn() -> bench::Count,
    /// The size of a position in bytes.
    pub position_bytes: usize,
}

macro_rules! entries {
    ($($name:ident: $game:ty,)*) => { &[$(entry::<$game>()),*] };
}

/// Every game, in the order menus show them: the list of `rules`.
pub static GAMES: &[Entry] = rules::every_game!(entries);

/// The game with this name, ignoring case.
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
        every: every_match::<G>,
        #[cfg(not(target_family = "wasm"))]
        puzzles: |options, wanted, stop, report| {
            collect::<G>(&options_from_json(options)?, wanted, stop, report)
        },
        #[cfg(not(target_family = "wasm"))]
        rate: rate::<G>,
        #[cfg(not(target_family = "wasm"))]
        atlas: G::atlas,
        #[cfg(not(target_family = "wasm"))]
        verify: verify_text::<G>,
        distance: distance::<G>,
        bar: |score| bar(score, G::LOG_ODDS),
        level_elo: G::LEVEL_ELO,
        bench: bench::run::<G>,
        position_bytes: size_of::<G>(),
    }
}

fn open<G: Play>(pos: Result<G, SetupError>) -> Opened<SetupError> {
    Ok(Box::new(Match::new(pos?)))
}
