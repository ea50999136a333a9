//! The main loop of the solver: every search in turn, round after round, with a larger node limit each time.

mod bounds;

use super::bound::Bounds;
use super::certificate::{Certificate, Stored, Try};
use super::checkpoint::{self, Kept};
use super::closed::Closed;
use super::file::MOST_STORED;
use super::hold::{Held, Holder};
use super::knowledge::{Numbered, Outlook, Prove, Tabled, Within, Writer};
use super::plain::Memory;
use super::proof::Prover;
use super::question::{Answer, Method, Progress, Settings, Verdict, Win};
use super::strategy::{Strategy, extract, line};
use super::table::Table;
use crate::control::{Control, Limits, Stop};
use crate::play::Play;
use rules::{ByPlayer, Player};
use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Node limit of each search in the first round.
const FIRST_ROUND: u64 = 20_000;

/// Bytes per stored position in the search for a closed set, its replies and predecessors included.
const IN_HAND: usize = 256;

/// A game's own search gets this many times the nodes: they are far cheaper.
const QUIET_SHARE: u64 = 64;

/// A game's own proof-number search gets this many times the nodes of a round.
const OWN_SHARE: u64 = 16;

/// How often a proof is searched again after its strategy could not be extracted.
const MOST_UNWRITTEN: u32 = 4;

/// Default of the largest bound tried.
const MOST_TURNS: u32 = 120;

/// Saves a checkpoint at regular intervals.
struct Keeper<'a> {
    file: Option<&'a (PathBuf, Duration)>,
    about: String,
    /// Whether the bound counts quiet moves only.
    quiet: bool,
    last: Instant,
    /// How long that took.
    took: Duration,
}

/// Checkpoints are so far apart that writing them takes one part in twenty of the time.
const PARTS: u32 = 19;

impl Keeper<'_> {
    /// Writes a checkpoint. If that fails, the one before it remains.
    fn keep(&mut self, progress: &mut Progress, table: Writer<'_>) {
        let Some((file, _)) = self.file else { return };
        let Progress { nodes, time, .. } = *progress;
        let no_win = if self.quiet { progress.no_quiet } else { progress.no_win };
        let began = Instant::now();
        let written = checkpoint::write(file, &self.about, Kept { nodes, time, no_win }, table);
        progress.trouble = written.err();
        (self.last, self.took) = (Instant::now(), began.elapsed());
    }

    fn keep_if_due(&mut self, progress: &mut Progress, table: Writer<'_>) {
        let pause = self.took.saturating_mul(PARTS);
        if self.file.is_some_and(|(_, every)| self.last.elapsed() >= pause.max(*every)) {
            self.keep(progress, table);
        }
    }
}

/// Tells how many positions of a strategy are written down, and whether to go on.
fn told<'a>(
    news: &'a mut dyn FnMut(&Progress),
    progress: &'a mut Progress,
    stop: &'a Stop,
) -> impl FnMut(usize) -> bool + 'a {
    progress.writing = true;
    move |positions| {
        let more = if positions > MOST_STORED { ", more than `verify` reads" } else { "" };
        progress.doing = format!("writing the strategy down: {positions} positions{more}");
        news(progress);
        !stop.is_stopped()
    }
}

/// Writes the transposition table of a proof search.
fn writer(table: &Table) -> impl Fn(&mut dyn Write) -> std::io::Result<()> {
    |mut out: &mut dyn Write| table.write(&mut out)
}

/// An attempt in progress.
pub(super) struct Attempt<'a, G: Play> {
    pos: &'a G,
    judge: G::Judge,
    settings: &'a Settings,
    stop: &'a Stop,
    started: Instant,
    /// Time spent before the checkpoint this attempt was resumed from.
    before: Duration,
    table: Table,
    bounds: Bounds,
    /// The tables of the plain search, for each player's win.
    plain: ByPlayer<Memory<G>>,
    /// The game's own quiet-move search, if it has one.
    within: Option<Box<dyn Within<G>>>,
    /// The game's own proof-number search, if it has one and proofs are all that is asked for.
    numbered: Option<Box<dyn Numbered<G>>>,
    progress: Progress,
    /// Players whose win is no longer searched for: it was disproved, or its strategy could not be extracted.
    refuted: ByPlayer<bool>,
    /// Failed strategy extractions of each player.
    unwritten: ByPlayer<u32>,
    /// Players against whom a closed set was searched, and whether there is none.
    held: ByPlayer<Option<Vec<G>>>,
    unheld: bool,
    keeper: Keeper<'a>,
    news: &'a mut dyn FnMut(&Progress),
}

/// Memory for proof-number search, bounded search and the game's own search, in MiB; the plain search gets all of it.
fn shares(settings: &Settings) -> [usize; 3] {
    let all = settings.mebibytes;
    match settings.method {
        Method::Proof => [all, 0, 0],
        Method::Bound | Method::Draw => [0, all, 0],
        Method::Quiet => [0, 0, all],
        Method::Plain => [0, 0, 0],
        Method::All => [all / 2, all / 4, all / 4],
    }
}

impl<'a, G: Play> Attempt<'a, G> {
    pub(super) fn new(
        pos: &'a G,
        settings: &'a Settings,
        stop: &'a Stop,
        news: &'a mut dyn FnMut(&Progress),
    ) -> Result<Self, String> {
        let about = format!("{} {} {:?}", G::INFO.id, pos.text(), settings.method);
        let quiet = settings.method == Method::Quiet;
        let judge = G::Judge::default();
        let [proofs, bounds, own] = shares(settings);
        let mut within = None;
        if own > 0 {
            within = judge.within(pos, own, settings.threads);
        }
        let bounds = if quiet && within.is_none() { own } else { bounds };
        let mut numbered = None;
        if settings.method == Method::Proof {
            numbered = judge.numbered(pos, proofs, settings.threads);
        }
        let generic = if settings.resume.is_some() || numbered.is_some() { 0 } else { proofs };
        let mut attempt = Attempt {
            pos,
            judge,
            settings,
            stop,
            started: Instant::now(),
            before: Duration::ZERO,
            table: Table::new(generic),
            bounds: Bounds::new(bounds),
            plain: ByPlayer::from_fn(|_| Memory::new(settings.mebibytes / 2)),
            within,
            numbered,
            progress: Progress::default(),
            refuted: ByPlayer::default(),
            unwritten: ByPlayer::default(),
            held: ByPlayer::new(None, None),
            unheld: false,
            keeper: Keeper {
                file: settings.checkpoint.as_ref(),
                about,
                quiet,
                last: Instant::now(),
                took: Duration::ZERO,
            },
            news,
        };
        if let Some((file, _)) = &settings.checkpoint {
            checkpoint::try_to_write(file)?;
        }
        if let Some(file) = &settings.resume {
            attempt.resume(file, proofs)?;
        }
        Ok(attempt)
    }

    /// Resumes from a checkpoint.
    fn resume(&mut self, file: &std::path::Path, proofs: usize) -> Result<(), String> {
        let within = self.within.as_mut().filter(|_| self.keeper.quiet);
        let own: Option<&mut dyn Tabled> = match (within, &mut self.numbered) {
            (Some(within), _) => Some(within.as_mut()),
            (None, Some(numbered)) => Some(numbered.as_mut()),
            (None, None) => None,
        };
        let kept = match own {
            Some(own) => checkpoint::read(file, &self.keeper.about, &mut |input| own.read(input))?,
            None => checkpoint::read(file, &self.keeper.about, &mut |mut input| {
                self.table = Table::read(&mut input, proofs)?;
                Ok(())
            })?,
        };
        (self.progress.nodes, self.progress.time) = (kept.nodes, kept.time);
        self.before = kept.time;
        match self.keeper.quiet {
            true => self.progress.no_quiet = kept.no_win,
            false => self.progress.no_win = kept.no_win,
        }
        Ok(())
    }

    /// Runs to the end and saves a last checkpoint.
    pub(super) fn finish(mut self) -> Result<Answer<G>, String> {
        let verdict = self.run();
        self.progress.time = self.time();
        let (keeper, progress) = (&mut self.keeper, &mut self.progress);
        match (self.within.as_ref().filter(|_| keeper.quiet), &self.numbered) {
            (Some(within), _) => keeper.keep(progress, &|out| within.write(out)),
            (None, Some(own)) => keeper.keep(progress, &|out| own.write(out)),
            (None, None) => keeper.keep(progress, &writer(&self.table)),
        }
        Ok(Answer { verdict, progress: self.progress })
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
        // A bounded search starts over in every round, so on its own it gets a single round.
        let alone = !matches!(self.settings.method, Method::All | Method::Proof);
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

    /// One round of every search; `None` if there is nothing left to do.
    fn round(&mut self, nodes: u64) -> Option<Option<Verdict<G>>> {
        let mut busy = false;
        if self.within.is_some() && !self.is_over() && self.next_quiet().is_some() {
            busy = true;
            if let Some(win) = self.quiet(nodes.saturating_mul(QUIET_SHARE)) {
                return Some(Some(Verdict::Win(win)));
            }
        }
        for player in self.players() {
            let proofs = matches!(self.settings.method, Method::All | Method::Proof);
            if !proofs || self.refuted[player] || self.is_over() {
                continue;
            }
            busy = true;
            if let Some(win) = self.prove(player, nodes) {
                return Some(Some(Verdict::Win(win)));
            }
        }
        if self.hopes_for_a_draw() && !self.is_over() {
            busy = true;
            if let Some(closed) = self.hold(nodes) {
                return Some(Some(Verdict::Draw(Box::new(closed))));
            }
        }
        let bounds = match self.settings.method {
            Method::Proof | Method::Draw => false,
            Method::Quiet => self.within.is_none(),
            Method::All | Method::Bound | Method::Plain => true,
        };
        if bounds && self.next_bound().is_some() && !self.is_over() {
            busy = true;
            if let Some(win) = self.bound(nodes) {
                return Some(Some(Verdict::Win(win)));
            }
        }
        busy.then_some(None)
    }

    /// Whether to search for a closed set.
    fn hopes_for_a_draw(&self) -> bool {
        !self.unheld
            && match self.settings.method {
                Method::Draw => true,
                Method::All => self.settings.most_turns.is_none(),
                _ => false,
            }
    }

    /// How many positions the search for a closed set may store: other searches need memory too.
    fn most_in_hand(&self) -> usize {
        match self.settings.method {
            Method::All => (self.settings.mebibytes << 20) / 4 / IN_HAND,
            _ => usize::MAX,
        }
    }

    /// Searches for a closed set against each player whose win is still open.
    fn hold(&mut self, round: u64) -> Option<Closed<G>> {
        let players = self.players();
        for player in players.iter().copied() {
            if self.held[player].is_some() {
                continue;
            }
            let name = G::INFO.players[player];
            let control = Control::new(&self.limits(round), self.stop);
            let (nodes, most) = (self.progress.nodes, self.most_in_hand());
            let (news, progress) = (&mut self.news, &mut self.progress);
            let (before, started) = (self.before, self.started);
            let mut watch = |positions: usize, open: usize| {
                progress.doing =
                    format!("replies against {name}: {positions} in hand, {open} to look at");
                progress.nodes = nodes + control.nodes();
                progress.time = before + started.elapsed();
                news(progress);
            };
            let mut holder = Holder::<G>::new(&self.judge, &mut self.bounds, &control, player);
            holder = holder.at_most(most);
            let held = holder.hold(self.pos, &mut watch);
            let is_full = holder.is_full();
            drop(holder);
            self.progress.nodes = nodes + control.nodes();
            self.progress.numbers = None;
            match held {
                Held::Set(set) => self.held[player] = Some(set),
                Held::Lost | Held::Stopped => {
                    self.unheld = matches!(held, Held::Lost) || is_full || round == u64::MAX;
                    return None;
                }
            }
        }
        let sets = self.held.iter_mut().filter_map(Option::take).flatten();
        let stored = sets.map(|pos| (pos, 0)).collect();
        Some(Closed { start: self.pos.clone(), against: players, stored })
    }

    fn is_over(&self) -> bool {
        self.stop.is_stopped()
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

    /// Proof-number search for a player's win.
    fn prove(&mut self, player: Player, round: u64) -> Option<Win<G>> {
        if let Some(mut own) = self.numbered.take() {
            let win = self.prove_by_own(own.as_mut(), player, round);
            self.numbered = Some(own);
            return win;
        }
        let control = Control::new(&self.limits(round), self.stop);
        self.progress.doing = format!("proof for {}", G::INFO.players[player]);
        let nodes = self.progress.nodes;
        let (keeper, news, progress) = (&mut self.keeper, &mut self.news, &mut self.progress);
        let (before, started) = (self.before, self.started);
        let mut watch = |table: &Table, numbers: (u32, u32)| {
            progress.nodes = nodes + control.nodes();
            progress.numbers = Some(numbers);
            progress.time = before + started.elapsed();
            keeper.keep_if_due(progress, &writer(table));
            news(progress);
        };
        let mut prover = Prover::new(&self.judge, &mut self.table, &control, player);
        prover = prover.watched(&mut watch);
        let proven = prover.proves(self.pos);
        let stopped = prover.is_stopped();
        let numbers = prover.outlook();
        let spent = prover.nodes();
        drop(prover);
        self.progress.nodes = nodes + spent;
        self.progress.numbers = Some(numbers);
        self.refuted[player] = !proven && !stopped;
        if !proven {
            return None;
        }
        self.keeper.keep(&mut self.progress, &writer(&self.table));
        let win = self.strategy(player);
        if win.is_none() {
            self.note_unwritten(player);
        }
        Some(self.sharpen(win?, spent))
    }

    /// The game's own proof-number search for a player's win.
    fn prove_by_own(
        &mut self,
        own: &mut dyn Numbered<G>,
        player: Player,
        round: u64,
    ) -> Option<Win<G>> {
        let limits = self.limits(round.saturating_mul(OWN_SHARE));
        let end = self.progress.nodes.saturating_add(limits.nodes.unwrap_or(u64::MAX));
        let before = self.progress.nodes - own.nodes().min(self.progress.nodes);
        let (spent, started) = (self.before, self.started);
        self.progress.doing = format!("proof for {}", G::INFO.players[player]);
        let (news, progress, keeper) = (&mut self.news, &mut self.progress, &mut self.keeper);
        let mut go_on = |outlook: &Outlook<'_>| {
            progress.nodes = before + outlook.nodes;
            progress.time = spent + started.elapsed();
            progress.numbers = Some(outlook.numbers);
            progress.firsts.clone_from(&outlook.firsts);
            news(progress);
            keeper.keep_if_due(progress, outlook.table);
            let late = self.settings.time.is_some_and(|most| started.elapsed() >= most);
            !self.stop.is_stopped() && !late && progress.nodes < end
        };
        let found = own.proves(self.pos, player, &mut go_on);
        self.progress.nodes = before + own.nodes();
        self.progress.used = Some(own.used());
        self.refuted[player] = found == Some(false);
        if found != Some(true) {
            return None;
        }
        // This took hours: save it before writing the strategy down.
        self.keeper.keep(&mut self.progress, &|out| own.write(out));
        let strategy = extract(own, self.pos, &mut told(self.news, &mut self.progress, self.stop));
        self.progress.nodes = before + own.nodes();
        let Some(strategy) = strategy else {
            self.note_unwritten(player);
            return None;
        };
        let (moves, turns) = (line(own, &strategy, self.pos), strategy.within);
        let certificate = Some(Box::new(self.certificate(player, strategy)));
        Some(Win { player, turns, exact: false, line: moves, certificate })
    }

    /// A strategy that cannot be extracted rests on wrong table entries, from key collisions for example. Those that
    /// were met are forgotten by now: the next rounds search for what is missing.
    fn note_unwritten(&mut self, player: Player) {
        self.progress.writing = false;
        if !self.is_over() {
            self.unwritten[player] += 1;
            self.refuted[player] = self.unwritten[player] >= MOST_UNWRITTEN;
        }
    }

    /// Extracts the strategy of a proven win.
    fn strategy(&mut self, player: Player) -> Option<Win<G>> {
        // A proven win gets its certificate whatever the limits of the search were.
        let control = Control::new(&Limits::default(), self.stop);
        let mut prover = Prover::new(&self.judge, &mut self.table, &control, player);
        let (news, progress) = (&mut *self.news, &mut self.progress);
        let strategy = extract(&mut prover, self.pos, &mut told(news, progress, self.stop))?;
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

    /// Searches for a quicker win, with about as many nodes as the proof took.
    fn sharpen(&mut self, win: Win<G>, spent: u64) -> Win<G> {
        if self.settings.method == Method::Proof {
            return win;
        }
        while self.progress.no_win[win.player] + 1 < win.turns && !self.is_over() {
            let turns = self.progress.no_win[win.player] + 1;
            match self.try_bound(win.player, turns, spent.max(FIRST_ROUND)) {
                None => return win,
                Some(None) => {}
                Some(Some(quicker)) if quicker.certificate.is_some() => return quicker,
                Some(Some(_)) => return win,
            }
        }
        Win { exact: self.progress.no_win[win.player] + 1 == win.turns, ..win }
    }
}
