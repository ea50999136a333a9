//! Glaisher: connection distances, and an exact test for a win in this turn.

use super::Play;
use super::seen::glaisher as seen;
use crate::evaluate::Estimate;
use crate::levels::{Skills, skill};
use crate::net::{Accumulator, CLEAR, Net, Seen};
use crate::score::{Score, win_after};
use crate::seed::{self, Seed};
use crate::solve::Prove;
use rules::glaisher::{Glaisher, Move, Parts};
use rules::hex::{self, Board, Direction, Hex, NEIGHBOURS, around};
use rules::{ByPlayer, Game, Player};
use std::cell::Cell;

/// The evaluator of Glaisher.
#[derive(Debug)]
pub struct Judge {
    net: Option<&'static Net<{ seen::HIDDEN }>>,
}

impl Judge {
    /// An evaluator with this net.
    pub fn with(net: &'static Net<{ seen::HIDDEN }>) -> Judge {
        Judge { net: Some(net) }
    }

    /// The net, on the board it was trained on.
    #[inline]
    fn net(&self, pos: &Glaisher) -> Option<&'static Net<{ seen::HIDDEN }>> {
        self.net.filter(|_| seen::covers(pos))
    }
}

impl Default for Judge {
    fn default() -> Judge {
        Judge { net: seen::net() }
    }
}

/// The largest distance: a row of nine empty cells connects.
const FAR: usize = 10;

/// The cells that are reached from a side by adding at most 0, 1, 2, … to `own`: a cell that is `open`
/// costs one, any other two. Ends with the first set that touches the other side, or at `most`.
fn waves(
    board: &Board,
    own: u64,
    open: u64,
    from: u64,
    to: u64,
    most: usize,
    waves: &mut [u64; FAR + 1],
) -> usize {
    let (mut reached, near) = hex::flood_around(from, own);
    let mut border = (from | near) & !reached & board.cells;
    // Cells that are not open are entered one step later.
    let mut met = 0;
    for (cost, wave) in waves.iter_mut().enumerate() {
        *wave = reached;
        if reached & to != 0 || cost == most {
            return cost;
        }
        let step = border & open | met;
        met = border & !open;
        reached |= step;
        let mut near = around(step);
        let fresh = own & !reached;
        if near & fresh != 0 {
            let (joined, beyond) = hex::flood_around(near, fresh);
            reached |= joined;
            near |= beyond;
        }
        border = (border | near) & !reached & board.cells;
    }
    FAR
}

/// The connection distance: how much must be added to connect any pair of opposite sides.
pub(super) fn missing(board: &Board, own: u64, open: u64) -> usize {
    let mut best = FAR;
    for (least, [from, to]) in nearest_first(board, own) {
        if least < best {
            best = best.min(waves(board, own, open, from, to, best, &mut [0; FAR + 1]));
        }
    }
    best
}

/// The pairs of opposite sides with a lower bound of their distance, the nearest pair first.
fn nearest_first(board: &Board, own: u64) -> [(usize, [u64; 2]); 3] {
    let mut pairs = [0, 1, 2].map(|pair| (bare(board, pair, own), board.sides[pair]));
    if pairs[1].0 < pairs[0].0 {
        pairs.swap(0, 1);
    }
    if pairs[2].0 < pairs[0].0 {
        pairs.swap(0, 2);
    }
    pairs
}

/// Lines between a pair of sides without a cell of the set: every connection must cross each of them, and so adds a
/// cell there.
#[inline]
fn bare(board: &Board, pair: usize, own: u64) -> usize {
    let lines = &board.crossings[pair];
    let without: usize = lines.iter().map(|line| usize::from(line & own == 0)).sum();
    // Those that a smaller board does not have are empty.
    without + board.rows() - lines.len()
}

/// The shortest connections of a player.
#[derive(Clone, Copy, Debug, Default)]
struct Ways {
    /// How much must be added.
    missing: u8,
    /// The open cells on such connections.
    gaps: u64,
    /// The opponent's stacks on such connections.
    blocked: u64,
}

/// The shortest connections, given an upper bound of their distance.
fn ways(board: &Board, own: u64, open: u64, most: usize) -> Ways {
    let mut best = (most, 0, 0);
    for (least, [a, b]) in nearest_first(board, own) {
        if least > best.0 {
            continue;
        }
        let (mut from, mut to) = ([0; FAR + 1], [0; FAR + 1]);
        let cost = waves(board, own, open, a, b, best.0, &mut from);
        if cost > best.0 || from[cost] & b == 0 {
            continue;
        }
        if cost == 0 {
            return Ways::default();
        }
        waves(board, own, open, b, a, FAR, &mut to);
        let met = |c: usize| from[c] & !from[c - 1];
        // A missing cell is counted from both sides, so its own cost is subtracted once.
        let gaps = (1..=cost).fold(0, |cells, c| cells | met(c) & to[cost + 1 - c]);
        let blocked = (2..=cost).fold(0, |cells, c| cells | met(c) & to[cost + 2 - c]);
        let (more_gaps, more_blocked) = if cost == best.0 { (best.1, best.2) } else { (0, 0) };
        best = (cost, gaps | more_gaps, blocked | more_blocked);
    }
    let (missing, gaps, blocked) = best;
    Ways { missing: missing as u8, gaps: gaps & open & !own, blocked: blocked & !open & !own }
}

/// A quick lower bound of the distance: lines without a cell of the set, for the best pair of sides.
fn at_least_missing(board: &Board, own: u64) -> usize {
    [0, 1, 2].map(|pair| bare(board, pair, own)).into_iter().min().unwrap_or_default()
}

/// The cells where one more stack would connect two opposite sides; all cells if they are connected already.
fn connecting(board: &Board, own: u64) -> u64 {
    let mut cells = 0;
    for [a, b] in board.sides {
        let [(from, near), (_, far)] = [a, b].map(|side| hex::flood_around(side, own));
        if from & b != 0 {
            return board.cells;
        }
        cells |= (a | near) & (b | far);
    }
    cells & board.cells & !own
}

/// The most parts that any stack can be split into.
fn most_parts(pos: &Glaisher, own: u64) -> usize {
    let tallest = hex::cells(own).map(|cell| pos.height(cell)).max().unwrap_or_default();
    match tallest {
        0..=2 => 1,
        3..=5 => 2,
        6..=9 => 3,
        10..=14 => 4,
        15..=20 => 5,
        _ => 8,
    }
}

/// Whether the player to move wins in this turn.
pub fn wins_this_turn(pos: &Glaisher) -> bool {
    let own = pos.stacks(pos.turn());
    if pos.is_placing() {
        let board = pos.board();
        return at_least_missing(board, own) <= 1 && connecting(board, own) & pos.empty() != 0;
    }
    threat(pos, pos.turn()) != 0
}

/// The cells where a placement would win after some shift, were it that player's turn; empty if no shift
/// leads to a win.
fn threat(pos: &Glaisher, player: Player) -> u64 {
    let (own, their, board) = (pos.stacks(player), pos.stacks(player.other()), pos.board());
    // A shift fills as many cells as it has parts, and one more is placed.
    let most = 1 + most_parts(pos, own);
    let Some(helpful) = Helpful::new(board, own, most) else { return 0 };
    let mut cells = 0;
    pos.each_shift(player, |from, direction, parts| {
        let landed = landings(from, direction, parts);
        if helpful.may_connect(landed & !own) {
            let own = own & !from.bit() | landed;
            cells = connecting(board, own) & !(own | their);
        }
        cells != 0
    });
    cells
}

/// Which cells lie on connections that are nearly complete.
struct Helpful {
    /// The fewest cells that complete one.
    fewest: usize,
    /// The cells that are missing in connections which lack at most 0, 1, 2, … cells.
    cells: [u64; FAR + 1],
}

impl Helpful {
    /// `None` if every connection lacks more cells than this.
    fn new(board: &Board, own: u64, most: usize) -> Option<Helpful> {
        let most = most.min(FAR);
        let mut found = Helpful { fewest: FAR + 1, cells: [0; FAR + 1] };
        for (pair, [a, b]) in board.sides.into_iter().enumerate() {
            if bare(board, pair, own) > most {
                continue;
            }
            let (mut from, mut to) = ([0; FAR + 1], [0; FAR + 1]);
            waves(board, own, board.cells, a, 0, most, &mut from);
            let Some(cost) = from[..=most].iter().position(|wave| wave & b != 0) else { continue };
            waves(board, own, board.cells, b, 0, most, &mut to);
            found.fewest = found.fewest.min(cost);
            for lacking in cost..=most {
                // A missing cell is counted from both sides.
                let on_way =
                    (1..=lacking).fold(0, |on, paid| on | from[paid] & to[lacking + 1 - paid]);
                found.cells[lacking] |= on_way & !own;
            }
        }
        (found.fewest <= most).then_some(found)
    }

    /// Whether these cells and one more might complete a connection: then it lacks no more than that many, and
    /// enough of them are missing in such connections.
    fn may_connect(&self, fresh: u64) -> bool {
        let lacking = (fresh.count_ones() as usize + 1).min(FAR);
        (fresh & self.cells[lacking]).count_ones() as usize + 1 >= self.fewest
    }
}

/// The cells on which the parts of a shift come to rest.
#[inline]
fn landings(from: Hex, direction: Direction, parts: Parts) -> u64 {
    landings_of(from, direction, parts).fold(0, |cells, cell| cells | cell.bit())
}

/// The evaluator's state: the net's accumulator, and values that are computed on demand.
#[derive(Default)]
pub struct Kept {
    sums: Accumulator<{ seen::HIDDEN }>,
    /// Each player's connection distance.
    missing: ByPlayer<Cell<Option<u8>>>,
    ways: ByPlayer<Cell<Option<Ways>>>,
    /// While a player places: the cells with which the opponent could win after a shift, were nothing placed.
    threat: Cell<Option<u64>>,
    /// Whether the player to move wins with this turn.
    wins: Cell<Option<bool>>,
}

impl Kept {
    fn forget(&mut self) {
        self.missing = Default::default();
        self.ways = Default::default();
        self.threat = Cell::new(None);
        self.wins = Cell::new(None);
    }

    fn ways(&self, pos: &Glaisher, player: Player) -> Ways {
        let kept = &self.ways[player];
        kept.get().unwrap_or_else(|| {
            let most = self.missing[player].get().map_or(FAR, usize::from);
            let found = ways(pos.board(), pos.stacks(player), pos.empty(), most);
            kept.set(Some(found));
            found
        })
    }

    fn missing(&self, pos: &Glaisher, player: Player) -> usize {
        let kept = &self.missing[player];
        let count = || missing(pos.board(), pos.stacks(player), pos.empty()) as u8;
        let found = kept.get().unwrap_or_else(count);
        kept.set(Some(found));
        found.into()
    }

    /// Keeps what a placement does not change.
    fn place(&mut self, before: &Kept, pos: &Glaisher, cell: Hex) {
        let (me, them) = (pos.turn(), pos.turn().other());
        let (mine, theirs) = (before.ways(pos, me), before.ways(pos, them));
        let closes = u8::from(mine.gaps & cell.bit() != 0);
        self.missing[me] = Cell::new(Some(mine.missing - closes));
        if theirs.gaps & cell.bit() == 0 {
            self.missing[them] = Cell::new(Some(theirs.missing));
            self.ways[them] = Cell::new(Some(theirs));
        }
        // A piece of height 1 blocks no shift, since a part can land on it as on an empty cell. But nothing
        // can be placed there: if the threat needs this cell, there may be another threat.
        let threat = before.threat.get().unwrap_or_else(|| threat(pos, them));
        before.threat.set(Some(threat));
        if threat != cell.bit() {
            self.wins.set(Some(threat != 0));
        }
    }

    /// Keeps what a shift does not change: the opponent's distance, unless it blocks or opens a path of
    /// theirs.
    fn shift(&mut self, before: &Kept, pos: &Glaisher, from: Hex, landed: u64) {
        let them = pos.turn().other();
        let theirs = before.ways(pos, them);
        if landed & (theirs.gaps | pos.stacks(them)) == 0 && theirs.blocked & from.bit() == 0 {
            self.missing[them] = Cell::new(Some(theirs.missing));
        }
        if before.wins.get() == Some(false) {
            self.wins.set(Some(false));
        }
    }
}

/// The value of each connection distance. Pieces are worth more: in matches, the player with more of them
/// connected in the end.
const NEAR: [i32; FAR + 1] = [270, 210, 156, 117, 87, 63, 45, 30, 18, 9, 0];

fn worth(pos: &Glaisher, player: Player, missing: usize) -> i32 {
    let mut value = NEAR[missing.min(FAR)];
    for cell in hex::cells(pos.stacks(player)) {
        value += 10 + 10 * i32::from(pos.height(cell).min(20)) + 2 * pos.board().ring(cell) as i32;
    }
    value
}

/// Move ordering: the bonus for a piece on a cell, larger near the centre.
#[inline]
fn near_centre(ring: u8) -> i32 {
    10 * i32::from(ring)
}

/// A bonus for closing a gap of ours or filling one of theirs.
const OUR_GAP: i32 = 200;
const THEIR_GAP: i32 = 160;

/// Move ordering: the bonus for each cell on which a part of a shift lands.
fn landing_values(pos: &Glaisher, (mine, theirs): (u64, u64)) -> [i32; hex::CELLS] {
    let mut values = pos.board().rings.map(|ring| near_centre(ring) + 40);
    let mut add = |set: u64, bonus: &dyn Fn(Hex) -> i32| {
        hex::cells(set).for_each(|cell| values[cell.index()] += bonus(cell));
    };
    add(mine, &|_| OUR_GAP);
    add(theirs, &|_| THEIR_GAP);
    add(pos.stacks(pos.turn()), &|_| -120);
    add(pos.stacks(pos.turn().other()), &|cell| 260 + 80 * i32::from(pos.height(cell)));
    values
}

/// The hand-crafted ordering score of a placement, given both players' gaps.
fn place_by_hand(pos: &Glaisher, cell: Hex, (mine, theirs): (u64, u64)) -> i32 {
    let (own, their) = (pos.stacks(pos.turn()), pos.stacks(pos.turn().other()));
    let near = NEIGHBOURS[cell.index()];
    let in_gap = |gaps: u64| i32::from(gaps & cell.bit() != 0);
    near_centre(pos.board().rings[cell.index()])
        + OUR_GAP * in_gap(mine)
        + THEIR_GAP * in_gap(theirs)
        + 20 * (near & own).count_ones() as i32
        + 12 * (near & their).count_ones() as i32
}

/// The cells on which the parts of a shift land.
fn landings_of(from: Hex, direction: Direction, parts: Parts) -> impl Iterator<Item = Hex> {
    parts.heights().map(move |part| from.ahead(direction, part))
}

impl Estimate for Judge {
    type Game = Glaisher;
    type State = Kept;

    fn refresh(&self, pos: &Glaisher, kept: &mut Kept) {
        kept.forget();
        if let Some(net) = self.net(pos) {
            kept.sums.refresh(net, pos);
        }
    }

    fn update(&self, before: &Kept, pos: &Glaisher, m: Move, next: &Glaisher, kept: &mut Kept) {
        kept.forget();
        let changed = match m {
            Move::Place(cell) => {
                kept.place(before, pos, cell);
                cell.bit()
            }
            Move::Shift { from, direction, parts } => {
                let landed = landings(from, direction, parts);
                kept.shift(before, pos, from, landed);
                landed | from.bit()
            }
        };
        let Some(net) = self.net(pos) else { return };
        kept.sums.clone_from(&before.sums);
        for cell in hex::cells(changed) {
            for viewer in Player::BOTH {
                let [old, new] = [pos, next].map(|pos| seen::stack(pos, viewer, cell));
                kept.sums.replace(net, viewer, old, new);
            }
        }
    }

    fn evaluate(&self, pos: &Glaisher, kept: &Kept) -> Score {
        let me = pos.turn();
        let missing = [me, me.other()].map(|player| kept.missing(pos, player));
        if let Some(net) = self.net(pos) {
            return kept.sums.score(net, me, pos.stage(), &seen::missing(missing));
        }
        let value = worth(pos, me, missing[0]) - worth(pos, me.other(), missing[1]);
        // A player to place has half a turn left, a player to shift a whole one.
        value + if pos.is_placing() { 40 } else { 60 }
    }

    fn known(&self, pos: &Glaisher) -> Option<Score> {
        wins_this_turn(pos).then_some(win_after(1))
    }

    fn known_with(&self, pos: &Glaisher, kept: &Kept) -> Option<Score> {
        let wins = kept.wins.get().unwrap_or_else(|| wins_this_turn(pos));
        kept.wins.set(Some(wins));
        wins.then_some(win_after(1))
    }

    fn knows_without_state(&self) -> bool {
        // What was found out a move before often answers it.
        false
    }

    fn score_moves(&self, pos: &Glaisher, kept: &Kept, moves: &mut [(i32, u16, Move)]) {
        let (me, them) = (pos.turn(), pos.turn().other());
        let (mine, theirs) = (kept.ways(pos, me).gaps, kept.ways(pos, them).gaps);
        let mut landing = landing_values(pos, (mine, theirs));
        let Some(net) = self.net(pos) else {
            for (worth, _, m) in moves {
                *worth += match m {
                    Move::Place(cell) => place_by_hand(pos, *cell, (mine, theirs)),
                    Move::Shift { from, direction, parts } => {
                        landings_of(*from, *direction, *parts)
                            .map(|cell| landing[cell.index()])
                            .sum()
                    }
                };
            }
            return;
        };
        let missing = [me, them].map(|player| kept.missing(pos, player));
        let policy = kept.sums.policy(net, me, &seen::missing(missing));
        if !pos.is_placing() {
            for cell in Hex::all() {
                let value = &mut landing[cell.index()];
                *value = policy.order(*value) + policy.slot(seen::landing(cell));
            }
        }
        let mut leaving = (usize::MAX, 0);
        for (worth, _, m) in moves {
            *worth += match m {
                Move::Place(cell) => {
                    policy.order(place_by_hand(pos, *cell, (mine, theirs)))
                        + policy.slot(cell.index())
                }
                Move::Shift { from, direction, parts } => {
                    // The shifts of a stack in one direction follow each other.
                    let slot = seen::leaving(*from, *direction);
                    if leaving.0 != slot {
                        leaving = (slot, policy.slot(slot));
                    }
                    let landings = landings_of(*from, *direction, *parts);
                    leaving.1 + landings.map(|cell| landing[cell.index()]).sum::<i32>()
                }
            };
        }
    }

    fn unit(&self, pos: &Glaisher) -> i32 {
        if self.net(pos).is_some() { CLEAR } else { 150 }
    }

    fn move_count_limit(&self, _pos: &Glaisher, depth: i32) -> usize {
        match depth {
            ..=1 => 7,
            2 => 9,
            3 => 12,
            4 => 14,
            _ => 22,
        }
    }

    fn history_slot(&self, m: Move) -> usize {
        match m {
            Move::Place(cell) => cell.index(),
            Move::Shift { from, direction, parts } => {
                64 + (from.index() * 8 + direction as usize) * 7 + parts.count()
            }
        }
    }
}

impl Prove for Judge {
    /// `known` sees connections, so the only other win is an opponent without a shift. A placed piece never
    /// blocks a shift, since nothing is lower.
    fn overlooks_no_win(&self, pos: &Glaisher) -> bool {
        let them = pos.turn().other();
        match pos.is_placing() {
            true => pos.can_shift(them),
            false => pos.moves().into_iter().all(|m| pos.after(m).can_shift(them)),
        }
    }

    fn exact_turns(&self) -> u32 {
        2
    }
}

impl Play for Glaisher {
    type Judge = Judge;

    fn by_hand() -> Judge {
        Judge { net: None }
    }

    const SEED: Option<Seed<Self>> = Some(seed::glaisher::SEED);
    const SKILLS: Skills = [
        skill(20, 2_750, 99),
        skill(120, 663, 65),
        skill(190, 346, 40),
        skill(350, 150, 20),
        skill(800, 67, 7),
        skill(1_300, 45, 3),
        skill(2_500, 28, 0),
        skill(4_900, 18, 0),
        skill(17_000, 8, 0),
    ];
    const LEVEL_ELO: &'static [i32] = &[-100, 180, 290, 410, 630, 830, 970, 1_140, 1_300];
    const LOG_ODDS: f64 = 87.0;
    const BENCH_DEPTH: u32 = 4;
    // A position has about two thousand turns, so three in a row are too many to search.
    const PUZZLE_TURNS: u32 = 2;
    const PUZZLE_MARGIN: u32 = 0;
}
