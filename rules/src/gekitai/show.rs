//! The drawing and the taps.

use super::{Cell, Gekitai, Place, moves};
use crate::diagram::{
    Diagram, Gesture, Look, Piece, Show, Tap, Tint, Trace, Travel, seats, square_board,
};

impl Gekitai {
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
            cells = moves::cells(own).collect();
        }
        cells.into_iter().map(|cell| self.layout().number(cell)).collect()
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
        let piece = |cell| Some(Piece { owner: self.owner(cell)?, look: Look::Marker });
        let pieces = |player| {
            let markers = self.markers(player).count_ones();
            (format!("{markers} on the board"), Some(self.reserve(player)))
        };
        let players = seats::<Self>([Tint::Blue, Tint::Orange], pieces);
        let mut diagram = square_board(self, self.layout(), piece, players, self.how_it_ended());
        diagram.marks.winning = self.winning();
        diagram
    }

    fn gesture(&self, m: Place) -> Gesture {
        vec![Tap::cell("cell", m, self.layout().number(m.0))]
    }

    fn trace(&self, m: Place) -> Trace {
        let travel = |(from, to): (Cell, Option<Cell>)| Travel {
            from: self.layout().number(from),
            to: to.map(|to| self.layout().number(to)),
            height: 1,
        };
        Trace {
            placed: Some(self.layout().number(m.0)),
            travels: self.pushes(m.0).into_iter().map(travel).collect(),
        }
    }
}
