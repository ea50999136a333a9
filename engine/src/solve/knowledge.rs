//! What proofs and tables need of a game, beside what a search asks for.

use super::complete::Solution;
use super::retrograde::Value;
use super::strategy::Oracle;
use crate::evaluate::{Evaluate, MoveOf};
use rules::{Game, Player};
use std::io::{self, Read, Write};
use std::path::Path;

/// Writes the table of a search.
pub type Writer<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// A search of a game's own that counts quiet moves only, and keeps what it has learned.
pub trait Within<G: Game>: Oracle<G> {
    /// Whether a player can force a win before both together have made this many quiet moves. Nothing if
    /// `go_on` has ended it, which is asked now and then with the positions looked at so far and a way to
    /// write the table.
    fn wins(
        &mut self,
        pos: &G,
        attacker: Player,
        bound: u32,
        go_on: &mut dyn FnMut(u64, Writer<'_>) -> bool,
    ) -> Option<bool>;
    /// The largest bound.
    fn most(&self) -> u32;
    /// How many positions were looked at so far.
    fn nodes(&self) -> u64;
    /// The part of the table that is in use.
    fn used(&self) -> f64;
    /// Writes the table.
    fn write(&self, out: &mut dyn Write) -> io::Result<()>;
    /// Reads a table that `write` wrote, of the same size.
    fn read(&mut self, input: &mut dyn Read) -> io::Result<()>;
}

/// A judgement that helps to prove. Everything may be left as it is.
pub trait Prove: Evaluate {
    /// Whether `known` is certain to see a win with this turn, if there is one.
    fn overlooks_no_win(&self, _pos: &Self::Game) -> bool {
        false
    }

    /// How the moves end that carry out wins which `known` sees beyond this turn, and how many of them it
    /// may take: for certificates, which must not rely on `known`.
    fn forcing(&self, _pos: &Self::Game) -> Option<(String, u32)> {
        None
    }

    /// The game's own search for quiet moves, with so many mebibytes and threads, where it has one for
    /// this position.
    fn within(
        &self,
        _pos: &Self::Game,
        _mebibytes: usize,
        _threads: usize,
    ) -> Option<Box<dyn Within<Self::Game>>> {
        None
    }

    /// What a bound in quiet moves means, for people: it stands behind "before both players together have
    /// made 12 quiet moves".
    fn quiet_means(&self) -> Option<&'static str> {
        None
    }

    /// What a position that a proof search has not looked at yet is taken to cost, if more than one: to prove it where
    /// the defender is to move, else to refute it. Where that is said, costs of moves that lead to the same positions
    /// in the end do not add up: the largest counts.
    fn cost(&self, _pos: &Self::Game) -> Option<u32> {
        None
    }

    /// The key under which proofs are kept: the same for all positions that a symmetry makes equal.
    fn proof_key(&self, pos: &Self::Game) -> u64 {
        pos.key()
    }

    /// Within how many turns a win is looked for exactly before the main search, where that pays.
    fn exact_turns(&self) -> u32 {
        0
    }

    /// Reads what `book` needs, so that no turn has to wait for it.
    fn prepare(&self) {}

    /// A move of a strategy that is proven to win, and in how many turns of the mover it does at most.
    fn book(&self, _pos: &Self::Game) -> Option<(MoveOf<Self>, u32)> {
        None
    }

    /// The exact result and distance of a position, where a table is installed that has it.
    fn exact(&self, _pos: &Self::Game) -> Option<Value> {
        None
    }

    /// Solves every position of the game with the options of this one into a file, where there is a table
    /// for that. Calls `go_on` with how far it is, which says whether to go on.
    fn tabulate(
        &self,
        _pos: &Self::Game,
        _file: &Path,
        _go_on: &mut dyn FnMut(String) -> bool,
    ) -> Option<Result<Solution<Self::Game>, String>> {
        None
    }
}
