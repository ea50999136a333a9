//! Gekitai: immediate wins are detected without search, and pairs of markers count most.

use super::Play;
use super::seen::gekitai as seen;
use crate::evaluate::Estimate;
use crate::levels::{Skills, skill};
use crate::net::{Accumulator, CLEAR, Net, Seen};
use crate::score::{Score, win_after};
use crate::seed::{self, Seed};
use crate::solve::Prove;
#[cfg(not(target_family = "wasm"))]
use crate::solve::atlas::{Row, after_each_move};
#[cfg(not(target_family = "wasm"))]
use crate::solve::question::Method;
#[cfg(not(target_family = "wasm"))]
use rules::Notation;
#[cfg(not(target_family = "wasm"))]
use rules::gekitai::Options;
use rules::gekitai::{Both, Cell, Gekitai, Place, lines};
use rules::{Bits, Game, Outcome, Player};

/// The evaluator of Gekitai.
#[derive(Debug)]
pub struct Judge {
    net: Option<&'static Net<{ seen::HIDDEN }>>,
}

impl Judge {
    /// An evaluator with this net, for the options it covers.
    pub fn with(net: &'static Net<{ seen::HIDDEN }>) -> Judge {
        Judge { net: Some(net) }
    }

    #[inline]
    fn net(&self, pos: &Gekitai) -> Option<&'static Net<{ seen::HIDDEN }>> {
        self.net.filter(|_| seen::covers(pos))
    }
}

impl Default for Judge {
    fn default() -> Judge {
        Judge { net: seen::net() }
    }
}

/// The distance of a cell from the edge, at most two: towards the middle, markers have neighbours on all
/// sides.
fn depth(cell: Cell, size: usize) -> i32 {
    let edge = |i: usize| i.min(size - 1 - i);
    edge(cell.column()).min(edge(cell.row())).min(2) as i32
}

/// Neighbouring pairs of a set, in all four directions.
fn pairs(set: u64) -> u32 {
    const LEFT: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    const RIGHT: u64 = 0xfefe_fefe_fefe_fefe;
    let count = |shifted: u64| (set & shifted).count_ones();
    count(set >> 1 & LEFT) + count(set >> 8) + count(set >> 9 & LEFT) + count(set >> 7 & RIGHT)
}

/// One step to a neighbouring cell: how far sets are rotated, and the cells that can be entered. The opposite of a step
/// is beside it.
const STEPS: [(u32, u64); 8] = {
    const NOT_LEFT: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_RIGHT: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    const NOT_TOP: u64 = !0xff;
    const NOT_BOTTOM: u64 = !0 >> 8;
    [
        (1, NOT_LEFT),
        (63, NOT_RIGHT),
        (8, NOT_TOP),
        (56, NOT_BOTTOM),
        (9, NOT_LEFT & NOT_TOP),
        (55, NOT_RIGHT & NOT_BOTTOM),
        (7, NOT_RIGHT & NOT_TOP),
        (57, NOT_LEFT & NOT_BOTTOM),
    ]
};

/// The cells one step ahead of a set.
#[inline]
fn ahead(set: u64, step: usize) -> u64 {
    let (shift, entered) = STEPS[step];
    set.rotate_left(shift) & entered
}

/// The cells from which one step leads into a set.
#[inline]
fn short_of(set: u64, step: usize) -> u64 {
    ahead(set, step ^ 1)
}

/// All cells of lines of three.
fn in_lines(set: u64) -> u64 {
    let through = |step: usize| {
        let last = set & ahead(set, step) & ahead(ahead(set, step), step);
        last | short_of(last, step) | short_of(short_of(last, step), step)
    };
    through(0) | through(2) | through(4) | through(6)
}

/// Where a marker of a player might complete a line: the cells where two others stay in line with it, which is certain,
/// and those where it pushes one into line, perhaps.
fn line_cells(pos: &Gekitai, player: Player) -> (u64, u64) {
    let (own, empty) = (pos.markers(player), pos.empty());
    let occupied = pos.board() & !empty;
    // By step: the cells from which it leads to an own marker that has another behind it, and so stays, or an empty
    // cell, to which it is pushed.
    let (mut holds, mut pushes) = ([0; 8], [0; 8]);
    let (mut sure, mut landed) = (0, 0);
    for step in 0..8 {
        holds[step] = short_of(own & short_of(occupied, step), step);
        sure |= short_of(own & short_of(own, step), step);
        let pushed = own & short_of(empty, step);
        pushes[step] = short_of(pushed, step) & empty;
        landed |= ahead(ahead(pushes[step], step), step);
    }
    for step in [0, 2, 4, 6] {
        sure |= holds[step] & holds[step ^ 1];
    }
    let in_line = in_lines(own | landed);
    let mut perhaps = 0;
    for (step, cells) in pushes.into_iter().enumerate() {
        perhaps |= cells & short_of(short_of(in_line, step), step);
    }
    (sure & empty, perhaps)
}

/// Whether a player could win at once, were it that player's turn.
pub fn wins_at_once(pos: &Gekitai, player: Player) -> bool {
    let own = pos.markers(player);
    let last_marker = pos.reserve(player) == 1;
    if own.count_ones() < 2 && !last_marker {
        return false;
    }
    let mover_wins = pos.options().both == Both::Mover;
    let (sure, perhaps) = line_cells(pos, player);
    if sure != 0 && mover_wins {
        return true;
    }
    let cells = if last_marker { pos.empty() } else { sure | perhaps };
    for cell in cells.bits().map(Cell::new) {
        let after = pos.own_after(player, cell);
        let count = last_marker && after.count_ones() > own.count_ones();
        if (count || lines(after) != 0) && (mover_wins || wins(pos, player, cell)) {
            return true;
        }
    }
    false
}

/// Whether a placement wins, even if it might complete the opponent's line too.
fn wins(pos: &Gekitai, player: Player, cell: Cell) -> bool {
    if player == pos.turn() {
        return pos.after(Place(cell)).outcome() == Some(Outcome::Win(player));
    }
    let mut setup = pos.setup();
    setup.turn = player;
    let Ok(pos) = Gekitai::from_setup(setup) else { return false };
    pos.after(Place(cell)).outcome() == Some(Outcome::Win(player))
}

fn worth(pos: &Gekitai, player: Player) -> i32 {
    let own = pos.markers(player);
    let mut value = 12 * pairs(own) as i32 + 9 * own.count_ones() as i32;
    // The last markers before the limit weigh more.
    value += match pos.reserve(player) {
        0..=1 => 60,
        2 => 25,
        3 => 8,
        _ => 0,
    };
    value + own.bits().map(|cell| 4 * depth(Cell::new(cell), pos.size())).sum::<i32>()
}

/// The hand-crafted evaluation.
pub fn by_hand(pos: &Gekitai) -> Score {
    worth(pos, pos.turn()) - worth(pos, pos.turn().other())
}

impl Estimate for Judge {
    type Game = Gekitai;
    type State = Accumulator<{ seen::HIDDEN }>;

    fn refresh(&self, pos: &Gekitai, sums: &mut Self::State) {
        if let Some(net) = self.net(pos) {
            sums.refresh(net, pos);
        }
    }

    fn update(
        &self,
        before: &Self::State,
        pos: &Gekitai,
        _m: Place,
        next: &Gekitai,
        sums: &mut Self::State,
    ) {
        let Some(net) = self.net(pos) else { return };
        sums.clone_from(before);
        for player in Player::BOTH {
            let (old, new) = (pos.markers(player), next.markers(player));
            for cell in (old ^ new).bits() {
                for viewer in Player::BOTH {
                    let input = seen::marker(cell, player != viewer);
                    match new >> cell & 1 {
                        1 => sums.add(net, viewer, input),
                        _ => sums.take(net, viewer, input),
                    }
                }
            }
        }
        for viewer in Player::BOTH {
            let (old, new) = (seen::reserves(pos, viewer), seen::reserves(next, viewer));
            for (old, new) in old.into_iter().zip(new).filter(|(old, new)| old != new) {
                sums.swap(net, viewer, old, new);
            }
        }
    }

    fn evaluate(&self, pos: &Gekitai, sums: &Self::State) -> Score {
        let by_hand = by_hand(pos);
        let Some(net) = self.net(pos) else { return by_hand };
        let stage = pos.stage();
        sums.score(net, pos.turn(), stage, &[]) + net.part_of_hand(stage, by_hand)
    }

    fn known(&self, pos: &Gekitai) -> Option<Score> {
        wins_at_once(pos, pos.turn()).then_some(win_after(1))
    }

    fn unit(&self, pos: &Gekitai) -> i32 {
        if self.net(pos).is_some() { CLEAR } else { 40 }
    }

    fn futility_margin(&self, pos: &Gekitai) -> Option<i32> {
        Some(self.unit(pos) * 3 / 5)
    }

    fn probes_leaves(&self) -> bool {
        true
    }

    fn is_unstable(&self, pos: &Gekitai) -> bool {
        wins_at_once(pos, pos.turn().other())
    }

    fn score_moves(&self, pos: &Gekitai, sums: &Self::State, moves: &mut [(i32, u16, Place)]) {
        let order_by_hand = |m: Place| 8 * depth(m.0, pos.size());
        let Some(net) = self.net(pos) else {
            moves.iter_mut().for_each(|(worth, _, m)| *worth += order_by_hand(*m));
            return;
        };
        let policy = sums.policy(net, pos.turn(), &[]);
        for (worth, _, m) in moves {
            *worth += policy.order(order_by_hand(*m));
            pos.slots(*m, &mut |slot| *worth += policy.slot(slot));
        }
    }

    fn history_slot(&self, m: Place) -> usize {
        m.0.index()
    }
}

impl Prove for Judge {
    fn overlooks_no_win(&self, _pos: &Gekitai) -> bool {
        true
    }

    /// A win without a shared line is a win however shared lines count.
    fn stricter(pos: &Gekitai) -> Option<Gekitai> {
        let mut setup = pos.setup();
        if setup.options.both == Both::Draw {
            return None;
        }
        setup.options.both = Both::Draw;
        Gekitai::from_setup(setup).ok()
    }
}

/// Every board of four to eight cells with three to twelve markers, the first moves on six by six, and the second moves
/// after those that lose, in the order in which they are worth solving. Second moves only where a shared line draws:
/// who wins there wins for the other reading too.
#[cfg(not(target_family = "wasm"))]
fn atlas() -> Vec<Row> {
    let starts = (4..=8).flat_map(|size| {
        let of_size = (3..=12).flat_map(move |markers| {
            [Both::Mover, Both::Draw]
                .map(|both| Gekitai::new(&Options { size, markers, both }).ok())
        });
        of_size.flatten()
    });
    let mut rows: Vec<(u8, Row)> = Vec::new();
    for start in starts {
        let options = start.options();
        let is_drawing = options.both == Both::Draw;
        let row = board(&start);
        rows.push((if options.size == 8 { 4 } else { 0 }, row.clone()));
        if (options.size, options.markers) != (6, 8) {
            continue;
        }
        for (m, next) in after_each_move(&start) {
            let is_edge = depth(m.0, start.size()) == 0;
            let player = Some(if is_edge { Player::Two } else { Player::One });
            let row = Row { also: looser(&next), ..row.after(m, &next, player) };
            rows.push((if is_drawing { 1 } else { 3 }, row.clone()));
            for (reply, last) in after_each_move(&next) {
                if is_edge && is_drawing {
                    let row = Row { also: looser(&last), ..row.after(reply, &last, None) };
                    rows.push((2, row));
                }
            }
        }
    }
    rows.sort_by_key(|(when, _)| *when);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// A board, with the search that is likely to settle it.
#[cfg(not(target_family = "wasm"))]
fn board(start: &Gekitai) -> Row {
    let Options { size, markers, both } = start.options();
    let (short, long) = match both {
        Both::Mover => ("mover", ""),
        Both::Draw => ("draw", ", a shared line draws"),
    };
    let name = format!("gekitai-{size}x{size}-{markers}-{short}");
    let title = format!("{size}×{size}, {markers} markers{long}");
    let row = Row { also: looser(start), ..Row::board(name, title, start) };
    match (size, markers) {
        (4, _) | (5, 5..) => Row { method: Method::Draw, player: None, ..row },
        // Small enough for the exact number of turns.
        (5, _) | (_, 3) => Row { method: Method::Bound, ..row },
        _ => row,
    }
}

/// The position for the other reading of a shared line, if a win here is a win there too.
#[cfg(not(target_family = "wasm"))]
fn looser(pos: &Gekitai) -> Option<String> {
    let mut setup = pos.setup();
    if setup.options.both == Both::Mover {
        return None;
    }
    setup.options.both = Both::Mover;
    Some(Gekitai::from_setup(setup).ok()?.text())
}

impl Play for Gekitai {
    type Judge = Judge;

    #[cfg(not(target_family = "wasm"))]
    fn atlas() -> Vec<Row> {
        atlas()
    }

    const HAS_PROOFS: bool = true;

    fn by_hand() -> Judge {
        Judge { net: None }
    }

    const SEED: Option<Seed<Self>> = Some(seed::gekitai::SEED);
    const SKILLS: Skills = [
        skill(30, 1_800, 97),
        skill(130, 603, 60),
        skill(190, 334, 39),
        skill(290, 188, 25),
        skill(430, 117, 14),
        skill(680, 77, 8),
        skill(1_200, 49, 3),
        skill(2_200, 31, 1),
        skill(42_000, 4, 0),
    ];
    const LEVEL_ELO: &'static [i32] = &[-180, -20, 140, 300, 470, 570, 700, 800, 1_010];
    const LOG_ODDS: f64 = 53.0;
    const BENCH_DEPTH: u32 = 6;
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::gekitai::{Options, Setup};
    use rules::random::Random;

    /// A random position with this many markers of each player.
    fn random_position(
        options: Options,
        counts: [usize; 2],
        random: &mut Random,
    ) -> Option<Gekitai> {
        let size = usize::from(options.size);
        let mut cells = vec![b'.'; size * size];
        for (letter, count) in [b'x', b'o'].into_iter().zip(counts) {
            for _ in 0..count {
                cells[random.below(size * size)] = letter;
            }
        }
        let board =
            cells.chunks(size).map(|row| String::from_utf8_lossy(row).into_owned()).collect();
        let pos = Gekitai::from_setup(Setup { options, board, turn: Player::One }).ok()?;
        pos.outcome().is_none().then_some(pos)
    }

    #[test]
    fn wins_at_once_are_those_that_a_trial_of_every_cell_finds() {
        let mut random = Random::new(5);
        let (mut wins, mut others) = (0, 0);
        for i in 0..60_000 {
            let both = if i % 3 == 0 { Both::Draw } else { Both::Mover };
            let options = Options { size: 4 + (i / 7 % 5) as u8, markers: 8, both };
            let counts = [random.below(8), random.below(8)];
            let Some(pos) = random_position(options, counts, &mut random) else { continue };
            for player in Player::BOTH {
                let mut setup = pos.setup();
                setup.turn = player;
                let Ok(turned) = Gekitai::from_setup(setup) else { continue };
                let wins_by = |m: &Place| turned.after(*m).outcome() == Some(Outcome::Win(player));
                let expected = turned.moves().iter().any(wins_by);
                assert_eq!(wins_at_once(&pos, player), expected, "{player:?} {}", pos.text());
                *if expected { &mut wins } else { &mut others } += 1;
            }
        }
        assert!(wins > 5_000 && others > 5_000, "{wins} and {others}");
    }
}
