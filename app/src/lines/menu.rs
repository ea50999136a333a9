//! Choosing a game in lines.

use super::Lines;
use crate::cli::GameOptions;
use crate::failure::{Failure, print};
use crate::saves::{self, Shelf, Slot};
use crate::table::clock::{Clock, Terms};
use crate::table::{Sitter, Table};
use crate::{input, pages};
use engine::puzzles::{Puzzle, shipped};
use engine::{Entry, GAMES, Session, Who};
use serde_json::Value;
use std::path::Path;

/// The level that resists in a puzzle.
const RESISTANCE: u8 = 7;

type Opened = Option<(Table, Option<Slot>)>;

impl Lines {
    /// Asks for a game and its players; nothing if the input ends or the user quits.
    pub(super) fn menu(&mut self) -> Result<Opened, Failure> {
        self.task = None;
        for (i, entry) in GAMES.iter().enumerate() {
            self.say(&format!("  {}  {:<11} {}", i + 1, entry.info.id, entry.info.tagline))?;
        }
        let (latest, trouble) = self.saves.latest();
        if let Some(trouble) = trouble {
            self.say(&trouble)?;
        }
        let goes_on = if latest.is_some() { "continue, " } else { "" };
        loop {
            let prompt = format!(
                "which game? (a name or number, {goes_on}rules GAME, puzzle GAME, history, load FILE, quit)"
            );
            let Some(answer) = self.ask_among(&prompt, &words)? else { return Ok(None) };
            let answer = without_stop(&answer);
            let (word, rest) = answer.split_once(' ').unwrap_or((answer, ""));
            match word {
                "" => {}
                "quit" | "q" | "exit" => return Ok(None),
                "continue" => {
                    match self.saves.latest().0.map(|kept| self.saves.claim(&kept.0.path)) {
                        Some(Ok((slot, table))) => return Ok(Some((table, Some(slot)))),
                        Some(Err(trouble)) => self.say(&trouble)?,
                        None => self.say("there is no unfinished game")?,
                    }
                }
                "load" => {
                    let (file, number) = match rest.trim().rsplit_once(' ') {
                        Some((file, number)) if number.parse::<usize>().is_ok() => {
                            (file.trim(), number.parse().ok())
                        }
                        _ => (rest.trim(), None),
                    };
                    let own = input::puzzles(Path::new(file)).ok().flatten().unwrap_or_default();
                    if !own.is_empty() {
                        if let Some(table) = self.own_puzzle(&own, number)? {
                            return Ok(Some((table, None)));
                        }
                        continue;
                    }
                    match input::table(Path::new(file), number) {
                        Ok(table) => return Ok(Some((table, None))),
                        Err(failure) => self.say(&failure.message())?,
                    }
                }
                "puzzle" => {
                    if let Some(table) = self.puzzle(rest.trim())? {
                        return Ok(Some((table, None)));
                    }
                }
                "history" | "games" => self.history()?,
                "open" => {
                    if let Some(opened) = self.opened(rest.trim())? {
                        return Ok(Some(opened));
                    }
                }
                "rules" if rest.trim().is_empty() => {
                    self.say("of which game? say `rules` and its name or number")?;
                }
                "rules" => match entry(rest) {
                    Ok(entry) => {
                        print(pages::page(entry, self.style.charset, self.color).as_bytes())?;
                    }
                    Err(trouble) => self.say(&trouble)?,
                },
                _ => match entry(word) {
                    Ok(entry) => match self.table(entry)? {
                        Some(table) => return Ok(Some((table, None))),
                        None => return Ok(None),
                    },
                    Err(trouble) => self.say(&trouble)?,
                },
            }
        }
    }

    /// A puzzle of a game: that of a number, or the first that is not solved.
    fn puzzle(&mut self, words: &str) -> Result<Option<Table>, Failure> {
        let (name, number) = words.split_once(' ').unwrap_or((words, ""));
        let entry = match entry(name) {
            Ok(entry) => entry,
            Err(trouble) => return self.say(&trouble).map(|()| None),
        };
        let puzzles = shipped(entry.info.id);
        let choices = self.saves.choices().unwrap_or_default();
        let open = puzzles.iter().position(|puzzle| !choices.has_solved(puzzle)).unwrap_or(0);
        let at = match number.trim() {
            "" => Some(open),
            number => number.parse::<usize>().ok().and_then(|number| number.checked_sub(1)),
        };
        let Some((at, puzzle)) = at.and_then(|at| Some((at, puzzles.get(at)?))) else {
            let count = puzzles.len();
            self.say(&format!("which one? 1 to {count}, as in `puzzle {name} 1`"))?;
            return Ok(None);
        };
        self.attempt(entry, at, puzzle)
    }

    /// A puzzle of a file: that of a number, or the first.
    fn own_puzzle(
        &mut self,
        own: &[Puzzle],
        number: Option<usize>,
    ) -> Result<Option<Table>, Failure> {
        let at = number.unwrap_or(1).wrapping_sub(1);
        let Some(puzzle) = own.get(at) else {
            let count = own.len();
            self.say(&format!("which one? 1 to {count}, as in `load FILE 1`"))?;
            return Ok(None);
        };
        match entry(&puzzle.game) {
            Ok(entry) => self.attempt(entry, at, puzzle),
            Err(trouble) => self.say(&trouble).map(|()| None),
        }
    }

    /// Begins an attempt at a puzzle.
    fn attempt(
        &mut self,
        entry: &'static Entry,
        at: usize,
        puzzle: &Puzzle,
    ) -> Result<Option<Table>, Failure> {
        let Ok(game) = (entry.from_text)(&puzzle.position, &Default::default()) else {
            return self.say("this puzzle cannot be read").map(|()| None);
        };
        let mover = entry.info.players[game.turn().index()];
        self.say(&format!("puzzle {}: {mover} wins in {} turns", at + 1, puzzle.turns))?;
        let resists = Sitter::computer(Who::Level { level: RESISTANCE });
        let mut sitters = [resists.clone(), resists];
        sitters[game.turn().index()] = Sitter::person("");
        self.task = Some(puzzle.clone());
        Ok(Some(Table::new(entry, game, sitters, None)))
    }

    /// Lists all games, the latest first.
    fn history(&self) -> Result<(), Failure> {
        let kept = self.kept();
        if kept.is_empty() {
            return self.say("no game has been played yet");
        }
        for (number, kept) in (1..).zip(&kept) {
            let words = match saves::read(&kept.path) {
                Err(_) => format!("{}: damaged", kept.name()),
                Ok(table) => {
                    let [one, two] = rules::Player::BOTH.map(|player| table.full_name(player));
                    let status = table.diagram(&*table.game).status;
                    format!("{}: {one} against {two}, {status}", table.entry.info.name)
                }
            };
            self.say(&format!("  {number}  {words}"))?;
        }
        self.say("`open 1` opens the first of them")
    }

    fn kept(&self) -> Vec<saves::Kept> {
        let shelves = [Shelf::Unfinished, Shelf::Saved, Shelf::Finished].into_iter();
        shelves.flat_map(|shelf| self.saves.list(shelf)).collect()
    }

    /// A game of the list.
    fn opened(&self, number: &str) -> Result<Opened, Failure> {
        let kept = self.kept();
        let number = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let Some(kept) = number.and_then(|number| kept.get(number)) else {
            self.say("which one? `history` lists the games with their numbers, as in `open 1`")?;
            return Ok(None);
        };
        let opened = match kept.shelf {
            Shelf::Unfinished => {
                self.saves.claim(&kept.path).map(|(slot, table)| (table, Some(slot)))
            }
            Shelf::Saved | Shelf::Finished => saves::read(&kept.path).map(|table| (table, None)),
        };
        match opened {
            Ok(opened) => Ok(Some(opened)),
            Err(trouble) => self.say(&trouble).map(|()| None),
        }
    }

    fn table(&mut self, entry: &'static Entry) -> Result<Option<Table>, Failure> {
        let Some(game) = self.options(entry)? else { return Ok(None) };
        self.say("players: human, human:NAME, or a computer's:")?;
        for who in Who::computers(game.as_ref()) {
            let (code, about) = (who.to_string(), who.about(game.as_ref()));
            self.say(&format!("  {code:<12} {}: {about}", who.title(game.as_ref())))?;
        }
        let mut sitters = Vec::new();
        let codes = Who::computers(game.as_ref()).into_iter().map(|who| who.to_string());
        let codes: Vec<String> = ["human".to_owned()].into_iter().chain(codes).collect();
        let known = || codes.clone();
        for (colour, usual) in entry.info.players.iter().zip(["human", "level:3"]) {
            let words = format!("who plays {colour}? (Enter is {usual})");
            let read = |text: &str| Sitter::parse(text, game.as_ref());
            let sitter = self.asked(&words, usual, &known, read)?;
            let Some(sitter) = sitter else { return Ok(None) };
            sitters.push(sitter);
        }
        let read = |text: &str| match text {
            "none" => Ok(None),
            text => Terms::parse(text).map(Some),
        };
        let words = "clock? (minutes and seconds for a turn, as in 5+3; Enter is none)";
        let Some(terms) = self.asked(words, "none", &Vec::new, read)? else { return Ok(None) };
        let Ok(sitters) = <[Sitter; 2]>::try_from(sitters) else { return Ok(None) };
        Ok(Some(Table::new(entry, game, sitters, terms.map(Clock::new))))
    }

    /// Asks for the options until they make sense.
    fn options(&mut self, entry: &'static Entry) -> Result<Option<Box<dyn Session>>, Failure> {
        for option in entry.info.options {
            let (name, about, values) = (option.name, option.about, &option.values);
            self.say(&format!("  {name}={}: {about}, {values}", option.default))?;
        }
        let read = |text: &str| {
            let mut options = GameOptions::default();
            for pair in text.split([',', ' ']).filter(|pair| !pair.is_empty()) {
                let (name, value) =
                    pair.split_once('=').ok_or_else(|| format!("`{pair}` is not name=value"))?;
                options.0.insert(name.to_owned(), rules::notation::option_value(value));
            }
            // Here no flags are typed.
            let said = |failure: Failure| failure.message().trim_start_matches("--").to_owned();
            input::start(entry, &options).map_err(said)
        };
        let known = || {
            let options = entry.info.options.iter();
            options
                .flat_map(|option| {
                    let say = |value: Value| match value {
                        Value::String(text) => format!("{}={text}", option.name),
                        other => format!("{}={other}", option.name),
                    };
                    option.values.list().into_iter().map(say)
                })
                .collect()
        };
        self.asked("options? (as name=value; Enter leaves them)", "", &known, read)
    }

    /// Asks until the answer can be read; nothing when the input ends.
    fn asked<T>(
        &mut self,
        words: &str,
        usual: &str,
        known: &dyn Fn() -> Vec<String>,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Failure> {
        loop {
            let Some(answer) = self.ask_among(words, known)? else { return Ok(None) };
            let answer = without_stop(&answer);
            match read(if answer.is_empty() { usual } else { answer }) {
                Ok(value) => return Ok(Some(value)),
                Err(trouble) => self.say(&trouble)?,
            }
        }
    }
}

/// An answer as the original programs want it, without the full stop at its end.
fn without_stop(answer: &str) -> &str {
    answer.strip_suffix('.').unwrap_or(answer).trim_end()
}

/// What can be typed in the menu.
fn words() -> Vec<String> {
    let ids = GAMES.iter().map(|entry| entry.info.id);
    let about = ids.clone().flat_map(|id| [format!("rules {id}"), format!("puzzle {id}")]);
    let others = ["continue", "history", "open ", "load ", "quit"].map(str::to_owned);
    ids.map(str::to_owned).chain(about).chain(others).collect()
}

/// A game by its name or its number in the list.
fn entry(text: &str) -> Result<&'static Entry, String> {
    let number = text.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    match number.and_then(|number| GAMES.get(number)) {
        Some(entry) => Ok(entry),
        None => input::game(text).map_err(|failure| failure.message()),
    }
}
