//! A game in lines of text: prompts, boards and moves, for pipes, scripts and screen readers.

mod commands;
mod menu;
pub mod online;
mod prompt;

use crate::failure::{Failure, print};
use crate::input::next_line;
use crate::pages;
use crate::play::PlayArgs;
use crate::saves::{Saves, Slot};
use crate::table::Table;
use crate::table::work::Worker;
use commands::{Typed, command};
use engine::puzzles::Puzzle;
use prompt::Past;
use rules::Player;
use rules::text::{Style, text};
use std::io::{BufReader, Stdin, stdin};
use std::time::Instant;

/// The longest line that is read.
const MOST_BYTES: usize = 4096;

/// A session in lines of text.
struct Lines {
    input: BufReader<Stdin>,
    /// What was typed before, where lines can be edited.
    past: Option<Past>,
    saves: Saves,
    worker: Worker,
    style: Style,
    color: bool,
    waits: bool,
    /// Whether boards are drawn.
    boards: bool,
    /// The file of the unfinished game.
    slot: Option<Slot>,
    /// The puzzle that is being tried.
    task: Option<Puzzle>,
    /// Whether the last try to keep the game has failed.
    is_lost: bool,
    /// Whether the game has been put to the finished ones.
    is_finished: bool,
}

/// What follows a game.
enum After {
    Menu,
    Again(Box<Table>),
    Quit,
}

/// Plays until the input ends or the user quits.
pub fn run(
    args: &PlayArgs,
    saves: Saves,
    table: Option<Table>,
    slot: Option<Slot>,
) -> Result<(), Failure> {
    let mut lines = Lines::new(args, saves);
    let mut next = match table {
        Some(table) => Some((table, slot)),
        None => lines.menu()?,
    };
    while let Some((table, slot)) = next {
        next = match lines.game(table, slot)? {
            After::Menu => lines.menu()?,
            After::Again(table) => Some((*table, None)),
            After::Quit => None,
        };
    }
    let typed = lines.past.iter().map(|past| lines.saves.keep_typed_lines(&past.0));
    typed.collect::<Result<(), String>>().or_else(|trouble| lines.say(&trouble))
}

impl Lines {
    fn new(args: &PlayArgs, saves: Saves) -> Lines {
        // Line mode asks for little: choices that cannot be read do not matter.
        let boards = !args.no_boards && !saves.choices().is_ok_and(|choices| choices.no_boards);
        let charset = pages::charset(args.ascii);
        let capable = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Lines {
            input: BufReader::new(stdin()),
            past: prompt::can_edit().then(|| Past(saves.typed_lines())),
            saves,
            worker: Worker::new(args.seed, |_| {}),
            style: Style { charset, ..Style::default() },
            color: pages::color_wanted() && capable,
            waits: args.wait,
            boards,
            slot: None,
            task: None,
            is_lost: false,
            is_finished: false,
        }
    }

    fn say(&self, words: &str) -> Result<(), Failure> {
        print(format!("{words}\n").as_bytes())
    }

    /// Asks, and gives the trimmed answer; nothing when the input has ended.
    fn ask(&mut self, prompt: &str) -> Result<Option<String>, Failure> {
        self.ask_among(prompt, &Vec::new)
    }

    /// Asks for something that may be one of these words, which Tab completes.
    fn ask_among(
        &mut self,
        prompt: &str,
        words: &dyn Fn() -> Vec<String>,
    ) -> Result<Option<String>, Failure> {
        if let Some(past) = &mut self.past {
            let line = prompt::ask(prompt, past, words)?;
            return Ok(line.map(|line| line.trim().to_owned()));
        }
        print(format!("{prompt} ").as_bytes())?;
        let mut line = Vec::new();
        if !next_line(&mut self.input, &mut line, MOST_BYTES)? {
            print(b"\n")?;
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        Ok(Some(text.trim().chars().filter(|c| !c.is_control()).collect()))
    }

    fn show(&self, table: &Table) -> Result<(), Failure> {
        if !self.boards {
            return self.say(&table.diagram(table.game.as_ref()).status);
        }
        let drawn = text(&table.diagram(table.game.as_ref()), &self.style, self.color);
        print(format!("\n{drawn}").as_bytes())
    }

    /// Plays one game.
    fn game(&mut self, mut table: Table, slot: Option<Slot>) -> Result<After, Failure> {
        self.slot = slot;
        self.is_finished = table.result().is_some();
        let [one, two] = Player::BOTH.map(|player| table.full_name(player));
        self.say(&format!("{}: {one} against {two}", table.entry.info.name))?;
        self.show(&table)?;
        loop {
            table.tend_clock(false, Instant::now());
            self.keep(&table)?;
            let answer = match (table.result(), table.person()) {
                (Some(_), _) => self.ask("over: rematch, swap, undo, save, menu or quit?")?,
                (None, Some(player)) => {
                    let time = table.clock.as_ref().map(|clock| {
                        let left = clock.left(player, Instant::now());
                        format!(", {} left", crate::table::clock::shown(left))
                    });
                    let (time, round) = (time.unwrap_or_default(), table.round());
                    let prompt = format!("{round}. {}{time}:", table.full_name(player));
                    self.ask_among(&prompt, &|| commands::words(table.game.as_ref()))?
                }
                (None, None) => {
                    if let Some(next) = self.computer(&mut table)? {
                        return Ok(next);
                    }
                    continue;
                }
            };
            let Some(answer) = answer else { return self.leave(&table) };
            if table.tend_clock(false, Instant::now()).is_some() {
                self.show(&table)?;
                continue;
            }
            if let Some(next) = self.obey(command(&answer), &mut table)? {
                return Ok(next);
            }
        }
    }

    /// Lets the computer play. A failure or the end of the input leaves the game.
    fn computer(&mut self, table: &mut Table) -> Result<Option<After>, Failure> {
        let player = table.game.turn();
        let name = table.full_name(player);
        if self.waits && table.is_unattended() {
            let Some(answer) = self.ask(&format!("{name} is to move; Enter continues:"))? else {
                return self.leave(table).map(Some);
            };
            if !answer.is_empty() {
                let command = command(&answer);
                if !matches!(command, Typed::Move(_)) {
                    return self.obey(command, table);
                }
            }
        }
        let sitter = table.sitter(player);
        let clock = table.clock.as_ref().map(|clock| clock.limits(player, Instant::now()));
        let limits = sitter.limits(clock);
        let turn = self.worker.turn_now(table.entry, table.game.as_ref(), &sitter.who, &limits);
        let Some(turn) = turn else {
            return Err(Failure::Other(anyhow::anyhow!("{name} found no turn")));
        };
        if table.tend_clock(false, Instant::now()).is_none() {
            table.play(&turn, Instant::now()).map_err(|error| anyhow::anyhow!(error))?;
            self.keep(table)?;
            self.say(&format!("{name} plays {turn}"))?;
        }
        self.show(table)?;
        Ok(None)
    }

    /// Writes the game to its file before it is shown, so that no turn on the screen can be lost.
    fn keep(&mut self, table: &Table) -> Result<(), Failure> {
        if self.task.is_some() {
            return Ok(());
        }
        let kept = match table.result() {
            Some(_) if self.is_finished || table.game.turns_played() == 0 => {
                self.saves.forget(&mut self.slot)
            }
            Some(_) => {
                self.is_finished = true;
                self.saves.finish(&mut self.slot, &table.record(Instant::now())).map(drop)
            }
            None if table.game.turns_played() == 0 && self.slot.is_none() => Ok(()),
            None => self.saves.keep(&mut self.slot, &table.record(Instant::now())),
        };
        self.is_finished &= table.result().is_some();
        let was_lost = std::mem::replace(&mut self.is_lost, kept.is_err());
        match kept {
            // Once is enough: the next turn would say the same.
            Err(trouble) if !was_lost => {
                self.say(&format!("this game could not be kept: {trouble}"))
            }
            _ => Ok(()),
        }
    }

    fn leave(&self, table: &Table) -> Result<After, Failure> {
        if self.is_lost {
            self.say("this game is not kept")?;
        } else if self.task.is_none() && table.result().is_none() && table.game.turns_played() > 0 {
            self.say("the game is kept: `quadrille play --continue` resumes it")?;
        }
        Ok(After::Quit)
    }
}
