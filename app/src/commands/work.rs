//! `quadrille work`: engine work for servers and matches on other machines.

use crate::commands::arena;
use crate::shell::failure::{Failure, print};
use server::work::hand::Helper;
use server::work::jobs;
use std::sync::Arc;

/// Works until the process is told to stop.
pub fn run(nats: Option<&str>, threads: Option<usize>) -> Result<(), Failure> {
    let nats = crate::commands::serve::nats(nats)
        .ok_or_else(|| Failure::user("which NATS server? name it with --nats nats://…"))?;
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let threads = threads.unwrap_or(cores + 1).max(2);
    server::log::init(server::log::Format::Text, server::log::Level::WARN);
    // It does not matter if nobody can read it.
    let ready = || drop(print(format!("working on {threads} threads\n")));
    let helper = Helper::new("arena", arena::elsewhere::play);
    jobs::run(&nats, threads, Arc::new(helper), ready).map_err(Failure::user)
}
