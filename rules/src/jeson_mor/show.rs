//! The drawing and the taps.

use super::{Goal, JesonMor, Jump, jumps};
use crate::diagram::{
    Diagram, Gesture, Look, Piece, Show, Tap, Tint, Tone, Trace, Travel, seats, square_board,
};
use crate::game::{Player, counted};

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

    fn lead(&self) -> Option<(Player, String)> {
        if self.outcome.is_some() || self.goal == Goal::Reach {
            return None;
        }
        let ring = jumps(self.centre(), self.size());
        let on_ring = |player| (self.knights(player) & ring).count_ones();
        let leader = Player::BOTH.into_iter().max_by_key(|player| on_ring(*player))?;
        let [more, less] = [on_ring(leader), on_ring(leader.other())];
        (more > less).then(|| (leader, format!("the majority on the ring, {more} to {less}")))
    }
}
