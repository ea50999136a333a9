//! A game on a server, on the screen.

use super::Play;
use super::motion::Motion;
use crate::online::{self, Line, News, Opened, Rematch, Remote, Told};
use crate::tui::app::{Message, Shared};
use rules::Player;

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
        play.remote = Some(Remote::new(seat, line));
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
    pub(super) fn send_turn(&mut self) {
        if let Some(remote) = &mut self.remote {
            remote.send_turn(&self.table);
        }
    }

    /// Sends a command without fields, as [`Remote::send_word`] does.
    pub(super) fn send_word(&mut self, word: &str) {
        let Some(remote) = &mut self.remote else { return };
        if let Err(why) = remote.send_word(word, &self.table) {
            self.say(why);
        }
    }

    /// The offer that the user can accept or decline.
    pub(super) fn open_offer(&self) -> Option<&str> {
        self.remote.as_ref()?.open_offer()
    }

    /// How the connection is, in a few words.
    pub(super) fn line_words(&self) -> Option<String> {
        self.remote.as_ref().map(Remote::words)
    }

    /// Takes in what the connection tells, and shows it.
    pub fn hear_line(&mut self, news: News, shared: &mut Shared) {
        let Some(remote) = &mut self.remote else {
            if let Some(behind) = self.game_behind() {
                behind.hear_line(news, shared);
            }
            return;
        };
        let moves = !shared.choices.still && matches!(news, News::Frame(_));
        let before = moves.then(|| self.table.game.diagram());
        match remote.hear(news, &mut self.table, shared.now) {
            Told::Nothing | Told::Connected(_) | Told::Joined(_) => {}
            Told::Turn(_) => {
                self.motion = before.and_then(|before| Motion::new(before, self, shared.now));
                self.last_turn = shared.now;
                self.refresh(shared);
            }
            Told::Undone => {
                self.refresh(shared);
                self.say("a turn was taken back");
            }
            Told::Offered => self.tell_offer(),
            Told::Declined => self.say("the offer was declined"),
            Told::Ended => self.refresh(shared),
            Told::Rematch(how) => self.say(match how {
                Rematch::Ready => "the next game is ready: n goes there",
                Rematch::AskedByUser => "you have asked for a rematch",
                Rematch::AskedOfUser => "the other side asks for a rematch: n accepts",
                Rematch::Asked => "a rematch was asked for",
            }),
            Told::Refused(why) => {
                self.refresh(shared);
                self.warn(why);
            }
            Told::Broken(why) => self.warn(why),
        }
    }

    /// Goes to the rematch, or asks for one.
    pub(super) fn next_online(&mut self, shared: &Shared) {
        let next = self.remote.as_ref().and_then(Remote::next_link);
        let (Some(link), Some(send)) = (next, shared.net.clone()) else {
            return self.send_word("rematch");
        };
        let (saves, plays) = (shared.saves.clone(), !self.looks_on());
        std::thread::spawn(move || {
            let opened = match plays {
                true => online::join(&link, "", &saves),
                false => online::watch(&link),
            };
            let opened = opened.map(Box::new).map_err(|failure| failure.message());
            // Nobody receives it any more when the program ends.
            let _ = send.send(Message::Opened(opened));
        });
        self.say("going to the next game");
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
