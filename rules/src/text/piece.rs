//! The inside of a cell: its piece and its highlight.

use super::Charset;
use super::canvas::{Canvas, Glyph, Ink, Mark, Paper};
use super::plan::{Frame, Plan};
use crate::by_player::ByPlayer;
use crate::diagram::{Diagram, Look, Piece, Shape, Tint, Tone};
use crate::game::Player;

/// Draws the inside of all cells.
pub(super) fn draw(canvas: &mut Canvas, diagram: &Diagram, plan: &Plan, charset: Charset) {
    for (index, (cell, &place)) in diagram.cells.iter().zip(&plan.cells).enumerate() {
        let mark = mark(diagram, index);
        let frame = plan.frame;
        let mut painter = CellPainter { canvas, place, frame, charset, diagram };
        painter.ground(index, cell.tone, mark);
        match &cell.piece {
            Some(piece) => painter.piece(piece),
            None => painter.empty(cell.tone, mark),
        }
        // A dot or question mark in an empty cell says enough.
        let is_said = cell.piece.is_none() && matches!(mark, Some(Mark::Target | Mark::Hint));
        if let Some(mark) = mark.filter(|_| !is_said) {
            painter.mark(mark, cell.tone);
        }
    }
}

/// Why a cell is highlighted; the most urgent reason counts.
fn mark(diagram: &Diagram, cell: usize) -> Option<Mark> {
    let marks = &diagram.marks;
    let hinted = marks.hints.iter().any(|&(from, to)| from == cell || to == cell);
    [
        (marks.selected == Some(cell), Mark::Selected),
        (marks.winning.contains(&cell), Mark::Winning),
        (marks.targets.contains(&cell), Mark::Target),
        (hinted, Mark::Hint),
        (marks.last.contains(&cell), Mark::Last),
    ]
    .into_iter()
    .find_map(|(holds, mark)| holds.then_some(mark))
}

/// The characters to the left and right of a marked piece, or above and below it.
fn signs(mark: Mark, charset: Charset, narrow: bool) -> (char, char) {
    match (mark, charset, narrow) {
        (Mark::Selected, Charset::Unicode, false) => ('«', '»'),
        (Mark::Selected, Charset::Unicode, true) => ('▼', '▲'),
        (Mark::Selected, Charset::Ascii, false) => ('>', '<'),
        (Mark::Selected, Charset::Ascii, true) => ('v', '^'),
        (Mark::Winning, _, _) => ('*', '*'),
        (Mark::Target, Charset::Unicode, false) => ('‹', '›'),
        (Mark::Target, Charset::Unicode, true) => ('•', '•'),
        (Mark::Target, Charset::Ascii, false) => ('{', '}'),
        (Mark::Target, Charset::Ascii, true) => ('.', '.'),
        (Mark::Hint, _, _) => ('?', '?'),
        (Mark::Last, _, false) => ('[', ']'),
        (Mark::Last, Charset::Unicode, true) => ('━', '━'),
        (Mark::Last, Charset::Ascii, true) => ('=', '='),
    }
}

/// The sign of a player on the pieces of a kind.
pub(super) fn symbol(diagram: &Diagram, look: &Look, player: Player, charset: Charset) -> char {
    match (look, charset, player) {
        (Look::Marker, _, Player::One) => 'X',
        (Look::Marker, _, Player::Two) => 'O',
        (Look::Knight, Charset::Unicode, Player::One) => '♘',
        (Look::Knight, Charset::Unicode, Player::Two) => '♞',
        (Look::Stack(_), Charset::Unicode, Player::One) => '●',
        (Look::Stack(_), Charset::Unicode, Player::Two) => '○',
        (Look::Stack(_), Charset::Ascii, _) => initial(diagram, player).to_ascii_uppercase(),
        (Look::Knight, Charset::Ascii, _) | (Look::Tower { .. }, _, _) => initial(diagram, player),
    }
}

/// The first letter of a player's name in lower case; `x` and `o` if both have the same.
fn initial(diagram: &Diagram, player: Player) -> char {
    let first = |player: Player| {
        let name = diagram.players[player].name;
        let letter = name.chars().next().filter(char::is_ascii_alphabetic)?;
        Some(letter.to_ascii_lowercase())
    };
    match (first(player), first(player.other())) {
        (Some(own), Some(other)) if own != other => own,
        _ => ByPlayer::new('x', 'o')[player],
    }
}

/// The colour of a player's pieces.
pub(super) fn tint(diagram: &Diagram, player: Player) -> Tint {
    diagram.players[player].tint
}

/// Draws inside one cell.
struct CellPainter<'a> {
    canvas: &'a mut Canvas,
    place: (i32, i32),
    frame: Frame,
    charset: Charset,
    diagram: &'a Diagram,
}

impl CellPainter<'_> {
    /// The character at a distance from the middle, if it is inside the cell.
    fn at(&mut self, column: i32, line: i32) -> Option<&mut Glyph> {
        let (_, reach) = self.frame.lines().find(|l| l.0 == line)?;
        let (middle, row) = self.place;
        (column.abs() <= reach).then(|| self.canvas.at(middle + column, row + line)).flatten()
    }

    /// Writes one heavy character, if it lies inside the cell.
    fn put(&mut self, column: i32, line: i32, ch: char, ink: Ink, paper: Paper) {
        if let Some(glyph) = self.at(column, line) {
            *glyph = Glyph { ch, ink, paper, bold: true, ..*glyph };
        }
    }

    /// Writes one character in a player's colours.
    fn own(&mut self, column: i32, line: i32, ch: char, owner: Player) {
        let tint = tint(self.diagram, owner);
        self.put(column, line, ch, Ink::Piece(tint), Paper::Piece(tint));
    }

    /// Writes a text of a player with its middle in the middle of a line.
    fn write(&mut self, line: i32, text: &str, owner: Player) {
        for (column, ch) in (start(text.chars().count())..).zip(text.chars()) {
            self.own(column, line, ch, owner);
        }
    }

    /// The colour of a cell: targets keep that of the board, as there may be many.
    fn paper(&self, tone: Tone, mark: Option<Mark>) -> Paper {
        match mark {
            Some(Mark::Target) | None => {
                let is_wooden = self.diagram.players.iter().any(|seat| seat.tint == Tint::Ebony);
                if is_wooden { Paper::Wood(tone) } else { Paper::Cell(tone) }
            }
            Some(mark) => Paper::Mark(mark),
        }
    }

    /// Assigns all characters inside to the cell, in its colour and that of its mark.
    fn ground(&mut self, index: usize, tone: Tone, mark: Option<Mark>) {
        let frame = self.frame;
        for (line, reach) in frame.lines() {
            let is_marked = frame.shape == Shape::Square || frame.half > 3 || line.abs() <= 1;
            let paper = self.paper(tone, mark.filter(|_| is_marked));
            for column in -reach..=reach {
                if let Some(glyph) = self.at(column, line) {
                    *glyph = Glyph { paper, cell: Some(index), ..Glyph::BLANK };
                }
            }
        }
    }

    /// Draws the highlight of an empty cell, if any.
    fn empty(&mut self, tone: Tone, mark: Option<Mark>) {
        let ch = match (mark, tone, self.charset) {
            (Some(Mark::Target), _, Charset::Unicode) => '•',
            (Some(Mark::Target), _, Charset::Ascii) => '.',
            (Some(Mark::Hint), _, _) => '?',
            (_, Tone::Goal, Charset::Unicode) => '◎',
            (_, Tone::Goal, Charset::Ascii) => '*',
            _ => return,
        };
        let paper = self.paper(tone, mark);
        self.put(0, 0, ch, mark.map_or(Ink::Goal, Ink::Mark), paper);
    }

    /// Draws a piece, as its look and the size of the cell allow.
    fn piece(&mut self, piece: &Piece) {
        let owner = piece.owner;
        let symbol = symbol(self.diagram, &piece.look, owner, self.charset);
        match &piece.look {
            Look::Tower { discs, letter } => self.tower(owner, discs, *letter),
            Look::Stack(height) => self.stack(owner, symbol, *height),
            Look::Marker | Look::Knight => {
                self.tile(owner);
                self.own(0, 0, symbol, owner);
            }
        }
    }

    /// Colours the middle of the cell, leaving room for marks.
    fn tile(&mut self, owner: Player) {
        let side = (self.frame.half - 1).max(1);
        let (above, below) = match self.frame.shape {
            _ if self.frame.is_narrow() => (0, 0),
            Shape::Hexagon => (1.min(self.frame.above), 1.min(self.frame.below)),
            Shape::Square => (self.frame.above, self.frame.below),
        };
        for line in -above..=below {
            (-side..=side).for_each(|column| self.own(column, line, ' ', owner));
        }
    }

    /// Draws the sign of a pile beside its height, with as many discs below as there is room for.
    fn stack(&mut self, owner: Player, symbol: char, height: u8) {
        let reach = if self.frame.half > 2 { 2 } else { 1 };
        let below = (self.frame.half - reach).min(self.frame.below);
        let discs = i32::from(height.max(1)).min(2 * below + 1);
        let bottom = discs / 2;
        let top = bottom + 1 - discs;
        if self.frame.is_narrow() || self.frame.half < 2 {
            self.tile(owner);
        } else {
            for line in top..=bottom {
                self.disc(line, reach, owner, None);
            }
        }
        match (self.frame.half, height) {
            (..=1, 100..) => {
                self.own(0, -1, symbol, owner);
                self.write(0, &height.to_string(), owner);
            }
            (..=1, _) => self.write(0, &format!("{symbol}{height}"), owner),
            _ => self.write(top, &format!("{symbol}{height:>2}"), owner),
        }
    }

    /// Draws one disc from the side, with its rim, and a letter on it.
    fn disc(&mut self, line: i32, reach: i32, owner: Player, letter: Option<char>) {
        let tint = tint(self.diagram, owner);
        let rim = if self.charset == Charset::Unicode { '▁' } else { '_' };
        for column in -reach..=reach {
            self.put(column, line, rim, Ink::Edge(tint), Paper::Piece(tint));
        }
        if let Some(letter) = letter {
            self.own(0, line, letter, owner);
        }
    }

    /// Draws a tower as a pile of discs with the letter of the piece on top; where it is higher than the
    /// cell, the lowest discs lie side by side.
    fn tower(&mut self, owner: Player, discs: &[Player], letter: char) {
        let letter = match owner {
            Player::One => letter.to_ascii_uppercase(),
            Player::Two => letter.to_ascii_lowercase(),
        };
        if self.frame.height() < 3 {
            return self.flat_tower(owner, discs, letter);
        }
        let lines = usize::try_from(self.frame.height()).unwrap_or(1);
        let lying = (discs.len() + 1).saturating_sub(lines);
        let (lower, upper) = discs.split_at(if lying > 1 { lying } else { 0 });
        let mut line = self.frame.below;
        if !lower.is_empty() {
            self.discs(start(lower.len()), line, lower);
            line -= 1;
        }
        let reach = self.frame.half - 1;
        for (i, &disc) in upper.iter().enumerate() {
            let own = initial(self.diagram, disc);
            let letter = if i + 1 == upper.len() { letter } else { own };
            self.disc(line, reach, disc, Some(letter));
            line -= 1;
        }
    }

    /// Draws the letter of a tower and below it the discs from the bottom to the top; those that find
    /// no room follow the letter.
    fn flat_tower(&mut self, owner: Player, discs: &[Player], letter: char) {
        let room = usize::try_from(2 * self.frame.half + 1).unwrap_or(0);
        let (lower, upper) = discs.split_at(discs.len().min(room));
        self.discs(start(lower.len()), 1, lower);
        if upper.is_empty() {
            return self.write(0, &format!(" {letter} "), owner);
        }
        let column = start(upper.len() + 2);
        self.own(column, 0, letter, owner);
        self.discs(column + 2, 0, upper);
    }

    /// Draws discs side by side.
    fn discs(&mut self, start: i32, line: i32, discs: &[Player]) {
        for (column, &owner) in (start..).zip(discs) {
            self.own(column, line, initial(self.diagram, owner), owner);
        }
    }

    /// Puts signs on both sides of what stands on the cell.
    fn mark(&mut self, mark: Mark, tone: Tone) {
        let (half, narrow) = (self.frame.half, self.frame.is_narrow());
        let (before, after) = signs(mark, self.charset, narrow);
        let paper = self.paper(tone, Some(mark));
        let places = if narrow { [(0, -1), (0, 1)] } else { [(-half, 0), (half, 0)] };
        for ((column, line), ch) in places.into_iter().zip([before, after]) {
            // A very high pile takes the place of one of the signs.
            if self.at(column, line).is_some_and(|glyph| glyph.ch == ' ') {
                self.put(column, line, ch, Ink::Mark(mark), paper);
            }
        }
    }
}

/// The distance from the middle at which a text of this length begins.
fn start(length: usize) -> i32 {
    -i32::try_from(length / 2).unwrap_or(0)
}
