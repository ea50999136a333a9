//! The drawing and the taps.

use super::{Goal, JesonMor, Jump, setup};
use crate::diagram::{
    Diagram, Gesture, Look, Marks, Piece, Seat, Shape, Show, Tap, Tint, Tone, Trace, Travel,
    square_cells, square_labels, status,
};
use crate::edit::Edit;
use crate::game::{Game, Player, SetupError, counted};

impl JesonMor {
    fn how_it_ended(&self) -> &'static str {
        let Some(winner) = self.outcome.and_then(|outcome| outcome.winner()) else { return "" };
        if self.knights(winner.other()) == 0 {
            " by capturing every knight"
        } else if self.goal == Goal::Reach {
            " by reaching the centre"
        } else {
            " by leaving the centre"
        }
    }
}

impl Show for JesonMor {
    fn diagram(&self) -> Diagram {
        let piece = |cell| Some(Piece { owner: self.owner(cell)?, look: Look::Knight });
        let mut cells = square_cells(self.layout(), piece);
        cells[self.layout().number(self.centre())].tone = Tone::Goal;
        let seat = |player: Player, tint| Seat {
            name: Self::INFO.players[player.index()],
            tint,
            count: counted(self.knights(player).count_ones() as usize, "knight"),
            reserve: None,
        };
        Diagram {
            shape: Shape::Square,
            towers: false,
            cells,
            labels: square_labels(self.layout()),
            players: [seat(Player::One, Tint::Ivory), seat(Player::Two, Tint::Ebony)],
            turn: self.outcome.is_none().then_some(self.turn),
            status: status(self, self.how_it_ended()),
            marks: Marks::default(),
        }
    }

    fn gesture(&self, m: Jump) -> Gesture {
        vec![
            Tap::cell("knight", m.from, self.layout().number(m.from)),
            Tap::cell("target", m.to, self.layout().number(m.to)),
        ]
    }

    fn trace(&self, m: Jump) -> Trace {
        let travel = Travel {
            from: self.layout().number(m.from),
            to: Some(self.layout().number(m.to)),
            height: 1,
        };
        Trace { placed: None, travels: vec![travel] }
    }

    fn edited(&self, edit: Edit) -> Result<Self, SetupError> {
        setup::edited(self, edit)
    }
}
