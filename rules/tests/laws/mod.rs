//! What must hold for every game and every option set, on random walks.

mod symmetry;

use proptest::prelude::*;
use rules::game::{MOVE_BITS, OptionInfo};
use rules::notation::{from_json, option_value, options_from_json, to_json};
use rules::prolog::Term;
use rules::random::Random;
use rules::{Game, Notation, Outcome, Show, svg, text};
use serde_json::Value;
use std::collections::HashSet;

/// The positions of a random game, from its start.
pub fn walk<G: Game>(options: &G::Options, seed: u64, length: usize) -> Vec<G> {
    let mut random = Random::new(seed);
    let mut positions = vec![G::new(options).unwrap()];
    for _ in 0..length {
        let pos = positions.last().unwrap();
        let Some(m) = random.pick(&pos.moves()).copied() else { break };
        positions.push(pos.after(m));
    }
    positions
}

fn moves_are_distinct_and_their_text_reads_back<G: Game>(pos: &G) {
    let moves = pos.moves();
    assert_eq!(moves.iter().collect::<HashSet<_>>().len(), moves.len());
    let texts: HashSet<_> = moves.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), moves.len());
    for m in &moves {
        let text = m.to_string();
        assert_eq!(text, text.to_lowercase());
        assert_eq!(text.parse::<G::Move>().as_ref(), Ok(m));
        assert_eq!(format!(" {}\t", text.to_uppercase()).parse::<G::Move>().as_ref(), Ok(m));
        assert!(G::pack(*m) < 1 << MOVE_BITS);
        assert_eq!(G::unpack(G::pack(*m)), Some(*m));
    }
}

fn numbers_are_legal_moves_where_the_list_has_them<G: Game>(pos: &G, random: &mut Random) {
    let moves = pos.moves();
    for _ in 0..200 {
        let near = random.pick(&moves).map_or(0, |m| G::pack(*m)) ^ 1 << random.below(18);
        for code in [near, random.below(1 << MOVE_BITS) as u32] {
            let Some(m) = G::unpack(code) else { continue };
            assert_eq!(pos.is_legal(m), moves.contains(&m), "{m}");
        }
    }
}

fn the_end_and_the_lack_of_moves_go_together<G: Game>(pos: &G) {
    assert_eq!(pos.outcome().is_some(), pos.moves().is_empty());
}

/// Some turn of the player to move wins, found by trying all.
fn some_turn_wins<G: Game>(pos: &G) -> bool {
    pos.moves().into_iter().any(|m| {
        let next = pos.after(m);
        match next.outcome() {
            Some(outcome) => outcome == Outcome::Win(pos.turn()),
            None => next.turn() == pos.turn() && some_turn_wins(&next),
        }
    })
}

fn a_win_at_once_is_known_without_trying<G: Game>(pos: &G) {
    assert_eq!(pos.wins_at_once(), some_turn_wins(pos), "{pos:?}");
}

/// The moves after which the opponent has not won and does not win at once.
fn moves_that_save<G: Game>(pos: &G) -> Vec<G::Move> {
    let saves = |m: &G::Move| {
        let next = pos.after(*m);
        match next.outcome() {
            Some(outcome) => outcome != Outcome::Win(pos.turn().other()),
            None => next.turn() == pos.turn() || !some_turn_wins(&next),
        }
    };
    pos.moves().into_iter().filter(saves).collect()
}

fn moves_that_save_are_known_without_trying<G: Game>(pos: &G) {
    let mut found = Vec::new();
    pos.append_saving_moves(&mut found);
    assert_eq!(found, moves_that_save(pos), "{pos:?}");
}

/// On the last positions of random games, where wins are near. How many depends on the cost: a turn of Glaisher is one
/// of a thousand.
fn quick_answers_are_right<G: Game>() {
    for option in G::INFO.options {
        for value in option.values.list() {
            let options = [(option.name.to_owned(), value)].into_iter().collect();
            let Ok(options) = options_from_json(&options) else { continue };
            if G::new(&options).is_err() {
                continue;
            }
            for seed in 0..8 {
                let mut left = 6_000usize;
                for pos in walk::<G>(&options, seed, 200).iter().rev() {
                    let turns: usize =
                        pos.moves().iter().map(|m| 1 + pos.after(*m).moves().len()).sum();
                    let Some(rest) = left.checked_sub(turns) else { break };
                    left = rest;
                    a_win_at_once_is_known_without_trying(pos);
                    // In the middle of a turn the moves go on to the other's thousand turns.
                    let passes = |m: &G::Move| pos.after(*m).turn() != pos.turn();
                    if turns < 1_000 && pos.moves().iter().all(passes) {
                        moves_that_save_are_known_without_trying(pos);
                    }
                }
            }
        }
    }
}

fn same<G: Game>(a: &G, b: &G, how: &str) {
    assert_eq!(a, b, "{how}");
    assert_eq!(a.key(), b.key(), "{how}: the kept key is not the fresh one");
    assert_eq!(a.outcome(), b.outcome(), "{how}");
    assert_eq!(a.moves(), b.moves(), "{how}");
}

fn every_notation_reads_back<G: Notation>(pos: &G) {
    let options = pos.options();
    same(pos, &G::from_setup(pos.setup()).unwrap(), "setup");
    let json: serde_json::Value = serde_json::from_str(&to_json(pos).to_string()).unwrap();
    same(pos, &from_json(&json, &Default::default()).unwrap(), "JSON");
    let text = pos.text();
    assert_eq!(text.matches(' ').count(), 1, "{text}");
    same(pos, &G::from_text(&text, &G::Options::default()).unwrap(), "text");
    match pos.term() {
        Some(term) => {
            let term = Term::parse(&term.to_string()).unwrap();
            same(pos, &G::from_term(&term, &options).unwrap(), "term");
        }
        None => {
            let error = G::from_term(&Term::List(vec![]), &options).unwrap_err().to_string();
            assert!(error.contains("has no Prolog term"), "{error}");
        }
    }
}

fn what_is_not_listed_is_refused<G: Game>(pos: &G, others: &[G::Move]) {
    let moves = pos.moves();
    for m in others.iter().filter(|m| !moves.contains(m)) {
        let mut tried = pos.clone();
        let error = tried.play(*m).unwrap_err().to_string();
        assert!(error.contains(&format!("`{m}`")) && !error.contains('\n'), "{error}");
        same(pos, &tried, "a refused move");
    }
    for m in moves {
        assert!(pos.clone().play(m).is_ok());
    }
}

fn gestures_spell_moves<G: Show>(pos: &G) {
    let diagram = pos.diagram();
    let on_board = |cell: usize| cell < diagram.cells.len();
    let gestures: Vec<_> = pos.moves().into_iter().map(|m| pos.gesture(m)).collect();
    let spell = |taps: &[rules::Tap]| {
        taps.iter().map(|tap| format!("{}={};", tap.stage, tap.label)).collect::<String>()
    };
    let spelled: HashSet<_> = gestures.iter().map(|taps| spell(taps)).collect();
    assert_eq!(spelled.len(), gestures.len(), "two moves have one gesture");
    for taps in &gestures {
        assert!(taps.iter().filter_map(|tap| tap.cell).all(on_board));
        for end in 1..taps.len() {
            assert!(!spelled.contains(&spell(&taps[..end])), "a gesture begins another one");
        }
    }
    // Two taps that look the same on the board must be the same choice.
    for a in gestures.iter().flatten() {
        for b in gestures.iter().flatten() {
            if a.stage == b.stage && a.cell.is_some() && a.label == b.label {
                assert!(a.cell == b.cell || a.stage == "direction");
            }
        }
    }
}

fn traces_tell_what_changes<G: Show>(pos: &G) {
    let before = pos.diagram();
    for m in pos.moves() {
        let after = pos.after(m).diagram();
        let trace = pos.trace(m);
        let mut told: HashSet<_> = trace.placed.into_iter().collect();
        for travel in &trace.travels {
            told.insert(travel.from);
            told.extend(travel.to);
        }
        for (i, (old, new)) in before.cells.iter().zip(&after.cells).enumerate() {
            assert!(old.piece == new.piece || told.contains(&i), "{m} changes cell {i} untold");
        }
    }
}

fn drawings_do_not_fail<G: Show>(pos: &G) {
    let diagram = pos.diagram();
    assert!(svg::svg(&diagram, &svg::Style::default()).ends_with("</svg>\n"));
    for charset in [text::Charset::Unicode, text::Charset::Ascii] {
        let drawn = text::text(&diagram, &text::Style { charset, ..Default::default() }, false);
        assert!(drawn.contains(&diagram.status));
        assert!(charset != text::Charset::Ascii || drawn.is_ascii(), "{drawn}");
    }
}

fn check<G: Notation + Show>(options: &G::Options, seed: u64, length: usize) {
    let mut random = Random::new(seed);
    let positions = walk::<G>(options, seed, length);
    let others: Vec<_> =
        positions.iter().step_by(5).flat_map(|pos| pos.moves()).step_by(3).collect();
    for pos in &positions {
        the_end_and_the_lack_of_moves_go_together(pos);
        every_notation_reads_back(pos);
    }
    let last = positions.last().unwrap();
    for pos in [&positions[positions.len() / 2], last] {
        moves_are_distinct_and_their_text_reads_back(pos);
        numbers_are_legal_moves_where_the_list_has_them(pos, &mut random);
        what_is_not_listed_is_refused(pos, &others);
        gestures_spell_moves(pos);
        traces_tell_what_changes(pos);
        drawings_do_not_fail(pos);
    }
}

/// Any values of the options that go together.
fn options<G: Game>() -> impl Strategy<Value = G::Options> {
    let values = |option: &'static OptionInfo| {
        let name = option.name.to_owned();
        prop::sample::select(option.values.list()).prop_map(move |value| (name.clone(), value))
    };
    let options: Vec<_> = G::INFO.options.iter().map(values).collect();
    options
        .prop_map(|pairs| options_from_json(&pairs.into_iter().collect()).unwrap())
        .prop_filter("options that go together", |options| G::new(options).is_ok())
}

fn menus_tell_every_option<G: Game>() {
    let default = |option: &OptionInfo| (option.name.to_owned(), option_value(option.default));
    let told: Value = G::INFO.options.iter().map(default).collect();
    assert_eq!(told, serde_json::to_value(G::Options::default()).unwrap());
}

macro_rules! laws {
    ($($name:ident: $game:ty,)*) => {$(
        mod $name {
            use super::*;

            proptest! {
                #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

                #[test]
                fn obeys_the_laws(options in options::<$game>(), seed: u64, length in 0usize..140) {
                    check::<$game>(&options, seed, length);
                }
            }

            #[test]
            fn knows_wins_at_once_and_what_saves_from_them() {
                quick_answers_are_right::<$game>();
            }

            #[test]
            fn tells_its_options() {
                menus_tell_every_option::<$game>();
            }
        }
    )*};
}

rules::every_game!(laws);
