//! `solve`, `verify` and `puzzles`, through the real program.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn quadrille(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
    command.args(args);
    command
}

fn run(args: &[&str]) -> Output {
    quadrille(args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a_win_is_told_with_its_line() {
    let told = stdout(&run(&["solve", "jeson-mor", "n3n/5/2N2/5/N3N 1"]));
    assert!(told.contains("White wins in 1 turn: 1. c3-"), "{told}");
    let told = stdout(&run(&["solve", "gekitai", "--size", "5", "--markers", "3"]));
    assert!(told.contains("X wins in 3 turns: 1. "), "{told}");
}

#[test]
fn what_is_excluded_is_told_and_no_more() {
    let told =
        stdout(&run(&["solve", "six-making", "--size", "4", "--within", "2", "--method", "bound"]));
    assert!(told.contains("nobody can force a win within 2 turns\n"), "{told}");
    let told = stdout(&run(&["solve", "gekitai", "--nodes", "50", "--method", "proof"]));
    assert!(told.contains("unknown after "), "{told}");
    let told = stdout(&run(&["solve", "gekitai", "--size", "4", "--markers", "4", "--complete"]));
    assert!(told.contains("nobody can force a win\n20600 positions up to symmetry"), "{told}");
}

#[test]
fn a_certificate_is_written_and_verified_and_a_damaged_one_refused() {
    let file = folder("certificate").join("proof");
    let name = file.to_str().unwrap();
    let solve = ["solve", "jeson-mor", "--size", "5", "-o", name];
    assert!(stdout(&run(&solve)).contains("Black wins in 11 turns: 1. "));
    assert!(stdout(&run(&["verify", name])).contains("it holds: "));
    let mut bytes = std::fs::read(&file).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let refused = run(&["verify", name]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(said.contains("is refused: line ") && said.lines().count() == 1, "{said}");
    assert_eq!(run(&["verify", "no such file"]).status.code(), Some(2));
}

#[test]
fn that_nobody_wins_is_told_and_verified() {
    let file = folder("draw").join("proof.gz");
    let name = file.to_str().unwrap();
    let solve = ["solve", "gekitai", "--size", "4", "--markers", "4", "--memory", "8", "-o", name];
    let told = stdout(&run(&[&solve[..], &["--method", "draw"]].concat()));
    assert!(told.contains("nobody can force a win: closed sets of "), "{told}");
    let told = stdout(&run(&["verify", name]));
    assert!(
        told.starts_with("Gekitai: nobody can force a win from `4/4/4/4;markers=4 1`\n"),
        "{told}"
    );
    assert!(told.contains("it holds: "), "{told}");
    // Without being told, it finds that out by itself.
    assert!(stdout(&run(&solve)).contains("nobody can force a win: closed sets of "));
}

#[test]
fn a_bound_in_quiet_moves_says_what_it_means() {
    let solve = ["solve", "jeson-mor", "--size", "7", "--method", "quiet", "--within", "4"];
    let told = stdout(&run(&[&solve[..], &["--memory", "8", "--player", "2"]].concat()));
    let expected = "Black cannot force a win before both players together have made 4 quiet moves\n\
                    (a move is quiet unless it ends on one of the eight cells a jump from the centre";
    assert!(told.contains(expected), "{told}");
}

#[test]
fn a_table_that_is_cut_short_is_refused() {
    let file = folder("table").join("knights");
    std::fs::write(&file, b"quadrille table 1 jeson-mor size=5\n\0\0\0").unwrap();
    let refused = run(&["verify", file.to_str().unwrap()]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(said.contains("knights") && said.lines().count() == 1, "{said}");
}

/// The first line of an answer: who wins.
fn verdict(output: &Output) -> String {
    stdout(output).lines().nth(1).unwrap().split(" wins").next().unwrap().to_owned()
}

/// Starts to solve with a checkpoint, kills the process as soon as there is one, and goes on from it.
fn killed_and_resumed(name: &str, question: &[&str]) -> Output {
    let file = folder(name).join("work");
    let work = file.to_str().unwrap();
    let first = [question, &["--checkpoint", work, "--every", "1"]].concat();
    let mut child = quadrille(&first).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !file.exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(file.exists(), "there was no checkpoint to go on from");
    run(&[question, &["--resume", work]].concat())
}

#[test]
fn a_proof_that_is_killed_goes_on_to_the_same_result() {
    let question =
        ["solve", "gekitai", "--moves", "c3 d4 c3", "--method", "proof", "--memory", "64"];
    let question = [&question[..], &["--nodes", "20000000"]].concat();
    assert_eq!(verdict(&killed_and_resumed("proof", &question)), "X");
}

#[test]
fn bounds_that_are_killed_go_on_to_the_same_result() {
    let question = [
        "solve",
        "six-making",
        "--size",
        "4",
        "--method",
        "bound",
        "--within",
        "5",
        "--memory",
        "64",
    ];
    let resumed = killed_and_resumed("bounds", &question);
    let told = stdout(&resumed);
    assert!(told.contains("nobody can force a win within 5 turns\n"), "{told}");
}

#[test]
fn quiet_moves_that_are_killed_go_on_with_their_table() {
    // Takes a minute without optimisation; the tests above cover killing and resuming each time.
    if !crate::is_long() {
        return;
    }
    let question = ["solve", "jeson-mor", "--size", "7", "--method", "quiet", "--player", "2"];
    let question = [&question[..], &["--memory", "32", "--time", "600"]].concat();
    let resumed = killed_and_resumed("quiet", &question);
    assert_eq!(verdict(&resumed), "Black");
}

#[test]
fn a_checkpoint_of_another_question_is_refused() {
    let file = folder("other").join("work");
    let work = file.to_str().unwrap();
    stdout(&run(&[
        "solve",
        "gekitai",
        "--nodes",
        "100",
        "--method",
        "proof",
        "--checkpoint",
        work,
    ]));
    let other = run(&["solve", "gekitai", "--size", "5", "--method", "proof", "--resume", work]);
    assert_eq!(other.status.code(), Some(2));
    std::fs::write(&file, "nonsense").unwrap();
    let nonsense = run(&["solve", "gekitai", "--method", "proof", "--resume", work]);
    assert_eq!(nonsense.status.code(), Some(2));
}

#[test]
fn puzzles_are_records() {
    let told = stdout(&run(&["puzzles", "jeson-mor", "--size", "5", "--count", "2"]));
    assert_eq!(told.matches("[Puzzle \"").count(), 2, "{told}");
    let first = told.split("\n[Game").next().unwrap();
    let file = folder("puzzles").join("one.txt");
    std::fs::write(&file, first).unwrap();
    let shown = stdout(&run(&["render", "--file", file.to_str().unwrap(), "--after", "0"]));
    assert!(shown.contains("to move"), "{shown}");
}

#[test]
fn puzzles_are_rated_again_and_sorted() {
    let known: Vec<String> =
        engine::puzzles::shipped("gekitai").into_iter().take(8).map(|one| one.record).collect();
    let own = folder("rated");
    let (mixed, sorted) = (own.join("mixed.txt"), own.join("sorted.txt"));
    let again: Vec<String> =
        known.iter().rev().map(|one| one.replace("[Rating \"", "[Rating \"7")).collect();
    std::fs::write(&mixed, again.join("\n")).unwrap();
    let [mixed, to] = [&mixed, &sorted].map(|file| file.to_str().unwrap());
    stdout(&run(&["puzzles", "gekitai", "--rate", mixed, "-o", to]));
    let ratings = |records: &str| -> Vec<String> {
        let lines = records.lines().filter(|line| line.starts_with("[Rating"));
        lines.map(str::to_owned).collect()
    };
    let sorted = std::fs::read_to_string(to).unwrap();
    assert_eq!(ratings(&sorted), ratings(&known.join("\n")), "{sorted}");
    let wrong = run(&["puzzles", "glaisher", "--rate", mixed]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn an_atlas_is_built_goes_on_where_it_stopped_and_is_checked() {
    let folder = folder("atlas");
    let name = folder.to_str().unwrap();
    let atlas = |more: &[&str]| run(&[&["atlas", "-o", name, "--only", "4x4-3"], more].concat());
    let told = stdout(&atlas(&[]));
    assert!(told.contains("1 of 2: gekitai-4x4-3-mover: nobody can force a win ("), "{told}");
    assert!(told.ends_with("2 settled, 0 open, 2 in all\n"), "{told}");
    assert_eq!(stdout(&atlas(&[])), "2 settled, 0 open, 2 in all\n");
    assert_eq!(stdout(&atlas(&["--check"])), "2 certificates hold, 0 positions are open\n");
    let tables = stdout(&atlas(&["--table"]));
    assert!(tables.contains("| 4×4, 3 markers | nobody can force a win | "), "{tables}");

    // What the index says must be what is proven.
    let index = folder.join("atlas.json");
    let text = std::fs::read_to_string(&index).unwrap();
    std::fs::write(&index, text.replacen("\"draw\"", "1", 1)).unwrap();
    let refused = atlas(&["--check"]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("it proves something other than atlas.json says"), "{said}");

    // One that is gone is made again.
    std::fs::write(&index, text).unwrap();
    std::fs::remove_file(folder.join("gekitai-4x4-3-draw.certificate.gz")).unwrap();
    assert_eq!(atlas(&["--check"]).status.code(), Some(2));
    assert!(stdout(&atlas(&[])).contains("2 of 2: gekitai-4x4-3-draw: "));
    assert_eq!(run(&["atlas", "-o", name, "--only", "nothing"]).status.code(), Some(2));

    // A certificate is settled only once it holds: one that was torn is made again, a whole one is taken over.
    let torn = folder.join("gekitai-4x4-3-mover.certificate.gz");
    let bytes = std::fs::read(&torn).unwrap();
    for (left, told) in [(bytes.len(), "(by the certificate there)"), (40, " positions, ")] {
        std::fs::write(&torn, &bytes[..left]).unwrap();
        std::fs::remove_file(&index).unwrap();
        let said = stdout(&atlas(&["--turns", "0"]));
        assert!(said.lines().next().unwrap().contains(told), "{said}");
        assert_eq!(stdout(&atlas(&["--check"])), "2 certificates hold, 0 positions are open\n");
    }
    assert!(!folder.join("gekitai-4x4-3-mover.certificate.new").exists());
}

#[test]
fn a_bound_is_confirmed_by_the_plain_search() {
    let question = ["solve", "gekitai", "--size", "5", "--markers", "4", "--within", "5"];
    for method in ["bound", "plain"] {
        let told = stdout(&run(&[&question[..], &["--method", method]].concat()));
        assert!(told.contains("nobody can force a win within 5 turns\n"), "{method}: {told}");
    }
    let told = stdout(&run(&[
        "solve",
        "gekitai",
        "--size",
        "5",
        "--markers",
        "3",
        "--within",
        "3",
        "--method",
        "plain",
    ]));
    assert!(told.contains("X wins in 3 turns"), "{told}");
}
