//! Jeson Mor with fewer knights: Black wins from every start in which the knights of one side are those of the other
//! rotated by 180°, as far as this has been solved.

use crate::effort::is_long;
use engine::Stop;
use engine::solve::check::verify;
use engine::solve::question::{Method, Settings, Verdict, solve};
use rules::jeson_mor::{JesonMor, Options, Setup};
use rules::{Game, Notation, Player};

/// The starts with the knights of these columns, one of those that are reflections of each other.
fn starts(size: usize, knights: u32) -> impl Iterator<Item = JesonMor> {
    let turned = move |set: u32| set.reverse_bits() >> (32 - size);
    let row = move |set: u32, knight: char| {
        (0..size).map(|column| if set >> column & 1 == 1 { knight } else { '.' }).collect()
    };
    let all = (1u32..1 << size).filter(move |set| set.count_ones() == knights);
    all.filter(move |set| *set <= turned(*set)).map(move |set| {
        let mut board: Vec<String> = vec![".".repeat(size); size];
        (board[0], board[size - 1]) = (row(turned(set), 'b'), row(set, 'w'));
        let options = Options { size: size as u8, ..Options::default() };
        JesonMor::from_setup(Setup { options, board, turn: Player::One, winner: None }).unwrap()
    })
}

fn black_wins_all(size: usize, knights: u32) -> usize {
    let mut count = 0;
    for start in starts(size, knights) {
        let settings = Settings {
            method: Method::Proof,
            player: Some(Player::Two),
            most_turns: None,
            time: None,
            nodes: Some(20_000_000),
            mebibytes: 16,
            threads: 1,
            checkpoint: None,
            resume: None,
        };
        let answer = solve(&start, &settings, &Stop::default(), &mut |_| {}).unwrap();
        let Verdict::Win(win) = answer.verdict else { panic!("open: {}", start.text()) };
        assert_eq!(win.player, Player::Two, "{}", start.text());
        verify(&win.certificate.unwrap(), &mut |_| {}).unwrap();
        count += 1;
    }
    count
}

#[test]
fn black_wins_every_mirrored_start_on_small_boards() {
    let counts = |size, most: u32| (1..=most).map(|k| black_wins_all(size, k)).collect::<Vec<_>>();
    assert_eq!(counts(5, 5), [3, 6, 6, 3, 1]);
    if is_long() {
        assert_eq!(counts(7, 7), [4, 12, 19, 19, 12, 4, 1]);
        assert_eq!(counts(9, 6), [5, 20, 44, 66, 66, 44]);
    } else {
        assert_eq!(counts(7, 3), [4, 12, 19]);
    }
}
