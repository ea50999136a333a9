//! The requests of Quadrille as a program for WebAssembly's system interface: lines of JSON come in, lines of
//! JSON go out, as with `quadrille query`. It asks its surroundings for the time and for nothing else. A page
//! ends a search by ending its Worker.
//!
//! The input of a page ends and goes on later: it runs `main` again in the same instance, which finds what
//! was made before, engines above all. The tests run it in the same way.
//!
//! `part NAME` as arguments hand over a part of what the engine knows by heart, which is the whole input.
//! `version` and `bench` tell what a test compares with the native program.

use engine::{GAMES, Stop, parts};
use requests::{Budget, Desk};
use std::cell::RefCell;
use std::io::{BufRead, Error, Read, Result, Write, stdin, stdout};

/// The size of a table. Phones have little memory, and a search in a page is one of seconds.
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
    // Engines that were made before do without it.
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
                // In one piece: nothing gathers small ones once `main` has run.
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
