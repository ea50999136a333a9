//! `quadrille analyze`: the best lines of a position, for a person.

use crate::cli::PositionArgs;
use crate::output::columns;
use crate::shell::failure::{Failure, print};
use crate::shell::input;
use crate::shell::interrupt;
use crate::sitting::first_ply;
use clap::Args;
use engine::{AnalysedLine, Analysis, Entry, Limits, Session};
use requests::think::Found;
use serde_json::{Value, json};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

/// Arguments of `analyze`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  quadrille analyze gekitai                                 the start, for ten seconds
  quadrille analyze gekitai '2x1x1/6/o2x2/4ox/1o4/4o1 1' --time 60
  quadrille analyze jeson-mor --size 5 --moves 'a1-b3' --depth 12
  quadrille analyze --file game.txt --lines 1 --threads 4   a recorded game, where it ended
  quadrille analyze --file game.txt --after 12 --json       after twelve turns, for scripts
Values are roughly in pieces. A win within a number of turns is proven; only the winner's turns \
count. Ctrl-C ends the search early.")]
pub struct AnalyzeArgs {
    /// What to look at.
    #[command(flatten)]
    pub position: PositionArgs,
    /// Look at a recorded game after this many turns
    #[arg(long, value_name = "TURNS")]
    pub after: Option<usize>,
    /// Print JSON: one line when the search ends
    #[arg(long)]
    pub json: bool,
    /// How long to search; 10 seconds unless another limit is given
    #[arg(long, value_name = "SECONDS")]
    pub time: Option<f64>,
    /// How many moves to look ahead
    #[arg(long, value_name = "MOVES", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub depth: Option<u32>,
    /// How many positions to look at
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// How many of the best lines to show
    #[arg(long, value_name = "COUNT", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=50))]
    pub lines: u8,
    /// How many threads to use
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub threads: u8,
    /// Use a table of exact results, as `solve --complete` writes it
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// Memory for the table of positions
    #[arg(long, value_name = "MEBIBYTES", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub hash: u16,
}

/// How long to search if no limit is given.
const SECONDS: f64 = 10.0;

pub fn run(args: &AnalyzeArgs) -> Result<(), Failure> {
    let limits = limits(args)?;
    input::install(args.table.as_deref())?;
    let mut session = input::position(&args.position)?;
    if let Some(turns) = args.after {
        input::rewind(session.as_mut(), turns)?;
    }
    let game = session.as_ref();
    let entry = input::game(game.info().id)?;
    if args.json {
        let mut thinker = (entry.thinker)(args.hash.into());
        let found = thinker.think(game, &limits, &interrupt::stops()?, &mut |_| {});
        return print(format!("{}\n", as_json(entry, game, &found.unwrap_or_default())));
    }
    print(format!("{}: {}\n", entry.info.name, game.diagram().status))?;
    let mut thinker = (entry.thinker)(args.hash.into());
    let mut output = Output::new();
    let stop = interrupt::stops()?;
    let mut shown = Ok(());
    let found = thinker.think(game, &limits, &stop, &mut |analysis| {
        if shown.is_ok() {
            shown = output.show(&block(game, analysis));
        }
        if shown.is_err() {
            stop.stop();
        }
    });
    shown?;
    let Some(analysis) = found else { return Ok(()) };
    output.end(&block(game, &analysis))?;
    let best = analysis.lines.first().and_then(|line| line.turns.first());
    best.map_or(Ok(()), |turn| print(format!("best turn: {turn}\n")))
}

/// The position and what was found, with the fields of `query`.
fn as_json(entry: &Entry, game: &dyn Session, found: &Analysis) -> Value {
    let mut told = json!({
        "game": game.info().id,
        "options": game.options(),
        "position": game.text(),
        "turn": game.turn(),
        "played": game.turns_played(),
        "over": game.result().is_some(),
        "winner": game.result(),
    });
    if let (Value::Object(told), Value::Object(found)) = (&mut told, json!(Found::of(entry, found)))
    {
        told.extend(found);
    }
    told
}

/// Seconds as thousandths, if they are a time to search.
pub fn thousandths(seconds: f64) -> Result<u64, Failure> {
    match (0.001..=1e6).contains(&seconds) {
        true => Ok((seconds * 1000.0).round() as u64),
        false => {
            Err(Failure::user(format!("--time must be 0.001 to 1000000, got {}", brief(seconds))))
        }
    }
}

fn limits(args: &AnalyzeArgs) -> Result<Limits, Failure> {
    let otherwise = (args.depth.is_none() && args.nodes.is_none()).then_some(SECONDS);
    let time = args.time.or(otherwise);
    time.map(thousandths).transpose()?;
    Ok(Limits {
        time: time.map(Duration::from_secs_f64),
        soft: None,
        nodes: args.nodes,
        depth: args.depth,
        lines: args.lines.into(),
        threads: args.threads.into(),
        unaided: false,
    })
}

pub fn brief(number: f64) -> String {
    match number.abs() {
        0.0 | 1e-4..1e12 => number.to_string(),
        _ => format!("{number:e}"),
    }
}

fn block(game: &dyn Session, analysis: &Analysis) -> Vec<String> {
    let Analysis { depth, nodes, time, lines, .. } = analysis;
    let mut text = vec![format!("depth {depth}, {nodes} positions, {:.1} s", time.as_secs_f64())];
    let verdicts: Vec<String> = lines.iter().map(|line| verdict(game, line)).collect();
    let width = verdicts.iter().map(String::len).max().unwrap_or_default();
    for (line, verdict) in lines.iter().zip(verdicts) {
        text.push(format!("  {verdict:width$}  {}", numbered(&line.turns, first_ply(game))));
    }
    if let Some(proof) = lines.first().and_then(|line| line.proof) {
        text.push(format!("  proven by the certificate {proof}"));
    }
    text
}

/// Who is better, and by how much.
pub fn verdict(game: &dyn Session, line: &AnalysedLine) -> String {
    let good = line.win_in.unwrap_or(line.score) > 0;
    let better = if good { game.turn() } else { game.turn().other() };
    let name = game.info().players[better];
    match line.win_in.map(i32::unsigned_abs) {
        Some(1) => format!("{name} wins in 1 turn"),
        Some(turns) => format!("{name} wins in {turns} turns at most"),
        None if line.proof.is_some() => "nobody can force a win".to_owned(),
        None if line.score == 0 => "nobody is better".to_owned(),
        None => format!("{name} is better by {:.2}", f64::from(line.score.abs()) / 100.0),
    }
}

/// Turns with their numbers, as records have them.
pub fn numbered(turns: &[String], first: usize) -> String {
    let mut words = Vec::new();
    for (i, turn) in turns.iter().enumerate() {
        let ply = first + i;
        if ply.is_multiple_of(2) {
            words.push(format!("{}.", ply / 2 + 1));
        } else if i == 0 {
            words.push(format!("{}...", ply / 2 + 1));
        }
        words.push(turn.clone());
    }
    words.join(" ")
}

/// Standard output: new lines replace the old ones on a terminal and follow them elsewhere.
struct Output {
    /// The columns, if it is a terminal.
    width: Option<usize>,
    /// How many lines are to be replaced.
    drawn: usize,
}

impl Output {
    fn new() -> Output {
        // Shells know the variable COLUMNS, and do not pass it on.
        let columns = || ratatui::crossterm::terminal::size().ok().map(|size| usize::from(size.0));
        let width = std::io::stdout().is_terminal().then(|| columns().unwrap_or(80));
        Output { width, drawn: 0 }
    }

    fn show(&mut self, lines: &[String]) -> Result<(), Failure> {
        print(self.frame(lines))
    }

    /// The last lines; only a terminal shows them again.
    fn end(&mut self, lines: &[String]) -> Result<(), Failure> {
        if self.width.is_some() || self.drawn == 0 { self.show(lines) } else { Ok(()) }
    }

    fn frame(&mut self, lines: &[String]) -> String {
        let back = match (self.width, self.drawn) {
            (None, _) | (_, 0) => String::new(),
            (Some(_), drawn) => format!("\x1b[{drawn}A\x1b[J"),
        };
        self.drawn = lines.len();
        let lines = lines.iter().map(|line| self.cut(line) + "\n");
        back + &lines.collect::<String>()
    }

    /// A line that wraps would upset the count of lines.
    fn cut(&self, line: &str) -> String {
        match self.width {
            Some(width) => columns::cut(line, width, "…"),
            None => line.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(id: &str, moves: &str) -> Box<dyn Session> {
        let mut game = (engine::find(id).unwrap().start)(&Default::default()).unwrap();
        moves.split_whitespace().for_each(|text| game.play(text).unwrap());
        game
    }

    fn line(turns: &[&str], score: i32, win_in: Option<i32>) -> AnalysedLine {
        let turns = turns.iter().map(|turn| (*turn).to_owned()).collect();
        AnalysedLine { turns, score, win_in, proof: None }
    }

    #[test]
    fn lines_name_the_players_and_number_the_turns() {
        let game = game("jeson-mor", "c1-d3 c9-d7 b1-c3");
        let lines = vec![
            line(&["g9-f7", "g1-f3", "a9-b7"], 29_995, Some(3)),
            line(&["a9-b7"], 35, None),
            line(&["b9-c7"], 0, None),
            line(&["d9-e7"], -120, None),
            line(&["e9-f7"], -29_998, Some(-1)),
        ];
        let time = Duration::from_millis(2_100);
        let analysis = Analysis { depth: 7, nodes: 1234, time, lines, ..Analysis::default() };
        let expected = "depth 7, 1234 positions, 2.1 s
  Black wins in 3 turns at most  2... g9-f7 3. g1-f3 a9-b7
  Black is better by 0.35        2... a9-b7
  nobody is better               2... b9-c7
  White is better by 1.20        2... d9-e7
  White wins in 1 turn           2... e9-f7";
        assert_eq!(block(game.as_ref(), &analysis).join("\n"), expected);
    }

    #[test]
    fn a_terminal_shows_new_lines_over_the_old_ones() {
        let lines = ["depth 1".to_owned(), "a very long line".to_owned()];
        let mut output = Output { width: Some(9), drawn: 0 };
        assert_eq!(output.frame(&lines), "depth 1\na very l…\n");
        assert_eq!(output.frame(&lines), "\x1b[2A\x1b[Jdepth 1\na very l…\n");
        let mut pipe = Output { width: None, drawn: 2 };
        assert_eq!(pipe.frame(&lines), "depth 1\na very long line\n");
    }
}
