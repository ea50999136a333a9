//! A game as its events have made it.

use crate::clock::Clock;
use crate::event::{Created, Event, Fact, Reason, Request, Seat, Sitter, clocks_now};
use crate::ids::{Hash, hash};
use engine::Session;
use engine::levels;
use rules::Player;
use rules::record::{Record, Verdict};
use serde_json::{Map, Value, json};
use std::hash::{DefaultHasher, Hash as _, Hasher};

/// Events that do not follow from those before them: the store was damaged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {seq} of game {game}: {reason}")]
pub struct Damaged {
    /// The game.
    pub game: String,
    /// The event.
    pub seq: i64,
    /// What is wrong with it.
    pub reason: String,
}

/// How far a request for another game has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rematch {
    /// A player has asked.
    Asked(Player),
    /// It has been made.
    Made(String),
}

/// A game at one moment. Everything but the tokens follows from the events.
pub struct Played {
    /// The game's id.
    pub id: String,
    /// The number of the last event.
    pub seq: i64,
    /// How it began.
    pub created: Created,
    /// Whether the player of each seat has come.
    pub joined: [bool; 2],
    /// The match.
    pub session: Box<dyn Session>,
    /// The winner, or a draw, and why.
    pub result: Option<(Option<Player>, Reason)>,
    /// What is asked, and by whom.
    pub offer: Option<(Request, Player)>,
    /// The request for another game.
    pub rematch: Option<Rematch>,
    /// The clocks.
    pub clock: Option<Clock>,
    /// Hashes of the seats' tokens.
    pub tokens: [Option<Hash>; 2],
    /// The time of the last event.
    pub last_at: i64,
    created_at: i64,
    /// Whether a turn has been played here: before that no clock runs.
    begun: bool,
    /// The senders' names for commands, hashed, with the event each became.
    commands: Vec<(u64, i64)>,
}

impl Played {
    /// The game that its first event makes.
    pub fn new(id: &str, first: &Event, tokens: [Option<Hash>; 2]) -> Result<Played, Damaged> {
        let damaged = |reason: String| Damaged { game: id.to_owned(), seq: first.seq, reason };
        let Fact::Created(created) = &first.fact else {
            return Err(damaged("it is the first and does not make the game".into()));
        };
        let created = created.as_ref().clone();
        let session = open(&created).map_err(damaged)?;
        let joined = [0, 1].map(|i| created.seats[i].sitter != Sitter::Open);
        Ok(Played {
            id: id.to_owned(),
            seq: first.seq,
            joined,
            session,
            result: None,
            offer: None,
            rematch: None,
            clock: Clock::new(created.clock),
            tokens,
            last_at: first.at,
            created_at: first.at,
            begun: false,
            commands: Vec::new(),
            created,
        })
    }

    /// The game that events make, with each event as it is told.
    pub fn replay(
        id: &str,
        events: &[Event],
        tokens: [Option<Hash>; 2],
        mut tell: impl FnMut(&Event, &Played),
    ) -> Result<Option<Played>, Damaged> {
        let Some((first, rest)) = events.split_first() else { return Ok(None) };
        let mut played = Played::new(id, first, tokens)?;
        tell(first, &played);
        for event in rest {
            played.apply(event)?;
            tell(event, &played);
        }
        Ok(Some(played))
    }

    /// Takes in the next event.
    pub fn apply(&mut self, event: &Event) -> Result<(), Damaged> {
        let damaged =
            |game: &str, reason: String| Damaged { game: game.to_owned(), seq: event.seq, reason };
        if event.seq != self.seq + 1 {
            return Err(damaged(&self.id, format!("it follows {}", self.seq)));
        }
        let at = event.at;
        match &event.fact {
            Fact::Created(_) => return Err(damaged(&self.id, "the game was made before".into())),
            Fact::Joined { name } => {
                let seat = event.seat.unwrap_or(Player::One);
                self.joined[seat.index()] = true;
                self.created.seats[seat.index()].name.clone_from(name);
            }
            Fact::Move { turn } => {
                self.session.play(turn).map_err(|e| damaged(&self.id, e.to_string()))?;
                self.moved(event.seat, at);
            }
            Fact::Offer { offer } => self.offer = event.seat.map(|seat| (*offer, seat)),
            Fact::Declined => self.offer = None,
            Fact::Undone { turns } => {
                self.session.rewind(*turns);
                self.offer = None;
            }
            Fact::Result { winner, reason } => {
                self.result = Some((*winner, *reason));
                self.offer = None;
            }
            Fact::Rematch { id: Some(id) } => self.rematch = Some(Rematch::Made(id.clone())),
            Fact::Rematch { id: None } => self.rematch = event.seat.map(Rematch::Asked),
            Fact::Paused { from, to } => {
                if let Some(clock) = &mut self.clock {
                    clock.pause(*from, *to);
                }
            }
        }
        let next = self.runs();
        if let Some(clock) = &mut self.clock {
            clock.run(next, at);
        }
        if let (Some(seat), Some(command)) = (event.seat, &event.command) {
            self.commands.push((command_key(seat, command), event.seq));
        }
        self.seq = event.seq;
        self.last_at = self.last_at.max(at);
        Ok(())
    }

    fn moved(&mut self, seat: Option<Player>, at: i64) {
        self.offer = None;
        self.begun = true;
        let Some(seat) = seat else { return };
        self.joined[seat.index()] = true;
        if let Some(clock) = &mut self.clock {
            clock.turn_ended(seat, at);
        }
    }

    /// Whose clock runs: nobody's before the first turn, and before both have come.
    fn runs(&self) -> Option<Player> {
        let runs = self.begun && self.result.is_none() && self.joined == [true; 2];
        runs.then(|| self.session.turn())
    }

    /// Whether a clock runs after these facts of a seat, where that changes.
    pub fn runs_after(&self, seat: Option<Player>, facts: &[Fact]) -> Option<bool> {
        let clock = self.clock.as_ref()?;
        let (mut begun, mut joined, mut over) = (self.begun, self.joined, self.result.is_some());
        for fact in facts {
            begun |= matches!(fact, Fact::Move { .. });
            over |= matches!(fact, Fact::Result { .. });
            if let (Some(seat), Fact::Move { .. } | Fact::Joined { .. }) = (seat, fact) {
                joined[seat.index()] = true;
            }
        }
        let runs = begun && !over && joined == [true; 2];
        (runs != clock.running().is_some()).then_some(runs)
    }

    /// The seats that a token plays.
    pub fn seats_of(&self, token: &str) -> Vec<Player> {
        let hash = Some(hash(token));
        Player::BOTH.into_iter().filter(|seat| self.tokens[seat.index()] == hash).collect()
    }

    /// A seat.
    pub fn seat(&self, player: Player) -> &Seat {
        &self.created.seats[player.index()]
    }

    /// Whether the server plays a seat.
    pub fn is_computer(&self, player: Player) -> bool {
        self.seat(player).sitter.is_computer()
    }

    /// The computer that has to move now.
    pub fn computer_to_move(&self) -> Option<&Sitter> {
        let sitter = &self.seat(self.session.turn()).sitter;
        (self.result.is_none() && sitter.is_computer()).then_some(sitter)
    }

    /// Whether no person plays.
    pub fn is_exhibition(&self) -> bool {
        Player::BOTH.iter().all(|seat| self.is_computer(*seat))
    }

    /// Who has lost by a time, if a clock has run out then.
    pub fn out_of_time(&self, at: i64) -> Option<Player> {
        let clock = self.clock.as_ref()?;
        clock.running().filter(|_| clock.deadline().is_some_and(|deadline| at >= deadline))
    }

    /// The event that a command of a seat may have become: none if it is new for certain.
    pub fn may_have_seen(&self, seat: Player, command: &str) -> Option<i64> {
        let key = command_key(seat, command);
        self.commands.iter().rev().find(|(own, _)| *own == key).map(|(_, seq)| *seq)
    }

    /// How many turns remain when a player's last turn, and what followed, is taken back.
    pub fn before_last_turn_of(&self, player: Player) -> Option<usize> {
        let played = self.session.turns_played();
        let own = if self.session.turn() == player { 2 } else { 1 };
        played.checked_sub(own).filter(|rest| *rest >= self.created.turns.len())
    }

    /// The name of a seat's player for people.
    pub fn name(&self, player: Player) -> Option<String> {
        let seat = self.seat(player);
        match &seat.sitter {
            _ if seat.name.is_some() => seat.name.clone(),
            Sitter::Level { level } => {
                levels::find(*level).map(|level| format!("Level {}", level.number))
            }
            Sitter::Seed { player } => {
                let players = self.session.seed_players();
                players.iter().find(|own| own.id == player).map(|own| own.name.to_owned())
            }
            Sitter::Person | Sitter::Open => None,
        }
    }

    /// The game as programs read it.
    pub fn json(&self) -> Map<String, Value> {
        let seats = Player::BOTH.map(|player| {
            let mut seat = serde_json::to_value(&self.seat(player).sitter).unwrap_or_default();
            seat["name"] = self.name(player).into();
            seat["joined"] = self.joined[player.index()].into();
            seat
        });
        let offer = self.offer.map(|(kind, seat)| json!({ "kind": kind, "seat": seat }));
        let rematch = self.rematch.as_ref().map(|rematch| match rematch {
            Rematch::Asked(seat) => json!({ "seat": seat }),
            Rematch::Made(id) => json!({ "id": id }),
        });
        let result = self.result.map(|(winner, reason)| {
            let winner = winner.map_or_else(|| json!("draw"), |player| json!(player));
            json!({ "winner": winner, "reason": reason })
        });
        let fields = json!({
            "id": self.id, "seq": self.seq, "game": self.created.game,
            "options": self.created.options, "start": self.created.start,
            "seats": seats, "shared": self.created.shared, "clock": self.created.clock,
            "created_at": self.created_at, "turns": self.session.history(),
            "turn": self.session.turn(), "result": result, "offer": offer, "rematch": rematch,
            "clocks": self.clock.as_ref().map(clocks_now),
        });
        match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }

    /// The game as a record.
    pub fn record(&self) -> Record {
        let names = Player::BOTH.map(|player| self.name(player));
        let tags = ["Player1", "Player2"];
        let named = tags.iter().zip(&names);
        let tags: Vec<_> = named.filter_map(|(tag, name)| Some((*tag, name.as_deref()?))).collect();
        let mut record = self.session.record(&tags);
        if let Some((winner, _)) = self.result {
            record.set_result(winner.map_or(Verdict::Draw, Verdict::Win));
        }
        record
    }
}

/// The match that a game began with.
fn open(created: &Created) -> Result<Box<dyn Session>, String> {
    let entry = engine::find(&created.game).ok_or("the game is not known")?;
    let mut session =
        (entry.from_text)(&created.start, &created.options).map_err(|error| error.to_string())?;
    for turn in &created.turns {
        session.play(turn).map_err(|error| error.to_string())?;
    }
    Ok(session)
}

fn command_key(seat: Player, command: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seat, command).hash(&mut hasher);
    hasher.finish()
}
