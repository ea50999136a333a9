//! The `Game` trait: a position that knows its legal moves.

use crate::by_player::ByPlayer;
use crate::edit::{Brush, Edit};
use crate::lesson::Lesson;
use serde::{Deserialize, Serialize, Serializer, de::DeserializeOwned};
use serde_json::Value;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

/// One of the two players; `One` moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "u8", try_from = "u8")]
#[repr(u8)]
pub enum Player {
    /// The player who moves first.
    One,
    /// The player who moves second.
    Two,
}

impl Player {
    /// Both players, in order of play.
    pub const BOTH: [Player; 2] = [Player::One, Player::Two];

    /// The opponent.
    #[must_use]
    pub const fn other(self) -> Player {
        match self {
            Player::One => Player::Two,
            Player::Two => Player::One,
        }
    }

    /// 0 or 1, for arrays.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// 1 or 2, as people and formats count.
    pub const fn number(self) -> u8 {
        self as u8 + 1
    }
}

impl From<Player> for u8 {
    fn from(player: Player) -> u8 {
        player.number()
    }
}

impl TryFrom<u8> for Player {
    type Error = String;

    fn try_from(number: u8) -> Result<Player, String> {
        match number {
            1 => Ok(Player::One),
            2 => Ok(Player::Two),
            other => Err(format!("a player is 1 or 2, got {other}")),
        }
    }
}

impl Display for Player {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.number())
    }
}

/// How a finished game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// This player has won.
    Win(Player),
    /// Nobody has won.
    Draw,
}

impl Outcome {
    /// The winner, unless it is a draw.
    pub const fn winner(self) -> Option<Player> {
        match self {
            Outcome::Win(player) => Some(player),
            Outcome::Draw => None,
        }
    }
}

/// 1, 2 or `"draw"`, as every format says it; a game that is not over is `null`.
impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Outcome::Win(player) => player.serialize(serializer),
            Outcome::Draw => serializer.serialize_str("draw"),
        }
    }
}

/// The description of a game: its names, options and texts.
#[derive(Debug)]
pub struct Info {
    /// The name in commands and formats: `six-making`.
    pub id: &'static str,
    /// The name people use: `Six MaKING`.
    pub name: &'static str,
    /// A description in half a sentence.
    pub tagline: &'static str,
    /// The names of the two players.
    pub players: ByPlayer<&'static str>,
    /// The name of the variant among chess programs, for a game whose moves are all `from-to`.
    pub uci: Option<&'static str>,
    /// The options, in the order menus show them.
    pub options: &'static [OptionInfo],
    /// The tools of the editor; player 1's pieces first, then player 2's.
    pub brushes: &'static [Brush],
    /// The rules page, in Markdown.
    pub rules: &'static str,
    /// Lessons that teach the rules one turn at a time.
    pub lessons: &'static [Lesson],
    /// Sample positions as one-line text: those that the rules page shows.
    pub samples: &'static [(&'static str, &'static str)],
}

impl Info {
    /// Refuses a number that is not among the values of an option: "board side must be 4 to 8, got 9".
    pub fn check(&self, option: &str, must_be: &str, got: u8) -> Result<(), SetupError> {
        let values = self.options.iter().find(|own| own.name == option).map(|own| &own.values);
        if values.is_some_and(|values| values.list().contains(&got.into())) {
            return Ok(());
        }
        let values = values.map_or_else(String::new, Values::to_string);
        Err(SetupError::new(format!("options.{option}"), format!("{must_be} {values}, got {got}")))
    }
}

/// One option of a game.
#[derive(Debug)]
pub struct OptionInfo {
    /// The name in JSON and on the command line (there with `-` for `_`).
    pub name: &'static str,
    /// The name in menus, at most twelve characters.
    pub label: &'static str,
    /// What it decides, for menus and help.
    pub about: &'static str,
    /// The values it takes.
    pub values: Values,
    /// The value when none is given.
    pub default: &'static str,
}

/// The values an option takes.
#[derive(Debug)]
pub enum Values {
    /// One of these numbers.
    Numbers(&'static [u8]),
    /// Any number from the first to the last.
    Range(u8, u8),
    /// One of these words.
    Words(&'static [&'static str]),
}

impl Values {
    /// Every value, as JSON.
    pub fn list(&self) -> Vec<Value> {
        match self {
            Values::Numbers(numbers) => numbers.iter().copied().map(Value::from).collect(),
            Values::Range(first, last) => (*first..=*last).map(Value::from).collect(),
            Values::Words(words) => words.iter().copied().map(Value::from).collect(),
        }
    }
}

impl Display for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |items: &[String]| match items {
            [] => String::new(),
            [one] => one.clone(),
            [init @ .., last] => format!("{} or {last}", init.join(", ")),
        };
        match self {
            Values::Numbers(numbers) => {
                f.write_str(&list(&numbers.iter().map(u8::to_string).collect::<Vec<_>>()))
            }
            Values::Range(first, last) => write!(f, "{first} to {last}"),
            Values::Words(words) => {
                f.write_str(&list(&words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>()))
            }
        }
    }
}

/// The error for a text that is not a move of any position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a move, expected {expected}")]
pub struct ParseMoveError {
    /// What was read.
    pub text: String,
    /// What a move looks like, with an example.
    pub expected: &'static str,
}

impl ParseMoveError {
    /// The error for `text`, shortened so that the message stays one line.
    pub fn new(text: &str, expected: &'static str) -> Self {
        ParseMoveError { text: shorten(text), expected }
    }
}

/// A number with what it counts: "1 row", "6 rows".
pub fn counted(count: usize, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

/// At most forty characters of foreign text, control characters made visible.
pub fn shorten(text: &str) -> String {
    fit(text.chars().map(|c| c.escape_debug().to_string()), 40)
}

/// A message that may quote foreign text, as one line of bounded length.
fn one_line(text: &str) -> String {
    let visible = |c: char| match c {
        '"' | '\'' | '\\' => c.to_string(),
        c => c.escape_debug().to_string(),
    };
    fit(text.chars().map(visible), 240)
}

/// As many pieces as fit, with an ellipsis if some do not.
fn fit(pieces: impl Iterator<Item = String>, most: usize) -> String {
    let mut line = String::new();
    let mut room = most;
    for piece in pieces {
        let Some(rest) = room.checked_sub(piece.chars().count()) else {
            line.push('…');
            break;
        };
        room = rest;
        line.push_str(&piece);
    }
    line
}

/// A well-formed move that this position does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not legal here: {reason}")]
pub struct IllegalMove {
    /// The text of the move.
    pub text: String,
    /// Why it is refused.
    pub reason: String,
}

/// Plain data that is not a position of the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}`: {message}")]
pub struct SetupError {
    /// The path of the offending field: `board[2]`.
    pub field: String,
    /// What was read and what was expected.
    pub message: String,
}

impl SetupError {
    /// The error for one field.
    pub fn new(field: impl AsRef<str>, message: impl AsRef<str>) -> Self {
        SetupError { field: shorten(field.as_ref()), message: one_line(message.as_ref()) }
    }
}

/// Every packed move of every game fits this many bits.
pub const MOVE_BITS: u32 = 18;

/// One position of a two-player game of perfect information, its options included.
///
/// The verbs, on the empty board of Gekitai:
///
/// ```
/// use rules::{Game, Player, gekitai::Gekitai};
/// let mut pos = Gekitai::new(&Default::default())?;
/// assert_eq!(pos.moves().len(), 36);
/// //     a   b   c   d                 a   b   c   d
/// // 2 │   │   │   │   │   X b2    2 │   │   │   │   │
/// // 3 │   │   │   │   │  ──────►  3 │   │   │   │   │
/// // 4 │   │   │ X │   │   O b3    4 │   │   │   │   │
/// pos.play("c4".parse()?)?; // X places a marker,
/// pos.play("b3".parse()?)?; // O places one beside it and pushes it away,
/// assert!(pos.is_legal("c4".parse()?)); // so its cell is free again.
/// assert_eq!((pos.turn(), pos.outcome()), (Player::One, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Game: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// The description of the game.
    const INFO: &'static Info;

    /// One indivisible decision. A turn may take several: Glaisher shifts, then places.
    type Move: Copy + Eq + Hash + Debug + Display + FromStr<Err = ParseMoveError> + Send + Sync;
    /// The options of the game.
    type Options: Clone + Default + PartialEq + Debug + Serialize + DeserializeOwned + Send + Sync;
    /// The position as plain data: complete, readable, not yet validated.
    type Setup: Clone + PartialEq + Debug + Serialize + DeserializeOwned;

    /// The start of a game.
    fn new(options: &Self::Options) -> Result<Self, SetupError>;
    /// The position that plain data describes, if there is one.
    fn from_setup(setup: Self::Setup) -> Result<Self, SetupError>;
    /// The position as plain data.
    fn setup(&self) -> Self::Setup;
    /// The position after an edit, or why the edit is not possible.
    fn edited(&self, edit: Edit) -> Result<Self, SetupError>;
    /// The options the game is played with.
    fn options(&self) -> Self::Options;
    /// Whose decision is next; in a finished game, whose it would be.
    fn turn(&self) -> Player;
    /// The result, if the game is over; kept by `play_unchecked`, so it costs nothing.
    fn outcome(&self) -> Option<Outcome>;
    /// Appends every legal move in the game's documented order; none when the game is over.
    fn append_moves(&self, out: &mut Vec<Self::Move>);
    /// Makes a move that is known to be legal.
    fn play_unchecked(&mut self, m: Self::Move);
    /// An incrementally updated hash, equal for equal positions.
    fn key(&self) -> u64;
    /// Why a well-formed move is not legal here, in words for a player.
    fn objection(&self, m: Self::Move) -> String;

    /// Splits the text of a turn into the texts of its moves.
    fn steps(text: &str) -> Vec<&str> {
        vec![text]
    }

    /// Every legal move, in the game's order.
    fn moves(&self) -> Vec<Self::Move> {
        // Nearly always enough to avoid growing.
        let mut moves = Vec::with_capacity(128);
        self.append_moves(&mut moves);
        moves
    }

    /// Calls back with the moves of every legal turn and the position after it, in the game's order.
    fn each_turn(&self, mut see: impl FnMut(&[Self::Move], Self)) {
        each_turn_after(&mut Vec::new(), self, &mut see);
    }

    /// Packs a move, legal or not, into a unique number of [`MOVE_BITS`] bits.
    fn pack(m: Self::Move) -> u32;

    /// The inverse of [`Game::pack`]; `None` for a number without a move.
    fn unpack(code: u32) -> Option<Self::Move>;

    /// Whether a move is legal here.
    fn is_legal(&self, m: Self::Move) -> bool {
        self.moves().contains(&m)
    }

    /// Whether the player to move has a winning turn. Tries all moves; a game may override it with something
    /// quicker.
    fn wins_at_once(&self) -> bool {
        self.moves().into_iter().any(|m| {
            let next = self.after(m);
            match next.outcome() {
                Some(outcome) => outcome == Outcome::Win(self.turn()),
                None => next.turn() == self.turn() && next.wins_at_once(),
            }
        })
    }

    /// Appends, in order, the moves after which the opponent has neither won nor wins at once. Tries all
    /// moves; a game may override it with something quicker.
    fn append_saving_moves(&self, out: &mut Vec<Self::Move>) {
        let first = out.len();
        self.append_moves(out);
        self.drop_losing_moves(out, first);
    }

    /// Drops the moves from `first` on after which the opponent has won or wins at once.
    fn drop_losing_moves(&self, moves: &mut Vec<Self::Move>, first: usize) {
        let mut kept = first;
        for i in first..moves.len() {
            let next = self.after(moves[i]);
            let lost = match next.outcome() {
                Some(outcome) => outcome == Outcome::Win(self.turn().other()),
                None => next.turn() != self.turn() && next.wins_at_once(),
            };
            if !lost {
                moves[kept] = moves[i];
                kept += 1;
            }
        }
        moves.truncate(kept);
    }

    /// Makes a legal move; otherwise says why it is illegal and leaves the position unchanged.
    fn play(&mut self, m: Self::Move) -> Result<(), IllegalMove> {
        if self.is_legal(m) {
            self.play_unchecked(m);
            return Ok(());
        }
        let reason =
            if self.outcome().is_some() { "the game is over".into() } else { self.objection(m) };
        Err(IllegalMove { text: m.to_string(), reason })
    }

    /// The position after a move that is known to be legal.
    #[must_use]
    fn after(&self, m: Self::Move) -> Self {
        let mut next = self.clone();
        next.play_unchecked(m);
        next
    }
}

fn each_turn_after<G: Game>(
    begun: &mut Vec<G::Move>,
    pos: &G,
    see: &mut impl FnMut(&[G::Move], G),
) {
    for m in pos.moves() {
        let next = pos.after(m);
        begun.push(m);
        if next.turn() == pos.turn() && next.outcome().is_none() {
            each_turn_after(begun, &next, see);
        } else {
            see(begun, next);
        }
        begun.pop();
    }
}
