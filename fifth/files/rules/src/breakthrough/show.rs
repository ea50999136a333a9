//! The drawing and the taps.

use super::{Breakthrough, Step, moves};
use crate::diagram::{
    Diagram, Gesture, Look, Piece, Show, Tap, Tint, Trace, Travel, seats, square_board,
};
use crate::game::counted;

impl Breakthrough {
    /// The winner's pieces on the far row.
    fn winning(&self) -> u64 {
        let winner = self.outcome.and_then(|outcome| outcome.winner());
        winner.map_or(0, |player| self.pieces(player) & self.goal(player))
    }

    fn how_it_ended(&self) -> &'static str {
        let Some(winner) = self.outcome.and_then(|outcome| outcome.winner()) else { return "" };
        if self.winning() != 0 {
            " by reaching the far side"
        } else if self.pieces(winner.other()) == 0 {
            " by capturing every piece"
        } else {
            ": the opponent cannot move"
        }
    }
}

impl Show for Breakthrough {
    fn diagram(&self) -> Diagram {
        let piece = |cell| Some(Piece { owner: self.owner(cell)?, look: Look::Marker });
        let pieces = |player| (counted(self.pieces(player).count_ones() as usize, "piece"), None);
        let players = seats::<Self>([Tint::Ivory, Tint::Ebony], pieces);
        let mut diagram = square_board(self, self.layout(), piece, players, self.how_it_ended());
        let winning = moves::cells(self.winning()).map(|cell| self.layout().number(cell));
        diagram.marks.winning.extend(winning);
        diagram
    }

    fn gesture(&self, m: Step) -> Gesture {
        vec![
            Tap::cell("piece", m.from, self.layout().number(m.from)),
            Tap::cell("target", m.to, self.layout().number(m.to)),
        ]
    }

    fn trace(&self, m: Step) -> Trace {
        let (from, to) = (self.layout().number(m.from), self.layout().number(m.to));
        Trace { placed: None, travels: vec![Travel { from, to: Some(to), height: 1 }] }
    }
}
