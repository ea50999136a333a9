//! Clocks, derived from the times of events and of pauses alone; this module reads no clock of its own.

use crate::error::Refusal;
use rules::Player;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

const SECOND: i64 = 1_000;
const DAY: i64 = 24 * 60 * 60 * SECOND;

/// How much time players have, as the maker of a game says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum TimeControl {
    /// As much as they like.
    #[default]
    None,
    /// So many seconds for the whole game, and some more for each turn.
    Time {
        /// The time at the start.
        seconds: u32,
        /// What each turn adds.
        #[serde(default)]
        increment: u32,
    },
    /// So many days for each turn.
    Days {
        /// The days.
        days: u32,
    },
}

impl TimeControl {
    /// Refuses times beyond measure.
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
                within("seconds", seconds, 1, 86_400)?;
                within("increment", increment, 0, 3_600)
            }
            TimeControl::Days { days } => within("days", days, 1, 60),
        }
    }
}

/// A time in which no clock ran.
#[derive(Clone, Copy, Debug)]
struct Pause {
    from: i64,
    to: i64,
    /// How long all pauses before this one took.
    before: i64,
}

/// The times in which no clock ran, because no server did or nothing could be stored; clones share them.
#[derive(Clone, Debug, Default)]
pub struct Pauses(Arc<RwLock<Vec<Pause>>>);

impl Pauses {
    /// These pauses, in order; what overlaps counts once.
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

    /// When the last one ended.
    pub fn last(&self) -> i64 {
        self.read(|all| all.last().map_or(i64::MIN, |pause| pause.to))
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.read(<[Pause]>::len)
    }

    /// How much of the time between these two was pause.
    pub fn between(&self, from: i64, to: i64) -> i64 {
        let until = |all: &[Pause], at: i64| {
            let begun = all.partition_point(|pause| pause.from < at);
            let last = begun.checked_sub(1).and_then(|i| all.get(i));
            last.map_or(0, |pause| pause.before + pause.to.min(at) - pause.from)
        };
        self.read(|all| (until(all, to) - until(all, from)).max(0))
    }

    /// When so many milliseconds from a time on have passed, pauses not counted.
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

/// The two clocks of a game.
#[derive(Clone, Debug)]
pub struct Clock {
    control: TimeControl,
    /// Milliseconds that each player had left at `since`.
    left: [i64; 2],
    running: Option<Player>,
    since: i64,
    pauses: Pauses,
}

impl Clock {
    /// Both clocks, standing; none in a game without.
    pub fn new(control: TimeControl, pauses: &Pauses) -> Option<Clock> {
        let full = match control {
            TimeControl::None => return None,
            TimeControl::Time { seconds, .. } => i64::from(seconds) * SECOND,
            TimeControl::Days { days } => i64::from(days) * DAY,
        };
        Some(Clock { control, left: [full; 2], running: None, since: 0, pauses: pauses.clone() })
    }

    /// Whose clock runs.
    pub fn running(&self) -> Option<Player> {
        self.running
    }

    /// What each turn adds.
    pub fn increment(&self) -> Duration {
        match self.control {
            TimeControl::Time { increment, .. } => Duration::from_secs(increment.into()),
            TimeControl::None | TimeControl::Days { .. } => Duration::ZERO,
        }
    }

    /// What both have left at a time, in milliseconds.
    pub fn left(&self, at: i64) -> [i64; 2] {
        let mut left = self.left;
        if let Some(player) = self.running {
            let own = &mut left[player.index()];
            let passed = at.saturating_sub(self.since) - self.pauses.between(self.since, at);
            *own = (*own - passed.max(0)).max(0);
        }
        left
    }

    /// When the running clock runs out.
    pub fn deadline(&self) -> Option<i64> {
        self.running.map(|player| self.pauses.after(self.since, self.left[player.index()]))
    }

    /// A turn has ended: its player gets what a turn adds, if the clock ran for it.
    pub fn turn_ended(&mut self, player: Player, at: i64) {
        if self.running != Some(player) {
            return;
        }
        self.run(None, at);
        if let TimeControl::Time { increment, .. } = self.control {
            self.left[player.index()] += i64::from(increment) * SECOND;
        }
    }

    /// Lets the clock of a player run from now on, or none.
    pub fn run(&mut self, player: Option<Player>, at: i64) {
        if self.running == player {
            return;
        }
        self.left = self.left(at);
        self.since = at;
        self.running = player;
        if let (TimeControl::Days { days }, Some(player)) = (self.control, player) {
            self.left[player.index()] = i64::from(days) * DAY;
        }
    }

    /// The time between these two does not count.
    pub fn pause(&mut self, from: i64, to: i64) {
        let from = from.max(self.since);
        if to > from {
            self.left = self.left(from);
            self.since = to;
        }
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
        assert_eq!(clock.left(11_000), [50_000, 60_000]);
        clock.turn_ended(One, 11_000);
        clock.run(Some(Two), 11_000);
        assert_eq!(clock.left(12_000), [52_000, 59_000]);
        assert_eq!(clock.deadline(), Some(71_000));
    }

    #[test]
    fn a_turn_without_a_running_clock_adds_nothing() {
        let mut clock = blitz();
        clock.turn_ended(One, 5_000);
        assert_eq!(clock.left(9_000), [60_000; 2]);
        assert_eq!(clock.deadline(), None);
    }

    #[test]
    fn what_passes_in_a_pause_costs_nobody_time() {
        let mut clock = blitz();
        clock.run(Some(Two), 0);
        clock.pause(10_000, 500_000);
        assert_eq!(clock.left(500_000), [60_000, 50_000]);
        assert_eq!(clock.left(501_000), [60_000, 49_000]);
        assert_eq!(clock.deadline(), Some(550_000));
    }

    #[test]
    fn a_pause_that_began_before_the_turn_does_not_give_time_back() {
        let mut clock = blitz();
        clock.run(Some(One), 10_000);
        clock.pause(2_000, 15_000);
        assert_eq!(clock.left(15_000), [60_000; 2]);
        clock.pause(3_000, 4_000);
        assert_eq!(clock.left(20_000), [55_000, 60_000]);
    }

    #[test]
    fn a_pause_of_the_server_stops_every_clock_that_runs_then() {
        let pauses = Pauses::new([(-500, -400)]);
        let (mut early, mut late) = (paused(&pauses), paused(&pauses));
        early.run(Some(One), 0);
        pauses.note(10_000, 500_000);
        late.run(Some(Two), 505_000);
        pauses.note(510_000, 600_000);
        assert_eq!(early.left(5_000), [55_000, 60_000], "what was told before stays true");
        assert_eq!(early.left(300_000), [50_000, 60_000]);
        assert_eq!(early.left(601_000), [39_000, 60_000]);
        assert_eq!(late.left(601_000), [60_000, 54_000]);
        assert_eq!(early.deadline(), Some(640_000));
        assert_eq!(late.deadline(), Some(655_000));
        early.turn_ended(One, 601_000);
        assert_eq!(early.left(700_000), [41_000, 60_000]);
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
    fn days_begin_anew_with_each_turn() {
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
    fn time_never_runs_backwards_nor_below_nought() {
        let mut clock = blitz();
        clock.run(Some(One), 10_000);
        assert_eq!(clock.left(9_000), [60_000; 2]);
        assert_eq!(clock.left(1_000_000), [0, 60_000]);
        clock.run(None, 1_000_000);
        assert_eq!(clock.left(2_000_000), [0, 60_000]);
    }

    #[test]
    fn times_beyond_measure_are_refused_by_field() {
        let refused = TimeControl::Time { seconds: 0, increment: 0 }.check().unwrap_err();
        assert_eq!(refused.field.as_deref(), Some("clock.seconds"));
        assert!(TimeControl::Days { days: 61 }.check().is_err());
        assert!(TimeControl::None.check().is_ok());
    }
}
