//! A game on a server: what is sent, and what the server tells.

use super::Play;
use super::motion::Motion;
use crate::online::{self, Line, News, Opened, Seat};
use crate::tui::app::{Message, Shared};
use rules::Player;
use serde_json::{Value, json};

/// The connection of a game on a server.
pub struct Remote {
    seat: Seat,
    /// None in tests, where frames are handed in.
    line: Option<Line>,
    /// How many commands have been sent, for their names.
    sent: u64,
    /// What makes the names of this run its own.
    run: String,
}

impl Remote {
    /// Sends a command, under a name of its own.
    fn send(&mut self, mut command: Value) {
        self.sent += 1;
        command["type"] = "command".into();
        command["command"] = format!("{}-{}", self.run, self.sent).into();
        if let Some(line) = &self.line {
            line.command(command);
        }
    }
}

impl Play {
    /// A game on a server.
    pub fn online(opened: Opened, shared: &mut Shared) -> Play {
        let Opened { table, seat } = opened;
        let line = shared.net.clone().map(|send| {
            Line::open(seat.link.clone(), seat.seq, move |news| {
                send.send(Message::Net(news)).is_ok()
            })
        });
        let mut play = Play::bare(table, None, shared);
        play.shown.flipped = seat.own == [Player::Two];
        let run = format!("{:016x}", crate::table::work::random(None).next_u64());
        play.remote = Some(Remote { seat, line, sent: 0, run });
        play.refresh(shared);
        play
    }

    /// Whether this is a game on a server.
    pub(super) fn is_online(&self) -> bool {
        self.remote.is_some()
    }

    /// Whether the user plays somebody on a server: then no engine helps.
    pub(super) fn plays_online(&self) -> bool {
        let plays = self.remote.as_ref().is_some_and(|remote| !remote.seat.own.is_empty());
        plays && self.table.result().is_none()
    }

    /// Whether the user only looks on at a game on a server.
    pub(super) fn looks_on(&self) -> bool {
        self.remote.as_ref().is_some_and(|remote| remote.seat.own.is_empty())
    }

    /// Sends the turn that has just been completed here.
    pub(super) fn send_turn(&mut self, _shared: &Shared) {
        let Some(remote) = &mut self.remote else { return };
        let game = self.table.game.as_ref();
        let is_whole = !game.in_turn() && game.turns_played() == remote.seat.turns + 1;
        let Some(turn) = game.last_turn().filter(|_| is_whole) else { return };
        let board_seq = remote.seat.board_seq;
        remote.send(json!({"do": "move", "turn": turn, "board_seq": board_seq}));
    }

    /// Sends a command without fields: `resign`, `undo`, `offer-draw`, `accept`, `decline`, `rematch`.
    pub(super) fn send_word(&mut self, word: &str) {
        let mover = self.table.game.turn();
        let Some(remote) = &mut self.remote else { return };
        let seat = match &remote.seat.own[..] {
            [] => return self.say("you are looking on"),
            [only] => *only,
            _ => mover,
        };
        remote.send(json!({"do": word, "seat": seat.number()}));
    }

    /// The offer that the user can accept or decline.
    pub(super) fn open_offer(&self) -> Option<&str> {
        let seat = &self.remote.as_ref()?.seat;
        let (kind, by) = seat.offer.as_ref()?;
        (!seat.own.is_empty() && seat.own != [*by]).then_some(kind.as_str())
    }

    /// How the connection is, in a few words.
    pub(super) fn line_words(&self) -> Option<String> {
        let remote = self.remote.as_ref()?;
        let seat = &remote.seat;
        let there = match (seat.connected, &seat.own[..]) {
            (false, _) => "connecting again".to_owned(),
            (true, []) => "looking on".to_owned(),
            (true, own) => {
                let other = Player::BOTH.into_iter().find(|player| !own.contains(player));
                match other.map(|player| seat.present[player.index()]) {
                    Some(false) => "the other side is away".to_owned(),
                    _ => "connected".to_owned(),
                }
            }
        };
        Some(format!("{}: {there}", seat.link.host))
    }

    /// Takes in what the connection tells.
    pub fn hear_line(&mut self, news: News, shared: &mut Shared) {
        let Some(remote) = &mut self.remote else { return };
        match news {
            News::Connected(yes) => remote.seat.connected = yes,
            News::Over(why) => {
                remote.seat.connected = false;
                self.warn(why);
            }
            News::Frame(frame) => match frame["type"].as_str() {
                Some("event") => self.happen(&frame, shared),
                Some("clocks") => online::set_clocks(&mut self.table, &frame, shared.now),
                Some("presence") => {
                    let present = |i: usize| frame["seats"][i].as_bool().unwrap_or(false);
                    remote.seat.present = [present(0), present(1)];
                }
                Some("refused") => self.refused(&frame, shared),
                _ => {}
            },
        }
    }

    /// A command was refused: what was shown here in advance is taken back.
    fn refused(&mut self, frame: &Value, shared: &mut Shared) {
        let turns = self.remote.as_ref().map_or(0, |remote| remote.seat.turns);
        if self.table.game.turns_played() > turns && !self.table.game.in_turn() {
            self.table.game.rewind(turns);
            self.refresh(shared);
        }
        let why = frame["error"].as_str().unwrap_or("the server refuses it");
        self.warn(why.to_owned());
    }

    /// Something has happened on the server.
    fn happen(&mut self, event: &Value, shared: &mut Shared) {
        let Some(remote) = &mut self.remote else { return };
        let seq = event["seq"].as_u64().unwrap_or(0);
        remote.seat.seq = seq;
        let player = event["seat"]
            .as_u64()
            .and_then(|number| Player::BOTH.get((number as usize).checked_sub(1)?).copied());
        match event["kind"].as_str().unwrap_or_default() {
            "move" => {
                remote.seat.board_seq = seq;
                if !matches!(&remote.seat.offer, Some((_, by)) if Some(*by) == player) {
                    remote.seat.offer = None;
                }
                let turn = event["turn"].as_str().unwrap_or_default().to_owned();
                self.follow(&turn, shared);
            }
            "undone" => {
                let turns = event["turns"].as_u64().unwrap_or(0) as usize;
                (remote.seat.board_seq, remote.seat.turns, remote.seat.offer) = (seq, turns, None);
                self.table.game.rewind(turns);
                self.table.given = None;
                self.refresh(shared);
                self.say("a turn was taken back");
            }
            "joined" => {
                if let Some(player) = player {
                    let name = event["name"].as_str().unwrap_or_default();
                    let sitter = &mut self.table.sitters[player.index()];
                    sitter.name = crate::table::Sitter::person(name).name;
                }
            }
            "offer" => {
                let kind = event["offer"].as_str().unwrap_or_default().to_owned();
                remote.seat.offer = player.map(|player| (kind, player));
                self.tell_offer();
            }
            "declined" => {
                remote.seat.offer = None;
                self.say("the offer was declined");
            }
            "result" => {
                remote.seat.offer = None;
                self.table.given = online::given(event, &self.table);
                self.refresh(shared);
            }
            "rematch" => match event["id"].as_str() {
                Some(id) => {
                    let link =
                        format!("http://{}{}/{id}", remote.seat.link.host, remote.seat.link.base);
                    self.say(format!("the next game is at {link}"));
                }
                None => self.say("a rematch was asked for: p has it in the menu"),
            },
            _ => {}
        }
        online::set_clocks(&mut self.table, &event["clocks"], shared.now);
    }

    /// Plays a turn that the server knows; one that was shown here already is confirmed.
    fn follow(&mut self, turn: &str, shared: &mut Shared) {
        let Some(remote) = &mut self.remote else { return };
        let known = remote.seat.turns;
        remote.seat.turns += 1;
        let history = self.table.game.history();
        if !self.table.game.in_turn() && history.get(known).is_some_and(|own| own == turn) {
            return;
        }
        self.table.game.rewind(known);
        let before = (!shared.choices.still).then(|| self.table.game.diagram());
        match self.table.game.play(turn) {
            Ok(()) => {
                self.motion = before.and_then(|before| Motion::new(before, self, shared.now));
                self.last_turn = shared.now;
                self.refresh(shared);
            }
            Err(error) => self.warn(format!("the server tells a turn that is not legal: {error}")),
        }
    }

    fn tell_offer(&mut self) {
        let words = match self.open_offer() {
            Some("draw") => "a draw is offered: p answers",
            Some(_) => "the other side would like to take a turn back: p answers",
            None => "the offer is made",
        };
        self.say(words);
    }
}
