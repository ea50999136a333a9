//! A puzzle that is being tried: the win is to be found against an engine that resists.

use super::Play;
use crate::table::{Sitter, Table};
use crate::tui::app::Shared;
use crate::tui::puzzles::{Series, task_words};
use engine::Who;
use rules::{Outcome, Player};

/// The level that resists: it sees the loss coming and answers at once.
const RESISTANCE: u8 = 7;

/// How a try goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Try {
    /// Nothing has been played.
    Begins,
    /// All right so far.
    Right,
    /// The first turn was not the one.
    Wrong,
    /// The win takes longer than it must.
    Late,
    /// Found.
    Solved,
}

/// A puzzle that is being tried.
pub struct Task {
    /// The puzzle, among its game's.
    pub series: Series,
    /// Who is to win.
    player: Player,
}

impl Task {
    /// How the try goes.
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
    /// A puzzle to try; nothing if it cannot be read.
    pub fn puzzle(series: Series, shared: &mut Shared) -> Option<Play> {
        let game = series.open()?;
        let player = game.turn();
        let resists = Sitter::computer(Who::Level { level: RESISTANCE });
        let mut sitters = [resists.clone(), resists];
        sitters[player.index()] = Sitter::person("");
        let table = Table::new(series.entry, game, sitters, None);
        shared.choices.game = series.entry.info.id.into();
        let mut play = Play::new(table, None, shared);
        play.task = Some(Task { series, player });
        Some(play)
    }

    /// Remembers a puzzle that is solved.
    pub(super) fn note_solved(&mut self, shared: &mut Shared) {
        let Some(task) = self.task.as_ref().filter(|task| task.state(&self.table) == Try::Solved)
        else {
            return;
        };
        if let Some(puzzle) = task.series.puzzle()
            && shared.choices.solve(puzzle)
            && let Err(trouble) = shared.remember()
        {
            self.warn(trouble);
        }
    }

    /// What is to be said about the try, and whether it goes wrong; nothing where no puzzle is tried.
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
                ("Right. Now the answer.".into(), false)
            }
            Try::Right => (format!("Right so far: win in {turns} turns, all in all."), false),
            Try::Wrong => (format!("That does not win in {turns} turns: u takes it back."), true),
            Try::Late => (format!("It can be won in {turns} turns: u takes back."), true),
            Try::Solved => ("Solved! n shows the next puzzle.".into(), false),
        })
    }
}
