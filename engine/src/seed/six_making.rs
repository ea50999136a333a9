//! Six MaKING's Easy and Hard.

use super::{Seed, SeedPlayer, Turn, best_moves, both_views, view};
use rules::six_making::{Cell, KING, SixMaking};
use rules::{Bits, Game, Player};

pub(crate) const SEED: Seed<SixMaking> = Seed {
    players: &[
        SeedPlayer::random("easy", "Easy"),
        SeedPlayer::new(
            "hard",
            "Hard",
            "weighs the position after its turn together with the one after the best reply",
            hard,
        ),
    ],
    value: |pos| both_views(value(pos)),
};

fn hard(pos: &SixMaking) -> Vec<Turn<SixMaking>> {
    let player = pos.turn();
    best_moves(pos, |after| {
        let own = view(value(after), player);
        let replies = after.moves();
        let values = replies.iter().map(|reply| view(value(&after.after(*reply)), player));
        // A finished game has no reply, so its value counts twice.
        own + values.reduce(f64::min).unwrap_or(own)
    })
}

/// The evaluation, positive for player 1.
fn value(pos: &SixMaking) -> f64 {
    let mut sum = 0;
    for cell in pos.occupied().bits() {
        let tower = pos.tower(Cell::new(cell));
        let height = tower.height();
        let worth = (height * height + if height >= KING { 100 } else { 0 }) as i32;
        sum += if tower.top() == Player::One { worth } else { -worth };
    }
    f64::from(sum)
}
