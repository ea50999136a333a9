//! What players may do: from a wish to the events it becomes, or the reason why not.
//!
//! Nothing here changes anything: the events are stored first.

use crate::error::Refusal;
use crate::event::{Deed, Reason, Request};
use crate::played::{Played, Rematch};
use rules::Player;
use rules::game::shorten;
use serde::Deserialize;

/// What a player wants.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Wish {
    /// To play a turn.
    Move {
        /// Its text.
        turn: String,
    },
    /// To take a seat, or to be called otherwise.
    Join {
        /// The name.
        #[serde(default)]
        name: Option<String>,
    },
    /// To give up.
    Resign,
    /// To offer a draw.
    OfferDraw,
    /// To accept what is offered.
    Accept,
    /// To decline it.
    Decline,
    /// To take back.
    Undo,
    /// To play again.
    Rematch,
}

/// A wish with what makes it safe to repeat.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Command {
    /// What is wanted.
    #[serde(flatten)]
    pub wish: Wish,
    /// The sender's name for it.
    #[serde(default)]
    pub command: Option<String>,
    /// The number that the event is expected to get.
    #[serde(default)]
    pub seq: Option<i64>,
    /// Who wants it, where that is not clear.
    #[serde(default)]
    pub seat: Option<Player>,
}

impl Command {
    /// Refuses names that are too long to be kept.
    pub fn check(&self) -> Result<(), Refusal> {
        match &self.command {
            Some(name) if name.is_empty() || name.chars().count() > 64 => {
                Err(Refusal::bad("a command is called by 1 to 64 characters").at("command"))
            }
            _ => Ok(()),
        }
    }
}

/// The longest name of a player.
const MOST_NAME: usize = 40;

/// The most events of one game: nobody plays on for ever.
const MOST_EVENTS: i64 = 4_000;

/// A name as it is kept: trimmed, and none if nothing is left.
pub fn name(name: Option<&str>) -> Result<Option<String>, Refusal> {
    let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) else { return Ok(None) };
    if name.chars().count() > MOST_NAME || name.chars().any(char::is_control) {
        let error = format!("`{}` is no name of at most {MOST_NAME} characters", shorten(name));
        return Err(Refusal::against(error).at("name"));
    }
    Ok(Some(name.to_owned()))
}

/// What a wish comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// These things happen, the first by the seat.
    Deeds(Vec<Deed>),
    /// Another game is made, and the wish with it.
    NewGame,
}

impl From<Deed> for Decision {
    fn from(deed: Deed) -> Decision {
        Decision::Deeds(vec![deed])
    }
}

/// Whose command it is, among the seats that its sender plays.
pub fn seat(game: &Played, held: &[Player], command: &Command) -> Result<Player, Refusal> {
    if let Some(asked) = command.seat {
        return held.contains(&asked).then_some(asked).ok_or_else(|| {
            Refusal::forbidden(format!("the token does not play seat {asked}")).at("seat")
        });
    }
    let turn = game.session.turn();
    match (held, &command.wish, game.offer) {
        ([], _, _) => Err(Refusal::no_token("the token plays no seat of this game")),
        ([only], _, _) => Ok(*only),
        (_, Wish::Accept | Wish::Decline, Some((_, asker))) => Ok(asker.other()),
        _ => Ok(turn),
    }
}

/// What becomes of a wish.
pub fn decide(game: &Played, seat: Player, wish: &Wish) -> Result<Decision, Refusal> {
    if *wish == Wish::Rematch {
        return rematch(game, seat);
    }
    if game.result.is_some() {
        return Err(Refusal::conflict("the game is over"));
    }
    if game.seq >= MOST_EVENTS && *wish != Wish::Resign {
        return Err(Refusal::conflict("the game is too long to go on: resign"));
    }
    match wish {
        Wish::Move { turn } => play(game, seat, turn),
        Wish::Join { name: asked } => join(game, seat, asked.as_deref()),
        Wish::Resign => Ok(end(Some(seat.other()), Reason::Resigned).into()),
        Wish::OfferDraw => offer_draw(game, seat),
        Wish::Accept => accept(game, seat),
        Wish::Decline => match game.offer {
            Some((_, asker)) if asker != seat => Ok(Deed::Declined.into()),
            _ => Err(nothing_offered()),
        },
        Wish::Undo => undo(game, seat),
        Wish::Rematch => rematch(game, seat),
    }
}

fn end(winner: Option<Player>, reason: Reason) -> Deed {
    Deed::Result { winner, reason }
}

fn nothing_offered() -> Refusal {
    Refusal::conflict("the opponent has offered nothing")
}

/// The turn as an event, and the result if it ends the game.
fn play(game: &Played, seat: Player, turn: &str) -> Result<Decision, Refusal> {
    if game.session.turn() != seat {
        return Err(Refusal::conflict("it is not your turn"));
    }
    let mut next = game.session.boxed_clone();
    next.play(turn).map_err(|error| Refusal::against(error).at("turn"))?;
    if next.outcome().is_none() && next.turn() == seat {
        let error = format!("turn `{}` is not complete", shorten(turn));
        return Err(Refusal::against(error).at("turn"));
    }
    let turn = next.last_turn().unwrap_or_default();
    let mut deeds = vec![Deed::Move { turn }];
    if let Some(outcome) = next.result() {
        let by_rules = next.outcome().is_some();
        let reason = if by_rules { Reason::Rules } else { Reason::Repetition };
        deeds.push(end(outcome.winner(), reason));
    }
    Ok(Decision::Deeds(deeds))
}

fn join(game: &Played, seat: Player, asked: Option<&str>) -> Result<Decision, Refusal> {
    let played = game.session.turns_played() > game.created.turns.len();
    if game.joined[seat.index()] && played {
        return Err(Refusal::conflict("the seat is taken, and the game has begun"));
    }
    Ok(Deed::Joined { name: name(asked)? }.into())
}

fn offer_draw(game: &Played, seat: Player) -> Result<Decision, Refusal> {
    match game.offer {
        _ if game.created.shared => Ok(end(None, Reason::Agreed).into()),
        _ if game.is_computer(seat.other()) => {
            Err(Refusal::conflict("a computer does not agree on draws"))
        }
        Some((Request::Draw, asker)) if asker != seat => Ok(end(None, Reason::Agreed).into()),
        Some((_, asker)) if asker == seat => Err(Refusal::conflict("you have offered already")),
        Some(_) => Err(Refusal::conflict("answer the opponent's offer first")),
        None => Ok(Deed::Offer { offer: Request::Draw }.into()),
    }
}

fn accept(game: &Played, seat: Player) -> Result<Decision, Refusal> {
    match game.offer {
        Some((Request::Draw, asker)) if asker != seat => Ok(end(None, Reason::Agreed).into()),
        Some((Request::Undo, asker)) if asker != seat => {
            let turns = game.before_last_turn_of(asker).ok_or_else(nothing_offered)?;
            Ok(Deed::Undone { turns }.into())
        }
        _ => Err(nothing_offered()),
    }
}

fn undo(game: &Played, seat: Player) -> Result<Decision, Refusal> {
    let nothing = || Refusal::conflict("there is no turn of yours to take back");
    if game.created.shared {
        let played = game.session.turns_played();
        let turns = played.checked_sub(1).filter(|rest| *rest >= game.created.turns.len());
        return Ok(Deed::Undone { turns: turns.ok_or_else(nothing)? }.into());
    }
    let turns = game.before_last_turn_of(seat).ok_or_else(nothing)?;
    match game.offer {
        _ if game.is_computer(seat.other()) => Ok(Deed::Undone { turns }.into()),
        Some((_, asker)) if asker == seat => Err(Refusal::conflict("you have asked already")),
        Some(_) => Err(Refusal::conflict("answer the opponent's offer first")),
        None => Ok(Deed::Offer { offer: Request::Undo }.into()),
    }
}

fn rematch(game: &Played, seat: Player) -> Result<Decision, Refusal> {
    if game.result.is_none() {
        return Err(Refusal::conflict("the game is not over"));
    }
    match &game.rematch {
        Some(Rematch::Made(_)) => Err(Refusal::conflict("the next game has been made")),
        Some(Rematch::Asked(asker)) if *asker == seat && !game.created.shared => {
            Err(Refusal::conflict("you have asked already"))
        }
        Some(Rematch::Asked(_)) => Ok(Decision::NewGame),
        None if game.created.shared || game.is_computer(seat.other()) => Ok(Decision::NewGame),
        None => Ok(Deed::Rematch { id: None }.into()),
    }
}
