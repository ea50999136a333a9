//! Jeson Mor on arrays.

use super::{Slow, least_image, rows};

#[derive(Clone)]
pub struct Board {
    /// Rows from the top.
    cells: Vec<Vec<char>>,
    mover: u8,
    winner: Option<u8>,
}

const LETTERS: [char; 2] = ['N', 'n'];
const JUMPS: [(i32, i32); 8] =
    [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];

impl Board {
    /// The targets of every knight of a player.
    fn jumps(&self, player: u8) -> Vec<[usize; 4]> {
        let (own, size) = (LETTERS[usize::from(player) - 1], self.cells.len() as i32);
        let mut jumps = Vec::new();
        for row in 0..size {
            for column in 0..size {
                if self.cells[row as usize][column as usize] != own {
                    continue;
                }
                for (down, right) in JUMPS {
                    let (r, c) = (row + down, column + right);
                    let inside = (0..size).contains(&r) && (0..size).contains(&c);
                    if inside && self.cells[r as usize][c as usize] != own {
                        jumps.push([row as usize, column as usize, r as usize, c as usize]);
                    }
                }
            }
        }
        jumps
    }

    fn jump(&self, [row, column, r, c]: [usize; 4]) -> Board {
        let mut next = self.clone();
        next.cells[r][c] = self.cells[row][column];
        next.cells[row][column] = '.';
        next.mover = 3 - self.mover;
        let centre = self.cells.len() / 2;
        // A player without knights, or without a jump, has lost.
        if (row, column) == (centre, centre) || next.jumps(next.mover).is_empty() {
            next.winner = Some(self.mover);
        }
        next
    }

    fn cell(&self, row: usize, column: usize) -> String {
        format!("{}{}", (b'a' + column as u8) as char, self.cells.len() - row)
    }
}

impl Slow for Board {
    fn read(text: &str) -> Board {
        let (board, mover) = text.split_once(' ').unwrap();
        Board { cells: rows(board), mover: mover.parse().unwrap(), winner: None }
    }

    fn name(&self) -> String {
        least_image(&self.cells)
    }

    fn mover(&self) -> u8 {
        self.mover
    }

    fn winner(&self) -> Option<u8> {
        self.winner
    }

    fn moves(&self) -> Vec<(String, Board)> {
        let text = |[row, column, r, c]: [usize; 4]| {
            format!("{}-{}", self.cell(row, column), self.cell(r, c))
        };
        self.jumps(self.mover).into_iter().map(|jump| (text(jump), self.jump(jump))).collect()
    }
}
