//! The drawing and the taps.

use super::{Cell, Gekitai, Place, moves};
use crate::diagram::{
    Cell as Drawn, Diagram, Gesture, Look, Marks, Piece, Seat, Shape, Show, Tap, Tint, Tone, Trace,
    Travel, square_labels, status,
};
use crate::game::{Game, Player};

impl Gekitai {
    /// The number of a cell among the cells of the drawing.
    fn drawn(&self, cell: Cell) -> usize {
        cell.row() * self.size() + cell.column()
    }

    /// The cells of the winner's lines, or all the winner's markers.
    fn winning(&self) -> Vec<usize> {
        let Some(player) = self.outcome.and_then(|outcome| outcome.winner()) else { return vec![] };
        let own = self.markers(player);
        let in_line = |cell: &Cell| {
            let bit = 1 << cell.index();
            own & bit != 0 && moves::lines(own) != moves::lines(own & !bit)
        };
        let mut cells: Vec<_> = Cell::all(self.size()).filter(in_line).collect();
        if cells.is_empty() {
            cells = Cell::all(self.size()).filter(|c| own >> c.index() & 1 == 1).collect();
        }
        cells.into_iter().map(|cell| self.drawn(cell)).collect()
    }

    fn how_it_ended(&self) -> &'static str {
        let Some(outcome) = self.outcome else { return "" };
        match outcome.winner() {
            None => ": both have won at once",
            Some(player) if moves::lines(self.markers(player)) != 0 => " with three in a row",
            Some(_) => " with all markers on the board",
        }
    }
}

impl Show for Gekitai {
    fn diagram(&self) -> Diagram {
        let piece = |cell: Cell| {
            let owner =
                Player::BOTH.into_iter().find(|p| self.markers(*p) >> cell.index() & 1 == 1)?;
            Some(Piece { owner, look: Look::Marker })
        };
        let drawn = |cell: Cell| Drawn {
            name: cell.to_string(),
            x: 2 * cell.column() as i16,
            y: cell.row() as i16,
            tone: if (cell.column() + cell.row()).is_multiple_of(2) {
                Tone::Light
            } else {
                Tone::Dark
            },
            piece: piece(cell),
        };
        let seat = |player: Player, tint| Seat {
            name: Self::INFO.players[player.index()],
            tint,
            count: format!("{} on the board", self.markers(player).count_ones()),
            reserve: Some(self.reserve(player)),
        };
        Diagram {
            shape: Shape::Square,
            towers: false,
            cells: Cell::all(self.size()).map(drawn).collect(),
            labels: square_labels(self.size(), true),
            players: [seat(Player::One, Tint::Blue), seat(Player::Two, Tint::Orange)],
            turn: self.outcome.is_none().then_some(self.turn),
            status: status(self, self.how_it_ended()),
            marks: Marks { winning: self.winning(), ..Marks::default() },
        }
    }

    fn gesture(&self, m: Place) -> Gesture {
        vec![Tap::cell("cell", m, self.drawn(m.0))]
    }

    fn trace(&self, m: Place) -> Trace {
        let travel = |(from, to): (Cell, Option<Cell>)| Travel {
            from: self.drawn(from),
            to: to.map(|to| self.drawn(to)),
            height: 1,
        };
        Trace {
            placed: Some(self.drawn(m.0)),
            travels: self.pushes(m.0).into_iter().map(travel).collect(),
        }
    }
}
