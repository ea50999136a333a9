//! What happened in a game, in words: for lists, announcements and screen readers.

use crate::course::Course;
use crate::event::{Ending, Event, Fact, Offer, Reason};
use crate::state::State;
use rules::Player;

/// An event as a sentence; none for turns and pauses, which are shown on the board and the clocks.
pub fn event(event: &Event, after: &Course) -> Option<String> {
    let who = event.seat.map(|seat| after.name(seat));
    let by = |words: &str| who.map(|who| format!("{who} {words}"));
    match &event.fact {
        Fact::Joined { .. } => by("has joined."),
        Fact::Offer { offer } => by(asks(*offer)),
        Fact::Declined => by("declines."),
        Fact::Undone { .. } => Some("A turn was taken back.".into()),
        Fact::Result(ending) => Some(format!("{}.", result(*ending, after))),
        Fact::Rematch { id: None } => by(ASKS_AGAIN),
        Fact::Rematch { id: Some(_) } => Some("The next game is ready.".into()),
        Fact::Created(_) | Fact::Move { .. } | Fact::Paused { .. } | Fact::Unknown => None,
    }
}

/// The fixed phrases that players can say instead of a chat, each with its name in messages.
pub const GREETINGS: [(&str, &str); 6] = [
    ("hello", "Hello"),
    ("good-luck", "Good luck"),
    ("well-played", "Well played"),
    ("thanks", "Thanks"),
    ("sorry", "Sorry"),
    ("good-game", "Good game"),
];

/// The predicate for a player who asks for a rematch.
pub const ASKS_AGAIN: &str = "asks for a rematch.";

/// The predicate for a player who makes an offer.
pub fn asks(offer: Offer) -> &'static str {
    match offer {
        Offer::Draw => "offers a draw.",
        Offer::Undo => "asks to take back a turn.",
    }
}

/// How a game ended: `Ann has won on time`.
pub fn result(ending: Ending, course: &Course) -> String {
    let who = match (ending.winner, ending.reason) {
        (Some(player), _) => format!("{} has won", course.name(player)),
        (None, Reason::Aborted) => "The game".into(),
        (None, _) => "A draw".into(),
    };
    format!("{who}{}", how(ending.reason))
}

/// How a result came about, to follow the winner's name.
pub fn how(reason: Reason) -> &'static str {
    match reason {
        Reason::Rules => "",
        Reason::Resigned => " by resignation",
        Reason::Time => " on time",
        Reason::Agreed => " by agreement",
        Reason::Repetition => " by repetition",
        Reason::Aborted => " was called off",
        Reason::Recorded => ", as the record says",
    }
}

/// How a game ended, with what the board says if the rules ended it; none while it is running.
pub fn ending(state: &State) -> Option<String> {
    let ending = state.course.result?;
    if ending.reason != Reason::Rules {
        return Some(result(ending, &state.course));
    }
    let status = named(&state.session.diagram().status, &state.course);
    let mut letters = status.chars();
    let first = letters.next()?;
    Some(first.to_uppercase().chain(letters).collect())
}

/// What a board says, with the player's name instead of the colour at its start.
pub fn named(status: &str, course: &Course) -> String {
    let renamed = Player::BOTH.into_iter().find_map(|player| {
        let rest = status.strip_prefix(course.colours[player])?;
        rest.starts_with(' ').then(|| format!("{}{rest}", course.name(player)))
    });
    renamed.unwrap_or_else(|| status.to_owned())
}
