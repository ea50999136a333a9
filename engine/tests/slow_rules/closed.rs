//! Closed sets, checked by the slow rules.

use super::Slow;
use std::collections::HashSet;

/// A certificate that somebody cannot force a win, taken apart.
pub struct ClosedSlowly<S> {
    start: S,
    attackers: Vec<u8>,
    stored: Vec<S>,
    names: HashSet<(u8, String)>,
}

impl<S: Slow> ClosedSlowly<S> {
    pub fn read(text: &str) -> ClosedSlowly<S> {
        let mut lines = text.lines().filter(|line| !line.starts_with("= ") && *line != "end");
        let mut field = |name: &str| lines.next().unwrap().strip_prefix(name).unwrap().to_owned();
        field("quadrille certificate 2");
        field("game ");
        let start = S::read(&field("position "));
        let attackers = match field("claim ").as_str() {
            "nobody wins" => vec![1, 2],
            "player 1 does not win" => vec![1],
            "player 2 does not win" => vec![2],
            other => panic!("{other}"),
        };
        let count: usize = field("stored ").parse().unwrap();
        let stored: Vec<S> = lines.map(S::read).collect();
        let names: HashSet<_> = stored.iter().map(|pos| (pos.mover(), pos.name())).collect();
        assert!(stored.iter().all(|pos| attackers.contains(&pos.mover())));
        assert_eq!((stored.len(), names.len()), (count, count));
        ClosedSlowly { start, attackers, stored, names }
    }

    /// Whether every turn of an attacker has an answer, and the start is covered.
    pub fn holds(&self) -> bool {
        let covers = |attacker: &u8| {
            if self.start.mover() == *attacker {
                self.has(&self.start)
            } else {
                self.answers(&self.start, *attacker)
            }
        };
        self.attackers.iter().all(covers) && self.stored.iter().all(|pos| self.is_closed_at(pos))
    }

    fn has(&self, pos: &S) -> bool {
        self.names.contains(&(pos.mover(), pos.name()))
    }

    fn is_closed_at(&self, pos: &S) -> bool {
        let attacker = pos.mover();
        pos.moves().iter().all(|(_, next)| match next.winner() {
            Some(winner) => winner != attacker,
            None => self.answers(next, attacker),
        })
    }

    fn answers(&self, pos: &S, attacker: u8) -> bool {
        pos.moves().iter().any(|(_, next)| match next.winner() {
            Some(winner) => winner != attacker,
            None => self.has(next),
        })
    }
}
