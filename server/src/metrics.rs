//! Numbers for those who watch over a server.

use std::fmt::Write;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

/// What has been counted since the start.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Requests answered, by the first digit of their status.
    requests: [AtomicU64; 6],
    /// Connections open now, sockets included.
    pub connections: AtomicI64,
    /// Sockets open now.
    pub sockets: AtomicI64,
    /// Games in memory now.
    pub live_games: AtomicI64,
    /// Engine jobs under way and waiting.
    pub jobs: [AtomicI64; 2],
    /// Turns stored.
    pub turns: AtomicU64,
    /// Games made.
    pub games: AtomicU64,
    /// Requests and sockets that went past a limit.
    pub limited: AtomicU64,
    /// Connections that were let go for others.
    pub let_go: AtomicU64,
    /// Panics that ended a request.
    pub panics: AtomicU64,
    /// Events of other servers of which no word had come.
    pub missed: AtomicU64,
    /// Whether other servers can be told what is new.
    pub connected: AtomicI64,
    /// Connections to the store that were lost.
    pub lost: AtomicU64,
    commits: AtomicU64,
    committed: AtomicU64,
    failed_commits: AtomicU64,
    commit_micros: AtomicU64,
    /// How many took so long and not longer, and at the end those that took longest.
    commit_times: [AtomicU64; TIMES.len() + 1],
}

/// Milliseconds that part commits: on a good disk most are below the third.
const TIMES: [u64; 11] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000];

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl Metrics {
    /// A request was answered.
    pub fn answered(&self, status: u16) {
        if let Some(counter) = self.requests.get(usize::from(status / 100)) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The store has committed some jobs together, or failed to.
    pub fn committed(&self, jobs: usize, time: Duration, well: bool) {
        let counter = if well { &self.commits } else { &self.failed_commits };
        counter.fetch_add(1, Ordering::Relaxed);
        if well {
            self.committed.fetch_add(jobs as u64, Ordering::Relaxed);
        }
        self.commit_micros.fetch_add(micros(time), Ordering::Relaxed);
        // One that failed has kept people waiting, too.
        let place = TIMES.iter().position(|most| time <= Duration::from_millis(*most));
        if let Some(counter) = self.commit_times.get(place.unwrap_or(TIMES.len())) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How long transactions took, as a histogram of Prometheus: each row counts those before it, too.
    fn commit_seconds(&self) -> String {
        let mut text = String::from(
            "# HELP quadrille_commit_seconds How long transactions took, failed ones included.\n\
             # TYPE quadrille_commit_seconds histogram\n",
        );
        let mut all = 0;
        for (place, counter) in self.commit_times.iter().enumerate() {
            all += counter.load(Ordering::Relaxed);
            let most = match TIMES.get(place) {
                Some(most) => format!("{}.{:03}", most / 1_000, most % 1_000),
                None => "+Inf".to_owned(),
            };
            // Writing to a text does not fail.
            let _ = writeln!(text, "quadrille_commit_seconds_bucket{{le=\"{most}\"}} {all}");
        }
        let sum = Duration::from_micros(self.commit_micros.load(Ordering::Relaxed)).as_secs_f64();
        let _ = writeln!(text, "quadrille_commit_seconds_sum {sum}");
        let _ = writeln!(text, "quadrille_commit_seconds_count {all}");
        text
    }

    /// A connection to the store was lost.
    pub fn store_lost(&self) {
        self.lost.fetch_add(1, Ordering::Relaxed);
    }

    /// All numbers in the text format of Prometheus.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut put = |kind: &str, name: &str, help: &str, rows: &[(String, u64)]| {
            // Writing to a text does not fail.
            let _ =
                writeln!(text, "# HELP quadrille_{name} {help}\n# TYPE quadrille_{name} {kind}");
            for (labels, value) in rows {
                let _ = writeln!(text, "quadrille_{name}{labels} {value}");
            }
        };
        let count = |counter: &AtomicU64| vec![(String::new(), counter.load(Ordering::Relaxed))];
        let gauge = |gauge: &AtomicI64| {
            vec![(String::new(), u64::try_from(gauge.load(Ordering::Relaxed)).unwrap_or(0))]
        };
        let requests: Vec<_> = (2..6)
            .map(|class| {
                let count = self.requests[class].load(Ordering::Relaxed);
                (format!("{{status=\"{class}xx\"}}"), count)
            })
            .collect();
        put("counter", "requests_total", "Requests answered.", &requests);
        put("gauge", "connections", "Connections open.", &gauge(&self.connections));
        put("gauge", "sockets", "Sockets open.", &gauge(&self.sockets));
        put("gauge", "live_games", "Games in memory.", &gauge(&self.live_games));
        put("gauge", "engine_jobs_running", "Engine jobs under way.", &gauge(&self.jobs[0]));
        put("gauge", "engine_jobs_waiting", "Engine jobs that wait.", &gauge(&self.jobs[1]));
        put("counter", "turns_total", "Turns stored.", &count(&self.turns));
        put("counter", "games_total", "Games made.", &count(&self.games));
        put("counter", "limited_total", "Refusals because of a limit.", &count(&self.limited));
        let help = "Connections that were let go for others.";
        put("counter", "let_go_total", help, &count(&self.let_go));
        put("counter", "panics_total", "Panics that ended a request.", &count(&self.panics));
        put("counter", "commits_total", "Transactions committed.", &count(&self.commits));
        put("counter", "committed_jobs_total", "Appends committed.", &count(&self.committed));
        put(
            "counter",
            "failed_commits_total",
            "Failed transactions.",
            &count(&self.failed_commits),
        );
        put("counter", "store_lost_total", "Connections to the store lost.", &count(&self.lost));
        put("gauge", "news_connected", "Whether NATS is there.", &gauge(&self.connected));
        put("counter", "news_missed_total", "Games found changed unheard.", &count(&self.missed));
        text + &self.commit_seconds()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_counts_what_happened() {
        let metrics = Metrics::default();
        metrics.answered(201);
        metrics.answered(429);
        metrics.committed(3, Duration::from_micros(1_500), true);
        metrics.committed(1, Duration::from_secs(3), false);
        let text = metrics.text();
        for line in [
            "quadrille_requests_total{status=\"2xx\"} 1",
            "quadrille_requests_total{status=\"4xx\"} 1",
            "quadrille_committed_jobs_total 3",
            "quadrille_commit_seconds_bucket{le=\"0.001\"} 0",
            "quadrille_commit_seconds_bucket{le=\"0.002\"} 1",
            "quadrille_commit_seconds_bucket{le=\"+Inf\"} 2",
            "quadrille_commit_seconds_sum 3.0015",
            "quadrille_commit_seconds_count 2",
        ] {
            assert!(text.lines().any(|own| own == line), "{line} is not in\n{text}");
        }
    }
}
