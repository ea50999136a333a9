//! Players' commands, executed idempotently: a repeated command has no further effect.

use crate::clocks::alarm;
use crate::club::games;
use crate::games::hall::{Changed, Done, Hall, Sender, Stuck, TRIES, busy};
use crate::games::plan::{Fresh, plan, rematch};
use crate::games::played::Played;
use crate::games::room::Room;
use crate::http::limits;
use crate::http::meter::Meter;
use crate::store::NewGame;
use rules::Player;
use std::sync::Arc;
use table::event::Event;
use table::referee::{self, Command};
use table::{Kind, Refusal};

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
    paid: bool,
    stuck: Stuck,
    again: bool,
}

/// Whether an attempt has certainly stored nothing.
fn is_refused(changed: &Result<Changed, Refusal>) -> bool {
    match changed {
        Ok(changed) => !matches!(changed, Changed::Stored(..)),
        Err(refusal) => !matches!(refusal.kind, Kind::Unavailable | Kind::Broken),
    }
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
            paid: false,
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
        let Order { from, command, received, again, .. } = *order;
        // A client that took a seat but missed the reply repeats the command with its secret, and then already holds
        // the seat.
        let tokens: Vec<_> = from.token.into_iter().chain(order.fresh.proposed()).collect();
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
        if let Some(seq) = self.done_before(room, seat, command, seen).await? {
            return self.stored(room, seq, order.fresh.of_room(room, seat)).await.map(Some);
        }
        self.time_out(room, received).await?;
        let rematch = room.view(|game| match game.course.seq == planned {
            true => self.pay_for_rematch(game, seat, order),
            false => Ok(None),
        })?;
        if let Some(new) = &rematch {
            games::promise(self, &room.id, new).await?;
        }
        let Order { fresh, stuck, .. } = order;
        let plan = |game: &Played| {
            // The new event may be this very command, or may have given the seat to somebody else.
            if game.course.seq != planned {
                return Ok(None);
            }
            referee::expected(game, command)?;
            let decision = referee::obey(game, seat, command)?;
            fresh.check(game, seat, &decision)?;
            Ok(Some(plan(game, seat, decision, command.command.clone(), fresh, received)))
        };
        let changed = self.try_to_change(room, received, plan, stuck).await;
        if let Some(new) = rematch.filter(|_| is_refused(&changed)) {
            games::withdraw(self, &new.id).await;
        }
        let token = fresh.of_room(room, seat);
        match changed? {
            Changed::Stored(seq, Some(event)) => Ok(Some(Done { seq, event, token })),
            Changed::Stored(seq, None) => self.stored(room, seq, token).await.map(Some),
            Changed::Nothing | Changed::Meanwhile => Ok(None),
        }
    }

    /// The rematch that a command makes, if it makes one. It is paid for before anything is stored about it.
    fn pay_for_rematch(
        &self,
        game: &Played,
        seat: Player,
        order: &mut Order<'_>,
    ) -> Result<Option<NewGame>, Refusal> {
        let Order { from, command, received, fresh, paid, .. } = order;
        let Some(new) = rematch(game, seat, &command.action, fresh, *received) else {
            return Ok(None);
        };
        referee::expected(game, command)?;
        if !*paid {
            let token = game.tokens[seat].unwrap_or_default();
            self.limits.make_rematch(from.address, token)?;
            let length = serde_json::to_string(&game.created).map_or(0, |text| text.len());
            let bytes = limits::OF_A_GAME + limits::OF_AN_EVENT + length;
            self.limits.stored(from.address, bytes);
            *paid = true;
        }
        Ok(Some(new))
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
