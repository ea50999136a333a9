//! Glaisher's three levels.
//!
//! A turn is two decisions, so there are too many turns to weigh them all. The seed sieves them: it weighs
//! every first decision with the first second decision that fits, keeps the best few, weighs all turns
//! that begin like those, and again keeps the best few. Each of these candidates is then followed for some
//! turns, both players sieving down to one turn each time, and judged by where that leads. All this is
//! done twice, with the shift and with the placement as the first decision, and the better turn is made.
//!
//! Decided here, where the seed is silent or its program differs from its document:
//! - Both sieves keep the same number: the level's own at the root, one further on.
//! - Values are each player's own: everybody takes what is best for themselves, at every depth.
//! - A line ends where the game ends.
//! - Of equal turns the first counts: in the order of the rules, and shift first before placement first.
//!   The seed instead adds a tiny number to each value, to hide the rounding of its sums; here the sum
//!   goes by heights, so that it cannot depend on which cells the stacks stand on.
//! - In the middle of a turn the candidates are placements.

use super::{Seed, SeedPlayer, Turn, both_views, view};
use rules::glaisher::{Glaisher, Move};
use rules::hex::{Hex, NEIGHBOURS, cells};
use rules::{Game, Outcome, Player};
use std::sync::LazyLock;

/// The value of a won game.
const WON: f64 = 999_999.0;
/// The value of a stack by its ring, from the edge to the centre.
const RINGS: [i32; 5] = [1, 2, 2, 3, 4];

pub(crate) const SEED: Seed<Glaisher> = Seed {
    players: &[
        SeedPlayer::new(
            "level-1",
            "Level 1",
            "looks at the best reply to five promising turns",
            |pos| decide(pos, 1, 5),
        ),
        SeedPlayer::new(
            "level-2",
            "Level 2",
            "follows seven promising turns for three turns more",
            |pos| decide(pos, 3, 7),
        ),
        SeedPlayer::new(
            "level-3",
            "Level 3",
            "follows ten promising turns for five turns more",
            |pos| decide(pos, 5, 10),
        ),
    ],
    value: |pos| both_views(value(pos)),
};

/// Which decision of a turn is sieved first.
#[derive(Clone, Copy)]
enum First {
    Shift,
    Placement,
}

/// The moves of an incomplete turn, and the position they led to.
struct Half {
    begun: Option<Move>,
    middle: Glaisher,
}

/// A turn, the position after it, and its value to the player who made it.
struct Candidate {
    turn: Turn<Glaisher>,
    after: Glaisher,
    worth: f64,
}

/// The one turn of a level, unless the game is over.
fn decide(pos: &Glaisher, ahead: usize, width: usize) -> Vec<Turn<Glaisher>> {
    let orders = [First::Shift, First::Placement];
    let found = orders.into_iter().filter_map(|first| best(pos, first, ahead, width));
    first_highest(found).into_iter().map(|candidate| candidate.turn).collect()
}

/// The best of `width` candidates, each evaluated by the position some turns later.
fn best(pos: &Glaisher, first: First, ahead: usize, width: usize) -> Option<Candidate> {
    let follow = |mut candidate: Candidate| {
        if ahead > 0
            && let Some(reply) = best(&candidate.after, first, ahead - 1, 1)
        {
            candidate.worth = -reply.worth;
        }
        candidate
    };
    first_highest(candidates(pos, first, width).into_iter().map(follow))
}

fn first_highest(candidates: impl Iterator<Item = Candidate>) -> Option<Candidate> {
    candidates.reduce(|best, next| if next.worth > best.worth { next } else { best })
}

/// The best `width` turns by evaluation alone, the best first.
fn candidates(pos: &Glaisher, first: First, width: usize) -> Vec<Candidate> {
    let halves = halves(pos);
    match first {
        First::Shift => {
            let free = |half: &Half| cells(half.middle.empty());
            sieve(halves.iter(), |half| free(half).map(move |cell| finish(half, cell)), width)
        }
        First::Placement => {
            let free = |half: &Half, cell: Hex| half.middle.empty() & cell.bit() != 0;
            let fitting = |cell| halves.iter().filter(move |half| free(half, cell));
            sieve(
                pos.board().all(),
                |cell| fitting(cell).map(move |half| finish(half, cell)),
                width,
            )
        }
    }
}

/// Keeps the best stems, judged by the first turn of each, and then the best of all turns of those.
fn sieve<T: Copy, I: Iterator<Item = Candidate>>(
    stems: impl Iterator<Item = T>,
    turns: impl Fn(T) -> I,
    width: usize,
) -> Vec<Candidate> {
    let sample = |stem| turns(stem).next().map(|candidate| (stem, candidate.worth));
    let samples = keep(stems.filter_map(sample).collect(), width, |sample| sample.1);
    let whole = samples.into_iter().flat_map(|(stem, _)| turns(stem));
    keep(whole.collect(), width, |candidate| candidate.worth)
}

/// The best few, the best first; equal ones stay in their order.
fn keep<T>(mut items: Vec<T>, width: usize, worth: impl Fn(&T) -> f64) -> Vec<T> {
    items.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
    items.truncate(width);
    items
}

/// The position after each shift, or the position itself if the shift has been made.
fn halves(pos: &Glaisher) -> Vec<Half> {
    if pos.is_placing() && pos.outcome().is_none() {
        return vec![Half { begun: None, middle: *pos }];
    }
    let half = |shift| Half { begun: Some(shift), middle: pos.after(shift) };
    pos.moves().into_iter().map(half).collect()
}

fn finish(half: &Half, cell: Hex) -> Candidate {
    let place = Move::Place(cell);
    let after = half.middle.after(place);
    let turn = half.begun.into_iter().chain([place]).collect();
    Candidate { turn, after, worth: view(value(&after), half.middle.turn()) }
}

/// The evaluation, positive for player 1.
fn value(pos: &Glaisher) -> f64 {
    match pos.outcome() {
        Some(Outcome::Win(winner)) => return view(WON, winner),
        Some(Outcome::Draw) => return 0.0,
        None => {}
    }
    let mut whole = 0;
    let mut tallest = 0;
    // Player 1's surplus of stacks of each height.
    let mut lead = [0i8; 256];
    for (player, sign) in [(Player::One, 1), (Player::Two, -1)] {
        let own = pos.stacks(player);
        for cell in cells(own) {
            let neighbour = if NEIGHBOURS[cell.index()] & own != 0 { 2 } else { 0 };
            whole += i32::from(sign) * (RINGS[pos.board().ring(cell)] + 2 + neighbour);
            let height = usize::from(pos.height(cell));
            lead[height] += sign;
            tallest = tallest.max(height);
        }
    }
    let by_height = lead.iter().zip(POWERS.iter()).take(tallest + 1);
    by_height.fold(f64::from(whole), |sum, (lead, power)| sum + f64::from(*lead) * power)
}

/// The value of a stack by its height.
static POWERS: LazyLock<[f64; 256]> =
    LazyLock::new(|| std::array::from_fn(|height| (height as f64).powf(0.8)));
