//! A game as a record, and back: players, clocks and how the game ended are tags.

use super::clock::{Terms, millis};
use super::{Sitting, seat};
use rules::ByPlayer;
use rules::record::{Record, Verdict};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use table::{Ending, Reason, Tree};

const TAGS: ByPlayer<[&str; 2]> = ByPlayer::new(["Player1", "Seat1"], ["Player2", "Seat2"]);

impl Sitting {
    /// The game as a record from which it can be continued.
    pub fn record(&self, now: Instant) -> Record {
        let mut tags: Vec<(&str, String)> = Vec::new();
        for (player, [name, seat]) in TAGS.pairs() {
            tags.push((name, self.name(player).to_owned()));
            tags.push((seat, seat::code(&self.seats()[player])));
        }
        tags.push(("Date", today()));
        if let (Some(terms), Some(clock)) = (self.terms, &self.state.course.clock) {
            let left = clock.left(millis(now)).map(|left| format!("{:.1}", left as f64 / 1000.0));
            tags.push(("Clock", terms.code()));
            tags.push(("Left", left.join(" ")));
        }
        let aborted = self.given().is_some_and(|ending| ending.outcome().is_none());
        if let Some(Ending { winner, reason }) = self.given() {
            let loser = winner.map_or("nobody", |winner| self.name(winner.other()));
            tags.push(("Termination", termination(reason, loser)));
        }
        let tags: Vec<_> = tags.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut record = self.board.record(&tags);
        record.set_result(Verdict::from(self.result().filter(|_| !aborted)));
        if let Some(notes) = &self.notes {
            let mut tree = notes.clone();
            tree.go(None);
            record.main.nodes.iter().for_each(|node| tree.play(&node.turn));
            tree.promote();
            record.main = tree.variation();
        }
        record
    }

    /// The game that a record describes; players that are not known are people.
    pub fn from_text(text: &str) -> Result<Sitting, String> {
        let record = Record::parse(text).map_err(|error| error.to_string())?;
        let id = record.game().map_err(|error| error.to_string())?;
        let entry = requests::game(id).map_err(|refusal| refusal.message)?;
        let board = (entry.from_record)(&record).map_err(|error| error.to_string())?;
        let seats = TAGS.map(|[name, seat]| {
            let known = record.tag(seat).and_then(|code| seat::parse(code, board.as_ref()).ok());
            known.unwrap_or_else(|| seat::person(record.tag(name).unwrap_or_default()))
        });
        let terms = record.tag("Clock").and_then(|text| Terms::parse(text).ok());
        let mut sitting = Sitting::new(entry, board, seats, terms);
        if let (Some(clock), Some(left)) = (&mut sitting.state.course.clock, left(&record)) {
            clock.set(left, None, 0);
        }
        sitting.notes = Some(Tree::of(&record.main)).filter(|tree| !tree.is_plain());
        let reason = reason(record.tag("Termination").unwrap_or_default());
        let winner = match record.result.outcome() {
            Some(outcome) => Some(outcome.winner()),
            // An aborted game has no winner and is not a draw; records have no result for that.
            None => (reason == Reason::Aborted).then_some(None),
        };
        if let (Some(winner), None) = (winner, sitting.board.result()) {
            sitting.state.course.result = Some(Ending::new(winner, reason));
        }
        Ok(sitting)
    }
}

/// Both players' time left according to a record, in milliseconds; `None` if its tag makes no sense.
fn left(record: &Record) -> Option<ByPlayer<i64>> {
    let read = |text: &str| {
        let seconds = text.parse().ok().filter(|seconds| (0.0..=1e9).contains(seconds));
        seconds.map(|seconds: f64| (seconds * 1000.0).round() as i64)
    };
    let (one, two) = record.tag("Left")?.split_once(' ')?;
    Some(ByPlayer::new(read(one)?, read(two)?))
}

/// How a game ended, as its record says: `Ana resigned`.
fn termination(reason: Reason, loser: &str) -> String {
    match reason {
        Reason::Resigned => format!("{loser} resigned"),
        Reason::Time => format!("{loser} ran out of time"),
        Reason::Agreed => "both agreed".into(),
        Reason::Repetition => "the position occurred for the third time".into(),
        Reason::Rules => "by the rules".into(),
        Reason::Aborted => "called off before both had moved".into(),
        Reason::Recorded => "as the record says".into(),
    }
}

/// The reason that [`termination`] wrote.
fn reason(text: &str) -> Reason {
    let written = |reason: &Reason| text.ends_with(&termination(*reason, ""));
    let known = [
        Reason::Resigned,
        Reason::Time,
        Reason::Agreed,
        Reason::Repetition,
        Reason::Rules,
        Reason::Aborted,
    ];
    known.into_iter().find(written).unwrap_or(Reason::Recorded)
}

/// The date in Greenwich: `2026-05-01`.
pub fn today() -> String {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs() / 86_400);
    let (year, month, day) = date(days);
    format!("{year}-{month:02}-{day:02}")
}

/// Year, month and day of this number of days after 1 January 1970, with years that begin in March:
/// <https://howardhinnant.github.io/date_algorithms.html>.
fn date(days: u64) -> (u64, u64, u64) {
    let (era, day) = ((days + 719_468) / 146_097, (days + 719_468) % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    (400 * era + year + month / 10, (month + 2) % 12 + 1, date)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Player;

    #[test]
    fn days_are_counted_from_1970() {
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!(date(59), (1970, 3, 1));
        assert_eq!(date(11_016), (2000, 2, 29));
        assert_eq!(date(20_772), (2026, 11, 15));
    }

    #[test]
    fn a_game_goes_on_as_its_record_tells() {
        for entry in engine::GAMES {
            let game = (entry.start)(&Default::default()).unwrap();
            let seed = game.seed_players().first().map(|about| format!("seed:{}", about.id));
            let computer = seat::parse(seed.as_deref().unwrap_or("level:4"), &*game);
            let seats = ByPlayer::new(seat::person("A \"B\" \\C"), computer.unwrap());
            let mut sitting = Sitting::new(entry, game, seats, Terms::parse("5+3").ok());
            let now = Instant::now();
            for _ in 0..3 {
                let turn = sitting.board.turns().pop().unwrap();
                sitting.play(&turn, now).unwrap();
            }
            let again = Sitting::from_text(&sitting.record(now).to_string()).unwrap();
            assert_eq!(again.board.history(), sitting.board.history());
            assert_eq!(again.seats(), sitting.seats());
            let left = |sitting: &Sitting| sitting.left(Player::One, now);
            assert_eq!(left(&again), left(&sitting));
            assert_eq!(again.record(now), sitting.record(now));
        }
    }

    #[test]
    fn comments_and_variations_outlive_the_game_that_goes_on() {
        let text = "[Game \"gekitai\"]\n\n{Hm.} 1. c3! ( 1. a1 b1 ) 1... d4 {Why?} *\n";
        let mut sitting = Sitting::from_text(text).unwrap();
        sitting.play("e5", Instant::now()).unwrap();
        let record = sitting.record(Instant::now()).to_string();
        let turns = record.split("\n\n").nth(1).unwrap();
        assert_eq!(turns, "{Hm.} 1. c3! ( 1. a1 b1 ) 1... d4 {Why?} 2. e5 *\n");
        assert!(sitting.undo(Instant::now()) && sitting.play("f6", Instant::now()).is_ok());
        assert!(sitting.record(Instant::now()).to_string().contains("{Why?} 2. f6 *"));
    }

    #[test]
    fn a_game_that_was_called_off_stays_so() {
        let entry = &engine::GAMES[1];
        let game = (entry.start)(&Default::default()).unwrap();
        let seats = ByPlayer::new(seat::person("Ana"), seat::person(""));
        let mut sitting = Sitting::new(entry, game, seats, None);
        sitting.play("c3", Instant::now()).unwrap();
        sitting.state.course.result = Some(Ending::new(None, Reason::Aborted));
        let record = sitting.record(Instant::now());
        assert!(record.result.outcome().is_none(), "{record}");
        let again = Sitting::from_text(&record.to_string()).unwrap();
        assert_eq!(again.state.course.result, sitting.state.course.result);
        assert!(again.mover().is_none());
        assert_eq!(again.record(Instant::now()), record);
    }

    #[test]
    fn a_game_that_was_given_up_stays_so() {
        let entry = &engine::GAMES[0];
        let game = (entry.start)(&Default::default()).unwrap();
        let seats = ByPlayer::new(seat::person("Ana"), seat::person(""));
        let mut sitting = Sitting::new(entry, game, seats, None);
        sitting.resign(Player::One, Instant::now());
        let again = Sitting::from_text(&sitting.record(Instant::now()).to_string()).unwrap();
        assert_eq!(again.result(), Some(rules::Outcome::Win(Player::Two)));
        assert_eq!(again.diagram().status, "Yellow has won by resignation");
    }
}
