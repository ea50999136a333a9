//! Pieces on their way: a turn is shown in a few frames, which nothing waits for.

use super::BoardScreen;
use crate::tui::app::Context;
use rules::diagram::{Diagram, Look, Piece};
use std::time::{Duration, Instant};

/// How many frames show a piece on its way.
const FRAMES: u32 = 2;
const FRAME: Duration = Duration::from_millis(70);

/// A turn that has just been played.
pub struct Motion {
    since: Instant,
    /// The board before it.
    before: Diagram,
    /// The start, the end and the height of each travelling pile.
    ways: Vec<(usize, usize, u8)>,
}

impl Motion {
    /// The motion of the last move; `None` if it only placed a piece.
    pub(super) fn new(before: Diagram, play: &BoardScreen, now: Instant) -> Option<Motion> {
        let traces = play.sitting.board.last_traces();
        let travels = traces.iter().flat_map(|trace| &trace.travels);
        let ways: Vec<_> =
            travels.filter_map(|way| Some((way.from, way.to?, way.height))).collect();
        (!ways.is_empty()).then_some(Motion { since: now, before, ways })
    }

    /// How long until the next frame; `None` when all have arrived.
    pub(super) fn next(&self, now: Instant) -> Option<Duration> {
        let spent = now.saturating_duration_since(self.since);
        (1..=FRAMES).map(|i| FRAME * i).find(|end| spent < *end).map(|end| end - spent)
    }

    /// The board with the pieces on their way.
    fn frame(&self, now: Instant) -> Option<Diagram> {
        self.next(now)?;
        let spent = now.saturating_duration_since(self.since).as_millis();
        let step = (spent / FRAME.as_millis()) as i32 + 1;
        let mut diagram = self.before.clone();
        let mut lifted: Vec<(usize, Piece)> = Vec::new();
        for (from, to, height) in &self.ways {
            let Some(piece) = self.before.cells.get(*from)?.piece.clone() else { continue };
            let piece = top_of(piece, *height);
            let Some(cell) = between(&diagram, *from, *to, step) else { continue };
            lifted.push((cell, piece));
        }
        for (from, _, _) in &self.ways {
            diagram.cells.get_mut(*from)?.piece = None;
        }
        for (cell, piece) in lifted {
            let place = diagram.cells.get_mut(cell)?;
            // Pieces in between are jumped over.
            if place.piece.is_none() {
                place.piece = Some(piece);
            }
        }
        diagram.marks = Default::default();
        Some(diagram)
    }
}

/// The part of a pile that travels.
fn top_of(mut piece: Piece, height: u8) -> Piece {
    match &mut piece.look {
        Look::Stack(own) => *own = height.min(*own),
        Look::Tower { discs, .. } => {
            let lower = discs.len().saturating_sub(usize::from(height));
            discs.drain(..lower);
        }
        Look::Marker | Look::Knight => {}
    }
    piece
}

/// The cell nearest to a place on the way.
fn between(diagram: &Diagram, from: usize, to: usize, step: i32) -> Option<usize> {
    let (from, to) = (diagram.cells.get(from)?, diagram.cells.get(to)?);
    let parts = FRAMES as i32 + 1;
    let at = |a: i16, b: i16| i32::from(a) * parts + (i32::from(b) - i32::from(a)) * step;
    let (x, y) = (at(from.x, to.x), at(from.y, to.y));
    // A row is as far away as two half cells.
    let distance = |cell: &rules::diagram::DrawnCell| {
        let dx = i32::from(cell.x) * parts - x;
        let dy = 2 * (i32::from(cell.y) * parts - y);
        dx * dx + dy * dy
    };
    let cells = diagram.cells.iter().enumerate();
    cells.min_by_key(|(_, cell)| distance(cell)).map(|(number, _)| number)
}

impl BoardScreen {
    pub(super) fn drawn(&self, context: &Context) -> Diagram {
        let moving = self.motion.as_ref().filter(|_| self.past.is_none());
        let status = |mut frame: Diagram| {
            // The words are those of the new position.
            let now = self.diagram();
            (frame.status, frame.turn, frame.players) = (now.status, now.turn, now.players);
            frame
        };
        moving.and_then(|motion| motion.frame(context.now)).map_or_else(|| self.diagram(), status)
    }
}
