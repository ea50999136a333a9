//! Gekitai: immediate wins are seen without search, pairs are what counts.

use crate::evaluate::Evaluate;
use crate::score::{Score, win_after};
use rules::gekitai::{Both, Cell, Gekitai, Place, lines};
use rules::{Game, Outcome, Player};

/// The judgement of Gekitai.
#[derive(Debug, Default)]
pub struct Judge;

/// How far a cell is from the edge, two at most: in the middle markers have neighbours on all sides.
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

/// Whether a player could win at once, were it that player's turn.
///
/// A line has a marker next to the new one, or one that the new one pushed: nothing comes to rest beside
/// it but what could not be pushed away. So only cells beside own markers matter, unless the number wins.
pub fn wins_at_once(pos: &Gekitai, player: Player) -> bool {
    let own = pos.markers(player);
    let last_marker = pos.reserve(player) == 1;
    if own.count_ones() < 2 && !last_marker {
        return false;
    }
    let mut cells = pos.empty() & if last_marker { u64::MAX } else { pos.around(own) };
    while cells != 0 {
        let cell = Cell::new(cells.trailing_zeros() as usize);
        cells &= cells - 1;
        let after = pos.own_after(player, cell);
        let count = last_marker && after.count_ones() > own.count_ones();
        if (count || lines(after) != 0)
            && (pos.options().both == Both::Mover || wins(pos, player, cell))
        {
            return true;
        }
    }
    false
}

/// Whether a placement wins although it might complete the opponent's line too.
fn wins(pos: &Gekitai, player: Player, cell: Cell) -> bool {
    let mut setup = pos.setup();
    setup.turn = player;
    let Ok(pos) = Gekitai::from_setup(setup) else { return false };
    pos.after(Place(cell)).outcome() == Some(Outcome::Win(player))
}

/// Left and right exchanged, on a board of this size.
fn mirrored(set: u64, size: usize) -> u64 {
    set.reverse_bits().swap_bytes() >> (8 - size)
}

/// Rows and columns exchanged.
fn transposed(set: u64) -> u64 {
    let swap = |set: u64, mask: u64, shift: u32| {
        let differs = (set ^ set >> shift) & mask;
        set ^ differs ^ differs << shift
    };
    let set = swap(set, 0x00aa_00aa_00aa_00aa, 7);
    let set = swap(set, 0x0000_cccc_0000_cccc, 14);
    swap(set, 0x0000_0000_f0f0_f0f0, 28)
}

/// The image of a set after so many of the eight steps that run through all symmetries: a mirror and a
/// transposition by turns.
fn image(set: u64, steps: usize, size: usize) -> u64 {
    let step = |set, i| if i % 2 == 0 { mirrored(set, size) } else { transposed(set) };
    (0..steps).fold(set, step)
}

/// The least of the eight images of a position, from the mover's view, and how many steps lead to it.
fn canonical(pos: &Gekitai) -> ([u64; 2], usize) {
    let mut sets = [pos.markers(pos.turn()), pos.markers(pos.turn().other())];
    let mut least = (sets, 0);
    for i in 0..7 {
        sets = sets.map(|set| if i % 2 == 0 { mirrored(set, pos.size()) } else { transposed(set) });
        least = least.min((sets, i + 1));
    }
    least
}

fn canonical_key([mine, theirs]: [u64; 2]) -> u64 {
    let mix = |key: u64, set: u64| {
        let key = (key ^ set).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (key ^ key >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    };
    let key = mix(mix(0, mine), theirs);
    key ^ key >> 32
}

/// The strategy that wins for the first player on 6×6, for both readings of a shared line; made by the
/// example `gekitai_book`. Ten bytes each, sorted: the key of the canonical position, the cell in its
/// orientation, and in how many turns it wins.
static BOOK: &[u8] = include_bytes!("gekitai.book");
const ENTRY: usize = 10;

/// One entry of the book: key, cell and turns.
fn entry(i: usize) -> Option<(u64, usize, u32)> {
    let bytes = BOOK.get(i * ENTRY..(i + 1) * ENTRY)?;
    let (key, rest) = bytes.split_first_chunk::<8>()?;
    let [cell, turns] = rest else { return None };
    Some((u64::from_le_bytes(*key), usize::from(*cell), u32::from(*turns)))
}

fn look_up(pos: &Gekitai) -> Option<(Place, u32)> {
    let options = pos.options();
    if (options.size, options.markers) != (6, 8) {
        return None;
    }
    let (sets, steps) = canonical(pos);
    let key = canonical_key(sets);
    let (mut low, mut high) = (0, BOOK.len() / ENTRY);
    while low < high {
        let middle = (low + high) / 2;
        if entry(middle)?.0 < key { low = middle + 1 } else { high = middle }
    }
    let (_, cell, turns) = entry(low).filter(|(found, _, _)| *found == key)?;
    let is_image = |m: &Place| image(1 << m.0.index(), steps, pos.size()) == 1 << cell;
    Some((pos.moves().into_iter().find(is_image)?, turns))
}

/// A strategy in the form of the book.
pub fn write_book<'a>(positions: impl Iterator<Item = (&'a Gekitai, Place, u32)>) -> Vec<u8> {
    let mut entries: Vec<_> = positions
        .map(|(pos, m, turns)| {
            let (sets, steps) = canonical(pos);
            let cell = image(1 << m.0.index(), steps, pos.size()).trailing_zeros() as u8;
            (canonical_key(sets), cell, turns.min(255) as u8)
        })
        .collect();
    entries.sort_unstable();
    let bytes =
        |(key, cell, turns): (u64, u8, u8)| [&key.to_le_bytes()[..], &[cell, turns]].concat();
    entries.into_iter().flat_map(bytes).collect()
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
    let mut rest = own;
    while rest != 0 {
        let cell = Cell::new(rest.trailing_zeros() as usize);
        rest &= rest - 1;
        value += 4 * depth(cell, pos.size());
    }
    value
}

impl Evaluate<Gekitai> for Judge {
    fn evaluate(&self, pos: &Gekitai) -> Score {
        worth(pos, pos.turn()) - worth(pos, pos.turn().other())
    }

    fn known(&self, pos: &Gekitai) -> Option<Score> {
        wins_at_once(pos, pos.turn()).then_some(win_after(1))
    }

    fn book(&self, pos: &Gekitai) -> Option<(Place, u32)> {
        look_up(pos)
    }

    fn proves(&self) -> bool {
        true
    }

    fn unit(&self) -> i32 {
        40
    }

    fn proof_key(&self, pos: &Gekitai) -> u64 {
        canonical_key(canonical(pos).0)
    }

    fn is_lively(&self, pos: &Gekitai) -> bool {
        wins_at_once(pos, pos.turn().other())
    }

    fn promise(&self, pos: &Gekitai, m: Place) -> i32 {
        8 * depth(m.0, pos.size())
    }

    fn slot(&self, m: Place) -> usize {
        m.0.index()
    }
}
