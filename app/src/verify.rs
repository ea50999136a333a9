//! `quadrille verify`: checks a certificate.

use crate::failure::{Failure, print};
use crate::input;
use crate::progress::Ticker;
use engine::solve::certificate::{decompress, game_of};
use engine::solve::report::Proven;
use std::io::Read;
use std::path::Path;

/// How much of a file tells whether it can be a certificate.
const BEGINNING: u64 = 4096;

pub fn run(file: &Path) -> Result<(), Failure> {
    let name = file.display();
    let failed = |error| Failure::user(format!("cannot read {name}: {error}"));
    let mut input = std::fs::File::open(file).map_err(failed)?;
    let mut bytes = Vec::new();
    input.by_ref().take(BEGINNING).read_to_end(&mut bytes).map_err(failed)?;
    // Whatever else it is may have no end.
    let is_text = std::str::from_utf8(&bytes).map_or_else(|e| e.valid_up_to() > 0, |_| true);
    if !bytes.starts_with(&[0x1f, 0x8b]) && (!is_text || bytes.contains(&0)) {
        return Err(Failure::user(format!("{name} is refused: it is neither text nor compressed")));
    }
    input.read_to_end(&mut bytes).map_err(failed)?;
    let refused = |fault| Failure::user(format!("{name} is refused: {fault}"));
    let text = decompress(&bytes).map_err(refused)?;
    let entry = input::game(&game_of(&text).map_err(refused)?)?;
    let mut ticker = Ticker::new();
    let verdict = (entry.verify)(&text, &mut |done, all| {
        ticker.show(|_| format!("{done} of {all} stored positions"));
    });
    ticker.end();
    let Proven { position, winner, within, checked } = verdict.map_err(refused)?;
    let winner = entry.info.players[winner.index()];
    let told = format!(
        "{}: {winner} wins `{position}` within {within} moves\n\
         it holds: {} stored positions, {} replies, {} positions looked at\n",
        entry.info.name, checked.stored, checked.replies, checked.positions
    );
    print(told.as_bytes())
}
