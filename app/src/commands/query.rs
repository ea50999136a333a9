//! `quadrille query`: JSON lines for scripts.

use crate::shell::failure::Failure;
use crate::shell::input::next_line;
use engine::Stop;
use requests::{Budget, Desk};
use serde_json::{Value, json};
use std::io::Write;

/// The longest line that is read; a longer one is refused and skipped.
const MOST_BYTES: usize = 16 << 20;

/// The table's size: every search clears it, so it is only as large as a search of seconds needs.
const MEBIBYTES: usize = 32;

pub fn run() -> Result<(), Failure> {
    let mut input = std::io::stdin().lock();
    let mut out = std::io::stdout().lock();
    let mut line = Vec::new();
    let mut desk = Desk::new(MEBIBYTES);
    while next_line(&mut input, &mut line, MOST_BYTES)? {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let stop = Stop::default();
        let mut written = Ok(());
        let mut tell = |reply: Value| {
            if written.is_ok() {
                written = write(&mut out, &reply);
            }
            if written.is_err() {
                stop.stop();
            }
        };
        if line.len() > MOST_BYTES {
            let error = format!("the line is longer than {MOST_BYTES} bytes");
            tell(json!({ "id": null, "error": error, "kind": "too-much" }));
        } else {
            requests::reply(&line, &mut desk, &Budget::OWN, &stop, &mut tell);
        }
        written?;
    }
    Ok(())
}

fn write(out: &mut impl Write, reply: &Value) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, reply)?;
    out.write_all(b"\n")?;
    out.flush()
}
