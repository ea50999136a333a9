use super::*;
use crate::why::theme;
use engine::{GAMES, Limits, Stop};
use rules::diagram::Tone;
use rules::random::Random;

fn attempt(game: &str, number: usize, turns: Vec<String>) -> LessonShown {
    LessonTry { game: game.into(), number, turns, answer: false }.answer().unwrap()
}

#[test]
fn every_lesson_is_done_by_its_answer_and_not_by_everything() {
    for entry in GAMES {
        for (i, lesson) in entry.info.lessons.iter().enumerate() {
            let (game, number) = (entry.info.id, i + 1);
            let name = format!("{game} {number}");
            assert_eq!(attempt(game, number, vec![]).progress, Progress::Begins, "{name}");
            let done = attempt(game, number, vec![lesson.answer.into()]);
            assert_eq!(done.progress, Progress::Done, "{name}");
            let turns = open(entry, lesson.position).unwrap().turns();
            let missed = turns.into_iter().map(|turn| attempt(game, number, vec![turn]).progress);
            assert!(missed.into_iter().any(|one| one == Progress::Missed), "{name}");
        }
    }
}

#[test]
fn a_game_has_a_handful_or_none() {
    for entry in GAMES {
        assert!(matches!(entry.info.lessons.len(), 0 | 6..=10), "{}", entry.info.id);
    }
}

fn after(session: &dyn Session, turn: &str) -> Box<dyn Session> {
    let mut session = session.boxed_clone();
    session.play(turn).unwrap();
    session
}

/// Whether a turn wins in a way described by these words.
fn wins(session: &dyn Session, turn: &str, how: &str) -> bool {
    let next = after(session, turn);
    next.result() == Some(Outcome::Win(session.turn())) && next.diagram().status.contains(how)
}

/// Whether a turn moves a piece of this kind, in the words of [`rules::spoken`]: "rook".
fn moves(session: &dyn Session, turn: &str, piece: &str) -> bool {
    let diagram = session.diagram();
    let traces = after(session, turn).last_traces();
    let travel = traces.iter().flat_map(|trace| &trace.travels).next();
    travel.is_some_and(|t| spoken::cell(&diagram, &diagram.cells[t.from]).contains(piece))
}

/// Whether a turn pushes one of the player's own pieces.
fn pushes_own(session: &dyn Session, turn: &str) -> bool {
    let diagram = session.diagram();
    let traces = after(session, turn).last_traces();
    let mut travels = traces.iter().flat_map(|trace| &trace.travels);
    travels.any(|travel| {
        let piece = diagram.cells[travel.from].piece.as_ref();
        piece.is_some_and(|piece| piece.owner == session.turn())
    })
}

/// Whether a turn captures the piece on the centre.
fn takes_centre(session: &dyn Session, turn: &str) -> bool {
    let diagram = session.diagram();
    let cell = diagram.cells.iter().find(|cell| cell.tone == Tone::Goal).unwrap();
    theme(session, turn) == "capture" && turn.ends_with(&cell.name)
}

/// Whether a turn moves to the centre, where the piece cannot be captured.
fn rides_through(session: &dyn Session, turn: &str) -> bool {
    let next = after(session, turn);
    let diagram = next.diagram();
    let centre = diagram.cells.iter().find(|cell| cell.tone == Tone::Goal).unwrap();
    turn.ends_with(&centre.name)
        && next.result().is_none()
        && !next.turns().iter().any(|reply| takes_centre(next.as_ref(), reply))
}

/// A learner's turn that exploits what the opponent is said to overlook; empty if no particular turn is needed.
fn use_of(overlooked: &str, session: &dyn Session) -> Option<String> {
    if session.result().is_some() {
        return None;
    }
    if overlooked == "that you have the majority on the ring" {
        return session.lead().filter(|(who, _)| *who == session.turn()).map(|_| String::new());
    }
    let fits = |turn: &String| match overlooked {
        "a row of three that you can complete" => wins(session, turn, "three in a row"),
        "a marker of yours that you can push into line" => {
            pushes_own(session, turn) && wins(session, turn, "three in a row")
        }
        "that your last marker wins" => wins(session, turn, "all markers on the board"),
        "markers that you can push off the board" => theme(session, turn) == "push",
        "a knight that you can capture" | "a stack that you can capture" => {
            theme(session, turn) == "capture"
        }
        "that you can capture its last knight" => wins(session, turn, "capturing every knight"),
        "that you can ride through the centre" => rides_through(session, turn),
        "that you can capture its knight on the centre" => takes_centre(session, turn),
        "a tower that you can crown" => wins(session, turn, "with a king"),
        "a chain that you can complete" => wins(session, turn, "connecting two sides"),
        other => {
            let piece = other.strip_prefix("a king that you can make with a ");
            let piece = piece.unwrap_or_else(|| panic!("no test for `{other}`"));
            wins(session, turn, "with a king") && moves(session, turn, piece)
        }
    };
    session.turns().into_iter().find(fits)
}

/// A turn that wins immediately.
fn win(session: &dyn Session) -> Option<String> {
    let won = Some(Outcome::Win(session.turn()));
    session.children().into_iter().find(|child| child.outcome == won).map(|child| child.turn)
}

/// A small game between the opponent and a learner who applies the lesson whenever possible: whether the learner won,
/// and whether the opponent overlooked what it is said to, though another turn would have prevented it.
fn small_game(entry: &'static Entry, lesson: &Lesson, seed: u64) -> (bool, bool) {
    let mut session = open(entry, lesson.game).unwrap();
    let (learner, who) = (session.turn(), against(lesson, session.as_ref()));
    let [mut own, mut other] = [(entry.thinker)(1), (entry.thinker)(1)];
    let (limits, stop, mut random) = (Limits::nodes(500), Stop::default(), Random::new(seed));
    let leaves = |game: &dyn Session| use_of(lesson.overlooks, game).is_some();
    let mut overlooked = false;
    while session.result().is_none() && session.turns_played() < 60 {
        let turn = if session.turn() == learner {
            let used = use_of(lesson.overlooks, session.as_ref()).filter(|turn| !turn.is_empty());
            let used = win(session.as_ref()).or(used);
            used.or_else(|| own.turn(session.as_ref(), &limits, &stop)).unwrap()
        } else {
            let bounds = (&limits, &stop);
            let game = session.as_ref();
            let turn = who.choose(game, || other.as_mut(), bounds, &mut random, &mut |_| {});
            let turn = turn.unwrap();
            overlooked |= leaves(after(session.as_ref(), &turn).as_ref()) && {
                let careful = own.beginners_turn(session.as_ref(), &mut random);
                let all = session.turns();
                let some = (0..20).filter_map(|_| random.pick(&all).cloned());
                let others: Vec<_> = careful.into_iter().chain(some).collect();
                others.iter().any(|turn| !leaves(after(session.as_ref(), turn).as_ref()))
            };
            turn
        };
        session.play(&turn).unwrap();
    }
    (session.result() == Some(Outcome::Win(learner)), overlooked)
}

#[test]
fn who_does_what_a_lesson_is_about_wins_its_small_game_because_the_opponent_overlooks_it() {
    let long = std::env::var_os("QUADRILLE_LONG").is_some();
    for entry in GAMES {
        for lesson in entry.info.lessons {
            let name = format!("{}: {}", entry.info.id, lesson.title);
            let session = open(entry, lesson.game).unwrap();
            assert_eq!(session.turn(), Player::One, "{name}");
            assert_eq!(win(session.as_ref()), None, "{name}: it is won already");
            let told = Who::parse(lesson.against, session.as_ref());
            assert_eq!(told, Ok(Some(against(lesson, session.as_ref()))), "{name}");
            // Games with a thousand turns to check take seconds.
            let games = match session.turns().len() {
                _ if long => 20,
                0..200 => 4,
                _ => 1,
            };
            let played: Vec<_> =
                (0..games as u64).map(|seed| small_game(entry, lesson, seed)).collect();
            let won = played.iter().filter(|(won, _)| *won).count();
            let overlooked = played.iter().filter(|(_, overlooked)| *overlooked).count();
            let told = format!("{name}: of {games} games {won} won, {overlooked} with the mistake");
            assert!(4 * won >= 3 * games && 2 * overlooked > games, "{told}");
        }
    }
}
