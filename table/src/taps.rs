//! Spelling a move by taps. The rules list the legal steps, each with its taps; what was tapped so far is compared with
//! their beginnings, so no user interface knows a game.
//!
//! `gesture.js` of the pages does the same, because a first tap is drawn before their program has loaded; a test
//! compares the two.

use engine::Step;
use rules::diagram::Tap;

/// What was chosen so far, and a cell that a later tap is to hit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spelling {
    /// The taps.
    pub taps: Vec<Tap>,
    /// A cell behind a choice that is still open.
    pub aim: Option<usize>,
}

/// Where a spelling stands.
#[derive(Clone, Debug)]
pub struct Stage<'a> {
    /// The step that is spelled out.
    pub step: Option<&'a Step>,
    /// The steps that begin like this.
    pub candidates: Vec<&'a Step>,
    /// The different taps that come next.
    pub next: Vec<&'a Tap>,
    /// The cells that can be tapped.
    pub cells: Vec<usize>,
}

impl<'a> Stage<'a> {
    /// The choices that no cell stands for.
    pub fn choices(&self) -> Vec<&'a Tap> {
        self.next.iter().copied().filter(|tap| tap.cell.is_none()).collect()
    }

    /// What is to be decided now: `stack`, `parts`.
    pub fn name(&self) -> Option<&'static str> {
        self.next.first().map(|tap| tap.stage)
    }

    /// The step, if nothing else begins like it.
    pub fn decided(&self) -> Option<&'a Step> {
        self.step.filter(|_| self.candidates.len() == 1)
    }
}

fn same(a: &Tap, b: &Tap) -> bool {
    a.stage == b.stage && a.label == b.label
}

fn begins(step: &Step, taps: &[Tap]) -> bool {
    step.gesture.len() >= taps.len() && step.gesture.iter().zip(taps).all(|(a, b)| same(a, b))
}

fn hits(step: &Step, from: usize, aim: Option<usize>) -> bool {
    aim.is_none() || step.gesture.iter().skip(from).any(|tap| tap.cell == aim)
}

/// Where a spelling stands among these steps.
pub fn stage<'a>(steps: &'a [Step], spelling: &Spelling) -> Stage<'a> {
    let n = spelling.taps.len();
    let fits = |step: &&Step| begins(step, &spelling.taps) && hits(step, n, spelling.aim);
    let candidates: Vec<&Step> = steps.iter().filter(fits).collect();
    let mut next: Vec<&Tap> = Vec::new();
    for tap in candidates.iter().filter_map(|step| step.gesture.get(n)) {
        if !next.iter().any(|own| same(own, tap)) {
            next.push(tap);
        }
    }
    let mut cells: Vec<usize> = next.iter().filter_map(|tap| tap.cell).collect();
    // While a word is to be chosen, the cells behind it may be aimed at.
    if next.iter().any(|tap| tap.cell.is_none()) {
        let later = candidates.iter().flat_map(|step| step.gesture.iter().skip(n));
        cells.extend(later.filter_map(|tap| tap.cell));
    }
    cells.sort_unstable();
    cells.dedup();
    let step = candidates.iter().copied().find(|step| n > 0 && step.gesture.len() == n);
    Stage { step, candidates, next, cells }
}

impl Spelling {
    /// Makes the choices that have no alternative.
    fn settle(mut self, steps: &[Step]) -> Spelling {
        while !self.taps.is_empty() {
            let stage = stage(steps, &self);
            if stage.step.is_some() {
                break;
            }
            let aimed = |tap: &&&Tap| self.aim.is_some() && tap.cell == self.aim;
            let mut aimed = stage.next.iter().filter(aimed);
            let only = match (aimed.next(), aimed.next(), &stage.next[..]) {
                (Some(tap), None, _) => *tap,
                (_, _, [tap]) if tap.cell.is_none() => *tap,
                _ => break,
            };
            if only.cell.is_some() && only.cell == self.aim {
                self.aim = None;
            }
            self.taps.push(only.clone());
        }
        self
    }

    fn with(&self, tap: &Tap, aim: Option<usize>) -> Spelling {
        let mut taps = self.taps.clone();
        taps.push(tap.clone());
        Spelling { taps, aim }
    }

    /// Taps a cell. One that does not fit begins another move; the first one again cancels.
    #[must_use]
    pub fn tap(&self, steps: &[Step], cell: usize) -> Spelling {
        let stage = stage(steps, self);
        if let Some(tap) = stage.next.iter().find(|tap| tap.cell == Some(cell)) {
            return self.with(tap, None).settle(steps);
        }
        let begun = !self.taps.is_empty();
        if begun && stage.cells.contains(&cell) {
            return Spelling { aim: Some(cell), ..self.clone() }.settle(steps);
        }
        if !begun || self.taps.first().is_some_and(|tap| tap.cell == Some(cell)) {
            return Spelling::default();
        }
        Spelling::default().tap(steps, cell)
    }

    /// Makes a choice that no cell stands for.
    #[must_use]
    pub fn choose(&self, steps: &[Step], tap: &Tap) -> Spelling {
        self.with(tap, self.aim).settle(steps)
    }

    /// Drags from one cell to another.
    pub fn drag(steps: &[Step], from: usize, to: usize) -> Spelling {
        let begun = Spelling::default().tap(steps, from);
        let n = begun.taps.len();
        let reaches = |step: &&Step| hits(step, n, Some(to));
        if from == to || n == 0 || !stage(steps, &begun).candidates.iter().any(reaches) {
            return begun;
        }
        Spelling { aim: Some(to), ..begun }.settle(steps)
    }

    /// Takes back the last choice that had an alternative.
    #[must_use]
    pub fn back(&self, steps: &[Step]) -> Spelling {
        if self.aim.is_some() {
            return Spelling { aim: None, ..self.clone() };
        }
        let shorter = |n: usize| Spelling { taps: self.taps[..n].to_vec(), aim: None };
        let stays = |n: &usize| shorter(*n).settle(steps).taps.len() == *n;
        (1..self.taps.len()).rev().find(stays).map(shorter).unwrap_or_default()
    }
}
