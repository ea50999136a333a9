//! All tests of the rules that go through the public interface, in one binary.

mod drawings;
mod editing;
mod laws;
mod list;
mod perft;
mod refusals;
mod rules_of_play;
mod seeds;
