//! `quadrille engine`: the Universal Game Interface, and UCI for programs that speak chess.
//!
//! One thread listens and answers, another one searches, so that nothing said during a search waits.
//! `talk` understands the lines, `dialect` words the answers, `options` and `go` read their commands.

mod dialect;
mod go;
mod options;
mod talk;

use crate::failure::{Failure, print};
use crate::input::next_line;
use anyhow::anyhow;
use dialect::Dialect;
use engine::{Stop, make_whole};
use options::Settings;
use requests::Desk;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use talk::{Order, Reply, Search, Talk};

/// The longest line that is read; a longer one is refused and skipped.
const MOST_BYTES: usize = 1 << 20;

/// Listens until `quit` or the end of the input.
pub fn run() -> Result<(), Failure> {
    let mut talk = Talk::new(Dialect::Ugi).map_err(|message| anyhow!(message))?;
    let mut searching = Searching::begin();
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    while next_line(&mut input, &mut line, MOST_BYTES)? {
        let reply = match line.len() {
            ..=MOST_BYTES => talk.hear(&String::from_utf8_lossy(&line)),
            _ => Reply::Lines(vec![format!(
                "info string error: the line is longer than {MOST_BYTES} bytes"
            )]),
        };
        match reply {
            Reply::Lines(lines) => say(&lines)?,
            Reply::Order(Order::Quit) => break,
            Reply::Order(order) => searching.obey(order)?,
        }
    }
    searching.end()
}

fn say(lines: &[String]) -> Result<(), Failure> {
    match lines {
        [] => Ok(()),
        lines => print(format!("{}\n", lines.join("\n")).as_bytes()),
    }
}

fn say_ready() -> Result<(), Failure> {
    say(&["readyok".to_owned()])
}

/// What the searching thread is given to do.
enum Job {
    Search(Box<Search>, Reins, Instant),
    Ready(Settings),
    NewGame,
}

/// How a search is ended from outside.
struct Reins {
    stop: Stop,
    /// Closed when the answer may be given.
    released: Receiver<()>,
}

/// The searching thread, as the listening one sees it.
struct Searching {
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
    /// Searches that have not been answered.
    open: Arc<AtomicUsize>,
    /// The last search: ends it, and lets the answer go when it is dropped.
    last: Option<(Stop, Sender<()>)>,
}

impl Searching {
    fn begin() -> Searching {
        let (jobs, given) = channel();
        let open = Arc::new(AtomicUsize::new(0));
        let shared = Arc::clone(&open);
        let thread = std::thread::spawn(move || work(&given, &shared));
        Searching { jobs, thread, open, last: None }
    }

    fn obey(&mut self, order: Order) -> Result<(), Failure> {
        match order {
            Order::Search(search) => self.search(search),
            Order::Stop | Order::Quit => {
                self.halt();
                Ok(())
            }
            // During a search the answer must not wait for it; else it waits for the table.
            Order::Ready(_) if self.open.load(Ordering::Acquire) > 0 => say_ready(),
            Order::Ready(settings) => self.give(Job::Ready(settings)),
            Order::NewGame => {
                self.halt();
                self.give(Job::NewGame)
            }
        }
    }

    /// A search that still runs ends first, with its own answer.
    fn search(&mut self, search: Box<Search>) -> Result<(), Failure> {
        self.halt();
        let (release, released) = channel();
        let stop = Stop::default();
        self.open.fetch_add(1, Ordering::AcqRel);
        self.last = Some((stop.clone(), release));
        self.give(Job::Search(search, Reins { stop, released }, Instant::now()))
    }

    fn halt(&mut self) {
        if let Some((stop, _release)) = self.last.take() {
            stop.stop();
        }
    }

    fn give(&self, job: Job) -> Result<(), Failure> {
        self.jobs.send(job).map_err(|_| Failure::from(anyhow!("the search has failed")))
    }

    /// Every search is answered before the process ends.
    fn end(mut self) -> Result<(), Failure> {
        self.halt();
        drop(self.jobs);
        self.thread.join().map_err(|_| Failure::from(anyhow!("the search has failed")))
    }
}

/// The searching thread. It ends when nobody can give it anything any more; whether anybody still
/// reads what it says is found out by the listening one.
fn work(jobs: &Receiver<Job>, open: &AtomicUsize) {
    let mut desk = Desk::new(0);
    for job in jobs {
        match job {
            Job::Search(search, reins, since) => {
                answer(&mut desk, &search, &reins, since);
                open.fetch_sub(1, Ordering::AcqRel);
            }
            Job::Ready(settings) => {
                desk.resize(settings.hash);
                desk.thinker(settings.entry);
                let _ = say_ready();
            }
            Job::NewGame => desk.forget(),
        }
    }
}

/// Searches, tells the news on the way and the best turn at the end.
fn answer(desk: &mut Desk, search: &Search, reins: &Reins, since: Instant) {
    let Search { dialect, settings, session, go } = search;
    let game = session.as_ref();
    desk.resize(settings.hash);
    let thinker = desk.thinker(settings.entry);
    let mut limits = go.limits.clone();
    // The clock has been running since the command came.
    let left = |time: Duration| time.saturating_sub(since.elapsed()).max(Duration::from_millis(1));
    limits.time = limits.time.map(left);
    let mut told = Vec::new();
    let mut view = thinker.think(game, &limits, &reins.stop, &mut |view| {
        told = dialect.news(game, view);
        let _ = say(&told);
    });
    if let Some(view) = &mut view {
        make_whole(view, game, thinker);
    }
    if go.infinite {
        let _ = reins.released.recv();
    }
    let mut lines = view.as_ref().map_or_else(Vec::new, |view| dialect.news(game, view));
    if lines == told {
        lines.clear();
    }
    lines.push(dialect.best(view.as_ref()));
    let _ = say(&lines);
}
