//! The engine protocol under whatever is thrown at it: it ends when nobody reads, and its memory is that of
//! its table.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Nothing here takes longer than this, however busy the machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The table that the engine is told to use.
const MEBIBYTES: usize = 8;

/// What the process may take besides its table and the pages of its own file, which are many in a build for
/// tests. About 2 MB of it are nets.
const MOST_BESIDE: usize = 13_000_000 + CERTIFICATES;

/// The certificates of Gekitai, unpacked; they are read when that game is first searched.
const CERTIFICATES: usize = 16_000_000;

type Bytes = Box<dyn Iterator<Item = Vec<u8>> + Send>;

/// A running engine; its output is read by the test, or not at all.
struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<BufReader<ChildStdout>>,
}

impl Engine {
    fn start() -> Engine {
        let mut child = Command::new(env!("CARGO_BIN_EXE_quadrille"))
            .arg("engine")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = child.stdout.take().map(BufReader::new);
        let mut engine = Engine { input: child.stdin.take(), output, child };
        engine.say(&format!("setoption name Hash value {MEBIBYTES}"));
        engine
    }

    fn say(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Reads up to the first line that begins like this.
    fn until(&mut self, start: &str) -> String {
        let output = self.output.as_mut().unwrap();
        output.lines().map(Result::unwrap).find(|line| line.starts_with(start)).unwrap()
    }

    /// Sends all this from a thread, while the answers up to the one to a last `isready` are read.
    fn flood(&mut self, bytes: impl Iterator<Item = Vec<u8>> + Send) {
        let mut input = self.input.take().unwrap();
        std::thread::scope(|scope| {
            let sender = scope.spawn(move || {
                bytes.for_each(|some| input.write_all(&some).unwrap());
                input.write_all(b"\nquery tea\n").unwrap();
                input
            });
            // Each flood ends with a question that has its own answer.
            self.until("info string error: expected `query gameover`");
            self.input = Some(sender.join().unwrap());
        });
        self.say("stop");
        self.say("isready");
        self.until("readyok");
    }

    /// A line of the process's status, in bytes.
    fn status(&self, name: &str) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        let kilobytes: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        kilobytes << 10
    }

    fn assert_small(&self, after: &str) {
        let beside = self.status("VmHWM:") - self.status("RssFile:");
        let beside = beside.saturating_sub(MEBIBYTES << 20);
        assert!(beside <= MOST_BESIDE, "{beside} bytes besides the table after {after}");
    }

    /// Waits for the end of the process, whose input stays open, and gives its exit code.
    fn ended(mut self) -> Option<i32> {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("it still runs");
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Repeats lines, in chunks of a size that suits pipes.
fn again(lines: &str, times: usize) -> impl Iterator<Item = Vec<u8>> + Send + use<> {
    let lines = format!("{lines}\n");
    let some = ((1 << 16) / lines.len() + 1).min(times);
    let piece = lines.repeat(some).into_bytes();
    std::iter::repeat_n(piece, times.div_ceil(some))
}

/// `yes isready | quadrille engine | head -1`
#[test]
fn an_endless_question_ends_with_its_reader() {
    let mut yes = Command::new("yes").arg("isready").stdout(Stdio::piped()).spawn().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_quadrille"))
        .arg("engine")
        .stdin(yes.stdout.take().unwrap())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let answers = child.stdout.take().unwrap();
    let head = Command::new("head").arg("-1").stdin(answers).output().unwrap();
    assert_eq!(head.stdout, b"readyok\n");
    assert_eq!(Engine { child, input: None, output: None }.ended(), Some(0));
    yes.wait().unwrap();
}

#[test]
fn a_search_ends_with_its_reader_while_the_input_is_open() {
    let mut engine = Engine::start();
    engine.say("go infinite");
    engine.until("info depth 1 ");
    drop(engine.output.take());
    assert_eq!(engine.ended(), Some(0));
}

#[test]
fn an_engine_that_has_nothing_to_say_ends_with_its_reader() {
    let mut engine = Engine::start();
    engine.say("isready");
    engine.until("readyok");
    drop(engine.output.take());
    assert_eq!(engine.ended(), Some(0), "it waits for a command");

    let mut engine = Engine::start();
    engine.say("setoption name Game value jeson-mor");
    engine.say("position fen n3n/5/2N2/5/N4 1");
    engine.say("go infinite");
    // The win is found; the answer waits for a `stop` that never comes.
    engine.until("info depth ");
    drop(engine.output.take());
    assert_eq!(engine.ended(), Some(0), "it waits for `stop`");
}

#[test]
fn memory_stays_that_of_the_table_whatever_is_sent() {
    let mut engine = Engine::start();
    engine.say("setoption name Game value jeson-mor");
    let endless = |byte: u8, mebibytes: usize| std::iter::repeat_n(vec![byte; 1 << 20], mebibytes);
    let round = " a1b3 a9b7 b3a1 b7a9";
    let long = format!("position startpos moves{}", round.repeat(2_400));
    let longer = format!("position startpos moves{}", round.repeat(50_000));
    let floods: [(&str, Bytes); 14] = [
        ("isready", Box::new(again("isready", 30_000))),
        ("unknown commands", Box::new(again("tea please", 30_000))),
        ("settings", Box::new(again("setoption name MultiPV value 7", 20_000))),
        ("wrong settings", Box::new(again("setoption name Tea value 7", 20_000))),
        ("a line without an end", Box::new(endless(b'x', 64))),
        ("many short words", Box::new(std::iter::repeat_n(b"a ".repeat(1 << 19), 4))),
        ("bytes that are no text", Box::new(std::iter::repeat_n(vec![0xff; (1 << 20) - 1], 1))),
        (
            "a long board",
            Box::new(std::iter::once([b"position fen ", &b"1/".repeat(500_000)[..]].concat())),
        ),
        ("long games", Box::new(again(&format!("{long}\ngo depth 1"), 40))),
        ("longer games", Box::new(again(&format!("{longer}\ngo depth 1"), 4))),
        ("searches", Box::new(again("go movetime 1", 400))),
        ("searches that are stopped", Box::new(again("go infinite\nstop", 400))),
        ("new games", Box::new(again("uginewgame\nisready", 20))),
        (
            "other games",
            Box::new(again(
                "setoption name Game value gekitai\ngo nodes 3000\nsetoption name Game value glaisher\n\
                 go movetime 20\nsetoption name Game value six-making\ngo nodes 3000\nisready",
                10,
            )),
        ),
    ];
    for (what, bytes) in floods {
        engine.flood(bytes);
        engine.assert_small(what);
    }
}

#[test]
fn a_stop_is_heard_through_a_flood() {
    let mut engine = Engine::start();
    engine.say("go infinite");
    engine.until("info depth 1 ");
    let mut input = engine.input.take().unwrap();
    let sender = std::thread::spawn(move || {
        again("isready", 100_000).for_each(|some| input.write_all(&some).unwrap());
        input.write_all(b"stop\n").unwrap();
        input
    });
    assert!(engine.until("bestmove ").contains('@'));
    engine.input = sender.join().ok();
    engine.assert_small("a flood during a search");
}

#[test]
fn whoever_does_not_read_the_answers_cannot_send_without_end() {
    let mut engine = Engine::start();
    let mut input = engine.input.take().unwrap();
    let sent = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&sent);
    // It is stuck in a full pipe until the process is killed.
    std::thread::spawn(move || {
        for some in again("isready", 20_000_000) {
            if input.write_all(&some).is_err() {
                return;
            }
            counter.fetch_add(some.len(), Ordering::Relaxed);
        }
    });
    // There is no event for standing still.
    let (mut last, mut quiet) = (0, 0);
    while quiet < 20 && last < 150_000_000 {
        std::thread::sleep(Duration::from_millis(20));
        let now = sent.load(Ordering::Relaxed);
        quiet = if now == last { quiet + 1 } else { 0 };
        last = now;
    }
    engine.assert_small("a flood that nobody reads the answers to");
}
