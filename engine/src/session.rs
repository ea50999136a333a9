//! A match with its game type erased: all that user interfaces ever see.

use crate::play::Play;
use crate::playouts;
use crate::seed::About;
use rules::diagram::{Diagram, Gesture, Show, Trace};
use rules::game::{IllegalMove, ParseMoveError};
use rules::notation::{Notation, options_to_json, to_json};
use rules::perft::{perft, perft_turns};
use rules::random::Random;
use rules::record::{Node, Record, Variation, Verdict, turn_moves};
use rules::{Edit, Game, Info, Outcome, Player, SetupError};
use serde_json::{Map, Value};
use std::any::Any;

/// One legal move, as a user interface needs it.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its text.
    pub text: String,
    /// The taps that spell it.
    pub gesture: Gesture,
    /// What it does on the board.
    pub trace: Trace,
}

/// A whole turn and the position after it.
#[derive(Clone, Debug)]
pub struct Child {
    /// The turn's text.
    pub turn: String,
    /// The position after it, as JSON.
    pub position: Value,
    /// The result, if the turn ends the game.
    pub outcome: Option<Outcome>,
}

/// A text that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PlayError(pub String);

impl From<IllegalMove> for PlayError {
    fn from(error: IllegalMove) -> Self {
        PlayError(error.to_string())
    }
}

impl From<ParseMoveError> for PlayError {
    fn from(error: ParseMoveError) -> Self {
        PlayError(error.to_string())
    }
}

/// A match: a position and the moves that led to it. One virtual call per user action, none in a
/// search.
pub trait Session: Send {
    /// Name, options and rules page.
    fn info(&self) -> &'static Info;
    /// The options that differ from the default.
    fn options(&self) -> Map<String, Value>;
    /// Whose decision is next.
    fn turn(&self) -> Player;
    /// The result by the rules of the position alone.
    fn outcome(&self) -> Option<Outcome>;
    /// The result of the match: also drawn when a position occurs for the third time.
    fn result(&self) -> Option<Outcome>;
    /// Whether a turn has begun and is not complete.
    fn in_turn(&self) -> bool;
    /// Every legal move, in the game's order.
    fn steps(&self) -> Vec<Step>;
    /// Every legal whole turn, sorted by text.
    fn turns(&self) -> Vec<String>;
    /// Every legal whole turn with the position after it, sorted by text.
    fn children(&self) -> Vec<Child>;
    /// Plays a move or a whole turn, or says why not and changes nothing.
    fn play(&mut self, text: &str) -> Result<(), PlayError>;
    /// Takes back the last move; says whether there was one.
    fn undo(&mut self) -> bool;
    /// Takes back the last turn, or what there is of it; says whether there was one.
    fn undo_turn(&mut self) -> bool;
    /// Takes back turns until no more than this many are left.
    fn rewind(&mut self, turns: usize) {
        while self.turns_played() > turns && self.undo_turn() {}
    }
    /// How many turns have been played, an incomplete one included.
    fn turns_played(&self) -> usize;
    /// The text of the last turn, which may be incomplete.
    fn last_turn(&self) -> Option<String>;
    /// The texts of all turns so far; the last may be incomplete.
    fn history(&self) -> Vec<String>;
    /// Who was to move where the match began.
    fn first_player(&self) -> Player;
    /// A match that begins where this one began, with nothing played.
    fn start(&self) -> Box<dyn Session>;
    /// The position as JSON.
    fn position(&self) -> Value;
    /// The position in one line.
    fn text(&self) -> String;
    /// The image of the position that stands for all of them, in one line, and which one it is.
    fn canonical(&self) -> (String, usize);
    /// The legal move that becomes this one in an image.
    fn move_of_image(&self, text: &str, which: usize) -> Option<String>;
    /// The position as a Prolog term, where the game has one.
    fn term(&self) -> Option<String>;
    /// The drawing, with the last turn marked.
    fn diagram(&self) -> Diagram;
    /// What each move of the last turn did on the board.
    fn last_traces(&self) -> Vec<Trace>;
    /// The match as a record, with these tags behind the game's own. A match that was read from a record
    /// and not changed gives that record back when no tags are asked for.
    fn record(&self, tags: &[(&str, &str)]) -> Record;
    /// Perft from here, by first move; `turns` counts whole turns. Each row is shown as it is found.
    fn perft(&self, depth: u32, turns: bool, row: &mut dyn FnMut(&str, u64));
    /// Plays random games from here for a while and counts them and their moves.
    fn playouts(&self, count: u64, seed: u64) -> playouts::Count;
    /// The players of the game's seed, in the order of its menu; none of a game without a seed.
    fn seed_players(&self) -> Vec<About>;
    /// The seed's evaluation, from player 1's and from player 2's own view, where there is a seed.
    fn seed_value(&self) -> Option<[f64; 2]>;
    /// By name, the turns that each seed player who does not play at random draws from, sorted by text;
    /// empty when the game is over.
    fn seed_best(&self) -> Vec<(String, Vec<String>)>;
    /// The turn that a seed's player makes; none when the game is over or has no such player.
    fn seed_choose(&self, id: &str, random: &mut Random) -> Option<String>;
    /// A match that begins with this position after a change by hand, or why there is no such position.
    fn edited(&self, edit: Edit) -> Result<Box<dyn Session>, SetupError>;
    /// A copy.
    fn boxed_clone(&self) -> Box<dyn Session>;
    /// The match with its type, for the engine.
    fn as_any(&self) -> &dyn Any;
}

/// A move that was played.
#[derive(Clone, Debug)]
struct Past<G: Game> {
    /// The position before it.
    before: G,
    m: G::Move,
    /// Which turn it belongs to, from 1.
    turn: usize,
}

/// The one implementation of [`Session`].
#[derive(Clone, Debug)]
pub struct Match<G: Game> {
    pos: G,
    past: Vec<Past<G>>,
    /// The record that tells this match, with its remarks and variations, until something is played.
    told: Option<Record>,
}

impl<G: Notation + Show> Match<G> {
    /// A match that begins here.
    pub fn new(pos: G) -> Self {
        Match { pos, past: Vec::new(), told: None }
    }

    /// The match that a record tells.
    pub fn from_record(record: &Record) -> Result<Self, rules::record::RecordError> {
        let replay = record.replay::<G>()?;
        let mut game = Match::new(replay.start);
        replay.turns.into_iter().flatten().for_each(|m| game.make(m));
        game.told = Some(record.clone());
        Ok(game)
    }

    /// The present position.
    pub fn position(&self) -> &G {
        &self.pos
    }

    /// The keys of the positions before the present one.
    pub fn past_keys(&self) -> Vec<u64> {
        self.past.iter().map(|past| past.before.key()).collect()
    }

    fn make(&mut self, m: G::Move) {
        self.told = None;
        let turn = match self.past.last() {
            Some(last) if last.before.turn() == self.pos.turn() => last.turn,
            last => last.map_or(0, |last| last.turn) + 1,
        };
        self.past.push(Past { before: self.pos.clone(), m, turn });
        self.pos.play_unchecked(m);
    }

    fn first_position(&self) -> &G {
        self.past.first().map_or(&self.pos, |past| &past.before)
    }

    fn turn_number(&self) -> usize {
        self.past.last().map_or(0, |past| past.turn)
    }

    /// The moves of the last turn.
    fn last_moves(&self) -> &[Past<G>] {
        let turn = self.turn_number();
        let length = self.past.iter().rev().take_while(|past| past.turn == turn).count();
        self.past.get(self.past.len() - length..).unwrap_or_default()
    }

    fn turn_list(&self) -> Vec<(String, G)> {
        let mut turns = Vec::new();
        append_turns(&self.pos, "", &mut turns);
        turns.sort_by_cached_key(|(text, _)| text.clone());
        turns
    }
}

fn turn_text<G: Game>(turn: &[Past<G>]) -> String {
    turn.iter().map(|past| past.m.to_string()).collect()
}

fn moves_text<G: Game>(turn: &[G::Move]) -> String {
    turn.iter().map(G::Move::to_string).collect()
}

/// Every whole turn from here, with the position after it.
fn append_turns<G: Game>(pos: &G, prefix: &str, out: &mut Vec<(String, G)>) {
    for m in pos.moves() {
        let next = pos.after(m);
        let text = format!("{prefix}{m}");
        if next.turn() == pos.turn() && next.outcome().is_none() {
            append_turns(&next, &text, out);
        } else {
            out.push((text, next));
        }
    }
}

impl<G: Play> Session for Match<G> {
    fn info(&self) -> &'static Info {
        G::INFO
    }

    fn options(&self) -> Map<String, Value> {
        options_to_json(&self.pos.options())
    }

    fn turn(&self) -> Player {
        self.pos.turn()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.pos.outcome()
    }

    fn result(&self) -> Option<Outcome> {
        let same = self.past.iter().filter(|past| past.before == self.pos).count();
        self.pos.outcome().or((same >= 2).then_some(Outcome::Draw))
    }

    fn in_turn(&self) -> bool {
        self.past.last().is_some_and(|past| past.before.turn() == self.pos.turn())
    }

    fn steps(&self) -> Vec<Step> {
        let step = |m: G::Move| Step {
            text: m.to_string(),
            gesture: self.pos.gesture(m),
            trace: self.pos.trace(m),
        };
        self.pos.moves().into_iter().map(step).collect()
    }

    fn turns(&self) -> Vec<String> {
        self.turn_list().into_iter().map(|(text, _)| text).collect()
    }

    fn children(&self) -> Vec<Child> {
        let child = |(turn, next): (String, G)| Child {
            turn,
            position: to_json(&next),
            outcome: next.outcome(),
        };
        self.turn_list().into_iter().map(child).collect()
    }

    fn play(&mut self, text: &str) -> Result<(), PlayError> {
        turn_moves(&self.pos, text).map_err(PlayError)?.into_iter().for_each(|m| self.make(m));
        Ok(())
    }

    fn undo(&mut self) -> bool {
        let Some(past) = self.past.pop() else { return false };
        self.told = None;
        self.pos = past.before;
        true
    }

    fn undo_turn(&mut self) -> bool {
        let turn = self.turn_number();
        while turn > 0 && self.turn_number() == turn && self.undo() {}
        turn > 0
    }

    fn turns_played(&self) -> usize {
        self.turn_number()
    }

    fn last_turn(&self) -> Option<String> {
        let turn = self.last_moves();
        (!turn.is_empty()).then(|| turn_text(turn))
    }

    fn history(&self) -> Vec<String> {
        self.past.chunk_by(|a, b| a.turn == b.turn).map(turn_text).collect()
    }

    fn first_player(&self) -> Player {
        self.first_position().turn()
    }

    fn start(&self) -> Box<dyn Session> {
        Box::new(Match::new(self.first_position().clone()))
    }

    fn position(&self) -> Value {
        to_json(&self.pos)
    }

    fn text(&self) -> String {
        self.pos.text()
    }

    fn canonical(&self) -> (String, usize) {
        let (image, which) = self.pos.canonical();
        (image.text(), which)
    }

    fn move_of_image(&self, text: &str, which: usize) -> Option<String> {
        Some(self.pos.move_of_image(text.parse().ok()?, which)?.to_string())
    }

    fn term(&self) -> Option<String> {
        Some(self.pos.term()?.to_string())
    }

    fn diagram(&self) -> Diagram {
        let mut diagram = self.pos.diagram();
        self.last_traces().iter().for_each(|trace| diagram.marks.add(trace));
        if self.outcome().is_none() && self.result().is_some() {
            diagram.turn = None;
            diagram.status = "a draw: the same position for the third time".into();
        }
        diagram
    }

    fn last_traces(&self) -> Vec<Trace> {
        self.last_moves().iter().map(|past| past.before.trace(past.m)).collect()
    }

    fn record(&self, tags: &[(&str, &str)]) -> Record {
        if let Some(told) = self.told.as_ref().filter(|_| tags.is_empty()) {
            return told.clone();
        }
        let mut all = vec![("Game".to_owned(), G::INFO.id.to_owned())];
        let value = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
        let options: Vec<_> =
            self.options().iter().map(|(name, v)| format!("{name}={}", value(v))).collect();
        if !options.is_empty() {
            all.push(("Options".into(), options.join(", ")));
        }
        let start = self.first_position();
        if G::new(&start.options()).as_ref() != Ok(start) {
            all.push(("Position".into(), start.text()));
        }
        all.extend(tags.iter().map(|(name, value)| ((*name).into(), (*value).into())));
        let result = Verdict::from(self.result());
        all.push(("Result".into(), result.to_string()));
        let nodes = self.history().into_iter().map(Node::new).collect();
        Record { tags: all, main: Variation { comment: String::new(), nodes }, result }
    }

    fn perft(&self, depth: u32, turns: bool, row: &mut dyn FnMut(&str, u64)) {
        if depth == 0 {
            return;
        }
        for m in self.pos.moves() {
            let next = self.pos.after(m);
            let done = u32::from(!turns || next.turn() != self.pos.turn());
            let count = if turns { perft_turns::<G> } else { perft::<G> };
            row(&m.to_string(), count(&next, depth - done));
        }
    }

    fn playouts(&self, count: u64, seed: u64) -> playouts::Count {
        playouts::run(&self.pos, count, seed)
    }

    fn seed_players(&self) -> Vec<About> {
        let players = G::SEED.map_or(&[][..], |seed| seed.players);
        players.iter().map(|player| player.about).collect()
    }

    fn seed_value(&self) -> Option<[f64; 2]> {
        G::SEED.map(|seed| (seed.value)(&self.pos))
    }

    fn seed_best(&self) -> Vec<(String, Vec<String>)> {
        let texts = |(id, turns): (&str, Vec<Vec<G::Move>>)| {
            let mut texts: Vec<_> = turns.iter().map(|turn| moves_text::<G>(turn)).collect();
            texts.sort();
            (id.to_owned(), texts)
        };
        let best = G::SEED.map(|seed| seed.best_turns(&self.pos)).unwrap_or_default();
        best.into_iter().map(texts).collect()
    }

    fn seed_choose(&self, id: &str, random: &mut Random) -> Option<String> {
        G::SEED?.choose(&self.pos, id, random).map(|turn| moves_text::<G>(&turn))
    }

    fn edited(&self, edit: Edit) -> Result<Box<dyn Session>, SetupError> {
        Ok(Box::new(Match::new(self.pos.edited(edit)?)))
    }

    fn boxed_clone(&self) -> Box<dyn Session> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
