//! Premoves: a turn that is chosen while the other side thinks, and played as soon as it may be.

use crate::taps::{Spelling, stage};
use engine::Step;

/// A turn that is chosen ahead, or is being chosen.
#[derive(Clone, Debug, Default)]
pub struct Premove {
    /// What may be chosen.
    pub steps: Vec<Step>,
    /// What was tapped so far.
    pub spelling: Spelling,
    /// The text of the turn that was chosen.
    pub chosen: Option<String>,
}

impl Premove {
    /// Chooses among steps that are whole turns of one or two cells: more would be chosen for a board that nobody has
    /// seen. `ends` says whether a step ends its turn.
    pub fn new(steps: Vec<Step>, ends: impl Fn(&Step) -> bool) -> Premove {
        let short = |step: &Step| {
            step.gesture.len() <= 2
                && step.gesture.iter().all(|tap| tap.cell.is_some())
                && ends(step)
        };
        Premove { steps: steps.into_iter().filter(short).collect(), ..Premove::default() }
    }

    /// Taps a cell: it chooses, or takes back what was chosen.
    pub fn tap(&mut self, cell: usize) {
        if self.chosen.take().is_some() {
            return;
        }
        let spelling = self.spelling.tap(&self.steps, cell);
        self.chosen = stage(&self.steps, &spelling).decided().map(|step| step.text.clone());
        self.spelling = if self.chosen.is_some() { Spelling::default() } else { spelling };
    }

    /// The turn that can be played now that these steps are legal; none if the board has made it impossible.
    pub fn due(&self, steps: &[Step]) -> Option<&str> {
        let chosen = self.chosen.as_deref()?;
        steps.iter().any(|step| step.text == chosen).then_some(chosen)
    }
}
