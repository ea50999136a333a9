//! `go perft`: counting the ways to play.

use engine::{Session, Stop};

/// The depth that is counted between two checks of the stop flag: some milliseconds.
const AT_ONCE: u32 = 2;

/// Counts the ways to play this many moves, by first move; reports nothing more once it is stopped.
pub fn perft(
    session: &dyn Session,
    depth: u32,
    stop: &Stop,
    row: &mut dyn FnMut(&str, u64),
) -> Option<u64> {
    let mut all = 0;
    for step in position(session)?.steps() {
        let count = below(session, &step.text, depth - 1, stop)?;
        row(&step.text, count);
        all += count;
    }
    Some(all)
}

fn below(session: &dyn Session, step: &str, depth: u32, stop: &Stop) -> Option<u64> {
    if stop.is_stopped() {
        return None;
    }
    if depth == 0 {
        return Some(1);
    }
    let mut next = position(session)?;
    next.play(step).ok()?;
    if depth <= AT_ONCE {
        let mut all = 0;
        next.perft(depth, false, &mut |_, count| all += count);
        return Some(all);
    }
    next.steps().iter().map(|step| below(next.as_ref(), &step.text, depth - 1, stop)).sum()
}

/// The position without its history, which could make it a draw by repetition.
fn position(session: &dyn Session) -> Option<Box<dyn Session>> {
    let entry = engine::find(session.info().id)?;
    (entry.from_text)(&session.text(), &session.options()).ok()
}
