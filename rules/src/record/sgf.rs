//! Records in SGF, the Smart Game Format FF[4] (<https://www.red-bean.com/sgf/>). What both formats can express is
//! translated, and the rest of a record is kept in private properties. `docs/notation.md` has the table.

use super::read::{Reader, SIGNS, Token, without_number};
use super::{MAX_DEPTH, Node, Record, RecordError, Variation};
use crate::game::{Player, shorten};
use crate::verdict::Verdict;
use std::collections::HashSet;
use std::fmt::Write;

/// Tags and the properties of the root that mean the same.
const TAGS: [(&str, &str); 13] = [
    ("Game", "GM"),
    ("Options", "RU"),
    ("Position", "QP"),
    ("Player1", "PB"),
    ("Player2", "PW"),
    ("Date", "DT"),
    ("Event", "EV"),
    ("Round", "RO"),
    ("Site", "PC"),
    ("Name", "GN"),
    ("Annotator", "AN"),
    ("Source", "SO"),
    ("Result", "RE"),
];

/// Private properties: other tags as `name:value`, and annotation signs for which SGF has no property.
const OTHER_TAGS: &str = "QT";
const OTHER_SIGN: &str = "QG";

/// Annotation signs and the properties of a node that mean the same.
const GLYPHS: [(&str, &str, &str); 6] = [
    ("!", "TE", "1"),
    ("!!", "TE", "2"),
    ("?", "BM", "1"),
    ("??", "BM", "2"),
    ("!?", "IT", ""),
    ("?!", "DO", ""),
];

/// Whether a text is SGF: no record begins with a bracket and a semicolon.
pub fn is_sgf(text: &str) -> bool {
    let inner = text.trim_start_matches('\u{feff}').trim_start().strip_prefix('(');
    inner.is_some_and(|inner| inner.trim_start().starts_with(';'))
}

/// The games of a collection.
pub fn games(text: &str) -> Vec<&str> {
    let (mut games, mut begin, mut depth, mut in_value, mut escaped) =
        (Vec::new(), 0, 0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_value => escaped = true,
            ']' => in_value = false,
            _ if in_value => {}
            '[' => in_value = true,
            '(' => depth += 1,
            ')' if depth <= 1 => {
                games.push(&text[begin..=at]);
                (begin, depth) = (at + 1, 0);
            }
            ')' => depth -= 1,
            _ => {}
        }
    }
    if !text[begin..].trim().is_empty() {
        games.push(&text[begin..]);
    }
    games
}

impl Record {
    /// The record as SGF.
    pub fn to_sgf(&self) -> String {
        let mut out = String::from("(;FF[4]CA[UTF-8]AP[Quadrille:");
        out += concat!(env!("CARGO_PKG_VERSION"), "]");
        let mut others = Vec::new();
        for (name, value) in &self.tags {
            match TAGS.iter().find(|(tag, _)| tag == name) {
                Some(("Result", _)) => property(&mut out, "RE", written(self.result)),
                Some((_, own)) => property(&mut out, own, value),
                None => others.push((name, value)),
            }
        }
        if self.tag("Result").is_none() && self.result != Verdict::Open {
            property(&mut out, "RE", written(self.result));
        }
        if !others.is_empty() {
            out += OTHER_TAGS;
        }
        for (name, value) in others {
            let _ = write!(out, "[{name}:{}]", escaped(value));
        }
        let first = self.first();
        if first == Player::Two {
            property(&mut out, "PL", "W");
        }
        comment(&mut out, &self.main.comment);
        line(&mut out, &self.main, first);
        out += ")\n";
        out
    }

    /// Who plays the first turn.
    fn first(&self) -> Player {
        let player = self.tag("Position").and_then(|text| text.split(' ').nth(1));
        match player.is_some_and(|player| player.starts_with('2')) {
            true => Player::Two,
            false => Player::One,
        }
    }
}

/// A result as SGF writes it.
fn written(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Win(Player::One) => "B+",
        Verdict::Win(Player::Two) => "W+",
        Verdict::Draw => "0",
        Verdict::Open => "?",
    }
}

fn colour(player: Player) -> &'static str {
    if player == Player::One { "B" } else { "W" }
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace(']', "\\]")
}

fn property(out: &mut String, name: &str, value: &str) {
    let _ = write!(out, "{name}[{}]", escaped(value));
}

fn comment(out: &mut String, text: &str) {
    if !text.is_empty() {
        property(out, "C", text);
    }
}

/// Lines are broken before a node from this column on.
const WIDTH: usize = 70;

fn node(out: &mut String, node: &Node, player: Player) {
    if out.len() - out.rfind('\n').map_or(0, |at| at + 1) >= WIDTH {
        out.push('\n');
    }
    out.push(';');
    property(out, colour(player), &node.turn);
    match GLYPHS.iter().find(|(sign, _, _)| *sign == node.glyph) {
        Some((_, name, value)) => property(out, name, value),
        None if node.glyph.is_empty() => {}
        None => property(out, OTHER_SIGN, &node.glyph),
    }
    comment(out, &node.comment);
}

/// The turns of a line. Where others could have been played, the rest of the line is the first branch, and they follow
/// it.
fn line(out: &mut String, line: &Variation, mut player: Player) {
    let mut branches = Vec::new();
    for own in &line.nodes {
        if !own.variations.is_empty() {
            out.push_str("\n(");
            branches.push((&own.variations, player));
        }
        node(out, own, player);
        player = player.other();
    }
    while let Some((variations, player)) = branches.pop() {
        out.push(')');
        for variation in variations {
            out.push_str("\n(");
            // Every branch begins with a node; one without a turn holds the comment before the first.
            let turn = variation.nodes.first().filter(|first| first.variations.is_empty());
            if !variation.comment.is_empty() || turn.is_none() {
                out.push(';');
                comment(out, &variation.comment);
            }
            self::line(out, variation, player);
            out.push(')');
        }
    }
}

/// A node as it is written.
#[derive(Default)]
struct Seen {
    line: usize,
    properties: Vec<(String, Vec<String>)>,
    children: Vec<usize>,
}

impl Seen {
    fn values(&self, name: &str) -> Option<&[String]> {
        let named = self.properties.iter().find(|(own, _)| own == name);
        named.map(|(_, values)| values.as_slice())
    }

    fn error(&self, message: impl Into<String>) -> RecordError {
        RecordError { line: self.line, message: message.into() }
    }
}

/// Reads one game.
pub(super) fn parse(text: &str) -> Result<Record, RecordError> {
    let nodes = nodes(text)?;
    let Some(root) = nodes.first() else {
        return Err(RecordError {
            line: 1,
            message: "expected a node, which begins with `;`".into(),
        });
    };
    let (tags, result) = tags(root)?;
    let mut record = Record { tags, result, main: Variation::default() };
    record.main = follow(&nodes, 0, record.first(), 0)?;
    Ok(record)
}

/// The nodes of a game, the root first. Branches may nest as deep as they like, so nothing here recurses.
fn nodes(text: &str) -> Result<Vec<Seen>, RecordError> {
    let mut reader = Reader::new(text.trim_start_matches('\u{feff}'));
    let mut nodes: Vec<Seen> = Vec::new();
    // Where each open branch goes on from, and the node that is being read.
    let (mut open, mut current) = (Vec::new(), None);
    loop {
        reader.skip_blanks();
        match reader.chars.peek() {
            None => return Err(reader.error("a game or a branch lacks its closing `)`")),
            Some('(') => {
                reader.bump();
                open.push(current);
            }
            Some(')') => {
                reader.bump();
                current = open.pop().flatten();
                if open.is_empty() {
                    break;
                }
            }
            Some(';') => {
                reader.bump();
                let number = nodes.len();
                if let Some(before) = current {
                    let before: &mut Seen = &mut nodes[before];
                    before.children.push(number);
                } else if number > 0 {
                    return Err(reader.error("a game has one root, and this is a second one"));
                }
                nodes.push(Seen { line: reader.at, ..Seen::default() });
                current = Some(number);
            }
            Some(c) if c.is_ascii_alphabetic() => {
                let read = property_of(&mut reader)?;
                let node = current.and_then(|number| nodes.get_mut(number));
                let Some(node) = node else {
                    return Err(
                        reader.error(format!("`{}` stands outside of a node", shorten(&read.0)))
                    );
                };
                node.properties.push(read);
            }
            Some(c) => {
                let message = format!("expected a property, `;`, `(` or `)`, got `{c}`");
                return Err(reader.error(message));
            }
        }
    }
    reader.skip_blanks();
    match reader.chars.peek() {
        None => Ok(nodes),
        Some(_) => Err(reader.error("there is more text after the game")),
    }
}

/// A property with its values.
fn property_of(reader: &mut Reader<'_>) -> Result<(String, Vec<String>), RecordError> {
    let mut name = String::new();
    while let Some(c) = reader.chars.peek().copied().filter(char::is_ascii_alphabetic) {
        // Older versions fill names up with small letters.
        name.extend(Some(c).filter(char::is_ascii_uppercase));
        reader.bump();
    }
    let mut values = Vec::new();
    loop {
        reader.skip_blanks();
        if reader.chars.peek() != Some(&'[') {
            break;
        }
        reader.bump();
        values.push(value(reader)?);
    }
    match values.is_empty() || name.is_empty() {
        true => {
            Err(reader.error(format!("property `{}` lacks a value in brackets", shorten(&name))))
        }
        false => Ok((name, values)),
    }
}

/// The text up to a closing bracket. A backslash takes the next character literally, and joins lines.
fn value(reader: &mut Reader<'_>) -> Result<String, RecordError> {
    let from = reader.at;
    let mut text = String::new();
    loop {
        match reader.bump() {
            Some(']') => return Ok(text),
            Some('\\') => match reader.bump() {
                Some('\n') => {}
                Some('\r') if reader.chars.peek() == Some(&'\n') => drop(reader.bump()),
                Some(c) => text.push(c),
                None => {}
            },
            Some(c) => text.push(c),
            None => {
                let message = "the value begun here lacks a closing `]`".into();
                return Err(RecordError { line: from, message });
            }
        }
    }
}

type Tags = Vec<(String, String)>;

/// The tags of a root, and the result.
fn tags(root: &Seen) -> Result<(Tags, Verdict), RecordError> {
    let (mut tags, mut result) = (Tags::new(), Verdict::Open);
    let mut names = HashSet::new();
    for (name, values) in &root.properties {
        let tag = TAGS.iter().find(|(_, own)| own == name).map(|(tag, _)| *tag);
        let first = values.first().map(String::as_str).unwrap_or_default();
        let read: Vec<(&str, String)> = match tag {
            Some("Result") => {
                result = verdict(first);
                vec![("Result", result.to_string())]
            }
            Some(tag) => vec![(tag, first.to_owned())],
            None if name == OTHER_TAGS => {
                let pairs = values.iter().filter_map(|value| value.split_once(':'));
                pairs.map(|(name, value)| (name, value.to_owned())).collect()
            }
            None => Vec::new(),
        };
        for (tag, value) in read {
            let is_name = !tag.is_empty() && tag.chars().all(|c| c.is_ascii_alphanumeric());
            if !is_name || !names.insert(tag.to_owned()) {
                return Err(root.error(format!(
                    "the tag `{}` has other characters than letters and digits, or appears twice",
                    shorten(tag)
                )));
            }
            tags.push((tag.to_owned(), value));
        }
    }
    Ok((tags, result))
}

/// A result: `B+`, `W+` and whatever follows it, `0` or `Draw`; everything else says that none is known.
fn verdict(text: &str) -> Verdict {
    match text.trim() {
        "0" | "Draw" => Verdict::Draw,
        text if text.starts_with("B+") => Verdict::Win(Player::One),
        text if text.starts_with("W+") => Verdict::Win(Player::Two),
        _ => Verdict::Open,
    }
}

/// The line that begins with a node, first branches first.
fn follow(
    nodes: &[Seen],
    first: usize,
    mut player: Player,
    depth: usize,
) -> Result<Variation, RecordError> {
    let mut line = Variation::default();
    if depth > MAX_DEPTH {
        return Err(nodes[first].error(format!("variations nest deeper than {MAX_DEPTH} levels")));
    }
    // Variations that wait for the turn that they replace.
    let mut waiting: Vec<Variation> = Vec::new();
    let mut at = Some(first);
    while let Some(seen) = at.and_then(|number| nodes.get(number)) {
        if let Some(turn) = turn(seen, player, depth)? {
            player = player.other();
            let (line_of, variations) = (seen.line, std::mem::take(&mut waiting));
            line.nodes.push(Node { turn, variations, line: line_of, ..Node::default() });
        }
        annotate(&mut line, seen);
        at = seen.children.first().copied();
        for other in seen.children.iter().skip(1) {
            waiting.push(follow(nodes, *other, player, depth + 1)?);
        }
    }
    match waiting.is_empty() {
        true => Ok(line),
        false => Err(nodes[first].error("a branch replaces a turn, and there is none")),
    }
}

/// The turn of a node, if it has one.
fn turn(seen: &Seen, player: Player, depth: usize) -> Result<Option<String>, RecordError> {
    if let Some(name) = ["AB", "AW", "AE"].into_iter().find(|name| seen.values(name).is_some()) {
        let message = format!("`{name}` sets up a board, which only `QP` can do here");
        return Err(seen.error(message));
    }
    if seen.values(colour(player.other())).is_some() {
        let (other, own) = (colour(player.other()), colour(player));
        return Err(seen.error(format!("`{other}` plays, and it is the turn of `{own}`")));
    }
    let Some(values) = seen.values(colour(player)) else { return Ok(None) };
    let text = values.concat();
    let text = text.trim();
    match is_turn(text, depth) {
        true => Ok(Some(text.to_owned())),
        false => Err(seen.error(format!("`{}` is not a turn", shorten(text)))),
    }
}

/// Whether a record would read a text as one turn at this depth; variations have no result.
fn is_turn(text: &str, depth: usize) -> bool {
    let word = Reader::new(text).next();
    let is_word = matches!(word, Ok(Some(Token::Word(word))) if word == text);
    let is_plain = without_number(text) == text && !text.starts_with('$') && !text.ends_with(SIGNS);
    is_word && is_plain && (depth > 0 || text.parse::<Verdict>().is_err())
}

/// Adds the sign and the comment of a node to the last turn, or to the line where there is none yet.
fn annotate(line: &mut Variation, seen: &Seen) {
    let known = GLYPHS.iter().find(|(_, name, value)| {
        let got = seen.values(name).and_then(|values| values.first());
        // Whatever is not emphasised counts as plain.
        got.is_some_and(|got| (got == "2") == (*value == "2"))
    });
    let other = seen.values(OTHER_SIGN).and_then(|values| values.first());
    let other = other.map(String::as_str).filter(|sign| sign.chars().all(|c| SIGNS.contains(&c)));
    if let Some(sign) = known.map(|(sign, _, _)| *sign).or(other)
        && let Some(last) = line.nodes.last_mut()
        && last.glyph.is_empty()
    {
        sign.clone_into(&mut last.glyph);
    }
    for text in seen.values("C").into_iter().flatten().filter(|text| !text.is_empty()) {
        let comment = line.nodes.last_mut().map_or(&mut line.comment, |last| &mut last.comment);
        if !comment.is_empty() {
            comment.push(' ');
        }
        comment.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gekitai::Gekitai;

    const GAME: &str = "\
[Game \"gekitai\"]
[Options \"size=6\"]
[Player1 \"A [b] \\\\ c\"]
[Clock \"300+3: \\n]\"]
[Result \"1-0\"]

{An opening.} 1. c3! {Good ] brace: \\\\.} ( 1. a1?! a2 ( {First.} 1... f6!!! ) ( 1... b2 ) ) ( ) ( 1. b3 ( 1. e5 ) ) 1... d4
2. f6?? 1-0
";

    #[test]
    fn a_record_is_the_same_after_it_was_sgf() {
        let record = Record::parse(GAME).unwrap();
        let sgf = record.to_sgf();
        let again = Record::parse(&sgf).unwrap();
        let sorted = |record: &Record| {
            let mut tags = record.tags.clone();
            tags.sort();
            (tags, record.main.clone(), record.result)
        };
        assert_eq!(sorted(&again), sorted(&record), "{sgf}");
        assert_eq!(again.to_sgf(), sgf);
        assert_eq!(Record::parse(&again.to_string()), Ok(again));
    }

    #[test]
    fn what_others_write_is_read() {
        let text = "\u{feff} (;FF[3]GM[gekitai]KM[6.5]RE[W+Resign]BlackRank[5d]PB[Ann]\n;Black[c3]N[start]C[a\\\nb]\n(;W[d4]TE[1])(;W[a1];B[b2]))";
        let record = Record::parse(text).unwrap();
        assert_eq!(record.tag("Player1"), Some("Ann"));
        let text = record.to_string();
        assert!(text.ends_with("1. c3 {ab} 1... d4! ( 1... a1 2. b2 ) 0-1\n"), "{text}");
        assert_eq!(record.replay::<Gekitai>().unwrap().turns.len(), 2);
    }

    #[test]
    fn the_second_player_begins_where_the_position_says_so() {
        let text = "[Game \"gekitai\"]\n[Position \"6/6/2x3/6/6/6 2\"]\n[Result \"*\"]\n\n1... d4 2. a1 *\n";
        let sgf = Record::parse(text).unwrap().to_sgf();
        assert!(sgf.replace('\n', "").contains("PL[W];W[d4];B[a1]"), "{sgf}");
        assert_eq!(Record::parse(&sgf).unwrap().to_string(), text);
    }

    #[test]
    fn games_of_a_collection_are_told_apart() {
        let text = "(;GM[gekitai]C[a \\] ) (])\n (;GM[x](;B[c3])(;B[a1])) (;";
        assert_eq!(
            games(text),
            ["(;GM[gekitai]C[a \\] ) (])", "\n (;GM[x](;B[c3])(;B[a1]))", " (;"]
        );
    }

    #[test]
    fn what_is_not_sgf_is_refused() {
        let refused = [
            ("(;B[c3]", "lacks its closing `)`"),
            ("(;B[c3", "lacks a closing `]`"),
            ("(;B)", "lacks a value"),
            ("(;B[c3]) x", "more text"),
            ("(;B[c3])(;B[c3])", "more text"),
            ("(;B[c3];B[d4])", "it is the turn of `W`"),
            ("(;AB[c3][d4];B[c4])", "sets up a board"),
            ("(;B[c3 d4])", "is not a turn"),
            ("(;B[1-0])", "is not a turn"),
            ("(;B[12.])", "is not a turn"),
            ("(;B[(])", "is not a turn"),
            ("(;GM[gekitai];C[x](;C[y])(;B[a1]))", "there is none"),
            ("(;PB[a]PB[b])", "appears twice"),
            ("(;QT[a b:c])", "has other characters"),
            ("(;5)", "expected a property"),
        ];
        for (text, expected) in refused {
            let error = Record::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        let error = Record::parse("(;GM[gekitai]\n;B[c3]\n;W[c3])").unwrap();
        let error = error.replay::<Gekitai>().unwrap_err().to_string();
        assert_eq!(error, "line 3: turn `c3`: `c3` is not legal here: c3 is occupied");
    }

    #[test]
    fn deep_and_long_games_are_read_without_recursion() {
        let deep =
            format!("(;GM[gekitai]{}{}", "(;B[c3](;W[d4]".repeat(50_000), ")".repeat(100_001));
        assert_eq!(Record::parse(&deep).unwrap().main.nodes.len(), 100_000);
        let nested =
            format!("(;GM[gekitai]{}{}", "(;B[c3])(;B[d4];W[a1]".repeat(100), ")".repeat(101));
        let error = Record::parse(&nested).unwrap_err().to_string();
        assert!(error.contains("deeper than 32"), "{error}");
        assert!(Record::parse(&"(;".repeat(100_000)).is_err());
    }
}
