//! The jobs that a worker does for servers: computers' turns, hints, analyses and reviews.

use crate::clocks::time::{Machine, Time};
use crate::games::hall::SERVER;
use crate::http::analysis::terms;
use crate::work::computers::Choice;
use crate::work::engines::Load;
use crate::work::queue::{Kind, Lane, Order};
use engine::Stop;
use requests::{Budget, Desk, Ready, Request};
use serde_json::{Map, Value, json};
use std::net::IpAddr;
use std::sync::Arc;

/// Executes jobs on a worker.
pub struct Helper {
    time: Time,
    own: (&'static str, Own),
}

/// Does a job of a kind that servers do not hand out; none if it cannot be done here.
pub type Own = fn(&Value) -> Option<String>;

/// A request for the engine as a job.
pub fn asked(ask: &str, address: IpAddr, fields: &Map<String, Value>) -> Value {
    json!({ "ask": ask, "address": address, "fields": fields })
}

fn address(job: &Value) -> IpAddr {
    job["address"].as_str().and_then(|text| text.parse().ok()).unwrap_or(SERVER)
}

impl Helper {
    /// `own` does jobs of this additional kind.
    pub fn new(kind: &'static str, own: Own) -> Helper {
        let time = Time::new(Arc::new(Machine::default()), 0, Default::default());
        Helper { time, own: (kind, own) }
    }

    /// The address a job is for and its priority; none if it cannot be done here.
    pub fn order(&self, job: &Value) -> Option<Order> {
        if job["ask"] == self.own.0 {
            return Some(Order { address: SERVER, lane: Lane::Asked(Kind::Review) });
        }
        if job["ask"] == "computer" {
            return Some(Choice::of_job(job, address(job), &self.time)?.order);
        }
        let (kind, _, _) = engine_work(job)?;
        Some(Order { address: address(job), lane: Lane::Asked(kind) })
    }

    /// Does a job, passing each line of the answer to `tell`.
    pub fn work(
        &self,
        job: &Value,
        desk: &mut Desk,
        load: &Load,
        stop: &Stop,
        tell: &mut dyn FnMut(String),
    ) {
        if job["ask"] == self.own.0 {
            return (self.own.1)(job).into_iter().for_each(tell);
        }
        if job["ask"] == "computer" {
            let choice = Choice::of_job(job, address(job), &self.time);
            let turn = choice
                .and_then(|choice| choice.stopped_by(stop).make(desk, &self.time, load.of_turns()));
            turn.into_iter().for_each(tell);
            return;
        }
        // The server has validated the request. If it is refused here, the versions differ, and the server does the
        // job itself.
        let Some((_, request, budget)) = engine_work(job) else { return };
        let Ok(Ready::Work(mut work)) = request.prepare(budget) else { return };
        let line = |answer| serde_json::to_string(&answer).unwrap_or_default();
        while work.step(desk, stop, &mut |answer| tell(line(answer))) && !stop.is_stopped() {}
    }
}

/// A job's request, how it is queued, and what it may cost.
fn engine_work(job: &Value) -> Option<(Kind, Request, &'static Budget)> {
    let (ask, fields) = (job["ask"].as_str()?, job["fields"].as_object()?);
    let request = Request::read(ask, fields.clone()).ok()?;
    let (kind, budget) = terms(ask, &request)?;
    Some((kind, request, budget))
}
