//! Certificates hold under the rules and under a second, slow implementation of them; damaged ones are
//! refused, with the place.

use crate::effort::is_long;
use crate::slow_rules::{Slowly, gekitai, jeson_mor};
use engine::parts::{Named, Part, parts};
use engine::play::Play;
use engine::solve::certificate::{Certificate, Stored, compress, decompress, game_of};
use engine::solve::check::verify;
use engine::solve::follow::{Truth, follow};
use engine::solve::question::{Method, Settings, Verdict, Win, solve};
use engine::{AnalysedLine, Entry, GAMES, Limits, Stop, find};
use rules::gekitai::{Both, Gekitai};
use rules::jeson_mor::JesonMor;
use rules::{Game, Notation, Player, Symmetric};
use serde_json::{Map, Value};

fn settings(method: Method, player: Option<Player>) -> Settings {
    Settings {
        method,
        player,
        most_turns: None,
        time: None,
        nodes: Some(100_000_000),
        mebibytes: 64,
        threads: 1,
        checkpoint: None,
        resume: None,
    }
}

fn win<G: Play>(pos: &G, method: Method, player: Option<Player>) -> Win<G> {
    win_by(pos, &settings(method, player))
}

fn win_by<G: Play>(pos: &G, settings: &Settings) -> Win<G> {
    let answer = solve(pos, settings, &Stop::default(), &mut |_| {}).unwrap();
    match answer.verdict {
        Verdict::Win(win) => win,
        Verdict::Open | Verdict::Draw(_) => panic!("no win was found"),
    }
}

fn shipped() -> String {
    let part = proofs().find(|part| part.name == "gekitai.proof").unwrap();
    decompress(part.bytes().unwrap()).unwrap()
}

#[test]
fn the_shipped_certificate_holds_for_both_readings_of_a_shared_line() {
    let draw = Certificate::<Gekitai>::read(&shipped()).unwrap();
    assert_eq!((draw.start.text().as_str(), draw.winner), ("6/6/6/6/6/6;both=draw 1", Player::One));
    let checked = verify(&draw, &mut |_| {}).unwrap();
    assert!(checked.stored == draw.stored.len() && checked.replies > 100_000, "{checked:?}");
    let mover = |pos: &Gekitai| {
        let mut setup = pos.setup();
        setup.options.both = Both::Mover;
        Gekitai::from_setup(setup).unwrap()
    };
    let stored = draw.stored.iter().map(|(pos, stored)| (mover(pos), *stored)).collect();
    let start = mover(&draw.start);
    verify(&Certificate { start, stored, ..draw }, &mut |_| {}).unwrap();
}

#[test]
fn the_shipped_certificate_holds_by_the_slow_rules() {
    let replies = Slowly::<gekitai::Board>::read(&shipped()).check();
    assert!(replies > 100_000, "{replies}");
}

#[test]
fn a_certificate_of_jeson_mor_holds_by_the_slow_rules() {
    let options = rules::jeson_mor::Options { size: 5, ..Default::default() };
    let found = win(&JesonMor::new(&options).unwrap(), Method::All, None);
    assert_eq!((found.player, found.turns, found.exact), (Player::Two, 11, true));
    let certificate = found.certificate.unwrap();
    verify(&certificate, &mut |_| {}).unwrap();
    assert!(Slowly::<jeson_mor::Board>::read(&certificate.write()).check() > 1_000);
}

/// The hardest of the first moves, more than a minute of one core:
/// `cargo test --release -p quadrille-engine --test all certificates -- --ignored`.
#[test]
#[ignore = "takes more than a minute"]
fn a_corner_loses_gekitai_by_a_certificate_that_holds_by_the_slow_rules() {
    let corner = Gekitai::from_text("x5/6/6/6/6/6 2", &Default::default()).unwrap();
    let settings = Settings { mebibytes: 512, ..settings(Method::Proof, Some(Player::Two)) };
    let certificate = win_by(&corner, &settings).certificate.unwrap();
    verify(&certificate, &mut |_| {}).unwrap();
    assert!(Slowly::<gekitai::Board>::read(&certificate.write()).check() > 1_000_000);
}

/// Billions of positions on plain arrays, more than twenty minutes of one core: run like the one before.
#[test]
#[ignore = "takes more than twenty minutes"]
fn the_certificate_of_jeson_mor_on_seven_by_seven_holds_by_the_slow_rules() {
    let options = rules::jeson_mor::Options { size: 7, ..Default::default() };
    let start = JesonMor::new(&options).unwrap();
    let certificate = win(&start, Method::Quiet, Some(Player::Two)).certificate.unwrap();
    assert!(Slowly::<jeson_mor::Board>::read(&certificate.write()).check() > 1_000_000);
}

/// The certificates that come with the program.
fn proofs() -> impl Iterator<Item = &'static Part> {
    parts().filter(|part| part.name.ends_with(".proof"))
}

fn named(name: &str) -> Named {
    let part = proofs().find(|part| part.name == name).unwrap();
    Named { name: part.name, proof: part.certificate().unwrap() }
}

#[test]
fn every_certificate_of_the_program_holds_and_is_found_by_what_is_stored() {
    let proofs: Vec<_> = proofs().collect();
    assert_eq!(proofs.len(), 47);
    for part in proofs {
        let text = decompress(part.bytes().unwrap()).unwrap();
        let entry = find(&game_of(&text).unwrap()).unwrap();
        let shipped = part.certificate().unwrap();
        assert!(text.contains(&format!("\nstored {}\n", shipped.count)), "{}", part.name);
        // Looking all of the largest one up takes a while.
        let step = shipped.count.div_ceil(1_000);
        for line in shipped.stored().step_by(step) {
            let end = line.match_indices(' ').nth(1).map_or(line.len(), |(at, _)| at);
            let session = (entry.from_text)(&line[..end], &Default::default()).unwrap();
            assert_eq!(session.canonical().0, line[..end], "{}", part.name);
            assert_eq!(shipped.find(&line[..end]), Some(line[end..].trim_start()), "{line}");
        }
        // Checking that one takes minutes without optimisation.
        if shipped.count < 20_000 || is_long() {
            (entry.verify)(&text, &mut |_, _| {}).unwrap();
        }
    }
}

/// What the loser is told in a game against a certificate.
#[test]
fn after_every_stored_move_the_loser_is_told_a_smaller_distance() {
    for part in proofs() {
        let shipped = part.certificate().unwrap();
        let text = decompress(part.bytes().unwrap()).unwrap();
        let entry = find(&game_of(&text).unwrap()).unwrap();
        let all = is_long();
        let step = if all { 1 } else { shipped.count.div_ceil(200) };
        for line in shipped.stored().step_by(step).filter(|_| shipped.winner().is_some()) {
            let [rank, m, position]: [&str; 3] =
                line.rsplitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
            let mut session = (entry.from_text)(position, &Default::default()).unwrap();
            session.play(m).unwrap();
            let said = follow(session.as_ref(), &[named(part.name)], false, 20_000);
            let truth = said.truth.expect(line);
            assert!(truth.left < rank.parse().unwrap(), "{line}: {said:?}");
            assert_eq!((truth.winner, truth.by), (shipped.winner(), part.name));
            let is_told =
                |(_, after): &(String, Option<Truth>)| after.is_some_and(|t| t.left <= truth.left);
            assert!(said.moves.iter().all(is_told), "{line}: {said:?}");
        }
    }
}

#[test]
fn what_takes_too_many_positions_to_find_out_is_not_told() {
    let entry = find("jeson-mor").unwrap();
    let position = "1nn4/2n1n2/1n3n1/7/1n2NN1/2NNN2/4N2 1";
    let session = (entry.from_text)(position, &Default::default()).unwrap();
    let said = |most| follow(session.as_ref(), &[named("jeson-mor-7.proof")], false, most);
    assert_eq!(said(100).truth, None);
    assert!(said(300_000).truth.is_some());
}

#[test]
fn a_position_beside_those_that_are_stored_is_not_found() {
    let shipped = named("gekitai.proof").proof;
    let first = shipped.stored().next().unwrap().rsplitn(3, ' ').last().unwrap();
    assert!(shipped.find(first).is_some());
    for other in ["", "6/6/6/6/6/6;both=draw 2", "zzz", &first[..first.len() - 1]] {
        assert_eq!(shipped.find(other), None, "{other}");
    }
}

/// What the engine says about a position, asked for one line and for three.
fn analysed(entry: &Entry, position: &str) -> Vec<AnalysedLine> {
    let session = (entry.from_text)(position, &Default::default()).unwrap();
    let mut thinker = (entry.thinker)(1);
    let mut first = |lines| {
        let limits = Limits { lines, ..Limits::nodes(1) };
        let found = thinker.think(session.as_ref(), &limits, &Stop::default(), &mut |_| {});
        found.unwrap().lines.remove(0)
    };
    vec![first(1), first(3)]
}

/// The engine agrees with its certificates about every stored position, for both readings, both players to move and
/// every image.
#[test]
fn the_engine_says_of_every_stored_position_what_its_certificate_proves() {
    let mut random = rules::random::Random::new(34);
    let mut compared = 0;
    for part in proofs() {
        let shipped = part.certificate().unwrap();
        let text = decompress(part.bytes().unwrap()).unwrap();
        let entry = find(&game_of(&text).unwrap()).unwrap();
        let step = if is_long() { 1 } else { shipped.count.div_ceil(20) };
        for line in shipped.stored().step_by(step) {
            let words: Vec<&str> = line.split(' ').collect();
            let stored = words[..2].join(" ");
            let session = (entry.from_text)(&stored, &Default::default()).unwrap();
            let which = random.below(8);
            let [stored, advised] = [None, words.get(2)].map(|m| {
                let mut session = session.boxed_clone();
                m.into_iter().for_each(|m| session.play(m).unwrap());
                image(entry.info.id, &session.text(), which)
            });
            let Some(winner) = shipped.winner() else {
                for line in analysed(entry, &stored) {
                    assert!(line.win_in.is_none_or(|turns| turns < 0), "{stored}: {line:?}");
                    compared += 1;
                }
                continue;
            };
            let rank: i32 = words[3].parse().unwrap();
            assert_eq!(session.turn(), winner);
            for (position, wins) in [(stored, true), (advised, false)] {
                for position in [position.replace(";both=draw", ""), position] {
                    if (entry.from_text)(&position, &Default::default())
                        .unwrap()
                        .outcome()
                        .is_some()
                    {
                        continue;
                    }
                    for line in analysed(entry, &position) {
                        let told = line.win_in.unwrap_or_else(|| panic!("{position}: {line:?}"));
                        assert_eq!(told > 0, wins, "{position}: {line:?}");
                        let most = if wins { rank } else { rank - 1 };
                        assert!(told.abs() <= most, "{position}: {line:?}, rank {rank}");
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 1_300, "{compared}");
}

/// The same for the atlas, where no certificate covers a position, or only with more moves.
#[test]
fn the_engine_says_of_every_row_of_the_atlas_what_it_says() {
    let rows: Map<String, Value> = serde_json::from_slice(engine::parts::atlas().unwrap()).unwrap();
    assert!(rows.len() > 50, "{}", rows.len());
    for (name, row) in rows {
        let entry = find(row["game"].as_str().unwrap()).unwrap();
        for position in [&row["position"], &row["also"]].into_iter().filter_map(Value::as_str) {
            let session = (entry.from_text)(position, &Default::default()).unwrap();
            for line in analysed(entry, position) {
                let what = format!("{name}: {position}: {line:?}");
                assert!(line.proof.is_some(), "{what}");
                match row["winner"].as_u64() {
                    None => assert_eq!((line.score, line.win_in), (0, None), "{what}"),
                    Some(winner) => {
                        let told = line.win_in.unwrap_or_else(|| panic!("{what}"));
                        let wins = u64::from(session.turn().number()) == winner;
                        assert_eq!(told > 0, wins, "{what}");
                        let most = row["within"].as_i64().unwrap();
                        assert!(i64::from(told.abs()) <= most, "{what}: more than {most}");
                    }
                }
            }
        }
    }
}

/// A rotated or reflected position.
fn image(id: &str, position: &str, which: usize) -> String {
    fn of<G: Symmetric + Notation>(position: &str, which: usize) -> String {
        G::from_text(position, &G::Options::default()).unwrap().image(which).text()
    }
    match id {
        "gekitai" => of::<Gekitai>(position, which),
        _ => of::<JesonMor>(position, which),
    }
}

/// Once a win is told, every turn of the winner brings it nearer.
#[test]
fn a_win_that_is_told_comes_nearer_with_every_turn() {
    let entry = find("gekitai").unwrap();
    for (options, moves) in [
        (";both=draw", "d3 b4 e4 a4 e2 d3 c4 c3 e3 d3 b5"),
        (";both=draw", ""),
        ("", ""),
        ("", "a1"),
        ("", "e2"),
        ("", "c1"),
    ] {
        let start = format!("6/6/6/6/6/6{options} 1");
        let mut session = (entry.from_text)(&start, &Default::default()).unwrap();
        let mut thinker = (entry.thinker)(4);
        let mut told = None;
        let mut moves = moves.split(' ').filter(|m| !m.is_empty());
        while session.outcome().is_none() {
            let limits = Limits::nodes(2_000);
            let found =
                thinker.think(session.as_ref(), &limits, &Stop::default(), &mut |_| {}).unwrap();
            let line = &found.lines[0];
            let given = moves.next();
            if given.is_none() {
                let now = line.win_in.unwrap_or_else(|| panic!("{}: {line:?}", session.text()));
                let winner = if now > 0 { session.turn() } else { session.turn().other() };
                if let Some((before, of)) = told {
                    assert_eq!(of, winner);
                    assert!(now.abs() <= before, "{}: {now} after {before}", session.text());
                }
                told = Some((if now > 0 { now - 1 } else { -now }, winner));
            }
            session.play(given.unwrap_or(&line.turns[0])).unwrap();
        }
        assert_eq!(session.outcome().and_then(|outcome| outcome.winner()), told.map(|t| t.1));
    }
}

/// A small certificate, as text: Gekitai on 5×5 with four markers each.
fn small() -> String {
    let options = rules::gekitai::Options { size: 5, markers: 4, both: Both::Mover };
    let found = win(&Gekitai::new(&options).unwrap(), Method::Proof, Some(Player::One));
    found.certificate.unwrap().write()
}

fn refusal(text: &str) -> String {
    let fault = (find("gekitai").unwrap().verify)(text, &mut |_, _| {}).unwrap_err();
    assert!(fault.line >= 1 && fault.line <= text.lines().count() + 1, "{fault}");
    fault.to_string()
}

#[test]
fn a_changed_byte_is_refused_with_its_place() {
    let text = small();
    assert!((find("gekitai").unwrap().verify)(&text, &mut |_, _| {}).is_ok());
    let bytes = text.as_bytes();
    for at in (0..bytes.len()).step_by(bytes.len() / 150) {
        let mut changed = bytes.to_vec();
        changed[at] = if changed[at] == b'4' { b'5' } else { b'4' };
        let line = 1 + bytes[..at].iter().filter(|byte| **byte == b'\n').count();
        let said = refusal(std::str::from_utf8(&changed).unwrap());
        let place: usize = said[5..said.find(':').unwrap()].parse().unwrap();
        assert!((line..=line + 130).contains(&place), "{said}, but line {line} was changed");
    }
}

/// The certificate with its stored positions changed, sealed again.
fn forged(change: impl Fn(&mut Certificate<Gekitai>)) -> String {
    let mut certificate = Certificate::<Gekitai>::read(&small()).unwrap();
    change(&mut certificate);
    certificate.write()
}

#[test]
fn a_certificate_with_one_fault_is_refused() {
    // A stored position that is not the start, chosen by text so that it is always the same.
    let some = |certificate: &Certificate<Gekitai>| {
        let mut all: Vec<_> = certificate.stored.iter().map(|(pos, s)| (*pos, *s)).collect();
        all.sort_unstable_by_key(|(pos, stored)| (stored.rank, pos.text()));
        all[all.len() / 2]
    };
    let missing = forged(|certificate| {
        let (pos, _) = some(certificate);
        certificate.stored.remove(&pos);
    });
    assert!(refusal(&missing).contains("neither a stored move nor a win at once"));
    let stuck = forged(|certificate| {
        let (pos, stored) = some(certificate);
        certificate.stored.insert(pos, Stored { rank: stored.rank + 30, ..stored });
    });
    assert!(refusal(&stuck).contains("the rank does not fall"));
    let low = forged(|certificate| {
        let (pos, stored) = some(certificate);
        certificate.stored.insert(pos, Stored { rank: 1, ..stored });
    });
    assert!(refusal(&low).starts_with("line "), "{}", refusal(&low));
    let hasty = forged(|certificate| certificate.within -= 1);
    assert!(refusal(&hasty).starts_with("line 4: "), "{}", refusal(&hasty));
    let other = forged(|certificate| certificate.winner = Player::Two);
    assert!(refusal(&other).contains("not the winner's turn"));
    let silly = forged(|certificate| {
        let (pos, stored) = some(certificate);
        let mut others = pos.moves().into_iter().filter(|m| *m != stored.m);
        let fails = |m: &rules::gekitai::Place| pos.after(*m).outcome().is_none();
        let m = others.rfind(fails).unwrap();
        certificate.stored.insert(pos, Stored { m, ..stored });
    });
    assert!(refusal(&silly).starts_with("line "), "{}", refusal(&silly));
}

#[test]
fn a_certificate_that_is_cut_or_lengthened_is_refused() {
    let text = small();
    let lines: Vec<&str> = text.lines().collect();
    for end in [0, 1, 5, 7, lines.len() - 1] {
        refusal(&lines[..end].join("\n"));
    }
    assert!(refusal(&(text.clone() + "more\n")).contains("after the end"));
    for nonsense in ["", "\n\n", "quadrille certificate 1\ngame gekitai\n", "= 00000000\nend\n"] {
        refusal(nonsense);
    }
    let packed = compress(&text).unwrap();
    assert_eq!(decompress(&packed).unwrap(), text);
    let mut torn = packed.clone();
    torn.truncate(packed.len() / 2);
    assert!(decompress(&torn).unwrap_err().to_string().contains("damaged"));
    assert!(GAMES.iter().all(|entry| (entry.verify)("", &mut |_, _| {}).is_err()));
}
