//! `quadrille verify`: checks a certificate.

use crate::failure::{Failure, print};
use crate::input;
use crate::progress::Ticker;
use engine::solve::certificate::{decompress, game_of};
use engine::solve::report::Proven;
use std::path::Path;

pub fn run(file: &Path) -> Result<(), Failure> {
    let name = file.display();
    let bytes = std::fs::read(file)
        .map_err(|error| Failure::user(format!("cannot read {name}: {error}")))?;
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
