//! The same requests through each transport get the same answers: lines of `query`, HTTP, and the crate
//! itself.

use engine::{GAMES, Session, Stop};
use requests::{Budget, Desk};
use rules::random::Random;
use serde_json::{Map, Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const BINARY: &str = env!("CARGO_BIN_EXE_quadrille");

/// What was asked, and the fields it was asked with.
pub type Asked = (&'static str, Value);

/// `quadrille query`.
struct Lines {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Lines {
    fn start() -> Lines {
        let mut child = Command::new(BINARY)
            .arg("query")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Lines { child, input, output: BufReader::new(output) }
    }

    /// The answers before that of a marker sent after the request.
    fn ask(&mut self, (ask, fields): &Asked) -> Vec<Value> {
        let mut request = fields.clone();
        request["ask"] = (*ask).into();
        request["id"] = "asked".into();
        writeln!(self.input, "{request}\n{}", json!({ "id": "mark", "ask": "none" })).unwrap();
        let mut answers = Vec::new();
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).unwrap();
            let mut answer: Map<String, Value> = serde_json::from_str(&line).unwrap();
            if answer.shift_remove("id") == Some("mark".into()) {
                return answers;
            }
            answers.push(Value::Object(answer));
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `quadrille serve`.
struct Server {
    child: Child,
    address: String,
    folder: std::path::PathBuf,
}

impl Server {
    fn start() -> Server {
        let name = format!("quadrille-transports-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let mut child = Command::new(BINARY)
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(&folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("Quadrille is at http://").unwrap();
        let address = address.trim_end_matches('/').to_owned();
        Server { child, address, folder }
    }

    fn send(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        // HTTP/1.0, so that the body is not chunked.
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nhost: {}\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    fn ask(&self, (ask, fields): &Asked) -> Vec<Value> {
        let by_path = matches!(*ask, "rules" | "puzzles" | "lessons" | "results" | "atlas")
            && fields["game"].is_string();
        let (status, body) = match *ask {
            "catalogue" => self.send("GET", "/api/catalogue", ""),
            ask if by_path => {
                self.send("GET", &format!("/api/{ask}/{}", fields["game"].as_str().unwrap()), "")
            }
            ask => self.send("POST", &format!("/api/{ask}"), &fields.to_string()),
        };
        let answers: Vec<Value> = match (*ask, status) {
            ("rules", 200) => vec![json!({ "html": body })],
            ("record", 200) => vec![json!({ "record": body })],
            _ => body.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
        };
        let kind = answers.first().and_then(|answer| answer.get("kind")).and_then(Value::as_str);
        let expected = match kind {
            None => 200,
            Some("not-understood") => 400,
            Some("not-there") => 404,
            Some(_) => 422,
        };
        assert_eq!(status, expected, "{ask} {fields}: {body}");
        answers.into_iter().filter(|answer| answer.get("queued").is_none()).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The crate itself.
pub fn directly(desk: &mut Desk, budget: &Budget, (ask, fields): &Asked) -> Vec<Value> {
    let mut request = fields.clone();
    request["ask"] = (*ask).into();
    let mut answers = Vec::new();
    let text = request.to_string();
    requests::reply(text.as_bytes(), desk, budget, &Stop::default(), &mut |answer| {
        // Through text like the others: reading a number may change its last bit.
        let mut answer: Map<String, Value> = serde_json::from_str(&answer.to_string()).unwrap();
        answer.shift_remove("id");
        answers.push(Value::Object(answer));
    });
    answers
}

/// Answers without the time they took.
pub fn timeless(mut answers: Vec<Value>) -> Vec<Value> {
    for answer in &mut answers {
        for path in ["/time_ms", "/search/time_ms"] {
            if let Some(time) = answer.pointer_mut(path) {
                *time = 0.into();
            }
        }
    }
    answers
}

/// A game of random turns, which goes on.
fn random_game(game: &engine::Entry, random: &mut Random) -> Box<dyn Session> {
    let mut session = (game.start)(&Default::default()).unwrap();
    for _ in 0..random.below(9) {
        let Some(turn) = random.pick(&session.turns()).cloned() else { break };
        let mut next = session.boxed_clone();
        next.play(&turn).unwrap();
        if next.outcome().is_some() {
            break;
        }
        session = next;
    }
    session
}

/// Requests of every kind about random games of every game, good ones and bad ones.
pub fn several_hundred() -> Vec<Asked> {
    let mut random = Random::new(2026);
    let mut asked: Vec<Asked> = vec![("catalogue", json!({})), ("nothing", json!({}))];
    for (round, game) in (0..6).flat_map(|round| GAMES.iter().map(move |game| (round, game))) {
        let id = game.info.id;
        let session = random_game(game, &mut random);
        let turns = session.history();
        let whole = json!({ "game": id, "turns": turns });
        let with = |extra: Value| {
            let mut fields = whole.clone();
            let extra = extra.as_object().unwrap().clone();
            fields.as_object_mut().unwrap().extend(extra);
            fields
        };
        let begun = session.steps().first().map(|step| step.text.clone()).unwrap_or_default();
        let nodes = 200 + random.below(300);
        let mut record = session.record(&[("Player1", "Ann")]).to_string();
        let tree = requests::tree::RecordText { record: record.clone() }.answer().unwrap();
        asked.extend([
            ("query", with(json!({ "want": requests::query::WANTS }))),
            ("query", json!({ "game": id, "position": session.text(), "moves": [begun.clone()] })),
            ("query", with(json!({ "search": { "nodes": nodes, "lines": 2 } }))),
            ("query", with(json!({ "search": { "nodes": -5 } }))),
            ("query", json!({ "game": id, "position": session.position(), "moves": ["zz"] })),
            ("view", with(json!({ "flipped": round % 2 == 0 }))),
            ("view", json!({ "game": id, "position": session.text(), "turns": [begun] })),
            ("view", with(json!({ "flippd": true }))),
            ("view", with(json!({ "turns": 5 }))),
            ("edit", with(json!({ "edit": { "turn": 2 } }))),
            ("edit", with(json!({ "edit": { "cell": 3, "brush": game.info.brushes[0].id } }))),
            ("edit", with(json!({ "edit": { "cell": 999, "brush": "?" } }))),
            ("edit", with(json!({ "edit": { "clear": true } }))),
            ("tree", json!({ "record": record })),
            ("record", serde_json::to_value(&tree).unwrap()),
            ("hint", with(json!({ "nodes": nodes }))),
            ("hint", with(json!({ "lines": 99 }))),
            ("analysis", with(json!({ "nodes": nodes, "lines": 3 }))),
            ("turn", with(json!({ "player": { "kind": "level", "level": 3 }, "seed": round }))),
            ("turn", with(json!({ "player": { "kind": "level", "level": 11 } }))),
            ("puzzle", json!({ "game": id, "number": round + 1 })),
            ("puzzle", json!({ "game": id, "number": 1_000 })),
            ("lesson", json!({ "game": id, "number": round % 5 + 1, "answer": true })),
            ("proof", whole.clone()),
            ("proof", json!({ "game": id, "options": { "size": 5 }, "turns": [] })),
        ]);
        if round == 0 {
            asked.push(("review", with(json!({ "nodes": 100 }))));
            asked.push(("rules", json!({ "game": id })));
            asked.push(("puzzles", json!({ "game": id })));
            asked.push(("lessons", json!({ "game": id })));
            asked.push(("results", json!({ "game": id })));
            asked.push(("atlas", json!({ "game": id })));
        }
        record.truncate(record.len() / 2);
        asked.push(("tree", json!({ "record": record })));
    }
    asked.push(("rules", json!({ "game": "chess" })));
    asked.push(("hint", json!({ "game": "chess" })));
    asked.push(("view", json!({})));
    asked
}

#[test]
fn the_same_requests_get_the_same_answers_through_every_transport() {
    let asked = several_hundred();
    assert!(asked.len() >= 500, "{}", asked.len());
    let (mut lines, server, mut desk) = (Lines::start(), Server::start(), Desk::new(16));
    let mut refused = 0;
    for asked in &asked {
        let expected = timeless(directly(&mut desk, &Budget::SERVED, asked));
        assert!(!expected.is_empty(), "{asked:?}");
        refused += usize::from(expected[0].get("error").is_some());
        // Whoever asks at home may ask for more than a stranger.
        let too_much = expected[0].get("kind") == Some(&"too-much".into());
        if !too_much {
            assert_eq!(timeless(lines.ask(asked)), expected, "lines: {asked:?}");
        }
        if asked.0 != "nothing" {
            assert_eq!(timeless(server.ask(asked)), expected, "HTTP: {asked:?}");
        }
    }
    assert!((100..asked.len() / 2).contains(&refused), "{refused} of {} refused", asked.len());
}
