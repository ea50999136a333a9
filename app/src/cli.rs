//! The command line.

use crate::commands::admin::AdminArgs;
use crate::commands::analyze::AnalyzeArgs;
use crate::commands::arena::ArenaArgs;
use crate::commands::atlas::AtlasArgs;
use crate::commands::baselines::BaselinesArgs;
use crate::commands::bench::BenchArgs;
use crate::commands::bot::BotArgs;
use crate::commands::data::DataArgs;
use crate::commands::invite::InviteArgs;
use crate::commands::lobby::LobbyArgs;
use crate::commands::perft::PerftArgs;
use crate::commands::play::{OnlineArgs, PlayArgs};
use crate::commands::puzzles::PuzzlesArgs;
use crate::commands::render::RenderArgs;
use crate::commands::review::ReviewArgs;
use crate::commands::serve::ServeArgs;
use crate::commands::solve::SolveArgs;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgMatches, Args, Parser, Subcommand};
use engine::GAMES;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// The command line.
#[derive(Parser, Debug)]
#[command(name = "quadrille", version = version(), about = about(), long_about = None)]
#[command(after_help = "Examples:
  quadrille                                the menu: choose a game and play
  quadrille games                          the games and their options
  quadrille rules gekitai                  how Gekitai is played
  quadrille render jeson-mor --size 5      the start of a small game
  quadrille perft six-making 4             count the ways to play four moves

Each command has its own help: quadrille render --help")]
pub struct Cli {
    /// What to do; without it, the menu opens.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The version with its commit and features: what a bug report should contain.
fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let features = [("many", cfg!(feature = "many")), ("tls", cfg!(feature = "tls"))];
    let mut built: Vec<_> = option_env!("QUADRILLE_COMMIT").into_iter().collect();
    built.extend(features.iter().filter(|(_, has)| *has).map(|(name, _)| *name));
    match &built[..] {
        [] => version.into(),
        built => format!("{version} ({})", built.join(", ")),
    }
}

/// The first line of the help: every game by its name.
fn about() -> String {
    let names: Vec<_> = GAMES.iter().map(|entry| entry.info.name).collect();
    let names = match &names[..] {
        [init @ .., last] if !init.is_empty() => format!("{} and {last}", init.join(", ")),
        names => names.concat(),
    };
    format!("Abstract board games in one program: {names}")
}

/// What the program can do.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Play on the terminal, or in lines of text
    Play(PlayArgs),
    /// Join a game on a server, with the link of a seat
    #[command(after_help = "Example:
  quadrille join 'http://127.0.0.1:8000/k3Vx9QmZ#secret' --name Ana

The secret after # is kept in a file that only you can read, so that the link without it suffices from then on. \
Leaving waits until the server has acknowledged what was played; if it does not, the program says what is missing \
and ends with exit code 1.")]
    Join(OnlineArgs),
    /// Create a game on a server, print the link for the other player, and join it
    Invite(InviteArgs),
    /// Meet people on a server: who wants to play, and what is being played
    Lobby(LobbyArgs),
    /// Let the engine play on a server, against anybody
    Bot(BotArgs),
    /// Watch a game on a server
    #[command(after_help = "Example:\n  quadrille watch http://127.0.0.1:8000/k3Vx9QmZ")]
    Watch(OnlineArgs),
    /// List the games and their options
    #[command(
        after_help = "Examples:\n  quadrille games\n  quadrille games --json\n  quadrille games --file puzzles.txt"
    )]
    Games {
        /// Print JSON, for scripts
        #[arg(long)]
        json: bool,
        /// List the games of a file instead
        #[arg(long, value_name = "FILE", conflicts_with = "json")]
        file: Option<PathBuf>,
    },
    /// Show the rules of a game
    #[command(
        after_help = "Examples:\n  quadrille rules glaisher\n  quadrille rules six-making | less"
    )]
    Rules {
        /// The game
        game: String,
        /// Draw boards with ASCII characters only
        #[arg(long)]
        ascii: bool,
    },
    /// Draw a position as text, SVG or PNG, or write it in another notation
    Render(RenderArgs),
    /// Count the ways a game can go
    Perft(PerftArgs),
    /// Answer requests as JSON lines on standard input, for scripts
    #[command(after_help = "One request per line, one reply per line, in order. Examples:
  echo '{\"game\":\"gekitai\",\"moves\":[\"c4\"],\"want\":[\"turns\"]}' | quadrille query
  echo '{\"game\":\"glaisher\",\"want\":[\"position\",\"text\",\"svg\"]}' | quadrille query
  echo '{\"game\":\"six-making\",\"search\":{\"time_ms\":500,\"lines\":3}}' | quadrille query

The fields are described in docs/protocols.md.")]
    Query {
        /// Use a table of exact results, as `solve --complete` writes it
        #[arg(long, value_name = "FILE")]
        table: Option<PathBuf>,
    },
    /// Play for another program: speak UGI, or UCI for chess programs
    #[command(
        after_help = "Commands come on standard input, answers go to standard output. Examples:
  quadrille engine
    ugi
    setoption name Game value gekitai
    position startpos moves c4 d3
    go movetime 1000
    quit
  printf 'uci\\nquit\\n' | quadrille engine      what chess programs can set

The commands are described in docs/protocols.md."
    )]
    Engine {
        /// Use a table of exact results, as `solve --complete` writes it
        #[arg(long, value_name = "FILE")]
        table: Option<PathBuf>,
    },
    /// Show the best turns of a position, and how good they are
    #[command(visible_alias = "analyse")]
    Analyze(AnalyzeArgs),
    /// Review whole files of games: values, mistakes and better turns
    Review(ReviewArgs),
    /// Prove who wins a position, or within how many turns nobody does
    Solve(SolveArgs),
    /// Build or check certificates for a whole family of positions
    Atlas(AtlasArgs),
    /// Collect puzzles from games of the engine against itself: find the only turn that wins
    Puzzles(PuzzlesArgs),
    /// Check a certificate or a complete table: every reply to every position
    #[command(after_help = "Example:
  quadrille solve gekitai --both draw -o proof.gz && quadrille verify proof.gz

The format is described in docs/certificates.md. A certificate that does not hold is refused with \
the line at fault, and the exit code is 2.")]
    Verify {
        /// The certificate, compressed or not, or the table
        file: PathBuf,
    },
    /// Play a match between two players, which may be other programs
    Arena(ArenaArgs),
    /// Rate the opponents that play the same on every machine
    Baselines(BaselinesArgs),
    /// Write games, puzzles and exact results as NumPy arrays
    Data(DataArgs),
    /// Train a net for a game by self-play
    Train(train::Args),
    /// Play in the browser: serve games, analysis and pages
    Serve(ServeArgs),
    /// Administer a server: games, bans, backups
    Admin(AdminArgs),
    /// Do engine work for servers and matches on other machines
    #[command(after_help = "Example:\n  quadrille work --nats nats://hub.example:4222")]
    Work {
        /// The NATS servers that hand out work: nats://host:port, separated by commas; by default $QUADRILLE_NATS
        #[arg(long, value_name = "URL")]
        nats: Option<String>,
        /// How many threads to use; by default one more than there are cores
        #[arg(long, value_name = "N")]
        threads: Option<usize>,
    },
    /// Copy all games of a server to another file or database
    #[command(after_help = "Examples:
  quadrille move-games games.db postgres://quadrille@db.example/games
  quadrille move-games postgres://quadrille@db.example/games games.db
No server may run on the source. Games that are already at the target are compared and left as they are, so a copy \
that was interrupted can be repeated.")]
    MoveGames {
        /// The source: a file, or postgres://…
        from: PathBuf,
        /// The target: a file, or postgres://…
        to: PathBuf,
    },
    /// Write the pages as files, for any web host: everything but games between people
    #[command(after_help = "Example:
  quadrille site -o public

The folder works at the root of a host or below any path, by https or on this machine: \
python3 -m http.server -d public. \
The pages play, analyse and review by themselves, can be installed, and work without a network.")]
    Site {
        /// The folder; new, empty, or written by this command before
        #[arg(short, long, value_name = "FOLDER")]
        output: PathBuf,
    },
    /// Measure speed
    Bench(BenchArgs),
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  quadrille completions bash > ~/.local/share/bash-completion/completions/quadrille"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write the pages of all commands
    #[command(after_help = "Examples:
  quadrille man | man -l -
  quadrille man -o ~/.local/share/man/man1")]
    Man {
        /// Write a page for each command into this folder instead
        #[arg(short, long, value_name = "FOLDER")]
        output: Option<PathBuf>,
    },
}

/// A word of an argument, what the help says of it, and what it means.
pub type Word<T> = (&'static str, &'static str, T);

/// A parser of these words.
pub fn words<T>(known: &'static [Word<T>]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let values = known.iter().map(|(word, help, _)| PossibleValue::new(*word).help(*help));
    let meaning = |word: String| known.iter().find(|own| own.0 == word).map(|own| own.2);
    PossibleValuesParser::new(values).try_map(move |word| meaning(word).ok_or("no such word"))
}

/// A position, as commands take it.
#[derive(Args, Debug)]
pub struct PositionArgs {
    /// The game; not needed where the position or record names it
    pub game: Option<String>,
    /// A position: JSON, one-line text or Prolog term; the start of the game if nothing is given
    #[arg(allow_hyphen_values = true)]
    pub position: Option<String>,
    /// Read the position, or the record of a game, from a file (- for standard input)
    #[arg(long, value_name = "FILE", conflicts_with = "position")]
    pub file: Option<PathBuf>,
    /// Which game of a file that holds several, from 1
    #[arg(long = "game", id = "number", value_name = "NUMBER", requires = "file")]
    pub number: Option<usize>,
    /// One of the positions of the rules page: initial, intermediate or final
    #[arg(long, value_name = "NAME", conflicts_with_all = ["position", "file"])]
    pub sample: Option<String>,
    /// Moves or turns to play from there, separated by blanks
    #[arg(long, value_name = "MOVES")]
    pub moves: Option<String>,
    /// Options of the game.
    #[command(flatten)]
    pub options: GameOptions,
}

/// The options of all games, made from what they declare.
#[derive(Debug, Default, Clone)]
pub struct GameOptions(pub Map<String, Value>);

fn option_names() -> Vec<&'static str> {
    let mut names: Vec<_> =
        GAMES.iter().flat_map(|entry| entry.info.options).map(|option| option.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn option_help(name: &str) -> String {
    let of_game = |entry: &engine::Entry| {
        let option = entry.info.options.iter().find(|option| option.name == name)?;
        let default = option.default;
        Some(format!("{}: {}, {} ({default})", entry.info.id, option.about, option.values))
    };
    GAMES.iter().filter_map(of_game).collect::<Vec<_>>().join("; ")
}

impl Args for GameOptions {
    fn augment_args(mut command: clap::Command) -> clap::Command {
        for name in option_names() {
            let arg = Arg::new(name)
                .long(name.replace('_', "-"))
                .value_name("VALUE")
                .help_heading("Options of the games")
                .help(option_help(name));
            command = command.arg(arg);
        }
        command
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for GameOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let value = |name: &'static str| {
            let text = matches.get_one::<String>(name)?;
            Some((name.to_owned(), rules::notation::option_value(text)))
        };
        Ok(GameOptions(option_names().into_iter().filter_map(value).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// Calls this with each command that does something, and its words.
    fn each(command: &clap::Command, words: &str, tell: &mut dyn FnMut(&str, &str)) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        tell(words, &help);
        for own in command.get_subcommands().filter(|own| own.get_name() != "help") {
            each(own, &format!("{words} {}", own.get_name()), tell);
        }
    }

    #[test]
    fn every_command_of_an_operator_has_an_example() {
        let mut seen = 0;
        each(&Cli::command(), "quadrille", &mut |words, help| {
            if words.starts_with("quadrille admin") {
                assert!(help.contains(&format!("  {words}")), "{words}: {help}");
                seen += 1;
            }
        });
        assert!(seen > 20, "{seen}");
    }

    /// Lines are broken where the terminal ends.
    #[test]
    fn no_paragraph_of_the_help_has_line_breaks_of_its_own() {
        each(&Cli::command(), "quadrille", &mut |words, help| {
            let is_prose = |line: &&str| !line.is_empty() && !line.starts_with(' ');
            let lines: Vec<&str> = help.lines().collect();
            let broken = lines.windows(2).find(|pair| pair.iter().all(is_prose));
            assert_eq!(broken, None, "{words}");
        });
    }
}
