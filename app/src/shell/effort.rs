//! Limits in processor time, which mean the same on a machine that has other work.

use engine::Stop;
use engine::solve::question::Progress;
use std::time::Duration;

/// The processor time of all threads of this process.
#[cfg(unix)]
pub fn used() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.clamp(0, 999_999_999) as u32)
}

/// Wall-clock time, where the processor time of a process is not available.
#[cfg(not(unix))]
pub fn used() -> Duration {
    static BEGAN: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    BEGAN.elapsed()
}

/// An amount of processor time from now on.
pub struct Allowance {
    began: Duration,
    most: Option<Duration>,
}

impl Allowance {
    pub fn new(most: Option<Duration>) -> Allowance {
        Allowance { began: used(), most }
    }

    pub fn spent(&self) -> Duration {
        used().saturating_sub(self.began)
    }

    /// Stops a search that has used it up, unless it has its proof and only writes it down.
    pub fn check(&self, progress: &Progress, stop: &Stop) {
        if !progress.writing && self.most.is_some_and(|most| self.spent() >= most) {
            stop.stop();
        }
    }
}
