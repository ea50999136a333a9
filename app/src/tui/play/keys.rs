//! What keys and clicks do during a game.
//!
//! One-letter commands and typed moves do not get in each other's way: a letter acts at once, and if a
//! digit follows, its effect is undone and both begin a typed move. Every command whose letter can begin
//! the name of a cell can be undone in this way.

use super::dialog::Offer;
use super::typing::Typing;
use super::{Play, SPEEDS};
use crate::table::Sitter;
use crate::tui::app::{Hit, Next, Shared};
use crate::tui::cursor::{Cursor, Way};
use crate::tui::help;
use crate::tui::page::Page;
use ratatui::crossterm::event::{KeyCode, KeyEvent};

/// The longest name that can be typed.
const LONGEST_NAME: usize = 60;

impl Play {
    pub fn key(&mut self, key: KeyEvent, shared: &mut Shared) -> Next {
        if self.dialog.is_some() {
            return self.dialog_key(key.code, shared);
        }
        let is_idle = self.typing.is_none() && self.picker.is_idle() && !self.table.game.in_turn();
        if key.code == KeyCode::Esc
            && is_idle
            && let Some(back) = self.leave_retry()
        {
            return back;
        }
        self.note = None;
        let before = self.before.take();
        if self.naming.is_some() {
            self.naming_key(key.code, shared);
            return Next::Stay;
        }
        if self.typing.is_some() {
            self.typing_key(key.code, shared);
            return Next::Stay;
        }
        if let KeyCode::Char(digit) = key.code
            && digit.is_ascii_digit()
        {
            self.digit(digit, before, shared);
            return Next::Stay;
        }
        let chooses = !self.picker.choices().is_empty() && self.review.is_none();
        if chooses && self.choice_key(key.code, shared) {
            return Next::Stay;
        }
        match key.code {
            KeyCode::Char(c) => self.letter(c, shared),
            code => self.special(code, shared),
        }
    }

    /// A digit chooses from a list, or begins a typed move together with the letter before it.
    fn digit(&mut self, digit: char, before: Option<(char, super::Shown)>, shared: &mut Shared) {
        let number = digit.to_digit(10).unwrap_or(0) as usize;
        if !self.picker.choices().is_empty() && self.review.is_none() {
            let picked = self.picker.choose(number.wrapping_sub(1));
            return self.picked(picked, shared);
        }
        let Some((letter, shown)) = before else { return };
        let looks_on = |shown: &super::Shown| (shown.hint, shown.bar, shown.analysis);
        let changed = looks_on(&shown) != looks_on(&self.shown);
        if self.shown.bar != shown.bar && shared.choices.bar == self.shown.bar {
            shared.choices.bar = shown.bar;
        }
        self.shown = shown;
        if changed {
            self.look_on(shared);
        }
        self.type_move(&format!("{letter}{digit}"), shared);
    }

    /// Opens the line for typed moves if a person is to move.
    fn type_move(&mut self, text: &str, shared: &mut Shared) {
        self.look_at_present(shared);
        if self.table.person().is_some() {
            self.typing = Some(Typing::new(text));
        } else {
            self.not_now();
        }
    }

    fn typing_key(&mut self, code: KeyCode, shared: &mut Shared) {
        let Some(typing) = &mut self.typing else { return };
        match code {
            KeyCode::Char(c) => typing.add(c),
            KeyCode::Backspace if typing.remove() && !typing.text.is_empty() => {}
            KeyCode::Backspace | KeyCode::Esc => self.typing = None,
            KeyCode::Tab => typing.complete(self.table.game.as_ref()),
            KeyCode::Enter => {
                let text = typing.text.trim().to_owned();
                if text.is_empty() {
                    self.typing = None;
                } else {
                    // A refused text stays, so that it can be corrected.
                    self.play(&text, shared);
                }
            }
            _ => {}
        }
    }

    /// Types a pasted text where something is being typed, and a move where one may be; says whether.
    pub fn paste(&mut self, text: &str) -> bool {
        let line = text.lines().next().unwrap_or_default().trim();
        if let Some(name) = &mut self.naming {
            name.extend(line.chars().filter(|c| !c.is_control()).take(LONGEST_NAME));
            return true;
        }
        if let Some(typing) = &mut self.typing {
            line.chars().for_each(|c| typing.add(c));
            return true;
        }
        let is_move = self.table.person().is_some()
            && text.trim() == line
            && self.table.game.boxed_clone().play(line).is_ok();
        if is_move {
            self.typing = Some(Typing::new(line));
        }
        is_move
    }

    /// Says why a pasted text is no position.
    pub fn refuse_paste(&mut self, why: &str) {
        self.warn(format!("what was pasted is no position, record or move: {why}"));
    }

    fn naming_key(&mut self, code: KeyCode, shared: &mut Shared) {
        let Some(name) = &mut self.naming else { return };
        match code {
            KeyCode::Char(c) if !c.is_control() && name.chars().count() < LONGEST_NAME => {
                name.push(c);
            }
            KeyCode::Backspace => drop(name.pop()),
            KeyCode::Esc => self.naming = None,
            KeyCode::Enter => {
                let name = name.clone();
                self.save(&name, shared);
            }
            _ => {}
        }
    }

    /// Moves among the choices that no cell stands for, and says whether the key does that.
    fn choice_key(&mut self, code: KeyCode, shared: &mut Shared) -> bool {
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
                self.picked(picked, shared);
            }
            _ => return false,
        }
        true
    }

    fn special(&mut self, code: KeyCode, shared: &mut Shared) -> Next {
        let looks_back = self.review.is_some() || self.table.result().is_some();
        match code {
            KeyCode::Left if looks_back => self.step(-1, shared),
            KeyCode::Right if looks_back => self.step(1, shared),
            KeyCode::Left => self.arrow(Way::Left),
            KeyCode::Right => self.arrow(Way::Right),
            KeyCode::Up => self.arrow(Way::Up),
            KeyCode::Down => self.arrow(Way::Down),
            KeyCode::Tab | KeyCode::BackTab => {
                self.shown.has_cursor = true;
                self.shown.cursor.jump(&self.picker.targets(), code == KeyCode::Tab);
            }
            KeyCode::Enter => self.enter(shared),
            KeyCode::Esc => self.back(shared),
            KeyCode::Backspace => self.undo(shared),
            KeyCode::PageUp => self.step(-1, shared),
            KeyCode::PageDown => self.step(1, shared),
            KeyCode::Home => self.step(isize::MIN, shared),
            KeyCode::End => self.step(isize::MAX, shared),
            KeyCode::F(1) => return Next::Page(Page::new("Keys", help::lines(&shared.look))),
            _ => {}
        }
        Next::Stay
    }

    fn letter(&mut self, c: char, shared: &mut Shared) -> Next {
        let asks_engine = matches!(c, 'H' | 'a' | 'e') || (c == 'h' && !self.shown.vi);
        if asks_engine && self.plays_online() {
            self.say("no help while you play somebody: after the game all of it is there");
        }
        let diagram = self.table.game.diagram();
        let begins_cell = diagram.cells.iter().any(|cell| cell.name.starts_with(c));
        if begins_cell {
            self.before = Some((c, self.shown));
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
            'h' | 'H' => self.hint(shared),
            'u' => self.undo(shared),
            'U' => self.redo(shared),
            'f' => self.shown.flipped = !self.shown.flipped,
            'p' => self.pause(Offer::Resume, shared),
            'q' => self.pause(Offer::Exit, shared),
            's' => self.ask_name(shared),
            'm' => self.go_over(shared),
            'x' if self.study.is_some() => return Next::TryAgain,
            'v' => self.shown.panel = !self.shown.panel,
            'o' if self.review.is_some() || self.table.result().is_some() => {
                return self.go_on_from_here(shared);
            }
            'a' => {
                self.shown.analysis = !self.shown.analysis;
                self.note_help();
                self.look_on(shared);
            }
            'e' => self.toggle_bar(shared),
            'r' => return Next::Page(Page::rules(self.table.entry, &shared.look)),
            '?' => return Next::Page(Page::new("Keys", help::lines(&shared.look))),
            '[' => self.step(-1, shared),
            ']' => self.step(1, shared),
            ' ' => self.space(shared),
            'n' | 'N' => return self.next(c == 'N', shared),
            '+' | '=' => self.change_speed(1, shared),
            '-' => self.change_speed(-1, shared),
            'w' if self.table.is_unattended() => {
                self.waits = !self.waits;
                shared.choices.wait = self.waits;
                self.remember(shared);
            }
            ':' | '/' => self.type_move("", shared),
            '@' => self.type_move("@", shared),
            c if begins_cell || begins_cell_in_lower_case(&diagram, c) => {
                self.type_move(&c.to_string(), shared);
            }
            _ => {}
        }
        Next::Stay
    }

    pub fn click(&mut self, hit: Hit, shared: &mut Shared) -> Next {
        if self.dialog.is_some() {
            return match hit {
                Hit::Row(row) => self.dialog_click(row, shared),
                _ => Next::Stay,
            };
        }
        self.note = None;
        self.before = None;
        match hit {
            Hit::Cell(cell) => {
                self.typing = None;
                self.shown.cursor = Cursor::at(cell);
                self.shown.has_cursor = false;
                self.tap(cell, shared);
            }
            Hit::Choice(number) => {
                let picked = self.picker.choose(number);
                self.picked(picked, shared);
            }
            Hit::Row(turns) => {
                self.look_back(Some(turns));
                self.look_on(shared);
            }
            Hit::Key(_) => {}
        }
        Next::Stay
    }

    /// Drops a dragged piece; where it cannot go, it stays selected.
    pub fn drop_on(&mut self, cell: usize, shared: &mut Shared) {
        if self.dialog.is_none() && !self.picker.is_idle() && self.picker.targets().contains(&cell)
        {
            self.tap(cell, shared);
        }
    }

    fn arrow(&mut self, way: Way) {
        self.shown.vi = false;
        self.go(way);
    }

    fn go(&mut self, way: Way) {
        let diagram = self.table.game.diagram();
        // The first key only shows the cursor.
        if std::mem::replace(&mut self.shown.has_cursor, true) {
            self.shown.cursor.go(way, &diagram, self.shown.flipped);
        }
    }

    fn enter(&mut self, shared: &mut Shared) {
        if self.table.is_unattended() && self.table.result().is_none() {
            return self.next_turn(shared);
        }
        if self.table.result().is_some() {
            return self.pause(Offer::Rematch, shared);
        }
        // A cell that nobody sees must not be played on: the first key only shows the cursor.
        if std::mem::replace(&mut self.shown.has_cursor, true) {
            self.tap(self.shown.cursor.cell, shared);
        }
    }

    fn tap(&mut self, cell: usize, shared: &mut Shared) {
        self.look_at_present(shared);
        if self.table.person().is_none() {
            return self.not_now();
        }
        let diagram = self.table.game.diagram();
        let picked = self.picker.tap(cell, &diagram);
        self.picked(picked, shared);
    }

    /// Says why no move can be made.
    fn not_now(&mut self) {
        match self.table.computer() {
            Some(player) => self.say(format!("{} is to move", self.table.full_name(player))),
            None if self.table.result().is_none() => {
                let player = self.table.game.turn();
                self.say(format!("{} is to move", self.table.full_name(player)));
            }
            None => self.say("the game is over: n plays another, u takes back"),
        }
    }

    /// Goes back one stage: to the present position, in the choice, in the turn, at last to the pause menu.
    fn back(&mut self, shared: &mut Shared) {
        if self.review.is_some() {
            self.look_at_present(shared);
        } else if self.picker.back() {
        } else if self.table.person().is_some() && self.table.take_back_part() {
            self.refresh(shared);
        } else {
            self.pause(Offer::Resume, shared);
        }
    }

    fn look_at_present(&mut self, shared: &mut Shared) {
        if self.review.is_some() {
            self.look_back(None);
            self.look_on(shared);
        }
    }

    /// Looks this many turns back or ahead.
    fn step(&mut self, turns: isize, shared: &mut Shared) {
        let played = self.table.game.turns_played();
        let at = self.review.unwrap_or(played);
        let to = at.saturating_add_signed(turns).min(played);
        if to != at {
            self.shown.hint = false;
            self.look_back(Some(to));
            self.look_on(shared);
        }
    }

    fn undo(&mut self, shared: &mut Shared) {
        if self.picker.back() {
            self.picker.clear();
        } else if self.is_online() {
            match self.table.take_back_part() {
                true => self.refresh(shared),
                false => self.send_word("undo"),
            }
        } else if self.table.undo() {
            self.rests |= self.table.is_unattended();
            self.refresh(shared);
        } else {
            self.say("there is nothing to take back");
        }
    }

    fn redo(&mut self, shared: &mut Shared) {
        if self.is_online() {
            self.say("the server takes turns back, and does not play them again");
        } else if self.table.redo() {
            self.refresh(shared);
        } else {
            self.say("nothing was taken back");
        }
    }

    fn hint(&mut self, shared: &mut Shared) {
        if self.game().result().is_some() {
            return self.say("the game is over");
        }
        if self.review.is_none() && self.table.computer().is_some() {
            return self.not_now();
        }
        self.shown.hint = !self.shown.hint;
        self.note_help();
        self.look_on(shared);
    }

    fn toggle_bar(&mut self, shared: &mut Shared) {
        self.shown.bar = !self.shown.bar;
        self.note_help();
        // What two people or a puzzle ask for is not what one wants against the computer.
        if self.task.is_none() && !self.table.sitters.iter().all(Sitter::is_person) {
            shared.choices.bar = self.shown.bar;
            self.remember(shared);
        }
        self.look_on(shared);
    }

    /// Space stops a computer that thinks, pauses a game of computers, and otherwise does what Enter does.
    fn space(&mut self, shared: &mut Shared) {
        if self.table.result().is_some() || self.table.person().is_some() {
            return self.enter(shared);
        }
        if self.table.is_unattended() && self.waits {
            return self.next_turn(shared);
        }
        if self.table.is_unattended() || self.rests {
            self.rests = !self.rests;
            self.think(shared);
            self.tick(shared);
        } else if let Some(thinking) = &self.thinking {
            thinking.job.stop();
        }
    }

    /// The next turn of computers, or another game when this one is over.
    fn next(&mut self, swapped: bool, shared: &mut Shared) -> Next {
        if let Some(task) = &self.task {
            return Next::Puzzle(task.series.next_unsolved(shared));
        }
        if self.table.result().is_some() && self.is_online() {
            self.send_word("rematch");
        } else if self.table.result().is_some() {
            return Next::Play(Box::new(self.table.rematch(swapped)), None);
        }
        if self.table.is_unattended() {
            self.next_turn(shared);
        }
        Next::Stay
    }

    /// Another game that begins with the turns up to the position on the screen.
    fn go_on_from_here(&mut self, shared: &Shared) -> Next {
        let mut table = self.table.rematch(false);
        for turn in self.game().history() {
            if let Err(reason) = table.play(&turn, shared.now) {
                self.warn(reason);
                return Next::Stay;
            }
        }
        if table.result().is_some() {
            self.say(
                "nothing follows the last position: look back first, then o goes on from there",
            );
            return Next::Stay;
        }
        Next::Play(Box::new(table), None)
    }

    fn next_turn(&mut self, shared: &mut Shared) {
        self.rests |= !self.waits;
        match &self.thinking {
            Some(thinking) if thinking.turn.is_none() => thinking.job.stop(),
            _ => self.release(shared),
        }
    }

    fn change_speed(&mut self, step: isize, shared: &mut Shared) {
        if self.table.is_unattended() {
            self.speed = self.speed.saturating_add_signed(step).min(SPEEDS.len() - 1);
            shared.choices.speed = Some(self.speed);
            self.remember(shared);
            self.tick(shared);
        }
    }

    fn remember(&mut self, shared: &mut Shared) {
        if let Err(trouble) = shared.remember() {
            self.warn(trouble);
        }
    }
}

fn begins_cell_in_lower_case(diagram: &rules::diagram::Diagram, c: char) -> bool {
    diagram.cells.iter().any(|cell| cell.name.starts_with(c.to_ascii_lowercase()))
}
