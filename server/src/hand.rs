//! What a worker does for servers: computers' turns, hints, analyses and reviews.

use crate::analysis::HINT;
use crate::computers::Choice;
use crate::engines::Load;
use crate::jobs::Hand;
use crate::live::SERVER;
use crate::queue::{Kind, Lane, Order};
use crate::time::{Machine, Time};
use engine::Stop;
use requests::{Answer, Budget, Desk, Request};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::net::IpAddr;
use std::sync::Arc;

/// A worker's knowledge of the requests.
pub struct Helper {
    time: Time,
}

impl Default for Helper {
    fn default() -> Helper {
        Helper { time: Time::new(Arc::new(Machine::default()), 0, Default::default()) }
    }
}

/// A request for the engine as a job.
pub fn asked(ask: &str, address: IpAddr, fields: &Map<String, Value>) -> Value {
    json!({ "ask": ask, "address": address, "fields": fields })
}

fn address(job: &Value) -> IpAddr {
    job["address"].as_str().and_then(|text| text.parse().ok()).unwrap_or(SERVER)
}

impl Hand for Helper {
    fn order(&self, job: &Value) -> Option<Order> {
        let kind = match job["ask"].as_str()? {
            "computer" => return Some(Choice::of_job(job, address(job), &self.time)?.order),
            "hint" | "turn" => Kind::Hint,
            "query" => Kind::Query,
            "analysis" => Kind::Analysis,
            "review" => Kind::Review,
            _ => return None,
        };
        Some(Order { address: address(job), lane: Lane::Asked(kind) })
    }

    fn work(
        &self,
        job: &Value,
        desk: &mut Desk,
        load: &Load,
        stop: &Stop,
        tell: &mut dyn FnMut(String),
    ) {
        let ask = job["ask"].as_str().unwrap_or_default();
        if ask == "computer" {
            let choice = Choice::of_job(job, address(job), &self.time);
            let turn = choice
                .and_then(|choice| choice.stopped_by(stop).make(desk, &self.time, load.of_turns()));
            turn.into_iter().for_each(tell);
            return;
        }
        let fields = job["fields"].as_object().cloned().unwrap_or_default();
        // The server has looked at it: what is refused here comes from another version, and is done there.
        let _ = Request::read(ask, fields).and_then(|request| answer(request, desk, stop, tell));
    }
}

fn line(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).unwrap_or_default()
}

fn answer(
    request: Request,
    desk: &mut Desk,
    stop: &Stop,
    tell: &mut dyn FnMut(String),
) -> Result<(), requests::Refusal> {
    let budget = &Budget::SERVED;
    match request {
        Request::Hint(search) => tell(line(&search.hint(&HINT)?.hint(desk, stop))),
        Request::Turn(turn) => {
            let turn = turn.prepare(&HINT)?.choose(desk, stop);
            tell(line(&Answer::Turn { turn }));
        }
        Request::Query(query) => tell(line(&query.prepare(budget)?.answer(desk, stop))),
        Request::Analysis(search) => {
            search.analysis(budget)?.analyse(desk, stop, &mut |news| tell(line(&news)));
        }
        Request::Review(review) => {
            let mut review = review.begin(budget)?;
            while let Some(judged) = review.step(desk, stop) {
                tell(line(&judged));
                if stop.is_stopped() {
                    break;
                }
            }
        }
        _ => {}
    }
    Ok(())
}
