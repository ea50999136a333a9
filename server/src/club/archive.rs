//! The archive of finished public games, searchable by player, game, result, length, date and position.
//!
//! A game's keys end with its moment, that is, when it ended. So every index is in chronological order, and a page
//! starts where the previous one ended.

use super::games::Game;
use super::ratings::{self, Counted};
use super::{TRIES, busy, players, record, records, text, value};
use crate::games::hall::{Hall, SERVER};
use crate::store::records::{Change, Range, Stored};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use engine::{Session, Who};
use rules::Player;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use skillratings::Outcomes;
use std::collections::BTreeMap;
use std::sync::Arc;
use table::event::{Created, Ending, Event, Fact, Reason};
use table::{Refusal, TimeControl};

/// A moment in a key: the time as this many base-36 digits, followed by the game's id.
const DIGITS: usize = 10;
pub const MOMENT: usize = DIGITS + crate::ids::ID_LENGTH;

/// How many positions of a game are indexed.
const MOST_POSITIONS: usize = 400;

/// How many games a search examines for one page, and how many it reads at a time.
const MOST_LOOKED_AT: usize = 1_000;
const TOGETHER: usize = 100;

/// The maximum page size.
pub const MOST: usize = 100;

/// The end of a game's keys, which sorts by the time it ended.
pub fn moment_of(at: i64, game: &str) -> String {
    let mut rest = u64::try_from(at).unwrap_or(0);
    let mut digits = [b'0'; DIGITS];
    for digit in digits.iter_mut().rev() {
        *digit = b"0123456789abcdefghijklmnopqrstuvwxyz"[(rest % 36) as usize];
        rest /= 36;
    }
    format!("{}{game}", String::from_utf8_lossy(&digits))
}

/// The time and the game id of a [`moment_of`].
pub fn moment(text: &str) -> Option<(i64, &str)> {
    let (digits, game) = text.split_at_checked(DIGITS)?;
    Some((i64::from_str_radix(digits, 36).ok()?, game))
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub id: String,
    pub game: String,
    #[serde(default)]
    pub options: Map<String, Value>,
    pub clock: TimeControl,
    /// By seat: a player's id, `level-5`, or none for a guest.
    pub seats: [Option<String>; 2],
    pub rated: bool,
    /// 1 or 2, or 0 for a draw.
    pub winner: u8,
    pub reason: String,
    pub turns: usize,
    pub at: i64,
}

impl Entry {
    /// The entry for a game; none if it was aborted or ended before both had moved.
    fn read(id: &str, created: &Created, events: &[Event]) -> Option<Entry> {
        let club = created.club.as_ref()?;
        let (ending, at) = events.iter().find_map(|event| match &event.fact {
            Fact::Result(ending) => Some((*ending, event.at)),
            _ => None,
        })?;
        let turns = played(events).len();
        if ending.reason == Reason::Aborted || turns < 2 {
            return None;
        }
        let seat = |seat: Player| match &created.seats[seat].who {
            Who::Level { level } => Some(format!("level-{level}")),
            _ => club.players[seat].clone(),
        };
        let back = events.iter().any(|event| matches!(event.fact, Fact::Undone { .. }));
        let Ending { winner, reason } = ending;
        let reason = serde_json::to_value(reason).ok()?.as_str()?.to_owned();
        Some(Entry {
            id: id.to_owned(),
            game: created.game.clone(),
            options: created.options.clone(),
            clock: created.clock,
            seats: [seat(Player::One), seat(Player::Two)],
            rated: club.rated && !back && created.turns.is_empty(),
            winner: winner.map_or(0, Player::number),
            reason,
            turns,
            at,
        })
    }

    fn counted(&self) -> Option<Counted> {
        let [Some(one), Some(two)] = &self.seats else { return None };
        let points = match self.winner {
            1 => Outcomes::WIN,
            2 => Outcomes::LOSS,
            _ => Outcomes::DRAW,
        };
        let seats = [one.clone(), two.clone()];
        self.rated.then_some(Counted { seats, points })
    }

    pub fn moment(&self) -> String {
        moment_of(self.at, &self.id)
    }

    fn players(&self) -> impl Iterator<Item = &String> {
        self.seats.iter().flatten().filter(|own| !own.starts_with("level-"))
    }

    /// Whether the game was played with these values of some options.
    fn has_options(&self, wanted: &Map<String, Value>) -> bool {
        let plain = |own: &Value| own.as_str().map_or_else(|| own.to_string(), str::to_owned);
        let known = engine::find(&self.game).map_or(&[][..], |entry| entry.info.options);
        wanted.iter().all(|(name, value)| {
            let usual = || known.iter().find(|own| own.name == name).map(|own| own.default.into());
            self.options.get(name).map(plain).or_else(usual) == Some(plain(value))
        })
    }

    /// The index keys of the game.
    fn lists(&self) -> Vec<String> {
        let moment = self.moment();
        let mut keys: Vec<_> = self.players().map(|id| format!("ap/{id}/{moment}")).collect();
        keys.dedup();
        keys.push(format!("ag/{}/{moment}", self.game));
        keys
    }

    /// The entry as the API returns it, given the players' names.
    pub fn told(&self, names: &BTreeMap<String, String>) -> Value {
        let seat = |own: &Option<String>| match own {
            None => json!({ "kind": "guest" }),
            Some(id) => match id.strip_prefix("level-") {
                Some(level) => json!({ "kind": "level", "level": level.parse::<u8>().ok() }),
                None => json!({ "kind": "player", "id": id, "name": names.get(id) }),
            },
        };
        let winner = if self.winner == 0 { json!("draw") } else { json!(self.winner) };
        json!({
            "id": self.id, "game": self.game, "options": self.options, "clock": self.clock,
            "seats": self.seats.each_ref().map(seat), "rated": self.rated,
            "result": { "winner": winner, "reason": self.reason }, "turns": self.turns, "at": self.at,
        })
    }
}

/// The turns of a game that were not taken back.
fn played(events: &[Event]) -> Vec<&str> {
    let mut turns = Vec::new();
    for event in events {
        match &event.fact {
            Fact::Move { turn, .. } => turns.push(turn.as_str()),
            Fact::Undone { turns: rest } => turns.truncate(*rest),
            _ => {}
        }
    }
    turns
}

/// The name of a position in keys: ten characters, the same for all its symmetric images.
pub fn name_of(session: &dyn Session) -> String {
    let canonical = format!("{} {}", session.info().id, session.canonical().0);
    let hash: [u8; 32] = Sha256::digest(canonical.as_bytes()).into();
    URL_SAFE_NO_PAD.encode(hash).split_at(10).0.to_owned()
}

/// The names of a game's positions, each with that of the next one.
fn positions(created: &Created, events: &[Event]) -> Option<Vec<(String, String)>> {
    let entry = engine::find(&created.game)?;
    let mut session = (entry.from_text)(&created.start, &created.options).ok()?;
    let mut all = vec![name_of(session.as_ref())];
    for turn in played(events).into_iter().take(MOST_POSITIONS) {
        session.play(turn).ok()?;
        all.push(name_of(session.as_ref()));
    }
    let last = all.last().cloned().into_iter().map(|last| (last, String::new()));
    Some(
        all.iter()
            .zip(&all[1..])
            .map(|(one, next)| (one.clone(), next.clone()))
            .chain(last)
            .collect(),
    )
}

/// Everything that is derived from the events of a finished public game.
pub struct Derived {
    /// None if the game does not count, because it ended before both had moved.
    pub entry: Option<Entry>,
    positions: Vec<(String, String)>,
    /// Without an entry: the keys under which its players' names are found.
    off: Vec<String>,
}

impl Derived {
    /// None if the game is not public or not over.
    pub async fn of(hall: &Hall, game: &str, events: &[Event]) -> Result<Option<Derived>, Refusal> {
        let Some(Event { fact: Fact::Created(created), .. }) = events.first() else {
            return Ok(None);
        };
        let over = events.iter().find(|event| matches!(event.fact, Fact::Result(_)));
        let (Some(club), Some(over)) = (&created.club, over) else { return Ok(None) };
        let Some(entry) = Entry::read(game, created, events) else {
            let moment = moment_of(over.at, game);
            let players = club.players.iter().flatten();
            let off = players.map(|id| format!("off/{id}/{moment}")).collect();
            return Ok(Some(Derived { entry: None, positions: Vec::new(), off }));
        };
        let (first, all) = (created.clone(), events.to_vec());
        let positions = hall.replays.run(SERVER, move || positions(&first, &all)).await?;
        let positions = positions.unwrap_or_default();
        Ok(Some(Derived { entry: Some(entry), positions, off: Vec::new() }))
    }

    /// All records, by key.
    pub fn records(&self) -> Result<BTreeMap<String, String>, Refusal> {
        let mut all: BTreeMap<_, _> =
            self.off.iter().map(|key| (key.clone(), String::new())).collect();
        let Some(entry) = &self.entry else { return Ok(all) };
        let moment = entry.moment();
        all.insert(format!("a/{moment}"), text(entry)?);
        all.extend(entry.lists().into_iter().map(|key| (key, String::new())));
        for (position, next) in &self.positions {
            let key = format!("p/{position}{moment}");
            all.entry(key).or_insert_with(|| format!("{}{next}", entry.winner));
        }
        if let Some(counted) = entry.counted() {
            all.insert(ratings::order(&entry.game, &moment), counted.value());
        }
        Ok(all)
    }
}

/// Moves a finished game from the lists of running games to the archive.
pub async fn archive(
    hall: &Arc<Hall>,
    game: &str,
    events: &[Event],
    running: Option<(&Stored, &Game)>,
) -> Result<(), Refusal> {
    let over = running.map(|(stored, own)| own.over(game, stored)).unwrap_or_default();
    let Some(derived) = Derived::of(hall, game, events).await? else { return Ok(()) };
    let new = derived.entry.as_ref().map(|entry| format!("a/{}", entry.moment()));
    for _ in 0..TRIES {
        let mut changes = over.clone();
        for (key, value) in derived.records()? {
            changes.push(match Some(&key) == new.as_ref() {
                true => Change::new(key, value),
                false => Change::put(key, value),
            });
        }
        let rated = derived.entry.as_ref().filter(|entry| entry.counted().is_some());
        if let Some(entry) = rated {
            changes.push(ratings::set_back(hall, &entry.game, &entry.moment()).await?);
        }
        if records(hall)?.change(changes).await? {
            if let Some(entry) = rated {
                ratings::rate(hall, &entry.game).await?;
            }
            return Ok(());
        }
        let there = match &new {
            Some(key) => record(hall, key.clone()).await?.is_some(),
            None => super::games::find(hall, game).await?.is_none(),
        };
        if there {
            // Another server was faster, or the archive was rebuilt while the game was still listed as running.
            if !over.is_empty() {
                records(hall)?.change(over).await?;
            }
            return Ok(());
        }
    }
    Err(busy())
}

/// Adds a finished game to the archive, overwriting what was there. The caller has to recompute ratings.
pub async fn add(
    hall: &Arc<Hall>,
    game: &str,
    events: &[Event],
) -> Result<Option<Derived>, Refusal> {
    let Some(derived) = Derived::of(hall, game, events).await? else { return Ok(None) };
    let all = derived.records()?.into_iter().map(|(key, value)| Change::put(key, value));
    records(hall)?.change(all.collect()).await?;
    Ok(Some(derived))
}

/// Removes everything that is derived from a game.
pub async fn forget(hall: &Hall, game: &str, events: &[Event]) -> Result<(), Refusal> {
    if let Some((stored, own)) = super::games::find(hall, game).await? {
        records(hall)?.change(own.over(game, &stored)).await?;
        super::games::set_free(hall, game, &own).await?;
    }
    let Some(derived) = Derived::of(hall, game, events).await? else { return Ok(()) };
    for _ in 0..TRIES {
        let mut changes: Vec<_> = derived.records()?.into_keys().map(Change::drop).collect();
        if let Some(entry) = derived.entry.as_ref().filter(|entry| entry.counted().is_some()) {
            let moment = entry.moment();
            let ratings = entry.players().map(|id| format!("rh/{id}/{}/{moment}", entry.game));
            changes.extend(ratings.map(Change::drop));
            changes.push(ratings::set_back(hall, &entry.game, &moment).await?);
        }
        if records(hall)?.change(changes).await? {
            return Ok(());
        }
    }
    Err(busy())
}

/// A search for games.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Search {
    /// A player's id.
    pub player: Option<String>,
    /// The id of that player's opponent.
    pub against: Option<String>,
    pub game: Option<String>,
    /// A JSON object with the values of some options.
    pub options: Option<String>,
    /// `1`, `2` or `draw`; with a player, also `won` and `lost`.
    pub result: Option<String>,
    pub reason: Option<String>,
    pub rated: Option<bool>,
    pub least_turns: Option<usize>,
    pub most_turns: Option<usize>,
    /// The earliest time at which the game ended, in milliseconds since 1970.
    pub from: Option<i64>,
    /// The latest time at which it ended.
    pub to: Option<i64>,
    /// Where the previous page ended: its `next`.
    pub before: Option<String>,
    /// The page size.
    pub most: Option<usize>,
    /// The format of an export: `records`, or `ndjson` for lines of JSON.
    pub format: Option<String>,
}

pub struct Page {
    pub games: Vec<Entry>,
    pub next: Option<String>,
    /// How many games were examined.
    pub looked_at: usize,
}

impl Search {
    /// Validates the search and normalises the name of the game.
    pub fn checked(mut self) -> Result<Search, Refusal> {
        let wrong = |field: &str, expected: &str| {
            Err(Refusal::not_understood(format!("expected {expected}")).at(field))
        };
        for id in self.player.iter().chain(&self.against) {
            players::check_id(id)?;
        }
        if self.against.is_some() && self.player.is_none() {
            return wrong("player", "a player as well as the opponent");
        }
        if let Some(game) = &mut self.game {
            requests::game(game)?.info.id.clone_into(game);
        }
        if self
            .options
            .as_ref()
            .is_some_and(|text| serde_json::from_str::<Map<String, Value>>(text).is_err())
        {
            return wrong("options", "an object in JSON");
        }
        let known = ["1", "2", "draw", "won", "lost"];
        if self.result.as_ref().is_some_and(|own| !known.contains(&own.as_str())) {
            return wrong("result", "`1`, `2` or `draw`, or of a player `won` or `lost`");
        }
        if matches!(self.result.as_deref(), Some("won" | "lost")) && self.player.is_none() {
            return wrong("player", "the player who won or lost");
        }
        if self
            .before
            .as_ref()
            .is_some_and(|own| moment(own).is_none_or(|(_, id)| crate::ids::check_id(id).is_err()))
        {
            return wrong("before", "the `next` of the page before");
        }
        if self.format.as_ref().is_some_and(|own| own != "records" && own != "ndjson") {
            return wrong("format", "`ndjson` or `records`");
        }
        Ok(self)
    }

    fn start(&self) -> String {
        match (&self.player, &self.game) {
            (Some(player), _) => format!("ap/{player}/"),
            (None, Some(game)) => format!("ag/{game}/"),
            (None, None) => "a/".to_owned(),
        }
    }

    fn fits(&self, entry: &Entry) -> bool {
        let own = |id: &String| entry.seats.iter().position(|seat| seat.as_ref() == Some(id));
        let seat = self.player.as_ref().and_then(own).map_or(0, |seat| seat as u8 + 1);
        let result = match self.result.as_deref() {
            None => true,
            Some("draw") => entry.winner == 0,
            Some("won") => entry.winner == seat,
            Some("lost") => entry.winner != 0 && entry.winner != seat,
            Some(number) => entry.winner.to_string() == number,
        };
        let options = self.options.as_ref().is_none_or(|text| {
            serde_json::from_str(text).is_ok_and(|wanted| entry.has_options(&wanted))
        });
        result
            && options
            && self.game.as_ref().is_none_or(|game| *game == entry.game)
            && self.against.as_ref().is_none_or(|id| own(id).is_some())
            && self.reason.as_ref().is_none_or(|reason| *reason == entry.reason)
            && self.rated.is_none_or(|rated| rated == entry.rated)
            && self.least_turns.is_none_or(|least| entry.turns >= least)
            && self.most_turns.is_none_or(|most| entry.turns <= most)
    }

    /// A page of games, newest first. It ends early after examining many games that do not match.
    pub async fn page(&self, hall: &Hall) -> Result<Page, Refusal> {
        let most = self.most.unwrap_or(30).clamp(1, MOST);
        let start = self.start();
        let latest = self.to.map(|to| moment_of(to.saturating_add(1), ""));
        let end = [self.before.clone(), latest].into_iter().flatten().min();
        let earliest = self.from.map_or(String::new(), |from| moment_of(from.max(0), ""));
        let mut range = Range {
            after: format!("{start}{earliest}"),
            before: end.map_or(format!("{start}~"), |end| format!("{start}{end}")),
            backwards: true,
        };
        let mut page = Page { games: Vec::new(), next: None, looked_at: 0 };
        loop {
            let found = records(hall)?.range(range.clone(), TOGETHER).await?;
            let whole = found.len() == TOGETHER;
            let last = found.last().map(|own| super::last_part(own).to_owned());
            for entry in entries(hall, found).await? {
                page.looked_at += 1;
                if self.fits(&entry) {
                    page.next = Some(entry.moment());
                    page.games.push(entry);
                }
                if page.games.len() == most {
                    return Ok(page);
                }
            }
            page.next = last;
            match page.next.as_ref().filter(|_| whole) {
                None => return Ok(Page { next: None, ..page }),
                Some(_) if page.looked_at >= MOST_LOOKED_AT => return Ok(page),
                Some(next) => range.before = format!("{start}{next}"),
            }
        }
    }
}

/// The entries in these records, or those that these index records point to, in the same order.
async fn entries(hall: &Hall, found: Vec<Stored>) -> Result<Vec<Entry>, Refusal> {
    if found.first().is_some_and(|own| own.key.starts_with("a/")) {
        return found.iter().map(value).collect();
    }
    let keys: Vec<_> = found.iter().map(|own| format!("a/{}", super::last_part(own))).collect();
    let mut all: Vec<Entry> =
        records(hall)?.get(keys).await?.iter().map(value).collect::<Result<_, _>>()?;
    all.sort_by_key(|entry| std::cmp::Reverse(entry.moment()));
    Ok(all)
}

/// The entries with these moments, in any order.
pub async fn at(hall: &Hall, moments: &[String]) -> Result<Vec<Entry>, Refusal> {
    let keys = moments.iter().map(|own| format!("a/{own}")).collect();
    records(hall)?.get(keys).await?.iter().map(value).collect()
}

/// Entries as the API returns them.
pub async fn told(hall: &Hall, entries: &[Entry]) -> Result<Vec<Value>, Refusal> {
    let ids: Vec<String> = entries.iter().flat_map(Entry::players).cloned().collect();
    let names = players::names_of(hall, &ids).await?;
    Ok(entries.iter().map(|entry| entry.told(&names)).collect())
}

/// A player's wins, draws and losses in recent games, against one opponent or all, and how many games were examined.
pub async fn score(hall: &Hall, search: &Search) -> Result<([u32; 3], usize), Refusal> {
    let (mut score, mut looked_at) = ([0; 3], 0);
    let mut search = Search { most: Some(MOST), result: None, ..search.clone() };
    while looked_at < MOST_LOOKED_AT {
        let page = search.page(hall).await?;
        looked_at += page.looked_at;
        for entry in &page.games {
            let seat = entry.seats.iter().position(|own| *own == search.player);
            let place = match entry.winner {
                0 => 1,
                winner if seat.is_some_and(|seat| winner == seat as u8 + 1) => 0,
                _ => 2,
            };
            score[place] += 1;
        }
        search.before = page.next;
        if search.before.is_none() {
            break;
        }
    }
    Ok((score, looked_at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_in_the_order_of_time() {
        let times = [0, 1, 35, 36, 1_790_000_000_000, 1_790_000_000_001, 253_402_300_799_999];
        let all: Vec<_> = times.iter().map(|at| moment_of(*at, "abcdefgh")).collect();
        assert!(all.is_sorted(), "{all:?}");
        for (own, at) in all.iter().zip(times) {
            assert_eq!(moment(own), Some((at, "abcdefgh")));
        }
        assert_eq!(moment("short"), None);
    }

    #[test]
    fn images_of_a_position_have_one_name() {
        let start = || (engine::find("gekitai").unwrap().start)(&Map::new()).unwrap();
        let after = |turn: &str| {
            let mut session = start();
            session.play(turn).unwrap();
            name_of(session.as_ref())
        };
        assert_eq!(after("a1"), after("f6"));
        assert_ne!(after("a1"), after("b1"));
        assert_eq!(name_of(start().as_ref()).len(), 10);
    }
}
