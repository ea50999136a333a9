//! Before a game: its options, who plays, who starts, and the clock.

use super::app::{Context, Next};
use super::invite::Invitation;
use super::list::List;
use super::page::Page;
use crate::output::columns::width;
use crate::saves::Chosen;
use crate::shell::input::plain;
use crate::sitting::clock::Terms;
use crate::sitting::seat::{self, NAME};
use crate::sitting::{Sitting, work};
use crate::tui::field::Field;
use engine::{Entry, Session, Who};
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use rules::ByPlayer;
use serde_json::{Map, Value};
use table::Seat;

const CLOCKS: [&str; 7] = ["", "1+0", "3+2", "5+3", "10+5", "30+10", "60+30"];
/// Who may start: the first or second player of the form, or one of them by lot.
const STARTS: [&str; 3] = ["first", "second", "lot"];

/// The names of players without a name.
const PLAYERS: [&str; 2] = ["Player A", "Player B"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// In an invitation: which game.
    Game,
    Player(usize),
    Starts,
    /// An option of the game, by its number.
    Option(usize),
    /// Where the game begins.
    Position,
    Clock,
    /// In an invitation: where the game is kept.
    Server,
    Rules,
    Start,
}

/// The field being filled in, over the form.
#[derive(Clone, Debug)]
pub enum Filling {
    Nothing,
    /// The list of players for one side.
    Player(usize, List),
    /// The name of the person on one side.
    Name(usize, Field),
    /// The clock, as in `5+3`.
    Clock(Field),
    /// The address of the server.
    Server(Field),
}

pub struct Setup {
    pub entry: &'static Entry,
    /// The position that the game begins with.
    pub game: Box<dyn Session>,
    /// Whether it was set up by hand.
    by_hand: bool,
    pub(super) options: Map<String, Value>,
    /// The further fields of an invitation; none for a game at this keyboard.
    pub(super) invitation: Option<Invitation>,
    /// Who plays, in the order of the form.
    pub seats: [Seat; 2],
    pub(super) starts: usize,
    /// As in `5+3`; empty for none.
    pub(super) clock: String,
    pub list: List,
    pub filling: Filling,
    pub trouble: Option<String>,
}

impl Setup {
    /// The form as it was last filled in.
    pub fn new(entry: &'static Entry, context: &Context) -> Result<Setup, String> {
        let last = context.choices.games.get(entry.info.id).cloned().unwrap_or_default();
        let fresh = || (entry.start)(&Map::new()).map_err(|error| error.to_string());
        let (game, options) = match (entry.start)(&last.options) {
            Ok(game) => (game, last.options),
            Err(_) => (fresh()?, Map::new()),
        };
        let usual = ["human", "level:3"];
        let seat = |i: usize| {
            let remembered = seat::parse(&last.players[i], game.as_ref());
            let seat = remembered.or_else(|_| seat::parse(usual[i], game.as_ref()))?;
            let has_name = seat.name.is_some() || seat.who.is_computer();
            Ok::<_, String>(if has_name { seat } else { seat::person(&context.choices.names[i]) })
        };
        let mut seats = [seat(0)?, seat(1)?];
        let own = context.config.name_or("");
        if let Some(person) = seats.iter_mut().find(|seat| !seat.who.is_computer())
            && !own.is_empty()
        {
            *person = seat::person(&own);
        }
        let position = |list: &[&str], code: &str| list.iter().position(|own| *own == code);
        let starts = position(&STARTS, &last.starts).unwrap_or(0);
        let clock =
            Some(last.clock).filter(|terms| Terms::parse(terms).is_ok()).unwrap_or_default();
        let (filling, trouble) = (Filling::Nothing, None);
        let by_hand = false;
        let setup = Setup {
            entry,
            game,
            by_hand,
            options,
            invitation: None,
            seats,
            starts,
            clock,
            list: List::ring(0),
            filling,
            trouble,
        };
        Ok(Setup { list: List::ring(setup.rows().len() - 1), ..setup })
    }

    pub fn rows(&self) -> Vec<Row> {
        if self.invitation.is_some() {
            return self.invitation_rows();
        }
        let options = (0..self.entry.info.options.len()).map(Row::Option);
        let mut rows = vec![Row::Player(0), Row::Player(1), Row::Starts];
        rows.extend(options);
        rows.extend([Row::Position, Row::Clock, Row::Rules, Row::Start]);
        rows
    }

    pub fn row(&self) -> Row {
        self.rows().get(self.list.chosen).copied().unwrap_or(Row::Start)
    }

    pub fn kinds(&self) -> Vec<Who> {
        seat::kinds(self.game.as_ref())
    }

    pub fn label(&self, row: Row) -> String {
        let info = self.entry.info;
        match row {
            Row::Game => "Game".into(),
            Row::Server => "Server".into(),
            Row::Player(_) if self.invitation.is_some() => "Your name".into(),
            Row::Start if self.invitation.is_some() => "Invite".into(),
            Row::Player(i) => PLAYERS[i].into(),
            // The player who starts has the first colour, unless the second colour is to move in this position.
            Row::Starts if self.game.turn() != rules::Player::One => {
                format!("Plays {}", info.players[0])
            }
            Row::Starts => "Starts".into(),
            Row::Option(i) => info.options.get(i).map_or("", |option| option.label).into(),
            Row::Position => "Position".into(),
            Row::Clock => "Clock".into(),
            Row::Rules => "Rules".into(),
            Row::Start => "Start".into(),
        }
    }

    /// The name of a player in this form.
    fn called(&self, i: usize) -> String {
        let Seat { who, name } = &self.seats[i];
        let called = who.name(self.game.as_ref()).or_else(|| name.clone());
        called.unwrap_or_else(|| PLAYERS[i].into())
    }

    pub fn value(&self, row: Row) -> String {
        match row {
            Row::Game => self.entry.info.name.into(),
            Row::Server => self.invitation.as_ref().map_or("", |own| &own.server).into(),
            Row::Player(_) if self.invitation.is_some() => {
                self.seats[0].name.clone().unwrap_or_default()
            }
            Row::Starts if self.invitation.is_some() => {
                ["you", "the other player", "by lot"][self.starts].into()
            }
            Row::Player(i) => match &self.seats[i] {
                Seat { who: Who::Person, name: Some(name) } => name.clone(),
                Seat { who, .. } => who.title(self.game.as_ref()),
            },
            Row::Starts if self.starts < 2 => self.called(self.starts),
            Row::Starts => "by lot".into(),
            Row::Option(i) => self.option(i).map_or_else(String::new, |value| plain(&value)),
            Row::Position if self.by_hand => "set up by hand".into(),
            Row::Position => "the usual start".into(),
            Row::Clock => match self.clock.as_str() {
                "" => "none".into(),
                terms => terms.replace('+', " min + ") + " s",
            },
            Row::Rules | Row::Start => String::new(),
        }
    }

    pub fn about(&self, row: Row) -> String {
        match row {
            Row::Game => "← and → choose the game".into(),
            Row::Server => "where the game is kept, as in http://127.0.0.1:8000".into(),
            Row::Player(_) if self.invitation.is_some() => "Enter changes it".into(),
            Row::Player(i) => {
                let about = seat::about(&self.seats[i].who, self.game.as_ref());
                format!("{about}; Enter lists all players")
            }
            Row::Starts => format!("who starts plays {}", self.entry.info.players[0]),
            Row::Option(i) => self.entry.info.options.get(i).map_or("", |o| o.about).into(),
            Row::Position => "Enter sets up any other position".into(),
            Row::Clock if self.clock.is_empty() => {
                "take all the time you like; Enter types any other clock".into()
            }
            Row::Clock => "time for the game, and what each turn adds; Enter types another".into(),
            Row::Rules => "how it is played".into(),
            Row::Start if self.invitation.is_some() => {
                let own = self.seats[0].name.as_deref().unwrap_or("you");
                format!("{own} against the first person who opens the link")
            }
            Row::Start => {
                let [one, two] = self.order();
                format!("{} against {}", self.called(one), self.called(two))
            }
        }
    }

    /// Who plays first and second; with a lot, in the order of the form.
    fn order(&self) -> [usize; 2] {
        if self.starts == 1 { [1, 0] } else { [0, 1] }
    }

    fn option(&self, i: usize) -> Option<Value> {
        let option = self.entry.info.options.get(i)?;
        let set = self.options.get(option.name).cloned();
        Some(set.unwrap_or_else(|| rules::notation::option_value(option.default)))
    }

    pub fn key(&mut self, key: KeyEvent, context: &mut Context) -> Next {
        match &mut self.filling {
            Filling::Name(i, name) => match key.code {
                KeyCode::Enter | KeyCode::Tab | KeyCode::Down => {
                    self.seats[*i] = seat::person(name.text());
                    self.filling = Filling::Nothing;
                }
                KeyCode::Esc => self.filling = Filling::Nothing,
                _ => drop(name.key(key)),
            },
            Filling::Clock(text) => match key.code {
                KeyCode::Enter | KeyCode::Tab | KeyCode::Down => {
                    let text = text.text().trim().to_owned();
                    match Terms::parse(&text) {
                        _ if text.is_empty() => self.set_clock(String::new()),
                        Ok(terms) => self.set_clock(terms.code()),
                        Err(trouble) => self.trouble = Some(trouble),
                    }
                }
                KeyCode::Esc => self.set_clock(self.clock.clone()),
                _ => drop(text.key(key)),
            },
            Filling::Server(text) => match key.code {
                KeyCode::Enter | KeyCode::Tab | KeyCode::Down => {
                    let text = text.text().to_owned();
                    self.set_server(&text);
                }
                KeyCode::Esc => self.filling = Filling::Nothing,
                _ => drop(text.key(key)),
            },
            Filling::Player(..) => self.pick_player(key.code),
            Filling::Nothing => return self.form_key(key.code, context),
        }
        Next::Stay
    }

    /// The line of text that is being edited.
    pub fn field(&mut self) -> Option<&mut Field> {
        match &mut self.filling {
            Filling::Name(_, field) | Filling::Clock(field) | Filling::Server(field) => Some(field),
            Filling::Player(..) | Filling::Nothing => None,
        }
    }

    fn set_clock(&mut self, terms: String) {
        (self.clock, self.filling, self.trouble) = (terms, Filling::Nothing, None);
    }

    fn pick_player(&mut self, code: KeyCode) {
        let count = self.kinds().len();
        let Filling::Player(i, list) = &mut self.filling else { return };
        match code {
            KeyCode::Enter | KeyCode::Char(' ') => {
                let (i, at) = (*i, list.chosen);
                self.sit(i, at);
                self.filling = match self.seats[i].who.is_computer() {
                    true => Filling::Nothing,
                    false => self.naming(i),
                };
            }
            KeyCode::Esc | KeyCode::Char('q') => self.filling = Filling::Nothing,
            code => drop(list.key(code, count)),
        }
    }

    fn naming(&self, i: usize) -> Filling {
        let name = self.seats[i].name.as_deref().unwrap_or_default();
        Filling::Name(i, Field::new(name, |name| width(name) <= NAME))
    }

    /// Gives a side a player of the list; a person keeps the name.
    fn sit(&mut self, i: usize, number: usize) {
        if let Some(who) = self.kinds().into_iter().nth(number) {
            self.seats[i].who = who;
        }
    }

    fn form_key(&mut self, code: KeyCode, context: &mut Context) -> Next {
        match code {
            KeyCode::Left | KeyCode::Char('h') if self.row() == Row::Game => {
                return self.other_game(false, context);
            }
            KeyCode::Right | KeyCode::Char('l') if self.row() == Row::Game => {
                return self.other_game(true, context);
            }
            KeyCode::Left | KeyCode::Char('h') => self.turn(false),
            KeyCode::Right | KeyCode::Char('l') => self.turn(true),
            KeyCode::Enter | KeyCode::Char(' ') => return self.enter(context),
            KeyCode::Char('r') => return Next::Page(Page::rules(self.entry, &context.look)),
            KeyCode::Char('s') => return self.start(context),
            KeyCode::Esc | KeyCode::Char('q') => return Next::Menu,
            code => drop(self.list.key(code, self.rows().len())),
        }
        Next::Stay
    }

    /// A click on a row highlights it and does what Enter does.
    pub fn click(&mut self, row: usize, context: &mut Context) -> Next {
        let count = self.kinds().len();
        if let Filling::Player(_, list) = &mut self.filling {
            list.click(row, count);
            self.pick_player(KeyCode::Enter);
            return Next::Stay;
        }
        self.filling = Filling::Nothing;
        self.list.click(row, self.rows().len());
        self.enter(context)
    }

    fn enter(&mut self, context: &mut Context) -> Next {
        match self.row() {
            Row::Game => return self.other_game(true, context),
            Row::Server => self.ask_server(),
            Row::Player(i) if self.invitation.is_some() => self.filling = self.naming(i),
            Row::Player(i) => {
                let own = &self.seats[i].who;
                let at = self.kinds().iter().position(|who| who == own).unwrap_or(0);
                self.filling = Filling::Player(i, List::ring(at));
            }
            Row::Rules => return Next::Page(Page::rules(self.entry, &context.look)),
            Row::Start => return self.start(context),
            Row::Clock => self.filling = Filling::Clock(Field::new(&self.clock, is_like_clock)),
            Row::Position => return Next::Edit,
            Row::Starts | Row::Option(_) => self.turn(true),
        }
        Next::Stay
    }

    /// Takes the next value of the row, or the previous one.
    fn turn(&mut self, forward: bool) {
        let step = |at: usize, count: usize| match forward {
            true => (at + 1) % count.max(1),
            false => at.checked_sub(1).unwrap_or(count.saturating_sub(1)),
        };
        match self.row() {
            Row::Player(_) if self.invitation.is_some() => {}
            Row::Player(i) => {
                let kinds = self.kinds();
                let own = &self.seats[i].who;
                let at = kinds.iter().position(|who| who == own).unwrap_or(0);
                self.sit(i, step(at, kinds.len()));
            }
            Row::Starts => self.starts = step(self.starts, STARTS.len()),
            Row::Clock => {
                let at = CLOCKS.iter().position(|own| *own == self.clock).unwrap_or(0);
                self.clock = CLOCKS[step(at, CLOCKS.len())].to_owned();
            }
            Row::Option(i) => {
                let Some(option) = self.entry.info.options.get(i) else { return };
                let values = option.values.list();
                let now = self.option(i);
                let at = values.iter().position(|value| Some(value) == now.as_ref()).unwrap_or(0);
                if let Some(value) = values.get(step(at, values.len())) {
                    self.set(option.name, value.clone());
                }
            }
            Row::Position if self.by_hand => match (self.entry.start)(&self.options) {
                Ok(game) => (self.game, self.by_hand, self.trouble) = (game, false, None),
                Err(error) => self.trouble = Some(error.to_string()),
            },
            Row::Game | Row::Server | Row::Position | Row::Rules | Row::Start => {}
        }
    }

    /// Lets the game begin with another position.
    pub fn set_position(&mut self, game: Box<dyn Session>) {
        self.options = game.options();
        let usual = (self.entry.start)(&self.options);
        self.by_hand = usual.is_ok_and(|usual| usual.text() != game.text());
        self.game = game;
        self.trouble = None;
    }

    /// Sets an option, or notes why it does not go with the others.
    fn set(&mut self, name: &str, value: Value) {
        self.options.insert(name.to_owned(), value);
        match (self.entry.start)(&self.options) {
            Ok(game) => {
                self.options = game.options();
                (self.game, self.by_hand, self.trouble) = (game, false, None);
            }
            Err(error) => self.trouble = Some(error.to_string()),
        }
    }

    fn start(&mut self, context: &mut Context) -> Next {
        if self.invitation.is_some() {
            return self.invite(context);
        }
        if self.game.outcome().is_some() {
            self.trouble = Some("this position is decided already: set up another one".into());
        }
        if self.trouble.is_some() {
            return Next::Stay;
        }
        let swapped = match self.starts {
            2 => work::random(None).below(2) == 1,
            starts => starts == 1,
        };
        let named = |seat: Seat| match seat.who.is_computer() {
            // The name of the person who sat there before.
            true => Seat { name: None, ..seat },
            false => seat,
        };
        let mut seats = ByPlayer::from(self.seats.clone()).map(named);
        if swapped {
            seats.reverse();
        }
        let chosen = Chosen {
            options: self.options.clone(),
            players: self.seats.each_ref().map(seat::code),
            starts: STARTS[self.starts].into(),
            clock: self.clock.clone(),
        };
        let choices = &mut context.choices;
        choices.game = self.entry.info.id.into();
        choices.names = self.seats.each_ref().map(|seat| seat.name.clone().unwrap_or_default());
        choices.games.insert(self.entry.info.id.into(), chosen);
        if let Err(trouble) = context.remember() {
            // Shown once; the next try starts the game all the same.
            context.remembers = false;
            self.trouble = Some(trouble);
            return Next::Stay;
        }
        let terms = Terms::parse(&self.clock).ok();
        let sitting = Sitting::new(self.entry, self.game.boxed_clone(), seats, terms);
        Next::Play(Box::new(sitting), None)
    }
}

fn is_like_clock(text: &str) -> bool {
    text.len() <= NAME && text.chars().all(|c| "0123456789.+".contains(c))
}
