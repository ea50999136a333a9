//! The drawing and the taps.

use super::{Cell, Goal, JesonMor, Jump};
use crate::diagram::{
    Cell as Drawn, Diagram, Gesture, Look, Marks, Piece, Seat, Shape, Show, Tap, Tint, Tone, Trace,
    Travel, square_labels, status,
};
use crate::game::{Game, Player};

impl JesonMor {
    /// The number of a cell among the cells of the drawing, whose first row is the last one here.
    fn drawn(&self, cell: Cell) -> usize {
        (self.size() - 1 - cell.row()) * self.size() + cell.column()
    }

    fn how_it_ended(&self) -> &'static str {
        let Some(winner) = self.outcome.and_then(|outcome| outcome.winner()) else { return "" };
        if self.knights(winner.other()) == 0 {
            " by capturing every knight"
        } else if self.goal == Goal::Reach {
            " by reaching the centre"
        } else if self.judge(self.turn).is_some() {
            ": no knight of the opponent can jump"
        } else {
            " by leaving the centre"
        }
    }
}

impl Show for JesonMor {
    fn diagram(&self) -> Diagram {
        let piece = |cell: Cell| {
            let owner =
                Player::BOTH.into_iter().find(|p| self.knights(*p) >> cell.index() & 1 == 1)?;
            Some(Piece { owner, look: Look::Knight })
        };
        let tone = |cell: Cell| match (cell.column() + cell.row()) % 2 {
            _ if cell == self.centre() => Tone::Goal,
            0 => Tone::Dark,
            _ => Tone::Light,
        };
        let drawn = |i: usize| {
            let cell = Cell::at(i % self.size(), self.size() - 1 - i / self.size());
            Drawn {
                name: cell.to_string(),
                x: 2 * cell.column() as i16,
                y: (i / self.size()) as i16,
                tone: tone(cell),
                piece: piece(cell),
            }
        };
        let seat = |player: Player, tint| Seat {
            name: Self::INFO.players[player.index()],
            tint,
            count: format!("{} knights", self.knights(player).count_ones()),
            reserve: None,
        };
        Diagram {
            shape: Shape::Square,
            towers: false,
            cells: (0..self.size() * self.size()).map(drawn).collect(),
            labels: square_labels(self.size(), false),
            players: [seat(Player::One, Tint::Ivory), seat(Player::Two, Tint::Ebony)],
            turn: self.outcome.is_none().then_some(self.turn),
            status: status(self, self.how_it_ended()),
            marks: Marks::default(),
        }
    }

    fn gesture(&self, m: Jump) -> Gesture {
        vec![
            Tap::cell("knight", m.from, self.drawn(m.from)),
            Tap::cell("target", m.to, self.drawn(m.to)),
        ]
    }

    fn trace(&self, m: Jump) -> Trace {
        let travel = Travel { from: self.drawn(m.from), to: Some(self.drawn(m.to)), height: 1 };
        Trace { placed: None, travels: vec![travel] }
    }
}
