//! Lessons: a rule of a game as something to do on the board, in one turn.

/// A position, what to do there, and how one sees that it was done.
#[derive(Clone, Copy, Debug)]
pub struct Lesson {
    /// What it is about, in a word or two.
    pub title: &'static str,
    /// The rule, and what to do.
    pub task: &'static str,
    /// The position, as one line of text.
    pub position: &'static str,
    /// When it is done.
    pub goal: Goal,
    /// A turn that does it.
    pub answer: &'static str,
}

/// What a turn is to bring about; the rules see whether it did.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// The game is won.
    Win,
    /// At least so many pieces have left the board.
    Off(usize),
    /// Cells hold something, in the words of [`crate::spoken`]: "d4" and "red stack of 6".
    Holds(&'static [(&'static str, &'static str)]),
}
