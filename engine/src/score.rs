//! What a position is worth to the player to move.
//!
//! An estimate is a number between the two proven ranges. A proven score tells how many turns of both
//! players the game still lasts: `WIN - 1` wins with this turn, `-(WIN - 2)` loses to the next one.

/// A value from the view of the player to move.
pub type Score = i32;

/// A game that is won already.
pub const WIN: Score = 30_000;
/// No proven score is nearer to zero than this, and every estimate is.
pub const PROVEN: Score = 29_000;

/// The score of a win that takes this many turns of both players.
pub const fn win_after(turns: i32) -> Score {
    WIN - turns
}

/// Whether a score is a proof and no estimate.
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

/// In how many of the winner's turns the game is won; negative when it is lost, nothing for an estimate.
pub const fn win_in(score: Score) -> Option<i32> {
    let turns = WIN - score.abs();
    match is_proven(score) {
        false => None,
        true if score > 0 => Some((turns + 1) / 2),
        true => Some(-((turns + 1) / 2)),
    }
}

/// How much of an evaluation bar belongs to the player to move, from 0 to 1: all of it where that player
/// wins for certain.
pub fn bar(score: Score, win_in: Option<i32>) -> f64 {
    match win_in {
        Some(turns) if turns > 0 => 1.0,
        Some(_) => 0.0,
        None => 1.0 / (1.0 + (-f64::from(score) / 220.0).exp()),
    }
}

/// A score as it looks from a position that comes `turns` earlier: the game lasts that much longer.
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
        assert_eq!([bar(0, None), bar(5, Some(2)), bar(-5, Some(-2))], [0.5, 1.0, 0.0]);
        assert!((bar(220, None) - 0.731).abs() < 0.001);
        assert!((bar(220, None) + bar(-220, None) - 1.0).abs() < 1e-9);
        assert!(bar(PROVEN - 1, None) <= 1.0 && bar(1 - PROVEN, None) >= 0.0);
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
