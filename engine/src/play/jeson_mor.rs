//! Jeson Mor: the fight for the ring around the centre is settled by counting.
//!
//! The ring is the eight cells a jump away from the centre. Let the centre be empty or the opponent's,
//! m the mover's and n the opponent's knights on the ring. If m > n, the mover enters, every recapture
//! is forced on both sides since a knight left alone in the centre wins, and the opponent runs out
//! first. If m ≤ n, entering loses for the same reason. So, the centre empty, a player who is to move
//! must not let the opponent have the majority: knights on the ring are frozen, a deficit of one is met
//! by entering the ring or capturing on it, one of two only by capturing on it, and three are lost.
//! No ring cell is a jump away from another, so a ring knight never captures on the ring.
//!
//! A ring filled by one player's eight knights could keep that player's own knight in the centre;
//! nothing is claimed then.

use super::Play;
use super::seen::jeson_mor as seen;
use crate::evaluate::Estimate;
use crate::levels::{Skills, skill};
use crate::net::{Accumulator, CLEAR, Net, Seen};
use crate::score::{Score, win_after};
use crate::seed::{self, Seed};
use crate::solve::complete::Solution;
use crate::solve::knights::{self, Knights};
use crate::solve::numbers::Numbers;
use crate::solve::quiet::Quiet;
use crate::solve::retrograde::{self, Value, is_win};
use crate::solve::{Numbered, Prove, Within};
use rules::jeson_mor::{Cell, Goal, JesonMor, Jump, Options, jumps};
use rules::{Bits, Game, Player};
use std::path::Path;

/// The evaluator of Jeson Mor.
#[derive(Debug)]
pub struct Judge {
    net: Option<&'static Net<{ seen::HIDDEN }>>,
}

impl Judge {
    /// The evaluator without a net; what is certain does not depend on nets.
    pub const BY_HAND: Judge = Judge { net: None };

    /// An evaluator with this net, for the options it covers.
    pub fn with(net: &'static Net<{ seen::HIDDEN }>) -> Judge {
        Judge { net: Some(net) }
    }

    #[inline]
    fn net(&self, pos: &JesonMor) -> Option<&'static Net<{ seen::HIDDEN }>> {
        self.net.filter(|_| seen::covers(pos))
    }
}

impl Default for Judge {
    fn default() -> Judge {
        Judge { net: seen::net() }
    }
}

/// The knights around the centre, from the view of the player to move.
struct Ring {
    cells: u128,
    centre: u128,
    mine: i32,
    theirs: i32,
    /// Who stands in the centre: 1 the mover, −1 the opponent, 0 nobody.
    holder: i32,
}

impl Ring {
    #[inline]
    fn new(pos: &JesonMor) -> Ring {
        let (own, their) = (pos.knights(pos.turn()), pos.knights(pos.turn().other()));
        let cells = jumps(pos.centre(), pos.size());
        let centre = 1 << pos.centre().index();
        let holder = i32::from(own & centre != 0) - i32::from(their & centre != 0);
        let count = |set: u128| (set & cells).count_ones() as i32;
        Ring { cells, centre, mine: count(own), theirs: count(their), holder }
    }

    /// Whether counting decides: not on a ring that is filled by one player.
    fn is_clear(&self) -> bool {
        self.mine < 8 && self.theirs < 8
    }
}

fn known(pos: &JesonMor, ring: &Ring) -> Option<Score> {
    if pos.goal() == Goal::Reach {
        return (ring.mine > 0).then_some(win_after(1));
    }
    if !ring.is_clear() {
        return None;
    }
    if ring.holder > 0 {
        return Some(win_after(1));
    }
    if ring.mine > ring.theirs {
        return Some(win_after(2 * ring.theirs + 3));
    }
    if ring.holder < 0 {
        return Some(-win_after(2 * ring.mine + 2));
    }
    (ring.theirs - ring.mine >= 3).then(|| lost(ring))
}

/// The score if the opponent has the majority on the ring after any move, even one that adds a knight there.
fn lost(ring: &Ring) -> Score {
    -win_after(2 * (ring.mine + 1) + 4)
}

/// The value of a knight, by its number of jumps from the centre.
const NEARNESS: [i32; 8] = [34, 34, 26, 14, 8, 3, 0, 0];
const KNIGHT: i32 = 100;

/// How many jumps each cell is away from the centre, for each size (5, 7, 9, 11).
static DISTANCES: [[u8; 121]; 4] = [distances(5), distances(7), distances(9), distances(11)];

const fn distances(size: usize) -> [u8; 121] {
    use rules::grid::KNIGHT_JUMPS;
    let mut table = [7; 121];
    table[Cell::at(size / 2, size / 2).index()] = 0;
    let mut distance = 0;
    while distance < 7 {
        let mut i = 0;
        while i < 121 * 8 {
            let (cell, jump) = (Cell::new(i / 8), KNIGHT_JUMPS[i % 8]);
            if table[i / 8] == distance
                && let Some(to) = cell.step(jump.0, jump.1, size)
                && table[to.index()] > distance + 1
            {
                table[to.index()] = distance + 1;
            }
            i += 1;
        }
        distance += 1;
    }
    table
}

fn distance(cell: Cell, size: usize) -> usize {
    DISTANCES[((size - 5) / 2) & 3][cell.index()].into()
}

fn worth(pos: &JesonMor, player: Player) -> i32 {
    let worth = |cell| KNIGHT + NEARNESS[distance(Cell::new(cell), pos.size()) & 7];
    pos.knights(player).bits().map(worth).sum()
}

fn attacks(pos: &JesonMor, player: Player) -> u128 {
    let knights = pos.knights(player).bits().map(Cell::new);
    knights.fold(0, |set, cell| set | jumps(cell, pos.size()))
}

/// The hand-crafted evaluation.
pub fn by_hand(pos: &JesonMor) -> Score {
    let (me, them) = (pos.turn(), pos.turn().other());
    let ring = jumps(pos.centre(), pos.size());
    let reach = |player| (attacks(pos, player) & ring).count_ones() as i32;
    worth(pos, me) - worth(pos, them) + 5 * (reach(me) - reach(them)) + 6
}

fn is_capture(pos: &JesonMor, m: Jump) -> bool {
    pos.knights(pos.turn().other()) >> m.to.index() & 1 == 1
}

/// The hand-crafted ordering score of a move.
fn order_by_hand(pos: &JesonMor, m: Jump) -> i32 {
    let near = |cell| NEARNESS[distance(cell, pos.size()) & 7];
    let ring = distance(m.to, pos.size()) == 1;
    let nearer = near(m.to) - near(m.from);
    20 * nearer + 40_000 * i32::from(is_capture(pos, m)) + 20_000 * i32::from(ring)
}

impl Estimate for Judge {
    type Game = JesonMor;
    type State = Accumulator<{ seen::HIDDEN }>;

    fn refresh(&self, pos: &JesonMor, sums: &mut Self::State) {
        if let Some(net) = self.net(pos) {
            sums.refresh(net, pos);
        }
    }

    fn update(
        &self,
        before: &Self::State,
        pos: &JesonMor,
        m: Jump,
        _next: &JesonMor,
        sums: &mut Self::State,
    ) {
        let Some(net) = self.net(pos) else { return };
        sums.clone_from(before);
        for viewer in Player::BOTH {
            let theirs = pos.turn() != viewer;
            sums.swap(net, viewer, seen::knight(m.from, theirs), seen::knight(m.to, theirs));
            if is_capture(pos, m) {
                sums.take(net, viewer, seen::knight(m.to, !theirs));
            }
        }
    }

    fn evaluate(&self, pos: &JesonMor, sums: &Self::State) -> Score {
        let by_hand = by_hand(pos);
        let Some(net) = self.net(pos) else { return by_hand };
        let (me, stage) = (pos.turn(), pos.stage());
        let late = seen::counts(pos, me);
        sums.score(net, me, stage, &late) + net.part_of_hand(stage, by_hand)
    }

    fn known(&self, pos: &JesonMor) -> Option<Score> {
        let exact = knights::installed(pos).and_then(|value| {
            let turns = retrograde::turns(value)? as i32;
            Some(if is_win(value) { win_after(turns) } else { -win_after(turns) })
        });
        exact.or_else(|| known(pos, &Ring::new(pos)))
    }

    fn prune<T>(&self, pos: &JesonMor, moves: &mut Vec<T>, of: impl Fn(&T) -> Jump) {
        let ring = Ring::new(pos);
        if pos.goal() == Goal::Reach || !ring.is_clear() {
            return;
        }
        let theirs = pos.knights(pos.turn().other());
        let within = |set: u128, cell: Cell| set >> cell.index() & 1 == 1;
        if ring.holder > 0 {
            moves.retain(|m| within(ring.centre, of(m).from));
        } else if ring.holder < 0 || ring.mine > ring.theirs {
            // Take the centre or retake it: everything else loses or misses a win.
            moves.retain(|m| within(ring.centre, of(m).to));
        } else {
            match ring.theirs - ring.mine {
                0 => moves.retain(|m| !within(ring.cells, of(m).from)),
                1 => moves.retain(|m| within(ring.cells, of(m).to)),
                2 => moves.retain(|m| within(ring.cells & theirs, of(m).to)),
                _ => moves.clear(),
            }
        }
    }

    fn hopeless(&self, pos: &JesonMor) -> Score {
        let ring = Ring::new(pos);
        if ring.holder < 0 { -win_after(2 * ring.mine + 2) } else { lost(&ring) }
    }

    fn is_unstable(&self, pos: &JesonMor) -> bool {
        let ring = Ring::new(pos);
        ring.theirs > ring.mine
    }

    fn has_noisy_moves(&self, pos: &JesonMor) -> bool {
        attacks(pos, pos.turn()) & pos.knights(pos.turn().other()) != 0
    }

    fn is_noisy(&self, pos: &JesonMor, m: Jump) -> bool {
        is_capture(pos, m)
    }

    fn is_extended(&self, pos: &JesonMor, m: Jump, _next: &JesonMor) -> bool {
        jumps(pos.centre(), pos.size()) >> m.to.index() & 1 == 1
    }

    fn score_moves(&self, pos: &JesonMor, sums: &Self::State, moves: &mut [(i32, u16, Jump)]) {
        let Some(net) = self.net(pos) else {
            moves.iter_mut().for_each(|(worth, _, m)| *worth += order_by_hand(pos, *m));
            return;
        };
        let policy = sums.policy(net, pos.turn(), &seen::counts(pos, pos.turn()));
        for (worth, _, m) in moves {
            *worth += policy.order(order_by_hand(pos, *m));
            pos.slots(*m, &mut |slot| *worth += policy.slot(slot));
        }
    }

    fn unit(&self, pos: &JesonMor) -> i32 {
        if self.net(pos).is_some() { CLEAR } else { 100 }
    }

    fn move_count_limit(&self, pos: &JesonMor, depth: i32) -> usize {
        let depth = depth.clamp(0, 60) as usize;
        if self.net(pos).is_some() { 8 + 4 * depth + depth * depth * 2 / 5 } else { usize::MAX }
    }

    fn history_slot(&self, m: Jump) -> usize {
        (m.from.index() * 31 + m.to.index()) & ((1 << crate::evaluate::SLOT_BITS) - 1)
    }
}

impl Prove for Judge {
    fn exact(&self, pos: &JesonMor) -> Option<Value> {
        knights::installed(pos)
    }

    fn tabulate(
        &self,
        pos: &JesonMor,
        file: &Path,
        go_on: &mut dyn FnMut(String) -> bool,
    ) -> Option<Result<Solution<JesonMor>, String>> {
        let wanted = pos.options() == Options { size: 5, goal: Goal::Leave };
        wanted.then(|| Ok(Box::new(Knights::tabulate(file, go_on)?) as Solution<JesonMor>))
    }

    fn within(
        &self,
        pos: &JesonMor,
        mebibytes: usize,
        threads: usize,
    ) -> Option<Box<dyn Within<JesonMor>>> {
        Some(Box::new(Quiet::new(pos, mebibytes, threads)?))
    }

    fn numbered(
        &self,
        pos: &JesonMor,
        mebibytes: usize,
        threads: usize,
    ) -> Option<Box<dyn Numbered<JesonMor>>> {
        Some(Box::new(Numbers::new(pos, mebibytes, threads)?))
    }

    fn quiet_means(&self) -> Option<&'static str> {
        Some(
            "a move is quiet unless it ends on one of the eight cells a jump from the centre, and a win is \
             reached where counting the knights on these cells decides",
        )
    }

    fn forcing(&self, pos: &JesonMor) -> Option<(String, u32)> {
        // All eight ring cells may be occupied; every entry but the last is answered by a recapture.
        (pos.goal() == Goal::Leave).then(|| (format!("-{}", pos.centre()), 10))
    }

    /// Entering the centre without a majority on the ring loses.
    fn may_force(pos: &JesonMor) -> bool {
        let ring = Ring::new(pos);
        !ring.is_clear() || ring.holder > 0 || ring.mine > ring.theirs
    }

    /// Twice the number of remaining moves: see `prune`.
    fn cost(&self, pos: &JesonMor) -> Option<u32> {
        let ring = Ring::new(pos);
        let (own, their) = (pos.knights(pos.turn()), pos.knights(pos.turn().other()));
        let targets = match ring.theirs - ring.mine {
            0 => !ring.centre,
            1 => ring.cells,
            _ => ring.cells & their,
        };
        let reached = |from| jumps(Cell::new(from), pos.size()) & targets & !own;
        let moves: u32 = (own & !ring.cells).bits().map(|from| reached(from).count_ones()).sum();
        Some(1 + 2 * moves)
    }
}

impl Play for JesonMor {
    type Judge = Judge;

    fn by_hand() -> Judge {
        Judge::BY_HAND
    }

    const SEED: Option<Seed<Self>> = Some(seed::jeson_mor::SEED);
    const SKILLS: Skills = [
        skill(30, 1_771, 97),
        skill(50, 1_291, 91),
        skill(80, 956, 82),
        skill(120, 672, 66),
        skill(170, 391, 43),
        skill(250, 220, 28),
        skill(410, 122, 15),
        skill(920, 59, 5),
        skill(2_100, 32, 1),
    ];
    const LEVEL_ELO: &'static [i32] = &[-390, -70, 110, 280, 470, 610, 880, 1_040, 1_200];
    const LOG_ODDS: f64 = 61.0;
    const BENCH_DEPTH: u32 = 7;
    const PUZZLE_RATED_BLIND: bool = true;
    const HAS_PROOFS: bool = true;
}
