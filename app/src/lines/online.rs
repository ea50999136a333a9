//! A game on a server in lines of text.
//!
//! What is typed and what the server tells come in as they please. Lines from a pipe wait for their turn. When
//! there are no more, a player leaves, and who looks on stays to the end. Nobody leaves before the server has
//! acknowledged what was played, or has had time enough to.

use super::commands::{Typed, command};
use super::{Lines, MOST_BYTES};
use crate::failure::Failure;
use crate::input::next_line;
use crate::online::{self, Line, News, Opened, Rematch, Remote, Told};
use crate::play::PlayArgs;
use crate::saves::Saves;
use crate::table::Table;
use crate::table::clock::shown;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::collections::VecDeque;
use std::io::{BufReader, IsTerminal, stdin};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

const HELP: &[(&str, &str)] = &[
    ("a move", "plays it: type `moves` to see how moves are written"),
    ("moves", "lists the legal moves; `moves c4` those that begin with c4"),
    ("board, pieces", "draws the board again; describes the position in sentences"),
    ("boards", "draws no boards from now on, or draws them again"),
    ("turns, rules", "the turns so far; how the game is played"),
    ("undo, draw", "asks to take a turn back; offers a draw"),
    ("accept, decline", "answers what the other side asks for"),
    ("resign", "gives up"),
    ("rematch", "asks for another game, or goes there when both have asked"),
    ("quit", "leaves; the game goes on, and `quadrille join` comes back to it"),
];

/// How long a wait for the server goes on before it is told.
const SILENTLY: Duration = Duration::from_millis(700);

/// What comes in.
enum Heard {
    Typed(String),
    InputEnded,
    /// Ctrl-C, or another signal that ends the program.
    Stop,
    News(News),
}

/// Plays a game on a server, or looks on, and the rematches that follow.
pub fn run(args: &PlayArgs, saves: Saves, opened: Opened) -> Result<(), Failure> {
    let mut lines = Lines::new(args, saves.clone());
    let (tell, heard) = channel();
    listen_to_signals(tell.clone())?;
    read_lines(tell.clone());
    let mut typed = Input { waiting: VecDeque::new(), ended: false };
    let mut next = Some(opened);
    // Refusals of games before a rematch.
    let mut refused = Vec::new();
    while let Some(opened) = next.take() {
        let plays = !opened.seat.own.is_empty();
        let mut game = Game::open(opened, &tell);
        let left = game.play(&mut lines, &mut typed, &heard);
        // A connection that broke for good brings no answers.
        if !matches!(left, Err(Failure::User(_))) {
            game.settle(&mut lines, &mut typed, &heard);
        }
        refused.extend_from_slice(game.remote.refused_turns());
        if let Some(link) = accounted(left, &game.remote.unsent(&game.table), &refused)? {
            next =
                Some(if plays { online::join(&link, "", &saves)? } else { online::watch(&link)? });
        }
    }
    Ok(())
}

/// How a game was left: a failure unless the server has everything that was shown as played.
fn accounted(
    left: Result<Option<String>, Failure>,
    unsent: &[String],
    refused: &[String],
) -> Result<Option<String>, Failure> {
    let goes_on = matches!(left, Ok(Some(_)));
    let lost = online::lost(unsent, if goes_on { &[] } else { refused });
    match (left, lost) {
        (left, None) => left,
        (Ok(_) | Err(Failure::Closed), Some(lost)) => Err(anyhow::anyhow!(lost).into()),
        (Err(failure), Some(lost)) => Err(anyhow::anyhow!("{}; {lost}", failure.message()).into()),
    }
}

/// The first signal leaves the game, another one does not wait for the server, the third ends the program.
fn listen_to_signals(tell: Sender<Heard>) -> Result<(), Failure> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    std::thread::spawn(move || {
        for (count, signal) in signals.forever().enumerate() {
            if tell.send(Heard::Stop).is_err() || count > 1 {
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        }
    });
    Ok(())
}

fn read_lines(tell: Sender<Heard>) {
    std::thread::spawn(move || {
        let (mut input, mut line) = (BufReader::new(stdin()), Vec::new());
        while let Ok(true) = next_line(&mut input, &mut line, MOST_BYTES) {
            let text = String::from_utf8_lossy(&line);
            let text = text.chars().filter(|c| !c.is_control()).collect();
            if tell.send(Heard::Typed(text)).is_err() {
                return;
            }
        }
        // Nobody receives it any more when the program ends.
        let _ = tell.send(Heard::InputEnded);
    });
}

/// What was typed and has not been done yet.
struct Input {
    waiting: VecDeque<String>,
    ended: bool,
}

struct Game {
    table: Table,
    remote: Remote,
    plays: bool,
    /// Whether the user has been told that it is their turn.
    prompted: bool,
}

/// What follows a line that was typed.
enum After {
    Stay,
    /// It has to wait for the other side.
    Wait,
    Quit,
    Next(String),
}

impl Game {
    fn open(opened: Opened, tell: &Sender<Heard>) -> Game {
        let Opened { table, seat } = opened;
        let (plays, tell) = (!seat.own.is_empty(), tell.clone());
        let line = Line::open(&seat, move |news| tell.send(Heard::News(news)).is_ok());
        Game { table, remote: Remote::new(seat, Some(line)), plays, prompted: false }
    }

    /// Until the user leaves; the link of the rematch if they go there.
    fn play(
        &mut self,
        lines: &mut Lines,
        input: &mut Input,
        heard: &Receiver<Heard>,
    ) -> Result<Option<String>, Failure> {
        lines.style.flipped = self.remote.seat.own == [rules::Player::Two];
        let [one, two] = rules::Player::BOTH.map(|player| self.table.full_name(player));
        lines.say(&format!("{}: {one} against {two}", self.table.entry.info.name))?;
        lines.show(&self.table)?;
        loop {
            while let Some(line) = input.waiting.pop_front() {
                match self.obey(&line, lines)? {
                    After::Stay => {}
                    After::Wait => {
                        input.waiting.push_front(line);
                        break;
                    }
                    After::Quit => return self.leave(lines),
                    After::Next(link) => return Ok(Some(link)),
                }
            }
            let is_over = self.table.result().is_some();
            let done = is_over || self.plays && input.waiting.is_empty();
            if input.ended && done {
                return self.leave(lines);
            }
            self.prompt(lines)?;
            match heard.recv() {
                Ok(Heard::Typed(line)) => input.waiting.push_back(line),
                Ok(Heard::News(news)) => self.hear(news, lines)?,
                Ok(Heard::InputEnded) | Err(_) => input.ended = true,
                Ok(Heard::Stop) => return self.leave(lines),
            }
        }
    }

    /// Waits until the server has answered everything, but not for ever.
    fn settle(&mut self, lines: &mut Lines, input: &mut Input, heard: &Receiver<Heard>) {
        let began = Instant::now();
        let mut is_told = false;
        while self.remote.is_waiting(&self.table) {
            let until = if is_told { online::PATIENCE } else { SILENTLY };
            match heard.recv_timeout(until.saturating_sub(began.elapsed())) {
                Ok(Heard::News(news)) => {
                    // Keep waiting for acknowledgements even if nobody reads the output any more.
                    if let Err(Failure::User(_)) = self.hear(news, lines) {
                        return;
                    }
                }
                // It may be meant for the rematch.
                Ok(Heard::Typed(line)) => input.waiting.push_back(line),
                Ok(Heard::InputEnded) => input.ended = true,
                Err(RecvTimeoutError::Timeout) if !is_told => {
                    is_told = true;
                    let unsent = self.remote.unsent(&self.table).join(", ");
                    let _ = lines.say(&format!(
                        "waiting for the server to acknowledge {unsent}; Ctrl-C leaves without"
                    ));
                }
                // Nobody has been told yet that it would leave without.
                Ok(Heard::Stop) if !is_told => {}
                Ok(Heard::Stop) | Err(_) => return,
            }
        }
    }

    /// Says once that it is the user's turn.
    fn prompt(&mut self, lines: &Lines) -> Result<(), Failure> {
        let mover = self.table.person().filter(|_| self.remote.seat.connected);
        let Some(player) = mover else {
            self.prompted = false;
            return Ok(());
        };
        if std::mem::replace(&mut self.prompted, true) || self.table.game.in_turn() {
            return Ok(());
        }
        let left = self.table.clock.as_ref().map(|clock| clock.left(player, Instant::now()));
        let time = left.map_or(String::new(), |left| format!(", {} left", shown(left)));
        lines.say(&format!("your turn{time}: type a move, or `help`"))
    }

    fn hear(&mut self, news: News, lines: &mut Lines) -> Result<(), Failure> {
        let mover = self.table.game.turn();
        match self.remote.hear(news, &mut self.table, Instant::now()) {
            Told::Nothing => {}
            Told::Connected(true) => lines.say(&self.remote.words())?,
            Told::Connected(false) => {
                lines.say("the connection is lost: connecting again")?;
                self.say_unsent(lines)?;
            }
            Told::Joined(name) => lines.say(&format!("{name} sits down"))?,
            Told::Turn(turn) => {
                lines.say(&format!("{} plays {turn}", self.table.full_name(mover)))?;
                lines.show(&self.table)?;
            }
            Told::Undone => {
                lines.say("a turn was taken back")?;
                lines.show(&self.table)?;
            }
            Told::GoneBack => {
                lines.say(online::GONE_BACK)?;
                lines.show(&self.table)?;
            }
            Told::Offered => lines.say(match self.remote.open_offer() {
                Some("draw") => "a draw is offered: accept or decline?",
                Some(_) => "the other side would like to take a turn back: accept or decline?",
                None => "the offer is made",
            })?,
            Told::Declined => lines.say("the offer was declined")?,
            Told::Ended => lines.show(&self.table)?,
            Told::Rematch(how) => lines.say(match how {
                Rematch::Ready => "the next game is ready: `rematch` goes there",
                Rematch::AskedByUser => "you have asked for a rematch",
                Rematch::AskedOfUser => "the other side asks for a rematch: `rematch` accepts",
                Rematch::Asked => "a rematch was asked for",
            })?,
            Told::Refused(why) => {
                lines.say(&why)?;
                lines.show(&self.table)?;
                self.prompted = false;
            }
            Told::Broken(why) => return Err(Failure::user(why)),
        }
        if self.plays && self.table.result().is_some() {
            lines.keep(&self.table)?;
        }
        Ok(())
    }

    fn obey(&mut self, line: &str, lines: &mut Lines) -> Result<After, Failure> {
        match command(line) {
            Typed::Nothing => {}
            Typed::Move(text) => match text.to_ascii_lowercase().as_str() {
                "draw" => self.send("offer-draw", lines)?,
                word @ ("accept" | "decline") => match self.remote.open_offer() {
                    Some(_) => self.send(word, lines)?,
                    None => lines.say("nothing is offered")?,
                },
                _ => return self.try_move(&text, lines),
            },
            Typed::Word("help", _) => {
                HELP.iter()
                    .try_for_each(|(words, does)| lines.say(&format!("  {words:<15} {does}")))?;
            }
            Typed::Word("undo", _) if self.table.game.in_turn() => {
                self.table.take_back_part();
                lines.show(&self.table)?;
            }
            Typed::Word(word @ ("resign" | "undo"), _) => self.send(word, lines)?,
            Typed::Word("rematch", _) => match self.remote.next_link() {
                Some(link) => return Ok(After::Next(link)),
                None => self.send("rematch", lines)?,
            },
            Typed::Word("quit" | "menu", _) => return Ok(After::Quit),
            Typed::Word("hint" | "eval", _) if self.plays && self.table.result().is_none() => {
                lines.say("no engine helps while you play somebody")?;
            }
            Typed::Word("redo" | "swap" | "pause" | "resume", _) => {
                lines.say("that is not for games on a server; `help` lists what is")?;
            }
            Typed::Word(word, rest) => {
                lines.word(word, &rest, &mut self.table)?;
                if word == "turns" {
                    self.say_unsent(lines)?;
                }
            }
        }
        Ok(After::Stay)
    }

    fn try_move(&mut self, text: &str, lines: &mut Lines) -> Result<After, Failure> {
        if self.table.result().is_some() {
            lines.say("the game is over: `rematch` asks for another")?;
        } else if !self.plays {
            lines.say("you are looking on")?;
        } else if self.table.person().is_none() && !stdin().is_terminal() {
            return Ok(After::Wait);
        } else if self.table.person().is_none() {
            let mover = self.table.full_name(self.table.game.turn());
            lines.say(&format!("{mover} is to move"))?;
        } else {
            match self.table.play(text, Instant::now()) {
                Ok(()) => {
                    lines.show(&self.table)?;
                    self.remote.send_turn(&self.table);
                    if !self.remote.seat.connected {
                        self.say_unsent(lines)?;
                    }
                }
                Err(reason) => lines.say(&reason)?,
            }
        }
        Ok(After::Stay)
    }

    fn send(&mut self, word: &str, lines: &Lines) -> Result<(), Failure> {
        self.remote.send_word(word, &self.table).or_else(|why| lines.say(why))
    }

    /// Marks what the server has not acknowledged.
    fn say_unsent(&self, lines: &Lines) -> Result<(), Failure> {
        let unsent = self.remote.unsent(&self.table);
        if unsent.is_empty() {
            return Ok(());
        }
        lines.say(&format!("not acknowledged by the server yet: {}", unsent.join(", ")))
    }

    fn leave(&self, lines: &Lines) -> Result<Option<String>, Failure> {
        if self.plays && self.table.result().is_none() {
            lines.say("the game goes on: `quadrille join` with its link comes back to it")?;
        }
        Ok(None)
    }
}
