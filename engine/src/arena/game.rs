//! One game of a match, from its opening to its record.

use super::{Contestant, Fault, Player, contestant};
use crate::control::Stop;
use crate::session::Session;
use rules::random::Random;
use rules::{ByPlayer, Player as Side, Record, Verdict};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Why a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The game was over by its rules.
    Rules,
    /// The same position occurred for the third time.
    Repetition,
    /// It reached the turn limit of the match.
    TurnLimit,
    /// A player lost by a fault, not on the board.
    Fault(Fault),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Rules => f.write_str("rules"),
            Ending::Repetition => f.write_str("repetition"),
            Ending::TurnLimit => f.write_str("turn limit"),
            Ending::Fault(Fault::Illegal(text)) => write!(f, "illegal move: {text}"),
            Ending::Fault(fault) => f.write_str(fault.kind()),
        }
    }
}

impl Fault {
    /// The kind of fault, in a word or two.
    pub fn kind(&self) -> &'static str {
        match self {
            Fault::Illegal(_) => "illegal move",
            Fault::Crash(_) => "crash",
            Fault::Time => "time",
            Fault::Garbage(_) => "garbage",
        }
    }

    /// The details: the turn, the exit status, the answer.
    pub fn detail(&self) -> &str {
        match self {
            Fault::Illegal(text) | Fault::Crash(text) | Fault::Garbage(text) => text,
            Fault::Time => "",
        }
    }
}

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// Its number in the match, from 0.
    pub number: usize,
    /// The result.
    pub result: Verdict,
    /// Why it ended.
    pub ending: Ending,
    /// The length of its opening in turns.
    pub opening: usize,
    /// The total thinking time of each side.
    pub time: ByPlayer<Duration>,
    /// The whole game with its tags.
    pub record: Record,
}

impl Played {
    /// The number of turns each side played itself, after the opening.
    pub fn own_turns(&self) -> ByPlayer<usize> {
        // A match begins with player 1, and the sides take turns.
        let first = |turns: usize| turns.div_ceil(2);
        let (all, opening) = (self.record.main.nodes.len(), self.opening);
        let one = first(all).saturating_sub(first(opening));
        ByPlayer::new(one, all.saturating_sub(opening).saturating_sub(one))
    }
}

/// The two players of a thread, created on demand and replaced after a fault.
pub(super) struct Team<'a> {
    contestants: &'a [Contestant; 2],
    players: [Option<Box<dyn Player>>; 2],
}

impl<'a> Team<'a> {
    pub(super) fn new(contestants: &'a [Contestant; 2]) -> Self {
        Team { contestants, players: [None, None] }
    }

    /// Lets a player act, and drops it after a fault or a panic.
    fn with<T>(
        &mut self,
        who: usize,
        act: impl FnOnce(&mut dyn Player) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let (Some(seat), Some(contestant)) = (self.players.get_mut(who), self.contestants.get(who))
        else {
            return Err(Fault::Crash("there is no such player".into()));
        };
        let mut player = match seat.take() {
            Some(player) => player,
            None => (contestant.make)()?,
        };
        let done = catch_unwind(AssertUnwindSafe(|| act(player.as_mut())));
        let done = done.unwrap_or_else(|_| Err(Fault::Crash("it panicked".into())));
        if done.is_ok() {
            *seat = Some(player);
        }
        done
    }

    fn name(&self, who: usize) -> &str {
        self.contestants.get(who).map_or("", |contestant| contestant.name.as_str())
    }
}

/// A game before its first turn.
pub(super) struct Fixture {
    pub(super) number: usize,
    pub(super) seed: u64,
    pub(super) max_turns: usize,
    /// The game after its opening.
    pub(super) game: Box<dyn Session>,
}

impl Fixture {
    /// Plays it to the end; `None` if it was stopped.
    pub(super) fn play(mut self, team: &mut Team, stop: &Stop) -> Option<Played> {
        let opening = self.game.turns_played();
        let mut time = ByPlayer::default();
        let lost = match self.greet(team) {
            Ok(()) => self.moves(opening, team, &mut time, stop),
            Err(lost) => Err(lost),
        };
        if stop.is_stopped() {
            return None;
        }
        let (result, ending) = match lost {
            Ok(()) => self.end(),
            Err((side, fault)) => (Verdict::Win(side.other()), Ending::Fault(fault)),
        };
        let record = self.record(team, (opening, time), result, &ending);
        Some(Played { number: self.number, result, ending, opening, time, record })
    }

    fn greet(&self, team: &mut Team) -> Result<(), (Side, Fault)> {
        let mut random = Random::new(self.seed ^ Random::new(!(self.number as u64)).next_u64());
        for side in Side::BOTH {
            let seed = random.next_u64();
            team.with(contestant(self.number, side), |player| player.new_game(seed))
                .map_err(|fault| (side, fault))?;
        }
        Ok(())
    }

    /// Asks the players in turn until the game is over, too long, stopped or lost by a fault.
    fn moves(
        &mut self,
        opening: usize,
        team: &mut Team,
        time: &mut ByPlayer<Duration>,
        stop: &Stop,
    ) -> Result<(), (Side, Fault)> {
        let mut turns = opening;
        while self.game.result().is_none() && turns < self.max_turns && !stop.is_stopped() {
            let side = self.game.turn();
            let started = Instant::now();
            let game = &mut self.game;
            team.with(contestant(self.number, side), |player| {
                let text = player.turn(game.as_ref(), stop)?;
                game.play(&text).map_err(|error| Fault::Illegal(error.to_string()))
            })
            .map_err(|fault| (side, fault))?;
            time[side] += started.elapsed();
            turns += usize::from(self.game.turn() != side);
        }
        Ok(())
    }

    fn end(&self) -> (Verdict, Ending) {
        match (self.game.outcome(), self.game.result()) {
            (Some(outcome), _) => (Verdict::from(Some(outcome)), Ending::Rules),
            (None, Some(outcome)) => (Verdict::from(Some(outcome)), Ending::Repetition),
            (None, None) => (Verdict::Draw, Ending::TurnLimit),
        }
    }

    fn record(
        &self,
        team: &Team,
        (opening, time): (usize, ByPlayer<Duration>),
        result: Verdict,
        ending: &Ending,
    ) -> Record {
        let [one, two] = Side::BOTH.map(|side| team.name(contestant(self.number, side)));
        let round = (self.number + 1).to_string();
        let opening = opening.to_string();
        let [time1, time2] = time.map(|time| format!("{:.3}", time.as_secs_f64())).into();
        let ended = ending.to_string();
        let mut tags = vec![
            ("Player1", one),
            ("Player2", two),
            ("Round", &round),
            ("Opening", &opening),
            ("Time1", &time1),
            ("Time2", &time2),
            ("Termination", &ended),
        ];
        if let Ending::Fault(fault @ (Fault::Crash(_) | Fault::Garbage(_))) = ending {
            tags.push(("Fault", fault.detail()));
        }
        let mut record = self.game.record(&tags);
        record.set_result(result);
        record
    }
}
