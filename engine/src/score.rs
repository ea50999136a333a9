//! The value of a position for the player to move.
//!
//! An estimate is a number between the two proven ranges. A proven score tells how many turns of both
//! players the game still lasts: `WIN - 1` wins with this turn, `-(WIN - 2)` loses to the next one.

/// A value from the view of the player to move.
pub type Score = i32;

/// The score of a game that is already won.
pub const WIN: Score = 30_000;
/// Proven scores have at least this absolute value, estimates less.
pub const PROVEN: Score = 29_000;

/// The score of a win that takes this many turns of both players.
pub const fn win_after(turns: i32) -> Score {
    WIN - turns
}

/// Whether a score is proven, not estimated.
pub const fn is_proven(score: Score) -> bool {
    score.abs() >= PROVEN
}

/// An estimate kept out of the proven ranges.
pub const fn estimate(value: i32) -> Score {
    if value >= PROVEN {
        PROVEN - 1
    } else if value <= -PROVEN {
        1 - PROVEN
    } else {
        value
    }
}

/// The number of the winner's turns until the game is won; negative when it is lost, `None` for an estimate.
pub const fn win_in(score: Score) -> Option<i32> {
    let turns = WIN - score.abs();
    match is_proven(score) {
        false => None,
        true if score > 0 => Some((turns + 1) / 2),
        true => Some(-((turns + 1) / 2)),
    }
}

/// The share of the evaluation bar, 0 to 1, of the player who has this score: the expected result, where
/// `log_odds` is the score with which 73 of 100 games were won.
pub fn bar(score: Score, log_odds: f64) -> f64 {
    match is_proven(score) {
        true => f64::from(u8::from(score > 0)),
        false => 1.0 / (1.0 + (-f64::from(score) / log_odds).exp()),
    }
}

/// A score as seen `turns` earlier: a proven result is that much further away.
pub const fn earlier(score: Score, turns: i32) -> Score {
    if score >= PROVEN {
        score - turns
    } else if score <= -PROVEN {
        score + turns
    } else {
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_shows_who_is_better() {
        assert_eq!(
            [0, WIN, win_after(3), -win_after(2)].map(|s| bar(s, 60.0)),
            [0.5, 1.0, 1.0, 0.0]
        );
        assert!((bar(60, 60.0) - 0.731).abs() < 0.001);
        assert!((bar(60, 60.0) + bar(-60, 60.0) - 1.0).abs() < 1e-9);
        assert!(bar(PROVEN - 1, 60.0) <= 1.0 && bar(1 - PROVEN, 60.0) >= 0.0);
    }

    #[test]
    fn distances_count_the_winners_turns() {
        assert_eq!(win_in(win_after(1)), Some(1));
        assert_eq!(win_in(win_after(3)), Some(2));
        assert_eq!(win_in(-win_after(2)), Some(-1));
        assert_eq!(win_in(-win_after(4)), Some(-2));
        assert_eq!(win_in(120), None);
        assert_eq!(win_in(earlier(win_after(1), 2)), Some(2));
        assert!(!is_proven(estimate(1_000_000)) && !is_proven(estimate(-1_000_000)));
    }
}
