//! What systemd is told: that the server is ready, reloads, stops, and that it is alive (`sd_notify(3)`).

use std::time::Duration;

/// Tells systemd, if it started this process with `Type=notify`.
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
        tracing::warn!(%error, "systemd cannot be told `{state}`");
    }
}

/// Does nothing: this system has no systemd.
#[cfg(not(target_os = "linux"))]
pub fn tell(_: &str) {}

/// Whether systemd waits for what this process tells it.
pub fn is_told() -> bool {
    std::env::var_os("NOTIFY_SOCKET").is_some()
}

/// The server begins to read its settings again.
pub fn reloading() {
    #[cfg(target_os = "linux")]
    {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let micros = now.tv_sec * 1_000_000 + now.tv_nsec / 1_000;
        tell(&format!("RELOADING=1\nMONOTONIC_USEC={micros}"));
    }
}

/// Within which time systemd wants to hear that this process is alive.
pub fn watchdog() -> Option<Duration> {
    let number = |name| std::env::var(name).ok()?.parse::<u64>().ok();
    let for_us = number("WATCHDOG_PID").is_none_or(|own| own == u64::from(std::process::id()));
    number("WATCHDOG_USEC").filter(|micros| for_us && *micros > 0).map(Duration::from_micros)
}
