//! From what the user typed, or the file they named, to a match.

use crate::cli::{GameOptions, PositionArgs};
use crate::failure::Failure;
use engine::{Entry, Session};
use rules::record::Record;
use serde_json::Value;
use std::io::{BufRead, Read};
use std::path::Path;

/// The largest input that is read, far larger than any game.
const MOST_BYTES: u64 = 64 << 20;

/// Reads a line of at most this many bytes; one more byte tells that it was longer, and the rest of it is
/// skipped without being kept. Says whether there was a line.
pub fn next_line(
    input: &mut impl BufRead,
    line: &mut Vec<u8>,
    most: usize,
) -> std::io::Result<bool> {
    line.clear();
    if input.by_ref().take(most as u64 + 1).read_until(b'\n', line)? == 0 {
        return Ok(false);
    }
    if line.len() > most && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
    }
    Ok(true)
}

pub fn install(table: Option<&Path>) -> Result<(), Failure> {
    table.map_or(Ok(()), |file| engine::solve::install(file).map_err(Failure::user))
}

pub fn game(id: &str) -> Result<&'static Entry, Failure> {
    requests::game(id).map_err(|refusal| Failure::user(refusal.message))
}

/// Refuses options that the game does not have.
pub fn check_options(entry: &Entry, options: &GameOptions) -> Result<(), Failure> {
    let known: Vec<_> = entry.info.options.iter().map(|option| option.name).collect();
    match options.0.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => {
            let known = known.join(", ");
            Err(Failure::user(format!("{} has no option `{name}`; it has {known}", entry.info.id)))
        }
        None => Ok(()),
    }
}

/// A position or record in any of its forms.
pub fn open(
    entry: Option<&'static Entry>,
    text: &str,
    options: &GameOptions,
) -> Result<Box<dyn Session>, Failure> {
    let text = text.trim();
    if is_record(text) {
        let record = Record::parse(text).map_err(Failure::user)?;
        let named = game(record.game().map_err(Failure::user)?)?;
        same_game(entry, named)?;
        no_options(options, "a record")?;
        return (named.from_record)(&record).map_err(Failure::user);
    }
    if text.starts_with('{') {
        let value: Value = serde_json::from_str(text)
            .map_err(|error| Failure::user(format!("not JSON: {error}")))?;
        let named = value.get("game").and_then(Value::as_str).map(game).transpose()?;
        if let Some(named) = named {
            same_game(entry, named)?;
        }
        let entry = named.or(entry).ok_or_else(which_game)?;
        check_options(entry, options)?;
        return (entry.from_json)(&value, &options.0).map_err(Failure::user);
    }
    let entry = entry.ok_or_else(which_game)?;
    check_options(entry, options)?;
    let read = if is_term(text) { entry.from_term } else { entry.from_text };
    read(text, &options.0).map_err(Failure::user)
}

fn which_game() -> Failure {
    Failure::user("which game? name it before the position (`quadrille games` lists them)")
}

/// Refuses options where the input has its own.
fn no_options(options: &GameOptions, what: &str) -> Result<(), Failure> {
    match options.0.keys().next() {
        Some(name) => {
            let flag = name.replace('_', "-");
            Err(Failure::user(format!("{what} has its own options, leave out --{flag}")))
        }
        None => Ok(()),
    }
}

fn same_game(asked: Option<&Entry>, named: &Entry) -> Result<(), Failure> {
    match asked {
        Some(asked) if asked.info.id != named.info.id => {
            let (asked, named) = (asked.info.id, named.info.id);
            Err(Failure::user(format!("this is {named}, but {asked} was asked for")))
        }
        _ => Ok(()),
    }
}

/// A record begins with a tag, or with its first turn.
fn is_record(text: &str) -> bool {
    let tag = text.strip_prefix('[').is_some_and(|rest| {
        let name = rest.trim_start().trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        name.starts_with(char::is_whitespace) && name.trim_start().starts_with('"')
    });
    tag || text.starts_with("1. ")
}

/// One-line text has neither round brackets nor lists.
fn is_term(text: &str) -> bool {
    text.starts_with(['[', '%']) || text.contains(['(', '[']) || text.contains("= ")
}

/// The match that the arguments describe.
pub fn position(args: &PositionArgs) -> Result<Box<dyn Session>, Failure> {
    // A position that names its game may stand where the game is expected.
    let alone = args.game.as_deref().filter(|text| text.trim_start().starts_with(['{', '[']));
    let entry = match alone {
        Some(_) => None,
        None => args.game.as_deref().map(game).transpose()?,
    };
    let mut session = match (alone.or(args.position.as_deref()), &args.file, &args.sample) {
        (Some(text), _, _) => open(entry, text, &args.options)?,
        (_, Some(file), _) => open(entry, &read(file)?, &args.options)?,
        (_, _, Some(name)) => {
            no_options(&args.options, "a sample")?;
            sample(entry.ok_or_else(which_game)?, name)?
        }
        _ => start(entry.ok_or_else(which_game)?, &args.options)?,
    };
    for text in args.moves.iter().flat_map(|moves| moves.split_whitespace()) {
        session.play(text).map_err(Failure::user)?;
    }
    Ok(session)
}

pub fn start(entry: &Entry, options: &GameOptions) -> Result<Box<dyn Session>, Failure> {
    check_options(entry, options)?;
    (entry.start)(&options.0).map_err(Failure::user)
}

/// One of the positions of the rules page.
pub fn sample(entry: &Entry, name: &str) -> Result<Box<dyn Session>, Failure> {
    let samples = entry.info.samples;
    let Some((_, text)) = samples.iter().find(|(own, _)| *own == name) else {
        let names: Vec<_> = samples.iter().map(|(name, _)| *name).collect();
        let name = rules::game::shorten(name);
        return Err(Failure::user(format!("no sample `{name}`; there are {}", names.join(", "))));
    };
    (entry.from_text)(text, &Default::default()).map_err(Failure::user)
}

fn read(file: &Path) -> Result<String, Failure> {
    let name = file.display();
    let failed = |error: std::io::Error| Failure::user(format!("cannot read {name}: {error}"));
    let mut bytes = Vec::new();
    if file.as_os_str() == "-" {
        std::io::stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    } else {
        let opened = std::fs::File::open(file).map_err(failed)?;
        opened.take(MOST_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    }
    String::from_utf8(bytes).map_err(|_| Failure::user(format!("{name} is not text in UTF-8")))
}
