//! A game in progress between two seats, implemented once for everything that keeps or shows one: the server, the
//! terminal, and the pages through their WebAssembly program.
//!
//! [`Event`]s are what has happened, with a JSON format for stores. A [`State`] is what follows from them. The
//! [`referee`] decides which facts an [`Action`] becomes, or why it is refused. [`Clock`]s are computed from events and
//! a given `now`. [`taps`] enter turns, [`Tree`] holds variations, and [`words`] describes what happened. Nothing here
//! reads a clock, spawns a thread, does I/O or draws a random number.
//!
//! ```
//! use rules::Player;
//! use table::{Action, State, referee};
//!
//! let seats = serde_json::json!([{"kind": "person", "name": "Ann"}, {"kind": "person", "name": "Ben"}]);
//! let mut state = State::read(&serde_json::json!({"game": "gekitai", "seats": seats, "seq": 1}))?;
//! let facts = referee::decide(&state, Player::One, &Action::OfferDraw)?.facts();
//! for event in state.events(Some(Player::One), facts, None, 1_000) {
//!     state.apply(&event)?;
//!     assert_eq!(table::words::event(&event, &state.course).as_deref(), Some("Ann offers a draw."));
//! }
//! let twice = referee::decide(&state, Player::One, &Action::OfferDraw).unwrap_err();
//! assert_eq!(twice.message, "you have offered a draw already");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod clock;
pub mod course;
pub mod event;
pub mod premove;
pub mod referee;
mod refusal;
#[cfg(feature = "schema")]
pub mod schema;
mod state;
pub mod taps;
mod told;
pub mod tree;
pub mod words;

pub use clock::{Clock, Pauses, TimeControl};
pub use course::Course;
pub use event::{Club, Created, Ending, Event, Fact, Offer, Reason, Seat};
pub use referee::{Action, Command};
pub use refusal::{Kind, Refusal};
pub use state::{Rematch, State};
pub use told::LARGEST;
pub use tree::Tree;
