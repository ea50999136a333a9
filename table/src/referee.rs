//! The referee: which events an action results in, or why it is refused. Nothing here changes the state, since the
//! events have to be stored first.

use crate::event::{Ending, Fact, Offer, Reason};
use crate::refusal::Refusal;
use crate::state::{Rematch, State};
use engine::Session;
use rules::Player;
use rules::game::shorten;
use serde::Deserialize;
use std::ops::RangeInclusive;

/// What a player wants to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// To play a turn.
    Move {
        /// Its text.
        turn: String,
    },
    /// To take a seat, or to change one's name.
    Join {
        /// The name.
        name: Option<String>,
        /// A secret for the seat, if the client has drawn one.
        secret: Option<String>,
    },
    /// To give up.
    Resign,
    /// To abort the game, before both have moved.
    Abort,
    /// To offer a draw.
    OfferDraw,
    /// To accept the opponent's offer.
    Accept,
    /// To decline the opponent's offer.
    Decline,
    /// To take back one's last turn.
    Undo,
    /// To play again.
    Rematch,
}

/// An action, with the fields that make it idempotent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The action.
    pub action: Action,
    /// The client's id for the command.
    pub command: Option<String>,
    /// The number that the event is expected to get.
    pub seq: Option<i64>,
    /// The last event that changed the board, as far as the client knows.
    pub board_seq: Option<i64>,
    /// The last event that the client has seen.
    pub seen: Option<i64>,
    /// Which seat it is for, if the sender plays both.
    pub seat: Option<Player>,
}

impl Command {
    /// Whether it comes with a secret for a seat.
    pub fn has_secret(&self) -> bool {
        matches!(self.action, Action::Join { secret: Some(_), .. })
    }
}

/// A message as it is sent. HTTP names the action in `type`; a socket names it in `do`, because there `type`
/// distinguishes commands from other messages.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Message {
    /// The type of the message or, over HTTP, the action.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The action, on a socket.
    #[serde(rename = "do")]
    pub action: Option<String>,
    /// The token of a seat, in a socket's first message.
    pub token: Option<String>,
    /// The client's id for the command.
    pub command: Option<String>,
    turn: Option<String>,
    name: Option<String>,
    secret: Option<String>,
    seq: Option<i64>,
    board_seq: Option<i64>,
    seen: Option<i64>,
    seat: Option<Player>,
}

impl Message {
    /// Reads a message from its fields; malformed fields count as missing.
    pub fn of_fields(fields: &serde_json::Map<String, serde_json::Value>) -> Message {
        let text = |name: &str| fields.get(name)?.as_str().map(str::to_owned);
        let number = |name: &str| fields.get(name)?.as_i64();
        let seat = || Player::try_from(u8::try_from(number("seat")?).ok()?).ok();
        Message {
            kind: text("type"),
            action: text("do"),
            token: text("token"),
            command: text("command"),
            turn: text("turn"),
            name: text("name"),
            secret: text("secret"),
            seq: number("seq"),
            board_seq: number("board_seq"),
            seen: number("seen"),
            seat: seat(),
        }
    }

    /// The command of an HTTP request, whose action is its `type`.
    pub fn of_request(mut self) -> Result<Command, Refusal> {
        let action = self.kind.take();
        self.read(action, "type")
    }

    /// The command of a socket message, whose action is its `do`.
    pub fn of_socket(mut self) -> Result<Command, Refusal> {
        let action = self.action.take();
        self.read(action, "do")
    }

    fn read(self, action: Option<String>, field: &str) -> Result<Command, Refusal> {
        let Message { turn, name, secret, command, seq, board_seq, seen, seat, .. } = self;
        let missing =
            |field: &str| Refusal::not_understood(format!("missing field `{field}`")).at(field);
        let action = match action.ok_or_else(|| missing(field))?.as_str() {
            "move" => Action::Move { turn: turn.ok_or_else(|| missing("turn"))? },
            "join" => Action::Join { name, secret: checked_secret(secret)? },
            "resign" => Action::Resign,
            "abort" => Action::Abort,
            "offer-draw" => Action::OfferDraw,
            "accept" => Action::Accept,
            "decline" => Action::Decline,
            "undo" => Action::Undo,
            "rematch" => Action::Rematch,
            other => {
                let known = "move, join, resign, abort, offer-draw, accept, decline, undo, rematch";
                let error = format!("unknown command `{}`, expected {known}", shorten(other));
                return Err(Refusal::not_understood(error).at(field));
            }
        };
        let bad = |name: &String| {
            // PostgreSQL text cannot hold NUL.
            !(1..=MOST_WORD).contains(&name.chars().count()) || name.contains('\0')
        };
        if command.as_ref().is_some_and(bad) {
            let error = format!("the name of a command has 1 to {MOST_WORD} characters");
            return Err(Refusal::not_understood(error).at("command"));
        }
        Ok(Command { action, command, seq, board_seq, seen, seat })
    }
}

/// The longest command id.
pub const MOST_WORD: usize = 64;

/// The longest text of a turn, including spaces.
pub const MOST_TURN: usize = 256;

/// The permitted lengths of a secret: 22 letters and digits hold 128 bits.
pub const SECRET_LENGTH: RangeInclusive<usize> = 22..=64;

/// Refuses a secret that could be guessed.
fn checked_secret(secret: Option<String>) -> Result<Option<String>, Refusal> {
    let Some(secret) = secret else { return Ok(None) };
    if SECRET_LENGTH.contains(&secret.len()) && secret.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Ok(Some(secret));
    }
    let (least, most) = (SECRET_LENGTH.start(), SECRET_LENGTH.end());
    let error = format!("a secret has {least} to {most} letters and digits, drawn at random");
    Err(Refusal::not_understood(error).at("secret"))
}

/// The longest name of a player.
pub const MOST_NAME: usize = 40;

/// How many events a game may have before names can no longer be changed.
pub const MOST_EVENTS_BEFORE: i64 = 12;

/// The maximum number of events in a game.
pub const MOST_EVENTS: i64 = 4_000;

/// Trims a name; none if nothing is left.
pub fn name(name: Option<&str>) -> Result<Option<String>, Refusal> {
    let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) else { return Ok(None) };
    if name.chars().count() > MOST_NAME {
        let error = format!("`{}` is longer than {MOST_NAME} characters", shorten(name));
        return Err(Refusal::against(error).at("name"));
    }
    if let Some(hidden) = name.chars().find(|c| is_hidden(*c)) {
        let code = u32::from(hidden);
        let error = format!("a name has no hidden characters, and this one has U+{code:04X}");
        return Err(Refusal::against(error).at("name"));
    }
    Ok(Some(name.to_owned()))
}

/// Characters that are invisible or affect how others are displayed: control characters, direction marks, joiners,
/// fillers and tags.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// What an action results in.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// These facts, the first of which is the seat's.
    Facts(Vec<Fact>),
    /// An open seat is taken: the player gets a secret, and the invitation becomes invalid.
    Taken(Fact),
    /// A rematch is created, and the request for it is stored with it.
    NewGame,
}

impl Decision {
    /// The facts, for games without secrets; a rematch is announced without an id.
    pub fn facts(self) -> Vec<Fact> {
        match self {
            Decision::Facts(facts) => facts,
            Decision::Taken(fact) => vec![fact],
            Decision::NewGame => vec![Fact::Rematch { id: None }],
        }
    }
}

impl From<Fact> for Decision {
    fn from(fact: Fact) -> Decision {
        Decision::Facts(vec![fact])
    }
}

/// Refuses a command that was meant for another state of the game.
pub fn expected(game: &State, command: &Command) -> Result<(), Refusal> {
    let (next, board) = (game.course.seq + 1, game.course.board_seq);
    if let Some(seq) = command.seq.filter(|seq| *seq != next) {
        return Err(Refusal::conflict(format!("the next event is {next}, not {seq}")).at("seq"));
    }
    if let Some(known) = command.board_seq.filter(|known| *known != board) {
        let error = format!("the board has changed with event {board}, and you know event {known}");
        return Err(Refusal::conflict(error).at("board_seq"));
    }
    Ok(())
}

/// The refusal for a token that does not play any seat.
pub fn no_seat() -> Refusal {
    Refusal::no_token(
        "the token plays no seat of this game; if it was an invitation, the seat has been taken",
    )
}

/// Refuses a command id that was used for a different action before; `fact` is that command's first event.
pub fn same_as_before(action: &Action, fact: &Fact) -> Result<(), Refusal> {
    let same = match (action, fact) {
        (Action::Move { turn }, Fact::Move { turn: played, said }) => {
            turn == said.as_ref().unwrap_or(played)
        }
        (Action::Join { name: asked, .. }, Fact::Joined { name: given }) => {
            name(asked.as_deref()).as_ref() == Ok(given)
        }
        (Action::Resign, Fact::Result(Ending { reason: Reason::Resigned, .. }))
        | (Action::Abort, Fact::Result(Ending { reason: Reason::Aborted, .. }))
        | (Action::OfferDraw, Fact::Offer { offer: Offer::Draw })
        | (
            Action::OfferDraw | Action::Accept,
            Fact::Result(Ending { reason: Reason::Agreed, .. }),
        )
        | (Action::Undo, Fact::Offer { offer: Offer::Undo })
        | (Action::Undo | Action::Accept, Fact::Undone { .. })
        | (Action::Decline, Fact::Declined)
        | (Action::Rematch, Fact::Rematch { .. }) => true,
        _ => false,
    };
    let error = "a command of this name did something else; give each command a name of its own";
    same.then_some(()).ok_or_else(|| Refusal::conflict(error).at("command"))
}

/// The seat that a command is for, among those its sender plays.
pub fn seat(game: &State, held: &[Player], command: &Command) -> Result<Player, Refusal> {
    if let Some(asked) = command.seat {
        return held.contains(&asked).then_some(asked).ok_or_else(|| {
            Refusal::forbidden(format!("the token does not play seat {asked}")).at("seat")
        });
    }
    let turn = game.course.turn;
    match (held, &command.action, game.course.offer) {
        ([], _, _) => Err(no_seat()),
        ([only], _, _) => Ok(*only),
        (_, Action::Accept | Action::Decline, Some((_, asker))) => Ok(asker.other()),
        _ => Ok(turn),
    }
}

/// What a command results in, or why it is refused.
pub fn obey(game: &State, seat: Player, command: &Command) -> Result<Decision, Refusal> {
    let mut decision = decide(game, seat, &command.action)?;
    // A turn declines an offer, but if the player had not seen the offer yet, it is repeated after the turn.
    let Some((offer, _)) = game.course.offer.filter(|(_, asker)| *asker != seat) else {
        return Ok(decision);
    };
    let unseen = command.seen.is_some_and(|seen| seen < game.course.offer_seq);
    if let Decision::Facts(facts) = &mut decision
        && matches!(facts[..], [Fact::Move { .. }])
        && unseen
    {
        facts.push(Fact::Offer { offer });
    }
    Ok(decision)
}

/// What an action results in, or why it is refused.
pub fn decide(game: &State, seat: Player, action: &Action) -> Result<Decision, Refusal> {
    if game.is_invitation(seat) && !matches!(action, Action::Move { .. } | Action::Join { .. }) {
        return Err(Refusal::conflict("join first: nobody has taken this seat"));
    }
    if *action == Action::Rematch {
        return rematch(game, seat);
    }
    if game.course.result.is_some() {
        return Err(Refusal::conflict("the game is over"));
    }
    if game.course.seq >= MOST_EVENTS && !matches!(action, Action::Resign | Action::Abort) {
        return Err(Refusal::conflict("the game is too long to go on: resign"));
    }
    match action {
        Action::Move { turn } => play(game, seat, turn),
        Action::Join { name: asked, .. } => join(game, seat, asked.as_deref()),
        Action::Resign => Ok(end(Some(seat.other()), Reason::Resigned).into()),
        Action::Abort => abort(game),
        Action::OfferDraw => offer_draw(game, seat),
        Action::Accept => accept(game, seat),
        Action::Decline => match game.course.offer {
            Some((_, asker)) if asker != seat => Ok(Fact::Declined.into()),
            _ => Err(nothing_offered()),
        },
        Action::Undo => undo(game, seat),
        Action::Rematch => rematch(game, seat),
    }
}

fn end(winner: Option<Player>, reason: Reason) -> Fact {
    Fact::Result(Ending { winner, reason })
}

fn nothing_offered() -> Refusal {
    Refusal::conflict("the opponent has offered nothing")
}

/// A turn as a fact, and the result if it ends the game. For local games, where the number of events does not matter.
pub fn play(game: &State, seat: Player, turn: &str) -> Result<Decision, Refusal> {
    if game.session.turn() != seat {
        return Err(Refusal::conflict("it is not your turn"));
    }
    if turn.len() > MOST_TURN {
        let error = format!("a turn has at most {MOST_TURN} characters");
        return Err(Refusal::against(error).at("turn"));
    }
    let mut next = game.session.boxed_clone();
    next.play(turn).map_err(|error| Refusal::against(error).at("turn"))?;
    if next.outcome().is_none() && next.turn() == seat {
        let error = format!("turn `{}` is not complete", shorten(turn));
        return Err(Refusal::against(error).at("turn"));
    }
    let played = next.last_turn().unwrap_or_default();
    let said = (played != turn).then(|| turn.to_owned());
    let mut facts = vec![Fact::Move { turn: played, said }];
    facts.extend(ending(next.as_ref()).map(Fact::Result));
    Ok(Decision::Facts(facts))
}

/// How the game ended according to the rules, if it did.
pub fn ending(board: &dyn Session) -> Option<Ending> {
    let by_rules = board.outcome().is_some();
    let reason = if by_rules { Reason::Rules } else { Reason::Repetition };
    board.result().map(|outcome| Ending::new(outcome.winner(), reason))
}

fn join(game: &State, seat: Player, asked: Option<&str>) -> Result<Decision, Refusal> {
    if game.created.club.is_some() {
        return Err(Refusal::conflict("the names in a public game are those of its players"));
    }
    let played = game.course.turns > game.created.turns.len();
    if game.course.joined[seat] && played {
        return Err(Refusal::conflict("the seat is taken, and the game has begun"));
    }
    if game.course.joined[seat] && game.course.seq >= MOST_EVENTS_BEFORE {
        return Err(Refusal::conflict("the names have been changed often enough"));
    }
    let joined = Fact::Joined { name: name(asked)? };
    match game.is_invitation(seat) {
        true => Ok(Decision::Taken(joined)),
        false => Ok(joined.into()),
    }
}

/// Whether a player may still abort the game instead of resigning, because not both have moved since it was created.
pub fn can_abort(game: &State) -> bool {
    game.course.result.is_none() && game.course.turns < game.created.turns.len() + 2
}

fn abort(game: &State) -> Result<Decision, Refusal> {
    if !can_abort(game) {
        return Err(Refusal::conflict("both players have moved: resign, or offer a draw"));
    }
    Ok(end(None, Reason::Aborted).into())
}

fn offer_draw(game: &State, seat: Player) -> Result<Decision, Refusal> {
    match game.course.offer {
        _ if game.created.shared => Ok(end(None, Reason::Agreed).into()),
        _ if game.is_computer(seat.other()) => {
            Err(Refusal::conflict("a computer does not agree on draws"))
        }
        Some((Offer::Draw, asker)) if asker != seat => Ok(end(None, Reason::Agreed).into()),
        Some((offer, asker)) if asker == seat => Err(offered_already(offer)),
        Some(_) => Err(Refusal::conflict("answer the opponent's offer first")),
        None => Ok(Fact::Offer { offer: Offer::Draw }.into()),
    }
}

fn accept(game: &State, seat: Player) -> Result<Decision, Refusal> {
    match game.course.offer {
        Some((Offer::Draw, asker)) if asker != seat => Ok(end(None, Reason::Agreed).into()),
        Some((Offer::Undo, asker)) if asker != seat => {
            let turns = game.before_last_turn_of(asker).ok_or_else(nothing_offered)?;
            Ok(Fact::Undone { turns }.into())
        }
        _ => Err(nothing_offered()),
    }
}

fn undo(game: &State, seat: Player) -> Result<Decision, Refusal> {
    if game.created.club.as_ref().is_some_and(|club| club.rated) {
        return Err(Refusal::conflict("no turn is taken back in a rated game"));
    }
    let nothing = || Refusal::conflict("there is no turn of yours to take back");
    if game.created.shared {
        let turns =
            game.course.turns.checked_sub(1).filter(|rest| *rest >= game.created.turns.len());
        return Ok(Fact::Undone { turns: turns.ok_or_else(nothing)? }.into());
    }
    let turns = game.before_last_turn_of(seat).ok_or_else(nothing)?;
    match game.course.offer {
        _ if game.is_computer(seat.other()) => Ok(Fact::Undone { turns }.into()),
        Some((offer, asker)) if asker == seat => Err(offered_already(offer)),
        Some(_) => Err(Refusal::conflict("answer the opponent's offer first")),
        None => Ok(Fact::Offer { offer: Offer::Undo }.into()),
    }
}

/// Only one offer can be open.
fn offered_already(offer: Offer) -> Refusal {
    Refusal::conflict(match offer {
        Offer::Draw => "you have offered a draw already",
        Offer::Undo => "you have asked to take back already",
    })
}

fn rematch(game: &State, seat: Player) -> Result<Decision, Refusal> {
    if game.course.result.is_none() {
        return Err(Refusal::conflict("the game is not over"));
    }
    match &game.rematch {
        Some(Rematch::Made(_)) => Err(Refusal::conflict("the next game has been made")),
        Some(Rematch::Asked(asker)) if *asker == seat && !game.created.shared => {
            Err(Refusal::conflict("you have asked already"))
        }
        Some(Rematch::Asked(_)) => Ok(Decision::NewGame),
        None if game.created.shared || game.is_computer(seat.other()) => Ok(Decision::NewGame),
        None => Ok(Fact::Rematch { id: None }.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
    use crate::words;
    use serde_json::json;

    /// Player 1 moves and then makes an offer. Player 2, who has seen events up to `seen`, answers with a turn.
    fn answered(offer: Action, seen: Option<i64>) -> State {
        let person = json!({ "kind": "person" });
        let told = json!({ "game": "gekitai", "seats": [person, person], "seq": 1 });
        let mut state = State::read(&told).unwrap();
        let turn = |turn: &str| Action::Move { turn: turn.into() };
        for (seat, action, seen) in [
            (Player::One, turn("c4"), None),
            (Player::One, offer, None),
            (Player::Two, turn("a1"), seen),
        ] {
            let command =
                Command { action, command: None, seq: None, board_seq: None, seen, seat: None };
            let facts = obey(&state, seat, &command).unwrap().facts();
            for event in state.events(Some(seat), facts, None, 1_000) {
                state.apply(&event).unwrap();
            }
        }
        state
    }

    #[test]
    fn a_turn_declines_an_offer_unless_its_player_had_not_seen_it() {
        let offers = [
            (Action::OfferDraw, Offer::Draw, "you have offered a draw already"),
            (Action::Undo, Offer::Undo, "you have asked to take back already"),
        ];
        for (action, offer, said) in offers {
            for seen in [None, Some(3), Some(9)] {
                let state = answered(action.clone(), seen);
                assert_eq!((state.course.offer, state.course.seq), (None, 4), "{seen:?}");
            }
            // It was sent after event 2, and the offer is event 3.
            let state = answered(action, Some(2));
            assert_eq!(state.course.offer, Some((offer, Player::One)));
            assert_eq!((state.course.seq, state.course.turns), (5, 2));
            assert!(decide(&state, Player::Two, &Action::Accept).is_ok());
            let second = decide(&state, Player::One, &Action::OfferDraw).unwrap_err();
            assert_eq!(second.message, said);
        }
    }

    #[test]
    fn names_have_no_characters_that_hide_or_turn_others_round() {
        for fine in ["Ann", "Zoë", "Владимир", "さくら", "עדה", "O'Neill-Smith 2", "🦊"]
        {
            assert_eq!(name(Some(fine)), Ok(Some(fine.to_owned())));
        }
        for hidden in
            ["\u{202e}nnA", "A\u{200b}nn", "A\u{2066}n", "\u{feff}Ann", "A\nn", "\u{3164}"]
        {
            let refused = name(Some(hidden)).unwrap_err();
            assert_eq!(refused.field.as_deref(), Some("name"), "{hidden:?}");
            assert!(refused.message.contains("U+"), "{}", refused.message);
        }
        assert_eq!(name(Some(" \t ")), Ok(None));
        assert_eq!(name(Some(&"x".repeat(40))), Ok(Some("x".repeat(40))));
        assert!(name(Some(&"x".repeat(41))).is_err());
    }

    /// The JSON of a game between two people that was created with two turns and has gone on for this many.
    fn told(turns: usize) -> State {
        let turns = &["c4", "d3", "a1", "f6"][..turns];
        let seats = json!([{ "kind": "person" }, { "kind": "person" }]);
        let told = json!({ "game": "gekitai", "seats": seats, "turns": turns, "began": 2 });
        State::read(&told).unwrap()
    }

    #[test]
    fn whoever_is_told_a_game_knows_how_long_it_can_be_called_off() {
        for (turns, can) in [(2, true), (3, true), (4, false)] {
            let state = told(turns);
            assert_eq!(can_abort(&state), can, "after {turns} turns");
            assert_eq!(state.json("x", 0)["began"], 2);
        }
    }

    #[test]
    fn a_game_that_is_called_off_says_so_whoever_did_it() {
        for seat in [Some(Player::One), None] {
            let mut state = told(2);
            let fact = end(None, Reason::Aborted);
            let event = Event { seq: state.course.seq + 1, seat, at: 0, fact, command: None };
            state.apply(&event).unwrap();
            let said = words::event(&event, &state.course);
            assert_eq!(said.as_deref(), Some("The game was called off."));
            assert_eq!(words::ending(&state).map(|words| words + "."), said);
        }
    }
}
