//! Requests for the engine: hints, analyses, reviews.

use crate::State;
use crate::engines::{Desk, Lane};
use crate::error::{Asked, Refusal};
use crate::guard::Client;
use crate::position::Place;
use crate::stream::Lines;
use axum::extract::Extension;
use axum::routing::post;
use axum::{Json, Router};
use engine::score::{WIN, earlier, win_in};
use engine::{Limits, LineView, Session, Stop, View, make_whole};
use rules::Player;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

/// How long the engine looks for a hint.
const HINT: Duration = Duration::from_millis(700);

/// Values beyond this are as good as won: to lose some of that is no mistake.
const CLEARLY_WON: i32 = 1_000;

/// From which loss on a turn is called what, in hundredths of a piece.
const MISTAKES: [(i32, &str); 3] = [(300, "blunder"), (120, "mistake"), (50, "inaccuracy")];

/// The requests.
pub fn router() -> Router<Arc<State>> {
    Router::new()
        .route("/api/hint", post(hint))
        .route("/api/analysis", post(analysis))
        .route("/api/review", post(review))
}

type Shared = axum::extract::State<Arc<State>>;

fn queue_is_full() -> Refusal {
    Refusal::too_many("too many others wait for the engine", 10)
}

/// The match of a request, whose game must go on.
fn open(place: &Place) -> Result<Box<dyn Session>, Refusal> {
    let session = place.open()?;
    match session.outcome() {
        Some(_) => Err(Refusal::against("the game is over in this position").at("turns")),
        None => Ok(session),
    }
}

/// A number of a request within its bounds.
fn number(name: &str, asked: Option<u64>, default: u64, most: u64) -> Result<u64, Refusal> {
    match asked {
        None => Ok(default),
        Some(n) if (1..=most).contains(&n) => Ok(n),
        Some(n) => Err(Refusal::against(format!("{name} must be 1 to {most}, got {n}")).at(name)),
    }
}

async fn hint(
    axum::extract::State(state): Shared,
    Extension(client): Extension<Client>,
    Asked(place): Asked<Place>,
) -> Result<Json<Value>, Refusal> {
    let session = open(&place)?;
    let slot = state.analyses.take(client.0)?;
    let (answer, hint) = oneshot::channel();
    let stop = Stop::default();
    let switch = stop.clone();
    let work = move |desk: &mut Desk| {
        // Who asked may have left.
        let _ = answer.send(find_hint(desk, session.as_ref(), &switch));
    };
    if !state.hall.engines.submit(Lane::Turn, stop.clone(), |_| {}, work) {
        return Err(queue_is_full());
    }
    let waiting = Waiting(stop);
    let hint = hint.await.map_err(|_| Refusal::unavailable("the server is stopping"))?;
    drop((waiting, slot));
    Ok(Json(hint))
}

/// Ends a search when nobody waits for it.
struct Waiting(Stop);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.stop();
    }
}

fn find_hint(desk: &mut Desk, session: &dyn Session, stop: &Stop) -> Value {
    let players = session.seed_players();
    let seed = session.seed_best().pop().map(|(id, turns)| {
        let name = players.iter().find(|own| own.id == id).map_or("", |own| own.name);
        json!({ "name": name, "turns": turns })
    });
    let line = best(desk, session, &Limits::time(HINT), stop, &mut |_| {})
        .and_then(|view| view.lines.into_iter().next());
    let engine = line.map(
        |line| json!({ "turn": line.turns.first(), "score": line.score, "win_in": line.win_in }),
    );
    json!({ "seed": seed, "engine": engine })
}

/// The best lines, all of whole turns.
fn best(
    desk: &mut Desk,
    session: &dyn Session,
    limits: &Limits,
    stop: &Stop,
    news: &mut dyn FnMut(&View),
) -> Option<View> {
    let entry = engine::find(session.info().id)?;
    let thinker = desk.thinker(entry);
    let mut view = thinker.think(session, limits, stop, news)?;
    make_whole(&mut view, session, thinker);
    Some(view)
}

/// An analysis that is asked for.
#[derive(Deserialize)]
struct Analysis {
    #[serde(flatten)]
    place: Place,
    #[serde(default)]
    lines: Option<u64>,
    #[serde(default)]
    time_ms: Option<u64>,
}

async fn analysis(
    axum::extract::State(state): Shared,
    Extension(client): Extension<Client>,
    Asked(asked): Asked<Analysis>,
) -> Result<Lines, Refusal> {
    let limits = Limits {
        lines: number("lines", asked.lines, 1, 5)? as usize,
        ..Limits::time(Duration::from_millis(number("time_ms", asked.time_ms, 10_000, 60_000)?))
    };
    let session = open(&asked.place)?;
    stream(&state, client, move |desk, stop, lines| {
        let tell = |view: &View, done: bool| {
            // Who asked may have left: then the switch is used at once.
            let _ = lines.send(news(session.as_ref(), view, done).to_string());
        };
        let found = best(desk, session.as_ref(), &limits, stop, &mut |view| tell(view, false));
        if let Some(view) = found {
            tell(&view, true);
        }
    })
}

/// What the engine has found, with whole turns only.
fn news(session: &dyn Session, view: &View, done: bool) -> Value {
    let lines: Vec<_> = view.lines.iter().map(|line| (line, line.whole(session))).collect();
    let line = |(line, turns): &(&LineView, &[String])| json!({ "turns": turns, "score": line.score, "win_in": line.win_in });
    let lines: Vec<_> = lines.iter().filter(|(_, turns)| !turns.is_empty()).map(line).collect();
    json!({
        "depth": view.depth, "nodes": view.nodes, "time_ms": view.time.as_millis() as u64,
        "lines": lines, "done": done,
    })
}

/// Queues work whose news are told line by line.
fn stream(
    state: &State,
    client: Client,
    work: impl FnOnce(&mut Desk, &Stop, &UnboundedSender<String>) + Send + 'static,
) -> Result<Lines, Refusal> {
    let slot = state.analyses.take(client.0)?;
    let (lines, told) = unbounded_channel();
    let stop = Stop::default();
    let (switch, waiting) = (stop.clone(), lines.clone());
    let wait = move |ahead: usize| {
        // As above: who left need not know.
        let _ = waiting.send(json!({ "queued": ahead }).to_string());
    };
    let work = move |desk: &mut Desk| work(desk, &switch, &lines);
    if !state.hall.engines.submit(Lane::Analysis, stop.clone(), wait, work) {
        return Err(queue_is_full());
    }
    Ok(Lines::new(told, Some(stop), Some(slot)))
}

/// A review that is asked for.
#[derive(Deserialize)]
struct Review {
    #[serde(flatten)]
    place: Place,
    #[serde(default)]
    time_ms: Option<u64>,
}

async fn review(
    axum::extract::State(state): Shared,
    Extension(client): Extension<Client>,
    Asked(asked): Asked<Review>,
) -> Result<Lines, Refusal> {
    let time = number("time_ms", asked.time_ms, 300, 2_000)?.max(50);
    // A depth that is never reached keeps proofs and books out: a position of a book beside one without
    // would look like a blunder.
    let limits = Limits { depth: Some(99), ..Limits::time(Duration::from_millis(time)) };
    // The whole game is checked before anything is queued.
    asked.place.open()?;
    let start = asked.place.start()?;
    let turns = asked.place.turns.unwrap_or_default();
    stream(&state, client, move |desk, stop, lines| {
        let mut positions = vec![start];
        for turn in &turns {
            let Some(mut next) = positions.last().map(|session| session.boxed_clone()) else {
                return;
            };
            if next.play(turn).is_err() {
                return;
            }
            positions.push(next);
        }
        // From the end to the beginning: what came out later is known when a turn is judged.
        let mut after: Option<Judged> = None;
        for (ply, session) in positions.iter().enumerate().rev() {
            let Some(mut judged) = judge(desk, session.as_ref(), &limits, stop) else { return };
            if stop.is_stopped() {
                return;
            }
            let played = turns.get(ply).zip(after.as_ref());
            if let Some((turn, after)) = played {
                judged.learn(turn, after.score);
                if lines.send(after.told(ply + 1, turns.len(), Some(&judged)).to_string()).is_err()
                {
                    return;
                }
            }
            after = Some(judged);
        }
        if let Some(first) = after {
            let _ = lines.send(first.told(0, turns.len(), None).to_string());
        }
    })
}

/// What a position is worth.
struct Judged {
    /// To player 1.
    score: i32,
    mover: Player,
    best: Vec<String>,
}

fn judge(desk: &mut Desk, session: &dyn Session, limits: &Limits, stop: &Stop) -> Option<Judged> {
    let mover = session.turn();
    if let Some(outcome) = session.result() {
        let score =
            outcome.winner().map_or(0, |winner| if winner == Player::One { WIN } else { -WIN });
        return Some(Judged { score, mover, best: Vec::new() });
    }
    let line = best(desk, session, limits, stop, &mut |_| {})?.lines.into_iter().next()?;
    let score = if mover == Player::One { line.score } else { -line.score };
    Some(Judged { score, mover, best: line.turns })
}

impl Judged {
    fn told(&self, ply: usize, of: usize, before: Option<&Judged>) -> Value {
        let loss = before.map(|before| before.loss(self.score));
        let mistake = loss
            .and_then(|loss| MISTAKES.iter().find(|(least, _)| loss >= *least))
            .map(|(_, name)| name);
        json!({
            "ply": ply, "of": of, "score": self.score, "win_in": win_in(self.score),
            "best": before.map_or(&[][..], |before| before.best.as_slice()),
            "loss": loss, "mistake": mistake,
        })
    }

    /// A turn that turned out better than what was thought best is the best that is known.
    fn learn(&mut self, turn: &str, after: i32) {
        let sign = if self.mover == Player::One { 1 } else { -1 };
        let after = earlier(after, 1);
        if sign * after > sign * self.score {
            self.score = after;
            self.best = vec![turn.to_owned()];
        }
    }

    /// What the player to move gave away by a turn after which the position is worth so much.
    fn loss(&self, after: i32) -> i32 {
        let sign = if self.mover == Player::One { 1 } else { -1 };
        let worth = |score: i32| (sign * score).clamp(-CLEARLY_WON, CLEARLY_WON);
        (worth(self.score) - worth(after)).max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_what_the_mover_gave_away() {
        let judged = |mover, score| Judged { score, mover, best: Vec::new() };
        assert_eq!(judged(Player::One, 100).loss(-50), 150);
        assert_eq!(judged(Player::Two, 100).loss(-50), 0);
        assert_eq!(judged(Player::Two, -100).loss(250), 350);
        assert_eq!(judged(Player::One, WIN - 3).loss(1_200), 0, "still clearly won");
        assert_eq!(judged(Player::One, WIN - 3).loss(0), CLEARLY_WON);
    }

    #[test]
    fn what_came_out_later_is_known_before() {
        let mut judged = Judged { score: -17, mover: Player::Two, best: vec!["e5".into()] };
        judged.learn("c5", 12);
        assert_eq!((judged.score, judged.best[0].as_str()), (-17, "e5"));
        judged.learn("c5", -(WIN - 11));
        assert_eq!((judged.score, judged.best[0].as_str()), (-(WIN - 12), "c5"));
    }

    #[test]
    fn mistakes_are_named_by_their_size() {
        let before = Judged { score: 0, mover: Player::One, best: vec!["c4".into()] };
        let named = |score| {
            let after = Judged { score, mover: Player::Two, best: Vec::new() };
            after.told(1, 9, Some(&before))["mistake"].clone()
        };
        assert_eq!(named(-40), Value::Null);
        assert_eq!(named(-60), "inaccuracy");
        assert_eq!(named(-150), "mistake");
        assert_eq!(named(-WIN + 1), "blunder");
    }
}
