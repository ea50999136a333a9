//! An attempt to solve a position: proofs for both players and exact bounds, in rounds.

use super::attempt::Attempt;
use super::certificate::Certificate;
use super::closed::Closed;
use crate::control::Stop;
use crate::play::Play;
use rules::{Player, Symmetric};
use std::path::PathBuf;
use std::time::Duration;

/// Which searches an attempt uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// What suits the question: bounds alone where the turns are limited, else all of them in rounds.
    All,
    /// Proof-number search alone.
    Proof,
    /// Exact bounds in turns alone.
    Bound,
    /// Exact bounds in quiet turns alone.
    Quiet,
    /// Closed sets alone: that nobody can force a win.
    Draw,
}

/// What may be spent, and where the work is kept.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which searches to use.
    pub method: Method,
    /// Whose win is looked for; both players' if nothing is said.
    pub player: Option<Player>,
    /// The largest bound that is tried.
    pub most_turns: Option<u32>,
    /// How long it may take, if that is limited.
    pub time: Option<Duration>,
    /// How many positions it may look at, if that is limited.
    pub nodes: Option<u64>,
    /// Memory for tables, in mebibytes.
    pub mebibytes: usize,
    /// How many threads to use, where a search can use several.
    pub threads: usize,
    /// A file in which the work is kept, and how often; at the end it is kept, too.
    pub checkpoint: Option<(PathBuf, Duration)>,
    /// A file to go on from.
    pub resume: Option<PathBuf>,
}

/// How far an attempt has come.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Positions looked at, those before a checkpoint included.
    pub nodes: u64,
    /// Time spent, that before a checkpoint included.
    pub time: Duration,
    /// What is being done, for people.
    pub doing: String,
    /// Proof and disproof number of the start, where there are any.
    pub numbers: Option<(u32, u32)>,
    /// For each player, the turns within which there is no win.
    pub no_win: [u32; 2],
    /// For each player, the quiet moves of both together within which there is no win.
    pub no_quiet: [u32; 2],
    /// The part of the table that is in use, where that is known.
    pub used: Option<f64>,
}

/// A win that has been found.
#[derive(Clone, Debug)]
pub struct Win<G: Symmetric> {
    /// Who wins.
    pub player: Player,
    /// In how many of the winner's turns at most.
    pub turns: u32,
    /// Whether there is no quicker win.
    pub exact: bool,
    /// A line that shows it.
    pub line: Vec<G::Move>,
    /// The proof; there is none of a game that is over.
    pub certificate: Option<Box<Certificate<G>>>,
}

impl<G: Symmetric> Win<G> {
    /// A game that is over.
    pub(super) fn over(player: Player) -> Self {
        Win { player, turns: 0, exact: true, line: Vec::new(), certificate: None }
    }
}

/// What has been found.
#[derive(Clone, Debug)]
pub enum Verdict<G: Symmetric> {
    /// A player wins.
    Win(Win<G>),
    /// Nobody whose win was looked for can force one.
    Draw(Box<Closed<G>>),
    /// No win is known; `Progress::no_win` tells what is excluded.
    Open,
}

/// The end of an attempt.
#[derive(Clone, Debug)]
pub struct Answer<G: Symmetric> {
    /// Who wins.
    pub verdict: Verdict<G>,
    /// What was spent, and what is excluded.
    pub progress: Progress,
}

/// Solves a position as far as the settings allow. Calls `news` with its progress.
pub fn solve<G: Play>(
    pos: &G,
    settings: &Settings,
    stop: &Stop,
    news: &mut dyn FnMut(&Progress),
) -> Result<Answer<G>, String> {
    let mut settings = settings.clone();
    // Proofs say nothing of how soon.
    if settings.method == Method::All && settings.most_turns.is_some() {
        settings.method = Method::Bound;
    }
    Attempt::new(pos, &settings, stop, news)?.finish()
}
