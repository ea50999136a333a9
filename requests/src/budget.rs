//! How much a transport lets a request cost, and how much a request asks for within that budget.

use crate::read::Amount;
use engine::Limits;
use serde::Deserialize;
use std::time::Duration;
use table::Refusal;

/// Upper bounds on what a request may ask for; anything above them is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Search time in milliseconds.
    pub time_ms: u64,
    /// Search time for each position of a review, in milliseconds.
    pub review_ms: u64,
    /// Nodes to search.
    pub nodes: u64,
    /// Search depth, in moves.
    pub depth: u64,
    /// Number of principal variations.
    pub lines: u64,
    /// Search threads.
    pub threads: u64,
    /// Turns replayed from the request's starting position.
    pub turns: usize,
    /// Whether a search limited only by nodes or depth may run longer than `time_ms`.
    pub patient: bool,
}

impl Budget {
    /// For callers on their own machine.
    pub const OWN: Budget = Budget {
        time_ms: 3_600_000,
        review_ms: 3_600_000,
        nodes: 1_000_000_000_000,
        depth: 100,
        lines: 50,
        threads: 64,
        turns: usize::MAX,
        patient: true,
    };

    /// For a page, which has a single thread to search on.
    pub const PAGE: Budget = Budget { threads: 1, ..Budget::OWN };

    /// For strangers who reach us through a server.
    pub const SERVED: Budget = Budget {
        time_ms: 60_000,
        review_ms: 2_000,
        nodes: 1_000_000_000_000,
        depth: 100,
        lines: 5,
        threads: 1,
        turns: 2_000,
        patient: false,
    };
}

/// The search effort a request asks for; fields left out set no limit.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Effort {
    /// Milliseconds.
    pub time_ms: Option<Amount>,
    /// Nodes to search.
    pub nodes: Option<Amount>,
    /// Search depth, in moves.
    pub depth: Option<Amount>,
    /// Number of principal variations to find.
    pub lines: Option<Amount>,
    /// Threads to use.
    pub threads: Option<Amount>,
}

impl Effort {
    /// The fields, as requests name them.
    pub const FIELDS: [&str; 5] = ["time_ms", "nodes", "depth", "lines", "threads"];

    /// Converts the effort to search limits. A request that limits neither time, nodes nor depth gets the `usual`
    /// time.
    pub fn limits(&self, budget: &Budget, usual: Duration) -> Result<Limits, Refusal> {
        let amount = |name: &str, asked: &Option<Amount>, most: u64| {
            asked.as_ref().map(|amount| amount.within(name, most)).transpose()
        };
        let limits = Limits {
            soft: None,
            time: amount("time_ms", &self.time_ms, budget.time_ms)?.map(Duration::from_millis),
            nodes: amount("nodes", &self.nodes, budget.nodes)?,
            depth: amount("depth", &self.depth, budget.depth)?.map(|depth| depth as u32),
            lines: amount("lines", &self.lines, budget.lines)?.unwrap_or(1) as usize,
            threads: amount("threads", &self.threads, budget.threads)?.unwrap_or(1) as usize,
            unaided: false,
        };
        let time = match limits.time {
            None if limits.nodes.is_none() && limits.depth.is_none() => Some(usual),
            None if !budget.patient => Some(Duration::from_millis(budget.time_ms)),
            time => time,
        };
        Ok(Limits { time, ..limits })
    }
}
