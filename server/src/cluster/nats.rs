//! Parsing NATS addresses: `nats://user:password@host:port,…`, or `tls://…?ca=FILE`.

use crate::StartError;
use async_nats::{ConnectOptions, ServerAddr};
use std::time::Duration;

/// The ping interval, after which a silent connection counts as lost.
const PING: Duration = Duration::from_secs(2);

/// Parses comma-separated addresses.
pub fn read(addresses: &str) -> Result<(Vec<ServerAddr>, ConnectOptions), StartError> {
    let mut options = ConnectOptions::new()
        .name("quadrille")
        .ping_interval(PING)
        .connection_timeout(Duration::from_secs(2))
        .reconnect_delay_callback(|tries| {
            Duration::from_millis(u64::try_from(tries).unwrap_or(9).min(9) * 100)
        });
    let mut servers = Vec::new();
    for text in addresses.split(',').map(str::trim).filter(|text| !text.is_empty()) {
        let (text, ca) = match text.split_once("?ca=") {
            Some((text, ca)) => (text, Some(ca)),
            None => (text, None),
        };
        let server: ServerAddr = text.parse().map_err(|_| {
            let text = rules::game::shorten(text.rsplit('@').next().unwrap_or(text));
            StartError(format!("`{text}` is not a NATS address, expected nats://host:port"))
        })?;
        if let (Some(user), Some(password)) = (server.username(), server.password()) {
            options = options.user_and_password(user.to_owned(), password.to_owned());
        }
        if let Some(ca) = ca {
            options = options.add_root_certificates(ca.into()).require_tls(true);
        }
        servers.push(server);
    }
    match servers.is_empty() {
        true => Err(StartError("no NATS address, expected nats://host:port".into())),
        false => Ok((servers, options)),
    }
}
