//! `quadrille verify`: checks a certificate, or a complete table.

use crate::shell::failure::{Failure, print};
use crate::shell::input;
use crate::shell::progress::Ticker;
use engine::solve::certificate::{Claim, MOST_BYTES, decompress, game_of};
use engine::solve::knights::{TITLE, Tallied, verify as verify_table};
use engine::solve::report::Proven;
use std::io::Read;
use std::path::Path;

/// How many bytes decide whether a file can be a certificate.
const BEGINNING: u64 = 4096;

pub fn run(file: &Path) -> Result<(), Failure> {
    let name = file.display();
    let failed = |error| Failure::user(format!("cannot read {name}: {error}"));
    let mut input = std::fs::File::open(file).map_err(failed)?;
    let mut bytes = Vec::new();
    input.by_ref().take(BEGINNING).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.starts_with(TITLE) {
        return table(file);
    }
    // Anything else may be endless.
    let is_text = std::str::from_utf8(&bytes).map_or_else(|e| e.valid_up_to() > 0, |_| true);
    if !bytes.starts_with(&[0x1f, 0x8b]) && (!is_text || bytes.contains(&0)) {
        return Err(Failure::user(format!("{name} is refused: it is neither text nor compressed")));
    }
    input.take(MOST_BYTES as u64).read_to_end(&mut bytes).map_err(failed)?;
    let refused = |fault| Failure::user(format!("{name} is refused: {fault}"));
    let text = decompress(&bytes).map_err(refused)?;
    let entry = input::game(&game_of(&text).map_err(refused)?)?;
    let mut ticker = Ticker::new();
    let verdict = (entry.verify)(&text, &mut |done, all| {
        ticker.show(|_| format!("{done} of {all} stored positions"));
    });
    ticker.end();
    let Proven { position, claim, checked } = verdict.map_err(refused)?;
    let name = |player: rules::Player| entry.info.players[player];
    let claim = match claim {
        Claim::Wins { player, within } => {
            format!("{} wins `{position}` within {within} moves", name(player))
        }
        Claim::NoWin(player) => format!("{} cannot force a win from `{position}`", name(player)),
        Claim::Nobody => format!("nobody can force a win from `{position}`"),
    };
    let told = format!(
        "{}: {claim}\nit holds: {} stored positions, {} replies, {} positions looked at\n",
        entry.info.name, checked.stored, checked.replies, checked.positions
    );
    print(told)
}

/// Checks a complete table: every position of it.
fn table(file: &Path) -> Result<(), Failure> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut ticker = Ticker::new();
    let verdict = verify_table(file, threads, &mut |done, all| {
        ticker.show(|seconds| {
            let part = done as f64 / all as f64;
            let left = seconds / part.max(1e-3) * (1.0 - part);
            format!("{:.0} % of {all} numbers, about {left:.0} s left", 100.0 * part)
        });
    });
    ticker.end();
    let refused = |fault| Failure::user(format!("{} is refused: {fault}", file.display()));
    let Tallied { positions, counts: [mover, other, nobody], longest, moves } =
        verdict.map_err(refused)?;
    let told = format!(
        "every value follows from those one move later, and no position is missing\n\
         {positions} positions up to symmetry: {mover} won by the player to move, {other} by the other, \
         {nobody} by nobody; the longest win takes {longest} turns of both\n\
         it holds: {moves} moves made\n"
    );
    print(told)
}
