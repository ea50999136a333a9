//! `quadrille perft`: how many ways a game can go.

use crate::cli::PerftArgs;
use crate::failure::{Failure, print};
use crate::input;
use crate::progress::Ticker;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub fn run(args: &PerftArgs) -> Result<(), Failure> {
    let entry = input::game(&args.game)?;
    let session = match &args.position {
        Some(text) => input::open(Some(entry), text, &args.options)?,
        None => input::start(entry, &args.options)?,
    };
    let started = Instant::now();
    let first_moves = session.steps().len();
    let (mut total, mut done) = (u64::from(args.depth == 0), 0);
    let mut failed = Ok(());
    // The first count may take long, and nothing is known before: the seconds tell that it goes on.
    let ticker = Beat::start(first_moves, !args.divide);
    session.perft(args.depth, args.turns, &mut |text, count| {
        total += count;
        done += 1;
        if args.divide && failed.is_ok() {
            failed = print(format!("{text} {count}\n").as_bytes());
        }
        ticker.tell(done, total);
    });
    failed?;
    drop(ticker);
    let seconds = started.elapsed().as_secs_f64();
    print(format!("{total}\n").as_bytes())?;
    let speed = total as f64 / seconds.max(1e-9) / 1e6;
    let _ = writeln!(std::io::stderr(), "{seconds:.3} s, {speed:.1} million leaves per second");
    Ok(())
}

/// A line on the terminal that changes while a count goes on.
struct Beat {
    told: Arc<(AtomicUsize, AtomicU64)>,
    /// The thread ends when this is dropped.
    alive: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Beat {
    fn start(of: usize, wanted: bool) -> Beat {
        let told = Arc::new((AtomicUsize::new(0), AtomicU64::new(0)));
        let own = Arc::clone(&told);
        let alive = wanted.then(|| {
            let (send, receive) = channel();
            let thread = std::thread::spawn(move || {
                let mut ticker = Ticker::new();
                let pause = Duration::from_millis(300);
                while receive.recv_timeout(pause) == Err(std::sync::mpsc::RecvTimeoutError::Timeout)
                {
                    let (done, total) = (own.0.load(Relaxed), own.1.load(Relaxed));
                    ticker.show(|seconds| {
                        format!("{done} of {of} first moves, {total} so far, {seconds:.0} s")
                    });
                }
                ticker.end();
            });
            (send, thread)
        });
        Beat { told, alive }
    }

    fn tell(&self, done: usize, total: u64) {
        self.told.0.store(done, Relaxed);
        self.told.1.store(total, Relaxed);
    }
}

impl Drop for Beat {
    fn drop(&mut self) {
        if let Some((send, thread)) = self.alive.take() {
            drop(send);
            let _ = thread.join();
        }
    }
}
