//! `quadrille arena`: matches between our own players and other programs.

mod args;
#[cfg(feature = "many")]
pub mod elsewhere;
mod external;
mod journal;
mod progress;
mod report;
mod spec;
mod words;

pub use args::ArenaArgs;

use crate::shell::failure::{Failure, print};
use crate::shell::input;
use crate::shell::interrupt;
use engine::arena::stats::Sprt;
use engine::arena::tally::Tally;
use engine::arena::{Arena, Plan, Played};
use journal::Journal;
use progress::Progress;
use spec::Spec;
use std::ops::ControlFlow;
use std::time::Duration;

pub fn run(args: &ArenaArgs) -> Result<(), Failure> {
    let sprt = sprt(args)?;
    let arena = arena(args)?;
    // Before the file is created: without both programs there is no match.
    arena.try_players().map_err(Failure::user)?;
    let (journal, earlier) = Journal::open(args.out.as_deref(), args.resume)?;
    let mut tally = Tally::default();
    for played in &earlier {
        let wrong = |why| Failure::user(format!("round {} of the file: {why}", played.number + 1));
        arena.check(played).map_err(wrong)?;
        tally.add(played);
    }
    let done = earlier.iter().map(|played| played.number).collect();
    drop(earlier);
    let failed = play(args, &arena, &done, journal, &mut tally, sprt);
    print(report::table(&args.game, &arena, &tally, sprt))?;
    failed
}

/// Plays the missing games, unless the test is decided already.
fn play(
    args: &ArenaArgs,
    arena: &Arena,
    done: &std::collections::BTreeSet<usize>,
    mut journal: Journal,
    tally: &mut Tally,
    sprt: Option<Sprt>,
) -> Result<(), Failure> {
    let decided = |tally: &Tally| sprt.is_some_and(|sprt| sprt.decision(tally.pairs()).is_some());
    let mut failed = Ok(());
    if decided(tally) {
        return failed;
    }
    let mut progress = Progress::new(arena.plan().games, done.len(), sprt);
    // Games that ended before Ctrl-C count; running games are abandoned when the next one ends.
    let stop = interrupt::stops()?;
    let mut each = |played: Played| {
        failed = journal.write(&played);
        tally.add(&played);
        progress.show(tally);
        match failed.is_err() || decided(tally) || stop.is_stopped() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let played = match &args.nats {
        None => {
            arena.run(done, &mut each);
            Ok(())
        }
        #[cfg(feature = "many")]
        Some(addresses) => elsewhere::run(addresses, args, arena, done, &mut each),
        #[cfg(not(feature = "many"))]
        Some(_) => Err(Failure::user(server::NOT_MANY)),
    };
    progress.end();
    failed.and(played)
}

fn arena(args: &ArenaArgs) -> Result<Arena, Failure> {
    let entry = input::game(&args.game)?;
    let start = input::start(entry, &args.options)?;
    if args.max_turns <= args.openings {
        let (most, openings) = (args.max_turns, args.openings);
        return Err(Failure::user(format!(
            "--max-turns must be more than the {openings} turns of the openings, got {most}"
        )));
    }
    let spec = |text: &str| Spec::parse(text, start.as_ref()).map_err(Failure::user);
    let (a, mut b) = (spec(&args.a)?, spec(&args.b)?);
    if a.name == b.name {
        b.name += " (2)";
    }
    let margin = Duration::from_millis(args.margin.into());
    let contestants = [a, b].map(|spec| spec.contestant(entry, start.as_ref(), margin));
    let plan = Plan {
        games: args.games as usize,
        opening: args.openings as usize,
        seed: args.seed,
        max_turns: args.max_turns as usize,
        concurrency: args.concurrency as usize,
    };
    Arena::new(start, contestants, plan).map_err(Failure::user)
}

fn sprt(args: &ArenaArgs) -> Result<Option<Sprt>, Failure> {
    match args.sprt.as_deref() {
        None => Ok(None),
        Some(&[elo0, elo1]) if elo0 < elo1 && elo0 >= -1000.0 && elo1 <= 1000.0 => {
            Ok(Some(Sprt { elo0, elo1 }))
        }
        Some(_) => {
            Err(Failure::user("--sprt needs two differences from -1000 to 1000, the smaller first"))
        }
    }
}
