//! The rotations and reflections of a board that preserve its game.

use crate::game::Game;
use crate::random::spread;

/// A game whose board can be turned and mirrored.
///
/// ```
/// use rules::{Game, Symmetric, gekitai::Gekitai};
/// let start = Gekitai::new(&Default::default())?;
/// let corners = ["a1", "f1", "a6", "f6"].map(|cell| start.after(cell.parse().unwrap()));
/// // Seen from the right side, they are all the same.
/// assert!(corners.iter().all(|pos| pos.canonical().0 == corners[0].canonical().0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Symmetric: Game {
    /// How many images a position has; image 0 is the position itself.
    const IMAGES: usize;

    /// The position turned or mirrored.
    #[must_use]
    fn image(&self, which: usize) -> Self;

    /// The image of a move of this position.
    fn image_of(&self, m: Self::Move, which: usize) -> Self::Move;

    /// The canonical image, the same for all images of a position, and its number.
    fn canonical(&self) -> (Self, usize) {
        let mut least = (self.clone(), 0);
        for which in 1..Self::IMAGES {
            let image = self.image(which);
            if image.key() < least.0.key() {
                least = (image, which);
            }
        }
        least
    }

    /// A hash that is equal for all images and evenly distributed.
    fn canonical_key(&self) -> u64 {
        spread(self.canonical().0.key())
    }

    /// The move here whose image is `m`.
    fn move_of_image(&self, m: Self::Move, which: usize) -> Option<Self::Move> {
        self.moves().into_iter().find(|own| self.image_of(*own, which) == m)
    }
}
