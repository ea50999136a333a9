//! The effects of keys and clicks during a game.
//!
//! One-letter commands and typed moves do not get in each other's way: a letter acts at once, and if a
//! digit follows, its effect is undone and both begin a typed move. Every command whose letter can begin
//! the name of a cell can be undone in this way.

use super::dialog::Offer;
use super::typing::MoveField;
use super::{BoardScreen, Hint, SPEEDS, Shown, Typing};
use crate::tui::app::{Context, Hit, Next};
use crate::tui::cursor::{Cursor, Way};
use crate::tui::field::Field;
use crate::tui::page::Page;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use table::Tree;

impl BoardScreen {
    pub fn key(&mut self, key: KeyEvent, context: &mut Context) -> Next {
        if self.dialog.is_some() {
            return self.dialog_key(key.code, context);
        }
        let is_typing = matches!(self.typing, Typing::Move(_));
        let is_idle = !is_typing && self.picker.is_idle() && !self.sitting.board.in_turn();
        if key.code == KeyCode::Esc && is_idle && self.back.is_some() {
            return Next::Back;
        }
        self.note = None;
        let before = match &self.typing {
            Typing::Name(_) => {
                self.naming_key(key, context);
                return Next::Stay;
            }
            Typing::Move(_) => {
                self.typing_key(key, context);
                return Next::Stay;
            }
            Typing::Letter(letter, shown) => Some((*letter, *shown)),
            Typing::Nothing => None,
        };
        self.typing = Typing::Nothing;
        if let KeyCode::Char(digit) = key.code
            && digit.is_ascii_digit()
        {
            self.digit(digit, before, context);
            return Next::Stay;
        }
        let chooses = !self.picker.choices().is_empty() && self.past.is_none();
        if chooses && self.choice_key(key.code, context) {
            return Next::Stay;
        }
        match key.code {
            KeyCode::Char(c) => self.letter(c, context),
            code => self.special(code, context),
        }
    }

    /// A digit chooses from a list, or begins a typed move together with the letter before it.
    fn digit(&mut self, digit: char, before: Option<(char, Shown)>, context: &mut Context) {
        let number = digit.to_digit(10).unwrap_or(0) as usize;
        if !self.picker.choices().is_empty() && self.past.is_none() {
            let picked = self.picker.choose(number.wrapping_sub(1));
            return self.picked(picked, context);
        }
        let Some((letter, shown)) = before else { return };
        let looks_on = |shown: &Shown| (shown.hint, shown.bar, shown.analysis);
        let changed = looks_on(&shown) != looks_on(&self.shown);
        if self.shown.bar != shown.bar && context.choices.bar == self.shown.bar {
            context.choices.bar = shown.bar;
            self.remember(context);
        }
        self.shown = shown;
        if changed {
            self.look_on(context);
        }
        self.type_move(&format!("{letter}{digit}"), context);
    }

    /// Whether a move can be typed: for now, or for the next turn.
    pub(super) fn may_type(&self) -> bool {
        self.sitting.person().is_some() || self.premover().is_some()
    }

    /// Closes the line for typed moves.
    pub(super) fn end_line(&mut self) {
        if let Typing::Move(_) = self.typing {
            self.typing = Typing::Nothing;
        }
    }

    /// Opens the line for typed moves if a person is to move.
    fn type_move(&mut self, text: &str, context: &mut Context) {
        self.look_at_present(context);
        if self.may_type() {
            self.typing = Typing::Move(MoveField::new(text));
        } else {
            self.not_now();
        }
    }

    fn typing_key(&mut self, key: KeyEvent, context: &mut Context) {
        let board = self.board_to_type_on();
        let Typing::Move(typing) = &mut self.typing else { return };
        match key.code {
            KeyCode::Esc => self.typing = Typing::Nothing,
            KeyCode::Tab => typing.complete(board.as_ref()),
            KeyCode::Enter => {
                let text = typing.0.text().trim().to_owned();
                if text.is_empty() {
                    self.typing = Typing::Nothing;
                } else if self.premover().is_some() {
                    self.typing = Typing::Nothing;
                    self.type_ahead(&text);
                } else {
                    let line = std::mem::replace(&mut self.typing, Typing::Nothing);
                    if !self.play(&text, context) {
                        // It can be corrected.
                        self.typing = line;
                    }
                }
            }
            code => {
                typing.0.key(key);
                if code == KeyCode::Backspace && typing.0.text().is_empty() {
                    self.typing = Typing::Nothing;
                }
            }
        }
    }

    /// The line of text that is being edited.
    pub fn field(&mut self) -> Option<&mut Field> {
        match &mut self.typing {
            Typing::Name(field) | Typing::Move(MoveField(field)) => Some(field),
            Typing::Letter(..) | Typing::Nothing => None,
        }
    }

    /// Types a pasted text where something is being typed, and a move where one may be; returns whether it did.
    pub fn paste(&mut self, text: &str) -> bool {
        if let Some(field) = self.field() {
            field.paste(text);
            return true;
        }
        let line = text.lines().next().unwrap_or_default().trim();
        let is_move = self.sitting.person().is_some()
            && text.trim() == line
            && self.sitting.board.boxed_clone().play(line).is_ok();
        if is_move {
            self.typing = Typing::Move(MoveField::new(line));
        }
        is_move
    }

    pub fn refuse_paste(&mut self, why: &str) {
        self.warn(format!("the pasted text is not a position, record or move: {why}"));
    }

    fn naming_key(&mut self, key: KeyEvent, context: &mut Context) {
        let Typing::Name(name) = &mut self.typing else { return };
        match key.code {
            KeyCode::Esc => self.typing = Typing::Nothing,
            KeyCode::Enter => {
                let name = name.text().to_owned();
                self.save(&name, context);
            }
            _ => drop(name.key(key)),
        }
    }

    /// Moves among the choices that are not cells, and returns whether the key does that.
    fn choice_key(&mut self, code: KeyCode, context: &mut Context) -> bool {
        let last = self.picker.choices().len() - 1;
        let at = self.picker.highlight.min(last);
        match code {
            KeyCode::Up | KeyCode::Left | KeyCode::BackTab | KeyCode::Char('k') => {
                self.picker.highlight = at.checked_sub(1).unwrap_or(last);
            }
            KeyCode::Down | KeyCode::Right | KeyCode::Tab | KeyCode::Char('j' | 'l') => {
                self.picker.highlight = if at < last { at + 1 } else { 0 };
            }
            KeyCode::Enter | KeyCode::Char(' ') => {
                let picked = self.picker.choose(at);
                self.picked(picked, context);
            }
            _ => return false,
        }
        true
    }

    fn special(&mut self, code: KeyCode, context: &mut Context) -> Next {
        let looks_back = self.past.is_some() || self.sitting.result().is_some();
        match code {
            KeyCode::Left if looks_back => self.step(-1, context),
            KeyCode::Right if looks_back => self.step(1, context),
            KeyCode::Left => self.arrow(Way::Left),
            KeyCode::Right => self.arrow(Way::Right),
            KeyCode::Up => self.arrow(Way::Up),
            KeyCode::Down => self.arrow(Way::Down),
            KeyCode::Tab | KeyCode::BackTab => {
                self.shown.has_cursor = true;
                self.shown.cursor.jump(&self.picker.targets(), code == KeyCode::Tab);
            }
            KeyCode::Enter => self.enter(context),
            KeyCode::Esc => self.back(context),
            KeyCode::Backspace => self.undo(context),
            KeyCode::PageUp => self.step(-1, context),
            KeyCode::PageDown => self.step(1, context),
            KeyCode::Home => self.step(isize::MIN, context),
            KeyCode::End => self.step(isize::MAX, context),
            _ => {}
        }
        Next::Stay
    }

    fn letter(&mut self, c: char, context: &mut Context) -> Next {
        let asks_engine = matches!(c, 'H' | 'a' | 'e') || (c == 'h' && !self.shown.vi);
        if asks_engine && self.sitting.is_played_online() {
            self.say("no help while you play somebody: it is all there after the game");
        }
        let diagram = self.sitting.board.diagram();
        let begins_cell = diagram.cells.iter().any(|cell| cell.name.starts_with(c));
        if begins_cell {
            self.typing = Typing::Letter(c, self.shown);
        }
        match c {
            'h' if self.shown.vi => self.go(Way::Left),
            'j' | 'k' | 'l' => {
                self.shown.vi = true;
                self.go(match c {
                    'j' => Way::Down,
                    'k' => Way::Up,
                    _ => Way::Right,
                });
            }
            'h' | 'H' if self.mode.pupil().is_some() => self.show_answer(context),
            'h' | 'H' => self.hint(context),
            'u' => self.undo(context),
            'U' => self.redo(context),
            'f' => self.shown.flipped = !self.shown.flipped,
            'p' => self.pause(Offer::Resume, context),
            'q' => self.pause(Offer::Exit, context),
            's' => self.ask_name(context),
            'm' => self.go_over(context),
            'x' if self.is_exploring() => self.cut_off(context),
            'x' if self.mode.study().is_some() => return Next::TryAgain,
            'b' if self.mode.study().is_some() => self.shown.better = !self.shown.better,
            'Y' => return self.copy(),
            'L' => return self.copy_invitation(),
            't' if !self.is_exploring() => return Next::Explore,
            '{' | '}' if self.is_exploring() => {
                self.step_aside_in_tree(c == '}', context);
            }
            '^' if self.is_exploring() => self.make_main(),
            ',' | '.' => self.choose_line(c == '.'),
            '>' => return self.step_into_line(context),
            'v' => self.shown.panel = !self.shown.panel,
            'o' if self.mode.pupil().is_some() => return self.small_game(),
            'o' if self.past.is_some()
                || self.sitting.result().is_some()
                || self.is_exploring() =>
            {
                return self.go_on_from_here(context);
            }
            'a' => {
                self.shown.analysis = !self.shown.analysis;
                self.note_help();
                self.look_on(context);
            }
            'e' => self.toggle_bar(context),
            'y' if context.look.shows.is_some() => context.look.live = !context.look.live,
            'y' => {
                self.say("this terminal does not say that it shows pictures (kitty, iTerm2, sixel)")
            }
            'E' if self.sitting.is_played_online() => {
                self.say("a game on a server cannot be edited")
            }
            'E' => return Next::Edit,
            'r' => return Next::Page(Page::rules(self.sitting.entry, &context.look)),
            '[' => self.step(-1, context),
            ']' => self.step(1, context),
            ' ' => self.space(context),
            'n' | 'N' => return self.next(c == 'N', context),
            '+' | '=' => self.change_speed(1, context),
            '-' => self.change_speed(-1, context),
            'w' if self.sitting.is_unattended() => {
                self.pace.waits = !self.pace.waits;
                context.choices.wait = self.pace.waits;
                self.remember(context);
            }
            ':' | '/' => self.type_move("", context),
            '@' => self.type_move("@", context),
            c if begins_cell || begins_cell_in_lower_case(&diagram, c) => {
                self.type_move(&c.to_string(), context);
            }
            _ => {}
        }
        Next::Stay
    }

    pub fn click(&mut self, hit: Hit, context: &mut Context) -> Next {
        if self.dialog.is_some() {
            return match hit {
                Hit::Row(row) => self.dialog_click(row, context),
                _ => Next::Stay,
            };
        }
        self.note = None;
        if let Typing::Letter(..) = self.typing {
            self.typing = Typing::Nothing;
        }
        match hit {
            Hit::Cell(cell) => {
                self.end_line();
                self.shown.cursor = Cursor::at(cell);
                self.shown.has_cursor = false;
                self.tap(cell, context);
            }
            Hit::Choice(number) => {
                let picked = self.picker.choose(number);
                self.picked(picked, context);
            }
            Hit::Row(number) if self.is_exploring() => {
                let to = |tree: &mut Tree| {
                    tree.go(Some(number));
                    true
                };
                self.step_in_tree(to, context);
            }
            Hit::Line(number) => {
                self.opinion.line = number;
                return self.step_into_line(context);
            }
            Hit::Row(turns) => {
                self.look_back(Some(turns));
                self.look_on(context);
            }
            Hit::Key(_) => {}
        }
        Next::Stay
    }

    /// Drops a dragged piece; where it cannot go, it stays selected.
    pub fn drop_on(&mut self, cell: usize, context: &mut Context) {
        if self.dialog.is_none() && !self.picker.is_idle() && self.picker.targets().contains(&cell)
        {
            self.tap(cell, context);
        }
    }

    fn arrow(&mut self, way: Way) {
        self.shown.vi = false;
        self.go(way);
    }

    fn go(&mut self, way: Way) {
        let diagram = self.sitting.board.diagram();
        // The first key only shows the cursor.
        if std::mem::replace(&mut self.shown.has_cursor, true) {
            self.shown.cursor.go(way, &diagram, self.shown.flipped);
        }
    }

    fn enter(&mut self, context: &mut Context) {
        if self.sitting.is_unattended() && self.sitting.result().is_none() {
            return self.next_turn(context);
        }
        if self.sitting.result().is_some() {
            return self.pause(Offer::Rematch, context);
        }
        // An invisible cursor must not play: the first key only shows it.
        if std::mem::replace(&mut self.shown.has_cursor, true) {
            self.tap(self.shown.cursor.cell, context);
        }
    }

    fn tap(&mut self, cell: usize, context: &mut Context) {
        self.look_at_present(context);
        if self.sitting.person().is_none() {
            if !self.tap_ahead(cell) {
                self.not_now();
            }
            return;
        }
        let diagram = self.sitting.board.diagram();
        let picked = self.picker.tap(cell, &diagram);
        self.picked(picked, context);
    }

    fn not_now(&mut self) {
        match self.sitting.mover() {
            Some(player) => self.say(format!("{} is to move", self.sitting.full_name(player))),
            None if self.is_exploring() => self.say("the game is over here: [ goes back"),
            None => self.say("the game is over: n plays another, u takes back"),
        }
    }

    /// Goes back one stage: to the present position, in the choice, in the turn, and finally to the pause menu.
    fn back(&mut self, context: &mut Context) {
        if self.past.is_some() {
            self.look_at_present(context);
        } else if self.picker.back() || self.forget_ahead() {
        } else if self.sitting.person().is_some() && self.sitting.take_back_part() {
            self.refresh(context);
        } else {
            self.pause(Offer::Resume, context);
        }
    }

    fn look_at_present(&mut self, context: &mut Context) {
        if self.past.is_some() {
            self.look_back(None);
            self.look_on(context);
        }
    }

    /// The mouse wheel goes through the turns.
    pub fn wheel(&mut self, back: bool, context: &mut Context) {
        if self.dialog.is_none() {
            self.step(if back { -1 } else { 1 }, context);
        }
    }

    /// Looks this many turns back or ahead.
    fn step(&mut self, turns: isize, context: &mut Context) {
        if self.is_exploring() {
            match turns {
                -1 => self.back_in_tree(context),
                turns => drop(self.step_in_tree(|tree| walk(tree, turns), context)),
            }
            return;
        }
        let played = self.sitting.board.turns_played();
        let at = self.review().unwrap_or(played);
        let to = at.saturating_add_signed(turns).min(played);
        if to != at {
            self.shown.hint = Hint::None;
            self.look_back(Some(to));
            self.look_on(context);
        }
    }

    fn undo(&mut self, context: &mut Context) {
        if self.forget_ahead() {
        } else if self.picker.back() {
            self.picker.clear();
        } else if self.is_exploring() {
            self.back_in_tree(context);
        } else if self.is_online() {
            match self.sitting.take_back_part() {
                true => self.refresh(context),
                false => self.send_word("undo"),
            }
        } else if self.sitting.undo(context.now) {
            self.pace.rests |= self.sitting.is_unattended();
            self.refresh(context);
        } else {
            self.say("there is nothing to take back");
        }
    }

    fn redo(&mut self, context: &mut Context) {
        if self.is_exploring() {
            self.step_in_tree(Tree::ahead, context);
        } else if self.is_online() {
            self.say("turns that were taken back on a server cannot be replayed");
        } else if self.sitting.redo(context.now) {
            self.refresh(context);
        } else {
            self.say("nothing was taken back");
        }
    }

    fn hint(&mut self, context: &mut Context) {
        if self.game().result().is_some() {
            return self.say("the game is over");
        }
        if self.past.is_none() && self.sitting.computer().is_some() {
            return self.not_now();
        }
        // First a nudge, then the answer.
        self.shown.hint = match self.shown.hint {
            Hint::None => Hint::Begins,
            Hint::Begins => Hint::Whole,
            Hint::Whole => Hint::None,
        };
        self.note_help();
        self.look_on(context);
    }

    fn toggle_bar(&mut self, context: &mut Context) {
        self.shown.bar = !self.shown.bar;
        self.note_help();
        // The setting is about games against the computer.
        if self.mode.task().is_none() && !self.sitting.is_between_people() {
            context.choices.bar = self.shown.bar;
            self.remember(context);
        }
        self.look_on(context);
    }

    /// Space stops a computer that thinks, pauses a game of computers, and otherwise does what Enter does.
    fn space(&mut self, context: &mut Context) {
        if self.sitting.result().is_some() || self.sitting.person().is_some() {
            return self.enter(context);
        }
        if self.sitting.is_unattended() && self.pace.waits {
            return self.next_turn(context);
        }
        if self.sitting.is_unattended() || self.pace.rests {
            self.pace.rests = !self.pace.rests;
            self.think(context);
            self.tick(context);
        } else if let Some(thinking) = &self.thinking {
            thinking.job.stop();
        }
    }

    /// The next turn of computers, or another game when this one is over.
    fn next(&mut self, swapped: bool, context: &mut Context) -> Next {
        if let Some(task) = self.mode.task() {
            return Next::Puzzle(task.series.next_unsolved(context));
        }
        if self.mode.pupil().is_some() {
            return self.next_lesson();
        }
        if self.is_exploring() {
            return Next::Stay;
        }
        if self.sitting.result().is_some() && self.is_online() {
            self.next_online(context);
        } else if self.sitting.result().is_some() {
            return Next::Play(Box::new(self.sitting.rematch(swapped)), None);
        }
        if self.sitting.is_unattended() {
            self.next_turn(context);
        }
        Next::Stay
    }

    /// Another game that begins with the turns up to the position on the screen.
    fn go_on_from_here(&mut self, context: &Context) -> Next {
        let mut sitting = self.behind().unwrap_or(&self.sitting).rematch(false);
        for turn in self.game().history() {
            if let Err(reason) = sitting.play(&turn, context.now) {
                self.warn(reason);
                return Next::Stay;
            }
        }
        if sitting.result().is_some() {
            self.say(
                "nothing follows the last position: look back first, then o goes on from there",
            );
            return Next::Stay;
        }
        Next::Play(Box::new(sitting), None)
    }

    fn next_turn(&mut self, context: &mut Context) {
        self.pace.rests |= !self.pace.waits;
        match &self.thinking {
            Some(thinking) if thinking.turn.is_none() => thinking.job.stop(),
            _ => self.release(context),
        }
    }

    fn change_speed(&mut self, step: isize, context: &mut Context) {
        if self.sitting.is_unattended() {
            self.pace.speed = self.pace.speed.saturating_add_signed(step).min(SPEEDS.len() - 1);
            context.choices.speed = Some(self.pace.speed);
            self.remember(context);
            self.tick(context);
        }
    }

    /// Copies the position on the screen.
    fn copy(&mut self) -> Next {
        self.say("the position is copied");
        Next::Copy(self.game().text())
    }

    fn remember(&mut self, context: &mut Context) {
        if let Err(trouble) = context.remember() {
            self.warn(trouble);
        }
    }
}

/// Goes this many turns ahead or back in the tree, as far as there are any, and returns whether there was one.
fn walk(tree: &mut Tree, turns: isize) -> bool {
    let step = if turns < 0 { Tree::back } else { Tree::ahead };
    (0..turns.unsigned_abs()).take_while(|_| step(tree)).count() > 0
}

fn begins_cell_in_lower_case(diagram: &rules::diagram::Diagram, c: char) -> bool {
    diagram.cells.iter().any(|cell| cell.name.starts_with(c.to_ascii_lowercase()))
}
