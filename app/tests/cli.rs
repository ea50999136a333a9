//! The real binary: what it prints, and how it ends.

use engine::GAMES;
use serde_json::Value;
use std::io::Write;
use std::process::{Command, Output, Stdio};

fn quadrille(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_quadrille"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that ends early closes its end of the pipe.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    let output = quadrille(args, "");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The one line on standard error of a call that must end with exit code 2.
fn refusal(args: &[&str], input: &str) -> String {
    let output = quadrille(args, input);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
    assert!(output.stdout.is_empty(), "{args:?} printed something");
    assert_eq!(error.lines().count(), 1, "{args:?}: {error}");
    error.trim_end().to_owned()
}

#[test]
fn perft_prints_the_count() {
    assert_eq!(stdout(&["perft", "glaisher", "1", "--turns"]), "1290\n");
    assert_eq!(stdout(&["perft", "glaisher", "1", "--turns", "--min-parts", "2"]), "1125\n");
    assert_eq!(stdout(&["perft", "jeson-mor", "3", "--size", "7"]), "11176\n");
    assert_eq!(stdout(&["perft", "gekitai", "0"]), "1\n");
    let divided = stdout(&["perft", "six-making", "2", "--size", "4", "--divide"]);
    assert_eq!(divided.lines().next(), Some("a1 15"));
    assert_eq!(divided.lines().last(), Some("240"));
}

#[test]
fn what_was_probably_meant_is_named_and_nothing_else() {
    let cases: &[(&str, &str)] = &[
        ("paly", "there is no command `paly`; did you mean `play`?"),
        ("rendr", "there is no command `rendr`; did you mean `render`?"),
        ("slove", "there is no command `slove`; did you mean `solve`?"),
        ("hlep", "there is no command `hlep`; did you mean `help`?"),
        ("nosuch", "there is no command `nosuch` (try"),
        ("x", "there is no command `x` (try"),
        ("gekitai", "there is no command `gekitai` (try"),
        ("render gekitai --json", "there is no flag `--json`"),
        ("perft gekitai 1 --jsno", "there is no flag `--jsno` (try"),
        ("analyze gekitai --dept 3", "there is no flag `--dept`; did you mean `--depth`?"),
        ("analyze gekitai --dept=3", "there is no flag `--dept`; did you mean `--depth`?"),
        ("render gekitai --sampel final", "there is no flag `--sampel`; did you mean `--sample`?"),
        ("play gekitai --frist human", "there is no flag `--frist`; did you mean `--first`?"),
        ("perft gekitai --turns 1 2", "`2` is one word too many"),
        ("completions bsah", "<SHELL> cannot be `bsah`; did you mean `bash`?"),
        ("completions nosuch", "<SHELL> must be one of bash,"),
    ];
    for (line, expected) in cases {
        let args: Vec<&str> = line.split(' ').collect();
        let error = refusal(&args, "");
        assert!(error.contains(expected), "{line}: {error}");
        let suggests = |text: &str| text.contains("did you mean");
        assert_eq!(suggests(&error), suggests(expected), "{line}: {error}");
    }
}

#[test]
fn a_wrong_call_gets_one_line_and_exit_code_2() {
    let cases: &[(&[&str], &str)] = &[
        (&["chess"], "there is no command `chess`"),
        (&["serv"], "there is no command `serv`; did you mean `serve`?"),
        (&["rules", "gekitia"], "there is no game `gekitia`; did you mean `gekitai`?"),
        (
            &["analyze", "gekitai", "--dpeth=3"],
            "there is no flag `--dpeth`; did you mean `--depth`?",
        ),
        (
            &["perft", "gekitai", "2", "--turn"],
            "there is no flag `--turn`; did you mean `--turns`?",
        ),
        (&["analyze", "gekitai", "--depth", "x"], "--depth must be a number, got `x`"),
        (&["analyze", "gekitai", "--time", "1e300"], "--time must be 0.001 to 1000000, got 1e300"),
        (
            &["render", "gekitai", "--color", "alway"],
            "--color cannot be `alway`; did you mean `always`?",
        ),
        (&["play", "--theme", "drak"], "there is no theme `drak`; did you mean `dark`?"),
        (&["render", "--file", "/dev/null"], "/dev/null is empty: expected a position or a record"),
        (&["verify", "/dev/zero"], "/dev/zero is refused: it is neither text nor compressed"),
        (&["join", "https://host/k3Vx9QmZ"], "this program was built without TLS"),
        (&["rules", "chess"], "there is no game `chess`; the games are glaisher, gekitai"),
        (&["perft", "gekitai"], "something is missing: <DEPTH>"),
        (&["perft", "gekitai", "many"], "<DEPTH> must be a number, got `many`"),
        (&["perft", "gekitai", "4000000000"], "<DEPTH> must be 0 to 100, got `4000000000`"),
        (&["perft", "gekitai", "1", "--size", "99"], "--size must be 4 to 8, got `99`"),
        (
            &["perft", "glaisher", "1", "--size", "5"],
            "glaisher has no option `size`; it has side, min_parts",
        ),
        (&["render"], "which game?"),
        (&["render", "gekitai", "zz"], "`zz` lacks a blank and the player to move"),
        (&["render", "gekitai", "{"], "not JSON"),
        (&["render", "gekitai", "[[empty"], "in a Prolog term"),
        (&["render", "gekitai", "--moves", "c4 c4"], "`c4` is not legal here: c4 is occupied"),
        (
            &["render", "gekitai", "--moves", "zz"],
            "`zz` is not a move, expected a cell such as `c4`",
        ),
        (&["render", "gekitai", "--sample", "odd"], "there is no sample `odd`; there are initial"),
        (
            &["render", "gekitai", "--sample", "final", "--size", "4"],
            "a sample has its own options",
        ),
        (&["render", "gekitai", "--after", "1"], "the game has 0 turns, not 1"),
        (&["render", "--file", "/does/not/exist"], "cannot read /does/not/exist"),
        (&["render", "gekitai", "-o", "/does/not/exist.svg"], "cannot write /does/not/exist.svg"),
        (&["render", "gekitai", "-o", "board.xyz"], "unknown ending `.xyz`"),
        (&["analyze", "gekitai", "--time", "0"], "--time must be 0.001 to 1000000, got 0"),
        (&["analyze", "gekitai", "--depth", "0"], "--depth must be 1 to 100, got `0`"),
        (&["analyze", "--lines", "2"], "which game?"),
        (&["engine", "gekitai"], "`gekitai` is one word too many"),
        (&["bench", "playouts", "--seconds", "0"], "--seconds must be 0.01 to 3600, got 0"),
    ];
    for (args, expected) in cases {
        let error = refusal(args, "");
        assert!(error.starts_with("quadrille: ") && error.contains(expected), "{args:?}: {error}");
    }
}

#[test]
fn every_notation_is_read_and_written() {
    for entry in GAMES {
        let game = entry.info.id;
        for (sample, _) in entry.info.samples {
            let line = stdout(&["render", game, "--sample", sample, "--format", "line"]);
            let session = (entry.from_text)(line.trim(), &Default::default()).unwrap();
            let formats = ["json", "line"].into_iter().chain(session.term().map(|_| "prolog"));
            for format in formats {
                let written = stdout(&["render", game, "--sample", sample, "--format", format]);
                let read = stdout(&["render", game, written.trim(), "--format", "line"]);
                assert_eq!(read, line, "{game} {sample} {format}: {written}");
            }
        }
    }
}

#[test]
fn a_record_is_drawn_after_any_of_its_turns() {
    let record = stdout(&["render", "gekitai", "--moves", "c3 d4 a1", "--format", "record"]);
    assert!(record.ends_with("1. c3 d4 2. a1 *\n"), "{record}");
    assert_eq!(stdout(&["render", &record, "--format", "record"]), record);
    let render = |after: &str| {
        let args = ["render", "--file", "-", "--format", "line", "--after", after];
        String::from_utf8(quadrille(&args, &record).stdout).unwrap()
    };
    assert_eq!(render("0"), "6/6/6/6/6/6 1\n");
    assert_eq!(render("1"), "6/6/2x3/6/6/6 2\n");
    let error = refusal(&["render", "--file", "-"], &record.replace("d4", "c3"));
    assert!(error.contains("line 4: turn `c3`: `c3` is not legal here: c3 is occupied"), "{error}");
}

#[test]
fn text_is_coloured_only_when_asked_for() {
    assert!(!stdout(&["render", "gekitai"]).contains('\x1b'));
    assert!(stdout(&["render", "gekitai", "--color", "always"]).contains('\x1b'));
    assert!(stdout(&["render", "jeson-mor", "--ascii"]).is_ascii());
}

#[test]
fn an_analysis_for_scripts_has_the_fields_of_a_query() {
    let args = ["analyze", "six-making", "--moves", "c3 b2", "--nodes", "2000", "--json"];
    let told: Value = serde_json::from_str(&stdout(&args)).unwrap();
    let request = r#"{"game":"six-making","moves":["c3","b2"],"search":{"nodes":2000,"lines":3}}"#;
    let asked = quadrille(&["query"], &format!("{request}\n"));
    let asked: Value = serde_json::from_slice(&asked.stdout).unwrap();
    assert_eq!(told["lines"], asked["search"]["lines"], "{told}");
    assert!(
        told["lines"][0]["bar"].is_u64() && told["nodes"] == asked["search"]["nodes"],
        "{told}"
    );
    assert_eq!((&told["played"], &told["over"]), (&2.into(), &false.into()));
    // The certificate that proves a value is named.
    let proven: Value =
        serde_json::from_str(&stdout(&["analyze", "gekitai", "--nodes", "2000", "--json"]))
            .unwrap();
    assert!(proven["lines"][0]["proof"].is_string(), "{proven}");
}

#[test]
fn a_game_is_animated_turn_by_turn() {
    let args = ["render", "gekitai", "--moves", "c3 d4 a1", "--format", "apng", "--width", "64"];
    let bytes = quadrille(&args, "").stdout;
    assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n");
    // Chunks: a length, a name, the data, a checksum.
    let (mut at, mut frames, mut announced) = (8, 0, 0);
    while at < bytes.len() {
        let length = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        match &bytes[at + 4..at + 8] {
            b"acTL" => announced = u32::from_be_bytes(bytes[at + 8..at + 12].try_into().unwrap()),
            b"fcTL" => frames += 1,
            _ => {}
        }
        at += length + 12;
    }
    assert_eq!((frames, announced), (4, 4), "the start and three turns");
}

#[test]
fn a_picture_has_the_width_asked_for() {
    let output = quadrille(&["render", "gekitai", "--format", "png", "--width", "321"], "");
    assert!(output.status.success());
    assert_eq!(output.stdout[..8], *b"\x89PNG\r\n\x1a\n");
    assert_eq!(output.stdout[16..20], 321u32.to_be_bytes());
}

#[test]
fn the_pictures_in_the_documents_are_what_render_draws() {
    for entry in GAMES {
        let game = entry.info.id;
        let shown = |sample: &str| entry.info.rules.contains(&format!("{game}-{sample}.svg"));
        for (sample, _) in entry.info.samples.iter().filter(|(sample, _)| shown(sample)) {
            let path = format!("{}/../docs/images/{game}-{sample}.svg", env!("CARGO_MANIFEST_DIR"));
            let drawn = stdout(&["render", game, "--sample", sample, "--format", "svg"]);
            let stale = std::fs::read_to_string(&path).unwrap_or_default() != drawn;
            assert!(!stale, "stale: quadrille render {game} --sample {sample} -o {path}");
        }
    }
}

#[test]
fn the_rules_page_shows_boards_and_words() {
    for info in GAMES.iter().map(|entry| entry.info) {
        let (game, page) = (info.id, stdout(&["rules", info.id]));
        let board = page.contains('│') || page.contains('╱');
        assert!(page.contains("Options") && board == info.rules.contains("!["), "{page}");
        assert!(!page.contains("](") && !page.contains("```") && !page.contains('\x1b'), "{page}");
        assert!(page.lines().all(|line| line.chars().count() <= 80), "{game}");
    }
}

#[test]
fn queries_are_answered_in_order_and_bad_ones_too() {
    let requests = r#"{"id":"7","game":"gekitai","moves":["c4","d4"],"want":["turns","position","text"]}
nonsense

[1]
{"id":2}
{"id":3,"game":"chess"}
{"id":4,"game":"gekitai","moves":["c4","c4"]}
{"id":5,"game":"gekitai","moves":["c4",5]}
{"id":6,"game":"gekitai","want":["tea"]}
{"id":7,"game":"gekitai","wants":[]}
{"id":8,"game":"gekitai","options":{"size":99}}
{"id":9,"game":"gekitai","position":{"board":[],"turn":1}}
{"id":10,"game":"jeson-mor","options":{"size":5},"position":"nnnnn/5/5/5/NNNNN 1","want":["children"]}
{"id":11,"game":"jeson-mor","position":"n3n/5/2N2/5/N4 1","moves":["c3-a2"]}"#;
    let output = quadrille(&["query"], requests);
    assert!(output.status.success());
    let replies = String::from_utf8(output.stdout).unwrap();
    let replies: Vec<serde_json::Value> =
        replies.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let shown = |i: usize| replies[i].to_string();
    assert_eq!(replies.len(), 13);
    assert_eq!(replies[0]["id"], "7");
    assert_eq!(replies[0]["turns"].as_array().unwrap().len(), 34);
    assert_eq!(replies[0]["text"], "6/6/6/1x1o2/6/6 1");
    assert_eq!(replies[0]["position"]["board"][3], ".x.o..");
    assert!(shown(1).starts_with(r#"{"id":null,"error":"not JSON"#), "{}", shown(1));
    let refused = r#"{"id":null,"error":"expected an object","kind":"not-understood"}"#;
    assert_eq!(shown(2), refused);
    let fields: Vec<_> =
        replies[3..11].iter().map(|reply| reply["field"].as_str().unwrap()).collect();
    let expected = [
        "game",
        "game",
        "moves[1]",
        "moves[1]",
        "want[0]",
        "wants",
        "options.size",
        "position.board",
    ];
    assert_eq!(fields, expected);
    assert_eq!(replies[11]["children"].as_array().unwrap().len(), 14);
    let over = r#"{"id":11,"turn":2,"over":true,"winner":1}"#;
    assert_eq!(shown(12), over);
}

#[test]
fn without_a_terminal_the_menu_comes_in_lines_of_text() {
    let menu = stdout(&[]);
    assert!(menu.contains("glaisher") && !menu.contains("Usage"), "{menu}");
}

#[test]
fn every_command_has_help_with_an_example() {
    let help = stdout(&["--help"]);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let mut seen = 0;
    for command in commands.take_while(|line| !line.is_empty()) {
        let Some(name) = command.split_whitespace().next().filter(|name| *name != "help") else {
            continue;
        };
        let help = stdout(&[name, "--help"]);
        assert!(help.contains("Example") && help.contains("quadrille "), "{name}: {help}");
        seen += 1;
    }
    assert!(seen >= 7);
}

#[test]
fn whoever_has_read_enough_may_close_the_pipe() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_quadrille"))
        .args(["perft", "glaisher", "2", "--divide"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn completions_are_printed_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(stdout(&["completions", shell]).contains("quadrille"));
    }
}

#[test]
fn a_file_of_several_games_is_read_wherever_a_file_is() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("two.txt");
    let one = stdout(&["render", "gekitai", "--moves", "c3 d4", "--format", "record"]);
    let two = stdout(&["render", "gekitai", "--moves", "a1", "--format", "record"]);
    std::fs::write(&file, format!("\u{feff}{one}\n{two}")).unwrap();
    let name = file.to_str().unwrap();
    let line =
        |number: &str| stdout(&["render", "--file", name, "--game", number, "--format", "line"]);
    assert_eq!(line("2"), "x5/6/6/6/6/6 2\n");
    let error = refusal(&["render", "--file", name], "");
    assert!(error.contains("holds 2 games: choose one with --game 1 to --game 2"), "{error}");
    let listed = stdout(&["games", "--file", name]);
    assert!(listed.contains("   2  gekitai: X against O, 1 turn"), "{listed}");
    let played = quadrille(&["play", "--plain", "--load", name, "--game", "1"], "quit\n");
    assert!(String::from_utf8_lossy(&played.stdout).contains("Gekitai: "));
}

#[test]
fn a_numbered_remark_is_read_as_its_sign() {
    let record = "[Game \"gekitai\"]\n\n1. c3 $1 d4 $4 $10 *\n";
    let read = stdout(&["render", record, "--format", "record"]);
    assert!(read.contains("1. c3! d4?? *"), "{read}");
}

/// Bash splits words at colons: the script gets here what bash would pass to it.
#[test]
fn bash_completes_players_that_have_a_colon() {
    let script = stdout(&["completions", "bash"]);
    let ask = "COMP_WORDBREAKS=$' \\t\\n\"\\'><=;|&(:'
        comp() {
            COMP_WORDS=(\"$@\"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()
            _quadrille_with_colons quadrille '' ''
            echo \"${COMPREPLY[*]}\"
        }
        comp quadrille play gekitai --second seed : h
        comp quadrille play gekitai --second level : 1
        comp quadrille rules six
        comp quadrille play gekitai --both ''";
    // The script is longer than one argument of a command may be.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("completions");
    std::fs::write(&file, format!("{script}\n{ask}")).unwrap();
    let output = Command::new("bash").arg(&file).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said, "hard\n1 10\nsix-making\nmover draw\n", "{output:?}");
}

#[test]
fn what_was_meant_is_told_for_players_and_values() {
    for (args, meant) in [
        (["play", "gekitai", "--second", "levle:3"], "did you mean `level:3`?"),
        (["play", "gekitai", "--first", "seed:hrad"], "did you mean `seed:hard`?"),
        (["play", "gekitai", "--both", "drw"], "--both must be mover or draw, got `drw`; did you"),
        (["play", "gekitai", "--size", "99"], "--size must be 4 to 8, got `99`"),
        (["arena", "gekitai", "radnom", "random"], "did you mean `random`?"),
    ] {
        let error = refusal(&args, "");
        assert!(error.contains(meant), "{error}");
    }
}
