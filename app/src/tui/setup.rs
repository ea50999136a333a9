//! Before a game: its options, who plays, who starts, and the clock.

use super::app::{Next, Shared};
use super::help;
use super::page::Page;
use crate::columns;
use crate::saves::Chosen;
use crate::table::clock::{Clock, Terms};
use crate::table::sitter::NAME;
use crate::table::{Sitter, Table, work};
use engine::{Entry, Session, Who};
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use serde_json::{Map, Value};

/// The clocks on offer.
const CLOCKS: [&str; 7] = ["", "1+0", "3+2", "5+3", "10+5", "30+10", "60+30"];
/// Who may start: the first or second player of the form, or one of them by lot.
const STARTS: [&str; 3] = ["first", "second", "lot"];

/// What players without a name are called.
const PLAYERS: [&str; 2] = ["Player A", "Player B"];

/// A row of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    Player(usize),
    Starts,
    /// An option of the game, by its number.
    Option(usize),
    Clock,
    Rules,
    Start,
}

/// What is being filled in, over the form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filling {
    Nothing,
    /// The list of players for one side, and which is highlighted.
    Player(usize, usize),
    /// The name of the person on one side.
    Name(usize, String),
    /// The clock, as in `5+3`.
    Clock(String),
}

/// The form.
pub struct Setup {
    pub entry: &'static Entry,
    /// The start position with the chosen options.
    pub game: Box<dyn Session>,
    options: Map<String, Value>,
    /// Who plays, in the order of the form.
    pub sitters: [Sitter; 2],
    starts: usize,
    /// As in `5+3`; empty for none.
    clock: String,
    /// The number of the highlighted row.
    pub at: usize,
    pub filling: Filling,
    /// What went wrong.
    pub trouble: Option<String>,
}

impl Setup {
    /// The form as it was last filled in.
    pub fn new(entry: &'static Entry, shared: &Shared) -> Result<Setup, String> {
        let last = shared.choices.games.get(entry.info.id).cloned().unwrap_or_default();
        let fresh = || (entry.start)(&Map::new()).map_err(|error| error.to_string());
        let (game, options) = match (entry.start)(&last.options) {
            Ok(game) => (game, last.options),
            Err(_) => (fresh()?, Map::new()),
        };
        let usual = ["human", "level:3"];
        let sitter = |i: usize| {
            let remembered = Sitter::parse(&last.players[i], game.as_ref());
            let mut sitter = match remembered {
                Ok(sitter) => sitter,
                Err(_) => Sitter::parse(usual[i], game.as_ref())?,
            };
            if sitter.is_person() && sitter.name.is_empty() {
                sitter.name.clone_from(&shared.choices.names[i]);
            }
            Ok::<_, String>(sitter)
        };
        let sitters = [sitter(0)?, sitter(1)?];
        let position = |list: &[&str], code: &str| list.iter().position(|own| *own == code);
        let starts = position(&STARTS, &last.starts).unwrap_or(0);
        let clock =
            Some(last.clock).filter(|terms| Terms::parse(terms).is_ok()).unwrap_or_default();
        let (filling, trouble) = (Filling::Nothing, None);
        let setup = Setup { entry, game, options, sitters, starts, clock, at: 0, filling, trouble };
        Ok(Setup { at: setup.rows().len() - 1, ..setup })
    }

    pub fn rows(&self) -> Vec<Row> {
        let options = (0..self.entry.info.options.len()).map(Row::Option);
        let mut rows = vec![Row::Player(0), Row::Player(1), Row::Starts];
        rows.extend(options);
        rows.extend([Row::Clock, Row::Rules, Row::Start]);
        rows
    }

    pub fn row(&self) -> Row {
        self.rows().get(self.at).copied().unwrap_or(Row::Start)
    }

    /// The players to choose from.
    pub fn kinds(&self) -> Vec<Who> {
        Sitter::kinds(self.game.as_ref())
    }

    pub fn label(&self, row: Row) -> String {
        let info = self.entry.info;
        match row {
            Row::Player(i) => PLAYERS[i].into(),
            Row::Starts => "Starts".into(),
            Row::Option(i) => info.options.get(i).map_or("", |option| option.label).into(),
            Row::Clock => "Clock".into(),
            Row::Rules => "Rules".into(),
            Row::Start => "Start".into(),
        }
    }

    /// The name of a player in this form.
    fn called(&self, i: usize) -> String {
        self.sitters[i].called(self.game.as_ref()).unwrap_or_else(|| PLAYERS[i].into())
    }

    pub fn value(&self, row: Row) -> String {
        match row {
            Row::Player(i) => match &self.sitters[i] {
                person if person.is_person() && !person.name.is_empty() => person.name.clone(),
                other => other.who.title(self.game.as_ref()),
            },
            Row::Starts if self.starts < 2 => self.called(self.starts),
            Row::Starts => "by lot".into(),
            Row::Option(i) => self.option(i).map_or_else(String::new, |value| plain(&value)),
            Row::Clock => match self.clock.as_str() {
                "" => "none".into(),
                terms => terms.replace('+', " min + ") + " s",
            },
            Row::Rules | Row::Start => String::new(),
        }
    }

    /// A sentence about a row.
    pub fn about(&self, row: Row) -> String {
        match row {
            Row::Player(i) => {
                let about = Sitter::about(&self.sitters[i].who, self.game.as_ref());
                format!("{about}; Enter lists all players")
            }
            Row::Starts => format!("who starts plays {}", self.entry.info.players[0]),
            Row::Option(i) => self.entry.info.options.get(i).map_or("", |o| o.about).into(),
            Row::Clock if self.clock.is_empty() => {
                "take all the time you like; Enter types any other clock".into()
            }
            Row::Clock => "time for the game, and what each turn adds; Enter types another".into(),
            Row::Rules => "how it is played".into(),
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

    pub fn key(&mut self, key: KeyEvent, shared: &mut Shared) -> Next {
        match &mut self.filling {
            Filling::Name(i, name) => match key.code {
                KeyCode::Enter | KeyCode::Tab | KeyCode::Down => {
                    self.sitters[*i] = Sitter::person(name);
                    self.filling = Filling::Nothing;
                }
                KeyCode::Esc => self.filling = Filling::Nothing,
                KeyCode::Backspace => drop(name.pop()),
                KeyCode::Char(c)
                    if !c.is_control() && columns::width(&format!("{name}{c}")) <= NAME =>
                {
                    name.push(c);
                }
                _ => {}
            },
            Filling::Clock(text) => match key.code {
                KeyCode::Enter | KeyCode::Tab | KeyCode::Down => {
                    let text = text.trim().to_owned();
                    match Terms::parse(&text) {
                        _ if text.is_empty() => self.set_clock(String::new()),
                        Ok(terms) => self.set_clock(terms.code()),
                        Err(trouble) => self.trouble = Some(trouble),
                    }
                }
                KeyCode::Esc => self.set_clock(self.clock.clone()),
                KeyCode::Backspace => drop(text.pop()),
                KeyCode::Char(c) if "0123456789.+".contains(c) && text.len() < NAME => text.push(c),
                _ => {}
            },
            Filling::Player(..) => self.pick_player(key.code),
            Filling::Nothing => return self.form_key(key.code, shared),
        }
        Next::Stay
    }

    fn set_clock(&mut self, terms: String) {
        (self.clock, self.filling, self.trouble) = (terms, Filling::Nothing, None);
    }

    fn pick_player(&mut self, code: KeyCode) {
        let last = self.kinds().len() - 1;
        let Filling::Player(i, at) = &mut self.filling else { return };
        match code {
            KeyCode::Up | KeyCode::Char('k') => *at = at.checked_sub(1).unwrap_or(last),
            KeyCode::Down | KeyCode::Char('j') => *at = if *at < last { *at + 1 } else { 0 },
            KeyCode::Home => *at = 0,
            KeyCode::End => *at = last,
            KeyCode::Enter | KeyCode::Char(' ') => {
                let (i, at) = (*i, *at);
                self.sit(i, at);
                if self.sitters[i].is_person() {
                    self.filling = Filling::Name(i, self.sitters[i].name.clone());
                } else {
                    self.filling = Filling::Nothing;
                }
            }
            KeyCode::Esc | KeyCode::Char('q') => self.filling = Filling::Nothing,
            _ => {}
        }
    }

    /// Gives a side a player of the list; a person keeps the name.
    fn sit(&mut self, i: usize, number: usize) {
        if let Some(who) = self.kinds().into_iter().nth(number) {
            self.sitters[i].who = who;
        }
    }

    fn form_key(&mut self, code: KeyCode, shared: &mut Shared) -> Next {
        let last = self.rows().len() - 1;
        match code {
            KeyCode::Up | KeyCode::Char('k') => self.at = self.at.checked_sub(1).unwrap_or(last),
            KeyCode::Down | KeyCode::Char('j') | KeyCode::Tab => {
                self.at = if self.at < last { self.at + 1 } else { 0 };
            }
            KeyCode::Home => self.at = 0,
            KeyCode::End => self.at = last,
            KeyCode::Left | KeyCode::Char('h') => self.turn(false),
            KeyCode::Right | KeyCode::Char('l') => self.turn(true),
            KeyCode::Enter | KeyCode::Char(' ') => return self.enter(shared),
            KeyCode::Char('r') => return Next::Page(Page::rules(self.entry, &shared.look)),
            KeyCode::Char('s') => return self.start(shared),
            KeyCode::Char('?') | KeyCode::F(1) => {
                return Next::Page(Page::new("Keys", help::lines(&shared.look)));
            }
            KeyCode::Esc | KeyCode::Char('q') => return Next::Menu,
            _ => {}
        }
        Next::Stay
    }

    /// A click on a row highlights it and does what Enter does.
    pub fn click(&mut self, row: usize, shared: &mut Shared) -> Next {
        if let Filling::Player(_, at) = &mut self.filling {
            *at = row;
            self.pick_player(KeyCode::Enter);
            return Next::Stay;
        }
        self.filling = Filling::Nothing;
        self.at = row.min(self.rows().len() - 1);
        self.enter(shared)
    }

    fn enter(&mut self, shared: &mut Shared) -> Next {
        match self.row() {
            Row::Player(i) => {
                let own = &self.sitters[i].who;
                let at = self.kinds().iter().position(|who| who == own).unwrap_or(0);
                self.filling = Filling::Player(i, at);
            }
            Row::Rules => return Next::Page(Page::rules(self.entry, &shared.look)),
            Row::Start => return self.start(shared),
            Row::Clock => self.filling = Filling::Clock(self.clock.clone()),
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
            Row::Player(i) => {
                let kinds = self.kinds();
                let own = &self.sitters[i].who;
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
            Row::Rules | Row::Start => {}
        }
    }

    /// Sets an option, or notes why it does not go with the others.
    fn set(&mut self, name: &str, value: Value) {
        self.options.insert(name.to_owned(), value);
        match (self.entry.start)(&self.options) {
            Ok(game) => {
                self.options = game.options();
                (self.game, self.trouble) = (game, None);
            }
            Err(error) => self.trouble = Some(error.to_string()),
        }
    }

    fn start(&mut self, shared: &mut Shared) -> Next {
        if self.trouble.is_some() {
            return Next::Stay;
        }
        let swapped = match self.starts {
            2 => work::random(None).below(2) == 1,
            starts => starts == 1,
        };
        let mut sitters = self.sitters.clone();
        if swapped {
            sitters.reverse();
        }
        let chosen = Chosen {
            options: self.options.clone(),
            players: self.sitters.each_ref().map(Sitter::code),
            starts: STARTS[self.starts].into(),
            clock: self.clock.clone(),
        };
        let choices = &mut shared.choices;
        choices.game = self.entry.info.id.into();
        choices.names = self.sitters.each_ref().map(|sitter| sitter.name.clone());
        choices.games.insert(self.entry.info.id.into(), chosen);
        if let Err(trouble) = shared.remember() {
            // Shown once; the next try starts the game all the same.
            shared.remembers = false;
            self.trouble = Some(trouble);
            return Next::Stay;
        }
        let clock = Terms::parse(&self.clock).ok().map(Clock::new);
        let table = Table::new(self.entry, self.game.boxed_clone(), sitters, clock);
        Next::Play(Box::new(table), None)
    }
}

/// A value as people write it.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
