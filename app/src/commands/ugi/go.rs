//! The limits in a `go` command.

use engine::Limits;
use rules::game::shorten;
use rules::{ByPlayer, Player};
use std::time::Duration;

/// The meaning of the words after `go`.
#[derive(Debug, Default, PartialEq)]
pub struct Go {
    pub limits: Limits,
    /// Whether the answer has to wait for `stop`, or for `ponderhit`.
    pub infinite: bool,
    /// While the opponent is still to move: what may be spent after `ponderhit`.
    pub after_hit: Option<Limits>,
    /// The only turns to choose from; empty for all.
    pub only: Vec<String>,
    /// Count the ways to play this many moves instead of searching.
    pub perft: Option<u32>,
}

/// The words that begin a setting.
const WORDS: [&str; 17] = [
    "infinite",
    "ponder",
    "searchmoves",
    "mate",
    "perft",
    "movetime",
    "nodes",
    "depth",
    "p1time",
    "wtime",
    "p2time",
    "btime",
    "p1inc",
    "winc",
    "p2inc",
    "binc",
    "movestogo",
];

/// The deepest search.
const MOST_DEPTH: u64 = 100;

/// Reads the words after `go`; only the clock of the player to move counts.
pub fn read(words: &[&str], mover: Player) -> Result<Go, String> {
    let mut go = Go::default();
    let (mut left, mut increment) = (ByPlayer::both(None), ByPlayer::both(Duration::ZERO));
    let mut words = words.iter().peekable();
    let mut ponders = false;
    while let Some(&word) = words.next() {
        match word {
            "infinite" => {
                go.infinite = true;
                continue;
            }
            "ponder" => {
                ponders = true;
                continue;
            }
            "searchmoves" => {
                while let Some(turn) = words.next_if(|word| !WORDS.contains(word)) {
                    go.only.push((*turn).to_owned());
                }
                continue;
            }
            // Unknown words are skipped, as UCI demands.
            word if !WORDS.contains(&word) => continue,
            _ => {}
        }
        let value = words.next().copied();
        match word {
            // Each turn of a win takes at most two moves, or four where a turn has two.
            "mate" => {
                let turns = count(word, value)?;
                go.limits.depth = Some((4 * turns).min(MOST_DEPTH) as u32);
            }
            "perft" => go.perft = Some(count(word, value)?.min(MOST_DEPTH) as u32),
            "movetime" => go.limits.time = Some(time(word, value)?),
            "nodes" => go.limits.nodes = Some(count(word, value)?),
            "depth" => go.limits.depth = Some(count(word, value)?.min(MOST_DEPTH) as u32),
            "p1time" | "wtime" => left[Player::One] = Some(time(word, value)?),
            "p2time" | "btime" => left[Player::Two] = Some(time(word, value)?),
            "p1inc" | "winc" => increment[Player::One] = time(word, value)?,
            "p2inc" | "binc" => increment[Player::Two] = time(word, value)?,
            // A thirtieth of the clock is never too much, however many moves it has to last for.
            _ => drop(count(word, value)?),
        }
    }
    match left[mover] {
        Some(left) => {
            let share = Limits::clock(left, increment[mover]);
            let share = go.limits.time.map_or(share.clone(), |most| share.within(most));
            (go.limits.time, go.limits.soft) = (share.time, share.soft);
        }
        None if left != ByPlayer::both(None) => return Err(format!("player {mover} has no clock")),
        None => {}
    }
    // The opponent's clock runs while we ponder.
    if ponders {
        go.infinite = true;
        go.after_hit = Some(go.limits.clone());
        (go.limits.time, go.limits.soft) = (None, None);
    }
    Ok(go)
}

/// A clock that has already run out counts as no time.
fn time(word: &str, value: Option<&str>) -> Result<Duration, String> {
    let ms: i64 = number(word, value)?;
    Ok(Duration::from_millis(ms.max(0).unsigned_abs()))
}

fn count(word: &str, value: Option<&str>) -> Result<u64, String> {
    match number(word, value)? {
        0 => Err(format!("`{word}` must be at least 1, got 0")),
        n => Ok(n),
    }
}

fn number<T: std::str::FromStr>(word: &str, value: Option<&str>) -> Result<T, String> {
    let value = value.ok_or_else(|| format!("`{word}` needs a number"))?;
    value.parse().map_err(|_| format!("`{word}` needs a number, got `{}`", shorten(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(text: &str, mover: Player) -> Result<Go, String> {
        read(&text.split_whitespace().collect::<Vec<_>>(), mover)
    }

    fn ms(text: &str, mover: Player) -> u128 {
        let limits = go(text, mover).unwrap().limits;
        assert!(limits.time >= limits.soft);
        limits.soft.or(limits.time).unwrap().as_millis()
    }

    #[test]
    fn limits_are_read_in_any_order() {
        let read = go("depth 6 infinite nodes 900 movetime 20", Player::One).unwrap();
        let time = Some(Duration::from_millis(20));
        let limits = Limits { time, nodes: Some(900), depth: Some(6), ..Limits::default() };
        assert_eq!(read, Go { limits, infinite: true, ..Go::default() });
        assert_eq!(go("", Player::One).unwrap(), Go::default());
    }

    #[test]
    fn chosen_turns_pondering_and_counting_are_read_and_unknown_words_passed_over() {
        let read = go("quickly searchmoves c4 d3 depth 3 ponder wtime 9000", Player::One).unwrap();
        assert_eq!(read.only, ["c4", "d3"]);
        assert!(read.infinite && read.limits.time.is_none());
        let after_hit = read.after_hit.unwrap();
        assert_eq!(after_hit.soft, Some(Duration::from_millis(300)));
        assert_eq!(read.limits.depth, Some(3));
        assert_eq!(go("perft 3", Player::One).unwrap().perft, Some(3));
        assert_eq!(go("mate 2", Player::One).unwrap().limits.depth, Some(8));
    }

    #[test]
    fn the_clock_of_the_mover_counts() {
        let clock = "p1time 30000 p2time 60000 p1inc 0 p2inc 400 movestogo 10";
        assert_eq!(ms(clock, Player::One), 1000);
        assert_eq!(ms(clock, Player::Two), 2300);
        assert_eq!(ms("wtime 30000 btime -7", Player::One), 1000);
        assert_eq!(ms("wtime 30000 btime -7", Player::Two), 0);
        assert_eq!(ms("movetime 5 wtime 30000 btime 1", Player::One), 5);
        assert_eq!(ms("movetime 5000 wtime 30000 btime 1", Player::One), 1000);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let cases = [
            ("depth", "`depth` needs a number"),
            ("depth six", "`depth` needs a number, got `six`"),
            ("depth 0", "`depth` must be at least 1, got 0"),
            ("nodes -1", "`nodes` needs a number, got `-1`"),
            ("movetime 99999999999999999999", "`movetime` needs a number"),
            ("p2time 100", "player 1 has no clock"),
        ];
        for (text, expected) in cases {
            let error = go(text, Player::One).unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
