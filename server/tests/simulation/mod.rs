//! Whole worlds in simulated time: several servers with their real code, clients, a network, a database and faults, all
//! from one seed.
//!
//! `QUADRILLE_SEED=123 cargo test -p quadrille-server --test all simulation::seeds -- --nocapture` runs one
//! seed and shows what happened.

mod checks;
mod clients;
mod cluster;
mod differential;
mod disk;
mod lobby;
mod model;
mod model_records;
mod network;
mod plan;
mod run;
mod world;

use plan::Plan;
use run::{Outcome, run};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How many seeds are run by default, and with `QUADRILLE_LONG=1`.
const SEEDS: u64 = 200;
const MANY_SEEDS: u64 = 20_000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Runs a plan; a panic is a failure, too.
fn tried(plan: &Plan) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| run(plan))).unwrap_or_else(|_| Outcome {
        failures: vec!["it panicked".into()],
        trace: String::new(),
        time: 0,
    })
}

/// Leaves out faults and tables while it still fails in the same way.
fn shrunk(plan: &Plan, failure: &str) -> Plan {
    let kind = failure.split(':').next().unwrap_or_default();
    let mut plan = plan.clone();
    let fails = |plan: &Plan| tried(plan).failures.iter().any(|own| own.starts_with(kind));
    for i in (0..plan.faults.len()).rev() {
        let mut less = plan.clone();
        less.faults.remove(i);
        if fails(&less) {
            plan = less;
        }
    }
    for i in (0..plan.tables.len()).rev().filter(|_| plan.tables.len() > 1) {
        let mut less = plan.clone();
        if less.tables.len() > i && less.tables.len() > 1 {
            less.tables.remove(i);
            if fails(&less) {
                return less;
            }
        }
    }
    plan
}

#[test]
fn seeds_keep_every_promise() {
    let one = number("QUADRILLE_SEED");
    let long = std::env::var_os("QUADRILLE_LONG").is_some();
    let count = number("QUADRILLE_SEEDS").unwrap_or(if long { MANY_SEEDS } else { SEEDS });
    let first = number("QUADRILLE_FIRST_SEED").unwrap_or(1);
    let seeds = one.map_or(first..first + count, |seed| seed..seed + 1);
    let survey = std::env::var_os("QUADRILLE_SURVEY").is_some();
    let (began, mut simulated, mut failing) = (std::time::Instant::now(), 0, 0);
    for seed in seeds.clone() {
        let plan = Plan::new(seed);
        let outcome = tried(&plan);
        simulated += outcome.time;
        if one.is_some() {
            println!("{plan:?}\n{}", outcome.trace);
        }
        if seed % 16 == 0 {
            assert!(run(&plan).trace == outcome.trace, "seed {seed} went differently again");
        }
        let Some(failure) = outcome.failures.first() else { continue };
        if survey {
            failing += 1;
            println!("{seed}: {:?}", outcome.failures);
            continue;
        }
        let quick = std::env::var_os("QUADRILLE_QUICK").is_some();
        let plan = if quick { plan } else { shrunk(&plan, failure) };
        panic!(
            "{:#?}\nafter {} seeds; with fewer faults and clients: {plan:?}\n\
             QUADRILLE_SEED={seed} cargo test -p quadrille-server --test all \
             simulation::seeds -- --nocapture",
            outcome.failures,
            seed + 1 - seeds.start
        );
    }
    let (count, took) = (seeds.end - seeds.start, began.elapsed());
    let hours = simulated as f64 / 3.6e9;
    assert_eq!(failing, 0, "of {count} seeds");
    println!("{count} seeds in {took:.1?}, {hours:.2} simulated hours");
}
