//! What keys, clicks and reports do.

use super::*;
use crate::saves::Shelf;

const HUMANS: [&str; 2] = ["human:Ana", "human:Ben"];

/// Asserts that a text is on the screen.
fn sees(desk: &Desk, text: &str) {
    let frame = desk.frame();
    assert!(frame.contains(text), "no `{text}` in\n{frame}");
}

#[test]
fn a_letter_and_a_digit_type_a_move_whatever_the_letter_does_alone() {
    for letter in 'a'..='i' {
        let turn = format!("{letter}5");
        let mut desk = Desk::playing("glaisher", HUMANS, "a2-se:123");
        let before = desk.frame();
        desk.keys(&turn);
        sees(&desk, &format!("move: {turn}"));
        desk.keys("<Esc>");
        assert_eq!(desk.frame(), before, "{letter} has left something behind");
    }
}

#[test]
fn letters_alone_are_commands() {
    let mut desk = Desk::playing("gekitai", HUMANS, "");
    let plain = desk.frame();
    for (letter, shown) in [('a', "Analysis"), ('e', "…"), ('h', "Hard:"), ('p', "Paused")] {
        desk.keys(&letter.to_string());
        sees(&desk, shown);
        desk.keys(&letter.to_string());
        assert_eq!(desk.frame(), plain, "{letter} does not undo itself");
    }
    desk.keys("f");
    assert!(desk.frame().lines().any(|line| line.contains("f   e   d   c")));
}

#[test]
fn h_is_the_hint_until_hjkl_are_used() {
    let mut desk = Desk::playing("jeson-mor", HUMANS, "");
    desk.keys("h");
    sees(&desk, "Greedy:");
    desk.keys("hjh");
    assert!(!desk.frame().contains("Greedy:"));
    sees(&desk, "H hint");
    desk.keys("H");
    sees(&desk, "Greedy:");
    desk.keys("<Left>");
    sees(&desk, "h hint");
}

#[test]
fn keys_mouse_and_text_play_the_same_turn() {
    let mut keys = Desk::playing("six-making", HUMANS, "b2 b3");
    keys.keys("<Home><Tab>");
    let mut desk = Desk::playing("six-making", HUMANS, "b2 b3");
    desk.click_cell("b2");
    desk.click_cell("b3");
    assert_eq!(desk.history().last().unwrap(), "b2-b3");
    let mut desk = Desk::playing("six-making", HUMANS, "b2 b3");
    desk.keys("B2-B3<Enter>");
    assert_eq!(desk.history().last().unwrap(), "b2-b3");
    // All in one turn: a click, then a key.
    let mut desk = Desk::playing("six-making", HUMANS, "b2 b3");
    desk.click_cell("b2");
    desk.keys("<Tab><Enter>");
    assert_eq!(desk.history().last().unwrap(), "b2-b3");
    let mut desk = Desk::playing("six-making", HUMANS, "");
    desk.keys("<Up><Up><Left><Enter>");
    assert_eq!(desk.history(), ["b2"]);
}

#[test]
fn a_piece_can_be_dragged() {
    let mut desk = Desk::playing("jeson-mor", HUMANS, "");
    desk.click_cell("b1");
    desk.drag_to("b1");
    sees(&desk, "Target?");
    desk.click_cell("e1");
    desk.drag_to("e5");
    sees(&desk, "Target?");
    desk.click_cell("b1");
    desk.drag_to("c3");
    assert_eq!(desk.history(), ["b1-c3"]);
}

#[test]
fn escape_goes_back_one_stage_at_a_time() {
    let mut desk = Desk::playing("glaisher", HUMANS, "");
    let first = desk.frame();
    desk.click_cell("a2");
    sees(&desk, "Parts?");
    desk.keys("2");
    sees(&desk, "Direction?");
    desk.keys("<Tab><Enter>");
    sees(&desk, "New piece?");
    assert_eq!(desk.history().len(), 1);
    desk.keys("<Esc>");
    sees(&desk, "Stack?");
    assert!(desk.history().is_empty());
    desk.click_cell("a2");
    desk.keys("2<Esc>");
    sees(&desk, "Parts?");
    desk.keys("<Esc>");
    assert!(desk.play().table.game.history().is_empty());
    assert_eq!(first.lines().count(), desk.frame().lines().count());
    sees(&desk, "Stack?");
    desk.keys("<Esc>");
    sees(&desk, "Resume");
}

#[test]
fn an_impossible_choice_says_why() {
    let mut desk = Desk::playing("jeson-mor", HUMANS, "");
    desk.click_cell("a9");
    sees(&desk, "the piece on a9 is Black's");
    desk.click_cell("b1");
    desk.click_cell("e5");
    sees(&desk, "e5 cannot be reached");
    desk.keys(":b1-b3<Enter>");
    sees(&desk, "a knight does not jump from b1 to b3");
    sees(&desk, "move: b1-b3");
    assert!(desk.history().is_empty());
}

#[test]
fn undo_against_the_computer_takes_back_both_turns() {
    let players = ["human", "level:3"];
    let mut desk = Desk::playing("gekitai", players, "c3 a6");
    desk.keys("d3<Enter>");
    assert_eq!(desk.history(), ["c3", "a6", "d3"]);
    desk.keys("u");
    assert_eq!(desk.history(), ["c3", "a6"]);
    desk.keys("u");
    assert!(desk.history().is_empty());
    desk.keys("u");
    sees(&desk, "there is nothing to take back");
    desk.keys("U");
    assert_eq!(desk.history(), ["c3", "a6"]);
    let mut desk = Desk::playing("gekitai", HUMANS, "c3 a6");
    desk.keys("u");
    assert_eq!(desk.history(), ["c3"]);
}

#[test]
fn the_computers_turn_is_played_and_a_stale_one_is_not() {
    let mut desk = Desk::playing("gekitai", ["human", "level:3"], "");
    desk.keys("c3<Enter>");
    sees(&desk, "Level 3 is thinking");
    desk.keys("u");
    desk.report(1, Found::Turn(Some("a1".into())));
    assert!(desk.history().is_empty());
    desk.keys("c3<Enter>");
    desk.report(2, Found::Turn(Some("a1".into())));
    desk.wait(Duration::from_secs(1));
    assert_eq!(desk.history(), ["c3", "a1"]);
}

#[test]
fn a_player_that_fails_can_try_again() {
    let mut desk = Desk::playing("gekitai", ["human", "level:3"], "c3");
    desk.report(1, Found::Turn(None));
    sees(&desk, "the computer found no turn");
    desk.keys(" ");
    desk.report(2, Found::Turn(Some("a1".into())));
    desk.wait(Duration::from_secs(1));
    assert_eq!(desk.history(), ["c3", "a1"]);
}

#[test]
fn computers_rest_step_and_wait_for_keys() {
    let mut desk = Desk::playing("gekitai", ["level:1", "level:2"], "");
    let second = Duration::from_secs(1);
    desk.report(1, Found::Turn(Some("c3".into())));
    assert!(desk.history().is_empty(), "the turn comes too early");
    desk.wait(second);
    assert_eq!(desk.history(), ["c3"]);
    desk.keys(" ");
    desk.report(2, Found::Turn(Some("a1".into())));
    desk.wait(10 * second);
    assert_eq!(desk.history(), ["c3"]);
    desk.keys("n");
    assert_eq!(desk.history(), ["c3", "a1"]);
    desk.keys(" w");
    desk.report(3, Found::Turn(Some("a2".into())));
    desk.wait(10 * second);
    assert_eq!(desk.history().len(), 2);
    desk.keys(" ");
    assert_eq!(desk.history().len(), 3);
    // Taking back lets them rest, else the turn would come again at once.
    desk.keys("wu");
    desk.report(5, Found::Turn(Some("a2".into())));
    desk.wait(10 * second);
    assert_eq!(desk.history().len(), 2);
}

#[test]
fn a_pause_stops_the_clock() {
    let mut desk = Desk::new();
    desk.sit("gekitai", HUMANS, "", Some("1+0"));
    desk.wait(Duration::from_secs(20));
    sees(&desk, "0:40");
    desk.keys("p");
    desk.wait(Duration::from_secs(100));
    desk.keys("p");
    sees(&desk, "0:40");
    desk.wait(Duration::from_secs(41));
    sees(&desk, "Ben (O) has won: Ana ran out of time");
    desk.keys("c3<Enter>");
    assert!(desk.history().is_empty());
}

#[test]
fn a_name_of_wide_characters_leaves_the_clock_in_its_place() {
    let clock_at = |name: &str| {
        let mut desk = Desk::new();
        desk.sit("gekitai", [&format!("human:{name}"), "human"], "", Some("5+0"));
        let frame = desk.frame();
        let row = frame.lines().find(|line| line.contains(" X ") && line.contains("5:00")).unwrap();
        // Each cell of the screen is one character here; a wide one is followed by a blank.
        row.chars().count()
    };
    assert_eq!(clock_at("李小龍"), clock_at("Ana"));
}

#[test]
fn a_suspended_game_does_not_cost_time() {
    let mut desk = Desk::new();
    desk.sit("gekitai", HUMANS, "", Some("1+0"));
    desk.wait(Duration::from_secs(20));
    desk.tell(Message::Suspend);
    assert!(desk.app.suspend);
    desk.wait(Duration::from_secs(1000));
    sees(&desk, "Paused");
    sees(&desk, "0:40");
}

#[test]
fn a_game_is_kept_after_every_turn_until_it_ends() {
    let mut desk = Desk::playing("gekitai", ["human:Ana", "human"], "c3 a6 c5 f6 c2 f1");
    let files = |desk: &Desk| desk.app.shared.saves.list(Shelf::Unfinished).len();
    assert_eq!(files(&desk), 1);
    desk.keys("d1<Enter>");
    let mut again = Desk::at(desk.folder.clone());
    sees(&again, "Continue Gekitai");
    again.keys("<Enter>");
    assert_eq!(again.history(), desk.history());
    assert_eq!(again.table().sitters, desk.table().sitters);
    again.keys("u");
    again.keys("c3<Enter>");
    sees(&again, "three in a row");
    assert_eq!(files(&again), 0);
}

#[test]
fn saving_twice_makes_one_file_and_saving_more_makes_another() {
    let mut desk = Desk::playing("gekitai", HUMANS, "c3");
    let files = |desk: &Desk| desk.app.shared.saves.list(Shelf::Saved).len();
    desk.keys("s");
    sees(&desk, "saved as ");
    desk.keys("s");
    sees(&desk, "saved already");
    assert_eq!(files(&desk), 1);
    desk.keys("d1<Enter>s");
    assert_eq!(files(&desk), 2);
}

#[test]
fn choices_are_remembered_and_a_damaged_file_is_left_alone() {
    let mut desk = Desk::new();
    desk.keys("<Down><Enter><Home><Right><Down><Down><Right><End><Enter>");
    let sitters = desk.table().sitters.clone();
    let again = Desk::at(desk.folder.clone());
    assert_eq!(again.app.shared.choices.game, desk.table().entry.info.id);
    let mut again = again;
    again.app.go(Next::Setup(desk.table().entry));
    again.keys("<Enter>");
    assert_eq!(again.table().sitters, sitters);
    let file = desk.folder.join("choices.json");
    std::fs::write(&file, "[").unwrap();
    let mut damaged = Desk::at(desk.folder.clone());
    damaged.app.go(Next::Setup(desk.table().entry));
    damaged.keys("<Enter>e");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "[");
}

#[test]
fn every_kind_of_player_can_be_chosen_in_every_game() {
    for entry in engine::GAMES {
        let id = entry.info.id;
        let mut desk = Desk::new();
        let game = (entry.start)(&Default::default()).unwrap();
        for (number, who) in Sitter::kinds(game.as_ref()).iter().enumerate() {
            desk.app.go(Next::Setup(entry));
            desk.keys("<Home><Enter><Home>");
            desk.keys(&"<Down>".repeat(number)).keys("<Enter>");
            if number == 0 {
                desk.keys("<Enter>");
            }
            desk.keys("s");
            assert_eq!(desk.table().sitters[0].who, *who, "{id}");
        }
    }
}

#[test]
fn who_starts_decides_the_seats() {
    let mut desk = Desk::new();
    desk.keys("<Down><Enter><Home><Down><Down><Right><End><Enter>");
    assert!(!desk.table().sitters[0].is_person() && desk.table().sitters[1].is_person());
}

#[test]
fn the_mouse_can_do_without_keys() {
    let mut desk = Desk::new();
    desk.click("Gekitai");
    desk.click("Gekitai");
    desk.click("Player B");
    desk.click("Person");
    desk.keys("Ben<Enter>");
    desk.click("Start ");
    desk.click_cell("c3");
    desk.click_cell("d5");
    assert_eq!(desk.history(), ["c3", "d5"]);
    desk.click("u undo");
    assert_eq!(desk.history(), ["c3"]);
    desk.click("p menu");
    desk.click("Main menu");
    sees(&desk, "Continue Gekitai");
    desk.click("q quit");
    assert!(desk.app.quit);
}

#[test]
fn a_finished_game_is_looked_back_on_and_played_again() {
    let mut desk = Desk::playing("gekitai", HUMANS, "c3 a6 c5 f6 c2 f1 c3");
    sees(&desk, "Ana (X) has won with three in a row");
    desk.keys("<Left>");
    sees(&desk, "after 6 of 7 turns");
    desk.keys("<Home>");
    sees(&desk, "after 0 of 7 turns");
    desk.keys("<End>");
    sees(&desk, "round 4");
    desk.keys("N");
    assert_eq!(desk.table().name(rules::Player::One), "Ben");
    assert!(desk.history().is_empty());
}

#[test]
fn whoever_resigns_loses_and_may_think_again() {
    let mut desk = Desk::playing("gekitai", HUMANS, "c3");
    desk.keys("p");
    desk.click("Resign");
    sees(&desk, "Ana (X) has won: Ben resigned");
    desk.keys("u");
    sees(&desk, "Ben (O) to move");
}

#[test]
fn control_keys_end_or_suspend_the_program_on_every_screen() {
    let mut desk = Desk::playing("gekitai", HUMANS, "c3");
    desk.keys("?");
    desk.press(KeyCode::Char('z'), KeyModifiers::CONTROL);
    assert!(desk.app.suspend && !desk.app.quit);
    desk.press(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert!(desk.app.quit);
}

#[test]
fn nothing_ticks_while_nothing_moves() {
    let mut desk = Desk::playing("gekitai", ["human", "level:3"], "");
    assert_eq!(desk.app.next_tick(desk.now), None);
    desk.keys("c3<Enter>");
    assert!(desk.app.next_tick(desk.now).is_some());
}
