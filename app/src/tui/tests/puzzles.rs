//! Find the win: choosing a puzzle, trying it, and what is remembered.

use super::*;
use engine::puzzles::{Puzzle, shipped};

fn sees(rig: &Rig, text: &str) {
    let frame = rig.frame();
    assert!(frame.contains(text), "no `{text}` in\n{frame}");
}

/// The first puzzle of the second game, opened from the menu.
fn first_puzzle() -> (Rig, Puzzle) {
    let mut rig = Rig::new();
    rig.keys("<End><Up><Up><Up><Enter><Right><Enter>");
    let game = rig.sitting().entry.info.id;
    (rig, shipped(game).remove(0))
}

/// Types a turn.
fn plays(rig: &mut Rig, turn: &str) {
    rig.keys(&format!(":{turn}<Enter>"));
}

#[test]
fn a_solved_puzzle_is_remembered_and_the_next_one_follows() {
    let (mut rig, puzzle) = first_puzzle();
    let all = shipped(rig.sitting().entry.info.id).len();
    sees(&rig, &format!("find the win, 1 of {all}"));
    for (job, pair) in (1..).zip(puzzle.solution.chunks(2)) {
        plays(&mut rig, &pair[0]);
        if let [_, answer] = pair {
            sees(&rig, "Right. Now the reply.");
            rig.report(job, Found::Turn(Some(answer.clone())));
            rig.wait(Duration::from_secs(1));
            assert_eq!(rig.history().last(), Some(answer));
        }
    }
    sees(&rig, "Solved!");
    rig.keys("n");
    sees(&rig, &format!("find the win, 2 of {all}"));
    let again = Rig::at(rig.folder.clone());
    assert!(again.app.context.choices.has_solved(&puzzle));
    assert_eq!(again.app.context.saves.all().len(), 0, "a puzzle is no unfinished game");
}

#[test]
fn a_wrong_turn_is_told_and_taken_back() {
    let (mut rig, puzzle) = first_puzzle();
    let turns = rig.sitting().board.turns();
    let wrong = turns.iter().find(|turn| **turn != puzzle.solution[0]).unwrap();
    plays(&mut rig, wrong);
    sees(&rig, "That does not win");
    rig.keys("u");
    sees(&rig, "Only one");
    assert!(!rig.app.context.choices.has_solved(&puzzle));
}

#[test]
fn every_shipped_puzzle_can_be_opened() {
    for entry in engine::GAMES {
        for puzzle in shipped(entry.info.id) {
            let game = (entry.from_text)(&puzzle.position, &Default::default()).unwrap();
            assert!(game.turns().contains(&puzzle.solution[0]), "{}", puzzle.record);
        }
    }
}

#[test]
fn a_puzzle_that_was_solved_with_help_stays_on_the_list() {
    let (mut rig, puzzle) = first_puzzle();
    rig.keys("hhh");
    for (job, pair) in (3..).zip(puzzle.solution.chunks(2)) {
        plays(&mut rig, &pair[0]);
        if let [_, answer] = pair {
            rig.report(job, Found::Turn(Some(answer.clone())));
            rig.wait(Duration::from_secs(1));
        }
    }
    sees(&rig, "Solved with help");
    assert!(!rig.app.context.choices.has_solved(&puzzle));
}

#[test]
fn the_menu_of_a_puzzle_offers_what_one_can_do_with_it() {
    let (mut rig, _) = first_puzzle();
    rig.keys("p");
    sees(&rig, "Try again");
    let frame = rig.frame();
    assert!(!frame.contains("Resign") && !frame.contains("Rematch"), "{frame}");
    rig.click("Other puzzles");
    sees(&rig, "Find the win");
}

#[test]
fn puzzles_of_a_file_are_tried_like_those_of_the_program() {
    let mut rig = Rig::new();
    let own: Vec<Puzzle> = shipped("six-making").into_iter().skip(5).take(2).collect();
    let file = rig.folder.join("own.txt");
    std::fs::write(&file, own.iter().map(|puzzle| puzzle.record.as_str()).collect::<String>())
        .unwrap();
    let read = crate::shell::input::puzzles(&file).unwrap().unwrap();
    assert_eq!(read.len(), 2);
    rig.app.go(Next::OwnPuzzles(read));
    sees(&rig, "0 of 2 solved");
    rig.keys("<Down><Enter>");
    sees(&rig, "find the win, 2 of 2");
}
