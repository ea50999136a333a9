//! The drawing and the taps.

use super::{Goal, JesonMor, Jump, setup};
use crate::diagram::{
    Diagram, Gesture, Look, Marks, Piece, Seat, Shape, Show, Tap, Tint, Tone, Trace, Travel,
    square_cells, square_labels, status,
};
use crate::edit::Edit;
use crate::game::{Game, Player, SetupError};

impl JesonMor {
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
        let piece = |cell| Some(Piece { owner: self.owner(cell)?, look: Look::Knight });
        let mut cells = square_cells(self.view(), piece);
        cells[self.view().number(self.centre())].tone = Tone::Goal;
        let seat = |player: Player, tint| Seat {
            name: Self::INFO.players[player.index()],
            tint,
            count: format!("{} knights", self.knights(player).count_ones()),
            reserve: None,
        };
        Diagram {
            shape: Shape::Square,
            towers: false,
            cells,
            labels: square_labels(self.view()),
            players: [seat(Player::One, Tint::Ivory), seat(Player::Two, Tint::Ebony)],
            turn: self.outcome.is_none().then_some(self.turn),
            status: status(self, self.how_it_ended()),
            marks: Marks::default(),
        }
    }

    fn gesture(&self, m: Jump) -> Gesture {
        vec![
            Tap::cell("knight", m.from, self.view().number(m.from)),
            Tap::cell("target", m.to, self.view().number(m.to)),
        ]
    }

    fn trace(&self, m: Jump) -> Trace {
        let travel = Travel {
            from: self.view().number(m.from),
            to: Some(self.view().number(m.to)),
            height: 1,
        };
        Trace { placed: None, travels: vec![travel] }
    }

    fn edited(&self, edit: Edit) -> Result<Self, SetupError> {
        setup::edited(self, edit)
    }
}
