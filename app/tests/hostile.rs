//! Certificates made to break `verify`: each is refused in one line, within a memory limit and soon.

use engine::solve::certificate::compress;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// What the process may map, in kibibytes: what comes with it, and a certificate of the largest size.
const MEMORY: u32 = 1_500_000;

/// No refusal takes longer, in a program built for tests on a busy machine.
const SOON: Duration = Duration::from_secs(120);

const GEKITAI: &str = "6/6/6/6/6/6 1";

/// The checksum of gzip.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 }
        })
    })
}

/// Lines with their checksum.
fn sealed(lines: &str) -> String {
    format!("{lines}= {:08x}\n", crc(lines.as_bytes()))
}

/// A whole certificate of a win of Gekitai: its claim and `try`, and its stored positions.
fn win(claim: &str, tries: &str, stored: &[&str]) -> String {
    let tries = if tries.is_empty() { String::new() } else { format!("try {tries}\n") };
    let head = format!(
        "quadrille certificate 1\ngame gekitai\nposition {GEKITAI}\nclaim player 1 wins within \
         {claim} moves\n{tries}stored {}\n",
        stored.len()
    );
    let block: String = stored.iter().map(|line| format!("{line}\n")).collect();
    let blocks = if stored.is_empty() { String::new() } else { sealed(&block) };
    sealed(&head) + &blocks + "end\n"
}

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join(name);
    std::fs::write(&file, bytes).unwrap();
    file
}

/// What `verify` says within the memory limit.
fn verify(file: &Path, input: Stdio) -> Output {
    let limited = format!("ulimit -v {MEMORY}; exec \"$0\" verify \"$1\"");
    let started = Instant::now();
    let said = Command::new("sh")
        .args(["-c", &limited, env!("CARGO_BIN_EXE_quadrille")])
        .arg(file)
        .stdin(input)
        .output()
        .unwrap();
    assert!(started.elapsed() < SOON, "{}: {:?}", file.display(), started.elapsed());
    said
}

/// The reason why a certificate is refused, which is one line.
fn refusal(said: Output) -> String {
    let (told, error) = (said.stdout, String::from_utf8(said.stderr).unwrap());
    assert_eq!(said.status.code(), Some(2), "{:?} {error}", said.status);
    assert!(told.is_empty() && error.lines().count() == 1 && error.len() < 600, "{error}");
    let (_, reason) = error.trim_end().split_once(" is refused: ").expect(&error);
    reason.to_owned()
}

fn refused(name: &str, bytes: &[u8]) -> String {
    refusal(verify(&file(name, bytes), Stdio::null()))
}

#[test]
fn a_try_is_limited() {
    let endless = win("9", "3 within 4294967295 moves", &[]);
    assert_eq!(refused("try", endless.as_bytes()), "line 5: 4294967295 moves are more than 100");
    let more = win("9", "3 within 101 moves", &[]);
    assert_eq!(refused("try-101", more.as_bytes()), "line 5: 101 moves are more than 100");
}

#[test]
fn a_check_that_takes_too_long_is_ended() {
    let deep = win("1000000", "3 within 100 moves", &[]);
    let said = refused("steps", deep.as_bytes());
    assert!(said.starts_with("line 4: checking this takes more than 100000000 steps"), "{said}");
    // The first stored position leads nowhere, but to see that takes longest.
    let stored: Vec<String> =
        ["x5", "o5"].iter().map(|row| format!("6/6/6/6/6/{row} 1 c3 1000000")).collect();
    let stored: Vec<&str> = stored.iter().map(String::as_str).collect();
    let said = refused("many-tries", win("1000000", "3 within 100 moves", &stored).as_bytes());
    assert!(said.contains(": checking this takes more than 102000000 steps"), "{said}");
}

#[test]
fn numbers_are_limited() {
    for most in ["1000001", "4294967294", "4294967295"] {
        let said = refused("claim", win(most, "", &[]).as_bytes());
        assert_eq!(said, format!("line 4: {most} moves are more than 1000000"));
        let stored = format!("{GEKITAI} c3 {most}");
        let said = refused("rank", win("3", "", &[&stored]).as_bytes());
        assert_eq!(said, format!("line 7: {most} moves are more than 1000000"));
    }
    let said = refused("claim", win("4294967296", "", &[]).as_bytes());
    assert_eq!(said, "line 4: `4294967296` is not a number in canonical form");
    let head = "quadrille certificate 1\ngame gekitai\nposition 6/6/6/6/6/6 1\n\
                claim player 1 wins within 3 moves\nstored 4294967295\n";
    let said = refused("stored", (sealed(head) + "end\n").as_bytes());
    assert_eq!(said, "line 5: 4294967295 stored positions are announced, 0 follow");
    for position in ["4294967295/6/6/6/6/6 1", "6/6/6/6/6/6;markers=4294967295 1", "6 1"] {
        let text = win("3", "", &[]).replace(GEKITAI, position);
        let head = text.split("= ").next().unwrap();
        let said = refused("position", (sealed(head) + "end\n").as_bytes());
        assert!(said.starts_with("line 3: "), "{said}");
    }
}

#[test]
fn a_certificate_at_the_limits_still_holds() {
    let small = include_str!("../../docs/certificates/win.certificate");
    let (head, rest) = small.split_once("= ").unwrap();
    let head = head.replace("within 3 moves", "within 1000000 moves");
    assert!(head.contains("1000000"), "{head}");
    let whole = sealed(&head) + rest.split_once('\n').unwrap().1;
    let said = verify(&file("holds", whole.as_bytes()), Stdio::null());
    assert!(said.status.success(), "{said:?}");
}

#[test]
fn a_small_file_that_unpacks_to_a_large_one_is_refused() {
    let begins = "quadrille certificate 1\ngame gekitai\n";
    let feeds = begins.to_owned() + &"\n".repeat(210_000_000);
    let said = refused("feeds.gz", &compress(&feeds).unwrap());
    assert_eq!(said, "line 65: expected a checksum after every 64 stored positions");
    drop(feeds);
    let large = " ".repeat(300 << 20);
    let said = refused("large.gz", &compress(&large).unwrap());
    assert_eq!(said, "line 1: more than 256 MiB are not read");
    drop(large);
    let name = format!("quadrille certificate 1\ngame {}\n", "g".repeat(100 << 20));
    let said = refused("name.gz", &compress(&name).unwrap());
    assert_eq!(said, "line 2: lines of more than 1000 bytes are not read");
    drop(name);
    let head = win("3", "", &[]).replace("end\n", "");
    let blocks = head + &sealed(&"\n".repeat(64)).repeat(70_000) + "end\n";
    let said = refused("blocks.gz", &compress(&blocks).unwrap());
    assert_eq!(said, "line 4062509: more than 4000000 stored positions are not read");
}

#[test]
fn a_compressed_file_that_is_cut_or_goes_on_is_refused() {
    let packed = compress(&win("3", "", &[])).unwrap();
    for end in [2, 10, packed.len() / 2, packed.len() - 1] {
        let said = refused("cut.gz", &packed[..end]);
        assert!(said.contains("the compressed data is damaged"), "{said}");
    }
    let said = refused("twice.gz", &packed.repeat(2));
    assert!(said.ends_with("there is something after the compressed data"), "{said}");
}

#[test]
fn an_input_without_an_end_is_refused() {
    let mut yes = Command::new("yes").stdout(Stdio::piped()).spawn().unwrap();
    let said = verify(Path::new("/dev/stdin"), yes.stdout.take().unwrap().into());
    yes.kill().unwrap();
    yes.wait().unwrap();
    assert_eq!(refusal(said), "line 1: more than 256 MiB are not read");
}
