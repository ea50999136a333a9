//! `quadrille engine`: the Universal Game Interface, and UCI for programs that speak chess.
//!
//! One thread listens and answers, another searches, so that commands are answered during a search; a third notices
//! when the reader of the answers is gone. Memory is bounded whatever is sent: lines and games have a maximum length,
//! there is one table, and backpressure stops a sender that does not read the answers. `talk` understands the lines,
//! `wording` words the answers, `options` and `go` read their commands.

mod chosen;
mod count;
pub mod dialect;
mod go;
mod options;
mod talk;
mod wording;

use crate::shell::failure::{Failure, print, when_nobody_reads};
use crate::shell::input::next_line;
use crate::sitting::work;
use anyhow::anyhow;
use dialect::Dialect;
use engine::{Limits, Stop, Thinker};
use options::Settings;
use requests::Desk;
use rules::random::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};
use talk::{Count, Order, Reply, Search, Talk};

/// The longest line that is read; a longer one is refused and skipped.
const MOST_BYTES: usize = 1 << 20;

/// How many orders may wait for the searching thread.
const MOST_WAITING: usize = 1;

/// Listens until `quit`, the end of the input, or until nobody reads the answers.
pub fn run() -> Result<(), Failure> {
    let talk = Talk::new(Dialect::Ugi).map_err(|message| anyhow!(message))?;
    // The first to report ends the process: this thread waits for nothing else, and a thread that is stuck
    // in a read or a write holds nothing up.
    let (report, first) = channel();
    let (orders, given) = sync_channel(MOST_WAITING);
    let open = Arc::new(AtomicUsize::new(0));
    let searching = Searching { orders, open: Arc::clone(&open), last: None };

    let failed = report.clone();
    std::thread::spawn(move || {
        listen(talk, searching).or_else(|failure| failed.send(Err(failure)))
    });
    let closed = report.clone();
    when_nobody_reads(move || drop(closed.send(Err(Failure::Closed))));
    std::thread::spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| search_as_told(&given, &open)));
        report.send(done.unwrap_or_else(|_| Err(search_failed())))
    });
    first.recv().unwrap_or_else(|_| Err(search_failed()))
}

/// Answers every line. At the end of the input the searching thread finishes by itself.
fn listen(mut talk: Talk, mut searching: Searching) -> Result<(), Failure> {
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    while next_line(&mut input, &mut line, MOST_BYTES)? {
        let reply = match std::str::from_utf8(&line) {
            _ if line.len() > MOST_BYTES => {
                talk.refuse(&line, &format!("the line is longer than {MOST_BYTES} bytes"))
            }
            Ok(line) => talk.hear(line),
            Err(_) => talk.refuse(&line, "the line is not text in UTF-8"),
        };
        match reply {
            Reply::Lines(lines) => say(&lines)?,
            Reply::Order(Order::Quit) => break,
            Reply::Order(order) => searching.obey(order)?,
        }
    }
    searching.halt();
    Ok(())
}

fn say(lines: &[String]) -> Result<(), Failure> {
    match lines {
        [] => Ok(()),
        lines => print(format!("{}\n", lines.join("\n"))),
    }
}

fn say_ready() -> Result<(), Failure> {
    say(&["readyok".to_owned()])
}

fn search_failed() -> Failure {
    Failure::from(anyhow!("the search has failed"))
}

/// A task for the searching thread.
enum Errand {
    Search(Box<Search>, Reins, Instant),
    Count(Box<Count>, Stop),
    Ready(Settings),
    NewGame,
    Say(Vec<String>),
}

/// How a search is ended from outside.
struct Reins {
    stop: Stop,
    /// Closed when the answer may be given.
    released: Receiver<()>,
}

/// The searching thread, as the listening one sees it.
struct Searching {
    /// A full queue never holds up `stop`: everything that is sent here ends the running search first.
    orders: SyncSender<Errand>,
    /// How many searches have not been answered.
    open: Arc<AtomicUsize>,
    last: Option<Running>,
}

/// The controls of the last search.
struct Running {
    stop: Stop,
    /// Its answer may be given once this is dropped.
    release: Option<Sender<()>>,
    /// Its limits once the move that it ponders on has been played.
    after_hit: Option<Limits>,
}

impl Searching {
    fn obey(&mut self, order: Order) -> Result<(), Failure> {
        match order {
            Order::Search(search) => self.search(search),
            Order::Count(count) => {
                let stop = self.begin(None).0;
                self.send(Errand::Count(count, stop))
            }
            Order::Stop | Order::Quit => {
                self.halt();
                Ok(())
            }
            Order::PonderHit => {
                self.ponder_hit();
                Ok(())
            }
            // During a search the answer must come at once; otherwise it waits for the table.
            Order::Ready(_) if self.open.load(Ordering::Acquire) > 0 => say_ready(),
            Order::Ready(settings) => self.send(Errand::Ready(settings)),
            Order::NewGame => {
                self.halt();
                self.send(Errand::NewGame)
            }
            Order::Refuse(lines) => {
                self.halt();
                self.send(Errand::Say(lines))
            }
        }
    }

    fn search(&mut self, search: Box<Search>) -> Result<(), Failure> {
        let (stop, released) = self.begin(search.go.after_hit.clone());
        self.send(Errand::Search(search, Reins { stop, released }, Instant::now()))
    }

    /// A search that is still running ends first, with an answer of its own.
    fn begin(&mut self, after_hit: Option<Limits>) -> (Stop, Receiver<()>) {
        self.halt();
        let (release, released) = channel();
        let stop = Stop::default();
        self.open.fetch_add(1, Ordering::AcqRel);
        self.last = Some(Running { stop: stop.clone(), release: Some(release), after_hit });
        (stop, released)
    }

    fn halt(&mut self) {
        if let Some(running) = self.last.take() {
            running.stop.stop();
        }
    }

    /// The move that is pondered on has been played: the clock starts now.
    fn ponder_hit(&mut self) {
        let Some(running) = &mut self.last else { return };
        let Some(limits) = running.after_hit.take() else { return };
        running.release = None;
        let stop = running.stop.clone();
        match limits.soft.or(limits.time) {
            Some(time) => drop(std::thread::spawn(move || {
                std::thread::sleep(time);
                stop.stop();
            })),
            None if limits.nodes.is_some() || limits.depth.is_some() => {}
            // Nothing else would ever end it.
            None => stop.stop(),
        }
    }

    fn send(&self, errand: Errand) -> Result<(), Failure> {
        self.orders.send(errand).map_err(|_| search_failed())
    }
}

/// The searching thread: it ends when the listening one has ended and every search is answered, or when
/// an answer cannot be written.
fn search_as_told(orders: &Receiver<Errand>, open: &AtomicUsize) -> Result<(), Failure> {
    let (mut desk, mut random) = (Desk::of_one(0), work::random(None));
    for errand in orders {
        match errand {
            Errand::Search(search, reins, since) => {
                answer(&mut desk, &mut random, &search, &reins, since)?;
                open.fetch_sub(1, Ordering::AcqRel);
            }
            Errand::Count(count, stop) => {
                tell_count(&count, &stop)?;
                open.fetch_sub(1, Ordering::AcqRel);
            }
            Errand::Ready(settings) => {
                thinker(&mut desk, &settings);
                say_ready()?;
            }
            Errand::NewGame => desk.forget(),
            Errand::Say(lines) => say(&lines)?,
        }
    }
    Ok(())
}

/// An engine for the game and the table size that are set.
fn thinker<'a>(desk: &'a mut Desk, settings: &Settings) -> &'a mut dyn Thinker {
    desk.resize(settings.hash);
    let thinker = desk.thinker(settings.entry);
    thinker.judge_by(settings.judgement);
    thinker
}

/// Searches, and reports after each depth and at the end.
fn answer(
    desk: &mut Desk,
    random: &mut Random,
    search: &Search,
    reins: &Reins,
    since: Instant,
) -> Result<(), Failure> {
    let Search { dialect, settings, session, go } = search;
    let thinker = thinker(desk, settings);
    let mut limits = go.limits.clone();
    // The clock has been running since the command arrived.
    let left = |time: Duration| time.saturating_sub(since.elapsed()).max(Duration::from_millis(1));
    limits.time = limits.time.map(left);
    let (mut told, mut said) = (Vec::new(), Ok(()));
    let mut news = |view: &engine::Analysis| {
        told = dialect.news(view);
        if said.is_ok() {
            said = say(&told);
        }
        if said.is_err() {
            reins.stop.stop();
        }
    };
    if let Some(level) = settings.level().filter(|_| go.only.is_empty()) {
        let bounds = (&limits, &reins.stop);
        let turn = thinker.level_think(session.as_ref(), level, bounds, random, &mut news);
        said?;
        if go.infinite {
            let _ = reins.released.recv();
        }
        return say(&[dialect.best_of(turn.as_deref())]);
    }
    let view = match go.only.is_empty() {
        true => thinker.think(session.as_ref(), &limits, &reins.stop, &mut news),
        false => {
            let bounds = (&limits, &reins.stop);
            Some(chosen::think(thinker, session.as_ref(), &go.only, bounds, &mut news))
        }
    };
    said?;
    if go.infinite {
        let _ = reins.released.recv();
    }
    let mut lines = view.as_ref().map_or_else(Vec::new, |view| dialect.news(view));
    if lines == told {
        lines.clear();
    }
    lines.push(dialect.best(view.as_ref(), settings.ponders));
    say(&lines)
}

/// Counts, and tells each row as it is found.
fn tell_count(count: &Count, stop: &Stop) -> Result<(), Failure> {
    let Count { dialect, session, depth } = count;
    let mut said = Ok(());
    let all = count::perft(session.as_ref(), *depth, stop, &mut |text, count| {
        if said.is_ok() {
            said = say(&[format!("{}: {count}", dialect.turn(text))]);
        }
        if said.is_err() {
            stop.stop();
        }
    });
    said?;
    let end = all.map_or_else(|| "info string stopped".to_owned(), |all| format!("nodes {all}"));
    say(&[end, dialect.best_of(None)])
}
