//! All tests of the engine that go through the public interface, in one binary.

mod agree;
mod budget;
mod bytes;
mod certain;
mod certificates;
mod closed;
mod determinism;
mod effort;
mod kept;
mod knowledge;
mod laws;
mod mirror;
mod mirrored;
mod oracle;
mod proofs;
mod puzzles;
mod second;
mod seeds;
mod sessions;
mod slow_rules;
mod solvers;
mod vectors;
mod wins;
