//! A move that is being entered on the screen: the table's spelling of it, and the choice that is highlighted.

use engine::Step;
use rules::diagram::{Diagram, Tap};
use table::taps::{self, Spelling, Stage};

/// A move that is being entered, in any game.
#[derive(Clone, Debug, Default)]
pub struct Picker {
    steps: Vec<Step>,
    spelling: Spelling,
    /// The highlighted one among the choices without a cell.
    pub highlight: usize,
}

/// The effect of a tap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Picked {
    /// There is more to choose.
    More,
    /// The move is complete.
    Move(String),
    /// Why it cannot be chosen.
    Refused(String),
}

impl Picker {
    /// Nothing tapped yet, with these legal moves.
    pub fn new(steps: Vec<Step>) -> Picker {
        Picker { steps, ..Picker::default() }
    }

    fn here(&self) -> Stage<'_> {
        taps::stage(&self.steps, &self.spelling)
    }

    /// The choices without a cell.
    pub fn choices(&self) -> Vec<&Tap> {
        self.here().choices()
    }

    /// The next decision: `stack`, `parts`.
    pub fn stage(&self) -> Option<&'static str> {
        self.here().name()
    }

    /// The taps so far.
    pub fn taps(&self) -> &[Tap] {
        &self.spelling.taps
    }

    /// Whether nothing has been chosen.
    pub fn is_idle(&self) -> bool {
        self.taps().is_empty()
    }

    /// The cell chosen last.
    pub fn selected(&self) -> Option<usize> {
        self.taps().iter().rev().find_map(|tap| tap.cell)
    }

    /// The spelling with the highlighted choice, if there is one.
    fn ahead(&self) -> Spelling {
        let choice = self.choices().get(self.highlight).copied();
        choice.map_or_else(|| self.spelling.clone(), |tap| self.spelling.choose(&self.steps, tap))
    }

    /// The cells that can be chosen now, or where the highlighted choice leads if the choice is not a cell.
    pub fn targets(&self) -> Vec<usize> {
        let stage = taps::stage(&self.steps, &self.ahead());
        stage.next.iter().filter_map(|tap| tap.cell).collect()
    }

    /// The cells where pieces land if a move that begins like this one is made: for a split stack those of all its
    /// parts. Where no piece travels, the cells that can be chosen.
    pub fn landings(&self) -> Vec<usize> {
        let stage = taps::stage(&self.steps, &self.ahead());
        let steps = stage.candidates.iter().filter(|step| step.trace.placed.is_none());
        let mut cells = self.targets();
        cells.extend(steps.flat_map(|step| step.trace.travels.iter().filter_map(|way| way.to)));
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// The cell to tap for a landing cell, if there is only one.
    fn landing(&self, cell: usize) -> Option<usize> {
        let lands = |step: &&&Step| {
            step.trace.placed.is_none() && step.trace.travels.iter().any(|way| way.to == Some(cell))
        };
        let (stage, at) = (self.here(), self.taps().len());
        let mut taps =
            stage.candidates.iter().filter(lands).filter_map(|step| step.gesture.get(at));
        let first = taps.next()?.cell?;
        taps.all(|tap| tap.cell == Some(first)).then_some(first)
    }

    fn spell(&mut self, spelling: Spelling) -> Picked {
        (self.spelling, self.highlight) = (spelling, 0);
        let stage = self.here();
        let step = stage.step.filter(|_| stage.next.is_empty());
        step.map_or(Picked::More, |step| Picked::Move(step.text.clone()))
    }

    /// Taps a cell. A cell that another move begins with starts that move; the first one again cancels it.
    pub fn tap(&mut self, cell: usize, diagram: &Diagram) -> Picked {
        let leads = |spelling: &Spelling| {
            let stage = taps::stage(&self.steps, spelling);
            stage.next.iter().any(|tap| tap.cell == Some(cell))
        };
        let is_first = self.taps().first().is_some_and(|tap| tap.cell == Some(cell));
        let begun = if self.is_idle() { None } else { self.landing(cell) };
        let spelling = match begun {
            _ if leads(&self.spelling) => self.spelling.tap(&self.steps, cell),
            _ if leads(&self.ahead()) => self.ahead().tap(&self.steps, cell),
            Some(landing) => self.spelling.tap(&self.steps, landing),
            None if is_first => Spelling::default(),
            None if leads(&Spelling::default()) => Spelling::default().tap(&self.steps, cell),
            None => return Picked::Refused(self.refusal(cell, diagram)),
        };
        self.spell(spelling)
    }

    /// Makes one of the choices without a cell.
    pub fn choose(&mut self, number: usize) -> Picked {
        match self.choices().get(number) {
            Some(tap) => self.spell(self.spelling.choose(&self.steps, tap)),
            // Choices are counted from 1, so the key 0 comes as the largest number.
            None => Picked::Refused(format!("there is no choice {}", number.wrapping_add(1))),
        }
    }

    /// Takes back one choice; returns whether there was one.
    pub fn back(&mut self) -> bool {
        let is_there = !self.is_idle();
        (self.spelling, self.highlight) = (self.spelling.back(&self.steps), 0);
        is_there
    }

    /// Takes back all choices.
    pub fn clear(&mut self) {
        (self.spelling, self.highlight) = (Spelling::default(), 0);
    }

    /// Why a cell cannot be chosen, judged by what is on the board.
    fn refusal(&self, cell: usize, diagram: &Diagram) -> String {
        let Some(drawn) = diagram.cells.get(cell) else { return "that is not a cell".into() };
        let (name, stage) = (&drawn.name, self.stage().unwrap_or("move"));
        let targets = self.targets();
        let holds = |cell: &usize| diagram.cells.get(*cell).is_some_and(|c| c.piece.is_some());
        if !self.choices().is_empty() {
            return format!("first choose the {stage} from the list");
        }
        let owner = drawn.piece.as_ref().map(|piece| piece.owner);
        match owner {
            Some(_) if !targets.iter().any(holds) => format!("{name} is occupied"),
            None if targets.iter().all(holds) => {
                format!("{name} is empty: choose a {stage} among the marked cells")
            }
            Some(owner) if self.is_idle() && diagram.turn != Some(owner) => {
                format!("the piece on {name} is {}'s", diagram.players[owner].name)
            }
            Some(_) if self.is_idle() => format!("the piece on {name} cannot move now"),
            _ => format!("{name} cannot be reached: choose a marked cell, or Esc to go back"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Session;

    fn game(id: &str, moves: &str) -> Box<dyn Session> {
        let mut game = (engine::find(id).unwrap().start)(&Default::default()).unwrap();
        moves.split_whitespace().for_each(|text| game.play(text).unwrap());
        game
    }

    fn cell(diagram: &Diagram, name: &str) -> usize {
        diagram.cells.iter().position(|cell| cell.name == name).unwrap()
    }

    #[test]
    fn every_legal_move_can_be_tapped_in_every_game() {
        for entry in engine::GAMES {
            let mut game = (entry.start)(&Default::default()).unwrap();
            for round in 0..12 {
                let diagram = game.diagram();
                let steps = game.steps();
                for step in &steps {
                    let mut picker = Picker::new(steps.clone());
                    let mut picked = Picked::More;
                    // Taps without alternative are made by the picker itself.
                    while let Some(tap) = step.gesture.get(picker.taps().len()) {
                        picked = match tap.cell {
                            Some(cell) => picker.tap(cell, &diagram),
                            None => {
                                let choices = picker.choices();
                                let at = choices.iter().position(|own| own.label == tap.label);
                                picker.choose(at.unwrap())
                            }
                        };
                    }
                    assert_eq!(picked, Picked::Move(step.text.clone()));
                }
                let Some(step) = steps.get(round * 7 % steps.len().max(1)) else { break };
                game.play(&step.text).unwrap();
            }
        }
    }

    #[test]
    fn going_back_undoes_one_choice_and_what_followed_by_itself() {
        let game = game("glaisher", "");
        let diagram = game.diagram();
        let mut picker = Picker::new(game.steps());
        assert_eq!(picker.stage(), Some("stack"));
        assert_eq!(picker.tap(cell(&diagram, "a2"), &diagram), Picked::More);
        assert_eq!(picker.stage(), Some("parts"));
        assert!(picker.choices().len() > 2 && picker.selected().is_some());
        assert_eq!(picker.choose(0), Picked::More);
        assert_eq!(picker.stage(), Some("direction"));
        assert!(picker.back());
        assert_eq!(picker.stage(), Some("parts"));
        assert!(picker.back() && picker.is_idle() && !picker.back());
    }

    #[test]
    fn the_key_0_chooses_nothing() {
        let game = game("glaisher", "");
        let mut picker = Picker::new(game.steps());
        picker.tap(cell(&game.diagram(), "a2"), &game.diagram());
        let refused = Picked::Refused("there is no choice 0".into());
        assert_eq!(picker.choose(0_usize.wrapping_sub(1)), refused);
    }

    #[test]
    fn a_single_choice_is_made_by_itself() {
        let game = game("six-making", "a1 b1");
        let diagram = game.diagram();
        let mut picker = Picker::new(game.steps());
        assert_eq!(picker.tap(cell(&diagram, "a1"), &diagram), Picked::More);
        assert_eq!(picker.stage(), Some("target"));
        assert_eq!(picker.targets(), [cell(&diagram, "b1")]);
        assert!(picker.back() && picker.is_idle());
    }

    #[test]
    fn another_first_cell_starts_over_and_the_same_one_cancels() {
        let game = game("jeson-mor", "");
        let diagram = game.diagram();
        let mut picker = Picker::new(game.steps());
        picker.tap(cell(&diagram, "b1"), &diagram);
        assert_eq!(picker.tap(cell(&diagram, "e1"), &diagram), Picked::More);
        assert_eq!(picker.selected(), Some(cell(&diagram, "e1")));
        assert_eq!(picker.tap(cell(&diagram, "e1"), &diagram), Picked::More);
        assert!(picker.is_idle());
    }

    #[test]
    fn a_cell_ahead_of_the_highlighted_choice_takes_both() {
        let game = game("glaisher", "");
        let diagram = game.diagram();
        let mut picker = Picker::new(game.steps());
        picker.tap(cell(&diagram, "a2"), &diagram);
        let far = picker.targets()[0];
        assert!(matches!(picker.tap(far, &diagram), Picked::Move(_)));
    }

    #[test]
    fn every_part_of_a_stack_shows_where_it_lands_and_can_be_tapped() {
        let game = game("glaisher", "");
        let diagram = game.diagram();
        let mut picker = Picker::new(game.steps());
        picker.tap(cell(&diagram, "a2"), &diagram);
        let parts = picker.choices().iter().position(|tap| tap.label == "1+2+3").unwrap();
        picker.choose(parts);
        for name in ["b3", "c4", "d5"] {
            assert!(picker.landings().contains(&cell(&diagram, name)), "{name}");
        }
        assert_eq!(picker.tap(cell(&diagram, "b3"), &diagram), Picked::Move("a2-se:123".into()));
    }

    #[test]
    fn an_impossible_cell_is_refused_with_a_reason() {
        let cases = [
            ("gekitai", "c3", "", "c3", "c3 is occupied"),
            ("jeson-mor", "", "", "e5", "e5 is empty: choose a knight"),
            ("jeson-mor", "", "", "a9", "the piece on a9 is Black's"),
            ("jeson-mor", "", "b1", "e5", "e5 cannot be reached"),
            ("glaisher", "", "", "c4", "c4 is empty: choose a stack"),
            ("glaisher", "", "", "d1", "the piece on d1 is Yellow's"),
            ("glaisher", "", "a2", "e1", "first choose the parts"),
            ("glaisher", "a2-se:123", "", "h4", "h4 is occupied"),
        ];
        for (id, moves, first, second, expected) in cases {
            let game = game(id, moves);
            let diagram = game.diagram();
            let mut picker = Picker::new(game.steps());
            if !first.is_empty() {
                picker.tap(cell(&diagram, first), &diagram);
            }
            match picker.tap(cell(&diagram, second), &diagram) {
                Picked::Refused(reason) => assert!(reason.contains(expected), "{id}: {reason}"),
                other => panic!("{id} {second}: {other:?}"),
            }
        }
    }
}
