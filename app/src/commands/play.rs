//! `quadrille play`: from the command line to a game, on a terminal or in lines of text.

use crate::cli::GameOptions;
use crate::config::{self, Config};
use crate::online::Opened;
use crate::saves::{Saves, Slot};
use crate::shell::failure::Failure;
use crate::shell::{input, similar};
use crate::sitting::clock::Terms;
use crate::sitting::{Sitting, seat};
use crate::{lines, online, tui};
use clap::Args;
use rules::Player;
use rules::svg::Theme;
use std::io::IsTerminal;
use std::path::PathBuf;

/// Arguments of `join` and `watch`.
#[derive(Args, Debug)]
pub struct OnlineArgs {
    /// The link of the game, or of a seat
    pub link: String,
    /// How it is played.
    #[command(flatten)]
    pub look: OnlineLook,
}

/// How a game on a server is played here.
#[derive(Args, Clone, Debug)]
pub struct OnlineLook {
    /// Your name, where you take a seat
    #[arg(long, value_name = "NAME", default_value = "")]
    pub name: String,
    /// Play in lines of text, for pipes, scripts and screen readers
    #[arg(long)]
    pub plain: bool,
    /// Draw with ASCII characters only
    #[arg(long)]
    pub ascii: bool,
    /// In lines of text: no boards, only words
    #[arg(long)]
    pub no_boards: bool,
    /// The colours: dark, light or contrast; by default what suits the terminal
    #[arg(long, value_name = "NAME", value_parser = theme)]
    pub theme: Option<Theme>,
    /// What boards are drawn with: picture, octants, sextants, quadrants, halves or lines
    #[arg(long, value_name = "NAME", value_parser = blocks)]
    pub blocks: Option<String>,
    /// Where secrets and finished games are kept, instead of the user's data folder
    #[arg(long, value_name = "FOLDER")]
    pub data: Option<PathBuf>,
}

/// Arguments of `play`.
#[derive(Args, Clone, Debug, Default)]
#[command(after_help = "Players:
  human, human:NAME     somebody at this keyboard
  level:N               the engine at a level, 1 to 10
  seed:NAME             a player of the original program, such as seed:hard

Examples:
  quadrille play                                        the menu, as quadrille alone
  quadrille play gekitai                                choose the players of a game
  quadrille play glaisher --first human:Ana --second level:4
  quadrille play jeson-mor --size 5 --first level:2 --second seed:smart --clock 3+2
  quadrille play gekitai --position '2x1x1/6/o2x2/4ox/1o4/4o1 1'
  quadrille play --continue                             the last unfinished game
  printf 'c4\\nd3\\nquit\\n' | quadrille play gekitai --second human

Without a terminal, or with --plain, the game is played in lines of text; `help` lists what can be \
typed. More is in docs/terminal.md.")]
pub struct PlayArgs {
    /// The game; chosen from a menu if nothing is given
    pub game: Option<String>,
    /// Who plays first
    #[arg(long, value_name = "PLAYER")]
    pub first: Option<String>,
    /// Who plays second
    #[arg(long, value_name = "PLAYER")]
    pub second: Option<String>,
    /// Minutes for the game and seconds for each turn, as in 5+3
    #[arg(long, value_name = "CLOCK")]
    pub clock: Option<String>,
    /// Begin with this position, as text or JSON
    #[arg(long, value_name = "POSITION", requires = "game", conflicts_with_all = ["load", "goes_on"])]
    pub position: Option<String>,
    /// Continue the game of a record
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "goes_on"])]
    pub load: Option<PathBuf>,
    /// Which game of a file that holds several, from 1
    #[arg(long = "game", id = "number", value_name = "NUMBER", requires = "load")]
    pub number: Option<usize>,
    /// Continue the last unfinished game
    #[arg(long = "continue", conflicts_with = "game")]
    pub goes_on: bool,
    /// Computers that play each other wait for a key before each turn
    #[arg(long)]
    pub wait: bool,
    /// The seed of the random numbers: the same seed gives the same game
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Play in lines of text, for pipes, scripts and screen readers
    #[arg(long)]
    pub plain: bool,
    /// Draw with ASCII characters only
    #[arg(long)]
    pub ascii: bool,
    /// In lines of text: no boards, only words
    #[arg(long)]
    pub no_boards: bool,
    /// The colours: dark, light or contrast; by default what suits the terminal
    #[arg(long, value_name = "NAME", value_parser = theme)]
    pub theme: Option<Theme>,
    /// What boards are drawn with: picture, octants, sextants, quadrants, halves or lines
    #[arg(long, value_name = "NAME", value_parser = blocks)]
    pub blocks: Option<String>,
    /// Where games are saved, instead of the user's data folder
    #[arg(long, value_name = "FOLDER")]
    pub data: Option<PathBuf>,
    /// Options of the game.
    #[command(flatten)]
    pub options: GameOptions,
    /// The user's file of settings.
    #[arg(skip)]
    pub config: Config,
}

fn theme(name: &str) -> Result<Theme, String> {
    let names = Theme::ALL.map(Theme::name);
    Theme::named(name).ok_or_else(|| similar::unknown("theme", name, &names))
}

fn blocks(name: &str) -> Result<String, String> {
    let names = tui::block_names();
    match names.contains(&name) {
        true => Ok(name.to_owned()),
        false => Err(similar::unknown("kind of characters", name, &names)),
    }
}

/// Whether the whole screen can be used.
pub fn has_terminal() -> bool {
    let capable = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    capable && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

pub fn run(args: &PlayArgs) -> Result<(), Failure> {
    let args = &PlayArgs { config: config::load().map_err(Failure::user)?, ..args.clone() };
    let saves = Saves::open(args.data.as_deref()).map_err(Failure::user)?;
    let plain = args.plain || !has_terminal();
    if let (Some(file), None, false) = (&args.load, args.number, plain) {
        if let Some(puzzles) = input::puzzles(file)? {
            return tui::run(args, saves, tui::Next::OwnPuzzles(puzzles));
        }
        let games = input::sittings(file)?;
        if games.len() > 1 {
            return tui::run(args, saves, tui::Next::File(file.clone(), games));
        }
    }
    let (sitting, slot) = begin(args, &saves, plain)?;
    if plain {
        return lines::run(args, saves, sitting, slot);
    }
    let first = match (sitting, &args.game) {
        (Some(sitting), _) => tui::Next::Play(Box::new(sitting), slot),
        (None, Some(game)) => tui::Next::Setup(input::game(game)?),
        (None, None) => tui::Next::Stay,
    };
    tui::run(args, saves, first)
}

/// Joins a game on a server.
pub fn join(args: &OnlineArgs) -> Result<(), Failure> {
    sit_down(&args.link, &args.look, None)
}

/// Joins a game on a server, with the link for the other player if there is one.
pub fn sit_down(link: &str, look: &OnlineLook, invitation: Option<String>) -> Result<(), Failure> {
    let config = config::load().map_err(Failure::user)?;
    let saves = Saves::open(look.data.as_deref()).map_err(Failure::user)?;
    let name = config.name_or(&look.name);
    let opened = online::join(link, &name, &saves).map_err(Failure::user)?;
    online(look, config, saves, Opened { invitation, ..opened })
}

/// Watches a game on a server.
pub fn watch(args: &OnlineArgs) -> Result<(), Failure> {
    let config = config::load().map_err(Failure::user)?;
    let saves = Saves::open(args.look.data.as_deref()).map_err(Failure::user)?;
    online(&args.look, config, saves, online::watch(&args.link).map_err(Failure::user)?)
}

fn online(look: &OnlineLook, config: Config, saves: Saves, opened: Opened) -> Result<(), Failure> {
    let OnlineLook { ascii, no_boards, theme, .. } = *look;
    let blocks = look.blocks.clone();
    let own = PlayArgs { ascii, no_boards, theme, blocks, config, ..PlayArgs::default() };
    if look.plain || !has_terminal() {
        return lines::online::run(&own, saves, opened);
    }
    tui::run(&own, saves, tui::Next::Online(Box::new(opened)))
}

type Begun = (Option<Sitting>, Option<Slot>);

/// The game that the arguments describe, if they say enough, and the file of a game that is continued.
fn begin(args: &PlayArgs, saves: &Saves, plain: bool) -> Result<Begun, Failure> {
    if let Some(file) = &args.load {
        let sitting = input::sitting(file, args.number)?;
        return Ok((Some(reseat(sitting, args)?), None));
    }
    if args.goes_on {
        let none = "there is no unfinished game; begin one with `quadrille play`";
        let (latest, trouble) = saves.latest();
        let (kept, _) =
            latest.ok_or_else(|| Failure::User(trouble.unwrap_or_else(|| none.into())))?;
        let (sitting, slot) = saves.claim(&kept).map_err(Failure::user)?;
        return Ok((Some(reseat(sitting, args)?), slot));
    }
    let says_who = args.first.is_some() || args.second.is_some();
    let says_how = args.clock.is_some() || !args.options.0.is_empty();
    let Some(game) = &args.game else {
        let words = "which game? name it after `play` (`quadrille games` lists them)";
        return if says_who || says_how { Err(Failure::user(words)) } else { Ok((None, None)) };
    };
    let entry = input::game(game)?;
    let start = match &args.position {
        Some(text) => input::open(Some(entry), text, &args.options)?,
        None => input::start(entry, &args.options)?,
    };
    if !plain && !says_who && !says_how && args.position.is_none() {
        return Ok((None, None));
    }
    let usual = |text| seat::parse(text, start.as_ref()).map_err(Failure::user);
    let seats = [usual("human")?, usual("level:3")?].into();
    let sitting = Sitting::new(entry, start, seats, None);
    Ok((Some(reseat(sitting, args)?), None))
}

/// Seats the players and sets the clock that were named.
fn reseat(mut sitting: Sitting, args: &PlayArgs) -> Result<Sitting, Failure> {
    for (player, named) in Player::BOTH.into_iter().zip([&args.first, &args.second]) {
        if let Some(text) = named {
            let seat = seat::parse(text, sitting.board.as_ref()).map_err(Failure::user)?;
            sitting.seat(player, seat);
        }
    }
    if let Some(terms) = &args.clock {
        sitting.set_clock(Terms::parse(terms).map_err(Failure::user)?);
    }
    Ok(sitting)
}
