//! A move that is being typed, compared with the legal ones after every character.

use crate::tui::field::Field;
use engine::{Session, Step};

/// How long a typed turn may be; real ones are much shorter.
const MOST: usize = 40;

/// The line in which a move is typed.
pub struct MoveField(pub Field);

impl MoveField {
    pub fn new(text: &str) -> MoveField {
        MoveField(Field::new(text, |text| text.chars().count() <= MOST))
    }

    /// The legal texts that begin with what was typed. Where a turn has several moves, they end with the move
    /// that is being typed.
    pub fn matches(&self, game: &dyn Session) -> Vec<String> {
        let mut matches = self.unsorted_matches(game);
        matches.sort();
        matches
    }

    fn unsorted_matches(&self, game: &dyn Session) -> Vec<String> {
        let typed = self.0.text().trim().to_lowercase();
        let steps = game.steps();
        let fitting: Vec<_> = texts(&steps).filter(|text| text.starts_with(&typed)).collect();
        if !fitting.is_empty() {
            return fitting.into_iter().map(str::to_owned).collect();
        }
        let begun = texts(&steps).filter(|text| typed.starts_with(text)).max_by_key(|t| t.len());
        let mut next = game.boxed_clone();
        let Some(begun) = begun else {
            // Moves can be written in other ways, too.
            return next.play(&typed).map_or_else(|_| Vec::new(), |()| vec![typed]);
        };
        let mover = next.turn();
        if next.play(begun).is_err() || next.turn() != mover || next.outcome().is_some() {
            return Vec::new();
        }
        let steps = next.steps();
        let whole = texts(&steps).map(|text| format!("{begun}{text}"));
        whole.filter(|text| text.starts_with(&typed)).collect()
    }

    /// Adds what all matching texts have in common.
    pub fn complete(&mut self, game: &dyn Session) {
        let matches = self.matches(game);
        let Some(first) = matches.first() else { return };
        let common =
            |text: &String| first.chars().zip(text.chars()).take_while(|(a, b)| a == b).count();
        let length = matches.iter().map(common).min().unwrap_or(0);
        self.0.set(&first.chars().take(length).collect::<String>());
    }
}

fn texts(steps: &[Step]) -> impl Iterator<Item = &str> {
    steps.iter().map(|step| step.text.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(id: &str) -> Box<dyn Session> {
        (engine::find(id).unwrap().start)(&Default::default()).unwrap()
    }

    #[test]
    fn legal_moves_are_shown_while_one_is_typed() {
        let game = game("jeson-mor");
        let matches = |text: &str| MoveField::new(text).matches(game.as_ref());
        assert_eq!(matches("E1-"), ["e1-c2", "e1-d3", "e1-f3", "e1-g2"]);
        assert_eq!(matches("e1-d3"), ["e1-d3"]);
        assert_eq!(matches("e1d3"), ["e1d3"]);
        assert!(matches("e9").is_empty());
    }

    #[test]
    fn a_turn_of_several_moves_is_followed_through() {
        let game = game("glaisher");
        let matches = |text: &str| MoveField::new(text).matches(game.as_ref());
        assert!(matches("a2-se:123@e5").contains(&"a2-se:123@e5".to_owned()));
        assert!(matches("a2-se:123@").len() > 40);
        assert!(matches("a2-se:123@a9").is_empty());
    }

    #[test]
    fn tab_adds_what_is_certain() {
        let mut typing = MoveField::new("E1");
        typing.complete(game("jeson-mor").as_ref());
        assert_eq!(typing.0.text(), "e1-");
    }
}
