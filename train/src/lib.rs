//! Makes the nets of the engine: games against itself, then learning from them, generation by generation.
//!
//! The seed determines everything, whatever the number of threads, and an interrupted run resumes where it stopped.

mod data;
mod duel;
mod export;
mod learn;
mod model;
mod selfplay;

use anyhow::{Context, Result, bail};
use duel::Duel;
use engine::Limits;
use engine::net::{Net, Seen};
use engine::play::{Play, gekitai, glaisher, jeson_mor, six_making};
use rules::gekitai::Gekitai;
use rules::glaisher::Glaisher;
use rules::jeson_mor::JesonMor;
use rules::six_making::SixMaking;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Arguments of `quadrille train`.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Each generation plays games against itself, judged by the net before it (the first one by the hand-made \
estimate), and learns from them. FOLDER keeps the games and the net of each generation; what is already \
there is not made again.

Examples:
  quadrille train six-making --size 5 --generations 3 -o nets/six-making-5
  quadrille train glaisher --duel nets/1.net nets/2.net --pairs 100"
)]
pub struct Args {
    /// glaisher, gekitai, jeson-mor or six-making
    pub game: String,
    /// Cells along a side, for six-making
    #[arg(long, default_value_t = 5)]
    size: u8,
    /// How many generations
    #[arg(long, default_value_t = 2)]
    generations: u32,
    /// How many positions each generation learns from
    #[arg(long, default_value_t = 1_200_000)]
    positions: usize,
    /// How many positions the search looks at for each move
    #[arg(long, default_value_t = 2_000)]
    nodes: u64,
    /// How often the positions are gone through
    #[arg(long, default_value_t = 40)]
    epochs: usize,
    /// How much the result of the game counts, from 0 to 1; the rest is what the search said
    #[arg(long, default_value_t = 0.5)]
    result: f32,
    /// Learn from this many of the last generations together
    #[arg(long, default_value_t = 1)]
    last: u32,
    #[arg(long, default_value_t = 2)]
    threads: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Judge the first generation's games by this net instead of by hand
    #[arg(long, value_name = "FILE")]
    first: Option<PathBuf>,
    /// Learn with this program instead, which is given a file of samples, the file for the net, and the number of
    /// epochs: `python3 train/learn.py` learns on a GPU
    #[arg(long, value_name = "COMMAND")]
    learner: Option<String>,
    /// Play a match between two nets instead; `hand` is the evaluation by hand
    #[arg(long, num_args = 2, value_names = ["FILE", "FILE"])]
    duel: Option<Vec<PathBuf>>,
    /// Pairs of games in a match
    #[arg(long, default_value_t = 200)]
    pairs: usize,
    /// Milliseconds for each move of a match, instead of nodes
    #[arg(long, value_name = "MS")]
    time: Option<u64>,
    /// Where games and nets are kept
    #[arg(short, long, value_name = "FOLDER", required_unless_present = "duel")]
    output: Option<PathBuf>,
}

/// A game for which nets are made.
trait Learned<const H: usize>: Play + Seen {
    /// The judgement by a net.
    fn by(net: &'static Net<H>, args: &Args) -> Self::Judge;
    /// The options that games are played with, in turn.
    fn variants(args: &Args) -> Vec<serde_json::Value>;
}

impl Learned<64> for Glaisher {
    fn by(net: &'static Net<64>, _args: &Args) -> Self::Judge {
        glaisher::Judge::with(net)
    }

    fn variants(_args: &Args) -> Vec<serde_json::Value> {
        let usual = json!({ "min_parts": 1 });
        vec![usual.clone(), usual.clone(), usual, json!({ "min_parts": 2 })]
    }
}

impl Learned<128> for SixMaking {
    fn by(net: &'static Net<128>, args: &Args) -> Self::Judge {
        six_making::Judge::with(net, args.size)
    }

    fn variants(args: &Args) -> Vec<serde_json::Value> {
        let usual = json!({ "size": args.size, "self_defeat": "forbidden" });
        let other = json!({ "size": args.size, "self_defeat": "allowed" });
        vec![usual.clone(), usual.clone(), usual, other]
    }
}

impl Learned<64> for Gekitai {
    fn by(net: &'static Net<64>, _args: &Args) -> Self::Judge {
        gekitai::Judge::with(net)
    }

    fn variants(_args: &Args) -> Vec<serde_json::Value> {
        vec![json!({ "both": "mover" }), json!({ "both": "draw" })]
    }
}

impl Learned<64> for JesonMor {
    fn by(net: &'static Net<64>, _args: &Args) -> Self::Judge {
        jeson_mor::Judge::with(net)
    }

    fn variants(_args: &Args) -> Vec<serde_json::Value> {
        vec![json!({ "size": 9 })]
    }
}

/// Makes the nets of a game, generation by generation, or plays a match between two.
pub fn run(args: &Args) -> Result<()> {
    match args.game.to_ascii_lowercase().as_str() {
        "glaisher" => generations::<Glaisher, 64>(args),
        "six-making" => generations::<SixMaking, 128>(args),
        "gekitai" => generations::<Gekitai, 64>(args),
        "jeson-mor" => generations::<JesonMor, 64>(args),
        other => {
            bail!(
                "there are no nets for `{other}`: choose glaisher, gekitai, jeson-mor or six-making"
            )
        }
    }
}

fn generations<G: Learned<H>, const H: usize>(args: &Args) -> Result<()> {
    let options: Vec<G::Options> = G::variants(args)
        .into_iter()
        .map(serde_json::from_value)
        .collect::<Result<_, _>>()
        .context("the options of the game have changed")?;
    let read = |file: &Path| -> Result<G::Judge> {
        let net = Net::<H>::read::<G>(&fs::read(file)?)
            .with_context(|| format!("{} is not a net of this game", file.display()))?;
        Ok(G::by(Box::leak(Box::new(net)), args))
    };
    if let Some(nets) = &args.duel {
        let judge = |file: &PathBuf| match file.as_os_str() == "hand" {
            true => Ok(<G as Play>::by_hand()),
            false => read(file),
        };
        let judges = [judge(&nets[0])?, judge(&nets[1])?];
        let limits = match args.time {
            Some(ms) => Limits::time(Duration::from_millis(ms)),
            None => Limits::nodes(args.nodes),
        };
        let judges = judges.each_ref();
        let (pairs, threads, seed) = (args.pairs, args.threads, args.seed);
        let duel = Duel::<G> { judges, options: &options, pairs, limits, threads, seed };
        println!("{} against {}: {}", nets[0].display(), nets[1].display(), duel.run());
        return Ok(());
    }
    let folder = args.output.as_deref().context("expected a folder for games and nets")?;
    fs::create_dir_all(folder).context("cannot create the folder")?;
    let mut judge = match &args.first {
        Some(file) => read(file)?,
        None => <G as Play>::by_hand(),
    };
    for generation in 1..=args.generations {
        let net_file = folder.join(format!("{generation}.net"));
        if !net_file.exists() {
            one_generation::<G, H>(&judge, &options, args, generation, folder)?;
        }
        judge = read(&net_file)?;
    }
    Ok(())
}

/// Plays the games of a generation, learns from them and writes its net.
fn one_generation<G: Learned<H>, const H: usize>(
    judge: &G::Judge,
    options: &[G::Options],
    args: &Args,
    generation: u32,
    folder: &Path,
) -> Result<()> {
    let file = |number: u32, kind: &str| folder.join(format!("{number}.{kind}"));
    let began = Instant::now();
    let plan = selfplay::Plan {
        options,
        positions: args.positions,
        nodes: args.nodes,
        threads: args.threads,
        seed: args.seed.wrapping_mul(1_000).wrapping_add(u64::from(generation)),
    };
    selfplay::play::<G>(judge, &plan, &file(generation, "games"))?;
    println!("generation {generation}: games {:.0} s", began.elapsed().as_secs_f64());
    let mut samples = Vec::new();
    for number in (generation + 1).saturating_sub(args.last).max(1)..=generation {
        data::read::<G>(&file(number, "games"), options, args.positions, &mut samples)?;
    }
    let began = Instant::now();
    let net_file = file(generation, "net");
    if let Some(learner) = &args.learner {
        let tensors = file(generation, "samples");
        export::export::<G, H>(&samples, args, generation, &tensors)?;
        export::run(learner, &tensors, &net_file, args.epochs)?;
    } else {
        let net: Net<H> = learn::learn(&samples, args, generation)?;
        fs::write(&net_file, net.write()?).context("cannot write the net")?;
    }
    println!("generation {generation}: learned in {:.0} s", began.elapsed().as_secs_f64());
    Ok(())
}
