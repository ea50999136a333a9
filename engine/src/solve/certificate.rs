//! A proof as a file that stands alone: game, claim, and a move and a rank for each stored position.
//!
//! `docs/certificates.md` describes the format. A certificate is text, perhaps compressed; every block
//! of lines ends with its checksum, so that damage can be located.

use flate2::Crc;
use rules::game::shorten;
use rules::{Notation, Player, Symmetric};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Read;

const TITLE: &str = "quadrille certificate 1";

/// How many stored positions share a checksum.
const BLOCK: usize = 64;

/// The largest certificate that is read.
const MOST_BYTES: u64 = 4 << 30;

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

/// Moves that the winner tries in a position that is not stored and not won at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Try {
    /// How the text of such a move ends.
    pub ending: String,
    /// In how many moves of the winner such a try must win.
    pub within: u32,
}

/// A stored position's move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored<M> {
    /// The winner's move.
    pub m: M,
    /// In how many moves of the winner it wins at most.
    pub rank: u32,
    /// Where it stands in the file.
    pub line: usize,
}

/// A claim and what proves it.
#[derive(Clone, Debug)]
pub struct Certificate<G: Symmetric> {
    /// The position that is won.
    pub start: G,
    /// Who wins it.
    pub winner: Player,
    /// In how many moves of the winner at most.
    pub within: u32,
    /// What is tried where nothing is stored.
    pub tries: Option<Try>,
    /// A move for each position with the winner to move that is not won at sight, up to symmetry.
    pub stored: HashMap<G, Stored<G::Move>>,
}

impl<G: Symmetric + Notation> Certificate<G> {
    /// The certificate as text, the stored positions sorted.
    pub fn write(&self) -> String {
        let mut body = vec![
            TITLE.to_owned(),
            format!("game {}", G::INFO.id),
            format!("position {}", self.start.text()),
            format!("claim player {} wins within {} moves", self.winner, self.within),
        ];
        if let Some(Try { ending, within }) = &self.tries {
            body.push(format!("try {ending} within {within} moves"));
        }
        body.push(format!("stored {}", self.stored.len()));
        let line = |(pos, stored): (&G, &Stored<G::Move>)| {
            format!("{} {} {}", pos.text(), stored.m, stored.rank)
        };
        let mut lines: Vec<String> = self.stored.iter().map(line).collect();
        lines.sort_unstable();
        let mut text = String::new();
        seal(&mut text, &body);
        lines.chunks(BLOCK).for_each(|block| seal(&mut text, block));
        text.push_str("end\n");
        text
    }

    /// Reads a certificate; what it claims is not checked yet.
    pub fn read(text: &str) -> Result<Self, Fault> {
        let lines = unseal(text)?;
        let header = Header::read(&lines)?;
        let at = |(line, message): (usize, String)| Fault::new(line, message);
        let start = G::from_text(&header.position.1, &G::Options::default());
        let start = start.map_err(|error| at((header.position.0, error.to_string())))?;
        let mut certificate = Certificate {
            winner: header.winner,
            within: header.within,
            tries: header.tries,
            stored: HashMap::new(),
            start,
        };
        for &(line, text) in &lines[header.lines..] {
            certificate.take(line, text).map_err(|message| Fault::new(line, message))?;
        }
        if certificate.stored.len() != header.stored.1 {
            let (said, found) = (header.stored.1, certificate.stored.len());
            let message = format!("{said} stored positions are announced, {found} follow");
            return Err(Fault::new(header.stored.0, message));
        }
        Ok(certificate)
    }

    /// Takes a stored position: its text, the player to move, the move and the rank.
    fn take(&mut self, line: usize, text: &str) -> Result<(), String> {
        let parts = text
            .rsplit_once(' ')
            .and_then(|(rest, rank)| rest.rsplit_once(' ').map(|(pos, m)| (pos, m, rank)));
        let Some((pos, m, rank)) = parts else {
            return Err(format!("`{}` is not a position with a move and a rank", shorten(text)));
        };
        let pos = G::from_text(pos, &G::Options::default()).map_err(|error| error.to_string())?;
        let m: G::Move = m.parse().map_err(|error: rules::ParseMoveError| error.to_string())?;
        let rank = number(rank)?;
        if pos.options() != self.start.options() {
            return Err("its options are not those of the claim".into());
        }
        if pos.turn() != self.winner || pos.outcome().is_some() {
            return Err("it is not the winner's turn there".into());
        }
        if !pos.is_legal(m) {
            return Err(format!("`{m}` is not legal: {}", pos.objection(m)));
        }
        let (canonical, which) = pos.canonical();
        let stored = Stored { m: pos.image_of(m, which), rank, line };
        match self.stored.insert(canonical, stored) {
            None => Ok(()),
            Some(first) => Err(format!("the position stands in line {} already", first.line)),
        }
    }

    /// The move stored for a position or one of its images, and its rank.
    pub fn advice(&self, pos: &G) -> Option<(G::Move, u32)> {
        let (canonical, which) = pos.canonical();
        let stored = self.stored.get(&canonical)?;
        Some((pos.move_of_image(stored.m, which)?, stored.rank))
    }
}

/// Which game a certificate is about.
pub fn game_of(text: &str) -> Result<String, Fault> {
    let mut lines = text.lines();
    if lines.next() != Some(TITLE) {
        return Err(Fault::new(1, format!("expected `{TITLE}`: this is not a certificate")));
    }
    let game = lines.next().and_then(|line| line.strip_prefix("game "));
    game.map(str::to_owned).ok_or_else(|| Fault::new(2, "expected `game` and its name"))
}

/// A certificate compressed, as its file holds it when its name ends in `.gz`.
pub fn compress(text: &str) -> std::io::Result<Vec<u8>> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(text.as_bytes())?;
    encoder.finish()
}

/// The text of a certificate file, whether compressed or not.
pub fn decompress(bytes: &[u8]) -> Result<String, Fault> {
    let mut text = Vec::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let unpacked = flate2::read::GzDecoder::new(bytes).take(MOST_BYTES).read_to_end(&mut text);
        if let Err(error) = unpacked {
            let line = 1 + text.iter().filter(|byte| **byte == b'\n').count();
            return Err(Fault::new(line, format!("the compressed data is damaged: {error}")));
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

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// The lines with their numbers, once all checksums are right and the end is there.
fn unseal(text: &str) -> Result<Vec<(usize, &str)>, Fault> {
    let mut lines = Vec::new();
    let (mut crc, mut first) = (Crc::new(), 1);
    for (i, whole) in text.split_inclusive('\n').enumerate() {
        let number = i + 1;
        let line = whole.strip_suffix('\n').unwrap_or(whole);
        if let Some(sum) = line.strip_prefix("= ") {
            if u32::from_str_radix(sum, 16) != Ok(crc.sum()) || sum.len() != 8 {
                let message = format!("lines {first} to {} do not fit their checksum", number - 1);
                return Err(Fault::new(number, message));
            }
            (crc, first) = (Crc::new(), number + 1);
        } else if whole == "end\n" && first == number {
            let rest: usize = text.lines().count() - number;
            return match rest {
                0 => Ok(lines),
                _ => Err(Fault::new(number + 1, "there is something behind the end")),
            };
        } else {
            crc.update(whole.as_bytes());
            lines.push((number, line));
        }
    }
    Err(Fault::new(text.lines().count().max(1), "it is cut short: `end` is missing"))
}

/// What stands before the stored positions.
struct Header {
    position: (usize, String),
    winner: Player,
    within: u32,
    tries: Option<Try>,
    stored: (usize, usize),
    /// How many lines it takes.
    lines: usize,
}

impl Header {
    fn read(lines: &[(usize, &str)]) -> Result<Header, Fault> {
        let field = |i: usize, name: &str| {
            let (line, text) = lines.get(i).copied().unwrap_or((i + 1, ""));
            let value = text.strip_prefix(name).and_then(|rest| rest.strip_prefix(' '));
            let expected = || Fault::new(line, format!("expected `{name}` and its value"));
            value.map(|value| (line, value)).ok_or_else(expected)
        };
        let (position, claim) = (field(2, "position")?, field(3, "claim")?);
        let (winner, within) = read_claim(claim.1).map_err(|m| Fault::new(claim.0, m))?;
        let tries = match field(4, "try") {
            Ok((line, text)) => Some(read_try(text).map_err(|m| Fault::new(line, m))?),
            Err(_) => None,
        };
        let at = 4 + usize::from(tries.is_some());
        let (line, stored) = field(at, "stored")?;
        let stored = number(stored).map_err(|m| Fault::new(line, m))? as usize;
        let position = (position.0, position.1.to_owned());
        Ok(Header { position, winner, within, tries, stored: (line, stored), lines: at + 1 })
    }
}

fn number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("`{}` is not a number", shorten(text)))
}

fn read_claim(text: &str) -> Result<(Player, u32), String> {
    let words: Vec<&str> = text.split(' ').collect();
    let ["player", player, "wins", "within", within, "moves"] = words[..] else {
        return Err("expected `claim player 1 wins within 20 moves`".into());
    };
    let player = player.parse().ok().and_then(|number: u8| Player::try_from(number).ok());
    Ok((player.ok_or("a player is 1 or 2")?, number(within)?))
}

fn read_try(text: &str) -> Result<Try, String> {
    let words: Vec<&str> = text.split(' ').collect();
    let [ending, "within", within, "moves"] = words[..] else {
        return Err("expected `try -e5 within 8 moves`".into());
    };
    Ok(Try { ending: ending.to_owned(), within: number(within)? })
}
