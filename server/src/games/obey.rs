//! Players' commands, executed idempotently: a repeated command has no further effect.

use crate::clocks::alarm;
use crate::games::hall::{Changed, Done, Hall, Sender, Stuck, TRIES, busy};
use crate::games::plan::{Fresh, plan, rematch};
use crate::games::played::Played;
use crate::games::room::Room;
use crate::http::limits;
use crate::http::meter::Meter;
use rules::Player;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use table::Refusal;
use table::event::Event;
use table::referee::{self, Command, Decision};

/// What a command depends on in the current state.
struct Before {
    /// The last event at the time.
    planned: i64,
    seat: Player,
    /// The event of an earlier command that may be this one.
    seen: Option<i64>,
}

/// A command that is being obeyed, however many attempts that takes.
struct Order<'a> {
    from: &'a Sender,
    command: &'a Command,
    received: i64,
    fresh: Fresh,
    /// Whether a rematch was paid for.
    paid: AtomicBool,
    stuck: Stuck,
    again: bool,
}

impl Hall {
    /// Charges the sender's address and seat for a command, whatever transport it came over.
    pub fn pay(&self, room: &Room, from: &Sender) -> Result<(), Refusal> {
        self.limits.may_store(from.address, 0.0)?;
        let seated = from.token.is_some_and(|token| room.has_seat(token));
        match from.token.filter(|_| seated) {
            Some(token) => {
                self.limits.spend_at_seat(from.address, limits::COMMAND)?;
                room.pay(&self.limits, token)
            }
            None => self.limits.spend(from.address, limits::COMMAND),
        }
    }

    /// Executes a command, once even if it is repeated. It completes even if the sender disconnects.
    pub async fn command(
        self: &Arc<Self>,
        room: Arc<Room>,
        from: Sender,
        command: Command,
    ) -> Result<Done, Refusal> {
        alarm::wake_up(self).await?;
        let received = self.time.now();
        if self.is_stopping() {
            return Err(Refusal::unavailable("the server is stopping; repeat the command later"));
        }
        let hall = Arc::clone(self);
        let meter = Meter::new(&self.limits, from.address, limits::COMMAND);
        let task = tokio::spawn(meter.run(async move {
            let done = hall.obey(&room, &from, &command, received).await?;
            hall.limits.stored(from.address, done.event.len() + limits::OF_AN_EVENT);
            if room.is_played() {
                hall.limits.is_played(&room.id);
            }
            Ok(done)
        }));
        task.await.unwrap_or_else(|_| Err(Refusal::broken("internal error; it has been logged")))
    }

    /// With a shared store, a refusal counts only if the room was up to date.
    async fn obey(
        self: &Arc<Self>,
        room: &Arc<Room>,
        from: &Sender,
        command: &Command,
        received: i64,
    ) -> Result<Done, Refusal> {
        let (shared, mut room) = (self.store.shared().is_some(), Arc::clone(room));
        let mut order = Order {
            from,
            command,
            received,
            fresh: Fresh::new(command, self.chance.as_ref())?,
            paid: AtomicBool::new(false),
            stuck: Stuck::default(),
            again: false,
        };
        for _ in 0..TRIES {
            let known = room.seq();
            match self.try_to_obey(&room, &mut order).await {
                Ok(Some(done)) => return Ok(done),
                Ok(None) => {}
                Err(refusal) if !shared => return Err(refusal),
                Err(refusal) => {
                    self.refresh(&room).await?;
                    if room.is_dropped_out() {
                        room = self.room_to_change(&room.id, from.address).await?;
                    } else if room.seq() == known {
                        return Err(refusal);
                    }
                }
            }
            order.again = true;
        }
        Err(busy())
    }

    /// One attempt; none if the game has changed meanwhile.
    async fn try_to_obey(
        self: &Arc<Self>,
        room: &Arc<Room>,
        order: &mut Order<'_>,
    ) -> Result<Option<Done>, Refusal> {
        let Order { from, command, received, fresh, paid, stuck, again } = order;
        let (received, again) = (*received, *again);
        // A client that took a seat but missed the reply repeats the command with its secret, and then already holds
        // the seat.
        let tokens: Vec<_> = from.token.into_iter().chain(fresh.proposed()).collect();
        let Before { planned, seat, seen } = room.enter(from.address, |game| {
            let held = game.seats_of(&tokens);
            if held.is_empty() && again {
                let error = "somebody else has already taken the seat";
                return Err(Refusal::conflict(error));
            }
            let seat = referee::seat(game, &held, command)?;
            let seen = command.command.as_deref();
            let seen = seen.and_then(|name| game.may_have_seen(seat, name));
            Ok(Before { planned: game.course.seq, seat, seen })
        })?;
        let token = || fresh.of_room(room, seat);
        if let Some(seq) = self.done_before(room, seat, command, seen).await? {
            return self.stored(room, seq, token()).await.map(Some);
        }
        self.time_out(room, received).await?;
        let rematch = room.view(|game| rematch(game, seat, &command.action, fresh, received));
        if let Some(new) = rematch {
            crate::club::games::promise(self, &room.id, &new).await?;
        }
        let plan = |game: &Played| {
            // The new event may be this very command, or may have given the seat to somebody else.
            if game.course.seq != planned {
                return Ok(None);
            }
            referee::expected(game, command)?;
            let decision = referee::obey(game, seat, command)?;
            fresh.check(game, seat, &decision)?;
            if decision == Decision::NewGame && !paid.swap(true, Ordering::Relaxed) {
                let token = game.tokens[seat].unwrap_or_default();
                self.limits.make_rematch(from.address, token)?;
                let length = serde_json::to_string(&game.created).map_or(0, |text| text.len());
                let bytes = limits::OF_A_GAME + limits::OF_AN_EVENT + length;
                self.limits.stored(from.address, bytes);
            }
            Ok(Some(plan(game, seat, decision, command.command.clone(), fresh, received)))
        };
        match self.try_to_change(room, received, plan, stuck).await? {
            Changed::Stored(seq, Some(event)) => Ok(Some(Done { seq, event, token: token() })),
            Changed::Stored(seq, None) => self.stored(room, seq, token()).await.map(Some),
            Changed::Nothing | Changed::Meanwhile => Ok(None),
        }
    }

    /// If the command was executed before, the number of its first event.
    async fn done_before(
        self: &Arc<Self>,
        room: &Arc<Room>,
        seat: Player,
        command: &Command,
        seen: Option<i64>,
    ) -> Result<Option<i64>, Refusal> {
        let (Some(name), Some(seq)) = (&command.command, seen) else { return Ok(None) };
        let events = self.store.events(&room.id, seq - 1, 1).await?;
        let same =
            |event: &&Event| event.seat == Some(seat) && event.command.as_ref() == Some(name);
        let Some(event) = events.first().filter(same) else { return Ok(None) };
        referee::same_as_before(&command.action, &event.fact)?;
        Ok(Some(seq))
    }

    /// The outcome of a command whose event is already stored.
    async fn stored(
        self: &Arc<Self>,
        room: &Arc<Room>,
        seq: i64,
        token: Option<String>,
    ) -> Result<Done, Refusal> {
        let events = self.events(room, seq - 1, 1, None).await?;
        let event = events.into_iter().next();
        let event = event.ok_or_else(|| Refusal::unavailable("the event cannot be read"))?;
        Ok(Done { seq, event, token })
    }
}
