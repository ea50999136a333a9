//! An attempt to solve a position: proofs for both players and exact bounds, in rounds.

use super::bound::{Bounder, Bounds, Count};
use super::certificate::{Certificate, Stored, Try};
use super::checkpoint::{self, Kept};
use super::knowledge::Prove;
use super::proof::Prover;
use super::strategy::{Strategy, extract, line};
use super::table::Table;
use crate::control::{Control, Limits, Stop};
use crate::play::Play;
use rules::{Player, Symmetric};
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Which searches an attempt uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// All of them, in rounds.
    All,
    /// Proof-number search alone.
    Proof,
    /// Exact bounds in turns alone.
    Bound,
    /// Exact bounds in quiet turns alone.
    Quiet,
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
    /// The proof, if it was found by proof-number search.
    pub certificate: Option<Box<Certificate<G>>>,
}

impl<G: Symmetric> Win<G> {
    /// A game that is over.
    fn over(player: Player) -> Self {
        Win { player, turns: 0, exact: true, line: Vec::new(), certificate: None }
    }
}

/// What has been found.
#[derive(Clone, Debug)]
pub enum Verdict<G: Symmetric> {
    /// A player wins.
    Win(Win<G>),
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

/// How many positions the first round of each search may look at.
const FIRST_ROUND: u64 = 20_000;

/// The largest bound that is tried when nothing is said.
const MOST_TURNS: u32 = 120;

/// Keeps the work of an attempt in a file, every so often.
struct Keeper<'a> {
    file: Option<&'a (PathBuf, Duration)>,
    about: String,
    last: Instant,
    failure: Option<String>,
}

impl Keeper<'_> {
    fn keep(&mut self, progress: &Progress, table: &Table) {
        let Some((file, _)) = self.file else { return };
        let Progress { nodes, time, no_win, .. } = *progress;
        let written = checkpoint::write(file, &self.about, &Kept { nodes, time, no_win, table });
        self.failure = written.err();
        self.last = Instant::now();
    }

    fn keep_if_due(&mut self, progress: &Progress, table: &Table) {
        if self.file.is_some_and(|(_, every)| self.last.elapsed() >= *every) {
            self.keep(progress, table);
        }
    }
}

/// An attempt that is being made.
struct Attempt<'a, G: Play> {
    pos: &'a G,
    judge: G::Judge,
    settings: &'a Settings,
    stop: &'a Stop,
    started: Instant,
    /// Time spent before a checkpoint.
    before: Duration,
    table: Table,
    bounds: Bounds,
    progress: Progress,
    /// Players for whom proofs are given up: they lean on repetitions, or there is no win.
    refuted: [bool; 2],
    keeper: Keeper<'a>,
    news: &'a mut dyn FnMut(&Progress),
}

/// Solves a position as far as the settings allow. Calls `news` with its progress.
pub fn solve<G: Play>(
    pos: &G,
    settings: &Settings,
    stop: &Stop,
    news: &mut dyn FnMut(&Progress),
) -> Result<Answer<G>, String> {
    let mut attempt = Attempt::new(pos, settings, stop, news)?;
    let verdict = attempt.run();
    attempt.progress.time = attempt.time();
    attempt.keeper.keep(&attempt.progress, &attempt.table);
    match attempt.keeper.failure {
        Some(failure) => Err(failure),
        None => Ok(Answer { verdict, progress: attempt.progress }),
    }
}

impl<'a, G: Play> Attempt<'a, G> {
    fn new(
        pos: &'a G,
        settings: &'a Settings,
        stop: &'a Stop,
        news: &'a mut dyn FnMut(&Progress),
    ) -> Result<Self, String> {
        let (proofs, bounds) = match settings.method {
            Method::Proof => (settings.mebibytes, 0),
            Method::Bound | Method::Quiet => (0, settings.mebibytes),
            Method::All => (settings.mebibytes * 3 / 4, settings.mebibytes / 4),
        };
        let about = format!("{} {} {:?}", G::INFO.id, pos.text(), settings.method);
        let mut progress = Progress::default();
        let table = match &settings.resume {
            Some(file) => {
                let kept = checkpoint::read(file, &about, proofs)?;
                (progress.nodes, progress.time) = (kept.nodes, kept.time);
                progress.no_win = kept.no_win;
                kept.table
            }
            None => Table::new(proofs),
        };
        Ok(Attempt {
            pos,
            judge: G::Judge::default(),
            settings,
            stop,
            started: Instant::now(),
            before: progress.time,
            table,
            bounds: Bounds::new(bounds),
            progress,
            refuted: [false; 2],
            keeper: Keeper {
                file: settings.checkpoint.as_ref(),
                about,
                last: Instant::now(),
                failure: None,
            },
            news,
        })
    }

    fn time(&self) -> Duration {
        self.before + self.started.elapsed()
    }

    fn players(&self) -> Vec<Player> {
        let first = self.pos.turn();
        let wanted = |player: &Player| self.settings.player.is_none_or(|only| only == *player);
        [first, first.other()].into_iter().filter(wanted).collect()
    }

    fn run(&mut self) -> Verdict<G> {
        if let Some(outcome) = self.pos.outcome() {
            let won = |player| Verdict::Win(Win::over(player));
            return outcome.winner().map_or(Verdict::Open, won);
        }
        // A search within bounds starts over in each round, so alone it gets a single one.
        let alone = matches!(self.settings.method, Method::Bound | Method::Quiet);
        let mut round = if alone { u64::MAX } else { FIRST_ROUND };
        loop {
            match self.round(round) {
                None => return Verdict::Open,
                Some(Some(verdict)) => return verdict,
                Some(None) if self.is_over() => return Verdict::Open,
                Some(None) => round = round.saturating_mul(2),
            }
        }
    }

    /// One round of everything; nothing if there is nothing left to do.
    fn round(&mut self, nodes: u64) -> Option<Option<Verdict<G>>> {
        let mut busy = false;
        for player in self.players() {
            let proofs = matches!(self.settings.method, Method::All | Method::Proof);
            if !proofs || self.refuted[player.index()] || self.is_over() {
                continue;
            }
            busy = true;
            if let Some(win) = self.prove(player, nodes) {
                return Some(Some(Verdict::Win(win)));
            }
        }
        if self.settings.method != Method::Proof && self.next_bound().is_some() && !self.is_over() {
            busy = true;
            if let Some(win) = self.bound(nodes) {
                return Some(Some(Verdict::Win(win)));
            }
        }
        busy.then_some(None)
    }

    fn is_over(&self) -> bool {
        self.stop.is_stopped()
            || self.keeper.failure.is_some()
            || self.settings.time.is_some_and(|most| self.started.elapsed() >= most)
            || self.settings.nodes.is_some_and(|most| self.progress.nodes >= most)
    }

    /// The limits of one round.
    fn limits(&self, round: u64) -> Limits {
        let left = self.settings.nodes.map(|most| most.saturating_sub(self.progress.nodes).max(1));
        Limits {
            time: self.settings.time.map(|most| most.saturating_sub(self.started.elapsed())),
            nodes: Some(left.map_or(round, |left| left.min(round))),
            ..Limits::default()
        }
    }

    /// Looks for a proof that a player wins.
    fn prove(&mut self, player: Player, round: u64) -> Option<Win<G>> {
        let control = Control::new(&self.limits(round), self.stop);
        self.progress.doing = format!("proof for {}", G::INFO.players[player.index()]);
        let nodes = self.progress.nodes;
        let (keeper, news, progress) = (&mut self.keeper, &mut self.news, &mut self.progress);
        let (before, started) = (self.before, self.started);
        let mut watch = |table: &Table| {
            progress.nodes = nodes + control.nodes();
            progress.time = before + started.elapsed();
            keeper.keep_if_due(progress, table);
            news(progress);
        };
        let mut prover = Prover::new(&self.judge, &mut self.table, &control, player, &[]);
        prover = prover.watched(&mut watch);
        let proven = prover.proves(self.pos);
        let stopped = prover.is_stopped();
        let numbers = prover.numbers_of(self.pos);
        let spent = prover.nodes();
        drop(prover);
        self.progress.nodes = nodes + spent;
        self.progress.numbers = Some(numbers);
        self.refuted[player.index()] = !proven && !stopped;
        if !proven {
            return None;
        }
        let win = self.strategy(player);
        self.refuted[player.index()] = win.is_none() && !self.is_over();
        Some(self.sharpen(win?, spent))
    }

    /// The whole strategy of a proven win.
    fn strategy(&mut self, player: Player) -> Option<Win<G>> {
        self.progress.doing = "writing the strategy down".to_owned();
        let control = Control::new(&self.limits(u64::MAX), self.stop);
        let mut prover = Prover::new(&self.judge, &mut self.table, &control, player, &[]);
        let strategy = extract(&mut prover, self.pos)?;
        let moves = line(&prover, &strategy, self.pos);
        let spent = prover.nodes();
        drop(prover);
        self.progress.nodes += spent;
        let turns = strategy.within;
        let certificate = Some(Box::new(self.certificate(player, strategy)));
        Some(Win { player, turns, exact: false, line: moves, certificate })
    }

    fn certificate(&self, winner: Player, strategy: Strategy<G>) -> Certificate<G> {
        let mut stored = HashMap::new();
        for advice in strategy.advice.into_values() {
            let (canonical, which) = advice.pos.canonical();
            let m = advice.pos.image_of(advice.m, which);
            stored.insert(canonical, Stored { m, rank: advice.rank, line: 0 });
        }
        let tries = self.judge.forcing(self.pos).map(|(ending, within)| Try { ending, within });
        Certificate { start: self.pos.clone(), winner, within: strategy.within, tries, stored }
    }

    /// Looks for a quicker win, with about as much effort as the proof has cost.
    fn sharpen(&mut self, win: Win<G>, spent: u64) -> Win<G> {
        if self.settings.method == Method::Proof {
            return win;
        }
        while self.progress.no_win[win.player.index()] + 1 < win.turns && !self.is_over() {
            let turns = self.progress.no_win[win.player.index()] + 1;
            match self.try_bound(win.player, turns, spent.max(FIRST_ROUND)) {
                None => return win,
                Some(None) => {}
                Some(Some(quicker)) => return quicker,
            }
        }
        Win { exact: self.progress.no_win[win.player.index()] + 1 == win.turns, ..win }
    }

    /// The player and the number of turns that are to be tried next.
    fn next_bound(&self) -> Option<(Player, u32)> {
        let turns = |player: Player| self.progress.no_win[player.index()] + 1;
        let next = self.players().into_iter().min_by_key(|player| turns(*player))?;
        let most = self.settings.most_turns.unwrap_or(MOST_TURNS);
        (turns(next) <= most).then(|| (next, turns(next)))
    }

    /// Raises the bounds as far as the limits of a round allow.
    fn bound(&mut self, round: u64) -> Option<Win<G>> {
        let end = self.progress.nodes.saturating_add(round);
        while let Some((player, turns)) = self.next_bound() {
            let left = end.saturating_sub(self.progress.nodes);
            if left == 0 || self.is_over() {
                break;
            }
            match self.try_bound(player, turns, left) {
                None => break,
                Some(None) => self.keeper.keep(&self.progress, &self.table),
                Some(win) => return win,
            }
        }
        None
    }

    /// Whether a player wins within this many turns; nothing if a limit has ended the search.
    #[allow(clippy::option_option)]
    fn try_bound(&mut self, player: Player, turns: u32, round: u64) -> Option<Option<Win<G>>> {
        let quiet = self.settings.method == Method::Quiet;
        let count = if quiet { Count::Quiet } else { Count::Turns };
        let bound = match count {
            Count::Quiet => turns,
            Count::Turns => 2 * turns - u32::from(player == self.pos.turn()),
        };
        let name = G::INFO.players[player.index()];
        self.progress.doing =
            format!("{name} within {turns} {}", if quiet { "quiet turns" } else { "turns" });
        let control = Control::new(&self.limits(round), self.stop);
        let nodes = self.progress.nodes;
        let (news, progress) = (&mut self.news, &mut self.progress);
        let (before, started) = (self.before, self.started);
        let mut watch = || {
            progress.nodes = nodes + control.nodes();
            progress.time = before + started.elapsed();
            news(progress);
        };
        let mut bounder = Bounder::new(&self.judge, &mut self.bounds, &control, player, count);
        bounder = bounder.watched(&mut watch);
        let found = bounder.wins(self.pos, bound);
        let spent = bounder.nodes();
        drop(bounder);
        self.progress.nodes = nodes + spent;
        if found != Some(true) {
            found?;
            self.progress.no_win[player.index()] = turns;
            return Some(None);
        }
        let control = Control::new(&self.limits(u64::MAX), self.stop);
        let mut bounder = Bounder::new(&self.judge, &mut self.bounds, &control, player, count);
        if bounder.wins(self.pos, bound) != Some(true) {
            return None;
        }
        let strategy = extract(&mut bounder, self.pos);
        let line = match &strategy {
            Some(strategy) if quiet => line(&bounder, strategy, self.pos),
            _ => bounder.line(self.pos, bound),
        };
        let spent = bounder.nodes();
        drop(bounder);
        self.progress.nodes += spent;
        let turns = strategy.as_ref().filter(|_| quiet).map_or(turns, |strategy| strategy.within);
        let certificate = strategy.map(|strategy| Box::new(self.certificate(player, strategy)));
        Some(Some(Win { player, turns, exact: !quiet, line, certificate }))
    }
}
