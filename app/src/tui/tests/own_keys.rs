//! Keys, names and choices of the user's own file.

use super::*;
use crate::config;

const HUMANS: [&str; 2] = ["human:Ana", "human:Ben"];

/// A game of a user whose file says this.
fn with_file(text: &str) -> Rig {
    let mut rig = Rig::playing("gekitai", HUMANS, "c3 d4");
    rig.app.context.config = config::read(text).unwrap();
    rig
}

#[test]
fn keys_do_what_the_user_s_file_says() {
    let mut rig = with_file("key z = u");
    rig.keys("z");
    assert_eq!(rig.history(), ["c3"]);
}

#[test]
fn footer_and_help_name_the_keys_that_work_and_a_click_means_the_command() {
    let mut rig = with_file("key u = s\nkey z = u\nkey p = Left");
    let frame = rig.frame();
    let footer = frame.lines().last().unwrap();
    assert!(footer.contains("z undo") && !footer.contains("u undo"), "{footer}");
    // No key opens the menu any more, but a click does.
    assert!(footer.contains("menu") && !footer.contains("p menu"), "{footer}");
    rig.click("undo");
    assert_eq!(rig.history(), ["c3"]);
    rig.click("menu");
    assert!(rig.frame().contains("Resume"), "{}", rig.frame());
    rig.keys("<Esc>?");
    let help = rig.frame();
    assert!(!help.lines().any(|line| line.trim_start().starts_with("u  ")), "{help}");
    rig.size = LARGE;
    let help = rig.frame();
    let back = help.lines().find(|line| line.contains("take back; against")).unwrap();
    assert!(back.trim_start().starts_with("z  "), "{back}");
}

#[test]
fn a_letter_that_began_a_typed_move_leaves_no_trace_in_the_choices() {
    let mut rig = Rig::playing("gekitai", ["human:Ana", "level:3"], "");
    rig.keys("e4");
    assert!(!rig.app.context.saves.choices().unwrap().bar);
    rig.keys("<Esc>e");
    assert!(rig.app.context.saves.choices().unwrap().bar);
}

#[test]
fn what_the_file_says_is_not_written_among_the_choices() {
    let mut rig = with_file("bar = on\nname = Ana\nboards = lines");
    let context = &mut rig.app.context;
    context.choices.names = ["Old".into(), "Ben".into()];
    context.choices.override_with(&context.config.clone(), true);
    context.choices.silent = true;
    context.choices.names[1] = "Cy".into();
    context.remember().unwrap();
    let kept = context.saves.choices().unwrap();
    assert!(kept.silent && !kept.bar && !kept.wait, "{kept:?}");
    assert_eq!((kept.names, kept.blocks), (["Old".into(), "Cy".into()], String::new()));
}

#[test]
fn the_name_of_the_file_stands_in_the_form() {
    let mut rig = with_file("name = Zoe");
    let players = ["human:Ana".to_owned(), "level:3".to_owned()];
    let chosen = crate::saves::Chosen { players, ..Default::default() };
    rig.app.context.choices.games.insert("gekitai".into(), chosen);
    rig.app.go(Next::Setup(engine::find("gekitai").unwrap()));
    let frame = rig.frame();
    assert!(frame.contains("Zoe") && !frame.contains("Ana"), "{frame}");
}
