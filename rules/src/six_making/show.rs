//! The drawing and the taps.

use super::{Cell, KING, Move, SixMaking, setup};
use crate::diagram::{
    Diagram, Gesture, Look, Marks, Piece, Seat, Shape, Show, Tap, Tint, Trace, Travel,
    square_cells, square_labels, status,
};
use crate::edit::Edit;
use crate::game::{Game, Player, SetupError};

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
        let topped = |player: Player| {
            let own =
                |cell: &Cell| !self.tower(*cell).is_empty() && self.tower(*cell).top() == player;
            Cell::all(self.size()).filter(own).count()
        };
        let seat = |player: Player, tint| Seat {
            name: Self::INFO.players[player.index()],
            tint,
            count: format!("tops {}", topped(player)),
            reserve: Some(self.reserve(player)),
        };
        let winning = self.king().map(|cell| self.layout().number(cell)).into_iter().collect();
        Diagram {
            shape: Shape::Square,
            towers: true,
            cells: square_cells(self.layout(), piece),
            labels: square_labels(self.layout()),
            players: [seat(Player::One, Tint::Blue), seat(Player::Two, Tint::Orange)],
            turn: self.outcome.is_none().then_some(self.turn),
            status: status(self, self.how_it_ended()),
            marks: Marks { winning, ..Marks::default() },
        }
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

    fn edited(&self, edit: Edit) -> Result<Self, SetupError> {
        setup::edited(self, edit)
    }
}
