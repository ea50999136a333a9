//! Positions, records and games from arguments and files.

use crate::cli::{GameOptions, PositionArgs};
use crate::shell::failure::Failure;
use crate::shell::similar;
use crate::sitting::{Sitting, seat};
use engine::puzzles::Puzzle;
use engine::{Entry, GAMES, Session};
use rules::game::{OptionInfo, shorten};
use rules::record::{Record, sgf};
use serde_json::Value;
use std::io::{BufRead, Read};
use std::path::Path;

/// The largest input that is read, far larger than any game.
const MOST_BYTES: u64 = 64 << 20;

/// Reads a line of at most `most` bytes, and returns whether there was one. Of a longer line, `most` + 1 bytes are kept
/// as a sign, and the rest is skipped.
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
    requests::game(id).map_err(|refusal| {
        let known: Vec<_> = GAMES.iter().map(|entry| entry.info.id).collect();
        match similar::nearest(id, &known) {
            Some(_) => Failure::user(similar::unknown("game", id, &known)),
            None => Failure::user(refusal.message),
        }
    })
}

/// A text without the byte order mark that some editors write.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The records of a text, one after the other: each begins with its tags, or they are a collection in SGF.
pub fn records(text: &str) -> Vec<String> {
    if sgf::is_sgf(text) {
        return sgf::games(text).into_iter().map(str::to_owned).collect();
    }
    let mut records = vec![String::new()];
    let (mut has_turns, mut in_comment) = (false, false);
    for line in without_mark(text).lines() {
        if !in_comment && line.starts_with('[') && has_turns {
            records.push(String::new());
            has_turns = false;
        }
        has_turns |= !line.trim().is_empty() && (in_comment || !line.starts_with('['));
        for c in line.chars() {
            in_comment = if in_comment { c != '}' } else { c == '{' };
        }
        if let Some(record) = records.last_mut() {
            *record += &format!("{line}\n");
        }
    }
    records
}

/// The games of a file, in order; those that cannot be read say why.
pub fn sittings(file: &Path) -> Result<Vec<Result<Sitting, String>>, Failure> {
    let text = read(file)?;
    Ok(records(&text).iter().map(|record| Sitting::from_text(record)).collect())
}

/// The puzzles of a file, if it holds nothing else.
pub fn puzzles(file: &Path) -> Result<Option<Vec<Puzzle>>, Failure> {
    let text = read(file)?;
    let is_puzzle = |puzzle: &Puzzle| puzzle.turns > 0 && !puzzle.solution.is_empty();
    let puzzles = engine::puzzles::read(without_mark(&text)).unwrap_or_default();
    Ok((!puzzles.is_empty() && puzzles.iter().all(is_puzzle)).then_some(puzzles))
}

/// The game of a pasted record, or of a pasted position with two nameless people.
pub fn pasted(text: &str, entry: Option<&'static Entry>) -> Result<Sitting, String> {
    let text = without_mark(text).trim();
    if is_record(text) {
        return Sitting::from_text(&records(text).swap_remove(0));
    }
    let options = GameOptions::default();
    let open = |entry| open(entry, text, &options).map_err(|failure| failure.message());
    let named = if text.starts_with('{') { open(None) } else { open(entry) };
    let game = named.or_else(|error| {
        // One-line text names no game, so the first game that can read it is taken.
        let mut read = GAMES.iter().filter_map(|entry| open(Some(entry)).ok());
        read.next().ok_or(error)
    })?;
    let entry = requests::game(game.info().id).map_err(|refusal| refusal.message)?;
    Ok(Sitting::new(entry, game, seat::people(), None))
}

/// The only game of a file, or the one with this number, from 1.
pub fn sitting(file: &Path, number: Option<usize>) -> Result<Sitting, Failure> {
    let text = choose(&read(file)?, &file.display().to_string(), number)?;
    let said = |error| Failure::user(format!("{}: {error}", file.display()));
    Sitting::from_text(&text).map_err(said)
}

/// One of the games in a text.
fn choose(text: &str, name: &str, number: Option<usize>) -> Result<String, Failure> {
    if !is_record(without_mark(text).trim_start()) {
        return match number {
            Some(_) => Err(Failure::user(format!("{name} holds a position, leave out --game"))),
            None => Ok(without_mark(text).to_owned()),
        };
    }
    let mut records = records(text);
    let count = records.len();
    let number = match (number, count) {
        (None, 1) => 1,
        (Some(number), _) if (1..=count).contains(&number) => number,
        (Some(number), _) => {
            let holds = if count == 1 { "1 game".into() } else { format!("{count} games") };
            return Err(Failure::user(format!("{name} holds {holds}, there is no game {number}")));
        }
        (None, _) => {
            return Err(Failure::user(format!(
                "{name} holds {count} games: choose one with --game 1 to --game {count} \
                 (`quadrille games --file {name}` lists them)"
            )));
        }
    };
    Ok(records.swap_remove(number - 1))
}

/// Refuses options that the game does not have.
pub fn check_options(entry: &Entry, options: &GameOptions) -> Result<(), Failure> {
    let known: Vec<_> = entry.info.options.iter().map(|option| option.name).collect();
    match options.0.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => {
            let known = known.join(", ");
            Err(Failure::user(format!("{} has no option `{name}`; it has {known}", entry.info.id)))
        }
        None => entry.info.options.iter().try_for_each(|option| check_value(option, options)),
    }
}

/// The value of an option as people write it.
pub fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Refuses a value that an option does not have.
fn check_value(option: &OptionInfo, options: &GameOptions) -> Result<(), Failure> {
    let Some(value) = options.0.get(option.name) else { return Ok(()) };
    let known = option.values.list();
    if known.contains(value) {
        return Ok(());
    }
    let flag = option.name.replace('_', "-");
    let got = plain(value);
    let known: Vec<&str> = known.iter().filter_map(Value::as_str).collect();
    let meant = similar::meant(&got, &known);
    let got = shorten(&got);
    Err(Failure::user(format!("--{flag} must be {}, got `{got}`{meant}", option.values)))
}

/// Refuses an unknown flag, which would be taken for a position.
fn no_flag(text: &str) -> Result<(), Failure> {
    similar::unknown_flag(text).map_or(Ok(()), |said| Err(Failure::user(said)))
}

/// A position or record in any of its forms.
pub fn open(
    entry: Option<&'static Entry>,
    text: &str,
    options: &GameOptions,
) -> Result<Box<dyn Session>, Failure> {
    let text = without_mark(text).trim();
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

/// Refuses options for input that has its own.
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
    tag || text.starts_with("1. ") || sgf::is_sgf(text)
}

/// One-line text has neither round brackets nor lists.
fn is_term(text: &str) -> bool {
    text.starts_with(['[', '%']) || text.contains(['(', '[']) || text.contains("= ")
}

/// The match that the arguments describe.
pub fn position(args: &PositionArgs) -> Result<Box<dyn Session>, Failure> {
    Ok(given(args)?.0)
}

/// Like [`position`], with the record whose last position it is, if it is one.
pub fn given(args: &PositionArgs) -> Result<(Box<dyn Session>, Option<Record>), Failure> {
    // A position that names its game may stand where the game is expected.
    let alone = args.game.as_deref().filter(|text| text.trim_start().starts_with(['{', '[']));
    let entry = match alone {
        Some(_) => None,
        None => args.game.as_deref().map(game).transpose()?,
    };
    for text in [&args.game, &args.position].into_iter().flatten() {
        no_flag(text)?;
    }
    let mut record = None;
    let mut opened = |text: &str| {
        let session = open(entry, text, &args.options)?;
        let text = without_mark(text).trim();
        record =
            Some(text).filter(|text| is_record(text)).and_then(|text| Record::parse(text).ok());
        Ok::<_, Failure>(session)
    };
    let mut session = match (alone.or(args.position.as_deref()), &args.file, &args.sample) {
        (Some(text), _, _) => opened(text)?,
        (_, Some(file), _) => {
            opened(&choose(&read(file)?, &file.display().to_string(), args.number)?)?
        }
        (_, _, Some(name)) => {
            no_options(&args.options, "a sample")?;
            sample(entry.ok_or_else(which_game)?, name)?
        }
        _ => start(entry.ok_or_else(which_game)?, &args.options)?,
    };
    for text in args.moves.iter().flat_map(|moves| moves.split_whitespace()) {
        session.play(text).map_err(Failure::user)?;
    }
    Ok((session, record.filter(|_| args.moves.is_none())))
}

/// Takes turns back until this many are left.
pub fn rewind(session: &mut dyn Session, turns: usize) -> Result<(), Failure> {
    let played = session.turns_played();
    if turns > played {
        return Err(Failure::user(format!("the game has {played} turns, not {turns}")));
    }
    session.rewind(turns);
    Ok(())
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
        return Err(Failure::user(similar::unknown("sample", name, &names)));
    };
    (entry.from_text)(text, &Default::default()).map_err(Failure::user)
}

pub fn read(file: &Path) -> Result<String, Failure> {
    let name = file.display();
    let failed = |error: std::io::Error| Failure::user(format!("cannot read {name}: {error}"));
    let mut bytes = Vec::new();
    if file.as_os_str() == "-" {
        std::io::stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    } else {
        let opened = std::fs::File::open(file).map_err(failed)?;
        opened.take(MOST_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::user(format!("{name} is not text in UTF-8")))?;
    match without_mark(&text).trim().is_empty() {
        true => Err(Failure::user(format!("{name} is empty: expected a position or a record"))),
        false => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str =
        "[Game \"gekitai\"]\n[Player1 \"Ana\"]\n\n1. c3 {[not a tag\n[nor this} d4 *\n";

    #[test]
    fn a_file_of_several_games_is_taken_apart() {
        let text = format!("\u{feff}{ONE}\n{ONE}{ONE}");
        let records = records(&text);
        assert_eq!(records.len(), 3);
        assert!(records.iter().all(|record| Sitting::from_text(record).is_ok()), "{records:?}");
    }

    #[test]
    fn one_game_of_several_is_asked_for_by_number() {
        let several = ONE.repeat(2);
        assert!(choose(ONE, "a.txt", None).is_ok() && choose(&several, "a.txt", Some(2)).is_ok());
        let cases = [
            (several.as_str(), None, "a.txt holds 2 games: choose one with --game 1 to --game 2"),
            (several.as_str(), Some(3), "a.txt holds 2 games, there is no game 3"),
            (ONE, Some(0), "a.txt holds 1 game, there is no game 0"),
            ("6/6/6/6/6/6 1", Some(1), "a.txt holds a position, leave out --game"),
        ];
        for (text, number, expected) in cases {
            let message = choose(text, "a.txt", number).err().unwrap().message();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn a_mistyped_flag_is_not_a_position() {
        let message = no_flag("--dpeth=3").err().unwrap().message();
        assert_eq!(message, "there is no flag `--dpeth`");
        assert!(no_flag("-6,1/5 1").is_ok() && no_flag("6/6 1").is_ok() && no_flag("--1").is_ok());
    }
}
