//! A whole game as text: tags, numbered turns, comments, variations, result.
//!
//! `docs/notation.md` describes the format. Reading takes two steps: [`Record::parse`] parses the text
//! without knowing the game; [`Record::replay`] plays every turn, variations included, and refuses the first
//! illegal one.

use crate::game::{Game, shorten};
use crate::notation::{Notation, agree, option_value, options_from_json};
use read::Reader;
use serde_json::{Map, Value};
use std::fmt;

pub use crate::verdict::Verdict;

mod read;
pub mod sgf;

/// A game record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Names and values, in the order of the text.
    pub tags: Vec<(String, String)>,
    /// The turns that were played, with their comments.
    pub main: Variation,
    /// The result.
    pub result: Verdict,
}

/// A sequence of turns: the main line or a variation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variation {
    /// The comment before the first turn.
    pub comment: String,
    /// The turns, from first to last.
    pub nodes: Vec<Node>,
}

/// One turn with its comments and variations.
#[derive(Clone, Debug, Default, Eq)]
pub struct Node {
    /// The turn's text.
    pub turn: String,
    /// `!`, `?`, `!?` and the like, or nothing.
    pub glyph: String,
    /// The comment after it.
    pub comment: String,
    /// Variations that replace this turn.
    pub variations: Vec<Variation>,
    /// The line of the text it was read from, for errors.
    line: usize,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.turn == other.turn
            && self.glyph == other.glyph
            && self.comment == other.comment
            && self.variations == other.variations
    }
}

impl Node {
    /// A turn without comment.
    pub fn new(turn: impl Into<String>) -> Node {
        Node { turn: turn.into(), ..Node::default() }
    }
}

/// The error for a text that is not a record, or a record that is not a legal game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct RecordError {
    /// The line of the text, from 1.
    pub line: usize,
    /// What was read and what was expected.
    pub message: String,
}

/// The positions of a record's main line.
#[derive(Clone, Debug)]
pub struct Replay<G: Game> {
    /// Where the game began.
    pub start: G,
    /// The moves of each turn.
    pub turns: Vec<Vec<G::Move>>,
    /// The position after the last turn.
    pub end: G,
}

/// How deep variations may nest.
const MAX_DEPTH: usize = 32;

impl Record {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Sets the result and the `Result` tag.
    pub fn set_result(&mut self, result: Verdict) {
        self.result = result;
        match self.tags.iter_mut().find(|(name, _)| name == "Result") {
            Some((_, value)) => *value = result.to_string(),
            None => self.tags.push(("Result".into(), result.to_string())),
        }
    }

    /// The name in the `Game` tag.
    pub fn game(&self) -> Result<&str, RecordError> {
        self.tag("Game").ok_or_else(|| RecordError {
            line: 1,
            message: "the record lacks a tag such as [Game \"gekitai\"]".into(),
        })
    }

    /// The options in the `Options` tag: `size=4, both=draw`.
    pub fn options(&self) -> Result<Map<String, Value>, RecordError> {
        let pairs = self.tag("Options").unwrap_or_default().split(',').map(str::trim);
        let pair = |text: &str| match text.split_once('=') {
            Some((name, value)) => Ok((name.trim().to_owned(), option_value(value.trim()))),
            None => {
                let message = format!("option `{}` is not `name=value`", shorten(text));
                Err(RecordError { line: 1, message })
            }
        };
        pairs.filter(|text| !text.is_empty()).map(pair).collect()
    }

    /// Parses a text, which may be [SGF](sgf).
    pub fn parse(text: &str) -> Result<Record, RecordError> {
        if sgf::is_sgf(text) {
            return sgf::parse(text);
        }
        let mut reader = Reader::new(text);
        let tags = reader.tags()?;
        let main = reader.line(0)?;
        let Some(result) = reader.result else {
            return Err(reader.error("the record ends without a result (1-0, 0-1, 1/2-1/2 or *)"));
        };
        if reader.next()?.is_some() {
            return Err(reader.error("there is more text after the result"));
        }
        let record = Record { tags, main, result };
        match record.tag("Result") {
            Some(tag) if tag.parse() != Ok(result) => {
                let message =
                    format!("the result is {result}, but its tag says `{}`", shorten(tag));
                Err(RecordError { line: reader.at, message })
            }
            _ => Ok(record),
        }
    }

    /// Plays every turn and checks the result.
    pub fn replay<G: Notation>(&self) -> Result<Replay<G>, RecordError> {
        let start = self.start::<G>()?;
        let replay = follow(&start, &self.main)?;
        let verdict = Verdict::from(replay.end.outcome());
        if verdict != Verdict::Open && self.result != Verdict::Open && verdict != self.result {
            let line = self.main.nodes.last().map_or(1, |node| node.line);
            let message = format!("the game ends {verdict}, but the result says {}", self.result);
            return Err(RecordError { line, message });
        }
        Ok(replay)
    }

    fn start<G: Notation>(&self) -> Result<G, RecordError> {
        let at_top = |message: String| RecordError { line: 1, message };
        if !self.game()?.eq_ignore_ascii_case(G::INFO.id) {
            return Err(at_top(format!("this is a game of `{}`", shorten(self.game()?))));
        }
        let asked = self.options()?;
        let options = options_from_json(&asked).map_err(|e| at_top(e.to_string()))?;
        match self.tag("Position") {
            Some(text) => G::from_text(text, &options).and_then(|pos| agree(pos, &asked)),
            None => G::new(&options),
        }
        .map_err(|error| at_top(error.to_string()))
    }
}

/// Plays every turn, variations included.
fn follow<G: Game>(start: &G, line: &Variation) -> Result<Replay<G>, RecordError> {
    let mut pos = start.clone();
    let mut turns = Vec::new();
    for (i, node) in line.nodes.iter().enumerate() {
        for variation in &node.variations {
            follow(&pos, variation)?;
        }
        let moves = turn_moves(&pos, &node.turn).map_err(|reason| RecordError {
            line: node.line,
            message: format!("turn `{}`: {reason}", shorten(&node.turn)),
        })?;
        let mover = pos.turn();
        moves.iter().for_each(|m| pos.play_unchecked(*m));
        let last = i + 1 == line.nodes.len();
        if pos.turn() == mover && !last {
            let message = format!("turn `{}` is not complete", shorten(&node.turn));
            return Err(RecordError { line: node.line, message });
        }
        turns.push(moves);
    }
    Ok(Replay { start: start.clone(), turns, end: pos })
}

/// The legal moves of a text, which is one move or a whole turn.
pub fn turn_moves<G: Game>(pos: &G, text: &str) -> Result<Vec<G::Move>, String> {
    let mut next = pos.clone();
    let mut moves = Vec::new();
    for step in G::steps(text.trim()) {
        let m: G::Move = step.parse().map_err(|error: crate::ParseMoveError| error.to_string())?;
        next.play(m).map_err(|error| error.to_string())?;
        moves.push(m);
    }
    Ok(moves)
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.tags {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            writeln!(f, "[{name} \"{value}\"]")?;
        }
        let player = self.tag("Position").and_then(|text| text.split(' ').nth(1));
        let first = usize::from(player.is_some_and(|player| player.starts_with('2')));
        let mut words = Vec::new();
        write_words(&self.main, first, &mut words);
        words.push(self.result.to_string());
        let mut column = 0;
        writeln!(f)?;
        for word in words {
            let width = word.chars().count();
            if column > 0 && column + 1 + width > 80 {
                writeln!(f)?;
                column = 0;
            } else if column > 0 {
                f.write_str(" ")?;
                column += 1;
            }
            f.write_str(&word)?;
            column += width;
        }
        writeln!(f)
    }
}

/// Writes turns as words; `ply` is even if player 1 plays the first.
fn write_words(line: &Variation, mut ply: usize, words: &mut Vec<String>) {
    let comment = |text: &str| format!("{{{}}}", text.replace('\\', "\\\\").replace('}', "\\}"));
    let mut number = true;
    if !line.comment.is_empty() {
        words.push(comment(&line.comment));
    }
    for node in &line.nodes {
        if ply.is_multiple_of(2) {
            words.push(format!("{}.", ply / 2 + 1));
        } else if number {
            words.push(format!("{}...", ply / 2 + 1));
        }
        number = !node.comment.is_empty() || !node.variations.is_empty();
        words.push(format!("{}{}", node.turn, node.glyph));
        if !node.comment.is_empty() {
            words.push(comment(&node.comment));
        }
        for variation in &node.variations {
            words.push("(".into());
            write_words(variation, ply, words);
            words.push(")".into());
        }
        ply += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gekitai::Gekitai;

    const GAME: &str = "\
[Game \"gekitai\"]
[Player1 \"A \\\"b\\\" \\\\ c\"]
[Result \"*\"]

{An opening.} 1. c3! {Good \\} brace.} ( 1. a1 a2 ( 1... f6 ) ) 1... d4 2. f6?? *
";

    #[test]
    fn a_record_reads_back_as_it_is_written() {
        let record = Record::parse(GAME).unwrap();
        assert_eq!(record.tag("Player1"), Some("A \"b\" \\ c"));
        assert_eq!(record.main.nodes.len(), 3);
        assert_eq!(record.main.nodes[0].variations[0].nodes[1].variations.len(), 1);
        assert_eq!(record.to_string(), GAME);
        assert_eq!(record.replay::<Gekitai>().unwrap().turns.len(), 3);
    }

    #[test]
    fn a_sign_that_stands_alone_belongs_to_the_turn_before_it() {
        let record = Record::parse("1. c3 ! {Good.} d4 $2 ( e5 ) !! ] ? *").unwrap();
        let turns: Vec<_> = record.main.nodes.iter().map(|n| (&*n.turn, &*n.glyph)).collect();
        assert_eq!(turns, [("c3", "!"), ("d4", "?"), ("]", "?")]);
        assert_eq!(Record::parse(&record.to_string()), Ok(record));
        let error = Record::parse("{An opening.}\n1. ?! c3 *").unwrap_err();
        assert_eq!(error.to_string(), "line 2: `?!` annotates a turn, but no turn precedes it");
    }

    #[test]
    fn a_result_that_is_set_stands_in_the_tag_too() {
        for text in [GAME, "1. c3 *"] {
            let mut record = Record::parse(text).unwrap();
            record.set_result(Verdict::Draw);
            assert_eq!(record.tag("Result"), Some("1/2-1/2"));
            assert_eq!(Record::parse(&record.to_string()), Ok(record));
        }
    }

    #[test]
    fn an_illegal_turn_is_named_with_its_line_and_reason() {
        let text = GAME.replace("2. f6??", "\n2. d4");
        let error = Record::parse(&text).unwrap().replay::<Gekitai>().unwrap_err();
        assert_eq!(error.to_string(), "line 6: turn `d4`: `d4` is not legal here: d4 is occupied");
        let text = GAME.replace("1... f6", "1... a1 zz");
        let error = Record::parse(&text).unwrap().replay::<Gekitai>().unwrap_err();
        assert!(error.to_string().contains("`a1` is not legal here: a1 is occupied"), "{error}");
    }

    #[test]
    fn numbers_are_passed_over_however_many_are_glued_to_a_turn() {
        for (text, expected) in [
            ("1.2.c3 *", "1. c3 *"),
            ("1.2. c3 *", "1. c3 *"),
            ("1.c3 2.*", "1. c3 *"),
            ("1.1-0", "1-0"),
            ("1. c3 (1.*) 1-0", "1. c3 ( 1. * ) 1-0"),
        ] {
            let record = Record::parse(text).unwrap();
            assert_eq!(record.to_string().trim(), expected);
            assert_eq!(Record::parse(&record.to_string()), Ok(record));
        }
    }

    #[test]
    fn many_tags_take_no_longer_than_their_text() {
        let tags: String = (0..50_000).map(|i| format!("[T{i} \"\"]\n")).collect();
        let start = std::time::Instant::now();
        assert_eq!(Record::parse(&format!("{tags} *")).unwrap().tags.len(), 50_000);
        assert!(start.elapsed().as_secs() < 2);
    }

    #[test]
    fn a_long_tag_is_cut_in_an_error() {
        let tag = format!("[{} \"\"]", "a".repeat(9_999));
        for text in [format!("{tag} {tag} *"), format!("1. c3 {tag} *")] {
            assert!(Record::parse(&text).unwrap_err().to_string().len() < 200);
        }
    }

    #[test]
    fn what_is_not_a_record_is_refused() {
        let refused = [
            ("", "ends without a result"),
            ("[Game gekitai] *", "a tag looks like"),
            ("[Game \"gekitai] *", "lacks a closing `\"`"),
            ("[A \"1\"] [A \"2\"] *", "appears twice"),
            ("1. c3 {never closed", "lacks a closing `}`"),
            ("( 1. c3 ) *", "before the turn"),
            ("1. c3 ) *", "too many"),
            ("1. c3 ( 1. a1", "closing `)`"),
            ("1. c3 * 2. d4", "after the result"),
            ("[Result \"1-0\"] 1. c3 *", "its tag says `1-0`"),
        ];
        for (text, expected) in refused {
            let error = Record::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert!(Record::parse(&"(".repeat(100_000)).is_err());
    }
}
