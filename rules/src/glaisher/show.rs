//! The drawing and the taps.

use super::{Glaisher, Move, Parts};
use crate::diagram::{
    Diagram, DrawnCell, Gesture, Label, Look, Marks, Piece, Shape, Show, Tap, Tint, Tone, Trace,
    Travel, seats, status,
};
use crate::game::{Game, Outcome, Player, counted};
use crate::hex::{self, Hex, ROWS, SIDES};

/// Half cells to the right of the leftmost centre.
fn x(cell: Hex) -> i16 {
    2 * cell.column() as i16 - cell.row() as i16 + 4
}

fn labels() -> Vec<Label> {
    let letter = |(row, cell): (usize, Hex)| Label {
        text: char::from(b'a' + row as u8).to_string(),
        x: x(cell) - 2,
        y: row as i16,
    };
    let rows =
        (0..ROWS).filter_map(|row| Hex::row_cells(row).next().map(|cell| letter((row, cell))));
    // A column runs down to the left; its number stands above its top cell.
    let number = |column: usize| {
        let top = Hex::at(column.saturating_sub(4) as i8, column as i8)?;
        Some(Label { text: (column + 1).to_string(), x: x(top) + 1, y: top.row() as i16 - 1 })
    };
    rows.chain((0..ROWS).filter_map(number)).collect()
}

/// A shortest chain of cells between two opposite sides.
fn shortest_connection(set: u64) -> Vec<usize> {
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
            chain.push(cell.index());
        }
        Some(chain)
    };
    SIDES.iter().filter_map(chain).min_by_key(Vec::len).unwrap_or_default()
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
        let drawn = |cell: Hex| DrawnCell {
            name: cell.to_string(),
            x: x(cell),
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
            Some(Outcome::Win(player)) => shortest_connection(self.stacks(player)),
            _ => vec![],
        };
        Diagram {
            shape: Shape::Hexagon,
            towers: false,
            cells: Hex::all().map(drawn).collect(),
            labels: labels(),
            players: seats::<Self>([Tint::Red, Tint::Yellow], pieces),
            turn: self.outcome.is_none().then_some(self.turn),
            status: self.status(!winning.is_empty()),
            marks: Marks { winning, ..Marks::default() },
        }
    }

    fn gesture(&self, m: Move) -> Gesture {
        match m {
            Move::Shift { from, direction, parts } => {
                // The cell of the farthest part says the direction.
                let far = from.ahead(direction, parts.tallest());
                vec![
                    Tap::cell("stack", from, from.index()),
                    Tap::choice("parts", parts_label(parts)),
                    Tap::cell("direction", direction.name(), far.index()),
                ]
            }
            Move::Place(cell) => vec![Tap::cell("new piece", cell, cell.index())],
        }
    }

    fn trace(&self, m: Move) -> Trace {
        match m {
            Move::Shift { from, direction, parts } => {
                let travel = |part: usize| Travel {
                    from: from.index(),
                    to: Some(from.ahead(direction, part).index()),
                    height: part as u8,
                };
                Trace { placed: None, travels: parts.heights().map(travel).collect() }
            }
            Move::Place(cell) => Trace { placed: Some(cell.index()), travels: vec![] },
        }
    }
}
