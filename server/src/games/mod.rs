//! Games in memory, a cache of the store. A command becomes a plan (`plan`), the plan's events are appended to the
//! store, and only then are they applied (`played`) and published (`room`). The rules of what players may do and what
//! follows from events are in the crate `table`; this folder adds tokens, idempotent commands and presence.

pub mod hall;
mod obey;
pub mod plan;
pub mod played;
pub mod room;
pub mod rooms;
