//! `quadrille work`: engine work for servers and matches on other machines.

use crate::commands::arena;
use crate::shell::failure::{Failure, print};
use engine::Stop;
use requests::Desk;
use serde_json::Value;
use server::work::engines::Load;
use server::work::hand::Helper;
use server::work::jobs::{self, Hand};
use server::work::queue::{Kind, Lane, Order};
use std::sync::Arc;

/// Works until the process is told to stop.
pub fn run(nats: Option<&str>, threads: Option<usize>) -> Result<(), Failure> {
    let nats = crate::commands::serve::nats(nats)
        .ok_or_else(|| Failure::user("where is work handed out? name it with --nats nats://…"))?;
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let threads = threads.unwrap_or(cores + 1).max(2);
    server::log::init(server::log::Format::Text, server::log::Level::WARN);
    // It does not matter if nobody can read it.
    let ready = || drop(print(format!("working on {threads} threads\n")));
    jobs::run(&nats, threads, Arc::new(Worker::default()), ready).map_err(Failure::user)
}

#[derive(Default)]
struct Worker {
    helper: Helper,
}

impl Hand for Worker {
    fn order(&self, job: &Value) -> Option<Order> {
        match job["ask"] == "arena" {
            true => Some(Order {
                address: server::games::hall::SERVER,
                lane: Lane::Asked(Kind::Review),
            }),
            false => self.helper.order(job),
        }
    }

    fn work(
        &self,
        job: &Value,
        desk: &mut Desk,
        load: &Load,
        stop: &Stop,
        tell: &mut dyn FnMut(String),
    ) {
        match job["ask"] == "arena" {
            true => arena::elsewhere::play(job).into_iter().for_each(tell),
            false => self.helper.work(job, desk, load, stop, tell),
        }
    }
}
