//! What the screens look like, in a small and in a large window.

use super::*;

/// Compares a screen with its snapshots.
fn snap(name: &str, desk: &mut Desk) {
    for size in [SMALL, LARGE] {
        let name = format!("{name}-{}x{}", size.0, size.1);
        insta::with_settings!({ omit_expression => true }, {
            insta::assert_snapshot!(name, desk.picture(size));
        });
    }
}

const HUMANS: [&str; 2] = ["human:Ana", "human:Ben"];

#[test]
fn the_menu() {
    let mut desk = Desk::new();
    snap("menu", &mut desk);
    snap("menu-other-game", desk.keys("<Down><Down>"));
    snap("menu-rules", desk.keys("r"));
    snap("menu-rules-scrolled", desk.keys("<PageDown>"));
    snap("menu-library-empty", desk.keys("<Esc><End><Up><Enter>"));
}

#[test]
fn the_menu_offers_to_go_on() {
    let mut desk = Desk::playing("gekitai", HUMANS, "c3 d4");
    snap("menu-continue", desk.keys("e5<Enter>pm"));
}

#[test]
fn a_damaged_file_is_told_of() {
    let desk = Desk::new();
    std::fs::create_dir_all(&desk.folder).unwrap();
    std::fs::write(desk.folder.join("choices.json"), "{").unwrap();
    let frame = Desk::at(desk.folder.clone()).frame();
    assert!(frame.contains("is damaged"), "{frame}");
}

#[test]
fn the_puzzles() {
    let mut desk = Desk::new();
    snap("puzzles", desk.keys("<End><Up><Up><Enter>"));
    snap("puzzles-other-game", desk.keys("<Right><Down>"));
    snap("puzzle", desk.keys("<Enter>"));
}

#[test]
fn the_form_of_every_game() {
    for entry in engine::GAMES {
        let id = entry.info.id;
        let mut desk = Desk::new();
        desk.app.go(Next::Setup(entry));
        snap(&format!("form-{id}"), &mut desk);
    }
}

#[test]
fn the_players() {
    let mut desk = Desk::new();
    desk.app.go(Next::Setup(&engine::GAMES[2]));
    snap("form-players", desk.keys("<Home><Down><Enter>"));
    snap("form-name", desk.keys("<Home><Enter>Ben"));
    snap("form-clock", desk.keys("<Enter><End><Up><Up><Right><Right><Right>"));
}

#[test]
fn saved_games() {
    let mut desk = Desk::playing("six-making", HUMANS, "a1 b2");
    desk.keys("c3<Enter>s");
    desk.sit("glaisher", HUMANS, "", None);
    desk.keys("a2-se:6@e5<Enter>");
    std::fs::write(desk.folder.join("games/broken.txt"), "[Game \"glaisher\"]\n\n1. a2-se:")
        .unwrap();
    desk.app.go(Next::Library);
    // The order of files made at the same moment is that of their names.
    snap("library", &mut desk);
    while !desk.frame().contains("damaged") {
        desk.keys("<Down>");
    }
    assert!(desk.frame().contains("line 3"), "{}", desk.frame());
    snap("library-delete", desk.keys("<Home>x"));
}

#[test]
fn glaisher_in_every_stage() {
    let mut desk = Desk::playing("glaisher", ["human:Ana", "level:3"], "");
    snap("glaisher-stack", &mut desk);
    snap("glaisher-parts", desk.keys("<Tab><Tab><Enter>"));
    snap("glaisher-other-parts", desk.keys("<Down>"));
    snap("glaisher-direction", desk.keys("<Enter><Tab>"));
    snap("glaisher-placement", desk.keys("<Enter>"));
    snap("glaisher-typed", desk.keys("@e"));
    snap("glaisher-thinking", desk.keys("5<Enter>"));
    let news = thought(&[("d1-e:24@c4 a2-e:6@e4", 35)]);
    desk.report(1, Found::News(news));
    snap("glaisher-thinking-news", &mut desk);
}

#[test]
fn gekitai_in_every_stage() {
    let mut desk = Desk::playing("gekitai", HUMANS, "c3 a6 c5");
    snap("gekitai-cell", desk.keys("<Up><Up>"));
    snap("gekitai-refused", desk.keys("c3<Enter>"));
    snap("gekitai-over", desk.keys("<Esc>f6<Enter>c2<Enter>f1<Enter>c3<Enter>"));
    snap("gekitai-review", desk.keys("<Left><Left>"));
    snap("gekitai-over-menu", desk.keys("<Esc>p"));
}

#[test]
fn jeson_mor_in_every_stage() {
    let mut desk = Desk::playing("jeson-mor", HUMANS, "c1-d3 c9-d7");
    snap("jeson-mor-knight", &mut desk);
    snap("jeson-mor-target", desk.keys("<Tab><Enter>"));
    snap("jeson-mor-flipped", desk.keys("f"));
    snap("jeson-mor-typed", desk.keys("<Esc>d3-"));
}

#[test]
fn six_making_in_every_stage() {
    let turns = "b2 c2 b3 c3 c2-b2 c3-b3 d4";
    let mut desk = Desk::playing("six-making", HUMANS, turns);
    snap("six-making-tower", &mut desk);
    desk.click_cell("b2");
    snap("six-making-discs", &mut desk);
    snap("six-making-target", desk.keys("2"));
    snap("six-making-played", desk.keys("<Tab><Enter>"));
}

#[test]
fn hints_bars_and_analysis() {
    let mut desk = Desk::playing("jeson-mor", ["human:Ana", "seed:smart"], "");
    snap("hint", desk.keys("h"));
    desk.report(1, Found::News(thought(&[("e1-d3 e9-d7", 42)])));
    snap("hint-engine", &mut desk);
    desk.keys("e");
    desk.report(2, Found::News(thought(&[("e1-d3 e9-d7", -42)])));
    snap("bar", &mut desk);
    desk.keys("a");
    let lines = [("e1-d3 e9-d7", 42), ("c1-d3 c9-d7", 10), ("g1-f3", -29_998)];
    desk.report(3, Found::News(thought(&lines)));
    snap("analysis", &mut desk);
}

#[test]
fn computers_play_each_other() {
    let mut desk = Desk::playing("gekitai", ["seed:hard", "level:1"], "");
    snap("computers", &mut desk);
    snap("computers-rest", desk.keys("e "));
    snap("computers-wait", desk.keys("w"));
}

#[test]
fn pauses_pages_and_clocks() {
    let mut desk = Desk::new();
    desk.sit("gekitai", ["human:Ana", "human"], "c3", Some("5+3"));
    snap("clock", &mut desk);
    snap("pause", desk.keys("p"));
    snap("help", desk.keys("<Esc>?"));
    desk.keys("<Esc>");
    desk.wait(Duration::from_secs(301));
    snap("out-of-time", &mut desk);
}

#[test]
fn without_colours_and_in_ascii() {
    let mut desk = Desk::playing("glaisher", HUMANS, "");
    desk.app.shared.look = Look { color: false, charset: Charset::Ascii };
    snap("plain-stack", &mut desk);
    snap("plain-parts", desk.keys("e<Tab><Enter>"));
    let plain = desk.picture(SMALL);
    let text = plain.lines().take(24).collect::<String>();
    assert!(text.is_ascii(), "{plain}");
}

#[test]
fn a_window_that_is_too_small_says_so() {
    let mut desk = Desk::new();
    assert!(desk.picture((30, 10)).contains("the window is too small"));
    // Between that and everything there is the board alone.
    desk.sit("glaisher", HUMANS, "", None);
    let narrow = desk.picture((44, 23));
    assert!(narrow.contains("Ana (Red) to move"), "{narrow}");
    desk.keys("<Tab><Enter>");
    let narrow = desk.picture((44, 23));
    assert!(narrow.contains("Parts?  1 1+2+3  2 2+4"), "{narrow}");
}
