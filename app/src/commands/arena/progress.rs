//! A line on standard error that shows how a match stands.

use super::report::elo_text;
use crate::shell::progress::Ticker;
use engine::arena::stats::Sprt;
use engine::arena::tally::Tally;
use std::io::Write;
use std::time::Instant;
use table::clock::face;

pub struct Progress {
    games: usize,
    /// How many games were played before this run.
    before: usize,
    sprt: Option<Sprt>,
    started: Instant,
    ticker: Ticker,
    /// Without a terminal: how many tenths of the match have been reported.
    tenths: usize,
}

impl Progress {
    /// Says that the first game is under way, which may take long.
    pub fn new(games: usize, before: usize, sprt: Option<Sprt>) -> Progress {
        let tenths = before * 10 / games.max(1);
        let mut ticker = Ticker::new();
        ticker.show(|_| format!("playing game {} of {games}", before + 1));
        Progress { games, before, sprt, started: Instant::now(), ticker, tenths }
    }

    /// Shows the score: in place on a terminal, otherwise after every tenth of the match.
    pub fn show(&mut self, tally: &Tally) {
        let done = tally.total().games() as usize;
        let line = line(tally, self.sprt, self.games, self.speed(done));
        let tenths = done * 10 / self.games.max(1);
        if !self.ticker.terminal && tenths > self.tenths {
            let _ = writeln!(std::io::stderr(), "{line}");
        }
        self.tenths = tenths;
        self.ticker.show(|_| line);
    }

    /// Clears the line for what is printed next.
    pub fn end(&self) {
        self.ticker.end();
    }

    /// Games per second in this run.
    fn speed(&self, done: usize) -> f64 {
        let seconds = self.started.elapsed().as_secs_f64();
        done.saturating_sub(self.before) as f64 / seconds.max(1e-6)
    }
}

fn line(tally: &Tally, sprt: Option<Sprt>, games: usize, speed: f64) -> String {
    let total = tally.total();
    let elo = tally.elo().map(elo_text).unwrap_or_default();
    let llr = sprt.map(|sprt| format!(", LLR {:.2}", sprt.llr(tally.pairs()))).unwrap_or_default();
    let left = (games as u64).saturating_sub(total.games()) as f64 / speed.max(1e-6);
    format!(
        "{}/{games}: {}-{}-{}, Elo {elo}{llr}, {} games/s, {} left",
        total.games(),
        total.wins,
        total.draws,
        total.losses,
        if speed < 10.0 { format!("{speed:.2}") } else { format!("{speed:.0}") },
        face(left.round() as i64),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::arena::stats::Wdl;

    #[test]
    fn the_line_tells_score_strength_and_time() {
        let mut tally = Tally::default();
        tally.sides =
            [Wdl { wins: 30, draws: 10, losses: 10 }, Wdl { wins: 30, draws: 10, losses: 10 }];
        let shown = line(&tally, Some(Sprt { elo0: 0.0, elo1: 10.0 }), 400, 0.5);
        assert_eq!(shown, "100/400: 60-20-20, Elo +147 ± 66, LLR 0.00, 0.50 games/s, 10:00 left");
        assert_eq!(face(3723), "1:02:03");
    }
}
