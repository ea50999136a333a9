//! Games of the engine against itself.

use crate::data::{FIELDS, Sample, line};
use anyhow::{Context, Result};
use engine::control::{Control, Limits, Stop};
use engine::evaluate::Evaluate;
use engine::play::Play;
use engine::score::is_proven;
use engine::search::Tuning;
use engine::think::think;
use engine::transposition::TranspositionTable;
use rules::random::Random;
use rules::{Outcome, Player};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

pub struct Plan<'a, O> {
    pub options: &'a [O],
    pub positions: usize,
    pub nodes: u64,
    pub threads: usize,
    pub seed: u64,
}

/// No game goes on for longer: it counts as a draw.
const MOST_MOVES: usize = 240;

/// Plays until a file has enough positions; resumes where an earlier run ended.
pub fn play<G: Play>(judge: &G::Judge, plan: &Plan<'_, G::Options>, file: &Path) -> Result<()> {
    let (games, mut positions) = resume(file)?;
    if positions >= plan.positions {
        return Ok(());
    }
    let mut out = OpenOptions::new().append(true).create(true).open(file)?;
    let (next, enough) = (AtomicUsize::new(games), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..plan.threads.max(1) {
            let (sender, next, enough) = (sender.clone(), &next, &enough);
            scope.spawn(move || {
                let mut tt = TranspositionTable::new(4);
                while !enough.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let variant = number % plan.options.len();
                    let samples = game::<G>(judge, plan, number, variant, &mut tt);
                    let count = samples.len();
                    if sender.send((number, count, line(number, variant, &samples))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let (mut wanted, mut early) = (games, BTreeMap::new());
        let (began, mut told, before) = (Instant::now(), Instant::now(), positions);
        while let Ok((number, count, text)) = receiver.recv() {
            early.insert(number, (count, text));
            // In order, so that the file does not depend on the number of threads.
            while let Some((count, text)) = early.remove(&wanted) {
                wanted += 1;
                if positions >= plan.positions {
                    continue;
                }
                positions += count;
                out.write_all(text.as_bytes()).context("cannot write the games")?;
            }
            if positions >= plan.positions {
                enough.store(true, Ordering::Relaxed);
            }
            if told.elapsed() > Duration::from_secs(10) {
                told = Instant::now();
                let speed = (positions - before) as f64 / began.elapsed().as_secs_f64();
                println!("  {positions} of {} positions, {speed:.0}/s", plan.positions);
            }
        }
        Ok(())
    })
}

/// How many games and positions a file has; cuts off a line that a killed run left incomplete.
fn resume(file: &Path) -> Result<(usize, usize)> {
    let Ok(open) = File::open(file) else { return Ok((0, 0)) };
    let (mut games, mut positions, mut length) = (0, 0, 0);
    let mut reader = BufReader::new(open);
    let mut line = String::new();
    while reader.read_line(&mut line)? > 0 && line.ends_with('\n') {
        games += 1;
        positions += (line.split('\t').count() - 2) / FIELDS;
        length += line.len() as u64;
        line.clear();
    }
    OpenOptions::new().write(true).open(file)?.set_len(length)?;
    Ok((games, positions))
}

fn game<G: Play>(
    judge: &G::Judge,
    plan: &Plan<'_, G::Options>,
    number: usize,
    variant: usize,
    tt: &mut TranspositionTable,
) -> Vec<Sample<G>> {
    let mut random = Random::new(plan.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number as u64);
    let mut samples: Vec<Sample<G>> = Vec::new();
    let Some(mut pos) = opening::<G>(&plan.options[variant], &mut random) else { return samples };
    tt.clear();
    let (mut past, mut winner) = (Vec::new(), None);
    for _ in 0..MOST_MOVES {
        if let Some(outcome) = pos.outcome() {
            winner = Some(outcome);
            break;
        }
        let (m, score) = search(&pos, &past, judge, plan.nodes, tt);
        if is_proven(score) {
            let mover = pos.turn();
            winner = Some(Outcome::Win(if score > 0 { mover } else { mover.other() }));
            break;
        }
        keep(judge, &pos, (m, score), Some(0), &mut samples);
        if random.below(4) == 0 {
            let moves = pos.moves();
            let near = pos.after(moves[random.below(moves.len())]);
            if near.outcome().is_none() && judge.known(&near).is_none() {
                let found = search(&near, &past, judge, plan.nodes, tt);
                keep(judge, &near, found, None, &mut samples);
            }
        }
        past.push(pos.key());
        pos.play_unchecked(m);
    }
    for sample in &mut samples {
        let mover = sample.pos.turn();
        sample.result = sample.result.map(|_| halves(winner, mover));
    }
    samples
}

fn halves(outcome: Option<Outcome>, player: Player) -> u8 {
    match outcome {
        Some(Outcome::Win(winner)) if winner == player => 2,
        Some(Outcome::Win(_)) => 0,
        Some(Outcome::Draw) | None => 1,
    }
}

fn opening<G: Play>(options: &G::Options, random: &mut Random) -> Option<G> {
    let mut pos = G::new(options).ok()?;
    for _ in 0..2 + random.below(8) {
        let moves = pos.moves();
        if moves.is_empty() {
            return None;
        }
        pos.play_unchecked(moves[random.below(moves.len())]);
    }
    Some(pos)
}

fn search<G: Play>(
    pos: &G,
    past: &[u64],
    judge: &G::Judge,
    nodes: u64,
    tt: &mut TranspositionTable,
) -> (G::Move, i32) {
    tt.new_search();
    let control = Control::new(&Limits::nodes(nodes), &Stop::default());
    let thought = think(pos, past, judge, tt, Tuning::PLAY, &control, &mut |_| {});
    let line = &thought.lines[0];
    (line.moves[0], line.score)
}

/// Keeps a position unless the search knows its value.
fn keep<G: Play>(
    judge: &G::Judge,
    pos: &G,
    (best, score): (G::Move, i32),
    result: Option<u8>,
    samples: &mut Vec<Sample<G>>,
) {
    if judge.known(pos).is_none() {
        let evaluated = !judge.is_unstable(pos);
        samples.push(Sample { pos: pos.clone(), score, result, best, evaluated });
    }
}
