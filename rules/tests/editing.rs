//! Positions set up by hand.

use rules::diagram::{Look, Piece, Show};
use rules::edit::{Edit, Stroke, stroke};
use rules::{Notation, Player};

/// The strokes that put a piece on an empty cell.
fn strokes(piece: &Piece) -> Vec<Stroke> {
    match &piece.look {
        Look::Marker | Look::Knight => vec![Stroke::Put(piece.owner)],
        Look::Stack(height) => vec![Stroke::Put(piece.owner); usize::from(*height)],
        Look::Tower { discs, .. } => discs.iter().map(|owner| Stroke::Put(*owner)).collect(),
    }
}

/// Every sample can be painted on the cleared board, and every piece of it wiped off again.
fn samples_can_be_painted<G: Notation + Show>() {
    for (name, text) in G::INFO.samples {
        let sample = G::from_text(text, &Default::default()).unwrap();
        let goal = sample.diagram();
        let mut pos = sample.edited(Edit::Clear).unwrap();
        let left: Vec<_> = (0..goal.cells.len())
            .filter(|cell| pos.diagram().cells[*cell].piece.is_some())
            .collect();
        for (cell, piece) in goal.cells.iter().enumerate() {
            for stroke in piece.piece.iter().flat_map(strokes) {
                if pos.diagram().cells[cell].piece != piece.piece {
                    pos = pos.edited(Edit::Paint(cell, stroke)).unwrap();
                }
            }
        }
        for cell in left.into_iter().filter(|cell| goal.cells[*cell].piece.is_none()) {
            pos = pos.edited(Edit::Paint(cell, Stroke::Wipe)).unwrap();
        }
        pos = pos.edited(Edit::Turn(sample.turn())).unwrap();
        assert_eq!(pos.diagram().cells, goal.cells, "{name}");
        assert_eq!(pos.turn(), sample.turn(), "{name}");
    }
}

/// Two brushes paint the pieces of the two players, and one of them wipes.
fn brushes_paint_both_players<G: Notation + Show>() {
    let strokes: Vec<_> = G::INFO.brushes.iter().map(|brush| brush.stroke).collect();
    assert_eq!(strokes[..2], Player::BOTH.map(Stroke::Put));
    assert!(strokes.contains(&Stroke::Wipe));
    for brush in G::INFO.brushes {
        assert_eq!(stroke(G::INFO.brushes, brush.id), Ok(brush.stroke));
    }
    assert!(stroke(G::INFO.brushes, "broom").is_err());
    let pos = G::new(&Default::default()).unwrap();
    let count = pos.diagram().cells.len();
    for far in [count, usize::MAX] {
        assert!(pos.edited(Edit::Paint(far, Stroke::Wipe)).is_err());
    }
}

macro_rules! tests {
    ($($name:ident: $game:ty,)*) => {$(
        mod $name {
            #[test]
            fn samples_can_be_painted() {
                super::samples_can_be_painted::<$game>();
            }
            #[test]
            fn brushes_paint_both_players() {
                super::brushes_paint_both_players::<$game>();
            }
        }
    )*};
}
rules::every_game!(tests);
