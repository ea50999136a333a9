//! Engine work on other machines: the same answers, and nothing lost when a worker is.

use super::services::{nats, postgres};
use crate::arena::rounds;
use crate::wire::{Folder, Line, Server, serve};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A worker that is gone when the test is.
struct Worker(Child);

impl Worker {
    fn start() -> Worker {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
        command.args(["work", "--threads", "2", "--nats", &nats().url()]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "working on 2 threads\n");
        Worker(child)
    }

    fn signal(&self, name: &str) {
        let pid = self.0.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn arena(more: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
    command.args(["arena", "six-making", "engine nodes=300", "level:2", "--size", "4"]);
    let output = command.args(["--games", "8"]).args(more).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_match_that_workers_play_is_the_match_that_is_played_here_though_one_of_them_dies() {
    let folder = Folder::new("workers-arena");
    let [here, there] = ["here.txt", "there.txt"].map(|name| folder.0.join(name));
    arena(&["--out", here.to_str().unwrap()]);
    let (mut one, _two) = (Worker::start(), Worker::start());
    let dies = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        one.0.kill().unwrap();
    });
    let nats = nats().url();
    arena(&["--nats", &nats, "--concurrency", "4", "--out", there.to_str().unwrap()]);
    dies.join().unwrap();
    assert_eq!(rounds(&there), rounds(&here));
}

#[test]
fn programs_of_others_do_not_run_at_workers() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
    command.args(["arena", "gekitai", "ugi:cat time=10", "random", "--nats", &nats().url()]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_frozen_worker_costs_a_moment_and_no_answer() {
    let data = postgres().url(&postgres().database());
    let mut command = serve(data.as_ref());
    command.args(["--nats", &nats().url()]);
    let server =
        Server::spawn(&mut command).unwrap_or_else(|output| panic!("no server: {output:?}"));
    let worker = Worker::start();
    let mut line = Line::open(&server.address).unwrap();
    let review = json!({ "game": "gekitai", "moves": ["c4", "d3", "a1"], "nodes": 500 });
    let mut ask = |path: &str, body: &Value| {
        let (status, body) = line.ask("POST", path, "", &body.to_string()).unwrap();
        assert_eq!(status, 200, "{body}");
        body
    };
    let judged = ask("/api/review", &review);
    worker.signal("-STOP");
    let again = ask("/api/review", &review);
    worker.signal("-CONT");
    let count = |text: &str| text.lines().filter(|line| !line.contains("queued")).count();
    assert_eq!(count(&judged), count(&again), "{judged}\n{again}");
    let hint = ask("/api/hint", &json!({ "game": "gekitai" }));
    assert!(serde_json::from_str::<Value>(&hint).is_ok(), "{hint}");
}
