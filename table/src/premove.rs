//! Premoves: a turn chosen while the opponent is thinking, and played as soon as it is legal.

use crate::taps::{Spelling, stage};
use engine::Step;

/// A premove, or the choice of one.
#[derive(Clone, Debug, Default)]
pub struct Premove {
    /// The moves that can be chosen.
    pub steps: Vec<Step>,
    /// What was tapped so far.
    pub spelling: Spelling,
    /// The text of the turn that was chosen.
    pub chosen: Option<String>,
}

impl Premove {
    /// Offers only moves that are whole turns of one or two cells: longer ones would depend on a position that nobody
    /// has seen yet. `ends` says whether a move completes its turn.
    pub fn new(steps: Vec<Step>, ends: impl Fn(&Step) -> bool) -> Premove {
        let short = |step: &Step| {
            step.gesture.len() <= 2
                && step.gesture.iter().all(|tap| tap.cell.is_some())
                && ends(step)
        };
        Premove { steps: steps.into_iter().filter(short).collect(), ..Premove::default() }
    }

    /// Taps a cell: continues the choice, or cancels the premove.
    pub fn tap(&mut self, cell: usize) {
        if self.chosen.take().is_some() {
            return;
        }
        let spelling = self.spelling.tap(&self.steps, cell);
        self.chosen = stage(&self.steps, &spelling).decided().map(|step| step.text.clone());
        self.spelling = if self.chosen.is_some() { Spelling::default() } else { spelling };
    }

    /// The premove, if it is one of these legal moves.
    pub fn due(&self, steps: &[Step]) -> Option<&str> {
        let chosen = self.chosen.as_deref()?;
        steps.iter().any(|step| step.text == chosen).then_some(chosen)
    }
}
