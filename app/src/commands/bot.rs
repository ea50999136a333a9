//! `quadrille bot`: seats the engine at games on a server.

use crate::cli::GameOptions;
use crate::online::club::{self, Club};
use crate::shell::failure::{Failure, print};
use crate::shell::input;
use crate::sitting::clock::Terms;
use clap::Args;
use engine::{Limits, Stop, Who};
use rules::random::Random;
use serde_json::{Value, json};
use std::time::Duration;
use table::State;

/// How often the server is polled.
const LOOK: Duration = Duration::from_millis(500);

/// How often a missing game is requested before the bot looks for another.
const MISSING: u32 = 20;

/// The size of the transposition table, in MiB.
const TABLE: usize = 32;

/// Arguments of `bot`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  quadrille bot --server http://127.0.0.1:8000 --key pk-… --name 'My bot' --game gekitai --level 7
The bot plays anybody who wants the same game with the same clock, one game after the other, until it is \
stopped or has played --games of them. It is marked as a bot. With --name it registers, unless \
it is already a player.")]
pub struct BotArgs {
    /// The server
    #[arg(long, value_name = "URL")]
    pub server: String,
    /// The key: `pk-` and 22 to 64 letters and digits that nobody can guess; by default $QUADRILLE_KEY
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
    /// The name under which the bot registers
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// The game
    #[arg(long, value_name = "GAME", default_value = "gekitai")]
    pub game: String,
    /// The level it plays at
    #[arg(long, value_name = "LEVEL", default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=10))]
    pub level: u8,
    /// Minutes for the game and seconds for each turn
    #[arg(long, value_name = "CLOCK", default_value = "5+3")]
    pub clock: String,
    /// Play casual games, which affect no ratings
    #[arg(long)]
    pub casual: bool,
    /// Stop after this many games
    #[arg(long, value_name = "COUNT")]
    pub games: Option<u64>,
    /// Options of the game.
    #[command(flatten)]
    pub options: GameOptions,
}

pub fn run(args: &BotArgs) -> Result<(), Failure> {
    let entry = input::game(&args.game)?;
    input::start(entry, &args.options)?;
    let variable = || std::env::var("QUADRILLE_KEY").ok().filter(|key| !key.is_empty());
    let key = args.key.clone().or_else(variable);
    let key = key.ok_or_else(|| {
        Failure::user("which player? give the key with --key, or in $QUADRILLE_KEY")
    })?;
    let (link, _) = club::server(&args.server).map_err(Failure::user)?;
    let club = Club::new(link, &key);
    if let Some(name) = &args.name {
        let wanted = club::registration(name, &key, true);
        club.ask("POST", "players", &wanted).map_err(Failure::user)?;
    }
    let me = club.get("me").map_err(Failure::user)?;
    let id = me["id"].as_str().unwrap_or_default().to_owned();
    print(format!(
        "{} plays {} on {}\n",
        me["name"].as_str().unwrap_or_default(),
        entry.info.name,
        club.host()
    ))?;
    let clock = Terms::parse(&args.clock).map_err(Failure::user)?.json();
    let wanted = json!({
        "game": entry.info.id, "options": args.options.0, "clock": clock, "rated": !args.casual, "auto": true,
    });
    let mut player =
        Player { who: Who::Level { level: args.level }, random: Random::new(entropy()) };
    let mut played = 0;
    while args.games.is_none_or(|most| played < most) {
        let game = meet(&club, &wanted, &id).map_err(Failure::user)?;
        let ending = player.play(&club, &game).map_err(Failure::user)?;
        print(format!("{game}  {ending}\n"))?;
        played += 1;
    }
    Ok(())
}

fn entropy() -> u64 {
    use server::ids::Chance;
    server::ids::System.seed()
}

/// Waits for an opponent.
fn meet(club: &Club, wanted: &Value, id: &str) -> Result<String, String> {
    let mut found = club.patiently("POST", "lobby", wanted)?;
    loop {
        if let Some(game) = found.as_ref().and_then(|found| found["game"].as_str()) {
            return Ok(game.to_owned());
        }
        std::thread::sleep(LOOK);
        found = match found {
            Some(_) => club.patiently("GET", &format!("lobby/{id}"), &Value::Null)?,
            // The challenge has expired.
            None => club.patiently("POST", "lobby", wanted)?,
        };
    }
}

struct Player {
    who: Who,
    random: Random,
}

impl Player {
    /// Plays a game to its end, and returns how it ended.
    fn play(&mut self, club: &Club, id: &str) -> Result<String, String> {
        let path = format!("games/{id}");
        let mut missing = 0;
        loop {
            let Some(told) = club.patiently("GET", &path, &Value::Null)? else {
                // It may have been announced and not created yet, or an operator has deleted it.
                missing += 1;
                if missing > MISSING {
                    return Ok("the game was deleted".into());
                }
                std::thread::sleep(LOOK);
                continue;
            };
            missing = 0;
            if let Some(ending) = told["ending"].as_str() {
                return Ok(ending.to_owned());
            }
            let mine = told["you"].as_array().is_some_and(|you| you.contains(&told["turn"]));
            match mine.then(|| self.turn(&told)).transpose()?.flatten() {
                Some(turn) => {
                    let seq = &told["board_seq"];
                    let command = json!({
                        "type": "move", "turn": turn, "command": format!("{id} {seq}"), "board_seq": seq,
                    });
                    club.patiently("POST", &format!("{path}/commands"), &command)?;
                }
                None => std::thread::sleep(LOOK),
            }
        }
    }

    fn turn(&mut self, told: &Value) -> Result<Option<String>, String> {
        let state = State::read(told)?;
        let entry = engine::find(&state.created.game).ok_or("the server plays an unknown game")?;
        let mut thinker = (entry.thinker)(TABLE);
        let limits = Limits { time: Some(Duration::from_secs(2)), ..Limits::default() };
        let (who, random) = (&self.who, &mut self.random);
        let stop = Stop::default();
        Ok(who.choose(
            state.session.as_ref(),
            || thinker.as_mut(),
            (&limits, &stop),
            random,
            &mut |_| {},
        ))
    }
}
