//! Output for people: text in columns, rules pages, and drawings as PNG or inside a terminal.
//!
//! These modules use `rules` and `shell`, and know nothing of commands, tables and screens.

pub mod blocks;
pub mod columns;
pub mod draft;
pub mod inline;
pub mod mosaic;
pub mod pages;
pub mod picture;
