//! Seats that the server plays.

use crate::commands::{Action, Decision, decide};
use crate::engines::Lane;
use crate::event::Sitter;
use crate::ids::seed;
use crate::live::{Hall, Plan};
use crate::room::Room;
use engine::levels;
use engine::{Limits, Session, Stop};
use requests::Desk;
use rules::Player;
use rules::random::Random;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// What the strongest level may take for a turn.
const MOST_TIME: Duration = Duration::from_millis(1_500);

/// How long a turn takes at least when computers play each other, so that one can follow.
const PACE: Duration = Duration::from_millis(800);

/// How long to wait when the store or the queue was not ready.
const RETRY: Duration = Duration::from_secs(2);

/// One decision that a computer has to make.
struct Choice {
    seq: i64,
    seat: Player,
    sitter: Sitter,
    session: Box<dyn Session>,
    limits: Limits,
    pace: Duration,
    stop: Stop,
}

/// Lets a computer think, if it has to move and is not thinking yet.
pub fn consider(hall: &Arc<Hall>, room: &Arc<Room>) {
    if hall.is_stopping() {
        return;
    }
    let choice = room.think(|game, stop| {
        let seat = game.course.turn;
        let left =
            game.course.clock.as_ref().map(|clock| clock.left(hall.time.now())[seat.index()]);
        let share = left.map(|left| {
            let left = Duration::from_millis(left.unsigned_abs());
            Limits::clock(left, Duration::ZERO).time.unwrap_or(MOST_TIME)
        });
        Choice {
            seq: game.course.seq,
            seat,
            sitter: game.seat(seat).sitter.clone(),
            session: game.session.boxed_clone(),
            limits: Limits::time(share.unwrap_or(MOST_TIME).min(MOST_TIME)),
            pace: if game.is_exhibition() { PACE } else { Duration::ZERO },
            stop,
        }
    });
    if let Some(choice) = choice {
        tokio::spawn(play(Arc::clone(hall), Arc::clone(room), choice));
    }
}

async fn play(hall: Arc<Hall>, room: Arc<Room>, choice: Choice) {
    let (seq, seat, pace) = (choice.seq, choice.seat, choice.pace);
    let began = tokio::time::Instant::now();
    let turn = think(&hall, choice).await;
    tokio::time::sleep_until(began + pace).await;
    if room.is_dropped(seq) {
        return;
    }
    if let Some(turn) = turn {
        let action = Action::Move { turn };
        let played = hall.change(&room, hall.time.now(), |game| {
            // What happened meanwhile may have changed everything.
            if game.course.seq != seq {
                return Ok(None);
            }
            Ok(match decide(game, seat, &action)? {
                Decision::Facts(facts) => Some(Plan { seat: Some(seat), facts, ..Plan::default() }),
                Decision::Taken(_) | Decision::NewGame => None,
            })
        });
        match played.await {
            Ok(_) => return,
            Err(refusal) => tracing::warn!(
                game = room.id,
                reason = refusal.error,
                "a computer's turn was not stored"
            ),
        }
    }
    tokio::time::sleep(RETRY).await;
    room.forget_thinking(seq);
    consider(&hall, &room);
}

/// The turn that a computer makes; none if it was stopped or there was no room in the queue.
async fn think(hall: &Hall, choice: Choice) -> Option<String> {
    let (answer, turn) = oneshot::channel();
    let stop = choice.stop.clone();
    let work = move |desk: &mut Desk| {
        let turn = choose(desk, &choice);
        // Nobody listens if the game was dropped; then nothing is lost.
        let _ = answer.send(turn.filter(|_| !choice.stop.is_stopped()));
    };
    if !hall.engines.submit(Lane::Turn, stop, |_| {}, work) {
        return None;
    }
    turn.await.ok().flatten()
}

fn choose(desk: &mut Desk, choice: &Choice) -> Option<String> {
    let mut random = Random::new(seed());
    let session = choice.session.as_ref();
    match &choice.sitter {
        Sitter::Seed { player } => session.seed_choose(player, &mut random),
        Sitter::Level { level } => {
            let entry = engine::find(session.info().id)?;
            let level = levels::find(*level)?;
            let thinker = desk.thinker(entry);
            thinker.level_turn(session, level, &choice.limits, &choice.stop, &mut random)
        }
        Sitter::Person | Sitter::Open => None,
    }
}
