//! The pages: everything that a browser fetches before it asks the server about a game.
//!
//! `assets` holds the files of `server/web`, and `bundle` joins its modules into one script; `first` draws what a page
//! shows before its scripts run, in the `words` that they use; `static_site` writes all of it for hosts that only hand out files; `routes` answers
//! requests for it; `covers` are pictures of the games; `docs` makes pages of the repository's documents; `preview` and `picture` are what others show of a link. `documents` and `packing` keep and compress answers that are the same for everybody.
//!
//! Pages read games (`live`, `room`, `event`) and never change them. Of the rest of the server they use what answers any
//! request: `error`, `guard`, `ids`, `replays`.

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
