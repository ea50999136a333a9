//! Drawing a game: the board, the panel beside it, what to do next, and the keys.

use super::panel::capital;
use super::{Play, SPEEDS};
use crate::columns;
use crate::tui::app::{Hits, Shared};
use crate::tui::board;
use crate::tui::look::Look;
use crate::tui::view::{cut, keys, title};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use rules::Player;
use rules::text::Canvas;

/// The least and the most columns of the panel beside the board.
const PANEL: (u16, u16) = (28, 46);

impl Play {
    pub fn view(&self, shared: &Shared, frame: &mut Frame, hits: &Hits) {
        let look = &shared.look;
        let area = frame.area();
        let diagram = self.drawn(shared);
        let end = match self.review {
            Some(turns) => format!("after {turns} of {} turns", self.table.game.turns_played()),
            None => format!("round {}", self.table.round()),
        };
        let room = Rect::new(1, 1, area.width - 2, area.height - 3);
        let beside = room.width.saturating_sub(PANEL.0 + 1);
        let draw =
            |width: u16| board::drawing(&diagram, look, self.shown.flipped, (width, room.height));
        let fits = |drawn: &Canvas, width: u16| {
            drawn.width() <= usize::from(width) && drawn.height() <= usize::from(room.height)
        };
        let drawn = draw(beside);
        let has_panel = fits(&drawn, beside);
        let drawn = if has_panel { drawn } else { draw(room.width) };
        let panel = match has_panel {
            true => (room.width - drawn.width() as u16).saturating_sub(1).clamp(PANEL.0, PANEL.1),
            false if self.shown.panel => room.width,
            false => 0,
        };
        let name = self.table.entry.info.name;
        if has_panel {
            title(frame, look, &format!("{name}  {}", self.wordmark(look)), &end);
        } else {
            title(frame, look, name, &self.players_in_line(shared, look));
        }
        let board = Rect { width: room.width - panel, ..room };
        let cursor = (self.shown.has_cursor
            && self.review.is_none()
            && self.picker.choices().is_empty()
            && self.table.person().is_some())
        .then_some(self.shown.cursor.cell);
        let is_covered = panel == room.width;
        let place = match is_covered {
            true => None,
            false => board::put(&drawn, look, cursor, board, frame.buffer_mut(), Some(hits)),
        };
        if panel > 0 {
            let side = Rect { x: board.right(), width: panel, ..room };
            self.view_panel(&diagram, shared, frame, side, hits);
        }
        self.view_prompt(panel > 0, &diagram.status, look, frame);
        let row = Rect { y: area.height - 1, height: 1, ..area };
        let mut offers = self.offers();
        if !has_panel && self.typing.is_none() && self.naming.is_none() {
            offers.insert(0, ("v", if is_covered { "board" } else { "panel" }));
        }
        keys(frame, look, row, &offers, hits);
        if let Some(place) = place.filter(|_| self.typing.is_none()) {
            frame.set_cursor_position(place);
        }
        if let Some(dialog) = &self.dialog {
            self.view_dialog(dialog, shared, frame, hits);
        }
    }

    /// Both players with their clocks, where there is no panel to show them.
    fn players_in_line(&self, shared: &Shared, look: &Look) -> String {
        let [one, two] = Player::BOTH.map(|player| {
            let to_move = self.table.mover() == Some(player);
            let arrow = if to_move { look.sign("▸", ">") } else { "" };
            let time = self.time(player, shared.now).map_or_else(String::new, |t| format!(" {t}"));
            format!("{arrow}{}{time}", cut(&self.table.name(player), 14, look))
        });
        let at = match self.review {
            Some(turns) => format!("after {turns}"),
            None => format!("round {}", self.table.round()),
        };
        format!("{one}   {two}   {at}")
    }

    /// Who plays against whom, in a few words.
    fn wordmark(&self, look: &Look) -> String {
        if let Some(task) = &self.task {
            let (number, count) = (task.series.number + 1, task.series.puzzles.len());
            return format!("{} find the win, {number} of {count}", look.sign("·", "-"));
        }
        if let Some(words) = self.line_words() {
            return format!("{} {words}", look.sign("·", "-"));
        }
        let state = match (self.table.is_unattended(), self.rests, self.waits) {
            (true, _, true) => "waits for a key before each turn".into(),
            (true, true, _) => "rests".into(),
            (true, ..) if SPEEDS[self.speed] == 0 => "as fast as it goes".into(),
            (true, ..) => format!("{} s a turn", SPEEDS[self.speed] as f64 / 1000.0),
            _ => return String::new(),
        };
        format!("{} {state}", look.sign("·", "-"))
    }

    /// The row above the keys: a typed move, a note, or what to do next.
    fn view_prompt(&self, has_panel: bool, status: &str, look: &Look, frame: &mut Frame) {
        let area = frame.area();
        let row = Rect::new(2, area.height - 2, area.width - 4, 1);
        let width = usize::from(row.width);
        let line = if let Some(name) = &self.naming {
            self.view_naming(name, row, look, frame)
        } else if let Some(typing) = &self.typing {
            self.view_typing(&typing.text, row, look, frame)
        } else if let Some(note) = &self.note {
            let style = if note.is_warning { look.warning() } else { look.strong() };
            Line::styled(cut(&note.text, width, look), style)
        } else if !has_panel && !self.picker.choices().is_empty() {
            self.choices_in_line(look)
        } else if let Some((words, warns)) = self.task_prompt().or_else(|| self.retry_prompt()) {
            let style = if warns { look.warning() } else { look.accent() };
            Line::styled(cut(&words, width, look), style)
        } else if has_panel {
            Line::styled(cut(&self.prompt(), width, look), look.soft())
        } else {
            Line::raw(cut(status, width, look))
        };
        frame.render_widget(line, row);
    }

    /// The choices that no cell stands for, where there is no panel to show them.
    fn choices_in_line(&self, look: &Look) -> Line<'static> {
        let choices = self.picker.choices();
        let stage = choices.first().map_or("", |tap| tap.stage);
        let mut spans = vec![Span::styled(format!("{}? ", capital(stage)), look.soft())];
        // The highlighted one is always among those that fit.
        let first = self.picker.highlight.saturating_sub(2);
        for (i, tap) in choices.iter().enumerate().skip(first) {
            let style = if i == self.picker.highlight { look.chosen() } else { look.strong() };
            spans.push(Span::styled(format!(" {} {} ", i + 1, tap.label), style));
        }
        Line::from(spans)
    }

    fn view_naming(&self, name: &str, row: Rect, look: &Look, frame: &mut Frame) -> Line<'static> {
        let start = "save as: ";
        let room = usize::from(row.width).saturating_sub(start.len() + 2);
        // The end of a long name is where one types.
        let shown: String = name.chars().skip(name.chars().count().saturating_sub(room)).collect();
        let column = row.x + (start.len() + columns::width(&shown)) as u16;
        if column < row.right() {
            frame.set_cursor_position((column, row.y));
        }
        let note = self.note.as_ref().map_or(String::new(), |note| format!("  {}", note.text));
        let rest = room.saturating_sub(columns::width(&shown));
        Line::from(vec![
            Span::styled(start, look.accent()),
            Span::styled(shown, look.strong()),
            Span::styled(cut(&note, rest, look), look.warning()),
        ])
    }

    fn view_typing(&self, text: &str, row: Rect, look: &Look, frame: &mut Frame) -> Line<'static> {
        let start = "move: ";
        let column = row.x + (start.len() + columns::width(text)) as u16;
        if column < row.right() {
            frame.set_cursor_position((column, row.y));
        }
        let game = self.table.game.as_ref();
        let matches = self.typing.as_ref().map_or_else(Vec::new, |typing| typing.matches(game));
        let room = usize::from(row.width).saturating_sub(start.len() + columns::width(text) + 4);
        let (words, style) = match (&self.note, &matches[..]) {
            (Some(note), _) => (note.text.clone(), look.warning()),
            (None, []) => ("no legal move begins like this".into(), look.warning()),
            (None, [only]) if only.eq_ignore_ascii_case(text.trim()) => {
                ("Enter plays it".to_owned(), look.accent())
            }
            (None, several) => (several.join(" "), look.soft()),
        };
        Line::from(vec![
            Span::styled(start, look.accent()),
            Span::styled(text.to_owned(), look.strong()),
            Span::raw("    "),
            Span::styled(cut(&words, room, look), style),
        ])
    }

    /// What to do next, in a sentence.
    fn prompt(&self) -> String {
        if self.review.is_some() {
            return "an earlier position: Esc returns to the present one".into();
        }
        if self.table.result().is_some() {
            return "the game is over: look back with the arrows, or play another".into();
        }
        let Some(stage) = self.picker.stage() else { return String::new() };
        let stage = capital(stage);
        let back = match self.picker.is_idle() && !self.table.game.in_turn() {
            true => "",
            false => "; Esc goes back",
        };
        if !self.picker.choices().is_empty() {
            return format!("{stage}? Arrows and Enter, a number, or a click{back}");
        }
        if !self.picker.is_idle() {
            return format!("{stage}? Choose among the marked cells{back}");
        }
        let diagram = self.table.game.diagram();
        let holds = |cell: &usize| diagram.cells.get(*cell).is_some_and(|c| c.piece.is_some());
        let targets = self.picker.targets();
        let mixed = targets.iter().any(holds) && !targets.iter().all(holds);
        let is_piece = !["cell", "new piece"].iter().any(|own| stage.eq_ignore_ascii_case(own));
        let stage = match targets.iter().any(holds) {
            _ if mixed => format!("{stage}, or an empty cell"),
            // A piece to move is asked for only where there is one.
            false if is_piece => "Empty cell".into(),
            _ => stage,
        };
        let example = self.table.game.steps().into_iter().next().map(|step| step.text);
        let example = example.unwrap_or_default();
        format!("{stage}? Click, or arrows and Enter, or type, as in {example}{back}")
    }

    /// The keys that matter now.
    fn offers(&self) -> Vec<(&'static str, &'static str)> {
        if self.naming.is_some() {
            return vec![("Enter", "save"), ("Esc", "do not save")];
        }
        if self.typing.is_some() {
            return vec![("Enter", "play"), ("Tab", "complete"), ("Esc", "leave the line")];
        }
        let hint = if self.shown.vi { ("H", "hint") } else { ("h", "hint") };
        if self.task.is_some() {
            return vec![
                hint,
                ("u", "undo"),
                ("n", "next puzzle"),
                ("f", "flip"),
                ("a", "analysis"),
                ("p", "menu"),
                ("?", "help"),
            ];
        }
        if self.table.result().is_some() {
            return vec![
                ("← →", "look back"),
                ("m", "go over it"),
                ("n", "rematch"),
                ("N", "swap sides"),
                ("o", "go on from here"),
                ("s", "save"),
                ("u", "undo"),
                ("p", "menu"),
                ("?", "help"),
            ];
        }
        if self.table.is_unattended() {
            let rest = if self.rests { ("space", "go on") } else { ("space", "rest") };
            return vec![
                if self.waits { ("space", "next turn") } else { rest },
                ("n", "one turn"),
                ("+", "faster"),
                ("-", "slower"),
                ("w", "wait for keys"),
                ("a", "analysis"),
                ("p", "menu"),
                ("?", "help"),
            ];
        }
        let common = [("p", "menu"), ("?", "help")];
        let mut offers = match self.thinking {
            Some(_) => vec![("space", "stop thinking"), ("u", "undo"), ("f", "flip")],
            None => vec![hint, ("u", "undo"), ("f", "flip"), ("e", "engine")],
        };
        offers.extend([("a", "analysis"), ("s", "save")]);
        offers.extend(common);
        offers
    }
}
