//! What a transport allows a request to cost, and what a request asks for within that.

use crate::read::Amount;
use crate::refusal::Refusal;
use engine::Limits;
use serde::Deserialize;
use std::time::Duration;

/// The most that a request may ask for; more is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Milliseconds of a search.
    pub time_ms: u64,
    /// Milliseconds for each position of a review.
    pub review_ms: u64,
    /// Positions a search looks at.
    pub nodes: u64,
    /// Moves a search looks ahead.
    pub depth: u64,
    /// Best lines.
    pub lines: u64,
    /// Threads of a search.
    pub threads: u64,
    /// Turns that are played from the position a request begins with.
    pub turns: usize,
    /// Whether a search that is bounded by nodes or depth alone may take longer than `time_ms`.
    pub patient: bool,
}

impl Budget {
    /// For whoever asks on a machine of their own.
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

    /// For whoever asks a page, which has one thread to think with.
    pub const PAGE: Budget = Budget { threads: 1, ..Budget::OWN };

    /// For strangers who ask a server.
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

/// How much to search, as a request says it; what is left out is not limited.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Effort {
    /// Milliseconds.
    #[serde(default)]
    pub time_ms: Option<Amount>,
    /// Positions to look at.
    #[serde(default)]
    pub nodes: Option<Amount>,
    /// Moves to look ahead.
    #[serde(default)]
    pub depth: Option<Amount>,
    /// Best lines to find.
    #[serde(default)]
    pub lines: Option<Amount>,
    /// Threads to use.
    #[serde(default)]
    pub threads: Option<Amount>,
}

impl Effort {
    /// The fields, as requests name them.
    pub const FIELDS: [&str; 5] = ["time_ms", "nodes", "depth", "lines", "threads"];

    /// The limits of a search; a request that bounds neither time, nodes nor depth gets `usual` time.
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
        };
        let time = match limits.time {
            None if limits.nodes.is_none() && limits.depth.is_none() => Some(usual),
            None if !budget.patient => Some(Duration::from_millis(budget.time_ms)),
            time => time,
        };
        Ok(Limits { time, ..limits })
    }
}
