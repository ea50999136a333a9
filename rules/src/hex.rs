//! The hexagonal boards of 19, 37 and 61 cells: names, six directions, three pairs of opposite sides.
//!
//! A cell is a row `I` and a column `J`, both 0 to 8, with `|I − J| ≤ 4`. Columns run from the upper
//! right to the lower left. Cells are counted row by row, so that a set of them fits 64 bits.
//!
//! The two smaller hexagons lie in the upper left corner of the largest, as square boards of any size are
//! kept in one width. So a cell has one name and one number on all three, and a direction is the same step.
//! The next larger hexagon has 91 cells, too many for 64 bits.

use crate::bits::Bits;
use std::fmt;

/// How many cells the largest board has.
pub const CELLS: usize = 61;
/// How many rows the largest board has, and cells its longest row.
pub const ROWS: usize = 9;

/// A cell of the largest hexagon, counted row by row from the top.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hex(u8);

/// The six directions, in the order of their numbers 1 to 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Direction {
    /// To the right.
    E,
    /// Up and to the right.
    Ne,
    /// Up and to the left.
    Nw,
    /// To the left.
    W,
    /// Down and to the left.
    Sw,
    /// Down and to the right.
    Se,
}

impl Direction {
    /// All six, by number.
    pub const ALL: [Direction; 6] =
        [Direction::E, Direction::Ne, Direction::Nw, Direction::W, Direction::Sw, Direction::Se];

    /// What one step adds to row and column.
    pub const fn step(self) -> (i8, i8) {
        match self {
            Direction::E => (0, 1),
            Direction::Ne => (-1, 0),
            Direction::Nw => (-1, -1),
            Direction::W => (0, -1),
            Direction::Sw => (1, 0),
            Direction::Se => (1, 1),
        }
    }

    /// `e`, `ne`, `nw`, `w`, `sw` or `se`.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::E => "e",
            Direction::Ne => "ne",
            Direction::Nw => "nw",
            Direction::W => "w",
            Direction::Sw => "sw",
            Direction::Se => "se",
        }
    }

    /// Reads a name, in any case.
    pub fn parse(text: &str) -> Option<Direction> {
        Direction::ALL.into_iter().find(|d| d.name().eq_ignore_ascii_case(text))
    }
}

/// The first and the last column of a row.
const fn span(row: usize) -> (usize, usize) {
    (row.saturating_sub(4), if row < 4 { row + 4 } else { 8 })
}

/// The number of the first cell of each row.
const FIRST: [u8; ROWS] = [0, 5, 11, 18, 26, 35, 43, 50, 56];

/// Row and column of each cell.
const PLACE: [(u8, u8); CELLS] = {
    let mut table = [(0, 0); CELLS];
    let (mut row, mut cell) = (0, 0);
    while row < ROWS {
        let (mut column, last) = span(row);
        while column <= last {
            table[cell] = (row as u8, column as u8);
            cell += 1;
            column += 1;
        }
        row += 1;
    }
    table
};

/// Not a cell: fills a ray beyond the edge.
const OFF: u8 = u8::MAX;

/// The cells at distance 1 to 8 in each direction, `OFF` where the board has ended.
static RAYS: [[[u8; 8]; 6]; CELLS] = {
    let mut table = [[[OFF; 8]; 6]; CELLS];
    let mut i = 0;
    while i < CELLS * 6 * 8 {
        let (cell, d, distance) = (i / 48, i / 8 % 6, i % 8 + 1);
        let (rows, columns) = Direction::ALL[d].step();
        let row = PLACE[cell].0 as i8 + rows * distance as i8;
        let column = PLACE[cell].1 as i8 + columns * distance as i8;
        if let Some(hex) = Hex::at(row, column) {
            table[cell][d][distance - 1] = hex.0;
        }
        i += 1;
    }
    table
};

/// The set of cells in each direction.
static AHEAD: [[u64; 6]; CELLS] = {
    let mut table = [[0; 6]; CELLS];
    let mut i = 0;
    while i < CELLS * 6 * 8 {
        let (cell, d, far) = (i / 48, i / 8 % 6, RAYS[i / 48][i / 8 % 6][i % 8]);
        if far != OFF {
            table[cell][d] |= 1 << far;
        }
        i += 1;
    }
    table
};

/// How many steps lie between two cells.
static STEPS: [[u8; CELLS]; CELLS] = {
    let mut table = [[0; CELLS]; CELLS];
    let mut i = 0;
    while i < CELLS * CELLS {
        let (a, b) = (PLACE[i / CELLS], PLACE[i % CELLS]);
        table[i / CELLS][i % CELLS] = steps(a.0 as i8 - b.0 as i8, a.1 as i8 - b.1 as i8);
        i += 1;
    }
    table
};

/// The distance of two cells with these differences of row and column: one diagonal step changes both.
const fn steps(rows: i8, columns: i8) -> u8 {
    let (r, c) = (rows.unsigned_abs(), columns.unsigned_abs());
    if (rows < 0) != (columns < 0) {
        r + c
    } else if r > c {
        r
    } else {
        c
    }
}

/// The set of neighbours of each cell.
pub static NEIGHBOURS: [u64; CELLS] = {
    let mut table = [0; CELLS];
    let mut i = 0;
    while i < CELLS * 6 {
        let near = RAYS[i / 6][i % 6][0];
        if near != OFF {
            table[i / 6] |= 1 << near;
        }
        i += 1;
    }
    table
};

/// The neighbours of each set of eight consecutive cells.
static AROUND: [[u64; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut i = 0;
    while i < 8 * 256 * 8 {
        let (byte, set, bit) = (i / 2048, i / 8 % 256, i % 8);
        if set >> bit & 1 == 1 && 8 * byte + bit < CELLS {
            table[byte][set] |= NEIGHBOURS[8 * byte + bit];
        }
        i += 1;
    }
    table
};

/// The neighbours of all cells of a set; cells of the set are among them if they touch each other.
#[inline]
pub fn around(set: u64) -> u64 {
    let [a, b, c, d, e, f, g, h] = set.to_le_bytes().map(usize::from);
    AROUND[0][a]
        | AROUND[1][b]
        | AROUND[2][c]
        | AROUND[3][d]
        | AROUND[4][e]
        | AROUND[5][f]
        | AROUND[6][g]
        | AROUND[7][h]
}

/// A hexagon with 3, 4 or 5 cells along each side.
#[derive(Debug)]
pub struct Board {
    side: usize,
    /// The set of all cells.
    pub cells: u64,
    /// For each pair of opposite sides, the lines of cells that every connection must cross. A smaller board
    /// has fewer of them, and the last ones are empty.
    pub crossings: [[u64; ROWS]; 3],
    /// The three pairs of opposite sides.
    pub sides: [[u64; 2]; 3],
    /// How far each cell is from the edge: 0 on the edge, one less than the side in the centre.
    pub rings: [u8; CELLS],
    /// The number of steps to the edge in each direction.
    room: [[u8; 6]; CELLS],
}

/// By the last two bits of the side, which is quicker than a choice; one place is not used.
static BOARDS: [Board; 4] = [Board::new(4), Board::new(5), Board::new(5), Board::new(3)];

impl Board {
    const fn new(side: usize) -> Board {
        let (rows, centre) = (2 * side - 1, side as i8 - 1);
        let (mut cells, mut crossings, mut rings) = (0, [[0; ROWS]; 3], [0; CELLS]);
        let mut i = 0;
        while i < CELLS {
            let (row, column) = (PLACE[i].0 as usize, PLACE[i].1 as usize);
            if row < rows && column < rows && row.abs_diff(column) < side {
                cells |= 1 << i;
                crossings[0][row] |= 1 << i;
                crossings[1][column] |= 1 << i;
                crossings[2][row + side - 1 - column] |= 1 << i;
                rings[i] = centre as u8 - steps(row as i8 - centre, column as i8 - centre);
            }
            i += 1;
        }
        let mut sides = [[0; 2]; 3];
        let mut pair = 0;
        while pair < 3 {
            sides[pair] = [crossings[pair][0], crossings[pair][rows - 1]];
            pair += 1;
        }
        sides[2] = [sides[2][1], sides[2][0]];
        Board { side, cells, crossings, sides, rings, room: room(cells) }
    }

    /// The board with this many cells along a side: 3, 4 or 5.
    #[inline]
    pub fn of(side: u8) -> &'static Board {
        &BOARDS[usize::from(side & 3)]
    }

    /// How many cells there are along a side.
    pub const fn side(&self) -> usize {
        self.side
    }

    /// How many rows there are, and cells in the longest one.
    pub const fn rows(&self) -> usize {
        2 * self.side - 1
    }

    /// The cell in a row and column, if there is one.
    pub fn at(&self, row: i8, column: i8) -> Option<Hex> {
        Hex::at(row, column).filter(|cell| self.has(*cell))
    }

    /// Whether this cell is on the board.
    #[inline]
    pub const fn has(&self, cell: Hex) -> bool {
        self.cells & cell.bit() != 0
    }

    /// All cells, row by row.
    pub fn all(&self) -> impl Iterator<Item = Hex> {
        cells(self.cells)
    }

    /// The set of cells of one row.
    pub fn row(&self, row: usize) -> u64 {
        self.crossings[0][row]
    }

    /// How many cells come before this one, row by row.
    pub const fn number(&self, cell: Hex) -> usize {
        (self.cells & (cell.bit() - 1)).count_ones() as usize
    }

    /// The number of steps to the edge in a direction.
    #[inline]
    pub fn room(&self, cell: Hex, direction: Direction) -> usize {
        usize::from(self.room[cell.index()][direction as usize])
    }

    /// How far a cell is from the edge: 0 on the edge, one less than the side in the centre.
    #[inline]
    pub fn ring(&self, cell: Hex) -> usize {
        self.rings[cell.index()].into()
    }

    /// Whether a set of cells connects two opposite sides.
    #[inline]
    pub fn connects(&self, set: u64) -> bool {
        // Opposite sides are this many cells apart, both counted.
        set.count_ones() as usize >= self.rows()
            && self
                .sides
                .iter()
                .any(|[a, b]| set & a != 0 && set & b != 0 && flood(*a, set) & b != 0)
    }
}

/// The number of steps from each cell to the edge of a board in each direction.
const fn room(board: u64) -> [[u8; 6]; CELLS] {
    let mut table = [[0; 6]; CELLS];
    let mut i = 0;
    while i < CELLS * 6 {
        if board >> (i / 6) & 1 == 1 {
            table[i / 6][i % 6] = (AHEAD[i / 6][i % 6] & board).count_ones() as u8;
        }
        i += 1;
    }
    table
}

impl Hex {
    /// The cell in a row and column, if there is one.
    pub const fn at(row: i8, column: i8) -> Option<Hex> {
        if row < 0 || row > 8 || column < 0 || column > 8 || row - column > 4 || column - row > 4 {
            return None;
        }
        let (first, _) = span(row as usize);
        Some(Hex(FIRST[row as usize] + column as u8 - first as u8))
    }

    /// The cell with this number.
    pub const fn new(index: usize) -> Hex {
        debug_assert!(index < CELLS);
        Hex(index as u8)
    }

    /// All cells of the largest board, row by row.
    pub fn all() -> impl DoubleEndedIterator<Item = Hex> {
        (0..CELLS).map(Hex::new)
    }

    /// The cell's number.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The cell as a set of one.
    pub const fn bit(self) -> u64 {
        1 << self.0
    }

    /// The row, from 0 at the top.
    pub const fn row(self) -> usize {
        PLACE[self.index()].0 as usize
    }

    /// The column, from 0.
    pub const fn column(self) -> usize {
        PLACE[self.index()].1 as usize
    }

    /// The set of all cells of the largest board in a direction.
    #[inline]
    pub fn line(self, direction: Direction) -> u64 {
        AHEAD[self.index()][direction as usize]
    }

    /// How many steps lie between this cell and another.
    #[inline]
    pub fn steps_to(self, other: Hex) -> usize {
        usize::from(STEPS[self.index()][other.index()])
    }

    /// The cell this many steps away, no more than there is room.
    #[inline]
    pub fn ahead(self, direction: Direction, distance: usize) -> Hex {
        Hex(RAYS[self.index()][direction as usize][distance - 1])
    }

    /// Reads a name such as `a2`, in any case.
    pub fn parse(text: &str) -> Option<Hex> {
        let [row, column @ b'1'..=b'9'] = text.as_bytes() else { return None };
        let row = row.to_ascii_lowercase();
        row.is_ascii_lowercase().then(|| Hex::at((row - b'a') as i8, (column - b'1') as i8))?
    }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.row() as u8) as char, self.column() + 1)
    }
}

impl fmt::Debug for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The cells of a set, in order.
#[inline]
pub fn cells(set: u64) -> impl Iterator<Item = Hex> {
    set.bits().map(Hex::new)
}

/// The neighbours of each cell; a power of two of them, so that no index needs a check.
static NEAR: [u64; 64] = {
    let mut table = [0; 64];
    let mut cell = 0;
    while cell < CELLS {
        table[cell] = NEIGHBOURS[cell];
        cell += 1;
    }
    table
};

/// The cells of `within` that are connected to `from` through `within`.
#[inline]
pub fn flood(from: u64, within: u64) -> u64 {
    flood_around(from, within).0
}

/// The same, and the neighbours of all these cells.
#[inline]
pub fn flood_around(from: u64, within: u64) -> (u64, u64) {
    let mut reached = from & within;
    let (mut fresh, mut around) = (reached, 0);
    while fresh != 0 {
        let near = NEAR[fresh.trailing_zeros() as usize];
        fresh &= fresh - 1;
        let next = near & within & !reached;
        around |= near;
        reached |= next;
        fresh |= next;
    }
    (reached, around)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_61_cells_and_their_names_read_back() {
        assert_eq!(Hex::all().count(), 61);
        for hex in Hex::all() {
            assert_eq!(Hex::parse(&hex.to_string()), Some(hex));
            assert_eq!(Hex::at(hex.row() as i8, hex.column() as i8), Some(hex));
        }
        assert_eq!(Hex::parse("F2"), Hex::at(5, 1));
        for name in ["", "a", "a6", "b7", "f1", "i4", "j5", "a0", "a10", "é1"] {
            assert_eq!(Hex::parse(name), None, "{name}");
        }
    }

    fn boards() -> [&'static Board; 3] {
        [3, 4, 5].map(Board::of)
    }

    #[test]
    fn rings_grow_from_the_edge_to_the_centre() {
        let counts = boards().map(|board| {
            let mut count = [0; 5];
            board.all().for_each(|hex| count[board.ring(hex)] += 1);
            count
        });
        assert_eq!(counts, [[12, 6, 1, 0, 0], [18, 12, 6, 1, 0], [24, 18, 12, 6, 1]]);
    }

    #[test]
    fn corners_belong_to_two_sides() {
        for board in boards() {
            let sides = board.sides.as_flattened();
            assert!(sides.iter().all(|side| side.count_ones() as usize == board.side()));
            let all = sides.iter().fold(0, |set, side| set | side);
            assert_eq!(all.count_ones() as usize, 6 * board.side() - 6);
            assert_eq!(all & !board.cells, 0);
        }
    }

    #[test]
    fn a_flood_tells_the_neighbours_of_what_it_reaches() {
        let mut random = crate::random::Random::new(9);
        for _ in 0..2_000 {
            let [from, thick, thin] = [(); 3].map(|()| random.next_u64() & Board::of(5).cells);
            let within = thick | thin;
            let (reached, near) = flood_around(from & thin, within);
            assert_eq!(near, around(reached));
            assert_eq!(near & within & !reached, 0, "it ends only at the edge");
            assert_eq!(reached, flood(from & thin, within));
        }
    }

    #[test]
    fn every_line_between_two_sides_is_there() {
        for board in boards() {
            for (lines, sides) in board.crossings.iter().zip(board.sides) {
                let (lines, spare) = lines.split_at(board.rows());
                assert_eq!(lines.iter().fold(0, |all, line| all | line), board.cells);
                let ends = [lines[0], lines[lines.len() - 1]];
                assert!(ends == sides || ends == [sides[1], sides[0]]);
                assert!(spare.iter().all(|line| *line == 0));
            }
        }
        let cell = Hex::parse("e5").unwrap();
        assert_eq!(around(cell.bit()), NEIGHBOURS[cell.index()]);
        let all = Board::of(5).cells;
        assert_eq!((all.count_ones() as usize, around(all)), (CELLS, all));
    }

    #[test]
    fn cells_are_numbered_and_have_room_up_to_the_edge_of_their_board() {
        for board in boards() {
            let names: Vec<_> = (0..board.rows()).flat_map(|row| cells(board.row(row))).collect();
            assert_eq!(names, board.all().collect::<Vec<_>>());
            for (i, cell) in board.all().enumerate() {
                assert_eq!(board.number(cell), i);
                assert_eq!(board.at(cell.row() as i8, cell.column() as i8), Some(cell));
                for direction in Direction::ALL {
                    let (rows, columns) = direction.step();
                    let (mut row, mut column) = (cell.row() as i8, cell.column() as i8);
                    for _ in 0..board.room(cell, direction) {
                        (row, column) = (row + rows, column + columns);
                        assert!(board.at(row, column).is_some());
                    }
                    assert_eq!(board.at(row + rows, column + columns), None);
                }
            }
        }
        let small = Board::of(3).all().map(|cell| cell.to_string()).collect::<Vec<_>>().join(" ");
        assert_eq!(small, "a1 a2 a3 b1 b2 b3 b4 c1 c2 c3 c4 c5 d2 d3 d4 d5 e3 e4 e5");
    }

    #[test]
    fn a_row_connects_and_a_row_with_a_gap_does_not() {
        for board in boards() {
            let middle = board.side() - 1;
            let row = board.row(middle);
            assert!(board.connects(row));
            let centre = board.at(middle as i8, middle as i8).unwrap();
            assert!(!board.connects(row & !centre.bit()));
            assert!(!board.connects(0));
            assert!(board.connects(board.cells));
        }
    }
}
