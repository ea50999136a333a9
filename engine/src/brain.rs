//! The engine of one game: finds whole turns for a match within a budget.

use crate::control::{Control, Limits, Stop};
use crate::evaluate::Evaluate;
use crate::levels::{Blurred, Skill};
use crate::parts;
use crate::play::{Judgement, Play};
use crate::score::{Score, WIN, win_after};
use crate::search::{Pv, Tuning};
use crate::session::Match;
use crate::solve::Prove;
use crate::solve::atlas::Atlas;
use crate::solve::bound::{Bounder, Bounds, Count};
use crate::solve::follow::{self, Said, Truth};
use crate::think::{Thought, think, think_without};
use crate::transposition::TranspositionTable;
use crate::whole::{ends_turn, make_whole};
use rules::Player;
use rules::random::Random;
use std::str::FromStr;
use std::time::Duration;

/// An engine that keeps its tables between searches.
pub struct Brain<G: Play> {
    pub(crate) judgement: Judgement,
    pub(crate) judge: G::Judge,
    tt: TranspositionTable,
    /// The table of the exact search for quick wins, in games that have one.
    bounds: Option<Bounds>,
}

/// The most memory for the exact search, in MiB.
const BOUND_MEBIBYTES: usize = 8;

/// The share of a turn's budget for the exact search for a quick win, and for unpacking certificates.
const EXACT_PARTS: u32 = 4;

pub(crate) type News<'a, M> = &'a mut dyn FnMut(&Thought<M>);

/// Whether to search for a quick win: not for several lines, a fixed depth or an unlimited search, and only
/// if the share of the budget suffices in positions with thousands of turns.
fn is_worth_it(limits: &Limits) -> bool {
    let parts = EXACT_PARTS;
    if limits.lines > 1 || limits.depth.is_some() || limits.unaided {
        return false;
    }
    let bounded = limits.time.is_some() || limits.nodes.is_some();
    bounded
        && limits.nodes.is_none_or(|nodes| nodes / u64::from(parts) >= 5_000)
        && limits.time.is_none_or(|time| time / parts >= Duration::from_millis(200))
}

impl<G: Play> Brain<G> {
    /// An engine whose tables take this many MiB in all.
    pub fn new(mebibytes: usize) -> Self {
        let judge = G::Judge::default();
        let bounds = (judge.exact_turns() > 0).then(|| (mebibytes / 4).clamp(1, BOUND_MEBIBYTES));
        let rest = mebibytes.saturating_sub(bounds.unwrap_or(0));
        Brain {
            judgement: Judgement::default(),
            judge,
            tt: TranspositionTable::new(rest.max(1)),
            bounds: bounds.map(Bounds::new),
        }
    }

    /// Clears the tables.
    pub fn forget(&mut self) {
        self.tt.clear();
        self.bounds.iter_mut().for_each(Bounds::clear);
    }

    /// The best lines in whole turns: by certificates, a quick win, or the main search. `None` if the game is
    /// over.
    pub(crate) fn decide(
        &mut self,
        game: &Match<G>,
        control: &Control,
        news: News<'_, G::Move>,
    ) -> Option<Thought<G::Move>> {
        let pos = game.position();
        if pos.outcome().is_some() {
            return None;
        }
        let limits = control.limits();
        let said = if limits.unaided { Said::default() } else { proven(game, control) };
        if let Some(lines) = proven_lines(pos, &said, limits.lines) {
            let thought = self.told(pos, lines, control);
            news(&thought);
            return Some(thought);
        }
        if said.truth.is_none()
            && let Some(line) = self.win_soon(pos, control)
        {
            return Some(self.told(pos, vec![line], control));
        }
        let (past, losing) = (game.past_keys(), losing(pos, &said));
        self.tt.new_search();
        let whole = |mut thought: Thought<G::Move>| {
            for line in &mut thought.lines {
                make_whole(pos, &mut line.moves, &self.judge, &self.tt);
            }
            correct(pos, &mut thought.lines, &said, limits.lines);
            even_out(pos, &mut thought.lines);
            thought
        };
        let (judge, tt) = (&self.judge, &self.tt);
        let tell = &mut |thought: &Thought<G::Move>| news(&whole(thought.clone()));
        let known = (&past[..], &losing[..]);
        Some(whole(think_without(pos, known, judge, tt, Tuning::PLAY, control, tell)))
    }

    /// Lines found without the main search, as the result of the turn.
    fn told(&self, pos: &G, mut lines: Vec<Pv<G::Move>>, control: &Control) -> Thought<G::Move> {
        for line in &mut lines {
            make_whole(pos, &mut line.moves, &self.judge, &self.tt);
        }
        let depth = lines.first().map_or(1, |line| WIN - line.score.abs());
        let (nodes, time) = (control.nodes(), control.elapsed());
        let depth = depth as u32;
        Thought { lines, depth, deepest: depth, full: self.tt.fullness(), nodes, time }
    }

    /// A win close enough for an exact search, where one pays off. Its line goes as far as its share of the budget
    /// allows.
    fn win_soon(&mut self, pos: &G, control: &Control) -> Option<Pv<G::Move>> {
        if !is_worth_it(control.limits()) {
            return None;
        }
        let (bounds, share) = (self.bounds.as_mut()?, control.part(EXACT_PARTS));
        let mut bounder =
            Bounder::new(&self.judge, bounds, share, pos.turn(), Count::Turns).keeping_turn();
        for turns in 1..=self.judge.exact_turns() {
            let bound = 2 * turns - 1;
            if !bounder.wins(pos, bound)? {
                continue;
            }
            let mut moves = bounder.winning_turn();
            let mut next = pos.clone();
            moves.iter().for_each(|m| next.play_unchecked(*m));
            if ends_turn(pos, &next) {
                moves.extend(bounder.line(&next, bound - 1));
            }
            return Some(Pv { moves, score: win_after(bound as i32), proof: None });
        }
        None
    }

    /// The turn of a level with a node limit and errors.
    pub(crate) fn decide_at_level(
        &mut self,
        game: &Match<G>,
        skill: Skill,
        (limits, stop): (&Limits, &Stop),
        random: &mut Random,
        news: News<'_, G::Move>,
    ) -> Option<Thought<G::Move>> {
        let careless = (random.below(100) as u64) < skill.careless;
        let salt = random.next_u64();
        let pos = game.position();
        if self.judge.known(pos) == Some(win_after(1)) {
            // Levels never miss their own immediate win, which a depth of two finds.
            let limits = Limits { depth: Some(2), time: limits.time, ..Limits::default() };
            return self.decide(game, &Control::new(&limits, stop), news);
        }
        if pos.outcome().is_some() {
            return None;
        }
        // A careless turn considers every move and ignores the opponent's replies.
        let (depth, nodes) = if careless { (Some(1), None) } else { (None, Some(skill.nodes)) };
        let limits = Limits { time: limits.time, depth, nodes, ..Limits::default() };
        let control = Control::new(&limits, stop);
        let judge = Blurred::new(&self.judge, pos, skill, salt, careless);
        let tt = TranspositionTable::new(1);
        let past = game.past_keys();
        let whole = |mut thought: Thought<G::Move>| {
            thought.lines.iter_mut().for_each(|l| make_whole(pos, &mut l.moves, &judge, &tt));
            thought
        };
        let tell = &mut |thought: &Thought<G::Move>| news(&whole(thought.clone()));
        let thought = whole(think(pos, &past, &judge, &tt, Tuning::PLAY, &control, tell));
        Some(thought)
    }
}

/// What the atlas and the certificates prove. Certificates that cannot be unpacked within their share of the turn are
/// left out.
fn proven<G: Play>(game: &Match<G>, control: &Control) -> Said {
    if !G::HAS_PROOFS {
        return Said::default();
    }
    let (all, share) = (control.limits().lines > 1, control.part(EXACT_PARTS));
    let proofs = parts::certificates_in_time(game, all, &mut || !share.is_over());
    // A missing atlas means that the caller does without it.
    let atlas = Atlas::about(game).unwrap_or_default();
    if proofs.is_empty() && atlas.is_none() {
        return Said::default();
    }
    follow::follow_with(game, &proofs, atlas, all, follow::MOST_POSITIONS)
}

/// The turns that are proven to lose, though the position may not be lost. Only games in which a turn is one move have
/// proofs.
fn losing<G: Play>(pos: &G, said: &Said) -> Vec<G::Move> {
    let winner = Some(pos.turn().other());
    let lost =
        said.moves.iter().filter(|(_, after)| after.is_some_and(|truth| truth.winner == winner));
    lost.filter_map(|(turn, _)| turn.parse().ok()).collect()
}

/// The score of a line whose first turn leads to a position with this proven value.
fn score_after(truth: &Truth, mover: Player) -> Score {
    let left = truth.left as i32;
    match truth.winner {
        None => 0,
        Some(winner) if winner == mover => win_after(2 * left + 1),
        // The loser's own turn may end the game.
        Some(_) => -win_after((2 * left).max(1)),
    }
}

/// The score of a position with this proven value.
fn score_of(truth: &Truth, mover: Player) -> Score {
    let left = truth.left as i32;
    match truth.winner {
        None => 0,
        Some(winner) if winner == mover => win_after(2 * left - 1),
        Some(_) => -win_after(2 * left),
    }
}

/// The lines that certificates give without a search: the winner's turn if one line is asked for, or the loser's turns,
/// the longest resistance first.
fn proven_lines<G: Play>(pos: &G, said: &Said, lines: usize) -> Option<Vec<Pv<G::Move>>> {
    let truth = said.truth?;
    if truth.winner? == pos.turn() {
        return if lines == 1 { Some(vec![winning_line(said)?]) } else { None };
    }
    let lost = said.moves.iter().filter_map(|(turn, truth)| {
        let truth = (*truth)?;
        let score = score_after(&truth, pos.turn());
        Some(Pv { moves: vec![turn.parse().ok()?], score, proof: Some(truth.by) })
    });
    let mut lost: Vec<_> = lost.collect();
    lost.sort_by_key(|line| std::cmp::Reverse(line.score));
    lost.truncate(lines.max(1));
    (!lost.is_empty()).then_some(lost)
}

/// The turn by which the player to move wins or holds, as a line.
fn winning_line<M: FromStr>(said: &Said) -> Option<Pv<M>> {
    let truth = said.truth?;
    let (turn, _) = said.turn.as_ref()?;
    let score = truth.winner.map_or(0, |_| win_after(2 * truth.left as i32 - 1));
    Some(Pv { moves: vec![turn.parse().ok()?], score, proof: Some(truth.by) })
}

/// Corrects the lines of a search with what is proven.
fn correct<G: Play>(pos: &G, lines: &mut Vec<Pv<G::Move>>, said: &Said, most: usize) {
    // The first line of a depth that was not finished comes first, whatever its score.
    if *said == Said::default() {
        return;
    }
    let value = said.truth.map(|truth| score_of(&truth, pos.turn()));
    let losing = losing(pos, said);
    if lines.iter().all(|line| line.moves.first().is_some_and(|m| losing.contains(m)))
        && let Some(m) = pos.moves().into_iter().find(|m| !losing.contains(m))
    {
        // A search that was stopped at once returns the first move it generated.
        lines.insert(0, Pv { moves: vec![m], score: 0, proof: None });
    }
    for m in losing {
        if lines.len() < most && lines.iter().all(|line| line.moves.first() != Some(&m)) {
            lines.push(Pv { moves: vec![m], score: 0, proof: None });
        }
    }
    for line in lines.iter_mut() {
        let turn = line.moves.first().map(ToString::to_string);
        let after = said.moves.iter().find(|(own, _)| Some(own) == turn.as_ref());
        if let Some(truth) = after.and_then(|(_, truth)| *truth) {
            line.moves.truncate(1);
            (line.score, line.proof) = (score_after(&truth, pos.turn()), Some(truth.by));
        } else if let Some(value) = value.filter(|value| *value <= 0) {
            // No turn is worth more than the position.
            line.score = line.score.min(value);
        }
    }
    if let Some(best) = winning_line(said) {
        let is_best = |line: &Pv<G::Move>| line.score >= best.score && line.proof.is_some();
        if !lines.iter().any(is_best) {
            lines.retain(|line| line.moves.first() != best.moves.first());
            lines.push(best);
        }
    }
    lines.sort_by_key(|line| (std::cmp::Reverse(line.score), line.proof.is_none()));
    lines.truncate(most.max(1));
    // The atlas has the value of a position but no turns, so which one wins is unknown.
    if let (Some(truth), Some(value), Some(first)) = (said.truth, value, lines.first_mut())
        && first.proof.is_none()
        && (first.score..=0).contains(&value)
    {
        (first.score, first.proof) = (value, Some(truth.by));
    }
}

/// Moves first moves that are equivalent by symmetry right after the best of them, with its line rotated or mirrored.
fn even_out<G: Play>(pos: &G, lines: &mut [Pv<G::Move>]) {
    let same: Vec<usize> = (1..G::IMAGES).filter(|which| pos.image(*which) == *pos).collect();
    if same.is_empty() || lines.len() < 2 {
        return;
    }
    let mut done = 0;
    while done < lines.len() {
        let best = lines[done].clone();
        let mut alike = done + 1;
        for at in done + 1..lines.len() {
            let image = |which: &usize| {
                let first = best.moves.first().map(|m| pos.image_of(*m, *which));
                first.is_some() && first == lines[at].moves.first().copied()
            };
            if let Some(which) = same.iter().copied().find(image) {
                lines[at] = Pv { moves: image_line(pos, &best.moves, which), ..best.clone() };
                // The others keep their order: see `correct`.
                lines[alike..=at].rotate_right(1);
                alike += 1;
            }
        }
        done = alike;
    }
}

/// The image of a line under a symmetry.
fn image_line<G: Play>(pos: &G, moves: &[G::Move], which: usize) -> Vec<G::Move> {
    let mut pos = pos.clone();
    let mut turned = Vec::with_capacity(moves.len());
    for m in moves {
        turned.push(pos.image_of(*m, which));
        pos.play_unchecked(*m);
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::is_proven;
    use rules::Game;
    use rules::gekitai::{Gekitai, Place};
    use rules::glaisher::Glaisher;

    #[test]
    fn looking_for_a_quick_win_takes_a_quarter_of_the_turn_and_no_node_beside_it() {
        let game = Match::new(Glaisher::new(&Default::default()).unwrap());
        let control = || Control::new(&Limits::nodes(20_000), &Stop::default());
        let (looking, whole) = (control(), control());
        assert!(Brain::<Glaisher>::new(4).win_soon(game.position(), &looking).is_none());
        assert!((1..=5_000).contains(&looking.nodes()), "{}", looking.nodes());
        Brain::<Glaisher>::new(4).decide(&game, &whole, &mut |_| {});
        assert_eq!(whole.nodes(), 20_000);
    }

    #[test]
    fn a_turn_that_is_stopped_waits_for_no_certificate() {
        let stop = Stop::default();
        let options = serde_json::from_str(r#"{"size":7,"markers":5}"#).unwrap();
        let game = Match::new(Gekitai::new(&options).unwrap());
        let proof = |stop: &Stop| {
            let control = Control::new(&Limits::nodes(100), stop);
            let found = Brain::<Gekitai>::new(1).decide(&game, &control, &mut |_| {});
            found.unwrap().lines[0].proof
        };
        stop.stop();
        assert_eq!(proof(&stop), None);
        assert_eq!(proof(&Stop::default()), Some("gekitai-7-5.proof"));
    }

    #[test]
    fn the_first_line_of_an_unfinished_depth_stays_first_where_images_are_evened_out() {
        let pos = Gekitai::new(&Default::default()).unwrap();
        let line = |(cell, score): (&str, i32)| {
            let moves = vec![cell.parse().unwrap(), "f3".parse().unwrap()];
            Pv { moves, score, proof: None }
        };
        let mut lines: Vec<_> = [("c2", 5), ("a1", 30), ("b1", 20), ("d2", -7)].map(line).into();
        even_out(&pos, &mut lines);
        let told = |line: &Pv<Place>| (line.moves[0].to_string(), line.score);
        let expected = [("c2", 5), ("d2", 5), ("a1", 30), ("b1", 20)];
        assert_eq!(
            lines.iter().map(told).collect::<Vec<_>>(),
            expected.map(|(cell, score)| (cell.to_owned(), score))
        );
        assert_eq!(lines[1].moves[1].to_string(), "a3", "the line is mirrored, too");
    }

    #[test]
    fn mirror_images_of_a_first_move_have_the_same_value() {
        let game = Match::new(Gekitai::new(&Default::default()).unwrap());
        let limits = Limits { lines: 12, ..Limits::nodes(3_000) };
        let control = Control::new(&limits, &Stop::default());
        let thought = Brain::<Gekitai>::new(4).decide(&game, &control, &mut |_| {}).unwrap();
        let scores: Vec<(String, i32)> =
            thought.lines.iter().map(|line| (line.moves[0].to_string(), line.score)).collect();
        let of = |cell: &str| scores.iter().find(|(m, _)| m == cell).map(|(_, score)| *score);
        // The book has one of them; the others are equivalent, and so come first too.
        let won: Vec<_> = ["c3", "c4", "d3", "d4"].map(of).into_iter().flatten().collect();
        assert!(won.len() > 1 && won.iter().all(|score| *score == won[0]), "{scores:?}");
        assert!(is_proven(won[0]), "{scores:?}");
        assert!(scores.is_sorted_by_key(|(_, score)| std::cmp::Reverse(*score)), "{scores:?}");
    }
}
