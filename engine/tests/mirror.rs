//! Jeson Mor's second player never loses by answering every move with the same move, rotated by 180°.

use engine::control::{Control, Limits, Stop};
use engine::play::Play;
use engine::play::jeson_mor::Judge;
use engine::search::Tuning;
use engine::think::think;
use engine::transposition::TranspositionTable;
use rules::jeson_mor::{Cell, JesonMor, Jump, Options};
use rules::random::Random;
use rules::{Game, Outcome, Player};

fn turned(m: Jump, size: usize) -> Jump {
    // Columns and rows mirrored.
    Jump { from: Cell::image(m.from, 3, size), to: Cell::image(m.to, 3, size) }
}

/// The second player's answer: the turned move; or the centre taken back, or left.
fn answer(pos: &JesonMor, last: Jump) -> Jump {
    let wins = |m: &Jump| pos.after(*m).outcome() == Some(Outcome::Win(pos.turn()));
    let takes_centre = |m: &Jump| last.to == pos.centre() && m.to == pos.centre();
    let moves = pos.moves();
    let found = moves.iter().copied().find(wins).or(moves.iter().copied().find(takes_centre));
    let mirror = turned(last, pos.size());
    found.unwrap_or_else(|| {
        assert!(pos.is_legal(mirror), "{last} has no answer {mirror}: {:?}", pos.setup());
        mirror
    })
}

fn first_player(pos: &JesonMor, kind: u64, random: &mut Random) -> Jump {
    match kind {
        0 => *random.pick(&pos.moves()).unwrap(),
        1 => JesonMor::SEED.unwrap().choose(pos, "greedy", random).unwrap()[0],
        _ => {
            let spend = &Control::new(&Limits::nodes(400), &Stop::default());
            let tt = TranspositionTable::new(1);
            think(pos, &[], &Judge::BY_HAND, &tt, Tuning::PLAY, spend, &mut |_| {}).lines[0].moves
                [0]
        }
    }
}

#[test]
fn the_mirror_never_loses() {
    let (mut games, mut wins) = (0, 0);
    for size in [5, 7, 9] {
        for kind in 0..3 {
            for seed in 0..if kind == 0 { 60 } else { 8 } {
                let mut random = Random::new(seed);
                let mut pos = JesonMor::new(&Options { size, ..Default::default() }).unwrap();
                for _ in 0..120 {
                    if pos.outcome().is_some() {
                        break;
                    }
                    // Every now and then a random move, so that games differ.
                    let kind = if random.below(5) == 0 { 0 } else { kind };
                    let m = first_player(&pos, kind, &mut random);
                    pos.play_unchecked(m);
                    if pos.outcome().is_none() {
                        pos.play_unchecked(answer(&pos, m));
                    }
                }
                assert_ne!(pos.outcome(), Some(Outcome::Win(Player::One)), "{:?}", pos.setup());
                games += 1;
                wins += usize::from(pos.outcome().is_some());
            }
        }
    }
    assert!(games > 200 && wins > 50, "{wins} wins in {games} games");
}
