//! Glicko-2 ratings, separate for each game. Each rated game is a rating period of its own for the two players; the
//! deviation grows for every week without one.
//!
//! Ratings are a fold over the rated games in the order in which they ended. A record holds the cursor of the fold: a
//! game that is archived late moves it back, and everything after it is rated again.

use super::players::Player;
use super::{TRIES, busy, record, records};
use crate::games::hall::Hall;
use crate::store::records::{Change, Range, Stored};
use engine::Who;
use serde_json::{Value, json};
use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, decay_deviation, glicko2};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use table::Refusal;

/// Ratings with a larger deviation are provisional.
pub const PROVISIONAL: f64 = 110.0;

/// The period after which an unused rating becomes less certain, in milliseconds, and the most such periods that count.
const WEEK: i64 = 7 * 24 * 3_600_000;
const MOST_WEEKS: i64 = 1_000;

/// The rating of level 1, and the distance between levels, as measured in `docs/levels.md`.
const LEVEL_ONE: f64 = 880.0;
const BETWEEN_LEVELS: f64 = 180.0;
/// The deviation of the levels' ratings, which are fixed.
const OF_LEVELS: f64 = 60.0;

/// How many games are rated in one transaction.
const TOGETHER: usize = 50;

/// While ratings are rebuilt: how many are deleted at a time, after how many of these pages the hold on rating is
/// renewed, and how many milliseconds the hold lasts.
const CLEARED: usize = 500;
const PAGES_HELD: usize = 20;
const HELD: i64 = 60_000;

/// The maximum number of points in a rating graph.
pub const MOST_SHOWN: usize = 1_000;

const CONFIG: Glicko2Config = Glicko2Config { tau: 0.5, convergence_tolerance: 0.000_001 };

/// A rating, and the number of games it is based on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    pub inner: Glicko2Rating,
    pub games: u32,
}

impl Default for Rating {
    fn default() -> Rating {
        Rating { inner: Glicko2Rating::new(), games: 0 }
    }
}

impl Rating {
    pub fn is_provisional(&self) -> bool {
        self.inner.deviation > PROVISIONAL
    }

    pub fn shown(&self) -> i32 {
        self.inner.rating.round() as i32
    }

    /// The rating as the API returns it.
    pub fn told(&self) -> Value {
        json!({
            "rating": self.shown(), "deviation": self.inner.deviation.round() as i32,
            "provisional": self.is_provisional(), "games": self.games,
        })
    }

    /// The rating after some weeks without a game.
    fn after_idle(self, weeks: i64) -> Rating {
        let idle = (0..weeks.clamp(0, MOST_WEEKS)).fold(self.inner, |own, _| decay_deviation(&own));
        let deviation = idle.deviation.min(Glicko2Rating::new().deviation);
        Rating { inner: Glicko2Rating { deviation, ..idle }, ..self }
    }
}

/// With a fixed number of digits, so that ratings survive a round trip through the store unchanged.
impl fmt::Display for Rating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Glicko2Rating { rating, deviation, volatility } = self.inner;
        write!(f, "{rating:.4} {deviation:.4} {volatility:.8} {}", self.games)
    }
}

impl FromStr for Rating {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Rating, Refusal> {
        let damaged = || Refusal::broken(format!("`{text}` is not a rating"));
        let words: Vec<&str> = text.split(' ').collect();
        let [rating, deviation, volatility, games] = words[..] else { return Err(damaged()) };
        let number = |word: &str| word.parse::<f64>().map_err(|_| damaged());
        let inner = Glicko2Rating {
            rating: number(rating)?,
            deviation: number(deviation)?,
            volatility: number(volatility)?,
        };
        Ok(Rating { inner, games: games.parse().map_err(|_| damaged())? })
    }
}

/// The fixed rating of a level.
pub fn of_level(level: u8) -> Rating {
    let rating = LEVEL_ONE + BETWEEN_LEVELS * (f64::from(level) - 1.0);
    let inner = Glicko2Rating { rating, deviation: OF_LEVELS, ..Glicko2Rating::new() };
    Rating { inner, games: 0 }
}

/// The level closest to a rating.
pub fn level_near(rating: i32) -> u8 {
    let steps = ((f64::from(rating) - LEVEL_ONE) / BETWEEN_LEVELS).round();
    1 + steps.clamp(0.0, 9.0) as u8
}

fn of_player(player: &str, game: &str) -> String {
    format!("rh/{player}/{game}/")
}

/// A player's last rating before a moment, and when it was reached.
async fn rating_before(
    hall: &Hall,
    player: &str,
    game: &str,
    moment: &str,
) -> Result<Option<(String, Rating)>, Refusal> {
    let start = of_player(player, game);
    let range = Range { before: format!("{start}{moment}"), backwards: true, after: start.clone() };
    let Some(last) = records(hall)?.range(range, 1).await?.pop() else { return Ok(None) };
    Ok(Some((super::last_part(&last).to_owned(), last.value.parse()?)))
}

/// A player's rating in a game.
pub async fn current(hall: &Hall, player: &str, game: &str) -> Result<Rating, Refusal> {
    Ok(rating_before(hall, player, game, "~").await?.map(|(_, rating)| rating).unwrap_or_default())
}

/// The rating of somebody who may be a guest.
pub async fn shown(hall: &Hall, player: Option<&Player>, game: &str) -> Result<Rating, Refusal> {
    match player {
        Some(player) => current(hall, &player.id, game).await,
        None => Ok(Rating::default()),
    }
}

/// The strength of whoever holds a seat, to list the strongest games first; guests rank low.
pub async fn strength(
    hall: &Hall,
    player: Option<&Player>,
    who: &Who,
    game: &str,
) -> Result<i64, Refusal> {
    Ok(match (player, who) {
        (Some(player), _) => current(hall, &player.id, game).await?.shown().into(),
        (None, Who::Level { level }) => of_level(*level).shown().into(),
        (None, _) => 1_000,
    })
}

/// A player's rating after each of the last games, oldest first.
pub async fn history(hall: &Hall, player: &str, game: &str) -> Result<Vec<Value>, Refusal> {
    let range = Range::from_the_end(&of_player(player, game));
    let found = records(hall)?.range(range, MOST_SHOWN).await?;
    let point = |own: &Stored| {
        let rating: Rating = own.value.parse().ok()?;
        let (at, game) = super::archive::moment(super::last_part(own))?;
        Some(json!({ "at": at, "game": game, "rating": rating.shown(),
            "deviation": rating.inner.deviation.round() as i32 }))
    };
    Ok(found.iter().rev().filter_map(point).collect())
}

/// A rated game: for each seat a player's id or `level-N`, and the points of the first.
pub struct Counted {
    pub seats: [String; 2],
    pub points: Outcomes,
}

impl Counted {
    pub fn value(&self) -> String {
        let points = match self.points {
            Outcomes::WIN => 1,
            Outcomes::LOSS => 0,
            Outcomes::DRAW => 5,
        };
        format!("{} {} {points}", self.seats[0], self.seats[1])
    }

    fn read(text: &str) -> Option<Counted> {
        let words: Vec<&str> = text.split(' ').collect();
        let [one, two, points] = words[..] else { return None };
        let points = match points {
            "1" => Outcomes::WIN,
            "0" => Outcomes::LOSS,
            _ => Outcomes::DRAW,
        };
        Some(Counted { seats: [one.to_owned(), two.to_owned()], points })
    }
}

/// The key of a rated game; the cursor of each game is such a moment.
pub fn order(game: &str, moment: &str) -> String {
    format!("o/{game}/{moment}")
}

fn cursor(game: &str) -> String {
    format!("c/{game}")
}

/// Moves the cursor back if this moment has already been passed. Writing the cursor even if not makes a concurrent
/// rating conflict instead of skipping the game.
pub async fn set_back(hall: &Hall, game: &str, moment: &str) -> Result<Change, Refusal> {
    Ok(match record(hall, cursor(game)).await? {
        None => Change::new(cursor(game), ""),
        Some(known) if known.value.as_str() < moment || held_since(&known).is_some() => {
            known.update(known.value.clone())
        }
        // Anything earlier will do: rating is deterministic, so repeating it changes nothing.
        Some(known) => {
            let mut earlier = moment.to_owned();
            earlier.pop();
            known.update(earlier)
        }
    })
}

/// Since when ratings are being rebuilt, if the cursor says so; nobody rates meanwhile.
fn held_since(cursor: &Stored) -> Option<i64> {
    cursor.value.strip_prefix('~')?.parse().ok()
}

/// Deletes and recomputes all ratings. If this is interrupted, upkeep resumes it once the hold expires.
pub async fn rebuild(hall: &Hall) -> Result<(), Refusal> {
    let games = || engine::GAMES.iter().map(|game| cursor(game.info.id));
    for page in 0.. {
        if page % PAGES_HELD == 0 {
            let held = format!("~{}", hall.time.now());
            let hold = games().map(|key| Change::put(key, held.clone())).collect();
            records(hall)?.change(hold).await?;
        }
        if records(hall)?.clear(Range::of("rh/"), CLEARED).await? == 0 {
            break;
        }
    }
    records(hall)?.change(games().map(|key| Change::put(key, "")).collect()).await?;
    rate_all(hall).await
}

/// Rates all games that are not rated yet. An error in one kind of game does not hold up the others.
pub async fn rate_all(hall: &Hall) -> Result<(), Refusal> {
    let mut done = Ok(());
    for game in engine::GAMES {
        done = done.and(rate(hall, game.info.id).await);
    }
    done
}

/// Rates the games of a kind that are not rated yet.
pub async fn rate(hall: &Hall, game: &str) -> Result<(), Refusal> {
    let mut conflicts = 0;
    while conflicts < TRIES {
        let Some(known) = record(hall, cursor(game)).await? else { return Ok(()) };
        let (start, held) = (order(game, ""), held_since(&known));
        if held.is_some_and(|since| hall.time.now() - since < HELD) {
            return Ok(());
        }
        let after = if held.is_some() { "" } else { known.value.as_str() };
        let range = Range { after: order(game, after), ..Range::of(&start) };
        let next = records(hall)?.range(range, TOGETHER).await?;
        let Some(last) = next.last() else { return Ok(()) };
        let end = super::last_part(last).to_owned();
        let mut changes = rated(hall, game, &next).await?;
        changes.push(known.update(end));
        match records(hall)?.change(changes).await? {
            true => conflicts = 0,
            false => conflicts += 1,
        }
    }
    Err(busy())
}

/// The changes that rate these games.
async fn rated(hall: &Hall, game: &str, next: &[Stored]) -> Result<Vec<Change>, Refusal> {
    let mut known: BTreeMap<String, Option<(String, Rating)>> = BTreeMap::new();
    let mut changes = Vec::new();
    for stored in next {
        let Some(counted) = Counted::read(&stored.value) else { continue };
        let moment = super::last_part(stored).to_owned();
        let mut ratings = Vec::with_capacity(2);
        for seat in &counted.seats {
            if let Some(level) = level(seat) {
                ratings.push(of_level(level));
                continue;
            }
            if !known.contains_key(seat) {
                known.insert(seat.clone(), rating_before(hall, seat, game, &moment).await?);
            }
            let last = known.get(seat).cloned().flatten();
            ratings.push(
                last.map_or(Rating::default(), |(at, own)| own.after_idle(weeks(&at, &moment))),
            );
        }
        let [one, two] = ratings[..] else { continue };
        let (new_one, new_two) = glicko2(&one.inner, &two.inner, &counted.points, &CONFIG);
        for (seat, (new, old)) in counted.seats.iter().zip([(new_one, one), (new_two, two)]) {
            if level(seat).is_some() {
                continue;
            }
            let text = Rating { inner: new, games: old.games + 1 }.to_string();
            changes.push(Change::put(format!("{}{moment}", of_player(seat, game)), text.clone()));
            known.insert(seat.clone(), Some((moment.clone(), text.parse()?)));
        }
    }
    Ok(changes)
}

fn level(seat: &str) -> Option<u8> {
    seat.strip_prefix("level-")?.parse().ok()
}

fn weeks(from: &str, to: &str) -> i64 {
    let at = |moment: &str| super::archive::moment(moment).map_or(0, |(at, _)| at);
    (at(to) - at(from)) / WEEK
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillratings::glicko2::glicko2_rating_period;

    fn rating(rating: f64, deviation: f64) -> Glicko2Rating {
        Glicko2Rating { rating, deviation, volatility: 0.06 }
    }

    #[test]
    fn the_example_of_glickmans_paper_comes_out() {
        let games = [
            (rating(1_400.0, 30.0), Outcomes::WIN),
            (rating(1_550.0, 100.0), Outcomes::LOSS),
            (rating(1_700.0, 300.0), Outcomes::LOSS),
        ];
        let after = glicko2_rating_period(&rating(1_500.0, 200.0), &games, &CONFIG);
        assert!((after.rating - 1_464.06).abs() < 0.01, "{after:?}");
        assert!((after.deviation - 151.52).abs() < 0.01, "{after:?}");
        assert!((after.volatility - 0.05999).abs() < 0.00001, "{after:?}");
    }

    #[test]
    fn what_is_written_is_what_is_read() {
        let mut own = Rating::default();
        for i in 0..200_u8 {
            let points = if i % 3 == 0 { Outcomes::WIN } else { Outcomes::LOSS };
            let inner = glicko2(&own.inner, &of_level(i % 10 + 1).inner, &points, &CONFIG).0;
            let text = Rating { inner, games: own.games + 1 }.to_string();
            own = text.parse().unwrap();
            assert_eq!(own.to_string(), text);
        }
        assert!(!own.is_provisional());
        let idle = own.after_idle(200);
        assert!(
            idle.inner.deviation > own.inner.deviation && idle.inner.rating == own.inner.rating
        );
        assert!(own.after_idle(i64::MAX).inner.deviation <= 350.0);
        assert!("1 2 3".parse::<Rating>().is_err());
    }

    #[test]
    fn levels_are_fixed_and_found_by_their_rating() {
        for level in 1..=10 {
            assert_eq!(level_near(of_level(level).shown()), level);
        }
        assert_eq!((level_near(-50), level_near(9_999)), (1, 10));
    }
}
