//! `quadrille lobby`: who wants to play on a server, in lines of text, and the game that comes of it.

use crate::commands::play::{self, OnlineArgs, OnlineLook};
use crate::online::Link;
use crate::online::club::{self, Club};
use crate::saves::Saves;
use crate::shell::failure::{Failure, print};
use crate::sitting::clock::Terms;
use clap::Args;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// How often the server is polled for an opponent.
const LOOK: Duration = Duration::from_secs(1);

const HELP: &str = "list                      who wants to play\n\
    NUMBER                    play with one of them\n\
    play GAME [CLOCK]         with anybody who wants the same, as soon as possible\n\
    offer GAME [CLOCK] [rated]  list your offer, and wait\n\
    mine                      your games in progress; `mine 1` opens the first\n\
    watch [NUMBER]            games that are being played\n\
    played GAME [TURNS]       what was played there in public games\n\
    name NAME                 become a player, who can play rated games\n\
    quit\n\
A clock is minutes and seconds for each turn, as in 5+3, or days, as in 3d.\n";

/// Arguments of `lobby`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  quadrille lobby http://127.0.0.1:8000
  quadrille lobby http://127.0.0.1:8000 --name Ana
  printf 'play gekitai 5+3\\n' | quadrille lobby https://games.example --plain
Without a key you are a guest. The key of a player is kept in a file that only you can read; the \
pages show it as a link, which can be given here instead of the address. `help` lists what can be \
typed. Games that are arranged here are public.")]
pub struct LobbyArgs {
    /// The server, or the link with your key
    pub server: String,
    /// The key of a player; by default $QUADRILLE_KEY, or the one that is kept
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
    /// How it is played.
    #[command(flatten)]
    pub online: OnlineLook,
}

pub fn run(args: &LobbyArgs) -> Result<(), Failure> {
    let saves = Saves::open(args.online.data.as_deref()).map_err(Failure::user)?;
    let (link, given) = club::server(&args.server).map_err(Failure::user)?;
    let variable = || std::env::var("QUADRILLE_KEY").ok().filter(|key| !key.is_empty());
    let named = args.key.clone().or(given).or_else(variable);
    let key = match named {
        Some(key) => key,
        None => kept(&saves, &link).map_err(Failure::user)?,
    };
    club::keep(&saves, &link, &key).map_err(Failure::user)?;
    let mut hall = Hall { club: Club::new(link, &key), key, saves, listed: Vec::new(), args };
    hall.enter()?;
    loop {
        // Line by line: holding the lock of standard input would block the game that follows.
        let mut line = String::new();
        let read = std::io::stdin().read_line(&mut line);
        if read.map_err(|error| Failure::Other(error.into()))? == 0 {
            break;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if matches!(words[..], ["quit" | "q"]) {
            break;
        }
        match hall.obey(&words) {
            Ok(Next::Stay) => {}
            Ok(Next::Play(link)) => return hall.sit(link, true),
            Ok(Next::Watch(link)) => return hall.sit(link, false),
            Err(why) => print(format!("{why}\n"))?,
        }
    }
    Ok(())
}

/// The key that is kept for a server, or a guest's secret.
fn kept(saves: &Saves, link: &Link) -> Result<String, String> {
    let registered = club::resolve(saves, link)?;
    match registered.map_or_else(|| club::known(saves, link), |key| Ok(Some(key)))? {
        Some(key) => Ok(key),
        None => club::fresh(""),
    }
}

enum Next {
    Stay,
    Play(String),
    Watch(String),
}

struct Hall<'a> {
    club: Club,
    key: String,
    saves: Saves,
    /// The last list that was shown: the path of each entry and its version.
    listed: Vec<(String, Value)>,
    args: &'a LobbyArgs,
}

impl Hall<'_> {
    fn is_player(&self) -> bool {
        self.key.starts_with("pk-")
    }

    /// Says who this is and who is there.
    fn enter(&mut self) -> Result<(), Failure> {
        let name = self.args.online.name.trim().to_owned();
        if !name.is_empty() && !self.is_player() {
            self.register(&name).map_err(Failure::user)?;
        } else if self.is_player() {
            let me = self.club.get("me").map_err(Failure::user)?;
            print(format!("You are {}.\n", text(&me["name"])))?;
        } else {
            print("You are a guest; `name NAME` makes you a player.\n")?;
        }
        let list = self.list().map_err(Failure::user)?;
        print(format!(
            "Games arranged here are public: anybody can watch them and find them again.\n{list}"
        ))
    }

    fn register(&mut self, name: &str) -> Result<(), String> {
        let (link, _) = club::server(&self.args.server)?;
        let key = club::propose(&self.saves, &link, name)?;
        let wanted = club::registration(name, &key, false);
        let made = self.club.ask("POST", "players", &wanted)?;
        club::keep(&self.saves, &link, &key)?;
        club::answered(&self.saves, &link)?;
        self.club = Club::new(link, &key);
        self.key = key;
        let _ = print(format!("You are {}. Your key is {}\n", text(&made["name"]), self.key));
        Ok(())
    }

    fn obey(&mut self, words: &[&str]) -> Result<Next, String> {
        let said = |text: String| {
            let _ = print(text);
            Ok(Next::Stay)
        };
        match words {
            [] | ["list"] => self.list().and_then(said),
            ["help" | "?"] => said(HELP.to_owned()),
            ["name", name @ ..] => self.register(&name.join(" ")).map(|()| Next::Stay),
            ["play", game, rest @ ..] => self.challenge(game, rest, true),
            ["offer", game, rest @ ..] => self.challenge(game, rest, false),
            ["mine"] => self.mine().and_then(|games| {
                let line = |(i, game): (usize, &Value)| {
                    let turn = if game["your_turn"] == true { "your turn" } else { "" };
                    let who = game["opponent"]["name"].as_str().unwrap_or("a guest");
                    format!("{:>3}  {:<12} {:<24} {turn}\n", i + 1, text(&game["game"]), who)
                };
                let all: String = games.iter().enumerate().map(line).collect();
                said(if all.is_empty() { "you have no games in progress\n".into() } else { all })
            }),
            ["mine", number] => {
                let games = self.mine()?;
                let game = picked(&games, number)?;
                self.club.game(text(&game["id"]), &self.saves).map(Next::Play)
            }
            ["watch"] => self.running().and_then(|games| {
                let line = |(i, game): (usize, &Value)| {
                    let names = [0, 1].map(|seat| text(&game["seats"][seat]["name"]).to_owned());
                    format!("{:>3}  {:<12} {}\n", i + 1, text(&game["game"]), names.join(" – "))
                };
                let all: String = games.iter().enumerate().map(line).collect();
                said(if all.is_empty() { "no public game is being played\n".into() } else { all })
            }),
            ["watch", number] => {
                let games = self.running()?;
                let game = picked(&games, number)?;
                Ok(Next::Watch(self.club.watched(text(&game["id"]))))
            }
            ["played", game, turns @ ..] => self.played(game, turns).and_then(said),
            [number] => {
                let at = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                let found = at.and_then(|at| self.listed.get(at));
                let (path, seen) = found.ok_or_else(|| {
                    format!("`{number}` is neither a number of the list nor a command; `help` lists them")
                })?;
                let met = self.club.ask("POST", path, &json!({ "version": seen }))?;
                self.club.game(text(&met["game"]), &self.saves).map(Next::Play)
            }
            _ => Err("`help` lists what can be typed".into()),
        }
    }

    fn list(&mut self) -> Result<String, String> {
        let told = self.club.get("lobby")?;
        let all = told["challenges"].as_array().cloned().unwrap_or_default();
        self.listed = all
            .iter()
            .map(|one| (format!("lobby/{}", text(&one["id"])), one["version"].clone()))
            .collect();
        let line = |(i, one): (usize, &Value)| {
            let who = one["name"].as_str().unwrap_or("a guest");
            let sure = if one["provisional"] == true { "?" } else { "" };
            let rating = one["rating"].as_i64().map_or(String::new(), |own| format!("{own}{sure}"));
            let rated = if one["rated"] == true { "rated" } else { "casual" };
            let (game, clock) = (text(&one["game"]), clock_words(&one["clock"]));
            let more = particulars(one);
            format!("{:>3}  {who:<24} {rating:<6} {game:<12} {clock:<16} {rated}{more}\n", i + 1)
        };
        let lines: String = all.iter().enumerate().map(line).collect();
        Ok(if lines.is_empty() {
            "nobody is waiting; try `play GAME` or `offer GAME`\n".into()
        } else {
            lines
        })
    }

    /// The turns that were played after some others in public games, and the results.
    fn played(&self, game: &str, turns: &[&str]) -> Result<String, String> {
        let entry = engine::find(game).ok_or_else(|| format!("there is no game `{game}`"))?;
        let mut session = (entry.start)(&Map::new()).map_err(|error| error.to_string())?;
        for turn in turns {
            session.play(turn).map_err(|error| error.to_string())?;
        }
        let position: String = session.text().bytes().map(|byte| format!("%{byte:02X}")).collect();
        let path = format!("archive/position?game={}&position={position}", entry.info.id);
        let told = self.club.get(&path)?;
        let [first, second] = entry.info.players.into();
        let score = |own: &Value| {
            format!(
                "{first} {}, draws {}, {second} {}",
                own["score"][0], own["score"][1], own["score"][2]
            )
        };
        let mut all = format!("{} games: {}\n", told["games"], score(&told));
        for own in told["turns"].as_array().into_iter().flatten() {
            all += &format!("  {:<10} {:>5}   {}\n", text(&own["turn"]), own["games"], score(own));
        }
        Ok(all)
    }

    fn mine(&self) -> Result<Vec<Value>, String> {
        if !self.is_player() {
            return Err("guests have no list of games; `name NAME` makes you a player".into());
        }
        let me = self.club.get("me")?;
        Ok(me["games"].as_array().cloned().unwrap_or_default())
    }

    fn running(&self) -> Result<Vec<Value>, String> {
        let told = self.club.get("watch")?;
        Ok(told["games"].as_array().cloned().unwrap_or_default())
    }

    /// Makes a challenge and, if it is a live one, waits for an opponent.
    fn challenge(&self, game: &str, rest: &[&str], auto: bool) -> Result<Next, String> {
        let mut clock = json!({ "kind": "time", "seconds": 300, "increment": 3 });
        let mut rated = auto && self.is_player();
        for word in rest {
            match (*word, word.strip_suffix('d').and_then(|days| days.parse::<u32>().ok())) {
                ("rated", _) => rated = true,
                ("casual", _) => rated = false,
                (_, Some(days)) => clock = json!({ "kind": "days", "days": days }),
                (terms, None) => clock = Terms::parse(terms)?.json(),
            }
        }
        let wanted = json!({ "game": game, "clock": clock, "rated": rated, "auto": auto });
        let made = self.club.ask("POST", "lobby", &wanted)?;
        if let Some(game) = made["game"].as_str() {
            return self.club.game(game, &self.saves).map(Next::Play);
        }
        if clock["kind"] == "days" {
            let _ =
                print("your challenge is listed; `mine` shows the game when somebody accepts it\n");
            return Ok(Next::Stay);
        }
        let meanwhile = made["meanwhile"]["level"].as_u64();
        let level = meanwhile.map_or(String::new(), |level| {
            format!("; level {level} of the computer is about as strong as you")
        });
        let _ = print(format!("waiting for an opponent, Ctrl-C gives up{level}\n"));
        let path = format!("lobby/{}", text(&made["challenge"]["id"]));
        loop {
            std::thread::sleep(LOOK);
            let seen = match self.club.patiently("GET", &path, &Value::Null)? {
                Some(seen) => seen,
                // The challenge has expired.
                None => self.club.ask("POST", "lobby", &wanted)?,
            };
            if let Some(game) = seen["game"].as_str() {
                return self.club.game(game, &self.saves).map(Next::Play);
            }
        }
    }

    fn sit(&self, link: String, plays: bool) -> Result<(), Failure> {
        let args = OnlineArgs { link, look: self.args.online.clone() };
        if plays { play::join(&args) } else { play::watch(&args) }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn picked<'a>(games: &'a [Value], number: &str) -> Result<&'a Value, String> {
    let at = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    at.and_then(|at| games.get(at))
        .ok_or_else(|| format!("there is no game `{number}` in the list"))
}

/// Unusual options of a challenge, and who begins.
fn particulars(one: &Value) -> String {
    let options = one["options"].as_object().into_iter().flatten();
    let options = options.map(|(name, value)| format!(", {} {value}", name.replace('_', " ")));
    let begins = match one["side"].as_str() {
        Some("first") => ", the other begins",
        Some("second") => ", you begin",
        _ => "",
    };
    options.collect::<String>().replace('"', "") + begins
}

fn clock_words(clock: &Value) -> String {
    match clock["kind"].as_str() {
        Some("days") => format!("{} days a turn", clock["days"]),
        _ => {
            let minutes = clock["seconds"].as_f64().unwrap_or(0.0) / 60.0;
            format!("{minutes}+{}", clock["increment"])
        }
    }
}
