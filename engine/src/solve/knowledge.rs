//! What the solvers ask of a game, beyond what the search does.

use super::complete::Solution;
use super::retrograde::Value;
use super::strategy::Oracle;
use crate::evaluate::Evaluate;
use rules::{Game, Player, Symmetric};
use std::io::{self, Read, Write};
use std::path::Path;

/// Writes the table of a search.
pub type Writer<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// A search that keeps its table between calls.
pub trait Tabled {
    /// Nodes so far.
    fn nodes(&self) -> u64;
    /// The table's load factor.
    fn used(&self) -> f64;
    /// Writes the table.
    fn write(&self, out: &mut dyn Write) -> io::Result<()>;
    /// Reads a table of the same size that `write` wrote.
    fn read(&mut self, input: &mut dyn Read) -> io::Result<()>;
}

/// A game's own bounded search, which counts quiet moves only.
pub trait Within<G: Game>: Oracle<G> + Tabled {
    /// Whether a player can force a win before both together have made this many quiet moves. `go_on` is
    /// called now and then with the node count and a function that writes the table; `None` if it stopped the
    /// search.
    fn wins(
        &mut self,
        pos: &G,
        attacker: Player,
        bound: u32,
        go_on: &mut dyn FnMut(u64, Writer<'_>) -> bool,
    ) -> Option<bool>;
    /// The largest bound it can search.
    fn most(&self) -> u32;
}

/// How far a proof-number search has come.
pub struct Outlook<'a> {
    /// Nodes so far.
    pub nodes: u64,
    /// Proof and disproof number of the start.
    pub numbers: (u32, u32),
    /// The same after each first move, one of those that are images of each other.
    pub firsts: Vec<(String, u32, u32)>,
    /// Writes the table.
    pub table: Writer<'a>,
}

/// A game's own proof-number search.
pub trait Numbered<G: Game>: Oracle<G> + Tabled {
    /// Whether a player can force a win; `None` if `go_on`, which is called now and then, stopped the search.
    fn proves(
        &mut self,
        pos: &G,
        attacker: Player,
        go_on: &mut dyn FnMut(&Outlook<'_>) -> bool,
    ) -> Option<bool>;
}

/// An evaluator that helps the solvers. Every method has a default.
pub trait Prove: Evaluate<Game: Symmetric> {
    /// Whether `known` finds every win within the present turn.
    fn overlooks_no_win(&self, _pos: &Self::Game) -> bool {
        false
    }

    /// The suffix of the moves that carry out wins which `known` sees beyond this turn, and the most moves it
    /// takes: for certificates, which must not rely on `known`.
    fn forcing(&self, _pos: &Self::Game) -> Option<(String, u32)> {
        None
    }

    /// The game's own quiet-move search with this many MiB and threads, if it has one for this position.
    fn within(
        &self,
        _pos: &Self::Game,
        _mebibytes: usize,
        _threads: usize,
    ) -> Option<Box<dyn Within<Self::Game>>> {
        None
    }

    /// The game's own proof-number search with this many MiB and threads, if it has one for this position.
    fn numbered(
        &self,
        _pos: &Self::Game,
        _mebibytes: usize,
        _threads: usize,
    ) -> Option<Box<dyn Numbered<Self::Game>>> {
        None
    }

    /// Explains to people what quiet moves are; follows "before both players together have made 12 quiet
    /// moves".
    fn quiet_means(&self) -> Option<&'static str> {
        None
    }

    /// The initial proof number of an unexpanded position with the defender to move, and the initial disproof
    /// number with the attacker to move, if not one. If given, moves that transpose into each other do not
    /// add up their numbers: the largest counts.
    fn cost(&self, _pos: &Self::Game) -> Option<u32> {
        None
    }

    /// The key for proofs, equal for symmetric positions.
    fn proof_key(&self, pos: &Self::Game) -> u64 {
        pos.canonical_key()
    }

    /// The bound, in turns, of the exact search before the main search, where that pays.
    fn exact_turns(&self) -> u32 {
        0
    }

    /// The same position with options under which every win is a win here too, if there are others.
    fn stricter(_pos: &Self::Game) -> Option<Self::Game> {
        None
    }

    /// Whether the moves that `forcing` names may win; false only if they cannot.
    fn may_force(_pos: &Self::Game) -> bool {
        true
    }

    /// The exact value of a position, if an installed table has it.
    fn exact(&self, _pos: &Self::Game) -> Option<Value> {
        None
    }

    /// Solves every position of the game with these options into a file, if there is a table for that. Calls
    /// `go_on` with its progress, which says whether to continue.
    fn tabulate(
        &self,
        _pos: &Self::Game,
        _file: &Path,
        _go_on: &mut dyn FnMut(String) -> bool,
    ) -> Option<Result<Solution<Self::Game>, String>> {
        None
    }
}
