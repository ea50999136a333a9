//! The user's preferences: colours, motion, proposals.

use super::app::{Context, Hits, Next};
use super::board;
use super::list::List;
use super::view::{keys, paragraphs, title};
use crate::saves::Choices;
use crate::shell::input;
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use rules::svg::Theme;

/// A setting that is on or off.
struct Switch {
    label: &'static str,
    about: &'static str,
    /// Its text when it is off, and when it is on.
    values: [&'static str; 2],
    of: fn(&mut Choices) -> &mut bool,
}

/// How many rows there are: the colours, the characters, and the switches.
const ROWS: usize = 2 + SWITCHES.len();

/// The value for what suits the terminal.
const AUTO: &str = "automatic";

/// The settings below the colours and characters.
const SWITCHES: [Switch; 5] = [
    Switch {
        label: "Motion",
        about: "whether pieces travel to their cells or are there at once",
        values: ["on", "off"],
        of: |choices| &mut choices.still,
    },
    Switch {
        label: "Proposals",
        about: "show at every turn what the game's original program would play",
        values: ["when asked for", "always"],
        of: |choices| &mut choices.advice,
    },
    Switch {
        label: "Engine's bar",
        about: "show who is better, in games against the computer",
        values: ["when asked for", "always"],
        of: |choices| &mut choices.bar,
    },
    Switch {
        label: "Bell",
        about: "whether the terminal's bell rings when it is your turn in a game on a server",
        values: ["on", "off"],
        of: |choices| &mut choices.silent,
    },
    Switch {
        label: "Line mode",
        about: "whether line mode draws boards or only describes them, for screen readers",
        values: ["with boards", "sentences only"],
        of: |choices| &mut choices.no_boards,
    },
];

#[derive(Debug)]
pub struct Settings {
    list: List,
    trouble: Option<String>,
}

impl Settings {
    pub const fn new() -> Settings {
        Settings { list: List::ring(0), trouble: None }
    }

    pub fn key(&mut self, key: KeyEvent, context: &mut Context) -> Next {
        match key.code {
            KeyCode::Left | KeyCode::Char('h') => self.change(false, context),
            KeyCode::Right | KeyCode::Enter | KeyCode::Char(' ' | 'l') => {
                self.change(true, context)
            }
            KeyCode::Char('q') | KeyCode::Esc => return Next::Menu,
            code => drop(self.list.key(code, ROWS)),
        }
        Next::Stay
    }

    pub fn click(&mut self, row: usize, context: &mut Context) -> Next {
        self.list.click(row, ROWS);
        self.change(true, context);
        Next::Stay
    }

    /// Takes the next value of the chosen row, or the previous one.
    fn change(&mut self, forward: bool, context: &mut Context) {
        match self.switch() {
            Some(switch) => {
                let value = (switch.of)(&mut context.choices);
                *value = !*value;
            }
            None => {
                let choices = &mut context.choices;
                let (names, chosen) = match self.list.chosen {
                    0 => (Theme::ALL.map(Theme::name).to_vec(), &mut choices.theme),
                    _ => (super::block_names(), &mut choices.blocks),
                };
                let names: Vec<&str> = std::iter::once("").chain(names).collect();
                let at = names.iter().position(|own| own == chosen).unwrap_or(0);
                let step = if forward { 1 } else { names.len() - 1 };
                *chosen = names[(at + step) % names.len()].to_owned();
                context.look.choose(choices);
            }
        }
        self.trouble = context.remember().err();
    }

    /// The chosen switch; none for colours and characters, which come first.
    fn switch(&self) -> Option<&'static Switch> {
        SWITCHES.get(self.list.chosen.checked_sub(2)?)
    }

    /// The list on the left, a board in the chosen colours on the right.
    pub fn view(&self, context: &Context, frame: &mut Frame, hits: &Hits) {
        let look = &context.look;
        let area = frame.area();
        title(frame, look, "Settings", "");
        let width = 32.min(area.width - 4);
        let left = Rect::new(2, 2, width, ROWS as u16);
        let line = |(label, value): (&str, &str)| {
            let label = Span::styled(format!(" {label:<13}"), look.soft());
            Line::from(vec![label, Span::raw(value.to_owned())])
        };
        let mut choices = context.choices.clone();
        let named = |name: &str| if name.is_empty() { AUTO.into() } else { name.to_owned() };
        let mut rows = vec![
            line(("Colours", &named(&choices.theme))),
            line(("Boards", &named(&choices.blocks))),
        ];
        rows.extend(SWITCHES.iter().map(|switch| {
            line((switch.label, switch.values[usize::from(*(switch.of)(&mut choices))]))
        }));
        self.list.draw((rows.len(), |i| rows[i].clone()), look, left, frame, hits);
        let about = match (self.list.chosen, self.switch()) {
            (_, Some(switch)) => switch.about,
            (0, None) => {
                "for dark and light windows, or high contrast; or as the terminal's background suggests"
            }
            (_, None) => {
                "the characters that boards are drawn with: choose others if some look broken"
            }
        };
        let mut words = vec![(about.to_owned(), look.soft())];
        words.extend(self.trouble.iter().map(|trouble| (trouble.clone(), look.warning())));
        let top = left.bottom() + 1;
        let height = (area.height - 1).saturating_sub(top);
        paragraphs(frame, Rect::new(left.x + 1, top, width - 2, height), &words);
        let game = context.games.iter().find(|entry| entry.info.id == context.choices.game);
        let game = game.or(context.games.first());
        let sample = game.and_then(|entry| input::sample(entry, "intermediate").ok());
        if let Some(game) = sample {
            let room = Rect::new(left.right() + 1, 2, area.width - width - 4, area.height - 4);
            board::show(&game.diagram(), look, room, frame.buffer_mut(), hits);
        }
        let offers = [("↑ ↓", "choose"), ("← →", "change"), ("Esc", "back"), ("?", "help")];
        keys(frame, context, &offers, hits);
    }
}
