//! Long-running work, on threads of its own and shared fairly between addresses: engine work (`queue`, `engines`, and
//! `jobs` and `hand` for workers on other machines), computer players (`computers`), and replays without an engine
//! (`replays`, `fair`). What a request for the engine does is in `requests::Work`.

pub mod computers;
pub mod engines;
pub mod fair;
#[cfg(feature = "many")]
pub mod hand;
#[cfg(feature = "many")]
pub mod jobs;
pub mod queue;
pub mod replays;
