//! Measures CPU time, so that an address is charged what its requests really cost.

use crate::http::limits::{Limits, MICROSECONDS_FOR_ONE};
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

/// The thread's CPU time, so that other load on the machine does not raise the price.
#[cfg(unix)]
pub fn thread_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// Wall-clock time, where the thread's CPU time is not available.
#[cfg(not(unix))]
pub fn thread_time() -> Duration {
    static BEGAN: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    BEGAN.elapsed()
}

/// Charges an address for the CPU time of a task while it runs, so that disconnecting early saves nothing.
#[derive(Debug)]
pub struct Meter {
    limits: Arc<Limits>,
    address: IpAddr,
    /// Microseconds already paid for.
    credit: u128,
    /// Microseconds not charged yet.
    spent: u128,
    /// Time not added to any of these yet: most polls are short, and there are several for each move.
    new: Duration,
}

impl Meter {
    /// `paid` is the price already paid for the task.
    pub fn new(limits: &Arc<Limits>, address: IpAddr, paid: u32) -> Meter {
        let credit = u128::from(paid) * MICROSECONDS_FOR_ONE;
        Meter { limits: Arc::clone(limits), address, credit, spent: 0, new: Duration::ZERO }
    }

    /// Adds CPU time spent on an async thread.
    fn add(&mut self, time: Duration) {
        self.new += time;
        if self.new.as_micros() >= MICROSECONDS_FOR_ONE {
            self.charge();
        }
    }

    fn charge(&mut self) {
        let time = std::mem::take(&mut self.new);
        self.limits.worked(time);
        self.spent += time.as_micros();
        let free = self.spent.min(self.credit);
        (self.spent, self.credit) = (self.spent - free, self.credit - free);
        let price = self.spent / MICROSECONDS_FOR_ONE;
        self.spent %= MICROSECONDS_FOR_ONE;
        self.limits.charge(self.address, u32::try_from(price).unwrap_or(u32::MAX));
    }

    /// Runs a task, charging for its CPU time.
    pub async fn run<T>(mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        let measured = std::future::poll_fn(|cx| {
            let clock = self.limits.clock;
            let before = clock();
            let polled = work.as_mut().poll(cx);
            self.add(clock().saturating_sub(before));
            polled
        });
        measured.await
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.charge();
    }
}

/// The load caused by answering requests, and the factor that it puts on prices.
///
/// While answers use more than their share of the machine, prices rise: if many addresses use their whole allowance,
/// each gets less. Whoever asks for little does not notice.
#[derive(Debug)]
pub struct Load {
    /// Microseconds of recent work, decaying over [`WINDOW`].
    work: f64,
    /// The load factor by which prices are multiplied.
    pub factor: f64,
    at: i64,
}

/// The share of the machine that answers may use before prices rise: moves, the store and the engine need the rest.
pub const SHARE: f64 = 0.5;

/// The maximum load factor.
pub const MOST_FACTOR: f64 = 200.0;

/// The time constant of the average, in milliseconds.
const WINDOW: f64 = 500.0;

impl Default for Load {
    fn default() -> Load {
        Load { work: 0.0, factor: 1.0, at: 0 }
    }
}

impl Load {
    /// Adds work, on a machine with this many cores.
    pub fn add(&mut self, micros: f64, cores: f64, at: i64) {
        let passed = (at - self.at).max(0) as f64;
        self.at = self.at.max(at);
        let busy = self.work / (WINDOW * 1_000.0 * cores * SHARE);
        // Doubles in about half a second at twice the share, and halves in a second of rest.
        let change = (busy - 1.0).clamp(-0.7, 1.4) * passed.min(1_000.0) / 1_000.0;
        self.factor = (self.factor * change.exp()).clamp(1.0, MOST_FACTOR);
        self.work = self.work * (-passed / WINDOW).exp() + micros;
        if passed > 20.0 * WINDOW {
            self.factor = 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn busy(time: Duration) {
        let before = thread_time();
        while thread_time() - before < time {
            std::hint::spin_loop();
        }
    }

    #[tokio::test]
    async fn a_task_is_paid_for_while_it_runs() {
        let limits = Arc::new(Limits::new(10, 1, false));
        let address = IpAddr::from([10, 0, 0, 1]);
        let meter = Meter::new(&limits, address, 8);
        let task = tokio::spawn(meter.run(async {
            // 16 units, of which half are paid for.
            busy(Duration::from_millis(4));
            std::future::pending::<()>().await;
        }));
        while limits.charged() == 0 {
            tokio::task::yield_now().await;
        }
        task.abort();
        assert!((8..20).contains(&limits.charged()), "{}", limits.charged());
    }

    /// Work of this many cores for some seconds.
    fn after(load: &mut Load, from: i64, seconds: i64, cores: f64) -> f64 {
        for ms in 1..=seconds * 1_000 {
            load.add(cores * 1_000.0, 2.0, from + ms);
        }
        load.factor
    }

    #[test]
    fn prices_rise_while_answers_take_too_much_of_the_machine_and_fall_again() {
        let mut load = Load::default();
        assert_eq!(after(&mut load, 0, 10, 0.9), 1.0, "less than half of two cores");
        let risen = after(&mut load, 10_000, 5, 2.0);
        assert!(risen > 8.0, "{risen}");
        assert!(after(&mut load, 15_000, 60, 2.0) <= MOST_FACTOR);
        assert_eq!(after(&mut load, 75_000, 15, 0.1), 1.0);
    }

    /// A crowd that takes whatever it gets settles at the share.
    #[test]
    fn a_crowd_gets_its_share_and_no_more() {
        let (mut load, mut last) = (Load::default(), 0.0);
        for ms in 0..60_000 {
            let cores = (50.0 / load.factor).min(2.0);
            load.add(cores * 1_000.0, 2.0, ms);
            last = cores;
        }
        assert!((0.8..1.2).contains(&last), "{last} cores");
    }
}
