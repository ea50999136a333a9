//! A game on the screen: its state, and what changes it apart from keys.

mod dialog;
mod explore;
mod keys;
mod motion;
mod online;
mod panel;
mod study;
mod task;
mod typing;
mod view;

use super::app::{Next, Shared};
use super::cursor::Cursor;
use super::picker::{Picked, Picker};
use crate::online::Remote;
use crate::saves::Slot;
use crate::table::clock;
use crate::table::work::{Found, Job, Report};
use crate::table::{Sitter, Table};
use dialog::Dialog;
use engine::{Analysis, Limits, Session};
use explore::Explore;
use motion::Motion;
use rules::Player;
use rules::diagram::Diagram;
use rules::record::Verdict;
use std::time::{Duration, Instant};
use study::{Retry, Study};
use task::Task;
use typing::Typing;

/// How many milliseconds a computer's turn stays on the screen before the next, from slow to fast.
const SPEEDS: [u64; 6] = [4000, 2000, 1000, 500, 250, 0];
/// The usual speed.
const SPEED: usize = 2;
/// How long a person's turn can be seen before the answer.
const BREATH: Duration = Duration::from_millis(250);
/// How long the engine looks at a position for a hint or its bar.
const GLANCE: Duration = Duration::from_millis(1500);
/// How many lines an analysis shows.
const LINES: usize = 4;

/// A computer's player at work.
struct Thinking {
    job: Job,
    view: Option<Analysis>,
    since: Instant,
    /// The turn it has found, until it is time to play it.
    turn: Option<String>,
}

/// The engine's opinion of the position on the screen.
struct Watch {
    job: Job,
    view: Option<Analysis>,
    is_done: bool,
}

/// What is shown beside the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Shown {
    flipped: bool,
    hint: bool,
    bar: bool,
    analysis: bool,
    /// Whether `h` moves the cursor: from the first `j`, `k` or `l` until an arrow key.
    vi: bool,
    /// Whether the panel is shown instead of the board, where both do not fit.
    panel: bool,
    /// The cursor, and whether it is visible.
    cursor: Cursor,
    has_cursor: bool,
}

/// A message that stays until the next key.
struct Note {
    text: String,
    is_warning: bool,
}

/// A game on the screen.
pub struct Play {
    /// The game and its players.
    pub table: Table,
    slot: Option<Slot>,
    /// The turns and the result of the game when it was last put to the finished ones.
    finished: Option<String>,
    /// The name under which it is about to be saved.
    naming: Option<String>,
    picker: Picker,
    typing: Option<Typing>,
    /// What was shown before the last letter, in case it begins a typed move.
    before: Option<(char, Shown)>,
    shown: Shown,
    note: Option<Note>,
    dialog: Option<Dialog>,
    thinking: Option<Thinking>,
    watch: Option<Watch>,
    /// How many turns are shown, when looking back.
    review: Option<usize>,
    /// The position on the screen, when looking back.
    past: Option<Box<dyn Session>>,
    /// What the original program thinks of the position on the screen, if there is such a program.
    values: Option<[f64; 2]>,
    /// While a hint is shown, the turns that each of its players chooses from.
    advice: Vec<(String, Vec<String>)>,
    /// How computers play each other: paused, at which speed, or one turn for each key.
    rests: bool,
    speed: usize,
    waits: bool,
    last_turn: Instant,
    /// The puzzle that is being tried.
    task: Option<Task>,
    /// The server that the game is on.
    remote: Option<Remote>,
    /// Where the user wants to go while the server has not acknowledged everything.
    leaving: Option<Box<Next>>,
    /// What the engine says of the whole game.
    study: Option<Study>,
    /// Another try at a turn of a game that is gone over.
    retry: Option<Retry>,
    /// The tree of a board on which everything can be tried.
    explore: Option<Explore>,
    /// Which of the engine's lines is chosen.
    line: usize,
    /// The pieces of the last turn, while they are on their way.
    motion: Option<Motion>,
}

impl Play {
    /// A game that begins or goes on.
    pub fn new(table: Table, slot: Option<Slot>, shared: &mut Shared) -> Play {
        let mut play = Play::bare(table, slot, shared);
        play.refresh(shared);
        play
    }

    /// A game of which nothing is kept and nothing follows yet.
    fn bare(table: Table, slot: Option<Slot>, shared: &Shared) -> Play {
        let choices = &shared.choices;
        // Two people want to find out for themselves who is better.
        let has_computer = !table.sitters.iter().all(Sitter::is_person);
        let person_is_second = !table.sitters[0].is_person() && table.sitters[1].is_person();
        let cursor = Cursor::middle(&table.game.diagram());
        let shown = Shown {
            bar: choices.bar && has_computer,
            flipped: person_is_second,
            cursor,
            ..Shown::default()
        };
        let speed = choices.speed.unwrap_or(SPEED).min(SPEEDS.len() - 1);
        let waits = choices.wait;
        let mut play = Play {
            table,
            slot,
            finished: None,
            naming: None,
            picker: Picker::default(),
            typing: None,
            before: None,
            shown,
            note: None,
            dialog: None,
            thinking: None,
            watch: None,
            review: None,
            past: None,
            values: None,
            advice: Vec::new(),
            rests: false,
            speed,
            waits,
            last_turn: shared.now,
            task: None,
            remote: None,
            leaving: None,
            study: None,
            retry: None,
            explore: None,
            line: 0,
            motion: None,
        };
        // A game that had ended before it was opened is kept already.
        play.finished = play.table.result().is_some().then(|| play.course());
        play
    }

    /// The turns and the result, in one text.
    fn course(&self) -> String {
        let result = Verdict::from(self.table.result());
        format!("{} {result}", self.table.game.history().join(" "))
    }

    /// The position on the screen.
    fn game(&self) -> &dyn Session {
        self.past.as_deref().unwrap_or(self.table.game.as_ref())
    }

    /// The cell that the keys have reached, and whether one sees it.
    #[cfg(test)]
    pub fn cursor(&self) -> (Cursor, bool) {
        (self.shown.cursor, self.shown.has_cursor)
    }

    /// Whether the board is turned round.
    #[cfg(test)]
    pub fn is_flipped(&self) -> bool {
        self.shown.flipped
    }

    /// The position on the screen, without the turns that led there.
    pub fn bare_position(&self) -> Option<Box<dyn Session>> {
        let game = self.game();
        (self.table.entry.from_text)(&game.text(), &game.options()).ok()
    }

    /// The position on the screen as a drawing, with all marks.
    fn diagram(&self) -> Diagram {
        let mut diagram = match self.review {
            Some(_) => self.game().diagram(),
            None => self.table.diagram(self.game()),
        };
        if self.review.is_none() && self.table.person().is_some() {
            diagram.marks.selected = self.picker.selected();
            // At the start of a turn that would often be the whole board.
            if !self.picker.is_idle() {
                diagram.marks.targets = self.picker.landings();
            } else if self.has_few_targets(&diagram) {
                diagram.marks.targets = self.picker.targets();
            }
        }
        if self.shown.hint {
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

    /// Whether marking all targets is of any use.
    fn has_few_targets(&self, diagram: &Diagram) -> bool {
        3 * self.picker.targets().len() <= diagram.cells.len()
    }

    /// Everything that follows from a new position: input, thinking, keeping, the clock.
    fn refresh(&mut self, shared: &mut Shared) {
        self.picker = match self.table.person() {
            Some(_) => Picker::new(self.table.game.steps()),
            None => Picker::default(),
        };
        self.typing = None;
        self.shown.hint = false;
        self.look_back(None);
        self.thinking = None;
        self.keep(shared);
        self.tend_clock(shared.now);
        self.think(shared);
        self.look_on(shared);
    }

    /// Lets the computer think if it is to move and the game is not paused.
    fn think(&mut self, shared: &mut Shared) {
        let Some(player) = self.table.computer() else { return };
        if self.thinking.is_some() || (self.rests && !self.table.is_unattended()) {
            return;
        }
        let table = &self.table;
        let sitter = table.sitter(player);
        let clock = table.clock.as_ref().map(|clock| clock.limits(player, shared.now));
        let limits = sitter.limits(clock);
        let job = shared.worker.turn(table.entry, table.game.as_ref(), &sitter.who, limits);
        self.thinking = Some(Thinking { job, view: None, since: shared.now, turn: None });
    }

    /// Writes an unfinished game to its file, and puts a finished one to the others.
    fn keep(&mut self, shared: &Shared) {
        // The server keeps its own games until they end.
        let is_elsewhere = self.remote.is_some() && self.table.result().is_none();
        let is_tried = self.task.is_some() || self.retry.is_some() || self.is_exploring();
        if is_tried || is_elsewhere || self.looks_on() {
            return;
        }
        let kept = match self.table.result() {
            Some(_) => self.finish(shared),
            None if self.table.game.turns_played() == 0 && self.slot.is_none() => Ok(()),
            None => shared.saves.keep(&mut self.slot, &self.table.record(shared.now)),
        };
        if let Err(trouble) = kept {
            self.warn(format!("this game could not be kept: {trouble}"));
        }
    }

    /// Keeps a game that has ended, once.
    fn finish(&mut self, shared: &Shared) -> Result<(), String> {
        let course = self.course();
        if self.table.game.turns_played() == 0 || self.finished.as_ref() == Some(&course) {
            return shared.saves.forget(&mut self.slot);
        }
        shared.saves.finish(&mut self.slot, &self.table.record(shared.now))?;
        self.finished = Some(course);
        Ok(())
    }

    /// Starts or ends the engine's search of the position on the screen, as hint, bar and analysis need it.
    fn look_on(&mut self, shared: &mut Shared) {
        self.watch = None;
        self.line = 0;
        self.values = self.game().seed_value().filter(|_| !self.plays_online());
        self.advice.clear();
        if self.game().result().is_some() {
            return;
        }
        if self.plays_online() {
            (self.shown.hint, self.shown.bar, self.shown.analysis) = (false, false, false);
            return;
        }
        if self.shown.hint || self.is_advised(shared) {
            self.advice = self.game().seed_best();
        }
        let limits = match self.shown {
            Shown { analysis: true, .. } => Limits { lines: LINES, ..Limits::default() },
            Shown { bar: true, .. } | Shown { hint: true, .. } => Limits::time(GLANCE),
            _ if self.retry.is_some() && self.table.game.turns_played() > 0 => Limits::time(GLANCE),
            _ => return,
        };
        let job = shared.worker.watch(self.table.entry, self.game(), limits);
        self.watch = Some(Watch { job, view: None, is_done: false });
    }

    /// Whether the original program's proposal is shown without being asked for.
    fn is_advised(&self, shared: &Shared) -> bool {
        shared.choices.advice
            && self.task.is_none()
            && self.review.is_none()
            && self.table.person().is_some()
    }

    /// Shows the position after this many turns, or the present one.
    fn look_back(&mut self, turns: Option<usize>) {
        let played = self.table.game.turns_played();
        self.review = turns.filter(|turns| *turns < played);
        self.past = self.review.map(|turns| {
            let mut game = self.table.game.boxed_clone();
            game.rewind(turns);
            game
        });
    }

    /// Tells of something that went wrong elsewhere.
    pub fn warn_of(&mut self, trouble: &str) {
        self.warn(trouble);
    }

    fn warn(&mut self, text: impl Into<String>) {
        self.note = Some(Note { text: text.into(), is_warning: true });
    }

    fn say(&mut self, text: impl Into<String>) {
        self.note = Some(Note { text: text.into(), is_warning: false });
    }

    /// Plays what a person or a computer has decided.
    fn play(&mut self, text: &str, shared: &mut Shared) {
        if !self.may_branch() {
            return;
        }
        let before = (!shared.choices.still).then(|| self.table.game.diagram());
        match self.table.play(text, shared.now) {
            Ok(()) => {
                self.motion = before.and_then(|before| Motion::new(before, self, shared.now));
                self.last_turn = shared.now;
                self.note = None;
                self.branch();
                self.send_turn();
                self.refresh(shared);
                self.note_solved(shared);
            }
            Err(reason) => {
                // What was typed is on the screen already, and the reason alone fits beside it.
                let known = format!("`{text}` is not legal here: ");
                self.warn(reason.strip_prefix(&known).unwrap_or(&reason));
            }
        }
    }

    /// Continues a move that is being entered.
    fn picked(&mut self, picked: Picked, shared: &mut Shared) {
        match picked {
            Picked::More => self.note = None,
            Picked::Move(text) => self.play(&text, shared),
            Picked::Refused(reason) => self.warn(reason),
        }
    }

    /// Takes in a report of a thread; those of earlier jobs are dropped.
    pub fn hear(&mut self, report: Report, shared: &mut Shared) {
        let Report { job, found } = report;
        if let Some(watch) = self.watch.as_mut().filter(|watch| watch.job.is(job)) {
            match found {
                Found::News(view) => watch.view = Some(view),
                Found::Done | Found::Turn(_) | Found::Judged(_) => watch.is_done = true,
            }
            return;
        }
        if let Some(study) = self.study.as_mut().filter(|study| study.job.is(job)) {
            match found {
                Found::Judged(judged) => study.hear(judged),
                _ => study.end(),
            }
            return;
        }
        let Some(thinking) = self.thinking.as_mut().filter(|t| t.job.is(job)) else {
            if let Some(behind) = self.game_behind() {
                behind.hear(Report { job, found }, shared);
            }
            return;
        };
        match found {
            Found::News(view) => thinking.view = Some(view),
            Found::Turn(Some(turn)) => {
                thinking.turn = Some(turn);
                self.tick(shared);
            }
            Found::Turn(None) | Found::Done | Found::Judged(_) => {
                self.rests = true;
                self.thinking = None;
                self.warn("the computer found no turn: space lets it try again, u takes back");
            }
        }
    }

    /// When a turn that has been found is to be played; never while the game is paused.
    fn due(&self) -> Option<Instant> {
        self.thinking.as_ref()?.turn.as_ref()?;
        if self.dialog.is_some() || self.rests || (self.table.is_unattended() && self.waits) {
            return None;
        }
        let pause = match self.table.is_unattended() {
            true => Duration::from_millis(SPEEDS[self.speed]),
            false => BREATH,
        };
        Some(self.last_turn + pause)
    }

    /// Does what is due.
    pub fn tick(&mut self, shared: &mut Shared) {
        if self.tend_clock(shared.now) {
            self.refresh(shared);
        }
        if self.due().is_some_and(|due| due <= shared.now) {
            self.release(shared);
        }
    }

    /// Plays the turn that has been found.
    fn release(&mut self, shared: &mut Shared) {
        let found = self.thinking.as_mut().and_then(|thinking| thinking.turn.take());
        if let Some(turn) = found {
            self.thinking = None;
            self.play(&turn, shared);
        }
    }

    /// Lets the right clock run, and says whether somebody has just lost on time.
    fn tend_clock(&mut self, now: Instant) -> bool {
        // A server has the clocks of its games, and says who has run out of time.
        if self.remote.is_some() {
            return false;
        }
        let rests = self.dialog.is_some() || self.rests;
        self.table.tend_clock(rests, now).is_some()
    }

    /// How long until the screen changes by itself.
    pub fn next_tick(&self, now: Instant) -> Option<Duration> {
        let due = self.due().map(|due| due.saturating_duration_since(now));
        let spinner = self.thinking.as_ref().filter(|t| t.turn.is_none());
        let spinner = spinner.map(|_| Duration::from_millis(120));
        let clock = self.table.clock.as_ref();
        let second = clock.and_then(|clock| {
            let left = clock.left(clock.running()?, now);
            let step = if left < Duration::from_secs(11) { 100 } else { 1000 };
            Some(Duration::from_millis(left.as_millis() as u64 % step + 1))
        });
        let motion = self.motion.as_ref().and_then(|motion| motion.next(now));
        [due, spinner, second, motion].into_iter().flatten().min()
    }

    /// Asks for a name to save the game under.
    fn ask_name(&mut self, shared: &Shared) {
        self.naming = Some(shared.saves.free_name(&self.record(shared)));
    }

    /// The record that is saved.
    fn record(&self, shared: &Shared) -> rules::record::Record {
        let tree = self.table_to_save();
        tree.as_ref().unwrap_or(&self.table).record(shared.now)
    }

    /// Saves the game under a name; a refused one stays, so that it can be corrected.
    fn save(&mut self, name: &str, shared: &Shared) {
        match shared.saves.save(name, &self.record(shared)) {
            Ok(path) => {
                self.naming = None;
                self.say(format!("saved as {}", path.display()));
            }
            Err(trouble) => self.warn(trouble),
        }
    }

    /// What a player's clock shows.
    fn time(&self, player: Player, now: Instant) -> Option<String> {
        self.table.clock.as_ref().map(|clock| clock::shown(clock.left(player, now)))
    }
}
