//! Matches through the real binary: faults of other programs, files, killing and resuming.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const BINARY: &str = env!("CARGO_BIN_EXE_quadrille");

/// A UGI program in bash. It plays the first legal turn, or does what its argument says.
const FAKE: &str = r#"
while read -r line; do
  case $line in
    ugi) echo "option name Game type string"; echo "option name Size type spin"; echo ugiok ;;
    isready) echo readyok ;;
    setoption*Game*) game=${line##* } ;;
    setoption*Size*) options="\"size\":${line##* }" ;;
    position*) moves=; [[ $line == *moves* ]] && moves=${line##* moves } ;;
    go*)
      case $1 in
        crash) exit 3 ;;
        illegal) echo bestmove zz ;;
        silent) ;;
        *)
          list=; for turn in $moves; do list+=",\"$turn\""; done
          reply=$("$2" query <<<"{\"game\":\"$game\",\"options\":{$options},\"moves\":[${list#,}],\"want\":[\"turns\"]}")
          echo bestmove "$(sed -E 's/.*"turns":\["([^"]+)".*/\1/' <<<"$reply")" ;;
      esac ;;
    quit) exit ;;
  esac
done
"#;

/// A fresh folder for one test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn arena(args: &[&str]) -> Output {
    Command::new(BINARY).arg("arena").args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a successful call prints.
fn table(args: &[&str]) -> String {
    let output = arena(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The one line of a call that must end with exit code 2.
fn refusal(args: &[&str]) -> String {
    let output = arena(args);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
    assert!(output.stdout.is_empty() && error.lines().count() == 1, "{args:?}: {error}");
    error
}

/// The line of a table that begins with a label.
fn row<'a>(table: &'a str, label: &str) -> Vec<&'a str> {
    let line = table.lines().find(|line| line.starts_with(label)).unwrap();
    line[label.len()..].split_whitespace().collect()
}

/// The moves of each round, in order.
pub fn rounds(file: &Path) -> Vec<(usize, String)> {
    let text = fs::read_to_string(file).unwrap();
    let round = |record: &str| {
        let number = record.split("[Round \"").nth(1)?.split('"').next()?.parse().ok()?;
        Some((number, record.split("\n\n").nth(1)?.to_owned()))
    };
    let mut rounds: Vec<_> = text.split("[Game ").skip(1).map(|r| round(r).unwrap()).collect();
    rounds.sort();
    rounds
}

#[test]
fn the_engine_beats_chance_and_the_table_says_so() {
    let args = ["six-making", "engine nodes=300 name=Ours", "random", "--size", "4"];
    let out = table(&[&args[..], &["--games", "6", "--concurrency", "2"]].concat());
    assert!(
        out.starts_with("six-making: 6 games, openings of 4 turns, seed 1\nA  Ours\n"),
        "{out}"
    );
    assert_eq!(row(&out, "all games"), ["6", "0", "0", "100.0", "%"]);
    assert_eq!(row(&out, "as second"), ["3", "0", "0", "100.0", "%"]);
    assert_eq!(row(&out, "faults"), ["A", "0,", "B", "0"]);
}

#[test]
fn a_test_stops_the_match_when_it_is_decided() {
    let args = ["gekitai", "engine nodes=100", "seed:easy", "--games", "9000"];
    let out = table(&[&args[..], &["--sprt", "-10", "90"]].concat());
    assert!(out.contains("Elo +90 accepted, -10 refuted"), "{out}");
    assert!(row(&out, "all games")[0].parse::<usize>().unwrap() < 200, "{out}");
}

#[test]
fn a_polite_program_plays_whole_games() {
    let folder = folder("polite");
    let (script, out) = (folder.join("fake.sh"), folder.join("match.txt"));
    fs::write(&script, FAKE).unwrap();
    let fake = format!("ugi:bash {} ok {BINARY} time=20000", script.display());
    let out = out.to_str().unwrap();
    let args = ["six-making", "random", &fake, "--size", "4", "--games", "2", "--max-turns", "24"];
    let table = table(&[&args[..], &["--out", out]].concat());
    assert_eq!(row(&table, "faults"), ["A", "0,", "B", "0"], "{table}");
    let record = fs::read_to_string(out).unwrap();
    assert!(record.contains("[Options \"size=4\"]\n[Player1 \"random\"]"), "{record}");
}

#[test]
fn faults_lose_games_and_the_match_goes_on() {
    let folder = folder("faults");
    let script = folder.join("fake.sh");
    fs::write(&script, FAKE).unwrap();
    let cases = [
        ("crash", "crash", "(3 crash)"),
        ("illegal", "illegal move: `zz` is not a move", "(3 illegal move)"),
        ("silent", "time", "(3 time)"),
    ];
    for (what, termination, count) in cases {
        let out = folder.join(what);
        let fake = format!("ugi:bash {} {what} time=1", script.display());
        let args = ["gekitai", "random", &fake, "--games", "3", "--margin", "20", "--out"];
        let table = table(&[&args[..], &[out.to_str().unwrap()]].concat());
        assert_eq!(row(&table, "all games")[..3], ["3", "0", "0"], "{table}");
        assert!(table.contains(&format!("faults          A 0, B 3 {count}")), "{table}");
        let records = fs::read_to_string(out).unwrap();
        let found = records.matches(&format!("[Termination \"{termination}")).count();
        assert_eq!(found, 3, "{records}");
    }
}

#[test]
fn a_killed_match_goes_on_and_ends_as_if_nothing_had_happened() {
    let folder = folder("killed");
    let (whole, killed) = (folder.join("whole.txt"), folder.join("killed.txt"));
    let args = ["gekitai", "engine nodes=50", "seed:hard", "--games", "60", "--out"];
    let expected = table(&[&args[..], &[whole.to_str().unwrap()]].concat());
    let args = [&args[..], &[killed.to_str().unwrap()]].concat();
    let mut child = Command::new(BINARY)
        .arg("arena")
        .args(&args)
        .args(["--concurrency", "2"])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // The first line comes when a tenth is done.
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.starts_with("6/60: "), "{line}");
    let before = rounds(&killed).len();
    assert!(before >= 6);
    let mut torn = fs::read_to_string(&killed).unwrap();
    torn += "[Game \"gekitai\"]\n[Player1 \"eng";
    fs::write(&killed, torn).unwrap();

    assert!(refusal(&args).contains("killed.txt exists; add --resume to continue it"));
    let output = arena(&[&args[..], &["--resume"]].concat());
    let messages = text(&output.stderr);
    assert!(
        messages.contains("the last record was incomplete; its 30 bytes were removed"),
        "{messages}"
    );
    assert_eq!(rounds(&killed), rounds(&whole));
    for label in ["all games", "as first", "as second", "Elo", "turns per game"] {
        assert_eq!(row(&text(&output.stdout), label), row(&expected, label));
    }
    // Nothing is missing now, and another match does not fit.
    let output = arena(&[&args[..], &["--resume"]].concat());
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    let other = refusal(&[&args[..], &["--resume", "--seed", "2"]].concat());
    assert!(other.contains(" of the file: it begins with another opening"), "{other}");
}

#[test]
fn a_wrong_call_gets_one_line() {
    let letter = folder("wrong").join("letter.txt");
    fs::write(&letter, "Dear aunt,\n").unwrap();
    let cases: &[(&[&str], &str)] = &[
        (&["chess", "random", "random"], "there is no game `chess`"),
        (&["gekitai", "random"], "something is missing: <B>"),
        (&["gekitai", "random", "engine"], "player `engine`: it needs time=MS"),
        (&["gekitai", "seed:smart", "random"], "there is no seed player `smart`; there are "),
        (&["gekitai", "random", "uci:./x time=1"], "UCI cannot play gekitai"),
        (&["jeson-mor", "random", "uci:/does/not/exist time=1"], "cannot start /does/not/exist"),
        (&["gekitai", "random", "random", "--resume"], "--out <FILE>"),
        (&["gekitai", "random", "random", "--sprt", "5", "0"], "the smaller first"),
        (&["gekitai", "random", "random", "--max-turns", "4"], "--max-turns must be more than"),
        (&["gekitai", "random", "random", "--openings", "999"], "--max-turns must be more than"),
        (&["gekitai", "random", "random", "--out", "/does/not/exist"], "cannot write /does/not"),
        (
            &["gekitai", "random", "random", "--resume", "--out", letter.to_str().unwrap()],
            "letter.txt: record from line 1: ",
        ),
    ];
    for (args, expected) in cases {
        let error = refusal(args);
        assert!(error.contains(expected), "{args:?}: {error}");
    }
    assert_eq!(fs::read_to_string(letter).unwrap(), "Dear aunt,\n");
}
