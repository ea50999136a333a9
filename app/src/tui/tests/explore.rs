//! Variations, lines of the engine, and positions set up by hand.

use super::*;

const HUMANS: [&str; 2] = ["human:Ana", "human:Ben"];

/// Asserts that a text is on the screen.
fn sees(rig: &Rig, text: &str) {
    let frame = rig.frame();
    assert!(frame.contains(text), "no `{text}` in\n{frame}");
}

#[test]
fn variations_are_tried_and_saved_and_the_game_stays_as_it_was() {
    let mut rig = Rig::playing("gekitai", HUMANS, "c3 d4 e5");
    rig.size = LARGE;
    rig.keys("[t");
    sees(&rig, "variations");
    assert_eq!(rig.history(), ["c3", "d4"]);
    rig.keys("a1<Enter>b2<Enter>");
    assert_eq!(rig.history(), ["c3", "d4", "a1", "b2"]);
    sees(&rig, "1. c3 d4 2. e5 (2. a1 b2)");
    rig.keys("[}");
    assert_eq!(rig.history(), ["c3", "d4", "e5"], "the other variation is the game itself");
    rig.keys("}");
    assert_eq!(rig.history(), ["c3", "d4", "a1"]);
    rig.click("2. e5");
    assert_eq!(rig.history(), ["c3", "d4", "e5"]);
    rig.keys("{]f6<Enter>");
    assert_eq!(rig.history(), ["c3", "d4", "a1", "b2", "f6"]);
    rig.keys("s");
    sees(&rig, "save as:");
    rig.keys("<Enter>");
    let saved = rig.folder.join("games");
    let file = std::fs::read_dir(saved).unwrap().flatten().next().unwrap().path();
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains("1. c3 d4 2. e5 ( 2. a1 b2 3. f6 ) *"), "{text}");
    rig.keys("[[^");
    sees(&rig, "this is the main line now");
    rig.keys("x");
    assert_eq!(rig.history(), ["c3", "d4"]);
    rig.keys("<Esc>");
    assert_eq!(rig.history(), ["c3", "d4", "e5"]);
    sees(&rig, "after 2 of 3");
    let kept = rig.app.context.saves.list(crate::saves::Shelf::Unfinished).len();
    assert_eq!(kept, 1, "only the game itself goes on");
}

#[test]
fn variations_of_a_record_are_there() {
    let mut rig = Rig::new();
    let text = "[Game \"gekitai\"]\n\n{Hm.} 1. c3 ( 1. a1! {bold} b1 ) 1... d4 *\n";
    rig.tell(Message::Input(Event::Paste(text.to_owned())));
    rig.keys("t<Home>");
    sees(&rig, "Hm.");
    rig.keys("]}");
    assert_eq!(rig.history(), ["a1"]);
    sees(&rig, "! bold");
    rig.keys("<Esc>");
    assert_eq!(rig.history(), ["c3", "d4"]);
}

#[test]
fn a_line_of_the_engine_is_stepped_into() {
    let mut rig = Rig::playing("gekitai", ["human:Ana", "level:3"], "");
    rig.keys("a");
    rig.report(1, Found::News(thought(&[("c3 d4 e5", 42), ("b2 a1", 10)])));
    rig.keys(".>]");
    sees(&rig, "variations");
    assert_eq!(rig.history(), ["b2"]);
    rig.keys("]");
    assert_eq!(rig.history(), ["b2", "a1"]);
    // The board starts a new search at each position.
    rig.report(4, Found::News(thought(&[("f6 e6", 42)])));
    rig.keys(">");
    assert_eq!(rig.history(), ["b2", "a1", "f6"]);
    rig.keys("<Esc>");
    assert!(rig.history().is_empty(), "the game has not begun");
    rig.report(6, Found::News(thought(&[("c3 d4 e5", 42), ("b2 a1", 10)])));
    rig.click("+0.10");
    rig.keys("]");
    assert_eq!(rig.history(), ["b2"]);
}

#[test]
fn a_computer_and_a_clock_wait_while_variations_are_tried() {
    let mut rig = Rig::new();
    rig.sit("gekitai", ["human:Ana", "level:3"], "", Some("5+3"));
    rig.keys("c3<Enter>");
    rig.keys("t");
    rig.wait(Duration::from_secs(60));
    // The turn of the job that was given up does not count any more.
    rig.report(1, Found::Turn(Some("d4".into())));
    rig.keys("<Esc>");
    assert_eq!(rig.history(), ["c3"]);
    rig.report(2, Found::Turn(Some("e5".into())));
    rig.wait(Duration::from_secs(1));
    assert_eq!(rig.history(), ["c3", "e5"]);
    sees(&rig, "5:03");
    assert!(!rig.frame().contains("3:59"), "{}", rig.frame());
}

#[test]
fn nothing_is_tried_out_while_one_plays_somebody_or_a_puzzle_unnoticed() {
    let mut rig = Rig::new();
    rig.keys("<End><Up><Up><Up><Enter><Enter>t");
    sees(&rig, "variations");
    let solution = engine::puzzles::shipped("glaisher")[0].solution[0].clone();
    rig.keys("<Esc>");
    rig.keys(&format!("{solution}<Enter>"));
    assert!(!rig.frame().contains("Solved!"), "{}", rig.frame());
}

#[test]
fn a_position_is_set_up_with_keys_and_mouse_and_played() {
    for (id, cells) in
        [("gekitai", "b2"), ("glaisher", "c4"), ("jeson-mor", "d5"), ("six-making", "b2")]
    {
        let mut rig = Rig::new();
        rig.app.go(Next::Setup(engine::find(id).unwrap()));
        rig.keys("<End><Up><Up><Up>");
        sees(&rig, "the usual start");
        rig.keys("<Enter>");
        sees(&rig, "set up a position");
        let text = |rig: &Rig| match &rig.app.screen {
            Screen::Editor(editor) => editor.sitting().board.text(),
            _ => panic!("no editor:\n{}", rig.frame()),
        };
        let start = text(&rig);
        // All knights are on the board: there is no other to set up.
        if id == "jeson-mor" {
            rig.keys("c");
        }
        let usual = text(&rig);
        rig.keys("2<Enter>");
        let by_keys = text(&rig);
        assert_ne!(by_keys, usual, "{id}");
        rig.keys("u");
        assert_eq!(text(&rig), usual, "{id}");
        rig.keys("<Tab><Tab><Tab>");
        rig.keys("1");
        rig.click_cell(cells);
        let by_mouse = text(&rig);
        assert_ne!(by_mouse, usual, "{id}");
        let (column, row) = rig.place(cells);
        let kind = MouseEventKind::Down(MouseButton::Right);
        let mouse = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        rig.tell(Message::Input(Event::Mouse(mouse)));
        assert_eq!(text(&rig), usual, "{id}: the right button wipes");
        rig.click_cell(cells);
        rig.keys("t");
        assert!(text(&rig).ends_with(" 2"), "{id}: {}", text(&rig));
        let set_up = text(&rig);
        rig.keys("<Esc>");
        sees(&rig, "set up by hand");
        rig.keys("s");
        assert_eq!(rig.sitting().board.text(), set_up, "{id}");
        rig.keys("E");
        sees(&rig, "set up a position");
        rig.keys("i");
        assert_eq!(text(&rig), start, "{id}: the usual start");
        rig.tell(Message::Input(Event::Paste(set_up.clone())));
        assert_eq!(text(&rig), set_up, "{id}");
        rig.keys("a");
        sees(&rig, "variations");
        sees(&rig, "Analysis begins");
    }
}

#[test]
fn what_cannot_be_is_not_painted_and_what_is_decided_is_not_played() {
    let mut rig = Rig::new();
    rig.app.go(Next::Setup(engine::find("gekitai").unwrap()));
    rig.keys("<End><Up><Up><Up><Enter>");
    for cell in ["a1", "b1", "c1"] {
        rig.click_cell(cell);
    }
    sees(&rig, "X has won");
    rig.keys("<Esc>s");
    sees(&rig, "this position is decided");
    rig.keys("<End><Up><Up><Up><Right>");
    sees(&rig, "the usual start");
    rig.keys("s");
    assert!(rig.sitting().board.history().is_empty());
    rig.app.go(Next::Setup(engine::find("gekitai").unwrap()));
    rig.keys("<End><Up><Up><Up><Enter>");
    rig.tell(Message::Input(Event::Paste("the quick brown fox".into())));
    assert!(rig.frame().contains("set up a position"), "{}", rig.frame());
}
