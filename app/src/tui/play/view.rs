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
use rules::diagram::Diagram;

/// The minimum and maximum width of the panel beside the board.
const PANEL: (u16, u16) = (28, 46);
/// The most rows of the moves that fit what is typed: there may be hundreds.
const TYPED: u16 = 4;

impl BoardScreen {
    pub fn view(&self, context: &Context, frame: &mut Frame, hits: &Hits) {
        let diagram = self.drawn(context);
        let area = frame.area();
        // Beside a panel, which has the words, the board has all rows but that of the keys.
        let room = Rect::new(1, 0, area.width - 2, area.height - 1);
        let beside = (room.width.saturating_sub(PANEL.0 + 1), room.height);
        match board::fitting(&diagram, &context.look, self.shown.flipped, beside) {
            Some(drawn) => self.view_beside(&diagram, &drawn, room, context, frame, hits),
            None => self.view_by_turns(&diagram, context, frame, hits),
        }
        if let Some(dialog) = &self.dialog {
            self.view_dialog(dialog, context, frame, hits);
        }
    }

    /// The board, and the panel beside it.
    fn view_beside(
        &self,
        diagram: &Diagram,
        drawn: &board::Drawn,
        room: Rect,
        context: &Context,
        frame: &mut Frame,
        hits: &Hits,
    ) {
        let look = &context.look;
        let panel = (room.width - drawn.width()).saturating_sub(1).clamp(PANEL.0, PANEL.1);
        let board = Rect { width: room.width - panel, ..room };
        let place = board::put(drawn, self.pointed_cell(), board, frame.buffer_mut(), hits);
        let side = Rect { x: board.right(), width: panel, ..room };
        let name = self.sitting.entry.info.name;
        let end = match self.review() {
            Some(turns) => format!("after {turns} of {}", self.sitting.board.turns_played()),
            None => format!("round {}", self.sitting.round()),
        };
        let blank = usize::from(panel).saturating_sub(columns::width(name) + columns::width(&end));
        let head = Line::from(vec![
            Span::styled(name, look.strong()),
            Span::raw(" ".repeat(blank)),
            Span::styled(end, look.soft()),
        ]);
        frame.buffer_mut().set_line(side.x, side.y, &head, panel);
        let words = self.wordmark();
        let mut top = side.y + 1;
        for line in columns::wrapped(&words, usize::from(panel)) {
            frame.buffer_mut().set_stringn(side.x, top, line, usize::from(panel), look.soft());
            top += 1;
        }
        let lines = self.prompt_lines(&diagram.status, true, usize::from(panel), look);
        let below = self.prompt_rows(&lines, side);
        let inner = Rect { y: top + 1, height: below.y.saturating_sub(top + 2), ..side };
        self.view_panel(diagram, context, frame, inner, hits);
        self.view_prompt(&lines, below, look, frame);
        keys(frame, context, &self.offers(), hits);
        self.set_caret(place, frame);
    }

    /// The board or the panel, where only one of them fits.
    fn view_by_turns(&self, diagram: &Diagram, context: &Context, frame: &mut Frame, hits: &Hits) {
        let look = &context.look;
        let area = frame.area();
        let room = Rect::new(1, 1, area.width - 2, area.height - 3);
        title(frame, look, self.sitting.entry.info.name, &self.players_in_line(context, look));
        let row = Rect::new(2, area.height - 2, area.width - 4, 1);
        let width = usize::from(row.width);
        let lines = self.prompt_lines(&diagram.status, self.shown.panel, width, look);
        let (place, below) = match self.shown.panel {
            true => {
                let below = self.prompt_rows(&lines, Rect { height: room.height + 1, y: 1, ..row });
                let inner = Rect { height: below.y - room.y, ..room };
                self.view_panel(diagram, context, frame, inner, hits);
                (None, below)
            }
            false => {
                let (drawn, _) = board::beside(diagram, look, self.shown.flipped, room, 0);
                let place = board::put(&drawn, self.pointed_cell(), room, frame.buffer_mut(), hits);
                // The board stays where it is: a longer prompt gets the blank rows below it, if they suffice.
                let blank = room.height.saturating_sub(drawn.height()).div_ceil(2);
                let fits = !self.is_edited() && lines.len() <= usize::from(blank) + 1;
                let height = if fits { lines.len() as u16 } else { 1 };
                (place, Rect { y: row.bottom() - height, height, ..row })
            }
        };
        if !self.shown.panel && self.is_asked_for_a_choice() {
            frame.render_widget(self.choices_in_line(look, row, hits), row);
        } else {
            self.view_prompt(&lines, below, look, frame);
        }
        let mut offers = self.offers();
        if matches!(self.typing, Typing::Nothing | Typing::Letter(..)) {
            offers.insert(0, ("v", if self.shown.panel { "board" } else { "panel" }));
        }
        keys(frame, context, &offers, hits);
        self.set_caret(place, frame);
    }

    /// The rows of a prompt at the end of an area: those it needs, and at most half of them.
    fn prompt_rows(&self, lines: &[(String, Style)], area: Rect) -> Rect {
        let most = if self.is_edited() { TYPED } else { area.height / 2 };
        let height = (lines.len() as u16).clamp(1, most);
        Rect { y: area.bottom() - height, height, ..area }
    }

    /// The cell that the keys have reached, if they can be used.
    fn pointed_cell(&self) -> Option<usize> {
        let is_used = self.shown.has_cursor
            && self.past.is_none()
            && self.picker.choices().is_empty()
            && (self.sitting.person().is_some() || self.premover().is_some());
        is_used.then_some(self.shown.cursor.cell)
    }

    /// Whether the next choice is not a cell, and nothing else has to be shown.
    fn is_asked_for_a_choice(&self) -> bool {
        let is_free = matches!(self.typing, Typing::Nothing | Typing::Letter(..));
        is_free && self.note.is_none() && !self.picker.choices().is_empty()
    }

    fn set_caret(&self, place: Option<(u16, u16)>, frame: &mut Frame) {
        if let Some(place) = place.filter(|_| !matches!(self.typing, Typing::Move(_))) {
            frame.set_cursor_position(place);
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
    fn wordmark(&self) -> String {
        if let Some(task) = self.mode.task() {
            let (number, count) = (task.series.number + 1, task.series.puzzles.len());
            return format!("find the win, {number} of {count}");
        }
        if let Some(pupil) = self.mode.pupil() {
            let count = pupil.entry.info.lessons.len();
            let title = pupil.lesson().map_or("", |lesson| lesson.title);
            return format!("lesson {} of {count}: {title}", pupil.number + 1);
        }
        if self.is_exploring() {
            let here = match self.variations_here() {
                ..2 => String::new(),
                count => format!(", {count} of them here"),
            };
            return format!("variations{here}");
        }
        if let Some(words) = self.connection_words() {
            return words;
        }
        match (self.sitting.is_unattended(), self.pace.rests, self.pace.waits) {
            (true, _, true) => "waits for a key before each turn".into(),
            (true, true, _) => "rests".into(),
            (true, ..) if SPEEDS[self.pace.speed] == 0 => "as fast as it goes".into(),
            (true, ..) => format!("{} s a turn", SPEEDS[self.pace.speed] as f64 / 1000.0),
            _ => String::new(),
        }
    }

    /// A note or what to do next, broken into lines; below a field, the message about it.
    fn prompt_lines(
        &self,
        status: &str,
        has_panel: bool,
        width: usize,
        look: &Look,
    ) -> Vec<(String, Style)> {
        let (words, style) = if let Typing::Name(_) = &self.typing {
            let note = self.note.as_ref().map_or(String::new(), |note| note.text.clone());
            (note, look.warning())
        } else if let Typing::Move(typing) = &self.typing {
            self.typing_words(typing, look)
        } else if let Some(note) = &self.note {
            let style = if note.is_warning { look.warning() } else { look.strong() };
            (note.text.clone(), style)
        } else if let Some((words, warns)) =
            self.task_prompt().or_else(|| self.lesson_prompt()).or_else(|| self.retry_prompt())
        {
            (words, if warns { look.warning() } else { look.accent() })
        } else if has_panel {
            (self.prompt(), look.soft())
        } else {
            let link = || self.invitation().map(|link| format!("L copies it: {link}"));
            let words = link().or_else(|| self.opinion(look)).unwrap_or_else(|| status.to_owned());
            (words, Style::new())
        };
        let mut lines: Vec<_> =
            columns::wrapped(&words, width).into_iter().map(|line| (line, style)).collect();
        if self.is_edited() {
            lines.insert(0, (String::new(), style));
        }
        lines
    }

    fn is_edited(&self) -> bool {
        matches!(self.typing, Typing::Name(_) | Typing::Move(_))
    }

    /// Writes the prompt into its rows; in a single one its beginning.
    fn view_prompt(&self, lines: &[(String, Style)], area: Rect, look: &Look, frame: &mut Frame) {
        let width = usize::from(area.width);
        let field = match &self.typing {
            Typing::Name(name) => Some(("save as: ", name)),
            Typing::Move(typing) => Some(("move: ", &typing.0)),
            Typing::Nothing | Typing::Letter(..) => None,
        };
        let is_single = area.height == 1 && lines.len() > 1;
        let all = || {
            let words: Vec<_> = lines.iter().map(|(line, _)| line.as_str()).collect();
            words.join(" ").trim_start().to_owned()
        };
        if let Some(field) = field {
            let style = lines.last().map_or(Style::new(), |(_, style)| *style);
            let words = if is_single { all() } else { String::new() };
            let row = Rect { height: 1, ..area };
            let line = Self::view_field(field, (words, style), row, look, frame);
            frame.render_widget(line, row);
        } else if is_single {
            let words = all();
            // Where two sentences do not fit, the first one does.
            let first = words.find(". ").and_then(|end| words.get(..=end)).unwrap_or(&words);
            let style = lines.first().map_or(Style::new(), |(_, style)| *style);
            let line = cut(first, width, look);
            frame.buffer_mut().set_stringn(area.x, area.y, line, width, style);
        }
        if is_single {
            return;
        }
        for (y, (line, style)) in (area.y..area.bottom()).zip(lines) {
            if !line.is_empty() {
                frame.buffer_mut().set_stringn(area.x, y, line, width, *style);
            }
        }
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

    /// A line that is being typed, with the cursor in it and words after it.
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
        let matches = typing.matches(self.board_to_type_on().as_ref());
        match (&self.note, &matches[..]) {
            (Some(note), _) => (note.text.clone(), look.warning()),
            (None, []) => ("no legal move begins like this".into(), look.warning()),
            (None, [only]) if only.eq_ignore_ascii_case(typing.0.text().trim()) => {
                ("Enter plays it".to_owned(), look.accent())
            }
            (None, several) => (several.join(" "), look.soft()),
        }
    }

    /// The next thing to do, in a sentence.
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
        } else if self.mode.pupil().is_some() {
            vec![
                (hint.0, "show a turn"),
                ("u", "undo"),
                ("n", "next lesson"),
                ("o", "small game"),
                ("r", "rules"),
            ]
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
            // On a server the sides change by themselves, and no result is taken back.
            let is_here = !self.is_online();
            let mut offers = vec![("← →", "look back"), ("m", "review")];
            offers.extend((!self.sitting.looks_on()).then_some(("n", "rematch")));
            offers.extend(is_here.then_some(("N", "swap sides")));
            offers.extend([("o", "go on from here"), ("s", "save")]);
            offers.extend(is_here.then_some(("u", "undo")));
            offers
        } else if self.is_online() {
            match self.sitting.looks_on() {
                true => vec![("f", "flip"), analysis, ("s", "save")],
                false => vec![("u", "ask to take back"), ("f", "flip"), ("s", "save")],
            }
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
