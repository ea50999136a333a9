//! The perft files: how many ways a game can go, against numbers from other programs.

use rules::notation::{Notation, option_value, options_from_json};
use rules::perft::{perft, perft_turns};

/// Checks all counts of the file with the game's name.
fn check<G: Notation>() {
    let path = format!("{}/tests/perft/{}.txt", env!("CARGO_MANIFEST_DIR"), G::INFO.id);
    let file = std::fs::read_to_string(&path).expect(&path);
    let lines = file.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let mut checked = 0;
    for line in lines {
        let fields: Vec<_> = line.split('|').map(str::trim).collect();
        let [position, options, what, counts] = fields[..] else { panic!("four fields: {line}") };
        let pairs = options.split(", ").filter_map(|pair| pair.split_once('='));
        let options = pairs.map(|(name, value)| (name.to_owned(), option_value(value))).collect();
        let options: G::Options = options_from_json(&options).unwrap();
        let pos = match position {
            "start" => G::new(&options).unwrap(),
            text => G::from_text(text, &options).unwrap(),
        };
        let count = if what == "turns" { perft_turns::<G> } else { perft::<G> };
        for (depth, expected) in (1..).zip(counts.split(' ')) {
            assert_eq!(count(&pos, depth).to_string(), expected, "depth {depth} of {line}");
            checked += 1;
        }
    }
    assert!(checked > 0, "the file has no counts");
}

macro_rules! counts {
    ($($name:ident: $game:ty,)*) => {$(
        mod $name {
            #[test]
            fn has_as_many_moves_as_it_should() {
                super::check::<$game>();
            }
        }
    )*};
}

rules::every_game!(counts);
