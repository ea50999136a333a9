//! Variations: turns are tried for both sides, lines of the engine are stepped into, and all of it is a tree
//! that can be saved.

use super::panel::Pen;
use super::{Play, Shown};
use crate::columns::width;
use crate::table::tree::{Tree, Word};
use crate::table::{Sitter, Table};
use crate::tui::app::{Hit, Hits, Next, Shared};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use std::time::Instant;

/// A board on which everything can be tried.
pub struct Explore {
    tree: Tree,
    /// The game that it began with.
    back: Option<Box<Play>>,
}

/// Where a step in the tree leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Back,
    Ahead,
    Start,
    End,
    /// To the next variation, or to the one before.
    Aside(bool),
    To(usize),
}

impl Play {
    /// A board with the turns of a game, at the position on its screen.
    pub fn explore(mut self: Box<Self>, shared: &mut Shared) -> Result<Play, Box<Play>> {
        if let Some(why) = self.is_not_for_trying() {
            self.say(why);
            return Err(self);
        }
        let line = self.chosen_line();
        self.note_seen_answer();
        self.step_back(shared.now);
        let at = self.review.unwrap_or(self.table.game.turns_played());
        let mut play = Play::trying(&self.table, at, shared);
        play.shown = Shown {
            flipped: self.shown.flipped,
            analysis: self.shown.analysis,
            bar: self.shown.bar,
            ..play.shown
        };
        if let (Some(line), Some(explore)) = (line, &mut play.explore) {
            explore.tree.add_line(&line);
        }
        if let Some(explore) = &mut play.explore {
            explore.back = Some(self);
        }
        play.refresh(shared);
        Ok(play)
    }

    /// A board that begins with a position.
    pub fn explore_table(table: &Table, shared: &mut Shared) -> Play {
        let mut play = Play::trying(table, table.game.turns_played(), shared);
        play.shown.analysis = true;
        play.refresh(shared);
        play
    }

    fn trying(table: &Table, turns: usize, shared: &Shared) -> Play {
        let mut tree = Tree::of(&table.record(shared.now).main);
        for turn in table.game.history() {
            tree.play(&turn);
        }
        while tree.line().len() > turns && tree.back() {}
        let mut game = table.game.boxed_clone();
        game.rewind(turns);
        let sitters = table.sitters.clone().map(|sitter| {
            let name = sitter.called(table.game.as_ref()).unwrap_or_default();
            Sitter::person(&name)
        });
        let own = Table::new(table.entry, game, sitters, None);
        let mut play = Play::bare(own, None, shared);
        play.explore = Some(Explore { tree, back: None });
        play
    }

    /// Why there is no board for trying things now.
    fn is_not_for_trying(&self) -> Option<&'static str> {
        if self.plays_online() {
            return Some("no help while you play somebody: after the game all of it is there");
        }
        if self.retry.is_some() {
            return Some("first find a better turn; Esc returns to the game");
        }
        self.table.game.in_turn().then_some("finish the turn first, or take it back with Esc")
    }

    /// Lets nothing happen here while another board is looked at.
    fn step_back(&mut self, now: Instant) {
        self.thinking = None;
        self.watch = None;
        self.table.tend_clock(true, now);
    }

    /// Goes on after another board was looked at.
    pub fn come_back(&mut self, shared: &mut Shared) {
        self.tend_clock(shared.now);
        self.think(shared);
        self.look_on(shared);
    }

    pub(super) fn is_exploring(&self) -> bool {
        self.explore.is_some()
    }

    /// How many variations there are to the turn on the screen, itself included.
    pub(super) fn variations_here(&self) -> usize {
        self.explore.as_ref().map_or(0, |explore| explore.tree.choices())
    }

    /// Reports that are meant for the game behind this board.
    pub(super) fn game_behind(&mut self) -> Option<&mut Play> {
        let retry = self.retry.as_mut().map(|retry| retry.back.as_mut());
        retry.or_else(|| self.explore.as_mut()?.back.as_deref_mut())
    }

    /// The game behind this board.
    pub(super) fn behind(&self) -> Option<&Play> {
        let retry = self.retry.as_ref().map(|retry| retry.back.as_ref());
        retry.or_else(|| self.explore.as_ref()?.back.as_deref())
    }

    /// Back to the game, which keeps the variations.
    pub(super) fn leave_explore(&mut self) -> Option<Next> {
        let explore = self.explore.as_mut()?;
        let mut back = explore.back.take()?;
        back.table.notes = Some(explore.tree.clone()).filter(|tree| !tree.is_plain());
        Some(Next::Resume(back))
    }

    /// Notes the turn that has just been completed.
    pub(super) fn branch(&mut self) {
        let turn = self.table.game.last_turn().filter(|_| !self.table.game.in_turn());
        if let (Some(explore), Some(turn)) = (&mut self.explore, turn) {
            explore.tree.play(&turn);
        }
    }

    /// Whether another turn may branch off here.
    pub(super) fn may_branch(&mut self) -> bool {
        let too_deep = self.explore.as_ref().is_some_and(|explore| explore.tree.is_too_deep());
        if too_deep {
            self.warn("variations are nested too deep here: ^ makes this one the main line");
        }
        !too_deep
    }

    /// Looks at another turn of the tree.
    pub(super) fn step_in_tree(&mut self, step: Step, shared: &mut Shared) {
        let Some(explore) = &mut self.explore else { return };
        let before = explore.tree.at();
        let moved = match step {
            Step::Back => explore.tree.back(),
            Step::Ahead => explore.tree.ahead(),
            Step::Start => {
                explore.tree.go(None);
                before.is_some()
            }
            Step::End => {
                let mut moved = false;
                while explore.tree.ahead() {
                    moved = true;
                }
                moved
            }
            Step::Aside(forward) => explore.tree.aside(forward),
            Step::To(number) => {
                explore.tree.go(Some(number));
                true
            }
        };
        match (moved, step) {
            (true, _) => self.stand(before, shared),
            (false, Step::Aside(_)) => self.say("this turn has no other variation"),
            // Half a turn is taken back.
            (false, Step::Back) if self.table.take_back_part() => self.refresh(shared),
            (false, _) => {}
        }
    }

    /// Shows the position that the tree is at; if a turn cannot be played after all, the one before.
    fn stand(&mut self, before: Option<usize>, shared: &mut Shared) {
        let Some(explore) = &mut self.explore else { return };
        let line = explore.tree.line();
        let known = self.table.game.history();
        let same = line.iter().zip(&known).take_while(|(a, b)| a == b).count();
        self.table.game.rewind(same);
        for turn in line.iter().skip(same) {
            if let Err(error) = self.table.game.play(turn) {
                explore.tree.go(before);
                let line = explore.tree.line();
                self.table.game.rewind(0);
                // It was there before.
                line.iter().for_each(|turn| drop(self.table.game.play(turn)));
                self.refresh(shared);
                return self.warn(format!("this variation cannot be played: {error}"));
            }
        }
        self.note = None;
        self.refresh(shared);
    }

    /// Takes the turn on the screen and all that follow away.
    pub(super) fn cut_off(&mut self, shared: &mut Shared) {
        let Some(explore) = &mut self.explore else { return };
        let before = explore.tree.at();
        if explore.tree.remove() {
            self.stand(before, shared);
            self.say("this variation is gone");
        } else {
            self.say("nothing is left to take away");
        }
    }

    /// Makes the variation on the screen the main line.
    pub(super) fn make_main(&mut self) {
        let changed = self.explore.as_mut().is_some_and(|explore| explore.tree.promote());
        self.say(match changed {
            true => "this is the main line now",
            false => "this is the main line already",
        });
    }

    /// The turns of the engine's line that is chosen.
    fn chosen_line(&self) -> Option<Vec<String>> {
        let lines = &self.watch.as_ref()?.view.as_ref()?.lines;
        let line = lines.get(self.line).or(lines.first())?;
        Some(line.turns.clone()).filter(|turns| !turns.is_empty() && self.shown.analysis)
    }

    /// Chooses another of the engine's lines.
    pub(super) fn choose_line(&mut self, forward: bool) {
        let count = self.watch.as_ref().and_then(|watch| Some(watch.view.as_ref()?.lines.len()));
        let count = count.unwrap_or(0).clamp(1, super::LINES);
        let at = self.line.min(count - 1);
        self.line = if forward { (at + 1) % count } else { (at + count - 1) % count };
    }

    /// Steps into the engine's line that is chosen.
    pub(super) fn step_into_line(&mut self, shared: &mut Shared) -> Next {
        if !self.shown.analysis {
            self.say("a shows the engine's lines: then > steps into one");
            return Next::Stay;
        }
        let Some(line) = self.chosen_line() else {
            self.say("the engine has found no line yet");
            return Next::Stay;
        };
        if self.explore.is_none() {
            return Next::Explore;
        }
        if self.may_branch()
            && let Some(explore) = &mut self.explore
        {
            explore.tree.add_line(&line);
            self.step_in_tree(Step::Ahead, shared);
        }
        Next::Stay
    }

    /// The table that is saved: the main line, with everything else as variations.
    pub(super) fn table_to_save(&self) -> Option<Table> {
        let explore = self.explore.as_ref()?;
        let mut game = self.table.game.start();
        let main = explore.tree.variation().nodes;
        for node in &main {
            game.play(&node.turn).ok()?;
        }
        let mut table = Table::new(self.table.entry, game, self.table.sitters.clone(), None);
        if let Some(back) = &explore.back {
            table.sitters.clone_from(&back.table.sitters);
            let same = back.table.game.history() == table.game.history();
            table.given = back.table.given.clone().filter(|_| same);
        }
        table.notes = Some(explore.tree.clone());
        Some(table)
    }

    /// The players of a game that goes on from here.
    pub(super) fn sitters_behind(&self) -> Option<&Table> {
        Some(&self.explore.as_ref()?.back.as_ref()?.table)
    }

    /// What is said of the turn on the screen, and the tree.
    pub(super) fn view_tree(&self, pen: &mut Pen<'_, '_>, hits: &Hits) {
        let Some(explore) = &self.explore else { return };
        let look = pen.look;
        let said = explore.tree.said();
        if !said.is_empty() {
            pen.words(&said, look.accent());
            pen.gap();
        }
        let lead = self.table.game.first_player().index();
        let mut rows: Vec<Vec<(String, Option<usize>, bool)>> = vec![Vec::new()];
        let (mut used, mut at, mut numbers, mut glue) = (0, 0, true, String::new());
        for word in explore.tree.words() {
            let (number, ply, text, is_main) = match word {
                Word::Open => {
                    (numbers, glue) = (true, "(".into());
                    continue;
                }
                Word::Close => {
                    if let Some((text, _, _)) = rows.last_mut().and_then(|row| row.last_mut()) {
                        text.push(')');
                        used += 1;
                    }
                    numbers = true;
                    continue;
                }
                Word::Turn { number, ply, text, is_main } => (number, ply + lead, text, is_main),
            };
            let count = match ply % 2 {
                0 => format!("{}. ", ply / 2 + 1),
                _ if numbers => format!("{}... ", ply / 2 + 1),
                _ => String::new(),
            };
            numbers = false;
            let text = format!("{}{count}{text}", std::mem::take(&mut glue));
            let columns = width(&text) + 1;
            if used + columns > pen.width() && used > 0 {
                rows.push(Vec::new());
                used = 0;
            }
            used += columns;
            if Some(number) == explore.tree.at() {
                at = rows.len() - 1;
            }
            if let Some(row) = rows.last_mut() {
                row.push((text, Some(number), is_main));
            }
        }
        let room = usize::from(pen.area.height);
        let first = (at + 2).saturating_sub(room).min(rows.len().saturating_sub(room));
        for row in rows.iter().skip(first).take(room) {
            let span = |(text, number, is_main): &(String, Option<usize>, bool)| {
                let style = match (*number == explore.tree.at(), is_main) {
                    (true, _) => look.chosen(),
                    (false, true) => look.strong(),
                    (false, false) => look.soft(),
                };
                [Span::styled(text.clone(), style), Span::raw(" ")]
            };
            let mut x = pen.area.x;
            let Some(y) = pen.line(row.iter().flat_map(span).collect::<Line>()) else { return };
            for (text, number, _) in row {
                let columns = width(text) as u16;
                if let Some(number) = number {
                    hits.add(Rect::new(x, y, columns, 1), Hit::Row(*number));
                }
                x += columns + 1;
            }
        }
    }
}
