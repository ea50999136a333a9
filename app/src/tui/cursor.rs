//! Moving from cell to cell with keys, on boards of any shape.

use rules::diagram::Diagram;

/// The cell that the keys have reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Numbered as in the diagram.
    pub cell: usize,
    /// The column that going up and down tries to keep.
    column: Option<i16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Way {
    Left,
    Right,
    Up,
    Down,
}

impl Cursor {
    pub fn at(cell: usize) -> Cursor {
        Cursor { cell, column: None }
    }

    pub fn middle(diagram: &Diagram) -> Cursor {
        Cursor::at(diagram.cells.len() / 2)
    }

    /// Goes to the next cell in this direction, if there is one.
    pub fn go(&mut self, way: Way, diagram: &Diagram, flipped: bool) {
        let Some(here) = diagram.cells.get(self.cell) else { return };
        let way = if flipped { opposite(way) } else { way };
        let cells = diagram.cells.iter().enumerate();
        match way {
            Way::Left | Way::Right => {
                let ahead = |x: i16| if way == Way::Left { here.x - x } else { x - here.x };
                let row = cells.filter(|(_, c)| c.y == here.y && ahead(c.x) > 0);
                if let Some((cell, _)) = row.min_by_key(|(_, c)| ahead(c.x)) {
                    *self = Cursor::at(cell);
                }
            }
            Way::Up | Way::Down => {
                let y = if way == Way::Up { here.y - 1 } else { here.y + 1 };
                let column = self.column.unwrap_or(here.x);
                let row = cells.filter(|(_, c)| c.y == y);
                if let Some((cell, _)) = row.min_by_key(|(_, c)| (c.x - column).abs()) {
                    *self = Cursor { cell, column: Some(column) };
                }
            }
        }
    }

    /// Goes to the next of these cells in reading order, or to the previous one.
    pub fn jump(&mut self, cells: &[usize], forward: bool) {
        let mut cells = cells.to_vec();
        cells.sort_unstable();
        let next = match forward {
            true => cells.iter().find(|cell| **cell > self.cell).or(cells.first()),
            false => cells.iter().rev().find(|cell| **cell < self.cell).or(cells.last()),
        };
        if let Some(cell) = next {
            *self = Cursor::at(*cell);
        }
    }
}

fn opposite(way: Way) -> Way {
    match way {
        Way::Left => Way::Right,
        Way::Right => Way::Left,
        Way::Up => Way::Down,
        Way::Down => Way::Up,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_cell_can_be_reached_with_keys() {
        for entry in engine::GAMES {
            let diagram = (entry.start)(&Default::default()).unwrap().diagram();
            let mut seen = BTreeSet::from([0]);
            let mut waiting = vec![0];
            while let Some(cell) = waiting.pop() {
                for way in [Way::Left, Way::Right, Way::Up, Way::Down] {
                    let mut cursor = Cursor::at(cell);
                    cursor.go(way, &diagram, false);
                    if seen.insert(cursor.cell) {
                        waiting.push(cursor.cell);
                    }
                }
            }
            assert_eq!(seen.len(), diagram.cells.len(), "{}", entry.info.id);
        }
    }

    #[test]
    fn going_down_and_up_again_keeps_the_column() {
        for entry in engine::GAMES {
            let diagram = (entry.start)(&Default::default()).unwrap().diagram();
            for flipped in [false, true] {
                let mut cursor = Cursor::middle(&diagram);
                let column = |cursor: &Cursor| diagram.cells[cursor.cell].x;
                let before = column(&cursor);
                for way in [Way::Down, Way::Down, Way::Up, Way::Up] {
                    cursor.go(way, &diagram, flipped);
                }
                assert_eq!(column(&cursor), before);
            }
        }
    }

    #[test]
    fn jumping_goes_round() {
        let mut cursor = Cursor::at(5);
        for (forward, expected) in [(true, 7), (true, 2), (false, 7), (false, 2), (false, 7)] {
            cursor.jump(&[7, 2], forward);
            assert_eq!(cursor.cell, expected);
        }
    }
}
