//! Find the win: choosing a puzzle, trying it, and what is remembered.

use super::*;
use engine::puzzles::{Puzzle, shipped};

fn sees(desk: &Desk, text: &str) {
    let frame = desk.frame();
    assert!(frame.contains(text), "no `{text}` in\n{frame}");
}

/// The first puzzle of the second game, opened from the menu.
fn first_puzzle() -> (Desk, Puzzle) {
    let mut desk = Desk::new();
    desk.keys("<End><Up><Up><Enter><Right><Enter>");
    let game = desk.table().entry.info.id;
    (desk, shipped(game).remove(0))
}

/// Types a turn.
fn plays(desk: &mut Desk, turn: &str) {
    desk.keys(&format!(":{turn}<Enter>"));
}

#[test]
fn a_solved_puzzle_is_remembered_and_the_next_one_follows() {
    let (mut desk, puzzle) = first_puzzle();
    sees(&desk, "find the win, 1 of 100");
    for (job, pair) in (1..).zip(puzzle.solution.chunks(2)) {
        plays(&mut desk, &pair[0]);
        if let [_, answer] = pair {
            sees(&desk, "Right. Now the answer.");
            desk.report(job, Found::Turn(Some(answer.clone())));
            desk.wait(Duration::from_secs(1));
            assert_eq!(desk.history().last(), Some(answer));
        }
    }
    sees(&desk, "Solved!");
    desk.keys("n");
    sees(&desk, "find the win, 2 of 100");
    let again = Desk::at(desk.folder.clone());
    assert!(again.app.shared.choices.has_solved(&puzzle));
    assert_eq!(again.app.shared.saves.count(), 0, "a puzzle is no unfinished game");
}

#[test]
fn a_wrong_turn_is_told_and_taken_back() {
    let (mut desk, puzzle) = first_puzzle();
    let turns = desk.table().game.turns();
    let wrong = turns.iter().find(|turn| **turn != puzzle.solution[0]).unwrap();
    plays(&mut desk, wrong);
    sees(&desk, "That does not win");
    desk.keys("u");
    sees(&desk, "Only one turn does it");
    assert!(!desk.app.shared.choices.has_solved(&puzzle));
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
