//! Requests for the engine, over HTTP: queries with a search, hints, analyses, reviews.

use crate::State;
use crate::boards;
use crate::engines::Progress;
use crate::error::{Asked, Refusal};
use crate::guard::Client;
use crate::live::Hall;
use crate::queue::{Kind, Lane, Order};
use crate::stream::Lines;
use axum::extract::Extension;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use engine::Stop;
use requests::{Budget, Desk, Request};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

/// The requests.
pub fn router() -> Router<Arc<State>> {
    let asked = |ask: &'static str| {
        post(move |state, client, Asked(fields)| answer(ask, state, client, fields))
    };
    Router::new()
        .route("/api/query", asked("query"))
        .route("/api/hint", asked("hint"))
        .route("/api/turn", asked("turn"))
        .route("/api/analysis", asked("analysis"))
        .route("/api/review", asked("review"))
}

type Shared = axum::extract::State<Arc<State>>;

type Sender = UnboundedSender<String>;

/// A hint has a player who waits for it.
pub const HINT: Budget = Budget { time_ms: 2_000, ..Budget::SERVED };

fn queue_is_full() -> Refusal {
    Refusal::too_many("too many others wait for the engine", 10)
}

/// Whatever is wrong with a request is said before it is queued.
async fn answer(
    ask: &'static str,
    axum::extract::State(state): Shared,
    Extension(Client(client)): Extension<Client>,
    fields: Map<String, Value>,
) -> Result<Response, Refusal> {
    let request = Request::read(ask, fields.clone())?;
    let job = Job { ask, fields: fields.clone() };
    let order = |kind| Order { address: client, lane: Lane::Asked(kind) };
    let (state, budget, replays) = (&state, &Budget::SERVED, &state.hall.replays);
    match request {
        Request::Hint(search) => {
            let search = replays.run(client, move || search.hint(&HINT)).await??;
            let hint = move |desk: &mut Desk, stop: &Stop| Json(search.hint(desk, stop));
            once(state, order(Kind::Hint), job, hint).await
        }
        Request::Turn(turn) => {
            let turn = replays.run(client, move || turn.prepare(&HINT)).await??;
            let choose = move |desk: &mut Desk, stop: &Stop| {
                Json(requests::Answer::Turn { turn: turn.choose(desk, stop) })
            };
            once(state, order(Kind::Hint), job, choose).await
        }
        Request::Query(query) if query.search.is_some() => {
            let query = replays.run(client, move || query.prepare(budget)).await??;
            let reply = move |desk: &mut Desk, stop: &Stop| Json(query.answer(desk, stop));
            once(state, order(Kind::Query), job, reply).await
        }
        Request::Analysis(search) => {
            let search = replays.run(client, move || search.analysis(budget)).await??;
            let analyse = move |desk: &mut Desk, stop: &Stop, lines: &Sender| {
                search.analyse(desk, stop, &mut |news| {
                    tell(lines, &news);
                });
                Progress::Done
            };
            Ok(stream(state, order(Kind::Analysis), job, analyse)?.into_response())
        }
        Request::Review(review) => {
            let mut review = replays.run(client, move || review.begin(budget)).await??;
            // Others have their turn between two positions.
            let step =
                move |desk: &mut Desk, stop: &Stop, lines: &Sender| match review.step(desk, stop) {
                    Some(judged) if tell(lines, &judged) => Progress::More,
                    _ => Progress::Done,
                };
            Ok(stream(state, order(Kind::Review), job, step)?.into_response())
        }
        _ => boards::answer(ask, replays, client, fields).await,
    }
}

/// Sends a line; says whether somebody still reads.
fn tell(lines: &Sender, news: &impl Serialize) -> bool {
    lines.send(serde_json::to_string(news).unwrap_or_default()).is_ok()
}

/// Queues work that is answered once.
async fn once<A: IntoResponse + Send + 'static>(
    state: &State,
    order: Order,
    job: Job,
    work: impl FnOnce(&mut Desk, &Stop) -> A + Send + 'static,
) -> Result<Response, Refusal> {
    let slot = state.hall.limits.searches.take(order.address)?;
    if let Some(answer) = job.done_elsewhere(&state.hall, order).await {
        let kind = [(axum::http::header::CONTENT_TYPE, "application/json")];
        return Ok((kind, answer).into_response());
    }
    let (answer, answered) = oneshot::channel();
    let stop = Stop::default();
    let switch = stop.clone();
    let work = move |desk: &mut Desk| {
        // Who asked may have left.
        let _ = answer.send(work(desk, &switch));
    };
    if !state.hall.engines.submit_once(order, stop.clone(), work) {
        return Err(queue_is_full());
    }
    let waiting = Waiting(stop);
    let answer = answered.await.map_err(|_| Refusal::unavailable("the server is stopping"))?;
    drop((waiting, slot));
    Ok(answer.into_response())
}

/// Ends a search when nobody waits for it.
struct Waiting(Stop);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Queues work that tells what it finds line by line.
fn stream(
    state: &State,
    order: Order,
    job: Job,
    work: impl FnMut(&mut Desk, &Stop, &Sender) -> Progress + Send + 'static,
) -> Result<Lines, Refusal> {
    let slot = state.hall.limits.searches.take(order.address)?;
    let (lines, told) = unbounded_channel();
    let stop = Stop::default();
    let answer = Lines::new(told, Some(stop.clone()), Some(slot));
    #[cfg(feature = "many")]
    if let Some(workers) = state.hall.workers.clone() {
        let hall = Arc::clone(&state.hall);
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
            // The rest is told from here, if a worker did not.
            if !done && !(order_here(&hall, order, &stop, lines.clone(), count, work)) {
                tell(&lines, &queue_is_full().json());
            }
        });
        return Ok(answer);
    }
    drop(job);
    match order_here(&state.hall, order, &stop, lines, 0, work) {
        true => Ok(answer),
        false => Err(queue_is_full()),
    }
}

/// Queues work that tells what it finds, but for the first lines of it; says whether there was room.
fn order_here(
    hall: &Hall,
    order: Order,
    stop: &Stop,
    lines: Sender,
    mut skip: usize,
    mut work: impl FnMut(&mut Desk, &Stop, &Sender) -> Progress + Send + 'static,
) -> bool {
    let (switch, waiting) = (stop.clone(), lines.clone());
    let wait = move |ahead: usize| {
        tell(&waiting, &json!({ "queued": ahead }));
    };
    let work = move |desk: &mut Desk| {
        if skip == 0 {
            return work(desk, &switch, &lines);
        }
        let (some, mut told) = unbounded_channel();
        let progress = work(desk, &switch, &some);
        while let Ok(line) = told.try_recv() {
            match skip {
                0 => drop(lines.send(line)),
                _ => skip -= 1,
            }
        }
        progress
    };
    hall.engines.submit(order, stop.clone(), wait, work)
}

/// A request as a worker gets it, where there are workers.
#[cfg_attr(not(feature = "many"), allow(dead_code))]
struct Job {
    ask: &'static str,
    fields: Map<String, Value>,
}

impl Job {
    #[cfg(feature = "many")]
    fn asked(&self, order: Order) -> Value {
        crate::hand::asked(self.ask, order.address, &self.fields)
    }

    /// The answer of a worker, if there is one.
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
