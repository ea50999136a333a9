//! Settings that an operator can change while the server runs: a small file, read at startup and on SIGHUP.

use std::time::Duration;

const DAY: u64 = 86_400;

/// The shortest retention time: anything shorter could delete a game that is being played.
const SHORTEST: Duration = Duration::from_secs(DAY);

/// How long games are kept after their last event; forever if not set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    pub finished: Option<Duration>,
    pub unfinished: Option<Duration>,
    pub unplayed: Option<Duration>,
}

/// Rate limits per address, and retention.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    pub new_games: u32,
    pub allowance: u32,
    pub connections: usize,
    pub keep: Keep,
}

impl Settings {
    /// These settings with the changes of a file, which has lines such as `new-games = 30`. The names are those of the
    /// command-line options.
    pub fn with(&self, text: &str) -> Result<Settings, String> {
        let mut changed = self.clone();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                changed.set(line).map_err(|error| format!("line {number}: {error}"))?;
            }
        }
        Ok(changed)
    }

    fn set(&mut self, line: &str) -> Result<(), String> {
        let wrong = || format!("expected `name = value`, got `{}`", rules::game::shorten(line));
        let (name, value) = line.split_once('=').ok_or_else(wrong)?;
        let (name, value) = (name.trim(), value.trim());
        match name {
            "new-games" => self.new_games = count(value, 1)?,
            "allowance" => self.allowance = count(value, 10)?,
            "connections" => self.connections = count(value, 1)? as usize,
            "keep-finished" => self.keep.finished = Some(age(value)?),
            "keep-unfinished" => self.keep.unfinished = Some(age(value)?),
            "keep-unplayed" => self.keep.unplayed = Some(age(value)?),
            _ => {
                return Err(format!(
                    "unknown name `{}`, expected new-games, allowance, connections, keep-finished, \
                     keep-unfinished or keep-unplayed",
                    rules::game::shorten(name)
                ));
            }
        }
        Ok(())
    }
}

fn count(text: &str, least: u32) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| *number >= least);
    let shown = rules::game::shorten(text);
    number.ok_or_else(|| format!("expected a number from {least} on, got `{shown}`"))
}

/// Parses a retention time, which is at least a day.
pub fn age(text: &str) -> Result<Duration, String> {
    let time = time(text)?;
    let long = time >= SHORTEST;
    long.then_some(time).ok_or_else(|| format!("games are kept for at least 1d, got `{text}`"))
}

/// Parses a duration such as `90d`, in seconds, minutes, hours, days, weeks or years.
pub fn time(text: &str) -> Result<Duration, String> {
    let shown = rules::game::shorten(text);
    let wrong = || format!("expected a time such as 30m, 12h, 90d or 2y, got `{shown}`");
    let digits = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
    let (number, unit) = text.split_at(digits);
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => DAY,
        "w" => 7 * DAY,
        "y" => 365 * DAY,
        _ => return Err(wrong()),
    };
    let seconds = number.parse::<u32>().ok().map(|number| u64::from(number) * seconds);
    seconds.filter(|seconds| *seconds > 0).map(Duration::from_secs).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_changes_what_it_names_and_says_what_is_wrong_where() {
        let usual =
            Settings { new_games: 8, allowance: 1_000, connections: 5, ..Settings::default() };
        let text = "# For the school.\nnew-games = 90 # one address\n\nkeep-unplayed=1w\n";
        let changed = usual.with(text).unwrap();
        assert_eq!((changed.new_games, changed.allowance, changed.connections), (90, 1_000, 5));
        assert_eq!(changed.keep.unplayed, Some(Duration::from_secs(7 * DAY)));
        for (text, wrong) in [
            ("\nnew-games 5", "line 2: expected `name = value`, got `new-games 5`"),
            ("allowance = 9", "line 1: expected a number from 10 on, got `9`"),
            ("keep-finished = 5h", "line 1: games are kept for at least 1d, got `5h`"),
            ("speed = 5", "line 1: unknown name `speed`"),
        ] {
            let error = usual.with(text).unwrap_err();
            assert!(error.starts_with(wrong), "{error}");
        }
    }

    #[test]
    fn times_have_a_number_and_a_unit() {
        assert_eq!(time("90d"), Ok(Duration::from_secs(90 * DAY)));
        assert_eq!(time("2y"), Ok(Duration::from_secs(730 * DAY)));
        assert_eq!(time("10m"), Ok(Duration::from_secs(600)));
        for wrong in ["", "d", "5", "5 d", "-5d", "0d", "1.5d", "99999999999d", "5x"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
