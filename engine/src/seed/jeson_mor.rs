//! Jeson Mor's Sloppy, Greedy and Smart.

use super::{Seed, SeedPlayer, Turn, best_moves, both_views, view};
use rules::jeson_mor::{Cell, JesonMor, jumps};
use rules::{Bits, ByPlayer, Game, Outcome, Player};
use std::sync::LazyLock;

/// The value of a won game.
const WON: f64 = 9_999.0;
/// Above this value for the mover, Smart considers the position decided and searches no deeper.
const OBVIOUS: f64 = 2.0;
/// The width of the bitboard.
const WIDTH: usize = 11;

pub(crate) const SEED: Seed<JesonMor> = Seed {
    players: &[
        SeedPlayer::random("sloppy", "Sloppy"),
        SeedPlayer::new("greedy", "Greedy", "looks one turn ahead", greedy),
        SeedPlayer::new(
            "smart",
            "Smart",
            "looks three turns ahead, or one when it is far ahead already",
            smart,
        ),
    ],
    value: |pos| both_views(value(pos)),
};

fn greedy(pos: &JesonMor) -> Vec<Turn<JesonMor>> {
    best_moves(pos, |after| view(value(after), pos.turn()))
}

fn smart(pos: &JesonMor) -> Vec<Turn<JesonMor>> {
    if view(value(pos), pos.turn()) > OBVIOUS {
        return greedy(pos);
    }
    let mut best = f64::NEG_INFINITY;
    best_moves(pos, |after| {
        let worth = worst_reply(after, best);
        best = best.max(worth);
        worth
    })
}

/// The value after the opponent's best reply, for the other player; any value below `needed` once it falls
/// below (a cutoff).
fn worst_reply(pos: &JesonMor, needed: f64) -> f64 {
    let player = pos.turn().other();
    if pos.outcome().is_some() {
        return view(value(pos), player);
    }
    let mut worst = f64::INFINITY;
    for m in pos.moves() {
        worst = worst.min(best_answer(&pos.after(m), worst));
        // A move that is worse than another cannot tie with it.
        if worst < needed {
            break;
        }
    }
    worst
}

/// The mover's best move by evaluation alone; any value of at least `enough` once it is reached (a cutoff).
fn best_answer(pos: &JesonMor, enough: f64) -> f64 {
    let player = pos.turn();
    if pos.outcome().is_some() {
        return view(value(pos), player);
    }
    let mut best = f64::NEG_INFINITY;
    for m in pos.moves() {
        best = best.max(view(value(&pos.after(m)), player));
        if best >= enough {
            break;
        }
    }
    best
}

/// The evaluation, positive for White.
fn value(pos: &JesonMor) -> f64 {
    match pos.outcome() {
        Some(Outcome::Win(winner)) => return view(WON, winner),
        Some(Outcome::Draw) => return 0.0,
        None => {}
    }
    let knights = ByPlayer::from_fn(|player| f64::from(pos.knights(player).count_ones()));
    let nearness = ByPlayer::from_fn(|player| nearness(pos, player));
    let mut attackers = ByPlayer::from_fn(|player| attackers(pos, player));
    if attackers[pos.turn()] > 0 {
        attackers[pos.turn().other()] -= 1;
    }
    let (white, black) = (Player::One, Player::Two);
    // Rounding depends on the order of these additions, and ties depend on rounding.
    knights[white] + 0.25 * (nearness[white] / knights[white]) + 0.25 * f64::from(attackers[white])
        - knights[black]
        - 0.25 * (nearness[black] / knights[black])
        - 0.25 * f64::from(attackers[black])
}

/// The sum of 1/h over a player's knights, where h is a knight's distance to the centre in jumps.
fn nearness(pos: &JesonMor, player: Player) -> f64 {
    let table = &NEARNESS[(pos.size() - 5) / 2 % 4];
    let mut sum = 0.0;
    // The original adds in this order: rows from the bottom, each from the right.
    for row in 0..pos.size() {
        let mut rest = (pos.knights(player) >> (WIDTH * row)) as u32 & ((1 << WIDTH) - 1);
        while rest != 0 {
            let column = rest.ilog2();
            rest ^= 1 << column;
            sum += table[WIDTH * row + column as usize];
        }
    }
    sum
}

/// How many of a player's knights attack an enemy.
fn attackers(pos: &JesonMor, player: Player) -> i32 {
    let theirs = pos.knights(player.other());
    let attacks = |cell: &Cell| jumps(*cell, pos.size()) & theirs != 0;
    cells(pos.knights(player)).filter(attacks).count() as i32
}

/// 1/h for each board size (5, 7, 9, 11) and cell; the centre counts as one jump away.
static NEARNESS: LazyLock<[[f64; WIDTH * WIDTH]; 4]> = LazyLock::new(|| {
    [5, 7, 9, 11].map(|size| {
        let mut table = [0.0; WIDTH * WIDTH];
        let mut fresh = 1u128 << Cell::at(size / 2, size / 2).index();
        let mut reached = 0;
        let mut hops = 0u8;
        while fresh != 0 {
            cells(fresh).for_each(|cell| table[cell.index()] = 1.0 / f64::from(hops.max(1)));
            reached |= fresh;
            fresh = cells(fresh).fold(0, |set, cell| set | jumps(cell, size)) & !reached;
            hops += 1;
        }
        table
    })
});

fn cells(set: u128) -> impl Iterator<Item = Cell> {
    set.bits().map(Cell::new)
}
