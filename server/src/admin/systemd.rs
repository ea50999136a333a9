//! Notifications to systemd, as in `sd_notify(3)`: ready, reloading, stopping, and the watchdog's keep-alive.

use std::time::Duration;

/// Notifies systemd, if it started this process with `Type=notify`.
#[cfg(target_os = "linux")]
pub fn tell(state: &str) {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::net::{SocketAddr, UnixDatagram};
    let Some(name) = std::env::var_os("NOTIFY_SOCKET") else { return };
    let address = match name.as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name),
        None => SocketAddr::from_pathname(&name),
    };
    let sent = address
        .and_then(|address| UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address));
    if let Err(error) = sent {
        tracing::warn!(%error, "cannot notify systemd of `{state}`");
    }
}

/// No systemd here.
#[cfg(not(target_os = "linux"))]
pub fn tell(_: &str) {}

/// Whether systemd expects notifications.
pub fn is_told() -> bool {
    std::env::var_os("NOTIFY_SOCKET").is_some()
}

/// Announces that the settings are about to be re-read.
pub fn reloading() {
    #[cfg(target_os = "linux")]
    {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let micros = now.tv_sec * 1_000_000 + now.tv_nsec / 1_000;
        tell(&format!("RELOADING=1\nMONOTONIC_USEC={micros}"));
    }
}

/// The interval within which systemd's watchdog expects a keep-alive.
pub fn watchdog() -> Option<Duration> {
    let number = |name| std::env::var(name).ok()?.parse::<u64>().ok();
    let for_us = number("WATCHDOG_PID").is_none_or(|own| own == u64::from(std::process::id()));
    number("WATCHDOG_USEC").filter(|micros| for_us && *micros > 0).map(Duration::from_micros)
}
