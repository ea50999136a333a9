//! Turns the referee's decisions into events to be stored.

use crate::games::played::Played;
use crate::games::room::Room;
use crate::ids::{self, Chance, Hash, new_id, new_token};
use crate::store::{Append, NewGame, Running};
use rules::{ByPlayer, Player};
use table::event::{Created, Event, Fact};
use table::referee::{self, Action, Command, Decision};
use table::{Course, Refusal};

/// A planned change to a game.
#[derive(Debug, Default)]
pub struct Plan {
    /// The player who caused it; none for the server.
    pub seat: Option<Player>,
    pub facts: Vec<Fact>,
    /// The client's id for the command, stored with the first event.
    pub command: Option<String>,
    /// A rematch to be created in the same transaction.
    pub new_game: Option<NewGame>,
    /// A seat's new token.
    pub token: Option<(Player, Hash)>,
}

/// The first event and tokens of a new game.
pub fn first(id: String, created: Created, tokens: ByPlayer<Option<Hash>>, at: i64) -> NewGame {
    let fact = Fact::Created(Box::new(created));
    NewGame { id, first: Event { seq: 1, seat: None, at, fact, command: None }, tokens }
}

/// Random values that a command may need, drawn once so that a retry uses the same ones.
pub struct Fresh {
    /// The id of a rematch.
    id: String,
    /// The secret for a seat to be taken, and whether the client chose it.
    secret: Option<(String, bool)>,
}

impl Fresh {
    pub fn new(command: &Command, chance: &dyn Chance) -> Result<Fresh, Refusal> {
        let secret = match &command.action {
            Action::Join { secret: Some(own), .. } => Some((own.clone(), true)),
            Action::Join { secret: None, .. } => Some((new_token(chance)?, false)),
            _ => None,
        };
        Ok(Fresh { id: new_id(chance)?, secret })
    }

    /// The hash of the secret, if the client chose it.
    pub fn proposed(&self) -> Option<Hash> {
        self.secret.as_ref().filter(|(_, own)| *own).map(|(secret, _)| ids::hash(secret))
    }

    /// The secret, if it is the seat's current token.
    pub fn of_seat(&self, game: &Played, seat: Player) -> Option<String> {
        let (secret, _) = self.secret.as_ref()?;
        (game.tokens[seat] == Some(ids::hash(secret))).then(|| secret.clone())
    }

    /// The same for a room.
    pub fn of_room(&self, room: &Room, seat: Player) -> Option<String> {
        self.secret.as_ref()?;
        room.view(|game| self.of_seat(game, seat))
    }

    /// Refuses to take a seat with the secret of its invitation, which others know.
    pub fn check(&self, game: &Played, seat: Player, decision: &Decision) -> Result<(), Refusal> {
        if matches!(decision, Decision::Taken(_)) && self.of_seat(game, seat).is_some() {
            let error = "the invitation's secret is known to others; choose one of your own";
            return Err(Refusal::against(error).at("secret"));
        }
        Ok(())
    }

    /// The new token of a seat that is taken.
    fn token(&self, seat: Player) -> Option<(Player, Hash)> {
        self.secret.as_ref().map(|(secret, _)| (seat, ids::hash(secret)))
    }
}

/// Turns a decision into a plan.
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
            Plan { facts: vec![fact], new_game: Some(rematch_of(game, &fresh.id, at)), ..plan }
        }
    }
}

/// The rematch: the same game with the seats exchanged. Only the hashes of tokens are known here, so each player
/// keeps the old token.
fn rematch_of(game: &Played, id: &str, at: i64) -> NewGame {
    first(id.to_owned(), game.next_game(), game.tokens.swapped(), at)
}

/// The rematch that an action would make.
pub fn rematch(
    game: &Played,
    seat: Player,
    action: &Action,
    fresh: &Fresh,
    at: i64,
) -> Option<NewGame> {
    // What else an action means takes a while to find out.
    if *action != Action::Rematch {
        return None;
    }
    let decision = referee::decide(game, seat, action).ok()?;
    (decision == Decision::NewGame).then(|| rematch_of(game, &fresh.id, at))
}

/// Turns a plan into an append, including its effect on the running clock and on computers' turns.
pub fn append(game: &Played, plan: Plan, received: i64) -> Append {
    let at = received.max(game.course.last_at);
    let after = game.course.after(plan.seat, &plan.facts, at);
    let waits = |course: &Course| {
        course.result.is_none() && game.is_computer(course.turn) && !game.is_exhibition()
    };
    let (before, then) = (waits(&game.course), waits(&after));
    Append {
        game: game.id.clone(),
        after: Some(game.tip.clone()),
        running: running(&game.course, &after, at),
        events: game.events(plan.seat, plan.facts, plan.command.as_deref(), received),
        new_game: plan.new_game,
        token: plan.token,
        computer: (before || then).then_some(then),
    }
}

/// The change to the stored deadline, if any.
fn running(before: &Course, after: &Course, at: i64) -> Option<Running> {
    match after.deadline() {
        deadline if deadline == before.deadline() => None,
        Some(deadline) => Some(Running::Until { deadline, at }),
        None => Some(Running::Stopped),
    }
}
