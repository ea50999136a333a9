//! Entering a move by taps. The rules list the legal moves, each with its taps; the taps so far are compared with their
//! prefixes, so no user interface has to know the games.
//!
//! `gesture.js` does the same for the pages, because the first tap is drawn before the WebAssembly program has loaded;
//! a test compares the two.

use engine::Step;
use rules::diagram::Tap;

/// The taps so far, and a cell to be reached by a later tap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spelling {
    /// The taps.
    pub taps: Vec<Tap>,
    /// A cell that was tapped while a choice before it is still open.
    pub aim: Option<usize>,
}

/// The state of an entry.
#[derive(Clone, Debug)]
pub struct Stage<'a> {
    /// The move that is complete.
    pub step: Option<&'a Step>,
    /// The moves that begin with these taps.
    pub candidates: Vec<&'a Step>,
    /// The distinct next taps.
    pub next: Vec<&'a Tap>,
    /// The cells that can be tapped.
    pub cells: Vec<usize>,
}

impl<'a> Stage<'a> {
    /// The next taps that are choices without a cell.
    pub fn choices(&self) -> Vec<&'a Tap> {
        self.next.iter().copied().filter(|tap| tap.cell.is_none()).collect()
    }

    /// What has to be decided next: `stack`, `parts`.
    pub fn name(&self) -> Option<&'static str> {
        self.next.first().map(|tap| tap.stage)
    }

    /// The complete move, unless others begin with the same taps.
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

/// The state of an entry among these legal moves.
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
    // While a choice without a cell is open, the cells after it can already be tapped.
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

    /// Taps a cell. If the cell does not fit, a new move begins there; tapping the first cell again cancels.
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

    /// Makes a choice that has no cell.
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

    /// Undoes the last choice that had an alternative.
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
