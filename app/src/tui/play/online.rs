//! A game on a server, on the screen.

use super::Play;
use super::dialog::{Dialog, Offer};
use super::motion::Motion;
use crate::online::{self, Line, News, Opened, Rematch, Remote, Told};
use crate::tui::app::{Message, Next, Shared};
use rules::Player;

impl Play {
    /// A game on a server.
    pub fn online(opened: Opened, shared: &mut Shared) -> Play {
        let Opened { table, seat } = opened;
        let line = shared
            .net
            .clone()
            .map(|send| Line::open(&seat, move |news| send.send(Message::Net(news)).is_ok()));
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
        let remote = self.remote.as_ref()?;
        let unsent = remote.unsent(&self.table);
        let words = remote.words();
        // While there is a connection, the answer is on its way, and the list of turns has the mark.
        if unsent.is_empty() || remote.seat.connected {
            return Some(words);
        }
        Some(format!("{words}, {} not acknowledged", unsent.join(", ")))
    }

    /// How many turns the server knows; without a server all of them.
    pub(super) fn known_turns(&self) -> usize {
        self.remote.as_ref().map_or(usize::MAX, |remote| remote.seat.turns)
    }

    /// What the user has done here, or in the game behind this board, and the server has not acknowledged.
    /// Half a turn is not done.
    pub fn unsent(&self) -> Vec<String> {
        let remote = self.remote.as_ref().filter(|remote| remote.is_waiting(&self.table));
        let own = remote.map_or_else(Vec::new, |remote| remote.unsent(&self.table));
        let behind = self.behind().map_or_else(Vec::new, Play::unsent);
        own.into_iter().chain(behind).collect()
    }

    /// Asks whether to leave before everything is acknowledged; a second Ctrl-C is the answer.
    pub fn ask_to_leave(&mut self, next: Next) -> Option<Next> {
        if self.leaving.is_some() && matches!(next, Next::Quit) {
            return Some(Next::Abandon(Box::new(next)));
        }
        self.warn(format!("the server has not acknowledged {}", self.unsent().join(", ")));
        self.leaving = Some(Box::new(next));
        self.dialog = Some(Dialog::of_leaving());
        None
    }

    pub(super) fn answer_leaving(&mut self, offer: Offer) -> Next {
        match (offer, self.leaving.take()) {
            (Offer::Abandon, Some(next)) => return Next::Abandon(next),
            (Offer::Stay | Offer::Resume, _) => self.dialog = None,
            // Keys of other menus that happen to be pressed.
            (_, next) => self.leaving = next,
        }
        Next::Stay
    }

    /// Takes in what the connection tells, and leaves when that was all the user waited for.
    pub fn hear_line(&mut self, news: News, shared: &mut Shared) -> Next {
        let refused = self.take_in(news, shared);
        if refused && self.leaving.take().is_some() {
            self.dialog = None;
        }
        match self.leaving.take() {
            Some(next) if self.unsent().is_empty() => *next,
            next => {
                self.leaving = next;
                Next::Stay
            }
        }
    }

    /// Shows what the connection tells, and says whether the server refuses something.
    fn take_in(&mut self, news: News, shared: &mut Shared) -> bool {
        let Some(remote) = &mut self.remote else {
            return self.game_behind().is_some_and(|behind| behind.take_in(news, shared));
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
            Told::GoneBack => {
                self.refresh(shared);
                self.warn(online::GONE_BACK.to_owned());
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
                return true;
            }
            Told::Broken(why) => self.warn(why),
        }
        false
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
