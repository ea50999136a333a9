//! The conversation: a line in, answers or an order out.
//!
//! Nothing here searches, prints or waits, so every line can be tried without a process.

use super::dialect::Dialect;
use super::go::{self, Go};
use super::options::{Settings, declared};
use engine::Session;
use rules::game::shorten;
use rules::{Outcome, Player};
use std::collections::{HashMap, HashSet};

/// The state of a conversation.
pub struct Talk {
    dialect: Dialect,
    settings: Settings,
    session: Box<dyn Session>,
    /// Whether the last `position` was refused: what it meant is not known, so nothing is searched.
    lost: bool,
}

pub enum Reply {
    /// The answer, which may have no lines.
    Lines(Vec<String>),
    /// Something that the process has to do.
    Order(Order),
}

pub enum Order {
    /// Search, and answer with the best turn.
    Search(Box<Search>),
    /// Count the ways to play.
    Count(Box<Count>),
    /// End the search.
    Stop,
    /// The move that the engine ponders on has been played.
    PonderHit,
    /// Get ready to search, then say so.
    Ready(Settings),
    /// Forget the last game.
    NewGame,
    /// Answer a `go` that cannot be searched: like any other it ends the search before it, whose answer comes first.
    Refuse(Vec<String>),
    Quit,
}

pub struct Search {
    /// How to word what is found.
    pub dialect: Dialect,
    pub settings: Settings,
    pub session: Box<dyn Session>,
    pub go: Go,
}

/// A count of the ways to play this many moves.
pub struct Count {
    pub dialect: Dialect,
    pub session: Box<dyn Session>,
    pub depth: u32,
}

type Heard = Result<Reply, String>;

/// How many words a command may have, apart from the moves of a position and of `go`.
const MOST_WORDS: usize = 100;
/// How many words `go` may have: all turns of any position, and its limits.
const MOST_GO_WORDS: usize = 20_000;
/// How many moves of a game are kept, each with the position before it.
const MOST_MOVES: usize = 10_000;
/// The longest position in one line; real ones are a tenth of it.
const MOST_TEXT: usize = 4096;

const SILENCE: Reply = Reply::Lines(Vec::new());

impl Talk {
    /// A conversation that begins at the start of the first game.
    pub fn new(dialect: Dialect) -> Result<Talk, String> {
        let settings = Settings::new(dialect)?;
        let session = start(&settings)?;
        Ok(Talk { dialect, settings, session, lost: false })
    }

    /// Reads a line. One that makes no sense changes nothing and is answered with an error.
    pub fn hear(&mut self, line: &str) -> Reply {
        let line = known(line);
        let reply = self.obey(line);
        self.conclude(line, reply)
    }

    /// A line that cannot be read for this reason.
    pub fn refuse(&mut self, line: &[u8], why: &str) -> Reply {
        self.conclude(known(&String::from_utf8_lossy(line)), Err(why.to_owned()))
    }

    fn conclude(&mut self, line: &str, reply: Heard) -> Reply {
        let command = line.split_whitespace().next();
        match command {
            Some("position") => self.lost = reply.is_err(),
            Some("uginewgame" | "ucinewgame" | "ugi" | "uci") => self.lost = false,
            _ => {}
        }
        match reply {
            Ok(reply) => reply,
            // Even a wrong `go` must be answered with a `bestmove`.
            Err(message) if command == Some("go") => {
                let lines = vec![refusal(&message), self.dialect.best(None, false)];
                Reply::Order(Order::Refuse(lines))
            }
            Err(message) => Reply::Lines(vec![refusal(&message)]),
        }
    }

    fn obey(&mut self, line: &str) -> Heard {
        let mut words = line.split_whitespace();
        let Some(command) = words.next() else { return Ok(SILENCE) };
        match command {
            "ugi" => self.greet(Dialect::Ugi),
            "uci" => self.greet(Dialect::Uci),
            "isready" => Ok(Reply::Order(Order::Ready(self.settings.clone()))),
            "uginewgame" | "ucinewgame" => self.new_game(),
            "setoption" => self.set_option(&few(words, MOST_WORDS)?),
            "position" => self.place(words),
            "go" => self.go(&few(words, MOST_GO_WORDS)?),
            "stop" => Ok(Reply::Order(Order::Stop)),
            "ponderhit" => Ok(Reply::Order(Order::PonderHit)),
            "query" => self.query(&few(words, MOST_WORDS)?),
            "quit" => Ok(Reply::Order(Order::Quit)),
            // Chess programs may send it; there is nothing to debug.
            "debug" => Ok(SILENCE),
            other => Err(format!("unknown command `{}`", shorten(other))),
        }
    }

    fn greet(&mut self, dialect: Dialect) -> Heard {
        if self.dialect != dialect {
            *self = Talk::new(dialect)?;
        }
        let mut lines = vec![
            format!("id name Quadrille {}", env!("CARGO_PKG_VERSION")),
            format!("id author {}", env!("CARGO_PKG_AUTHORS")),
        ];
        lines.extend(declared(dialect));
        lines.push(dialect.welcome().to_owned());
        Ok(Reply::Lines(lines))
    }

    fn new_game(&mut self) -> Heard {
        self.session = start(&self.settings)?;
        Ok(Reply::Order(Order::NewGame))
    }

    /// A new game, or new options of the game, lead back to its start.
    fn set_option(&mut self, words: &[&str]) -> Heard {
        let (name, value) =
            name_and_value(words).ok_or("expected `setoption name NAME value VALUE`")?;
        let settings = self.settings.with(self.dialect, &name, &value)?;
        let same_game = settings.entry.info.id == self.settings.entry.info.id;
        if !same_game || settings.options != self.settings.options {
            self.session = start(&settings)?;
        }
        self.settings = settings;
        Ok(SILENCE)
    }

    fn place<'a>(&mut self, mut words: impl Iterator<Item = &'a str>) -> Heard {
        let from = few(words.by_ref().take_while(|word| *word != "moves"), MOST_WORDS)?;
        let mut session = match &from[..] {
            ["startpos"] => start(&self.settings)?,
            ["fen", text @ ..] => self.read(&text.join(" "))?,
            _ => return Err("expected `position startpos` or `position fen TEXT`".into()),
        };
        for (number, turn) in words.enumerate() {
            if number == MOST_MOVES {
                return Err(format!("the game has more than {MOST_MOVES} moves"));
            }
            session.play(turn).map_err(|error| error.to_string())?;
        }
        self.session = session;
        Ok(SILENCE)
    }

    fn read(&self, text: &str) -> Result<Box<dyn Session>, String> {
        if text.len() > MOST_TEXT {
            return Err(format!("a position has at most {MOST_TEXT} bytes, got {}", text.len()));
        }
        let Settings { entry, options, .. } = &self.settings;
        (entry.from_text)(text, options).map_err(|error| error.to_string())
    }

    fn go(&self, words: &[&str]) -> Heard {
        if self.lost {
            return Err("the last position was refused, so there is nothing to search".into());
        }
        let mut go = go::read(words, self.session.turn())?;
        if let Some(depth) = go.perft {
            let (dialect, session) = (self.dialect, self.session.boxed_clone());
            return Ok(Reply::Order(Order::Count(Box::new(Count { dialect, session, depth }))));
        }
        go.only = self.chosen(&go.only)?;
        go.limits = self.settings.limits(go.limits);
        let search = Search {
            dialect: self.dialect,
            settings: self.settings.clone(),
            session: self.session.boxed_clone(),
            go,
        };
        Ok(Reply::Order(Order::Search(Box::new(search))))
    }

    /// The turns that a search is confined to, each once, in our own notation.
    fn chosen(&self, said: &[String]) -> Result<Vec<String>, String> {
        if said.is_empty() {
            return Ok(Vec::new());
        }
        let known = self.session.turns();
        let texts =
            known.iter().flat_map(|turn| [(self.dialect.turn(turn), turn), (turn.clone(), turn)]);
        let texts: HashMap<String, &String> = texts.collect();
        let mut only = Vec::new();
        for text in said {
            let turn = texts.get(text);
            let turn =
                turn.ok_or_else(|| format!("`{}` is not a legal turn here", shorten(text)))?;
            only.push((*turn).clone());
        }
        let mut seen = HashSet::new();
        only.retain(|turn| seen.insert(turn.clone()));
        Ok(only)
    }

    fn query(&self, words: &[&str]) -> Heard {
        let result = self.session.result();
        let answer = match words {
            ["gameover"] => result.is_some().to_string(),
            ["p1turn"] => (self.session.turn() == Player::One).to_string(),
            ["result"] => match result {
                None => "none".to_owned(),
                Some(Outcome::Draw) => "draw".to_owned(),
                Some(Outcome::Win(player)) => format!("p{player}win"),
            },
            _ => return Err("expected `query gameover`, `query p1turn` or `query result`".into()),
        };
        Ok(Reply::Lines(vec![format!("response {answer}")]))
    }
}

/// The answer to a line that makes no sense: one line, not too long, whatever it quotes.
fn refusal(message: &str) -> String {
    let message: String = message.chars().filter(|c| !c.is_control()).take(300).collect();
    format!("info string error: {message}")
}

fn start(settings: &Settings) -> Result<Box<dyn Session>, String> {
    (settings.entry.start)(&settings.options).map_err(|error| error.to_string())
}

/// The commands, in the order of [`Talk::obey`].
const COMMANDS: [&str; 13] = [
    "ugi",
    "uci",
    "isready",
    "uginewgame",
    "ucinewgame",
    "setoption",
    "position",
    "go",
    "stop",
    "ponderhit",
    "query",
    "quit",
    "debug",
];

/// A line without unknown words at its beginning, which UCI ignores; the whole line if it has no other words.
fn known(line: &str) -> &str {
    let starts =
        line.split_whitespace().map(|word| word.as_ptr() as usize - line.as_ptr() as usize);
    let words = line.split_whitespace().zip(starts);
    let first = words.into_iter().find(|(word, _)| COMMANDS.contains(word));
    first.and_then(|(_, start)| line.get(start..)).unwrap_or(line)
}

/// The words of a command, or a refusal if there are too many.
fn few<'a>(words: impl Iterator<Item = &'a str>, most: usize) -> Result<Vec<&'a str>, String> {
    let words: Vec<_> = words.take(most + 1).collect();
    match words.len() <= most {
        true => Ok(words),
        false => Err(format!("a command has at most {most} words")),
    }
}

/// The two parts of `name NAME value VALUE`; either may have blanks inside.
fn name_and_value(words: &[&str]) -> Option<(String, String)> {
    let (name, words) = words.split_first()?;
    let mut parts = words.splitn(2, |word| *word == "value");
    let (own, value) = (parts.next()?, parts.next()?);
    (*name == "name").then(|| (own.join(" "), value.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::random::Random;

    fn talk() -> Talk {
        Talk::new(Dialect::Ugi).unwrap()
    }

    fn lines(talk: &mut Talk, line: &str) -> Vec<String> {
        match talk.hear(line) {
            Reply::Lines(lines) | Reply::Order(Order::Refuse(lines)) => lines,
            Reply::Order(_) => panic!("`{line}` is an order"),
        }
    }

    fn silent(talk: &mut Talk, line: &str) {
        assert_eq!(lines(talk, line), [""; 0], "{line}");
    }

    fn error(talk: &mut Talk, line: &str) -> String {
        let lines = lines(talk, line);
        let [line] = &lines[..] else { panic!("{lines:?}") };
        line.strip_prefix("info string error: ").unwrap().to_owned()
    }

    #[test]
    fn the_greeting_declares_every_option() {
        let lines = lines(&mut talk(), "ugi");
        let expected = [
            "id name Quadrille ",
            "id author ",
            "option name Game type combo default glaisher var glaisher var gekitai var jeson-mor",
            "option name Side type combo default default var default var 3 var 4 var 5",
            "option name MinParts type combo default default var default var 1 var 2",
            "option name Size type combo default default var default var 4 var 5 ",
            "option name Markers type combo default default var default var 1 var 2 ",
            "option name Both type combo default default var default var mover var draw",
            "option name Goal type combo default default var default var leave var reach",
            "option name SelfDefeat type combo default default var default var forbidden",
        ];
        for (line, expected) in lines.iter().zip(expected) {
            assert!(line.starts_with(expected), "{line}\n{expected}");
        }
        let names: Vec<&str> = lines.iter().filter_map(|line| line.split(' ').nth(2)).collect();
        for option in engine::GAMES.iter().flat_map(|entry| entry.info.options) {
            let name = option.name.replace('_', "");
            let line = names.iter().position(|own| own.eq_ignore_ascii_case(&name));
            let line = &lines[line.unwrap_or_else(|| panic!("{name} is not declared"))];
            for value in option.values.list() {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                assert!(line.split(" var ").any(|own| own == value), "{line} lacks {value}");
            }
        }
        let end = [
            "option name Judgement type combo default learned var learned var hand",
            "option name Hash type spin default 64 min 1 max 4096",
            "option name Threads type spin default 1 min 1 max 64",
            "option name MultiPV type spin default 1 min 1 max 50",
            "option name Level type spin default 10 min 1 max 10",
            "option name UCI_Elo type spin default 2420 min 600 max 2420",
            "option name UCI_LimitStrength type check default false",
            "option name Ponder type check default false",
            "ugiok",
        ];
        assert_eq!(lines[lines.len() - end.len()..], end);
    }

    #[test]
    fn chess_programs_get_their_own_greeting() {
        let mut talk = talk();
        let lines = lines(&mut talk, "uci");
        assert_eq!(lines[2], "option name UCI_Variant type combo default jesonmor var jesonmor");
        assert_eq!(lines.last().unwrap(), "uciok");
        assert!(lines.iter().all(|line| !line.contains("Size")));
        silent(&mut talk, "setoption name UCI_Variant value jesonmor");
        silent(&mut talk, "position startpos moves c1d3 c9-d7");
        silent(&mut talk, "position fen nnnnnnnnn/9/9/9/9/9/9/9/NNNNNNNNN b - - 0 1 moves c9d7");
        assert_eq!(super::tests::lines(&mut talk, "query p1turn"), ["response true"]);
        assert!(error(&mut talk, "setoption name Game value gekitai").contains("no option `Game`"));
        assert!(error(&mut talk, "setoption name Size value 5").contains("no option `Size`"));
        assert!(error(&mut talk, "setoption name UCI_Variant value chess").contains("`chess`"));
    }

    #[test]
    fn options_lead_to_the_start_they_describe() {
        let mut talk = talk();
        silent(&mut talk, "setoption name game value Six-Making");
        silent(&mut talk, "setoption name Size value 4");
        silent(&mut talk, "setoption name SelfDefeat value Allowed");
        assert_eq!(talk.session.text(), "4/4/4/4;self_defeat=allowed 1");
        silent(&mut talk, "setoption name selfdefeat value default");
        silent(&mut talk, "setoption name MinParts value default");
        silent(&mut talk, "setoption name Game value six-making");
        assert_eq!(talk.session.text(), "4/4/4/4 1");
        silent(&mut talk, "position startpos moves a1 b2");
        silent(&mut talk, "setoption name Hash value 16");
        assert_eq!(talk.session.history(), ["a1", "b2"]);
        silent(&mut talk, "setoption name Game value gekitai");
        assert_eq!(talk.session.text(), "6/6/6/6/6/6 1");
    }

    #[test]
    fn a_position_is_a_line_and_turns_or_steps() {
        let mut talk = talk();
        let first = talk.session.turns()[0].clone();
        let (shift, place) = first.split_at(first.find('@').unwrap());
        silent(&mut talk, &format!("position startpos moves {shift} {place}"));
        let stepwise = talk.session.text();
        silent(&mut talk, &format!("position startpos moves {first}"));
        assert_eq!(talk.session.text(), stepwise);
        silent(&mut talk, &format!("position fen {stepwise}"));
        assert_eq!(talk.session.text(), stepwise);
        assert_eq!(lines(&mut talk, "query p1turn"), ["response false"]);
    }

    #[test]
    fn what_makes_no_sense_changes_nothing() {
        let mut talk = talk();
        silent(&mut talk, "setoption name Game value gekitai");
        silent(&mut talk, "position startpos moves c4");
        let cases = [
            ("tea", "unknown command `tea`"),
            ("position", "expected `position startpos`"),
            ("position fen", "`position`: `` lacks a blank"),
            ("position startpos moves c4 c4", "`c4` is not legal here: c4 is occupied"),
            ("setoption Size 5", "expected `setoption name NAME value VALUE`"),
            ("setoption name Size value 99", "`options.size`: board side must be 4 to 8, got 99"),
            ("setoption name MinParts value 2", "gekitai has no option `MinParts`"),
            ("setoption name Tea value 2", "there is no option `Tea`"),
            ("setoption name Hash value 0", "Hash must be 1 to 4096, got `0`"),
            ("setoption name Game value chess", "there is no game `chess`; the games are glaisher"),
            ("query tea", "expected `query gameover`"),
            (&format!("query{}", " tea".repeat(101)), "a command has at most 100 words"),
            (&format!("position fen {}", "6/".repeat(3000)), "a position has at most 4096 bytes"),
            (&format!("position startpos moves c4{}", " c4".repeat(10_000)), "`c4` is not legal"),
        ];
        for (line, expected) in cases {
            let error = error(&mut talk, line);
            assert!(error.starts_with(expected), "{line}: {error}");
            assert_eq!(talk.session.history(), ["c4"], "{line}");
        }
        assert_eq!(lines(&mut talk, "query result"), ["response none"]);
    }

    #[test]
    fn every_go_is_answered_even_after_a_refused_position() {
        let mut talk = talk();
        silent(&mut talk, "setoption name Game value gekitai");
        assert!(matches!(talk.hear("go perft 7"), Reply::Order(Order::Count(_))));
        silent(&mut talk, "setoption name Game value glaisher");
        let all = talk.session.turns().join(" ");
        let Reply::Order(Order::Search(search)) = talk.hear(&format!("go searchmoves {all} {all}"))
        else {
            panic!("a search among all turns is refused");
        };
        assert_eq!(search.go.only.len(), 1290);
        silent(&mut talk, "setoption name Game value gekitai");
        let refused = lines(&mut talk, "go searchmoves z9");
        assert!(refused[0].contains("`z9` is not a legal turn here"), "{refused:?}");
        assert_eq!(refused.last().unwrap(), "bestmove (none)");
        error(&mut talk, "position startpos moves c4 c4");
        let refused = lines(&mut talk, "go depth 3");
        assert!(refused[0].contains("the last position was refused"), "{refused:?}");
        assert_eq!(refused.last().unwrap(), "bestmove (none)");
        silent(&mut talk, "position startpos moves c4");
        assert!(matches!(talk.hear("go depth 1 please"), Reply::Order(Order::Search(_))));
    }

    #[test]
    fn strength_is_a_level_or_a_rating() {
        let mut talk = talk();
        let level = |talk: &Talk| talk.settings.level().map(|level| level.number);
        assert_eq!(level(&talk), None);
        silent(&mut talk, "setoption name Level value 3");
        assert_eq!(level(&talk), Some(3));
        silent(&mut talk, "setoption name UCI_Elo value 1600");
        assert_eq!(level(&talk), Some(3));
        silent(&mut talk, "setoption name UCI_LimitStrength value true");
        assert_eq!(level(&talk), Some(5), "glaisher's level 5 is 630 above a beginner");
        silent(&mut talk, "setoption name Game value jeson-mor");
        assert_eq!(level(&talk), Some(6), "and jeson-mor's level 6 is 610");
        for (elo, number) in [(600, Some(1)), (2240, Some(9)), (2420, None)] {
            silent(&mut talk, &format!("setoption name UCI_Elo value {elo}"));
            assert_eq!(level(&talk), number, "{elo}");
        }
        let refused = error(&mut talk, "setoption name UCI_Elo value 100");
        assert_eq!(refused, "UCI_Elo must be 600 to 2420, got `100`");
        let refused = error(&mut talk, "setoption name UCI_LimitStrength value maybe");
        assert_eq!(refused, "UCI_LimitStrength must be true or false, got `maybe`");
    }

    #[test]
    fn unknown_words_before_a_command_are_ignored() {
        let mut talk = talk();
        silent(&mut talk, "joho setoption name Game value gekitai");
        silent(&mut talk, "\t joho  position startpos moves c4");
        assert_eq!(talk.session.history(), ["c4"]);
    }

    #[test]
    fn a_game_without_end_is_refused() {
        let mut talk = talk();
        silent(&mut talk, "setoption name Game value jeson-mor");
        let rounds = " a1b3 a9b7 b3a1 b7a9".repeat(2_500);
        silent(&mut talk, &format!("position startpos moves{rounds}"));
        assert_eq!(talk.session.history().len(), 10_000);
        let error = error(&mut talk, &format!("position startpos moves{rounds} c1d3"));
        assert_eq!(error, "the game has more than 10000 moves");
        assert_eq!(talk.session.history().len(), 10_000);
    }

    #[test]
    fn a_finished_game_has_a_result() {
        let mut talk = talk();
        silent(&mut talk, "setoption name Game value jeson-mor");
        silent(&mut talk, "position fen n3n/5/2N2/5/N4 1 moves c3-a2");
        assert_eq!(lines(&mut talk, "query gameover"), ["response true"]);
        assert_eq!(lines(&mut talk, "query result"), ["response p1win"]);
        silent(&mut talk, "position fen n3n/5/5/5/N4 1 moves a1b3 a5b3 ");
        assert_eq!(lines(&mut talk, "query result"), ["response p2win"]);
    }

    #[test]
    fn a_position_that_comes_for_the_third_time_is_a_draw() {
        let mut talk = talk();
        silent(&mut talk, "setoption name Game value jeson-mor");
        let round = "a1-b3 a9-b7 b3-a1 b7-a9";
        silent(&mut talk, &format!("position startpos moves {round} {round}"));
        assert_eq!(lines(&mut talk, "query gameover"), ["response true"]);
        assert_eq!(lines(&mut talk, "query result"), ["response draw"]);
    }

    /// Words that lead deep into the readers, and noise.
    const WORDS: [&str; 32] = [
        "ugi",
        "uci",
        "isready",
        "uginewgame",
        "setoption",
        "name",
        "value",
        "Game",
        "gekitai",
        "jeson-mor",
        "six-making",
        "glaisher",
        "Size",
        "5",
        "4",
        "position",
        "startpos",
        "fen",
        "moves",
        "6/6/6/6/6/6",
        "nnnnn/5/5/5/NNNNN",
        "1",
        "w",
        "c4",
        "a1-b3",
        "a1b3",
        "@c4",
        "go",
        "nodes",
        "p1time",
        "-1",
        "query",
    ];

    #[test]
    fn no_line_makes_it_panic() {
        let mut random = Random::new(7);
        let mut talk = talk();
        for _ in 0..20_000 {
            let mut bytes = Vec::new();
            for _ in 0..random.below(9) {
                match random.below(8) {
                    0 => bytes.extend((0..4).map(|_| random.below(256) as u8)),
                    _ => bytes.extend(random.pick(&WORDS).unwrap_or(&"").bytes()),
                }
                bytes.push(b' ');
            }
            let line = String::from_utf8_lossy(&bytes);
            if let Reply::Lines(lines) | Reply::Order(Order::Refuse(lines)) = talk.hear(&line) {
                assert!(lines.iter().all(|l| !l.contains(['\n', '\r'])), "{line:?}: {lines:?}");
            }
        }
    }
}
