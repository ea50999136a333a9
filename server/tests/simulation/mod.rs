//! Whole clusters in simulated time: several servers with their real code, clients, a network, a database and faults,
//! all determined by one seed.
//!
//! `QUADRILLE_SEED=123 cargo test -p quadrille-server --test all simulation::seeds -- --nocapture` runs a single seed
//! and prints its trace; with `QUADRILLE_WITHOUT=f0,t2,v` it leaves out the first fault, the third table and the
//! visitors of the lobby, to narrow down the cause of a failure.

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
mod planted;
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

/// Runs a plan; a panic counts as a failure.
fn tried(plan: &Plan) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| run(plan))).unwrap_or_else(|_| Outcome {
        failures: vec!["it panicked".into()],
        trace: String::new(),
        time: 0,
    })
}

/// Shrinks a plan: the parts that can be left out, one after another, while it still fails.
fn needless(plan: &Plan, fails: impl Fn(&Plan) -> bool) -> Vec<String> {
    let mut without: Vec<String> = Vec::new();
    loop {
        let before = without.len();
        for part in plan.parts().into_iter().rev() {
            if !without.contains(&part) {
                without.push(part);
                if !fails(&plan.without(&without)) {
                    without.pop();
                }
            }
        }
        if without.len() == before {
            without.sort();
            return without;
        }
    }
}

#[test]
fn everything_that_a_failure_does_not_need_is_left_out() {
    let plan = (1..).map(Plan::new).find(|plan| plan.faults.len() > 4 && plan.visitors > 0);
    let plan = plan.unwrap();
    // The fourth fault can be left out only after the second, which is tried later.
    let has = |plan: &Plan, at: u64| plan.faults.iter().any(|fault| fault.at == at);
    let [first, second, fourth] = [0, 1, 3].map(|i| plan.faults[i].at);
    let needless =
        needless(&plan, |less| has(less, first) && (has(less, fourth) || !has(less, second)));
    let less = plan.without(&needless);
    assert_eq!((less.faults.len(), less.tables.len(), less.visitors), (1, 0, 0), "{needless:?}");
    assert_eq!(less.faults[0].at, first);
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
    let without = std::env::var("QUADRILLE_WITHOUT").unwrap_or_default();
    let without: Vec<_> = without.split(',').map(str::to_owned).collect();
    for seed in seeds.clone() {
        let plan = Plan::new(seed).without(&without);
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
        let kind = failure.split(':').next().unwrap_or_default();
        let fails = |plan: &Plan| tried(plan).failures.iter().any(|own| own.starts_with(kind));
        let needless = if quick { Vec::new() } else { needless(&plan, fails) };
        panic!(
            "{:#?}\nafter {} seeds; what it needs: {:?}\n\
             QUADRILLE_SEED={seed} QUADRILLE_WITHOUT={} cargo test -p quadrille-server --test all \
             simulation::seeds -- --nocapture",
            outcome.failures,
            seed + 1 - seeds.start,
            plan.without(&needless),
            needless.join(",")
        );
    }
    let (count, took) = (seeds.end - seeds.start, began.elapsed());
    let hours = simulated as f64 / 3.6e9;
    assert_eq!(failing, 0, "of {count} seeds");
    println!("{count} seeds in {took:.1?}, {hours:.2} simulated hours");
}
