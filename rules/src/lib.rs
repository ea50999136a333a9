//! The rules of every game, exactly: which moves are legal, how positions are written and how they look.
//!
//! A [`Game`] is a position that knows its legal moves; each game has a module with its position type.
//!
//! ```
//! use rules::{Game, Notation, Show, six_making::SixMaking};
//!
//! let mut pos = SixMaking::new(&Default::default())?; // start,
//! pos.play("c3".parse()?)?; // play by text,
//! assert!(pos.play("c3".parse()?).is_err()); // illegal moves say why,
//! assert_eq!(pos.moves().len(), 24); // list what is legal,
//! assert_eq!(pos.text(), "5/5/2,x,2/5/5 2"); // write,
//! assert_eq!(SixMaking::from_text("5/5/2,x,2/5/5 2", &Default::default())?, pos); // read,
//! assert_eq!(pos.diagram().cells.len(), 25); // and draw.
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate does no input or output, reads no clock, draws no random number and starts no thread.

/// A rules page; the WebAssembly program leaves it out, since the site has it as a file.
macro_rules! page {
    ($file:literal) => {
        if cfg!(target_family = "wasm") { "" } else { include_str!($file) }
    };
}

/// What the games of this crate have in common in their `impl Game`: where they keep turn, outcome and key, and that
/// `setup` reads and writes positions.
macro_rules! common_items {
    () => {
        const INFO: &'static Info = &INFO;
        type Options = Options;
        type Setup = Setup;

        fn new(options: &Options) -> Result<Self, SetupError> {
            setup::start(options)
        }

        fn from_setup(setup: Setup) -> Result<Self, SetupError> {
            setup::read(setup)
        }

        fn setup(&self) -> Setup {
            setup::write(self)
        }

        fn edited(&self, edit: $crate::Edit) -> Result<Self, SetupError> {
            setup::edited(self, edit)
        }

        fn turn(&self) -> Player {
            self.turn
        }

        fn outcome(&self) -> Option<Outcome> {
            self.outcome
        }

        fn key(&self) -> u64 {
            self.key
        }
    };
}

mod bits;
mod by_player;
pub mod diagram;
pub mod edit;
pub mod game;
pub mod gekitai;
pub mod glaisher;
pub mod grid;
pub mod hex;
pub mod jeson_mor;
pub mod json;
pub mod lesson;
pub mod notation;
pub mod perft;
pub mod prolog;
pub mod random;
pub mod record;
#[cfg(feature = "schema")]
mod schema;
pub mod six_making;
pub mod spoken;
pub mod svg;
pub mod symmetry;
pub mod text;
pub mod verdict;

pub use bits::Bits;
pub use by_player::ByPlayer;
pub use diagram::{Diagram, Gesture, Marks, Show, Tap, Trace};
pub use edit::{Brush, Edit};
pub use game::{Game, IllegalMove, Info, Outcome, ParseMoveError, Player, SetupError};
pub use notation::Notation;
pub use record::Record;
pub use symmetry::Symmetric;
pub use verdict::Verdict;

/// Hands the list of games to a macro, each as a name and a type. It is the only list: the engine's registry and the
/// tests of all games are made from it, so that no game is forgotten anywhere.
///
/// ```
/// use rules::Game;
/// macro_rules! names {
///     ($($name:ident: $game:ty,)*) => { [$((stringify!($name), <$game>::INFO.name)),*] };
/// }
/// assert!(rules::every_game!(names).contains(&("six_making", "Six MaKING")));
/// ```
#[macro_export]
macro_rules! every_game {
    ($make:ident) => {
        $make! {
            glaisher: $crate::glaisher::Glaisher,
            gekitai: $crate::gekitai::Gekitai,
            jeson_mor: $crate::jeson_mor::JesonMor,
            six_making: $crate::six_making::SixMaking,
        }
    };
}
