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
    /// What makes the names of this run its own.
    run: String,
    /// The id of the rematch, when it is made.
    next: Option<String>,
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
        Remote { seat, line, sent: 0, run, next: None }
    }

    /// Sends a command, under a name of its own.
    fn send(&mut self, mut command: Value) {
        self.sent += 1;
        command["type"] = "command".into();
        command["command"] = format!("{}-{}", self.run, self.sent).into();
        if let Some(line) = &self.line {
            line.command(command);
        }
    }

    /// Sends the turn that has just been completed here.
    pub fn send_turn(&mut self, table: &Table) {
        let game = table.game.as_ref();
        let is_whole = !game.in_turn() && game.turns_played() == self.seat.turns + 1;
        let Some(turn) = game.last_turn().filter(|_| is_whole) else { return };
        let board_seq = self.seat.board_seq;
        self.send(json!({"do": "move", "turn": turn, "board_seq": board_seq}));
    }

    /// Sends a command without fields: `resign`, `undo`, `offer-draw`, `accept`, `decline`, `rematch`. Who
    /// looks on cannot.
    pub fn send_word(&mut self, word: &str, table: &Table) -> Result<(), &'static str> {
        let seat = match &self.seat.own[..] {
            [] => return Err("you are looking on"),
            [only] => *only,
            _ => table.game.turn(),
        };
        self.send(json!({"do": word, "seat": seat.number()}));
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
            Some("refused") => self.refused(&frame, table),
            _ => Told::Nothing,
        }
    }

    /// A command was refused: what was shown here in advance is taken back.
    fn refused(&self, frame: &Value, table: &mut Table) -> Told {
        if table.game.turns_played() > self.seat.turns && !table.game.in_turn() {
            table.game.rewind(self.seat.turns);
        }
        let why = frame["error"].as_str().unwrap_or("the server refuses it");
        Told::Refused(printable(why))
    }

    /// Something has happened on the server.
    fn happen(&mut self, event: &Value, table: &mut Table) -> Told {
        let seq = event["seq"].as_u64().unwrap_or(0);
        let seat = &mut self.seat;
        seat.seq = seq;
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
        if !game.in_turn() && game.history().get(known).is_some_and(|own| own == turn) {
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

    #[test]
    fn what_a_server_says_does_not_command_the_terminal() {
        assert_eq!(printable("no\u{1b}[2J way\u{7}\n"), "no[2J way");
    }
}
