//! Gekitai on arrays.

use super::{Slow, least_image, rows};

#[derive(Clone, Copy)]
pub struct Board {
    cells: [[char; 8]; 8],
    size: usize,
    mover: u8,
    winner: Option<u8>,
    /// Whether a placement that completes both lines draws.
    both_draw: bool,
    /// This many markers on the board win.
    limit: usize,
}

const LETTERS: [char; 2] = ['x', 'o'];

impl Board {
    /// What stands on a cell; nothing off the board.
    fn at(&self, row: usize, column: usize) -> Option<char> {
        // A row or column before the first has wrapped round to a huge number.
        (row < self.size && column < self.size).then(|| self.cells[row][column])
    }

    fn has_won(&self, letter: char) -> bool {
        let mut markers = 0;
        for row in 0..self.size {
            for column in 0..self.size {
                if self.cells[row][column] != letter {
                    continue;
                }
                markers += 1;
                for (down, right) in [(0, 1), (1, 0), (1, 1), (1, usize::MAX)] {
                    let second = (row + down, column.wrapping_add(right));
                    let third = (second.0 + down, second.1.wrapping_add(right));
                    if self.at(second.0, second.1) == Some(letter)
                        && self.at(third.0, third.1) == Some(letter)
                    {
                        return true;
                    }
                }
            }
        }
        markers >= self.limit
    }

    fn place(&self, row: usize, column: usize) -> Board {
        let mut next = *self;
        let own = LETTERS[usize::from(self.mover) - 1];
        next.cells[row][column] = own;
        for down in [0, 1, usize::MAX] {
            for right in [0, 1, usize::MAX] {
                let (r, c) = (row.wrapping_add(down), column.wrapping_add(right));
                let neighbour = self.at(r, c).filter(|cell| *cell != '.');
                let Some(neighbour) = neighbour.filter(|_| (r, c) != (row, column)) else {
                    continue;
                };
                let (far, aside) = (r.wrapping_add(down), c.wrapping_add(right));
                let behind = self.at(far, aside);
                if behind.is_none_or(|cell| cell == '.') {
                    next.cells[r][c] = '.';
                    if behind.is_some() {
                        next.cells[far][aside] = neighbour;
                    }
                }
            }
        }
        next.mover = 3 - self.mover;
        let other = LETTERS[usize::from(next.mover) - 1];
        next.winner = match (next.has_won(own), next.has_won(other)) {
            (true, true) if self.both_draw => Some(0),
            (true, _) => Some(self.mover),
            (false, true) => Some(next.mover),
            (false, false) => None,
        };
        next
    }
}

impl Slow for Board {
    fn read(text: &str) -> Board {
        let (board, mover) = text.split_once(' ').unwrap();
        let mut options = board.split(';');
        let board = options.next().unwrap();
        let (mut both_draw, mut limit) = (false, 8);
        for option in options {
            match option.split_once('=').unwrap() {
                ("both", "draw") => both_draw = true,
                ("markers", markers) => limit = markers.parse().unwrap(),
                _ => panic!("{option}"),
            }
        }
        let (rows, mut cells) = (rows(board), [['.'; 8]; 8]);
        for (to, from) in cells.iter_mut().zip(&rows) {
            to[..from.len()].copy_from_slice(from);
        }
        let (size, mover) = (rows.len(), mover.parse().unwrap());
        Board { cells, size, mover, winner: None, both_draw, limit }
    }

    fn name(&self) -> String {
        let rows: Vec<Vec<char>> =
            self.cells[..self.size].iter().map(|row| row[..self.size].to_vec()).collect();
        least_image(&rows)
    }

    fn mover(&self) -> u8 {
        self.mover
    }

    fn winner(&self) -> Option<u8> {
        self.winner
    }

    fn moves(&self) -> Vec<(String, Board)> {
        let mut moves = Vec::new();
        for row in 0..self.size {
            for column in 0..self.size {
                if self.cells[row][column] == '.' {
                    let text = format!("{}{}", (b'a' + column as u8) as char, row + 1);
                    moves.push((text, self.place(row, column)));
                }
            }
        }
        moves
    }

    /// The same without making texts.
    fn wins_at_once(&self, player: u8) -> bool {
        let cells = (0..self.size).flat_map(|row| (0..self.size).map(move |column| (row, column)));
        cells.into_iter().any(|(row, column)| {
            self.cells[row][column] == '.' && self.place(row, column).winner == Some(player)
        })
    }
}
