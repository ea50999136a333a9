//! The user's side of a game on a server: what is sent, and what the server's news change.

use super::connection::{Command, Connection, Frame, Happened, News};
use super::seats::{self, Unsent};
use super::{GONE_BACK, Link};
use crate::saves::Saves;
use crate::sitting::Sitting;
use rules::{ByPlayer, Player};
use serde_json::{Value, json};
use std::time::Instant;
use table::{Event, Fact, Offer, Rematch, words};

/// The connection of a game on a server.
pub struct Remote {
    link: Link,
    /// The link for the other player, while it is known.
    invitation: Option<String>,
    /// None in tests, where frames are handed in.
    connection: Option<Connection>,
    /// How many commands have been sent, for their names.
    sent: u64,
    /// The commands that the server has not answered.
    waiting: Vec<Sent>,
    /// How many turns of the game the server knows or has been sent.
    sent_turns: usize,
    /// Turns that were shown here as played and that the server refused, with its reasons.
    refused: Vec<String>,
    /// A random prefix that makes the command names of this run unique.
    run: String,
    /// Which seats are connected.
    present: ByPlayer<bool>,
    pub connected: bool,
    /// A turn of an earlier session that is sent next.
    resumed: Option<Unsent>,
    /// Whether what the other player says is not shown.
    pub muted: bool,
}

/// A command that was sent.
struct Sent {
    name: String,
    /// The turn, or the word.
    what: String,
    is_turn: bool,
}

/// The change that a message from the server made.
#[derive(Debug, PartialEq, Eq)]
pub enum Change {
    /// Neither the board nor anything that needs words.
    Nothing,
    /// The connection is there, or lost.
    Connected(bool),
    /// A turn that was not on the board yet.
    Turn(String),
    /// The board has gone back.
    Back(String),
    /// The game is over.
    Ended,
    /// Something happened besides the board.
    Said(String, Option<Answer>),
    /// A command was refused; the board may have gone back.
    Refused(String),
    /// It cannot go on.
    Broken(String),
}

/// The user's possible response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Accept or decline an offer.
    Offer,
    /// Ask for the rematch, too.
    Rematch,
    /// Go to the next game.
    NextGame,
}

impl Remote {
    /// Follows a game through this connection.
    pub fn new(link: Link, connection: Option<Connection>, invitation: Option<String>) -> Remote {
        let run = format!("{:016x}", crate::sitting::work::random(None).next_u64());
        let (waiting, refused, present) = (Vec::new(), Vec::new(), ByPlayer::both(false));
        let (sent, sent_turns, connected) = (0, 0, false);
        Remote {
            link,
            invitation,
            connection,
            sent,
            waiting,
            sent_turns,
            refused,
            run,
            present,
            connected,
            resumed: None,
            muted: false,
        }
    }

    /// The link for the other player, as long as nobody has taken that seat.
    pub fn invitation(&self, sitting: &Sitting) -> Option<&str> {
        let is_open = Player::BOTH.into_iter().any(|player| sitting.state.is_invitation(player));
        self.invitation.as_deref().filter(|_| is_open && sitting.result().is_none())
    }

    /// Sends a command, under a name of its own.
    fn send(&mut self, what: &str, command: Value) {
        self.sent += 1;
        self.send_as(format!("{}-{}", self.run, self.sent), what, command);
    }

    fn send_as(&mut self, name: String, what: &str, mut command: Value) {
        command["type"] = "command".into();
        command["command"] = name.as_str().into();
        let is_turn = command["do"] == "move";
        self.waiting.push(Sent { name: name.clone(), what: what.to_owned(), is_turn });
        if let Some(connection) = &self.connection {
            connection.command(Command { name, json: command.to_string() });
        }
    }

    /// Says one of the fixed words to the other player, if there is a connection.
    pub fn greet(&self, word: &str) {
        let json = json!({ "type": "greet", "word": word }).to_string();
        if let Some(connection) = &self.connection {
            connection.command(Command { name: String::new(), json });
        }
    }

    /// Sends the first turn that was completed here and that the server does not know. In a shared game there
    /// may be more; each follows when the one before it is known, since it names the board it was meant for.
    pub fn send_turn(&mut self, sitting: &Sitting) {
        let (known, turns) = (sitting.state.course.turns, self.own_turns(sitting));
        let is_whole = turns.len() > usize::from(sitting.board.in_turn());
        let Some(turn) = turns.first().filter(|_| is_whole && self.sent_turns <= known) else {
            return;
        };
        self.sent_turns = known + 1;
        let course = &sitting.state.course;
        let resumed = self.resumed.take().filter(|unsent| unsent.turn == *turn);
        // An offer that was made after this event is not declined by the turn. What was offered after the game was
        // left, the player of a resumed turn may not have seen.
        let seen = if resumed.is_some() { course.board_seq } else { course.seq };
        let command =
            json!({"do": "move", "turn": turn, "board_seq": course.board_seq, "seen": seen});
        match resumed.and_then(|unsent| unsent.name) {
            Some(name) => self.send_as(name, turn, command),
            None => self.send(turn, command),
        }
    }

    /// Sends the turn that is played next as the one of an earlier session, which the server may have received.
    pub fn resume(&mut self, unsent: Unsent) {
        self.resumed = Some(unsent);
    }

    /// The turns on the board that the server does not know yet; the last of them may be half a turn.
    fn own_turns(&self, sitting: &Sitting) -> Vec<String> {
        sitting
            .board
            .history()
            .split_off(sitting.state.course.turns.min(sitting.board.turns_played()))
    }

    /// The user's turns and words such as `resign` that the server has not acknowledged.
    pub fn unsent(&self, sitting: &Sitting) -> Vec<String> {
        let words = self.waiting.iter().filter(|sent| !sent.is_turn).map(|sent| sent.what.clone());
        self.own_turns(sitting).into_iter().chain(words).collect()
    }

    /// Keeps the turn that the server has not acknowledged until the game is joined again.
    pub fn put_off(&self, sitting: &Sitting, saves: &Saves) -> Result<(), String> {
        let is_whole = self.own_turns(sitting).len() > usize::from(sitting.board.in_turn());
        let turn = self.own_turns(sitting).into_iter().next().filter(|_| is_whole);
        let board_seq = sitting.state.course.board_seq;
        let sent =
            self.waiting.iter().find(|sent| sent.is_turn && Some(&sent.what) == turn.as_ref());
        let name = sent.map(|sent| sent.name.clone());
        let unsent = turn.map(|turn| Unsent { turn, board_seq, name });
        seats::keep_unsent(saves, &self.link, unsent)
    }

    /// Whether an acknowledgement can still come. Half a turn gets none: it is never sent.
    pub fn is_waiting(&self, sitting: &Sitting) -> bool {
        self.unsent(sitting).len() > usize::from(sitting.board.in_turn())
    }

    /// Turns that were shown as played and that the server refused, with its reasons.
    pub fn refused_turns(&self) -> &[String] {
        &self.refused
    }

    /// Sends a command without fields: `resign`, `undo`, `offer-draw`, `accept`, `decline`, `rematch`. Watchers
    /// cannot.
    pub fn send_word(&mut self, word: &str, sitting: &Sitting) -> Result<(), &'static str> {
        let seat = match sitting.own.as_deref().unwrap_or_default() {
            [] => return Err("you are looking on"),
            [only] => *only,
            _ => sitting.board.turn(),
        };
        self.send(word, json!({"do": word, "seat": seat.number()}));
        Ok(())
    }

    /// The link of the rematch, when it is made.
    pub fn next_link(&self, sitting: &Sitting) -> Option<String> {
        match &sitting.state.rematch {
            Some(Rematch::Made(id)) => Some(self.link.of_game(id)),
            _ => None,
        }
    }

    /// The state of the connection, in a few words.
    pub fn words(&self, sitting: &Sitting) -> String {
        // Nobody waits for a computer to be there.
        let is_other =
            |player: &Player| !sitting.is_person(*player) && !sitting.state.is_computer(*player);
        let mut others = Player::BOTH.into_iter().filter(is_other);
        let there = match self.connected {
            false => "connecting again",
            true if sitting.looks_on() => "looking on",
            true if others.clone().any(|player| sitting.state.is_invitation(player)) => {
                "the other seat is open"
            }
            true if others.any(|player| !self.present[player]) => "the other side is away",
            true => "connected",
        };
        format!("{}: {there}", self.link.host)
    }

    /// Takes in what the connection tells.
    pub fn hear(&mut self, news: News, sitting: &mut Sitting, now: Instant) -> Change {
        match news {
            News::Connected(yes) => {
                self.connected = yes;
                Change::Connected(yes)
            }
            News::Over(why) => {
                self.connected = false;
                Change::Broken(why)
            }
            News::Game(shown) => {
                sitting.state = shown.state;
                sitting.show_state();
                // A turn that waits was meant for another position, and is refused when it is sent again.
                self.sent_turns = sitting.state.course.turns;
                Change::Back(GONE_BACK.into())
            }
            News::Frame(frame) => self.take_in(frame, sitting, now),
        }
    }

    fn take_in(&mut self, frame: Frame, sitting: &mut Sitting, now: Instant) -> Change {
        match frame {
            Frame::Event(Happened { event, clocks }) => {
                let change = self.happen(&event, sitting);
                clocks.iter().for_each(|clocks| clocks.set(&mut sitting.state, now));
                self.send_turn(sitting);
                return change;
            }
            Frame::Clocks(clocks) => clocks.set(&mut sitting.state, now),
            Frame::Presence { seats } => self.present = seats,
            Frame::Ack { command } => drop(self.answered(command)),
            Frame::Refused { command, error } => return self.refused(command, error, sitting),
            Frame::Greeting { seat, text } => {
                let own = sitting.own.as_deref().unwrap_or_default().contains(&seat);
                if !self.muted && !own {
                    return Change::Said(format!("{}: {text}", sitting.full_name(seat)), None);
                }
            }
            Frame::Reset {} | Frame::Unknown => {}
        }
        Change::Nothing
    }

    /// Removes the command that the server has answered from those waiting.
    fn answered(&mut self, name: Option<String>) -> Option<Sent> {
        let at = self.waiting.iter().position(|sent| Some(&sent.name) == name.as_ref())?;
        Some(self.waiting.remove(at))
    }

    /// A command was refused: a turn that was shown here in advance is taken back.
    fn refused(&mut self, name: Option<String>, why: String, sitting: &mut Sitting) -> Change {
        let Some(sent) = self.answered(name).filter(|sent| sent.is_turn) else {
            return Change::Refused(why);
        };
        self.refused.push(format!("{} ({why})", sent.what));
        // Another turn may have been sent since the board changed.
        if !self.waiting.iter().any(|sent| sent.is_turn) {
            sitting.show_state();
            self.sent_turns = sitting.state.course.turns;
        }
        Change::Refused(why)
    }

    /// Something has happened on the server.
    fn happen(&mut self, event: &Event, sitting: &mut Sitting) -> Change {
        let known = sitting.state.course.turns;
        if let Err(error) = sitting.state.follow(event) {
            return Change::Broken(format!(
                "the server sent an event that cannot have happened: {error}"
            ));
        }
        let said = words::event(event, &sitting.state.course.with_colours()).unwrap_or_default();
        match &event.fact {
            Fact::Move { turn, .. } if shows(sitting, known, turn) => Change::Nothing,
            Fact::Move { .. } => {
                sitting.show_state();
                Change::Turn(sitting.board.last_turn().unwrap_or_default())
            }
            Fact::Undone { turns } => {
                self.sent_turns = *turns;
                sitting.show_state();
                Change::Back(said)
            }
            Fact::Result(_) => Change::Ended,
            Fact::Offer { .. } => Change::Said(said, open_offer(sitting).map(|_| Answer::Offer)),
            Fact::Rematch { id: Some(_) } => Change::Said(said, Some(Answer::NextGame)),
            Fact::Rematch { id: None } => {
                let is_asked =
                    !sitting.looks_on() && event.seat.is_none_or(|asker| !sitting.is_person(asker));
                Change::Said(said, is_asked.then_some(Answer::Rematch))
            }
            Fact::Joined { .. } | Fact::Declined => Change::Said(said, None),
            Fact::Created(_) | Fact::Paused { .. } | Fact::Unknown => Change::Nothing,
        }
    }
}

/// The offer that the user can accept or decline.
pub fn open_offer(sitting: &Sitting) -> Option<Offer> {
    let (offer, by) = sitting.state.course.offer?;
    sitting.is_person(by.other()).then_some(offer)
}

/// Whether the board has shown a turn that the server tells now, as the one after `known` others.
fn shows(sitting: &Sitting, known: usize, turn: &str) -> bool {
    let board = sitting.board.as_ref();
    let is_whole = known + usize::from(board.in_turn()) < board.turns_played();
    is_whole && board.history().get(known).is_some_and(|own| own == turn)
}

#[cfg(test)]
mod tests {
    use super::super::Shown;
    use super::*;

    fn shown(turns: &[&str], seq: i64) -> Shown {
        let seats = json!([{"kind": "person", "name": "Ana"}, {"kind": "person", "name": "Ben"}]);
        let game = json!({"game": "gekitai", "turns": turns, "seq": seq, "at": seq,
            "board_seq": seq, "seats": seats, "you": [1]});
        Shown::read(&game).unwrap()
    }

    /// A seat at a game of Gekitai, without a connection.
    fn seated() -> (Remote, Sitting) {
        let link = Link::parse("http://127.0.0.1:1/k3Vx9QmZ#s").unwrap();
        let sitting = Sitting::followed(shown(&[], 1).state, vec![Player::One]).unwrap();
        (Remote::new(link, None, None), sitting)
    }

    fn hear(remote: &mut Remote, sitting: &mut Sitting, frame: Value) -> Change {
        let frame = serde_json::from_value(frame).unwrap();
        remote.hear(News::Frame(frame), sitting, Instant::now())
    }

    #[test]
    fn a_refused_turn_is_taken_back_and_stays_named() {
        let (mut remote, mut sitting) = seated();
        sitting.play("c3", Instant::now()).unwrap();
        remote.send_turn(&sitting);
        remote.send_word("undo", &sitting).unwrap();
        assert_eq!(remote.unsent(&sitting), ["c3", "undo"]);
        let refusal = |remote: &Remote, number: usize, why: &str| {
            let name = format!("{}-{number}", remote.run);
            json!({"type": "refused", "command": name, "error": why})
        };
        // A refused word takes no turn back.
        let frame = refusal(&remote, 2, "nothing to take back");
        hear(&mut remote, &mut sitting, frame);
        assert_eq!((remote.unsent(&sitting), sitting.board.turns_played()), (vec!["c3".into()], 1));
        let frame = refusal(&remote, 1, "the board has changed");
        let told = hear(&mut remote, &mut sitting, frame);
        assert_eq!(told, Change::Refused("the board has changed".into()));
        assert_eq!((remote.unsent(&sitting), sitting.board.turns_played()), (vec![], 0));
        assert_eq!(remote.refused_turns(), ["c3 (the board has changed)"]);
        // The next one is sent.
        sitting.play("d4", Instant::now()).unwrap();
        remote.send_turn(&sitting);
        assert!(remote.is_waiting(&sitting));
        hear(
            &mut remote,
            &mut sitting,
            json!({"type": "event", "kind": "move", "seat": 1, "seq": 2, "turn": "d4"}),
        );
        assert!(!remote.is_waiting(&sitting) && remote.unsent(&sitting).is_empty());
    }

    #[test]
    fn nobody_is_away_from_a_seat_that_nobody_has_taken() {
        let seats = json!([{"kind": "person", "name": "Ana"}, {"kind": "open"}]);
        let game = json!({"game": "gekitai", "turns": [], "seq": 1, "at": 1, "board_seq": 1,
            "seats": seats, "you": [1]});
        let state = Shown::read(&game).unwrap().state;
        let (mut remote, _) = seated();
        let mut sitting = Sitting::followed(state, vec![Player::One]).unwrap();
        remote.connected = true;
        assert_eq!(remote.words(&sitting), "127.0.0.1:1: the other seat is open");
        let joined = json!({"type": "event", "kind": "joined", "seat": 2, "seq": 2, "name": "Ben"});
        hear(&mut remote, &mut sitting, joined);
        assert_eq!(remote.words(&sitting), "127.0.0.1:1: the other side is away");
    }

    #[test]
    fn a_turn_that_was_put_off_is_sent_under_its_first_name() {
        let folder = tempfile::TempDir::new().unwrap();
        let saves = Saves::open(Some(folder.path())).unwrap();
        let (mut remote, mut sitting) = seated();
        sitting.play("c3", Instant::now()).unwrap();
        remote.send_turn(&sitting);
        remote.put_off(&sitting, &saves).unwrap();
        let unsent = seats::take_unsent(&saves, &remote.link, 1).unwrap().unwrap();
        assert_eq!(unsent.name.as_ref(), Some(&remote.waiting[0].name));
        let (mut again, mut sitting) = seated();
        again.resume(unsent);
        sitting.play("c3", Instant::now()).unwrap();
        again.send_turn(&sitting);
        assert_eq!(again.waiting[0].name, remote.waiting[0].name);
        // Its first copy is told as news, and then the repeat is acknowledged.
        let event = json!({"type": "event", "kind": "move", "seat": 1, "seq": 2, "turn": "c3"});
        assert_eq!(hear(&mut again, &mut sitting, event), Change::Nothing);
        let ack = json!({"type": "ack", "command": again.waiting[0].name});
        hear(&mut again, &mut sitting, ack);
        assert!(!again.is_waiting(&sitting) && again.waiting.is_empty());
    }

    #[test]
    fn a_game_that_the_server_has_set_back_is_taken_over() {
        let (mut remote, mut sitting) = seated();
        for (seq, turn) in (2..).zip(["c3", "d4", "a1"]) {
            let event =
                json!({"type": "event", "kind": "move", "seq": seq, "turn": turn, "at": seq});
            hear(&mut remote, &mut sitting, event);
        }
        assert_eq!(sitting.board.history(), ["c3", "d4", "a1"]);
        let game = News::Game(Box::new(shown(&["c3"], 2)));
        let change = remote.hear(game, &mut sitting, Instant::now());
        assert_eq!(change, Change::Back(GONE_BACK.into()));
        assert_eq!(
            (sitting.board.history(), sitting.state.course.turns),
            (vec!["c3".to_owned()], 1)
        );
        let event = json!({"type": "event", "kind": "move", "seq": 3, "turn": "f6", "at": 9});
        hear(&mut remote, &mut sitting, event);
        assert_eq!(sitting.board.history(), ["c3", "f6"]);
    }
}
