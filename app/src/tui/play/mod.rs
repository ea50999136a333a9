//! The screen with a board: its state, and what changes it apart from keys.

mod ahead;
mod dialog;
mod explore;
mod keys;
mod lesson;
mod mode;
mod motion;
mod online;
mod panel;
mod study;
mod task;
mod typing;
mod view;

use super::app::{Context, Message, Next};
use super::cursor::Cursor;
use super::help::Topic;
use super::picker::{Picked, Picker};
use crate::saves::{Keeper, Slot};
use crate::sitting::Sitting;
use crate::sitting::work::{Found, Job, Report};
use crate::tui::field::Field;
use dialog::Dialog;
use engine::{AnalysedLine, Analysis, Limits, Session};
use mode::{Game, Mode};
use motion::Motion;
use rules::diagram::Diagram;
use rules::{ByPlayer, Player};
use std::time::{Duration, Instant};
use table::premove::Premove;
use typing::MoveField;

/// How many milliseconds a computer's turn stays on the screen before the next, from slow to fast.
const SPEEDS: [u64; 6] = [4000, 2000, 1000, 500, 250, 0];
const SPEED: usize = 2;
/// The pause between a person's turn and the answer, so that the turn can be seen.
const BREATH: Duration = Duration::from_millis(250);
/// How long the engine looks at a position for a hint or its bar.
const GLANCE: Duration = Duration::from_millis(1500);
/// The longest name that can be typed.
const LONGEST_NAME: usize = 60;
/// How many lines an analysis shows.
const LINES: usize = 4;

struct Thinking {
    job: Job,
    view: Option<Analysis>,
    since: Instant,
    /// The turn it has found, until it is time to play it.
    turn: Option<String>,
}

/// A search of the position on the screen.
struct Watch {
    job: Job,
    view: Option<Analysis>,
    is_done: bool,
}

/// The display settings beside the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Shown {
    flipped: bool,
    /// No hint, how the proposed turn begins, or all of it.
    hint: Hint,
    bar: bool,
    /// Better turns beside those that gave something away, in a game that was reviewed.
    better: bool,
    analysis: bool,
    /// Whether `h` moves the cursor: from the first `j`, `k` or `l` until an arrow key.
    vi: bool,
    /// Whether the panel is shown instead of the board, where both do not fit.
    panel: bool,
    /// The cursor, and whether it is visible.
    cursor: Cursor,
    has_cursor: bool,
}

/// How much of the proposed turn is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Hint {
    #[default]
    None,
    Begins,
    Whole,
}

/// A message that stays until the next key.
struct Note {
    text: String,
    is_warning: bool,
}

/// The opinions of the engine and the original program on the position on the screen.
#[derive(Default)]
struct Opinion {
    watch: Option<Watch>,
    /// Which of the engine's lines is chosen.
    line: usize,
    /// The original program's values for both sides, if there is such a program.
    values: Option<ByPlayer<f64>>,
    /// The turns that each player of the original program chooses from, while they are shown.
    advice: Vec<(String, Vec<String>)>,
}

impl Opinion {
    fn lines(&self) -> &[AnalysedLine] {
        let view = self.watch.as_ref().and_then(|watch| watch.view.as_ref());
        view.map_or(&[], |view| &view.lines)
    }
}

/// When computers play: not while the game rests, at a speed, or one turn for each key.
struct Pace {
    rests: bool,
    speed: usize,
    waits: bool,
    last_turn: Instant,
}

/// The use of the keyboard, apart from commands.
enum Typing {
    Nothing,
    /// A letter that acted at once, and what was shown before it: a digit makes both the beginning of a move.
    Letter(char, Shown),
    Move(MoveField),
    /// The name under which the game is about to be saved.
    Name(Field),
}

/// A board on the screen.
pub struct BoardScreen {
    pub sitting: Sitting,
    mode: Mode,
    /// The game that this board was opened from.
    back: Option<Box<BoardScreen>>,
    /// The position on the screen, when looking back.
    past: Option<Box<dyn Session>>,
    picker: Picker,
    typing: Typing,
    shown: Shown,
    note: Option<Note>,
    dialog: Option<Dialog>,
    thinking: Option<Thinking>,
    opinion: Opinion,
    pace: Pace,
    /// The pieces of the last turn, while they are on their way.
    motion: Option<Motion>,
    /// The turn that is chosen while the other side is to move.
    ahead: Option<Premove>,
    /// Whether it has become the user's turn on a server, and the bell has not rung for it yet.
    calls: bool,
}

impl BoardScreen {
    /// A new or continued game.
    pub fn new(sitting: Sitting, slot: Option<Slot>, context: &mut Context) -> BoardScreen {
        let mode = Mode::game(Keeper::new(&sitting, slot), None);
        let mut play = BoardScreen::bare(sitting, mode, context);
        play.refresh(context);
        play
    }

    /// A board on which nothing happens yet.
    fn bare(sitting: Sitting, mode: Mode, context: &Context) -> BoardScreen {
        let choices = &context.choices;
        // Two people want to find out for themselves who is better.
        let has_computer = !sitting.is_between_people();
        let person_is_second = !sitting.is_person(Player::One) && sitting.is_person(Player::Two);
        let cursor = Cursor::middle(&sitting.board.diagram());
        let shown = Shown {
            bar: choices.bar && has_computer,
            flipped: person_is_second,
            cursor,
            ..Shown::default()
        };
        let speed = choices.speed.unwrap_or(SPEED).min(SPEEDS.len() - 1);
        let waits = choices.wait;
        BoardScreen {
            sitting,
            mode,
            back: None,
            past: None,
            picker: Picker::default(),
            typing: Typing::Nothing,
            shown,
            note: None,
            dialog: None,
            thinking: None,
            opinion: Opinion::default(),
            pace: Pace { rests: false, speed, waits, last_turn: context.now },
            motion: None,
            ahead: None,
            calls: false,
        }
    }

    /// The position on the screen.
    fn game(&self) -> &dyn Session {
        self.past.as_ref().unwrap_or(&self.sitting.board).as_ref()
    }

    /// How many turns led to the position on the screen, when looking back.
    fn review(&self) -> Option<usize> {
        self.past.as_ref().map(|past| past.turns_played())
    }

    /// The cell under the cursor, and whether the cursor is visible.
    #[cfg(test)]
    pub fn cursor(&self) -> (Cursor, bool) {
        (self.shown.cursor, self.shown.has_cursor)
    }

    /// How many turns led to the position on the screen.
    #[cfg(test)]
    pub fn turns_shown(&self) -> usize {
        self.game().turns_played()
    }

    #[cfg(test)]
    pub fn is_flipped(&self) -> bool {
        self.shown.flipped
    }

    /// The topic of the help.
    pub fn topic(&self) -> Topic {
        let of_game = || match (self.is_online(), self.sitting.is_unattended()) {
            (true, _) => Topic::Server,
            (_, true) => Topic::Show,
            _ => Topic::Game,
        };
        self.mode.topic().unwrap_or_else(of_game)
    }

    /// The position on the screen, without the turns that led there.
    pub fn bare_position(&self) -> Option<Box<dyn Session>> {
        let game = self.game();
        (self.sitting.entry.from_text)(&game.text(), &game.options()).ok()
    }

    /// The position on the screen as a drawing, with all marks.
    fn diagram(&self) -> Diagram {
        let mut diagram = match self.past {
            Some(_) => self.game().diagram(),
            None => self.sitting.diagram(),
        };
        if self.past.is_none() && self.sitting.person().is_some() {
            diagram.marks.selected = self.picker.selected();
            // At the start of a turn that would often be the whole board.
            if !self.picker.is_idle() {
                diagram.marks.targets = self.picker.landings();
            } else if self.has_few_targets(&diagram) {
                diagram.marks.targets = self.picker.targets();
            }
        }
        if self.past.is_none() && self.premover().is_some() {
            let (tapped, way) = self.marks_ahead();
            diagram.marks.selected = tapped;
            diagram.marks.hints.extend(way);
        }
        if self.shown.hint != Hint::None {
            let marks = &mut diagram.marks;
            marks.hints = self.hint_marks();
            // The proposal must stand out among the targets.
            let proposed = |cell: &usize| marks.hints.iter().any(|(a, b)| a == cell || b == cell);
            marks.targets.retain(|cell| !proposed(cell));
        }
        // Where no line or connection won, the last turn did.
        let marks = &mut diagram.marks;
        if self.game().outcome().is_some() && marks.winning.is_empty() {
            marks.winning = marks.arrows.iter().map(|(_, to)| *to).collect();
        }
        diagram
    }

    /// Whether the targets are few enough to be worth marking.
    fn has_few_targets(&self, diagram: &Diagram) -> bool {
        3 * self.picker.targets().len() <= diagram.cells.len()
    }

    /// Brings everything up to date with a new position: input, thinking, the saved file, the clock.
    fn refresh(&mut self, context: &mut Context) {
        self.picker = match self.sitting.person() {
            Some(_) => Picker::new(self.sitting.board.steps()),
            None => Picker::default(),
        };
        self.shown.hint = Hint::None;
        self.look_back(None);
        // The text being typed may be for the turn after this one, which came meanwhile.
        if !self.may_type() {
            self.end_line();
        }
        if let Mode::Game(Game { study: Some(study), .. }) = &mut self.mode {
            study.keep(&self.sitting.board.history());
        }
        self.thinking = None;
        self.keep(context);
        self.tend_clock(context.now);
        self.think(context);
        self.look_on(context);
        self.play_ahead(context);
    }

    /// Lets the computer think if it is to move and the game is not paused.
    fn think(&mut self, context: &mut Context) {
        let Some(player) = self.sitting.computer() else { return };
        if self.thinking.is_some() || (self.pace.rests && !self.sitting.is_unattended()) {
            return;
        }
        let job = context.worker.turn(&self.sitting, player, context.now);
        self.thinking = Some(Thinking { job, view: None, since: context.now, turn: None });
    }

    /// Writes an unfinished game to its file, and puts a finished one with the others.
    fn keep(&mut self, context: &Context) {
        let Mode::Game(game) = &mut self.mode else { return };
        let kept = game.keeper.keep(&self.sitting, &context.saves, context.now);
        if let Err(trouble) = kept {
            self.warn(format!("this game could not be kept: {trouble}"));
        }
    }

    /// Starts or ends the engine's search of the position on the screen, as hint, bar and analysis need it.
    fn look_on(&mut self, context: &mut Context) {
        self.opinion = Opinion::default();
        if self.game().result().is_some() {
            return;
        }
        if self.sitting.is_played_online() {
            (self.shown.hint, self.shown.bar, self.shown.analysis) = (Hint::None, false, false);
            return;
        }
        if self.shown.hint == Hint::Whole || self.is_advised(context) {
            self.opinion.values = self.game().seed_value();
            self.opinion.advice = self.game().seed_best();
        }
        let is_retried =
            matches!(self.mode, Mode::Retry(_)) && self.sitting.board.turns_played() > 0;
        let limits = match self.shown {
            Shown { analysis: true, .. } => Limits { lines: LINES, ..Limits::default() },
            Shown { bar: true, .. } => Limits::time(GLANCE),
            Shown { hint: Hint::Begins | Hint::Whole, .. } => Limits::time(GLANCE),
            _ if is_retried => Limits::time(GLANCE),
            _ => return,
        };
        let job = context.worker.watch(self.sitting.entry, self.game(), limits);
        self.opinion.watch = Some(Watch { job, view: None, is_done: false });
    }

    /// Whether the original program's proposal is shown without being asked for.
    fn is_advised(&self, context: &Context) -> bool {
        context.choices.advice
            && self.mode.task().is_none()
            && self.past.is_none()
            && self.sitting.person().is_some()
    }

    /// Shows the position after this many turns, or the present one.
    fn look_back(&mut self, turns: Option<usize>) {
        let played = self.sitting.board.turns_played();
        self.past = turns.filter(|turns| *turns < played).map(|turns| {
            let mut game = self.sitting.board.boxed_clone();
            game.rewind(turns);
            game
        });
    }

    /// Handles messages of threads and connections, and the passing of time.
    pub fn receive(&mut self, message: Message, context: &mut Context) -> Next {
        match message {
            Message::Work(report) => self.hear(report, context),
            Message::Net(news) => return self.hear_news(news, context),
            Message::Opened(Err(trouble)) => self.warn(trouble),
            Message::Tick => self.tick(context),
            _ => {}
        }
        Next::Stay
    }

    fn warn(&mut self, text: impl Into<String>) {
        self.note = Some(Note { text: text.into(), is_warning: true });
    }

    fn say(&mut self, text: impl Into<String>) {
        self.note = Some(Note { text: text.into(), is_warning: false });
    }

    /// Plays a turn of a person or a computer, and returns whether it could be played.
    fn play(&mut self, text: &str, context: &mut Context) -> bool {
        if !self.may_branch() {
            return false;
        }
        let before = (!context.choices.still).then(|| self.sitting.board.diagram());
        match self.sitting.play(text, context.now) {
            Ok(()) => {
                self.motion = before.and_then(|before| Motion::new(before, self, context.now));
                self.pace.last_turn = context.now;
                self.note = None;
                self.branch();
                self.send_turn();
                self.refresh(context);
                self.note_solved(context);
                true
            }
            Err(reason) => {
                // The typed text is already on the screen, and the reason alone fits beside it.
                let known = format!("`{text}` is not legal here: ");
                self.warn(reason.strip_prefix(&known).unwrap_or(&reason));
                false
            }
        }
    }

    fn picked(&mut self, picked: Picked, context: &mut Context) {
        match picked {
            Picked::More => self.note = None,
            Picked::Move(text) => {
                self.end_line();
                self.play(&text, context);
            }
            Picked::Refused(reason) => self.warn(reason),
        }
    }

    /// Applies a report of a thread; those of earlier jobs are dropped.
    fn hear(&mut self, report: Report, context: &mut Context) {
        let Report { job, found } = report;
        if let Some(watch) = self.opinion.watch.as_mut().filter(|watch| watch.job.is(job)) {
            match found {
                Found::News(view) => watch.view = Some(view),
                Found::Done | Found::Turn(_) | Found::Judged(_) => watch.is_done = true,
            }
            return;
        }
        if let Mode::Game(Game { study: Some(study), .. }) = &mut self.mode
            && study.job.is(job)
        {
            match found {
                Found::Judged(judged) => study.hear(judged),
                _ => study.end(),
            }
            return;
        }
        let Some(thinking) = self.thinking.as_mut().filter(|t| t.job.is(job)) else {
            if let Some(behind) = &mut self.back {
                behind.hear(Report { job, found }, context);
            }
            return;
        };
        match found {
            Found::News(view) => thinking.view = Some(view),
            Found::Turn(Some(turn)) => {
                thinking.turn = Some(turn);
                self.tick(context);
            }
            Found::Turn(None) | Found::Done | Found::Judged(_) => {
                self.pace.rests = true;
                self.thinking = None;
                self.warn("the computer found no turn: space lets it try again, u takes back");
            }
        }
    }

    /// When a turn that has been found is to be played; never while the game is paused.
    fn due(&self) -> Option<Instant> {
        self.thinking.as_ref()?.turn.as_ref()?;
        if self.dialog.is_some()
            || self.pace.rests
            || (self.sitting.is_unattended() && self.pace.waits)
        {
            return None;
        }
        let pause = match self.sitting.is_unattended() {
            true => Duration::from_millis(SPEEDS[self.pace.speed]),
            false => BREATH,
        };
        Some(self.pace.last_turn + pause)
    }

    /// Lets flags fall, and plays a turn that is due.
    fn tick(&mut self, context: &mut Context) {
        if self.tend_clock(context.now) {
            self.refresh(context);
        }
        if self.due().is_some_and(|due| due <= context.now) {
            self.release(context);
        }
    }

    /// Plays the turn that has been found.
    fn release(&mut self, context: &mut Context) {
        let found = self.thinking.as_mut().and_then(|thinking| thinking.turn.take());
        if let Some(turn) = found {
            self.thinking = None;
            self.play(&turn, context);
        }
    }

    /// Lets the right clock run, and returns whether somebody has just lost on time.
    fn tend_clock(&mut self, now: Instant) -> bool {
        // A server has the clocks of its games, and says who has run out of time.
        if self.is_online() {
            return false;
        }
        let rests = self.dialog.is_some() || self.pace.rests;
        self.sitting.tend_clock(rests, now)
    }

    /// How long until the screen changes by itself.
    pub fn next_tick(&self, now: Instant) -> Option<Duration> {
        let due = self.due().map(|due| due.saturating_duration_since(now));
        let spinner = self.thinking.as_ref().filter(|t| t.turn.is_none());
        let spinner = spinner.map(|_| Duration::from_millis(120));
        let running = self.sitting.state.course.clock.as_ref().and_then(|clock| clock.running());
        let left = running.and_then(|player| self.sitting.left(player, now));
        let second = left.map(|left| {
            let step = if left < 11_000 { 100 } else { 1000 };
            Duration::from_millis(left.unsigned_abs() % step + 1)
        });
        let motion = self.motion.as_ref().and_then(|motion| motion.next(now));
        [due, spinner, second, motion].into_iter().flatten().min()
    }

    /// Asks for a name to save the game under.
    fn ask_name(&mut self, context: &Context) {
        let name = context.saves.free_name(&self.record(context));
        self.typing = Typing::Name(Field::new(&name, |name| name.chars().count() <= LONGEST_NAME));
    }

    fn record(&self, context: &Context) -> rules::record::Record {
        let tree = self.sitting_to_save();
        tree.as_ref().unwrap_or(&self.sitting).record(context.now)
    }

    /// Saves the game under a name; a refused one stays, so that it can be corrected.
    fn save(&mut self, name: &str, context: &Context) {
        match context.saves.save(name, &self.record(context)) {
            Ok(path) => {
                self.typing = Typing::Nothing;
                self.say(format!("saved as {}", path.display()));
            }
            Err(trouble) => self.warn(trouble),
        }
    }

    fn time(&self, player: Player, now: Instant) -> Option<String> {
        self.sitting.left(player, now).map(table::clock::shown)
    }
}
