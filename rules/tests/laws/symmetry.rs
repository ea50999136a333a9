//! A position turned, mirrored or seen by the other player has the same moves, turned alike.

use super::walk;
use rules::gekitai::{self, Gekitai};
use rules::glaisher::{self, Glaisher};
use rules::jeson_mor::{self, JesonMor};
use rules::six_making::{self, SixMaking};
use rules::{Game, Player, Symmetric};
use std::collections::HashSet;

/// Checks that `image` maps each position to one whose moves and successors are the images.
fn check<G: Game>(
    positions: &[G],
    image: impl Fn(&G::Setup) -> G::Setup,
    move_image: impl Fn(&str) -> String,
) {
    let mapped = |pos: &G| G::from_setup(image(&pos.setup())).unwrap();
    for pos in positions {
        let other = mapped(pos);
        assert_eq!(other.moves().len(), pos.moves().len());
        for m in pos.moves() {
            let text = move_image(&m.to_string());
            let image: G::Move = text.parse().unwrap();
            assert!(other.is_legal(image), "{m} is legal, its image {text} is not");
            let after = other.after(image);
            assert_eq!(after, mapped(&pos.after(m)), "after {m} and {text}");
        }
    }
}

/// Replaces each cell name in a move text; rows have two digits on the largest boards.
fn map_cells(text: &str, map: impl Fn(usize, usize) -> (usize, usize)) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        match rest[..digits].parse::<usize>() {
            Ok(row) if c.is_alphabetic() => {
                let (column, row) = map(c as usize - 'a' as usize, row - 1);
                out += &format!("{}{}", (b'a' + column as u8) as char, row + 1);
                rest = &rest[digits..];
            }
            _ => out.push(c),
        }
    }
    out
}

fn columns<T: Clone>(rows: &[Vec<T>]) -> Vec<Vec<T>> {
    (0..rows.len()).map(|i| rows.iter().map(|row| row[i].clone()).collect()).collect()
}

fn letters(rows: &[String]) -> Vec<Vec<char>> {
    rows.iter().map(|row| row.chars().collect()).collect()
}

fn words(rows: Vec<Vec<char>>) -> Vec<String> {
    rows.into_iter().map(|row| row.into_iter().collect()).collect()
}

const SEEDS: std::ops::Range<u64> = 0..12;

#[test]
fn gekitai_turns_with_the_square_and_with_the_colours() {
    for seed in SEEDS {
        let size = 4 + seed as u8 % 5;
        let options = gekitai::Options { size, ..Default::default() };
        let positions = walk::<Gekitai>(&options, seed, 40);
        let last = usize::from(size) - 1;
        let mirror = |setup: &gekitai::Setup| {
            let board = setup.board.iter().map(|row| row.chars().rev().collect()).collect();
            gekitai::Setup { board, ..setup.clone() }
        };
        check(&positions, mirror, |text| map_cells(text, |c, r| (last - c, r)));
        let transpose = |setup: &gekitai::Setup| {
            let board = words(columns(&letters(&setup.board)));
            gekitai::Setup { board, ..setup.clone() }
        };
        check(&positions, transpose, |text| map_cells(text, |c, r| (r, c)));
        let swap = |setup: &gekitai::Setup| {
            let other = |c| match c {
                'x' => 'o',
                'o' => 'x',
                c => c,
            };
            let board = setup.board.iter().map(|row| row.chars().map(other).collect()).collect();
            gekitai::Setup { board, turn: setup.turn.other(), ..setup.clone() }
        };
        check(&positions, swap, str::to_owned);
    }
}

#[test]
fn jeson_mor_mirrors_and_turns_with_the_colours() {
    for seed in SEEDS {
        let size = [5, 7, 9, 11][seed as usize % 4];
        let options = jeson_mor::Options { size, ..Default::default() };
        let positions = walk::<JesonMor>(&options, seed, 60);
        let last = usize::from(size) - 1;
        let mirror = |setup: &jeson_mor::Setup| {
            let board = setup.board.iter().map(|row| row.chars().rev().collect()).collect();
            jeson_mor::Setup { board, ..setup.clone() }
        };
        check(&positions, mirror, |text| map_cells(text, |c, r| (last - c, r)));
        let turned = |setup: &jeson_mor::Setup| {
            let other = |c| match c {
                'w' => 'b',
                'b' => 'w',
                c => c,
            };
            let row = |row: &String| row.chars().rev().map(other).collect();
            jeson_mor::Setup {
                board: setup.board.iter().rev().map(row).collect(),
                turn: setup.turn.other(),
                winner: setup.winner.map(Player::other),
                ..setup.clone()
            }
        };
        check(&positions, turned, |text| map_cells(text, |c, r| (last - c, last - r)));
    }
}

#[test]
fn six_making_turns_with_the_square_and_with_the_colours() {
    for seed in SEEDS {
        let size = 4 + seed as u8 % 2;
        let options = six_making::Options { size, ..Default::default() };
        let positions = walk::<SixMaking>(&options, seed, 60);
        let last = usize::from(size) - 1;
        type Board = Vec<Vec<String>>;
        let both = |setup: &six_making::Setup, map: &dyn Fn(&Board) -> Board| {
            let before = setup.before.as_ref().map(map);
            six_making::Setup { board: map(&setup.board), before, ..setup.clone() }
        };
        let mirror =
            |rows: &Board| rows.iter().map(|row| row.iter().rev().cloned().collect()).collect();
        check(&positions, |s| both(s, &mirror), |text| map_cells(text, |c, r| (last - c, r)));
        check(
            &positions,
            |s| both(s, &|rows| columns(rows)),
            |text| map_cells(text, |c, r| (r, c)),
        );
        let swap = |rows: &Board| {
            let other = |c| if c == 'x' { 'o' } else { 'x' };
            let tower = |tower: &String| tower.chars().map(other).collect();
            rows.iter().map(|row| row.iter().map(tower).collect()).collect()
        };
        let swapped = |setup: &six_making::Setup| six_making::Setup {
            turn: setup.turn.other(),
            ..both(setup, &swap)
        };
        check(&positions, swapped, str::to_owned);
    }
}

fn map_hex(
    text: &str,
    map: impl Fn(usize, usize) -> (usize, usize),
    directions: [&str; 6],
) -> String {
    const NAMES: [&str; 6] = ["e", "ne", "nw", "w", "sw", "se"];
    let cell = |name: &str| {
        let bytes = name.as_bytes();
        let (row, column) = map(usize::from(bytes[0] - b'a'), usize::from(bytes[1] - b'1'));
        format!("{}{}", (b'a' + row as u8) as char, column + 1)
    };
    if let Some(placed) = text.strip_prefix('@') {
        return format!("@{}", cell(placed));
    }
    let (from, rest) = text.split_once('-').unwrap();
    let (direction, parts) = rest.split_once(':').unwrap();
    let at = NAMES.iter().position(|name| *name == direction).unwrap();
    format!("{}-{}:{parts}", cell(from), directions[at])
}

#[test]
fn glaisher_turns_with_the_hexagon_and_with_the_colours() {
    type Map<'a> = &'a dyn Fn(usize, usize) -> (usize, usize);
    let image = |setup: &glaisher::Setup, map: Map<'_>| {
        let (mut board, centre) = (setup.board.clone(), usize::from(setup.options.side) - 1);
        for (row, heights) in setup.board.iter().enumerate() {
            for (i, height) in heights.iter().enumerate() {
                let (r, c) = map(row, i + row.saturating_sub(centre));
                board[r][c - r.saturating_sub(centre)] = *height;
            }
        }
        glaisher::Setup { board, ..setup.clone() }
    };
    // Row and column exchanged.
    let flip = |row: usize, column: usize| (column, row);
    let turned = ["se", "e", "ne", "nw", "w", "sw"];
    let flipped = ["sw", "w", "nw", "ne", "e", "se"];
    for seed in SEEDS {
        let (side, min_parts) = (3 + seed as u8 % 3, 1 + seed as u8 % 2);
        let options = glaisher::Options { side, min_parts };
        // A turn by a sixth, seen from the centre: (row, column) → (column, column − row).
        let turn = |row: usize, column: usize| (column, column + usize::from(side) - 1 - row);
        let positions: Vec<_> =
            walk::<Glaisher>(&options, seed, 80).into_iter().step_by(3).collect();
        check(&positions, |s| image(s, &turn), |text| map_hex(text, turn, turned));
        check(&positions, |s| image(s, &flip), |text| map_hex(text, flip, flipped));
        let swap = |setup: &glaisher::Setup| glaisher::Setup {
            board: setup.board.iter().map(|row| row.iter().map(|h| -h).collect()).collect(),
            turn: setup.turn.other(),
            ..setup.clone()
        };
        check(&positions, swap, str::to_owned);
    }
}

fn images_play_alike<G: Symmetric>(options: &G::Options) {
    for seed in SEEDS {
        let positions = walk::<G>(options, seed, 60);
        for pos in positions.iter().step_by(4) {
            let (canonical, _) = pos.canonical();
            for which in 0..G::IMAGES {
                let image = pos.image(which);
                assert_eq!(image, G::from_setup(image.setup()).unwrap());
                assert_eq!(image.key(), G::from_setup(image.setup()).unwrap().key());
                assert_eq!(image.outcome(), pos.outcome());
                assert_eq!(image.canonical_key(), pos.canonical_key());
                assert_eq!(image.canonical().0, canonical);
                assert_eq!(image.moves().len(), pos.moves().len());
                for m in pos.moves().into_iter().step_by(3) {
                    let other = pos.image_of(m, which);
                    assert_eq!(image.after(other), pos.after(m).image(which), "{m} is {other}");
                    assert_eq!(pos.move_of_image(other, which), Some(m));
                }
            }
        }
    }
}

macro_rules! image_tests {
    ($($name:ident: $game:ty,)*) => { $(
        #[test]
        fn $name() {
            images_play_alike::<$game>(&Default::default());
        }
    )* };
}

mod images_of_every_game_play_alike {
    use super::images_play_alike;
    rules::every_game!(image_tests);

    #[test]
    fn and_those_of_smaller_hexagons() {
        for side in [3, 4] {
            let options = rules::glaisher::Options { side, ..Default::default() };
            images_play_alike::<rules::glaisher::Glaisher>(&options);
        }
    }
}

/// Two thirds of the least of eight keys are in the first eighth of all numbers: a table indexed by the upper bits
/// would be mostly empty.
fn keys_of_images_are_spread_evenly<G: Symmetric>() {
    const PLACES: usize = 32;
    let keys: HashSet<u64> = (0..150)
        .flat_map(|seed| walk::<G>(&G::Options::default(), seed, 60))
        .map(|pos| pos.canonical_key())
        .collect();
    let mut counts = [0f64; PLACES];
    keys.iter().for_each(|key| counts[(key >> 59) as usize] += 1.0);
    let expected = keys.len() as f64 / PLACES as f64;
    assert!(expected > 30.0, "{} keys are too few", keys.len());
    // Of 31 degrees of freedom: more than 80 comes once in 300,000 times.
    let chi_square: f64 = counts.iter().map(|count| (count - expected).powi(2) / expected).sum();
    assert!(chi_square < 80.0, "{chi_square}: {counts:?}");
}

macro_rules! spread_tests {
    ($($name:ident: $game:ty,)*) => { $(
        #[test]
        fn $name() {
            keys_of_images_are_spread_evenly::<$game>();
        }
    )* };
}

mod keys_of_images_of_every_game_are_spread_evenly {
    use super::keys_of_images_are_spread_evenly;
    rules::every_game!(spread_tests);
}
