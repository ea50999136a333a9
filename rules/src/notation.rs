//! What the formats of all games have in common: JSON positions, one-line text, options by name.
//!
//! The games' own halves are in their `notation` modules; `docs/notation.md` describes the result.

use crate::by_player::ByPlayer;
use crate::game::{Game, Info, Player, SetupError, counted, shorten};
use crate::grid::{Layout, Square};
use crate::json::{self, Misread};
use crate::prolog::Term;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

/// A game whose positions can be written as one line of text and optionally as Prolog terms.
pub trait Notation: Game {
    /// The position in one line.
    fn text(&self) -> String;
    /// Parses a line; options it does not mention come from `options`.
    fn from_text(text: &str, options: &Self::Options) -> Result<Self, SetupError>;

    /// The position as a Prolog term, if the game has such terms.
    fn term(&self) -> Option<Term> {
        None
    }

    /// Parses a Prolog term; options it does not mention come from `options`.
    fn from_term(_term: &Term, _options: &Self::Options) -> Result<Self, SetupError> {
        Err(SetupError::new("position", no_term(Self::INFO)))
    }
}

/// The error for Prolog terms in a game that has none.
pub fn no_term(game: &Info) -> String {
    format!("{} has no Prolog term; use JSON or one-line text", game.name)
}

/// The position as JSON, with the game's name and the options that are not default.
pub fn to_json<G: Game>(pos: &G) -> Value {
    let mut object = Map::new();
    object.insert("game".into(), G::INFO.id.into());
    let mut fields = fields(&pos.setup());
    fields.shift_remove("options");
    let options = options_to_json(&pos.options());
    if !options.is_empty() {
        object.insert("options".into(), options.into());
    }
    object.extend(fields);
    Value::Object(object)
}

/// The fields of plain data: strings, numbers, lists and maps with string keys.
fn fields<T: Serialize>(data: &T) -> Map<String, Value> {
    match serde_json::to_value(data) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// Parses a JSON position; options it does not mention come from `options`.
pub fn from_json<G: Game>(value: &Value, options: &Map<String, Value>) -> Result<G, SetupError> {
    let Value::Object(object) = value else {
        return Err(SetupError::new("position", "expected an object with `board` and `turn`"));
    };
    let mut object = object.clone();
    if let Some(game) = object.shift_remove("game")
        && !game.as_str().is_some_and(|game| game.eq_ignore_ascii_case(G::INFO.id))
    {
        let game = game.as_str().map_or_else(|| game.to_string(), str::to_owned);
        let message = format!("expected `{}`, got `{}`", G::INFO.id, shorten(&game));
        return Err(SetupError::new("game", message));
    }
    let mut merged = match object.get("options") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(own)) => own.clone(),
        Some(_) => return Err(SetupError::new("options", "expected an object")),
    };
    for (name, value) in options {
        match merged.get(name) {
            Some(own) if own != value => {
                let message = format!("the position says {own}, the request says {value}");
                return Err(SetupError::new(format!("options.{name}"), message));
            }
            _ => merged.insert(name.clone(), value.clone()),
        };
    }
    object.insert("options".into(), merged.into());
    G::from_setup(read(Value::Object(object), "")?)
}

/// Deserializes plain data; an error names the field with its path.
fn read<T: DeserializeOwned>(value: Value, prefix: &str) -> Result<T, SetupError> {
    json::read(value).map_err(|Misread { path, error }| {
        let field = match (prefix, path.as_str()) {
            ("", "") => "position".to_owned(),
            ("", path) => path.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, path) => format!("{prefix}.{path}"),
        };
        SetupError::new(field, error.to_string())
    })
}

/// Parses options; missing ones have their defaults.
pub fn options_from_json<O: DeserializeOwned>(map: &Map<String, Value>) -> Result<O, SetupError> {
    read(Value::Object(map.clone()), "options")
}

/// The options that differ from the default, as JSON.
pub fn options_to_json<O: Serialize + Default>(options: &O) -> Map<String, Value> {
    let default = fields(&O::default());
    let changed = |(name, value): &(String, Value)| default.get(name) != Some(value);
    fields(options).into_iter().filter(changed).collect()
}

/// Refuses a position whose own options differ from those asked for.
pub fn agree<G: Game>(pos: G, asked: &Map<String, Value>) -> Result<G, SetupError> {
    let own = options_to_json(&pos.options());
    for (name, value) in asked {
        let default = G::INFO.options.iter().find(|option| option.name == name);
        let own = own.get(name).cloned().or(default.map(|option| option_value(option.default)));
        if own.as_ref() != Some(value) {
            let own = own.unwrap_or_default();
            let message = format!("the position says {own}, the request says {value}");
            return Err(SetupError::new(format!("options.{name}"), message));
        }
    }
    Ok(pos)
}

/// An option's value as typed: a number where it is one, else a word.
pub fn option_value(text: &str) -> Value {
    text.parse::<u64>().map_or_else(|_| text.to_ascii_lowercase().into(), Value::from)
}

/// A line of text split into rows, `name=value` pairs and the player to move.
#[derive(Debug)]
pub struct OneLine<'a> {
    /// The rows of the board, from the top.
    pub rows: Vec<&'a str>,
    /// The `;name=value` pairs after the board.
    pub pairs: Vec<(&'a str, &'a str)>,
    /// The player to move, with what the game adds to it.
    pub player: &'a str,
}

impl<'a> OneLine<'a> {
    /// Splits a text without knowing the game.
    pub fn read(text: &'a str) -> Result<OneLine<'a>, SetupError> {
        let Some((position, player)) = text.trim().split_once(' ') else {
            let message = format!("`{}` lacks a blank and the player to move", shorten(text));
            return Err(SetupError::new("position", message));
        };
        let mut parts = position.split(';');
        let rows = parts.next().unwrap_or_default().split('/').collect();
        let pairs = parts.map(|pair| {
            pair.split_once('=').ok_or_else(|| {
                let message = format!("`{}` after the board is not `name=value`", shorten(pair));
                SetupError::new("position", message)
            })
        });
        Ok(OneLine { rows, pairs: pairs.collect::<Result<_, _>>()?, player: player.trim() })
    }

    /// Removes a pair by name.
    pub fn take(&mut self, name: &str) -> Option<&'a str> {
        let at = self.pairs.iter().position(|(own, _)| *own == name)?;
        Some(self.pairs.remove(at).1)
    }

    /// Reads every row with its field: `board[0]`, `board[1]`, …
    pub fn board<T>(
        &self,
        read: impl Fn(&str, &str) -> Result<T, SetupError>,
    ) -> Result<Vec<T>, SetupError> {
        let rows = self.rows.iter().enumerate();
        rows.map(|(i, row)| read(row, &format!("board[{i}]"))).collect()
    }

    /// The options: those of the line, then those given, with the size of the board.
    pub fn options<O>(&self, given: &O, size: Option<usize>) -> Result<O, SetupError>
    where
        O: Serialize + DeserializeOwned + Default,
    {
        let mut map = options_to_json(given);
        for (name, value) in &self.pairs {
            map.insert((*name).to_owned(), option_value(value));
        }
        if let Some(size) = size {
            let said = self.pairs.iter().find(|(name, _)| *name == "size").map(|(_, said)| *said);
            if said.is_some_and(|said| said != size.to_string()) {
                let said = shorten(said.unwrap_or_default());
                let message = format!("is {said}, but the board has {size} rows");
                return Err(SetupError::new("options.size", message));
            }
            map.insert("size".into(), size.into());
        }
        options_from_json(&map)
    }
}

/// Writes a line: the board, the options that the board does not show, and the player.
pub fn write_line<O: Serialize + Default>(
    rows: &[String],
    options: &O,
    more: &str,
    player: &str,
) -> String {
    let mut line = rows.join("/");
    for (name, value) in options_to_json(options).iter().filter(|(name, _)| *name != "size") {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        line.push_str(&format!(";{name}={value}"));
    }
    format!("{line}{more} {player}")
}

/// Abbreviates a row: runs of empty cells become their number. Items are separated by `separator`, if any.
pub fn squeeze(cells: impl Iterator<Item = String>, separator: &str) -> String {
    let mut items = Vec::new();
    let mut empty = 0;
    for cell in cells {
        if cell.is_empty() {
            empty += 1;
            continue;
        }
        if empty > 0 {
            items.push(empty.to_string());
            empty = 0;
        }
        items.push(cell);
    }
    if empty > 0 {
        items.push(empty.to_string());
    }
    items.join(separator)
}

/// The inverse of [`squeeze`] for rows of single letters; at most `limit` cells.
pub fn stretch_letters(row: &str, field: &str, limit: usize) -> Result<String, SetupError> {
    let mut cells = String::new();
    let mut digits = String::new();
    for c in row.chars().map(Some).chain([None]) {
        if let Some(digit @ '0'..='9') = c {
            digits.push(digit);
            continue;
        }
        if !digits.is_empty() {
            cells.push_str(&".".repeat(run(&digits, field, limit)?));
            digits.clear();
        }
        cells.extend(c);
        if cells.chars().count() > limit {
            break;
        }
    }
    Ok(cells)
}

/// The inverse of [`squeeze`] for rows of items separated by commas; an empty cell is an empty text.
pub fn stretch_items(row: &str, field: &str, limit: usize) -> Result<Vec<String>, SetupError> {
    let mut cells = Vec::new();
    for item in row.split(',') {
        if item.is_empty() {
            let message = format!("`{}` has nothing between two commas", shorten(row));
            return Err(SetupError::new(field, message));
        }
        if item.starts_with(|c: char| c.is_ascii_digit()) {
            cells.extend(std::iter::repeat_n(String::new(), run(item, field, limit)?));
        } else {
            cells.push(item.to_owned());
        }
        if cells.len() > limit {
            break;
        }
    }
    Ok(cells)
}

fn run(digits: &str, field: &str, limit: usize) -> Result<usize, SetupError> {
    match digits.parse() {
        Ok(n) if (1..=limit).contains(&n) => Ok(n),
        _ => {
            let digits = shorten(digits);
            let message = format!("`{digits}` empty cells, expected 1 to {limit}");
            Err(SetupError::new(field, message))
        }
    }
}

/// Checks that a board or row has as many entries as it should; `what` is one of them.
pub fn expect_len(field: &str, what: &str, got: usize, expected: usize) -> Result<(), SetupError> {
    if got == expected {
        return Ok(());
    }
    Err(SetupError::new(field, format!("has {}, expected {expected}", counted(got, what))))
}

/// Checks that neither player has more pieces than there are.
pub fn expect_at_most<G: Game>(
    field: &str,
    what: &str,
    counts: ByPlayer<u32>,
    most: u8,
) -> Result<(), SetupError> {
    match counts.iter().zip(G::INFO.players).find(|(count, _)| **count > most.into()) {
        None => Ok(()),
        Some((count, name)) => {
            let message = format!("{name} has {count} {what}, expected at most {most}");
            Err(SetupError::new(field, message))
        }
    }
}

/// The pieces of a board in rows of letters: one for each player, in any case, and `.` for an empty cell.
pub fn read_letters<const WIDTH: usize>(
    board: &[String],
    layout: Layout<WIDTH>,
    letters: ByPlayer<char>,
) -> Result<Vec<(Player, Square<WIDTH>)>, SetupError> {
    expect_len("board", "row", board.len(), layout.size)?;
    let mut pieces = Vec::new();
    for (i, (row, cells)) in board.iter().zip(layout.rows()).enumerate() {
        let field = format!("board[{i}]");
        expect_len(&field, "cell", row.chars().count(), layout.size)?;
        for (letter, cell) in row.chars().zip(cells) {
            match letters.iter().position(|own| own.eq_ignore_ascii_case(&letter)) {
                Some(player) => pieces.push((Player::BOTH[player], cell)),
                None if letter == '.' => {}
                None => {
                    let ([one, two], letter) = (*letters, letter.escape_debug());
                    let message = format!("unknown cell `{letter}`, expected {one}, {two} or .");
                    return Err(SetupError::new(field, message));
                }
            }
        }
    }
    Ok(pieces)
}

/// The inverse of [`read_letters`].
pub fn write_letters<const WIDTH: usize>(
    layout: Layout<WIDTH>,
    letters: ByPlayer<char>,
    owner: impl Fn(Square<WIDTH>) -> Option<Player>,
) -> Vec<String> {
    let letter = |cell| owner(cell).map_or('.', |player| letters[player]);
    layout.rows().map(|row| row.map(letter).collect()).collect()
}

/// Parses the player to move of one-line text: 1 or 2.
pub fn player_field(text: &str) -> Result<Player, SetupError> {
    player_named(text, ["1", "2"])
}

/// The player with one of these names.
pub fn player_named(text: &str, [one, two]: [&str; 2]) -> Result<Player, SetupError> {
    if text == one {
        return Ok(Player::One);
    }
    if text == two {
        return Ok(Player::Two);
    }
    let message = format!("`{}` is not a player, expected {one} or {two}", shorten(text));
    Err(SetupError::new("turn", message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gekitai::Gekitai;
    use serde_json::json;

    #[test]
    fn a_refusal_is_one_short_line_whatever_the_names_in_the_input() {
        for name in ["\u{1b}[2J\n", &"x".repeat(9_999), &"\u{1b}".repeat(200)] {
            let position = json!({ "board": [], "turn": 1, name: 1 });
            let options = json!({ "board": [], "turn": 1, "options": { name: 1 } });
            for value in [position, options] {
                let error = from_json::<Gekitai>(&value, &Map::new()).unwrap_err().to_string();
                assert!(!error.contains(char::is_control), "{error:?}");
                assert!(error.chars().count() < 400, "{error}");
            }
        }
    }

    #[test]
    fn a_null_character_is_not_passed_over() {
        for row in ["x\u{0}3x1", "\u{0}5", "2\u{0}2x"] {
            let text = format!("{row}/6/6/6/6/6 1");
            assert!(Gekitai::from_text(&text, &Default::default()).is_err(), "{text:?}");
        }
    }
}
