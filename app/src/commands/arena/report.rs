//! The result of a match as a table.

use engine::arena::Arena;
use engine::arena::stats::{Decision, Elo, Sprt, Wdl};
use engine::arena::tally::Tally;
use std::collections::BTreeMap;
use std::time::Duration;

/// The whole report, from player A's point of view.
pub fn table(game: &str, arena: &Arena, tally: &Tally, sprt: Option<Sprt>) -> String {
    let plan = arena.plan();
    let [a, b] = arena.names();
    let total = tally.total();
    let [first, second] = tally.sides;
    let mut text = format!(
        "{game}: {} games, openings of {} turns, seed {}\n",
        total.games(),
        plan.opening,
        plan.seed
    );
    text += &format!("A  {a}\nB  {b}\n\n");
    text += "A              won  drawn   lost    score\n";
    for (label, wdl) in [("all games", total), ("as first", first), ("as second", second)] {
        text += &row(label, wdl);
    }
    text += "\n";
    if let Some(elo) = tally.elo() {
        let superiority = 100.0 * total.superiority();
        text += &line("Elo", &format!("{} (95 %)", elo_text(elo)));
        text += &line("A is stronger", &format!("{superiority:.1} % likely"));
    }
    if let Some(sprt) = sprt {
        text += &line("SPRT", &sprt_text(sprt, tally));
    }
    let [faults_a, faults_b] = &tally.faults;
    text += &line("faults", &format!("A {}, B {}", counts(faults_a), counts(faults_b)));
    if !tally.draws.is_empty() {
        text += &line("draws by", &list(&tally.draws));
    }
    let [time_a, time_b] = tally.time_per_turn().map(milliseconds);
    text += &line("turns per game", &format!("{:.1}", tally.turns_per_game()));
    text += &line("time per turn", &format!("A {time_a}, B {time_b}"));
    text
}

fn row(label: &str, wdl: Wdl) -> String {
    let score = 100.0 * wdl.score();
    let score = if wdl.games() == 0 { "-".to_owned() } else { format!("{score:.1} %") };
    format!("{label:<11} {:>6} {:>6} {:>6} {score:>8}\n", wdl.wins, wdl.draws, wdl.losses)
}

fn line(label: &str, text: &str) -> String {
    format!("{label:<15} {text}\n")
}

fn sprt_text(sprt: Sprt, tally: &Tally) -> String {
    let (llr, bound) = (sprt.llr(tally.pairs()), Sprt::bound());
    let Sprt { elo0, elo1 } = sprt;
    let verdict = match sprt.decision(tally.pairs()) {
        Some(Decision::H0) => format!("Elo {elo0:+} accepted, {elo1:+} refuted"),
        Some(Decision::H1) => format!("Elo {elo1:+} accepted, {elo0:+} refuted"),
        None => format!("undecided between Elo {elo0:+} and {elo1:+}"),
    };
    format!("{verdict}: LLR {llr:.2}, bounds ±{bound:.2}")
}

/// A difference in Elo with its error, or with its range if that is open at one end.
pub fn elo_text(elo: Elo) -> String {
    let number = |value: f64| {
        // Zero has no sign.
        let value = if value.abs() < 0.5 { 0.0 } else { value };
        format!("{value:+.0}")
    };
    match elo.error() {
        Some(error) => format!("{} ± {error:.0}", number(elo.value)),
        None if elo.high.is_finite() => {
            format!("{}, below {}", number(elo.value), number(elo.high))
        }
        None if elo.low.is_finite() => format!("{}, above {}", number(elo.value), number(elo.low)),
        None => format!("{} ± inf", number(elo.value)),
    }
}

fn counts(faults: &BTreeMap<&'static str, u64>) -> String {
    match faults.values().sum::<u64>() {
        0 => "0".to_owned(),
        sum => format!("{sum} ({})", list(faults)),
    }
}

fn list<K: std::fmt::Display>(counts: &BTreeMap<K, u64>) -> String {
    let items: Vec<_> = counts.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
    items.join(", ")
}

fn milliseconds(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1000.0;
    if ms < 10.0 { format!("{ms:.2} ms") } else { format!("{ms:.0} ms") }
}
