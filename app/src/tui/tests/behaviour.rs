//! The effects of keys, clicks and reports.

use super::*;
use crate::saves::Shelf;

const HUMANS: [&str; 2] = ["human:Ana", "human:Ben"];

/// Asserts that a text is on the screen.
fn sees(rig: &Rig, text: &str) {
    let frame = rig.frame();
    assert!(frame.contains(text), "no `{text}` in\n{frame}");
}

#[test]
fn a_letter_and_a_digit_type_a_move_whatever_the_letter_does_alone() {
    for letter in 'a'..='i' {
        let turn = format!("{letter}5");
        let mut rig = Rig::playing("glaisher", HUMANS, "a2-se:123");
        let before = rig.frame();
        rig.keys(&turn);
        sees(&rig, &format!("move: {turn}"));
        rig.keys("<Esc>");
        assert_eq!(rig.frame(), before, "{letter} has left something behind");
    }
}

#[test]
fn letters_alone_are_commands() {
    let mut rig = Rig::playing("gekitai", HUMANS, "");
    let plain = rig.frame();
    for (letter, shown, back) in
        [("a", "Analysis", "a"), ("e", "…", "e"), ("h", "Engine:", "hh"), ("p", "Paused", "p")]
    {
        rig.keys(letter);
        sees(&rig, shown);
        rig.keys(back);
        assert_eq!(rig.frame(), plain, "{letter} does not undo itself");
    }
    rig.keys("f");
    assert!(
        rig.frame().lines().any(|line| line.contains("f")
            && line.split_whitespace().collect::<String>().contains("fedc"))
    );
}

#[test]
fn h_is_the_hint_until_hjkl_are_used() {
    let mut rig = Rig::playing("jeson-mor", HUMANS, "");
    rig.keys("hh");
    sees(&rig, "Greedy:");
    rig.keys("hjh");
    assert!(!rig.frame().contains("Greedy:"));
    sees(&rig, "H hint");
    rig.keys("HH");
    sees(&rig, "Greedy:");
    rig.keys("<Left>");
    sees(&rig, "h hint");
}

#[test]
fn keys_mouse_and_text_play_the_same_turn() {
    let mut keys = Rig::playing("six-making", HUMANS, "b2 b3");
    keys.keys("<Home><Tab>");
    let mut rig = Rig::playing("six-making", HUMANS, "b2 b3");
    rig.click_cell("b2");
    rig.click_cell("b3");
    assert_eq!(rig.history().last().unwrap(), "b2-b3");
    let mut rig = Rig::playing("six-making", HUMANS, "b2 b3");
    rig.keys("B2-B3<Enter>");
    assert_eq!(rig.history().last().unwrap(), "b2-b3");
    // All in one turn: a click, then a key.
    let mut rig = Rig::playing("six-making", HUMANS, "b2 b3");
    rig.click_cell("b2");
    rig.keys("<Tab><Enter>");
    assert_eq!(rig.history().last().unwrap(), "b2-b3");
    let mut rig = Rig::playing("six-making", HUMANS, "");
    rig.keys("<Up><Up><Left><Enter>");
    assert_eq!(rig.history(), ["b2"]);
}

#[test]
fn a_piece_can_be_dragged() {
    let mut rig = Rig::playing("jeson-mor", HUMANS, "");
    rig.click_cell("b1");
    rig.drag_to("b1");
    sees(&rig, "Target?");
    rig.click_cell("e1");
    rig.drag_to("e5");
    sees(&rig, "Target?");
    rig.click_cell("b1");
    rig.drag_to("c3");
    assert_eq!(rig.history(), ["b1-c3"]);
}

#[test]
fn escape_goes_back_one_stage_at_a_time() {
    let mut rig = Rig::playing("glaisher", HUMANS, "");
    let first = rig.frame();
    rig.click_cell("a2");
    sees(&rig, "Parts?");
    rig.keys("2");
    sees(&rig, "Direction?");
    rig.keys("<Tab><Enter>");
    sees(&rig, "New piece?");
    assert_eq!(rig.history().len(), 1);
    rig.keys("<Esc>");
    sees(&rig, "Stack?");
    assert!(rig.history().is_empty());
    rig.click_cell("a2");
    rig.keys("2<Esc>");
    sees(&rig, "Parts?");
    rig.keys("<Esc>");
    assert!(rig.play().sitting.board.history().is_empty());
    assert_eq!(first.lines().count(), rig.frame().lines().count());
    sees(&rig, "Stack?");
    rig.keys("<Esc>");
    sees(&rig, "Resume");
}

#[test]
fn an_impossible_choice_says_why() {
    let mut rig = Rig::playing("jeson-mor", HUMANS, "");
    rig.click_cell("a9");
    sees(&rig, "the piece on a9 is Black's");
    rig.click_cell("b1");
    rig.click_cell("e5");
    sees(&rig, "e5 cannot be reached");
    rig.keys(":b1-b3<Enter>");
    sees(&rig, "a knight does not jump from b1 to b3");
    sees(&rig, "move: b1-b3");
    assert!(rig.history().is_empty());
}

#[test]
fn undo_against_the_computer_takes_back_both_turns() {
    let players = ["human", "level:3"];
    let mut rig = Rig::playing("gekitai", players, "c3 a6");
    rig.keys("d3<Enter>");
    assert_eq!(rig.history(), ["c3", "a6", "d3"]);
    rig.keys("u");
    assert_eq!(rig.history(), ["c3", "a6"]);
    rig.keys("u");
    assert!(rig.history().is_empty());
    rig.keys("u");
    sees(&rig, "there is nothing to take back");
    rig.keys("U");
    assert_eq!(rig.history(), ["c3", "a6"]);
    let mut rig = Rig::playing("gekitai", HUMANS, "c3 a6");
    rig.keys("u");
    assert_eq!(rig.history(), ["c3"]);
}

#[test]
fn the_computers_turn_is_played_and_a_stale_one_is_not() {
    let mut rig = Rig::playing("gekitai", ["human", "level:3"], "");
    rig.keys("c3<Enter>");
    sees(&rig, "Level 3 is thinking");
    rig.keys("u");
    rig.report(1, Found::Turn(Some("a1".into())));
    assert!(rig.history().is_empty());
    rig.keys("c3<Enter>");
    rig.report(2, Found::Turn(Some("a1".into())));
    rig.wait(Duration::from_secs(1));
    assert_eq!(rig.history(), ["c3", "a1"]);
}

#[test]
fn a_player_that_fails_can_try_again() {
    let mut rig = Rig::playing("gekitai", ["human", "level:3"], "c3");
    rig.report(1, Found::Turn(None));
    sees(&rig, "the computer found no turn");
    rig.keys(" ");
    rig.report(2, Found::Turn(Some("a1".into())));
    rig.wait(Duration::from_secs(1));
    assert_eq!(rig.history(), ["c3", "a1"]);
}

#[test]
fn computers_rest_step_and_wait_for_keys() {
    let mut rig = Rig::playing("gekitai", ["level:1", "level:2"], "");
    let second = Duration::from_secs(1);
    rig.report(1, Found::Turn(Some("c3".into())));
    assert!(rig.history().is_empty(), "the turn comes too early");
    rig.wait(second);
    assert_eq!(rig.history(), ["c3"]);
    rig.keys(" ");
    rig.report(2, Found::Turn(Some("a1".into())));
    rig.wait(10 * second);
    assert_eq!(rig.history(), ["c3"]);
    rig.keys("n");
    assert_eq!(rig.history(), ["c3", "a1"]);
    rig.keys(" w");
    rig.report(3, Found::Turn(Some("a2".into())));
    rig.wait(10 * second);
    assert_eq!(rig.history().len(), 2);
    rig.keys(" ");
    assert_eq!(rig.history().len(), 3);
    // Taking back lets them rest, else the turn would come again at once.
    rig.keys("wu");
    rig.report(5, Found::Turn(Some("a2".into())));
    rig.wait(10 * second);
    assert_eq!(rig.history().len(), 2);
}

#[test]
fn a_pause_stops_the_clock() {
    let mut rig = Rig::new();
    rig.sit("gekitai", HUMANS, "", Some("1+0"));
    rig.wait(Duration::from_secs(20));
    sees(&rig, "0:40");
    rig.keys("p");
    rig.wait(Duration::from_secs(100));
    rig.keys("p");
    sees(&rig, "0:40");
    rig.wait(Duration::from_secs(41));
    sees(&rig, "Ben (O) has won on time");
    rig.keys("c3<Enter>");
    assert!(rig.history().is_empty());
}

#[test]
fn a_name_of_wide_characters_leaves_the_clock_in_its_place() {
    let clock_at = |name: &str| {
        let mut rig = Rig::new();
        rig.sit("gekitai", [&format!("human:{name}"), "human"], "", Some("5+0"));
        let frame = rig.frame();
        let row = frame.lines().find(|line| line.contains(" X ") && line.contains("5:00")).unwrap();
        // Each cell of the screen is one character here; a wide one is followed by a blank.
        row.chars().count()
    };
    assert_eq!(clock_at("李小龍"), clock_at("Ana"));
}

#[test]
fn a_suspended_game_does_not_cost_time() {
    let mut rig = Rig::new();
    rig.sit("gekitai", HUMANS, "", Some("1+0"));
    rig.wait(Duration::from_secs(20));
    rig.tell(Message::Suspend);
    assert!(rig.app.suspend);
    rig.wait(Duration::from_secs(1000));
    sees(&rig, "Paused");
    sees(&rig, "0:40");
}

#[test]
fn a_game_is_kept_after_every_turn_until_it_ends() {
    let mut rig = Rig::playing("gekitai", ["human:Ana", "human"], "c3 a6 c5 f6 c2 f1");
    let files = |rig: &Rig| rig.app.context.saves.list(Shelf::Unfinished).len();
    assert_eq!(files(&rig), 1);
    rig.keys("d1<Enter>");
    let (history, seats) = (rig.history(), rig.sitting().seats().clone());
    let mut again = Rig::at(rig.folder.clone());
    sees(&again, "Continue Gekitai");
    again.keys("<Enter>");
    sees(&again, "this game is open in");
    rig.app.go(Next::Menu);
    again.keys("<Enter>");
    assert_eq!(again.history(), history);
    assert_eq!(again.sitting().seats(), &seats);
    again.keys("u");
    again.keys("c3<Enter>");
    sees(&again, "three in a row");
    assert_eq!(files(&again), 0);
    // A finished game stays, whatever is played next.
    let finished = |rig: &Rig| rig.app.context.saves.list(Shelf::Finished).len();
    assert_eq!(finished(&again), 1);
    again.keys("nc3<Enter>");
    assert_eq!((finished(&again), files(&again)), (1, 1));
    again.keys("pm<End><Up><Up><Enter>");
    sees(&again, "1-0");
    again.keys("/1-0<Enter><Enter>");
    sees(&again, "three in a row");
    assert_eq!(finished(&again), 1, "to open a finished game makes no second one");
    again.keys("<Home>o");
    assert_eq!(again.history().len(), 0);
}

#[test]
fn enter_on_a_cell_that_nobody_sees_plays_nothing() {
    let mut rig = Rig::new();
    rig.keys("<Down><Enter><End><Enter>");
    rig.keys("<Enter>");
    assert!(rig.history().is_empty(), "{}", rig.frame());
    rig.keys("<Enter>");
    assert_eq!(rig.history().len(), 1);
}

#[test]
fn a_click_on_the_line_between_cells_means_one_of_them() {
    let rig = Rig::playing("gekitai", HUMANS, "");
    rig.frame();
    let missed = (0..24).flat_map(|y| (0..80).map(move |x| (x, y))).filter(|(x, y)| {
        let cell = |x: u16| matches!(rig.app.hits.at(x, *y), Some(super::super::app::Hit::Cell(_)));
        *x > 0 && *x < 79 && cell(x - 1) && cell(x + 1) && !cell(*x)
    });
    assert_eq!(missed.count(), 0);
}

#[test]
fn the_bar_of_one_game_is_not_that_of_two_people() {
    let mut rig = Rig::playing("gekitai", ["human:Ana", "level:1"], "");
    rig.keys("e");
    assert!(rig.app.context.choices.bar);
    rig.sit("gekitai", HUMANS, "c3", None);
    assert!(!rig.frame().contains("…"), "{}", rig.frame());
    rig.keys("e");
    sees(&rig, "…");
    rig.keys("e");
    assert!(rig.app.context.choices.bar, "what two people look at changes no setting");
}

#[test]
fn help_is_on_every_screen() {
    let mut rig = Rig::new();
    for keys in [
        "",
        "<Enter>",
        "<Esc><End><Up><Enter>",
        "<Esc><End><Up><Up><Enter>",
        "<Esc><End><Up><Up><Up><Enter>",
    ] {
        rig.keys(keys).keys("?");
        sees(&rig, "choose a row");
        rig.keys("<Esc>");
        sees(&rig, "? help");
    }
}

#[test]
fn wide_characters_take_two_columns() {
    let mut rig = Rig::new();
    rig.sit("gekitai", ["human:李小龍", "human:e\u{301}mile"], "", Some("5+3"));
    for (x, row) in rig.frame().lines().filter(|line| line.ends_with("5:00")).enumerate() {
        let columns = crate::output::columns::width(&row.replace("李 小 龍 ", "李小龍"));
        assert!(columns <= 80, "{x}: {row} takes {columns}");
    }
    assert_eq!(rig.frame().lines().filter(|line| line.ends_with("5:00")).count(), 2);
}

#[test]
fn a_tower_is_asked_for_only_where_there_is_one() {
    let mut rig = Rig::playing("six-making", HUMANS, "");
    sees(&rig, "Empty cell?");
    rig.keys("c3<Enter>c4<Enter>");
    sees(&rig, "Tower, or an empty cell?");
}

#[test]
fn a_game_is_saved_under_the_name_that_is_typed() {
    let mut rig = Rig::playing("gekitai", HUMANS, "c3");
    let files = |rig: &Rig| rig.app.context.saves.list(Shelf::Saved).len();
    rig.keys("s");
    sees(&rig, "save as: gekitai-");
    rig.keys("<Enter>");
    sees(&rig, "saved as");
    assert_eq!(files(&rig), 1);
    rig.keys("s");
    rig.keys(&"<Backspace>".repeat(30)).keys("first win/<Enter>");
    sees(&rig, "cannot be the name");
    rig.keys("<Backspace><Enter>");
    sees(&rig, "win.txt");
    rig.keys("s");
    rig.keys(&"<Backspace>".repeat(30)).keys("first win<Enter>");
    sees(&rig, "already");
    rig.keys("<Esc>");
    assert_eq!(files(&rig), 2);
    assert_eq!(rig.history(), ["c3"]);
}

#[test]
fn choices_are_remembered_and_a_damaged_file_is_left_alone() {
    let mut rig = Rig::new();
    rig.keys("<Down><Enter><Home><Right><Down><Down><Right><End><Enter>");
    let seats = rig.sitting().seats().clone();
    let again = Rig::at(rig.folder.clone());
    assert_eq!(again.app.context.choices.game, rig.sitting().entry.info.id);
    let mut again = again;
    again.app.go(Next::Setup(rig.sitting().entry));
    again.keys("<Enter>");
    assert_eq!(again.sitting().seats(), &seats);
    let file = rig.folder.join("choices.json");
    std::fs::write(&file, "[").unwrap();
    let mut damaged = Rig::at(rig.folder.clone());
    damaged.app.go(Next::Setup(rig.sitting().entry));
    damaged.keys("<Enter>e");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "[");
}

#[test]
fn every_kind_of_player_can_be_chosen_in_every_game() {
    for entry in engine::GAMES {
        let id = entry.info.id;
        let mut rig = Rig::new();
        let game = (entry.start)(&Default::default()).unwrap();
        for (number, who) in seat::kinds(game.as_ref()).iter().enumerate() {
            rig.app.go(Next::Setup(entry));
            rig.keys("<Home><Enter><Home>");
            rig.keys(&"<Down>".repeat(number)).keys("<Enter>");
            if number == 0 {
                rig.keys("<Enter>");
            }
            rig.keys("s");
            assert_eq!(rig.sitting().seats()[0].who, *who, "{id}");
        }
    }
}

#[test]
fn who_starts_decides_the_seats() {
    let mut rig = Rig::new();
    rig.keys("<Down><Enter><Home><Down><Down><Right><End><Enter>");
    assert!(
        !rig.sitting().is_person(rules::Player::One) && rig.sitting().is_person(rules::Player::Two)
    );
}

#[test]
fn the_mouse_can_do_without_keys() {
    let mut rig = Rig::new();
    rig.click("Gekitai");
    rig.click("Gekitai");
    rig.click("Player B");
    rig.click("Person");
    rig.keys("Ben<Enter>");
    rig.click("Start ");
    rig.click_cell("c3");
    rig.click_cell("d5");
    assert_eq!(rig.history(), ["c3", "d5"]);
    rig.click("u undo");
    assert_eq!(rig.history(), ["c3"]);
    rig.click("p menu");
    rig.click("Main menu");
    sees(&rig, "Continue Gekitai");
    rig.click("q quit");
    assert!(rig.app.quit);
}

#[test]
fn a_finished_game_is_looked_back_on_and_played_again() {
    let mut rig = Rig::playing("gekitai", HUMANS, "c3 a6 c5 f6 c2 f1 c3");
    sees(&rig, "Ana (X) has won with three in a row");
    rig.keys("<Left>");
    sees(&rig, "after 6 of 7");
    rig.keys("<Home>");
    sees(&rig, "after 0 of 7");
    rig.keys("<End>");
    sees(&rig, "round 4");
    rig.keys("N");
    assert_eq!(rig.sitting().name(rules::Player::One), "Ben");
    assert!(rig.history().is_empty());
}

#[test]
fn whoever_resigns_loses_and_may_think_again() {
    let mut rig = Rig::playing("gekitai", HUMANS, "c3");
    rig.keys("p");
    rig.click("Resign");
    sees(&rig, "Give the game up?");
    rig.keys("<Enter>");
    sees(&rig, "Ben (O) to move");
    rig.keys("p");
    rig.click("Resign");
    rig.click("Yes, resign");
    sees(&rig, "Ana (X) has won by resignation");
    rig.keys("u");
    sees(&rig, "Ben (O) to move");
}

#[test]
fn control_keys_end_or_suspend_the_program_on_every_screen() {
    let mut rig = Rig::playing("gekitai", HUMANS, "c3");
    rig.keys("?");
    rig.press(KeyCode::Char('z'), KeyModifiers::CONTROL);
    assert!(rig.app.suspend && !rig.app.quit);
    rig.press(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert!(rig.app.quit);
}

#[test]
fn nothing_ticks_while_nothing_moves() {
    let mut rig = Rig::playing("gekitai", ["human", "level:3"], "");
    assert_eq!(rig.app.next_tick(rig.now), None);
    rig.keys("c3<Enter>");
    assert!(rig.app.next_tick(rig.now).is_some());
}

#[test]
fn every_line_of_text_can_be_edited_in_the_middle() {
    let control = |rig: &mut Rig, c: char| rig.press(KeyCode::Char(c), KeyModifiers::CONTROL);
    let mut rig = Rig::playing("gekitai", HUMANS, "");
    rig.keys("c3<Left><Backspace>d<End><Enter>");
    assert_eq!(rig.history(), ["d3"]);
    rig.keys("s");
    control(&mut rig, 'u');
    rig.keys("st win<Home>fir");
    sees(&rig, "save as: first win");
    control(&mut rig, 'k');
    assert!(!rig.frame().contains("st win"), "{}", rig.frame());
    rig.keys("<Esc>");
    rig.app.go(Next::Setup(&engine::GAMES[1]));
    rig.keys("<End><Up><Up><Enter>5+3<Left><Left>9<Enter>");
    sees(&rig, "59 min + 3 s");
    rig.app.go(Next::Library);
    rig.keys("/ben<Home>ana ");
    sees(&rig, "/ ana ▏ben");
    control(&mut rig, 'w');
    rig.tell(Message::Input(Event::Paste("two\nlines".into())));
    sees(&rig, "/ two▏ben");
}

#[test]
fn the_first_enter_in_the_editor_paints_the_cell_under_the_cursor() {
    let mut rig = Rig::new();
    rig.app.go(Next::Setup(&engine::GAMES[1]));
    rig.keys("<End><Up><Up><Up><Enter>");
    assert!(rig.frame().contains("press Enter to paint"), "{}", rig.frame());
    rig.keys("<Enter>");
    let Screen::Editor(editor) = &rig.app.screen else { panic!("{}", rig.frame()) };
    assert_eq!(editor.sitting().board.text().matches('x').count(), 1);
}

#[test]
fn the_help_of_a_form_says_how_lines_are_typed_and_that_of_the_menu_how_to_leave() {
    let mut rig = Rig::new();
    rig.size = LARGE;
    rig.app.go(Next::Invite(&engine::GAMES[1]));
    assert!(rig.keys("?").frame().contains("Lines that are typed"), "{}", rig.frame());
    rig.app.go(Next::Menu);
    rig.keys("?");
    assert!(rig.frame().contains("in the main menu it leaves the program"), "{}", rig.frame());
}
