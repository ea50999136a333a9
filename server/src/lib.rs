//! The server of Quadrille: games that people and programs play over HTTP, and the pages that show them.
//!
//! What it offers is described in `docs/http.md`.
