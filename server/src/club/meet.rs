//! The lobby's background task: refreshes it, pairs waiting players, and removes the challenges of those who have left.

use super::lobby::{self, Challenge};
use super::{news, pairing, records};
use crate::games::hall::Hall;
use crate::store::records::{Change, Range};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use table::Refusal;
use tokio::time::{Instant, sleep};

/// How often the lobby is refreshed, depending on whether anybody is known to be in it.
const LOOK: Duration = Duration::from_millis(500);
const LOOK_IDLE: Duration = Duration::from_millis(2_000);

/// How long changes are collected before they are published together.
const TOGETHER: Duration = Duration::from_millis(40);

/// A server's heartbeat interval in the lobby, and after how many milliseconds of silence it is presumed dead.
const BEAT: i64 = 3_000;
const SILENT: i64 = 12_000;

/// How many milliseconds a maker may be gone, after being seen on a socket and in a request.
const AWAY: i64 = 4_000;
const AWAY_BY_REQUEST: i64 = 15_000;

/// The maximum number of servers sharing a lobby.
const MOST_SERVERS: usize = 200;

/// Runs the lobby, in an endless loop.
pub async fn run(hall: Arc<Hall>) {
    let mut beaten = i64::MIN;
    let mut ticked = Instant::now();
    loop {
        let lobby = &hall.club.lobby;
        let busy = !lobby.list().is_empty() || lobby.updates.receiver_count() > 0;
        let wait = if busy { LOOK } else { LOOK_IDLE };
        tokio::select! {
            biased;
            () = lobby.changed.notified() => sleep(TOGETHER).await,
            () = sleep(wait.saturating_sub(ticked.elapsed())) => {}
        }
        // If the store is unavailable, the next round tries again.
        let _ = news::refresh(&hall).await;
        if ticked.elapsed() >= LOOK {
            ticked = Instant::now();
            let _ = tick(&hall, &mut beaten).await;
        }
    }
}

async fn tick(hall: &Arc<Hall>, beaten: &mut i64) -> Result<(), Refusal> {
    forget_visitors(hall);
    if hall.club.lobby.list().is_empty() {
        return Ok(());
    }
    let (now, own) = (hall.time.now(), hall.lobby_name());
    let mine = |own: &str, one: &Challenge| one.server == own && one.terms.is_live();
    let any = hall.club.lobby.list().values().any(|one| mine(&own, &one.own));
    if any && !(0..BEAT).contains(&now.saturating_sub(*beaten)) {
        records(hall)?.change(vec![Change::put(format!("server/{own}"), now.to_string())]).await?;
        *beaten = now;
    }
    remove_left(hall, now, &own).await?;
    pairing::pair_all(hall).await;
    Ok(())
}

/// Forgets presence that is long out of date.
fn forget_visitors(hall: &Hall) {
    let now = hall.time.now();
    hall.club.lobby.here().retain(|_, here| here.sockets > 0 || now - here.seen < 60_000);
}

/// Removes the challenges whose makers have left, whose servers are dead, or that were accepted a while ago.
async fn remove_left(hall: &Hall, now: i64, own: &str) -> Result<(), Refusal> {
    let beats = records(hall)?.range(Range::of("server/"), MOST_SERVERS).await?;
    let servers: BTreeMap<String, i64> = beats
        .iter()
        .map(|beat| (super::last_part(beat).to_owned(), beat.value.parse().unwrap_or(0)))
        .collect();
    let silent = |server: &str| servers.get(server).is_none_or(|at| now - at > SILENT);
    let over = |one: &Challenge| {
        let old = now - one.since > SILENT;
        match &one.taken {
            Some(taken) => now - taken.at > lobby::TOLD_FOR,
            None if !one.terms.is_live() => one.is_over(now),
            None if one.server == own => has_left(hall, one.maker(), now),
            None => old && silent(&one.server),
        }
    };
    let left: Vec<String> = {
        let list = hall.club.lobby.list();
        list.values()
            .filter(|one| over(&one.own))
            .map(|one| format!("challenge/{}", one.own.id))
            .collect()
    };
    let mut changes = Vec::new();
    for stored in records(hall)?.get(left).await? {
        // It may have been replaced by another one.
        if Challenge::read(&stored).is_ok_and(|one| over(&one)) {
            changes.push(vec![stored.delete()]);
        }
    }
    let gone = beats.iter().filter(|beat| super::last_part(beat) != own);
    let gone = gone.filter(|beat| silent(super::last_part(beat)));
    changes.extend(gone.map(|beat| vec![beat.delete()]));
    for change in changes {
        // On a conflict the next round looks again.
        if records(hall)?.change(change).await? {
            hall.club.lobby.changed.notify_one();
        }
    }
    Ok(())
}

/// Whether the maker of a challenge has left this server.
fn has_left(hall: &Hall, maker: &str, now: i64) -> bool {
    let here = hall.club.lobby.here().get(maker).copied().unwrap_or_default();
    let away = if here.by_socket { AWAY } else { AWAY_BY_REQUEST };
    here.sockets == 0 && now - here.seen > away
}
