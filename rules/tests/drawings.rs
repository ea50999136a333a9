//! Snapshots: what boards look like in the terminal and on rules pages, and how recorded games went.

use rules::random::Random;
use rules::svg::svg;
use rules::text::{Charset, Scale, Style, text};
use rules::{Notation, Show};

/// All samples of a game, in both sets of characters, and a position with the last move marked.
fn drawings<G: Notation + Show>() -> String {
    let mut out = String::new();
    for (name, line) in G::INFO.samples {
        let diagram = G::from_text(line, &G::Options::default()).unwrap().diagram();
        for charset in [Charset::Unicode, Charset::Ascii] {
            let style = Style { charset, ..Style::default() };
            out += &format!("{name}, {charset:?}\n{}\n", text(&diagram, &style, false));
        }
    }
    let mut pos = G::new(&G::Options::default()).unwrap();
    for _ in 0..5 {
        pos.play_unchecked(pos.moves()[7]);
    }
    let m = pos.moves()[3];
    let mut diagram = pos.after(m).diagram();
    diagram.marks.add(&pos.trace(m));
    let style = Style { scale: Scale::Large, flipped: true, ..Style::default() };
    out + &format!("after {m}, large and turned round\n{}", text(&diagram, &style, false))
}

/// A random game with the number of moves and the key at each step.
fn playthrough<G: Notation>() -> String {
    let mut random = Random::new(2026);
    let mut pos = G::new(&G::Options::default()).unwrap();
    let mut out = String::new();
    while let Some(m) = random.pick(&pos.moves()).copied() {
        out += &format!("{} moves, {m}\n", pos.moves().len());
        pos.play_unchecked(m);
        out += &format!("{} {:016x}\n", pos.text(), pos.key());
    }
    out + &format!("{:?}\n", pos.outcome())
}

/// The pictures of a rules page, if it has any, are the samples of the game, as they are drawn today.
fn pictures<G: Notation + Show>() {
    let (id, samples) = (G::INFO.id, G::INFO.samples);
    let picture = |line: &'static str| line.strip_prefix("![")?.strip_suffix(')')?.split_once("](");
    let shown: Vec<_> = G::INFO.rules.lines().filter_map(picture).map(|(_, path)| path).collect();
    if shown.is_empty() {
        return;
    }
    let path = |name: &str| format!("../../docs/images/{id}-{name}.svg");
    assert_eq!(shown, samples.iter().map(|(name, _)| path(name)).collect::<Vec<_>>());
    for (name, line) in samples {
        let diagram = G::from_text(line, &G::Options::default()).unwrap().diagram();
        let file = format!("{}/pages/{}", env!("CARGO_MANIFEST_DIR"), path(name));
        assert!(
            std::fs::read_to_string(file)
                .is_ok_and(|file| file == svg(&diagram, &Default::default())),
            "run: quadrille render {id} --sample {name} -o docs/images/{id}-{name}.svg"
        );
    }
}

macro_rules! snapshots {
    ($($name:ident: $game:ty,)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn looks_as_before() {
                insta::assert_snapshot!(concat!(stringify!($name), "_drawings"), drawings::<$game>());
            }

            #[test]
            fn is_pictured_as_it_looks() {
                pictures::<$game>();
            }

            #[test]
            fn plays_as_before() {
                insta::assert_snapshot!(concat!(stringify!($name), "_game"), playthrough::<$game>());
            }
        }
    )*};
}

rules::every_game!(snapshots);
