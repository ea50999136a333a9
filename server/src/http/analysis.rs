//! Requests that need the engine: queries with a search, hints, turns, analyses and reviews.

use crate::games::hall::Hall;
use crate::http::guard::Client;
use crate::http::refused::{Answered, Asked};
use crate::http::stream::Lines;
use crate::http::{HallState, boards};
use crate::work::engines::Progress;
use crate::work::queue::{Kind, Lane, Order};
use axum::Router;
use axum::extract::{Extension, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use engine::Stop;
use requests::{Answer, Budget, Desk, Ready, Request, Work};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use table::Refusal;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

pub fn router() -> Router<Arc<Hall>> {
    let asked = |ask: &'static str| {
        post(move |hall, client, Asked(fields)| answer(ask, hall, client, fields))
    };
    Router::new()
        .route("/api/query", asked("query"))
        .route("/api/hint", asked("hint"))
        .route("/api/turn", asked("turn"))
        .route("/api/analysis", asked("analysis"))
        .route("/api/review", asked("review"))
}

type Sender = UnboundedSender<String>;

/// A player is waiting for a hint, so it gets less time.
pub const HINT: Budget = Budget { time_ms: 2_000, ..Budget::SERVED };

/// How a request is queued and what it may cost; none if it needs no engine.
pub fn terms(ask: &str, request: &Request) -> Option<(Kind, &'static Budget)> {
    match ask {
        "hint" | "turn" => Some((Kind::Hint, &HINT)),
        "analysis" => Some((Kind::Analysis, &Budget::SERVED)),
        "review" => Some((Kind::Review, &Budget::SERVED)),
        "query" if matches!(request, Request::Query(query) if query.search.is_none()) => None,
        "query" => Some((Kind::Query, &Budget::SERVED)),
        _ => None,
    }
}

fn queue_is_full() -> Refusal {
    Refusal::too_many("the engine's queue is full", 10)
}

/// Errors in a request are reported before it is queued.
async fn answer(
    ask: &'static str,
    State(hall): HallState,
    Extension(Client(client)): Extension<Client>,
    fields: Map<String, Value>,
) -> Answered<Response> {
    let request = Request::read(ask, fields.clone())?;
    let Some((kind, budget)) = terms(ask, &request) else {
        return Ok(boards::answer(ask, &hall.replays, client, fields).await?);
    };
    let ready = hall.replays.run(client, move || request.prepare(budget)).await??;
    let Ready::Work(work) = ready else {
        return Ok(boards::answer(ask, &hall.replays, client, fields).await?);
    };
    let order = Order { address: client, lane: Lane::Asked(kind) };
    let job = Job { ask, fields };
    match kind {
        Kind::Analysis | Kind::Review => Ok(stream(&hall, order, job, work)?.into_response()),
        _ => Ok(once(&hall, order, job, work).await?),
    }
}

/// Sends one line; returns whether the client is still reading.
fn tell(lines: &Sender, news: &impl Serialize) -> bool {
    lines.send(serde_json::to_string(news).unwrap_or_default()).is_ok()
}

/// Queues a request that gets a single answer.
async fn once(hall: &Hall, order: Order, job: Job, mut work: Work) -> Result<Response, Refusal> {
    let slot = hall.limits.searches.take(order.address)?;
    let kind = [(header::CONTENT_TYPE, "application/json")];
    if let Some(answer) = job.done_elsewhere(hall, order).await {
        return Ok((kind, answer).into_response());
    }
    let (answer, answered) = oneshot::channel();
    let stop = Stop::default();
    let switch = stop.clone();
    let work = move |desk: &mut Desk| {
        let mut found = None;
        work.step(desk, &switch, &mut |answer: Answer| found = Some(answer));
        // The client may have disconnected.
        let _ = answer.send(serde_json::to_string(&found).unwrap_or_default());
    };
    if !hall.engines.submit_once(order, stop.clone(), work) {
        return Err(queue_is_full());
    }
    let waiting = Waiting(stop);
    let answer = answered.await.map_err(|_| Refusal::unavailable("the server is stopping"))?;
    drop((waiting, slot));
    Ok((kind, answer).into_response())
}

/// Stops the search when the client disconnects.
struct Waiting(Stop);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Queues a request whose answer is streamed line by line.
fn stream(hall: &Arc<Hall>, order: Order, job: Job, work: Work) -> Result<Lines, Refusal> {
    let slot = hall.limits.searches.take(order.address)?;
    let (lines, told) = unbounded_channel();
    let stop = Stop::default();
    let answer = Lines::new(told, Some(stop.clone()), Some(slot));
    #[cfg(feature = "many")]
    if let Some(workers) = hall.workers.clone() {
        let hall = Arc::clone(hall);
        tokio::spawn(async move {
            let mut count = 0;
            let elsewhere = job.asked(order);
            let ask = workers.ask(&elsewhere, |line| {
                count += 1;
                lines.send(line).is_ok()
            });
            let done = tokio::select! {
                done = ask => done,
                () = lines.closed() => true,
            };
            // If the worker failed, the server computes the remaining lines itself.
            if !done && !order_here(&hall, order, &stop, lines.clone(), count, work) {
                tell(&lines, &queue_is_full());
            }
        });
        return Ok(answer);
    }
    drop(job);
    match order_here(hall, order, &stop, lines, 0, work) {
        true => Ok(answer),
        false => Err(queue_is_full()),
    }
}

/// Queues a streamed request on this server, leaving out the first `skip` lines; returns whether the queue had room.
fn order_here(
    hall: &Hall,
    order: Order,
    stop: &Stop,
    lines: Sender,
    mut skip: usize,
    mut work: Work,
) -> bool {
    let (switch, waiting) = (stop.clone(), lines.clone());
    let wait = move |ahead: usize| {
        tell(&waiting, &json!({ "queued": ahead }));
    };
    let work = move |desk: &mut Desk| {
        let mut read = true;
        let more = work.step(desk, &switch, &mut |answer: Answer| match skip {
            0 => read = tell(&lines, &answer),
            _ => skip -= 1,
        });
        if more && read { Progress::More } else { Progress::Done }
    };
    hall.engines.submit(order, stop.clone(), wait, work)
}

/// A request as it is sent to a worker, where there are workers.
#[cfg_attr(not(feature = "many"), allow(dead_code))]
struct Job {
    ask: &'static str,
    fields: Map<String, Value>,
}

impl Job {
    #[cfg(feature = "many")]
    fn asked(&self, order: Order) -> Value {
        crate::work::hand::asked(self.ask, order.address, &self.fields)
    }

    /// The answer of a worker, if one completes it.
    #[cfg(feature = "many")]
    async fn done_elsewhere(&self, hall: &Hall, order: Order) -> Option<String> {
        let workers = hall.workers.as_ref()?;
        let mut answer = None;
        let tell = |line: String| {
            answer = Some(line);
            true
        };
        workers.ask(&self.asked(order), tell).await.then_some(answer).flatten()
    }

    #[cfg(not(feature = "many"))]
    async fn done_elsewhere(&self, _: &Hall, _: Order) -> Option<String> {
        None
    }
}
