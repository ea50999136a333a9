//! The seats of a game at this terminal.

use crate::output::columns::fitting;
use crate::shell::similar;
use engine::{Limits, Session, Who};
use rules::ByPlayer;
use rules::game::shorten;
use std::time::Duration;
use table::Seat;

/// How long the strongest level thinks about a turn without a clock.
const PATIENCE: Duration = Duration::from_secs(3);

/// How many columns a name may take.
pub const NAME: usize = 16;

/// A person; the name is cut to what a line can show.
pub fn person(name: &str) -> Seat {
    let name: String = name.trim().chars().filter(|c| !c.is_control()).collect();
    let name = Some(fitting(&name, NAME).to_owned()).filter(|name| !name.is_empty());
    Seat { who: Who::Person, name }
}

/// Two people without names.
pub fn people() -> ByPlayer<Seat> {
    ByPlayer::from_fn(|_| person(""))
}

/// Reads `human`, `human:NAME`, `seed:NAME` or `level:N`.
pub fn parse(text: &str, game: &dyn Session) -> Result<Seat, String> {
    let text = text.trim();
    if let Some(name) = text.strip_prefix("human:") {
        return Ok(person(name));
    }
    let known = || kinds(game).iter().map(Who::to_string).collect::<Vec<_>>();
    let refused = |why: String| match similar::player(text, &known()) {
        Some(own) => format!("there is no player `{}`; did you mean `{own}`?", shorten(text)),
        None => why,
    };
    match Who::parse(text, game).map_err(|unknown| refused(unknown.message))? {
        Some(Who::Person) => Ok(person("")),
        Some(who @ (Who::Level { .. } | Who::Seed { .. })) => Ok(Seat { who, name: None }),
        _ => Err(refused(format!(
            "player `{}`: expected human, human:NAME, seed:NAME or level:N",
            shorten(text)
        ))),
    }
}

/// The text that [`parse`] reads.
pub fn code(seat: &Seat) -> String {
    match (&seat.name, seat.who.is_computer()) {
        (_, true) => seat.who.to_string(),
        (Some(name), false) => format!("human:{name}"),
        (None, false) => Who::Person.to_string(),
    }
}

/// All kinds of players that a game has, as menus list them.
pub fn kinds(game: &dyn Session) -> Vec<Who> {
    std::iter::once(Who::Person).chain(Who::computers(game)).collect()
}

/// A description of a kind of player.
pub fn about(who: &Who, game: &dyn Session) -> &'static str {
    match who {
        Who::Person => "somebody at this keyboard",
        computer => computer.about(game),
    }
}

/// The limits of an engine's turn, with a share of the clock if there is one.
pub fn limits(who: &Who, clock: Option<Limits>) -> Limits {
    match who.level() {
        Some(level) if level.is_limited_by_time() => {
            clock.unwrap_or_else(|| Limits::time(PATIENCE))
        }
        _ => clock.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game() -> Box<dyn Session> {
        (engine::GAMES[0].start)(&Default::default()).unwrap()
    }

    #[test]
    fn players_are_read_as_they_are_written() {
        let game = game();
        let seed = format!("seed:{}", game.seed_players()[0].id);
        for text in ["human", "human:Ana", "level:4", &seed] {
            assert_eq!(code(&parse(text, game.as_ref()).unwrap()), text);
        }
    }

    #[test]
    fn what_is_no_player_is_refused() {
        let game = game();
        let refusals = [
            ("", "player ``: expected human"),
            ("random", "player `random`: expected human"),
            ("level:11", "the levels are 1 to 10, got `11`"),
            ("seed:odd", "there is no seed player `odd`; there are "),
        ];
        for (text, expected) in refusals {
            let error = parse(text, game.as_ref()).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn a_name_fits_its_line() {
        let name = |text: &str| person(&text.repeat(99)).name.unwrap();
        assert_eq!(name("\u{7}x"), "x".repeat(NAME));
        assert_eq!(name("龍"), "龍".repeat(NAME / 2));
    }
}
