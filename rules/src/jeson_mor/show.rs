//! The drawing and the taps.

use super::{Goal, JesonMor, Jump};
use crate::diagram::{
    Diagram, Gesture, Look, Piece, Show, Tap, Tint, Tone, Trace, Travel, seats, square_board,
};
use crate::game::counted;

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
        let pieces = |player| (counted(self.knights(player).count_ones() as usize, "knight"), None);
        let players = seats::<Self>([Tint::Ivory, Tint::Ebony], pieces);
        let mut diagram = square_board(self, self.layout(), piece, players, self.how_it_ended());
        diagram.cells[self.layout().number(self.centre())].tone = Tone::Goal;
        diagram
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
}
