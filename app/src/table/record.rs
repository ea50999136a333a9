//! A table as a record, and back: players, clocks and the end of the game are tags.

use super::clock::{Clock, Terms};
use super::tree::Tree;
use super::{Given, Sitter, Table};
use rules::Player;
use rules::record::{Record, Verdict};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

impl Table {
    /// The match as a record from which it can be continued.
    pub fn record(&self, now: Instant) -> Record {
        let mut tags: Vec<(&str, String)> = Vec::new();
        for (player, [name, seat]) in
            Player::BOTH.into_iter().zip([["Player1", "Seat1"], ["Player2", "Seat2"]])
        {
            tags.push((name, self.name(player)));
            tags.push((seat, self.sitter(player).code()));
        }
        tags.push(("Date", today()));
        if let Some(clock) = &self.clock {
            let left = Player::BOTH.map(|player| clock.left(player, now).as_secs_f64());
            tags.push(("Clock", clock.terms.code()));
            tags.push(("Left", left.map(|seconds| format!("{seconds:.1}")).join(" ")));
        }
        let given = self.given.as_ref().filter(|_| self.game.result().is_none());
        if let Some(given) = given {
            tags.push(("Termination", given.how.clone()));
        }
        let tags: Vec<_> = tags.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut record = self.game.record(&tags);
        record.set_result(Verdict::from(self.result()));
        if let Some(notes) = &self.notes {
            let mut tree = notes.clone();
            tree.go(None);
            record.main.nodes.iter().for_each(|node| tree.play(&node.turn));
            tree.promote();
            record.main = tree.variation();
        }
        record
    }

    /// The table that a record describes; players that are not known are people.
    pub fn from_text(text: &str) -> Result<Table, String> {
        let record = Record::parse(text).map_err(|error| error.to_string())?;
        let id = record.game().map_err(|error| error.to_string())?;
        let entry = requests::game(id).map_err(|refusal| refusal.message)?;
        let game = (entry.from_record)(&record).map_err(|error| error.to_string())?;
        let sitter = |[name, seat]: [&str; 2]| {
            let known = record.tag(seat).and_then(|code| Sitter::parse(code, game.as_ref()).ok());
            known.unwrap_or_else(|| Sitter::person(record.tag(name).unwrap_or_default()))
        };
        let sitters = [["Player1", "Seat1"], ["Player2", "Seat2"]].map(sitter);
        let clock = clock(&record);
        let mut table = Table::new(entry, game, sitters, clock);
        table.notes = Some(Tree::of(&record.main)).filter(|tree| !tree.is_plain());
        let outcome = record.result.outcome();
        table.given = outcome.filter(|_| table.game.result().is_none()).map(|outcome| Given {
            outcome,
            how: record.tag("Termination").unwrap_or("as the record says").to_owned(),
        });
        Ok(table)
    }
}

/// The clocks of a record; none if its tag makes no sense.
fn clock(record: &Record) -> Option<Clock> {
    let mut clock = Clock::new(Terms::parse(record.tag("Clock")?).ok()?);
    let left = record.tag("Left").unwrap_or_default().split(' ').map(|text| {
        text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    });
    if let Some([one, two]) = left.collect::<Option<Vec<_>>>().as_deref() {
        clock.set([*one, *two]);
    }
    Some(clock)
}

/// The date in Greenwich: `2026-05-01`.
pub fn today() -> String {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs() / 86_400);
    let (year, month, day) = date(days);
    format!("{year}-{month:02}-{day:02}")
}

/// Year, month and day of this number of days after 1 January 1970.
fn date(mut days: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970() {
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!(date(59), (1970, 3, 1));
        assert_eq!(date(11_016), (2000, 2, 29));
        assert_eq!(date(20_772), (2026, 11, 15));
    }

    #[test]
    fn a_table_goes_on_as_its_record_tells() {
        for entry in engine::GAMES {
            let game = (entry.start)(&Default::default()).unwrap();
            let seed = game.seed_players().first().map(|about| format!("seed:{}", about.id));
            let computer = Sitter::parse(seed.as_deref().unwrap_or("level:4"), &*game);
            let sitters = [Sitter::person("A \"B\" \\C"), computer.unwrap()];
            let clock = Some(Clock::new(Terms::parse("5+3").unwrap()));
            let mut table = Table::new(entry, game, sitters, clock);
            let now = Instant::now();
            for _ in 0..3 {
                let turn = table.game.turns().pop().unwrap();
                table.play(&turn, now).unwrap();
            }
            let again = Table::from_text(&table.record(now).to_string()).unwrap();
            assert_eq!(again.game.history(), table.game.history());
            assert_eq!(again.sitters, table.sitters);
            let left = |table: &Table| table.clock.as_ref().unwrap().left(Player::One, now);
            assert_eq!(left(&again), left(&table));
            assert_eq!(again.record(now), table.record(now));
        }
    }

    #[test]
    fn comments_and_variations_outlive_the_game_that_goes_on() {
        let text = "[Game \"gekitai\"]\n\n{Hm.} 1. c3! ( 1. a1 b1 ) 1... d4 {Why?} *\n";
        let mut table = Table::from_text(text).unwrap();
        table.play("e5", Instant::now()).unwrap();
        let record = table.record(Instant::now()).to_string();
        let turns = record.split("\n\n").nth(1).unwrap();
        assert_eq!(turns, "{Hm.} 1. c3! ( 1. a1 b1 ) 1... d4 {Why?} 2. e5 *\n");
        assert!(table.undo() && table.play("f6", Instant::now()).is_ok());
        assert!(table.record(Instant::now()).to_string().contains("{Why?} 2. f6 *"));
    }

    #[test]
    fn a_game_that_was_given_up_stays_so() {
        let entry = &engine::GAMES[0];
        let game = (entry.start)(&Default::default()).unwrap();
        let mut table = Table::new(entry, game, [Sitter::person("Ana"), Sitter::person("")], None);
        table.resign(Player::One);
        let again = Table::from_text(&table.record(Instant::now()).to_string()).unwrap();
        assert_eq!(again.result(), Some(rules::Outcome::Win(Player::Two)));
        assert_eq!(again.diagram(&*again.game).status, "Yellow has won: Ana resigned");
    }
}
