//! Games of a match that workers play. A game is determined by its number, so it does not matter who plays it.

use super::ArenaArgs;
use crate::cli::GameOptions;
use crate::shell::failure::Failure;
use engine::arena::{Arena, Played, archive};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::ops::ControlFlow;

const NOT_HERE: &str =
    "workers play `engine`, `level`, `random` and `seed`; other programs play only without --nats";

fn is_program(player: &str) -> bool {
    ["ugi:", "uci:"].iter().any(|start| player.trim_start().starts_with(start))
}

fn job(args: &ArenaArgs, number: usize) -> Value {
    json!({
        "ask": "arena", "number": number, "game": args.game, "a": args.a, "b": args.b,
        "openings": args.openings, "seed": args.seed, "max_turns": args.max_turns,
        "options": args.options.0,
    })
}

pub fn run(
    addresses: &str,
    args: &ArenaArgs,
    arena: &Arena,
    done: &BTreeSet<usize>,
    each: &mut dyn FnMut(Played) -> ControlFlow<()>,
) -> Result<(), Failure> {
    if is_program(&args.a) || is_program(&args.b) {
        return Err(Failure::user(NOT_HERE));
    }
    let missing = (0..arena.plan().games).filter(|number| !done.contains(number));
    let jobs = missing.map(|number| job(args, number)).collect::<Vec<_>>().into_iter();
    let mut told = false;
    let waiting = || {
        if !std::mem::replace(&mut told, true) {
            let _ = writeln!(std::io::stderr(), "no game has ended yet; is there a worker?");
        }
    };
    let mut wrong = None;
    let at_once = arena.plan().concurrency;
    let played = |text: String| {
        let read = archive::read(text.as_bytes()).and_then(|found| {
            let played = found.games.into_iter().next().ok_or("no game was played")?;
            arena.check(&played).map(|()| played)
        });
        match read {
            Ok(played) => each(played),
            Err(why) => {
                wrong = Some(why);
                ControlFlow::Break(())
            }
        }
    };
    server::work::jobs::all(addresses, jobs, at_once, waiting, played).map_err(Failure::user)?;
    match wrong {
        Some(why) => Err(Failure::user(format!("a worker of another version? {why}"))),
        None => Ok(()),
    }
}

/// Plays the game of a job; none if that is not possible here.
pub fn play(job: &Value) -> Option<String> {
    let text = |name: &str| job[name].as_str().map(str::to_owned);
    let number = |name: &str| u32::try_from(job[name].as_u64()?).ok();
    let round = number("number")?;
    let args = ArenaArgs {
        game: text("game")?,
        a: text("a").filter(|player| !is_program(player))?,
        b: text("b").filter(|player| !is_program(player))?,
        games: round + 1,
        openings: number("openings")?,
        seed: job["seed"].as_u64()?,
        concurrency: 1,
        max_turns: number("max_turns")?,
        margin: 1_000,
        out: None,
        resume: false,
        sprt: None,
        nats: None,
        options: GameOptions(job["options"].as_object()?.clone()),
    };
    let arena = super::arena(&args).ok()?;
    let mut record = None;
    arena.run(&(0..round as usize).collect(), &mut |played| {
        record = Some(archive::write(&played));
        ControlFlow::Continue(())
    });
    record
}
