//! The question put to the solver, its settings and its answer.

use super::attempt::Attempt;
use super::certificate::Certificate;
use super::closed::Closed;
use crate::control::Stop;
use crate::play::Play;
use rules::{ByPlayer, Player, Symmetric};
use std::path::PathBuf;
use std::time::Duration;

/// Which searches an attempt uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Chosen by the question: bounded search alone if the turns are limited, otherwise all of them in
    /// rounds.
    All,
    /// Proof-number search alone.
    Proof,
    /// Bounded search in turns alone.
    Bound,
    /// The same by a second search, which shares nothing with the first but the rules.
    Plain,
    /// Bounded search in quiet turns alone.
    Quiet,
    /// Closed sets alone, which show that nobody can force a win.
    Draw,
}

/// Limits, resources and checkpoint files of an attempt.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which searches to use.
    pub method: Method,
    /// The player whose win is searched; `None` means both.
    pub player: Option<Player>,
    /// The largest bound tried.
    pub most_turns: Option<u32>,
    /// The time limit, if any.
    pub time: Option<Duration>,
    /// The node limit, if any.
    pub nodes: Option<u64>,
    /// Memory for tables, in MiB.
    pub mebibytes: usize,
    /// Threads, for searches that can use several.
    pub threads: usize,
    /// The checkpoint file and the least interval between checkpoints, which grows with the time it takes to write
    /// them; the last one is saved at the end.
    pub checkpoint: Option<(PathBuf, Duration)>,
    /// The checkpoint to resume from.
    pub resume: Option<PathBuf>,
}

/// The progress of an attempt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Nodes, those before a checkpoint included.
    pub nodes: u64,
    /// Time spent, the time before a checkpoint included.
    pub time: Duration,
    /// What it is doing, for people.
    pub doing: String,
    /// Whether a win is proven and its strategy is being written down, which no limit should stop.
    pub writing: bool,
    /// Proof and disproof number of the start, if proof-number search is used.
    pub numbers: Option<(u32, u32)>,
    /// The same after each first move, where the search tells: the move, what is to prove and what to refute.
    pub firsts: Vec<(String, u32, u32)>,
    /// For each player, the largest bound in turns without a win.
    pub no_win: ByPlayer<u32>,
    /// For each player, the largest bound in quiet moves of both players without a win.
    pub no_quiet: ByPlayer<u32>,
    /// The table's load factor, if known.
    pub used: Option<f64>,
    /// Why the last checkpoint could not be written, if it could not; the one before it is still there.
    pub trouble: Option<String>,
}

/// A forced win.
#[derive(Clone, Debug)]
pub struct Win<G: Symmetric> {
    /// Who wins.
    pub player: Player,
    /// Upper bound of the win distance, in turns of the winner.
    pub turns: u32,
    /// Whether that is the exact win distance.
    pub exact: bool,
    /// A line that shows it.
    pub line: Vec<G::Move>,
    /// The proof; `None` for a game that is over.
    pub certificate: Option<Box<Certificate<G>>>,
}

impl<G: Symmetric> Win<G> {
    /// A game that is over.
    pub(super) fn over(player: Player) -> Self {
        Win { player, turns: 0, exact: true, line: Vec::new(), certificate: None }
    }
}

/// The result of an attempt.
#[derive(Clone, Debug)]
pub enum Verdict<G: Symmetric> {
    /// A player wins.
    Win(Win<G>),
    /// Nobody whose win was searched can force one.
    Draw(Box<Closed<G>>),
    /// Unknown; `Progress::no_win` says what is ruled out.
    Open,
}

/// The answer to a question.
#[derive(Clone, Debug)]
pub struct Answer<G: Symmetric> {
    /// Who wins.
    pub verdict: Verdict<G>,
    /// What was spent and what is ruled out.
    pub progress: Progress,
}

/// Solves a position as far as the settings allow and reports progress to `news`.
pub fn solve<G: Play>(
    pos: &G,
    settings: &Settings,
    stop: &Stop,
    news: &mut dyn FnMut(&Progress),
) -> Result<Answer<G>, String> {
    let mut settings = settings.clone();
    // A proof says nothing about the win distance.
    if settings.method == Method::All && settings.most_turns.is_some() {
        settings.method = Method::Bound;
    }
    Attempt::new(pos, &settings, stop, news)?.finish()
}
