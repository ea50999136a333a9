//! Find the win: the puzzles of each game, from easy to hard.

use super::app::{Hits, Next, Shared};
use super::board;
use super::help;
use super::page::Page;
use super::view::{keys, list, title, wrapped};
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
    /// The selected puzzle.
    pub fn puzzle(&self) -> Option<&Puzzle> {
        self.puzzles.get(self.number)
    }

    /// The position of the puzzle.
    pub fn open(&self) -> Option<Box<dyn Session>> {
        (self.entry.from_text)(&self.puzzle()?.position, &Default::default()).ok()
    }

    /// The next puzzle that is not solved, starting over at the end.
    pub fn next_unsolved(&self, shared: &Shared) -> Series {
        let count = self.puzzles.len().max(1);
        let behind = (1..=count).map(|i| (self.number + i) % count);
        let open = behind.clone().find(|i| {
            self.puzzles.get(*i).is_some_and(|puzzle| !shared.choices.has_solved(puzzle))
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
    pub fn new(shared: &Shared) -> Puzzles {
        let series = |entry: &'static Entry| {
            let puzzles: Rc<[Puzzle]> = shipped(entry.info.id).into();
            let last = puzzles.len().saturating_sub(1);
            Series { entry, puzzles, number: last }.next_unsolved(shared)
        };
        let has_some = |series: &Series| !series.puzzles.is_empty();
        let games: Vec<Series> = GAMES.iter().map(series).filter(has_some).collect();
        let last = games.iter().position(|series| series.entry.info.id == shared.choices.game);
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

    pub fn key(&mut self, key: KeyEvent, shared: &Shared) -> Next {
        let games = self.games.len();
        let last = self.series().puzzles.len().saturating_sub(1);
        let number = &mut self.series().number;
        match key.code {
            KeyCode::Up | KeyCode::Char('k') => *number = number.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => *number = (*number + 1).min(last),
            KeyCode::PageUp => *number = number.saturating_sub(10),
            KeyCode::PageDown => *number = (*number + 10).min(last),
            KeyCode::Home => *number = 0,
            KeyCode::End => *number = last,
            KeyCode::Left | KeyCode::Char('h') => self.game = (self.game + games - 1) % games,
            KeyCode::Right | KeyCode::Char('l') | KeyCode::Tab => {
                self.game = (self.game + 1) % games;
            }
            KeyCode::Enter | KeyCode::Char(' ') => return self.enter(),
            KeyCode::Char('r') => {
                return Next::Page(Page::rules(self.series().entry, &shared.look));
            }
            KeyCode::Char('?') | KeyCode::F(1) => {
                return Next::Page(Page::new("Keys", help::lines(&shared.look)));
            }
            KeyCode::Char('q') | KeyCode::Esc => return Next::Menu,
            _ => {}
        }
        Next::Stay
    }

    /// A click on a row: the first selects it, the second opens it.
    pub fn click(&mut self, row: usize) -> Next {
        if self.series().number == row {
            return self.enter();
        }
        let last = self.series().puzzles.len().saturating_sub(1);
        self.series().number = row.min(last);
        Next::Stay
    }

    fn enter(&mut self) -> Next {
        Next::Puzzle(self.series().clone())
    }

    /// The list on the left, the position of the selected puzzle on the right.
    pub fn view(&self, shared: &Shared, frame: &mut Frame, hits: &Hits) {
        let look = &shared.look;
        let area = frame.area();
        let series = &self.games[self.game];
        let solved = series.puzzles.iter().filter(|p| shared.choices.has_solved(p)).count();
        let name = series.entry.info.name;
        let progress = format!("{solved} of {} solved", series.puzzles.len());
        title(frame, look, &format!("Find the win  {} {name}", look.sign("·", "-")), &progress);
        let wide = area.width >= 76;
        let left = Rect::new(2, 2, 24, area.height.saturating_sub(8));
        let row = |(i, puzzle): (usize, &Puzzle)| {
            let mark = if shared.choices.has_solved(puzzle) { look.sign("✓", "x") } else { " " };
            let words = format!(" {mark} {:>3}  win in {}  ", i + 1, puzzle.turns);
            let hard = difficulty(puzzle);
            let signs = look.sign("★", "*").repeat(hard) + &look.sign("·", ".").repeat(5 - hard);
            Line::from(vec![Span::raw(words), Span::styled(signs, look.soft())])
        };
        let rows: Vec<_> = series.puzzles.iter().enumerate().map(row).collect();
        list(frame, look, left, (&rows, series.number), hits);
        if let Some(game) = series.open().filter(|_| wide) {
            let room =
                Rect::new(left.right() + 2, 1, area.width - left.right() - 4, area.height - 2);
            board::show(&game.diagram(), look, room, frame.buffer_mut());
        }
        for (y, (line, warns)) in (left.bottom() + 1..area.height - 1).zip(self.words(series)) {
            let style = if warns { look.warning() } else { look.soft() };
            frame.buffer_mut().set_stringn(left.x, y, line, usize::from(left.width), style);
        }
        let row = Rect { y: area.height - 1, height: 1, ..area };
        let offers = [
            ("↑ ↓", "choose"),
            ("← →", "game"),
            ("Enter", "try it"),
            ("Esc", "back"),
            ("?", "help"),
        ];
        keys(frame, look, row, &offers, hits);
    }

    fn words(&self, series: &Series) -> Vec<(String, bool)> {
        let words = match (series.puzzle(), series.open()) {
            (Some(puzzle), Some(game)) => task_words(puzzle, game.as_ref()),
            (None, _) => return vec![("no puzzles of this game".into(), true)],
            (_, None) => return vec![("this puzzle cannot be read".into(), true)],
        };
        wrapped(&words, 24).into_iter().map(|line| (line, false)).collect()
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
    let player = game.info().players[game.turn().index()];
    let turns = match puzzle.turns {
        1 => "this turn".to_owned(),
        turns => format!("{turns} turns"),
    };
    format!("{player} to move and win in {turns}. Only one turn does it.")
}
