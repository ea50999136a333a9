//! Reading the text of a record, without knowing the game.

use super::{MAX_DEPTH, Node, RecordError, Variation};
use crate::game::shorten;
use crate::verdict::Verdict;
use std::collections::HashSet;

pub enum Token {
    Tag(String, String),
    Comment(String),
    Open,
    Close,
    Word(String),
}

pub struct Reader<'a> {
    pub chars: std::iter::Peekable<std::str::Chars<'a>>,
    /// The current line, from 1.
    pub at: usize,
    pub result: Option<Verdict>,
    pending: Option<Token>,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Self {
        Reader { chars: text.chars().peekable(), at: 1, result: None, pending: None }
    }

    pub fn error(&self, message: impl Into<String>) -> RecordError {
        RecordError { line: self.at, message: message.into() }
    }

    pub fn bump(&mut self) -> Option<char> {
        let c = self.chars.next();
        self.at += usize::from(c == Some('\n'));
        c
    }

    pub fn skip_blanks(&mut self) {
        while self.chars.peek().is_some_and(|c| c.is_whitespace()) {
            self.bump();
        }
    }

    pub fn next(&mut self) -> Result<Option<Token>, RecordError> {
        if let Some(token) = self.pending.take() {
            return Ok(Some(token));
        }
        self.skip_blanks();
        let Some(&c) = self.chars.peek() else { return Ok(None) };
        Ok(Some(match c {
            '[' => self.tag()?,
            '{' => {
                self.bump();
                Token::Comment(self.until('}')?)
            }
            '(' | ')' => {
                self.bump();
                if c == '(' { Token::Open } else { Token::Close }
            }
            _ => Token::Word(self.word(|c| c.is_whitespace() || "(){}[]".contains(c))),
        }))
    }

    fn word(&mut self, ends: impl Fn(char) -> bool) -> String {
        let mut word = String::new();
        while let Some(&c) = self.chars.peek() {
            // A lone bracket where a word was expected is a word of its own.
            if ends(c) && !word.is_empty() {
                break;
            }
            word.push(c);
            self.bump();
            if ends(c) {
                break;
            }
        }
        word
    }

    /// Text up to a closing character; a backslash takes the next one literally, `\n` is a new line.
    pub fn until(&mut self, close: char) -> Result<String, RecordError> {
        let from = self.at;
        let mut text = String::new();
        loop {
            match self.bump() {
                Some(c) if c == close => return Ok(text),
                Some('\\') => match self.bump() {
                    Some('n') => text.push('\n'),
                    Some(c) => text.push(c),
                    None => {}
                },
                Some(c) => text.push(c),
                None => {
                    let message = format!("the text begun here lacks a closing `{close}`");
                    return Err(RecordError { line: from, message });
                }
            }
        }
    }

    fn tag(&mut self) -> Result<Token, RecordError> {
        let wrong = |reader: &Self| reader.error("a tag looks like [Name \"value\"]");
        self.bump();
        self.skip_blanks();
        let name = self.word(|c| !c.is_ascii_alphanumeric());
        self.skip_blanks();
        if !name.chars().all(|c| c.is_ascii_alphanumeric()) || self.bump() != Some('"') {
            return Err(wrong(self));
        }
        let value = self.until('"')?;
        self.skip_blanks();
        if name.is_empty() || self.bump() != Some(']') {
            return Err(wrong(self));
        }
        Ok(Token::Tag(name, value))
    }

    pub fn tags(&mut self) -> Result<Vec<(String, String)>, RecordError> {
        let mut tags = Vec::new();
        let mut names = HashSet::new();
        loop {
            match self.next()? {
                Some(Token::Tag(name, value)) => {
                    if !names.insert(name.clone()) {
                        let name = shorten(&name);
                        return Err(self.error(format!("the tag `{name}` appears twice")));
                    }
                    tags.push((name, value));
                }
                other => {
                    self.pending = other;
                    return Ok(tags);
                }
            }
        }
    }

    /// The game up to its result, or a variation up to its bracket.
    pub fn line(&mut self, depth: usize) -> Result<Variation, RecordError> {
        if depth > MAX_DEPTH {
            return Err(self.error(format!("variations nest deeper than {MAX_DEPTH} levels")));
        }
        let mut line = Variation::default();
        loop {
            match self.next()? {
                None if depth == 0 => return Ok(line),
                None => return Err(self.error("a variation lacks its closing `)`")),
                Some(Token::Tag(name, _)) => {
                    let name = shorten(&name);
                    return Err(self.error(format!("the tag `{name}` comes after the first turn")));
                }
                Some(Token::Comment(text)) => {
                    let comment = match line.nodes.last_mut() {
                        Some(node) => &mut node.comment,
                        None => &mut line.comment,
                    };
                    if !comment.is_empty() {
                        comment.push(' ');
                    }
                    comment.push_str(&text);
                }
                Some(Token::Open) => {
                    let variation = self.line(depth + 1)?;
                    let Some(node) = line.nodes.last_mut() else {
                        return Err(self.error("a variation comes before the turn it replaces"));
                    };
                    node.variations.push(variation);
                }
                Some(Token::Close) if depth > 0 => return Ok(line),
                Some(Token::Close) => return Err(self.error("there is one `)` too many")),
                Some(Token::Word(word)) => {
                    let word = without_number(&word);
                    if let Some(verdict) = word.parse().ok().filter(|_| depth == 0) {
                        self.result = Some(verdict);
                        return Ok(line);
                    }
                    self.turn_or_sign(&mut line, word)?;
                }
            }
        }
    }

    /// A turn, or an annotation of the last one: a sign such as `!?`, or a numeric annotation glyph (NAG).
    fn turn_or_sign(&self, line: &mut Variation, word: &str) -> Result<(), RecordError> {
        let turn = word.trim_end_matches(SIGNS);
        let (own, number) = (&word[turn.len()..], word.strip_prefix('$'));
        if number.is_none() && !turn.is_empty() {
            let (turn, glyph) = (turn.to_owned(), own.to_owned());
            line.nodes.push(Node { turn, glyph, line: self.at, ..Node::default() });
            return Ok(());
        }
        match line.nodes.last_mut() {
            Some(node) if node.glyph.is_empty() => {
                number.map_or(own, |number| glyph(number)).clone_into(&mut node.glyph);
            }
            None if number.is_none() && !own.is_empty() => {
                let own = shorten(own);
                return Err(
                    self.error(format!("`{own}` annotates a turn, but no turn precedes it"))
                );
            }
            _ => {}
        }
        Ok(())
    }
}

/// The characters of annotation signs.
pub const SIGNS: [char; 2] = ['!', '?'];

/// The sign of a numeric annotation glyph, if it has one.
fn glyph(number: &str) -> &'static str {
    match number {
        "1" => "!",
        "2" => "?",
        "3" => "!!",
        "4" => "??",
        "5" => "!?",
        "6" => "?!",
        _ => "",
    }
}

/// What follows a number such as `12.` or `12...`, or several of them in a row.
pub fn without_number(mut word: &str) -> &str {
    loop {
        let dots = word.trim_start_matches(|c: char| c.is_ascii_digit());
        if !dots.starts_with('.') {
            return word;
        }
        word = dots.trim_start_matches('.');
    }
}
