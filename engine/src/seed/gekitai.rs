//! Gekitai's Easy and Hard.
//!
//! The two players see a position differently: each fears the other's markers more than it likes its own.

use super::{Seed, SeedPlayer, Turn, best_moves};
use rules::gekitai::Gekitai;
use rules::{ByPlayer, Game, Outcome, Player};

pub(crate) const SEED: Seed<Gekitai> = Seed {
    players: &[
        SeedPlayer::random("easy", "Easy"),
        SeedPlayer::new(
            "hard",
            "Hard",
            "looks one turn ahead, and at whether the opponent could then win at once",
            hard,
        ),
    ],
    value: |pos| ByPlayer::from_fn(|player| value(pos, player)),
};

fn hard(pos: &Gekitai) -> Vec<Turn<Gekitai>> {
    best_moves(pos, |after| value(after, pos.turn()))
}

/// The evaluation from one player's view.
fn value(pos: &Gekitai, player: Player) -> f64 {
    let [own, theirs] = [player, player.other()].map(|player| pos.markers(player));
    let result = match pos.outcome() {
        Some(Outcome::Win(winner)) if winner == player => 100,
        Some(Outcome::Win(_)) => -100,
        Some(Outcome::Draw) => 0,
        None if could_win(pos, player.other()) => -100,
        None => 0,
    };
    let markers = count(own) - 2 * count(theirs);
    let pairs = 5 * pairs(own) - 20 * pairs(theirs);
    f64::from(result + markers + pairs)
}

/// Whether a player has a placement that wins, were it their turn.
fn could_win(pos: &Gekitai, player: Player) -> bool {
    let wins = |pos: &Gekitai| {
        pos.moves().into_iter().any(|m| pos.after(m).outcome() == Some(Outcome::Win(player)))
    };
    if pos.turn() == player {
        return wins(pos);
    }
    let mut setup = pos.setup();
    setup.turn = player;
    Gekitai::from_setup(setup).is_ok_and(|pos| wins(&pos))
}

/// How many pairs of markers stand side by side, in all four directions.
fn pairs(set: u64) -> i32 {
    const NOT_RIGHT: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    const NOT_LEFT: u64 = 0xfefe_fefe_fefe_fefe;
    count(set & set >> 1 & NOT_RIGHT)
        + count(set & set >> 8)
        + count(set & set >> 9 & NOT_RIGHT)
        + count(set & set >> 7 & NOT_LEFT)
}

fn count(set: u64) -> i32 {
    set.count_ones() as i32
}
