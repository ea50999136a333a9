//! Operators' commands about players: registration, invitations, names, bans, lost keys, deletion, rebuilding.

use super::players::{self, Invitation};
use super::{deleted, names, rebuild, records, text};
use crate::games::hall::Hall;
use crate::ids::{hash, new_token};
use crate::store::hex;
use crate::store::records::Change;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use table::Refusal;
use tokio::sync::mpsc;

/// How many invitations can be created at once, and how many players each may admit.
const MOST_INVITATIONS: u32 = 1_000;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case", deny_unknown_fields)]
pub enum About {
    /// Opens or closes registration; otherwise reports which it is.
    Registration {
        open: bool,
    },
    Invite {
        count: u32,
        admits: u32,
        seconds: u64,
    },
    Reserve {
        name: String,
    },
    Release {
        name: String,
    },
    Show {
        player: String,
    },
    Rename {
        player: String,
        name: String,
    },
    BanPlayer {
        player: String,
        reason: String,
    },
    UnbanPlayer {
        player: String,
    },
    DeletePlayer {
        player: String,
    },
    /// Replaces the key of a player who has lost it.
    NewKey {
        player: String,
    },
    Ratings {
        rebuild: bool,
    },
}

/// A player by id or name. If that matches one player's id and another one's name, it is refused as ambiguous.
async fn player(hall: &Hall, who: &str) -> Result<String, Refusal> {
    let (by_id, by_name) = match (who.strip_prefix("id:"), who.strip_prefix("name:")) {
        (Some(id), _) => (Some(id), None),
        (_, Some(name)) => (None, Some(name)),
        _ => (Some(who), Some(who)),
    };
    let id = match by_id.filter(|id| players::check_id(id).is_ok()) {
        Some(id) => players::by_id(hall, id).await?.map(|own| own.id),
        None => None,
    };
    let named = match by_name {
        Some(name) => players::by_name(hall, name).await?,
        None => None,
    };
    match (id, named) {
        (Some(id), Some(named)) if id != named => Err(Refusal::conflict(format!(
            "`{who}` is the id of one player and the name of another: say `id:{who}` or `name:{who}`"
        ))),
        (Some(id), _) | (None, Some(id)) => Ok(id),
        (None, None) => Err(players::no_player(who)),
    }
}

pub async fn obey(
    hall: &Arc<Hall>,
    about: About,
    lines: &mpsc::Sender<Value>,
) -> Result<(), Refusal> {
    let told = match about {
        About::Registration { open } => {
            let key = "setting/closed";
            let change = if open { Change::drop(key) } else { Change::put(key, "{}") };
            records(hall)?.change(vec![change]).await?;
            json!({ "registration": if open { "open" } else { "closed" } })
        }
        About::Invite { count, admits, seconds } => {
            return invite(hall, count, admits, seconds, lines).await;
        }
        About::Reserve { name } => {
            if name.trim().is_empty() {
                return Err(Refusal::not_understood(
                    "a name to reserve has at least one character",
                ));
            }
            let keys = names::keys(&name).into_iter();
            let changes: Vec<_> = keys.map(|key| Change::new(key, "")).collect();
            if !records(hall)?.change(changes).await? {
                return Err(Refusal::conflict(format!("`{name}` is taken or reserved")));
            }
            json!({ "reserved": name })
        }
        About::Release { name } => {
            let found = records(hall)?.get(names::keys(&name).into_iter().collect()).await?;
            let free: Vec<_> = found.iter().filter(|own| own.value.is_empty()).collect();
            if free.is_empty() {
                return Err(Refusal::not_there(format!("`{name}` is not reserved")));
            }
            records(hall)?.change(free.into_iter().map(|own| own.delete()).collect()).await?;
            json!({ "released": name })
        }
        About::Show { player: who } => {
            let id = player(hall, &who).await?;
            let own = players::by_id(hall, &id).await?.ok_or_else(|| players::no_player(&who))?;
            json!({ "id": own.id, "name": own.name, "since": own.since, "bot": own.bot, "banned": own.banned })
        }
        About::Rename { player: who, name } => {
            let name = names::checked(&name)?;
            let id = player(hall, &who).await?;
            let own = players::alter(hall, &id, |own| own.called(name.clone())).await?;
            records(hall)?.change(vec![deleted::renamed(&id)]).await?;
            json!({ "id": id, "name": own.name })
        }
        About::BanPlayer { player: who, reason } => {
            let id = player(hall, &who).await?;
            let banned = Some(reason);
            players::alter(hall, &id, |own| own.banned_for(banned.clone())).await?;
            deleted::withdraw(hall, &id).await?;
            tracing::warn!(player = id, "banned by an operator");
            json!({ "banned": id })
        }
        About::UnbanPlayer { player: who } => {
            let id = player(hall, &who).await?;
            players::alter(hall, &id, |own| own.banned_for(None)).await?;
            json!({ "unbanned": id })
        }
        About::DeletePlayer { player: who } => {
            let id = player(hall, &who).await?;
            players::delete(hall, &id).await?;
            json!({ "deleted": id })
        }
        About::NewKey { player: who } => {
            let id = player(hall, &who).await?;
            let key = players::replace_key(hall, &id, None).await?;
            tracing::warn!(player = id, "an operator has replaced the key");
            json!({ "id": id, "key": key })
        }
        About::Ratings { rebuild: false } => {
            json!({ "ratings": rebuild::fingerprint(hall).await? })
        }
        About::Ratings { rebuild: true } => {
            let tell = |games: usize| drop(lines.try_send(json!({ "looked_at": games })));
            let done = rebuild::rebuild(hall, tell).await?;
            json!({
                "games": done.games, "archived": done.archived, "unreadable": done.unreadable,
                "ratings": done.ratings,
            })
        }
    };
    // The client may have disconnected.
    let _ = lines.send(told).await;
    Ok(())
}

async fn invite(
    hall: &Hall,
    count: u32,
    admits: u32,
    seconds: u64,
    lines: &mpsc::Sender<Value>,
) -> Result<(), Refusal> {
    if !(1..=MOST_INVITATIONS).contains(&count) || admits == 0 {
        let error = format!("expected 1 to {MOST_INVITATIONS} invitations that admit somebody");
        return Err(Refusal::not_understood(error));
    }
    let time = i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1_000);
    let until = hall.time.now().saturating_add(time);
    for _ in 0..count {
        let code = new_token(hall.chance.as_ref())?;
        let key = format!("invite/{}", hex(&hash(&code)));
        let invitation = Invitation { left: admits, until };
        records(hall)?.change(vec![Change::new(key, text(&invitation)?)]).await?;
        let _ = lines.send(json!({ "invitation": code, "admits": admits, "until": until })).await;
    }
    Ok(())
}
