//! Variations: turns are tried for both sides, lines of the engine are stepped into, and all of it is a tree
//! that can be saved.

use super::mode::Mode;
use super::panel::Pen;
use super::{BoardScreen, Shown};
use crate::sitting::{Sitting, seat};
use crate::tui::app::{Context, Hit, Hits, Next};
use ratatui::style::Style;
use rules::ByPlayer;
use std::time::Instant;
use table::tree::{Tree, Word};

impl BoardScreen {
    /// A board for variations of this game, at the position on the screen; this game where none are allowed.
    pub fn explore(mut self: Box<Self>, context: &mut Context) -> Box<BoardScreen> {
        if let Some(why) = self.is_not_for_trying() {
            self.say(why);
            return self;
        }
        let line = self.chosen_line();
        self.note_seen_answer();
        self.step_back(context.now);
        let at = self.review().unwrap_or(self.sitting.board.turns_played());
        let Shown { flipped, analysis, bar, .. } = self.shown;
        let mut play = BoardScreen::trying(&self.sitting, at, context);
        play.shown = Shown { flipped, analysis, bar, ..play.shown };
        if let (Mode::Explore(tree), Some(line)) = (&mut play.mode, line) {
            tree.add_line(&line);
        }
        play.back = Some(self);
        play.refresh(context);
        Box::new(play)
    }

    /// A board that begins with a position.
    pub fn explore_sitting(sitting: &Sitting, context: &mut Context) -> BoardScreen {
        let mut play = BoardScreen::trying(sitting, sitting.board.turns_played(), context);
        play.shown.analysis = true;
        play.refresh(context);
        play
    }

    fn trying(sitting: &Sitting, turns: usize, context: &Context) -> BoardScreen {
        let mut tree = Tree::of(&sitting.record(context.now).main);
        for turn in sitting.board.history() {
            tree.play(&turn);
        }
        while tree.line().len() > turns && tree.back() {}
        let mut game = sitting.board.boxed_clone();
        game.rewind(turns);
        let named = |player| seat::person(sitting.called(player).unwrap_or_default());
        let own = Sitting::new(sitting.entry, game, ByPlayer::from_fn(named), None);
        BoardScreen::bare(own, Mode::Explore(tree), context)
    }

    /// Why variations cannot be tried now.
    fn is_not_for_trying(&self) -> Option<&'static str> {
        if self.sitting.is_played_online() {
            return Some("no help while you play somebody: it is all there after the game");
        }
        if matches!(self.mode, Mode::Retry(_)) {
            return Some("first find a better turn; Esc returns to the game");
        }
        self.sitting.board.in_turn().then_some("finish the turn first, or take it back with Esc")
    }

    /// Stops thinking and the clock while another board is on the screen.
    fn step_back(&mut self, now: Instant) {
        self.thinking = None;
        self.opinion.watch = None;
        self.sitting.tend_clock(true, now);
    }

    /// Goes on after another board was on the screen.
    fn come_back(&mut self, context: &mut Context) {
        self.tend_clock(context.now);
        self.think(context);
        self.look_on(context);
    }

    pub(super) fn is_exploring(&self) -> bool {
        self.mode.tree().is_some()
    }

    /// How many variations there are to the turn on the screen, itself included.
    pub(super) fn variations_here(&self) -> usize {
        self.mode.tree().map_or(0, Tree::choices)
    }

    /// Back to the game that this board was opened from, which keeps the variations; this board if there is none.
    pub fn leave(mut self: Box<Self>, context: &mut Context) -> Box<BoardScreen> {
        let Some(mut back) = self.back.take() else { return self };
        if let Mode::Explore(tree) = self.mode {
            back.sitting.notes = Some(tree).filter(|tree| !tree.is_plain());
        }
        back.come_back(context);
        back
    }

    /// Notes the turn that has just been completed.
    pub(super) fn branch(&mut self) {
        let turn = self.sitting.board.last_turn().filter(|_| !self.sitting.board.in_turn());
        if let (Mode::Explore(tree), Some(turn)) = (&mut self.mode, turn) {
            tree.play(&turn);
        }
    }

    /// Whether another turn may branch off here.
    pub(super) fn may_branch(&mut self) -> bool {
        let too_deep = self.mode.tree().is_some_and(Tree::is_too_deep);
        if too_deep {
            self.warn("variations are nested too deep here: ^ makes this one the main line");
        }
        !too_deep
    }

    /// Moves in the tree, and returns whether that is possible.
    pub(super) fn step_in_tree(
        &mut self,
        go: impl FnOnce(&mut Tree) -> bool,
        context: &mut Context,
    ) -> bool {
        let Mode::Explore(tree) = &mut self.mode else { return false };
        let before = tree.at();
        let moved = go(tree);
        if moved {
            self.stand(before, context);
        }
        moved
    }

    /// Goes to the next variation of the turn on the screen, or to the one before.
    pub(super) fn step_aside_in_tree(&mut self, forward: bool, context: &mut Context) {
        if !self.step_in_tree(|tree| tree.aside(forward), context) {
            self.say("this turn has no other variation");
        }
    }

    /// Goes one turn back in the tree, or takes back half a turn.
    pub(super) fn back_in_tree(&mut self, context: &mut Context) {
        if !self.step_in_tree(Tree::back, context) && self.sitting.take_back_part() {
            self.refresh(context);
        }
    }

    /// Shows the position that the tree is at; if a turn cannot be played after all, the one before.
    fn stand(&mut self, before: Option<usize>, context: &mut Context) {
        let Mode::Explore(tree) = &mut self.mode else { return };
        match self.sitting.go_to(&tree.line(), context.now) {
            Ok(()) => {
                self.note = None;
                self.refresh(context);
            }
            Err(why) => {
                tree.go(before);
                self.refresh(context);
                self.warn(format!("this variation cannot be played: {why}"));
            }
        }
    }

    /// Removes the turn on the screen and all that follow it.
    pub(super) fn cut_off(&mut self, context: &mut Context) {
        let removed = self.step_in_tree(Tree::remove, context);
        self.say(match removed {
            true => "this variation was removed",
            false => "nothing is left to remove",
        });
    }

    /// Makes the variation on the screen the main line.
    pub(super) fn make_main(&mut self) {
        let Mode::Explore(tree) = &mut self.mode else { return };
        let changed = tree.promote();
        self.say(match changed {
            true => "this is the main line now",
            false => "this is the main line already",
        });
    }

    /// The turns of the engine's line that is chosen.
    fn chosen_line(&self) -> Option<Vec<String>> {
        let lines = self.opinion.lines();
        let line = lines.get(self.opinion.line).or(lines.first())?;
        Some(line.turns.clone()).filter(|turns| !turns.is_empty() && self.shown.analysis)
    }

    /// Chooses another of the engine's lines.
    pub(super) fn choose_line(&mut self, forward: bool) {
        let count = self.opinion.lines().len().clamp(1, super::LINES);
        let at = self.opinion.line.min(count - 1);
        self.opinion.line = if forward { (at + 1) % count } else { (at + count - 1) % count };
    }

    /// Steps into the engine's line that is chosen.
    pub(super) fn step_into_line(&mut self, context: &mut Context) -> Next {
        if !self.shown.analysis {
            self.say("a shows the engine's lines: then > steps into one");
            return Next::Stay;
        }
        let Some(line) = self.chosen_line() else {
            self.say("the engine has found no line yet");
            return Next::Stay;
        };
        if !self.is_exploring() {
            return Next::Explore;
        }
        if self.may_branch()
            && let Mode::Explore(tree) = &mut self.mode
        {
            tree.add_line(&line);
            self.step_in_tree(Tree::ahead, context);
        }
        Next::Stay
    }

    /// The game that is saved: the main line, with everything else as variations.
    pub(super) fn sitting_to_save(&self) -> Option<Sitting> {
        let tree = self.mode.tree()?;
        let mut board = self.sitting.board.start();
        for node in &tree.variation().nodes {
            board.play(&node.turn).ok()?;
        }
        let behind = self.behind().unwrap_or(&self.sitting);
        let mut sitting = Sitting::new(self.sitting.entry, board, behind.seats().clone(), None);
        if behind.board.history() == sitting.board.history() {
            sitting.state.course.result = behind.state.course.result;
        }
        sitting.notes = Some(tree.clone());
        Some(sitting)
    }

    /// The game that this board was opened from.
    pub(super) fn behind(&self) -> Option<&Sitting> {
        self.back.as_ref().filter(|_| self.is_exploring()).map(|back| &back.sitting)
    }

    /// Draws the comment on the turn on the screen, and the tree.
    pub(super) fn view_tree(&self, pen: &mut Pen<'_, '_>, hits: &Hits) {
        let Some(tree) = self.mode.tree() else { return };
        let look = pen.look;
        let said = tree.said();
        if !said.is_empty() {
            pen.words(&said, look.accent());
            pen.gap();
        }
        let lead = self.sitting.board.first_player().index();
        let mut words: Vec<(String, Style, Hit)> = Vec::new();
        let (mut at, mut numbers, mut glue) = (0, true, "");
        for word in tree.words() {
            let (number, ply, text, is_main) = match word {
                Word::Open => {
                    (numbers, glue) = (true, "(");
                    continue;
                }
                Word::Close => {
                    if let Some((text, ..)) = words.last_mut() {
                        text.push(')');
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
            let style = match (Some(number) == tree.at(), is_main) {
                (true, _) => look.chosen(),
                (false, true) => look.strong(),
                (false, false) => look.soft(),
            };
            if Some(number) == tree.at() {
                at = words.len();
            }
            words.push((format!("{glue}{count}{text}"), style, Hit::Row(number)));
            (numbers, glue) = (false, "");
        }
        pen.flow(&words, at, usize::from(pen.area.height), hits);
    }
}
