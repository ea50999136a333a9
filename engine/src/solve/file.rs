//! The container format of certificates: lines in blocks with checksums, numbers, compression.
//!
//! Everything has exactly one spelling and nothing else is accepted, so that an independent reader has
//! nothing to guess.

use super::certificate::Claim;
use flate2::Crc;
use rules::game::shorten;
use rules::{Notation, ParseMoveError};
use std::fmt::Write as _;
use std::io::Read;

/// The first line of a file; version 1 first.
pub(super) const TITLES: [&str; 2] = ["quadrille certificate 1", "quadrille certificate 2"];

/// How many stored positions share a checksum.
const BLOCK: usize = 64;

/// The largest certificate accepted, in MiB, compressed or not.
const MOST_MEBIBYTES: usize = 256;

/// The same in bytes.
pub const MOST_BYTES: usize = MOST_MEBIBYTES << 20;

/// How many positions a certificate may store.
pub const MOST_STORED: usize = 4_000_000;

/// The lines of stored positions, their checksums, and the eight lines around them.
const MOST_LINES: usize = MOST_STORED + MOST_STORED.div_ceil(BLOCK) + 8;

/// The longest line accepted, in bytes.
pub const LONGEST_LINE: usize = 1_000;

/// The most moves that can be claimed, and the highest rank.
pub const MOST_MOVES: u32 = 1_000_000;

/// The most moves of a try.
pub const MOST_TRIED: u32 = 100;

/// What is wrong with a certificate, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct Fault {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl Fault {
    pub(super) fn new(line: usize, message: impl Into<String>) -> Fault {
        Fault { line, message: message.into() }
    }
}

/// The game that a certificate is about.
pub fn game_of(text: &str) -> Result<String, Fault> {
    let mut lines = text.split_inclusive('\n').zip(1..);
    let mut next = || {
        let (line, number) = lines.next().unwrap_or_default();
        check_length(line, number).map(|()| line.trim_end_matches('\n'))
    };
    version(next()?)?;
    let game = next()?.strip_prefix("game ");
    game.map(str::to_owned).ok_or_else(|| Fault::new(2, "expected `game` and its name"))
}

fn version(title: &str) -> Result<usize, Fault> {
    let known = TITLES.iter().position(|known| *known == title);
    known.map(|i| i + 1).ok_or_else(|| {
        let [one, two] = TITLES;
        Fault::new(1, format!("expected `{one}` or `{two}`: this is not a certificate"))
    })
}

/// Compresses a certificate, for files that end in `.gz`.
pub fn compress(text: &str) -> std::io::Result<Vec<u8>> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(text.as_bytes())?;
    encoder.finish()
}

/// The text of a certificate file, whether compressed or not.
pub fn decompress(bytes: &[u8]) -> Result<String, Fault> {
    let too_large = |line| Fault::new(line, format!("more than {MOST_MEBIBYTES} MiB are not read"));
    if bytes.len() > MOST_BYTES {
        return Err(too_large(1));
    }
    let mut text = Vec::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut decoder = flate2::bufread::GzDecoder::new(bytes);
        let unpacked = decoder.by_ref().take(MOST_BYTES as u64 + 1).read_to_end(&mut text);
        let line = 1 + text.iter().filter(|byte| **byte == b'\n').count();
        if text.len() > MOST_BYTES {
            return Err(too_large(line));
        }
        if let Err(error) = unpacked {
            return Err(Fault::new(line, format!("the compressed data is damaged: {error}")));
        }
        if !decoder.into_inner().is_empty() {
            return Err(Fault::new(line, "there is something after the compressed data"));
        }
    } else {
        text = bytes.to_vec();
    }
    String::from_utf8(text).map_err(|error| {
        let whole = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + whole.iter().filter(|byte| **byte == b'\n').count();
        Fault::new(line, "this is not text in UTF-8")
    })
}

/// A whole file: the head, then the sorted lines of stored positions in blocks.
pub(super) fn sealed(head: &[String], mut lines: Vec<String>) -> String {
    lines.sort_unstable();
    let mut text = String::new();
    seal(&mut text, head);
    lines.chunks(BLOCK).for_each(|block| seal(&mut text, block));
    text.push_str("end\n");
    text
}

/// Adds lines and their checksum.
fn seal(text: &mut String, lines: &[String]) {
    let start = text.len();
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    let sum = checksum(&text.as_bytes()[start..]);
    // Writing to a string does not fail.
    let _ = writeln!(text, "= {sum:08x}");
}

/// The CRC-32 of a certificate's text, which tells its versions apart, as in its file.
pub fn crc(text: &str) -> String {
    format!("{:08x}", checksum(text.as_bytes()))
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// A line with its number, from 1.
pub(super) type Line<'a> = (usize, &'a str);

/// The blocks (the head, then stored positions) of a file whose checksums and end are intact.
pub(super) fn unseal(text: &str) -> Result<Vec<Vec<Line<'_>>>, Fault> {
    let (mut blocks, mut block) = (Vec::new(), Vec::new());
    let mut crc = Crc::new();
    let all = text.split_inclusive('\n').count();
    for (i, whole) in text.split_inclusive('\n').enumerate() {
        let number = i + 1;
        check_length(whole, number)?;
        if number > MOST_LINES {
            let message = format!("more than {MOST_STORED} stored positions are not read");
            return Err(Fault::new(number, message));
        }
        let Some(line) = whole.strip_suffix('\n') else { break };
        if let Some(sum) = line.strip_prefix('=') {
            if sum != format!(" {:08x}", crc.sum()) {
                let first = number - block.len();
                let message =
                    format!("lines {first} to {} do not match their checksum", number - 1);
                return Err(Fault::new(number, message));
            }
            check_size(&blocks, &block, number)?;
            blocks.push(std::mem::take(&mut block));
            crc = Crc::new();
        } else if line == "end" && block.is_empty() {
            return match all - number {
                0 => Ok(blocks),
                _ => Err(Fault::new(number + 1, "there is something after the end")),
            };
        } else {
            if block.len() == BLOCK {
                return Err(no_checksum(number));
            }
            crc.update(whole.as_bytes());
            block.push((number, line));
        }
    }
    Err(Fault::new(all.max(1), "it is cut short: `end` is missing"))
}

/// Every block of stored positions but the last has the same number of them.
fn check_size(before: &[Vec<Line<'_>>], block: &[Line<'_>], number: usize) -> Result<(), Fault> {
    if block.is_empty() {
        return Err(Fault::new(number, "there is no line since the last checksum"));
    }
    let short = before.len() > 1 && before.last().is_some_and(|last| last.len() != BLOCK);
    if short { Err(no_checksum(number)) } else { Ok(()) }
}

fn no_checksum(number: usize) -> Fault {
    Fault::new(number, format!("expected a checksum after every {BLOCK} stored positions"))
}

fn check_length(line: &str, number: usize) -> Result<(), Fault> {
    if line.len() <= LONGEST_LINE {
        return Ok(());
    }
    Err(Fault::new(number, format!("lines of more than {LONGEST_LINE} bytes are not read")))
}

/// The head of a certificate, before the stored positions.
pub(super) struct Head<'a> {
    /// The game's name.
    pub game: Line<'a>,
    pub position: Line<'a>,
    pub claim: (usize, Claim),
    /// What to try in positions that are not stored: the suffix of the moves' text, and the number of moves.
    pub tries: Option<(String, u32)>,
    /// The announced number of stored positions.
    pub stored: (usize, usize),
}

impl<'a> Head<'a> {
    pub(super) fn read(lines: &[Line<'a>]) -> Result<Head<'a>, Fault> {
        let version = version(lines.first().map_or("", |line| line.1))?;
        let field = |i: usize, name: &str| {
            let (line, text) = lines.get(i).copied().unwrap_or((i + 1, ""));
            let value = text.strip_prefix(name).and_then(|rest| rest.strip_prefix(' '));
            let expected = || Fault::new(line, format!("expected `{name}` and its value"));
            value.map(|value| (line, value)).ok_or_else(expected)
        };
        let (game, position, claim) =
            (field(1, "game")?, field(2, "position")?, field(3, "claim")?);
        let at = |line: usize| move |message: String| Fault::new(line, message);
        let read = read_claim(claim.1, version).map_err(at(claim.0))?;
        let mut next = 4;
        let mut tries = None;
        if let (Ok((line, text)), Claim::Wins { .. }) = (field(next, "try"), &read) {
            tries = Some(read_try(text).map_err(at(line))?);
            next += 1;
        }
        let (line, stored) = field(next, "stored")?;
        let stored = (line, number(stored).map_err(at(line))? as usize);
        if let Some((line, text)) = lines.get(next + 1) {
            let message = format!("expected a checksum after the head, got `{}`", shorten(text));
            return Err(Fault::new(*line, message));
        }
        Ok(Head { game, position, claim: (claim.0, read), tries, stored })
    }

    /// Refuses the head of another game.
    pub(super) fn expect_game(&self, id: &str) -> Result<(), Fault> {
        let (line, game) = self.game;
        if game == id {
            return Ok(());
        }
        Err(Fault::new(line, format!("expected `{id}`, got `{}`", shorten(game))))
    }
}

/// Digits without sign, blanks or leading zeros.
pub(super) fn number(text: &str) -> Result<u32, String> {
    let plain =
        text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    let value = text.parse().ok().filter(|_| plain);
    value.ok_or_else(|| format!("`{}` is not a number in canonical form", shorten(text)))
}

/// A number of moves.
pub(super) fn moves(text: &str, most: u32) -> Result<u32, String> {
    let moves = number(text)?;
    if moves <= most { Ok(moves) } else { Err(format!("{moves} moves are more than {most}")) }
}

fn read_claim(text: &str, version: usize) -> Result<Claim, String> {
    let player = |number: &str| match number {
        "1" => Ok(rules::Player::One),
        "2" => Ok(rules::Player::Two),
        _ => Err("a player is 1 or 2".to_owned()),
    };
    let words: Vec<&str> = text.split(' ').collect();
    match (&words[..], version) {
        (["player", who, "wins", "within", within, "moves"], _) => {
            Ok(Claim::Wins { player: player(who)?, within: moves(within, MOST_MOVES)? })
        }
        (["player", who, "does", "not", "win"], 2) => Ok(Claim::NoWin(player(who)?)),
        (["nobody", "wins"], 2) => Ok(Claim::Nobody),
        (_, 1) => Err("expected `claim player 1 wins within 20 moves`".into()),
        _ => {
            Err("expected `claim player 1 wins within 20 moves`, `claim player 1 does not win` or \
                  `claim nobody wins`"
                .into())
        }
    }
}

fn read_try(text: &str) -> Result<(String, u32), String> {
    let words: Vec<&str> = text.split(' ').collect();
    match words[..] {
        [ending, "within", within, "moves"] if !ending.is_empty() => {
            Ok((ending.to_owned(), moves(within, MOST_TRIED)?))
        }
        _ => Err("expected `try -e5 within 8 moves`".into()),
    }
}

/// Parses a position and insists on the canonical spelling, options included.
pub(super) fn position<G: Notation>(text: &str) -> Result<G, String> {
    let pos = G::from_text(text, &G::Options::default()).map_err(|error| error.to_string())?;
    exact(text, &pos.text())?;
    Ok(pos)
}

/// Parses a move and insists on the canonical spelling.
pub(super) fn written_move<G: Notation>(text: &str) -> Result<G::Move, String> {
    let m: G::Move = text.parse().map_err(|error: ParseMoveError| error.to_string())?;
    exact(text, &m.to_string())?;
    Ok(m)
}

fn exact(read: &str, written: &str) -> Result<(), String> {
    if read == written {
        return Ok(());
    }
    Err(format!("`{}` is written `{}` here", shorten(read), shorten(written)))
}
