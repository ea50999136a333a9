//! The drawing and the taps.

use super::{Cell, KING, Move, SixMaking};
use crate::diagram::{
    Diagram, Gesture, Look, Piece, Show, Tap, Tint, Trace, Travel, seats, square_board,
};
use crate::game::Player;

impl SixMaking {
    fn how_it_ended(&self) -> &'static str {
        match (self.outcome, self.king()) {
            (None, _) => "",
            (Some(_), Some(_)) => " with a king",
            (Some(_), None) => ": the opponent cannot move",
        }
    }
}

/// The letter of the chess piece that a tower moves as.
fn letter(height: usize) -> char {
    match height {
        0 | 1 => 'P',
        2 => 'R',
        3 => 'N',
        4 => 'B',
        5 => 'Q',
        _ => 'K',
    }
}

impl Show for SixMaking {
    fn diagram(&self) -> Diagram {
        let piece = |cell: Cell| {
            let tower = self.tower(cell);
            (!tower.is_empty()).then(|| Piece {
                owner: tower.top(),
                look: Look::Tower {
                    discs: tower.discs().collect(),
                    letter: letter(tower.height()),
                },
            })
        };
        let pieces = |player: Player| {
            let own =
                |cell: &Cell| !self.tower(*cell).is_empty() && self.tower(*cell).top() == player;
            let topped = Cell::all(self.size()).filter(own).count();
            (format!("tops {topped}"), Some(self.reserve(player)))
        };
        let players = seats::<Self>([Tint::Blue, Tint::Orange], pieces);
        let mut diagram = square_board(self, self.layout(), piece, players, self.how_it_ended());
        diagram.towers = true;
        diagram.marks.winning.extend(self.king().map(|cell| self.layout().number(cell)));
        diagram
    }

    fn gesture(&self, m: Move) -> Gesture {
        let carry = |from: Cell, to: Cell, choice: String| {
            vec![
                Tap::cell("tower", from, self.layout().number(from)),
                Tap::choice("discs", choice),
                Tap::cell("target", to, self.layout().number(to)),
            ]
        };
        match m {
            Move::Place(cell) => vec![Tap::cell("tower", cell, self.layout().number(cell))],
            Move::Tower { from, to } => {
                carry(from, to, format!("all {}", self.tower(from).height().min(KING - 1)))
            }
            Move::Top { from, to, discs } => carry(from, to, format!("top {discs}")),
        }
    }

    fn trace(&self, m: Move) -> Trace {
        let (from, to, height) = match m {
            Move::Place(cell) => {
                return Trace { placed: Some(self.layout().number(cell)), travels: vec![] };
            }
            Move::Tower { from, to } => (from, to, self.tower(from).height() as u8),
            Move::Top { from, to, discs } => (from, to, discs),
        };
        let travel =
            Travel { from: self.layout().number(from), to: Some(self.layout().number(to)), height };
        Trace { placed: None, travels: vec![travel] }
    }
}
