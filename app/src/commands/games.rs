//! `quadrille games`: the list of games and their options.

use crate::shell::failure::{Failure, print};
use crate::shell::input;
use engine::GAMES;
use rules::Player;
use serde_json::{Value, json};
use std::path::Path;

pub fn run(as_json: bool) -> Result<(), Failure> {
    let text = if as_json {
        format!("{:#}\n", Value::from_iter(GAMES.iter().map(describe)))
    } else {
        list()
    };
    print(text)
}

/// Lists the games of a file, numbered as `--game` wants them.
pub fn of_file(file: &Path) -> Result<(), Failure> {
    let mut text = String::new();
    for (number, sitting) in (1..).zip(input::sittings(file)?) {
        let words = match sitting {
            Err(why) => format!("not a game: {why}"),
            Ok(sitting) => {
                let [one, two] = Player::BOTH.map(|player| sitting.full_name(player));
                let turns = sitting.board.turns_played();
                let status = sitting.diagram().status;
                let (id, s) = (sitting.entry.info.id, if turns == 1 { "" } else { "s" });
                format!("{id}: {one} against {two}, {turns} turn{s}, {status}")
            }
        };
        text += &format!("{number:>4}  {words}\n");
    }
    print(text)
}

fn list() -> String {
    let mut text = String::new();
    let width = GAMES.iter().map(|entry| entry.info.id.len()).max().unwrap_or_default() + 2;
    for entry in GAMES {
        let info = entry.info;
        text += &format!("{:<width$}{}: {}\n", info.id, info.name, info.tagline);
        for option in info.options {
            let flag = option.name.replace('_', "-");
            let (values, default, about) = (&option.values, option.default, option.about);
            text += &format!("{:width$}--{flag:<12} {values} (default {default}): {about}\n", "");
        }
    }
    text + "\nquadrille rules GAME tells how a game is played.\n"
}

fn describe(entry: &engine::Entry) -> Value {
    let info = entry.info;
    let option = |option: &rules::game::OptionInfo| {
        let values = option.values.list();
        let default = rules::notation::option_value(option.default);
        json!({"name": option.name, "about": option.about, "values": values, "default": default})
    };
    json!({
        "id": info.id,
        "name": info.name,
        "about": info.tagline,
        "players": info.players,
        "options": info.options.iter().map(option).collect::<Value>(),
        "position_bytes": entry.position_bytes,
    })
}
