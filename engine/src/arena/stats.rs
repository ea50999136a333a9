//! Match statistics: Elo difference with its error, likelihood of superiority, sequential probability ratio
//! test.
//!
//! Games come in pairs that share an opening, and the two games of a pair are not independent: where the
//! opening decides, one is won and the other lost. Errors and the test therefore look at pairs. The formulas
//! are those of chess engine testing: logistic Elo, and the generalised sequential probability ratio test
//! (GSPRT) on the five results of a pair (pentanomial).

/// Won, drawn and lost games of one player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wdl {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Wdl {
    /// How many games there are.
    pub fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points per game, from 0 to 1; a half before the first game.
    pub fn score(self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => (self.wins as f64 + self.draws as f64 / 2.0) / games as f64,
        }
    }

    /// The likelihood of superiority, from 0 to 1.
    pub fn superiority(self) -> f64 {
        let decided = self.wins + self.losses;
        if decided == 0 {
            return 0.5;
        }
        normal((self.wins as f64 - self.losses as f64) / (decided as f64).sqrt())
    }

    /// The variance of a single game's points.
    fn variance(self) -> f64 {
        let score = self.score();
        let part = |count: u64, points: f64| count as f64 * (points - score).powi(2);
        let sum = part(self.wins, 1.0) + part(self.draws, 0.5) + part(self.losses, 0.0);
        sum / self.games().max(1) as f64
    }
}

impl std::ops::Add for Wdl {
    type Output = Wdl;

    fn add(self, other: Wdl) -> Wdl {
        Wdl {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }
}

/// How many pairs of games brought 0, ½, 1, 1½ and 2 points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs(pub [u64; 5]);

impl Pairs {
    /// How many pairs there are.
    pub fn count(self) -> u64 {
        self.0.iter().sum()
    }

    /// The variance of a pair's points per game.
    fn variance(self) -> f64 {
        let count = self.count().max(1) as f64;
        let mean = self.weighted().map(|(points, n)| points * n).sum::<f64>() / count;
        self.weighted().map(|(points, n)| (points - mean).powi(2) * n).sum::<f64>() / count
    }

    /// The points per game of each result, with its frequency.
    fn weighted(self) -> impl Iterator<Item = (f64, f64)> {
        self.0.into_iter().enumerate().map(|(i, n)| (i as f64 / 4.0, n as f64))
    }
}

/// An Elo difference with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elo {
    /// The estimate; infinite if all games were won or all lost.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// With fewer pairs than this, the error is taken from the variance of single games.
const ENOUGH_PAIRS: u64 = 10;
/// Standard deviations of a two-sided 95 % interval.
const CONFIDENCE: f64 = 1.959_964;

impl Elo {
    /// The estimate from results; `None` before the first game.
    pub fn of(total: Wdl, pairs: Pairs) -> Option<Elo> {
        let games = total.games();
        if games == 0 {
            return None;
        }
        let score = total.score();
        let error = if pairs.count() >= ENOUGH_PAIRS {
            (pairs.variance() / pairs.count() as f64).sqrt()
        } else {
            (total.variance() / games as f64).sqrt()
        };
        // Identical results have no variance: use the exact binomial bound instead.
        let least = (0.025f64).powf(1.0 / games as f64);
        let (low, high) = if total.wins == games {
            (least, 1.0)
        } else if total.losses == games {
            (0.0, 1.0 - least)
        } else {
            (score - CONFIDENCE * error, score + CONFIDENCE * error)
        };
        Some(Elo { value: elo(score), low: elo(low), high: elo(high) })
    }

    /// Half the width of the interval, if it is finite.
    pub fn error(self) -> Option<f64> {
        Some((self.high - self.low) / 2.0).filter(|error| error.is_finite())
    }
}

/// The Elo difference with this expected score.
pub fn elo(score: f64) -> f64 {
    -400.0 * (1.0 / score.clamp(0.0, 1.0) - 1.0).log10()
}

/// The expected score of an Elo difference.
pub fn expected(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// A sequential probability ratio test between two Elo differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// The null hypothesis' difference.
    pub elo0: f64,
    /// The alternative hypothesis' difference.
    pub elo1: f64,
}

/// The decision of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The null hypothesis is accepted.
    H0,
    /// The alternative hypothesis is accepted.
    H1,
}

impl Sprt {
    /// The error probability of either decision.
    pub const RISK: f64 = 0.05;

    /// The test ends when the log-likelihood ratio exceeds this in absolute value.
    pub fn bound() -> f64 {
        ((1.0 - Sprt::RISK) / Sprt::RISK).ln()
    }

    /// The log-likelihood ratio of the two hypotheses.
    pub fn llr(self, pairs: Pairs) -> f64 {
        if pairs.count() == 0 {
            return 0.0;
        }
        // A result that has not occurred gets a tiny weight, or there may be no solution.
        let seen = pairs.0.map(|n| (n as f64).max(1e-3));
        let count: f64 = seen.iter().sum();
        let found = seen.map(|n| n / count);
        let (with0, with1) =
            (likeliest(found, expected(self.elo0)), likeliest(found, expected(self.elo1)));
        let ratios = with1.iter().zip(with0).map(|(one, zero)| (one / zero).ln());
        count * ratios.zip(found).map(|(ratio, p)| ratio * p).sum::<f64>()
    }

    /// The decision, once there is one.
    pub fn decision(self, pairs: Pairs) -> Option<Decision> {
        let llr = self.llr(pairs);
        if llr >= Sprt::bound() {
            Some(Decision::H1)
        } else if llr <= -Sprt::bound() {
            Some(Decision::H0)
        } else {
            None
        }
    }
}

/// The maximum-likelihood distribution over the five results with this expected score.
///
/// By Lagrange multipliers it is `found / (1 + x (points - score))`, where `x` makes the score come out
/// right.
fn likeliest(found: [f64; 5], score: f64) -> [f64; 5] {
    let off = |i: usize| i as f64 / 4.0 - score;
    let error = |x: f64| {
        found.iter().enumerate().map(|(i, p)| p * off(i) / (1.0 + x * off(i))).sum::<f64>()
    };
    // Between the two poles the error falls from +∞ to -∞.
    let (mut low, mut high) = (-1.0 / off(4), -1.0 / off(0));
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if error(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let x = (low + high) / 2.0;
    let mut at = 0..;
    found.map(|p| p / (1.0 + x * at.next().map_or(0.0, off)))
}

/// The cumulative distribution function of the standard normal distribution.
fn normal(x: f64) -> f64 {
    // Abramowitz and Stegun 26.2.17; the error is below 1e-7.
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let factors = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let series = factors.iter().rev().fold(0.0, |sum, factor| (sum + factor) * t);
    let tail = series * (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
    if x > 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wdl(wins: u64, draws: u64, losses: u64) -> Wdl {
        Wdl { wins, draws, losses }
    }

    #[track_caller]
    fn near(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() <= tolerance, "{value}, expected {expected}");
    }

    #[test]
    fn ten_wins_prove_a_lower_bound_only() {
        let elo = Elo::of(wdl(10, 0, 0), Pairs([0, 0, 0, 0, 5])).unwrap();
        assert_eq!((elo.value, elo.high, elo.error()), (f64::INFINITY, f64::INFINITY, None));
        // 0.6915 is the exact lower limit for ten of ten.
        near(expected(elo.low), 0.6915, 1e-4);
        near(wdl(10, 0, 0).superiority(), 0.999_217, 1e-6);
        let lost = Elo::of(wdl(0, 0, 10), Pairs([5, 0, 0, 0, 0])).unwrap();
        assert_eq!((lost.value, lost.low), (f64::NEG_INFINITY, f64::NEG_INFINITY));
        near(lost.high, -elo.low, 1e-9);
    }

    #[test]
    fn known_results_have_known_elo() {
        let elo = Elo::of(wdl(60, 20, 20), Pairs::default()).unwrap();
        near(elo.value, 147.19, 0.01);
        // The score is 0.7 with a standard error of 0.04.
        near(elo.low, super::elo(0.7 - 1.959_964 * 0.04), 1e-9);
        near(elo.high, super::elo(0.7 + 1.959_964 * 0.04), 1e-9);
        near(wdl(60, 20, 20).superiority(), 1.0 - 3.87e-6, 1e-7);
        assert_eq!(Elo::of(wdl(0, 0, 0), Pairs::default()), None);
        near(super::elo(0.75), 190.85, 0.01);
        near(expected(super::elo(0.3)), 0.3, 1e-12);
    }

    #[test]
    fn the_view_of_the_other_player_is_the_mirror_image() {
        let (a, b) = (wdl(31, 9, 20), wdl(20, 9, 31));
        let pairs = [2, 6, 10, 7, 5];
        let mut mirrored = pairs;
        mirrored.reverse();
        let (one, other) =
            (Elo::of(a, Pairs(pairs)).unwrap(), Elo::of(b, Pairs(mirrored)).unwrap());
        near(one.value, -other.value, 1e-9);
        near(one.low, -other.high, 1e-9);
        near(a.superiority() + b.superiority(), 1.0, 1e-9);
        near(wdl(7, 3, 7).superiority(), 0.5, 1e-9);
        near(Elo::of(wdl(7, 3, 7), Pairs::default()).unwrap().value, 0.0, 1e-9);
        let (up, down) = (Sprt { elo0: 0.0, elo1: 10.0 }, Sprt { elo0: 0.0, elo1: -10.0 });
        near(up.llr(Pairs(pairs)), down.llr(Pairs(mirrored)), 1e-6);
    }

    #[test]
    fn openings_that_decide_both_games_do_not_widen_the_error() {
        let total = wdl(50, 0, 50);
        let decided = Elo::of(total, Pairs([0, 0, 50, 0, 0])).unwrap();
        let mixed = Elo::of(total, Pairs([25, 0, 0, 0, 25])).unwrap();
        near(decided.error().unwrap(), 0.0, 1e-9);
        assert!(mixed.error().unwrap() > 90.0);
    }

    #[test]
    fn the_ratio_of_decided_pairs_is_that_of_coin_throws() {
        let test = Sprt { elo0: -20.0, elo1: 30.0 };
        let (s0, s1) = (expected(-20.0), expected(30.0));
        let exact = 70.0 * (s1 / s0).ln() + 40.0 * ((1.0 - s1) / (1.0 - s0)).ln();
        near(test.llr(Pairs([40, 0, 0, 0, 70])), exact, 1e-3);
    }

    #[test]
    fn the_ratio_of_many_pairs_is_near_that_of_a_normal_distribution() {
        let (test, pairs) = (Sprt { elo0: 0.0, elo1: 5.0 }, Pairs([90, 230, 360, 250, 100]));
        let (count, score) = (1030.0, (230.0 + 2.0 * 360.0 + 3.0 * 250.0 + 400.0) / 4120.0);
        let (s0, s1) = (expected(0.0), expected(5.0));
        let rough = count * (s1 - s0) * (2.0 * score - s0 - s1) / (2.0 * pairs.variance());
        near(test.llr(pairs), rough, 0.01);
    }

    #[test]
    fn a_test_is_decided_by_enough_pairs_and_not_before() {
        let test = Sprt { elo0: 0.0, elo1: 50.0 };
        near(Sprt::bound(), 2.9444, 1e-4);
        assert_eq!(test.llr(Pairs::default()), 0.0);
        assert_eq!(test.decision(Pairs([0, 0, 0, 0, 3])), None);
        assert_eq!(test.decision(Pairs([0, 0, 0, 0, 40])), Some(Decision::H1));
        assert_eq!(test.decision(Pairs([40, 0, 0, 0, 0])), Some(Decision::H0));
        assert_eq!(test.decision(Pairs([10, 20, 40, 20, 10])), Some(Decision::H0));
        assert_eq!(test.decision(Pairs([1, 2, 4, 2, 2])), None);
    }
}
