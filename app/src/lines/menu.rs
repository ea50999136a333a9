//! Choosing a game in lines.

use super::Lines;
use crate::cli::GameOptions;
use crate::output::pages;
use crate::saves::{self, Slot};
use crate::shell::failure::{Failure, print};
use crate::shell::input::{self, plain};
use crate::sitting::clock::Terms;
use crate::sitting::{Sitting, seat};
use engine::puzzles::{Puzzle, shipped};
use engine::{Entry, GAMES, Session, Who};
use rules::game::OptionInfo;
use std::path::Path;
use table::Seat;

type Opened = Option<(Sitting, Option<Slot>)>;

/// How many games are listed at once.
const MOST_LISTED: usize = 50;

impl Lines {
    /// Asks for a game and its players; `None` if the input ends or the user quits.
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
            let Some(answer) = self.ask_among(&prompt, words())? else { return Ok(None) };
            let answer = without_stop(&answer);
            let (word, rest) = answer.split_once(' ').unwrap_or((answer, ""));
            match word {
                "" => {}
                word if is_farewell(word) => return Ok(None),
                "continue" => match self.saves.latest().0.map(|kept| self.saves.claim(&kept.0)) {
                    Some(Ok(opened)) => return Ok(Some(opened)),
                    Some(Err(trouble)) => self.say(&trouble)?,
                    None => self.say("there is no unfinished game")?,
                },
                "load" => {
                    let (file, number) = match rest.trim().rsplit_once(' ') {
                        Some((file, number)) if number.parse::<usize>().is_ok() => {
                            (file.trim(), number.parse().ok())
                        }
                        _ => (rest.trim(), None),
                    };
                    let own = input::puzzles(Path::new(file)).ok().flatten().unwrap_or_default();
                    if !own.is_empty() {
                        if let Some(sitting) =
                            self.attempt(&own, number.unwrap_or(1), "load FILE")?
                        {
                            return Ok(Some((sitting, None)));
                        }
                        continue;
                    }
                    match input::sitting(Path::new(file), number) {
                        Ok(sitting) => return Ok(Some((sitting, None))),
                        Err(failure) => self.say(&failure.message())?,
                    }
                }
                "puzzle" => {
                    if let Some(sitting) = self.puzzle(rest.trim())? {
                        return Ok(Some((sitting, None)));
                    }
                }
                "history" | "games" => self.history(rest)?,
                "open" => {
                    if let Some(opened) = self.opened(rest.trim())? {
                        return Ok(Some(opened));
                    }
                }
                "rules" if rest.trim().is_empty() => {
                    self.say("which game? type `rules` and its name or number")?;
                }
                "rules" => match entry(rest) {
                    Ok(entry) => {
                        print(pages::page(entry, self.style.charset, self.color))?;
                    }
                    Err(trouble) => self.say(&trouble)?,
                },
                _ => match entry(word) {
                    Ok(entry) => match self.sitting(entry)? {
                        Some(sitting) => return Ok(Some((sitting, None))),
                        None => return Ok(None),
                    },
                    Err(trouble) => self.say(&trouble)?,
                },
            }
        }
    }

    /// A puzzle of a game: the one with this number, or the first unsolved one.
    fn puzzle(&mut self, words: &str) -> Result<Option<Sitting>, Failure> {
        let (name, number) = words.split_once(' ').unwrap_or((words, ""));
        let entry = match entry(name) {
            Ok(entry) => entry,
            Err(trouble) => return self.say(&trouble).map(|()| None),
        };
        let puzzles = shipped(entry.info.id);
        let choices = self.saves.choices().unwrap_or_default();
        let open = puzzles.iter().position(|puzzle| !choices.has_solved(puzzle)).unwrap_or(0);
        let number = match number.trim() {
            "" => open + 1,
            number => number.parse().unwrap_or(0),
        };
        self.attempt(&puzzles, number, &format!("puzzle {name}"))
    }

    /// Begins an attempt at the puzzle with this number, from 1; `command` is how one asks for it.
    fn attempt(
        &mut self,
        puzzles: &[Puzzle],
        number: usize,
        command: &str,
    ) -> Result<Option<Sitting>, Failure> {
        let Some(puzzle) = number.checked_sub(1).and_then(|at| puzzles.get(at)) else {
            let count = puzzles.len();
            self.say(&format!("which one? 1 to {count}, as in `{command} 1`"))?;
            return Ok(None);
        };
        let Some(sitting) = engine::find(&puzzle.game).and_then(|e| Sitting::attempt(e, puzzle))
        else {
            return self.say("this puzzle cannot be read").map(|()| None);
        };
        let mover = sitting.colour(sitting.board.turn());
        self.say(&format!("puzzle {number}: {mover} wins in {} turns", puzzle.turns))?;
        self.task = Some(puzzle.clone());
        Ok(Some(sitting))
    }

    /// Lists the games with all of these words, the latest first.
    fn history(&self, words: &str) -> Result<(), Failure> {
        let kept = self.saves.all();
        if kept.is_empty() {
            return self.say("no game has been played yet");
        }
        let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        let fits = |kept: &saves::Kept| {
            let said = || format!("{} {}", kept.name(), saves::about(&kept.path)).to_lowercase();
            words.is_empty() || words.iter().all(|word| said().contains(word.as_str()))
        };
        let found: Vec<_> = (1..).zip(&kept).filter(|(_, kept)| fits(kept)).collect();
        for (number, kept) in found.iter().take(MOST_LISTED) {
            let words = match saves::read(&kept.path) {
                Err(_) => format!("{}: damaged", kept.name()),
                Ok(sitting) => format!("{}, {}", sitting.heading(), sitting.diagram().status),
            };
            self.say(&format!("  {number}  {words}"))?;
        }
        match (found.first(), found.len().saturating_sub(MOST_LISTED)) {
            (None, _) => self.say("no game has all of these words"),
            (Some((first, _)), 0) => self.say(&format!("`open {first}` opens the first of them")),
            (Some((first, _)), more) => self.say(&format!(
                "and {more} more, which `history WORDS` searches; `open {first}` opens the first"
            )),
        }
    }

    /// A game of the list.
    fn opened(&self, number: &str) -> Result<Opened, Failure> {
        let kept = self.saves.all();
        let number = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let Some(kept) = number.and_then(|number| kept.get(number)) else {
            self.say("which one? `history` lists the games with their numbers, as in `open 1`")?;
            return Ok(None);
        };
        match self.saves.claim(kept) {
            Ok(opened) => Ok(Some(opened)),
            Err(trouble) => self.say(&trouble).map(|()| None),
        }
    }

    fn sitting(&mut self, entry: &'static Entry) -> Result<Option<Sitting>, Failure> {
        let Some(game) = self.options(entry)? else { return Ok(None) };
        self.say("players: human, human:NAME, or a computer's:")?;
        for who in Who::computers(game.as_ref()) {
            let (code, about) = (who.to_string(), who.about(game.as_ref()));
            self.say(&format!("  {code:<12} {}: {about}", who.title(game.as_ref())))?;
        }
        let mut seats = Vec::new();
        let known: Vec<String> = seat::kinds(game.as_ref()).iter().map(Who::to_string).collect();
        for (colour, usual) in entry.info.players.iter().zip(["human", "level:3"]) {
            let words = format!("who plays {colour}? (Enter is {usual})");
            let read = |text: &str| seat::parse(text, game.as_ref());
            let Some(seat) = self.asked(&words, usual, &known, read)? else { return Ok(None) };
            seats.push(seat);
        }
        let read = |text: &str| match text {
            "none" => Ok(None),
            text => Terms::parse(text).map(Some),
        };
        let words = "clock? (minutes and seconds for a turn, as in 5+3; Enter is none)";
        let Some(terms) = self.asked(words, "none", &[], read)? else { return Ok(None) };
        let Ok(seats) = <[Seat; 2]>::try_from(seats) else { return Ok(None) };
        Ok(Some(Sitting::new(entry, game, seats.into(), terms)))
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
            // No flags are typed here.
            let said = |failure: Failure| failure.message().trim_start_matches("--").to_owned();
            input::start(entry, &options).map_err(said)
        };
        let settings = |option: &OptionInfo| {
            let values = option.values.list().into_iter();
            let said = |value| format!("{}={}", option.name, plain(&value));
            values.map(said).collect::<Vec<_>>()
        };
        let known: Vec<String> = entry.info.options.iter().flat_map(settings).collect();
        self.asked("options? (as name=value; Enter leaves them)", "", &known, read)
    }

    /// Asks until the answer can be read; `None` if the input ends or the user quits.
    fn asked<T>(
        &mut self,
        words: &str,
        usual: &str,
        known: &[String],
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Failure> {
        loop {
            let Some(answer) = self.ask_among(words, known.to_vec())? else { return Ok(None) };
            let answer = without_stop(&answer);
            if is_farewell(answer) {
                return Ok(None);
            }
            match read(if answer.is_empty() { usual } else { answer }) {
                Ok(value) => return Ok(Some(value)),
                Err(trouble) => self.say(&trouble)?,
            }
        }
    }
}

fn is_farewell(answer: &str) -> bool {
    ["quit", "q", "exit"].contains(&answer)
}

/// An answer without the full stop that the original programs require.
fn without_stop(answer: &str) -> &str {
    answer.strip_suffix('.').unwrap_or(answer).trim_end()
}

/// The words that can be typed in the menu.
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
