//! Backups, which need no server.

use super::told;
use crate::shell::failure::Failure;
use crate::shell::progress::Ticker;
use serde_json::json;
use server::admin::backup::{self, Verified};
use std::path::Path;

fn check(data: &Path) -> Result<Verified, Failure> {
    let mut ticker = Ticker::new();
    let verified = backup::verify(data, |games| ticker.show(|_| format!("{games} games")));
    ticker.end();
    verified.map_err(Failure::user)
}

fn words(found: &Verified) -> String {
    let Verified { games, events, turns, finished, players, .. } = found;
    format!("games {games}, events {events}, turns {turns}, finished {finished}, players {players}")
}

/// Fails if a game does not replay or a player cannot be read.
fn tell(what: &str, found: &Verified, as_json: bool) -> Result<(), Failure> {
    let Verified { games, events, turns, finished, players, damaged, reasons } = found;
    let fields = json!({
        "games": games, "events": events, "turns": turns, "finished": finished, "players": players,
        "damaged": damaged, "reasons": reasons,
    });
    let all = words(found);
    match damaged {
        0 => told(as_json, fields, &format!("{what}: {all}; every game replays")),
        _ => {
            told(as_json, fields, &format!("{what}: {all}\n{}", reasons.join("\n")))?;
            Err(Failure::Other(anyhow::anyhow!("damaged games and players: {damaged}")))
        }
    }
}

pub fn backup(data: &Path, to: &Path, json: bool) -> Result<(), Failure> {
    backup::backup(data, to).map_err(Failure::user)?;
    tell(&format!("{}", to.display()), &check(to)?, json)
}

pub fn verify(data: &Path, json: bool) -> Result<(), Failure> {
    tell(&server::store::name(data), &check(data)?, json)
}

pub fn restore(from: &Path, data: &Path, as_json: bool) -> Result<(), Failure> {
    let found = check(from)?;
    if found.damaged > 0 {
        return tell(&format!("{}", from.display()), &found, as_json);
    }
    let aside = backup::restore(from, data).map_err(Failure::user)?;
    let kept = aside.as_ref().map(|path| format!("; what was there is in {}", path.display()));
    let fields = json!({ "restored": data, "games": found.games, "before": aside });
    let text = format!("{}: {}{}", data.display(), words(&found), kept.unwrap_or_default());
    told(as_json, fields, &text)
}
