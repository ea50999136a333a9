//! What a position looks like, and the taps that enter a move.
//!
//! Every view draws the same [`Diagram`], and no view knows which game it shows. Input works the other
//! way round: each legal move has a [`Gesture`], and a user interface matches what was tapped so far
//! against the gestures by prefix.

use crate::by_player::ByPlayer;
use crate::game::{Game, Outcome, Player};
use crate::grid::{Layout, Square};
use serde::Serialize;

/// A position, ready to be drawn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagram {
    /// The shape of all cells.
    pub shape: Shape,
    /// Whether pieces stack: then cells leave room for towers, even on an empty board.
    pub towers: bool,
    /// The cells, from the top row to the bottom one and from left to right.
    pub cells: Vec<DrawnCell>,
    /// Coordinates beside the board.
    pub labels: Vec<Label>,
    /// The two players, in order.
    pub players: ByPlayer<Seat>,
    /// The player to move; `None` when the game is over.
    pub turn: Option<Player>,
    /// The line below the board: whose turn it is, or who has won and how.
    pub status: String,
    /// The highlights of the board.
    pub marks: Marks,
}

/// The shape of a board's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// Squares: neighbours in a row are two half-steps apart, and columns stand straight.
    Square,
    /// Hexagons with a corner up: each row is shifted by half a cell against the next.
    Hexagon,
}

/// One cell of the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DrawnCell {
    /// Its name in move text.
    pub name: String,
    /// Horizontal position of its centre, in half cells from the leftmost centre.
    pub x: i16,
    /// Its row, counted from the top.
    pub y: i16,
    /// Its colour.
    pub tone: Tone,
    /// What stands on it.
    pub piece: Option<Piece>,
}

/// The colours of a board's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    /// A plain cell.
    Light,
    /// The other colour of a chequered board.
    Dark,
    /// The cell the game is about.
    Goal,
}

/// What stands on a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Piece {
    /// The owner; for a tower, the owner of its top disc.
    pub owner: Player,
    /// How it is drawn.
    pub look: Look,
}

/// How a piece is drawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Look {
    /// A flat marker: player 1's bears a cross, player 2's a ring.
    Marker,
    /// A chess knight; the two players' knights face each other.
    Knight,
    /// A pile of discs of one colour, with its height.
    Stack(u8),
    /// Discs of both colours, from the bottom to the top, and the letter of the piece it moves as.
    Tower {
        /// The owners of the discs, from the bottom to the top.
        discs: Vec<Player>,
        /// `P`, `R`, `N`, `B`, `Q` or `K`.
        letter: char,
    },
}

/// A coordinate beside the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Label {
    /// A letter or a number.
    pub text: String,
    /// As for cells; labels lie outside the board.
    pub x: i16,
    /// As for cells.
    pub y: i16,
}

/// A player as the board shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Side"))]
pub struct Seat {
    /// The player's name in the game.
    pub name: &'static str,
    /// The colour of the pieces.
    pub tint: Tint,
    /// The pieces that count in the game, in words: "5 on the board".
    pub count: String,
    /// The pieces in reserve, if they are limited.
    pub reserve: Option<u8>,
}

/// The colour of a player's pieces. Each colour has a shape of its own, so that players can be told apart
/// without colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Tint {
    Red,
    Yellow,
    Blue,
    Orange,
    Ivory,
    Ebony,
}

/// The highlights of a board; cells are numbered as in [`Diagram::cells`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Marks {
    /// The cells that the last turn changed.
    pub last: Vec<usize>,
    /// The paths of the pieces in the last turn.
    pub arrows: Vec<(usize, usize)>,
    /// The line, connection or king that won the game.
    pub winning: Vec<usize>,
    /// The selected cell.
    pub selected: Option<usize>,
    /// The cells that can be selected now.
    pub targets: Vec<usize>,
    /// The path of a suggested move; a placement starts and ends on its cell.
    pub hints: Vec<(usize, usize)>,
}

impl Marks {
    /// Adds a move's effects to the marks of the last turn.
    pub fn add(&mut self, trace: &Trace) {
        for travel in &trace.travels {
            self.last.push(travel.from);
            if let Some(to) = travel.to {
                self.last.push(to);
                self.arrows.push((travel.from, to));
            }
        }
        self.last.extend(trace.placed);
        self.last.sort_unstable();
        self.last.dedup();
    }
}

/// What a move does on the board, for marks and animation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trace {
    /// The cell where a new piece is placed.
    pub placed: Option<usize>,
    /// The pieces that move.
    pub travels: Vec<Travel>,
}

/// The path of one piece, or of the top of a tower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Travel {
    /// Where it stood.
    pub from: usize,
    /// Where it lands; `None` if it leaves the board.
    pub to: Option<usize>,
    /// How many pieces move together.
    pub height: u8,
}

/// One step in entering a move: a cell to click, a word to choose, or a word that a cell stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tap {
    /// What this step decides: `stack`, `parts`, `direction`.
    pub stage: &'static str,
    /// The choice in words; taps are equal if stage and label are.
    pub label: String,
    /// The cell to click for this choice.
    pub cell: Option<usize>,
}

impl Tap {
    /// A choice made by clicking a cell.
    pub fn cell(stage: &'static str, label: impl ToString, cell: usize) -> Tap {
        Tap { stage, label: label.to_string(), cell: Some(cell) }
    }

    /// A choice made from a list.
    pub fn choice(stage: &'static str, label: impl ToString) -> Tap {
        Tap { stage, label: label.to_string(), cell: None }
    }
}

/// The taps that enter a move.
pub type Gesture = Vec<Tap>;

/// A game whose positions can be drawn and whose moves can be tapped.
pub trait Show: Game {
    /// The position as a drawing.
    fn diagram(&self) -> Diagram;
    /// The taps that enter a legal move.
    fn gesture(&self, m: Self::Move) -> Gesture;
    /// What a legal move does on the board.
    fn trace(&self, m: Self::Move) -> Trace;
    /// The leader in whatever decides the game in the end, and what that is: "the majority on the ring, 2 to 1". `None`
    /// in games where no count decides.
    fn lead(&self) -> Option<(Player, String)> {
        None
    }
}

/// The seats of both players, each with the pieces that count in words, and those in reserve if they are limited.
pub fn seats<G: Game>(
    tints: [Tint; 2],
    pieces: impl Fn(Player) -> (String, Option<u8>),
) -> ByPlayer<Seat> {
    ByPlayer::from_fn(|player| {
        let (count, reserve) = pieces(player);
        Seat { name: G::INFO.players[player], tint: tints[player.index()], count, reserve }
    })
}

/// The drawing of a square board without marks; `how` says how the game was won.
pub fn square_board<G: Game, const WIDTH: usize>(
    pos: &G,
    layout: Layout<WIDTH>,
    piece: impl Fn(Square<WIDTH>) -> Option<Piece>,
    players: ByPlayer<Seat>,
    how: &str,
) -> Diagram {
    Diagram {
        shape: Shape::Square,
        towers: false,
        cells: square_cells(layout, piece),
        labels: square_labels(layout),
        players,
        turn: pos.outcome().is_none().then_some(pos.turn()),
        status: status(pos, how),
        marks: Marks::default(),
    }
}

/// The cells of a square board, chequered: `a1` is light at the top and dark at the bottom, as in chess.
pub(crate) fn square_cells<const WIDTH: usize>(
    layout: Layout<WIDTH>,
    piece: impl Fn(Square<WIDTH>) -> Option<Piece>,
) -> Vec<DrawnCell> {
    let drawn = |(y, cell): (usize, Square<WIDTH>)| {
        let like_a1 = (cell.column() + cell.row()).is_multiple_of(2);
        DrawnCell {
            name: cell.to_string(),
            x: 2 * cell.column() as i16,
            y: y as i16,
            tone: if like_a1 == layout.first_row_at_top { Tone::Light } else { Tone::Dark },
            piece: piece(cell),
        }
    };
    let rows = layout.rows().enumerate();
    rows.flat_map(|(y, row)| row.map(move |cell| (y, cell))).map(drawn).collect()
}

/// Coordinates of a square board: letters below it, numbers to its left.
pub(crate) fn square_labels<const WIDTH: usize>(layout: Layout<WIDTH>) -> Vec<Label> {
    let size = layout.size;
    let letters = (0..size).map(|i| Label {
        text: char::from(b'a' + i as u8).to_string(),
        x: 2 * i as i16,
        y: size as i16,
    });
    let numbers = (0..size).map(|i| Label {
        text: if layout.first_row_at_top { i + 1 } else { size - i }.to_string(),
        x: -2,
        y: i as i16,
    });
    letters.chain(numbers).collect()
}

/// "White to move", "White has won" or "a draw".
pub fn status<G: Game>(pos: &G, how: &str) -> String {
    match pos.outcome() {
        None => format!("{} to move", G::INFO.players[pos.turn()]),
        Some(Outcome::Win(player)) => {
            format!("{} has won{how}", G::INFO.players[player])
        }
        Some(Outcome::Draw) => format!("a draw{how}"),
    }
}
