//! Bots that play at any server, and remember what they were told.

use crate::wire::Line;
use engine::Session;
use engine::playouts::random_turn;
use rules::random::Random;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What all bots share.
pub struct Stage<'a> {
    pub addresses: &'a [String],
    /// How many bots there are: the more, the longer each waits, so that the machine has time for all.
    pub bots: usize,
    /// Set to end them.
    pub over: &'a AtomicBool,
    /// When everything was repaired, in milliseconds since `began`; 0 before.
    pub healed: &'a AtomicU64,
    pub began: Instant,
}

impl Stage<'_> {
    fn now(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    /// One request to a random server; none if there was no answer.
    fn ask(
        &self,
        dice: &mut Random,
        method: &str,
        path: &str,
        token: &str,
        body: &str,
    ) -> Option<(u16, String)> {
        let address = &self.addresses[dice.below(self.addresses.len())];
        let mut line = Line::patient(address, Duration::from_millis(2_500))?;
        line.ask(method, path, token, body)
    }
}

/// A game, and what was said about it.
pub struct Story {
    pub id: String,
    /// Whether the second seat is a computer's.
    pub computer: bool,
    pub game: &'static str,
    /// The commands that were sent, by name, and the event number of each if that was told.
    pub sent: BTreeMap<String, (String, Option<u64>)>,
    /// Every event that any bot was sent, with its content.
    pub seen: BTreeMap<u64, String>,
    /// The clocks that were sent with each: a pause may become known later.
    pub clocks: BTreeMap<u64, HashSet<String>>,
    /// Observations that must never occur.
    pub wrong: Vec<String>,
    /// When it was made, in milliseconds since the start.
    pub made: u64,
    /// Whether it has come to its end.
    pub ended: bool,
    /// How long after the repair of everything it went on, in milliseconds.
    pub went_on: Option<u64>,
}

impl Story {
    fn see(&mut self, event: &Value) {
        let Some(seq) = event["seq"].as_u64() else { return };
        let mut event = event.clone();
        let left = event["clocks"]["left"].take();
        self.clocks.entry(seq).or_default().insert(left.to_string());
        let text = event.to_string();
        if let Some(before) = self.seen.get(&seq)
            && *before != text
        {
            self.wrong.push(format!("event {seq} was sent as {before} and as {text}"));
        }
        self.seen.insert(seq, text);
    }
}

/// Plays games one after the other until all is over; gives the stories of all.
pub fn play(stage: &Stage<'_>, seed: u64) -> Vec<Story> {
    let mut dice = Random::new(seed);
    let mut stories = Vec::new();
    while !stage.is_over() {
        let Some(mut bot) = Bot::make(stage, &mut dice) else {
            std::thread::sleep(Duration::from_millis(50));
            continue;
        };
        while !stage.is_over() && bot.session.result().is_none() {
            bot.turn(stage, &mut dice);
            let wait = stage.bots * (2 + dice.below(8));
            std::thread::sleep(Duration::from_millis(wait as u64));
        }
        bot.story.ended = bot.session.result().is_some();
        stories.push(bot.story);
    }
    stories
}

struct Bot {
    story: Story,
    tokens: [String; 2],
    session: Box<dyn Session>,
    commands: usize,
}

impl Bot {
    fn make(stage: &Stage<'_>, dice: &mut Random) -> Option<Bot> {
        let entry = &engine::GAMES[dice.below(engine::GAMES.len())];
        let computer = dice.below(4) == 0;
        let person = json!({ "kind": "person" });
        let second = if computer { json!({ "kind": "level", "level": 1 }) } else { person.clone() };
        let clock = json!({ "kind": "time", "seconds": 3_600, "increment": 1 });
        let wanted = json!({ "game": entry.info.id, "seats": [person, second], "clock": clock });
        let (status, body) = stage.ask(dice, "POST", "/api/games", "", &wanted.to_string())?;
        if status != 201 {
            return None;
        }
        let made: Value = serde_json::from_str(&body).ok()?;
        let story = Story {
            id: made["id"].as_str()?.to_owned(),
            computer,
            game: entry.info.id,
            sent: BTreeMap::new(),
            seen: BTreeMap::new(),
            clocks: BTreeMap::new(),
            wrong: Vec::new(),
            made: stage.now(),
            ended: false,
            went_on: None,
        };
        let tokens = [0, 1].map(|i| made["tokens"][i].as_str().unwrap_or_default().to_owned());
        let session = (entry.start)(&Default::default()).unwrap();
        Some(Bot { story, tokens, session, commands: 0 })
    }

    /// Plays a turn for the player to move, or waits for the computer.
    fn turn(&mut self, stage: &Stage<'_>, dice: &mut Random) {
        if self.story.computer && self.session.turn() == rules::Player::Two {
            self.look(stage, dice);
            return;
        }
        self.commands += 1;
        let name = format!("c{}", self.commands);
        let turn = random_turn(self.session.as_ref(), dice);
        self.story.sent.insert(name.clone(), (turn.clone(), None));
        let wish = json!({ "type": "move", "turn": turn, "command": name }).to_string();
        let path = format!("/api/games/{}/commands", self.story.id);
        let token = self.tokens[self.session.turn().index()].clone();
        // Until any server answers. Now and then it is sent twice.
        while !stage.is_over() {
            let answer = stage.ask(dice, "POST", &path, &token, &wish);
            match answer {
                Some((200, body)) => {
                    let told: Value = serde_json::from_str(&body).unwrap();
                    let seq = told["seq"].as_u64();
                    let own = self.story.sent.entry(name.clone()).or_default();
                    if own.1.is_some() && own.1 != seq {
                        self.story
                            .wrong
                            .push(format!("{name} was acknowledged as {:?} and {seq:?}", own.1));
                    }
                    own.1 = seq;
                    self.story.see(&told["event"]);
                    if dice.below(8) > 0 {
                        break;
                    }
                }
                Some((503 | 429, _)) | None => std::thread::sleep(Duration::from_millis(20)),
                Some((status, body)) => {
                    self.story.wrong.push(format!("{name} `{turn}` was refused: {status} {body}"));
                    return;
                }
            }
        }
        if self.story.sent[&name].1.is_some() {
            self.session.play(&turn).unwrap();
            self.goes_on(stage);
        }
        if dice.below(3) == 0 {
            self.look(stage, dice);
        }
    }

    fn goes_on(&mut self, stage: &Stage<'_>) {
        let healed = stage.healed.load(Ordering::SeqCst);
        if healed > 0 && self.story.went_on.is_none() {
            self.story.went_on = Some(stage.now().saturating_sub(healed));
        }
    }

    /// Looks at the events as somebody who watches, and plays those of the computer.
    fn look(&mut self, stage: &Stage<'_>, dice: &mut Random) {
        let after = self.story.seen.keys().next_back().copied().unwrap_or(0);
        let after = after.saturating_sub(dice.below(12) as u64);
        let path = format!("/api/games/{}/events?after={after}", self.story.id);
        let Some((200, body)) = stage.ask(dice, "GET", &path, "", "") else { return };
        let events: Vec<Value> =
            body.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
        for (seq, event) in (after + 1..).zip(&events) {
            if event["seq"] != seq {
                self.story.wrong.push(format!("{event} follows {}", seq - 1));
            }
            self.story.see(event);
        }
        let moves = self.story.seen.values().filter(|text| text.contains(r#""kind":"move""#));
        let moves: Vec<Value> = moves.map(|text| serde_json::from_str(text).unwrap()).collect();
        // Only without gaps: otherwise nothing is known.
        let known: HashSet<_> = self.story.seen.keys().copied().collect();
        let whole = (2..=self.story.seen.keys().next_back().copied().unwrap_or(0))
            .all(|seq| known.contains(&seq));
        let played = self.session.turns_played();
        if whole && moves.len() == played + 1 && moves[played]["seat"] == 2 && self.story.computer {
            let turn = moves[played]["turn"].as_str().unwrap();
            match self.session.play(turn) {
                Ok(_) => self.goes_on(stage),
                Err(error) => self.story.wrong.push(format!("the computer: {error}")),
            }
        }
    }
}
