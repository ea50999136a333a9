//! The rules of each game as lessons, one turn each.

use super::app::{Context, Hits, Next};
use super::board;
use super::list::List;
use super::page::Page;
use super::view::{keys, paragraphs, title};
use engine::{Entry, GAMES, Session};
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use rules::lesson::Lesson;

/// A lesson of a game, by its number from 0.
#[derive(Clone, Copy)]
pub struct Pupil {
    pub entry: &'static Entry,
    pub number: usize,
}

impl Pupil {
    pub fn lesson(&self) -> Option<&'static Lesson> {
        self.entry.info.lessons.get(self.number)
    }

    /// The lesson that follows.
    pub fn next(self) -> Option<Pupil> {
        let next = Pupil { number: self.number + 1, ..self };
        next.lesson().map(|_| next)
    }

    pub fn open(&self) -> Option<Box<dyn Session>> {
        (self.entry.from_text)(self.lesson()?.position, &Default::default()).ok()
    }
}

/// How many lessons there are.
pub fn count() -> usize {
    GAMES.iter().map(|entry| entry.info.lessons.len()).sum()
}

/// The list of lessons, one game at a time.
pub struct Lessons {
    games: Vec<&'static Entry>,
    game: usize,
    list: List,
}

impl Lessons {
    /// The lessons of all games that have some, at one of them or at the last game that was played.
    pub fn new(context: &Context, at: Option<Pupil>) -> Lessons {
        let games: Vec<_> = GAMES.iter().filter(|entry| !entry.info.lessons.is_empty()).collect();
        let id = at.map_or(context.choices.game.as_str(), |at| at.entry.info.id);
        let game = games.iter().position(|entry| entry.info.id == id).unwrap_or(0);
        Lessons { games, game, list: List::long(at.map_or(0, |at| at.number)) }
    }

    fn pupil(&self) -> Option<Pupil> {
        Some(Pupil { entry: self.games.get(self.game)?, number: self.list.chosen })
    }

    fn lessons(&self) -> &'static [Lesson] {
        self.games.get(self.game).map_or(&[], |entry| entry.info.lessons)
    }

    pub fn key(&mut self, key: KeyEvent, context: &Context) -> Next {
        let games = self.games.len().max(1);
        match key.code {
            KeyCode::Left | KeyCode::Char('h') => self.go((self.game + games - 1) % games),
            KeyCode::Right | KeyCode::Char('l') | KeyCode::Tab => self.go((self.game + 1) % games),
            KeyCode::Enter | KeyCode::Char(' ') => return self.enter(),
            KeyCode::Char('r') => {
                return match self.pupil() {
                    Some(pupil) => Next::Page(Page::rules(pupil.entry, &context.look)),
                    None => Next::Stay,
                };
            }
            KeyCode::Char('q') | KeyCode::Esc => return Next::Menu,
            code => drop(self.list.key(code, self.lessons().len())),
        }
        Next::Stay
    }

    fn go(&mut self, game: usize) {
        (self.game, self.list.chosen) = (game, 0);
    }

    /// A click on a row: the first selects it, the second opens it.
    pub fn click(&mut self, row: usize) -> Next {
        match self.list.click(row, self.lessons().len()) {
            true => self.enter(),
            false => Next::Stay,
        }
    }

    fn enter(&self) -> Next {
        self.pupil().map_or(Next::Stay, Next::Lesson)
    }

    /// The list on the left, the position of the selected lesson on the right.
    pub fn view(&self, context: &Context, frame: &mut Frame, hits: &Hits) {
        let look = &context.look;
        let area = frame.area();
        let (Some(pupil), lessons) = (self.pupil(), self.lessons()) else { return };
        let name = pupil.entry.info.name;
        let count = format!("{} lessons", lessons.len());
        title(frame, look, &format!("Lessons  {} {name}", look.sign("·", "-")), &count);
        let wide = area.width >= 76;
        let left = Rect::new(2, 2, 30, (lessons.len() as u16).min(area.height.saturating_sub(8)));
        let row = |i: usize| {
            let number = Span::styled(format!(" {:>2}  ", i + 1), look.soft());
            Line::from(vec![number, Span::raw(lessons[i].title)])
        };
        self.list.draw((lessons.len(), row), look, left, frame, hits);
        if let Some(game) = pupil.open().filter(|_| wide) {
            let room =
                Rect::new(left.right() + 1, 1, area.width - left.right() - 3, area.height - 2);
            board::show(&game.diagram(), look, room, frame.buffer_mut(), hits);
        }
        let task = pupil.lesson().map_or("", |lesson| lesson.task);
        let top = left.bottom() + 1;
        let below = Rect { y: top, height: (area.height - 1).saturating_sub(top), ..left };
        paragraphs(frame, below, &[(task.to_owned(), look.soft())]);
        let offers = [
            ("↑ ↓", "choose"),
            ("← →", "game"),
            ("Enter", "try it"),
            ("r", "rules"),
            ("Esc", "back"),
            ("?", "help"),
        ];
        keys(frame, context, &offers, hits);
    }
}
