//! The panel beside the board: players, the stage of the turn, evaluations, the list of turns.

use super::{BoardScreen, Hint};
use crate::output::columns::width;
use crate::sitting::{proposal, signed};
use crate::tui::app::{Context, Hit, Hits};
use crate::tui::look::Look;
use crate::tui::view::{cut, wrapped};
use engine::{AnalysedLine, Analysis, Session};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use rules::diagram::{Diagram, Seat, Tap};
use rules::{Outcome, Player};
use std::time::Instant;

/// How many choices a number key reaches.
const NUMBERED: usize = 9;

/// Writes lines from the top of the panel; what does not fit is left out.
pub(super) struct Pen<'a, 'b> {
    frame: &'a mut Frame<'b>,
    pub(super) area: Rect,
    pub(super) look: Look,
}

impl Pen<'_, '_> {
    pub(super) fn width(&self) -> usize {
        usize::from(self.area.width)
    }

    fn left(&self) -> usize {
        usize::from(self.area.height)
    }

    pub(super) fn line(&mut self, line: Line<'_>) -> Option<u16> {
        if self.area.height == 0 {
            return None;
        }
        let y = self.area.y;
        self.frame.buffer_mut().set_line(self.area.x, y, &line, self.area.width);
        self.area.y += 1;
        self.area.height -= 1;
        Some(y)
    }

    pub(super) fn gap(&mut self) {
        self.line(Line::default());
    }

    /// Writes words side by side, in no more rows than `room`, with the word `at` among them; each can be clicked.
    pub(super) fn flow(
        &mut self,
        words: &[(String, Style, Hit)],
        at: usize,
        room: usize,
        hits: &Hits,
    ) {
        let (mut row, mut used) = (0, 0);
        let place = |(text, ..): &(String, Style, Hit)| {
            if used > 0 && used + width(text) + 1 > self.width() {
                (row, used) = (row + 1, 0);
            }
            let column = used;
            used += width(text) + 1;
            (row, column)
        };
        let places: Vec<(usize, usize)> = words.iter().map(place).collect();
        let at = places.get(at).map_or(0, |(row, _)| *row);
        let room = room.min(self.left());
        let first = (at + 2).saturating_sub(room).min((row + 1).saturating_sub(room));
        for ((text, style, hit), (row, column)) in words.iter().zip(places) {
            let Some(line) = row.checked_sub(first).filter(|line| *line < room) else { continue };
            let (x, y) = (self.area.x + column as u16, self.area.y + line as u16);
            let columns = width(text).min(self.width().saturating_sub(column));
            self.frame.buffer_mut().set_stringn(x, y, text, columns, *style);
            hits.add(Rect::new(x, y, columns as u16, 1), *hit);
        }
        let rows = (row + 1).min(room) as u16;
        (self.area.y, self.area.height) = (self.area.y + rows, self.area.height - rows);
    }

    pub(super) fn words(&mut self, text: &str, style: Style) {
        for line in wrapped(text, self.width()) {
            self.line(Line::styled(line, style));
        }
    }
}

impl BoardScreen {
    pub(super) fn view_panel(
        &self,
        diagram: &Diagram,
        context: &Context,
        frame: &mut Frame,
        area: Rect,
        hits: &Hits,
    ) {
        let mut pen = Pen { frame, area, look: context.look };
        let order = if self.shown.flipped { [0, 1] } else { [1, 0] };
        for i in order {
            self.view_player(diagram, i, context.now, &mut pen);
        }
        pen.gap();
        self.view_invitation(&mut pen);
        self.view_stage(diagram, context.now, &mut pen, hits);
        pen.gap();
        self.view_values(&mut pen);
        self.view_hint(&mut pen);
        self.view_analysis(&mut pen, hits);
        self.view_study(&mut pen, hits);
        match self.is_exploring() {
            true => self.view_tree(&mut pen, hits),
            false => self.view_turns(&mut pen, hits),
        }
    }

    /// The link for the other player, until somebody has taken the seat.
    fn view_invitation(&self, pen: &mut Pen<'_, '_>) {
        let Some(link) = self.invitation() else { return };
        let look = pen.look;
        pen.words("Invitation (L copies it):", look.soft());
        let letters: Vec<char> = link.chars().collect();
        for line in letters.chunks(pen.width().max(1)) {
            pen.line(Line::styled(line.iter().collect::<String>(), look.strong()));
        }
        pen.gap();
    }

    /// A player's colour, name and clock; below, the pieces on the board and in reserve.
    fn view_player(&self, diagram: &Diagram, i: usize, now: Instant, pen: &mut Pen<'_, '_>) {
        let (player, seat) = (Player::BOTH[i], &diagram.players[i]);
        let look = pen.look;
        let to_move = diagram.turn == Some(player);
        let arrow = if to_move { look.sign("▸ ", "> ") } else { "  " };
        let chip = format!(" {} ", seat.name);
        let name = self.sitting.called(player).unwrap_or_default();
        let time = self.time(player, now).unwrap_or_default();
        let used = 4 + width(seat.name) + 2 + width(&time);
        let name = cut(name, pen.width().saturating_sub(used), &look);
        let blank = pen.width().saturating_sub(used + width(&name));
        let style = if to_move { look.strong() } else { Style::new() };
        pen.line(Line::from(vec![
            Span::styled(arrow, look.accent()),
            Span::styled(chip, look.piece(seat.tint)),
            Span::raw("  "),
            Span::styled(name, style),
            Span::raw(" ".repeat(blank)),
            Span::styled(time, style),
        ]));
        let long = holdings(seat);
        let fits = width(&long) + 4 <= pen.width();
        let words = if fits { long } else { long.replace(" in reserve", " left") };
        let holdings = format!("    {words}");
        pen.line(Line::styled(cut(&holdings, pen.width(), &look), look.soft()));
    }

    /// Whose turn it is and what can be chosen, what the computer thinks, or how the game ended.
    fn view_stage(&self, diagram: &Diagram, now: Instant, pen: &mut Pen<'_, '_>, hits: &Hits) {
        let look = pen.look;
        if let Some(thinking) = self.thinking.as_ref().filter(|_| self.past.is_none()) {
            let spent = now.saturating_duration_since(thinking.since).as_millis() as usize;
            let signs = ["-", "\\", "|", "/"];
            let sign = match thinking.turn {
                None => signs[spent / 120 % signs.len()],
                Some(_) => " ",
            };
            let player = self.sitting.board.turn();
            let name = self.sitting.name(player);
            let words = match thinking.turn {
                None => format!("{name} is thinking {sign}"),
                Some(_) => format!("{name} has decided"),
            };
            pen.line(Line::styled(words, look.strong()));
            if let Some(view) = &thinking.view {
                self.view_thought(view, 1, pen);
            } else if let Some(level) = self.sitting.seats()[player].who.level() {
                pen.line(Line::styled(level.about, look.soft()));
            }
            return;
        }
        let style = match self.sitting.result().filter(|_| self.past.is_none()) {
            Some(Outcome::Win(_) | Outcome::Draw) => look.accent(),
            None => look.strong(),
        };
        pen.words(&capital(&diagram.status), style);
        if self.past.is_some() || self.picker.is_idle() {
            return;
        }
        let taps = self.picker.taps().iter();
        let so_far: Vec<_> = taps.map(|tap| format!("{} {}", tap.stage, tap.label)).collect();
        pen.words(&so_far.join(look.sign(" › ", " > ")), look.soft());
        self.view_choices(pen, hits);
    }

    /// The choices that are not cells, side by side, as many as fit.
    fn view_choices(&self, pen: &mut Pen<'_, '_>, hits: &Hits) {
        let look = pen.look;
        let choices = self.picker.choices();
        let Some(stage) = choices.first().map(|tap| tap.stage) else { return };
        pen.line(Line::styled(format!("{}:", capital(stage)), look.strong()));
        let word = |(i, tap): (usize, &&Tap)| {
            let number = if i < NUMBERED { format!("{} ", i + 1) } else { String::new() };
            let style = if i == self.picker.highlight { look.chosen() } else { Style::new() };
            (format!(" {number}{} ", tap.label), style, Hit::Choice(i))
        };
        let words: Vec<_> = choices.iter().enumerate().map(word).collect();
        let room = pen.left().saturating_sub(3).max(1);
        pen.flow(&words, self.picker.highlight, room, hits);
    }

    /// The original program's value for both sides, and the engine's bar.
    fn view_values(&self, pen: &mut Pen<'_, '_>) {
        let look = pen.look;
        if let Some(values) = self.opinion.values {
            let [one, two] = Player::BOTH.map(|player| {
                format!("{} {}", self.sitting.colour(player), signed(values[player]))
            });
            pen.words(&format!("Original program: {one}, {two}"), look.soft());
        }
        if !self.shown.bar && !self.shown.analysis {
            return pen.gap();
        }
        let best = self.best_line();
        let mover = self.game().turn();
        let (share, words) = match (best, self.game().result()) {
            (Some(line), _) => {
                let entry = engine::find(self.game().info().id);
                let share = entry.map_or(0.5, |entry| (entry.bar)(line.score));
                let one = if mover == Player::One { share } else { 1.0 - share };
                (one, verdict(self.game(), line))
            }
            (None, Some(Outcome::Win(winner))) => {
                let share = if winner == Player::One { 1.0 } else { 0.0 };
                (share, format!("{} has won", self.sitting.colour(winner)))
            }
            (None, Some(Outcome::Draw)) => (0.5, "a draw".into()),
            (None, None) => (0.5, look.sign("…", "...").into()),
        };
        let columns = pen.width().saturating_sub(width(&words) + 2).clamp(6, 20);
        let first = (share * columns as f64).round() as usize;
        let [one, two] = *self.game().diagram().players.map(|seat| look.piece(seat.tint));
        let signs = match look.color() {
            true => [" ", " "],
            false => [look.sign("█", "#"), look.sign("░", ".")],
        };
        pen.line(Line::from(vec![
            Span::styled(signs[0].repeat(first), one),
            Span::styled(signs[1].repeat(columns - first), two),
            Span::raw(format!("  {words}")),
        ]));
        pen.gap();
    }

    /// The turns that the original program's players and the engine would play.
    fn view_hint(&self, pen: &mut Pen<'_, '_>) {
        let look = pen.look;
        for (id, turns) in &self.opinion.advice {
            let line = proposal(self.game(), id, turns);
            pen.line(Line::raw(cut(&line, pen.width(), &look)));
        }
        if self.shown.hint == Hint::None {
            if !self.opinion.advice.is_empty() {
                pen.gap();
            }
            return;
        }
        let best = self.best_line();
        let engine = match best {
            Some(line) => {
                let turn = self.hinted(line.turns.first().map_or("", String::as_str), &look);
                format!("Engine: {turn} ({})", verdict(self.game(), line))
            }
            None => format!("Engine: {}", look.sign("…", "...")),
        };
        pen.line(Line::styled(cut(&engine, pen.width(), &look), look.strong()));
        pen.gap();
    }

    /// A hint or the analysis in one line, for windows without a panel.
    pub(super) fn opinion(&self, look: &Look) -> Option<String> {
        if self.shown.hint == Hint::None && !self.shown.analysis {
            return None;
        }
        let Some(line) = self.best_line() else {
            return Some(format!("Engine: {}", look.sign("…", "...")));
        };
        let turns = if self.shown.analysis { line.turns.len() } else { 1 };
        let turns = line.turns.iter().take(turns).map(String::as_str).collect::<Vec<_>>().join(" ");
        let turns = if self.shown.analysis { turns } else { self.hinted(&turns, look) };
        Some(format!("Engine: {} ({})", turns, verdict(self.game(), line)))
    }

    /// A proposed turn, or how it begins: the piece that moves, or the row or column of a cell.
    fn hinted(&self, turn: &str, look: &Look) -> String {
        if self.shown.hint != Hint::Begins {
            return turn.to_owned();
        }
        let end = turn.find('-').map_or(1, |at| at + 1).min(turn.len());
        format!("{}{}", turn.get(..end).unwrap_or(turn), look.sign("…", "..."))
    }

    fn best_line(&self) -> Option<&AnalysedLine> {
        self.opinion.lines().first()
    }

    /// The arrows of the proposed turn: the engine's, or the original program's until there is one.
    pub(super) fn hint_marks(&self) -> Vec<(usize, usize)> {
        let engine = self.best_line().and_then(|line| line.turns.first());
        let seed = self.opinion.advice.first().and_then(|(_, turns)| turns.first());
        let ways = engine.or(seed).map_or_else(Vec::new, |turn| ways(self.game(), turn));
        match self.shown.hint {
            // Where a piece moves from; a cell to place one on would be the whole answer.
            Hint::Begins => {
                let from = ways.into_iter().filter(|(from, to)| from != to);
                from.take(1).map(|(from, _)| (from, from)).collect()
            }
            _ => ways,
        }
    }

    fn view_analysis(&self, pen: &mut Pen<'_, '_>, hits: &Hits) {
        if !self.shown.analysis {
            return;
        }
        let look = pen.look;
        match self.opinion.watch.as_ref() {
            None => {
                pen.line(Line::styled("Analysis: the game is over here", look.soft()));
            }
            Some(watch) => match &watch.view {
                Some(view) => {
                    let first = pen.area.y + 1;
                    self.view_thought(view, super::LINES, pen);
                    for (number, y) in (first..pen.area.y).enumerate() {
                        let row = Rect { y, height: 1, ..pen.area };
                        hits.add(row, Hit::Line(number));
                    }
                }
                None => {
                    pen.line(Line::styled("Analysis begins", look.soft()));
                }
            },
        }
        pen.gap();
    }

    /// Depth, positions and lines of a search.
    fn view_thought(&self, view: &Analysis, lines: usize, pen: &mut Pen<'_, '_>) {
        let look = pen.look;
        let head = format!("depth {}, {} positions", view.depth, short(view.nodes));
        pen.line(Line::styled(head, look.soft()));
        for (number, line) in view.lines.iter().take(lines).enumerate() {
            let score = score(line);
            let is_chosen = lines > 1 && number == self.opinion.line;
            let mark = match (lines > 1, is_chosen) {
                (false, _) => "",
                (true, false) => " ",
                (true, true) => look.sign("▸", ">"),
            };
            let text = format!("{mark}{score:>7}  {}", line.turns.join(" "));
            let style = if is_chosen { look.strong() } else { Style::new() };
            pen.line(Line::styled(cut(&text, pen.width(), &look), style));
        }
    }

    /// The turns, or the last of them if not all fit; each can be clicked.
    fn view_turns(&self, pen: &mut Pen<'_, '_>, hits: &Hits) {
        let look = pen.look;
        let turns = self.sitting.board.history();
        let lead = self.sitting.board.first_player().index();
        let rounds = (turns.len() + lead).div_ceil(2);
        let shown = self.review().unwrap_or(turns.len());
        let at = (shown.max(1) + lead).div_ceil(2);
        let room = pen.left();
        if room == 0 {
            return;
        }
        let number_of = |round: usize, side: usize| (2 * round + side).checked_sub(lead);
        let has_better =
            |number: &usize| *number < turns.len() && self.better_than(number + 1).is_some();
        let height = |round: usize| {
            1 + (0..2).filter_map(|side| number_of(round, side)).filter(has_better).count()
        };
        let last = at.clamp(1, rounds.max(1)) - 1;
        let mut used = height(last);
        let above = (0..last).rev().take_while(|round| {
            used += height(*round);
            used <= room
        });
        let first = last - above.count();
        let known = self.known_turns();
        let shown_turn = |(number, turn): (usize, &String)| match number < known {
            true => format!("{turn}{}", self.sign_of(number + 1)),
            false => format!("{turn}{}", look.sign("…", "...")),
        };
        let turns: Vec<String> = turns.iter().enumerate().map(shown_turn).collect();
        let column = turns.iter().map(|turn| width(turn)).max().unwrap_or(0).max(5);
        for round in first..rounds.min(first + room) {
            let mut x = pen.area.x + 4;
            let mut spans = vec![Span::styled(format!("{:>3} ", round + 1), look.soft())];
            let mut places = Vec::new();
            for side in 0..2 {
                let number = number_of(round, side);
                let turn = number.and_then(|number| turns.get(number));
                let text =
                    turn.map_or_else(|| " ".repeat(column), |turn| format!("{turn:<column$}"));
                let is_shown = number.is_some_and(|number| number + 1 == shown);
                let style = if is_shown { look.chosen() } else { Style::new() };
                spans.extend([Span::styled(text, style), Span::raw(" ")]);
                places.extend(turn.and(number).map(|number| (x, number + 1)));
                x += column as u16 + 1;
            }
            let Some(y) = pen.line(Line::from(spans)) else { break };
            for (x, turns) in &places {
                hits.add(Rect::new(*x, y, column as u16, 1), Hit::Row(*turns));
            }
            for (_, turns) in places {
                if let Some(better) = self.better_than(turns) {
                    let words = format!("    better {}: {better}", self.colour_of(turns));
                    pen.line(Line::styled(cut(&words, pen.width(), &look), look.accent()));
                }
            }
        }
    }
}

fn holdings(seat: &Seat) -> String {
    let reserve = seat.reserve.map(|number| format!("{number} in reserve"));
    let count = Some(seat.count.clone()).filter(|count| !count.is_empty());
    reserve.into_iter().chain(count).collect::<Vec<_>>().join(", ")
}

/// A text that begins with a capital letter.
pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

/// A large number in few characters.
fn short(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..10_000_000 => format!("{} k", number / 1000),
        _ => format!("{} M", number / 1_000_000),
    }
}

/// The value of a line for the player to move.
fn score(line: &AnalysedLine) -> String {
    match line.win_in {
        Some(turns) if turns > 0 => format!("wins {turns}"),
        Some(turns) => format!("loses {}", -turns),
        None if line.proof.is_some() => "draw".into(),
        None => format!("{:+.2}", f64::from(line.score) / 100.0),
    }
}

/// Who is better, and by how much.
fn verdict(game: &dyn Session, line: &AnalysedLine) -> String {
    let good = line.win_in.unwrap_or(line.score) > 0;
    let player = if good { game.turn() } else { game.turn().other() };
    let name = game.info().players[player];
    match line.win_in.map(i32::unsigned_abs) {
        Some(turns) => format!("{name} wins in {turns}"),
        None if line.proof.is_some() => "nobody can force a win".into(),
        None if line.score == 0 => "even".into(),
        None => format!("{name} +{:.2}", f64::from(line.score.abs()) / 100.0),
    }
}

/// Where the pieces of a turn go, from cell to cell; a placement begins and ends on its cell.
fn ways(game: &dyn Session, turn: &str) -> Vec<(usize, usize)> {
    let mut game = game.boxed_clone();
    let mut rest = turn;
    let mut ways = Vec::new();
    while !rest.is_empty() {
        let steps = game.steps();
        let fitting = steps.iter().filter(|step| rest.starts_with(&step.text));
        let Some(step) = fitting.max_by_key(|step| step.text.len()) else { break };
        ways.extend(step.trace.placed.map(|cell| (cell, cell)));
        // Pushed pieces are not the player's choice.
        if step.trace.placed.is_none() {
            ways.extend(step.trace.travels.iter().filter_map(|t| Some((t.from, t.to?))));
        }
        rest = rest.get(step.text.len()..).unwrap_or_default();
        if game.play(&step.text).is_err() {
            break;
        }
    }
    ways
}
