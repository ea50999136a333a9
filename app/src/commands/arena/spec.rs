//! The players of a match as the command line describes them.

use super::external::Program;
use crate::commands::ugi::dialect::Dialect;
use crate::shell::similar;
use engine::arena::players::{Clock, Local};
use engine::arena::{Contestant, Fault, Player};
use engine::levels::Level;
use engine::play::Judgement;
use engine::{Entry, Limits, Session, Who};
use rules::game::shorten;
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

/// Who plays, and under which name.
#[derive(Debug, PartialEq)]
pub struct Spec {
    pub name: String,
    pub kind: Kind,
}

/// A player of ours, or another program.
#[derive(Debug, PartialEq)]
pub enum Kind {
    Local { who: Who, limits: Limits, clock: Option<Clock>, hash: usize, judgement: Judgement },
    Program(Program),
}

/// The default size of an engine's table, in mebibytes.
const HASH: usize = 16;

impl Spec {
    /// Reads a description such as `engine time=100 hash=64`; players that the game does not have are
    /// refused.
    pub fn parse(text: &str, game: &dyn Session) -> Result<Spec, String> {
        let read = || {
            let mut words = Words::split(text)?;
            let name = words.take("name").unwrap_or_else(|| text.trim().to_owned());
            let head = words.take_first().ok_or("expected one such as `engine time=100`")?;
            let kind = kind(&head, &mut words, game)?;
            match words.take_first() {
                Some(word) => Err(nonsense(&word)),
                None => Ok(Spec { name, kind }),
            }
        };
        read().map_err(|error| format!("player `{}`: {error}", shorten(text.trim())))
    }

    /// The participant of a match. A program may take `margin` longer than its time.
    pub fn contestant(
        self,
        entry: &'static Entry,
        game: &dyn Session,
        margin: Duration,
    ) -> Contestant {
        let options = game.options();
        let kind = self.kind;
        let make = move || -> Result<Box<dyn Player>, Fault> {
            Ok(match &kind {
                Kind::Local { who, limits, clock, hash, judgement } => {
                    let local = Local::new(who.clone(), limits.clone(), entry, *hash);
                    Box::new(local.judging_by(*judgement).with_clock(clock.clone()))
                }
                Kind::Program(program) => Box::new(program.start(entry.info, &options, margin)?),
            })
        };
        Contestant { name: self.name, make: Box::new(make) }
    }
}

/// The message about a word that was not understood.
fn nonsense(word: &str) -> String {
    const KEYS: [&str; 8] =
        ["time", "clock", "nodes", "depth", "threads", "hash", "judgement", "name"];
    let (key, value) = word.split_once('=').unwrap_or((word, ""));
    let meant = similar::nearest(key, &KEYS).filter(|own| *own != key && !value.is_empty());
    let meant = meant.map_or(String::new(), |own| format!("; did you mean `{own}={value}`?"));
    format!("`{}` means nothing here{}", shorten(word), shorten(&meant))
}

fn kind(head: &str, words: &mut Words, game: &dyn Session) -> Result<Kind, String> {
    let meant = |why: String| {
        let words = ["engine", "random", "beginner"].map(str::to_owned).into_iter();
        let computers = Who::computers(game).into_iter().map(|who| who.to_string());
        let known: Vec<String> = words.chain(computers).collect();
        similar::player(head, &known).map_or(why, |own| format!("did you mean `{own}`?"))
    };
    let who = Who::parse(head, game).map_err(|unknown| meant(unknown.message))?;
    let local = |who, limits, hash| Kind::Local {
        who,
        limits,
        clock: None,
        hash,
        judgement: Judgement::Learned,
    };
    Ok(match who {
        Some(who @ (Who::Random | Who::Beginner | Who::Seed { .. })) => {
            local(who, Limits::default(), HASH)
        }
        Some(who @ Who::Level { .. }) => {
            let needs_limits = who.level().is_some_and(Level::is_limited_by_time);
            let limits = if needs_limits { limits(words, LIMITS)? } else { Limits::default() };
            local(who, limits, HASH)
        }
        Some(who @ Who::Engine) => {
            let threads = words.number("threads", 1, 256)?.unwrap_or(1);
            let hash = words.number("hash", 1, 1 << 20)?.unwrap_or(HASH);
            let judgement = judgement(words)?;
            let clock = clock(words)?;
            let limits = match &clock {
                Some(_) => Limits::default(),
                None => limits(words, "time=MS, clock=MS+MS, nodes=N or depth=N")?,
            };
            Kind::Local { who, limits: Limits { threads, ..limits }, clock, hash, judgement }
        }
        Some(Who::Person | Who::Open) | None => match head.split_once(':') {
            Some(("ugi", command)) => program(Dialect::Ugi, command, words)?,
            Some(("uci", _)) if game.info().uci.is_none() => {
                return Err(format!("UCI cannot play {}; only UGI can", game.info().id));
            }
            Some(("uci", command)) => program(Dialect::Uci, command, words)?,
            _ => {
                let known =
                    "engine, level:N, random, beginner, seed:NAME, ugi:COMMAND or uci:COMMAND";
                return Err(meant(format!("expected {known}")));
            }
        },
    })
}

fn program(dialect: Dialect, command: &str, words: &mut Words) -> Result<Kind, String> {
    let limits = limits(words, LIMITS)?;
    let mut options = Vec::new();
    while let Some((name, value)) = words.take_prefixed("option.") {
        options.push((name, value));
    }
    let arguments = std::mem::take(&mut words.0);
    if command.is_empty() {
        return Err("which program? name it right after the colon, as in `uci:./program`".into());
    }
    Ok(Kind::Program(Program { dialect, command: command.into(), arguments, options, limits }))
}

fn judgement(words: &mut Words) -> Result<Judgement, String> {
    let Some(name) = words.take("judgement") else { return Ok(Judgement::Learned) };
    let wrong = || format!("judgement must be learned or hand, got `{}`", shorten(&name));
    Judgement::named(&name).ok_or_else(wrong)
}

/// The time for a game, as in `clock=60000+500`.
fn clock(words: &mut Words) -> Result<Option<Clock>, String> {
    let Some(text) = words.take("clock") else { return Ok(None) };
    let ms = |text: &str| text.parse().ok().map(Duration::from_millis);
    let (base, increment) = text.split_once('+').unwrap_or((&text, "0"));
    match (ms(base), ms(increment)) {
        (Some(base), Some(increment)) if !base.is_zero() => Ok(Some(Clock::new(base, increment))),
        _ => Err(format!("clock must be MS or MS+MS, got `{}`", shorten(&text))),
    }
}

/// What can limit the turns of every player who thinks.
const LIMITS: &str = "time=MS, nodes=N or depth=N";

/// The limits of a turn; without any, a player would think forever.
fn limits(words: &mut Words, known: &str) -> Result<Limits, String> {
    let time: Option<u64> = words.number("time", 1, 3_600_000)?;
    let nodes = words.number("nodes", 1, u64::MAX)?;
    let depth = words.number("depth", 1, 100)?;
    if time.is_none() && nodes.is_none() && depth.is_none() {
        if let Some(word) = words.0.iter().find(|word| word.contains('=')) {
            return Err(nonsense(word));
        }
        return Err(format!("it needs {known}"));
    }
    Ok(Limits { time: time.map(Duration::from_millis), nodes, depth, ..Limits::default() })
}

/// The words of a description that have not been understood yet.
struct Words(Vec<String>);

impl Words {
    /// Splits at blanks, except within quotes.
    fn split(text: &str) -> Result<Words, String> {
        let mut words = Vec::new();
        let mut word: Option<String> = None;
        let mut quote = None;
        for c in text.chars() {
            match quote {
                Some(open) if c == open => quote = None,
                None if c == '"' || c == '\'' => {
                    quote = Some(c);
                    word.get_or_insert_default();
                }
                None if c.is_whitespace() => words.extend(word.take()),
                _ => word.get_or_insert_default().push(c),
            }
        }
        words.extend(word);
        match quote {
            Some(open) => Err(format!("a closing {open} is missing")),
            None => Ok(Words(words)),
        }
    }

    fn take_first(&mut self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.remove(0))
    }

    /// The value of `key=value`.
    fn take(&mut self, key: &str) -> Option<String> {
        let value = |word: &String| word.strip_prefix(key)?.strip_prefix('=').map(str::to_owned);
        let at = self.0.iter().position(|word| value(word).is_some())?;
        value(&self.0.remove(at))
    }

    /// The name and value of the next `PREFIXname=value`.
    fn take_prefixed(&mut self, prefix: &str) -> Option<(String, String)> {
        let pair = |word: &String| {
            let (name, value) = word.strip_prefix(prefix)?.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        };
        let at = self.0.iter().position(|word| pair(word).is_some())?;
        pair(&self.0.remove(at))
    }

    fn number<T>(&mut self, key: &str, least: T, most: T) -> Result<Option<T>, String>
    where
        T: FromStr + PartialOrd + Display,
    {
        let Some(text) = self.take(key) else { return Ok(None) };
        match text.parse() {
            Ok(number) if (&least..=&most).contains(&&number) => Ok(Some(number)),
            _ => Err(format!("{key} must be {least} to {most}, got `{}`", shorten(&text))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, id: &str) -> Result<Spec, String> {
        let game = (engine::find(id).unwrap().start)(&Default::default()).unwrap();
        Spec::parse(text, game.as_ref())
    }

    fn local(text: &str) -> (Who, Limits, usize) {
        match read(text, "glaisher").unwrap().kind {
            Kind::Local { who, limits, hash, .. } => (who, limits, hash),
            kind => panic!("{kind:?}"),
        }
    }

    #[test]
    fn players_are_read() {
        let text = " engine time=100 threads=2 hash=64 name=Tom ";
        let limits = Limits { threads: 2, ..Limits::time(Duration::from_millis(100)) };
        assert_eq!(read(text, "glaisher").unwrap().name, "Tom");
        assert_eq!(local(text), (Who::Engine, limits, 64));
        assert_eq!(local("random").0, Who::Random);
        let by_hand = read("engine nodes=5 judgement=hand", "glaisher").unwrap().kind;
        assert!(matches!(by_hand, Kind::Local { judgement: Judgement::Hand, .. }), "{by_hand:?}");
        let clocked = read("engine clock=9000+50", "glaisher").unwrap().kind;
        let ms = Duration::from_millis;
        let (kept, expected) = match clocked {
            Kind::Local { clock, .. } => (clock, Some(Clock::new(ms(9_000), ms(50)))),
            kind => panic!("{kind:?}"),
        };
        assert_eq!(kept, expected);
        assert_eq!(local("seed:level-2").0, Who::Seed { player: "level-2".into() });
        assert_eq!(local("level:10 nodes=5"), (Who::Level { level: 10 }, Limits::nodes(5), 16));
        let text = "uci:'/a b/c' -x time=5 option.Eval='x y' 'option.Use Book=no'";
        let spec = read(text, "jeson-mor").unwrap();
        assert!(spec.name.starts_with("uci:'/a b/c' -x"));
        let Kind::Program(program) = spec.kind else { panic!("{:?}", spec.kind) };
        assert_eq!((program.dialect, program.command.as_str()), (Dialect::Uci, "/a b/c"));
        assert_eq!(program.arguments, ["-x"]);
        let options = [("Eval", "x y"), ("Use Book", "no")].map(|(a, b)| (a.into(), b.into()));
        assert_eq!(program.options, options);
    }

    #[test]
    fn what_is_no_player_is_refused() {
        let refusals = [
            (" ", "player ``: expected one such as `engine time=100`"),
            ("engine", "player `engine`: it needs time=MS, clock=MS+MS, nodes=N or depth=N"),
            ("engine clock=0+5", "clock must be MS or MS+MS, got `0+5`"),
            ("engine time=fast", "time must be 1 to 3600000, got `fast`"),
            ("engine nodes=5 judgement=x", "judgement must be learned or hand, got `x`"),
            ("engine depth=101", "depth must be 1 to 100, got `101`"),
            ("engine nodes=5 size=4", "`size=4` means nothing here"),
            ("random nodes=5", "`nodes=5` means nothing here"),
            ("human", "player `human`: expected engine, level:N, random"),
            ("level:11", "the levels are 1 to 10, got `11`"),
            ("level:10", "it needs time=MS"),
            ("seed:hard", "there is no seed player `hard`; there are sloppy, greedy, smart"),
            ("ugi:./x", "it needs time=MS"),
            ("seed:smrat", "did you mean `seed:smart`?"),
            ("engin time=5", "did you mean `engine`?"),
            ("engine tmie=5", "`tmie=5` means nothing here; did you mean `time=5`?"),
            ("uci: time=5", "which program?"),
            ("uci:'x time=5", "a closing ' is missing"),
        ];
        for (text, expected) in refusals {
            let error = read(text, "jeson-mor").unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
        let error = read("uci:./x time=5", "gekitai").unwrap_err();
        assert!(error.ends_with("UCI cannot play gekitai; only UGI can"), "{error}");
    }
}
