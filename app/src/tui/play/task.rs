//! An attempt at a puzzle: finding the win against an engine that resists.

use super::Play;
use crate::table::{Sitter, Table};
use crate::tui::app::Shared;
use crate::tui::puzzles::{Series, task_words};
use engine::Who;
use rules::{Outcome, Player};

/// The level that resists: it sees the loss coming and answers at once.
const RESISTANCE: u8 = 7;

/// How an attempt goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Try {
    /// Nothing has been played yet.
    Begins,
    Right,
    /// The first turn was not the solution.
    Wrong,
    /// The win takes longer than it must.
    Late,
    Solved,
}

/// An attempt at a puzzle.
pub struct Task {
    /// The puzzle, among those of its game.
    pub series: Series,
    /// Who is to win.
    player: Player,
    /// Whether a hint, the bar or an analysis was looked at before it was solved.
    helped: bool,
}

impl Task {
    pub(super) fn state(&self, table: &Table) -> Try {
        let Some(puzzle) = self.series.puzzle() else { return Try::Begins };
        let turns = table.game.history();
        let unfinished = usize::from(table.game.in_turn());
        let own = (turns.len() - unfinished).div_ceil(2) as u32;
        match turns.first().zip(puzzle.solution.first()) {
            _ if own == 0 => Try::Begins,
            Some((first, only)) if first != only => Try::Wrong,
            _ if table.result() == Some(Outcome::Win(self.player)) && own <= puzzle.turns => {
                Try::Solved
            }
            _ if table.result().is_some() || own >= puzzle.turns => Try::Late,
            _ => Try::Right,
        }
    }
}

impl Play {
    /// A game that begins with a puzzle; nothing if the puzzle cannot be read.
    pub fn puzzle(series: Series, shared: &mut Shared) -> Option<Play> {
        let game = series.open()?;
        let player = game.turn();
        let resists = Sitter::computer(Who::Level { level: RESISTANCE });
        let mut sitters = [resists.clone(), resists];
        sitters[player.index()] = Sitter::person("");
        let table = Table::new(series.entry, game, sitters, None);
        shared.choices.game = series.entry.info.id.into();
        let mut play = Play::bare(table, None, shared);
        play.shown.bar = false;
        play.task = Some(Task { series, player, helped: false });
        play.refresh(shared);
        Some(play)
    }

    /// Notes that a puzzle is no longer solved by oneself.
    pub(super) fn note_help(&mut self) {
        let looks = self.shown.hint || self.shown.bar || self.shown.analysis;
        let table = &self.table;
        if let Some(task) = self.task.as_mut().filter(|task| task.state(table) != Try::Solved) {
            task.helped |= looks;
        }
    }

    /// Remembers a puzzle that is solved without help.
    pub(super) fn note_solved(&mut self, shared: &mut Shared) {
        let is_solved = |task: &&Task| !task.helped && task.state(&self.table) == Try::Solved;
        let Some(task) = self.task.as_ref().filter(is_solved) else {
            return;
        };
        if let Some(puzzle) = task.series.puzzle()
            && shared.choices.solve(puzzle)
            && let Err(trouble) = shared.remember()
        {
            self.warn(trouble);
        }
    }

    /// How the attempt goes, in words, and whether it has failed; nothing where there is no puzzle.
    pub(super) fn task_prompt(&self) -> Option<(String, bool)> {
        let task = self.task.as_ref().filter(|_| self.review.is_none())?;
        let puzzle = task.series.puzzle()?;
        let turns = puzzle.turns;
        Some(match task.state(&self.table) {
            Try::Begins if self.picker.is_idle() && !self.table.game.in_turn() => {
                (task_words(puzzle, self.table.game.start().as_ref()), false)
            }
            Try::Begins => return None,
            Try::Right if self.table.computer().is_some() => {
                ("Right. Now the reply.".into(), false)
            }
            Try::Right => (format!("Right so far: win in {turns} turns in all."), false),
            Try::Wrong => (format!("That does not win in {turns} turns: u takes it back."), true),
            Try::Late => (format!("It can be won in {turns} turns: u takes back."), true),
            Try::Solved if task.helped => (
                "Solved with help, so it stays on the list. n shows the next puzzle.".into(),
                false,
            ),
            Try::Solved => ("Solved! n shows the next puzzle.".into(), false),
        })
    }
}
