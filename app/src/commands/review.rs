//! `quadrille review`: the engine's judgement of whole files of games.

use crate::commands::analyze::thousandths;
use crate::output::draft::Draft;
use crate::shell::failure::{Failure, print};
use crate::shell::progress::Ticker;
use crate::shell::{input, interrupt};
use clap::Args;
use engine::{Session, Stop};
use requests::review::Judged;
use requests::think::Search;
use requests::{Budget, Desk, Effort, Given};
use rules::record::{Node, Record, Variation};
use rules::{ByPlayer, Player};
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::path::PathBuf;

/// Arguments of `review`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  quadrille review game.txt                       the game with signs, values and better turns
  quadrille review *.txt -o reviewed.txt          many files into one
  quadrille review games.txt --json | jq .turns   one JSON object for each game
  quadrille review game.txt --time 2              two seconds for each position
Signs: ?? a blunder, ? a mistake, ?! an inaccuracy. Values are in pieces, from the first player's \
point of view. Ctrl-C ends the work and keeps the games that are finished; if there was \
such a FILE before, they are in FILE.part. A game that cannot be read is named and stays as it is, and the \
exit code is 2.")]
pub struct ReviewArgs {
    /// Files of records (- for standard input)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print JSON, one line for each game
    #[arg(long)]
    pub json: bool,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How long to search each position
    #[arg(long, value_name = "SECONDS", default_value_t = 0.3)]
    pub time: f64,
    /// How many positions to look at for each, instead of a time
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// How many threads to use
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub threads: u8,
}

/// A game to review.
struct Game {
    file: String,
    /// Its number in the file, from 1.
    number: usize,
    text: String,
    /// What it is, or why it cannot be read.
    read: Result<Read, String>,
}

struct Read {
    record: Record,
    session: Box<dyn Session>,
}

impl Game {
    fn name(&self) -> String {
        format!("{}, game {}", self.file, self.number)
    }
}

/// The size of the engine's table.
const MEBIBYTES: usize = 64;

pub fn run(args: &ReviewArgs) -> Result<(), Failure> {
    let milliseconds = thousandths(args.time)?;
    let effort = Effort {
        time_ms: args.nodes.is_none().then(|| milliseconds.into()),
        nodes: args.nodes.map(Into::into),
        threads: Some(u64::from(args.threads).into()),
        ..Effort::default()
    };
    let games = games(args)?;
    let stop = interrupt::stops()?;
    let mut output = args.output.as_deref().map(Draft::open).transpose()?;
    let (mut desk, mut ticker, count) = (Desk::new(MEBIBYTES), Ticker::new(), games.len());
    let mut unread = Vec::new();
    for (done, game) in games.iter().enumerate() {
        let name = game.name();
        let judged = judge(game, &effort, &mut desk, &stop, |ply, of| {
            ticker.show(|_| format!("{} of {count} ({name}), turn {ply} of {of}", done + 1));
        });
        ticker.end();
        if stop.is_stopped() {
            let place = output.map_or(Ok(None), |draft| draft.stop(done))?;
            let place = place.map_or(String::new(), |path| format!(", in {}", path.display()));
            let words = format!("stopped: {done} of {count} games are finished{place}");
            return Err(Failure::Other(anyhow::anyhow!(words)));
        }
        if let Err(why) = &judged {
            unread.push(format!("{name}: {why}"));
        }
        if let Some(why) = unread.last().filter(|_| judged.is_err() && count > 1) {
            let _ = writeln!(io::stderr(), "quadrille: {why}");
        }
        let text = text(game, &judged, args.json);
        match &mut output {
            // Each game is on disk before the next begins.
            Some(draft) => draft.file.write_all(text.as_bytes())?,
            None => print(text)?,
        }
    }
    if let Some(draft) = output {
        draft.finish()?;
    }
    match &unread[..] {
        [] => Ok(()),
        [why] if count == 1 => Err(Failure::user(why.clone())),
        unread => {
            Err(Failure::user(format!("{} of {count} games could not be reviewed", unread.len())))
        }
    }
}

/// The output for a game: one that cannot be read stays as it is.
fn text(game: &Game, judged: &Result<Vec<Judged>, String>, as_json: bool) -> String {
    let Game { file, number, text, read } = game;
    match (read, judged) {
        (Ok(read), Ok(judged)) if as_json => format!("{}\n", told(game, read, judged)),
        (Ok(read), Ok(judged)) => format!("{}\n", annotated(read, judged)),
        (Err(why), _) | (_, Err(why)) if as_json => {
            format!("{}\n", json!({"file": file, "number": number, "error": why}))
        }
        _ => format!("{}\n\n", text.trim_end()),
    }
}

/// The games of all files, those that cannot be read among them.
fn games(args: &ReviewArgs) -> Result<Vec<Game>, Failure> {
    let mut games = Vec::new();
    for path in &args.files {
        let file = path.display().to_string();
        for (i, text) in input::records(&input::read(path)?).into_iter().enumerate() {
            let read = read(&text);
            games.push(Game { file: file.clone(), number: i + 1, text, read });
        }
    }
    Ok(games)
}

fn read(text: &str) -> Result<Read, String> {
    let record = Record::parse(text).map_err(|error| error.to_string())?;
    let id = record.game().map_err(|error| error.to_string())?;
    let entry = input::game(id).map_err(|failure| failure.message())?;
    let session = (entry.from_record)(&record).map_err(|error| error.to_string())?;
    Ok(Read { record, session })
}

/// The engine's judgement of each turn, in order, or why there is none.
fn judge(
    game: &Game,
    effort: &Effort,
    desk: &mut Desk,
    stop: &Stop,
    mut tell: impl FnMut(usize, usize),
) -> Result<Vec<Judged>, String> {
    let session = game.read.as_ref().map_err(String::clone)?.session.as_ref();
    let given = Given {
        game: Some(session.info().id.to_owned()),
        options: Some(session.options()),
        position: Some(session.start().text().into()),
        turns: Some(session.history()),
        moves: None,
    };
    let search = Search { given, effort: effort.clone() };
    let mut going = search.review(&Budget::OWN).map_err(|refusal| refusal.message)?;
    let mut judged = Vec::new();
    while let Some(one) = going.step(desk, stop) {
        tell(one.of - one.ply.min(one.of), one.of);
        judged.push(one);
    }
    judged.reverse();
    Ok(judged)
}

/// The sign for a kind of mistake.
pub fn sign(mistake: &str) -> &'static str {
    match mistake {
        "blunder" => "??",
        "mistake" => "?",
        _ => "?!",
    }
}

/// The record with signs, values and better turns.
fn annotated(read: &Read, judged: &[Judged]) -> Record {
    let mut record = read.record.clone();
    let players = &read.session.info().players;
    for one in judged.iter().filter(|one| one.ply > 0) {
        let Some(node) = record.main.nodes.get_mut(one.ply - 1) else { continue };
        let value = worth(one, players);
        node.comment = match node.comment.is_empty() {
            true => value,
            false => format!("{value}; {}", node.comment),
        };
        let Some(mistake) = one.mistake else { continue };
        if node.glyph.is_empty() {
            node.glyph = sign(mistake).to_owned();
        }
        if !one.best.is_empty() && one.best.first() != Some(&node.turn) {
            let nodes = one.best.iter().map(Node::new).collect();
            node.variations.push(Variation { comment: String::new(), nodes });
        }
    }
    record
}

/// A value from the first player's point of view: `+0.35`, or `X wins in 3`.
fn worth(one: &Judged, players: &ByPlayer<&str>) -> String {
    match one.win_in {
        Some(turns) if turns > 0 => format!("{} wins in {turns}", players[Player::One]),
        Some(turns) if turns < 0 => format!("{} wins in {}", players[Player::Two], -turns),
        Some(_) => String::from("over"),
        None => format!("{:+.2}", f64::from(one.score) / 100.0),
    }
}

fn told(game: &Game, read: &Read, judged: &[Judged]) -> Value {
    let tags: Map<String, Value> =
        read.record.tags.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let turns = read.session.history();
    let first = read.session.first_player();
    let each = judged.iter().map(|one| {
        let mut told = json!(one);
        let turn = one.ply.checked_sub(1).and_then(|i| turns.get(i));
        if let (Some(turn), Some(fields)) = (turn, told.as_object_mut()) {
            fields.insert("turn".into(), json!(turn));
            fields.insert("sign".into(), json!(one.mistake.map_or("", sign)));
        }
        told
    });
    let of = |player: Player| {
        let own =
            judged.iter().filter(|one| one.ply > 0 && (one.ply % 2 == 1) == (player == first));
        let count = |kind: &str| own.clone().filter(|one| one.mistake == Some(kind)).count();
        let lost: i32 = own.clone().filter_map(|one| one.loss).sum();
        json!({
            "turns": own.clone().count(),
            "lost": lost,
            "inaccuracies": count("inaccuracy"),
            "mistakes": count("mistake"),
            "blunders": count("blunder"),
        })
    };
    json!({
        "file": game.file,
        "number": game.number,
        "game": read.session.info().id,
        "tags": tags,
        "turns": each.collect::<Vec<_>>(),
        "players": Player::BOTH.map(of),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_checked_before_any_file_is_read() {
        let args = ReviewArgs {
            files: vec!["no-such-file".into()],
            json: false,
            output: None,
            time: f64::NAN,
            nodes: None,
            threads: 1,
        };
        let message = run(&args).unwrap_err().message();
        assert!(message.contains("--time"), "{message}");
    }
}
