//! `quadrille solve`: who wins a position, for certain.

use crate::cli::{PositionArgs, Word, words};
use crate::commands::analyze::numbered;
use crate::shell::effort::Allowance;
use crate::shell::failure::{Failure, print, write};
use crate::shell::input;
use crate::shell::interrupt;
use crate::shell::progress::Ticker;
use crate::sitting::first_ply;
use clap::Args;
use engine::Session;
use engine::solve::certificate::{MOST_BYTES, MOST_STORED, compress};
use engine::solve::complete::Complete;
use engine::solve::question::{Method, Progress, Settings};
use engine::solve::report::{DrawView, Report, WinView};
use rules::Player;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Arguments of `solve`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  quadrille solve gekitai -o proof.gz                          who wins, with a certificate
  quadrille solve six-making --size 4 --moves 'b2 c3' --time 60
  quadrille solve --file game.txt                              where a recorded game ended
  quadrille solve jeson-mor --size 5 --complete -o knights     a table of all positions
  quadrille solve jeson-mor --method quiet --time 3600 --checkpoint work
  quadrille solve jeson-mor --method quiet --time 3600 --checkpoint work --resume work
When time or memory run out it says what it knows. Ctrl-C ends the search early.")]
pub struct SolveArgs {
    /// What to solve.
    #[command(flatten)]
    pub position: PositionArgs,
    /// The method
    #[arg(long, default_value = "all", value_parser = words(METHODS))]
    pub method: Method,
    /// Look for a win of this player only: 1 or 2
    #[arg(long, value_name = "PLAYER", value_parser = clap::value_parser!(u8).range(1..=2))]
    pub player: Option<u8>,
    /// Do not look for wins that take more turns than this
    #[arg(long, value_name = "TURNS", value_parser = clap::value_parser!(u32).range(1..=120))]
    pub within: Option<u32>,
    /// How long to search, in wall-clock time
    #[arg(long, value_name = "SECONDS")]
    pub time: Option<f64>,
    /// How much processor time all threads together may use; 60 seconds unless another limit is given
    #[arg(long, value_name = "SECONDS")]
    pub cpu: Option<f64>,
    /// How many positions to look at
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Memory for the table of positions
    #[arg(long, value_name = "MEBIBYTES", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub memory: u32,
    /// Threads, for searches that can use several: those of Jeson Mor for quiet moves and by proof numbers
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub threads: u8,
    /// Save the work to this file, regularly and at the end
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// How often to save it; less often if that would take more than a twentieth of the time
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    pub every: u32,
    /// Continue from a checkpoint
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Solve every reachable position, in memory or, for games that have such a table, in a file
    #[arg(long, conflicts_with_all = ["method", "player", "within", "time", "cpu", "nodes", "checkpoint", "resume"])]
    pub complete: bool,
    /// Write the certificate of a win to this file, compressed if its name ends in .gz; or the table
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

const METHODS: &[Word<Method>] = &[
    ("all", "What suits the question: bounds alone with --within, else all in turn", Method::All),
    ("proof", "Proof-number search alone", Method::Proof),
    ("bound", "Whether anybody wins within 1, 2, 3, … turns", Method::Bound),
    ("plain", "The same by a second search, slow, which confirms the first", Method::Plain),
    (
        "quiet",
        "As bound, but turns that the game's evaluator calls free do not count",
        Method::Quiet,
    ),
    ("draw", "Closed sets of positions: that nobody can force a win", Method::Draw),
];

/// How much processor time to use if no limit is given.
const SECONDS: f64 = 60.0;

pub fn run(args: &SolveArgs) -> Result<(), Failure> {
    let settings = settings(args)?;
    let session = input::position(&args.position)?;
    let game = session.as_ref();
    let entry = input::game(game.info().id)?;
    print(format!("{}: {}\n", entry.info.name, game.diagram().status))?;
    let (stop, mut ticker) = (interrupt::stops()?, Ticker::new());
    let allowance = Allowance::new(cpu_limit(args)?);
    if args.complete {
        let file = args.output.as_deref();
        let found = (entry.complete)(game, settings.mebibytes, file, &stop, &mut |text| {
            ticker.show(|_| text);
        });
        ticker.end();
        return print(completed(game, &found.map_err(Failure::user)?));
    }
    let report = (entry.solve)(game, &settings, &stop, &mut |progress| {
        allowance.check(progress, &stop);
        ticker.show(|seconds| line(*entry.info.players, progress, &settings, seconds));
    });
    ticker.end();
    let report = report.map_err(Failure::user)?;
    print(answer(game, &report))?;
    if let Some(trouble) = &report.progress.trouble {
        eprintln!("quadrille: {trouble}; the previous checkpoint is kept");
    }
    let of_draw = report.draw.map(|draw| (draw.certificate.0, draw.certificate.1.iter().sum()));
    let certificate = report.win.and_then(|win| win.certificate).or(of_draw);
    match (&args.output, certificate) {
        (None, _) => Ok(()),
        (Some(file), Some((text, stored))) => store(file, &text, stored),
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
            let name = game.info().players[*player];
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
    let every = Duration::from_secs(args.every.into());
    Ok(Settings {
        method: args.method,
        player: args.player.and_then(|number| Player::try_from(number).ok()),
        most_turns: args.within,
        time: seconds("--time", args.time)?,
        nodes: args.nodes,
        mebibytes: args.memory as usize,
        threads: args.threads.into(),
        checkpoint: args.checkpoint.clone().map(|file| (file, every)),
        resume: args.resume.clone(),
    })
}

/// How much processor time to use.
fn cpu_limit(args: &SolveArgs) -> Result<Option<Duration>, Failure> {
    let limited = args.nodes.is_some() || args.within.is_some() || args.time.is_some();
    let usual = (!limited && !args.complete).then_some(SECONDS);
    seconds("--cpu", args.cpu.or(usual))
}

fn seconds(flag: &str, given: Option<f64>) -> Result<Option<Duration>, Failure> {
    match given {
        Some(seconds) if !(0.001..=1e7).contains(&seconds) => {
            Err(Failure::user(format!("{flag} must be 0.001 to 10000000, got {seconds}")))
        }
        given => Ok(given.map(Duration::from_secs_f64)),
    }
}

/// Seconds with one decimal.
pub fn rounded(time: Duration) -> f64 {
    (time.as_secs_f64() * 10.0).round() / 10.0
}

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
    let firsts = hardest(progress);
    let rate = rate / 1e3;
    let trouble = progress.trouble.as_ref().map_or_else(String::new, |why| format!("{why}; "));
    format!(
        "{trouble}{doing}: {nodes} positions, {rate:.0} thousand/s{numbers}{left}{excluded}{firsts}"
    )
}

/// How many first moves are settled, and which others have the most to prove.
fn hardest(progress: &Progress) -> String {
    let mut open: Vec<_> =
        progress.firsts.iter().filter(|(_, proof, disproof)| *proof > 0 && *disproof > 0).collect();
    if progress.firsts.is_empty() {
        return String::new();
    }
    open.sort_by_key(|(_, proof, _)| std::cmp::Reverse(*proof));
    let words = open.iter().map(|(m, proof, disproof)| format!(" {m} {proof}/{disproof}"));
    let settled = progress.firsts.len() - open.len();
    format!(
        "; {settled} of {} first moves settled,{}",
        progress.firsts.len(),
        words.collect::<String>()
    )
}

/// The wins that are excluded so far, in a few words.
fn excluded(players: [&str; 2], progress: &Progress) -> Vec<String> {
    let mut parts = Vec::new();
    for (count, what) in [(*progress.no_win, "turns"), (*progress.no_quiet, "quiet moves")] {
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
        [player] => format!("{} cannot force a win", game.info().players[player]),
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
    let name = game.info().players[win.player];
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

/// The wins that are excluded, if nobody is known to win.
fn open(game: &dyn Session, report: &Report, spent: &str) -> String {
    if game.outcome().is_some() {
        return "the game is drawn\n".to_owned();
    }
    let Progress { no_win, no_quiet, .. } = report.progress;
    let mut text = said(game, *no_win, &|count| format!("within {}", turns(count)));
    text += &said(game, *no_quiet, &|count| {
        format!("before both players together have made {count} quiet moves")
    });
    if let Some(means) = report.quiet_means.filter(|_| *no_quiet != [0, 0]) {
        text += &format!("({means})\n");
    }
    if text.is_empty() { format!("unknown after {spent}\n") } else { text }
}

/// A line about both players, where something is excluded.
fn said(game: &dyn Session, counts: [u32; 2], when: &dyn Fn(u32) -> String) -> String {
    match counts {
        [0, 0] => String::new(),
        [one, two] if one == two => format!("nobody can force a win {}\n", when(one)),
        _ => {
            let names = game.info().players.into_iter().zip(counts);
            let cannot = |(name, count)| format!("{name} cannot force a win {}", when(count));
            let parts: Vec<_> = names.filter(|(_, count)| *count > 0).map(cannot).collect();
            parts.join(", ") + "\n"
        }
    }
}

/// Why `verify` refuses a certificate of this size, and what to do.
fn too_large(stored: usize, bytes: usize) -> Option<String> {
    (stored > MOST_STORED || bytes > MOST_BYTES).then(|| {
        format!(
            "{stored} stored positions in {} MiB are more than `quadrille verify` reads: {MOST_STORED} in {} MiB at most. \
             Solve the positions after each turn of the loser (--moves) and keep a certificate of each",
            bytes >> 20,
            MOST_BYTES >> 20
        )
    })
}

fn store(file: &Path, text: &str, stored: usize) -> Result<(), Failure> {
    if let Some(why) = too_large(stored, text.len()) {
        eprintln!("quadrille: {}: {why}", file.display());
    }
    let packed = file.extension().is_some_and(|extension| extension == "gz");
    let bytes = match packed {
        true => {
            let bytes = compress(text)?;
            write(Some(file), &bytes)?;
            bytes.len()
        }
        false => {
            write(Some(file), text.as_bytes())?;
            text.len()
        }
    };
    print(format!("{}: {stored} stored positions, {bytes} bytes\n", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_that_verify_would_refuse_is_told_with_a_way_out() {
        assert_eq!(too_large(MOST_STORED, MOST_BYTES), None);
        for (stored, bytes) in [(MOST_STORED + 1, 1 << 20), (10, MOST_BYTES + 1)] {
            let said = too_large(stored, bytes).unwrap();
            assert!(said.contains(&stored.to_string()) && said.contains("--moves"), "{said}");
        }
    }
}
