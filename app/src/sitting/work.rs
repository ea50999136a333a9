//! The engine in threads of its own: the turns of computers, and what it thinks of a position.

use super::Sitting;
use engine::{Analysis, Entry, Limits, Session, Stop};
use requests::review::Judged;
use requests::think::Search;
use requests::{Budget, Desk, Effort, Given};
use rules::Player;
use rules::random::Random;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The size of each engine's table.
const MEBIBYTES: usize = 32;

/// A message from a thread.
#[derive(Debug)]
pub struct Report {
    /// The number of its job.
    pub job: u64,
    pub found: Found,
}

#[derive(Debug)]
pub enum Found {
    /// The engine's results so far.
    News(Analysis),
    /// The turn to play; none if the player has failed.
    Turn(Option<String>),
    /// The value of a position of a game.
    Judged(Judged),
    /// The search of a position has ended.
    Done,
}

/// A running job; it stops when this is dropped.
#[derive(Debug)]
pub struct Job {
    number: u64,
    stop: Stop,
}

impl Job {
    /// Whether a report is about this job.
    pub fn is(&self, number: u64) -> bool {
        self.number == number
    }

    /// Ends the job with what it has found so far.
    pub fn stop(&self) {
        self.stop.stop();
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.stop.stop();
    }
}

type Tell = Arc<dyn Fn(Report) + Send + Sync>;
type Engines = Arc<Mutex<Desk>>;

/// Receives what a search has found so far.
type News<'a> = &'a mut dyn FnMut(&Analysis);

/// Starts jobs.
pub struct Worker {
    /// The engines that play and those that analyse, which must not wait for each other.
    playing: Engines,
    watching: Engines,
    random: Random,
    last: u64,
    tell: Tell,
}

impl Worker {
    /// A worker whose threads report to `tell`; the same seed gives the same games.
    pub fn new(seed: Option<u64>, tell: impl Fn(Report) + Send + Sync + 'static) -> Worker {
        let engines = || Arc::new(Mutex::new(Desk::new(MEBIBYTES)));
        let random = random(seed);
        Worker { playing: engines(), watching: engines(), random, last: 0, tell: Arc::new(tell) }
    }

    /// Starts a thread that reports its progress, and finally its result.
    fn start(&mut self, work: impl FnOnce(&Stop, &dyn Fn(Found)) -> Found + Send + 'static) -> Job {
        self.last += 1;
        let job = Job { number: self.last, stop: Stop::default() };
        let (number, stop, tell) = (job.number, job.stop.clone(), self.tell.clone());
        std::thread::spawn(move || {
            let tell = |found: Found| tell(Report { job: number, found });
            let last = catch_unwind(AssertUnwindSafe(|| work(&stop, &tell)));
            tell(last.unwrap_or(Found::Done));
        });
        job
    }

    /// Lets a computer find its turn.
    pub fn turn(&mut self, sitting: &Sitting, player: Player, now: Instant) -> Job {
        let turn = self.choosing(sitting, player, now);
        self.start(|stop, tell| {
            Found::Turn(turn(stop, &mut |view: &Analysis| tell(Found::News(view.clone()))))
        })
    }

    /// Finds the turn of a computer in this thread.
    pub fn turn_now(&mut self, sitting: &Sitting, player: Player, now: Instant) -> Option<String> {
        self.choosing(sitting, player, now)(&Stop::default(), &mut |_| {})
    }

    /// A function that finds the turn of a computer, for any thread.
    fn choosing(
        &mut self,
        sitting: &Sitting,
        player: Player,
        now: Instant,
    ) -> impl FnOnce(&Stop, News<'_>) -> Option<String> + Send + use<> {
        let (entry, game) = (sitting.entry, sitting.board.boxed_clone());
        let (who, limits) = (sitting.seats()[player].who.clone(), sitting.limits(player, now));
        let (engines, mut random) = (self.playing.clone(), Random::new(self.random.next_u64()));
        move |stop: &Stop, news: News<'_>| {
            let mut desk = None;
            let lock = || engines.lock().unwrap_or_else(PoisonError::into_inner);
            let bounds = (&limits, stop);
            who.choose(&*game, || desk.insert(lock()).thinker(entry), bounds, &mut random, news)
        }
    }

    /// Searches a position in this thread.
    pub fn look(&mut self, sitting: &Sitting, limits: &Limits) -> Option<Analysis> {
        let mut engines = self.watching.lock().unwrap_or_else(PoisonError::into_inner);
        let thinker = engines.thinker(sitting.entry);
        thinker.think(sitting.board.as_ref(), limits, &Stop::default(), &mut |_| {})
    }

    /// Lets the engine review a game.
    pub fn review(&mut self, game: &dyn Session) -> Job {
        let engines = self.watching.clone();
        let given = Given {
            game: Some(game.info().id.to_owned()),
            options: Some(game.options()),
            position: Some(game.start().text().into()),
            turns: Some(game.history()),
            moves: None,
        };
        self.start(move |stop, tell| {
            let review = Search { given, effort: Effort::default() };
            let Ok(mut going) = review.review(&Budget::OWN) else { return Found::Done };
            // The engine is free for other jobs between two positions.
            loop {
                let mut desk = engines.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(judged) = going.step(&mut desk, stop) else { return Found::Done };
                drop(desk);
                tell(Found::Judged(judged));
            }
        })
    }

    /// Lets the engine search a position.
    pub fn watch(&mut self, entry: &'static Entry, game: &dyn Session, limits: Limits) -> Job {
        let (game, engines) = (game.boxed_clone(), self.watching.clone());
        self.start(move |stop, tell| {
            let news = |view: &Analysis| tell(Found::News(view.clone()));
            let mut engines = engines.lock().unwrap_or_else(PoisonError::into_inner);
            let view = engines.thinker(entry).think(&*game, &limits, stop, &mut |view| news(view));
            view.iter().for_each(news);
            Found::Done
        })
    }
}

/// Random numbers from a seed, or from anywhere.
pub fn random(seed: Option<u64>) -> Random {
    Random::new(seed.unwrap_or_else(|| RandomState::new().build_hasher().finish()))
}
