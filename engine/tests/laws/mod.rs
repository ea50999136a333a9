//! What every reader of untrusted input must do, whatever it is given: refuse it in one line, or read it such that it
//! can be written, read back, drawn and played on.
//!
//! The property tests and the fuzz targets share these laws.

use engine::solve::certificate::Certificate;
use engine::{Entry, GAMES, Session, find};
use rules::notation::{Notation, from_json, option_value};
use rules::prolog::Term;
use rules::record::{Record, Verdict};
use rules::{Game, Symmetric, svg, text};
use serde_json::{Map, Value};
use std::fmt::Display;

type Options = Map<String, Value>;

/// Any text as a position in one line.
pub fn position_text(text: &str) {
    for entry in GAMES {
        read(entry, (entry.from_text)(text, &Options::new()));
    }
}

/// Any text as a position in JSON.
pub fn position_json(text: &str) {
    let Ok(value) = serde_json::from_str(text) else { return };
    for entry in GAMES {
        read(entry, (entry.from_json)(&value, &Options::new()));
    }
}

/// Any text as a position in Prolog.
pub fn prolog(text: &str) {
    match Term::parse(text) {
        Ok(term) => assert_eq!(Term::parse(&term.to_string()), Ok(term)),
        Err(error) => refused(&error),
    }
    for entry in GAMES {
        read(entry, (entry.from_term)(text, &Options::new()));
    }
}

/// Any text as a record.
pub fn record(text: &str) {
    let record = match Record::parse(text) {
        Ok(record) => record,
        Err(error) => return refused(&error),
    };
    let written = record.to_string();
    let again = Record::parse(&written).unwrap_or_else(|error| panic!("{written}: {error}"));
    assert_eq!(again, record);
    assert_eq!(again.to_string(), written);
    let sgf = record.to_sgf();
    let again = Record::parse(&sgf).unwrap_or_else(|error| panic!("{sgf}: {error}"));
    assert_eq!(alike(&again), alike(&record), "{sgf}");
    assert_eq!(again.to_sgf(), sgf);
    for entry in GAMES {
        read(entry, (entry.from_record)(&record));
    }
}

/// A record after a round trip through SGF: tags that SGF does not know come last, and a result is always a tag.
fn alike(record: &Record) -> Record {
    let mut record = record.clone();
    if record.result != Verdict::Open {
        record.set_result(record.result);
    }
    record.tags.sort();
    record
}

/// Any text as a certificate of any game.
pub fn certificate(text: &str) {
    macro_rules! each {
        ($($name:ident: $game:ty,)*) => { $(certificate_of::<$game>(text);)* };
    }
    rules::every_game!(each);
}

fn certificate_of<G: Symmetric + Notation>(text: &str) {
    match Certificate::<G>::read(text) {
        Ok(certificate) => {
            let written = certificate.write();
            let again =
                Certificate::<G>::read(&written).unwrap_or_else(|e| panic!("{written}: {e}"));
            assert_eq!(again.write(), written);
        }
        Err(fault) => refused(&fault),
    }
}

/// Any words as a game, its options, moves and turns; a number stands for one of the legal moves.
pub fn moves(text: &str) {
    let mut words = text.split_whitespace().peekable();
    let Some(entry) = words.next().and_then(find) else { return };
    let mut options = Options::new();
    while let Some((name, value)) = words.peek().and_then(|word| word.split_once('=')) {
        options.insert(name.to_owned(), option_value(value));
        words.next();
    }
    let mut session = match (entry.start)(&options) {
        Ok(session) => session,
        Err(error) => return refused(&error),
    };
    for word in words.take(100) {
        match word.parse() {
            Ok(number) => pick(session.as_mut(), number),
            Err(_) => try_word(session.as_mut(), word),
        }
    }
    holds(entry, session.as_ref());
    draws(session.as_ref());
}

fn try_word(session: &mut dyn Session, word: &str) {
    let before = session.text();
    if let Err(error) = session.play(word) {
        refused(&error);
        assert_eq!(session.text(), before, "a refused turn changes nothing");
    }
}

fn pick(session: &mut dyn Session, number: usize) {
    let steps = session.steps();
    assert_eq!(steps.is_empty(), session.outcome().is_some(), "{}", session.text());
    if let Some(step) = steps.get(number % steps.len().max(1)) {
        session.play(&step.text).unwrap_or_else(|error| panic!("{}: {error}", session.text()));
    }
}

fn read<E: Display>(entry: &Entry, opened: Result<Box<dyn Session>, E>) {
    let mut session = match opened {
        Ok(session) => session,
        Err(error) => return refused(&error),
    };
    holds(entry, session.as_ref());
    // Two moves that differ from position to position, but not from run to run.
    let number = session.text().bytes().map(usize::from).sum();
    pick(session.as_mut(), number);
    pick(session.as_mut(), number / 7);
    holds(entry, session.as_ref());
    draws(session.as_ref());
}

/// A refusal is one short line, however long or strange the input was.
fn refused(error: &dyn Display) {
    let error = error.to_string();
    assert!(!error.chars().any(char::is_control), "{error:?}");
    assert!(error.chars().count() <= 400, "{error}");
}

fn holds(entry: &Entry, session: &dyn Session) {
    reads_back(entry, session);
    macro_rules! each {
        ($($name:ident: $game:ty,)*) => { match entry.info.id {
            $(id if id == <$game>::INFO.id => replays::<$game>(session),)*
            other => panic!("no law knows {other}"),
        } };
    }
    rules::every_game!(each);
}

/// All forms of a position agree.
fn reads_back(entry: &Entry, session: &dyn Session) {
    let (text, json, term) = (session.text(), session.position(), session.term());
    let own = session.options();
    let same = |form: &dyn Display, read: Result<Box<dyn Session>, rules::SetupError>| {
        let read = read.unwrap_or_else(|error| panic!("{text} as {form}: {error}"));
        assert_eq!(read.text(), text, "as {form}");
        assert_eq!(read.term(), term, "as {form}");
        assert_eq!(read.outcome(), session.outcome(), "{text} as {form}");
        read
    };
    for options in [&own, &Options::new()] {
        same(&text, (entry.from_text)(&text, options));
        assert_eq!(same(&json, (entry.from_json)(&json, options)).position(), json);
    }
    if let Some(term) = &term {
        same(term, (entry.from_term)(term, &own));
    }
}

/// The record of a match leads to the same position, and so does its JSON, with the same key.
fn replays<G: Notation>(session: &dyn Session) {
    let record = session.record(&[]);
    assert_eq!(Record::parse(&record.to_string()).as_ref(), Ok(&record));
    let played = record.replay::<G>().unwrap_or_else(|error| panic!("{record}: {error}")).end;
    let read = from_json::<G>(&session.position(), &Options::new()).unwrap();
    assert_eq!((played.key(), &played), (read.key(), &read));
    assert_eq!(played.text(), session.text());
}

fn draws(session: &dyn Session) {
    let diagram = session.diagram();
    // A different style each time: all of them for each position would take too long.
    let number = session.text().len();
    let (flipped, scale) = (number % 2 == 1, text::Scale::ALL[number % 3]);
    let charset = if flipped { text::Charset::Ascii } else { text::Charset::Unicode };
    let drawn = text::text(&diagram, &text::Style { charset, flipped, scale }, flipped);
    assert!(drawn.contains(&diagram.status));
    let style = svg::Style { flipped, caption: number % 4 > 1, ..svg::Style::default() };
    assert!(svg::svg(&diagram, &style).ends_with("</svg>\n"));
}
