//! The drawing and the taps.

use super::{Glaisher, Move, Parts};
use crate::diagram::{
    Diagram, DrawnCell, Gesture, Label, Look, Marks, Piece, Shape, Show, Tap, Tint, Tone, Trace,
    Travel, seats, status,
};
use crate::game::{Game, Outcome, Player, counted};
use crate::hex::{self, Board, Hex};

/// Half cells to the right of the leftmost centre.
fn x(board: &Board, cell: Hex) -> i16 {
    2 * cell.column() as i16 - cell.row() as i16 + board.side() as i16 - 1
}

fn labels(board: &Board) -> Vec<Label> {
    let letter = |row: usize| {
        let first = hex::cells(board.row(row)).next()?;
        let text = char::from(b'a' + row as u8).to_string();
        Some(Label { text, x: x(board, first) - 2, y: row as i16 })
    };
    // A column runs down to the left; its number stands above its top cell.
    let number = |column: usize| {
        let top = board.at((column + 1).saturating_sub(board.side()) as i8, column as i8)?;
        let text = (column + 1).to_string();
        Some(Label { text, x: x(board, top) + 1, y: top.row() as i16 - 1 })
    };
    let lines = 0..board.rows();
    lines.clone().filter_map(letter).chain(lines.filter_map(number)).collect()
}

/// A shortest chain of cells between two opposite sides.
fn shortest_connection(board: &Board, set: u64) -> Vec<usize> {
    let chain = |[from, to]: &[u64; 2]| {
        let mut waves = vec![from & set];
        let mut seen = from & set;
        while waves.last().is_some_and(|wave| *wave != 0 && wave & to == 0) {
            let wave = waves.last().copied().unwrap_or_default();
            let next =
                hex::cells(wave).fold(0, |all, c| all | hex::NEIGHBOURS[c.index()]) & set & !seen;
            seen |= next;
            waves.push(next);
        }
        let mut reach = *to;
        let mut chain = Vec::new();
        for wave in waves.into_iter().rev() {
            let cell = hex::cells(wave & reach).next()?;
            reach = hex::NEIGHBOURS[cell.index()];
            chain.push(board.number(cell));
        }
        Some(chain)
    };
    board.sides.iter().filter_map(chain).min_by_key(Vec::len).unwrap_or_default()
}

fn parts_label(parts: Parts) -> String {
    parts.heights().map(|height| height.to_string()).collect::<Vec<_>>().join("+")
}

impl Glaisher {
    fn piece(&self, cell: Hex) -> Option<Piece> {
        let owner = Player::BOTH.into_iter().find(|p| self.stacks(*p) & cell.bit() != 0)?;
        Some(Piece { owner, look: Look::Stack(self.height(cell)) })
    }

    fn status(&self, connected: bool) -> String {
        match self.outcome {
            None if self.placing => {
                format!("{} to place a piece", Self::INFO.players[self.turn])
            }
            None => status(self, ""),
            Some(_) if connected => status(self, " by connecting two sides"),
            Some(_) => status(self, ": the opponent cannot shift"),
        }
    }
}

impl Show for Glaisher {
    fn diagram(&self) -> Diagram {
        let board = self.board();
        let drawn = |cell: Hex| DrawnCell {
            name: cell.to_string(),
            x: x(board, cell),
            y: cell.row() as i16,
            tone: Tone::Light,
            piece: self.piece(cell),
        };
        let pieces = |player| {
            let stacks = self.stacks(player);
            let pieces = hex::cells(stacks).map(|cell| usize::from(self.height(cell))).sum();
            let count = counted(stacks.count_ones() as usize, "stack");
            (format!("{count}, {}", counted(pieces, "piece")), None)
        };
        let winning = match self.outcome {
            Some(Outcome::Win(player)) => shortest_connection(board, self.stacks(player)),
            _ => vec![],
        };
        Diagram {
            shape: Shape::Hexagon,
            towers: false,
            cells: board.all().map(drawn).collect(),
            labels: labels(board),
            players: seats::<Self>([Tint::Red, Tint::Yellow], pieces),
            turn: self.outcome.is_none().then_some(self.turn),
            status: self.status(!winning.is_empty()),
            marks: Marks { winning, ..Marks::default() },
        }
    }

    fn gesture(&self, m: Move) -> Gesture {
        let number = |cell| self.board().number(cell);
        match m {
            Move::Shift { from, direction, parts } => {
                // The cell of the farthest part says the direction.
                let far = from.ahead(direction, parts.tallest());
                vec![
                    Tap::cell("stack", from, number(from)),
                    Tap::choice("parts", parts_label(parts)),
                    Tap::cell("direction", direction.name(), number(far)),
                ]
            }
            Move::Place(cell) => vec![Tap::cell("new piece", cell, number(cell))],
        }
    }

    fn trace(&self, m: Move) -> Trace {
        let number = |cell| self.board().number(cell);
        match m {
            Move::Shift { from, direction, parts } => {
                let travel = |part: usize| Travel {
                    from: number(from),
                    to: Some(number(from.ahead(direction, part))),
                    height: part as u8,
                };
                Trace { placed: None, travels: parts.heights().map(travel).collect() }
            }
            Move::Place(cell) => Trace { placed: Some(number(cell)), travels: vec![] },
        }
    }
}
