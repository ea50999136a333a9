//! The complete table of Jeson Mor on 5×5: the winner and win distance of every position.
//!
//! Positions are numbered from the view of the player to move, up to symmetry: by class (how many knights
//! each has), by the mover's knights (one number for all their images), and by the opponent's among the
//! remaining cells. A mover who holds the centre wins at once and has no number. The file is a title, the
//! values class by class, and a checksum for each mebibyte.

mod check;

pub use check::{Tallied, verify};

use super::complete::Solved;
use super::retrograde::{LOST, Next, Space, Value, WINS, is_win, solve, turns};
use crate::session::{Match, Session};
use flate2::Crc;
use rules::jeson_mor::{Cell, Goal, JesonMor, Options, Setup};
use rules::{Bits, Game, Player};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::OnceLock;

const SIZE: usize = 5;
const CELLS: usize = 25;
const CENTRE: u32 = 1 << 12;
const MOST: usize = 5;

/// Binomial coefficients: the ways to choose k of n.
const CHOOSE: [[u32; 7]; 26] = {
    let mut table = [[0; 7]; 26];
    let mut n = 0;
    while n < 26 {
        table[n][0] = 1;
        let mut k = 1;
        while k < 7 && n > 0 {
            table[n][k] = table[n - 1][k] + table[n - 1][k - 1];
            k += 1;
        }
        n += 1;
    }
    table
};

/// The cells a knight's jump away from each cell.
const JUMPS: [u32; CELLS] = {
    let mut table = [0; CELLS];
    let mut i = 0;
    while i < CELLS * 8 {
        let (columns, rows) = rules::grid::KNIGHT_JUMPS[i % 8];
        let cell = rules::grid::Square::<SIZE>::new(i / 8);
        if let Some(to) = cell.step(columns, rows, SIZE) {
            table[i / 8] |= 1 << to.index();
        }
        i += 1;
    }
    table
};

/// The eight images of a set, looked up by its lower thirteen and upper twelve cells.
struct Images {
    low: Vec<[u32; 8]>,
    high: Vec<[u32; 8]>,
}

impl Images {
    fn new() -> Images {
        let image = |set: u32, which: usize| {
            set.bits().fold(0, |image, cell| {
                let to = rules::grid::Square::<SIZE>::new(cell).image(which, SIZE);
                image | 1 << to.index()
            })
        };
        let all = |set: u32| std::array::from_fn(|which| image(set, which));
        Images {
            low: (0..1 << 13).map(all).collect(),
            high: (0..1 << 12).map(|set: u32| all(set << 13)).collect(),
        }
    }

    #[inline]
    fn of(&self, set: u32, which: usize) -> u32 {
        self.low[set as usize & 0x1fff][which] | self.high[set as usize >> 13][which]
    }
}

/// The rank of a set among all sets of the same size.
#[inline]
fn rank(set: u32) -> usize {
    set.bits().zip(1..).map(|(cell, k)| CHOOSE[cell][k] as usize).sum()
}

/// The set of k cells with a rank.
fn unrank(mut number: usize, k: usize) -> u32 {
    let mut set = 0;
    for k in (1..=k).rev() {
        let cell = (0..CELLS).rev().find(|cell| CHOOSE[*cell][k] as usize <= number);
        let cell = cell.unwrap_or_default();
        number -= CHOOSE[cell][k] as usize;
        set |= 1 << cell;
    }
    set
}

/// Renumbers the cells of a set, skipping those of another set.
#[inline]
fn squeeze(set: u32, without: u32) -> u32 {
    set.bits().fold(0, |squeezed, cell| {
        let below = (without & ((1 << cell) - 1)).count_ones() as usize;
        squeezed | 1 << (cell - below)
    })
}

fn stretch(squeezed: u32, without: u32) -> u32 {
    let mut free = (!without & ((1 << CELLS) - 1)).bits();
    let (mut set, mut at) = (0, 0);
    for cell in squeezed.bits() {
        if let Some(found) = free.nth(cell - at) {
            set |= 1 << found;
        }
        at = cell + 1;
    }
    set
}

/// The sets of a given size that the mover's knights can form, up to symmetry.
struct Sets {
    /// The canonical sets.
    kinds: Vec<u32>,
    /// For each set by rank, its canonical set and the symmetry that leads there.
    kind_of: Vec<(u16, u8)>,
    /// For each canonical set, the symmetries that leave it unchanged.
    same: Vec<u8>,
}

impl Sets {
    fn new(knights: usize, images: &Images) -> Sets {
        let count = CHOOSE[CELLS][knights] as usize;
        let mut sets = Sets { kinds: Vec::new(), kind_of: vec![(0, 0); count], same: Vec::new() };
        for number in 0..count {
            let set = unrank(number, knights);
            if set & CENTRE != 0 {
                continue;
            }
            let all: [u32; 8] = std::array::from_fn(|which| images.of(set, which));
            let least = all.into_iter().fold(u32::MAX, u32::min);
            if least == set {
                let same =
                    (0..8).filter(|which| all[*which] == set).fold(0, |s, which| s | 1 << which);
                sets.kinds.push(set);
                sets.same.push(same);
            }
        }
        for number in 0..count {
            let set = unrank(number, knights);
            let least = (0..8).min_by_key(|which| images.of(set, *which)).unwrap_or_default();
            if let Ok(kind) = sets.kinds.binary_search(&images.of(set, least)) {
                sets.kind_of[number] = (kind as u16, least as u8);
            }
        }
        sets
    }
}

/// The numbering of all positions.
struct Numbers {
    images: Images,
    /// By number of knights, from 1.
    sets: Vec<Sets>,
}

impl Numbers {
    fn new() -> Numbers {
        let images = Images::new();
        let sets = (1..=MOST).map(|knights| Sets::new(knights, &images)).collect();
        Numbers { images, sets }
    }

    fn len(&self, own: usize, their: usize) -> usize {
        self.sets[own - 1].kinds.len() * CHOOSE[CELLS - own][their] as usize
    }

    /// The number of a position within its class; the mover does not hold the centre.
    #[inline]
    fn number(&self, own: u32, their: u32) -> usize {
        let (a, b) = (own.count_ones() as usize, their.count_ones() as usize);
        let sets = &self.sets[a - 1];
        let (kind, which) = sets.kind_of[rank(own)];
        let kind = usize::from(kind);
        let own = sets.kinds[kind];
        let their = self.images.of(their, which.into());
        let place = |their| rank(squeeze(their, own));
        let mut least = place(their);
        if sets.same[kind] != 1 {
            for which in (1..8).filter(|which| sets.same[kind] >> which & 1 == 1) {
                least = least.min(place(self.images.of(their, which)));
            }
        }
        kind * CHOOSE[CELLS - a][b] as usize + least
    }

    /// The position with a number within its class.
    #[inline]
    fn position(&self, number: usize, a: usize, b: usize) -> (u32, u32) {
        let per_kind = CHOOSE[CELLS - a][b] as usize;
        let own = self.sets[a - 1].kinds[number / per_kind];
        (own, stretch(unrank(number % per_kind, b), own))
    }
}

/// The values of all positions.
pub struct Knights {
    numbers: Numbers,
    /// By the mover's and the opponent's knights, from 1.
    values: Vec<Vec<Vec<Value>>>,
}

/// The positions with `a` knights against `b`, and those with the players exchanged.
struct Classes<'a> {
    known: &'a Knights,
    a: usize,
    b: usize,
}

impl Classes<'_> {
    /// How many of the numbers have the smaller class to move.
    fn first(&self) -> usize {
        self.known.numbers.len(self.a, self.b)
    }

    fn number(&self, own: u32, their: u32) -> usize {
        let number = self.known.numbers.number(own, their);
        if own.count_ones() as usize == self.a { number } else { self.first() + number }
    }

    /// The mover's and the opponent's knights; `None` for a number without a position.
    fn position(&self, state: usize) -> Option<(u32, u32)> {
        let (number, a, b) = match state.checked_sub(self.first()) {
            None => (state, self.a, self.b),
            Some(number) => (number, self.b, self.a),
        };
        let numbers = &self.known.numbers;
        let (own, their) = numbers.position(number, a, b);
        let per_kind = CHOOSE[CELLS - a][b] as usize;
        let lone = numbers.sets[a - 1].same[number / per_kind] == 1;
        (lone || numbers.number(own, their) == number).then_some((own, their))
    }
}

impl Space for Classes<'_> {
    fn len(&self) -> usize {
        let other = if self.a == self.b { 0 } else { self.known.numbers.len(self.b, self.a) };
        self.first() + other
    }

    fn append_next(&self, state: usize, out: &mut Vec<Next>) {
        let Some((own, their)) = self.position(state) else { return };
        for from in own.bits() {
            for to in (JUMPS[from] & !own).bits() {
                let (own, left) = (own ^ 1 << from | 1 << to, their & !(1 << to));
                out.push(if left == their && left & CENTRE == 0 {
                    Next::State(self.number(left, own))
                } else {
                    Next::Known(self.known.of(left, own))
                });
            }
        }
    }

    fn append_before(&self, state: usize, out: &mut Vec<usize>) {
        let Some((own, their)) = self.position(state) else { return };
        for to in their.bits() {
            // A knight that left the centre has won.
            for from in (JUMPS[to] & !(own | their | CENTRE)).bits() {
                let before = their ^ 1 << to | 1 << from;
                if before & CENTRE == 0 {
                    out.push(self.number(before, own));
                }
            }
        }
    }
}

/// How the file of a table begins.
pub const TITLE: &[u8] = b"quadrille table 1 jeson-mor size=5\n";
const PART: usize = 1 << 20;

impl Knights {
    fn empty() -> Knights {
        let values = vec![vec![Vec::new(); MOST]; MOST];
        Knights { numbers: Numbers::new(), values }
    }

    /// Solves the classes of at most `most` knights each; `None` if `go_on` stopped it, which is called with
    /// the class and the number of turns done.
    pub fn compute(most: usize, go_on: &mut dyn FnMut([usize; 2], u32) -> bool) -> Option<Knights> {
        let mut knights = Knights::empty();
        let mut classes: Vec<_> = (1..=most).flat_map(|b| (1..=b).map(move |a| (a, b))).collect();
        // A capture leads to a class with one knight fewer.
        classes.sort_unstable_by_key(|(a, b)| a + b);
        for (a, b) in classes {
            let space = Classes { known: &knights, a, b };
            let first = space.first();
            let mut values = solve(&space, &mut |turns| go_on([a, b], turns))?;
            let rest = values.split_off(first);
            knights.values[a - 1][b - 1] = values;
            if a != b {
                knights.values[b - 1][a - 1] = rest;
            }
        }
        Some(knights)
    }

    /// The value for the player to move with `own` knights.
    #[inline]
    fn of(&self, own: u32, their: u32) -> Value {
        if own == 0 {
            return LOST;
        }
        if own & CENTRE != 0 {
            return WINS;
        }
        let class = &self.values[own.count_ones() as usize - 1][their.count_ones() as usize - 1];
        class[self.numbers.number(own, their)]
    }

    /// Solves all classes into a file.
    pub fn tabulate(file: &Path, go_on: &mut dyn FnMut(String) -> bool) -> Result<Knights, String> {
        let knights = Knights::compute(MOST, &mut |[a, b], turns| {
            go_on(format!("{a} knights against {b}: {turns} turns"))
        });
        let knights = knights.ok_or("it was stopped before the end")?;
        let failed = |error: io::Error| format!("cannot write {}: {error}", file.display());
        knights.write(file).map_err(failed)?;
        Ok(knights)
    }

    /// The value of a position, if the table has it.
    pub fn look_up(&self, pos: &JesonMor) -> Option<Value> {
        if pos.size() != SIZE || pos.goal() != Goal::Leave || pos.outcome().is_some() {
            return None;
        }
        let set = |player| {
            Cell::all(SIZE)
                .zip(0..)
                .filter(|(cell, _)| pos.knights(player) >> cell.index() & 1 == 1)
                .fold(0u32, |set, (_, number)| set | 1 << number)
        };
        let (own, their) = (set(pos.turn()), set(pos.turn().other()));
        let (a, b) = (own.count_ones() as usize, their.count_ones() as usize);
        let class = self.values.get(a.checked_sub(1)?)?.get(b.checked_sub(1)?)?;
        (!class.is_empty()).then(|| self.of(own, their))
    }

    /// Every position of the table with its value, up to symmetry; player 1 is to move.
    pub fn into_results(mut self) -> impl Iterator<Item = (JesonMor, Value)> + Send {
        let classes = (1..=MOST).flat_map(|a| (1..=MOST).map(move |b| (a, b)));
        let numbers = classes.flat_map(move |(a, b)| {
            let class = std::mem::take(&mut self.values[a - 1][b - 1]);
            class.into_iter().enumerate().map(move |(number, value)| (a, b, number, value))
        });
        let images = Numbers::new();
        numbers.filter_map(move |(a, b, number, value)| {
            let (own, their) = images.position(number, a, b);
            let pos = (images.number(own, their) == number).then(|| position(own, their))??;
            Some((pos, value))
        })
    }

    /// Writes the table to a file.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        let mut out = BufWriter::new(std::fs::File::create(file)?);
        out.write_all(TITLE)?;
        for class in self.values.iter().flatten() {
            for part in class.chunks(PART) {
                out.write_all(part)?;
                out.write_all(&checksum(part).to_le_bytes())?;
            }
        }
        out.into_inner()?.sync_all()
    }

    /// Reads a table from a file.
    pub fn read(file: &Path) -> Result<Knights, String> {
        let name = file.display();
        let failed = |error: io::Error| format!("cannot read {name}: {error}");
        let mut input = BufReader::new(std::fs::File::open(file).map_err(failed)?);
        let mut title = [0; TITLE.len()];
        input.read_exact(&mut title).map_err(failed)?;
        if title != TITLE {
            return Err(format!("{name} is not a table of this program"));
        }
        let mut knights = Knights::empty();
        let mut at = TITLE.len();
        for (a, b) in (1..=MOST).flat_map(|a| (1..=MOST).map(move |b| (a, b))) {
            let mut values = vec![0; knights.numbers.len(a, b)];
            for part in values.chunks_mut(PART) {
                let mut sum = [0; 4];
                input.read_exact(part).and_then(|()| input.read_exact(&mut sum)).map_err(failed)?;
                if checksum(part) != u32::from_le_bytes(sum) {
                    let end = at + part.len();
                    return Err(format!("{name} is damaged between bytes {at} and {end}"));
                }
                at += part.len() + sum.len();
            }
            knights.values[a - 1][b - 1] = values;
        }
        Ok(knights)
    }
}

impl Solved<JesonMor> for Knights {
    fn value(&self, pos: &JesonMor) -> Option<Value> {
        self.look_up(pos)
    }

    fn tally(&self) -> ([u64; 3], u32) {
        let (mut counts, mut longest) = ([0; 3], 0);
        for (a, b) in (1..=MOST).flat_map(|a| (1..=MOST).map(move |b| (a, b))) {
            let classes = Classes { known: self, a, b };
            for (number, value) in self.values[a - 1][b - 1].iter().enumerate() {
                if *value == 0 && classes.position(number).is_none() {
                    continue;
                }
                let kind = if *value == 0 { 2 } else { usize::from(value % 2 == 1) };
                counts[kind] += 1;
                longest = longest.max(u32::from(value.saturating_sub(1)));
            }
        }
        (counts, longest)
    }
}

/// The installed table, if any.
static INSTALLED: OnceLock<Knights> = OnceLock::new();

/// Reads a table and installs it for the engine.
pub fn install(file: &Path) -> Result<(), String> {
    let knights = Knights::read(file)?;
    INSTALLED.set(knights).map_err(|_| "a table is installed already".to_owned())
}

/// The value of a position, if an installed table has it.
#[inline]
pub fn installed(pos: &JesonMor) -> Option<Value> {
    INSTALLED.get()?.look_up(pos)
}

/// The position with these knights, player 1 to move.
fn position(own: u32, their: u32) -> Option<JesonMor> {
    let letter = |cell: usize| match (own >> cell & 1, their >> cell & 1) {
        (1, _) => 'w',
        (_, 1) => 'b',
        _ => '.',
    };
    let row = |row: usize| (0..SIZE).map(|column| letter(SIZE * row + column)).collect();
    let options = Options { size: SIZE as u8, goal: Goal::Leave };
    let board = (0..SIZE).rev().map(row).collect();
    JesonMor::from_setup(Setup { options, board, turn: Player::One, winner: None }).ok()
}

/// Every position of a table file, up to symmetry, with its winner and win distance.
pub fn results(file: &Path) -> Result<Box<dyn Iterator<Item = Exact> + Send>, String> {
    let exact = |(pos, value): (JesonMor, Value)| {
        let winner = if is_win(value) { pos.turn() } else { pos.turn().other() };
        let pos: Box<dyn Session> = Box::new(Match::new(pos));
        (pos, turns(value).map(|turns| (winner, turns)))
    };
    Ok(Box::new(Knights::read(file)?.into_results().map(exact)))
}

/// A position with its winner and the win distance in turns of both players.
pub type Exact = (Box<dyn Session>, Option<(Player, u32)>);

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}
