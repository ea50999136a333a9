//! What players ask for in a game: done once, however often it is asked.

use crate::commands::{self, Command, Decision};
use crate::error::Refusal;
use crate::event::Event;
use crate::limits;
use crate::live::{Done, Hall, Sender, TRIES, busy};
use crate::plan::{Fresh, plan};
use crate::room::Room;
use rules::Player;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

impl Hall {
    /// Lets an address and a seat pay for a command, however it comes, or refuses.
    pub fn pay(&self, room: &Room, from: &Sender) -> Result<(), Refusal> {
        self.limits.spend(from.address, limits::COMMAND)?;
        match from.token {
            Some(token) => room.pay(&self.limits, token),
            None => Ok(()),
        }
    }

    /// Does what a player wants, once, however often it is asked. Goes on even if the asker leaves.
    pub async fn command(
        self: &Arc<Self>,
        room: Arc<Room>,
        from: Sender,
        command: Command,
    ) -> Result<Done, Refusal> {
        let received = self.time.now();
        if self.is_stopping() {
            return Err(Refusal::unavailable("the server is stopping; repeat the command later"));
        }
        let hall = Arc::clone(self);
        let task = tokio::spawn(async move { hall.obey(&room, &from, &command, received).await });
        task.await.unwrap_or_else(|_| Err(Refusal::broken("an error inside; it has been logged")))
    }

    /// What memory refuses is refused if the store agrees.
    async fn obey(
        self: &Arc<Self>,
        room: &Arc<Room>,
        from: &Sender,
        command: &Command,
        received: i64,
    ) -> Result<Done, Refusal> {
        let fresh = Fresh::new(command)?;
        let mut room = Arc::clone(room);
        for _ in 0..TRIES {
            let known = room.seq();
            let done = self.try_to_obey(&room, from, command, &fresh, received).await;
            if done.is_ok() || self.store.shared().is_none() {
                return done;
            }
            self.refresh(&room).await?;
            if room.is_dropped_out() {
                room = self.room_to_change(&room.id, from.address).await?;
            } else if room.seq() == known {
                return done;
            }
        }
        Err(busy())
    }

    async fn try_to_obey(
        self: &Arc<Self>,
        room: &Arc<Room>,
        from: &Sender,
        command: &Command,
        fresh: &Fresh,
        received: i64,
    ) -> Result<Done, Refusal> {
        // Who has taken a seat and did not hear of it repeats that with the secret, and holds it already.
        let tokens: Vec<_> = from.token.into_iter().chain(fresh.proposed()).collect();
        let paid = AtomicBool::new(false);
        for again in 0..TRIES {
            let (planned, held) = room.view(|game| (game.course.seq, game.seats_of(&tokens)));
            if held.is_empty() && again > 0 {
                return Err(Refusal::conflict("somebody was quicker and has taken the seat"));
            }
            let seat = room.view(|game| commands::seat(game, &held, command))?;
            room.played_by(from.address);
            if let Some(seq) = self.done_before(room, seat, command).await? {
                let token = room.view(|game| fresh.of_seat(game, seat));
                return self.told(room, seq, token).await;
            }
            self.time_out(room, received).await?;
            let changed = self.change(room, received, |game| {
                // Another event may be this very command, or may have given the seat to somebody else.
                if game.course.seq != planned {
                    return Ok(None);
                }
                commands::expected(game, command)?;
                let decision = commands::decide(game, seat, &command.action)?;
                fresh.check(game, seat, &decision)?;
                if decision == Decision::NewGame && !paid.swap(true, Ordering::Relaxed) {
                    self.limits.make_game(from.address)?;
                }
                Ok(Some(plan(game, seat, decision, command.command.clone(), fresh, received)))
            });
            if let Some(seq) = changed.await? {
                let token = room.view(|game| fresh.of_seat(game, seat));
                return self.told(room, seq, token).await;
            }
        }
        Err(busy())
    }

    /// The number of the event that a command became when it was received before.
    async fn done_before(
        self: &Arc<Self>,
        room: &Arc<Room>,
        seat: Player,
        command: &Command,
    ) -> Result<Option<i64>, Refusal> {
        let Some(name) = &command.command else { return Ok(None) };
        let Some(seq) = room.view(|game| game.may_have_seen(seat, name)) else { return Ok(None) };
        let events = self.store.events(&room.id, seq - 1, 1).await?;
        let same =
            |event: &&Event| event.seat == Some(seat) && event.command.as_ref() == Some(name);
        let Some(event) = events.first().filter(same) else { return Ok(None) };
        commands::same_as_before(&command.action, &event.fact)?;
        Ok(Some(seq))
    }

    /// One event as it is told.
    async fn told(
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
