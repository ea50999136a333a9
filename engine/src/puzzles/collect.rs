//! Collects puzzles from games that the engine plays against itself.

use super::Puzzle;
use crate::control::{Control, Limits, Stop};
use crate::evaluate::Evaluate;
use crate::levels::{Blurred, Skill, USUAL};
use crate::play::{Play, whole_turns};
use crate::search::Tuning;
use crate::session::{Course, Match, Position};
use crate::solve::bound::{Bounder, Bounds, Count};
use crate::think::think;
use crate::thinker::turn_texts;
use crate::transposition::TranspositionTable;
use rules::random::Random;
use std::collections::HashSet;

/// How many puzzles to collect, and from which games.
#[derive(Clone, Debug)]
pub struct Collect {
    /// Number of puzzles.
    pub count: usize,
    /// Seed of the random numbers.
    pub seed: u64,
    /// The most games to play.
    pub games: u64,
}

/// The fewest and the most turns a solution takes.
const TURNS: std::ops::RangeInclusive<u32> = 2..=5;
/// The most random moves at the start of a game.
const OPENING: usize = 6;
/// The longest game; longer ones are abandoned.
const LONGEST: usize = 150;
/// Node limit of each search about a position.
const NODES: u64 = 3_000_000;
/// Memory for those searches, in MiB.
const MEBIBYTES: usize = 64;
/// How often the rating search doubles its node limit, from [`FIRST`].
const DOUBLINGS: u32 = 12;
const FIRST: u64 = 50;

/// Collects puzzles of a game, sorted from easy to hard. Calls `report` with the number of games and puzzles.
pub fn collect<G: Play>(
    options: &G::Options,
    wanted: &Collect,
    stop: &Stop,
    report: &mut dyn FnMut(u64, usize),
) -> Result<Vec<Puzzle>, rules::SetupError> {
    let mut puzzles = Vec::new();
    let mut seen = HashSet::new();
    for i in 0..wanted.games {
        report(i, puzzles.len());
        if puzzles.len() >= wanted.count || stop.is_stopped() {
            break;
        }
        let mut random = Random::new(wanted.seed.wrapping_add(i));
        let game = play::<G>(options, &mut random)?;
        // The winner's turns from the end; at most one puzzle of each game, for variety.
        let mut finder = Finder::<G>::new(stop);
        let mut positions = last_of_winner(&game);
        let first = random.below(positions.len().max(1));
        positions.rotate_left(first);
        let found = positions.iter().find_map(|pos| finder.puzzle(pos));
        puzzles.extend(found.filter(|(key, _)| seen.insert(*key)).map(|(_, puzzle)| puzzle));
    }
    puzzles.sort_by_key(|puzzle| (puzzle.rating, puzzle.turns));
    Ok(puzzles)
}

/// Rates puzzles of a game again with the current engine and sorts them from easy to hard. Calls `report`
/// with the number done. An error names the puzzle that cannot be read.
pub fn rate<G: Play>(
    puzzles: Vec<Puzzle>,
    report: &mut dyn FnMut(usize),
) -> Result<Vec<Puzzle>, String> {
    let mut rated = Vec::new();
    for mut puzzle in puzzles {
        report(rated.len());
        let unreadable = |why: String| format!("the puzzle `{}`: {why}", puzzle.position);
        let pos = G::from_text(&puzzle.position, &G::Options::default())
            .map_err(|error| unreadable(error.to_string()))?;
        let first = puzzle.solution.first().map_or(Vec::new(), |turn| G::steps(turn));
        let first = first.first().and_then(|step| step.parse().ok());
        let first = first.filter(|m| pos.is_legal(*m));
        let first = first.ok_or_else(|| unreadable("its solution is not legal".into()))?;
        let rating = rating(&pos, &[first]).unwrap_or(puzzle.rating);
        let tag = |rating: u64| format!("[Rating \"{rating}\"]");
        puzzle.record = puzzle.record.replace(&tag(puzzle.rating), &tag(rating));
        puzzle.rating = rating;
        rated.push(puzzle);
    }
    rated.sort_by_key(|puzzle| (puzzle.rating, puzzle.turns));
    Ok(rated)
}

/// The positions of a game between fallible players, at the start of each turn; the last is over.
fn play<G: Play>(options: &G::Options, random: &mut Random) -> Result<Vec<G>, rules::SetupError> {
    let judge = G::Judge::default();
    let mut pos = G::new(options)?;
    for _ in 0..random.below(OPENING + 1) {
        let Some(m) = random.pick(&pos.moves()).copied() else { break };
        pos.play_unchecked(m);
    }
    let skill = Skill { nodes: 600, ..USUAL[5] };
    let mut positions = vec![pos.clone()];
    while pos.outcome().is_none() && positions.len() < LONGEST {
        let mover = pos.turn();
        while pos.turn() == mover && pos.outcome().is_none() {
            let judge = Blurred::new(&judge, &pos, skill, random.next_u64(), false);
            let limits = Limits::nodes(skill.nodes);
            let spend = &Control::new(&limits, &Stop::default());
            let thought = think(
                &pos,
                &[],
                &judge,
                &TranspositionTable::new(1),
                Tuning::PLAY,
                spend,
                &mut |_| {},
            );
            let Some(m) = thought.lines.first().and_then(|line| line.moves.first()) else { break };
            pos.play_unchecked(*m);
        }
        positions.push(pos.clone());
    }
    Ok(positions)
}

/// The positions with the winner to move shortly before the end, the last one first.
fn last_of_winner<G: Play>(positions: &[G]) -> Vec<G> {
    let winner =
        positions.last().and_then(|pos| pos.outcome()).and_then(|outcome| outcome.winner());
    let Some(winner) = winner else { return Vec::new() };
    let own = positions.iter().rev().filter(|pos| pos.turn() == winner && pos.outcome().is_none());
    own.skip(1).take(6).cloned().collect()
}

/// Examines the positions of one game.
struct Finder<'a, G: Play> {
    judge: G::Judge,
    bounds: Bounds,
    stop: &'a Stop,
}

impl<'a, G: Play> Finder<'a, G> {
    fn new(stop: &'a Stop) -> Self {
        Finder { judge: G::Judge::default(), bounds: Bounds::new(MEBIBYTES), stop }
    }

    /// The puzzle of a position, if it is one, with a key that is equal for its images.
    fn puzzle(&mut self, pos: &G) -> Option<(u64, Puzzle)> {
        if self.judge.known(pos).is_some() {
            return None;
        }
        let turns = self.turns(pos)?;
        let only = turns + G::PUZZLE_MARGIN;
        let solution = self.only_turn(pos, turns, only)?;
        let line = self.line(pos, &solution, turns);
        let rating = rating(pos, &solution)?;
        let mut game = Match::new(pos.clone());
        let texts = turn_texts(pos, &line);
        for text in &texts {
            game.play(text).ok()?;
        }
        game.outcome()?;
        let name = G::INFO.players[pos.turn()];
        let about = format!("{name} to move wins in {turns} turns");
        let tags = [
            ("Puzzle", about.as_str()),
            ("Turns", &turns.to_string()),
            ("Only", &only.to_string()),
            ("Rating", &rating.to_string()),
        ];
        let record = game.record(&tags).to_string();
        let puzzle = Puzzle {
            game: G::INFO.id.to_owned(),
            position: pos.text(),
            turns,
            only,
            rating,
            solution: texts,
            record,
        };
        Some((pos.canonical_key(), puzzle))
    }

    /// The win distance of the player to move, if it is small enough for a puzzle.
    fn turns(&mut self, pos: &G) -> Option<u32> {
        let most = (*TURNS.end()).min(G::PUZZLE_TURNS);
        for turns in 1..=most {
            if self.wins(pos, pos, 2 * turns - 1)? {
                return TURNS.contains(&turns).then_some(turns);
            }
        }
        None
    }

    /// Whether the player to move in `pos` wins from `next` within this many turns of both.
    fn wins(&mut self, pos: &G, next: &G, bound: u32) -> Option<bool> {
        let control = Control::new(&Limits::nodes(NODES), self.stop);
        Bounder::new(&self.judge, &mut self.bounds, &control, pos.turn(), Count::Turns)
            .wins(next, bound)
    }

    /// The winning turn, if no other wins within `only` turns.
    fn only_turn(&mut self, pos: &G, turns: u32, only: u32) -> Option<Vec<G::Move>> {
        let all = whole_turns(pos);
        let mut winning = None;
        // A second win of the same distance is found sooner than a longer one.
        for bound in [2 * (turns - 1), 2 * (only - 1)] {
            for (moves, next) in &all {
                if winning.as_ref() == Some(moves) || !self.wins(pos, next, bound)? {
                    continue;
                }
                if winning.is_some() {
                    return None;
                }
                winning = Some(moves.clone());
            }
        }
        winning
    }

    /// The solution against the most stubborn defence.
    fn line(&mut self, pos: &G, solution: &[G::Move], turns: u32) -> Vec<G::Move> {
        let mut next = pos.clone();
        solution.iter().for_each(|m| next.play_unchecked(*m));
        let control = Control::new(&Limits::default(), self.stop);
        let mut bounder =
            Bounder::new(&self.judge, &mut self.bounds, &control, pos.turn(), Count::Turns);
        [solution.to_vec(), bounder.line(&next, 2 * (turns - 1))].concat()
    }
}

/// The nodes the engine needs to find the solution and stay with it; the largest limit tried if that does not
/// suffice.
fn rating<G: Play>(pos: &G, solution: &[G::Move]) -> Option<u64> {
    // With `known` the engine would find some games' solutions at once, and the nets were trained with it.
    let judge = if G::PUZZLE_RATED_BLIND { G::by_hand() } else { G::Judge::default() };
    let skill = Skill { blur: 0, ..USUAL[0] };
    let judge = Blurred::new(&judge, pos, skill, 0, G::PUZZLE_RATED_BLIND);
    let mut rating = None;
    for doubling in 0..=DOUBLINGS {
        let nodes = FIRST << doubling;
        let spend = &Control::new(&Limits::nodes(nodes), &Stop::default());
        let thought =
            think(pos, &[], &judge, &TranspositionTable::new(4), Tuning::PLAY, spend, &mut |_| {});
        let found = thought.lines.first()?.moves.first() == solution.first();
        rating = rating.filter(|_| found).or(found.then_some(nodes));
    }
    Some(rating.unwrap_or(FIRST << (DOUBLINGS + 1)))
}
