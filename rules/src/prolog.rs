//! Prolog terms: just enough of the syntax to read and write positions.
//!
//! Atoms, integers, lists and compound terms; `%` comments, blanks, a comma before `]`, a full stop at the
//! end and a leading `Name =` are ignored.

use crate::game::{SetupError, shorten};
use std::fmt;

/// A term without variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// A constant such as `empty`.
    Atom(String),
    /// A whole number such as `-6`.
    Int(i64),
    /// A list such as `[x,o]`.
    List(Vec<Term>),
    /// A functor with arguments, such as `gamestate(Board,1)`.
    Compound(String, Vec<Term>),
}

/// What stands on a cell, as an atom and as a letter.
pub type Atoms = [(&'static str, char); 3];

/// How deep terms may nest; positions need five levels.
const MAX_DEPTH: usize = 16;

impl Term {
    /// The constant with this name.
    pub fn atom(name: &str) -> Term {
        Term::Atom(name.to_owned())
    }

    /// Parses a text that consists of exactly one term.
    pub fn parse(text: &str) -> Result<Term, SetupError> {
        let mut reader = Reader { text, at: 0 };
        let mut term = reader.term(0)?;
        if reader.take('=') {
            term = reader.term(0)?;
        }
        reader.take('.');
        reader.skip();
        match reader.peek() {
            None => Ok(term),
            Some(_) => Err(reader.error("the end of the term")),
        }
    }

    /// The elements, if this is a list.
    pub fn list(&self) -> Option<&[Term]> {
        match self {
            Term::List(items) => Some(items),
            _ => None,
        }
    }

    /// The name, if this is a constant.
    pub fn name(&self) -> Option<&str> {
        match self {
            Term::Atom(name) => Some(name),
            _ => None,
        }
    }

    /// The elements of each row of a board.
    pub fn rows(&self, field: &str) -> Result<Vec<&[Term]>, SetupError> {
        let wrong = || SetupError::new(field, "expected a list of rows, each a list of cells");
        self.list().ok_or_else(wrong)?.iter().map(|row| row.list().ok_or_else(wrong)).collect()
    }

    /// Reads a board of letters, each of them an atom.
    pub fn read_letters(&self, field: &str, atoms: &Atoms) -> Result<Vec<String>, SetupError> {
        let letter = |cell: &Term| match atoms.iter().find(|(name, _)| cell.name() == Some(name)) {
            Some((_, letter)) => Ok(*letter),
            None => {
                let [(a, _), (b, _), (c, _)] = atoms;
                let cell = shorten(&cell.to_string());
                let message = format!("unknown cell `{cell}`, expected {a}, {b} or {c}");
                Err(SetupError::new(field, message))
            }
        };
        self.rows(field)?.into_iter().map(|row| row.iter().map(letter).collect()).collect()
    }

    /// The inverse of [`Term::read_letters`].
    pub fn letters(board: &[String], atoms: &Atoms) -> Term {
        let named = |c| atoms.iter().find(|(_, letter)| *letter == c);
        let cell = |c| named(c).map_or(Term::Atom(String::from(c)), |(name, _)| Term::atom(name));
        Term::List(board.iter().map(|row| Term::List(row.chars().map(cell).collect())).collect())
    }

    /// The argument of a wrapper such as `initialBoard(Board)`: the last one of any compound term.
    pub fn unwrapped(&self) -> &Term {
        match self {
            Term::Compound(_, arguments) => arguments.last().unwrap_or(self),
            _ => self,
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |f: &mut fmt::Formatter<'_>, items: &[Term]| {
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    f.write_str(",")?;
                }
                write!(f, "{item}")?;
            }
            Ok(())
        };
        match self {
            Term::Atom(name) => f.write_str(name),
            Term::Int(n) => write!(f, "{n}"),
            Term::List(items) => {
                f.write_str("[")?;
                join(f, items)?;
                f.write_str("]")
            }
            Term::Compound(name, arguments) => {
                write!(f, "{name}(")?;
                join(f, arguments)?;
                f.write_str(")")
            }
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip(&mut self) {
        while let Some(c) = self.peek() {
            if c == '%' {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if c.is_whitespace() {
                self.at += c.len_utf8();
            } else {
                break;
            }
        }
    }

    fn take(&mut self, wanted: char) -> bool {
        self.skip();
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn word(&mut self, accept: impl Fn(char) -> bool) -> String {
        let rest = self.rest();
        let end = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default().to_owned();
        self.at += end;
        word
    }

    fn error(&self, expected: &str) -> SetupError {
        let rest = self.rest();
        let found = if rest.is_empty() { "the end".into() } else { format!("`{}`", shorten(rest)) };
        SetupError::new("position", format!("found {found} in a Prolog term, expected {expected}"))
    }

    fn term(&mut self, depth: usize) -> Result<Term, SetupError> {
        self.skip();
        if depth > MAX_DEPTH {
            return Err(self.error("fewer levels of brackets"));
        }
        match self.peek() {
            Some('[') => {
                self.take('[');
                Ok(Term::List(self.items(']', depth)?))
            }
            Some(c) if c == '-' || c.is_ascii_digit() => self.integer(),
            Some(c) if c.is_ascii_alphabetic() => {
                let name = self.word(|c| c.is_ascii_alphanumeric() || c == '_');
                if self.peek() != Some('(') {
                    return Ok(Term::Atom(name));
                }
                self.take('(');
                Ok(Term::Compound(name, self.items(')', depth)?))
            }
            _ => Err(self.error("a list, a number or a name")),
        }
    }

    fn integer(&mut self) -> Result<Term, SetupError> {
        let start = self.at;
        let sign = if self.take('-') { -1 } else { 1 };
        let digits = self.word(|c| c.is_ascii_digit());
        match digits.parse::<i32>() {
            Ok(n) => Ok(Term::Int(sign * i64::from(n))),
            Err(_) => {
                self.at = start;
                Err(self.error("a whole number"))
            }
        }
    }

    fn items(&mut self, close: char, depth: usize) -> Result<Vec<Term>, SetupError> {
        let mut items = Vec::new();
        while !self.take(close) {
            items.push(self.term(depth + 1)?);
            if !self.take(',') {
                if self.take(close) {
                    break;
                }
                return Err(self.error(&format!("`,` or `{close}`")));
            }
        }
        Ok(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_read_back_as_they_are_written() {
        for text in ["a", "-6", "[]", "[[empty,[x,o]],[nan,0]]", "gamestate([[1,nan]],2)"] {
            assert_eq!(Term::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn comments_blanks_trailing_commas_and_names_are_passed_over() {
        let term = Term::parse("Board = [ % rows\n [a , b],\n ].\n").unwrap();
        assert_eq!(term.to_string(), "[[a,b]]");
    }

    #[test]
    fn errors_show_what_was_found() {
        let error = Term::parse("[a b]").unwrap_err().to_string();
        assert_eq!(error, "`position`: found `b]` in a Prolog term, expected `,` or `]`");
        for text in ["", "[", "f(", "-", "[a]]", "99999999999999999999", &"[".repeat(10_000)] {
            assert!(Term::parse(text).is_err(), "{text}");
        }
    }
}
