//! The engine in threads of its own: the turns of computers, and what it thinks of a position.

use engine::{Analysis, Entry, Limits, Session, Stop, Who};
use requests::review::{Judged, Review};
use requests::{Budget, Desk, Effort, Given};
use rules::random::Random;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

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
    /// What the engine has found so far.
    News(Analysis),
    /// The turn to play; none if the player has failed.
    Turn(Option<String>),
    /// What a position of a game was worth.
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

    fn job(&mut self) -> Job {
        self.last += 1;
        Job { number: self.last, stop: Stop::default() }
    }

    /// Lets a computer find its turn.
    pub fn turn(
        &mut self,
        entry: &'static Entry,
        game: &dyn Session,
        who: &Who,
        limits: Limits,
    ) -> Job {
        let job = self.job();
        let (number, stop, tell) = (job.number, job.stop.clone(), self.tell.clone());
        let (game, who, engines) = (game.boxed_clone(), who.clone(), self.playing.clone());
        let mut random = Random::new(self.random.next_u64());
        std::thread::spawn(move || {
            let mut news =
                |view: &Analysis| tell(Report { job: number, found: Found::News(view.clone()) });
            let turn = catch_unwind(AssertUnwindSafe(|| {
                choose(&who, entry, &*game, (&limits, &stop), &engines, &mut random, &mut news)
            }));
            tell(Report { job: number, found: Found::Turn(turn.unwrap_or_default()) });
        });
        job
    }

    /// Finds the turn of a computer in this thread.
    pub fn turn_now(
        &mut self,
        entry: &'static Entry,
        game: &dyn Session,
        who: &Who,
        limits: &Limits,
    ) -> Option<String> {
        let mut random = Random::new(self.random.next_u64());
        let never = Stop::default();
        choose(who, entry, game, (limits, &never), &self.playing, &mut random, &mut |_| {})
    }

    /// Searches a position in this thread.
    pub fn look(
        &mut self,
        entry: &'static Entry,
        game: &dyn Session,
        limits: &Limits,
    ) -> Option<Analysis> {
        let mut engines = self.watching.lock().unwrap_or_else(PoisonError::into_inner);
        engines.thinker(entry).think(game, limits, &Stop::default(), &mut |_| {})
    }

    /// Lets the engine go over a game.
    pub fn review(&mut self, game: &dyn Session) -> Job {
        let job = self.job();
        let (number, stop, tell) = (job.number, job.stop.clone(), self.tell.clone());
        let engines = self.watching.clone();
        let given = Given {
            game: Some(game.info().id.to_owned()),
            options: Some(game.options()),
            position: Some(game.start().text().into()),
            turns: Some(game.history()),
            moves: None,
        };
        std::thread::spawn(move || {
            let _ = catch_unwind(AssertUnwindSafe(|| {
                let review = Review { given, effort: Effort::default() };
                let Ok(mut going) = review.begin(&Budget::OWN) else { return };
                // The engine is lent to others between two positions.
                loop {
                    let mut desk = engines.lock().unwrap_or_else(PoisonError::into_inner);
                    let Some(judged) = going.step(&mut desk, &stop) else { break };
                    drop(desk);
                    tell(Report { job: number, found: Found::Judged(judged) });
                }
            }));
            tell(Report { job: number, found: Found::Done });
        });
        job
    }

    /// Lets the engine search a position.
    pub fn watch(&mut self, entry: &'static Entry, game: &dyn Session, limits: Limits) -> Job {
        let job = self.job();
        let (number, stop, tell) = (job.number, job.stop.clone(), self.tell.clone());
        let (game, engines) = (game.boxed_clone(), self.watching.clone());
        std::thread::spawn(move || {
            let news =
                |view: &Analysis| tell(Report { job: number, found: Found::News(view.clone()) });
            let done = catch_unwind(AssertUnwindSafe(|| {
                let mut engines = engines.lock().unwrap_or_else(PoisonError::into_inner);
                engines.thinker(entry).think(&*game, &limits, &stop, &mut |view| news(view))
            }));
            if let Ok(Some(view)) = done {
                news(&view);
            }
            tell(Report { job: number, found: Found::Done });
        });
        job
    }
}

/// Random numbers from a seed, or from anywhere.
pub fn random(seed: Option<u64>) -> Random {
    Random::new(seed.unwrap_or_else(|| RandomState::new().build_hasher().finish()))
}

fn choose(
    who: &Who,
    entry: &'static Entry,
    game: &dyn Session,
    bounds: (&Limits, &Stop),
    engines: &Engines,
    random: &mut Random,
    news: &mut dyn FnMut(&Analysis),
) -> Option<String> {
    let mut desk = None;
    let lock = || engines.lock().unwrap_or_else(PoisonError::into_inner);
    who.choose(game, || desk.insert(lock()).thinker(entry), bounds, random, news)
}
