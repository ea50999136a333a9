//! Data files of the engine: nets, certificates, results and puzzles.
//!
//! They are built into the native program. The WebAssembly program leaves them out to load quickly, and the
//! page supplies each when a game first needs it. Until then that game is not searched, because its scores
//! would differ from the native program's.

use crate::session::Session;
use crate::solve::shipped::Shipped;
use std::sync::OnceLock;

/// A data file of a game's engine.
#[derive(Debug)]
pub struct Part {
    /// The name of the file.
    pub name: &'static str,
    /// The game's id.
    game: &'static str,
    purpose: Purpose,
    kept: Kept,
    /// The parsed certificate, if it is one and was needed.
    read: OnceLock<Option<Shipped>>,
}

/// A certificate and the name of its part.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// The name of the part.
    pub name: &'static str,
    /// The certificate.
    pub proof: &'static Shipped,
}

type Options = &'static [(&'static str, u64)];

/// What a part is for.
#[derive(Debug, PartialEq, Eq)]
enum Purpose {
    /// Searches on boards of one size.
    SearchOf(u64),
    /// Puzzles.
    Puzzles,
    /// A certificate about positions with these options, after this first turn if one is named; or the atlas.
    ProofOf(Options, &'static str),
    /// What is known of each game.
    Results,
}

#[cfg(not(target_family = "wasm"))]
type Kept = &'static [u8];

/// The checksum of the file at build time (0 if it may change independently), and the file once it has been
/// supplied.
#[cfg(target_family = "wasm")]
type Kept = (u64, OnceLock<Vec<u8>>);

macro_rules! kept {
    ($file:expr) => {{
        #[cfg(not(target_family = "wasm"))]
        let kept: Kept = include_bytes!($file);
        #[cfg(target_family = "wasm")]
        let kept = (const { sum(include_bytes!($file)) }, OnceLock::new());
        kept
    }};
    ($file:expr, may change) => {{
        #[cfg(not(target_family = "wasm"))]
        let kept: Kept = include_bytes!($file);
        #[cfg(target_family = "wasm")]
        let kept = (0, OnceLock::new());
        kept
    }};
}

const fn part(name: &'static str, game: &'static str, purpose: Purpose, kept: Kept) -> Part {
    Part { name, game, purpose, kept, read: OnceLock::new() }
}

use Purpose::{ProofOf, Puzzles, Results, SearchOf};

pub(crate) static GLAISHER: Part =
    part("glaisher.net", "glaisher", SearchOf(5), kept!("../nets/glaisher.net"));
pub(crate) static SIX_MAKING_4: Part =
    part("six-making-4.net", "six-making", SearchOf(4), kept!("../nets/six-making-4.net"));
pub(crate) static SIX_MAKING_5: Part =
    part("six-making-5.net", "six-making", SearchOf(5), kept!("../nets/six-making-5.net"));
pub(crate) static GEKITAI: Part =
    part("gekitai.net", "gekitai", SearchOf(6), kept!("../nets/gekitai.net"));
pub(crate) static JESON_MOR: Part =
    part("jeson-mor.net", "jeson-mor", SearchOf(9), kept!("../nets/jeson-mor.net"));

/// Puzzles in files of a hundred, from easy to hard.
macro_rules! puzzles {
    ($($game:literal: $($number:literal)*;)*) => {
        static PUZZLES: [Part; [$($($number),*),*].len()] = [$($(part(
            concat!("puzzles-", $game, "-", $number, ".txt"),
            $game,
            Puzzles,
            kept!(concat!("puzzles/", $game, "/", $number, ".txt")),
        )),*),*];
    };
}

puzzles! {
    "glaisher": 1 2 3 4 5 6 7 8 9 10;
    "gekitai": 1 2 3 4 5 6 7 8 9 10;
    "jeson-mor": 1 2 3 4 5 6 7 8 9 10;
    "six-making": 1 2 3 4 5 6 7 8 9 10;
}

const GEKITAI_4: Options = &[("size", 4), ("markers", 8)];
const GEKITAI_5_4: Options = &[("size", 5), ("markers", 4)];
const GEKITAI_5_5: Options = &[("size", 5), ("markers", 5)];
const GEKITAI_6: Options = &[("size", 6), ("markers", 8)];

macro_rules! proofs {
    ($($name:literal $game:literal $options:expr, $first:literal $file:literal;)*) => {
        /// The certificates that come with the program; the first one of a game is that of its start.
        static PROOFS: [Part; 47] = [$(part(
            concat!($name, ".proof"),
            $game,
            ProofOf($options, $first),
            kept!(concat!("../certificates/", $file, ".certificate.gz")),
        )),*];
    };
}

proofs! {
    "gekitai" "gekitai" GEKITAI_6, "" "gekitai-6x6-both-draw";
    "gekitai-c2" "gekitai" GEKITAI_6, "c2" "gekitai-6x6-c2-both-draw";
    "gekitai-b2" "gekitai" GEKITAI_6, "b2" "gekitai-6x6-b2-both-draw";
    "gekitai-c1" "gekitai" GEKITAI_6, "c1" "gekitai-6x6-c1-both-draw";
    "gekitai-b1" "gekitai" GEKITAI_6, "b1" "gekitai-6x6-b1-both-draw";
    "gekitai-a1" "gekitai" GEKITAI_6, "a1" "gekitai-6x6-a1-both-draw";
    "gekitai-4" "gekitai" GEKITAI_4, "" "gekitai-4x4";
    "gekitai-4-draw" "gekitai" GEKITAI_4, "" "gekitai-4x4-both-draw";
    "gekitai-4-3" "gekitai" &[("size", 4), ("markers", 3)], "" "gekitai-4x4-3-markers";
    "gekitai-4-3-draw" "gekitai" &[("size", 4), ("markers", 3)], "" "gekitai-4x4-3-markers-both-draw";
    "gekitai-4-4" "gekitai" &[("size", 4), ("markers", 4)], "" "gekitai-4x4-4-markers";
    "gekitai-4-4-draw" "gekitai" &[("size", 4), ("markers", 4)], "" "gekitai-4x4-4-markers-both-draw";
    "gekitai-4-5" "gekitai" &[("size", 4), ("markers", 5)], "" "gekitai-4x4-5-markers";
    "gekitai-4-5-draw" "gekitai" &[("size", 4), ("markers", 5)], "" "gekitai-4x4-5-markers-both-draw";
    "gekitai-4-6" "gekitai" &[("size", 4), ("markers", 6)], "" "gekitai-4x4-6-markers";
    "gekitai-4-6-draw" "gekitai" &[("size", 4), ("markers", 6)], "" "gekitai-4x4-6-markers-both-draw";
    "gekitai-4-7" "gekitai" &[("size", 4), ("markers", 7)], "" "gekitai-4x4-7-markers";
    "gekitai-4-7-draw" "gekitai" &[("size", 4), ("markers", 7)], "" "gekitai-4x4-7-markers-both-draw";
    "gekitai-5-3" "gekitai" &[("size", 5), ("markers", 3)], "" "gekitai-5x5-3-markers-both-draw";
    "gekitai-5" "gekitai" GEKITAI_5_4, "" "gekitai-5x5-4-markers";
    "gekitai-5-draw" "gekitai" GEKITAI_5_4, "" "gekitai-5x5-4-markers-both-draw";
    "gekitai-5-5" "gekitai" GEKITAI_5_5, "" "gekitai-5x5-5-markers";
    "gekitai-5-5-draw" "gekitai" GEKITAI_5_5, "" "gekitai-5x5-5-markers-both-draw";
    "gekitai-6-3" "gekitai" &[("size", 6), ("markers", 3)], "" "gekitai-6x6-3-markers-both-draw";
    "gekitai-6-4" "gekitai" &[("size", 6), ("markers", 4)], "" "gekitai-6x6-4-markers-both-draw";
    "gekitai-6-5" "gekitai" &[("size", 6), ("markers", 5)], "" "gekitai-6x6-5-markers-both-draw";
    "gekitai-6-6" "gekitai" &[("size", 6), ("markers", 6)], "" "gekitai-6x6-6-markers-both-draw";
    "gekitai-6-7" "gekitai" &[("size", 6), ("markers", 7)], "" "gekitai-6x6-7-markers-both-draw";
    "gekitai-6-9" "gekitai" &[("size", 6), ("markers", 9)], "" "gekitai-6x6-9-markers-both-draw";
    "gekitai-6-10" "gekitai" &[("size", 6), ("markers", 10)], "" "gekitai-6x6-10-markers-both-draw";
    "gekitai-6-11" "gekitai" &[("size", 6), ("markers", 11)], "" "gekitai-6x6-11-markers-both-draw";
    "gekitai-6-12" "gekitai" &[("size", 6), ("markers", 12)], "" "gekitai-6x6-12-markers-both-draw";
    "gekitai-7-3" "gekitai" &[("size", 7), ("markers", 3)], "" "gekitai-7x7-3-markers-both-draw";
    "gekitai-7-4" "gekitai" &[("size", 7), ("markers", 4)], "" "gekitai-7x7-4-markers-both-draw";
    "gekitai-7-5" "gekitai" &[("size", 7), ("markers", 5)], "" "gekitai-7x7-5-markers-both-draw";
    "gekitai-7-6" "gekitai" &[("size", 7), ("markers", 6)], "" "gekitai-7x7-6-markers-both-draw";
    "gekitai-7-7" "gekitai" &[("size", 7), ("markers", 7)], "" "gekitai-7x7-7-markers-both-draw";
    "gekitai-7-8" "gekitai" &[("size", 7), ("markers", 8)], "" "gekitai-7x7-8-markers-both-draw";
    "gekitai-7-9" "gekitai" &[("size", 7), ("markers", 9)], "" "gekitai-7x7-9-markers-both-draw";
    "gekitai-7-10" "gekitai" &[("size", 7), ("markers", 10)], "" "gekitai-7x7-10-markers-both-draw";
    "gekitai-7-11" "gekitai" &[("size", 7), ("markers", 11)], "" "gekitai-7x7-11-markers-both-draw";
    "gekitai-7-12" "gekitai" &[("size", 7), ("markers", 12)], "" "gekitai-7x7-12-markers-both-draw";
    "gekitai-8-3" "gekitai" &[("size", 8), ("markers", 3)], "" "gekitai-8x8-3-markers-both-draw";
    "gekitai-8-4" "gekitai" &[("size", 8), ("markers", 4)], "" "gekitai-8x8-4-markers-both-draw";
    "gekitai-8-5" "gekitai" &[("size", 8), ("markers", 5)], "" "gekitai-8x8-5-markers-both-draw";
    "jeson-mor-5" "jeson-mor" &[("size", 5)], "" "jeson-mor-5x5";
    "jeson-mor-7" "jeson-mor" &[("size", 7)], "" "jeson-mor-7x7";
}
static RESULTS: Part = part("results.json", "", Results, kept!("../results.json", may change));
static ATLAS: Part =
    part("atlas.json", "gekitai", ProofOf(&[], ""), kept!("../atlas.json", may change));

/// Every part.
pub fn parts() -> impl Iterator<Item = &'static Part> {
    let engines = [&GLAISHER, &SIX_MAKING_4, &SIX_MAKING_5, &GEKITAI, &JESON_MOR, &RESULTS, &ATLAS];
    engines.into_iter().chain(&PUZZLES).chain(&PROOFS)
}

impl Part {
    /// The file, if available.
    #[cfg(not(target_family = "wasm"))]
    pub fn bytes(&self) -> Option<&'static [u8]> {
        Some(self.kept)
    }

    /// The file, if available.
    #[cfg(target_family = "wasm")]
    pub fn bytes(&'static self) -> Option<&'static [u8]> {
        self.kept.1.get().map(Vec::as_slice)
    }

    /// The parsed certificate, if available.
    pub fn certificate(&'static self) -> Option<&'static Shipped> {
        let packed = self.bytes()?;
        self.read.get_or_init(|| Shipped::read(packed)).as_ref()
    }

    /// Whether it is not a certificate, or one about the standard board of its game.
    pub fn is_usual(&self) -> bool {
        let ProofOf(options, _) = self.purpose else { return true };
        let is_default = |(name, of): &(&str, u64)| {
            let info = crate::find(self.game).map(|entry| entry.info);
            let option = info.and_then(|info| info.options.iter().find(|o| o.name == *name));
            option.is_some_and(|option| option.default == of.to_string())
        };
        options.iter().all(is_default)
    }

    /// Whether a search of this match needs it.
    fn serves(&self, session: &dyn Session) -> bool {
        let serves = match self.purpose {
            SearchOf(size) => {
                option(session, "size").or_else(|| option(session, "side")) == Some(size)
            }
            ProofOf(options, _) => {
                options.iter().all(|(name, of)| option(session, name) == Some(*of))
            }
            Puzzles | Results => false,
        };
        serves && session.info().id == self.game
    }

    /// Whether it is worth fetching for this match: a certificate of a first turn only where that was played, or an
    /// image of it.
    fn is_near(&self, session: &dyn Session) -> bool {
        let ProofOf(_, first) = self.purpose else { return true };
        if first.is_empty() {
            return true;
        }
        let after = |turn: &str| {
            let mut game = session.start();
            game.play(turn).ok()?;
            Some(game.canonical().0)
        };
        session.history().first().is_some_and(|turn| after(turn) == after(first))
    }
}

/// The value of a numeric option of a match; its options name it only if it is not the default.
fn option(session: &dyn Session, name: &str) -> Option<u64> {
    let usual = session.info().options.iter().find(|option| option.name == name);
    let said = session.options().get(name).and_then(|value| value.as_u64());
    said.or_else(|| usual?.default.parse().ok())
}

/// The missing parts without which the engine's scores for this match would differ from the native program's. Players
/// that use no certificates do without them (`proofs`): they are by far the largest parts.
pub fn missing(session: &dyn Session, proofs: bool) -> Vec<&'static str> {
    let missing = |part: &&'static Part| {
        let wanted = proofs || !matches!(part.purpose, ProofOf(..));
        wanted && part.bytes().is_none() && part.serves(session) && part.is_near(session)
    };
    parts().filter(missing).map(|part| part.name).collect()
}

/// The parts that hold the puzzles of a game, in order.
pub fn puzzle_parts(game: &str) -> impl Iterator<Item = &'static Part> + use<'_> {
    PUZZLES.iter().filter(move |part| part.game == game)
}

/// The certificates about positions with the options of a match, or the missing parts that have them.
pub fn certificates(session: &dyn Session) -> Result<Vec<Named>, Vec<&'static str>> {
    let about = || PROOFS.iter().filter(|part| part.serves(session));
    let is_missing = |part: &&'static Part| part.bytes().is_none() && part.is_near(session);
    let missing: Vec<_> = about().filter(is_missing).map(|part| part.name).collect();
    if !missing.is_empty() {
        return Err(missing);
    }
    let named = |part: &'static Part| Some(Named { name: part.name, proof: part.certificate()? });
    Ok(about().filter_map(named).collect())
}

/// The certificates to consult for a turn of this match; those about other first turns only with `all`. Unpacking takes
/// up to a tenth of a second. Once `wait` says that the turn must go on, unpacking continues in the background, and
/// what is not ready is left out.
pub(crate) fn certificates_in_time(
    session: &dyn Session,
    all: bool,
    wait: &mut dyn FnMut() -> bool,
) -> Vec<Named> {
    let all = all || !starts_as_usual(session);
    let is_wanted = |part: &&'static Part| {
        part.serves(session) && part.bytes().is_some() && (all || part.is_near(session))
    };
    let wanted: Vec<&'static Part> = PROOFS.iter().filter(is_wanted).collect();
    unpack(wanted.iter().copied().filter(|part| part.read.get().is_none()).collect(), wait);
    let ready =
        |part: &'static Part| Some(Named { name: part.name, proof: part.read.get()?.as_ref()? });
    wanted.into_iter().filter_map(ready).collect()
}

/// Whether a match started with the first position of its game and options.
fn starts_as_usual(session: &dyn Session) -> bool {
    let usual = crate::find(session.info().id).map(|entry| (entry.start)(&session.options()));
    usual.is_some_and(|usual| usual.is_ok_and(|usual| usual.text() == session.start().text()))
}

#[cfg(not(target_family = "wasm"))]
fn unpack(packed: Vec<&'static Part>, wait: &mut dyn FnMut() -> bool) {
    if packed.is_empty() || !wait() {
        return;
    }
    let unpacking = std::thread::spawn(move || {
        packed.into_iter().for_each(|part| {
            part.certificate();
        });
    });
    while !unpacking.is_finished() && wait() {
        std::thread::sleep(std::time::Duration::from_micros(200));
    }
}

#[cfg(target_family = "wasm")]
fn unpack(packed: Vec<&'static Part>, wait: &mut dyn FnMut() -> bool) {
    for part in packed {
        if wait() {
            part.certificate();
        }
    }
}

/// What is known of each game as JSON, or the missing part that has it.
pub fn results() -> Result<&'static [u8], &'static str> {
    RESULTS.bytes().ok_or(RESULTS.name)
}

/// Whether the game of a match has an atlas.
pub fn has_atlas(session: &dyn Session) -> bool {
    ATLAS.serves(session)
}

/// The values of the atlas as JSON, or the missing part that has them.
pub fn atlas() -> Result<&'static [u8], &'static str> {
    ATLAS.bytes().ok_or(ATLAS.name)
}

/// Supplies a part. Only the exact file that the program was built with is accepted. An empty file stands for a
/// certificate that could not be fetched and is done without.
#[cfg(target_family = "wasm")]
pub fn hand_over(name: &str, bytes: Vec<u8>) -> Result<(), String> {
    let Some(part) = parts().find(|part| part.name == name) else {
        return Err(format!("there is no part `{}`", rules::game::shorten(name)));
    };
    let (expected, found) = (part.kept.0, sum(&bytes));
    let without = bytes.is_empty() && matches!(part.purpose, ProofOf(..));
    if !without && found != expected && expected != 0 {
        let message = format!("{name} has the sum {found:016x}, expected {expected:016x}");
        return Err(format!("{message}: it belongs to another version"));
    }
    part.kept.1.get_or_init(|| bytes);
    Ok(())
}

/// FNV-1a, to detect files of another version and truncated ones.
#[cfg(target_family = "wasm")]
const fn sum(bytes: &[u8]) -> u64 {
    let (mut sum, mut i) = (0xcbf2_9ce4_8422_2325, 0);
    while i < bytes.len() {
        sum = (sum ^ bytes[i] as u64).wrapping_mul(0x100_0000_01b3);
        i += 1;
    }
    sum
}
