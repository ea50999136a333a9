//! Turns chosen ahead, lessons, hints in two steps, keys of one's own, help.

use super::*;
use crate::tui::lessons::Pupil;

/// Asserts that a text is on the screen.
fn sees(rig: &Rig, text: &str) {
    let frame = rig.frame();
    assert!(frame.contains(text), "no `{text}` in\n{frame}");
}

#[test]
fn a_turn_chosen_ahead_is_played_as_soon_as_it_may_be() {
    let mut rig = Rig::playing("gekitai", ["human:Ana", "level:10"], "");
    rig.keys("c3<Enter>d4<Enter>");
    sees(&rig, "d4 is played as soon as it is legal");
    rig.report(1, Found::Turn(Some("f6".into())));
    rig.wait(Duration::from_secs(1));
    assert_eq!(rig.history(), ["c3", "f6", "d4"]);
    // Taken back.
    rig.click_cell("c5");
    sees(&rig, "c5 is played as soon as it is legal");
    rig.keys("<Esc>");
    rig.report(2, Found::Turn(Some("f1".into())));
    rig.wait(Duration::from_secs(1));
    assert_eq!(rig.history(), ["c3", "f6", "d4", "f1"]);
    // Made impossible by the other side.
    rig.keys("d2<Enter>c5<Enter>");
    rig.report(3, Found::Turn(Some("c5".into())));
    rig.wait(Duration::from_secs(1));
    assert_eq!(rig.history().len(), 6);
    sees(&rig, "c5 cannot be played any more");
}

#[test]
fn what_is_being_typed_outlives_the_other_side_s_turn_and_is_what_enter_plays() {
    let mut rig = Rig::playing("gekitai", ["human:Ana", "level:10"], "");
    rig.keys("c3<Enter>");
    rig.keys("<Right><Right>d4");
    rig.report(1, Found::Turn(Some("f6".into())));
    rig.wait(Duration::from_secs(1));
    sees(&rig, "move: d4");
    rig.keys("<Enter>");
    assert_eq!(rig.history(), ["c3", "f6", "d4"]);
    assert!(!rig.frame().contains("move: "), "{}", rig.frame());
}

#[test]
fn a_line_ends_with_its_turn_and_with_the_game() {
    let mut rig = Rig::playing("gekitai", ["human:Ana", "human:Ben"], "");
    rig.keys("c3<Enter>");
    assert!(!rig.frame().contains("move: "), "{}", rig.frame());
    rig.keys(":z9<Enter>");
    sees(&rig, "move: z9");
    let mut rig = Rig::new();
    rig.sit("gekitai", ["human:Ana", "level:10"], "", Some("1+0"));
    rig.keys("d4");
    rig.wait(Duration::from_secs(70));
    assert!(rig.sitting().result().is_some() && !rig.frame().contains("move: "));
}

#[test]
fn every_lesson_is_solved_by_its_answer_and_leads_on() {
    for entry in engine::GAMES.iter().filter(|entry| !entry.info.lessons.is_empty()) {
        let mut rig = Rig::new();
        rig.app.go(Next::Lesson(Pupil { entry, number: 0 }));
        for (number, lesson) in (1..).zip(entry.info.lessons) {
            sees(&rig, &format!("lesson {number} of {}", entry.info.lessons.len()));
            rig.keys(":");
            rig.keys(lesson.answer);
            rig.keys("<Enter>");
            sees(&rig, "Right.");
            rig.keys("n");
        }
        sees(&rig, "Lessons");
    }
}

#[test]
fn a_hint_says_how_a_turn_begins_and_then_all_of_it() {
    let mut rig = Rig::playing("jeson-mor", ["human:Ana", "seed:smart"], "");
    rig.keys("h");
    rig.report(1, Found::News(thought(&[("e1-d3 e9-d7", 42)])));
    sees(&rig, "Engine: e1-");
    assert!(!rig.frame().contains("e1-d3"), "{}", rig.frame());
    rig.keys("h");
    rig.report(2, Found::News(thought(&[("e1-d3 e9-d7", 42)])));
    sees(&rig, "Engine: e1-d3");
    rig.keys("h");
    assert!(!rig.frame().contains("Engine:"), "{}", rig.frame());
}

#[test]
fn help_is_about_the_screen_that_it_is_opened_on() {
    let mut rig = Rig::new();
    rig.keys("?");
    assert!(!rig.frame().contains("Moving"), "{}", rig.frame());
    rig.keys("?");
    sees(&rig, "All keys");
    rig.keys("<Esc>");
    rig.sit("gekitai", ["human:Ana", "human:Ben"], "", None);
    rig.keys("?");
    sees(&rig, "Moving");
}
