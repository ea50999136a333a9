//! A game on a server, on the screen.

use super::BoardScreen;
use super::dialog::{Dialog, Offer};
use super::mode::Mode;
use super::motion::Motion;
use crate::online::{self, Answer, Change, Connection, News, Opened, Remote};
use crate::saves::{Keeper, Saves};
use crate::tui::app::{Context, Message, Next};
use rules::Player;
use std::sync::mpsc::Sender;

impl BoardScreen {
    pub fn online(opened: Opened, context: &mut Context) -> BoardScreen {
        let Opened { sitting, link, unsent, invitation } = opened;
        let tell = |send: Sender<Message>| move |news| send.send(Message::Net(news)).is_ok();
        let connection = context.net.clone();
        let connection = connection.map(|send| Connection::open(&link, &sitting.state, tell(send)));
        let flipped = sitting.own.as_deref() == Some(&[Player::Two]);
        let remote = Box::new(Remote::new(link, connection, invitation));
        let mode = Mode::game(Keeper::new(&sitting, None), Some(remote));
        let mut play = BoardScreen::bare(sitting, mode, context);
        play.shown.flipped = flipped;
        play.refresh(context);
        if let Some(unsent) = unsent.filter(|_| play.sitting.person().is_some()) {
            let turn = unsent.turn.clone();
            if let Some(remote) = play.mode.remote_mut() {
                remote.resume(unsent);
            }
            play.play(&turn, context);
            play.say(format!("{turn} was not acknowledged last time, and is sent now"));
        }
        play
    }

    /// Keeps what the server has not acknowledged, since the game is left.
    pub fn put_off(&self, saves: &Saves) -> Result<(), String> {
        let behind = self.back.as_ref().map_or(Ok(()), |behind| behind.put_off(saves));
        match self.mode.remote() {
            Some(remote) => remote.put_off(&self.sitting, saves),
            None => behind,
        }
    }

    pub(super) fn is_online(&self) -> bool {
        self.sitting.own.is_some()
    }

    /// Sends the turn that has just been completed here.
    pub(super) fn send_turn(&mut self) {
        if let Some(remote) = self.mode.remote_mut() {
            remote.send_turn(&self.sitting);
        }
    }

    /// Sends a command without fields, as [`Remote::send_word`] does.
    pub(super) fn send_word(&mut self, word: &str) {
        let Some(remote) = self.mode.remote_mut() else { return };
        if let Err(why) = remote.send_word(word, &self.sitting) {
            self.say(why);
        }
    }

    /// Whether what the other player says is not shown.
    pub(super) fn is_muted(&self) -> bool {
        self.mode.remote().is_some_and(|remote| remote.muted)
    }

    /// Hides what the other player says, or shows it again.
    pub(super) fn mute(&mut self) {
        let Some(remote) = self.mode.remote_mut() else { return };
        remote.muted = !remote.muted;
        self.say(if self.is_muted() { "muted" } else { "not muted any more" });
    }

    /// Says one of the fixed words to the other player.
    pub(super) fn greet(&mut self, (name, text): (&str, &str)) {
        let Some(remote) = self.mode.remote() else { return };
        if !remote.connected {
            return self.warn(format!("`{text}` was not said: there is no connection"));
        }
        remote.greet(name);
        self.say(format!("you: {text}"));
    }

    /// The link for the other player, as long as nobody has taken that seat.
    pub(super) fn invitation(&self) -> Option<&str> {
        self.mode.remote()?.invitation(&self.sitting)
    }

    /// Puts the link for the other player on the clipboard.
    pub(super) fn copy_invitation(&mut self) -> Next {
        let Some(link) = self.invitation().map(str::to_owned) else { return Next::Stay };
        self.say("the link is copied: send it to the other player");
        Next::Copy(link)
    }

    /// The state of the connection, in a few words.
    pub(super) fn connection_words(&self) -> Option<String> {
        let remote = self.mode.remote()?;
        let unsent = remote.unsent(&self.sitting);
        let words = remote.words(&self.sitting);
        // While connected, the answer is on its way, and the list of turns marks what is open.
        if unsent.is_empty() || remote.connected {
            return Some(words);
        }
        Some(format!("{words}, {} not acknowledged", unsent.join(", ")))
    }

    /// How many turns have been decided; later ones wait for the server.
    pub(super) fn known_turns(&self) -> usize {
        match self.is_online() {
            true => self.sitting.state.course.turns,
            false => usize::MAX,
        }
    }

    /// Whole turns and commands, here or in the game this board was opened from, that the server has not acknowledged.
    pub fn unsent(&self) -> Vec<String> {
        let remote = self.mode.remote().filter(|remote| remote.is_waiting(&self.sitting));
        let own = remote.map_or_else(Vec::new, |remote| remote.unsent(&self.sitting));
        let behind = self.back.as_ref().map_or_else(Vec::new, |behind| behind.unsent());
        own.into_iter().chain(behind).collect()
    }

    /// Asks whether to leave before everything is acknowledged; a second Ctrl-C is the answer.
    pub fn ask_to_leave(&mut self, next: Next) -> Option<Next> {
        let is_asked = self.dialog.as_ref().is_some_and(Dialog::asks_to_leave);
        if is_asked && matches!(next, Next::Quit) {
            return Some(Next::Abandon(Box::new(next)));
        }
        self.warn(format!("the server has not acknowledged {}", self.unsent().join(", ")));
        self.dialog = Some(Dialog::of_leaving(next));
        None
    }

    /// Answers whether to leave; keys that other menus have are ignored.
    pub(super) fn answer_leaving(&mut self, offer: Offer) -> Next {
        match offer {
            Offer::Abandon => match self.dialog.take().and_then(|dialog| dialog.leaving) {
                Some(next) => Next::Abandon(next),
                None => Next::Stay,
            },
            Offer::Stay | Offer::Resume => {
                self.dialog = None;
                Next::Stay
            }
            _ => Next::Stay,
        }
    }

    /// Whether it has become the user's turn since this was asked last.
    pub fn take_call(&mut self) -> bool {
        std::mem::take(&mut self.calls)
    }

    /// The title of the window.
    pub fn title(&self) -> String {
        let name = self.sitting.entry.info.name;
        match self.is_online() && self.sitting.person().is_some() {
            true => format!("Your turn: {name}"),
            false => name.to_owned(),
        }
    }

    /// Applies news of the connection, and leaves if they were all that the user waited for.
    pub(super) fn hear_news(&mut self, news: News, context: &mut Context) -> Next {
        let refused = self.take_in(news, context);
        let has_all = self.unsent().is_empty();
        match self.dialog.take_if(|dialog| dialog.asks_to_leave() && (refused || has_all)) {
            Some(Dialog { leaving: Some(next), .. }) if !refused => *next,
            _ => Next::Stay,
        }
    }

    /// Applies news of the connection, and returns whether the server refused something.
    fn take_in(&mut self, news: News, context: &mut Context) -> bool {
        let Some(remote) = self.mode.remote_mut() else {
            return self.back.as_mut().is_some_and(|behind| behind.take_in(news, context));
        };
        let moves = !context.choices.still && matches!(news, News::Frame(_));
        let before = moves.then(|| self.sitting.board.diagram());
        match remote.hear(news, &mut self.sitting, context.now) {
            Change::Nothing | Change::Connected(_) => {}
            Change::Turn(_) => {
                self.motion = before.and_then(|before| Motion::new(before, self, context.now));
                self.pace.last_turn = context.now;
                self.refresh(context);
                self.calls = self.sitting.person().is_some();
            }
            Change::Back(words) => {
                // It was chosen for a position that no longer exists.
                self.forget_ahead();
                self.refresh(context);
                self.say(words);
            }
            Change::Ended => {
                self.refresh(context);
                self.note = None;
            }
            Change::Said(words, answer) => self.say(match answer {
                None => words,
                Some(Answer::Offer) => format!("{words} p answers"),
                Some(Answer::Rematch) => format!("{words} n accepts"),
                Some(Answer::NextGame) => format!("{words} n goes there"),
            }),
            Change::Refused(why) => {
                self.refresh(context);
                self.warn(why);
                return true;
            }
            Change::Broken(why) => self.warn(why),
        }
        false
    }

    /// Goes to the rematch, or asks for one.
    pub(super) fn next_online(&mut self, context: &Context) {
        let next = self.mode.remote().and_then(|remote| remote.next_link(&self.sitting));
        let (Some(link), Some(send)) = (next, context.net.clone()) else {
            return self.send_word("rematch");
        };
        let (saves, plays) = (context.saves.clone(), !self.sitting.looks_on());
        std::thread::spawn(move || {
            let opened = match plays {
                true => online::join(&link, "", &saves),
                false => online::watch(&link),
            };
            let opened = opened.map(Box::new);
            // The receiver is gone when the program ends.
            let _ = send.send(Message::Opened(opened));
        });
        self.say("going to the next game");
    }
}
