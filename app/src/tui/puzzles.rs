//! Find the win: the puzzles of each game, from easy to hard.

use super::app::{Context, Hits, Next};
use super::board;
use super::list::List;
use super::page::Page;
use super::view::{keys, paragraphs, title};
use engine::puzzles::{Puzzle, shipped};
use engine::{Entry, GAMES, Session};
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use std::rc::Rc;

/// The puzzles of one game, one of which is selected.
#[derive(Clone)]
pub struct Series {
    pub entry: &'static Entry,
    /// From easy to hard.
    pub puzzles: Rc<[Puzzle]>,
    /// The selected one, from 0.
    pub number: usize,
}

impl Series {
    pub fn puzzle(&self) -> Option<&Puzzle> {
        self.puzzles.get(self.number)
    }

    fn list(&self) -> List {
        List::long(self.number)
    }

    pub fn open(&self) -> Option<Box<dyn Session>> {
        (self.entry.from_text)(&self.puzzle()?.position, &Default::default()).ok()
    }

    /// The next puzzle that is not solved, starting over at the end.
    pub fn next_unsolved(&self, context: &Context) -> Series {
        let count = self.puzzles.len().max(1);
        let behind = (1..=count).map(|i| (self.number + i) % count);
        let open = behind.clone().find(|i| {
            self.puzzles.get(*i).is_some_and(|puzzle| !context.choices.has_solved(puzzle))
        });
        let number = open.or(behind.into_iter().next()).unwrap_or(0);
        Series { number, ..self.clone() }
    }
}

/// How many puzzles come with the program.
pub fn count() -> usize {
    GAMES.iter().map(|entry| shipped(entry.info.id).len()).sum()
}

/// The list of puzzles, one game at a time.
pub struct Puzzles {
    games: Vec<Series>,
    game: usize,
}

impl Puzzles {
    /// The puzzles of the games that have some, at the last game and its first puzzle that is not solved.
    pub fn new(context: &Context) -> Puzzles {
        let series = |entry: &'static Entry| {
            let puzzles: Rc<[Puzzle]> = shipped(entry.info.id).into();
            let last = puzzles.len().saturating_sub(1);
            Series { entry, puzzles, number: last }.next_unsolved(context)
        };
        let has_some = |series: &Series| !series.puzzles.is_empty();
        let games: Vec<Series> = GAMES.iter().map(series).filter(has_some).collect();
        let last = games.iter().position(|series| series.entry.info.id == context.choices.game);
        Puzzles { games, game: last.unwrap_or(0) }
    }

    /// These puzzles, by game; there must be some.
    pub fn of(puzzles: &[Puzzle]) -> Puzzles {
        let series = |entry: &'static Entry| {
            let own = puzzles.iter().filter(|puzzle| puzzle.game == entry.info.id);
            Series { entry, puzzles: own.cloned().collect(), number: 0 }
        };
        let has_some = |series: &Series| !series.puzzles.is_empty();
        Puzzles { games: GAMES.iter().map(series).filter(has_some).collect(), game: 0 }
    }

    /// The list with this puzzle selected.
    #[must_use]
    pub fn at(mut self, series: &Series) -> Puzzles {
        let same = |own: &Series| own.entry.info.id == series.entry.info.id;
        if let Some(game) = self.games.iter().position(same) {
            self.game = game;
            self.games[game].number = series.number;
        }
        self
    }

    fn series(&mut self) -> &mut Series {
        &mut self.games[self.game]
    }

    pub fn key(&mut self, key: KeyEvent, context: &Context) -> Next {
        let games = self.games.len();
        match key.code {
            KeyCode::Left | KeyCode::Char('h') => self.game = (self.game + games - 1) % games,
            KeyCode::Right | KeyCode::Char('l') | KeyCode::Tab => {
                self.game = (self.game + 1) % games;
            }
            KeyCode::Enter | KeyCode::Char(' ') => return self.enter(),
            KeyCode::Char('r') => {
                return Next::Page(Page::rules(self.series().entry, &context.look));
            }
            KeyCode::Char('q') | KeyCode::Esc => return Next::Menu,
            code => {
                let series = self.series();
                let mut list = series.list();
                list.key(code, series.puzzles.len());
                series.number = list.chosen;
            }
        }
        Next::Stay
    }

    /// A click on a row: the first selects it, the second opens it.
    pub fn click(&mut self, row: usize) -> Next {
        let series = self.series();
        let mut list = series.list();
        let was_chosen = list.click(row, series.puzzles.len());
        series.number = list.chosen;
        if was_chosen { self.enter() } else { Next::Stay }
    }

    fn enter(&mut self) -> Next {
        Next::Puzzle(self.series().clone())
    }

    /// The list on the left, the position of the selected puzzle on the right.
    pub fn view(&self, context: &Context, frame: &mut Frame, hits: &Hits) {
        let look = &context.look;
        let area = frame.area();
        let series = &self.games[self.game];
        let solved = series.puzzles.iter().filter(|p| context.choices.has_solved(p)).count();
        let name = series.entry.info.name;
        let progress = format!("{solved} of {} solved", series.puzzles.len());
        title(frame, look, &format!("Find the win  {} {name}", look.sign("·", "-")), &progress);
        let wide = area.width >= 76;
        let left = Rect::new(2, 2, 24, area.height.saturating_sub(8));
        let row = |i: usize| {
            let puzzle = &series.puzzles[i];
            let mark = if context.choices.has_solved(puzzle) { look.sign("✓", "x") } else { " " };
            let words = format!(" {mark} {:>3}  win in {}  ", i + 1, puzzle.turns);
            let hard = difficulty(puzzle);
            let signs = look.sign("★", "*").repeat(hard) + &look.sign("·", ".").repeat(5 - hard);
            Line::from(vec![Span::raw(words), Span::styled(signs, look.soft())])
        };
        series.list().draw((series.puzzles.len(), row), look, left, frame, hits);
        if let Some(game) = series.open().filter(|_| wide) {
            let room =
                Rect::new(left.right() + 2, 1, area.width - left.right() - 4, area.height - 2);
            board::show(&game.diagram(), look, room, frame.buffer_mut(), hits);
        }
        let words = match (series.puzzle(), series.open()) {
            (Some(puzzle), Some(game)) => (task_words(puzzle, game.as_ref()), look.soft()),
            (None, _) => ("no puzzles of this game".into(), look.warning()),
            (_, None) => ("this puzzle cannot be read".into(), look.warning()),
        };
        let top = left.bottom() + 1;
        let below = Rect { y: top, height: (area.height - 1).saturating_sub(top), ..left };
        paragraphs(frame, below, &[words]);
        let offers = [
            ("↑ ↓", "choose"),
            ("← →", "game"),
            ("Enter", "try it"),
            ("Esc", "back"),
            ("?", "help"),
        ];
        keys(frame, context, &offers, hits);
    }
}

/// How hard a puzzle is, from 1 to 5, by what the engine had to look at.
fn difficulty(puzzle: &Puzzle) -> usize {
    match puzzle.rating {
        0..100 => 1,
        100..1_000 => 2,
        1_000..10_000 => 3,
        10_000..100_000 => 4,
        _ => 5,
    }
}

/// The task: "Red to move and win in 3 turns."
pub fn task_words(puzzle: &Puzzle, game: &dyn Session) -> String {
    let player = game.info().players[game.turn()];
    let turns = match puzzle.turns {
        1 => "this turn".to_owned(),
        turns => format!("{turns} turns"),
    };
    format!("{player} to move and win in {turns}. Only one turn does it.")
}
