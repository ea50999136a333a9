//! Snapshots of the screens, in a small and in a large window.

use super::*;
use crate::output::columns::wrapped;
use crate::tui::lessons::Pupil;

/// Compares a screen with its snapshots.
fn snap(name: &str, rig: &mut Rig) {
    for size in [SMALL, LARGE] {
        let name = format!("{name}-{}x{}", size.0, size.1);
        insta::with_settings!({ omit_expression => true }, {
            insta::assert_snapshot!(name, rig.picture(size));
        });
    }
}

const HUMANS: [&str; 2] = ["human:Ana", "human:Ben"];

#[test]
fn the_menu() {
    let mut rig = Rig::new();
    snap("menu", &mut rig);
    snap("menu-other-game", rig.keys("<Down><Down>"));
    snap("menu-rules", rig.keys("r"));
    snap("menu-rules-scrolled", rig.keys("<PageDown>"));
    snap("menu-library-empty", rig.keys("<Esc><End><Up><Up><Enter>"));
    snap("menu-settings", rig.keys("<Esc><End><Up><Enter>"));
}

#[test]
fn the_menu_offers_to_go_on() {
    let mut rig = Rig::playing("gekitai", HUMANS, "c3 d4");
    snap("menu-continue", rig.keys("e5<Enter>pm"));
}

#[test]
fn a_damaged_file_is_told_of() {
    let rig = Rig::new();
    std::fs::create_dir_all(&rig.folder).unwrap();
    std::fs::write(rig.folder.join("choices.json"), "{").unwrap();
    let frame = Rig::at(rig.folder.clone()).frame();
    assert!(frame.contains("is damaged"), "{frame}");
}

#[test]
fn the_puzzles() {
    let mut rig = Rig::new();
    snap("puzzles", rig.keys("<End><Up><Up><Up><Enter>"));
    snap("puzzles-other-game", rig.keys("<Right><Down>"));
    snap("puzzle", rig.keys("<Enter>"));
}

#[test]
fn the_form_of_every_game() {
    for entry in Rig::new().app.context.games {
        let id = entry.info.id;
        let mut rig = Rig::new();
        rig.app.go(Next::Setup(entry));
        snap(&format!("form-{id}"), &mut rig);
    }
}

#[test]
fn the_players() {
    let mut rig = Rig::new();
    rig.app.go(Next::Setup(&engine::GAMES[2]));
    snap("form-players", rig.keys("<Home><Down><Enter>"));
    snap("form-name", rig.keys("<Home><Enter>Ben"));
    snap("form-clock", rig.keys("<Enter><End><Up><Up><Right><Right><Right>"));
}

#[test]
fn saved_games() {
    let mut rig = Rig::playing("six-making", HUMANS, "a1 b2");
    rig.keys("c3<Enter>s<Enter>");
    rig.sit("glaisher", HUMANS, "", None);
    rig.keys("a2-se:6@e5<Enter>");
    std::fs::write(rig.folder.join("games/broken.txt"), "[Game \"glaisher\"]\n\n1. a2-se:")
        .unwrap();
    rig.app.go(Next::Library);
    // The order of files made at the same moment is that of their names.
    snap("library", &mut rig);
    while !rig.frame().contains("damaged") {
        rig.keys("<Down>");
    }
    assert!(rig.frame().contains("line 3"), "{}", rig.frame());
    snap("library-delete", rig.keys("<Home>x"));
}

#[test]
fn glaisher_in_every_stage() {
    let mut rig = Rig::playing("glaisher", ["human:Ana", "level:3"], "");
    snap("glaisher-stack", &mut rig);
    snap("glaisher-parts", rig.keys("<Tab><Tab><Enter>"));
    snap("glaisher-other-parts", rig.keys("<Down>"));
    snap("glaisher-direction", rig.keys("<Enter><Tab>"));
    snap("glaisher-placement", rig.keys("<Enter>"));
    snap("glaisher-typed", rig.keys("@e"));
    snap("glaisher-thinking", rig.keys("5<Enter>"));
    let news = thought(&[("d1-e:24@c4 a2-e:6@e4", 35)]);
    rig.report(1, Found::News(news));
    snap("glaisher-thinking-news", &mut rig);
}

#[test]
fn gekitai_in_every_stage() {
    let mut rig = Rig::playing("gekitai", HUMANS, "c3 a6 c5");
    snap("gekitai-cell", rig.keys("<Up><Up>"));
    snap("gekitai-refused", rig.keys("c3<Enter>"));
    snap("gekitai-over", rig.keys("<Esc>f6<Enter>c2<Enter>f1<Enter>c3<Enter>"));
    snap("gekitai-review", rig.keys("<Left><Left>"));
    snap("gekitai-over-menu", rig.keys("<Esc>p"));
}

#[test]
fn jeson_mor_in_every_stage() {
    let mut rig = Rig::playing("jeson-mor", HUMANS, "c1-d3 c9-d7");
    snap("jeson-mor-knight", &mut rig);
    snap("jeson-mor-target", rig.keys("<Tab><Enter>"));
    snap("jeson-mor-flipped", rig.keys("f"));
    snap("jeson-mor-typed", rig.keys("<Esc>d3-"));
}

#[test]
fn six_making_in_every_stage() {
    let turns = "b2 c2 b3 c3 c2-b2 c3-b3 d4";
    let mut rig = Rig::playing("six-making", HUMANS, turns);
    snap("six-making-tower", &mut rig);
    rig.click_cell("b2");
    snap("six-making-discs", &mut rig);
    snap("six-making-target", rig.keys("2"));
    snap("six-making-played", rig.keys("<Tab><Enter>"));
}

#[test]
fn variations_and_positions_set_up_by_hand() {
    let mut rig = Rig::playing("gekitai", HUMANS, "c3 d4 e5 a2");
    rig.keys("[[ta");
    let lines = [("e5 b2 a1 f6", 42), ("c5 b2", 10), ("a1 d3", -20)];
    rig.report(2, Found::News(thought(&lines)));
    rig.keys("f1<Enter>a6<Enter>[");
    rig.report(5, Found::News(thought(&lines)));
    snap("variations", &mut rig);
    rig.app.go(Next::Setup(&engine::GAMES[0]));
    rig.keys("<End><Up><Up><Up><Enter>");
    snap("editor", rig.keys("2<Up><Up><Enter>"));
    snap("form-by-hand", rig.keys("<Esc>"));
}

#[test]
fn hints_bars_and_analysis() {
    let mut rig = Rig::playing("jeson-mor", ["human:Ana", "seed:smart"], "");
    snap("hint", rig.keys("hh"));
    rig.report(2, Found::News(thought(&[("e1-d3 e9-d7", 42)])));
    snap("hint-engine", &mut rig);
    rig.keys("e");
    rig.report(3, Found::News(thought(&[("e1-d3 e9-d7", -42)])));
    snap("bar", &mut rig);
    rig.keys("a");
    let lines = [("e1-d3 e9-d7", 42), ("c1-d3 c9-d7", 10), ("g1-f3", -29_998)];
    rig.report(4, Found::News(thought(&lines)));
    snap("analysis", &mut rig);
}

#[test]
fn computers_play_each_other() {
    let mut rig = Rig::playing("gekitai", ["seed:hard", "level:1"], "");
    snap("computers", &mut rig);
    snap("computers-rest", rig.keys("e "));
    snap("computers-wait", rig.keys("w"));
}

#[test]
fn pauses_pages_and_clocks() {
    let mut rig = Rig::new();
    rig.sit("gekitai", ["human:Ana", "human"], "c3", Some("5+3"));
    snap("clock", &mut rig);
    snap("pause", rig.keys("p"));
    snap("help", rig.keys("<Esc>?"));
    rig.keys("<Esc>");
    rig.wait(Duration::from_secs(301));
    snap("out-of-time", &mut rig);
}

#[test]
fn without_colours_and_in_ascii() {
    let mut rig = Rig::playing("glaisher", HUMANS, "");
    rig.app.context.look = Look { depth: Depth::None, charset: Charset::Ascii, ..Look::default() };
    snap("plain-stack", &mut rig);
    snap("plain-parts", rig.keys("e<Tab><Enter>"));
    let plain = rig.picture(SMALL);
    let text = plain.lines().take(24).collect::<String>();
    assert!(text.is_ascii(), "{plain}");
}

#[test]
fn a_window_that_is_too_small_says_so() {
    let mut rig = Rig::new();
    for (size, words) in
        [((59, 20), "too small"), ((30, 10), "too small"), ((16, 3), "60 by 20"), ((7, 1), "60x20")]
    {
        let frame = rig.picture(size);
        assert!(frame.contains(words), "{size:?}: {frame}");
    }
}

/// Every game on its largest board, with a clock, in every window that suffices.
#[test]
fn a_small_window_has_everything_by_turns() {
    let largest = [("glaisher", ""), ("gekitai", "8"), ("jeson-mor", "11"), ("six-making", "5")];
    for (id, side) in largest {
        for size in [(60, 20), SMALL, (100, 30), LARGE] {
            let mut rig = Rig::new();
            rig.size = size;
            let entry = engine::find(id).unwrap();
            let mut options = serde_json::Map::new();
            if !side.is_empty() {
                options.insert("size".into(), rules::notation::option_value(side));
            }
            let game = (entry.start)(&options).unwrap();
            let seats = HUMANS.map(|code| seat::parse(code, game.as_ref()).unwrap());
            let mut sitting = Sitting::new(entry, game, seats.into(), Terms::parse("5+3").ok());
            let turn = sitting.board.turns().remove(0);
            sitting.play(&turn, rig.now).unwrap();
            rig.app.go(Next::Play(Box::new(sitting), None));
            let board = rig.frame();
            let cells = rig.sitting().board.diagram().cells.len();
            let places = (0..size.1).flat_map(|y| (0..size.0).map(move |x| (x, y)));
            let seen: std::collections::BTreeSet<usize> = places
                .filter_map(|(x, y)| match rig.app.hits.at(x, y) {
                    Some(super::super::app::Hit::Cell(cell)) => Some(cell),
                    _ => None,
                })
                .collect();
            assert_eq!(seen.len(), cells, "{id} {size:?}: a cell is missing in\n{board}");
            for words in ["Ana", "Ben", "5:00", "p menu", "? help"] {
                assert!(board.contains(words), "{id} {size:?}: no {words} in\n{board}");
            }
            let panel = if board.contains("v panel") { rig.keys("v").frame() } else { board };
            for words in [turn.as_str(), "5:00", "Ana"] {
                assert!(panel.contains(words), "{id} {size:?}: no {words} in\n{panel}");
            }
            rig.keys("h");
            assert!(rig.frame().contains("Engine:"), "{id} {size:?}:\n{}", rig.frame());
        }
    }
}

/// No screen is cut off, and none panics, in any window.
#[test]
fn every_screen_fits_every_window() {
    for size in [(60, 20), SMALL, (100, 30), LARGE, (61, 50), (200, 21)] {
        let mut rig = Rig::new();
        rig.size = size;
        for keys in [
            "",
            "<Enter>",
            "<Home><Enter>",
            "<Esc><Esc><End><Up><Enter>",
            "<Esc><End><Up><Up><Enter>",
        ] {
            let frame = rig.keys(keys).frame();
            assert!(frame.contains("Esc") || frame.contains("q quit"), "{size:?}\n{frame}");
        }
    }
}

/// Nobody can do a task without its last words.
#[test]
fn the_task_of_every_lesson_is_whole_in_every_window() {
    for entry in engine::GAMES {
        for number in 0..entry.info.lessons.len() {
            for size in [(60, 20), SMALL, (100, 30), LARGE] {
                let mut rig = Rig::new();
                rig.size = size;
                rig.app.go(Next::Lesson(Pupil { entry, number }));
                let (frame, task) = (rig.frame(), entry.info.lessons[number].task);
                let is_whole = |width| wrapped(task, width).iter().all(|line| frame.contains(line));
                assert!(
                    (20..140).any(is_whole),
                    "{} {size:?}: `{task}` in\n{frame}",
                    entry.info.id
                );
            }
        }
    }
}
