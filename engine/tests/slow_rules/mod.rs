//! The rules of two games once more, plain and slow, from the rules pages alone, and a checker of certificates on top
//! of them. Uses nothing of the program but the text of a certificate.

use std::collections::HashMap;

pub mod closed;
pub mod gekitai;
pub mod jeson_mor;

/// A position with the winner to move, or with the loser to move.
pub trait Slow: Clone {
    /// Reads the text of a position and the number of the player to move.
    fn read(text: &str) -> Self;
    /// The text of the image that stands for all eight.
    fn name(&self) -> String;
    /// The player to move, 1 or 2.
    fn mover(&self) -> u8;
    /// The winner, 0 for a draw, if the game is over.
    fn winner(&self) -> Option<u8>;
    /// Every move with its text and the position after it.
    fn moves(&self) -> Vec<(String, Self)>;
    /// Whether a player, who is to move, has a move that wins.
    fn wins_at_once(&self, player: u8) -> bool {
        self.moves().iter().any(|(_, next)| next.winner() == Some(player))
    }
}

struct Stored<S> {
    pos: S,
    m: String,
    rank: u32,
}

/// A certificate taken apart.
pub struct Slowly<S> {
    start: S,
    winner: u8,
    within: u32,
    tries: Option<(String, u32)>,
    stored: HashMap<String, Stored<S>>,
}

impl<S: Slow> Slowly<S> {
    pub fn read(text: &str) -> Slowly<S> {
        let mut lines = text.lines().filter(|line| !line.starts_with("= ") && *line != "end");
        let mut field = |name: &str| lines.next().unwrap().strip_prefix(name).unwrap().to_owned();
        field("quadrille certificate 1");
        field("game ");
        let start = S::read(&field("position "));
        let claim = field("claim player ");
        let words: Vec<&str> = claim.split(' ').collect();
        let (winner, within) = (words[0].parse().unwrap(), words[3].parse().unwrap());
        let mut next = lines.next().unwrap();
        let tries = next.strip_prefix("try ").map(|text| {
            let words: Vec<&str> = text.split(' ').collect();
            (words[0].to_owned(), words[2].parse().unwrap())
        });
        if tries.is_some() {
            next = lines.next().unwrap();
        }
        let count: usize = next.strip_prefix("stored ").unwrap().parse().unwrap();
        let mut stored = HashMap::new();
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            let pos = S::read(&words[..2].join(" "));
            let (m, rank) = (words[2].to_owned(), words[3].parse().unwrap());
            assert_eq!(pos.mover(), winner);
            let name = pos.name();
            assert!(stored.insert(name, Stored { pos, m, rank }).is_none(), "twice: {line}");
        }
        assert_eq!(stored.len(), count);
        Slowly { start, winner, within, tries, stored }
    }

    /// Looks at every reply to every stored position, and to the start.
    pub fn check(&self) -> usize {
        let mut replies = 0;
        self.covered(&self.start, self.within + 1, &mut replies);
        for Stored { pos, m, rank } in self.stored.values() {
            let (_, next) = pos.moves().into_iter().find(|(text, _)| text == m).unwrap();
            self.covered(&next, *rank, &mut replies);
        }
        replies
    }

    fn covered(&self, pos: &S, rank: u32, replies: &mut usize) {
        if let Some(winner) = pos.winner() {
            assert_eq!(winner, self.winner);
            return;
        }
        if pos.mover() == self.winner {
            return self.answered(pos, rank);
        }
        for (text, next) in pos.moves() {
            *replies += 1;
            match next.winner() {
                Some(winner) => assert_eq!(winner, self.winner, "{text} saves the loser"),
                None => self.answered(&next, rank),
            }
        }
    }

    fn answered(&self, pos: &S, rank: u32) {
        if rank > 1 && self.wins_at_once(pos) {
            return;
        }
        match self.stored.get(&pos.name()) {
            Some(stored) => assert!(stored.rank < rank, "the rank does not fall"),
            None => assert!(self.wins_by_tries(pos, rank - 1), "no answer: {}", pos.name()),
        }
    }

    fn wins_at_once(&self, pos: &S) -> bool {
        pos.wins_at_once(self.winner)
    }

    fn wins_by_tries(&self, pos: &S, most: u32) -> bool {
        let Some((ending, within)) = &self.tries else { return false };
        let most = most.min(*within);
        let loses = |reply: &S| match reply.winner() {
            Some(winner) => winner == self.winner,
            None => self.wins_at_once(reply) || self.wins_by_tries(reply, most - 1),
        };
        most > 1
            && pos.moves().iter().any(|(text, next)| {
                text.ends_with(ending) && next.moves().iter().all(|(_, reply)| loses(reply))
            })
    }
}

/// The least of a square board's eight images, as text.
pub fn least_image(board: &[Vec<char>]) -> String {
    let size = board.len();
    let mut least: Option<String> = None;
    for which in 0..8 {
        let mut text = String::new();
        for row in 0..size {
            for column in 0..size {
                let (r, c) = if which & 4 == 0 { (row, column) } else { (column, row) };
                let r = if which & 1 == 0 { r } else { size - 1 - r };
                let c = if which & 2 == 0 { c } else { size - 1 - c };
                text.push(board[r][c]);
            }
        }
        least = least.filter(|least| *least <= text).or(Some(text));
    }
    least.unwrap()
}

/// The rows of a board text, digits spelled out as dots.
pub fn rows(text: &str) -> Vec<Vec<char>> {
    let row = |row: &str| {
        let mut cells = Vec::new();
        for c in row.chars() {
            match c.to_digit(10) {
                Some(empty) => cells.extend(std::iter::repeat_n('.', empty as usize)),
                None => cells.push(c),
            }
        }
        cells
    };
    text.split('/').map(row).collect()
}
