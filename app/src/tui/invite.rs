//! Inviting somebody: the form of a game on a server, whose link the game then shows.

use super::app::{Context, Message, Next};
use super::setup::{Filling, Row, Setup};
use crate::online::{self, Wanted};
use crate::sitting::clock::Terms;
use crate::sitting::{seat, work};
use crate::tui::field::Field;
use engine::Entry;
use rules::Player;

/// The further state of an invitation's form.
#[derive(Clone, Debug, Default)]
pub struct Invitation {
    pub server: String,
    /// Whether the server has been asked and has not answered.
    is_asked: bool,
}

impl Setup {
    /// The form for an invitation to this game, as one for another game was filled in.
    pub fn inviting(
        entry: &'static Entry,
        context: &Context,
        before: Option<&Setup>,
    ) -> Result<Setup, String> {
        let mut setup = Setup::new(entry, context)?;
        let name = context.config.name_or(&context.choices.names[0]);
        setup.seats[0] = seat::person(&name);
        let server = context.choices.server.clone();
        setup.invitation = Some(Invitation { server, is_asked: false });
        setup.list.chosen = setup.rows().len() - 1;
        if let Some(before) = before.filter(|before| before.invitation.is_some()) {
            setup.invitation.clone_from(&before.invitation);
            setup.seats.clone_from(&before.seats);
            setup.clock.clone_from(&before.clock);
            setup.starts = before.starts;
            // Only the row of the game leads here.
            setup.list.chosen = 0;
        }
        Ok(setup)
    }

    pub(super) fn invitation_rows(&self) -> Vec<Row> {
        let options = (0..self.entry.info.options.len()).map(Row::Option);
        let mut rows = vec![Row::Game, Row::Player(0), Row::Starts];
        rows.extend(options);
        rows.extend([Row::Clock, Row::Server, Row::Rules, Row::Start]);
        rows
    }

    /// The same form for the next game, or the one before.
    pub(super) fn other_game(&self, forward: bool, context: &Context) -> Next {
        let count = context.games.len();
        let at = context.games.iter().position(|entry| entry.info.id == self.entry.info.id);
        let step = if forward { 1 } else { count - 1 };
        let next = (at.unwrap_or(0) + step) % count;
        context.games.get(next).map_or(Next::Stay, Next::Invite)
    }

    pub(super) fn ask_server(&mut self) {
        let server = self.invitation.as_ref().map_or("", |own| &own.server);
        self.filling = Filling::Server(Field::new(server, |text| text.len() <= 200));
    }

    pub(super) fn set_server(&mut self, server: &str) {
        if let Some(invitation) = &mut self.invitation {
            server.trim().clone_into(&mut invitation.server);
        }
        (self.filling, self.trouble) = (Filling::Nothing, None);
    }

    /// Asks the server for the game; the answer opens it.
    pub(super) fn invite(&mut self, context: &mut Context) -> Next {
        let own = match self.starts {
            0 => Player::One,
            1 => Player::Two,
            _ if work::random(None).below(2) == 0 => Player::One,
            _ => Player::Two,
        };
        let name = self.seats[0].name.clone().unwrap_or_default();
        let clock = Terms::parse(&self.clock).ok();
        let (game, options) = (self.entry.info.id, self.options.clone());
        let wanted = Wanted { game, options, own, name, clock };
        let Some(invitation) = self.invitation.as_mut().filter(|own| !own.is_asked) else {
            return Next::Stay;
        };
        if invitation.server.is_empty() {
            self.trouble = Some("which server? as in http://127.0.0.1:8000".into());
            return Next::Stay;
        }
        let server = invitation.server.clone();
        let choices = &mut context.choices;
        choices.names[0].clone_from(&wanted.name);
        choices.server.clone_from(&server);
        // The game matters more than remembering the form.
        let _ = context.remember();
        let (Some(send), saves) = (context.net.clone(), context.saves.clone()) else {
            return Next::Stay;
        };
        invitation.is_asked = true;
        self.trouble = Some(format!("asking {server}"));
        std::thread::spawn(move || {
            let opened = online::invite_and_join(&server, &wanted, &saves);
            // The receiver is gone when the program ends.
            let _ = send.send(Message::Opened(opened.map(Box::new)));
        });
        Next::Stay
    }

    /// Shows why the server made no game.
    pub fn refused(&mut self, why: String) {
        if let Some(invitation) = &mut self.invitation {
            invitation.is_asked = false;
        }
        self.trouble = Some(why);
    }
}
