//! `quadrille atlas`: certificates for all positions of a game's atlas, in a folder.

mod table;

use crate::commands::solve::rounded;
use crate::shell::effort::Allowance;
use crate::shell::failure::{Failure, print};
use crate::shell::interrupt;
use crate::shell::progress::Ticker;
use clap::Args;
use engine::solve::atlas::Row;
use engine::solve::certificate::{Claim, compress, crc, decompress};
use engine::solve::question::Settings;
use engine::solve::report::Report;
use engine::{Entry, GAMES, Stop, parts};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Arguments of `atlas`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  quadrille atlas -o atlas                      continues where it stopped
  quadrille atlas -o atlas --only 5x5 --cpu 600
  quadrille atlas -o atlas --only 6x6-8 --turns 0   the board itself, none of its turns
  quadrille atlas -o atlas --check              every certificate, by the rules alone
  quadrille atlas -o atlas --table              what is known, as tables in Markdown
  quadrille atlas --table                       the same, of what comes with the program
Each position gets a certificate, FOLDER/NAME.certificate.gz, and a line in FOLDER/atlas.json. Positions that stay open \
are tried again when more effort is allowed. A certificate that is already there is checked and kept. Ctrl-C loses only \
the position that is being solved.")]
pub struct AtlasArgs {
    /// The folder
    #[arg(short, long, value_name = "FOLDER", required_unless_present = "table")]
    pub output: Option<PathBuf>,
    /// Check what is there instead of building
    #[arg(long, conflicts_with = "table")]
    pub check: bool,
    /// Print what is known instead of building
    #[arg(long)]
    pub table: bool,
    /// Only positions whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub only: String,
    /// Only positions at most this many turns from the start of their board
    #[arg(long, value_name = "COUNT", default_value_t = 2)]
    pub turns: u8,
    /// Processor time for each position
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..))]
    pub cpu: u32,
    /// Memory for the table of positions
    #[arg(long, value_name = "MEBIBYTES", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub memory: u32,
}

/// The file with the values of the positions.
struct Index {
    folder: PathBuf,
    file: PathBuf,
    rows: Map<String, Value>,
}

impl Index {
    fn open(folder: &Path) -> Result<Index, Failure> {
        fs::create_dir_all(folder).map_err(|error| {
            Failure::user(format!("cannot create {}: {error}", folder.display()))
        })?;
        let file = folder.join("atlas.json");
        let rows = match fs::read(&file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Map::new(),
            Err(error) => {
                return Err(Failure::user(format!("cannot read {}: {error}", file.display())));
            }
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| Failure::user(format!("{}: {error}", file.display())))?,
        };
        Ok(Index { folder: folder.to_owned(), file, rows })
    }

    /// Notes a position; the file is replaced as a whole.
    fn note(&mut self, name: &str, value: Value) -> Result<(), Failure> {
        self.rows.insert(name.to_owned(), value);
        let text = serde_json::to_string_pretty(&self.rows).unwrap_or_default() + "\n";
        replace(&self.file, text.as_bytes())
    }
}

/// Writes a file beside the old one and puts it in its place.
fn replace(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let new = file.with_extension("new");
    let failed = |error| Failure::user(format!("cannot write {}: {error}", file.display()));
    fs::write(&new, bytes).and_then(|()| fs::rename(&new, file)).map_err(failed)
}

fn certificate(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.certificate.gz"))
}

pub fn run(args: &AtlasArgs) -> Result<(), Failure> {
    let Some(folder) = &args.output else {
        let known = parts::atlas().map_err(Failure::user)?;
        let known = serde_json::from_slice(known).map_err(|e| Failure::user(e.to_string()))?;
        return print(table::tables(&known));
    };
    let mut index = Index::open(folder)?;
    if args.table {
        return print(table::tables(&index.rows));
    }
    let rows = GAMES.iter().flat_map(|entry| (entry.atlas)().into_iter().map(move |r| (entry, r)));
    let most = usize::from(args.turns);
    let is_asked = |row: &Row| row.name.contains(&args.only) && row.moves.len() <= most;
    let rows: Vec<_> = rows.filter(|(_, row)| is_asked(row)).collect();
    if rows.is_empty() {
        let message = format!(
            "no position of the atlas has `{}` in its name and at most {most} turns: \
             `quadrille atlas --table` lists boards",
            args.only
        );
        return Err(Failure::user(message));
    }
    let stop = interrupt::stops()?;
    if args.check { check(&index, &rows) } else { build(args, &mut index, &rows, &stop) }
}

fn build(
    args: &AtlasArgs,
    index: &mut Index,
    rows: &[(&Entry, Row)],
    stop: &Stop,
) -> Result<(), Failure> {
    let (mut settled, mut open) = (0, 0);
    for (i, (entry, row)) in rows.iter().enumerate() {
        let file = certificate(&index.folder, &row.name);
        let known = index.rows.get(&row.name);
        let tried = known.and_then(|known| known["open_after_cpu_s"].as_f64());
        if known.is_some() && (file.exists() || tried.is_some_and(|s| s >= f64::from(args.cpu))) {
            *(if file.exists() { &mut settled } else { &mut open }) += 1;
            continue;
        }
        let title = format!("{} of {}: {}", i + 1, rows.len(), row.name);
        if let Some(value) = take_over(&file, entry, row, &title) {
            print(format!("{title}: {} (by the certificate there)\n", words(entry, &value)))?;
            settled += 1;
            index.note(&row.name, value)?;
            continue;
        }
        let value = solve(args, &index.folder, entry, row, &title, stop)?;
        if stop.is_stopped() && value["winner"].is_null() {
            print(format!("{title}: stopped\n"))?;
            break;
        }
        let spent = format!("{} positions, {} s of processor time", value["nodes"], value["cpu_s"]);
        print(format!("{title}: {} ({spent})\n", words(entry, &value)))?;
        *(if value["winner"].is_null() { &mut open } else { &mut settled }) += 1;
        index.note(&row.name, value)?;
    }
    print(format!("{settled} settled, {open} open, {} in all\n", rows.len()))
}

/// The value of a row of the index in words.
fn words(entry: &Entry, value: &Value) -> String {
    let name = |number: u64| entry.info.players[usize::from(number == 2)];
    match (&value["winner"], &value["within"]) {
        (Value::Number(winner), within) => {
            let most = if value["exact"] == true { "" } else { " at most" };
            let turns = if *within == 1 { "turn" } else { "turns" };
            format!("{} wins in {within} {turns}{most}", name(winner.as_u64().unwrap_or(1)))
        }
        (Value::String(_), _) => "nobody can force a win".to_owned(),
        _ => "open".to_owned(),
    }
}

/// The value of a row from a certificate in the folder, if there is one that holds.
fn take_over(file: &Path, entry: &Entry, row: &Row, title: &str) -> Option<Value> {
    let text = decompress(&fs::read(file).ok()?).ok()?;
    let (mut ticker, checking) = (Ticker::new(), Allowance::new(None));
    let proven = (entry.verify)(&text, &mut |done, all| {
        ticker.show(|_| format!("{title}: checked {done} of {all} stored positions"));
    });
    ticker.end();
    let proven = proven.ok().filter(|proven| proven.position == row.position)?;
    let (winner, within) = claimed(proven.claim);
    let mut value = about(entry, row);
    let stored = text.lines().find_map(|line| line.strip_prefix("stored ")?.parse::<u64>().ok());
    let more = json!({
        "also": row.also.as_ref().filter(|_| winner != "draw"), "winner": winner, "within": within,
        "exact": winner == "draw", "stored": stored, "bytes": fs::metadata(file).ok()?.len(), "crc": crc(&text),
        "check_cpu_s": rounded(checking.spent()),
    });
    if winner.is_null() {
        return None;
    }
    extend(&mut value, more);
    Some(value)
}

/// The claim of a certificate, in the words of the index.
fn claimed(claim: Claim) -> (Value, Value) {
    match claim {
        Claim::Wins { player, within } => (json!(player.number()), json!(within)),
        Claim::Nobody => (json!("draw"), Value::Null),
        Claim::NoWin(_) => (Value::Null, Value::Null),
    }
}

/// The fields of a row that do not depend on its value.
fn about(entry: &Entry, row: &Row) -> Value {
    let Row { title, moves, position, .. } = row;
    json!({ "game": entry.info.id, "title": title, "moves": moves, "position": position, "winner": null })
}

fn extend(value: &mut Value, more: Value) {
    if let (Value::Object(all), Value::Object(more)) = (value, more) {
        all.extend(more);
    }
}

/// Solves a position and has its certificate checked before it is kept.
fn solve(
    args: &AtlasArgs,
    folder: &Path,
    entry: &Entry,
    row: &Row,
    label: &str,
    stop: &Stop,
) -> Result<Value, Failure> {
    let session = (entry.from_text)(&row.position, &Map::new()).map_err(Failure::user)?;
    let settings = Settings {
        method: row.method,
        player: row.player,
        most_turns: None,
        time: None,
        nodes: None,
        mebibytes: args.memory as usize,
        threads: 1,
        checkpoint: None,
        resume: None,
    };
    let allowance = Allowance::new(Some(Duration::from_secs(args.cpu.into())));
    let (mut ticker, own) = (Ticker::new(), Stop::default());
    let report = (entry.solve)(session.as_ref(), &settings, &own, &mut |progress| {
        allowance.check(progress, &own);
        if stop.is_stopped() {
            own.stop();
        }
        ticker.show(|_| format!("{label}: {}, {} positions", progress.doing, progress.nodes));
    });
    ticker.end();
    let Report { win, draw, progress, .. } = report.map_err(Failure::user)?;
    let cpu_s = rounded(allowance.spent());
    let found = match (win, draw) {
        (Some(win), _) => win
            .certificate
            .map(|proof| (proof, json!(win.player.number()), json!(win.turns), win.exact)),
        (None, Some(draw)) => {
            let (text, sizes) = draw.certificate;
            Some(((text, sizes.iter().sum()), json!("draw"), Value::Null, true))
        }
        (None, None) => None,
    };
    let mut value = about(entry, row);
    extend(&mut value, json!({ "nodes": progress.nodes, "cpu_s": cpu_s }));
    let Some(((text, stored), winner, within, exact)) = found else {
        value["open_after_cpu_s"] = json!(f64::from(args.cpu));
        return Ok(value);
    };
    let checking = Allowance::new(None);
    (entry.verify)(&text, &mut |done, all| {
        ticker.show(|_| format!("{label}: checked {done} of {all} stored positions"));
    })
    .map_err(|fault| Failure::user(format!("{}: its certificate is refused: {fault}", row.name)))?;
    ticker.end();
    let packed = compress(&text)?;
    replace(&certificate(folder, &row.name), &packed)?;
    let also = row.also.as_ref().filter(|_| winner != "draw");
    let fields = json!({
        "also": also, "winner": winner, "within": within, "exact": exact, "stored": stored,
        "bytes": packed.len(), "crc": crc(&text), "check_cpu_s": rounded(checking.spent()),
    });
    extend(&mut value, fields);
    Ok(value)
}

/// Checks every certificate by the rules alone, and that it proves what the index says.
fn check(index: &Index, rows: &[(&Entry, Row)]) -> Result<(), Failure> {
    let known = rows.iter().filter_map(|(entry, row)| {
        let value = index.rows.get(&row.name).filter(|value| !value["winner"].is_null())?;
        Some((entry, row, value))
    });
    let known: Vec<_> = known.collect();
    let mut ticker = Ticker::new();
    for (i, (entry, row, value)) in known.iter().enumerate() {
        let file = certificate(&index.folder, &row.name);
        let refused = |why: String| Failure::user(format!("{} is refused: {why}", file.display()));
        let bytes = fs::read(&file).map_err(|error| refused(error.to_string()))?;
        let text = decompress(&bytes).map_err(|fault| refused(fault.to_string()))?;
        let proven = (entry.verify)(&text, &mut |done, all| {
            ticker.show(|_| format!("{} of {}: {}: {done} of {all}", i + 1, known.len(), row.name));
        })
        .map_err(|fault| refused(fault.to_string()))?;
        let claim = claimed(proven.claim);
        if proven.position != row.position
            || claim != (value["winner"].clone(), value["within"].clone())
        {
            return Err(refused("it proves something other than atlas.json says".to_owned()));
        }
    }
    ticker.end();
    print(format!(
        "{} certificates hold, {} positions are open\n",
        known.len(),
        rows.len() - known.len()
    ))
}
