//! The options of the engine protocols, made from what the games declare.

use super::dialect::Dialect;
use crate::shell::input::plain;
use engine::levels::{LEVELS, Level};
use engine::play::Judgement;
use engine::{Entry, GAMES, Limits};
use rules::game::{OptionInfo, shorten};
use rules::notation::option_value;
use serde_json::{Map, Value};

/// The settings that `setoption` changes.
#[derive(Clone)]
pub struct Settings {
    pub entry: &'static Entry,
    /// The options of the game.
    pub options: Map<String, Value>,
    /// The size of the table in mebibytes.
    pub hash: usize,
    pub threads: usize,
    /// How many of the best lines are reported.
    pub lines: usize,
    pub judgement: Judgement,
    /// The level that plays; the last one plays as well as it can.
    level: usize,
    /// Whether the other side uses pondering, so that it should be told the expected reply.
    pub ponders: bool,
    /// Whether the strength is limited to this rating instead.
    limited: bool,
    elo: usize,
}

/// A number that suits every game.
struct Spin {
    name: &'static str,
    usual: usize,
    least: usize,
    most: usize,
    of: fn(&mut Settings) -> &mut usize,
}

const SPINS: [Spin; 5] = [
    Spin { name: "Hash", usual: 64, least: 1, most: 4096, of: |own| &mut own.hash },
    Spin { name: "Threads", usual: 1, least: 1, most: 64, of: |own| &mut own.threads },
    Spin { name: "MultiPV", usual: 1, least: 1, most: 50, of: |own| &mut own.lines },
    Spin {
        name: "Level",
        usual: LEVELS.len(),
        least: 1,
        most: LEVELS.len(),
        of: |own| &mut own.level,
    },
    Spin { name: "UCI_Elo", usual: BEST, least: LOWEST, most: BEST, of: |own| &mut own.elo },
];

/// Whether `UCI_Elo` counts.
const LIMITED: &str = "UCI_LimitStrength";

/// Whether the other side may say `go ponder`.
const PONDER: &str = "Ponder";

/// The range of ratings: a beginner has 1,000, and the highest stands for the level that only time limits.
const LOWEST: usize = 600;
const BEGINNER: i32 = 1_000;
const BEST: usize = 2_420;
/// The rating of level 1 and how much more each level has than the one before, in games whose levels nobody measured.
const USUAL: (usize, usize) = (800, 180);

/// Which judgement the engine uses.
const JUDGEMENT: &str = "Judgement";

/// The value that resets an option to the game's default.
const DEFAULT: &str = "default";

impl Settings {
    /// The defaults, for the first game that the protocol knows.
    pub fn new(dialect: Dialect) -> Result<Settings, String> {
        let entry = GAMES.iter().find(|entry| game_name(dialect, entry).is_some());
        let mut settings = Settings {
            entry: entry.ok_or("no game is known to this protocol")?,
            options: Map::new(),
            hash: 0,
            threads: 0,
            lines: 0,
            judgement: Judgement::default(),
            level: 0,
            ponders: false,
            limited: false,
            elo: 0,
        };
        SPINS.iter().for_each(|spin| *(spin.of)(&mut settings) = spin.usual);
        Ok(settings)
    }

    /// The level that is to play; none for the engine itself.
    pub fn level(&self) -> Option<&'static Level> {
        let nearest = |level: &&Level| self.rating(level).abs_diff(self.elo);
        let level = match self.limited {
            true => LEVELS.iter().min_by_key(nearest),
            false => LEVELS.get(self.level - 1),
        };
        level.filter(|level| !level.is_limited_by_time())
    }

    /// The rating of a level in the present game.
    fn rating(&self, level: &Level) -> usize {
        let above = usize::from(level.number) - 1;
        match self.entry.level_elo.get(above) {
            _ if level.is_limited_by_time() => BEST,
            Some(elo) => usize::try_from(BEGINNER + elo).unwrap_or_default(),
            None => USUAL.0 + USUAL.1 * above,
        }
    }

    /// The limits of a search, with the lines and threads that are set.
    pub fn limits(&self, limits: Limits) -> Limits {
        Limits { lines: self.lines, threads: self.threads, ..limits }
    }

    /// The settings with one more change.
    pub fn with(&self, dialect: Dialect, name: &str, value: &str) -> Result<Settings, String> {
        let mut next = self.clone();
        match SPINS.iter().find(|spin| name.eq_ignore_ascii_case(spin.name)) {
            Some(spin) => next.set_number(spin, value)?,
            None if name.eq_ignore_ascii_case(LIMITED) => {
                next.limited = yes_or_no(LIMITED, value)?;
            }
            None if name.eq_ignore_ascii_case(PONDER) => next.ponders = yes_or_no(PONDER, value)?,
            None if name.eq_ignore_ascii_case(JUDGEMENT) => {
                let wrong =
                    || format!("{JUDGEMENT} must be learned or hand, got `{}`", shorten(value));
                next.judgement = Judgement::named(value).ok_or_else(wrong)?;
            }
            None if name.eq_ignore_ascii_case(game_option(dialect)) => {
                next.set_game(dialect, value)?;
            }
            None => next.set_game_option(dialect, name, value)?,
        }
        Ok(next)
    }

    fn set_number(&mut self, spin: &Spin, value: &str) -> Result<(), String> {
        let Spin { name, least, most, of, .. } = spin;
        let number = value.parse::<usize>().ok().filter(|n| (least..=most).contains(&n));
        *of(self) = number
            .ok_or_else(|| format!("{name} must be {least} to {most}, got `{}`", shorten(value)))?;
        Ok(())
    }

    /// Another game starts with default options.
    fn set_game(&mut self, dialect: Dialect, value: &str) -> Result<(), String> {
        let named = |entry: &&Entry| {
            game_name(dialect, entry).is_some_and(|name| name.eq_ignore_ascii_case(value))
        };
        let Some(entry) = GAMES.iter().find(named) else {
            let names = game_names(dialect).join(", ");
            return Err(format!("there is no game `{}`; the games are {names}", shorten(value)));
        };
        if entry.info.id != self.entry.info.id {
            self.options.clear();
        }
        self.entry = entry;
        Ok(())
    }

    fn set_game_option(&mut self, dialect: Dialect, name: &str, value: &str) -> Result<(), String> {
        let same = |option: &&OptionInfo| spoken(option.name).eq_ignore_ascii_case(name);
        if dialect == Dialect::Uci || !GAMES.iter().flat_map(|e| e.info.options).any(|o| same(&o)) {
            return Err(format!("there is no option `{}`", shorten(name)));
        }
        let option = self.entry.info.options.iter().find(same);
        let as_default = value.eq_ignore_ascii_case(DEFAULT);
        match option {
            Some(option) if as_default => drop(self.options.shift_remove(option.name)),
            Some(option) => {
                self.options.insert(option.name.to_owned(), option_value(value));
            }
            None if as_default => {}
            None => return Err(format!("{} has no option `{name}`", self.entry.info.id)),
        }
        Ok(())
    }
}

fn yes_or_no(name: &str, value: &str) -> Result<bool, String> {
    let read = value.to_ascii_lowercase().parse();
    read.map_err(|_| format!("{name} must be true or false, got `{}`", shorten(value)))
}

fn game_option(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Ugi => "Game",
        Dialect::Uci => "UCI_Variant",
    }
}

/// The protocol's name for a game, if it knows the game.
fn game_name(dialect: Dialect, entry: &Entry) -> Option<&'static str> {
    match dialect {
        Dialect::Ugi => Some(entry.info.id),
        Dialect::Uci => entry.info.uci,
    }
}

fn game_names(dialect: Dialect) -> Vec<&'static str> {
    GAMES.iter().filter_map(|entry| game_name(dialect, entry)).collect()
}

/// An option's name as engine protocols write it: `MinParts` for `min_parts`.
fn spoken(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    name.split('_').map(word).collect()
}

/// Every game option once, with all values that any game gives it.
fn game_options() -> Vec<(&'static str, Vec<String>)> {
    let mut all: Vec<(&'static str, Vec<String>)> = Vec::new();
    for option in GAMES.iter().flat_map(|entry| entry.info.options) {
        let at = all.iter().position(|(name, _)| *name == option.name).unwrap_or_else(|| {
            all.push((option.name, Vec::new()));
            all.len() - 1
        });
        let known = &mut all[at].1;
        known.extend(option.values.list().iter().map(plain));
        known.sort_by_key(|value| value.parse::<u8>().unwrap_or(0));
        known.dedup();
    }
    all
}

/// The lines that declare the options.
pub fn declared(dialect: Dialect) -> Vec<String> {
    let combo = |name: &str, default: &str, values: &[String]| {
        let values: String = values.iter().map(|value| format!(" var {value}")).collect();
        format!("option name {name} type combo default {default}{values}")
    };
    let names: Vec<String> = game_names(dialect).into_iter().map(str::to_owned).collect();
    let first = names.first().cloned().unwrap_or_default();
    let mut lines = vec![combo(game_option(dialect), &first, &names)];
    if dialect == Dialect::Ugi {
        for (name, values) in game_options() {
            let values: Vec<_> = [DEFAULT.to_owned()].into_iter().chain(values).collect();
            lines.push(combo(&spoken(name), DEFAULT, &values));
        }
    }
    let judgements = Judgement::NAMED.map(|(name, _)| name.to_owned());
    lines.push(combo(JUDGEMENT, &judgements[0], &judgements));
    for Spin { name, usual, least, most, .. } in SPINS {
        lines.push(format!("option name {name} type spin default {usual} min {least} max {most}"));
    }
    lines.extend(
        [LIMITED, PONDER].map(|name| format!("option name {name} type check default false")),
    );
    lines
}
