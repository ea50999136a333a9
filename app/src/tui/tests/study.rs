//! Reviewing games, paste, motion, clocks, and whatever random keys do.

use super::*;
use crate::output::inline::Protocol;
use crate::saves::Shelf;

const HUMANS: [&str; 2] = ["human:Ana", "human:Ben"];

/// Asserts that a text is on the screen.
fn sees(rig: &Rig, text: &str) {
    let frame = rig.frame();
    assert!(frame.contains(text), "no `{text}` in\n{frame}");
}

/// Keys, clicks and window sizes that nobody would choose.
#[test]
fn random_keys_and_clicks_do_no_harm() {
    let count = if std::env::var_os("QUADRILLE_LONG").is_some() { 100_000 } else { 2_000 };
    for with_pictures in [true, false] {
        random_events(count, with_pictures);
        println!("{count} random events, with pictures: {with_pictures}");
    }
}

fn random_events(count: u32, with_pictures: bool) {
    let mut random = rules::random::Random::new(7);
    let mut below = move |most: u64| random.next_u64() % most;
    let sizes = [SMALL, LARGE, (60, 20), (100, 30), (10, 3), (61, 21)];
    let codes = [
        KeyCode::Enter,
        KeyCode::Esc,
        KeyCode::Tab,
        KeyCode::BackTab,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Backspace,
        KeyCode::Delete,
        KeyCode::F(1),
    ];
    let mut rig = Rig::new();
    let pasted = ["c4", "6/6/6/6/6/6 1", "quadrille", "[Game \"gekitai\"]\n\n1. c3", "\x1b[31m"];
    let graphics = Graphics { protocol: Protocol::Kitty, font: (5, 10), driver: None };
    for _ in 0..count {
        match below(11) {
            10 => match below(4) {
                0 if with_pictures => {
                    rig.app.context.look.shows = (below(4) == 0).then_some(graphics);
                }
                _ => {
                    let text = pasted[below(pasted.len() as u64) as usize].to_owned();
                    rig.tell(Message::Input(Event::Paste(text)));
                }
            },
            0 => rig.size = sizes[below(sizes.len() as u64) as usize],
            1..4 => {
                let (x, y) = (below(u64::from(rig.size.0)), below(u64::from(rig.size.1)));
                if below(4) == 0 {
                    rig.frame();
                }
                rig.click_at(x as u16, y as u16);
            }
            4..7 => rig.press(codes[below(codes.len() as u64) as usize], KeyModifiers::NONE),
            7 => rig.wait(Duration::from_millis(below(2000))),
            _ => {
                let c = char::from(b' ' + below(95) as u8);
                rig.press(KeyCode::Char(c), KeyModifiers::NONE);
            }
        }
        if below(20) == 0 {
            rig.frame();
        }
        if std::mem::take(&mut rig.app.quit) {
            rig.app.go(Next::Menu);
        }
    }
}

#[test]
fn a_game_is_gone_over_and_a_mistake_tried_again_without_the_answer() {
    let mut rig = Rig::playing("gekitai", HUMANS, "c3 a6 c5 f6 c2 f1");
    rig.keys("m");
    sees(&rig, "reviewing the game");
    let judged = |ply: usize, score, loss: i32, mistake| requests::review::Judged {
        ply,
        of: 6,
        score,
        win_in: None,
        bar: 500,
        best: vec!["d4".into()],
        loss: Some(loss),
        mistake,
        proof: None,
        why: None,
    };
    for ply in (0..=6).rev() {
        let found = match ply {
            4 => judged(4, 300, 400, Some("blunder")),
            ply => judged(ply, -100, 0, None),
        };
        rig.report(1, Found::Judged(found));
    }
    rig.report(1, Found::Done);
    sees(&rig, "1 mistake; m goes to the next");
    rig.keys("m");
    sees(&rig, "after 4 of 6");
    sees(&rig, "blunder, 4.00 given away");
    sees(&rig, "f6??");
    rig.keys("b");
    sees(&rig, "better O: d4");
    rig.keys("b");
    assert!(rig.frame().contains('▄') || rig.frame().contains('▃'), "{}", rig.frame());
    rig.keys("x");
    assert_eq!(rig.history().len(), 3);
    sees(&rig, "Find a better turn");
    let shown = rig.frame();
    assert!(!shown.contains("d4"), "the answer is on the screen:\n{shown}");
    rig.keys("a1<Enter>");
    sees(&rig, "The engine looks at it");
    rig.keys("u");
    rig.keys("d4<Enter>");
    sees(&rig, "Right: that is what the engine");
    rig.keys("<Esc>");
    sees(&rig, "after 4 of 6");
    assert_eq!(rig.history().len(), 6);
    let kept = |shelf| rig.app.context.saves.list(shelf).len();
    assert_eq!((kept(Shelf::Unfinished), kept(Shelf::Finished)), (1, 0));
}

/// The engine's judgement of the position after this many turns.
fn blunder(ply: usize, of: usize) -> requests::review::Judged {
    requests::review::Judged {
        ply,
        of,
        score: 300,
        win_in: None,
        bar: 500,
        best: vec!["d4".into()],
        loss: Some(400),
        mistake: Some("blunder"),
        proof: None,
        why: None,
    }
}

#[test]
fn a_game_without_mistakes_leads_to_none() {
    let mut rig = Rig::playing("gekitai", HUMANS, "c3 a6");
    rig.keys("m");
    (0..=2).for_each(|ply| {
        let judged = requests::review::Judged { mistake: None, loss: Some(0), ..blunder(ply, 2) };
        rig.report(1, Found::Judged(judged));
    });
    rig.report(1, Found::Done);
    sees(&rig, "no mistakes");
    assert!(!rig.frame().contains("goes to the next"), "{}", rig.frame());
}

#[test]
fn a_sign_belongs_to_the_turn_that_was_judged() {
    let mut rig = Rig::playing("gekitai", HUMANS, "c3 a6 c5 f6");
    rig.keys("m");
    (0..=4).for_each(|ply| rig.report(1, Found::Judged(blunder(ply, 4))));
    rig.report(1, Found::Done);
    sees(&rig, "f6??");
    rig.keys("u");
    rig.keys("a1<Enter>");
    assert!(rig.frame().contains("a6??") && !rig.frame().contains("a1??"), "{}", rig.frame());
    // Asking again judges the turns that were not judged yet.
    rig.keys("m");
    sees(&rig, "reviewing the game");
}

#[test]
fn the_turn_on_the_screen_is_in_the_list_whatever_stands_between() {
    let mut turns = Vec::new();
    let mut game = (engine::find("gekitai").unwrap().start)(&Default::default()).unwrap();
    for number in 0..40 {
        let all = game.turns();
        let turn = all[number * 7 % all.len()].clone();
        game.play(&turn).unwrap();
        turns.push(turn);
        if game.outcome().is_some() {
            break;
        }
    }
    assert!(turns.len() > 14, "{turns:?}");
    let mut rig = Rig::playing("gekitai", HUMANS, &turns.join(" "));
    rig.keys("m");
    let of = turns.len();
    (0..=of).for_each(|ply| rig.report(1, Found::Judged(blunder(ply, of))));
    rig.report(1, Found::Done);
    rig.keys("b");
    for _ in 0..of {
        let at = rig.play().turns_shown();
        let round = format!("{:>3} ", at.max(1).div_ceil(2));
        sees(&rig, &format!("{round}{}", turns[(at.max(1) - 1) / 2 * 2]));
        rig.keys("[");
    }
}

#[test]
fn the_graph_of_a_game_that_was_won_ends_with_the_winner() {
    let mut rig = Rig::playing("gekitai", HUMANS, "c3 a6 c5 f6 c2 f1 c3");
    rig.keys("m");
    let at = |ply: usize| requests::review::Judged {
        ply,
        of: 7,
        score: if ply == 7 { 30_000 } else { 0 },
        win_in: (ply == 7).then_some(0),
        bar: if ply == 7 { 1000 } else { 500 },
        best: Vec::new(),
        loss: None,
        mistake: None,
        proof: None,
        why: None,
    };
    (0..=7).for_each(|ply| rig.report(1, Found::Judged(at(ply))));
    rig.report(1, Found::Done);
    // The highest of the three lines is filled at the end alone.
    sees(&rig, "  █");
}

#[test]
fn positions_records_and_moves_can_be_pasted() {
    let paste = |rig: &mut Rig, text: &str| {
        rig.tell(Message::Input(Event::Paste(text.to_owned())));
    };
    let mut rig = Rig::new();
    paste(&mut rig, "6/6/2x3/6/6/6 2\n");
    sees(&rig, "O to move");
    paste(&mut rig, "d4");
    sees(&rig, "move: d4");
    rig.keys("<Enter>");
    assert_eq!(rig.history(), ["d4"]);
    paste(&mut rig, "[Game \"jeson-mor\"]\n\n1. c1-d3 {well} c9-d7 *\n");
    assert_eq!(rig.history(), ["c1-d3", "c9-d7"]);
    paste(&mut rig, "the quick brown fox");
    sees(&rig, "the pasted text is not a position");
    assert_eq!(rig.history().len(), 2);
    rig.app.go(Next::Menu);
    paste(&mut rig, "\u{1b}[31m{");
    sees(&rig, "Settings");
}

#[test]
fn a_piece_travels_in_a_few_frames_that_nothing_waits_for() {
    let mut rig = Rig::playing("jeson-mor", HUMANS, "");
    rig.app.context.choices.still = false;
    rig.keys("e1-d3<Enter>");
    let first = rig.frame();
    sees(&rig, "Ben (Black) to move");
    rig.wait(Duration::from_millis(80));
    let second = rig.frame();
    rig.wait(Duration::from_millis(80));
    let last = rig.frame();
    assert!(first != second && second != last && first != last, "{first}\n{second}\n{last}");
    assert_eq!(rig.app.next_tick(rig.now), None, "nothing ticks when all have arrived");
    // A key while pieces move acts at once.
    rig.keys("e9-d7<Enter>");
    rig.keys("d3-e5<Enter>");
    assert_eq!(rig.history().len(), 3);
    rig.app.context.choices.still = true;
    rig.keys("d9-c7<Enter>");
    assert_eq!(rig.app.next_tick(rig.now), None);
}

#[test]
fn any_clock_can_be_typed() {
    let mut rig = Rig::new();
    rig.app.go(Next::Setup(&engine::GAMES[1]));
    rig.keys("<End><Up><Up><Enter>7+");
    sees(&rig, "min+s: 7+");
    rig.keys("+<Enter>");
    sees(&rig, "as in `5+3`");
    rig.keys("<Backspace>1.5<Enter>");
    sees(&rig, "7 min + 1.5 s");
    rig.keys("s");
    sees(&rig, "7:00");
    let mut again = Rig::at(rig.folder.clone());
    again.app.go(Next::Setup(&engine::GAMES[1]));
    sees(&again, "7 min + 1.5 s");
}
