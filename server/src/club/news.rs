//! Re-reads the lobby from the store and publishes what has changed.

use super::lobby::{Challenge, Listed, Lobby, MOST_READ, Update, parts};
use super::{games, records};
use crate::games::hall::Hall;
use crate::store::records::{Range, Stored};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use table::Refusal;

/// The changes since the challenges were last read.
#[derive(Default)]
struct News {
    added: Vec<Value>,
    gone: Vec<String>,
    /// Those that were accepted.
    paired: Vec<Challenge>,
}

impl Lobby {
    /// Replaces the copy by what is in the store.
    fn learn(&self, found: &[Stored]) -> News {
        let (mut list, mut news, mut new) = (self.list(), News::default(), BTreeMap::new());
        for stored in found {
            let id = super::last_part(stored).to_owned();
            let before = list.remove(&id);
            // A record that was deleted and created again may have the same version.
            let is_same =
                |known: &Listed| known.version == stored.version && known.value == stored.value;
            let before = match before {
                Some(known) if is_same(&known) => {
                    new.insert(id, known);
                    continue;
                }
                before => before,
            };
            let Ok(own) = Challenge::read(stored) else { continue };
            if own.is_open() {
                news.added.push(own.told());
            } else {
                if before.is_some_and(|before| before.own.is_open()) {
                    news.gone.push(id.clone());
                }
                news.paired.push(own.clone());
            }
            let (version, value) = (stored.version, stored.value.clone());
            new.insert(id, Listed { version, value, own });
        }
        let open = list.iter().filter(|(_, one)| one.own.is_open());
        news.gone.extend(open.map(|(id, _)| id.clone()));
        self.made().retain(|id, _| !new.contains_key(id));
        *list = new;
        news
    }
}

/// Re-reads the challenges and publishes the changes.
pub async fn refresh(hall: &Arc<Hall>) -> Result<(), Refusal> {
    let found = records(hall)?.range(Range::of("challenge/"), MOST_READ).await?;
    let lobby = &hall.club.lobby;
    let News { added, gone, paired } = lobby.learn(&found);
    let gone = parts(gone.into_iter().map(Value::from).collect());
    let gone = gone.into_iter().map(|gone| json!({ "type": "lobby", "added": [], "gone": gone }));
    let added = parts(added).into_iter();
    let added = added.map(|added| json!({ "type": "lobby", "added": added, "gone": [] }));
    for told in gone.chain(added) {
        // There may be no subscribers.
        let _ = lobby.updates.send(Update::List(told.to_string().into()));
    }
    for own in paired {
        let Some(taken) = &own.taken else { continue };
        let maker = own.maker().to_owned();
        let is_here = lobby.here().contains_key(&maker);
        if is_here {
            // If this fails, whoever opens the game tries again.
            let _ = games::ready(hall, &taken.game).await;
        }
        let (challenge, game) = (own.id.clone(), taken.game.clone());
        let _ = lobby.updates.send(Update::Paired { maker, challenge, game });
    }
    Ok(())
}
