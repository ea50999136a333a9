//! The clocks of two players, of which one runs at a time.

use engine::Limits;
use rules::Player;
use rules::game::shorten;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Time for the whole game.
    pub time: Duration,
    /// What a turn adds.
    pub increment: Duration,
}

impl Terms {
    /// Reads minutes and seconds: `5+3`, `0.5+0`, `10`.
    pub fn parse(text: &str) -> Result<Terms, String> {
        let (minutes, seconds) = text.split_once('+').unwrap_or((text, "0"));
        let read = |text: &str, most: f64| {
            text.trim().parse().ok().filter(|number: &f64| (0.0..=most).contains(number))
        };
        match (read(minutes, 600.0), read(seconds, 600.0)) {
            (Some(minutes), Some(seconds)) if minutes + seconds > 0.0 => Ok(Terms {
                time: Duration::from_secs_f64(minutes * 60.0),
                increment: Duration::from_secs_f64(seconds),
            }),
            _ => Err(format!(
                "a clock is minutes and seconds for each turn, as in `5+3`, got `{}`",
                shorten(text)
            )),
        }
    }

    /// What [`Terms::parse`] reads.
    pub fn code(&self) -> String {
        format!("{}+{}", self.time.as_secs_f64() / 60.0, self.increment.as_secs_f64())
    }
}

/// The time both players have left.
#[derive(Clone, Debug)]
pub struct Clock {
    pub terms: Terms,
    left: [Duration; 2],
    running: Option<(Player, Instant)>,
}

impl Clock {
    /// Both clocks full and stopped.
    pub fn new(terms: Terms) -> Clock {
        Clock { terms, left: [terms.time.max(terms.increment); 2], running: None }
    }

    /// Sets the time that both have left, and stops the clocks.
    pub fn set(&mut self, left: [Duration; 2]) {
        (self.left, self.running) = (left, None);
    }

    /// What a player has left.
    pub fn left(&self, player: Player, now: Instant) -> Duration {
        let left = self.left[player.index()];
        match self.running {
            Some((own, since)) if own == player => {
                left.saturating_sub(now.saturating_duration_since(since))
            }
            _ => left,
        }
    }

    /// Lets the clock of one player run, or none.
    pub fn run(&mut self, player: Option<Player>, now: Instant) {
        if self.running.map(|(own, _)| own) == player {
            return;
        }
        self.left = Player::BOTH.map(|player| self.left(player, now));
        self.running = player.map(|player| (player, now));
    }

    /// Stops the clock after a turn and adds the increment.
    pub fn press(&mut self, player: Player, now: Instant) {
        self.run(None, now);
        self.left[player.index()] += self.terms.increment;
    }

    pub fn running(&self) -> Option<Player> {
        self.running.map(|(player, _)| player)
    }

    /// Who has no time left.
    pub fn fallen(&self, now: Instant) -> Option<Player> {
        self.running().filter(|player| self.left(*player, now).is_zero())
    }

    /// The share of the clock that an engine may spend on a turn.
    pub fn limits(&self, player: Player, now: Instant) -> Limits {
        Limits::clock(self.left(player, now), self.terms.increment)
    }
}

/// Time as clocks show it: `4:31`, and tenths below ten seconds.
pub fn shown(left: Duration) -> String {
    if left < Duration::from_secs(10) {
        return format!("0:0{}.{}", left.as_secs(), left.subsec_millis() / 100);
    }
    // Rounded up, so that 0:00 means that the time is over.
    let seconds = left.as_secs() + u64::from(left.subsec_nanos() > 0);
    match seconds {
        ..3600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        _ => format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_running_clock_loses_time() {
        let start = Instant::now();
        let later = |seconds| start + Duration::from_secs(seconds);
        let mut clock = Clock::new(Terms::parse("1+2").unwrap());
        clock.run(Some(Player::One), start);
        assert_eq!(shown(clock.left(Player::One, later(15))), "0:45");
        assert_eq!(shown(clock.left(Player::Two, later(15))), "1:00");
        clock.press(Player::One, later(15));
        clock.run(Some(Player::Two), later(15));
        assert_eq!(shown(clock.left(Player::One, later(60))), "0:47");
        assert_eq!(clock.fallen(later(74)), None);
        assert_eq!(clock.fallen(later(75)), Some(Player::Two));
    }

    #[test]
    fn terms_are_read_as_they_are_written() {
        for text in ["5+3", "0.5+0", "0+10"] {
            assert_eq!(Terms::parse(text).unwrap().code(), text);
        }
        for text in ["", "0+0", "-1+3", "5+x", "1e9", "nan+1"] {
            assert!(Terms::parse(text).unwrap_err().contains("as in `5+3`"), "{text}");
        }
    }
}
