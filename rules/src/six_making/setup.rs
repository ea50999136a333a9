//! Options, the start, and positions as plain data.

use super::{Cell, KING, Last, SixMaking, Tower};
use crate::by_player::ByPlayer;
use crate::edit::{Edit, Stroke, no_such_cell};
use crate::game::{Game, Outcome, Player, SetupError, shorten};
use crate::notation::{expect_at_most, expect_len};
use serde::{Deserialize, Serialize};

/// The options: the board, and whether a move may build the opponent's king.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Cells along a side: 5 or 4.
    pub size: u8,
    /// Whether a move may build a king that the opponent tops.
    pub self_defeat: SelfDefeat,
}

impl Default for Options {
    fn default() -> Self {
        Options { size: 5, self_defeat: SelfDefeat::Forbidden }
    }
}

/// Whether a move may build a king that the opponent tops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SelfDefeat {
    /// It may not.
    Forbidden,
    /// It may, and the opponent wins.
    Allowed,
}

/// A board as plain data: rows from the top, each tower as its discs from the bottom to the top.
pub type Board = Vec<Vec<String>>;

/// A position as plain data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The options; defaults if left out.
    #[serde(default)]
    pub options: Options,
    /// The rows, from the top.
    pub board: Board,
    /// Whose turn it is.
    pub turn: Player,
    /// The board before the opponent's last move, which may not be restored.
    #[serde(default)]
    pub before: Option<Board>,
}

/// How many discs each player has.
pub(super) const fn discs_each(size: u8) -> u8 {
    if size == 4 { 12 } else { 16 }
}

pub(super) fn start(options: &Options) -> Result<SixMaking, SetupError> {
    let Options { size, self_defeat } = *options;
    SixMaking::INFO.check("size", "board side must be", size)?;
    Ok(SixMaking {
        towers: [Tower::EMPTY; 25],
        occupied: 0,
        key: 0,
        discs: ByPlayer::both(0),
        turn: Player::One,
        outcome: None,
        size,
        self_defeat,
        last: None,
        ko: false,
    })
}

pub(super) fn read(setup: Setup) -> Result<SixMaking, SetupError> {
    let mut pos = start(&setup.options)?;
    pos.turn = setup.turn;
    pos.towers = read_board(&setup.board, "board", pos.size)?;
    let built = Cell::all(pos.size()).filter(|cell| !pos.tower(*cell).is_empty());
    pos.occupied = built.fold(0, |set, cell| set | 1 << cell.index());
    pos.discs = count(&pos.towers);
    if let Some(before) = &setup.before {
        let towers = read_board(before, "before", pos.size)?;
        if towers != pos.towers && towers.iter().any(|tower| tower.height() >= KING) {
            return Err(SetupError::new("before", "has a king, so the game was over"));
        }
        pos.last = last_move(&towers, &pos);
        // An identical board means that there was no last move.
        if pos.last.is_none() && towers != pos.towers {
            let mover = SixMaking::INFO.players[pos.turn.other()];
            let message = format!("no move of {mover} leads from it to `board`");
            return Err(SetupError::new("before", message));
        }
        pos.ko = pos.could_undo();
    }
    pos.key = pos.fresh_key();
    pos.outcome = match pos.king() {
        Some(cell) => Some(Outcome::Win(pos.tower(cell).top())),
        None if !pos.can_move() => Some(Outcome::Win(pos.turn.other())),
        None => None,
    };
    Ok(pos)
}

fn count(towers: &[Tower]) -> ByPlayer<u8> {
    let mut discs = ByPlayer::both(0);
    for owner in towers.iter().flat_map(|tower| tower.discs()) {
        discs[owner] += 1;
    }
    discs
}

fn read_board(board: &Board, field: &str, size: u8) -> Result<[Tower; 25], SetupError> {
    let side = usize::from(size);
    expect_len(field, "row", board.len(), side)?;
    let mut towers = [Tower::EMPTY; 25];
    for (row, cells) in board.iter().enumerate() {
        expect_len(&format!("{field}[{row}]"), "cell", cells.len(), side)?;
        for (column, text) in cells.iter().enumerate() {
            let field = format!("{field}[{row}][{column}]");
            towers[Cell::at(column, row).index()] = read_tower(text, &field)?;
        }
    }
    let counts = count(&towers).map(u32::from);
    expect_at_most::<SixMaking>(field, "discs", counts, discs_each(size))?;
    let kings = towers.iter().filter(|tower| tower.height() >= KING).count();
    if kings > 1 {
        return Err(SetupError::new(field, format!("has {kings} kings, expected at most one")));
    }
    Ok(towers)
}

fn read_tower(text: &str, field: &str) -> Result<Tower, SetupError> {
    let disc = |letter: char| match letter {
        'x' | 'X' => Ok(Player::One),
        'o' | 'O' => Ok(Player::Two),
        other => {
            let message = format!("unknown disc `{}`, expected x or o", other.escape_debug());
            Err(SetupError::new(field, message))
        }
    };
    let discs = text.chars().map(disc).collect::<Result<Vec<_>, _>>()?;
    Tower::from_discs(&discs).ok_or_else(|| {
        // Five discs on five are the tallest tower that a move can build.
        let message = format!("the tower `{}` has more than 10 discs", shorten(text));
        SetupError::new(field, message)
    })
}

/// The opponent's move that led from `before` to the position, by what has changed.
fn last_move(before: &[Tower; 25], pos: &SixMaking) -> Option<Last> {
    let changed: Vec<_> = Cell::all(5).filter(|c| before[c.index()] != pos.tower(*c)).collect();
    match changed[..] {
        [cell] => {
            let placed = pos.tower(cell) == Tower::disc(pos.turn.other());
            (before[cell.index()].is_empty() && placed).then_some(Last::Placed { cell })
        }
        [a, b] => {
            let shrank = |cell: Cell| pos.tower(cell).height() < before[cell.index()].height();
            let (from, to) = if shrank(a) { (a, b) } else { (b, a) };
            let discs = before[from.index()].height().checked_sub(pos.tower(from).height())?;
            let (rest, part) = before[from.index()].split(discs);
            let lands = !before[to.index()].is_empty();
            (lands && rest == pos.tower(from) && before[to.index()].with(part) == pos.tower(to))
                .then_some(Last::Moved { from, to, discs: discs as u8 })
        }
        _ => None,
    }
}

pub(super) fn write(pos: &SixMaking) -> Setup {
    Setup {
        options: pos.options(),
        board: write_board(&pos.towers, pos.size()),
        turn: pos.turn,
        before: pos.last.map(|last| write_board(&before(&pos.towers, last), pos.size())),
    }
}

/// The towers before a move.
fn before(towers: &[Tower; 25], last: Last) -> [Tower; 25] {
    let mut before = *towers;
    match last {
        Last::Placed { cell } => before[cell.index()] = Tower::EMPTY,
        Last::Moved { from, to, discs } => {
            let (rest, part) = towers[to.index()].split(discs.into());
            before[to.index()] = rest;
            before[from.index()] = towers[from.index()].with(part);
        }
    }
    before
}

fn write_board(towers: &[Tower; 25], size: usize) -> Board {
    let letter = |owner| if owner == Player::One { 'x' } else { 'o' };
    let tower = |cell: Cell| towers[cell.index()].discs().map(letter).collect();
    (0..size).map(|row| (0..size).map(|column| tower(Cell::at(column, row))).collect()).collect()
}

/// The position after an edit, which forgets the last move.
pub(super) fn edited(pos: &SixMaking, edit: Edit) -> Result<SixMaking, SetupError> {
    let mut setup = Setup { before: None, ..write(pos) };
    match edit {
        Edit::Clear => setup.board.iter_mut().flatten().for_each(String::clear),
        Edit::Turn(player) => setup.turn = player,
        Edit::Paint(cell, stroke) => {
            let mut towers = setup.board.iter_mut().flatten();
            let tower = towers.nth(cell).ok_or_else(|| no_such_cell(cell))?;
            match stroke {
                Stroke::Put(player) => tower.push(if player == Player::One { 'x' } else { 'o' }),
                Stroke::Lift => drop(tower.pop()),
                Stroke::Wipe => tower.clear(),
            }
        }
    }
    read(setup)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::Notation;

    #[test]
    fn no_move_is_made_after_a_king() {
        let mut setup =
            SixMaking::from_text("xox,oooo,2/4/4/4 1", &Options::default()).unwrap().setup();
        setup.before = Some(setup.board.clone());
        let before = setup.before.as_mut().unwrap();
        before[0][0] = "x".into();
        before[0][1] = "ooooox".into();
        let error = SixMaking::from_setup(setup).unwrap_err();
        assert_eq!(error.to_string(), "`before`: has a king, so the game was over");
        let line = "xoo,ooooo,2/4/4/4;ko=a1-b1:1 1";
        assert!(SixMaking::from_text(line, &Options::default()).is_err());
    }
}
