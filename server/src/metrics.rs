//! Prometheus metrics.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

/// Counters since startup, and gauges.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Requests by the first digit of their status.
    requests: [AtomicU64; 6],
    /// The same by route, with durations.
    routes: RwLock<BTreeMap<String, Arc<Route>>>,
    /// Open connections, including WebSockets.
    pub connections: AtomicI64,
    /// Open WebSockets.
    pub sockets: AtomicI64,
    /// Games in memory.
    pub live_games: AtomicI64,
    /// Engine jobs running and waiting.
    pub jobs: [AtomicI64; 2],
    pub turns: AtomicU64,
    pub games: AtomicU64,
    /// Requests and frames refused by a rate limit.
    pub limited: AtomicU64,
    /// Connections evicted in favour of others.
    pub let_go: AtomicU64,
    /// Requests that panicked.
    pub panics: AtomicU64,
    /// Background tasks that died and were restarted.
    pub restarts: AtomicU64,
    /// Changes by other servers that were found by polling because no notification had arrived.
    pub missed: AtomicU64,
    /// Whether NATS is connected.
    pub connected: AtomicI64,
    /// Whether a move can be stored, when that was last asked.
    pub can_store: AtomicI64,
    /// Lost connections to the store.
    pub lost: AtomicU64,
    /// Games deleted, by the reasons of [`DELETED`].
    pub deleted: [AtomicU64; DELETED.len()],
    commits: AtomicU64,
    committed: AtomicU64,
    failed_commits: AtomicU64,
    commit_times: Histogram<11>,
}

/// Why games were deleted: expired in one of the states of [`crate::admin::retention`], or by an operator.
pub const DELETED: [&str; 4] = ["unfinished", "finished", "unplayed", "operator"];

/// The figures of a route.
#[derive(Debug, Default)]
struct Route {
    requests: [AtomicU64; 6],
    times: Histogram<6>,
}

/// Upper bounds of the buckets for requests, in milliseconds.
const REQUEST_TIMES: [u64; 6] = [5, 20, 50, 200, 1_000, 5_000];

/// Upper bounds of the buckets for commits, in milliseconds. On a good disk most commits take less than the third.
const TIMES: [u64; 11] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000];

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// A histogram of durations: counts for `N` upper bounds, and their sum.
#[derive(Debug)]
struct Histogram<const N: usize> {
    counts: [AtomicU64; N],
    slower: AtomicU64,
    micros: AtomicU64,
}

impl<const N: usize> Default for Histogram<N> {
    fn default() -> Self {
        let counts = std::array::from_fn(|_| AtomicU64::new(0));
        Histogram { counts, slower: AtomicU64::new(0), micros: AtomicU64::new(0) }
    }
}

impl<const N: usize> Histogram<N> {
    fn count(&self, bounds: &[u64; N], time: Duration) {
        let place = bounds.iter().position(|most| time <= Duration::from_millis(*most));
        let counter = place.and_then(|place| self.counts.get(place)).unwrap_or(&self.slower);
        counter.fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros(time), Ordering::Relaxed);
    }

    /// The lines of Prometheus' format, in which each bucket includes the smaller ones.
    fn write(&self, text: &mut String, bounds: &[u64; N], name: &str, labels: &str) {
        let mut all = 0;
        let comma = if labels.is_empty() { "" } else { "," };
        // Writing to a string cannot fail.
        for (counter, most) in self.counts.iter().zip(bounds) {
            all += counter.load(Ordering::Relaxed);
            let most = format!("{}.{:03}", most / 1_000, most % 1_000);
            let _ = writeln!(text, "{name}_bucket{{{labels}{comma}le=\"{most}\"}} {all}");
        }
        all += self.slower.load(Ordering::Relaxed);
        let _ = writeln!(text, "{name}_bucket{{{labels}{comma}le=\"+Inf\"}} {all}");
        let sum = Duration::from_micros(self.micros.load(Ordering::Relaxed)).as_secs_f64();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{labels}}}") };
        let _ = writeln!(text, "{name}_sum{labels} {sum}");
        let _ = writeln!(text, "{name}_count{labels} {all}");
    }
}

impl Metrics {
    /// Counts an answer; `route` is a pattern of the router, so the number of labels is bounded.
    pub fn answered(&self, route: &str, status: u16, time: Duration) {
        let class = usize::from(status / 100);
        let own = self.route(route);
        own.times.count(&REQUEST_TIMES, time);
        for counters in [&self.requests, &own.requests] {
            if let Some(counter) = counters.get(class) {
                counter.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn route(&self, route: &str) -> Arc<Route> {
        let known = self.routes.read().unwrap_or_else(PoisonError::into_inner).get(route).cloned();
        known.unwrap_or_else(|| {
            let mut routes = self.routes.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(routes.entry(route.to_owned()).or_default())
        })
    }

    fn of_routes(&self) -> String {
        let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::from(
            "# HELP quadrille_route_requests_total Requests answered, by route.\n\
             # TYPE quadrille_route_requests_total counter\n",
        );
        for (name, route) in routes.iter() {
            for (class, counter) in route.requests.iter().enumerate() {
                let count = counter.load(Ordering::Relaxed);
                if count > 0 {
                    let labels = format!("route=\"{name}\",status=\"{class}xx\"");
                    let _ = writeln!(text, "quadrille_route_requests_total{{{labels}}} {count}");
                }
            }
        }
        text += "# HELP quadrille_request_seconds Time until the head of the answer, by route.\n\
                 # TYPE quadrille_request_seconds histogram\n";
        for (name, route) in routes.iter() {
            let labels = format!("route=\"{name}\"");
            route.times.write(&mut text, &REQUEST_TIMES, "quadrille_request_seconds", &labels);
        }
        text
    }

    /// Counts a transaction of this many jobs.
    pub fn committed(&self, jobs: usize, time: Duration, well: bool) {
        let counter = if well { &self.commits } else { &self.failed_commits };
        counter.fetch_add(1, Ordering::Relaxed);
        if well {
            self.committed.fetch_add(jobs as u64, Ordering::Relaxed);
        }
        // Failed transactions count too: somebody waited for them.
        self.commit_times.count(&TIMES, time);
    }

    fn commit_seconds(&self) -> String {
        let mut text = String::from(
            "# HELP quadrille_commit_seconds How long transactions took, failed ones included.\n\
             # TYPE quadrille_commit_seconds histogram\n",
        );
        self.commit_times.write(&mut text, &TIMES, "quadrille_commit_seconds", "");
        text
    }

    pub fn store_lost(&self) {
        self.lost.fetch_add(1, Ordering::Relaxed);
    }

    /// All metrics in Prometheus' text format.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut put = |kind: &str, name: &str, help: &str, rows: &[(String, u64)]| {
            // Writing to a string cannot fail.
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
        put("gauge", "engine_jobs_running", "Engine jobs running.", &gauge(&self.jobs[0]));
        put("gauge", "engine_jobs_waiting", "Engine jobs queued.", &gauge(&self.jobs[1]));
        put("counter", "turns_total", "Turns stored.", &count(&self.turns));
        put("counter", "games_total", "Games created.", &count(&self.games));
        put("counter", "limited_total", "Requests refused by a limit.", &count(&self.limited));
        let help = "Connections evicted in favour of others.";
        put("counter", "let_go_total", help, &count(&self.let_go));
        put("counter", "panics_total", "Requests that panicked.", &count(&self.panics));
        put(
            "counter",
            "task_restarts_total",
            "Background tasks restarted.",
            &count(&self.restarts),
        );
        put("counter", "commits_total", "Transactions committed.", &count(&self.commits));
        put("counter", "committed_jobs_total", "Appends committed.", &count(&self.committed));
        put(
            "counter",
            "failed_commits_total",
            "Failed transactions.",
            &count(&self.failed_commits),
        );
        let help = "Whether a move can be stored; tried if nothing was stored lately.";
        put("gauge", "can_store", help, &gauge(&self.can_store));
        put("counter", "store_lost_total", "Connections to the store lost.", &count(&self.lost));
        put("gauge", "news_connected", "Whether NATS is connected.", &gauge(&self.connected));
        put(
            "counter",
            "news_missed_total",
            "Changes found by polling, without a notification.",
            &count(&self.missed),
        );
        let deleted = DELETED
            .iter()
            .zip(&self.deleted)
            .map(|(why, counter)| (format!("{{why=\"{why}\"}}"), counter.load(Ordering::Relaxed)));
        put("counter", "deleted_games_total", "Games deleted.", &deleted.collect::<Vec<_>>());
        let version = format!("{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
        put("gauge", "build_info", "The version of the program.", &[(version, 1)]);
        text + &self.commit_seconds() + &self.of_routes() + &process()
    }
}

/// The usual metrics about the process, as far as the operating system provides them.
#[cfg(target_os = "linux")]
fn process() -> String {
    let mut text = String::new();
    let mut put = |kind: &str, name: &str, help: &str, value: Option<f64>| {
        if let Some(value) = value {
            let _ = writeln!(
                text,
                "# HELP process_{name} {help}\n# TYPE process_{name} {kind}\nprocess_{name} {value}"
            );
        }
    };
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The second field is the program's name, which may contain anything.
    let fields: Vec<_> =
        stat.rsplit(") ").next().unwrap_or_default().split_ascii_whitespace().collect();
    let number = |place: usize| fields.get(place).and_then(|field| field.parse::<f64>().ok());
    let ticks = rustix::param::clock_ticks_per_second() as f64;
    let cpu = number(11).zip(number(12)).map(|(user, system)| (user + system) / ticks);
    put("counter", "cpu_seconds_total", "Processor time used.", cpu);
    let resident = number(21).map(|pages| pages * rustix::param::page_size() as f64);
    put("gauge", "resident_memory_bytes", "Memory in use.", resident);
    put("gauge", "threads", "Threads.", number(17));
    let files = std::fs::read_dir("/proc/self/fd").ok().map(|files| files.count() as f64);
    put("gauge", "open_fds", "Files and connections open.", files);
    let most = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    put("gauge", "max_fds", "The most of them.", most.map(|most| most as f64));
    text
}

#[cfg(not(target_os = "linux"))]
fn process() -> String {
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_counts_what_happened() {
        let metrics = Metrics::default();
        metrics.answered("/api/games", 201, Duration::from_millis(7));
        metrics.answered("/api/games/{id}", 429, Duration::from_secs(9));
        metrics.deleted[1].fetch_add(2, Ordering::Relaxed);
        metrics.committed(3, Duration::from_micros(1_500), true);
        metrics.committed(1, Duration::from_secs(3), false);
        let text = metrics.text();
        for line in [
            "quadrille_requests_total{status=\"2xx\"} 1",
            "quadrille_requests_total{status=\"4xx\"} 1",
            "quadrille_committed_jobs_total 3",
            "quadrille_route_requests_total{route=\"/api/games\",status=\"2xx\"} 1",
            "quadrille_request_seconds_bucket{route=\"/api/games\",le=\"0.005\"} 0",
            "quadrille_request_seconds_bucket{route=\"/api/games\",le=\"0.020\"} 1",
            "quadrille_request_seconds_bucket{route=\"/api/games/{id}\",le=\"5.000\"} 0",
            "quadrille_request_seconds_count{route=\"/api/games/{id}\"} 1",
            "quadrille_deleted_games_total{why=\"finished\"} 2",
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
