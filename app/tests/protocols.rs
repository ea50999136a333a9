//! The engine protocols and the search of queries, through the real binary.

use engine::GAMES;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

fn games() -> impl Iterator<Item = &'static str> {
    GAMES.iter().map(|entry| entry.info.id)
}

/// No answer takes longer than this, however busy the machine.
const PATIENCE: Duration = Duration::from_secs(60);

struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Process {
    fn start(args: &[&str]) -> Process {
        let mut child = Command::new(env!("CARGO_BIN_EXE_quadrille"))
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (said, lines) = channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| said.send(line))
        });
        Process { input: child.stdin.take(), child, lines }
    }

    fn engine(lines: &[&str]) -> Process {
        let mut process = Process::start(&["engine"]);
        lines.iter().for_each(|line| process.say(line));
        process
    }

    fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    fn say(&mut self, line: &str) {
        self.write(format!("{line}\n").as_bytes());
    }

    fn next(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("an answer")
    }

    /// The lines up to the first one that begins like this.
    fn until(&self, start: &str) -> Vec<String> {
        let mut lines = vec![self.next()];
        while !lines.last().unwrap().starts_with(start) {
            lines.push(self.next());
        }
        lines
    }

    fn ask(&mut self, line: &str, answer: &str) -> String {
        self.say(line);
        self.until(answer).pop().unwrap()
    }

    fn best(&mut self, go: &str) -> String {
        self.ask(go, "bestmove ")["bestmove ".len()..].to_owned()
    }

    /// The error that a line gets, without its prefix.
    fn error(&mut self, line: &str) -> String {
        self.ask(line, "info string error: ")["info string error: ".len()..].to_owned()
    }

    /// Ends the input; the lines that are left, and the exit code.
    fn end(mut self) -> (Vec<String>, Option<i32>) {
        drop(self.input.take());
        let lines = self.lines.iter().collect();
        (lines, self.child.wait().unwrap().code())
    }

    fn query(&mut self, request: &Value) -> Value {
        self.say(&request.to_string());
        serde_json::from_str(&self.next()).unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_engine_introduces_itself() {
    let mut engine = Process::engine(&["ugi"]);
    let lines = engine.until("ugiok");
    assert!(lines[0].starts_with("id name Quadrille "), "{lines:?}");
    assert!(lines[1].starts_with("id author "), "{lines:?}");
    assert!(lines[2].starts_with("option name Game type combo default glaisher var glaisher"));
    assert_eq!(engine.ask("isready", "readyok"), "readyok");
    engine.say("quit");
    assert_eq!(engine.end(), (Vec::new(), Some(0)));
}

#[test]
fn every_game_is_played_to_its_end() {
    for game in games() {
        let set = format!("setoption name Game value {game}");
        let mut engine = Process::engine(&["ugi", &set, "uginewgame"]);
        let mut moves = String::new();
        for turn in 0..60 {
            engine.say(&format!("position startpos{moves}"));
            let first = engine.ask("query p1turn", "response ");
            assert_eq!(first, format!("response {}", turn % 2 == 0), "{game}:{moves}");
            if engine.ask("query gameover", "response ") == "response true" {
                break;
            }
            let best = engine.best("go nodes 200");
            moves += if turn == 0 { " moves " } else { " " };
            moves += &best;
        }
        let over = engine.ask("query gameover", "response ") == "response true";
        let result = engine.ask("query result", "response ");
        assert_eq!(over, result != "response none", "{game}: {result}");
        engine.say("quit");
        assert_eq!(engine.end(), (Vec::new(), Some(0)), "{game}:{moves}");
    }
}

#[test]
fn options_change_the_game() {
    let mut engine = Process::engine(&["setoption name Game value jeson-mor"]);
    engine.say("setoption name Size value 5");
    engine.say("setoption name Goal value reach");
    // Whoever reaches the centre of the small board first wins: a knight is two jumps away.
    engine.say("position startpos moves a1-b3 a5-b3");
    assert_eq!(engine.ask("query gameover", "response "), "response false");
    assert_eq!(
        engine.error("setoption name Size value 6"),
        "`options.size`: board side must be 5, 7, 9 or 11, got 6"
    );
    engine.say("setoption name MultiPV value 3");
    engine.say("go depth 2");
    let lines = engine.until("bestmove ");
    for k in 1..=3 {
        assert!(lines.iter().any(|line| line.contains(&format!(" multipv {k} pv "))), "{lines:?}");
    }
}

#[test]
fn a_search_without_end_is_stopped() {
    let mut engine = Process::engine(&["ugi", "isready", "go infinite"]);
    engine.until("info depth 1 ");
    assert_eq!(engine.ask("isready", "readyok"), "readyok", "also during a search");
    let asked = Instant::now();
    let best = engine.best("stop");
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
    assert!(best.contains('@'), "a whole turn: {best}");
    engine.say("stop");
    assert_eq!(engine.ask("isready", "readyok"), "readyok");
    engine.say("go infinite");
    engine.until("info depth 1 ");
    let (lines, code) = engine.end();
    assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:?}");
    assert_eq!(code, Some(0));
}

#[test]
fn an_answer_to_go_infinite_waits_for_stop() {
    let mut engine = Process::engine(&["setoption name Game value jeson-mor"]);
    engine.say("position fen n3n/5/2N2/5/N4 1");
    engine.say("go infinite");
    assert!(engine.next().contains(" score win 1 "));
    engine.say("isready");
    assert_eq!(engine.next(), "readyok", "the win is found, but the answer is not asked for");
    assert!(engine.best("stop").starts_with("c3-"));
}

#[test]
fn a_new_search_ends_the_one_before() {
    let mut engine = Process::engine(&["go infinite", "go depth 1"]);
    engine.until("bestmove ");
    engine.until("bestmove ");
    engine.say("quit");
    assert_eq!(engine.end(), (Vec::new(), Some(0)));
}

#[test]
fn a_go_that_is_refused_ends_the_search_before_it_and_is_answered_after_it() {
    for refused in ["go nodes 0", "go perft 0", "position startpos moves z9\ngo depth 1"] {
        let mut engine = Process::engine(&["setoption name Game value gekitai", "go infinite"]);
        engine.until("info depth ");
        engine.say(refused);
        let [first, second] = [0, 1].map(|_| engine.until("bestmove ").pop().unwrap());
        assert!(first != second && second == "bestmove (none)", "{refused}: {first}, {second}");
        assert_eq!(engine.end(), (Vec::new(), Some(0)));
    }
}

#[test]
fn a_search_among_chosen_turns_looks_at_all_of_them_and_tells_every_depth() {
    let mut engine = Process::engine(&["ugi", "setoption name Game value jeson-mor"]);
    engine.until("ugiok");
    engine.say("go infinite searchmoves c1-d3 a1-b3 c1-d3");
    let deeper = |line: &String| line.starts_with("info depth 5 ");
    while !deeper(&engine.next()) {}
    engine.say("stop");
    let lines = engine.until("bestmove ");
    assert!(
        ["bestmove c1-d3", "bestmove a1-b3"].contains(&lines.last().unwrap().as_str()),
        "{lines:?}"
    );
    // The turn that wins is the last one.
    engine.say("setoption name Game value gekitai");
    engine.say("position startpos moves c3 a6 c5 f6 c2 f1");
    engine.say("setoption name MultiPV value 3");
    engine.say("go depth 3 searchmoves b2 d5 c3");
    let lines = engine.until("bestmove ");
    for (number, turn) in [(1, "c3"), (2, ""), (3, "")] {
        let own = lines.iter().rev().find(|line| line.contains(&format!("multipv {number} ")));
        assert!(own.is_some_and(|line| line.contains(&format!("pv {turn}"))), "{lines:?}");
    }
    assert_eq!(lines.last().unwrap(), "bestmove c3");
    engine.say("go movetime 300 searchmoves b2");
    let began = Instant::now();
    assert_eq!(engine.until("bestmove ").last().unwrap(), "bestmove b2");
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn the_clock_starts_when_the_move_that_is_pondered_on_is_played() {
    let mut engine = Process::engine(&["uci", "setoption name Ponder value true"]);
    engine.until("uciok");
    engine.say("position startpos moves c1d3");
    engine.say("go ponder wtime 60000 btime 60000");
    std::thread::sleep(Duration::from_millis(300));
    engine.say("isready");
    let lines = engine.until("readyok");
    assert!(!lines.iter().any(|line| line.starts_with("bestmove")), "{lines:?}");
    let hit = Instant::now();
    engine.say("ponderhit");
    let lines = engine.until("bestmove ");
    let spent = hit.elapsed();
    // A thirtieth of a minute.
    assert!(spent >= Duration::from_millis(1500), "{spent:?}");
    let best: Vec<&str> = lines.last().unwrap().split(' ').collect();
    let ["bestmove", _, "ponder", _] = best[..] else { panic!("{best:?}") };
    // A limit of depth ends it by itself, and without any limit it has had its time.
    for go in ["go ponder depth 4", "go ponder"] {
        engine.say(go);
        std::thread::sleep(Duration::from_millis(100));
        engine.ask("ponderhit", "bestmove ");
    }
    // Elsewhere it means nothing.
    engine.say("go infinite");
    engine.say("ponderhit");
    engine.ask("isready", "readyok");
    engine.ask("stop", "bestmove ");
}

#[test]
fn a_count_goes_as_deep_as_asked_for_and_can_be_stopped() {
    let mut engine = Process::engine(&["ugi", "setoption name Game value gekitai"]);
    engine.until("ugiok");
    engine.say("go perft 2");
    let lines = engine.until("bestmove ");
    assert_eq!(lines[lines.len() - 2..], ["nodes 1260", "bestmove (none)"]);
    assert_eq!(lines.iter().filter(|line| line.ends_with(": 35")).count(), 36);
    engine.say("go perft 9");
    engine.ask("isready", "readyok");
    let stopped = Instant::now();
    engine.say("stop");
    let lines = engine.until("bestmove ");
    assert!(stopped.elapsed() < Duration::from_secs(5));
    assert_eq!(lines[lines.len() - 2..], ["info string stopped", "bestmove (none)"]);
}

#[test]
fn a_clock_limits_the_search() {
    let mut engine = Process::engine(&["setoption name Game value gekitai", "isready"]);
    engine.until("readyok");
    let asked = Instant::now();
    engine.best("go p1time 3000 p2time 1 p1inc 0 p2inc 0");
    engine.best("go movetime 50");
    assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
    assert_eq!(engine.error("go p2time 3000"), "player 1 has no clock");
}

#[test]
fn one_thread_finds_the_same_again_after_a_new_game() {
    let mut engine = Process::engine(&["setoption name Game value six-making"]);
    let mut found = |go: &str| {
        engine.say("uginewgame");
        engine.say(go);
        let lines = engine.until("bestmove ");
        let strip = |line: &String| {
            let (counted, rest) = line.split_once(" nps ").unwrap_or((line, ""));
            let score = rest.find("score").map_or("", |at| &rest[at..]);
            format!("{counted} {score}")
        };
        lines.iter().map(strip).collect::<Vec<_>>()
    };
    let first = found("go nodes 5000");
    assert!(first.len() > 3, "{first:?}");
    assert_eq!(found("go nodes 5000"), first);
}

#[test]
fn a_finished_game_has_no_best_move() {
    let mut engine = Process::engine(&["setoption name Game value jeson-mor"]);
    engine.say("position fen n3n/5/2N2/5/N4 1 moves c3-a2");
    assert_eq!(engine.ask("query result", "response "), "response p1win");
    assert_eq!(engine.best("go depth 3"), "(none)");
    engine.say("uci");
    engine.until("uciok");
    engine.say("position fen n3n/5/2N2/5/N4 w - - 0 1 moves c3a2");
    assert_eq!(engine.best("go movetime 1000"), "(none)");
}

#[test]
fn chess_programs_are_answered_in_their_own_words() {
    let mut engine = Process::engine(&["uci"]);
    let lines = engine.until("uciok");
    let variant = "option name UCI_Variant type combo default jesonmor var jesonmor";
    assert!(lines.iter().any(|line| line == variant), "{lines:?}");
    engine.say("setoption name UCI_Variant value jesonmor");
    engine.say("ucinewgame");
    engine.say("position startpos moves c1d3 c9d7");
    engine.say("go wtime 60000 btime 60000 winc 0 binc 0 depth 4");
    let lines = engine.until("bestmove ");
    let best = &lines.last().unwrap()["bestmove ".len()..];
    assert!(!best.contains('-') && best.len() == 4, "{best}");
    let last = &lines[lines.len() - 2];
    assert!(last.contains(" score cp ") && last.contains(&format!(" pv {best} ")), "{last}");
    engine.say("position fen 9/9/9/9/4N4/9/9/9/n7N w - - 0 1");
    engine.say("go depth 2");
    let lines = engine.until("bestmove e5");
    assert!(lines[0].contains(" score mate 1 "), "{lines:?}");
}

#[test]
fn nonsense_is_answered_and_survived() {
    let mut engine = Process::engine(&["setoption name Game value gekitai", ""]);
    assert_eq!(engine.error("tea please"), "unknown command `tea`");
    assert_eq!(engine.error("go depth deep"), "`depth` needs a number, got `deep`");
    assert_eq!(engine.next(), "bestmove (none)");
    engine.write(b"\xff\xfe\x00go\x80 \xf0\x9f\n");
    assert_eq!(engine.next(), "info string error: the line is not text in UTF-8");
    engine.write(&[b"position startpos moves", vec![b'x'; 3 << 20].as_slice(), b"\n"].concat());
    assert_eq!(engine.next(), "info string error: the line is longer than 1048576 bytes");
    assert!(engine.error("go depth 1").contains("position was refused"));
    assert_eq!(engine.next(), "bestmove (none)");
    engine.write(b"position startpos\ngo depth 1 \xff\n");
    assert_eq!(engine.next(), "info string error: the line is not text in UTF-8");
    assert_eq!(engine.next(), "bestmove (none)");
    assert_eq!(
        engine.error("position startpos moves c4 c4"),
        "`c4` is not legal here: c4 is occupied"
    );
    assert_eq!(engine.ask("query gameover", "response "), "response false");
    engine.write(b"isready");
    assert_eq!(engine.end(), (vec!["readyok".to_owned()], Some(0)));
}

#[test]
fn a_query_may_ask_for_a_search() {
    let mut process = Process::start(&["query"]);
    for game in games() {
        let search = json!({"nodes": 3000, "lines": 3});
        let request = json!({"game": game, "want": ["turns"], "search": search});
        let reply = process.query(&request);
        let found = &reply["search"];
        assert!(found["depth"].as_u64() >= Some(1) && found["time_ms"].is_u64(), "{found}");
        assert_eq!(found["nodes"], 3000, "{found}");
        let lines = found["lines"].as_array().unwrap();
        assert_eq!(lines.len(), 3, "{found}");
        for line in lines {
            let first = &line["turns"][0];
            assert!(reply["turns"].as_array().unwrap().contains(first), "{game}: {line}");
            // Gekitai's start is proven to be won.
            let open = line["win_in"].is_null() || game == "gekitai";
            assert!(line["score"].is_i64() && open, "{line}");
        }
        let again = process.query(&request);
        assert_eq!(again["search"]["lines"], found["lines"], "the same answer to the same request");
    }
}

#[test]
fn a_query_tells_how_soon_a_game_is_decided() {
    let mut process = Process::start(&["query"]);
    let mut search = |position: &str, search: Value| {
        let game = "jeson-mor";
        process.query(&json!({"game": game, "position": position, "search": search}))
    };
    let won = search("n3n/5/2N2/5/N4 1", json!({}));
    assert_eq!(won["search"]["lines"][0]["win_in"], 1, "{won}");
    let lost = search("n3n/5/2N2/5/N4 2", json!({"time_ms": 100, "threads": 2}));
    assert_eq!(lost["search"]["lines"][0]["win_in"], -1, "{lost}");
    let over = search("n3n/5/5/N4/5;winner=1 2", json!({"depth": 3}));
    assert_eq!(over["search"], json!({"depth": 0, "nodes": 0, "time_ms": 0, "lines": []}));
    assert!(search("n3n/5/5/5/N4 2", Value::Null).get("search").is_none());
}

#[test]
fn a_search_that_cannot_be_is_refused_with_its_field() {
    let mut process = Process::start(&["query"]);
    let cases = [
        (json!(5), "search", "expected an object"),
        (json!({"dept": 5}), "search.dept", "unknown field, expected one of time_ms, nodes, depth"),
        (json!({"depth": 0}), "search.depth", "expected a number from 1 to 100, got 0"),
        (json!({"depth": 2.5}), "search.depth", "expected a number from 1 to 100, got 2.5"),
        (json!({"nodes": -1}), "search.nodes", "expected a number from 1 to 1000000000000, got -1"),
        (json!({"time_ms": 3_600_001}), "search.time_ms", "expected a number from 1 to 3600000"),
        (json!({"time_ms": "1"}), "search.time_ms", "expected a number from 1 to 3600000"),
        (json!({"lines": 51}), "search.lines", "expected a number from 1 to 50, got 51"),
        (json!({"threads": 1e99}), "search.threads", "expected a number from 1 to 64, got 1e+99"),
    ];
    for (search, field, message) in cases {
        let reply = process.query(&json!({"id": 1, "game": "gekitai", "search": search}));
        assert_eq!(reply["field"], field, "{reply}");
        assert!(reply["error"].as_str().unwrap().starts_with(message), "{reply}");
    }
}

#[test]
fn an_analysis_prints_every_depth_and_the_best_turn() {
    for game in games() {
        let analysis = Process::start(&["analyze", game, "--depth", "2", "--lines", "2"]);
        let (lines, code) = analysis.end();
        assert_eq!(code, Some(0));
        assert!(lines[0].ends_with(" to move"), "{lines:?}");
        // Where the value is proven, a line names the certificate.
        let proven = usize::from(lines[4].starts_with("  proven by the certificate "));
        let (first, second) = (&lines[1], &lines[4 + proven]);
        assert!(first.starts_with("depth 1, ") && second.starts_with("depth 2, "), "{lines:?}");
        let value = if proven == 1 { " wins in " } else { " better" };
        let best = &lines[5 + proven];
        assert!(best.contains(value) && best.contains(" 1. "), "{lines:?}");
        assert!(lines.last().unwrap().starts_with("best turn: "), "{lines:?}");
        assert!(lines.iter().all(|line| !line.contains('\x1b')), "{lines:?}");
    }
    let over = Process::start(&["analyze", "gekitai", "--sample", "final"]);
    let (lines, code) = over.end();
    assert_eq!((lines.len(), code), (1, Some(0)), "{lines:?}");
}
