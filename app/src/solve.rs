//! `quadrille solve`: who wins a position, for certain.

use crate::analyze::{first_ply, numbered};
use crate::cli::{Method, SolveArgs};
use crate::failure::{Failure, print};
use crate::input;
use crate::interrupt;
use crate::progress::Ticker;
use engine::Session;
use engine::solve::certificate::compress;
use engine::solve::complete::Complete;
use engine::solve::question::{self, Progress, Settings};
use engine::solve::report::{DrawView, Report, WinView};
use rules::Player;
use std::path::Path;
use std::time::Duration;

/// How long to search if no limit is given.
const SECONDS: f64 = 60.0;

pub fn run(args: &SolveArgs) -> Result<(), Failure> {
    let settings = settings(args)?;
    let session = input::position(&args.position)?;
    let game = session.as_ref();
    let entry = input::game(game.info().id)?;
    print(format!("{}: {}\n", entry.info.name, game.diagram().status).as_bytes())?;
    let (stop, mut ticker) = (interrupt::stops()?, Ticker::new());
    if args.complete {
        let file = args.output.as_deref();
        let found = (entry.complete)(game, settings.mebibytes, file, &stop, &mut |text| {
            ticker.show(|_| text);
        });
        ticker.end();
        return print(completed(game, &found.map_err(Failure::user)?).as_bytes());
    }
    let report = (entry.solve)(game, &settings, &stop, &mut |progress| {
        ticker.show(|seconds| line(entry.info.players, progress, &settings, seconds));
    });
    ticker.end();
    let report = report.map_err(Failure::user)?;
    print(answer(game, &report).as_bytes())?;
    let of_draw = report.draw.map(|draw| (draw.certificate.0, draw.certificate.1.iter().sum()));
    let certificate = report.win.and_then(|win| win.certificate).or(of_draw);
    match (&args.output, certificate) {
        (None, _) => Ok(()),
        (Some(file), Some((text, stored))) => write(file, &text, stored),
        (Some(_), None) => {
            Err(Failure::user("there is no proof, so there is no certificate to write"))
        }
    }
}

/// A complete solution in words.
fn completed(game: &dyn Session, found: &Complete) -> String {
    let Complete { winner, line, counts: [mover, other, nobody], longest } = found;
    let result = match winner {
        None => "nobody can force a win".to_owned(),
        Some((player, plies)) => {
            let name = game.info().players[player.index()];
            let own = if *player == game.turn() { plies.div_ceil(2) } else { plies / 2 };
            format!("{name} wins in {}: {}", turns(own), numbered(line, first_ply(game)))
        }
    };
    format!(
        "{result}\n{} positions up to symmetry: {mover} won by the player to move, {other} by the other, \
         {nobody} by nobody; the longest win takes {longest} turns of both\n",
        mover + other + nobody
    )
}

fn settings(args: &SolveArgs) -> Result<Settings, Failure> {
    let otherwise = (args.nodes.is_none() && args.within.is_none()).then_some(SECONDS);
    let time = args.time.or(otherwise);
    if let Some(seconds) = time.filter(|seconds| !(0.001..=1e7).contains(seconds)) {
        return Err(Failure::user(format!("--time must be 0.001 to 10000000, got {seconds}")));
    }
    let every = Duration::from_secs(args.every.into());
    Ok(Settings {
        method: match args.method {
            Method::All => question::Method::All,
            Method::Proof => question::Method::Proof,
            Method::Bound => question::Method::Bound,
            Method::Quiet => question::Method::Quiet,
            Method::Draw => question::Method::Draw,
        },
        player: args.player.and_then(|number| Player::try_from(number).ok()),
        most_turns: args.within,
        time: time.map(Duration::from_secs_f64),
        nodes: args.nodes,
        mebibytes: args.memory as usize,
        threads: args.threads.into(),
        checkpoint: args.checkpoint.clone().map(|file| (file, every)),
        resume: args.resume.clone(),
    })
}

/// The progress in one line.
fn line(players: [&str; 2], progress: &Progress, settings: &Settings, seconds: f64) -> String {
    let Progress { nodes, doing, numbers, .. } = progress;
    let rate = *nodes as f64 / progress.time.as_secs_f64().max(1e-3);
    let numbers = numbers.map_or_else(String::new, |(proof, disproof)| {
        format!(", still to prove {proof}, to refute {disproof}")
    });
    let left = settings.time.map_or_else(String::new, |most| {
        format!(", {:.0} s left at most", (most.as_secs_f64() - seconds).max(0.0))
    });
    let excluded = match &excluded(players, progress)[..] {
        [] => String::new(),
        parts => format!("; excluded: {}", parts.join(", ")),
    };
    format!("{doing}: {nodes} positions, {:.0} thousand/s{numbers}{left}{excluded}", rate / 1e3)
}

/// The wins that are excluded so far, in few words.
fn excluded(players: [&str; 2], progress: &Progress) -> Vec<String> {
    let mut parts = Vec::new();
    for (count, what) in [(progress.no_win, "turns"), (progress.no_quiet, "quiet moves")] {
        match count {
            [0, 0] => {}
            [one, two] if one == two => parts.push(format!("a win within {one} {what}")),
            counts => parts.extend(
                players
                    .iter()
                    .zip(counts)
                    .filter(|(_, count)| *count > 0)
                    .map(|(name, count)| format!("{name} within {count} {what}")),
            ),
        }
    }
    parts
}

/// What was found, in words.
fn answer(game: &dyn Session, report: &Report) -> String {
    let Progress { nodes, time, .. } = &report.progress;
    let spent = format!("{nodes} positions, {:.1} s", time.as_secs_f64());
    let found = match (&report.win, &report.draw) {
        (None, Some(draw)) => held(game, draw),
        (Some(win), _) => {
            let line = numbered(&win.line, first_ply(game));
            let more = if ends(game, &win.line) { "" } else { " …" };
            format!("{}: {line}{more}\n", won(game, win))
        }
        (None, None) => open(game, report, &spent),
    };
    format!("{found}{spent}\n")
}

/// Who cannot force a win, and how many positions show it.
fn held(game: &dyn Session, draw: &DrawView) -> String {
    let sizes: Vec<String> =
        draw.against.iter().map(|p| draw.certificate.1[p.index()].to_string()).collect();
    let who = match draw.against[..] {
        [player] => format!("{} cannot force a win", game.info().players[player.index()]),
        _ => "nobody can force a win".to_owned(),
    };
    format!("{who}: closed sets of {} positions\n", sizes.join(" and "))
}

/// Whether a line goes on to the end of the game; some stop where only counting is left.
fn ends(game: &dyn Session, line: &[String]) -> bool {
    let mut game = game.boxed_clone();
    line.iter().all(|turn| game.play(turn).is_ok()) && game.outcome().is_some()
}

fn won(game: &dyn Session, win: &WinView) -> String {
    let name = game.info().players[win.player.index()];
    let turns = turns(win.turns);
    match (win.turns, win.exact) {
        (0, _) => format!("{name} has won"),
        (_, true) => format!("{name} wins in {turns}"),
        (_, false) => format!("{name} wins in {turns} at most"),
    }
}

fn turns(count: u32) -> String {
    format!("{count} turn{}", if count == 1 { "" } else { "s" })
}

/// What is excluded, if nobody is known to win.
fn open(game: &dyn Session, report: &Report, spent: &str) -> String {
    if game.outcome().is_some() {
        return "the game is drawn\n".to_owned();
    }
    let Progress { no_win, no_quiet, .. } = report.progress;
    let within = |name: &str, count: u32| format!("{name} can force a win within {}", turns(count));
    let cannot =
        |name: &str, count: u32| format!("{name} cannot force a win within {}", turns(count));
    let mut text = said(game, no_win, &within, &cannot);
    let quiet = "before both players together have made";
    let within =
        |name: &str, count: u32| format!("{name} can force a win {quiet} {count} quiet moves");
    let cannot =
        |name: &str, count: u32| format!("{name} cannot force a win {quiet} {count} quiet moves");
    text += &said(game, no_quiet, &within, &cannot);
    if let Some(means) = report.quiet_means.filter(|_| no_quiet != [0, 0]) {
        text += &format!("({means})\n");
    }
    if text.is_empty() { format!("unknown after {spent}\n") } else { text }
}

type Words<'a> = &'a dyn Fn(&str, u32) -> String;

/// A line about both players, where something is excluded.
fn said(game: &dyn Session, counts: [u32; 2], nobody: Words<'_>, cannot: Words<'_>) -> String {
    match counts {
        [0, 0] => String::new(),
        [one, two] if one == two => nobody("nobody", one) + "\n",
        _ => {
            let names = game.info().players.into_iter().zip(counts);
            let parts: Vec<_> =
                names.filter(|(_, count)| *count > 0).map(|(n, count)| cannot(n, count)).collect();
            parts.join(", ") + "\n"
        }
    }
}

fn write(file: &Path, text: &str, stored: usize) -> Result<(), Failure> {
    let packed = file.extension().is_some_and(|extension| extension == "gz");
    let bytes = if packed { compress(text)? } else { text.as_bytes().to_vec() };
    std::fs::write(file, &bytes)
        .map_err(|error| Failure::user(format!("cannot write {}: {error}", file.display())))?;
    let note = format!("{}: {stored} stored positions, {} bytes\n", file.display(), bytes.len());
    print(note.as_bytes())
}
