//! Clocks, computed from the times of events and pauses and a given `now`. All times are in milliseconds; those that
//! are not durations count from 1970.

use crate::refusal::Refusal;
use crate::told::LARGEST;
use rules::{ByPlayer, Player};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, PoisonError, RwLock};

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// The longest clock for a whole game, in seconds.
pub const MOST_SECONDS: u32 = 86_400;

/// The longest increment for a turn, in seconds.
pub const MOST_INCREMENT: u32 = 3_600;

/// The most days per turn in correspondence games.
pub const MOST_DAYS: u32 = 60;

/// The time control of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum TimeControl {
    /// No clock.
    #[default]
    None,
    /// A time for the whole game, and an increment for each turn.
    Time {
        /// Seconds for the whole game.
        seconds: u32,
        /// Seconds that each turn adds.
        #[serde(default)]
        increment: u32,
    },
    /// Correspondence: days for each turn.
    Days {
        /// The days.
        days: u32,
    },
}

impl TimeControl {
    /// Refuses values out of range.
    pub fn check(self) -> Result<(), Refusal> {
        let within = |name: &str, value: u32, least: u32, most: u32| {
            if (least..=most).contains(&value) {
                return Ok(());
            }
            let error = format!("{name} must be {least} to {most}, got {value}");
            Err(Refusal::against(error).at(format!("clock.{name}")))
        };
        match self {
            TimeControl::None => Ok(()),
            TimeControl::Time { seconds, increment } => {
                within("seconds", seconds, 1, MOST_SECONDS)?;
                within("increment", increment, 0, MOST_INCREMENT)
            }
            TimeControl::Days { days } => within("days", days, 1, MOST_DAYS),
        }
    }
}

/// A time during which no clock ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pause {
    from: i64,
    to: i64,
    /// The total length of all earlier pauses.
    before: i64,
}

/// The times during which no clock ran, because no server did or nothing could be stored. Clones share the list, so
/// every clock learns of new pauses.
#[derive(Clone, Debug, Default)]
pub struct Pauses(Arc<RwLock<Vec<Pause>>>);

impl Pauses {
    /// Pauses in order; overlaps count once.
    pub fn new(pauses: impl IntoIterator<Item = (i64, i64)>) -> Pauses {
        let all = Pauses::default();
        pauses.into_iter().for_each(|(from, to)| all.note(from, to));
        all
    }

    fn read<T>(&self, look: impl FnOnce(&[Pause]) -> T) -> T {
        look(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds a pause that is later than all others.
    pub fn note(&self, from: i64, to: i64) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let last = all.last().copied().unwrap_or(Pause { from: i64::MIN, to: i64::MIN, before: 0 });
        let from = from.max(last.to);
        if from < to {
            let before = if all.is_empty() { 0 } else { last.before + last.to - last.from };
            all.push(Pause { from, to, before });
        }
    }

    /// Replaces all pauses; returns whether that changes anything.
    pub fn replace(&self, pauses: impl IntoIterator<Item = (i64, i64)>) -> bool {
        let new = Pauses::new(pauses).read(<[Pause]>::to_vec);
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let changed = *all != new;
        *all = new;
        changed
    }

    /// The end of the last pause.
    pub fn last(&self) -> i64 {
        self.read(|all| all.last().map_or(i64::MIN, |pause| pause.to))
    }

    /// The number of pauses.
    pub fn count(&self) -> usize {
        self.read(<[Pause]>::len)
    }

    /// How much of the time between `from` and `to` was pause.
    pub fn between(&self, from: i64, to: i64) -> i64 {
        let until = |all: &[Pause], at: i64| {
            let begun = all.partition_point(|pause| pause.from < at);
            let last = begun.checked_sub(1).and_then(|i| all.get(i));
            last.map_or(0, |pause| pause.before + pause.to.min(at) - pause.from)
        };
        self.read(|all| (until(all, to) - until(all, from)).max(0))
    }

    /// The time at which `millis` have passed since `from`, not counting pauses.
    pub fn after(&self, from: i64, millis: i64) -> i64 {
        let mut end = from.saturating_add(millis);
        self.read(|all| {
            let first = all.partition_point(|pause| pause.to <= from);
            for pause in all.iter().skip(first) {
                if pause.from >= end {
                    break;
                }
                end += pause.to - pause.from.max(from);
            }
        });
        end
    }
}

/// What a turn does to the clock of the player who made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PerTurn {
    /// Adds this much after the turn.
    Increment(i64),
    /// Resets it to this much.
    Fresh(i64),
}

/// The two clocks of a game.
#[derive(Clone, Debug)]
pub struct Clock {
    per_turn: PerTurn,
    /// What each player had left at `since`.
    left: ByPlayer<i64>,
    running: Option<Player>,
    since: i64,
    pauses: Pauses,
}

impl Clock {
    /// Full, stopped clocks; none without a time control.
    pub fn new(control: TimeControl, pauses: &Pauses) -> Option<Clock> {
        let (full, per_turn) = match control {
            TimeControl::None => return None,
            TimeControl::Time { seconds, increment } => {
                (i64::from(seconds) * SECOND, PerTurn::Increment(i64::from(increment) * SECOND))
            }
            TimeControl::Days { days } => {
                let days = i64::from(days) * DAY;
                (days, PerTurn::Fresh(days))
            }
        };
        let left = ByPlayer::new(full, full);
        Some(Clock { per_turn, left, running: None, since: 0, pauses: pauses.clone() })
    }

    /// Full, stopped clocks, to the millisecond.
    pub fn timed(full: i64, increment: i64) -> Clock {
        let (per_turn, left) = (PerTurn::Increment(increment), ByPlayer::new(full, full));
        Clock { per_turn, left, running: None, since: 0, pauses: Pauses::default() }
    }

    /// Sets the clocks to what they showed at a time.
    pub fn set(&mut self, left: ByPlayer<i64>, running: Option<Player>, at: i64) {
        self.left = left.map(|left| left.clamp(0, LARGEST));
        (self.running, self.since) = (running, at.clamp(-LARGEST, LARGEST));
    }

    /// Whose clock runs.
    pub fn running(&self) -> Option<Player> {
        self.running
    }

    /// How much each turn adds.
    pub fn increment(&self) -> i64 {
        match self.per_turn {
            PerTurn::Increment(millis) => millis,
            PerTurn::Fresh(_) => 0,
        }
    }

    /// What both players have left at a time.
    pub fn left(&self, at: i64) -> ByPlayer<i64> {
        let mut left = self.left;
        if let Some(player) = self.running {
            let passed = at.saturating_sub(self.since) - self.pauses.between(self.since, at);
            left[player] = (left[player] - passed.max(0)).max(0);
        }
        left
    }

    /// When the running clock runs out.
    pub fn deadline(&self) -> Option<i64> {
        self.running.map(|player| self.pauses.after(self.since, self.left[player]))
    }

    /// Ends a player's turn. The increment is added only if the clock ran.
    pub fn turn_ended(&mut self, player: Player, at: i64) {
        if self.running == Some(player) {
            self.run(None, at);
            self.left[player] += self.increment();
        }
    }

    /// Starts one player's clock and stops the other's, or stops both.
    pub fn run(&mut self, player: Option<Player>, at: i64) {
        if self.running == player {
            return;
        }
        self.left = self.left(at);
        self.since = at;
        self.running = player;
        if let (PerTurn::Fresh(millis), Some(player)) = (self.per_turn, player) {
            self.left[player] = millis;
        }
    }

    /// Excludes the time from `from` to `to`.
    pub fn pause(&mut self, from: i64, to: i64) {
        let from = from.max(self.since);
        if to > from {
            self.left = self.left(from);
            self.since = to;
        }
    }
}

/// Time left as clocks show it: `4:31`, `1:02:03`, `2 d 3 h`, and below ten seconds `9.4`.
pub fn shown(left: i64) -> String {
    let left = left.max(0);
    if left >= DAY {
        return format!("{} d {} h", left / DAY, left % DAY / HOUR);
    }
    // Rounded up, so that zero means that time is up.
    if left < 10 * SECOND {
        let tenths = (left + 99) / 100;
        return format!("{}.{}", tenths / 10, tenths % 10);
    }
    face((left + SECOND - 1) / SECOND)
}

/// Seconds as `1:02:03` or `2:03`.
pub fn face(seconds: i64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Player::{One, Two};

    fn blitz() -> Clock {
        paused(&Pauses::default())
    }

    fn paused(pauses: &Pauses) -> Clock {
        Clock::new(TimeControl::Time { seconds: 60, increment: 2 }, pauses).unwrap()
    }

    #[test]
    fn a_running_clock_loses_what_passes_and_a_turn_adds_the_increment() {
        let mut clock = blitz();
        clock.run(Some(One), 1_000);
        assert_eq!(*clock.left(11_000), [50_000, 60_000]);
        clock.turn_ended(One, 11_000);
        clock.run(Some(Two), 11_000);
        assert_eq!(*clock.left(12_000), [52_000, 59_000]);
        assert_eq!(clock.deadline(), Some(71_000));
    }

    #[test]
    fn a_turn_without_a_running_clock_adds_nothing() {
        let mut clock = blitz();
        clock.turn_ended(One, 5_000);
        assert_eq!(*clock.left(9_000), [60_000; 2]);
        assert_eq!(clock.deadline(), None);
    }

    #[test]
    fn what_passes_in_a_pause_costs_nobody_time() {
        let mut clock = blitz();
        clock.run(Some(Two), 0);
        clock.pause(10_000, 500_000);
        assert_eq!(*clock.left(500_000), [60_000, 50_000]);
        assert_eq!(*clock.left(501_000), [60_000, 49_000]);
        assert_eq!(clock.deadline(), Some(550_000));
    }

    #[test]
    fn a_pause_that_began_before_the_turn_does_not_give_time_back() {
        let mut clock = blitz();
        clock.run(Some(One), 10_000);
        clock.pause(2_000, 15_000);
        assert_eq!(*clock.left(15_000), [60_000; 2]);
        clock.pause(3_000, 4_000);
        assert_eq!(*clock.left(20_000), [55_000, 60_000]);
    }

    #[test]
    fn a_pause_of_the_server_stops_every_clock_that_runs_then() {
        let pauses = Pauses::new([(-500, -400)]);
        let (mut early, mut late) = (paused(&pauses), paused(&pauses));
        early.run(Some(One), 0);
        pauses.note(10_000, 500_000);
        late.run(Some(Two), 505_000);
        pauses.note(510_000, 600_000);
        assert_eq!(*early.left(5_000), [55_000, 60_000], "what was told before stays true");
        assert_eq!(*early.left(300_000), [50_000, 60_000]);
        assert_eq!(*early.left(601_000), [39_000, 60_000]);
        assert_eq!(*late.left(601_000), [60_000, 54_000]);
        assert_eq!(early.deadline(), Some(640_000));
        assert_eq!(late.deadline(), Some(655_000));
        early.turn_ended(One, 601_000);
        assert_eq!(*early.left(700_000), [41_000, 60_000]);
    }

    #[test]
    fn a_clock_that_had_run_out_before_a_pause_has_run_out() {
        let pauses = Pauses::default();
        let mut clock = paused(&pauses);
        clock.run(Some(One), 0);
        pauses.note(60_001, 900_000);
        assert_eq!(clock.deadline(), Some(60_000));
        pauses.note(900_000, 900_000);
        pauses.note(20_000, 40_000);
        assert_eq!(pauses.count(), 1, "neither nothing nor the past is a pause");
    }

    #[test]
    fn days_start_again_with_each_turn() {
        let mut clock = Clock::new(TimeControl::Days { days: 2 }, &Pauses::default()).unwrap();
        clock.run(Some(One), 0);
        clock.turn_ended(One, DAY);
        clock.run(Some(Two), DAY);
        assert_eq!(clock.deadline(), Some(3 * DAY));
        clock.turn_ended(Two, DAY + 1);
        clock.run(Some(One), DAY + 1);
        assert_eq!(clock.left(DAY + 1)[0], 2 * DAY);
    }

    #[test]
    fn time_never_runs_backwards_nor_below_zero() {
        let mut clock = blitz();
        clock.run(Some(One), 10_000);
        assert_eq!(*clock.left(9_000), [60_000; 2]);
        assert_eq!(*clock.left(1_000_000), [0, 60_000]);
        clock.run(None, 1_000_000);
        assert_eq!(*clock.left(2_000_000), [0, 60_000]);
    }

    #[test]
    fn times_beyond_measure_are_refused_by_field() {
        let refused = TimeControl::Time { seconds: 0, increment: 0 }.check().unwrap_err();
        assert_eq!(refused.field.as_deref(), Some("clock.seconds"));
        assert!(TimeControl::Days { days: 61 }.check().is_err());
        assert!(TimeControl::None.check().is_ok());
    }

    #[test]
    fn clocks_that_somebody_makes_up_overflow_nothing() {
        let mut clock = blitz();
        for (left, at) in [(i64::MAX, i64::MIN), (i64::MIN, i64::MAX)] {
            clock.set(ByPlayer::both(left), Some(One), at);
            clock.turn_ended(One, 0);
            clock.run(Some(Two), i64::MAX);
            assert!(clock.deadline().is_some() && clock.left(i64::MIN)[Two] >= 0);
        }
    }

    #[test]
    fn time_left_is_rounded_up_and_days_are_told() {
        let told = [
            (0, "0.0"),
            (1, "0.1"),
            (9_400, "9.4"),
            (10_000, "0:10"),
            (44_001, "0:45"),
            (271_000, "4:31"),
            (3_723_000, "1:02:03"),
            (2 * DAY + 3 * HOUR, "2 d 3 h"),
        ];
        for (left, text) in told {
            assert_eq!(shown(left), text);
        }
    }
}
