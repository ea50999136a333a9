//! A game in lines of text: prompts, boards and moves, for pipes, scripts and screen readers.
//!
//! It plays a `sitting` or an `online` game, keeps it in `saves`, and writes with `shell` and `output`; it knows
//! nothing of `tui`.

mod commands;
mod menu;
pub mod online;
mod prompt;

use crate::commands::play::PlayArgs;
use crate::output::pages;
use crate::saves::{Keeper, Saves, Slot};
use crate::shell::failure::{Failure, print};
use crate::shell::input::next_line;
use crate::sitting::Sitting;
use crate::sitting::work::Worker;
use commands::{Typed, command};
use engine::Session;
use engine::puzzles::Puzzle;
use prompt::Prompt;
use rules::Player;
use rules::text::{Style, text};
use std::io::{BufReader, Stdin, stdin};
use std::time::Instant;

/// The longest line that is read.
const MOST_BYTES: usize = 4096;

/// A session in lines of text.
struct Lines {
    input: BufReader<Stdin>,
    /// Where lines are typed, if they can be edited.
    prompt: Option<Prompt>,
    saves: Saves,
    worker: Worker,
    style: Style,
    color: bool,
    waits: bool,
    boards: bool,
    keeper: Keeper,
    /// The puzzle that is being tried.
    task: Option<Puzzle>,
    /// Whether the game could not be saved the last time.
    is_lost: bool,
}

enum After {
    Menu,
    Again(Box<Sitting>),
    Quit,
}

/// Plays until the input ends or the user quits.
pub fn run(
    args: &PlayArgs,
    saves: Saves,
    sitting: Option<Sitting>,
    slot: Option<Slot>,
) -> Result<(), Failure> {
    let mut lines = Lines::new(args, saves);
    let mut next = match sitting {
        Some(sitting) => Some((sitting, slot)),
        None => lines.menu()?,
    };
    while let Some((sitting, slot)) = next {
        next = match lines.game(sitting, slot)? {
            After::Menu => lines.menu()?,
            After::Again(sitting) => Some((*sitting, None)),
            After::Quit => None,
        };
    }
    let typed =
        lines.prompt.as_ref().map(|prompt| lines.saves.add_typed_lines(&prompt.new_lines()));
    typed.unwrap_or(Ok(())).or_else(|trouble| lines.say(&trouble))
}

impl Lines {
    fn new(args: &PlayArgs, saves: Saves) -> Lines {
        // Line mode needs one choice only, so a file that cannot be read does not matter.
        let mut choices = saves.choices().unwrap_or_default();
        args.config.apply(&mut choices);
        let boards = !args.no_boards && !choices.no_boards;
        let charset = pages::charset(args.ascii);
        let capable = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Lines {
            input: BufReader::new(stdin()),
            prompt: Prompt::new(&saves.typed_lines()),
            saves,
            worker: Worker::new(args.seed, |_| {}),
            style: Style { charset, ..Style::default() },
            color: pages::color_wanted() && capable,
            waits: args.wait,
            boards,
            keeper: Keeper::default(),
            task: None,
            is_lost: false,
        }
    }

    fn say(&self, words: &str) -> Result<(), Failure> {
        print(format!("{words}\n"))
    }

    /// Asks, and gives the trimmed answer; `None` when the input has ended.
    fn ask(&mut self, prompt: &str) -> Result<Option<String>, Failure> {
        self.ask_among(prompt, Vec::new())
    }

    /// Asks for something that may be one of these words, which Tab completes.
    fn ask_among(&mut self, prompt: &str, words: Vec<String>) -> Result<Option<String>, Failure> {
        if let Some(own) = &mut self.prompt {
            let line = own.ask(prompt, words)?;
            return Ok(line.map(|line| line.trim().to_owned()));
        }
        print(format!("{prompt} "))?;
        let mut line = Vec::new();
        if !next_line(&mut self.input, &mut line, MOST_BYTES)? {
            print(b"\n")?;
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        Ok(Some(text.trim().chars().filter(|c| !c.is_control()).collect()))
    }

    /// Shows a game, and keeps it from now on.
    fn open(&mut self, sitting: &Sitting, slot: Option<Slot>) -> Result<(), Failure> {
        self.keeper = Keeper::new(sitting, slot);
        self.say(&sitting.heading())?;
        self.show(sitting)
    }

    /// Says what the last turn did on the board, once it is complete; and whether there was something to say.
    fn tell(&self, board: &dyn Session, who: &str) -> Result<bool, Failure> {
        let effect = board.last_effect().filter(|_| !board.in_turn());
        effect.map_or(Ok(false), |effect| self.say(&format!("{who}{effect}")).map(|()| true))
    }

    fn show(&self, sitting: &Sitting) -> Result<(), Failure> {
        let diagram = sitting.diagram();
        if !self.boards {
            return self.say(&diagram.status);
        }
        let drawn = text(&diagram, &self.style, self.color);
        print(format!("\n{drawn}"))
    }

    fn game(&mut self, mut sitting: Sitting, slot: Option<Slot>) -> Result<After, Failure> {
        self.open(&sitting, slot)?;
        loop {
            sitting.tend_clock(false, Instant::now());
            self.keep(&sitting)?;
            let answer = match (sitting.result(), sitting.person()) {
                (Some(_), _) => self.ask("over: rematch, swap, undo, save, menu or quit?")?,
                (None, Some(player)) => {
                    let (time, round) = (time_left(&sitting, player), sitting.round());
                    let prompt = format!("{round}. {}{time}:", sitting.full_name(player));
                    self.ask_among(&prompt, commands::words(sitting.board.as_ref()))?
                }
                (None, None) => {
                    if let Some(next) = self.computer(&mut sitting)? {
                        return Ok(next);
                    }
                    continue;
                }
            };
            let Some(answer) = answer else { return self.leave(&sitting) };
            if sitting.tend_clock(false, Instant::now()) {
                self.show(&sitting)?;
                continue;
            }
            if let Some(next) = self.obey(command(&answer), &mut sitting)? {
                return Ok(next);
            }
        }
    }

    /// Plays the computer's turn.
    fn computer(&mut self, sitting: &mut Sitting) -> Result<Option<After>, Failure> {
        let player = sitting.board.turn();
        let name = sitting.full_name(player);
        if self.waits && sitting.is_unattended() {
            let Some(answer) = self.ask(&format!("{name} is to move; Enter continues:"))? else {
                return self.leave(sitting).map(Some);
            };
            if !answer.is_empty() {
                let command = command(&answer);
                if !matches!(command, Typed::Move(_)) {
                    return self.obey(command, sitting);
                }
            }
        }
        let Some(turn) = self.worker.turn_now(sitting, player, Instant::now()) else {
            return Err(Failure::Other(anyhow::anyhow!("{name} found no turn")));
        };
        if !sitting.tend_clock(false, Instant::now()) {
            sitting.play(&turn, Instant::now()).map_err(|error| anyhow::anyhow!(error))?;
            self.keep(sitting)?;
            self.tell(sitting.board.as_ref(), &format!("{name} plays "))?;
        }
        self.show(sitting)?;
        Ok(None)
    }

    /// Writes the game to its file before it is shown, so that no turn on the screen can be lost.
    fn keep(&mut self, sitting: &Sitting) -> Result<(), Failure> {
        if self.task.is_some() {
            return Ok(());
        }
        let kept = self.keeper.keep(sitting, &self.saves, Instant::now());
        let was_lost = std::mem::replace(&mut self.is_lost, kept.is_err());
        match kept {
            // Once is enough: the next turn would say the same.
            Err(trouble) if !was_lost => {
                self.say(&format!("this game could not be kept: {trouble}"))
            }
            _ => Ok(()),
        }
    }

    fn leave(&self, sitting: &Sitting) -> Result<After, Failure> {
        if self.is_lost {
            self.say("this game is not kept")?;
        } else if self.task.is_none()
            && sitting.result().is_none()
            && sitting.board.turns_played() > 0
        {
            self.say("the game is kept: `quadrille play --continue` resumes it")?;
        }
        Ok(After::Quit)
    }
}

/// A player's time left on the clock, written after a name.
fn time_left(sitting: &Sitting, player: Player) -> String {
    let left = sitting.left(player, Instant::now()).map(table::clock::shown);
    left.map_or(String::new(), |left| format!(", {left} left"))
}
