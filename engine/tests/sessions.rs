//! Matches through the erased layer: playing, taking back, recording, repetition.

use engine::{GAMES, Session, find};
use rules::random::Random;
use rules::record::Record;
use rules::{Outcome, Player};

fn start(game: &str) -> Box<dyn Session> {
    (find(game).unwrap().start)(&Default::default()).unwrap()
}

fn random_game(session: &mut dyn Session, seed: u64, most: usize) {
    let mut random = Random::new(seed);
    for _ in 0..most {
        let Some(step) = random.pick(&session.steps()).cloned() else { break };
        session.play(&step.text).unwrap();
    }
}

#[test]
fn a_record_reads_back_to_the_same_match() {
    for entry in GAMES {
        for seed in 0..20 {
            let mut session = start(entry.info.id);
            random_game(session.as_mut(), seed, seed as usize * 7);
            let text = session.record(&[("Player1", "A"), ("Player2", "B \"x\"")]).to_string();
            let record = Record::parse(&text).unwrap();
            assert_eq!(record.to_string(), text);
            let again = (entry.from_record)(&record).unwrap();
            assert_eq!(again.text(), session.text());
            assert_eq!(again.history(), session.history());
        }
    }
}

#[test]
fn a_record_from_a_position_reads_back() {
    for entry in GAMES {
        let mut session = start(entry.info.id);
        random_game(session.as_mut(), 5, 7);
        let mut later = (entry.from_text)(&session.text(), &Default::default()).unwrap();
        random_game(later.as_mut(), 6, 4);
        let text = later.record(&[]).to_string();
        let again = (entry.from_record)(&Record::parse(&text).unwrap()).unwrap();
        assert_eq!(again.text(), later.text(), "{text}");
    }
}

#[test]
fn remarks_variations_and_a_resignation_survive_reading() {
    let text = "[Game \"Gekitai\"]\n[Date \"2026.11.15\"]\n\n1. c3 {Why?} ( 1. a1 ) 1... d4 1-0\n";
    let record = Record::parse(text).unwrap();
    let mut session = (find("gekitai").unwrap().from_record)(&record).unwrap();
    assert_eq!(session.record(&[]).to_string(), text);
    session.undo();
    assert!(session.record(&[]).to_string().ends_with("1. c3 *\n"));
    let text = "[Game \"gekitai\"]\n[Options \"size=4\"]\n[Position \"6/6/6/6/6/6 1\"]\n\n*\n";
    let error =
        (find("gekitai").unwrap().from_record)(&Record::parse(text).unwrap()).err().unwrap();
    assert!(error.to_string().contains("the position says 6, the request says 4"), "{error}");
}

#[test]
fn taking_everything_back_leads_to_the_start() {
    for entry in GAMES {
        let mut session = start(entry.info.id);
        let text = session.text();
        random_game(session.as_mut(), 3, 30);
        while session.undo() {}
        assert_eq!(session.text(), text);
        assert_eq!((session.turns_played(), session.last_turn()), (0, None));
        assert!(session.history().is_empty() && !session.undo() && !session.undo_turn());
    }
}

#[test]
fn turns_are_counted_and_taken_back_as_the_history_tells_them() {
    for entry in GAMES {
        for from in [start(entry.info.id), {
            // Where a turn takes two moves, this begins between them.
            let mut game = start(entry.info.id);
            random_game(game.as_mut(), 9, 3);
            (entry.from_text)(&game.text(), &Default::default()).unwrap()
        }] {
            let mut session = from.boxed_clone();
            random_game(session.as_mut(), 4, 25);
            assert_eq!(session.first_player(), from.turn());
            assert_eq!((session.start().text(), session.start().turns_played()), (from.text(), 0));
            let mut history = session.history();
            while !history.is_empty() {
                assert_eq!(session.turns_played(), history.len());
                assert_eq!(session.last_turn().as_ref(), history.last());
                assert!(session.undo_turn());
                history.pop();
                assert_eq!(session.history(), history);
            }
            assert_eq!(session.text(), from.text());
        }
    }
}

#[test]
fn a_match_rewinds_to_any_number_of_its_turns() {
    let mut session = start("glaisher");
    for _ in 0..3 {
        let turn = session.turns().swap_remove(7);
        session.play(&turn).unwrap();
    }
    let (first, shift) = (session.history().swap_remove(0), session.steps().swap_remove(7));
    session.play(&shift.text).unwrap();
    session.rewind(9);
    assert_eq!((session.turns_played(), session.in_turn()), (4, true));
    session.rewind(3);
    assert_eq!((session.turns_played(), session.in_turn()), (3, false));
    session.rewind(1);
    assert_eq!(session.history(), [first]);
    session.rewind(0);
    assert_eq!(session.text(), start("glaisher").text());
}

#[test]
fn a_turn_is_played_whole_or_not_at_all() {
    let mut session = start("glaisher");
    let before = session.text();
    let error = session.play("a2-se:123@c4").unwrap_err().to_string();
    assert_eq!(error, "`@c4` is not legal here: c4 is occupied");
    assert_eq!(session.text(), before);
    session.play("a2-se:123@c3").unwrap();
    assert_eq!(session.turn(), Player::Two);
    session.play("d1-e:24").unwrap();
    assert!(session.in_turn());
    assert_eq!(session.history(), ["a2-se:123@c3", "d1-e:24"]);
}

#[test]
fn the_third_occurrence_of_a_position_draws_the_match() {
    let mut session = start("jeson-mor");
    for (i, m) in ["b1-a3", "b9-a7", "a3-b1", "a7-b9"].iter().cycle().take(8).enumerate() {
        assert_eq!(session.result(), None, "after {i} moves");
        session.play(m).unwrap();
    }
    assert_eq!((session.outcome(), session.result()), (None, Some(Outcome::Draw)));
    assert_eq!(session.diagram().status, "a draw: the same position for the third time");
}

#[test]
fn the_last_turn_is_marked() {
    let mut session = start("glaisher");
    session.play("a2-se:123@e5").unwrap();
    let diagram = session.diagram();
    let names: Vec<_> =
        diagram.marks.last.iter().map(|i| diagram.cells[*i].name.as_str()).collect();
    assert_eq!(names, ["a2", "b3", "c4", "d5", "e5"]);
}

#[test]
fn options_of_position_and_request_must_agree() {
    let entry = find("jeson-mor").unwrap();
    let five = serde_json::json!({"size": 5}).as_object().cloned().unwrap();
    assert!((entry.from_text)("nnnnn/5/5/5/NNNNN 1", &five).is_ok());
    let error = (entry.from_text)("nnnnnnn/7/7/7/7/7/NNNNNNN 1", &five).err().unwrap();
    assert_eq!(error.to_string(), "`options.size`: the position says 7, the request says 5");
    let error = (entry.from_text)("nnnnn/5/5/5/NNNNN;size=7 1", &Default::default()).err().unwrap();
    assert_eq!(error.to_string(), "`options.size`: is 7, but the board has 5 rows");
    let position = serde_json::json!({"options": {"size": 7}, "board": [], "turn": 1});
    let error = (entry.from_json)(&position, &five).err().unwrap();
    assert_eq!(error.to_string(), "`options.size`: the position says 7, the request says 5");
}
