//! Drawing a game: the board, the panel beside it, what to do next, and the keys.

use super::panel::capital;
use super::typing::MoveField;
use super::{BoardScreen, SPEEDS, Typing};
use crate::output::columns;
use crate::tui::app::{Context, Hit, Hits};
use crate::tui::board;
use crate::tui::field::Field;
use crate::tui::look::Look;
use crate::tui::view::{cut, keys, title};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use rules::Player;

/// The minimum and maximum width of the panel beside the board.
const PANEL: (u16, u16) = (28, 46);

impl BoardScreen {
    pub fn view(&self, context: &Context, frame: &mut Frame, hits: &Hits) {
        let look = &context.look;
        let area = frame.area();
        let diagram = self.drawn(context);
        let end = match self.review() {
            Some(turns) => format!("after {turns} of {} turns", self.sitting.board.turns_played()),
            None => format!("round {}", self.sitting.round()),
        };
        let room = Rect::new(1, 1, area.width - 2, area.height - 3);
        let (drawn, has_panel) =
            board::beside(&diagram, look, self.shown.flipped, room, PANEL.0 + 1);
        let panel = match has_panel {
            true => (room.width - drawn.width() as u16).saturating_sub(1).clamp(PANEL.0, PANEL.1),
            false if self.shown.panel => room.width,
            false => 0,
        };
        let name = self.sitting.entry.info.name;
        if has_panel {
            title(frame, look, &format!("{name}  {}", self.wordmark(look)), &end);
        } else {
            title(frame, look, name, &self.players_in_line(context, look));
        }
        let board = Rect { width: room.width - panel, ..room };
        let cursor = (self.shown.has_cursor
            && self.past.is_none()
            && self.picker.choices().is_empty()
            && self.sitting.person().is_some())
        .then_some(self.shown.cursor.cell);
        let is_covered = panel == room.width;
        let place = match is_covered {
            true => None,
            false => board::put(&drawn, look, cursor, board, frame.buffer_mut(), Some(hits)),
        };
        if panel > 0 {
            let side = Rect { x: board.right(), width: panel, ..room };
            self.view_panel(&diagram, context, frame, side, hits);
        }
        self.view_prompt(panel > 0, &diagram.status, look, frame, hits);
        let mut offers = self.offers();
        let is_typing = matches!(self.typing, Typing::Move(_));
        if !has_panel && !is_typing && !matches!(self.typing, Typing::Name(_)) {
            offers.insert(0, ("v", if is_covered { "board" } else { "panel" }));
        }
        keys(frame, look, &offers, hits);
        if let Some(place) = place.filter(|_| !is_typing) {
            frame.set_cursor_position(place);
        }
        if let Some(dialog) = &self.dialog {
            self.view_dialog(dialog, context, frame, hits);
        }
    }

    /// Both players with their clocks, where there is no panel to show them.
    fn players_in_line(&self, context: &Context, look: &Look) -> String {
        let [one, two] = Player::BOTH.map(|player| {
            let to_move = self.sitting.mover() == Some(player);
            let arrow = if to_move { look.sign("▸", ">") } else { "" };
            let time = self.time(player, context.now).map_or_else(String::new, |t| format!(" {t}"));
            format!("{arrow}{}{time}", cut(self.sitting.name(player), 14, look))
        });
        let at = match self.review() {
            Some(turns) => format!("after {turns}"),
            None => format!("round {}", self.sitting.round()),
        };
        format!("{one}   {two}   {at}")
    }

    /// Who plays against whom, in a few words.
    fn wordmark(&self, look: &Look) -> String {
        if let Some(task) = self.mode.task() {
            let (number, count) = (task.series.number + 1, task.series.puzzles.len());
            return format!("{} find the win, {number} of {count}", look.sign("·", "-"));
        }
        if self.is_exploring() {
            let here = match self.variations_here() {
                ..2 => String::new(),
                count => format!(", {count} of them here"),
            };
            return format!("{} variations{here}", look.sign("·", "-"));
        }
        if let Some(words) = self.connection_words() {
            return format!("{} {words}", look.sign("·", "-"));
        }
        let state = match (self.sitting.is_unattended(), self.pace.rests, self.pace.waits) {
            (true, _, true) => "waits for a key before each turn".into(),
            (true, true, _) => "rests".into(),
            (true, ..) if SPEEDS[self.pace.speed] == 0 => "as fast as it goes".into(),
            (true, ..) => format!("{} s a turn", SPEEDS[self.pace.speed] as f64 / 1000.0),
            _ => return String::new(),
        };
        format!("{} {state}", look.sign("·", "-"))
    }

    /// The row above the keys: a typed move, a note, or what to do next.
    fn view_prompt(
        &self,
        has_panel: bool,
        status: &str,
        look: &Look,
        frame: &mut Frame,
        hits: &Hits,
    ) {
        let area = frame.area();
        let row = Rect::new(2, area.height - 2, area.width - 4, 1);
        let width = usize::from(row.width);
        let line = if let Typing::Name(name) = &self.typing {
            let note = self.note.as_ref().map_or(String::new(), |note| note.text.clone());
            Self::view_field(("save as: ", name), (note, look.warning()), row, look, frame)
        } else if let Typing::Move(typing) = &self.typing {
            let words = self.typing_words(typing, look);
            Self::view_field(("move: ", &typing.0), words, row, look, frame)
        } else if let Some(note) = &self.note {
            let style = if note.is_warning { look.warning() } else { look.strong() };
            Line::styled(cut(&note.text, width, look), style)
        } else if !has_panel && !self.picker.choices().is_empty() {
            self.choices_in_line(look, row, hits)
        } else if let Some((words, warns)) = self.task_prompt().or_else(|| self.retry_prompt()) {
            let style = if warns { look.warning() } else { look.accent() };
            // Where two sentences do not fit, the first one does.
            let fits = columns::width(&words) <= width;
            let first = words.find(". ").filter(|_| !fits).and_then(|end| words.get(..=end));
            Line::styled(cut(first.unwrap_or(&words), width, look), style)
        } else if has_panel {
            Line::styled(cut(&self.prompt(), width, look), look.soft())
        } else {
            let words = self.opinion(look).unwrap_or_else(|| status.to_owned());
            Line::raw(cut(&words, width, look))
        };
        frame.render_widget(line, row);
    }

    /// The choices without a cell, as a clickable line for windows too small for the panel.
    fn choices_in_line(&self, look: &Look, row: Rect, hits: &Hits) -> Line<'static> {
        let choices = self.picker.choices();
        let stage = choices.first().map_or("", |tap| tap.stage);
        let mut spans = vec![Span::styled(format!("{}? ", capital(stage)), look.soft())];
        let mut x = row.x + spans[0].width() as u16;
        // The highlighted one is always among those that fit.
        let first = self.picker.highlight.saturating_sub(2);
        for (i, tap) in choices.iter().enumerate().skip(first) {
            let style = if i == self.picker.highlight { look.chosen() } else { look.strong() };
            let span = Span::styled(format!(" {} {} ", i + 1, tap.label), style);
            let width = span.width() as u16;
            hits.add(Rect::new(x, row.y, width, 1).intersection(row), Hit::Choice(i));
            x += width;
            spans.push(span);
        }
        Line::from(spans)
    }

    /// A line that is being typed, with the cursor in it and words behind it.
    fn view_field(
        (start, field): (&'static str, &Field),
        (words, style): (String, Style),
        row: Rect,
        look: &Look,
        frame: &mut Frame,
    ) -> Line<'static> {
        let (text, column) = field.shown(usize::from(row.width).saturating_sub(start.len()));
        let column = row.x + (start.len() + column) as u16;
        if column < row.right() {
            frame.set_cursor_position((column, row.y));
        }
        let room = usize::from(row.width).saturating_sub(start.len() + columns::width(text) + 4);
        Line::from(vec![
            Span::styled(start, look.accent()),
            Span::styled(text.to_owned(), look.strong()),
            Span::raw("    "),
            Span::styled(cut(&words, room, look), style),
        ])
    }

    /// The message about the move being typed.
    fn typing_words(&self, typing: &MoveField, look: &Look) -> (String, Style) {
        let matches = typing.matches(self.sitting.board.as_ref());
        match (&self.note, &matches[..]) {
            (Some(note), _) => (note.text.clone(), look.warning()),
            (None, []) => ("no legal move begins like this".into(), look.warning()),
            (None, [only]) if only.eq_ignore_ascii_case(typing.0.text().trim()) => {
                ("Enter plays it".to_owned(), look.accent())
            }
            (None, several) => (several.join(" "), look.soft()),
        }
    }

    /// What to do next, in a sentence.
    fn prompt(&self) -> String {
        if self.past.is_some() {
            return "an earlier position: Esc returns to the present one".into();
        }
        if self.sitting.result().is_some() {
            return match self.is_exploring() {
                true => "the game is over here: go back, and try something else".into(),
                false => "the game is over: look back with the arrows, or play another".into(),
            };
        }
        let Some(stage) = self.picker.stage() else { return String::new() };
        let stage = capital(stage);
        let back = match self.picker.is_idle() && !self.sitting.board.in_turn() {
            true => "",
            false => "; Esc goes back",
        };
        if !self.picker.choices().is_empty() {
            return format!("{stage}? Arrows and Enter, a number, or a click{back}");
        }
        if !self.picker.is_idle() {
            return format!("{stage}? Choose among the marked cells{back}");
        }
        let diagram = self.sitting.board.diagram();
        let holds = |cell: &usize| diagram.cells.get(*cell).is_some_and(|c| c.piece.is_some());
        let targets = self.picker.targets();
        let mixed = targets.iter().any(holds) && !targets.iter().all(holds);
        let is_piece = !["cell", "new piece"].iter().any(|own| stage.eq_ignore_ascii_case(own));
        let stage = match targets.iter().any(holds) {
            _ if mixed => format!("{stage}, or an empty cell"),
            // Nobody is asked for a piece to move where there is none.
            false if is_piece => "Empty cell".into(),
            _ => stage,
        };
        let example = self.sitting.board.steps().into_iter().next().map(|step| step.text);
        let example = example.unwrap_or_default();
        format!("{stage}? Click, or arrows and Enter, or type, as in {example}{back}")
    }

    /// The keys in the last row.
    fn offers(&self) -> Vec<(&'static str, &'static str)> {
        match self.typing {
            Typing::Name(_) => return vec![("Enter", "save"), ("Esc", "do not save")],
            Typing::Move(_) => {
                return vec![("Enter", "play"), ("Tab", "complete"), ("Esc", "leave the line")];
            }
            Typing::Letter(..) | Typing::Nothing => {}
        }
        let hint = if self.shown.vi { ("H", "hint") } else { ("h", "hint") };
        let analysis = ("a", "analysis");
        let mut offers = if self.mode.task().is_some() {
            vec![hint, ("u", "undo"), ("n", "next puzzle"), ("f", "flip"), analysis]
        } else if self.is_exploring() {
            vec![
                ("[", "back"),
                ("]", "ahead"),
                ("}", "other variation"),
                analysis,
                (">", "into its line"),
                ("x", "cut off"),
                ("^", "main line"),
                ("s", "save"),
            ]
        } else if self.sitting.result().is_some() {
            vec![
                ("← →", "look back"),
                ("m", "go over it"),
                ("n", "rematch"),
                ("N", "swap sides"),
                ("o", "go on from here"),
                ("s", "save"),
                ("u", "undo"),
            ]
        } else if self.sitting.is_unattended() {
            let rest = if self.pace.rests { ("space", "go on") } else { ("space", "rest") };
            vec![
                if self.pace.waits { ("space", "next turn") } else { rest },
                ("n", "one turn"),
                ("+", "faster"),
                ("-", "slower"),
                ("w", "wait for keys"),
                analysis,
            ]
        } else if self.thinking.is_some() {
            vec![("space", "stop thinking"), ("u", "undo"), ("f", "flip"), analysis, ("s", "save")]
        } else {
            vec![hint, ("u", "undo"), ("f", "flip"), ("e", "engine"), analysis, ("s", "save")]
        };
        offers.push(if self.is_exploring() { ("Esc", "leave") } else { ("p", "menu") });
        offers.push(("?", "help"));
        offers
    }
}
