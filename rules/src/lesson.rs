//! Lessons: each teaches a rule by a task for one turn on the board, and ends in a small game.

/// A position, a task, and a goal that tells whether the task was done.
#[derive(Clone, Copy, Debug)]
pub struct Lesson {
    /// The title, a word or two.
    pub title: &'static str,
    /// The rule, and what to do.
    pub task: &'static str,
    /// The position, as one line of text.
    pub position: &'static str,
    /// The goal.
    pub goal: Goal,
    /// A turn that reaches the goal.
    pub answer: &'static str,
    /// The position of a small game in which the rule decides; the learner is player 1.
    pub game: &'static str,
    /// The opponent, in the words of commands: a player that makes the mistake the lesson is about.
    pub against: &'static str,
    /// That mistake, as the end of "Your opponent often overlooks".
    pub overlooks: &'static str,
}

/// What a turn has to achieve.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// The game is won.
    Win,
    /// The game goes on, and the opponent cannot win with the next turn.
    Safe,
    /// At least this many pieces have left the board.
    Off(usize),
    /// Cells hold something, in the words of [`crate::spoken`]: "d4" and "red stack of 6".
    Holds(&'static [(&'static str, &'static str)]),
}
