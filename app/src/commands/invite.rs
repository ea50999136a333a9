//! `quadrille invite`: a new game on a server, and the link for the other player.

use crate::cli::GameOptions;
use crate::commands::play::{self, OnlineLook};
use crate::config;
use crate::online::{self, Wanted};
use crate::saves::Saves;
use crate::shell::failure::{Failure, print};
use crate::shell::input;
use crate::sitting::clock::Terms;
use clap::Args;
use rules::Player;

/// Arguments of `invite`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  quadrille invite gekitai --server http://127.0.0.1:8000 --name Ana
  quadrille invite jeson-mor --size 5 --clock 5+3 --second --server https://games.example
  quadrille invite glaisher --server http://127.0.0.1:8000 --only-link
The first line is the link for the other player: the first to open it gets the seat. The game opens, \
and shows the link until then. Your own secret is kept in a file that only you can read. The server may also be given as \
$QUADRILLE_SERVER, or as `server` in the configuration file.")]
pub struct InviteArgs {
    /// The game
    pub game: String,
    /// The server
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// You play second; otherwise you begin
    #[arg(long)]
    pub second: bool,
    /// Minutes for the game and seconds for each turn, as in 5+3; by default there is no clock
    #[arg(long, value_name = "CLOCK")]
    pub clock: Option<String>,
    /// Print the links and leave; `quadrille join` opens the game later
    #[arg(long)]
    pub only_link: bool,
    /// How it is played.
    #[command(flatten)]
    pub online: OnlineLook,
    /// Options of the game.
    #[command(flatten)]
    pub options: GameOptions,
}

pub fn run(args: &InviteArgs) -> Result<(), Failure> {
    let entry = input::game(&args.game)?;
    // The options are checked here, where the message can name the flag.
    input::start(entry, &args.options)?;
    let saves = Saves::open(args.online.data.as_deref()).map_err(Failure::user)?;
    let config = config::load().map_err(Failure::user)?;
    let variable = || std::env::var("QUADRILLE_SERVER").ok().filter(|url| !url.is_empty());
    let configured = || {
        let mut choices = saves.choices().unwrap_or_default();
        config.apply(&mut choices);
        Some(choices.server)
    };
    let server = args.server.clone().or_else(variable).or_else(configured);
    let Some(server) = server.filter(|server| !server.is_empty()) else {
        return Err(Failure::user(
            "which server? name it with --server http://host:8000, or in $QUADRILLE_SERVER",
        ));
    };
    let clock = args.clock.as_deref().map(Terms::parse).transpose().map_err(Failure::user)?;
    let wanted = Wanted {
        game: entry.info.id,
        options: args.options.0.clone(),
        own: if args.second { Player::Two } else { Player::One },
        name: config.name_or(&args.online.name),
        clock,
    };
    let made = online::invite(&server, &wanted, &saves).map_err(Failure::user)?;
    print(format!("for the other player: {}\n", made.theirs))?;
    if args.only_link {
        return print(format!("yours: {}\n", made.own));
    }
    play::sit_down(&made.own, &args.online, Some(made.theirs))
}
