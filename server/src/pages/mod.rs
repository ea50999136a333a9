//! The pages: everything that a browser fetches before it asks the server about a game.
//!
//! `assets` has the files of `server/web`, which `bundle` joins into one script; `first` draws what a page shows before
//! its scripts run, in the `words` that they use too; `docs` makes pages of the repository's documents; `covers`,
//! `picture` and `preview` are for tiles and link previews. `routes` serves all of it, and `static_site` writes it for
//! static hosts. `documents` and `packing` cache and compress responses that are the same for everybody.
//!
//! Pages read games and never change them. They depend on `games`, and on `http::guard`, `http::refused`, `ids` and
//! `work::replays`.

mod assets;
mod bundle;
mod covers;
mod docs;
mod documents;
pub mod first;
pub mod packing;
mod picture;
mod preview;
mod routes;
mod static_site;
mod words;

pub use assets::{Files, check_folder};
pub use documents::{Document, Documents, MOST as MOST_KEPT};
pub use picture::Letters;
pub use routes::router;
