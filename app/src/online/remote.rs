//! A game on a server as it is followed here: what is sent, and what the server tells.

use super::{Line, News, Seat, given, player, set_clocks};
use crate::table::{Sitter, Table};
use rules::Player;
use serde_json::{Value, json};
use std::time::Instant;

/// The connection of a game on a server.
pub struct Remote {
    pub seat: Seat,
    /// None in tests, where frames are handed in.
    line: Option<Line>,
    /// How many commands have been sent, for their names.
    sent: u64,
    /// The commands that the server has not answered.
    waiting: Vec<Sent>,
    /// How many turns of the game the server knows or has been sent.
    sent_turns: usize,
    /// Turns that were shown here as played and that the server refused, with its reasons.
    refused: Vec<String>,
    /// What makes the names of this run its own.
    run: String,
    /// The id of the rematch, when it is made.
    next: Option<String>,
}

/// A command that was sent.
struct Sent {
    name: String,
    /// The turn, or the word.
    what: String,
    is_turn: bool,
}

/// What has happened, for whoever shows it.
#[derive(Debug, PartialEq, Eq)]
pub enum Told {
    /// Nothing that changes the board or needs words.
    Nothing,
    /// The connection is there, or lost.
    Connected(bool),
    /// A turn that was not on the board yet.
    Turn(String),
    /// A turn was taken back.
    Undone,
    /// The server has lost the last turns.
    GoneBack,
    /// Somebody sat down.
    Joined(String),
    /// Somebody offers something.
    Offered,
    Declined,
    /// The game is over.
    Ended,
    Rematch(Rematch),
    /// A command was refused; the board may have gone back.
    Refused(String),
    /// It cannot go on.
    Broken(String),
}

/// How far a rematch is.
#[derive(Debug, PartialEq, Eq)]
pub enum Rematch {
    Ready,
    AskedByUser,
    /// Asked for by the other side.
    AskedOfUser,
    /// Asked for in a game that the user looks on at.
    Asked,
}

impl Remote {
    /// Follows a game through this connection.
    pub fn new(seat: Seat, line: Option<Line>) -> Remote {
        let run = format!("{:016x}", crate::table::work::random(None).next_u64());
        let (waiting, refused) = (Vec::new(), Vec::new());
        Remote { seat, line, sent: 0, waiting, sent_turns: 0, refused, run, next: None }
    }

    /// Sends a command, under a name of its own.
    fn send(&mut self, what: &str, mut command: Value) {
        self.sent += 1;
        let name = format!("{}-{}", self.run, self.sent);
        command["type"] = "command".into();
        command["command"] = name.as_str().into();
        let is_turn = command["do"] == "move";
        self.waiting.push(Sent { name, what: what.to_owned(), is_turn });
        if let Some(line) = &self.line {
            line.command(command);
        }
    }

    /// Sends the first turn that was completed here and that the server does not know. In a shared game there
    /// may be more; each follows when the one before it is known, since it names the board it was meant for.
    pub fn send_turn(&mut self, table: &Table) {
        let (known, turns) = (self.seat.turns, self.own_turns(table));
        let is_whole = turns.len() > usize::from(table.game.in_turn());
        let Some(turn) = turns.first().filter(|_| is_whole && self.sent_turns <= known) else {
            return;
        };
        self.sent_turns = known + 1;
        let command = json!({"do": "move", "turn": turn, "board_seq": self.seat.board_seq});
        self.send(turn, command);
    }

    /// The turns on the board that the server does not know yet; the last of them may be half a turn.
    fn own_turns(&self, table: &Table) -> Vec<String> {
        table.game.history().split_off(self.seat.turns.min(table.game.turns_played()))
    }

    /// What the user has done and the server has not acknowledged: turns, and words such as `resign`.
    pub fn unsent(&self, table: &Table) -> Vec<String> {
        let words = self.waiting.iter().filter(|sent| !sent.is_turn).map(|sent| sent.what.clone());
        self.own_turns(table).into_iter().chain(words).collect()
    }

    /// Whether an acknowledgement can still come. Half a turn gets none: it is never sent.
    pub fn is_waiting(&self, table: &Table) -> bool {
        self.unsent(table).len() > usize::from(table.game.in_turn())
    }

    /// Turns that were shown as played and that the server refused, with its reasons.
    pub fn refused_turns(&self) -> &[String] {
        &self.refused
    }

    /// Sends a command without fields: `resign`, `undo`, `offer-draw`, `accept`, `decline`, `rematch`. Who
    /// looks on cannot.
    pub fn send_word(&mut self, word: &str, table: &Table) -> Result<(), &'static str> {
        let seat = match &self.seat.own[..] {
            [] => return Err("you are looking on"),
            [only] => *only,
            _ => table.game.turn(),
        };
        self.send(word, json!({"do": word, "seat": seat.number()}));
        Ok(())
    }

    /// The offer that the user can accept or decline.
    pub fn open_offer(&self) -> Option<&str> {
        let (kind, by) = self.seat.offer.as_ref()?;
        (!self.seat.own.is_empty() && self.seat.own != [*by]).then_some(kind.as_str())
    }

    /// The link of the rematch, when it is made.
    pub fn next_link(&self) -> Option<String> {
        self.next.as_ref().map(|id| self.seat.link.of_game(id))
    }

    /// How the connection is, in a few words.
    pub fn words(&self) -> String {
        let seat = &self.seat;
        let there = match (seat.connected, &seat.own[..]) {
            (false, _) => "connecting again",
            (true, []) => "looking on",
            (true, own) => {
                let other = Player::BOTH.into_iter().find(|player| !own.contains(player));
                match other.map(|player| seat.present[player.index()]) {
                    Some(false) => "the other side is away",
                    _ => "connected",
                }
            }
        };
        format!("{}: {there}", seat.link.host)
    }

    /// Takes in what the connection tells.
    pub fn hear(&mut self, news: News, table: &mut Table, now: Instant) -> Told {
        let frame = match news {
            News::Connected(yes) => {
                self.seat.connected = yes;
                return Told::Connected(yes);
            }
            News::Over(why) => {
                self.seat.connected = false;
                return Told::Broken(printable(&why));
            }
            News::Frame(frame) => frame,
        };
        match frame["type"].as_str() {
            Some("event") => {
                let told = self.happen(&frame, table);
                set_clocks(table, &frame["clocks"], now);
                self.send_turn(table);
                told
            }
            Some("clocks") => {
                set_clocks(table, &frame, now);
                Told::Nothing
            }
            Some("presence") => {
                let present = |i: usize| frame["seats"][i].as_bool().unwrap_or(false);
                self.seat.present = [present(0), present(1)];
                Told::Nothing
            }
            Some("ack") => {
                self.answered(&frame);
                Told::Nothing
            }
            Some("refused") => self.refused(&frame, table),
            Some("game") => self.go_back(&frame, table),
            _ => Told::Nothing,
        }
    }

    /// The command that an answer of the server is about; it waits no more.
    fn answered(&mut self, frame: &Value) -> Option<Sent> {
        let name = frame["command"].as_str()?;
        let at = self.waiting.iter().position(|sent| sent.name == name)?;
        Some(self.waiting.remove(at))
    }

    /// A command was refused: a turn that was shown here in advance is taken back.
    fn refused(&mut self, frame: &Value, table: &mut Table) -> Told {
        let why = printable(frame["error"].as_str().unwrap_or("the server refuses it"));
        let Some(sent) = self.answered(frame).filter(|sent| sent.is_turn) else {
            return Told::Refused(why);
        };
        self.refused.push(format!("{} ({why})", sent.what));
        // Another turn may have been sent since the board changed.
        if !self.waiting.iter().any(|sent| sent.is_turn) {
            table.game.rewind(self.seat.turns);
            self.sent_turns = self.seat.turns;
        }
        Told::Refused(why)
    }

    /// Takes over the whole game as the server has it now.
    fn go_back(&mut self, shown: &Value, table: &mut Table) -> Told {
        let link = self.seat.link.clone();
        let Ok(fresh) = super::opened(link, self.seat.own.clone(), shown) else {
            return Told::Broken("what the server tells of this game cannot be read".into());
        };
        (table.game, table.given, table.clock) =
            (fresh.table.game, fresh.table.given, fresh.table.clock);
        let (present, connected) = (self.seat.present, self.seat.connected);
        self.seat = Seat { present, connected, ..fresh.seat };
        // A turn that waits was meant for another position, and is refused when it is sent again.
        self.sent_turns = self.seat.turns;
        Told::GoneBack
    }

    /// Something has happened on the server.
    fn happen(&mut self, event: &Value, table: &mut Table) -> Told {
        let seq = event["seq"].as_u64().unwrap_or(0);
        let seat = &mut self.seat;
        (seat.seq, seat.at) = (seq, event["at"].as_i64());
        let player = player(&event["seat"]);
        match event["kind"].as_str().unwrap_or_default() {
            "move" => {
                seat.board_seq = seq;
                if !matches!(&seat.offer, Some((_, by)) if Some(*by) == player) {
                    seat.offer = None;
                }
                self.follow(event["turn"].as_str().unwrap_or_default(), table)
            }
            "undone" => {
                let turns = event["turns"].as_u64().unwrap_or(0) as usize;
                (seat.board_seq, seat.turns, seat.offer) = (seq, turns, None);
                self.sent_turns = turns;
                table.game.rewind(turns);
                table.given = None;
                Told::Undone
            }
            "joined" => {
                let Some(player) = player else { return Told::Nothing };
                let name = Sitter::person(event["name"].as_str().unwrap_or_default()).name;
                table.sitters[player.index()].name = name.clone();
                Told::Joined(name)
            }
            "offer" => {
                let kind = event["offer"].as_str().unwrap_or_default().to_owned();
                seat.offer = player.map(|player| (kind, player));
                Told::Offered
            }
            "declined" => {
                seat.offer = None;
                Told::Declined
            }
            "result" => {
                seat.offer = None;
                table.given = given(event, table);
                Told::Ended
            }
            "rematch" => Told::Rematch(match event["id"].as_str() {
                Some(id) => {
                    self.next = Some(id.to_owned());
                    Rematch::Ready
                }
                None if player.is_some_and(|player| seat.own.contains(&player)) => {
                    Rematch::AskedByUser
                }
                None if seat.own.is_empty() => Rematch::Asked,
                None => Rematch::AskedOfUser,
            }),
            _ => Told::Nothing,
        }
    }

    /// Plays a turn that the server knows; one that was shown here already is confirmed.
    fn follow(&mut self, turn: &str, table: &mut Table) -> Told {
        let known = self.seat.turns;
        self.seat.turns += 1;
        let game = table.game.as_mut();
        let is_whole = known + usize::from(game.in_turn()) < game.turns_played();
        if is_whole && game.history().get(known).is_some_and(|own| own == turn) {
            return Told::Nothing;
        }
        game.rewind(known);
        match game.play(turn) {
            Ok(()) => Told::Turn(game.last_turn().unwrap_or_default()),
            Err(error) => {
                Told::Broken(format!("the server tells a turn that is not legal: {error}"))
            }
        }
    }
}

/// A server's words, which may go to a terminal as they are: nothing in them commands it.
fn printable(words: &str) -> String {
    words.chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A seat at a game of Gekitai, without a connection.
    fn seated() -> (Remote, Table) {
        let shown = json!({"game": "gekitai", "seats": [{"name": "Ana"}, {"name": "Ben"}]});
        let link = super::super::Link::parse("http://127.0.0.1:1/k3Vx9QmZ#s").unwrap();
        let opened = super::super::opened(link, vec![Player::One], &shown).unwrap();
        (Remote::new(opened.seat, None), opened.table)
    }

    fn hear(remote: &mut Remote, table: &mut Table, frame: Value) -> Told {
        remote.hear(News::Frame(frame), table, Instant::now())
    }

    #[test]
    fn a_refused_turn_is_taken_back_and_stays_named() {
        let (mut remote, mut table) = seated();
        table.play("c3", Instant::now()).unwrap();
        remote.send_turn(&table);
        remote.send_word("undo", &table).unwrap();
        assert_eq!(remote.unsent(&table), ["c3", "undo"]);
        let refusal = |remote: &Remote, number: usize, why: &str| {
            let name = format!("{}-{number}", remote.run);
            json!({"type": "refused", "command": name, "error": why})
        };
        // A refused word takes no turn back.
        let frame = refusal(&remote, 2, "nothing to take back");
        hear(&mut remote, &mut table, frame);
        assert_eq!((remote.unsent(&table), table.game.turns_played()), (vec!["c3".into()], 1));
        let frame = refusal(&remote, 1, "the board has changed");
        let told = hear(&mut remote, &mut table, frame);
        assert_eq!(told, Told::Refused("the board has changed".into()));
        assert_eq!((remote.unsent(&table), table.game.turns_played()), (vec![], 0));
        assert_eq!(remote.refused_turns(), ["c3 (the board has changed)"]);
        // The next one is sent.
        table.play("d4", Instant::now()).unwrap();
        remote.send_turn(&table);
        assert!(remote.is_waiting(&table));
        hear(
            &mut remote,
            &mut table,
            json!({"type": "event", "kind": "move", "seq": 1, "turn": "d4"}),
        );
        assert!(!remote.is_waiting(&table) && remote.unsent(&table).is_empty());
    }

    #[test]
    fn what_a_server_says_does_not_command_the_terminal() {
        assert_eq!(printable("no\u{1b}[2J way\u{7}\n"), "no[2J way");
    }

    #[test]
    fn a_game_that_the_server_has_set_back_is_taken_over() {
        let (mut remote, mut table) = seated();
        for (seq, turn) in (2..).zip(["c3", "d4", "a1"]) {
            let event =
                json!({"type": "event", "kind": "move", "seq": seq, "turn": turn, "at": seq});
            hear(&mut remote, &mut table, event);
        }
        assert_eq!(table.game.history(), ["c3", "d4", "a1"]);
        let shown = json!({"type": "game", "game": "gekitai", "turns": ["c3"], "seq": 2, "at": 2,
            "board_seq": 2, "seats": [{"name": "Ana"}, {"name": "Ben"}]});
        assert_eq!(hear(&mut remote, &mut table, shown), Told::GoneBack);
        assert_eq!((table.game.history(), remote.seat.turns), (vec!["c3".to_owned()], 1));
        let event = json!({"type": "event", "kind": "move", "seq": 3, "turn": "f6", "at": 9});
        hear(&mut remote, &mut table, event);
        assert_eq!(table.game.history(), ["c3", "f6"]);
    }
}
