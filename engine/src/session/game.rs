//! The one implementation of [`Session`](super::Session).

use super::{Child, Counting, Course, PlayError, Position, SeedPlayers, Session, Step};
use crate::play::Play;
use crate::playouts;
use crate::seed::About;
use rules::diagram::{Diagram, Show, Trace};
use rules::notation::{Notation, options_to_json, to_json};
use rules::perft::{perft, perft_turns};
use rules::random::Random;
use rules::record::{Node, Record, Variation, Verdict, turn_moves};
use rules::{ByPlayer, Edit, Game, Info, Outcome, Player, SetupError, spoken};
use serde_json::{Map, Value};
use std::any::Any;

/// A move that was played.
#[derive(Clone, Debug)]
struct Past<G: Game> {
    /// The position before it.
    before: G,
    m: G::Move,
    /// Which turn it belongs to, from 1.
    turn: usize,
}

/// A match: a position and the moves that led to it.
#[derive(Clone, Debug)]
pub struct Match<G: Game> {
    pos: G,
    past: Vec<Past<G>>,
    /// The record this match was read from, with its comments and variations, until something is played.
    told: Option<Record>,
}

impl<G: Notation + Show> Match<G> {
    /// A match that starts from this position.
    pub fn new(pos: G) -> Self {
        Match { pos, past: Vec::new(), told: None }
    }

    /// The match of a record.
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
        self.pos.each_turn(|moves, next| turns.push((moves_text::<G>(moves), next)));
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

impl<G: Play> Position for Match<G> {
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

    fn lead(&self) -> Option<(Player, String)> {
        self.pos.lead()
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
}

impl<G: Play> Course for Match<G> {
    fn result(&self) -> Option<Outcome> {
        let same = self.past.iter().filter(|past| past.before == self.pos).count();
        self.pos.outcome().or((same >= 2).then_some(Outcome::Draw))
    }

    fn in_turn(&self) -> bool {
        self.past.last().is_some_and(|past| past.before.turn() == self.pos.turn())
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

    fn last_effect(&self) -> Option<String> {
        let turn = self.last_turn()?;
        let moves = self.last_moves();
        let effects: Vec<_> =
            moves.iter().map(|past| spoken::effect(&past.before, past.m)).collect();
        Some(format!("{turn}: {}", effects.join("; ")))
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
}

impl<G: Play> SeedPlayers for Match<G> {
    fn seed_players(&self) -> Vec<About> {
        let players = G::SEED.map_or(&[][..], |seed| seed.players);
        players.iter().map(|player| player.about).collect()
    }

    fn seed_value(&self) -> Option<ByPlayer<f64>> {
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
}

impl<G: Play> Counting for Match<G> {
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
}

impl<G: Play> Session for Match<G> {
    fn start(&self) -> Box<dyn Session> {
        Box::new(Match::new(self.first_position().clone()))
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
