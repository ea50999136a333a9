//! From a decision to the events that are stored.

use crate::commands::{Action, Command, Decision};
use crate::course::Course;
use crate::error::Refusal;
use crate::event::{Created, Event, Fact};
use crate::ids::{self, Hash, new_id, new_token};
use crate::played::Played;
use crate::store::{Append, NewGame};
use engine::Who;
use rules::Player;

/// What is to happen in a game.
#[derive(Debug, Default)]
pub struct Plan {
    /// Who does it, if it is a player.
    pub seat: Option<Player>,
    /// The things, in order.
    pub facts: Vec<Fact>,
    /// The sender's name for the first of them.
    pub command: Option<String>,
    /// A game that is made with them.
    pub new_game: Option<NewGame>,
    /// What a seat's token is from then on.
    pub token: Option<(Player, Hash)>,
}

/// A game to be made.
pub fn first(id: String, created: Created, tokens: [Option<Hash>; 2], at: i64) -> NewGame {
    let fact = Fact::Created(Box::new(created));
    NewGame { id, first: Event { seq: 1, seat: None, at, fact, command: None }, tokens }
}

/// What a command may need that nobody has had before.
pub struct Fresh {
    /// The id of another game.
    id: String,
    /// The secret of a seat that is to be taken, and whether the sender has thought of it.
    secret: Option<(String, bool)>,
}

impl Fresh {
    /// What this command may need.
    pub fn new(command: &Command) -> Result<Fresh, Refusal> {
        let secret = match &command.action {
            Action::Join { secret: Some(own), .. } => Some((own.clone(), true)),
            Action::Join { secret: None, .. } => Some((new_token()?, false)),
            _ => None,
        };
        Ok(Fresh { id: new_id()?, secret })
    }

    /// The hash of the secret that the sender has thought of.
    pub fn proposed(&self) -> Option<Hash> {
        self.secret.as_ref().filter(|(_, own)| *own).map(|(secret, _)| ids::hash(secret))
    }

    /// The secret, if that is the seat's.
    pub fn of_seat(&self, game: &Played, seat: Player) -> Option<String> {
        let (secret, _) = self.secret.as_ref()?;
        (game.tokens[seat.index()] == Some(ids::hash(secret))).then(|| secret.clone())
    }

    /// Refuses a secret that others know.
    pub fn check(&self, game: &Played, seat: Player, decision: &Decision) -> Result<(), Refusal> {
        if matches!(decision, Decision::Taken(_)) && self.of_seat(game, seat).is_some() {
            let error = "the invitation is known to others; a secret of your own is needed";
            return Err(Refusal::against(error).at("secret"));
        }
        Ok(())
    }

    /// What the store keeps of the secret of a seat that is taken.
    fn token(&self, seat: Player) -> Option<(Player, Hash)> {
        self.secret.as_ref().map(|(secret, _)| (seat, ids::hash(secret)))
    }
}

/// The events of a decision.
pub fn plan(
    game: &Played,
    seat: Player,
    decision: Decision,
    command: Option<String>,
    fresh: &Fresh,
    at: i64,
) -> Plan {
    let plan = Plan { seat: Some(seat), command, ..Plan::default() };
    match decision {
        Decision::Facts(facts) => Plan { facts, ..plan },
        Decision::Taken(fact) => Plan { facts: vec![fact], token: fresh.token(seat), ..plan },
        Decision::NewGame => {
            let fact = Fact::Rematch { id: Some(fresh.id.clone()) };
            Plan { facts: vec![fact], new_game: Some(again(game, &fresh.id, at)), ..plan }
        }
    }
}

/// The same game with the seats exchanged. Tokens are known by their hashes alone, so each player keeps
/// the old one.
fn again(game: &Played, id: &str, at: i64) -> NewGame {
    let mut created = game.created.clone();
    for (seat, joined) in created.seats.iter_mut().zip(game.course.joined) {
        if joined && seat.who == Who::Open {
            seat.who = Who::Person;
        }
    }
    created.seats.reverse();
    let [one, two] = game.tokens;
    first(id.to_owned(), created, [two, one], at)
}

/// The events of a plan, numbered and dated: received when they were, but never before the last event.
pub fn append(game: &Played, plan: Plan, received: i64) -> Append {
    let at = received.max(game.course.last_at);
    let after = game.course.after(plan.seat, &plan.facts, at);
    let running = game.course.running(&after, at);
    let waits = |course: &Course| {
        course.result.is_none() && game.is_computer(course.turn) && !game.is_exhibition()
    };
    let (before, then) = (waits(&game.course), waits(&after));
    let computer = (before || then).then_some(then);
    let event = |(i, fact): (usize, Fact)| {
        let by_server = matches!(fact, Fact::Result { .. }) && i > 0;
        Event {
            seq: game.course.seq + 1 + i as i64,
            seat: plan.seat.filter(|_| !by_server),
            at,
            fact,
            command: plan.command.clone().filter(|_| i == 0),
        }
    };
    let events = plan.facts.into_iter().enumerate().map(event).collect();
    let (new_game, token) = (plan.new_game, plan.token);
    let after = Some(game.tip.clone());
    Append { game: game.id.clone(), after, events, new_game, token, running, computer }
}
