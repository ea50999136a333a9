//! The requests of Quadrille as a WASI program: JSON lines in, JSON lines out, as with `quadrille query`. The only
//! thing it asks of its host is the time. A page stops a search by terminating the Worker.
//!
//! For a page, standard input ends and resumes later: the page runs `main` again in the same instance, and everything
//! created before is still there, most importantly the engines. The tests do the same.
//!
//! With the arguments `part NAME`, standard input is a data file for the engine. `version` and `bench` print what a
//! test compares with the native program.

use engine::{GAMES, Stop, parts};
use requests::{Budget, Desk};
use std::cell::RefCell;
use std::io::{BufRead, Error, Read, Result, Write, stdin, stdout};

/// The size of the transposition table: phones have little memory, and a search in a page takes only seconds.
const MEBIBYTES: usize = 16;

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("part") => take_part(&args.next().unwrap_or_default()),
        Some("version") => writeln!(stdout(), "{}", requests::VERSION),
        Some("bench") => GAMES.iter().try_for_each(|entry| {
            let count = (entry.bench)();
            let micros = count.time.as_micros();
            writeln!(stdout(), "{} {} {micros}", entry.info.id, count.nodes)
        }),
        _ => answer(),
    }
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::new(Desk::new(MEBIBYTES));
}

fn take_part(name: &str) -> Result<()> {
    let mut bytes = Vec::new();
    stdin().lock().read_to_end(&mut bytes)?;
    parts::hand_over(name, bytes).map_err(Error::other)?;
    // Existing engines would not pick up the new data.
    DESK.replace(Desk::new(MEBIBYTES));
    Ok(())
}

fn answer() -> Result<()> {
    let stop = Stop::default();
    for line in stdin().lock().lines() {
        let line = line?;
        let mut written = Ok(());
        let tell = &mut |reply: serde_json::Value| {
            if written.is_ok() {
                // In one piece: there is no buffer that survives `main`.
                written = stdout().write_all(format!("{reply}\n").as_bytes());
            }
        };
        DESK.with_borrow_mut(|desk| {
            requests::reply(line.as_bytes(), desk, &Budget::PAGE, &stop, tell);
        });
        written?;
    }
    Ok(())
}
