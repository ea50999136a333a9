//! The engine's answers in the words of UGI or UCI.

use super::dialect::Dialect;
use engine::{AnalysedLine, Analysis};

impl Dialect {
    /// The answer to `go`, with the reply that is expected if it is wanted; `(none)` when the game is over.
    pub fn best(self, analysis: Option<&Analysis>, ponders: bool) -> String {
        let line = analysis.and_then(|analysis| analysis.lines.first());
        let turn = |number: usize| line.and_then(|line| line.turns.get(number)).map(String::as_str);
        let best = self.best_of(turn(0));
        match turn(1).filter(|_| ponders) {
            Some(reply) => format!("{best} ponder {}", self.turn(reply)),
            None => best,
        }
    }

    /// The same, of a turn.
    pub fn best_of(self, turn: Option<&str>) -> String {
        format!("bestmove {}", turn.map_or_else(|| "(none)".to_owned(), |turn| self.turn(turn)))
    }

    /// What a search has found so far, one line of text for each line of play.
    pub fn news(self, analysis: &Analysis) -> Vec<String> {
        let ms = analysis.time.as_millis().max(1);
        let nps = u128::from(analysis.nodes) * 1000 / ms;
        let spent = format!(
            "info depth {} seldepth {} nodes {} nps {nps} hashfull {} time {}",
            analysis.depth,
            analysis.deepest.max(analysis.depth),
            analysis.nodes,
            analysis.full,
            analysis.time.as_millis()
        );
        let one = |(i, line): (usize, &AnalysedLine)| {
            let turns: Vec<_> = line.turns.iter().map(|turn| self.turn(turn)).collect();
            let score = self.score(line);
            format!("{spent} score {score} multipv {} pv {}", i + 1, turns.join(" "))
        };
        analysis.lines.iter().enumerate().map(one).collect()
    }

    fn score(self, line: &AnalysedLine) -> String {
        match (line.win_in, self) {
            (None, _) => format!("cp {}", line.score),
            (Some(turns), Dialect::Ugi) => format!("win {turns}"),
            (Some(turns), Dialect::Uci) => format!("mate {turns}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn analysis(score: i32, win_in: Option<i32>) -> Analysis {
        let turns = vec!["c1-d3".to_owned(), "c9-d7".to_owned()];
        let lines = vec![AnalysedLine { turns, score, win_in, proof: None }];
        let time = Duration::from_millis(250);
        Analysis { depth: 3, deepest: 5, full: 12, nodes: 500, time, lines }
    }

    #[test]
    fn each_dialect_has_its_own_words() {
        let said = |dialect: Dialect, analysis: &Analysis| dialect.news(analysis).join("\n");
        let estimate = analysis(-34, None);
        assert_eq!(
            said(Dialect::Ugi, &estimate),
            "info depth 3 seldepth 5 nodes 500 nps 2000 hashfull 12 time 250 score cp -34 multipv 1 pv c1-d3 c9-d7"
        );
        assert_eq!(Dialect::Ugi.best(Some(&estimate), false), "bestmove c1-d3");
        let lost = analysis(-29_996, Some(-2));
        assert!(said(Dialect::Ugi, &lost).contains(" score win -2 "));
        assert_eq!(
            said(Dialect::Uci, &lost),
            "info depth 3 seldepth 5 nodes 500 nps 2000 hashfull 12 time 250 score mate -2 multipv 1 pv c1d3 c9d7"
        );
        assert_eq!(Dialect::Uci.best(Some(&lost), true), "bestmove c1d3 ponder c9d7");
        assert_eq!(Dialect::Uci.best(None, true), "bestmove (none)");
    }
}
